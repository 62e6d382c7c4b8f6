/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_runs.c: what the directories of segments say about series and slabs, for SHOW PARTITIONS. */
#include "store/scan_int.h"

static int runs_of_segment(struct segref *ref,
                           const struct table *t,
                           struct datum *series,
                           scan_run_fn fn,
                           void *arg,
                           struct dn_err *err)
{
    const struct seg_runs *runs;
    struct seg *seg;
    int rc = segref_open(ref, &seg, err);

    if (rc < 0)
        return rc;
    runs = seg_get_runs(seg);
    for (uint32_t r = 0; rc == DN_OK && r < runs->count; r++) {
        struct scan_run run = {.segment = ref->meta.id,
                               .slab = runs->slab[r],
                               .token = runs->token[r],
                               .time_min = runs->time_min ? runs->time_min[r] : INT64_MIN,
                               .time_max = runs->time_max ? runs->time_max[r] : INT64_MAX,
                               .rows = runs->first_row[r + 1] - runs->first_row[r],
                               .series = series};
        for (uint16_t i = 0; i < t->series_count; i++)
            series[i] = seg_run_value(seg, r, i);
        rc = fn(arg, &run, err);
    }
    return rc;
}

int scan_segment_runs(
    struct snapshot *snap, const struct table *t, scan_run_fn fn, void *arg, struct dn_err *err)
{
    const struct version *v = snap->ver;
    struct datum *series = mem_calloc(&snap->shard->owner, t->series_count, sizeof *series);
    int rc = series ? DN_OK : DN_FAIL_NOMEM(err);

    for (size_t i = 0; rc == DN_OK && i < v->segs_count; i++)
        if (v->segs[i]->meta.table_id == t->id)
            rc = runs_of_segment(v->segs[i], t, series, fn, arg, err);
    mem_free(series);
    return rc;
}
