/* SPDX-License-Identifier: Apache-2.0
 *
 * dendro.h: Dendro inside a program. The whole public interface; nothing else of the library is
 * visible or promised.
 *
 *     dendro_db *db;
 *     dendro_conn *conn;
 *     dendro_stmt *stmt;
 *     struct dendro_error err;
 *
 *     if (dendro_open("data", NULL, &db, &err) < 0) …        a directory; made if it is not there
 *     if (dendro_connect(db, &conn, &err) < 0) …             a session
 *     if (dendro_prepare(conn, sql, -1, &stmt, NULL, &err) < 0) …
 *     dendro_bind_int64(stmt, 1, 42, &err);                  parameters are ? or $1
 *     while ((rc = dendro_step(stmt, &err)) == DENDRO_ROW)
 *         puts(dendro_column_text(stmt, 0));
 *     dendro_finalize(stmt);
 *     dendro_disconnect(conn);
 *     dendro_close(db);
 *
 * Results. Functions that can fail return int: DENDRO_OK, DENDRO_ROW, DENDRO_DONE, or a negative
 * error code, the number of docs/errors.md with a minus sign. The detail goes into the caller's
 * struct dendro_error, which may be NULL where nobody wants it. There is no hidden "last error".
 *
 * Durability. An INSERT whose step returned DENDRO_DONE survives a power cut (unless the session
 * has SET synchronous_commit = off). A statement takes effect as a whole or not at all. An error
 * ends the statement only: session and database stay usable.
 *
 * Threads. A database may be used from any number of threads. A session and its statements are
 * used by one thread at a time; give each thread its own session. The exception is dendro_cancel,
 * which any thread may call.
 *
 * Ownership. Pointers returned by accessors belong to the object they were asked of and say below
 * how long they live. Text going in is copied before the call returns. All text is UTF-8.
 *
 * Indexes. Parameters count from 1, as in $1. Columns count from 0. Positions in SQL text count
 * characters (not bytes) from 1. */
#ifndef DENDRO_H
#define DENDRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define DENDRO_API __attribute__((visibility("default")))
#else
#define DENDRO_API
#endif

typedef struct dendro_db dendro_db;     /* an open database */
typedef struct dendro_conn dendro_conn; /* a session: schema, settings, one statement at a time */
typedef struct dendro_stmt dendro_stmt; /* a statement: prepared, bound, stepped, reset, … */

/* ---- results and errors ---- */

enum dendro_result {
    DENDRO_OK = 0,
    DENDRO_ROW = 1,  /* dendro_step: a row is there, read it with dendro_column_… */
    DENDRO_DONE = 2, /* dendro_step: the statement is done */
};

#define DENDRO_MESSAGE_MAX 600
#define DENDRO_HINT_MAX    300

struct dendro_error {
    int code;                         /* what the function returned; 0 = no error */
    char sqlstate[6];                 /* five characters and a NUL, e.g. "42P01" */
    char message[DENDRO_MESSAGE_MAX]; /* one sentence */
    char hint[DENDRO_HINT_MAX];       /* what to do about it, "" = none */
    uint32_t position;                /* character in the SQL text it is about, from 1; 0 = none */
};

/* Codes worth branching on; the others are in docs/errors.md. */
enum dendro_error_code {
    DENDRO_E_NOMEM = -1,    /* out of memory, or over memory_limit */
    DENDRO_E_IO = -2,       /* the storage failed */
    DENDRO_E_NOSPC = -3,    /* the storage is full; reads go on, writes resume when space returns */
    DENDRO_E_CORRUPT = -4,  /* stored bytes are damaged */
    DENDRO_E_BUSY = -9,     /* another process has the directory open; the message names it */
    DENDRO_E_VERSION = -10, /* written by a newer release */
    DENDRO_E_CANCELED = -12, /* dendro_cancel, or the callback of dendro_exec said stop */
    DENDRO_E_SYNTAX = -13,
    DENDRO_E_READ_ONLY = -39,
    DENDRO_E_MISUSE = -40, /* called out of order, or an index out of range */
};

/* "NOMEM", "SYNTAX", … for a negative code; static. */
DENDRO_API const char *dendro_error_name(int code);

/* ---- version ---- */

/* "0.1.0"; static. */
DENDRO_API const char *dendro_version(void);
/* One line with version, commit and the version of every format on disk; static. */
DENDRO_API const char *dendro_version_full(void);

/* ---- database ---- */

enum dendro_open_flags {
    DENDRO_OPEN_READ_ONLY = 1, /* takes no lock and writes nothing */
    DENDRO_OPEN_NO_CREATE = 2, /* an error if there is no database yet */
};

struct dendro_options {
    uint32_t flags; /* of enum dendro_open_flags */
    /* Settings of the database and defaults of its sessions: name, value, name, value, …, NULL.
     * E.g. {"memory_limit", "2GB", NULL}. docs/settings.md lists them. NULL = none. */
    const char *const *settings;
    unsigned threads; /* background threads; 0 = as many as there are cores, and 2 */
};

/* Opens the database in a directory, and recovers it if it was not closed. One process at a time
 * may have it open for writing (DENDRO_E_BUSY). options may be NULL. */
DENDRO_API int dendro_open(const char *path,
                           const struct dendro_options *options,
                           dendro_db **ret_db,
                           struct dendro_error *err);
/* Closes it; NULL is fine. All sessions must have been closed before; if one is left, nothing
 * happens and DENDRO_E_MISUSE is returned. There is nothing to save: what was acknowledged is safe.
 */
DENDRO_API int dendro_close(dendro_db *db);

/* Verifies every checksum and invariant of a database that nobody has open. report is called for
 * each fault (fault true) and each remark (false). ret_faults counts the faults. */
typedef void (*dendro_report_fn)(void *arg, bool fault, const char *text);
DENDRO_API int dendro_check(const char *path,
                            dendro_report_fn report,
                            void *arg,
                            uint64_t *ret_faults,
                            struct dendro_error *err);

/* ---- session ---- */

DENDRO_API int dendro_connect(dendro_db *db, dendro_conn **ret_conn, struct dendro_error *err);
/* Closes the session and finalizes the statements left in it; NULL is fine. */
DENDRO_API void dendro_disconnect(dendro_conn *conn);
/* Asks the statement that runs now to stop with DENDRO_E_CANCELED. Any thread; a hint without
 * effect when none runs. The session must not be closed meanwhile. */
DENDRO_API void dendro_cancel(dendro_conn *conn);
/* Schema of unqualified names; valid until the session runs its next statement. */
DENDRO_API const char *dendro_schema(dendro_conn *conn);

/* Remarks that are no errors ("table "t" exists already, skipped"), during dendro_step or
 * dendro_exec. severity: "NOTICE" or "WARNING". fn NULL: thrown away, the default. */
typedef void (*dendro_notice_fn)(void *arg, const char *severity, const char *message);
DENDRO_API void dendro_set_notice(dendro_conn *conn, dendro_notice_fn fn, void *arg);

/* Runs every statement of a script, stopping at the first error. on_row (may be NULL) is called for
 * each row of each result; columns are read from stmt; another result than 0 stops with
 * DENDRO_E_CANCELED. len < 0: sql ends with a NUL. Statements before the failed one stay done;
 * err->position counts from the start of the script. */
typedef int (*dendro_row_fn)(void *arg, dendro_stmt *stmt);
DENDRO_API int dendro_exec(dendro_conn *conn,
                           const char *sql,
                           ptrdiff_t len,
                           dendro_row_fn on_row,
                           void *arg,
                           struct dendro_error *err);

/* ---- statement ---- */

/* Compiles the first statement of the text. len < 0: sql ends with a NUL. ret_tail (may be NULL)
 * gets the byte after it, so that a script can be walked: also after an error, so that the caller
 * may go on with the next statement. Nothing but spaces and comments: DENDRO_OK and a NULL
 * statement. Names and types are checked now; if the schema has changed meanwhile, dendro_step
 * compiles anew. */
DENDRO_API int dendro_prepare(dendro_conn *conn,
                              const char *sql,
                              ptrdiff_t len,
                              dendro_stmt **ret_stmt,
                              const char **ret_tail,
                              struct dendro_error *err);
/* NULL is fine. */
DENDRO_API void dendro_finalize(dendro_stmt *stmt);

/* Units of time stamps: digits of a second. */
enum dendro_unit {
    DENDRO_UNIT_S = 0,
    DENDRO_UNIT_MS = 3,
    DENDRO_UNIT_US = 6,
    DENDRO_UNIT_NS = 9,
};

/* Parameters, from 1. Values stay bound over dendro_reset; a parameter without a value is an error
 * at the first dendro_step. Binding is refused (DENDRO_E_MISUSE) between the first row and reset.
 * A text is taken as a quoted literal would be: it may stand for a number or a time as well; an
 * int64 given for a TIMESTAMP is in the column's unit. len < 0: the text ends with a NUL. */
DENDRO_API int dendro_param_count(const dendro_stmt *stmt);
DENDRO_API int dendro_bind_null(dendro_stmt *stmt, int param, struct dendro_error *err);
DENDRO_API int dendro_bind_bool(dendro_stmt *stmt, int param, bool value, struct dendro_error *err);
DENDRO_API int
dendro_bind_int64(dendro_stmt *stmt, int param, int64_t value, struct dendro_error *err);
DENDRO_API int
dendro_bind_double(dendro_stmt *stmt, int param, double value, struct dendro_error *err);
DENDRO_API int dendro_bind_text(
    dendro_stmt *stmt, int param, const char *text, ptrdiff_t len, struct dendro_error *err);
DENDRO_API int dendro_bind_blob(
    dendro_stmt *stmt, int param, const void *bytes, size_t len, struct dendro_error *err);
DENDRO_API int dendro_bind_timestamp(
    dendro_stmt *stmt, int param, int64_t value, enum dendro_unit unit, struct dendro_error *err);

/* Runs the statement up to its next row. DENDRO_ROW, DENDRO_DONE or an error; after the last two
 * the next call starts over, as after dendro_reset. */
DENDRO_API int dendro_step(dendro_stmt *stmt, struct dendro_error *err);
/* Lets go of the running execution (its snapshot, its memory); bound values stay. NULL is fine. */
DENDRO_API void dendro_reset(dendro_stmt *stmt);

/* Rows written by the last execution; for queries the rows returned so far. */
DENDRO_API uint64_t dendro_rows_affected(const dendro_stmt *stmt);
/* "INSERT 0 3", "CREATE TABLE", "SELECT 5"; complete after DENDRO_DONE. Valid until the next call
 * on stmt. */
DENDRO_API const char *dendro_command_tag(const dendro_stmt *stmt);

/* ---- columns of a result ---- */

/* The numbers are those of the formats on disk: permanent, more may come. */
enum dendro_type {
    DENDRO_TYPE_NONE = 0, /* a bare NULL */
    DENDRO_TYPE_BOOLEAN = 1,
    DENDRO_TYPE_SMALLINT = 2,
    DENDRO_TYPE_INTEGER = 3,
    DENDRO_TYPE_BIGINT = 4,
    DENDRO_TYPE_REAL = 5,
    DENDRO_TYPE_DOUBLE = 6,
    DENDRO_TYPE_VARCHAR = 7,
    DENDRO_TYPE_BLOB = 8,
    DENDRO_TYPE_TIMESTAMP = 9,     /* milliseconds since 1970 UTC */
    DENDRO_TYPE_TIMESTAMP_US = 10, /* TIMESTAMP(6): microseconds */
    DENDRO_TYPE_TIMESTAMP_NS = 11, /* TIMESTAMP(9): nanoseconds */
    DENDRO_TYPE_INTERVAL = 12,     /* as text only; no column of a table has it */
};

/* 0 for statements without a result (INSERT, CREATE …). Known after prepare. */
DENDRO_API int dendro_column_count(const dendro_stmt *stmt);
/* Name and type; valid while stmt lives (until it is compiled anew by a step). NULL and TYPE_NONE
 * for a bad index. */
DENDRO_API const char *dendro_column_name(const dendro_stmt *stmt, int col);
DENDRO_API enum dendro_type dendro_column_type(const dendro_stmt *stmt, int col);
/* "DOUBLE", "TIMESTAMP(6)", …; static. */
DENDRO_API const char *dendro_type_name(enum dendro_type type);

/* The value in the row of the last DENDRO_ROW. Without a row, for a bad index and for NULL they
 * give 0, false, NULL. Numbers convert into each other (a double outside int64 saturates, NaN is
 * 0); a time stamp read as int64 is in its own unit. Pointers live until the next step, reset or
 * finalize. */
DENDRO_API bool dendro_column_is_null(const dendro_stmt *stmt, int col);
DENDRO_API bool dendro_column_bool(const dendro_stmt *stmt, int col);
DENDRO_API int64_t dendro_column_int64(const dendro_stmt *stmt, int col);
DENDRO_API double dendro_column_double(const dendro_stmt *stmt, int col);
/* Rounded down to the unit; saturates where the unit's range ends. */
DENDRO_API int64_t dendro_column_timestamp(const dendro_stmt *stmt, int col, enum dendro_unit unit);
/* The value of any type as text, as SELECT shows it: NUL-terminated, with dendro_column_bytes
 * giving the length (a VARCHAR may hold NULs). NULL for a NULL value, and when memory ran out. */
DENDRO_API const char *dendro_column_text(dendro_stmt *stmt, int col);
/* Raw bytes of a VARCHAR or BLOB; NULL for other types. */
DENDRO_API const void *dendro_column_blob(const dendro_stmt *stmt, int col, size_t *ret_len);
/* Bytes of the text form. */
DENDRO_API size_t dendro_column_bytes(dendro_stmt *stmt, int col);

/* ---- helps for shells ---- */

/* Does the text end a statement (a ';' outside quotes and comments)? */
DENDRO_API bool dendro_complete(const char *sql, ptrdiff_t len);

#ifdef __cplusplus
}
#endif

#endif
