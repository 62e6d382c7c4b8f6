/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_prune.c: which sources, slabs, runs and blocks a scan has to read. Everything here may only
 * leave out what cannot matter; the caller filters the rest. */
#include "store/scan_int.h"

#include <stdlib.h>
#include <string.h>

#define SCAN_RUNS_MANY 4096u /* a segment of more runs … */
#define SCAN_RUN_SHORT 16u   /* … with fewer rows than this in each has short ones */
#define SCAN_SLABS_FEW 128u  /* slabs that are counted on the stack */

uint32_t scan_set_find(const struct scan_pred *p, const struct datum *d)
{
    uint32_t a = 0;
    uint32_t b = p->set_count;

    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        if (range_below(&p->set[mid], d))
            a = mid + 1;
        else
            b = mid;
    }
    return a;
}

bool scan_set_overlaps(const struct scan_pred *p, const struct datum *lo, const struct datum *hi)
{
    uint32_t a = scan_set_find(p, lo);

    return a < p->set_count && !range_above(&p->set[a], hi);
}

bool scan_set_covers(const struct scan_pred *p, const struct datum *lo, const struct datum *hi)
{
    uint32_t a = scan_set_find(p, lo);

    return a < p->set_count && !range_above(&p->set[a], lo) && !range_below(&p->set[a], hi);
}

bool scan_set_has(const struct scan_pred *p, const struct datum *d)
{
    return !d->null && scan_set_overlaps(p, d, d);
}

int64_t scan_run_slab(const struct scan_src *src, uint32_t run)
{
    return src->m ? src->order->runs[run].slab : src->runs->slab[run];
}

int64_t scan_run_token(const struct scan_src *src, uint32_t run)
{
    return src->m ? src->order->runs[run].token : src->runs->token[run];
}

void scan_run_rows(const struct scan_src *src, uint32_t run, uint32_t *ret_first, uint32_t *ret_end)
{
    if (src->m) {
        *ret_first = src->order->runs[run].first;
        *ret_end = *ret_first + src->order->runs[run].count;
    } else {
        uint32_t first = src->runs->first_row[run];
        uint32_t end = src->runs->first_row[run + 1];

        *ret_first = first > src->row_first ? first : src->row_first;
        *ret_end = end < src->row_end ? end : src->row_end;
    }
}

void scan_run_time(const struct scan_src *src, uint32_t run, int64_t *ret_min, int64_t *ret_max)
{
    if (src->m) {
        *ret_min = src->order->runs[run].time_min;
        *ret_max = src->order->runs[run].time_max;
    } else {
        *ret_min = src->runs->time_min ? src->runs->time_min[run] : INT64_MIN;
        *ret_max = src->runs->time_max ? src->runs->time_max[run] : INT64_MAX;
    }
}

bool scan_run_plain(const struct scan_src *src, uint32_t run)
{
    return src->m ? src->order->runs[run].plain : !src->special;
}

struct datum scan_run_series(const struct scan_src *src, uint32_t run, uint32_t series_index)
{
    if (src->m)
        return memtable_datum(
            src->m, src->order->order[src->order->runs[run].first], src->t->series[series_index]);
    return seg_run_value(src->seg, run, series_index);
}

static bool scan_time_may(const struct scan *s, int64_t min, int64_t max)
{
    for (uint32_t i = 0; i < s->spec.preds_count; i++) {
        const struct scan_pred *p = &s->spec.preds[i];
        struct datum lo;
        struct datum hi;
        if (s->t->time_col < 0 || p->col != s->t->time_col)
            continue;
        lo = (struct datum){.type = s->t->columns[p->col].type, .v.i64 = min};
        hi = (struct datum){.type = lo.type, .v.i64 = max};
        if (!scan_set_overlaps(p, &lo, &hi))
            return false;
    }
    return true;
}

static bool scan_run_may(const struct scan *s, const struct scan_src *src, uint32_t run)
{
    int64_t min;
    int64_t max;

    scan_run_time(src, run, &min, &max);
    if (s->t->time_col >= 0 && !scan_time_may(s, min, max))
        return false;
    for (uint32_t i = 0; i < s->t->series_count; i++) {
        const struct scan_pred *p = scan_pred_of(s, s->t->series[i]);
        struct datum d;
        if (!p)
            continue;
        d = scan_run_series(src, run, i);
        if (!scan_set_has(p, &d))
            return false;
    }
    return true;
}

/* 1: all rows satisfy the constraint, 0: some may, -1: none does. */
static int scan_zone_test(const struct scan_src *src,
                          uint32_t block,
                          uint32_t vector,
                          const struct scan_pred *p)
{
    struct zone z;
    bool known = vector == UINT32_MAX ? seg_block_zone(src->seg, block, p->col, &z)
                                      : seg_vector_zone(src->seg, block, vector, p->col, &z);

    if (!known || z.absent)
        return 0;
    if (!z.has_range)
        return z.nulls == z.rows ? -1 : 0; /* only NULLs, which satisfy nothing */
    if (!scan_set_overlaps(p, &z.min, &z.max))
        return -1;
    return z.nulls == 0 && scan_set_covers(p, &z.min, &z.max);
}

bool scan_zone_may(
    const struct scan *s, const struct scan_src *src, uint32_t block, uint32_t vector, bool *holds)
{
    for (uint32_t i = 0; i < s->spec.preds_count; i++) {
        int test = s->pred_series[i] ? 1
                   : s->spec.plain   ? 0
                                     : scan_zone_test(src, block, vector, &s->spec.preds[i]);
        if (test < 0)
            return false;
        if (holds)
            holds[i] = test > 0;
    }
    return true;
}

bool scan_zone_may_key(const struct scan *s,
                       const struct scan_src *src,
                       uint32_t block,
                       uint32_t vector)
{
    for (uint32_t i = 0; i < s->spec.preds_count; i++) {
        const struct scan_pred *p = &s->spec.preds[i];

        if (!s->pred_series[i] && p->col < s->t->columns_count && s->t->columns[p->col].key_pos &&
            scan_zone_test(src, block, vector, p) < 0)
            return false;
    }
    return true;
}

/* ---- picking runs ---- */

static int scan_pick_cmp(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static bool
scan_run_is(const struct scan *s, const struct scan_src *src, uint32_t run, uint32_t point)
{
    if (src->runs->token[run] != s->point_tokens[point])
        return false;
    for (uint32_t i = 0; i < s->t->series_count; i++) {
        struct datum d = seg_run_value(src->seg, run, i);
        if (datum_cmp(&d, &s->points[(size_t)point * s->t->series_count + i]) != 0)
            return false;
    }
    return true;
}

/* The first run of a segment behind the slab that a run is of: gallop, then halve. */
static uint32_t scan_slab_end(const struct scan_src *src, uint32_t from)
{
    uint32_t to = from + 1;
    uint32_t step = 1;

    if (src->ref->meta.slab_min == src->ref->meta.slab_max)
        return src->runs_count;
    while (to < src->runs_count && src->runs->slab[to] == src->runs->slab[from]) {
        uint32_t far = to + step < src->runs_count ? to + step : src->runs_count;
        if (src->runs->slab[far - 1] == src->runs->slab[from]) {
            to = far;
            step *= 2;
        } else if (step > 1) {
            step /= 2;
        } else {
            break;
        }
    }
    return to;
}

/* Runs that these can be at most. */
static size_t scan_points_room(const struct scan *s, const struct scan_src *src)
{
    size_t room = 0;

    for (uint32_t r = 0; r < src->runs_count; r = scan_slab_end(src, r))
        room += s->points_count;
    return room < src->runs_count ? room : src->runs_count;
}

/* Looks the wanted series up in each slab of a segment. */
static void scan_pick_points(struct scan *s, struct scan_src *src)
{
    uint32_t from = 0;

    while (from < src->runs_count) {
        uint32_t to = scan_slab_end(src, from);
        for (uint32_t k = 0; k < s->points_count; k++) {
            uint32_t run = seg_run_find(
                src->seg, from, to, s->point_tokens[k], &s->points[(size_t)k * s->t->series_count]);
            int64_t min;
            int64_t max;
            if (run >= to || !scan_run_is(s, src, run, k))
                continue;
            scan_run_time(src, run, &min, &max);
            if (s->t->time_col < 0 || scan_time_may(s, min, max))
                src->picks[src->picks_count++] = run;
        }
        from = to;
    }
    qsort(src->picks, src->picks_count, sizeof *src->picks, scan_pick_cmp);
}

/* Of rows whose times go from min to max: how many a time constraint (NULL: there is none) leaves,
 * about. */
static uint64_t
scan_time_expect(const struct scan_pred *time, uint64_t rows, int64_t min, int64_t max)
{
    double width = (double)max - (double)min + 1;
    double part = 0;

    if (!time)
        return rows;
    for (uint32_t i = 0; i < time->set_count && time->set_count <= 16; i++) {
        const struct interval *iv = &time->set[i];
        double lo = iv->has_lo && iv->lo.v.i64 > min ? (double)iv->lo.v.i64 : (double)min;
        double hi = iv->has_hi && iv->hi.v.i64 < max ? (double)iv->hi.v.i64 : (double)max;
        part += hi >= lo ? hi - lo + 1 : 0;
    }
    if (time->set_count > 16 || part > width)
        return rows;
    return (uint64_t)((double)rows * (part / width));
}

static const struct scan_pred *scan_time_pred(const struct scan *s)
{
    return s->t->time_col < 0 ? NULL : scan_pred_of(s, (uint32_t)s->t->time_col);
}

/* May each run of a segment have rows in the interval of the time? */
static bool scan_times_may(const struct scan_src *src, const struct interval *iv)
{
    const int64_t *min = src->runs->time_min;
    const int64_t *max = src->runs->time_max;
    int64_t lo = iv->has_lo ? iv->lo.v.i64 : INT64_MIN;
    int64_t hi = iv->has_hi ? iv->hi.v.i64 : INT64_MAX;
    bool some_not = false;

    if (iv->has_lo && !iv->lo_incl) {
        if (lo == INT64_MAX)
            return false;
        lo++;
    }
    if (iv->has_hi && !iv->hi_incl) {
        if (hi == INT64_MIN)
            return false;
        hi--;
    }
    for (uint32_t r = 0; r < src->runs_count && !some_not;) {
        uint32_t end = src->runs_count - r < 1024 ? src->runs_count : r + 1024;

        for (; r < end; r++)
            some_not |= (max[r] < lo) | (min[r] > hi);
    }
    return !some_not;
}

/* Are all runs of a segment to be read, without a look at each? No constraint is about its series,
 * and that on the time holds for all of it, or may hold in each run, or its runs are so short that
 * zones tell as much. */
static bool scan_picks_all(const struct scan *s, const struct scan_src *src)
{
    const struct scan_pred *time = scan_time_pred(s);
    const struct seg_meta *m;
    struct datum lo;
    struct datum hi;

    if (src->m || s->ranges_count)
        return false;
    for (uint32_t i = 0; i < s->spec.preds_count; i++)
        if (s->pred_series[i])
            return false;
    if (!time)
        return true;
    m = &src->ref->meta;
    if (src->runs_count > SCAN_RUNS_MANY && m->rows / src->runs_count < SCAN_RUN_SHORT)
        return true;
    lo = (struct datum){.type = s->t->columns[time->col].type, .v.i64 = m->time_min};
    hi = (struct datum){.type = lo.type, .v.i64 = m->time_max};
    if (m->time_min <= m->time_max && scan_set_covers(time, &lo, &hi))
        return true;
    return time->set_count == 1 && scan_times_may(src, &time->set[0]);
}

static int scan_pick_runs(struct scan *s, struct scan_src *src, struct dn_err *err)
{
    const struct scan_pred *time = scan_time_pred(s);
    bool points;

    if (!src->m && src->row_end == 0) { /* the constraint leaves nothing of it */
        s->stats.partitions_total += src->runs_count;
        return DN_OK;
    }
    if (scan_picks_all(s, src) && src->row_end == UINT32_MAX) {
        const struct seg_meta *m = &src->ref->meta;
        src->picks_count = src->runs_count;
        s->stats.partitions_total += src->runs_count;
        s->stats.partitions_read += src->runs_count;
        src->expected = scan_time_expect(time, m->rows, m->time_min, m->time_max);
        s->stats.rows_expected += src->expected;
        return DN_OK;
    }
    points = !src->m && s->points_only && !s->t->by_value &&
             (uint64_t)s->points_count * 16 < src->runs_count;
    src->picks = arena_alloc_array(
        &s->keep, points ? scan_points_room(s, src) : src->runs_count, sizeof *src->picks);
    if (!src->picks)
        return DN_FAIL_NOMEM(err);
    if (points) {
        scan_pick_points(s, src);
    } else {
        for (uint32_t r = 0; r < src->runs_count; r++)
            if (scan_run_may(s, src, r))
                src->picks[src->picks_count++] = r;
    }
    if (s->ranges_count) {
        int rc = scan_range_picks(s, src, err);
        if (rc < 0)
            return rc;
    }
    s->stats.partitions_total += src->runs_count;
    s->stats.partitions_read += src->picks_count;
    for (uint32_t i = 0; i < src->picks_count; i++) {
        uint32_t first;
        uint32_t end;
        int64_t min;
        int64_t max;
        scan_run_rows(src, src->picks[i], &first, &end);
        scan_run_time(src, src->picks[i], &min, &max);
        src->expected += scan_time_expect(time, end - first, min, max);
    }
    s->stats.rows_expected += src->expected;
    return DN_OK;
}

/* Of a table laid out by value, whose segments have places instead of tokens. */
static bool scan_places_may(const struct scan *s, const struct seg_meta *m)
{
    const struct scan_pred *p = s->cut_pred < 0 ? NULL : &s->spec.preds[s->cut_pred];

    for (uint32_t i = 0; p && i < p->set_count; i++) {
        const struct interval *iv = &p->set[i];
        bool floats = type_is_float(s->t->columns[p->col].type);
        if ((iv->has_lo && type_is_float(iv->lo.type) != floats) ||
            (iv->has_hi && type_is_float(iv->hi.type) != floats))
            return true; /* places of other types are not to be compared */
        if ((!iv->has_lo || datum_place(&iv->lo) <= m->token_max) &&
            (!iv->has_hi || datum_place(&iv->hi) >= m->token_min))
            return true;
    }
    return !p;
}

static bool scan_segment_may(const struct scan *s, const struct seg_meta *m)
{
    bool hit = !s->points_only;

    if (s->t->by_value)
        return scan_places_may(s, m);

    if (s->t->time_col >= 0 && !scan_time_may(s, m->time_min, m->time_max))
        return false;
    for (uint32_t k = 0; k < s->points_count && !hit; k++)
        hit = s->point_tokens[k] >= m->token_min && s->point_tokens[k] <= m->token_max;
    return hit;
}

/* The first block whose rows are not all before the constraint on the column that orders them
 * (past: that are all behind it). False: some block does not know its values. */
static bool
scan_block_find(const struct scan *s, const struct scan_src *src, bool past, uint32_t *ret)
{
    const struct scan_pred *p = &s->spec.preds[s->cut_pred];
    const struct interval *iv = past == s->cut_desc ? p->set : p->set + p->set_count - 1;
    uint32_t a = 0;
    uint32_t b;

    (void)seg_get_blocks(src->seg, &b);
    while (a < b) {
        uint32_t mid = a + (b - a) / 2;
        struct zone z;
        bool before;

        if (!seg_block_zone(src->seg, mid, p->col, &z) || !z.has_range || z.nulls || z.absent)
            return false;
        if (past == s->cut_desc)
            before = range_above(iv, &z.max) != past;
        else
            before = range_below(iv, &z.min) != past;
        if (before)
            a = mid + 1;
        else
            b = mid;
    }
    *ret = a;
    return true;
}

/* Rows of a table laid out by value are all one run: those blocks of it that the constraint on its
 * first column leaves. */
static void scan_narrow(const struct scan *s, struct scan_src *src)
{
    uint32_t count;
    const struct seg_block *blocks = seg_get_blocks(src->seg, &count);
    uint32_t first;
    uint32_t end;

    src->row_end = UINT32_MAX;
    if (!s->t->by_value || s->cut_pred < 0 || !scan_block_find(s, src, false, &first) ||
        !scan_block_find(s, src, true, &end))
        return;
    src->row_first = first < end ? blocks[first].first_row : 0;
    src->row_end = first < end ? blocks[end - 1].first_row + blocks[end - 1].rows : 0;
}

static void scan_count_blocks(struct scan *s, struct scan_src *src)
{
    uint32_t count;
    const struct seg_block *blocks = seg_get_blocks(src->seg, &count);
    uint64_t before = s->stats.blocks_read;
    uint32_t pick = 0;
    uint32_t b = src->row_first ? seg_block_of(src->seg, src->row_first) : 0;

    s->stats.blocks_total += count;
    for (; b < count && blocks[b].first_row < src->row_end; b++) {
        uint32_t first = blocks[b].run_first;
        uint32_t last = first + blocks[b].run_count;
        while (src->picks && pick < src->picks_count && src->picks[pick] < first)
            pick++;
        if ((!src->picks || (pick < src->picks_count && src->picks[pick] < last)) &&
            (src->special || scan_zone_may(s, src, b, UINT32_MAX, NULL)))
            s->stats.blocks_read++;
    }
    src->no_blocks = !src->special && s->stats.blocks_read == before;
}

int scan_add_segment(struct scan *s, struct segref *ref, struct dn_err *err)
{
    struct scan_src *src = &s->srcs[s->srcs_count];
    int rc;

    memset(src, 0, sizeof *src);
    if (ref->table->version != s->t->version)
        return DN_FAIL(err,
                       DN_E_INTERNAL,
                       "table \"%s\": a scan of definition %u meets a segment read with %u",
                       s->t->name,
                       s->t->version,
                       ref->table->version);
    src->ref = ref;
    src->t = s->t;
    rc = segref_open(ref, &src->seg, err);
    if (rc < 0)
        return rc;
    src->runs = seg_get_runs(src->seg);
    src->runs_count = src->runs->count;
    scan_look_source(s, src);
    scan_narrow(s, src);
    s->srcs_count++;
    rc = scan_pick_runs(s, src, err);
    if (rc < 0)
        return rc;
    s->stats.segments_read += src->picks_count > 0;
    scan_count_blocks(s, src);
    return DN_OK;
}

/* The times that the constraints leave, as one stretch: rows of a memtable that are outside need
 * not be sorted. */
static void scan_pick_time(const struct scan *s, const struct memtable *m, struct mem_pick *pick)
{
    pick->time_min = INT64_MIN;
    pick->time_max = INT64_MAX;
    if (s->spec.plain || pick->series_count == 0 || !memtable_timed(s->t) ||
        memtable_table(m)->version != s->t->version)
        return;
    for (uint32_t i = 0; i < s->spec.preds_count; i++) {
        const struct scan_pred *p = &s->spec.preds[i];
        const struct interval *first = p->set;
        const struct interval *last = p->set + p->set_count - 1;

        if (p->col != s->t->time_col || p->set_count == 0)
            continue;
        pick->timed = true;
        if (first->has_lo && first->lo.v.i64 > pick->time_min)
            pick->time_min = first->lo.v.i64;
        if (last->has_hi && last->hi.v.i64 < pick->time_max)
            pick->time_max = last->hi.v.i64;
    }
}

int scan_add_memtable(struct scan *s, struct memtable *m, uint64_t seq, struct dn_err *err)
{
    struct scan_src *src = &s->srcs[s->srcs_count];
    uint32_t rows = memtable_rows_at(m, seq);
    struct mem_pick pick = {.series = s->points,
                            .series_count = s->points_only ? s->points_count : 0};
    int rc;

    if (rows == 0)
        return DN_OK;
    memset(src, 0, sizeof *src);
    src->m = m;
    s->srcs_count++;
    rc = scan_map_memtable(s, src, err);
    if (rc < 0)
        return rc;
    scan_pick_time(s, m, &pick);
    rc = memtable_order(m, rows, &pick, s->spec.cancel, &src->order, err);
    if (rc < 0)
        return rc;
    src->runs_count = src->order->runs_count;
    scan_look_source(s, src);
    s->stats.memtable_rows += src->order->count;
    return scan_pick_runs(s, src, err);
}

/* The memtables of a set; at most *room of them: one that came meanwhile has no rows for us. */
static int
scan_add_set(struct scan *s, struct memgroup *set, uint64_t seq, size_t *room, struct dn_err *err)
{
    struct memtable *m;
    size_t at = 0;

    while (*room > 0 && (m = memgroup_next(set, s->t->id, &at)) != NULL) {
        int rc = scan_add_memtable(s, m, seq, err);

        if (rc < 0)
            return rc;
        --*room;
    }
    return DN_OK;
}

static int scan_slab_cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t scan_distinct(int64_t *slabs, size_t count)
{
    uint64_t distinct = 0;

    qsort(slabs, count, sizeof *slabs, scan_slab_cmp);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || slabs[i] != slabs[i - 1];
    return distinct;
}

/* First and last slab of segments that were left out whole; those between are not looked up. */
static size_t scan_left_out_slabs(const struct scan *s, int64_t *to)
{
    const struct version *v = s->snap->ver;
    size_t n = 0;

    for (size_t i = 0; i < v->segs_count; i++) {
        const struct seg_meta *meta = &v->segs[i]->meta;

        if (meta->table_id != s->t->id || (!s->nothing && scan_segment_may(s, meta)))
            continue;
        to[n++] = meta->slab_min;
        to[n++] = meta->slab_max;
    }
    return n;
}

/* The slabs of a source, some of them more than once. */
static size_t scan_source_slabs(const struct scan_src *src, int64_t *to)
{
    size_t n = 0;

    for (uint32_t r = 0; r < src->runs_count && !src->m; r = scan_slab_end(src, r))
        to[n++] = src->runs->slab[r];
    for (uint32_t r = 0; r < src->runs_count && src->m; r++)
        if (r == 0 || scan_run_slab(src, r) != scan_run_slab(src, r - 1))
            to[n++] = scan_run_slab(src, r);
    return n;
}

/* The same of its picks. */
static size_t scan_picked_slabs(const struct scan_src *src, int64_t *to)
{
    size_t n = 0;

    if (!src->picks && src->picks_count)
        return scan_source_slabs(src, to);
    for (uint32_t k = 0; k < src->picks_count; k++) {
        int64_t slab = scan_run_slab(src, src->picks[k]);
        if (k == 0 || slab != to[n - 1])
            to[n++] = slab;
    }
    return n;
}

/* Room for the slabs of a source: a segment of one slab has one, however many its runs are. */
static size_t scan_slabs_room(const struct scan_src *src)
{
    return src->m || src->ref->meta.slab_min != src->ref->meta.slab_max ? src->runs_count : 1;
}

/* Distinct slabs over all sources, before and after pruning. */
static int scan_count_slabs(struct scan *s, struct dn_err *err)
{
    size_t total = 2 * s->snap->ver->segs_count, n = 0;
    int64_t few[SCAN_SLABS_FEW];
    int64_t *slabs = few;

    for (uint32_t i = 0; i < s->srcs_count; i++)
        total += scan_slabs_room(&s->srcs[i]);
    if (total > SCAN_SLABS_FEW)
        slabs = mem_alloc_array(s->owner, total, sizeof *slabs);
    if (!slabs)
        return DN_FAIL_NOMEM(err);
    n = scan_left_out_slabs(s, slabs);
    for (uint32_t i = 0; i < s->srcs_count; i++)
        n += scan_source_slabs(&s->srcs[i], slabs + n);
    s->stats.slabs_total = scan_distinct(slabs, n);
    scan_range_gone(s, slabs, n); /* they are in order now */
    n = 0;
    for (uint32_t i = 0; i < s->srcs_count; i++)
        n += scan_picked_slabs(&s->srcs[i], slabs + n);
    s->stats.slabs_read = scan_distinct(slabs, n);
    if (slabs != few)
        mem_free(slabs);
    return DN_OK;
}

int scan_prune(struct scan *s, struct dn_err *err)
{
    const struct version *v = s->snap->ver;
    size_t memtables = 0;
    int rc;

    for (uint32_t i = 0; i < s->spec.preds_count; i++)
        s->nothing = s->nothing || s->spec.preds[i].set_count == 0;
    rc = s->nothing ? DN_OK : scan_make_points(s, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < v->sets_count; i++)
        memtables += memgroup_count(v->sets[i], s->t->id);
    memtables += s->snap->own ? memgroup_count(s->snap->own, s->t->id) : 0;
    s->srcs = arena_calloc(&s->keep, v->segs_count + memtables, sizeof *s->srcs);
    if (!s->srcs)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < v->segs_count; i++) {
        struct segref *ref = v->segs[i];
        if (ref->meta.table_id != s->t->id)
            continue;
        s->stats.segments_total++;
        if (s->nothing || !scan_segment_may(s, &ref->meta)) {
            s->stats.blocks_total += ref->meta.blocks;
            s->stats.partitions_total += ref->meta.runs;
            continue;
        }
        rc = scan_add_segment(s, ref, err);
        if (rc < 0)
            return rc;
    }
    if (s->snap->own && !s->nothing) /* first: they are not many, and no other thread adds any */
        rc = scan_add_set(s, s->snap->own, s->snap->own_seq, &memtables, err);
    for (size_t i = 0; i < v->sets_count && !s->nothing && rc == DN_OK; i++)
        rc = scan_add_set(s, v->sets[i], s->snap->seq, &memtables, err);
    if (rc == DN_OK)
        rc = scan_leave_out(s, err);
    return rc < 0 ? rc : scan_count_slabs(s, err);
}
