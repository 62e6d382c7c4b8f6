/* SPDX-License-Identifier: Apache-2.0
 *
 * func_logic.c: NOT, the tests for NULL, true and false. AND and OR are no functions: expr.c
 * evaluates them, as later operands see only the rows that earlier ones left undecided. */
#include "func/func_int.h"

#define UNARY_FN       func_not
#define UNARY_T        int8_t
#define UNARY_R        int8_t
#define UNARY_OP(x, r) ((r) = (int8_t) !(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

static int func_null_test(const struct func_ctx *ctx,
                          const struct vec *arg,
                          bool want,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] = vec_is_null(arg, i) == want;
    return 0;
}

static int func_is_null(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count DN_UNUSED,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    return func_null_test(ctx, &args[0], true, count, ret, err);
}

static int func_is_not_null(const struct func_ctx *ctx,
                            const struct vec *args,
                            uint32_t args_count DN_UNUSED,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    return func_null_test(ctx, &args[0], false, count, ret, err);
}

/* Tests of a truth value are never NULL themselves. */
static int func_truth_test(const struct func_ctx *ctx,
                           const struct vec *arg,
                           int8_t value,
                           bool want,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] =
            (!vec_is_null(arg, i) && ((const int8_t *)arg->data)[vec_at(arg, i)] == value) == want;
    return 0;
}

#define TRUTH_TEST(name, value, want)                                        \
    static int name(const struct func_ctx *ctx,                              \
                    const struct vec *args,                                  \
                    uint32_t args_count DN_UNUSED,                           \
                    uint32_t count,                                          \
                    struct vec *ret,                                         \
                    struct dn_err *err)                                      \
    {                                                                        \
        return func_truth_test(ctx, &args[0], value, want, count, ret, err); \
    }

TRUTH_TEST(func_is_true, 1, true)
TRUTH_TEST(func_is_not_true, 1, false)
TRUTH_TEST(func_is_false, 0, true)
TRUTH_TEST(func_is_not_false, 0, false)

#define TRUTH(fname, fn, text, sample)                                                       \
    {                                                                                        \
        .name = fname, .args = {TYPE_BOOLEAN}, .args_count = 1, .result = TYPE_BOOLEAN,      \
        .flags = FUNC_OPERATOR | FUNC_ANY_FORM, .kernel = fn, .doc = text, .example = sample \
    }

static const struct func func_logic_rows[] = {
    TRUTH("is true", func_is_true, "Whether it is true; false for NULL.", "NULL IS TRUE = false"),
    TRUTH(
        "is not true", func_is_not_true, "Whether it is false or NULL.", "NULL IS NOT TRUE = true"),
    TRUTH(
        "is false", func_is_false, "Whether it is false; false for NULL.", "NULL IS FALSE = false"),
    TRUTH("is not false",
          func_is_not_false,
          "Whether it is true or NULL.",
          "NULL IS NOT FALSE = true"),
    {.name = "not",
     .args = {TYPE_BOOLEAN},
     .args_count = 1,
     .result = TYPE_BOOLEAN,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_not,
     .doc = "The other truth value.",
     .example = "NOT true = false"},
    {.name = "is null",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_BOOLEAN,
     .flags = FUNC_OPERATOR | FUNC_ANY_FORM,
     .kernel = func_is_null,
     .doc = "Whether there is no value.",
     .example = "NULL IS NULL = true"},
    {.name = "is not null",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_BOOLEAN,
     .flags = FUNC_OPERATOR | FUNC_ANY_FORM,
     .kernel = func_is_not_null,
     .doc = "Whether there is a value.",
     .example = "'' IS NOT NULL = true"},
};

const struct func_table func_table_logic = {func_logic_rows, DN_ARRAY_SIZE(func_logic_rows)};
