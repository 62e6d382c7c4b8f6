/* SPDX-License-Identifier: Apache-2.0
 *
 * Time partitions under faults: wherever a call of the volume fails, the disk is full or the power
 * goes, what was acknowledged is there, once, and rollouts go on as if nothing had happened; and
 * long histories of inserts, rollouts and retention changes against a model that is obviously
 * right. */
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

/* ---- faults at every step ---- */

#define KEYS_MAX 32

static struct {
    bool put[KEYS_MAX];      /* it was acknowledged */
    int64_t at[KEYS_MAX];    /* when */
    int64_t shard[KEYS_MAX]; /* into this one, or a later one */
    bool made;               /* the partition was */
    int64_t oldest;          /* shards before it were evicted by RETENTION 2 */
    int64_t clock;
    struct sim_disk *disk;
    uint64_t epoch;
} seen;

static int64_t rolls_until(int64_t at)
{
    int64_t first = 1704153600; /* 2024-01-02 */

    return at < first ? 0 : 1 + (at - first) / DAY;
}

static bool put(struct world *w, int key)
{
    char sql[80];

    snprintf(sql, sizeof(sql), "INSERT INTO p VALUES (%d, 'v')", key);
    seen.at[key] = w->clock;
    seen.shard[key] = rolls_until(w->rolled);
    seen.put[key] = world_run(w, sql) >= 0;
    return seen.put[key];
}

static void faults_script(struct world *w)
{
    int key = 10;

    if (world_run(w, "CREATE TABLE t1 (k INT PRIMARY KEY, v TEXT)") < 0)
        return;
    if (world_run(w, "INSERT INTO t1 VALUES (1, 'a'), (2, 'b')") < 0)
        return;
    seen.made = world_run(w,
                          "CREATE TIME PARTITION ON t1 AS p PERIOD 'daily' RETENTION 2 START "
                          "'2024-01-02'") >= 0;
    if (!seen.made)
        return;
    put(w, key++);
    for (int day = 0; day < 3; day++) {
        DN_IGNORE(world_advance(w, 43200 - 900)); /* what fails is due at the next step */
        put(w, key++);
        DN_IGNORE(world_advance(w, 900));
        put(w, key++);
        DN_IGNORE(world_advance(w, 43200));
        put(w, key++);
    }
    seen.oldest = rolls_until(w->clock) - 1;
    DN_IGNORE(world_run(w, "PUT TIME PARTITION p RETENTION 3"));
    DN_IGNORE(world_run(w, "ALTER TABLE p ADD COLUMN x INT"));
    DN_IGNORE(world_advance(w, DAY));
    DN_IGNORE(world_run(w, "CHECKPOINT"));
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

/* The partition is there whole or not at all; every row that was acknowledged and is not too old is
 * there once; the shards are those of that moment; and the next day comes as any other. */
static void faults_check(const char *what, uint64_t n)
{
    struct world w = {.disk = seen.disk, .clock = seen.clock, .epoch = seen.epoch};
    char *got;

    if (world_open(&w) < 0)
        fail_msg("%s %" PRIu64 ": the database does not open", what, n);
    got = world_list(&w, "SELECT count(*) FROM comdb2_timepartitions");
    if (strcmp(got, "0\n") == 0 && seen.made)
        fail_msg("%s %" PRIu64 ": the partition is gone", what, n);
    if (strcmp(got, "0\n") == 0) {
        free(got);
        world_close(&w);
        return;
    }
    free(got);
    for (int step = 0; step < 2; step++) {
        char *rows = world_list(&w, "SELECT k FROM p ORDER BY k");
        char *shards = world_list(&w, "SELECT count(*) FROM comdb2_timepartshards");
        char *retention = world_list(&w, "SELECT retention FROM comdb2_timepartitions");
        int64_t keeps = strtoll(retention, NULL, 10);
        int64_t rolls = rolls_until(w.clock);
        int64_t oldest = rolls - keeps + 1;

        if (oldest < seen.oldest)
            oldest = seen.oldest;
        for (int k = 10; k < KEYS_MAX; k++) {
            char line[16], *at;

            snprintf(line, sizeof(line), "%d\n", k);
            at = strstr(rows, line);
            if (seen.put[k] && seen.shard[k] >= oldest && !at)
                fail_msg("%s %" PRIu64 ": row %d is missing among %s", what, n, k, rows);
            if (seen.put[k] && rolls_until(seen.at[k]) < rolls - keeps && at)
                fail_msg("%s %" PRIu64 ": row %d should be gone", what, n, k);
            if (at && strstr(at + 1, line))
                fail_msg("%s %" PRIu64 ": row %d is there twice", what, n, k);
        }
        if (strtoll(shards, NULL, 10) > keeps)
            fail_msg("%s %" PRIu64 ": %s shards", what, n, shards);
        free(rows);
        free(shards);
        free(retention);
        if (world_advance(&w, DAY) < 0)
            fail_msg("%s %" PRIu64 ": the next rollout fails", what, n);
    }
    world_close(&w);
}

static struct sweep faults = {.run = faults_run, .check = faults_check, .grain = 60};

/* ---- ALTER TABLE that writes every row anew, of all shards at once ---- */

static struct {
    int done; /* statements that were acknowledged */
    struct sim_disk *disk;
    uint64_t epoch;
} rewritten;

static const char *const rewrite_steps[] = {
    ("CREATE TABLE r (k INT, v TEXT) PARTITIONED BY MANUAL RETENTION 3 START 1; INSERT INTO r "
     "VALUES (1, '1'), (2, '2'); PUT COUNTER r SET 1; INSERT INTO r VALUES (1, '3'), (4, '4')"),
    "ALTER TABLE r ALTER COLUMN v TYPE INT USING v::INT * 10",
    "ALTER TABLE r ADD PRIMARY KEY (k), ADD COLUMN n SERIAL",
    "CHECKPOINT",
};
#define REWRITE_STEPS DN_ARRAY_SIZE(rewrite_steps)

static void rewrite_run(struct sim_disk *disk)
{
    struct world w = {.disk = disk, .clock = START_CLOCK};
    size_t i = 0;

    memset(&rewritten, 0, sizeof(rewritten));
    rewritten.disk = disk;
    if (world_open(&w) >= 0)
        while (i < REWRITE_STEPS && world_run(&w, rewrite_steps[i]) >= 0)
            rewritten.done = (int)++i;
    world_close(&w);
    rewritten.epoch = w.epoch;
}

/* All shards have all rows, with the old definition or all with the new one. */
static void rewrite_check(const char *what, uint64_t n)
{
    struct world w = {.disk = rewritten.disk, .clock = START_CLOCK, .epoch = rewritten.epoch};
    char *type, *rows, *hidden;
    bool serial;

    if (world_open(&w) < 0)
        fail_msg("%s %" PRIu64 ": the database does not open", what, n);
    type = world_list(&w,
                      "SELECT string_agg(column_name || ' ' || data_type, ',' ORDER BY "
                      "ordinal_position) FROM information_schema.columns WHERE table_name = 'r'");
    hidden = world_list(&w,
                        "SELECT count(*) FROM pg_class WHERE relname = 'r' OR relname LIKE "
                        "'alter table%'");
    if (rewritten.done >= 1) {
        serial = strstr(type, ",n ") != NULL;
        rows = world_list(&w, "SELECT k, v FROM r ORDER BY k, v");
        if (strcmp(rows,
                   strstr(type, "v integer") ? "1|10\n1|30\n2|20\n4|40\n"
                                             : "1|1\n1|3\n2|2\n4|4\n") != 0)
            fail_msg("%s %" PRIu64 ": %s, %s", what, n, type, rows);
        if ((rewritten.done >= 2 && !strstr(type, "v integer")) ||
            (rewritten.done >= 3 && !serial) || strcmp(hidden, "1\n") != 0)
            fail_msg("%s %" PRIu64 ": %s after step %d, %s", what, n, type, rewritten.done, hidden);
        free(rows);
        rows = world_list(
            &w, serial ? "SELECT count(*), count(DISTINCT n) FROM r" : "SELECT count(*), 4 FROM r");
        assert_string_equal(rows, "4|4\n");
        free(rows);
        if (world_run(&w, "PUT COUNTER r SET 4; INSERT INTO r (k, v) VALUES (5, '5')") < 0)
            fail_msg("%s %" PRIu64 ": the partition does not go on", what, n);
        rows = world_list(&w, "SELECT k FROM r");
        assert_string_equal(rows, "5\n");
        free(rows);
    }
    free(type);
    free(hidden);
    world_close(&w);
}

static struct sweep rewrites = {.run = rewrite_run, .check = rewrite_check, .grain = 200};

/* ---- histories ---- */

#define ROWS_MAX 4096

struct model {
    int64_t key[ROWS_MAX];
    int64_t shard[ROWS_MAX];
    size_t count;
    int64_t start, period; /* seconds; period 0: by the counter */
    int64_t counter;
    int64_t retention;
    int64_t oldest; /* shards below it are gone */
};

static int64_t model_rolls(const struct model *m, int64_t clock)
{
    int64_t at = m->period ? clock : m->counter;
    int64_t step = m->period ? m->period : 1;

    return at < m->start ? 0 : 1 + (at - m->start) / step;
}

static void model_age(struct model *m, int64_t clock)
{
    int64_t oldest = model_rolls(m, clock) - m->retention + 1;

    if (oldest > m->oldest)
        m->oldest = oldest;
}

static int cmp_key(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void model_compare(struct world *w, const struct model *m, uint64_t seed, int step)
{
    int64_t keys[ROWS_MAX];
    size_t n = 0;
    struct buf want;
    char *got = world_list(w, "SELECT k FROM p ORDER BY k");

    for (size_t i = 0; i < m->count; i++)
        if (m->shard[i] >= m->oldest)
            keys[n++] = m->key[i];
    qsort(keys, n, sizeof(*keys), cmp_key);
    buf_init(&want, NULL);
    for (size_t i = 0; i < n; i++)
        buf_printf(&want, "%" PRId64 "\n", keys[i]);
    buf_u8(&want, 0);
    if (strcmp(got, (const char *)want.data) != 0)
        fail_msg("seed %" PRIu64 ", step %d: got\n%s, want\n%s", seed, step, got, want.data);
    buf_done(&want);
    free(got);
}

/* A key once per shard: again in the same shard it replaces the row. */
static void model_put(struct model *m, int64_t key, int64_t shard)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->key[i] == key && m->shard[i] == shard)
            return;
    m->key[m->count] = key;
    m->shard[m->count++] = shard;
}

static void model_delete(struct model *m, int64_t key)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->count; i++) {
        if (m->key[i] == key)
            continue;
        m->key[kept] = m->key[i];
        m->shard[kept++] = m->shard[i];
    }
    m->count = kept;
}

static void history_begin(struct world *w, struct model *m, uint64_t *s)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } periods[] = {
        {"daily", DAY}, {"hourly", 3600}, {"weekly", 7 * DAY}, {"15 minutes", 900}, {"manual", 0}};
    size_t at = seed_next(s) % DN_ARRAY_SIZE(periods);
    bool table = seed_next(s) % 2;
    char sql[400], start[40];

    m->period = periods[at].seconds;
    m->retention = 1 + (int64_t)(seed_next(s) % 5);
    /* In the past, of a VIEW: then what it had when it was made is too old at once. */
    m->start = m->period ? START_CLOCK + DAY : 1;
    if (m->period)
        snprintf(start, sizeof(start), "'2024-01-02T12:00:00Z'");
    else
        snprintf(start, sizeof(start), table ? "1" : "'1'");
    if (table && m->period)
        snprintf(sql,
                 sizeof(sql),
                 "CREATE TABLE p (k INT PRIMARY KEY, v INT) PARTITIONED BY TIME PERIOD '%s' "
                 "RETENTION %d START %s",
                 periods[at].name,
                 (int)m->retention,
                 start);
    else if (table)
        snprintf(sql,
                 sizeof(sql),
                 "CREATE TABLE p (k INT PRIMARY KEY, v INT) PARTITIONED BY MANUAL RETENTION %d "
                 "START %s",
                 (int)m->retention,
                 start);
    else
        snprintf(sql,
                 sizeof(sql),
                 "CREATE TABLE p0 (k INT PRIMARY KEY, v INT); CREATE TIME PARTITION ON p0 AS p "
                 "PERIOD '%s' RETENTION %d START %s",
                 periods[at].name,
                 (int)m->retention,
                 start);
    assert_true(world_run(w, sql) >= 0);
}

static void history_step(struct world *w, struct model *m, uint64_t *s)
{
    char sql[120];
    int64_t key = (int64_t)(seed_next(s) % 40);
    struct sim_disk *disk = w->disk;

    switch (seed_next(s) % 12) {
    case 0:
    case 1:
        assert_true(world_advance(w, (int64_t)(seed_next(s) % (3 * DAY))) >= 0);
        break;
    case 2:
        assert_true(world_advance(w, (int64_t)(seed_next(s) % 5000)) >= 0);
        break;
    case 3:
        if (m->period == 0) {
            m->counter += 1 + (int64_t)(seed_next(s) % 3);
            snprintf(sql, sizeof(sql), "PUT COUNTER p SET %" PRId64, m->counter);
            assert_true(world_run(w, sql) >= 0);
        }
        break;
    case 4:
        if (seed_next(s) % 3 == 0) {
            m->retention = 1 + (int64_t)(seed_next(s) % 6);
            snprintf(sql, sizeof(sql), "PUT TIME PARTITION p RETENTION %d", (int)m->retention);
            assert_true(world_run(w, sql) >= 0);
        }
        break;
    case 5:
        snprintf(sql, sizeof(sql), "DELETE FROM p WHERE k = %d", (int)key);
        assert_true(world_run(w, sql) >= 0);
        model_delete(m, key);
        break;
    case 6:
        world_close(w);
        w->disk = disk;
        assert_true(world_open(w) >= 0);
        break;
    case 7:
        assert_true(world_run(w, "CHECKPOINT") >= 0);
        break;
    default:
        snprintf(sql, sizeof(sql), "INSERT INTO p VALUES (%d, 1)", (int)key);
        assert_true(world_run(w, sql) >= 0);
        model_put(m, key, model_rolls(m, w->clock));
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
        assert_true(world_open(&w) >= 0);
        m->counter = -1;
        history_begin(&w, m, &s);
        for (int step = 0; step < 60; step++) {
            history_step(&w, m, &s);
            model_age(m, w.clock);
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
        SWEEP_TESTS(&rewrites),
        cmocka_unit_test_prestate(sweep_allocations, &rewrites),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
