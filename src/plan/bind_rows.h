/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_rows.h: inside of plan/: rows of values and whole rows of tables, in expressions. One thread
 * at a time. */
#pragma once

#include "plan/bind.h"

struct lrel;
struct scope;
struct sel;

/* There are no values of row types: a row is a text, whose `chars` says that it is one. LOOSE: of
 * values that may be equal though their texts are not, 1.0 and 1.00. Where the values are at hand
 * these are compared and sorted; a row out of a subquery has only its text, which has no order. */
#define BIND_ROW       (-1)
#define BIND_ROW_LOOSE (-2)
int bind_row_call(struct binder *b,
                  uint32_t pos,
                  struct bexpr **args,
                  uint32_t count,
                  struct bexpr **ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* ROW(a, b).f2 */
int bind_row_field(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Refuses what texts of rows cannot tell: l op r; the order of e. */
int bind_row_only_same(enum expr_op op,
                       uint32_t pos,
                       const struct bexpr *l,
                       const struct bexpr *r,
                       struct dn_err *err) DN_MUST_CHECK;
/* A row as its equals are written, which are counted: 1.00 as 1. */
int bind_row_alike(struct binder *b, struct bexpr **e, struct dn_err *err) DN_MUST_CHECK;
int bind_row_no_order(const struct bexpr *e, uint32_t pos, struct dn_err *err) DN_MUST_CHECK;
/* Rows elsewhere than in comparisons (bind_row.c): as text, IS [NOT] NULL, BETWEEN, IS [NOT]
 * DISTINCT FROM. */
int bind_row_text(struct binder *b, const struct expr *row, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_row_null(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_row_between(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int bind_row_distinct(struct binder *b,
                      const struct expr *e,
                      struct bexpr **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* e->a op e->b for two rows that have rows in the same places; 1: they have none. */
int bind_row_nested(struct binder *b,
                    const struct expr *e,
                    enum expr_op op,
                    struct bexpr **ret,
                    struct dn_err *err) DN_MUST_CHECK;

/* tableoid, where no column has that name: of the table that is meant, if rows cannot lack it. */
bool bind_is_tableoid(const struct binder *b, const struct expr *e);
int bind_tableoid(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Whole rows (bind_whole.c): the table that t or t.* names, and where it was found; NULL: none. */
struct lrel *bind_whole(const struct binder *b, const struct expr *e, const struct scope **ret);
/* rel->mark, a column that is NULL where an outer join made its row up. */
int bind_whole_mark(struct binder *b, const struct scope *s, struct lrel *rel, struct dn_err *err)
    DN_MUST_CHECK;
/* The variable of a function of FROM that has one value, whose name e is; 0: e is none. */
uint32_t bind_whole_single(const struct binder *b, const struct expr *e);
int bind_whole_text(struct binder *b,
                    const struct scope *s,
                    struct lrel *rel,
                    uint32_t pos,
                    struct bexpr **ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* t.* elsewhere than in a select list. */
int bind_whole_star(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* ROW(…) with t.* written out, t as a row of its columns; 1: it is none. */
int bind_as_row(struct binder *b, struct expr *e, struct expr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* e->a op e->b with a whole row on a side; 1: to be compared as other values are. */
int bind_whole_compare(struct binder *b,
                       const struct expr *e,
                       struct bexpr **ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* (t).a; 1: it is none. */
int bind_whole_field(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* What a row is ordered and grouped by: its values, or e alone; returns how many. to may be NULL.
 */
uint32_t bind_row_parts(const struct binder *b, struct bexpr *e, struct bexpr **to);
/* A list with the values of rows in the place of the rows. */
int bind_order_rows(struct binder *b,
                    struct plan_agg_order **list,
                    uint32_t *count,
                    struct dn_err *err) DN_MUST_CHECK;
/* A key of GROUP BY: the values of a row in its place; *ret is the last of them. */
int bind_key_rows(struct sel *s, struct bexpr *e, uint32_t *ret, struct dn_err *err) DN_MUST_CHECK;
