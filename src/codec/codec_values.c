/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_values.c: value lists, see codec_int.h. */
#include "codec/codec_int.h"

struct codec_lens {
    uint32_t min;   /* bytes of the shortest string */
    unsigned width; /* bits of the greatest length - min */
    size_t total;   /* bytes of all */
};

static inline uint32_t codec_row(const uint16_t *rows, uint32_t i)
{
    return rows ? rows[i] : i;
}

static struct codec_lens
codec_lens_of(const struct codec_in *in, const uint16_t *rows, uint32_t count)
{
    const struct vstr *strs = in->data;
    struct codec_lens lens = {.min = UINT32_MAX};
    uint32_t max = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t len = strs[codec_row(rows, i)].len;
        lens.min = len < lens.min ? len : lens.min;
        max = len > max ? len : max;
        lens.total += len;
    }
    lens.width = bitpack_width(max - lens.min);
    return lens;
}

void codec_put_packed(struct buf *b, const struct codec_work *work, uint32_t count, unsigned width)
{
    uint8_t *to = buf_extend(b, bitpack_size(count, width));

    if (to)
        bitpack_pack(work->pack, count, width, to);
}

size_t codec_values_size(const struct codec_in *in, const uint16_t *rows, uint32_t count)
{
    struct codec_lens lens;

    if (in->phys != PHYS_STR)
        return (size_t)count * phys_size(in->phys);
    lens = codec_lens_of(in, rows, count);
    return 1 + codec_varint_size(lens.min) + bitpack_size(count, lens.width) + lens.total;
}

static void codec_values_put_strs(const struct codec_in *in,
                                  const uint16_t *rows,
                                  uint32_t count,
                                  struct buf *b)
{
    const struct vstr *strs = in->data;
    struct codec_lens lens = codec_lens_of(in, rows, count);
    uint8_t *to;

    buf_u8(b, (uint8_t)lens.width);
    buf_varint(b, lens.min);
    for (uint32_t i = 0; i < count; i++)
        in->work->pack[i] = strs[codec_row(rows, i)].len - lens.min;
    codec_put_packed(b, in->work, count, lens.width);
    to = buf_extend(b, lens.total);
    if (!to)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct vstr s = strs[codec_row(rows, i)];
        if (s.len)
            memcpy(to, s.ptr, s.len);
        to += s.len;
    }
}

void codec_values_put(const struct codec_in *in,
                      const uint16_t *rows,
                      uint32_t count,
                      struct buf *b)
{
    uint32_t size = phys_size(in->phys);
    uint8_t *to;

    if (in->phys == PHYS_STR) {
        codec_values_put_strs(in, rows, count, b);
        return;
    }
    to = buf_extend(b, (size_t)count * size);
    if (!to)
        return;
    if (!rows) {
        memcpy(to, in->data, (size_t)count * size);
        return;
    }
    /* Little-endian: the low bytes of the wide form are the value. Sizes known to the compiler
     * make each copy one store. */
    switch (size) {
    case 1:
        for (uint32_t i = 0; i < count; i++)
            to[i] = (uint8_t)in->wide[rows[i]];
        break;
    case 2:
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + (size_t)i * 2, &in->wide[rows[i]], 2);
        break;
    case 4:
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + (size_t)i * 4, &in->wide[rows[i]], 4);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + (size_t)i * 8, &in->wide[rows[i]], 8);
        break;
    }
}

/* A string list opened: lengths are read, their sum is checked. */
struct codec_strs {
    uint32_t lens[VEC_ROWS_MAX]; /* less the shortest */
    uint32_t min;                /* the shortest */
    const char *bytes;           /* of all */
};

static int
codec_strs_open(const struct codec_part *list, struct codec_strs *ret, struct dn_err *err)
{
    struct rd r = rd_make(list->p, list->n);
    unsigned width = rd_u8(&r);
    uint64_t min = rd_varint(&r);
    uint32_t count = list->count;
    const uint8_t *packed;
    uint64_t total = 0;
    uint32_t max = 0;

    DN_CHECK_DISK(!r.bad && min <= UINT32_MAX, err, "vector: bad head of a string list");
    DN_CHECK_DISK(width <= 32, err, "vector: string lengths of %u bits", width);
    packed = rd_bytes(&r, bitpack_size(count, width));
    DN_CHECK_DISK(packed != NULL, err, "vector: string lengths cut short");
    bitpack_unpack32(packed, count, width, ret->lens);
    for (uint32_t i = 0; i < count; i++) {
        total += ret->lens[i];
        max = ret->lens[i] > max ? ret->lens[i] : max;
    }
    total += min * count;
    DN_CHECK_DISK(max + min <= UINT32_MAX, err, "vector: a string of 4 GiB or more");
    DN_CHECK_DISK(total == rd_left(&r),
                  err,
                  "vector: %zu bytes of strings where their lengths add up to %llu",
                  rd_left(&r),
                  (unsigned long long)total);
    ret->min = (uint32_t)min;
    ret->bytes = (const char *)r.p;
    return 0;
}

static int codec_values_get_strs(const struct codec_part *list,
                                 struct arena *arena,
                                 const void **ret,
                                 struct dn_err *err)
{
    struct codec_strs in;
    struct vstr *strs;
    const char *bytes;
    int rc;

    rc = codec_strs_open(list, &in, err);
    if (rc < 0)
        return rc;
    strs = arena_alloc_array(arena, list->count, sizeof *strs);
    if (!strs)
        return DN_FAIL_NOMEM(err);
    bytes = in.bytes;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t len = in.lens[i] + in.min;
        strs[i] = (struct vstr){.ptr = bytes, .len = len};
        bytes += len;
    }
    *ret = strs;
    return 0;
}

static int codec_values_check(const struct codec_part *list, struct dn_err *err)
{
    size_t size = phys_size(list->phys);

    DN_CHECK_DISK(list->n == size * list->count,
                  err,
                  "vector: %zu bytes of values where %u of %zu bytes belong",
                  list->n,
                  list->count,
                  size);
    return 0;
}

int codec_values_get(const struct codec_part *list,
                     struct arena *arena,
                     const void **ret,
                     struct dn_err *err)
{
    int rc;

    if (list->phys == PHYS_STR)
        return codec_values_get_strs(list, arena, ret, err);
    rc = codec_values_check(list, err);
    if (rc < 0)
        return rc;
    *ret = arena_dup(arena, list->p, list->n);
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    return 0;
}

union vfixed codec_fixed(enum phys phys, const uint8_t *p)
{
    union vfixed v = {.i64 = 0};
    float f;

    switch (phys) {
    case PHYS_I8:
        v.i64 = (int8_t)p[0];
        break;
    case PHYS_I16:
        v.i64 = (int16_t)le_get16(p);
        break;
    case PHYS_I32:
        v.i64 = (int32_t)le_get32(p);
        break;
    case PHYS_F32:
        memcpy(&f, p, sizeof f);
        v.f64 = (double)f;
        break;
    case PHYS_I64:
    case PHYS_F64:
        memcpy(&v, p, sizeof v);
        break;
    case PHYS_STR:
    case PHYS_INTERVAL: /* strings here */
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return v;
}

int codec_values_at(const struct codec_part *list,
                    uint32_t i,
                    struct datum *ret,
                    struct dn_err *err)
{
    struct codec_strs in;
    int rc;

    DN_ASSERT(i < list->count);
    if (list->phys != PHYS_STR) {
        rc = codec_values_check(list, err);
        if (rc == 0)
            ret->v = codec_fixed(list->phys, list->p + (size_t)i * phys_size(list->phys));
        return rc;
    }
    rc = codec_strs_open(list, &in, err);
    if (rc < 0)
        return rc;
    for (uint32_t k = 0; k < i; k++)
        in.bytes += in.lens[k] + (size_t)in.min;
    ret->str = (struct vstr){.ptr = in.bytes, .len = in.lens[i] + in.min};
    return 0;
}

void codec_widen(enum phys phys, const void *data, uint32_t count, uint64_t *restrict wide)
{
    switch (phys) {
    case PHYS_I8:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)((const int8_t *)data)[i];
        break;
    case PHYS_I16:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)((const int16_t *)data)[i];
        break;
    case PHYS_I32:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)((const int32_t *)data)[i];
        break;
    case PHYS_F32:
        for (uint32_t i = 0; i < count; i++)
            wide[i] = ((const uint32_t *)data)[i];
        break;
    case PHYS_I64:
    case PHYS_F64:
        memcpy(wide, data, count * sizeof *wide);
        break;
    case PHYS_STR:
    case PHYS_INTERVAL: /* strings here */
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
}

void codec_cut(const uint64_t *from, uint32_t count, uint32_t size, void *to)
{
    switch (size) {
    case 1:
        for (uint32_t i = 0; i < count; i++)
            ((uint8_t *)to)[i] = (uint8_t)from[i];
        break;
    case 2:
        for (uint32_t i = 0; i < count; i++)
            ((uint16_t *)to)[i] = (uint16_t)from[i];
        break;
    case 4:
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)to)[i] = (uint32_t)from[i];
        break;
    default:
        memcpy(to, from, count * sizeof *from);
        break;
    }
}
