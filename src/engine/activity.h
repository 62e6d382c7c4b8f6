/* SPDX-License-Identifier: Apache-2.0
 *
 * activity.h: the sessions of a database, and what each does now: pg_stat_activity,
 * pg_cancel_backend, pg_terminate_backend.
 *
 *     connect       the session is in the list, idle
 *     a statement   active, with its text, until its last step, a reset, or the protocol says that
 *                   it waits for the client
 *     disconnect    removes the session from the list; it cannot be signalled after that
 *
 * One lock, db->activity.lock, guards the list and what is in it (struct activity). It is held for
 * moments: never while a statement runs, and nothing else is locked meanwhile. The thread of the
 * session writes its own entry; any thread reads all of them and signals. */
#pragma once

#include "base/err.h"
#include "catalog/settings.h"
#include "catalog/table.h"
#include "dendro.h"
#include "func/session_list.h"

#include <stdatomic.h>

struct sched_mutex;

#define ACTIVITY_QUERY_MAX   1024u /* bytes of a statement's text, with the zero */
#define ACTIVITY_ADDRESS_MAX 64u

/* Who is at the other end of a session, and how it learns that it is to go. */
struct engine_client {
    const char *address; /* copied; NULL: it is this process */
    int port;
    /* Cancel (end false), or end the session: sets flags and returns, it must neither wait nor
     * lock. Any thread. NULL: the engine's own flags do. */
    void (*signal)(void *arg, bool end);
    void *arg;
};
/* Before the first statement; the thread of the session. */
void engine_client(dendro_conn *conn, const struct engine_client *client);
/* The protocol has answered, and waits for what the client says next. The thread of the session. */
void engine_waits(dendro_conn *conn);
/* Its number: pg_backend_pid(). */
int32_t engine_pid(const dendro_conn *conn);

/* ---- inside the engine ---- */

/* Of the database. */
struct activities {
    struct sched_mutex *lock;
    struct dendro_conn *first; /* of all sessions; the newest first */
    uint32_t count;
};

/* Of a session. */
struct activity {
    struct dendro_conn *next, *prev;
    atomic_bool ended; /* pg_terminate_backend: no statement runs any more */
    uint64_t epoch;    /* of the session when its names were copied; its own thread's alone */
    int32_t pid;
    uint32_t user;
    enum func_activity_state state;
    char user_name[TABLE_NAME_MAX + 1];
    char application[SETTING_TEXT_MAX + 1];
    char address[ACTIVITY_ADDRESS_MAX]; /* "" = none */
    int port;
    void (*signal)(void *arg, bool end);
    void *signal_arg;
    int64_t connected_ns, transaction_ns, statement_ns, changed_ns; /* 0 = none */
    char query[ACTIVITY_QUERY_MAX];
};

struct dendro_stmt;

void activity_connect(struct dendro_conn *conn);
void activity_disconnect(struct dendro_conn *conn);
/* The text of a statement for the list, in its arena: cut, and without what is secret. */
int activity_text(struct dendro_stmt *stmt, const char *text, size_t len, struct dn_err *err)
    DN_MUST_CHECK;
/* A statement begins, after session_tick; one that gave rows before goes on; none runs now. */
void activity_begin(struct dendro_stmt *stmt);
void activity_resume(struct dendro_conn *conn);
void activity_rest(struct dendro_conn *conn);
/* What cancel is when a statement begins: set, if the session is to end. */
bool activity_ended(const struct dendro_conn *conn);
/* The result of a statement: of one that was ended with its session it says so. */
int activity_explain(const struct dendro_conn *conn, int rc, struct dn_err *err) DN_MUST_CHECK;

/* func_session.activity and .signal */
int activity_each(void *arg, func_activity_fn fn, void *fn_arg, struct dn_err *err) DN_MUST_CHECK;
int activity_signal(void *arg, const struct func_signal *s, struct dn_err *err) DN_MUST_CHECK;
