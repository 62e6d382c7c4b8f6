/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_guess_key.c: which columns of a text are its key: the time, and the texts that tell rows of
 * the same time apart, by the rows at the beginning. */
#include "engine/csv_guess_int.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define GUESS_TAG_BYTES 64u /* longer texts are no tags */

bool csv_guess_time_name(const char *name)
{
    static const char *const words[] = {
        "time", "timestamp", "ts", "t", "date", "datetime", "epoch"};
    size_t len = strlen(name);

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        size_t n = strlen(words[i]);

        if (text_same_fold(name, len, words[i], n))
            return true;
        if (len > n && name[len - n - 1] == '_' && text_same_fold(name + len - n, n, words[i], n))
            return true;
    }
    return len > 3 && text_same_fold(name + len - 3, 3, "_at", 3);
}

static int guess_cmp(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

uint32_t csv_guess_count(struct guess *g)
{
    uint32_t n = g->sampled > 0;

    qsort(g->scratch, g->sampled, sizeof(*g->scratch), guess_cmp);
    for (uint32_t i = 1; i < g->sampled; i++)
        n += g->scratch[i] != g->scratch[i - 1];
    return n;
}

/* Do the time and the columns marked tell the rows apart? */
static bool guess_unique(struct guess *g)
{
    for (uint32_t row = 0; row < g->sampled; row++) {
        uint64_t h = g->cols[g->time].hashes[row];

        for (uint32_t i = 0; i < g->cols_count; i++)
            if (g->cols[i].key)
                h = dn_mix64(h) ^ g->cols[i].hashes[row];
        g->scratch[row] = h;
    }
    return csv_guess_count(g) == g->sampled;
}

static bool guess_is_tag(const struct guess *g, const struct guess_col *c)
{
    return c->type == TYPE_VARCHAR && c->kinds.values == g->rows &&
           c->bytes <= (uint64_t)GUESS_TAG_BYTES * g->sampled;
}

/* Texts that are different in most rows are names of few rows, or messages. */
static bool guess_is_busy(const struct guess *g, const struct guess_col *c)
{
    return c->distinct > g->sampled / 2;
}

/* The marked column that is missed the least: busy ones first, then those with few values. */
static struct guess_col *guess_least(struct guess *g, const bool *tried)
{
    struct guess_col *best = NULL;

    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];
        bool better;

        if (!c->key || tried[i])
            continue;
        if (!best)
            better = true;
        else if (guess_is_busy(g, c) != guess_is_busy(g, best))
            better = guess_is_busy(g, c);
        else
            better = c->distinct < best->distinct;
        best = better ? c : best;
    }
    return best;
}

/* The column that goes into the series though the time alone would do: with one more column in the
 * key no rows are merged that should not be. */
static struct guess_col *guess_best_tag(struct guess *g)
{
    struct guess_col *best = NULL;

    for (uint32_t i = 0; i < g->cols_count; i++) {
        struct guess_col *c = &g->cols[i];

        if (guess_is_tag(g, c) && !guess_is_busy(g, c) && (!best || c->distinct > best->distinct))
            best = c;
    }
    return best;
}

int csv_guess_series(struct guess *g, bool *ret_found, struct dn_err *err)
{
    bool *tried = arena_calloc(&g->ret->arena, g->cols_count, sizeof(*tried));
    struct guess_col *c;
    bool any = false;

    if (!tried)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < g->cols_count; i++)
        g->cols[i].key = guess_is_tag(g, &g->cols[i]);
    *ret_found = guess_unique(g);
    if (!*ret_found)
        return 0;
    while ((c = guess_least(g, tried)) != NULL) {
        tried[c - g->cols] = true;
        c->key = false;
        c->key = !guess_unique(g);
        any = any || c->key;
    }
    c = any ? NULL : guess_best_tag(g);
    if (c)
        c->key = true;
    return 0;
}

void csv_guess_time_col(struct guess *g)
{
    g->time = -1;
    for (uint32_t i = 0; i < g->cols_count; i++) {
        const struct guess_col *c = &g->cols[i];

        if (!type_is_timestamp(c->type) || c->kinds.values != g->rows || g->rows == 0)
            continue;
        if (g->time < 0 ||
            (csv_guess_time_name(c->name) && !csv_guess_time_name(g->cols[g->time].name)))
            g->time = (int)i;
    }
}
