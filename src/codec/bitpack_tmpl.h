/* SPDX-License-Identifier: Apache-2.0
 *
 * bitpack_tmpl.h: plain unpacking into lanes of one type. Expanded in bitpack.c.
 *
 * In:  BITPACK_LANE  the type of a lane
 *      BITPACK_NAME  the function: void (const uint8_t *p, uint32_t count, unsigned width, LANE
 * *to) Both are undefined at the bottom. No #pragma once: it is included once per type. */

/* The window of 64 bits that starts at value i's byte holds the value if width + 7 <= 64; wider
 * values may need a ninth byte. All but the last few values can load their window straight from
 * the input; the rest is unpacked from a padded copy, so that no byte beyond it is touched. */
static void BITPACK_NAME(const uint8_t *p, uint32_t count, unsigned width, BITPACK_LANE *to)
{
    size_t n = bitpack_size(count, width);
    uint64_t mask = bitpack_mask(width);
    uint32_t safe = 0;
    uint8_t tail[32] = {0};
    size_t tail_at;

    if (n >= BITPACK_WINDOW) {
        size_t last = ((n - BITPACK_WINDOW) * 8 + 7) / width; /* last value with a whole window */
        safe = last + 1 < count ? (uint32_t)(last + 1) : count;
    }
    if (width <= 57) {
        for (uint32_t i = 0; i < safe; i++) {
            size_t bit = (size_t)i * width;
            to[i] = (BITPACK_LANE)(bitpack_load(p + bit / 8) >> bit % 8 & mask);
        }
    } else {
        for (uint32_t i = 0; i < safe; i++)
            to[i] = (BITPACK_LANE)(bitpack_window(p, (size_t)i * width) & mask);
    }
    if (safe == count)
        return;
    tail_at = (size_t)safe * width / 8;
    memcpy(tail, p + tail_at, n - tail_at);
    for (uint32_t i = safe; i < count; i++)
        to[i] = (BITPACK_LANE)(bitpack_window(tail, (size_t)i * width - tail_at * 8) & mask);
}

#undef BITPACK_LANE
#undef BITPACK_NAME
