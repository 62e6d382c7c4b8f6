/* SPDX-License-Identifier: Apache-2.0
 *
 * memtable_int.h: shared by memtable.c (writing, gathering) and memsort.c (physical order). */
#pragma once

#include "store/memtable.h"

/* Chunks grow from 256 rows to 4096: chunk 0 holds rows 0..255, chunk k (1..4) as many as all
 * before it, later ones 4096 each. */
#define MEM_CHUNK_FIRST 256u
#define MEM_CHUNK_FULL  4096u
#define MEM_ROOM_BYTES  65536u /* string bytes are packed into pieces of this size */
#define MEM_CHUNKS_MAX  (MEMTABLE_ROWS_MAX / MEM_CHUNK_FULL + 8u)

enum mem_flag { MEM_NULL = 1, MEM_ABSENT = 2 };

struct mem_chunk {
    uint32_t first_row;
    uint32_t cap;
    void **data;     /* one array per table column, cap values */
    uint8_t **flags; /* one array per table column: enum mem_flag, so that rows share no byte */
    uint64_t *seq;
    uint64_t *rowid; /* NULL in tables with a key */
    uint32_t *series;
    uint32_t *prev; /* older row of the same series, UINT32_MAX = none */
    uint8_t *op;
    _Atomic(int64_t *) expiry; /* NULL: no row of it expires; made when the first one does */
};

struct mem_series {
    int64_t token;
    uint64_t hash;
    const uint8_t *key; /* normalized series values, in the arena */
    uint32_t key_len;
    uint32_t head; /* newest staged row, UINT32_MAX = none */
    uint32_t rows;
    bool ascending; /* no row's time is before that of a row before it; as the bounds */
    /* Tables with a key and a time: bounds of its rows' times; rows that were taken back may have
     * widened them. */
    int64_t time_min;
    int64_t time_max;
};

struct memtable {
    struct table *table;      /* reference */
    struct mem_owner *owner;  /* borrowed */
    struct sched_mutex *lock; /* guards index, series, cached order, and chunk list growth */
    struct mem_chunk *
        *chunks; /* owned; read under the lock or through a copied pointer (see mem_chunk_of) */
    uint32_t chunks_count;
    uint32_t chunks_cap;
    _Atomic(struct mem_chunk **) chunks_pub; /* what readers use; old arrays live until free */
    void *retired;                           /* list of chunk arrays that grew out of use */
    uint32_t staged;                         /* rows written */
    _Atomic uint32_t rows;                   /* rows published */
    struct arena strings;                    /* string bytes and series keys; writer only */
    char *room;                              /* free space for string bytes, in the arena */
    size_t room_left;
    struct hidx index;         /* series key hash -> number */
    struct mem_series *series; /* owned */
    uint32_t series_count;
    uint32_t series_cap;
    atomic_bool expires;     /* a chunk has room for expiries */
    _Atomic size_t bytes;    /* charged, roughly; the writer adds, any thread reads */
    struct mem_order *order; /* newest whole order, may be NULL */
    struct buf key;          /* writer's scratch */
    struct buf ser;          /* writer's scratch for tokens */
};

/* The one writer counts memory that the memtable has taken. */
static inline void memtable_charge(struct memtable *m, size_t bytes)
{
    size_t before = atomic_load_explicit(&m->bytes, memory_order_relaxed);

    atomic_store_explicit(&m->bytes, before + bytes, memory_order_relaxed);
}

/* Number of the series with these values, UINT32_MAX if none; under the lock. key: scratch, empty.
 */
uint32_t
memtable_series_lookup(const struct memtable *m, const struct datum *values, struct buf *key);

/* memexpiry.c: of the rows about to be staged. Readers may look at the chunk meanwhile, not at
 * these rows. */
int memtable_stage_expiry(struct memtable *m,
                          struct mem_chunk *c,
                          const struct mem_write *w,
                          uint32_t from,
                          uint32_t count,
                          struct dn_err *err) DN_MUST_CHECK;
/* As memtable_gather, one column; CONST where none of the rows expires. */
int memtable_gather_expiry(const struct memtable *m,
                           const uint32_t *rows,
                           uint32_t count,
                           struct arena *arena,
                           struct vec *ret,
                           struct dn_err *err) DN_MUST_CHECK;

static inline uint32_t mem_chunk_index(uint32_t row)
{
    if (row < MEM_CHUNK_FIRST)
        return 0;
    if (row < MEM_CHUNK_FULL)
        return 24u - (uint32_t)__builtin_clz(row); /* 256..511 -> 1, … 2048..4095 -> 4 */
    return 4u + row / MEM_CHUNK_FULL;
}

static inline const struct mem_chunk *mem_chunk_of(const struct memtable *m, uint32_t row)
{
    struct mem_chunk **chunks = atomic_load_explicit(&m->chunks_pub, memory_order_acquire);
    return chunks[mem_chunk_index(row)];
}

static inline int64_t mem_i64(const struct memtable *m, uint32_t row, uint32_t col)
{
    const struct mem_chunk *c = mem_chunk_of(m, row);
    uint32_t at = row - c->first_row;

    switch (type_phys(m->table->columns[col].type)) {
    case PHYS_I8:
        return ((const int8_t *)c->data[col])[at];
    case PHYS_I16:
        return ((const int16_t *)c->data[col])[at];
    case PHYS_I32:
        return ((const int32_t *)c->data[col])[at];
    case PHYS_I64:
        return ((const int64_t *)c->data[col])[at];
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return 0;
}
