/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame head, 48 bytes:
 *   0 magic u32   4 version u16   6 zero u16   8 epoch u64   16 first sequence u64
 *   24 durable u64   32 length of what follows the head u32   36 zero u32   40 checksum u64
 * The checksum covers bytes 0..39 and all that follows the head.
 *
 * Batch: fixed head of 40 bytes, then for each column: id u32, type u8, flags u8 (1 nulls, 2
 * absent), bitmaps, values (fixed width little-endian, or u32 lengths then bytes). */
#include "store/log.h"

#include "base/hash.h"
#include "vec/wide.h"

#include <inttypes.h>

#define LOG_MAGIC       0x474c4e44u /* "DNLG" */
#define LOG_COMMIT_HEAD 16u
#define LOG_BATCH_HEAD  40u
#define LOG_BATCH_OP    12u /* offset of the operation in the batch head */
#define LOG_BATCH_ROWID 16u /* … of rowid_base */

enum { LOG_COL_NULLS = 1, LOG_COL_ABSENT = 2 };

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

static uint64_t log_frame_checksum(const uint8_t *frame, size_t len)
{
    uint64_t head = dn_checksum64(frame, 40);

    return dn_hash64(frame + LOG_FRAME_HEAD, len - LOG_FRAME_HEAD, head);
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
            if (frame[at + LOG_BATCH_OP] == ROW_CATALOG)
                return LOG_FORMAT;
            if (frame[at + LOG_BATCH_OP] == ROW_RANGE)
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

void log_reader_init(
    struct log_reader *r, const char *name, const void *data, size_t len, bool sealed)
{
    memset(r, 0, sizeof *r);
    r->name = name;
    r->data = data;
    r->len = len;
    r->sealed = sealed;
}

/* Bytes of the good frame at an offset, 0 if there is none. */
static size_t log_frame_at(const struct log_reader *r, size_t offset)
{
    const uint8_t *p = r->data + offset;
    size_t left = r->len - offset;
    size_t len;

    if (left < LOG_FRAME_HEAD || le_get32(p) != LOG_MAGIC)
        return 0;
    len = LOG_FRAME_HEAD + (size_t)le_get32(p + 32);
    if (len > left || le_get64(p + 40) != log_frame_checksum(p, len))
        return 0;
    return len;
}

/* A good frame after `from` that knew more than `from` bytes to be durable; SIZE_MAX if none. */
static size_t log_find_witness(const struct log_reader *r, size_t from)
{
    for (size_t at = from + 1; at + LOG_FRAME_HEAD <= r->len; at++) {
        const uint8_t *hit = memchr(r->data + at, 'D', r->len - LOG_FRAME_HEAD + 1 - at);
        if (!hit)
            break;
        at = (size_t)(hit - r->data);
        if (log_frame_at(r, at) && le_get64(hit + 24) > from)
            return at;
    }
    return SIZE_MAX;
}

/* Is the rest of the chunk space that was made for appends and never used? */
static bool log_is_blank(const struct log_reader *r)
{
    for (size_t i = r->next; i < r->len; i++)
        if (r->data[i] != 0)
            return false;
    return true;
}

int log_reader_next(struct log_reader *r, struct log_frame *ret, struct dn_err *err)
{
    const uint8_t *p = r->data + r->next;
    size_t witness;
    size_t len;
    uint16_t version;

    if (r->next == r->len)
        return DN_EOF;
    len = log_frame_at(r, r->next);
    if (len == 0) {
        if (r->sealed)
            return DN_FAIL(err,
                           DN_E_CORRUPT,
                           "log %s: damaged record at offset %zu of %zu acknowledged bytes",
                           r->name,
                           r->next,
                           r->len);
        witness = log_find_witness(r, r->next);
        if (witness != SIZE_MAX)
            return DN_FAIL(err,
                           DN_E_CORRUPT,
                           "log %s: damaged record at offset %zu, which the record at offset %zu "
                           "knows to be durable",
                           r->name,
                           r->next,
                           witness);
        r->torn = !log_is_blank(r);
        return DN_EOF;
    }
    version = le_get16(p + 4);
    if (version > LOG_FORMAT)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       "log %s: format version %u, this release reads up to %u",
                       r->name,
                       version,
                       LOG_FORMAT);
    DN_CHECK_DISK(
        version > 0, err, "log %s: format version %u at offset %zu", r->name, version, r->next);
    ret->epoch = le_get64(p + 8);
    ret->seq_first = le_get64(p + 16);
    ret->version = version;
    ret->offset = r->next;
    ret->commits = rd_make(p + LOG_FRAME_HEAD, len - LOG_FRAME_HEAD);
    r->next += len;
    return DN_OK;
}

int log_commit_next(struct log_frame *f, struct log_commit *ret, struct dn_err *err)
{
    struct rd *r = &f->commits;

    if (rd_left(r) == 0)
        return DN_EOF;
    ret->seq = rd_u64(r);
    ret->batches_left = rd_u32(r);
    (void)rd_u32(r);
    DN_CHECK_DISK(!r->bad, err, "log: commit cut short in the record at offset %zu", f->offset);
    return DN_OK;
}

static const uint64_t *
log_decode_bits(struct rd *r, uint32_t rows, struct arena *arena, struct dn_err *err)
{
    size_t words = VEC_BITMAP_WORDS(rows);
    const uint8_t *p = rd_bytes(r, words * 8);
    uint64_t *bits;

    if (!p) {
        (void)DN_FAIL(err, DN_E_CORRUPT, "log: bitmap cut short");
        return NULL;
    }
    bits = arena_alloc_array(arena, words, sizeof *bits);
    if (!bits) {
        (void)DN_FAIL_NOMEM(err);
        return NULL;
    }
    for (size_t w = 0; w < words; w++)
        bits[w] = le_get64(p + w * 8);
    return bits;
}

static int log_decode_strings(
    struct rd *r, uint32_t rows, struct arena *arena, struct vec *v, struct dn_err *err)
{
    const uint8_t *lens = rd_bytes(r, (size_t)rows * 4);
    struct vstr *strs;

    DN_CHECK_DISK(lens, err, "log: string lengths cut short");
    strs = arena_alloc_array(arena, rows, sizeof *strs);
    if (!strs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t len = le_get32(lens + (size_t)i * 4);
        const uint8_t *p = rd_bytes(r, len);
        DN_CHECK_DISK(p || (len == 0 && !r->bad), err, "log: string bytes cut short");
        strs[i] = (struct vstr){.ptr = (const char *)p, .len = len};
    }
    v->data = strs;
    return DN_OK;
}

static int log_decode_fixed(
    struct rd *r, uint32_t rows, struct arena *arena, struct vec *v, struct dn_err *err)
{
    uint32_t size = phys_size(type_phys(v->type));
    const uint8_t *p = rd_bytes(r, (size_t)rows * size);
    uint8_t *data;

    DN_CHECK_DISK(p, err, "log: values cut short");
    data = arena_alloc_array(arena, rows, size);
    if (!data)
        return DN_FAIL_NOMEM(err);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(data, p, (size_t)rows * size);
#else
    for (size_t i = 0; i < (size_t)rows * size; i++)
        data[i - i % size + (size - 1 - i % size)] = p[i];
#endif
    v->data = data;
    return DN_OK;
}

static int
log_decode_wide(struct rd *r, uint32_t rows, struct arena *arena, struct vec *v, struct dn_err *err)
{
    uint32_t size = phys_size(type_phys(v->type));
    uint8_t *data = arena_calloc(arena, rows, size);

    if (!data)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rows; i++) {
        uint8_t len = rd_u8(r);
        const uint8_t *p = rd_bytes(r, len);

        DN_CHECK_DISK(p || len == 0, err, "log: values cut short");
        DN_CHECK_DISK(len ? vec_wide_get(v->type, p, len, data + (size_t)i * size)
                          : vec_bit(v->nulls, i) || vec_bit(v->absent, i),
                      err,
                      "log: bytes that are no %s",
                      type_name(v->type));
    }
    v->data = data;
    return DN_OK;
}

static int log_decode_col(struct rd *r,
                          uint32_t rows,
                          struct arena *arena,
                          uint32_t *ret_id,
                          struct vec *v,
                          struct dn_err *err)
{
    uint8_t type;
    uint8_t flags;

    memset(v, 0, sizeof *v);
    *ret_id = rd_u32(r);
    type = rd_u8(r);
    flags = rd_u8(r);
    DN_CHECK_DISK(!r->bad && type_storable(type) && flags <= 3,
                  err,
                  "log: column %u has type %u, flags %u",
                  *ret_id,
                  type,
                  flags);
    v->type = (enum type_id)type;
    v->form = VEC_FLAT;
    v->count = rows;
    if (flags & LOG_COL_NULLS) {
        v->nulls = log_decode_bits(r, rows, arena, err);
        if (!v->nulls)
            return r->bad ? DN_E_CORRUPT : DN_E_NOMEM;
    }
    if (flags & LOG_COL_ABSENT) {
        v->absent = log_decode_bits(r, rows, arena, err);
        if (!v->absent)
            return r->bad ? DN_E_CORRUPT : DN_E_NOMEM;
    }
    if (type_is_string(v->type))
        return log_decode_strings(r, rows, arena, v, err);
    if (type_is_wide(v->type))
        return log_decode_wide(r, rows, arena, v, err);
    return log_decode_fixed(r, rows, arena, v, err);
}

int log_batch_next(struct log_frame *f,
                   struct log_commit *c,
                   struct arena *arena,
                   struct log_batch *ret,
                   struct dn_err *err)
{
    struct rd *r = &f->commits;
    struct rd body;
    uint8_t op;
    uint64_t len;
    const uint8_t *p;

    if (c->batches_left == 0)
        return DN_EOF;
    memset(ret, 0, sizeof *ret);
    ret->table_id = rd_u64(r);
    ret->table_version = rd_u32(r);
    op = rd_u8(r);
    (void)rd_u8(r);
    (void)rd_u16(r);
    ret->rowid_base = rd_u64(r);
    ret->rows = rd_u32(r);
    ret->cols_count = rd_u32(r);
    len = rd_u64(r);
    DN_CHECK_DISK(!r->bad &&
                      (op < ROW_OP_MAX || (op == ROW_RANGE && f->version > 1) ||
                       (op == ROW_CATALOG && f->version > 2)) &&
                      len <= rd_left(r) && ret->rows <= LOG_ROWS_MAX && ret->rows <= len + 1 &&
                      ret->cols_count <= TABLE_COLUMNS_MAX + 1 &&
                      (op < ROW_OP_MAX || (ret->rows == 0 && ret->cols_count == 0)),
                  err,
                  "log: bad batch head in the record at offset %zu",
                  f->offset);
    ret->op = (enum row_op)op;
    p = rd_bytes(r, (size_t)len);
    body = rd_make(p, (size_t)len);
    if (op >= ROW_OP_MAX) {
        *(op == ROW_RANGE ? &ret->range : &ret->catalog) = body;
        c->batches_left--;
        return DN_OK;
    }
    ret->col_ids = arena_calloc(arena, ret->cols_count, sizeof *ret->col_ids);
    ret->cols = arena_calloc(arena, ret->cols_count, sizeof *ret->cols);
    if (!ret->col_ids || !ret->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < ret->cols_count; i++) {
        int rc = log_decode_col(&body, ret->rows, arena, &ret->col_ids[i], &ret->cols[i], err);
        if (rc < 0) {
            if (rc == DN_E_CORRUPT)
                dn_err_prefix(err, "record at offset %zu", f->offset);
            return rc;
        }
        if (ret->col_ids[i] == HIDDEN_ID_BASE + HIDDEN_ROWID) {
            DN_CHECK_DISK(ret->cols[i].type == TYPE_BIGINT && !ret->cols[i].nulls,
                          err,
                          "log: bad row ids in the record at offset %zu",
                          f->offset);
            ret->rowids = ret->cols[i].data;
        }
    }
    DN_CHECK_DISK(rd_left(&body) == 0,
                  err,
                  "log: %zu bytes left over in the record at offset %zu",
                  rd_left(&body),
                  f->offset);
    c->batches_left--;
    return DN_OK;
}
