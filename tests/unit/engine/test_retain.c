/* SPDX-License-Identifier: Apache-2.0
 *
 * Retention under faults: wherever a call of the volume fails, the disk is full or the power goes,
 * what was acknowledged and is not too old is there, once, and what was dropped does not come back;
 * and long histories of rows at shifting times, a moving clock, changes of retention and openings
 * against a model that is obviously right. */
#include "clock_fix.h"
#include "sweep_fix.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define NOON (DAY / 2)

static int64_t day_of(int64_t seconds)
{
    return seconds / DAY;
}

/* ---- faults at every step ---- */

#define KEYS_MAX 64
#define OLD_KEY  60 /* written after RESET, for a time long gone */

static struct {
    bool put[KEYS_MAX];    /* it was acknowledged */
    int64_t day[KEYS_MAX]; /* of its time */
    bool made;             /* the table was */
    bool reset;            /* so was RESET, */
    bool gone[KEYS_MAX];   /* … and these were not there before it */
    int64_t clock;
    struct sim_disk *disk;
    uint64_t epoch;
} seen;

static bool put(struct world *w, int key, int64_t at)
{
    char sql[120];

    snprintf(sql, sizeof(sql), "INSERT INTO m VALUES (%d, %" PRId64 "000)", key, at);
    seen.day[key] = day_of(at);
    seen.put[key] = world_run(w, sql) >= 0;
    return seen.put[key];
}

static int faults_there(void *arg, dendro_stmt *stmt)
{
    bool *there = arg;

    there[dendro_column_int64(stmt, 0)] = true;
    return 0;
}

/* Rows that were written and are not seen any more. */
static void faults_gone(struct world *w)
{
    bool there[KEYS_MAX] = {false};

    if (dendro_exec(w->conn, "SELECT k FROM m", -1, faults_there, there, NULL) < 0)
        return;
    for (int k = 0; k < KEYS_MAX; k++)
        seen.gone[k] = seen.put[k] && !there[k];
}

static void faults_script(struct world *w)
{
    int key = 10;

    seen.made = world_run(w,
                          "CREATE TABLE m (k INT, time TIMESTAMP, PRIMARY KEY (time, k)) WITH "
                          "(retention = '2 days')") >= 0;
    if (!seen.made)
        return;
    for (int i = 0; i < 4; i++) {
        put(w, key++, w->clock);
        put(w, key++, w->clock - DAY);
        if (i % 2)
            DN_IGNORE(world_run(w, "CHECKPOINT"));
        put(w, key++, w->clock + 60);
        DN_IGNORE(world_advance(w, DAY)); /* what fails is due at the next look */
    }
    DN_IGNORE(world_run(w, "ALTER TABLE m SET (retention = '1 day', late_rows = 'drop')"));
    put(w, key++, w->clock);
    DN_IGNORE(world_run(w, "CHECKPOINT"));
    faults_gone(w);
    seen.reset = world_run(w, "ALTER TABLE m RESET (retention)") >= 0;
    if (seen.reset)
        put(w, OLD_KEY, START_CLOCK - 100 * (int64_t)DAY);
}

static void faults_run(struct sim_disk *disk)
{
    struct world w = {.disk = disk, .clock = START_CLOCK};

    memset(&seen, 0, sizeof(seen));
    seen.disk = disk;
    if (world_open(&w) >= 0)
        faults_script(&w);
    world_close(&w);
    seen.clock = w.clock;
    seen.epoch = w.epoch;
}

/* How many days stay before this one; -1: all. */
static int64_t faults_keeps(struct world *w)
{
    char *options = world_list(w, "SELECT reloptions FROM pg_class WHERE relname = 'm'");
    int64_t days = strstr(options, "retention=2 days")  ? 2
                   : strstr(options, "retention=1 day") ? 1
                                                        : -1;

    free(options);
    return days;
}

static void faults_row(struct world *w, const char *rows, int k, const char *what, uint64_t n)
{
    int64_t keeps = faults_keeps(w);
    int64_t gone = keeps < 0 ? INT64_MIN : day_of(w->clock - keeps * DAY);
    bool old = k == OLD_KEY;
    char line[16], *at;

    snprintf(line, sizeof(line), "%d\n", k);
    at = strstr(rows, line);
    /* No retention that the script gives lets go of less than a day. */
    if (seen.put[k] && !at && (old ? keeps < 0 : seen.day[k] >= day_of(seen.clock - DAY)) &&
        (keeps < 0 || seen.day[k] >= gone))
        fail_msg("%s %" PRIu64 ": row %d is missing among %s", what, n, k, rows);
    if (seen.put[k] && ((!old && seen.day[k] < gone) || seen.gone[k]) && at)
        fail_msg("%s %" PRIu64 ": row %d should be gone", what, n, k);
    if (at && strstr(at + 1, line))
        fail_msg("%s %" PRIu64 ": row %d is there twice", what, n, k);
}

static void faults_check(const char *what, uint64_t n)
{
    struct world w = {.disk = seen.disk, .clock = seen.clock, .epoch = seen.epoch};
    char *tables;

    if (world_open(&w) < 0)
        fail_msg("%s %" PRIu64 ": the database does not open", what, n);
    tables = world_list(&w, "SHOW TABLES");
    if (!strstr(tables, "m|")) {
        if (seen.made)
            fail_msg("%s %" PRIu64 ": the table is gone", what, n);
        free(tables);
        world_close(&w);
        return;
    }
    free(tables);
    for (int step = 0; step < 2; step++) {
        char *rows = world_list(&w, "SELECT k FROM m ORDER BY k");

        for (int k = 10; k < KEYS_MAX; k++)
            faults_row(&w, rows, k, what, n);
        free(rows);
        if (world_advance(&w, DAY) < 0)
            fail_msg("%s %" PRIu64 ": the next day does not come", what, n);
    }
    world_close(&w);
}

static struct sweep faults = {.run = faults_run, .check = faults_check, .grain = 60};

/* ---- histories ---- */

#define ROWS_MAX   4096
#define NO_HORIZON INT64_MIN

struct model {
    int64_t key[ROWS_MAX];
    int64_t at[ROWS_MAX]; /* seconds */
    size_t count;
    int64_t days;       /* age; 0: none */
    int64_t partitions; /* number of slabs; 0: none */
    bool drop;          /* late_rows */
    int64_t horizon;    /* seconds */
};

static bool model_has_day(const struct model *m, int64_t day)
{
    for (size_t i = 0; i < m->count; i++)
        if (day_of(m->at[i]) == day)
            return true;
    return false;
}

/* All looks at the horizon: rows before it go. */
static void model_look(struct model *m, int64_t clock)
{
    int64_t horizon = m->days ? day_of(clock - m->days * DAY) * DAY : NO_HORIZON;
    int64_t slabs = 0;
    size_t kept = 0;

    /* Those of the future do not count. */
    for (int64_t day = day_of(clock); m->partitions && day > day_of(START_CLOCK) - 40; day--)
        if (model_has_day(m, day) && ++slabs == m->partitions) {
            horizon = day * DAY;
            break;
        }
    if (horizon > m->horizon && (m->days || m->partitions))
        m->horizon = horizon;
    for (size_t i = 0; i < m->count; i++) {
        if (m->at[i] < m->horizon)
            continue;
        m->key[kept] = m->key[i];
        m->at[kept++] = m->at[i];
    }
    m->count = kept;
}

static void model_put(struct model *m, int64_t key, int64_t at)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->key[i] == key && m->at[i] == at)
            return;
    m->key[m->count] = key;
    m->at[m->count++] = at;
}

struct model_row {
    int64_t at, key;
};

static int cmp_row(const void *a, const void *b)
{
    const struct model_row *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static void model_compare(struct world *w, const struct model *m, uint64_t seed, int step)
{
    struct model_row *rows = calloc(m->count + 1, sizeof(*rows));
    struct buf want;
    char *got =
        world_list(w, "SELECT extract(epoch FROM time)::BIGINT AS at, k FROM m ORDER BY time, k");
    char *count = world_list(w, "SELECT count(*), min(time) IS NULL FROM m");
    char counted[40];

    assert_non_null(rows);
    for (size_t i = 0; i < m->count; i++)
        rows[i] = (struct model_row){m->at[i], m->key[i]};
    qsort(rows, m->count, sizeof(*rows), cmp_row);
    buf_init(&want, NULL);
    for (size_t i = 0; i < m->count; i++)
        buf_printf(&want, "%" PRId64 "|%" PRId64 "\n", rows[i].at, rows[i].key);
    buf_u8(&want, 0);
    if (strcmp(got, (const char *)want.data) != 0)
        fail_msg("seed %" PRIu64 ", step %d: got\n%s, want\n%s", seed, step, got, want.data);
    snprintf(counted, sizeof(counted), "%zu|%s\n", m->count, m->count ? "false" : "true");
    if (strcmp(count, counted) != 0)
        fail_msg("seed %" PRIu64 ", step %d: got %s, want %s", seed, step, count, counted);
    buf_done(&want);
    free(rows);
    free(got);
    free(count);
}

/* A change of retention: an age, a number of slabs, what becomes of late rows, or none at all. */
static void history_alter(struct world *w, struct model *m, uint64_t *s)
{
    char sql[160];

    switch (seed_next(s) % 5) {
    case 0:
        m->days = 1 + (int64_t)(seed_next(s) % 4);
        m->partitions = 0;
        snprintf(sql, sizeof(sql), "ALTER TABLE m SET (retention = '%d days')", (int)m->days);
        break;
    case 1:
        m->partitions = 1 + (int64_t)(seed_next(s) % 4);
        m->days = 0;
        snprintf(sql,
                 sizeof(sql),
                 "ALTER TABLE m SET (retention = '%d partitions')",
                 (int)m->partitions);
        break;
    case 2:
        m->partitions = m->days = 0;
        m->horizon = NO_HORIZON;
        snprintf(sql, sizeof(sql), "ALTER TABLE m RESET (retention)");
        break;
    case 3:
        snprintf(sql, sizeof(sql), "ALTER TABLE m ADD COLUMN x%d INT", (int)(seed_next(s) >> 2));
        break;
    default:
        m->drop = !m->drop;
        snprintf(
            sql, sizeof(sql), "ALTER TABLE m SET (late_rows = '%s')", m->drop ? "drop" : "reject");
        break;
    }
    assert_true(world_run(w, sql) >= 0);
    model_look(m, w->clock);
}

/* Two rows in one statement, and what becomes of them. */
static void history_insert(struct world *w, struct model *m, uint64_t *s, const char *const form[2])
{
    int64_t key = (int64_t)(seed_next(s) % 3);
    int64_t at = w->clock + DAY - (int64_t)(seed_next(s) % (7 * DAY));
    int64_t other = w->clock - (int64_t)(seed_next(s) % (2 * DAY));
    bool late = at < m->horizon || other < m->horizon;
    char sql[300];
    int rc;

    snprintf(sql,
             sizeof(sql),
             "%s (%d, %" PRId64 "000), (%d, %" PRId64 "000)%s",
             form[0],
             (int)key,
             at,
             (int)key,
             other,
             form[1]);
    rc = world_run(w, sql);
    assert_int_equal(rc >= 0, !late || m->drop);
    if (rc < 0)
        return;
    if (at >= m->horizon)
        model_put(m, key, at);
    if (other >= m->horizon)
        model_put(m, key, other);
}

/* A transaction that is open while the clock moves. */
static void history_block(struct world *w, struct model *m, uint64_t *s)
{
    int64_t at = w->clock - (int64_t)(seed_next(s) % (3 * DAY));
    dendro_conn *conn;
    char sql[160];
    bool late;
    int rc;

    if (at < m->horizon)
        at = w->clock > m->horizon ? w->clock : m->horizon;
    assert_int_equal(dendro_connect(w->db, &conn, NULL), DENDRO_OK);
    snprintf(sql, sizeof(sql), "BEGIN; INSERT INTO m (k, time) VALUES (7, %" PRId64 "000)", at);
    assert_true(dendro_exec(conn, sql, -1, NULL, NULL, NULL) >= 0);
    assert_true(world_advance(w, (int64_t)(seed_next(s) % (3 * DAY))) >= 0);
    model_look(m, w->clock);
    late = at < m->horizon;
    rc = dendro_exec(conn, "COMMIT", -1, NULL, NULL, NULL);
    assert_int_equal(rc >= 0, !late || m->drop);
    if (rc >= 0 && !late)
        model_put(m, 7, at);
    dendro_disconnect(conn);
}

static void history_step(struct world *w, struct model *m, uint64_t *s)
{
    static const char *const forms[][2] = {
        {"INSERT INTO m (k, time) VALUES", ""},
        {"INSERT INTO m (k, time) SELECT * FROM (VALUES", ") AS v"},
        {"BEGIN; INSERT INTO m (k, time) VALUES", "; COMMIT"},
        {"INSERT INTO m (k, time) VALUES", " ON CONFLICT DO NOTHING"},
    };
    size_t form = seed_next(s) % DN_ARRAY_SIZE(forms);

    switch (seed_next(s) % 12) {
    case 0:
        assert_true(world_advance(w, (int64_t)(seed_next(s) % (2 * DAY))) >= 0);
        model_look(m, w->clock);
        break;
    case 1:
        history_alter(w, m, s);
        break;
    case 2:
        world_close(w);
        assert_true(world_open(w) >= 0);
        model_look(m, w->clock);
        break;
    case 3:
        assert_true(world_run(w, "CHECKPOINT") >= 0);
        model_look(m, w->clock);
        break;
    case 4:
        history_block(w, m, s);
        break;
    default:
        history_insert(w, m, s, forms[form]);
        if (form == 2) /* it may have failed in the middle */
            DN_IGNORE(world_run(w, "ROLLBACK"));
        break;
    }
}

static void test_histories(void **state)
{
    clock_t end = clock() + 6 * CLOCKS_PER_SEC;

    (void)state;
    for (uint64_t seed = 1; seed <= 8 || clock() < end; seed++) {
        uint64_t s = seed;
        struct model *m = calloc(1, sizeof(*m));
        struct world w = {.disk = sim_disk_new(seed), .clock = START_CLOCK};

        assert_non_null(m);
        m->horizon = NO_HORIZON;
        assert_true(world_open(&w) >= 0);
        assert_true(
            world_run(
                &w,
                seed % 2
                    ? "CREATE TABLE m (k INT, time TIMESTAMP, PRIMARY KEY (time, k))"
                    : "CREATE TABLE m (k INT NOT NULL, time TIMESTAMP NOT NULL, PRIMARY KEY ((k, "
                      "QUANTUM(time, 6, 'h')), k, time DESC))") >= 0);
        for (int step = 0; step < 80; step++) {
            history_step(&w, m, &s);
            model_compare(&w, m, seed, step);
        }
        world_close(&w);
        sim_disk_free(w.disk);
        free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histories),
        SWEEP_TESTS(&faults),
        cmocka_unit_test_prestate(sweep_allocations, &faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
