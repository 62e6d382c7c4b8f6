/* SPDX-License-Identifier: Apache-2.0
 *
 * func_settings.c: functions that change the session or make it wait: set_config, pg_sleep,
 * advisory locks; and its search path. */
#include "func/func_array.h"
#include "func/str_int.h"

#define SETTINGS_PATH_MAX 128u /* schemas in a search path */

static int settings_need(const struct func_ctx *ctx, struct dn_err *err)
{
    return ctx->session ? 0 : DN_FAIL(err, DN_E_UNSUPPORTED, "there is no session");
}

/* A text argument with a zero behind it. */
static int settings_text(const struct str_call *c, uint32_t arg, char **ret)
{
    struct vstr s = str_arg(c, arg);
    int rc = func_text_room(c->ctx, (uint64_t)s.len + 1, ret, c->err);

    if (rc < 0)
        return rc;
    if (s.len)
        memcpy(*ret, s.ptr, s.len);
    (*ret)[s.len] = 0;
    return 0;
}

static int str_set_config(const struct str_call *c, struct vstr *ret)
{
    const struct func_session *s = c->ctx->session;
    char *name = NULL;
    char *value = NULL;
    struct buf b;
    int rc = settings_need(c->ctx, c->err);

    if (rc == 0 && vec_is_null(&c->args[0], c->row))
        rc = DN_FAIL(c->err, DN_E_NULL_VALUE, "SET requires parameter name");
    if (rc == 0)
        rc = settings_text(c, 0, &name);
    if (rc == 0 && !vec_is_null(&c->args[1], c->row))
        rc = settings_text(c, 1, &value);
    if (rc < 0)
        return rc;
    buf_init(&b, c->ctx->arena->owner);
    rc =
        s->set(s->arg, name, value, !vec_is_null(&c->args[2], c->row) && str_int(c, 2), &b, c->err);
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(set_config)

static int func_reload_conf(const struct func_ctx *ctx,
                            const struct vec *args DN_UNUSED,
                            uint32_t args_count DN_UNUSED,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    uint8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = to ? settings_need(ctx, err) : DN_E_NOMEM;

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = ctx->session->reload ? ctx->session->reload(ctx->session->arg, err) : 0;
        to[i] = true;
    }
    return rc;
}

static bool settings_has(const struct datum *items, uint64_t count, const char *name)
{
    for (uint64_t i = 0; i < count; i++)
        if (items[i].str.len == strlen(name) && memcmp(items[i].str.ptr, name, strlen(name)) == 0)
            return true;
    return false;
}

static int str_current_schemas(const struct str_call *c, struct vstr *ret)
{
    const struct func_session *s = c->ctx->session;
    struct datum items[SETTINGS_PATH_MAX + 2];
    struct varray a = {.elem = TYPE_VARCHAR, .dims = 1, .low = {1}, .items = items};
    bool all = str_int(c, 0);
    bool catalog = false; /* it is in the path by itself */
    bool temp = false;    /* likewise */

    for (const char *p = s ? s->schema : ""; *p; p += strlen(p) + 1) {
        catalog = catalog || strcmp(p, "pg_catalog") == 0;
        temp = temp || strcmp(p, s->temp_schema) == 0;
    }
    if (all && s && s->temp_schema[0] && !temp)
        items[a.count++] = (struct datum){
            .type = TYPE_VARCHAR, .str = {s->temp_schema, (uint32_t)strlen(s->temp_schema)}};
    if (all && !catalog)
        items[a.count++] = (struct datum){.type = TYPE_VARCHAR, .str = {"pg_catalog", 10}};
    for (const char *p = s ? s->schema : ""; *p && a.count < SETTINGS_PATH_MAX; p += strlen(p) + 1)
        if (!settings_has(items, a.count, p)) /* each is looked into once */
            items[a.count++] =
                (struct datum){.type = TYPE_VARCHAR, .str = {p, (uint32_t)strlen(p)}};
    a.len[0] = (int32_t)a.count;
    a.dims = a.count ? 1 : 0;
    return func_array_write(c->ctx, &a, ret, c->err);
}
STR_KERNEL(current_schemas)

static int settings_wait(const struct str_call *c, double seconds)
{
    const struct func_session *s = c->ctx->session;
    int rc = settings_need(c->ctx, c->err);

    return rc == 0 && seconds > 0 ? s->sleep(s->arg, seconds < 1e9 ? seconds : 1e9, c->err) : rc;
}

static int str_sleep(const struct str_call *c, struct vstr *ret)
{
    *ret = (struct vstr){"", 0};
    return settings_wait(c, vec_f64(&c->args[0], c->row));
}
STR_KERNEL(sleep)

static int str_sleep_for(const struct str_call *c, struct vstr *ret)
{
    struct vinterval v = vec_datum(&c->args[0], c->row).iv;
    double days = (double)v.days + 30.0 * (double)v.months;

    *ret = (struct vstr){"", 0};
    return settings_wait(c, (double)v.us / 1e6 + days * 86400);
}
STR_KERNEL(sleep_for)

static int str_sleep_until(const struct str_call *c, struct vstr *ret)
{
    const struct func_session *s = c->ctx->session;
    int64_t until_us = vec_i64(&c->args[0], c->row);

    *ret = (struct vstr){"", 0};
    return settings_wait(c, s ? (double)until_us / 1e6 - (double)s->clock_ns(s->arg) / 1e9 : 0);
}
STR_KERNEL(sleep_until)

static int str_export_snapshot(const struct str_call *c, struct vstr *ret)
{
    const struct func_session *s = c->ctx->session;
    struct buf b;

    if (!s || !s->export_snapshot)
        return DN_FAIL(c->err, DN_E_UNSUPPORTED, "there is no transaction here");
    buf_init(&b, c->ctx->arena->owner);
    return str_keep(c, s->export_snapshot(s->arg, &b, c->err), &b, ret);
}
STR_KERNEL(export_snapshot)

/* ---- other sessions ---- */

static int settings_signal(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count,
                           uint32_t row,
                           bool end,
                           struct dn_err *err)
{
    const struct func_session *s = ctx->session;
    struct func_signal signal = {.pid = (int32_t)vec_i64(&args[0], row),
                                 .end = end,
                                 .timeout_ms = args_count > 1 ? vec_i64(&args[1], row) : 0};
    int rc = settings_need(ctx, err);

    if (rc == 0 && !s->signal)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "there are no other sessions here");
    return rc < 0 ? rc : s->signal(s->arg, &signal, err);
}

/* A kernel of a function that asks for each row whether something could be done. */
#define SETTINGS_BOOL(name, ask, how)                                   \
    static int func_##name(const struct func_ctx *ctx,                  \
                           const struct vec *args,                      \
                           uint32_t args_count,                         \
                           uint32_t count,                              \
                           struct vec *ret,                             \
                           struct dn_err *err)                          \
    {                                                                   \
        uint8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err); \
        int rc = to ? 0 : DN_E_NOMEM;                                   \
                                                                        \
        for (uint32_t i = 0; rc >= 0 && i < count; i++) {               \
            to[i] = false;                                              \
            if (vec_is_null(ret, i))                                    \
                continue;                                               \
            rc = ask(ctx, args, args_count, i, how, err);               \
            to[i] = rc > 0;                                             \
        }                                                               \
        return rc < 0 ? rc : 0;                                         \
    }

SETTINGS_BOOL(cancel_backend, settings_signal, false)
SETTINGS_BOOL(terminate_backend, settings_signal, true)

/* ---- advisory locks ---- */

/* Two numbers of 32 bits are other keys than one of 64. */
static int settings_advisory(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count,
                             uint32_t row,
                             unsigned how,
                             struct dn_err *err)
{
    const struct func_session *s = ctx->session;
    int64_t key = args_count ? vec_i64(&args[0], row) : 0;
    int rc = settings_need(ctx, err);

    if (args_count == 2)
        key = (int64_t)((uint64_t)key << 32 | (uint32_t)vec_i64(&args[1], row));
    return rc < 0 ? rc
                  : s->advisory(s->arg, how | (args_count == 2 ? FUNC_LOCK_PAIR : 0), key, err);
}

#define ADVISORY_VOID(name, how)                                                         \
    static int str_##name(const struct str_call *c, struct vstr *ret)                    \
    {                                                                                    \
        int rc = settings_advisory(c->ctx, c->args, c->args_count, c->row, how, c->err); \
                                                                                         \
        *ret = (struct vstr){"", 0};                                                     \
        return rc < 0 ? rc : 0;                                                          \
    }                                                                                    \
    STR_KERNEL(name)

ADVISORY_VOID(lock, FUNC_LOCK_TAKE)
ADVISORY_VOID(lock_shared, FUNC_LOCK_TAKE | FUNC_LOCK_SHARED)
ADVISORY_VOID(xact_lock, FUNC_LOCK_TAKE | FUNC_LOCK_XACT)
ADVISORY_VOID(xact_lock_shared, FUNC_LOCK_TAKE | FUNC_LOCK_XACT | FUNC_LOCK_SHARED)
ADVISORY_VOID(unlock_all, FUNC_LOCK_GIVE | FUNC_LOCK_ALL)
SETTINGS_BOOL(try_lock, settings_advisory, FUNC_LOCK_TRY)
SETTINGS_BOOL(try_lock_shared, settings_advisory, FUNC_LOCK_TRY | FUNC_LOCK_SHARED)
SETTINGS_BOOL(try_xact_lock, settings_advisory, FUNC_LOCK_TRY | FUNC_LOCK_XACT)
SETTINGS_BOOL(try_xact_lock_shared,
              settings_advisory,
              FUNC_LOCK_TRY | FUNC_LOCK_XACT | FUNC_LOCK_SHARED)
SETTINGS_BOOL(unlock, settings_advisory, FUNC_LOCK_GIVE)
SETTINGS_BOOL(unlock_shared, settings_advisory, FUNC_LOCK_GIVE | FUNC_LOCK_SHARED)

#define SETTINGS_ROW(fname, r, n, fn, text, ...)                                   \
    {                                                                              \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_##r, \
        .flags = FUNC_STRICT | FUNC_VOLATILE, .kernel = fn, .doc = text            \
    }
#define ADVISORY_ROWS(fname, r, fn, text)                                     \
    SETTINGS_ROW(fname, r, 1, fn, text " The key is a number.", TYPE_BIGINT), \
        SETTINGS_ROW(fname, r, 2, fn, text " The key is two numbers.", TYPE_INTEGER, TYPE_INTEGER)

static const struct func func_settings_rows[] = {
    {.name = "set_config",
     .args = {TYPE_VARCHAR, TYPE_VARCHAR, TYPE_BOOLEAN},
     .args_count = 3,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VOLATILE,
     .kernel = func_set_config,
     .doc = "Sets a setting and returns its value; true: only for the transaction, as SET LOCAL."},
    {.name = "current_schemas",
     .args = {TYPE_BOOLEAN},
     .args_count = 1,
     .result = (enum type_id)(TYPE_VARCHAR | TYPE_ARRAY),
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_current_schemas,
     .doc =
         "The schemas of search_path that are there; true: with those that are always looked at."},
    {.name = "pg_reload_conf",
     .result = TYPE_BOOLEAN,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_reload_conf,
     .doc = "The server reads its configuration anew, as SIGHUP makes it do. Superusers only."},
    SETTINGS_ROW("pg_sleep", VARCHAR, 1, func_sleep, "Waits for so many seconds.", TYPE_DOUBLE),
    SETTINGS_ROW("pg_sleep_for", VARCHAR, 1, func_sleep_for, "Waits as long.", TYPE_INTERVAL),
    SETTINGS_ROW("pg_sleep_until",
                 VARCHAR,
                 1,
                 func_sleep_until,
                 "Waits until the clock says so.",
                 TYPE_TIMESTAMPTZ),
    {.name = "pg_export_snapshot",
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_export_snapshot,
     .doc = "An id by which SET TRANSACTION SNAPSHOT in other sessions finds what this transaction "
            "reads."},
    SETTINGS_ROW("pg_cancel_backend",
                 BOOLEAN,
                 1,
                 func_cancel_backend,
                 "Cancels the statement of a session, by its pid in pg_stat_activity.",
                 TYPE_INTEGER),
    SETTINGS_ROW("pg_terminate_backend",
                 BOOLEAN,
                 1,
                 func_terminate_backend,
                 "Ends a session, by its pid in pg_stat_activity.",
                 TYPE_INTEGER),
    SETTINGS_ROW("pg_terminate_backend",
                 BOOLEAN,
                 2,
                 func_terminate_backend,
                 "The same, and waits up to so many milliseconds until it is gone.",
                 TYPE_INTEGER,
                 TYPE_BIGINT),
    ADVISORY_ROWS("pg_advisory_lock", VARCHAR, func_lock, "Waits for a lock of the session."),
    ADVISORY_ROWS("pg_advisory_lock_shared",
                  VARCHAR,
                  func_lock_shared,
                  "Waits for a lock of the session that others may share."),
    ADVISORY_ROWS("pg_advisory_xact_lock",
                  VARCHAR,
                  func_xact_lock,
                  "Waits for a lock that ends with the transaction."),
    ADVISORY_ROWS("pg_advisory_xact_lock_shared",
                  VARCHAR,
                  func_xact_lock_shared,
                  "Waits for a lock that others may share and that ends with the transaction."),
    ADVISORY_ROWS("pg_try_advisory_lock",
                  BOOLEAN,
                  func_try_lock,
                  "Takes a lock of the session if it is free."),
    ADVISORY_ROWS("pg_try_advisory_lock_shared",
                  BOOLEAN,
                  func_try_lock_shared,
                  "Takes a lock of the session that others may share, if it can be had."),
    ADVISORY_ROWS("pg_try_advisory_xact_lock",
                  BOOLEAN,
                  func_try_xact_lock,
                  "Takes a lock that ends with the transaction, if it is free."),
    ADVISORY_ROWS(
        "pg_try_advisory_xact_lock_shared",
        BOOLEAN,
        func_try_xact_lock_shared,
        "Takes a lock that others may share and that ends with the transaction, if it can "
        "be had."),
    ADVISORY_ROWS("pg_advisory_unlock",
                  BOOLEAN,
                  func_unlock,
                  "Gives back a lock of the session; false: there was none."),
    ADVISORY_ROWS("pg_advisory_unlock_shared",
                  BOOLEAN,
                  func_unlock_shared,
                  "Gives back a shared lock of the session; false: there was none."),
    {.name = "pg_advisory_unlock_all",
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_unlock_all,
     .doc = "Gives back all locks of the session."},
};

const struct func_table func_table_settings = {func_settings_rows,
                                               DN_ARRAY_SIZE(func_settings_rows)};
