/* SPDX-License-Identifier: Apache-2.0
 *
 * expr.c: evaluation of bound expressions on batches.
 *
 * Selection: a vector is always made for all rows of the batch, as that keeps kernels plain loops,
 * but rows that are not selected are marked in the bitmap a kernel looks at before it raises, and
 * expensive kernels skip them. Kernels that are too quick for that (FUNC_QUICK) are called without
 * this bitmap first, and once more with it if they raised. Where few rows are selected these are
 * gathered first (expr_dense.c). AND and OR hand each operand only the rows that are still open; OR
 * computes comparisons, which cannot fail, for all rows and puts the answers together.
 *
 * Forms: all arguments CONST: one call for one row, and the result is CONST. One DICT among CONSTs
 * with no more entries than selected rows: one call over the entries that selected rows use, and
 * the result is a DICT with the same codes. Any other DICT is flattened. */
#include "func/expr.h"

#include "func/expr_int.h"
#include "func/func_int.h"

#include <string.h>

static int expr_node(const struct bexpr *e,
                     struct eval *ev,
                     const struct batch *in,
                     struct vec *ret,
                     struct dn_err *err);

static int expr_const_vec(const struct datum *d,
                          enum type_id type,
                          struct eval *ev,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    struct datum typed = *d;

    if (typed.null)
        typed.type = type; /* a NULL is of every type */
    DN_ASSERT(typed.type == type ||
              type == TYPE_NONE); /* a literal nobody gave a type keeps its own */
    if (!vec_make_const(ev->arena, &typed, count, ret))
        return DN_FAIL_NOMEM(err);
    return 0;
}

static int expr_null_vec(
    enum type_id type, struct eval *ev, uint32_t count, struct vec *ret, struct dn_err *err)
{
    struct datum none = {.type = type, .null = true};

    return expr_const_vec(&none, type, ev, count, ret, err);
}

int expr_param(const struct bexpr *e,
               const struct eval *ev,
               const struct datum **ret,
               struct dn_err *err)
{
    int rc = 1;

    DN_ASSERT(e->param >= 1);
    if (ev->lazy)
        rc = ev->lazy->get(ev->lazy->arg, e->param, ret, err);
    if (rc < 0)
        return rc;
    if (rc > 0 && e->param > ev->params_count)
        return DN_FAIL(err, DN_E_UNBOUND, "parameter %u has no value", e->param);
    if (rc > 0)
        *ret = &ev->params[e->param - 1];
    if (!(*ret)->null && (*ret)->type != e->type)
        return DN_FAIL(err,
                       DN_E_DATATYPE_MISMATCH,
                       "parameter %u is of type %s, expected %s",
                       e->param,
                       type_word((*ret)->type),
                       type_word(e->type));
    return 0;
}

uint64_t *expr_bitmap(struct arena *arena, uint32_t count)
{
    return arena_calloc(arena, VEC_BITMAP_WORDS(count), sizeof(uint64_t));
}

/* ---- calls ---- */

struct expr_call {
    const struct bexpr *e;
    struct eval *ev;
    const struct batch *in;
    struct vec *args;      /* evaluated */
    uint32_t consts;       /* how many of them are CONST */
    uint32_t dicts;        /* how many are DICT */
    uint32_t dict;         /* the last DICT */
    const uint64_t *nulls; /* strict: union of the rows' nulls, NULL = none */
};

/* Union of the nulls of FLAT and DICT arguments; a CONST that is NULL was dealt with before. */
static int expr_call_nulls(struct expr_call *c, struct dn_err *err)
{
    uint64_t *bits = NULL;

    for (uint32_t i = 0; i < c->e->args_count; i++) {
        const struct vec *v = &c->args[i];

        if (v->form == VEC_CONST || !v->nulls)
            continue;
        if (!c->nulls) {
            c->nulls = v->nulls;
            continue;
        }
        if (!bits) {
            bits = expr_bitmap(c->ev->arena, c->in->count);
            if (!bits)
                return DN_FAIL_NOMEM(err);
            memcpy(bits, c->nulls, VEC_BITMAP_WORDS(c->in->count) * sizeof *bits);
            c->nulls = bits;
        }
        for (uint32_t w = 0; w < VEC_BITMAP_WORDS(c->in->count); w++)
            bits[w] |= v->nulls[w];
    }
    return 0;
}

/* Rows nobody wants: NULL ones and those outside the selection. */
static int expr_call_skip(const struct expr_call *c, const uint64_t **ret, struct dn_err *err)
{
    uint32_t words = VEC_BITMAP_WORDS(c->in->count);
    uint64_t *bits;

    *ret = c->nulls;
    if (!c->in->sel)
        return 0;
    bits = arena_alloc_array(c->ev->arena, words, sizeof *bits);
    if (!bits)
        return DN_FAIL_NOMEM(err);
    memset(bits, 0xff, words * sizeof *bits);
    for (uint32_t i = 0; i < c->in->sel_count; i++)
        bits[c->in->sel[i] >> 6] &= ~((uint64_t)1 << (c->in->sel[i] & 63));
    if (c->nulls)
        for (uint32_t w = 0; w < words; w++)
            bits[w] |= c->nulls[w];
    *ret = bits;
    return 0;
}

static int
expr_call_kernel(const struct expr_call *c, uint32_t count, struct vec *ret, struct dn_err *err)
{
    struct func_ctx ctx = {.arena = c->ev->arena,
                           .now_ns = c->ev->now_ns,
                           .pos = c->e->pos,
                           .session = c->ev->session};
    int rc = func_check_cancel(&ctx, err);

    if (rc < 0)
        return rc;
    rc = c->e->func->kernel(&ctx, c->args, c->e->args_count, count, ret, err);
    if (rc == DN_E_NOMEM && func_check_cancel(&ctx, err) < 0)
        rc = DN_E_CANCELED; /* what could not grow had been told not to */
    if (rc < 0)
        dn_err_at(err, c->e->pos);
    return rc;
}

static int expr_call_const(struct expr_call *c, struct vec *ret, struct dn_err *err)
{
    struct vec one = {.type = c->e->type, .form = VEC_FLAT, .count = 1};
    int rc;

    for (uint32_t i = 0; i < c->e->args_count; i++)
        c->args[i].count = 1;
    rc = expr_call_kernel(c, 1, &one, err);
    if (rc < 0)
        return rc;
    *ret = one;
    ret->form = VEC_CONST;
    ret->count = c->in->count;
    return 0;
}

/* The kernel made NULLs of entries: they become NULLs of rows. */
static int expr_dict_nulls(const struct expr_call *c,
                           const uint64_t *entry_nulls,
                           const uint16_t *codes,
                           const uint64_t **ret,
                           struct dn_err *err)
{
    uint64_t *bits = expr_bitmap(c->ev->arena, c->in->count);

    if (!bits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->in->count; i++)
        if (vec_bit(c->nulls, i) || vec_bit(entry_nulls, codes[i]))
            vec_bit_set(bits, i);
    *ret = bits;
    return 0;
}

/* Marks the entries that no selected row has. */
static void expr_dict_unused(const struct expr_call *c, const struct vec *dict, uint64_t *skip)
{
    uint64_t used = 0; /* of up to 64 entries: a register, which no row waits for */

    memset(skip, 0xff, VEC_BITMAP_WORDS(dict->dict_count) * sizeof *skip);
    if (dict->dict_count <= 64 && !c->in->sel && !c->nulls) {
        for (uint32_t row = 0; row < c->in->count; row++)
            used |= (uint64_t)1 << dict->codes[row];
        skip[0] = ~used;
        return;
    }
    for (uint32_t i = 0; i < c->in->sel_count; i++) {
        uint32_t row = c->in->sel ? c->in->sel[i] : i;

        if (!vec_bit(c->nulls, row))
            skip[dict->codes[row] >> 6] &= ~((uint64_t)1 << (dict->codes[row] & 63));
    }
}

static int expr_call_dict(struct expr_call *c, struct vec *ret, struct dn_err *err)
{
    struct vec dict = c->args[c->dict];
    uint32_t entries = dict.dict_count;
    uint64_t *skip = NULL;
    struct vec out = {.type = c->e->type, .form = VEC_FLAT, .count = entries};
    int rc;

    /* What never raises may see entries that no row has. */
    if (!((c->e->func->flags & FUNC_QUICK) && c->e->type == TYPE_BOOLEAN)) {
        skip = arena_alloc_array(c->ev->arena, VEC_BITMAP_WORDS(entries), sizeof *skip);
        if (!skip)
            return DN_FAIL_NOMEM(err);
        expr_dict_unused(c, &dict, skip);
    }
    out.nulls = skip;
    c->args[c->dict] =
        (struct vec){.type = dict.type, .form = VEC_FLAT, .count = entries, .data = dict.data};
    rc = expr_call_kernel(c, entries, &out, err);
    if (rc < 0)
        return rc;
    if (out.form != VEC_FLAT) {
        const uint64_t *nulls = out.nulls;

        out.nulls = NULL;
        if (!vec_flatten(c->ev->arena, &out, NULL, entries, &out))
            return DN_FAIL_NOMEM(err);
        out.nulls = nulls;
    }
    *ret = (struct vec){.type = out.type,
                        .form = VEC_DICT,
                        .count = c->in->count,
                        .dict_count = entries,
                        .data = out.data,
                        .codes = dict.codes,
                        .nulls = c->nulls};
    if (out.nulls != skip)
        return expr_dict_nulls(c, out.nulls, dict.codes, &ret->nulls, err);
    return 0;
}

/* A quick kernel over all rows, those outside the selection included. 1: it raised for a value, and
 * must be asked again with the selection. */
static int expr_call_quick(struct expr_call *c, struct vec *ret, struct dn_err *err)
{
    struct vec out = {
        .type = c->e->type, .form = VEC_FLAT, .count = c->in->count, .nulls = c->nulls};
    struct dn_err local;
    int rc = expr_call_kernel(c, c->in->count, &out, &local);

    if (rc == DN_E_NOMEM || rc == DN_E_CANCELED) {
        *err = local;
        return rc;
    }
    if (rc < 0)
        return 1;
    *ret = out;
    return 0;
}

static int expr_call_rows(struct expr_call *c, struct vec *ret, struct dn_err *err)
{
    const uint64_t *skip;
    struct vec out;
    int rc;

    for (uint32_t i = 0; i < c->e->args_count && !(c->e->func->flags & FUNC_ANY_FORM); i++) {
        if (c->args[i].form != VEC_DICT)
            continue;
        if (!vec_flatten(c->ev->arena, &c->args[i], NULL, c->in->count, &c->args[i]))
            return DN_FAIL_NOMEM(err);
    }
    if (c->in->sel && (c->e->func->flags & FUNC_QUICK) && !c->ev->every_row) {
        rc = expr_call_quick(c, ret, err);
        if (rc <= 0)
            return rc;
    }
    rc = expr_call_skip(c, &skip, err);
    if (rc < 0)
        return rc;
    out = (struct vec){.type = c->e->type, .form = VEC_FLAT, .count = c->in->count, .nulls = skip};
    rc = expr_call_kernel(c, c->in->count, &out, err);
    if (rc < 0)
        return rc;
    if (out.nulls == skip)
        out.nulls = c->nulls;
    *ret = out;
    return 0;
}

static int expr_call(const struct bexpr *e,
                     struct eval *ev,
                     const struct batch *in,
                     struct vec *ret,
                     struct dn_err *err)
{
    bool strict = e->func->flags & FUNC_STRICT;
    struct expr_call c = {.e = e, .ev = ev, .in = in};
    bool null = false;
    int rc;

    if (in->sel_count == 0)
        return expr_null_vec(e->type, ev, in->count, ret, err);
    c.args = arena_alloc_array(ev->arena, e->args_count, sizeof *c.args);
    if (!c.args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = expr_node(e->args[i], ev, in, &c.args[i], err);
        if (rc < 0)
            return rc;
        null |= strict && c.args[i].form == VEC_CONST && vec_is_null(&c.args[i], 0);
        c.consts += c.args[i].form == VEC_CONST;
        c.dicts += c.args[i].form == VEC_DICT;
        if (c.args[i].form == VEC_DICT)
            c.dict = i;
    }
    /* Only now: whether the other arguments raise may not depend on the form of this one. */
    if (null)
        return expr_null_vec(e->type, ev, in->count, ret, err);
    if (c.consts == e->args_count && !(e->func->flags & FUNC_VOLATILE))
        return expr_call_const(&c, ret, err);
    if (strict) {
        rc = expr_call_nulls(&c, err);
        if (rc < 0)
            return rc;
    }
    if (strict && c.dicts == 1 && c.consts + 1 == e->args_count &&
        c.args[c.dict].dict_count <= in->sel_count && !(e->func->flags & FUNC_VOLATILE))
        return expr_call_dict(&c, ret, err);
    return expr_call_rows(&c, ret, err);
}

/* ---- AND, OR ---- */

/* Values 0 and 1; 2 is NULL. */
static inline uint8_t expr_truth(const struct vec *v, uint32_t row)
{
    return vec_is_null(v, row) ? 2 : (uint8_t)((const int8_t *)v->data)[vec_at(v, row)];
}

/* Three-valued. `decided` (0 for AND, 1 for OR) ends a row; NULL waits whether something decides.
 */
static int expr_chain(const struct bexpr *e,
                      struct eval *ev,
                      const struct batch *in,
                      struct vec *ret,
                      struct dn_err *err)
{
    uint8_t decided = e->kind == BEXPR_OR;
    uint8_t *truth = arena_alloc(ev->arena, in->count);
    uint16_t *open = arena_alloc_array(ev->arena, in->sel_count, sizeof *open);
    uint64_t *nulls = expr_bitmap(ev->arena, in->count);
    struct batch part = *in;

    if (!truth || !open || !nulls)
        return DN_FAIL_NOMEM(err);
    memset(truth, !decided, in->count);
    for (uint32_t a = 0; a < e->args_count && part.sel_count; a++) {
        uint32_t left = 0;
        struct vec v;
        int rc = expr_node(e->args[a], ev, &part, &v, err);

        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < part.sel_count; i++) {
            uint16_t row = part.sel ? part.sel[i] : (uint16_t)i;
            uint8_t t = expr_truth(&v, row);

            if (t == decided || t == 2)
                truth[row] = t;
            open[left] = row;
            left += t != decided;
        }
        part.sel = open;
        part.sel_count = left;
    }
    for (uint32_t i = 0; i < in->count; i++) {
        if (truth[i] == 2)
            vec_bit_set(nulls, i);
        truth[i] &= 1;
    }
    *ret = (struct vec){
        .type = TYPE_BOOLEAN, .form = VEC_FLAT, .count = in->count, .data = truth, .nulls = nulls};
    return 0;
}

static int expr_node(const struct bexpr *e,
                     struct eval *ev,
                     const struct batch *in,
                     struct vec *ret,
                     struct dn_err *err)
{
    const struct datum *param = NULL;
    int rc;

    switch (e->kind) {
    case BEXPR_CONST:
        return expr_const_vec(&e->value, e->type, ev, in->count, ret, err);
    case BEXPR_COLUMN:
        DN_ASSERT(e->col < in->cols_count);
        *ret = in->cols[e->col];
        return 0;
    case BEXPR_PARAM:
        if (in->sel_count == 0 && in->count) /* nobody asks */
            return expr_null_vec(e->type, ev, in->count, ret, err);
        rc = expr_param(e, ev, &param, err);
        if (rc < 0) {
            dn_err_at(err, e->pos);
            return rc;
        }
        return expr_const_vec(param, e->type, ev, in->count, ret, err);
    case BEXPR_CALL:
        return expr_call(e, ev, in, ret, err);
    case BEXPR_AND:
    case BEXPR_OR:
        return expr_chain(e, ev, in, ret, err);
    case BEXPR_IN: {
        struct vec left;

        if (in->sel_count == 0)
            return expr_null_vec(e->type, ev, in->count, ret, err);
        rc = expr_node(e->args[0], ev, in, &left, err);
        if (rc < 0)
            return rc;
        return expr_in(e, ev, in, &left, ret, err);
    }
    case BEXPR_CASE:
        return expr_case(e, ev, in, ret, err);
    case BEXPR_COALESCE:
        return expr_coalesce(e, ev, in, ret, err);
    case BEXPR_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "an expression of no kind");
}

int expr_eval(const struct bexpr *e,
              struct eval *ev,
              const struct batch *in,
              struct vec *ret,
              struct dn_err *err)
{
    DN_ASSERT(in->count <= VEC_ROWS_MAX);
    DN_ASSERT(in->sel || in->sel_count == in->count);
    if (expr_is_thin(e, ev, in)) {
        struct batch dense;
        struct vec v;
        int rc = expr_dense(e, ev, in, &dense, err);

        if (rc < 0)
            return rc;
        rc = expr_node(e, ev, &dense, &v, err);
        return rc < 0 ? rc : expr_spread(ev, in, &v, ret, err);
    }
    return expr_node(e, ev, in, ret, err);
}

/* ---- selection ---- */

static int expr_select_and(const struct bexpr *e,
                           struct eval *ev,
                           const struct batch *in,
                           uint16_t *sel,
                           uint32_t *ret_count,
                           struct dn_err *err)
{
    struct batch part = *in;

    for (uint32_t a = 0; a < e->args_count && (a == 0 || part.sel_count); a++) {
        uint32_t count;
        int rc = expr_select(e->args[a], ev, &part, sel, &count, err);

        if (rc < 0)
            return rc;
        part.sel = sel;
        part.sel_count = count;
    }
    *ret_count = part.sel_count;
    return 0;
}

bool expr_is_plain(const struct bexpr *e)
{
    if (e->kind != BEXPR_CALL || !(e->func->flags & FUNC_QUICK) || e->func->result != TYPE_BOOLEAN)
        return false;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (e->args[i]->kind != BEXPR_COLUMN && e->args[i]->kind != BEXPR_CONST)
            return false;
    return true;
}

static int expr_select_or(const struct bexpr *e,
                          struct eval *ev,
                          const struct batch *in,
                          uint16_t *sel,
                          uint32_t *ret_count,
                          struct dn_err *err)
{
    uint16_t *open = arena_alloc_array(ev->arena, in->sel_count, sizeof *open);
    uint16_t *hits = arena_alloc_array(ev->arena, in->sel_count, sizeof *hits);
    int8_t *found = arena_calloc(ev->arena, in->count, sizeof *found); /* 1: something is true */
    struct batch part = *in;

    if (!open || !hits || !found)
        return DN_FAIL_NOMEM(err);
    for (uint32_t a = 0; a < e->args_count; a++) {
        uint32_t hits_count;
        int rc;

        if (!ev->every_row && expr_is_plain(e->args[a])) {
            struct vec v;

            rc = expr_node(e->args[a], ev, in, &v, err);
            if (rc < 0)
                return rc;
            expr_or_into(&v, in->count, found);
            continue;
        }
        part.sel_count = expr_pick_found(found, false, in, open);
        part.sel = open;
        if (part.sel_count == 0)
            break;
        rc = expr_select(e->args[a], ev, &part, hits, &hits_count, err);
        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < hits_count; i++)
            found[hits[i]] = 1;
    }
    *ret_count = expr_pick_found(found, true, in, sel);
    return 0;
}

/* Few rows are selected: they are gathered first. sel may be the memory of in->sel: hits[i] is
 * never less than i. */
static int expr_select_thin(const struct bexpr *e,
                            struct eval *ev,
                            const struct batch *in,
                            uint16_t *sel,
                            uint32_t *ret_count,
                            struct dn_err *err)
{
    uint16_t *hits = arena_alloc_array(ev->arena, in->sel_count, sizeof *hits);
    struct batch dense;
    uint32_t n;
    int rc;

    if (!hits)
        return DN_FAIL_NOMEM(err);
    rc = expr_dense(e, ev, in, &dense, err);
    if (rc < 0)
        return rc;
    rc = expr_select(e, ev, &dense, hits, &n, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        sel[i] = in->sel[hits[i]];
    *ret_count = n;
    return 0;
}

int expr_select(const struct bexpr *e,
                struct eval *ev,
                const struct batch *in,
                uint16_t *sel,
                uint32_t *ret_count,
                struct dn_err *err)
{
    struct vec v;
    int rc;

    DN_ASSERT(e->type == TYPE_BOOLEAN);
    DN_ASSERT(in->count <= VEC_ROWS_MAX);
    if (expr_is_thin(e, ev, in))
        return expr_select_thin(e, ev, in, sel, ret_count, err);
    if (e->kind == BEXPR_AND)
        return expr_select_and(e, ev, in, sel, ret_count, err);
    if (e->kind == BEXPR_OR)
        return expr_select_or(e, ev, in, sel, ret_count, err);
    rc = expr_node(e, ev, in, &v, err);
    if (rc < 0)
        return rc;
    *ret_count = expr_pick_true(&v, in, sel);
    return 0;
}

int expr_select_plain(const struct bexpr *const *e,
                      uint32_t e_count,
                      struct eval *ev,
                      const struct batch *in,
                      uint16_t *sel,
                      uint32_t *ret_count,
                      struct dn_err *err)
{
    int8_t found[VEC_ROWS_MAX];
    struct vec v;

    DN_ASSERT(!in->sel && in->count <= VEC_ROWS_MAX);
    memset(found, 1, in->count);
    for (uint32_t i = 0; i < e_count; i++) {
        int rc = expr_node(e[i], ev, in, &v, err);

        if (rc < 0)
            return rc;
        expr_and_into(&v, in->count, found);
    }
    *ret_count = expr_pick(found, in->count, sel);
    return 0;
}

int expr_eval_datum(const struct bexpr *e, struct eval *ev, struct datum *ret, struct dn_err *err)
{
    struct batch one = {.count = 1, .sel_count = 1};
    struct vec v;
    int rc;

    rc = expr_node(e, ev, &one, &v, err);
    if (rc < 0)
        return rc;
    *ret = vec_datum(&v, 0);
    return 0;
}

bool expr_is_const(const struct bexpr *e, bool at_run)
{
    if (e->kind == BEXPR_COLUMN || (e->kind == BEXPR_PARAM && !at_run))
        return false;
    if (e->kind == BEXPR_CALL && (e->func->flags & FUNC_VOLATILE))
        return false;
    if (e->kind == BEXPR_CALL && (e->func->flags & FUNC_STABLE) && !at_run)
        return false;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (!expr_is_const(e->args[i], at_run))
            return false;
    return true;
}
