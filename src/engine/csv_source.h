/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_source.h: where the text of an import comes from: a reader's bytes, unpacked if they are
 * gzip or zstd (told by their first bytes, several pieces one after another included), and made
 * UTF-8 if they are written in another encoding. Data that begin as those of other formats do
 * (Parquet, zip, …) are refused by name, and so is UTF-16 if the caller asked for UTF-8. One thread
 * at a time. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "engine/csv_encoding.h"

/* Up to len bytes; 0 bytes: the end. */
typedef int (*csv_read_fn)(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err);

struct csv_source;

/* encoding: what the unpacked bytes are written in. */
int csv_source_open(csv_read_fn fn,
                    void *arg,
                    enum csv_encoding encoding,
                    struct mem_owner *owner,
                    struct csv_source **ret,
                    struct dn_err *err) DN_MUST_CHECK;
void csv_source_close(struct csv_source *s); /* NULL is fine */
/* Fills `to`; fewer bytes only at the end. */
int csv_source_read(struct csv_source *s, void *to, size_t len, size_t *ret_len, struct dn_err *err)
    DN_MUST_CHECK;
/* What it is; CSV_ENCODING_AUTO is decided when the source is opened. */
enum csv_encoding csv_source_encoding(const struct csv_source *s);
/* Bytes taken from the reader, packed as they are. */
uint64_t csv_source_bytes(const struct csv_source *s);
