/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_kin.h: rows of many series that take turns. A value is near to that of the row before it of
 * the same series, its kin; which row that is another column tells, the guide: the nearest earlier
 * row of the vector that has the same code in the guide's dictionary. So a host's name, stored
 * once, shortens all that was measured at the host, in whatever order the rows are.
 *
 * A kin frame holds integers as differences to their kin, bit-packed over the least; a seed, a row
 * without kin, as itself (docs/format/vector.md has the bytes). It is the body of KIN, ALP_KIN and
 * DICT_KIN. All arithmetic is modulo 2^bits of the values' form. Any thread. */
#pragma once

#include "codec/codec_int.h"
#include "codec/codec_kernel.h"

#define CODEC_KIN_ROW_BITS 10u   /* of the number of an odd row */
#define CODEC_KIN_CHAIN    0x80u /* flag beside the bits of seeds */

/* A kin frame's head as read, all checked. */
struct codec_kin_frame {
    const struct codec_kin *kin; /* borrowed */
    unsigned width;              /* bits of a code */
    unsigned tall;               /* bits of a seed beyond those of its code */
    bool ans;                    /* codes are in `symbols`, rows with kin alone have one */
    bool chain;                  /* a seed is added to the one before */
    unsigned odd_width;          /* bits of the high part of an odd row */
    uint32_t size;               /* bytes of a value */
    uint32_t odd;                /* rows whose difference takes more bits */
    uint64_t least;              /* added to each code of a row with kin */
    uint64_t seed_least;         /* added to each seed */
    const uint8_t *odd_highs;    /* packed, borrowed, as all that follow */
    const uint8_t *seed_highs;
    const uint8_t *codes;
    uint16_t odd_rows[VEC_ROWS_MAX]; /* ascending */
    uint64_t symbols[VEC_ROWS_MAX];  /* with ans: codes of rows with kin, one after the other */
};

/* Where a stretch of rows ends. */
static inline uint32_t codec_kin_end(const struct codec_kin *kin, uint32_t stretch)
{
    return stretch + 1 < kin->stretches ? kin->starts[stretch + 1] : kin->count;
}

/* Each row is the kin of the next: what a vector without a guide has. */
void codec_kin_plain(uint32_t count, struct codec_kin *ret);
/* Plans the frame of in->count integers of `size` bytes, sign-extended: fills work->kin and says
 * its bytes. loose: rows whose integer means nothing, beside those that are missing. */
struct codec_loose {
    const uint16_t *rows; /* ascending */
    uint32_t count;
};
size_t codec_kin_size(const struct codec_in *in,
                      const uint64_t *ints,
                      uint32_t size,
                      struct codec_loose loose);
/* The same with codes that codec_ans.h makes shorter, in work->small; SIZE_MAX if there are none,
 * or as many bytes as `limit`. */
size_t codec_kin_ans_size(const struct codec_in *in,
                          const uint64_t *ints,
                          uint32_t size,
                          struct codec_loose loose,
                          size_t limit);
/* Appends what was planned. */
void codec_kin_put(const struct codec_in *in, const struct codec_kin_plan *plan, struct buf *b);
/* Reads a frame from r, which is left behind it. */
int codec_kin_get(struct rd *r,
                  const struct codec_kin *kin,
                  uint32_t size,
                  bool ans,
                  struct codec_kin_frame *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* Is each value that of the seed its line of kin begins with (kin->seed_of)? Fills the seeds'
 * values, sign-extended, if so: the rows need no look at each of them. */
bool codec_kin_flat(const struct codec_kin_frame *f, uint64_t seeds[VEC_ROWS_MAX]) DN_MUST_CHECK;
/* All values, sign-extended. */
void codec_kin_unpack(const struct codec_kin_frame *f, uint64_t to[VEC_ROWS_MAX]);
/* One of them. */
int64_t codec_kin_at(const struct codec_kin_frame *f, uint32_t row);

/* The head that the three codecs share: the guide's column id. Writes it. */
size_t codec_kin_head_size(const struct codec_in *in);
void codec_kin_head_put(const struct codec_in *in, struct buf *b);
/* Reads it: *ret is part->kin, or `plain`, filled. */
int codec_kin_head_get(struct rd *r,
                       const struct codec_part *part,
                       struct codec_kin *plain,
                       const struct codec_kin **ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* To be called first: makes up who is kin to whom where there is no guide. */
void codec_kin_ready(const struct codec_in *in);
