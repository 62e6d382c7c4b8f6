/* SPDX-License-Identifier: Apache-2.0
 *
 * hostfile.h: files of the machine that do not belong to the database: what COPY reads and writes.
 * Nothing here is durable in the sense of volume.h. One thread at a time. */
#pragma once

#include "base/err.h"

#include <stdatomic.h>
#include <stdint.h>

struct hostfile;

/* DN_E_NO_OBJECT: there is no such file. Directories are refused. What is no plain file (a pipe)
 * may keep its reader or writer waiting for the other side: while it does, hostfile_read,
 * hostfile_create and hostfile_write look at `cancel` (base/cancel.h; NULL = never). */
int hostfile_open(const char *path,
                  const atomic_bool *cancel,
                  struct hostfile **ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* A new file, or an old one emptied. */
int hostfile_create(const char *path,
                    const atomic_bool *cancel,
                    struct hostfile **ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* Bytes of a plain file that was opened for reading; 0: it is something else, nobody knows. */
uint64_t hostfile_size(const struct hostfile *f);
/* Up to len bytes; 0 bytes: the end. */
int hostfile_read(struct hostfile *f, void *to, size_t len, size_t *ret_len, struct dn_err *err)
    DN_MUST_CHECK;
/* Exactly so many bytes of a plain file, from there on. */
int hostfile_read_at(struct hostfile *f, uint64_t at, void *to, size_t len, struct dn_err *err)
    DN_MUST_CHECK;
/* All of them. */
int hostfile_write(struct hostfile *f, const void *from, size_t len, struct dn_err *err)
    DN_MUST_CHECK;
/* Closes; errors of a file that was written show here at the latest. NULL is fine. */
int hostfile_close(struct hostfile *f, struct dn_err *err) DN_MUST_CHECK;
