/* SPDX-License-Identifier: Apache-2.0
 *
 * window_agg.c: aggregates over frames, in one of three ways:
 *   growing  the frame starts with the partition: rows are added to one state
 *   sliding  both ends move on: the frame is cut in two. Rows behind the cut are added to one
 * state; for each row before it there is the state of the rows from there to the cut. When the
 *            start has passed the cut, the cut moves to the end. So each row is added twice and
 *            merged twice, whatever the size of the frame, and nothing is ever subtracted.
 *   afresh   small frames, and frames with holes (EXCLUDE): rows are added anew for each row
 * A frame equal to that of the row before has its result. */
#include "exec/window.h"

#include <string.h>

#define WINDOW_AFRESH_ROWS 24 /* frames of so many rows are not worth more */
#define WINDOW_CHECK_ROWS  4096u

struct win_agg {
    struct exec_window *w;
    struct exec_window_call *call;
    const struct exec_window_part *part;
    const struct agg *agg;
    struct exec_frames frames;
    struct arena strings;
    size_t size; /* of a state, padded */
    void *state; /* growing: all rows so far; sliding: rows behind the cut; afresh: scratch */
    void *total; /* sliding: scratch */
    char *tails; /* sliding: states from rows [tails_first, cut) to the cut */
    uint32_t tails_cap;
    uint32_t tails_first;
    uint32_t cut;
    uint32_t added; /* rows [.., added) are in state */
    uint16_t sel[VEC_ROWS_MAX];
};

/* Rows [first, end) of the partition, all of one chunk. */
static int
win_add_chunk(struct win_agg *a, void *state, uint32_t at, uint32_t end, struct dn_err *err)
{
    const struct exec_rows *rows = a->w->rows;
    uint32_t base = at / VEC_ROWS_MAX * VEC_ROWS_MAX;
    struct vec v[2];
    uint32_t n = 0;

    for (uint32_t row = at; row < end; row++) {
        if (a->call->filter != EXEC_WINDOW_NO_COL) {
            struct datum d = exec_rows_datum(rows, a->call->filter, row);

            if (d.null || !d.v.i64)
                continue;
        }
        a->sel[n++] = (uint16_t)(row - base);
    }
    if (n == 0)
        return 0;
    for (uint32_t i = 0; i < a->call->args_count; i++) {
        const struct colbuf *c = exec_rows_col(rows, a->call->args[i], at);

        v[i] = colbuf_vec(c, 0, c->count);
    }
    return a->agg->update_all(state, a->call->args_count ? v : NULL, a->sel, n, &a->strings, err);
}

static int win_add(struct win_agg *a, void *state, int64_t first, int64_t end, struct dn_err *err)
{
    uint32_t at = a->part->first + (uint32_t)first;
    uint32_t stop = a->part->first + (uint32_t)end;
    int rc = 0;

    while (at < stop && rc == 0) {
        uint32_t next = (at / VEC_ROWS_MAX + 1) * VEC_ROWS_MAX;

        if (next > stop)
            next = stop;
        rc = win_add_chunk(a, state, at, next, err);
        at = next;
    }
    return rc;
}

/* Strings that winners were copied to are dropped where no state needs them. */
static void win_clear(struct win_agg *a, void *state)
{
    memset(state, 0, a->size);
}

/* ---- the three ways ---- */

static int win_afresh(struct win_agg *a, void **ret, struct dn_err *err)
{
    int rc = 0;

    arena_reset(&a->strings);
    win_clear(a, a->state);
    for (uint32_t i = 0; i < a->frames.ranges_count && rc == 0; i++)
        rc = win_add(a, a->state, a->frames.ranges[i].first, a->frames.ranges[i].end, err);
    *ret = a->state;
    return rc;
}

static int win_growing(struct win_agg *a, void **ret, struct dn_err *err)
{
    uint32_t from = a->added;

    *ret = a->state;
    if (a->frames.end <= from)
        return 0;
    a->added = a->frames.end;
    return win_add(a, a->state, from, a->frames.end, err);
}

/* The cut moves to the end of the frame: a state for each row before it. */
static int win_cut(struct win_agg *a, uint32_t start, uint32_t end, struct dn_err *err)
{
    uint32_t rows = end - start;
    int rc = 0;

    if (rows > a->tails_cap) {
        uint32_t cap = rows + rows / 2;
        char *tails;

        if (cap > a->part->rows)
            cap = a->part->rows;
        tails = mem_realloc(a->w->part.owner, a->tails, cap * a->size);
        if (!tails)
            return DN_FAIL_NOMEM(err);
        a->tails = tails;
        a->tails_cap = cap;
    }
    arena_reset(&a->strings);
    if (rows)
        memset(a->tails, 0, rows * a->size);
    for (uint32_t i = rows; i-- > 0 && rc == 0;) {
        rc = win_add(a, a->tails + i * a->size, start + i, (int64_t)start + i + 1, err);
        if (rc == 0 && i + 1 < rows)
            rc = a->agg->merge(
                a->tails + i * a->size, a->tails + (i + 1) * a->size, &a->strings, err);
    }
    a->tails_first = start;
    a->cut = end;
    a->added = end;
    win_clear(a, a->state);
    return rc;
}

static int win_sliding(struct win_agg *a, void **ret, struct dn_err *err)
{
    uint32_t start = (uint32_t)a->frames.range.first;
    uint32_t end = (uint32_t)a->frames.range.end;
    int rc = 0;

    if (start >= a->cut || start < a->tails_first) {
        rc = win_cut(a, start, end, err);
    } else if (end > a->added) {
        rc = win_add(a, a->state, a->added, end, err);
        a->added = end;
    }
    if (rc < 0)
        return rc;
    win_clear(a, a->total);
    *ret = a->total;
    if (start < a->cut)
        rc = a->agg->merge(
            a->total, a->tails + (start - a->tails_first) * a->size, &a->strings, err);
    if (rc == 0 && end > a->cut)
        rc = a->agg->merge(a->total, a->state, &a->strings, err);
    return rc;
}

typedef int (*win_way)(struct win_agg *a, void **ret, struct dn_err *err);

static win_way win_choose(const struct exec_window_call *call)
{
    const struct plan_frame *f = &call->call->frame;

    if (f->exclude != PLAN_EXCLUDE_NONE)
        return win_afresh;
    if (f->start == PLAN_BOUND_UNBOUNDED_PRECEDING)
        return win_growing;
    if (f->mode == PLAN_FRAME_ROWS && f->end != PLAN_BOUND_UNBOUNDED_FOLLOWING &&
        call->end.offset - call->start.offset < WINDOW_AFRESH_ROWS)
        return win_afresh;
    return call->call->agg.agg->merge ? win_sliding : win_afresh;
}

/* ---- the rows of a partition ---- */

/* What a state says, with text that outlives it. */
static int win_emit(struct win_agg *a, const void *state, struct datum *ret, struct dn_err *err)
{
    int rc = a->agg->emit(state, ret, err);

    if (rc == 0 && !datum_copy(&a->w->round, ret, ret))
        return DN_FAIL_NOMEM(err);
    ret->type = a->call->call->type;
    return rc;
}

static int win_rows(struct win_agg *a, struct dn_err *err)
{
    win_way way = win_choose(a->call);
    bool plain = a->call->call->frame.exclude == PLAN_EXCLUDE_NONE;
    struct winfunc_range last = {-1, -1};
    struct datum d = {.null = true};
    void *state = NULL;
    int rc = 0;

    for (uint32_t row = 0; row < a->part->rows && rc == 0; row++) {
        if (row % WINDOW_CHECK_ROWS == 0)
            rc = exec_check_cancel(a->w->ctx, err);
        exec_frames_row(&a->frames, row);
        if (rc == 0 &&
            !(plain && a->frames.range.first == last.first && a->frames.range.end == last.end)) {
            rc = way(a, &state, err);
            if (rc == 0)
                rc = win_emit(a, state, &d, err);
            last = a->frames.range;
        }
        if (rc == 0)
            exec_window_put(a->call, a->part->first + row, &d);
    }
    return rc;
}

int exec_window_agg(struct exec_window *w,
                    struct exec_window_call *call,
                    const struct exec_window_part *part,
                    struct dn_err *err)
{
    struct win_agg a = {.w = w, .call = call, .part = part, .agg = call->call->agg.agg};
    int rc;

    a.size = ((size_t)a.agg->state_size + 15) & ~(size_t)15;
    arena_init(&a.strings, w->part.owner);
    a.state = arena_calloc(&w->part, 1, a.size);
    a.total = arena_calloc(&w->part, 1, a.size);
    exec_frames_start(&a.frames, w, call, part);
    rc = a.state && a.total ? win_rows(&a, err) : DN_FAIL_NOMEM(err);
    if (rc < 0)
        dn_err_at(err, call->call->pos);
    mem_free(a.tails);
    arena_done(&a.strings);
    return rc;
}
