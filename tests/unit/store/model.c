/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include "vec/numeric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

uint64_t rng_next(struct rng *r)
{
    r->x += 0x9e3779b97f4a7c15u;
    uint64_t z = r->x;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(rng_next(r) % n);
}

bool rng_chance(struct rng *r, unsigned percent)
{
    return rng_below(r, 100) < percent;
}

/* ---- tables ---- */

struct table *model_table(const struct table_shape *shape)
{
    struct table *t = mem_calloc(NULL, 1, sizeof *t);
    char name[16];

    assert_non_null(t);
    atomic_init(&t->refs, 1);
    t->id = 7;
    t->version = 3;
    t->schema = mem_strdup(NULL, "main");
    t->name = mem_strdup(NULL, "m");
    t->columns_count = (uint16_t)shape->cols;
    t->columns = mem_calloc(NULL, shape->cols, sizeof *t->columns);
    for (uint32_t i = 0; i < shape->cols; i++) {
        (void)snprintf(name, sizeof name, "c%u", i + 1);
        t->columns[i].id = i + 1;
        t->columns[i].name = mem_strdup(NULL, name);
        t->columns[i].type = shape->types[i];
    }
    t->column_id_next = shape->cols + 1;
    t->form = shape->form;
    t->partition = mem_dup(NULL, shape->series, sizeof shape->series);
    t->partition_count = (uint16_t)shape->series_count;
    if (shape->value_parts) {
        t->by_value = true;
        t->partition_count = (uint16_t)shape->value_parts;
        for (uint32_t i = 0; i < shape->value_parts; i++)
            t->partition[i] = shape->rest[i].col;
    }
    t->series = t->partition;
    t->series_count = (uint16_t)shape->series_count;
    t->rest = mem_dup(NULL, shape->rest, sizeof shape->rest);
    t->rest_count = (uint16_t)shape->rest_count;
    t->quantum_pos = -1;
    t->time_col = shape->time_col;
    t->spread = 1;
    for (uint32_t i = 0; i < shape->rest_count; i++)
        if (shape->rest[i].col == shape->time_col)
            t->time_desc = shape->rest[i].desc;
    if (shape->time_col >= 0) {
        t->slabs = mem_calloc(NULL, 1, sizeof *t->slabs);
        t->slabs[0] = (struct slab_rule){.from = INT64_MIN, .slab_width = shape->slab_width};
        t->slabs_count = 1;
    }
    return t;
}

static const enum type_id model_types[] = {TYPE_BOOLEAN,
                                           TYPE_SMALLINT,
                                           TYPE_INTEGER,
                                           TYPE_BIGINT,
                                           TYPE_REAL,
                                           TYPE_DOUBLE,
                                           TYPE_VARCHAR,
                                           TYPE_BLOB,
                                           TYPE_TIMESTAMP,
                                           TYPE_TIMESTAMP_US,
                                           TYPE_TIMESTAMP_NS,
                                           TYPE_INTERVAL,
                                           TYPE_NUMERIC};

void model_random_shape(struct rng *r, struct table_shape *ret)
{
    uint16_t order[MODEL_COLS_MAX];
    uint32_t used = 0;
    struct table_shape s = {.time_col = -1, .slab_width = 1 + rng_below(r, 500)};

    s.cols = 2 + rng_below(r, MODEL_COLS_MAX - 2);
    for (uint32_t i = 0; i < s.cols; i++) {
        uint32_t at = rng_below(r, i + 1);

        s.types[i] = model_types[rng_below(r, DN_ARRAY_SIZE(model_types))];
        order[i] = order[at];
        order[at] = (uint16_t)i;
    }
    s.form = (enum key_form)rng_below(r, KEY_FORM_MAX);
    if (s.form != KEY_NONE) {
        s.series_count = s.form == KEY_RANGE ? 0 : rng_below(r, s.cols < 3 ? s.cols : 3);
        for (uint32_t i = 0; i < s.series_count; i++)
            s.series[i] = order[used++];
        s.rest_count = rng_below(r, s.cols - used < 4 ? s.cols - used + 1 : 4);
        if (s.series_count + s.rest_count == 0)
            s.rest_count = 1;
        for (uint32_t i = 0; i < s.rest_count; i++)
            s.rest[i] = (struct key_part){.col = order[used++], .desc = rng_chance(r, 40)};
    }
    for (uint32_t i = 0; i < s.cols; i++)
        if (type_is_timestamp(s.types[i]) && rng_chance(r, 50))
            s.time_col = (int)i;
    if ((s.form == KEY_CQL || s.form == KEY_RIAK) && s.series_count == 0 && s.time_col < 0 &&
        rng_chance(r, 80))
        s.value_parts = 1 + rng_below(r, s.rest_count);
    *ret = s;
}

/* ---- rows ---- */

static const char *const model_words[] = {
    "",
    "a",
    "ab",
    "sensor",
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    "a rather long text that is cut",
    "a rather long text that is also cut",
    "z\xff"};

static struct datum model_value(enum type_id type, uint32_t domain, struct rng *r, char *text)
{
    struct datum d = {.type = type};
    int64_t x = (int64_t)rng_below(r, domain);

    if (type == TYPE_BOOLEAN) {
        d.v.i64 = x & 1;
    } else if (type == TYPE_DOUBLE) {
        d.v.f64 = (double)(x - domain / 3) / 8.0;
    } else if (type == TYPE_REAL) {
        d.v.f64 = (double)(float)((double)(x - domain / 3) / 8.0);
    } else if (type_is_string(type)) {
        int n =
            x < 8 ? snprintf(text, 64, "%s", model_words[x])
                  : snprintf(text, 64, "%s%lld", model_words[x % 5 == 4 ? 2 : x % 5], (long long)x);
        d.str = (struct vstr){.ptr = text, .len = (uint32_t)n};
    } else if (type == TYPE_BIGINT && rng_chance(r, 1)) {
        d.v.i64 = rng_chance(r, 50) ? INT64_MAX - x : INT64_MIN + x; /* sums overflow */
    } else if (type == TYPE_INTERVAL) { /* some are equal and look different */
        d.iv = (struct vinterval){.us = x % 3 * 43200000000,
                                  .days = (int32_t)(x % 60) - 20,
                                  .months = (int32_t)(x / 7 % 4) - 2};
        assert_true(rng_chance(r, 50) || vinterval_justify(d.iv, &d.iv));
    } else if (type == TYPE_NUMERIC) {
        d.num = x % 50 == 0   ? vnumeric_nan()
                : x % 50 == 1 ? vnumeric_inf(x % 100 == 1)
                              : vnumeric_make((x - domain / 3) * (x % 4 ? 10 : 100), (int)(x % 3));
        if (rng_chance(r, 50))
            d.num = vnumeric_trim(d.num);
    } else if (type == TYPE_SMALLINT) {
        d.v.i64 = x % 60000 - 30000;
    } else {
        d.v.i64 = x - domain / 3;
    }
    return d;
}

/* A value of a row that is the turn of one of several series. */
static struct datum model_turn(
    enum type_id type, const struct model_style *style, uint32_t row, struct rng *r, char *text)
{
    struct datum d = model_value(type, style->domain, r, text);
    uint32_t series = row % style->turns;
    uint32_t tick = row / style->turns;

    if (type_is_string(type)) {
        (void)sprintf(text, "series %u", series * 7);
        d.str = (struct vstr){.ptr = text, .len = (uint32_t)strlen(text)};
    } else if (type_is_float(type)) {
        d.v.f64 = series * 100 + tick * 0.25 + rng_below(r, 3);
    } else if (type == TYPE_SMALLINT) {
        d.v.i64 = series % 300 * 100 + rng_below(r, 2);
    } else if (type == TYPE_INTEGER) {
        d.v.i64 = series;
    } else if (type != TYPE_BOOLEAN && type_is_fixed(type)) {
        d.v.i64 = 1 + tick * 10;
    }
    return d;
}

static bool model_in_key(const struct table *t, uint32_t col, bool *ret_series)
{
    *ret_series = false;
    for (uint32_t i = 0; i < t->series_count; i++)
        if (t->series[i] == col)
            *ret_series = true;
    for (uint32_t i = 0; i < t->rest_count; i++)
        if (t->rest[i].col == col)
            return true;
    return *ret_series;
}

static void model_draw_row(const struct model *m,
                           struct colbuf *raw,
                           const struct model_style *style,
                           uint32_t row,
                           struct rng *r)
{
    const struct table *t = m->t;
    enum row_op op = ROW_PUT;
    struct datum hidden[HIDDEN_MAX];
    char text[64];

    if (style->writes && rng_chance(r, 30))
        op = rng_chance(r, 50) ? ROW_PATCH : ROW_DELETE;
    for (uint32_t c = 0; c < t->columns_count; c++) {
        bool series;
        bool key = model_in_key(t, c, &series);
        struct datum d =
            model_value(t->columns[c].type, series ? style->series : style->domain, r, text);

        if (style->turns && !series)
            d = model_turn(t->columns[c].type, style, row, r, text);
        if (!key && (int)c != t->time_col &&
            (op == ROW_DELETE || (op == ROW_PATCH && rng_chance(r, 50)) ||
             (style->writes && rng_chance(r, 2)))) {
            assert_true(colbuf_append_absent(&raw[c]));
            continue;
        }
        d.null = !key && rng_chance(r, style->null_pct);
        assert_true(colbuf_append(&raw[c], &d));
    }
    hidden[HIDDEN_SEQ] =
        (struct datum){.type = TYPE_BIGINT, .v.i64 = style->plain ? 42 : 1000 + rng_below(r, 300)};
    hidden[HIDDEN_OP] = (struct datum){.type = TYPE_SMALLINT, .v.i64 = op};
    hidden[HIDDEN_EXPIRY] = (struct datum){
        .type = TYPE_BIGINT, .null = style->plain || rng_chance(r, 90), .v.i64 = row};
    hidden[HIDDEN_ROWID] =
        (struct datum){.type = TYPE_BIGINT, .v.i64 = t->form == KEY_NONE ? row + 5 : 0};
    for (uint32_t i = 0; i < HIDDEN_MAX; i++)
        assert_true(colbuf_append(&raw[t->columns_count + i], &hidden[i]));
}

struct model_key {
    uint32_t row;
    size_t at; /* in model_keys */
    size_t len;
};

static const uint8_t *model_keys; /* for the comparison; tests have one thread */

static int model_key_cmp(const void *a, const void *b)
{
    const struct model_key *x = a;
    const struct model_key *y = b;
    size_t n = x->len < y->len ? x->len : y->len;
    int order = memcmp(model_keys + x->at, model_keys + y->at, n);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static struct vec model_flat(const struct colbuf *c)
{
    return (struct vec){.type = c->type,
                        .form = VEC_FLAT,
                        .count = c->count,
                        .data = c->data,
                        .nulls = c->nulls,
                        .absent = c->absent};
}

static void model_sort(struct model *m, const struct colbuf *raw, uint32_t rows)
{
    uint32_t n = store_cols_count(m->t);
    struct vec *vecs = mem_calloc(NULL, n, sizeof *vecs);
    struct model_key *keys = mem_calloc(NULL, rows, sizeof *keys);
    struct buf b;

    buf_init(&b, NULL);
    for (uint32_t c = 0; c < n; c++)
        vecs[c] = model_flat(&raw[c]);
    for (uint32_t i = 0; i < rows; i++) {
        keys[i] = (struct model_key){.row = i, .at = b.len};
        rows_key(m->t, vecs, i, &b);
        keys[i].len = b.len - keys[i].at;
    }
    assert_false(b.failed);
    model_keys = b.data;
    qsort(keys, rows, sizeof *keys, model_key_cmp);
    for (uint32_t i = 0; i < rows; i++) {
        if (i && model_key_cmp(&keys[i - 1], &keys[i]) == 0)
            continue;
        for (uint32_t c = 0; c < n; c++) {
            struct datum d = vec_datum(&vecs[c], keys[i].row);

            if (vec_bit(raw[c].absent, keys[i].row))
                assert_true(colbuf_append_absent(&m->cols[c]));
            else
                assert_true(colbuf_append(&m->cols[c], &d));
        }
        m->rows++;
    }
    buf_done(&b);
    mem_free(keys);
    mem_free(vecs);
}

void model_begin(struct model *m, struct table *t, struct colbuf **ret_raw)
{
    uint32_t n = store_cols_count(t);
    struct colbuf *raw = mem_calloc(NULL, n, sizeof *raw);

    memset(m, 0, sizeof *m);
    m->t = t;
    arena_init(&m->arena, NULL);
    m->cols = mem_calloc(NULL, n, sizeof *m->cols);
    for (uint32_t c = 0; c < n; c++) {
        colbuf_init(&m->cols[c], store_col_type(t, c), NULL, &m->arena);
        colbuf_init(&raw[c], store_col_type(t, c), NULL, &m->arena);
    }
    *ret_raw = raw;
}

void model_end(struct model *m, struct colbuf *raw)
{
    model_sort(m, raw, raw[0].count);
    for (uint32_t c = 0; c < store_cols_count(m->t); c++)
        colbuf_done(&raw[c]);
    mem_free(raw);
}

void model_init(struct model *m, struct table *t, const struct model_style *style, struct rng *r)
{
    struct colbuf *raw;

    model_begin(m, t, &raw);
    for (uint32_t i = 0; i < style->rows; i++)
        model_draw_row(m, raw, style, i, r);
    model_end(m, raw);
}

void model_done(struct model *m)
{
    for (uint32_t c = 0; c < store_cols_count(m->t); c++)
        colbuf_done(&m->cols[c]);
    mem_free(m->cols);
    arena_done(&m->arena);
    table_unref(m->t);
}

bool model_absent(const struct model *m, uint32_t col, uint32_t row)
{
    return vec_bit(m->cols[col].absent, row);
}

bool model_same(const struct datum *a, const struct datum *b)
{
    if (a->null || b->null)
        return a->null == b->null;
    if (a->type != b->type)
        return false;
    if (type_is_string(a->type))
        return vstr_cmp(a->str, b->str) == 0;
    return memcmp(&a->v, &b->v, sizeof a->v) == 0;
}

/* ---- writing ---- */

/* Neighbours that are alike share an entry. */
static void model_make_dict(struct vec *v, struct arena *a)
{
    uint32_t size = phys_size(type_phys(v->type));
    const uint8_t *flat = v->data;
    uint8_t *entries = arena_alloc_array(a, v->count, size);
    uint16_t *codes = arena_alloc_array(a, v->count, sizeof *codes);
    uint32_t n = 0;

    for (uint32_t i = 0; i < v->count; i++) {
        if (i == 0 || memcmp(flat + i * size, flat + (i - 1) * size, size) != 0)
            memcpy(entries + n++ * size, flat + i * size, size);
        codes[i] = (uint16_t)(n - 1);
    }
    v->form = VEC_DICT;
    v->dict_count = n;
    v->data = entries;
    v->codes = codes;
    if (n == 1 && !v->nulls && !v->absent) {
        v->form = VEC_CONST;
        v->codes = NULL;
        v->dict_count = 0;
    }
}

struct vec model_vec(
    const struct model *m, uint32_t col, uint32_t from, uint32_t n, struct arena *a, struct rng *r)
{
    enum type_id type = m->cols[col].type;
    uint64_t *nulls = arena_calloc(a, VEC_BITMAP_WORDS(n), sizeof *nulls);
    uint64_t *absent = arena_calloc(a, VEC_BITMAP_WORDS(n), sizeof *absent);
    void *data = arena_calloc(a, n, phys_size(type_phys(type)));
    struct vec v = {.type = type, .count = n, .data = data};
    uint32_t missing = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct datum d = colbuf_datum(&m->cols[col], from + i);

        datum_store(&d, data, i);
        if (d.null) {
            vec_bit_set(nulls, i);
            v.nulls = nulls;
            missing++;
        }
        if (model_absent(m, col, from + i)) {
            vec_bit_set(absent, i);
            v.absent = absent;
        }
    }
    if (missing == n && !v.absent && rng_chance(r, 50))
        v.form = VEC_CONST;
    else if (n <= 60000 && rng_chance(r, 60))
        model_make_dict(&v, a);
    return v;
}

int model_write(const struct model *m,
                uint64_t id,
                uint32_t batch_max,
                struct rng *r,
                struct buf *ret,
                struct seg_meta *meta,
                struct dn_err *err)
{
    uint32_t cols = store_cols_count(m->t);
    struct seg_writer *w = seg_writer_new(NULL, m->t, id);
    struct vec *vecs = mem_calloc(NULL, cols, sizeof *vecs);
    struct arena a;
    int rc = w && vecs ? 0 : DN_E_NOMEM;

    arena_init(&a, NULL);
    for (uint32_t from = 0; from < m->rows && rc == 0;) {
        uint32_t n = 1 + rng_below(r, batch_max);

        n = n < m->rows - from ? n : m->rows - from;
        for (uint32_t c = 0; c < cols; c++)
            vecs[c] = model_vec(m, c, from, n, &a, r);
        rc = seg_writer_add(w, vecs, n, err);
        from += n;
        arena_reset(&a);
    }
    if (rc == 0)
        rc = seg_writer_finish(w, ret, meta, err);
    arena_done(&a);
    mem_free(vecs);
    seg_writer_free(w);
    return rc;
}
