/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_list.h: DN_CODEC(disk id, NAME, ops). Ids are permanent, append only. Codecs are tried in
 * this order; the first of equal size wins, so the cheaper to decode stands first. */

/* clang-format off */
DN_CODEC(1, CONSTANT, codec_constant_ops) /* one value for all rows */
DN_CODEC(2, RLE,      codec_rle_ops)      /* runs of equal values */
DN_CODEC(3, DICT,     codec_dict_ops)     /* distinct values and bit-packed codes */
DN_CODEC(4, DELTA,    codec_delta_ops)    /* differences, bit-packed over their minimum */
DN_CODEC(5, RAW,      codec_raw_ops)      /* values as they are */
/* clang-format on */
