/* SPDX-License-Identifier: Apache-2.0
 *
 * str_chars.h: which characters a text has, and what stands beside each in a second text (at the
 * place of the same number of characters). The time of a question does not depend on how long they
 * are. One thread at a time. */
#pragma once

#include "func/str_int.h"

struct str_chars {
    struct vstr chars; /* borrowed */
    struct vstr beside;
    uint32_t *places; /* by character: 1 + byte in `beside`, 0 = not among them; NULL: they are few */
};

/* Memory is of the call's arena. */
int str_chars_make(const struct str_call *c,
                   struct vstr chars,
                   struct vstr beside,
                   struct str_chars *ret) DN_MUST_CHECK;
/* Is the character of s at a byte among them? ret_beside: the byte of `beside` where the one for
 * its first place starts, the length if there is none. */
bool str_chars_find(const struct str_chars *set, struct vstr s, uint32_t at, uint32_t *ret_beside);
