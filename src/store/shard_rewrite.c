/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_rewrite.c: see the header. */
#include "store/shard_rewrite.h"

#include "store/scan_int.h"
#include "vec/normkey.h"

#include <string.h>

#define REWRITE_PAUSE_NS (200ull * 1000) /* after each batch, while somebody commits */

/* Looked at after each batch: shall it end? Whoever commits goes first. */
static bool rewrite_stopped(struct shard *s)
{
    bool stop;
    bool busy;

    sched_lock(s->lock);
    stop = s->merge_stop;
    busy = s->writing;
    sched_unlock(s->lock);
    if (busy && !stop)
        sched_sleep_ns(s->sched, REWRITE_PAUSE_NS);
    return stop;
}

/* The series of a row as bytes; out of memory shows in the buffer. */
static void
rewrite_series(const struct table *t, const struct vec *vecs, uint32_t row, struct buf *b)
{
    buf_reset(b);
    for (uint16_t i = 0; i < t->series_count; i++)
        normkey_append_vec(b, &vecs[t->series[i]], row, false);
}

/* Rows to the sink, which is told whether they go on with the series of the last ones. */
static int rewrite_put(struct seg_sink *sink,
                       const struct vec *vecs,
                       uint32_t count,
                       struct buf series[2],
                       struct dn_err *err)
{
    int rc = seg_sink_slab(sink, rows_slab(sink->t, vecs, 0), err);

    if (rc < 0)
        return rc;
    rewrite_series(sink->t, vecs, 0, &series[0]);
    if (series[0].failed || series[1].failed)
        return DN_FAIL_NOMEM(err);
    sink->inside =
        series[0].len == series[1].len &&
        (series[0].len == 0 || memcmp(series[0].data, series[1].data, series[0].len) == 0);
    rewrite_series(sink->t, vecs, count - 1, &series[1]);
    return seg_sink_add(sink, vecs, count, err);
}

/* The rows of a batch, one after the other and with their ids. */
static int rewrite_flat(const struct shard_rewrite *w,
                        const struct batch *b,
                        struct arena *arena,
                        struct vec *flat,
                        struct dn_err *err)
{
    uint32_t ids = w->t->columns_count + HIDDEN_ROWID;

    for (uint32_t c = 0; c < store_cols_count(w->t); c++) {
        bool shifts = c == ids && w->rowids_up != 0;

        flat[c] = b->cols[c];
        if ((b->sel || shifts) && !vec_flatten(arena, &b->cols[c], b->sel, b->sel_count, &flat[c]))
            return DN_FAIL_NOMEM(err);
    }
    if (w->rowids_up != 0) {
        int64_t *up = arena_alloc_array(arena, b->sel_count, sizeof *up);

        if (!up)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < b->sel_count; i++)
            up[i] = vec_i64(&flat[ids], i) + w->rowids_up;
        flat[ids].data = up;
    }
    return DN_OK;
}

int shard_rewrite(struct shard *s,
                  const struct shard_rewrite *w,
                  struct seg_sink *sink,
                  struct dn_err *err)
{
    struct vec *flat = mem_calloc(&s->owner, store_cols_count(w->t), sizeof *flat);
    struct scan *scan = NULL;
    struct buf series[2];
    struct arena arena;
    struct batch b;
    int rc;

    if (!flat)
        return DN_FAIL_NOMEM(err);
    arena_init(&arena, &s->owner);
    buf_init(&series[0], &s->owner);
    buf_init(&series[1], &s->owner);
    rc = scan_open_segments(s, w->t, w->refs, w->count, &w->fold, &scan, err);
    while (rc == DN_OK && (rc = scan_next(scan, &b, err)) == DN_OK) {
        if (w->yields && rewrite_stopped(s)) {
            rc = DN_FAIL(err, DN_E_CANCELED, "merge stopped");
            break;
        }
        arena_reset(&arena);
        rc = rewrite_flat(w, &b, &arena, flat, err);
        if (rc == DN_OK)
            rc = rewrite_put(sink, flat, b.sel_count, series, err);
    }
    if (rc == DN_EOF)
        rc = seg_sink_finish(sink, err);
    scan_close(scan);
    arena_done(&arena);
    buf_done(&series[0]);
    buf_done(&series[1]);
    mem_free(flat);
    return rc;
}
