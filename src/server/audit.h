/* SPDX-License-Identifier: Apache-2.0
 *
 * audit.h: who did what: a line of the log per login, per session's end and per statement, as
 * log_connections, log_disconnections, log_statement and log_min_duration_statement say. Passwords
 * are never in it. Any thread; a session's from its own. */
#pragma once

#include "dendro.h"

#include <stddef.h>
#include <stdint.h>

struct server;

/* Whose session it is. */
struct audit_who {
    const char *user;
    const char *peer; /* address and port */
    const char *protocol;
};

void audit_login(struct server *s, const struct audit_who *who);
void audit_logout(struct server *s, const struct audit_who *who, uint64_t since_ns);

/* A statement that has ended. */
struct audit_stmt {
    dendro_conn *session;
    dendro_stmt *stmt; /* NULL: it could not be prepared */
    const char *text;  /* its own; NULL: not known */
    size_t text_len;
    uint64_t since_ns;              /* when it began; 0 = not at all */
    const struct dendro_error *err; /* NULL: it is done */
};
void audit_statement(struct server *s, const struct audit_who *who, const struct audit_stmt *what);

/* Rows that came as points or as an import, without a statement. */
struct audit_rows {
    dendro_conn *session;
    const char *table; /* NULL: several, or not known */
    uint64_t rows;
    const char *made; /* statements that made tables and columns for them; NULL: none did */
    uint64_t since_ns;
    const struct dendro_error *err; /* NULL: it is done */
};
void audit_rows(struct server *s, const struct audit_who *who, const struct audit_rows *what);
