/* SPDX-License-Identifier: Apache-2.0
 *
 * ddl_expr.c: expressions in definitions: DEFAULT and CHECK. A constant DEFAULT is stored as the
 * column's value, all else as text (the printer's), which every statement that writes rows binds
 * anew. */
#include "engine/ddl_expr.h"

#include "engine/sequence_ddl.h"

#include "catalog/table_alter.h"
#include "catalog/table_constraint.h"
#include "plan/stored.h"

const char *ddl_expr_text(struct dendro_stmt *stmt, const struct expr *e)
{
    struct buf b;
    char *text;

    buf_init(&b, NULL);
    sql_print_expr(e, &b);
    text = b.failed ? NULL : arena_strndup(&stmt->run, (const char *)b.data, b.len);
    buf_done(&b);
    return text;
}

static int
ddl_default_fits(const struct column_spec *col, const struct bexpr *b, struct dn_err *err)
{
    if (b->type == TYPE_NONE || plan_assignable(col->type, b->type))
        return 0;
    DN_IGNORE(DN_FAIL(err,
                      DN_E_DATATYPE_MISMATCH,
                      "column \"%s\" is of type %s but default expression is of type %s",
                      col->name.s,
                      type_word(col->type),
                      type_word(b->type))); /* returned below */
    dn_err_hint(err, "You will need to rewrite or cast the expression.");
    return DN_E_DATATYPE_MISMATCH;
}

/* The value of a DEFAULT now, as the column stores it. */
static int ddl_default_value(struct dendro_stmt *stmt,
                             const struct plan_env *env,
                             const struct bexpr *b,
                             struct column_spec *col,
                             struct dn_err *err)
{
    struct eval ev = plan_eval(env, &stmt->run, NULL, 0);
    struct plan_target to = {.type = col->type, .mods = col->mods, .session = ev.session};
    struct datum value = b->value;
    int rc = b->kind == BEXPR_CONST ? 0 : expr_eval_datum(b, &ev, &value, err);

    if (rc == 0)
        rc = plan_assign(&to, &value, b->type == TYPE_NONE, &stmt->run, &value, err);
    if (rc < 0)
        return rc;
    col->has_default = !value.null; /* DEFAULT NULL says nothing */
    col->def = value;
    return 0;
}

/* The text that is kept: sequences in it have their schema. */
static int ddl_default_text(struct dendro_stmt *stmt,
                            const struct expr *e,
                            const char **ret,
                            struct dn_err *err)
{
    const char *text = ddl_expr_text(stmt, e);
    struct expr *own;
    int rc = text ? plan_stored_parse(&stmt->conn->types, &stmt->run, text, &own, err)
                  : DN_FAIL_NOMEM(err);

    if (rc == 0)
        rc = ddl_qualify_sequences(stmt, own, err);
    if (rc < 0)
        return rc;
    *ret = ddl_expr_text(stmt, own);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

int ddl_default(struct dendro_stmt *stmt,
                const struct expr *e,
                bool rows_there,
                struct column_spec *col,
                struct dn_err *err)
{
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, &stmt->run);
    struct bexpr *b;
    int rc = plan_value_expr(&env, e, "DEFAULT", &b, err);
    bool constant = rc == 0 && expr_is_const(b, false);

    if (rc == 0 && !constant) {
        rc = ddl_default_fits(col, b, err);
        if (rc == 0)
            rc = ddl_default_text(stmt, e, &col->def_sql, err);
        col->has_default = false;
        if (rc == 0 && rows_there && !expr_is_const(b, true))
            return 1;
    }
    if (rc == 0 && (constant || rows_there)) {
        rc = ddl_default_value(stmt, &env, b, col, err);
        if (rc < 0 && rc != DN_E_NOMEM)
            dn_err_prefix(err, "DEFAULT of column \"%s\"", col->name.s);
    }
    if (rc == 0 && rows_there && col->not_null && !col->has_default)
        rc = DN_FAIL(err,
                     DN_E_NOT_NULL,
                     "column \"%s\" is NOT NULL, and its DEFAULT is NULL for the rows there are",
                     col->name.s);
    if (rc < 0)
        dn_err_at(err, e->pos);
    return rc;
}

static int
ddl_not_identity(const struct table *t, uint16_t col, bool drop, uint32_t pos, struct dn_err *err)
{
    const struct column *c = &t->columns[col];
    int rc;

    if (!column_is_identity(c) && c->source != COLUMN_STORED)
        return 0;
    rc = DN_FAIL(err,
                 DN_E_SYNTAX,
                 "column \"%s\" of relation \"%s\" is %s column",
                 c->name,
                 t->name,
                 c->source == COLUMN_STORED ? "a generated" : "an identity");
    if (drop)
        dn_err_hint(err,
                    c->source == COLUMN_STORED
                        ? "Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead."
                        : "Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.");
    dn_err_at(err, pos);
    return rc;
}

int ddl_set_not_null(struct table *t,
                     const struct spec_name *name,
                     bool not_null,
                     struct dn_err *err)
{
    uint16_t i;
    int rc = not_null ? 0 : table_find_column(t, name, &i, err);

    if (rc == 0 && !not_null && column_is_identity(&t->columns[i]))
        rc = ddl_not_identity(t, i, false, name->pos, err);
    return rc < 0 ? rc : table_set_not_null(t, name, not_null, err);
}

int ddl_set_default(struct dendro_stmt *stmt,
                    struct table *t,
                    const struct spec_name *name,
                    const struct expr *e,
                    struct dn_err *err)
{
    struct column_spec col = {.name = *name};
    struct buf b;
    uint16_t i;
    int rc = table_find_column(t, name, &i, err);

    if (rc == 0)
        rc = ddl_not_identity(t, i, !e, name->pos, err);
    if (rc < 0 || !e)
        return rc < 0 ? rc : table_set_default(t, name, NULL, err);
    col.type = t->columns[i].type;
    col.mods = t->columns[i].mods;
    rc = ddl_default(stmt, e, false, &col, err);
    if (rc < 0)
        return rc;
    if (col.def_sql || !col.has_default)
        return table_set_default(t, name, col.def_sql, err);
    buf_init(&b, NULL);
    table_print_literal(&col.def, &b);
    buf_u8(&b, '\0');
    rc = b.failed ? DN_FAIL_NOMEM(err) : table_set_default(t, name, (const char *)b.data, err);
    buf_done(&b);
    return rc;
}

/* ---- CHECK ---- */

/* Columns by their bare names as declared; col: one of them gets another. */
struct ddl_names {
    const struct table *table;
    int col; /* -1: none */
    const char *to;
};

static void ddl_walk_names(struct expr *e, const struct ddl_names *n)
{
    if (!e)
        return;
    if (e->kind == EXPR_COLUMN) {
        int col = table_column_find(n->table, e->name, strlen(e->name));

        if (col >= 0) /* it was bound before */
            e->name = col == n->col ? n->to : n->table->columns[col].name;
        e->table = NULL;
        e->schema = NULL;
    }
    ddl_walk_names(e->a, n);
    ddl_walk_names(e->b, n);
    ddl_walk_names(e->c, n);
    for (uint32_t i = 0; i < e->args_count; i++)
        ddl_walk_names(e->args[i], n);
}

/* The text once more, with those names. */
static int ddl_renamed(struct dendro_stmt *stmt,
                       const char *text,
                       const struct ddl_names *names,
                       const char **ret,
                       struct dn_err *err)
{
    struct expr *e;
    int rc = plan_stored_parse(&stmt->conn->types, &stmt->run, text, &e, err);

    if (rc < 0)
        return rc;
    ddl_walk_names(e, names);
    *ret = ddl_expr_text(stmt, e);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

int ddl_bare_names(struct dendro_stmt *stmt,
                   const struct table *t,
                   const char *text,
                   const char **ret,
                   struct dn_err *err)
{
    struct ddl_names names = {.table = t, .col = -1};

    return ddl_renamed(stmt, text, &names, ret, err);
}

static int ddl_bind_check(struct dendro_stmt *stmt,
                          const struct table *t,
                          const struct constraint_def *def,
                          bool *used,
                          struct dn_err *err)
{
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, &stmt->run);
    struct bexpr *b;
    int rc = plan_row_expr(&env, t, def->check, "CHECK", used, &b, err);

    if (rc == 0 && b->type != TYPE_BOOLEAN && b->type != TYPE_NONE)
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "argument of CHECK must be type boolean, not type %s",
                     type_name(b->type));
    if (rc < 0)
        dn_err_at(err, def->check->pos);
    return rc;
}

int ddl_add_check(struct dendro_stmt *stmt,
                  struct table *t,
                  const struct constraint_def *def,
                  struct dn_err *err)
{
    struct ddl_names names = {.table = t, .col = -1};
    struct constraint_spec spec = {
        .kind = TABLE_CHECK, .name = def->name, .not_valid = def->not_valid, .pos = def->pos};
    bool *used = arena_calloc(&stmt->run, t->columns_count, sizeof(*used));
    uint16_t *cols = arena_calloc(&stmt->run, t->columns_count, sizeof(*cols));
    int rc = used && cols ? ddl_bind_check(stmt, t, def, used, err) : DN_FAIL_NOMEM(err);

    if (rc < 0)
        return rc;
    spec.text = ddl_expr_text(stmt, def->check);
    rc = spec.text ? ddl_renamed(stmt, spec.text, &names, &spec.text, err) : DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->columns_count; i++)
        if (used[i])
            cols[spec.cols_count++] = i;
    spec.cols = cols;
    return rc < 0 ? rc : table_add_constraint(t, &spec, err);
}

int ddl_index_text(struct dendro_stmt *stmt,
                   const struct table *t,
                   const struct index_def *def,
                   struct constraint_spec *spec,
                   struct dn_err *err)
{
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, &stmt->run);
    struct ddl_names names = {.table = t, .col = -1};
    struct expr row = {.kind = EXPR_ROW};
    bool *used = arena_calloc(&stmt->run, t->columns_count, sizeof(*used));
    uint16_t *cols = arena_calloc(&stmt->run, t->columns_count, sizeof(*cols));
    int rc = 0;

    row.args = arena_calloc(&stmt->run, def->elems_count + 1, sizeof(*row.args));
    if (!row.args || !used || !cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < def->elems_count; i++) {
        struct expr *e = def->elems[i].expr;
        struct spec_name name = {.s = e->name, .pos = e->pos};
        struct bexpr *ignored;
        uint16_t col;

        row.args[row.args_count++] = e;
        rc = e->kind == EXPR_COLUMN && !e->table
                 ? table_find_column(t, &name, &col, err)
                 : plan_row_expr(&env, t, e, "an index", used, &ignored, err);
        if (rc == 0 && e->kind == EXPR_COLUMN && !e->table)
            used[col] = true;
    }
    for (uint16_t i = 0; i < t->columns_count; i++)
        if (used[i])
            cols[spec->cols_count++] = i;
    spec->cols = cols;
    if (rc < 0)
        return rc;
    spec->text = ddl_expr_text(stmt, &row);
    return spec->text ? ddl_renamed(stmt, spec->text, &names, &spec->text, err)
                      : DN_FAIL_NOMEM(err);
}

int ddl_constraints(struct dendro_stmt *stmt,
                    struct table *t,
                    const struct constraint_def *defs,
                    uint32_t count,
                    struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = defs[i].kind == CONSTRAINT_CHECK ? ddl_add_check(stmt, t, &defs[i], err)
             : defs[i].kind == CONSTRAINT_UNIQUE || defs[i].kind == CONSTRAINT_FOREIGN
                 ? ddl_inform(stmt, t, &defs[i], err)
                 : 0;
    return rc;
}

int ddl_rename_column(struct dendro_stmt *stmt,
                      struct table *t,
                      const struct spec_name *name,
                      const struct spec_name *to,
                      struct dn_err *err)
{
    struct ddl_names names = {.table = t, .to = to->s};
    uint16_t col;
    int rc = table_find_column(t, name, &col, err);

    names.col = col;
    for (uint16_t i = 0; rc == 0 && i < t->constraints_count; i++) {
        const char *text;

        if (t->constraints[i].kind != TABLE_CHECK && !table_is_index(&t->constraints[i]))
            continue;
        rc = ddl_renamed(stmt, t->constraints[i].text, &names, &text, err);
        if (rc == 0)
            rc = table_set_constraint_text(t, i, text, err);
    }
    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++) {
        struct spec_name other = {.s = t->columns[i].name};
        const char *text;

        if (t->columns[i].source != COLUMN_STORED)
            continue;
        rc = ddl_renamed(stmt, t->columns[i].def_sql, &names, &text, err);
        if (rc == 0)
            rc = table_set_default(t, &other, text, err);
        t->columns[i].source = COLUMN_STORED;
    }
    return rc < 0 ? rc : table_rename_column(t, name, to, err);
}

/* ---- do the rows there are keep a new constraint? ---- */

static void ddl_verify_column(const struct table *was, const struct column *c, struct buf *b)
{
    int old = table_column_by_id(was, c->id);

    if (old >= 0) {
        sql_print_ident(was->columns[old].name, b);
    } else {
        buf_puts(b, "CAST(");
        if (c->has_default)
            table_print_literal(&c->def, b);
        else
            buf_puts(b, "NULL");
        buf_puts(b, " AS ");
        type_print(c->type, &c->mods, b);
        buf_puts(b, ")");
    }
    buf_puts(b, " AS ");
    sql_print_ident(c->name, b);
}

/* A row that breaks it: SELECT 1 FROM (the table as it will be) WHERE NOT (condition). */
static void ddl_verify_text(const struct table *was,
                            const struct table *t,
                            const struct table_constraint *c,
                            struct buf *b)
{
    buf_puts(b, "SELECT 1 FROM (SELECT ");
    for (uint16_t i = 0; i < t->columns_count; i++) {
        buf_puts(b, i ? ", " : "");
        ddl_verify_column(was, &t->columns[i], b);
    }
    buf_puts(b, " FROM ");
    sql_print_ident(was->schema, b);
    buf_puts(b, ".");
    sql_print_ident(was->name, b);
    buf_printf(b, ") AS x WHERE NOT (%s) LIMIT 1", c->text);
}

int ddl_verify(struct dendro_stmt *stmt,
               const struct table *was,
               const struct table *t,
               const struct table_constraint *c,
               struct dn_err *err)
{
    struct dendro_stmt *query = NULL;
    struct sql_text text;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    ddl_verify_text(was, t, c, &b);
    if (b.failed) {
        buf_done(&b);
        return DN_FAIL_NOMEM(err);
    }
    sql_text_init(&text, (const char *)b.data, b.len);
    rc = stmt_prepare(stmt->conn, &text, NULL, &query, err);
    if (rc == 0)
        rc = stmt_step(query, err);
    if (rc == DENDRO_ROW)
        rc = DN_FAIL(err,
                     DN_E_CHECK_VIOLATION,
                     "check constraint \"%s\" of relation \"%s\" is violated by some row",
                     c->name,
                     t->name);
    if (rc < 0)
        err->position = 0; /* it would be one of the query */
    dendro_finalize(query);
    buf_done(&b);
    return rc < 0 ? rc : 0;
}
