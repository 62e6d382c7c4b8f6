/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe.h: a chain of operators run by several threads: filters, projections and the left sides of
 * hash joins above one scan, below an operator that takes all rows in any order (a sink).
 *
 *     open -> run -> close
 *
 * What is shared, what is not. Each worker has operators of its own over the same plan nodes: the
 * statement's thread those of the tree, a helper twins of these (op.twin). Twins share what is
 * constant while rows flow: the source of the scan, of which each worker takes morsels through a
 * reader of its own, and the tables of joins, which are finished before the first helper starts.
 * Everything else (arenas, selections, small batches put together) belongs to one worker.
 *
 * The sink has a state for each worker and brings them together after `run`; it must not mind which
 * worker got which rows, nor their order. Rows of one morsel come to one worker, in their order.
 *
 * What is no pipe and runs in one thread: chains with volatile functions, with a join that notes
 * which right rows were matched (FULL), may have one match alone (SINGLE), is merged or did not fit
 * in memory; scans that go backward or have a bound or a quota; fewer rows than helpers are worth;
 * everything with fast_paths off. Subqueries that expressions ask for are run before.
 *
 * Errors and cancel: as team.h has it; the first error ends all workers. Memory: twins charge
 * owners of their own below that of the statement; what the sink holds is its own affair.
 * EXPLAIN ANALYZE counts the rows of all workers and the time of the statement's thread.
 *
 * One thread at a time, that of the statement, except `step` of helpers. */
#pragma once

#include "exec/team.h"

/* The worker (0: the statement's thread, 1 …: helpers) pulls a batch from `input` and takes it.
 * DN_EOF: it has no more. */
typedef int (*exec_pipe_fn)(void *arg, uint32_t worker, struct op *input, struct dn_err *err);

struct exec_pipe {
    struct op *top;      /* borrowed: the operator that the sink pulls; NULL: not open */
    struct op *scan;     /* borrowed: at the other end */
    uint32_t helpers;    /* 0: no pipe, or not worth it: pull as always */
    struct exec_ctx ctx; /* of twins */
    struct op **twins;   /* owned, each owned: tops of the helpers' chains */
    exec_pipe_fn step;
    void *arg;
    struct exec_team team;
};

/* Is what is below the sink a pipe, and how many helpers is it worth? Before the first row is
 * pulled; joins read their right side for it, as they would for the first row. close is right after
 * a failed open, and on zeroed memory. */
int exec_pipe_open(struct exec_pipe *p, struct op *input, struct dn_err *err) DN_MUST_CHECK;
/* Only with helpers: all workers step until there are no more rows. */
int exec_pipe_run(struct exec_pipe *p, exec_pipe_fn step, void *arg, struct dn_err *err)
    DN_MUST_CHECK;
/* Before the operators of the tree are closed. */
void exec_pipe_close(struct exec_pipe *p);
