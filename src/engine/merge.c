/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.c: MERGE as the statements that it stands for, which run as parts (parts.h) of one:
 *
 *     DELETE FROM t USING s WHERE on AND changed            deletes nothing: are there rows of t
 * that several rows of s would change? UPDATE t SET … FROM s WHERE on AND when               for
 * each WHEN MATCHED … UPDATE DELETE FROM t USING s WHERE on AND when               … DELETE INSERT
 * INTO t SELECT … FROM s WHERE when AND NOT EXISTS (SELECT FROM t WHERE on)
 *
 * where `when` says that this clause is the first of its kind whose condition is true. All of them
 * read the same snapshot, so it does not matter that the source is read by each. */
#include "engine/merge.h"

#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/parts.h"
#include "engine/stmt_ops.h"

struct merge_make {
    struct dendro_stmt *stmt;
    struct arena *arena;
    const struct merge_stmt *m;
    struct stmt **to;
    uint32_t count;
    bool failed; /* out of memory */
};

/* ---- expressions ---- */

static struct expr *merge_expr(struct merge_make *k, enum expr_kind kind)
{
    static struct expr none; /* whoever fails ends in merge_add */
    struct expr *e = arena_calloc(k->arena, 1, sizeof(*e));

    if (!e) {
        k->failed = true;
        return &none;
    }
    e->kind = kind;
    e->pos = k->m->pos;
    e->depth = 1;
    return e;
}

static struct expr *merge_bool(struct merge_make *k, bool value)
{
    struct expr *e = merge_expr(k, EXPR_LITERAL);

    if (!k->failed)
        e->value = (struct datum){.type = TYPE_BOOLEAN, .v = {.i64 = value}};
    return e;
}

static struct expr *merge_and(struct merge_make *k, struct expr *a, struct expr *b)
{
    struct expr *e = merge_expr(k, EXPR_BINARY);

    if (k->failed)
        return e;
    e->op = OP_AND;
    e->a = a;
    e->b = b;
    return e;
}

/* Is it the first clause of its kind that is true? Or, with `last` none, one that changes rows? */
static struct expr *merge_first(struct merge_make *k, bool matched, const struct merge_when *last)
{
    const struct merge_stmt *m = k->m;
    struct expr *e = merge_expr(k, EXPR_CASE);
    struct expr **args = arena_calloc(k->arena, 2 * (size_t)m->whens_count + 1, sizeof(*args));

    if (!args)
        k->failed = true;
    if (k->failed)
        return e;
    for (uint32_t i = 0; i < m->whens_count; i++) {
        const struct merge_when *w = &m->whens[i];

        if (w->matched != matched)
            continue;
        args[e->args_count++] = w->cond ? w->cond : merge_bool(k, true);
        args[e->args_count++] = merge_bool(k, last ? w == last : w->action != MERGE_NOTHING);
        if (w == last)
            break;
    }
    e->args = args;
    e->b = merge_bool(k, false);
    return e->args_count ? e : e->b;
}

/* ---- statements ---- */

static void merge_add(struct merge_make *k, enum stmt_kind kind, struct stmt **ret)
{
    struct stmt *s = arena_calloc(k->arena, 1, sizeof(*s));

    *ret = s;
    if (!s) {
        k->failed = true;
        return;
    }
    s->kind = kind;
    s->start = k->m->pos;
    k->to[k->count++] = s;
}

static void merge_change(struct merge_make *k, const struct merge_when *w, struct expr *when)
{
    const struct merge_stmt *m = k->m;
    struct change_stmt *c = arena_calloc(k->arena, 1, sizeof(*c));
    struct from_item **from = arena_dup(k->arena, &m->source, sizeof(*from));
    struct stmt *s;

    merge_add(k, w && w->action == MERGE_UPDATE ? STMT_UPDATE : STMT_DELETE, &s);
    if (!c || !from)
        k->failed = true;
    if (k->failed)
        return;
    *c = (struct change_stmt){.with = m->with,
                              .table = m->table,
                              .alias = m->alias,
                              .from = from,
                              .from_count = 1,
                              .where = merge_and(k, m->on, when),
                              .once = !w};
    if (w) {
        c->set = w->set;
        c->set_count = w->set_count;
    }
    s->change = c;
}

/* NOT EXISTS (SELECT FROM t WHERE on) */
static struct expr *merge_unmatched(struct merge_make *k)
{
    const struct merge_stmt *m = k->m;
    struct expr *not = merge_expr(k, EXPR_UNARY), *exists = merge_expr(k, EXPR_EXISTS);
    struct query *q = arena_calloc(k->arena, 1, sizeof(*q));
    struct select_core *core = arena_calloc(k->arena, 1, sizeof(*core));
    struct from_item *t = arena_calloc(k->arena, 1, sizeof(*t));
    struct from_item **from = arena_calloc(k->arena, 1, sizeof(*from));

    if (!q || !core || !t || !from)
        k->failed = true;
    if (k->failed)
        return not ;
    *t = (struct from_item){
        .kind = FROM_TABLE, .pos = m->table.pos, .depth = 1, .table = m->table, .alias = m->alias};
    from[0] = t;
    *core = (struct select_core){.from = from, .from_count = 1, .where = m->on, .pos = m->pos};
    *q = (struct query){.kind = QUERY_SELECT, .pos = m->pos, .depth = m->depth, .core = core};
    exists->query = q;
    not ->op = OP_NOT;
    not ->a = exists;
    return not ;
}

/* The columns that get a value, and the values; DEFAULT is none. */
static int merge_values(struct merge_make *k,
                        const struct merge_when *w,
                        struct insert_stmt *to,
                        struct select_core *core,
                        struct dn_err *err)
{
    struct catalog_relation rel = {0};
    bool defaults = false;
    int rc = 0;

    if (w->columns && w->columns_count != w->values_count) {
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     w->columns_count > w->values_count
                         ? "INSERT has more target columns than expressions"
                         : "INSERT has more expressions than target columns");
        dn_err_at(err, w->pos);
        return rc;
    }
    for (uint32_t i = 0; i < w->values_count; i++)
        defaults = defaults || !w->values[i];
    core->items = arena_calloc(k->arena, (size_t)w->values_count + 1, sizeof(*core->items));
    to->columns = w->columns || defaults || !w->values
                      ? arena_calloc(k->arena, (size_t)w->values_count + 1, sizeof(*to->columns))
                      : NULL;
    if (!core->items || (!to->columns && (w->columns || defaults || !w->values)))
        return DN_FAIL_NOMEM(err);
    if (!w->columns && defaults)
        rc = session_relation(k->stmt->conn, k->stmt->catalog, &k->m->table, &rel, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < w->values_count; i++) {
        if (!w->values[i])
            continue;
        if (w->columns)
            to->columns[to->columns_count++] = w->columns[i];
        else if (rel.table && i < rel.table->columns_count)
            to->columns[to->columns_count++] =
                (struct spec_name){.s = rel.table->columns[i].name, .pos = w->pos};
        core->items[core->items_count++] = (struct select_item){
            .expr = w->values[i], .pos = w->values[i]->pos, .end = w->values[i]->pos};
    }
    return 0;
}

static int merge_insert(struct merge_make *k, const struct merge_when *w, struct dn_err *err)
{
    const struct merge_stmt *m = k->m;
    struct insert_stmt *ins = arena_calloc(k->arena, 1, sizeof(*ins));
    struct query *q = arena_calloc(k->arena, 1, sizeof(*q));
    struct select_core *core = arena_calloc(k->arena, 1, sizeof(*core));
    struct from_item **from = arena_dup(k->arena, &m->source, sizeof(*from));
    struct stmt *s;

    merge_add(k, STMT_INSERT, &s);
    if (!ins || !q || !core || !from || k->failed)
        return DN_FAIL_NOMEM(err);
    *core = (struct select_core){.from = from, .from_count = 1, .pos = m->pos};
    core->where = merge_and(k, merge_unmatched(k), merge_first(k, false, w));
    *q = (struct query){.kind = QUERY_SELECT, .pos = m->pos, .depth = m->depth, .core = core};
    *ins = (struct insert_stmt){
        .with = m->with, .table = m->table, .overriding = w->overriding, .query = q};
    s->insert = ins;
    return merge_values(k, w, ins, core, err);
}

int stmt_merge_parts(struct dendro_stmt *stmt,
                     struct stmt ***ret,
                     uint32_t *ret_count,
                     struct dn_err *err)
{
    struct merge_make k = {.stmt = stmt, .arena = &stmt->compiled, .m = stmt_inner(stmt)->merge};
    const struct merge_stmt *m = k.m;
    int rc = 0;

    k.to = arena_calloc(k.arena, (size_t)m->whens_count + 1, sizeof(struct stmt *));
    if (!k.to)
        return DN_FAIL_NOMEM(err);
    merge_change(&k, NULL, merge_first(&k, true, NULL));
    for (uint32_t i = 0; rc == 0 && i < m->whens_count; i++) {
        const struct merge_when *w = &m->whens[i];

        if (w->action == MERGE_INSERT)
            rc = merge_insert(&k, w, err);
        else if (w->action != MERGE_NOTHING)
            merge_change(&k, w, merge_first(&k, true, w));
    }
    if (rc == 0 && k.failed)
        rc = DN_FAIL_NOMEM(err);
    *ret = k.to;
    *ret_count = k.count;
    return rc;
}

int stmt_merge_twice(struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_CARDINALITY, "MERGE command cannot affect row a second time");

    dn_err_hint(err, "Ensure that not more than one source row matches any one target row.");
    return rc;
}

/* The statements that it is made of, its parts, have run. */
static int merge_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct stmt_parts *p = stmt->parts;

    (void)err;
    stmt->rows_count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        stmt->rows_count += p->v[i]->rows_count;
    return 0;
}

STMT_NAME(merge, "MERGE")
STMT_OPS(merge,
         stmt_name_merge,
         stmt_tag_rows,
         stmt_class_mod,
         stmt_use_writes,
         privilege_by_planner,
         stmt_compile_nothing,
         merge_run);
