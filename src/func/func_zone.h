/* SPDX-License-Identifier: Apache-2.0
 *
 * func_zone.h: what files of src/func share of time zones: zones that arguments name. Any
 * thread. */
#pragma once

#include "func/func_int.h"
#include "func/tz.h"

/* The zone of the last row; starts as {.zone = NULL}. */
struct zone_arg {
    struct vstr name;
    const struct tz_zone *zone;
    struct tz_zone room;
};

/* The zone that a row of an argument names (VARCHAR: abbreviation, name or POSIX string) or is
 * ahead of UTC (INTERVAL). DN_E_INVALID_PARAM. */
int func_zone_arg(struct zone_arg *a,
                  const struct func_ctx *ctx,
                  const struct vec *arg,
                  uint32_t row,
                  struct dn_err *err) DN_MUST_CHECK;
