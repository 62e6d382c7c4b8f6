/* SPDX-License-Identifier: Apache-2.0
 *
 * buckets.c: what is known of monotonic keys. The list is sorted; a stretch that was evaluated
 * either lies inside a bucket of the list, widens the neighbour with the same keys, or is new. */
#include "exec/buckets.h"

#include <string.h>

#define BUCKETS_MAX 65536u

int exec_buckets_init(struct exec_buckets *b,
                      const struct exec_buckets_spec *spec,
                      struct eval *ev,
                      struct mem_owner *owner,
                      struct dn_err *err)
{
    *b = (struct exec_buckets){.spec = *spec, .ev = ev, .owner = owner};
    arena_init(&b->run, owner);
    b->vecs = arena_calloc(&b->run, spec->keys_count, sizeof *b->vecs);
    b->cols = arena_calloc(&b->run, spec->cols_max, sizeof *b->cols);
    if (!b->vecs || !b->cols)
        return DN_FAIL_NOMEM(err);
    b->cols[spec->col] = (struct vec){.type = spec->type, .form = VEC_FLAT};
    return 0;
}

void exec_buckets_done(struct exec_buckets *b)
{
    mem_free(b->list);
    arena_done(&b->run);
    memset(b, 0, sizeof *b);
}

/* Number of buckets that begin at or before the value. */
static uint32_t buckets_upto(const struct exec_buckets *b, int64_t value)
{
    uint32_t lo = 0;
    uint32_t hi = b->count;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (b->list[mid].lo <= value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct exec_bucket *exec_buckets_find(struct exec_buckets *b, int64_t value)
{
    uint32_t at;

    /* Time goes on: the last one, or the next. */
    for (at = b->hint; at < b->count && at <= b->hint + 1; at++)
        if (b->list[at].lo <= value && value <= b->list[at].hi) {
            b->hint = at;
            return &b->list[at];
        }
    at = buckets_upto(b, value);
    if (at == 0 || b->list[at - 1].hi < value)
        return NULL;
    b->hint = at - 1;
    return &b->list[at - 1];
}

/* ---- learning ---- */

static bool buckets_rows_same(const struct exec_buckets *b, uint32_t x, uint32_t y)
{
    for (uint32_t k = 0; k < b->spec.keys_count; k++) {
        const struct vec *v = &b->vecs[k];
        uint32_t at_x = vec_at(v, x);
        uint32_t at_y = vec_at(v, y);
        struct datum dx;
        struct datum dy;

        if (!v->nulls && at_x == at_y)
            continue;
        if (!v->nulls && type_phys(v->type) == PHYS_I64) {
            if (((const int64_t *)v->data)[at_x] != ((const int64_t *)v->data)[at_y])
                return false;
            continue;
        }
        dx = vec_datum(v, x);
        dy = vec_datum(v, y);
        if (dx.null != dy.null || (!dx.null && datum_cmp(&dx, &dy) != 0))
            return false;
    }
    return true;
}

/* First row after `first` that is of another bucket. */
static uint32_t buckets_end(const struct exec_buckets *b, uint32_t first, uint32_t count)
{
    uint32_t lo = first + 1; /* rows before it are of the bucket */
    uint32_t step = 4;
    uint32_t hi;

    while (lo + step < count && buckets_rows_same(b, first, lo + step)) {
        lo += step + 1;
        step *= 2;
    }
    hi = lo + step < count ? lo + step : count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (buckets_rows_same(b, first, mid))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool buckets_is(const struct exec_buckets *b, const struct exec_bucket *bucket, uint32_t row)
{
    for (uint32_t k = 0; k < b->spec.keys_count; k++) {
        struct datum d = vec_datum(&b->vecs[k], row);

        if (d.null != bucket->keys[k].null || (!d.null && datum_cmp(&d, &bucket->keys[k]) != 0))
            return false;
    }
    return true;
}

static int buckets_insert(
    struct exec_buckets *b, uint32_t at, int64_t lo, int64_t hi, uint32_t row, struct dn_err *err)
{
    struct datum *keys;

    if (b->count == BUCKETS_MAX)
        return DN_NOT_FOUND;
    if (b->count == b->cap) {
        uint32_t cap = b->cap ? b->cap * 2 : 64;
        struct exec_bucket *list = mem_realloc(b->owner, b->list, cap * sizeof *list);

        if (!list)
            return DN_FAIL_NOMEM(err);
        b->list = list;
        b->cap = cap;
    }
    keys = arena_alloc_array(&b->run, b->spec.keys_count, sizeof *keys);
    if (!keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < b->spec.keys_count; k++) {
        struct datum d = vec_datum(&b->vecs[k], row);

        if (!datum_copy(&b->run, &d, &keys[k]))
            return DN_FAIL_NOMEM(err);
    }
    memmove(b->list + at + 1, b->list + at, (b->count - at) * sizeof *b->list);
    b->list[at] = (struct exec_bucket){.lo = lo, .hi = hi, .keys = keys};
    b->count++;
    return 0;
}

/* Values from lo to hi are of one bucket, whose keys are at `row`. */
static int
buckets_note(struct exec_buckets *b, int64_t lo, int64_t hi, uint32_t row, struct dn_err *err)
{
    uint32_t at = buckets_upto(b, lo);
    struct exec_bucket *before = at > 0 ? &b->list[at - 1] : NULL;
    struct exec_bucket *after = at < b->count ? &b->list[at] : NULL;

    if (before && (lo <= before->hi || buckets_is(b, before, row))) {
        before->hi = hi > before->hi ? hi : before->hi;
        if (after && (after->lo <= before->hi || buckets_is(b, after, row))) {
            before->hi = after->hi > before->hi ? after->hi : before->hi;
            memmove(after, after + 1, (b->count - at - 1) * sizeof *after);
            b->count--;
        }
        return 0;
    }
    if (after && (after->lo <= hi || buckets_is(b, after, row))) {
        after->lo = lo;
        after->hi = hi > after->hi ? hi : after->hi;
        return 0;
    }
    return buckets_insert(b, at, lo, hi, row, err);
}

int exec_buckets_learn(struct exec_buckets *b,
                       const int64_t *values,
                       uint32_t count,
                       struct dn_err *err)
{
    struct batch in = {
        .count = count, .cols_count = b->spec.cols_max, .cols = b->cols, .sel_count = count};
    uint32_t first = 0;
    int rc = 0;

    b->cols[b->spec.col].count = count;
    b->cols[b->spec.col].data = values;
    for (uint32_t k = 0; k < b->spec.keys_count && rc == 0; k++)
        rc = expr_eval(b->spec.exprs[k], b->ev, &in, &b->vecs[k], err);
    while (first < count && rc == 0) {
        uint32_t end = buckets_end(b, first, count);
        bool rising = values[first] <= values[end - 1];

        rc = buckets_note(b,
                          rising ? values[first] : values[end - 1],
                          rising ? values[end - 1] : values[first],
                          first,
                          err);
        first = end;
    }
    return rc;
}
