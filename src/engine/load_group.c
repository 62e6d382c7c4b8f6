/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/load_group.h"

#include "base/hash.h"

#include <string.h>

#define GROUP_ROWS_MIN   256u /* fewer rows are not worth it */
#define GROUP_SERIES_MIN 4u   /* rows of a series, on average, for it to help */

struct group {
    struct csv_parser *p;
    struct vec *vecs; /* of the columns that make the series */
    uint32_t vecs_count;
    uint32_t *series; /* by row: number */
    uint32_t *firsts; /* by series: its first row */
    uint32_t *starts; /* by series: rows, then the place of the next one */
    uint32_t *order;  /* rows, grouped */
    uint32_t count;   /* of series */
    uint32_t *slots;  /* hash table: series + 1 */
    uint32_t mask;
};

/* ---- which series ---- */

static uint64_t group_hash_one(const struct vec *v, uint32_t row)
{
    struct vstr s;
    uint64_t head = 0;
    uint64_t tail = 0;

    if (!type_is_string(v->type)) {
        struct datum d = vec_datum(v, row);

        return type_is_float(v->type) ? (uint64_t)(d.v.f64 == 0 ? 0 : d.v.i64) : (uint64_t)d.v.i64;
    }
    s = ((const struct vstr *)v->data)[row];
    if (s.len >= 8) {
        memcpy(&head, s.ptr, 8);
        memcpy(&tail, s.ptr + s.len - 8, 8);
    } else {
        memcpy(&head, s.ptr, s.len);
    }
    return head ^ (tail << 21 | tail >> 43) ^ s.len;
}

static bool group_same_one(const struct vec *v, uint32_t a, uint32_t b)
{
    struct vstr x;
    struct vstr y;

    if (!type_is_string(v->type)) {
        struct datum da = vec_datum(v, a);
        struct datum db = vec_datum(v, b);

        return datum_cmp(&da, &db) == 0;
    }
    x = ((const struct vstr *)v->data)[a];
    y = ((const struct vstr *)v->data)[b];
    return x.len == y.len && (x.ptr == y.ptr || memcmp(x.ptr, y.ptr, x.len) == 0);
}

static bool group_same(const struct group *g, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < g->vecs_count; i++)
        if (!group_same_one(&g->vecs[i], a, b))
            return false;
    return true;
}

static uint32_t group_series_of(struct group *g, uint32_t row)
{
    uint64_t h = 0;
    uint32_t slot;

    for (uint32_t i = 0; i < g->vecs_count; i++)
        h = dn_mix64(h ^ group_hash_one(&g->vecs[i], row));
    for (slot = (uint32_t)h & g->mask; g->slots[slot]; slot = (slot + 1) & g->mask)
        if (group_same(g, g->firsts[g->slots[slot] - 1], row))
            return g->slots[slot] - 1;
    g->firsts[g->count] = row;
    g->starts[g->count] = 0;
    g->slots[slot] = g->count + 1;
    return g->count++;
}

/* ---- moving rows ---- */

static void
group_move(const void *from, void *to, const uint32_t *order, uint32_t rows, uint32_t size)
{
    switch (size) {
    case 8:
        for (uint32_t i = 0; i < rows; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)from)[order[i]];
        break;
    case 16:
        for (uint32_t i = 0; i < rows; i++)
            ((struct vstr *)to)[i] = ((const struct vstr *)from)[order[i]];
        break;
    default:
        for (uint32_t i = 0; i < rows; i++)
            memcpy(
                (char *)to + (size_t)i * size, (const char *)from + (size_t)order[i] * size, size);
        break;
    }
}

static bool group_col(struct group *g, struct colbuf *c, uint32_t rows)
{
    uint32_t size = phys_size(type_phys(c->type));
    void *data = mem_alloc_array(g->p->owner, c->cap, size);
    uint64_t *nulls =
        c->nulls ? mem_calloc(g->p->owner, VEC_BITMAP_WORDS(c->cap), sizeof(*nulls)) : NULL;

    if (!data || (c->nulls && !nulls)) {
        mem_free(data);
        mem_free(nulls);
        return false;
    }
    group_move(c->data, data, g->order, rows, size);
    for (uint32_t i = 0; nulls && i < rows; i++)
        if (vec_bit(c->nulls, g->order[i]))
            vec_bit_set(nulls, i);
    mem_free(c->data);
    mem_free(c->nulls);
    c->data = data;
    c->nulls = nulls;
    return true;
}

/* ---- the whole ---- */

/* Where the series' rows are in the file's columns; false: nothing to group by. */
static bool group_vecs(struct group *g, struct arena *arena, bool *ret_ok)
{
    const struct intake_target *to = g->p->layout->to;
    const struct table *t = to->table;

    *ret_ok = true;
    if (t->form == KEY_NONE || t->series_count == 0 || g->p->rows < GROUP_ROWS_MIN)
        return false;
    g->vecs = arena_calloc(arena, t->series_count, sizeof(*g->vecs));
    *ret_ok = g->vecs != NULL;
    for (uint16_t i = 0; g->vecs && i < t->series_count; i++)
        for (uint32_t k = 0; k < to->cols_count; k++) /* others have their default in every row */
            if (to->cols[k] == t->series[i])
                g->vecs[g->vecs_count++] = csv_parser_vec(g->p, k);
    return g->vecs && g->vecs_count > 0;
}

static bool group_alloc(struct group *g, struct arena *arena)
{
    uint32_t rows = g->p->rows;
    uint32_t slots = 512;

    while (slots < 2 * rows)
        slots *= 2;
    g->mask = slots - 1;
    g->series = arena_alloc_array(arena, rows, sizeof(uint32_t));
    g->firsts = arena_alloc_array(arena, rows, sizeof(uint32_t));
    g->starts = arena_alloc_array(arena, rows, sizeof(uint32_t));
    g->order = arena_alloc_array(arena, rows, sizeof(uint32_t));
    g->slots = arena_calloc(arena, slots, sizeof(uint32_t));
    return g->series && g->firsts && g->starts && g->order && g->slots;
}

/* Numbers the rows' series; false: they are in order, or there are too many. */
static bool group_number(struct group *g)
{
    bool grouped = true;
    uint32_t last = 0;

    for (uint32_t row = 0; row < g->p->rows; row++) {
        if (row == 0 || !group_same(g, row - 1, row)) {
            uint32_t series = group_series_of(g, row);

            grouped = grouped && series + 1 == g->count && series >= last;
            last = series;
        }
        g->series[row] = last;
        g->starts[last]++;
        if (g->count > g->p->rows / GROUP_SERIES_MIN)
            return false;
    }
    return !grouped;
}

static void group_sort(struct group *g)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t rows = g->starts[i];

        g->starts[i] = at;
        at += rows;
    }
    for (uint32_t row = 0; row < g->p->rows; row++)
        g->order[g->starts[g->series[row]]++] = row;
}

bool load_group(struct csv_parser *p)
{
    struct group g = {.p = p};
    bool ok;

    if (!group_vecs(&g, &p->arena, &ok))
        return ok;
    if (!group_alloc(&g, &p->arena))
        return false;
    if (!group_number(&g))
        return true;
    group_sort(&g);
    for (uint32_t i = 0; i < p->layout->to->cols_count; i++)
        if (!group_col(&g, csv_parser_buf(p, i), p->rows))
            return false;
    return true;
}
