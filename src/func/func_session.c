/* SPDX-License-Identifier: Apache-2.0
 *
 * func_session.c: functions that ask the session: random numbers, sequences. Each is volatile, so
 * that it is called for every row and never when a statement is planned. */
#include "func/func_int.h"

#include <string.h>

static int session_need(const struct func_ctx *ctx, const char *name, struct dn_err *err)
{
    return ctx->session
               ? 0
               : DN_FAIL(err, DN_E_UNSUPPORTED, "%s cannot be used without a session", name);
}

static int func_random(const struct func_ctx *ctx,
                       const struct vec *args DN_UNUSED,
                       uint32_t args_count DN_UNUSED,
                       uint32_t count,
                       struct vec *ret,
                       struct dn_err *err)
{
    double *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = to ? session_need(ctx, "random()", err) : DN_E_NOMEM;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        to[i] = (double)(ctx->session->random(ctx->session->arg) >> 11) * 0x1p-53;
    return rc;
}

/* Version 4 of RFC 4122: all bits random but those that say so. */
static int func_random_uuid(const struct func_ctx *ctx,
                            const struct vec *args DN_UNUSED,
                            uint32_t args_count DN_UNUSED,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint8_t *bytes = arena_alloc_array(ctx->arena, count, 16);
    int rc = to ? session_need(ctx, "gen_random_uuid()", err) : DN_E_NOMEM;

    if (rc == 0 && !bytes)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        uint64_t bits[2] = {ctx->session->random(ctx->session->arg),
                            ctx->session->random(ctx->session->arg)};
        uint8_t *uuid = bytes + (size_t)i * 16;

        memcpy(uuid, bits, sizeof bits);
        uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40);
        uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
        to[i] = (struct vstr){.ptr = (const char *)uuid, .len = 16};
    }
    return rc;
}

/* ---- sequences ---- */

static int session_sequence(const struct func_ctx *ctx,
                            const struct func_sequence *call,
                            int64_t *ret,
                            struct dn_err *err)
{
    int rc = session_need(ctx, "a sequence", err);

    if (rc == 0 && !ctx->session->sequence)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "sequences cannot be used here");
    return rc < 0 ? rc : ctx->session->sequence(ctx->session->arg, call, ret, err);
}

/* A sequence's name out of an argument. */
static struct func_sequence
session_call(enum func_sequence_op op, const struct vec *args, uint32_t row)
{
    struct vstr name = vec_str(&args[0], row);

    return (struct func_sequence){.op = op, .name = name.ptr, .name_len = name.len, .count = 1};
}

/* All rows of one sequence at once: they are reserved together. */
static int session_nextvals(const struct func_ctx *ctx,
                            const struct vec *name,
                            uint32_t count,
                            const struct vec *ret,
                            int64_t *to,
                            struct dn_err *err)
{
    struct func_sequence call = session_call(FUNC_SEQUENCE_NEXT, name, 0);
    const int64_t *next;
    int64_t *values;
    int rc;

    call.count = 0;
    for (uint32_t i = 0; i < count; i++)
        call.count += !vec_is_null(ret, i);
    if (call.count == 0)
        return 0;
    next = values = arena_alloc_array(ctx->arena, call.count, sizeof *values);
    if (!values)
        return DN_FAIL_NOMEM(err);
    rc = session_sequence(ctx, &call, values, err);
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        to[i] = vec_is_null(ret, i) ? 0 : *next++;
    return rc;
}

static int func_nextval(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count DN_UNUSED,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = to ? 0 : DN_E_NOMEM;

    if (rc == 0 && args[0].form == VEC_CONST)
        return session_nextvals(ctx, args, count, ret, to, err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct func_sequence call;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        call = session_call(FUNC_SEQUENCE_NEXT, args, i);
        rc = session_sequence(ctx, &call, &to[i], err);
    }
    return rc;
}

static int session_each(const struct func_ctx *ctx,
                        enum func_sequence_op op,
                        const struct vec *args,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = to ? 0 : DN_E_NOMEM;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct func_sequence call = {.op = op};

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        if (op != FUNC_SEQUENCE_LAST)
            call = session_call(op, args, i);
        rc = session_sequence(ctx, &call, &to[i], err);
    }
    return rc;
}

/* A function that asks for one number of each sequence. */
#define SESSION_EACH(name, op)                                               \
    static int func_##name(const struct func_ctx *ctx,                       \
                           const struct vec *args,                           \
                           uint32_t args_count DN_UNUSED,                    \
                           uint32_t count,                                   \
                           struct vec *ret,                                  \
                           struct dn_err *err)                               \
    {                                                                        \
        return session_each(ctx, FUNC_SEQUENCE_##op, args, count, ret, err); \
    }
SESSION_EACH(currval, CURRENT)
SESSION_EACH(lastval, LAST)
SESSION_EACH(sequence_value, STATE)

static int func_sequence_is_called(const struct func_ctx *ctx,
                                   const struct vec *args,
                                   uint32_t args_count DN_UNUSED,
                                   uint32_t count,
                                   struct vec *ret,
                                   struct dn_err *err)
{
    uint8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = to ? 0 : DN_E_NOMEM;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct func_sequence call;
        int64_t called = 0;

        if (!vec_is_null(ret, i)) {
            call = session_call(FUNC_SEQUENCE_CALLED, args, i);
            rc = session_sequence(ctx, &call, &called, err);
        }
        to[i] = called != 0;
    }
    return rc;
}

static int func_setval(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t args_count,
                       uint32_t count,
                       struct vec *ret,
                       struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = to ? 0 : DN_E_NOMEM;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct func_sequence call;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        call = session_call(FUNC_SEQUENCE_SET, args, i);
        call.value = vec_datum(&args[1], i).v.i64;
        call.called = args_count < 3 || vec_datum(&args[2], i).v.i64 != 0;
        rc = session_sequence(ctx, &call, &to[i], err);
    }
    return rc;
}

/* Its name in the arena; ptr NULL: there is none. */
static int session_serial(const struct func_ctx *ctx,
                          struct vstr table,
                          struct vstr column,
                          struct vstr *ret,
                          struct dn_err *err)
{
    struct func_serial of = {
        .table = table.ptr, .table_len = table.len, .column = column.ptr, .column_len = column.len};
    struct buf b;
    int rc;

    *ret = (struct vstr){.ptr = NULL};
    buf_init(&b, NULL);
    rc = ctx->session->serial(ctx->session->arg, &of, &b, err);
    if (rc == 0) {
        ret->ptr = b.failed ? NULL : arena_strndup(ctx->arena, (const char *)b.data, b.len);
        ret->len = (uint32_t)b.len;
        rc = ret->ptr ? 0 : DN_FAIL_NOMEM(err);
    }
    buf_done(&b);
    return rc < 0 ? rc : 0;
}

static int func_serial_sequence(const struct func_ctx *ctx,
                                const struct vec *args,
                                uint32_t args_count DN_UNUSED,
                                uint32_t count,
                                struct vec *ret,
                                struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    int rc = to ? session_need(ctx, "pg_get_serial_sequence()", err) : DN_E_NOMEM;

    if (rc == 0 && !nulls)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct vstr name = {.ptr = NULL};

        if (!vec_is_null(ret, i))
            rc = session_serial(ctx, vec_str(&args[0], i), vec_str(&args[1], i), &name, err);
        if (!name.ptr)
            vec_bit_set(nulls, i);
        to[i] = name.ptr ? name : (struct vstr){.ptr = ""};
    }
    ret->nulls = nulls;
    return rc;
}

static const struct func func_session_rows[] = {
    {.name = "nextval",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_nextval,
     .doc =
         "The next value of a sequence. It is given out once, whatever becomes of the statement."},
    {.name = "currval",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_currval,
     .doc = "The value that nextval of the sequence gave this session last."},
    {.name = "lastval",
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_lastval,
     .doc = "The value that nextval gave this session last, of whichever sequence."},
    {.name = "setval",
     .args = {TYPE_VARCHAR, TYPE_BIGINT},
     .args_count = 2,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_setval,
     .doc = "Sets a sequence: nextval gives the value after this one."},
    {.name = "setval",
     .args = {TYPE_VARCHAR, TYPE_BIGINT, TYPE_BOOLEAN},
     .args_count = 3,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_setval,
     .doc = "The same; if the last argument is false, nextval gives the value itself."},
    {.name = "pg_get_serial_sequence",
     .args = {TYPE_VARCHAR, TYPE_VARCHAR},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_serial_sequence,
     .doc = "The sequence that goes with a column of a table, NULL if there is none."},
    {.name = "pg_sequence_value",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_sequence_value,
     .doc = "last_value of a sequence: the value given out last, or the first if there is none."},
    {.name = "pg_sequence_is_called",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = TYPE_BOOLEAN,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_sequence_is_called,
     .doc = "is_called of a sequence: whether last_value was given out."},
    {.name = "random",
     .result = TYPE_DOUBLE,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_random,
     .doc = "A random number from 0 up to, but not, 1; another one for each row."},
    {.name = "gen_random_uuid",
     .result = TYPE_UUID,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_random_uuid,
     .doc = "A random UUID (version 4); another one for each row."},
};

const struct func_table func_table_session = {func_session_rows, DN_ARRAY_SIZE(func_session_rows)};
