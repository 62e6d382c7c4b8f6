/* SPDX-License-Identifier: Apache-2.0
 *
 * bound.c: see bound.h. */
#include "exec/bound.h"

#include "exec/exec_int.h"
#include "exec/source.h"

/* ---- finding the scan ---- */

/* Every row of the operator has the columns of one row of its input, at the same places or moved.
 */
static bool bound_passes(const struct op *op)
{
    return op->ops == &op_project_ops || op->ops == &op_filter_ops || op->ops == &op_join_ops;
}

/* The column of the scan that a column of what is above it is; false: none. */
static bool bound_col(const struct op *input, uint32_t col, uint32_t *ret)
{
    for (; bound_passes(input); input = input->input) {
        if (input->ops == &op_project_ops) {
            const struct bexpr *e = input->node->exprs[col];

            if (e->kind != BEXPR_COLUMN)
                return false;
            col = e->col;
        }
        if (col >= input->node->input->cols_count)
            return false; /* of the right side of a join */
    }
    *ret = col;
    return true;
}

/* May the first key come from the left side of all joins? Before any of them is asked to begin. */
static bool bound_left_key(const struct plan_node *n, uint32_t col)
{
    for (; n->kind == PLAN_PROJECT || n->kind == PLAN_FILTER || n->kind == PLAN_JOIN;
         n = n->input) {
        if (n->kind == PLAN_PROJECT && n->exprs[col]->kind != BEXPR_COLUMN)
            return false;
        if (n->kind == PLAN_PROJECT)
            col = n->exprs[col]->col;
        if (col >= n->input->cols_count)
            return false;
    }
    return n->kind == PLAN_SCAN;
}

/* May rows of the scan be lost on the way, by joins or by filters that it does not know? */
static bool bound_drops(const struct op *input)
{
    for (; bound_passes(input); input = input->input)
        if (input->ops == &op_join_ops ||
            (input->ops == &op_filter_ops && !op_filter_pushed(input)))
            return true;
    return false;
}

static int bound_scan(struct op *input, struct op **ret, struct dn_err *err)
{
    int rc = 0;

    while (rc == 0 && input && bound_passes(input)) {
        if (input->ops == &op_join_ops)
            rc = op_join_left(input, &input, err);
        else
            input = input->input;
    }
    *ret = input;
    return rc;
}

/* Are the rows that the sort wants at the end of the scan? The order of a run tells if its first
 * column is the first key, else what zones say of the column. */
static bool bound_at_end(const struct exec_source *source, const struct exec_bound_key *key)
{
    const struct table *t = source->node->table;
    int trend;

    if (t->rest_count > 0 && t->rest[0].col == source->node->scan_cols[key->col])
        return t->rest[0].desc != key->desc;
    trend = scan_trend(source->scan, key->col);
    return key->desc ? trend > 0 : trend < 0;
}

int exec_bound_find(struct op *input,
                    const struct plan_node *sort,
                    uint32_t keep,
                    struct exec_source **ret,
                    struct dn_err *err)
{
    struct exec_source *source = NULL;
    struct op *scan = NULL;
    struct exec_bound *b;
    bool reverse;
    uint32_t col;
    int rc = 0;

    *ret = NULL;
    if (sort->keys_count == 0 || !exec_fast(input->ctx) ||
        !bound_left_key(input->node, sort->keys[0].col))
        return 0;
    rc = bound_scan(input, &scan, err);
    if (rc < 0 || !scan)
        return rc;
    source = exec_source_of(scan);
    if (!source)
        return 0;
    b = &source->bound;
    *b = (struct exec_bound){.wanted = true};
    for (uint32_t k = 0; k < sort->keys_count && k < EXEC_BOUND_KEYS_MAX; k++) {
        if (!bound_col(input, sort->keys[k].col, &col))
            break;
        b->keys[k] = (struct exec_bound_key){.col = col,
                                             .desc = sort->keys[k].desc,
                                             .nulls_first = sort->keys[k].nulls_first,
                                             .phys = type_phys(source->node->cols[col].type)};
        buf_init(&b->keys[k].text, source->owner);
        b->keys_count++;
    }
    b->strict = b->keys_count == sort->keys_count;
    reverse = bound_at_end(source, &b->keys[0]);
    if (reverse)
        scan_reverse(source->scan);
    *ret = source;
    /* Rows that zones tell of must be rows of the result. */
    return bound_drops(input) ? 0 : exec_bound_guess(source, keep, reverse, err);
}

void exec_bound_init(struct exec_bound *b, const struct plan_node *sort, struct mem_owner *owner)
{
    const struct plan_sort_key *key = &sort->keys[0];

    *b = (struct exec_bound){.keys_count = 1, .strict = sort->keys_count == 1};
    b->keys[0] = (struct exec_bound_key){.col = key->col,
                                         .desc = key->desc,
                                         .nulls_first = key->nulls_first,
                                         .phys = type_phys(sort->input->cols[key->col].type)};
    buf_init(&b->keys[0].text, owner);
}

int exec_bound_tighten(struct exec_bound *b, const struct datum *keys, struct dn_err *err)
{
    if (keys[0].null)
        return 0;
    for (uint32_t i = 0; i < b->keys_count; i++) {
        struct exec_bound_key *k = &b->keys[i];

        k->value = keys[i];
        if (k->phys != PHYS_STR || k->value.null)
            continue;
        buf_reset(&k->text);
        buf_append(&k->text, keys[i].str.ptr, keys[i].str.len);
        if (k->text.failed)
            return DN_FAIL_NOMEM(err);
        k->value.str.ptr = (const char *)k->text.data;
    }
    b->set = true;
    b->guess = false;
    return 0;
}

void exec_bound_done(struct exec_bound *b)
{
    for (uint32_t i = 0; i < b->keys_count; i++)
        buf_done(&b->keys[i].text);
    *b = (struct exec_bound){.wanted = false};
}

/* ---- testing ---- */

/* Where is the value in the order of the sort: before the bound's (< 0), equal, or after? */
static int bound_cmp(const struct exec_bound_key *k, const struct datum *d)
{
    int c;

    if (d->null || k->value.null) {
        if (d->null && k->value.null)
            return 0;
        return d->null == k->nulls_first ? -1 : 1;
    }
    c = datum_cmp(d, &k->value);
    return k->desc ? -c : c;
}

/* The value is that of key i; does it tell that the row comes too late? */
static bool bound_late(const struct exec_bound *b, uint32_t i, int c)
{
    return c > 0 || (c == 0 && b->strict && !b->guess && i + 1 == b->keys_count);
}

int exec_bound_zone(const struct exec_bound *b, uint32_t i, const struct zone *z)
{
    const struct exec_bound_key *k = &b->keys[i];
    struct datum best = {.null = true};
    int c;

    if (z->nulls < z->rows && !(z->nulls && k->nulls_first)) {
        if (!z->has_range)
            return -1;
        best = k->desc ? z->max : z->min;
    }
    c = bound_cmp(k, &best);
    return bound_late(b, i, c) ? 1 : c;
}

/* `late` is the test of a value x that is not NULL; NaN is after all other values. */
#define BOUND_LOOP(T, late)                                         \
    do {                                                            \
        const T *data = v->data;                                    \
        for (uint32_t i = 0; i < in->sel_count; i++) {              \
            uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;      \
            T x = data[row];                                        \
            sel[n] = row;                                           \
            n += vec_bit(v->nulls, row) ? k->nulls_first : !(late); \
        }                                                           \
    } while (0)

#define BOUND_LOOPS(T)                    \
    do {                                  \
        if (k->desc && strict)            \
            BOUND_LOOP(T, x <= bound);    \
        else if (k->desc)                 \
            BOUND_LOOP(T, x < bound);     \
        else if (strict)                  \
            BOUND_LOOP(T, !(x < bound));  \
        else                              \
            BOUND_LOOP(T, !(x <= bound)); \
        return n;                         \
    } while (0)

/* Values one by one, whatever their type and form. */
static uint32_t bound_select_any(const struct exec_bound *b, const struct batch *in, uint16_t *sel)
{
    const struct exec_bound_key *k = &b->keys[0];
    uint32_t n = 0;

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;
        struct datum d = vec_datum(&in->cols[k->col], row);

        sel[n] = row;
        n += !bound_late(b, 0, bound_cmp(k, &d));
    }
    return n;
}

/* FLAT numbers: the type is decided once. A bound that is NaN is none for these loops. */
static uint32_t bound_select_flat(const struct exec_bound *b, const struct batch *in, uint16_t *sel)
{
    const struct exec_bound_key *k = &b->keys[0];
    const struct vec *v = &in->cols[k->col];
    bool strict = b->strict && !b->guess && b->keys_count == 1;
    uint32_t n = 0;

    switch (k->phys) {
    case PHYS_I8: {
        int64_t bound = k->value.v.i64;
        BOUND_LOOPS(int8_t);
    }
    case PHYS_I16: {
        int64_t bound = k->value.v.i64;
        BOUND_LOOPS(int16_t);
    }
    case PHYS_I32: {
        int64_t bound = k->value.v.i64;
        BOUND_LOOPS(int32_t);
    }
    case PHYS_I64: {
        int64_t bound = k->value.v.i64;
        BOUND_LOOPS(int64_t);
    }
    case PHYS_F32: {
        float bound = (float)k->value.v.f64;
        if (bound == bound)
            BOUND_LOOPS(float);
        break;
    }
    case PHYS_F64: {
        double bound = k->value.v.f64;
        if (bound == bound)
            BOUND_LOOPS(double);
        break;
    }
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return bound_select_any(b, in, sel);
}

/* A DICT: entries are compared, not rows. */
static uint32_t bound_select_dict(const struct exec_bound *b, const struct batch *in, uint16_t *sel)
{
    const struct exec_bound_key *k = &b->keys[0];
    const struct vec *v = &in->cols[k->col];
    struct vec entries = {
        .type = v->type, .form = VEC_FLAT, .count = v->dict_count, .data = v->data};
    bool counts[VEC_ROWS_MAX];
    uint32_t n = 0;

    for (uint32_t e = 0; e < v->dict_count; e++) {
        struct datum d = vec_datum(&entries, e);

        counts[e] = !bound_late(b, 0, bound_cmp(k, &d));
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;

        sel[n] = row;
        n += vec_bit(v->nulls, row) ? k->nulls_first : counts[v->codes[row]];
    }
    return n;
}

uint32_t exec_bound_select(const struct exec_bound *b, const struct batch *in, uint16_t *sel)
{
    const struct vec *v = &in->cols[b->keys[0].col];

    if (v->form == VEC_FLAT)
        return bound_select_flat(b, in, sel);
    if (v->form == VEC_DICT && v->dict_count <= in->sel_count)
        return bound_select_dict(b, in, sel);
    return bound_select_any(b, in, sel);
}

uint32_t exec_bound_select_all(const struct exec_bound *b, const struct batch *in, uint16_t *sel)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;
        uint32_t k = 0;
        int c;

        do {
            struct datum d = vec_datum(&in->cols[b->keys[k].col], row);

            c = bound_cmp(&b->keys[k], &d);
            k++;
        } while (c == 0 && k < b->keys_count);
        sel[n] = row;
        n += !bound_late(b, k - 1, c);
    }
    return n;
}
