/* SPDX-License-Identifier: Apache-2.0
 *
 * keyword.c: the tables over keyword_list.h. */
#include "grammar.h"
#include "sql/lexer.h"
#include "sql/sql.h"

#include <string.h>

enum keyword_class { KEYWORD_RESERVED, KEYWORD_LABEL, KEYWORD_FREE };

struct keyword_row {
    const char *word;  /* lower case */
    const char *upper; /* as messages write it */
    uint8_t len;
    uint8_t class_;
    int code;
};

static const struct keyword_row keyword_rows[] = {
#define DN_KEYWORD(TOKEN, word, CLASS) \
    {word, #TOKEN, sizeof(word) - 1, KEYWORD_##CLASS, TK_##TOKEN},
#include "base/keyword_list.h"
#undef DN_KEYWORD
};

static const struct sql_keyword keyword_public[] = {
#define DN_KEYWORD(TOKEN, word, CLASS) {word, KEYWORD_##CLASS == KEYWORD_RESERVED},
#include "base/keyword_list.h"
#undef DN_KEYWORD
};

#define KEYWORD_LEN_MIN 2u
#define KEYWORD_LEN_MAX 10u

static const struct keyword_row *keyword_find(const char *word, size_t len)
{
    char low[KEYWORD_LEN_MAX];
    size_t from = 0;
    size_t to = DN_ARRAY_SIZE(keyword_rows);

    if (len < KEYWORD_LEN_MIN || len > KEYWORD_LEN_MAX)
        return NULL;
    for (size_t i = 0; i < len; i++)
        low[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] | 0x20 : word[i]);
    while (from < to) {
        size_t mid = (from + to) / 2;
        const struct keyword_row *row = &keyword_rows[mid];
        int order = memcmp(low, row->word, len < row->len ? len : row->len);

        if (order == 0 && len == row->len)
            return row;
        if (order < 0 || (order == 0 && len < row->len))
            to = mid;
        else
            from = mid + 1;
    }
    return NULL;
}

int sql_keyword_code(const char *word, size_t len)
{
    const struct keyword_row *row = keyword_find(word, len);

    return row ? row->code : TK_ID;
}

const char *sql_keyword_upper(int code)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(keyword_rows); i++) {
        if (keyword_rows[i].code == code)
            return keyword_rows[i].upper;
    }
    return NULL;
}

bool sql_keyword_is_free(const char *word, size_t len, bool *ret_is_keyword)
{
    const struct keyword_row *row = keyword_find(word, len);

    *ret_is_keyword = row != NULL;
    return !row || row->class_ == KEYWORD_FREE;
}

const struct sql_keyword *sql_keywords(size_t *ret_count)
{
    *ret_count = DN_ARRAY_SIZE(keyword_public);
    return keyword_public;
}
