/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: what functions and texts ask of the session that they work for: its time zone, where
 * zones are found, who it is, clock and randomness. Where a function takes one NULL will do: UTC,
 * no files, nobody. Const while a statement runs; any thread of it. */
#pragma once

#include <stdint.h>

struct buf;
struct dn_err;
struct tz_cache;
struct tz_zone;

struct func_session {
    void *arg;
    uint64_t (*random)(void *arg);        /* 64 random bits */
    void (*seed)(void *arg, double seed); /* random() goes on from here */
    int64_t (*clock_ns)(void *arg);       /* what time it is now */
    int64_t statement_ns;                 /* when the statement began */
    /* The value of a setting as SHOW has it, into b (memory of its own). */
    int (*setting)(void *arg, const char *name, struct buf *b, struct dn_err *err);
    const struct tz_zone *zone; /* NULL: UTC */
    struct tz_cache *zones;     /* NULL: no files are read */
    const char *user;           /* none of these is NULL */
    const char *database;
    const char *schema;
    const char *version;
    int32_t id; /* number of the session */
};
