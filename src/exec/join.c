/* SPDX-License-Identifier: Apache-2.0
 *
 * join.c: the kinds of joins: which candidates are rows of the result, and what left rows become
 * once all their candidates are known. */
#include "exec/join.h"

#include "exec/join_prune.h"

#include <string.h>

int exec_joiner_init(struct exec_joiner *j, struct op *op, struct dn_err *err)
{
    const struct plan_node *node = op->node;
    size_t cols = (size_t)node->input->cols_count + node->right->cols_count + 1;

    j->node = node;
    arena_init(&j->batch, &op->mem);
    arena_init(&j->run, &op->mem);
    j->ev = exec_eval(op, &j->batch, &j->run);
    j->right_types = exec_types(node->right, &j->run);
    j->cols = arena_calloc(&j->run, cols, sizeof *j->cols);
    j->hits = arena_calloc(&j->run, VEC_ROWS_MAX, 1);
    j->sel = arena_alloc_array(&j->run, VEC_ROWS_MAX, sizeof *j->sel);
    if (!j->right_types || !j->cols || !j->hits || !j->sel)
        return DN_FAIL_NOMEM(err);
    return 0;
}

void exec_joiner_done(struct exec_joiner *j)
{
    arena_done(&j->batch);
    arena_done(&j->run);
}

void exec_joiner_left(struct exec_joiner *j, const struct batch *left)
{
    j->left = *left;
    j->rest_done = false;
    memset(j->hits, 0, left->count);
}

int exec_joiner_hit(struct exec_joiner *j, uint32_t row, struct dn_err *err)
{
    if (j->node->join->kind == PLAN_JOIN_SINGLE && (j->hits[row] & JOIN_HIT))
        return DN_FAIL(err,
                       DN_E_CARDINALITY,
                       "more than one row returned by a subquery used as an expression");
    j->hits[row] |= JOIN_HIT;
    return 0;
}

static uint32_t cands_left(const struct exec_join_cands *c, uint32_t row)
{
    return c->one_left ? c->left_row : c->left ? c->left[row] : row;
}

/* A mark wants to know of conditions that are NULL. */
static int joiner_mark(struct exec_joiner *j,
                       const struct exec_join_cands *c,
                       const struct batch *in,
                       struct dn_err *err)
{
    struct vec v;
    int rc = expr_eval(j->node->join->filter, &j->ev, in, &v, err);

    for (uint32_t i = 0; i < in->sel_count && rc == 0; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        if (vec_is_null(&v, row))
            j->hits[cands_left(c, row)] |= JOIN_UNKNOWN;
        else if (vec_i64(&v, row))
            j->hits[cands_left(c, row)] |= JOIN_HIT;
    }
    return rc;
}

int exec_joiner_match(struct exec_joiner *j,
                      const struct exec_join_cands *cands,
                      struct batch *ret,
                      struct dn_err *err)
{
    const struct plan_node *node = j->node;
    struct batch in = {.count = cands->count,
                       .cols_count = node->input->cols_count + node->right->cols_count,
                       .cols = j->cols,
                       .sel = cands->sel,
                       .sel_count = cands->sel_count};
    uint32_t count;
    int rc = 0;

    *ret = in;
    if (node->join->kind == PLAN_JOIN_MARK && node->join->filter) {
        ret->sel_count = 0;
        return joiner_mark(j, cands, &in, err);
    }
    if (node->join->filter) {
        rc = expr_select(node->join->filter, &j->ev, &in, j->sel, &count, err);
        if (rc < 0)
            return rc;
        if (count < in.sel_count) {
            ret->sel = j->sel;
            ret->sel_count = count;
        }
    }
    for (uint32_t i = 0; i < ret->sel_count && rc == 0 && node->join->kind != PLAN_JOIN_INNER; i++)
        rc = exec_joiner_hit(j, cands_left(cands, ret->sel ? ret->sel[i] : i), err);
    return rc;
}

/* ---- what is left to say ---- */

/* The mark as a column behind those of the left. */
static int joiner_marks(struct exec_joiner *j, struct dn_err *err)
{
    const struct batch *left = &j->left;
    int8_t *data = arena_calloc(&j->batch, left->count, 1);
    uint64_t *nulls = arena_calloc(&j->batch, VEC_BITMAP_WORDS(left->count), sizeof *nulls);

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < left->count; row++) {
        data[row] = j->hits[row] & JOIN_HIT;
        if (j->hits[row] == JOIN_UNKNOWN && !j->node->join->never_null)
            vec_bit_set(nulls, row);
    }
    j->cols[left->cols_count] = (struct vec){
        .type = TYPE_BOOLEAN, .form = VEC_FLAT, .count = left->count, .data = data, .nulls = nulls};
    return 0;
}

/* Left rows that have a match, or none. */
static void joiner_select(struct exec_joiner *j, bool hit, struct batch *ret)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < j->left.sel_count; i++) {
        uint16_t row = j->left.sel ? j->left.sel[i] : (uint16_t)i;

        if ((bool)(j->hits[row] & JOIN_HIT) == hit)
            j->sel[n++] = row;
    }
    if (n < j->left.sel_count) {
        ret->sel = j->sel;
        ret->sel_count = n;
    }
}

int exec_joiner_rest(struct exec_joiner *j, struct batch *ret, struct dn_err *err)
{
    enum plan_join_kind kind = j->node->join->kind;
    const struct batch *left = &j->left;
    int rc = 0;

    if (j->rest_done || kind == PLAN_JOIN_INNER)
        return DN_EOF;
    j->rest_done = true;
    *ret = *left;
    ret->cols = j->cols;
    for (uint32_t c = 0; c < left->cols_count; c++)
        j->cols[c] = left->cols[c];
    if (kind == PLAN_JOIN_MARK) {
        ret->cols_count++;
        rc = joiner_marks(j, err);
    } else {
        joiner_select(j, kind == PLAN_JOIN_SEMI, ret);
    }
    if (!exec_join_asks(kind)) {
        ret->cols_count += j->node->right->cols_count;
        exec_nulls(
            j->right_types, j->node->right->cols_count, left->count, j->cols + left->cols_count);
    }
    return rc == 0 && ret->sel_count == 0 ? DN_EOF : rc;
}

/* ---- EXPLAIN ---- */

const char *exec_join_kind_name(enum plan_join_kind kind)
{
    static const char *const names[PLAN_JOIN_KIND_MAX] = {[PLAN_JOIN_INNER] = "inner",
                                                          [PLAN_JOIN_LEFT] = "left",
                                                          [PLAN_JOIN_FULL] = "full",
                                                          [PLAN_JOIN_SEMI] = "semi",
                                                          [PLAN_JOIN_ANTI] = "anti",
                                                          [PLAN_JOIN_MARK] = "mark",
                                                          [PLAN_JOIN_SINGLE] = "single"};

    return names[kind];
}

int exec_join_explain_filter(const struct plan_node *node, struct buf *b, struct dn_err *err)
{
    struct arena arena;
    const char **names;

    if (!node->join->filter)
        return 0;
    arena_init(&arena, b->owner);
    names = exec_names_both(node, &arena);
    if (names) {
        buf_puts(b, "\nfilter: ");
        expr_print(node->join->filter, names, b);
    }
    arena_done(&arena);
    return names ? 0 : DN_FAIL_NOMEM(err);
}

int exec_join_explain_keys(const struct plan_node *node, struct buf *b, struct dn_err *err)
{
    const struct plan_join *join = node->join;
    const char **left;
    const char **right;
    struct arena arena;

    arena_init(&arena, b->owner);
    left = exec_names(node->input, &arena);
    right = exec_names(node->right, &arena);
    for (uint32_t k = 0; k < join->keys_count && left && right; k++) {
        buf_puts(b, k ? " and " : " on ");
        expr_print(join->keys[k].left, left, b);
        buf_puts(b, join->keys[k].nulls_equal ? " is not distinct from " : " = ");
        expr_print(join->keys[k].right, right, b);
    }
    arena_done(&arena);
    return left && right ? 0 : DN_FAIL_NOMEM(err);
}

int exec_join_explain(const struct plan_node *node,
                      struct exec_ctx *ctx,
                      struct buf *b,
                      struct dn_err *err)
{
    int rc;

    buf_printf(b,
               "%s %s",
               node->join->merge && exec_fast(ctx) ? "Merge join"
               : node->join->keys_count            ? "Hash join"
                                                   : "Nested loop join",
               exec_join_kind_name(node->join->kind));
    rc = exec_join_explain_keys(node, b, err);
    if (rc == 0)
        rc = exec_join_explain_filter(node, b, err);
    return rc < 0 || !exec_fast(ctx) || node->join->merge ? rc
                                                          : exec_join_prune_explain(node, b, err);
}
