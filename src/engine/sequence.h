/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.h: values of sequences. What was given out stands in one document of the volume
 * ("counters", docs/format/counters.md), apart from the catalog and from transactions: a value is
 * given out once, whatever becomes of the statement that asked for it, and none comes twice after a
 * crash. The document is written for a block of values ahead of those given out.
 *
 * Any thread. */
#pragma once

#include "catalog/catalog.h"
#include "func/session.h"

struct column_def;
struct dendro_conn;
struct dendro_db;
struct dendro_stmt;
struct engine_counter;
struct expr;
struct qual_name;
struct sched_mutex;
struct sequence_def;
struct volume;

struct engine_sequences {
    struct sched_mutex *lock;
    struct engine_counter *counters; /* owned: what the document has, and those not in it yet */
    uint32_t count;
    uint32_t cap;
    bool loaded;
    bool swept; /* those that no sequence has are gone, once after the database was opened */
    uint64_t generation; /* of the document */
};

/* What a session was given of a sequence. */
struct session_sequence_seen {
    uint64_t id; /* of the sequence */
    int64_t value;
};

struct session_sequences {
    struct session_sequence_seen *seen; /* owned */
    uint32_t count;
    uint64_t last; /* id of the sequence that gave the last one, 0 = none */
};

/* ---- sequence.c ---- */
/* Before a catalog is saved that has sequences: the document of counters is there. */
int engine_sequences_ensure(struct dendro_db *db, struct dn_err *err) DN_MUST_CHECK;
/* For check: 0, DN_NOT_FOUND (there is no such document), DN_E_CORRUPT. */
int engine_sequences_verify(struct volume *v, struct dn_err *err) DN_MUST_CHECK;
/* At the end of the database: the rest of the blocks is not lost. */
void engine_sequences_close(struct dendro_db *db);
/* The value given out last, or (not called) the one that comes next. */
int engine_sequence_last(struct dendro_db *db,
                         const struct sequence *s,
                         int64_t *ret_value,
                         bool *ret_called,
                         struct dn_err *err) DN_MUST_CHECK;
/* A number for a counter that nobody uses. */
uint64_t engine_sequence_counter(struct dendro_db *db);

/* ---- sequence_call.c: what functions ask ---- */
int session_sequence_call(void *conn,
                          const struct func_sequence *call,
                          int64_t *ret,
                          struct dn_err *err) DN_MUST_CHECK;
int session_serial_sequence(void *conn,
                            const struct func_serial *of,
                            struct buf *ret,
                            struct dn_err *err) DN_MUST_CHECK;
/* DISCARD SEQUENCES: what it was given. */
void session_sequences_forget(struct dendro_conn *conn);
/* By a text as nextval takes it: [schema.]name, quoted if need be. */
int session_sequence_named(const struct dendro_conn *conn,
                           const struct catalog *cat,
                           const char *text,
                           size_t len,
                           const struct sequence **ret,
                           struct dn_err *err) DN_MUST_CHECK;
/* count values in a row. */
int engine_sequence_next(struct dendro_db *db,
                         const struct sequence *s,
                         uint32_t count,
                         int64_t *ret,
                         struct dn_err *err) DN_MUST_CHECK;
int engine_sequence_set(struct dendro_db *db,
                        const struct sequence *s,
                        int64_t value,
                        bool called,
                        struct dn_err *err) DN_MUST_CHECK;
