/* SPDX-License-Identifier: Apache-2.0
 *
 * table_spec.h: what the parser saw of a table, before it is a definition. Everything is borrowed
 * from the statement. One thread at a time. */
#pragma once

#include "base/err.h"
#include "vec/vec.h"

struct spec_name {
    const char *s; /* NUL-terminated, borrowed */
    uint32_t pos;  /* 1-based character position in the statement, 0 = unknown */
};

struct column_spec {
    struct spec_name name;
    enum type_id type;
    struct type_mods mods;
    bool not_null;
    bool null_given;  /* an explicit NULL constraint */
    bool primary_key; /* inline PRIMARY KEY */
    bool has_default;
    struct datum def;    /* already of the column's type and modifiers */
    const char *def_sql; /* as in struct column; NULL = none */
    uint32_t pk_pos;     /* position of an inline PRIMARY KEY */
};

struct key_elem_spec {
    struct spec_name name; /* column */
    bool is_quantum;
    bool desc;
    bool order_given; /* ASC or DESC was written */
    uint32_t order_pos;
    int64_t count;    /* quantum: as written */
    const char *unit; /* quantum: as written, without quotes */
    uint32_t pos;     /* of the element (the word QUANTUM for a quantum) */
    uint32_t count_pos;
    uint32_t unit_pos;
};

struct option_spec {
    struct spec_name name;
    const char *value; /* text without quotes */
    bool quoted;
    uint32_t value_pos;
};

/* How long a table lives, and its rows. */
enum table_temp {
    TABLE_PERMANENT,
    TABLE_TEMP,        /* as long as the session that made it */
    TABLE_TEMP_DELETE, /* … its rows as long as a transaction */
    TABLE_TEMP_DROP,   /* as long as the transaction that made it */
    TABLE_TEMP_MAX
};

/* A constraint beside the key. */
enum table_constraint_kind {
    TABLE_CHECK,  /* enforced */
    TABLE_UNIQUE, /* the rest is information */
    TABLE_FOREIGN,
    TABLE_INDEX, /* CREATE INDEX: in the list, and no constraint; text: ROW of what it is of */
    TABLE_UNIQUE_INDEX,
    TABLE_CONSTRAINT_MAX
};

struct constraint_spec {
    enum table_constraint_kind kind;
    struct spec_name name; /* s NULL: PostgreSQL's name is given to it */
    bool of_column;        /* stood behind a column: only that makes a CHECK's name */
    const uint16_t *cols;  /* columns it names, by their place in the table */
    uint16_t cols_count;
    const char *text; /* as in struct table_constraint */
    bool not_valid;
    uint32_t pos; /* of the constraint */
};

struct table_spec {
    struct spec_name schema; /* resolved, never NULL when building */
    struct spec_name name;
    const struct column_spec *columns;
    size_t columns_count;
    bool has_key;        /* a PRIMARY KEY clause (not inline) */
    uint32_t keys_count; /* PRIMARY KEY clauses seen, inline ones not counted */
    uint32_t key_pos;    /* of the word PRIMARY (of the second one if there are two) */
    bool has_inner;      /* inner parentheses */
    const struct key_elem_spec *partition; /* inside the inner parentheses */
    size_t partition_count;
    const struct key_elem_spec *local; /* what follows; without inner parentheses: everything */
    size_t local_count;
    const struct spec_name *partition_key; /* EventQL's PARTITION KEY (a), NULL = none */
    size_t partition_key_count;
    uint32_t partition_key_pos;
    const struct key_elem_spec *clustering; /* WITH CLUSTERING ORDER BY (…) */
    size_t clustering_count;
    uint32_t clustering_pos;
    const struct option_spec *options;
    size_t options_count;
    const struct constraint_spec *constraints; /* beside the key */
    size_t constraints_count;
    enum table_temp temp;
};
