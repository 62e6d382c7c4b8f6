/* SPDX-License-Identifier: Apache-2.0
 *
 * test_corrupt.c: a small database, closed, of which one bit of one file is flipped, or a file is
 * cut short. Whoever reads then gets the right rows or DN_E_CORRUPT, never other rows and never a
 * crash, and `dendro check` names the file. That holds after a clean stop, which seals the log, and
 * after the program was killed, when marks behind the commits tell what was acknowledged
 * (docs/adr/0013): the last commit is as safe as all others. Of a mark nothing depends.
 *
 * The same of several random changes at once (flips, cuts, zeros, pieces of other files, two files
 * swapped), there and in the golden volume of each release: an error or the right rows, or `dendro
 * check` finds something; fewer rows that it calls sound are a lost answer.
 *
 * DENDRO_TEST_SECONDS is the budget of the flips, and of the changes; the bits are taken in an
 * order that covers all files evenly, so that more time finds more. */
#include "sql_db.h"

#include "store/log.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILES_MAX   24u
#define CHANGES_MAX 3u /* files at once */
#define ROUNDS_MIN  40u

/* Bytes of a volume's directory before those of a log or document (docs/format/volume.md). */
#define GOLDEN_LOG_HEAD 64u
#define GOLDEN_DOC_HEAD 40u

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

static const char *const golden_queries[] = {
    "SELECT * FROM GeoCheckin",
    "SELECT region, state, count(*), max(temperature) FROM GeoCheckin GROUP BY region, state",
    "SELECT * FROM iot.events",
    "SELECT * FROM measurements",
    "SELECT * FROM foo",
    "SELECT * FROM types",
};
#define GOLDEN_QUERIES DN_ARRAY_SIZE(golden_queries)
_Static_assert(GOLDEN_QUERIES <= QUERIES, "struct fixture has room for them");

static const char *golden_dir; /* the first argument */

struct file {
    char kind; /* as sim_disk_flip takes it */
    char name[VOLUME_NAME_MAX + 1];
    uint64_t bits;      /* that count */
    uint64_t mark_from; /* bits from here on are a mark: damage of it may go unnoticed */
};

struct fixture {
    struct sql_db d;
    struct file files[FILES_MAX];
    uint32_t count;
    const char *const *queries;
    size_t queries_count;
    struct sql_rows want[QUERIES];
    uint64_t corrupt; /* flips that were noticed */
    uint64_t harmless;
};

/* A file as it was when the program was killed. */
struct saved {
    uint8_t *p; /* owned */
    size_t n;
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

    for (size_t i = 0; i < f->queries_count; i++) {
        if (sql_query(f->d.conn, f->queries[i], &ret[i], &err) < 0)
            fail_msg("%s: %s", f->queries[i], err.message);
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
    *file = (struct file){.kind = kind, .bits = n * 8, .mark_from = UINT64_MAX};
    (void)snprintf(file->name, sizeof file->name, "%s", name);
}

/* The last frame of a chunk is a mark. Of a sealed chunk it does not count. */
static void fix_find_mark(struct fixture *f, struct file *file, bool sealed)
{
    struct log_reader r;
    struct log_frame frame;
    struct log_commit commit;
    struct dn_err err;
    const uint8_t *p;
    size_t n;

    assert_true(sim_disk_get(f->d.disk, 'l', file->name, &p, &n));
    log_reader_init(&r, file->name, p, n, false);
    while (log_reader_next(&r, &frame, &err) == DN_OK)
        file->mark_from =
            log_commit_next(&frame, &commit, &err) == DN_EOF ? frame.offset * 8 : UINT64_MAX;
    assert_true(file->mark_from < UINT64_MAX);
    assert_int_equal(r.next, n);
    if (sealed) {
        file->bits = file->mark_from;
        file->mark_from = UINT64_MAX;
    }
}

static void fix_files(struct fixture *f)
{
    struct volume_names names = {0};
    struct dn_err err;

    assert_int_equal(volume_list(f->d.v, "", &names, &err), 0);
    assert_true(names.count >= 3);
    for (size_t i = 0; i < names.count; i++)
        fix_add_file(f, 'o', names.names[i]);
    volume_names_done(&names);
    memset(&names, 0, sizeof names);
    assert_int_equal(volume_log_list(f->d.v, "", &names, &err), 0);
    assert_true(names.count >= 2);
    for (size_t i = 0; i < names.count; i++) {
        fix_add_file(f, 'l', names.names[i]);
        fix_find_mark(f, &f->files[f->count - 1], i + 1 < names.count);
    }
    volume_names_done(&names);
    fix_add_file(f, 'd', "catalog");
    fix_add_file(f, 'd', "manifest/0");
}

/* Documents that the stop has replaced. */
static void fix_refresh(struct fixture *f)
{
    const uint8_t *p;
    size_t n;

    for (uint32_t i = 0; i < f->count; i++) {
        if (f->files[i].kind != 'd')
            continue;
        assert_true(sim_disk_get(f->d.disk, 'd', f->files[i].name, &p, &n));
        f->files[i].bits = n * 8;
    }
}

/* Segments, a sealed chunk and an open one with rows that are nowhere else. */
static void make(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct dn_err err;
    struct buf sql;

    *state = f;
    f->queries = queries;
    f->queries_count = QUERIES;
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
    fix_exec(f, "INSERT INTO b VALUES (6, 6, 'six'); ");
    fix_rows(f, f->want);
    fix_files(f);
}

/* The program ends as it should: the mark at the end does not count any more. */
static int setup(void **state)
{
    struct fixture *f;

    make(state);
    f = *state;
    sql_db_close(&f->d);
    for (uint32_t i = 0; i < f->count; i++) {
        struct file *file = &f->files[i];
        if (file->mark_from < file->bits)
            file->bits = file->mark_from;
        file->mark_from = UINT64_MAX;
    }
    fix_refresh(f);
    return 0;
}

/* The program is killed: what it wrote, synced or not, stays as it is. */
static int setup_killed(void **state)
{
    struct saved saved[FILES_MAX];
    struct fixture *f;

    make(state);
    f = *state;
    for (uint32_t i = 0; i < f->count; i++) {
        const uint8_t *p;
        assert_true(sim_disk_get(f->d.disk, f->files[i].kind, f->files[i].name, &p, &saved[i].n));
        saved[i].p = malloc(saved[i].n + 1);
        memcpy(saved[i].p, p, saved[i].n);
    }
    sql_db_close(&f->d); /* a clean one; its traces go */
    for (uint32_t i = 0; i < f->count; i++) {
        assert_true(
            sim_disk_set(f->d.disk, f->files[i].kind, f->files[i].name, saved[i].p, saved[i].n));
        free(saved[i].p);
    }
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < f->queries_count; i++)
        sql_rows_done(&f->want[i]);
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
static bool damage_read(struct fixture *f, const struct file *file, const char *what)
{
    struct dn_err err;
    bool noticed = false;
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
        if (!same_rows(&rows, &f->want[i]))
            fail_msg("%s: %s: wrong rows", what, queries[i]);
        sql_rows_done(&rows);
    }
    sql_db_close(&f->d);
    return noticed;
}

static void flip_one(struct fixture *f, const struct file *file, uint64_t bit)
{
    char what[300];
    bool mark = bit >= file->mark_from;
    bool noticed;

    (void)snprintf(what,
                   sizeof what,
                   "%c %s, byte %llu, bit %u",
                   file->kind,
                   file->name,
                   (unsigned long long)bit / 8,
                   (unsigned)(bit % 8));
    assert_true(sim_disk_flip(f->d.disk, file->kind, file->name, bit));
    noticed = damage_read(f, file, what);
    f->corrupt += noticed;
    f->harmless += !noticed;
    if (!noticed && file->kind == 'd')
        fail_msg("%s: nobody noticed", what);
    damage_check(f, file, what, !mark);
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
    print_message("%llu flips noticed while reading, %llu without effect on these queries\n",
                  (unsigned long long)f->corrupt,
                  (unsigned long long)f->harmless);
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
        uint8_t *copy;
        const uint8_t *p;
        size_t n;
        assert_true(sim_disk_get(f->d.disk, file->kind, file->name, &p, &n));
        copy = malloc(n + 1);
        memcpy(copy, p, n);
        for (size_t len = 0; full && len < full; len += 1 + full / 9) {
            /* A chunk that was open and ends after a whole record is as good as one that was never
             * written further: only a clean stop can tell. */
            if (file->mark_from != UINT64_MAX)
                continue;
            (void)snprintf(what, sizeof what, "%s cut to %zu of %zu bytes", file->name, len, full);
            assert_true(sim_disk_set(f->d.disk, file->kind, file->name, copy, len));
            (void)damage_read(f, file, what);
            damage_check(f, file, what, true);
        }
        assert_true(sim_disk_set(f->d.disk, file->kind, file->name, copy, n));
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
        if (file->kind == 'o' || file->bits == 0 || bit >= file->mark_from)
            continue;
        assert_true(sim_disk_flip(f->d.disk, file->kind, file->name, bit));
        for (int tries = 0; tries < 2; tries++)
            assert_int_equal(fix_open(f, false, &err), DN_E_CORRUPT);
        /* Only the epoch in the manifest may have moved. */
        for (uint32_t k = 0; k < f->count; k++) {
            assert_true(sim_disk_get(f->d.disk, f->files[k].kind, f->files[k].name, &p, &n));
            if (strcmp(f->files[k].name, "manifest/0") != 0)
                assert_true(n * 8 >= f->files[k].bits);
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

/* ---- random changes ---- */

/* A file that was changed, as it was before. */
struct changed {
    const struct file *file;
    struct saved was;
};

static struct saved change_save(struct fixture *f, const struct file *file)
{
    struct saved s;
    const uint8_t *p;

    assert_true(sim_disk_get(f->d.disk, file->kind, file->name, &p, &s.n));
    s.p = malloc(s.n + 1);
    assert_non_null(s.p);
    if (s.n)
        memcpy(s.p, p, s.n);
    return s;
}

/* A file whose damage must be noticed: of one that was open only a clean stop could tell. */
static const struct file *change_pick(struct fixture *f, struct rng *r, char kind)
{
    for (;;) {
        const struct file *file = &f->files[rng_below(r, f->count)];

        if (file->mark_from == UINT64_MAX && file->bits >= 16 && (!kind || file->kind == kind))
            return file;
    }
}

/* Some bytes of it: other ones, zeros, or such of another file. */
static void change_bytes(struct fixture *f, struct rng *r, struct saved *now)
{
    size_t at = rng_below(r, (uint32_t)now->n);
    size_t len = 1 + rng_below(r, 64);
    const struct file *other = change_pick(f, r, 0);
    size_t from;
    const uint8_t *p;
    size_t n;

    assert_true(sim_disk_get(f->d.disk, other->kind, other->name, &p, &n));
    len = len < now->n - at ? len : now->n - at;
    len = len < n ? len : n;
    from = n > len ? rng_below(r, (uint32_t)(n - len)) : 0;
    switch (rng_below(r, 3)) {
    case 0:
        memset(now->p + at, 0, len);
        return;
    case 1:
        memcpy(now->p + at, p + from, len);
        return;
    default:
        now->p[at] ^= (uint8_t)(1u << rng_below(r, 8));
        return;
    }
}

/* Documents know when they were changed by others than the program: the envelope of a directory
 * does. A text that is a right one of its kind would be believed. */
static void change_apply(struct fixture *f, struct rng *r, const struct file *file)
{
    struct saved now = change_save(f, file);
    bool doc = file->kind == 'd';

    if (doc && rng_one_in(r, 2)) {
        assert_true(sim_disk_flip(f->d.disk, 'd', file->name, rng_next(r) % (now.n * 8)));
        free(now.p);
        return;
    }
    if (rng_one_in(r, 3)) { /* in place of another one of its kind */
        const struct file *other = change_pick(f, r, file->kind);
        struct saved theirs = change_save(f, other);

        assert_true(sim_disk_set(f->d.disk, file->kind, file->name, theirs.p, theirs.n));
        free(theirs.p);
    } else if (doc || rng_one_in(r, 3)) {
        assert_true(sim_disk_set(
            f->d.disk, file->kind, file->name, now.p, rng_below(r, (uint32_t)now.n - 2)));
    } else {
        change_bytes(f, r, &now);
        assert_true(sim_disk_set(f->d.disk, file->kind, file->name, now.p, now.n));
    }
    free(now.p);
}

static void on_any(void *arg, bool fault, const char *text DN_UNUSED)
{
    *(uint64_t *)arg += fault;
}

/* Does `dendro check` find something? */
static bool change_found(struct fixture *f)
{
    struct volume *v;
    struct dn_err err;
    uint64_t told = 0;
    uint64_t faults = 0;
    int rc;

    assert_int_equal(sim_volume_open(f->d.disk, 1, &v, &err), 0);
    rc = engine_check_volume(v, on_any, &told, &faults, &err);
    if (rc < 0 && !refusal(rc))
        fail_msg("check fails: %s %s", dn_code_name(rc), err.text);
    volume_close(v);
    return rc < 0 || faults > 0;
}

/* A query that gave other rows than it should, or an error that speaks of no damage; NULL: none. */
static const char *change_wrong(struct fixture *f)
{
    const char *wrong = NULL;
    struct dn_err err;
    int rc = fix_open(f, true, &err);

    if (rc < 0 && !refusal(rc))
        fail_msg("open: %s %s", dn_code_name(rc), err.text);
    if (rc < 0)
        return NULL;
    for (size_t i = 0; i < f->queries_count; i++) {
        struct dendro_error e;
        struct sql_rows rows;
        bool good;

        rc = sql_query(f->d.conn, f->queries[i], &rows, &e);
        good = refusal(rc);
        if (rc >= 0) {
            sql_rows_sort(&rows);
            good = same_rows(&rows, &f->want[i]);
            sql_rows_done(&rows);
        }
        wrong = good ? wrong : f->queries[i];
    }
    sql_db_close(&f->d);
    return wrong;
}

static void change_round(struct fixture *f, uint64_t seed)
{
    struct rng r = {.state = seed};
    struct changed changed[CHANGES_MAX];
    uint32_t count = 1 + rng_below(&r, CHANGES_MAX);
    const char *wrong;
    bool found;

    for (uint32_t i = 0; i < count; i++) {
        changed[i].file = change_pick(f, &r, 0);
        changed[i].was = change_save(f, changed[i].file);
        change_apply(f, &r, changed[i].file);
    }
    wrong = change_wrong(f);
    found = change_found(f);
    f->corrupt += found;
    f->harmless += !found;
    if (wrong && !found) {
        for (uint32_t i = 0; i < count; i++)
            print_error("changed: %c %s\n", changed[i].file->kind, changed[i].file->name);
        fail_msg(
            "seed %llu: %s: wrong rows, and check finds nothing", (unsigned long long)seed, wrong);
    }
    for (uint32_t i = count; i-- > 0;) {
        assert_true(sim_disk_set(f->d.disk,
                                 changed[i].file->kind,
                                 changed[i].file->name,
                                 changed[i].was.p,
                                 changed[i].was.n));
        free(changed[i].was.p);
    }
}

static void test_changes(void **state)
{
    struct fixture *f = *state;
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 3) * 1000;
    uint64_t seed = test_env("DENDRO_TEST_SEED", 1);

    f->corrupt = f->harmless = 0;
    for (uint64_t k = 0; k < ROUNDS_MIN || test_now_ms() < end; k++)
        change_round(f, seed + k);
    print_message("%llu rounds that check noticed, %llu that it did not\n",
                  (unsigned long long)f->corrupt,
                  (unsigned long long)f->harmless);
    assert_true(f->corrupt > ROUNDS_MIN / 2);
    assert_null(change_wrong(f)); /* all is as it was */
    assert_false(change_found(f));
}

/* ---- the golden volume ---- */

static void golden_file(struct fixture *f, char kind, const char *file_name)
{
    size_t head = kind == 'l' ? GOLDEN_LOG_HEAD : kind == 'd' ? GOLDEN_DOC_HEAD : 0;
    char path[700];
    char name[VOLUME_NAME_MAX + 1];
    uint8_t bytes[1 << 16];
    size_t n;
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%c/%s", golden_dir, kind, file_name);
    (void)snprintf(name, sizeof name, "%s", file_name);
    for (char *c = name; *c; c++)
        *c = *c == '~' ? '/' : *c;
    file = fopen(path, "rb");
    assert_non_null(file);
    n = fread(bytes, 1, sizeof bytes, file);
    assert_true(n >= head && n < sizeof bytes);
    assert_int_equal(fclose(file), 0);
    assert_true(sim_disk_set(f->d.disk, kind, name, bytes + head, n - head));
    fix_add_file(f, kind, name);
}

static int setup_golden(void **state)
{
    static const char kinds[] = "old";
    struct fixture *f = calloc(1, sizeof *f);
    struct dn_err err;

    assert_non_null(f);
    *state = f;
    f->queries = golden_queries;
    f->queries_count = GOLDEN_QUERIES;
    sql_db_init(&f->d, 1);
    for (const char *k = kinds; *k; k++) {
        char path[700];
        struct dirent **names = NULL;
        int count;

        (void)snprintf(path, sizeof path, "%s/%c", golden_dir, *k);
        count = scandir(path, &names, NULL, alphasort);
        assert_true(count > 2);
        for (int i = 0; i < count; i++) {
            if (names[i]->d_name[0] != '.')
                golden_file(f, *k, names[i]->d_name);
            free(names[i]);
        }
        if (*k == 'l') /* the log of 0.1 cannot tell a lost end from one that was never there */
            f->files[f->count - 1].mark_from = 0;
        free(names);
    }
    if (fix_open(f, true, &err) < 0)
        fail_msg("%s", err.text);
    fix_rows(f, f->want);
    assert_true(f->want[0].count > 100);
    sql_db_close(&f->d);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refuses_to_write),
    };
    const struct CMUnitTest golden[] = {cmocka_unit_test(test_changes)};
    int failed;

    golden_dir = argc > 1 ? argv[1] : "tests/golden/volume_v0.1";
    failed = cmocka_run_group_tests_name("corrupt after a clean stop", tests, setup, teardown);
    failed += cmocka_run_group_tests_name("corrupt after a kill", tests, setup_killed, teardown);
    return failed +
           cmocka_run_group_tests_name("corrupt golden volume", golden, setup_golden, teardown);
}
