/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_overlap.c: see the header. */
#include "store/shard_overlap.h"

#include <stdlib.h>

#define OVERLAP_MAX   65536u /* pairs that are looked at */
#define OVERLAP_SHARE 16u    /* of the smaller one's rows: a few late ones cost a reader little */

struct overlap {
    uint64_t a; /* ids, the lower one first */
    uint64_t b;
    bool over;
};

static int overlap_order(const void *x, const void *y)
{
    const struct overlap *a = x;
    const struct overlap *b = y;

    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

/* Among the first of them, which are sorted. */
static const struct overlap *
overlap_find(const struct shard *s, size_t count, uint64_t a, uint64_t b)
{
    const struct overlap key = {.a = a < b ? a : b, .b = a < b ? b : a};

    return count ? bsearch(&key, s->overlaps, count, sizeof key, overlap_order) : NULL;
}

bool shard_overlap_has(const struct shard *s, uint64_t a, uint64_t b)
{
    const struct overlap *o = overlap_find(s, s->overlaps_count, a, b);

    return o && o->over;
}

void shard_overlap_done(struct shard *s)
{
    mem_free(s->overlaps);
    s->overlaps = NULL;
    s->overlaps_count = s->overlaps_cap = 0;
}

static bool overlap_timed(const struct table *t)
{
    return t->time_col >= 0 && t->rest_count > 0 && t->rest[0].col == t->time_col;
}

/* Does one begin before the other ends, both ways? Neighbours that share a border do not; what is
 * the same does. */
static bool overlap_times(int64_t a_min, int64_t a_max, int64_t b_min, int64_t b_max)
{
    return (a_min < b_max && b_min < a_max) || (a_min == b_min && a_max == b_max);
}

/* By what the manifest says of them, which may be too much. */
static bool overlap_may(const struct table *t, const struct seg_meta *a, const struct seg_meta *b)
{
    if (t->by_value) /* places, see seg_meta */
        return overlap_times(a->token_min, a->token_max, b->token_min, b->token_max);
    return a->slab_min <= b->slab_max && b->slab_min <= a->slab_max &&
           a->token_min <= b->token_max && b->token_min <= a->token_max &&
           (!overlap_timed(t) || overlap_times(a->time_min, a->time_max, b->time_min, b->time_max));
}

/* Order of a run of one segment and a run of another by slab and token. */
static int overlap_cmp(const struct table *t,
                       const struct seg_runs *x,
                       uint32_t i,
                       const struct seg_runs *y,
                       uint32_t k)
{
    if (x->slab[i] != y->slab[k])
        return (x->slab[i] < y->slab[k]) != t->time_desc ? -1 : 1;
    return x->token[i] < y->token[k] ? -1 : x->token[i] > y->token[k];
}

/* By their run tables; x is the smaller one. */
static bool overlap_test(const struct table *t,
                         const struct seg_runs *x,
                         uint64_t rows,
                         const struct seg_runs *y)
{
    bool timed = overlap_timed(t) && x->time_min && y->time_min;
    uint64_t over = 0;
    uint32_t k = 0;

    for (uint32_t i = 0; i < x->count && k < y->count; i++) {
        while (k < y->count && overlap_cmp(t, y, k, x, i) < 0)
            k++;
        if (k < y->count && overlap_cmp(t, y, k, x, i) == 0 &&
            (!timed ||
             overlap_times(x->time_min[i], x->time_max[i], y->time_min[k], y->time_max[k])))
            over += x->first_row[i + 1] - x->first_row[i];
    }
    return over * OVERLAP_SHARE >= rows;
}

/* The same of a table laid out by value: rows in blocks that lie among those of the other. Leading
 * columns of the key in which all rows of both have one value say nothing. */
static bool overlap_test_values(const struct table *t, const struct seg *x, const struct seg *y)
{
    for (uint16_t k = 0; k < t->rest_count; k++) {
        uint32_t col = t->rest[k].col;
        uint32_t count;
        const struct seg_block *blocks = seg_get_blocks(x, &count);
        uint64_t over = 0;
        struct datum x_min, x_max, y_min, y_max;

        if (!seg_key_bounds(x, col, &x_min, &x_max) || !seg_key_bounds(y, col, &y_min, &y_max))
            return true;
        if (datum_cmp(&x_min, &x_max) == 0 && datum_cmp(&y_min, &y_max) == 0 &&
            datum_cmp(&x_min, &y_min) == 0)
            continue;
        for (uint32_t b = 0; b < count; b++) {
            struct zone z;
            if (!seg_block_zone(x, b, col, &z) || !z.has_range ||
                (datum_cmp(&z.min, &y_max) < 0 && datum_cmp(&z.max, &y_min) > 0))
                over += blocks[b].rows;
        }
        return over * OVERLAP_SHARE >= seg_get_meta(x)->rows;
    }
    return true;
}

static void overlap_note(struct shard *s, struct segref *a, struct segref *b)
{
    struct segref *x = a->meta.rows < b->meta.rows ? a : b;
    struct segref *y = x == a ? b : a;
    struct overlap *o;
    struct seg *sx;
    struct seg *sy;

    if (s->overlaps_count == OVERLAP_MAX)
        return;
    if (s->overlaps_count == s->overlaps_cap) {
        size_t cap = s->overlaps_cap ? s->overlaps_cap * 2 : 64;
        o = mem_realloc(&s->owner, s->overlaps, cap * sizeof *o);
        if (!o)
            return;
        s->overlaps = o;
        s->overlaps_cap = cap;
    }
    if (segref_open(x, &sx, NULL) < 0 || segref_open(y, &sy, NULL) < 0)
        return;
    o = &s->overlaps[s->overlaps_count++];
    o->a = a->meta.id < b->meta.id ? a->meta.id : b->meta.id;
    o->b = a->meta.id < b->meta.id ? b->meta.id : a->meta.id;
    if (x->table->by_value)
        o->over = overlap_test_values(x->table, sx, sy);
    else
        o->over = overlap_test(x->table, seg_get_runs(sx), x->meta.rows, seg_get_runs(sy));
}

static bool overlap_alive(const struct version *v, uint64_t id)
{
    for (size_t i = 0; i < v->segs_count; i++)
        if (v->segs[i]->meta.id == id)
            return true;
    return false;
}

void shard_overlap_look(struct shard *s, const struct version *v)
{
    size_t keep = 0;

    for (size_t i = 0; i < s->overlaps_count; i++)
        if (overlap_alive(v, s->overlaps[i].a) && overlap_alive(v, s->overlaps[i].b))
            s->overlaps[keep++] = s->overlaps[i];
    s->overlaps_count = keep; /* in order still */
    for (size_t i = 0; i < v->segs_count; i++) {
        struct segref *a = v->segs[i];
        for (size_t k = 0; k < i && a->table->form != KEY_NONE; k++) {
            struct segref *b = v->segs[k];
            if (a->meta.table_id == b->meta.table_id && overlap_may(a->table, &a->meta, &b->meta) &&
                !overlap_find(s, keep, a->meta.id, b->meta.id))
                overlap_note(s, a, b);
        }
    }
    if (s->overlaps_count > keep)
        qsort(s->overlaps, s->overlaps_count, sizeof *s->overlaps, overlap_order);
}
