/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_misc.c: builders of the statements of ast_misc.h, and of those about names. */
#include "sql/build_misc.h"
#include "sql/build_query.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

struct qual_name *sql_qual_text(struct sql_parser *ps, struct sql_token at, const char *name)
{
    struct qual_name *q = sql_new(ps, sizeof *q);

    if (!q)
        return NULL;
    q->name = name;
    q->pos = at.pos;
    q->name_pos = at.pos;
    return q;
}

void sql_show(struct sql_parser *ps, struct sql_token at, const char *name)
{
    sql_stmt_named(ps, STMT_SHOW_SETTING, sql_qual_text(ps, at, name));
}

void sql_names_stmt(struct sql_parser *ps, enum stmt_kind kind, struct sql_list names, int behavior)
{
    struct qual_name *list = sql_list_take_structs(ps, names, sizeof *list);
    struct stmt *s = sql_stmt(ps, kind);

    if (!s)
        return;
    s->names = list;
    s->names_count = names.count;
    if (names.count > 0)
        s->name = list[0];
    s->behavior = (enum drop_behavior)behavior;
}

void sql_drop(
    struct sql_parser *ps, int object, bool if_exists, struct sql_list names, int behavior)
{
    sql_names_stmt(ps, STMT_DROP, names, behavior);
    if (ps->rc < 0)
        return;
    ps->stmt->object = (enum object_kind)object;
    ps->stmt->if_exists = if_exists;
}

struct comment_stmt *sql_comment_on(struct sql_parser *ps,
                                    int object,
                                    const struct qual_name *name,
                                    const struct sql_token *sub)
{
    struct comment_stmt *c = sql_new(ps, sizeof *c);

    if (!c)
        return NULL;
    c->object = (enum object_kind)object;
    c->name = *name;
    if (sub)
        c->sub = sql_spec_name(ps, *sub);
    return c;
}

void sql_comment(struct sql_parser *ps, struct comment_stmt *c, const struct sql_token *text)
{
    struct stmt *s = sql_stmt(ps, STMT_COMMENT);
    uint32_t len;

    if (!s)
        return;
    c->text = text ? sql_string_text(ps, *text, &len) : NULL;
    if (c->text && !c->text[0])
        c->text = NULL; /* none at all */
    s->comment = c;
}

/* ---- settings ---- */

void sql_set(struct sql_parser *ps, int scope, const struct qual_name *name, struct sql_list values)
{
    struct option_spec *list = sql_list_take_structs(ps, values, sizeof *list);
    struct set_stmt *set = sql_new(ps, sizeof *set);
    struct stmt *s = sql_stmt(ps, STMT_SET);

    if (!s || !set)
        return;
    s->name = *name;
    s->set = set;
    set->scope = scope < 0 ? SET_SESSION : (enum set_scope)scope;
    set->scope_given = scope >= 0;
    set->values = list;
    set->values_count = values.count;
}

struct option_spec *sql_value_zone(struct sql_parser *ps,
                                   struct sql_token type,
                                   struct sql_token text,
                                   const struct sql_token *field)
{
    struct option_spec *o = sql_value(ps, text, false, type.pos);
    bool hours = o && o->value && field && strspn(o->value, "+-0123456789") == strlen(o->value);
    size_t room;
    char *to;

    if (!o || !o->value)
        return o;
    if (type.len != 8 || strncasecmp(type.ptr, "interval", 8) != 0) {
        sql_fail(ps, DN_E_SYNTAX, type.pos, "a time zone is a text, a number or an INTERVAL");
        return NULL;
    }
    if (field && (field->len != 4 || strncasecmp(field->ptr, "hour", 4) != 0)) {
        sql_fail(ps, DN_E_SYNTAX, field->pos, "time zone interval must be HOUR or HOUR TO MINUTE");
        return NULL;
    }
    room = strlen(o->value) + sizeof "INTERVAL '' hours";
    to = sql_new(ps, room);
    if (to)
        snprintf(to, room, "INTERVAL '%s%s'", o->value, hours ? " hours" : "");
    o->value = to;
    return o;
}

void sql_reset(struct sql_parser *ps, int scope, const struct qual_name *name)
{
    sql_set(ps, scope, name, sql_list_none(ps));
    if (ps->rc == 0)
        ps->stmt->set->reset = true;
}

/* ---- transactions ---- */

static struct misc_stmt *misc_new(struct sql_parser *ps, enum stmt_kind kind)
{
    struct misc_stmt *m = sql_new(ps, sizeof *m);
    struct stmt *s = sql_stmt(ps, kind);

    if (!s)
        return NULL;
    s->misc = m;
    return m;
}

void sql_transaction(struct sql_parser *ps,
                     enum transaction_kind kind,
                     const struct transaction *modes,
                     const struct sql_token *name)
{
    struct misc_stmt *m = misc_new(ps, STMT_TRANSACTION);

    if (!m)
        return;
    if (modes)
        m->transaction = *modes;
    m->transaction.kind = kind;
    if (name)
        m->name = sql_spec_name(ps, *name);
}

void sql_transaction_start(struct sql_parser *ps, const struct transaction *modes)
{
    sql_transaction(ps, TRANSACTION_BEGIN, modes, NULL);
    if (ps->rc == 0)
        ps->stmt->misc->transaction.start = true;
}

void sql_transaction_snapshot(struct sql_parser *ps, int scope, uint32_t pos, struct sql_token id)
{
    struct transaction t = {.kind = TRANSACTION_SNAPSHOT};
    uint32_t len;

    if (scope == SET_LOCAL) {
        sql_fail(ps, DN_E_UNSUPPORTED, pos, "SET LOCAL TRANSACTION SNAPSHOT is not implemented");
        return;
    }
    t.snapshot = sql_string_text(ps, id, &len);
    sql_transaction(ps, TRANSACTION_SNAPSHOT, &t, NULL);
}

void sql_transaction_chain(struct sql_parser *ps, enum transaction_kind kind, bool chain)
{
    sql_transaction(ps, kind, NULL, NULL);
    if (ps->rc == 0)
        ps->stmt->misc->transaction.chain = chain;
}

struct transaction *sql_mode(struct sql_parser *ps,
                             enum isolation isolation,
                             enum mode_given read_only,
                             enum mode_given deferrable)
{
    struct transaction *t = sql_new(ps, sizeof *t);

    if (!t)
        return NULL;
    t->isolation = isolation;
    t->read_only = read_only;
    t->deferrable = deferrable;
    return t;
}

struct transaction *sql_mode_add(struct transaction *all, const struct transaction *mode)
{
    if (!all || !mode)
        return all;
    if (mode->isolation != ISOLATION_DEFAULT)
        all->isolation = mode->isolation;
    if (mode->read_only != MODE_DEFAULT)
        all->read_only = mode->read_only;
    if (mode->deferrable != MODE_DEFAULT)
        all->deferrable = mode->deferrable;
    return all;
}

/* ---- EXPLAIN, PREPARE, EXECUTE ---- */

/* Moves the statement just read below a new one. */
static struct stmt *misc_wrap(struct sql_parser *ps, enum stmt_kind kind)
{
    struct stmt *inner = sql_new(ps, sizeof *inner);

    if (!inner)
        return NULL;
    *inner = *ps->stmt;
    memset(ps->stmt, 0, sizeof *ps->stmt);
    ps->stmt->kind = kind;
    ps->stmt->explained = inner;
    return ps->stmt;
}

/* ANALYZE among the options of an EXPLAIN; an error in its value is raised when it runs. */
static bool misc_analyze(const struct option_spec *v, uint32_t n)
{
    static const char *const off[] = {"off", "false", "0", "no"};
    bool on = false;

    for (uint32_t i = 0; v && i < n; i++) {
        if (strcasecmp(v[i].name.s, "analyze") != 0)
            continue;
        on = true;
        for (size_t k = 0; v[i].value && k < DN_ARRAY_SIZE(off); k++)
            on = on && strcasecmp(v[i].value, off[k]) != 0;
    }
    return on;
}

void sql_explain(struct sql_parser *ps, bool analyze, struct sql_list options)
{
    struct option_spec *list = sql_list_take_structs(ps, options, sizeof *list);
    struct stmt *s = misc_wrap(ps, STMT_EXPLAIN);

    if (!s)
        return;
    s->explain.analyze = analyze || misc_analyze(list, options.count);
    s->explain.options = list;
    s->explain.options_count = options.count;
    if (s->explained->kind == STMT_DECLARE)
        s->explained = s->explained->explained; /* how the cursor would get its rows */
    if (s->explained->kind == STMT_EXPLAIN)
        sql_fail(ps, DN_E_SYNTAX, ps->stmt_pos, "EXPLAIN does not explain another EXPLAIN");
}

void sql_prepare(struct sql_parser *ps, struct sql_token name, struct sql_list types)
{
    struct type_name *list = sql_list_take_structs(ps, types, sizeof *list);
    struct stmt *s = misc_wrap(ps, STMT_PREPARE);
    struct misc_stmt *m = s ? misc_new(ps, STMT_PREPARE) : NULL;

    if (!m)
        return;
    m->name = sql_spec_name(ps, name);
    m->types = list;
    m->types_count = types.count;
}

struct misc_stmt *
sql_execute_new(struct sql_parser *ps, struct sql_token name, struct sql_list args)
{
    struct expr **list = sql_list_take(ps, args);
    struct misc_stmt *m = sql_new(ps, sizeof *m);

    if (!m)
        return NULL;
    m->name = sql_spec_name(ps, name);
    m->args = list;
    m->args_count = args.count;
    return m;
}

void sql_execute(struct sql_parser *ps, struct misc_stmt *m)
{
    if (!m)
        return;
    ps->stmt->kind = STMT_EXECUTE;
    ps->stmt->misc = m;
}

void sql_misc_named(struct sql_parser *ps, enum stmt_kind kind, const struct sql_token *name)
{
    struct misc_stmt *m = misc_new(ps, kind);

    if (m && name)
        m->name = sql_spec_name(ps, *name);
}

/* ---- cursors ---- */

void sql_declare(
    struct sql_parser *ps, struct sql_token name, int words, bool hold, struct query *q)
{
    struct misc_stmt *m = misc_new(ps, STMT_DECLARE);
    struct stmt *query = sql_new_query_stmt(ps, q);

    if (!m || !query)
        return;
    if ((words & 4) && (words & 8)) {
        sql_fail(ps, DN_E_SYNTAX, name.pos, "cannot specify both SCROLL and NO SCROLL");
        return;
    }
    ps->stmt->explained = query;
    m->name = sql_spec_name(ps, name);
    m->cursor.binary = (words & 1) != 0;
    m->cursor.insensitive = (words & 2) != 0;
    m->cursor.scroll = words & 4 ? MODE_YES : words & 8 ? MODE_NO : MODE_DEFAULT;
    m->cursor.hold = hold;
}

struct fetch *
sql_fetch_new(struct sql_parser *ps, enum fetch_direction direction, int64_t count, bool all)
{
    struct fetch *f = sql_new(ps, sizeof *f);

    if (!f)
        return NULL;
    f->direction = direction;
    f->count = count;
    f->all = all;
    return f;
}

void sql_fetch(struct sql_parser *ps, bool move, const struct fetch *f, struct sql_token name)
{
    struct misc_stmt *m = misc_new(ps, STMT_FETCH);

    if (!m)
        return;
    m->name = sql_spec_name(ps, name);
    m->fetch = *f;
    m->fetch.move = move;
}

/* ---- the rest ---- */

void sql_discard(struct sql_parser *ps, enum discard_kind kind)
{
    struct misc_stmt *m = misc_new(ps, STMT_DISCARD);

    if (m)
        m->discard = kind;
}

void sql_channel(struct sql_parser *ps,
                 enum channel_kind kind,
                 const struct sql_token *name,
                 const struct sql_token *text)
{
    struct misc_stmt *m = misc_new(ps, STMT_CHANNEL);
    uint32_t len;

    if (!m)
        return;
    m->channel = kind;
    if (name)
        m->name = sql_spec_name(ps, *name);
    m->payload = text ? sql_string_text(ps, *text, &len) : NULL;
}

static const char *const lock_modes[] = {
    "ACCESS SHARE",
    "ROW SHARE",
    "ROW EXCLUSIVE",
    "SHARE UPDATE EXCLUSIVE",
    "SHARE",
    "SHARE ROW EXCLUSIVE",
    "EXCLUSIVE",
    "ACCESS EXCLUSIVE",
};

static const char *lock_mode(struct sql_parser *ps, const struct spec_name *words, uint32_t count)
{
    char text[64] = "";
    size_t len = 0;

    for (uint32_t i = 0; i < count; i++) {
        size_t n = strlen(words[i].s);

        if (len + n + 2 > sizeof text)
            break;
        if (i > 0)
            text[len++] = ' ';
        memcpy(text + len, words[i].s, n + 1);
        len += n;
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(lock_modes); i++)
        if (strcasecmp(lock_modes[i], text) == 0)
            return lock_modes[i];
    sql_fail(ps, DN_E_SYNTAX, words[0].pos, "there is no lock mode \"%s\"", text);
    return NULL;
}

void sql_lock(struct sql_parser *ps, struct sql_list names, struct sql_list mode, bool nowait)
{
    struct spec_name *words = sql_list_take_structs(ps, mode, sizeof *words);
    struct misc_stmt *m;

    sql_names_stmt(ps, STMT_LOCK, names, DROP_DEFAULT);
    m = misc_new(ps, STMT_LOCK);
    if (!m)
        return;
    m->lock_mode = mode.count > 0 ? lock_mode(ps, words, mode.count) : NULL;
    m->nowait = nowait;
}

void sql_maintain(struct sql_parser *ps, enum maintain_kind kind, struct sql_list names)
{
    struct misc_stmt *m;

    sql_names_stmt(ps, STMT_MAINTAIN, names, DROP_DEFAULT);
    m = misc_new(ps, STMT_MAINTAIN);
    if (m)
        m->maintain = kind;
}
