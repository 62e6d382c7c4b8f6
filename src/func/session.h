/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: what functions and texts ask of the session that they work for: its time zone, where
 * zones are found, who it is, clock and randomness. Where a function takes one NULL will do: UTC,
 * no files, nobody. Const while a statement runs; any thread of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct dn_err;
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

struct func_session {
    void *arg;
    uint64_t (*random)(void *arg);        /* 64 random bits */
    void (*seed)(void *arg, double seed); /* random() goes on from here */
    int64_t (*clock_ns)(void *arg);       /* what time it is now */
    int64_t statement_ns;                 /* when the statement began */
    /* The value of a setting as SHOW has it, into b (memory of its own). */
    int (*setting)(void *arg, const char *name, struct buf *b, struct dn_err *err);
    /* Sets one; NULL: its default; its value then, into b. The thread of the statement. */
    int (*set)(void *arg,
               const char *name,
               const char *value,
               bool local,
               struct buf *b,
               struct dn_err *err);
    /* Waits, unless the statement is canceled. */
    int (*sleep)(void *arg, double seconds, struct dn_err *err);
    /* 1: done; 0: it cannot be had now, or was not held. how: enum func_lock. */
    int (*advisory)(void *arg, unsigned how, int64_t key, struct dn_err *err);
    const struct tz_zone *zone; /* NULL: UTC */
    struct tz_cache *zones;     /* NULL: no files are read */
    const char *user;           /* none of these is NULL */
    const char *database;
    const char *schema;      /* of search_path: each ended by a zero, an empty one ends all */
    const char *temp_schema; /* of temporary objects; "" = none */
    const char *version;
    int32_t id; /* number of the session */
};
