/* SPDX-License-Identifier: Apache-2.0
 *
 * str_chars.c: characters by their place in a text, for translate and trim: a short text is looked
 * through each time, of a long one there is a table of all characters of Unicode. */
#include "func/str_chars.h"

#include <utf8proc.h>

#define STR_CHARS_SHORT 64u /* bytes that are looked through */
#define STR_CHARS_ALL   0x110000u

/* The character at a byte, and how long it is; -1: it is none. */
static int32_t str_char(struct vstr s, uint32_t at, uint32_t *ret_len)
{
    utf8proc_int32_t ch;
    utf8proc_ssize_t n = utf8proc_iterate(
        (const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)(s.len - at), &ch);

    *ret_len = str_char_len(s, at);
    return n == (utf8proc_ssize_t)*ret_len ? ch : -1;
}

int str_chars_make(const struct str_call *c,
                   struct vstr chars,
                   struct vstr beside,
                   struct str_chars *ret)
{
    uint64_t steps = 0;
    uint32_t len;
    int rc;

    *ret = (struct str_chars){.chars = chars, .beside = beside};
    if (chars.len <= STR_CHARS_SHORT)
        return 0;
    ret->places = arena_calloc(c->ctx->arena, STR_CHARS_ALL, sizeof *ret->places);
    if (!ret->places)
        return DN_FAIL_NOMEM(c->err);
    for (uint32_t at = 0, b = 0; at < chars.len; at += len) {
        int32_t ch = str_char(chars, at, &len);

        if (ch >= 0 && !ret->places[ch])
            ret->places[ch] = b + 1;
        b = str_skip(beside, b, 1);
        rc = str_steps(c, 1, &steps);
        if (rc < 0)
            return rc;
    }
    return 0;
}

bool str_chars_find(const struct str_chars *set, struct vstr s, uint32_t at, uint32_t *ret_beside)
{
    uint32_t len;
    uint32_t b = 0;

    if (set->places) {
        int32_t ch = str_char(s, at, &len);

        if (ch < 0 || !set->places[ch])
            return false;
        *ret_beside = set->places[ch] - 1;
        return true;
    }
    len = str_char_len(s, at);
    for (uint32_t f = 0; f < set->chars.len; f = str_skip(set->chars, f, 1)) {
        if (str_char_len(set->chars, f) == len &&
            memcmp(set->chars.ptr + f, s.ptr + at, len) == 0) {
            *ret_beside = b;
            return true;
        }
        b = str_skip(set->beside, b, 1);
    }
    return false;
}
