/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements that put rows aside, disturbed at every point: the n-th allocation fails, the n-th
 * call of the volume fails or finds the disk full, while sorts, groups, DISTINCT, joins, windows
 * and cursors go through the scratch area and COPY reads and writes. Each ends with the error or
 * the right result; the next run gives the right result; nothing leaks. CHECKPOINTs and merges too.
 */
#include "base/mem.h"
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define ROWS    4000
#define SECONDS 0.4 /* for each sweep; then steps grow */

static struct db_fix fix;

/* Each gives one row; the scratch area is needed for all but the last. */
static const char *const queries[] = {
    ("SELECT count(*), sum(k) FROM (SELECT k, s, row_number() OVER () AS n FROM (SELECT k, s FROM "
     "t "
     "ORDER BY s DESC, k OFFSET 3) AS a) AS b WHERE n % 7 = 0"),
    "SELECT count(*), sum(n) FROM (SELECT s, g, count(*) AS n FROM t GROUP BY s, g) AS a",
    "SELECT count(*) FROM (SELECT DISTINCT s, k FROM t) AS a",
    "SELECT count(*), sum(a.k) FROM t a JOIN t b ON a.s = b.s AND a.k <= b.k",
    "SELECT sum(r) FROM (SELECT rank() OVER (PARTITION BY g ORDER BY s) AS r FROM t) AS a",
    "SELECT count(*) FROM (SELECT s FROM t EXCEPT SELECT s FROM t WHERE g = 1) AS a",
};

/* What comes in and goes out by COPY. */
struct pipe {
    const char *in;
    size_t in_len;
    size_t at;
    uint64_t out; /* a sum over the bytes */
};
static struct pipe bytes;

static int pipe_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct pipe *p = arg;

    *ret_len = p->in_len - p->at < len ? p->in_len - p->at : len;
    memcpy(to, p->in + p->at, *ret_len);
    p->at += *ret_len;
    return 0;
}

static int pipe_write(void *arg, const void *from, size_t len)
{
    struct pipe *p = arg;

    for (size_t i = 0; i < len; i++)
        p->out = p->out * 31 + ((const unsigned char *)from)[i];
    return 0;
}

enum kind { ALLOC, IO, FULL, KINDS };
static const char *const kind_names[KINDS] = {"allocation", "I/O error", "disk full"};

static void strike(enum kind kind, uint64_t n)
{
    if (kind == ALLOC)
        mem_fail_nth(n, false);
    else
        sim_disk_fail_nth(fix.disk, n, kind == IO ? SIM_FAULT_IO : SIM_FAULT_NOSPC, false);
}

static bool struck(enum kind kind)
{
    return kind == ALLOC ? mem_fail_hit() : sim_disk_fail_hit(fix.disk);
}

/* Runs a script with the n-th fault for all n. It must give `want`, or an error that the fault
 * explains; `after` (may be NULL) mends what a run may have left. */
static void sweep(const char *sql, const char *want, const char *after, enum kind kind)
{
    clock_t end = clock() + (clock_t)(SECONDS * CLOCKS_PER_SEC);
    uint64_t errors = 0;
    uint64_t step = 1;

    for (uint64_t n = 1;; n += step) {
        const char *got;
        bool hit;

        bytes.at = 0;
        bytes.out = 0;
        strike(kind, n);
        got = db_run(&fix, sql);
        hit = struck(kind);
        strike(kind, 0);
        if (strstr(got, "ERROR ")) {
            errors++;
            if (!hit || !(strstr(got, "ERROR 53200") || strstr(got, "ERROR 58030") ||
                          strstr(got, "ERROR 53100")))
                fail_msg("%s %llu: %s\n%s", kind_names[kind], (unsigned long long)n, sql, got);
        } else if (want && strcmp(got, want) != 0) {
            fail_msg("%s %llu: %s\n%s", kind_names[kind], (unsigned long long)n, sql, got);
        }
        if (after)
            (void)db_ok(&fix, after);
        if (!hit)
            break;
        step = clock() < end ? 1 : 1 + n / 10;
    }
    if (getenv("DENDRO_TEST_VERBOSE"))
        print_message("%s: %llu errors: %s\n", kind_names[kind], (unsigned long long)errors, sql);
}

static void sweep_all(const char *sql, const char *after)
{
    char *want;

    bytes.at = 0;
    want = strdup(db_ok(&fix, sql));
    assert_non_null(want);
    if (after)
        (void)db_ok(&fix, after);
    for (int k = 0; k < KINDS; k++)
        sweep(sql, want, after, (enum kind)k);
    free(want);
}

static void test_queries(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(queries); i++)
        sweep_all(queries[i], NULL);
}

/* The queries above do go through the scratch area. */
static void test_they_spill(void **state)
{
    char sql[1024];

    (void)state;
    for (size_t i = 0; i + 1 < DN_ARRAY_SIZE(queries); i++) {
        (void)snprintf(sql, sizeof sql, "EXPLAIN ANALYZE %s", queries[i]);
        if (!strstr(db_ok(&fix, sql), "spill"))
            fail_msg("does not spill: %s\n%s", queries[i], db_ok(&fix, sql));
    }
}

static void test_cursors(void **state)
{
    (void)state;
    sweep_all("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT k, s FROM t ORDER BY k; MOVE LAST IN c; "
              "FETCH ABSOLUTE 17 FROM c; FETCH BACKWARD 2 FROM c; COMMIT",
              "ROLLBACK");
}

static void test_changes(void **state)
{
    (void)state;
    sweep_all("UPDATE t SET g = g + 0 WHERE s > 'the text of row 2'", NULL);
    sweep_all("CHECKPOINT", NULL);
    sweep_all("UPDATE t SET g = g WHERE k % 5 = 0; CHECKPOINT", NULL);
}

static void test_copy(void **state)
{
    static const char text[] = "1\tone\\t\\x41\t\\N\n2\t\\N\t2.5\n3\tthree\t-1e10\n";
    static const char csv[] = "1,\"o\"\"ne\",\n2,,2.5\n";
    static const char binary[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
                                 "\0\3\0\0\0\4\0\0\0\7\0\0\0\3abc\377\377\377\377\377\377";

    (void)state;
    (void)db_ok(&fix, "CREATE TABLE u (k INT PRIMARY KEY, s VARCHAR, d DOUBLE)");
    bytes.in = text;
    bytes.in_len = sizeof text - 1;
    sweep_all("COPY u FROM STDIN", "TRUNCATE u");
    bytes.in = csv;
    bytes.in_len = sizeof csv - 1;
    sweep_all("COPY u FROM STDIN (FORMAT csv)", "TRUNCATE u");
    sweep_all("COPY u FROM STDIN (FORMAT csv, FORCE_NULL (s))", "TRUNCATE u");
    bytes.in = binary;
    bytes.in_len = sizeof binary - 1;
    sweep_all("COPY u FROM STDIN (FORMAT binary)", "TRUNCATE u");
    sweep_all("COPY (SELECT * FROM t WHERE k < 3000) TO STDOUT", NULL);
    sweep_all("COPY (SELECT *, 1.5::NUMERIC FROM t WHERE k < 3000) TO STDOUT (FORMAT binary)",
              NULL);
}

static int setup(void **state)
{
    struct dendro_copy copy = {
        .read = pipe_read, .read_arg = &bytes, .write = pipe_write, .write_arg = &bytes};
    char sql[256];

    (void)state;
    db_open(&fix);
    dendro_set_copy(fix.conn, &copy);
    (void)db_ok(&fix, "CREATE TABLE t (k INT PRIMARY KEY, g INT, s VARCHAR)");
    (void)snprintf(sql,
                   sizeof sql,
                   "INSERT INTO t SELECT i, i %% 5, 'the text of row ' || (i * 7919 %% %d) || "
                   "repeat('x', 100) FROM generate_series(1, %d) AS g(i)",
                   ROWS,
                   ROWS);
    (void)db_ok(&fix, sql);
    (void)db_ok(&fix, "CHECKPOINT; SET statement_memory = '64kB'");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    db_close(&fix);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_spill),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_cursors),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_changes),
    };

    return cmocka_run_group_tests_name("spill_fault", tests, setup, teardown);
}
