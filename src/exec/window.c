/* SPDX-License-Identifier: Apache-2.0
 *
 * window.c: a partition: its groups of peers, and the calls that are window functions. */
#include "exec/window.h"

#include "exec/value.h"

#define WINDOW_CHECK_ROWS 4096u

int exec_window_round(struct exec_window *w, struct dn_err *err)
{
    uint32_t count = w->rows->count;

    arena_reset(&w->round);
    for (uint32_t i = 0; i < w->plan->calls_count; i++) {
        struct exec_window_call *c = &w->calls[i];
        size_t size = phys_size(type_phys(c->call->type));

        c->data = arena_alloc_array(&w->round, count, size);
        c->nulls = arena_calloc(&w->round, VEC_BITMAP_WORDS((size_t)count), sizeof *c->nulls);
        if (!c->data || !c->nulls)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* ---- peers ---- */

static bool window_peers(const struct exec_window *w, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < w->plan->order_count; i++) {
        uint32_t c = w->plan->order[i].col;
        bool null = exec_rows_is_null(w->rows, c, a);

        if (null != exec_rows_is_null(w->rows, c, b))
            return false;
        if (!null && !exec_value_same(w->rows->types[c],
                                      exec_rows_col(w->rows, c, a)->data,
                                      a % VEC_ROWS_MAX,
                                      exec_rows_col(w->rows, c, b)->data,
                                      b % VEC_ROWS_MAX))
            return false;
    }
    return true;
}

static int window_groups(struct exec_window *w, struct exec_window_part *p, struct dn_err *err)
{
    p->group_of = arena_alloc_array(&w->part, p->rows, sizeof *p->group_of);
    p->groups = arena_alloc_array(&w->part, (size_t)p->rows + 1, sizeof *p->groups);
    if (!p->group_of || !p->groups)
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < p->rows; row++) {
        if (row == 0 || !window_peers(w, p->first + row - 1, p->first + row))
            p->groups[p->groups_count++] = row;
        p->group_of[row] = p->groups_count - 1;
    }
    p->groups[p->groups_count] = p->rows;
    return 0;
}

/* ---- window functions ---- */

static void window_result(struct exec_window *w,
                          struct exec_window_call *c,
                          const struct exec_window_part *p,
                          uint32_t row,
                          const struct winfunc_result *r)
{
    struct datum d = {.type = c->call->type, .str = {"", 0}};

    switch (r->answer) {
    case WINFUNC_NULL:
        d.null = true;
        break;
    case WINFUNC_VALUE:
        d.v = r->v;
        break;
    case WINFUNC_ROW:
        d = exec_rows_datum(w->rows, c->args[0], p->first + (uint32_t)r->row);
        break;
    case WINFUNC_ARG:
        d = exec_rows_datum(w->rows, c->args[2], p->first + row);
        break;
    }
    exec_window_put(c, p->first + row, &d);
}

static int window_function(struct exec_window *w,
                           struct exec_window_call *c,
                           const struct exec_window_part *p,
                           struct dn_err *err)
{
    const struct winfunc *fn = c->call->fn;
    struct exec_frames frames;
    struct datum args[WINFUNC_ARGS_MAX];
    struct winfunc_result result;
    struct winfunc_row at = {.rows = p->rows, .frame = frames.ranges, .pos = c->call->pos};
    int rc = 0;

    exec_frames_start(&frames, w, c, p);
    for (uint32_t row = 0; row < p->rows && rc == 0; row++) {
        uint32_t group = p->group_of[row];

        if (row % WINDOW_CHECK_ROWS == 0)
            rc = exec_check_cancel(w->ctx, err);
        if (fn->framed)
            exec_frames_row(&frames, row);
        at.row = row;
        at.peers = (struct winfunc_range){p->groups[group], p->groups[group + 1]};
        at.groups_before = group;
        at.frame_count = frames.ranges_count;
        for (uint32_t i = 0; i < c->args_count && (row == 0 || !fn->args_once); i++)
            args[i] = exec_rows_datum(w->rows, c->args[i], p->first + row);
        if (rc == 0)
            rc = fn->kernel(&at, args, &result, err);
        if (rc == 0)
            window_result(w, c, p, row, &result);
    }
    return rc;
}

int exec_window_run(struct exec_window *w, uint32_t first, uint32_t end, struct dn_err *err)
{
    struct exec_window_part part = {.first = first, .rows = end - first};
    int rc;

    arena_reset(&w->part);
    rc = window_groups(w, &part, err);
    for (uint32_t i = 0; i < w->plan->calls_count && rc == 0; i++)
        rc = w->calls[i].call->fn ? window_function(w, &w->calls[i], &part, err)
                                  : exec_window_agg(w, &w->calls[i], &part, err);
    return rc;
}
