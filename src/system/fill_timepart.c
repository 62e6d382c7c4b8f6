/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_timepart.c: time partitions, their shards, and what is to be done with them, as comdb2's
 * system tables have it. Values come in the order of the columns in pg_catalog_list.h. */
#include "system/system_int.h"

#include "base/json.h"
#include "catalog/rollout.h"

#include <inttypes.h>
#include <stdio.h>

#define TIMEPART_INT_MIN (-2147483647 - 1) /* how they show that there is no bound */
#define TIMEPART_INT_MAX 2147483647

static int64_t timepart_bound(int64_t v)
{
    return v == TIMEPART_LOW ? TIMEPART_INT_MIN : v == TIMEPART_HIGH ? TIMEPART_INT_MAX : v;
}

static void timepart_source(const struct timepart *p, char to[37])
{
    size_t n = 0;

    for (unsigned i = 0; i < TIMEPART_SOURCE_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            to[n++] = '-';
        snprintf(to + n, 3, "%02x", p->source[i]);
        n += 2;
    }
}

/* ---- counters ---- */

struct timepart_counter {
    struct sys_rows *w;
    const char *name; /* of whom; NULL: all are rows */
    struct rollout_now *now;
};

/* A partition's counter is shown to roles that may see the partition. */
static bool timepart_counter_seen(const struct sys_env *env, const char *name)
{
    char own[TIMEPART_COUNTER_MAX];

    for (size_t i = 0; i < env->catalog->tables_count; i++) {
        const struct table *t = env->catalog->tables[i];

        if (!t->timepart)
            continue;
        timepart_counter_name(t, own);
        if (strcmp(own, name) == 0)
            return sys_table_may(env, t);
    }
    return true;
}

static void timepart_counted(void *arg, const char *name, bool set, int64_t value)
{
    struct timepart_counter *c = arg;

    if (c->name && strcmp(c->name, name) == 0) {
        c->now->counted = set;
        c->now->counter = value;
    }
    if (c->name || !timepart_counter_seen(c->w->env, name))
        return;
    sys_text(c->w, name);
    if (set)
        sys_int(c->w, value);
    else
        sys_null(c->w, 1);
    sys_end(c->w);
}

static void timepart_counters(struct sys_rows *w, const char *name, struct rollout_now *now)
{
    const struct func_session *s = w->env->session;
    struct timepart_counter c = {.w = w, .name = name, .now = now};
    int rc = s && s->counters ? s->counters(s->arg, timepart_counted, &c, w->err) : 0;

    if (rc < 0 && w->rc == 0)
        w->rc = rc;
}

void sys_fill_logical_cron(struct sys_rows *w)
{
    timepart_counters(w, NULL, NULL);
}

/* ---- partitions ---- */

/* One after the other, of those that the role may see. */
static const struct table *timepart_next(struct sys_rows *w, size_t *at)
{
    const struct catalog *c = w->env->catalog;

    while (w->rc == 0 && *at < c->tables_count) {
        const struct table *t = c->tables[(*at)++];

        if (t->timepart && sys_table_may(w->env, t))
            return t;
    }
    return NULL;
}

void sys_fill_timepartitions(struct sys_rows *w)
{
    const struct table *t;
    size_t at = 0;

    while ((t = timepart_next(w, &at))) {
        const struct timepart *p = t->timepart;
        char source[37];

        timepart_source(p, source);
        sys_text(w, t->name);
        sys_text(w, p->period);
        sys_int(w, p->retention);
        sys_int(w, p->shards_count);
        sys_int(w, t->version);
        sys_text(w, p->seed);
        sys_int(w, p->start);
        sys_text(w, source);
        sys_end(w);
    }
}

static void timepart_size(struct sys_rows *w, const struct table *t)
{
    const struct func_session *s = w->env->session;
    struct func_ask ask = {.kind = FUNC_ASK_SIZE, .oid = sys_oid(t)};
    struct func_answer answer = {.number = 0};
    struct dn_err why = {0};

    if (sys_wanted(w) && s && s->ask && s->ask(s->arg, &ask, &answer, &why) == 0)
        sys_int(w, answer.number);
    else
        sys_int(w, 0);
}

void sys_fill_timepartshards(struct sys_rows *w)
{
    const struct table *t;
    size_t at = 0;

    while ((t = timepart_next(w, &at)))
        for (uint32_t i = 0; i < t->timepart->shards_count; i++) {
            const struct timepart_shard *s = &t->timepart->shards[i];
            const struct table *shard = catalog_table_by_id(w->env->catalog, s->id);

            if (!shard)
                continue;
            sys_text(w, t->name);
            sys_text(w, shard->name);
            sys_int(w, timepart_bound(s->low));
            sys_int(w, timepart_bound(s->high));
            timepart_size(w, shard);
            sys_end(w);
        }
}

static void timepart_may(struct sys_rows *w, bool may)
{
    sys_text(w, may ? "Y" : "N");
}

/* Who may do what with a partition: all roles that can log in. */
void sys_fill_timepartpermissions(struct sys_rows *w)
{
    const struct access *a = w->env->catalog->access;
    const uint32_t writes = PRIVILEGE_BIT(PRIVILEGE_INSERT) | PRIVILEGE_BIT(PRIVILEGE_UPDATE) |
                            PRIVILEGE_BIT(PRIVILEGE_DELETE);
    const struct role *role;
    const struct table *t;
    size_t at = 0;

    while ((t = timepart_next(w, &at))) {
        struct access_object o = {.kind = ACCESS_RELATION, .id = t->id};

        for (size_t i = 0; w->rc == 0 && (role = access_role_at(a, i)) != NULL; i++) {
            uint32_t may = access_privileges(a, role->id, &o);

            if (!(role->attrs & ROLE_LOGIN))
                continue;
            sys_text(w, t->name);
            sys_text(w, role->name);
            timepart_may(w, may & PRIVILEGE_BIT(PRIVILEGE_SELECT));
            timepart_may(w, (may & writes) == writes);
            timepart_may(w, access_owns(a, role->id, &o));
            sys_end(w);
        }
    }
}

/* ---- what comes next ---- */

struct timepart_event {
    const char *type;
    const char *shard; /* NULL: it has no name yet */
    int64_t when;      /* INT64_MAX: when the counter says so */
};

/* The next step of the partition, and the shards that wait to be dropped; their number. */
static uint32_t timepart_events(struct sys_rows *w,
                                const struct table *t,
                                struct timepart_event *ret,
                                uint32_t room)
{
    const struct func_session *session = w->env->session;
    const struct timepart *p = t->timepart;
    struct rollout_now now = {.seconds =
                                  session ? session->clock_ns(session->arg) / 1000000000 : 0};
    struct timepart rest = *p;
    struct timepart_event e = {.type = "AddShard"};
    char counter[TIMEPART_COUNTER_MAX];
    const struct table *shard;
    uint32_t n = 0;

    rest.gone_count = 0;
    timepart_counter_name(t, counter);
    if (p->manual)
        timepart_counters(w, counter, &now);
    switch (rollout_next(&rest, &now, &e.when)) {
    case ROLLOUT_ROLL:
        e.type = p->style == TIMEPART_TABLE ? "Truncate" : "RollShard";
        break;
    case ROLLOUT_ADD:
    case ROLLOUT_DROP:
        break;
    case ROLLOUT_NOTHING:
        e.type = NULL;
        break;
    }
    shard = catalog_table_by_id(
        w->env->catalog, p->style == TIMEPART_TABLE ? p->shards[p->shards_count - 1].id : p->next);
    e.shard = shard ? shard->name : NULL;
    if (e.type)
        ret[n++] = e;
    for (uint32_t i = 0; i < p->gone_count && n < room; i++) {
        shard = catalog_table_by_id(w->env->catalog, p->gone[i].id);
        ret[n++] = (struct timepart_event){
            .type = "DropShard", .shard = shard ? shard->name : NULL, .when = p->gone[i].at};
    }
    return n;
}

/* Calls fn for each event of each partition. */
static void timepart_each_event(struct sys_rows *w,
                                void (*fn)(struct sys_rows *w,
                                           const struct table *t,
                                           const struct timepart_event *e))
{
    const struct table *t;
    size_t at = 0;

    while ((t = timepart_next(w, &at))) {
        uint32_t room = t->timepart->gone_count + 1;
        struct timepart_event *list = arena_calloc(w->arena, room, sizeof(*list));
        uint32_t n = list ? timepart_events(w, t, list, room) : 0;

        if (!list)
            w->rc = DN_FAIL_NOMEM(w->err);
        for (uint32_t i = 0; w->rc == 0 && i < n; i++)
            fn(w, t, &list[i]);
    }
}

static void timepart_when(struct sys_rows *w, int64_t when)
{
    if (when == INT64_MAX)
        sys_null(w, 1);
    else
        sys_int(w, when);
}

static void
timepart_event_row(struct sys_rows *w, const struct table *t, const struct timepart_event *e)
{
    char source[37], when[24];

    timepart_source(t->timepart, source);
    snprintf(when, sizeof(when), "%" PRId64, e->when);
    sys_text(w, t->name);
    sys_text(w, e->type);
    sys_text(w, e->shard);
    sys_text(w, e->when == INT64_MAX ? NULL : when);
    sys_null(w, 2);
    sys_text(w, source);
    sys_end(w);
}

void sys_fill_timepartevents(struct sys_rows *w)
{
    timepart_each_event(w, timepart_event_row);
}

static void
timepart_cron_row(struct sys_rows *w, const struct table *t, const struct timepart_event *e)
{
    char source[37], counter[TIMEPART_COUNTER_MAX];

    timepart_source(t->timepart, source);
    timepart_counter_name(t, counter);
    sys_text(w, t->timepart->manual ? counter : "timepart_cron");
    sys_text(w, e->type);
    timepart_when(w, e->when);
    sys_text(w, t->name);
    sys_text(w, e->shard);
    sys_null(w, 1);
    sys_text(w, source);
    sys_end(w);
}

void sys_fill_cron_events(struct sys_rows *w)
{
    timepart_each_event(w, timepart_cron_row);
}

void sys_fill_cron_schedulers(struct sys_rows *w)
{
    const struct table *t;
    int64_t events = 0;
    bool any = false;
    size_t at = 0;

    while ((t = timepart_next(w, &at))) {
        int64_t own = 1 + (int64_t)t->timepart->gone_count;

        if (!t->timepart->manual) {
            events += own;
            any = true;
            continue;
        }
        sys_text(w, t->name);
        sys_text(w, "LOGICAL");
        sys_int(w, 0);
        sys_int(w, own);
        sys_text(w, "Rollouts by PUT COUNTER");
        sys_end(w);
    }
    if (!any)
        return;
    sys_text(w, "timepart_cron");
    sys_text(w, "WALLTIME");
    sys_int(w, 0);
    sys_int(w, events);
    sys_text(w, "Rollouts of time partitions");
    sys_end(w);
}

/* ---- partition_info ---- */

static void timepart_info_json(const struct sys_env *env, const struct table *t, struct buf *b)
{
    const struct timepart *p = t->timepart;
    struct dn_json_writer w = dn_json_writer_make(b);
    char source[37];
    int64_t next = 0;

    timepart_source(p, source);
    dn_json_begin(&w, NULL, '{');
    dn_json_put_text(&w, "NAME", t->name, strlen(t->name));
    dn_json_put_text(&w, "PERIOD", p->period, strlen(p->period));
    dn_json_put_int(&w, "RETENTION", p->retention);
    dn_json_put_int(&w, "START", p->start);
    dn_json_put_text(&w, "SHARD0NAME", p->seed, strlen(p->seed));
    if (rollout_point(p, p->rolls, &next))
        dn_json_put_int(&w, "ROLLOUT", next);
    dn_json_put_text(&w, "SOURCE_ID", source, strlen(source));
    dn_json_begin(&w, "TABLES", '[');
    for (uint32_t i = 0; i < p->shards_count; i++) {
        const struct table *shard = catalog_table_by_id(env->catalog, p->shards[i].id);

        dn_json_begin(&w, NULL, '{');
        if (shard)
            dn_json_put_text(&w, "TABLENAME", shard->name, strlen(shard->name));
        dn_json_put_int(&w, "LOW", timepart_bound(p->shards[i].low));
        dn_json_put_int(&w, "HIGH", timepart_bound(p->shards[i].high));
        dn_json_end(&w, '}');
    }
    dn_json_end(&w, ']');
    dn_json_end(&w, '}');
}

int sys_answer_partition(const struct sys_env *env, const struct func_ask *ask, struct buf *b)
{
    struct catalog_path path = {.temp = env->temp, .schema = env->schema, .more = env->more};
    struct catalog_relation r = {.table = NULL};
    char name[TABLE_NAME_MAX + 1];

    snprintf(name, sizeof(name), "%.*s", (int)ask->text_len, ask->text);
    if (catalog_resolve(env->catalog, &path, NULL, name, &r, NULL) != 0 || !r.table ||
        !r.table->timepart || !sys_table_may(env, r.table))
        return DN_NOT_FOUND;
    if (!(ask->more_len == 6 && memcmp(ask->more, "tables", 6) == 0) &&
        !(ask->more_len == 5 && memcmp(ask->more, "check", 5) == 0)) {
        timepart_info_json(env, r.table, b);
        return 0;
    }
    for (uint32_t i = 0; i < r.table->timepart->shards_count; i++) {
        const struct table *shard =
            catalog_table_by_id(env->catalog, r.table->timepart->shards[i].id);

        buf_puts(b, i ? ";" : "");
        buf_puts(b, shard ? shard->name : "(missing)");
    }
    return 0;
}
