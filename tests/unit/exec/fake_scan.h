/* SPDX-License-Identifier: Apache-2.0
 *
 * fake_scan.h: stands in for store/scan.h and plan_scan_preds in tests of operators: a table that
 * returns the batches it was given, and counts what is asked of it. One thread at a time. */
#pragma once

#include "exec/exec.h"
#include "volume/sim.h"
#include "volume/volume.h"

struct fake_table {
    const struct batch *batches; /* returned one after the other */
    uint32_t batches_count;
    int fail;                      /* DN_E_* to return instead of the last batch, 0 = none */
    uint32_t asked;                /* scan_next calls since scan_open */
    uint32_t open;                 /* scans that are not closed */
    uint32_t preds_made;           /* plan_scan_preds calls */
    int preds_fail;                /* DN_E_* that plan_scan_preds returns, 0 = none */
    struct scan_stats stats;       /* for scan_explain */
    const struct scan_pred *preds; /* what the last scan was opened with; valid while it is open */
    uint32_t preds_count;
};

extern struct fake_table fake_table;

/* A plan of nodes for it; memory of the arena. */
void fake_init(struct arena *arena);
struct plan_node *fake_node(enum plan_kind kind, struct plan_node *input);
/* SCAN of columns with the types and names c0, c1, … */
struct plan_node *fake_scan(const enum type_id *types, uint32_t count);
/* The same with batches of its own; fake_table counts its calls but not its rows. */
struct plan_node *fake_scan_of(const enum type_id *types,
                               uint32_t count,
                               const struct batch *batches,
                               uint32_t batches_count);
void fake_cols(struct plan_node *node, const enum type_id *types, uint32_t count);
struct bexpr **fake_list(struct bexpr *a, struct bexpr *b, struct bexpr *c);

/* All values of all result rows as "1,a;2,NULL;", one row after the other. Returns rc of the run.
 */
int fake_run(struct plan_node *root, struct exec_ctx *ctx, struct buf *ret, struct dn_err *err);
int fake_run_plan(const struct plan *plan,
                  struct exec_ctx *ctx,
                  struct buf *ret,
                  struct dn_err *err);
/* Runs, fails the test on an error, compares. */
void fake_check(struct plan_node *root, const char *want);

/* Little memory, and scratch on a simulated disk: whoever may put rows aside does so at some 16 kB.
 */
struct fake_tight {
    struct sim_disk *disk;
    struct volume *volume;
    struct mem_owner all;   /* nearly full */
    struct mem_owner owner; /* the statement's */
    void *ballast;
};

void fake_tight_open(struct fake_tight *t);
struct exec_ctx fake_tight_ctx(struct fake_tight *t);
void fake_tight_close(struct fake_tight *t); /* nothing is left in memory or scratch */
