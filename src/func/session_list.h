/* SPDX-License-Identifier: Apache-2.0
 *
 * session_list.h: things of a session that its functions and relations list. Part of session.h. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A setting, with its words for pg_settings. Valid for the call. */
struct func_setting {
    const char *name;
    const char *value; /* as SHOW has it */
    const char *doc;
    const char *type;    /* bool, integer, real, string, enum */
    const char *context; /* user, superuser, sighup, postmaster, internal */
    const char *boot;    /* value without anything set */
    const char *reset;   /* value that RESET brings back */
    const char *source;  /* default, configuration file, …, session */
    const char *words;   /* of an enum, between commas; else NULL */
    const char *min;     /* of a number; else NULL, as max */
    const char *max;
    const char *file; /* where it was set; NULL: in none */
    uint32_t line;    /* 0 = none */
    bool restart;     /* another value waits for one */
};
typedef int (*func_setting_fn)(void *arg, const struct func_setting *s, struct dn_err *err);

/* A cursor or a prepared statement, for pg_cursors and pg_prepared_statements. Valid for the call.
 */
struct func_kept {
    const char *name;
    const char *text;          /* of the statement that made it */
    int64_t made_us;           /* when, since 1970 */
    bool hold, binary, scroll; /* cursors */
    const int64_t *types;      /* prepared: numbers of the parameters' types */
    uint32_t types_count;
};
typedef void (*func_kept_fn)(void *arg, const struct func_kept *k);

/* A session of the database, for pg_stat_activity. Valid for the call. */
enum func_activity_state {
    FUNC_ACTIVITY_IDLE,
    FUNC_ACTIVITY_ACTIVE,
    FUNC_ACTIVITY_BLOCK,  /* idle in transaction */
    FUNC_ACTIVITY_FAILED, /* … (aborted) */
};
struct func_activity {
    int32_t pid;
    uint32_t user;
    const char *user_name;
    const char *application;
    bool seen; /* the session that asks may see the rest */
    enum func_activity_state state;
    const char *address; /* NULL: none */
    int port;
    int64_t connected_us, transaction_us, statement_us, changed_us; /* 0 = none */
    const char *query;
};
typedef void (*func_activity_fn)(void *arg, const struct func_activity *a);

/* pg_cancel_backend, pg_terminate_backend (end). */
struct func_signal {
    int32_t pid;
    bool end;
    int64_t timeout_ms; /* waits so long for its end */
};
