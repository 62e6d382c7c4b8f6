/* SPDX-License-Identifier: Apache-2.0
 *
 * func_info.c: what the session is, what the clock says, what values are. */
#include "base/civil.h"
#include "func/func_array.h"
#include "func/str_int.h"
#include "func/tmpl.h"
#include "func/zoned.h"

/* ---- who and where ---- */

/* A name the session has; a session that is none has none. */
#define INFO_NAME(name, field)                                                            \
    static int str_##name(const struct str_call *c, struct vstr *ret)                     \
    {                                                                                     \
        const char *text = c->ctx->session ? c->ctx->session->field : NULL;               \
                                                                                          \
        *ret = text ? (struct vstr){text, (uint32_t)strlen(text)} : (struct vstr){"", 0}; \
        return 0;                                                                         \
    }                                                                                     \
    STR_KERNEL(name)

INFO_NAME(current_user, user)
INFO_NAME(session_user, login)
INFO_NAME(current_database, database)
INFO_NAME(version, version)

static int str_client_encoding(const struct str_call *c DN_UNUSED, struct vstr *ret)
{
    *ret = (struct vstr){"UTF8", 4};
    return 0;
}
STR_KERNEL(client_encoding)

FUNC_EACH(func_backend_pid, int32_t, (to[i] = ctx->session ? ctx->session->id : 0, 0))

static int str_current_setting(const struct str_call *c, struct vstr *ret)
{
    struct vstr name = str_arg(c, 0);
    bool missing_ok = c->args_count == 2 && str_int(c, 1);
    char *text;
    struct buf b;
    int rc = func_text_room(c->ctx, (uint64_t)name.len + 1, &text, c->err);

    if (rc < 0)
        return rc;
    memcpy(text, name.ptr, name.len);
    text[name.len] = 0;
    if (!c->ctx->session)
        return DN_FAIL(c->err, DN_E_UNSUPPORTED, "there is no session");
    buf_init(&b, c->ctx->arena->owner);
    rc = c->ctx->session->setting(c->ctx->session->arg, text, &b, c->err);
    if (rc == DN_E_UNDEFINED_OBJECT && missing_ok) {
        buf_done(&b);
        return 1;
    }
    return str_keep(c, rc, &b, ret);
}

/* Kernels whose text may be missing: NULL. */
static int info_maybe(int (*kernel)(const struct str_call *c, struct vstr *ret),
                      const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct str_call c = {
            .ctx = ctx, .args = args, .args_count = args_count, .row = i, .err = err};
        int rc = 1;

        to[i] = (struct vstr){"", 0};
        if (!vec_is_null(ret, i))
            rc = kernel(&c, &to[i]);
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

#define INFO_MAYBE(name)                                                       \
    static int func_##name(const struct func_ctx *ctx,                         \
                           const struct vec *args,                             \
                           uint32_t args_count,                                \
                           uint32_t count,                                     \
                           struct vec *ret,                                    \
                           struct dn_err *err)                                 \
    {                                                                          \
        return info_maybe(str_##name, ctx, args, args_count, count, ret, err); \
    }

INFO_MAYBE(current_setting)

/* None of the schemas of search_path is there: NULL. */
static int str_current_schema(const struct str_call *c, struct vstr *ret)
{
    const char *text = c->ctx->session ? c->ctx->session->schema : NULL;

    *ret = text ? (struct vstr){text, (uint32_t)strlen(text)} : (struct vstr){"", 0};
    return text && text[0] ? 0 : 1;
}

INFO_MAYBE(current_schema)

/* ---- the clock ---- */

static int64_t info_clock(const struct func_ctx *ctx)
{
    int64_t ns = ctx->session ? ctx->session->clock_ns(ctx->session->arg) : ctx->now_ns;

    return civil_floor(ns, 1000);
}

FUNC_EACH(func_clock, int64_t, (to[i] = info_clock(ctx), 0))

/* ---- rows that expire ---- */

/* Whole seconds, none of them over: a row that is there has at least one. */
static int64_t info_ttl(const struct func_ctx *ctx, int64_t expiry_ns)
{
    int64_t now = ctx->session ? ctx->session->statement_ns : ctx->now_ns;

    return expiry_ns > now ? (expiry_ns - now - 1) / 1000000000 + 1 : 0;
}

FUNC_EACH(func_ttl, int64_t, (to[i] = info_ttl(ctx, vec_i64(&args[0], i)), 0))
FUNC_EACH(func_expires_at, int64_t, (to[i] = civil_floor(vec_i64(&args[0], i), 1000), 0))

static int
info_advance(const struct func_ctx *ctx, struct vinterval by, int64_t *ret, struct dn_err *err)
{
    int64_t now = info_clock(ctx);
    int64_t ns;
    int rc = func_interval_move(ctx, TYPE_TIMESTAMPTZ, now, by, ret, err);

    if (rc < 0)
        return rc;
    if (__builtin_mul_overflow(*ret, (int64_t)1000, &ns))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "the clock ends in the year 2262");
    return ctx->session->clock_advance(ctx->session->arg, ns, err);
}

FUNC_EACH(func_advance, int64_t, info_advance(ctx, func_iv(&args[0], i), &to[i], err))

static int info_confirm(const struct func_ctx *ctx, int64_t day, int64_t *ret, struct dn_err *err)
{
    int rc;

    if (!ctx->session || !ctx->session->clock_confirm)
        return DN_FAIL(err, DN_E_NOT_READY, "no database is open");
    rc = ctx->session->clock_confirm(ctx->session->arg, day, err);
    *ret = info_clock(ctx);
    return rc;
}

FUNC_EACH(func_confirm, int64_t, info_confirm(ctx, vec_i64(&args[0], i), &to[i], err))

static int str_timeofday(const struct str_call *c, struct vstr *ret)
{
    struct zoned z = zoned_make(zoned_session(c->ctx));
    int64_t local = 0;
    int rc = zoned_local(&z, info_clock(c->ctx), &local, c->err);
    int64_t days = civil_floor(local, ZONED_US_DAY);
    int64_t us = civil_mod(local, ZONED_US_DAY);
    struct civil d = civil_from_days(days);
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    buf_printf(&b,
               "%.3s %.3s %02d %02d:%02d:%02d.%06d %04d %s",
               tmpl_days[civil_mod(days + 4, 7)],
               tmpl_months[d.month - 1],
               d.day,
               (int)(us / 3600000000),
               (int)(us / 60000000 % 60),
               (int)(us / 1000000 % 60),
               (int)(us % 1000000),
               (int)d.year,
               z.span.abbrev);
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(timeofday)

static int str_setseed(const struct str_call *c, struct vstr *ret)
{
    double seed = vec_f64(&c->args[0], c->row);

    if (!(seed >= -1 && seed <= 1))
        return DN_FAIL(c->err,
                       DN_E_INVALID_PARAM,
                       "setseed parameter %g is out of allowed range [-1,1]",
                       seed);
    if (c->ctx->session)
        c->ctx->session->seed(c->ctx->session->arg, seed);
    *ret = (struct vstr){"", 0};
    return 0;
}
STR_KERNEL(setseed)

/* ---- values ---- */

static int32_t info_nulls(const struct vec *args, uint32_t args_count, uint32_t row)
{
    int32_t n = 0;

    for (uint32_t i = 0; i < args_count; i++)
        n += vec_is_null(&args[i], row);
    return n;
}

FUNC_EACH(func_num_nulls, int32_t, (to[i] = info_nulls(args, args_count, i), 0))
FUNC_EACH(func_num_nonnulls,
          int32_t,
          (to[i] = (int32_t)args_count - info_nulls(args, args_count, i), 0))

/* ---- parse_ident ---- */

static bool info_name_char(char ch, bool first)
{
    return ((ch | 32) >= 'a' && (ch | 32) <= 'z') || ch == '_' || (uint8_t)ch >= 128 ||
           (!first && ((ch >= '0' && ch <= '9') || ch == '$'));
}

struct info_ident {
    const struct str_call *c;
    struct vstr in;
    uint32_t at;
};

static int info_bad_ident(const struct info_ident *p, const char *detail)
{
    int rc = DN_FAIL(p->c->err,
                     DN_E_INVALID_PARAM,
                     "string is not a valid identifier: \"%.*s\"",
                     p->in.len > 60 ? 60 : (int)p->in.len,
                     p->in.ptr);

    if (detail)
        dn_err_hint(p->c->err, "%s", detail);
    return rc;
}

static void info_blanks(struct info_ident *p)
{
    while (p->at < p->in.len &&
           (p->in.ptr[p->at] == ' ' || (p->in.ptr[p->at] >= '\t' && p->in.ptr[p->at] <= '\r')))
        p->at++;
}

/* One part: in quotes as it is, else in lower case. */
static int info_part(struct info_ident *p, struct vstr *ret)
{
    bool quoted = p->at < p->in.len && p->in.ptr[p->at] == '"';
    bool closed = !quoted;
    struct buf b;
    int rc = 0;

    buf_init(&b, p->c->ctx->arena->owner);
    if (!quoted && (p->at >= p->in.len || !info_name_char(p->in.ptr[p->at], true)))
        rc = info_bad_ident(p, NULL);
    for (p->at += quoted; rc == 0 && p->at < p->in.len; p->at++) {
        char ch = p->in.ptr[p->at];

        if (quoted && ch == '"') {
            if (p->at + 1 >= p->in.len || p->in.ptr[p->at + 1] != '"') {
                closed = true;
                p->at++;
                break;
            }
            p->at++;
        } else if (!quoted && !info_name_char(ch, false)) {
            break;
        }
        buf_u8(&b, (uint8_t)(quoted ? ch : tmpl_down(ch)));
    }
    if (rc == 0 && !closed)
        rc = info_bad_ident(p, "String has unclosed double quotes.");
    if (rc == 0 && b.len == 0)
        rc = info_bad_ident(p, "Quoted identifier must not be empty.");
    return str_keep(p->c, rc, &b, ret);
}

#define INFO_PARTS_MAX 64u

static int str_parse_ident(const struct str_call *c, struct vstr *ret)
{
    struct info_ident p = {.c = c, .in = str_arg(c, 0)};
    bool strict = c->args_count < 2 || str_int(c, 1);
    struct datum items[INFO_PARTS_MAX];
    struct varray a = {.elem = TYPE_VARCHAR, .dims = 1, .low = {1}, .items = items};
    bool more = true;
    int rc = 0;

    while (more && rc == 0) {
        info_blanks(&p);
        if (a.count == INFO_PARTS_MAX)
            return info_bad_ident(&p, "It has too many parts.");
        items[a.count] = (struct datum){.type = TYPE_VARCHAR};
        rc = info_part(&p, &items[a.count++].str);
        info_blanks(&p);
        more = rc == 0 && p.at < p.in.len && p.in.ptr[p.at] == '.';
        p.at += more;
    }
    if (rc == 0 && strict && p.at < p.in.len)
        rc = info_bad_ident(&p, NULL);
    a.len[0] = (int32_t)a.count;
    return rc < 0 ? rc : func_array_write(c->ctx, &a, ret, c->err);
}
STR_KERNEL(parse_ident)

#define INFO_ROW(fname, r, fl, fn, text)                                                          \
    {                                                                                             \
        .name = fname, .result = TYPE_##r, .flags = FUNC_STRICT | (fl), .kernel = fn, .doc = text \
    }

static int str_current_query(const struct str_call *c, struct vstr *ret)
{
    const char *text = c->ctx->session ? c->ctx->session->query : NULL;

    if (!text)
        return 1;
    *ret = (struct vstr){text, (uint32_t)strlen(text)};
    return 0;
}

static int func_current_query(const struct func_ctx *ctx,
                              const struct vec *args,
                              uint32_t args_count,
                              uint32_t count,
                              struct vec *ret,
                              struct dn_err *err)
{
    return info_maybe(str_current_query, ctx, args, args_count, count, ret, err);
}

FUNC_EACH(func_start_time, int64_t, (to[i] = ctx->session ? ctx->session->opened_ns / 1000 : 0, 0))

static const struct func func_info_rows[] = {
    INFO_ROW(
        "current_query",
        VARCHAR,
        FUNC_STABLE,
        func_current_query,
        "The text of the statement; NULL where it is not kept: of one that only changes rows."),
    INFO_ROW("pg_postmaster_start_time",
             TIMESTAMPTZ,
             FUNC_STABLE,
             func_start_time,
             "When the server was started, or whoever embeds it opened the database."),
    INFO_ROW("current_user", VARCHAR, FUNC_STABLE, func_current_user, "Who the session is."),
    INFO_ROW("session_user", VARCHAR, FUNC_STABLE, func_session_user, "Who logged in."),
    INFO_ROW("current_role", VARCHAR, FUNC_STABLE, func_current_user, "Who the session is."),
    INFO_ROW("user", VARCHAR, FUNC_STABLE, func_current_user, "Who the session is."),
    INFO_ROW("current_database",
             VARCHAR,
             FUNC_STABLE,
             func_current_database,
             "The name of the database."),
    INFO_ROW("current_catalog",
             VARCHAR,
             FUNC_STABLE,
             func_current_database,
             "The name of the database."),
    INFO_ROW("current_schema",
             VARCHAR,
             FUNC_STABLE,
             func_current_schema,
             "The schema of names without one."),
    INFO_ROW("version", VARCHAR, FUNC_STABLE, func_version, "What is running here."),
    INFO_ROW("pg_backend_pid", INTEGER, FUNC_STABLE, func_backend_pid, "Number of the session."),
    INFO_ROW("pg_client_encoding",
             VARCHAR,
             FUNC_STABLE,
             func_client_encoding,
             "The encoding of texts: UTF8, always."),
    {.name = "current_setting",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_current_setting,
     .doc = "The value of a setting, as SHOW has it."},
    {.name = "current_setting",
     .args = {TYPE_VARCHAR, TYPE_BOOLEAN},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_current_setting,
     .doc = "The same; NULL if there is no such setting and the second argument is true."},
    INFO_ROW("clock_timestamp",
             TIMESTAMPTZ,
             FUNC_VOLATILE | FUNC_CLOCK,
             func_clock,
             "What the clock says; another time for each row."),
    INFO_ROW("timeofday",
             VARCHAR,
             FUNC_VOLATILE,
             func_timeofday,
             "What the clock says, as text such as Mon Jun 01 10:00:00.000000 2015 UTC."),
    {.name = "dendro_test_clock_advance",
     .args = {TYPE_INTERVAL},
     .args_count = 1,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_advance,
     .doc =
         "Sets the database's clock ahead; what it says then. Only with the setting test_clock."},
    {.name = "dendro_confirm_clock",
     .args = {TYPE_DATE},
     .args_count = 1,
     .result = TYPE_TIMESTAMPTZ,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_confirm,
     .doc = "Confirms that this is the day, in UTC, and the clock of the machine right: retention, "
            "rollouts and expiry go on by it after a step that was too big to be believed. "
            "Superusers only."},
    {.name = "setseed",
     .args = {TYPE_DOUBLE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_VOLATILE,
     .kernel = func_setseed,
     .doc = "Makes random() give the same numbers again after the same seed, -1 to 1."},
    {.name = "num_nulls",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_INTEGER,
     .flags = FUNC_VARIADIC,
     .kernel = func_num_nulls,
     .doc = "How many of the arguments are NULL.",
     .example = "num_nulls(1, NULL, 2) = 1"},
    {.name = "num_nonnulls",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_INTEGER,
     .flags = FUNC_VARIADIC,
     .kernel = func_num_nonnulls,
     .doc = "How many of the arguments are not NULL.",
     .example = "num_nonnulls(1, NULL, 2) = 2"},
    {.name = "ttl",
     .args = {TYPE_BIGINT},
     .args_count = 1,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_ttl,
     .doc = "Seconds until the row of a column, or of a table of FROM, expires: ttl(c), ttl(t). "
            "NULL: it does not. In calls it takes no other values."},
    {.name = "expires_at",
     .args = {TYPE_BIGINT},
     .args_count = 1,
     .result = TYPE_TIMESTAMP_US,
     .flags = FUNC_STRICT | FUNC_STABLE,
     .kernel = func_expires_at,
     .doc = "When that row expires."},
    {.name = "parse_ident",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = (enum type_id)(TYPE_VARCHAR | TYPE_ARRAY),
     .flags = FUNC_STRICT,
     .kernel = func_parse_ident,
     .doc = "The parts of a qualified name, those without quotes in lower case."},
    {.name = "parse_ident",
     .args = {TYPE_VARCHAR, TYPE_BOOLEAN},
     .args_count = 2,
     .result = (enum type_id)(TYPE_VARCHAR | TYPE_ARRAY),
     .flags = FUNC_STRICT,
     .kernel = func_parse_ident,
     .doc = "The same; false: whatever follows the name does not count."},
};

const struct func_table func_table_info = {func_info_rows, DN_ARRAY_SIZE(func_info_rows)};
