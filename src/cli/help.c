/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c: \h: what a statement looks like, in a few lines each; docs/sql has the whole story. */
#include "cli/help.h"

#include <string.h>
#include <strings.h>

static const struct help_topic {
    const char *name;
    const char *text;
} help_topics[] = {
#define DN_HELP(name, text) {name, text},
#include "cli/help_list.h"
#undef DN_HELP
};

#define HELP_TOPICS (sizeof help_topics / sizeof help_topics[0])

/* Does the name begin with these words? */
static bool help_matches(const char *name, const char *words)
{
    return strncasecmp(name, words, strlen(words)) == 0;
}

void help_names(void (*offer)(const char *word, const char *typed, size_t len),
                const char *typed,
                size_t len)
{
    for (size_t i = 0; i < HELP_TOPICS; i++)
        offer(help_topics[i].name, typed, len);
}

bool help_print(const char *words, FILE *to)
{
    bool found = false;

    if (!*words) {
        (void)fputs("\\h STATEMENT tells how one is written. There are:\n", to);
        for (size_t i = 0; i < HELP_TOPICS; i++)
            (void)fprintf(to, "  %s\n", help_topics[i].name);
        return true;
    }
    for (size_t i = 0; i < HELP_TOPICS; i++) {
        if (!help_matches(help_topics[i].name, words))
            continue;
        (void)fprintf(to, "%s%s", found ? "\n" : "", help_topics[i].text);
        found = true;
    }
    return found;
}
