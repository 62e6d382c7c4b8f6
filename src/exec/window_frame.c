/* SPDX-License-Identifier: Apache-2.0
 *
 * window_frame.c: the frame of each row. Offsets are the same for all rows, so neither end of a
 * frame ever goes back while rows go on; the ends of RANGE frames are found by going forwards. */
#include "exec/window.h"

void exec_frames_start(struct exec_frames *f,
                       const struct exec_window *w,
                       const struct exec_window_call *call,
                       const struct exec_window_part *part)
{
    *f = (struct exec_frames){.w = w, .call = call, .part = part};
    f->desc = w->plan->order_count && w->plan->order[0].desc;
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

static struct datum frame_value(const struct exec_frames *f, uint32_t col, uint32_t row)
{
    return exec_rows_datum(f->w->rows, col, f->part->first + row);
}

/* The value at the bound, seen from a row whose own value is not NULL. */
static struct datum
frame_bound(const struct exec_frames *f, const struct exec_window_bound *b, uint32_t row)
{
    struct datum d;

    if (b->col != EXEC_WINDOW_NO_COL)
        return frame_value(f, b->col, row);
    d = frame_value(f, f->call->value, row);
    d.v.i64 = frame_add(d.v.i64, f->desc ? -b->offset : b->offset);
    return d;
}

/* Does the value come before (after) the bound? NULLs are outside, on their side. */
static int frame_side(const struct exec_frames *f, uint32_t row, const struct datum *bound)
{
    struct datum d = frame_value(f, f->call->value, row);
    int c;

    if (d.null)
        return f->w->plan->order[0].nulls_first ? -1 : 1;
    c = datum_cmp(&d, bound);
    return f->desc ? -c : c;
}

static uint32_t frame_range_start(struct exec_frames *f, uint32_t row)
{
    struct datum bound;
    uint32_t at = f->start;

    if (frame_value(f, f->call->value, row).null)
        return f->part->groups[f->part->group_of[row]];
    bound = frame_bound(f, &f->call->start, row);
    while (at < f->part->rows && frame_side(f, at, &bound) < 0)
        at++;
    return at;
}

static uint32_t frame_range_end(struct exec_frames *f, uint32_t row)
{
    struct datum bound;
    uint32_t at = f->end;

    if (frame_value(f, f->call->value, row).null)
        return f->part->groups[f->part->group_of[row] + 1];
    bound = frame_bound(f, &f->call->end, row);
    while (at < f->part->rows && frame_side(f, at, &bound) <= 0)
        at++;
    return at;
}

/* ---- both ends ---- */

static uint32_t frame_start(struct exec_frames *f, uint32_t row)
{
    const struct plan_frame *frame = &f->call->call->frame;
    const struct exec_window_part *p = f->part;
    int64_t group = p->group_of[row];

    switch (frame->start) {
    case PLAN_BOUND_UNBOUNDED_PRECEDING:
        return 0;
    case PLAN_BOUND_UNBOUNDED_FOLLOWING:
        return p->rows;
    case PLAN_BOUND_CURRENT:
        return frame->mode == PLAN_FRAME_ROWS ? row : p->groups[group];
    case PLAN_BOUND_PRECEDING:
    case PLAN_BOUND_FOLLOWING:
        break;
    }
    if (frame->mode == PLAN_FRAME_RANGE)
        return frame_range_start(f, row);
    if (frame->mode == PLAN_FRAME_ROWS)
        return frame_clamp(frame_add(row, f->call->start.offset), p->rows);
    return p->groups[frame_clamp(frame_add(group, f->call->start.offset), p->groups_count)];
}

static uint32_t frame_end(struct exec_frames *f, uint32_t row)
{
    const struct plan_frame *frame = &f->call->call->frame;
    const struct exec_window_part *p = f->part;
    int64_t group = p->group_of[row];

    switch (frame->end) {
    case PLAN_BOUND_UNBOUNDED_PRECEDING:
        return 0;
    case PLAN_BOUND_UNBOUNDED_FOLLOWING:
        return p->rows;
    case PLAN_BOUND_CURRENT:
        return frame->mode == PLAN_FRAME_ROWS ? row + 1 : p->groups[group + 1];
    case PLAN_BOUND_PRECEDING:
    case PLAN_BOUND_FOLLOWING:
        break;
    }
    if (frame->mode == PLAN_FRAME_RANGE)
        return frame_range_end(f, row);
    if (frame->mode == PLAN_FRAME_ROWS)
        return frame_clamp(frame_add(frame_add(row, f->call->end.offset), 1), p->rows);
    return p
        ->groups[frame_clamp(frame_add(frame_add(group, f->call->end.offset), 1), p->groups_count)];
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

void exec_frames_row(struct exec_frames *f, uint32_t row)
{
    const struct exec_window_part *p = f->part;
    int64_t peers = p->groups[p->group_of[row]];
    int64_t peers_end = p->groups[p->group_of[row] + 1];

    f->start = frame_start(f, row);
    f->end = frame_end(f, row);
    f->range = (struct winfunc_range){f->start, f->end > f->start ? f->end : f->start};
    f->ranges_count = 0;
    switch (f->call->call->frame.exclude) {
    case PLAN_EXCLUDE_NONE:
        frame_keep(f, 0, p->rows);
        break;
    case PLAN_EXCLUDE_CURRENT:
        frame_keep(f, 0, row);
        frame_keep(f, (int64_t)row + 1, p->rows);
        break;
    case PLAN_EXCLUDE_GROUP:
        frame_keep(f, 0, peers);
        frame_keep(f, peers_end, p->rows);
        break;
    case PLAN_EXCLUDE_TIES:
        frame_keep(f, 0, peers);
        frame_keep(f, row, (int64_t)row + 1);
        frame_keep(f, peers_end, p->rows);
        break;
    }
}
