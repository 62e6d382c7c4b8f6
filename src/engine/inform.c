/* SPDX-License-Identifier: Apache-2.0
 *
 * inform.c: UNIQUE and REFERENCES. They are kept in the definition of their table and shown;
 * nothing else comes of them, which a WARNING says: the key alone orders and identifies rows. */
#include "catalog/table_constraint.h"
#include "engine/engine_int.h"
#include "engine/names.h"

#include <stdio.h>

/* ---- UNIQUE, REFERENCES ---- */

static int inform_columns(struct dendro_stmt *stmt,
                          const struct table *t,
                          const struct spec_name *names,
                          uint32_t count,
                          struct constraint_spec *to,
                          struct dn_err *err)
{
    uint16_t *cols = arena_calloc(&stmt->run, (size_t)count + 1, sizeof(*cols));
    int rc = 0;

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = table_find_column(t, &names[i], &cols[i], err);
        for (uint32_t k = 0; rc == 0 && k < i; k++) {
            if (cols[k] != cols[i])
                continue;
            rc = DN_FAIL(err,
                         DN_E_DUPLICATE_COLUMN,
                         "column \"%s\" appears twice in the constraint",
                         names[i].s);
            dn_err_at(err, names[i].pos);
        }
    }
    to->cols = cols;
    to->cols_count = (uint16_t)count;
    return rc;
}

/* Does the primary key say it already? */
static bool inform_is_key(const struct table *t, const struct constraint_spec *c)
{
    uint16_t in_key = 0;

    for (uint16_t i = 0; i < c->cols_count; i++)
        in_key = (uint16_t)(in_key + (t->columns[c->cols[i]].key_pos > 0));
    return t->form != KEY_NONE && in_key == t->local_count;
}

static int inform_no_match(const struct constraint_def *def, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_BAD_FOREIGN_KEY,
                     "number of referencing and referenced columns for foreign key disagree");

    dn_err_at(err, def->pos);
    return rc;
}

/* The table and columns that are referred to are there. */
static int inform_target(struct dendro_stmt *stmt,
                         const struct table *t,
                         const struct constraint_def *def,
                         struct dn_err *err)
{
    bool self = !def->ref_table.schema && strcmp(def->ref_table.name, t->name) == 0;
    const struct table *to =
        self ? t : session_table(stmt->conn, stmt->catalog, &def->ref_table, err);
    uint16_t col;
    int rc = 0;

    if (!to)
        return err->code;
    for (uint32_t i = 0; rc == 0 && i < def->ref_columns_count; i++)
        rc = table_find_column(to, &def->ref_columns[i], &col, err);
    if (rc < 0)
        return rc;
    if (def->ref_columns_count == 0 && to->form == KEY_NONE) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_OBJECT,
                     "there is no primary key for referenced table \"%s\"",
                     to->name);
        dn_err_at(err, def->ref_table.pos);
        return rc;
    }
    return def->columns_count == (def->ref_columns_count ? def->ref_columns_count : to->local_count)
               ? 0
               : inform_no_match(def, err);
}

static void inform_print_target(const struct constraint_def *def, struct buf *b)
{
    static const char *const actions[] = {[REF_NO_ACTION] = NULL,
                                          [REF_RESTRICT] = "RESTRICT",
                                          [REF_CASCADE] = "CASCADE",
                                          [REF_SET_NULL] = "SET NULL",
                                          [REF_SET_DEFAULT] = "SET DEFAULT"};

    buf_puts(b, "REFERENCES ");
    if (def->ref_table.schema) {
        table_print_ident(def->ref_table.schema, b);
        buf_puts(b, ".");
    }
    table_print_ident(def->ref_table.name, b);
    for (uint32_t i = 0; i < def->ref_columns_count; i++) {
        buf_puts(b, i ? ", " : " (");
        table_print_ident(def->ref_columns[i].s, b);
    }
    buf_puts(b, def->ref_columns_count ? ")" : "");
    buf_puts(b, def->match_full ? " MATCH FULL" : "");
    if (actions[def->on_delete])
        buf_printf(b, " ON DELETE %s", actions[def->on_delete]);
    if (actions[def->on_update])
        buf_printf(b, " ON UPDATE %s", actions[def->on_update]);
    buf_puts(b, def->deferrable ? " DEFERRABLE" : "");
    buf_puts(b, def->initially_deferred ? " INITIALLY DEFERRED" : "");
}

int ddl_inform(struct dendro_stmt *stmt,
               struct table *t,
               const struct constraint_def *def,
               struct dn_err *err)
{
    struct constraint_spec spec = {.kind = TABLE_UNIQUE,
                                   .name = def->name,
                                   .of_column = def->of_column,
                                   .not_valid = def->not_valid,
                                   .pos = def->pos};
    const struct table_constraint *made;
    struct buf text;
    int rc = inform_columns(stmt, t, def->columns, def->columns_count, &spec, err);

    buf_init(&text, &stmt->owner);
    if (rc == 0 && def->kind == CONSTRAINT_FOREIGN) {
        spec.kind = TABLE_FOREIGN;
        rc = inform_target(stmt, t, def, err);
        inform_print_target(def, &text);
    }
    buf_u8(&text, '\0');
    if (rc == 0 && text.failed)
        rc = DN_FAIL_NOMEM(err);
    spec.text = (const char *)text.data;
    if (rc == 0)
        rc = table_add_constraint(t, &spec, err);
    buf_done(&text);
    if (rc < 0)
        return rc;
    made = &t->constraints[t->constraints_count - 1];
    if (made->kind == TABLE_FOREIGN || !inform_is_key(t, &spec))
        session_notice(stmt->conn,
                       "WARNING",
                       "%s constraint \"%s\" is kept as information and not enforced",
                       made->kind == TABLE_FOREIGN ? "FOREIGN KEY" : "UNIQUE",
                       made->name);
    return 0;
}
