/* SPDX-License-Identifier: Apache-2.0
 *
 * objects.c: the objects of a catalog one after the other, and their numbers.
 *
 * Each kind of object has numbers of its own, as each relation of PostgreSQL's catalog has:
 *   relations   16384 + 2 * id, the index of their key 1 more; row types likewise. The id of a
 *               table is the first it had: TRUNCATE changes nothing. Other indexes: indexes.c
 *   schemas     from their names, above 2^31 (the catalog has no ids for them)
 *   constraints 16384 + id * (TABLE_CONSTRAINTS_MAX + 1) + number in the table, 0: the key */
#include "system/system_int.h"

#include "base/hash.h"
#include "catalog/access_check.h"
#include "catalog/table_constraint.h"

#include <strings.h>

uint32_t sys_table_oid(uint64_t id)
{
    return (uint32_t)(SYS_OIDS + 2 * id);
}

uint32_t sys_oid(const struct table *t)
{
    return sys_table_oid(t->number ? t->number : t->id);
}

uint32_t sys_index_oid(const struct table *t)
{
    return sys_oid(t) + 1;
}

uint32_t sys_schema_oid(const char *name)
{
    if (strcmp(name, "pg_catalog") == 0)
        return SYS_CATALOG;
    if (strcmp(name, "information_schema") == 0)
        return SYS_INFO;
    if (strcmp(name, CATALOG_SCHEMA_DEFAULT) == 0)
        return SYS_PUBLIC;
    return 0x80000000u | (uint32_t)dn_hash64(name, strlen(name), 0);
}

const char *sys_schema_at(const struct sys_env *env, size_t i)
{
    if (i < 2)
        return i == 0 ? "pg_catalog" : "information_schema";
    for (size_t k = 0, n = 2; k < env->catalog->schemas_count; k++) {
        const struct schema_def *s = &env->catalog->schemas[k];

        if (s->temp && !(env->temp && strcmp(env->temp, s->name) == 0))
            continue; /* of another session */
        if (n++ == i)
            return s->name;
    }
    return NULL;
}

/* ---- relations ---- */

static void sys_set_item(struct sys_item *it, const char *schema, const char *name, uint32_t oid)
{
    it->schema = schema;
    it->name = name;
    it->oid = oid;
    it->schema_oid = sys_schema_oid(schema);
    it->owner = SYS_OWNER;
}

struct access_object sys_item_object(const struct sys_item *it)
{
    struct catalog_relation r = {.table = it->table, .view = it->view, .sequence = it->sequence};

    return catalog_object(&r);
}

static void sys_set_owner(const struct sys_env *env, struct sys_item *it)
{
    struct access_object o = sys_item_object(it);

    it->owner = access_owned_by(env->catalog->access, &o);
}

bool sys_item_temp(const struct sys_item *it)
{
    return (it->table && it->table->temp != TABLE_PERMANENT) || (it->view && it->view->temp) ||
           (it->sequence && it->sequence->temp);
}

const char *sys_item_comment(const struct sys_item *it)
{
    return it->table      ? it->table->comment
           : it->view     ? it->view->comment
           : it->sequence ? it->sequence->comment
                          : NULL;
}

static bool sys_is_foreign(const struct sys_env *env, bool temp, const char *schema)
{
    return temp && !(env->temp && strcmp(env->temp, schema) == 0);
}

bool sys_next(const struct sys_env *env, struct sys_item *it)
{
    const struct catalog *c = env->catalog;

    for (;;) {
        size_t i = it->at++;

        *it = (struct sys_item){.at = it->at};
        if (i < c->tables_count) {
            it->table = c->tables[i];
            if (sys_is_foreign(env, it->table->temp != TABLE_PERMANENT, it->table->schema))
                continue;
            sys_set_item(it, it->table->schema, it->table->name, sys_oid(it->table));
            sys_set_owner(env, it);
            return true;
        }
        i -= c->tables_count;
        if (i < c->views_count) {
            it->view = c->views[i];
            if (sys_is_foreign(env, it->view->temp, it->view->schema))
                continue;
            sys_set_item(it, it->view->schema, it->view->name, sys_table_oid(it->view->id));
            sys_set_owner(env, it);
            return true;
        }
        i -= c->views_count;
        if (i < c->sequences_count) {
            it->sequence = c->sequences[i];
            if (sys_is_foreign(env, it->sequence->temp, it->sequence->schema))
                continue;
            sys_set_item(
                it, it->sequence->schema, it->sequence->name, sys_table_oid(it->sequence->id));
            sys_set_owner(env, it);
            return true;
        }
        i -= c->sequences_count;
        it->rel = sys_relation_at(i);
        if (!it->rel)
            return false;
        if (it->rel->kind == 'f')
            continue;
        sys_set_item(it, it->rel->schema, it->rel->name, it->rel->oid);
        return true;
    }
}

bool sys_item_find(const struct sys_env *env,
                   int64_t oid,
                   struct sys_item *ret,
                   struct sys_index *ret_index)
{
    *ret = (struct sys_item){.at = 0};
    *ret_index = (struct sys_index){.at = 0};
    while (sys_next(env, ret)) {
        struct sys_index ix = {.at = 0};

        if (ret->oid == oid)
            return true;
        while (ret->table && sys_index_next(ret->table, &ix)) {
            if (ix.oid != oid)
                continue;
            *ret_index = ix;
            return true;
        }
    }
    return false;
}

static bool sys_in_path(const struct sys_env *env, const char *schema)
{
    for (const char *p = env->more; p && *p; p += strlen(p) + 1)
        if (strcmp(p, schema) == 0)
            return true;
    return false;
}

bool sys_item_visible(const struct sys_env *env, const struct sys_item *it)
{
    return sys_in_path(env, it->schema) || strcmp(it->schema, "pg_catalog") == 0 ||
           (env->schema && strcmp(it->schema, env->schema) == 0) ||
           (env->temp && strcmp(it->schema, env->temp) == 0);
}

char sys_item_kind(const struct sys_item *it)
{
    if (it->rel)
        return it->rel->kind == 'R' ? 'r' : it->rel->kind == 'V' ? 'v' : it->rel->kind;
    return it->table ? (it->table->timepart ? 'p' : 'r') : it->view ? 'v' : 'S';
}

/* Of a sequence as a table. */
static const struct sys_column sequence_columns[] = {{.name = "last_value", .type = TYPE_BIGINT},
                                                     {.name = "log_cnt", .type = TYPE_BIGINT},
                                                     {.name = "is_called", .type = TYPE_BOOLEAN}};

uint32_t sys_item_columns(const struct sys_item *it)
{
    uint32_t n = 1;

    if (it->table)
        return it->table->columns_count;
    if (it->view)
        return it->view->columns_count;
    if (it->sequence)
        return DN_ARRAY_SIZE(sequence_columns);
    for (const char *p = it->rel->columns; *p; p++)
        n += *p == ',';
    return n;
}

void sys_key_name(const struct table *t, struct buf *b)
{
    buf_printf(b, "%s_pkey", t->name);
}

/* ---- columns ---- */

static void sys_attr_of(const struct sys_item *it,
                        const struct sys_column *cols,
                        uint32_t i,
                        struct sys_attr *ret)
{
    *ret = (struct sys_attr){.num = (int32_t)i + 1};
    if (it->table) {
        const struct column *c = &it->table->columns[i];

        ret->name = c->name;
        ret->type = c->type;
        ret->mods = c->mods;
        ret->num = (int32_t)c->id;
        ret->not_null = c->not_null;
        ret->column = c;
    } else if (it->view) {
        ret->name = it->view->columns[i].name;
        ret->type = it->view->columns[i].type;
    } else if (it->sequence) {
        ret->name = sequence_columns[i].name;
        ret->type = sequence_columns[i].type;
        ret->not_null = true;
    } else {
        ret->name = cols[i].name;
        ret->type = cols[i].type;
        ret->oid = cols[i].oid;
        ret->mods = cols[i].mods;
    }
}

const struct sys_attr *sys_attrs(struct sys_rows *w, const struct sys_item *it, uint32_t *ret_count)
{
    struct sys_column *cols = NULL;
    uint32_t count = sys_item_columns(it);
    struct sys_attr *attrs = arena_calloc(w->arena, (size_t)count + 1, sizeof(*attrs));
    int rc = attrs ? 0 : DN_FAIL_NOMEM(w->err);

    if (rc < 0)
        goto fail;
    if (it->rel) {
        rc = sys_columns(it->rel, w->arena, &cols, &count, w->err);
        if (rc < 0)
            goto fail;
        DN_ASSERT(count == sys_item_columns(it));
    }
    for (uint32_t i = 0; i < count; i++)
        sys_attr_of(it, cols, i, &attrs[i]);
    *ret_count = count;
    return attrs;
fail:
    w->rc = w->rc < 0 ? w->rc : rc;
    return NULL;
}

uint32_t sys_attr_type(const struct sys_attr *a)
{
    return a->oid ? a->oid : sys_type_oid(a->type, &a->mods);
}

bool sys_default(const struct catalog *cat, const struct column *c, struct buf *b)
{
    static const char word[] = " DEFAULT ";
    size_t skip = sizeof(word) - 1;
    struct buf text;
    bool has = false;

    if (column_is_identity(c))
        return false;
    if (c->source == COLUMN_STORED) {
        buf_puts(b, c->def_sql);
        return true;
    }
    buf_init(&text, b->owner);
    table_print_default(cat, c, &text);
    if (text.failed)
        b->failed = true;
    else if (text.len > skip) {
        buf_append(b, text.data + skip, text.len - skip);
        has = true;
    }
    buf_done(&text);
    return has;
}

/* ---- constraints ---- */

uint32_t sys_cons_count(const struct table *t)
{
    return (uint32_t)t->constraints_count + 1;
}

static const char *sys_word(const char **p, struct arena *arena)
{
    const char *s = *p + strspn(*p, " ,(");
    bool quoted = *s == '"';
    const char *end;

    s += quoted;
    end = quoted ? strchr(s, '"') : s + strcspn(s, " .,()");
    if (!end)
        end = s + strlen(s);
    *p = end + (quoted && *end);
    return arena_strndup(arena, s, (size_t)(end - s));
}

/* REFERENCES [schema.]table [(a, b)] …: what it refers to. */
static bool sys_con_target(struct sys_rows *w, const struct table *t, struct sys_con *c)
{
    const char *p = c->own->text;
    const char *schema = t->schema;
    const char *name;

    if (strncasecmp(p, "REFERENCES ", 11) != 0)
        return true;
    p += 11;
    name = sys_word(&p, w->arena);
    if (*p == '.') {
        p++;
        schema = name;
        name = sys_word(&p, w->arena);
    }
    if (!name || !schema)
        return false;
    c->target = catalog_table(w->env->catalog, schema, name, NULL);
    if (!c->target)
        return true;
    c->target_cols = arena_calloc(w->arena, TABLE_COLUMNS_MAX, sizeof(*c->target_cols));
    if (!c->target_cols)
        return false;
    p += strspn(p, " ");
    if (*p != '(') {
        for (uint16_t i = 0; i < c->target->local_count; i++)
            c->target_cols[c->target_count++] = c->target->columns[c->target->local[i].col].id;
        return true;
    }
    while (*p && *p != ')' && c->target_count < TABLE_COLUMNS_MAX) {
        const char *col = sys_word(&p, w->arena);
        int at = col ? table_column_find(c->target, col, strlen(col)) : -1;

        if (!col)
            return false;
        if (at >= 0)
            c->target_cols[c->target_count++] = c->target->columns[at].id;
        p += strspn(p, " ");
    }
    return true;
}

uint32_t sys_con_oid(const struct table *t, const struct table_constraint *own)
{
    uint64_t number = t->number ? t->number : t->id;

    return (uint32_t)(SYS_OIDS + number * (TABLE_CONSTRAINTS_MAX + 1) + (own ? own->id : 0));
}

static bool sys_con_make(struct sys_rows *w, const struct table *t, uint32_t i, struct sys_con *ret)
{
    static const char kinds[TABLE_CONSTRAINT_MAX] = {
        [TABLE_CHECK] = 'c', [TABLE_UNIQUE] = 'u', [TABLE_FOREIGN] = 'f'};
    struct buf name;

    *ret = (struct sys_con){.kind = 'p'};
    ret->oid = sys_con_oid(t, i ? &t->constraints[i - 1] : NULL);
    ret->cols = arena_calloc(w->arena, TABLE_COLUMNS_MAX, sizeof(*ret->cols));
    if (!ret->cols)
        return false;
    if (i == 0) {
        buf_init(&name, w->arena->owner);
        sys_key_name(t, &name);
        ret->name = name.failed ? NULL : arena_strndup(w->arena, (char *)name.data, name.len);
        buf_done(&name);
        for (uint16_t k = 0; k < t->local_count; k++)
            ret->cols[ret->cols_count++] = t->columns[t->local[k].col].id;
        return ret->name != NULL;
    }
    ret->own = &t->constraints[i - 1];
    ret->kind = kinds[ret->own->kind];
    ret->name = ret->own->name;
    for (uint16_t k = 0; k < ret->own->cols_count; k++)
        ret->cols[ret->cols_count++] = t->columns[ret->own->cols[k]].id;
    return ret->kind != 'f' || sys_con_target(w, t, ret);
}

bool sys_con(struct sys_rows *w, const struct table *t, uint32_t i, struct sys_con *ret)
{
    if (w->rc == 0 && !sys_con_make(w, t, i, ret))
        w->rc = DN_FAIL_NOMEM(w->err);
    return w->rc == 0 && ret->kind != 0;
}

/* What stands behind the target: ON DELETE …, or "". */
static const char *sys_con_rest(const struct table_constraint *own)
{
    static const char *const words[] = {" MATCH ", " ON DELETE ", " ON UPDATE ", " DEFERRABLE"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        const char *p = strstr(own->text, words[i]);

        if (p)
            return p;
    }
    return "";
}

char sys_con_action(const struct table_constraint *own, const char *event)
{
    static const struct {
        const char *word;
        char letter;
    } actions[] = {{"CASCADE", 'c'}, {"RESTRICT", 'r'}, {"SET NULL", 'n'}, {"SET DEFAULT", 'd'}};
    const char *p = strstr(sys_con_rest(own), event);

    for (size_t i = 0; p && i < DN_ARRAY_SIZE(actions); i++)
        if (strncmp(p + strlen(event), actions[i].word, strlen(actions[i].word)) == 0)
            return actions[i].letter;
    return 'a';
}

/* Numbers of columns as a list of names. */
static void
sys_print_cols(const struct table *t, const int64_t *cols, uint32_t count, struct buf *b)
{
    buf_puts(b, "(");
    for (uint32_t i = 0; i < count; i++) {
        int at = table_column_by_id(t, (uint32_t)cols[i]);

        buf_puts(b, i ? ", " : "");
        sys_quote(at < 0 ? "?" : t->columns[at].name, b);
    }
    buf_puts(b, ")");
}

/* FOREIGN KEY (a) REFERENCES t(b) ON …, with all columns and no blank behind the table: programs
 * take it apart. False: what it refers to is not there. */
static bool sys_print_foreign(const struct sys_env *env,
                              const struct table *t,
                              const struct table_constraint *own,
                              struct buf *b)
{
    struct sys_rows w = {.env = env};
    struct sys_item it;
    struct sys_index index;
    struct sys_con c;
    struct arena arena;
    bool found;

    arena_init(&arena, NULL);
    w.arena = &arena;
    found = sys_con(&w, t, (uint32_t)(own - t->constraints) + 1, &c) && c.target &&
            sys_item_find(env, sys_oid(c.target), &it, &index);
    if (found) {
        buf_puts(b, "FOREIGN KEY ");
        sys_print_cols(t, c.cols, c.cols_count, b);
        buf_puts(b, " REFERENCES ");
        if (!sys_item_visible(env, &it)) {
            sys_quote(it.schema, b);
            buf_puts(b, ".");
        }
        sys_quote(it.name, b);
        sys_print_cols(c.target, c.target_cols, c.target_count, b);
        buf_puts(b, sys_con_rest(own));
    }
    arena_done(&arena);
    return found;
}

void sys_con_print(const struct sys_env *env,
                   const struct table *t,
                   const struct table_constraint *own,
                   struct buf *b)
{
    struct buf whole;
    struct buf head;

    if (!own) {
        table_print_key(t, b);
        return;
    }
    if (own->kind == TABLE_FOREIGN && sys_print_foreign(env, t, own, b))
        return;
    buf_init(&whole, b->owner);
    buf_init(&head, b->owner);
    table_print_constraint(t, own, &whole);
    buf_puts(&head, "CONSTRAINT ");
    table_print_ident(own->name, &head);
    buf_puts(&head, " ");
    if (whole.failed || head.failed)
        b->failed = true;
    else
        buf_append(b, whole.data + head.len, whole.len - head.len);
    if (own->not_valid)
        buf_puts(b, " NOT VALID");
    buf_done(&head);
    buf_done(&whole);
}
