/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents that a defect of the program would make unreadable: they are loaded before they replace
 * the old ones, so the statement fails, and the database goes on and opens again. The defect is a
 * hook that changes the bytes (volume/document.h). */
#include "db_fix.h"

#include "engine/slabs_other.h"
#include "sql/sql.h"
#include "volume/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct spoil {
    const char *name; /* of the document */
    unsigned hits;
};

static void spoil_cut(void *arg, const char *name, struct buf *bytes)
{
    struct spoil *s = arg;

    if (strcmp(name, s->name) != 0 || bytes->len < 4)
        return;
    bytes->len -= bytes->len / 3 + 1;
    bytes->data[0] ^= 0x40; /* a text that is cut may be a text all the same */
    s->hits++;
}

static void on_report(void *arg, bool fault, const char *text)
{
    if (fault) {
        print_error("check: %s\n", text);
        ++*(unsigned *)arg;
    }
}

static void check_is_sound(struct db_fix *f)
{
    struct dn_err err;
    uint64_t faults = 0;
    unsigned said = 0;

    assert_int_equal(engine_check_volume(f->volume, on_report, &said, &faults, &err), 0);
    assert_int_equal(faults, 0);
}

/* The statement fails while the document is spoilt, and nothing of it is there; then it works. */
static void spoilt(struct db_fix *f, const char *doc, const char *sql)
{
    struct spoil s = {.name = doc};
    struct volume_spoiler spoiler = {.fn = spoil_cut, .arg = &s};
    const char *said;

    f->volume->spoiler = &spoiler;
    for (int i = 0; i < 2; i++) {
        said = db_run(f, sql);
        if (!strstr(said, "ERROR XX000") || !strstr(said, doc))
            fail_msg("%s, %s: %s", doc, sql, said);
        DN_IGNORE(db_run(f, "ROLLBACK") != NULL);
    }
    assert_true(s.hits >= 2);
    f->volume->spoiler = NULL;
    assert_string_equal(db_run(f, "SELECT sum(k) FROM t"), "3\n(SELECT 1)\n");
    db_reopen(f);
    assert_string_equal(db_run(f, "SELECT sum(k) FROM t"), "3\n(SELECT 1)\n");
    db_ok(f, sql);
    db_reopen(f);
    check_is_sound(f);
}

static void each_document(void **state)
{
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (k BIGINT PRIMARY KEY); INSERT INTO t VALUES (1), (2);"
          "CREATE SEQUENCE q; CREATE TABLE r (k BIGINT PRIMARY KEY);"
          "CREATE TIME PARTITION ON r AS tp PERIOD 'manual' RETENTION 2 START 1");
    spoilt(&f, "catalog", "CREATE TABLE u (k BIGINT PRIMARY KEY)");
    spoilt(&f, "catalog", "ALTER TABLE t ADD COLUMN c INT");
    spoilt(&f, "catalog", "CREATE VIEW w AS SELECT k FROM t");
    spoilt(&f, "catalog", "CREATE ROLE someone");
    spoilt(&f, "catalog", "DROP TABLE u");
    /* With rows the catalog goes into the log first. */
    spoilt(&f,
           "catalog",
           "BEGIN; CREATE TABLE v (k BIGINT PRIMARY KEY); INSERT INTO v VALUES (1); COMMIT");
    spoilt(&f, "manifest/0", "INSERT INTO r VALUES (1); CHECKPOINT");
    spoilt(&f, "counters", "SELECT nextval('q') > 0");
    spoilt(&f, "counters", "SELECT setval('q', 1000)");
    spoilt(&f, "clocks", "PUT COUNTER tp INCREMENT");
    spoilt(&f, "settings", "ALTER SYSTEM SET statement_timeout = '1h'");
    spoilt(&f, "time", "SELECT dendro_confirm_clock(current_date)");
    db_close(&f);
}

/* Kinds of edits, as the parser names them. */
static struct {
    bool alter[ALTER_KIND_MAX];
    bool role[ROLE_ACTION_MAX];
    bool type[TYPE_STMT_MAX];
    bool drop[OBJECT_SCHEMA];
    bool stmt[STMT_KIND_MAX];
} edited;

static void note_kinds(const char *sql)
{
    struct sql_text text;
    struct arena arena;
    struct dn_err err;
    struct stmt *s;

    arena_init(&arena, NULL);
    sql_text_init(&text, sql, strlen(sql));
    while (sql_parse(&text, &arena, &s, &err) == 0) {
        edited.stmt[s->kind] = true;
        for (uint32_t i = 0; s->kind == STMT_ALTER && i < s->alter->actions_count; i++)
            edited.alter[s->alter->actions[i].kind] = true;
        if (s->kind == STMT_ROLE)
            edited.role[s->role->action] = true;
        if (s->kind == STMT_TYPE)
            edited.type[s->type->what] = true;
        if (s->kind == STMT_DROP)
            edited.drop[s->object] = true;
    }
    arena_done(&arena);
}

static void all_of(const char *what, const bool *done, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!done[i])
            fail_msg("no edit of %s %zu is tried", what, i);
}

/* A new kind of edit has to be tried. */
static void check_kinds(void)
{
    static const enum stmt_kind kinds[] = {STMT_CREATE_TABLE,
                                           STMT_CREATE_VIEW,
                                           STMT_CREATE_INDEX,
                                           STMT_CREATE_SEQUENCE,
                                           STMT_ALTER_SEQUENCE,
                                           STMT_CREATE_SCHEMA,
                                           STMT_DROP_SCHEMA,
                                           STMT_TIMEPART,
                                           STMT_COMMENT,
                                           STMT_GRANT};

    /* Changes nothing: a type belongs to whom its schema does. */
    edited.type[TYPE_STMT_OWNER] = true;
    all_of("enum alter_kind", edited.alter, DN_ARRAY_SIZE(edited.alter));
    all_of("enum role_action", edited.role, DN_ARRAY_SIZE(edited.role));
    all_of("enum type_what", edited.type, DN_ARRAY_SIZE(edited.type));
    all_of("enum object_kind", edited.drop, DN_ARRAY_SIZE(edited.drop));
    for (size_t i = 0; i < DN_ARRAY_SIZE(kinds); i++)
        assert_true(edited.stmt[kinds[i]]);
}

/* Every kind of edit of the catalog: each is a statement that fails, and then works. */
static const char *const edits[] = {
    "CREATE SCHEMA s",
    "CREATE TABLE s.a (k INT PRIMARY KEY, v INT)",
    "CREATE TABLE made AS SELECT k FROM t",
    "SELECT k INTO made2 FROM t",
    "CREATE TEMP TABLE brief (k INT)",
    "CREATE TEMP TABLE brief2 AS SELECT k FROM t",
    "BEGIN; CREATE TEMP TABLE brief3 AS SELECT k FROM t; COMMIT",
    "BEGIN; CREATE TABLE made3 AS SELECT k FROM t; COMMIT",
    "CREATE TEMP VIEW seen AS SELECT k FROM t",
    "CREATE SEQUENCE s.n",
    "ALTER SEQUENCE s.n INCREMENT 5",
    "CREATE TYPE s.mood AS ENUM ('sad', 'ok')",
    "ALTER TYPE s.mood ADD VALUE 'good'",
    "CREATE INDEX a_v ON s.a (v)",
    "ALTER TABLE s.a RENAME COLUMN v TO w",
    "ALTER TABLE s.a ADD CONSTRAINT c CHECK (w > 0)",
    "ALTER TABLE s.a ADD COLUMN g INT GENERATED ALWAYS AS (w + 1) STORED",
    "ALTER TABLE s.a SET (compression = 'max')",
    "COMMENT ON TABLE s.a IS 'of the test'",
    "CREATE ROLE r1",
    "GRANT SELECT (w) ON s.a TO r1",
    "ALTER ROLE r1 SET timezone = 'UTC'",
    "ALTER TABLE s.a OWNER TO r1",
    "ALTER TABLE s.a RENAME CONSTRAINT c TO c2",
    "ALTER TABLE s.a ADD CONSTRAINT c3 CHECK (w > 1) NOT VALID",
    "ALTER TABLE s.a VALIDATE CONSTRAINT c3",
    "ALTER TABLE s.a DROP CONSTRAINT c2",
    "ALTER TABLE s.a ALTER COLUMN g DROP EXPRESSION",
    "ALTER TABLE s.a ALTER COLUMN g SET DEFAULT 5",
    "ALTER TABLE s.a ALTER COLUMN g DROP DEFAULT",
    "ALTER TABLE s.a ALTER COLUMN g SET NOT NULL",
    "ALTER TABLE s.a ALTER COLUMN g ADD GENERATED BY DEFAULT AS IDENTITY",
    "ALTER TABLE s.a ALTER COLUMN g SET GENERATED ALWAYS",
    "ALTER TABLE s.a ALTER COLUMN g DROP IDENTITY",
    "ALTER TABLE s.a ALTER COLUMN g DROP NOT NULL",
    "ALTER TABLE s.a ALTER COLUMN g TYPE TEXT USING g::text",
    "ALTER TABLE s.a DROP COLUMN g",
    "ALTER TABLE s.a RESET (compression)",
    "CREATE TABLE keyless (k INT NOT NULL)",
    "ALTER TABLE keyless ADD PRIMARY KEY (k)",
    "ALTER TABLE keyless RENAME TO keyed",
    "DROP TABLE keyed",
    "CREATE TABLE split (k INT PRIMARY KEY)",
    "ALTER TABLE split PARTITIONED BY MANUAL RETENTION 2 START 1",
    "CREATE VIEW v AS SELECT k FROM t",
    "COMMENT ON VIEW v IS 'of the test'",
    "DROP VIEW v",
    "DROP SEQUENCE s.n",
    "DROP INDEX s.a_v",
    "ALTER TYPE s.mood RENAME VALUE 'ok' TO 'calm'",
    "ALTER TYPE s.mood RENAME TO temper",
    "ALTER TYPE s.temper SET SCHEMA public",
    "DROP TYPE temper",
    "ALTER ROLE r1 LOGIN",
    "REVOKE SELECT (w) ON s.a FROM r1",
    "CREATE ROLE r2",
    "ALTER ROLE r2 RENAME TO r3",
    "DROP ROLE r3",
    "CREATE TABLE d (t TIMESTAMP PRIMARY KEY) WITH (retention = '30 days')",
    "ALTER TABLE d SET (retention = '40 days')",
    "CREATE TABLE p (k INT PRIMARY KEY)",
    "CREATE TIME PARTITION ON p AS pp PERIOD 'manual' RETENTION 2 START 1",
    "PUT COUNTER pp INCREMENT",
    "DROP TIME PARTITION pp",
    "ALTER TABLE s.a SET SCHEMA public",
    "REASSIGN OWNED BY r1 TO dendro",
    "DROP OWNED BY r1",
    "DROP SCHEMA s CASCADE",
};

static void each_edit(void **state)
{
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY); INSERT INTO t VALUES (1), (2)");
    for (size_t i = 0; i < DN_ARRAY_SIZE(edits); i++) {
        note_kinds(edits[i]);
        spoilt(&f, strstr(edits[i], "PUT COUNTER") ? "clocks" : "catalog", edits[i]);
    }
    check_kinds();
    db_close(&f);
}

/* The document that says what a detached partition is lies in a volume without a database. */
static void partition_document(void **state)
{
    static const bool complete[] = {false, true};
    struct spoil s = {.name = "partition"};
    struct volume_spoiler spoiler = {.fn = spoil_cut, .arg = &s};
    enum detached_state was = DETACHED_EMPTY;
    enum detached_state now;
    struct sim_disk *disk;
    struct volume *v;
    struct dn_err err;

    (void)state;
    disk = sim_disk_new(1);
    assert_non_null(disk);
    assert_int_equal(sim_volume_open(disk, 1, &v, &err), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(complete); i++) {
        v->spoiler = &spoiler;
        assert_int_equal(detached_mark(v, complete[i], &err), DN_E_INTERNAL);
        assert_non_null(strstr(err.text, "partition"));
        v->spoiler = NULL;
        assert_int_equal(s.hits, i + 1);
        assert_int_equal(detached_state(v, &now, &err), 0);
        assert_int_equal(now, was);
        assert_int_equal(detached_mark(v, complete[i], &err), 0);
        was = complete[i] ? DETACHED_WHOLE : DETACHED_PART;
        assert_int_equal(detached_state(v, &now, &err), 0);
        assert_int_equal(now, was);
    }
    volume_close(v);
    sim_disk_free(disk);
}

/* A document of an earlier release: a temporary table whose schema was not saved. */
static void lost_temporary_schema(void **state)
{
    struct db_fix f;
    const uint8_t *p;
    struct buf doc;
    size_t n;
    char *at;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (k BIGINT PRIMARY KEY); INSERT INTO t VALUES (1), (2);"
          "CREATE SCHEMA oo_temp_77; CREATE TABLE oo_temp_77.b (x INT PRIMARY KEY);"
          "CREATE SEQUENCE oo_temp_77.s; INSERT INTO oo_temp_77.b VALUES (5)");
    dendro_disconnect(f.conn);
    assert_int_equal(dendro_close(f.db), DENDRO_OK);
    volume_close(f.volume);
    assert_true(sim_disk_get(f.disk, 'd', "catalog", &p, &n));
    buf_init(&doc, NULL);
    buf_append(&doc, p, n);
    buf_u8(&doc, 0);
    at = strstr((char *)doc.data, "oo_temp_77"); /* schemas come first */
    assert_non_null(at);
    memcpy(at, "aa", 2); /* that one has another name now */
    while ((at = strstr((char *)doc.data, "oo_temp_77")) != NULL)
        memcpy(at, "pg", 2);
    assert_true(sim_disk_set(f.disk, 'd', "catalog", doc.data, n));
    buf_done(&doc);
    buf_done(&f.out);
    buf_done(&f.notices);
    {
        struct engine_options options = {.flags = 0};
        struct dendro_error e;
        struct dn_err err;

        if (sim_volume_open(f.disk, 1, &f.volume, &err) < 0 ||
            engine_open_volume(f.volume, &options, &f.db, &err) < 0)
            fail_msg("open: %s", err.text);
        assert_int_equal(dendro_connect(f.db, &f.conn, &e), DENDRO_OK);
    }
    assert_string_equal(db_run(&f, "SELECT sum(k) FROM t"), "3\n(SELECT 1)\n");
    assert_string_equal(
        db_run(&f, "SELECT count(*) FROM information_schema.tables WHERE table_name = 'b'"),
        "0\n(SELECT 1)\n");
    db_ok(&f, "CREATE TABLE u (k BIGINT PRIMARY KEY)");
    db_reopen(&f);
    check_is_sound(&f);
    db_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_document),
        cmocka_unit_test(each_edit),
        cmocka_unit_test(partition_document),
        cmocka_unit_test(lost_temporary_schema),
    };

    return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
