/* SPDX-License-Identifier: Apache-2.0
 *
 * log_read.c: reading the log; log.c has the layout. */
#include "store/log_int.h"

#include "vec/wide.h"

#include <inttypes.h>

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
                      len <= rd_left(r) && ret->rows <= LOG_ROWS_MAX &&
                      (ret->rows <= len + 1 || ret->cols_count == 0) &&
                      ret->cols_count <= TABLE_COLUMNS_MAX + 2 &&
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
        if (ret->col_ids[i] == HIDDEN_ID_BASE + HIDDEN_EXPIRY) {
            DN_CHECK_DISK(f->version > 3 && op == ROW_PUT && ret->cols[i].type == TYPE_BIGINT &&
                              !ret->cols[i].nulls && !ret->cols[i].absent,
                          err,
                          "log: bad expiries in the record at offset %zu",
                          f->offset);
            ret->expiries = ret->cols[i].data;
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
