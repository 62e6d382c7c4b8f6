/* SPDX-License-Identifier: Apache-2.0
 *
 * test_slabs.c: DROP, DETACH and ATTACH PARTITION, disturbed at every point: the n-th allocation
 * fails, the n-th call of the volume fails, fills the disk or is the moment of a power cut. Rows
 * are where an undisturbed run has them after as many statements as were acknowledged, or after the
 * one more that was begun; none is lost, since what left the table can be attached; and what was
 * made half can be made again at the same place. */
#include "db_fix.h"
#include "sweep_fix.h"

#include "volume/other.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DETACH "ALTER TABLE m DETACH PARTITIONS WHERE time < '2024-01-04' TO 'd'"
#define ATTACH "ALTER TABLE m ATTACH PARTITION FROM 'd'"

/* Each ends in a state of its own: rows of the table by days. */
static const char *const script[] = {
    ("CREATE TABLE m (g INT NOT NULL, time TIMESTAMP NOT NULL, x VARCHAR, s SERIAL, "
     "PRIMARY KEY ((g, QUANTUM(time, 1, 'd')), g, time))"),
    ("INSERT INTO m (g, time, x) SELECT 1, TIMESTAMP '2024-01-01' + i * INTERVAL '6 hours', "
     "'value ' || i FROM generate_series(0, 23) i"),
    "CHECKPOINT",
    ("INSERT INTO m (g, time, x) SELECT 2, TIMESTAMP '2024-01-01' + i * INTERVAL '12 hours', "
     "'other ' || i FROM generate_series(0, 11) i USING TTL '10 years'"),
    "ALTER TABLE m DROP PARTITION LIST '2024-01-01', '2024-01-05'",
    DETACH,
    "INSERT INTO m VALUES (3, '2024-01-06 01:00', 'more')",
    ATTACH,
    "CHECKPOINT",
};
#define STEPS       DN_ARRAY_SIZE(script)
#define STEP_DETACH 5u /* begun when so many are done */
#define SEEN        4096

static char expected[STEPS + 1][SEEN];

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    size_t done;  /* statements acknowledged */
    size_t tried; /* statements begun */
    int rc;
};

struct text {
    char *to;
    size_t len;
};

static int add_row(void *arg, dendro_stmt *stmt)
{
    struct text *t = arg;

    for (int i = 0; t && i < dendro_column_count(stmt); i++) {
        const char *value = dendro_column_text(stmt, i);

        t->len += (size_t)snprintf(t->to + t->len, SEEN - t->len, "%s|", value ? value : "NULL");
    }
    return 0;
}

static void look(dendro_conn *conn, char *to)
{
    struct text t = {.to = to};
    struct dendro_error e;

    to[0] = '\0';
    if (dendro_exec(conn, "SELECT *, ttl(m) > 0 FROM m ORDER BY g, time", -1, add_row, &t, &e) < 0)
        snprintf(to, SEEN, "no table");
}

static int run(struct world *w, const char *sql, struct dendro_error *e)
{
    return dendro_exec(w->conn, sql, -1, add_row, NULL, e);
}

static int world_open(struct world *w, uint64_t seed)
{
    struct engine_options options = {.flags = 0};
    struct dn_err err;
    int rc = sim_volume_open(w->disk, seed, &w->volume, &err);

    if (rc == 0)
        rc = engine_open_volume(w->volume, &options, &w->db, &err);
    return rc < 0 ? rc : dendro_connect(w->db, &w->conn, NULL);
}

static void world_close(struct world *w)
{
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
    w->conn = NULL;
    w->db = NULL;
    w->volume = NULL;
}

static void run_script(struct world *w, bool record)
{
    w->rc = world_open(w, 1);
    if (record)
        look(w->conn, expected[0]);
    while (w->rc == 0 && w->done < STEPS) {
        struct dendro_error e;

        w->tried++;
        w->rc = run(w, script[w->done], &e);
        if (record && w->rc != 0)
            fail_msg("%s: %s", script[w->done], e.message);
        w->done += w->rc == 0;
        if (record)
            look(w->conn, expected[w->done]);
    }
    world_close(w);
}

static void fault_text(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_error("check: %s\n", text);
}

/* The detached partition is a sound database. */
static void check_detached(struct world *w, const char *what, uint64_t n)
{
    const struct volume_other_options options = {.read_only = true};
    uint64_t faults = 0;
    struct volume *v;
    struct dn_err err;

    if (volume_other_open(w->volume, "d", &options, &v, &err) < 0 ||
        engine_check_volume(v, fault_text, NULL, &faults, &err) < 0)
        fail_msg("%s %llu: detached: %s", what, (unsigned long long)n, err.text);
    if (faults)
        fail_msg("%s %llu: the detached partition is damaged", what, (unsigned long long)n);
    volume_close(v);
}

/* The rows went: they come back. They did not: they can go, unless a whole copy is there. */
static void check_detach(struct world *w, const char *seen, const char *what, uint64_t n)
{
    bool gone = strcmp(seen, expected[STEP_DETACH]) != 0;
    char again[SEEN];
    struct dendro_error e;
    int rc;

    if (gone)
        check_detached(w, what, n);
    rc = run(w, gone ? ATTACH : DETACH, &e);
    if (rc < 0 && !gone && strstr(e.message, "there is a detached partition in 'd' already")) {
        check_detached(w, what, n);
        rc = run(w, ATTACH, &e);
        if (rc >= 0 || !strstr(e.message, "has rows already"))
            fail_msg("%s %llu: rows came twice: %s", what, (unsigned long long)n, e.message);
        return;
    }
    if (rc < 0)
        fail_msg("%s %llu: again: %s", what, (unsigned long long)n, e.message);
    look(w->conn, again);
    assert_string_equal(again, expected[gone ? STEP_DETACH : STEP_DETACH + 1]);
}

static void check_state(struct world *w, const char *what, uint64_t n)
{
    static char seen[SEEN];
    uint64_t faults = 0;
    struct dn_err err;

    if (world_open(w, 2) < 0)
        fail_msg("%s %llu: it does not open", what, (unsigned long long)n);
    look(w->conn, seen);
    if (strcmp(seen, expected[w->done]) != 0 && strcmp(seen, expected[w->tried]) != 0)
        fail_msg("%s %llu: after %zu of %zu statements: %.300s\ninstead of %.300s",
                 what,
                 (unsigned long long)n,
                 w->done,
                 w->tried,
                 seen,
                 expected[w->done]);
    if (w->done == STEP_DETACH)
        check_detach(w, seen, what, n);
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    if (engine_check_volume(w->volume, fault_text, NULL, &faults, &err) < 0)
        fail_msg("%s %llu: check: %s", what, (unsigned long long)n, err.text);
    assert_int_equal(faults, 0);
    volume_close(w->volume);
}

static void test_undisturbed(void **state)
{
    struct world w = {.disk = sim_disk_new(1)};

    (void)state;
    run_script(&w, true);
    assert_int_equal(w.rc, 0);
    assert_string_not_equal(expected[STEP_DETACH], expected[STEP_DETACH + 1]);
    check_state(&w, "undisturbed", 0);
    sim_disk_free(w.disk);
}

static struct world swept;

static void swept_run(struct sim_disk *disk)
{
    swept = (struct world){.disk = disk};
    run_script(&swept, false);
}

static void swept_check(const char *what, uint64_t n)
{
    check_state(&swept, what, n);
}

static struct sweep sweep = {.run = swept_run, .check = swept_check, .grain = 500};

/* ---- what ATTACH refuses ---- */

static void expect(struct db_fix *f, const char *sql, const char *part)
{
    const char *got = db_run(f, sql);

    if (!strstr(got, part))
        fail_msg("%s: %s, not %s", sql, got, part);
}

static void set_doc(struct db_fix *f, const char *text)
{
    const struct volume_other_options options = {.create = false};
    uint64_t generation = 0;
    struct volume *v;
    struct dn_err err;
    struct buf b;

    buf_init(&b, NULL);
    if (volume_other_open(f->volume, "d", &options, &v, &err) < 0 ||
        volume_doc_read(v, "partition", &b, &generation, &err) < 0 ||
        volume_doc_replace(v, "partition", text, strlen(text), generation, &generation, &err) < 0)
        fail_msg("%s", err.text);
    buf_done(&b);
    volume_close(v);
}

static void test_refused(void **state)
{
    static const char complete[] = "dendro detached partition 1 complete\n";
    const uint8_t *p = NULL;
    struct db_fix f;
    size_t n = 0;

    (void)state;
    db_open(&f);
    db_ok(&f, script[0]);
    db_ok(&f, script[1]);
    expect(&f, ATTACH, "ERROR 58P01");
    db_ok(&f, DETACH);
    assert_true(sim_disk_get(f.disk, 'd', "@d@partition", &p, &n));
    assert_int_equal(n, sizeof complete - 1); /* docs/format/detached.md */
    assert_memory_equal(p, complete, n);
    assert_string_equal(db_notices(&f), "NOTICE: 3 partitions with 12 rows detached\n");
    expect(&f, "ALTER TABLE m DETACH PARTITION '2024-01-05' TO 'd'", "already");
    db_ok(&f,
          "CREATE TABLE k (g INT NOT NULL, time TIMESTAMP NOT NULL, x VARCHAR, s INT, "
          "PRIMARY KEY ((g, QUANTUM(time, 1, 'd')), g, time DESC))");
    expect(&f, "ALTER TABLE k ATTACH PARTITION FROM 'd'", "the key is another one");
    db_ok(&f,
          "DROP TABLE k; CREATE TABLE k (g INT NOT NULL, time TIMESTAMP NOT NULL, x BIGINT, s "
          "INT, PRIMARY KEY ((g, QUANTUM(time, 1, 'd')), g, time))");
    expect(&f, "ALTER TABLE k ATTACH PARTITION FROM 'd'", "column \"x\" is of another type");
    db_ok(&f,
          "DROP TABLE k; CREATE TABLE k (g INT NOT NULL, time TIMESTAMP NOT NULL, y BIGINT, s "
          "INT, PRIMARY KEY ((g, QUANTUM(time, 1, 'd')), g, time))");
    expect(&f, "ALTER TABLE k ATTACH PARTITION FROM 'd'", "it has no column \"y\"");
    db_ok(&f,
          "DROP TABLE k; CREATE TABLE k (g INT NOT NULL, time TIMESTAMP NOT NULL, x VARCHAR, "
          "PRIMARY KEY ((g, QUANTUM(time, 1, 'd')), g, time))");
    expect(&f, "ALTER TABLE k ATTACH PARTITION FROM 'd'", "it has more columns");
    db_ok(&f,
          "DROP TABLE k; CREATE TABLE k (s INT, x VARCHAR NOT NULL, g INT NOT NULL, time "
          "TIMESTAMP NOT NULL, PRIMARY KEY ((g, QUANTUM(time, 1, 'd')), g, time))");
    expect(&f, "ALTER TABLE k ATTACH PARTITION FROM 'd'", "column \"x\" may be NULL there");
    /* Columns in another order, and slabs of another width: both are fine. */
    db_ok(&f,
          "DROP TABLE k; CREATE TABLE k (s INT, x VARCHAR, g INT NOT NULL, time TIMESTAMP NOT "
          "NULL, PRIMARY KEY ((g, QUANTUM(time, 1, 'h')), g, time)) WITH (slab = '6h')");
    db_ok(&f, "INSERT INTO k VALUES (1, 'a', 1, '2024-01-03 17:59')");
    expect(&f,
           "ALTER TABLE k ATTACH PARTITION FROM 'd'",
           "partition '2024-01-03T12:00:00.000Z' of table \"k\" has rows already");
    db_ok(&f, "DELETE FROM k WHERE g = 1; ALTER TABLE k DROP PARTITION WHERE time > '2024-01-03'");
    db_ok(&f, "ALTER TABLE k ATTACH PARTITION FROM 'd'");
    expect(&f, "SELECT count(*), max(s), max(x) FROM k", "12|12|value 9");
    db_ok(&f, ATTACH);
    expect(&f, "SELECT count(*) FROM m", "24\n");
    expect(&f, "SELECT (SELECT count(*) FROM m JOIN k USING (g, time, s, x))", "12\n");
    /* The document of another release, and one that is damaged. */
    set_doc(&f, "dendro detached partition 2 complete\n");
    expect(&f, ATTACH, "ERROR XX001 37 the detached partition was written by a newer release");
    set_doc(&f, "dendro detached partition 1 comp");
    expect(&f, ATTACH, "ERROR XX001 37 document 'partition' is none of a detached partition");
    expect(&f, DETACH, "ERROR XX001");
    set_doc(&f, "dendro detached partition 1 incomplete\n");
    expect(&f, ATTACH, "the partition in 'd' is incomplete");
    db_ok(&f, DETACH);
    expect(&f, "SELECT count(*) FROM m", "12\n");
    db_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undisturbed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test_prestate(sweep_allocations, &sweep),
        SWEEP_TESTS(&sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
