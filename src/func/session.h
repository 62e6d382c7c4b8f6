/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: what functions and texts ask of the session that they work for: its time zone, where
 * zones are found, who it is, clock and randomness. Where a function takes one NULL will do: UTC,
 * no files, nobody. Const while a statement runs; any thread of it. */
#pragma once

#include "func/session_list.h"
#include "func/slab.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct buf;
struct tz_cache;
struct tz_zone;

/* How an advisory lock is asked for: one of the first three, and the others. */
enum func_lock {
    FUNC_LOCK_TAKE = 0, /* waits for it */
    FUNC_LOCK_TRY = 1,
    FUNC_LOCK_GIVE = 2,
    FUNC_LOCK_SHARED = 4,
    FUNC_LOCK_XACT = 8, /* ends with the transaction */
    FUNC_LOCK_ALL = 16, /* GIVE: all of the session */
    FUNC_LOCK_PAIR = 32 /* the key is two numbers */
};

/* What can be asked about objects of the database (src/system/answer.c). */
enum func_ask_kind {
    FUNC_ASK_REG,        /* number to what a REGCLASS, REGTYPE, … (type) prints */
    FUNC_ASK_REG_FIND,   /* the number of the one of that name (text); error: there is none */
    FUNC_ASK_VISIBLE,    /* can it be named without its schema? type says what it is */
    FUNC_ASK_FORMAT,     /* format_type(oid, mod) */
    FUNC_ASK_COMMENT,    /* of object oid, part sub, in catalog text ("" = any) */
    FUNC_ASK_CONSTRAINT, /* pg_get_constraintdef */
    FUNC_ASK_INDEX,      /* pg_get_indexdef(oid, sub: column or 0) */
    FUNC_ASK_VIEW,       /* pg_get_viewdef */
    FUNC_ASK_PARTKEY,    /* pg_get_partkeydef */
    FUNC_ASK_TRIGGER,    /* pg_get_triggerdef(oid, pretty) */
    FUNC_ASK_PARTITION,  /* partition_info(text, more) */
    FUNC_ASK_ARGUMENTS,  /* pg_get_function_arguments */
    FUNC_ASK_RESULT,     /* pg_get_function_result */
    FUNC_ASK_SIZE,       /* bytes of a relation; of the database with oid 0 */
    FUNC_ASK_PRIVILEGE,  /* right: is it true? */
    FUNC_ASK_ENUM_LABEL, /* of the user type with number oid, the label with number sub */
    FUNC_ASK_ENUM_FIND,  /* the number of the label text; DN_E_BAD_TEXT: there is none */
    FUNC_ASK_ENUM_ALL,   /* the numbers of all its labels, each 8 bytes as they lie in memory */
};

enum func_right_of {
    FUNC_RIGHT_TABLE,
    FUNC_RIGHT_SEQUENCE,
    FUNC_RIGHT_COLUMN,
    FUNC_RIGHT_ANY_COLUMN,
    FUNC_RIGHT_SCHEMA,
    FUNC_RIGHT_DATABASE,
    FUNC_RIGHT_FUNCTION,
    FUNC_RIGHT_TYPE,
    FUNC_RIGHT_LANGUAGE,
    FUNC_RIGHT_TABLESPACE,
    FUNC_RIGHT_SERVER,
    FUNC_RIGHT_ROLE,
};

/* Something by its name or its number. */
struct func_name {
    bool given;
    int64_t number;
    const char *text; /* len bytes; NULL: the number counts */
    uint32_t len;
};

/* May the role (none given: that of the session) do that? */
struct func_right {
    enum func_right_of of;
    struct func_name role;
    struct func_name object;
    struct func_name column;
    struct func_name what; /* a list of privileges */
};

struct func_ask {
    enum func_ask_kind kind;
    int type; /* enum type_id: TYPE_REGCLASS, … */
    int64_t oid;
    int64_t sub;
    bool pretty;      /* TRIGGER: for people to read */
    const char *text; /* text_len bytes */
    uint32_t text_len;
    const char *more;
    uint32_t more_len;
    const struct func_right *right; /* PRIVILEGE */
};

struct func_answer {
    int64_t number;
    struct buf *text;
};

/* How intervals are written, in the order of the setting's words. */
enum interval_style { INTERVAL_POSTGRES, INTERVAL_VERBOSE, INTERVAL_STANDARD, INTERVAL_ISO };

/* How dates and times are written, in the order of DateStyle's words. */
enum date_as { DATE_AS_ISO, DATE_AS_SQL, DATE_AS_POSTGRES, DATE_AS_GERMAN };

/* Which part of a date comes first in a text that does not tell, as DateStyle has it. */
enum date_first { DATE_FIRST_MONTH, DATE_FIRST_DAY, DATE_FIRST_YEAR };

enum func_sequence_op {
    FUNC_SEQUENCE_NEXT,    /* nextval: count values */
    FUNC_SEQUENCE_CURRENT, /* currval */
    FUNC_SEQUENCE_LAST,    /* lastval: no name */
    FUNC_SEQUENCE_SET,     /* setval: value, called */
    FUNC_SEQUENCE_STATE,   /* last_value of the sequence as a table */
    FUNC_SEQUENCE_CALLED,  /* is_called */
};

struct func_sequence {
    enum func_sequence_op op;
    const char *name; /* [schema.]name, quoted if need be */
    uint32_t name_len;
    uint32_t count;
    int64_t value;
    bool called;
};

/* A column, for pg_get_serial_sequence. */
struct func_serial {
    const char *table;
    uint32_t table_len;
    const char *column;
    uint32_t column_len;
};

struct func_session {
    void *arg;
    const atomic_bool *cancel;     /* set: what takes long gives up (base/cancel.h); NULL = never */
    uint64_t (*random)(void *arg); /* 64 random bits */
    void (*seed)(void *arg, double seed); /* random() goes on from here */
    int64_t (*clock_ns)(void *arg);       /* what time it is now */
    /* Sets the clock ahead; refused unless it is one for tests. */
    int (*clock_advance)(void *arg, int64_t to_ns, struct dn_err *err);
    /* The clock of the machine is right: this is the day, in days since 1970 UTC (docs/adr/0014).
     */
    int (*clock_confirm)(void *arg, int64_t day, struct dn_err *err);
    int64_t statement_ns;   /* when the statement began */
    int64_t transaction_ns; /* when its transaction did: 'now', 'today' */
    int64_t opened_ns;      /* when the database was opened */
    const char *query;      /* text of the statement that runs; NULL: it is not kept */
    /* The value of a setting as SHOW has it, into b (memory of its own). */
    int (*setting)(void *arg, const char *name, struct buf *b, struct dn_err *err);
    /* Sets one; NULL: its default; its value then, into b. The thread of the statement. */
    int (*set)(void *arg,
               const char *name,
               const char *value,
               bool local,
               struct buf *b,
               struct dn_err *err);
    /* fn for each setting, by name, until it returns something else than 0. */
    int (*settings)(void *arg, func_setting_fn fn, void *fn_arg, struct dn_err *err);
    int (*reload)(void *arg, struct dn_err *err); /* pg_reload_conf() */
    /* fn for each cursor or (prepared) prepared statement. The thread of the statement. */
    void (*kept)(void *arg, bool prepared, func_kept_fn fn, void *fn_arg);
    /* fn for each session of the database; and a signal to one: 1 done, 0 it is not there, or (with
     * a timeout) still is. */
    int (*activity)(void *arg, func_activity_fn fn, void *fn_arg, struct dn_err *err);
    int (*signal)(void *arg, const struct func_signal *s, struct dn_err *err);
    /* fn for each counter of PUT COUNTER; set: it has a value. */
    int (*counters)(void *arg,
                    void (*fn)(void *fn_arg, const char *name, bool set, int64_t value),
                    void *fn_arg,
                    struct dn_err *err);
    func_slabs_fn slabs;
    /* Waits, unless the statement is canceled. */
    int (*sleep)(void *arg, double seconds, struct dn_err *err);
    /* 1: done; 0: it cannot be had now, or was not held. how: enum func_lock. */
    int (*advisory)(void *arg, unsigned how, int64_t key, struct dn_err *err);
    /* pg_export_snapshot(): the id, into b. The thread of the statement. */
    int (*export_snapshot)(void *arg, struct buf *b, struct dn_err *err);
    /* About objects: 0, DN_NOT_FOUND (NULL), or an error. NULL: nobody knows. */
    int (*ask)(void *arg, const struct func_ask *ask, struct func_answer *ret, struct dn_err *err);
    /* A sequence; ret has room for count values, or one. */
    int (*sequence)(void *arg, const struct func_sequence *call, int64_t *ret, struct dn_err *err);
    /* The sequence that goes with a column, by its name; 1: none. */
    int (*serial)(void *arg, const struct func_serial *of, struct buf *b, struct dn_err *err);
    const struct tz_zone *zone; /* NULL: UTC */
    enum interval_style interval_style;
    enum date_as date_style;
    enum date_first date_first;
    int float_less;     /* digits of REAL and DOUBLE: 0: as many as tell them apart; n: n - 1 fewer
                           than 6 and 15 */
    bool bytes_escaped; /* BLOB as text: bytes that are no printable ASCII as \ooo */
    struct tz_cache *zones; /* NULL: no files are read */
    const char *user;       /* whose rights count; none of these is NULL */
    const char *login;      /* who logged in */
    const char *database;
    const char *schema;      /* of search_path: each ended by a zero, an empty one ends all */
    const char *temp_schema; /* of temporary objects; "" = none */
    const char *version;
    int32_t id; /* number of the session */
};
