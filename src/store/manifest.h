/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest.h: the document that names a shard's log chunks and segments. docs/format/manifest.md
 * has the bytes. A struct manifest is a plain value: edits are made on a copy, saved by
 * compare-and-swap (shard_int.h), and only then take the place of the old one.
 *
 * One thread at a time. */
#pragma once

#include "store/range.h"
#include "store/segment.h"
#include "volume/beside.h"

#define MANIFEST_FORMAT    2   /* with range tombstones; without it is written as 1 */
#define MANIFEST_LEVEL_MAX 31u /* of a segment: five bits */
#define MANIFEST_DOC       "manifest/0"

struct manifest_chunk {
    uint64_t epoch; /* with number: the chunk's name */
    uint64_t number;
    bool sealed;  /* nothing is appended any more; len bytes of it count */
    uint64_t len; /* sealed: bytes that count; what lies behind was never acknowledged */
};

struct manifest {
    uint64_t generation;  /* of the document; not part of its bytes */
    uint64_t epoch;       /* of the newest writer */
    uint64_t flushed_seq; /* commits up to here are in segments (or their tables are gone) */
    uint64_t segment_id_next;
    uint64_t chunk_next;
    struct manifest_chunk *chunks; /* owned, oldest first; the last may be open */
    size_t chunks_count;
    struct seg_meta *segs; /* owned, in the order they were added */
    size_t segs_count;
    struct range_list ranges; /* oldest first */
    struct mem_owner *owner;  /* borrowed */
};

void manifest_init(struct manifest *m, struct mem_owner *owner);
void manifest_done(struct manifest *m);
int manifest_copy(const struct manifest *from,
                  struct manifest *ret,
                  struct dn_err *err) DN_MUST_CHECK;
int manifest_add_chunk(struct manifest *m, uint64_t epoch, uint64_t number, struct dn_err *err)
    DN_MUST_CHECK;
int manifest_add_seg(struct manifest *m,
                     const struct seg_meta *meta,
                     struct dn_err *err) DN_MUST_CHECK;
void manifest_remove_chunks(struct manifest *m, size_t count); /* the oldest ones */
/* Sealed ones that nothing was ever appended to: else every open of an idle database left one. */
void manifest_remove_empty_chunks(struct manifest *m);
/* Was a segment ever made, or a commit flushed? */
bool manifest_is_used(const struct manifest *m);
/* Does it name this chunk as one that takes appends? */
bool manifest_chunk_is_open(const struct manifest *m, uint64_t number);
/* Range tombstones: leaves out segments that one of them hits whole, then tombstones that hit no
 * segment any more. */
struct catalog;
void manifest_apply_ranges(struct manifest *m, const struct catalog *cat);
/* Of the names of a listing (sorted by bytes, as volume_list gives them): those that the manifest
 * does not name stay, in order. Out of memory: none stays. */
void manifest_keep_unnamed(const struct manifest *m,
                           enum volume_kind kind,
                           struct volume_names *names);
/* Index of a segment, or SIZE_MAX. */
size_t manifest_find_seg(const struct manifest *m, uint64_t id);

int manifest_print(const struct manifest *m, struct buf *ret, struct dn_err *err) DN_MUST_CHECK;
/* Untrusted bytes. */
int manifest_parse(const void *p,
                   size_t n,
                   struct mem_owner *owner,
                   struct manifest *ret,
                   struct dn_err *err) DN_MUST_CHECK;

/* "log/0/<epoch>-<number>", 16 hex digits each. */
void manifest_chunk_name(const struct manifest_chunk *c, char ret[VOLUME_NAME_MAX + 1]);
