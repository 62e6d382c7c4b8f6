/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_db.h: a database on a simulated disk, for tests that crash it, fill it and damage it.
 * Statements in, values out. Nothing here fails the test by itself, so that the caller can name
 * seed and place. One thread at a time; sessions on fibers each use their own dendro_conn. */
#pragma once

#include "base/bytes.h"
#include "dendro.h"
#include "engine/engine.h"
#include "volume/sim.h"

struct rng {
    uint64_t state;
    uint64_t tick; /* rows made so far, for values that go on from row to row */
};

uint64_t rng_next(struct rng *r);

static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(rng_next(r) % n);
}

static inline bool rng_one_in(struct rng *r, uint32_t n)
{
    return rng_below(r, n) == 0;
}

struct sql_db {
    struct sim_disk *disk; /* owned; outlives the database */
    struct volume *v;      /* NULL while closed */
    dendro_db *db;
    dendro_conn *conn; /* one session, for tests that need no more */
};

struct sql_db_options {
    uint64_t seed;               /* of the volume's scheduler */
    const char *const *settings; /* NULL = none */
    bool background;
    bool read_only;
};

void sql_db_init(struct sql_db *d, uint64_t seed);
int sql_db_open(struct sql_db *d,
                const struct sql_db_options *options,
                struct dn_err *err) DN_MUST_CHECK;
/* Sessions other than d->conn must be gone. Fine when it is closed. */
void sql_db_close(struct sql_db *d);
/* Closes and forgets the disk. */
void sql_db_done(struct sql_db *d);

/* Merges all segments that should be; sql_db_merges: how often that happened since it was opened.
 */
int sql_db_merge(struct sql_db *d, struct dn_err *err) DN_MUST_CHECK;
uint64_t sql_db_merges(const struct sql_db *d);

/* Runs a script; rows are thrown away. */
int sql_exec(dendro_conn *conn, const char *sql, struct dendro_error *err) DN_MUST_CHECK;

struct sql_value {
    enum dendro_type type;
    bool null;
    int64_t i64;  /* integers, time stamps, BOOLEAN; NUMERIC: hundredths, or one of SQL_NUM_* */
    double f64;   /* REAL, DOUBLE */
    char *str;    /* VARCHAR, BLOB: owned, no NUL */
    uint32_t len; /* bytes of it */
    bool rounded; /* a REAL that was summed up: the last bit depends on the order */
    bool strange; /* a NUMERIC that was not shown as sql_num_print does */
};

/* What is no number, in its order. */
#define SQL_NUM_NAN       INT64_MAX
#define SQL_NUM_INF       (INT64_MAX - 1)
#define SQL_NUM_MINUS_INF INT64_MIN

/* A NUMERIC of hundredths with two digits behind the point, some with one or none, always the same
 * for the same number: what is read back must have them, too. */
void sql_num_print(int64_t hundredths, struct buf *b);
/* Does it have zeros at the end of its fraction then, which a key column does not keep? */
bool sql_num_trimmed(int64_t hundredths);

bool sql_type_is_string(enum dendro_type t);
bool sql_type_is_float(enum dendro_type t);
bool sql_type_is_int(enum dendro_type t);
bool sql_type_is_time(enum dendro_type t);
/* NULLs are equal and come last; strings by bytes. */
int sql_value_cmp(const struct sql_value *a, const struct sql_value *b);
/* As cmp == 0, but doubles to 1e-12. */
bool sql_value_same(const struct sql_value *a, const struct sql_value *b);
struct sql_value sql_value_copy(const struct sql_value *v);
void sql_value_done(struct sql_value *v);
void sql_value_print(const struct sql_value *v, struct buf *b);

struct sql_rows {
    uint32_t cols;
    size_t count;
    size_t cap;
    struct sql_value *v; /* owned: count * cols */
};

static inline struct sql_value *sql_row(const struct sql_rows *r, size_t i)
{
    return r->v + i * r->cols;
}

/* A row of NULLs at the end. */
struct sql_value *sql_rows_add(struct sql_rows *r);
void sql_rows_done(struct sql_rows *r);
void sql_rows_sort(struct sql_rows *r); /* by all columns */
/* Rows in this order, by sql_value_same? */
bool sql_rows_same(const struct sql_rows *a, const struct sql_rows *b);
/* Runs one query. On an error ret is empty. */
int sql_query(dendro_conn *conn, const char *sql, struct sql_rows *ret, struct dendro_error *err)
    DN_MUST_CHECK;
/* Everything the database shows, as text: tables, their CREATE, their rows sorted. Errors are part
 * of it. The caller frees it. */
char *sql_dump(dendro_conn *conn);

/* engine_check_volume of a database that is closed, as an operator checks one: beside an open one
 * the tasks in the background replace and remove what the check is about to read. false: faults,
 * printed to standard error with `what` before them. */
bool sql_db_check(struct sql_db *d, const char *what);

uint64_t test_now_ms(void);
uint64_t test_env(const char *name, uint64_t otherwise);
