/* SPDX-License-Identifier: Apache-2.0
 *
 * join_merge.c: see join_merge.h. */
#include "exec/join_merge.h"

#include "exec/value.h"

#include <string.h>

enum { LEFT, RIGHT };

int exec_merge_open(struct exec_merge *m,
                    struct op *op,
                    struct exec_joiner *joiner,
                    struct dn_err *err)
{
    const struct plan_join *join = op->node->join;
    uint32_t series = join->merge->series_count;

    m->op = op;
    m->joiner = joiner;
    m->table = join->merge;
    m->time_key = join->keys_count;
    for (uint32_t i = 0; i < m->table->rest_count; i++)
        if (m->table->rest[i].col == m->table->time_col)
            m->time_key = series + i;
    for (uint32_t i = 0; i < series; i++)
        if (m->table->series[i] == m->table->time_col)
            m->time_key = i;
    arena_init(&m->run, &op->mem);
    buf_init(&m->scratch, &op->mem);
    m->matches = arena_alloc_array(&m->run, VEC_ROWS_MAX, sizeof *m->matches);
    m->rows = arena_alloc_array(&m->run, VEC_ROWS_MAX, sizeof *m->rows);
    m->right_hits = arena_calloc(&m->run, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof *m->right_hits);
    m->right_sel = arena_alloc_array(&m->run, VEC_ROWS_MAX, sizeof *m->right_sel);
    if (!m->matches || !m->rows || !m->right_hits || !m->right_sel)
        return DN_FAIL_NOMEM(err);
    for (int i = 0; i < 2; i++) {
        struct exec_merge_side *s = &m->side[i];

        arena_init(&s->batch, &op->mem);
        s->ev = exec_eval(op, &s->batch, &m->run);
        s->keys = arena_calloc(&m->run, join->keys_count, sizeof *s->keys);
        s->series = arena_calloc(&m->run, (size_t)series + 1, sizeof *s->series);
        if (!s->keys || !s->series)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

void exec_merge_close(struct exec_merge *m)
{
    for (int i = 0; i < 2; i++)
        arena_done(&m->side[i].batch);
    arena_done(&m->run);
    buf_done(&m->scratch);
}

/* ---- a side ---- */

static uint32_t merge_row(const struct exec_merge_side *s, uint32_t at)
{
    return s->in.sel ? s->in.sel[at] : at;
}

/* Is the row of the run at hand? */
static bool merge_in_run(const struct exec_merge *m, const struct exec_merge_side *s, uint32_t row)
{
    if (m->table->time_col >= 0) {
        int64_t time = vec_i64(&s->keys[m->time_key], row);

        if (time < s->slab || time >= s->slab_end)
            return false;
    }
    for (uint32_t i = 0; i < m->table->series_count; i++) {
        const struct vec *v = &s->keys[i];
        struct datum d;

        if (v->form == VEC_CONST)
            continue;
        d = vec_datum(v, row);
        if (datum_cmp(&d, &s->series[i]) != 0)
            return false;
    }
    return true;
}

static bool merge_series_const(const struct exec_merge *m, const struct exec_merge_side *s)
{
    for (uint32_t i = 0; i < m->table->series_count; i++)
        if (s->keys[i].form != VEC_CONST)
            return false;
    return true;
}

/* The run that begins with the row at hand. */
static int merge_run(struct exec_merge *m, struct exec_merge_side *s, struct dn_err *err)
{
    uint32_t row = merge_row(s, s->at);

    m->compared = false;
    if (m->table->time_col >= 0) {
        s->slab = table_slab(m->table, vec_i64(&s->keys[m->time_key], row));
        s->slab_end = table_slab_end(m->table, s->slab);
    }
    for (uint32_t i = 0; i < m->table->series_count; i++)
        s->series[i] = vec_datum(&s->keys[i], row);
    buf_reset(&m->scratch);
    s->token = table_series_token(m->table, s->series, &m->scratch);
    if (m->scratch.failed)
        return DN_FAIL_NOMEM(err);
    s->run_end = s->in.sel_count;
    if (merge_series_const(m, s) && merge_in_run(m, s, merge_row(s, s->run_end - 1)))
        return 0;
    s->run_end = s->at + 1;
    while (s->run_end < s->in.sel_count && merge_in_run(m, s, merge_row(s, s->run_end)))
        s->run_end++;
    return 0;
}

/* The next batch of a side; its op becomes NULL at the end. */
static int merge_pull(struct exec_merge *m, int which, struct dn_err *err)
{
    struct exec_merge_side *s = &m->side[which];
    const struct plan_join *join = m->op->node->join;
    int rc = exec_pull(s->op, &s->in, err);

    s->at = 0;
    if (rc == DN_EOF) {
        s->op = NULL;
        return 0;
    }
    arena_reset(&s->batch);
    for (uint32_t k = 0; k < join->keys_count && rc == 0; k++)
        rc = expr_eval(which == LEFT ? join->keys[k].left : join->keys[k].right,
                       &s->ev,
                       &s->in,
                       &s->keys[k],
                       err);
    if (rc == 0 && which == RIGHT && join->kind == PLAN_JOIN_FULL) {
        memset(m->right_hits, 0, VEC_BITMAP_WORDS(VEC_ROWS_MAX) * sizeof *m->right_hits);
        m->right_open = true;
    }
    return rc < 0 ? rc : merge_run(m, s, err);
}

/* ---- both ---- */

static int merge_cmp(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int merge_runs(struct exec_merge *m)
{
    const struct exec_merge_side *l = &m->side[LEFT];
    const struct exec_merge_side *r = &m->side[RIGHT];
    int c = 0;

    if (m->compared)
        return m->order;
    if (m->table->time_col >= 0)
        c = merge_cmp(l->slab, r->slab);
    if (m->table->time_desc)
        c = -c;
    if (c == 0)
        c = merge_cmp(l->token, r->token);
    for (uint32_t i = 0; i < m->table->series_count && c == 0; i++)
        c = datum_cmp(&l->series[i], &r->series[i]);
    m->compared = true;
    m->order = c;
    return c;
}

/* The rest of the key of two rows of one run. */
static int merge_rows(const struct exec_merge *m, uint32_t left, uint32_t right)
{
    uint32_t series = m->table->series_count;
    int c = 0;

    for (uint32_t i = 0; i < m->table->rest_count && c == 0; i++) {
        const struct vec *l = &m->side[LEFT].keys[series + i];
        const struct vec *r = &m->side[RIGHT].keys[series + i];

        if (type_phys(l->type) == PHYS_I64) {
            c = merge_cmp(vec_i64(l, left), vec_i64(r, right));
        } else {
            struct datum a = vec_datum(l, left);
            struct datum b = vec_datum(r, right);

            c = datum_cmp(&a, &b);
        }
        if (m->table->rest[i].desc)
            c = -c;
    }
    return c;
}

/* Goes through the runs at hand, which are the same, until one of them ends. */
static void merge_through(struct exec_merge *m)
{
    struct exec_merge_side *l = &m->side[LEFT];
    struct exec_merge_side *r = &m->side[RIGHT];
    uint32_t left = merge_row(l, l->at);
    uint32_t right = merge_row(r, r->at);

    for (;;) {
        int c = merge_rows(m, left, right);

        if (c == 0) {
            m->rows[left] = (uint16_t)right;
            m->matches[m->count++] = (uint16_t)left;
        }
        l->at += c <= 0;
        r->at += c >= 0;
        if (l->at == l->run_end || r->at == r->run_end)
            return;
        left = merge_row(l, l->at);
        right = merge_row(r, r->at);
    }
}

/* What the left batch has found in the right one: rows of the result, or notes. */
static int merge_emit(struct exec_merge *m, struct batch *ret, struct dn_err *err)
{
    const struct plan_node *node = m->op->node;
    struct exec_joiner *j = m->joiner;
    const struct batch *left = &j->left;
    const struct exec_join_cands cands = {
        .count = left->count, .sel = m->matches, .sel_count = m->count};
    int rc = 0;

    arena_reset(&j->batch);
    if (exec_join_asks(node->join->kind) && !node->join->filter) {
        for (uint32_t i = 0; i < m->count && rc == 0; i++)
            rc = exec_joiner_hit(j, m->matches[i], err);
        m->count = 0;
        ret->sel_count = 0;
        return rc;
    }
    memcpy(j->cols, left->cols, left->cols_count * sizeof *j->cols);
    rc = exec_pick(m->side[RIGHT].in.cols,
                   node->right->cols_count,
                   m->rows,
                   left->count,
                   &j->batch,
                   j->cols + left->cols_count,
                   err);
    if (rc == 0)
        rc = exec_joiner_match(j, &cands, ret, err);
    for (uint32_t i = 0; m->right_open && rc == 0 && i < ret->sel_count; i++)
        vec_bit_set(m->right_hits, m->rows[ret->sel ? ret->sel[i] : i]);
    for (uint32_t i = 0; i < m->count; i++)
        m->rows[m->matches[i]] = 0; /* of the next right batch there may be fewer rows */
    m->count = 0;
    if (exec_join_asks(node->join->kind))
        ret->sel_count = 0;
    return rc;
}

/* FULL: rows of the right batch that nobody matched; the batch is done with. */
static int merge_emit_right(struct exec_merge *m, struct batch *ret)
{
    const struct plan_node *node = m->op->node;
    const struct exec_merge_side *r = &m->side[RIGHT];
    struct exec_joiner *j = m->joiner;
    uint32_t left = node->input->cols_count;
    uint32_t n = 0;

    for (uint32_t c = 0; c < left; c++)
        exec_nulls(&node->input->cols[c].type, 1, r->in.count, &j->cols[c]);
    memcpy(j->cols + left, r->in.cols, node->right->cols_count * sizeof *j->cols);
    for (uint32_t i = 0; i < r->in.sel_count; i++) {
        uint32_t row = merge_row(r, i);

        if (!vec_bit(m->right_hits, row))
            m->right_sel[n++] = (uint16_t)row;
    }
    m->right_open = false;
    *ret = (struct batch){.count = r->in.count,
                          .cols_count = node->cols_count,
                          .cols = j->cols,
                          .sel = m->right_sel,
                          .sel_count = n};
    return 0;
}

/* FULL: the left side has no more rows. */
static int merge_drain(struct exec_merge *m, struct batch *ret, struct dn_err *err)
{
    struct exec_merge_side *r = &m->side[RIGHT];
    int rc = 0;

    if (m->op->node->join->kind != PLAN_JOIN_FULL)
        return DN_EOF;
    if (!m->right_open && r->op)
        rc = merge_pull(m, RIGHT, err);
    if (rc < 0)
        return rc;
    return m->right_open ? merge_emit_right(m, ret) : DN_EOF;
}

static void merge_left_begins(struct exec_merge *m)
{
    const struct exec_merge_side *l = &m->side[LEFT];

    exec_joiner_left(m->joiner, &l->in);
    memset(m->rows, 0, l->in.count * sizeof *m->rows);
    m->left_open = true;
}

/* One step: until there is something to emit, or a side needs a batch. 1: emit, 2: what is left of
 * the right batch. */
static int merge_step(struct exec_merge *m, struct dn_err *err)
{
    struct exec_merge_side *l = &m->side[LEFT];
    struct exec_merge_side *r = &m->side[RIGHT];
    int c;

    if (r->op && r->at == r->in.sel_count)
        return m->count ? 1 : m->right_open ? 2 : merge_pull(m, RIGHT, err);
    if (!r->op) {
        l->at = l->in.sel_count;
        return 0;
    }
    c = merge_runs(m);
    if (c < 0)
        l->at = l->run_end;
    else if (c > 0)
        r->at = r->run_end;
    else
        merge_through(m);
    if (l->at == l->run_end && l->at < l->in.sel_count)
        c = merge_run(m, l, err);
    else
        c = 0;
    if (c == 0 && r->at == r->run_end && r->at < r->in.sel_count)
        c = merge_run(m, r, err);
    return c;
}

static int merge_start(struct exec_merge *m, struct dn_err *err)
{
    int rc = exec_need_input(m->op, err);

    if (rc == 0)
        rc = exec_need_right(m->op, err);
    m->side[LEFT].op = m->op->input;
    m->side[RIGHT].op = m->op->right;
    m->started = true;
    return rc;
}

int exec_merge_next(struct exec_merge *m, struct batch *ret, struct dn_err *err)
{
    struct exec_merge_side *l = &m->side[LEFT];
    int rc = m->started ? 0 : merge_start(m, err);

    if (rc < 0)
        return rc;
    for (;;) {
        if (!m->left_open) {
            if (!l->op)
                return merge_drain(m, ret, err);
            rc = merge_pull(m, LEFT, err);
            if (rc < 0)
                return rc;
            if (l->op)
                merge_left_begins(m);
            continue;
        }
        if (l->at < l->in.sel_count) {
            rc = merge_step(m, err);
            if (rc < 0)
                return rc;
            if (rc > 0)
                return rc == 1 ? merge_emit(m, ret, err) : merge_emit_right(m, ret);
            continue;
        }
        if (m->count)
            return merge_emit(m, ret, err);
        arena_reset(&m->joiner->batch);
        rc = exec_joiner_rest(m->joiner, ret, err);
        if (rc != DN_EOF)
            return rc;
        m->left_open = false;
        rc = exec_check_cancel(m->op->ctx, err);
        if (rc < 0)
            return rc;
    }
}
