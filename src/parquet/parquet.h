/* SPDX-License-Identifier: Apache-2.0
 *
 * parquet.h: Apache Parquet files, read and written in batches of column vectors.
 *
 *     pq_open(input, …, &r)            reads the footer: columns and number of rows
 *     pq_want(r, columns, count)       which of them are read; before the first pq_next
 *     pq_next(r, &batch)               until DN_EOF; a batch is valid until the next call
 *     pq_close(r)
 *
 *     pq_writer_new(columns, …, &w), pq_write(w, batch) …, pq_writer_end(w), pq_writer_free(w)
 *
 * A reader holds a page of each wanted column and its dictionary, not the file. Bytes are
 * untrusted: what is wrong is DN_E_BAD_COPY with the column's name, what Dendro does not read is
 * DN_E_UNSUPPORTED. Columns inside columns (lists, maps, structs) cannot be read; they are listed,
 * and refused by name when they are wanted. docs/adr/0022 has the reasons. One thread at a time. */
#pragma once

#include "base/err.h"
#include "vec/vec.h"

#define PQ_MAGIC     "PAR1"
#define PQ_MAGIC_LEN 4u

struct pq_input {
    uint64_t size;
    /* Exactly so many bytes from there; they are inside of size. */
    int (*read)(void *arg, uint64_t at, void *to, size_t len, struct dn_err *err);
    void *arg;                /* borrowed */
    void (*close)(void *arg); /* pq_close, or a pq_open that fails, calls it; may be NULL */
};

struct pq_column {
    const char *name; /* of the reader */
    enum type_id type;
    struct type_mods mods; /* NUMERIC(p, s) */
    const char *refused;   /* why it cannot be read, of the reader; NULL = it can be */
};

struct pq_reader;

int pq_open(const struct pq_input *in,
            struct mem_owner *owner,
            struct pq_reader **ret,
            struct dn_err *err) DN_MUST_CHECK;
/* A file of the machine; errors name it. */
int pq_open_path(const char *path,
                 struct mem_owner *owner,
                 struct pq_reader **ret,
                 struct dn_err *err) DN_MUST_CHECK;
void pq_close(struct pq_reader *r); /* NULL is fine */
uint32_t pq_columns(const struct pq_reader *r, const struct pq_column **ret);
uint64_t pq_rows(const struct pq_reader *r);
/* Bytes taken from the input so far. */
uint64_t pq_bytes(const struct pq_reader *r);
/* The columns of the batches, in this order; all of them without this call. */
int pq_want(struct pq_reader *r, const uint32_t *columns, uint32_t count, struct dn_err *err)
    DN_MUST_CHECK;
/* At most VEC_ROWS_MAX rows; DN_EOF: there are no more. */
int pq_next(struct pq_reader *r, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;

/* ---- writing ---- */

enum pq_codec {
    PQ_UNCOMPRESSED = 0,
    PQ_SNAPPY = 1, /* is read; not written */
    PQ_GZIP = 2,
    PQ_ZSTD = 6,
    PQ_LZ4_RAW = 7,
};

struct pq_output {
    int (*write)(void *arg, const void *from, size_t len, struct dn_err *err);
    void *arg; /* borrowed */
    enum pq_codec codec;
};

struct pq_writer;

/* May a column of the type be written? The others have to be texts before. NUMERIC wants its two
 * parameters. */
bool pq_writable(enum type_id type, const struct type_mods *mods);
/* Columns are copied. */
int pq_writer_new(const struct pq_output *out,
                  const struct pq_column *columns,
                  uint32_t count,
                  struct mem_owner *owner,
                  struct pq_writer **ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* The rows that the batch's selection names. */
int pq_write(struct pq_writer *w, const struct batch *b, struct dn_err *err) DN_MUST_CHECK;
/* The last rows and the footer. */
int pq_writer_end(struct pq_writer *w, struct dn_err *err) DN_MUST_CHECK;
void pq_writer_free(struct pq_writer *w); /* NULL is fine */
