/* SPDX-License-Identifier: Apache-2.0
 *
 * settings_int.h: between settings.c and settings_parse.c. Any thread. */
#pragma once

#include "catalog/settings.h"

/* A number out of a text, whatever the limits; *ret: the value so far. */
int settings_parse(const struct setting_row *row,
                   const char *text,
                   int64_t *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* A unit of size: MB, M, MiB are no different things; 0 = none of them. */
int64_t settings_size_unit(const char *s);
/* A value that is none of the few there are. */
int settings_fail_value(const struct setting_row *row, const char *text, struct dn_err *err);
