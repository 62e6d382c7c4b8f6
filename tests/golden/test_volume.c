/* SPDX-License-Identifier: Apache-2.0
 *
 * The golden volume of release 0.1: its heads and envelopes decoded with nothing but the tables of
 * docs/format/volume.md, and what this release says to a volume of which one thing was written by a
 * newer one: every place that has a version number is patched in turn, checksums and all.
 * Arguments: tests/golden/volume_v0.1 and docs/format/volume.md. */
#define _GNU_SOURCE
#include "base/hash.h"
#include "catalog/catalog.h"
#include "dendro.h"
#include "page.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FILES_MAX 40u

static const char *golden_dir;
static const char *doc_path;
static const char *const dirs[] = {"o", "l", "d"};

struct file {
    char path[300]; /* in the volume */
    uint8_t *p;     /* owned */
    size_t n;
};

struct copy {
    char dir[64];
    struct file files[FILES_MAX];
    size_t count;
};

static void copy_add(struct copy *c, const char *path)
{
    char full[700];
    struct file *f = &c->files[c->count++];

    assert_true(c->count <= FILES_MAX);
    (void)snprintf(f->path, sizeof f->path, "%s", path);
    (void)snprintf(full, sizeof full, "%s/%s", golden_dir, path);
    f->p = page_read_file(full, &f->n);
}

static void copy_write(const struct copy *c, const char *path, const uint8_t *p, size_t n)
{
    char full[700];
    FILE *f;

    (void)snprintf(full, sizeof full, "%s/%s", c->dir, path);
    f = fopen(full, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* A fresh copy of the golden volume in a directory of its own. */
static void copy_init(struct copy *c)
{
    char path[700];

    memset(c, 0, sizeof *c);
    (void)snprintf(c->dir, sizeof c->dir, "%s", "/tmp/dendro-golden-XXXXXX");
    assert_non_null(mkdtemp(c->dir));
    copy_add(c, "FORMAT");
    for (size_t i = 0; i < DN_ARRAY_SIZE(dirs); i++) {
        struct dirent **names = NULL;
        int count;
        (void)snprintf(path, sizeof path, "%s/%s", golden_dir, dirs[i]);
        count = scandir(path, &names, NULL, alphasort);
        assert_true(count > 2);
        for (int k = 0; k < count; k++) {
            if (names[k]->d_name[0] != '.') {
                (void)snprintf(path, sizeof path, "%s/%.200s", dirs[i], names[k]->d_name);
                copy_add(c, path);
            }
            free(names[k]); /* scandir's own: not from mem.h */
        }
        free(names);
        (void)snprintf(path, sizeof path, "%s/%s", c->dir, dirs[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    (void)snprintf(path, sizeof path, "%s/scratch", c->dir);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < c->count; i++)
        copy_write(c, c->files[i].path, c->files[i].p, c->files[i].n);
}

static void copy_remove_all(const char *dir)
{
    struct dirent **names = NULL;
    int count = scandir(dir, &names, NULL, alphasort);
    char path[700];

    for (int k = 0; k < count; k++) {
        (void)snprintf(path, sizeof path, "%.400s/%.200s", dir, names[k]->d_name);
        if (strcmp(names[k]->d_name, ".") != 0 && strcmp(names[k]->d_name, "..") != 0 &&
            unlink(path) != 0)
            copy_remove_all(path);
        free(names[k]);
    }
    free(names);
    (void)rmdir(dir);
}

static void copy_done(struct copy *c)
{
    copy_remove_all(c->dir);
    for (size_t i = 0; i < c->count; i++)
        mem_free(c->files[i].p);
}

static struct file *copy_find(struct copy *c, const char *start)
{
    for (size_t i = c->count; i-- > 0;)
        if (strncmp(c->files[i].path, start, strlen(start)) == 0)
            return &c->files[i];
    fail_msg("no file %s…", start);
    return NULL;
}

/* ---- the page ---- */

static void page_log(const char *doc, const struct file *f)
{
    uint32_t size = doc_size(doc, "Log head");
    bool found = false;

    assert_true(f->n >= 2 * (size_t)size);
    for (const uint8_t *slot = f->p; slot <= f->p + size; slot += size) {
        static const uint8_t none[32] = {0};
        if (memcmp(slot, none, size) == 0)
            continue;
        found = true;
        assert_memory_equal(slot, "dendrolg", 8);
        assert_int_equal(doc_field(doc, "Log head", "version", slot), 1);
        assert_int_equal(doc_field(doc, "Log head", "zero", slot), 0);
        assert_true(doc_field(doc, "Log head", "epoch", slot) > 0);
        assert_true(doc_field(doc, "Log head", "checksum", slot) == dn_checksum64(slot, 24));
    }
    assert_true(found);
    assert_true(f->n == 2 * (size_t)size || memcmp(f->p + 2 * (size_t)size, "DNLG", 4) == 0);
}

static void page_document(const char *doc, const struct file *f)
{
    uint32_t size = doc_size(doc, "Document envelope");

    assert_true(f->n > size);
    assert_memory_equal(f->p, "dendrodc", 8);
    assert_int_equal(doc_field(doc, "Document envelope", "version", f->p), 1);
    assert_int_equal(doc_field(doc, "Document envelope", "zero", f->p), 0);
    assert_true(doc_field(doc, "Document envelope", "generation", f->p) > 0);
    assert_int_equal(doc_field(doc, "Document envelope", "length", f->p), f->n - size);
    assert_true(doc_field(doc, "Document envelope", "checksum", f->p) ==
                dn_hash64(f->p + size, f->n - size, dn_checksum64(f->p, 32)));
}

static void test_page(void **state)
{
    struct copy c;
    uint8_t *doc;
    size_t n;

    (void)state;
    doc = page_read_file(doc_path, &n);
    copy_init(&c);
    for (size_t i = 0; i < c.count; i++) {
        const struct file *f = &c.files[i];
        if (f->path[0] == 'l')
            page_log((const char *)doc, f);
        else if (f->path[0] == 'd')
            page_document((const char *)doc, f);
        else if (f->path[0] == 'o')
            assert_memory_equal(f->p, "DNSEGHDR", 8);
        else
            assert_string_equal((const char *)f->p, "dendro volume format 1\n");
    }
    copy_done(&c);
    mem_free(doc);
}

/* ---- versions ---- */

/* Reads every row of every table. */
static int read_all(const char *dir, uint32_t flags, struct dendro_error *err)
{
    struct dendro_options options = {.flags = flags | DENDRO_OPEN_NO_CREATE, .threads = 1};
    dendro_conn *conn;
    dendro_db *db;
    int rc = dendro_open(dir, &options, &db, err);

    if (rc < 0)
        return rc;
    assert_int_equal(dendro_connect(db, &conn, err), 0);
    rc = dendro_exec(conn,
                     "SELECT * FROM GeoCheckin; SELECT * FROM iot.events; SELECT * FROM "
                     "measurements; SELECT * FROM foo; SELECT * FROM types",
                     -1,
                     NULL,
                     NULL,
                     err);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), 0);
    return rc;
}

/* Rows and records are as they were. (An open for writing that fails late has raised the epoch, in
 * the manifest and in the heads of the logs.) */
static void unchanged(const struct copy *c, const struct file *patched, const uint8_t *patch)
{
    char full[700];

    for (size_t i = 0; i < c->count; i++) {
        const struct file *f = &c->files[i];
        const uint8_t *want = f == patched ? patch : f->p;
        size_t skip = f->path[0] == 'l' ? 64 : 0;
        size_t n;
        uint8_t *p;
        if (strcmp(f->path, "d/manifest~0") == 0 && f != patched)
            continue;
        (void)snprintf(full, sizeof full, "%s/%s", c->dir, f->path);
        /* A newer segment keeps nobody from merging those of other tables. */
        if (f != patched && f->path[0] == 'o' && patched->path[0] == 'o' && access(full, F_OK) != 0)
            continue;
        p = page_read_file(full, &n);
        assert_int_equal(n, f->n);
        assert_memory_equal(p + skip, want + skip, n - skip);
        mem_free(p);
    }
}

typedef void (*patch_fn)(uint8_t *p, size_t n);

static void patch_format(uint8_t *p, size_t n)
{
    p[n - 2] = '2';
}

static void seal_document(uint8_t *p, size_t n)
{
    le_put64(p + 32, dn_hash64(p + 40, n - 40, dn_checksum64(p, 32)));
}

static void patch_envelope(uint8_t *p, size_t n)
{
    le_put32(p + 8, 2);
    seal_document(p, n);
}

static void patch_catalog(uint8_t *p, size_t n)
{
    char *at = memmem(p + 40, n - 40, "\"format\": 1", 11);
    char newer[12]; /* as long: with two digits there is no blank */

    assert_non_null(at);
    assert_int_equal(snprintf(newer, sizeof newer, "\"format\":%2d", CATALOG_FORMAT + 1), 11);
    memcpy(at, newer, 11);
    seal_document(p, n);
}

static void patch_manifest(uint8_t *p, size_t n)
{
    le_put16(p + 40 + 4, 3);
    le_put64(p + n - 8, dn_checksum64(p + 40, n - 48));
    seal_document(p, n);
}

static void patch_log_head(uint8_t *p, size_t n)
{
    (void)n;
    for (uint8_t *slot = p; slot < p + 64; slot += 32) {
        if (slot[0] == 0)
            continue;
        le_put32(slot + 8, 2);
        le_put64(slot + 24, dn_checksum64(slot, 24));
    }
}

/* The first record of the chunk: of a chunk with one record it is the last, too. */
static void patch_log_frame(uint8_t *p, size_t n)
{
    uint8_t *frame = p + 64;
    size_t length = le_get32(frame + 32);

    assert_true(64 + 48 + length <= n);
    le_put16(frame + 4, 5);
    le_put64(frame + 40, dn_hash64(frame + 48, length, dn_checksum64(frame, 40)));
}

static void patch_segment_head(uint8_t *p, size_t n)
{
    (void)n;
    le_put32(p + 8, 2);
    le_put64(p + 32, dn_checksum64(p, 32));
}

static void patch_segment_trailer(uint8_t *p, size_t n)
{
    le_put32(p + n - 48 + 36, 2);
}

static const struct {
    const char *file;
    patch_fn patch;
    const char *names; /* the message says */
} patches[] = {
    {"FORMAT", patch_format, "has format 2, this release reads up to 1"},
    {"d/catalog", patch_envelope, "document 'catalog' has format 2, this release reads up to 1"},
    {"d/catalog", patch_catalog, "catalog"},
    {"d/manifest~0", patch_envelope, "document 'manifest/0' has format 2"},
    {"d/manifest~0", patch_manifest, "manifest: format version 3, this release reads up to 2"},
    {"l/", patch_log_head, "has format 2, this release reads up to 1"},
    {"l/", patch_log_frame, "format version 5, this release reads up to 4"},
    {"l/log~0~0000000000000002", patch_log_frame, "format version 5"},
    {"o/seg~0000000000000001~0000000000000001", patch_segment_head, "segment format 2"},
    {"o/seg~0000000000000005", patch_segment_trailer, "segment format 2"},
};

static void on_report(void *arg, bool fault, const char *text)
{
    if (fault)
        buf_printf(arg, "%s\n", text);
}

static void test_newer(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(patches); i++) {
        struct dendro_error err;
        struct copy c;
        struct file *f;
        struct buf said;
        uint64_t faults = 0;
        uint8_t *patched;
        copy_init(&c);
        f = copy_find(&c, patches[i].file);
        patched = mem_dup(NULL, f->p, f->n);
        patches[i].patch(patched, f->n);
        assert_true(memcmp(patched, f->p, f->n) != 0);
        copy_write(&c, f->path, patched, f->n);
        for (uint32_t flags = 0; flags <= DENDRO_OPEN_READ_ONLY; flags++) {
            int rc = read_all(c.dir, flags ? DENDRO_OPEN_READ_ONLY : 0, &err);
            if (rc != DENDRO_E_VERSION || !strstr(err.message, patches[i].names))
                fail_msg("%s, patch %zu: %d %s", patches[i].file, i, rc, err.message);
        }
        unchanged(&c, f, patched);
        buf_init(&said, NULL);
        if (dendro_check(c.dir, on_report, &said, &faults, &err) < 0)
            buf_printf(&said, "%s", err.message);
        buf_u8(&said, 0);
        if (!strstr((const char *)said.data, patches[i].names))
            fail_msg("%s, patch %zu: check says: %s", patches[i].file, i, (char *)said.data);
        buf_done(&said);
        mem_free(patched);
        copy_done(&c);
    }
}

static void test_opens(void **state)
{
    struct dendro_error err;
    struct copy c;

    (void)state;
    copy_init(&c);
    if (read_all(c.dir, DENDRO_OPEN_READ_ONLY, &err) < 0 || read_all(c.dir, 0, &err) < 0)
        fail_msg("%s", err.message);
    copy_done(&c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_opens),
        cmocka_unit_test(test_newer),
    };

    if (argc < 3)
        return 2;
    golden_dir = argv[1];
    doc_path = argv[2];
    return cmocka_run_group_tests_name("volume_golden", tests, NULL, NULL);
}
