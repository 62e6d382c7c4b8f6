/* SPDX-License-Identifier: Apache-2.0
 *
 * parquet_fuzz.c: any bytes as a Parquet file: the footer, then all columns that can be read, alone
 * and together. What comes out must be values that can be printed. The memory is limited: a small
 * file may claim to be large. */
#include "fuzz.h"

#include "base/mem.h"
#include "func/text.h"
#include "parquet/parquet.h"

#include <string.h>

#define FUZZ_MEMORY  ((size_t)64 << 20)
#define FUZZ_BATCHES 64u
#define FUZZ_COLUMNS 32u
#define FUZZ_PRINTED 16u /* values of a batch */

struct fuzz_file {
    const uint8_t *data;
    size_t len;
};

static int fuzz_read(void *arg, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    const struct fuzz_file *f = arg;

    (void)err;
    DN_ASSERT(at <= f->len && len <= f->len - at);
    if (len > 0)
        memcpy(to, f->data + at, len);
    return 0;
}

static void fuzz_print(const struct batch *b)
{
    struct buf text;

    buf_init(&text, NULL);
    for (uint32_t c = 0; c < b->cols_count; c++)
        for (uint32_t i = 0; i < b->count && i < FUZZ_PRINTED; i++) {
            struct datum d = vec_datum(&b->cols[c], i);

            if (!d.null)
                text_print_in(NULL, &d, &text);
            buf_reset(&text);
        }
    buf_done(&text);
}

static void fuzz_rows(struct pq_reader *r)
{
    const struct pq_column *cols;
    uint32_t want[FUZZ_COLUMNS];
    uint32_t count = pq_columns(r, &cols);
    struct dn_err err;
    struct batch b;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count && n < FUZZ_COLUMNS; i++)
        if (!cols[i].refused)
            want[n++] = i;
    if (pq_want(r, want, n, &err) < 0)
        return;
    for (uint32_t i = 0; i < FUZZ_BATCHES && pq_next(r, &b, &err) == 0; i++) {
        DN_ASSERT(b.cols_count == n && b.count > 0 && b.count <= VEC_ROWS_MAX);
        if (n > 0)
            fuzz_reached();
        fuzz_print(&b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file f = {data, size};
    struct pq_input in = {.size = size, .read = fuzz_read, .arg = &f};
    struct mem_owner owner;
    struct pq_reader *r;
    struct dn_err err;

    mem_owner_init(&owner, "fuzz", NULL, FUZZ_MEMORY);
    if (pq_open(&in, &owner, &r, &err) == 0) {
        fuzz_rows(r);
        pq_close(r);
    }
    DN_ASSERT(mem_owner_used(&owner) == 0);
    return 0;
}
