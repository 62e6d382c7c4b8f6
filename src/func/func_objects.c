/* SPDX-License-Identifier: Apache-2.0
 *
 * func_objects.c: functions that ask about objects of the database: their definitions, comments,
 * sizes, what may be done with them. The answers come from the session (struct func_ask). */
#include "func/func_array.h"
#include "func/func_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct objects_call {
    const struct func_ctx *ctx;
    const struct vec *args;
    uint32_t args_count;
    enum func_ask_kind kind;
    enum type_id type;
    bool missing_ok; /* DN_E_UNDEFINED_*: NULL */
};

/* The first number of the arguments is the object, the next one its part; texts likewise; a truth
 * value says whether it is for people to read. False: the object is NULL. */
static bool objects_ask(const struct objects_call *c, uint32_t row, struct func_ask *ask)
{
    bool object = false;

    *ask =
        (struct func_ask){.kind = c->kind, .type = (int)c->type, .sub = -1, .text = "", .more = ""};
    for (uint32_t i = 0; i < c->args_count; i++) {
        bool null = vec_is_null(&c->args[i], row);

        if (i == 0 && null)
            return false;
        if (c->args[i].type == TYPE_VARCHAR && !null) {
            struct vstr s = vec_str(&c->args[i], row);

            *(ask->text_len || object ? &ask->more : &ask->text) = s.ptr;
            *(ask->text_len || object ? &ask->more_len : &ask->text_len) = s.len;
        } else if (type_is_fixed(c->args[i].type) && c->args[i].type != TYPE_BOOLEAN) {
            if (object && !null)
                ask->sub = vec_i64(&c->args[i], row);
            else if (!null)
                ask->oid = vec_i64(&c->args[i], row);
            object = true;
        } else if (c->args[i].type == TYPE_BOOLEAN && !null) {
            ask->pretty = vec_datum(&c->args[i], row).v.i64 != 0;
        }
    }
    if (object && ask->more_len) { /* (object, text) */
        ask->text = ask->more;
        ask->text_len = ask->more_len;
    }
    return true;
}

/* One answer; 1: NULL. */
static int objects_answer(
    const struct objects_call *c, uint32_t row, struct buf *b, int64_t *ret, struct dn_err *err)
{
    const struct func_session *session = c->ctx->session;
    struct func_answer answer = {.number = 0, .text = b};
    struct func_ask ask;
    int rc;

    if (!objects_ask(c, row, &ask))
        return 1;
    if (!session || !session->ask)
        return 1;
    rc = session->ask(session->arg, &ask, &answer, err);
    if (rc < 0 && c->missing_ok && rc != DN_E_NOMEM) {
        dn_err_clear(err);
        return 1;
    }
    if (rc == 0 && b->failed)
        return DN_FAIL_NOMEM(err);
    *ret = answer.number;
    return rc == DN_NOT_FOUND ? 1 : rc;
}

static int objects_put(const struct objects_call *c,
                       uint32_t i,
                       struct buf *b,
                       int64_t number,
                       struct vec *ret,
                       void *data,
                       struct dn_err *err)
{
    struct datum d = {.type = ret->type, .v = {.i64 = number}};
    int rc = 0;

    if (type_is_reg(ret->type)) {
        rc = func_reg_make(c->ctx->session, ret->type, number, c->ctx->arena, &d.str, err);
    } else if (type_is_string(ret->type)) {
        d.str.ptr = b->len ? arena_dup(c->ctx->arena, b->data, b->len) : "";
        d.str.len = (uint32_t)b->len;
        if (!d.str.ptr)
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc == 0)
        datum_store(&d, data, i);
    return rc;
}

static int
objects_run(const struct objects_call *c, uint32_t count, struct vec *ret, struct dn_err *err)
{
    struct datum none = {.type = ret->type, .null = true};
    void *data = func_ret_alloc(c->ctx, ret, count, phys_size(type_phys(ret->type)), err);
    uint64_t *nulls = arena_calloc(c->ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    struct buf b;
    int rc = 0;

    if (!data)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t i = 0; rc >= 0 && i < count; i++) {
        int64_t number = 0;

        buf_reset(&b);
        rc = vec_is_null(ret, i) ? 1 : objects_answer(c, i, &b, &number, err);
        if (rc == 0)
            rc = objects_put(c, i, &b, number, ret, data, err);
        if (rc != 1)
            continue;
        datum_store(&none, data, i);
        vec_bit_set(nulls, i);
    }
    buf_done(&b);
    ret->nulls = nulls;
    return rc < 0 ? rc : 0;
}

#define OBJECTS(fn, k, t, ok)                              \
    static int fn(const struct func_ctx *ctx,              \
                  const struct vec *args,                  \
                  uint32_t args_count,                     \
                  uint32_t count,                          \
                  struct vec *ret,                         \
                  struct dn_err *err)                      \
    {                                                      \
        struct objects_call c = {.ctx = ctx,               \
                                 .args = args,             \
                                 .args_count = args_count, \
                                 .kind = FUNC_ASK_##k,     \
                                 .type = TYPE_##t,         \
                                 .missing_ok = (ok)};      \
                                                           \
        return objects_run(&c, count, ret, err);           \
    }

OBJECTS(func_format_type, FORMAT, REGTYPE, false)
OBJECTS(func_constraintdef, CONSTRAINT, NONE, false)
OBJECTS(func_indexdef, INDEX, NONE, false)
OBJECTS(func_viewdef, VIEW, NONE, false)
OBJECTS(func_partkeydef, PARTKEY, NONE, false)
OBJECTS(func_triggerdef, TRIGGER, NONE, false)
OBJECTS(func_partition_info, PARTITION, NONE, false)
OBJECTS(func_arguments, ARGUMENTS, NONE, false)
OBJECTS(func_proc_result, RESULT, NONE, false)
OBJECTS(func_userbyid, REG, REGROLE, false)
OBJECTS(func_obj_description, COMMENT, NONE, false)
OBJECTS(func_relation_size, SIZE, REGCLASS, false)
OBJECTS(func_database_size, SIZE, NONE, false)
OBJECTS(func_table_visible, VISIBLE, REGCLASS, false)
OBJECTS(func_type_visible, VISIBLE, REGTYPE, false)
OBJECTS(func_proc_visible, VISIBLE, REGPROC, false)
OBJECTS(func_to_regclass, REG_FIND, REGCLASS, true)
OBJECTS(func_to_regtype, REG_FIND, REGTYPE, true)
OBJECTS(func_to_regproc, REG_FIND, REGPROC, true)
OBJECTS(func_to_regnamespace, REG_FIND, REGNAMESPACE, true)
OBJECTS(func_to_regrole, REG_FIND, REGROLE, true)

/* ---- what needs no catalog ---- */

FUNC_EACH(func_yes, int8_t, (to[i] = 1, 0))
FUNC_EACH(func_no, int8_t, (to[i] = 0, 0))
FUNC_EACH(func_zero_oid, int64_t, (to[i] = 0, 0))
FUNC_EACH(func_pass_text, struct vstr, (to[i] = vec_str(&args[0], i), 0))
FUNC_EACH(func_empty_text, struct vstr, (to[i] = (struct vstr){"", 0}, 0))

static int func_null(const struct func_ctx *ctx,
                     const struct vec *args DN_UNUSED,
                     uint32_t args_count DN_UNUSED,
                     uint32_t count,
                     struct vec *ret,
                     struct dn_err *err)
{
    struct datum none = {.type = ret->type, .null = true};
    void *data = func_ret_alloc(ctx, ret, count, phys_size(type_phys(ret->type)), err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!data)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        datum_store(&none, data, i);
        vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

static struct vstr objects_encoding(int64_t n)
{
    return n == 6   ? (struct vstr){"UTF8", 4}
           : n == 0 ? (struct vstr){"SQL_ASCII", 9}
                    : (struct vstr){"", 0};
}

static int32_t objects_encoding_number(struct vstr s)
{
    if ((s.len == 4 && strncasecmp(s.ptr, "utf8", 4) == 0) ||
        (s.len == 5 && strncasecmp(s.ptr, "utf-8", 5) == 0))
        return 6;
    return s.len == 9 && strncasecmp(s.ptr, "sql_ascii", 9) == 0 ? 0 : -1;
}

FUNC_EACH(func_encoding_to_char, struct vstr, (to[i] = objects_encoding(vec_i64(&args[0], i)), 0))
FUNC_EACH(func_char_to_encoding,
          int32_t,
          (to[i] = objects_encoding_number(vec_str(&args[0], i)), 0))
FUNC_EACH(func_database_encoding, struct vstr, (to[i] = objects_encoding(6), 0))

/* 10 bytes, 10 kB, …: the first unit in which it is less than 10240, rounded half away from 0. */
static int
objects_pretty(const struct func_ctx *ctx, int64_t v, struct vstr *ret, struct dn_err *err)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char text[40];
    size_t u = 0;
    int n;

    if (size >= 10240) {
        size >>= 9; /* one bit more than the unit has, to round by */
        u = 1;
        while (size >= 2 * 10240 - 1 && u + 1 < DN_ARRAY_SIZE(units)) {
            size >>= 10;
            u++;
        }
        size = (size + 1) / 2;
    }
    n = snprintf(text, sizeof text, "%s%" PRIu64 " %s", v < 0 ? "-" : "", size, units[u]);
    *ret = (struct vstr){arena_dup(ctx->arena, text, (size_t)n), (uint32_t)n};
    return ret->ptr ? 0 : DN_FAIL_NOMEM(err);
}

FUNC_EACH(func_size_pretty, struct vstr, objects_pretty(ctx, vec_i64(&args[0], i), &to[i], err))

static struct vstr objects_byte(struct vstr s, int64_t at)
{
    return at >= 0 && at < s.len ? (struct vstr){s.ptr + at, 1} : (struct vstr){"", 0};
}

FUNC_EACH(func_name_byte,
          struct vstr,
          (to[i] = objects_byte(vec_str(&args[0], i), vec_i64(&args[1], i)), 0))

/* ---- rows (x, n) of _pg_expandarray ---- */

static int objects_part(const struct func_ctx *ctx,
                        const struct vec *v,
                        uint32_t row,
                        uint32_t at,
                        int64_t *ret,
                        struct dn_err *err)
{
    struct varray a;
    int rc = func_array_read(ctx, vec_str(v, row), type_array_of(TYPE_BIGINT), &a, err);

    *ret = rc == 0 && a.count == 2 ? a.items[at].v.i64 : 0;
    return rc;
}

static int objects_number(
    const struct func_ctx *ctx, const struct vec *v, uint32_t row, int32_t *ret, struct dn_err *err)
{
    int64_t n = 0;
    int rc = objects_part(ctx, v, row, 1, &n, err);

    *ret = (int32_t)n;
    return rc;
}

FUNC_EACH(func_expanded_x, int64_t, objects_part(ctx, &args[0], i, 0, &to[i], err))
FUNC_EACH(func_expanded_n, int32_t, objects_number(ctx, &args[0], i, &to[i], err))

/* ---- the table ---- */

#define ROW(fname, n, r, fn, text, ...)                                            \
    {                                                                              \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_##r, \
        .flags = FUNC_STABLE, .kernel = fn, .doc = text                            \
    }
#define STRICT(fname, n, r, fn, text, ...)                                         \
    {                                                                              \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_##r, \
        .flags = FUNC_STABLE | FUNC_STRICT, .kernel = fn, .doc = text              \
    }
#define VISIBLE(fname, fn) \
    STRICT(fname, 1, BOOLEAN, fn, "Whether the object can be named without its schema.", TYPE_OID)
#define OID_NULL(fname) \
    STRICT(fname, 1, VARCHAR, func_null, "NULL: there are no such objects.", TYPE_OID)

/* clang-format off */
static const struct func func_objects_rows[] = {
    ROW("format_type", 2, VARCHAR, func_format_type, "The name of a type, with its parameters.", TYPE_OID, TYPE_INTEGER),
    STRICT("pg_get_expr", 2, VARCHAR, func_pass_text, "An expression that the catalog keeps, as SQL.", TYPE_VARCHAR, TYPE_OID),
    STRICT("pg_get_expr", 3, VARCHAR, func_pass_text, "An expression that the catalog keeps, as SQL.", TYPE_VARCHAR, TYPE_OID, TYPE_BOOLEAN),
    STRICT("pg_get_constraintdef", 1, VARCHAR, func_constraintdef, "A constraint as SQL.", TYPE_OID),
    STRICT("pg_get_constraintdef", 2, VARCHAR, func_constraintdef, "A constraint as SQL.", TYPE_OID, TYPE_BOOLEAN),
    STRICT("pg_get_indexdef", 1, VARCHAR, func_indexdef, "An index as SQL.", TYPE_OID),
    STRICT("pg_get_indexdef", 3, VARCHAR, func_indexdef, "A column of an index as SQL; 0: the whole index.", TYPE_OID, TYPE_INTEGER, TYPE_BOOLEAN),
    STRICT("pg_get_viewdef", 1, VARCHAR, func_viewdef, "The query of a view.", TYPE_OID),
    STRICT("pg_get_viewdef", 2, VARCHAR, func_viewdef, "The query of a view.", TYPE_OID, TYPE_BOOLEAN),
    STRICT("pg_get_viewdef", 2, VARCHAR, func_viewdef, "The query of a view.", TYPE_OID, TYPE_INTEGER),
    STRICT("pg_get_viewdef", 1, VARCHAR, func_viewdef, "The query of a view.", TYPE_VARCHAR),
    STRICT("pg_get_viewdef", 2, VARCHAR, func_viewdef, "The query of a view.", TYPE_VARCHAR, TYPE_BOOLEAN),
    STRICT("pg_get_partkeydef", 1, VARCHAR, func_partkeydef, "How the rows of a table are partitioned.", TYPE_OID),
    STRICT("partition_info", 2, VARCHAR, func_partition_info, "A time partition: tables = its shards, joined by semicolons; check = the same, marking those that are missing; else JSON.", TYPE_VARCHAR, TYPE_VARCHAR),
    STRICT("pg_get_function_arguments", 1, VARCHAR, func_arguments, "The types of a function's arguments.", TYPE_OID),
    STRICT("pg_get_function_identity_arguments", 1, VARCHAR, func_arguments, "The types of a function's arguments.", TYPE_OID),
    STRICT("pg_get_function_result", 1, VARCHAR, func_proc_result, "The type of a function's result.", TYPE_OID),
    OID_NULL("pg_get_function_sqlbody"),
    OID_NULL("pg_get_functiondef"),
    OID_NULL("pg_get_ruledef"),
    STRICT("pg_get_triggerdef", 1, VARCHAR, func_triggerdef, "What makes a time partition out of its tables, as a dump has it.", TYPE_OID),
    OID_NULL("pg_get_statisticsobjdef"),
    OID_NULL("pg_get_statisticsobjdef_columns"),
    STRICT("pg_get_triggerdef", 2, VARCHAR, func_triggerdef, "What makes a time partition out of its tables; true: for people to read.", TYPE_OID, TYPE_BOOLEAN),
    STRICT("pg_get_ruledef", 2, VARCHAR, func_null, "NULL: there are no such objects.", TYPE_OID, TYPE_BOOLEAN),
    STRICT("pg_get_userbyid", 1, NAME, func_userbyid, "The name of a role.", TYPE_OID),
    STRICT("obj_description", 1, VARCHAR, func_obj_description, "The comment of an object.", TYPE_OID),
    STRICT("obj_description", 2, VARCHAR, func_obj_description, "The comment of an object.", TYPE_OID, TYPE_VARCHAR),
    STRICT("col_description", 2, VARCHAR, func_obj_description, "The comment of a column.", TYPE_OID, TYPE_INTEGER),
    STRICT("shobj_description", 2, VARCHAR, func_null, "The comment of a database or role.", TYPE_OID, TYPE_VARCHAR),
    VISIBLE("pg_table_is_visible", func_table_visible),
    VISIBLE("pg_type_is_visible", func_type_visible),
    VISIBLE("pg_function_is_visible", func_proc_visible),
    VISIBLE("pg_operator_is_visible", func_yes),
    VISIBLE("pg_opclass_is_visible", func_yes),
    VISIBLE("pg_opfamily_is_visible", func_yes),
    VISIBLE("pg_collation_is_visible", func_yes),
    VISIBLE("pg_conversion_is_visible", func_yes),
    VISIBLE("pg_statistics_obj_is_visible", func_yes),
    VISIBLE("pg_ts_config_is_visible", func_yes),
    VISIBLE("pg_ts_dict_is_visible", func_yes),
    VISIBLE("pg_ts_parser_is_visible", func_yes),
    VISIBLE("pg_ts_template_is_visible", func_yes),
    STRICT("to_regclass", 1, REGCLASS, func_to_regclass, "The relation of a name, or NULL.", TYPE_VARCHAR),
    STRICT("to_regtype", 1, REGTYPE, func_to_regtype, "The type of a name, or NULL.", TYPE_VARCHAR),
    STRICT("to_regproc", 1, REGPROC, func_to_regproc, "The function of a name, or NULL.", TYPE_VARCHAR),
    STRICT("to_regnamespace", 1, REGNAMESPACE, func_to_regnamespace, "The schema of a name, or NULL.", TYPE_VARCHAR),
    STRICT("to_regrole", 1, REGROLE, func_to_regrole, "The role of a name, or NULL.", TYPE_VARCHAR),
    STRICT("pg_relation_size", 1, BIGINT, func_relation_size, "Bytes that the rows of a table take.", TYPE_OID),
    STRICT("pg_relation_size", 2, BIGINT, func_relation_size, "Bytes that the rows of a table take.", TYPE_OID, TYPE_VARCHAR),
    STRICT("pg_relation_size", 1, BIGINT, func_relation_size, "Bytes that the rows of a table take.", TYPE_VARCHAR),
    STRICT("pg_table_size", 1, BIGINT, func_relation_size, "Bytes that the rows of a table take.", TYPE_OID),
    STRICT("pg_table_size", 1, BIGINT, func_relation_size, "Bytes that the rows of a table take.", TYPE_VARCHAR),
    STRICT("pg_total_relation_size", 1, BIGINT, func_relation_size, "Bytes that a table takes.", TYPE_OID),
    STRICT("pg_total_relation_size", 1, BIGINT, func_relation_size, "Bytes that a table takes.", TYPE_VARCHAR),
    STRICT("pg_indexes_size", 1, BIGINT, func_zero_oid, "0: a table lies in the order of its key, there is no other index.", TYPE_OID),
    STRICT("pg_database_size", 1, BIGINT, func_database_size, "Bytes that the database takes.", TYPE_OID),
    STRICT("pg_database_size", 1, BIGINT, func_database_size, "Bytes that the database takes.", TYPE_VARCHAR),
    STRICT("pg_tablespace_size", 1, BIGINT, func_zero_oid, "0: nobody counts them.", TYPE_OID),
    STRICT("pg_size_pretty", 1, VARCHAR, func_size_pretty, "A number of bytes in a unit that reads well.", TYPE_BIGINT),
    STRICT("pg_encoding_to_char", 1, NAME, func_encoding_to_char, "The name of an encoding.", TYPE_INTEGER),
    STRICT("pg_char_to_encoding", 1, INTEGER, func_char_to_encoding, "The number of an encoding, -1 if it is not known.", TYPE_VARCHAR),
    STRICT("getdatabaseencoding", 0, NAME, func_database_encoding, "The encoding of the database: UTF8.", TYPE_NONE),
    STRICT("pg_tablespace_location", 1, VARCHAR, func_empty_text, "Empty: the database has one place.", TYPE_OID),
    STRICT("pg_relation_is_publishable", 1, BOOLEAN, func_no, "False: nothing is replicated that way.", TYPE_OID),
    STRICT("pg_stat_get_numscans", 1, BIGINT, func_zero_oid, "0: nobody counts them.", TYPE_OID),
    ROW("inet_server_addr", 0, VARCHAR, func_null, "NULL: sessions do not know how clients reach them.", TYPE_NONE),
    ROW("inet_server_port", 0, INTEGER, func_null, "NULL: sessions do not know how clients reach them.", TYPE_NONE),
    ROW("inet_client_addr", 0, VARCHAR, func_null, "NULL: sessions do not know how clients reach them.", TYPE_NONE),
    ROW("inet_client_port", 0, INTEGER, func_null, "NULL: sessions do not know how clients reach them.", TYPE_NONE),
    STRICT("pg_is_in_recovery", 0, BOOLEAN, func_no, "False: it can be written to.", TYPE_NONE),
    STRICT("pg_is_other_temp_schema", 1, BOOLEAN, func_no, "Is it the temporary schema of another session? Those cannot be seen.", TYPE_OID),
    STRICT("pg_my_temp_schema", 0, OID, func_zero_oid, "The number of the session's temporary schema; 0: none is shown.", TYPE_NONE),
    STRICT("_name_byte", 2, CHAR1, func_name_byte, "A byte of a name, from 0 on: name[i].", TYPE_NAME, TYPE_BIGINT),
    STRICT("_pg_x", 1, BIGINT, func_expanded_x, "The value in a row of _pg_expandarray.", TYPE_EXPANDED),
    STRICT("_pg_n", 1, INTEGER, func_expanded_n, "The number of a row of _pg_expandarray.", TYPE_EXPANDED),
    STRICT("pg_get_partition_constraintdef", 1, VARCHAR, func_null, "NULL: partitions are no tables.", TYPE_OID),
};
/* clang-format on */

const struct func_table func_table_objects = {func_objects_rows, DN_ARRAY_SIZE(func_objects_rows)};
