/* SPDX-License-Identifier: Apache-2.0
 *
 * serial.c: SERIAL and GENERATED … AS IDENTITY: columns with a sequence of their own. The name is
 * chosen and the column gets its DEFAULT before the table is built; the sequence, which names the
 * table, is made after that, in the same edit. */
#include "engine/sequence_ddl.h"

#include <stdio.h>

const char *ddl_nextval(struct arena *arena, const char *schema, const char *name)
{
    struct buf text, b;
    char *ret;

    buf_init(&text, NULL);
    buf_init(&b, NULL);
    table_print_ident(schema, &text);
    buf_u8(&text, '.');
    table_print_ident(name, &text);
    buf_u8(&text, '\0');
    buf_puts(&b, "nextval(");
    if (!text.failed)
        table_print_text((const char *)text.data, &b);
    buf_puts(&b, "::regclass)");
    ret = text.failed || b.failed ? NULL : arena_strndup(arena, (const char *)b.data, b.len);
    buf_done(&text);
    buf_done(&b);
    return ret;
}

static bool serial_taken(const struct ddl_serials *all, const char *name)
{
    if (strcmp(name, all->table) == 0)
        return true;
    for (const struct ddl_serial *s = all->list; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return true;
    return catalog_free(all->cat, all->schema, name, NULL) < 0;
}

/* t_column_seq, t_column_seq1, … */
static void serial_choose(const struct ddl_serials *all, struct ddl_serial *s)
{
    int most = (int)(TABLE_NAME_MAX - 16) / 2;

    if (s->def && (s->def->given & SEQUENCE_NAME)) {
        snprintf(s->name, sizeof(s->name), "%s", s->def->name.name);
        return;
    }
    snprintf(s->name, sizeof(s->name), "%.*s_%.*s_seq", most, all->table, most, s->column);
    for (unsigned i = 1; serial_taken(all, s->name); i++)
        snprintf(s->name, sizeof(s->name), "%.*s_%.*s_seq%u", most, all->table, most, s->column, i);
}

static int serial_put(struct ddl_serials *all,
                      struct column_spec *col,
                      const struct ddl_serial *made,
                      enum column_source source,
                      struct dn_err *err)
{
    struct arena *arena = &all->stmt->run;
    struct ddl_serial *s = arena_calloc(arena, 1, sizeof(*s));

    if (!s)
        return DN_FAIL_NOMEM(err);
    *s = *made;
    s->column = col->name.s;
    s->type = col->type;
    serial_choose(all, s);
    col->def_sql = ddl_nextval(arena, all->schema, s->name);
    if (!col->def_sql)
        return DN_FAIL_NOMEM(err);
    col->has_default = false;
    col->not_null = true;
    col->source = source;
    s->next = all->list;
    all->list = s;
    return 0;
}

static int serial_check(const struct ddl_serials *all,
                        const struct column_spec *col,
                        const struct column_def *def,
                        struct dn_err *err)
{
    int rc = 0;

    if (!type_is_int(col->type))
        rc = DN_FAIL(
            err, DN_E_INVALID_PARAM, "identity column type must be smallint, integer, or bigint");
    else if (def->def && def->serial)
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "multiple default values specified for column \"%s\" of table \"%s\"",
                     col->name.s,
                     all->table);
    else if (def->def)
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "both default and identity specified for column \"%s\" of table \"%s\"",
                     col->name.s,
                     all->table);
    else if (def->serial && def->identity != IDENTITY_NONE)
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "both default and identity specified for column \"%s\" of table \"%s\"",
                     col->name.s,
                     all->table);
    else if (col->null_given)
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\"",
                     col->name.s,
                     all->table);
    else if (def->sequence && (def->sequence->given & (SEQUENCE_AS | SEQUENCE_OWNED)))
        rc = DN_FAIL(err, DN_E_SYNTAX, "conflicting or redundant options");
    else if (def->sequence && def->sequence->name.schema &&
             strcmp(def->sequence->name.schema, all->schema) != 0)
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "the sequence of an identity column is in the schema of its table, \"%s\"",
                     all->schema);
    if (rc < 0)
        dn_err_at(err, def->generated_pos);
    return rc;
}

int ddl_serial_add(struct ddl_serials *all,
                   struct column_spec *col,
                   const struct column_def *def,
                   struct dn_err *err)
{
    struct ddl_serial s = {.pos = def->generated_pos, .def = def->sequence};
    enum column_source source = def->identity == IDENTITY_ALWAYS       ? COLUMN_ALWAYS
                                : def->identity == IDENTITY_BY_DEFAULT ? COLUMN_BY_DEFAULT
                                                                       : COLUMN_SERIAL;
    int rc = serial_check(all, col, def, err);

    s.identity = source != COLUMN_SERIAL;
    return rc < 0 ? rc : serial_put(all, col, &s, source, err);
}

int ddl_serial_like(struct ddl_serials *all,
                    struct column_spec *col,
                    const struct table *t,
                    uint16_t of,
                    struct dn_err *err)
{
    struct ddl_serial s = {.pos = col->name.pos, .identity = true};

    s.like = catalog_sequence_of(all->cat, t->id, t->columns[of].id, true);
    return s.like ? serial_put(all, col, &s, t->columns[of].source, err) : 0;
}

static int serial_make(const struct ddl_serials *all,
                       const struct ddl_serial *from,
                       const struct table *t,
                       struct catalog **cat,
                       struct dn_err *err)
{
    int col = table_column_find(t, from->column, strlen(from->column));
    struct catalog *next;
    struct sequence *s;
    int rc;

    if (from->like) {
        rc = catalog_sequence_copy(from->like, all->schema, from->name, &s, err);
        if (rc < 0)
            return rc;
        s->id = 0;
        s->first = s->start;
    } else {
        s = catalog_sequence_new(all->schema, from->name);
        if (!s)
            return DN_FAIL_NOMEM(err);
        s->type = from->type;
        rc = ddl_sequence_options(from->def, true, s, err);
    }
    s->temp = all->temp;
    s->counter = engine_sequence_counter(all->stmt->conn->db);
    s->identity = from->identity;
    s->owner_table = t->id;
    s->owner_column = col >= 0 ? t->columns[col].id : 0;
    if (rc == 0)
        rc = catalog_with_sequence(*cat, s, &next, err);
    if (rc == 0) {
        catalog_unref(*cat);
        *cat = next;
    } else if (err->position == 0) {
        dn_err_at(err, from->pos);
    }
    catalog_sequence_unref(s);
    return rc;
}

int ddl_serials_make(const struct ddl_serials *all,
                     const struct table *t,
                     struct catalog **cat,
                     struct dn_err *err)
{
    int rc = 0;

    for (const struct ddl_serial *s = all->list; rc == 0 && s; s = s->next)
        rc = serial_make(all, s, t, cat, err);
    return rc;
}
