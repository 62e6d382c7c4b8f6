/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h: what the parts of a plan share while it runs: the parameters, the values of subqueries
 * that are run once, the rows of CTEs, the working tables of recursion. A plan without any of these
 * has none.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec.h"
#include "exec/rows.h"
#include "exec/spool.h"

/* A CTE's query is pulled as far as its readers want; what it has returned is kept. */
struct exec_cte {
    const struct plan_node *root; /* borrowed */
    struct op *source;            /* owned; opened by the first reader */
    struct mem_owner mem;         /* of its rows */
    struct exec_spool rows;
    bool started;
    bool busy; /* its own query is being pulled */
    bool done; /* the query has nothing more */
};

/* The rows that a WORK node reads: what the last round of a recursion has found. */
struct exec_work {
    struct exec_spool *spool;     /* borrowed from the RECURSIVE operator; NULL = none runs */
    const struct exec_rows *rows; /* else: what the execution was given; NULL = nothing */
};

/* A subquery that is run once, when somebody wants its value. */
struct exec_init {
    const struct plan_init *plan; /* borrowed */
    bool done;
    bool busy;           /* it is being run */
    int rc;              /* how it ended; < 0: error has it */
    struct datum value;  /* in the run's arena */
    struct dn_err error; /* for everybody who asks */
};

struct exec_run {
    struct exec_ctx ctx; /* the statement's, with all parameters */
    struct mem_owner mem;
    struct arena arena;
    struct datum *slots; /* owned: the statement's parameters, then those of binds and inits */
    struct exec_cte *ctes;
    uint32_t ctes_count;
    struct exec_init *inits; /* of the plan, as many */
    uint32_t *inits_of;      /* by slot: its number in inits + 1; 0 = none */
    uint32_t slots_count;
    struct eval_lazy lazy; /* the values of inits */
    struct exec_work *works;
    uint32_t works_count;
};

/* NULL (and 0) for a plan that needs none. */
int exec_run_open(const struct plan *plan,
                  struct exec_ctx *ctx,
                  struct exec_run **ret,
                  struct dn_err *err) DN_MUST_CHECK;
void exec_run_close(struct exec_run *run); /* NULL is fine */

/* Runs the subqueries whose values e needs, for helpers that will ask for them later: those cannot
 * run any themselves. How they fail is told to who asks; run may be NULL, e too. Errors: out of
 * memory, canceled. */
int exec_run_settle(struct exec_run *run, const struct bexpr *e, struct dn_err *err) DN_MUST_CHECK;

/* Some rows of the CTE from row `at` on; vectors in the arena, data of the cursor, which is opened
 * if it is not. DN_EOF: no more. */
int exec_cte_read(struct exec_cte *cte,
                  struct exec_run *run,
                  struct exec_spool_cursor *cursor,
                  uint32_t at,
                  struct arena *arena,
                  struct batch *ret,
                  struct dn_err *err) DN_MUST_CHECK;
