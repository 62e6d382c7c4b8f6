/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_series.c: see sort_series.h. */
#include "exec/sort_series.h"

#include "exec/exec_int.h"
#include "exec/quota.h"
#include "exec/team.h"
#include "vec/normkey.h"

#include <stdlib.h>
#include <string.h>

#define SERIES_MAX  (1u << 16)
#define SERIES_ROWS 512u /* of a series, on the average, at least */

bool exec_series_ordered(const struct plan_node *sort)
{
    struct exec_quota_plan plan;

    if (sort->limit || !exec_quota_order(sort, &plan))
        return false;
    /* From the end, rows that the keys do not tell apart would come the other way round. */
    return !plan.backward || sort->keys_count == (uint32_t)plan.scan->table->series_count +
                                                     plan.scan->table->rest_count;
}

void exec_series_done(struct exec_series *s)
{
    if (!s->op)
        return;
    exec_close(s->op->input); /* its context is ours */
    s->op->input = NULL;
    exec_groups_done(&s->series);
    arena_done(&s->run);
    arena_done(&s->one);
    buf_done(&s->bytes);
    s->op = NULL;
}

/* ---- which series there are ---- */

/* The numbers are not wanted, only that they are there. */
static int
series_add(struct exec_series *s, struct exec_reader *r, const struct batch *in, struct dn_err *err)
{
    uint32_t ids[VEC_ROWS_MAX];
    bool one;

    return exec_groups_find(&s->series, s->keys, in, &r->batch, ids, &one, err);
}

/* The series of a unit. A block of several is split, and its vectors are the next units. */
static int
series_of_unit(struct exec_series *s, struct exec_reader *r, uint64_t *rows, struct dn_err *err)
{
    struct batch in = {.count = 1, .sel_count = 1};
    uint32_t count = s->scan->table->series_count;
    uint32_t known = 0;
    struct datum d;
    int rc;

    while (known < count && scan_unit_const(r->r, s->cols[known], &d)) {
        if (!vec_make_const(&r->batch, &d, 1, &s->keys[known]))
            return DN_FAIL_NOMEM(err);
        known++;
    }
    if (known < count && r->unit.kind == SCAN_BLOCK) {
        scan_unit_split(r->r);
        return 0;
    }
    *rows += r->unit.rows;
    if (known == count)
        return series_add(s, r, &in, err);
    rc = scan_unit_fetch(r->r, s->cols, count, &in, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        s->keys[i] = in.cols[s->cols[i]];
    return rc < 0 ? rc : series_add(s, r, &in, err);
}

/* Long series, and not too many of them? */
static bool series_worth(const struct exec_series *s, uint64_t rows)
{
    uint32_t least = exec_team_rows(s->op->ctx, SERIES_ROWS);

    return s->series.count <= SERIES_MAX && rows >= (uint64_t)s->series.count * least;
}

static int
series_collect(struct exec_series *s, struct exec_source *source, bool *ret, struct dn_err *err)
{
    const struct scan_reader_options options = {.blocks = true, .owner = &s->op->mem};
    struct exec_reader *r = mem_calloc(&s->op->mem, 1, sizeof *r);
    uint64_t rows = 0;
    int rc;

    if (!r)
        return DN_FAIL_NOMEM(err);
    rc = exec_reader_open(r, source, &options, err);
    while (rc == 0) {
        rc = exec_reader_next(r, err);
        if (rc == 0)
            rc = series_of_unit(s, r, &rows, err);
        if (s->series.count > SERIES_MAX)
            break;
    }
    exec_reader_close(r);
    mem_free(r);
    *ret = series_worth(s, rows);
    return rc < 0 ? rc : 0;
}

/* ---- their order ---- */

static int series_cmp(const void *a, const void *b)
{
    const struct exec_series_key *l = a;
    const struct exec_series_key *r = b;
    int c = memcmp(l->key, r->key, l->len < r->len ? l->len : r->len);

    return c ? c : l->len < r->len ? -1 : l->len > r->len;
}

static int series_sort(struct exec_series *s, const uint32_t *key_cols, struct dn_err *err)
{
    const struct plan_node *sort = s->op->node;
    uint32_t count = s->series.count;
    size_t *ends = arena_alloc_array(&s->run, (size_t)count + 1, sizeof *ends);

    s->order = arena_alloc_array(&s->run, (size_t)count + 1, sizeof *s->order);
    if (!s->order || !ends)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < s->scan->table->series_count; k++) {
            struct vec v = colbuf_vec(&s->series.keys[key_cols[k]], 0, count);

            normkey_append_vec(&s->bytes, &v, i, sort->keys[k].desc);
        }
        ends[i] = s->bytes.len;
    }
    if (s->bytes.failed)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        size_t start = i ? ends[i - 1] : 0;

        s->order[i] =
            (struct exec_series_key){.key = s->bytes.data + start, .len = ends[i] - start, .id = i};
    }
    if (count)
        qsort(s->order, count, sizeof *s->order, series_cmp);
    return 0;
}

int exec_series_start(struct exec_series *s, struct op *op, bool *ret, struct dn_err *err)
{
    struct exec_quota_plan plan;
    struct exec_source *source;
    struct op *in = op->input;
    enum type_id *types;
    uint32_t *key_cols;
    uint32_t count;
    int rc;

    *ret = false;
    if (!exec_fast(op->ctx) || !exec_series_ordered(op->node) || !exec_quota_order(op->node, &plan))
        return 0;
    while (in->ops != &op_scan_ops)
        in = in->input;
    source = exec_source_of(in);
    if (!source || source->quota || source->bound.wanted)
        return 0;
    count = plan.scan->table->series_count;
    s->op = op;
    s->scan = plan.scan;
    s->backward = plan.backward;
    arena_init(&s->run, &op->mem);
    arena_init(&s->one, &op->mem);
    buf_init(&s->bytes, &op->mem);
    types = arena_alloc_array(&s->run, count, sizeof *types);
    key_cols = arena_alloc_array(&s->run, count, sizeof *key_cols);
    s->cols = arena_alloc_array(&s->run, count, sizeof *s->cols);
    s->keys = arena_calloc(&s->run, count, sizeof *s->keys);
    if (!types || !key_cols || !s->cols || !s->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) { /* in the order of the sort's keys */
        s->cols[i] = plan.cols[i];
        key_cols[i] = i;
        types[i] = plan.scan->cols[plan.cols[i]].type;
    }
    rc = exec_groups_init(&s->series, types, count, &op->mem, err);
    if (rc == 0)
        rc = series_collect(s, source, ret, err);
    if (rc == 0 && *ret)
        rc = series_sort(s, key_cols, err);
    if (rc < 0)
        return rc;
    exec_close(op->input);
    op->input = NULL;
    if (*ret)
        return 0;
    exec_series_done(s);
    return exec_need_input(op, err);
}

/* ---- one after the other ---- */

/* column = value, as a condition of the scan. */
static struct bexpr *series_cond(struct exec_series *s, uint32_t col, const struct datum *d)
{
    enum type_id types[2] = {d->type, d->type};
    enum type_id casts[2];
    struct dn_err err;
    const struct func *f = func_find("=", types, 2, casts, 0, &err);
    struct bexpr *e = arena_calloc(&s->one, 3, sizeof *e);
    struct bexpr **args = arena_alloc_array(&s->one, 2, sizeof(struct bexpr *));

    if (!f || !e || !args)
        return NULL;
    args[0] = &e[1];
    args[1] = &e[2];
    e[0] = (struct bexpr){
        .kind = BEXPR_CALL, .type = f->result, .func = f, .args = args, .args_count = 2};
    e[1] = (struct bexpr){.kind = BEXPR_COLUMN, .type = d->type, .col = col};
    e[2] = (struct bexpr){.kind = BEXPR_CONST, .type = d->type, .value = *d};
    return e;
}

/* Opens the input for the series at hand: it prunes the scan, and other rows do not pass. */
static int series_open(struct exec_series *s, struct dn_err *err)
{
    uint32_t count = s->scan->table->series_count;
    uint32_t id = s->order[s->at].id;
    struct exec_source *source;
    struct op *in;
    int rc;

    arena_reset(&s->one);
    s->inner = *s->op->ctx;
    for (uint32_t i = 0; i < count; i++) {
        struct exec_prune *p = arena_calloc(&s->one, 1, sizeof *p);
        struct interval *set = arena_calloc(&s->one, 1, sizeof *set);
        struct datum d = colbuf_datum(&s->series.keys[i], id);

        if (!p || !set)
            return DN_FAIL_NOMEM(err);
        *set = (struct interval){
            .has_lo = true, .has_hi = true, .lo_incl = true, .hi_incl = true, .lo = d, .hi = d};
        *p = (struct exec_prune){
            .next = s->inner.prunes,
            .scan = s->scan,
            .pred = {.col = s->scan->scan_cols[s->cols[i]], .set = set, .set_count = 1},
            .instead = true};
        s->inner.prunes = p;
    }
    rc = exec_open_node(s->op->node->input, &s->inner, &s->op->input, err);
    if (rc < 0)
        return rc;
    in = s->op->input;
    while (in->ops != &op_scan_ops)
        in = in->input;
    source = exec_source_of(in);
    if (s->backward)
        scan_reverse(source->scan);
    source->backward = s->backward;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        struct datum d = colbuf_datum(&s->series.keys[i], id);
        const struct bexpr *e = series_cond(s, s->cols[i], &d);

        rc = e ? exec_source_push(source, e, err) : DN_FAIL_NOMEM(err);
    }
    return rc;
}

int exec_series_next(struct exec_series *s, struct batch *ret, struct dn_err *err)
{
    int rc;

    for (;;) {
        if (!s->op->input) {
            if (s->at == s->series.count)
                return DN_EOF;
            rc = series_open(s, err);
            if (rc < 0)
                return rc;
        }
        rc = exec_pull(s->op->input, ret, err);
        if (rc != DN_EOF)
            return rc;
        exec_close(s->op->input);
        s->op->input = NULL;
        s->at++;
    }
}
