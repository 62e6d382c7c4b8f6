/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_scan.h"

/* Bit i: the number of bits set in mask up to and with i is odd. */
static uint64_t csv_odd(uint64_t mask)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        mask ^= mask << shift;
    return mask;
}

/* Line feeds and quotes of up to 64 bytes, without a byte read behind them. */
static void
csv_masks(const char *text, size_t len, char quote, uint64_t *ret_feeds, uint64_t *ret_quotes)
{
    char copy[CSV_BLOCK];

    if (len < CSV_BLOCK) {
        memset(copy, quote == 'x' ? 'y' : 'x', sizeof copy);
        memcpy(copy, text, len);
        text = copy;
    }
    *ret_feeds = csv_mask(text, '\n');
    *ret_quotes = csv_mask(text, quote);
}

size_t csv_split(const char *text, size_t len, char quote, bool *ret_open)
{
    uint64_t inside = 0; /* all ones while quoting is on */
    size_t end = 0;

    if (!memchr(text, quote, len)) {
        *ret_open = false;
        while (len > 0 && text[len - 1] != '\n')
            len--;
        return len;
    }
    for (size_t at = 0; at < len; at += CSV_BLOCK) {
        size_t left = len - at;
        uint64_t feeds;
        uint64_t quotes;
        uint64_t quoted;

        csv_masks(text + at, left, quote, &feeds, &quotes);
        quoted = csv_odd(quotes) ^ inside;
        inside = quoted >> 63 ? UINT64_MAX : 0;
        feeds &= ~quoted;
        if (feeds)
            end = at + 64 - (size_t)__builtin_clzll(feeds);
    }
    *ret_open = inside != 0;
    return end;
}

bool csv_ascii(const char *text, size_t len)
{
    uint64_t high = 0;
    size_t i = 0;

    for (; i + 64 <= len; i += 64) {
        uint64_t words[8];

        memcpy(words, text + i, sizeof words);
        for (unsigned k = 0; k < 8; k++)
            high |= words[k];
    }
    for (; i < len; i++)
        high |= (uint8_t)text[i];
    return (high & 0x8080808080808080u) == 0;
}
