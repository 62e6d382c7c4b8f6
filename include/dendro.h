/* SPDX-License-Identifier: Apache-2.0
 *
 * dendro.h: Dendro inside a program. The whole public interface; nothing else of the library is
 * visible or promised.
 *
 *     dendro_db *db; dendro_conn *conn;
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
 * ends the statement only: session and database stay usable. BEGIN, COMMIT and the like are plain
 * SQL; between them all statements, appenders included, take effect together at COMMIT, and an
 * error leaves ROLLBACK only (dendro_transaction_status).
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
    DENDRO_OPEN_READ_ONLY = 1, /* no lock, no writes: what was there when it was opened */
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

/* Where a partition lives. */
struct dendro_place {
    int64_t token;  /* of the partition key, as Cassandra's Murmur3Partitioner has it */
    int64_t place;  /* on the ring: the token, moved by the quantum */
    uint32_t vnode; /* slice of the ring: 0 to 255 */
    bool quantum;   /* the two below count: in the unit of the time column */
    int64_t quantum_start;
    int64_t quantum_end; /* first instant after it */
};
/* table: a name, or schema.name. key: the columns of the partition key as text, a time for the
 * quantum. The partition need not have rows. */
DENDRO_API int dendro_locate(dendro_conn *conn,
                             const char *table,
                             const char *const *key,
                             size_t key_count,
                             struct dendro_place *ret,
                             struct dendro_error *err);

DENDRO_API int dendro_connect(dendro_db *db, dendro_conn **ret_conn, struct dendro_error *err);
/* Closes the session and finalizes the statements left in it; NULL is fine. */
DENDRO_API void dendro_disconnect(dendro_conn *conn);
/* Asks the statement that is prepared or runs now to stop with DENDRO_E_CANCELED. Any thread; a
 * hint without effect when none runs. The session must not be closed meanwhile. */
DENDRO_API void dendro_cancel(dendro_conn *conn);
/* Where the session stands with its transaction block (BEGIN … COMMIT). */
enum dendro_tx_status {
    DENDRO_TX_IDLE,   /* in none: each statement is a transaction */
    DENDRO_TX_BLOCK,  /* in one */
    DENDRO_TX_FAILED, /* a statement of it failed: only ROLLBACK (TO SAVEPOINT) and COMMIT, which
                         rolls back, are left */
};
DENDRO_API enum dendro_tx_status dendro_transaction_status(const dendro_conn *conn);
/* Schema of unqualified names; valid until the session runs its next statement. */
DENDRO_API const char *dendro_schema(dendro_conn *conn);

/* Remarks that are no errors ("table "t" exists already, skipped"), during dendro_step or
 * dendro_exec. severity: "NOTICE" or "WARNING". fn NULL: thrown away, the default. */
typedef void (*dendro_notice_fn)(void *arg, const char *severity, const char *message);
DENDRO_API void dendro_set_notice(dendro_conn *conn, dendro_notice_fn fn, void *arg);

/* How far a statement is. */
struct dendro_progress {
    uint64_t rows;          /* looked at in the tables, or (COPY FROM) read from the file, so far */
    uint64_t rows_expected; /* about so many will be, after pruning; 0 = not known */
    double percent;         /* of the work, 0 to 100; < 0 = not known */
    double seconds_left;    /* if it goes on like that; < 0 = too early to say */
};
/* Called during dendro_step, dendro_step_batch and dendro_exec by the thread that called them, at
 * most every interval_ms (0: as often as there is something new), so only long statements call it
 * at all. Another result than 0 ends the statement with DENDRO_E_CANCELED. It must not use the
 * session, except for dendro_cancel. fn NULL: nobody is told, the default. */
typedef int (*dendro_progress_fn)(void *arg, const struct dendro_progress *so_far);
DENDRO_API void
dendro_set_progress(dendro_conn *conn, dendro_progress_fn fn, void *arg, unsigned interval_ms);

/* A setting of the session, as SET name = value would: no quoting. value NULL: its default. */
DENDRO_API int
dendro_set(dendro_conn *conn, const char *name, const char *value, struct dendro_error *err);
/* Its value, as SHOW name prints it; free it with dendro_free. */
DENDRO_API int
dendro_get(dendro_conn *conn, const char *name, char **ret_value, struct dendro_error *err);
/* What is set now is what RESET brings back from now on: for the options a client connects with. */
DENDRO_API void dendro_keep_settings(dendro_conn *conn);
/* A setting that clients are told of (PostgreSQL's ParameterStatus) and that has another value than
 * it was told with; first, all of them are. False: there is none. The texts are valid until the
 * next call with the session. To be called until it returns false, after statements. */
DENDRO_API bool
dendro_setting_changed(dendro_conn *conn, const char **ret_name, const char **ret_value);

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
/* "INSERT 0 3", "CREATE TABLE"; complete after DENDRO_DONE, valid until the next call on stmt. */
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
    DENDRO_TYPE_INTERVAL = 12,     /* as text only */
    DENDRO_TYPE_DATE = 13,         /* days since 1970-01-01 */
    DENDRO_TYPE_TIME = 14,         /* microseconds since midnight */
    DENDRO_TYPE_TIMESTAMPTZ = 15,  /* microseconds since 1970 UTC */
    DENDRO_TYPE_UUID = 16,         /* 16 bytes */
    DENDRO_TYPE_NUMERIC = 17,      /* as text, or rounded to a double or an integer */
    DENDRO_TYPE_BPCHAR = 18,       /* CHAR(n): text with the blanks at its end */
    DENDRO_TYPE_TIMETZ = 19,       /* TIME WITH TIME ZONE: as text only */
    DENDRO_TYPE_BIT = 20,          /* BIT(n) and BIT VARYING(n): as text, digits 0 and 1 */
    DENDRO_TYPE_VARBIT = 21,
    DENDRO_TYPE_ENUM = 22,            /* of any type that CREATE TYPE made: as text, its label */
    DENDRO_TYPE_TIMESTAMP_LOCAL = 23, /* what a clock shows, without a zone: microseconds */
    DENDRO_TYPE_OID = 40, /* from here on of pg_catalog: a 64 bit integer; the others are text */
    DENDRO_TYPE_NAME = 41,
    DENDRO_TYPE_CHAR1 = 42, /* "char" */
    DENDRO_TYPE_REGCLASS = 43,
    DENDRO_TYPE_REGTYPE = 44,
    DENDRO_TYPE_REGPROC = 45,
    DENDRO_TYPE_REGNAMESPACE = 46,
    DENDRO_TYPE_REGROLE = 47,
    DENDRO_TYPE_INT2VECTOR = 48,
    DENDRO_TYPE_OIDVECTOR = 49,
    DENDRO_TYPE_NODE_TREE = 50,
    DENDRO_TYPE_ACLITEM = 51,
    DENDRO_TYPE_EXPANDED = 52,
    DENDRO_TYPE_ARRAY = 64, /* or-ed with the type of the elements: an array, as text only */
};

/* 0 for statements without a result (INSERT, CREATE …). Known after prepare. */
DENDRO_API int dendro_column_count(const dendro_stmt *stmt);
/* Name and type, valid until a step compiles stmt anew. NULL and TYPE_NONE for a bad index. */
DENDRO_API const char *dendro_column_name(const dendro_stmt *stmt, int col);
DENDRO_API enum dendro_type dendro_column_type(const dendro_stmt *stmt, int col);
/* "DOUBLE", "TIMESTAMP(6)", …; static. */
DENDRO_API const char *dendro_type_name(enum dendro_type type);
/* What the statement takes a parameter for, as far as that is known; in INSERT … VALUES the type of
 * its column. TYPE_NONE: it could be anything, or there is no such parameter. */
DENDRO_API enum dendro_type dendro_param_type(const dendro_stmt *stmt, int param);

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
/* Raw bytes of a VARCHAR, CHAR, BLOB or UUID; NULL for other types. */
DENDRO_API const void *dendro_column_blob(const dendro_stmt *stmt, int col, size_t *ret_len);
/* Bytes of the text form. */
DENDRO_API size_t dendro_column_bytes(dendro_stmt *stmt, int col);

/* ---- results column by column ---- */

/* A text or bytes: not NUL-terminated. */
struct dendro_text {
    const char *ptr; /* never NULL where the row is not NULL */
    uint32_t len;
};

/* A span of time, in parts that calendars keep apart. */
struct dendro_interval {
    int64_t us;
    int32_t days;
    int32_t months;
};

/* One column of a batch: `rows` values side by side, of this C type:
 *   NONE, BOOLEAN  int8_t (0, 1)       REAL           float
 *   SMALLINT       int16_t             DOUBLE         double
 *   INTEGER        int32_t             VARCHAR, BLOB  struct dendro_text
 *   BIGINT         int64_t             INTERVAL       struct dendro_interval
 *   DATE           int32_t             UUID           struct dendro_text of 16 bytes
 *   TIME, TIMESTAMPTZ and the time stamps  int64_t in their unit; BPCHAR as VARCHAR
 *   NUMERIC        struct dendro_text: its digits; arrays likewise: {1,2}
 * nulls: bit i % 64 of word i / 64 set = row i is NULL, its value means nothing; NULL = no row is.
 * Bits behind the last row may be set. */
struct dendro_column {
    enum dendro_type type;
    const void *values;
    const uint64_t *nulls;
};

struct dendro_batch {
    size_t rows; /* 1 to 1024 */
    int columns_count;
    const struct dendro_column *columns;
};

static inline bool dendro_batch_null(const struct dendro_column *column, size_t row)
{
    return column->nulls && (column->nulls[row / 64] >> (row % 64) & 1);
}

/* Like dendro_step, but for the next rows at once: DENDRO_ROW fills ret, DENDRO_DONE and errors
 * leave it empty. Values are handed out where they lie; only what a filter has thinned out,
 * repeated values and dictionaries are copied. All pointers live until the next step, step_batch,
 * reset or finalize. Both ways may be mixed: the batch begins behind the row that dendro_step gave
 * last, and its last row is then the one that dendro_column_… read. */
DENDRO_API int
dendro_step_batch(dendro_stmt *stmt, struct dendro_batch *ret, struct dendro_error *err);

/* ---- bulk appender ---- */

/* Many rows of one table, without SQL. Values are checked as INSERT checks them, when they are
 * appended:
 *
 *     dendro_appender_open(conn, NULL, "cpu", NULL, &app, &err)
 *     for each row: dendro_append_text(app, "host_1", -1, &err), … one for each column, in order,
 *                   then dendro_append_end_row(app, &err)
 *     dendro_appender_close(app, &err)      the rest is flushed
 *
 * A flush is one commit: all rows appended since the last one, or none of them. Rows are flushed by
 * themselves when there are many (dendro_appender_set_flush), so an error in a late row leaves the
 * rows of earlier flushes in the table.
 *
 * A bad value (text that is no number, NULL where none may be, …) is an error that names its row,
 * counted from 1 since the appender was opened, and its column. From then on nothing of the batch
 * can be flushed: end_row, flush and close return the same error until dendro_appender_clear has
 * thrown the batch away. A flush that fails for another reason (storage, memory) keeps its rows and
 * may be repeated. */
typedef struct dendro_appender dendro_appender;

/* schema NULL: the session's. columns: names, ended by NULL, in the order of the values; the others
 * get their defaults. NULL: all columns of the table. */
DENDRO_API int dendro_appender_open(dendro_conn *conn,
                                    const char *schema,
                                    const char *table,
                                    const char *const *columns,
                                    dendro_appender **ret_app,
                                    struct dendro_error *err);
/* Flush by itself after so many rows or bytes; 0 = not for that reason, both 0 = only when asked.
 * The defaults are 65536 rows and 16 MiB. */
DENDRO_API void dendro_appender_set_flush(dendro_appender *app, uint64_t rows, uint64_t bytes);

/* The next value of the row. As with dendro_bind_…: a text may stand for a number or a time, an
 * int64 for a time in the column's unit. Bytes are copied. */
DENDRO_API int dendro_append_null(dendro_appender *app, struct dendro_error *err);
DENDRO_API int dendro_append_default(dendro_appender *app, struct dendro_error *err);
DENDRO_API int dendro_append_bool(dendro_appender *app, bool value, struct dendro_error *err);
DENDRO_API int dendro_append_int64(dendro_appender *app, int64_t value, struct dendro_error *err);
DENDRO_API int dendro_append_double(dendro_appender *app, double value, struct dendro_error *err);
DENDRO_API int
dendro_append_text(dendro_appender *app, const char *text, ptrdiff_t len, struct dendro_error *err);
DENDRO_API int
dendro_append_blob(dendro_appender *app, const void *bytes, size_t len, struct dendro_error *err);
DENDRO_API int dendro_append_timestamp(dendro_appender *app,
                                       int64_t value,
                                       enum dendro_unit unit,
                                       struct dendro_error *err);
/* After the last column. A row with too few values is an error that ends the batch, as above. */
DENDRO_API int dendro_append_end_row(dendro_appender *app, struct dendro_error *err);

/* One column of many rows. */
struct dendro_array {
    /* Of the values: BOOLEAN uint8_t, SMALLINT int16_t, INTEGER int32_t, BIGINT int64_t, REAL
     * float, DOUBLE double, time stamps int64_t in the unit of that type, VARCHAR and BLOB const
     * char *. It need not be the column's type, as long as the values fit it. */
    enum dendro_type type;
    const void *values;
    const size_t *lengths; /* VARCHAR, BLOB; NULL: the texts end with a NUL */
    const uint8_t *nulls;  /* not 0: that row is NULL, its value is not read; NULL: none is */
};
/* Whole rows, one array for each column of the appender; all of them or (on an error) none. */
DENDRO_API int dendro_append_columns(dendro_appender *app,
                                     const struct dendro_array *columns,
                                     int columns_count,
                                     size_t rows,
                                     struct dendro_error *err);

DENDRO_API int dendro_appender_flush(dendro_appender *app, struct dendro_error *err);
/* Throws away what was not flushed, the row under way and the error. */
DENDRO_API void dendro_appender_clear(dendro_appender *app);
/* Flushes, and frees in any case; NULL is fine. A row that was not ended is an error. */
DENDRO_API int dendro_appender_close(dendro_appender *app, struct dendro_error *err);
/* Rows that were flushed since it was opened. */
DENDRO_API uint64_t dendro_appender_rows(const dendro_appender *app);

/* ---- CSV files ---- */

enum dendro_csv_header {
    DENDRO_HEADER_AUTO = 0, /* the first line is one if most of its cells are names of columns */
    DENDRO_HEADER_YES = 1,
    DENDRO_HEADER_NO = 2,
};

enum dendro_encoding {
    DENDRO_ENCODING_AUTO = 0, /* to be found out; dendro_import_csv takes it for UTF-8 */
    DENDRO_ENCODING_UTF8 = 1,
    DENDRO_ENCODING_LATIN1 = 2,
    DENDRO_ENCODING_WIN1252 = 3,
    DENDRO_ENCODING_UTF16LE = 4,
    DENDRO_ENCODING_UTF16BE = 5,
    DENDRO_ENCODING_NDJSON = 6, /* lines of JSON objects: their members are the columns */
};

/* Which of day, month and year comes first in 1/2/2020. */
enum dendro_dates {
    DENDRO_DATES_SESSION = 0, /* as DateStyle says */
    DENDRO_DATES_MDY = 1,
    DENDRO_DATES_DMY = 2,
    DENDRO_DATES_YMD = 3,
};

/* How a text is written; all zero: commas, double quotes, an empty cell is NULL. docs/import.md has
 * every rule. */
struct dendro_csv {
    char delimiter;        /* 0 = comma */
    char quote;            /* 0 = double quote */
    const char *null_text; /* a cell without quotes that is NULL; NULL = the empty one */
    enum dendro_csv_header header;
    /* Columns of the file, ended by NULL, an empty name passes a column over. NULL: by the header,
     * else all columns of the table in order. */
    const char *const *columns;
    bool epoch; /* numbers in time columns: in epoch_unit; else YYYY, YYYYMMDD or its own unit */
    enum dendro_unit epoch_unit;
    enum dendro_encoding encoding;
    char decimal; /* ',': 1.234,5 is a number, 1234.5; 0 or '.': 1234.5 is */
    enum dendro_dates dates;
};

/* Up to len bytes to `to`; *ret_len 0: the end. Another result than 0: it cannot be read. gzip and
 * zstd are unpacked. */
typedef int (*dendro_read_fn)(void *arg, void *to, size_t len, size_t *ret_len);
/* A row that is left out: the line it begins at (from 1), its column (NULL: the whole record), why,
 * and its text. Another result than 0 stops with DENDRO_E_CANCELED. */
typedef int (*dendro_reject_fn)(void *arg,
                                uint64_t line,
                                const char *column,
                                const char *reason,
                                const char *record,
                                size_t record_len);

struct dendro_import_result {
    uint64_t rows;     /* in the table, durable */
    uint64_t rejected; /* left out */
    uint64_t parsed;   /* good rows so far, in the table or on their way to it */
    uint64_t bytes;    /* read, before unpacking */
};
/* Now and then. Another result than 0 stops with DENDRO_E_CANCELED. */
typedef int (*dendro_import_fn)(void *arg, const struct dendro_import_result *so_far);

struct dendro_import {
    const char *schema; /* NULL: the session's */
    const char *table;
    struct dendro_csv csv;
    dendro_read_fn read;
    void *read_arg;
    bool atomic;             /* all rows or none; else every big batch is a commit of its own */
    dendro_reject_fn reject; /* NULL: the first bad row ends the import */
    void *reject_arg;
    dendro_import_fn progress; /* may be NULL */
    void *progress_arg;
    int (*read_at)(void *arg, uint64_t at, void *to, size_t len); /* all len; NULL: no Parquet */
    uint64_t size; /* of what read_at reads, with read_arg */
};

/* Reads a CSV text into a table. ret_result (may be NULL) is filled after an error too: rows says
 * what stays in the table. Errors of rows name line and column. */
DENDRO_API int dendro_import_csv(dendro_conn *conn,
                                 const struct dendro_import *import,
                                 struct dendro_import_result *ret_result,
                                 struct dendro_error *err);

/* How a text is written: what csv does not say (what is 0 in it) is found out and set, but for
 * header and columns. Of a text that read_at reads up to 64 MB are looked at; else about a
 * megabyte, which the reader must be able to give once more to dendro_import_csv. ret_why gets
 * lines that say what was found, "" if there is nothing to tell; free it with dendro_free. */
DENDRO_API int
dendro_import_sniff(struct dendro_import *import, char **ret_why, struct dendro_error *err);
/* The same, and a CREATE TABLE statement for the text: types by its values, up to 64 MB of them if
 * there is a read_at, a key by a time column and the columns that look like tags. csv.header is set
 * if it was AUTO. ret_sql gets the
 * statement, ret_why also says which rows made a column another type than it seemed to be. */
DENDRO_API int dendro_import_suggest(struct dendro_import *import,
                                     char **ret_sql,
                                     char **ret_why,
                                     struct dendro_error *err);
DENDRO_API void dendro_free(void *p); /* NULL is fine */

/* ---- COPY … FROM STDIN, COPY … TO STDOUT ---- */

/* Takes bytes of COPY … TO STDOUT: one row for each call (CSV and text: a line; binary: the head of
 * the file comes with the first row). A result other than 0: it ends with DENDRO_E_CANCELED. */
typedef int (*dendro_write_fn)(void *arg, const void *bytes, size_t len);

/* Where the bytes come from and go to. Called during dendro_step, dendro_step_batch and dendro_exec
 * by the thread that called them; they must not use the session, except for dendro_cancel. read may
 * wait for more bytes, as a server does for its client. NULL: the statement is refused. */
struct dendro_copy {
    dendro_read_fn read; /* other than 0: the sender gave up; DENDRO_E_CANCELED, nothing written */
    void *read_arg;
    dendro_write_fn write;
    void *write_arg;
};
/* For all statements of the session from now on; copy NULL: none, the default. */
DENDRO_API void dendro_set_copy(dendro_conn *conn, const struct dendro_copy *copy);

enum dendro_copy_direction {
    DENDRO_COPY_NONE = 0, /* no COPY, or one of a file */
    DENDRO_COPY_IN = 1,   /* FROM STDIN */
    DENDRO_COPY_OUT = 2,  /* TO STDOUT */
};
/* What a prepared statement will do when it is stepped, so that a server can tell its client. */
struct dendro_copy_info {
    enum dendro_copy_direction direction;
    bool binary;
    int columns_count;
};
DENDRO_API void dendro_stmt_copy(const dendro_stmt *stmt, struct dendro_copy_info *ret);

/* ---- helps for shells ---- */

/* Does the text end a statement (a ';' outside quotes and comments)? */
DENDRO_API bool dendro_complete(const char *sql, ptrdiff_t len);

#ifdef __cplusplus
}
#endif

#endif
