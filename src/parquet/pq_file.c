/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_file.c: a file of the machine as the reader's input. */
#include "parquet/pq_int.h"

#include "volume/hostfile.h"

static int file_read(void *arg, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    return hostfile_read_at(arg, at, to, len, err);
}

static void file_close(void *arg)
{
    DN_IGNORE(hostfile_close(arg, NULL)); /* it was only read */
}

int pq_open_path(const char *path,
                 struct mem_owner *owner,
                 struct pq_reader **ret,
                 struct dn_err *err)
{
    struct pq_input in = {.read = file_read, .close = file_close};
    struct hostfile *f;
    int rc = hostfile_open(path, NULL, &f, err);

    *ret = NULL;
    if (rc < 0)
        return rc;
    in.arg = f;
    in.size = hostfile_size(f);
    rc = pq_open(&in, owner, ret, err);
    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err, "%s", path);
    return rc;
}
