/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.c: a sequence in the document. */
#include "catalog/document/document.h"

#include "catalog/sequence.h"

static const struct doc_field sequence_rows[] = {
    {"id", DOC_INT_AT(sequence, id, 1, INT64_MAX)},
    {"schema", DOC_TEXT_AT(sequence, schema, TABLE_NAME_MAX)},
    {"name", DOC_TEXT_AT(sequence, name, TABLE_NAME_MAX)},
    {"type", DOC_TYPE_AT(sequence, type)},
    {"start", DOC_INT_AT(sequence, start, INT64_MIN, INT64_MAX)},
    {"increment", DOC_INT_AT(sequence, increment, INT64_MIN, INT64_MAX)},
    {"min", DOC_INT_AT(sequence, min, INT64_MIN, INT64_MAX)},
    {"max", DOC_INT_AT(sequence, max, INT64_MIN, INT64_MAX)},
    {"cache", DOC_INT_AT(sequence, cache, 1, INT64_MAX)},
    {"cycle", DOC_BOOL_AT(sequence, cycle)},
    {"counter", DOC_INT_AT(sequence, counter, 1, INT64_MAX)},
    {"first", DOC_INT_AT(sequence, first, INT64_MIN, INT64_MAX)},
    {"table", DOC_INT_AT(sequence, owner_table, 1, INT64_MAX), .optional = true},
    {"column", DOC_INT_AT(sequence, owner_column, 1, TABLE_COLUMN_ID_MAX), .with_last = true},
    {"identity", DOC_BOOL_AT(sequence, identity), .optional = true},
    {"temp", DOC_BOOL_AT(sequence, temp), .optional = true},
    {"comment", DOC_TEXT_AT(sequence, comment, TABLE_COMMENT_MAX), .optional = true},
};

static void check_sequence(struct doc_reader *r, void *base)
{
    struct dn_err why = {0};
    int rc = catalog_sequence_check(base, &why);

    if (rc < 0)
        catalog_doc_fail_check(r, rc, &why);
}

const struct doc_object catalog_doc_sequence = {DOC_ROWS(sequence_rows), .check = check_sequence};
