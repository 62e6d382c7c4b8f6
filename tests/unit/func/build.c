/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena *build_arena;

void build_init(struct arena *arena)
{
    build_arena = arena;
}

static void *build_alloc(size_t size)
{
    void *p = arena_calloc(build_arena, 1, size);

    assert_non_null(p);
    return p;
}

struct datum build_int(enum type_id type, int64_t v)
{
    return (struct datum){.type = type, .v.i64 = v, .str = {"", 0}};
}

struct datum build_f64(double v)
{
    return (struct datum){.type = TYPE_DOUBLE, .v.f64 = v, .str = {"", 0}};
}

struct datum build_str(const char *s)
{
    return (struct datum){.type = TYPE_VARCHAR, .str = {s, (uint32_t)strlen(s)}};
}

struct datum build_null(enum type_id type)
{
    return (struct datum){.type = type, .null = true, .str = {"", 0}};
}

static struct bexpr *build_node(struct bexpr e)
{
    struct bexpr *p = build_alloc(sizeof *p);

    *p = e;
    return p;
}

static struct bexpr **build_args(struct bexpr *a, struct bexpr *b)
{
    struct bexpr **args = build_alloc(2 * sizeof *args);

    args[0] = a;
    args[1] = b;
    return args;
}

struct bexpr *build_const(struct datum d)
{
    return build_node((struct bexpr){.kind = BEXPR_CONST, .type = d.type, .value = d});
}

struct bexpr *build_col(enum type_id type, uint32_t col)
{
    return build_node((struct bexpr){.kind = BEXPR_COLUMN, .type = type, .col = col});
}

struct bexpr *build_param(enum type_id type, uint32_t number)
{
    return build_node((struct bexpr){.kind = BEXPR_PARAM, .type = type, .param = number});
}

struct bexpr *build_call(const char *name, struct bexpr *a, struct bexpr *b)
{
    uint32_t count = b ? 2 : 1;
    enum type_id types[2] = {a->type, b ? b->type : TYPE_NONE};
    enum type_id casts[2];
    struct dn_err err;
    const struct func *f = func_find(name, types, count, casts, 0, &err);

    if (!f)
        fail_msg("%s", err.text);
    assert_memory_equal(types, casts, count * sizeof *types);
    return build_node((struct bexpr){.kind = BEXPR_CALL,
                                     .type = f->result,
                                     .pos = 11,
                                     .func = f,
                                     .args = build_args(a, b),
                                     .args_count = count});
}

struct bexpr *build_cast(struct bexpr *a, enum type_id to)
{
    const struct func *f = func_cast(a->type, to, false);

    assert_non_null(f);
    return build_node((struct bexpr){.kind = BEXPR_CALL,
                                     .type = to,
                                     .pos = 13,
                                     .func = f,
                                     .args = build_args(a, NULL),
                                     .args_count = 1});
}

struct bexpr *build_chain(enum bexpr_kind kind, struct bexpr *a, struct bexpr *b)
{
    return build_node((struct bexpr){
        .kind = kind, .type = TYPE_BOOLEAN, .args = build_args(a, b), .args_count = 2});
}

struct bexpr *build_in(struct bexpr *a, const struct datum *list, uint32_t count, bool negated)
{
    struct bexpr **args = build_alloc((count + 1) * sizeof *args);

    args[0] = a;
    for (uint32_t i = 0; i < count; i++)
        args[i + 1] = build_const(list[i]);
    return build_node((struct bexpr){.kind = BEXPR_IN,
                                     .type = TYPE_BOOLEAN,
                                     .args = args,
                                     .args_count = count + 1,
                                     .negated = negated});
}

struct vec build_vec(enum type_id type, const struct datum *values, uint32_t count)
{
    void *data = build_alloc(((size_t)count + 1) * phys_size(type_phys(type)));
    uint64_t *nulls = build_alloc(VEC_BITMAP_WORDS((size_t)count + 1) * sizeof *nulls);
    bool any = false;

    for (uint32_t i = 0; i < count; i++) {
        struct datum d = values[i];

        d.type = type;
        datum_store(&d, data, i);
        if (d.null)
            vec_bit_set(nulls, i);
        any |= d.null;
    }
    return (struct vec){
        .type = type, .form = VEC_FLAT, .count = count, .data = data, .nulls = any ? nulls : NULL};
}

struct vec build_dict(enum type_id type, const struct datum *values, uint32_t count)
{
    struct vec flat = build_vec(type, values, count);
    uint16_t *codes = build_alloc(((size_t)count + 1) * sizeof *codes);
    struct datum *entries = build_alloc(((size_t)count + 1) * sizeof *entries);
    uint32_t n = 0;
    struct vec dict;

    entries[n++] = (struct datum){.type = type, .str = {"", 0}}; /* for NULLs */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t e = 0;

        if (values[i].null)
            continue;
        for (e = 1; e < n && datum_cmp(&entries[e], &values[i]) != 0; e++)
            ;
        if (e == n)
            entries[n++] = values[i];
        codes[i] = (uint16_t)e;
    }
    dict = build_vec(type, entries, n);
    dict.form = VEC_DICT;
    dict.count = count;
    dict.dict_count = n;
    dict.codes = codes;
    dict.nulls = flat.nulls;
    return dict;
}
