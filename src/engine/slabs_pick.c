/* SPDX-License-Identifier: Apache-2.0
 *
 * slabs_pick.c: which slabs ALTER TABLE … DROP and DETACH PARTITION mean.
 *
 * A condition is planned as that of a DELETE, and must come down to intervals of the time column,
 * exactly. A slab goes if an interval covers it from its start to its end: so the ranges of slabs
 * follow from the intervals alone, and what there is at the moment is only counted. */
#include "engine/names.h"
#include "engine/slabs.h"
#include "store/shard_copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the table ---- */

/* A database of its own would need the types, and in it they have other numbers. */
static int slabs_refuse_types(const struct table *t, struct dn_err *err)
{
    for (uint16_t i = 0; i < t->columns_count; i++)
        if (TYPE_NUMBER(t->columns[i].type))
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "partitions of table \"%s\" stay here: its column \"%s\" is of a type "
                           "that CREATE TYPE made",
                           t->name,
                           t->columns[i].name);
    return 0;
}

int slabs_table(struct dendro_stmt *stmt, const struct table **ret, struct dn_err *err)
{
    const struct stmt *ast = stmt->ast;
    const struct table *t = session_table(stmt->conn, stmt->catalog, &ast->name, err);
    int rc;

    if (!t && ast->if_exists &&
        (err->code == DN_E_UNDEFINED_TABLE || err->code == DN_E_UNDEFINED_SCHEMA)) {
        session_notice(
            stmt->conn, "NOTICE", "table \"%s\" does not exist, skipped", ast->name.name);
        return DN_NOT_FOUND;
    }
    if (!t)
        return err->code;
    if (t->timepart) {
        rc = DN_FAIL(err,
                     DN_E_NO_SLABS,
                     "\"%s\" is a time partition: its shards come and go as wholes",
                     t->name);
        dn_err_hint(err, "PUT TIME PARTITION … RETENTION says how many of them are kept.");
    } else if (t->time_col < 0 || t->slabs_count == 0) {
        rc = DN_FAIL(err, DN_E_NO_SLABS, "table \"%s\" has no partitions by time", t->name);
        dn_err_hint(err,
                    "A QUANTUM in the PRIMARY KEY gives it some, or WITH (time = '…', slab = "
                    "'1d').");
    } else {
        rc = timepart_refuse_shard(stmt->catalog, t, "change partitions of", err);
    }
    if (rc == 0 && ast->slabs &&
        (ast->slabs->what == SLABS_DETACH || ast->slabs->what == SLABS_ATTACH))
        rc = slabs_refuse_types(t, err);
    if (rc < 0)
        dn_err_at(err, ast->name.pos);
    else
        *ret = t;
    return rc;
}

void slabs_text(const struct dendro_stmt *stmt,
                const struct table *t,
                int64_t time,
                char ret[SLABS_TEXT_MAX])
{
    struct datum d = {.type = t->columns[t->time_col].type, .v = {.i64 = time}};
    struct buf b;

    buf_init(&b, NULL);
    text_print_in(&stmt->conn->functions, &d, &b);
    snprintf(ret, SLABS_TEXT_MAX, "%.*s", b.failed ? 0 : (int)b.len, b.len ? (char *)b.data : "");
    buf_done(&b);
}

/* ---- a condition ---- */

static int pick_refuse(const struct dendro_stmt *stmt, const struct table *t, struct dn_err *err)
{
    int rc = DN_FAIL(
        err, DN_E_SLAB_CONDITION, "the condition does not say from when to when partitions go");

    dn_err_hint(err,
                "It is about the time column alone, compared with constants: %s < '…', "
                "%s >= '…' AND %s < '…', BETWEEN.",
                t->columns[t->time_col].name,
                t->columns[t->time_col].name,
                t->columns[t->time_col].name);
    dn_err_at(err, stmt->ast->slabs->where->pos);
    return rc;
}

/* The intervals of the time column that preds are, if they are that and no more. */
static int pick_times(struct dendro_stmt *stmt,
                      const struct plan_preds *preds,
                      struct slab_pick *p,
                      struct dn_err *err)
{
    const struct table *t = p->t;

    if (!preds->exact || preds->count != 1 || preds->preds[0].col != t->time_col)
        return pick_refuse(stmt, t, err);
    p->times_count = preds->preds[0].set_count;
    p->times = arena_alloc_array(&stmt->run, p->times_count + 1u, sizeof(*p->times));
    if (!p->times)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < p->times_count; i++) {
        p->times[i] = preds->preds[0].set[i];
        if ((p->times[i].has_lo && p->times[i].lo.type != t->columns[t->time_col].type) ||
            (p->times[i].has_hi && p->times[i].hi.type != t->columns[t->time_col].type))
            return pick_refuse(stmt, t, err);
    }
    return 0;
}

static int pick_where(struct dendro_stmt *stmt, struct slab_pick *p, struct dn_err *err)
{
    struct change_stmt change = {.table = stmt->ast->name, .where = stmt->ast->slabs->where};
    struct stmt del = *stmt->ast;
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, &stmt->run);
    struct settings settings = *env.settings;
    struct plan *plan = NULL;
    struct plan_node *node;
    struct plan_node scan;
    struct plan_preds preds;
    int rc = stmt_literals(stmt, stmt->ast, &env, err);

    del.kind = STMT_DELETE;
    del.change = &change;
    env.role = 0; /* the owner may */
    settings.strict_keys = false;
    settings.max_subqueries = 0;
    env.settings = &settings;
    if (rc == 0)
        rc = plan_change(&env, &del, &plan, err);
    if (rc < 0)
        return rc;
    node = plan->root;
    while (node->kind == PLAN_PROJECT)
        node = node->input;
    scan = node->kind == PLAN_FILTER ? *node->input : *node;
    scan.prune = node->kind == PLAN_FILTER ? node->filter : NULL;
    if (scan.kind != PLAN_SCAN)
        rc = pick_refuse(stmt, p->t, err);
    if (rc == 0)
        rc = plan_scan_preds(&env, &scan, NULL, 0, &stmt->run, &preds, err);
    if (rc == 0)
        rc = pick_times(stmt, &preds, p, err);
    plan_done(plan);
    return rc;
}

/* Slabs that lie in an interval whole. False: none does. */
static bool
pick_inside(const struct table *t, const struct interval *iv, struct shard_slab_range *ret)
{
    int64_t lo = INT64_MIN;
    int64_t hi = INT64_MAX;

    *ret = (struct shard_slab_range){.first = INT64_MIN, .last = INT64_MAX};
    if (iv->has_lo) {
        lo = iv->lo.v.i64;
        if (!iv->lo_incl && lo == INT64_MAX)
            return false;
        lo += !iv->lo_incl;
        ret->first = table_slab(t, lo);
        if (ret->first < lo)
            ret->first = table_slab_end(t, ret->first);
    }
    if (iv->has_hi) {
        int64_t slab;

        hi = iv->hi.v.i64;
        if (!iv->hi_incl && hi == INT64_MIN)
            return false;
        hi -= !iv->hi_incl;
        slab = table_slab(t, hi);
        if (table_slab_end(t, slab) - 1 > hi && slab == INT64_MIN)
            return false;
        ret->last = table_slab_end(t, slab) - 1 <= hi ? slab : slab - 1;
    }
    return ret->first <= ret->last;
}

static int pick_ranges(struct dendro_stmt *stmt, struct slab_pick *p, struct dn_err *err)
{
    struct shard_slab_range r;

    p->ranges = arena_alloc_array(&stmt->run, p->times_count + 1u, sizeof(*p->ranges));
    if (!p->ranges)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < p->times_count; i++)
        if (pick_inside(p->t, &p->times[i], &r))
            p->ranges[p->ranges_count++] = r;
    return 0;
}

/* ---- a list ---- */

static bool pick_has(const struct slab_pick *p, int64_t slab)
{
    for (uint32_t i = 0; i < p->ranges_count; i++)
        if (slab >= p->ranges[i].first && slab <= p->ranges[i].last)
            return true;
    return false;
}

static int pick_named(struct dendro_stmt *stmt,
                      const struct table *t,
                      const struct spec_name *name,
                      int64_t *ret,
                      struct dn_err *err)
{
    struct datum in = {.type = TYPE_VARCHAR,
                       .str = {.ptr = name->s, .len = (uint32_t)strlen(name->s)}};
    struct plan_target to = {
        .type = t->columns[t->time_col].type, .exact = true, .session = &stmt->conn->functions};
    char start[SLABS_TEXT_MAX];
    struct datum time;
    int rc = plan_assign(&to, &in, true, &stmt->run, &time, err);

    if (rc == 0 && !time.null && table_slab(t, time.v.i64) != time.v.i64) {
        slabs_text(stmt, t, table_slab(t, time.v.i64), start);
        rc = DN_FAIL(
            err, DN_E_NO_SLAB, "no partition of table \"%s\" starts at '%.60s'", t->name, name->s);
        dn_err_hint(err, "The one that holds it starts at '%s'.", start);
    }
    if (rc < 0)
        dn_err_at(err, name->pos);
    else
        *ret = time.v.i64;
    return rc;
}

static int pick_list(struct dendro_stmt *stmt, struct slab_pick *p, struct dn_err *err)
{
    const struct slabs_stmt *s = stmt->ast->slabs;
    int rc = 0;

    p->ranges = arena_alloc_array(&stmt->run, s->list_count + 1u, sizeof(*p->ranges));
    if (!p->ranges)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < s->list_count; i++) {
        int64_t slab = 0;

        rc = pick_named(stmt, p->t, &s->list[i], &slab, err);
        if (rc == 0 && !pick_has(p, slab))
            p->ranges[p->ranges_count++] = (struct shard_slab_range){slab, slab};
    }
    return rc;
}

/* Each of them is there. */
static int pick_there(const struct dendro_stmt *stmt,
                      const struct slab_pick *p,
                      const struct shard_slabs *slabs,
                      struct dn_err *err)
{
    for (uint32_t i = 0; i < p->ranges_count; i++) {
        char start[SLABS_TEXT_MAX];
        bool there = false;

        for (uint32_t k = 0; k < slabs->count && !there; k++)
            there = slabs->list[k].start == p->ranges[i].first;
        if (there)
            continue;
        slabs_text(stmt, p->t, p->ranges[i].first, start);
        return DN_FAIL(
            err, DN_E_NO_SLAB, "table \"%s\" has no rows in partition '%s'", p->t->name, start);
    }
    return 0;
}

/* ---- what there is ---- */

/* Rows of the slabs as the snapshot has them; zone maps mostly tell. */
static int pick_count_scan(struct dendro_stmt *stmt,
                           struct slab_pick *p,
                           struct scan *scan,
                           struct dn_err *err)
{
    struct scan_reader_options options = {.blocks = true, .owner = &stmt->owner};
    const uint32_t col = 0;
    struct scan_reader *r = NULL;
    struct scan_unit u;
    struct batch b;
    int rc = scan_reader_new(scan, &options, &r, err);

    while (rc == 0 && (rc = scan_unit_next(r, &u, err)) == 0) {
        rc = session_check_cancel(stmt->conn, err);
        if (rc < 0)
            break;
        if (u.proven) {
            p->rows += u.rows;
            scan_unit_answered(r);
        } else if (u.kind == SCAN_BLOCK) {
            scan_unit_split(r);
        } else {
            rc = scan_unit_fetch(r, &col, 1, &b, err);
            for (uint32_t i = 0; rc == 0 && i < b.count; i++)
                p->rows += pick_has(p, table_slab(p->t, vec_i64(&b.cols[0], i)));
        }
    }
    scan_reader_free(r);
    return rc == DN_EOF ? 0 : rc;
}

static int pick_range_cmp(const void *a, const void *b)
{
    const struct shard_slab_range *x = a;
    const struct shard_slab_range *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* In order; neighbours become one, so that they are one tombstone. */
static void pick_sort(struct slab_pick *p)
{
    uint32_t n = 0;

    if (p->ranges_count > 1)
        qsort(p->ranges, p->ranges_count, sizeof(*p->ranges), pick_range_cmp);
    for (uint32_t i = 1; i < p->ranges_count; i++) {
        if (table_slab_end(p->t, p->ranges[n].last) == p->ranges[i].first)
            p->ranges[n].last = p->ranges[i].last;
        else
            p->ranges[++n] = p->ranges[i];
    }
    p->ranges_count = p->ranges_count ? n + 1 : 0;
}

static int pick_count_rows(struct dendro_stmt *stmt, struct slab_pick *p, struct dn_err *err)
{
    uint16_t col = (uint16_t)p->t->time_col;
    struct interval *set = arena_calloc(&stmt->run, p->ranges_count + 1u, sizeof(*set));
    struct scan_pred pred;
    struct scan_spec spec = {.table = p->t,
                             .cols = &col,
                             .cols_count = 1,
                             .preds = &pred,
                             .preds_count = 1,
                             .moves = true,
                             .owner = &stmt->owner,
                             .cancel = &stmt->conn->cancel};
    struct scan *scan;
    int rc;

    if (!set)
        return DN_FAIL_NOMEM(err);
    pick_sort(p); /* a scan wants them ascending */
    pred = shard_slabs_pred(p->t, p->ranges, p->ranges_count, set);
    rc = scan_open(stmt->snap, &spec, &scan, err);
    if (rc < 0)
        return rc;
    rc = pick_count_scan(stmt, p, scan, err);
    scan_close(scan);
    return rc;
}

/* Does the condition ask for times of the slab? */
static bool pick_touches(const struct slab_pick *p, const struct shard_slab *slab)
{
    struct datum lo = {.type = p->t->columns[p->t->time_col].type, .v = {.i64 = slab->time_min}};
    struct datum hi = lo;

    hi.v.i64 = slab->time_max;
    for (uint32_t i = 0; i < p->times_count && slab->time_min <= slab->time_max; i++)
        if (!range_below(&p->times[i], &lo) && !range_above(&p->times[i], &hi))
            return true;
    return false;
}

static int pick_count(struct dendro_stmt *stmt,
                      struct slab_pick *p,
                      struct shard_slabs *slabs,
                      struct dn_err *err)
{
    int rc = shard_slabs_list(stmt->snap, p->t, &stmt->owner, slabs, err);

    if (rc == 0 && !stmt->ast->slabs->where)
        rc = pick_there(stmt, p, slabs, err);
    for (uint32_t i = 0; rc == 0 && i < slabs->count; i++) {
        if (pick_has(p, slabs->list[i].start)) {
            p->slabs++;
        } else if (pick_touches(p, &slabs->list[i])) {
            p->half_first = p->half++ ? p->half_first : slabs->list[i].start;
        }
    }
    return rc < 0 || p->ranges_count == 0 ? rc : pick_count_rows(stmt, p, err);
}

int slabs_pick(struct dendro_stmt *stmt,
               const struct table *t,
               struct slab_pick *ret,
               struct dn_err *err)
{
    struct shard_slabs slabs = {0};
    int rc;

    *ret = (struct slab_pick){.t = t};
    if (stmt->ast->slabs->where) {
        rc = pick_where(stmt, ret, err);
        if (rc == 0)
            rc = pick_ranges(stmt, ret, err);
    } else {
        rc = pick_list(stmt, ret, err);
    }
    if (rc == 0)
        rc = pick_count(stmt, ret, &slabs, err);
    shard_slabs_done(&slabs);
    return rc;
}

/* ---- what is said ---- */

void slabs_tell(struct dendro_stmt *stmt, const struct slab_pick *p, const char *done)
{
    char half[SLABS_TEXT_MAX + 128] = "";

    if (p->half > 0) {
        char start[SLABS_TEXT_MAX];

        slabs_text(stmt, p->t, p->half_first, start);
        snprintf(half,
                 sizeof(half),
                 "; %" PRIu64 " that the condition covers only in part stay%s, the first at '%s'",
                 p->half,
                 p->half == 1 ? "s" : "",
                 start);
    }
    session_notice(stmt->conn,
                   "NOTICE",
                   "%" PRIu64 " partition%s with %" PRIu64 " row%s %s%s",
                   p->slabs,
                   p->slabs == 1 ? "" : "s",
                   p->rows,
                   p->rows == 1 ? "" : "s",
                   done,
                   half);
}
