/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_misc.c: rows of types, functions, roles, settings and what there is one of. Values come in
 * the order of the columns in pg_catalog_list.h. */
#include "system/system_int.h"

#include "func/tz.h"
#include "vec/array.h"

#define MISC_WORDS_MAX 16u /* of an enum */

static const char *misc_database(const struct sys_rows *w)
{
    return w->env->session ? w->env->session->database : "dendro";
}

static void misc_ints(struct sys_rows *w, int count, int64_t v)
{
    for (int i = 0; i < count; i++)
        sys_int(w, v);
}

static void misc_char(struct sys_rows *w, char c)
{
    char text[2] = {c, 0};

    sys_text(w, text);
}

/* ---- types ---- */

void sys_type_tail(struct sys_rows *w, char align, char storage, uint32_t collation)
{
    for (int i = 0; i < 3; i++)
        sys_reg(w, 0, NULL);
    misc_char(w, align);
    misc_char(w, storage);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, -1);
    sys_int(w, 0);
    sys_int(w, collation);
    sys_null(w, 3);
    sys_end(w);
}

static void misc_type(struct sys_rows *w, const struct sys_type *t)
{
    bool array = t->elem && t->category == 'A';

    sys_int(w, t->oid);
    sys_text(w, t->name);
    sys_int(w, SYS_CATALOG);
    sys_int(w, SYS_OWNER);
    sys_int(w, t->len);
    sys_int(w, t->by_value);
    misc_char(w, t->kind);
    misc_char(w, t->category);
    sys_int(w, t->preferred);
    sys_int(w, 1);
    sys_text(w, ",");
    sys_int(w, 0);
    sys_reg(w,
            array     ? 6179
            : t->elem ? 6180
                      : 0,
            array     ? "array_subscript_handler"
            : t->elem ? "raw_array_subscript_handler"
                      : NULL);
    sys_int(w, t->elem);
    sys_int(w, t->array);
    for (int i = 0; i < 4; i++)
        sys_reg(w, t->io[i], sys_io_name(t->io[i]));
    sys_type_tail(w, t->align, t->storage, t->collation);
}

/* The row type of a table or view, and its array. */
static void misc_row_type(struct sys_rows *w, const struct sys_item *it, bool array)
{
    static const uint32_t io[2][4] = {{2290, 2291, 2402, 2403}, {750, 751, 2400, 2401}};
    struct buf name;

    buf_init(&name, w->arena->owner);
    buf_printf(&name, "%s%s", array ? "_" : "", it->name);
    sys_int(w, it->oid + array);
    sys_buf(w, &name);
    sys_int(w, it->schema_oid);
    sys_int(w, it->owner);
    sys_int(w, -1);
    sys_int(w, 0);
    misc_char(w, array ? 'b' : 'c');
    misc_char(w, array ? 'A' : 'C');
    sys_int(w, 0);
    sys_int(w, 1);
    sys_text(w, ",");
    sys_int(w, array ? 0 : it->oid);
    sys_reg(w, array ? 6179 : 0, array ? "array_subscript_handler" : NULL);
    sys_int(w, array ? it->oid : 0);
    sys_int(w, array ? 0 : it->oid + 1);
    for (int i = 0; i < 4; i++)
        sys_reg(w, io[array][i], sys_io_name(io[array][i]));
    sys_type_tail(w, 'd', 'x', 0);
    buf_done(&name);
}

void sys_fill_type(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};
    const struct sys_type *t;

    for (size_t i = 0; w->rc == 0 && (t = sys_type_at(i)); i++)
        misc_type(w, t);
    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (it.rel)
            break;
        if (it.sequence)
            continue;
        misc_row_type(w, &it, false);
        misc_row_type(w, &it, true);
    }
    sys_fill_user_types(w);
}

/* ---- functions ---- */

void sys_fill_proc(struct sys_rows *w)
{
    struct sys_procs it = {0};
    struct sys_proc p;

    while (w->rc == 0 && sys_proc_next(&it, &p)) {
        int64_t args[8];

        for (uint32_t k = 0; k < p.args_count; k++)
            args[k] = p.args[k];
        sys_int(w, p.oid);
        sys_text(w, p.name);
        sys_int(w, SYS_CATALOG);
        sys_int(w, SYS_OWNER);
        sys_int(w, 12); /* internal */
        sys_int(w, 1);
        sys_int(w, p.set ? 1000 : 0);
        sys_int(w, p.variadic ? 2276 : 0);
        sys_reg(w, 0, NULL);
        misc_char(w, p.kind);
        sys_int(w, 0);
        sys_int(w, 0);
        sys_int(w, p.strict);
        sys_int(w, p.set);
        misc_char(w, p.volatility ? p.volatility : 'i');
        misc_char(w, 's');
        sys_int(w, p.args_count);
        sys_int(w, 0);
        sys_int(w, p.result);
        sys_items(w, args, p.args_count);
        sys_null(w, 5);
        sys_text(w, p.name);
        sys_null(w, 4);
        sys_end(w);
    }
}

void sys_fill_language(struct sys_rows *w)
{
    sys_int(w, 12);
    sys_text(w, "internal");
    sys_int(w, SYS_OWNER);
    misc_ints(w, 5, 0);
    sys_null(w, 1);
    sys_end(w);
    sys_int(w, 14);
    sys_text(w, "sql");
    sys_int(w, SYS_OWNER);
    sys_int(w, 0);
    sys_int(w, 1);
    misc_ints(w, 3, 0);
    sys_null(w, 1);
    sys_end(w);
}

/* ---- the database and its roles ---- */

void sys_fill_am(struct sys_rows *w)
{
    sys_int(w, SYS_TABLE_AM);
    sys_text(w, "dendro");
    sys_reg(w, 0, NULL);
    sys_text(w, "t");
    sys_end(w);
    sys_int(w, SYS_INDEX_AM);
    sys_text(w, "btree");
    sys_reg(w, 0, NULL);
    sys_text(w, "i");
    sys_end(w);
}

void sys_fill_database(struct sys_rows *w)
{
    struct access_object o = {.kind = ACCESS_DATABASE};

    sys_int(w, SYS_DATABASE);
    sys_text(w, misc_database(w));
    sys_int(w, access_owned_by(w->env->catalog->access, &o));
    sys_int(w, 6);
    sys_text(w, "c");
    sys_int(w, 0);
    sys_int(w, 1);
    sys_int(w, -1);
    sys_int(w, 0);
    sys_int(w, 1);
    sys_int(w, SYS_TABLESPACE);
    sys_text(w, "C");
    sys_text(w, "C");
    sys_null(w, 2);
    sys_acl(w, &o);
    sys_end(w);
}

void sys_fill_tablespace(struct sys_rows *w)
{
    sys_int(w, SYS_TABLESPACE);
    sys_text(w, "pg_default");
    sys_int(w, SYS_OWNER);
    sys_null(w, 2);
    sys_end(w);
}

void sys_fill_collation(struct sys_rows *w)
{
    static const struct {
        int64_t oid;
        const char *name, *provider, *locale;
    } rows[] = {{100, "default", "d", NULL}, {950, "C", "c", "C"}, {951, "POSIX", "c", "POSIX"}};

    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        sys_int(w, rows[i].oid);
        sys_text(w, rows[i].name);
        sys_int(w, SYS_CATALOG);
        sys_int(w, SYS_OWNER);
        sys_text(w, rows[i].provider);
        sys_int(w, 1);
        sys_int(w, -1);
        sys_text(w, rows[i].locale);
        sys_text(w, rows[i].locale);
        sys_null(w, 2);
        sys_end(w);
    }
}

/* Calls fn for each role. */
static void misc_roles(struct sys_rows *w, void (*fn)(struct sys_rows *w, const struct role *r))
{
    const struct role *r;

    for (size_t i = 0; w->rc == 0 && (r = access_role_at(w->env->catalog->access, i)); i++)
        fn(w, r);
}

static void misc_until(struct sys_rows *w, const struct role *r)
{
    if (r->valid_until == ACCESS_FOREVER)
        sys_null(w, 1);
    else
        sys_int(w, r->valid_until);
}

static void misc_attrs(struct sys_rows *w, const struct role *r)
{
    static const uint32_t attrs[] = {
        ROLE_SUPERUSER, ROLE_INHERIT, ROLE_CREATEROLE, ROLE_CREATEDB, ROLE_LOGIN, ROLE_REPLICATION};

    for (size_t i = 0; i < DN_ARRAY_SIZE(attrs); i++)
        sys_int(w, (r->attrs & attrs[i]) != 0);
}

static void misc_role(struct sys_rows *w, const struct role *r)
{
    sys_text(w, r->name);
    misc_attrs(w, r);
    sys_int(w, r->connections);
    sys_text(w, "********");
    misc_until(w, r);
    sys_int(w, (r->attrs & ROLE_BYPASSRLS) != 0);
    sys_role_settings(w, r);
    sys_int(w, r->id);
    sys_end(w);
}

void sys_fill_roles(struct sys_rows *w)
{
    misc_roles(w, misc_role);
}

static void misc_authid(struct sys_rows *w, const struct role *r)
{
    sys_int(w, r->id);
    sys_text(w, r->name);
    misc_attrs(w, r);
    sys_int(w, (r->attrs & ROLE_BYPASSRLS) != 0);
    sys_int(w, r->connections);
    sys_null(w, 1);
    misc_until(w, r);
    sys_end(w);
}

void sys_fill_authid(struct sys_rows *w)
{
    misc_roles(w, misc_authid);
}

static void misc_login(struct sys_rows *w, const struct role *r)
{
    if (!(r->attrs & ROLE_LOGIN))
        return;
    sys_text(w, r->name);
    sys_int(w, r->id);
    sys_int(w, (r->attrs & ROLE_CREATEDB) != 0);
    sys_int(w, (r->attrs & ROLE_SUPERUSER) != 0);
    sys_int(w, (r->attrs & ROLE_REPLICATION) != 0);
    sys_int(w, (r->attrs & ROLE_BYPASSRLS) != 0);
    sys_text(w, "********");
    misc_until(w, r);
    sys_role_settings(w, r);
    sys_end(w);
}

void sys_fill_user(struct sys_rows *w)
{
    misc_roles(w, misc_login);
}

static void misc_stamp(struct sys_rows *w, int64_t us)
{
    if (us)
        sys_int(w, us);
    else
        sys_null(w, 1);
}

/* What PostgreSQL shows of a session of another role, too, and then the rest. */
static void misc_activity(void *arg, const struct func_activity *a)
{
    static const char *const states[] = {
        [FUNC_ACTIVITY_IDLE] = "idle",
        [FUNC_ACTIVITY_ACTIVE] = "active",
        [FUNC_ACTIVITY_BLOCK] = "idle in transaction",
        [FUNC_ACTIVITY_FAILED] = "idle in transaction (aborted)",
    };
    struct sys_rows *w = arg;

    sys_int(w, SYS_DATABASE);
    sys_text(w, misc_database(w));
    sys_int(w, a->pid);
    sys_null(w, 1);
    sys_int(w, a->user);
    sys_text(w, a->user_name);
    sys_text(w, a->application);
    if (!a->seen) {
        sys_null(w, 13);
        sys_text(w, "<insufficient privilege>");
        sys_null(w, 1);
        sys_end(w);
        return;
    }
    sys_text(w, a->address);
    sys_null(w, 1); /* client_hostname */
    if (a->address)
        sys_int(w, a->port);
    else
        sys_null(w, 1);
    misc_stamp(w, a->connected_us);
    misc_stamp(w, a->transaction_us);
    misc_stamp(w, a->statement_us);
    misc_stamp(w, a->changed_us);
    sys_null(w, 2);
    sys_text(w, states[a->state]);
    sys_null(w, 3);
    sys_text(w, a->query);
    sys_text(w, "client backend");
    sys_end(w);
}

static void misc_activities(struct sys_rows *w, func_activity_fn fn, void *arg)
{
    const struct func_session *s = w->env->session;

    if (s && s->activity && w->rc == 0)
        w->rc = s->activity(s->arg, fn, arg, w->err);
}

void sys_fill_stat_activity(struct sys_rows *w)
{
    misc_activities(w, misc_activity, w);
}

static void misc_count(void *arg, const struct func_activity *a DN_UNUSED)
{
    int64_t *n = arg;

    ++*n;
}

void sys_fill_stat_database(struct sys_rows *w)
{
    int64_t sessions = 0;

    misc_activities(w, misc_count, &sessions);
    sys_int(w, SYS_DATABASE);
    sys_text(w, misc_database(w));
    sys_int(w, sessions);
    misc_ints(w, 13, 0);
    sys_null(w, 2);
    misc_ints(w, 9, 0);
    sys_null(w, 1);
    sys_end(w);
}

/* ---- settings ---- */

/* The words of an enum, as an array. */
static void misc_words(struct sys_rows *w, const char *words, struct buf *b)
{
    struct datum items[MISC_WORDS_MAX];
    struct varray a;
    uint32_t n = 0;

    while (words && *words && n < MISC_WORDS_MAX) {
        size_t len = strcspn(words, ",");

        items[n++] = (struct datum){.type = TYPE_VARCHAR, .str = {words, (uint32_t)len}};
        words += len + (words[len] == ',');
    }
    a = varray_flat(TYPE_VARCHAR, items, n);
    buf_reset(b);
    varray_write(&a, NULL, b);
    sys_buf(w, b);
}

static int misc_setting(void *arg, const struct func_setting *s, struct dn_err *err DN_UNUSED)
{
    struct sys_rows *w = arg;
    struct buf b;

    buf_init(&b, w->arena->owner);
    sys_text(w, s->name);
    sys_text(w, s->value);
    sys_null(w, 1);
    sys_text(w, "Dendro");
    sys_text(w, s->doc);
    sys_null(w, 1);
    sys_text(w, s->context);
    sys_text(w, s->type);
    sys_text(w, s->source);
    sys_text(w, s->min);
    sys_text(w, s->max);
    if (s->words)
        misc_words(w, s->words, &b);
    else
        sys_null(w, 1);
    sys_text(w, s->boot);
    sys_text(w, s->reset);
    sys_text(w, s->file);
    if (s->line)
        sys_int(w, s->line);
    else
        sys_null(w, 1);
    sys_int(w, s->restart);
    sys_end(w);
    buf_done(&b);
    return w->rc;
}

void sys_fill_settings(struct sys_rows *w)
{
    const struct func_session *session = w->env->session;
    int rc;

    if (!session || !session->settings)
        return;
    rc = session->settings(session->arg, misc_setting, w, w->err);
    if (rc < 0)
        w->rc = rc;
}

static void misc_kept(void *arg, const struct func_kept *k)
{
    struct sys_rows *w = arg;
    struct datum made = {.type = TYPE_TIMESTAMPTZ, .v = {.i64 = k->made_us}};

    sys_text(w, k->name);
    sys_text(w, k->text);
    if (!k->types) {
        sys_int(w, k->hold);
        sys_int(w, k->binary);
        sys_int(w, k->scroll);
    }
    sys_put(w, &made);
    if (k->types) {
        sys_items(w, k->types, k->types_count);
        sys_int(w, 1); /* PREPARE made it */
        sys_int(w, 0);
        sys_int(w, 0);
    }
    sys_end(w);
}

void sys_fill_cursors(struct sys_rows *w)
{
    if (w->env->session && w->env->session->kept)
        w->env->session->kept(w->env->session->arg, false, misc_kept, w);
}

void sys_fill_prepared_statements(struct sys_rows *w)
{
    if (w->env->session && w->env->session->kept)
        w->env->session->kept(w->env->session->arg, true, misc_kept, w);
}

void sys_fill_keywords(struct sys_rows *w)
{
    enum { RESERVED, LABEL, FREE };
    static const struct {
        const char *word;
        int class;
    } words[] = {
#define DN_KEYWORD(token, word, class) {word, class},
#include "base/keyword_list.h"
#undef DN_KEYWORD
    };

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        bool reserved = words[i].class != FREE;
        struct buf b;

        buf_init(&b, w->arena->owner);
        for (const char *p = words[i].word; *p; p++)
            buf_u8(&b, (uint8_t)(*p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p));
        sys_buf(w, &b);
        buf_done(&b);
        sys_text(w, reserved ? "R" : "U");
        sys_int(w, words[i].class != RESERVED);
        sys_text(w, reserved ? "reserved" : "unreserved");
        sys_text(w, words[i].class != RESERVED ? "can be bare label" : "requires AS");
        sys_end(w);
    }
}

/* ---- time zones ---- */

static int misc_zone(void *arg, struct vstr name)
{
    struct sys_rows *w = arg;
    const struct func_session *s = w->env->session;
    const struct tz_zone *zone = NULL;
    struct tz_zone room;
    struct tz_span now = {.offset = 0};
    struct dn_err why;
    char text[TZ_NAME_MAX + 1];

    if (name.len > TZ_NAME_MAX)
        return 0;
    memcpy(text, name.ptr, name.len);
    text[name.len] = 0;
    dn_err_clear(&why);
    if ((w->to[1] || w->to[2] || w->to[3]) && tz_find(s->zones, name, &room, &zone, &why) == 0)
        now = tz_span_at(zone, s->statement_ns / 1000000000);
    sys_text(w, text);
    sys_text(w, now.abbrev);
    sys_put(w, &(struct datum){.type = TYPE_INTERVAL, .iv = {.us = now.offset * (int64_t)1000000}});
    sys_int(w, now.dst);
    sys_end(w);
    return w->rc;
}

void sys_fill_timezone_names(struct sys_rows *w)
{
    const struct func_session *s = w->env->session;
    struct dn_err why;
    int rc;

    dn_err_clear(&why); /* without the database of zones there are none */
    rc = s && s->zones ? tz_names(s->zones, misc_zone, w, &why) : 0;
    if (rc < 0 && w->rc == 0 && rc != DN_E_NO_OBJECT)
        w->rc = rc;
}
