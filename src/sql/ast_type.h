/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_type.h: CREATE TYPE … AS ENUM, ALTER TYPE, DROP TYPE. The type is the statement's name (DROP:
 * its names); ast.h says what holds for all of the tree. One thread at a time. */
#pragma once

#include "catalog/table_spec.h"

enum type_what {
    TYPE_STMT_CREATE,       /* labels */
    TYPE_STMT_ADD_VALUE,    /* labels[0], neighbor; IF NOT EXISTS is the statement's */
    TYPE_STMT_RENAME_VALUE, /* labels[0] TO to */
    TYPE_STMT_RENAME,       /* TO to */
    TYPE_STMT_SET_SCHEMA,   /* to */
    TYPE_STMT_OWNER,        /* to */
    TYPE_STMT_DROP,
    TYPE_STMT_MAX
};

struct type_stmt {
    enum type_what what;
    struct spec_name *labels; /* NULL = none */
    uint32_t labels_count;
    struct spec_name neighbor; /* ADD VALUE: s NULL = at the end */
    bool after;                /* AFTER the neighbor, not BEFORE it */
    struct spec_name to;
};
