/* SPDX-License-Identifier: Apache-2.0
 *
 * table_key_int.h: between table_key.c and table_key_clauses.c only: a key as it was read, before
 * it is a definition. One thread at a time. */
#pragma once

#include "catalog/table_int.h"

struct key {
    struct table_builder *b;
    uint16_t part[TABLE_COLUMNS_MAX]; /* columns of the partition list, the quantum's too */
    size_t part_count;
    const struct key_elem_spec *quantum; /* NULL = none; always the last of part */
    uint16_t local[TABLE_COLUMNS_MAX];   /* columns of the list after it */
    size_t local_count;
    const struct key_elem_spec *elems; /* what local was read from; NULL for an inline key */
};

static inline const char *key_name(const struct key *k, uint16_t col)
{
    return k->b->t->columns[col].name;
}

static inline enum type_id key_type(const struct key *k, uint16_t col)
{
    return k->b->t->columns[col].type;
}

static inline uint16_t key_quantum_col(const struct key *k)
{
    return k->part[k->part_count - 1];
}

static inline bool key_has(const uint16_t *cols, size_t count, uint16_t col)
{
    for (size_t i = 0; i < count; i++)
        if (cols[i] == col)
            return true;
    return false;
}

/* Rule 6: the column exists; `where` names the clause for the message. */
int table_key_resolve(const struct key *k,
                      const struct spec_name *name,
                      const char *where,
                      uint16_t *ret_col) DN_MUST_CHECK;

/* The clauses beside the PRIMARY KEY (table_key_clauses.c). PARTITION KEY is checked before the
 * form is known, CLUSTERING ORDER BY applied to the filled definition. */
int table_key_check_partition_clause(const struct key *k) DN_MUST_CHECK;
int table_key_apply_clustering(const struct key *k) DN_MUST_CHECK;
/* No key column is of a type that keys cannot have. */
int table_key_check_types(const struct key *k) DN_MUST_CHECK;
