/* SPDX-License-Identifier: Apache-2.0
 *
 * window.c: partitions: their groups of peers, and the calls that are window functions. */
#include "exec/window.h"

#include "exec/value.h"

#include <string.h>

#define WINDOW_CHECK_ROWS 4096u

/* ---- life ---- */

/* All cursors there are. */
static int window_cursors(struct exec_window *w, exec_cursor_fn fn, void *arg, struct dn_err *err)
{
    int rc = fn(&w->now, arg, err);

    if (rc == 0)
        rc = fn(&w->walk.head, arg, err);
    if (rc == 0)
        rc = fn(&w->walk.ahead, arg, err);
    for (uint32_t i = 0; i < w->plan->calls_count && rc == 0; i++) {
        rc = fn(&w->calls[i].cursor, arg, err);
        if (rc == 0)
            rc = exec_frames_cursors(&w->calls[i].frames, fn, arg, err);
    }
    return rc;
}

int exec_window_open(struct exec_window *w, struct dn_err *err)
{
    int rc = 0;

    arena_init(&w->batch, w->owner);
    exec_window_reach(w);
    w->peers_first = arena_calloc(&w->run, VEC_ROWS_MAX, sizeof *w->peers_first);
    w->peers_end = arena_calloc(&w->run, VEC_ROWS_MAX, sizeof *w->peers_end);
    w->groups_before = arena_calloc(&w->run, VEC_ROWS_MAX, sizeof *w->groups_before);
    if (!w->peers_first || !w->peers_end || !w->groups_before)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < w->plan->calls_count && rc == 0; i++) {
        struct exec_window_call *c = &w->calls[i];

        c->data = arena_alloc_array(&w->run, VEC_ROWS_MAX, phys_size(type_phys(c->call->type)));
        c->nulls = arena_calloc(&w->run, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof *c->nulls);
        if (!c->data || !c->nulls)
            return DN_FAIL_NOMEM(err);
        if (!c->call->fn)
            rc = exec_window_agg_open(w, c, err);
    }
    return rc;
}

static int
window_cursor_close(struct exec_spool_cursor *c, void *arg DN_UNUSED, struct dn_err *err DN_UNUSED)
{
    exec_spool_cursor_close(c);
    return 0;
}

void exec_window_close(struct exec_window *w)
{
    if (!w->calls)
        return;
    DN_IGNORE(window_cursors(w, window_cursor_close, NULL, NULL)); /* it cannot fail */
    for (uint32_t i = 0; i < w->plan->calls_count; i++)
        exec_window_agg_close(&w->calls[i]);
    arena_done(&w->batch);
}

static int window_cursor_begin(struct exec_spool_cursor *c, void *arg, struct dn_err *err)
{
    struct exec_spool *rows = arg;

    if (!c->spool)
        return exec_spool_cursor_open(c, rows, err);
    DN_ASSERT(c->rows == 0);
    c->spool = rows;
    return 0;
}

int exec_window_begin(struct exec_window *w, struct exec_spool *rows, struct dn_err *err)
{
    w->rows = rows;
    return window_cursors(w, window_cursor_begin, rows, err);
}

static int
window_cursor_leave(struct exec_spool_cursor *c, void *arg DN_UNUSED, struct dn_err *err DN_UNUSED)
{
    if (c->spool)
        exec_spool_cursor_leave(c);
    return 0;
}

void exec_window_leave(struct exec_window *w)
{
    DN_IGNORE(window_cursors(w, window_cursor_leave, NULL, NULL)); /* it cannot fail */
}

void exec_window_batch(struct exec_window *w, uint32_t first)
{
    w->batch_first = first;
    arena_reset(&w->batch);
    for (uint32_t i = 0; i < w->plan->calls_count; i++)
        memset(w->calls[i].nulls, 0, VEC_BITMAP_WORDS(VEC_ROWS_MAX) * sizeof *w->calls[i].nulls);
}

/* ---- peers ---- */

/* Does the order tell a row of one cursor from a row of the other? */
static bool window_peers(const struct exec_window *w,
                         const struct exec_spool_cursor *a,
                         uint32_t row_a,
                         const struct exec_spool_cursor *b,
                         uint32_t row_b)
{
    for (uint32_t i = 0; i < w->plan->order_count; i++) {
        uint32_t c = w->plan->order[i].col;
        bool null = exec_spool_is_null(a, c, row_a);

        if (null != exec_spool_is_null(b, c, row_b))
            return false;
        if (!null && !exec_value_same(a->cols[c].type,
                                      a->cols[c].data,
                                      row_a - a->first,
                                      b->cols[c].data,
                                      row_b - b->first))
            return false;
    }
    return true;
}

void exec_walk_start(struct exec_walk *walk)
{
    walk->group = 0;
    walk->first = 0;
    walk->end = 0;
}

int exec_walk_next(const struct exec_window *w,
                   struct exec_walk *walk,
                   bool *ret,
                   struct dn_err *err)
{
    uint32_t base = w->part.first;
    uint32_t at;
    int rc = 0;

    walk->group += walk->end > walk->first;
    walk->first = walk->end;
    *ret = walk->first < w->part.rows;
    if (!*ret)
        return 0;
    if (w->plan->order_count == 0) { /* all are peers */
        walk->end = w->part.rows;
        return 0;
    }
    rc = exec_spool_seek(&walk->head, base + walk->first, err);
    for (at = walk->first + 1; at < w->part.rows && rc == 0; at++) {
        if (at % WINDOW_CHECK_ROWS == 0)
            rc = exec_check_cancel(w->ctx, err);
        if (rc == 0)
            rc = exec_spool_seek(&walk->ahead, base + at, err);
        if (rc == 0 && !window_peers(w, &walk->head, base + walk->first, &walk->ahead, base + at))
            break;
    }
    walk->end = at;
    return rc;
}

/* Peers of the rows [first, first + count) of the partition. */
static int window_groups(struct exec_window *w, uint32_t first, uint32_t count, struct dn_err *err)
{
    uint32_t shift = w->part.first - w->batch_first;
    bool some;
    int rc = 0;

    for (uint32_t row = first; row < first + count && rc == 0; row++) {
        if (row == w->walk.end)
            rc = exec_walk_next(w, &w->walk, &some, err);
        w->peers_first[shift + row] = w->walk.first;
        w->peers_end[shift + row] = w->walk.end;
        w->groups_before[shift + row] = w->walk.group;
    }
    return rc;
}

/* ---- window functions ---- */

static int window_result(struct exec_window *w,
                         struct exec_window_call *c,
                         uint32_t row,
                         const struct winfunc_result *r,
                         struct dn_err *err)
{
    struct datum d = {.type = c->call->type, .str = {"", 0}};
    uint32_t at;
    int rc;

    switch (r->answer) {
    case WINFUNC_NULL:
        d.null = true;
        break;
    case WINFUNC_VALUE:
        d.v = r->v;
        break;
    case WINFUNC_ROW:
        at = w->part.first + (uint32_t)r->row;
        rc = exec_spool_seek(&c->cursor, at, err);
        if (rc < 0)
            return rc;
        d = exec_spool_datum(&c->cursor, c->args[0], at);
        /* Text stays where it is only as long as the cursor stays there. */
        if (c->cursor.pinned->aside && !datum_copy(&w->batch, &d, &d))
            return DN_FAIL_NOMEM(err);
        break;
    case WINFUNC_ARG:
        d = exec_spool_datum(&w->now, c->args[2], w->part.first + row);
        break;
    }
    exec_window_put(w, c, row, &d);
    return 0;
}

static int window_rows(struct exec_window *w,
                       struct exec_window_call *c,
                       uint32_t first,
                       uint32_t count,
                       struct dn_err *err)
{
    const struct winfunc *fn = c->call->fn;
    uint32_t shift = w->part.first - w->batch_first;
    struct winfunc_result result;
    struct winfunc_row at = {.rows = w->part.rows, .frame = c->frames.ranges, .pos = c->call->pos};
    int rc = 0;

    for (uint32_t row = first; row < first + count && rc == 0; row++) {
        if (fn->framed)
            rc = exec_frames_row(w, c, row, err);
        at.row = row;
        at.peers = (struct winfunc_range){w->peers_first[shift + row], w->peers_end[shift + row]};
        at.groups_before = w->groups_before[shift + row];
        at.frame_count = c->frames.ranges_count;
        for (uint32_t i = 0; i < c->args_count && (row == 0 || !fn->args_once); i++)
            c->args_now[i] = exec_spool_datum(&w->now, c->args[i], w->part.first + row);
        if (rc == 0)
            rc = fn->kernel(&at, c->args_now, &result, err);
        if (rc == 0)
            rc = window_result(w, c, row, &result, err);
    }
    return rc;
}

/* Values of the first argument in the rows [from, end) of the partition, for those of the batch
 * that begin with `row`. */
static int window_copy(struct exec_window *w,
                       struct exec_window_call *c,
                       uint32_t row,
                       uint32_t from,
                       uint32_t end,
                       struct dn_err *err)
{
    enum phys phys = type_phys(c->call->type);
    size_t size = phys_size(phys);
    uint32_t to = w->part.first + row - w->batch_first;

    while (from < end) {
        uint32_t at = w->part.first + from;
        int rc = exec_spool_seek(&c->cursor, at, err);
        const struct vec *v = &c->cursor.cols[c->args[0]];
        uint32_t place = at - c->cursor.first;
        uint32_t n = c->cursor.rows - place;

        if (rc < 0)
            return rc;
        n = n < end - from ? n : end - from;
        DN_ASSERT(type_phys(v->type) == phys && v->form == VEC_FLAT);
        if (phys == PHYS_STR && c->cursor.pinned->aside) { /* their text must be copied */
            rc = window_rows(w, c, row, n, err);
            if (rc < 0)
                return rc;
        } else {
            memcpy((char *)c->data + to * size, (const char *)v->data + place * size, n * size);
            for (uint32_t i = 0; i < n && v->nulls; i++)
                if (vec_bit(v->nulls, place + i))
                    vec_bit_set(c->nulls, to + i);
        }
        row += n;
        from += n;
        to += n;
    }
    return 0;
}

/* lag and lead by the same distance: stretches of the column, and what is at the ends. */
static int window_shifted(struct exec_window *w,
                          struct exec_window_call *c,
                          uint32_t first,
                          uint32_t count,
                          struct dn_err *err)
{
    int64_t rows = w->part.rows;
    int64_t end = (int64_t)first + count;
    int64_t lo = -c->shift > first ? -c->shift : first;
    int64_t hi = rows - c->shift < end ? rows - c->shift : end;
    int rc;

    lo = lo < end ? lo : end;
    hi = hi > lo ? hi : lo;
    rc = window_rows(w, c, first, (uint32_t)(lo - first), err);
    if (rc == 0)
        rc = window_copy(
            w, c, (uint32_t)lo, (uint32_t)(lo + c->shift), (uint32_t)(hi + c->shift), err);
    if (rc == 0)
        rc = window_rows(w, c, (uint32_t)hi, (uint32_t)(end - hi), err);
    return rc;
}

static int window_function(struct exec_window *w,
                           struct exec_window_call *c,
                           uint32_t first,
                           uint32_t count,
                           struct dn_err *err)
{
    uint32_t shift = w->part.first - w->batch_first;
    int64_t *numbers = c->data;
    int rc = exec_check_cancel(w->ctx, err);

    if (rc < 0)
        return rc;
    if (c->shifts)
        return window_shifted(w, c, first, count, err);
    if (c->call->fn->reach != WINFUNC_REACH_NUMBER)
        return window_rows(w, c, first, count, err);
    for (uint32_t row = first; row < first + count; row++)
        numbers[(uint32_t)(shift + row)] = (int64_t)row + 1;
    return 0;
}

/* ---- a partition ---- */

int exec_window_part(struct exec_window *w, uint32_t first, uint32_t rows, struct dn_err *err)
{
    int rc = exec_check_cancel(w->ctx, err);

    w->part = (struct exec_window_part){.first = first, .rows = rows};
    exec_walk_start(&w->walk);
    for (uint32_t i = 0; i < w->plan->calls_count && rc == 0; i++) {
        exec_frames_start(w, &w->calls[i]);
        if (w->calls[i].agg)
            exec_window_agg_start(&w->calls[i]);
    }
    return rc;
}

void exec_window_go_on(struct exec_window *w, uint32_t first, uint32_t rows)
{
    w->part = (struct exec_window_part){.first = first, .rows = rows};
}

int exec_window_run(struct exec_window *w, uint32_t row, uint32_t count, struct dn_err *err)
{
    uint32_t first = row - w->part.first;
    int rc = exec_spool_seek(&w->now, row, err);

    DN_ASSERT(rc < 0 || row + count <= w->now.first + w->now.rows);
    if (rc == 0 && w->reach.peers)
        rc = window_groups(w, first, count, err);
    for (uint32_t i = 0; i < w->plan->calls_count && rc == 0; i++)
        rc = w->calls[i].agg ? exec_window_agg_run(&w->calls[i], first, count, err)
                             : window_function(w, &w->calls[i], first, count, err);
    return rc;
}
