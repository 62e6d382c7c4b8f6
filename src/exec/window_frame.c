/* SPDX-License-Identifier: Apache-2.0
 *
 * window_frame.c: the frame of each row. Offsets are the same for all rows, so neither end of a
 * frame ever goes back while rows go on; the ends of RANGE and GROUPS frames are found by going
 * forwards. */
#include "exec/window.h"

#include <math.h>
#include <string.h>

enum { FRAME_START, FRAME_END };

int exec_frames_cursors(struct exec_frames *f, exec_cursor_fn fn, void *arg, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < 2 && rc == 0; i++) {
        rc = fn(&f->cursors[i], arg, err);
        if (rc == 0)
            rc = fn(&f->walk[i].head, arg, err);
        if (rc == 0)
            rc = fn(&f->walk[i].ahead, arg, err);
    }
    return rc;
}

void exec_frames_start(const struct exec_window *w, struct exec_window_call *call)
{
    struct exec_frames *f = &call->frames;

    f->desc = w->plan->order_count && w->plan->order[0].desc;
    f->start = 0;
    f->end = 0;
    f->ranges_count = 0;
    exec_walk_start(&f->walk[FRAME_START]);
    exec_walk_start(&f->walk[FRAME_END]);
}

static uint32_t frame_clamp(int64_t row, uint32_t rows)
{
    return row < 0 ? 0 : row > (int64_t)rows ? rows : (uint32_t)row;
}

static int64_t frame_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b < 0 ? INT64_MIN : INT64_MAX;
}

/* ---- RANGE with an offset ---- */

/* The value at the bound, seen from the row at hand, whose own value is not NULL. */
static struct datum frame_bound(const struct exec_window *w,
                                const struct exec_window_call *c,
                                const struct exec_window_bound *b,
                                uint32_t row)
{
    struct datum d;

    if (b->col != EXEC_WINDOW_NO_COL)
        return exec_spool_datum(&w->now, b->col, w->part.first + row);
    d = exec_spool_datum(&w->now, c->value, w->part.first + row);
    d.v.i64 = frame_add(d.v.i64, c->frames.desc ? -b->offset : b->offset);
    return d;
}

/* Does the value come before (after) the bound? NULLs are outside, on their side. */
static int frame_side(const struct exec_window *w,
                      const struct exec_window_call *c,
                      const struct datum *d,
                      const struct datum *bound)
{
    int order;

    if (d->null)
        return w->plan->order[0].nulls_first ? -1 : 1;
    order = datum_cmp(d, bound);
    return c->frames.desc ? -order : order;
}

/* Infinity less infinity: all numbers are within such an offset. */
static void frame_endless(struct datum *bound, bool least)
{
    if (bound->type == TYPE_NUMERIC)
        bound->num = vnumeric_inf(least);
    else
        bound->v.f64 = least ? -(double)INFINITY : (double)INFINITY;
}

static int frame_range(const struct exec_window *w,
                       struct exec_window_call *c,
                       uint32_t row,
                       int which,
                       uint32_t *ret,
                       struct dn_err *err)
{
    struct exec_spool_cursor *cursor = &c->frames.cursors[which];
    uint32_t shift = w->part.first - w->batch_first;
    uint32_t at = which == FRAME_START ? c->frames.start : c->frames.end;
    struct datum bound, d;
    int rc = 0;

    if (exec_spool_is_null(&w->now, c->value, w->part.first + row)) {
        *ret = which == FRAME_START ? w->peers_first[shift + row] : w->peers_end[shift + row];
        return 0;
    }
    bound = frame_bound(w, c, which == FRAME_START ? &c->start : &c->end, row);
    d = exec_spool_datum(&w->now, c->value, w->part.first + row);
    if (exec_window_is_nan(&bound) && !exec_window_is_nan(&d))
        frame_endless(&bound, (which == FRAME_START) != c->frames.desc);
    for (; at < w->part.rows; at++) {
        int side;

        rc = exec_spool_seek(cursor, w->part.first + at, err);
        if (rc < 0)
            return rc;
        d = exec_spool_datum(cursor, c->value, w->part.first + at);
        side = frame_side(w, c, &d, &bound);
        if (side > 0 || (side == 0 && which == FRAME_START))
            break;
    }
    *ret = at;
    return 0;
}

/* ---- GROUPS with an offset ---- */

/* Where group number `group` begins; the end of the partition if there is none. */
static int frame_group(const struct exec_window *w,
                       struct exec_walk *walk,
                       int64_t group,
                       uint32_t *ret,
                       struct dn_err *err)
{
    bool some = true;
    int rc = 0;

    if (walk->end == 0 && w->part.rows)
        rc = exec_walk_next(w, walk, &some, err);
    while (rc == 0 && some && (int64_t)walk->group < group)
        rc = exec_walk_next(w, walk, &some, err);
    *ret = group <= 0 ? 0 : walk->first;
    return rc;
}

/* ---- both ends ---- */

/* The place of a bound that is an offset from the row: one past it for the end. */
static int frame_offset(const struct exec_window *w,
                        struct exec_window_call *c,
                        uint32_t row,
                        int which,
                        uint32_t *ret,
                        struct dn_err *err)
{
    int64_t offset = which == FRAME_START ? c->start.offset : c->end.offset;
    int64_t more = which == FRAME_END;

    switch (c->call->frame.mode) {
    case PLAN_FRAME_RANGE:
        return frame_range(w, c, row, which, ret, err);
    case PLAN_FRAME_ROWS:
        *ret = frame_clamp(frame_add(frame_add(row, offset), more), w->part.rows);
        return 0;
    case PLAN_FRAME_GROUPS:
        break;
    }
    row = w->groups_before[w->part.first - w->batch_first + row];
    return frame_group(
        w, &c->frames.walk[which], frame_add(frame_add(row, offset), more), ret, err);
}

static int frame_place(const struct exec_window *w,
                       struct exec_window_call *c,
                       uint32_t row,
                       int which,
                       uint32_t *ret,
                       struct dn_err *err)
{
    const struct plan_frame *frame = &c->call->frame;
    uint32_t shift = w->part.first - w->batch_first;
    bool rows = frame->mode == PLAN_FRAME_ROWS;

    switch (which == FRAME_START ? frame->start : frame->end) {
    case PLAN_BOUND_UNBOUNDED_PRECEDING:
        *ret = 0;
        return 0;
    case PLAN_BOUND_UNBOUNDED_FOLLOWING:
        *ret = w->part.rows;
        return 0;
    case PLAN_BOUND_CURRENT:
        if (which == FRAME_START)
            *ret = rows ? row : w->peers_first[shift + row];
        else
            *ret = rows ? row + 1 : w->peers_end[shift + row];
        return 0;
    case PLAN_BOUND_PRECEDING:
    case PLAN_BOUND_FOLLOWING:
        break;
    }
    return frame_offset(w, c, row, which, ret, err);
}

static void frame_keep(struct exec_frames *f, int64_t first, int64_t end)
{
    if (first < f->range.first)
        first = f->range.first;
    if (end > f->range.end)
        end = f->range.end;
    if (first < end)
        f->ranges[f->ranges_count++] = (struct winfunc_range){first, end};
}

int exec_frames_row(const struct exec_window *w,
                    struct exec_window_call *call,
                    uint32_t row,
                    struct dn_err *err)
{
    struct exec_frames *f = &call->frames;
    uint32_t shift = w->part.first - w->batch_first;
    int64_t peers = w->peers_first[shift + row];
    int64_t peers_end = w->peers_end[shift + row];
    int64_t rows = w->part.rows;
    uint32_t start;
    uint32_t end;
    int rc = frame_place(w, call, row, FRAME_START, &start, err);

    if (rc == 0)
        rc = frame_place(w, call, row, FRAME_END, &end, err);
    if (rc < 0)
        return rc;
    f->start = start;
    f->end = end;
    f->range = (struct winfunc_range){start, end > start ? end : start};
    f->ranges_count = 0;
    switch (call->call->frame.exclude) {
    case PLAN_EXCLUDE_NONE:
        frame_keep(f, 0, rows);
        break;
    case PLAN_EXCLUDE_CURRENT:
        frame_keep(f, 0, row);
        frame_keep(f, (int64_t)row + 1, rows);
        break;
    case PLAN_EXCLUDE_GROUP:
        frame_keep(f, 0, peers);
        frame_keep(f, peers_end, rows);
        break;
    case PLAN_EXCLUDE_TIES:
        frame_keep(f, 0, peers);
        frame_keep(f, row, (int64_t)row + 1);
        frame_keep(f, peers_end, rows);
        break;
    }
    return 0;
}
