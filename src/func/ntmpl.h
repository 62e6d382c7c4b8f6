/* SPDX-License-Identifier: Apache-2.0
 *
 * ntmpl.h: templates of numbers, which to_char writes by and to_number reads by. Any thread. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vec/type.h"

enum ntmpl_word {
    NTMPL_TEXT, /* what stands there */
    NTMPL_9,
    NTMPL_0,
    NTMPL_POINT, /* . and D */
    NTMPL_COMMA, /* , and G */
    NTMPL_CURRENCY,
    NTMPL_MI,
    NTMPL_PL,
    NTMPL_SG,
    NTMPL_TH_UPPER,
    NTMPL_TH_LOWER,
};

struct ntmpl_node {
    enum ntmpl_word word;
    struct vstr text; /* TEXT: one character */
};

enum ntmpl_sign_place { NTMPL_SIGN_NONE, NTMPL_SIGN_BEFORE, NTMPL_SIGN_BEHIND };

struct ntmpl {
    struct ntmpl_node *nodes;
    uint32_t count;
    int pre;                    /* digits before the point */
    int post;                   /* … behind it */
    int multi;                  /* V: shifted by that many digits */
    int zero_start;             /* the place of the first 0 before the point */
    int zero_end;               /* … of the last 0 */
    enum ntmpl_sign_place sign; /* S */
    int sign_pre;               /* digits before it */
    bool fill;                  /* FM */
    bool point;
    bool zero;
    bool minus; /* MI, SG */
    bool plus;  /* PL, SG */
    bool bracket;
    bool roman;
    bool roman_lower;
    bool eeee;
    bool has_multi;
};

#define NTMPL_MAX 65536u /* bytes of a template */

/* DN_E_SYNTAX: patterns that do not go together. DN_E_LIMIT. */
int ntmpl_parse(struct vstr s, struct arena *arena, struct ntmpl *ret, struct dn_err *err)
    DN_MUST_CHECK;
