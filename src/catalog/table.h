/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h: a table's definition in key normal form. A struct table is immutable once built and
 * shared by reference count: catalog snapshots, plans, memtables and scans hold references.
 *
 * Normal form. What the key says (names, tokens, placement):
 *     partition[] the partition key columns without the quantum, hashed to the token
 *     quantum     optional: time column and width
 *     local[]     the row's identity and order inside a partition; starts with the partition key
 *                 columns (in order), except that a quantum column stands where the key puts it
 * How rows are ordered (store, pruning, order of scans), which table_derive makes of it:
 *     series[]    columns that rows are grouped by: those of the partition key, or none if the
 *                 table is laid out by value (docs/adr/0021)
 *     rest[]      local[] without the series
 * and physical order is (slab, token(series), series values, rest of local), the slab order
 * reversed when the time column is DESC in the local key.
 *
 * Any thread may read; ref and unref are atomic. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "catalog/retention.h"
#include "catalog/table_spec.h"
#include "catalog/timepart.h"
#include "vec/vec.h"

#include <stdatomic.h>

#define TABLE_COLUMNS_MAX     511u
#define TABLE_NAME_MAX        255u        /* bytes of a schema, table or column name */
#define TABLE_COLUMN_ID_MAX   0x7fffffffu /* higher ids are the hidden columns' of the store */
#define TABLE_SPREAD_MAX      1024u
#define TABLE_OPTION_MAX      65536u /* bytes of one option's value */
#define TABLE_SLAB_RULES_MAX  4096u
#define TABLE_SQL_MAX         65536u /* bytes of an expression */
#define TABLE_CONSTRAINTS_MAX 1024u
#define TABLE_COMMENT_MAX     65536u /* bytes */

enum key_form {
    KEY_NONE,  /* no PRIMARY KEY: append table with a hidden row id */
    KEY_RIAK,  /* ((p.., QUANTUM(t, n, u)), p.., t, ..) : local key repeats the partition key */
    KEY_CQL,   /* ((p..), c..) or (p, c..) or inline */
    KEY_RANGE, /* (time, ..): range partitioned by time, empty series */
    KEY_FORM_MAX
};

enum upsert { UPSERT_ROW, UPSERT_FIELD };

struct column {
    uint32_t id; /* permanent inside the table, never used again; 1.. */
    char *name;  /* owned */
    enum type_id type;
    struct type_mods mods; /* values stored fit them */
    bool not_null;         /* declared, or implied by the key */
    bool has_default;      /* def: what rows have that were written without the column */
    struct datum def;      /* constant; string bytes owned */
    char *def_sql;         /* owned: DEFAULT of new rows, an expression; NULL: they get def too */
    enum column_source source;
    char *comment;    /* owned; NULL = none */
    uint16_t key_pos; /* 1-based place in local[], 0 = not in the key */
};

struct key_part {
    uint16_t col; /* index into columns */
    bool desc;
};

/* Widths in units of the time column, valid from a slab start on. */
struct slab_rule {
    int64_t from;          /* first slab start this rule governs; INT64_MIN for the first */
    int64_t quantum_width; /* 0 = no quantum in the key and none asked for */
    int64_t slab_width;    /* > 0, a whole multiple of quantum_width */
};

struct table {
    atomic_uint refs;
    uint64_t id;            /* unique in the catalog for ever; TRUNCATE gives another one */
    uint64_t number;        /* the first id it had, what others know it by; 0: `id` */
    uint32_t version;       /* of this definition, from 1 */
    char *schema;           /* owned */
    char *name;             /* owned */
    struct column *columns; /* owned */
    uint16_t columns_count;
    uint32_t column_id_next;

    enum key_form form;
    bool clustering_clause;   /* printed back as WITH CLUSTERING ORDER BY; false: inline ASC/DESC */
    uint16_t *partition;      /* owned: column indexes */
    uint16_t partition_count; /* 0: token 0 */
    struct key_part *local;   /* owned */
    uint16_t local_count;
    bool by_value;          /* rows are ordered by the values of the key, not by token */
    const uint16_t *series; /* is `partition` */
    uint16_t series_count;  /* 0: empty series */
    struct key_part *rest;  /* owned: local without the series columns */
    uint16_t rest_count;
    int quantum_pos;         /* of the quantum in the partition key (= partition_count), -1: none */
    int64_t quantum_count;   /* as written: 15; also from WITH or implied; 0 = no quantum at all */
    char quantum_unit;       /* 'd', 'h', 'm', 's'; 0 = no quantum at all */
    int time_col;            /* column that decides the slab, -1 = one slab for all */
    bool time_desc;          /* time column is DESC in local: slabs run backwards */
    struct slab_rule *slabs; /* owned; empty when time_col < 0 */
    uint16_t slabs_count;

    enum upsert upsert;
    struct retention retention; /* how long rows stay; NONE: for ever */
    enum late_rows late;        /* rows that come for times before the horizon, or too far ahead */
    int64_t future_seconds;     /* so far ahead of the clock; RETENTION_ANY_FUTURE: any time */
    int64_t horizon;      /* start of a slab: nothing is before it; moves without another version */
    int64_t ttl_seconds;  /* rows live so long unless a write says otherwise; 0 = for ever */
    enum table_temp temp; /* not PERMANENT: in a schema of its session */
    char *comment;        /* owned; NULL = none */
    uint32_t spread;      /* hash sub-partitions of an empty series, 1 = none */
    struct table_option *options; /* owned: WITH list as given, for SHOW CREATE TABLE */
    uint16_t options_count;
    struct table_constraint *constraints; /* owned; beside the key, in the order they were made */
    uint16_t constraints_count;
    struct timepart *timepart; /* owned: it is a time partition (timepart.h); NULL = it is none */
    uint64_t parent;           /* it is a table of that time partition; 0 = of none */
};

struct table_constraint {
    enum table_constraint_kind kind;
    uint16_t id;    /* in the table, as long as it is there: 1 to TABLE_CONSTRAINTS_MAX */
    char *name;     /* owned: unique in the table */
    char *comment;  /* owned; NULL = none */
    char *text;     /* owned. CHECK: the condition. Others: what follows the list of columns */
    uint16_t *cols; /* owned: columns it names */
    uint16_t cols_count;
    bool not_valid; /* rows from before it may break it */
};

struct table_option {
    char *name;  /* owned, lower case */
    char *value; /* owned, text as the user wrote it, unquoted */
    bool quoted; /* printed with quotes */
};

struct table *table_ref(const struct table *t); /* returns t without const: owners share it */
void table_unref(struct table *t);              /* NULL is fine */

/* Slab of a time value (in the column's unit): its start; 0 for tables with one slab. */
int64_t table_slab(const struct table *t, int64_t time);
/* Width in force at that slab. */
const struct slab_rule *table_slab_rule(const struct table *t, int64_t slab_start);
/* First instant after the slab: INT64_MAX at the end of time and for tables with one slab. */
int64_t table_slab_end(const struct table *t, int64_t slab_start);
/* Do two definitions of a table put every row into the same slab? */
bool table_same_schedule(const struct table *a, const struct table *b);
/* Quantum start of a time value; the time itself when the table has none. */
int64_t table_quantum(const struct table *t, int64_t time);
/* Does the partition of this time have a quantum? */
bool table_has_quantum(const struct table *t, int64_t time);
/* Does its option compression ask for the fewest bytes? */
bool table_compresses(const struct table *t);
/* First instant after the quantum that begins there; INT64_MAX at the end of time. */
int64_t table_quantum_end(const struct table *t, int64_t start);
/* Index of a column by name: exact match first, else a unique case-insensitive one. -1 none, -2
 * ambiguous. */
int table_column_find(const struct table *t, const char *name, size_t len);
int table_column_by_id(const struct table *t, uint32_t id);
/* Token of the partition key of one row (datums in the order of partition[], of the columns' types,
 * validated: none NULL, no string over 65535 bytes). No such columns: 0. Out of memory:
 * scratch->failed is set, the result is 0. */
int64_t table_token(const struct table *t, const struct datum *partition, struct buf *scratch);
/* The token by which rows of a series are ordered (datums in the order of series[]): 0 of an empty
 * series. As above. */
int64_t table_series_token(const struct table *t, const struct datum *series, struct buf *scratch);

/* ---- building from what the parser saw (table_spec.h) ---- */

/* Checks every key rule and makes the definition (id 0, version 1, one reference). Each broken rule
 * has its own message naming the columns, its SQLSTATE, position and hint. */
int table_build(const struct table_spec *spec,
                struct table **ret_table,
                struct dn_err *err) DN_MUST_CHECK;

/* ---- changing (ALTER TABLE) ---- */

/* A definition of its own that says the same: version + 1, one reference. The functions below
 * change such a copy before any other thread knows it; after an error the copy can only be freed.
 */
int table_copy(const struct table *t, struct table **ret, struct dn_err *err) DN_MUST_CHECK;
/* At the end, new id. NOT NULL needs a default, for rows there are; primary_key: ends the key. */
int table_add_column(struct table *t,
                     const struct column_spec *spec,
                     struct dn_err *err) DN_MUST_CHECK;
/* Not a column of the key, not the time column, not the last one. */
int table_drop_column(struct table *t,
                      const struct spec_name *name,
                      struct dn_err *err) DN_MUST_CHECK;
int table_rename_column(struct table *t,
                        const struct spec_name *name,
                        const struct spec_name *to,
                        struct dn_err *err) DN_MUST_CHECK;
int table_rename(struct table *t, const struct spec_name *to, struct dn_err *err) DN_MUST_CHECK;
/* The comment of a column, or (NULL) of the table; text NULL: none any more. */
int table_set_comment(struct table *t,
                      const struct spec_name *column,
                      const char *text,
                      struct dn_err *err) DN_MUST_CHECK;
/* Another schema and name, both good. */
int table_move(struct table *t, const char *schema, const char *name, struct dn_err *err)
    DN_MUST_CHECK;
/* DEFAULT of new rows; those there are keep what they have. sql NULL: none. */
int table_set_default(struct table *t,
                      const struct spec_name *name,
                      const char *sql,
                      struct dn_err *err) DN_MUST_CHECK;
/* A column's index; errors suggest near names. */
int table_find_column(const struct table *t,
                      const struct spec_name *name,
                      uint16_t *ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* What there is when options change: widths of quantum and slab hold from the first slab after the
 * rows' last. */
struct table_rows_span {
    bool any;
    int64_t time_max; /* of the rows */
};
/* The options given replace those of the same name, others stay; value NULL: it goes. */
int table_set_options(struct table *t,
                      const struct option_spec *options,
                      size_t count,
                      const struct table_rows_span *rows,
                      struct dn_err *err) DN_MUST_CHECK;
/* Do these options change quantum or slab, so that it matters which rows there are? */
bool table_options_place(const struct option_spec *options, size_t count);
/* … or how long rows stay? */
bool table_options_retain(const struct option_spec *options, size_t count);

/* The runnable CREATE TABLE statement; building from its parse gives an equal definition. */
void table_print_create(const struct table *t, struct buf *b);
struct catalog; /* … which has the options of identity columns' sequences */
void table_print_create_in(const struct catalog *c, const struct table *t, struct buf *b);
/* " DEFAULT …", " GENERATED …", or nothing. */
void table_print_default(const struct catalog *cat, const struct column *c, struct buf *b);
/* Identifier, quoted if it needs to be. */
void table_print_ident(const char *name, struct buf *b);
/* Text in single quotes. */
void table_print_text(const char *s, struct buf *b);
/* A datum as an SQL literal of its type. */
void table_print_literal(const struct datum *d, struct buf *b);
