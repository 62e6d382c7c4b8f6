/* SPDX-License-Identifier: Apache-2.0
 *
 * exec_int.h: what the operators share. One thread at a time per run. */
#pragma once

#include "exec/exec.h"

#define DN_PLAN(NAME, name) extern const struct op_ops op_##name##_ops;
#include "plan/node_list.h"
#undef DN_PLAN

/* The next batch of an operator, never one without selected rows: how operators ask their input.
 * Looks at the cancel flag, counts rows, names the operator when memory runs out. */
int exec_pull(struct op *op, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;
/* Operators that are lazy: opens the input (the right one) if it is not open. */
int exec_need_input(struct op *op, struct dn_err *err) DN_MUST_CHECK;
int exec_need_right(struct op *op, struct dn_err *err) DN_MUST_CHECK;
/* A part of a plan with a context of its own; close with exec_close. */
int exec_open_node(const struct plan_node *node,
                   struct exec_ctx *ctx,
                   struct op **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Operators over the same nodes as those of a pipe, for a helper (pipe.h); close with exec_close,
 * before theirs. */
int exec_open_twin(const struct op *of, struct exec_ctx *ctx, struct op **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* DN_E_CANCELED when somebody asked for it; for loops that run long between batches. */
int exec_check_cancel(const struct exec_ctx *ctx, struct dn_err *err) DN_MUST_CHECK;

/* Scans: so many rows were looked at, each of so much work; any thread. */
static inline void exec_count_rows(const struct exec_ctx *ctx, int64_t rows, uint32_t work)
{
    if (!ctx->progress)
        return;
    atomic_fetch_add_explicit(&ctx->progress->rows, (uint64_t)rows, memory_order_relaxed);
    atomic_fetch_add_explicit(&ctx->progress->work, (uint64_t)(rows * work), memory_order_relaxed);
}
/* How far it is, to who asked; for loops that run long between batches, of the statement's own
 * thread. Looks at the cancel flag as well. */
int exec_tell(const struct exec_ctx *ctx, struct dn_err *err) DN_MUST_CHECK;

/* Evaluation on behalf of the operator: results in `batch`, prepared things in `run`. */
struct eval exec_eval(const struct op *op, struct arena *batch, struct arena *run);

/* May shortcuts be taken? Off when faults are looked for. */
static inline bool exec_fast(const struct exec_ctx *ctx)
{
    return ctx->env.settings && ctx->env.settings->fast_paths;
}

/* op_join.c: the left input of a JOIN whose rows are all made of rows of that, open, while none was
 * pulled yet; the right side is read for it. NULL: it is another kind, or none is needed. */
int op_join_left(struct op *op, struct op **ret, struct dn_err *err) DN_MUST_CHECK;
const struct op_ops *exec_ops_of(enum plan_kind kind);
/* The figures of a node, made if there are none yet; NULL: out of memory. */
struct exec_figures *exec_analysis_of(struct exec_analysis *a, const struct plan_node *node);

/* Before an operator goes: its memory and what it spilled. */
void exec_figures_close(struct op *op);
/* "avg(temperature)": a call of an AGGREGATE node. */
int exec_explain_agg(const struct plan_node *node,
                     const struct plan_agg *pa,
                     struct buf *b,
                     struct dn_err *err) DN_MUST_CHECK;

/* Is it time to spill for an operator (or one of `threads` of it) that holds so many bytes? At half
 * its share, since what grows by doubling may reach the other half; or earlier when the memory that
 * all statements have together is nearly used up. False if it has no share. */
bool exec_over(const struct op *op, size_t used, uint32_t threads);
/* The same for who is no operator. */
bool exec_over_share(const struct mem_owner *owner, size_t share, size_t used, uint32_t threads);

/* op_scan.c: twins will read the scan, too, by morsels of so many rows; before its first row. */
void op_scan_share(struct op *op, uint32_t morsel_rows);
/* At most so many rows will be taken from `input`: where each is one of a scan below it, that scan
 * returns no more, and reads only those. Before the first row is pulled. */
void op_scan_limit(struct op *input, uint64_t rows);
/* Does the scan below evaluate the filter's condition? */
bool op_filter_pushed(const struct op *op);

/* LIMIT and OFFSET: e evaluated, NULL or none = otherwise. Negative ones are refused. */
int exec_count_value(const struct exec_ctx *ctx,
                     const struct bexpr *e,
                     const char *word,
                     int64_t otherwise,
                     int64_t *ret,
                     struct dn_err *err) DN_MUST_CHECK;

/* Column names of a node's result, for expr_print; in the arena. NULL: out of memory. */
const char **exec_names(const struct plan_node *node, struct arena *arena);
/* Those of the left input, then those of the right. */
const char **exec_names_both(const struct plan_node *node, struct arena *arena);
/* Types of a node's columns, in the arena. NULL: out of memory. */
enum type_id *exec_types(const struct plan_node *node, struct arena *arena);
/* "(a, b, c)": the columns of a node. */
void exec_explain_cols(const struct plan_node *node, struct buf *b);
/* "a, b, c": the expressions of a node over its input's columns. */
int exec_explain_exprs(const struct plan_node *node,
                       struct bexpr *const *exprs,
                       uint32_t count,
                       struct buf *b,
                       struct dn_err *err) DN_MUST_CHECK;
