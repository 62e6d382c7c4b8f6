/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_other.c: another directory beside the volume's own, and deleting one. */
#define _GNU_SOURCE
#include "volume/posix_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int volume_posix_other(struct volume *v,
                       const char *path,
                       const struct volume_other_options *options,
                       struct volume **ret,
                       struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    const struct volume_posix_options o = {
        .read_only = options->read_only, .still = options->read_only, .create = options->create};

    return volume_posix_open_faulty(path, &o, &pv->faults, ret, err);
}

static int other_fail(struct posix_volume *pv, int number, struct dn_err *err)
{
    return VOLUME_POSIX_FAIL(err, number, "volume '%s': cannot delete it", pv->dir);
}

/* Documents one after the other, so that those with the last names go last. */
static int other_erase_docs(struct posix_volume *pv, struct dn_err *err)
{
    struct posix_file dir = {.dir_fd = pv->doc_fd, .kind = "document", .name = ""};
    struct volume_names names = {0};
    int rc = volume_posix_list(pv, &dir, "", &names, err);

    if (rc == 0)
        volume_names_sort(&names);
    for (size_t i = 0; rc == 0 && i < names.count; i++) {
        struct posix_file file = {.dir_fd = pv->doc_fd, .kind = "document", .name = names.names[i]};
        rc = volume_posix_remove(pv, &file, err);
    }
    volume_names_done(&names);
    return rc;
}

static int other_rmdir(struct posix_volume *pv, int dir_fd, const char *name, struct dn_err *err)
{
    if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return 0;
    return other_fail(pv, errno, err);
}

int volume_posix_erase(struct volume *v, struct dn_err *err)
{
    static const char *const files[] = {
        VOLUME_POSIX_RESERVE_FILE, "FORMAT", VOLUME_POSIX_LOCK_FILE};
    static const char *const dirs[] = {"o", "l", "d", "scratch"};
    struct posix_volume *pv = volume_posix_of(v);
    int rc = volume_posix_writable(pv, err);

    if (rc == 0)
        rc = volume_posix_clean(pv, pv->object_fd, true, err);
    if (rc == 0)
        rc = volume_posix_clean(pv, pv->log_fd, true, err);
    if (rc == 0 && (volume_posix_sync_dir(pv, pv->object_fd) != 0 ||
                    volume_posix_sync_dir(pv, pv->log_fd) != 0))
        rc = other_fail(pv, EIO, err);
    if (rc == 0)
        rc = other_erase_docs(pv, err);
    if (rc == 0)
        rc = volume_posix_clean(pv, pv->scratch_fd, true, err);
    /* From here on it is a directory with a half-made volume, which an open completes. */
    for (size_t i = 0; rc == 0 && i < DN_ARRAY_SIZE(files); i++) {
        int number = volume_posix_unlinkat(pv, pv->dir_fd, files[i]);
        if (number != 0 && number != ENOENT)
            rc = other_fail(pv, number, err);
    }
    for (size_t i = 0; rc == 0 && i < DN_ARRAY_SIZE(dirs); i++)
        rc = other_rmdir(pv, pv->dir_fd, dirs[i], err);
    return rc < 0 ? rc : other_rmdir(pv, AT_FDCWD, pv->dir, err);
}
