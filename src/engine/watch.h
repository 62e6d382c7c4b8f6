/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.h: statement_timeout. A task of the database sleeps until the first of the statements that
 * have a limit has used it up, and cancels that one. It is started with the first such statement.
 * The limit counts for the preparation of a statement (parsing, planning) and for its execution,
 * each on its own.
 *
 * watch_begin, watch_end: the thread of the session. */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdint.h>

struct dendro_conn;
struct dendro_db;

/* Of a session. */
struct watched {
    atomic_bool timed_out;    /* statement_timeout set cancel */
    const void *what;         /* statement or text that has a limit; only compared; NULL = none */
    struct dendro_conn *next; /* in the list of those; under its lock, as is the rest */
    uint64_t deadline_ns;
};

/* A text is prepared, or a statement begins: if statement_timeout is set, `what` ends after that
 * time, from now. */
int watch_begin(struct dendro_conn *conn, const void *what, struct dn_err *err) DN_MUST_CHECK;
/* It has ended; fine if it had no limit. */
void watch_end(struct dendro_conn *conn, const void *what);
/* The statement failed with DN_E_CANCELED: says so if it was its time. */
void watch_explain(const struct dendro_conn *conn, struct dn_err *err);
/* No session is left. */
void watch_free(struct dendro_db *db);
