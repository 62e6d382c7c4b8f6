/* SPDX-License-Identifier: Apache-2.0
 *
 * print_ddl.c: types, columns, constraints and CREATE as text. */
#include "sql/print_int.h"

#include <inttypes.h>
#include <string.h>

/* ---- types ---- */

void sql_print_type(const struct type_name *t, struct buf *b)
{
    bool whole =
        t->type != TYPE_NONE && type_is_timestamp(t->type); /* its name has the precision */

    if (t->type == TYPE_BPCHAR && t->mods_count == 0)
        buf_puts(b, "BPCHAR"); /* CHAR is CHAR(1) */
    else if (t->type == TYPE_BIT && t->mods_count == 0)
        buf_puts(b, "\"bit\""); /* BIT is BIT(1) */
    else if (t->type == TYPE_TIMESTAMP_US && t->mods_count && t->mods[0] < TYPE_FRACTION_MAX)
        buf_printf(b, "TIMESTAMP(%" PRId32 ")", t->mods[0]);
    else if (t->type != TYPE_NONE && !TYPE_NUMBER(t->type))
        buf_puts(b, type_name(t->type));
    else {
        if (t->schema) {
            sql_print_ident(t->schema, b);
            buf_puts(b, ".");
        }
        sql_print_ident(t->name, b);
    }
    if (t->field_from)
        buf_printf(b, " %s", t->field_from);
    if (t->field_to && strcmp(t->field_from, t->field_to) != 0)
        buf_printf(b, " TO %s", t->field_to);
    for (uint32_t i = 0; !whole && i < t->mods_count; i++)
        buf_printf(b, "%s%" PRId32, i ? ", " : "(", t->mods[i]);
    buf_puts(b, !whole && t->mods_count > 0 ? ")" : "");
    for (uint32_t i = 0; i < t->dims; i++)
        buf_puts(b, "[]");
}

/* ---- constraints ---- */

static void print_references(const struct constraint_def *c, struct buf *b)
{
    static const char *const actions[] = {
        [REF_NO_ACTION] = NULL,
        [REF_RESTRICT] = "RESTRICT",
        [REF_CASCADE] = "CASCADE",
        [REF_SET_NULL] = "SET NULL",
        [REF_SET_DEFAULT] = "SET DEFAULT",
    };

    buf_puts(b, "REFERENCES ");
    sql_print_qual(&c->ref_table, b);
    if (c->ref_columns) {
        buf_puts(b, " ");
        sql_print_names(c->ref_columns, c->ref_columns_count, b);
    }
    buf_puts(b, c->match_full ? " MATCH FULL" : "");
    if (actions[c->on_delete])
        buf_printf(b, " ON DELETE %s", actions[c->on_delete]);
    if (actions[c->on_update])
        buf_printf(b, " ON UPDATE %s", actions[c->on_update]);
}

void sql_print_constraint(const struct constraint_def *c, struct buf *b)
{
    if (c->name.s) {
        buf_puts(b, "CONSTRAINT ");
        sql_print_ident(c->name.s, b);
        buf_puts(b, " ");
    }
    switch (c->kind) {
    case CONSTRAINT_CHECK:
        sql_print_opt("CHECK (", c->check, b);
        buf_puts(b, ")");
        break;
    case CONSTRAINT_UNIQUE:
        buf_puts(b, c->nulls_not_distinct ? "UNIQUE NULLS NOT DISTINCT" : "UNIQUE");
        if (!c->of_column) {
            buf_puts(b, " ");
            sql_print_names(c->columns, c->columns_count, b);
        }
        break;
    case CONSTRAINT_FOREIGN:
        if (!c->of_column) {
            buf_puts(b, "FOREIGN KEY ");
            sql_print_names(c->columns, c->columns_count, b);
            buf_puts(b, " ");
        }
        print_references(c, b);
        break;
    case CONSTRAINT_PRIMARY:
    case CONSTRAINT_KIND_MAX:
        break;
    }
    buf_puts(b, c->deferrable ? " DEFERRABLE" : "");
    buf_puts(b, c->initially_deferred ? " INITIALLY DEFERRED" : "");
    buf_puts(b, c->not_valid ? " NOT VALID" : "");
}

/* ---- sequences ---- */

static void print_sequence_options(const struct sequence_def *d, const char *before, struct buf *b)
{
    const struct {
        uint32_t bit;
        const char *words;
        int64_t value;
        bool valued;
    } options[] = {
        {SEQUENCE_INCREMENT, "INCREMENT BY ", d->increment, true},
        {SEQUENCE_MIN, "MINVALUE ", d->min, true},
        {SEQUENCE_NO_MIN, "NO MINVALUE", 0, false},
        {SEQUENCE_MAX, "MAXVALUE ", d->max, true},
        {SEQUENCE_NO_MAX, "NO MAXVALUE", 0, false},
        {SEQUENCE_START, "START WITH ", d->start, true},
        {SEQUENCE_CACHE, "CACHE ", d->cache, true},
        {SEQUENCE_CYCLE, "CYCLE", 0, false},
        {SEQUENCE_NO_CYCLE, "NO CYCLE", 0, false},
        {SEQUENCE_RESTART_WITH, "RESTART WITH ", d->restart, true},
    };

    if (d->given & SEQUENCE_AS) {
        buf_printf(b, "%sAS ", before);
        sql_print_type(d->as, b);
        before = " ";
    }
    if (d->given & SEQUENCE_NAME) {
        buf_printf(b, "%sSEQUENCE NAME ", before);
        sql_print_qual(&d->name, b);
        before = " ";
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(options); i++) {
        if (!(d->given & options[i].bit))
            continue;
        buf_printf(b, "%s%s", before, options[i].words);
        if (options[i].valued)
            buf_printf(b, "%" PRId64, options[i].value);
        before = " ";
    }
    if ((d->given & SEQUENCE_RESTART) && !(d->given & SEQUENCE_RESTART_WITH))
        buf_printf(b, "%sRESTART", before);
    if (!(d->given & SEQUENCE_OWNED))
        return;
    buf_printf(b, "%sOWNED BY ", d->given & SEQUENCE_RESTART ? " " : before);
    if (d->owned_table.name) {
        sql_print_qual(&d->owned_table, b);
        buf_puts(b, ".");
        sql_print_ident(d->owned_column, b);
    } else {
        buf_puts(b, "NONE");
    }
}

void sql_print_sequence(const struct stmt *s, struct buf *b)
{
    if (s->kind == STMT_ALTER_SEQUENCE)
        buf_puts(b, s->if_exists ? "ALTER SEQUENCE IF EXISTS " : "ALTER SEQUENCE ");
    else
        buf_printf(b,
                   "CREATE %sSEQUENCE %s",
                   s->sequence->temp ? "TEMP " : "",
                   s->if_not_exists ? "IF NOT EXISTS " : "");
    sql_print_qual(&s->name, b);
    print_sequence_options(s->sequence, " ", b);
}

void sql_print_identity_sets(const struct column_def *def, struct buf *b)
{
    static const uint32_t restart = SEQUENCE_RESTART | SEQUENCE_RESTART_WITH;
    struct sequence_def one;

    if (def->identity != IDENTITY_NONE)
        buf_puts(b,
                 def->identity == IDENTITY_ALWAYS ? " SET GENERATED ALWAYS"
                                                  : " SET GENERATED BY DEFAULT");
    if (!def->sequence)
        return;
    one = *def->sequence;
    for (uint32_t bit = 1; bit < SEQUENCE_RESTART; bit <<= 1) {
        one.given = def->sequence->given & bit;
        print_sequence_options(&one, " SET ", b);
    }
    one.given = def->sequence->given & restart;
    print_sequence_options(&one, " ", b);
}

/* ---- columns ---- */

void sql_print_generated(const struct column_def *def, struct buf *b)
{
    if (def->identity != IDENTITY_NONE) {
        buf_puts(b,
                 def->identity == IDENTITY_ALWAYS ? " GENERATED ALWAYS AS IDENTITY"
                                                  : " GENERATED BY DEFAULT AS IDENTITY");
        if (def->sequence) {
            buf_puts(b, " (");
            print_sequence_options(def->sequence, "", b);
            buf_puts(b, ")");
        }
    }
    if (def->generated) {
        sql_print_opt(" GENERATED ALWAYS AS (", def->generated, b);
        buf_puts(b, ") STORED");
    }
}

void sql_print_column(const struct column_spec *c,
                      const struct column_def *def,
                      const struct constraint_def *constraints,
                      uint32_t constraints_count,
                      struct buf *b)
{
    sql_print_ident(c->name.s, b);
    buf_puts(b, " ");
    if (def->serial)
        buf_puts(b,
                 c->type == TYPE_BIGINT     ? "bigserial"
                 : c->type == TYPE_SMALLINT ? "smallserial"
                                            : "serial");
    else
        sql_print_type(def->type, b);
    if (def->collation) {
        buf_puts(b, " COLLATE ");
        sql_print_ident(def->collation, b);
    }
    buf_puts(b, c->not_null ? " NOT NULL" : c->null_given ? " NULL" : "");
    sql_print_opt(" DEFAULT ", def->def, b);
    buf_puts(b, c->primary_key ? " PRIMARY KEY" : "");
    sql_print_generated(def, b);
    for (uint32_t i = 0; i < constraints_count; i++) {
        if (!constraints[i].of_column || constraints[i].columns[0].pos != c->name.pos)
            continue;
        buf_puts(b, " ");
        sql_print_constraint(&constraints[i], b);
    }
}

/* ---- CREATE TABLE ---- */

void sql_print_primary(const char *before, const struct table_spec *spec, struct buf *b)
{
    buf_printf(b, "%sPRIMARY KEY (", before);
    if (spec->has_inner) {
        buf_puts(b, "(");
        sql_print_key(spec->partition, spec->partition_count, b);
        buf_puts(b, spec->local_count ? "), " : ")");
    }
    sql_print_key(spec->local, spec->local_count, b);
    buf_puts(b, ")");
}

static void print_options(const struct table_spec *spec, struct buf *b)
{
    bool clustering = spec->clustering != NULL;

    if (clustering) {
        buf_puts(b, " WITH CLUSTERING ORDER BY (");
        sql_print_key(spec->clustering, spec->clustering_count, b);
        buf_puts(b, ")");
    } else if (spec->options_count) {
        buf_puts(b, " WITH (");
    }
    if (clustering && spec->options_count)
        buf_puts(b, " AND ");
    sql_print_option_list(spec->options, spec->options_count, clustering ? " AND " : ", ", b);
    if (!clustering && spec->options_count)
        buf_puts(b, ")");
}

static void
print_likes(const struct table_def *def, size_t before_col, size_t *items, struct buf *b)
{
    static const char *const words[] = {"DEFAULTS",
                                        "CONSTRAINTS",
                                        "INDEXES",
                                        "IDENTITY",
                                        "GENERATED",
                                        "COMMENTS",
                                        "STORAGE",
                                        "STATISTICS",
                                        "COMPRESSION"};

    for (uint32_t i = 0; i < def->likes_count; i++) {
        if (def->likes[i].before_col != before_col)
            continue;
        buf_puts(b, (*items)++ ? ", LIKE " : " (LIKE ");
        sql_print_qual(&def->likes[i].table, b);
        for (size_t w = 0; w < DN_ARRAY_SIZE(words); w++)
            if (def->likes[i].including & (1u << w))
                buf_printf(b, " INCLUDING %s", words[w]);
    }
}

static void print_table_items(const struct stmt *s, struct buf *b)
{
    const struct table_spec *spec = s->create;
    const struct table_def *def = s->table_def;
    size_t items = 0;

    for (size_t i = 0; i < spec->columns_count; i++) {
        print_likes(def, i, &items, b);
        buf_puts(b, items++ ? ", " : " (");
        sql_print_column(
            &spec->columns[i], &def->columns[i], def->constraints, def->constraints_count, b);
    }
    print_likes(def, spec->columns_count, &items, b);
    for (uint32_t i = 0; i < spec->keys_count; i++) {
        buf_puts(b, items++ ? ", " : " (");
        sql_print_primary("", spec, b);
    }
    if (spec->partition_key) {
        buf_puts(b, items++ ? ", PARTITION KEY " : " (PARTITION KEY ");
        sql_print_names(spec->partition_key, spec->partition_key_count, b);
    }
    for (uint32_t i = 0; i < def->constraints_count; i++) {
        if (def->constraints[i].of_column)
            continue;
        buf_puts(b, items++ ? ", " : " (");
        sql_print_constraint(&def->constraints[i], b);
    }
    buf_puts(b, items ? ")" : " ()");
}

void sql_print_create_table(const struct stmt *s, struct buf *b)
{
    static const char *const persist[] = {
        [PERSIST_PERMANENT] = "", [PERSIST_TEMP] = "TEMP ", [PERSIST_UNLOGGED] = "UNLOGGED "};
    static const char *const commits[] = {
        [ON_COMMIT_DEFAULT] = "",
        [ON_COMMIT_PRESERVE] = " ON COMMIT PRESERVE ROWS",
        [ON_COMMIT_DELETE] = " ON COMMIT DELETE ROWS",
        [ON_COMMIT_DROP] = " ON COMMIT DROP",
    };
    const struct table_def *def = s->table_def;
    struct qual_name name = {.schema = s->create->schema.s, .name = s->create->name.s};

    buf_printf(b, "CREATE %sTABLE ", persist[def->persistence]);
    buf_puts(b, s->if_not_exists ? "IF NOT EXISTS " : "");
    sql_print_qual(&name, b);
    if (def->as_columns) {
        buf_puts(b, " ");
        sql_print_names(def->as_columns, def->as_columns_count, b);
    }
    if (!def->as && !def->execute)
        print_table_items(s, b);
    print_options(s->create, b);
    buf_puts(b, commits[def->on_commit]);
    if (def->partition) {
        buf_puts(b, " ");
        sql_print_partitioned(def->partition, b);
    }
    if (def->as || def->execute)
        buf_puts(b, " AS ");
    if (def->as)
        sql_print_query(def->as, b);
    if (def->execute)
        sql_print_execute(def->execute, b);
    buf_puts(b, def->no_data ? " WITH NO DATA" : "");
}

/* ---- views, indexes, comments ---- */

void sql_print_create_view(const struct stmt *s, struct buf *b)
{
    static const char *const checks[VIEW_CHECK_MAX] = {
        [VIEW_CHECK_NONE] = "",
        [VIEW_CHECK_LOCAL] = " WITH LOCAL CHECK OPTION",
        [VIEW_CHECK_CASCADED] = " WITH CASCADED CHECK OPTION"};
    const struct view_def *v = s->view;

    buf_puts(b, v->or_replace ? "CREATE OR REPLACE " : "CREATE ");
    buf_puts(b, v->persistence == PERSIST_TEMP ? "TEMP " : "");
    buf_puts(b, v->recursive ? "RECURSIVE VIEW " : "VIEW ");
    sql_print_qual(&s->name, b);
    if (v->columns) {
        buf_puts(b, " ");
        sql_print_names(v->columns, v->columns_count, b);
    }
    buf_puts(b, " AS ");
    sql_print_query(v->query, b);
    buf_puts(b, checks[v->check]);
}

void sql_print_create_index(const struct stmt *s, struct buf *b)
{
    const struct index_def *d = s->index;

    buf_puts(b, d->unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
    buf_puts(b, s->if_not_exists ? "IF NOT EXISTS " : "");
    if (s->name.name) {
        sql_print_qual(&s->name, b);
        buf_puts(b, " ");
    }
    buf_puts(b, "ON ");
    sql_print_qual(&d->table, b);
    if (d->method) {
        buf_puts(b, " USING ");
        sql_print_ident(d->method, b);
    }
    buf_puts(b, " (");
    sql_print_index_elems(d->elems, d->elems_count, b);
    buf_puts(b, ")");
    if (d->include) {
        buf_puts(b, " INCLUDE ");
        sql_print_names(d->include, d->include_count, b);
    }
    buf_puts(b, d->nulls_not_distinct ? " NULLS NOT DISTINCT" : "");
    sql_print_opt(" WHERE ", d->where, b);
}

void sql_print_comment(const struct stmt *s, struct buf *b)
{
    const struct comment_stmt *c = s->comment;

    buf_printf(b, "COMMENT ON %s ", sql_object_words[c->object]);
    if (c->object == OBJECT_CONSTRAINT) {
        sql_print_ident(c->sub.s, b);
        buf_puts(b, " ON ");
    }
    sql_print_qual(&c->name, b);
    if (c->object == OBJECT_COLUMN) {
        buf_puts(b, ".");
        sql_print_ident(c->sub.s, b);
    }
    buf_puts(b, " IS ");
    if (c->text)
        sql_print_text(c->text, b);
    else
        buf_puts(b, "NULL");
}
