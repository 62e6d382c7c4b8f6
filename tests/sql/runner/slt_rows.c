/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_rows.c: see slt_rows.h. */
#include "slt_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void slt_pad(const char *text, size_t width)
{
    size_t have = slt_width(text);

    printf("%s", text);
    for (; have < width; have++)
        putchar(' ');
}

void slt_side_by_side(const struct slt_list *expected, const struct slt_list *got)
{
    size_t count = expected->count > got->count ? expected->count : got->count;
    size_t width = strlen("expected");

    for (size_t i = 0; i < expected->count; i++) {
        if (slt_width(expected->items[i]) > width)
            width = slt_width(expected->items[i]);
    }
    printf("    ");
    slt_pad("expected", width);
    printf("  ║ got\n");
    for (size_t i = 0; i < count; i++) {
        const char *left = i < expected->count ? expected->items[i] : "";
        const char *right = i < got->count ? got->items[i] : "";
        bool same = i < expected->count && i < got->count && strcmp(left, right) == 0;

        printf("  %c ", same ? ' ' : '!');
        slt_pad(left, width);
        printf("  ║ %s\n", right);
    }
}

bool slt_types_fit(const char *expected, const char *got)
{
    if (strlen(expected) != strlen(got))
        return false;
    for (size_t i = 0; expected[i]; i++) {
        bool text = expected[i] == 'T' && strchr("TBDXN", got[i]);
        bool number = expected[i] == 'R' && got[i] == 'N';

        if (expected[i] != got[i] && expected[i] != '?' && !text && !number)
            return false;
    }
    return true;
}

void slt_format_rows(const struct slt_list *values, size_t columns, struct slt_list *ret_lines)
{
    for (size_t start = 0; start + columns <= values->count; start += columns) {
        char *line = NULL;

        for (size_t i = 0; i < columns; i++) {
            size_t width = 0;
            char *field;

            for (size_t k = i; i + 1 < columns && k < values->count; k += columns) {
                size_t w = slt_width(values->items[k]);

                width = w > width ? w : width;
            }
            field = slt_strdup(values->items[start + i]);
            while (slt_width(field) < width)
                slt_append(&field, "", " ");
            slt_append(&line, " | ", field);
            free(field);
        }
        slt_list_add(ret_lines, line);
    }
}

bool slt_expected_values(const struct slt_record *r, size_t columns, struct slt_list *ret_values)
{
    for (size_t i = 0; i < r->expected.count; i++) {
        size_t before = ret_values->count;

        slt_split_row(r->expected.items[i], ret_values);
        if (ret_values->count - before != columns)
            return false;
    }
    return true;
}

void slt_sort_rows(struct slt_list *values, size_t columns)
{
    struct slt_list lines = {0};

    for (size_t start = 0; start + columns <= values->count; start += columns) {
        char *line = NULL;

        for (size_t i = 0; i < columns; i++)
            slt_append(&line, " | ", values->items[start + i]);
        slt_list_add(&lines, line);
    }
    slt_list_sort(&lines);
    slt_list_clear(values);
    for (size_t i = 0; i < lines.count; i++)
        slt_split_row(lines.items[i], values);
    slt_list_clear(&lines);
}

bool slt_values_equal(const struct slt_record *r,
                      const struct slt_list *expected,
                      const struct slt_list *got,
                      size_t columns)
{
    if (expected->count != got->count)
        return false;
    for (size_t i = 0; i < got->count; i++) {
        bool real =
            r->sort == SLT_VALUESORT ? strchr(r->types, 'R') != NULL : r->types[i % columns] == 'R';

        if (!slt_value_equal(expected->items[i], got->items[i], real))
            return false;
    }
    return true;
}
