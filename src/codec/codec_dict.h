/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_dict.h: what codecs with a dictionary share. For src/codec only. Any thread. */
#pragma once

#include "codec/codec_int.h"

/* The dictionary of all rows, in work, whatever it takes. False if there can be none. */
bool codec_dict_fill(const struct codec_in *in);
