/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_text.h: strings of the SQL script runner. The runner is a client of libdendro and uses the
 * C library alone; when memory runs out it stops the program. One thread at a time. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A list of owned strings. All zero is the empty list. */
struct slt_list {
    char **items; /* owned, each owned */
    size_t count; /* items in use */
    size_t room;  /* items allocated */
};

void *slt_alloc(size_t size);
char *slt_strdup(const char *s);
char *slt_strndup(const char *s, size_t len);
/* A new string, owned by the caller. */
char *slt_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Replaces *text (owned) by *text, sep and more; *text may be NULL. */
void slt_append(char **text, const char *sep, const char *more);

void slt_list_add(struct slt_list *list, char *item); /* takes item over */
void slt_list_clear(struct slt_list *list);
void slt_list_sort(struct slt_list *list);

/* The whole text without white space at both ends; owned by the caller. */
char *slt_trim(const char *s, size_t len);
/* A value as scripts write it: NULL, (empty), and escapes for what would be taken for syntax. */
char *slt_escape(const char *value, size_t len);
/* The text that slt_escape has written so; owned by the caller. Not for NULL and (empty). */
char *slt_unescape(const char *written);
/* Splits a row at each bar that has no backslash before it; fields are trimmed. */
void slt_split_row(const char *row, struct slt_list *ret_fields);
/* Textual equality; with real, numbers may differ by 1e-12 of the larger one. */
bool slt_value_equal(const char *expected, const char *got, bool real);
/* The number of characters (not bytes) of UTF-8 text. */
size_t slt_width(const char *s);
