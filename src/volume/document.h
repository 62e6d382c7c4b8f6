/* SPDX-License-Identifier: Apache-2.0
 *
 * document.h: the one way to save a document. What is to be saved is first loaded by the code that
 * will read it. If that fails, a defect of the program has made it: the statement fails with
 * DN_E_INTERNAL and the old document stays, so the database goes on and opens again.
 *
 * Any thread. */
#pragma once

#include "volume/volume.h"

/* The reader's own code on the bytes; what it makes of them is dropped again. */
typedef int (*volume_doc_load_fn)(void *arg, const void *p, size_t n, struct dn_err *err);

struct volume_doc {
    const char *name;        /* borrowed */
    struct buf *bytes;       /* borrowed */
    volume_doc_load_fn load; /* never NULL */
    void *arg;               /* of load */
};

/* DN_E_INTERNAL if the bytes do not load, or DN_E_NOMEM. */
int volume_doc_check(struct volume *v,
                     const struct volume_doc *d,
                     struct dn_err *err) DN_MUST_CHECK;
/* volume_doc_replace behind that check. */
int volume_doc_save(struct volume *v,
                    const struct volume_doc *d,
                    uint64_t generation,
                    uint64_t *ret_generation,
                    struct dn_err *err) DN_MUST_CHECK;

/* For tests: changes what is to be saved, as a defect would. Set v->spoiler; borrowed. */
struct volume_spoiler {
    void (*fn)(void *arg, const char *name, struct buf *bytes);
    void *arg;
};
