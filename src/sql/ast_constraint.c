/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_constraint.c: builders of constraints and of what else a column may have. They are gathered
 * in ps->constraints, in the order written, until the table or the ALTER action is complete. */
#include "sql/build_ddl.h"

#include <string.h>

static struct constraint_def *
constraint_new(struct sql_parser *ps, enum constraint_kind kind, uint32_t pos)
{
    struct constraint_def *c = sql_new(ps, sizeof *c);

    if (!c)
        return NULL;
    c->kind = kind;
    c->pos = pos;
    return c;
}

struct constraint_def *sql_check_def(struct sql_parser *ps, uint32_t pos, struct expr *e)
{
    struct constraint_def *c = constraint_new(ps, CONSTRAINT_CHECK, pos);

    if (c)
        c->check = e;
    return c;
}

struct constraint_def *
sql_unique(struct sql_parser *ps, uint32_t pos, struct sql_list columns, bool nulls_not_distinct)
{
    struct constraint_def *c = constraint_new(ps, CONSTRAINT_UNIQUE, pos);

    if (!c)
        return NULL;
    c->nulls_not_distinct = nulls_not_distinct;
    c->columns_count = columns.count;
    c->columns = sql_list_take_structs(ps, columns, sizeof *c->columns);
    return c;
}

struct constraint_def *
sql_references(struct sql_parser *ps, const struct qual_name *table, struct sql_list columns)
{
    struct constraint_def *c = constraint_new(ps, CONSTRAINT_FOREIGN, table ? table->pos : 0);

    if (!c)
        return NULL;
    c->ref_table = *table;
    c->ref_columns_count = columns.count;
    c->ref_columns = sql_list_take_structs(ps, columns, sizeof *c->ref_columns);
    return c;
}

struct constraint_def *sql_foreign(struct sql_parser *ps,
                                   uint32_t pos,
                                   struct sql_list columns,
                                   struct constraint_def *ref)
{
    struct spec_name *names = sql_list_take_structs(ps, columns, sizeof *names);

    if (ps->rc < 0)
        return NULL;
    ref->pos = pos;
    ref->columns = names;
    ref->columns_count = columns.count;
    return ref;
}

struct constraint_def *sql_constraint_attrs(struct constraint_def *c, int bits)
{
    if (!c)
        return NULL;
    c->deferrable = c->deferrable || (bits & 1);
    c->initially_deferred = c->initially_deferred || (bits & 2);
    c->not_valid = (bits & 4) != 0;
    return c;
}

/* ---- gathering ---- */

static void constraint_push(struct sql_parser *ps, const struct constraint_def *c)
{
    if (ps->rc < 0)
        return;
    if (ps->constraints_len == ps->constraints_cap) {
        uint32_t cap = ps->constraints_cap ? ps->constraints_cap * 2 : 4;
        struct constraint_def *all = sql_new(ps, cap * sizeof *all);

        if (!all)
            return;
        if (ps->constraints_len > 0)
            memcpy(all, ps->constraints, ps->constraints_len * sizeof *all);
        ps->constraints = all;
        ps->constraints_cap = cap;
    }
    ps->constraints[ps->constraints_len++] = *c;
}

struct constraint_def *sql_constraints_take(struct sql_parser *ps, uint32_t *ret_count)
{
    struct constraint_def *all = ps->constraints_len > 0 ? ps->constraints : NULL;

    *ret_count = ps->constraints_len;
    ps->constraints = NULL;
    ps->constraints_len = 0;
    ps->constraints_cap = 0;
    ps->constraints_named = 0;
    return all;
}

void sql_constraint_name(struct sql_parser *ps, struct sql_token name)
{
    ps->constraint_name = sql_spec_name(ps, name);
}

void sql_constraint_add(struct sql_parser *ps, struct constraint_def *c)
{
    if (ps->rc < 0)
        return;
    c->name = ps->constraint_name;
    ps->constraint_name = (struct spec_name){0};
    constraint_push(ps, c);
}

/* ---- columns ---- */

/* The column whose constraints are being read. */
static struct sql_column *constraint_column(struct sql_parser *ps)
{
    return ps->rc < 0 ? NULL : ps->stack[ps->stack_len - 1];
}

void sql_column_constraint(struct sql_parser *ps, struct constraint_def *c)
{
    struct sql_column *column = constraint_column(ps);

    if (!column)
        return;
    c->of_column = true;
    c->columns = sql_new(ps, sizeof *c->columns);
    if (!c->columns)
        return;
    c->columns[0] = column->spec.name;
    c->columns_count = 1;
    constraint_push(ps, c);
}

/* The name goes to the constraint just read, if it was one of those that are kept. */
void sql_column_constraint_name(struct sql_parser *ps, struct sql_token name)
{
    if (ps->rc < 0)
        return;
    if (ps->constraints_len > ps->constraints_named)
        ps->constraints[ps->constraints_len - 1].name = sql_spec_name(ps, name);
    ps->constraints_named = ps->constraints_len;
}

void sql_column_attrs(struct sql_parser *ps, int bits)
{
    if (ps->rc == 0 && ps->constraints_len > 0 &&
        ps->constraints[ps->constraints_len - 1].of_column)
        sql_constraint_attrs(&ps->constraints[ps->constraints_len - 1], bits);
    else
        sql_fail(ps, DN_E_SYNTAX, ps->prev_end, "misplaced DEFERRABLE or INITIALLY clause");
}

void sql_column_collate(struct sql_parser *ps, const struct qual_name *name)
{
    struct sql_column *column = constraint_column(ps);

    if (!column)
        return;
    if (column->def.collation)
        sql_fail(ps, DN_E_SYNTAX, name->pos, "multiple COLLATE clauses not allowed");
    column->def.collation = name->name;
}

static bool column_generated(struct sql_parser *ps, struct sql_column *column, uint32_t pos)
{
    if (column->def.identity != IDENTITY_NONE || column->def.generated || column->def.serial) {
        sql_fail(ps,
                 DN_E_SYNTAX,
                 pos,
                 "the values of column \"%.60s\" are generated in two ways",
                 column->spec.name.s);
        return false;
    }
    column->def.generated_pos = pos;
    return true;
}

void sql_column_identity(struct sql_parser *ps,
                         uint32_t pos,
                         enum identity_kind kind,
                         struct sequence_def *sequence)
{
    struct sql_column *column = constraint_column(ps);

    if (!column || !column_generated(ps, column, pos))
        return;
    column->def.identity = kind;
    column->def.sequence = sequence;
}

void sql_column_generated(struct sql_parser *ps, uint32_t pos, struct expr *e)
{
    struct sql_column *column = constraint_column(ps);

    if (column && column_generated(ps, column, pos))
        column->def.generated = e;
}
