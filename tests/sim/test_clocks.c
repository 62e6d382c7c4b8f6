/* SPDX-License-Identifier: Apache-2.0
 *
 * test_clocks.c: clocks that are wrong (docs/adr/0014). The machine's clock jumps ahead and back,
 * in a run and across restarts, while tables with retention, rows that expire and time partitions
 * live on, with their tasks in the background. What must hold: nothing is dropped for good that a
 * right clock would keep, and what a right clock would drop goes once the clock is believed again.
 */
#include "clock_world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- one jump ---- */

static void fill(struct world *w)
{
    world_make(w);
    for (int i = 0; i < 20; i++) {
        assert_true(world_put(w, "r", i, world_now(w) - i * DAY) >= 0);
        if (i < 5)
            assert_true(world_put(w, "n", i, world_now(w) - i * DAY) >= 0);
    }
    world_must(w, "INSERT INTO e VALUES (1), (2), (3) USING TTL INTERVAL '10 days'");
    world_must(w, "CHECKPOINT");
}

/* All that fill() made is there, and rows of the present are taken. */
static void check_all(struct world *w)
{
    assert_int_equal(world_number(w, "SELECT count(*) FROM r"), 20);
    assert_int_equal(world_number(w, "SELECT count(*) FROM n"), 5);
    assert_int_equal(world_number(w, "SELECT count(*) FROM e"), 3);
    assert_true(world_put(w, "r", 0, world_now(w)) >= 0);
    world_must(w, "DELETE FROM r WHERE k = 0 AND time > (SELECT min(time) FROM r WHERE k = 0)");
}

static void test_jump(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, 1);
    fill(&w);
    world_off(&w, 5 * YEAR);
    for (int i = 0; i < 5; i++) { /* the tasks look as often as they like */
        world_pass(&w, 100 * SECOND);
        world_must(&w, "CHECKPOINT");
        world_merge(&w);
    }
    assert_int_equal(world_number(&w, "SELECT count(*) FROM r"), 20);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM e"), 0); /* hidden, not gone */
    assert_int_equal(world_ahead(&w) / 86400, 5 * 365);
    world_off(&w, 0);
    world_must(&w, "CHECKPOINT");
    assert_int_equal(world_ahead(&w), 0);
    check_all(&w);
    world_end(&w);
}

static void test_restart(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, 2);
    fill(&w);
    for (int i = 0; i < 3; i++) {
        world_restart(&w, 3600 * SECOND, 5 * YEAR);
        world_pass(&w, 100 * SECOND);
        world_must(&w, "CHECKPOINT");
        world_merge(&w);
        assert_true(world_ahead(&w) > 4 * 365 * 86400);
    }
    world_off(&w, 0); /* the machine has asked what time it is */
    world_must(&w, "CHECKPOINT");
    assert_int_equal(world_ahead(&w),
                     0); /* which is believed: it was off for a while, that is all */
    check_all(&w);
    world_restart(&w, 3 * DAY, 0);
    assert_int_equal(world_ahead(&w), 0);
    for (int i = 0; i < 5; i++) /* and time goes on for retention */
        world_restart(&w, 6 * DAY, 0);
    assert_int_equal(world_ahead(&w), 0);
    assert_true(world_number(&w, "SELECT count(*) FROM r") < 5);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM e"), 0);
    world_end(&w);
}

/* A database that was switched off for a year. */
static void test_year(void **state)
{
    struct dendro_error err;
    struct world w;

    (void)state;
    world_begin(&w, 3);
    fill(&w);
    world_restart(&w, YEAR, 0);
    world_must(&w, "CHECKPOINT");
    world_merge(&w);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM r"), 20);
    assert_true(world_put(&w, "r", 0, world_now(&w)) >= 0);
    /* Nobody confirms a day that the clock does not say. */
    assert_true(world_confirm(&w, START / DAY, &err) < 0);
    assert_string_equal(err.sqlstate, "22023");
    assert_int_equal(world_number(&w, "SELECT count(*) FROM r"), 21);
    if (world_confirm(&w, world_now(&w) / DAY, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(world_ahead(&w), 0);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM r"), 1);
    world_restart(&w, 0, 0);
    assert_int_equal(world_ahead(&w), 0);
    /* A clock that was confirmed by mistake can be confirmed again when it is right. */
    world_off(&w, YEAR);
    assert_true(world_confirm(&w, (world_now(&w) + YEAR) / DAY, &err) >= 0);
    world_off(&w, 0);
    assert_true(world_confirm(&w, world_now(&w) / DAY, &err) >= 0);
    world_off(&w, YEAR);
    assert_true(world_ahead(&w) > 0);
    world_end(&w);
}

/* Only superusers confirm. */
static void test_rights(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, 4);
    world_must(&w, "CREATE ROLE ann; SET ROLE ann");
    world_refuses(&w, "SELECT dendro_confirm_clock('2024-01-01')", "42501", "dendro_confirm_clock");
    world_end(&w);
}

/* A machine that starts without knowing the time: rows get as long as they were given. */
static void test_behind(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, 5);
    fill(&w);
    world_restart(&w, 60 * SECOND, -30 * YEAR);
    world_must(&w, "INSERT INTO e VALUES (4) USING TTL INTERVAL '8 hours'");
    assert_true(world_put(&w, "r", 77, world_now(&w)) >= 0);
    world_pass(&w, 60 * SECOND);
    world_off(&w, 0);
    world_must(&w, "CHECKPOINT");
    world_merge(&w);
    assert_int_equal(world_ahead(&w), 0);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM e WHERE k = 4"), 1);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM r WHERE k = 77"), 1);
    world_restart(&w, DAY, 0);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM e WHERE k = 4"), 0);
    world_end(&w);
}

static void test_rollouts(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, 6);
    world_must(&w, "CREATE TABLE s (k INT PRIMARY KEY)");
    world_must(
        &w, "CREATE TIME PARTITION ON s AS p PERIOD '1 hour' RETENTION 3 START '2024-01-01 12:30'");
    world_must(&w,
               "CREATE TABLE q (k INT PRIMARY KEY) PARTITIONED BY TIME PERIOD '1 hour' RETENTION 3 "
               "START '2024-01-01 12:30'");
    for (int i = 0; i < 3; i++) {
        world_must(&w, "INSERT INTO p VALUES (1)");
        world_must(&w, "INSERT INTO q VALUES (1)");
        world_pass(&w, 3600 * SECOND);
    }
    assert_int_equal(world_number(&w, "SELECT count(*) FROM p"), 2);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM q"), 2);
    world_off(&w, 5 * YEAR);
    world_pass(&w, 1000 * SECOND);
    world_must(&w, "CHECKPOINT");
    world_restart(&w, 60 * SECOND, 5 * YEAR);
    world_pass(&w, 1000 * SECOND);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM p"), 2);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM q"), 2);
    world_off(&w, 0);
    world_pass(&w, 3 * 3600 * SECOND);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM p"), 0);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM q"), 0);
    world_end(&w);
}

/* DETACH takes rows along that only a wrong clock calls expired. */
static void test_detach(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, 7);
    world_must(&w,
               "CREATE TABLE x (k INT, time TIMESTAMP, PRIMARY KEY (time, k)) WITH "
               "(default_time_to_live = '10d')");
    world_must(&w, "INSERT INTO x VALUES (1, '2024-01-01'), (2, '2024-01-01')");
    world_must(&w, "CHECKPOINT");
    world_off(&w, YEAR);
    world_must(&w, "ALTER TABLE x DETACH PARTITION '2024-01-01' TO 'aside'");
    world_off(&w, 0);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM x"), 0);
    world_must(&w, "ALTER TABLE x ATTACH PARTITION FROM 'aside'");
    assert_int_equal(world_number(&w, "SELECT count(*) FROM x"), 2);
    world_end(&w);
}

/* ---- the record ---- */

/* The record cannot be read: the database opens, and nothing is dropped before a superuser says
 * what time it is. newer: bytes in its place; NULL: its own, damaged. */
static void unreadable(struct world *w, const char *newer)
{
    struct dendro_error err;

    fill(w);
    world_close(w);
    if (newer)
        assert_true(sim_disk_set(w->d.disk, 'd', "time", newer, strlen(newer)));
    else
        assert_true(sim_disk_flip(w->d.disk, 'd', "time", 100));
    world_pass(w, 60 * DAY);
    world_open(w);
    world_must(w, "CHECKPOINT");
    assert_true(world_ahead(w) > 0);
    assert_int_equal(world_number(w, "SELECT count(*) FROM r"), 20);
    if (world_confirm(w, world_now(w) / DAY, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(world_number(w, "SELECT count(*) FROM r"), 0);
}

static void test_record(void **state)
{
    static const char golden[] = "{\n \"format\": 1,\n \"time\": 1704110400000000000\n}\n";
    const uint8_t *p;
    struct world w;
    size_t n;

    (void)state;
    world_begin(&w, 8);
    assert_true(sim_disk_get(w.d.disk, 'd', "time", &p, &n)); /* docs/format/time.md */
    if (n != sizeof golden - 1)
        fail_msg("%.*s", (int)n, (const char *)p);
    assert_memory_equal(p, golden, n);
    unreadable(&w, NULL);
    /* Nothing that goes by time: any clock will do, and what is made then goes by it. */
    world_must(&w, "DROP TABLE r; DROP TABLE n; DROP TABLE e");
    world_restart(&w, YEAR, 0);
    assert_int_equal(world_ahead(&w), 0);
    world_end(&w);
}

static void test_record_newer(void **state)
{
    static const char newer[] = "{\n \"format\": 2,\n \"time\": 1704110400000000000\n}\n";
    const uint8_t *p;
    struct world w;
    size_t n;

    (void)state;
    world_begin(&w, 8);
    unreadable(&w, newer);
    /* It is left as it is. */
    assert_true(sim_disk_get(w.d.disk, 'd', "time", &p, &n));
    assert_int_equal(n, sizeof newer - 1);
    assert_memory_equal(p, newer, n);
    world_end(&w);
}

/* ---- rows of the future ---- */

static void test_future(void **state)
{
    struct dendro_error err;
    struct world w;

    (void)state;
    world_begin(&w, 9);
    fill(&w);
    for (int i = 0; i < 30; i++)
        assert_true(world_put(&w, "n", 100 + i, START + (int64_t)i * DAY + 200 * YEAR) < 0);
    assert_true(world_put(&w, "n", 1, world_now(&w) + DAY + 60 * SECOND) < 0);
    assert_true(world_put(&w, "n", 99, world_now(&w) + DAY - 60 * SECOND) >= 0);
    assert_true(world_run(&w, &err, "INSERT INTO n VALUES (1, '2999-01-01')") < 0);
    assert_string_equal(err.sqlstate, "22008");
    assert_non_null(strstr(err.message, "row 1: TIMESTAMP '2999-01-01T00:00:00.000Z' is too far"));
    assert_non_null(strstr(err.message, "future_limit = '1 day'"));
    world_must(&w, "INSERT INTO n VALUES (33, '2024-01-01 11:00')");
    world_refuses(&w, "UPDATE n SET time = '2999-01-01' WHERE k = 33", "22008", "too far ahead");
    world_refuses(&w, "INSERT INTO n SELECT 5, TIMESTAMP '2999-01-01'", "22008", "too far ahead");
    world_must(&w, "ALTER TABLE n SET (late_rows = 'drop')");
    world_must(&w, "INSERT INTO n VALUES (1, '2999-01-01')");
    world_must(&w, "CHECKPOINT");
    assert_int_equal(world_number(&w, "SELECT count(*) FROM n"), 7);
    /* Where they are wanted they do not count. */
    world_must(&w, "ALTER TABLE n SET (late_rows = 'reject', future_limit = 'none')");
    for (int i = 0; i < 30; i++)
        assert_true(world_put(&w, "n", 100 + i, START + (int64_t)i * DAY + 200 * YEAR) >= 0);
    world_must(&w, "CHECKPOINT");
    assert_int_equal(world_number(&w, "SELECT count(*) FROM n"), 37);
    assert_int_equal(world_number(&w, "SELECT count(*) FROM n WHERE time < '2025-01-01'"), 7);
    /* By size neither. */
    world_must(&w, "ALTER TABLE n SET (retention = '1 kB')");
    world_must(&w, "CHECKPOINT");
    assert_int_equal(world_number(&w, "SELECT count(*) FROM n WHERE time >= '2025-01-01'"), 30);
    assert_true(world_number(&w, "SELECT count(*) FROM n WHERE time < '2025-01-01'") > 0);
    /* A table without retention takes any time, unless it says otherwise. */
    world_must(&w, "CREATE TABLE f (time TIMESTAMP PRIMARY KEY)");
    world_must(&w, "INSERT INTO f VALUES ('2999-01-01')");
    world_must(&w, "ALTER TABLE f SET (future_limit = '2h')");
    world_refuses(&w, "INSERT INTO f VALUES ('2024-01-01 14:30')", "22008", "future_limit = '2h'");
    world_restart(&w, 0, 0);
    world_refuses(&w, "INSERT INTO f VALUES ('2024-01-01 14:30')", "22008", "future_limit = '2h'");
    world_refuses(
        &w, "BEGIN; INSERT INTO f VALUES ('2024-01-01 14:30')", "22008", "future_limit = '2h'");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_year),
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_rollouts),
        cmocka_unit_test(test_detach),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_record_newer),
        cmocka_unit_test(test_future),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
