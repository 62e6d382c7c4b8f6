/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that expire give their space back while nobody does anything: the background looks. Of
 * tables with a time to live, and of those that only a statement gave one. */
#include "dendro.h"
#include "engine/engine_int.h"
#include "volume/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct world {
    struct sim_disk *disk;
    struct volume *v;
    dendro_db *db;
    dendro_conn *conn;
};

static void open_world(struct world *w, uint64_t seed)
{
    struct engine_options options = {.background = true};
    struct dn_err err;

    assert_int_equal(sim_volume_open(w->disk, seed, &w->v, &err), 0);
    sched_sim_set_stack(w->v->sched, 4u << 20);
    if (engine_open_volume(w->v, &options, &w->db, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(dendro_connect(w->db, &w->conn, NULL), DENDRO_OK);
}

static void close_world(struct world *w)
{
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->v);
}

static void run(struct world *w, const char *sql)
{
    struct dendro_error err;

    if (dendro_exec(w->conn, sql, -1, NULL, NULL, &err) != DENDRO_OK)
        fail_msg("%s: %s", sql, err.message);
}

static uint64_t segments(struct world *w)
{
    struct shard_stats stats;

    shard_get_stats(w->db->shard, &stats);
    return stats.segments;
}

/* Minutes in which nobody does anything. */
static void idle(struct world *w, uint64_t minutes)
{
    sched_sleep_ns(w->v->sched, minutes * 60 * UINT64_C(1000000000));
}

static void space(uint64_t seed, const char *create, const char *insert)
{
    struct world w = {.disk = sim_disk_new(seed)};

    open_world(&w, seed);
    run(&w, create);
    run(&w, insert);
    run(&w, "CHECKPOINT");
    assert_int_equal(segments(&w), 1);
    idle(&w, 5);
    assert_int_equal(segments(&w), 1);
    idle(&w, 8);
    assert_int_equal(segments(&w), 0);
    /* … and when it is opened in between. */
    run(&w, insert);
    run(&w, "CHECKPOINT");
    close_world(&w);
    open_world(&w, seed + 1);
    assert_int_equal(segments(&w), 1);
    idle(&w, 13);
    assert_int_equal(segments(&w), 0);
    close_world(&w);
    sim_disk_free(w.disk);
}

static void test_space(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        space(seed,
              "CREATE TABLE t (k INT PRIMARY KEY) WITH (default_time_to_live = 600)",
              "INSERT INTO t VALUES (1), (2)");
        space(seed,
              "CREATE TABLE t (k INT PRIMARY KEY)",
              "INSERT INTO t VALUES (1), (2) USING TTL 600");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_space)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
