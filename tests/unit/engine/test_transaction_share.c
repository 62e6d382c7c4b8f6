/* SPDX-License-Identifier: Apache-2.0
 *
 * pg_export_snapshot() and SET TRANSACTION SNAPSHOT: which sessions read one snapshot, until when
 * an id is good, and what is refused in which words. */
#include "base/mem.h"
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct share {
    struct db_fix f;
    dendro_conn *other;
    char id[64];
};

static void share_open(struct share *s)
{
    db_open(&s->f);
    db_ok(&s->f, "CREATE TABLE t (k INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1,1),(2,2)");
    assert_int_equal(dendro_connect(s->f.db, &s->other, NULL), DENDRO_OK);
}

static void share_close(struct share *s)
{
    dendro_disconnect(s->other);
    db_close(&s->f);
}

/* An id of the session's transaction, which has begun. */
static void share_export(struct share *s)
{
    const char *out = db_ok(&s->f, "SELECT pg_export_snapshot()");
    size_t len = strcspn(out, "\n");

    assert_true(len > 0 && len < sizeof s->id);
    memcpy(s->id, out, len);
    s->id[len] = 0;
}

/* In the other session, after some text: SET TRANSACTION SNAPSHOT of the id, then more text. */
static const char *share_import(struct share *s, const char *before, const char *after)
{
    char sql[512];

    snprintf(sql, sizeof sql, "%s; SET TRANSACTION SNAPSHOT '%s'; %s", before, s->id, after);
    return db_run_on(&s->f, s->other, sql);
}

static void expect(const char *out, const char *part)
{
    if (!strstr(out, part))
        fail_msg("%s is not in: %s", part, out);
}

static void expect_refused(struct share *s, const char *before, const char *part)
{
    expect(share_import(s, before, "SELECT 1"), part);
    db_run_on(&s->f, s->other, "ROLLBACK");
}

/* The other session reads what the first one read first: without rows and tables that came since,
 * and without what the first one has written itself. */
static void test_one_instant(void **state)
{
    struct share s;

    (void)state;
    share_open(&s);
    db_ok(&s.f, "BEGIN; INSERT INTO t VALUES (3,3); CREATE TABLE own (k INT PRIMARY KEY)");
    db_run_on(&s.f, s.other, "UPDATE t SET v = 9 WHERE k = 1; DELETE FROM t WHERE k = 2");
    db_run_on(&s.f, s.other, "INSERT INTO t VALUES (4,4); CHECKPOINT; ALTER TABLE t DROP COLUMN v");
    share_export(&s);
    assert_string_equal(share_import(&s, "BEGIN", "SELECT * FROM t ORDER BY k"),
                        "(BEGIN)\n(SET)\n1|1\n2|2\n(SELECT 2)\n");
    expect(db_run_on(&s.f, s.other, "SELECT * FROM own"), "ERROR 42P01");
    assert_string_equal(db_run_on(&s.f, s.other, "ROLLBACK; SELECT * FROM t ORDER BY k"),
                        "(ROLLBACK)\n1\n4\n(SELECT 2)\n");
    share_close(&s);
}

/* Two ids are the same snapshot; one that imported it gives it on. It stays when the first ends. */
static void test_given_on(void **state)
{
    struct share s;
    char first[64];
    dendro_conn *third;

    (void)state;
    share_open(&s);
    assert_int_equal(dendro_connect(s.f.db, &third, NULL), DENDRO_OK);
    db_ok(&s.f, "BEGIN");
    share_export(&s);
    memcpy(first, s.id, sizeof first);
    share_export(&s);
    assert_string_not_equal(first, s.id);
    db_run_on(&s.f, third, "DELETE FROM t");
    share_import(&s, "BEGIN", "SELECT 1");
    db_ok(&s.f, "COMMIT");
    expect(db_run_on(&s.f, s.other, "SELECT pg_export_snapshot()"), "(SELECT 1)");
    {
        dendro_conn *was = s.f.conn;
        char sql[160];

        s.f.conn = s.other; /* exports; the first session imports */
        share_export(&s);
        s.f.conn = was;
        snprintf(sql,
                 sizeof sql,
                 "BEGIN; SET TRANSACTION SNAPSHOT '%s'; SELECT count(*) FROM t; COMMIT",
                 s.id);
        assert_string_equal(db_ok(&s.f, sql), "(BEGIN)\n(SET)\n2\n(SELECT 1)\n(COMMIT)\n");
    }
    assert_string_equal(db_run_on(&s.f, s.other, "SELECT count(*) FROM t"), "2\n(SELECT 1)\n");
    dendro_disconnect(third);
    share_close(&s);
}

/* An id is gone with the transaction, however it ends; and what is no id is none. */
static void test_ends(void **state)
{
    static const char *const ends[] = {"COMMIT", "ROLLBACK", "COMMIT AND CHAIN"};
    static const char *const none[] = {
        "", "-", "-1", "x", "00000000-00000001-0", "../x", "00000001"};
    struct share s;

    (void)state;
    share_open(&s);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        db_ok(&s.f, "BEGIN");
        share_export(&s);
        expect(share_import(&s, "BEGIN", "COMMIT"), "(COMMIT)");
        db_ok(&s.f, ends[i]);
        expect_refused(&s, "BEGIN", "ERROR 22023");
    }
    db_ok(&s.f, "ROLLBACK");
    share_export(&s); /* of the statement alone */
    expect_refused(&s, "BEGIN", "ERROR 22023");
    db_ok(&s.f, "BEGIN");
    share_export(&s);
    dendro_disconnect(s.f.conn); /* as one that dies */
    assert_int_equal(dendro_connect(s.f.db, &s.f.conn, NULL), DENDRO_OK);
    expect_refused(&s, "BEGIN", "invalid snapshot identifier");
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        snprintf(s.id, sizeof s.id, "%s", none[i]);
        expect_refused(&s, "BEGIN", "ERROR 22023");
    }
    db_ok(&s.f, "BEGIN");
    share_export(&s);
    strcat(s.id, "0"); /* more than were given out */
    expect_refused(&s, "BEGIN", "ERROR 22023");
    share_close(&s);
}

static void test_refused(void **state)
{
    struct share s;

    (void)state;
    share_open(&s);
    db_ok(&s.f, "BEGIN");
    share_export(&s);
    expect_refused(&s, "BEGIN; SELECT count(*) FROM t", "ERROR 25001");
    expect_refused(&s, "BEGIN; SAVEPOINT x", "ERROR 25001");
    expect_refused(&s, "BEGIN; INSERT INTO t VALUES (7,7)", "ERROR 25001");
    expect_refused(&s, "BEGIN ISOLATION LEVEL READ COMMITTED", "ERROR 0A000");
    expect_refused(&s, "BEGIN ISOLATION LEVEL SERIALIZABLE", "ERROR 0A000");
    expect(share_import(&s, "BEGIN", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
           "ERROR 25001");
    db_run_on(&s.f, s.other, "ROLLBACK");
    expect(db_run_on(&s.f, s.other, "BEGIN; SET LOCAL TRANSACTION SNAPSHOT 'x'"), "ERROR 0A000");
    db_run_on(&s.f, s.other, "ROLLBACK");
    expect(share_import(&s, "SELECT 1", "SELECT 1"), "(SET)"); /* outside a block: a warning */
    expect(db_run(&s.f, "SAVEPOINT x; SELECT pg_export_snapshot()"), "ERROR 25001");
    db_ok(&s.f, "ROLLBACK; BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY");
    share_export(&s);
    expect(share_import(&s, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", "COMMIT"), "(COMMIT)");
    expect_refused(&s, "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE", "ERROR 0A000");
    db_run_on(&s.f, s.other, "CREATE TEMP TABLE mine (k INT)");
    expect_refused(&s, "BEGIN", "temporary objects");
    share_close(&s);
}

/* Privileges are those of the snapshot's catalog: only the exporting role, and superusers. */
static void test_roles(void **state)
{
    static const struct {
        const char *role;
        const char *part;
    } tries[] = {
        {"bob", "ERROR 42501"}, {"ann", "(COMMIT)"}, {"dendro", "2\n(SELECT 1)\n(COMMIT)"}};
    struct share s;
    dendro_conn *exporting;
    dendro_conn *was;

    (void)state;
    share_open(&s);
    db_ok(&s.f, "CREATE ROLE ann LOGIN; CREATE ROLE bob LOGIN; GRANT SELECT ON t TO ann, bob");
    assert_int_equal(engine_session_role(s.other, "ann", NULL), 0);
    exporting = s.other;
    was = s.f.conn;
    s.f.conn = exporting;
    db_ok(&s.f, "BEGIN");
    share_export(&s);
    s.f.conn = was;
    db_ok(&s.f, "REVOKE SELECT ON t FROM bob; DELETE FROM t");
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        assert_int_equal(dendro_connect(s.f.db, &s.other, NULL), DENDRO_OK);
        assert_int_equal(engine_session_role(s.other, tries[i].role, NULL), 0);
        expect(share_import(&s, "BEGIN", "SELECT count(*) FROM t; COMMIT"), tries[i].part);
        dendro_disconnect(s.other);
    }
    s.other = exporting;
    share_close(&s);
}

/* The importing transaction writes, and the first committer wins. */
static void test_writes(void **state)
{
    struct share s;

    (void)state;
    share_open(&s);
    db_ok(&s.f, "BEGIN");
    share_export(&s);
    expect(
        share_import(&s, "UPDATE t SET v = 5 WHERE k = 2; BEGIN", "UPDATE t SET v = v + 1; COMMIT"),
        "ERROR 40001");
    expect(share_import(&s, "BEGIN", "UPDATE t SET v = v + 1 WHERE k = 1; COMMIT"), "(COMMIT)");
    assert_string_equal(db_ok(&s.f, "ROLLBACK; SELECT * FROM t ORDER BY k"),
                        "(ROLLBACK)\n1|2\n2|5\n(SELECT 2)\n");
    share_close(&s);
}

/* Each allocation of both sides fails once: the error surfaces, nothing is left of it. */
static void test_allocations(void **state)
{
    struct share s;
    size_t used = mem_process_used();
    bool done = false;

    (void)state;
    share_open(&s);
    for (uint64_t n = 1; !done; n++) {
        const char *out;

        assert_true(n < 5000);
        db_ok(&s.f, "BEGIN; SELECT count(*) FROM t");
        mem_fail_nth(n, false);
        out = db_run(&s.f, "SELECT pg_export_snapshot()");
        mem_fail_nth(0, false);
        done = !strstr(out, "ERROR");
        assert_true(done || strstr(out, "ERROR 53200"));
        db_ok(&s.f, "ROLLBACK");
    }
    done = false;
    for (uint64_t n = 1; !done; n++) {
        const char *out;

        assert_true(n < 5000);
        db_ok(&s.f, "BEGIN");
        share_export(&s);
        db_run_on(&s.f, s.other, "BEGIN");
        mem_fail_nth(n, false);
        out = share_import(&s, "", "");
        mem_fail_nth(0, false);
        done = !strstr(out, "ERROR");
        assert_true(done || strstr(out, "ERROR 53200"));
        expect(db_run_on(&s.f, s.other, "ROLLBACK"), "(ROLLBACK)");
        db_ok(&s.f, "ROLLBACK");
    }
    share_close(&s);
    assert_int_equal(mem_process_used(), used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_instant),
        cmocka_unit_test(test_given_on),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
