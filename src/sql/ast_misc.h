/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_misc.h: statements that neither ask for rows nor define anything. ast.h says what holds for
 * all of the tree. One thread at a time. */
#pragma once

#include "sql/ast_query.h"

/* ---- COPY ---- */

enum copy_place { COPY_FILE, COPY_STDIO };

struct copy_stmt {
    bool from; /* COPY … FROM; else TO, and the statement's `explained` is the query */
    enum copy_place place;     /* STDIO: STDIN, STDOUT */
    struct qual_name table;    /* no name: COPY (SELECT …) TO */
    struct spec_name *columns; /* NULL = all in order */
    uint32_t columns_count;
    const char *file; /* as given; NULL with STDIO */
    uint32_t file_pos;
    struct option_spec *options; /* value NULL: it was named without one; those of the old syntax
                                    (CSV HEADER, DELIMITER ';') as the new one calls them */
    uint32_t options_count;
    struct expr *where; /* COPY FROM … WHERE; NULL = none */
};

/* ---- EXPLAIN ---- */

struct explain_options {
    bool analyze;                /* before the statement, or among the options */
    struct option_spec *options; /* (…) as given; value NULL: named without one; ANALYZE is among
                                    them when it stood there */
    uint32_t options_count;
};

/* ---- SET, RESET ---- */

enum set_scope { SET_SESSION, SET_LOCAL, SET_SYSTEM /* ALTER SYSTEM */ };

/* SET TIME ZONE v is name "timezone", SET SCHEMA v "search_path", SET NAMES v "client_encoding",
 * SET [SESSION CHARACTERISTICS AS] TRANSACTION is a TRANSACTION statement. */
struct set_stmt {
    enum set_scope scope;
    bool scope_given;           /* SESSION, LOCAL or ALTER SYSTEM was written */
    bool reset;                 /* RESET; name "all" for RESET ALL */
    struct option_spec *values; /* text without quotes, in order; NULL = DEFAULT */
    uint32_t values_count;
};

/* ---- transactions, prepared statements, cursors and the rest ---- */

enum transaction_kind {
    TRANSACTION_BEGIN, /* BEGIN, START TRANSACTION */
    TRANSACTION_COMMIT,
    TRANSACTION_ROLLBACK,
    TRANSACTION_SAVEPOINT,
    TRANSACTION_RELEASE,
    TRANSACTION_ROLLBACK_TO,
    TRANSACTION_SET,         /* SET TRANSACTION modes */
    TRANSACTION_SNAPSHOT,    /* SET TRANSACTION SNAPSHOT 'id' */
    TRANSACTION_SET_SESSION, /* SET SESSION CHARACTERISTICS AS TRANSACTION modes */
    TRANSACTION_KIND_MAX
};
enum isolation {
    ISOLATION_DEFAULT,
    ISOLATION_SERIALIZABLE,
    ISOLATION_REPEATABLE_READ,
    ISOLATION_READ_COMMITTED,
    ISOLATION_READ_UNCOMMITTED
};
enum mode_given { MODE_DEFAULT, MODE_YES, MODE_NO };

struct transaction {
    enum transaction_kind kind;
    enum isolation isolation;
    enum mode_given read_only;  /* READ ONLY yes, READ WRITE no */
    enum mode_given deferrable; /* DEFERRABLE yes, NOT DEFERRABLE no */
    bool chain;                 /* COMMIT AND CHAIN, ROLLBACK AND CHAIN */
    bool start;                 /* BEGIN was written START TRANSACTION */
    const char *snapshot;       /* SNAPSHOT: the id */
};

enum fetch_direction {
    FETCH_FORWARD, /* NEXT is FORWARD 1; count, or all */
    FETCH_BACKWARD,
    FETCH_ABSOLUTE, /* FIRST is ABSOLUTE 1, LAST is ABSOLUTE -1 */
    FETCH_RELATIVE
};
struct fetch {
    enum fetch_direction direction;
    int64_t count;
    bool all;  /* FORWARD ALL, BACKWARD ALL: count is of no meaning */
    bool move; /* MOVE: no rows are returned */
};

struct cursor {
    bool binary;
    bool insensitive;
    bool hold;              /* WITH HOLD */
    enum mode_given scroll; /* SCROLL yes, NO SCROLL no */
};

enum maintain_kind { MAINTAIN_ANALYZE, MAINTAIN_VACUUM, MAINTAIN_REINDEX, MAINTAIN_CLUSTER };
enum discard_kind { DISCARD_ALL, DISCARD_PLANS, DISCARD_SEQUENCES, DISCARD_TEMP };

enum channel_kind { CHANNEL_LISTEN, CHANNEL_UNLISTEN, CHANNEL_NOTIFY };

struct misc_stmt {
    /* Savepoint, prepared statement or cursor; s NULL: DEALLOCATE ALL, CLOSE ALL, or not given. */
    struct spec_name name;
    struct transaction transaction; /* TRANSACTION */
    struct type_name *types;        /* PREPARE; NULL = none given */
    uint32_t types_count;
    struct expr **args; /* EXECUTE */
    uint32_t args_count;
    struct cursor cursor; /* DECLARE; stmt.explained is the query */
    struct fetch fetch;   /* FETCH */
    enum maintain_kind maintain;
    enum discard_kind discard;
    enum channel_kind channel;   /* of name; s NULL: UNLISTEN * */
    const char *payload;         /* NOTIFY; NULL = none */
    const char *lock_mode;       /* LOCK TABLE … IN lock_mode MODE, in upper case; NULL = none */
    bool nowait;                 /* LOCK */
    struct option_spec *options; /* MAINTAIN: (VERBOSE, ANALYZE) */
    uint32_t options_count;
};
