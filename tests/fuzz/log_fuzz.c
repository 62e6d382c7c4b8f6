/* SPDX-License-Identifier: Apache-2.0
 *
 * Log chunks from outside: the first byte says whether the chunk is sealed, the rest is the chunk.
 * Then once more with every frame's checksum made right, so that what lies behind it is reached:
 * commits, batches, columns. Whatever is decoded is read to the last byte. */
#include "fuzz.h"

#include "base/hash.h"
#include "store/log.h"

/* Every value of a batch: the sanitizer sees what points outside. */
static uint64_t fuzz_batch(const struct log_batch *b)
{
    uint64_t sum = 0;

    for (uint32_t c = 0; c < b->cols_count; c++) {
        DN_ASSERT(b->cols[c].count == b->rows);
        for (uint32_t i = 0; i < b->rows; i++) {
            struct datum d = vec_datum(&b->cols[c], i);
            if (type_is_string(b->cols[c].type) && !d.null)
                sum += dn_checksum64(d.str.ptr, d.str.len);
            else
                sum += d.null ? 1 : (uint64_t)d.v.i64;
            sum += vec_bit(b->cols[c].absent, i);
        }
    }
    for (uint32_t i = 0; b->rowids && i < b->rows; i++)
        sum += (uint64_t)b->rowids[i];
    return sum;
}

static int fuzz_frame(struct log_frame *f, struct arena *arena, struct dn_err *err)
{
    volatile uint64_t sink = 0;
    struct log_commit c;
    int rc;

    while ((rc = log_commit_next(f, &c, err)) == DN_OK) {
        struct log_batch b;
        arena_reset(arena);
        while ((rc = log_batch_next(f, &c, arena, &b, err)) == DN_OK) {
            struct range *r = NULL;

            fuzz_reached();
            if (b.op == ROW_RANGE && range_parse(&b.range, NULL, 1, 1, &r, err) == DN_OK)
                sink = sink + r->bounds_count;
            range_unref(r);
            sink = sink + fuzz_batch(&b);
        }
        if (rc < 0)
            break;
    }
    return rc;
}

/* Zeros alone are room that was kept for more, not a torn write. */
static bool fuzz_blank(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && data[at] == 0)
        at++;
    return at == size;
}

static void fuzz_chunk(const uint8_t *data, size_t size, bool sealed)
{
    struct log_reader r;
    struct log_frame f;
    struct arena arena;
    struct dn_err err = {0};
    size_t at = 0;
    int rc;

    arena_init(&arena, NULL);
    log_reader_init(&r, "fuzz", data, size, sealed);
    while ((rc = log_reader_next(&r, &f, &err)) == DN_OK) {
        DN_ASSERT(f.offset == at && r.next > at && r.next <= size);
        at = r.next;
        rc = fuzz_frame(&f, &arena, &err);
        DN_ASSERT(rc == DN_EOF || rc == DN_E_CORRUPT);
    }
    DN_ASSERT(rc == DN_EOF || rc == DN_E_CORRUPT || rc == DN_E_VERSION);
    DN_ASSERT(rc == DN_EOF || err.text[0] != '\0');
    DN_ASSERT(rc != DN_EOF || r.next == size || r.torn || fuzz_blank(data, size, at));
    DN_ASSERT(!sealed || !r.torn);
    arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy;

    if (size == 0)
        return 0;
    fuzz_chunk(data + 1, size - 1, data[0] & 1);
    copy = mem_dup(NULL, data + 1, size - 1);
    if (!copy)
        return 0;
    size--;
    for (size_t at = 0; at + LOG_FRAME_HEAD <= size;) {
        size_t length = le_get32(copy + at + 32);
        if (length > size - at - LOG_FRAME_HEAD)
            break;
        memcpy(copy + at, "DNLG", 4);
        le_put16(copy + at + 4, size % 2 ? LOG_FORMAT : 1);
        le_put64(copy + at + 40,
                 dn_hash64(copy + at + LOG_FRAME_HEAD, length, dn_checksum64(copy + at, 40)));
        at += LOG_FRAME_HEAD + length;
    }
    fuzz_chunk(copy, size, data[0] & 1);
    mem_free(copy);
    return 0;
}
