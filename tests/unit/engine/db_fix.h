/* SPDX-License-Identifier: Apache-2.0
 *
 * db_fix.h: a database on a simulated volume and one session; statements in, text out. One thread
 * at a time. */
#pragma once

#include "base/bytes.h"
#include "dendro.h"
#include "engine/engine.h"
#include "volume/sim.h"

struct db_fix {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    struct buf out;     /* of the last db_run */
    struct buf notices; /* since the last db_run began */
};

void db_open(struct db_fix *f);
void db_close(struct db_fix *f);
/* Closes and opens again on the same disk: recovery. */
void db_reopen(struct db_fix *f);
/* Runs every statement of the script and gives what they say, as text: the rows, values joined by
 * '|', NULL as
 * "~", then the tag in parentheses, e.g. "1|a\n(SELECT 1)\n"; an error ends it: "ERROR 42P01 15
 * text [hint]". Valid until the next run. */
const char *db_run(struct db_fix *f, const char *sql);
const char *db_run_on(struct db_fix *f, dendro_conn *conn, const char *sql);
/* db_run, and the test fails if there is an error. */
const char *db_ok(struct db_fix *f, const char *sql);
const char *db_notices(struct db_fix *f);
