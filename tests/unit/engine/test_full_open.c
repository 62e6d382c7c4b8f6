/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening a database on a full disk, after a crash at any moment. It needs no space: everything can
 * be read, tables can be dropped to make room, and with space again all goes on. */
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CAPACITY   700000u
#define RESERVE    65536u
#define BATCH_ROWS 200

static const char *const small[] = {"memtable_size", "128kB", "log_chunk_size", "64kB", NULL};

static void place_init(struct db_fix *f)
{
    memset(f, 0, sizeof *f);
    buf_init(&f->out, NULL);
    buf_init(&f->notices, NULL);
    f->disk = sim_disk_new(1);
    assert_non_null(f->disk);
}

static void place_done(struct db_fix *f)
{
    sim_disk_free(f->disk);
    buf_done(&f->out);
    buf_done(&f->notices);
}

static int place_try_open(struct db_fix *f, struct dn_err *err)
{
    struct engine_options options = {.settings = small};
    struct dendro_error e;
    int rc;

    dn_err_clear(err);
    assert_int_equal(sim_volume_open(f->disk, 1, &f->volume, err), 0);
    rc = engine_open_volume(f->volume, &options, &f->db, err);
    if (rc < 0) {
        volume_close(f->volume);
        return rc;
    }
    assert_int_equal(dendro_connect(f->db, &f->conn, &e), DENDRO_OK);
    return 0;
}

static void place_open(struct db_fix *f, const char *when, uint64_t n)
{
    struct dn_err err;

    if (place_try_open(f, &err) < 0)
        fail_msg("%s (%llu): cannot open: %s", when, (unsigned long long)n, err.text);
}

static void place_close(struct db_fix *f)
{
    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);
    volume_close(f->volume);
}

static void fault_text(void *arg, bool fault, const char *text)
{
    if (fault) {
        print_error("check: %s\n", text);
        ++*(unsigned *)arg;
    }
}

static void place_check(struct db_fix *f, uint64_t n)
{
    struct dn_err err;
    uint64_t faults = 0;
    unsigned said = 0;

    assert_int_equal(sim_volume_open(f->disk, 1, &f->volume, &err), 0);
    if (engine_check_volume(f->volume, fault_text, &said, &faults, &err) < 0)
        fail_msg("call %llu: check: %s", (unsigned long long)n, err.text);
    assert_int_equal(faults, 0);
    volume_close(f->volume);
}

static long number(struct db_fix *f, const char *sql)
{
    const char *said = db_run(f, sql);
    char *end;
    long n = strtol(said, &end, 10);

    if (*end != '\n')
        fail_msg("%s: %s", sql, said);
    return n;
}

static bool says_full(const char *said)
{
    return strstr(said, "ERROR 53100") != NULL;
}

/* ---- a disk that fills up, a crash, and a disk that is still full ---- */

/* Rows whose texts do not compress away. */
static const char *insert_batch(struct db_fix *f, int batch)
{
    static char sql[BATCH_ROWS * 80 + 64];
    size_t at = (size_t)snprintf(sql, sizeof sql, "INSERT INTO big VALUES ");

    for (int i = 0; i < BATCH_ROWS; i++) {
        uint64_t k = (uint64_t)batch * BATCH_ROWS + (uint64_t)i;
        at += (size_t)snprintf(sql + at,
                               sizeof sql - at,
                               "%s(%llu, '%016llx%016llx')",
                               i ? ", " : "",
                               (unsigned long long)k,
                               (unsigned long long)((k + 1) * UINT64_C(0x9e3779b97f4a7c15)),
                               (unsigned long long)((k + 7) * UINT64_C(0xc2b2ae3d27d4eb4f)));
    }
    return db_run(f, sql);
}

static void filled_then_killed(void **state)
{
    struct db_fix f;
    long there;
    long acked = 0;

    (void)state;
    place_init(&f);
    place_open(&f, "new", 0);
    db_ok(&f,
          "CREATE TABLE big (k BIGINT PRIMARY KEY, v VARCHAR);"
          "CREATE TABLE kept (k BIGINT PRIMARY KEY); INSERT INTO kept VALUES (1), (2)");
    sim_disk_set_capacity(f.disk, CAPACITY);
    sim_disk_set_reserve(f.disk, RESERVE);
    for (int i = 0; i < 1000; i++) {
        const char *said = insert_batch(&f, i);
        if (says_full(said))
            break;
        assert_non_null(strstr(said, "(INSERT"));
        acked++;
    }
    assert_true(acked > 5 && acked < 1000);
    sim_disk_crash(f.disk);
    place_close(&f);
    sim_disk_set_capacity(f.disk, sim_disk_used(f.disk)); /* not a byte is left */

    for (int i = 0; i < 2; i++) { /* and once more, with what the first open left */
        place_open(&f, "full", (uint64_t)i);
        there = number(&f, "SELECT count(*) FROM big");
        assert_in_range(there, acked * BATCH_ROWS, (acked + 1) * BATCH_ROWS);
        assert_int_equal(number(&f, "SELECT sum(k) FROM kept"), 3);
        assert_true(says_full(db_run(&f, "INSERT INTO kept VALUES (3)")));
        sim_disk_crash(f.disk);
        place_close(&f);
    }
    place_open(&f, "full", 2);
    db_ok(&f, "DROP TABLE big");
    db_ok(&f, "INSERT INTO kept VALUES (4)");
    db_ok(&f, "CHECKPOINT");
    assert_int_equal(number(&f, "SELECT sum(k) FROM kept"), 7);
    assert_true(sim_disk_used(f.disk) < CAPACITY / 2);
    place_close(&f);
    place_check(&f, 0);
    place_open(&f, "room", 0);
    assert_int_equal(number(&f, "SELECT sum(k) FROM kept"), 7);
    place_close(&f);
    place_done(&f);
}

static void emptied_by_truncate(void **state)
{
    struct db_fix f;

    (void)state;
    place_init(&f);
    place_open(&f, "new", 0);
    db_ok(&f, "CREATE TABLE big (k BIGINT PRIMARY KEY, v VARCHAR)");
    sim_disk_set_capacity(f.disk, CAPACITY);
    sim_disk_set_reserve(f.disk, RESERVE);
    for (int i = 0; i < 1000 && !says_full(insert_batch(&f, i)); i++)
        continue;
    sim_disk_crash(f.disk);
    place_close(&f);
    sim_disk_set_capacity(f.disk, sim_disk_used(f.disk));
    place_open(&f, "full", 0);
    db_ok(&f, "TRUNCATE big");
    db_ok(&f, "INSERT INTO big VALUES (1, 'one')");
    db_ok(&f, "CHECKPOINT");
    assert_int_equal(number(&f, "SELECT count(*) FROM big"), 1);
    place_close(&f);
    place_check(&f, 0);
    place_done(&f);
}

/* ---- a crash at every call, then no write succeeds ---- */

/* What was acknowledged of the script before the crash: statement by statement. */
static unsigned run_script(struct db_fix *f)
{
    static const char *const script[] = {
        "CREATE TABLE a (k BIGINT PRIMARY KEY)",
        "INSERT INTO a SELECT g FROM generate_series(1, 10) AS g",
        "CHECKPOINT",
        "INSERT INTO a VALUES (11)",
        "BEGIN; CREATE TABLE b (k BIGINT PRIMARY KEY); INSERT INTO b VALUES (1); COMMIT",
        "INSERT INTO b VALUES (2)",
        "INSERT INTO a VALUES (12)",
        "CHECKPOINT",
        "DROP TABLE a",
        "INSERT INTO b VALUES (3)",
    };
    unsigned done = 0;

    while (done < sizeof script / sizeof script[0]) {
        const char *said = db_run(f, script[done]);
        if (strstr(said, "ERROR"))
            break;
        done++;
    }
    return done;
}

/* The rows that must be there after so many statements, and one that may have happened. */
static void look(struct db_fix *f, unsigned done, uint64_t n)
{
    static const long a_rows[] = {0, 0, 10, 10, 11, 11, 11, 12, 12, -1, -1};
    static const long b_rows[] = {-1, -1, -1, -1, -1, 1, 2, 2, 2, 2, 3};
    const char *said = db_run(f, "SELECT count(*) FROM a");
    long a = strstr(said, "42P01") ? -1 : number(f, "SELECT count(*) FROM a");
    long b;

    said = db_run(f, "SELECT count(*) FROM b");
    b = strstr(said, "42P01") ? -1 : number(f, "SELECT count(*) FROM b");
    if (done == 0) {
        assert_true(a <= 0);
        return;
    }
    if (a != a_rows[done] && (done == 10 || a != a_rows[done + 1]))
        fail_msg("call %llu: %ld rows in a after %u", (unsigned long long)n, a, done);
    if (b != b_rows[done] && (done == 10 || b != b_rows[done + 1]))
        fail_msg("call %llu: %ld rows in b after %u", (unsigned long long)n, b, done);
}

static bool crash_at(uint64_t n)
{
    struct db_fix f;
    struct dn_err err;
    unsigned done = 0;
    bool hit;

    place_init(&f);
    sim_disk_fail_nth(f.disk, n, SIM_FAULT_CRASH, false);
    if (place_try_open(&f, &err) == 0) {
        done = run_script(&f);
        hit = sim_disk_fail_hit(f.disk);
        if (!hit)
            sim_disk_crash(f.disk);
        place_close(&f);
    } else {
        hit = true;
    }
    sim_disk_fail_writes_only(f.disk, true);
    sim_disk_fail_nth(f.disk, 1, SIM_FAULT_NOSPC, true);
    place_open(&f, "no write succeeds", n);
    look(&f, done, n);
    assert_true(done < 5 || says_full(db_run(&f, "INSERT INTO b VALUES (100)")));
    look(&f, done, n);
    /* Space comes back while it is open. */
    sim_disk_fail_nth(f.disk, 0, SIM_FAULT_NONE, false);
    db_ok(&f, "CREATE TABLE c (k BIGINT PRIMARY KEY); INSERT INTO c VALUES (5)");
    db_ok(&f, "CHECKPOINT");
    look(&f, done, n);
    place_close(&f);
    place_check(&f, n);
    place_open(&f, "room", n);
    look(&f, done, n);
    assert_int_equal(number(&f, "SELECT sum(k) FROM c"), 5);
    place_close(&f);
    place_done(&f);
    return hit;
}

static void crash_anywhere_then_full(void **state)
{
    uint64_t n = 1;

    (void)state;
    while (crash_at(n))
        n++;
    assert_true(n > 30);
}

/* A new database is opened on a full disk, and then there is room: no catalog is saved before the
 * manifest that was put off, or the next open takes the manifest for lost. */
static void made_on_a_full_disk(void **state)
{
    struct db_fix f;

    (void)state;
    place_init(&f);
    sim_disk_fail_writes_only(f.disk, true);
    sim_disk_fail_nth(f.disk, 1, SIM_FAULT_NOSPC, true);
    place_open(&f, "no write succeeds", 1);
    assert_true(says_full(db_run(&f, "CREATE TABLE c (k BIGINT PRIMARY KEY)")));
    sim_disk_fail_nth(f.disk, 0, SIM_FAULT_NONE, false);
    db_ok(&f, "CREATE TABLE c (k BIGINT PRIMARY KEY)");
    sim_disk_crash(f.disk);
    place_close(&f);
    place_open(&f, "room", 2);
    db_ok(&f, "INSERT INTO c VALUES (5)");
    assert_int_equal(number(&f, "SELECT sum(k) FROM c"), 5);
    place_close(&f);
    place_check(&f, 3);
    place_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filled_then_killed),
        cmocka_unit_test(emptied_by_truncate),
        cmocka_unit_test(crash_anywhere_then_full),
        cmocka_unit_test(made_on_a_full_disk),
    };

    return cmocka_run_group_tests_name("opening on a full disk", tests, NULL, NULL);
}
