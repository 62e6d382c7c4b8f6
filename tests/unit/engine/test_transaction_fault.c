/* SPDX-License-Identifier: Apache-2.0
 *
 * One transaction, disturbed at every point: the n-th allocation fails, the n-th call of the volume
 * fails, fills the disk or is the moment of a power cut. After each: the error surfaced, nothing
 * leaked, `check` finds no fault, and of what the transaction did to rows and tables there is all
 * or nothing; all, if COMMIT was acknowledged. */
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char setup[] =
    "CREATE TABLE a (k INT PRIMARY KEY, v INT);"
    "CREATE TABLE b (h VARCHAR NOT NULL, t TIMESTAMP NOT NULL, v DOUBLE,"
    "    PRIMARY KEY ((h, QUANTUM(t, 1, 'd')), h, t));"
    "CREATE TABLE c (line VARCHAR, n INT);"
    "CREATE TABLE d (k INT PRIMARY KEY, x INT, y INT) WITH (upsert = 'field');"
    "INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);"
    "INSERT INTO b VALUES ('x', 1, 1), ('x', 2, 2), ('y', 100000000, 3);"
    "CHECKPOINT;"
    "INSERT INTO c VALUES ('one', 1), ('two', 2);"
    "INSERT INTO d VALUES (1, 1, 1), (2, 2, 2)";

/* What is done, and what is asked to see how much of it is there; an error is an answer, too. */
struct story {
    const char *script[24];
    const char *questions[8];
    const char *before;
    const char *after;
};

static const struct story rows = {
    .script = {"BEGIN",
               "INSERT INTO a VALUES (4, 4), (5, 5)",
               "UPDATE a SET v = v * 10 WHERE k >= 3",
               "SAVEPOINT s",
               "TRUNCATE a",
               "DELETE FROM c",
               "ROLLBACK TO s",
               "DELETE FROM b WHERE h = 'x' AND t >= 1",
               "INSERT INTO b SELECT 'z', k, v FROM a",
               "UPDATE c SET n = n + 1",
               "INSERT INTO c SELECT line || '!', n FROM c",
               "DELETE FROM c WHERE line = 'one'",
               "INSERT INTO d (k, x) VALUES (1, 9), (3, 3)",
               "INSERT INTO a VALUES (5, 0), (6, 6) ON CONFLICT (k) DO UPDATE SET v = a.v + 1",
               "SELECT count(*), sum(v) FROM a",
               "COMMIT"},
    .questions =
        {"SELECT string_agg(k || ':' || v, ',' ORDER BY k) FROM a",
         "SELECT string_agg(h || ':' || v, ',' ORDER BY h, t) FROM b",
         "SELECT string_agg(line || ':' || n, ',' ORDER BY line) FROM c",
         "SELECT string_agg(k || ':' || x || ':' || coalesce(y, 0), ',' ORDER BY k) FROM d"},
    .before = "1:1,2:2,3:3 x:1,x:2,y:3 one:1,two:2 1:1:1,2:2:2 ",
    .after = "1:1,2:2,3:30,4:40,5:51,6:6 y:3,z:1,z:2,z:30,z:40,z:50 "
             "one!:2,two:3,two!:3 1:9:1,2:2:2,3:3:0 ",
};

static const struct story tables = {
    .script = {"BEGIN",
               "INSERT INTO a VALUES (4, 4)",
               "CREATE TABLE e (k INT PRIMARY KEY, s VARCHAR)",
               "INSERT INTO e SELECT k, 'e' || v FROM a",
               "ALTER TABLE a ADD COLUMN w INT DEFAULT 5",
               "UPDATE a SET w = v WHERE k <= 2",
               "SAVEPOINT s",
               "DROP TABLE a",
               "CREATE TABLE a (x INT)",
               "ROLLBACK TO s",
               "DROP TABLE c",
               "CREATE SCHEMA two",
               "DELETE FROM d WHERE k = 1",
               "COMMIT"},
    .questions = {"SELECT string_agg(k || ':' || v, ',' ORDER BY k) FROM a",
                  "SELECT string_agg(k || ':' || w, ',' ORDER BY k) FROM a",
                  "SELECT string_agg(k || s, ',' ORDER BY k) FROM e",
                  "SELECT count(*) FROM c",
                  "USE two",
                  "USE public",
                  "SELECT count(*) FROM d"},
    .before = "1:1,2:2,3:3 42703 42P01 2 3F000  2 ",
    .after = "1:1,2:2,3:3,4:4 1:1,2:2,3:5,4:5 1e1,2e2,3e3,4e4 42P01   1 ",
};

/* Nothing but definitions: no row goes to the log. */
static const struct story definitions = {
    .script = {"BEGIN",
               "CREATE TABLE e (k INT PRIMARY KEY)",
               "ALTER TABLE a RENAME COLUMN v TO w",
               "DROP TABLE c",
               "COMMIT"},
    .questions = {"SELECT sum(w) FROM a", "SELECT count(*) FROM c", "SELECT count(*) FROM e"},
    .before = "42703 2 42P01 ",
    .after = "6 42P01 0 ",
};

/* One statement of several parts. */
static const struct story parts = {
    .script =
        {"WITH m AS (DELETE FROM a WHERE k > 1 RETURNING k, v), n AS (UPDATE c SET n = n + 10 "
         "RETURNING n), o AS (INSERT INTO d SELECT k + 10, v, 0 FROM m) INSERT INTO c SELECT "
         "'m' || k, v FROM m UNION ALL SELECT 'n', n FROM n"},
    .questions = {"SELECT string_agg(k || ':' || v, ',' ORDER BY k) FROM a",
                  "SELECT string_agg(line || ':' || n, ',' ORDER BY line, n) FROM c",
                  "SELECT string_agg(k || ':' || x, ',' ORDER BY k) FROM d"},
    .before = "1:1,2:2,3:3 one:1,two:2 1:1,2:2 ",
    .after = "1:1 m2:2,m3:3,n:11,n:12,one:11,two:12 1:1,2:2,12:2,13:3 ",
};

static const struct story *const stories[] = {&rows, &tables, &definitions, &parts};

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    const struct story *story;
    bool done;    /* COMMIT was acknowledged */
    bool refused; /* something was with 57P03, and so there must be nothing of it */
    int rc;       /* of what failed first, 0 = nothing */
};

static int open_world(struct world *w, uint64_t seed)
{
    struct engine_options options = {.flags = 0};
    struct dn_err err;
    int rc;

    w->db = NULL;
    w->conn = NULL;
    w->volume = NULL;
    rc = sim_volume_open(w->disk, seed, &w->volume, &err);
    if (rc == 0)
        rc = engine_open_volume(w->volume, &options, &w->db, &err);
    if (rc == 0)
        rc = dendro_connect(w->db, &w->conn, NULL);
    return rc;
}

static void close_world(struct world *w)
{
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
}

static void new_world(struct world *w, const struct story *story, uint64_t seed)
{
    *w = (struct world){.disk = sim_disk_new(seed), .story = story};
    assert_int_equal(open_world(w, 1), 0);
    assert_int_equal(dendro_exec(w->conn, setup, -1, NULL, NULL, NULL), DENDRO_OK);
}

/* On the open world. */
static void run_script(struct world *w)
{
    const char *const *sql = w->story->script;

    w->rc = 0;
    while (w->rc == 0 && *sql)
        w->rc = dendro_exec(w->conn, *sql++, -1, NULL, NULL, NULL);
    w->done = w->rc == 0;
    if (w->rc < 0)
        assert_int_not_equal(dendro_transaction_status(w->conn), DENDRO_TX_BLOCK);
}

static void fault_text(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_error("check: %s\n", text);
}

struct text {
    char s[512];
};

static void add_text(struct text *t, const char *more)
{
    size_t len = strlen(t->s);

    snprintf(t->s + len, sizeof(t->s) - len, "%s", more);
}

static int take_text(void *arg, dendro_stmt *stmt)
{
    add_text(arg, dendro_column_is_null(stmt, 0) ? "NULL" : dendro_column_text(stmt, 0));
    return 0;
}

static void look(struct world *w, const char *what, uint64_t n)
{
    struct text text = {""};
    struct dendro_error e;

    for (const char *const *q = w->story->questions; *q; q++) {
        if (dendro_exec(w->conn, *q, -1, take_text, &text, &e) < 0)
            add_text(&text, e.sqlstate);
        add_text(&text, " ");
    }
    if ((strcmp(text.s, w->story->after) != 0 || w->refused) &&
        (w->done || strcmp(text.s, w->story->before) != 0))
        fail_msg("%s %llu, %s: %s",
                 what,
                 (unsigned long long)n,
                 w->done      ? "committed"
                 : w->refused ? "refused"
                              : "not committed",
                 text.s);
}

/* What is there after a restart; and it can be written to. */
static void check_state(struct world *w, const char *what, uint64_t n)
{
    uint64_t faults = 0;
    struct dn_err err;

    if (open_world(w, 2) < 0)
        fail_msg("%s %llu: it does not open", what, (unsigned long long)n);
    look(w, what, n);
    assert_int_equal(
        dendro_exec(w->conn,
                    "BEGIN; INSERT INTO a (k) VALUES (100); DELETE FROM d; CREATE TABLE after "
                    "(k INT); INSERT INTO after VALUES (1); COMMIT; CHECKPOINT",
                    -1,
                    NULL,
                    NULL,
                    NULL),
        DENDRO_OK);
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    if (engine_check_volume(w->volume, fault_text, NULL, &faults, &err) < 0)
        fail_msg("%s %llu: check: %s", what, (unsigned long long)n, err.text);
    if (faults)
        fail_msg("%s %llu: %llu faults", what, (unsigned long long)n, (unsigned long long)faults);
    volume_close(w->volume);
}

static void test_undisturbed(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(stories); i++) {
        struct world w;

        new_world(&w, stories[i], 1);
        look(&w, "before", i);
        run_script(&w);
        assert_int_equal(w.rc, 0);
        look(&w, "undisturbed", i);
        close_world(&w);
        check_state(&w, "undisturbed", i);
        sim_disk_free(w.disk);
    }
}

static void roll_back(struct world *w)
{
    if (dendro_transaction_status(w->conn) != DENDRO_TX_IDLE)
        assert_int_equal(dendro_exec(w->conn, "ROLLBACK", -1, NULL, NULL, NULL), DENDRO_OK);
}

/* Every allocation, as far as the time allows: all of the first ones, then a choice. */
static void sweep_allocations(const struct story *story)
{
    clock_t end = clock() + 3 * CLOCKS_PER_SEC;
    uint64_t surfaced = 0;
    uint64_t tried = 0;
    uint64_t step = 1;
    bool hit = true;

    for (uint64_t n = 1; hit; n += step) {
        size_t used = mem_process_used();
        struct world w;

        new_world(&w, story, n);
        mem_fail_nth(n, false);
        run_script(&w);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        surfaced += w.rc == DN_E_NOMEM;
        tried++;
        roll_back(&w);
        look(&w, "allocation", n);
        close_world(&w);
        check_state(&w, "allocation", n);
        sim_disk_free(w.disk);
        if (mem_process_used() != used)
            fail_msg("allocation %llu: leaked %zd bytes",
                     (unsigned long long)n,
                     (ssize_t)(mem_process_used() - used));
        step = clock() < end ? 1 : 1 + n / 20; /* out of time: bigger and bigger steps */
    }
    assert_true(surfaced > tried / 2); /* caches do without; most others cannot */
}

static void test_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(stories); i++)
        sweep_allocations(stories[i]);
}

static void sweep_story(const struct story *story, enum sim_fault fault, const char *what)
{
    bool hit = true;

    for (uint64_t n = 1; hit; n++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct world w;

            new_world(&w, story, 4 * n + seed);
            sim_disk_fail_nth(w.disk, n, fault, false);
            run_script(&w);
            hit = sim_disk_fail_hit(w.disk);
            sim_disk_fail_nth(w.disk, 0, SIM_FAULT_NONE, false);
            if (fault != SIM_FAULT_CRASH) { /* the session goes on, whatever is saved late */
                roll_back(&w);
                look(&w, what, n);
            }
            close_world(&w);
            check_state(&w, what, n);
            sim_disk_free(w.disk);
        }
}

/* The lock goes during the n-th call: what was refused is not there, and 08007 alone may be either.
 */
static uint32_t sweep_lock(const struct story *story)
{
    uint32_t unknown = 0;
    bool hit = true;

    for (uint64_t n = 1; hit; n++) {
        struct dendro_error e = {.code = 0};
        struct world w;

        new_world(&w, story, n);
        sim_disk_fail_nth(w.disk, n, SIM_FAULT_LOCK, false);
        for (const char *const *sql = story->script; w.rc == 0 && *sql; sql++)
            w.rc = dendro_exec(w.conn, *sql, -1, NULL, NULL, &e);
        hit = sim_disk_fail_hit(w.disk);
        w.done = w.rc == 0;
        w.refused = w.rc < 0 && strcmp(e.sqlstate, "57P03") == 0;
        if (w.rc < 0 && !w.refused && strcmp(e.sqlstate, "08007") != 0)
            fail_msg("lock lost at call %llu: %s", (unsigned long long)n, e.message);
        unknown += w.rc < 0 && !w.refused;
        /* Whatever it would write at its end it must not. */
        dendro_disconnect(w.conn);
        (void)dendro_close(w.db);
        volume_close(w.volume);
        check_state(&w, "lock lost at call", n);
        sim_disk_free(w.disk);
    }
    return unknown;
}

static void test_lost_lock(void **state)
{
    uint32_t unknown = 0;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(stories); i++)
        unknown += sweep_lock(stories[i]);
    assert_true(unknown > 0);
}

static void sweep_calls(enum sim_fault fault, const char *what)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(stories); i++)
        sweep_story(stories[i], fault, what);
}

static void test_io_errors(void **state)
{
    (void)state;
    sweep_calls(SIM_FAULT_IO, "I/O error at call");
}

static void test_full_disk(void **state)
{
    (void)state;
    sweep_calls(SIM_FAULT_NOSPC, "disk full at call");
}

static void test_power_cuts(void **state)
{
    (void)state;
    sweep_calls(SIM_FAULT_CRASH, "power cut at call");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undisturbed),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_io_errors),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_power_cuts),
        cmocka_unit_test(test_lost_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
