/* SPDX-License-Identifier: Apache-2.0
 *
 * regex_tr.h: inside regex*.c: the state of a translation from ARE to PCRE2. One thread at a time.
 */
#pragma once

#include "func/regex.h"

#include <string.h>

#define TR_DEPTH 200u

enum tr_prefer { TR_NONE, TR_LONG, TR_SHORT };

/* One open parenthesis; [0] is the whole. */
struct tr_group {
    enum tr_prefer branch; /* of this branch so far */
    bool many;             /* has branches */
    bool captures;
    bool look; /* a constraint: nothing may repeat it */
};

#define TR_NO_SINGLE SIZE_MAX

struct tr {
    const char *p;
    const char *end;
    struct buf *b;
    struct dn_err *err;
    uint32_t flags;
    uint32_t depth;
    uint32_t looks;  /* open look-arounds: groups in them do not capture */
    uint32_t opened; /* capturing groups */
    uint32_t closed;
    uint32_t quantifiers;
    bool branches;
    bool atom;            /* there is something to repeat */
    bool repeated;        /* a quantifier stands there already */
    size_t single;        /* where the atom begins in b; TR_NO_SINGLE: it is a group */
    enum tr_prefer inner; /* of the atom */
    struct tr_group stack[TR_DEPTH];
};

static inline int tr_fail(const struct tr *t, const char *why)
{
    return DN_FAIL(t->err, DN_E_BAD_REGEX, "invalid regular expression: %s", why);
}

static inline bool tr_more(const struct tr *t)
{
    return t->p < t->end;
}

static inline bool tr_next_is(const struct tr *t, const char *s)
{
    size_t n = strlen(s);

    return (size_t)(t->end - t->p) >= n && memcmp(t->p, s, n) == 0;
}

static inline bool tr_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The character c, which is taken, starts a quantifier (regex_repeat.c). */
int regex_tr_repeat(struct tr *t, char c) DN_MUST_CHECK;
