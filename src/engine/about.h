/* SPDX-License-Identifier: Apache-2.0
 *
 * about.h: what a server writes to its log about statements, and how long sessions may be idle. The
 * thread of the session. */
#pragma once

#include "dendro.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum engine_class {
    ENGINE_OTHER,
    ENGINE_MOD, /* changes rows */
    ENGINE_DDL, /* changes what there is: objects, roles, privileges, settings of the system */
};

struct engine_about {
    enum engine_class class;
    char kind[40];    /* as the tag, without numbers; "" = nothing could be read */
    char object[200]; /* names, as they were written; "" = none */
    bool secret;      /* its text may have a password, and must not be written anywhere */
};

void engine_about(dendro_stmt *stmt, struct engine_about *ret);
/* What stands for the text of a statement with a secret. Any thread. */
void engine_about_masked(const struct engine_about *a, char *to, size_t size);
/* Of the statement that the session could not prepare last; kind "": its text is none. */
void engine_about_failed(dendro_conn *conn, struct engine_about *ret);

struct engine_log {
    int statement;  /* 0 none, 1 ddl, 2 mod, 3 all */
    int64_t min_ms; /* < 0: none */
};
void engine_log_settings(const dendro_conn *conn, struct engine_log *ret);

struct engine_idle {
    uint64_t session_ms; /* 0 = never, as the other */
    uint64_t transaction_ms;
};
void engine_idle_settings(const dendro_conn *conn, struct engine_idle *ret);

/* ---- inside the engine ---- */
void stmt_about(struct dendro_stmt *stmt, struct engine_about *ret);
