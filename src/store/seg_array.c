/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_array.c: the footer's arrays. An array of n values is cut into vectors of 1024 (the last may
 * be shorter), each written as codec id (1 byte), length (varint) and the bytes of codec_encode.
 * The number n is never written with the array; it follows from the counts at the head of the
 * footer. */
#include "store/seg_array.h"
#include "codec/codec.h"

int seg_put_encoded(const struct vec *v, struct arena *scratch, struct buf *b, struct dn_err *err)
{
    struct buf bytes;
    unsigned codec = 0;
    int rc;

    buf_init(&bytes, b->owner);
    arena_reset(scratch);
    rc = codec_encode(v, scratch, &bytes, &codec, err);
    if (rc == 0) {
        buf_u8(b, (uint8_t)codec);
        buf_bytes(b, bytes.data, bytes.len);
        if (b->failed)
            rc = DN_FAIL_NOMEM(err);
    }
    buf_done(&bytes);
    return rc;
}

int seg_put_array(const struct colbuf *c, struct arena *scratch, struct buf *b, struct dn_err *err)
{
    for (uint32_t i = 0; i < c->count; i += SEG_VECTOR_ROWS) {
        uint32_t n = c->count - i < SEG_VECTOR_ROWS ? c->count - i : SEG_VECTOR_ROWS;
        struct vec v = colbuf_vec(c, i, n);
        int rc = seg_put_encoded(&v, scratch, b, err);

        if (rc < 0)
            return rc;
    }
    return 0;
}

int seg_get_encoded(struct seg_parse *p,
                    enum type_id type,
                    uint32_t count,
                    struct arena *arena,
                    struct vec *ret,
                    struct dn_err *err)
{
    unsigned long long at = SEG_PARSE_AT(p);
    unsigned codec = rd_u8(&p->rd);
    size_t len = 0;
    const uint8_t *bytes = rd_blob(&p->rd, &len);
    struct codec_src src;
    int rc;

    DN_CHECK_DISK(!p->rd.bad, err, "%s: footer cut short at offset %llu", p->name, at);
    DN_CHECK_DISK(codec_ops_by_id(codec),
                  err,
                  "%s: unknown codec %u in the footer at offset %llu",
                  p->name,
                  codec,
                  at);
    src = (struct codec_src){.codec = codec, .type = type, .count = count, .p = bytes, .n = len};
    rc = codec_decode(&src, arena, ret, err);
    if (rc < 0)
        dn_err_prefix(err, "%s: footer at offset %llu", p->name, at);
    return rc;
}

/* A vector of an array whose rows may or may not be NULL, never absent. */
static int seg_get_part(struct seg_parse *p,
                        enum type_id type,
                        uint32_t count,
                        bool nulls_fine,
                        struct arena *arena,
                        struct vec *ret,
                        struct dn_err *err)
{
    unsigned long long at = SEG_PARSE_AT(p);
    int rc = seg_get_encoded(p, type, count, arena, ret, err);

    if (rc < 0)
        return rc;
    DN_CHECK_DISK(!ret->absent && (nulls_fine || !ret->nulls),
                  err,
                  "%s: a NULL in the footer at offset %llu where none may be",
                  p->name,
                  at);
    return 0;
}

static uint32_t seg_part_rows(uint32_t n, uint32_t i)
{
    return n - i < SEG_VECTOR_ROWS ? n - i : SEG_VECTOR_ROWS;
}

int seg_get_fixed(struct seg_parse *p,
                  enum type_id type,
                  uint32_t n,
                  union vfixed *ret,
                  uint8_t *nulls,
                  struct dn_err *err)
{
    bool floats = type_is_float(type);

    for (uint32_t i = 0; i < n; i += SEG_VECTOR_ROWS) {
        uint32_t rows = seg_part_rows(n, i);
        struct vec v;
        int rc;

        arena_reset(&p->scratch);
        rc = seg_get_part(p, type, rows, nulls != NULL, &p->scratch, &v, err);
        if (rc < 0)
            return rc;
        if (v.form == VEC_FLAT && !v.nulls && phys_size(type_phys(type)) == sizeof *ret) {
            memcpy(ret + i, v.data, rows * sizeof *ret);
            if (nulls)
                memset(nulls + i, 0, rows);
            continue;
        }
        for (uint32_t k = 0; k < rows; k++) {
            bool null = vec_is_null(&v, k);

            if (nulls)
                nulls[i + k] = null;
            if (null)
                ret[i + k].i64 = 0;
            else if (floats)
                ret[i + k].f64 = vec_f64(&v, k);
            else
                ret[i + k].i64 = vec_i64(&v, k);
        }
    }
    return 0;
}

int seg_get_u32s(struct seg_parse *p,
                 const struct seg_range *range,
                 enum type_id type,
                 uint32_t n,
                 uint32_t *ret,
                 struct dn_err *err)
{
    for (uint32_t i = 0; i < n; i += SEG_VECTOR_ROWS) {
        unsigned long long at = SEG_PARSE_AT(p);
        uint32_t rows = seg_part_rows(n, i);
        struct vec v;
        int rc;

        arena_reset(&p->scratch);
        rc = seg_get_part(p, type, rows, false, &p->scratch, &v, err);
        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < rows; k++) {
            int64_t x = vec_i64(&v, k);

            DN_CHECK_DISK(x >= range->min && x <= range->max,
                          err,
                          "%s: %s %lld in the footer at offset %llu, not in %lld to %lld",
                          p->name,
                          range->what,
                          (long long)x,
                          at,
                          (long long)range->min,
                          (long long)range->max);
            ret[i + k] = (uint32_t)x;
        }
    }
    return 0;
}

int seg_get_strs(
    struct seg_parse *p, uint32_t n, struct vstr *ret, uint8_t *nulls, struct dn_err *err)
{
    for (uint32_t i = 0; i < n; i += SEG_VECTOR_ROWS) {
        uint32_t rows = seg_part_rows(n, i);
        struct vec v;
        int rc = seg_get_part(p, TYPE_BLOB, rows, true, p->arena, &v, err);

        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < rows; k++) {
            nulls[i + k] = vec_is_null(&v, k);
            ret[i + k] = nulls[i + k] ? (struct vstr){"", 0} : vec_str(&v, k);
        }
    }
    return 0;
}
