/* SPDX-License-Identifier: Apache-2.0
 *
 * from_int.h: inside of plan/: what from.c and from_join.c share. One thread at a time. */
#pragma once

#include "plan/note.h"
#include "plan/select_int.h"

struct from {
    struct planner *q;
    struct binder *b; /* of the query: for ON */
    struct sel *level;
};

struct from_part {
    struct scope scope; /* of this item alone */
    struct lnode *tree;
};

/* Rows that the caller has, under the name of one item of FROM (given.c). */
struct given {
    const struct from_item *item;
    const struct from_item *target;   /* the statement's table beside them; NULL = none */
    const struct table *table;        /* theirs */
    const struct plan_writable *view; /* as which they are shown; NULL = none */
    const struct plan_change *change; /* with columns of other tables beside them; NULL = none */
    const char *clause;               /* of the statement, for messages */
};

struct plan_writable;

/* One item of FROM; left is what LATERAL sees. */
int from_item(struct from *f,
              const struct from_item *item,
              const struct scope *left,
              struct from_part *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* A table, and its columns, as all that the part makes known. */
int from_add(struct from *f, struct lrel *rel, struct from_part *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* A table of so many columns; NULL: out of memory. */
struct lrel *from_rel(struct from *f, const char *alias, uint32_t cols, uint32_t pos);
/* AS t (a, b): new names for the first columns. */
int from_rename(struct lrel *rel, const struct spec_name *names, uint32_t count, struct dn_err *err)
    DN_MUST_CHECK;
/* JOIN (from_join.c). */
int from_join(struct from *f,
              const struct from_item *item,
              const struct scope *left,
              struct from_part *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* Subqueries of an ON clause: each goes to the side it depends on, or to the right one, which is
 * then looked at for each row of the left. Of an inner join they go above the product instead. */
int from_on_subs(struct from *f,
                 const struct bind_subs *subs,
                 struct lnode *join,
                 struct dn_err *err) DN_MUST_CHECK;
/* A FULL join with subqueries that depend on both sides, as a union (from_full.c). */
struct from_full {
    struct lnode *join;     /* with its conditions; in and right are the sides */
    struct bind_subs *subs; /* of them, not attached yet */
    struct scope *sides[2];
    struct scope *scope; /* of the join: its names get the variables of the union */
    struct ldef *defs;   /* of merged columns, above: likewise */
    uint32_t defs_count;
};
int from_full(struct from *f, const struct from_full *full, struct lnode **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* TABLESAMPLE (from_sample.c): fewer rows of a stored table; the error for what is none. */
int from_sample(struct from *f,
                const struct from_sample *s,
                struct lrel *rel,
                struct from_part *part,
                struct dn_err *err) DN_MUST_CHECK;
int from_sample_refuse(const struct from_item *item, struct dn_err *err) DN_MUST_CHECK;
/* A function (from_function.c). */
int from_function(struct from *f,
                  const struct from_item *item,
                  const struct scope *left,
                  struct from_part *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* A relation of the system (from_system.c). */
int from_system(struct from *f,
                const struct from_item *item,
                const struct sys_relation *rel,
                struct from_part *ret,
                struct dn_err *err) DN_MUST_CHECK;
/* A file (from_file.c). */
int from_file(struct from *f,
              const struct from_item *item,
              struct from_part *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* A view (view.c). */
int from_view(struct from *f,
              const struct from_item *item,
              const struct view *view,
              struct from_part *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* Each column of a query's result gets a variable of its own, that belongs to this FROM. */
int from_own_vars(struct from *f, struct qout *out, struct dn_err *err) DN_MUST_CHECK;
/* Rows that the caller has (given.c): those of the table, and what becomes of them in FROM. */
int given_rel(struct from *f,
              const struct given *given,
              const char *alias,
              uint32_t pos,
              struct lrel **ret,
              struct lnode **ret_tree,
              struct dn_err *err) DN_MUST_CHECK;
int from_given(struct from *f,
               const struct from_item *item,
               struct from_part *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* The rows of the statement's target, or new ones: columns that the role may not read cannot be
 * mentioned. SELECT is needed for those that are, and for no others. */
int from_close_target(struct from *f,
                      const struct qual_name *name,
                      struct lrel *rel,
                      struct dn_err *err) DN_MUST_CHECK;
/* What the statement calls its target t: the name it gives, where t is a shard of that. */
const char *
from_target_alias(const struct table *t, const struct qual_name *name, const char *alias);
/* Names of two parts together: merged ones, then what is left of the left and of the right. */
int from_join_names(struct from *f,
                    const struct from_part *sides,
                    const struct scope *merged,
                    struct scope *to,
                    struct dn_err *err) DN_MUST_CHECK;
/* What an UPDATE or DELETE is about: a stored table, by itself or through a view. */
struct from_target {
    struct lrel *rel;           /* the table */
    struct lnode *scan;         /* likewise */
    struct lrel *shown;         /* what names mean: the table, or the view */
    struct plan_writable *view; /* NULL: it is no view */
    struct lnode *tree;         /* the rows */
};
/* It as the only one of a scope: UPDATE, DELETE. */
int from_table(struct planner *q,
               const struct qual_name *name,
               const char *alias,
               struct scope *scope,
               struct from_target *ret,
               struct dn_err *err) DN_MUST_CHECK;
