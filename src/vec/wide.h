/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.h: INTERVAL and NUMERIC as bytes: how they are stored. Codecs, logs and catalogs keep them
 * as strings.
 *
 *   INTERVAL   16 bytes little-endian: microseconds (8), days (4), months (4)
 *   NUMERIC    2 to 18 bytes: vnumeric_put of numeric.h
 *
 * Any thread. */
#pragma once

#include "vec/vec.h"

#define VEC_WIDE_BYTES_MAX 18u

/* The bytes of the value at `value` (struct vinterval or vnumeric); returns how many. */
uint32_t vec_wide_put(enum type_id type, const void *value, uint8_t *to);
/* Reads untrusted bytes back; false: they are no value of the type. */
bool vec_wide_get(enum type_id type, const void *bytes, uint32_t len, void *value);
/* Replaces a value of a key column by the representative of all values that are equal to it
 * (docs/adr/0016). NULL, other types, and a NUMERIC with a declared scale stay as they are. False:
 * an interval with too many months. */
bool datum_key_form(const struct type_mods *mods, struct datum *d) DN_MUST_CHECK;
/* Converts a vector of a wide type to a vector of BLOBs of the same form. False: out of memory. */
bool vec_wide_to_strs(struct arena *arena, const struct vec *v, struct vec *ret) DN_MUST_CHECK;
/* Converts the strings of v to values of the type. 1: a string is no value of it. DN_E_NOMEM. */
int vec_wide_from_strs(struct arena *arena, enum type_id type, struct vec *v) DN_MUST_CHECK;
