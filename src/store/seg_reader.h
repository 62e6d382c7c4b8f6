/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_reader.h: an open segment. For src/store/seg_*.c only. Immutable after opening: any thread.
 */
#pragma once

#include "base/arena.h"
#include "codec/codec.h"
#include "store/seg_array.h"
#include "store/segment_int.h"
#include "vec/wide.h"

#include <stdatomic.h>

/* A column of the directory that is not in the series. Arrays over the vectors (or blocks) of its
 * groups of kind VECTORS, in the order (group, block, number). */
struct seg_rcol {
    uint32_t id;
    enum type_id type;     /* of what is stored: everything below */
    enum type_id as;       /* what the table has now: the same, or a wider one */
    bool key;              /* it is in the key, behind the series */
    const uint8_t *kinds;  /* per group */
    struct vec *consts;    /* per group; kind CONST: one row, form CONST */
    uint32_t *vec_first;   /* per group: its first vector in the arrays */
    uint32_t *block_first; /* per group: its first block in the arrays */
    uint32_t *extent_at;   /* per group: offset in the object */
    uint32_t *extent_len;  /* per group: bytes */
    _Atomic uint8_t *lone; /* per group: vectors that were read alone */
    uint64_t dict_first;   /* of its first vector, counted from the segment's dicts_first */
    uint32_t vecs_count;
    uint32_t blocks_count;
    /* vectors */
    uint32_t *at; /* offset in the object */
    uint32_t *len;
    uint32_t *checksum;
    uint8_t *codec;
    uint32_t *nulls;
    uint32_t *absent;
    union vfixed *min; /* fixed-width types; NULL otherwise */
    union vfixed *max;
    uint8_t *no_range; /* 1 = no value */
    union vfixed *sum; /* numbers; NULL otherwise */
    uint8_t *no_sum;
    /* blocks */
    uint32_t *b_nulls;
    uint32_t *b_absent;
    union vfixed *b_min;
    union vfixed *b_max;
    uint8_t *b_no_range;
    union vfixed *b_first;
    uint8_t *b_first_null;
    union vfixed *b_last;
    uint8_t *b_last_null;
    union vfixed *b_sum;
    uint8_t *b_no_sum;
    struct vstr *b_str_min; /* strings */
    struct vstr *b_str_max;
    uint8_t *b_exact; /* bit 0 min, bit 1 max */
};

struct seg_group {
    uint32_t block_first;
    uint32_t block_count;
    uint32_t vecs; /* vectors of one column */
    uint32_t at;   /* offset in the object of its first extent */
    uint32_t len;  /* bytes of all its extents */
};

struct seg {
    atomic_uint refs;
    struct volume *volume;   /* borrowed: outlives all segments */
    struct cache *cache;     /* borrowed, may be NULL */
    struct mem_owner *owner; /* the cache's, or NULL */
    size_t charged;          /* bytes charged to the cache */
    struct table *table;     /* shared, refcounted */
    char name[VOLUME_NAME_MAX + 1];
    struct seg_meta meta;
    uint32_t flags;     /* enum seg_flag */
    struct arena arena; /* all arrays */
    uint8_t *footer;    /* owned; strings point into it */
    uint64_t footer_at; /* its offset in the object */
    uint64_t footer_len;

    struct seg_rcol *cols; /* in directory order, series columns left out */
    uint32_t cols_count;
    bool widens;          /* one of them reads as another type than it is stored with */
    uint64_t dicts_first; /* numbers of the dictionaries (vec.dict_id): one for each vector, in the
                             order of cols */
    int32_t *col_of; /* per store column: index into cols, SEG_COL_IS_SERIES or SEG_COL_MISSING */
    struct seg_block *blocks;
    uint32_t *block_vec; /* per block: its first vector, counted over all blocks */
    uint32_t blocks_count;
    struct seg_group *groups;
    uint32_t groups_count;
    struct seg_runs runs;
    struct vec **run_series;  /* [series index][run / 1024] */
    struct datum *series_min; /* per series index: over all runs */
    struct datum *series_max;
    uint16_t *series_of; /* per table column: place in the series; valid for series columns */
};

#define SEG_COL_IS_SERIES (-1)
#define SEG_COL_MISSING   (-2)

/* NULL: the segment has no such column of its own. */
static inline const struct seg_rcol *seg_stored_col(const struct seg *s, uint32_t store_col)
{
    DN_ASSERT(store_col < store_cols_count(s->table));
    return s->col_of[store_col] < 0 ? NULL : &s->cols[s->col_of[store_col]];
}

int seg_parse_footer(struct seg *s, struct dn_err *err) DN_MUST_CHECK;
/* Memory that stays with the segment, counted for the cache. NULL: out of memory. */
void *seg_keep(struct seg *s, size_t count, size_t size) DN_MUST_CHECK;
int seg_get_column_part(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
    DN_MUST_CHECK;
/* Offsets of all vectors, from their lengths. */
int seg_place_vectors(struct seg *s, struct dn_err *err) DN_MUST_CHECK;
/* Checks of the fixed parts; bytes are untrusted. The trailer tells where the footer is. */
int seg_check_header(const struct seg *s,
                     const uint8_t *p,
                     uint32_t *ret_table_version,
                     struct dn_err *err) DN_MUST_CHECK;
struct seg_trailer {
    uint64_t footer_at;
    uint64_t footer_len;
    uint64_t checksum;
};
int seg_check_trailer(const struct seg *s,
                      const uint8_t *p,
                      uint64_t size,
                      struct seg_trailer *ret,
                      struct dn_err *err) DN_MUST_CHECK;

/* A stored bound of a wide type, the datum's; false: it is none. Untrusted. */
static inline bool seg_wide_bound(struct vstr s, struct datum *d)
{
    return vec_wide_get(
        d->type, s.ptr, s.len, d->type == TYPE_NUMERIC ? (void *)&d->num : (void *)&d->iv);
}
/* As seg_block_zone and seg_vector_zone, in the type that is stored. */
bool seg_stored_block_zone(const struct seg *s,
                           uint32_t block,
                           uint32_t store_col,
                           struct zone *ret);
bool seg_stored_vector_zone(
    const struct seg *s, uint32_t block, uint32_t vector, uint32_t store_col, struct zone *ret);

/* The value of the first or last row of a block, of a column of fixed width that has vectors there;
 * NULL if that row has none. In the type that is stored. */
struct datum
seg_block_end(const struct seg *s, const struct seg_rcol *c, uint32_t block, bool last);

/* The rows of one vector. */
struct seg_rows {
    uint32_t block;
    uint32_t vector; /* in the block */
    uint32_t first;  /* row of the segment */
    uint32_t count;
};

/* One stored vector. */
struct seg_vecref {
    const struct seg_rcol *col;
    uint32_t index; /* into the column's arrays */
    uint32_t rows;
};

uint32_t seg_vec_rows(const struct seg *s, uint32_t block, uint32_t vector);
/* The block's group must be of kind VECTORS for the column. */
struct seg_vecref
seg_vec_of(const struct seg *s, const struct seg_rcol *c, uint32_t block, uint32_t vector);
/* p: the vector's bytes as read. */
int seg_vec_check(const struct seg *s,
                  const struct seg_vecref *v,
                  const uint8_t *p,
                  struct dn_err *err) DN_MUST_CHECK;
/* The bytes as the codecs see them. */
struct codec_src seg_vec_src(const struct seg_vecref *v, const uint8_t *p);
/* The vector of the same rows in the column that guides; its bytes are needed, too. */
int seg_vec_guide(const struct seg *s,
                  const struct seg_rows *rows,
                  uint32_t id,
                  struct seg_vecref *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* Does the column with this id guide by the runs? It is one of the series, whose values are in the
 * run table. Fills ret then; 0: it does not. */
int seg_vec_kin_of_runs(const struct seg *s,
                        const struct seg_rows *rows,
                        uint32_t id,
                        struct codec_kin *ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* The vector `back` before v in its column, whose dictionary v uses; it must be of the same group.
 */
int seg_vec_home(const struct seg *s,
                 const struct seg_vecref *v,
                 uint32_t group,
                 uint32_t back,
                 struct seg_vecref *ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* src: of v, with all that codec_guide and codec_back say is needed. */
int seg_vec_decode(const struct seg *s,
                   const struct seg_vecref *v,
                   const struct codec_src *src,
                   struct arena *arena,
                   struct vec *ret,
                   struct dn_err *err) DN_MUST_CHECK;
struct seg_rows seg_rows_of(const struct seg *s, uint32_t block, uint32_t vector);
/* Values of a series column over these rows, CONST or DICT. 0 or DN_E_NOMEM. */
int seg_series_vec(const struct seg *s,
                   const struct seg_rows *rows,
                   uint32_t series_index,
                   struct arena *arena,
                   struct vec *ret) DN_MUST_CHECK;
