/* SPDX-License-Identifier: Apache-2.0
 *
 * Writers that bring rows faster than they can be flushed: they are slowed, not refused, and memory
 * stays within memory_limit all along. What was acknowledged is there at the end. */
#include "base/mem.h"
#include "dendro.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WRITERS    4
#define STATEMENTS 160
#define ROWS       400
#define TEXT       400 /* bytes of a row: all in all some 100 MB, beside their log */
#define LIMIT      ((size_t)24 << 20)

static dendro_db *db;
static atomic_int failures;
static atomic_size_t peak;
static atomic_uint_fast64_t written;

static void look(void)
{
    size_t now = mem_process_used();
    size_t old = atomic_load(&peak);

    while (now > old && !atomic_compare_exchange_weak(&peak, &old, now))
        ;
}

static void *writer(void *arg)
{
    int id = *(int *)arg;
    size_t room = (size_t)ROWS * (TEXT + 64) + 64;
    char *sql = malloc(room);
    struct dendro_error e;
    dendro_conn *conn;

    if (!sql || dendro_connect(db, &conn, &e) < 0) {
        atomic_fetch_add(&failures, 1);
        free(sql);
        return NULL;
    }
    for (int n = 0; n < STATEMENTS; n++) {
        size_t len = (size_t)snprintf(sql, room, "INSERT INTO m VALUES ");

        for (int i = 0; i < ROWS; i++)
            len += (size_t)snprintf(sql + len,
                                    room - len,
                                    "%s(%d, %d, '%0*d')",
                                    i ? ", " : "",
                                    id,
                                    n * ROWS + i + 1,
                                    TEXT,
                                    n * 31 + i * 17);
        if (dendro_exec(conn, sql, (long)len, NULL, NULL, &e) < 0) {
            if (atomic_fetch_add(&failures, 1) < 3)
                fprintf(stderr, "writer %d: %s %s\n", id, e.sqlstate, e.message);
        } else {
            atomic_fetch_add(&written, ROWS);
        }
        look();
    }
    dendro_disconnect(conn);
    free(sql);
    return NULL;
}

static void test_pressure(void **state)
{
    char dir[] = "/tmp/dendro-pressure-XXXXXX";
    static const char *const settings[] = {"memory_limit", "24MB", NULL};
    const struct dendro_options options = {.settings = settings};
    pthread_t threads[WRITERS];
    int ids[WRITERS];
    struct dendro_error e;
    dendro_conn *conn;
    dendro_stmt *stmt;
    char command[128];

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(dendro_open(dir, &options, &db, &e), DENDRO_OK);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    assert_int_equal(dendro_exec(conn,
                                 "CREATE TABLE m (w INT, n INT, s VARCHAR, PRIMARY KEY ((w), n))",
                                 -1,
                                 NULL,
                                 NULL,
                                 &e),
                     DENDRO_OK);
    for (int i = 0; i < WRITERS; i++) {
        ids[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, writer, &ids[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    printf("peak %zu MB of %zu, %llu rows\n",
           atomic_load(&peak) >> 20,
           LIMIT >> 20,
           (unsigned long long)atomic_load(&written));
    assert_int_equal(atomic_load(&failures), 0);
    assert_true(atomic_load(&peak) <= LIMIT + (LIMIT >> 3));
    assert_int_equal(atomic_load(&written), WRITERS * STATEMENTS * ROWS);
    assert_int_equal(dendro_prepare(conn, "SELECT count(*) FROM m", -1, &stmt, NULL, &e),
                     DENDRO_OK);
    assert_int_equal(dendro_step(stmt, &e), DENDRO_ROW);
    assert_int_equal(dendro_column_int64(stmt, 0), WRITERS * STATEMENTS * ROWS);
    dendro_finalize(stmt);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pressure)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
