/* SPDX-License-Identifier: Apache-2.0
 *
 * func_session.c: functions that ask the session: random numbers. Each is volatile, so that it is
 * called for every row and never when a statement is planned. */
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

static const struct func func_session_rows[] = {
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
