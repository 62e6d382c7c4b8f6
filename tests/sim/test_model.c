/* SPDX-License-Identifier: Apache-2.0
 *
 * test_model.c: the whole engine on the simulated volume against a naive model, in SQL: random
 * tables of every key form, INSERTs, UPDATEs and DELETEs good and bad, queries, CHECKPOINT, CREATE,
 * ALTER, TRUNCATE and DROP, merges, closing and reopening, crashes at any storage call, failing and
 * full disks. After every statement that failed the database holds what it held before; after every
 * crash it holds what was acknowledged, and of the statement that was under way all or nothing.
 *
 * A failure prints the seed; DENDRO_TEST_SEED reproduces it, DENDRO_TEST_TRACE=1 prints every
 * statement, DENDRO_TEST_SECONDS sets the time budget. */
#include "sql_codecs.h"
#include "sql_load.h"
#include "sql_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEPS    70
#define ROWS_MAX 400u /* no INSERT into a table beyond: the model is quadratic */
#define BIG_ONE_IN \
    16u /* of so many worlds one has fewer steps and bigger tables: several vectors */
#define BIG_STEPS     20
#define BIG_ROWS      6000u
#define CODECS_SEED   1000000000u /* worlds from here on are big ones */
#define CODECS_WORLDS 160u

/* ---- steps ---- */

static int world_load(struct world *w,
                      const struct sqlm_table *t,
                      const struct sqlm_insert *ins,
                      enum sqlm_door door,
                      struct dendro_error *err)
{
    static const char *const doors[] = {"", "by the appender", "as CSV"};
    int rc;

    if (door == SQLM_BY_INSERT)
        return world_exec(w, (const char *)ins->sql.data, err);
    world_trace(w, doors[door]);
    rc = sqlm_load(t, ins, door, &w->rng, w->d.conn, err);
    world_said(w, (const char *)ins->sql.data, rc, err);
    return rc;
}

static void step_insert(struct world *w)
{
    uint32_t i = rng_below(&w->rng, TABLES);
    struct sqlm_table *t = &w->t[i];
    enum sqlm_door door = SQLM_BY_INSERT;
    struct sqlm_insert ins;
    struct dendro_error err;
    bool armed;
    int rc;

    if (!t->exists || t->rows.count > (w->big ? BIG_ROWS : ROWS_MAX))
        return;
    if (w->ddl == DDL_ALTER)
        world_know(w);
    sqlm_insert_random(&ins, t, &w->rng, w->big ? BIG_ROWS / 4 : rng_below(&w->rng, 8) ? 6 : 60);
    if (!ins.bad && rng_one_in(&w->rng, 2))
        door = (enum sqlm_door)rng_below(&w->rng, SQLM_DOOR_MAX);
    armed = world_arm(w);
    rc = world_load(w, t, &ins, door, &err);
    if (world_again(w, armed, rc, &err))
        rc = world_load(w, t, &ins, door, &err);
    if (rc == DN_E_UNDEFINED_TABLE && w->ddl == DDL_DROP && w->ddl_table == i) {
        /* A write finds out whether the DROP that failed had happened. */
        world_settle_ddl(w);
        if (t->exists)
            world_die(w, (const char *)ins.sql.data, err.message);
        sqlm_insert_done(&ins);
        world_disarm(w, armed, false);
        return;
    }
    if (rc == 0 && ins.bad)
        world_die(w, (const char *)ins.sql.data, ins.bad);
    if (rc < 0 && !ins.bad && !(armed && world_fault_code(rc)))
        world_die(w, (const char *)ins.sql.data, err.message);
    if (rc == 0) {
        sqlm_insert_apply(&ins, t);
        world_forget_maybe(w); /* this one's place in the log says that they never happened */
    } else if (!ins.bad && world_unknown(w, &err)) {
        struct sql_rows before;
        sql_rows_copy(&t->rows, &before);
        sqlm_insert_apply(&ins, t);
        world_maybe(w, i, &t->rows);
        t->rows = before;
    }
    sqlm_insert_done(&ins);
    if (w->failed)
        return;
    /* A load in doubt is one until the manifest is read again, whatever the log says since. */
    if (rc < 0 && door == SQLM_BY_CSV && w->maybe_count > 0)
        world_reopen(w, true);
    else
        world_disarm(w, armed, rc < 0);
}

static void step_change(struct world *w)
{
    uint32_t i = rng_below(&w->rng, TABLES);
    struct sqlm_table *t = &w->t[i];
    struct sqlm_change c;
    struct dendro_error err;
    bool armed;
    int rc;

    /* A DROP whose outcome is open: the table may go away at any statement. */
    if (!t->exists || (w->ddl != DDL_NONE && w->ddl != DDL_ALTER))
        return;
    if (w->ddl == DDL_ALTER)
        world_know(w);
    sqlm_change_random(&c, t, &w->rng);
    armed = world_arm(w);
    rc = world_exec(w, (const char *)c.sql.data, &err);
    if (world_again(w, armed, rc, &err))
        rc = world_exec(w, (const char *)c.sql.data, &err);
    if (rc == 0 && c.bad)
        world_die(w, (const char *)c.sql.data, c.bad);
    if (rc < 0 && !c.bad && !(armed && world_fault_code(rc)))
        world_die(w, (const char *)c.sql.data, err.message);
    if (rc == 0 && !w->failed) {
        sql_rows_done(&t->rows);
        t->rows = c.after;
        memset(&c.after, 0, sizeof c.after);
        if (c.matched > 0)
            world_forget_maybe(w); /* as for an INSERT; one that found no rows wrote nothing */
    } else if (!c.bad && world_unknown(w, &err)) {
        world_maybe(w, i, &c.after);
    }
    sqlm_change_done(&c);
    if (!w->failed)
        world_disarm(w, armed, rc < 0);
}

static void step_alter(struct world *w)
{
    uint32_t i = rng_below(&w->rng, TABLES);
    struct sqlm_table *t = &w->t[i];
    struct dendro_error err;
    struct sqlm_alter a;
    bool armed;
    int rc;

    if (!t->exists || w->maybe_count > 0)
        return;
    if (w->ddl != DDL_NONE)
        world_know(w);
    if (!t->exists || w->failed || !sqlm_alter_random(&a, t, &w->rng, w->names++))
        return;
    armed = !a.silent && world_arm(w);
    rc = world_exec(w, (const char *)a.sql.data, &err);
    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, (const char *)a.sql.data, err.message);
    if (rc == 0) {
        sqlm_table_done(t);
        *t = a.after;
        memset(&a.after, 0, sizeof a.after);
        sqlm_alter_done(&a);
    } else {
        w->alter = a;
        w->ddl = DDL_ALTER;
        w->ddl_table = i;
    }
    world_disarm(w, armed, rc < 0);
}

static void step_create(struct world *w, uint32_t i)
{
    struct sqlm_table *t = &w->t[i];
    struct dendro_error err;
    char name[16];
    bool armed;
    int rc;

    sqlm_table_done(t);
    (void)snprintf(name, sizeof name, "t%u", w->names++);
    sqlm_table_random(t, &w->rng, name);
    armed = world_arm(w);
    rc = world_exec(w, (const char *)t->create.data, &err);
    t->exists = rc == 0;
    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, (const char *)t->create.data, err.message);
    if (rc < 0) {
        w->ddl = DDL_CREATE;
        w->ddl_table = i;
    }
    world_disarm(w, armed, rc < 0);
}

static void step_drop(struct world *w, uint32_t i)
{
    struct sqlm_table *t = &w->t[i];
    struct dendro_error err;
    char sql[64];
    bool armed = world_arm(w);
    int rc;

    (void)snprintf(sql, sizeof sql, "DROP TABLE %s", t->name);
    rc = world_exec(w, sql, &err);
    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, sql, err.message);
    if (rc == 0) {
        t->exists = false;
    } else {
        w->ddl = DDL_DROP;
        w->ddl_table = i;
    }
    world_disarm(w, armed, rc < 0);
}

/* Creates or drops table i. */
static void step_ddl(struct world *w, uint32_t i)
{
    if (w->ddl != DDL_NONE)
        world_know(w);
    if (!w->failed && w->t[i].exists)
        step_drop(w, i);
    else if (!w->failed)
        step_create(w, i);
}

static void step_checkpoint(struct world *w)
{
    struct dendro_error err;
    bool armed = world_arm(w);
    int rc = world_exec(w, "CHECKPOINT", &err);

    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, "CHECKPOINT", err.message);
    world_disarm(w, armed, rc < 0);
}

/* What the background does now and then. */
static void step_merge(struct world *w)
{
    bool armed = world_arm(w);
    struct dn_err err;
    int rc = sql_db_merge(&w->d, &err);

    world_trace(w, "merge");
    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, "merge", err.text);
    world_disarm(w, armed, false);
    if (!w->failed && w->ddl == DDL_NONE && rng_one_in(&w->rng, 2))
        world_verify(w, "after a merge");
}

static void step_query(struct world *w)
{
    const struct sqlm_table *t = &w->t[rng_below(&w->rng, TABLES)];
    const char *bad;
    bool armed;

    /* A DROP whose outcome is open: the table may go away at any statement. */
    if (!t->exists || w->ddl != DDL_NONE)
        return;
    armed = world_arm(w);
    bad = sqlm_query(t, &w->rng, w->d.conn, armed);
    if (bad)
        world_die(w, "query", bad);
    if (!w->failed)
        world_disarm(w, armed, false);
}

static void world_step(struct world *w)
{
    uint32_t what = rng_below(&w->rng, 42);

    if (what < 12)
        step_insert(w);
    else if (what < 19)
        step_change(w);
    else if (what < 31)
        step_query(w);
    else if (what < 34)
        step_checkpoint(w);
    else if (what < 36)
        step_merge(w);
    else if (what < 39)
        step_alter(w);
    else if (what < 40)
        step_ddl(w, rng_below(&w->rng, TABLES));
    else
        world_reopen(w, rng_one_in(&w->rng, 2));
}

static void world_run(struct world *w, uint64_t seed, bool big)
{
    struct dn_err err;

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->rng.state = seed;
    w->big = rng_one_in(&w->rng, BIG_ONE_IN) || big;
    w->trace = test_env("DENDRO_TEST_TRACE", 0);
    sql_db_init(&w->d, seed);
    if (world_open(w, &err) < 0)
        world_die(w, "cannot begin", err.text);
    for (uint32_t i = 0; i < TABLES && !w->failed; i++)
        step_ddl(w, i);
    for (int i = 0; i < (w->big ? BIG_STEPS : STEPS) && !w->failed; i++)
        world_step(w);
    if (!w->failed)
        world_reopen(w, false);
    world_forget_maybe(w);
    sqlm_alter_done(&w->alter);
    for (uint32_t i = 0; i < TABLES; i++)
        sqlm_table_done(&w->t[i]);
    sql_db_done(&w->d);
}

static uint64_t model_merges;

static void model_seed(uint64_t seed, bool big)
{
    size_t before = mem_process_used();
    struct world *w = malloc(sizeof *w);
    bool failed;

    assert_non_null(w);
    world_run(w, seed, big);
    failed = w->failed;
    model_merges += w->merges;
    free(w);
    assert_false(failed);
    if (mem_process_used() != before)
        fail_msg(
            "seed %llu leaves %zu bytes", (unsigned long long)seed, mem_process_used() - before);
}

static void test_model(void **state)
{
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 10) * 1000;
    /* A longer budget goes where no shorter one has been. */
    uint64_t first = seed ? seed : 1;
    uint64_t n;

    (void)state;
    for (n = first; n == first || (!seed && test_now_ms() < end); n++)
        model_seed(n, n >= CODECS_SEED);
    print_message("%llu seeds\n", (unsigned long long)(n - first));
}

/* Every codec of the list is chosen for some vector of these worlds: a new one that no table of the
 * model suits would otherwise go untested here. */
static void test_codecs(void **state)
{
    uint64_t n = 0;

    (void)state;
    if (test_env("DENDRO_TEST_SEED", 0))
        skip();
    while (n < CODECS_WORLDS && sqlm_codec_missing())
        model_seed(CODECS_SEED + n++, true);
    if (sqlm_codec_missing())
        fail_msg("%s was never chosen", sqlm_codec_missing());
    if (model_merges == 0)
        fail_msg("no segments were merged");
    print_message("all codecs after %llu big worlds, %llu merges\n",
                  (unsigned long long)n,
                  (unsigned long long)model_merges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_codecs),
    };

    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
