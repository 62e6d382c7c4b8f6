/* SPDX-License-Identifier: Apache-2.0
 *
 * reload.c: SIGHUP and pg_reload_conf(): settings, certificate and key are read anew. */
#include "base/sched.h"
#include "engine/engine.h"
#include "server/conf.h"
#include "server/http/http.h"
#include "server/pool.h"
#include "server/server_int.h"
#include "server/tls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void
reload_changed(void *arg DN_UNUSED, const struct setting_row *row, const char *value, bool restart)
{
    if (restart)
        server_log(
            "reload: %s = %s takes effect when the server is started again", row->name, value);
    else if (row->server)
        server_log("reload: %s = %s", row->name, value);
    else
        server_log("reload: %s = %s, for sessions that begin from now on", row->name, value);
}

/* TLS that was not there at the start cannot begin, and the other way round. */
static int reload_tls(struct server *s, const struct server_conf *next, struct dn_err *err)
{
    int rc;

    if (!s->tls || !next->tls_cert[0] || !next->tls_key[0]) {
        if ((next->tls_cert[0] || next->tls_key[0]) != (s->tls != NULL))
            server_log("reload: TLS is turned on or off when the server is started again");
        return 0;
    }
    rc = srv_tls_reload(s->tls, next->tls_cert, next->tls_key, err);
    if (rc == 0 && s->http)
        rc = http_reload(s->http, next->tls_cert, next->tls_key, err);
    return rc;
}

static int reload_settings(struct server *s, struct server_conf *ret, struct dn_err *err)
{
    const struct server_options *o = &s->opt;
    struct config *given = o->reread ? o->reread(o->arg) : NULL;
    struct config *now;
    int rc;

    if (o->reread && !given)
        return DN_FAIL(err, DN_E_CONFIG, "the configuration has errors");
    rc = engine_configure(s->db, given, reload_changed, s, err);
    config_unref(given);
    if (rc < 0)
        return rc;
    now = engine_config(s->db);
    rc = server_conf_read(now, ret, err);
    config_unref(now);
    return rc;
}

void server_reload_now(struct server *s)
{
    struct server_conf next;
    char state[80];
    struct dn_err err;
    int rc;

    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, server_now_ns(s) / 1000);
    server_notify(state);
    dn_err_clear(&err);
    rc = reload_settings(s, &next, &err);
    if (rc < 0) {
        server_log("reload: %s; nothing is changed", err.text);
    } else {
        server_conf_apply(&next, &s->live);
        rc = reload_tls(s, &next, &err);
        if (rc < 0)
            server_log("reload: %s; the old one stays", err.text);
    }
    server_notify("READY=1\nSTATUS=serves");
}
