/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of tuples (groups.h) against a list that is searched from its beginning: keys of all
 * types whose values lie close together, wander, lie far apart, or mostly one and rarely the
 * other; fractions, NaN, both zeros and NULL; vectors of all forms, with and without a selection.
 */
#include "exec/groups.h"
#include "gen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEYS_MAX   4u
#define TUPLES_MAX 500u /* the list is searched for every row */

enum spread { NEAR, BELOW, RISING, FALLING, RARELY_FAR, FAR, SPREAD_MAX };

static struct arena arena;

struct key_column {
    enum type_id type;
    enum spread spread;
    bool nulls;
    uint32_t near; /* how many different values there are, about */
};

static const enum type_id types[] = {TYPE_BOOLEAN,
                                     TYPE_SMALLINT,
                                     TYPE_INTEGER,
                                     TYPE_BIGINT,
                                     TYPE_DATE,
                                     TYPE_TIMESTAMP,
                                     TYPE_REAL,
                                     TYPE_DOUBLE,
                                     TYPE_DOUBLE,
                                     TYPE_VARCHAR};

static int64_t far_int(void)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, -1, 1 << 20, 0, INT32_MIN};

    return gen_random(2) ? ends[gen_random(DN_ARRAY_SIZE(ends))]
                         : (int64_t)(gen_random(40) * UINT64_C(0x9e3779b97f4a7c15));
}

static double far_float(void)
{
    static const double ends[] = {(double)NAN,
                                  (double)INFINITY,
                                  -(double)INFINITY,
                                  -0.0,
                                  0.5,
                                  1e300,
                                  -1e-300,
                                  4294967296.0,
                                  5000000000000000.0,
                                  3.25};

    return ends[gen_random(DN_ARRAY_SIZE(ends))];
}

static struct vstr word(uint64_t n)
{
    static const char *const forms[] = {"", "w", "word", "ten bytes ", "a word of more than 16 "};
    const char *form = forms[n % 5];
    char *text = arena_alloc(&arena, 64);
    size_t len = strlen(form);

    memcpy(text, form, len);
    for (n /= 5; n; n /= 10)
        text[len++] = (char)('0' + n % 10);
    return (struct vstr){.ptr = text, .len = (uint32_t)len};
}

/* A value of the column; `batch` counts. */
static struct datum value(const struct key_column *c, uint32_t batch)
{
    struct datum d = {.type = c->type};
    int64_t x = (int64_t)gen_random(c->near);
    bool far = c->spread == FAR || (c->spread == RARELY_FAR && gen_random(700) == 0);

    if (c->nulls && gen_random(9) == 0) {
        d.null = true;
        return d;
    }
    if (c->spread == BELOW)
        x = -x - 3;
    if (c->spread == RISING)
        x += batch * 5;
    if (c->spread == FALLING)
        x -= batch * 5;
    if (c->type == TYPE_VARCHAR)
        d.str = word((uint64_t)x & 1023);
    else if (c->type == TYPE_DOUBLE || c->type == TYPE_REAL)
        d.v.f64 = far ? far_float() : x == 0 && gen_random(2) ? -0.0 : (double)x;
    else
        d.v.i64 = far ? far_int() : x;
    if (c->type == TYPE_BOOLEAN)
        d.v.i64 &= 1;
    return d;
}

static void make_vec(const struct key_column *c, uint32_t count, uint32_t batch, struct vec *ret)
{
    uint32_t entries = count;
    uint16_t *codes = NULL;
    uint64_t *nulls = arena_calloc(&arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof *nulls);
    uint8_t *data = arena_calloc(&arena, VEC_ROWS_MAX, 32);

    *ret = (struct vec){.type = c->type, .form = VEC_FLAT, .count = count, .data = data};
    if (gen_random(6) == 0) {
        ret->form = VEC_CONST;
        entries = 1;
    } else if (gen_random(5) == 0) {
        codes = arena_alloc_array(&arena, VEC_ROWS_MAX, sizeof *codes);
        ret->form = VEC_DICT;
        ret->codes = codes;
        ret->dict_count = entries = 1 + (uint32_t)gen_random(count);
        for (uint32_t i = 0; i < count; i++)
            codes[i] = (uint16_t)gen_random(entries);
    }
    for (uint32_t i = 0; i < entries; i++) {
        struct datum d = value(c, batch);

        datum_store(&d, data, i);
        if (d.null && !codes) {
            vec_bit_set(nulls, i);
            ret->nulls = nulls;
        }
    }
    for (uint32_t i = 0; codes && c->nulls && i < count; i++)
        if (gen_random(9) == 0) {
            vec_bit_set(nulls, i);
            ret->nulls = nulls;
        }
}

static bool
tuple_is(const struct datum *tuple, const struct vec *keys, uint32_t count, uint32_t row)
{
    for (uint32_t k = 0; k < count; k++) {
        struct datum d = vec_datum(&keys[k], row);

        if (d.null != tuple[k].null || (!d.null && datum_cmp(&d, &tuple[k]) != 0))
            return false;
    }
    return true;
}

struct list {
    struct datum (*tuples)[KEYS_MAX];
    uint32_t count;
};

/* The number of a row; a new one is added. */
static uint32_t list_find(struct list *l, const struct vec *keys, uint32_t keys_count, uint32_t row)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (tuple_is(l->tuples[i], keys, keys_count, row))
            return i;
    for (uint32_t k = 0; k < keys_count; k++)
        l->tuples[l->count][k] = vec_datum(&keys[k], row);
    return l->count++;
}

/* `count` rows of the keys to both. */
static void check_keys(struct exec_groups *g,
                       struct list *l,
                       const struct vec *keys,
                       uint32_t keys_count,
                       uint32_t count)
{
    uint32_t ids[VEC_ROWS_MAX];
    uint16_t sel[VEC_ROWS_MAX];
    struct batch in = {.count = count};
    bool some = gen_random(3) == 0;
    bool look = gen_random(6) == 0;
    struct arena scratch;
    struct dn_err err;
    bool one;
    int rc;

    for (uint32_t i = 0; i < in.count; i++)
        if (!some || gen_random(3))
            sel[in.sel_count++] = (uint16_t)i;
    in.sel = some ? sel : NULL;
    arena_init(&scratch, NULL);
    rc = look ? exec_groups_look(g, keys, &in, &scratch, ids, &one, &err)
              : exec_groups_find(g, keys, &in, &scratch, ids, &one, &err);
    assert_int_equal(rc, 0);
    for (uint32_t i = 0; i < in.sel_count; i++) {
        uint32_t before = l->count;
        uint32_t want = list_find(l, keys, keys_count, sel[i]);

        if (look && want == before) {
            l->count = before;
            want = EXEC_GROUPS_NO_ID;
        }
        assert_int_equal(ids[one ? 0 : i], want);
    }
    assert_int_equal(g->count, l->count);
    for (uint32_t k = 0; k < keys_count; k++)
        for (uint32_t i = 0; i < l->count; i++) {
            struct vec kept = colbuf_vec(&g->keys[k], i / 64 * 64, i % 64 + 1);

            assert_true(tuple_is(&l->tuples[i][k], &kept, 1, i % 64));
        }
    arena_done(&scratch);
}

/* A batch of random rows to both. */
static void check_batch(struct exec_groups *g,
                        struct list *l,
                        const struct key_column *columns,
                        uint32_t keys_count,
                        uint32_t number)
{
    uint32_t count = 1 + (uint32_t)gen_random(VEC_ROWS_MAX);
    struct vec keys[KEYS_MAX];

    for (uint32_t k = 0; k < keys_count; k++)
        make_vec(&columns[k], count, number, &keys[k]);
    check_keys(g, l, keys, keys_count, count);
}

static void run_round(uint64_t seed, uint32_t *direct)
{
    struct key_column columns[KEYS_MAX];
    enum type_id key_types[KEYS_MAX];
    struct exec_groups g;
    struct list l = {0};
    struct dn_err err;
    uint32_t keys_count;
    bool words;

    arena_init(&arena, NULL);
    gen_init(&arena, seed);
    keys_count = 1 + (uint32_t)gen_random(gen_random(2) ? 2 : KEYS_MAX);
    words = gen_random(3) == 0;
    l.tuples = arena_alloc_array(&arena, TUPLES_MAX + VEC_ROWS_MAX, sizeof *l.tuples);
    for (uint32_t k = 0; k < keys_count; k++) {
        columns[k] = (struct key_column){
            .type = types[gen_random(DN_ARRAY_SIZE(types) - !words)],
            .spread = (enum spread)gen_random(gen_random(3) ? RARELY_FAR + 1 : SPREAD_MAX),
            .nulls = gen_random(3) == 0,
            .near = 1 + (uint32_t)gen_random(keys_count > 1 ? 20 : 300)};
        key_types[k] = columns[k].type;
    }
    assert_int_equal(exec_groups_init(&g, key_types, keys_count, NULL, &err), 0);
    if (gen_random(8) == 0)
        exec_groups_plain(&g);
    for (uint32_t b = 0; b < 10 && l.count < TUPLES_MAX; b++)
        check_batch(&g, &l, columns, keys_count, b);
    *direct += g.direct.fits;
    exec_groups_done(&g);
    arena_done(&arena);
}

static void test_numbers(void **state)
{
    uint32_t direct = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++)
        run_round(seed, &direct);
    assert_true(direct > 100); /* the shortcut was taken */
}

/* ---- dictionaries that vectors share ---- */

#define DICTS 4u

struct dict {
    uint64_t id;
    uint32_t count;
    struct vstr words[VEC_ROWS_MAX];
};

/* The rows of a vector with the dictionary, whose entries lie elsewhere each time. */
static void dict_vec(const struct dict *d, uint32_t count, struct vec *ret)
{
    uint64_t *nulls = arena_calloc(&arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof *nulls);
    uint16_t *codes = arena_alloc_array(&arena, VEC_ROWS_MAX, sizeof *codes);
    uint32_t used = gen_random(3) ? d->count : 1 + (uint32_t)gen_random(d->count);

    for (uint32_t i = 0; i < count; i++)
        codes[i] = (uint16_t)gen_random(used);
    for (uint32_t i = 0; i < count; i++)
        if (gen_random(20) == 0)
            vec_bit_set(nulls, i);
    *ret = (struct vec){.type = TYPE_VARCHAR,
                        .form = VEC_DICT,
                        .count = count,
                        .dict_count = d->count,
                        .dict_id = d->id,
                        .data = arena_dup(&arena, d->words, d->count * sizeof *d->words),
                        .codes = codes,
                        .nulls = gen_random(4) == 0 ? nulls : NULL};
}

/* Words that dictionaries have in common, in an order of its own. */
static void dict_make(struct dict *d, uint32_t number)
{
    uint32_t first = (uint32_t)gen_random(100);

    d->id = vec_dict_ids(1);
    d->count = 1 + (uint32_t)gen_random(number % 2 ? 60 : 150);
    for (uint32_t i = 0; i < d->count; i++)
        d->words[i] = word((first + i * 7) % (number < 3 ? 150 : 170));
}

static void run_dicts(uint64_t seed, uint32_t *known)
{
    static const enum type_id key_types[] = {TYPE_VARCHAR, TYPE_INTEGER};
    struct dict *dicts;
    struct exec_groups g;
    struct list l = {0};
    struct dn_err err;
    uint32_t keys_count;
    uint32_t at = 0;

    arena_init(&arena, NULL);
    gen_init(&arena, seed);
    keys_count = 1 + (uint32_t)gen_random(2);
    l.tuples = arena_alloc_array(&arena, TUPLES_MAX + VEC_ROWS_MAX, sizeof *l.tuples);
    dicts = arena_alloc_array(&arena, DICTS, sizeof *dicts);
    for (uint32_t i = 0; i < DICTS; i++)
        dict_make(&dicts[i], i);
    assert_int_equal(exec_groups_init(&g, key_types, keys_count, NULL, &err), 0);
    for (uint32_t b = 0; b < 16 && l.count < TUPLES_MAX; b++) {
        uint32_t count = 1 + (uint32_t)gen_random(VEC_ROWS_MAX);
        struct datum constant = {.type = TYPE_INTEGER, .v.i64 = (int64_t)gen_random(3)};
        struct vec keys[2];

        constant.null = constant.v.i64 == 2;
        if (gen_random(3) == 0)
            at = (uint32_t)gen_random(DICTS);
        *known += g.dict_id == dicts[at].id;
        dict_vec(&dicts[at], count, &keys[0]);
        assert_true(vec_make_const(&arena, &constant, count, &keys[1]));
        check_keys(&g, &l, keys, keys_count, count);
    }
    exec_groups_done(&g);
    arena_done(&arena);
}

static void test_dictionaries(void **state)
{
    uint32_t known = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++)
        run_dicts(seed, &known);
    assert_true(known > 500); /* dictionaries came again */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_dictionaries)};

    return cmocka_run_group_tests_name("exec_groups", tests, NULL, NULL);
}
