/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls to the OS for files and directories: each restarts after a signal, carries on after a short
 * read or write, and lets the tests fail it first. On top of them the two moves all files make:
 * publish (temporary file, write, fsync, rename, fsync of the directory) and remove. */
#define _GNU_SOURCE
#include "volume/posix_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POSIX_TEMP_MAX 40

int volume_posix_code(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
        return DN_E_NOSPC;
    case ENOMEM:
        return DN_E_NOMEM;
    case EROFS:
        return DN_E_READ_ONLY;
    default:
        return DN_E_IO;
    }
}

const char *volume_posix_error_text(int number)
{
    const char *text = strerrordesc_np(number);

    return text ? text : "unknown error";
}

int volume_posix_writable(struct posix_volume *pv, struct dn_err *err)
{
    if (pv->read_only)
        return DN_FAIL(err, DN_E_READ_ONLY, "volume '%s' is open read-only", pv->dir);
    return volume_posix_lock_check(pv, err);
}

void volume_posix_file_name(const char *name, char ret_file[VOLUME_NAME_MAX + 1])
{
    size_t n = strnlen(name, VOLUME_NAME_MAX);

    for (size_t i = 0; i < n; i++)
        ret_file[i] = name[i] == '/' ? '~' : name[i];
    ret_file[n] = '\0';
}

/* What the tests want of this call: 0 or an errno. */
static int pvol_fault(struct posix_volume *pv, enum volume_posix_call call, size_t *len)
{
    size_t whole = 0;

    if (!pv->faults.fn)
        return 0;
    return pv->faults.fn(pv->faults.arg, call, len ? len : &whole);
}

int volume_posix_openat(
    struct posix_volume *pv, int dir_fd, const char *file, int flags, int *ret_fd)
{
    int number = pvol_fault(pv, VOLUME_POSIX_OPEN, NULL);
    int fd;

    if (number)
        return number;
    do {
        fd = openat(dir_fd, file, flags | O_CLOEXEC, (mode_t)0600);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    *ret_fd = fd;
    return 0;
}

int volume_posix_mkdirat(struct posix_volume *pv, int dir_fd, const char *file)
{
    int number = pvol_fault(pv, VOLUME_POSIX_MKDIR, NULL);

    if (number)
        return number;
    return mkdirat(dir_fd, file, (mode_t)0700) == 0 ? 0 : errno;
}

int volume_posix_statat(struct posix_volume *pv, int dir_fd, const char *file, struct stat *ret)
{
    int number = pvol_fault(pv, VOLUME_POSIX_STAT, NULL);

    if (number)
        return number;
    return fstatat(dir_fd, file, ret, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

int volume_posix_unlinkat(struct posix_volume *pv, int dir_fd, const char *file)
{
    int number = pvol_fault(pv, VOLUME_POSIX_UNLINK, NULL);

    if (number)
        return number;
    return unlinkat(dir_fd, file, 0) == 0 ? 0 : errno;
}

int volume_posix_write_at(struct posix_volume *pv, int fd, const void *p, size_t n, uint64_t offset)
{
    const uint8_t *from = p;

    while (n > 0) {
        size_t len = n;
        int number = pvol_fault(pv, VOLUME_POSIX_WRITE, &len);
        ssize_t done;

        if (number)
            return number;
        done = pwrite(fd, from, len, (off_t)offset);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done == 0)
            return EIO;
        if (done > 0) {
            from += done;
            n -= (size_t)done;
            offset += (uint64_t)done;
        }
    }
    return 0;
}

int volume_posix_sync(struct posix_volume *pv, int fd)
{
    int number = pvol_fault(pv, VOLUME_POSIX_SYNC, NULL);

    if (number)
        return number;
    return fsync(fd) == 0 ? 0 : errno; /* never again after an error: the pages may be gone */
}

int volume_posix_sync_data(struct posix_volume *pv, int fd)
{
    int number = pvol_fault(pv, VOLUME_POSIX_SYNC, NULL);

    if (number)
        return number;
    return fdatasync(fd) == 0 ? 0 : errno;
}

int volume_posix_sync_dir(struct posix_volume *pv, int fd)
{
    int number = pvol_fault(pv, VOLUME_POSIX_SYNC_DIR, NULL);

    if (number)
        return number;
    return fsync(fd) == 0 ? 0 : errno;
}

int volume_posix_truncate(struct posix_volume *pv, int fd, uint64_t len)
{
    int number = pvol_fault(pv, VOLUME_POSIX_TRUNCATE, NULL);

    if (number)
        return number;
    return ftruncate(fd, (off_t)len) == 0 ? 0 : errno;
}

int volume_posix_read_at(
    struct posix_volume *pv, int fd, void *p, size_t n, uint64_t offset, size_t *ret_n)
{
    uint8_t *to = p;
    size_t have = 0;

    while (have < n) {
        size_t len = n - have;
        int number = pvol_fault(pv, VOLUME_POSIX_READ, &len);
        ssize_t done;

        if (number)
            return number;
        done = pread(fd, to + have, len, (off_t)(offset + have));
        if (done < 0 && errno != EINTR)
            return errno;
        if (done == 0)
            break;
        if (done > 0)
            have += (size_t)done;
    }
    *ret_n = have;
    return 0;
}

void volume_posix_close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd); /* what matters was synced before */
    *fd = -1;
}

/* Renames without overwriting; file systems without RENAME_NOREPLACE get a link and an unlink. */
static int pvol_rename_new(int dir_fd, const char *from, const char *to)
{
    if (renameat2(dir_fd, from, dir_fd, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (linkat(dir_fd, from, dir_fd, to, 0) != 0)
        return errno;
    (void)unlinkat(dir_fd, from, 0); /* else the next open removes it */
    return 0;
}

static int
pvol_rename(struct posix_volume *pv, int dir_fd, const char *from, const char *to, bool replace)
{
    int number = pvol_fault(pv, VOLUME_POSIX_RENAME, NULL);

    if (number)
        return number;
    if (!replace)
        return pvol_rename_new(dir_fd, from, to);
    return renameat(dir_fd, from, dir_fd, to) == 0 ? 0 : errno;
}

/* Makes the temporary file with the parts in it, synced. Removes it again after an error. */
static int pvol_write_temp(struct posix_volume *pv,
                           const struct posix_file *file,
                           const struct posix_bytes parts[2],
                           char ret_temp[POSIX_TEMP_MAX],
                           struct dn_err *err)
{
    uint64_t offset = 0;
    int number;
    int rc = 0;
    int fd = -1;

    (void)snprintf(ret_temp,
                   POSIX_TEMP_MAX,
                   VOLUME_POSIX_TEMP_PREFIX "%" PRIu64,
                   atomic_fetch_add(&pv->temp_next, 1));
    number = volume_posix_openat(pv, file->dir_fd, ret_temp, O_CREAT | O_EXCL | O_WRONLY, &fd);
    if (number)
        return VOLUME_POSIX_FAIL(
            err, number, "%s '%s': cannot make its file", file->kind, file->name);
    for (int i = 0; i < 2 && rc == 0; i++) {
        number = volume_posix_write_at(pv, fd, parts[i].p, parts[i].n, offset);
        if (number)
            rc = VOLUME_POSIX_FAIL(err,
                                   number,
                                   "%s '%s': cannot write %zu bytes at offset %" PRIu64,
                                   file->kind,
                                   file->name,
                                   parts[i].n,
                                   offset);
        offset += parts[i].n;
    }
    if (rc == 0) {
        number = volume_posix_sync(pv, fd);
        if (number)
            rc = VOLUME_POSIX_FAIL(err, number, "%s '%s': cannot sync", file->kind, file->name);
    }
    volume_posix_close_fd(&fd);
    if (rc < 0)
        (void)unlinkat(file->dir_fd, ret_temp, 0); /* else the next open removes it */
    return rc;
}

int volume_posix_publish(struct posix_volume *pv,
                         const struct posix_file *file,
                         const struct posix_bytes parts[2],
                         bool replace,
                         bool *ret_unsettled,
                         struct dn_err *err)
{
    char temp[POSIX_TEMP_MAX];
    char target[VOLUME_NAME_MAX + 1];
    int number;
    int rc;

    if (ret_unsettled)
        *ret_unsettled = false;
    volume_posix_file_name(file->name, target);
    if (!replace && faccessat(file->dir_fd, target, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return VOLUME_FAIL_EXISTS(err, file->kind, file->name);
    rc = pvol_write_temp(pv, file, parts, temp, err);
    if (rc < 0)
        return rc;
    number = pvol_rename(pv, file->dir_fd, temp, target, replace);
    if (number) {
        (void)unlinkat(file->dir_fd, temp, 0); /* else the next open removes it */
        if (number == EEXIST && !replace)
            return VOLUME_FAIL_EXISTS(err, file->kind, file->name);
        return VOLUME_POSIX_FAIL(err, number, "%s '%s': cannot rename", file->kind, file->name);
    }
    number = volume_posix_sync_dir(pv, file->dir_fd);
    if (number == 0)
        return 0;
    if (!replace)
        (void)unlinkat(file->dir_fd, target, 0); /* a failed put leaves nothing visible */
    else if (ret_unsettled)
        *ret_unsettled = true;
    return VOLUME_POSIX_FAIL(
        err, number, "%s '%s': cannot sync its directory", file->kind, file->name);
}

int volume_posix_remove(struct posix_volume *pv, const struct posix_file *file, struct dn_err *err)
{
    char target[VOLUME_NAME_MAX + 1];
    int number;

    volume_posix_file_name(file->name, target);
    number = volume_posix_unlinkat(pv, file->dir_fd, target);
    if (number == ENOENT)
        return DN_NOT_FOUND;
    if (number)
        return VOLUME_POSIX_FAIL(err, number, "%s '%s': cannot delete", file->kind, file->name);
    number = volume_posix_sync_dir(pv, file->dir_fd);
    if (number)
        return VOLUME_POSIX_FAIL(
            err, number, "%s '%s': cannot sync its directory", file->kind, file->name);
    return 0;
}

/* A stream over the directory with a position of its own. */
static int pvol_open_stream(struct posix_volume *pv, int dir_fd, DIR **ret_stream)
{
    int fd = -1;
    int number = volume_posix_openat(pv, dir_fd, ".", O_RDONLY | O_DIRECTORY, &fd);

    if (number)
        return number;
    *ret_stream = fdopendir(fd);
    if (!*ret_stream) {
        number = errno;
        volume_posix_close_fd(&fd);
    }
    return number;
}

static bool pvol_is_temp(const char *file)
{
    return strncmp(file, VOLUME_POSIX_TEMP_PREFIX, strlen(VOLUME_POSIX_TEMP_PREFIX)) == 0;
}

/* The name of a file; false for files that are none of ours. */
static bool pvol_name_of(const char *file, char ret_name[VOLUME_NAME_MAX + 1])
{
    size_t n = strlen(file);

    if (n > VOLUME_NAME_MAX || strchr(file, '/'))
        return false;
    for (size_t i = 0; i <= n; i++)
        ret_name[i] = file[i] == '~' ? '/' : file[i];
    return volume_name_check(ret_name, NULL) == 0;
}

int volume_posix_list(struct posix_volume *pv,
                      const struct posix_file *dir,
                      const char *prefix,
                      struct volume_names *names,
                      struct dn_err *err)
{
    char name[VOLUME_NAME_MAX + 1];
    size_t prefix_len = strlen(prefix);
    struct dirent *entry;
    DIR *stream = NULL;
    int rc = 0;
    int number = pvol_open_stream(pv, dir->dir_fd, &stream);

    if (number)
        return VOLUME_POSIX_FAIL(err, number, "cannot list %ss", dir->kind);
    for (;;) {
        errno = 0;
        entry = readdir(stream);
        if (!entry)
            break;
        if (!pvol_name_of(entry->d_name, name) || strncmp(name, prefix, prefix_len) != 0)
            continue;
        if (!volume_names_add(names, name)) {
            rc = DN_FAIL_NOMEM(err);
            break;
        }
    }
    if (rc == 0 && errno != 0)
        rc = VOLUME_POSIX_FAIL(err, errno, "cannot list %ss", dir->kind);
    (void)closedir(stream);
    return rc;
}

int volume_posix_clean(struct posix_volume *pv, int dir_fd, bool all, struct dn_err *err)
{
    struct dirent *entry;
    DIR *stream = NULL;
    int number = pvol_open_stream(pv, dir_fd, &stream);

    for (errno = 0; number == 0; errno = 0) {
        entry = readdir(stream);
        if (!entry) {
            number = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (all || pvol_is_temp(entry->d_name)) {
            number = volume_posix_unlinkat(pv, dir_fd, entry->d_name);
            if (number == ENOENT || number == EISDIR)
                number = 0; /* gone already, or none of ours */
        }
    }
    if (stream)
        (void)closedir(stream);
    if (number)
        return VOLUME_POSIX_FAIL(
            err, number, "volume '%s': cannot remove old temporary files", pv->dir);
    return 0;
}
