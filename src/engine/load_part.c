/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/load_part.h"
#include "engine/intake_late.h"

#include "base/hash.h"
#include "vec/numeric.h"

#include <inttypes.h>
#include <string.h>

#define GROUP_ROWS_MIN   256u /* fewer rows are not worth it */
#define GROUP_SERIES_MIN 4u   /* rows of a series, on average, for it to help */
#define GROUP_SIGN       0x8000000000000000u
#define GROUP_TOKEN_BITS 12u /* of tokens, that rows of very many series are put in order by */

#define DICT_MAX        4096u /* different texts of a column that are kept once … */
#define DICT_SLOTS      8192u
#define DICT_ROWS       8u   /* … with at least so many rows for each … */
#define DICT_PLACE_BITS 9u   /* places of texts that are remembered */
#define DICT_FIRST      256u /* … but so many in any case, until the column has more rows */

/* Where a text was seen. */
struct dict_place {
    const char *ptr; /* NULL: none was */
    uint32_t len;
    uint16_t code;
};

/* The different texts of a column. */
struct part_dict {
    uint32_t count;
    struct vstr entries[DICT_MAX];
    uint16_t slots[DICT_SLOTS]; /* entry + 1 */
    struct dict_place places[1u << DICT_PLACE_BITS];
    uint16_t *codes; /* by row */
};

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
    struct part_dict *dict; /* of one column after the other; NULL: columns stay FLAT */
    bool desc;              /* the time goes down in the key: turn each series round */
};

/* ---- which series ---- */

static uint64_t group_hash_text(struct vstr s)
{
    uint64_t head = 0;
    uint64_t tail = 0;

    if (s.len >= 8) {
        memcpy(&head, s.ptr, 8);
        memcpy(&tail, s.ptr + s.len - 8, 8);
    } else {
        memcpy(&head, s.ptr, s.len);
    }
    return head ^ (tail << 21 | tail >> 43) ^ s.len;
}

static bool group_same_text(struct vstr x, struct vstr y)
{
    return x.len == y.len && (x.ptr == y.ptr || memcmp(x.ptr, y.ptr, x.len) == 0);
}

static uint64_t group_hash_one(const struct vec *v, uint32_t row)
{

    if (!type_is_string(v->type)) {
        struct datum d = vec_datum(v, row);

        if (type_is_wide(v->type))
            return v->type == TYPE_NUMERIC ? vnumeric_hash(d.num) : vinterval_hash(d.iv);
        return type_is_float(v->type) ? (uint64_t)(d.v.f64 == 0 ? 0 : d.v.i64) : (uint64_t)d.v.i64;
    }
    return group_hash_text(((const struct vstr *)v->data)[row]);
}

static bool group_same_one(const struct vec *v, uint32_t a, uint32_t b)
{
    if (!type_is_string(v->type)) {
        struct datum da = vec_datum(v, a);
        struct datum db = vec_datum(v, b);

        return datum_cmp(&da, &db) == 0;
    }
    return group_same_text(((const struct vstr *)v->data)[a], ((const struct vstr *)v->data)[b]);
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

/* Very many series: the store sorts the rows of all parts by token. Rows that are roughly in that
 * order it finds next to each other. False: out of memory. */
static bool group_by_token(struct group *g)
{
    const struct table *t = g->p->layout->to->table;
    struct datum *values = arena_alloc_array(&g->arena, t->series_count + 1u, sizeof(*values));
    uint32_t *starts = arena_calloc(&g->arena, (1u << GROUP_TOKEN_BITS) + 1, sizeof(*starts));
    struct buf scratch;

    if (g->vecs_count < t->series_count) /* the others have defaults */
        return true;
    g->order = arena_alloc_array(&g->arena, g->p->rows, sizeof(uint32_t));
    if (!values || !starts || !g->order)
        return false;
    buf_init(&scratch, g->arena.owner);
    for (uint32_t row = 0; row < g->p->rows; row++) {
        for (uint16_t i = 0; i < t->series_count; i++)
            values[i] = vec_datum(&g->vecs[i], row);
        /* token order is that of signed numbers */
        g->series[row] =
            (uint32_t)(((uint64_t)table_series_token(t, values, &scratch) ^ GROUP_SIGN) >>
                       (64 - GROUP_TOKEN_BITS));
        starts[g->series[row] + 1]++;
    }
    for (uint32_t i = 0; i < 1u << GROUP_TOKEN_BITS; i++)
        starts[i + 1] += starts[i];
    for (uint32_t row = 0; row < g->p->rows; row++)
        g->order[starts[g->series[row]]++] = row;
    buf_done(&scratch);
    return !scratch.failed;
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

/* Room for numbers of texts; expressions want the columns as they are. False: out of memory. */
static bool group_dict(struct group *g)
{
    if (g->p->rows < GROUP_ROWS_MIN || g->p->layout->to->evaluates)
        return true;
    g->dict = arena_alloc(&g->arena, sizeof(*g->dict));
    if (g->dict)
        g->dict->codes = arena_alloc_array(&g->arena, g->p->rows, sizeof(*g->dict->codes));
    return g->dict && g->dict->codes;
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
    if (group_number(g))
        return group_sort(g);
    return g->count > g->p->rows / GROUP_SERIES_MIN ? group_by_token(g) : true;
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
    case 2:
        for (uint32_t i = 0; i < rows; i++)
            ((uint16_t *)to)[i] = ((const uint16_t *)from)[order[i]];
        break;
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

/* The number of a text; UINT32_MAX: there are too many for `row` rows. */
static uint32_t dict_put(struct part_dict *d, struct vstr s, uint32_t row)
{
    uint32_t slot = (uint32_t)(dn_mix64(group_hash_text(s)) % DICT_SLOTS);

    while (d->slots[slot] && !group_same_text(d->entries[d->slots[slot] - 1], s))
        slot = (slot + 1) % DICT_SLOTS;
    if (!d->slots[slot]) {
        if (d->count == DICT_MAX || (d->count >= DICT_FIRST && d->count > row / DICT_ROWS))
            return UINT32_MAX;
        d->entries[d->count++] = s;
        d->slots[slot] = (uint16_t)d->count;
    }
    return d->slots[slot] - 1u;
}

/* Numbers the texts of a column; false: they are too many. The parser gives most equal ones one
 * place, so that few are looked at. */
static bool dict_number(struct part_dict *d, const struct vec *v)
{
    const struct vstr *texts = v->data;

    d->count = 0;
    memset(d->slots, 0, sizeof(d->slots));
    memset(d->places, 0, sizeof(d->places));
    for (uint32_t i = 0; i < v->count; i++) {
        struct vstr s = texts[i];
        uint64_t mixed = (uint64_t)(uintptr_t)s.ptr * 0x9e3779b97f4a7c15u;
        struct dict_place *place = &d->places[mixed >> (64 - DICT_PLACE_BITS)];

        if (place->ptr != s.ptr || place->len != s.len) {
            uint32_t code = dict_put(d, s, i);

            if (code == UINT32_MAX)
                return false;
            *place = (struct dict_place){.ptr = s.ptr, .len = s.len, .code = (uint16_t)code};
        }
        d->codes[i] = place->code;
    }
    return true;
}

/* Numbers for the rows; the texts wait in scratch until all columns are there. */
static bool part_dict(struct load_part *part, struct group *g, struct vec *ret)
{
    const struct part_dict *d = g->dict;
    uint16_t *codes;

    ret->data = arena_dup(&g->arena, d->entries, d->count * sizeof(*d->entries));
    ret->dict_count = d->count;
    ret->form = d->count == 1 && !ret->nulls ? VEC_CONST : VEC_DICT;
    if (!ret->data || ret->form == VEC_CONST)
        return ret->data != NULL;
    part->rows.bytes += ret->count * sizeof(*ret->codes);
    codes = arena_alloc_array(&part->arena, ret->count, sizeof(*codes));
    if (!codes)
        return false;
    part_move(d->codes, codes, g->order, ret->count, sizeof(*codes));
    ret->codes = codes;
    return true;
}

/* Neighbours that are the same string, told by its place, go on sharing it; to NULL: only tells
 * how many bytes they need. */
static size_t part_copy_strings(struct vstr *s, uint32_t count, char *to)
{
    struct vstr from = {.ptr = NULL};
    size_t bytes = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (s[i].len == 0)
            continue; /* "" is nobody's */
        if (s[i].ptr != from.ptr || s[i].len != from.len) {
            from = s[i];
            if (to)
                memcpy(to + bytes, from.ptr, from.len);
            bytes += from.len;
        }
        if (to)
            s[i].ptr = to + bytes - from.len;
    }
    return bytes;
}

static bool part_own_strings(struct load_part *part, struct vstr *s, uint32_t count)
{
    size_t bytes = part_copy_strings(s, count, NULL);
    char *to = arena_alloc(&part->arena, bytes + 1);

    part->rows.bytes += bytes;
    return to && part_copy_strings(s, count, to) == bytes;
}

/* The texts of all columns that have few, in one piece. */
static bool part_own_dicts(struct load_part *part, struct vec *cols)
{
    uint16_t count = part->table->columns_count;
    size_t entries = 0;
    struct vstr *to;

    for (uint16_t i = 0; i < count; i++)
        entries += cols[i].dict_count;
    to = arena_alloc_array(&part->arena, entries + 1, sizeof(*to));
    if (!to)
        return false;
    part->rows.bytes += entries * sizeof(*to);
    for (uint16_t i = 0; i < count; i++) {
        if (cols[i].dict_count == 0)
            continue;
        memcpy(to, cols[i].data, cols[i].dict_count * sizeof(*to));
        cols[i].data = to;
        to += cols[i].dict_count;
    }
    return part_own_strings(part, to - entries, (uint32_t)entries);
}

static bool part_col(struct load_part *part, const struct vec *v, struct group *g, struct vec *ret)
{
    const uint32_t *order = g->order;
    uint32_t rows = v->count;
    uint32_t size = phys_size(type_phys(v->type));
    uint64_t *nulls =
        v->nulls ? arena_calloc(&part->arena, VEC_BITMAP_WORDS(rows), sizeof(*nulls)) : NULL;
    void *data;

    if (v->nulls && !nulls)
        return false;
    for (uint32_t i = 0; nulls && i < rows; i++)
        if (vec_bit(v->nulls, order ? order[i] : i))
            vec_bit_set(nulls, i);
    *ret = *v;
    ret->nulls = nulls;
    ret->dict_id = 0; /* entries are moved */
    if (g->dict && type_is_string(v->type) && dict_number(g->dict, v))
        return part_dict(part, g, ret);
    data = arena_alloc_array(&part->arena, rows, size);
    if (!data)
        return false;
    part->rows.bytes += (size_t)rows * size;
    part_move(v->data, data, order, rows, size);
    ret->data = data;
    return !type_is_string(v->type) || part_own_strings(part, data, rows);
}

static bool part_fill(struct load_part *part, const struct csv_parser *p, struct group *g)
{
    const struct intake_target *to = p->layout->to;
    struct vec *cols = arena_calloc(&part->arena, to->table->columns_count, sizeof(*cols));
    struct shard_batch batch;

    if (!cols)
        return false;
    for (uint32_t i = 0; i < to->cols_count; i++) {
        struct vec v = csv_parser_vec(p, i);

        if (!part_col(part, &v, g, &cols[to->cols[i]]))
            return false;
    }
    if (g->dict && !part_own_dicts(part, cols))
        return false;
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
    part->table = p->layout->to->table;
    part->rows.release = part_release;
    part->rows.arg = part;
    arena_init(&part->arena, owner);
    arena_init(&g.arena, owner);
    ok = group_order(&g) && group_dict(&g) && part_fill(part, p, &g);
    part->series = g.count;
    part->grouped = g.count <= p->rows / GROUP_SERIES_MIN;
    arena_done(&g.arena);
    if (!ok) {
        load_part_free(part);
        return NULL;
    }
    return part;
}

int load_part_flatten(struct load_part *part, struct dn_err *err)
{
    uint16_t count = part->table->columns_count;
    struct vec *cols = arena_dup(&part->arena, part->rows.cols, count * sizeof(*cols));

    for (uint16_t i = 0; cols && i < count; i++)
        if (cols[i].form == VEC_DICT &&
            !vec_flatten(&part->arena, &part->rows.cols[i], NULL, part->rows.rows, &cols[i]))
            cols = NULL;
    if (!cols)
        return DN_FAIL_NOMEM(err);
    part->rows.cols = cols;
    return 0;
}

void load_part_free(struct load_part *part)
{
    if (!part)
        return;
    arena_done(&part->arena);
    mem_free(part);
}
