/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kin_decode.c: kin frames read, see codec_kin.h. Codes and seeds are unpacked to where their
 * rows are, odd rows get what they have beyond the width of the others, then differences become
 * values in place: each row adds that of its kin. In which order depends on who is kin to whom:
 * turn by turn, stretch by stretch, or row by row. Where all differences are the same there is
 * nothing to unpack but seeds.
 *
 * Reading a head checks all there is to check: what follows from it stays within the frame's bytes
 * and rows, whatever the codes are. */
#include "codec/codec_kin.h"

#include "codec/codec_ans.h"

/* The odd rows, which must rise; seeds are none but in a chain. The head is otherwise read. */
static int codec_kin_get_odd(const uint8_t *packed, struct codec_kin_frame *f, struct dn_err *err)
{
    uint32_t next = 0; /* no row before it */

    bitpack_unpack16(packed, f->odd, CODEC_KIN_ROW_BITS, f->odd_rows);
    for (uint32_t i = 0; i < f->odd; i++) {
        uint32_t row = f->odd_rows[i];

        DN_CHECK_DISK(row >= next && row < f->kin->count && (f->chain || f->kin->of[row]),
                      err,
                      "vector: odd difference %u is that of row %u",
                      i,
                      row);
        next = row + 1;
    }
    return 0;
}

int codec_kin_get(struct rd *r,
                  const struct codec_kin *kin,
                  uint32_t size,
                  bool ans,
                  struct codec_kin_frame *ret,
                  struct dn_err *err)
{
    unsigned width = rd_u8(r);
    unsigned flags = rd_u8(r);
    unsigned tall = flags & ~CODEC_KIN_CHAIN;
    bool chain = flags & CODEC_KIN_CHAIN;
    int64_t least = codec_unzigzag(rd_varint(r));
    int64_t seed_least = codec_unzigzag(rd_varint(r));
    uint64_t odd = rd_varint(r);
    const uint8_t *odd_rows = NULL;

    ret->kin = kin;
    ret->width = width;
    ret->tall = tall;
    ret->ans = ans;
    ret->chain = chain;
    ret->size = size;
    ret->least = (uint64_t)least;
    ret->seed_least = (uint64_t)seed_least;
    ret->odd_width = 0;
    ret->odd_highs = NULL;
    ret->codes = NULL;
    DN_CHECK_DISK(!r->bad, err, "vector: bad head of differences to kin");
    DN_CHECK_DISK(width <= 8 * size && tall + (ans ? 0 : width) <= 8 * size && !(ans && chain),
                  err,
                  "vector: kin of %u + %u bits",
                  width,
                  tall);
    DN_CHECK_DISK(codec_fits(least, size) && codec_fits(seed_least, size),
                  err,
                  "vector: a number in the head of differences to kin is out of range");
    DN_CHECK_DISK(odd <= kin->count,
                  err,
                  "vector: %llu odd differences in %u rows",
                  (unsigned long long)odd,
                  kin->count);
    ret->odd = (uint32_t)odd;
    if (odd) {
        ret->odd_width = rd_u8(r);
        DN_CHECK_DISK(ret->odd_width <= 64, err, "vector: odd bits of %u bits", ret->odd_width);
        odd_rows = rd_bytes(r, bitpack_size(ret->odd, CODEC_KIN_ROW_BITS));
        ret->odd_highs = rd_bytes(r, bitpack_size(ret->odd, ret->odd_width));
    }
    ret->seed_highs = rd_bytes(r, bitpack_size(kin->seeds, tall));
    if (!ans)
        ret->codes = rd_bytes(r, bitpack_size(kin->count, width));
    DN_CHECK_DISK(!r->bad, err, "vector: differences to kin cut short");
    if (ans && kin->seeds < kin->count) {
        int rc = codec_ans_get(r, kin->count - kin->seeds, width, ret->symbols, err);

        if (rc < 0)
            return rc;
    }
    return odd ? codec_kin_get_odd(odd_rows, ret, err) : 0;
}

/* Adds what odd rows have beyond the width of the others. */
static void codec_kin_add_odd(const struct codec_kin_frame *f, uint64_t *to)
{
    union bitpack_lanes lanes;

    if (f->odd == 0 || f->width == 64)
        return;
    bitpack_unpack(f->odd_highs, f->odd, f->odd_width, &lanes);
    for (uint32_t i = 0; i < f->odd; i++) {
        uint64_t high = (uint64_t)codec_unzigzag(bitpack_lane(&lanes, f->odd_width, i));

        to[f->odd_rows[i]] += high << f->width;
    }
}

/* Seeds become values; to[] has least + code under them. */
static void codec_kin_seeds(const struct codec_kin_frame *f, uint64_t *to)
{
    const struct codec_kin *kin = f->kin;
    uint64_t base = f->seed_least - f->least;
    union bitpack_lanes lanes;

    if (f->tall)
        bitpack_unpack(f->seed_highs, kin->seeds, f->tall, &lanes);
    for (uint32_t i = 0; i < kin->seeds; i++) {
        uint64_t *seed = &to[kin->seed_rows[i]];

        *seed += base;
        if (f->tall)
            *seed += bitpack_lane(&lanes, f->tall, i) << (f->ans ? 0 : f->width);
        if (f->chain)
            base = *seed - f->least;
    }
}

/* The seeds where codes have no bits and none is odd. */
static void codec_kin_bare_seeds(const struct codec_kin_frame *f, uint64_t seeds[VEC_ROWS_MAX])
{
    const struct codec_kin *kin = f->kin;
    uint64_t base = f->seed_least;
    union bitpack_lanes lanes;

    bitpack_unpack(f->seed_highs, kin->seeds, f->tall, &lanes);
    if (!f->chain && f->size == 8) {
        struct codec_codes codes = {&lanes, f->tall, kin->seeds};

        codec_kernels()->widen(&codes, base, 8, seeds);
        return;
    }
    for (uint32_t i = 0; i < kin->seeds; i++) {
        uint64_t v = base + bitpack_lane(&lanes, f->tall, i);

        seeds[i] = (uint64_t)codec_narrow(v, f->size);
        if (f->chain)
            base = v;
    }
}

bool codec_kin_flat(const struct codec_kin_frame *f, uint64_t seeds[VEC_ROWS_MAX])
{
    if (f->ans || f->width || f->least || f->odd)
        return false;
    codec_kin_bare_seeds(f, seeds);
    return true;
}

/* Differences become values where rows take turns: those of a turn do not wait for each other. */
static void codec_kin_sum_turns(uint32_t turn, uint32_t count, uint64_t *to)
{
    for (uint32_t i = turn; i < count; i += turn) {
        uint32_t rows = turn < count - i ? turn : count - i;
        const uint64_t *restrict before = to + i - turn;
        uint64_t *restrict now = to + i;

        for (uint32_t k = 0; k < rows; k++)
            now[k] += before[k];
    }
}

/* Symbols to their rows; seeds have none. */
static void codec_kin_spread(const struct codec_kin_frame *f, uint64_t *to)
{
    const struct codec_kin *kin = f->kin;
    uint32_t at = 0;

    for (uint32_t i = 0; i < kin->count; i++) {
        bool has = kin->of[i] != 0;

        to[i] = f->least + (has ? f->symbols[at] : 0);
        at += has;
    }
}

/* Values that are those of their seeds. */
static void codec_kin_same(const struct codec_kin *kin, const uint64_t *seeds, uint64_t *to)
{
    for (uint32_t i = 0; i < kin->count && !kin->stretches; i++)
        to[i] = seeds[kin->seed_of[i]];
    for (uint32_t k = 0; k < kin->stretches; k++) {
        uint64_t v = seeds[kin->seed_of[k]];
        uint32_t end = codec_kin_end(kin, k);
        uint32_t row = kin->starts[k];

        for (; row < end && row + 4 <= kin->count; row += 4)
            to[row] = to[row + 1] = to[row + 2] = to[row + 3] = v; /* as above */
        for (; row < end; row++)
            to[row] = v;
    }
}

/* What odd rows have beyond the width of the others. */
static void codec_kin_highs(const struct codec_kin_frame *f, uint64_t highs[VEC_ROWS_MAX])
{
    union bitpack_lanes lanes;

    bitpack_unpack(f->odd_highs, f->odd, f->odd_width, &lanes);
    for (uint32_t i = 0; i < f->odd; i++)
        highs[i] = (uint64_t)codec_unzigzag(bitpack_lane(&lanes, f->odd_width, i)) << f->width;
}

/* The seeds; lanes have the codes, of 16 bits at most. */
static void codec_kin_seeds_of_lanes(const struct codec_kin_frame *f,
                                     const union bitpack_lanes *codes,
                                     const uint64_t *highs,
                                     uint64_t *restrict seeds)
{
    const struct codec_kin *kin = f->kin;
    uint64_t base = f->seed_least;
    uint64_t first = f->chain ? 0 : base;
    union bitpack_lanes lanes;
    struct codec_codes highs_codes = {&lanes, f->tall, kin->seeds};
    uint32_t odd = 0;

    bitpack_unpack(f->seed_highs, kin->seeds, f->tall, &lanes);
    codec_kernels()->widen(&highs_codes, 0, 8, seeds);
    for (uint32_t i = 0; i < kin->seeds && f->width <= 8; i++)
        seeds[i] = first + (seeds[i] << f->width) + codes->u8[kin->seed_rows[i]];
    for (uint32_t i = 0; i < kin->seeds && f->width > 8; i++)
        seeds[i] = first + (seeds[i] << f->width) + codes->u16[kin->seed_rows[i]];
    for (uint32_t i = 0; i < kin->seeds && f->chain; i++) {
        while (odd < f->odd && f->odd_rows[odd] < kin->seed_rows[i])
            odd++;
        if (odd < f->odd && f->odd_rows[odd] == kin->seed_rows[i])
            base += highs[odd];
        seeds[i] = base += seeds[i];
    }
}

/* Are all odd rows seeds? */
static bool codec_kin_odd_seeds(const struct codec_kin_frame *f)
{
    for (uint32_t i = 0; i < f->odd; i++)
        if (f->kin->of[f->odd_rows[i]])
            return false;
    return true;
}

/* Adds it to the values of odd rows that are no seeds, and to those behind them in their stretch,
 * each of which is a line of kin. */
static void
codec_kin_raise_odd(const struct codec_kin_frame *f, const uint64_t *highs, uint64_t *to)
{
    const struct codec_kin *kin = f->kin;
    uint32_t stretch = 0;

    for (uint32_t i = 0; i < f->odd; i++) {
        while (codec_kin_end(kin, stretch) <= f->odd_rows[i])
            stretch++;
        if (f->odd_rows[i] == kin->starts[stretch])
            continue;
        for (uint32_t row = f->odd_rows[i]; row < codec_kin_end(kin, stretch); row++)
            to[row] += highs[i];
    }
}

/* Values of stretches; the kin frame has no symbols. */
static void codec_kin_sum_stretches(const struct codec_kin_frame *f, uint64_t *to)
{
    const struct codec_kin *kin = f->kin;
    uint64_t seeds[VEC_ROWS_MAX];
    uint64_t highs[VEC_ROWS_MAX];
    union bitpack_lanes lanes;
    struct codec_codes codes = {&lanes, f->width, kin->count};
    struct codec_stretches s = {kin, seeds, f->least};

    bitpack_unpack(f->codes, kin->count, f->width, &lanes);
    if (f->odd)
        codec_kin_highs(f, highs);
    codec_kin_seeds_of_lanes(f, &lanes, highs, seeds);
    if (f->width == 0 && codec_kin_odd_seeds(f)) {
        codec_kernels()->steps(&s, to);
        return;
    }
    codec_kernels()->stretches(&codes, &s, to);
    if (f->odd)
        codec_kin_raise_odd(f, highs, to);
}

/* May codec_kin_sum_stretches be taken? */
static bool codec_kin_by_stretches(const struct codec_kin_frame *f)
{
    const struct codec_kin *kin = f->kin;

    return kin->stretches && f->width <= CODEC_STRETCHES_WIDTH && !f->ans &&
           (!f->odd || kin->seeds == kin->stretches);
}

/* Differences, and seeds among them, become values in place; stretch by stretch. */
static void codec_kin_sum_wide(const struct codec_kin *kin, uint64_t *to)
{
    for (uint32_t k = 0; k < kin->stretches; k++) {
        uint32_t row = kin->starts[k];
        uint64_t *at = to + row;
        uint64_t *end = to + codec_kin_end(kin, k);
        uint64_t v = kin->of[row] ? to[kin->of[row] - 1] : 0;

        for (; end - at >= 4; at += 4) { /* four of them wait for one sum */
            uint64_t two = at[0] + at[1];
            uint64_t three = two + at[2];
            uint64_t four = three + at[3];

            at[0] += v;
            at[1] = v + two;
            at[2] = v + three;
            at[3] = v += four;
        }
        for (; at < end; at++)
            *at = v += *at;
    }
}

/* The same row by row. */
static void codec_kin_sum_rows(const struct codec_kin *kin, uint64_t *to)
{
    uint64_t values[VEC_ROWS_MAX + 1]; /* the first is 0: the kin of seeds */
    uint64_t v = 0;

    values[0] = 0;
    for (uint32_t i = 0; i < kin->count; i++) {
        if (kin->of[i] != i) /* else the row before: no wait until what was just stored is loaded */
            v = values[kin->of[i]];
        v += to[i];
        values[i + 1] = v;
    }
    memcpy(to, values + 1, kin->count * sizeof *to);
}

/* Values that are longer than their type, modulo 2^bits. */
static void codec_kin_narrow(const struct codec_kin_frame *f, uint64_t *to)
{
    unsigned shift = 64 - 8 * f->size;

    for (uint32_t i = 0; shift && i < f->kin->count; i++)
        to[i] = (uint64_t)((int64_t)(to[i] << shift) >> shift);
}

void codec_kin_unpack(const struct codec_kin_frame *f, uint64_t to[VEC_ROWS_MAX])
{
    const struct codec_kin *kin = f->kin;
    uint64_t seeds[VEC_ROWS_MAX];
    union bitpack_lanes lanes;
    struct codec_codes codes = {&lanes, f->width, kin->count};

    if (codec_kin_flat(f, seeds)) {
        codec_kin_same(kin, seeds, to);
        return;
    }
    if (codec_kin_by_stretches(f)) {
        codec_kin_sum_stretches(f, to);
        codec_kin_narrow(f, to);
        return;
    }
    if (f->ans) {
        codec_kin_spread(f, to);
    } else {
        bitpack_unpack(f->codes, kin->count, f->width, &lanes);
        codec_kernels()->widen(&codes, f->least, 8, to);
    }
    codec_kin_add_odd(f, to);
    codec_kin_seeds(f, to);
    if (kin->stretches)
        codec_kin_sum_wide(kin, to);
    else if (kin->turn)
        codec_kin_sum_turns(kin->turn, kin->count, to);
    else
        codec_kin_sum_rows(kin, to);
    codec_kin_narrow(f, to);
}

int64_t codec_kin_at(const struct codec_kin_frame *f, uint32_t row)
{
    const struct codec_kin *kin = f->kin;
    uint64_t sum = 0;
    uint32_t seed = 0;

    if (f->odd || f->chain || f->ans) {
        uint64_t all[VEC_ROWS_MAX];

        codec_kin_unpack(f, all);
        return (int64_t)all[row];
    }
    for (; kin->of[row]; row = kin->of[row] - 1u)
        sum += f->least + bitpack_get(f->codes, kin->count, f->width, row);
    for (uint32_t high = kin->seeds; high - seed > 1;) { /* which seed is it? */
        uint32_t mid = seed + (high - seed) / 2;

        if (kin->seed_rows[mid] <= row)
            seed = mid;
        else
            high = mid;
    }
    sum += f->seed_least + bitpack_get(f->codes, kin->count, f->width, row);
    if (f->tall)
        sum += bitpack_get(f->seed_highs, kin->seeds, f->tall, seed) << f->width;
    return codec_narrow(sum, f->size);
}
