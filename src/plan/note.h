/* SPDX-License-Identifier: Apache-2.0
 *
 * note.h: inside of plan/: what the names in a query's text turn out to be, noted while it is
 * bound. With the notes the tree can be written so that it means the same in any schema and after
 * columns were added, and so that a table or column it reads can be renamed (view.c). Nobody notes
 * anything unless planner.notes is set. One thread at a time; memory of the statement's arena. */
#pragma once

#include "plan/scope.h"
#include "sql/ast.h"

/* A column that an expression names. */
struct note_column {
    const struct expr *e;
    const struct lrel *rel;
    uint32_t col; /* of rel */
    bool plain;   /* the table's alias in front of it would mean just this */
};

/* One of the columns that * stands for, in their order. */
struct note_star {
    const struct select_core *core;
    const struct expr *e;   /* the * */
    const struct lrel *rel; /* NULL: merged by USING */
    const char *name;       /* NULL: there are none, and this note alone */
};

/* A table or view of FROM. */
struct note_table {
    const struct from_item *item;
    const struct lrel *rel;
};

/* What NATURAL found. */
struct note_natural {
    const struct from_item *item;
    const struct spec_name *names;
    uint32_t count;
};

struct note_list {
    void *v;
    uint32_t n;
    uint32_t cap;
};

struct plan_notes {
    const struct scope *scope; /* where the name being looked up stands */
    struct note_list columns;  /* struct note_column */
    struct note_list stars;    /* struct note_star */
    struct note_list items;    /* const struct select_item *: those that are no * */
    struct note_list tables;   /* struct note_table */
    struct note_list naturals; /* struct note_natural */
    bool nomem;                /* something is missing */
};

void plan_note_scope(struct planner *q, const struct scope *s);
void plan_note_column(struct planner *q,
                      const struct expr *e,
                      const struct lrel *rel,
                      uint32_t col);
void plan_note_star(struct planner *q,
                    const struct select_core *core,
                    const struct expr *e,
                    const struct lrel *rel,
                    const char *name);
void plan_note_item(struct planner *q, const struct select_item *item);
void plan_note_table(struct planner *q, const struct from_item *item, const struct lrel *rel);
void plan_note_natural(struct planner *q,
                       const struct from_item *item,
                       const struct spec_name *names,
                       uint32_t count);
