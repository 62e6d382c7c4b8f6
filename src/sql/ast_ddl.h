/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_ddl.h: what CREATE, ALTER and DROP say beyond a table's columns and key, which are struct
 * table_spec (catalog/table.h). ast.h says what holds for all of the tree. One thread at a time. */
#pragma once

#include "catalog/view.h"
#include "sql/ast_query.h"
#include "sql/ast_slabs.h"
#include "sql/ast_timepart.h"
#include "sql/ast_type.h"

/* ---- sequences, also those of identity columns ---- */

enum sequence_given {
    SEQUENCE_AS = 1 << 0,
    SEQUENCE_INCREMENT = 1 << 1,
    SEQUENCE_MIN = 1 << 2,
    SEQUENCE_NO_MIN = 1 << 3,
    SEQUENCE_MAX = 1 << 4,
    SEQUENCE_NO_MAX = 1 << 5,
    SEQUENCE_START = 1 << 6,
    SEQUENCE_CACHE = 1 << 7,
    SEQUENCE_CYCLE = 1 << 8,
    SEQUENCE_NO_CYCLE = 1 << 9,
    SEQUENCE_OWNED = 1 << 10,
    SEQUENCE_RESTART = 1 << 11,      /* ALTER: RESTART */
    SEQUENCE_RESTART_WITH = 1 << 12, /* ALTER: RESTART WITH n; RESTART is set too */
    SEQUENCE_NAME = 1 << 13,         /* of an identity column: SEQUENCE NAME name */
};

struct sequence_def {
    uint32_t given;       /* enum sequence_given; the rest counts where its bit is set */
    struct type_name *as; /* AS */
    int64_t increment;
    int64_t min;
    int64_t max;
    int64_t start;
    int64_t cache;
    int64_t restart;
    struct qual_name owned_table; /* OWNED BY; no name = NONE */
    const char *owned_column;
    struct qual_name name;
    bool temp;    /* CREATE TEMP SEQUENCE */
    uint32_t pos; /* of the first option, 0 = none */
};

/* ---- columns and constraints ---- */

enum identity_kind { IDENTITY_NONE, IDENTITY_ALWAYS, IDENTITY_BY_DEFAULT };

/* Beside struct column_spec, one for each column. */
struct column_def {
    struct expr *def;       /* DEFAULT; NULL = none; evaluated by the engine */
    struct type_name *type; /* of a serial column: that of its values */
    bool serial;            /* SERIAL, BIGSERIAL, SMALLSERIAL */
    const char *collation;  /* COLLATE; NULL = none */
    enum identity_kind identity;
    struct sequence_def *sequence; /* of the identity; NULL = no options */
    struct expr *generated;        /* GENERATED ALWAYS AS (…) STORED; NULL = none */
    uint32_t generated_pos;        /* of GENERATED or the serial type */
};

enum constraint_kind {
    CONSTRAINT_CHECK,
    CONSTRAINT_UNIQUE,
    CONSTRAINT_FOREIGN,
    CONSTRAINT_PRIMARY, /* ALTER TABLE ADD only: a CREATE's is in the table_spec */
    CONSTRAINT_KIND_MAX
};
enum ref_action { REF_NO_ACTION, REF_RESTRICT, REF_CASCADE, REF_SET_NULL, REF_SET_DEFAULT };

/* Those of columns are here too, with that column's name in columns. */
struct constraint_def {
    enum constraint_kind kind;
    struct spec_name name;     /* s NULL = not named */
    uint32_t pos;              /* of CHECK, UNIQUE, … */
    bool of_column;            /* stood behind a column */
    struct spec_name *columns; /* UNIQUE, FOREIGN, PRIMARY; CHECK of a column: that one */
    uint32_t columns_count;
    struct expr *check;
    bool nulls_not_distinct;       /* UNIQUE */
    struct qual_name ref_table;    /* FOREIGN */
    struct spec_name *ref_columns; /* FOREIGN; NULL = that table's key */
    uint32_t ref_columns_count;
    enum ref_action on_delete;
    enum ref_action on_update;
    bool match_full;
    bool deferrable;
    bool initially_deferred;
    bool not_valid; /* ALTER TABLE ADD … NOT VALID */
};

/* CREATE TABLE … (LIKE t INCLUDING ALL) */
struct like_def {
    struct qual_name table;
    uint32_t including;  /* bits of enum like_option */
    uint32_t before_col; /* its columns stand before column number .. of the spec */
};
enum like_option {
    LIKE_DEFAULTS = 1 << 0,
    LIKE_CONSTRAINTS = 1 << 1,
    LIKE_INDEXES = 1 << 2,
    LIKE_IDENTITY = 1 << 3,
    LIKE_GENERATED = 1 << 4,
    LIKE_COMMENTS = 1 << 5,
    LIKE_STORAGE = 1 << 6,
    LIKE_STATISTICS = 1 << 7,
    LIKE_COMPRESSION = 1 << 8,
    LIKE_ALL = (1 << 9) - 1
};

enum persistence { PERSIST_PERMANENT, PERSIST_TEMP, PERSIST_UNLOGGED };
enum on_commit { ON_COMMIT_DEFAULT, ON_COMMIT_PRESERVE, ON_COMMIT_DELETE, ON_COMMIT_DROP };

/* CREATE TABLE beside the table_spec. */
struct table_def {
    enum persistence persistence;
    uint32_t persistence_pos;
    enum on_commit on_commit;
    struct column_def *columns; /* one per column of the spec */
    struct constraint_def *constraints;
    uint32_t constraints_count;
    struct like_def *likes;
    uint32_t likes_count;
    struct query *as;          /* CREATE TABLE AS: the spec has no columns then; NULL = none */
    struct misc_stmt *execute; /* … AS EXECUTE; NULL = none */
    struct spec_name *as_columns;
    uint32_t as_columns_count;
    bool no_data;                    /* WITH NO DATA */
    struct partition_def *partition; /* PARTITIONED BY; NULL = none */
};

/* ---- other objects ---- */

struct view_def {
    bool or_replace;
    enum persistence persistence; /* PERMANENT or TEMP */
    bool recursive;
    struct spec_name *columns; /* NULL = those of the query */
    uint32_t columns_count;
    struct query *query;
    uint32_t query_start; /* byte offsets of the query in the text, [start, end) */
    uint32_t query_end;
    enum view_check check; /* WITH CHECK OPTION */
};

struct index_elem {
    struct expr *expr; /* a column or an expression */
    const char *collation;
    const char *opclass;
    bool desc;
    enum nulls_order nulls;
};

struct index_def {
    bool unique;
    struct qual_name table; /* the index's own name is stmt.name, whose name may be NULL */
    const char *method;     /* USING; NULL = none */
    struct index_elem *elems;
    uint32_t elems_count;
    struct spec_name *include; /* INCLUDE (…) */
    uint32_t include_count;
    bool nulls_not_distinct;
    struct expr *where;
};

enum object_kind {
    OBJECT_TABLE,
    OBJECT_VIEW,
    OBJECT_SEQUENCE,
    OBJECT_INDEX,
    OBJECT_SCHEMA,
    OBJECT_COLUMN, /* COMMENT ON alone, as the rest */
    OBJECT_CONSTRAINT,
    OBJECT_DATABASE,
    OBJECT_ROLE,
    OBJECT_KIND_MAX
};

enum drop_behavior { DROP_DEFAULT, DROP_RESTRICT, DROP_CASCADE };

/* COMMENT ON object IS 'text' | NULL. */
struct comment_stmt {
    enum object_kind object;
    struct qual_name name; /* COLUMN, CONSTRAINT: its table */
    struct spec_name sub;  /* COLUMN, CONSTRAINT: its name; s NULL for the others */
    const char *text;      /* NULL: the comment is removed */
};
