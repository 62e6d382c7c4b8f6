/* SPDX-License-Identifier: Apache-2.0
 *
 * ddl_expr.c: expressions in definitions: DEFAULT. A constant is stored as the column's value, all
 * else as text (the printer's), which every statement that writes rows binds anew. */
#include "engine/engine_int.h"

#include "plan/stored.h"

/* A text in the statement's memory; NULL: out of memory. */
static const char *ddl_print(struct dendro_stmt *stmt, const struct expr *e)
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

static int ddl_volatile(const struct column_spec *col, struct dn_err *err)
{
    DN_IGNORE(DN_FAIL(err,
                      DN_E_UNSUPPORTED,
                      "the rows that are there cannot have values of their own in the new column "
                      "\"%s\": its DEFAULT is volatile",
                      col->name.s)); /* returned below */
    dn_err_hint(err,
                "Add the column without it, then ALTER COLUMN … SET DEFAULT for the rows to come "
                "and UPDATE those there are.");
    return DN_E_UNSUPPORTED;
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
        col->def_sql = ddl_print(stmt, e);
        col->has_default = false;
        if (rc == 0 && !col->def_sql)
            rc = DN_FAIL_NOMEM(err);
        if (rc == 0 && rows_there && !expr_is_const(b, true))
            rc = ddl_volatile(col, err);
    }
    if (rc == 0 && (constant || rows_there)) {
        rc = ddl_default_value(stmt, &env, b, col, err);
        if (rc < 0 && rc != DN_E_NOMEM)
            dn_err_prefix(err, "DEFAULT of column \"%s\"", col->name.s);
    }
    if (rc < 0)
        dn_err_at(err, e->pos);
    return rc;
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
