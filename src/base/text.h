/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h: small questions about words: is it UTF-8, are two names equal but for case, which known
 * word was probably meant. No allocation anywhere, so error paths may call all of it. Any thread,
 * except struct text_near: one thread at a time. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TEXT_NEAR_MAX 64u /* characters; longer words are never suggested */

/* Well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. NUL is a character.
 * For what is stored already. */
bool text_utf8_valid(const char *s, size_t len);
/* The same without NUL: what a text value may be on its way in, whichever way that is. */
bool text_value_valid(const char *s, size_t len);

/* The character as UTF-8; how many bytes that is. For code points up to U+10FFFF. */
size_t text_utf8_put(uint32_t code, char to[4]);
/* Bytes of the character that the text begins with; 0: it begins with none. */
size_t text_utf8_len(const char *s, size_t len);

/* Is the character one of the set? A zero byte never is, which strchr() would find at the set's
 * end: texts from outside have them. */
static inline bool text_one_of(int c, const char *set)
{
    return c != 0 && strchr(set, c) != NULL;
}

/* Equal when upper and lower case are the same (simple mapping of Unicode, character by character).
 * Text that is no UTF-8 compares by bytes. */
bool text_same_fold(const char *a, size_t a_len, const char *b, size_t b_len);

/* "Perhaps you meant": the best candidate within a small edit distance (one edit for words up to
 * five characters, two up to eight, then three; a swap of neighbours is one edit; case costs
 * nothing).
 *
 *     struct text_near near = text_near_make(word);
 *     for (…) text_near_try(&near, candidate);
 *     if (near.best) …
 */
struct text_near {
    int32_t word[TEXT_NEAR_MAX]; /* folded */
    unsigned len;                /* of it; 0: nothing is near */
    const char *best;            /* borrowed, NULL = none near enough; the first of equals */
    unsigned distance;           /* of best */
    unsigned distance_max;       /* more is not near */
};

struct text_near text_near_make(const char *word);
void text_near_try(struct text_near *near, const char *candidate);

/* The same over an array; NULL if none is near. */
const char *text_suggest(const char *word, const char *const *candidates, size_t count);
