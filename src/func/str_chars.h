/* SPDX-License-Identifier: Apache-2.0
 *
 * str_chars.h: which characters a text has, and what stands beside each in a second text (at the
 * place of the same number of characters). However long the texts are, questions without end take
 * time in proportion to how many they are. One thread at a time. */
#pragma once

#include "func/str_int.h"

struct str_chars {
    struct vstr chars; /* borrowed */
    struct vstr beside;
    uint64_t looked;  /* bytes, without a table */
    uint32_t *places; /* by character: 1 + byte in `beside`, 0 = not among them; NULL: no table */
};

static inline void str_chars_init(struct vstr chars, struct vstr beside, struct str_chars *ret)
{
    *ret = (struct str_chars){.chars = chars, .beside = beside};
}
void str_chars_done(struct str_chars *set);
/* Is the character of s at a byte among them: 1 or 0. ret_beside: the byte of `beside` where the
 * one for its first place starts, the length if there is none. */
int str_chars_find(struct str_chars *set,
                   const struct str_call *c,
                   struct vstr s,
                   uint32_t at,
                   uint32_t *ret_beside) DN_MUST_CHECK;
