/* SPDX-License-Identifier: Apache-2.0
 *
 * load.h: a CSV text into a table: COPY FROM and dendro_import_csv.
 *
 * The text is cut into chunks of whole records. Each is parsed by a task of the scheduler, while
 * the caller's thread reads on, and takes the parsed chunks in their order. A small text is one
 * commit through the log; a bigger one goes straight into segments (store/shard_load.h).
 *
 * One thread at a time. */
#pragma once

#include "engine/csv.h"
#include "engine/csv_source.h"

struct dendro_conn;

enum load_header {
    LOAD_HEADER_AUTO, /* the first record is one if its cells are names of columns */
    LOAD_HEADER_YES,
    LOAD_HEADER_NO,
};

/* A row that was left out. line: from 1. column NULL: the record as a whole. A result other than 0
 * ends the load. */
typedef int (*load_reject_fn)(void *arg,
                              uint64_t line,
                              const char *column,
                              const char *reason,
                              const char *record,
                              size_t record_len);

struct load_result {
    uint64_t rows;     /* durable and visible */
    uint64_t rejected; /* left out */
    uint64_t parsed;   /* good rows so far, committed or not */
    uint64_t bytes;    /* read from the source, packed as they are */
};

/* Every now and then. A result other than 0 ends the load. */
typedef int (*load_progress_fn)(void *arg, const struct load_result *so_far);

struct load_spec {
    const struct table *table; /* borrowed from the catalog that the caller holds */
    bool named;                /* it is a shard, and rows go nowhere else (route.h) */
    struct csv_format format;
    enum load_header header;
    /* Columns of the file in order, an empty name is passed over; NULL: as the header says, or all
     * of the table in order. */
    const struct spec_name *columns;
    uint32_t columns_count;
    /* The session needs the right to INSERT into the columns of the file, in this catalog; NULL:
     * that was looked at before. */
    const struct catalog *rights;
    csv_read_fn read;
    void *read_arg;
    bool whole;            /* all rows or none; false: every batch is a commit */
    load_reject_fn reject; /* NULL: the first bad row ends the load */
    void *reject_arg;
    load_progress_fn progress; /* may be NULL */
    void *progress_arg;
    size_t chunk_bytes; /* of text in a task; 0 = as it fits the memory */
};

/* ret is filled in case of an error too. Errors of rows name line, column and reason. */
int load_run(struct dendro_conn *conn,
             const struct load_spec *spec,
             struct load_result *ret,
             struct dn_err *err) DN_MUST_CHECK;

/* ---- load_parquet.c ---- */
struct pq_reader;

/* A Parquet file into a table, in one commit. Its columns go to those of the same name, whatever
 * their case. */
struct load_parquet {
    const struct table *table;
    bool named;
    struct pq_reader *reader;        /* borrowed; pq_want was not called */
    const struct spec_name *columns; /* those that are wanted; NULL = all */
    uint32_t columns_count;
    const struct catalog *rights; /* as in struct load_spec */
    load_progress_fn progress;    /* may be NULL */
    void *progress_arg;
};

int load_parquet(struct dendro_conn *conn,
                 const struct load_parquet *spec,
                 struct load_result *ret,
                 struct dn_err *err) DN_MUST_CHECK;

/* ---- load_layout.c ---- */

/* What the columns of the file are. */
struct load_columns {
    struct intake_target target;
    struct csv_layout layout; /* borrows target */
    struct csv_cells header;  /* no cells: there is none */
};

/* By the names given or the file's first record. The text ends with a record unless it is all there
 * is. */
int load_layout(const struct load_spec *spec,
                const char *text,
                size_t len,
                struct arena *arena,
                struct load_columns *ret,
                struct dn_err *err) DN_MUST_CHECK;
