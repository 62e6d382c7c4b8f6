/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_relation.c: rows of pg_class and of what belongs to relations. Values come in the order of
 * the columns in relations_pg.c. */
#include "system/system_int.h"

static double sys_count(const struct sys_rows *w, const struct table *t)
{
    return t && w->env->count ? w->env->count(w->env->count_arg, t) : -1;
}

/* WITH options: name=value. */
static void sys_options(struct sys_rows *w, const struct table *t)
{
    (void)t;
    sys_null(w, 1);
}

static void sys_class_row(struct sys_rows *w, const struct sys_item *it)
{
    const struct table *t = it->table;
    int64_t checks = 0;
    bool foreign = false;
    char kind[2] = {sys_item_kind(it), 0};

    for (uint16_t i = 0; t && i < t->constraints_count; i++) {
        checks += t->constraints[i].kind == TABLE_CHECK;
        foreign = foreign || t->constraints[i].kind == TABLE_FOREIGN;
    }
    sys_int(w, it->oid);
    sys_text(w, it->name);
    sys_int(w, it->schema_oid);
    sys_int(w, it->rel ? 0 : it->oid); /* reltype: row types have the same numbers */
    sys_int(w, 0);
    sys_int(w, SYS_OWNER);
    sys_int(w, kind[0] == 'r' ? SYS_TABLE_AM : 0);
    sys_int(w, kind[0] == 'r' ? it->oid : 0);
    sys_int(w, 0);
    sys_int(w, 0);                        /* relpages */
    sys_int(w, (int64_t)sys_count(w, t)); /* reltuples */
    sys_int(w, 0);
    sys_int(w, 0);                        /* reltoastrelid */
    sys_int(w, t && t->form != KEY_NONE); /* relhasindex */
    sys_int(w, 0);
    sys_text(w, t && t->temp != TABLE_PERMANENT ? "t" : "p");
    sys_text(w, kind);
    sys_int(w, sys_item_columns(it));
    sys_int(w, checks);
    sys_int(w, it->view != NULL); /* relhasrules */
    sys_int(w, foreign);          /* relhastriggers: where foreign keys are looked for */
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 1); /* relispopulated */
    sys_text(w, kind[0] == 'r' ? (it->rel ? "n" : "d") : "n");
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_null(w, 1);
    sys_options(w, t);
    sys_null(w, 1);
    sys_end(w);
}

static void sys_class_index(struct sys_rows *w, const struct sys_item *it)
{
    const struct table *t = it->table;
    struct buf name;

    buf_init(&name, w->arena->owner);
    sys_key_name(t, &name);
    sys_int(w, sys_index_oid(t));
    sys_buf(w, &name);
    sys_int(w, it->schema_oid);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, SYS_OWNER);
    sys_int(w, SYS_INDEX_AM);
    sys_int(w, sys_index_oid(t));
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, (int64_t)sys_count(w, t));
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_text(w, t->temp != TABLE_PERMANENT ? "t" : "p");
    sys_text(w, "i");
    sys_int(w, t->local_count);
    for (int i = 0; i < 6; i++)
        sys_int(w, 0);
    sys_int(w, 1);
    sys_text(w, "n");
    for (int i = 0; i < 4; i++)
        sys_int(w, 0);
    sys_null(w, 3);
    sys_end(w);
    buf_done(&name);
}

void sys_fill_class(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        sys_class_row(w, &it);
        if (it.table && it.table->form != KEY_NONE)
            sys_class_index(w, &it);
    }
}

/* ---- columns ---- */

static void
sys_attribute_row(struct sys_rows *w, uint32_t rel, const struct sys_attr *a, int32_t num)
{
    uint32_t oid = sys_type_oid(a->type, &a->mods);
    const struct sys_type *t = sys_type_find(oid);
    char align[2] = {t ? t->align : 'i', 0};
    char storage[2] = {t ? t->storage : 'x', 0};
    const struct column *own = num == a->num ? a->column : NULL;
    struct buf def;
    bool has_default;

    buf_init(&def, w->arena->owner);
    has_default = own && sys_default(own, &def);
    buf_done(&def);
    sys_int(w, rel);
    sys_text(w, a->name);
    sys_int(w, oid);
    sys_int(w, -1);
    sys_int(w, t ? t->len : -1);
    sys_int(w, num);
    sys_int(w, type_is_array(a->type));
    sys_int(w, -1);
    sys_int(w, sys_type_mod(a->type, &a->mods));
    sys_int(w, t && t->by_value);
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
    sys_null(w, 4);
    sys_end(w);
}

void sys_fill_attribute(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        uint32_t count = 0;
        const struct sys_attr *a = sys_attrs(w, &it, &count);

        for (uint32_t i = 0; a && w->rc == 0 && i < count; i++)
            sys_attribute_row(w, it.oid, &a[i], a[i].num);
        if (!a || !it.table || it.table->form == KEY_NONE)
            continue;
        for (uint16_t i = 0; w->rc == 0 && i < it.table->local_count; i++) { /* of the index */
            struct sys_attr key = a[it.table->local[i].col];

            key.not_null = false;
            key.column = NULL;
            sys_attribute_row(w, sys_index_oid(it.table), &key, i + 1);
        }
    }
}

void sys_fill_attrdef(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};
    struct buf def;

    buf_init(&def, w->arena->owner);
    while (w->rc == 0 && sys_next(w->env, &it)) {
        for (uint16_t i = 0; it.table && w->rc == 0 && i < it.table->columns_count; i++) {
            buf_reset(&def);
            if (!sys_default(&it.table->columns[i], &def))
                continue;
            sys_int(w, (uint32_t)(SYS_OIDS + it.table->id * (TABLE_COLUMNS_MAX + 1) + i));
            sys_int(w, it.oid);
            sys_int(w, it.table->columns[i].id);
            sys_buf(w, &def);
            sys_end(w);
        }
    }
    buf_done(&def);
}

/* ---- the key ---- */

void sys_fill_index(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};
    int64_t v[4][TABLE_COLUMNS_MAX];

    while (w->rc == 0 && sys_next(w->env, &it)) {
        const struct table *t = it.table;

        if (!t || t->form == KEY_NONE)
            continue;
        for (uint16_t i = 0; i < t->local_count; i++) {
            const struct column *c = &t->columns[t->local[i].col];
            const struct sys_type *type = sys_type_find(sys_type_oid(c->type, &c->mods));

            v[0][i] = c->id;
            v[1][i] = type ? type->collation : 0;
            v[2][i] = 0;
            v[3][i] = t->local[i].desc ? 3 : 0;
        }
        sys_int(w, sys_index_oid(t));
        sys_int(w, it.oid);
        sys_int(w, t->local_count);
        sys_int(w, t->local_count);
        sys_int(w, 1); /* indisunique */
        sys_int(w, 0);
        sys_int(w, 1); /* indisprimary */
        sys_int(w, 0);
        sys_int(w, 1); /* indimmediate */
        sys_int(w, 1); /* indisclustered: rows lie in this order */
        sys_int(w, 1); /* indisvalid */
        sys_int(w, 0);
        sys_int(w, 1);
        sys_int(w, 1);
        sys_int(w, 0);
        for (int i = 0; i < 4; i++)
            sys_items(w, v[i], t->local_count);
        sys_null(w, 2);
        sys_end(w);
    }
}

void sys_fill_indexes(struct sys_rows *w)
{
    struct func_ask ask = {.kind = FUNC_ASK_INDEX};
    struct sys_item it = {.at = 0};
    struct buf b;

    buf_init(&b, w->arena->owner);
    while (w->rc == 0 && sys_next(w->env, &it)) {
        struct func_answer answer = {.text = &b};

        if (!it.table || it.table->form == KEY_NONE)
            continue;
        sys_text(w, it.schema);
        sys_text(w, it.name);
        buf_reset(&b);
        sys_key_name(it.table, &b);
        sys_buf(w, &b);
        sys_null(w, 1);
        buf_reset(&b);
        ask.oid = sys_index_oid(it.table);
        if (sys_wanted(w) && sys_answer(w->env, &ask, &answer, w->err) < 0)
            w->rc = w->err ? w->err->code : DN_E_INTERNAL;
        sys_buf(w, &b);
        sys_end(w);
    }
    buf_done(&b);
}

/* ---- constraints ---- */

static void
sys_constraint_row(struct sys_rows *w, const struct sys_item *it, const struct sys_con *c)
{
    char kind[2] = {c->kind, 0};
    bool foreign = c->kind == 'f';

    sys_int(w, c->oid);
    sys_text(w, c->name);
    sys_int(w, it->schema_oid);
    sys_text(w, kind);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, !(c->own && c->own->not_valid));
    sys_int(w, it->oid);
    sys_int(w, 0);
    sys_int(w, c->own ? 0 : sys_index_oid(it->table));
    sys_int(w, 0);
    sys_int(w, foreign && c->target ? sys_table_oid(c->target->id) : 0);
    sys_text(w, foreign ? "a" : " ");
    sys_text(w, foreign ? "a" : " ");
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
        sys_int(w, sys_schema_oid(name));
        sys_text(w, name);
        sys_int(w, SYS_OWNER);
        sys_null(w, 1);
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
        sys_comment(w, sys_schema_oid(c->schemas[i].name), 2615, 0, c->schemas[i].comment);
    while (w->rc == 0 && sys_next(w->env, &it)) {
        sys_comment(w,
                    it.oid,
                    1259,
                    0,
                    it.table  ? it.table->comment
                    : it.view ? it.view->comment
                              : NULL);
        for (uint16_t i = 0; it.table && i < it.table->columns_count; i++)
            sys_comment(w, it.oid, 1259, it.table->columns[i].id, it.table->columns[i].comment);
    }
}

/* ---- views of them ---- */

void sys_fill_tables(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (sys_item_kind(&it) != 'r')
            continue;
        sys_text(w, it.schema);
        sys_text(w, it.name);
        sys_text(w, w->env->session ? w->env->session->user : NULL);
        sys_null(w, 1);
        sys_int(w, it.table && it.table->form != KEY_NONE);
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
        sys_text(w, w->env->session ? w->env->session->user : NULL);
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
