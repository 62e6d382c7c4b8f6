/* SPDX-License-Identifier: Apache-2.0
 *
 * table_alter.c: a definition becomes the next one: columns come, go and are renamed, names
 * change; options and keys are in table_alter_options.c. Column ids tell old rows what is what:
 * they are never used again, so a column that is dropped and added anew is another one. */
#include "base/text.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* ---- copying ---- */

static void *alter_dup(const void *from, size_t count, size_t size)
{
    void *to = mem_calloc(NULL, count, size);

    if (to && count)
        memcpy(to, from, count * size);
    return to;
}

static int alter_copy_columns(const struct table *from, struct table *to, struct dn_err *err)
{
    to->columns = mem_calloc(NULL, from->columns_count, sizeof *to->columns);
    if (!to->columns)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < from->columns_count; i++) {
        const struct column *a = &from->columns[i];
        struct column_spec spec = {.name = {.s = a->name},
                                   .type = a->type,
                                   .mods = a->mods,
                                   .not_null = a->not_null,
                                   .has_default = a->has_default,
                                   .def = a->def,
                                   .def_sql = a->def_sql,
                                   .source = a->source};
        int rc = table_put_column(to, &spec, err);

        if (rc < 0)
            return rc;
        to->columns[i].id = a->id;
        to->columns[i].comment = a->comment ? mem_strdup(NULL, a->comment) : NULL;
        if (a->comment && !to->columns[i].comment)
            return DN_FAIL_NOMEM(err);
        to->columns[i].key_pos = a->key_pos;
    }
    to->column_id_next = from->column_id_next;
    return 0;
}

static int alter_copy_options(const struct table *from, struct table *to, struct dn_err *err)
{
    to->options = mem_calloc(NULL, from->options_count, sizeof *to->options);
    if (!to->options)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < from->options_count; i++) {
        struct table_option *o = &to->options[to->options_count++];

        o->name = mem_strdup(NULL, from->options[i].name);
        o->value = mem_strdup(NULL, from->options[i].value);
        o->quoted = from->options[i].quoted;
        if (!o->name || !o->value)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int alter_copy_rest(const struct table *from, struct table *to, struct dn_err *err)
{
    to->id = from->id;
    to->number = from->number;
    to->version = from->version + 1;
    to->schema = mem_strdup(NULL, from->schema);
    to->name = mem_strdup(NULL, from->name);
    to->form = from->form;
    to->clustering_clause = from->clustering_clause;
    to->partition = alter_dup(from->partition, from->partition_count, sizeof *to->partition);
    to->partition_count = from->partition_count;
    to->local = alter_dup(from->local, from->local_count, sizeof *to->local);
    to->local_count = from->local_count;
    to->by_value = from->by_value;
    to->series = to->partition;
    to->series_count = from->series_count;
    to->rest = alter_dup(from->rest, from->rest_count, sizeof *to->rest);
    to->rest_count = from->rest_count;
    to->quantum_pos = from->quantum_pos;
    to->quantum_count = from->quantum_count;
    to->quantum_unit = from->quantum_unit;
    to->time_col = from->time_col;
    to->time_desc = from->time_desc;
    to->slabs = alter_dup(from->slabs, from->slabs_count, sizeof *to->slabs);
    to->slabs_count = from->slabs_count;
    to->upsert = from->upsert;
    to->retention = from->retention;
    to->late = from->late;
    to->future_seconds = from->future_seconds;
    to->horizon = from->horizon;
    to->ttl_seconds = from->ttl_seconds;
    to->temp = from->temp;
    to->comment = from->comment ? mem_strdup(NULL, from->comment) : NULL;
    to->spread = from->spread;
    to->parent = from->parent;
    return to->schema && to->name && (to->comment || !from->comment) && to->partition &&
                   to->local && to->rest && to->slabs
               ? 0
               : DN_FAIL_NOMEM(err);
}

int table_copy(const struct table *t, struct table **ret, struct dn_err *err)
{
    struct table *copy = table_new();
    int rc;

    if (!copy)
        return DN_FAIL_NOMEM(err);
    rc = alter_copy_columns(t, copy, err);
    if (rc < 0)
        goto out;
    rc = table_copy_constraints(t, copy, err);
    if (rc < 0)
        goto out;
    rc = alter_copy_options(t, copy, err);
    if (rc < 0)
        goto out;
    rc = alter_copy_rest(t, copy, err);
    if (rc < 0)
        goto out;
    if (t->timepart) {
        rc = timepart_copy(t->timepart, 0, &copy->timepart, err);
        if (rc < 0)
            goto out;
    }
    *ret = copy;
    copy = NULL;
out:
    table_unref(copy);
    return rc;
}

/* ---- columns ---- */

int table_find_column(const struct table *t,
                      const struct spec_name *name,
                      uint16_t *ret,
                      struct dn_err *err)
{
    int col = table_column_find(t, name->s, strlen(name->s));
    struct text_near near = text_near_make(name->s);
    int rc;

    if (col >= 0) {
        *ret = (uint16_t)col;
        return 0;
    }
    if (col == -2)
        return table_at(DN_FAIL(err,
                                DN_E_AMBIGUOUS,
                                "\"%.80s\" fits more than one column of table \"%s\"",
                                name->s,
                                t->name),
                        err,
                        name->pos);
    rc = DN_FAIL(err,
                 DN_E_UNDEFINED_COLUMN,
                 "column \"%.80s\" of relation \"%s\" does not exist",
                 name->s,
                 t->name);
    for (uint16_t i = 0; i < t->columns_count; i++)
        text_near_try(&near, t->columns[i].name);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    return table_at(rc, err, name->pos);
}

static int alter_check_new(const struct table *t, const struct spec_name *name, struct dn_err *err)
{
    for (uint16_t i = 0; i < t->columns_count; i++)
        if (strcmp(t->columns[i].name, name->s) == 0)
            return table_at(DN_FAIL(err,
                                    DN_E_DUPLICATE_COLUMN,
                                    "column \"%s\" of relation \"%s\" already exists",
                                    name->s,
                                    t->name),
                            err,
                            name->pos);
    return 0;
}

static int
alter_check_add(const struct table *t, const struct column_spec *spec, struct dn_err *err)
{
    int rc = table_check_column(spec, err);

    if (rc < 0)
        return rc;
    rc = alter_check_new(t, &spec->name, err);
    if (rc < 0)
        return rc;
    if (t->columns_count >= TABLE_COLUMNS_MAX || t->column_id_next > TABLE_COLUMN_ID_MAX)
        return table_at(DN_FAIL(err,
                                DN_E_TOO_MANY_COLUMNS,
                                "table \"%s\" has %u columns, and can have no more",
                                t->name,
                                t->columns_count),
                        err,
                        spec->name.pos);
    if (spec->not_null && !spec->has_default && !spec->def_sql) {
        rc = DN_FAIL(err,
                     DN_E_NOT_NULL,
                     "column \"%s\" is NOT NULL and has no DEFAULT for the rows there are",
                     spec->name.s);
        dn_err_hint(err, "add a DEFAULT, or allow NULL");
        return table_at(rc, err, spec->name.pos);
    }
    return 0;
}

int table_add_column(struct table *t, const struct column_spec *spec, struct dn_err *err)
{
    struct column *grown;
    int rc = alter_check_add(t, spec, err);

    if (rc < 0)
        return rc;
    if (spec->primary_key) {
        rc = table_check_join_key(t, spec, err);
        if (rc < 0)
            return rc;
    }
    grown = mem_realloc(NULL, t->columns, (size_t)(t->columns_count + 1) * sizeof *grown);
    if (!grown)
        return DN_FAIL_NOMEM(err);
    t->columns = grown;
    memset(&grown[t->columns_count], 0, sizeof *grown);
    rc = table_put_column(t, spec, err);
    if (rc < 0)
        return table_at(rc, err, spec->name.pos);
    if (spec->def_sql) {
        rc = table_check_field_default(t, (uint16_t)(t->columns_count - 1), err);
        if (rc < 0)
            return table_at(rc, err, spec->name.pos);
    }
    rc = spec->primary_key ? table_join_key(t, err) : 0;
    return rc < 0 ? table_at(rc, err, spec->name.pos) : 0;
}

int table_drop_column(struct table *t, const struct spec_name *name, struct dn_err *err)
{
    uint16_t col;
    int rc = table_find_column(t, name, &col, err);

    if (rc < 0)
        return rc;
    if (t->columns[col].key_pos > 0 || t->time_col == (int)col) {
        rc = DN_FAIL(err,
                     DN_E_KEY_RULE,
                     "column \"%s\" cannot be dropped: it is %s",
                     t->columns[col].name,
                     t->columns[col].key_pos > 0 ? "in the primary key" : "the time column");
        return table_at(rc, err, name->pos);
    }
    table_free_column(&t->columns[col]);
    t->columns_count--;
    memmove(&t->columns[col],
            &t->columns[col + 1],
            (size_t)(t->columns_count - col) * sizeof *t->columns);
    for (uint16_t i = 0; i < t->partition_count; i++)
        t->partition[i] = (uint16_t)(t->partition[i] - (t->partition[i] > col));
    for (uint16_t i = 0; i < t->local_count; i++)
        t->local[i].col = (uint16_t)(t->local[i].col - (t->local[i].col > col));
    for (uint16_t i = 0; i < t->rest_count; i++)
        t->rest[i].col = (uint16_t)(t->rest[i].col - (t->rest[i].col > col));
    t->time_col -= t->time_col > (int)col;
    table_constraints_without(t, col);
    return 0;
}

/* The table option that names the time column goes with it. */
static int
alter_rename_time(struct table *t, uint16_t col, const struct spec_name *to, struct dn_err *err)
{
    for (uint16_t i = 0; t->time_col == (int)col && i < t->options_count; i++) {
        char *value;

        if (strcmp(t->options[i].name, "time") != 0)
            continue;
        value = mem_strdup(NULL, to->s);
        if (!value)
            return DN_FAIL_NOMEM(err);
        mem_free(t->options[i].value);
        t->options[i].value = value;
        t->options[i].quoted = true;
    }
    return 0;
}

int table_rename_column(struct table *t,
                        const struct spec_name *name,
                        const struct spec_name *to,
                        struct dn_err *err)
{
    uint16_t col;
    char *fresh;
    int rc = table_find_column(t, name, &col, err);

    if (rc < 0)
        return rc;
    rc = table_check_name("column", to, err);
    if (rc < 0)
        return rc;
    rc = alter_check_new(t, to, err); /* its own name is taken, too */
    if (rc < 0)
        return rc;
    rc = alter_rename_time(t, col, to, err);
    if (rc < 0)
        return rc;
    fresh = mem_strdup(NULL, to->s);
    if (!fresh)
        return DN_FAIL_NOMEM(err);
    mem_free(t->columns[col].name);
    t->columns[col].name = fresh;
    return 0;
}

int table_set_default(struct table *t,
                      const struct spec_name *name,
                      const char *sql,
                      struct dn_err *err)
{
    uint16_t col;
    char *fresh;
    int rc = table_find_column(t, name, &col, err);

    if (rc < 0)
        return rc;
    if (strlen(sql ? sql : "") > TABLE_SQL_MAX)
        return table_at(
            DN_FAIL(err, DN_E_TOO_LONG, "a DEFAULT is longer than %u bytes", TABLE_SQL_MAX),
            err,
            name->pos);
    rc = table_check_field_default(t, col, err);
    if (rc < 0)
        return table_at(rc, err, name->pos);
    /* Rows that were written without the column keep what they have. */
    fresh = mem_strdup(NULL, sql ? sql : "NULL");
    if (!fresh)
        return DN_FAIL_NOMEM(err);
    mem_free(t->columns[col].def_sql);
    t->columns[col].def_sql = fresh;
    t->columns[col].source = COLUMN_DEFAULT;
    if (!sql && !t->columns[col].has_default) {
        mem_free(t->columns[col].def_sql);
        t->columns[col].def_sql = NULL;
    }
    return 0;
}

int table_set_comment(struct table *t,
                      const struct spec_name *column,
                      const char *text,
                      struct dn_err *err)
{
    char **to = &t->comment;
    char *copy;
    uint16_t col;
    int rc;

    if (column) {
        rc = table_find_column(t, column, &col, err);
        if (rc < 0)
            return rc;
        to = &t->columns[col].comment;
    }
    copy = text ? mem_strdup(NULL, text) : NULL;
    if (text && !copy)
        return DN_FAIL_NOMEM(err);
    mem_free(*to);
    *to = copy;
    return 0;
}

int table_move(struct table *t, const char *schema, const char *name, struct dn_err *err)
{
    char *new_schema = mem_strdup(NULL, schema);
    char *new_name = mem_strdup(NULL, name);

    if (!new_schema || !new_name) {
        mem_free(new_schema);
        mem_free(new_name);
        return DN_FAIL_NOMEM(err);
    }
    mem_free(t->schema);
    mem_free(t->name);
    t->schema = new_schema;
    t->name = new_name;
    return 0;
}

int table_rename(struct table *t, const struct spec_name *to, struct dn_err *err)
{
    char *fresh;
    int rc = table_check_name("table", to, err);

    if (rc < 0)
        return rc;
    if (strcmp(t->name, to->s) == 0) /* that is its own */
        return table_at(DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%s\" already exists", to->s),
                        err,
                        to->pos);
    fresh = mem_strdup(NULL, to->s);
    if (!fresh)
        return DN_FAIL_NOMEM(err);
    mem_free(t->name);
    t->name = fresh;
    return 0;
}
