/* SPDX-License-Identifier: Apache-2.0
 *
 * pgw_int.h: a session of PostgreSQL's protocol from the inside.
 *
 * What runs is resumable: a portal that has filled the output buffer is left where it is, and the
 * next call of pgw_run goes on with it. So a slow reader takes no worker and no memory.
 *
 * Invariants
 *   P1  While `running` is set, no message is looked at.
 *   P2  A dendro_stmt is stepped by one portal at a time (pgw_stmt.user); whoever comes second
 *       prepares the text once more.
 *   P3  After an error of the extended protocol everything up to Sync is passed over. */
#pragma once

#include "base/arena.h"
#include "catalog/table.h"
#include "dendro.h"
#include "engine/door.h"
#include "server/audit.h"
#include "server/conn.h"
#include "server/pgwire/frame.h"
#include "server/pgwire/types.h"

#include <stdatomic.h>

#define PGW_NAME_MAX   TABLE_NAME_MAX
#define PGW_PARAMS_MAX 65535u
#define PGW_STMTS_MAX  10000u /* prepared by name in a session */
#define PGW_OPTION_MAX 1024u  /* bytes of one of the options at the start */

/* A statement by name. */
struct pgw_stmt {
    struct pgw_stmt *next;
    char *name;          /* owned; "" is the unnamed one */
    char *sql;           /* owned */
    dendro_stmt *stmt;   /* owned; NULL: an empty text */
    uint32_t *oids;      /* owned, of its parameters, as the client gave them; 0 = not said */
    enum type_id *types; /* owned: what we take them for */
    uint32_t oids_count;
    size_t kept;             /* bytes of it that count as kept, beside the statement's */
    struct pgw_portal *user; /* who steps it now */
};

/* A statement with its parameters, and how far it has run. */
struct pgw_portal {
    struct pgw_portal *next;
    char *name;          /* behind it, in the same memory */
    struct pgw_stmt *of; /* NULL: of a simple query, or closed meanwhile */
    dendro_stmt *stmt;   /* of->stmt, or its own */
    bool own;            /* it is its own: finalized with it */
    bool described;      /* simple query: RowDescription was sent */
    bool started;
    bool done;
    bool simple;
    int16_t *formats; /* owned; one for each column of the result; NULL: all text */
    int columns_count;
    uint64_t rows;      /* sent so far */
    uint64_t rows_left; /* of this Execute; 0 = no limit */
    bool enough;        /* it had one, and has sent them */
    struct engine_rows batch;
    uint32_t batch_row; /* the next of it */
    uint64_t since_ns;  /* when it began */
    size_t kept;        /* bytes of it that count as kept, beside the statement's */
};

/* Neither it nor its statement has a name: the next one takes its place. */
static inline bool pgw_alone(const struct pgw_portal *portal)
{
    return portal->name[0] == 0 && (!portal->of || portal->of->name[0] == 0);
}

/* A COPY with the client. */
enum pgw_copy_state {
    PGW_COPY_RUNS,
    PGW_COPY_DONE,   /* CopyDone */
    PGW_COPY_FAILED, /* CopyFail, or the client is gone */
    PGW_COPY_BROKEN, /* something else came */
};

#define PGW_COPY_WHY_MAX 400

struct pgw_copy {
    enum pgw_copy_state state;
    uint32_t left;              /* bytes of the message at hand that are still to come */
    char why[PGW_COPY_WHY_MAX]; /* as the client says */
};

enum pgw_phase {
    PGW_START, /* the first packet is to come */
    PGW_LOGIN, /* his password is asked for */
    PGW_READY, /* logged in */
};

struct pgw {
    struct conn *c; /* borrowed */
    enum pgw_phase phase;
    dendro_conn *session;    /* owned; NULL until the login */
    uint32_t pid;            /* of the session; 0: none yet */
    uint32_t key;            /* for cancelling */
    struct pgw_login *login; /* owned; PGW_LOGIN alone */
    bool peeked;             /* the first byte was looked at */
    bool skip;               /* P3 */
    bool answered;           /* the simple query has been answered by something */
    bool goodbye;            /* nothing more is read */
    bool alone;              /* the message at hand is the last before Sync */
    struct pgw_stmt *stmts;
    uint32_t stmts_count;
    struct pgw_portal *portals;
    struct pgw_portal *running; /* P1; in portals, or `simple` */
    struct pgw_portal simple;
    char *text;            /* owned: the simple query */
    const char *text_at;   /* its rest; NULL: none */
    const char *text_from; /* where the statement that runs begins in it */
    struct pgw_copy copy;
    atomic_bool canceled; /* somebody asked for it since the statement began */
    struct arena scratch;
    struct text_column *columns; /* owned: how columns of results are printed (rows.c) */
    uint32_t columns_count;
    uint8_t *options; /* owned: of the startup message, until the login; settings.c */
    size_t options_len;
    uint64_t since_ns; /* when he logged in */
    char user[PGW_NAME_MAX + 1];
    char database[PGW_NAME_MAX + 1];
};

/* ---- start.c ---- */
/* A first packet. */
enum conn_want pgw_start(struct pgw *p);
/* Says why, for the last time. */
enum conn_want pgw_fatal(struct pgw *p, const char *sqlstate, const char *fmt, ...) DN_PRINTF(3, 4);

/* He is in: greets, and the session begins. */
enum conn_want pgw_entered(struct pgw *p);

/* ---- login.c ---- */
/* After the startup message. */
enum conn_want pgw_login(struct pgw *p);
/* The next message of PGW_LOGIN. */
enum conn_want pgw_login_message(struct pgw *p);
void pgw_login_free(struct pgw *p);

/* ---- settings.c ---- */
/* The options of a startup message, kept until somebody has logged in; false: out of memory. */
bool pgw_settings_keep(struct pgw *p, const struct pgw_rd *options);
/* They become settings, those that RESET comes back to. False: one is refused, and the client told
 * so. */
bool pgw_settings_take(struct pgw *p);
/* The client learns what has changed since the last time; before each ReadyForQuery. */
void pgw_settings_tell(struct pgw *p);

/* ---- query.c ---- */
void pgw_query(struct pgw *p, struct pgw_rd *body);
/* Goes on with the text; ends with ReadyForQuery. */
void pgw_query_next(struct pgw *p);
bool pgw_query_last(const struct pgw *p); /* there is nothing behind the statement that runs */

/* ---- copy.c ---- */
void pgw_copy_init(struct pgw *p); /* of a session */
bool pgw_copy_is(const struct pgw_portal *portal, struct dendro_copy_info *ret);
/* The whole statement, with its data in either direction; as dendro_step. */
int pgw_copy_run(struct pgw *p,
                 struct pgw_portal *portal,
                 const struct dendro_copy_info *info,
                 struct dendro_error *err) DN_MUST_CHECK;
/* Throws away data that nobody wants any more; false: some of it is still to come. */
bool pgw_copy_skip(struct pgw *p);

/* ---- extended.c ---- */
void pgw_parse(struct pgw *p, struct pgw_rd *body);
void pgw_bind_portal(struct pgw *p, struct pgw_rd *body);
void pgw_describe(struct pgw *p, struct pgw_rd *body);
void pgw_execute(struct pgw *p, struct pgw_rd *body);
void pgw_close_named(struct pgw *p, struct pgw_rd *body);
void pgw_sync(struct pgw *p);
void pgw_end_portals(struct pgw *p); /* they live as long as their transaction */
/* DEALLOCATE of statements of this protocol; true: there was one of the name, and it is gone. NULL:
 * all that have one. */
bool pgw_forget(struct pgw *p, const char *name);
void pgw_forget_all(struct pgw *p);

/* ---- rows.c ---- */
/* For the log: whose session, and how a statement ended (err NULL: well). */
struct audit_who pgw_who(const struct pgw *p);
void pgw_audit(struct pgw *p, const struct pgw_portal *portal, const struct dendro_error *err);
void pgw_row_description(struct pgw *p, dendro_stmt *stmt, const int16_t *formats);
/* Runs the portal of p->running until it is done, suspended, failed (running is NULL then), or the
 * output is full (running stays). */
void pgw_run_portal(struct pgw *p);
void pgw_portal_reset(struct pgw_portal *portal);
void pgw_columns_free(struct pgw *p); /* what printing results keeps */
/* An error of a statement or message; P3. */
void pgw_fail(struct pgw *p, const struct dendro_error *e);
void pgw_failf(struct pgw *p, const char *sqlstate, const char *fmt, ...) DN_PRINTF(3, 4);
char pgw_status(const struct pgw *p); /* of the transaction: I, T, E */
