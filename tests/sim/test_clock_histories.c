/* SPDX-License-Identifier: Apache-2.0
 *
 * test_clock_histories.c: long random histories of rows, jumps of the clock both ways, restarts and
 * crashes, against a model that knows what time it really is: nothing is dropped for good that a
 * right clock would keep (docs/adr/0014). DENDRO_TEST_SEED repeats one history, DENDRO_TEST_SECONDS
 * is the budget. */
#include "clock_world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- histories ---- */

#define ROWS_MAX 600

struct model_row {
    char table;
    bool there; /* it was acknowledged */
    int64_t at; /* r, n: its time; e: when it expires, by a right clock */
};

struct model {
    struct rng r;
    struct model_row rows[ROWS_MAX]; /* by key */
    size_t count;
};

static void history_jump(struct world *w, struct model *m)
{
    static const int64_t errors[] = {
        0, 0, 0, 8 * DAY, 40 * DAY, 5 * YEAR, -3600 * SECOND, -20 * DAY, -10 * YEAR};

    world_off(w, errors[rng_below(&m->r, (uint32_t)DN_ARRAY_SIZE(errors))]);
}

/* A clock that is behind may take rows of the present for ones of the future; nothing else refuses
 * what a right clock takes. */
static void history_put(struct world *w, struct model *m)
{
    int64_t now = world_now(w);
    struct model_row *row = &m->rows[m->count];
    char sql[120];
    struct dendro_error err;
    int64_t days = rng_below(&m->r, 25);
    int rc;

    if (m->count == ROWS_MAX)
        return;
    switch (rng_below(&m->r, 4)) {
    case 0:
        /* Behind, what is known of the time is what elapsed while the machine was on. */
        *row = (struct model_row){
            'e', false, now + (1 + days) * DAY - (w->error_ns < 0 ? w->lost_ns : 0)};
        snprintf(sql,
                 sizeof sql,
                 "INSERT INTO e VALUES (%zu) USING TTL INTERVAL '%d days'",
                 m->count,
                 (int)days + 1);
        rc = world_run(w, &err, sql);
        break;
    case 1:
        *row = (struct model_row){'n', false, now};
        rc = world_put(w, "n", (int64_t)m->count, row->at);
        break;
    case 2:
        *row = (struct model_row){'n', false, now + (300 + days) * DAY};
        rc = world_put(w, "n", (int64_t)m->count, row->at);
        if (rc >= 0 && w->error_ns <= 0)
            fail_msg("seed %" PRIu64 ": a row of the future was taken", w->seed);
        break;
    default:
        *row = (struct model_row){'r', false, now - days * DAY};
        rc = world_put(w, "r", (int64_t)m->count, row->at);
        break;
    }
    row->there = rc >= 0;
    if (rc < 0 && row->at <= now && w->error_ns >= 0)
        fail_msg("seed %" PRIu64 ": row %zu of %c was refused", w->seed, m->count, row->table);
    m->count++;
}

/* Would a right clock keep it? Days of n that have rows count up to today. */
static bool history_kept(const struct model *m, const struct model_row *row, int64_t now)
{
    int64_t days = 0;

    if (!row->there)
        return false;
    if (row->table == 'e')
        return now < row->at;
    if (row->table == 'r')
        return row->at / DAY >= (now - 30 * DAY) / DAY;
    for (int64_t day = row->at / DAY; day <= now / DAY; day++)
        for (size_t i = 0; i < m->count; i++)
            if (m->rows[i].there && m->rows[i].table == 'n' && m->rows[i].at / DAY == day) {
                days++;
                break;
            }
    return days <= 5;
}

static int history_seen(void *arg, dendro_stmt *stmt)
{
    bool *seen = arg;

    seen[dendro_column_int64(stmt, 0)] = true;
    return 0;
}

/* With a clock that is right, as an operator would set it. */
static void history_check(struct world *w, const struct model *m)
{
    int64_t error = w->error_ns;
    bool seen[ROWS_MAX] = {false};
    int64_t now;

    world_off(w, 0);
    now = world_now(w);
    assert_true(dendro_exec(w->d.conn,
                            "SELECT k FROM r UNION ALL SELECT k FROM n UNION ALL SELECT k FROM e",
                            -1,
                            history_seen,
                            seen,
                            NULL) >= 0);
    for (size_t i = 0; i < m->count; i++)
        if (!seen[i] && history_kept(m, &m->rows[i], now))
            fail_msg("seed %" PRIu64 ": row %zu of %c is gone", w->seed, i, m->rows[i].table);
    world_off(w, error);
}

static void history_step(struct world *w, struct model *m)
{
    struct dendro_error err;

    switch (rng_below(&m->r, 12)) {
    case 0:
        world_pass(w, (int64_t)rng_below(&m->r, 4 * 3600) * SECOND);
        break;
    case 1:
        history_jump(w, m);
        break;
    case 2:
        world_close(w);
        if (rng_one_in(&m->r, 3))
            sim_disk_crash(w->d.disk);
        world_pass(w, (int64_t)rng_below(&m->r, rng_one_in(&m->r, 5) ? 20 : 3) * DAY);
        history_jump(w, m);
        world_open(w);
        break;
    case 3:
        world_must(w, "CHECKPOINT");
        break;
    case 4:
        world_merge(w);
        break;
    case 5: /* a superuser does that when the clock is right */
        if (w->error_ns == 0 && world_confirm(w, world_now(w) / DAY, &err) < 0)
            fail_msg("seed %" PRIu64 ": confirm: %s", w->seed, err.message);
        w->lost_ns = w->error_ns == 0 ? 0 : w->lost_ns;
        break;
    default:
        history_put(w, m);
        break;
    }
}

static void history(uint64_t seed)
{
    struct model *m = calloc(1, sizeof *m);
    struct dendro_error err;
    struct world w;
    char sql[120];

    assert_non_null(m);
    m->r.state = seed;
    world_begin(&w, seed);
    world_make(&w);
    for (int step = 0; step < 120; step++) {
        history_step(&w, m);
        if (step % 5 == 0)
            history_check(&w, m);
    }
    world_off(&w, 0);
    if (world_confirm(&w, world_now(&w) / DAY, &err) < 0)
        fail_msg("seed %" PRIu64 ": confirm: %s", seed, err.message);
    world_must(&w, "CHECKPOINT");
    history_check(&w, m);
    snprintf(sql,
             sizeof sql,
             "SELECT count(*) FROM r WHERE time < %" PRId64,
             (world_now(&w) - 30 * DAY) / DAY * DAY / 1000000);
    if (world_number(&w, sql) != 0)
        fail_msg("seed %" PRIu64 ": rows stay that are too old", seed);
    world_end(&w);
    free(m);
}

static void test_histories(void **state)
{
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 4) * 1000;
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);

    (void)state;
    if (seed) {
        history(seed);
        return;
    }
    for (seed = 1; seed <= 4 || test_now_ms() < end; seed++)
        history(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_histories)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
