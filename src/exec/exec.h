/* SPDX-License-Identifier: Apache-2.0
 *
 * exec.h: running a plan. One operator per node kind (op_<name>.c), all behind struct op_ops; each
 * pulls batches from its input. EXPLAIN lives in the operators.
 *
 *     exec_open -> exec_next … (DN_EOF) -> exec_close
 *
 * One thread at a time per run. Cancel may be asked from any thread. */
#pragma once

#include "base/json.h"
#include "plan/plan.h"

#include <stdatomic.h>

/* How far a run is. Scans of all its threads count; only the thread that pulls tells. */
struct exec_progress {
    atomic_uint_fast64_t rows;   /* looked at by scans */
    uint64_t rows_expected;      /* of the scans opened so far */
    atomic_uint_fast64_t work;   /* done, in parts of a row: progress.h */
    double total;                /* work to do in all, as far as it is known */
    struct exec_expect *expects; /* what makes it up; arena */
    uint32_t expects_count;
    int (*tell)(void *arg, struct dn_err *err); /* now and then; < 0 ends the run */
    void *arg;
};

/* What EXPLAIN ANALYZE tells of a node, over all the times it was opened. */
struct exec_figures {
    struct exec_figures *next;
    const struct plan_node *node;
    uint64_t loops; /* times it was opened */
    bool pulled;    /* somebody asked it for rows; else the operator above read them itself */
    uint64_t rows;
    uint64_t batches;
    uint64_t time_ns; /* with what is below it */
    size_t memory;    /* most bytes held at a time */
    uint64_t spilled; /* bytes */
    bool scanned;     /* scan is set */
    struct scan_stats scan;
};

/* All figures of a statement. One thread at a time: helpers do not pull. */
struct exec_analysis {
    struct arena *arena; /* of the figures; borrowed */
    struct exec_figures *figures;
};

/* A constraint of a scan that is known only when part of the plan has run (join_prune.h). */
struct exec_prune {
    const struct exec_prune *next;
    const struct plan_node *scan;
    struct scan_pred pred;
    bool instead; /* of what the statement says about the column: it implies that */
    /* Not NULL: no pred; rows whose cols are not among the keys of this table do not count. */
    const struct exec_join_table *table;
    const uint32_t *cols; /* of the scan, one for each key */
};

struct exec_join_table;
struct exec_rows;
struct exec_run;

struct exec_ctx {
    struct snapshot *snap; /* outlives the run */
    struct plan_env env;   /* catalog, settings, now */
    const struct datum *params;
    uint32_t params_count;
    struct mem_owner *owner;         /* statement's memory, with its limit */
    const atomic_bool *cancel;       /* NULL = never; looked at for every batch */
    struct sched *sched;             /* tasks that help; NULL = none */
    struct exec_progress *progress;  /* NULL = nobody asks */
    const struct exec_prune *prunes; /* what joins above know about scans; NULL = nothing */
    struct exec_run *run;           /* what the parts of the plan share (run.h); set by exec_open */
    struct volume *volume;          /* for what does not fit in memory; NULL: it is an error then */
    size_t budget;                  /* bytes that operators may hold together before they spill */
    struct exec_analysis *analysis; /* NULL: nobody wants figures */
    const struct exec_rows *given;  /* working table 0, when no recursion of the plan fills it */
    const struct exec_rows *parts;  /* working tables 1 … parts_count, as plan_env.parts */
    uint32_t parts_count;
    size_t share;       /* … and each of them; set by exec_open */
    size_t slice_bytes; /* strings of a batch, see slice.h; 0: no matter; set by exec_open */
};

struct op;

struct op_ops {
    const char *name;                               /* "Scan" as EXPLAIN shows it */
    int (*open)(struct op *op, struct dn_err *err); /* state is zeroed; input is open */
    int (*next)(struct op *op,
                struct batch *ret,
                struct dn_err *err); /* DN_EOF at the end; valid until the next call */
    void (*close)(struct op *op);    /* half-open is fine */
    /* One or more lines, without the indent, separated by '\n'. */
    int (*explain)(const struct plan_node *node,
                   struct exec_ctx *ctx,
                   struct buf *b,
                   struct dn_err *err);
    size_t state_size;
    bool lazy;  /* open comes before the inputs are open: the operator opens them (exec_need_*) */
    bool holds; /* it may hold all of its input: it has a share of the budget */
    bool thins; /* it may return few of many rows: small batches are put together (compact.h) */
};

struct op {
    const struct op_ops *ops;
    const struct plan_node *node; /* borrowed */
    struct exec_ctx *ctx;         /* borrowed */
    struct op *input;             /* owned */
    struct op *right;             /* owned: the second input; NULL = none */
    struct exec_run *run;         /* owned by the root of a plan; NULL for others */
    void *state;                  /* owned, ops->state_size bytes */
    struct mem_owner mem;         /* what this operator holds; child of ctx->owner */
    size_t share;                 /* `holds`: bytes of the budget; 0: it does not spill */
    uint64_t rows_out;
    uint64_t spilled;             /* bytes written to scratch */
    const struct op *twin;        /* whose work it shares in another thread (pipe.h); NULL: none */
    bool drained;                 /* all its rows will be asked for (compact.h) */
    struct exec_compact *compact; /* owned: small batches put together; NULL: none yet */
    struct exec_held *held;       /* owned: a batch that is handed on in slices; NULL: none yet */
    struct exec_figures *figures; /* borrowed; NULL: nobody wants them */
};

int exec_open(const struct plan *plan, struct exec_ctx *ctx, struct op **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A batch of at least one selected row, valid until the next call; DN_EOF at the end, and again
 * after it. Errors: DN_E_CANCELED; DN_E_NOMEM names the operator and the limit; those of
 * expressions carry their position. */
int exec_next(struct op *root, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;
void exec_close(struct op *root); /* NULL is fine */
/* What a statement does with the rows of its plan: UPDATE, DELETE, INSERT. It stands above them. */
struct exec_top {
    const char *lines; /* "Update public.t", as those of an operator */
    uint64_t rows;     /* changed; this and the time count with ctx->analysis */
    uint64_t time_ns;  /* of it all */
};

/* The tree as text lines, with pruning figures from the snapshot; with ctx->analysis after a run
 * (closed), what each operator did stands before it. top: NULL = nothing is above the plan, which
 * itself may be NULL under it. */
int exec_explain(const struct plan *plan,
                 const struct exec_top *top,
                 struct exec_ctx *ctx,
                 struct buf *b,
                 struct dn_err *err) DN_MUST_CHECK;
/* The same as members of a JSON object that the caller has begun: "Plan" and others. */
int exec_explain_json(const struct plan *plan,
                      const struct exec_top *top,
                      struct exec_ctx *ctx,
                      struct dn_json_writer *w,
                      struct dn_err *err) DN_MUST_CHECK;
