/* SPDX-License-Identifier: Apache-2.0 */
#include "shapes.h"

#include "vec/numeric.h"

#include <string.h>

const char *const shape_names[SHAPE_MAX] = {
    "constant",
    "runs",
    "few",
    "step",
    "jitter",
    "random",
    "extreme",
    "special",
    "long",
    "level",
    "walk",
    "drift",
    "noise",
};
const char *const shape_gaps_names[GAPS_MAX] = {
    "none",
    "nulls_some",
    "nulls_all",
    "nulls_first",
    "nulls_but_one",
    "absent_some",
    "absent_all",
    "both",
    "either",
};

uint64_t shape_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Which of its values a row has: the pattern of the shape, apart from the type. */
static uint64_t shape_pick(enum shape shape, uint32_t row, uint64_t *rng, uint64_t *state)
{
    switch (shape) {
    case SHAPE_CONSTANT:
        return 1700000000000;
    case SHAPE_RUNS:
        if (*state >> 32 == 0) /* high half: rows left of the run, low half: its value */
            *state = (shape_random(rng) % 40 + 1) << 32 | (uint32_t)shape_random(rng);
        *state -= (uint64_t)1 << 32;
        return *state & UINT32_MAX;
    case SHAPE_FEW:
        return shape_random(rng) % 12 * 1000003;
    case SHAPE_STEP:
        return 1700000000000 + (uint64_t)row * 10000;
    case SHAPE_JITTER:
        *state += 10000 + shape_random(rng) % 8;
        return 1700000000000 + *state;
    case SHAPE_RANDOM:
    case SHAPE_NOISE:
        return shape_random(rng);
    case SHAPE_LEVEL:
        return 1000 + shape_random(rng) % 100;
    case SHAPE_WALK:
        *state += shape_random(rng) % 7 - 3;
        return 5000 + *state;
    case SHAPE_DRIFT: /* high bits: the step beyond 10000, low 40 bits: the value */
        *state += (shape_random(rng) % 4) << 40;
        *state += 10000 + (*state >> 40);
        return *state & (((uint64_t)1 << 40) - 1);
    case SHAPE_EXTREME:
    case SHAPE_SPECIAL:
        return shape_random(rng) % 6;
    case SHAPE_LONG:
        return shape_random(rng) % 50 ? shape_random(rng) % 100 : shape_random(rng);
    case SHAPE_MAX:
        break;
    }
    return 0;
}

static int64_t shape_int(enum shape shape, uint64_t pick, unsigned bits)
{
    int64_t max = INT64_MAX >> (64 - bits);
    const int64_t extremes[6] = {-max - 1, max, 0, -1, 1, -max};

    if (bits == 8) /* BOOLEAN */
        return shape == SHAPE_STEP ? (int64_t)(pick / 10000 & 1) : (int64_t)(pick & 1);
    if (shape == SHAPE_EXTREME || shape == SHAPE_SPECIAL)
        return extremes[pick];
    return (int64_t)(pick << (64 - bits)) >> (64 - bits);
}

static uint64_t shape_bits64(enum shape shape, uint64_t pick)
{
    static const uint64_t extremes[6] = {
        0x7ff0000000000000u,
        0xfff0000000000000u,
        0x7fefffffffffffffu,
        0xffefffffffffffffu,
        0x0000000000000001u,
        0x0010000000000000u,
    };
    static const uint64_t specials[6] = {
        0x7ff8000000000000u,
        0x7ff0000000000001u,
        0xfff8dead0000beefu,
        0x8000000000000000u,
        0x0000000000000000u,
        0x800fffffffffffffu,
    };
    double f = (double)(int64_t)pick / 100;
    uint64_t bits;

    if (shape == SHAPE_EXTREME)
        return extremes[pick];
    if (shape == SHAPE_SPECIAL)
        return specials[pick];
    if (shape == SHAPE_RANDOM)
        return pick;
    if (shape == SHAPE_NOISE)
        return (pick & 0x003fffffffffffffu) + 0x3ff0000000000000u;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t shape_bits32(enum shape shape, uint64_t pick)
{
    static const uint32_t extremes[6] = {
        0x7f800000u,
        0xff800000u,
        0x7f7fffffu,
        0xff7fffffu,
        1u,
        0x00800000u,
    };
    static const uint32_t specials[6] = {
        0x7fc00000u,
        0x7f800001u,
        0xffc0beefu,
        0x80000000u,
        0u,
        0x807fffffu,
    };
    float f = (float)(int64_t)pick / 100;
    uint32_t bits;

    if (shape == SHAPE_EXTREME)
        return extremes[pick];
    if (shape == SHAPE_SPECIAL)
        return specials[pick];
    if (shape == SHAPE_RANDOM)
        return (uint32_t)pick;
    if (shape == SHAPE_NOISE)
        return (pick & 0x01ffffffu) + 0x3f800000u;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static struct vstr shape_str(struct arena *arena, enum shape shape, uint64_t pick)
{
    static const struct vstr extremes[6] = {
        {"\0\0\0\0", 4}, {"\xff\xff\xff", 3}, {"\0", 1}, {"\xff", 1}, {"\0\xff", 2}, {"\x7f", 1}};
    static const struct vstr specials[6] = {
        {"", 0}, {"\0", 1}, {"a\0b", 3}, {"a", 1}, {"a\0", 2}, {"\xc3\xa9t\xc3\xa9", 5}};
    uint64_t rng = pick;
    uint32_t len = 0;
    char *p;

    if (shape == SHAPE_EXTREME)
        return extremes[pick];
    if (shape == SHAPE_SPECIAL)
        return specials[pick];
    if (shape == SHAPE_WALK || shape == SHAPE_DRIFT || shape == SHAPE_NOISE) {
        p = shape == SHAPE_DRIFT ? arena_printf(arena, "key_%09llu", (unsigned long long)pick / 100)
            : shape == SHAPE_WALK ? arena_printf(arena,
                                                 "%llu.%02llu;%llu.%llu;%02llu",
                                                 (unsigned long long)shape_random(&rng) % 90 + 10,
                                                 (unsigned long long)shape_random(&rng) % 100,
                                                 (unsigned long long)shape_random(&rng) % 900 + 100,
                                                 (unsigned long long)shape_random(&rng) % 10,
                                                 (unsigned long long)shape_random(&rng) % 60)
                                  : arena_printf(arena,
                                                 "12345678 is refused by the peer at port %llu",
                                                 (unsigned long long)(pick % 7 + 1));
        DN_ASSERT(p != NULL);
        for (uint32_t i = 0; i < 8 && shape == SHAPE_NOISE; i++)
            p[i] = (char)(shape_random(&rng) % 255 + 1);
        return (struct vstr){.ptr = p, .len = (uint32_t)strlen(p)};
    }
    if (shape == SHAPE_STEP || shape == SHAPE_JITTER)
        len = 13;
    else if (shape == SHAPE_LONG)
        len = pick % 10 ? (uint32_t)(pick % 40) : (uint32_t)(shape_random(&rng) % 3001);
    else
        len = (uint32_t)(shape_random(&rng) % 25);
    p = arena_alloc(arena, len);
    DN_ASSERT(p != NULL);
    for (uint32_t i = 0; i < len; i++)
        p[i] = (char)('a' + shape_random(&rng) % 26);
    return (struct vstr){.ptr = p, .len = len};
}

/* Hundredths like those of floats, but of any size and scale where all is random, and noise of
 * three scales. */
static struct vnumeric shape_num(enum shape shape, uint64_t pick)
{
    vnumeric_i128 most = (vnumeric_i128)vnumeric_pow10(VNUMERIC_DIGITS) - 1;
    const struct vnumeric extremes[6] = {vnumeric_make(most, 0),
                                         vnumeric_make(-most, VNUMERIC_SCALE_MAX),
                                         vnumeric_make(INT64_MAX, 3),
                                         vnumeric_make(INT64_MIN, 4),
                                         vnumeric_make((vnumeric_i128)INT64_MAX + 1, 5),
                                         vnumeric_make(1, VNUMERIC_SCALE_MAX)};
    const struct vnumeric specials[6] = {vnumeric_nan(),
                                         vnumeric_inf(false),
                                         vnumeric_inf(true),
                                         vnumeric_make(15, 1),
                                         vnumeric_make(150, 2),
                                         vnumeric_make(0, 9)};
    uint64_t rng = pick;

    if (shape == SHAPE_EXTREME)
        return extremes[pick];
    if (shape == SHAPE_SPECIAL)
        return specials[pick];
    if (shape == SHAPE_RANDOM)
        return vnumeric_make((vnumeric_i128)(int64_t)pick * (int64_t)(shape_random(&rng) % 1000),
                             (int)(shape_random(&rng) % 30));
    if (shape == SHAPE_NOISE)
        return vnumeric_make((int64_t)(pick >> 40), (int)(shape_random(&rng) % 3));
    return vnumeric_make((int64_t)pick, 2);
}

static void shape_value(
    struct arena *arena, enum phys phys, enum shape shape, uint64_t pick, void *data, uint32_t row)
{
    switch (phys) {
    case PHYS_I8:
        ((int8_t *)data)[row] = (int8_t)shape_int(shape, pick, 8);
        break;
    case PHYS_I16:
        ((int16_t *)data)[row] = (int16_t)shape_int(shape, pick, 16);
        break;
    case PHYS_I32:
        ((int32_t *)data)[row] = (int32_t)shape_int(shape, pick, 32);
        break;
    case PHYS_I64:
        ((int64_t *)data)[row] = shape_int(shape, pick, 64);
        break;
    case PHYS_F32:
        ((uint32_t *)data)[row] = shape_bits32(shape, pick);
        break;
    case PHYS_F64:
        ((uint64_t *)data)[row] = shape_bits64(shape, pick);
        break;
    case PHYS_STR:
        ((struct vstr *)data)[row] = shape_str(arena, shape, pick);
        break;
    case PHYS_NUMERIC:
        ((struct vnumeric *)data)[row] = shape_num(shape, pick);
        break;
    case PHYS_INTERVAL: /* strings for a codec */
    case PHYS_MAX:
        break;
    }
}

static bool shape_null(enum gaps gaps, uint32_t row, uint32_t count, uint64_t dice)
{
    switch (gaps) {
    case GAPS_NONE:
    case GAPS_ABSENT_SOME:
    case GAPS_ABSENT_ALL:
        return false;
    case GAPS_NULLS_SOME:
    case GAPS_BOTH:
        return dice % 3 == 0;
    case GAPS_NULLS_ALL:
        return true;
    case GAPS_NULLS_FIRST:
        return row < count / 3;
    case GAPS_NULLS_BUT_ONE:
        return row + 1 < count;
    case GAPS_EITHER:
        return dice % 2 == 0;
    case GAPS_MAX:
        break;
    }
    return false;
}

static bool shape_absent(enum gaps gaps, uint64_t dice)
{
    return gaps == GAPS_ABSENT_ALL || (gaps == GAPS_ABSENT_SOME && dice % 4 == 0) ||
           (gaps == GAPS_BOTH && dice % 5 == 0) || (gaps == GAPS_EITHER && dice % 2 != 0);
}

struct vec
shape_make(struct arena *arena, enum type_id type, enum shape shape, enum gaps gaps, uint32_t count)
{
    struct vec v = {.type = type, .form = VEC_FLAT, .count = count};
    void *data = arena_calloc(arena, count, phys_size(type_phys(type)));
    uint64_t *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(count), 8);
    uint64_t *absent = arena_calloc(arena, VEC_BITMAP_WORDS(count), 8);
    uint64_t rng = (uint64_t)shape * 1000 + (uint64_t)type * 100 + count;
    uint64_t dice_rng = rng + 77 * (uint64_t)gaps;
    uint64_t state = 0;

    DN_ASSERT(data && nulls && absent);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t dice = shape_random(&dice_rng);
        shape_value(arena, type_phys(type), shape, shape_pick(shape, i, &rng, &state), data, i);
        if (shape_null(gaps, i, count, dice))
            vec_bit_set(nulls, i);
        if (shape_absent(gaps, dice))
            vec_bit_set(absent, i);
    }
    v.data = data;
    v.nulls = gaps == GAPS_NONE ? NULL : nulls;
    v.absent = gaps >= GAPS_ABSENT_SOME ? absent : NULL;
    return v;
}
