/* SPDX-License-Identifier: Apache-2.0
 *
 * func_cast_system.c: casts of the types that the system's relations have. Numbers of objects are
 * numbers, names are texts: they become BIGINT and VARCHAR by themselves, so that operators and
 * functions of those take them. */
#include "func/func_int.h"
#include "func/text.h"

static int system_oid(int64_t v, int64_t *ret, struct dn_err *err)
{
    if (v < 0 && v >= INT32_MIN)
        v += (int64_t)UINT32_MAX + 1; /* an int4 is an oid with the same bits */
    if (v < 0 || v > UINT32_MAX)
        return DN_FAIL(err, DN_E_OUT_OF_RANGE, "OID out of range");
    *ret = v;
    return 0;
}

static struct vstr system_first(struct vstr s)
{
    return s.len > 1 ? (struct vstr){s.ptr, 1} : s;
}

FUNC_EACH(func_cast_int_oid, int64_t, system_oid(vec_i64(&args[0], i), &to[i], err))
FUNC_EACH(func_cast_oid_i64, int64_t, (to[i] = vec_i64(&args[0], i), 0))
FUNC_EACH(func_cast_oid_i32, int32_t, (to[i] = (int32_t)vec_i64(&args[0], i), 0))
FUNC_EACH(func_cast_reg_i64, int64_t, (to[i] = type_reg_oid(vec_str(&args[0], i)), 0))
FUNC_EACH(func_cast_reg_i32, int32_t, (to[i] = (int32_t)type_reg_oid(vec_str(&args[0], i)), 0))
FUNC_EACH(func_cast_same, struct vstr, (to[i] = vec_str(&args[0], i), 0))
FUNC_EACH(func_cast_name, struct vstr, (to[i] = func_name_cut(vec_str(&args[0], i)), 0))
FUNC_EACH(func_cast_char1, struct vstr, (to[i] = system_first(vec_str(&args[0], i)), 0))

static int system_reg(const struct func_ctx *ctx,
                      const struct vec *ret,
                      int64_t v,
                      struct vstr *to,
                      struct dn_err *err)
{
    int64_t oid = 0;
    int rc = system_oid(v, &oid, err);

    return rc < 0 ? rc : func_reg_make(ctx->session, ret->type, oid, ctx->arena, to, err);
}

FUNC_EACH(func_cast_reg, struct vstr, system_reg(ctx, ret, vec_i64(&args[0], i), &to[i], err))
#define CAST(from, to, fn)                                                                      \
    {                                                                                           \
        .name = "cast", .args = {TYPE_##from}, .args_count = 1, .result = TYPE_##to,            \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = "The value as another type." \
    }
#define CAST_TEXT(type) \
    CAST(VARCHAR, type, func_cast_from_text), CAST(type, VARCHAR, func_cast_to_text)
#define CAST_REG(type)                                                             \
    CAST(OID, type, func_cast_reg), CAST(SMALLINT, type, func_cast_reg),           \
        CAST(INTEGER, type, func_cast_reg), CAST(BIGINT, type, func_cast_reg),     \
        CAST(type, OID, func_cast_reg_i64), CAST(type, BIGINT, func_cast_reg_i64), \
        CAST(type, INTEGER, func_cast_reg_i32), CAST_TEXT(type)

static const struct func func_cast_system_rows[] = {
    CAST(SMALLINT, OID, func_cast_int_oid),
    CAST(INTEGER, OID, func_cast_int_oid),
    CAST(BIGINT, OID, func_cast_int_oid),
    CAST(OID, BIGINT, func_cast_oid_i64),
    CAST(OID, INTEGER, func_cast_oid_i32),
    CAST_TEXT(OID),
    CAST(NAME, VARCHAR, func_cast_same),
    CAST(VARCHAR, NAME, func_cast_name),
    CAST(CHAR1, VARCHAR, func_cast_same),
    CAST(VARCHAR, CHAR1, func_cast_char1),
    CAST(NAME, CHAR1, func_cast_char1),
    CAST(CHAR1, NAME, func_cast_same),
    CAST(NODE_TREE, VARCHAR, func_cast_same),
    CAST(VARCHAR, NODE_TREE, func_cast_same),
    CAST(ACLITEM, VARCHAR, func_cast_same),
    CAST(VARCHAR, ACLITEM, func_cast_same),
    CAST(EXPANDED, VARCHAR, func_cast_to_text),
    CAST_REG(REGCLASS),
    CAST_REG(REGTYPE),
    CAST_REG(REGPROC),
    CAST_REG(REGNAMESPACE),
    CAST_REG(REGROLE),
    CAST_TEXT(INT2VECTOR),
    CAST_TEXT(OIDVECTOR),
    CAST(NAME, REGCLASS, func_cast_from_text),
    CAST(NAME, REGTYPE, func_cast_from_text),
};

const struct func_table func_table_cast_system = {func_cast_system_rows,
                                                  DN_ARRAY_SIZE(func_cast_system_rows)};

/* A vector is an array: the bytes are the same. */
static const struct func func_cast_vector = {.name = "cast",
                                             .args = {TYPE_ANY_ELEMENT},
                                             .args_count = 1,
                                             .result = TYPE_ANY_ARRAY,
                                             .flags = FUNC_STRICT | FUNC_OPERATOR,
                                             .kernel = func_cast_same};

const struct func *func_cast_of_vector(enum type_id from, enum type_id to)
{
    return to == func_vector_array(from) && to != TYPE_NONE ? &func_cast_vector : NULL;
}

enum type_id func_vector_array(enum type_id t)
{
    return t == TYPE_INT2VECTOR  ? type_array_of(TYPE_SMALLINT)
           : t == TYPE_OIDVECTOR ? type_array_of(TYPE_OID)
                                 : TYPE_NONE;
}

bool func_cast_system_implicit(enum type_id from, enum type_id to)
{
    if (type_is_int(from))
        return to == TYPE_OID;
    if (type_is_reg(from))
        return to == TYPE_OID || to == TYPE_BIGINT;
    if (from == TYPE_OID)
        return to == TYPE_BIGINT;
    return (from == TYPE_NAME || from == TYPE_CHAR1 || from == TYPE_NODE_TREE) &&
           to == TYPE_VARCHAR;
}
