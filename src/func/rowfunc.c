/* SPDX-License-Identifier: Apache-2.0
 *
 * rowfunc.c: generate_series and string_to_table, and how row functions are found. A series of
 * integers is counted in batches; any other adds its step with the operator + of SQL, so months are
 * months. */
#include "func/rowfunc.h"

#include "base/bytes.h"
#include "base/text.h"
#include "func/func_int.h"
#include "vec/numeric.h"

#include <string.h>
#include <strings.h>

/* ---- generate_series over integers ---- */

struct series_int {
    int64_t next;
    int64_t stop;
    int64_t step;
    bool done;
};

static int series_zero_step(const struct rowfunc_call *c, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_INVALID_PARAM, "step size cannot equal zero");

    dn_err_at(err, c->pos);
    return rc;
}

static int series_int_start(struct rowfunc_call *c, struct dn_err *err)
{
    struct series_int *s = c->state;

    *s = (struct series_int){.next = c->args[0].v.i64,
                             .stop = c->args[1].v.i64,
                             .step = c->args_count > 2 ? c->args[2].v.i64 : 1};
    return s->step ? 0 : series_zero_step(c, err);
}

static void series_int_put(enum type_id type, void *data, uint32_t at, int64_t v)
{
    if (type_phys(type) == PHYS_I32)
        ((int32_t *)data)[at] = (int32_t)v;
    else
        ((int64_t *)data)[at] = v;
}

static int series_int_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct series_int *s = c->state;
    enum type_id type = c->type;
    void *data = arena_alloc_array(arena, max, phys_size(type_phys(type)));
    uint32_t n = 0;

    if (!data)
        return DN_FAIL_NOMEM(err);
    while (n < max && !s->done && (s->step > 0 ? s->next <= s->stop : s->next >= s->stop)) {
        series_int_put(type, data, n++, s->next);
        s->done = __builtin_add_overflow(s->next, s->step, &s->next);
    }
    *ret = (struct vec){.type = type, .form = VEC_FLAT, .count = n, .data = data};
    return n ? 0 : DN_EOF;
}

/* ---- generate_series by adding ---- */

struct series_add {
    const struct func *add;
    struct datum next;
    struct datum step;
    bool down;
};

/* a + step by the operator. */
static int series_plus(const struct rowfunc_call *c,
                       const struct series_add *s,
                       struct arena *arena,
                       struct datum *a,
                       struct dn_err *err)
{
    struct func_ctx ctx = {
        .arena = arena, .now_ns = c->now_ns, .session = c->session, .pos = c->pos};
    struct vec args[2];
    struct vec out = {.type = s->add->result, .form = VEC_FLAT, .count = 1};
    int rc;

    if (!vec_make_const(arena, a, 1, &args[0]) || !vec_make_const(arena, &s->step, 1, &args[1]))
        return DN_FAIL_NOMEM(err);
    rc = s->add->kernel(&ctx, args, 2, 1, &out, err);
    if (rc == 0)
        *a = vec_datum(&out, 0);
    return rc;
}

static int series_finite(const struct rowfunc_call *c, struct dn_err *err)
{
    static const char *const words[] = {"start value", "stop value", "step size"};
    int rc;

    for (uint32_t i = 0; i < c->args_count; i++)
        if (c->args[i].type == TYPE_NUMERIC && c->args[i].num.special) {
            rc = DN_FAIL(err,
                         DN_E_INVALID_PARAM,
                         "%s cannot be %s",
                         words[i],
                         vnumeric_is_nan(c->args[i].num) ? "NaN" : "infinity");
            dn_err_at(err, c->pos);
            return rc;
        }
    return 0;
}

/* Numbers without a step count by 1. */
static int series_add_start(struct rowfunc_call *c, struct dn_err *err)
{
    struct series_add *s = c->state;
    enum type_id types[2];
    enum type_id casts[2];
    struct datum none;
    int way;
    int rc = series_finite(c, err);

    if (rc < 0)
        return rc;
    s->step = c->args_count > 2 ? c->args[2]
                                : (struct datum){.type = TYPE_NUMERIC, .num = vnumeric_make(1, 0)};
    none = (struct datum){.type = s->step.type};
    way = datum_cmp(&s->step, &none);
    if (way == 0)
        return series_zero_step(c, err);
    types[0] = c->args[0].type;
    types[1] = s->step.type;
    s->add = func_find("+", types, 2, casts, c->pos, err);
    if (!s->add)
        return DN_E_UNDEFINED_FUNCTION;
    DN_ASSERT(casts[0] == types[0] && casts[1] == types[1] && s->add->result == c->fn->result);
    s->down = way < 0;
    s->next = c->args[0];
    return 0;
}

static int series_add_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct series_add *s = c->state;
    enum type_id type = c->type;
    void *data = arena_alloc_array(arena, max, phys_size(type_phys(type)));
    uint32_t n = 0;
    int rc = 0;

    if (!data)
        return DN_FAIL_NOMEM(err);
    while (n < max && rc == 0) {
        int order = datum_cmp(&s->next, &c->args[1]);

        if (s->down ? order < 0 : order > 0)
            break;
        datum_store(&s->next, data, n++);
        rc = series_plus(c, s, arena, &s->next, err);
    }
    if (rc < 0)
        return rc;
    *ret = (struct vec){.type = type, .form = VEC_FLAT, .count = n, .data = data};
    return n ? 0 : DN_EOF;
}

/* ---- string_to_table ---- */

struct split {
    struct vstr left; /* what is not split yet */
    bool done;
};

static int split_start(struct rowfunc_call *c, struct dn_err *err DN_UNUSED)
{
    struct split *s = c->state;

    s->left = c->args[0].str;
    s->done = c->args[0].null || c->args[0].str.len == 0;
    return 0;
}

/* Bytes up to the next delimiter; *skip is its length. */
static uint32_t split_find(const struct rowfunc_call *c, struct vstr s, uint32_t *skip)
{
    const struct datum *by = &c->args[1];

    *skip = 0;
    if (by->null) { /* character by character */
        uint32_t n = 1;

        while (n < s.len && ((uint8_t)s.ptr[n] & 0xc0) == 0x80)
            n++;
        return n;
    }
    for (uint32_t i = 0; by->str.len && i + by->str.len <= s.len; i++)
        if (memcmp(s.ptr + i, by->str.ptr, by->str.len) == 0) {
            *skip = by->str.len;
            return i;
        }
    return s.len;
}

static bool split_is_null(const struct rowfunc_call *c, struct vstr s)
{
    return c->args_count > 2 && !c->args[2].null && vstr_cmp(s, c->args[2].str) == 0;
}

static int split_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct split *s = c->state;
    struct vstr *data = arena_alloc_array(arena, max, sizeof *data);
    uint64_t *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(max), sizeof *nulls);
    uint32_t n = 0;

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (; n < max && !s->done; n++) {
        uint32_t skip;
        uint32_t len = split_find(c, s->left, &skip);

        data[n] = (struct vstr){s->left.ptr, len};
        if (split_is_null(c, data[n]))
            vec_bit_set(nulls, n);
        s->done = len + skip == s->left.len && skip == 0;
        s->left.ptr += len + skip;
        s->left.len -= len + skip;
    }
    *ret = (struct vec){
        .type = TYPE_VARCHAR, .form = VEC_FLAT, .count = n, .data = data, .nulls = nulls};
    return n ? 0 : DN_EOF;
}

/* ---- the table ---- */

#define SERIES_DOC "The numbers from the first argument to the second, by steps of the third (1)."
#define TIMES_DOC  "The times from the first argument to the second, an interval apart."

static const struct rowfunc rowfunc_rows[] = {
    {.name = "generate_series",
     .args = {TYPE_INTEGER, TYPE_INTEGER},
     .args_count = 2,
     .result = TYPE_INTEGER,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_int),
     .start = series_int_start,
     .next = series_int_next,
     .doc = SERIES_DOC,
     .example = "generate_series(1, 3) = 1, 2, 3"},
    {.name = "generate_series",
     .args = {TYPE_INTEGER, TYPE_INTEGER, TYPE_INTEGER},
     .args_count = 3,
     .result = TYPE_INTEGER,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_int),
     .start = series_int_start,
     .next = series_int_next,
     .doc = SERIES_DOC,
     .example = "generate_series(5, 1, -2) = 5, 3, 1"},
    {.name = "generate_series",
     .args = {TYPE_BIGINT, TYPE_BIGINT},
     .args_count = 2,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_int),
     .start = series_int_start,
     .next = series_int_next,
     .doc = SERIES_DOC},
    {.name = "generate_series",
     .args = {TYPE_BIGINT, TYPE_BIGINT, TYPE_BIGINT},
     .args_count = 3,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_int),
     .start = series_int_start,
     .next = series_int_next,
     .doc = SERIES_DOC},
    {.name = "generate_series",
     .args = {TYPE_TIMESTAMP_US, TYPE_TIMESTAMP_US, TYPE_INTERVAL},
     .args_count = 3,
     .result = TYPE_TIMESTAMP_US,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_add),
     .start = series_add_start,
     .next = series_add_next,
     .doc = TIMES_DOC},
    {.name = "generate_series",
     .args = {TYPE_TIMESTAMP_NS, TYPE_TIMESTAMP_NS, TYPE_INTERVAL},
     .args_count = 3,
     .result = TYPE_TIMESTAMP_NS,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_add),
     .start = series_add_start,
     .next = series_add_next,
     .doc = TIMES_DOC},
    {.name = "generate_series",
     .args = {TYPE_NUMERIC, TYPE_NUMERIC},
     .args_count = 2,
     .result = TYPE_NUMERIC,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_add),
     .start = series_add_start,
     .next = series_add_next,
     .doc = SERIES_DOC},
    {.name = "generate_series",
     .args = {TYPE_NUMERIC, TYPE_NUMERIC, TYPE_NUMERIC},
     .args_count = 3,
     .result = TYPE_NUMERIC,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_add),
     .start = series_add_start,
     .next = series_add_next,
     .doc = SERIES_DOC},
    {.name = "generate_series",
     .args = {TYPE_TIMESTAMPTZ, TYPE_TIMESTAMPTZ, TYPE_INTERVAL},
     .args_count = 3,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_add),
     .start = series_add_start,
     .next = series_add_next,
     .doc = TIMES_DOC},
    {.name = "generate_series",
     .args = {TYPE_TIMESTAMP_LOCAL, TYPE_TIMESTAMP_LOCAL, TYPE_INTERVAL},
     .args_count = 3,
     .result = TYPE_TIMESTAMP_LOCAL,
     .flags = FUNC_STRICT,
     .state_size = sizeof(struct series_add),
     .start = series_add_start,
     .next = series_add_next,
     .doc = TIMES_DOC},
    {.name = "string_to_table",
     .args = {TYPE_VARCHAR, TYPE_VARCHAR},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .state_size = sizeof(struct split),
     .start = split_start,
     .next = split_next,
     .doc = "The parts of a text between delimiters; its characters if the delimiter is NULL.",
     .example = "string_to_table('a,b,,c', ',') = 'a', 'b', '', 'c'"},
    {.name = "string_to_table",
     .args = {TYPE_VARCHAR, TYPE_VARCHAR, TYPE_VARCHAR},
     .args_count = 3,
     .result = TYPE_VARCHAR,
     .state_size = sizeof(struct split),
     .start = split_start,
     .next = split_next,
     .doc = "The same; parts that equal the third argument are NULL.",
     .example = "string_to_table('a,-', ',', '-') = 'a', NULL"},
};

const struct rowfunc_table rowfunc_table_series = {rowfunc_rows, DN_ARRAY_SIZE(rowfunc_rows)};

static const struct rowfunc_table *const rowfunc_tables[] = {
#define X(name) &rowfunc_table_##name,
    ROWFUNC_TABLES(X)
#undef X
};

const struct rowfunc *rowfunc_at(uint32_t i)
{
    for (size_t t = 0; t < DN_ARRAY_SIZE(rowfunc_tables); t++) {
        if (i < rowfunc_tables[t]->count)
            return &rowfunc_tables[t]->rows[i];
        i -= rowfunc_tables[t]->count;
    }
    return NULL;
}

bool rowfunc_name_exists(const char *name)
{
    const struct rowfunc *f;

    for (uint32_t i = 0; (f = rowfunc_at(i)); i++)
        if (strcasecmp(f->name, name) == 0)
            return true;
    return false;
}

/* ---- finding ---- */

/* What overloads are weighed by. */
static struct func rowfunc_shape(const struct rowfunc *f)
{
    struct func shape = {.name = f->name,
                         .args_count = f->args_count,
                         .result = f->result,
                         .flags = f->flags & FUNC_VARIADIC};

    memcpy(shape.args, f->args, sizeof shape.args);
    return shape;
}

enum type_id rowfunc_result(const struct rowfunc *f, const enum type_id *types, uint32_t count)
{
    struct func shape = rowfunc_shape(f);
    enum type_id type = func_result(&shape, types, count);

    return type == TYPE_NONE && count > 0 ? types[0] : type;
}

static void rowfunc_fail(
    const char *name, const enum type_id *types, uint32_t count, uint32_t pos, struct dn_err *err)
{
    struct text_near near = text_near_make(name);
    const struct rowfunc *f;
    struct buf b;

    for (uint32_t i = 0; (f = rowfunc_at(i)); i++) {
        if (strcasecmp(f->name, name) != 0 || f->args_count != count || types[0] != TYPE_NONE)
            continue;
        DN_IGNORE(DN_FAIL(err, /* the result is NULL: that says it all */
                          DN_E_AMBIGUOUS_FUNCTION,
                          "function %s(unknown%s) is not unique",
                          name,
                          count > 1 ? ", …" : ""));
        dn_err_hint(err, "Say which type the first argument is: CAST(… AS …).");
        dn_err_at(err, pos);
        return;
    }
    buf_init(&b, NULL);
    for (uint32_t i = 0; i < count; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", type_word(types[i]));
    DN_IGNORE(DN_FAIL(err, /* the result is NULL: that says it all */
                      DN_E_UNDEFINED_FUNCTION,
                      "function %s(%.*s) does not exist",
                      name,
                      b.failed ? 0 : (int)b.len,
                      b.failed ? "" : (const char *)b.data));
    buf_done(&b);
    dn_err_at(err, pos);
    for (uint32_t i = 0; (f = rowfunc_at(i)); i++)
        text_near_try(&near, f->name);
    if (near.best && !rowfunc_name_exists(name))
        dn_err_hint(err, "Did you mean %s?", near.best);
}

const struct rowfunc *rowfunc_find(const char *name,
                                   const enum type_id *types,
                                   uint32_t count,
                                   enum type_id *ret_casts,
                                   uint32_t pos,
                                   struct dn_err *err)
{
    const struct rowfunc *best = NULL;
    const struct rowfunc *f;
    uint32_t best_cost = UINT32_MAX;
    struct func shape;

    for (uint32_t i = 0; (f = rowfunc_at(i)); i++) {
        uint32_t cost = UINT32_MAX;

        shape = rowfunc_shape(f);
        if (strcasecmp(f->name, name) == 0)
            cost = func_match_cost(&shape, types, count);
        if (cost < best_cost) {
            best_cost = cost;
            best = f;
        }
    }
    if (!best) {
        rowfunc_fail(name, types, count, pos, err);
        return NULL;
    }
    shape = rowfunc_shape(best);
    func_match_casts(&shape, types, count, ret_casts);
    return best;
}
