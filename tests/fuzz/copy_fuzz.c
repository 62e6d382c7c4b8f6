/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the data of a COPY. The first byte picks the format and its options. Text and csv
 * are cut into fields; however the bytes arrive, in one piece or one by one, the fields must be the
 * same. Binary fields are read as every type; one that is a value must come back as it was. */
#include "fuzz.h"

#include "base/mem.h"
#include "engine/copy.h"
#include "func/text_wire.h"

#include <stdlib.h>
#include <string.h>

/* A few packed bytes may be megabytes of lines. */
#define FUZZ_LINES_MAX 2000u

struct fuzz_bytes {
    const uint8_t *data;
    size_t left;
    size_t piece; /* bytes given at once */
};

static int fuzz_read(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    struct fuzz_bytes *b = arg;
    size_t n = b->left < b->piece ? b->left : b->piece;

    (void)err;
    n = n < len ? n : len;
    memcpy(to, b->data, n);
    b->data += n;
    b->left -= n;
    *ret_len = n;
    return 0;
}

/* All fields as text, and how it ended. */
static void fuzz_fields(const struct stmt_copy *copy, struct fuzz_bytes bytes, struct buf *out)
{
    struct csv_source *source;
    struct copy_lines l;
    int rc;

    if (csv_source_open(fuzz_read, &bytes, CSV_UTF8, NULL, &source, NULL) < 0) {
        buf_puts(out, "refused"); /* it begins as Parquet or a zip does */
        return;
    }
    copy_lines_init(&l, copy, source, NULL);
    while ((rc = copy_lines_next(&l, NULL)) == 0 && l.line < FUZZ_LINES_MAX) {
        fuzz_reached();
        buf_printf(out, "%llu", (unsigned long long)l.line);
        for (uint32_t i = 0; i < l.fields_count; i++) {
            buf_puts(out, l.fields[i].null ? " ~" : " |");
            buf_append(out, l.fields[i].text.ptr, l.fields[i].text.len);
        }
        buf_u8(out, '\n');
    }
    buf_printf(out, "%d at %llu", rc, (unsigned long long)l.line);
    copy_lines_done(&l);
    csv_source_close(source);
}

static void fuzz_lines(uint8_t how, const uint8_t *data, size_t size)
{
    static const char delimiters[] = ",\t;|";
    struct stmt_copy copy = {.kind = how & 1 ? COPY_CSV : COPY_TEXT,
                             .format = {.delimiter = delimiters[how >> 1 & 3], .quote = '"'},
                             .escape = how & 8 ? '\\' : '"'};
    struct fuzz_bytes bytes = {.data = data, .left = size, .piece = SIZE_MAX};
    struct buf whole;
    struct buf pieces;

    copy.format.null_text =
        how & 16 ? (struct vstr){.ptr = "\\N", .len = 2} : (struct vstr){.ptr = "", .len = 0};
    buf_init(&whole, NULL);
    buf_init(&pieces, NULL);
    fuzz_fields(&copy, bytes, &whole);
    bytes.piece = 1;
    fuzz_fields(&copy, bytes, &pieces);
    if (whole.len != pieces.len || memcmp(whole.data, pieces.data, whole.len) != 0)
        abort();
    buf_done(&whole);
    buf_done(&pieces);
}

static void fuzz_wire(enum type_id type, const uint8_t *data, size_t size)
{
    struct datum d;
    struct datum again;
    struct arena arena;
    struct buf bytes;

    arena_init(&arena, NULL);
    buf_init(&bytes, NULL);
    if (text_wire_get(type, data, (uint32_t)size, &arena, &d, NULL) == 0) {
        fuzz_reached();
        text_wire_put(&d, &arena, &bytes);
        if (bytes.failed ||
            text_wire_get(
                type, bytes.len ? bytes.data : data, (uint32_t)bytes.len, &arena, &again, NULL) < 0)
            abort();
        if (!type_is_array(type) && !type_is_float(type) && datum_cmp(&d, &again) != 0)
            abort();
    }
    buf_done(&bytes);
    arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 20000)
        return 0;
    if (!(data[0] & 0x80)) {
        fuzz_lines(data[0], data + 1, size - 1);
        return 0;
    }
    for (unsigned t = 1; t < TYPE_ARRAY; t++) {
        if (!type_known(t) || text_wire_oid((enum type_id)t) == 0)
            continue;
        fuzz_wire((enum type_id)t, data + 1, size - 1);
        fuzz_wire((enum type_id)(t | TYPE_ARRAY), data + 1, size - 1);
    }
    return 0;
}
