/* SPDX-License-Identifier: Apache-2.0
 *
 * What only the posix volume promises: one process at a time, how a directory becomes a volume,
 * what damaged files say. Failing calls of the OS are in test_posix_fault.c. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "posix_place.h"
#include "volume/volume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LOG_HEAD 64

static const struct volume_posix_options making = {.create = true, .threads_max = 2};
static const struct volume_posix_options reading = {.read_only = true, .threads_max = 2};

static int place_setup(void **state)
{
    *state = posix_place_new(true);
    return *state ? 0 : -1;
}

static int place_teardown(void **state)
{
    posix_place_free(*state);
    return 0;
}

static struct volume *open_ok(const char *dir, const struct volume_posix_options *options)
{
    struct volume *v = NULL;
    struct dn_err err;

    if (volume_posix_open(dir, options, &v, &err) != 0)
        fail_msg("open: %s", err.text);
    return v;
}

static void
open_fails(const char *dir, const struct volume_posix_options *options, int code, const char *word)
{
    struct volume *v = NULL;
    struct dn_err err = {0};

    assert_int_equal(volume_posix_open(dir, options, &v, &err), code);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not say '%s'", err.text, word);
    assert_null(v);
}

static const char *path_in(const struct posix_place *place, const char *file)
{
    static char path[200];

    (void)snprintf(path, sizeof path, "%s/%s", place->dir, file);
    return path;
}

static void file_write(const char *path, const void *p, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, p, n), n);
    assert_int_equal(close(fd), 0);
}

static size_t file_read(const char *path, void *p, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    assert_true(fd >= 0);
    n = read(fd, p, cap);
    assert_true(n >= 0);
    assert_int_equal(close(fd), 0);
    return (size_t)n;
}

/* -- one process at a time ------------------------------------------------------------ */

static void a_second_opener_is_told_who_holds_it(void **state)
{
    const struct posix_place *place = *state;
    struct volume *v = open_ok(place->dir, &making);
    struct volume *second = NULL;
    struct dn_err err = {0};
    char want[64];

    assert_int_equal(volume_posix_open(place->dir, &making, &second, &err), DN_E_BUSY);
    (void)snprintf(want, sizeof want, "in use by test_posix (pid %ld)", (long)getpid());
    if (!strstr(err.text, want) || !strstr(err.text, place->dir))
        fail_msg("'%s' does not say '%s'", err.text, want);
    assert_true(strlen(err.hint) > 0);
    volume_close(v);
    volume_close(open_ok(place->dir, &making)); /* free again */
}

/* Holds the volume until it is killed. */
static pid_t hold_in_child(const char *dir)
{
    int ready[2];
    char byte = 0;
    pid_t pid;

    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct volume *v = NULL;
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* does not outlive a test that failed */
        (void)prctl(PR_SET_NAME, "the holder");
        if (volume_posix_open(dir, &making, &v, NULL) != 0 ||
            volume_put(v, "by-child", "x", 1, NULL) != 0 || write(ready[1], "!", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(close(ready[1]), 0);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(close(ready[0]), 0);
    return pid;
}

static void a_killed_holder_does_not_count(void **state)
{
    const struct posix_place *place = *state;
    pid_t pid = hold_in_child(place->dir);
    struct volume *v;
    uint64_t size = 0;
    char want[64];
    int status;

    (void)snprintf(want, sizeof want, "in use by the holder (pid %ld)", (long)pid);
    open_fails(place->dir, &making, DN_E_BUSY, want);
    v = open_ok(place->dir, &reading); /* a reader may come in */
    assert_int_equal(volume_size(v, "by-child", &size, NULL), 0);
    volume_close(v);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    v = open_ok(place->dir, &making);
    assert_int_equal(volume_size(v, "by-child", &size, NULL), 0);
    volume_close(v);
}

/* -- what is a volume ------------------------------------------------------------------ */

static void a_directory_becomes_a_volume(void **state)
{
    static const char *const dirs[] = {"o", "l", "d", "scratch"};
    const struct posix_place *place = *state;
    struct volume_posix_options existing = {.threads_max = 2};
    struct stat st;
    char text[64] = "";
    char missing[128];

    open_fails(place->dir, &existing, DN_E_NO_OBJECT, place->dir);
    open_fails(place->dir, &reading, DN_E_NO_OBJECT, place->dir);
    (void)snprintf(missing, sizeof missing, "%s/no/parent", place->root);
    open_fails(missing, &making, DN_E_IO, missing); /* parents are not made */
    assert_int_equal(mkdir(place->dir, 0700), 0);
    open_fails(
        place->dir, &existing, DN_E_NO_OBJECT, place->dir); /* empty, and not asked to make */
    open_fails(place->dir, NULL, DN_E_NO_OBJECT, place->dir);
    volume_close(open_ok(place->dir, &making));
    volume_close(open_ok(place->dir, &existing));
    volume_close(open_ok(place->dir, &reading));
    assert_int_equal(file_read(path_in(place, "FORMAT"), text, sizeof text), 23);
    assert_string_equal(text, "dendro volume format 1\n");
    for (size_t i = 0; i < DN_ARRAY_SIZE(dirs); i++) {
        assert_int_equal(stat(path_in(place, dirs[i]), &st), 0);
        assert_int_equal(st.st_mode & 0777, 0700);
    }
    assert_int_equal(stat(path_in(place, "LOCK"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void other_directories_are_left_alone(void **state)
{
    const struct posix_place *place = *state;
    struct stat st;

    assert_int_equal(mkdir(place->dir, 0700), 0);
    file_write(path_in(place, "thesis.tex"), "x", 1);
    open_fails(place->dir, &making, DN_E_INVALID_PARAM, "thesis.tex");
    assert_int_not_equal(stat(path_in(place, "LOCK"), &st), 0);
    open_fails(path_in(place, "thesis.tex"), &making, DN_E_IO, "Not a directory");
    assert_int_equal(unlink(path_in(place, "thesis.tex")), 0);
    /* What a crash in the middle of making one leaves is taken up. */
    file_write(path_in(place, "LOCK"), "1 gone\n", 7);
    file_write(path_in(place, "TMP-7"), "den", 3);
    assert_int_equal(mkdir(path_in(place, "o"), 0700), 0);
    volume_close(open_ok(place->dir, &making));
    assert_int_not_equal(stat(path_in(place, "TMP-7"), &st), 0);
}

static void formats_are_checked(void **state)
{
    static const char *const bad[] = {"",
                                      "dendro volume format",
                                      "dendro volume format ",
                                      "dendro volume format x\n",
                                      "dendro volume format 0\n",
                                      "dendro volume format 1x\n",
                                      "dendro volume format 1",
                                      "something else\n"};
    const struct posix_place *place = *state;

    volume_close(open_ok(place->dir, &making));
    file_write(path_in(place, "FORMAT"), "dendro volume format 2\n", 23);
    open_fails(place->dir, &making, DN_E_VERSION, "format 2");
    open_fails(place->dir, &reading, DN_E_VERSION, "format 2");
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++) {
        file_write(path_in(place, "FORMAT"), bad[i], strlen(bad[i]));
        open_fails(place->dir, &making, DN_E_CORRUPT, "FORMAT");
    }
    file_write(path_in(place, "FORMAT"), "dendro volume format 1\n", 23);
    volume_close(open_ok(place->dir, &making));
}

static void remains_of_the_dead_are_removed(void **state)
{
    static const char *const remains[] = {
        "o/TMP-1", "l/TMP-2", "d/TMP-3", "TMP-4", "scratch/TMP-5", "scratch/anything"};
    const struct posix_place *place = *state;
    struct volume_names names = {0};
    struct volume *v;
    struct stat st;

    volume_close(open_ok(place->dir, &making));
    for (size_t i = 0; i < DN_ARRAY_SIZE(remains); i++)
        file_write(path_in(place, remains[i]), "x", 1);
    file_write(path_in(place, "o/README"), "x", 1); /* not ours: neither shown nor removed */
    v = open_ok(place->dir, &reading);
    assert_int_equal(volume_list(v, "", &names, NULL), 0);
    assert_int_equal(names.count, 0);
    volume_names_done(&names);
    volume_close(v);
    assert_int_equal(stat(path_in(place, remains[0]), &st), 0); /* a reader removes nothing */
    v = open_ok(place->dir, &making);
    for (size_t i = 0; i < DN_ARRAY_SIZE(remains); i++) {
        assert_int_not_equal(stat(path_in(place, remains[i]), &st), 0);
        assert_int_equal(errno, ENOENT);
    }
    assert_int_equal(stat(path_in(place, "o/README"), &st), 0);
    volume_close(v);
}

static void files_are_private_and_scratch_has_no_name(void **state)
{
    const struct posix_place *place = *state;
    struct volume *v = open_ok(place->dir, &making);
    struct volume_scratch *scratch = NULL;
    uint64_t n;
    struct stat st;
    struct dirent *entry;
    DIR *dir;

    assert_int_equal(volume_put(v, "a/b", "x", 1, NULL), 0);
    assert_int_equal(stat(path_in(place, "o/a~b"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(volume_scratch_open(v, &scratch, NULL), 0);
    assert_int_equal(volume_scratch_append(scratch, "x", 1, &n, NULL), 0);
    dir = opendir(path_in(place, "scratch"));
    assert_non_null(dir);
    for (entry = readdir(dir); entry; entry = readdir(dir))
        assert_int_equal(entry->d_name[0], '.');
    assert_int_equal(closedir(dir), 0);
    volume_scratch_close(scratch);
    volume_close(v);
}

static void read_only_writes_nothing(void **state)
{
    const struct posix_place *place = *state;
    struct volume *v = open_ok(place->dir, &making);
    struct volume_scratch *scratch = NULL;
    uint64_t n = 0;
    struct buf got;

    assert_int_equal(volume_put(v, "o", "abc", 3, NULL), 0);
    assert_int_equal(volume_log_create(v, "l", 1, NULL), 0);
    assert_int_equal(volume_log_append(v, "l", 1, "abc", 3, NULL), 0);
    assert_int_equal(volume_doc_replace(v, "d", "abc", 3, 0, &n, NULL), 0);
    volume_close(v);
    v = open_ok(place->dir, &reading);
    assert_int_equal(volume_put(v, "p", "", 0, NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_delete(v, "o", NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_log_create(v, "m", 1, NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_log_append(v, "l", 1, "", 0, NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_log_append_nosync(v, "l", 1, "", 0, NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_log_sync(v, "l", 1, NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_log_fence(v, "l", 2, NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_log_delete(v, "l", NULL), DN_E_READ_ONLY);
    assert_int_equal(volume_doc_replace(v, "d", "", 0, 1, &n, NULL), DN_E_READ_ONLY);
    buf_init(&got, NULL);
    assert_int_equal(volume_log_read(v, "l", 1, &got, NULL), 0);
    assert_int_equal(volume_log_read(v, "m", 0, &got, NULL), DN_NOT_FOUND);
    assert_int_equal(volume_doc_read(v, "d", &got, &n, NULL), 0);
    assert_int_equal(got.len, 5);
    assert_memory_equal(got.data, "bcabc", 5);
    assert_int_equal(volume_scratch_open(v, &scratch, NULL), 0); /* sorting is no writing */
    assert_int_equal(volume_scratch_append(scratch, "x", 1, &n, NULL), 0);
    volume_scratch_close(scratch);
    buf_done(&got);
    volume_close(v);
}

/* -- damaged files ------------------------------------------------------------------------ */

static int read_doc(struct volume *v, struct dn_err *err)
{
    uint64_t generation = 0;
    struct buf got;
    int rc;

    buf_init(&got, NULL);
    rc = volume_doc_read(v, "cat", &got, &generation, err);
    assert_int_equal(got.len, rc == 0 ? 12 : 0);
    buf_done(&got);
    return rc;
}

static void damaged_documents_are_refused(void **state)
{
    const struct posix_place *place = *state;
    struct volume *v = open_ok(place->dir, &making);
    uint8_t bytes[128];
    uint64_t generation;
    struct dn_err err;
    size_t n;

    assert_int_equal(volume_doc_replace(v, "cat", "twelve bytes", 12, 0, &generation, NULL), 0);
    n = file_read(path_in(place, "d/cat"), bytes, sizeof bytes);
    assert_int_equal(n, 40 + 12);
    assert_memory_equal(bytes, "dendrodc", 8);
    for (size_t bit = 0; bit < n * 8; bit++) {
        int rc;
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        file_write(path_in(place, "d/cat"), bytes, n);
        dn_err_clear(&err);
        rc = read_doc(v, &err);
        assert_int_equal(err.code, rc);
        if (rc != DN_E_CORRUPT)
            assert_true(rc == DN_E_VERSION && bit / 8 >= 8 && bit / 8 < 12);
        assert_non_null(strstr(err.text, "'cat'"));
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    for (size_t cut = 0; cut < n; cut++) {
        file_write(path_in(place, "d/cat"), bytes, cut);
        assert_int_equal(read_doc(v, &err), DN_E_CORRUPT);
    }
    /* A damaged one is not silently replaced: its generation is unknown. */
    assert_int_equal(volume_doc_replace(v, "cat", "x", 1, 1, &generation, &err), DN_E_CORRUPT);
    file_write(path_in(place, "d/cat"), bytes, n);
    assert_int_equal(read_doc(v, &err), 0);
    volume_close(v);
}

static int read_log(const struct posix_place *place, const char *want, struct dn_err *err)
{
    struct volume *v = open_ok(place->dir, &making);
    struct buf got;
    int rc;

    buf_init(&got, NULL);
    rc = volume_log_read(v, "log", 0, &got, err);
    if (rc == 0) {
        assert_int_equal(got.len, strlen(want));
        assert_memory_equal(got.data, want, got.len);
    }
    buf_done(&got);
    volume_close(v);
    return rc;
}

static void damaged_log_heads_are_refused(void **state)
{
    const struct posix_place *place = *state;
    struct volume *v = open_ok(place->dir, &making);
    uint8_t bytes[128];
    struct dn_err err;
    size_t n;

    assert_int_equal(volume_log_create(v, "log", 7, NULL), 0);
    assert_int_equal(volume_log_append(v, "log", 7, "data", 4, NULL), 0);
    volume_close(v);
    n = file_read(path_in(place, "l/log"), bytes, sizeof bytes);
    assert_int_equal(n, LOG_HEAD + 4);
    for (size_t bit = 0; bit < 32 * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        file_write(path_in(place, "l/log"), bytes, n);
        assert_int_equal(read_log(place, "", &err), DN_E_CORRUPT);
        assert_non_null(strstr(err.text, "'log'"));
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    for (size_t cut = 0; cut < LOG_HEAD; cut++) {
        file_write(path_in(place, "l/log"), bytes, cut);
        assert_int_equal(read_log(place, "", &err), DN_E_CORRUPT);
    }
    file_write(path_in(place, "l/log"), bytes, n);
    assert_int_equal(read_log(place, "data", &err), 0);
}

static void a_torn_fence_leaves_the_old_epoch(void **state)
{
    const struct posix_place *place = *state;
    struct volume *v = open_ok(place->dir, &making);
    uint8_t before[128];
    uint8_t after[128];
    size_t n;

    assert_int_equal(volume_log_create(v, "log", 7, NULL), 0);
    assert_int_equal(volume_log_append(v, "log", 7, "data", 4, NULL), 0);
    n = file_read(path_in(place, "l/log"), before, sizeof before);
    assert_int_equal(volume_log_fence(v, "log", 9, NULL), 0);
    volume_close(v);
    assert_int_equal(file_read(path_in(place, "l/log"), after, sizeof after), n);
    for (size_t torn = 32; torn < LOG_HEAD; torn++) { /* the first bytes of the new slot only */
        uint8_t mixed[128];
        memcpy(mixed, before, n);
        memcpy(mixed, after, torn);
        file_write(path_in(place, "l/log"), mixed, n);
        v = open_ok(place->dir, &making);
        assert_int_equal(volume_log_append(v, "log", 7, "", 0, NULL), 0);
        volume_close(v);
    }
    file_write(path_in(place, "l/log"), after, n);
    v = open_ok(place->dir, &making);
    assert_int_equal(volume_log_append(v, "log", 8, "", 0, NULL), DN_E_FENCED);
    volume_close(v);
}

#define PLACED(fn) cmocka_unit_test_setup_teardown(fn, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACED(a_second_opener_is_told_who_holds_it),
        PLACED(a_killed_holder_does_not_count),
        PLACED(a_directory_becomes_a_volume),
        PLACED(other_directories_are_left_alone),
        PLACED(formats_are_checked),
        PLACED(remains_of_the_dead_are_removed),
        PLACED(files_are_private_and_scratch_has_no_name),
        PLACED(read_only_writes_nothing),
        PLACED(damaged_documents_are_refused),
        PLACED(damaged_log_heads_are_refused),
        PLACED(a_torn_fence_leaves_the_old_epoch),
    };

    return cmocka_run_group_tests_name("posix volume", tests, NULL, NULL);
}
