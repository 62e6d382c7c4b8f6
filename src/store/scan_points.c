/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_points.c: the partitions a scan looks for, when constraints leave so few that all are known.
 * Each column of the partition has a constraint whose values can be counted then: single ones, or
 * stretches of whole numbers. The points are all combinations of them, each with its token, so that
 * segments can be left out by their tokens and runs be found without a look at every one.
 *
 * No other partition has rows that satisfy the constraints. A point may be of a partition
 * without rows; points are in no order of tokens. */
#include "store/scan_int.h"

/* Are the values whole numbers, so that those between two can be counted? */
static bool scan_type_counts(enum type_id type)
{
    return type_is_fixed(type) && !type_is_float(type);
}

/* Values an interval holds when they can be counted: one, or a stretch of whole numbers. 0: too
 * many to say. */
static uint64_t scan_interval_values(const struct interval *iv, int64_t *ret_first)
{
    int64_t lo;
    int64_t hi;

    *ret_first = 0;
    if (!iv->has_lo || !iv->has_hi)
        return 0;
    if (!scan_type_counts(iv->lo.type))
        return iv->lo_incl && iv->hi_incl && datum_cmp(&iv->lo, &iv->hi) == 0;
    lo = iv->lo.v.i64;
    hi = iv->hi.v.i64;
    if (lo > hi || (uint64_t)hi - (uint64_t)lo > SCAN_POINTS_MAX)
        return 0;
    lo += !iv->lo_incl;
    hi -= !iv->hi_incl;
    *ret_first = lo;
    return lo > hi ? 0 : (uint64_t)(hi - lo) + 1;
}

static uint64_t scan_pred_values(const struct scan_pred *p)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < p->set_count && total <= SCAN_POINTS_MAX; i++) {
        int64_t first;
        uint64_t n = scan_interval_values(&p->set[i], &first);
        if (n == 0)
            return 0;
        total += n;
    }
    return total;
}

static struct datum scan_pred_value(const struct scan_pred *p, uint64_t k)
{
    for (uint32_t i = 0;; i++) {
        struct datum d = p->set[i].lo;
        int64_t first;
        uint64_t n = scan_interval_values(&p->set[i], &first);
        if (k < n) {
            if (scan_type_counts(d.type))
                d.v.i64 = first + (int64_t)k;
            return d;
        }
        k -= n;
    }
}

int scan_make_points(struct scan *s, struct dn_err *err)
{
    uint32_t n = s->t->partition_count;
    uint64_t count = 1;
    struct buf scratch;
    bool failed = false;

    for (uint32_t i = 0; i < n; i++) {
        const struct scan_pred *p = scan_pred_of(s, s->t->partition[i]);
        count = p ? count * scan_pred_values(p) : 0;
        if (count == 0 || count > SCAN_POINTS_MAX)
            return DN_OK;
    }
    if (n == 0)
        return DN_OK;
    s->points = arena_calloc(&s->keep, (size_t)count * n, sizeof *s->points);
    s->point_tokens = arena_calloc(&s->keep, (size_t)count, sizeof *s->point_tokens);
    if (!s->points || !s->point_tokens)
        return DN_FAIL_NOMEM(err);
    buf_init(&scratch, s->owner);
    for (uint32_t k = 0; k < count && !failed; k++) {
        uint32_t rest = k;
        for (uint32_t i = 0; i < n; i++) {
            const struct scan_pred *p = scan_pred_of(s, s->t->partition[i]);
            uint64_t values = scan_pred_values(p);

            DN_DCHECK(values > 0);
            s->points[(size_t)k * n + i] = scan_pred_value(p, rest % values);
            rest /= (uint32_t)values;
        }
        s->point_tokens[k] = table_series_token(s->t, &s->points[(size_t)k * n], &scratch);
        failed = scratch.failed;
    }
    buf_done(&scratch);
    if (failed)
        return DN_FAIL_NOMEM(err);
    s->points_count = (uint32_t)count;
    s->points_only = true;
    return DN_OK;
}
