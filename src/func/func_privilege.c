/* SPDX-License-Identifier: Apache-2.0
 *
 * func_privilege.c: has_table_privilege and its like, pg_has_role: what a role may do. The answers
 * come from the session (struct func_ask). Arguments: the role, if one is named, the object, its
 * column where one is asked for, and what is to be done. */
#include "func/func_int.h"

/* The descriptors below leave two types: a name is text, a number is an OID, or the BIGINT of a
 * column. */
static void privilege_arg(const struct vec *v, uint32_t row, struct func_name *ret)
{
    *ret = (struct func_name){.given = true};
    if (v->type == TYPE_VARCHAR) {
        struct vstr s = vec_str(v, row);

        ret->text = s.len ? s.ptr : "";
        ret->len = s.len;
    } else {
        DN_ASSERT(v->type == TYPE_OID || v->type == TYPE_BIGINT);
        ret->number = vec_i64(v, row);
    }
}

static int privilege_run(const struct func_ctx *ctx,
                         const struct vec *args,
                         uint32_t args_count,
                         uint32_t count,
                         struct vec *ret,
                         enum func_right_of of,
                         struct dn_err *err)
{
    const struct func_session *session = ctx->session;
    uint32_t fixed = of == FUNC_RIGHT_COLUMN ? 3 : 2;
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct func_right right = {.of = of};
        struct func_ask ask = {.kind = FUNC_ASK_PRIVILEGE, .right = &right};
        struct func_answer answer = {.number = 0};
        uint32_t at = 0;
        int rc = DN_NOT_FOUND;

        to[i] = 0;
        if (!vec_is_null(ret, i) && session && session->ask) {
            if (args_count > fixed)
                privilege_arg(&args[at++], i, &right.role);
            privilege_arg(&args[at++], i, &right.object);
            if (of == FUNC_RIGHT_COLUMN)
                privilege_arg(&args[at++], i, &right.column);
            privilege_arg(&args[at], i, &right.what);
            rc = session->ask(session->arg, &ask, &answer, err);
        }
        if (rc < 0)
            return rc;
        to[i] = rc == 0 && answer.number != 0;
        if (rc == DN_NOT_FOUND)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

#define PRIVILEGE(fn, of)                                                              \
    static int fn(const struct func_ctx *ctx,                                          \
                  const struct vec *args,                                              \
                  uint32_t args_count,                                                 \
                  uint32_t count,                                                      \
                  struct vec *ret,                                                     \
                  struct dn_err *err)                                                  \
    {                                                                                  \
        return privilege_run(ctx, args, args_count, count, ret, FUNC_RIGHT_##of, err); \
    }

PRIVILEGE(privilege_table, TABLE)
PRIVILEGE(privilege_sequence, SEQUENCE)
PRIVILEGE(privilege_any_column, ANY_COLUMN)
PRIVILEGE(privilege_column, COLUMN)
PRIVILEGE(privilege_schema, SCHEMA)
PRIVILEGE(privilege_database, DATABASE)
PRIVILEGE(privilege_function, FUNCTION)
PRIVILEGE(privilege_type, TYPE)
PRIVILEGE(privilege_language, LANGUAGE)
PRIVILEGE(privilege_tablespace, TABLESPACE)
PRIVILEGE(privilege_server, SERVER)
PRIVILEGE(privilege_role, ROLE)

/* ---- the table ---- */

#define ROW(fname, n, fn, text, ...)                                                   \
    {                                                                                  \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_BOOLEAN, \
        .flags = FUNC_STABLE | FUNC_STRICT, .kernel = fn, .doc = text                  \
    }
/* With the object, then with a role before it, each by name or by number. */
#define HAS(fname, fn, text)                                               \
    ROW(fname, 2, fn, text, TYPE_VARCHAR, TYPE_VARCHAR),                   \
        ROW(fname, 2, fn, text, TYPE_OID, TYPE_VARCHAR),                   \
        ROW(fname, 3, fn, text, TYPE_VARCHAR, TYPE_VARCHAR, TYPE_VARCHAR), \
        ROW(fname, 3, fn, text, TYPE_VARCHAR, TYPE_OID, TYPE_VARCHAR),     \
        ROW(fname, 3, fn, text, TYPE_OID, TYPE_VARCHAR, TYPE_VARCHAR),     \
        ROW(fname, 3, fn, text, TYPE_OID, TYPE_OID, TYPE_VARCHAR)
/* The same for a column of a table. */
#define HAS_COLUMN(fname, fn, text, table, column)                          \
    ROW(fname, 3, fn, text, table, column, TYPE_VARCHAR),                   \
        ROW(fname, 4, fn, text, TYPE_VARCHAR, table, column, TYPE_VARCHAR), \
        ROW(fname, 4, fn, text, TYPE_OID, table, column, TYPE_VARCHAR)

/* clang-format off */
static const struct func func_privilege_rows[] = {
    HAS("has_table_privilege", privilege_table, "Whether a role (the current one, if none is given) may do that with a table."),
    HAS("has_sequence_privilege", privilege_sequence, "Whether a role may do that with a sequence."),
    HAS("has_any_column_privilege", privilege_any_column, "Whether a role may do that with some column of a table."),
    HAS_COLUMN("has_column_privilege", privilege_column, "Whether a role may do that with a column.", TYPE_VARCHAR, TYPE_VARCHAR),
    HAS_COLUMN("has_column_privilege", privilege_column, "Whether a role may do that with a column.", TYPE_VARCHAR, TYPE_BIGINT),
    HAS_COLUMN("has_column_privilege", privilege_column, "Whether a role may do that with a column.", TYPE_OID, TYPE_VARCHAR),
    HAS_COLUMN("has_column_privilege", privilege_column, "Whether a role may do that with a column.", TYPE_OID, TYPE_BIGINT),
    HAS("has_schema_privilege", privilege_schema, "Whether a role may do that with a schema."),
    HAS("has_database_privilege", privilege_database, "Whether a role may do that with the database."),
    HAS("has_function_privilege", privilege_function, "May a role call a function? Everybody may."),
    HAS("has_type_privilege", privilege_type, "May a role use a type? Everybody may."),
    HAS("has_language_privilege", privilege_language, "May a role use a language? Everybody may."),
    HAS("has_tablespace_privilege", privilege_tablespace, "Whether a role may do that with a tablespace."),
    HAS("has_server_privilege", privilege_server, "Whether a role may do that with a foreign server."),
    HAS("has_foreign_data_wrapper_privilege", privilege_server, "Whether a role may do that with a foreign data wrapper."),
    HAS("pg_has_role", privilege_role, "Whether a role (the current one, if none is given) is a member of another (MEMBER), with its rights (USAGE)."),
};
/* clang-format on */

const struct func_table func_table_privilege = {func_privilege_rows,
                                                DN_ARRAY_SIZE(func_privilege_rows)};
