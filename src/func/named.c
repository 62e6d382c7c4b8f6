/* SPDX-License-Identifier: Apache-2.0
 *
 * named.c: names of arguments. */
#include "func/named.h"

#include "base/attr.h"

#include <stddef.h>

static const struct func_named func_named_rows[] = {
    {.name = "make_date", .args = {"year", "month", "day"}, .count = 3},
    {.name = "make_time", .args = {"hour", "min", "sec"}, .count = 3},
    {.name = "make_timestamp", .args = {"year", "month", "mday", "hour", "min", "sec"}, .count = 6},
    {.name = "make_timestamptz",
     .args = {"year", "month", "mday", "hour", "min", "sec"},
     .count = 6},
    {.name = "make_timestamptz",
     .args = {"year", "month", "mday", "hour", "min", "sec", "timezone"},
     .count = 7},
    {.name = "make_interval",
     .args = {"years", "months", "weeks", "days", "hours", "mins", "secs"},
     .count = 7,
     .zeros = true},
    {.name = "parse_ident", .args = {"str"}, .count = 1},
    {.name = "parse_ident", .args = {"str", "strict"}, .count = 2},
};

const struct func_named *func_named_at(uint32_t i)
{
    return i < DN_ARRAY_SIZE(func_named_rows) ? &func_named_rows[i] : NULL;
}
