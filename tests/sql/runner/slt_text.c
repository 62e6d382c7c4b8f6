/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_text.c: see slt_text.h. */
#include "slt_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLT_REAL_TOLERANCE 1e-12

void *slt_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p) {
        fprintf(stderr, "slt: out of memory\n");
        exit(2);
    }
    return p;
}

char *slt_strndup(const char *s, size_t len)
{
    char *copy = slt_alloc(len + 1);

    memcpy(copy, s, len);
    return copy;
}

char *slt_strdup(const char *s)
{
    return slt_strndup(s, strlen(s));
}

char *slt_printf(const char *fmt, ...)
{
    va_list args;
    int len;
    char *text;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    text = slt_alloc((size_t)len + 1);
    va_start(args, fmt);
    vsnprintf(text, (size_t)len + 1, fmt, args);
    va_end(args);
    return text;
}

void slt_append(char **text, const char *sep, const char *more)
{
    char *whole = *text ? slt_printf("%s%s%s", *text, sep, more) : slt_strdup(more);

    free(*text);
    *text = whole;
}

void slt_list_add(struct slt_list *list, char *item)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 8;
        char **items = slt_alloc(room * sizeof(*items));

        if (list->count)
            memcpy(items, list->items, list->count * sizeof(*items));
        free(list->items);
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
}

void slt_list_clear(struct slt_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct slt_list){0};
}

static int slt_compare(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;

    return strcmp(*left, *right);
}

void slt_list_sort(struct slt_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof(list->items[0]), slt_compare);
}

char *slt_trim(const char *s, size_t len)
{
    while (len && isspace((unsigned char)s[0])) {
        s++;
        len--;
    }
    while (len && isspace((unsigned char)s[len - 1]))
        len--;
    return slt_strndup(s, len);
}

/* The letter after the backslash for a character that needs one, 0 for the others. */
static char slt_escape_letter(char c)
{
    switch (c) {
    case '\\':
        return '\\';
    case '|':
        return '|';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    case '\0':
        return '0';
    default:
        return 0;
    }
}

char *slt_escape(const char *value, size_t len)
{
    char *out;
    size_t n = 0;

    if (!value)
        return slt_strdup("NULL");
    if (len == 0)
        return slt_strdup("(empty)");
    if (len == 4 && memcmp(value, "NULL", 4) == 0)
        return slt_strdup("\\NULL");
    out = slt_alloc(len * 2 + 1);
    for (size_t i = 0; i < len; i++) {
        char letter = slt_escape_letter(value[i]);

        /* White space at an end would be trimmed away in the script. */
        if (value[i] == ' ' && (i == 0 || i == len - 1))
            letter = 's';
        if (letter)
            out[n++] = '\\';
        out[n++] = letter ? letter : value[i];
    }
    return out;
}

char *slt_unescape(const char *written)
{
    char *out = slt_alloc(strlen(written) + 1);
    size_t n = 0;

    for (const char *p = written; *p; p++) {
        if (*p == '\\' && p[1]) {
            p++;
            out[n++] = *p == 'n'   ? '\n'
                       : *p == 'r' ? '\r'
                       : *p == 't' ? '\t'
                       : *p == 's' ? ' '
                                   : *p;
        } else {
            out[n++] = *p;
        }
    }
    return out;
}

void slt_split_row(const char *row, struct slt_list *ret_fields)
{
    const char *start = row;
    const char *p = row;

    for (;; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '|' || *p == '\0') {
            slt_list_add(ret_fields, slt_trim(start, (size_t)(p - start)));
            start = p + 1;
        }
        if (*p == '\0')
            break;
    }
}

bool slt_value_equal(const char *expected, const char *got, bool real)
{
    char *expected_end;
    char *got_end;
    double a;
    double b;

    if (strcmp(expected, got) == 0)
        return true;
    if (!real)
        return false;
    a = strtod(expected, &expected_end);
    b = strtod(got, &got_end);
    if (expected_end == expected || *expected_end || got_end == got || *got_end)
        return false;
    return fabs(a - b) <= SLT_REAL_TOLERANCE * fmax(fabs(a), fabs(b));
}

size_t slt_width(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}
