/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_sniff.h"

#define SNIFF_RECORDS 64u
#define SNIFF_BYTES   (256u * 1024)

/* In a text with decimal commas every line may have as many commas as the next: of delimiters that
 * fit equally well the first is taken. */
static const char sniff_delimiters[] = {';', '\t', '|', ','};

struct sniff_score {
    uint32_t alike; /* records with as many cells as the first */
    uint32_t cells; /* of the first record */
};

/* Quoted stretches are passed over, whatever stands in them. */
static struct sniff_score sniff_score(const char *text, size_t len, char delimiter, char quote)
{
    struct sniff_score score = {.cells = 0};
    uint32_t records = 0;
    uint32_t cells = 1;
    bool quoted = false;
    bool any = false; /* something stands in the record */

    for (size_t i = 0; i < len && records < SNIFF_RECORDS; i++) {
        if (text[i] == quote)
            quoted = !quoted;
        any = any || (text[i] != '\n' && text[i] != '\r');
        if (!quoted && text[i] == delimiter)
            cells++;
        if (quoted || (text[i] != '\n' && i + 1 < len))
            continue;
        if (any) {
            score.cells = records == 0 ? cells : score.cells;
            score.alike += cells == score.cells;
            records++;
        }
        cells = 1;
        any = false;
    }
    return score;
}

static bool sniff_better(const struct sniff_score *a, const struct sniff_score *b)
{
    if ((a->cells > 1) != (b->cells > 1))
        return a->cells > 1;
    return a->alike > b->alike;
}

/* 'a';'b' in single quotes: cells begin and end with them, and there are no double ones. */
static char sniff_quote(const char *text, size_t len)
{
    size_t opening = 0;

    if (memchr(text, '"', len))
        return '"';
    for (size_t i = 0; i < len; i++)
        opening +=
            text[i] == '\'' && (i == 0 || text[i - 1] == '\n' ||
                                memchr(sniff_delimiters, text[i - 1], sizeof sniff_delimiters));
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\'' && i + 1 < len && text[i + 1] != '\r' && text[i + 1] != '\n' &&
            text[i + 1] != '\'' &&
            !memchr(sniff_delimiters, text[i + 1], sizeof sniff_delimiters) && i > 0 &&
            text[i - 1] != '\n' && text[i - 1] != '\'' &&
            !memchr(sniff_delimiters, text[i - 1], sizeof sniff_delimiters))
            return '"'; /* an apostrophe within a word */
    return opening > 1 ? '\'' : '"';
}

void csv_sniff(const char *text, size_t len, struct csv_format *f)
{
    struct sniff_score best = {.cells = 0};

    len = len < SNIFF_BYTES ? len : SNIFF_BYTES;
    if (!f->quote)
        f->quote = f->delimiter == '"' ? '\'' : sniff_quote(text, len);
    if (f->delimiter)
        return;
    f->delimiter = ',';
    for (size_t i = 0; i < sizeof sniff_delimiters; i++) {
        struct sniff_score score = sniff_score(text, len, sniff_delimiters[i], f->quote);

        if (sniff_delimiters[i] != f->quote && sniff_better(&score, &best)) {
            best = score;
            f->delimiter = sniff_delimiters[i];
        }
    }
    if (best.cells < 2)
        f->delimiter = ','; /* one column: nothing was found out */
}
