/* SPDX-License-Identifier: Apache-2.0
 *
 * window_agg.c: aggregates over frames, in one of three ways:
 *   growing  the frame starts with the partition: rows are added to one state
 *   sliding  both ends move on: the frame is cut in two. Rows behind the cut are added to one
 *            state; for each row before it there is the state of the rows from there to the cut,
 *            its tail. When the start has passed the cut, the cut moves to the end. So each row is
 *            added and merged a few times, whatever the size of the frame, and nothing is ever
 *            subtracted. Of a long frame only the tails of the block that it starts in are there;
 *            for the blocks behind it there is the state from their end to the cut, its mark.
 *   afresh   small frames, and frames with holes (EXCLUDE): rows are added anew for each row
 * A frame equal to that of the row before has its result. */
#include "exec/window.h"

#include <string.h>

#define WINDOW_AFRESH_ROWS 24 /* frames of so many rows are not worth more */
#define WINDOW_CHECK_ROWS  1024u
#define WINDOW_BLOCK       1024u /* rows whose tails are there together */

typedef int (*win_way)(struct win_agg *a, void **ret, struct dn_err *err);

struct win_agg {
    struct exec_window *w;
    struct exec_window_call *call;
    const struct agg *agg;
    win_way way;
    struct arena strings;       /* of state */
    struct arena total_strings; /* of total */
    struct arena tails_strings;
    struct arena marks_strings;
    size_t size; /* of a state, padded */
    void *state; /* growing: all rows so far; sliding: rows behind the cut; afresh: scratch */
    void *total; /* sliding: scratch */
    char *tails; /* in run of the window: states from rows [tails_first, tails_end) to the cut */
    uint32_t tails_first;
    uint32_t tails_end;
    char *marks; /* owned: states from the ends of blocks to the cut */
    uint32_t marks_cap;
    uint32_t marks_first; /* the block of the first one */
    uint32_t cut;
    uint32_t added; /* rows [.., added) are in state */
    bool flat;      /* a state is numbers alone, and may be copied */
    uint16_t sel[VEC_ROWS_MAX];
    void *each[WINDOW_BLOCK]; /* states, in the order of sel */
};

/* Selects rows [at, end) of the spool, all of the chunk at hand, that count, and finds their
 * arguments; returns how many. With `each` a row's state is that of its place in there. */
static uint32_t
win_select(struct win_agg *a, uint32_t at, uint32_t end, char *each, struct vec *ret_args)
{
    const struct exec_spool_cursor *c = &a->call->cursor;
    uint32_t n = 0;

    for (uint32_t row = at; row < end; row++) {
        if (a->call->filter != EXEC_WINDOW_NO_COL) {
            struct datum d = exec_spool_datum(c, a->call->filter, row);

            if (d.null || !d.v.i64)
                continue;
        }
        if (each)
            a->each[n] = each + (row - at) * a->size;
        a->sel[n++] = (uint16_t)(row - c->first);
    }
    for (uint32_t i = 0; n && i < a->call->args_count; i++)
        ret_args[i] = c->cols[a->call->args[i]];
    return n;
}

/* Rows [at, end) of the spool, all of the chunk at hand. */
static int win_add_chunk(struct win_agg *a,
                         void *state,
                         struct arena *strings,
                         uint32_t at,
                         uint32_t end,
                         struct dn_err *err)
{
    struct vec v[2];
    uint32_t n = win_select(a, at, end, NULL, v);

    if (n == 0)
        return 0;
    return a->agg->update_all(state, a->call->args_count ? v : NULL, a->sel, n, strings, err);
}

/* Rows [first, first + rows) of the partition, WINDOW_BLOCK at most, each to its own state. */
static int win_add_each(struct win_agg *a,
                        char *states,
                        struct arena *strings,
                        uint32_t first,
                        uint32_t rows,
                        struct dn_err *err)
{
    uint32_t at = a->w->part.first + first;
    uint32_t stop = at + rows;
    uint32_t chunk = a->call->cursor.spool->chunk_rows;
    int rc = 0;

    while (at < stop && rc == 0) {
        uint32_t next = (at / chunk + 1) * chunk;
        struct vec v[2];
        uint32_t n;

        if (next > stop)
            next = stop;
        rc = exec_spool_seek(&a->call->cursor, at, err);
        if (rc < 0)
            break;
        n = win_select(a, at, next, states, v);
        if (n)
            rc = a->agg->update_grouped(
                a->each, a->call->args_count ? v : NULL, a->sel, n, strings, err);
        states += (next - at) * a->size;
        at = next;
    }
    return rc;
}

/* Rows [first, end) of the partition. */
static int win_add(struct win_agg *a,
                   void *state,
                   struct arena *strings,
                   int64_t first,
                   int64_t end,
                   struct dn_err *err)
{
    uint32_t at = a->w->part.first + (uint32_t)first;
    uint32_t stop = a->w->part.first + (uint32_t)end;
    uint32_t rows = a->call->cursor.spool->chunk_rows;
    int rc = 0;

    while (at < stop && rc == 0) {
        uint32_t next = (at / rows + 1) * rows;

        if (next > stop)
            next = stop;
        if (next - at > WINDOW_CHECK_ROWS / 2)
            rc = exec_check_cancel(a->w->ctx, err);
        if (rc == 0)
            rc = exec_spool_seek(&a->call->cursor, at, err);
        if (rc == 0)
            rc = win_add_chunk(a, state, strings, at, next, err);
        at = next;
    }
    return rc;
}

/* Text that it has is dropped with the arena. */
static void win_clear(struct win_agg *a, void *state, struct arena *strings)
{
    memset(state, 0, a->size);
    arena_reset(strings);
}

/* ---- the three ways ---- */

static int win_afresh(struct win_agg *a, void **ret, struct dn_err *err)
{
    const struct exec_frames *f = &a->call->frames;
    int rc = 0;

    win_clear(a, a->state, &a->strings);
    for (uint32_t i = 0; i < f->ranges_count && rc == 0; i++)
        rc = win_add(a, a->state, &a->strings, f->ranges[i].first, f->ranges[i].end, err);
    *ret = a->state;
    return rc;
}

static int win_growing(struct win_agg *a, void **ret, struct dn_err *err)
{
    uint32_t from = a->added;

    *ret = a->state;
    if (a->call->frames.end <= from)
        return 0;
    a->added = a->call->frames.end;
    return win_add(a, a->state, &a->strings, from, a->added, err);
}

static uint32_t win_block_end(const struct win_agg *a, uint32_t block)
{
    uint32_t end = (block + 1) * WINDOW_BLOCK;

    return end < a->cut ? end : a->cut;
}

/* A state for each row from `start` to the end of its block, as far as the cut. */
static int win_tails(struct win_agg *a, uint32_t start, struct dn_err *err)
{
    uint32_t block = start / WINDOW_BLOCK;
    uint32_t rows = win_block_end(a, block) - start;
    const char *behind = a->marks + (block - a->marks_first) * a->size;
    int rc;

    arena_reset(&a->tails_strings);
    memset(a->tails, 0, rows * a->size);
    rc = win_add_each(a, a->tails, &a->tails_strings, start, rows, err);
    for (uint32_t i = rows; i-- > 0 && rc == 0;) {
        char *tail = a->tails + i * a->size;

        rc = a->agg->merge(tail, behind, &a->tails_strings, err);
        behind = tail;
    }
    a->tails_first = start;
    a->tails_end = start + rows;
    return rc;
}

/* The cut moves to the end of the frame, which is not empty: a mark for each block before it. */
static int win_cut(struct win_agg *a, uint32_t start, uint32_t end, struct dn_err *err)
{
    uint32_t first = start / WINDOW_BLOCK;
    uint32_t blocks = (end - 1) / WINDOW_BLOCK - first + 1;
    int rc = 0;

    a->cut = end;
    a->added = end;
    a->marks_first = first;
    win_clear(a, a->state, &a->strings);
    arena_reset(&a->marks_strings);
    if (blocks > a->marks_cap) {
        char *marks = mem_realloc(a->w->owner, a->marks, blocks * a->size);

        if (!marks)
            return DN_FAIL_NOMEM(err);
        a->marks = marks;
        a->marks_cap = blocks;
    }
    memset(a->marks, 0, blocks * a->size);
    for (uint32_t i = blocks - 1; i-- > 0 && rc == 0;) {
        char *mark = a->marks + i * a->size;

        rc = win_add(a,
                     mark,
                     &a->marks_strings,
                     (int64_t)(first + i + 1) * WINDOW_BLOCK,
                     win_block_end(a, first + i + 1),
                     err);
        if (rc == 0)
            rc = a->agg->merge(mark, mark + a->size, &a->marks_strings, err);
    }
    return rc < 0 ? rc : win_tails(a, start, err);
}

static int win_sliding(struct win_agg *a, void **ret, struct dn_err *err)
{
    uint32_t start = (uint32_t)a->call->frames.range.first;
    uint32_t end = (uint32_t)a->call->frames.range.end;
    char *tail;
    int rc = 0;

    *ret = a->total;
    if (start == end) {
        win_clear(a, a->total, &a->total_strings);
        return 0;
    }
    if (start >= a->cut || start < a->tails_first) {
        rc = win_cut(a, start, end, err);
    } else {
        if (start >= a->tails_end)
            rc = win_tails(a, start, err);
        if (rc == 0 && end > a->added) {
            rc = win_add(a, a->state, &a->strings, a->added, end, err);
            a->added = end;
        }
    }
    if (rc < 0)
        return rc;
    tail = a->tails + (start - a->tails_first) * a->size;
    if (end <= a->cut) {
        *ret = tail;
        return 0;
    }
    if (a->flat) {
        memcpy(a->total, tail, a->size);
    } else {
        win_clear(a, a->total, &a->total_strings);
        rc = a->agg->merge(a->total, tail, &a->total_strings, err);
    }
    return rc < 0 ? rc : a->agg->merge(a->total, a->state, &a->total_strings, err);
}

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

/* ---- life ---- */

int exec_window_agg_open(struct exec_window *w, struct exec_window_call *call, struct dn_err *err)
{
    struct win_agg *a = arena_calloc(&w->run, 1, sizeof *a);

    if (!a)
        return DN_FAIL_NOMEM(err);
    call->agg = a;
    a->w = w;
    a->call = call;
    a->agg = call->call->agg.agg;
    a->way = win_choose(call);
    a->flat = a->agg->update_zone && !(a->agg->zone & ~(unsigned)(AGG_ZONE_COUNT | AGG_ZONE_SUM));
    a->size = ((size_t)a->agg->state_size + 15) & ~(size_t)15;
    arena_init(&a->strings, w->owner);
    arena_init(&a->total_strings, w->owner);
    arena_init(&a->tails_strings, w->owner);
    arena_init(&a->marks_strings, w->owner);
    a->state = arena_calloc(&w->run, 1, a->size);
    a->total = arena_calloc(&w->run, 1, a->size);
    if (a->way == win_sliding)
        a->tails = arena_alloc_array(&w->run, WINDOW_BLOCK, a->size);
    if (!a->state || !a->total || (a->way == win_sliding && !a->tails))
        return DN_FAIL_NOMEM(err);
    return 0;
}

void exec_window_agg_close(struct exec_window_call *call)
{
    struct win_agg *a = call->agg;

    if (!a)
        return;
    arena_done(&a->strings);
    arena_done(&a->total_strings);
    arena_done(&a->tails_strings);
    arena_done(&a->marks_strings);
    mem_free(a->marks);
}

void exec_window_agg_start(struct exec_window_call *call)
{
    struct win_agg *a = call->agg;

    win_clear(a, a->state, &a->strings);
    a->tails_first = 0;
    a->tails_end = 0;
    a->cut = 0;
    a->added = 0;
}

/* ---- the rows of a batch ---- */

/* What a state says, with text that outlives it. */
static int win_emit(struct win_agg *a, const void *state, struct datum *ret, struct dn_err *err)
{
    int rc = a->agg->emit(state, ret, err);

    if (rc == 0 && type_phys(a->call->call->type) == PHYS_STR &&
        !datum_copy(&a->w->batch, ret, ret))
        return DN_FAIL_NOMEM(err);
    ret->type = a->call->call->type;
    return rc;
}

static int win_rows(struct win_agg *a, uint32_t first, uint32_t count, struct dn_err *err)
{
    const struct exec_frames *f = &a->call->frames;
    bool plain = a->call->call->frame.exclude == PLAN_EXCLUDE_NONE;
    struct winfunc_range last = {-1, -1};
    struct datum d = {.null = true};
    void *state = NULL;
    int rc = exec_check_cancel(a->w->ctx, err);

    for (uint32_t row = first; row < first + count && rc == 0; row++) {
        rc = exec_frames_row(a->w, a->call, row, err);
        if (rc == 0 && !(plain && f->range.first == last.first && f->range.end == last.end)) {
            rc = a->way(a, &state, err);
            if (rc == 0)
                rc = win_emit(a, state, &d, err);
            last = f->range;
        }
        if (rc == 0)
            exec_window_put(a->w, a->call, row, &d);
    }
    return rc;
}

int exec_window_agg_run(struct exec_window_call *call,
                        uint32_t first,
                        uint32_t count,
                        struct dn_err *err)
{
    int rc = win_rows(call->agg, first, count, err);

    if (rc < 0)
        dn_err_at(err, call->call->pos);
    return rc;
}
