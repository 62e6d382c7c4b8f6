/* SPDX-License-Identifier: Apache-2.0
 *
 * statement_timeout ends statements before they run: while they are parsed, bound, rewritten, while
 * joins are ordered and constants are folded, and within one call of a function. Each statement
 * here ends, with a value or with the error that it is meant to have, after little more work of the
 * processor than its limit allows. What is measured is the work of the process, not the clock on
 * the wall: a busy machine is no fault of ours. */
#define _GNU_SOURCE /* mkdtemp */
#include "base/bytes.h"
#include "dendro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define LIMIT "'100ms'"
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORK_MS 4000
#elif defined(DN_DEBUG)
#define WORK_MS 1500
#else
#define WORK_MS 600
#endif
#define TRIES 3

static dendro_db *db;
static dendro_conn *conn;

/* A statement: head, then `piece` so many times, separated, then tail. In all of them %d is the
 * number of the piece, and %p the number before. */
struct statement {
    const char *head;
    const char *piece;
    const char *separator;
    int count;
    const char *tail;
    const char *state; /* SQLSTATE that is meant beside that of the limit; NULL: a value */
};

static const struct statement statements[] = {
    /* the tree of joins doubles with each query of WITH */
    {"WITH c0 AS (SELECT k AS x FROM t), ",
     "c%d AS (SELECT a.x FROM c%p a, c%p b)",
     ", ",
     40,
     " SELECT count(*) FROM c40",
     NULL},
    {"SELECT (WITH c0 AS (SELECT t.k AS x), ",
     "c%d AS (SELECT a.x FROM c%p a, c%p b)",
     ", ",
     40,
     " SELECT count(*) FROM c40) FROM t",
     NULL},
    {"SELECT count(*) FROM t a0, ", "t a%d", ", ", 400, "", NULL},
    {"SELECT count(*) FROM t a0 ", "JOIN t a%d ON a%d.k = a%p.g", " ", 300, "", NULL},
    /* long chains of conditions, and lists */
    {"SELECT count(*) FROM t WHERE ", "g <> %d", " AND ", 100000, "", NULL},
    {"SELECT count(*) FROM t WHERE ", "g < %d", " AND ", 100000, "", NULL},
    {"SELECT count(*) FROM t WHERE ", "g = %d", " OR ", 100000, "", NULL},
    {"SELECT count(*) FROM t WHERE ", "(g = %d AND k = %p)", " OR ", 100000, "", NULL},
    {"SELECT count(*) FROM t WHERE ", "(g = %d OR k = %p)", " AND ", 100000, "", NULL},
    {"SELECT count(*) FROM t a, t b WHERE ", "(a.k = b.k AND a.g = %d)", " OR ", 20000, "", NULL},
    {"SELECT count(*) FROM t WHERE g IN (", "%d", ", ", 100000, ")", NULL},
    {"SELECT count(*) FROM t WHERE g IN (", "k + %d", ", ", 100000, ")", NULL},
    {"SELECT count(*) FROM t WHERE (g, k) IN (", "(%d, %p)", ", ", 100000, ")", NULL},
    {"SELECT CASE ", "WHEN k = %d THEN %p", " ", 100000, " END FROM t", NULL},
    {"SELECT count(*) FROM t WHERE ", "s LIKE '%%%d%%'", " OR ", 50000, "", NULL},
    {"SELECT ", "sum(k + %d)", ", ", 4000, " FROM t", NULL},
    {"SELECT k FROM t ORDER BY ", "k + %d", ", ", 10000, "", NULL},
    {"VALUES ", "(%d, 'a' || '%p')", ", ", 100000, "", NULL},
    /* deep ones */
    {"SELECT ", "(", "", 20000, "1", "54001"},
    {"SELECT ", "NOT ", "", 20000, "true", "54001"},
    {"SELECT 1", " + 1", "", 100000, "", "54001"},
    {"SELECT 1", " UNION SELECT %d", "", 5000, "", "54001"},
    /* functions */
    {"SELECT repeat('a', 30000) ~ '", "(a*)*", "", 5, "b'", NULL},
    {"SELECT regexp_replace(repeat('a', 60000), '", "(a+)", "", 5, "', 'x', 'g')", NULL},
    {"SELECT regexp_replace(repeat('a', 60000), '", "a{1,255}", "", 4, "b?', 'x', 'g')", NULL},
    {"SELECT regexp_split_to_array(repeat('a ', 30000), '", "(a*)*", "", 1, "b| ')", NULL},
    {"SELECT position(repeat('a', 50000) || 'b' IN ", "repeat('a', 10000000)", "", 1, ")", NULL},
    {"SELECT sum(length(repeat('a', 10000000))) FROM ",
     "generate_series(1, 100000)",
     "",
     1,
     "",
     NULL},
};

static void put(struct buf *b, const char *s, int number)
{
    for (; *s; s++) {
        if (*s == '%' && (s[1] == 'd' || s[1] == 'p')) {
            buf_printf(b, "%d", s[1] == 'd' ? number : number - 1);
            s++;
        } else if (*s == '%' && s[1] == '%') {
            buf_u8(b, '%');
            s++;
        } else {
            buf_u8(b, (uint8_t)*s);
        }
    }
}

static int64_t work_ms(void)
{
    struct timespec t;

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), 0);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void run_ok(const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
        fail_msg("%s: %s %s", sql, e.sqlstate, e.message);
}

/* Runs a text; what it may end with is a value, the limit, or `state`. Returns its work. */
static int64_t run(const char *text, const char *state, const char *what)
{
    int64_t start = work_ms();
    struct dendro_error e;
    int rc = dendro_exec(conn, text, -1, NULL, NULL, &e);

    if (rc < 0 && strcmp(e.sqlstate, "57014") != 0 && (!state || strcmp(e.sqlstate, state) != 0))
        fail_msg("%.60s…: %s %s", what, e.sqlstate, e.message);
    if (rc >= 0 && state)
        fail_msg("%.60s…: there should be an error %s", what, state);
    return work_ms() - start;
}

static void test_statements(void **unused)
{
    struct buf b;

    (void)unused;
    buf_init(&b, NULL);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        const struct statement *s = &statements[i];
        int64_t work = INT64_MAX;

        buf_reset(&b);
        buf_puts(&b, s->head);
        for (int n = 1; n <= s->count; n++) {
            buf_puts(&b, n > 1 ? s->separator : "");
            put(&b, s->piece, n);
        }
        buf_puts(&b, s->tail);
        buf_u8(&b, 0);
        assert_false(b.failed);
        for (int n = 0; n < TRIES && work > WORK_MS; n++)
            work = run((const char *)b.data, s->state, s->head);
        if (work > WORK_MS)
            fail_msg("%.60s…: %lld ms of work", s->head, (long long)work);
    }
    buf_done(&b);
}

/* x = f(x) so many times. */
static void nest(struct buf *b, const char *before, const char *after, int depth)
{
    for (int i = 0; i < depth; i++)
        buf_puts(b, before);
    buf_puts(b, "k");
    for (int i = 0; i < depth; i++)
        buf_puts(b, after);
}

/* Operands that are used twice: each level doubles what walks through the expression meet. */
static void test_doubled(void **unused)
{
    static const char *const forms[][2] = {
        {"((", ") BETWEEN 1 AND 2)::int::bigint"},
        {"CASE ", " WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 4 END"},
        {"NULLIF(", ", 7)"},
        {"((", ") IS DISTINCT FROM 1)::int::bigint"},
        {"((", ") IN (1, k, g))::int::bigint"},
        {"((", ", k) < (1, g))::int::bigint"},
    };
    struct buf b;

    (void)unused;
    buf_init(&b, NULL);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        for (int clause = 0; clause < 2; clause++) {
            int64_t work = INT64_MAX;

            buf_reset(&b);
            buf_puts(&b, clause ? "SELECT 1 FROM t WHERE 1 = " : "SELECT ");
            nest(&b, forms[i][0], forms[i][1], 100);
            buf_puts(&b, clause ? "" : " FROM t");
            buf_u8(&b, 0);
            assert_false(b.failed);
            for (int n = 0; n < TRIES && work > WORK_MS; n++)
                work = run((const char *)b.data, "54001", forms[i][1]);
            if (work > WORK_MS)
                fail_msg("…%s: %lld ms of work", forms[i][1], (long long)work);
        }
    }
    /* A few levels are as good as ever. */
    buf_reset(&b);
    buf_puts(&b, "SELECT ");
    nest(&b, forms[0][0], forms[0][1], 4);
    buf_puts(&b, ", ");
    nest(&b, forms[1][0], forms[1][1], 4);
    buf_puts(&b, " FROM t");
    buf_u8(&b, 0);
    run_ok("SET statement_timeout = 0");
    run_ok((const char *)b.data);
    run_ok("SET statement_timeout = " LIMIT);
    /* SELECT x + x AS x, one in the other: a condition above them does not double. */
    buf_reset(&b);
    buf_puts(&b, "SELECT count(*) FROM ");
    for (int i = 0; i < 40; i++)
        buf_puts(&b, "(SELECT x + x AS x FROM ");
    buf_puts(&b, "(SELECT k AS x FROM t) z");
    for (int i = 0; i < 40; i++)
        buf_puts(&b, ") z");
    buf_puts(&b, " WHERE x > 5");
    buf_u8(&b, 0);
    assert_in_range(run((const char *)b.data, NULL, "x + x"), 0, WORK_MS);
    buf_done(&b);
}

/* Views are bound anew for each mention: that ends, too. */
static void test_views(void **unused)
{
    char sql[200];

    (void)unused;
    run_ok("CREATE VIEW v0 AS SELECT k AS x FROM t");
    for (int i = 1; i <= 9; i++) {
        (void)snprintf(sql,
                       sizeof sql,
                       "SET statement_timeout = 0; CREATE VIEW v%d AS SELECT a.x FROM v%d a, v%d b",
                       i,
                       i - 1,
                       i - 1);
        run_ok(sql);
    }
    run_ok("SET statement_timeout = " LIMIT);
    assert_in_range(run("SELECT count(*) FROM v9", NULL, "views"), 0, WORK_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_doubled),
        cmocka_unit_test(test_views),
    };
    static char dir[] = "/tmp/dendro-cancel-plan-XXXXXX";
    struct dendro_error e;
    char command[80];
    int failed;

    if (!mkdtemp(dir) || dendro_open(dir, NULL, &db, &e) < 0 || dendro_connect(db, &conn, &e) < 0)
        return 1;
    run_ok("CREATE TABLE t (k BIGINT, g BIGINT, s TEXT, PRIMARY KEY (k)); "
           "INSERT INTO t VALUES (1, 1, 'a'); SET statement_timeout = " LIMIT);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    dendro_disconnect(conn);
    (void)dendro_close(db);
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) == 0 ? failed : 1;
}
