/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_text.h: CREATE TABLE text to a table_spec, for tests of the layer below the parser. It knows
 * just enough SQL for these tests, and no mistakes: text it does not understand ends the test.
 * Positions are 1-based. One thread at a time. */
#pragma once

#include "catalog/catalog.h"

#define SPEC_TEXT_COLUMNS 600
#define SPEC_TEXT_ELEMS   640
#define SPEC_TEXT_BYTES   (64 * 1024)

struct spec_text {
    struct table_spec spec; /* points into the arrays below */
    struct column_spec columns[SPEC_TEXT_COLUMNS];
    struct key_elem_spec partition[SPEC_TEXT_ELEMS];
    struct key_elem_spec local[SPEC_TEXT_ELEMS];
    struct key_elem_spec clustering[SPEC_TEXT_ELEMS];
    struct spec_name partition_key[8];
    struct option_spec options[64];
    char strings[SPEC_TEXT_BYTES]; /* names and literals */
    size_t strings_len;
    const char *text; /* whole statement, borrowed */
    const char *at;   /* next character */
};

void spec_text_parse(struct spec_text *s, const char *sql);
/* Parses and builds; what table_build returns. */
int spec_text_build(const char *sql, struct table **ret, struct dn_err *err);
/* The same as releases before layout by value (format 9 of the catalog) made it. */
int spec_text_build_old(const char *sql, struct table **ret, struct dn_err *err);
void spec_by_token(struct table *t);
/* Equal in everything but id, version and references. */
bool spec_same_table(const struct table *a, const struct table *b);
/* A file of at most a megabyte as text; it ends the test if there is none. The caller frees it. */
char *spec_read_file(const char *dir, const char *name);
/* A catalog with the schema public and nothing in it. */
struct catalog *spec_empty_catalog(void);
/* The document with one text in the place of another is refused as corrupt, and the error says why;
 * else it ends the test. */
void spec_refused(const char *doc, const char *from, const char *to, const char *why);
