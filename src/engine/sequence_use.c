/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence_use.c: DEFAULTs that name sequences. The catalog keeps them as text, in which a sequence
 * is always named as ddl_nextval writes it: they follow when it is renamed, and stand in the way
 * when it is to be dropped. */
#include "engine/sequence_ddl.h"

#include "plan/stored.h"

#include <strings.h>

/* The text that names a sequence in a call of nextval and its like; NULL: there is none. */
static struct expr *use_literal(const struct expr *e)
{
    struct expr *arg;

    if (e->kind != EXPR_CALL || e->args_count == 0 ||
        (strcasecmp(e->name, "nextval") != 0 && strcasecmp(e->name, "currval") != 0 &&
         strcasecmp(e->name, "setval") != 0))
        return NULL;
    arg = e->args[0];
    if (arg->kind == EXPR_CAST)
        arg = arg->a;
    return arg->kind == EXPR_LITERAL && arg->value.type == TYPE_VARCHAR && !arg->value.null ? arg
                                                                                            : NULL;
}

/* Calls fn for each of them. */
typedef int (*use_fn)(void *arg, struct expr *call, struct expr *literal, struct dn_err *err);
static int use_walk(struct expr *e, use_fn fn, void *arg, struct dn_err *err)
{
    struct expr *literal;
    int rc = 0;

    if (!e)
        return 0;
    literal = use_literal(e);
    if (literal)
        rc = fn(arg, e, literal, err);
    if (rc == 0)
        rc = use_walk(e->a, fn, arg, err);
    if (rc == 0)
        rc = use_walk(e->b, fn, arg, err);
    if (rc == 0)
        rc = use_walk(e->c, fn, arg, err);
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++)
        rc = use_walk(e->args[i], fn, arg, err);
    return rc;
}

/* The first argument of the call becomes the sequence's name. */
static int
use_put(struct arena *arena, struct expr *call, const struct sequence *s, struct dn_err *err)
{
    const char *text = ddl_nextval(arena, s->schema, s->name);
    struct expr *made;
    int rc = text ? plan_stored_parse(NULL, arena, text, &made, err) : DN_FAIL_NOMEM(err);

    if (rc == 0)
        call->args[0] = made->args[0];
    return rc;
}

static int use_qualify(void *arg, struct expr *call, struct expr *literal, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    const struct sequence *s = NULL;
    int rc = session_sequence_named(
        stmt->conn, stmt->catalog, literal->value.str.ptr, literal->value.str.len, &s, err);

    return rc < 0 ? rc : use_put(&stmt->run, call, s, err);
}

int ddl_qualify_sequences(struct dendro_stmt *stmt, struct expr *e, struct dn_err *err)
{
    return use_walk(e, use_qualify, stmt, err);
}

/* ---- which of them is it? ---- */

struct use_find {
    struct arena *arena;
    const struct sql_types *types; /* NULL: none is known */
    const struct sequence *of;
    const struct sequence *to; /* NULL: only found */
    bool found;
};

static int use_match(void *arg, struct expr *call, struct expr *literal, struct dn_err *err)
{
    struct use_find *f = arg;
    struct buf name;
    bool same;

    buf_init(&name, NULL);
    table_print_ident(f->of->schema, &name);
    buf_u8(&name, '.');
    table_print_ident(f->of->name, &name);
    same = !name.failed && literal->value.str.len == name.len &&
           memcmp(literal->value.str.ptr, name.data, name.len) == 0;
    if (name.failed) {
        buf_done(&name);
        return DN_FAIL_NOMEM(err);
    }
    buf_done(&name);
    f->found = f->found || same;
    return same && f->to ? use_put(f->arena, call, f->to, err) : 0;
}

/* Is it named in the DEFAULT? The tree, with the new name, in *ret. */
static int
use_column(struct use_find *f, const struct column *c, struct expr **ret, struct dn_err *err)
{
    int rc;

    f->found = false;
    if (!c->def_sql || !strstr(c->def_sql, "val("))
        return 0;
    rc = plan_stored_parse(f->types, f->arena, c->def_sql, ret, err);
    return rc < 0 ? rc : use_walk(*ret, use_match, f, err);
}

/* The table with another DEFAULT for a column (text NULL: none) in *cat. */
static int use_change(const struct table *was,
                      uint16_t col,
                      const char *text,
                      struct catalog **cat,
                      struct dn_err *err)
{
    struct spec_name name = {.s = was->columns[col].name};
    enum column_source source = text ? was->columns[col].source : COLUMN_DEFAULT;
    struct catalog *next;
    struct table *t;
    int rc = table_copy(was, &t, err);

    if (rc < 0)
        return rc;
    rc = table_set_default(t, &name, text, err);
    t->columns[col].source = source;
    if (rc == 0)
        rc = catalog_with_changed_table(*cat, t, false, &next, err);
    if (rc == 0) {
        catalog_unref(*cat);
        *cat = next;
    }
    table_unref(t);
    return rc;
}

static const char *use_print(struct arena *arena, const struct expr *e)
{
    struct buf b;
    char *text;

    buf_init(&b, NULL);
    sql_print_expr(e, &b);
    text = b.failed ? NULL : arena_strndup(arena, (const char *)b.data, b.len);
    buf_done(&b);
    return text;
}

int ddl_sequence_renamed(struct dendro_stmt *stmt,
                         const struct sequence *was,
                         const struct sequence *now,
                         struct catalog **cat,
                         struct dn_err *err)
{
    struct use_find f = {.arena = &stmt->run, .types = &stmt->conn->types, .of = was, .to = now};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < (*cat)->tables_count; i++)
        for (uint16_t k = 0; rc == 0 && k < (*cat)->tables[i]->columns_count; k++) {
            const struct table *t = (*cat)->tables[i];
            const char *text;
            struct expr *e = NULL;

            rc = use_column(&f, &t->columns[k], &e, err);
            if (rc < 0 || !f.found)
                continue;
            text = use_print(&stmt->run, e);
            rc = text ? use_change(t, k, text, cat, err) : DN_FAIL_NOMEM(err);
        }
    return rc;
}

/* ---- dropped ---- */

static int use_refuse(const struct ddl_gone *gone,
                      const struct sequence *s,
                      const struct table *t,
                      uint16_t col,
                      struct dn_err *err)
{
    int rc;

    if (s->identity && t->id == s->owner_table && t->columns[col].id == s->owner_column) {
        rc = DN_FAIL(err,
                     DN_E_DEPENDENT,
                     "cannot drop sequence %s because column %s of table %s requires it",
                     s->name,
                     t->columns[col].name,
                     t->name);
        dn_err_hint(
            err, "You can drop column %s of table %s instead.", t->columns[col].name, t->name);
        return rc;
    }
    if (gone->cascade)
        return 0;
    rc = DN_FAIL(err,
                 DN_E_DEPENDENT,
                 "cannot drop %s because other objects depend on it: default value for column %s "
                 "of table %s depends on sequence %s",
                 gone->what,
                 t->columns[col].name,
                 t->name,
                 s->name);
    dn_err_hint(err, "Use DROP ... CASCADE to drop the dependent objects too.");
    return rc;
}

static int use_gone(const struct ddl_gone *gone,
                    const struct sequence *s,
                    struct catalog **cat,
                    struct dn_err *err)
{
    struct use_find f = {.arena = gone->arena, .types = gone->types, .of = s};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < (*cat)->tables_count; i++)
        for (uint16_t k = 0; rc == 0 && k < (*cat)->tables[i]->columns_count; k++) {
            const struct table *t = (*cat)->tables[i];
            struct expr *e = NULL;

            rc = use_column(&f, &t->columns[k], &e, err);
            if (rc < 0 || !f.found)
                continue;
            rc = use_refuse(gone, s, t, k, err);
            if (rc < 0)
                continue;
            if (gone->notices)
                buf_printf(gone->notices,
                           "drop cascades to default value for column %s of table %s\n",
                           t->columns[k].name,
                           t->name);
            rc = use_change(t, k, NULL, cat, err);
        }
    return rc;
}

int ddl_sequences_gone(const struct ddl_gone *gone, struct catalog **cat, struct dn_err *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < gone->before->sequences_count; i++)
        if (!catalog_sequence_by_id(*cat, gone->before->sequences[i]->id))
            rc = use_gone(gone, gone->before->sequences[i], cat, err);
    return rc;
}
