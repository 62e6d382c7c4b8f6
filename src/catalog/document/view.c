/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c: a view in the document. */
#include "catalog/document/document.h"

static const struct doc_field column_rows[] = {
    {"name", DOC_TEXT_AT(view_column, name, TABLE_NAME_MAX)},
    {"type", DOC_TYPE_AT(view_column, type)},
};

static const struct doc_object column_object = {DOC_ROWS(column_rows)};

static const struct doc_field used_column = {
    NULL, DOC_INT, .size = sizeof(uint32_t), .min = 1, .max = TABLE_COLUMN_ID_MAX};

static const struct doc_field use_rows[] = {
    {"id", DOC_INT_AT(view_use, id, 1, INT64_MAX)},
    {"columns",
     DOC_LIST_OF(view_use, columns, columns_count, VIEW_COLUMNS_MAX),
     .each = &used_column},
};

static const struct doc_object use_object = {DOC_ROWS(use_rows)};

static const char *const check_names[VIEW_CHECK_MAX] = {
    [VIEW_CHECK_LOCAL] = "local", [VIEW_CHECK_CASCADED] = "cascaded"};

static const struct doc_field view_rows[] = {
    {"id", DOC_INT_AT(view, id, 1, INT64_MAX)},
    {"schema", DOC_TEXT_AT(view, schema, TABLE_NAME_MAX)},
    {"name", DOC_TEXT_AT(view, name, TABLE_NAME_MAX)},
    {"query", DOC_TEXT_AT(view, query, VIEW_QUERY_MAX)},
    {"columns",
     DOC_LIST_OF(view, columns, columns_count, VIEW_COLUMNS_MAX),
     .object = &column_object},
    {"uses", DOC_LIST_OF(view, uses, uses_count, VIEW_USES_MAX), .object = &use_object},
    {"temp", DOC_BOOL_AT(view, temp), .optional = true},
    {"writable", DOC_BOOL_AT(view, writable), .optional = true},
    {"check", DOC_NAME_AT(view, check, check_names), .optional = true},
    {"comment", DOC_TEXT_AT(view, comment, TABLE_COMMENT_MAX), .optional = true},
};

static void check_view(struct doc_reader *r, void *base)
{
    struct dn_err why = {0};
    int rc = view_check(base, &why);

    if (rc < 0)
        catalog_doc_fail_check(r, rc, &why);
}

const struct doc_object catalog_doc_view = {DOC_ROWS(view_rows), .check = check_view};
