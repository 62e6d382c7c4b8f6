/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_define.c: builders of CREATE TABLE AS and LIKE, views, indexes and sequences. */
#include "sql/build_ddl.h"
#include "sql/build_query.h"

#include <string.h>
#include <strings.h>

static bool define_is(struct sql_token tok, const char *word)
{
    return strlen(word) == tok.len && strncasecmp(word, tok.ptr, tok.len) == 0;
}

/* ---- CREATE TABLE AS, LIKE ---- */

void sql_create_as(struct sql_parser *ps,
                   struct sql_list columns,
                   struct sql_list options,
                   int on_commit,
                   struct query *q,
                   bool data)
{
    struct option_spec *list = sql_list_take_structs(ps, options, sizeof *list);
    struct spec_name *names = sql_list_take_structs(ps, columns, sizeof *names);
    struct table_def *def;

    if (ps->rc < 0)
        return;
    def = ps->stmt->table_def;
    ps->spec->options = list;
    ps->spec->options_count = options.count;
    def->as_columns = names;
    def->as_columns_count = columns.count;
    def->as = q ? sql_query_plain(ps, q) : NULL;
    def->on_commit = (enum on_commit)on_commit;
    def->no_data = !data;
}

void sql_create_execute(struct sql_parser *ps,
                        struct misc_stmt *execute,
                        struct sql_list columns,
                        struct sql_list options,
                        int on_commit,
                        bool data)
{
    sql_create_as(ps, columns, options, on_commit, NULL, data);
    if (ps->rc == 0)
        ps->stmt->table_def->execute = execute;
}

int sql_preserve(struct sql_parser *ps, struct sql_token word)
{
    if (!define_is(word, "preserve"))
        sql_fail_syntax(ps, 0, word);
    return ON_COMMIT_PRESERVE;
}

int sql_like_option(struct sql_parser *ps, struct sql_token word)
{
    static const char *const words[] = {"defaults",
                                        "constraints",
                                        "indexes",
                                        "identity",
                                        "generated",
                                        "comments",
                                        "storage",
                                        "statistics",
                                        "compression"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (define_is(word, words[i]))
            return 1 << i;
    sql_fail_syntax(ps, 0, word);
    return 0;
}

void sql_like_table(struct sql_parser *ps, const struct qual_name *table, int including)
{
    struct table_def *def;
    struct like_def *likes;

    if (ps->rc < 0)
        return;
    def = ps->stmt->table_def;
    if (def->likes_count >= TABLE_COLUMNS_MAX) {
        sql_fail(ps, DN_E_TOO_COMPLEX, table->pos, "more than %u LIKE", TABLE_COLUMNS_MAX);
        return;
    }
    likes = sql_new(ps, (def->likes_count + 1) * sizeof *likes);
    if (!likes)
        return;
    if (def->likes_count > 0)
        memcpy(likes, def->likes, def->likes_count * sizeof *likes);
    likes[def->likes_count] = (struct like_def){
        .table = *table, .including = (uint32_t)including, .before_col = ps->columns.count};
    def->likes = likes;
    def->likes_count++;
}

/* ---- views ---- */

struct view_def *
sql_view(struct sql_parser *ps, bool or_replace, bool recursive, struct query *q, int check)
{
    struct view_def *v = sql_new(ps, sizeof *v);

    if (!v)
        return NULL;
    v->or_replace = or_replace;
    v->recursive = recursive;
    v->query = sql_query_plain(ps, q);
    v->query_start = (uint32_t)(ps->view_start - ps->lx.start);
    v->query_end = (uint32_t)(ps->view_end - ps->lx.start);
    v->check = (enum view_check)check;
    return v;
}

void sql_create_view(struct sql_parser *ps,
                     struct sql_persist persist,
                     const struct qual_name *name,
                     struct sql_list columns,
                     struct view_def *view)
{
    struct spec_name *names = sql_list_take_structs(ps, columns, sizeof *names);
    struct stmt *s = sql_stmt(ps, STMT_CREATE_VIEW);

    if (!s)
        return;
    if (persist.kind == PERSIST_UNLOGGED)
        sql_fail(ps, DN_E_SYNTAX, persist.pos, "views cannot be unlogged");
    if (view->recursive && columns.count == 0)
        sql_fail(ps, DN_E_SYNTAX, name->pos, "a RECURSIVE view needs a list of its columns");
    view->persistence = (enum persistence)persist.kind;
    view->columns = names;
    view->columns_count = columns.count;
    s->name = *name;
    s->view = view;
}

/* ---- indexes ---- */

struct index_def *sql_index(struct sql_parser *ps,
                            bool unique,
                            const struct qual_name *table,
                            struct sql_token method,
                            bool nulls_not_distinct,
                            struct expr *where)
{
    struct index_def *d = sql_new(ps, sizeof *d);

    if (!d)
        return NULL;
    d->unique = unique;
    d->table = *table;
    d->method = method.len ? sql_name(ps, method) : NULL;
    d->nulls_not_distinct = nulls_not_distinct;
    d->where = where;
    return d;
}

struct index_elem *sql_index_elem(
    struct sql_parser *ps, struct expr *e, const struct sql_token *opclass, bool desc, int nulls)
{
    struct index_elem *x = sql_new(ps, sizeof *x);

    if (!x)
        return NULL;
    x->expr = e;
    if (e->kind == EXPR_COLLATE && !e->paren) {
        x->expr = e->a;
        x->collation = e->name;
    }
    x->opclass = opclass ? sql_name(ps, *opclass) : NULL;
    x->desc = desc;
    x->nulls = (enum nulls_order)nulls;
    return x;
}

void sql_create_index(struct sql_parser *ps,
                      struct index_def *index,
                      bool if_not_exists,
                      const struct qual_name *name,
                      struct sql_list elems,
                      struct sql_list include)
{
    struct spec_name *more = sql_list_take_structs(ps, include, sizeof *more);
    struct index_elem *list = sql_list_take_structs(ps, elems, sizeof *list);
    struct stmt *s = sql_stmt(ps, STMT_CREATE_INDEX);

    if (!s)
        return;
    if (name)
        s->name = *name;
    s->if_not_exists = if_not_exists;
    s->index = index;
    index->elems = list;
    index->elems_count = elems.count;
    index->include = more;
    index->include_count = include.count;
}

/* ---- sequences ---- */

struct sequence_def *
sql_sequence(struct sql_parser *ps, struct sql_token at, uint32_t given, int64_t value)
{
    struct sequence_def *d = sql_new(ps, sizeof *d);

    if (!d)
        return NULL;
    d->given = given;
    d->pos = at.pos;
    if (given & SEQUENCE_INCREMENT)
        d->increment = value;
    else if (given & SEQUENCE_MIN)
        d->min = value;
    else if (given & SEQUENCE_MAX)
        d->max = value;
    else if (given & SEQUENCE_START)
        d->start = value;
    else if (given & SEQUENCE_CACHE)
        d->cache = value;
    else if (given & SEQUENCE_RESTART_WITH)
        d->restart = value;
    return d;
}

struct sequence_def *sql_sequence_owned(struct sql_parser *ps,
                                        struct sql_token at,
                                        const struct qual_name *table,
                                        struct sql_token column)
{
    struct sequence_def *d = sql_sequence(ps, at, SEQUENCE_OWNED, 0);

    if (!d)
        return NULL;
    d->owned_table = *table;
    d->owned_column = sql_name(ps, column);
    return d;
}

struct sequence_def *sql_sequence_name(struct sql_parser *ps,
                                       struct sql_token at,
                                       struct sql_token word,
                                       const struct qual_name *name)
{
    struct sequence_def *d = sql_sequence(ps, at, SEQUENCE_NAME, 0);

    if (!d)
        return NULL;
    if (word.len != 4 || strncasecmp(word.ptr, "name", 4) != 0) {
        sql_fail(ps, DN_E_SYNTAX, word.pos, "NAME must follow SEQUENCE here");
        return NULL;
    }
    d->name = *name;
    return d;
}

struct sequence_def *
sql_sequence_merge(struct sql_parser *ps, struct sequence_def *all, const struct sequence_def *one)
{
    static const uint32_t excluding[] = {SEQUENCE_MIN | SEQUENCE_NO_MIN,
                                         SEQUENCE_MAX | SEQUENCE_NO_MAX,
                                         SEQUENCE_CYCLE | SEQUENCE_NO_CYCLE};
    bool twice;

    if (ps->rc < 0)
        return NULL;
    twice = (all->given & one->given) != 0;
    for (size_t i = 0; i < DN_ARRAY_SIZE(excluding); i++)
        twice = twice || ((all->given & excluding[i]) && (one->given & excluding[i]));
    if (twice) {
        sql_fail(ps, DN_E_SYNTAX, one->pos, "conflicting or redundant options");
        return NULL;
    }
    all->given |= one->given;
    all->increment |= one->increment;
    all->min |= one->min;
    all->max |= one->max;
    all->start |= one->start;
    all->cache |= one->cache;
    all->restart |= one->restart;
    if (one->given & SEQUENCE_AS)
        all->as = one->as;
    if (one->given & SEQUENCE_NAME)
        all->name = one->name;
    if (one->given & SEQUENCE_OWNED) {
        all->owned_table = one->owned_table;
        all->owned_column = one->owned_column;
    }
    return all;
}

static void sequence_stmt(struct sql_parser *ps,
                          enum stmt_kind kind,
                          const struct qual_name *name,
                          struct sequence_def *def)
{
    struct stmt *s = sql_stmt(ps, kind);

    if (!s)
        return;
    s->name = *name;
    s->sequence = def;
}

void sql_create_sequence(struct sql_parser *ps,
                         struct sql_persist persist,
                         bool if_not_exists,
                         const struct qual_name *name,
                         struct sequence_def *def)
{
    sequence_stmt(ps, STMT_CREATE_SEQUENCE, name, def);
    if (ps->rc < 0)
        return;
    if (persist.kind == PERSIST_UNLOGGED)
        sql_fail(ps, DN_E_SYNTAX, persist.pos, "sequences cannot be unlogged");
    if (def->given & SEQUENCE_RESTART)
        sql_fail(ps, DN_E_SYNTAX, def->pos, "RESTART belongs to ALTER SEQUENCE");
    def->temp = persist.kind == PERSIST_TEMP;
    ps->stmt->if_not_exists = if_not_exists;
}

void sql_alter_sequence(struct sql_parser *ps,
                        int object,
                        bool if_exists,
                        const struct qual_name *name,
                        struct sequence_def *def)
{
    sequence_stmt(ps, STMT_ALTER_SEQUENCE, name, def);
    if (ps->rc < 0)
        return;
    if (object != OBJECT_SEQUENCE)
        sql_fail(ps, DN_E_SYNTAX, def->pos, "options of this kind belong to a sequence");
    ps->stmt->if_exists = if_exists;
}
