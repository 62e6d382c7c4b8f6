/* SPDX-License-Identifier: Apache-2.0
 *
 * engine_int.h: database, session and statement from the inside.
 *
 * Invariants
 *   E1  db->catalog is what the volume holds, or an older one while catalog_unsure is set (a save
 *       failed and reading it back did too); only the holder of db->edit replaces it, under
 *       db->lock. No row is written while it is set: the table might be dropped already.
 *   E2  A table is in db->catalog only after the catalog document with it is durable, or (with
 *       catalog_late) the log record of the transaction that made it.
 *   E3  A statement that runs holds a catalog reference and, if it reads, a snapshot; both go in
 *       stmt_stop, which every way out of an execution passes.
 *   E4  Nothing of a statement but its compiled form outlives an error: the session is as before.
 */
#pragma once

#include "base/arena.h"
#include "base/sched.h"
#include "catalog/catalog.h"
#include "catalog/describe.h"
#include "catalog/settings.h"
#include "engine/about.h"
#include "engine/activity.h"
#include "engine/advisory.h"
#include "engine/configure.h"
#include "engine/copy.h"
#include "engine/cursor.h"
#include "engine/database.h"
#include "engine/documents.h"
#include "engine/edit_lock.h"
#include "engine/engine.h"
#include "engine/intake.h"
#include "engine/keep.h"
#include "engine/load.h"
#include "engine/retry.h"
#include "engine/sequence.h"
#include "engine/session.h"
#include "engine/stmt_kinds.h"
#include "engine/stmt_values.h"
#include "engine/transaction.h"
#include "engine/watch.h"
#include "exec/exec.h"
#include "func/text.h"
#include "func/tz.h"
#include "plan/plan.h"
#include "sql/sql.h"
#include "store/shard.h"

#include <stdatomic.h>

struct dendro_db {
    struct volume *volume;
    bool volume_owned;
    bool read_only, background;               /* background: tasks of its own may run */
    struct mem_owner owner;                   /* limit: memory_limit */
    struct mem_owner kept, sessions, reserve; /* keep.h */
    struct keep_share *shares;                /* owned; under lock */
    struct settings settings;      /* of the database; what sessions start with; under lock */
    struct engine_settings config; /* where they come from; configure.h */
    struct shard *shard;
    struct sched_mutex *lock;   /* catalog, conns_count; held for moments only */
    struct edit_lock edit;      /* one catalog edit at a time; taken before lock */
    struct catalog *catalog;    /* one reference; E1 */
    atomic_bool catalog_unsure; /* set and cleared under edit */
    atomic_bool catalog_late;   /* only the log has the catalog; set and cleared under edit */
    atomic_bool shard_behind, expires; /* the newest catalog is news to the shard; rows expire */
    uint32_t conns_count;
    uint64_t conns_made, opened_ns; /* since it was opened, under lock; when that was */
    struct tz_cache *zones;
    engine_password_fn password;                 /* NULL: passwords must come as verifiers */
    struct advisory *advisory[ADVISORY_BUCKETS]; /* advisory locks, by their key; under lock */
    uint32_t advisory_count;
    struct tx_export *exports;  /* list of snapshots that sessions share; under lock */
    uint64_t exports_made;      /* since it was opened; under lock */
    struct activities activity; /* of its sessions: activity.h */
    struct watch *watch; /* cancels statements when their time is up; NULL: none had a limit yet */
    struct rollouts *rollouts; /* the task of time partitions and expiry; NULL: none; under lock */
    struct engine_sequences sequences;
    atomic_int_fast64_t late_rows, recorded_ns; /* rows left out since it was opened; clock.c */
};

struct dendro_conn {
    struct dendro_db *db;
    struct settings settings;
    struct mem_owner kept;    /* counts what it keeps: keep.h */
    bool reserve;             /* a superuser who has logged in */
    struct keep_share *share; /* of the role that logged in; NULL: it has none */
    uint64_t share_refused;   /* by that share, when the statement began */
    uint32_t user, role;      /* who logged in; whose rights count */
    char role_name[TABLE_NAME_MAX + 1], login_name[TABLE_NAME_MAX + 1];
    struct func_session functions; /* what functions ask of the session */
    struct sql_types types;        /* what the parser asks */
    struct tz_zone zone;           /* its time zone, if that is in no cache */
    atomic_uint_fast64_t seed;     /* state of random(), if setseed() was called */
    struct settings_extra *extra;  /* settings without a field; reference */
    struct tx_settings reset;      /* what RESET brings back */
    struct session_told told;      /* of reported settings */
    char path[SESSION_PATH_MAX];   /* schemas of unqualified names (session.h) */
    char shown[SESSION_PATH_MAX];  /* … with those of the system, as functions show them */
    uint64_t number, late; /* of the session, not used again; rows left out (intake_late.h) */
    char temp_schema[TABLE_NAME_MAX + 1]; /* of its temporary objects, "" = none yet (temp.c) */
    char temp_name[TABLE_NAME_MAX + 1];   /* what that is or will be; "" = not chosen yet */
    bool temp_commits, short_names; /* ON COMMIT in those; columns are named as PostgreSQL does */
    uint64_t epoch;                 /* counts USE and SET: plans made before are made anew */
    struct engine_about failed;     /* what could not be prepared last */
    struct tx tx;                   /* the transaction block, if there is one */
    struct advisory *advisory;      /* list of the advisory locks that it holds; under db->lock */
    uint32_t advisory_count;        /* … so many */
    bool advisory_held, advisory_xact; /* it took advisory locks; … until the transaction ends */
    atomic_bool cancel, seeded;        /* seeded: setseed() was called */
    struct watched watched;            /* statement_timeout */
    struct activity activity;          /* what pg_stat_activity says of it */
    uint32_t stepping;                 /* statements that are in stmt_step, one within the other */
    dendro_notice_fn notice;           /* NULL = nobody listens */
    void *notice_arg;
    dendro_progress_fn progress; /* NULL = nobody asks */
    void *progress_arg;
    struct dendro_copy copy;                  /* STDIN and STDOUT of COPY */
    enum text_style copy_style;               /* of what goes to STDOUT as text */
    uint64_t progress_ns;                     /* at least so long between two calls */
    struct dendro_stmt *stmts;                /* list of all that are not finalized */
    struct session_cursor *cursors;           /* list of those that are open */
    uint64_t cursors_made;                    /* ever, for their serials */
    struct dendro_appender *appenders;        /* list of all that are not closed */
    struct dendro_stmt *cached, *cached_last; /* finalized ones kept, the last used first */
    uint32_t cached_count;
    uint64_t cached_version, cache_hits; /* of the catalog when last looked at; texts found */
    bool closing;                        /* nothing is kept any more */
    struct session_prepared *prepared;   /* list of PREPAREd ones; prepared.c */
    struct session_sequences sequences;  /* what nextval gave it */
};

enum run_state {
    RUN_IDLE,   /* nothing runs */
    RUN_ACTIVE, /* between the first row and the end */
};

struct dendro_stmt {
    struct dendro_conn *conn;
    struct dendro_stmt *next; /* in conn->stmts */
    struct dendro_stmt *prev;
    struct mem_owner owner;
    size_t kept; /* bytes that count as kept: keep.h */
    bool kept_alone;
    struct arena arena; /* syntax tree; as long as the statement */
    struct stmt *ast;
    struct stmt_param *params;    /* ast->params_count, owned */
    bool params_given, of_cursor; /* by EXECUTE: nobody else has to; it is a cursor's query */
    struct plan_hints hints;      /* in arena */
    const char *shown; /* in arena: its text for pg_stat_activity; NULL: a part of another one */
    char *source; /* owned: the text it was prepared from; NULL = not to be kept (stmt_cache.c) */
    size_t source_len;
    uint64_t source_hash;
    size_t source_next; /* where the text stands behind the statement */
    uint32_t source_next_pos;

    /* Compiled form: made by prepare, and anew when the catalog or the settings changed. */
    struct arena compiled;
    struct catalog *catalog; /* it was compiled against; one reference */
    uint64_t epoch;
    struct plan *plan;              /* SELECT, UPDATE, DELETE, and EXPLAIN of them */
    struct intake_target insert;    /* INSERT, COPY FROM */
    const struct query *reads;      /* INSERT: what the plan is of; NULL = it has none */
    struct plan *returning;         /* of RETURNING; NULL = none */
    struct plan *conflict, *option; /* of ON CONFLICT, of CHECK OPTION; NULL = none */
    struct stmt_parts *parts;       /* owned: INSERT, UPDATE, DELETE in its WITH; NULL = none */
    struct stmt_parts *among;       /* borrowed: its own parts, or those that it is one of */
    uint32_t shard;                 /* of a time partition: which one it changes */
    struct stmt_copy copy;
    uint64_t cursor_serial, compile_ns; /* FETCH: of the cursor whose columns it has; EXPLAIN */
    const struct plan_row *at;          /* WHERE CURRENT OF: the row; in compiled */
    const struct plan_col *cols;
    uint32_t cols_count;

    /* One execution. */
    enum run_state state;
    struct retry retry;         /* tries that failed because another session came before */
    struct arena run;           /* plan of this execution, parameters, EXPLAIN's lines */
    struct plan *run_plan;      /* NULL: `plan` is used */
    struct plan *run_returning; /* NULL: `returning` */
    struct plan *run_conflict;  /* NULL: `conflict` */
    const struct vec *more;     /* while RETURNING runs: columns of other tables beside its rows */
    uint32_t more_count;
    struct datum *values; /* parameters in the types the plan wants */
    struct snapshot *snap;
    struct exec_rows *keep; /* a part: what RETURNING gives goes there; else NULL */
    struct exec_ctx ctx;
    struct exec_analysis *analysis; /* EXPLAIN ANALYZE, while it runs: figures go there */
    struct exec_progress progress;
    double told_percent;
    uint64_t progress_began_ns;
    uint64_t told_ns;   /* when progress was told last, or the run began */
    uint64_t told_rows; /* rows told */
    struct op *root;
    struct batch batch;   /* from exec */
    struct describe rows; /* results that do not come from exec */
    bool has_row;
    bool lost;              /* its rows went with a ROLLBACK TO: the next step says so */
    uint32_t row;           /* place in batch (of the selection) or rows */
    struct arena texts;     /* of the current row */
    struct stmt_text *text; /* cols_count of them, in run; NULL until asked for */
    uint64_t rows_count;    /* returned or written */
    char tag[64];
};

/* ---- statement.c ---- */
/* What a caller says about a statement that is prepared. */
struct stmt_how {
    struct plan_hints hints; /* types of its parameters; borrowed for the call */
    bool of_cursor;          /* it is the query of a cursor */
};
/* The next statement of a text; DN_EOF: none left. Positions count from the start of the text.
 * how: NULL = nothing to say. */
int stmt_prepare(struct dendro_conn *conn,
                 struct sql_text *text,
                 const struct stmt_how *how,
                 struct dendro_stmt **ret,
                 struct dn_err *err) DN_MUST_CHECK;
int stmt_step(struct dendro_stmt *stmt,
              struct dn_err *err) DN_MUST_CHECK; /* DENDRO_ROW, DENDRO_DONE, error */
/* Up to the first row, which stmt->root then has. */
int stmt_open(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* Ends an execution, and with it its statement_timeout. */
void stmt_stop(struct dendro_stmt *stmt);
/* Drops what an execution has made so far, to begin again: its statement_timeout still counts. */
void stmt_unwind(struct dendro_stmt *stmt);
struct dendro_stmt *stmt_new_unlisted(struct dendro_conn *conn); /* NULL: out of memory */
void stmt_free(struct dendro_stmt *stmt); /* one that is in no list and does not run */

/* ---- compile.c ---- */
int stmt_compile(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
void stmt_forget(struct dendro_stmt *stmt); /* drops the compiled form, which is made anew */
bool stmt_compiled(const struct dendro_stmt *stmt); /* still fits the catalog and the session */
