/* SPDX-License-Identifier: Apache-2.0
 *
 * The posix volume when the OS fails: full disks, input/output errors, short reads and writes. A
 * hook fails calls as a real disk does; the sweep fails every single one of them in turn. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "posix_place.h"
#include "volume/posix_faults.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LOG_HEAD 64
#define ANY      VOLUME_POSIX_CALL_MAX

struct faults {
    enum volume_posix_call call; /* which kind is struck, ANY = all */
    uint64_t left;               /* of that kind until the fault, 0 = off */
    bool sticky;                 /* later ones too */
    int number;                  /* errno */
    size_t chunk;                /* most bytes a read or write moves, 0 = all */
    bool hit;                    /* it has struck */
    const char *lock;            /* a file that is removed instead of failing; NULL = none */
    char trace[200];             /* one letter per call, the oldest first */
};

struct place {
    struct posix_place *posix;
    struct faults faults;
    struct volume *v;
    struct dn_err err;
};

static int faults_ask(void *arg, enum volume_posix_call call, size_t *len)
{
    static const char letters[VOLUME_POSIX_CALL_MAX + 1] = "orwsDRutmn"; /* as the enum */
    struct faults *f = arg;
    size_t n = strlen(f->trace);

    if (n + 1 < sizeof f->trace)
        f->trace[n] = letters[call];
    if (f->chunk && *len > f->chunk)
        *len = f->chunk;
    if (f->left == 0 || (f->call != ANY && f->call != call))
        return 0;
    f->left--;
    if (f->left > 0)
        return 0;
    f->hit = true;
    if (f->sticky)
        f->left = 1;
    if (f->lock)
        assert_int_equal(unlink(f->lock), 0);
    return f->lock ? 0 : f->number;
}

static void faults_set(struct place *p, enum volume_posix_call call, uint64_t n, int number)
{
    p->faults.call = call;
    p->faults.left = n;
    p->faults.number = number;
    p->faults.sticky = false;
    p->faults.hit = false;
}

static int place_open(struct place *p)
{
    struct volume_posix_options options = {.create = true, .threads_max = 2};
    struct volume_posix_faults hook = {.fn = faults_ask, .arg = &p->faults};

    dn_err_clear(&p->err);
    p->v = NULL;
    return volume_posix_open_faulty(p->posix->dir, &options, &hook, &p->v, &p->err);
}

static void place_reopen(struct place *p)
{
    volume_close(p->v);
    faults_set(p, ANY, 0, 0);
    if (place_open(p) != 0)
        fail_msg("open: %s", p->err.text);
}

static int place_setup(void **state)
{
    struct place *p = mem_calloc(NULL, 1, sizeof *p);

    if (!p)
        return -1;
    p->posix = posix_place_new(true);
    if (!p->posix || place_open(p) != 0)
        return -1;
    *state = p;
    return 0;
}

static int place_teardown(void **state)
{
    struct place *p = *state;

    volume_close(p->v);
    posix_place_free(p->posix);
    mem_free(p);
    return mem_process_used() == 0 ? 0 : -1;
}

static void says(struct place *p, int rc, int code, const char *word)
{
    assert_int_equal(rc, code);
    assert_int_equal(p->err.code, code);
    if (!strstr(p->err.text, word))
        fail_msg("'%s' does not say '%s'", p->err.text, word);
}

static void log_is(struct place *p, const char *name, const char *want)
{
    struct buf got;

    buf_init(&got, NULL);
    assert_int_equal(volume_log_read(p->v, name, 0, &got, &p->err), 0);
    assert_int_equal(got.len, strlen(want));
    if (got.len > 0)
        assert_memory_equal(got.data, want, got.len);
    buf_done(&got);
}

static int put(struct place *p, const char *name, const char *text)
{
    return volume_put(p->v, name, text, strlen(text), &p->err);
}

static int append(struct place *p, const char *name, const char *text)
{
    return volume_log_append(p->v, name, 1, text, strlen(text), &p->err);
}

static uint64_t file_size(struct place *p, const char *file)
{
    char path[200];
    struct stat st;

    (void)snprintf(path, sizeof path, "%s/%s", p->posix->dir, file);
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

static size_t temps_in(struct place *p, const char *dir)
{
    char path[200];
    struct dirent *entry;
    size_t n = 0;
    DIR *stream;

    (void)snprintf(path, sizeof path, "%s/%s", p->posix->dir, dir);
    stream = opendir(path);
    assert_non_null(stream);
    for (entry = readdir(stream); entry; entry = readdir(stream))
        n += strncmp(entry->d_name, "TMP-", 4) == 0;
    assert_int_equal(closedir(stream), 0);
    return n;
}

/* -- what is synced, and when -------------------------------------------------------------- */

static void calls_are(struct place *p, int rc, const char *want)
{
    assert_int_equal(rc, 0);
    assert_string_equal(p->faults.trace, want);
    memset(p->faults.trace, 0, sizeof p->faults.trace);
}

static size_t dirs_synced(const struct place *p)
{
    size_t dirs = 0;

    for (const char *c = p->faults.trace; *c; c++)
        dirs += *c == 'D';
    return dirs;
}

/* Open, write, sync, rename, sync of the directory: in this order, or a power loss shows. */
static void nothing_is_acknowledged_unsynced(void **state)
{
    struct place *p = *state;
    uint64_t generation = 0;

    /* A new volume: its parent, itself twice (o/ and so on, FORMAT), and what every open syncs. */
    assert_int_equal(dirs_synced(p), 3 + 4);
    memset(p->faults.trace, 0, sizeof p->faults.trace);
    calls_are(p, put(p, "o", "abc"), "nowsRD");
    calls_are(p, volume_log_create(p->v, "l", 1, NULL), "nowsRD");
    calls_are(p, append(p, "l", "abc"), "norswsnn"); /* opened, and what was there synced, once */
    calls_are(p, append(p, "l", "abc"), "nwsnn");    /* ours; and still ours, and there */
    calls_are(p, volume_log_append_nosync(p->v, "l", 1, "a", 1, NULL), "nwnn");
    calls_are(p, volume_log_append_nosync(p->v, "l", 1, "b", 1, NULL), "nwnn");
    calls_are(p, volume_log_sync(p->v, "l", 1, NULL), "nsnn");
    calls_are(p, volume_log_sync(p->v, "l", 1, NULL), "n"); /* nothing new */
    calls_are(p, volume_log_fence(p->v, "l", 1, NULL), "n");
    calls_are(p, volume_log_fence(p->v, "l", 2, NULL), "nws");
    calls_are(p, volume_doc_replace(p->v, "d", "x", 1, 0, &generation, NULL), "noowwsRD");
    calls_are(p, volume_doc_replace(p->v, "d", "x", 1, 1, &generation, NULL), "norowwsRD");
    calls_are(p, volume_log_delete(p->v, "l", NULL), "nuD");
    calls_are(p, volume_delete(p->v, "o", NULL), "nuD");
    place_reopen(p); /* each directory once: a killed process may have left unsynced names */
    assert_int_equal(dirs_synced(p), 4);
}

/* The lock goes while bytes are on their way: nobody knows whether they will be found. Before that
 * and after it nothing is written at all. */
static void a_lock_lost_during_an_append(void **state)
{
    static const enum volume_posix_call calls[] = {VOLUME_POSIX_WRITE, VOLUME_POSIX_SYNC};
    struct place *p = *state;
    char lock[200];

    (void)snprintf(lock, sizeof lock, "%s/LOCK", p->posix->dir);
    for (size_t i = 0; i < DN_ARRAY_SIZE(calls); i++) {
        char name[2] = {(char)('a' + i), 0};

        assert_int_equal(volume_log_create(p->v, name, 1, &p->err), 0);
        assert_int_equal(append(p, name, "one"), 0);
        faults_set(p, calls[i], 1, EIO);
        p->faults.lock = lock;
        says(p, append(p, name, "two"), DN_E_OUTCOME_UNKNOWN, "LOCK");
        assert_true(p->faults.hit);
        p->faults.lock = NULL;
        says(p, append(p, name, "three"), DN_E_FENCED, "LOCK");
        says(p, volume_log_sync(p->v, name, 1, &p->err), DN_E_FENCED, "LOCK");
        place_reopen(p);
        log_is(p, name, "onetwo");
    }
}

/* -- the full disk ---------------------------------------------------------------------- */

static void a_full_disk_spoils_no_object(void **state)
{
    static const enum volume_posix_call calls[] = {VOLUME_POSIX_OPEN,
                                                   VOLUME_POSIX_WRITE,
                                                   VOLUME_POSIX_SYNC,
                                                   VOLUME_POSIX_RENAME,
                                                   VOLUME_POSIX_SYNC_DIR};
    struct place *p = *state;
    uint64_t size;

    assert_int_equal(put(p, "old", "old"), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(calls); i++) {
        faults_set(p, calls[i], 1, i % 2 ? EDQUOT : ENOSPC);
        says(p, put(p, "new", "0123456789"), DN_E_NOSPC, "'new'");
        assert_true(p->faults.hit);
        assert_int_equal(volume_size(p->v, "new", &size, NULL), DN_E_NO_OBJECT);
        assert_int_equal(volume_size(p->v, "old", &size, NULL), 0);
        assert_int_equal(temps_in(p, "o"), 0);
    }
    says(p,
         (faults_set(p, VOLUME_POSIX_WRITE, 1, EIO), put(p, "new", "x")),
         DN_E_IO,
         "Input/output error");
    assert_int_equal(put(p, "new", "now"), 0); /* space is back */
    place_reopen(p);
    assert_int_equal(volume_size(p->v, "new", &size, NULL), 0);
    assert_int_equal(size, 3);
}

static void a_full_disk_ends_a_log_and_not_the_next(void **state)
{
    struct place *p = *state;

    assert_int_equal(volume_log_create(p->v, "a", 1, NULL), 0);
    assert_int_equal(append(p, "a", "acknowledged "), 0);
    p->faults.chunk = 4;
    faults_set(p, VOLUME_POSIX_WRITE, 3, ENOSPC); /* after 8 of the bytes */
    says(p, append(p, "a", "this does not fit"), DN_E_NOSPC, "No space left on device");
    assert_non_null(strstr(p->err.text, "'a'"));
    assert_non_null(strstr(p->err.text, "offset 13"));
    p->faults.chunk = 0;
    log_is(p, "a", "acknowledged ");
    assert_int_equal(file_size(p, "l/a"), LOG_HEAD + 13); /* the remains are cut off */
    says(p, append(p, "a", "x"), DN_E_IO, "'a'");
    says(p, volume_log_append_nosync(p->v, "a", 1, "x", 1, &p->err), DN_E_IO, "'a'");
    says(p, volume_log_sync(p->v, "a", 1, &p->err), DN_E_IO, "'a'");
    assert_int_equal(volume_log_create(p->v, "b", 1, NULL), 0);
    assert_int_equal(append(p, "b", "goes on"), 0);
    place_reopen(p);
    log_is(p, "a", "acknowledged ");
    log_is(p, "b", "goes on");
}

/* When even the truncate fails, readers see what was acknowledged, and after a restart a torn end.
 */
static void remains_that_cannot_be_cut_are_hidden(void **state)
{
    struct place *p = *state;

    assert_int_equal(volume_log_create(p->v, "a", 1, NULL), 0);
    assert_int_equal(append(p, "a", "good "), 0);
    p->faults.chunk = 4;
    faults_set(p, VOLUME_POSIX_WRITE, 2, EIO);
    p->faults.sticky = true;
    p->faults.call = ANY;
    p->faults.left = 3; /* behind the look at the lock, the second write and everything after it */
    says(p, append(p, "a", "torn away"), DN_E_IO, "'a'");
    p->faults.left = 0;
    p->faults.chunk = 0;
    log_is(p, "a", "good ");
    assert_int_equal(file_size(p, "l/a"), LOG_HEAD + 9);
    place_reopen(p);
    log_is(p, "a", "good torn");
}

static void a_failed_sync_ends_the_log(void **state)
{
    struct place *p = *state;

    assert_int_equal(volume_log_create(p->v, "a", 1, NULL), 0);
    assert_int_equal(append(p, "a", "one"), 0);
    faults_set(p, VOLUME_POSIX_SYNC, 1, EIO);
    says(p, append(p, "a", "two"), DN_E_IO, "cannot sync 3 bytes at offset 3");
    says(p, append(p, "a", "three"), DN_E_IO, "takes no more");
    log_is(p, "a", "one");
    assert_int_equal(volume_log_create(p->v, "b", 1, NULL), 0);
    assert_int_equal(volume_log_append_nosync(p->v, "b", 1, "x", 1, NULL), 0);
    faults_set(p, VOLUME_POSIX_SYNC, 1, EIO);
    says(p, volume_log_sync(p->v, "b", 1, &p->err), DN_E_IO, "'b'");
    says(p, append(p, "b", "y"), DN_E_IO, "takes no more");
    assert_int_equal(volume_log_delete(p->v, "b", NULL), 0);
    assert_int_equal(volume_log_create(p->v, "b", 1, NULL), 0); /* a new one of the name is whole */
    assert_int_equal(append(p, "b", "y"), 0);
    log_is(p, "b", "y");
}

/* A log that is gone, though its directory could not be synced, is gone for appends too. */
static void a_half_deleted_log_takes_no_bytes(void **state)
{
    struct place *p = *state;

    assert_int_equal(volume_log_create(p->v, "a", 1, NULL), 0);
    assert_int_equal(append(p, "a", "old"), 0);
    faults_set(p, VOLUME_POSIX_SYNC_DIR, 1, EIO);
    says(p, volume_log_delete(p->v, "a", &p->err), DN_E_IO, "'a'");
    assert_int_equal(append(p, "a", "x"), DN_E_NO_OBJECT);
    assert_int_equal(volume_log_create(p->v, "a", 1, NULL), 0);
    assert_int_equal(append(p, "a", "new"), 0);
    place_reopen(p);
    log_is(p, "a", "new");
}

static void an_unsettled_document_is_not_shown(void **state)
{
    struct place *p = *state;
    uint64_t generation = 0;
    struct buf got;

    assert_int_equal(volume_doc_replace(p->v, "d", "old", 3, 0, &generation, NULL), 0);
    faults_set(p, VOLUME_POSIX_SYNC_DIR, 1, EIO);
    p->faults.sticky = true;
    says(p, volume_doc_replace(p->v, "d", "new", 3, 1, &generation, &p->err), DN_E_IO, "'d'");
    assert_int_equal(generation, 1);
    buf_init(&got, NULL);
    /* Nobody can say yet which one a crash would leave. */
    says(p, volume_doc_read(p->v, "d", &got, &generation, &p->err), DN_E_IO, "'d'");
    p->faults.left = 0;
    assert_int_equal(volume_doc_read(p->v, "d", &got, &generation, NULL), 0);
    assert_int_equal(generation, 2);
    assert_memory_equal(got.data, "new", 3);
    buf_done(&got);
}

static void short_reads_and_writes_go_on(void **state)
{
    struct place *p = *state;
    char text[1000];
    char got[1000];
    struct volume_range range = {.offset = 0, .len = sizeof got, .to = got};
    uint64_t generation = 0;
    struct buf doc;

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    text[sizeof text - 1] = '\0';
    p->faults.chunk = 7;
    assert_int_equal(volume_put(p->v, "o", text, sizeof text, NULL), 0);
    assert_int_equal(volume_read(p->v, "o", &range, 1, NULL), 0);
    assert_memory_equal(got, text, sizeof text);
    assert_int_equal(volume_log_create(p->v, "l", 1, NULL), 0);
    assert_int_equal(append(p, "l", text), 0);
    log_is(p, "l", text);
    assert_int_equal(volume_doc_replace(p->v, "d", text, sizeof text, 0, &generation, NULL), 0);
    buf_init(&doc, NULL);
    assert_int_equal(volume_doc_read(p->v, "d", &doc, &generation, NULL), 0);
    assert_int_equal(doc.len, sizeof text);
    assert_memory_equal(doc.data, text, sizeof text);
    buf_done(&doc);
}

/* -- the sweep: every call of the OS fails once ------------------------------------------------ */

/* What a run was told, against which the volume is checked after it. */
struct told {
    bool put;                 /* acknowledged */
    bool delete_tried;        /* its end is unknown unless acknowledged */
    bool deleted;             /* acknowledged */
    bool log;                 /* acknowledged */
    size_t appended;          /* acknowledged bytes, 4 each */
    uint64_t generation;      /* acknowledged */
    uint64_t generation_most; /* tried */
};

static int told_doc(struct place *p, const char *name, struct told *told)
{
    uint64_t seen = 0;
    struct buf got;
    int rc;

    buf_init(&got, NULL);
    rc = volume_doc_read(p->v, name, &got, &seen, &p->err);
    buf_done(&got);
    if (rc < 0)
        return rc;
    told->generation_most = seen + 1;
    rc = volume_doc_replace(p->v, name, "document", 8, seen, &seen, &p->err);
    if (rc == 0)
        told->generation = seen;
    return rc;
}

static int told_run(struct place *p, const char *name, struct told *told)
{
    struct volume_names names = {0};
    char three[3];
    struct volume_range range = {.offset = 0, .len = 3, .to = three};
    int rc = volume_put(p->v, name, "abc", 3, &p->err);

    told->put = rc == 0;
    if (rc == 0)
        rc = volume_read(p->v, name, &range, 1, &p->err);
    if (rc == 0)
        rc = volume_list(p->v, "", &names, &p->err);
    volume_names_done(&names);
    if (rc == 0)
        rc = volume_log_create(p->v, name, 1, &p->err);
    told->log = rc == 0;
    for (int i = 0; i < 3 && rc == 0; i++) {
        rc = volume_log_append(p->v, name, 1, "rec;", 4, &p->err);
        if (rc == 0)
            told->appended += 4;
    }
    if (rc == 0)
        rc = volume_log_fence(p->v, name, 2, &p->err);
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = told_doc(p, name, told);
    if (rc == 0) {
        told->delete_tried = true;
        rc = volume_delete(p->v, name, &p->err);
        told->deleted = rc == 0;
    }
    return rc;
}

static void told_check(struct place *p, const char *name, const struct told *told)
{
    uint64_t size = 3;
    uint64_t generation = 0;
    struct buf got;
    int rc = volume_size(p->v, name, &size, NULL);

    assert_true(rc == 0 || rc == DN_E_NO_OBJECT);
    assert_int_equal(size, 3); /* whole or not there */
    if (told->deleted)
        assert_int_equal(rc, DN_E_NO_OBJECT);
    if (told->put && !told->delete_tried)
        assert_int_equal(rc, 0);
    buf_init(&got, NULL);
    rc = volume_log_read(p->v, name, 0, &got, NULL);
    assert_true(rc == 0 || (rc == DN_NOT_FOUND && !told->log));
    assert_true(got.len >= told->appended);
    assert_true(got.len <= told->appended + 4);
    for (size_t i = 0; i < got.len; i++)
        assert_int_equal(got.data[i], "rec;"[i % 4]);
    buf_reset(&got);
    rc = volume_doc_read(p->v, name, &got, &generation, NULL);
    assert_true(rc == 0 || rc == DN_NOT_FOUND);
    assert_true(generation >= told->generation && generation <= told->generation_most);
    if (rc == 0)
        assert_memory_equal(got.data, "document", 8);
    buf_done(&got);
    assert_int_equal(temps_in(p, "o") + temps_in(p, "l") + temps_in(p, "d"), 0);
}

static void every_failing_call_is_survived(void **state)
{
    static const int numbers[] = {EIO, ENOSPC};
    struct place *p = *state;

    for (size_t k = 0; k < 2 * DN_ARRAY_SIZE(numbers); k++) {
        bool sticky = k >= DN_ARRAY_SIZE(numbers);
        int number = numbers[k % DN_ARRAY_SIZE(numbers)];
        bool hit = true;
        for (uint64_t n = 1; hit; n++) {
            struct told told = {0};
            char name[32];
            int rc;

            (void)snprintf(name, sizeof name, "sweep/%zu/%d", k, (int)n);
            dn_err_clear(&p->err);
            faults_set(p, ANY, n, number);
            p->faults.sticky = sticky;
            rc = told_run(p, name, &told);
            hit = p->faults.hit;
            p->faults.left = 0;
            if (hit) {
                assert_int_equal(rc, number == EIO ? DN_E_IO : DN_E_NOSPC);
                assert_int_equal(p->err.code, rc);
            } else {
                assert_int_equal(rc, 0);
                assert_true(n > 20);
            }
            place_reopen(p);
            told_check(p, name, &told);
        }
    }
}

static void every_failing_call_at_open_is_survived(void **state)
{
    struct place *p = *state;

    assert_int_equal(put(p, "kept", "x"), 0);
    for (int fresh = 0; fresh < 2; fresh++) {
        bool hit = true;
        for (uint64_t n = 1; hit; n++) {
            int rc;

            volume_close(p->v);
            p->v = NULL;
            if (fresh) { /* a new directory each time */
                posix_place_free(p->posix);
                p->posix = posix_place_new(true);
                assert_non_null(p->posix);
            }
            faults_set(p, ANY, n, EIO);
            rc = place_open(p);
            hit = p->faults.hit;
            if (rc != 0) {
                says(p, rc, DN_E_IO, "Input/output error");
                assert_null(p->v);
                faults_set(p, ANY, 0, 0);
                assert_int_equal(place_open(p), 0); /* what it left behind is taken up */
            } else {
                assert_false(hit);
                assert_true(n > 5);
            }
            p->faults.left = 0;
            if (!fresh)
                assert_int_equal(volume_size(p->v, "kept", &(uint64_t){0}, NULL), 0);
            assert_int_equal(put(p, fresh ? "a" : "b", "x"), 0);
            assert_int_equal(volume_delete(p->v, fresh ? "a" : "b", NULL), 0);
        }
    }
}

#define PLACED(fn) cmocka_unit_test_setup_teardown(fn, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACED(nothing_is_acknowledged_unsynced),
        PLACED(a_lock_lost_during_an_append),
        PLACED(a_full_disk_spoils_no_object),
        PLACED(a_full_disk_ends_a_log_and_not_the_next),
        PLACED(remains_that_cannot_be_cut_are_hidden),
        PLACED(a_failed_sync_ends_the_log),
        PLACED(a_half_deleted_log_takes_no_bytes),
        PLACED(an_unsettled_document_is_not_shown),
        PLACED(short_reads_and_writes_go_on),
        PLACED(every_failing_call_is_survived),
        PLACED(every_failing_call_at_open_is_survived),
    };

    return cmocka_run_group_tests_name("posix volume, failing", tests, NULL, NULL);
}
