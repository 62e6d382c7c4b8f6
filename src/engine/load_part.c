/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/load_part.h"
#include "engine/intake_late.h"

#include "base/hash.h"
#include "vec/numeric.h"

#include <inttypes.h>
#include <string.h>

#define GROUP_ROWS_MIN   256u /* fewer rows are not worth it */
#define GROUP_SERIES_MIN 4u   /* rows of a series, on average, for it to help */

struct group {
    const struct csv_parser *p;
    struct arena arena; /* of the numbers below */
    struct vec *vecs;   /* of the columns that make the series */
    uint32_t vecs_count;
    uint32_t *series; /* by row: number */
    uint32_t *firsts; /* by series: its first row */
    uint32_t *starts; /* by series: rows, then the place of the next one */
    uint32_t *order;  /* rows, grouped; NULL = as they are */
    uint32_t count;   /* of series */
    uint32_t *slots;  /* hash table: series + 1 */
    uint32_t mask;
    bool desc; /* the time goes down in the key: turn each series round */
};

/* ---- which series ---- */

static uint64_t group_hash_one(const struct vec *v, uint32_t row)
{
    struct vstr s;
    uint64_t head = 0;
    uint64_t tail = 0;

    if (!type_is_string(v->type)) {
        struct datum d = vec_datum(v, row);

        if (type_is_wide(v->type))
            return v->type == TYPE_NUMERIC ? vnumeric_hash(d.num) : vinterval_hash(d.iv);
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

/* ---- order ---- */

/* The columns of the series that are in the file; the others have their default in every row. */
static bool group_vecs(struct group *g)
{
    const struct intake_target *to = g->p->layout->to;
    const struct table *t = to->table;

    g->vecs = arena_calloc(&g->arena, t->series_count + 1u, sizeof(*g->vecs));
    for (uint16_t i = 0; g->vecs && i < t->series_count; i++)
        for (uint32_t k = 0; k < to->cols_count; k++)
            if (to->cols[k] == t->series[i])
                g->vecs[g->vecs_count++] = csv_parser_vec(g->p, k);
    return g->vecs != NULL;
}

static bool group_alloc(struct group *g)
{
    uint32_t rows = g->p->rows;
    uint32_t slots = 512;

    while (slots < 2 * rows)
        slots *= 2;
    g->mask = slots - 1;
    g->series = arena_alloc_array(&g->arena, rows, sizeof(uint32_t));
    g->firsts = arena_alloc_array(&g->arena, rows, sizeof(uint32_t));
    g->starts = arena_alloc_array(&g->arena, rows, sizeof(uint32_t));
    g->slots = arena_calloc(&g->arena, slots, sizeof(uint32_t));
    return g->series && g->firsts && g->starts && g->slots;
}

/* Numbers the rows' series; false: they are grouped as they are, or there are too many. */
static bool group_number(struct group *g)
{
    bool grouped = true;
    uint32_t last = 0;

    for (uint32_t row = 0; row < g->p->rows; row++) {
        if (row == 0 || !group_same(g, row - 1, row)) {
            uint32_t before = g->count;

            last = group_series_of(g, row);
            grouped = grouped && last == before;
        }
        g->series[row] = last;
        g->starts[last]++;
        if (g->count > g->p->rows / GROUP_SERIES_MIN)
            return false;
    }
    return !grouped || g->desc;
}

static bool group_sort(struct group *g)
{
    uint32_t at = 0;

    g->order = arena_alloc_array(&g->arena, g->p->rows, sizeof(uint32_t));
    if (!g->order)
        return false;
    for (uint32_t i = 0; i < g->count; i++) {
        at += g->starts[i];
        g->starts[i] = g->desc ? at : at - g->starts[i];
    }
    for (uint32_t row = 0; row < g->p->rows; row++) {
        uint32_t *start = &g->starts[g->series[row]];

        g->order[g->desc ? --*start : (*start)++] = row;
    }
    return true;
}

/* In a descending key a file in the order of time is turned round, but rows with the same time must
 * not be: the later one wins. */
static bool group_turns(const struct group *g)
{
    const struct intake_target *to = g->p->layout->to;
    const struct table *t = to->table;
    struct vec v;
    const int64_t *key;

    if (t->rest_count != 1 || !t->rest[0].desc)
        return false;
    for (uint32_t k = 0; k < to->cols_count; k++) {
        if (to->cols[k] != t->rest[0].col)
            continue;
        v = csv_parser_vec(g->p, k);
        if (type_phys(v.type) != PHYS_I64)
            return false;
        key = v.data;
        for (uint32_t row = 1; row < g->p->rows; row++)
            if (key[row] < key[row - 1] ||
                (key[row] == key[row - 1] && group_same(g, row - 1, row)))
                return false;
        return true;
    }
    return false;
}

/* False: out of memory. */
static bool group_order(struct group *g)
{
    const struct table *t = g->p->layout->to->table;

    /* What is evaluated for each row (nextval) goes by the order of the file. */
    if (t->form == KEY_NONE || g->p->rows < GROUP_ROWS_MIN || g->p->layout->to->evaluates)
        return true;
    if (!group_vecs(g))
        return false;
    g->desc = group_turns(g);
    if (g->vecs_count == 0 && !g->desc)
        return true;
    if (!group_alloc(g))
        return false;
    return group_number(g) ? group_sort(g) : true;
}

/* ---- packing ---- */

static void
part_move(const void *from, void *to, const uint32_t *order, uint32_t rows, uint32_t size)
{
    if (!order) {
        memcpy(to, from, (size_t)rows * size);
        return;
    }
    switch (size) {
    case 8:
        for (uint32_t i = 0; i < rows; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)from)[order[i]];
        break;
    case sizeof(struct vstr):
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

/* Neighbours that are the same string, told by its place, go on sharing it. */
static bool part_own_strings(struct load_part *part, struct vstr *s, uint32_t rows)
{
    struct vstr from = {.ptr = NULL};
    char *own = NULL;

    for (uint32_t i = 0; i < rows; i++) {
        if (s[i].len == 0)
            continue; /* "" is nobody's */
        if (s[i].ptr != from.ptr || s[i].len != from.len) {
            from = s[i];
            own = arena_dup(&part->arena, from.ptr, from.len);
            if (!own)
                return false;
            part->rows.bytes += from.len;
        }
        s[i].ptr = own;
    }
    return true;
}

static bool
part_col(struct load_part *part, const struct vec *v, const uint32_t *order, struct vec *ret)
{
    uint32_t rows = v->count;
    uint32_t size = phys_size(type_phys(v->type));
    void *data = arena_alloc_array(&part->arena, rows, size);
    uint64_t *nulls =
        v->nulls ? arena_calloc(&part->arena, VEC_BITMAP_WORDS(rows), sizeof(*nulls)) : NULL;

    if (!data || (v->nulls && !nulls))
        return false;
    part->rows.bytes += (size_t)rows * size;
    part_move(v->data, data, order, rows, size);
    for (uint32_t i = 0; nulls && i < rows; i++)
        if (vec_bit(v->nulls, order ? order[i] : i))
            vec_bit_set(nulls, i);
    *ret = *v;
    ret->data = data;
    ret->nulls = nulls;
    return !type_is_string(v->type) || part_own_strings(part, data, rows);
}

static bool part_fill(struct load_part *part, const struct csv_parser *p, const uint32_t *order)
{
    const struct intake_target *to = p->layout->to;
    struct vec *cols = arena_calloc(&part->arena, to->table->columns_count, sizeof(*cols));
    struct shard_batch batch;

    if (!cols)
        return false;
    for (uint32_t i = 0; i < to->cols_count; i++) {
        struct vec v = csv_parser_vec(p, i);

        if (!part_col(part, &v, order, &cols[to->cols[i]]))
            return false;
    }
    part->columns = cols;
    part->rows.cols = cols;
    part->rows.rows = p->rows;
    if (to->evaluates)
        return true;
    if (intake_complete(to, cols, p->rows, NULL, &part->arena, &batch, NULL) < 0)
        return false;
    part->rows.op = batch.op;
    return true;
}

static int part_evaluate(struct load_part *part,
                         const struct intake_target *to,
                         const struct intake_run *run,
                         struct dn_err *err)
{
    struct shard_batch batch;
    uint32_t bad;
    int rc = 0;

    for (uint16_t i = 0; rc == 0 && i < to->table->columns_count; i++) {
        if (to->listed[i] || !to->defaults[i])
            continue;
        rc = intake_default_vec(to, i, run, part->rows.rows, &part->arena, &part->columns[i], err);
        part->rows.bytes +=
            (size_t)part->rows.rows * phys_size(type_phys(to->table->columns[i].type));
    }
    if (rc == 0)
        rc = intake_complete(to, part->columns, part->rows.rows, run, &part->arena, &batch, err);
    if (rc == 0)
        part->rows.op = batch.op;
    if (rc == 0)
        rc = intake_checks_run(&to->checks, part->columns, part->rows.rows, run, &bad, err);
    if (rc == DN_E_CHECK_VIOLATION)
        dn_err_prefix(err, "row %" PRIu64, run->first + bad);
    return rc;
}

int load_part_evaluate(struct load_part *part,
                       const struct intake_target *to,
                       struct intake_run *run,
                       struct dn_err *err)
{
    uint32_t rows = part->rows.rows;
    struct shard_batch b;
    int rc = to->evaluates ? part_evaluate(part, to, run, err) : 0;

    if (rc < 0)
        return rc;
    b = (struct shard_batch){
        .table = to->table, .cols = part->columns, .rows = rows, .op = part->rows.op};
    rc = intake_late(run, false, &part->arena, &b, err); /* they are not in the order of the text */
    if (rc < 0)
        return rc;
    part->rows.cols = b.cols;
    part->rows.rows = b.rows;
    run->first += rows;
    *run->late += rows - b.rows;
    return 0;
}

static void part_release(void *arg)
{
    load_part_free(arg);
}

struct load_part *load_part_new(const struct csv_parser *p, struct mem_owner *owner)
{
    struct load_part *part = mem_calloc(owner, 1, sizeof(*part));
    struct group g = {.p = p};
    bool ok;

    if (!part)
        return NULL;
    part->owner = owner;
    part->rows.release = part_release;
    part->rows.arg = part;
    arena_init(&part->arena, owner);
    arena_init(&g.arena, owner);
    ok = group_order(&g) && part_fill(part, p, g.order);
    part->series = g.count;
    arena_done(&g.arena);
    if (!ok) {
        load_part_free(part);
        return NULL;
    }
    return part;
}

void load_part_free(struct load_part *part)
{
    if (!part)
        return;
    arena_done(&part->arena);
    mem_free(part);
}
