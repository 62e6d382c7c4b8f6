/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_front.c: strings that begin as the one before (names with a number, paths, sorted keys):
 * per row how many bytes it shares with the row before, 255 at most, and the rest.
 *
 *   u8 width of shared, u8 width of rest, varint least rest,
 *   bit-packed shared bytes, bit-packed (bytes of the rest - least), the rests one after the other
 *
 * Decoding writes every string out, so the total is limited: 16 MiB. Decodes to a FLAT vector. */
#include "codec/codec_int.h"

#define CODEC_FRONT_SHARED 255u
#define CODEC_FRONT_PAD    16u
#define CODEC_FRONT_MAX    ((uint64_t)16 << 20) /* bytes of all strings */

/* How many first bytes two strings have in common, up to CODEC_FRONT_SHARED. */
static uint32_t codec_front_shared(struct vstr a, struct vstr b)
{
    uint32_t max = a.len < b.len ? a.len : b.len;
    uint32_t n = 0;

    max = max < CODEC_FRONT_SHARED ? max : CODEC_FRONT_SHARED;
    for (; n + 8 <= max; n += 8) {
        uint64_t x = le_get64(a.ptr + n) ^ le_get64(b.ptr + n);
        if (x)
            return n + (uint32_t)__builtin_ctzll(x) / 8;
    }
    while (n < max && a.ptr[n] == b.ptr[n])
        n++;
    return n;
}

static size_t codec_front_size(const struct codec_in *in, size_t limit)
{
    struct codec_front *front = &in->work->front;
    const struct vstr *strs = in->data;
    uint64_t total = 0;
    size_t size;

    if (in->phys != PHYS_STR || (in->work->runs == 1 && limit < SIZE_MAX))
        return SIZE_MAX;
    *front = (struct codec_front){.rest_min = UINT32_MAX};
    for (uint32_t i = 0; i < in->count; i++) {
        uint32_t shared = i ? codec_front_shared(strs[i - 1], strs[i]) : 0;
        uint32_t rest = strs[i].len - shared;

        front->shared[i] = (uint8_t)shared;
        front->shared_max = shared > front->shared_max ? (uint8_t)shared : front->shared_max;
        front->rest_min = rest < front->rest_min ? rest : front->rest_min;
        front->rest_max = rest > front->rest_max ? rest : front->rest_max;
        front->rest_total += rest;
        total += strs[i].len;
    }
    if (total > CODEC_FRONT_MAX)
        return SIZE_MAX;
    size = 2 + codec_varint_size(front->rest_min) +
           bitpack_size(in->count, bitpack_width(front->shared_max)) +
           bitpack_size(in->count, bitpack_width(front->rest_max - front->rest_min)) +
           front->rest_total;
    return size < limit ? size : SIZE_MAX;
}

static void codec_front_encode(const struct codec_in *in, struct buf *b)
{
    struct codec_work *work = in->work;
    const struct codec_front *front = &work->front;
    const struct vstr *strs = in->data;
    unsigned shared_width = bitpack_width(front->shared_max);
    unsigned rest_width = bitpack_width(front->rest_max - front->rest_min);
    uint8_t *to;

    buf_u8(b, (uint8_t)shared_width);
    buf_u8(b, (uint8_t)rest_width);
    buf_varint(b, front->rest_min);
    for (uint32_t i = 0; i < in->count; i++)
        work->pack[i] = front->shared[i];
    codec_put_packed(b, work, in->count, shared_width);
    for (uint32_t i = 0; i < in->count; i++)
        work->pack[i] = strs[i].len - front->shared[i] - front->rest_min;
    codec_put_packed(b, work, in->count, rest_width);
    to = buf_extend(b, front->rest_total);
    if (!to)
        return;
    for (uint32_t i = 0; i < in->count; i++) {
        uint32_t rest = strs[i].len - front->shared[i];

        if (rest)
            memcpy(to, strs[i].ptr + front->shared[i], rest);
        to += rest;
    }
}

/* Lengths, checked: no row shares more than the row before has, and the rests fill the bytes. */
struct codec_front_in {
    uint16_t shared[VEC_ROWS_MAX];
    uint32_t rest[VEC_ROWS_MAX]; /* less the least */
    uint32_t rest_min;
    uint64_t total; /* bytes of all strings */
    const uint8_t *bytes;
};

static int
codec_front_open(const struct codec_part *part, struct codec_front_in *ret, struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    unsigned shared_width = rd_u8(&r);
    unsigned rest_width = rd_u8(&r);
    uint64_t min = rd_varint(&r);
    const uint8_t *shared;
    const uint8_t *rest;
    uint64_t before = 0; /* bytes of the row before */
    uint64_t rests = 0;

    DN_CHECK_DISK(part->phys == PHYS_STR, err, "vector: shared beginnings of no strings");
    DN_CHECK_DISK(!r.bad && min <= CODEC_FRONT_MAX && shared_width <= 8 && rest_width <= 25,
                  err,
                  "vector: bad head of strings with shared beginnings");
    shared = rd_bytes(&r, bitpack_size(part->count, shared_width));
    rest = rd_bytes(&r, bitpack_size(part->count, rest_width));
    DN_CHECK_DISK(shared && rest, err, "vector: lengths of shared beginnings cut short");
    bitpack_unpack16(shared, part->count, shared_width, ret->shared);
    bitpack_unpack32(rest, part->count, rest_width, ret->rest);
    ret->rest_min = (uint32_t)min;
    ret->bytes = r.p;
    ret->total = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        DN_CHECK_DISK(ret->shared[i] <= before,
                      err,
                      "vector: row %u shares %u bytes of %llu",
                      i,
                      ret->shared[i],
                      (unsigned long long)before);
        before = ret->shared[i] + min + ret->rest[i];
        rests += min + ret->rest[i];
        ret->total += before;
    }
    DN_CHECK_DISK(rests == rd_left(&r),
                  err,
                  "vector: %zu bytes of strings where their lengths add up to %llu",
                  rd_left(&r),
                  (unsigned long long)rests);
    DN_CHECK_DISK(ret->total <= CODEC_FRONT_MAX,
                  err,
                  "vector: %llu bytes of strings with shared beginnings",
                  (unsigned long long)ret->total);
    return 0;
}

/* Short copies in steps of 16 bytes, which both sides have room for; `to` may begin where the bytes
 * end. */
static void codec_front_copy(char *to, const void *from, uint32_t n)
{
    const char *p = from;

    for (uint32_t i = 0; i < n; i += CODEC_FRONT_PAD) {
        char part[CODEC_FRONT_PAD];

        memcpy(part, p + i, CODEC_FRONT_PAD);
        memcpy(to + i, part, CODEC_FRONT_PAD);
    }
}

static int codec_front_decode(const struct codec_part *part,
                              struct arena *arena,
                              struct vec *ret,
                              struct dn_err *err)
{
    struct codec_front_in in;
    const uint8_t *from;
    struct vstr *strs;
    char *to;
    int rc;

    rc = codec_front_open(part, &in, err);
    if (rc < 0)
        return rc;
    strs = arena_alloc_array(arena, part->count, sizeof *strs);
    to = arena_alloc(arena, in.total + CODEC_FRONT_PAD);
    if (!strs || !to)
        return DN_FAIL_NOMEM(err);
    from = in.bytes;
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t shared = in.shared[i];
        uint32_t rest = in.rest_min + in.rest[i];

        if (shared) /* from row i - 1, which ends where this one begins */
            codec_front_copy(to, strs[i - 1].ptr, shared);
        if ((size_t)(part->p + part->n - from) >= rest + CODEC_FRONT_PAD)
            codec_front_copy(to + shared, from, rest);
        else
            memcpy(to + shared, from, rest);
        strs[i] = (struct vstr){.ptr = to, .len = shared + rest};
        to += shared + rest;
        from += rest;
    }
    ret->form = VEC_FLAT;
    ret->data = strs;
    return 0;
}

const struct codec_ops codec_front_ops = {
    .name = "front",
    .weight = 125,
    .stage = CODEC_COSTLY,
    .size = codec_front_size,
    .encode = codec_front_encode,
    .decode = codec_front_decode,
};
