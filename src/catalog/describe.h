/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.h: what DESCRIBE and SHOW answer, as rows of values. The engine makes result sets of
 * them. Everything lies in the arena; names of columns are static. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "catalog/catalog.h"
#include "catalog/settings.h"

#define DESCRIBE_COLS_MAX 9

struct describe {
    size_t cols_count;
    const char *names[DESCRIBE_COLS_MAX];
    enum type_id types[DESCRIBE_COLS_MAX];
    size_t rows_count;
    struct datum *cells; /* rows_count × cols_count, row by row */
};

/* DESCRIBE t: Column, Type, Nullable, Partition Key, Local Key, Interval, Unit, Sort Order. Keys
 * are ordinals from 1, NULL outside the key; interval and unit stand at the time column of a table
 * with a quantum. Comment is a ninth if a column has one. */
int describe_table(const struct catalog *cat,
                   const struct table *t,
                   struct arena *arena,
                   struct describe *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Like describe_table(), for a view, whose columns are in no key. */
int describe_view(const struct catalog *cat,
                  const struct view *v,
                  struct arena *arena,
                  struct describe *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* What was written for a table since the database was opened. */
struct describe_writes {
    uint64_t flush_bytes; /* once: by flushes and loads */
    uint64_t merge_bytes; /* again: by merges */
    uint64_t ranges;      /* range tombstones there are */
};
/* SHOW TABLE STATUS t: Section, Index, Name, Value: the table, its columns, both keys, its storage,
 * and what was written (writes NULL: without that section). */
int describe_status(const struct catalog *cat,
                    const struct table *t,
                    const struct describe_writes *writes,
                    struct arena *arena,
                    struct describe *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* SHOW CREATE TABLE t: SQL. c: for the sequences of its columns. */
int describe_create(const struct catalog *c,
                    const struct table *t,
                    struct arena *arena,
                    struct describe *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* SHOW CREATE VIEW v: SQL. */
int describe_create_view(const struct view *v,
                         struct arena *arena,
                         struct describe *ret,
                         struct dn_err *err) DN_MUST_CHECK;
/* SHOW CREATE TABLE of a sequence: SQL; and DESCRIBE. */
int describe_create_sequence(const struct catalog *c,
                             const struct sequence *s,
                             struct arena *arena,
                             struct describe *ret,
                             struct dn_err *err) DN_MUST_CHECK;
/* SHOW TABLES: Table, Status (Active, Temporary, View); those of the path that the role (0: any)
 * may do something with, by schema and name, views last. path->schema is exact. */
int describe_tables(const struct catalog *c,
                    uint32_t role,
                    const struct catalog_path *path,
                    struct arena *arena,
                    struct describe *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* SHOW SCHEMAS: Schema, Replication. */
int describe_schemas(const struct catalog *c,
                     struct arena *arena,
                     struct describe *ret,
                     struct dn_err *err) DN_MUST_CHECK;
struct describe_setting {
    const char *name;
    const char *value;
    const char *doc;
};
/* SHOW ALL: Name, Value, Description. */
int describe_settings(const struct describe_setting *rows,
                      size_t count,
                      struct arena *arena,
                      struct describe *ret,
                      struct dn_err *err) DN_MUST_CHECK;
