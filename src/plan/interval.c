/* SPDX-License-Identifier: Apache-2.0
 *
 * interval.c: interval.h has the story. */
#include "plan/interval.h"

#include <stdlib.h>

static bool iset_discrete(enum type_id type)
{
    return type_is_int(type) || type_is_timestamp(type);
}

/* Inclusive bounds for types with a next value; false: nothing is in it. */
static bool iset_normalize(struct interval *i)
{
    int order;

    if (i->has_lo && !i->lo_incl && iset_discrete(i->lo.type)) {
        if (i->lo.v.i64 == INT64_MAX)
            return false;
        i->lo.v.i64++;
        i->lo_incl = true;
    }
    if (i->has_hi && !i->hi_incl && iset_discrete(i->hi.type)) {
        if (i->hi.v.i64 == INT64_MIN)
            return false;
        i->hi.v.i64--;
        i->hi_incl = true;
    }
    if (!i->has_lo || !i->has_hi)
        return true;
    order = datum_cmp(&i->lo, &i->hi);
    return order < 0 || (order == 0 && i->lo_incl && i->hi_incl);
}

/* <0: a begins before b. */
static int iset_cmp_lo(const struct interval *a, const struct interval *b)
{
    int order;

    if (!a->has_lo || !b->has_lo)
        return (int)a->has_lo - (int)b->has_lo;
    order = datum_cmp(&a->lo, &b->lo);
    return order ? order : (int)b->lo_incl - (int)a->lo_incl;
}

/* <0: a ends before b. */
static int iset_cmp_hi(const struct interval *a, const struct interval *b)
{
    int order;

    if (!a->has_hi || !b->has_hi)
        return (int)b->has_hi - (int)a->has_hi;
    order = datum_cmp(&a->hi, &b->hi);
    return order ? order : (int)a->hi_incl - (int)b->hi_incl;
}

/* Is there nothing between the end of a and the beginning of b, which begins later? */
static bool iset_touch(const struct interval *a, const struct interval *b)
{
    int order;

    if (!a->has_hi || !b->has_lo)
        return true;
    order = datum_cmp(&a->hi, &b->lo);
    if (order == 0)
        return a->hi_incl || b->lo_incl;
    if (order < 0 && iset_discrete(a->hi.type))
        return a->hi.v.i64 + 1 == b->lo.v.i64; /* a->hi < b->lo: no overflow */
    return order > 0;
}

static struct iset iset_capped(struct interval *v, uint32_t n)
{
    if (n > ISET_INTERVALS_MAX) {
        v[0].has_hi = v[n - 1].has_hi;
        v[0].hi_incl = v[n - 1].hi_incl;
        v[0].hi = v[n - 1].hi;
        n = 1;
    }
    return (struct iset){.v = v, .n = n};
}

bool iset_all(struct arena *arena, struct iset *ret)
{
    struct interval *v = arena_calloc(arena, 1, sizeof(*v));

    if (!v)
        return false;
    *ret = (struct iset){.v = v, .n = 1};
    return true;
}

bool iset_is_all(const struct iset *s)
{
    return s->n == 1 && !s->v[0].has_lo && !s->v[0].has_hi;
}

bool iset_compare(struct arena *arena, enum expr_op op, const struct datum *d, struct iset *ret)
{
    struct interval *v = arena_calloc(arena, 2, sizeof(*v));
    uint32_t n = 0;

    if (!v)
        return false;
    if (op == OP_NE || op == OP_LT || op == OP_LE) {
        v[n] = (struct interval){.has_hi = true, .hi = *d, .hi_incl = op == OP_LE};
        n += iset_normalize(&v[n]);
    }
    if (op == OP_NE || op == OP_GT || op == OP_GE) {
        v[n] = (struct interval){.has_lo = true, .lo = *d, .lo_incl = op == OP_GE};
        n += iset_normalize(&v[n]);
    }
    if (op == OP_EQ) {
        v[n++] = (struct interval){
            .has_lo = true, .has_hi = true, .lo = *d, .hi = *d, .lo_incl = true, .hi_incl = true};
    }
    *ret = (struct iset){.v = v, .n = n};
    return true;
}

static int iset_sort_cmp(const void *a, const void *b)
{
    return datum_cmp(a, b);
}

bool iset_points(
    struct arena *arena, struct datum *points, uint32_t n, bool negated, struct iset *ret)
{
    struct interval *v = arena_alloc_array(arena, (size_t)n + 1, sizeof(*v));
    struct interval gap = {.has_lo = false};
    uint32_t count = 0;

    if (!v)
        return false;
    if (n > 0)
        qsort(points, n, sizeof(*points), iset_sort_cmp);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && datum_cmp(&points[i], &points[i - 1]) == 0)
            continue;
        if (!negated) {
            v[count++] = (struct interval){.has_lo = true,
                                           .has_hi = true,
                                           .lo = points[i],
                                           .hi = points[i],
                                           .lo_incl = true,
                                           .hi_incl = true};
            continue;
        }
        v[count] = gap;
        v[count].has_hi = true;
        v[count].hi = points[i];
        v[count].hi_incl = false;
        count += iset_normalize(&v[count]);
        gap = (struct interval){.has_lo = true, .lo = points[i], .lo_incl = false};
    }
    if (negated) {
        v[count] = gap;
        count += iset_normalize(&v[count]);
    }
    *ret = iset_capped(v, count);
    return true;
}

bool iset_union(struct arena *arena, const struct iset *a, const struct iset *b, struct iset *ret)
{
    struct interval *v = arena_alloc_array(arena, (size_t)a->n + b->n + 1, sizeof(*v));
    uint32_t i = 0, j = 0, n = 0;

    if (!v)
        return false;
    while (i < a->n || j < b->n) {
        const struct interval *next;

        if (j == b->n || (i < a->n && iset_cmp_lo(&a->v[i], &b->v[j]) <= 0))
            next = &a->v[i++];
        else
            next = &b->v[j++];
        if (n == 0 || !iset_touch(&v[n - 1], next)) {
            v[n++] = *next;
        } else if (iset_cmp_hi(&v[n - 1], next) < 0) {
            v[n - 1].has_hi = next->has_hi;
            v[n - 1].hi_incl = next->hi_incl;
            v[n - 1].hi = next->hi;
        }
    }
    *ret = iset_capped(v, n);
    return true;
}

bool iset_intersect(struct arena *arena,
                    const struct iset *a,
                    const struct iset *b,
                    struct iset *ret)
{
    struct interval *v = arena_alloc_array(arena, (size_t)a->n + b->n + 1, sizeof(*v));
    uint32_t i = 0, j = 0, n = 0;

    if (!v)
        return false;
    while (i < a->n && j < b->n) {
        const struct interval *x = &a->v[i], *y = &b->v[j];
        const struct interval *lo = iset_cmp_lo(x, y) >= 0 ? x : y;
        const struct interval *hi = iset_cmp_hi(x, y) <= 0 ? x : y;

        v[n] = *lo;
        v[n].has_hi = hi->has_hi;
        v[n].hi_incl = hi->hi_incl;
        v[n].hi = hi->hi;
        n += iset_normalize(&v[n]);
        if (hi == x)
            i++;
        else
            j++;
    }
    *ret = iset_capped(v, n);
    return true;
}

bool iset_is_points(const struct iset *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (!s->v[i].has_lo || !s->v[i].has_hi || datum_cmp(&s->v[i].lo, &s->v[i].hi) != 0)
            return false;
    }
    return true;
}

bool iset_has(const struct iset *s, const struct datum *d)
{
    if (d->null)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct interval *x = &s->v[i];
        int lo = x->has_lo ? datum_cmp(d, &x->lo) : 1;
        int hi = x->has_hi ? datum_cmp(d, &x->hi) : -1;

        if ((lo > 0 || (lo == 0 && x->lo_incl)) && (hi < 0 || (hi == 0 && x->hi_incl)))
            return true;
    }
    return false;
}
