/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents of the posix volume. A document is one file: an envelope, then its bytes;
 * little-endian.
 *
 *      0  8  "dendrodc"
 *      8  4  version, 1
 *     12  4  zero
 *     16  8  generation, 1 for the first
 *     24  8  length of the document
 *     32  8  XXH3 of the 32 bytes before and, seeded with that, of the document
 *     40     the document
 *
 * A replace writes a new file and renames it over the old one. When the sync of the directory after
 * the rename fails, the new document is there but may be the old one again after a power loss;
 * until a sync succeeds, reads refuse, so that what a reader sees is what it will see after a
 * crash. */
#define _GNU_SOURCE
#include "base/hash.h"
#include "volume/posix_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define POSIX_DOC_MAGIC   "dendrodc"
#define POSIX_DOC_VERSION 1u
#define POSIX_DOC_HEAD    40u

struct pdoc {
    uint8_t *data;       /* owned: the whole file */
    size_t len;          /* bytes of it */
    uint64_t generation; /* from the envelope; 0 = there is no document */
};

static uint64_t pdoc_checksum(const uint8_t head[POSIX_DOC_HEAD], const void *p, size_t n)
{
    return dn_hash64(p, n, dn_checksum64(head, 32));
}

static void
pdoc_encode_head(uint8_t head[POSIX_DOC_HEAD], uint64_t generation, const void *p, size_t n)
{
    memcpy(head, POSIX_DOC_MAGIC, 8);
    le_put32(head + 8, POSIX_DOC_VERSION);
    le_put32(head + 12, 0);
    le_put64(head + 16, generation);
    le_put64(head + 24, n);
    le_put64(head + 32, pdoc_checksum(head, p, n));
}

static int pdoc_check(struct pdoc *doc, const char *name, struct dn_err *err)
{
    const uint8_t *head = doc->data;

    DN_CHECK_DISK(doc->len >= POSIX_DOC_HEAD,
                  err,
                  "document '%s': its file of %zu bytes ends inside the envelope",
                  name,
                  doc->len);
    DN_CHECK_DISK(memcmp(head, POSIX_DOC_MAGIC, 8) == 0,
                  err,
                  "document '%s': the envelope at offset 0 is damaged",
                  name);
    if (le_get32(head + 8) > POSIX_DOC_VERSION)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       "document '%s' has format %" PRIu32 ", this release reads up to %u",
                       name,
                       le_get32(head + 8),
                       POSIX_DOC_VERSION);
    DN_CHECK_DISK(le_get64(head + 24) == doc->len - POSIX_DOC_HEAD,
                  err,
                  "document '%s': %zu bytes, the envelope says %" PRIu64,
                  name,
                  doc->len - POSIX_DOC_HEAD,
                  le_get64(head + 24));
    DN_CHECK_DISK(pdoc_checksum(head, head + POSIX_DOC_HEAD, doc->len - POSIX_DOC_HEAD) ==
                      le_get64(head + 32),
                  err,
                  "document '%s': the checksum at offset 32 does not fit",
                  name);
    doc->generation = le_get64(head + 16);
    DN_CHECK_DISK(doc->generation > 0 && doc->generation < UINT64_MAX,
                  err,
                  "document '%s': generation %" PRIu64,
                  name,
                  doc->generation);
    return 0;
}

static int pdoc_load_fd(
    struct posix_volume *pv, int fd, const char *name, struct pdoc *doc, struct dn_err *err)
{
    struct stat st;
    size_t n = 0;
    int number;

    if (fstat(fd, &st) != 0)
        return VOLUME_POSIX_FAIL(err, errno, "document '%s': cannot read its size", name);
    DN_CHECK_DISK(st.st_size <= (off_t)(VOLUME_OBJECT_MAX + POSIX_DOC_HEAD),
                  err,
                  "document '%s': its file of %" PRIu64 " bytes is too long",
                  name,
                  (uint64_t)st.st_size);
    doc->len = (size_t)st.st_size;
    doc->data = mem_alloc(NULL, doc->len);
    if (!doc->data)
        return DN_FAIL_NOMEM(err);
    number = volume_posix_read_at(pv, fd, doc->data, doc->len, 0, &n);
    if (number)
        return VOLUME_POSIX_FAIL(err, number, "document '%s': cannot read", name);
    doc->len = n;
    return pdoc_check(doc, name, err);
}

/* Reads and checks a whole document; without one, 0 and generation 0. Free doc->data in any case.
 */
static int
pdoc_load(struct posix_volume *pv, const char *name, struct pdoc *doc, struct dn_err *err)
{
    char file[VOLUME_NAME_MAX + 1];
    int fd = -1;
    int number = 0;
    int rc;

    memset(doc, 0, sizeof *doc);
    if (pv->docs_unsettled) {
        number = volume_posix_sync_dir(pv, pv->doc_fd);
        if (number)
            return VOLUME_POSIX_FAIL(
                err, number, "document '%s': cannot sync an earlier change", name);
        pv->docs_unsettled = false;
    }
    volume_posix_file_name(name, file);
    number = volume_posix_openat(pv, pv->doc_fd, file, O_RDONLY | O_NOFOLLOW, &fd);
    if (number == ENOENT)
        return 0;
    if (number)
        return VOLUME_POSIX_FAIL(err, number, "document '%s': cannot open", name);
    rc = pdoc_load_fd(pv, fd, name, doc, err);
    volume_posix_close_fd(&fd);
    return rc;
}

/* Under the lock, so that no read comes between a replace's rename and its note that the rename is
 * not durable. */
int volume_posix_doc_read(struct volume *v,
                          const char *name,
                          struct buf *ret,
                          uint64_t *ret_generation,
                          struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct pdoc doc;
    int rc;

    sched_lock(pv->doc_lock);
    rc = pdoc_load(pv, name, &doc, err);
    sched_unlock(pv->doc_lock);
    if (rc == 0 && doc.generation == 0)
        rc = DN_NOT_FOUND;
    if (rc == 0) {
        if (!buf_reserve(ret, doc.len - POSIX_DOC_HEAD)) {
            rc = DN_FAIL_NOMEM(err);
        } else {
            buf_append(ret, doc.data + POSIX_DOC_HEAD, doc.len - POSIX_DOC_HEAD);
            *ret_generation = doc.generation;
        }
    }
    mem_free(doc.data);
    return rc;
}

static int pdoc_replace(struct posix_volume *pv,
                        const char *name,
                        const struct posix_bytes *bytes,
                        uint64_t generation,
                        struct dn_err *err)
{
    struct posix_file file = {.dir_fd = pv->doc_fd, .kind = "document", .name = name};
    uint8_t head[POSIX_DOC_HEAD];
    struct posix_bytes parts[2] = {{head, sizeof head}, *bytes};
    struct pdoc old;
    bool unsettled;
    int rc = pdoc_load(pv, name, &old, err);

    mem_free(old.data);
    if (rc < 0)
        return rc;
    if (old.generation != generation)
        return VOLUME_FAIL_CONFLICT(err, name, generation, old.generation);
    pdoc_encode_head(head, generation + 1, bytes->p, bytes->n);
    rc = volume_posix_publish(pv, &file, parts, true, &unsettled, err);
    if (rc == DN_E_NOSPC && !unsettled && volume_posix_reserve_give(pv))
        rc = volume_posix_publish(pv, &file, parts, true, &unsettled, err);
    if (unsettled)
        pv->docs_unsettled = true;
    volume_posix_reserve_fill(pv);
    return rc;
}

int volume_posix_doc_replace(struct volume *v,
                             const char *name,
                             const void *p,
                             size_t n,
                             uint64_t generation,
                             uint64_t *ret_generation,
                             struct dn_err *err)
{
    struct posix_volume *pv = volume_posix_of(v);
    struct posix_bytes bytes = {p, n};
    int rc = volume_posix_writable(pv, err);

    if (rc < 0)
        return rc;
    sched_lock(pv->doc_lock);
    rc = pdoc_replace(pv, name, &bytes, generation, err);
    sched_unlock(pv->doc_lock);
    if (rc == 0)
        *ret_generation = generation + 1;
    return rc;
}
