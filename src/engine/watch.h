/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.h: statement_timeout. A task of the database sleeps until the first of the statements that
 * have a limit has used it up, and cancels that one. It is started with the first such statement.
 *
 * watch_begin, watch_end: the thread of the session. */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdint.h>

struct dendro_conn;
struct dendro_db;
struct dendro_stmt;

/* Of a session. */
struct watched {
    atomic_bool timed_out;    /* statement_timeout set cancel */
    struct dendro_stmt *stmt; /* the one that has a limit; NULL = none */
    struct dendro_conn *next; /* in the list of those; under its lock, as is the rest */
    uint64_t deadline_ns;
};

/* The statement begins: if statement_timeout is set it ends after that, from now. */
int watch_begin(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* It has ended; fine if it had no limit. */
void watch_end(struct dendro_stmt *stmt);
/* The statement failed with DN_E_CANCELED: says so if it was its time. */
void watch_explain(const struct dendro_conn *conn, struct dn_err *err);
/* No session is left. */
void watch_free(struct dendro_db *db);
