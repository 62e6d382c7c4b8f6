/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_fix.h: a database on a simulated disk whose clock is set by the test, and goes on when it
 * is opened again. One thread at a time. */
#pragma once

#include "db_fix.h"

#include <stdint.h>

#define START_CLOCK 1704110400 /* 2024-01-01 12:00 UTC */
#define DAY         86400

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    int64_t clock;  /* seconds since 1970 */
    int64_t rolled; /* as it was when all that was due had been done */
    uint64_t epoch;
};

/* At w->clock. */
int world_open(struct world *w);
void world_close(struct world *w); /* not open is fine */
int world_run(struct world *w, const char *sql);
int world_advance(struct world *w, int64_t seconds);
/* All rows as lines; the caller frees it. */
char *world_list(struct world *w, const char *sql);

/* Random numbers of a seed. */
uint64_t seed_next(uint64_t *s);
