/* SPDX-License-Identifier: Apache-2.0
 *
 * Imports: chunks cut anywhere, headers, rejects, packed texts; and rows in any order into every
 * kind of key, compared with what INSERT makes of them. */
#include "load_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- chunks ---- */

static void test_chunks(void **state)
{
    static const char text[] = "k,v\r\n1,\"a,\"\"b\"\"\nc\"\r\n2,\n\n3,\"\"\n4,\"\r\n\"\"\r\n\"\n"
                               "5,plain text that is a little longer than the others\n"
                               "6,\"x\n\n\ny\"\n7,last";
    static const char want[] = "1|a,\"b\"\nc\n2|~\n3|\n4|\r\n\"\r\n\n"
                               "5|plain text that is a little longer than the others\n"
                               "6|x\n\n\ny\n7|last\n(SELECT 7)\n";
    static const size_t steps[] = {0, 1, 7};
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    for (size_t s = 0; s < DN_ARRAY_SIZE(steps); s++) {
        for (size_t chunk = 1; chunk < sizeof text + 2; chunk += s == 0 ? 1 : 13) {
            struct load_text t = {.text = text, .len = sizeof text - 1, .step = steps[s]};
            struct load_result r;
            struct dn_err err;

            db_ok(&f, "TRUNCATE TABLE t");
            if (load_chunks(f.conn, "t", &t, chunk, false, &r, &err) < 0)
                fail_msg("chunks of %zu: %s", chunk, err.text);
            assert_int_equal(r.rows, 7);
            assert_int_equal(r.bytes, sizeof text - 1);
            assert_string_equal(db_ok(&f, "SELECT k, v FROM t ORDER BY k"), want);
        }
    }
    db_close(&f);
}

/* The line of an error is the same wherever the chunks are cut. */
static void test_lines(void **state)
{
    static const char text[] = "k,v\n1,a\n2,\"b\nb\nb\"\n3,c\n\n4,d\nx,e\n5,f\n6,g\n";
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    for (size_t chunk = 1; chunk < sizeof text + 2; chunk++) {
        struct load_text t = {.text = text, .len = sizeof text - 1};
        struct load_result r;
        struct dn_err err;

        assert_int_equal(load_chunks(f.conn, "t", &t, chunk, true, &r, &err), DN_E_BAD_TEXT);
        assert_string_equal(err.text,
                            "line 9, column \"k\": invalid input syntax for type bigint: \"x\"");
        assert_int_equal(r.rows, 0);
        assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "0\n(SELECT 1)\n");
    }
    db_close(&f);
}

/* ---- headers and columns ---- */

struct reject_log {
    struct buf text;
    int stop_at; /* 0 = never */
    int count;
};

static int log_reject(void *arg,
                      uint64_t line,
                      const char *column,
                      const char *reason,
                      const char *record,
                      size_t record_len)
{
    struct reject_log *log = arg;

    buf_printf(&log->text,
               "%llu %s: %s [%.*s]\n",
               (unsigned long long)line,
               column ? column : "-",
               reason,
               (int)record_len,
               record);
    return ++log->count == log->stop_at;
}

static void test_headers(void **state)
{
    static const char *const skip[] = {"v", "", "k", NULL};
    static const char *const unknown[] = {"k", "w", NULL};
    static const char *const none[] = {"", "", NULL};
    static const char *const half[] = {"v", NULL};
    static const struct {
        const char *text;
        enum dendro_csv_header header;
        const char *const *columns;
        const char *want; /* rows or the error */
    } cases[] = {
        {"1,a\n", DENDRO_HEADER_AUTO, NULL, "1|a|7\n"},
        {"K,V\n1,a\n", DENDRO_HEADER_AUTO, NULL, "1|a|7\n"},
        {" v , k \na,1\n", DENDRO_HEADER_AUTO, NULL, "1|a|7\n"},
        {"\xef\xbb\xbfk,v\n1,a\n", DENDRO_HEADER_AUTO, NULL, "1|a|7\n"},
        {"\"k\",\"v\",\"d\"\n1,a,9\n", DENDRO_HEADER_YES, NULL, "1|a|9\n"},
        {"a,x,1\n", DENDRO_HEADER_NO, skip, "1|a|7\n"},
        {"foo,bar,baz\na,x,1\n", DENDRO_HEADER_YES, skip, "1|a|7\n"},
        {"v,q,k\na,x,1\n", DENDRO_HEADER_AUTO, skip, "1|a|7\n"},
        {"", DENDRO_HEADER_AUTO, NULL, ""},
        {"k,v\n", DENDRO_HEADER_AUTO, NULL, ""},
        {"k,v\n", DENDRO_HEADER_NO, NULL, "line 1: 2 values for 3 columns"},
        {"k,v,z\n1,a,2\n",
         DENDRO_HEADER_AUTO,
         NULL,
         "header of the file: column \"z\" of relation \"t\" does not exist"},
        {"k,v,K\n1,a,2\n",
         DENDRO_HEADER_AUTO,
         NULL,
         "header of the file: column \"k\" specified more than once"},
        {"v\na\n",
         DENDRO_HEADER_AUTO,
         NULL,
         "header of the file: column \"k\" must not be NULL, is not listed and has no default"},
        {"k,\"v\n", DENDRO_HEADER_YES, NULL, "line 1: a quote is not closed"},
        {"1,a\n", DENDRO_HEADER_NO, unknown, "column \"w\" of relation \"t\" does not exist"},
        {"1,a\n", DENDRO_HEADER_NO, none, "no column of the file is wanted"},
        {"1\n",
         DENDRO_HEADER_NO,
         half,
         "column \"k\" must not be NULL, is not listed and has no default"},
    };
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR, d BIGINT DEFAULT 7)");
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct dendro_import spec = {
            .csv = {.header = cases[i].header, .columns = cases[i].columns}};
        struct dendro_import_result r;
        struct dendro_error err;
        const char *have;
        int rc;

        if (i == 0) { /* two cells, three columns: not without names */
            static const char *const two[] = {"k", "v", NULL};
            spec.csv.columns = two;
        }
        db_ok(&f, "TRUNCATE TABLE t");
        rc = load_import(&f, "t", cases[i].text, &spec, &r, &err);
        have = db_ok(&f, "SELECT * FROM t");
        if (rc < 0)
            have = err.message;
        if (strncmp(have, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("%s\ngives %s\nand not %s", cases[i].text, have, cases[i].want);
        assert_true(rc < 0 || r.rows == (*cases[i].want != '\0'));
    }
    db_close(&f);
}

static void test_rejects(void **state)
{
    static const char text[] = "k,v\n1,a\nx,b\n2,\"c\nd\"\n3\n\n4,e,f\n5,\"g\"h\n6,i\n";
    struct reject_log log = {.count = 0};
    struct dendro_import spec = {.reject = log_reject, .reject_arg = &log};
    struct dendro_import_result r;
    struct dendro_error err;
    struct db_fix f;

    (void)state;
    buf_init(&log.text, NULL);
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    assert_int_equal(load_import(&f, "t", text, &spec, &r, &err), DENDRO_OK);
    buf_u8(&log.text, 0);
    assert_string_equal((const char *)log.text.data,
                        "3 k: invalid input syntax for type bigint: \"x\" [x,b]\n"
                        "6 -: 1 values for 2 columns [3]\n"
                        "8 -: 3 values for 2 columns [4,e,f]\n"
                        "9 v: there is text behind the closing quote [5,\"g\"h]\n");
    assert_int_equal(r.rows, 3);
    assert_int_equal(r.rejected, 4);
    assert_string_equal(db_ok(&f, "SELECT * FROM t ORDER BY k"), "1|a\n2|c\nd\n6|i\n(SELECT 3)\n");
    log.count = 0;
    log.stop_at = 2; /* the callback has enough */
    assert_int_equal(load_import(&f, "t", text, &spec, &r, &err), DENDRO_E_CANCELED);
    buf_done(&log.text);
    db_close(&f);
}

/* Lines for times that retention has dropped. */
static void test_late(void **state)
{
    static const char text[] = "time,v\n2100-01-01,1\n2001-01-01,2\n2100-01-02,3\n";
    struct dendro_import spec = {.atomic = true};
    struct dendro_import_result r;
    struct dendro_error err;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (time TIMESTAMP, v INT, PRIMARY KEY (time)) WITH (retention = '1 day', "
          "future_limit = 'none')");
    assert_true(load_import(&f, "t", text, &spec, &r, &err) < 0);
    assert_string_equal(err.sqlstate, "22008");
    assert_non_null(strstr(err.message, "is too old for table \"t\""));
    assert_int_equal(r.rows, 0);
    assert_string_equal(db_ok(&f, "SELECT v FROM t"), "(SELECT 0)\n");
    db_ok(&f, "ALTER TABLE t SET (late_rows = 'drop')");
    assert_int_equal(load_import(&f, "t", text, &spec, &r, &err), DENDRO_OK);
    assert_int_equal(r.rows, 2);
    assert_string_equal(db_ok(&f, "SELECT v FROM t ORDER BY time"), "1\n3\n(SELECT 2)\n");
    db_close(&f);
}

/* ---- misuse, endings ---- */

static int read_fails(void *arg, void *to, size_t len, size_t *ret_len)
{
    (void)arg;
    (void)to;
    (void)len;
    (void)ret_len;
    return -1;
}

static int progress_stops(void *arg, const struct dendro_import_result *so_far)
{
    (void)so_far;
    ++*(int *)arg;
    return 1;
}

static void test_endings(void **state)
{
    struct dendro_import spec = {.table = "t", .read = read_fails};
    struct dendro_import_result r;
    struct dendro_error err;
    struct db_fix f;
    int called = 0;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    assert_int_equal(dendro_import_csv(f.conn, &spec, &r, &err), DENDRO_E_IO);
    spec.read = NULL;
    assert_int_equal(dendro_import_csv(f.conn, &spec, NULL, &err), DENDRO_E_MISUSE);
    spec.progress = progress_stops;
    spec.progress_arg = &called;
    assert_int_equal(load_import(&f, "t", "1,a\n", &spec, &r, &err), DENDRO_E_CANCELED);
    assert_int_equal(called, 1);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "0\n(SELECT 1)\n");
    spec.progress = NULL;
    assert_true(load_import(&f, "nix", "1,a\n", &spec, &r, &err) < 0);
    assert_string_equal(err.sqlstate, "42P01");
    spec.csv.delimiter = '"';
    assert_true(load_import(&f, "t", "1,a\n", &spec, &r, &err) < 0);
    assert_string_equal(err.sqlstate, "22023");
    db_close(&f);
}

/* ---- packed ---- */

static size_t pack_gzip(const char *text, size_t len, unsigned char *to, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text,
                  .avail_in = (unsigned)len,
                  .next_out = to,
                  .avail_out = (unsigned)room};

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&z), Z_OK);
    return room - z.avail_out;
}

static void test_packed(void **state)
{
    static char text[200000];
    static unsigned char packed[200000];
    struct load_result r;
    struct dn_err err;
    struct db_fix f;
    size_t len = 0;

    (void)state;
    for (int i = 0; i < 8000; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%d,value %d\n", i, i * 7 % 100);
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR)");
    for (int kind = 0; kind < 4; kind++) {
        size_t half = (size_t)(strchr(text + len / 2, '\n') - text) + 1;
        struct load_text t = {.text = (const char *)packed, .step = kind & 1 ? 1 : 0};

        if (kind < 2) { /* two members one after the other */
            t.len = pack_gzip(text, half, packed, sizeof packed);
            t.len += pack_gzip(text + half, len - half, packed + t.len, sizeof packed - t.len);
        } else {
            t.len = ZSTD_compress(packed, sizeof packed, text, half, 1);
            t.len +=
                ZSTD_compress(packed + t.len, sizeof packed - t.len, text + half, len - half, 1);
        }
        db_ok(&f, "TRUNCATE TABLE t");
        if (load_chunks(f.conn, "t", &t, 0, false, &r, &err) < 0)
            fail_msg("kind %d: %s", kind, err.text);
        assert_int_equal(r.rows, 8000);
        assert_int_equal(r.bytes, t.len);
        assert_string_equal(db_ok(&f, "SELECT count(*), sum(k) FROM t"),
                            "8000|31996000\n(SELECT 1)\n");
        t.at = 0;
        t.len -= 5; /* cut short */
        assert_int_equal(load_chunks(f.conn, "t", &t, 0, true, &r, &err), DN_E_BAD_COPY);
        t.at = 0;
        packed[t.len / 2] ^= 0x55; /* damaged */
        assert_true(load_chunks(f.conn, "t", &t, 0, true, &r, &err) < 0);
    }
    db_close(&f);
}

/* ---- rows in any order into every key ---- */

/* Types of a and b, and the key. */
static const struct shape {
    const char *a;
    const char *b;
    const char *key;
} shapes[] = {
    {"VARCHAR", "INTEGER", "PRIMARY KEY ((a, QUANTUM(t, 1, 'h')), a, t)"},
    {"VARCHAR", "INTEGER", "PRIMARY KEY ((a, QUANTUM(t, 1, 'h')), a, t DESC)"},
    {"VARCHAR", "INTEGER", "PRIMARY KEY ((a, b), t)"},
    {"VARCHAR", "INTEGER", "PRIMARY KEY ((a), b, t DESC)"},
    {"VARCHAR", "NUMERIC(9, 2)", "PRIMARY KEY ((a), b DESC, t)"},
    {"VARCHAR", "INTEGER", "PRIMARY KEY (t, a)"},
    {"UUID", "SMALLINT", "PRIMARY KEY (t DESC, a DESC)"},
    {"UUID", "NUMERIC", "PRIMARY KEY (t, b DESC, a)"},
    {"VARCHAR", "REAL", "PRIMARY KEY (t, b, a DESC)"},
    {"VARCHAR", "INTEGER", "PRIMARY KEY (t)"},
    {"VARCHAR", "INTEGER", "PRIMARY KEY (a)"},
    {"UUID", "INTEGER", "PRIMARY KEY (a, b)"},
    {"VARCHAR", "INTEGER", ""},
};

enum { ORDER_TIME, ORDER_BACK, ORDER_RANDOM, ORDER_TWICE, ORDER_MAX };

#define ROWS 3000

/* The same rows as a file and as statements. */
static void make_rows(struct buf *csv, struct buf *sql, const struct shape *shape, int order)
{
    bool uuid = strcmp(shape->a, "UUID") == 0;

    buf_reset(csv);
    buf_reset(sql);
    buf_puts(csv, "t,a,b,v,w\n");
    for (int i = 0; i < ROWS; i++) {
        int at = order == ORDER_TIME    ? i
                 : order == ORDER_BACK  ? ROWS - i
                 : order == ORDER_TWICE ? i % (ROWS / 2)
                                        : (int)(rnd() % ROWS);
        long long time = 1000000000000LL + (long long)(at / 7) * 60000;
        unsigned host = (unsigned)at % 7;
        unsigned w = (unsigned)(rnd() % 1000);
        char v[16] = "";
        char a[48];

        if (rnd() % 5)
            (void)snprintf(v, sizeof v, "%u.5", w);
        (void)snprintf(
            a, sizeof a, uuid ? "00000000-0000-4000-8000-00000000000%u" : "host_%u", host);
        buf_printf(csv, "%lld,%s,%u,%s,\"text, %u\"\n", time, a, host % 2, v, w % 10);
        buf_puts(sql, i % 200 ? ", " : i ? "; INSERT INTO u VALUES " : "INSERT INTO u VALUES ");
        buf_printf(
            sql, "(%lld, '%s', %u, %s, 'text, %u')", time, a, host % 2, *v ? v : "NULL", w % 10);
    }
    buf_u8(sql, 0);
    assert_false(csv->failed || sql->failed);
}

static void print_fault(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_error("check: %s\n", text);
}

/* Everything again from the disk, and nothing wrong with it. */
static void check_disk(struct db_fix *f)
{
    uint64_t faults = 0;
    struct dn_err err;

    db_reopen(f);
    if (engine_check_volume(f->volume, print_fault, NULL, &faults, &err) < 0)
        fail_msg("check: %s", err.text);
    assert_int_equal(faults, 0);
}

static void check_same(struct db_fix *f, const char *what)
{
    static const char query[] = "SELECT t, a, b, v, w FROM %s ORDER BY t, a, b, v, w";
    char sql[128];
    char *want;

    (void)snprintf(sql, sizeof sql, query, "u");
    want = mem_strdup(NULL, db_ok(f, sql));
    (void)snprintf(sql, sizeof sql, query, "s");
    if (strcmp(want, db_ok(f, sql)) != 0)
        fail_msg("%s: COPY and INSERT differ", what);
    mem_free(want);
}

/* s is loaded, u inserted. */
static void
load_both(struct db_fix *f, const struct shape *shape, int order, size_t chunk, bool before)
{
    const char *host =
        strcmp(shape->a, "UUID") == 0 ? "00000000-0000-4000-8000-000000000000" : "host_0";
    char text[512];
    struct buf csv;
    struct buf sql;
    struct load_result r;
    struct load_text t;
    struct dn_err err;

    buf_init(&csv, NULL);
    buf_init(&sql, NULL);
    make_rows(&csv, &sql, shape, order);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(text,
                       sizeof text,
                       "DROP TABLE IF EXISTS %s; CREATE TABLE %s (t TIMESTAMP NOT NULL, a %s "
                       "NOT NULL, b %s NOT NULL, v DOUBLE, w VARCHAR%s%s)",
                       i ? "s" : "u",
                       i ? "s" : "u",
                       shape->a,
                       shape->b,
                       *shape->key ? ", " : "",
                       shape->key);
        db_ok(f, text);
        (void)snprintf(text,
                       sizeof text,
                       "INSERT INTO %s VALUES (1000000000000, '%s', 0, -1, 'before')",
                       i ? "s" : "u",
                       host);
        if (before) /* in the memtable when the load comes */
            db_ok(f, text);
    }
    db_ok(f, (const char *)sql.data);
    t = (struct load_text){.text = (const char *)csv.data, .len = csv.len};
    if (load_chunks(f->conn, "s", &t, chunk, order & 1, &r, &err) < 0)
        fail_msg("%s: %s", shape->key, err.text);
    assert_int_equal(r.rows, ROWS);
    check_same(f, shape->key);
    (void)snprintf(text,
                   sizeof text,
                   "INSERT INTO s VALUES (1000000000000, '%s', 0, -2, 'after'); INSERT INTO u "
                   "VALUES (1000000000000, '%s', 0, -2, 'after')",
                   host,
                   host);
    db_ok(f, text); /* newer than the load */
    check_same(f, shape->key);
    buf_done(&csv);
    buf_done(&sql);
}

static void test_shapes(void **state)
{
    struct db_fix f;

    (void)state;
    db_open(&f);
    for (size_t i = 0; i < DN_ARRAY_SIZE(shapes); i++) {
        bool uuid = strcmp(shapes[i].a, "UUID") == 0;
        const char *host = uuid ? "00000000-0000-4000-8000-000000000001" : "host_1";

        for (int order = 0; order < ORDER_MAX; order++) {
            load_both(&f, &shapes[i], order, order == ORDER_BACK ? 1 << 20 : 16384, order & 1);
            if (order == ORDER_TWICE) {
                check_disk(&f);
                check_same(&f, shapes[i].key);
                for (int k = 0; k < 2; k++) { /* newer than what was loaded before the restart */
                    char text[128];

                    (void)snprintf(text,
                                   sizeof text,
                                   "INSERT INTO %s VALUES (1000000060000, '%s', 1, -3, 'x')",
                                   k ? "s" : "u",
                                   host);
                    db_ok(&f, text);
                }
                check_same(&f, shapes[i].key);
            }
        }
    }
    db_close(&f);
}

/* upsert = 'field': columns that the file lacks keep their values. */
static void test_fields(void **state)
{
    struct load_result r;
    struct dn_err err;
    struct db_fix f;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (k BIGINT NOT NULL, v BIGINT, w BIGINT, PRIMARY KEY (k)) WITH (upsert = "
          "'field'); INSERT INTO t VALUES (1, 10, 100), (2, 20, 200)");
    for (size_t chunk = 4; chunk < 64; chunk += 20) {
        static const char text[] = "w,k\n101,1\n301,3\n102,1\n";
        struct load_text t = {.text = text, .len = sizeof text - 1};

        assert_int_equal(load_chunks(f.conn, "t", &t, chunk, true, &r, &err), 0);
        assert_string_equal(db_ok(&f, "SELECT k, v, w FROM t ORDER BY k"),
                            "1|10|102\n2|20|200\n3|~|301\n(SELECT 3)\n");
        db_ok(&f, "CHECKPOINT");
        check_disk(&f);
        assert_string_equal(db_ok(&f, "SELECT k, v, w FROM t ORDER BY k"),
                            "1|10|102\n2|20|200\n3|~|301\n(SELECT 3)\n");
    }
    db_close(&f);
}

/* Several batches, each a commit, or all of them one. */
static void test_batches(void **state)
{
    static const char *const settings[] = {"memtable_size", "65536", NULL};
    struct engine_options options = {.settings = settings};
    struct load_result r;
    struct dn_err err;
    struct db_fix f;
    struct buf csv;

    (void)state;
    db_open(&f);
    db_ok(&f, "CREATE TABLE t (k BIGINT NOT NULL, v VARCHAR, PRIMARY KEY (k))");
    dendro_disconnect(f.conn);
    assert_int_equal(dendro_close(f.db), DENDRO_OK);
    assert_int_equal(engine_open_volume(f.volume, &options, &f.db, &err), 0);
    assert_int_equal(dendro_connect(f.db, &f.conn, NULL), DENDRO_OK);
    buf_init(&csv, NULL);
    for (int i = 0; i < 20000; i++)
        buf_printf(&csv, "%d,some text of the row that fills the batch %d\n", i, i);
    buf_puts(&csv, "x,bad\n");
    for (int whole = 1; whole >= 0; whole--) {
        struct load_text t = {.text = (const char *)csv.data, .len = csv.len};
        char want[64];

        assert_int_equal(load_chunks(f.conn, "t", &t, 16384, whole, &r, &err), DN_E_BAD_TEXT);
        assert_string_equal(
            err.text, "line 20001, column \"k\": invalid input syntax for type bigint: \"x\"");
        (void)snprintf(want, sizeof want, "%llu\n(SELECT 1)\n", (unsigned long long)r.rows);
        assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), want);
        assert_true(whole ? r.rows == 0 : r.rows > 1000 && r.rows < 20000);
    }
    buf_done(&csv);
    db_close(&f);
}

/* Rows of many series in the order of time: chunks grow while they are read, and no row is lost,
 * taken twice or in the wrong series. */
static void test_many_series(void **state)
{
    enum { SERIES = 4000, STEPS = 30 };
    static const char pad[] = "a text that makes the rows longer so that there are several chunks";
    struct load_text t = {.at = 0};
    struct load_result r;
    struct db_fix f;
    struct dn_err err;
    struct buf text;

    (void)state;
    db_open(&f);
    db_ok(&f,
          "CREATE TABLE t (a BIGINT NOT NULL, t TIMESTAMP NOT NULL, v BIGINT, pad VARCHAR, "
          "PRIMARY KEY ((a, QUANTUM(t, 1, 'd')), a, t))");
    buf_init(&text, NULL);
    buf_puts(&text, "a,t,v,pad\n");
    for (int step = 0; step < STEPS; step++)
        for (int a = 0; a < SERIES; a++)
            buf_printf(&text, "%d,%d,%d,%s\n", a, 1 + step * 60000, a * STEPS + step, pad);
    assert_false(text.failed);
    t.text = (const char *)text.data;
    t.len = text.len;
    if (load_chunks(f.conn, "t", &t, 0, true, &r, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(r.rows, SERIES * STEPS);
    assert_string_equal(db_ok(&f,
                              "SELECT count(*), count(DISTINCT v), min(v), max(v), "
                              "sum(CASE WHEN v / 30 = a THEN 0 ELSE 1 END) FROM t"),
                        "120000|120000|0|119999|0\n(SELECT 1)\n");
    assert_string_equal(
        db_ok(&f, "SELECT count(*) FROM (SELECT a FROM t GROUP BY a HAVING count(*) = 30) AS x"),
        "4000\n(SELECT 1)\n");
    buf_done(&text);
    db_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_many_series),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
