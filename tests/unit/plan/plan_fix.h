/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_fix.h: a catalog in memory, filled by CREATE TABLE statements, and plans of SELECTs over it.
 * One thread at a time. */
#pragma once

#include "plan/plan.h"
#include "sql/sql.h"
#include "volume/sim.h"

struct plan_fix {
    struct sim_disk *disk;
    struct volume *volume;
    struct catalog *catalog;
    struct settings settings;
    struct arena arena;
};

void plan_fix_open(struct plan_fix *f);
void plan_fix_close(struct plan_fix *f);
/* Fails the test if the statement is bad. */
/* Laid out by token where a key allows it, but for tables whose name begins with "val". */
void plan_fix_create(struct plan_fix *f, const char *sql);
const struct table *plan_fix_table(struct plan_fix *f, const char *name);
struct plan_env plan_fix_env(struct plan_fix *f);
/* The plan of a SELECT; arena memory. */
int plan_fix_select(struct plan_fix *f, const char *sql, struct plan **ret, struct dn_err *err);
struct stmt *plan_fix_parse(struct plan_fix *f, const char *sql);
/* The tree in one line, leaf first: "scan(t: a, b) filter(a > 1) project(b AS x) sort(0 desc)".
 * Arena memory. */
const char *plan_fix_print(struct plan_fix *f, const struct plan *p);
