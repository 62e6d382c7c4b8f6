/* SPDX-License-Identifier: Apache-2.0
 *
 * op_apply.c: APPLY: for each left row the right side is run with columns of that row as parameters
 * (LATERAL, correlated subqueries that could not be turned into joins). The parameters are a copy
 * of our own, so an APPLY inside an APPLY sees those of the outer one. Equal values do not run it
 * again (apply_cache.h).
 *
 * Rows of the right side gather until there are enough for a batch; many at once go on as they are.
 * join.h says which of them count. */
#include "exec/apply_cache.h"
#include "exec/join.h"

#include <string.h>

#define APPLY_DIRECT_ROWS 256u          /* so many right rows of a left row are not copied */
#define APPLY_KEPT        (256u * 1024) /* bytes that gathered rows may have in any case */

struct op_apply {
    struct exec_joiner joiner;
    struct exec_apply_cache cache;
    struct exec_ctx inner; /* the right side's */
    struct datum *params;  /* in run */
    struct arena run;
    struct arena left_batch;   /* of the left batch */
    struct arena emit;         /* of the batch that goes out */
    struct arena right_view;   /* of rows that come from the cache */
    struct vec *binds;         /* in run: bind columns of the left batch */
    struct vec *view;          /* in run: rows that come from the cache */
    struct mem_owner gathered; /* what they hold */
    struct exec_rows rows;     /* gathered right rows, */
    uint16_t *rows_left;       /* in run: and the left row of each */
    struct vec *out;           /* in run: the result's columns */
    struct batch waiting;      /* matches that found no room */
    bool has_waiting;
    bool left_open;             /* there is a left batch */
    bool row_open;              /* the right side of row `at` is being read */
    uint32_t at;                /* selected left row */
    uint32_t kept_at;           /* rows read of a cache entry */
    uint32_t ids[VEC_ROWS_MAX]; /* cache entries of the left batch */
};

static int op_apply_open(struct op *op, struct dn_err *err)
{
    struct op_apply *st = op->state;
    const struct plan_node *node = op->node;
    const struct plan_join *join = node->join;
    enum type_id *bind_types;
    int rc;

    arena_init(&st->run, &op->mem);
    arena_init(&st->left_batch, &op->mem);
    arena_init(&st->emit, &op->mem);
    arena_init(&st->right_view, &op->mem);
    mem_owner_init(&st->gathered, "rows", &op->mem, 0);
    rc = exec_joiner_init(&st->joiner, op, err);
    if (rc < 0)
        return rc;
    st->inner = *op->ctx;
    st->params = arena_alloc_array(&st->run, op->ctx->params_count, sizeof *st->params);
    st->binds = arena_calloc(&st->run, join->binds_count, sizeof *st->binds);
    bind_types = arena_alloc_array(&st->run, join->binds_count, sizeof *bind_types);
    st->view = arena_calloc(&st->run, node->right->cols_count, sizeof *st->view);
    st->rows_left = arena_alloc_array(&st->run, VEC_ROWS_MAX, sizeof *st->rows_left);
    st->out = arena_calloc(&st->run, node->cols_count, sizeof *st->out);
    if (!st->params || !st->binds || !bind_types || !st->view || !st->rows_left || !st->out)
        return DN_FAIL_NOMEM(err);
    if (op->ctx->params_count)
        memcpy(st->params, op->ctx->params, op->ctx->params_count * sizeof *st->params);
    st->inner.params = st->params;
    for (uint32_t i = 0; i < join->binds_count; i++) {
        DN_ASSERT(join->binds[i].param - 1 < op->ctx->params_count);
        bind_types[i] = node->input->cols[join->binds[i].col].type;
    }
    rc = exec_rows_init(
        &st->rows, st->joiner.right_types, node->right->cols_count, false, &st->gathered, err);
    if (rc < 0 || !exec_apply_stable(node->right))
        return rc;
    return exec_apply_cache_init(&st->cache,
                                 bind_types,
                                 join->binds_count,
                                 st->joiner.right_types,
                                 node->right->cols_count,
                                 &op->mem,
                                 err);
}

static void op_apply_close(struct op *op)
{
    struct op_apply *st = op->state;

    exec_close(op->right); /* its context is ours */
    op->right = NULL;
    exec_joiner_done(&st->joiner);
    exec_apply_cache_done(&st->cache);
    exec_rows_done(&st->rows);
    arena_done(&st->run);
    arena_done(&st->left_batch);
    arena_done(&st->emit);
    arena_done(&st->right_view);
}

/* ---- the right side of a left row ---- */

static uint16_t apply_row(const struct op_apply *st)
{
    const struct batch *left = &st->joiner.left;

    return left->sel ? left->sel[st->at] : (uint16_t)st->at;
}

static struct exec_apply_entry *apply_entry(struct op_apply *st)
{
    return st->cache.on ? &st->cache.entries[st->ids[st->at]] : NULL;
}

static int apply_row_start(struct op *op, struct dn_err *err)
{
    struct op_apply *st = op->state;
    const struct plan_join *join = op->node->join;
    const struct exec_apply_entry *e = apply_entry(st);

    st->row_open = true;
    st->kept_at = 0;
    if (e && e->state == APPLY_KEPT)
        return 0;
    for (uint32_t i = 0; i < join->binds_count; i++)
        st->params[join->binds[i].param - 1] =
            vec_datum(&st->joiner.left.cols[join->binds[i].col], apply_row(st));
    return exec_open_node(op->node->right, &st->inner, &op->right, err);
}

/* The next right rows of the row at hand. */
static int apply_row_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_apply *st = op->state;
    struct exec_apply_entry *e = apply_entry(st);
    uint32_t count;
    int rc;

    if (op->right) {
        rc = exec_pull(op->right, ret, err);
        if (rc == 0 && e)
            rc = exec_apply_cache_add(&st->cache, st->ids[st->at], ret, err);
        if (rc == DN_EOF && e && e->state == APPLY_NEW)
            e->state = APPLY_KEPT;
        return rc;
    }
    if (st->kept_at == e->count)
        return DN_EOF;
    arena_reset(&st->right_view);
    rc = exec_rows_view(&st->cache.rows,
                        e->first + st->kept_at,
                        e->count - st->kept_at,
                        &st->right_view,
                        st->view,
                        &count,
                        err);
    st->kept_at += count;
    *ret = (struct batch){.count = count,
                          .cols_count = op->node->right->cols_count,
                          .cols = st->view,
                          .sel_count = count};
    return rc;
}

/* SEMI, ANTI, MARK: the first match says all. What was read so far is no whole result then; it
 * serves others only where any row is a match. */
static bool apply_decided(struct op *op)
{
    struct op_apply *st = op->state;
    struct exec_apply_entry *e = apply_entry(st);

    if (!exec_join_asks(op->node->join->kind) || !(st->joiner.hits[apply_row(st)] & JOIN_HIT))
        return false;
    if (e && e->state == APPLY_NEW && !op->node->join->filter)
        e->state = APPLY_KEPT;
    else if (e && e->state == APPLY_NEW)
        e->count = 0;
    return true;
}

/* ---- gathering ---- */

/* The gathered rows beside their left rows. */
static int apply_emit(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_apply *st = op->state;
    const struct batch *left = &st->joiner.left;
    uint32_t count;
    int rc = exec_pick(
        left->cols, left->cols_count, st->rows_left, st->rows.count, &st->emit, st->out, err);

    if (rc == 0)
        rc = exec_rows_view(
            &st->rows, 0, VEC_ROWS_MAX, &st->emit, st->out + left->cols_count, &count, err);
    if (rc < 0)
        return rc;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->out, .sel_count = count};
    return 0;
}

static int apply_gather(
    struct op *op, const struct vec *right, const uint16_t *sel, uint32_t count, struct dn_err *err)
{
    struct op_apply *st = op->state;

    for (uint32_t i = 0; i < count; i++)
        st->rows_left[st->rows.count + i] = apply_row(st);
    return exec_rows_add(&st->rows, right, sel, count, err);
}

/* The row at hand has no more candidates. LEFT, SINGLE: none matched, so NULLs do. */
static int apply_finish_row(struct op *op, struct dn_err *err)
{
    struct op_apply *st = op->state;
    enum plan_join_kind kind = op->node->join->kind;
    uint32_t right = op->node->right->cols_count;
    int rc = 0;

    if ((kind == PLAN_JOIN_LEFT || kind == PLAN_JOIN_SINGLE) &&
        !(st->joiner.hits[apply_row(st)] & JOIN_HIT)) {
        exec_nulls(st->joiner.right_types, right, 1, st->view);
        rc = apply_gather(op, st->view, NULL, 1, err);
    }
    exec_close(op->right);
    op->right = NULL;
    st->row_open = false;
    st->at++;
    return rc;
}

/* Candidates of the row at hand: ret->sel_count of them match. DN_EOF: the row is done. */
static int apply_step(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_apply *st = op->state;
    const struct batch *left = &st->joiner.left;
    struct exec_join_cands cands;
    struct batch right;
    int rc = st->row_open ? 0 : apply_row_start(op, err);

    arena_reset(&st->joiner.batch);
    if (rc == 0)
        rc = apply_decided(op) ? DN_EOF : apply_row_next(op, &right, err);
    if (rc != 0)
        return rc;
    cands = (struct exec_join_cands){.count = right.count,
                                     .sel = right.sel,
                                     .sel_count = right.sel_count,
                                     .one_left = true,
                                     .left_row = apply_row(st)};
    exec_pick_const(left->cols, left->cols_count, apply_row(st), right.count, st->joiner.cols);
    for (uint32_t c = 0; c < right.cols_count; c++)
        st->joiner.cols[left->cols_count + c] = right.cols[c];
    return exec_joiner_match(&st->joiner, &cands, ret, err);
}

/* ---- the result ---- */

static int apply_left(struct op *op, struct dn_err *err)
{
    struct op_apply *st = op->state;
    const struct plan_join *join = op->node->join;
    struct batch left;
    int rc = exec_need_input(op, err);

    if (rc == 0)
        rc = exec_pull(op->input, &left, err);
    if (rc != 0)
        return rc;
    arena_reset(&st->left_batch);
    exec_joiner_left(&st->joiner, &left);
    st->left_open = true;
    st->at = 0;
    if (!st->cache.on)
        return 0;
    for (uint32_t i = 0; i < join->binds_count; i++)
        st->binds[i] = left.cols[join->binds[i].col];
    return exec_apply_cache_find(&st->cache, st->binds, &left, &st->left_batch, st->ids, err);
}

/* Is it enough for a batch? */
static bool apply_full(const struct op *op)
{
    const struct op_apply *st = op->state;
    size_t bytes = op->ctx->slice_bytes;

    return st->rows.count == VEC_ROWS_MAX ||
           (bytes && st->rows.count && mem_owner_used(&st->gathered) > APPLY_KEPT + bytes);
}

/* Rows of the left batch until a batch of the result is there; DN_EOF: it has no more. */
static int apply_some(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_apply *st = op->state;
    bool asks = exec_join_asks(op->node->join->kind);
    struct batch found = {.sel_count = 0};
    int rc = 0;

    arena_reset(&st->emit);
    exec_rows_reset(&st->rows);
    if (st->has_waiting) {
        st->has_waiting = false;
        *ret = st->waiting;
        return 0;
    }
    while (rc == 0 && st->at < st->joiner.left.sel_count && !apply_full(op)) {
        rc = apply_step(op, &found, err);
        if (rc == DN_EOF) {
            rc = apply_finish_row(op, err);
            if (rc == 0)
                rc = exec_check_cancel(op->ctx, err);
            continue;
        }
        if (rc < 0 || asks || found.sel_count == 0)
            continue;
        if (found.sel_count < APPLY_DIRECT_ROWS &&
            st->rows.count + found.sel_count <= VEC_ROWS_MAX) {
            rc = apply_gather(
                op, found.cols + st->joiner.left.cols_count, found.sel, found.sel_count, err);
            continue;
        }
        if (st->rows.count == 0) {
            *ret = found;
            return 0;
        }
        st->waiting = found;
        st->has_waiting = true;
        break;
    }
    if (rc < 0)
        return rc;
    if (st->rows.count)
        return apply_emit(op, ret, err);
    return asks ? exec_joiner_rest(&st->joiner, ret, err) : DN_EOF;
}

static int op_apply_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_apply *st = op->state;
    int rc = 0;

    while (rc == 0) {
        if (!st->left_open) {
            rc = apply_left(op, err);
            continue;
        }
        rc = apply_some(op, ret, err);
        if (rc != DN_EOF)
            return rc;
        st->left_open = false;
        rc = 0;
    }
    return rc;
}

static int op_apply_explain(const struct plan_node *node,
                            struct exec_ctx *ctx DN_UNUSED,
                            struct buf *b,
                            struct dn_err *err)
{
    const struct plan_join *join = node->join;

    buf_printf(b, "Apply %s", exec_join_kind_name(join->kind));
    for (uint32_t i = 0; i < join->binds_count; i++)
        buf_printf(b,
                   "%s $%u = %s",
                   i ? "," : ", with",
                   join->binds[i].param,
                   node->input->cols[join->binds[i].col].name);
    return exec_join_explain_filter(node, b, err);
}

const struct op_ops op_apply_ops = {.name = "Apply",
                                    .open = op_apply_open,
                                    .next = op_apply_next,
                                    .close = op_apply_close,
                                    .explain = op_apply_explain,
                                    .state_size = sizeof(struct op_apply),
                                    .lazy = true};
