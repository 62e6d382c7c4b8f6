/* SPDX-License-Identifier: Apache-2.0
 *
 * expr.h: bound expressions and their evaluation on batches. The binder (plan) makes them: names
 * resolved to columns of the input batch, types known, casts inserted, operators turned into
 * function calls. Const during execution, so plans can be shared.
 *
 * One thread at a time per struct eval. */
#pragma once

#include "base/bytes.h"
#include "func/func.h"

enum bexpr_kind {
    BEXPR_CONST,  /* value */
    BEXPR_COLUMN, /* input batch column `col` */
    BEXPR_PARAM,  /* parameter `param`; its datum is of type `type` */
    BEXPR_CALL,   /* func(args) */
    BEXPR_AND,    /* args: two or more; three-valued, later ones see only undecided rows */
    BEXPR_OR,
    BEXPR_IN,       /* args[0] IN (args[1..] constants or params of the same type; not INTERVAL,
                        NUMERIC), or = ANY (args[1], an array of that type, constant in a run) */
    BEXPR_CASE,     /* args: condition, value, …, value otherwise; values are of type `type` */
    BEXPR_COALESCE, /* the first of args that is not NULL; all of type `type` */
    BEXPR_KIND_MAX
};

struct bexpr {
    enum bexpr_kind kind;
    enum type_id type;
    uint32_t pos;            /* in the SQL text */
    struct datum value;      /* CONST */
    uint32_t col;            /* COLUMN */
    uint32_t param;          /* PARAM, 1-based */
    const struct func *func; /* CALL */
    struct bexpr **args;
    uint32_t args_count;
    bool negated;    /* IN: NOT IN, <> ALL */
    uint8_t decimal; /* DOUBLE: does it stand for a NUMERIC? (plan/decimal.h) 0: no */
    bool clock;      /* CONST: a time that is made of what a clock said, 'now' */
    int32_t chars;   /* BPCHAR, arrays of it: n of CHAR(n), which is how it is shown; 0: not known.
                        VARCHAR: below 0 it is a row of values (plan/bind_rows.h) */
};

/* Is it x = ANY (array)? With an empty one even NULL is not in it. */
static inline bool expr_in_array(const struct bexpr *e)
{
    return e->kind == BEXPR_IN && e->args_count == 2 && type_is_array(e->args[1]->type);
}

struct eval_set;

/* Parameters whose values are found when they are first asked for: subqueries that depend on no
 * row. */
struct eval_lazy {
    /* 1: this one is not of that kind. The value lives as long as the run. */
    int (*get)(void *arg, uint32_t param, const struct datum **ret, struct dn_err *err);
    void *arg;
};

struct eval {
    struct arena *arena;        /* of the batch: results live until it is reset */
    const struct datum *params; /* params[n - 1] */
    uint32_t params_count;
    int64_t now_ns;
    const struct func_session *session; /* NULL = none */
    struct arena *run; /* lives as long as the run; NULL = none. Keeps the prepared lists of IN */
    struct eval_set *sets;        /* in `run`, filled by expr_eval; start with NULL */
    const struct eval_lazy *lazy; /* asked before `params`; NULL = there are none */
    bool every_row; /* without shortcuts for selections, as the setting fast_paths = off has it */
};

/* Value of e for every row of the batch (in->count rows; unselected rows get unspecified values and
 * never raise). */
int expr_eval(const struct bexpr *e,
              struct eval *ev,
              const struct batch *in,
              struct vec *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* e must be BOOLEAN: the selected rows where it is true. Writes row numbers to sel (room for
 * in->count). */
int expr_select(const struct bexpr *e,
                struct eval *ev,
                const struct batch *in,
                uint16_t *sel,
                uint32_t *ret_count,
                struct dn_err *err) DN_MUST_CHECK;
/* A comparison of columns and constants, which cannot fail and is quick. */
bool expr_is_plain(const struct bexpr *e);
/* All of them plain, all rows of the batch being selected: those where each is true. */
int expr_select_plain(const struct bexpr *const *e,
                      uint32_t e_count,
                      struct eval *ev,
                      const struct batch *in,
                      uint16_t *sel,
                      uint32_t *ret_count,
                      struct dn_err *err) DN_MUST_CHECK;
/* The rows 0 .. count - 1 whose byte is 1, not 0: returns how many. Room for count. */
uint32_t expr_pick(const int8_t *answers, uint32_t count, uint16_t *sel);
/* One value without input: constants and parameters only. */
int expr_eval_datum(const struct bexpr *e, struct eval *ev, struct datum *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* No columns, nothing volatile. Parameters and now() (FUNC_STABLE) are known only when a statement
 * runs: they count as constant when at_run is true. For folding at plan time: false, and an
 * expression that fails then stays as it is. */
bool expr_is_const(const struct bexpr *e, bool at_run);
/* Short text for EXPLAIN; columns by the given names. */
void expr_print(const struct bexpr *e, const char *const *names, struct buf *b);
