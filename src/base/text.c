/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: names are decoded into arrays of folded code points on the stack, then compared there.
 * The distance is that of optimal string alignment: insert, delete, replace, swap neighbours. */
#include "base/text.h"

#include <string.h>
#include <utf8proc.h>

/* The next code point, -1 when the bytes are no UTF-8. */
static int32_t text_next(const char *s, size_t len, size_t *ret_used)
{
    utf8proc_int32_t cp;
    utf8proc_ssize_t n;
    size_t part = len < 4 ? len : 4;

    n = utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)part, &cp);
    if (n <= 0)
        return -1;
    *ret_used = (size_t)n;
    return cp;
}

bool text_utf8_valid(const char *s, size_t len)
{
    size_t at = 0;
    size_t used = 0;

    while (at < len) {
        uint64_t eight;

        if (len - at >= sizeof eight) {
            memcpy(&eight, s + at, sizeof eight);
            if ((eight & 0x8080808080808080) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        if ((unsigned char)s[at] < 0x80) {
            at++;
            continue;
        }
        if (text_next(s + at, len - at, &used) < 0)
            return false;
        at += used;
    }
    return true;
}

size_t text_utf8_put(uint32_t code, char to[4])
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    DN_ASSERT(code <= 0x10FFFF);
    to[0] = (char)(0xF0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F));
    to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

size_t text_utf8_len(const char *s, size_t len)
{
    size_t used = 0;

    return len > 0 && text_next(s, len, &used) >= 0 ? used : 0;
}

bool text_value_valid(const char *s, size_t len)
{
    return (len == 0 || !memchr(s, '\0', len)) && text_utf8_valid(s, len);
}

bool text_same_fold(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t i = 0;
    size_t j = 0;
    size_t used_a = 0;
    size_t used_b = 0;

    while (i < a_len && j < b_len) {
        int32_t x = text_next(a + i, a_len - i, &used_a);
        int32_t y = text_next(b + j, b_len - j, &used_b);

        if (x < 0 || y < 0)
            return a_len - i == b_len - j && memcmp(a + i, b + j, a_len - i) == 0;
        if (x != y && utf8proc_tolower(x) != utf8proc_tolower(y))
            return false;
        i += used_a;
        j += used_b;
    }
    return i == a_len && j == b_len;
}

/* Folded code points of a word; TEXT_NEAR_MAX + 1 when it is too long or no UTF-8. */
static unsigned text_fold(const char *s, int32_t ret[TEXT_NEAR_MAX])
{
    size_t len = strnlen(s, 4 * TEXT_NEAR_MAX + 1);
    unsigned n = 0;
    size_t used = 0;

    for (size_t at = 0; at < len; at += used) {
        int32_t cp = text_next(s + at, len - at, &used);

        if (cp < 0 || n == TEXT_NEAR_MAX)
            return TEXT_NEAR_MAX + 1;
        ret[n++] = utf8proc_tolower(cp);
    }
    return n;
}

static unsigned text_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edits from a to b; from max + 1 on it may say less than there are. */
static unsigned
text_distance(const int32_t *a, unsigned a_len, const int32_t *b, unsigned b_len, unsigned max)
{
    unsigned rows[3][TEXT_NEAR_MAX + 1]; /* two rows back, one back, this one */
    unsigned *before = rows[0];
    unsigned *last = rows[1];
    unsigned *now = rows[2];
    unsigned least_before = 0; /* of the row before */

    if (a_len > b_len + max || b_len > a_len + max)
        return max + 1; /* each letter more is an edit */
    for (unsigned j = 0; j <= b_len; j++)
        last[j] = before[j] = j;
    for (unsigned i = 1; i <= a_len; i++) {
        unsigned *free_row = before;
        unsigned least = i;

        now[0] = i;
        for (unsigned j = 1; j <= b_len; j++) {
            unsigned cost = a[i - 1] == b[j - 1] ? 0 : 1;

            now[j] = text_min(text_min(last[j], now[j - 1]) + 1, last[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = text_min(now[j], before[j - 2] + 1);
            least = text_min(least, now[j]);
        }
        if (least > max && least_before > max)
            return max + 1; /* a swap looks two rows back, nothing looks further */
        least_before = least;
        before = last;
        last = now;
        now = free_row;
    }
    return last[b_len];
}

struct text_near text_near_make(const char *word)
{
    struct text_near near = {.len = 0};
    unsigned len = text_fold(word, near.word);

    if (len <= TEXT_NEAR_MAX) {
        near.len = len;
        near.distance_max = len <= 1 ? 0 : len <= 5 ? 1 : len <= 8 ? 2 : 3;
    }
    return near;
}

void text_near_try(struct text_near *near, const char *candidate)
{
    int32_t b[TEXT_NEAR_MAX];
    unsigned max = near->distance_max;
    unsigned b_len;
    unsigned distance;

    if (near->len == 0 || strnlen(candidate, near->len) + max < near->len)
        return; /* a character has a byte at least */
    b_len = text_fold(candidate, b);
    if (b_len > TEXT_NEAR_MAX)
        return;
    distance = text_distance(near->word, near->len, b, b_len, max);
    if (distance > max || (near->best && distance >= near->distance))
        return;
    near->best = candidate;
    near->distance = distance;
}

const char *text_suggest(const char *word, const char *const *candidates, size_t count)
{
    struct text_near near = text_near_make(word);

    for (size_t i = 0; i < count; i++)
        text_near_try(&near, candidates[i]);
    return near.best;
}
