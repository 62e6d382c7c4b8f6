/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that another program removes while a database is open. Nothing that was acknowledged may be
 * lost by what the database does afterwards, and what cannot be done is a clear error. */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "dendro.h"

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char dir[128];
    dendro_db *db;
    dendro_conn *conn;
    struct dendro_error err; /* of the last statement */
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void place_open(struct place *p)
{
    if (dendro_open(p->dir, NULL, &p->db, &p->err) < 0 ||
        dendro_connect(p->db, &p->conn, &p->err) < 0)
        fail_msg("open: %s %s", p->err.sqlstate, p->err.message);
}

static void place_shut(struct place *p)
{
    dendro_disconnect(p->conn);
    assert_int_equal(dendro_close(p->db), DENDRO_OK);
    p->conn = NULL;
    p->db = NULL;
}

static int run(struct place *p, const char *sql)
{
    memset(&p->err, 0, sizeof p->err);
    return dendro_exec(p->conn, sql, -1, NULL, NULL, &p->err);
}

static void ok(struct place *p, const char *sql)
{
    if (run(p, sql) < 0)
        fail_msg("%s: %s %s", sql, p->err.sqlstate, p->err.message);
}

/* The statement fails with the SQLSTATE, and the text has the word. */
static void fails(struct place *p, const char *sql, const char *state, const char *word)
{
    if (run(p, sql) >= 0)
        fail_msg("%s: succeeded", sql);
    assert_string_equal(p->err.sqlstate, state);
    if (!strstr(p->err.message, word))
        fail_msg("'%s' does not say '%s'", p->err.message, word);
}

static int64_t value_of(struct place *p, const char *sql)
{
    dendro_stmt *stmt = NULL;
    int64_t n;

    assert_int_equal(dendro_prepare(p->conn, sql, -1, &stmt, NULL, &p->err), DENDRO_OK);
    if (dendro_step(stmt, &p->err) != DENDRO_ROW)
        fail_msg("%s: %s %s", sql, p->err.sqlstate, p->err.message);
    n = dendro_column_int64(stmt, 0);
    dendro_finalize(stmt);
    return n;
}

/* Removes all files of a directory of the volume whose names begin so; at least one. */
static void remove_files(const struct place *p, const char *sub, const char *prefix)
{
    char path[600];
    struct dirent *entry;
    unsigned n = 0;
    DIR *dir;

    (void)snprintf(path, sizeof path, "%s/%s", p->dir, sub);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s/%s", p->dir, sub, entry->d_name);
        assert_int_equal(unlink(path), 0);
        n++;
    }
    assert_int_equal(closedir(dir), 0);
    assert_true(n > 0);
}

static void count_faults(void *arg, bool fault, const char *text)
{
    if (fault) {
        print_error("check: %s\n", text);
        ++*(unsigned *)arg;
    }
}

static unsigned faults_of(struct place *p)
{
    unsigned faults = 0;

    if (dendro_check(p->dir, count_faults, &faults, NULL, &p->err) < 0)
        fail_msg("check: %s", p->err.message);
    return faults;
}

static int setup(void **state)
{
    struct place *p = calloc(1, sizeof *p);

    if (!p)
        return -1;
    (void)snprintf(p->dir,
                   sizeof p->dir,
                   "%s/dendro-removed-XXXXXX",
                   getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(p->dir))
        return -1;
    place_open(p);
    ok(p, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    ok(p, "INSERT INTO t VALUES (1, 'one'), (2, 'two')");
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;

    if (p->db)
        place_shut(p);
    (void)nftw(p->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(p);
    return 0;
}

/* ---- the lock ---- */

static void second_is_refused(struct place *p)
{
    dendro_db *second = NULL;

    assert_true(dendro_open(p->dir, NULL, &second, &p->err) < 0);
    if (!strstr(p->err.message, "in use"))
        fail_msg("%s", p->err.message);
}

static void lock_removed(void **state)
{
    struct place *p = *state;

    remove_files(p, ".", "LOCK");
    second_is_refused(p);
    assert_true(dendro_check(p->dir, NULL, NULL, NULL, &p->err) < 0);
    fails(p, "INSERT INTO t VALUES (3, 'three')", "57P03", "LOCK");
    fails(p, "CREATE TABLE u (k BIGINT PRIMARY KEY)", "57P03", "LOCK");
    fails(p, "INSERT INTO t VALUES (4, 'four')", "57P03", "LOCK");
    assert_int_equal(value_of(p, "SELECT count(*) FROM t"), 2);
    place_shut(p);
    place_open(p);
    ok(p, "INSERT INTO t VALUES (5, 'five')");
    assert_int_equal(value_of(p, "SELECT count(*) FROM t WHERE k IN (1, 2, 5)"), 3);
    assert_int_equal(value_of(p, "SELECT count(*) FROM t"), 3); /* what was refused is not there */
    place_shut(p);
    assert_int_equal(faults_of(p), 0);
}

static void lock_replaced(void **state)
{
    struct place *p = *state;
    char path[600];
    FILE *file;

    remove_files(p, ".", "LOCK");
    (void)snprintf(path, sizeof path, "%s/LOCK", p->dir);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    second_is_refused(p);
    fails(p, "SET synchronous_commit = off; INSERT INTO t VALUES (3, 'three')", "57P03", "LOCK");
}

static void directory_removed(void **state)
{
    struct place *p = *state;

    assert_int_equal(nftw(p->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    fails(p, "INSERT INTO t VALUES (3, 'three')", "57P03", "LOCK");
    fails(p, "CREATE TABLE u (k BIGINT PRIMARY KEY)", "57P03", "LOCK");
}

/* ---- logs and segments ---- */

/* Memory still has what the log had: it goes to segments, and nothing is lost. */
static void log_removed(void **state)
{
    struct place *p = *state;

    remove_files(p, "l", "log");
    fails(p, "INSERT INTO t VALUES (3, 'three')", "58P01", "log");
    ok(p, "INSERT INTO t VALUES (4, 'four')");
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 7);
    place_shut(p);
    assert_int_equal(faults_of(p), 0);
    place_open(p);
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 7);
}

static void log_removed_unsynced(void **state)
{
    struct place *p = *state;

    ok(p, "SET synchronous_commit = off");
    ok(p, "INSERT INTO t VALUES (3, 'three')");
    remove_files(p, "l", "log");
    fails(p, "INSERT INTO t VALUES (4, 'four')", "58P01", "log");
    ok(p, "INSERT INTO t VALUES (5, 'five')");
    place_shut(p);
    assert_int_equal(faults_of(p), 0);
    place_open(p);
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 1 + 2 + 3 + 5);
}

static void segment_removed(void **state)
{
    struct place *p = *state;

    ok(p, "CHECKPOINT");
    place_shut(p);
    place_open(p);
    remove_files(p, "o", "seg");
    fails(p, "SELECT sum(k) FROM t", "58P01", "seg/");
    ok(p, "INSERT INTO t VALUES (3, 'three')"); /* other rows are served */
    place_shut(p);
    assert_int_equal(faults_of(p), 1);
}

/* ---- documents ---- */

/* The file of a document, put aside and back. */
static void move_document(const struct place *p, const char *file, bool back)
{
    char here[600];
    char aside[600];

    (void)snprintf(here, sizeof here, "%s/d/%s", p->dir, file);
    (void)snprintf(aside, sizeof aside, "%s/../%s.%s", p->dir, strrchr(p->dir, '/') + 1, file);
    assert_int_equal(back ? rename(aside, here) : rename(here, aside), 0);
}

/* The database does not open, says which document is missing, and changes nothing. */
static void open_fails(struct place *p, const char *word)
{
    for (int read_only = 0; read_only < 2; read_only++) {
        struct dendro_options options = {.flags = read_only ? DENDRO_OPEN_READ_ONLY : 0};
        dendro_db *db = NULL;

        assert_true(dendro_open(p->dir, &options, &db, &p->err) < 0);
        assert_string_equal(p->err.sqlstate, "XX001");
        if (!strstr(p->err.message, word) || !strstr(p->err.message, "missing"))
            fail_msg("'%s' does not say that '%s' is missing", p->err.message, word);
    }
    assert_true(faults_of(p) >= 1);
}

static void catalog_removed(void **state)
{
    struct place *p = *state;

    ok(p, "CHECKPOINT");
    ok(p, "INSERT INTO t VALUES (3, 'three')");
    move_document(p, "catalog", false);
    fails(p, "CREATE TABLE u (k BIGINT PRIMARY KEY)", "XX001", "'catalog' is missing");
    fails(p, "DROP TABLE t", "XX001", "'catalog' is missing");
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 6);
    place_shut(p);
    open_fails(p, "'catalog'");
    move_document(p, "catalog", true);
    place_open(p);
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 6);
    ok(p, "CREATE TABLE u (k BIGINT PRIMARY KEY)");
}

/* Rows are in the log alone. */
static void catalog_removed_before_a_flush(void **state)
{
    struct place *p = *state;

    place_shut(p);
    move_document(p, "catalog", false);
    for (int i = 0; i < 2; i++) {
        dendro_db *db = NULL;
        assert_true(dendro_open(p->dir, NULL, &db, &p->err) < 0);
        assert_string_equal(p->err.sqlstate, "XX001");
    }
    assert_true(faults_of(p) >= 1);
    move_document(p, "catalog", true);
    place_open(p);
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 3);
}

/* The directory of documents is lost, with segments or with logs alone: that is no new database,
 * whose leftovers could be swept. */
static void all_documents_removed(void **state)
{
    static const char *const files[] = {"catalog", "manifest~0", "time"};
    struct place *p = *state;

    for (int turn = 0; turn < 2; turn++) {
        place_shut(p);
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
            move_document(p, files[i], false);
        open_fails(p, "'manifest/0'");
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
            move_document(p, files[i], true);
        place_open(p);
        assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 3);
        ok(p, "CHECKPOINT");
    }
}

static void manifest_removed(void **state)
{
    struct place *p = *state;

    ok(p, "CHECKPOINT");
    move_document(p, "manifest~0", false);
    ok(p, "INSERT INTO t VALUES (3, 'three')"); /* the log has it */
    fails(p, "CHECKPOINT", "57P03", "'manifest/0' was removed");
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 6);
    place_shut(p);
    open_fails(p, "'manifest/0'");
    move_document(p, "manifest~0", true);
    place_open(p);
    assert_int_equal(value_of(p, "SELECT sum(k) FROM t"), 6);
}

/* Sequences never begin anew: SERIAL would overwrite rows. */
static void counters_removed(void **state)
{
    struct place *p = *state;

    ok(p, "CREATE TABLE s (id SERIAL PRIMARY KEY, v VARCHAR)");
    ok(p, "INSERT INTO s (v) VALUES ('a'), ('b')");
    move_document(p, "counters", false);
    fails(p, "SELECT setval('s_id_seq', 100)", "XX001", "'counters' is missing");
    fails(p, "INSERT INTO s (v) VALUES ('c')", "XX001", "'counters' is missing");
    place_shut(p);
    open_fails(p, "'counters'");
    move_document(p, "counters", true);
    place_open(p);
    ok(p, "INSERT INTO s (v) VALUES ('c')");
    assert_int_equal(value_of(p, "SELECT count(*) FROM s"), 3);
}

/* One that was never used is expected, too. */
static void counters_removed_unused(void **state)
{
    struct place *p = *state;

    ok(p, "CREATE SEQUENCE q");
    place_shut(p);
    move_document(p, "counters", false);
    open_fails(p, "'counters'");
    move_document(p, "counters", true);
    place_open(p);
    assert_int_equal(value_of(p, "SELECT nextval('q')"), 1);
}

static void clocks_removed(void **state)
{
    struct place *p = *state;

    ok(p, "CREATE TIME PARTITION ON t AS tp PERIOD 'manual' RETENTION 2 START 1");
    ok(p, "PUT COUNTER tp INCREMENT");
    place_shut(p);
    move_document(p, "clocks", false);
    open_fails(p, "'clocks'");
    move_document(p, "clocks", true);
    place_open(p);
    ok(p, "PUT COUNTER tp INCREMENT");
}

/* A flipped bit in any document is a fault of check. */
static void documents_damaged(void **state)
{
    static const char *const files[] = {"catalog", "manifest~0", "counters", "settings"};
    struct place *p = *state;

    ok(p, "CREATE SEQUENCE q");
    ok(p, "ALTER SYSTEM SET statement_timeout = '1h'");
    assert_int_equal(value_of(p, "SELECT nextval('q')"), 1);
    place_shut(p);
    assert_int_equal(faults_of(p), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[600];
        FILE *file;
        int byte;

        (void)snprintf(path, sizeof path, "%s/d/%s", p->dir, files[i]);
        for (int turn = 0; turn < 2; turn++) {
            file = fopen(path, "r+");
            assert_non_null(file);
            assert_int_equal(fseek(file, -3, SEEK_END), 0);
            byte = fgetc(file);
            assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
            assert_int_equal(fputc(byte ^ 4, file), byte ^ 4);
            assert_int_equal(fclose(file), 0);
            if (turn == 0)
                assert_true(faults_of(p) >= 1);
        }
    }
    assert_int_equal(faults_of(p), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lock_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(lock_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(directory_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(log_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(log_removed_unsynced, setup, teardown),
        cmocka_unit_test_setup_teardown(segment_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(catalog_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(catalog_removed_before_a_flush, setup, teardown),
        cmocka_unit_test_setup_teardown(all_documents_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(manifest_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(counters_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(counters_removed_unused, setup, teardown),
        cmocka_unit_test_setup_teardown(clocks_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(documents_damaged, setup, teardown),
    };

    return cmocka_run_group_tests_name("files removed under a database", tests, NULL, NULL);
}
