/* SPDX-License-Identifier: Apache-2.0 */
#include "shard_model.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t rng_next(struct rng *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    return dn_mix64(r->state);
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
                                           TYPE_TIMESTAMP_NS};

static enum type_id model_random_type(struct rng *r)
{
    return model_types[rng_below(r, DN_ARRAY_SIZE(model_types))];
}

static const char *const model_names[MODEL_COLS_MAX] = {
    "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};

/* What a random definition is made of, before table_build sees it. */
struct model_def {
    struct column_spec cols[MODEL_COLS_MAX];
    uint32_t cols_count;
    struct key_elem_spec part[4];
    uint32_t part_count;
    struct key_elem_spec local[8];
    uint32_t local_count;
    struct option_spec options[3];
    uint32_t options_count;
};

enum model_form {
    FORM_RIAK,
    FORM_CQL,
    FORM_CQL_QUANTUM,
    FORM_VALUE, /* CQL's without a time: laid out by value */
    FORM_RANGE,
    FORM_NONE,
    FORM_MAX
};

static struct column_spec *model_add_col(struct model_def *d, enum type_id type, bool not_null)
{
    struct column_spec *c = &d->cols[d->cols_count];

    c->name.s = model_names[d->cols_count++];
    c->type = type;
    c->not_null = not_null;
    return c;
}

static enum type_id model_random_key_type(struct rng *r, enum model_form form)
{
    enum type_id type = model_random_type(r);

    while (form == FORM_VALUE && type_is_timestamp(type))
        type = model_random_type(r);
    return type;
}

/* Series columns, the time column, perhaps one more key column; and the key over them. */
static void model_random_key(struct rng *r, enum model_form form, struct model_def *d)
{
    uint32_t series = form >= FORM_RANGE ? 0 : rng_below(r, 3);
    struct key_elem_spec *e;
    uint32_t time_at;
    uint32_t more = rng_below(r, 2) * (1 + rng_below(r, 3)); /* key columns behind the time */

    if (series == 0 && (form == FORM_CQL || form == FORM_CQL_QUANTUM || form == FORM_VALUE))
        series = 1;
    for (uint32_t i = 0; i < series; i++)
        d->part[d->part_count++].name =
            model_add_col(d, model_random_key_type(r, form), true)->name;
    time_at = d->cols_count;
    if (form == FORM_VALUE) {
        if (more) {
            e = &d->local[d->local_count++];
            e->name = model_add_col(d, model_random_key_type(r, form), true)->name;
            e->desc = e->order_given = rng_below(r, 2);
        }
        return;
    }
    (void)model_add_col(d, (enum type_id)(TYPE_TIMESTAMP + rng_below(r, 3)), form != FORM_NONE);
    for (uint32_t i = 0; i < more; i++)
        (void)model_add_col(d, model_random_type(r), form != FORM_NONE);
    if (form == FORM_NONE)
        return;
    if (form == FORM_RIAK || form == FORM_CQL_QUANTUM) {
        e = &d->part[d->part_count++];
        e->name.s = model_names[time_at];
        e->is_quantum = true;
        e->count = 1 + rng_below(r, 20);
        e->unit = rng_below(r, 2) ? "h" : "d";
    }
    for (uint32_t i = 0; form == FORM_RIAK && i < series; i++)
        d->local[d->local_count++].name.s = model_names[i];
    e = &d->local[d->local_count++];
    e->name.s = model_names[time_at];
    e->desc = rng_below(r, 2);
    e->order_given = true;
    for (uint32_t i = 1; i <= more; i++) {
        enum type_id type = d->cols[time_at + i].type;
        bool can = form != FORM_RIAK || !(type_is_float(type) || type == TYPE_BOOLEAN);
        e = &d->local[d->local_count++];
        e->name.s = model_names[time_at + i];
        e->desc = can && rng_below(r, 2);
        e->order_given = e->desc;
    }
}

/* upsert = 'field'; slabs by the time of a table whose key does not say so. */
static void model_random_options(struct rng *r, enum model_form form, struct model_def *d)
{
    if (form != FORM_NONE && rng_below(r, 3) == 0)
        d->options[d->options_count++] =
            (struct option_spec){.name.s = "upsert", .value = "field", .quoted = true};
    if ((form != FORM_NONE && form != FORM_CQL) || rng_below(r, 2))
        return;
    for (uint32_t i = d->part_count; i < d->cols_count && d->options_count < 2; i++) {
        if (!type_is_timestamp(d->cols[i].type))
            continue;
        d->options[d->options_count++] =
            (struct option_spec){.name.s = "time", .value = model_names[i], .quoted = true};
        d->options[d->options_count++] = (struct option_spec){
            .name.s = "quantum", .value = rng_below(r, 2) ? "5h" : "1d", .quoted = true};
        return;
    }
}

/* The column behind the time in the key may come before it. */
static void model_random_turn(struct rng *r, enum model_form form, struct model_def *d)
{
    if (form == FORM_CQL && d->local_count > 1 && rng_below(r, 2)) {
        struct key_elem_spec time = d->local[0];

        d->local[0] = d->local[1];
        d->local[1] = time;
    }
}

struct table *model_random_table(struct rng *r, const char *name)
{
    enum model_form form = (enum model_form)rng_below(r, FORM_MAX);
    struct model_def d;
    struct table_spec spec;
    struct table *t;
    struct dn_err err;

    memset(&d, 0, sizeof d);
    memset(&spec, 0, sizeof spec);
    model_random_key(r, form, &d);
    model_random_turn(r, form, &d);
    model_random_options(r, form, &d);
    while (d.cols_count < 3 || (d.cols_count < MODEL_COLS_MAX && rng_below(r, 3))) {
        struct column_spec *c = model_add_col(&d, model_random_type(r), false);
        if (rng_below(r, 4) == 0) {
            c->has_default = true;
            c->def = (struct datum){.type = c->type};
            if (type_is_string(c->type))
                c->def.str = (struct vstr){.ptr = "dflt", .len = 4};
        }
    }
    spec.schema.s = "public";
    spec.name.s = name;
    spec.columns = d.cols;
    spec.columns_count = d.cols_count;
    spec.has_key = form != FORM_NONE;
    spec.keys_count = form != FORM_NONE;
    spec.has_inner = form <= FORM_VALUE;
    spec.partition = d.part;
    spec.partition_count = d.part_count;
    spec.local = d.local;
    spec.local_count = d.local_count;
    spec.options = d.options;
    spec.options_count = d.options_count;
    if (table_build(&spec, &t, &err) < 0) {
        (void)fprintf(stderr, "model table: form %d: %s\n", (int)form, err.text);
        abort();
    }
    return t;
}

void model_init(struct model *m, const struct table *t)
{
    memset(m, 0, sizeof *m);
    m->t = table_ref(t);
    m->rowid_next = 1;
}

void model_datum_free(struct datum *d)
{
    if (type_is_string(d->type) && !d->null)
        mem_free((void *)(uintptr_t)d->str.ptr);
}

struct datum model_datum_copy(const struct datum *d)
{
    struct datum c = *d;

    if (type_is_string(d->type) && !d->null) {
        c.str.ptr = mem_dup(NULL, d->str.ptr, d->str.len);
        DN_ASSERT(c.str.ptr);
    }
    return c;
}

void model_done(struct model *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (uint32_t c = 0; c < m->t->columns_count; c++)
            model_datum_free(&m->rows[i].v[c]);
    mem_free(m->rows);
    table_unref(m->t);
    memset(m, 0, sizeof *m);
}

static struct model_row *model_push(struct model *m)
{
    if (m->count == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 64;
        m->rows = mem_realloc(NULL, m->rows, m->cap * sizeof *m->rows);
        DN_ASSERT(m->rows);
    }
    memset(&m->rows[m->count], 0, sizeof *m->rows);
    return &m->rows[m->count++];
}

void model_put(struct model *m, const struct model_row *row)
{
    *model_push(m) = *row;
}

void model_copy(const struct model *from, struct model *ret)
{
    model_init(ret, from->t);
    ret->rowid_next = from->rowid_next;
    for (size_t i = 0; i < from->count; i++) {
        struct model_row *row = model_push(ret);
        row->rowid = from->rows[i].rowid;
        row->expiry_ns = from->rows[i].expiry_ns;
        for (uint32_t c = 0; c < from->t->columns_count; c++)
            row->v[c] = model_datum_copy(&from->rows[i].v[c]);
    }
}

/* Few distinct values, so that keys meet; some far apart, so that slabs differ. */
struct datum model_random_datum(struct rng *r, enum type_id type, bool nullable)
{
    static const char *const words[] = {"",
                                        "a",
                                        "ab",
                                        "b",
                                        "zebra",
                                        "a longer text that does not fit anywhere short",
                                        "\xc3\xa4",
                                        "x"};
    struct datum d = {.type = type};

    if (nullable && rng_below(r, 5) == 0) {
        d.null = true;
        return d;
    }
    if (type_is_string(type)) {
        const char *w = words[rng_below(r, DN_ARRAY_SIZE(words))];
        d.str.len = (uint32_t)strlen(w);
        d.str.ptr = mem_dup(NULL, w, d.str.len);
        DN_ASSERT(d.str.ptr);
    } else if (type_is_float(type)) {
        d.v.f64 = (double)((int)rng_below(r, 9) - 4) * 0.25;
    } else if (type == TYPE_BOOLEAN) {
        d.v.i64 = rng_below(r, 2);
    } else if (type_is_timestamp(type)) {
        int64_t day = 86400 * type_ts_per_second(type);
        d.v.i64 = ((int64_t)rng_below(r, 5) - 2) * day + (int64_t)rng_below(r, 40) * (day / 97) + 1;
    } else {
        d.v.i64 = (int64_t)rng_below(r, 7) - 3;
    }
    return d;
}

/* A random interval of a column's values; sometimes a single one, sometimes none at all. */
static struct interval model_random_interval(struct rng *r, enum type_id type)
{
    struct interval iv = {.has_lo = rng_below(r, 4) > 0,
                          .has_hi = rng_below(r, 4) > 0,
                          .lo_incl = rng_below(r, 2),
                          .hi_incl = rng_below(r, 2)};

    iv.has_lo = iv.has_lo || !iv.has_hi;
    if (iv.has_lo)
        iv.lo = model_random_datum(r, type, false);
    if (iv.has_lo && rng_below(r, 3) == 0) {
        iv.has_hi = iv.hi_incl = iv.lo_incl = true;
        iv.hi = model_datum_copy(&iv.lo);
    } else if (iv.has_hi) {
        iv.hi = model_random_datum(r, type, false);
    }
    return iv;
}

struct model_batch model_random_range(struct rng *r, const struct table *t)
{
    struct model_batch b = {.op = ROW_RANGE};

    b.range.slab_min = INT64_MIN;
    b.range.slab_max = INT64_MAX;
    if (t->time_col >= 0 && rng_below(r, 4) == 0) {
        struct datum d = model_random_datum(r, t->columns[t->time_col].type, false);
        b.range.slab_min = b.range.slab_max = table_slab(t, d.v.i64);
    }
    for (uint32_t k = 0; k < t->local_count; k++) {
        const struct column *c = &t->columns[t->local[k].col];
        if (rng_below(r, 2))
            b.bounds[b.range.bounds_count++] =
                (struct range_bound){.col_id = c->id, .iv = model_random_interval(r, c->type)};
    }
    return b;
}

/* Some rows expire, all of a batch at once or each in its own time; some have already. */
static void model_random_expiry(struct rng *r, const struct table *t, struct model_batch *b)
{
    bool same = rng_below(r, 2);
    int64_t at = MODEL_CLOCK_NS + (int64_t)rng_below(r, MODEL_EXPIRY_S) * 1000000000;

    if (t->upsert == UPSERT_FIELD || b->op != ROW_PUT || rng_below(r, 2))
        return;
    for (uint32_t i = 0; i < b->count; i++) {
        if (!same)
            at = MODEL_CLOCK_NS + (int64_t)rng_below(r, MODEL_EXPIRY_S) * 1000000000;
        b->rows[i].expiry_ns = !same && rng_below(r, 3) == 0 ? ROW_NEVER : at;
    }
}

struct model_batch model_random_batch(struct rng *r, const struct table *t, uint32_t rows_max)
{
    struct model_batch b = {.count = 1 + rng_below(r, rows_max)};

    if (rng_below(r, t->form == KEY_NONE ? 40 : 8) == 0)
        return model_random_range(r, t);

    b.rows = mem_calloc(NULL, b.count, sizeof *b.rows);
    b.absent = mem_calloc(NULL, b.count, sizeof *b.absent);
    DN_ASSERT(b.rows && b.absent);
    b.op = t->upsert == UPSERT_FIELD ? ROW_PATCH : ROW_PUT;
    if (t->form != KEY_NONE && rng_below(r, 12) == 0)
        b.op = ROW_DELETE;
    else if (b.op == ROW_PATCH && rng_below(r, 4) == 0)
        b.op = ROW_PUT;
    for (uint32_t i = 0; i < b.count; i++) {
        for (uint32_t c = 0; c < t->columns_count; c++) {
            bool key = t->columns[c].key_pos != 0;
            b.rows[i].v[c] =
                model_random_datum(r, t->columns[c].type, !key && !t->columns[c].not_null);
            if (!key && (b.op == ROW_DELETE || (b.op == ROW_PATCH && rng_below(r, 2)))) {
                model_datum_free(&b.rows[i].v[c]);
                b.rows[i].v[c] = (struct datum){.type = t->columns[c].type, .null = true};
                b.absent[i][c] = b.op == ROW_PATCH;
            }
        }
    }
    model_random_expiry(r, t, &b);
    return b;
}

void model_batch_done(struct model_batch *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t c = 0; c < MODEL_COLS_MAX; c++)
            model_datum_free(&b->rows[i].v[c]);
    for (uint32_t i = 0; i < b->range.bounds_count; i++) {
        if (b->bounds[i].iv.has_lo)
            model_datum_free(&b->bounds[i].iv.lo);
        if (b->bounds[i].iv.has_hi)
            model_datum_free(&b->bounds[i].iv.hi);
    }
    mem_free(b->rows);
    mem_free(b->absent);
    memset(b, 0, sizeof *b);
}

static int model_rowid_cmp(const void *a, const void *b)
{
    const struct model_row *x = a;
    const struct model_row *y = b;

    return x->rowid < y->rowid ? -1 : x->rowid > y->rowid;
}

static void model_expire(struct model *m, int64_t now_ns)
{
    size_t keep = 0;

    for (size_t i = 0; i < m->count; i++) {
        bool gone = rows_expired(m->rows[i].expiry_ns, now_ns);
        for (uint32_t c = 0; gone && c < m->t->columns_count; c++)
            model_datum_free(&m->rows[i].v[c]);
        if (!gone)
            m->rows[keep++] = m->rows[i];
    }
    m->count = keep;
}

static int model_u64_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The shard gives row ids as it likes, only their order is the model's: takes over the real ones.
 * False: scan failed. */
static bool model_learn_rowids(struct model *m, struct shard *s)
{
    uint16_t col = (uint16_t)(m->t->columns_count + HIDDEN_ROWID);
    struct scan_spec spec = {.table = m->t, .cols = &col, .cols_count = 1};
    struct snapshot *snap = shard_snapshot(s);
    struct scan *scan = NULL;
    uint64_t *ids = mem_alloc_array(NULL, m->count + 1, sizeof *ids);
    struct batch b;
    size_t at = 0;
    int rc;

    DN_ASSERT(snap && ids);
    model_expire(m, snapshot_now(snap));
    qsort(m->rows, m->count, sizeof *m->rows, model_rowid_cmp);
    rc = scan_open(snap, &spec, &scan, NULL);
    while (rc == DN_OK && (rc = scan_next(scan, &b, NULL)) == DN_OK)
        for (uint32_t i = 0; i < b.sel_count && at < m->count; i++)
            ids[at++] = (uint64_t)vec_i64(&b.cols[0], b.sel ? b.sel[i] : i);
    qsort(ids, at, sizeof *ids, model_u64_cmp); /* they came slab by slab */
    for (size_t i = 0; i < at; i++)
        m->rows[i].rowid = ids[i];
    mem_free(ids);
    scan_close(scan);
    snapshot_free(snap);
    m->rowid_next = m->count ? m->rows[m->count - 1].rowid + 1 : m->rowid_next;
    return rc == DN_EOF && at == m->count;
}

struct model_batch
model_random_change(struct rng *r, struct model *m, struct shard *s, uint32_t rows_max)
{
    struct model_batch b = model_random_batch(r, m->t, rows_max);

    if (b.op == ROW_RANGE || m->t->form != KEY_NONE || m->count == 0 || rng_below(r, 3) ||
        !model_learn_rowids(m, s) || m->count == 0)
        return b;
    b.existing = true;
    b.op = rng_below(r, 2) ? ROW_DELETE : ROW_PUT;
    for (uint32_t i = 0; b.op == ROW_DELETE && i < b.count; i++)
        b.rows[i].expiry_ns = ROW_NEVER;
    for (uint32_t i = 0; i < b.count; i++) {
        const struct model_row *row = &m->rows[rng_below(r, (uint32_t)m->count)];
        b.rows[i].rowid = row->rowid;
        if (m->t->time_col >= 0) /* a row that goes to another slab is another row */
            b.rows[i].v[m->t->time_col] = row->v[m->t->time_col];
    }
    return b;
}

static size_t
model_find(const struct model *m, const struct model_batch *b, const struct model_row *row)
{
    for (size_t i = 0; b->existing && i < m->count; i++)
        if (m->rows[i].rowid == row->rowid)
            return i;
    for (size_t i = 0; m->t->form != KEY_NONE && i < m->count; i++) {
        bool same = true;
        for (uint32_t k = 0; same && k < m->t->local_count; k++) {
            uint32_t c = m->t->local[k].col;
            same = datum_cmp(&m->rows[i].v[c], &row->v[c]) == 0;
        }
        if (same)
            return i;
    }
    return SIZE_MAX;
}

bool model_in(const struct interval *iv, const struct datum *d)
{
    int lo = iv->has_lo ? datum_cmp(&iv->lo, d) : -1;
    int hi = iv->has_hi ? datum_cmp(d, &iv->hi) : -1;

    return !d->null && (lo < 0 || (lo == 0 && iv->lo_incl)) && (hi < 0 || (hi == 0 && iv->hi_incl));
}

static void model_apply_range(struct model *m, const struct model_batch *b)
{
    const struct table *t = m->t;
    size_t keep = 0;

    for (size_t i = 0; i < m->count; i++) {
        struct model_row *row = &m->rows[i];
        int64_t slab = t->time_col < 0 ? 0 : table_slab(t, row->v[t->time_col].v.i64);
        bool hit = slab >= b->range.slab_min && slab <= b->range.slab_max;
        for (uint32_t k = 0; k < b->range.bounds_count; k++)
            hit = hit &&
                  model_in(&b->bounds[k].iv, &row->v[table_column_by_id(t, b->bounds[k].col_id)]);
        for (uint32_t c = 0; hit && c < t->columns_count; c++)
            model_datum_free(&row->v[c]);
        if (!hit)
            m->rows[keep++] = *row;
    }
    m->count = keep;
}

void model_apply(struct model *m, const struct model_batch *b)
{
    if (b->op == ROW_RANGE) {
        model_apply_range(m, b);
        return;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        size_t at = model_find(m, b, &b->rows[i]);
        struct model_row *row;
        if (b->op == ROW_DELETE) {
            if (at == SIZE_MAX)
                continue;
            for (uint32_t c = 0; c < m->t->columns_count; c++)
                model_datum_free(&m->rows[at].v[c]);
            m->rows[at] = m->rows[--m->count];
            continue;
        }
        if (at == SIZE_MAX) {
            row = model_push(m);
            row->rowid = b->existing ? b->rows[i].rowid : m->rowid_next++;
            for (uint32_t c = 0; c < m->t->columns_count; c++) {
                struct datum none = {.type = m->t->columns[c].type, .null = true};
                row->v[c] =
                    model_datum_copy(m->t->columns[c].has_default ? &m->t->columns[c].def : &none);
            }
        } else {
            row = &m->rows[at];
        }
        row->expiry_ns = b->rows[i].expiry_ns;
        for (uint32_t c = 0; c < m->t->columns_count; c++) {
            if (b->absent[i][c])
                continue;
            model_datum_free(&row->v[c]);
            row->v[c] = model_datum_copy(&b->rows[i].v[c]);
        }
    }
}

/* As one instant where they are the same. */
static void model_expiries(const struct model_batch *b, int64_t *room, struct shard_batch *to)
{
    bool same = true;

    for (uint32_t i = 0; room && i < b->count; i++) {
        room[i] = b->rows[i].expiry_ns;
        same = same && room[i] == room[0];
    }
    to->expiries = same ? NULL : room;
    to->expiry_ns = same && room ? room[0] : ROW_NEVER;
}

int model_write(struct shard *s,
                const struct table *t,
                const struct model_batch *b,
                bool sync,
                struct dn_err *err)
{
    struct colbuf bufs[MODEL_COLS_MAX];
    struct vec vecs[MODEL_COLS_MAX];
    struct shard_batch batch = {.table = t, .cols = vecs, .rows = b->count, .op = b->op};
    int64_t *rowids = mem_alloc_array(NULL, 2 * (size_t)b->count, sizeof *rowids);
    struct arena arena;
    bool ok = rowids != NULL;
    struct range range = b->range;
    int rc;

    if (b->op == ROW_RANGE) {
        struct range_bound bounds[MODEL_COLS_MAX];
        memcpy(bounds, b->bounds, sizeof bounds);
        range.bounds = bounds;
        batch = (struct shard_batch){.table = t, .op = ROW_RANGE, .range = &range};
        mem_free(rowids);
        return shard_write(s, &batch, 1, sync, NULL, err);
    }
    arena_init(&arena, NULL);
    for (uint32_t c = 0; c < t->columns_count; c++)
        colbuf_init(&bufs[c], t->columns[c].type, NULL, &arena);
    for (uint32_t i = 0; ok && i < b->count; i++)
        for (uint32_t c = 0; ok && c < t->columns_count; c++)
            ok = b->absent[i][c] ? colbuf_append_absent(&bufs[c])
                                 : colbuf_append(&bufs[c], &b->rows[i].v[c]);
    for (uint32_t i = 0; ok && i < b->count; i++)
        rowids[i] = (int64_t)b->rows[i].rowid;
    batch.rowids = b->existing ? rowids : NULL;
    model_expiries(b, ok ? rowids + b->count : NULL, &batch);
    if (ok) {
        for (uint32_t c = 0; c < t->columns_count; c++)
            vecs[c] = colbuf_vec(&bufs[c], 0, b->count);
        rc = shard_write(s, &batch, 1, sync, NULL, err);
    } else {
        rc = DN_FAIL_NOMEM(err);
    }
    for (uint32_t c = 0; c < t->columns_count; c++)
        colbuf_done(&bufs[c]);
    arena_done(&arena);
    mem_free(rowids);
    return rc;
}
