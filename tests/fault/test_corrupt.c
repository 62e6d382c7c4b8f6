/* SPDX-License-Identifier: Apache-2.0
 *
 * test_corrupt.c: a small database, closed, of which one bit of one file is flipped, or a file is
 * cut short. Whoever reads then gets the right rows or DN_E_CORRUPT, never other rows and never a
 * crash, and `dendro check` names the file. The one thing that cannot be told from a crash is the
 * last record of the log chunk that was open: it may count as torn, as a whole.
 *
 * DENDRO_TEST_SECONDS is the budget of the flips; the bits are taken in an order that covers all
 * files evenly, so that more time finds more. */
#include "sql_db.h"

#include "store/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILES_MAX 24u

static const char *const queries[] = {
    "SELECT * FROM a",
    "SELECT * FROM b",
    "SELECT * FROM c",
    "SELECT g, count(*), sum(v), min(t), max(s) FROM a GROUP BY g",
    "SELECT count(*), sum(x), max(y) FROM b",
    "SELECT * FROM a WHERE g = 'beta' AND t BETWEEN 40000000 AND 200000000",
    "SELECT n, c FROM c WHERE n > 3",
};
#define QUERIES DN_ARRAY_SIZE(queries)

struct file {
    char kind; /* as sim_disk_flip takes it */
    char name[VOLUME_NAME_MAX + 1];
    uint64_t bits;
    uint64_t torn_from; /* bits from here on may count as a torn tail */
};

struct fixture {
    struct sql_db d;
    struct file files[FILES_MAX];
    uint32_t count;
    struct sql_rows want[QUERIES];
    struct sql_rows torn[QUERIES]; /* without the last commit */
    uint64_t corrupt;              /* flips that were noticed */
    uint64_t harmless;
    uint64_t lost_tail;
};

static void fix_exec(struct fixture *f, const char *sql)
{
    struct dendro_error err;

    if (sql_exec(f->d.conn, sql, &err) < 0)
        fail_msg("%s: %s", sql, err.message);
}

static int fix_open(struct fixture *f, bool read_only, struct dn_err *err)
{
    struct sql_db_options o = {.seed = 1, .read_only = read_only};

    return sql_db_open(&f->d, &o, err);
}

static void fix_reopen(struct fixture *f)
{
    struct dn_err err;

    sql_db_close(&f->d);
    if (fix_open(f, false, &err) < 0)
        fail_msg("%s", err.text);
}

static void fix_rows(struct fixture *f, struct sql_rows *ret)
{
    struct dendro_error err;

    for (size_t i = 0; i < QUERIES; i++) {
        if (sql_query(f->d.conn, queries[i], &ret[i], &err) < 0)
            fail_msg("%s: %s", queries[i], err.message);
        sql_rows_sort(&ret[i]);
    }
}

static void fix_add_file(struct fixture *f, char kind, const char *name)
{
    struct file *file = &f->files[f->count++];
    const uint8_t *p;
    size_t n;

    assert_true(f->count <= FILES_MAX);
    assert_true(sim_disk_get(f->d.disk, kind, name, &p, &n));
    *file = (struct file){.kind = kind, .bits = n * 8, .torn_from = UINT64_MAX};
    (void)snprintf(file->name, sizeof file->name, "%s", name);
}

/* The last chunk is the one that was open. */
static void fix_find_tail(struct file *file, const uint8_t *p, size_t n)
{
    struct log_reader r;
    struct log_frame frame;
    struct dn_err err;

    log_reader_init(&r, file->name, p, n, false);
    while (log_reader_next(&r, &frame, &err) == DN_OK)
        file->torn_from = frame.offset * 8;
}

static void fix_files(struct fixture *f)
{
    struct volume_names names = {0};
    const uint8_t *p;
    size_t n;
    struct dn_err err;

    assert_int_equal(volume_list(f->d.v, "", &names, &err), 0);
    assert_true(names.count >= 3);
    for (size_t i = 0; i < names.count; i++)
        fix_add_file(f, 'o', names.names[i]);
    volume_names_done(&names);
    memset(&names, 0, sizeof names);
    assert_int_equal(volume_log_list(f->d.v, "", &names, &err), 0);
    assert_true(names.count >= 2);
    for (size_t i = 0; i < names.count; i++)
        fix_add_file(f, 'l', names.names[i]);
    volume_names_done(&names);
    assert_true(sim_disk_get(f->d.disk, 'l', f->files[f->count - 1].name, &p, &n));
    fix_find_tail(&f->files[f->count - 1], p, n);
    assert_true(f->files[f->count - 1].torn_from != UINT64_MAX);
    fix_add_file(f, 'd', "catalog");
    fix_add_file(f, 'd', "manifest/0");
}

/* Segments, a sealed chunk and an open one with rows that are nowhere else. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct dn_err err;
    struct buf sql;

    *state = f;
    sql_db_init(&f->d, 1);
    if (fix_open(f, false, &err) < 0)
        fail_msg("%s", err.text);
    fix_exec(f,
             "CREATE TABLE a (g VARCHAR NOT NULL, t TIMESTAMP NOT NULL, v DOUBLE, s VARCHAR, "
             "PRIMARY KEY ((g, QUANTUM(t, 1, 'h')), g, t DESC));"
             "CREATE TABLE b (k INT PRIMARY KEY, x BIGINT DEFAULT 5, y VARCHAR) WITH (upsert = "
             "'field');"
             "CREATE TABLE c (n SMALLINT, c BLOB, u TIMESTAMP(6))");
    buf_init(&sql, NULL);
    buf_puts(&sql, "INSERT INTO a VALUES ");
    for (int i = 0; i < 150; i++)
        buf_printf(&sql,
                   "%s('%s', %d, %d.25, %s)",
                   i ? ", " : "",
                   i % 3 ? "alpha" : "beta",
                   1 + i * 1000000,
                   i,
                   i % 7 ? "'word'" : "NULL");
    buf_u8(&sql, 0);
    fix_exec(f, (const char *)sql.data);
    buf_done(&sql);
    fix_exec(f,
             "INSERT INTO b VALUES (1, 1, 'one'), (2, 2, 'two'), (3, NULL, NULL);"
             "INSERT INTO c VALUES (1, 0xcafe, 5), (2, NULL, NULL), (3, 0x, -7);"
             "CHECKPOINT;"
             "INSERT INTO b (k, y) VALUES (1, 'uno'), (4, 'four');"
             "CHECKPOINT;"
             "INSERT INTO a VALUES ('beta', 1, -1, 'changed'), ('gamma', 99, NULL, NULL);"
             "INSERT INTO c VALUES (4, 0x04, 4)");
    fix_reopen(f); /* seals the chunk */
    fix_exec(f, "INSERT INTO b (k, x) VALUES (1, 11), (5, 55)");
    fix_exec(f, "INSERT INTO a VALUES ('delta', 7, 0.5, 'new')");
    fix_rows(f, f->torn);
    fix_exec(f, "INSERT INTO b VALUES (6, 6, 'six'); ");
    fix_rows(f, f->want);
    fix_files(f);
    sql_db_close(&f->d);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < QUERIES; i++) {
        sql_rows_done(&f->want[i]);
        sql_rows_done(&f->torn[i]);
    }
    sql_db_done(&f->d);
    free(f);
    return 0;
}

static bool same_rows(const struct sql_rows *a, const struct sql_rows *b)
{
    if (a->count != b->count || (a->count && a->cols != b->cols))
        return false;
    for (size_t i = 0; i < a->count * a->cols; i++)
        if (!sql_value_same(&a->v[i], &b->v[i]))
            return false;
    return true;
}

struct check_result {
    const char *name; /* of the damaged file */
    uint64_t faults;
    bool named;
};

static void on_report(void *arg, bool fault, const char *text)
{
    struct check_result *r = arg;

    r->faults += fault;
    r->named = r->named || (fault && strstr(text, r->name));
}

/* What `dendro check` says of the damage. */
static void damage_check(struct fixture *f, const struct file *file, const char *what, bool must)
{
    struct check_result r = {.name = strcmp(file->name, "manifest/0") ? file->name : "manifest"};
    struct volume *v;
    struct dn_err err;
    uint64_t faults = 0;

    assert_int_equal(sim_volume_open(f->d.disk, 1, &v, &err), 0);
    if (engine_check_volume(v, on_report, &r, &faults, &err) < 0) {
        if (err.code != DN_E_CORRUPT && err.code != DN_E_VERSION)
            fail_msg("%s: check fails: %s", what, err.text);
        r.faults++;
        r.named = strstr(err.text, r.name);
    }
    volume_close(v);
    if (must && r.faults == 0)
        fail_msg("%s: check finds nothing", what);
    if (must && !r.named)
        fail_msg("%s: check does not name the file", what);
}

/* A damaged version number reads as a newer release's. */
static bool refusal(int rc)
{
    return rc == DN_E_CORRUPT || rc == DN_E_VERSION;
}

/* Opens the damaged database for reading and runs every query. Returns whether it was noticed. */
static bool damage_read(struct fixture *f, const struct file *file, const char *what, bool tail)
{
    struct dn_err err;
    bool noticed = false;
    bool torn = false;
    int rc = fix_open(f, true, &err);

    if (rc < 0) {
        if (!refusal(rc))
            fail_msg("%s: %s %s", what, dn_code_name(rc), err.text);
        return true;
    }
    for (size_t i = 0; i < QUERIES; i++) {
        struct dendro_error e;
        struct sql_rows rows;
        rc = sql_query(f->d.conn, queries[i], &rows, &e);
        if (rc < 0) {
            noticed = true;
            if (!refusal(rc))
                fail_msg("%s: %s: %s", what, queries[i], e.message);
            if (!strstr(e.message, file->name))
                fail_msg(
                    "%s: %s: the message does not name the file: %s", what, queries[i], e.message);
            continue;
        }
        sql_rows_sort(&rows);
        if (!same_rows(&rows, &f->want[i])) {
            torn = true;
            if (!tail || !same_rows(&rows, &f->torn[i]))
                fail_msg("%s: %s: wrong rows", what, queries[i]);
        }
        sql_rows_done(&rows);
    }
    f->lost_tail += torn;
    sql_db_close(&f->d);
    return noticed;
}

static void flip_one(struct fixture *f, const struct file *file, uint64_t bit)
{
    char what[300];
    bool tail = bit >= file->torn_from;
    bool noticed;

    (void)snprintf(what,
                   sizeof what,
                   "%c %s, byte %llu, bit %u",
                   file->kind,
                   file->name,
                   (unsigned long long)bit / 8,
                   (unsigned)(bit % 8));
    assert_true(sim_disk_flip(f->d.disk, file->kind, file->name, bit));
    noticed = damage_read(f, file, what, tail);
    f->corrupt += noticed;
    f->harmless += !noticed;
    if (!noticed && file->kind == 'd')
        fail_msg("%s: nobody noticed", what);
    damage_check(f, file, what, !tail);
    assert_true(sim_disk_flip(f->d.disk, file->kind, file->name, bit));
}

/* Every file in turn, bits in steps that meet all of them in the end. */
static void test_flips(void **state)
{
    struct fixture *f = *state;
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 6) * 1000;
    uint64_t most = 0;

    for (uint32_t i = 0; i < f->count; i++)
        if (f->files[i].bits > most)
            most = f->files[i].bits;
    for (uint64_t k = 0; k < most && (k < 8 || test_now_ms() < end); k++)
        for (uint32_t i = 0; i < f->count; i++)
            if (f->files[i].bits && k < f->files[i].bits)
                flip_one(f, &f->files[i], k * 7919 % f->files[i].bits);
    print_message("%llu flips noticed while reading, %llu without effect on these queries, %llu in "
                  "the tail\n",
                  (unsigned long long)f->corrupt,
                  (unsigned long long)f->harmless,
                  (unsigned long long)f->lost_tail);
    assert_true(f->corrupt > 50);
}

/* A file cut short or emptied. */
static void test_cuts(void **state)
{
    struct fixture *f = *state;
    char what[300];

    for (uint32_t i = 0; i < f->count; i++) {
        const struct file *file = &f->files[i];
        size_t full = (size_t)(file->bits / 8);
        uint8_t *copy = malloc(full + 1);
        const uint8_t *p;
        size_t n;
        assert_true(sim_disk_get(f->d.disk, file->kind, file->name, &p, &n));
        memcpy(copy, p, n);
        for (size_t len = 0; full && len < full; len += 1 + full / 9) {
            bool tail = file->torn_from != UINT64_MAX && len * 8 >= file->torn_from;
            /* A chunk that was open and ends after a whole record is as good as one that was never
             * written further: only documents outside the volume could tell. */
            if (file->torn_from != UINT64_MAX && !tail)
                continue;
            (void)snprintf(what, sizeof what, "%s cut to %zu of %zu bytes", file->name, len, full);
            assert_true(sim_disk_set(f->d.disk, file->kind, file->name, copy, len));
            (void)damage_read(f, file, what, tail);
            damage_check(f, file, what, !tail);
        }
        assert_true(sim_disk_set(f->d.disk, file->kind, file->name, copy, full));
        free(copy);
    }
}

/* Opening for writing must refuse a damaged log, manifest or catalog and leave everything as it is,
 * so that it can still be saved. */
static void test_refuses_to_write(void **state)
{
    struct fixture *f = *state;
    struct dn_err err;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct file *file = &f->files[i];
        uint64_t bit = file->bits / 3;
        const uint8_t *p;
        size_t n;
        if (file->kind == 'o' || file->bits == 0 || bit >= file->torn_from)
            continue;
        assert_true(sim_disk_flip(f->d.disk, file->kind, file->name, bit));
        for (int tries = 0; tries < 2; tries++)
            assert_int_equal(fix_open(f, false, &err), DN_E_CORRUPT);
        /* Only the epoch in the manifest may have moved. */
        for (uint32_t k = 0; k < f->count; k++) {
            assert_true(sim_disk_get(f->d.disk, f->files[k].kind, f->files[k].name, &p, &n));
            if (strcmp(f->files[k].name, "manifest/0") != 0)
                assert_int_equal(n * 8, f->files[k].bits);
        }
        assert_true(sim_disk_flip(f->d.disk, file->kind, file->name, bit));
    }
    /* And undamaged it opens, with every row. */
    if (fix_open(f, false, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < QUERIES; i++) {
        struct dendro_error e;
        struct sql_rows rows;
        assert_int_equal(sql_query(f->d.conn, queries[i], &rows, &e), 0);
        sql_rows_sort(&rows);
        assert_true(same_rows(&rows, &f->want[i]));
        sql_rows_done(&rows);
    }
    sql_db_close(&f->d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_refuses_to_write),
    };

    return cmocka_run_group_tests_name("corrupt", tests, setup, teardown);
}
