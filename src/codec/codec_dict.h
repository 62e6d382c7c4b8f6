/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_dict.h: what codecs with a dictionary share. For src/codec only. Any thread.
 *
 * The codecs whose dictionary may be elsewhere (DICT_KIN, DICT_NEXT, DICT_FAR) have this head:
 *
 *   u16 entries, varint vectors back; if that is 0: varint bytes of the value list, the list
 *
 * If it is not, the list is that of an earlier vector of the column. */
#pragma once

#include "codec/codec_int.h"

/* The dictionary of all rows, in work, whatever it takes. */
void codec_dict_fill(const struct codec_in *in);
/* That, and work->far: the codes that the vector has, by its own dictionary or that of in->home. */
void codec_far_fill(const struct codec_in *in);
/* The head; after codec_far_fill. */
size_t codec_far_head_size(const struct codec_in *in);
void codec_far_head_put(const struct codec_in *in, struct buf *b);
/* Reads it. ret->p is NULL if the list is elsewhere. */
int codec_far_head_get(struct rd *r,
                       const struct codec_part *part,
                       struct codec_part *ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* How many vectors back the list is; 0: it is here, or the bytes are broken. */
uint32_t codec_far_back(struct rd *r);
/* The list wherever it is: list as the head gave it, or part->home. */
int codec_far_list(const struct codec_part *part,
                   struct codec_part *list,
                   struct dn_err *err) DN_MUST_CHECK;
/* After codec_far_fill: does the dictionary have little in common with that of in->home? */
bool codec_far_is_new(const struct codec_work *work);
/* Is it worth a try to write the next vector with it? Where others are written with differences to
 * rows of a guide it always is. */
bool codec_home_asks(const struct codec_home *home);
/* After a vector was written: its dictionary may become that of later ones. False: out of memory.
 */
bool codec_home_keep(const struct codec_in *in,
                     const struct codec_ops *ops,
                     struct codec_home *home) DN_MUST_CHECK;
