/* SPDX-License-Identifier: Apache-2.0 */
#include "store/range.h"

#include "store/segment.h"
#include "vec/wide.h"

#include <inttypes.h>

enum { BOUND_LO = 1, BOUND_LO_INCL = 2, BOUND_HI = 4, BOUND_HI_INCL = 8 };

bool range_below(const struct interval *iv, const struct datum *d)
{
    int c;

    if (!iv->has_hi)
        return false;
    c = datum_cmp(&iv->hi, d);
    return c < 0 || (c == 0 && !iv->hi_incl);
}

bool range_above(const struct interval *iv, const struct datum *d)
{
    int c;

    if (!iv->has_lo)
        return false;
    c = datum_cmp(&iv->lo, d);
    return c > 0 || (c == 0 && !iv->lo_incl);
}

/* ---- making ---- */

static size_t range_str_bytes(bool has, const struct datum *d)
{
    return has && type_is_string(d->type) ? d->str.len : 0;
}

static void range_own_str(bool has, struct datum *d, char **to)
{
    if (!has || !type_is_string(d->type))
        return;
    if (d->str.len)
        memcpy(*to, d->str.ptr, d->str.len);
    d->str.ptr = *to;
    *to += d->str.len;
}

struct range *
range_new(struct mem_owner *owner, const struct range *from, uint64_t table_id, uint64_t seq)
{
    size_t bytes = sizeof *from + from->bounds_count * sizeof *from->bounds;
    struct range *r;
    char *strings;

    for (uint32_t i = 0; i < from->bounds_count; i++) {
        const struct interval *iv = &from->bounds[i].iv;
        bytes += range_str_bytes(iv->has_lo, &iv->lo) + range_str_bytes(iv->has_hi, &iv->hi);
    }
    r = mem_calloc(owner, 1, bytes);
    if (!r)
        return NULL;
    atomic_init(&r->refs, 1);
    r->table_id = table_id;
    r->seq = seq;
    r->slab_min = from->slab_min;
    r->slab_max = from->slab_max;
    r->bounds_count = from->bounds_count;
    r->bounds = (struct range_bound *)(r + 1);
    strings = (char *)(r->bounds + r->bounds_count);
    for (uint32_t i = 0; i < from->bounds_count; i++) {
        struct interval *iv = &r->bounds[i].iv;
        r->bounds[i] = from->bounds[i];
        range_own_str(iv->has_lo, &iv->lo, &strings);
        range_own_str(iv->has_hi, &iv->hi, &strings);
    }
    return r;
}

struct range *range_ref(struct range *r)
{
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

void range_unref(struct range *r)
{
    if (r && atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) == 1)
        mem_free(r);
}

bool range_list_add(struct range_list *l, struct range *r, struct mem_owner *owner)
{
    struct range **grown = mem_realloc(owner, l->v, (l->count + 1) * sizeof(struct range *));

    if (!grown)
        return false;
    l->v = grown;
    l->v[l->count++] = range_ref(r);
    return true;
}

bool range_list_copy(const struct range_list *from, struct range_list *ret, struct mem_owner *owner)
{
    *ret = (struct range_list){.count = 0};
    if (from->count == 0)
        return true;
    ret->v = mem_dup(owner, from->v, from->count * sizeof(struct range *));
    if (!ret->v)
        return false;
    ret->count = from->count;
    for (size_t i = 0; i < ret->count; i++)
        (void)range_ref(ret->v[i]);
    return true;
}

void range_list_done(struct range_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        range_unref(l->v[i]);
    mem_free(l->v);
    *l = (struct range_list){.count = 0};
}

/* ---- bytes ---- */

static void range_print_datum(const struct datum *d, struct buf *b)
{
    uint8_t bytes[VEC_WIDE_BYTES_MAX];
    uint32_t len;

    if (type_is_wide(d->type)) {
        len = vec_wide_put(d->type, &d->iv, bytes);
        buf_u32(b, len);
        buf_append(b, bytes, len);
        return;
    }
    if (type_is_string(d->type)) {
        buf_u32(b, d->str.len);
        buf_append(b, d->str.ptr, d->str.len);
    } else {
        buf_u64(b, (uint64_t)d->v.i64); /* of a REAL or DOUBLE: the bits */
    }
}

void range_print(const struct range *r, struct buf *b)
{
    buf_u64(b, (uint64_t)r->slab_min);
    buf_u64(b, (uint64_t)r->slab_max);
    buf_u32(b, r->bounds_count);
    for (uint32_t i = 0; i < r->bounds_count; i++) {
        const struct interval *iv = &r->bounds[i].iv;
        buf_u32(b, r->bounds[i].col_id);
        buf_u8(b, (uint8_t)(iv->has_lo ? iv->lo.type : iv->hi.type));
        buf_u8(b,
               (uint8_t)((iv->has_lo ? BOUND_LO : 0) |
                         (iv->has_lo && iv->lo_incl ? BOUND_LO_INCL : 0) |
                         (iv->has_hi ? BOUND_HI : 0) |
                         (iv->has_hi && iv->hi_incl ? BOUND_HI_INCL : 0)));
        if (iv->has_lo)
            range_print_datum(&iv->lo, b);
        if (iv->has_hi)
            range_print_datum(&iv->hi, b);
    }
}

static struct datum range_parse_datum(struct rd *r, enum type_id type)
{
    struct datum d = {.type = type};
    struct vstr s = {.ptr = NULL};

    if (!type_is_fixed(type)) {
        s.len = rd_u32(r);
        s.ptr = (const char *)rd_bytes(r, s.len);
        if (!s.ptr)
            s.len = 0;
    }
    if (type_is_string(type)) {
        d.str = s;
    } else if (type_is_wide(type)) {
        if (!vec_wide_get(
                type, s.ptr, s.len, type == TYPE_NUMERIC ? (void *)&d.num : (void *)&d.iv))
            r->bad = true;
    } else {
        d.v.i64 = (int64_t)rd_u64(r);
    }
    return d;
}

/* A key may be of it. */
static bool range_type_good(uint8_t type)
{
    return type_storable(type) && !type_is_array((enum type_id)type);
}

static int range_parse_bound(struct rd *r, struct range_bound *b, struct dn_err *err)
{
    struct interval *iv = &b->iv;
    uint8_t type;
    uint8_t flags;

    b->col_id = rd_u32(r);
    type = rd_u8(r);
    flags = rd_u8(r);
    DN_CHECK_DISK(!r->bad && range_type_good(type) && flags <= 15 &&
                      (flags & (BOUND_LO | BOUND_HI)) && (flags & 3) != BOUND_LO_INCL &&
                      (flags & 12) != BOUND_HI_INCL,
                  err,
                  "range tombstone: column %u has type %u, flags %u",
                  b->col_id,
                  type,
                  flags);
    iv->has_lo = flags & BOUND_LO;
    iv->lo_incl = flags & BOUND_LO_INCL;
    iv->has_hi = flags & BOUND_HI;
    iv->hi_incl = flags & BOUND_HI_INCL;
    if (iv->has_lo)
        iv->lo = range_parse_datum(r, (enum type_id)type);
    if (iv->has_hi)
        iv->hi = range_parse_datum(r, (enum type_id)type);
    DN_CHECK_DISK(!r->bad, err, "range tombstone: cut short");
    return DN_OK;
}

int range_parse(struct rd *r,
                struct mem_owner *owner,
                uint64_t table_id,
                uint64_t seq,
                struct range **ret,
                struct dn_err *err)
{
    struct range g = {.slab_min = (int64_t)rd_u64(r)};
    int rc = DN_OK;

    g.slab_max = (int64_t)rd_u64(r);
    g.bounds_count = rd_u32(r);
    DN_CHECK_DISK(!r->bad && g.bounds_count <= RANGE_BOUNDS_MAX,
                  err,
                  "range tombstone: bad head, %u bounds",
                  g.bounds_count);
    g.bounds = mem_calloc(owner, g.bounds_count, sizeof *g.bounds);
    if (!g.bounds)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == DN_OK && i < g.bounds_count; i++)
        rc = range_parse_bound(r, &g.bounds[i], err);
    if (rc == DN_OK && rd_left(r))
        rc = DN_FAIL(err, DN_E_CORRUPT, "range tombstone: %zu bytes left over", rd_left(r));
    if (rc == DN_OK) {
        *ret = range_new(owner, &g, table_id, seq);
        rc = *ret ? DN_OK : DN_FAIL_NOMEM(err);
    }
    mem_free(g.bounds);
    return rc;
}

int range_check(const struct range *r, const struct table *t, struct dn_err *err)
{
    for (uint32_t i = 0; i < r->bounds_count; i++) {
        const struct interval *iv = &r->bounds[i].iv;
        int c = table_column_by_id(t, r->bounds[i].col_id);
        DN_CHECK_DISK(c >= 0 && t->columns[c].key_pos &&
                          TYPE_BASE(iv->has_lo ? iv->lo.type : iv->hi.type) ==
                              TYPE_BASE(t->columns[c].type),
                      err,
                      "range tombstone of table \"%s\": column %u is not one of its key",
                      t->name,
                      r->bounds[i].col_id);
    }
    return DN_OK;
}

/* ---- meaning ---- */

static void range_place(const struct table *t, const struct range_bound *b, struct range_on *g)
{
    struct range_part part = {.iv = &b->iv};

    for (uint16_t k = 0; k < t->series_count; k++)
        if (t->columns[t->series[k]].id == b->col_id) {
            part.place = k;
            g->series[g->series_count++] = part;
            return;
        }
    for (uint16_t k = 0; k < t->rest_count; k++)
        if (t->columns[t->rest[k].col].id == b->col_id) {
            part.place = k;
            g->rest[g->rest_count++] = part;
            return;
        }
}

int range_resolve(const struct table *t,
                  const struct range_list *list,
                  struct mem_owner *owner,
                  struct range_on **ret,
                  uint32_t *ret_count,
                  struct dn_err *err)
{
    struct range_part *parts;
    struct range_on *on;
    size_t bounds = 0;
    uint32_t n = 0;

    *ret = NULL;
    *ret_count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->v[i]->table_id != t->id)
            continue;
        bounds += list->v[i]->bounds_count;
        n++;
    }
    if (n == 0)
        return DN_OK;
    on = mem_calloc(owner, 1, n * sizeof *on + 2 * bounds * sizeof *parts);
    if (!on)
        return DN_FAIL_NOMEM(err);
    parts = (struct range_part *)(on + n);
    n = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct range *r = list->v[i];
        int rc;
        if (r->table_id != t->id)
            continue;
        rc = range_check(r, t, err);
        if (rc < 0) {
            mem_free(on);
            return rc;
        }
        on[n] = (struct range_on){.r = r, .series = parts, .rest = parts + r->bounds_count};
        parts += 2 * (size_t)r->bounds_count;
        for (uint32_t k = 0; k < r->bounds_count; k++)
            range_place(t, &r->bounds[k], &on[n]);
        n++;
    }
    *ret = on;
    *ret_count = n;
    return DN_OK;
}

bool range_on_run(const struct range_on *g, int64_t slab, range_value_fn series, const void *arg)
{
    if (slab < g->r->slab_min || slab > g->r->slab_max)
        return false;
    for (uint16_t i = 0; i < g->series_count; i++) {
        struct datum d = series(arg, g->series[i].place);
        if (!range_has(g->series[i].iv, &d))
            return false;
    }
    return true;
}

bool range_on_row(const struct range_on *g, range_value_fn rest, const void *arg)
{
    for (uint16_t i = 0; i < g->rest_count; i++) {
        struct datum d = rest(arg, g->rest[i].place);
        if (!range_has(g->rest[i].iv, &d))
            return false;
    }
    return true;
}

int range_on_segment(const struct range *r, const struct table *t, const struct seg_meta *m)
{
    bool all = m->seq_max < r->seq && m->slab_min >= r->slab_min && m->slab_max <= r->slab_max;

    if (m->table_id != r->table_id || r->seq <= m->applied || r->seq <= m->seq_min ||
        m->slab_max < r->slab_min || m->slab_min > r->slab_max)
        return -1;
    for (uint32_t i = 0; i < r->bounds_count; i++) {
        const struct interval *iv = &r->bounds[i].iv;
        int c = table_column_by_id(t, r->bounds[i].col_id);
        struct datum lo;
        struct datum hi;
        if (c < 0 || c != t->time_col || !t->columns[c].key_pos) {
            all = false;
            continue;
        }
        lo = (struct datum){.type = t->columns[c].type, .v.i64 = m->time_min};
        hi = (struct datum){.type = lo.type, .v.i64 = m->time_max};
        if (range_below(iv, &lo) || range_above(iv, &hi))
            return -1;
        all = all && range_has(iv, &lo) && range_has(iv, &hi);
    }
    return all;
}

bool range_meets(const struct range *a, const struct range *b)
{
    if (a->table_id != b->table_id || a->slab_max < b->slab_min || b->slab_max < a->slab_min)
        return false;
    for (uint32_t i = 0; i < a->bounds_count; i++)
        for (uint32_t k = 0; k < b->bounds_count; k++) {
            const struct interval *x = &a->bounds[i].iv;
            const struct interval *y = &b->bounds[k].iv;
            if (a->bounds[i].col_id != b->bounds[k].col_id)
                continue;
            if ((y->has_lo && range_below(x, &y->lo)) || (x->has_lo && range_below(y, &x->lo)))
                return false;
        }
    return true;
}
