/* SPDX-License-Identifier: Apache-2.0
 *
 * generated.c: see the header. Rules and words are PostgreSQL's. */
#include "engine/generated.h"

#include "engine/ddl_expr.h"

#include "plan/stored.h"

int ddl_generated(struct dendro_stmt *stmt,
                  const char *table,
                  struct column_spec *col,
                  const struct column_def *def,
                  struct dn_err *err)
{
    int rc;

    if (def->def) {
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "both default and generation expression specified for column \"%s\" of table "
                     "\"%s\"",
                     col->name.s,
                     table);
        dn_err_at(err, def->generated_pos);
        return rc;
    }
    col->def_sql = ddl_expr_text(stmt, def->generated);
    col->source = COLUMN_STORED;
    return col->def_sql ? 0 : DN_FAIL_NOMEM(err);
}

/* Nothing but its arguments decides the value. */
static bool generated_immutable(const struct bexpr *e)
{
    if (e->kind == BEXPR_CALL && (e->func->flags & (FUNC_VOLATILE | FUNC_STABLE)))
        return false;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (!generated_immutable(e->args[i]))
            return false;
    return true;
}

static int generated_rules(const struct table *t,
                           const struct column *c,
                           const struct bexpr *b,
                           const bool *used,
                           struct dn_err *err)
{
    for (uint16_t i = 0; i < t->columns_count; i++)
        if (used[i] && t->columns[i].source == COLUMN_STORED)
            return DN_FAIL(err,
                           DN_E_BAD_DEFINITION,
                           "cannot use generated column \"%s\" in column generation expression",
                           t->columns[i].name);
    if (!generated_immutable(b))
        return DN_FAIL(err, DN_E_BAD_DEFINITION, "generation expression is not immutable");
    if (b->type != TYPE_NONE && !plan_assignable(c->type, b->type))
        return DN_FAIL(err,
                       DN_E_DATATYPE_MISMATCH,
                       "column \"%s\" is of type %s but default expression is of type %s",
                       c->name,
                       type_word(c->type),
                       type_word(b->type));
    if (t->upsert == UPSERT_FIELD)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "a table with upsert = 'field' cannot have generated columns: what a row "
                       "does not say is not read");
    return 0;
}

int ddl_generated_check(struct dendro_stmt *stmt,
                        struct table *t,
                        const struct catalog *cat,
                        struct dn_err *err)
{
    struct plan_env env = session_plan_env(stmt->conn, cat, &stmt->run);
    int rc = 0;

    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++) {
        struct spec_name name = {.s = t->columns[i].name};
        const char *text;
        struct expr *e;
        struct bexpr *b;
        bool *used;

        if (t->columns[i].source != COLUMN_STORED)
            continue;
        used = arena_calloc(&stmt->run, t->columns_count, sizeof(*used));
        rc = used
                 ? plan_stored_parse(&stmt->conn->types, &stmt->run, t->columns[i].def_sql, &e, err)
                 : DN_FAIL_NOMEM(err);
        if (rc == 0)
            rc = plan_row_expr(&env, t, e, "a column generation expression", used, &b, err);
        if (rc == 0)
            rc = generated_rules(t, &t->columns[i], b, used, err);
        if (rc == 0)
            rc = ddl_bare_names(stmt, t, t->columns[i].def_sql, &text, err);
        if (rc == 0)
            rc = table_set_default(t, &name, text, err);
        t->columns[i].source = COLUMN_STORED;
    }
    return rc;
}

/* Does the tree name the column? */
static bool generated_names(const struct expr *e, const struct table *t, uint16_t col)
{
    if (!e)
        return false;
    if (e->kind == EXPR_COLUMN && table_column_find(t, e->name, strlen(e->name)) == (int)col)
        return true;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (generated_names(e->args[i], t, col))
            return true;
    return generated_names(e->a, t, col) || generated_names(e->b, t, col) ||
           generated_names(e->c, t, col);
}

int ddl_generated_forget(struct table *t, const struct alter_action *a, struct dn_err *err)
{
    uint16_t col;
    int rc = table_find_column(t, &a->name, &col, err);

    if (rc < 0 || t->columns[col].source == COLUMN_STORED)
        return rc < 0 ? rc : table_set_default(t, &a->name, NULL, err);
    if (a->if_exists)
        return 1;
    rc = DN_FAIL(err,
                 DN_E_NOT_READY,
                 "column \"%s\" of relation \"%s\" is not a stored generated column",
                 t->columns[col].name,
                 t->name);
    dn_err_at(err, a->name.pos);
    return rc;
}

/* The first generated column whose expression names it, from number first on; -1: none. */
static int generated_of(struct dendro_stmt *stmt,
                        const struct table *t,
                        uint16_t col,
                        uint16_t first,
                        int *ret,
                        struct dn_err *err)
{
    int rc = 0;

    *ret = -1;
    for (uint16_t i = first; rc == 0 && *ret < 0 && i < t->columns_count; i++) {
        struct expr *e = NULL;

        if (i == col || t->columns[i].source != COLUMN_STORED)
            continue;
        rc = plan_stored_parse(&stmt->conn->types, &stmt->run, t->columns[i].def_sql, &e, err);
        if (rc == 0 && generated_names(e, t, col))
            *ret = i;
    }
    return rc;
}

int ddl_generated_type(struct dendro_stmt *stmt,
                       const struct table *t,
                       const struct spec_name *name,
                       struct dn_err *err)
{
    uint16_t col;
    int by = -1;
    int rc = table_find_column(t, name, &col, err);

    if (rc == 0)
        rc = generated_of(stmt, t, col, 0, &by, err);
    if (rc < 0 || by < 0)
        return rc;
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "cannot alter type of a column used by a generated column: column \"%s\" is used "
                 "by generated column \"%s\"",
                 t->columns[col].name,
                 t->columns[by].name);
    dn_err_at(err, name->pos);
    return rc;
}

int ddl_generated_drop(struct dendro_stmt *stmt,
                       struct table *t,
                       const struct spec_name *name,
                       bool cascade,
                       struct dn_err *err)
{
    uint16_t col;
    int by = -1;
    int rc = table_find_column(t, name, &col, err);

    while (rc == 0 && (rc = generated_of(stmt, t, col, 0, &by, err)) == 0 && by >= 0) {
        struct spec_name other = {.s = t->columns[by].name, .pos = name->pos};

        if (!cascade) {
            rc = DN_FAIL(err,
                         DN_E_DEPENDENT,
                         "cannot drop column %s of table %s because other objects depend on it: "
                         "column %s of table %s depends on column %s of table %s",
                         t->columns[col].name,
                         t->name,
                         t->columns[by].name,
                         t->name,
                         t->columns[col].name,
                         t->name);
            dn_err_hint(err, "Use DROP ... CASCADE to drop the dependent objects too.");
            dn_err_at(err, name->pos);
            return rc;
        }
        session_notice(stmt->conn,
                       "NOTICE",
                       "drop cascades to column %s of table %s",
                       t->columns[by].name,
                       t->name);
        rc = table_drop_column(t, &other, err);
        if (rc == 0)
            rc = table_find_column(t, name, &col, err);
    }
    return rc;
}
