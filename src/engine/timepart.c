/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart.c: CREATE, DROP and PUT TIME PARTITION, PUT COUNTER, PARTITIONED BY. Each is one edit of
 * the catalog: whatever goes wrong, nothing half-made stays behind. */
#include "engine/timepart.h"

#include "engine/names.h"
#include "engine/stmt_ops.h"
#include "func/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define TIMEPART_SECONDS_MAX ((int64_t)3652500 * 86400) /* 10,000 years */

/* ---- what a partition is to be ---- */

static int part_at(int rc, uint32_t pos, struct dn_err *err)
{
    dn_err_at(err, pos);
    return rc;
}

/* 'daily' and its like, or any interval of whole seconds, or of whole months. */
static int part_period(const struct spec_name *text, struct timepart *p, struct dn_err *err)
{
    static const struct {
        const char *name;
        int64_t months, seconds;
    } known[] = {{"hourly", 0, 3600},
                 {"daily", 0, 86400},
                 {"weekly", 0, 7 * (int64_t)86400},
                 {"monthly", 1, 0},
                 {"yearly", 12, 0},
                 {"test2min", 0, 120},
                 {"manual", 0, 0}};
    struct vinterval iv;
    struct dn_err why;
    int rc;

    for (size_t i = 0; i < DN_ARRAY_SIZE(known); i++)
        if (strcasecmp(text->s, known[i].name) == 0) {
            p->months = known[i].months;
            p->seconds = known[i].seconds;
            p->manual = p->months == 0 && p->seconds == 0;
            p->period = mem_strdup(NULL, known[i].name);
            return p->period ? 0 : DN_FAIL_NOMEM(err);
        }
    dn_err_clear(&why);
    if (strlen(text->s) > TIMEPART_PERIOD_MAX ||
        text_parse_interval((struct vstr){text->s, (uint32_t)strlen(text->s)}, &iv, &why) < 0) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "\"%.60s\" is not a period", text->s);
        dn_err_hint(err,
                    "It is hourly, daily, weekly, monthly, yearly, manual, or an interval such as "
                    "15 minutes.");
        return part_at(rc, text->pos, err);
    }
    p->months = iv.months;
    p->seconds = iv.days * (int64_t)86400 + iv.us / 1000000;
    if (iv.months < 0 || iv.us % 1000000 != 0 || p->seconds < 0 ||
        p->seconds > TIMEPART_SECONDS_MAX || p->months > 12 * 10000 ||
        (p->months > 0) == (p->seconds > 0)) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "the period \"%.60s\" is not a number of seconds or of months",
                     text->s);
        dn_err_hint(err, "Rollouts are at least a second and at most 10,000 years apart.");
        return part_at(rc, text->pos, err);
    }
    p->period = mem_strdup(NULL, text->s);
    return p->period ? 0 : DN_FAIL_NOMEM(err);
}

static int part_retention(const struct partition_def *def, uint32_t *ret, struct dn_err *err)
{
    int rc;

    if (!def->has_retention) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "RETENTION is missing");
        dn_err_hint(err, "It says how many shards are kept: RETENTION 7.");
        return part_at(rc, def->pos, err);
    }
    if (def->retention < 1 || def->retention > TIMEPART_RETENTION_MAX) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "RETENTION %" PRId64 " is not from 1 to %u",
                     def->retention,
                     TIMEPART_RETENTION_MAX);
        return part_at(rc, def->retention_pos, err);
    }
    *ret = (uint32_t)def->retention;
    return 0;
}

static int part_start(const struct dendro_stmt *stmt,
                      const struct partition_def *def,
                      struct timepart *p,
                      struct dn_err *err)
{
    char *end = NULL;
    int32_t ns = 0;
    int rc;

    if (!def->start.s && p->manual)
        return 0;
    if (!def->start.s) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "START is missing");
        dn_err_hint(err, "It says when the first rollout is: START '2024-01-01'.");
        return part_at(rc, def->pos, err);
    }
    if (p->manual) {
        errno = 0;
        p->start = strtoll(def->start.s, &end, 10);
        if (end == def->start.s || *end || errno != 0)
            return part_at(DN_FAIL(err,
                                   DN_E_INVALID_PARAM,
                                   "START \"%.60s\" is not an integer, as PERIOD 'manual' wants it",
                                   def->start.s),
                           def->start.pos,
                           err);
        return 0;
    }
    if (!def->start_quoted)
        return part_at(DN_FAIL(err, DN_E_INVALID_PARAM, "START wants a time: START '2024-01-01'"),
                       def->start.pos,
                       err);
    rc = text_parse_time_in(&stmt->conn->functions,
                            true,
                            (struct vstr){def->start.s, (uint32_t)strlen(def->start.s)},
                            &p->start,
                            &ns,
                            err);
    if (rc == 0 && (p->start > TIMEPART_SECONDS_MAX || p->start < -TIMEPART_SECONDS_MAX))
        rc = DN_FAIL(err, DN_E_DATETIME_RANGE, "START is out of range: \"%.60s\"", def->start.s);
    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err, "START");
    return rc < 0 ? part_at(rc, def->start.pos, err) : 0;
}

/* Of the table `shard`, which is its only one. */
static int part_make(struct dendro_stmt *stmt,
                     const struct partition_def *def,
                     const struct table *shard,
                     enum timepart_style style,
                     struct timepart **ret,
                     struct dn_err *err)
{
    struct timepart *p = mem_calloc(NULL, 1, sizeof(*p));
    struct spec_name manual = {.s = "manual"};
    int rc = 0;

    if (!p)
        return DN_FAIL_NOMEM(err);
    p->style = style;
    if (def->kind != PARTITION_BY_MANUAL && !def->period.s) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "PERIOD is missing");
        dn_err_hint(err, "It says how far apart rollouts are: PERIOD 'daily'.");
        dn_err_at(err, def->pos);
    }
    if (rc == 0)
        rc = part_period(def->kind == PARTITION_BY_MANUAL ? &manual : &def->period, p, err);
    if (rc == 0)
        rc = part_retention(def, &p->retention, err);
    if (rc == 0)
        rc = part_start(stmt, def, p, err);
    if (rc == 0) {
        p->seed = mem_strdup(NULL, shard->name);
        p->shards = mem_calloc(NULL, 1, sizeof(*p->shards));
        p->gone = mem_calloc(NULL, 1, sizeof(*p->gone));
        if (!p->seed || !p->shards || !p->gone)
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc < 0) {
        timepart_free(p);
        return rc;
    }
    for (unsigned i = 0; i < TIMEPART_SOURCE_BYTES; i += 8) {
        uint64_t bits = volume_random(stmt->conn->db->volume);

        memcpy(p->source + i, &bits, 8);
    }
    p->shards[0] = (struct timepart_shard){
        .id = shard->id,
        .low = TIMEPART_LOW,
        .high = style == TIMEPART_TABLE && !p->manual ? p->start : TIMEPART_HIGH};
    p->shards_count = 1;
    *ret = p;
    return 0;
}

/* May the table become a shard? */
static int part_fit(const struct catalog *cur, const struct table *t, struct dn_err *err)
{
    int rc;

    if (t->timepart)
        return DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is a time partition already", t->name);
    rc = timepart_refuse_shard(cur, t, "partition", err);
    if (rc < 0)
        return rc;
    if (t->temp != TABLE_PERMANENT)
        return DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is a temporary table", t->name);
    if (t->retention.kind != RETENTION_NONE) {
        rc = DN_FAIL(
            err, DN_E_UNSUPPORTED, "table option retention does not go with a time partition");
        dn_err_hint(err, "The RETENTION of the partition says how many shards stay.");
        return rc;
    }
    for (size_t i = 0; i < cur->views_count; i++)
        if (view_reads(cur->views[i], t->id, 0)) {
            rc = DN_FAIL(err,
                         DN_E_DEPENDENT,
                         "view \"%s\" reads table \"%s\", which is to be a shard",
                         cur->views[i]->name,
                         t->name);
            dn_err_hint(err, "Drop the view, and make it anew over the partition.");
            return rc;
        }
    return 0;
}

/* The definition of the partition: the table's, under its own name. */
static int part_parent(const struct table *t,
                       const char *schema,
                       const char *name,
                       struct timepart *p,
                       struct table **ret,
                       struct dn_err *err)
{
    struct table *parent;
    int rc = table_copy(t, &parent, err);

    if (rc < 0) {
        timepart_free(p);
        return rc;
    }
    parent->timepart = p;
    parent->id = 0;
    parent->number = 0;
    parent->version = 1;
    rc = table_move(parent, schema, name, err);
    if (rc < 0)
        table_unref(parent);
    else
        *ret = parent;
    return rc;
}

/* ---- CREATE TIME PARTITION ---- */

struct part_edit {
    struct dendro_stmt *stmt;
    struct rollout_now now;
    char skipped[TABLE_NAME_MAX + 64];
};

/* What is due goes at once, all in the same edit. */
static int
part_catch_up(const struct part_edit *e, uint64_t parent, struct catalog **cat, struct dn_err *err)
{
    const struct table *t = catalog_table_by_id(*cat, parent);
    enum rollout_act act;
    int rc = 0;

    while (rc == 0 && (act = rollout_due(t->timepart, &e->now)) != ROLLOUT_NOTHING) {
        struct catalog *next;

        rc = rollout_edit(*cat, parent, act, &e->now, &next, err);
        if (rc < 0)
            break;
        catalog_unref(*cat);
        *cat = next;
        t = catalog_table_by_id(*cat, parent);
    }
    return rc;
}

static int part_create_over(const struct part_edit *e,
                            const struct catalog *cur,
                            const struct table *shard,
                            struct catalog **ret_next,
                            struct dn_err *err)
{
    const struct stmt *ast = e->stmt->ast;
    struct catalog *next = NULL;
    struct table *parent = NULL;
    struct timepart *p;
    int rc = part_make(e->stmt, &ast->timepart->def, shard, TIMEPART_VIEW, &p, err);

    if (rc == 0)
        rc = part_parent(shard,
                         ast->name.schema ? ast->name.schema : shard->schema,
                         ast->name.name,
                         p,
                         &parent,
                         err);
    if (rc == 0) {
        rc = catalog_with_timepart(cur, parent, shard->id, &next, err);
        if (rc < 0)
            dn_err_at(err, ast->name.pos);
    }
    if (rc == 0)
        rc = part_catch_up(e, parent->id, &next, err);
    if (rc == 0)
        rc = ddl_partition_loss(e->stmt, shard, catalog_table_by_id(next, parent->id), err);
    table_unref(parent);
    if (rc < 0)
        catalog_unref(next);
    else
        *ret_next = next;
    return rc;
}

static int
part_create(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct part_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    const struct table *shard = session_table(e->stmt->conn, cur, &ast->timepart->shard, err);
    struct spec_name name = {.s = ast->name.name, .pos = ast->name.pos};
    struct catalog_relation there;
    int rc;

    if (!shard)
        return err->code;
    if (ast->if_not_exists && session_relation(e->stmt->conn, cur, &ast->name, &there, err) == 0) {
        snprintf(e->skipped,
                 sizeof(e->skipped),
                 "relation \"%s\" already exists, skipped",
                 ast->name.name);
        return DN_NOT_FOUND;
    }
    dn_err_clear(err);
    if (ast->timepart->def.retroactively)
        return part_at(
            DN_FAIL(err, DN_E_UNSUPPORTED, "RETROACTIVELY is not supported"), ast->name.pos, err);
    rc = part_fit(cur, shard, err);
    if (rc < 0)
        return part_at(rc, ast->timepart->shard.pos, err);
    if (strlen(name.s) > TABLE_NAME_MAX)
        return part_at(
            DN_FAIL(err, DN_E_TOO_LONG, "the name has more than %u bytes", TABLE_NAME_MAX),
            name.pos,
            err);
    return part_create_over(e, cur, shard, ret_next, err);
}

/* ---- DROP and PUT TIME PARTITION ---- */

/* The partition that the statement names. */
static const struct table *
part_named(const struct part_edit *e, const struct catalog *cur, struct dn_err *err)
{
    const struct stmt *ast = e->stmt->ast;
    const struct table *t = session_table(e->stmt->conn, cur, &ast->name, err);

    if (!t || t->timepart)
        return t;
    DN_IGNORE(part_at(DN_FAIL(err, /* NULL says it */
                              DN_E_WRONG_OBJECT,
                              "\"%s\" is not a time partition",
                              t->name),
                      ast->name.pos,
                      err));
    return NULL;
}

static int
part_drop(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct part_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    const struct table *t = part_named(e, cur, err);

    bool undo = ast->timepart->what == TIMEPART_UNDO;

    if (!t && ast->if_exists &&
        (err->code == DN_E_UNDEFINED_TABLE || (undo && err->code == DN_E_WRONG_OBJECT))) {
        snprintf(e->skipped,
                 sizeof(e->skipped),
                 "time partition \"%s\" does not exist, skipped",
                 ast->name.name);
        return DN_NOT_FOUND;
    }
    if (!t)
        return err->code;
    if (undo)
        return catalog_with_timepart_undone(cur, t->id, ret_next, err);
    if (t->timepart->style == TIMEPART_TABLE) {
        int rc =
            DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is PARTITIONED BY its definition", t->name);

        dn_err_hint(err,
                    "DROP TABLE drops it, ALTER TABLE … PARTITIONED BY NONE makes it one table.");
        return part_at(rc, ast->name.pos, err);
    }
    for (size_t i = 0; i < cur->views_count; i++)
        if (view_reads(cur->views[i], t->id, 0))
            return part_at(DN_FAIL(err,
                                   DN_E_DEPENDENT,
                                   "cannot drop time partition %s because view %s depends on it",
                                   t->name,
                                   cur->views[i]->name),
                           ast->name.pos,
                           err);
    return catalog_without_timepart(cur, t->id, true, ret_next, err);
}

static int
part_retain(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct part_edit *e = arg;
    const struct table *t = part_named(e, cur, err);
    uint32_t retention;
    int rc = t ? part_retention(&e->stmt->ast->timepart->def, &retention, err) : err->code;

    return rc < 0 ? rc : rollout_retain(cur, t->id, retention, &e->now, ret_next, err);
}

static int part_counter(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct stmt *ast = stmt->ast;
    struct catalog *cat = tx_catalog(stmt->conn);
    char name[COUNTER_NAME_MAX];
    struct catalog_relation there = {0};
    struct dn_err ignored;
    int rc;

    dn_err_clear(&ignored);
    if (session_relation(stmt->conn, cat, &ast->name, &there, &ignored) == 0 && there.table)
        timepart_counter_name(there.table, name);
    else
        snprintf(name,
                 sizeof(name),
                 "%s%s%s",
                 ast->name.schema ? ast->name.schema : "",
                 ast->name.schema ? "." : "",
                 ast->name.name);
    catalog_unref(cat);
    /* The rollouts wait for an edit that is under way: so does the counter, because a statement
     * that was canceled has not moved it. */
    rc = engine_wait_edit(stmt->conn->db, &stmt->conn->cancel, err);
    if (rc < 0)
        return rc;
    rc =
        engine_counter_put(stmt->conn->db, name, ast->timepart->counter, ast->timepart->value, err);
    if (rc < 0)
        return rc;
    rc = engine_rollouts_run(stmt->conn->db, &stmt->conn->cancel, err);
    return rc == DN_E_CANCELED ? 0 : rc; /* the task goes on with them */
}

static int stmt_run_timepart(struct dendro_stmt *stmt, struct dn_err *err)
{
    static const engine_edit_fn edits[] = {[TIMEPART_CREATE] = part_create,
                                           [TIMEPART_DROP] = part_drop,
                                           [TIMEPART_UNDO] = part_drop,
                                           [TIMEPART_PUT] = part_retain};
    struct part_edit e = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    if (stmt->ast->timepart->what == TIMEPART_COUNTER)
        return part_counter(stmt, err);
    if (stmt->ast->timepart->def.state.s)
        return stmt_run_timepart_state(stmt, err);
    e.now.seconds = engine_sure_ns(stmt->conn->db) / 1000000000;
    rc = tx_edit(stmt->conn, edits[stmt->ast->timepart->what], &e, err);
    if (rc == DN_NOT_FOUND) {
        session_notice(stmt->conn, "NOTICE", "%s", e.skipped);
        return 0;
    }
    if (rc == 0)
        engine_rollouts_wake(stmt->conn->db);
    return rc;
}

/* ---- PARTITIONED BY ---- */

/* The first rollout is not in the past. */
static void part_start_later(struct timepart *p, int64_t now)
{
    int64_t point;

    if (p->manual || !rollout_point(p, rollout_passed(p, 0, now), &point))
        return;
    p->start = p->shards[0].high = point;
}

int ddl_partition(struct dendro_stmt *stmt,
                  const struct table *t,
                  const struct partition_def *def,
                  struct catalog **cat,
                  struct dn_err *err)
{
    struct catalog *now = NULL, *next = NULL;
    struct table *shard = NULL, *parent = NULL;
    char name[TIMEPART_NAME_MAX];
    struct timepart *p = NULL;
    uint64_t id = 0;
    int rc = part_fit(*cat, t, err);

    if (rc == 0 && def->retroactively)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "RETROACTIVELY is not supported");
    if (rc == 0)
        rc = part_make(stmt, def, t, TIMEPART_TABLE, &p, err);
    if (rc < 0)
        return part_at(rc, err->position ? err->position : def->pos, err);
    part_start_later(p, engine_sure_ns(stmt->conn->db) / 1000000000);
    rc = part_parent(t, t->schema, t->name, p, &parent, err);
    /* The table that there is becomes the first shard, under another name. */
    if (rc == 0)
        rc = table_copy(t, &shard, err);
    timepart_shard_name(0, t->name, name);
    if (rc == 0)
        rc = table_move(shard, t->schema, name, err);
    if (rc == 0)
        rc = catalog_with_changed_table(*cat, shard, false, &now, err);
    if (rc == 0)
        rc = catalog_with_timepart(now, parent, shard->id, &next, err);
    if (rc == 0) {
        id = parent->id;
        catalog_unref(now);
        now = next;
        rc = rollout_fill(now, id, &next, err);
    }
    table_unref(parent);
    table_unref(shard);
    catalog_unref(now);
    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

int ddl_repartition(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct partition_def *def,
                    struct catalog **cat,
                    struct dn_err *err)
{
    struct rollout_now now = {.seconds = engine_sure_ns(stmt->conn->db) / 1000000000};
    struct catalog *next;
    uint32_t retention;
    int rc;

    if (def->period.s || def->start.s || def->retroactively || def->kind == PARTITION_BY_NONE ||
        (def->kind == PARTITION_BY_MANUAL) != t->timepart->manual) {
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is a time partition already", t->name);
        dn_err_hint(err,
                    "PARTITIONED BY %s RETENTION n changes how many shards it keeps.",
                    t->timepart->manual ? "MANUAL" : "TIME");
        return part_at(rc, def->pos, err);
    }
    rc = part_retention(def, &retention, err);
    if (rc == 0)
        rc = rollout_retain(*cat, t->id, retention, &now, &next, err);
    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

/* ---- the row of time partitions ---- */

static int
timepart_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc;

    if (ast->timepart->what != TIMEPART_CREATE)
        return privilege_owner(stmt, &ast->name, err);
    rc = privilege_owner(stmt, &ast->timepart->shard, err);
    return rc < 0 ? rc : privilege_create(stmt, &ast->name, err);
}

static const char *timepart_name(const struct stmt *ast)
{
    static const char *const names[] = {[TIMEPART_CREATE] = "CREATE TIME PARTITION",
                                        [TIMEPART_DROP] = "DROP TIME PARTITION",
                                        [TIMEPART_UNDO] = "DROP TRIGGER",
                                        [TIMEPART_PUT] = "PUT TIME PARTITION",
                                        [TIMEPART_COUNTER] = "PUT COUNTER"};

    return names[ast->timepart->what];
}

/* As a dump has it, in one transaction; else alone. */
static enum tx_use timepart_use(const struct stmt *ast)
{
    return ast->timepart->def.state.s || ast->timepart->what == TIMEPART_UNDO ? TX_WRITES
                                                                              : TX_ALONE;
}

STMT_OPS(timepart,
         timepart_name,
         stmt_tag_name,
         stmt_class_ddl,
         timepart_use,
         timepart_privilege,
         stmt_compile_nothing,
         stmt_run_timepart);
