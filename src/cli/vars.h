/* SPDX-License-Identifier: Apache-2.0
 *
 * vars.h: variables of the shell: \set NAME VALUE, and in statements :NAME, :'NAME' (as a quoted
 * text) and :"NAME" (as a name). One thread. */
#pragma once

#include "base/bytes.h"

#include <stdbool.h>
#include <stdio.h>

struct var; /* one of them */

struct vars {
    struct var *first; /* owned list, by name */
};

bool vars_name_ok(const char *name, size_t len);                          /* letters, digits, _ */
bool vars_set(struct vars *v, const char *name, const char *value);       /* false: out of memory */
bool vars_unset(struct vars *v, const char *name);                        /* false: there is none */
const char *vars_get(const struct vars *v, const char *name, size_t len); /* NULL: there is none */
void vars_print(const struct vars *v, FILE *to);
void vars_done(struct vars *v);
/* The text with its variables replaced; those nobody has set stay as they are, and so does all that
 * is quoted or commented out. */
void vars_expand(const struct vars *v, const char *text, size_t len, struct buf *ret);
