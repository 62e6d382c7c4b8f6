/* SPDX-License-Identifier: Apache-2.0
 *
 * extended.c: the extended protocol: Parse, Bind, Describe, Execute, Close, Sync. */
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/server.h"

#include <strings.h>

static struct mem_owner *ext_owner(const struct pgw *p)
{
    return server_owner(p->c->srv);
}

static void ext_nomem(struct pgw *p)
{
    pgw_failf(p, "53200", "out of memory");
}

/* ---- names ---- */

static struct pgw_stmt *ext_stmt(const struct pgw *p, const char *name)
{
    for (struct pgw_stmt *s = p->stmts; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static struct pgw_portal *ext_portal(const struct pgw *p, const char *name)
{
    for (struct pgw_portal *s = p->portals; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

static void ext_portal_free(struct pgw *p, struct pgw_portal *portal)
{
    struct pgw_portal **at = &p->portals;

    while (*at && *at != portal)
        at = &(*at)->next;
    if (*at)
        *at = portal->next;
    pgw_portal_reset(portal);
    if (portal->kept > 0)
        engine_unkeep(p->session, portal->kept, portal->name[0] == 0);
    if (portal->own)
        dendro_finalize(portal->stmt);
    mem_free(portal->formats);
    mem_free(portal);
}

static void ext_stmt_free(struct pgw *p, struct pgw_stmt *s)
{
    struct pgw_stmt **at = &p->stmts;
    struct pgw_portal *next;

    while (*at && *at != s)
        at = &(*at)->next;
    if (*at) {
        *at = s->next;
        p->stmts_count--;
    }
    for (struct pgw_portal *portal = p->portals; portal; portal = next) {
        next = portal->next;
        if (portal->of == s)
            ext_portal_free(p, portal);
    }
    dendro_finalize(s->stmt);
    if (s->kept > 0)
        engine_unkeep(p->session, s->kept, s->name[0] == 0);
    mem_free(s->types);
    mem_free(s->oids);
    mem_free(s->sql);
    mem_free(s->name);
    mem_free(s);
}

void pgw_forget_all(struct pgw *p)
{
    while (p->portals)
        ext_portal_free(p, p->portals);
    while (p->stmts)
        ext_stmt_free(p, p->stmts);
}

bool pgw_forget(struct pgw *p, const char *name)
{
    struct pgw_stmt *next;
    bool found = false;

    for (struct pgw_stmt *s = p->stmts; s; s = next) {
        next = s->next;
        if (s->name[0] == 0 || (name && strcasecmp(s->name, name) != 0))
            continue;
        found = true;
        ext_stmt_free(p, s);
    }
    return found;
}

/* ---- Parse ---- */

/* The statement of s->sql, which must be the only one. */
static bool ext_prepare(struct pgw *p, const struct pgw_stmt *s, dendro_stmt **ret)
{
    struct dendro_error err;
    dendro_stmt *more = NULL;
    const char *tail;
    int rc = engine_prepare(p->session, s->sql, s->types, s->oids_count, ret, &tail, &err);

    if (rc < 0) {
        struct audit_who who = pgw_who(p);
        struct audit_stmt what = {
            .session = p->session, .text = s->sql, .text_len = strlen(s->sql), .err = &err};

        audit_statement(p->c->srv, &who, &what);
        pgw_fail(p, &err);
        return false;
    }
    while (*ret &&
           (*tail == ' ' || *tail == ';' || *tail == '\n' || *tail == '\t' || *tail == '\r'))
        tail++;
    if (!*ret || *tail == 0)
        return true;
    rc = dendro_prepare(p->session, tail, -1, &more, NULL, NULL);
    if (rc == 0 && !more)
        return true; /* a comment */
    dendro_finalize(more);
    dendro_finalize(*ret);
    *ret = NULL;
    pgw_failf(p, "42601", "cannot insert multiple commands into a prepared statement");
    return false;
}

/* What the session keeps has a limit. False: it is over it, and the client was told. */
static bool ext_keep_stmt(struct pgw *p, struct pgw_stmt *s)
{
    size_t kept = sizeof(*s) + strlen(s->name) + strlen(s->sql) +
                  s->oids_count * (sizeof(*s->oids) + sizeof(*s->types));
    struct dendro_error err;

    if (engine_keep(p->session, kept, s->name[0] == 0, &err) < 0) {
        pgw_fail(p, &err);
        return false;
    }
    s->kept = kept;
    if (engine_keep_stmt(s->stmt, s->name[0] == 0, &err) == 0)
        return true;
    pgw_fail(p, &err);
    return false;
}

static bool ext_keep_portal(struct pgw *p, struct pgw_portal *portal)
{
    size_t kept = sizeof(*portal) + strlen(portal->name) +
                  (size_t)portal->columns_count * sizeof(*portal->formats);
    struct dendro_error err;

    if (engine_keep(p->session, kept, portal->name[0] == 0, &err) < 0) {
        pgw_fail(p, &err);
        return false;
    }
    portal->kept = kept;
    if (engine_keep_stmt(portal->stmt, pgw_alone(portal), &err) == 0) /* with its parameters */
        return true;
    pgw_fail(p, &err);
    return false;
}

static struct pgw_stmt *
ext_stmt_new(struct pgw *p, const char *name, const char *sql, struct pgw_rd *oids, int count)
{
    struct pgw_stmt *s = mem_calloc(ext_owner(p), 1, sizeof(*s));

    if (!s)
        return NULL;
    s->name = mem_strdup(ext_owner(p), name);
    s->sql = mem_strdup(ext_owner(p), sql);
    s->oids_count = (uint32_t)count;
    s->oids = mem_calloc(ext_owner(p), (size_t)count + 1, sizeof(*s->oids));
    s->types = mem_calloc(ext_owner(p), (size_t)count + 1, sizeof(*s->types));
    for (int i = 0; s->oids && s->types && i < count; i++) {
        s->oids[i] = (uint32_t)pgw_rd_i32(oids);
        s->types[i] = pgw_type_hint(s->oids[i]);
    }
    if (s->name && s->sql && s->oids && s->types)
        return s;
    ext_stmt_free(p, s);
    return NULL;
}

void pgw_parse(struct pgw *p, struct pgw_rd *body)
{
    const char *name = pgw_rd_text(body);
    const char *sql = pgw_rd_text(body);
    int count = (uint16_t)pgw_rd_i16(body);
    struct pgw_stmt *s;
    struct pgw_stmt *old;

    if (body->bad || pgw_rd_left(body) != (size_t)count * 4) {
        pgw_failf(p, "08P01", "invalid message format");
        return;
    }
    old = ext_stmt(p, name);
    if (old && name[0]) {
        pgw_failf(p, "42P05", "prepared statement \"%s\" already exists", name);
        return;
    }
    if (old)
        ext_stmt_free(p, old);
    if (p->stmts_count >= PGW_STMTS_MAX) {
        pgw_failf(p, "54000", "there are %u prepared statements already", p->stmts_count);
        return;
    }
    s = ext_stmt_new(p, name, sql, body, count);
    if (!s) {
        ext_nomem(p);
        return;
    }
    if (!ext_prepare(p, s, &s->stmt) || !ext_keep_stmt(p, s)) {
        ext_stmt_free(p, s);
        return;
    }
    s->next = p->stmts;
    p->stmts = s;
    p->stmts_count++;
    pgw_empty(&p->c->out, '1');
}

/* ---- Bind ---- */

/* One format for all, one for each, or none: text. False: their number is wrong. */
static bool
ext_format(const uint8_t *codes, int codes_count, int count, int at, enum pgw_format *ret)
{
    struct pgw_rd r;
    int i = codes_count == 1 ? 0 : at;
    int16_t code = 0;

    if (codes_count > 1 && codes_count != count)
        return false;
    if (codes_count > 0) {
        r = (struct pgw_rd){.p = codes + i * 2, .end = codes + i * 2 + 2};
        code = pgw_rd_i16(&r);
    }
    *ret = (enum pgw_format)code;
    return code == PGW_FORMAT_TEXT || code == PGW_FORMAT_BINARY;
}

static bool ext_bind_params(struct pgw *p, struct pgw_portal *portal, struct pgw_rd *body)
{
    int codes_count = (uint16_t)pgw_rd_i16(body);
    const uint8_t *codes = pgw_rd_bytes(body, (size_t)codes_count * 2);
    int count = (uint16_t)pgw_rd_i16(body);
    int wanted = portal->stmt ? dendro_param_count(portal->stmt) : 0;
    struct dendro_error err;

    if (!body->bad && count != wanted) {
        pgw_failf(p,
                  "08P01",
                  "bind message supplies %d parameters, but prepared statement \"%s\" requires %d",
                  count,
                  portal->of->name,
                  wanted);
        return false;
    }
    for (int i = 0; i < count && !body->bad; i++) {
        struct pgw_given g = {.oid = (uint32_t)i < portal->of->oids_count ? portal->of->oids[i] : 0,
                              .wanted = (enum type_id)dendro_param_type(portal->stmt, i + 1)};
        int32_t len = pgw_rd_i32(body);

        if (len >= 0) {
            g.bytes = pgw_rd_bytes(body, (size_t)len);
            g.len = (uint32_t)len;
        }
        if (body->bad || len < -1 || !ext_format(codes, codes_count, count, i, &g.format)) {
            body->bad = true;
            break;
        }
        if (pgw_bind(portal->stmt, i + 1, &g, &p->scratch, &err) < 0) {
            pgw_fail(p, &err);
            return false;
        }
    }
    arena_reset(&p->scratch);
    if (body->bad)
        pgw_failf(p, "08P01", "invalid message format");
    return !body->bad;
}

static bool ext_bind_formats(struct pgw *p, struct pgw_portal *portal, struct pgw_rd *body)
{
    int codes_count = (uint16_t)pgw_rd_i16(body);
    const uint8_t *codes = pgw_rd_bytes(body, (size_t)codes_count * 2);
    int count = portal->stmt ? dendro_column_count(portal->stmt) : 0;
    enum pgw_format format;

    if (!pgw_rd_done(body)) {
        pgw_failf(p, "08P01", "invalid message format");
        return false;
    }
    portal->columns_count = count;
    for (int i = 0; i < count; i++) {
        if (!ext_format(codes, codes_count, count, i, &format)) {
            pgw_failf(p,
                      "08P01",
                      "bind message has %d result formats but query has %d columns",
                      codes_count,
                      count);
            return false;
        }
        if (format == PGW_FORMAT_TEXT && !portal->formats)
            continue;
        if (!portal->formats)
            portal->formats = mem_calloc(ext_owner(p), (size_t)count, sizeof(*portal->formats));
        if (!portal->formats) {
            ext_nomem(p);
            return false;
        }
        portal->formats[i] = (int16_t)format;
    }
    return true;
}

void pgw_bind_portal(struct pgw *p, struct pgw_rd *body)
{
    const char *name = pgw_rd_text(body);
    const char *of = pgw_rd_text(body);
    struct pgw_stmt *s = ext_stmt(p, of);
    struct pgw_portal *portal = ext_portal(p, name);

    if (body->bad) {
        pgw_failf(p, "08P01", "invalid message format");
        return;
    }
    if (!s) {
        if (of[0])
            pgw_failf(p, "26000", "prepared statement \"%s\" does not exist", of);
        else
            pgw_failf(p, "26000", "unnamed prepared statement does not exist");
        return;
    }
    if (portal && name[0]) {
        pgw_failf(p, "42P03", "portal \"%s\" already exists", name);
        return;
    }
    if (portal)
        ext_portal_free(p, portal);
    portal = mem_calloc(ext_owner(p), 1, sizeof(*portal) + strlen(name) + 1);
    if (!portal) {
        ext_nomem(p);
        return;
    }
    portal->name = (char *)(portal + 1);
    memcpy(portal->name, name, strlen(name));
    portal->next = p->portals;
    p->portals = portal;
    portal->of = s;
    if (s->user) { /* P2 */
        portal->own = ext_prepare(p, s, &portal->stmt);
        if (!portal->own) {
            ext_portal_free(p, portal);
            return;
        }
    } else {
        portal->stmt = s->stmt;
        s->user = portal;
    }
    if (!ext_bind_params(p, portal, body) || !ext_bind_formats(p, portal, body) ||
        !ext_keep_portal(p, portal))
        ext_portal_free(p, portal);
    else
        pgw_empty(&p->c->out, '2');
}

/* ---- Describe ---- */

static void ext_describe_params(struct pgw *p, const struct pgw_stmt *s)
{
    struct buf *b = &p->c->out;
    int count = s->stmt ? dendro_param_count(s->stmt) : 0;
    size_t at = pgw_begin(b, 't');

    pgw_i16(b, (int16_t)count);
    for (int i = 0; i < count; i++) {
        uint32_t oid = (uint32_t)i < s->oids_count ? s->oids[i] : 0;

        if (oid == 0)
            oid = pgw_type_oid((enum type_id)dendro_param_type(s->stmt, i + 1));
        buf_be32(b, oid);
    }
    pgw_end(b, at);
}

static void ext_describe_rows(struct pgw *p, dendro_stmt *stmt, const int16_t *formats)
{
    if (engine_gives_rows(stmt))
        pgw_row_description(p, stmt, formats);
    else
        pgw_empty(&p->c->out, 'n');
}

/* Cursors of SQL go by the same names. */
static void ext_describe_cursor(struct pgw *p, const char *name)
{
    struct dendro_error err;
    dendro_stmt *fetch = NULL;
    struct buf b;

    buf_init(&b, ext_owner(p));
    buf_puts(&b, "FETCH 0 FROM \"");
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            buf_u8(&b, '"');
        buf_u8(&b, (uint8_t)*c);
    }
    buf_puts(&b, "\"");
    if (b.failed)
        ext_nomem(p);
    else if (dendro_prepare(
                 p->session, (const char *)b.data, (ptrdiff_t)b.len, &fetch, NULL, &err) == 0)
        pgw_row_description(p, fetch, NULL);
    else
        pgw_failf(p, "34000", "portal \"%s\" does not exist", name);
    dendro_finalize(fetch);
    buf_done(&b);
}

void pgw_describe(struct pgw *p, struct pgw_rd *body)
{
    uint8_t what = pgw_rd_u8(body);
    const char *name = pgw_rd_text(body);
    struct pgw_stmt *s;
    struct pgw_portal *portal;

    if (!pgw_rd_done(body) || (what != 'S' && what != 'P')) {
        pgw_failf(p, "08P01", "invalid message format");
    } else if (what == 'S') {
        s = ext_stmt(p, name);
        if (!s) {
            pgw_failf(p, "26000", "prepared statement \"%s\" does not exist", name);
            return;
        }
        ext_describe_params(p, s);
        ext_describe_rows(p, s->stmt, NULL);
    } else {
        portal = ext_portal(p, name);
        if (portal)
            ext_describe_rows(p, portal->stmt, portal->formats);
        else
            ext_describe_cursor(p, name);
    }
}

/* ---- Execute, Close, Sync ---- */

void pgw_execute(struct pgw *p, struct pgw_rd *body)
{
    const char *name = pgw_rd_text(body);
    int32_t rows = pgw_rd_i32(body);
    struct pgw_portal *portal = ext_portal(p, name);

    if (!pgw_rd_done(body)) {
        pgw_failf(p, "08P01", "invalid message format");
    } else if (!portal) {
        pgw_failf(p, "34000", "portal \"%s\" does not exist", name);
    } else if (!portal->stmt) {
        pgw_empty(&p->c->out, 'I');
    } else if (portal->done) {
        if (engine_gives_rows(portal->stmt))
            pgw_complete(&p->c->out, "SELECT 0");
        else
            pgw_failf(p, "55000", "portal \"%s\" cannot be run", name);
    } else {
        portal->rows_left = rows > 0 ? (uint64_t)rows : 0;
        portal->enough = false;
        if (!p->alone) /* all up to Sync is one transaction */
            engine_group_begin(p->session);
        p->running = portal;
    }
}

void pgw_close_named(struct pgw *p, struct pgw_rd *body)
{
    uint8_t what = pgw_rd_u8(body);
    const char *name = pgw_rd_text(body);
    struct pgw_stmt *s = what == 'S' ? ext_stmt(p, name) : NULL;
    struct pgw_portal *portal = what == 'P' ? ext_portal(p, name) : NULL;

    if (!pgw_rd_done(body) || (what != 'S' && what != 'P')) {
        pgw_failf(p, "08P01", "invalid message format");
        return;
    }
    if (s)
        ext_stmt_free(p, s);
    if (portal)
        ext_portal_free(p, portal);
    pgw_empty(&p->c->out, '3');
}

void pgw_end_portals(struct pgw *p)
{
    if (pgw_status(p) == 'I')
        while (p->portals)
            ext_portal_free(p, p->portals);
}

void pgw_sync(struct pgw *p)
{
    struct dendro_error err;

    pgw_end_portals(p);
    if (engine_group_end(p->session, !p->skip, &err) < 0)
        pgw_fail(p, &err);
    p->skip = false;
    pgw_settings_tell(p);
    pgw_ready(&p->c->out, pgw_status(p));
}
