/* SPDX-License-Identifier: Apache-2.0
 *
 * window_reach.c: how far the calls of a window look from a row, and so what may go out before the
 * partition is whole, and which rows that went out are still looked at. */
#include "exec/window.h"

#define WINDOW_FAR (1 << 16) /* rows ahead; who looks further waits for the whole partition */

static void reach_ahead(struct exec_window_reach *r, int64_t rows)
{
    if (rows > WINDOW_FAR)
        r->streams = false;
    else if (rows > (int64_t)r->ahead)
        r->ahead = (uint32_t)rows;
}

static bool reach_is_offset(enum plan_frame_bound b)
{
    return b == PLAN_BOUND_PRECEDING || b == PLAN_BOUND_FOLLOWING;
}

static void reach_frame(struct exec_window_reach *r, const struct exec_window_call *c)
{
    const struct plan_frame *f = &c->call->frame;
    bool offsets = reach_is_offset(f->start) || reach_is_offset(f->end);
    bool follows = f->start == PLAN_BOUND_FOLLOWING || f->end == PLAN_BOUND_FOLLOWING;

    if (f->exclude == PLAN_EXCLUDE_GROUP || f->exclude == PLAN_EXCLUDE_TIES)
        r->peers = true;
    if (f->mode != PLAN_FRAME_ROWS &&
        (offsets || f->start == PLAN_BOUND_CURRENT || f->end == PLAN_BOUND_CURRENT))
        r->peers = true;
    /* A frame that begins with the partition: its rows are added to a state and not needed again,
     * unless there are holes in it, or a function picks one of them. */
    if (f->start == PLAN_BOUND_UNBOUNDED_PRECEDING &&
        (f->exclude != PLAN_EXCLUDE_NONE || c->call->fn))
        r->streams = false;
    if (f->end == PLAN_BOUND_UNBOUNDED_FOLLOWING)
        r->streams = false;
    if (f->mode != PLAN_FRAME_ROWS) {
        if (follows || (f->mode == PLAN_FRAME_GROUPS && offsets))
            r->streams = false;
        return;
    }
    if (f->start == PLAN_BOUND_FOLLOWING)
        reach_ahead(r, c->start.offset);
    if (f->end == PLAN_BOUND_FOLLOWING)
        reach_ahead(r, c->end.offset);
}

/* lag and lead: is the distance the same for all rows? */
static void reach_shift(struct exec_window_reach *r, struct exec_window_call *c)
{
    const struct plan_window_call *call = c->call;
    bool back = call->fn->reach == WINFUNC_REACH_BACK;
    int64_t by = 1;

    if (call->args_count > 1) {
        const struct bexpr *e = call->args[1];

        if (e->kind != BEXPR_CONST || e->value.null || e->value.v.i64 > INT32_MAX ||
            e->value.v.i64 < INT32_MIN) {
            r->streams = false;
            return;
        }
        by = e->value.v.i64;
    }
    c->shifts = r->fast;
    c->shift = back ? -by : by;
    reach_ahead(r, c->shift);
}

void exec_window_reach(struct exec_window *w)
{
    struct exec_window_reach *r = &w->reach;

    *r = (struct exec_window_reach){.fast = exec_fast(w->ctx)};
    r->streams = r->fast;
    r->peers = !r->fast;
    for (uint32_t i = 0; i < w->plan->calls_count; i++) {
        struct exec_window_call *c = &w->calls[i];

        switch (c->call->fn ? c->call->fn->reach : WINFUNC_REACH_FRAME) {
        case WINFUNC_REACH_ALL:
            r->streams = false;
            r->peers = true;
            break;
        case WINFUNC_REACH_NUMBER:
            break;
        case WINFUNC_REACH_PEERS:
            r->peers = true;
            break;
        case WINFUNC_REACH_BACK:
        case WINFUNC_REACH_AHEAD:
            reach_shift(r, c);
            break;
        case WINFUNC_REACH_FRAME:
            reach_frame(r, c);
            break;
        }
    }
    if (r->peers && w->plan->order_count == 0)
        r->streams = false; /* all rows are peers */
}

uint32_t exec_window_keep(const struct exec_window *w, uint32_t next)
{
    int64_t keep = next;

    for (uint32_t i = 0; i < w->plan->calls_count; i++) {
        const struct exec_window_call *c = &w->calls[i];
        const struct exec_frames *f = &c->frames;
        int64_t need = next;

        if (c->shifts) {
            need = (int64_t)next + c->shift;
        } else if (!c->call->fn || c->call->fn->framed) {
            need = f->end;
            if (c->call->frame.start != PLAN_BOUND_UNBOUNDED_PRECEDING && f->start < f->end)
                need = f->start;
        }
        keep = need < keep ? need : keep;
    }
    return keep < 0 ? 0 : (uint32_t)keep;
}
