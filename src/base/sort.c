/* SPDX-License-Identifier: Apache-2.0
 *
 * sort.c: pieces by qsort, then merged two by two between both places. */
#include "base/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SORT_PIECE ((size_t)16384) /* elements that are sorted without a look at the flag */

struct sort {
    size_t size;
    int (*cmp)(const void *a, const void *b);
    const atomic_bool *cancel; /* NULL = never */
};

/* [from, middle) and [middle, end) of one place become one piece of the other. */
static int sort_merge(const struct sort *s,
                      const uint8_t *from,
                      const uint8_t *middle,
                      const uint8_t *end,
                      uint8_t *to,
                      struct dn_err *err)
{
    const uint8_t *a = from;
    const uint8_t *b = middle;

    for (size_t n = 1; a < middle && b < end; n++, to += s->size) {
        const uint8_t **take = s->cmp(a, b) <= 0 ? &a : &b;
        int rc = n % SORT_PIECE == 0 ? dn_cancel_check(s->cancel, err) : 0;

        if (rc < 0)
            return rc;
        memcpy(to, *take, s->size);
        *take += s->size;
    }
    if (a < middle)
        memcpy(to, a, (size_t)(middle - a));
    else if (b < end)
        memcpy(to, b, (size_t)(end - b));
    return 0;
}

/* One pass: pieces of `width` elements become pieces of twice as many. */
static int sort_pass(const struct sort *s,
                     const uint8_t *from,
                     uint8_t *to,
                     size_t count,
                     size_t width,
                     struct dn_err *err)
{
    int rc;

    for (size_t at = 0; at < count; at += 2 * width) {
        size_t middle = count - at < width ? count : at + width;
        size_t end = count - at < 2 * width ? count : at + 2 * width;

        rc = dn_cancel_check(s->cancel, err);
        if (rc < 0)
            return rc;
        rc = sort_merge(s,
                        from + at * s->size,
                        from + middle * s->size,
                        from + end * s->size,
                        to + at * s->size,
                        err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int dn_sort(void *base,
            void *scratch,
            size_t count,
            size_t size,
            int (*cmp)(const void *a, const void *b),
            const atomic_bool *cancel,
            struct dn_err *err)
{
    const struct sort s = {.size = size, .cmp = cmp, .cancel = cancel};
    uint8_t *from = base;
    uint8_t *to = scratch;

    for (size_t at = 0; at < count; at += SORT_PIECE) {
        int rc = dn_cancel_check(cancel, err);

        if (rc < 0)
            return rc;
        qsort(from + at * size, count - at < SORT_PIECE ? count - at : SORT_PIECE, size, cmp);
    }
    for (size_t width = SORT_PIECE; width < count; width *= 2) {
        uint8_t *other = from;
        int rc = sort_pass(&s, from, to, count, width, err);

        if (rc < 0) {
            if (from != base) /* `from` has all of them, `to` some */
                memcpy(base, from, count * size);
            return rc;
        }
        from = to;
        to = other;
    }
    if (from != base)
        memcpy(base, from, count * size);
    return 0;
}
