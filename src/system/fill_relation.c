/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_relation.c: rows of pg_class and of what belongs to relations. Values come in the order of
 * the columns in pg_catalog_list.h. */
#include "system/system_int.h"

#include "catalog/table_alter.h"
#include "catalog/table_constraint.h"

double sys_count(const struct sys_rows *w, const struct table *t)
{
    return t && w->env->count ? w->env->count(w->env->count_arg, t) : -1;
}

/* The PRIMARY KEY as the option that makes it again, where a list of columns would not. */
static const char *sys_key_option(struct sys_rows *w, const struct table *t)
{
    static const size_t head = sizeof("PRIMARY KEY ") - 1;
    struct table inline_order = *t;
    const char *ret = NULL;
    struct buf b;

    inline_order.clustering_clause = false;
    buf_init(&b, w->arena->owner);
    table_print_key(&inline_order, &b);
    if (!b.failed)
        ret = arena_printf(
            w->arena, "primary_key=%.*s", (int)(b.len - head), (const char *)b.data + head);
    buf_done(&b);
    return ret;
}

/* WITH options: name=value. */
static void sys_options(struct sys_rows *w, const struct table *t)
{
    bool key = t && t->form != KEY_NONE && !table_key_is_plain(t);
    uint32_t count = 0;
    const char **items;

    if (!t || (t->options_count == 0 && !key) || !sys_wanted(w)) {
        sys_null(w, 1);
        return;
    }
    items = arena_calloc(w->arena, (size_t)t->options_count + 1, sizeof(*items));
    for (uint16_t i = 0; items && i < t->options_count; i++) {
        items[count] = arena_printf(w->arena, "%s=%s", t->options[i].name, t->options[i].value);
        if (!items[count++])
            items = NULL;
    }
    if (items && key)
        items[count++] = sys_key_option(w, t);
    if (!items || !items[count - 1])
        w->rc = DN_FAIL_NOMEM(w->err);
    sys_texts(w, items, items ? count : 0);
}

/* Does a foreign key of any table refer to it? */
static bool sys_referenced(struct sys_rows *w, const struct table *t)
{
    const struct catalog *c = w->env->catalog;

    for (size_t i = 0; i < c->tables_count; i++) {
        for (uint16_t k = 0; k < c->tables[i]->constraints_count; k++) {
            struct sys_con con;

            if (c->tables[i]->constraints[k].kind == TABLE_FOREIGN &&
                sys_con(w, c->tables[i], (uint32_t)k + 1, &con) && con.target == t)
                return true;
        }
    }
    return false;
}

static void sys_class_row(struct sys_rows *w, const struct sys_item *it)
{
    const struct table *t = it->table;
    int64_t checks = 0;
    bool foreign = false;
    char kind[2] = {sys_item_kind(it), 0};
    struct sys_index ix = {.at = 0};

    for (uint16_t i = 0; t && i < t->constraints_count; i++) {
        checks += t->constraints[i].kind == TABLE_CHECK;
        foreign = foreign || t->constraints[i].kind == TABLE_FOREIGN;
    }
    foreign = foreign || (t && sys_referenced(w, t));
    sys_int(w, it->oid);
    sys_text(w, it->name);
    sys_int(w, it->schema_oid);
    sys_int(w,
            it->rel || it->sequence ? 0 : it->oid); /* reltype: row types have the same numbers */
    sys_int(w, 0);
    sys_int(w, it->owner);
    sys_int(w, kind[0] == 'r' ? SYS_TABLE_AM : 0);
    sys_int(w, kind[0] == 'r' ? it->oid : 0);
    sys_int(w, 0);
    sys_int(w, 0);                        /* relpages */
    sys_int(w, (int64_t)sys_count(w, t)); /* reltuples */
    sys_int(w, 0);
    sys_int(w, 0);                           /* reltoastrelid */
    sys_int(w, t && sys_index_next(t, &ix)); /* relhasindex */
    sys_int(w, 0);
    sys_text(w, sys_item_temp(it) ? "t" : "p");
    sys_text(w, kind);
    sys_int(w, sys_item_columns(it));
    sys_int(w, checks);
    sys_int(w, it->view != NULL); /* relhasrules */
    /* relhastriggers: where foreign keys are looked for, and what a time partition is (fill_dump.c)
     */
    sys_int(w, foreign || (t && t->timepart));
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 1); /* relispopulated */
    sys_text(w, t ? "d" : "n");
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    if (it->rel)
        sys_null(w, 1);
    else
        sys_item_acl(w, it);
    sys_options(w, t);
    sys_null(w, 1);
    sys_end(w);
}

void sys_fill_class(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        struct sys_index ix = {.at = 0};

        sys_class_row(w, &it);
        while (it.table && w->rc == 0 && sys_index_next(it.table, &ix))
            sys_class_index(w, &it, &ix);
    }
}

/* ---- columns ---- */

void sys_attribute_row(struct sys_rows *w,
                       uint32_t rel,
                       const struct sys_item *it,
                       const struct sys_attr *a,
                       int32_t num)
{
    struct access_object o = {.kind = ACCESS_RELATION};
    uint32_t oid = sys_attr_type(a);
    const struct sys_type *t = sys_type_find(oid);
    bool label = type_is_enum(a->type);
    char align[2] = {t ? t->align : 'i', 0};
    char storage[2] = {t ? t->storage : label ? 'p' : 'x', 0};
    const struct column *own = num == a->num ? a->column : NULL;
    struct buf def;
    bool has_default;

    buf_init(&def, w->arena->owner);
    has_default = own && sys_default(w->env->catalog, own, &def);
    buf_done(&def);
    sys_int(w, rel);
    sys_text(w, a->name);
    sys_int(w, oid);
    sys_int(w, -1);
    sys_int(w, t ? t->len : label ? 4 : -1);
    sys_int(w, num);
    sys_int(w, type_is_array(a->type));
    sys_int(w, -1);
    sys_int(w, sys_type_mod(a->type, &a->mods));
    sys_int(w, t ? t->by_value : label);
    sys_text(w, align);
    sys_text(w, storage);
    sys_text(w, "");
    sys_int(w, a->not_null);
    sys_int(w, has_default);
    sys_int(w, 0);
    sys_text(w,
             own && own->source == COLUMN_ALWAYS ? "a"
             : own && column_is_identity(own)    ? "d"
                                                 : "");
    sys_text(w, own && own->source == COLUMN_STORED ? "s" : "");
    sys_int(w, 0);
    sys_int(w, 1);
    sys_int(w, 0);
    sys_int(w, t ? t->collation : 0);
    if (it && !it->rel) {
        o = sys_item_object(it);
        o.column = (uint32_t)num;
        sys_acl(w, &o);
    } else {
        sys_null(w, 1);
    }
    sys_null(w, 3);
    sys_end(w);
}

void sys_fill_attribute(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        struct sys_index ix = {.at = 0};
        uint32_t count = 0;
        const struct sys_attr *a = sys_attrs(w, &it, &count);

        for (uint32_t i = 0; a && w->rc == 0 && i < count; i++)
            sys_attribute_row(w, it.oid, &it, &a[i], a[i].num);
        while (a && it.table && w->rc == 0 && sys_index_next(it.table, &ix))
            sys_attribute_index(w, a, &ix);
    }
}

/* By the column's number: the first 511 of a table have one for ever. */
uint32_t sys_attrdef_oid(const struct table *t, const struct column *c)
{
    uint64_t number = t->number ? t->number : t->id;

    return (uint32_t)(SYS_OIDS + number * (TABLE_COLUMNS_MAX + 1) +
                      c->id % (TABLE_COLUMNS_MAX + 1));
}

void sys_fill_attrdef(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};
    struct buf def;

    buf_init(&def, w->arena->owner);
    while (w->rc == 0 && sys_next(w->env, &it)) {
        for (uint16_t i = 0; it.table && w->rc == 0 && i < it.table->columns_count; i++) {
            buf_reset(&def);
            if (!sys_default(w->env->catalog, &it.table->columns[i], &def))
                continue;
            sys_int(w, sys_attrdef_oid(it.table, &it.table->columns[i]));
            sys_int(w, it.oid);
            sys_int(w, it.table->columns[i].id);
            sys_buf(w, &def);
            sys_end(w);
        }
    }
    buf_done(&def);
}

/* ---- constraints ---- */

static void
sys_constraint_row(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    char kind[2] = {c->kind, 0};
    bool foreign = c->kind == 'f';
    char on_update[2] = {foreign ? sys_con_action(c->own, " ON UPDATE ") : ' ', 0};
    char on_delete[2] = {foreign ? sys_con_action(c->own, " ON DELETE ") : ' ', 0};

    sys_int(w, c->oid);
    sys_text(w, c->name);
    sys_int(w, it->schema_oid);
    sys_text(w, kind);
    sys_int(w, foreign && strstr(c->own->text, " DEFERRABLE"));
    sys_int(w, foreign && strstr(c->own->text, " INITIALLY DEFERRED"));
    sys_int(w, !(c->own && c->own->not_valid));
    sys_int(w, it->oid);
    sys_int(w, 0);
    sys_int(w,
            !c->own                ? sys_index_oid(it->table)
            : c->kind == 'u'       ? sys_unique_oid(it->table, c->own)
            : foreign && c->target ? sys_index_oid(c->target)
                                   : 0);
    sys_int(w, 0);
    sys_int(w, foreign && c->target ? sys_oid(c->target) : 0);
    sys_text(w, foreign ? on_update : " ");
    sys_text(w, foreign ? on_delete : " ");
    sys_text(w, foreign ? "s" : " ");
    sys_int(w, 1);
    sys_int(w, 0);
    sys_int(w, 1);
    if (c->cols_count)
        sys_items(w, c->cols, c->cols_count);
    else
        sys_null(w, 1);
    if (foreign)
        sys_items(w, c->target_cols, c->target_count);
    else
        sys_null(w, 1);
    sys_null(w, 5);
    sys_text(w, c->kind == 'c' ? c->own->text : NULL);
    sys_end(w);
}

void sys_fill_constraint(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        for (uint32_t i = 0; it.table && w->rc == 0 && i < sys_cons_count(it.table); i++) {
            struct sys_con c;

            if ((i == 0 && it.table->form == KEY_NONE) || !sys_con(w, it.table, i, &c))
                continue;
            sys_constraint_row(w, &it, &c);
        }
    }
}

/* ---- schemas, comments ---- */

void sys_fill_namespace(struct sys_rows *w)
{
    const char *name;

    for (size_t i = 0; w->rc == 0 && (name = sys_schema_at(w->env, i)); i++) {
        struct access_object o = {.kind = ACCESS_SCHEMA, .schema = name};

        sys_int(w, sys_schema_oid(name));
        sys_text(w, name);
        sys_int(w, access_owned_by(w->env->catalog->access, &o));
        sys_acl(w, &o);
        sys_end(w);
    }
}

static void
sys_comment(struct sys_rows *w, uint32_t object, uint32_t class, int64_t sub, const char *text)
{
    if (!text || w->rc < 0)
        return;
    sys_int(w, object);
    sys_int(w, class);
    sys_int(w, sub);
    sys_text(w, text);
    sys_end(w);
}

void sys_fill_description(struct sys_rows *w)
{
    const struct catalog *c = w->env->catalog;
    struct sys_item it = {.at = 0};

    for (size_t i = 0; i < c->schemas_count; i++)
        sys_comment(
            w, sys_schema_oid(c->schemas[i].name), SYS_OID_pg_namespace, 0, c->schemas[i].comment);
    while (w->rc == 0 && sys_next(w->env, &it)) {
        sys_comment(w, it.oid, SYS_OID_pg_class, 0, sys_item_comment(&it));
        for (uint16_t i = 0; it.table && i < it.table->columns_count; i++)
            sys_comment(
                w, it.oid, SYS_OID_pg_class, it.table->columns[i].id, it.table->columns[i].comment);
        for (uint16_t i = 0; it.table && i < it.table->constraints_count; i++) {
            const struct table_constraint *own = &it.table->constraints[i];

            if (table_is_index(own))
                sys_comment(w, sys_unique_oid(it.table, own), SYS_OID_pg_class, 0, own->comment);
            else
                sys_comment(w, sys_con_oid(it.table, own), SYS_OID_pg_constraint, 0, own->comment);
        }
    }
}

/* ---- views of them ---- */

void sys_fill_tables(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        struct sys_index ix = {.at = 0};

        if (sys_item_kind(&it) != 'r' && sys_item_kind(&it) != 'p')
            continue;
        sys_text(w, it.schema);
        sys_text(w, it.name);
        sys_text(w, access_role_name(w->env->catalog->access, it.owner));
        sys_null(w, 1);
        sys_int(w, it.table && sys_index_next(it.table, &ix));
        sys_int(w, 0);
        sys_int(w, 0);
        sys_int(w, 0);
        sys_end(w);
    }
}

void sys_fill_views(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (sys_item_kind(&it) != 'v')
            continue;
        sys_text(w, it.schema);
        sys_text(w, it.name);
        sys_text(w, access_role_name(w->env->catalog->access, it.owner));
        sys_text(w, it.view ? it.view->query : NULL);
        sys_end(w);
    }
}

void sys_fill_stat_user_tables(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (!it.table)
            continue;
        sys_int(w, it.oid);
        sys_text(w, it.schema);
        sys_text(w, it.name);
        for (int i = 0; i < 8; i++)
            sys_int(w, 0);
        sys_int(w, (int64_t)sys_count(w, it.table)); /* n_live_tup */
        for (int i = 0; i < 3; i++)
            sys_int(w, 0);
        sys_null(w, 4);
        for (int i = 0; i < 4; i++)
            sys_int(w, 0);
        sys_end(w);
    }
}
