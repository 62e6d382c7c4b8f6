/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.c: what functions ask about objects: names of numbers, numbers of names, definitions. */
#include "system/system_int.h"

#include "base/text.h"
#include "catalog/table_constraint.h"
#include "sql/ast.h"
#include "sql/sql.h"

#include <inttypes.h>
#include <strings.h>

/* A name needs quotes if it is not lower case, or a word of SQL. */
void sys_quote(const char *name, struct buf *b)
{
    for (const char *p = name; *p; p++) {
        if (*p < 'A' || *p > 'Z')
            continue;
        buf_u8(b, '"');
        for (p = name; *p; p++) {
            if (*p == '"')
                buf_u8(b, '"');
            buf_u8(b, (uint8_t)*p);
        }
        buf_u8(b, '"');
        return;
    }
    table_print_ident(name, b);
}

static void
answer_name(const struct sys_env *env, const struct sys_item *it, const char *name, struct buf *b)
{
    if (!sys_item_visible(env, it)) {
        sys_quote(it->schema, b);
        buf_puts(b, ".");
    }
    sys_quote(name, b);
}

/* ---- REGCLASS, REGTYPE and the other REG types as text ---- */

static int answer_reg(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    struct sys_item it;
    struct sys_proc p;
    const char *name;
    struct sys_index index;

    if (ask->oid == 0)
        return 0;
    if (ask->type == TYPE_REGROLE) {
        name = access_role_name(env->catalog->access, (uint32_t)ask->oid);
        if (name[0])
            buf_puts(b, name);
        else
            buf_printf(b, "unknown (OID=%" PRId64 ")", ask->oid);
        return 0;
    }
    if (ask->type == TYPE_REGTYPE) {
        sys_type_print(env, ask->oid, -1, b);
    } else if (ask->type == TYPE_REGPROC) {
        name = sys_io_name((uint32_t)ask->oid);
        if (name)
            buf_puts(b, name);
        else if (sys_proc_find(ask->oid, &p))
            buf_puts(b, p.name);
    } else if (ask->type == TYPE_REGNAMESPACE) {
        for (size_t i = 0; (name = sys_schema_at(env, i)); i++)
            if (sys_schema_oid(name) == ask->oid)
                sys_quote(name, b);
    } else if (sys_item_find(env, ask->oid, &it, &index)) {
        struct buf key;

        buf_init(&key, b->owner);
        if (index.table) {
            sys_index_name(&index, &key);
            buf_u8(&key, 0);
        }
        answer_name(env, &it, index.table && !key.failed ? (const char *)key.data : it.name, b);
        buf_done(&key);
    }
    return 0;
}

/* ---- by name ---- */

/* The parts of a.b or "A b".c, at most three; 0: no name. */
static uint32_t answer_parts(const struct func_ask *ask, struct buf *parts, struct arena *arena)
{
    const char *p = ask->text;
    const char *end = p + ask->text_len;
    uint32_t n = 0;

    while (p < end && n < 3) {
        struct buf *to = &parts[n++];

        buf_init(to, arena->owner);
        if (*p == '"') {
            for (p++; p < end && !(*p == '"' && (p + 1 == end || p[1] != '"')); p++) {
                p += *p == '"';
                buf_u8(to, (uint8_t)*p);
            }
            p += p < end;
        } else {
            for (; p < end && *p != '.'; p++)
                buf_u8(to, (uint8_t)*p);
        }
        buf_u8(to, 0);
        if (p < end && *p++ != '.')
            break;
    }
    return n;
}

static bool answer_same(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0;
}

/* How well the name fits: 0 not, 2 exactly. */
static int answer_fit(const char *own, const char *name)
{
    return answer_same(own, name) ? 1 + (strcmp(own, name) == 0) : 0;
}

/* The index of the table that fits best, of those that fit better than *fit. */
static int64_t answer_class_index(const struct table *t, const char *name, int *fit)
{
    struct sys_index ix = {.at = 0};
    int64_t found = 0;
    struct buf own;

    buf_init(&own, NULL);
    while (sys_index_next(t, &ix)) {
        int as;

        buf_reset(&own);
        sys_index_name(&ix, &own);
        buf_u8(&own, 0);
        as = own.failed ? 0 : answer_fit((const char *)own.data, name);
        if (as > *fit) {
            *fit = as;
            found = ix.oid;
        }
    }
    buf_done(&own);
    return found;
}

/* A relation or an index by its name; exact matches first. */
static int64_t answer_class(const struct sys_env *env, const char *schema, const char *name)
{
    int64_t found = 0;
    int best = 0;
    struct sys_item it = {.at = 0};

    while (sys_next(env, &it)) {
        int64_t oid = it.oid;
        int64_t index;
        int rank;
        int fit;

        if (schema ? !answer_same(it.schema, schema) : !sys_item_visible(env, &it))
            continue;
        fit = answer_fit(it.name, name);
        index = it.table ? answer_class_index(it.table, name, &fit) : 0;
        if (fit == 0)
            continue;
        rank = fit + 2 * (it.rel != NULL) + 4 * (env->temp && strcmp(it.schema, env->temp) == 0);
        if (rank > best) {
            best = rank;
            found = index ? index : oid;
        }
    }
    return found;
}

static int64_t answer_proc(const char *name)
{
    struct sys_procs it = {0};
    struct sys_proc p;
    size_t bare = strcspn(name, "(");

    while (sys_proc_next(&it, &p))
        if (strlen(p.name) == bare && strncasecmp(p.name, name, bare) == 0)
            return p.oid;
    return 0;
}

static int answer_missing(const struct func_ask *ask, struct dn_err *err)
{
    const char *what = ask->type == TYPE_REGCLASS       ? "relation"
                       : ask->type == TYPE_REGTYPE      ? "type"
                       : ask->type == TYPE_REGPROC      ? "function"
                       : ask->type == TYPE_REGNAMESPACE ? "schema"
                                                        : "role";
    int len = ask->text_len > 200 ? 200 : (int)ask->text_len;

    return DN_FAIL(err,
                   ask->type == TYPE_REGCLASS       ? DN_E_UNDEFINED_TABLE
                   : ask->type == TYPE_REGPROC      ? DN_E_UNDEFINED_FUNCTION
                   : ask->type == TYPE_REGNAMESPACE ? DN_E_UNDEFINED_SCHEMA
                                                    : DN_E_UNDEFINED_OBJECT,
                   "%s \"%.*s\" does not exist",
                   what,
                   len,
                   ask->text);
}

static int
answer_find(const struct sys_env *env, const struct func_ask *ask, int64_t *ret, struct dn_err *err)
{
    struct buf parts[3];
    struct arena arena;
    const char *schema;
    const char *name;
    uint32_t n;
    int64_t oid = 0;
    bool failed = false;

    if (ask->type == TYPE_REGTYPE) {
        oid = sys_type_by_name((struct vstr){ask->text, ask->text_len});
        if (oid) {
            *ret = oid;
            return 0;
        }
    }
    arena_init(&arena, NULL);
    n = answer_parts(ask, parts, &arena);
    for (uint32_t i = 0; i < n; i++)
        failed = failed || parts[i].failed;
    if (n > 0 && !failed) {
        name = (const char *)parts[n - 1].data;
        schema = n > 1 ? (const char *)parts[n - 2].data : NULL;
        if (ask->type == TYPE_REGCLASS || ask->type == TYPE_REGTYPE) {
            oid = ask->type == TYPE_REGTYPE ? sys_user_type_oid(env, schema, name) : 0;
            oid = oid ? oid : answer_class(env, schema, name);
        } else if (ask->type == TYPE_REGPROC) {
            oid = answer_proc(name);
        } else if (ask->type == TYPE_REGROLE) {
            const struct role *role = access_role(env->catalog->access, name);

            oid = role ? role->id : 0;
        } else {
            const char *s;

            for (size_t i = 0; (s = sys_schema_at(env, i)); i++)
                if (answer_same(s, name))
                    oid = sys_schema_oid(s);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        buf_done(&parts[i]);
    arena_done(&arena);
    if (failed)
        return DN_FAIL_NOMEM(err);
    *ret = oid;
    return oid ? 0 : answer_missing(ask, err);
}

/* ---- definitions ---- */

const struct table *sys_ask_table(const struct sys_env *env, const struct func_ask *ask)
{
    struct func_ask by_name = *ask;
    struct sys_item it;
    int64_t oid = ask->oid;
    struct sys_index index;

    by_name.type = TYPE_REGCLASS;
    if (oid == 0 && ask->text_len && answer_find(env, &by_name, &oid, NULL) < 0)
        return NULL;
    return sys_item_find(env, oid, &it, &index) ? it.table : NULL;
}

static int answer_constraint(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    struct sys_item it = {.at = 0};

    while (sys_next(env, &it)) {
        for (uint32_t i = 0; it.table && i < sys_cons_count(it.table); i++) {
            const struct table_constraint *own = i ? &it.table->constraints[i - 1] : NULL;

            if (sys_con_oid(it.table, own) != ask->oid || (own && table_is_index(own)) ||
                (!own && it.table->form == KEY_NONE))
                continue;
            sys_con_print(env, it.table, own, b);
            return 0;
        }
    }
    return DN_NOT_FOUND;
}

static int answer_index(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    struct sys_item it;
    struct sys_index index;

    if (!sys_item_find(env, ask->oid, &it, &index) || !index.table)
        return DN_NOT_FOUND;
    sys_index_print(&index, ask->sub, b);
    return 0;
}

/* The name that an item has by itself; NULL: not one that is sure. */
static const char *answer_item_name(const struct select_item *item)
{
    const struct expr *e = item->expr;

    return item->alias ? item->alias : e->kind == EXPR_COLUMN ? e->name : NULL;
}

/* Gives names to items that have none. False: that does not do. */
static bool answer_view_names(const struct view *v, struct query *q)
{
    if (q->kind != QUERY_SELECT || q->core->items_count != v->columns_count)
        return false;
    for (uint32_t i = 0; i < v->columns_count; i++) {
        struct select_item *item = &q->core->items[i];
        const char *name = answer_item_name(item);

        if (name && strcmp(name, v->columns[i].name) == 0)
            continue;
        if (item->alias) /* ORDER BY may name it */
            return false;
        item->alias = v->columns[i].name;
    }
    return true;
}

/* The names of the columns around the query. */
static void answer_view_around(const struct view *v, struct buf *b)
{
    buf_printf(b, "SELECT * FROM (%s) AS ", v->query);
    sys_quote(v->name, b);
    for (uint32_t i = 0; i < v->columns_count; i++) {
        buf_puts(b, i ? ", " : " (");
        sys_quote(v->columns[i].name, b);
    }
    buf_puts(b, ")");
}

static bool answer_view_same(const struct view *v, const struct query *q)
{
    while (q->kind == QUERY_SET)
        q = q->left;
    if (q->kind != QUERY_SELECT || q->core->items_count != v->columns_count)
        return false;
    for (uint32_t i = 0; i < v->columns_count; i++) {
        const char *name = answer_item_name(&q->core->items[i]);

        if (!name || strcmp(name, v->columns[i].name) != 0)
            return false;
    }
    return true;
}

/* The query, with the names of the view's columns where it would give them others. */
static int answer_view_query(const struct view *v, struct buf *b, struct dn_err *err)
{
    struct stmt *ast = NULL;
    struct sql_text text;
    struct arena arena;
    int rc;

    arena_init(&arena, NULL);
    sql_text_init(&text, v->query, strlen(v->query));
    rc = sql_parse(&text, &arena, &ast, err);
    if (rc != 0 || ast->kind != STMT_SELECT || answer_view_same(v, ast->query))
        buf_puts(b, v->query);
    else if (answer_view_names(v, ast->query))
        sql_print_stmt(ast, b);
    else
        answer_view_around(v, b);
    arena_done(&arena);
    return rc == DN_E_NOMEM ? rc : 0;
}

static int answer_view(const struct sys_env *env,
                       const struct func_ask *ask,
                       struct buf *b,
                       struct dn_err *err)
{
    int rc;
    struct func_ask by_name = *ask;
    struct sys_item it;
    int64_t oid = ask->oid;
    struct sys_index index;

    by_name.type = TYPE_REGCLASS;
    if (ask->text_len && answer_find(env, &by_name, &oid, NULL) < 0)
        return DN_NOT_FOUND;
    if (!sys_item_find(env, oid, &it, &index) || !it.view)
        return DN_NOT_FOUND;
    rc = answer_view_query(it.view, b, err);
    buf_puts(b, ";");
    return rc;
}

/* How rows are spread: the partition key. */
static int answer_partkey(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    struct sys_item it;
    struct sys_index index;

    if (!sys_item_find(env, ask->oid, &it, &index) || !it.table || index.table)
        return DN_NOT_FOUND;
    if (it.table->timepart) {
        buf_puts(b, "TIME"); /* the rest is in its trigger: fill_dump.c */
        return 0;
    }
    if (it.table->quantum_count == 0)
        return DN_NOT_FOUND;
    buf_puts(b, "RANGE (");
    for (uint16_t i = 0; i < it.table->partition_count; i++) {
        sys_quote(it.table->columns[it.table->partition[i]].name, b);
        buf_puts(b, ", ");
    }
    buf_puts(b, "QUANTUM(");
    sys_quote(it.table->columns[it.table->time_col].name, b);
    buf_printf(b, ", %" PRId64 ", '%c'))", it.table->quantum_count, it.table->quantum_unit);
    return 0;
}

static bool answer_is(const struct func_ask *ask, const char *catalog)
{
    return ask->text_len == strlen(catalog) && memcmp(ask->text, catalog, ask->text_len) == 0;
}

static const char *answer_constraint_comment(const struct sys_env *env, int64_t oid)
{
    for (size_t i = 0; i < env->catalog->tables_count; i++) {
        const struct table *t = env->catalog->tables[i];

        for (uint16_t k = 0; k < t->constraints_count; k++)
            if (!table_is_index(&t->constraints[k]) && sys_con_oid(t, &t->constraints[k]) == oid)
                return t->constraints[k].comment;
    }
    return NULL;
}

static int answer_comment(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    const char *text = NULL;
    struct sys_item it;
    struct sys_index index;
    bool schemas = ask->text_len == 12 && memcmp(ask->text, "pg_namespace", 12) == 0;

    if (schemas || ask->text_len == 0) {
        for (size_t i = 0; i < env->catalog->schemas_count; i++)
            if (sys_schema_oid(env->catalog->schemas[i].name) == ask->oid)
                text = env->catalog->schemas[i].comment;
    }
    if (!schemas && !text &&
        (ask->text_len == 0 || (ask->text_len == 8 && memcmp(ask->text, "pg_class", 8) == 0)) &&
        sys_item_find(env, ask->oid, &it, &index)) {
        int at = ask->sub > 0 && it.table ? table_column_by_id(it.table, (uint32_t)ask->sub) : -1;

        if (index.table)
            text = index.own && table_is_index(index.own) ? index.own->comment : NULL;
        else if (ask->sub > 0)
            text = at >= 0 ? it.table->columns[at].comment : NULL;
        else
            text = sys_item_comment(&it);
    }
    if (!text && (ask->text_len == 0 || answer_is(ask, "pg_constraint")))
        text = answer_constraint_comment(env, ask->oid);
    if (!text)
        return DN_NOT_FOUND;
    buf_puts(b, text);
    return 0;
}

static int answer_proc_text(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    struct sys_proc p;

    if (!sys_proc_find(ask->oid, &p))
        return DN_NOT_FOUND;
    if (ask->kind == FUNC_ASK_RESULT) {
        buf_puts(b, p.set ? "SETOF " : "");
        sys_type_print(env, p.result, -1, b);
        return 0;
    }
    for (uint32_t i = 0; i < p.args_count; i++) {
        buf_puts(b, i ? ", " : "");
        buf_puts(b, p.variadic && i + 1 == p.args_count ? "VARIADIC " : "");
        sys_type_print(env, p.args[i], -1, b);
    }
    return 0;
}

static int answer_visible(const struct sys_env *env, const struct func_ask *ask, int64_t *ret)
{
    struct sys_item it;
    struct sys_proc p;
    struct sys_index index;

    if (ask->type == TYPE_REGPROC) {
        *ret = 1;
        return sys_proc_find(ask->oid, &p) ? 0 : DN_NOT_FOUND;
    }
    if (ask->type == TYPE_REGTYPE && sys_type_find((uint32_t)ask->oid)) {
        *ret = 1;
        return 0;
    }
    if (ask->type == TYPE_REGTYPE && sys_user_type_visible(env, ask->oid, ret))
        return 0;
    if (!sys_item_find(env, ask->oid, &it, &index))
        return DN_NOT_FOUND;
    *ret = sys_item_visible(env, &it);
    return 0;
}

int sys_answer(const struct sys_env *env,
               const struct func_ask *ask,
               struct func_answer *ret,
               struct dn_err *err)
{
    switch (ask->kind) {
    case FUNC_ASK_REG:
        return answer_reg(env, ask, ret->text);
    case FUNC_ASK_REG_FIND:
        return answer_find(env, ask, &ret->number, err);
    case FUNC_ASK_VISIBLE:
        return answer_visible(env, ask, &ret->number);
    case FUNC_ASK_FORMAT:
        if (!sys_type_print(env, ask->oid, ask->sub, ret->text))
            buf_puts(ret->text, "???");
        return 0;
    case FUNC_ASK_COMMENT:
        return answer_comment(env, ask, ret->text);
    case FUNC_ASK_CONSTRAINT:
        return answer_constraint(env, ask, ret->text);
    case FUNC_ASK_INDEX:
        return answer_index(env, ask, ret->text);
    case FUNC_ASK_VIEW:
        return answer_view(env, ask, ret->text, err);
    case FUNC_ASK_PARTKEY:
        return answer_partkey(env, ask, ret->text);
    case FUNC_ASK_TRIGGER:
        return sys_answer_trigger(env, ask, ret->text, err);
    case FUNC_ASK_ARGUMENTS:
    case FUNC_ASK_RESULT:
        return answer_proc_text(env, ask, ret->text);
    case FUNC_ASK_PARTITION:
        return sys_answer_partition(env, ask, ret->text);
    case FUNC_ASK_PRIVILEGE:
        return sys_answer_privilege(env, ask->right, &ret->number, err);
    case FUNC_ASK_ENUM_LABEL:
    case FUNC_ASK_ENUM_FIND:
    case FUNC_ASK_ENUM_ALL:
        return sys_answer_enum(env, ask, ret, err);
    case FUNC_ASK_SIZE:
        break;
    }
    return DN_NOT_FOUND;
}
