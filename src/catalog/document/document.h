/* SPDX-License-Identifier: Apache-2.0
 *
 * document.h: inside src/catalog only. The descriptions (fields.h) of the objects of the catalog
 * document; docs/format/catalog.md describes the same members for readers of the format. Any
 * thread. */
#pragma once

#include "catalog/catalog.h"
#include "catalog/document/fields.h"

/* catalog_parse() without indulgence, for what this release is about to save. */
int catalog_parse_strict(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
    DN_MUST_CHECK;

extern const struct doc_object catalog_doc_table;     /* of struct table */
extern const struct doc_object catalog_doc_timepart;  /* of struct timepart */
extern const struct doc_object catalog_doc_view;      /* of struct view */
extern const struct doc_object catalog_doc_sequence;  /* of struct sequence */
extern const struct doc_object catalog_doc_user_type; /* of struct user_type */
extern const struct doc_object catalog_doc_access;    /* of struct access */

/* ---- types.c ---- */
/* The type by its name in the document; TYPE_NONE: there is no such type. */
enum type_id catalog_doc_type(const char *name);
void catalog_doc_put_type(struct dn_json_writer *w, const char *member, enum type_id type);
/* Does the catalog have the user types that its columns and defaults use? */
void catalog_doc_check_types(struct doc_reader *r, const struct catalog *c);

/* ---- timepart.c ---- */
/* Do time partitions and their shards name each other, and have the same definition? */
void catalog_doc_check_timeparts(struct doc_reader *r, const struct catalog *c);
