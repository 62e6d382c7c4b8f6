/* SPDX-License-Identifier: Apache-2.0
 *
 * fields.h: the second parameter of INTERVAL DAY TO SECOND(3): its fields, as bits, those between
 * included. Any thread. */
#pragma once

#include <stdint.h>

#define TYPE_FIELD_MONTH  0x0002
#define TYPE_FIELD_YEAR   0x0004
#define TYPE_FIELD_DAY    0x0008
#define TYPE_FIELD_HOUR   0x0400
#define TYPE_FIELD_MINUTE 0x0800
#define TYPE_FIELD_SECOND 0x1000

/* "DAY TO SECOND"; NULL: no type has just these fields. */
const char *type_fields_name(int32_t fields);
/* Of the first and the last one, in any case; 0: not these. */
int32_t type_fields(const char *first, const char *last);
