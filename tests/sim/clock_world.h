/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_world.h: a database on a simulated disk whose machine has a clock that may be wrong, and
 * what time it really is. Failures end the test, naming the seed. One thread at a time. */
#pragma once

#include "sql_db.h"

#define SECOND ((int64_t)1000000000)
#define DAY    (86400 * SECOND)
#define YEAR   (365 * DAY)
#define START  (1704110400 * SECOND) /* 2024-01-01 12:00 UTC */

struct world {
    struct sql_db d;
    int64_t base_ns;  /* right time at virtual time 0 of the open volume; else now */
    int64_t error_ns; /* of the machine's clock */
    int64_t lost_ns;  /* how long it was off at most since its clock was confirmed */
    uint64_t seed;
    uint64_t opened; /* times */
};

/* Runs a script; the errors are the caller's. */
int world_run(struct world *w, struct dendro_error *err, const char *sql);
int64_t world_now(const struct world *w);
/* The machine's clock is off by so much from here on. */
void world_off(struct world *w, int64_t error_ns);
void world_open(struct world *w);
void world_close(struct world *w);
void world_begin(struct world *w, uint64_t seed);
void world_end(struct world *w);
/* Time goes by; closed: while the machine is off. */
void world_pass(struct world *w, int64_t ns);
void world_restart(struct world *w, int64_t off_ns, int64_t error_ns);
void world_must(struct world *w, const char *sql);
void world_refuses(struct world *w, const char *sql, const char *sqlstate, const char *part);
int64_t world_number(struct world *w, const char *sql);
/* Of SHOW STATUS: by how much the clock is ahead of what is believed. */
int64_t world_ahead(struct world *w);
void world_merge(struct world *w);
/* A row of table r or n, at that time. */
int world_put(struct world *w, const char *table, int64_t key, int64_t at_ns);
int world_confirm(struct world *w, int64_t day, struct dendro_error *err);
void world_make(struct world *w);
