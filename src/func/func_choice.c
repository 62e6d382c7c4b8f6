/* SPDX-License-Identifier: Apache-2.0
 *
 * func_choice.c: greatest and least; the name of a type. NULLs are passed over: greatest and least
 * are NULL only when all arguments are. */
#include "func/func_int.h"
#include "func/text_wire.h"

#include <string.h>

#define CHOICE_UNKNOWN_OID 705u /* of "unknown" */

static int func_extreme(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count,
                        bool greatest,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    void *to = func_ret_alloc(ctx, ret, count, phys_size(type_phys(ret->type)), err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct datum best = {.type = ret->type, .null = true};

        for (uint32_t k = 0; k < args_count && !vec_is_null(ret, i); k++) {
            struct datum d = vec_datum(&args[k], i);
            int c = d.null || best.null ? 0 : datum_cmp(&d, &best);

            if (!d.null && (best.null || (greatest ? c > 0 : c < 0)))
                best = d;
        }
        datum_store(&best, to, i);
        if (best.null)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

static int func_greatest(const struct func_ctx *ctx,
                         const struct vec *args,
                         uint32_t args_count,
                         uint32_t count,
                         struct vec *ret,
                         struct dn_err *err)
{
    return func_extreme(ctx, args, args_count, true, count, ret, err);
}

static int func_least(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    return func_extreme(ctx, args, args_count, false, count, ret, err);
}

static int func_typeof(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t args_count DN_UNUSED,
                       uint32_t count,
                       struct vec *ret,
                       struct dn_err *err)
{
    const char *name = type_name(args[0].type);
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] = (struct vstr){name, (uint32_t)strlen(name)};
    return 0;
}

static const char *func_pg_type_name(enum type_id type)
{
    if (type_is_timestamp(type))
        return "timestamp without time zone";
    return type == TYPE_TIME ? "time without time zone" : type_word(type);
}

static int func_pg_typeof(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count DN_UNUSED,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    enum type_id type = args[0].type;
    const char *name = func_pg_type_name(type_is_array(type) ? type_element(type) : type);
    uint32_t oid = type == TYPE_NONE ? CHOICE_UNKNOWN_OID : text_wire_oid(type);
    size_t len = strlen(name);
    char *text = arena_alloc(ctx->arena, len + 7);
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = 0;

    if (!to || !text)
        return to ? DN_FAIL_NOMEM(err) : DN_E_NOMEM;
    for (uint32_t i = 0; TYPE_NUMBER(type) && rc == 0 && i < count; i++)
        rc = func_reg_make(ctx->session, TYPE_REGTYPE, oid, ctx->arena, &to[i], err);
    if (TYPE_NUMBER(type))
        return rc;
    for (int i = 0; i < 4; i++)
        text[i] = (char)(uint8_t)(oid >> (24 - 8 * i));
    memcpy(text + 4, name, len);
    memcpy(text + 4 + len, "[]", 3);
    for (uint32_t i = 0; i < count; i++)
        to[i] = (struct vstr){text, (uint32_t)(len + (type_is_array(type) ? 6 : 4))};
    return 0;
}

/* Of all types, each in its own row: the planner brings the arguments to one type first. */
#define CHOICE(fname, t, fn, text, sample)                                               \
    {                                                                                    \
        .name = fname, .args = {TYPE_##t}, .args_count = 1, .result = TYPE_##t,          \
        .flags = FUNC_VARIADIC | FUNC_ANY_FORM | FUNC_HALVES, .kernel = fn, .doc = text, \
        .example = sample                                                                \
    }
#define CHOICES(t, lo, hi, lo_text, hi_text)                                  \
    CHOICE("greatest",                                                        \
           t,                                                                 \
           func_greatest,                                                     \
           "The greatest of the arguments; NULL among them is passed over.",  \
           "greatest(" lo ", NULL, " hi ") = " hi_text),                      \
        CHOICE("least",                                                       \
               t,                                                             \
               func_least,                                                    \
               "The least of the arguments; NULL among them is passed over.", \
               "least(" lo ", NULL, " hi ") = " lo_text)

static const struct func func_choice_rows[] = {
    CHOICES(VARCHAR, "'a'", "'b'", "a", "b"),
    CHOICES(BPCHAR, "CHAR 'a'", "CHAR 'b'", "a", "b"),
    CHOICES(NAME, "NAME 'a'", "NAME 'b'", "a", "b"),
    CHOICE("greatest",
           ENUM,
           func_greatest,
           "The greatest of the arguments; NULL among them is passed over.",
           NULL),
    CHOICE("least",
           ENUM,
           func_least,
           "The least of the arguments; NULL among them is passed over.",
           NULL),
    CHOICES(BIGINT, "1", "2", "1", "2"),
    CHOICES(INTEGER, "1", "2", "1", "2"),
    CHOICES(SMALLINT, "1", "2", "1", "2"),
    CHOICES(DOUBLE, "0.5", "2", "0.5", "2"),
    CHOICES(REAL, "0.5", "2", "0.5", "2"),
    CHOICES(BOOLEAN, "false", "true", "false", "true"),
    CHOICES(BLOB, "0x00ff", "0x01", "0x00ff", "0x01"),
    CHOICES(TIMESTAMP,
            "TIMESTAMP '2015-06-01'",
            "TIMESTAMP '2015-06-02'",
            "2015-06-01T00:00:00.000Z",
            "2015-06-02T00:00:00.000Z"),
    CHOICES(TIMESTAMP_US,
            "TIMESTAMP(6) '2015-06-01'",
            "TIMESTAMP(6) '2015-06-02'",
            "2015-06-01T00:00:00.000000Z",
            "2015-06-02T00:00:00.000000Z"),
    CHOICES(TIMESTAMP_NS,
            "TIMESTAMP(9) '2015-06-01'",
            "TIMESTAMP(9) '2015-06-02'",
            "2015-06-01T00:00:00.000000000Z",
            "2015-06-02T00:00:00.000000000Z"),
    CHOICES(INTERVAL, "INTERVAL '23:00'", "INTERVAL '1 day'", "23:00:00", "1 day"),
    CHOICES(NUMERIC, "0.5", "2.00", "0.5", "2.00"),
    CHOICES(DATE, "DATE '2015-06-01'", "DATE '2015-06-02'", "2015-06-01", "2015-06-02"),
    CHOICES(TIME, "TIME '04:05'", "TIME '04:06'", "04:05:00", "04:06:00"),
    CHOICES(BIT, "B'011'", "B'10'", "011", "10"),
    CHOICES(VARBIT, "VARBIT '011'", "VARBIT '10'", "011", "10"),
    CHOICES(TIMETZ, "TIMETZ '04:05+02'", "TIMETZ '04:05+00'", "04:05:00+02", "04:05:00+00"),
    CHOICES(TIMESTAMPTZ,
            "TIMESTAMPTZ '2015-06-01'",
            "TIMESTAMPTZ '2015-06-02'",
            "2015-06-01 00:00:00+00",
            "2015-06-02 00:00:00+00"),
    CHOICES(TIMESTAMP_LOCAL,
            "TIMESTAMPTZ '2015-06-01' AT TIME ZONE 'UTC'",
            "TIMESTAMPTZ '2015-06-02' AT TIME ZONE 'UTC'",
            "2015-06-01 00:00:00",
            "2015-06-02 00:00:00"),
    CHOICES(UUID,
            "UUID '00000000-0000-0000-0000-000000000001'",
            "UUID '00000000-0000-0000-0000-000000000002'",
            "00000000-0000-0000-0000-000000000001",
            "00000000-0000-0000-0000-000000000002"),
    {.name = "greatest",
     .args = {TYPE_ANY_ARRAY},
     .args_count = 1,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_VARIADIC | FUNC_ANY_FORM,
     .kernel = func_greatest,
     .doc = "The greatest of the arguments; NULL among them is passed over."},
    {.name = "least",
     .args = {TYPE_ANY_ARRAY},
     .args_count = 1,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_VARIADIC | FUNC_ANY_FORM,
     .kernel = func_least,
     .doc = "The least of the arguments; NULL among them is passed over."},
    {.name = "typeof",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_ANY_FORM,
     .kernel = func_typeof,
     .doc = "The name of the argument's type.",
     .example = "typeof(7) = BIGINT"},
    {.name = "pg_typeof",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_REGTYPE,
     .flags = FUNC_ANY_FORM,
     .kernel = func_pg_typeof,
     .doc = "The argument's type, by the name that PostgreSQL has for it.",
     .example = "pg_typeof(true) = boolean"},
};

const struct func_table func_table_choice = {func_choice_rows, DN_ARRAY_SIZE(func_choice_rows)};
