/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c: \h: how a statement is written. The texts are those of the pages in docs/sql:
 * tools/gen_help.py makes help_list.h of them. */
#include "cli/help.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define HELP_WHOLE 3u /* of more statements than that only the names are told */

static const struct help_topic {
    const char *name;
    const char *text;
    const char *example; /* "": none */
    const char *pages;
} help_topics[] = {
#define DN_HELP(name, text, example, pages) {name, text, example, pages},
#include "cli/help_list.h"
#undef DN_HELP
};

#define HELP_TOPICS (sizeof help_topics / sizeof help_topics[0])

/* Does the name begin with these words, of which the last may be a beginning? */
static bool help_begins(const char *name, const char *words, size_t len)
{
    return strncasecmp(name, words, len) == 0;
}

static bool help_is(const char *name, const char *words, size_t len)
{
    return help_begins(name, words, len) && name[len] == '\0';
}

void help_names(void (*offer)(const char *word, const char *typed, size_t len),
                const char *typed,
                size_t len)
{
    for (size_t i = 0; i < HELP_TOPICS; i++)
        offer(help_topics[i].name, typed, len);
}

static void help_topic_print(const struct help_topic *t, FILE *to)
{
    (void)fprintf(to, "%s\n", t->text);
    if (*t->example)
        (void)fprintf(to, "for example: %s\n", t->example);
    (void)fprintf(to, "more: %s\n", t->pages);
}

static void help_list(const char *words, size_t len, FILE *to)
{
    int column = 0;

    for (size_t i = 0; i < HELP_TOPICS; i++) {
        if (!help_begins(help_topics[i].name, words, len))
            continue;
        (void)fprintf(to, column == 2 ? "  %s\n" : "  %-26s", help_topics[i].name);
        column = (column + 1) % 3;
    }
    if (column > 0)
        (void)fputc('\n', to);
}

bool help_print(const char *words, FILE *to)
{
    size_t len = strlen(words);
    size_t found = 0;
    bool exact = false;

    while (len > 0 && (isspace((unsigned char)words[len - 1]) || words[len - 1] == ';'))
        len--;
    for (size_t i = 0; i < HELP_TOPICS; i++) {
        found += help_begins(help_topics[i].name, words, len);
        exact = exact || help_is(help_topics[i].name, words, len);
    }
    if (len == 0)
        (void)fputs(
            "\\h STATEMENT tells how one is written, \\h FUNCTION what it does. There are:\n", to);
    if (len == 0 || (found > HELP_WHOLE && !exact)) {
        help_list(words, len, to);
        return found > 0;
    }
    found = 0;
    for (size_t i = 0; i < HELP_TOPICS; i++) {
        if (!(exact ? help_is(help_topics[i].name, words, len)
                    : help_begins(help_topics[i].name, words, len)))
            continue;
        if (found++ > 0)
            (void)fputc('\n', to);
        help_topic_print(&help_topics[i], to);
    }
    return found > 0;
}
