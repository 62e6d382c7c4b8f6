/* SPDX-License-Identifier: Apache-2.0
 *
 * op_join.c: JOIN. The right side is read first and kept (join_table.h); then the left side comes
 * batch by batch, and each batch finds its candidates in one of these ways:
 *   asks     SEMI, ANTI, MARK without filter: the look-up says all (join_maybe.h)
 *   one      the keys are CONST, a run of one series: the batch as it is, beside one right row
 *   unique   no two right rows have equal keys: the batch as it is, each row beside its match
 *   pairs    else: pairs of a left and a right row, in the order of the left
 *   loop     without keys: the batch beside each right row, or each left row beside right rows
 * Columns are handed on as they are, or as codes (rows.h); nothing is copied on the left.
 * join.h does the rest. FULL ends with the right rows that nobody matched. A right side that does
 * not fit in memory is joined part by part (join_spill.h). Sides that come in the same order are
 * merged instead (join_merge.h). */
#include "exec/compact.h"
#include "exec/join_maybe.h"
#include "exec/join_merge.h"
#include "exec/join_prune.h"
#include "exec/join_spill.h"
#include "exec/progress.h"

#include <string.h>

struct op_join {
    struct exec_join_table own;
    struct exec_join_table *table; /* own, or that of the twin, which is finished */
    struct exec_join_maybe maybe;
    struct exec_joiner joiner;
    struct exec_join_spill spill;
    struct exec_merge *merge; /* in run; NULL: not merged */
    struct exec_ctx inner;    /* the left side's: with what the right side says about its scans */
    struct arena keys_arena;  /* of the left batch */
    struct exec_pace pace;    /* of the left keys */
    struct exec_held held;    /* of a side */
    struct arena run;
    struct eval ev;
    struct vec *keys; /* in run: of the left batch */
    struct exec_join_look look;
    bool built;
    bool left_open;             /* there is a left batch */
    bool left_done;             /* and never again */
    bool one;                   /* keys of the left batch are CONST */
    bool spent;                 /* all candidates of the left batch were there */
    bool noted;                 /* and what they say is noted */
    uint32_t at;                /* pairs: selected left row; loop: that, or right row */
    uint32_t right_at;          /* loop over left rows: right row */
    uint64_t *matched;          /* owned: FULL: right rows with a match */
    uint32_t drained;           /* FULL: right rows looked at in the end */
    uint32_t ids[VEC_ROWS_MAX]; /* next match of each selected left row */
    uint32_t pairs_right[VEC_ROWS_MAX];
    uint16_t pairs_left[VEC_ROWS_MAX];
    uint16_t sel[VEC_ROWS_MAX];
};

static int op_join_open(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;
    int rc;

    exec_pace_init(&st->pace, &st->keys_arena, &op->mem);
    exec_join_pace(&st->pace, op->node->join, true, op->ctx->slice_bytes);
    arena_init(&st->run, &op->mem);
    st->ev = exec_eval(op, &st->keys_arena, &st->run);
    st->keys = arena_calloc(&st->run, op->node->join->keys_count, sizeof *st->keys);
    st->look.scratch = &st->keys_arena;
    st->look.known = NULL;
    if (exec_fast(op->ctx))
        st->look.known = arena_alloc_array(&st->run, VEC_ROWS_MAX, sizeof *st->look.known);
    if (!st->keys || (exec_fast(op->ctx) && !st->look.known))
        return DN_FAIL_NOMEM(err);
    if (op->twin) {
        st->table = ((const struct op_join *)op->twin->state)->table;
        st->built = true;
        exec_join_maybe_init(&st->maybe, st->table, op);
        return exec_joiner_init(&st->joiner, op, err);
    }
    st->table = &st->own;
    exec_join_maybe_init(&st->maybe, st->table, op);
    rc = exec_join_table_init(st->table, op->node, op, err);
    if (rc == 0)
        rc = exec_joiner_init(&st->joiner, op, err);
    if (rc < 0 || !exec_merges(op->node, op->ctx))
        return rc;
    st->merge = arena_calloc(&st->run, 1, sizeof *st->merge);
    return st->merge ? exec_merge_open(st->merge, op, &st->joiner, err) : DN_FAIL_NOMEM(err);
}

static void op_join_close(struct op *op)
{
    struct op_join *st = op->state;

    exec_close(op->input); /* its context is ours */
    op->input = NULL;
    if (st->merge)
        exec_merge_close(st->merge);
    exec_join_spill_close(&st->spill);
    exec_join_maybe_done(&st->maybe);
    exec_join_table_done(&st->own);
    exec_joiner_done(&st->joiner);
    arena_done(&st->keys_arena);
    arena_done(&st->run);
    mem_free(st->matched);
}

/* ---- the right side ---- */

/* Rows go into the table until there are too many, then to scratch. */
static int join_add(struct op *op, const struct batch *in, struct dn_err *err)
{
    struct op_join *st = op->state;
    struct batch kept;
    uint64_t *hashes;
    int rc;

    if (exec_join_spilled(&st->spill)) {
        rc = exec_join_table_take(st->table, in, &kept, &hashes, err);
        return rc < 0 ? rc : exec_join_spill_right(&st->spill, &kept, hashes, err);
    }
    rc = exec_join_table_add(st->table, in, err);
    if (rc < 0 || !exec_over(op, mem_owner_used(&op->mem), 1))
        return rc;
    return exec_join_spill_start(&st->spill, op, st->table, err);
}

/* FULL: nobody has matched yet. */
static int join_unmatched(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;

    st->drained = 0;
    if (op->node->join->kind != PLAN_JOIN_FULL)
        return 0;
    mem_free(st->matched);
    st->matched =
        mem_calloc(&op->mem, VEC_BITMAP_WORDS((size_t)st->table->rows.count), sizeof *st->matched);
    return st->matched ? 0 : DN_FAIL_NOMEM(err);
}

/* The left side goes to scratch as well. */
static int join_put_aside(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;
    const struct plan_join *join = op->node->join;
    struct batch in;
    int rc = exec_join_spill_seal(&st->spill, err);

    if (rc == 0)
        rc = exec_need_input(op, err);
    while (rc == 0) {
        exec_pace_begin(&st->pace, &st->keys_arena);
        rc = exec_pull_paced(op->input, &st->pace, &st->held, &in, err);
        for (uint32_t k = 0; k < join->keys_count && rc == 0; k++)
            rc = expr_eval(join->keys[k].left, &st->ev, &in, &st->keys[k], err);
        if (rc == 0)
            rc = exec_join_spill_left(&st->spill, &in, st->keys, &st->keys_arena, err);
        exec_pace_end(&st->pace, rc == 0 ? in.sel_count : 0);
    }
    if (rc != DN_EOF)
        return rc;
    exec_close(op->input);
    op->input = NULL;
    return exec_join_spill_seal(&st->spill, err);
}

static int join_build(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;
    struct batch in;
    int rc = exec_need_right(op, err);

    if (rc == 0)
        exec_drain(op->right);
    while (rc == 0) {
        rc = exec_pull_paced(op->right, &st->table->pace, &st->held, &in, err);
        if (rc == 0)
            rc = join_add(op, &in, err);
    }
    if (rc != DN_EOF)
        return rc;
    exec_close(op->right); /* its memory is for others now */
    op->right = NULL;
    if (exec_join_spilled(&st->spill))
        return join_put_aside(op, err);
    rc = exec_join_table_finish(st->table, err);
    return rc < 0 ? rc : join_unmatched(op, err);
}

/* ---- a batch of the left side ---- */

static uint16_t join_left_row(const struct op_join *st, uint32_t i)
{
    return st->joiner.left.sel ? st->joiner.left.sel[i] : (uint16_t)i;
}

static int join_left(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;
    const struct plan_join *join = op->node->join;
    struct batch left;
    int rc;

    if (exec_join_spilled(&st->spill))
        rc = exec_join_spill_next(&st->spill, &left, err);
    else
        rc = exec_pull_paced(op->input, &st->pace, &st->held, &left, err);
    if (rc != 0)
        return rc;
    exec_pace_begin(&st->pace, &st->keys_arena);
    exec_joiner_left(&st->joiner, &left);
    exec_join_spill_recall(&st->spill, &st->joiner);
    st->left_open = true;
    st->spent = st->noted = st->one = false;
    st->at = st->right_at = 0;
    for (uint32_t k = 0; k < join->keys_count && rc == 0; k++)
        rc = expr_eval(join->keys[k].left, &st->ev, &left, &st->keys[k], err);
    if (rc == 0 && join->keys_count)
        rc = exec_join_find(st->table, st->keys, &left, &st->look, st->ids, &st->one, err);
    exec_pace_end(&st->pace, left.sel_count);
    if (rc == 0 && exec_join_asks(join->kind) && !join->filter) {
        struct exec_join_found found = {.keys = st->keys, .ids = st->ids, .one = st->one};

        rc = exec_join_ask(&st->maybe, &st->joiner, &found, err);
        st->spent = true;
    }
    return rc;
}

/* ---- candidates ---- */

static void join_left_cols(struct op_join *st)
{
    memcpy(st->joiner.cols,
           st->joiner.left.cols,
           st->joiner.left.cols_count * sizeof *st->joiner.cols);
}

/* The left batch as it is; rows that need no more candidates are left out. */
static void join_wide(struct op_join *st, enum plan_join_kind kind, struct exec_join_cands *ret)
{
    const struct batch *left = &st->joiner.left;
    uint32_t n = 0;

    *ret = (struct exec_join_cands){
        .count = left->count, .sel = left->sel, .sel_count = left->sel_count};
    join_left_cols(st);
    if (!exec_join_asks(kind))
        return;
    for (uint32_t i = 0; i < left->sel_count; i++) {
        uint16_t row = join_left_row(st, i);

        if (!(st->joiner.hits[row] & JOIN_HIT))
            st->sel[n++] = row;
    }
    ret->sel = st->sel;
    ret->sel_count = n;
}

/* All left rows beside right row `id`. */
static void join_beside(struct op *op, uint32_t id, struct exec_join_cands *ret)
{
    struct op_join *st = op->state;

    join_wide(st, op->node->join->kind, ret);
    exec_rows_const(&st->table->rows,
                    id,
                    ret->count,
                    st->table->cols_count,
                    st->joiner.cols + st->joiner.left.cols_count);
    for (uint32_t i = 0; i < ret->count && st->matched; i++)
        st->pairs_right[i] = id;
}

static int join_next_one(struct op *op, struct exec_join_cands *ret)
{
    struct op_join *st = op->state;
    uint32_t id = st->ids[0];

    if (id == EXEC_NO_ROW)
        return DN_EOF;
    st->ids[0] = st->table->same[id];
    join_beside(op, id, ret);
    return ret->sel_count ? 0 : DN_EOF;
}

/* Can a row without a match be returned at once? */
static bool join_pads(const struct op *op)
{
    const struct plan_join *join = op->node->join;

    return !join->filter && !((const struct op_join *)op->state)->spill.passes &&
           (join->kind == PLAN_JOIN_LEFT || join->kind == PLAN_JOIN_FULL ||
            join->kind == PLAN_JOIN_SINGLE);
}

static int join_next_unique(struct op *op, struct exec_join_cands *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    const struct batch *left = &st->joiner.left;
    bool pads = join_pads(op);
    uint32_t some = EXEC_NO_ROW; /* what rows that are not selected get: nothing has to be NULL */
    uint32_t n = 0;

    st->spent = true;
    *ret = (struct exec_join_cands){.count = left->count, .sel = left->sel};
    for (uint32_t i = 0; i < left->sel_count && !pads && some == EXEC_NO_ROW; i++)
        some = st->ids[i];
    for (uint32_t i = 0; i < left->count; i++)
        st->pairs_right[i] = some;
    for (uint32_t i = 0; i < left->sel_count; i++) {
        uint16_t row = join_left_row(st, i);

        st->pairs_right[row] = pads || st->ids[i] != EXEC_NO_ROW ? st->ids[i] : some;
        st->sel[n] = row;
        n += pads || st->ids[i] != EXEC_NO_ROW;
    }
    ret->sel_count = n;
    if (n < left->sel_count)
        ret->sel = st->sel;
    if (n == 0)
        return DN_EOF;
    join_left_cols(st);
    return exec_rows_gather(&st->table->rows,
                            st->pairs_right,
                            left->count,
                            st->table->cols_count,
                            &st->joiner.batch,
                            st->joiner.cols + left->cols_count,
                            err);
}

/* Matches of the row at hand, as many as there is room for; *n counts pairs. */
static void join_row_pairs(struct op *op, uint32_t *n)
{
    struct op_join *st = op->state;
    uint16_t row = join_left_row(st, st->at);
    uint32_t id = st->ids[st->at];

    if (exec_join_asks(op->node->join->kind) && (st->joiner.hits[row] & JOIN_HIT))
        id = EXEC_NO_ROW;
    else if (id == EXEC_NO_ROW && join_pads(op)) {
        st->pairs_left[*n] = row;
        st->pairs_right[(*n)++] = id;
    }
    while (id != EXEC_NO_ROW && *n < VEC_ROWS_MAX) {
        st->pairs_left[*n] = row;
        st->pairs_right[(*n)++] = id;
        id = st->table->same[id];
    }
    st->ids[st->at] = id;
    if (id == EXEC_NO_ROW)
        st->at++;
}

static int join_next_pairs(struct op *op, struct exec_join_cands *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    const struct batch *left = &st->joiner.left;
    uint32_t n = 0;
    int rc;

    while (st->at < left->sel_count && n < VEC_ROWS_MAX)
        join_row_pairs(op, &n);
    st->spent = st->at == left->sel_count;
    if (n == 0)
        return DN_EOF;
    *ret = (struct exec_join_cands){.count = n, .sel_count = n, .left = st->pairs_left};
    rc = exec_pick(
        left->cols, left->cols_count, st->pairs_left, n, &st->joiner.batch, st->joiner.cols, err);
    if (rc < 0)
        return rc;
    return exec_rows_gather(&st->table->rows,
                            st->pairs_right,
                            n,
                            st->table->cols_count,
                            &st->joiner.batch,
                            st->joiner.cols + left->cols_count,
                            err);
}

/* Without keys. With few right rows the left batch is put beside each of them, else (or if the
 * order counts) each left row beside as many right rows as lie together. */
static int join_next_loop(struct op *op, struct exec_join_cands *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    const struct exec_rows *rows = &st->table->rows;
    const struct batch *left = &st->joiner.left;
    uint32_t count;
    uint16_t row;
    int rc;

    if (rows->count < left->sel_count && !op->node->join->in_order) {
        if (st->at == rows->count)
            return DN_EOF;
        join_beside(op, st->at++, ret);
        return ret->sel_count ? 0 : DN_EOF;
    }
    if (st->right_at && (st->right_at == rows->count ||
                         (exec_join_asks(op->node->join->kind) &&
                          (st->joiner.hits[join_left_row(st, st->at)] & JOIN_HIT)))) {
        st->at++;
        st->right_at = 0;
    }
    if (st->at == left->sel_count || rows->count == 0)
        return DN_EOF;
    row = join_left_row(st, st->at);
    rc = exec_rows_view(rows,
                        st->right_at,
                        VEC_ROWS_MAX,
                        &st->joiner.batch,
                        st->joiner.cols + left->cols_count,
                        &count,
                        err);
    if (rc < 0)
        return rc;
    exec_pick_const(left->cols, left->cols_count, row, count, st->joiner.cols);
    for (uint32_t i = 0; i < count && st->matched; i++)
        st->pairs_right[i] = st->right_at + i;
    st->right_at += count;
    *ret = (struct exec_join_cands){
        .count = count, .sel_count = count, .one_left = true, .left_row = row};
    return 0;
}

static int join_candidates(struct op *op, struct exec_join_cands *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    int rc;

    if (st->spent)
        return DN_EOF;
    if (op->node->join->keys_count == 0) {
        rc = join_next_loop(op, ret, err);
        if (rc == 0)
            exec_worked(op->ctx, (uint64_t)ret->sel_count * EXEC_WORK_PAIR);
    } else if (st->one)
        rc = join_next_one(op, ret);
    else if (st->table->unique)
        rc = join_next_unique(op, ret, err);
    else
        rc = join_next_pairs(op, ret, err);
    if (rc == DN_EOF)
        st->spent = true;
    return rc;
}

/* ---- the result ---- */

/* FULL: right rows with a match. A row of the left that has none stands beside no row. */
static void join_note_right(struct op_join *st, const struct batch *out)
{
    for (uint32_t i = 0; i < out->sel_count; i++) {
        uint32_t id = st->pairs_right[out->sel ? out->sel[i] : i];

        if (id != EXEC_NO_ROW)
            vec_bit_set(st->matched, id);
    }
}

/* FULL: right rows that nobody matched. */
static int join_drain(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    struct exec_joiner *j = &st->joiner;
    uint32_t left = op->node->input->cols_count;
    uint32_t count;
    uint32_t n = 0;
    int rc;

    arena_reset(&j->batch);
    if (!st->matched || st->drained == st->table->rows.count)
        return DN_EOF;
    rc = exec_rows_view(
        &st->table->rows, st->drained, VEC_ROWS_MAX, &j->batch, j->cols + left, &count, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        if (!vec_bit(st->matched, st->drained + i))
            st->sel[n++] = (uint16_t)i;
    st->drained += count;
    for (uint32_t c = 0; c < left; c++)
        exec_nulls(&op->node->input->cols[c].type, 1, count, &j->cols[c]);
    *ret = (struct batch){.count = count,
                          .cols_count = op->node->cols_count,
                          .cols = j->cols,
                          .sel = st->sel,
                          .sel_count = n};
    return 0;
}

/* Can there be no row, whatever the left side has? */
static bool join_is_void(const struct op *op)
{
    const struct op_join *st = op->state;
    enum plan_join_kind kind = op->node->join->kind;

    return st->table->rows.count == 0 && (kind == PLAN_JOIN_INNER || kind == PLAN_JOIN_SEMI);
}

/* The next part of a join that is in scratch, or as much of it as fits. */
static int join_pass(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;
    int rc;

    exec_join_maybe_reset(&st->maybe);
    rc = exec_join_spill_pass(&st->spill, st->table, err);
    st->left_done = rc != 0; /* none is left, or it failed */
    return rc != 0 ? rc : join_unmatched(op, err);
}

static int join_start(struct op *op, struct dn_err *err)
{
    struct op_join *st = op->state;
    int rc = join_build(op, err);

    if (rc < 0)
        return rc;
    st->built = true;
    if (exec_join_spilled(&st->spill))
        return join_pass(op, err);
    if (join_is_void(op)) {
        st->left_done = true;
        return 0;
    }
    st->inner = *op->ctx;
    rc = exec_join_prune(op, st->table, &st->run, &st->inner, err);
    if (rc == 0)
        rc = exec_open_node(op->node->input, &st->inner, &op->input, err);
    if (rc == 0 && op->drained)
        exec_drain(op->input);
    return rc;
}

/* The next rows of the left batch at hand; DN_EOF: none are left. */
static int join_some(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    struct exec_join_cands cands;
    int rc;

    arena_reset(&st->joiner.batch);
    rc = join_candidates(op, &cands, err);
    if (rc == DN_EOF && exec_join_spilled(&st->spill) && !st->noted)
        exec_join_spill_note(&st->spill, &st->joiner);
    st->noted = rc == DN_EOF;
    if (rc == DN_EOF)
        return exec_joiner_rest(&st->joiner, ret, err);
    if (rc == 0)
        rc = exec_joiner_match(&st->joiner, &cands, ret, err);
    if (rc < 0)
        return rc;
    if (st->matched)
        join_note_right(st, ret);
    if (exec_join_asks(op->node->join->kind))
        ret->sel_count = 0; /* it comes with the rest */
    return 0;
}

static int op_join_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    int rc;

    if (st->merge)
        return exec_merge_next(st->merge, ret, err);
    rc = st->built ? 0 : join_start(op, err);
    while (rc == 0) {
        if (st->left_done) {
            rc = join_drain(op, ret, err);
            if (rc != DN_EOF || !exec_join_spilled(&st->spill))
                return rc;
            rc = join_pass(op, err);
            continue;
        }
        if (!st->left_open) {
            rc = join_left(op, err);
            if (rc == DN_EOF) {
                st->left_done = true;
                rc = 0;
            }
            continue;
        }
        rc = join_some(op, ret, err);
        if (rc != DN_EOF)
            return rc;
        st->left_open = false;
        rc = exec_check_cancel(op->ctx, err);
    }
    return rc;
}

int op_join_left(struct op *op, struct op **ret, struct dn_err *err)
{
    struct op_join *st = op->state;
    enum plan_join_kind kind = op->node->join->kind;
    int rc;

    *ret = NULL;
    if (st->merge || kind == PLAN_JOIN_FULL || kind == PLAN_JOIN_SINGLE)
        return 0;
    rc = st->built ? 0 : join_start(op, err);
    if (rc == 0 && !st->left_done && !exec_join_spilled(&st->spill))
        *ret = op->input;
    return rc < 0 ? rc : 0;
}

const struct op_ops op_join_ops = {.name = "Join",
                                   .open = op_join_open,
                                   .next = op_join_next,
                                   .close = op_join_close,
                                   .explain = exec_join_explain,
                                   .state_size = sizeof(struct op_join),
                                   .thins = true,
                                   .lazy = true,
                                   .holds = true};
