/* SPDX-License-Identifier: Apache-2.0
 *
 * conf.c: see conf.h. */
#include "server/conf.h"

#include "server/server.h"

#include <stdio.h>
#include <string.h>

/* Its value as text; DN_E_NOMEM alone. */
static int conf_value(const struct config *c,
                      const char *name,
                      struct buf *b,
                      const struct setting_row **ret_row,
                      struct dn_err *err)
{
    const struct setting_row *row = settings_find(name, NULL);

    DN_ASSERT(row && row->server);
    *ret_row = row;
    buf_reset(b);
    return config_value(c, row, b, err);
}

static int conf_text(const struct config *c,
                     const char *name,
                     struct buf *b,
                     char to[SETTING_TEXT_MAX + 1],
                     struct dn_err *err)
{
    const struct setting_row *row;
    int rc = conf_value(c, name, b, &row, err);

    if (rc == 0)
        snprintf(to, SETTING_TEXT_MAX + 1, "%s", (const char *)b->data);
    return rc;
}

static int conf_texts(const struct config *c, struct server_conf *to, struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    rc = conf_text(c, "data", &b, to->data, err);
    rc = rc < 0 ? rc : conf_text(c, "listen", &b, to->listen, err);
    rc = rc < 0 ? rc : conf_text(c, "tls_cert", &b, to->tls_cert, err);
    rc = rc < 0 ? rc : conf_text(c, "tls_key", &b, to->tls_key, err);
    buf_done(&b);
    return rc;
}

/* A port as listeners have it. */
static int conf_port(int64_t n)
{
    return n == SETTING_PORT_ANY ? 0 : n == 0 ? -1 : (int)n;
}

int server_conf_read(const struct config *c, struct server_conf *ret, struct dn_err *err)
{
    enum {
        PG_PORT,
        HTTP_PORT,
        ILP_PORT,
        INSECURE,
        CONNECTIONS,
        RESERVED,
        PENDING,
        THREADS,
        CREATE,
        MESSAGE,
        IDLE,
        LOGIN,
        DRAIN,
        FORMAT,
        LOGINS,
        ENDS,
        COUNT
    };
    static const char *const names[COUNT] = {[PG_PORT] = "pg_port",
                                             [HTTP_PORT] = "http_port",
                                             [ILP_PORT] = "ilp_port",
                                             [INSECURE] = "insecure",
                                             [CONNECTIONS] = "max_connections",
                                             [RESERVED] = "superuser_reserved_connections",
                                             [PENDING] = "max_pending_logins",
                                             [THREADS] = "server_threads",
                                             [CREATE] = "auto_create",
                                             [MESSAGE] = "max_message",
                                             [IDLE] = "idle_timeout",
                                             [LOGIN] = "authentication_timeout",
                                             [DRAIN] = "drain_timeout",
                                             [FORMAT] = "log_format",
                                             [LOGINS] = "log_connections",
                                             [ENDS] = "log_disconnections"};
    static const enum ingest_create creates[] = {
        INGEST_CREATE_ALL, INGEST_CREATE_TABLES, INGEST_CREATE_NONE};
    int64_t n[COUNT] = {0};
    const struct setting_row *row;
    struct buf b;
    int rc = conf_texts(c, ret, err);

    buf_init(&b, NULL);
    for (size_t i = 0; rc == 0 && i < COUNT; i++) {
        rc = conf_value(c, names[i], &b, &row, err);
        if (rc == 0)
            rc = settings_number(row, (const char *)b.data, &n[i], err);
    }
    buf_done(&b);
    ret->pg_port = conf_port(n[PG_PORT]);
    ret->http_port = conf_port(n[HTTP_PORT]);
    ret->ilp_port = conf_port(n[ILP_PORT]);
    ret->insecure = n[INSECURE];
    ret->connections_max = (unsigned)n[CONNECTIONS];
    ret->reserved = (unsigned)n[RESERVED];
    if (ret->reserved >= ret->connections_max) /* somebody else may come in, too */
        ret->reserved = ret->connections_max ? ret->connections_max - 1 : 0;
    ret->logins_max = (unsigned)n[PENDING];
    ret->workers_max = (unsigned)n[THREADS];
    ret->create = creates[n[CREATE]];
    ret->message_max = (uint64_t)n[MESSAGE];
    ret->idle_ms = (uint64_t)n[IDLE];
    ret->login_ms = (uint64_t)n[LOGIN];
    ret->drain_ms = (uint64_t)n[DRAIN];
    ret->log_json = n[FORMAT];
    ret->log_connections = n[LOGINS];
    ret->log_disconnections = n[ENDS];
    return rc;
}

void server_conf_apply(const struct server_conf *conf, struct server_live *to)
{
    atomic_store(&to->create, (int)conf->create);
    atomic_store(&to->message_max, conf->message_max);
    atomic_store(&to->idle_ms, conf->idle_ms);
    atomic_store(&to->login_ms, conf->login_ms);
    atomic_store(&to->drain_ms, conf->drain_ms);
    atomic_store(&to->log_connections, conf->log_connections);
    atomic_store(&to->log_disconnections, conf->log_disconnections);
    server_log_json(conf->log_json);
}
