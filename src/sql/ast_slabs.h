/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_slabs.h: what statements say of a table's slabs, which SQL calls its partitions. ast.h says
 * what holds for all of the tree. One thread at a time. */
#pragma once

#include "catalog/table_spec.h"
#include "sql/ast_from.h"

enum slabs_what { SLABS_DROP, SLABS_DETACH, SLABS_ATTACH, SLABS_SHOW };

/* ALTER TABLE … DROP, DETACH, ATTACH PARTITION; SHOW PARTITIONS FROM: of the table stmt.name. */
struct slabs_stmt {
    enum slabs_what what;
    struct expr *where;     /* DROP, DETACH; NULL: they are listed */
    struct spec_name *list; /* by their starts */
    uint32_t list_count;
    struct spec_name path; /* DETACH … TO, ATTACH … FROM */
};
