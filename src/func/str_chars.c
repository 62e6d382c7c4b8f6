/* SPDX-License-Identifier: Apache-2.0
 *
 * str_chars.c: characters by their place in a text, for translate and trim. The text is looked
 * through for each question until that has cost as much as a table of all characters of Unicode,
 * which is then made: most texts are short, and a table has some megabytes. */
#include "func/str_chars.h"

#include <utf8proc.h>

#define STR_CHARS_ALL 0x110000u

/* The character at a byte, and how long it is; -1: it is none. */
static int32_t str_char(struct vstr s, uint32_t at, uint32_t *ret_len)
{
    utf8proc_int32_t ch;
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)(s.len - at), &ch);

    *ret_len = str_char_len(s, at);
    return n == (utf8proc_ssize_t)*ret_len ? ch : -1;
}

static int str_chars_tabulate(struct str_chars *set, const struct str_call *c)
{
    uint64_t steps = 0;
    uint32_t len;

    set->places = mem_calloc(c->ctx->arena->owner, STR_CHARS_ALL, sizeof *set->places);
    if (!set->places)
        return DN_FAIL_NOMEM(c->err);
    for (uint32_t at = 0, b = 0; at < set->chars.len; at += len) {
        int32_t ch = str_char(set->chars, at, &len);
        int rc = str_steps(c, 1, &steps);

        if (rc < 0)
            return rc;
        if (ch >= 0 && !set->places[ch])
            set->places[ch] = b + 1;
        b = str_skip(set->beside, b, 1);
    }
    return 0;
}

void str_chars_done(struct str_chars *set)
{
    mem_free(set->places);
    set->places = NULL;
}

/* Looks through the text. */
static int str_chars_look(struct str_chars *set,
                          const struct str_call *c,
                          struct vstr s,
                          uint32_t at,
                          uint32_t *ret_beside)
{
    uint32_t len = str_char_len(s, at);
    uint64_t steps = 0;
    uint32_t b = 0;

    for (uint32_t f = 0; f < set->chars.len; f = str_skip(set->chars, f, 1)) {
        int rc = str_steps(c, 1, &steps);

        if (rc < 0)
            return rc;
        set->looked++;
        if (str_char_len(set->chars, f) == len &&
            memcmp(set->chars.ptr + f, s.ptr + at, len) == 0) {
            *ret_beside = b;
            return 1;
        }
        b = str_skip(set->beside, b, 1);
    }
    return 0;
}

int str_chars_find(struct str_chars *set,
                   const struct str_call *c,
                   struct vstr s,
                   uint32_t at,
                   uint32_t *ret_beside)
{
    uint32_t len;
    int32_t ch;
    int rc;

    if (!set->places && set->looked < STR_CHARS_ALL)
        return str_chars_look(set, c, s, at, ret_beside);
    rc = set->places ? 0 : str_chars_tabulate(set, c);
    if (rc < 0)
        return rc;
    ch = str_char(s, at, &len);
    if (ch < 0 || !set->places[ch])
        return 0;
    *ret_beside = set->places[ch] - 1;
    return 1;
}
