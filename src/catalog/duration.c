/* SPDX-License-Identifier: Apache-2.0
 *
 * duration.c: a duration is a list of "number unit" pairs that add up. */
#include "catalog/duration.h"

#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *word;
    int64_t seconds;
} duration_words[] = {
    {"s", 1},          {"sec", 1},     {"secs", 1},     {"second", 1},  {"seconds", 1},
    {"m", 60},         {"min", 60},    {"mins", 60},    {"minute", 60}, {"minutes", 60},
    {"h", 3600},       {"hr", 3600},   {"hrs", 3600},   {"hour", 3600}, {"hours", 3600},
    {"d", 86400},      {"day", 86400}, {"days", 86400}, {"w", 604800},  {"week", 604800},
    {"weeks", 604800},
};

const char *duration_skip_spaces(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

static bool duration_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int64_t duration_word(const char *word)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(duration_words); i++)
        if (strcasecmp(duration_words[i].word, word) == 0)
            return duration_words[i].seconds;
    return 0;
}

const char *duration_pair(const char *s, int64_t *ret_count, char word[DURATION_WORD_MAX])
{
    size_t digits = number_is_digit(*s) ? number_int(s, strlen(s), ret_count) : 0;
    size_t len = 0;

    if (digits == 0)
        return NULL;
    s = duration_skip_spaces(s + digits);
    for (; duration_is_letter(s[len]); len++) {
        if (len + 1 == DURATION_WORD_MAX)
            return NULL;
        word[len] = s[len];
    }
    word[len] = '\0';
    return len > 0 ? duration_skip_spaces(s + len) : NULL;
}

bool duration_parse(const char *text, int64_t *ret_seconds)
{
    const char *s = duration_skip_spaces(text);
    char word[DURATION_WORD_MAX];
    int64_t total = 0;

    do {
        int64_t count;

        s = duration_pair(s, &count, word);
        if (!s || duration_word(word) == 0 ||
            __builtin_mul_overflow(count, duration_word(word), &count) ||
            __builtin_add_overflow(total, count, &total))
            return false;
    } while (*s);
    *ret_seconds = total;
    return true;
}

int64_t duration_unit(char letter)
{
    switch (letter) {
    case 'd':
    case 'D':
        return 86400;
    case 'h':
    case 'H':
        return 3600;
    case 'm':
    case 'M':
        return 60;
    case 's':
    case 'S':
        return 1;
    default:
        return 0;
    }
}

void duration_split(int64_t seconds, int64_t *ret_count, char *ret_unit)
{
    static const char units[] = {'d', 'h', 'm', 's'};

    for (size_t i = 0; i < sizeof units; i++)
        if (seconds % duration_unit(units[i]) == 0 && (seconds > 0 || units[i] == 's')) {
            *ret_count = seconds / duration_unit(units[i]);
            *ret_unit = units[i];
            return;
        }
}

void duration_print(int64_t seconds, char ret[DURATION_TEXT_MAX])
{
    int64_t count = 0;
    char unit = 's';

    duration_split(seconds, &count, &unit);
    (void)snprintf(ret, DURATION_TEXT_MAX, "%" PRId64 "%c", count, unit);
}
