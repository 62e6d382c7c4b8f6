/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing a posix volume: make or recognize the directory, lock it, check its format,
 * sweep what a dead process left behind, and sync the directories once, so that a rename that only
 * the page cache of a killed process's machine knows about is durable before anybody builds on it.
 *
 * posix_lock.c has the lock. */
#define _GNU_SOURCE
#include "volume/posix_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POSIX_FORMAT        1u
#define POSIX_FORMAT_FILE   "FORMAT"
#define POSIX_FORMAT_TEXT   "dendro volume format "
#define POSIX_FORMAT_MAX    64 /* bytes of FORMAT */
#define POSIX_THREADS_EXTRA 2u

static const char *const pvol_dirs[] = {"o", "l", "d", "scratch"};

/* -- the directory ----------------------------------------------------------------- */

static int pvol_fail_no_volume(struct posix_volume *pv, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_NO_OBJECT, "there is no Dendro volume in '%s'", pv->dir);
}

static int pvol_sync_parent(struct posix_volume *pv)
{
    int fd = -1;
    int number = volume_posix_openat(pv, pv->dir_fd, "..", O_RDONLY | O_DIRECTORY, &fd);

    if (number == EACCES)
        return 0; /* a parent we may not read is not ours to sync */
    if (number == 0)
        number = volume_posix_sync_dir(pv, fd);
    volume_posix_close_fd(&fd);
    return number;
}

static int pvol_open_dir(struct posix_volume *pv, bool create, struct dn_err *err)
{
    bool made = false;
    int number;

    number = volume_posix_openat(pv, AT_FDCWD, pv->dir, O_RDONLY | O_DIRECTORY, &pv->dir_fd);
    if (number == ENOENT && create) {
        number = volume_posix_mkdirat(pv, AT_FDCWD, pv->dir);
        made = number == 0;
        if (number && number != EEXIST)
            return VOLUME_POSIX_FAIL(err, number, "cannot make the directory '%s'", pv->dir);
        number = volume_posix_openat(pv, AT_FDCWD, pv->dir, O_RDONLY | O_DIRECTORY, &pv->dir_fd);
    }
    if (number == ENOENT) {
        int rc = pvol_fail_no_volume(pv, err);
        dn_err_hint(err, "the directory does not exist");
        return rc;
    }
    if (number == 0 && made)
        number = pvol_sync_parent(pv);
    if (number)
        return VOLUME_POSIX_FAIL(err, number, "cannot open the directory '%s'", pv->dir);
    return 0;
}

/* A directory without FORMAT is taken only if it is empty or a half-made volume. */
static bool pvol_file_is_ours(const char *file)
{
    if (strcmp(file, ".") == 0 || strcmp(file, "..") == 0 ||
        strcmp(file, VOLUME_POSIX_LOCK_FILE) == 0 || strcmp(file, VOLUME_POSIX_RESERVE_FILE) == 0 ||
        strncmp(file, VOLUME_POSIX_TEMP_PREFIX, strlen(VOLUME_POSIX_TEMP_PREFIX)) == 0)
        return true;
    for (size_t i = 0; i < DN_ARRAY_SIZE(pvol_dirs); i++)
        if (strcmp(file, pvol_dirs[i]) == 0)
            return true;
    return false;
}

static int pvol_check_new(struct posix_volume *pv, struct dn_err *err)
{
    int fd = openat(pv->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    int rc = 0;

    if (!stream) {
        rc = VOLUME_POSIX_FAIL(err, errno, "cannot read the directory '%s'", pv->dir);
        volume_posix_close_fd(&fd);
        return rc;
    }
    for (entry = readdir(stream); entry && rc == 0; entry = readdir(stream)) {
        if (!pvol_file_is_ours(entry->d_name))
            rc = DN_FAIL(err,
                         DN_E_INVALID_PARAM,
                         "the directory '%s' is no Dendro volume and not empty: it holds '%s'",
                         pv->dir,
                         entry->d_name);
    }
    (void)closedir(stream);
    return rc;
}

/* The format number in FORMAT; 0 when there is none. */
static int pvol_read_format(struct posix_volume *pv, unsigned *ret_format, struct dn_err *err)
{
    char text[POSIX_FORMAT_MAX] = "";
    const char *digits = text + strlen(POSIX_FORMAT_TEXT);
    char *rest = NULL;
    unsigned long number;
    size_t n = 0;
    int fd = -1;
    int rc = volume_posix_openat(pv, pv->dir_fd, POSIX_FORMAT_FILE, O_RDONLY, &fd);

    *ret_format = 0;
    if (rc == ENOENT)
        return 0;
    if (rc == 0)
        rc = volume_posix_read_at(pv, fd, text, sizeof text - 1, 0, &n);
    volume_posix_close_fd(&fd);
    if (rc)
        return VOLUME_POSIX_FAIL(err, rc, "volume '%s': cannot read FORMAT", pv->dir);
    if (strncmp(text, POSIX_FORMAT_TEXT, strlen(POSIX_FORMAT_TEXT)) != 0 || *digits < '1' ||
        *digits > '9')
        return DN_FAIL(err, DN_E_CORRUPT, "volume '%s': FORMAT holds no format", pv->dir);
    number = strtoul(digits, &rest, 10);
    if (*rest != '\n' || rest[1] != '\0')
        return DN_FAIL(err, DN_E_CORRUPT, "volume '%s': FORMAT holds no format", pv->dir);
    if (number > POSIX_FORMAT)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       "volume '%s' has format %lu, this release reads up to %u",
                       pv->dir,
                       number,
                       POSIX_FORMAT);
    *ret_format = (unsigned)number;
    return 0;
}

static int pvol_write_format(struct posix_volume *pv, struct dn_err *err)
{
    struct posix_file file = {
        .dir_fd = pv->dir_fd, .kind = "volume file", .name = POSIX_FORMAT_FILE};
    struct posix_bytes parts[2] = {{"", 0}, {"", 0}};
    char text[POSIX_FORMAT_MAX];
    int n = snprintf(text, sizeof text, POSIX_FORMAT_TEXT "%u\n", POSIX_FORMAT);

    parts[0].p = text;
    parts[0].n = (size_t)n;
    return volume_posix_publish(pv, &file, parts, true, NULL, err);
}

static int pvol_open_subdirs(struct posix_volume *pv, struct dn_err *err)
{
    int *fds[] = {&pv->object_fd, &pv->log_fd, &pv->doc_fd, &pv->scratch_fd};
    bool made = false;
    int number = 0;

    _Static_assert(DN_ARRAY_SIZE(fds) == DN_ARRAY_SIZE(pvol_dirs), "one descriptor each");
    for (size_t i = 0; i < DN_ARRAY_SIZE(fds); i++) {
        if (!pv->read_only) {
            number = volume_posix_mkdirat(pv, pv->dir_fd, pvol_dirs[i]);
            made |= number == 0;
            if (number && number != EEXIST)
                return VOLUME_POSIX_FAIL(
                    err, number, "cannot make the directory '%s/%s'", pv->dir, pvol_dirs[i]);
        }
        number = volume_posix_openat(
            pv, pv->dir_fd, pvol_dirs[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW, fds[i]);
        if (number)
            return VOLUME_POSIX_FAIL(
                err, number, "cannot open the directory '%s/%s'", pv->dir, pvol_dirs[i]);
    }
    if (made) {
        number = volume_posix_sync_dir(pv, pv->dir_fd);
        if (number)
            return VOLUME_POSIX_FAIL(err, number, "cannot sync the directory '%s'", pv->dir);
    }
    return 0;
}

static int pvol_sweep(struct posix_volume *pv, struct dn_err *err)
{
    int fds[] = {pv->dir_fd, pv->object_fd, pv->log_fd, pv->doc_fd};
    int rc = volume_posix_clean(pv, pv->scratch_fd, true, err);

    for (size_t i = 0; i < DN_ARRAY_SIZE(fds) && rc == 0; i++) {
        rc = volume_posix_clean(pv, fds[i], false, err);
        if (rc == 0) {
            int number = volume_posix_sync_dir(pv, fds[i]);
            if (number)
                rc = VOLUME_POSIX_FAIL(err, number, "cannot sync the volume '%s'", pv->dir);
        }
    }
    return rc;
}

/* -- open and close ---------------------------------------------------------------- */

static int pvol_open_files(struct posix_volume *pv, bool create, struct dn_err *err)
{
    unsigned format = 0;
    int rc = pvol_open_dir(pv, create, err);

    if (rc == 0)
        rc = pvol_read_format(pv, &format, err);
    if (rc == 0 && format == 0)
        rc = create ? pvol_check_new(pv, err) : pvol_fail_no_volume(pv, err);
    if (rc < 0)
        return rc;
    if (pv->read_only) {
        rc = pv->still ? volume_posix_lock_still(pv, err) : 0;
        return rc < 0 ? rc : pvol_open_subdirs(pv, err);
    }
    rc = volume_posix_lock(pv, err);
    if (rc == 0)
        rc = pvol_open_subdirs(pv, err);
    if (rc == 0)
        rc = pvol_sweep(pv, err);
    if (rc == 0 && format == 0)
        rc = pvol_write_format(pv, err);
    if (rc == 0)
        volume_posix_reserve_open(pv);
    return rc;
}

static int pvol_open_services(struct posix_volume *pv, unsigned threads_max, struct dn_err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (threads_max == 0)
        threads_max = (cores < 1 ? 1 : (unsigned)cores) + POSIX_THREADS_EXTRA;
    pv->base.sched = sched_threads_new(threads_max, err);
    if (!pv->base.sched)
        return err ? err->code : DN_E_NOMEM;
    pv->log_lock = sched_mutex_new(pv->base.sched, "volume logs");
    pv->doc_lock = sched_mutex_new(pv->base.sched, "volume documents");
    if (!pv->log_lock || !pv->doc_lock)
        return DN_FAIL_NOMEM(err);
    return volume_local_init(&pv->local, pv->base.sched, err);
}

int volume_posix_open_faulty(const char *dir,
                             const struct volume_posix_options *options,
                             const struct volume_posix_faults *faults,
                             struct volume **ret_volume,
                             struct dn_err *err)
{
    static const struct volume_posix_options none = {.read_only = false};
    struct posix_volume *pv = mem_calloc(NULL, 1, sizeof *pv);
    size_t description_len = strlen("posix:") + strlen(dir) + 1;
    int rc;

    if (!options)
        options = &none;
    if (!pv)
        return DN_FAIL_NOMEM(err);
    pv->base.ops = &volume_posix_ops;
    pv->dir_fd = pv->lock_fd = pv->object_fd = pv->log_fd = pv->doc_fd = pv->scratch_fd = -1;
    pv->reserve_fd = -1;
    pv->read_only = options->read_only;
    pv->still = options->read_only && options->still;
    if (faults)
        pv->faults = *faults;
    pv->dir = mem_strdup(NULL, dir);
    pv->description = mem_alloc(NULL, description_len);
    if (!pv->dir || !pv->description) {
        rc = DN_FAIL_NOMEM(err);
    } else {
        (void)snprintf(pv->description, description_len, "posix:%s", dir);
        rc = pvol_open_files(pv, options->create && !options->read_only, err);
    }
    if (rc == 0)
        rc = pvol_open_services(pv, options->threads_max, err);
    if (rc < 0) {
        volume_posix_close(&pv->base);
        return rc;
    }
    *ret_volume = &pv->base;
    return 0;
}

int volume_posix_open(const char *dir,
                      const struct volume_posix_options *options,
                      struct volume **ret_volume,
                      struct dn_err *err)
{
    return volume_posix_open_faulty(dir, options, NULL, ret_volume, err);
}

/* Half-built is fine. */
void volume_posix_close(struct volume *v)
{
    struct posix_volume *pv = volume_posix_of(v);

    volume_posix_let_go(v);
    volume_posix_logs_done(pv);
    volume_local_done(&pv->local);
    sched_mutex_free(pv->doc_lock);
    sched_mutex_free(pv->log_lock);
    sched_free(pv->base.sched);
    volume_posix_reserve_close(pv);
    volume_posix_close_fd(&pv->scratch_fd);
    volume_posix_close_fd(&pv->doc_fd);
    volume_posix_close_fd(&pv->log_fd);
    volume_posix_close_fd(&pv->object_fd);
    volume_posix_close_fd(&pv->lock_fd); /* lets the lock go */
    volume_posix_close_fd(&pv->dir_fd);
    mem_free(pv->description);
    mem_free(pv->dir);
    mem_free(pv);
}
