/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame head, 48 bytes:
 *   0 magic u32   4 version u16   6 zero u16   8 epoch u64   16 first sequence u64
 *   24 durable u64   32 length of what follows the head u32   36 zero u32   40 checksum u64
 * The checksum covers bytes 0..39 and all that follows the head.
 *
 * Batch: fixed head of 40 bytes, then for each column: id u32, type u8, flags u8 (1 nulls, 2
 * absent), bitmaps, values (fixed width little-endian, or u32 lengths then bytes). */
#include "store/log_int.h"

#include "vec/wide.h"

#include <inttypes.h>

#define LOG_BATCH_OP    12u /* offset of the operation in the batch head */
#define LOG_BATCH_FLAGS 13u /* … of the flags */
#define LOG_BATCH_ROWID 16u /* … of rowid_base */
#define LOG_BATCH_COLS  28u /* … of the number of columns */
#define LOG_BATCH_LEN   32u /* … of the length */

enum { LOG_BATCH_EXPIRES = 1 }; /* rows of it expire */

static void log_encode_bits(const uint64_t *bits, uint32_t rows, struct buf *b)
{
    for (uint32_t w = 0; w < VEC_BITMAP_WORDS(rows); w++)
        buf_u64(b, bits[w]);
}

static void log_encode_fixed(const struct vec *v, uint32_t rows, struct buf *b)
{
    uint32_t size = phys_size(type_phys(v->type));
    uint8_t *to = buf_extend(b, (size_t)rows * size);

    if (!to)
        return;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (v->form == VEC_FLAT) {
        memcpy(to, v->data, (size_t)rows * size);
        return;
    }
#endif
    for (uint32_t i = 0; i < rows; i++) {
        const uint8_t *from = (const uint8_t *)v->data + (size_t)vec_at(v, i) * size;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        memcpy(to + (size_t)i * size, from, size);
#else
        for (uint32_t k = 0; k < size; k++)
            to[(size_t)i * size + k] = from[size - 1 - k];
#endif
    }
}

/* Values of wide types: a length byte and the bytes each; of NULLs nothing but a 0. */
static void log_encode_wide(const struct vec *v, uint32_t rows, struct buf *b)
{
    uint32_t size = phys_size(type_phys(v->type));
    uint8_t bytes[VEC_WIDE_BYTES_MAX];

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t len = 0;

        if (!vec_is_null(v, i) && !vec_bit(v->absent, v->form == VEC_CONST ? 0 : i))
            len = vec_wide_put(
                v->type, (const uint8_t *)v->data + (size_t)vec_at(v, i) * size, bytes);
        buf_u8(b, (uint8_t)len);
        buf_append(b, bytes, len);
    }
}

static void log_encode_strings(const struct vec *v, uint32_t rows, struct buf *b)
{
    uint8_t *lens = buf_extend(b, (size_t)rows * 4);
    size_t total = 0;
    uint8_t *to;

    if (!lens)
        return;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t len = vec_is_null(v, i) || vec_bit(v->absent, v->form == VEC_CONST ? 0 : i)
                           ? 0
                           : vec_str(v, i).len;
        le_put32(lens + (size_t)i * 4, len);
        total += len;
    }
    to = buf_extend(b, total);
    if (!to)
        return;
    lens = to - (size_t)rows * 4;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t len = le_get32(lens + (size_t)i * 4);
        if (len)
            memcpy(to, vec_str(v, i).ptr, len);
        to += len;
    }
}

/* Is a bit set? A bitmap without any is not written: in a key column a reader would refuse it. */
static bool log_any_bit(const struct vec *v, const uint64_t *bits, uint32_t rows)
{
    if (!bits || v->form == VEC_CONST)
        return bits && (bits[0] & 1);
    for (uint32_t w = 0; w < rows / 64; w++)
        if (bits[w])
            return true;
    return rows % 64 && (bits[rows / 64] & ((UINT64_C(1) << rows % 64) - 1));
}

static void log_encode_col(uint32_t id, const struct vec *v, uint32_t rows, struct buf *b)
{
    uint64_t full[1] = {0};
    bool nulls = log_any_bit(v, v->nulls, rows);
    bool absent = log_any_bit(v, v->absent, rows);

    buf_u32(b, id);
    buf_u8(b, (uint8_t)v->type);
    buf_u8(b, (uint8_t)((nulls ? LOG_COL_NULLS : 0) | (absent ? LOG_COL_ABSENT : 0)));
    full[0] = UINT64_MAX;
    if (nulls && v->form != VEC_CONST)
        log_encode_bits(v->nulls, rows, b);
    for (uint32_t w = 0; nulls && v->form == VEC_CONST && w < VEC_BITMAP_WORDS(rows); w++)
        log_encode_bits(full, 1, b);
    if (absent && v->form != VEC_CONST)
        log_encode_bits(v->absent, rows, b);
    for (uint32_t w = 0; absent && v->form == VEC_CONST && w < VEC_BITMAP_WORDS(rows); w++)
        log_encode_bits(full, 1, b);
    if (type_is_string(v->type))
        log_encode_strings(v, rows, b);
    else if (type_is_wide(v->type))
        log_encode_wide(v, rows, b);
    else
        log_encode_fixed(v, rows, b);
}

/* A column that is absent in every row need not be written: a reader takes it as absent. */
static bool log_all_absent(const struct vec *v, uint32_t rows)
{
    if (!v->absent)
        return false;
    if (v->form == VEC_CONST)
        return v->absent[0] & 1;
    for (uint32_t i = 0; i < rows; i++)
        if (!vec_bit(v->absent, i))
            return false;
    return true;
}

static void log_encode_head(const struct table *t, enum row_op op, uint32_t rows, struct buf *b)
{
    buf_u64(b, t ? t->id : 0);
    buf_u32(b, t ? t->version : 0);
    buf_u8(b, (uint8_t)op);
    buf_u8(b, 0);
    buf_u16(b, 0);
    buf_u64(b, 0); /* row id base, known at commit */
    buf_u32(b, rows);
    buf_u32(b, 0); /* columns */
    buf_u64(b, 0); /* bytes after this head */
}

void log_encode_range(const struct table *t, const struct range *r, struct buf *b)
{
    size_t start = b->len;

    log_encode_head(t, ROW_RANGE, 0, b);
    range_print(r, b);
    if (!b->failed)
        le_put64(b->data + start + 32, b->len - start - LOG_BATCH_HEAD);
}

void log_encode_catalog(const struct buf *json, struct buf *b)
{
    size_t start = b->len;

    log_encode_head(NULL, ROW_CATALOG, 0, b);
    buf_append(b, json->data, json->len);
    if (!b->failed)
        le_put64(b->data + start + 32, b->len - start - LOG_BATCH_HEAD);
}

void log_encode_batch(const struct table *t,
                      const struct vec *cols,
                      const int64_t *rowids,
                      uint32_t rows,
                      enum row_op op,
                      struct buf *b)
{
    size_t start = b->len;
    uint32_t count = 0;

    log_encode_head(t, op, rows, b);
    for (uint16_t c = 0; c < t->columns_count; c++) {
        if (op == ROW_PATCH && log_all_absent(&cols[c], rows))
            continue;
        log_encode_col(t->columns[c].id, &cols[c], rows, b);
        count++;
    }
    if (rowids) {
        struct vec v = {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = rows, .data = rowids};
        log_encode_col(HIDDEN_ID_BASE + HIDDEN_ROWID, &v, rows, b);
        count++;
    }
    if (b->failed)
        return;
    le_put32(b->data + start + 28, count);
    le_put64(b->data + start + 32, b->len - start - LOG_BATCH_HEAD);
}

void log_encode_expiry(
    struct buf *b, size_t batch, const int64_t *expiries, int64_t expiry_ns, uint32_t rows)
{
    const struct vec v = {.type = TYPE_BIGINT,
                          .form = expiries ? VEC_FLAT : VEC_CONST,
                          .count = rows,
                          .data = expiries ? expiries : &expiry_ns};

    log_encode_col(HIDDEN_ID_BASE + HIDDEN_EXPIRY, &v, rows, b);
    if (b->failed)
        return;
    b->data[batch + LOG_BATCH_FLAGS] |= LOG_BATCH_EXPIRES;
    le_put32(b->data + batch + LOG_BATCH_COLS, le_get32(b->data + batch + LOG_BATCH_COLS) + 1);
    le_put64(b->data + batch + LOG_BATCH_LEN, b->len - batch - LOG_BATCH_HEAD);
}

void log_frame_begin(struct buf *b, size_t *ret_frame)
{
    *ret_frame = b->len;
    (void)buf_extend(b, LOG_FRAME_HEAD);
}

void log_frame_commit(struct buf *b,
                      uint64_t seq,
                      const struct buf *batches,
                      const uint64_t *rowid_bases,
                      uint32_t count)
{
    size_t at;
    size_t start;

    buf_u64(b, seq);
    buf_u32(b, count);
    buf_u32(b, 0);
    start = b->len;
    buf_append(b, batches->data, batches->len);
    if (b->failed)
        return;
    at = start;
    for (uint32_t i = 0; i < count; i++) {
        DN_ASSERT(at + LOG_BATCH_HEAD <= b->len);
        le_put64(b->data + at + LOG_BATCH_ROWID, rowid_bases[i]);
        at += LOG_BATCH_HEAD + le_get64(b->data + at + 32);
    }
    DN_ASSERT(at == b->len);
}

/* The lowest version that has all that is in a frame: releases before it read the others. */
static uint16_t log_frame_version(const uint8_t *frame, size_t len)
{
    size_t at = LOG_FRAME_HEAD;
    uint16_t version = 1;

    while (at < len) {
        uint32_t batches = le_get32(frame + at + 8);
        at += LOG_COMMIT_HEAD;
        for (uint32_t i = 0; i < batches; i++) {
            if (frame[at + LOG_BATCH_FLAGS] & LOG_BATCH_EXPIRES)
                return LOG_FORMAT;
            if (frame[at + LOG_BATCH_OP] == ROW_CATALOG)
                version = 3;
            else if (frame[at + LOG_BATCH_OP] == ROW_RANGE && version < 2)
                version = 2;
            at += LOG_BATCH_HEAD + (size_t)le_get64(frame + at + 32);
        }
    }
    return version;
}

void log_frame_end(
    struct buf *b, size_t frame, uint64_t epoch, uint64_t seq_first, uint64_t durable)
{
    uint8_t *p;
    size_t len;

    if (b->failed)
        return;
    p = b->data + frame;
    len = b->len - frame;
    if (len - LOG_FRAME_HEAD > UINT32_MAX) {
        b->failed = true;
        return;
    }
    le_put32(p, LOG_MAGIC);
    le_put16(p + 4, log_frame_version(p, len));
    le_put16(p + 6, 0);
    le_put64(p + 8, epoch);
    le_put64(p + 16, seq_first);
    le_put64(p + 24, durable);
    le_put32(p + 32, (uint32_t)(len - LOG_FRAME_HEAD));
    le_put32(p + 36, 0);
    le_put64(p + 40, log_frame_checksum(p, len));
}
