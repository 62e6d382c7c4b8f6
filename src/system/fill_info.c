/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_info.c: rows of information_schema. Values come in the order of the columns in
 * information_schema_list.h. */
#include "system/system_int.h"
#include "vec/fields.h"

#include <inttypes.h>

static const char *info_database(const struct sys_rows *w)
{
    return w->env->session ? w->env->session->database : "dendro";
}

/* Tables and views that the role may do something with. */
static bool info_shown(const struct sys_rows *w, const struct sys_item *it)
{
    return !it->sequence && sys_item_may(w->env, it);
}

/* database, schema, name */
static void info_name(struct sys_rows *w, const char *schema, const char *name)
{
    sys_text(w, info_database(w));
    sys_text(w, schema);
    sys_text(w, name);
}

/* Of a type, also of user types and arrays of them. */
static void info_udt_name(struct sys_rows *w, uint32_t oid)
{
    const struct sys_type *t = sys_type_find(oid);
    bool array = false;
    const char *user = t ? NULL : sys_user_type_name(w->env, oid, &array);
    struct buf b;

    if (!user) {
        info_name(w, "pg_catalog", t ? t->name : NULL);
        return;
    }
    sys_text(w, info_database(w));
    sys_text(w, sys_user_type_schema(w->env, oid));
    buf_init(&b, w->arena->owner);
    buf_printf(&b, "%s%s", array ? "_" : "", user);
    sys_buf(w, &b);
    buf_done(&b);
}

void sys_fill_i_catalog_name(struct sys_rows *w)
{
    sys_text(w, info_database(w));
    sys_end(w);
}

void sys_fill_i_schemata(struct sys_rows *w)
{
    const struct access *a = w->env->catalog->access;
    const char *name;

    for (size_t i = 0; w->rc == 0 && (name = sys_schema_at(w->env, i)); i++) {
        struct access_object o = {.kind = ACCESS_SCHEMA, .schema = name};

        if (!sys_is_schema(name) && !access_privileges(a, sys_role(w->env), &o) &&
            !access_superuser(a, sys_role(w->env)))
            continue;
        sys_text(w, info_database(w));
        sys_text(w, name);
        sys_text(w, access_role_name(a, access_owned_by(a, &o)));
        sys_null(w, 4);
        sys_end(w);
    }
}

void sys_fill_i_tables(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        bool view = sys_item_kind(&it) == 'v';
        bool temp = sys_item_temp(&it);

        if (!info_shown(w, &it))
            continue;
        info_name(w, it.schema, it.name);
        sys_text(w, view ? "VIEW" : temp ? "LOCAL TEMPORARY" : "BASE TABLE");
        sys_null(w, 5);
        sys_text(w, it.table || (it.view && it.view->writable) ? "YES" : "NO");
        sys_text(w, "NO");
        sys_null(w, 1);
        sys_end(w);
    }
}

/* ---- columns ---- */

/* Digits of a number: how many, in which base, after the point. */
static void info_number(struct sys_rows *w, const struct sys_attr *a)
{
    int precision = a->type == TYPE_SMALLINT  ? 16
                    : a->type == TYPE_INTEGER ? 32
                    : a->type == TYPE_BIGINT  ? 64
                    : a->type == TYPE_REAL    ? 24
                    : a->type == TYPE_DOUBLE  ? 53
                                              : 0;

    if (precision) {
        sys_int(w, precision);
        sys_int(w, 2);
        if (type_is_int(a->type))
            sys_int(w, 0);
        else
            sys_null(w, 1);
    } else if (a->type == TYPE_NUMERIC) {
        if (a->mods.count)
            sys_int(w, a->mods.v[0]);
        else
            sys_null(w, 1);
        sys_int(w, 10);
        if (a->mods.count)
            sys_int(w, a->mods.v[1]);
        else
            sys_null(w, 1);
    } else {
        sys_null(w, 3);
    }
}

static void info_time(struct sys_rows *w, const struct sys_attr *a)
{
    bool counts = a->type == TYPE_TIME || a->type == TYPE_TIMETZ || a->type == TYPE_TIMESTAMPTZ ||
                  a->type == TYPE_TIMESTAMP_US || a->type == TYPE_INTERVAL;

    if (a->type == TYPE_DATE)
        sys_int(w, 0);
    else if (counts)
        sys_int(w, a->mods.count ? a->mods.v[0] : 6);
    else if (type_is_timestamp(a->type))
        sys_int(w, a->type == TYPE_TIMESTAMP ? 3 : 9);
    else
        sys_null(w, 1);
}

/* "DAY TO SECOND(2)" */
static void info_interval(struct sys_rows *w, const struct sys_attr *a)
{
    struct buf b;

    if (a->type != TYPE_INTERVAL || a->mods.count < 2) {
        sys_null(w, 1);
        return;
    }
    buf_init(&b, w->arena->owner);
    buf_puts(&b, type_fields_name(a->mods.v[1]));
    if (a->mods.v[0] < TYPE_FRACTION_MAX)
        buf_printf(&b, "(%d)", (int)a->mods.v[0]);
    sys_buf(w, &b);
    buf_done(&b);
}

static void info_int_text(struct sys_rows *w, int64_t value)
{
    struct buf b;

    buf_init(&b, w->arena->owner);
    buf_printf(&b, "%" PRId64, value);
    sys_buf(w, &b);
    buf_done(&b);
}

/* is_identity to generation_expression */
static void info_generated(struct sys_rows *w, const struct sys_item *it, const struct sys_attr *a)
{
    const struct column *c = a->column;
    const struct sequence *s =
        c && column_is_identity(c)
            ? catalog_sequence_of(w->env->catalog, it->table->id, c->id, true)
            : NULL;

    sys_text(w, s ? "YES" : "NO");
    if (s) {
        sys_text(w, c->source == COLUMN_ALWAYS ? "ALWAYS" : "BY DEFAULT");
        info_int_text(w, s->start);
        info_int_text(w, s->increment);
        info_int_text(w, s->max);
        info_int_text(w, s->min);
    } else {
        sys_null(w, 5);
    }
    sys_text(w, s && s->cycle ? "YES" : "NO");
    sys_text(w, c && c->source == COLUMN_STORED ? "ALWAYS" : "NEVER");
    if (c && c->source == COLUMN_STORED)
        sys_text(w, c->def_sql);
    else
        sys_null(w, 1);
}

static void info_column(struct sys_rows *w, const struct sys_item *it, const struct sys_attr *a)
{
    uint32_t oid = sys_attr_type(a);
    struct buf b;

    buf_init(&b, w->arena->owner);
    info_name(w, it->schema, it->name);
    sys_text(w, a->name);
    sys_int(w, a->num);
    if (a->column && a->column->source != COLUMN_STORED &&
        sys_default(w->env->catalog, a->column, &b))
        sys_buf(w, &b);
    else
        sys_null(w, 1);
    sys_text(w, a->not_null ? "NO" : "YES");
    buf_reset(&b);
    if (type_is_array(a->type) || TYPE_NUMBER(a->type))
        buf_puts(&b, type_is_array(a->type) ? "ARRAY" : "USER-DEFINED");
    else
        sys_type_print(w->env, oid, -1, &b);
    sys_buf(w, &b);
    if ((oid == 1042 || oid == 1043 || oid == 1560 || oid == 1562) && a->mods.count)
        sys_int(w, a->mods.v[0]);
    else
        sys_null(w, 1);
    if (oid == 25 || oid == 1042 || oid == 1043)
        sys_int(w, a->mods.count ? 4 * (int64_t)a->mods.v[0] : 1073741824);
    else
        sys_null(w, 1);
    info_number(w, a);
    info_time(w, a);
    info_interval(w, a);
    sys_null(w, 1); /* interval_precision */
    sys_null(w, 9); /* character set, collation, domain */
    info_udt_name(w, oid);
    sys_null(w, 4); /* scope, maximum_cardinality */
    buf_reset(&b);
    buf_printf(&b, "%d", (int)a->num);
    sys_buf(w, &b);
    sys_text(w, "NO"); /* is_self_referencing */
    info_generated(w, it, a);
    sys_text(w, it->table ? "YES" : "NO");
    sys_end(w);
    buf_done(&b);
}

/* Calls fn for each column of each relation. */
static void info_each_column(struct sys_rows *w,
                             void (*fn)(struct sys_rows *w,
                                        const struct sys_item *it,
                                        const struct sys_attr *a))
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        uint32_t count = 0;
        const struct sys_attr *a = info_shown(w, &it) ? sys_attrs(w, &it, &count) : NULL;

        for (uint32_t i = 0; a && w->rc == 0 && i < count; i++)
            fn(w, &it, &a[i]);
    }
}

void sys_fill_i_columns(struct sys_rows *w)
{
    info_each_column(w, info_column);
}

static void info_udt(struct sys_rows *w, const struct sys_item *it, const struct sys_attr *a)
{
    info_udt_name(w, sys_attr_type(a));
    info_name(w, it->schema, it->name);
    sys_text(w, a->name);
    sys_end(w);
}

void sys_fill_i_column_udt_usage(struct sys_rows *w)
{
    info_each_column(w, info_udt);
}

static void info_element(struct sys_rows *w, const struct sys_item *it, const struct sys_attr *a)
{
    uint32_t elem;
    struct buf b;

    if (!type_is_array(a->type))
        return;
    elem = sys_type_oid(type_element(a->type), &a->mods);
    buf_init(&b, w->arena->owner);
    info_name(w, it->schema, it->name);
    sys_text(w, it->table ? "TABLE" : "VIEW");
    buf_printf(&b, "%d", (int)a->num);
    sys_buf(w, &b);
    buf_reset(&b);
    if (TYPE_NUMBER(a->type))
        buf_puts(&b, "USER-DEFINED");
    else
        sys_type_print(w->env, elem, -1, &b);
    sys_buf(w, &b);
    sys_null(w, 15);
    info_udt_name(w, elem);
    sys_null(w, 4);
    buf_reset(&b);
    buf_printf(&b, "a%d", (int)a->num);
    sys_buf(w, &b);
    sys_end(w);
    buf_done(&b);
}

void sys_fill_i_element_types(struct sys_rows *w)
{
    info_each_column(w, info_element);
}

/* ---- constraints ---- */

typedef void (*info_con_fn)(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c);

static void info_each_con(struct sys_rows *w, info_con_fn fn)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        for (uint32_t i = 0;
             it.table && info_shown(w, &it) && w->rc == 0 && i < sys_cons_count(it.table);
             i++) {
            struct sys_con c;

            if (!(i == 0 && it.table->form == KEY_NONE) && sys_con(w, it.table, i, &c))
                fn(w, &it, &c);
        }
    }
}

static void info_con(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    info_name(w, it->schema, c->name);
    info_name(w, it->schema, it->name);
    sys_text(w,
             c->kind == 'p'   ? "PRIMARY KEY"
             : c->kind == 'u' ? "UNIQUE"
             : c->kind == 'f' ? "FOREIGN KEY"
                              : "CHECK");
    sys_text(w, "NO");
    sys_text(w, "NO");
    sys_text(w, c->kind == 'c' || c->kind == 'p' ? "YES" : "NO"); /* enforced */
    if (c->kind == 'u')
        sys_text(w, "YES");
    else
        sys_null(w, 1);
    sys_end(w);
}

/* Columns that are NOT NULL count as checks, as PostgreSQL has it. */
void sys_fill_i_table_constraints(struct sys_rows *w)
{
    info_each_con(w, info_con);
}

static const char *info_col_name(const struct table *t, int64_t id)
{
    int at = table_column_by_id(t, (uint32_t)id);

    return at < 0 ? NULL : t->columns[at].name;
}

static void info_key_columns(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    if (c->kind == 'c')
        return;
    for (uint32_t i = 0; i < c->cols_count; i++) {
        info_name(w, it->schema, c->name);
        info_name(w, it->schema, it->name);
        sys_text(w, info_col_name(it->table, c->cols[i]));
        sys_int(w, i + 1);
        if (c->kind == 'f')
            sys_int(w, i + 1);
        else
            sys_null(w, 1);
        sys_end(w);
    }
}

void sys_fill_i_key_column_usage(struct sys_rows *w)
{
    info_each_con(w, info_key_columns);
}

static void
info_used_columns(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    const struct table *t = c->kind == 'f' ? c->target : it->table;
    const int64_t *cols = c->kind == 'f' ? c->target_cols : c->cols;
    uint32_t count = c->kind == 'f' ? c->target_count : c->cols_count;

    for (uint32_t i = 0; t && i < count; i++) {
        info_name(w, t->schema, t->name);
        sys_text(w, info_col_name(t, cols[i]));
        info_name(w, it->schema, c->name);
        sys_end(w);
    }
}

void sys_fill_i_constraint_column_usage(struct sys_rows *w)
{
    info_each_con(w, info_used_columns);
}

static void info_used_table(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    const struct table *t = c->kind == 'f' ? c->target : it->table;

    if (!t || c->kind == 'c')
        return;
    info_name(w, t->schema, t->name);
    info_name(w, it->schema, c->name);
    sys_end(w);
}

void sys_fill_i_constraint_table_usage(struct sys_rows *w)
{
    info_each_con(w, info_used_table);
}

static void info_check(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    if (c->kind != 'c')
        return;
    info_name(w, it->schema, c->name);
    sys_text(w, c->own->text);
    sys_end(w);
}

void sys_fill_i_check_constraints(struct sys_rows *w)
{
    info_each_con(w, info_check);
}

static const char *info_action(char letter)
{
    return letter == 'c'   ? "CASCADE"
           : letter == 'r' ? "RESTRICT"
           : letter == 'n' ? "SET NULL"
           : letter == 'd' ? "SET DEFAULT"
                           : "NO ACTION";
}

static void info_foreign(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    struct buf b;

    if (c->kind != 'f')
        return;
    buf_init(&b, w->arena->owner);
    info_name(w, it->schema, c->name);
    if (c->target) {
        sys_key_name(c->target, &b);
        sys_text(w, info_database(w));
        sys_text(w, c->target->schema);
        sys_buf(w, &b);
    } else {
        sys_null(w, 3);
    }
    sys_text(w, "NONE");
    sys_text(w, info_action(sys_con_action(c->own, " ON UPDATE ")));
    sys_text(w, info_action(sys_con_action(c->own, " ON DELETE ")));
    sys_end(w);
    buf_done(&b);
}

void sys_fill_i_referential_constraints(struct sys_rows *w)
{
    info_each_con(w, info_foreign);
}

/* ---- views ---- */

void sys_fill_i_views(struct sys_rows *w)
{
    static const char *const checks[VIEW_CHECK_MAX] = {[VIEW_CHECK_NONE] = "NONE",
                                                       [VIEW_CHECK_LOCAL] = "LOCAL",
                                                       [VIEW_CHECK_CASCADED] = "CASCADED"};
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (sys_item_kind(&it) != 'v' || !info_shown(w, &it))
            continue;
        info_name(w, it.schema, it.name);
        sys_text(w, it.view ? it.view->query : NULL);
        sys_text(w, it.view ? checks[it.view->check] : "NONE");
        for (int i = 0; i < 5; i++) /* the last three are of triggers */
            sys_text(w, i < 2 && it.view && it.view->writable ? "YES" : "NO");
        sys_end(w);
    }
}

static void info_view_uses(struct sys_rows *w, const struct view *v, bool columns)
{
    for (uint32_t i = 0; i < v->uses_count; i++) {
        const struct table *t = catalog_table_by_id(w->env->catalog, v->uses[i].id);
        const struct view *of = t ? NULL : catalog_view_by_id(w->env->catalog, v->uses[i].id);

        for (uint32_t k = 0; (t || of) && k < (columns ? v->uses[i].columns_count : 1); k++) {
            info_name(w, v->schema, v->name);
            info_name(w, t ? t->schema : of->schema, t ? t->name : of->name);
            if (columns) {
                uint32_t id = v->uses[i].columns[k];

                sys_text(w,
                         t                                    ? info_col_name(t, id)
                         : id >= 1 && id <= of->columns_count ? of->columns[id - 1].name
                                                              : NULL);
            }
            sys_end(w);
        }
    }
}

void sys_fill_i_view_table_usage(struct sys_rows *w)
{
    for (size_t i = 0; w->rc == 0 && i < w->env->catalog->views_count; i++)
        info_view_uses(w, w->env->catalog->views[i], false);
}

void sys_fill_i_view_column_usage(struct sys_rows *w)
{
    for (size_t i = 0; w->rc == 0 && i < w->env->catalog->views_count; i++)
        info_view_uses(w, w->env->catalog->views[i], true);
}

/* ---- the rest ---- */

void sys_fill_i_character_sets(struct sys_rows *w)
{
    sys_null(w, 2);
    sys_text(w, "UTF8");
    sys_text(w, "UCS");
    sys_text(w, "UTF8");
    info_name(w, "pg_catalog", "C");
    sys_end(w);
}

void sys_fill_i_collations(struct sys_rows *w)
{
    static const char *const names[] = {"default", "C", "POSIX"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++) {
        info_name(w, "pg_catalog", names[i]);
        sys_text(w, "NO PAD");
        sys_end(w);
    }
}
