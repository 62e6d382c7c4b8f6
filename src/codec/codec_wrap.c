/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_wrap.c: see codec_wrap.h. */
#include "codec/codec_wrap.h"

static size_t codec_wrap_max(enum phys phys)
{
    return phys == PHYS_STR ? CODEC_WRAP_MAX : CODEC_WRAP_MAX_FIXED;
}

static size_t codec_wrap_min(enum phys phys)
{
    return phys == PHYS_STR ? CODEC_WRAP_MIN : CODEC_WRAP_MIN_FIXED;
}

/* Encodes the bytes within to scratch. False: out of memory. */
static bool codec_wrap_inner(const struct codec_in *in)
{
    struct codec_work *work = in->work;
    struct buf b;

    if (work->inner_p)
        return true;
    buf_init(&b, in->scratch->owner);
    codec_ops_by_id(work->inner)->encode(in, &b);
    DN_ASSERT(b.failed || b.len == work->inner_n);
    if (!b.failed)
        work->inner_p = arena_dup(in->scratch, b.data, b.len);
    buf_done(&b);
    return work->inner_p != NULL;
}

/* Are some bytes so much more frequent than others that these could be halved without a look at
 * what repeats? Two bytes drawn from the first thousands are then the same in one of twelve cases
 * or more. */
static bool codec_wrap_uneven(const uint8_t *p, size_t n)
{
    uint32_t times[256] = {0};
    uint64_t pairs = 0;

    n = n < 4096 ? n : 4096;
    for (size_t i = 0; i < n; i++)
        times[p[i]]++;
    for (unsigned i = 0; i < 256; i++)
        pairs += (uint64_t)times[i] * times[i];
    return pairs * 12 >= (uint64_t)n * n;
}

size_t codec_wrap_size(const struct codec_in *in, const struct codec_squeezer *lib, size_t limit)
{
    struct codec_work *work = in->work;
    bool insist = limit == SIZE_MAX;
    uint8_t *to;
    size_t cap;
    size_t head;
    ptrdiff_t n;

    head = 1 + codec_varint_size(work->inner_n);
    if (work->inner_n > codec_wrap_max(in->phys) || work->inner_n == 0 || limit <= head ||
        (!insist && work->inner_n < codec_wrap_min(in->phys)))
        return SIZE_MAX;
    if (!insist && lib->slow && !work->wrapped && in->phys != PHYS_STR)
        return SIZE_MAX;
    if (work->nomem || !codec_wrap_inner(in)) {
        work->nomem = true;
        return SIZE_MAX;
    }
    if (!insist && lib->slow && !work->wrapped && !codec_wrap_uneven(work->inner_p, work->inner_n))
        return SIZE_MAX;
    cap = lib->bound(work->inner_n);
    cap = cap < limit - head ? cap : limit - head; /* no need to go on beyond */
    to = arena_alloc(in->scratch, cap);
    if (!to) {
        work->nomem = true;
        return SIZE_MAX;
    }
    n = lib->squeeze(in->scratch->owner, work->inner_p, work->inner_n, to, cap);
    if (n <= 0 || head + (size_t)n >= limit) {
        work->nomem |= n < 0;
        return SIZE_MAX;
    }
    work->wrapped = to;
    work->wrapped_n = (size_t)n;
    return head + (size_t)n;
}

void codec_wrap_encode(const struct codec_in *in, struct buf *b)
{
    buf_u8(b, (uint8_t)in->work->inner);
    buf_varint(b, in->work->inner_n);
    buf_append(b, in->work->wrapped, in->work->wrapped_n);
}

int codec_wrap_decode(const struct codec_part *part,
                      const struct codec_squeezer *lib,
                      struct arena *arena,
                      struct vec *ret,
                      struct dn_err *err)
{
    struct rd r = rd_make(part->p, part->n);
    unsigned id = rd_u8(&r);
    uint64_t size = rd_varint(&r);
    const struct codec_ops *ops = codec_ops_by_id(id);
    struct codec_part inner = {.phys = part->phys, .count = part->count};
    uint8_t *to;
    int rc;

    DN_CHECK_DISK(!r.bad, err, "vector: bad head of compressed bytes");
    DN_CHECK_DISK(
        ops && ops->stage != CODEC_WRAPS, err, "vector: codec %u within compressed bytes", id);
    DN_CHECK_DISK(size >= 1 && size <= codec_wrap_max(part->phys),
                  err,
                  "vector: compressed bytes of %llu",
                  (unsigned long long)size);
    to = arena_alloc(arena, size);
    if (!to)
        return DN_FAIL_NOMEM(err);
    rc = lib->expand(arena->owner, r.p, rd_left(&r), to, size);
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    DN_CHECK_DISK(rc == 0, err, "vector: compressed bytes are broken");
    inner.p = to;
    inner.n = size;
    return ops->decode(&inner, arena, ret, err);
}
