/* SPDX-License-Identifier: Apache-2.0
 *
 * A disk that is full: reading goes on whatever was refused, tables can be dropped and emptied, and
 * with space again all is as it should be. The disk fills up at every call of the volume in turn,
 * in the middle of DROP and TRUNCATE too. */
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void fault_text(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_message("%s\n", text);
}

static size_t objects(struct db_fix *f)
{
    struct volume_names names = {0};
    size_t n;

    assert_int_equal(volume_list(f->volume, "", &names, NULL), 0);
    n = names.count;
    volume_names_done(&names);
    return n;
}

static void check(struct db_fix *f, uint64_t n)
{
    struct dn_err err;
    uint64_t faults = 0;

    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);
    if (engine_check_volume(f->volume, fault_text, NULL, &faults, &err) < 0)
        fail_msg("call %llu: check: %s", (unsigned long long)n, err.text);
    assert_int_equal(faults, 0);
    volume_close(f->volume);
}

static void prepare(struct db_fix *f)
{
    db_ok(f,
          "CREATE TABLE kept (a INT PRIMARY KEY, b VARCHAR);"
          "CREATE TABLE gone (a INT PRIMARY KEY, b VARCHAR);"
          "INSERT INTO kept SELECT g, 'kept' FROM generate_series(1, 100) AS g;"
          "INSERT INTO gone SELECT g, 'gone' FROM generate_series(1, 100) AS g;"
          "CHECKPOINT;"
          "INSERT INTO gone VALUES (101, 'in memory');"
          "INSERT INTO kept VALUES (101, 'in memory')");
}

/* From the n-th write on there is no space while the statement runs. True: it came to that. */
static bool full_during(const char *sql, uint64_t n)
{
    struct db_fix f;
    const char *said;
    size_t before;
    bool done;
    bool hit;

    db_open(&f);
    prepare(&f);
    before = objects(&f);
    sim_disk_fail_writes_only(f.disk, true);
    sim_disk_fail_nth(f.disk, n, SIM_FAULT_NOSPC, true);
    said = db_run(&f, sql);
    done = strncmp(said, "(", 1) == 0;
    if (!done && strncmp(said, "ERROR 53100", 11) != 0)
        fail_msg("call %llu: %s: %s", (unsigned long long)n, sql, said);
    /* Still full: everything that is there can be read. */
    for (int i = 0; i < 2; i++) {
        assert_string_equal(db_run(&f, "SELECT count(*) FROM kept WHERE a < 102"),
                            "101\n(SELECT 1)\n");
        said = db_run(&f, "SELECT count(*) FROM gone");
        if (done)
            assert_true(strstr(said, "42P01") || strcmp(said, "0\n(SELECT 1)\n") == 0);
        else
            assert_string_equal(said, "101\n(SELECT 1)\n");
        DN_IGNORE(db_run(&f, "INSERT INTO kept VALUES (102, 'perhaps')") != NULL);
        DN_IGNORE(db_run(&f, "DELETE FROM kept WHERE a = 102") != NULL);
    }
    hit = sim_disk_fail_hit(f.disk);
    sim_disk_fail_nth(f.disk, 0, SIM_FAULT_NONE, false);
    /* Space again: writing goes on, and what was dropped gives back its space. */
    db_ok(&f, "DELETE FROM kept WHERE a = 102; INSERT INTO kept VALUES (103, 'new'); CHECKPOINT");
    assert_string_equal(db_run(&f, "SELECT count(*) FROM kept"), "102\n(SELECT 1)\n");
    if (done) {
        db_ok(&f, "DROP TABLE kept");
        if (objects(&f) != 0)
            fail_msg("call %llu: %s: %zu objects of %zu are left",
                     (unsigned long long)n,
                     sql,
                     objects(&f),
                     before);
    }
    check(&f, n);
    buf_done(&f.out);
    buf_done(&f.notices);
    sim_disk_free(f.disk);
    return hit;
}

static void sweep(const char *sql)
{
    uint64_t n = 1;

    while (full_during(sql, n))
        n++;
    assert_true(n > 3);
}

static void test_drop(void **state)
{
    (void)state;
    sweep("DROP TABLE gone");
}

static void test_truncate(void **state)
{
    (void)state;
    sweep("TRUNCATE gone");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_truncate),
    };

    return cmocka_run_group_tests_name("full disk", tests, NULL, NULL);
}
