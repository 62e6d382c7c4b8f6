/* SPDX-License-Identifier: Apache-2.0
 *
 * regex.h: PostgreSQL's advanced regular expressions (ARE), on PCRE2. A pattern is translated, what
 * is no ARE is refused, and a match has PostgreSQL's extent: the leftmost, there the longest, or
 * the shortest if the first quantifier that has a preference is not greedy. Letters are Unicode's,
 * as for lower() and ILIKE. Limits of steps, depth and memory: no pattern runs on for ever.
 *
 * Known differences: each branch of a look-behind must have a fixed length; which part of a match a
 * group takes is decided from left to right and first branch first, where PostgreSQL tries the
 * longest.
 *
 * A regex belongs to one thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

#include <stdatomic.h>

/* Groups that can be asked for; \1 to \9 and the numbers of regexp_substr are among them. */
#define REGEX_GROUPS      100u
/* Bytes of a pattern; PCRE2 takes 64 kB of its code. */
#define REGEX_PATTERN_MAX 131072u
/* Texts that a pattern has searched when it is compiled to machine code: to search fewer is less
 * work than to compile. */
#define REGEX_JIT_AFTER   64u

enum regex_flag {
    REGEX_NO_CASE = 1,
    REGEX_DOT_NOT_LF = 2, /* . and [^a] do not match a line feed */
    REGEX_LINES = 4,      /* ^ and $ match at lines too */
    REGEX_EXPANDED = 8,   /* white space and # comments are left away */
    REGEX_LITERAL = 16,
    REGEX_GLOBAL = 32, /* of functions that do something for every match */
};

struct regex;

struct regex_span {
    uint32_t from; /* UINT32_MAX: the group took no part */
    uint32_t to;
};

/* The letters of a flags argument, PostgreSQL's: c e g i m n p q s t w x. DN_E_INVALID_PARAM. */
int regex_flags(struct vstr text, uint32_t *ret, struct dn_err *err) DN_MUST_CHECK;

/* Memory is of the owner until regex_free. cancel (NULL = never) ends matches: DN_E_CANCELED.
 * DN_E_BAD_REGEX, DN_E_NOMEM. */
int regex_new(struct mem_owner *owner,
              struct vstr pattern,
              uint32_t flags,
              const atomic_bool *cancel,
              struct regex **ret,
              struct dn_err *err) DN_MUST_CHECK;
void regex_free(struct regex *re); /* NULL is fine */

/* Groups in parentheses. */
uint32_t regex_groups(const struct regex *re);

/* The first match from byte `from` on: 1, and ret[0] has its extent, ret[1 .. count - 1] what its
 * groups took; 0: there is none. count 0: only whether there is one. */
int regex_match(struct regex *re,
                struct vstr s,
                uint32_t from,
                struct regex_span *ret,
                uint32_t count,
                struct dn_err *err) DN_MUST_CHECK;

/* ---- inside regex*.c ---- */

/* In patterns: the statement may have to end. Before all of it (once for each place where a match
 * may start), and behind what is counted. */
#define REGEX_TRY_CALLOUT 1

struct regex_plan {
    uint32_t groups; /* that capture */
    bool shortest;   /* the match prefers to be short */
    bool ambiguous;  /* the extent must be looked for */
    bool lines;      /* ^ and $ at lines */
    bool no_case;
};

/* ***: and ***= and (?options) at the start: what follows them, and the flags they set. */
int regex_director(struct vstr *pattern, uint32_t *flags, struct dn_err *err) DN_MUST_CHECK;
/* The pattern as PCRE2 reads it, into b. */
int regex_translate(struct vstr pattern,
                    uint32_t flags,
                    struct buf *b,
                    struct regex_plan *ret,
                    struct dn_err *err) DN_MUST_CHECK;

/* SQL's pattern of SIMILAR TO as an ARE, into b. Escape and double quote mark the part that
 * substring() wants, which becomes group 1. escape: at most one character. */
int regex_similar(struct vstr pattern, struct vstr escape, struct buf *b, struct dn_err *err)
    DN_MUST_CHECK;
