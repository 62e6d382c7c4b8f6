/* SPDX-License-Identifier: Apache-2.0
 *
 * documents.h: the documents beside the catalog, as a whole. A catalog that needs one names it
 * (enum catalog_document), after the document was made; from then on it is lost if it is missing,
 * and nothing begins anew in its place. Part of engine_int.h; any thread. */
#pragma once

#include "catalog/catalog.h"

struct dendro_db;

/* Does the catalog name it? */
bool engine_expects(struct dendro_db *db, enum catalog_document flag);
/* The error for one that is missing; what it held, for the hint. */
int engine_document_lost(const char *name, const char *what, struct dn_err *err);
/* Before `next` is saved, not yet published: the documents that it needs are made, and it
 * names them. Holds db->edit. */
int engine_documents_ready(struct dendro_db *db,
                           struct catalog *next,
                           struct dn_err *err) DN_MUST_CHECK;
/* At open: everything that the catalog names is there and can be read. */
int engine_documents_open(struct dendro_db *db, struct dn_err *err) DN_MUST_CHECK;
/* For check: looks at every document but catalog and manifest. cat NULL: it cannot be read. */
typedef void (*engine_documents_fn)(void *arg, bool fault, const char *text);
int engine_documents_verify(struct volume *v,
                            const struct catalog *cat,
                            engine_documents_fn report,
                            void *arg,
                            uint64_t *ret_faults,
                            struct dn_err *err) DN_MUST_CHECK;
