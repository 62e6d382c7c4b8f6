/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_units.c: see agg_units.h. Zones may answer only for units all of whose rows count: the store
 * hands out rows that may have newer versions, deletes or patches as merged rows, which have no
 * zones, and a unit with a condition left to evaluate is not asked for them. */
#include "exec/agg_units.h"

#include "codec/codec.h"
#include "exec/agg_done.h"
#include "exec/agg_ends.h"
#include "exec/exec_int.h"
#include "exec/slice.h"

#include <string.h>

/* ---- life of a feed ---- */

int exec_feed_init(struct exec_feed *f,
                   const struct plan_node *node,
                   const struct exec_ctx *ctx,
                   struct mem_owner *owner,
                   struct dn_err *err)
{
    uint32_t keys = node->exprs_count;
    uint32_t aggs = node->aggs_count;
    int rc;

    f->serial = 1;
    arena_init(&f->tuple, owner);
    mem_owner_init(&f->mem, "groups", owner, 0);
    rc = exec_agg_init(&f->agg, node, ctx, &f->mem, err);
    if (rc < 0)
        return rc;
    f->consts = arena_calloc(&f->agg.run, keys, sizeof *f->consts);
    f->found = arena_calloc(&f->agg.run, keys, sizeof *f->found);
    f->key_vecs = arena_calloc(&f->agg.run, keys, sizeof *f->key_vecs);
    f->decode = arena_calloc(&f->agg.run, aggs, sizeof *f->decode);
    f->packed = arena_calloc(&f->agg.run, aggs, sizeof *f->packed);
    f->packed_known = arena_calloc(&f->agg.run, aggs, sizeof *f->packed_known);
    f->zones = arena_calloc(&f->agg.run, aggs, sizeof *f->zones);
    return f->consts && f->found && f->key_vecs && f->decode && f->packed && f->packed_known &&
                   f->zones
               ? 0
               : DN_FAIL_NOMEM(err);
}

int exec_feed_enter(struct exec_feed *f,
                    const struct exec_units *u,
                    const struct scan_reader_options *options,
                    struct dn_err *err)
{
    int rc;

    f->u = u;
    f->agg.by_series = u->by_series;
    f->agg.series_col = u->series_col;
    f->agg.series = NULL;
    f->serial++;
    f->have_consts = false;
    rc = exec_reader_open(&f->reader, u->source, options, err);
    if (rc == 0 && u->bucket_col != PLAN_NO_COL) {
        const struct exec_buckets_spec spec = {.exprs = u->buckets,
                                               .keys_count = u->buckets_count,
                                               .col = u->bucket_col,
                                               .cols_max = u->source->node->cols_count,
                                               .type = u->source->node->cols[u->bucket_col].type};

        rc = exec_buckets_init(&f->buckets, &spec, &f->reader.ev, options->owner, err);
    }
    return rc;
}

void exec_feed_leave(struct exec_feed *f)
{
    exec_buckets_done(&f->buckets);
    exec_reader_close(&f->reader);
    memset(&f->buckets, 0, sizeof f->buckets);
    memset(&f->reader, 0, sizeof f->reader);
    f->buckets_full = false;
    f->rest = (struct batch){.count = 0};
    f->rest_at = 0;
}

int exec_feed_open(struct exec_feed *f,
                   const struct exec_units *u,
                   const struct scan_reader_options *options,
                   struct dn_err *err)
{
    int rc = exec_feed_init(f, u->node, u->source->ctx, options->owner, err);

    return rc < 0 ? rc : exec_feed_enter(f, u, options, err);
}

void exec_feed_close(struct exec_feed *f)
{
    exec_feed_leave(f);
    exec_agg_done(&f->agg);
    arena_done(&f->tuple);
    mem_free(f->floors);
    f->floors = NULL;
}

/* ---- keys of a unit ---- */

static bool feed_same(const struct datum *a, const struct datum *b)
{
    return a->type == b->type && a->null == b->null && (a->null || datum_cmp(a, b) == 0);
}

/* Keys other than buckets, if each has one value in the unit. Their tuple gets a number: the same
 * as that of the last unit if it has the same keys. */
static int feed_consts(struct exec_feed *f, bool *ret_known, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    bool same = f->have_consts;

    *ret_known = false;
    for (uint32_t k = 0; k < u->node->exprs_count; k++) {
        if (u->keys[k].kind == EXEC_KEY_BUCKET)
            continue;
        if (!scan_unit_const(f->reader.r, u->keys[k].col, &f->found[k]))
            return 0;
        same = same && feed_same(&f->found[k], &f->consts[k]);
    }
    *ret_known = true;
    if (same)
        return 0;
    f->serial++;
    f->have_consts = false;
    arena_reset(&f->tuple); /* the unit goes, the tuple stays */
    for (uint32_t k = 0; k < u->node->exprs_count; k++)
        if (u->keys[k].kind != EXEC_KEY_BUCKET &&
            (!datum_copy(&f->tuple, &f->found[k], &f->consts[k]) ||
             !vec_make_const(&f->tuple, &f->consts[k], 1, &f->key_vecs[k])))
            return DN_FAIL_NOMEM(err);
    f->have_consts = true;
    return 0;
}

/* The group of the constants and a bucket (NULL: there are no buckets). */
static int
feed_group(struct exec_feed *f, struct exec_bucket *bucket, uint32_t *ret, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    uint32_t b = 0;
    int rc;

    if (bucket ? bucket->serial == f->serial : f->group_serial == f->serial) {
        *ret = bucket ? bucket->group : f->group;
        return 0;
    }
    for (uint32_t k = 0; k < u->node->exprs_count && bucket; k++)
        if (u->keys[k].kind == EXEC_KEY_BUCKET &&
            !vec_make_const(&f->agg.batch, &bucket->keys[b++], 1, &f->key_vecs[k]))
            return DN_FAIL_NOMEM(err);
    rc = exec_agg_group(&f->agg, f->key_vecs, ret, err);
    if (rc < 0)
        return rc;
    if (bucket) {
        bucket->serial = f->serial;
        bucket->group = *ret;
    } else {
        f->group_serial = f->serial;
        f->group = *ret;
    }
    return 0;
}

/* The bucket that covers the whole unit, if its zone tells. 1: there is none, or it is not known.
 */
static int feed_unit_bucket(struct exec_feed *f, struct exec_bucket **ret, struct dn_err *err)
{
    struct zone z;
    int64_t ends[2];
    int rc;

    *ret = NULL;
    if (f->u->bucket_col == PLAN_NO_COL)
        return 0;
    if (f->buckets_full || !scan_unit_zone(f->reader.r, f->u->bucket_col, &z) || z.nulls ||
        !z.has_range)
        return 1;
    ends[0] = z.min.v.i64;
    ends[1] = z.max.v.i64;
    *ret = exec_buckets_find(&f->buckets, ends[0]);
    if (!*ret || (*ret)->hi < ends[1]) {
        if (*ret && exec_buckets_find(&f->buckets, ends[1]))
            return 1; /* two, and both are known */
        rc = exec_buckets_learn(&f->buckets, ends, 2, err);
        if (rc < 0)
            return rc;
        f->buckets_full = rc == DN_NOT_FOUND;
        *ret = f->buckets_full ? NULL : exec_buckets_find(&f->buckets, ends[0]);
    }
    return *ret && (*ret)->hi >= ends[1] ? 0 : 1;
}

/* ---- zones ---- */

/* first and last: the ends of the unit, in the order of time. x is the zone of the values. */
static bool feed_zone_ends(struct exec_feed *f, uint32_t g, const struct zone *x)
{
    const struct plan_agg *pa = &f->u->node->aggs[g];
    bool late = pa->agg->zone & AGG_ZONE_LATE;
    bool desc = f->u->source->node->table->rest[0].desc;
    struct agg_zone *to = &f->zones[g];
    struct datum *end = late ? &to->late : &to->early;

    if (!f->reader.unit.one_run)
        return false;
    if (f->time.rows == 0) { /* the same for all aggregates */
        f->time.has_range = false;
        if (!scan_unit_zone(f->reader.r, pa->arg2->col, &f->time))
            f->time.has_range = false;
        f->time.rows = f->reader.unit.rows;
    }
    if (!f->time.has_range)
        return false;
    to->early_time = f->time.min.v.i64;
    to->late_time = f->time.max.v.i64;
    *end = late != desc ? x->last : x->first;
    if (end->null && x->nulls == 0 && x->has_range && x->min_exact && x->max_exact &&
        datum_cmp(&x->min, &x->max) == 0)
        *end = x->min; /* strings and vectors keep no ends, but here all values are the same */
    return !end->null;
}

/* What the aggregate needs of the unit's zone, if it is there. */
static bool feed_zone(struct exec_feed *f, uint32_t g)
{
    const struct exec_way *way = &f->u->ways[g];
    uint32_t needs = f->u->node->aggs[g].agg->zone;
    struct agg_zone *to = &f->zones[g];
    struct zone z;

    if (!way->zone)
        return false;
    to->rows = f->reader.unit.rows;
    to->nulls = 0;
    if (way->col == PLAN_NO_COL)
        return true;
    if (!scan_unit_zone(f->reader.r, way->col, &z))
        return false;
    if (needs & (AGG_ZONE_EARLY | AGG_ZONE_LATE))
        return feed_zone_ends(f, g, &z);
    to->nulls = z.nulls;
    to->min = z.min;
    to->max = z.max;
    to->sum = z.sum;
    if (z.nulls == z.rows) { /* no value at all */
        to->min.null = to->max.null = true;
        to->sum = (union vfixed){0};
        return true;
    }
    if ((needs & AGG_ZONE_RANGE) && !(z.has_range && z.min_exact && z.max_exact))
        return false;
    if ((needs & AGG_ZONE_SUM) && !z.has_sum)
        return false;
    return true;
}

/* Finds which aggregates have to be decoded; true: some have. */
static bool feed_zones(struct exec_feed *f)
{
    bool some = false;

    f->time.rows = 0;
    for (uint32_t g = 0; g < f->u->node->aggs_count; g++) {
        f->packed[g] = false;
        f->decode[g] = !feed_zone(f, g);
        some = some || f->decode[g];
    }
    return some;
}

static int feed_answer(struct exec_feed *f, uint32_t group, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t g = 0; g < f->u->node->aggs_count && rc == 0; g++)
        if (!f->decode[g] && !f->packed[g])
            rc = exec_agg_zone(&f->agg, group, g, &f->zones[g], err);
    return rc;
}

/* ---- stored values ---- */

#define FEED_PACKED_ROWS 16u /* of a stretch on average; below that decoding is cheaper */

/* Does the column have a value in each row of the unit? */
static bool feed_no_nulls(struct exec_feed *f, uint32_t col)
{
    struct zone z;

    return col == PLAN_NO_COL || (scan_unit_bounds(f->reader.r, col, &z) && z.nulls == 0);
}

/* The sum of rows that are stored as one vector, if it can be handed on as that of a zone. */
static bool feed_packed_sum(enum type_id type, const struct codec_agg *sum, union vfixed *ret)
{
    if (type_is_float(type)) {
        ret->f64 = sum->fsum;
        return true;
    }
    ret->i64 = (int64_t)sum->isum;
    return ret->i64 == sum->isum;
}

/* Finds out which of the aggregates that are still to be decoded can do without: they are in
 * f->packed then, not in f->decode. Nothing is added yet. */
static int feed_packed_ask(struct exec_feed *f,
                           const struct exec_stretch *s,
                           uint32_t count,
                           struct dn_err *err)
{
    const struct exec_units *u = f->u;
    struct codec_range *ranges;
    struct codec_ask ask = {.count = count, .want = CODEC_SUM};
    int rc = 0;

    if (!u->packed || f->reader.unit.kind != SCAN_VECTOR ||
        f->reader.unit.rows / count < FEED_PACKED_ROWS)
        return 0;
    ranges = arena_alloc_array(&f->agg.batch, count, sizeof *ranges);
    f->sums =
        arena_alloc_array(&f->agg.batch, (size_t)(u->packed_count + 1) * count, sizeof *f->sums);
    if (!ranges || !f->sums)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < count; k++)
        ranges[k] = (struct codec_range){s[k].first, s[k].first + s[k].count};
    ask.ranges = ranges;
    if (u->packed_count)
        rc = scan_unit_agg(
            f->reader.r, u->packed_cols, u->packed_count, &ask, f->sums, f->packed_known, err);
    for (uint32_t g = 0; g < u->node->aggs_count && rc == 0; g++) {
        const struct exec_way *way = &u->ways[g];
        union vfixed sum;

        if (!f->decode[g] || !way->packed)
            continue;
        f->packed[g] = way->packed_at == PLAN_NO_COL ? feed_no_nulls(f, way->col)
                                                     : f->packed_known[way->packed_at];
        for (uint32_t k = 0; k < count && f->packed[g] && way->packed_at != PLAN_NO_COL; k++)
            f->packed[g] = feed_packed_sum(
                u->source->node->cols[way->col].type, &f->sums[way->packed_at * count + k], &sum);
        f->decode[g] = !f->packed[g];
    }
    return rc;
}

/* Adds what feed_packed_ask found of the same stretches, which have groups by now. */
static int feed_packed_add(struct exec_feed *f,
                           const struct exec_stretch *s,
                           uint32_t count,
                           struct dn_err *err)
{
    const struct exec_units *u = f->u;
    int rc = 0;

    for (uint32_t g = 0; g < u->node->aggs_count; g++) {
        const struct exec_way *way = &u->ways[g];

        for (uint32_t k = 0; k < count && f->packed[g] && rc == 0; k++) {
            struct agg_zone z = {.rows = s[k].count};

            if (way->packed_at != PLAN_NO_COL)
                feed_packed_sum(u->source->node->cols[way->col].type,
                                &f->sums[way->packed_at * count + k],
                                &z.sum);
            rc = exec_agg_zone(&f->agg, s[k].group, g, &z, err);
        }
    }
    return rc;
}

/* ---- ends of time ---- */

/* Can nothing in the unit matter, as its group has values of later (earlier) rows already? */
static bool feed_passed(struct exec_feed *f, uint32_t group)
{
    int64_t min;
    int64_t max;

    if (group >= f->floors_count || !scan_unit_time(f->reader.r, &min, &max))
        return false;
    return f->u->ends == EXEC_ENDS_LATE ? max < f->floors[group] : min > f->floors[group];
}

void exec_feed_leave_run(struct exec_feed *f)
{
    if (f->u->ends != EXEC_ENDS_NONE && f->reader.unit.one_run)
        scan_unit_leave_run(f->reader.r);
}

int exec_feed_floors(struct exec_feed *f, uint32_t count, struct dn_err *err)
{
    bool late = f->u->ends == EXEC_ENDS_LATE || f->u->row_ends == EXEC_ENDS_LATE;

    if (count > f->floors_cap) {
        uint32_t cap = count < 64 ? 128 : count * 2;
        int64_t *floors = mem_realloc(f->agg.owner, f->floors, cap * sizeof *floors);

        if (!floors)
            return DN_FAIL_NOMEM(err);
        f->floors = floors;
        f->floors_cap = cap;
    }
    while (f->floors_count < count)
        f->floors[f->floors_count++] = late ? INT64_MIN : INT64_MAX;
    return 0;
}

/* The unit was answered from its zones, so every aggregate of the group has a value of its end. */
static int feed_note_end(struct exec_feed *f, uint32_t group, struct dn_err *err)
{
    int64_t min;
    int64_t max;
    int rc;

    if (!scan_unit_time(f->reader.r, &min, &max))
        return 0;
    rc = exec_feed_floors(f, group + 1, err);
    if (rc < 0)
        return rc;
    if (f->u->ends == EXEC_ENDS_LATE)
        f->floors[group] = max > f->floors[group] ? max : f->floors[group];
    else
        f->floors[group] = min < f->floors[group] ? min : f->floors[group];
    return 0;
}

/* ---- units ---- */

/* The columns of the aggregates that have to be decoded, of rows that are selected. 1: their
 * strings are too long for all rows at once. */
static int feed_fetch(struct exec_feed *f, struct batch *ret, struct dn_err *err)
{
    size_t bytes = f->reader.source->ctx->slice_bytes;
    bool whole = true;
    int rc = 0;

    for (uint32_t g = 0; g < f->u->node->aggs_count && rc == 0; g++) {
        const struct exec_way *way = &f->u->ways[g];

        if (!f->decode[g])
            continue;
        rc = exec_reader_fetch(&f->reader, way->cols, way->cols_count, ret, err);
        if (rc == 0 && exec_slice_rows(ret, way->cols, way->cols_count, bytes) < ret->sel_count)
            whole = false;
    }
    if (exec_pace_rows(&f->agg.pace, ret->sel_count) < ret->sel_count)
        whole = false;
    return rc < 0 ? rc : !whole;
}

bool exec_feed_series(struct exec_feed *f)
{
    f->agg.series = NULL;
    if (f->u->tells_series && scan_unit_series(f->reader.r, &f->series) && f->series.count > 1)
        f->agg.series = &f->series;
    return f->agg.series != NULL;
}

/* All rows of the unit are of one group. 1: nothing was added, as a block would have to be decoded,
 * or rows that floors may leave out. */
static int feed_whole(struct exec_feed *f, struct exec_bucket *bucket, struct dn_err *err)
{
    struct exec_stretch all = {.count = f->reader.unit.rows};
    bool decode;
    struct batch in;
    int rc;

    if (f->u->ends != EXEC_ENDS_NONE) {
        rc = feed_group(f, bucket, &all.group, err);
        if (rc < 0)
            return rc;
        if (feed_passed(f, all.group)) {
            scan_unit_answered(f->reader.r);
            exec_feed_leave_run(f);
            return 0;
        }
    }
    decode = feed_zones(f);
    if (decode && (f->reader.unit.kind == SCAN_BLOCK || f->u->row_ends != EXEC_ENDS_NONE))
        return 1;
    if (decode) {
        rc = exec_reader_select(&f->reader, &in, err);
        if (rc == 0)
            rc = feed_packed_ask(f, &all, 1, err);
        if (rc == 0)
            rc = feed_fetch(f, &in, err);
        if (rc != 0)
            return rc;
    }
    rc = feed_group(f, bucket, &all.group, err);
    if (rc == 0 && decode)
        rc = feed_packed_add(f, &all, 1, err);
    if (rc == 0)
        rc = feed_answer(f, all.group, err);
    if (rc < 0)
        return rc;
    if (!decode) {
        scan_unit_answered(f->reader.r);
        if (f->u->ends == EXEC_ENDS_NONE)
            return 0;
        exec_feed_leave_run(f);
        return feed_note_end(f, all.group, err);
    }
    f->rows_decoded += in.sel_count;
    exec_feed_series(f);
    rc = exec_agg_stretches(&f->agg, &in, &all, 1, f->decode, err);
    f->agg.series = NULL;
    return rc;
}

static inline bool feed_inside(const struct exec_bucket *b, int64_t value)
{
    return value >= b->lo && value <= b->hi;
}

/* The groups of a unit of one run, as stretches between the edges of its buckets. 1: that cannot be
 * done. */
static int
feed_edges(struct exec_feed *f, const struct batch *in, uint32_t *ret_count, struct dn_err *err)
{
    const struct vec *v = &in->cols[f->u->bucket_col];
    const int64_t *times = v->data;
    struct exec_stretch *s = f->agg.stretches;
    uint32_t count = 0;
    uint32_t row = 0;
    bool learned = false;
    int rc;

    if (v->form != VEC_FLAT || v->nulls)
        return 1;
    while (row < in->count) {
        struct exec_bucket *b = exec_buckets_find(&f->buckets, times[row]);
        uint32_t lo = row + 1; /* rows before it are inside */
        uint32_t step = 4;
        uint32_t hi;

        if (!b) {
            DN_ASSERT(!learned);
            rc = exec_buckets_learn(&f->buckets, times, in->count, err);
            if (rc < 0)
                return rc;
            f->buckets_full = rc == DN_NOT_FOUND;
            if (f->buckets_full)
                return 1;
            learned = true;
            row = 0;
            count = 0;
            continue;
        }
        while (lo + step < in->count && feed_inside(b, times[lo + step])) {
            lo += step + 1;
            step *= 2;
        }
        hi = lo + step < in->count ? lo + step : in->count;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;

            if (feed_inside(b, times[mid]))
                lo = mid + 1;
            else
                hi = mid;
        }
        s[count] = (struct exec_stretch){.first = row, .count = lo - row};
        rc = feed_group(f, b, &s[count].group, err);
        if (rc < 0)
            return rc;
        count++;
        row = lo;
    }
    *ret_count = count;
    return 0;
}

/* All rows of a unit of one run are selected, and its groups are buckets: only what cannot be added
 * up as it is stored is decoded. 1: nothing was added, its rows have to be looked at as a batch. */
static int feed_buckets(struct exec_feed *f, struct batch *in, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    uint32_t count = 0;
    int rc;

    rc = exec_reader_fetch(&f->reader, &u->bucket_col, 1, in, err);
    if (rc == 0)
        rc = feed_edges(f, in, &count, err);
    if (rc != 0)
        return rc;
    for (uint32_t g = 0; g < u->node->aggs_count; g++) {
        f->packed[g] = false;
        f->decode[g] = true;
    }
    rc = feed_packed_ask(f, f->agg.stretches, count, err);
    if (rc == 0)
        rc = feed_fetch(f, in, err);
    if (rc != 0)
        return rc;
    f->rows_decoded += in->count;
    rc = feed_packed_add(f, f->agg.stretches, count, err);
    return rc < 0 ? rc : exec_agg_stretches(&f->agg, in, f->agg.stretches, count, f->decode, err);
}

/* Some of the decoded rows. */
static int feed_rest(struct exec_feed *f, struct dn_err *err)
{
    uint32_t left = f->rest.sel_count - f->rest_at;
    uint32_t rows = exec_pace_rows(&f->agg.pace, left < f->rest_rows ? left : f->rest_rows);
    struct batch part = f->rest;
    int rc;

    if (rows < f->rest.sel_count)
        part = exec_slice(&f->rest, f->rest_at, rows, f->all);
    else
        exec_feed_series(f);
    f->rest_at += rows;
    rc = exec_agg_batch(&f->agg, &part, err);
    f->agg.series = NULL;
    exec_pace_end(&f->agg.pace, rows);
    return rc;
}

int exec_feed_batches(struct exec_feed *f,
                      const struct batch *in,
                      uint32_t slice,
                      struct dn_err *err)
{
    f->rest = *in;
    f->rest_at = 0;
    f->rest_rows = slice;
    return feed_rest(f, err);
}

int exec_feed_dict(struct exec_feed *f, bool *ret, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    uint64_t id;
    int rc;

    *ret = false;
    if (u->node->exprs_count != 1 || u->keys[0].kind != EXEC_KEY_COLUMN || !f->reader.exact ||
        !exec_groups_has_dict(&f->agg.groups, f->agg.groups.dict_id))
        return 0;
    rc = scan_unit_dict(f->reader.r, u->keys[0].col, &id, err);
    *ret = rc == 0 && exec_groups_has_dict(&f->agg.groups, id);
    return rc;
}

/* Decodes the unit and groups its rows. */
static int feed_rows(struct exec_feed *f, bool consts_known, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    uint32_t slice;
    struct batch in;
    bool known;
    int rc;

    if (u->node->aggs_count == 0) { /* DISTINCT: is there anything new? */
        rc = exec_feed_dict(f, &known, err);
        if (rc < 0)
            return rc;
        if (known) {
            scan_unit_answered(f->reader.r);
            return 0;
        }
    }
    rc = exec_reader_select(&f->reader, &in, err);
    if (rc < 0 || in.sel_count == 0)
        return rc;
    if (consts_known && !in.sel && u->bucket_col != PLAN_NO_COL && f->reader.unit.one_run &&
        !f->buckets_full) {
        rc = feed_buckets(f, &in, err);
        if (rc != 1)
            return rc;
    }
    rc = exec_reader_fetch(&f->reader, u->cols, u->cols_count, &in, err);
    if (rc < 0)
        return rc;
    f->rows_decoded += in.count;
    slice = exec_slice_rows(&in, u->cols, u->cols_count, f->reader.source->ctx->slice_bytes);
    return exec_feed_batches(f, &in, slice, err);
}

int exec_feed_next(struct exec_feed *f, struct dn_err *err)
{
    bool known = false;
    int rc;

    exec_pace_begin(&f->agg.pace, &f->agg.batch);
    if (f->rest_at < f->rest.sel_count)
        return feed_rest(f, err);
    rc = exec_reader_next(&f->reader, err);
    if (rc != 0)
        return rc;
    if (f->u->simple && f->reader.exact) {
        struct exec_bucket *bucket;

        rc = feed_consts(f, &known, err);
        if (rc == 0 && known) {
            rc = feed_unit_bucket(f, &bucket, err);
            if (rc == 0)
                rc = feed_whole(f, bucket, err);
            if (rc <= 0)
                return rc;
        }
        if (rc < 0)
            return rc;
    }
    if (f->reader.unit.kind == SCAN_BLOCK) {
        /* They come again. */
        exec_count_rows(
            f->reader.source->ctx, -(int64_t)f->reader.unit.rows, f->reader.source->work);
        scan_unit_split(f->reader.r);
        return 0;
    }
    if (f->done) {
        rc = exec_feed_done(f, err);
        if (rc != 1)
            return rc;
    }
    return f->u->row_ends == EXEC_ENDS_NONE ? feed_rows(f, known, err) : exec_feed_ends(f, err);
}
