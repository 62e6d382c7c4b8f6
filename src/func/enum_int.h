/* SPDX-License-Identifier: Apache-2.0
 *
 * enum_int.h: inside src/func: what is there for types that CREATE TYPE made and stands in no
 * table, since an example would need such a type. Any thread. */
#pragma once

#include "func/func.h"

/* The cast to or from such a type; NULL: none. */
const struct func *func_cast_enum(enum type_id from, enum type_id to);

#define AGG_ENUM_MINMAX 2u
extern const struct agg agg_enum_minmax[AGG_ENUM_MINMAX];
#define AGG_ENUM_ARRAY 2u /* without and with FILTER */
extern const struct agg agg_enum_array[AGG_ENUM_ARRAY];
