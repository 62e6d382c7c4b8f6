/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_ends.c: see agg_ends.h. */
#include "exec/agg_ends.h"

#include "exec/exec_int.h"
#include "exec/slice.h"

/* Is the time of the floor nearer to the end than this one? */
static inline bool ends_behind(const struct exec_feed *f, uint32_t group, int64_t time)
{
    if (group >= f->floors_count)
        return false;
    return f->u->row_ends == EXEC_ENDS_LATE ? time < f->floors[group] : time > f->floors[group];
}

/* Do all rows of the unit lie behind the floors of these groups, by the zone of the time? */
static bool ends_unit_behind(struct exec_feed *f, const uint32_t *groups, uint32_t count)
{
    struct zone z;
    int64_t nearest;

    if (!scan_unit_bounds(f->reader.r, f->u->ends_col, &z) || !z.has_range)
        return false;
    nearest = f->u->row_ends == EXEC_ENDS_LATE ? z.max.v.i64 : z.min.v.i64;
    for (uint32_t i = 0; i < count; i++)
        if (!ends_behind(f, groups[i], nearest))
            return false;
    return true;
}

/* The same for units of which nothing was decoded yet, where their dictionary tells the groups. */
static int ends_dict_behind(struct exec_feed *f, bool *ret, struct dn_err *err)
{
    const struct exec_groups *g = &f->agg.groups;
    bool known;
    int rc;

    *ret = false;
    if (f->floors_count == 0 || g->dict_id == 0 || g->dict_left ||
        !ends_unit_behind(f, g->dict_ids, g->dict_count))
        return 0;
    rc = exec_feed_dict(f, &known, err);
    *ret = rc == 0 && known;
    return rc;
}

/* The times of all rows; those of NULLs mean nothing. `room`: for VEC_ROWS_MAX. */
static const int64_t *ends_times(const struct batch *in, uint32_t col, int64_t *room)
{
    const struct vec *v = &in->cols[col];

    if (v->form == VEC_FLAT && type_phys(v->type) == PHYS_I64)
        return v->data;
    if (v->form == VEC_DICT && type_phys(v->type) == PHYS_I64) {
        for (uint32_t i = 0; i < in->count; i++)
            room[i] = ((const int64_t *)v->data)[v->codes[i]];
        return room;
    }
    for (uint32_t i = 0; i < in->count; i++)
        room[i] = vec_is_null(v, i) ? 0 : vec_i64(v, i);
    return room;
}

/* Leaves the rows that may count, and their ids. Rows without a time never do. All groups have
 * floors. */
static void ends_select(struct exec_feed *f, bool one, const int64_t *times, struct batch *in)
{
    const struct vec *v = &in->cols[f->u->ends_col];
    const uint64_t *nulls = v->nulls;
    bool late = f->u->row_ends == EXEC_ENDS_LATE;
    uint32_t *ids = f->agg.ids;
    uint32_t n = 0;

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;
        uint32_t id = ids[one ? 0 : i];
        int64_t floor = f->floors[id];

        if ((late ? times[row] < floor : times[row] > floor) || (nulls && vec_is_null(v, row)))
            continue;
        if (!one)
            ids[n] = id;
        f->near[n++] = row;
    }
    in->sel = f->near;
    in->sel_count = n;
}

/* One group: is its floor as near to the end as some row of the unit? Then rows that follow in the
 * order of time are behind it. */
static bool ends_reached(const struct exec_feed *f, const struct batch *in)
{
    const struct vec *times = &in->cols[f->u->ends_col];
    uint32_t group = f->agg.ids[0];

    return group < f->floors_count && !times->nulls && in->count > 0 &&
           (ends_behind(f, group, vec_i64(times, 0)) || vec_i64(times, 0) == f->floors[group] ||
            ends_behind(f, group, vec_i64(times, in->count - 1)) ||
            vec_i64(times, in->count - 1) == f->floors[group]);
}

/* Does some aggregate ignore the row, as its value is NULL? */
static bool ends_ignored(const struct exec_feed *f, const struct batch *in, uint32_t row)
{
    for (uint32_t g = 0; g < f->u->node->aggs_count; g++)
        if (vec_is_null(&in->cols[f->u->ways[g].col], row))
            return true;
    return false;
}

/* The selected rows, all with a time, will be added: raises the floors of their groups. */
static void ends_raise(struct exec_feed *f, bool one, const int64_t *times, const struct batch *in)
{
    bool late = f->u->row_ends == EXEC_ENDS_LATE;
    bool nulls = false;

    for (uint32_t g = 0; g < f->u->node->aggs_count; g++)
        nulls = nulls || in->cols[f->u->ways[g].col].nulls;
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel[i];
        int64_t *floor = &f->floors[f->agg.ids[one ? 0 : i]];

        if (nulls && ends_ignored(f, in, row))
            continue;
        if (late ? times[row] > *floor : times[row] < *floor)
            *floor = times[row];
    }
}

/* Of the runs that are alone leaves the row at the end of time: nothing else can count. 1: that was
 * done; it is only where all rows of the unit are selected and may be added at once, their times
 * follow each other, and no value is NULL. */
static int ends_of_series(struct exec_feed *f, struct batch *in, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    uint32_t slice;
    uint32_t n = 0;
    bool last;
    int rc;

    if (!u->by_series || in->sel || u->ends == EXEC_ENDS_NONE || !exec_feed_series(f))
        return 0;
    DN_ASSERT(u->source->node->table->rest_count == 1); /* or u->ends were EXEC_ENDS_NONE */
    last = (u->row_ends == EXEC_ENDS_LATE) != u->source->node->table->rest[0].desc;
    rc = exec_reader_fetch(&f->reader, u->cols, u->cols_count, in, err);
    if (rc < 0 || in->cols[u->ends_col].nulls)
        return rc;
    slice = exec_slice_rows(in, u->cols, u->cols_count, f->reader.source->ctx->slice_bytes);
    if (exec_pace_rows(&f->agg.pace, slice) < in->sel_count)
        return 0;
    for (uint32_t g = 0; g < u->node->aggs_count; g++)
        if (in->cols[u->ways[g].col].nulls)
            return 0;
    for (uint32_t run = 0, row = 0; run < f->series.count; row = f->series.ends[run++]) {
        uint32_t end = f->series.ends[run];

        if (f->series.alone[run])
            f->near[n++] = (uint16_t)(last ? end - 1 : row);
        for (uint32_t i = row; i < end && !f->series.alone[run]; i++)
            f->near[n++] = (uint16_t)i;
    }
    in->sel = f->near;
    in->sel_count = n;
    return 1;
}

int exec_feed_ends(struct exec_feed *f, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    size_t bytes = f->reader.source->ctx->slice_bytes;
    int64_t room[VEC_ROWS_MAX];
    const int64_t *times;
    struct batch in;
    uint32_t slice;
    bool behind;
    bool one;
    int rc;

    rc = ends_dict_behind(f, &behind, err);
    if (rc < 0)
        return rc;
    if (behind) {
        scan_unit_answered(f->reader.r);
        return 0;
    }
    rc = exec_reader_select(&f->reader, &in, err);
    if (rc < 0 || in.sel_count == 0)
        return rc;
    rc = exec_reader_fetch(&f->reader, u->key_cols, u->key_cols_count, &in, err);
    if (rc < 0)
        return rc;
    f->rows_decoded += in.count;
    slice = exec_slice_rows(&in, u->key_cols, u->key_cols_count, bytes);
    if (exec_pace_rows(&f->agg.pace, slice) < in.sel_count)
        goto all;
    rc = ends_of_series(f, &in, err);
    if (rc == 0)
        f->agg.series = NULL;
    if (rc >= 0)
        rc = exec_agg_ids(&f->agg, &in, &one, err);
    f->agg.series = NULL;
    if (rc < 0)
        return rc;
    if (ends_unit_behind(f, f->agg.ids, one ? 1 : in.sel_count))
        return 0;
    rc = exec_reader_fetch(&f->reader, &u->ends_col, 1, &in, err);
    if (rc < 0)
        return rc;
    rc = exec_feed_floors(f, f->agg.groups_count, err);
    if (rc < 0)
        return rc;
    times = ends_times(&in, u->ends_col, room);
    ends_select(f, one, times, &in);
    if (in.sel_count == 0) {
        if (one && ends_reached(f, &in))
            exec_feed_leave_run(f);
        return 0;
    }
    rc = exec_reader_fetch(&f->reader, u->cols, u->cols_count, &in, err);
    if (rc < 0)
        return rc;
    slice = exec_slice_rows(&in, u->cols, u->cols_count, bytes);
    if (exec_pace_rows(&f->agg.pace, slice) < in.sel_count)
        return exec_feed_batches(f, &in, slice, err);
    ends_raise(f, one, times, &in);
    ends_select(f, one, times, &in); /* of a group's rows the nearest are left */
    rc = exec_agg_by_ids(&f->agg, &in, one, err);
    if (rc == 0 && one && ends_reached(f, &in))
        exec_feed_leave_run(f);
    return rc;

all: /* long strings: some rows at a time, without floors */
    rc = exec_reader_fetch(&f->reader, u->cols, u->cols_count, &in, err);
    if (rc < 0)
        return rc;
    slice = exec_slice_rows(&in, u->cols, u->cols_count, bytes);
    return exec_feed_batches(f, &in, slice, err);
}
