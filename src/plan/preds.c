/* SPDX-License-Identifier: Apache-2.0
 *
 * preds.c: what a WHERE clause says about single columns, for pruning.
 *
 * For a condition e the walk computes, per column, a set that holds the column's value in every row
 * where e is TRUE (or, asked the other way, where e is FALSE). The sets may be too wide, never too
 * narrow; what is not understood gives no constraint. Going down a NOT swaps TRUE and FALSE; an AND
 * that must be TRUE intersects, one that must be FALSE unites (and the reverse for OR). A
 * comparison with NULL is neither, so a constrained column is never NULL in a row that counts.
 *
 * Constants and parameters are evaluated here; if that fails there is no constraint and the error
 * comes up when the filter runs. */
#include "plan/bind.h"
#include "plan/interval.h"
#include "plan/limits.h"
#include "plan/preds_cons.h"
#include "plan/preds_mono.h"

#include "catalog/settings.h"
#include "vec/array.h"

#include <math.h>

struct pred_walk {
    const struct plan_node *scan;
    struct arena *arena;
    struct eval ev;
};

/* ---- leaves ---- */

/* 1: its value is not known. */
static int
pred_value(struct pred_walk *w, const struct bexpr *e, struct datum *ret, struct dn_err *err)
{
    struct dn_err local;
    int rc;

    if (!expr_is_const(e, true))
        return 1;
    rc = expr_eval_datum(e, &w->ev, ret, &local);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc < 0 || (!ret->null && type_is_float(ret->type) && isnan(ret->v.f64)))
        return 1;
    return datum_copy(w->arena, ret, ret) ? 0 : DN_FAIL_NOMEM(err);
}

/* The column under e, or under a cast of it that keeps every value: to a wider number, a finer
 * time. */
static const struct bexpr *pred_column(const struct bexpr *e)
{
    const struct bexpr *x;

    if (e->kind == BEXPR_COLUMN)
        return e;
    if (e->kind != BEXPR_CALL || e->args_count != 1 || e->args[0]->kind != BEXPR_COLUMN)
        return NULL;
    x = e->args[0];
    if (e->func != func_cast(x->type, e->type, true))
        return NULL;
    if ((x->type == TYPE_REAL && e->type == TYPE_DOUBLE) ||
        (type_is_int(x->type) && type_is_int(e->type)) ||
        (type_is_timestamp(x->type) && type_is_timestamp(e->type)))
        return x;
    return NULL;
}

/* A REAL column compared with a double: bounds are rounded outwards to floats. */
static int pred_real(struct pred_walk *w,
                     enum expr_op op,
                     uint32_t col,
                     double d,
                     struct pred_cons *ret,
                     struct dn_err *err)
{
    struct interval *v = arena_calloc(w->arena, 1, sizeof(*v));
    float down, up;

    *ret = (struct pred_cons){.never = false};
    if (!v)
        return DN_FAIL_NOMEM(err);
    if (op == OP_NE || fabs(d) > 3.4028234663852886e38)
        return 0;
    down = up = (float)d;
    if ((double)down > d)
        down = nextafterf(down, -INFINITY);
    if ((double)up < d)
        up = nextafterf(up, INFINITY);
    v->has_lo = v->lo_incl = op == OP_EQ || op == OP_GT || op == OP_GE;
    v->has_hi = v->hi_incl = op == OP_EQ || op == OP_LT || op == OP_LE;
    v->lo = (struct datum){.type = TYPE_REAL, .v = {.f64 = (double)down}};
    v->hi = (struct datum){.type = TYPE_REAL, .v = {.f64 = (double)up}};
    return pred_one(w->arena, col, (struct iset){.v = v, .n = 1}, ret, err);
}

/* f(column) op d, f never falling: a range of the column. */
static int pred_mono(struct pred_walk *w,
                     const struct bexpr *e,
                     enum expr_op op,
                     const struct datum *d,
                     struct pred_cons *ret,
                     struct dn_err *err)
{
    const struct bexpr *col = mono_column(e);
    struct interval *v = arena_calloc(w->arena, 1, sizeof(*v));
    int64_t least = 0;

    if (!v)
        return DN_FAIL_NOMEM(err);
    *ret = (struct pred_cons){.never = false};
    if (op == OP_EQ || op == OP_GE || op == OP_GT) {
        v->has_lo = v->lo_incl = mono_least(e, &w->ev, d, op == OP_GT, &least);
        v->lo = (struct datum){.type = col->type, .v = {.i64 = least}};
    }
    if (op == OP_EQ || op == OP_LE || op == OP_LT) {
        v->has_hi = v->hi_incl = mono_least(e, &w->ev, d, op != OP_LT, &least);
        if (v->has_hi && least == bind_int_min(col->type)) { /* every value is beyond */
            ret->never = true;
            return 0;
        }
        v->hi = (struct datum){.type = col->type, .v = {.i64 = v->has_hi ? least - 1 : 0}};
    }
    if (!v->has_lo && !v->has_hi)
        return 0;
    if (v->has_lo && v->has_hi && v->lo.v.i64 > v->hi.v.i64) {
        ret->never = true;
        return 0;
    }
    return pred_one(w->arena, col->col, (struct iset){.v = v, .n = 1}, ret, err);
}

/* The side that is about a column, in *ret_col (or NULL) and *ret_e; the other in *ret_other. */
static enum expr_op pred_sides(const struct bexpr *e,
                               const struct bexpr **ret_e,
                               const struct bexpr **ret_col,
                               const struct bexpr **ret_other)
{
    enum expr_op op = bind_op_of(e);

    for (int i = 0; i < 2; i++, op = bind_op_flip(op)) {
        *ret_e = e->args[i];
        *ret_other = e->args[1 - i];
        *ret_col = pred_column(e->args[i]);
        if (*ret_col || mono_column(e->args[i]))
            return op;
    }
    *ret_e = NULL;
    return op;
}

/* May zones have bounds of such values? Those of an INTERVAL or NUMERIC have them in the key. */
static bool pred_bounded(const struct pred_walk *w, const struct bexpr *e)
{
    uint32_t col;

    if (!type_is_wide(e->type))
        return !type_is_array(e->type);
    if (e->kind != BEXPR_COLUMN)
        return false;
    col = w->scan->scan_cols[e->col];
    return col < w->scan->table->columns_count && w->scan->table->columns[col].key_pos > 0;
}

static int pred_compare(struct pred_walk *w,
                        const struct bexpr *e,
                        bool want,
                        struct pred_cons *ret,
                        struct dn_err *err)
{
    const struct bexpr *side, *col, *other;
    enum expr_op op = pred_sides(e, &side, &col, &other);
    struct iset set;
    struct datum d;
    bool same; /* compared as it is stored, or d was brought to what means the same there */
    int rc;

    *ret = (struct pred_cons){.never = false};
    if (!side || !pred_bounded(w, side))
        return 0;
    rc = pred_value(w, other, &d, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    if (d.null) {
        ret->never = true;
        return 0;
    }
    if (!want)
        op = bind_op_negate(op);
    if (!col)
        return d.type == side->type ? pred_mono(w, side, op, &d, ret, err) : 0;
    if (col->type == TYPE_REAL && d.type == TYPE_DOUBLE)
        return pred_real(w, op, col->col, d.v.f64, ret, err);
    same = type_is_int(col->type) || type_is_timestamp(col->type) ||
           (d.type == col->type && (col == e->args[0] || col == e->args[1]));
    if (d.type != col->type && !bind_bring_down(col->type, &d, &op))
        return 0;
    if (!iset_compare(w->arena, op, &d, &set))
        return DN_FAIL_NOMEM(err);
    rc = pred_one(w->arena, col->col, set, ret, err);
    ret->exact = same;
    return rc;
}

/* x is one of the points (or, with `others`, none of them). */
static int pred_points(struct pred_walk *w,
                       uint32_t col,
                       struct datum *points,
                       uint32_t n,
                       bool others,
                       struct pred_cons *ret,
                       struct dn_err *err)
{
    struct iset set;
    int rc;

    if (!iset_points(w->arena, points, n, others, &set))
        return DN_FAIL_NOMEM(err);
    rc = pred_one(w->arena, col, set, ret, err);
    ret->exact = n <= PRED_EXACT_MAX;
    return rc;
}

/* x = ANY (array). Of an empty one nothing is said about x where x <> ALL is wanted: NULL, too, is
 * what that lets pass. */
static int pred_any(struct pred_walk *w,
                    const struct bexpr *e,
                    bool others,
                    struct pred_cons *ret,
                    struct dn_err *err)
{
    struct varray items;
    struct datum d;
    uint32_t n = 0;
    int rc = pred_value(w, e->args[1], &d, err);

    if (rc != 0)
        return rc < 0 ? rc : 0;
    ret->never = d.null;
    if (d.null)
        return 0;
    rc = varray_read(d.str, e->args[0]->type, NULL, w->arena, &items);
    if (rc != 0)
        return rc < 0 ? DN_FAIL_NOMEM(err) : 0;
    for (uint32_t i = 0; i < items.count; i++) {
        if (items.items[i].null && others) {
            ret->never = true;
            return 0;
        }
        if (type_is_float(items.elem) && !items.items[i].null && isnan(items.items[i].v.f64))
            return 0;
        if (!items.items[i].null)
            items.items[n++] = items.items[i];
    }
    if (others && n == 0)
        return 0;
    return pred_points(w, e->args[0]->col, items.items, n, others, ret, err);
}

static int pred_in(struct pred_walk *w,
                   const struct bexpr *e,
                   bool want,
                   struct pred_cons *ret,
                   struct dn_err *err)
{
    struct datum *points;
    uint32_t n = 0;
    bool others = e->negated == want; /* values that are not in the list */
    int rc;

    *ret = (struct pred_cons){.never = false};
    if (e->args[0]->kind != BEXPR_COLUMN)
        return 0;
    if (expr_in_array(e))
        return pred_any(w, e, others, ret, err);
    points = arena_alloc_array(w->arena, e->args_count, sizeof(*points));
    if (!points)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 1; i < e->args_count; i++) {
        rc = pred_value(w, e->args[i], &points[n], err);
        if (rc < 0)
            return rc;
        if (rc == 1 || (!points[n].null && points[n].type != e->args[0]->type))
            return 0;
        if (points[n].null && others) { /* x NOT IN (…, NULL) is never true */
            ret->never = true;
            return 0;
        }
        n += !points[n].null;
    }
    return pred_points(w, e->args[0]->col, points, n, others, ret, err);
}

/* A BOOLEAN column by itself. */
static int pred_flag(struct pred_walk *w,
                     const struct bexpr *e,
                     bool want,
                     struct pred_cons *ret,
                     struct dn_err *err)
{
    struct datum d = {.type = TYPE_BOOLEAN, .v = {.i64 = want}};
    struct iset set;
    int rc;

    if (!iset_compare(w->arena, OP_EQ, &d, &set))
        return DN_FAIL_NOMEM(err);
    rc = pred_one(w->arena, e->col, set, ret, err);
    ret->exact = true;
    return rc;
}

static int pred_is_null(struct pred_walk *w,
                        const struct bexpr *e,
                        bool want,
                        struct pred_cons *ret,
                        struct dn_err *err)
{
    const struct table *t = w->scan->table;
    struct iset set;
    int rc;

    *ret = (struct pred_cons){.never = false};
    if (e->kind != BEXPR_COLUMN)
        return 0;
    if (want) {
        ret->never = t->columns[w->scan->scan_cols[e->col]].not_null;
        return 0;
    }
    if (!iset_all(w->arena, &set))
        return DN_FAIL_NOMEM(err);
    rc = pred_one(w->arena, e->col, set, ret, err);
    ret->exact = true;
    return rc;
}

/* What starts with a text lies between it and the first text that starts otherwise: the last byte
 * raised by one. */
static int pred_starts(
    struct pred_walk *w, uint32_t col, struct vstr start, struct pred_cons *ret, struct dn_err *err)
{
    struct interval *v = arena_calloc(w->arena, 1, sizeof(*v));
    char *end = arena_dup(w->arena, start.ptr, start.len);
    uint32_t len = start.len;

    if (!v || !end)
        return DN_FAIL_NOMEM(err);
    v->has_lo = v->lo_incl = true;
    v->lo = (struct datum){.type = TYPE_VARCHAR, .str = start};
    while (len > 0 && (uint8_t)end[len - 1] == 0xff)
        len--;
    if (len > 0) {
        end[len - 1] = (char)((uint8_t)end[len - 1] + 1);
        v->has_hi = true;
        v->hi = (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = end, .len = len}};
    }
    return pred_one(w->arena, col, (struct iset){.v = v, .n = 1}, ret, err);
}

/* x LIKE 'abc%'. */
static int
pred_like(struct pred_walk *w, const struct bexpr *e, struct pred_cons *ret, struct dn_err *err)
{
    struct vstr escape = {"\\", 1};
    struct datum pattern, d;
    struct iset set;
    bool whole;
    char *text;
    int rc;

    *ret = (struct pred_cons){.never = false};
    if (e->args[0]->kind != BEXPR_COLUMN)
        return 0;
    rc = pred_value(w, e->args[1], &pattern, err);
    if (rc == 0 && e->args_count == 3) {
        rc = pred_value(w, e->args[2], &d, err);
        if (rc == 0 && d.null)
            rc = 1;
        escape = d.str;
    }
    if (rc != 0)
        return rc < 0 ? rc : 0;
    ret->never = pattern.null;
    if (pattern.null)
        return 0;
    text = arena_alloc(w->arena, (size_t)pattern.str.len + 1);
    if (!text)
        return DN_FAIL_NOMEM(err);
    d = (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = text}};
    d.str.len = func_like_prefix(pattern.str, escape, text, &whole);
    if (!whole)
        return d.str.len ? pred_starts(w, e->args[0]->col, d.str, ret, err) : 0;
    if (!iset_compare(w->arena, OP_EQ, &d, &set))
        return DN_FAIL_NOMEM(err);
    return pred_one(w->arena, e->args[0]->col, set, ret, err);
}

/* ---- the walk ---- */

static int pred_walk(struct pred_walk *w,
                     const struct bexpr *e,
                     bool want,
                     struct pred_cons *ret,
                     struct dn_err *err);

/* Halves, so that a long chain costs n log n. */
static int pred_chain(struct pred_walk *w,
                      struct bexpr *const *args,
                      uint32_t n,
                      bool both,
                      bool want,
                      struct pred_cons *ret,
                      struct dn_err *err)
{
    struct pred_cons a, b;
    int rc;

    if (n == 1)
        return pred_walk(w, args[0], want, ret, err);
    rc = pred_chain(w, args, n / 2, both, want, &a, err);
    if (rc == 0)
        rc = pred_chain(w, args + n / 2, n - n / 2, both, want, &b, err);
    if (rc < 0)
        return rc;
    return both ? pred_both(w->arena, &a, &b, ret, err) : pred_either(w->arena, &a, &b, ret, err);
}

static int pred_known(struct pred_walk *w,
                      const struct bexpr *e,
                      bool want,
                      struct pred_cons *ret,
                      struct dn_err *err)
{
    struct datum d;
    int rc = pred_value(w, e, &d, err);

    *ret = (struct pred_cons){.never = rc == 0 && (d.null || (d.v.i64 != 0) != want)};
    return rc < 0 ? rc : 0;
}

static int pred_walk(struct pred_walk *w,
                     const struct bexpr *e,
                     bool want,
                     struct pred_cons *ret,
                     struct dn_err *err)
{
    switch (e->kind) {
    case BEXPR_CONST:
    case BEXPR_PARAM:
        return pred_known(w, e, want, ret, err);
    case BEXPR_COLUMN:
        return pred_flag(w, e, want, ret, err);
    case BEXPR_AND:
        return pred_chain(w, e->args, e->args_count, want, want, ret, err);
    case BEXPR_OR:
        return pred_chain(w, e->args, e->args_count, !want, want, ret, err);
    case BEXPR_IN:
        return pred_in(w, e, want, ret, err);
    case BEXPR_CALL:
        if (bind_op_of(e) != OP_MAX)
            return pred_compare(w, e, want, ret, err);
        if ((e->func->flags & FUNC_OPERATOR) && e->args_count == 1) {
            if (strcmp(e->func->name, "not") == 0)
                return pred_walk(w, e->args[0], !want, ret, err);
            if (strcmp(e->func->name, "is null") == 0)
                return pred_is_null(w, e->args[0], want, ret, err);
            if (strcmp(e->func->name, "is not null") == 0)
                return pred_is_null(w, e->args[0], !want, ret, err);
            if (want && strcmp(e->func->name, "is true") == 0)
                return pred_walk(w, e->args[0], true, ret, err);
            if (want && strcmp(e->func->name, "is false") == 0)
                return pred_walk(w, e->args[0], false, ret, err);
        }
        if (want && (e->func->flags & FUNC_OPERATOR) && strcmp(e->func->name, "like") == 0)
            return pred_like(w, e, ret, err);
        break;
    case BEXPR_CASE:
    case BEXPR_COALESCE:
    case BEXPR_KIND_MAX:
        break;
    }
    *ret = (struct pred_cons){.never = false};
    return 0;
}

/* ---- out ---- */

static int pred_emit(struct pred_walk *w,
                     const struct pred_cons *c,
                     struct plan_preds *ret,
                     struct dn_err *err)
{
    const struct table *t = w->scan->table;
    struct scan_pred *out = arena_calloc(w->arena, (size_t)c->n + 1, sizeof(*out));
    uint32_t n = 0;

    if (!out)
        return DN_FAIL_NOMEM(err);
    if (c->never) /* any column will do: no value is allowed */
        n = 1;
    for (uint32_t i = 0; !c->never && i < c->n; i++) {
        uint16_t col = w->scan->scan_cols[c->v[i].col];

        if (iset_is_all(&c->v[i].set) && t->columns[col].not_null)
            continue;
        out[n++] = (struct scan_pred){.col = col, .set = c->v[i].set.v, .set_count = c->v[i].set.n};
    }
    *ret = (struct plan_preds){.preds = out, .count = n, .exact = c->exact};
    return 0;
}

int plan_scan_preds(const struct plan_env *env,
                    const struct plan_node *scan,
                    const struct datum *params,
                    uint32_t params_count,
                    struct arena *arena,
                    struct plan_preds *ret,
                    struct dn_err *err)
{
    struct pred_walk w = {.scan = scan, .arena = arena};
    struct pred_cons cons = {.exact = !scan->prune};
    int rc;

    w.ev = plan_eval(env, arena, params, params_count);
    if (scan->prune) {
        rc = pred_walk(&w, scan->prune, true, &cons, err);
        if (rc < 0)
            return rc;
    }
    rc = pred_emit(&w, &cons, ret, err);
    if (rc < 0)
        return rc;
    return plan_check_limits(env->settings, scan->table, ret->preds, ret->count, err);
}

/* Is all of one interval inside another? */
static bool pred_inside(const struct interval *in, const struct interval *out)
{
    int lo = in->has_lo && out->has_lo ? datum_cmp(&in->lo, &out->lo) : 0;
    int hi = in->has_hi && out->has_hi ? datum_cmp(&in->hi, &out->hi) : 0;

    if (out->has_lo && (!in->has_lo || lo < 0 || (lo == 0 && in->lo_incl && !out->lo_incl)))
        return false;
    return !out->has_hi || (in->has_hi && hi <= 0 && (hi < 0 || !in->hi_incl || out->hi_incl));
}

/* Has the condition's set every value of the constraint? (A constraint of very many intervals was
 * widened.) */
static bool pred_implies(const struct scan_pred *pred, const struct iset *set)
{
    uint32_t at = 0;

    if (pred->set_count > PRED_EXACT_MAX) /* not worth it, for each of many conditions */
        return false;
    for (uint32_t i = 0; i < pred->set_count; i++) {
        while (at < set->n && !pred_inside(&pred->set[i], &set->v[at]))
            at++;
        if (at == set->n)
            return false;
    }
    return true;
}

int plan_cond_pred(const struct plan_env *env,
                   const struct plan_node *scan,
                   const struct plan_preds *preds,
                   const struct plan_cond *cond,
                   struct arena *arena,
                   uint32_t *ret_pred,
                   struct dn_err *err)
{
    struct pred_walk w = {.scan = scan, .arena = arena};
    struct pred_cons cons = {.never = false};
    int rc;

    w.ev = plan_eval(env, arena, cond->params, cond->params_count);
    rc = pred_walk(&w, cond->e, true, &cons, err);
    if (rc < 0)
        return rc;
    *ret_pred = PLAN_NO_COL;
    if (!cons.exact || cons.never || cons.n != 1)
        return 0;
    for (uint32_t i = 0; i < preds->count; i++)
        if (preds->preds[i].col == scan->scan_cols[cons.v[0].col] &&
            pred_implies(&preds->preds[i], &cons.v[0].set))
            *ret_pred = i;
    return 0;
}
