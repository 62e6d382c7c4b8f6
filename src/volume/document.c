/* SPDX-License-Identifier: Apache-2.0 */
#include "volume/document.h"

int volume_doc_check(struct volume *v, const struct volume_doc *d, struct dn_err *err)
{
    struct dn_err why;
    int rc;

    dn_err_clear(&why);
    if (d->bytes->failed)
        return DN_FAIL_NOMEM(err);
    if (v->spoiler)
        v->spoiler->fn(v->spoiler->arg, d->name, d->bytes);
    rc = d->load(d->arg, d->bytes->data, d->bytes->len, &why);
    if (rc >= 0)
        return 0;
    if (rc == DN_E_NOMEM) {
        if (err)
            *err = why;
        return rc;
    }
    rc = DN_FAIL(err,
                 DN_E_INTERNAL,
                 "document '%s' would not load again and was not saved: %s",
                 d->name,
                 why.text);
    dn_err_hint(err,
                "This is a defect of Dendro. Nothing was changed; please report the statement.");
    return rc;
}

int volume_doc_save(struct volume *v,
                    const struct volume_doc *d,
                    uint64_t generation,
                    uint64_t *ret_generation,
                    struct dn_err *err)
{
    int rc = volume_doc_check(v, d, err);

    if (rc < 0)
        return rc;
    return volume_doc_replace(
        v, d->name, d->bytes->data, d->bytes->len, generation, ret_generation, err);
}
