/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_list.h: DN_CODEC(disk id, NAME, ops). Ids are permanent, append only. Which codec is taken
 * is a matter of size and weight (codec.h); among equals of both the first in the list. */

/* clang-format off */
DN_CODEC(1,  CONSTANT,  codec_constant_ops)  /* one value for all rows */
DN_CODEC(2,  RLE,       codec_rle_ops)       /* runs of equal values */
DN_CODEC(3,  DICT,      codec_dict_ops)      /* distinct values and bit-packed codes */
DN_CODEC(4,  DELTA,     codec_delta_ops)     /* differences, bit-packed over their minimum */
DN_CODEC(5,  RAW,       codec_raw_ops)       /* values as they are */
DN_CODEC(6,  FOR,       codec_for_ops)       /* values, bit-packed over their minimum */
DN_CODEC(7,  DELTA2,    codec_delta2_ops)    /* differences of differences, likewise */
DN_CODEC(8,  ALP,       codec_alp_ops)       /* decimal floating point: integers over 10^n */
DN_CODEC(9,  ALP_DELTA, codec_alp_delta_ops) /* differences of such integers */
DN_CODEC(10, SPLIT,     codec_split_ops)     /* floating point: listed front, packed rest */
DN_CODEC(11, FRONT,     codec_front_ops)     /* strings less what they share with the last */
DN_CODEC(12, LZ4,       codec_lz4_ops)       /* another's bytes, compressed by LZ4 */
DN_CODEC(13, ZSTD,      codec_zstd_ops)      /* another's bytes, compressed by Zstandard */
DN_CODEC(14, DECIMAL,   codec_decimal_ops)   /* NUMERIC: integers over 10^n */
DN_CODEC(15, KIN,       codec_kin_ops)       /* differences to the row before of the same series */
DN_CODEC(16, ALP_KIN,   codec_alp_kin_ops)   /* differences of decimals as integers, likewise */
DN_CODEC(17, DICT_KIN,  codec_dict_kin_ops)  /* dictionary, codes likewise */
DN_CODEC(18, DICT_NEXT, codec_dict_next_ops) /* dictionary of values that take turns */
DN_CODEC(19, DICT_FAR,  codec_dict_far_ops)  /* codes, the dictionary perhaps elsewhere */
DN_CODEC(20, ANS,       codec_ans_ops)       /* as KIN, differences coded by their frequency */
DN_CODEC(21, ALP_ANS,   codec_alp_ans_ops)   /* as ALP_KIN, likewise */
/* clang-format on */
