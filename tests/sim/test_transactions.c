/* SPDX-License-Identifier: Apache-2.0
 *
 * test_transactions.c: several sessions whose statements interleave at random, against a naive
 * model of snapshot isolation: every session has a whole copy of the tables from its first
 * statement on and a list of what it did to each row; COMMIT compares the versions of the rows it
 * looked at.
 *
 *   - whoever reads sees its copy, row for row
 *   - COMMIT fails if and only if a row that was updated, deleted or looked for by ON CONFLICT has
 *     another version than in the snapshot; where ranges were deleted it may also fail if anything
 *     in them has changed
 *   - after COMMIT the tables are what the model says, in memory, in segments, after reopening
 *
 * Tables: rows replaced whole, rows changed by field, and no key at all. A failure prints the seed;
 * DENDRO_TEST_SEED reproduces it, DENDRO_TEST_SECONDS sets the budget. */
#include "sql_db.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define TABLES   3
#define KEYS     14
#define ROWS     400 /* of a table; in the one without a key rows that ever were */
#define SESSIONS 4
#define SAVES    4
#define STEPS    400
#define NONE     INT32_MIN /* NULL */

struct row {
    bool there;
    int k;
    int v;
    int w;
    uint64_t version;
};

enum act { ACT_NONE, ACT_PUT, ACT_PATCH, ACT_DELETE };

struct write {
    enum act act;
    bool has_v; /* PATCH */
    bool has_w;
    bool checked;
};

/* What a block knows of one table. */
struct view {
    struct row now[ROWS];
    struct write writes[ROWS];
    int lo, hi; /* ranges that were deleted lie in lo … hi */
    bool ranges;
};

struct session {
    dendro_conn *conn;
    bool block;
    bool fixed; /* it has a snapshot */
    struct row base[TABLES][ROWS];
    struct view view[TABLES];
    struct view saves[SAVES][TABLES];
    bool saves_fixed[SAVES];
    int saves_count;
};

struct world {
    struct rng rng;
    uint64_t seed;
    struct sql_db d;
    struct row tables[TABLES][ROWS];
    int rows_used; /* of the table without a key */
    uint64_t version;
    struct session s[SESSIONS];
    char sql[1024];
    uint64_t commits, conflicts, may;
    bool talk; /* a seed was given: say what is done */
};

static const char *const creates[TABLES] = {
    "CREATE TABLE t0 (k INT PRIMARY KEY, v INT, w INT)",
    "CREATE TABLE t1 (k INT PRIMARY KEY, v INT, w INT) WITH (upsert = 'field')",
    "CREATE TABLE t2 (k INT, v INT, w INT)",
};

static void die(const struct world *w, const char *what, const char *why)
{
    fail_msg("seed %" PRIu64 ": %s: %s", w->seed, what, why);
}

static void talk(const struct world *w, const struct session *s)
{
    if (w->talk)
        print_message("%d: %s\n", (int)(s - w->s), w->sql);
}

/* ---- the engine ---- */

static void open_world(struct world *w)
{
    static const char *const settings[] = {"memtable_size", "64kB", "log_chunk_size", "4096", NULL};
    struct sql_db_options o = {.seed = w->seed, .settings = settings};
    struct dn_err err;

    if (sql_db_open(&w->d, &o, &err) < 0)
        die(w, "open", err.text);
    for (int i = 0; i < SESSIONS; i++)
        assert_int_equal(dendro_connect(w->d.db, &w->s[i].conn, NULL), DENDRO_OK);
}

static void close_world(struct world *w)
{
    for (int i = 0; i < SESSIONS; i++)
        dendro_disconnect(w->s[i].conn);
    sql_db_close(&w->d);
}

/* True: it succeeded; false: it failed with this SQLSTATE. Anything else ends the test. */
static bool run(struct world *w, struct session *s, const char *sqlstate)
{
    struct dendro_error e;

    talk(w, s);
    if (dendro_exec(s->conn, w->sql, -1, NULL, NULL, &e) >= 0)
        return true;
    if (!sqlstate || strcmp(e.sqlstate, sqlstate) != 0)
        die(w, w->sql, e.message);
    return false;
}

/* ---- reading ---- */

struct list {
    struct row rows[ROWS];
    int count;
};

static int list_cmp(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    if (x->v != y->v)
        return x->v < y->v ? -1 : 1;
    return x->w < y->w ? -1 : x->w > y->w;
}

static int take_row(void *arg, dendro_stmt *stmt)
{
    struct list *l = arg;
    struct row *r = &l->rows[l->count++];

    r->k = (int)dendro_column_int64(stmt, 0);
    r->v = dendro_column_is_null(stmt, 1) ? NONE : (int)dendro_column_int64(stmt, 1);
    r->w = dendro_column_is_null(stmt, 2) ? NONE : (int)dendro_column_int64(stmt, 2);
    return 0;
}

static const struct row *image(const struct world *w, const struct session *s, int t)
{
    return s->fixed ? s->view[t].now : w->tables[t];
}

static int take_int(void *arg, dendro_stmt *stmt)
{
    *(int64_t *)arg = dendro_column_int64(stmt, 0);
    return 0;
}

static void look(struct world *w, struct session *s, int t)
{
    const struct row *rows = image(w, s, t);
    struct list want = {.count = 0}, got = {.count = 0};
    struct dendro_error e;
    int64_t count = -1;

    snprintf(w->sql, sizeof(w->sql), "SELECT k, v, w FROM t%d", t);
    talk(w, s);
    if (dendro_exec(s->conn, w->sql, -1, take_row, &got, &e) < 0)
        die(w, w->sql, e.message);
    for (int i = 0; i < ROWS; i++)
        if (rows[i].there)
            want.rows[want.count++] = rows[i];
    qsort(want.rows, (size_t)want.count, sizeof(want.rows[0]), list_cmp);
    qsort(got.rows, (size_t)got.count, sizeof(got.rows[0]), list_cmp);
    if (want.count != got.count)
        die(w, w->sql, "another number of rows");
    for (int i = 0; i < want.count; i++)
        if (list_cmp(&want.rows[i], &got.rows[i]) != 0)
            die(w, w->sql, "another row");
    snprintf(w->sql, sizeof(w->sql), "SELECT count(*) FROM t%d", t); /* zone maps may answer */
    if (dendro_exec(s->conn, w->sql, -1, take_int, &count, &e) < 0 || count != want.count)
        die(w, w->sql, "another count");
}

/* ---- the model ---- */

static void fix(struct world *w, struct session *s)
{
    if (!s->block || s->fixed)
        return;
    s->fixed = true;
    memcpy(s->base, w->tables, sizeof(s->base));
    memset(s->view, 0, sizeof(s->view));
    for (int t = 0; t < TABLES; t++)
        memcpy(s->view[t].now, w->tables[t], sizeof(s->view[t].now));
}

/* One write to the session's view; outside a block it is a commit by itself. */
static void put(struct world *w, struct session *s, int t, int id, struct row row, struct write how)
{
    struct row *now = s->fixed ? &s->view[t].now[id] : &w->tables[t][id];
    struct write *mine = &s->view[t].writes[id];

    if (how.act == ACT_PATCH && now->there) {
        row.v = how.has_v ? row.v : now->v;
        row.w = how.has_w ? row.w : now->w;
    } else if (how.act == ACT_PATCH) {
        row.v = how.has_v ? row.v : NONE;
        row.w = how.has_w ? row.w : NONE;
    }
    row.there = how.act != ACT_DELETE;
    row.version = w->version;
    if (s->fixed) {
        row.version = now->version;
        how.checked = how.checked || mine->checked;
        if (how.act == ACT_PATCH && (mine->act == ACT_PUT || mine->act == ACT_DELETE)) {
            how.act = ACT_PUT;
        } else if (how.act == ACT_PATCH && mine->act == ACT_PATCH) {
            how.has_v = how.has_v || mine->has_v;
            how.has_w = how.has_w || mine->has_w;
        }
        *mine = how;
    }
    *now = row;
}

enum verdict { MUST_COMMIT, MAY_FAIL, MUST_FAIL };

static bool same_version(const struct row *a, const struct row *b)
{
    return a->there == b->there && (!a->there || a->version == b->version);
}

static enum verdict judge(const struct world *w, const struct session *s)
{
    enum verdict v = MUST_COMMIT;

    for (int t = 0; s->fixed && t < TABLES; t++)
        for (int i = 0; i < ROWS; i++) {
            const struct row *was = &s->base[t][i], *is = &w->tables[t][i];
            const struct view *view = &s->view[t];

            if (same_version(was, is))
                continue;
            if (view->writes[i].checked)
                return MUST_FAIL;
            if (view->ranges && ((was->k >= view->lo && was->k <= view->hi) ||
                                 (is->k >= view->lo && is->k <= view->hi)))
                v = MAY_FAIL;
        }
    return v;
}

static void apply(struct world *w, struct session *s)
{
    w->version++;
    for (int t = 0; s->fixed && t < TABLES; t++)
        for (int i = 0; i < ROWS; i++) {
            const struct write *mine = &s->view[t].writes[i];
            struct row *to = &w->tables[t][i];
            struct row row = s->view[t].now[i];

            if (mine->act == ACT_NONE)
                continue;
            if (mine->act == ACT_PATCH && to->there) {
                row.v = mine->has_v ? row.v : to->v;
                row.w = mine->has_w ? row.w : to->w;
            } else if (mine->act == ACT_PATCH) {
                row.v = mine->has_v ? row.v : NONE;
                row.w = mine->has_w ? row.w : NONE;
            }
            row.there = mine->act != ACT_DELETE;
            row.version = w->version;
            *to = row;
        }
}

/* ---- statements ---- */

static int new_id(struct world *w, int t, int k)
{
    return t == 2 ? w->rows_used++ : k;
}

static bool full(const struct world *w, int t)
{
    return t == 2 && w->rows_used + 4 > ROWS;
}

static void do_insert(struct world *w, struct session *s, int t)
{
    int k = (int)rng_below(&w->rng, KEYS), v = (int)rng_below(&w->rng, 100);
    bool only_v = rng_one_in(&w->rng, 2);
    struct row row = {.k = k, .v = v, .w = only_v ? NONE : v + 1};
    struct write how = {.act = t == 1 ? ACT_PATCH : ACT_PUT, .has_v = true, .has_w = !only_v};

    if (full(w, t)) {
        look(w, s, t);
        return;
    }
    if (only_v)
        snprintf(w->sql, sizeof(w->sql), "INSERT INTO t%d (k, v) VALUES (%d, %d)", t, k, v);
    else
        snprintf(w->sql, sizeof(w->sql), "INSERT INTO t%d VALUES (%d, %d, %d)", t, k, v, v + 1);
    run(w, s, NULL);
    w->version += !s->block;
    put(w, s, t, new_id(w, t, k), row, how);
}

static void do_update(struct world *w, struct session *s, int t)
{
    int lo = (int)rng_below(&w->rng, KEYS), hi = lo + (int)rng_below(&w->rng, 4);

    snprintf(
        w->sql, sizeof(w->sql), "UPDATE t%d SET v = v + 1 WHERE k BETWEEN %d AND %d", t, lo, hi);
    run(w, s, NULL);
    w->version += !s->block;
    for (int i = 0; i < ROWS; i++) {
        struct row row = image(w, s, t)[i];

        if (!row.there || row.k < lo || row.k > hi)
            continue;
        row.v = row.v == NONE ? NONE : row.v + 1;
        put(w,
            s,
            t,
            i,
            row,
            (struct write){.act = t == 1 ? ACT_PATCH : ACT_PUT, .has_v = true, .checked = true});
    }
}

static void do_delete(struct world *w, struct session *s, int t)
{
    int lo = (int)rng_below(&w->rng, KEYS), hi = lo + (int)rng_below(&w->rng, 3);
    struct view *view = &s->view[t];

    if (rng_one_in(&w->rng, 8)) {
        lo = -1000;
        hi = 1000;
        snprintf(w->sql,
                 sizeof(w->sql),
                 rng_one_in(&w->rng, 2) && s->block ? "TRUNCATE t%d" : "DELETE FROM t%d",
                 t);
    } else {
        snprintf(w->sql, sizeof(w->sql), "DELETE FROM t%d WHERE k >= %d AND k <= %d", t, lo, hi);
    }
    run(w, s, NULL);
    w->version += !s->block;
    for (int i = 0; i < ROWS; i++) {
        struct row row = image(w, s, t)[i];

        if (row.there && row.k >= lo && row.k <= hi)
            /* By range it is the range that is looked at: it may fail, it need not. */
            put(w, s, t, i, row, (struct write){.act = ACT_DELETE, .checked = true});
    }
    if (s->fixed) {
        view->lo = view->ranges && view->lo < lo ? view->lo : lo;
        view->hi = view->ranges && view->hi > hi ? view->hi : hi;
        view->ranges = true;
    }
}

static void do_conflict(struct world *w, struct session *s, int t)
{
    int k = (int)rng_below(&w->rng, KEYS), v = (int)rng_below(&w->rng, 100);
    struct row row = image(w, s, t)[k];
    bool update = rng_one_in(&w->rng, 2);

    if (update)
        snprintf(w->sql,
                 sizeof(w->sql),
                 "INSERT INTO t%d VALUES (%d, %d, %d) ON CONFLICT (k) DO UPDATE SET w = t%d.k",
                 t,
                 k,
                 v,
                 v,
                 t);
    else
        snprintf(w->sql,
                 sizeof(w->sql),
                 "INSERT INTO t%d VALUES (%d, %d, %d) ON CONFLICT DO NOTHING",
                 t,
                 k,
                 v,
                 v);
    run(w, s, NULL);
    w->version += !s->block;
    if (row.there && !update)
        return;
    if (row.there)
        row.w = k;
    else
        row = (struct row){.k = k, .v = v, .w = v};
    put(w, s, t, k, row, (struct write){.act = ACT_PUT, .checked = true});
}

static void do_save(struct world *w, struct session *s)
{
    int n;

    if (!s->block)
        return;
    if (s->saves_count < SAVES && rng_one_in(&w->rng, 2)) {
        n = s->saves_count++;
        snprintf(w->sql, sizeof(w->sql), "SAVEPOINT s%d", n);
        memcpy(s->saves[n], s->view, sizeof(s->view));
        s->saves_fixed[n] = s->fixed;
        run(w, s, NULL);
        return;
    }
    if (s->saves_count == 0)
        return;
    n = (int)rng_below(&w->rng, (uint32_t)s->saves_count);
    if (rng_one_in(&w->rng, 3)) {
        snprintf(w->sql, sizeof(w->sql), "RELEASE s%d", n);
        s->saves_count = n;
    } else {
        snprintf(w->sql, sizeof(w->sql), "ROLLBACK TO SAVEPOINT s%d", n);
        if (s->saves_fixed[n]) {
            memcpy(s->view, s->saves[n], sizeof(s->view));
        } else if (s->fixed) {
            memset(s->view, 0, sizeof(s->view));
            for (int t = 0; t < TABLES; t++)
                memcpy(s->view[t].now, s->base[t], sizeof(s->view[t].now));
        }
        s->saves_count = n + 1;
    }
    run(w, s, NULL);
}

static void do_end(struct world *w, struct session *s)
{
    bool rollback = rng_one_in(&w->rng, 5);
    enum verdict v;

    if (!s->block)
        return;
    v = judge(w, s);
    snprintf(w->sql, sizeof(w->sql), rollback ? "ROLLBACK" : "COMMIT");
    if (!run(w, s, rollback ? NULL : "40001")) {
        w->conflicts++;
        w->may += v == MAY_FAIL;
        if (v == MUST_COMMIT)
            die(w, "COMMIT", "a conflict where there is none");
    } else if (!rollback) {
        w->commits++;
        if (v == MUST_FAIL)
            die(w, "COMMIT", "no conflict where there is one");
        apply(w, s);
    }
    s->block = s->fixed = false;
    s->saves_count = 0;
}

/* An error, and ROLLBACK or ROLLBACK TO after it. */
static void do_error(struct world *w, struct session *s)
{
    snprintf(w->sql, sizeof(w->sql), "INSERT INTO t0 SELECT k, v, 1 / (k - k) FROM t0");
    if (run(w, s, "22012") || !s->block) /* an empty table has no such error */
        return;
    snprintf(w->sql, sizeof(w->sql), "SELECT 1");
    if (run(w, s, "25P02"))
        die(w, w->sql, "in a failed block");
    snprintf(w->sql, sizeof(w->sql), "ROLLBACK");
    run(w, s, NULL);
    s->block = s->fixed = false;
    s->saves_count = 0;
}

static void do_other(struct world *w)
{
    struct dendro_error e;
    bool idle = true;

    for (int i = 0; i < SESSIONS; i++)
        idle = idle && !w->s[i].block;
    if (idle && rng_one_in(&w->rng, 2)) {
        close_world(w);
        open_world(w);
    } else if (sql_exec(w->d.conn, "CHECKPOINT", &e) < 0) {
        die(w, "CHECKPOINT", e.message);
    }
}

static void step(struct world *w)
{
    struct session *s = &w->s[rng_below(&w->rng, SESSIONS)];
    int t = (int)rng_below(&w->rng, TABLES);
    uint32_t what = rng_below(&w->rng, 40);

    if (!s->block && what < 20) {
        snprintf(w->sql, sizeof(w->sql), "BEGIN");
        run(w, s, NULL);
        s->block = true;
        return;
    }
    if (what >= 8 && what < 34)
        fix(w, s);
    if (what < 4)
        do_end(w, s);
    else if (what < 8)
        do_save(w, s);
    else if (what < 14)
        do_insert(w, s, t);
    else if (what < 19)
        do_update(w, s, t);
    else if (what < 22)
        do_delete(w, s, t);
    else if (what < 25)
        do_conflict(w, s, t == 2 ? 0 : t); /* it needs a key */
    else if (what < 33)
        look(w, s, t);
    else if (what < 34)
        do_error(w, s);
    else if (what < 36)
        do_other(w);
}

static void one(uint64_t seed, struct world *w)
{
    uint64_t commits = w->commits, conflicts = w->conflicts, may = w->may;
    struct dendro_error e;

    memset(w, 0, sizeof(*w));
    w->commits = commits;
    w->conflicts = conflicts;
    w->may = may;
    w->seed = seed;
    w->talk = getenv("DENDRO_TEST_SEED") != NULL;
    w->rng.state = seed;
    w->version = 1;
    sql_db_init(&w->d, seed);
    open_world(w);
    for (int t = 0; t < TABLES; t++) {
        if (sql_exec(w->d.conn, creates[t], &e) < 0)
            die(w, creates[t], e.message);
        for (int i = 0; i < KEYS; i++) /* the model knows keyed rows by their keys */
            w->tables[t][i].k = t == 2 ? 0 : i;
    }
    for (int i = 0; i < STEPS; i++)
        step(w);
    for (int i = 0; i < SESSIONS; i++)
        do_end(w, &w->s[i]);
    close_world(w);
    open_world(w);
    for (int t = 0; t < TABLES; t++)
        look(w, &w->s[0], t);
    close_world(w);
    sql_db_done(&w->d);
}

static void test_model(void **state)
{
    const char *given = getenv("DENDRO_TEST_SEED"), *seconds = getenv("DENDRO_TEST_SECONDS");
    clock_t end = clock() + (seconds ? atol(seconds) : 5) * CLOCKS_PER_SEC;
    struct world *w = mem_calloc(NULL, 1, sizeof(*w));
    uint64_t seed = given ? strtoull(given, NULL, 10) : 1;

    (void)state;
    assert_non_null(w);
    do {
        one(seed++, w);
    } while (!given && (clock() < end || seed < 4));
    if (!given) { /* it was a test */
        assert_true(w->commits > 10);
        assert_true(w->conflicts > 5);
        assert_true(w->conflicts > w->may);
    }
    mem_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
