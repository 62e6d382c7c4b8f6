/* SPDX-License-Identifier: Apache-2.0
 *
 * query.c: the simple protocol: a text of one or more statements, all answers in text. */
#include "server/pgwire/out.h"
#include "server/pgwire/pgw_int.h"
#include "server/server.h"

static void query_end(struct pgw *p)
{
    struct dendro_error err;

    mem_free(p->text);
    p->text = NULL;
    p->text_at = NULL;
    p->text_from = NULL;
    if (engine_group_end(p->session, !p->skip, &err) < 0)
        pgw_fail(p, &err);
    pgw_end_portals(p); /* COMMIT, ROLLBACK */
    p->skip = false;
    pgw_settings_tell(p);
    pgw_ready(&p->c->out, pgw_status(p));
}

void pgw_query(struct pgw *p, struct pgw_rd *body)
{
    const char *sql = pgw_rd_text(body);

    if (!pgw_rd_done(body)) {
        pgw_failf(p, "08P01", "invalid message format");
        query_end(p);
        return;
    }
    p->text = mem_strdup(server_owner(p->c->srv), sql);
    if (!p->text) {
        pgw_failf(p, "53200", "out of memory");
        query_end(p);
        return;
    }
    p->text_at = p->text;
    p->answered = false;
    pgw_query_next(p);
}

bool pgw_query_last(const struct pgw *p)
{
    return p->text_at[strspn(p->text_at, " \t\r\n\f;")] == 0;
}

/* Positions count from the start of the whole text. */
static void query_fail(struct pgw *p, const char *from, struct dendro_error *err)
{
    if (err->position)
        for (const char *c = p->text; c < from; c++)
            err->position += ((unsigned char)*c & 0xC0) != 0x80;
    pgw_fail(p, err);
}

void pgw_query_next(struct pgw *p)
{
    struct pgw_portal *portal = &p->simple;
    const char *from = p->text_at;
    struct dendro_error err;
    int rc;

    if (portal->stmt) {
        dendro_finalize(portal->stmt);
        *portal = (struct pgw_portal){.simple = true};
    }
    if (p->skip) { /* the last one failed: the rest of the text is not run */
        query_end(p);
        return;
    }
    rc = dendro_prepare(p->session, from, -1, &portal->stmt, &p->text_at, &err);
    p->text_from = from;
    portal->simple = true;
    if (rc < 0) {
        pgw_audit(p, portal, &err);
        query_fail(p, from, &err);
        query_end(p);
        return;
    }
    if (!portal->stmt) {
        if (!p->answered)
            pgw_empty(&p->c->out, 'I');
        query_end(p);
        return;
    }
    p->answered = true;
    if (dendro_param_count(portal->stmt) > 0) {
        pgw_failf(p, "42P02", "there is no parameter $1");
        return; /* the next call ends it */
    }
    if (!pgw_query_last(p)) /* several statements are one transaction */
        engine_group_begin(p->session);
    p->running = portal;
}
