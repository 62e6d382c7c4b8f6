/* SPDX-License-Identifier: Apache-2.0
 *
 * An import of several batches, disturbed at every point: the n-th allocation fails, the n-th call
 * of the volume fails, fills the disk or is the moment of a power cut. After each: the error
 * surfaced, nothing leaked, `check` finds no fault, what was said to be committed is there, and
 * what is there are the first rows of the file up to the end of a batch, or all of it. */
#include "load_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define ROWS  1100
#define CHUNK 16384u

static struct buf csv;
static const char *const settings[] = {"memtable_size", "65536", NULL};

static int make_text(void **state)
{
    char text[1000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    buf_init(&csv, NULL);
    buf_puts(&csv, "k,v\n");
    for (int i = 1; i <= ROWS; i++)
        buf_printf(&csv, "%d,\"%d, %s\"\n", i, i, text);
    return csv.failed;
}

static int drop_text(void **state)
{
    (void)state;
    buf_done(&csv);
    return 0;
}

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    bool whole;
    bool made;     /* the table */
    uint64_t said; /* rows that were committed, as the import says */
    int rc;        /* of what failed first */
    struct dn_err err;
};

static void world_open(struct world *w, uint64_t seed)
{
    struct engine_options options = {.settings = settings};

    w->db = NULL;
    w->conn = NULL;
    w->volume = NULL;
    w->rc = sim_volume_open(w->disk, seed, &w->volume, &w->err);
    if (w->rc == 0)
        w->rc = engine_open_volume(w->volume, &options, &w->db, &w->err);
    if (w->rc == 0)
        w->rc = dendro_connect(w->db, &w->conn, NULL);
}

static void world_close(struct world *w)
{
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
}

static void run(struct world *w)
{
    struct load_text t = {.text = (const char *)csv.data, .len = csv.len};
    struct load_result r = {.rows = 0};

    w->said = 0;
    w->made = false;
    world_open(w, 1);
    if (w->rc == 0) {
        w->rc = dendro_exec(w->conn,
                            "CREATE TABLE t (k BIGINT NOT NULL, v VARCHAR, PRIMARY KEY (k)); "
                            "INSERT INTO t VALUES (0, 'before')",
                            -1,
                            NULL,
                            NULL,
                            NULL);
        w->made = w->rc == 0;
    }
    if (w->rc == 0)
        w->rc = load_chunks(w->conn, "t", &t, CHUNK, w->whole, &r, &w->err);
    w->said = r.rows;
    if (w->made && w->rc == 0)
        assert_int_equal(r.rows, ROWS);
    world_close(w);
}

static void print_fault(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_error("check: %s\n", text);
}

static int64_t number(dendro_conn *conn, const char *sql)
{
    dendro_stmt *stmt = NULL;
    struct dendro_error e;
    int64_t n;

    if (dendro_prepare(conn, sql, -1, &stmt, NULL, &e) < 0 || dendro_step(stmt, &e) != DENDRO_ROW)
        fail_msg("%s: %s", sql, e.message);
    n = dendro_column_int64(stmt, 0);
    dendro_finalize(stmt);
    return n;
}

static void check(struct world *w, const char *what, uint64_t n)
{
    uint64_t faults = 0;
    int64_t rows = 0;

    int rc = w->rc;

    world_open(w, 2);
    if (w->rc < 0)
        fail_msg("%s %llu: open: %s", what, (unsigned long long)n, w->err.text);
    if (w->made) {
        rows = number(w->conn, "SELECT count(*) - 1 FROM t");
        if (rows < (int64_t)w->said || (w->whole && rows != 0 && rows != ROWS) ||
            (rows > 0 && rows != number(w->conn, "SELECT max(k) FROM t")) ||
            (rc == 0 && rows != ROWS) || number(w->conn, "SELECT count(*) FROM t WHERE k = 0") != 1)
            fail_msg("%s %llu: %lld rows, %llu were said to be there",
                     what,
                     (unsigned long long)n,
                     (long long)rows,
                     (unsigned long long)w->said);
        /* and it goes on */
        if (dendro_exec(
                w->conn, "INSERT INTO t VALUES (5000, 'after'); CHECKPOINT", -1, NULL, NULL, NULL) <
            0)
            fail_msg("%s %llu: cannot be written", what, (unsigned long long)n);
        assert_int_equal(number(w->conn, "SELECT count(*) - 2 FROM t"), rows);
    }
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    if (engine_check_volume(w->volume, print_fault, NULL, &faults, &w->err) < 0)
        fail_msg("%s %llu: check: %s", what, (unsigned long long)n, w->err.text);
    if (faults)
        fail_msg("%s %llu: %llu faults", what, (unsigned long long)n, (unsigned long long)faults);
    volume_close(w->volume);
    w->rc = rc;
}

static void test_undisturbed(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct world w = {.disk = sim_disk_new(1), .whole = whole};

        run(&w);
        if (w.rc < 0)
            fail_msg("%s", w.err.text);
        check(&w, "undisturbed", 0);
        sim_disk_free(w.disk);
    }
}

static void sweep_calls(enum sim_fault fault, const char *what)
{
    uint64_t failed = 0;

    for (int whole = 0; whole < 2; whole++) {
        for (uint64_t n = 1;; n++) {
            struct world w = {.disk = sim_disk_new(n), .whole = whole};
            bool hit;

            sim_disk_fail_nth(w.disk, n, fault, false);
            run(&w);
            hit = sim_disk_fail_hit(w.disk);
            sim_disk_fail_nth(w.disk, 0, SIM_FAULT_NONE, false);
            failed += w.made && w.rc < 0;
            check(&w, what, n);
            sim_disk_free(w.disk);
            if (!hit)
                break;
        }
    }
    assert_true(failed > 5); /* in the middle of the import */
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

/* As many as the time allows, further and further apart. */
static void test_allocations(void **state)
{
    clock_t end = clock() + 5 * CLOCKS_PER_SEC;
    uint64_t step = 1;
    uint64_t surfaced = 0;

    (void)state;
    for (uint64_t n = 1;; n += step) {
        size_t before = mem_process_used();
        struct world w = {.disk = sim_disk_new(n), .whole = n & 1};
        bool hit;

        mem_fail_nth(n, false);
        run(&w);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        surfaced += w.rc == DN_E_NOMEM;
        check(&w, "allocation", n);
        sim_disk_free(w.disk);
        if (mem_process_used() != before)
            fail_msg("allocation %llu: leaked %zd bytes",
                     (unsigned long long)n,
                     (ssize_t)(mem_process_used() - before));
        if (!hit)
            break;
        step = 1 + n / (clock() < end ? 40 : 5);
    }
    assert_true(surfaced > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undisturbed),
        cmocka_unit_test(test_io_errors),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_power_cuts),
        cmocka_unit_test(test_allocations),
    };

    return cmocka_run_group_tests(tests, make_text, drop_text);
}
