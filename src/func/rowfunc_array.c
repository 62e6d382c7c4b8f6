/* SPDX-License-Identifier: Apache-2.0
 *
 * rowfunc_array.c: unnest, generate_subscripts, and a single value as rows. An array is taken apart
 * once, at the start. */
#include "func/func_array.h"
#include "func/func_int.h"

/* ---- unnest ---- */

struct unnest {
    struct varray a;
    uint32_t at;
};

static int unnest_read(struct rowfunc_call *c, struct varray *ret, struct dn_err *err)
{
    struct func_ctx ctx = {
        .arena = c->run, .now_ns = c->now_ns, .session = c->session, .pos = c->pos};

    return func_array_read(&ctx, c->args[0].str, c->args[0].type, ret, err);
}

static int unnest_start(struct rowfunc_call *c, struct dn_err *err)
{
    struct unnest *u = c->state;

    return unnest_read(c, &u->a, err);
}

/* Values as a FLAT vector. */
static int rows_of(const struct datum *items,
                   uint32_t n,
                   enum type_id type,
                   struct arena *arena,
                   struct vec *ret,
                   struct dn_err *err)
{
    void *data = arena_alloc_array(arena, n, phys_size(type_phys(type)));
    uint64_t *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(n), sizeof *nulls);

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        datum_store(&items[i], data, i);
        if (items[i].null)
            vec_bit_set(nulls, i);
    }
    *ret = (struct vec){.type = type, .form = VEC_FLAT, .count = n, .data = data, .nulls = nulls};
    return 0;
}

static int unnest_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct unnest *u = c->state;
    uint32_t left = u->a.count - u->at;
    uint32_t n = left < max ? left : max;

    if (n == 0)
        return DN_EOF;
    u->at += n;
    return rows_of(u->a.items + (u->at - n), n, c->type, arena, ret, err);
}

/* ---- generate_subscripts ---- */

struct subscripts {
    int64_t next;
    int64_t last;
    bool down;
};

static int subscripts_start(struct rowfunc_call *c, struct dn_err *err)
{
    struct subscripts *s = c->state;
    int64_t dim = c->args[1].v.i64;
    struct varray a;
    int64_t low, high;
    int rc = unnest_read(c, &a, err);

    if (rc < 0)
        return rc;
    s->down = c->args_count > 2 && c->args[2].v.i64 != 0;
    s->next = s->down ? 0 : 1;
    s->last = s->down ? 1 : 0; /* nothing */
    if (dim < 1 || dim > (int64_t)a.dims)
        return 0;
    low = a.low[dim - 1];
    high = low + a.len[dim - 1] - 1;
    s->next = s->down ? high : low;
    s->last = s->down ? low : high;
    return 0;
}

static int subscripts_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct subscripts *s = c->state;
    int32_t *data = arena_alloc_array(arena, max, sizeof *data);
    uint32_t n = 0;

    if (!data)
        return DN_FAIL_NOMEM(err);
    for (; n < max && (s->down ? s->next >= s->last : s->next <= s->last);
         s->next += s->down ? -1 : 1)
        data[n++] = (int32_t)s->next;
    *ret = (struct vec){.type = TYPE_INTEGER, .form = VEC_FLAT, .count = n, .data = data};
    return n ? 0 : DN_EOF;
}

/* ---- _pg_expandarray ---- */

/* Elements with their numbers: rows (x, n), kept as bytes of a BIGINT[]. */
static int expand_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct unnest *u = c->state;
    struct func_ctx ctx = {
        .arena = arena, .now_ns = c->now_ns, .session = c->session, .pos = c->pos};
    uint32_t left = u->a.count - u->at;
    uint32_t n = left < max ? left : max;
    struct vstr *data = arena_calloc(arena, (size_t)n + 1, sizeof *data);
    int rc = data ? 0 : DN_FAIL_NOMEM(err);

    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        struct datum row[2] = {u->a.items[u->at + i],
                               {.type = TYPE_BIGINT, .v = {.i64 = (int64_t)(u->at + i) + 1}}};
        struct varray pair = varray_flat(TYPE_BIGINT, row, 2);

        row[0].type = TYPE_BIGINT;
        rc = func_array_write(&ctx, &pair, &data[i], err);
    }
    u->at += n;
    *ret = (struct vec){.type = c->type, .form = VEC_FLAT, .count = n, .data = data};
    return rc < 0 ? rc : n ? 0 : DN_EOF;
}

/* ---- pg_partition_ancestors: partitions are no tables here, so nothing has any ---- */

static int none_next(struct rowfunc_call *c DN_UNUSED,
                     struct arena *arena DN_UNUSED,
                     uint32_t max DN_UNUSED,
                     struct vec *ret,
                     struct dn_err *err DN_UNUSED)
{
    *ret = (struct vec){.type = TYPE_REGCLASS, .form = VEC_FLAT};
    return DN_EOF;
}

/* ---- a single value ---- */

static int single_start(struct rowfunc_call *c DN_UNUSED, struct dn_err *err DN_UNUSED)
{
    return 0;
}

static int single_next(struct rowfunc_call *c,
                       struct arena *arena,
                       uint32_t max DN_UNUSED,
                       struct vec *ret,
                       struct dn_err *err)
{
    bool *done = c->state;

    if (*done)
        return DN_EOF;
    *done = true;
    return rows_of(c->args, 1, c->type, arena, ret, err);
}

const struct rowfunc rowfunc_single = {
    .name = "single",
    .args = {TYPE_NONE},
    .args_count = 1,
    .result = TYPE_NONE,
    .state_size = sizeof(bool),
    .start = single_start,
    .next = single_next,
    .doc = "The value as one row.",
};

/* ---- the table ---- */

static const struct rowfunc rowfunc_rows[] = {
    {.name = "unnest",
     .args = {TYPE_ANY_ARRAY},
     .args_count = 1,
     .result = TYPE_ANY_ELEMENT,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct unnest),
     .start = unnest_start,
     .next = unnest_next,
     .doc = "The elements of an array, the last dimension fastest. In FROM several arrays may be "
            "given: their elements come side by side.",
     .example = "unnest(ARRAY[10, 20]) = 10, 20"},
    {.name = "generate_subscripts",
     .args = {TYPE_ANY_ARRAY, TYPE_INTEGER},
     .args_count = 2,
     .result = TYPE_INTEGER,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct subscripts),
     .start = subscripts_start,
     .next = subscripts_next,
     .doc = "The subscripts of a dimension of an array.",
     .example = "generate_subscripts(ARRAY[10, 20], 1) = 1, 2"},
    {.name = "generate_subscripts",
     .args = {TYPE_ANY_ARRAY, TYPE_INTEGER, TYPE_BOOLEAN},
     .args_count = 3,
     .result = TYPE_INTEGER,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct subscripts),
     .start = subscripts_start,
     .next = subscripts_next,
     .doc = "The same; from the last to the first if the third argument is true.",
     .example = "generate_subscripts(ARRAY[10, 20], 1, true) = 2, 1"},
    {.name = "_pg_expandarray",
     .args = {(enum type_id)(TYPE_SMALLINT | TYPE_ARRAY)},
     .args_count = 1,
     .result = TYPE_EXPANDED,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct unnest),
     .start = unnest_start,
     .next = expand_next,
     .doc = "The elements of an array with their numbers: rows (x, n).",
     .example = "_pg_expandarray(CAST('{7,8}' AS SMALLINT[])) = (7,1), (8,2)"},
    {
        .name = "_pg_expandarray",
        .args = {(enum type_id)(TYPE_OID | TYPE_ARRAY)},
        .args_count = 1,
        .result = TYPE_EXPANDED,
        .flags = FUNC_STRICT,
        .state_size = sizeof(struct unnest),
        .start = unnest_start,
        .next = expand_next,
        .doc = "The elements of an array with their numbers: rows (x, n).",
    },
    {.name = "pg_partition_ancestors",
     .args = {TYPE_OID},
     .args_count = 1,
     .result = TYPE_REGCLASS,
     .flags = FUNC_STRICT,
     .state_size = sizeof(bool),
     .start = single_start,
     .next = none_next,
     .column = "relid",
     .doc = "No rows: partitions are no tables of their own."},
};

const struct rowfunc_table rowfunc_table_array = {rowfunc_rows, DN_ARRAY_SIZE(rowfunc_rows)};
