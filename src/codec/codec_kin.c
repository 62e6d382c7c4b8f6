/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kin.c: who is kin to whom, and kin frames written, see codec_kin.h; codec_kin_decode.c
 * reads them. Codes are packed, or as codec_ans.h has them.
 *
 * A few rows may lie much further from their kin than all others; they are odd, and the bits that
 * their difference has beyond the others' stand apart. Codes of seeds hold the low bits of the
 * seed, so that they cost nothing twice. Where most seeds are the same as the seed before (the time
 * of rows that were taken at once), seeds form a chain: each is a difference to the one before. */
#include "codec/codec_kin.h"

#include "codec/codec_ans.h"

#define CODEC_KIN_SAMPLE  9u
/* Differences of more bits are never odd: they are not to overflow. */
#define CODEC_KIN_ODD_MAX ((int64_t)1 << 60)
#define CODEC_KIN_LONG    4u /* rows of a stretch on average from which stretches pay */

/* ---- who is kin to whom ---- */

void codec_kin_plain(uint32_t count, struct codec_kin *ret)
{
    ret->guide = 0;
    ret->count = count;
    ret->turn = 0; /* as a turn of one row is of no use */
    ret->seeds = 1;
    ret->seed_rows[0] = 0;
    ret->stretches = 1;
    ret->starts[0] = 0;
    ret->seed_of[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        ret->of[i] = (uint16_t)i;
}

/* Adds the rows of a block of 64 whose byte is 1. */
static uint32_t codec_kin_add_starts(const uint8_t *marks, uint32_t row, uint16_t *to, uint32_t n)
{
    uint64_t mask = 0;

    for (uint32_t k = 0; k < 64; k += 8) {
        uint64_t some; /* eight bytes to eight bits */

        memcpy(&some, marks + k, sizeof some);
        mask |= some * 0x0102040810204080u >> 56 << k;
    }
    for (; mask; mask &= mask - 1)
        to[n++] = (uint16_t)(row + (uint32_t)__builtin_ctzll(mask));
    return n;
}

/* The first rows of stretches of the same code; returns how many, 0: too many. */
static uint32_t codec_kin_starts(const uint16_t *codes, uint32_t count, uint16_t *ret)
{
    uint8_t marks[VEC_ROWS_MAX] = {1}; /* by row */
    uint32_t marked = 1;
    uint32_t n = 0;

    for (uint32_t i = 1; i < count; i++)
        marks[i] = codes[i] != codes[i - 1];
    for (uint32_t i = 1; i < count; i++)
        marked += marks[i];
    if (marked * CODEC_KIN_LONG > count)
        return 0;
    for (uint32_t i = 0; i < count; i += 64)
        n = codec_kin_add_starts(marks + i, i, ret, n);
    return n;
}

/* Who is kin to whom, given the codes of rows that begin stretches of them, or of all rows. */
struct codec_kin_lines {
    uint16_t last[VEC_ROWS_MAX]; /* per code, 1 + its last row; 0: none yet */
    uint16_t line[VEC_ROWS_MAX]; /* per code that was seen, the number of its seed */
};

/* The row's kin; the rows up to `end` have its code. */
static inline uint16_t codec_kin_line(
    struct codec_kin_lines *lines, uint16_t code, uint32_t row, uint32_t end, struct codec_kin *ret)
{
    uint16_t kin = lines->last[code];

    if (kin == 0) {
        lines->line[code] = (uint16_t)ret->seeds;
        ret->seed_rows[ret->seeds++] = (uint16_t)row;
    }
    lines->last[code] = (uint16_t)end;
    return kin;
}

/* The rows of a turn, if all codes of one follow each other again and again in the same order; the
 * last turn may be cut short. Else 0. */
static uint32_t codec_kin_turn(const uint16_t *codes, uint32_t count)
{
    uint64_t seen[VEC_BITMAP_WORDS(VEC_ROWS_MAX)] = {0};
    uint32_t turn = 1;

    while (turn < count && codes[turn] != codes[0])
        turn++;
    if (memcmp(codes, codes + turn, (count - turn) * sizeof *codes) != 0)
        return 0;
    for (uint32_t i = 0; i < turn; i++) {
        if (vec_bit(seen, codes[i]))
            return 0;
        vec_bit_set(seen, codes[i]);
    }
    return turn;
}

static void codec_kin_from_turn(uint32_t turn, uint32_t count, struct codec_kin *ret)
{
    for (uint32_t i = 0; i < turn; i++) {
        ret->of[i] = 0;
        ret->seed_of[i] = ret->seed_rows[i] = (uint16_t)i;
    }
    for (uint32_t i = turn; i < count; i++)
        ret->of[i] = (uint16_t)(i - turn + 1);
    for (uint32_t i = turn; i < count; i += turn)
        memcpy(ret->seed_of + i,
               ret->seed_of,
               (turn < count - i ? turn : count - i) * sizeof *ret->seed_of);
    ret->seeds = turn;
}

static void codec_kin_from_any(const uint16_t *codes, uint32_t count, struct codec_kin *ret)
{
    struct codec_kin_lines lines;

    memset(lines.last, 0, sizeof lines.last);
    ret->seeds = 0;
    ret->stretches = codec_kin_starts(codes, count, ret->starts);
    for (uint32_t i = 0; i < count && !ret->stretches; i++) {
        ret->of[i] = codec_kin_line(&lines, codes[i], i, i + 1, ret);
        ret->seed_of[i] = lines.line[codes[i]];
    }
    for (uint32_t i = 0; i < count && ret->stretches; i++)
        ret->of[i] = (uint16_t)i;
    for (uint32_t k = 0; k < ret->stretches; k++) {
        uint32_t row = ret->starts[k];

        ret->of[row] = codec_kin_line(&lines, codes[row], row, codec_kin_end(ret, k), ret);
        ret->seed_of[k] = lines.line[codes[row]];
    }
}

void codec_kin_from_codes(const uint16_t *codes,
                          uint32_t count,
                          uint32_t guide,
                          struct codec_kin *ret)
{
    ret->guide = guide;
    ret->count = count;
    ret->stretches = 0;
    ret->turn = codec_kin_turn(codes, count);
    if (ret->turn == 1)
        ret->turn = 0; /* one series: a stretch */
    if (ret->turn)
        codec_kin_from_turn(ret->turn, count, ret);
    else
        codec_kin_from_any(codes, count, ret);
}

void codec_kin_from_starts(
    const uint16_t *starts, uint32_t n, uint32_t count, uint32_t guide, struct codec_kin *ret)
{
    uint16_t *restrict of = ret->of;
    uint16_t *restrict seed_of = ret->seed_of;

    DN_ASSERT(n > 0 && n <= count && starts[0] == 0);
    ret->guide = guide;
    ret->count = count;
    ret->turn = 0;
    ret->seeds = n;
    ret->stretches = n * CODEC_KIN_LONG > count ? 0 : n;
    for (uint32_t i = 0; i < count; i++)
        of[i] = (uint16_t)i;
    for (uint32_t k = 0; k < n; k++)
        of[starts[k]] = 0;
    memcpy(ret->seed_rows, starts, n * sizeof *starts);
    if (ret->stretches) {
        memcpy(ret->starts, starts, n * sizeof *starts);
        for (uint32_t k = 0; k < n; k++)
            seed_of[k] = (uint16_t)k;
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t row = starts[k]; row < (k + 1 < n ? starts[k + 1] : count); row++)
            seed_of[row] = (uint16_t)k;
}

void codec_kin_ready(const struct codec_in *in)
{
    if (!in->kin)
        codec_kin_plain(in->count, &in->work->kin_plain);
}

static const struct codec_kin *codec_kin_of(const struct codec_in *in)
{
    return in->kin ? in->kin : &in->work->kin_plain;
}

size_t codec_kin_head_size(const struct codec_in *in)
{
    return codec_varint_size(codec_kin_of(in)->guide);
}

void codec_kin_head_put(const struct codec_in *in, struct buf *b)
{
    buf_varint(b, codec_kin_of(in)->guide);
}

int codec_kin_head_get(struct rd *r,
                       const struct codec_part *part,
                       struct codec_kin *plain,
                       const struct codec_kin **ret,
                       struct dn_err *err)
{
    uint64_t guide = rd_varint(r);

    DN_CHECK_DISK(!r->bad, err, "vector: bad head of differences to kin");
    if (guide == 0) {
        codec_kin_plain(part->count, plain);
        *ret = plain;
        return 0;
    }
    DN_CHECK_DISK(part->kin && part->kin->guide == guide && part->kin->count == part->count,
                  err,
                  "vector: the column of id %llu is to guide it, and does not",
                  (unsigned long long)guide);
    *ret = part->kin;
    return 0;
}

/* ---- encoding ---- */

/* Integers of rows that mean nothing become those of their kin: a difference of 0. */
static const uint64_t *codec_kin_smooth(const struct codec_in *in,
                                        const uint64_t *ints,
                                        struct codec_loose loose,
                                        uint64_t *own)
{
    const struct codec_kin *kin = codec_kin_of(in);
    uint32_t next = 0;

    if (!in->missing && loose.count == 0)
        return ints;
    for (uint32_t i = 0; i < in->count; i++) {
        bool free = in->missing && vec_bit(in->missing, i);

        if (next < loose.count && loose.rows[next] == i) {
            free = true;
            next++;
        }
        own[i] = free && kin->of[i] ? own[kin->of[i] - 1] : ints[i];
    }
    return own;
}

/* Differences of all rows with kin; under seeds that of some other row. Fills the seeds' bounds. */
static void codec_kin_diffs(const struct codec_kin *kin,
                            const uint64_t *ints,
                            struct codec_kin_plan *plan,
                            uint64_t *ret_seed_span)
{
    int64_t *diffs = plan->diffs;
    unsigned shift = 64 - 8 * plan->size;
    int64_t some = 0;
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;
    int64_t before = (int64_t)ints[kin->seed_rows[0]];
    uint64_t changes = 0;
    uint32_t seed = 0;

    for (uint32_t i = 0; i < kin->count; i++) {
        uint64_t from = kin->of[i] ? ints[kin->of[i] - 1] : 0;

        diffs[i] = (int64_t)((ints[i] - from) << shift) >> shift;
    }
    while (seed < kin->seeds && kin->seed_rows[seed] == seed)
        seed++;
    if (seed < kin->count)
        some = diffs[seed]; /* the first row with kin */
    for (uint32_t i = 0; i < kin->seeds; i++) {
        int64_t v = (int64_t)ints[kin->seed_rows[i]];

        changes += v != before;
        before = v;
        min = v < min ? v : min;
        max = v > max ? v : max;
        diffs[kin->seed_rows[i]] = some;
    }
    plan->seed_least = min;
    *ret_seed_span = (uint64_t)max - (uint64_t)min;
    /* A chain pays if an odd row for each change takes fewer bits than all seeds would. */
    plan->chain = min > -CODEC_KIN_ODD_MAX && max < CODEC_KIN_ODD_MAX &&
                  changes * (2 * CODEC_KIN_ROW_BITS + bitpack_width(*ret_seed_span)) <
                      (uint64_t)kin->seeds * bitpack_width(*ret_seed_span);
    if (plan->chain) {
        plan->seed_least = (int64_t)ints[kin->seed_rows[0]];
        *ret_seed_span = 0;
    }
}

/* What many differences may lie around: the middle one of a few. */
static int64_t codec_kin_middle(const struct codec_kin *kin, const struct codec_kin_plan *plan)
{
    int64_t some[CODEC_KIN_SAMPLE];
    uint32_t n = 0;

    for (uint32_t i = 0; i < CODEC_KIN_SAMPLE; i++) {
        int64_t d = plan->diffs[(uint64_t)i * kin->count / CODEC_KIN_SAMPLE];
        uint32_t at = n++;

        for (; at > 0 && some[at - 1] > d; at--)
            some[at] = some[at - 1];
        some[at] = d;
    }
    return some[n / 2];
}

/* Is it shorter to have some rows odd? Tries all widths below that of all differences, with as many
 * below the middle as above. *best: bits so far. */
static void codec_kin_odd(const struct codec_kin *kin,
                          unsigned seed_bits,
                          unsigned full,
                          int64_t middle,
                          struct codec_kin_plan *plan,
                          size_t *best)
{
    uint32_t wider[66] = {0}; /* rows whose difference takes so many bits, then: or more */
    uint32_t rows = kin->count - kin->seeds;

    for (uint32_t i = 0; i < kin->count; i++)
        wider[bitpack_width(codec_zigzag(plan->diffs[i] - middle))]++;
    for (unsigned w = 65; w-- > 0;)
        wider[w] += wider[w + 1];
    for (unsigned w = 0; w < full; w++) {
        uint32_t odd = wider[w + 1];
        size_t bits = (size_t)rows * w + (size_t)kin->seeds * (seed_bits > w ? seed_bits : w) + 16 +
                      (size_t)odd * (CODEC_KIN_ROW_BITS + full + 1 - w);

        if (bits >= *best)
            continue;
        *best = bits;
        plan->width = w;
        plan->least = middle - (w ? (int64_t)1 << (w - 1) : 0);
        plan->odd = odd;
    }
}

/* Least and width of the codes, given those of all differences. */
static void
codec_kin_widths(const struct codec_kin *kin, unsigned seed_bits, struct codec_kin_plan *plan)
{
    unsigned full = plan->width;
    unsigned tall = seed_bits > full ? seed_bits : full;
    size_t best = (size_t)(kin->count - kin->seeds) * full + (size_t)kin->seeds * tall;
    int64_t middle = codec_kin_middle(kin, plan);

    codec_kin_odd(kin, seed_bits, full, 0, plan, &best);
    if (middle)
        codec_kin_odd(kin, seed_bits, full, middle, plan, &best);
}

/* By how much a seed, not the first, is greater than the one before. */
static int64_t
codec_kin_step(const struct codec_kin *kin, const struct codec_kin_plan *plan, uint32_t seed)
{
    return (int64_t)(plan->from[kin->seed_rows[seed]] - plan->from[kin->seed_rows[seed - 1]]);
}

/* The odd rows and how many bits their high parts take. */
static void codec_kin_list_odd(const struct codec_kin *kin, struct codec_kin_plan *plan)
{
    uint64_t all = 0;
    uint32_t n = 0;
    uint32_t seed = 0;

    for (uint32_t i = 0; i < kin->count; i++) {
        int64_t high = (plan->diffs[i] - plan->least) >> plan->width;

        if (seed < kin->seeds && kin->seed_rows[seed] == i) {
            high = 0;
            if (plan->chain && seed)
                high = codec_kin_step(kin, plan, seed) >> plan->width;
            seed++;
        }
        if (high == 0)
            continue;
        plan->odd_rows[n] = (uint16_t)i;
        plan->odd_highs[n] = codec_zigzag(high);
        all |= plan->odd_highs[n++];
    }
    plan->odd = n;
    plan->odd_width = bitpack_width(all);
}

/* The differences, and least and width of all of them. */
static void codec_kin_plan(const struct codec_in *in,
                           const uint64_t *ints,
                           uint32_t size,
                           struct codec_loose loose,
                           struct codec_kin_plan *plan)
{
    const struct codec_kin *kin = codec_kin_of(in);
    uint64_t seed_span;
    int64_t min;
    int64_t max;

    plan->size = size;
    plan->odd = 0;
    plan->odd_width = 0;
    plan->ans = NULL;
    plan->from = codec_kin_smooth(in, ints, loose, plan->ints);
    codec_kin_diffs(kin, plan->from, plan, &seed_span);
    plan->seed_bits = bitpack_width(seed_span);
    codec_kernels()->bounds64(plan->diffs, in->count, &min, &max);
    plan->least = min;
    plan->width = bitpack_width((uint64_t)max - (uint64_t)min);
    if (kin->seeds == kin->count)
        plan->width = 0;
    plan->may_odd = plan->width > 0 && min > -CODEC_KIN_ODD_MAX && max < CODEC_KIN_ODD_MAX;
}

/* Bytes of all but the codes. */
static size_t codec_kin_head_bytes(const struct codec_kin *kin, const struct codec_kin_plan *plan)
{
    int64_t least = codec_narrow((uint64_t)plan->least, plan->size);

    return 2 + codec_varint_size(codec_zigzag(least)) +
           codec_varint_size(codec_zigzag(plan->seed_least)) + codec_varint_size(plan->odd) +
           (plan->odd ? 1 + bitpack_size(plan->odd, CODEC_KIN_ROW_BITS) +
                            bitpack_size(plan->odd, plan->odd_width)
                      : 0) +
           bitpack_size(kin->seeds, plan->tall);
}

size_t codec_kin_size(const struct codec_in *in,
                      const uint64_t *ints,
                      uint32_t size,
                      struct codec_loose loose)
{
    const struct codec_kin *kin = codec_kin_of(in);
    struct codec_kin_plan *plan = &in->work->kin;

    codec_kin_plan(in, ints, size, loose, plan);
    if (plan->may_odd)
        codec_kin_widths(kin, plan->seed_bits, plan);
    if (plan->odd || plan->chain)
        codec_kin_list_odd(kin, plan);
    plan->tall = plan->seed_bits > plan->width ? plan->seed_bits - plan->width : 0;
    return codec_kin_head_bytes(kin, plan) + bitpack_size(in->count, plan->width);
}

/* The codes as they are planned, in symbols. */
static size_t codec_kin_symbols(const struct codec_kin *kin,
                                const struct codec_kin_plan *plan,
                                size_t limit,
                                struct codec_ans *to)
{
    uint64_t mask = plan->width ? ~(uint64_t)0 >> (64 - plan->width) : 0;
    size_t head = codec_kin_head_bytes(kin, plan);
    size_t bytes;

    to->count = 0;
    for (uint32_t i = 0; i < kin->count; i++) {
        to->ints[to->count] = ((uint64_t)plan->diffs[i] - (uint64_t)plan->least) & mask;
        to->count += kin->of[i] != 0;
    }
    bytes = head < limit ? codec_ans_encode(to, plan->width, limit - head) : SIZE_MAX;
    return bytes < SIZE_MAX ? head + bytes : SIZE_MAX;
}

size_t codec_kin_ans_size(const struct codec_in *in,
                          const uint64_t *ints,
                          uint32_t size,
                          struct codec_loose loose,
                          size_t limit)
{
    const struct codec_kin *kin = codec_kin_of(in);
    struct codec_small *small = in->work->small;
    struct codec_kin_plan *plan;
    unsigned full_width;
    int64_t full_least;
    size_t with_odd;
    size_t all;

    if (!small)
        small = in->work->small = arena_alloc(in->scratch, sizeof *small);
    if (!small) {
        in->work->nomem = true;
        return SIZE_MAX;
    }
    plan = &small->plan;
    codec_kin_plan(in, ints, size, loose, plan);
    if (plan->chain || plan->width == 0)
        return SIZE_MAX; /* there is nothing to shorten */
    plan->tall = plan->seed_bits;
    full_width = plan->width;
    full_least = plan->least;
    plan->ans = &small->ans[0];
    all = codec_kin_symbols(kin, plan, limit, &small->ans[0]);
    if (plan->may_odd)
        codec_kin_widths(kin, plan->seed_bits, plan);
    if (plan->odd == 0)
        return all;
    codec_kin_list_odd(kin, plan);
    with_odd = codec_kin_symbols(kin, plan, all < limit ? all : limit, &small->ans[1]);
    if (with_odd < all) {
        plan->ans = &small->ans[1];
        return with_odd;
    }
    plan->width = full_width;
    plan->least = full_least;
    plan->odd = 0;
    return all;
}

void codec_kin_put(const struct codec_in *in, const struct codec_kin_plan *plan, struct buf *b)
{
    const struct codec_kin *kin = codec_kin_of(in);
    uint64_t *pack = in->work->pack;
    unsigned seed_low = plan->ans ? 0 : plan->width; /* bits of a seed that its code has */
    uint64_t mask = plan->width ? ~(uint64_t)0 >> (64 - plan->width) : 0;

    buf_u8(b, (uint8_t)plan->width);
    buf_u8(b, (uint8_t)(plan->tall | (plan->chain ? CODEC_KIN_CHAIN : 0)));
    buf_varint(b, codec_zigzag(codec_narrow((uint64_t)plan->least, plan->size)));
    buf_varint(b, codec_zigzag(plan->seed_least));
    buf_varint(b, plan->odd);
    if (plan->odd) {
        buf_u8(b, (uint8_t)plan->odd_width);
        for (uint32_t i = 0; i < plan->odd; i++)
            pack[i] = plan->odd_rows[i];
        codec_put_packed(b, in->work, plan->odd, CODEC_KIN_ROW_BITS);
        memcpy(pack, plan->odd_highs, plan->odd * sizeof *pack);
        codec_put_packed(b, in->work, plan->odd, plan->odd_width);
    }
    for (uint32_t i = 0; i < kin->seeds && plan->tall; i++)
        pack[i] = (plan->from[kin->seed_rows[i]] - (uint64_t)plan->seed_least) >> seed_low;
    codec_put_packed(b, in->work, kin->seeds, plan->tall);
    if (plan->ans) {
        codec_ans_put(plan->ans, in->work, b);
        return;
    }
    for (uint32_t i = 0; i < in->count; i++)
        pack[i] = ((uint64_t)plan->diffs[i] - (uint64_t)plan->least) & mask;
    for (uint32_t i = 0; i < kin->seeds; i++) {
        uint64_t seed = plan->from[kin->seed_rows[i]] - (uint64_t)plan->seed_least;

        if (plan->chain)
            seed = i ? (uint64_t)codec_kin_step(kin, plan, i) : 0;
        pack[kin->seed_rows[i]] = seed & mask;
    }
    codec_put_packed(b, in->work, in->count, plan->width);
}
