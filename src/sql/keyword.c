/* SPDX-License-Identifier: Apache-2.0
 *
 * keyword.c: the tables over keyword_list.h. */
#include "grammar.h"
#include "sql/lexer.h"
#include "sql/sql.h"

enum keyword_class { KEYWORD_RESERVED, KEYWORD_LABEL, KEYWORD_FREE };

#define KEYWORD_LEN_MIN 2u
#define KEYWORD_LEN_MAX 15u

struct keyword_row {
    char word[16];     /* lower case, padded with zeros: compared as two big-endian numbers */
    const char *upper; /* as messages write it */
    enum keyword_class class_;
    int code;
};

static const struct keyword_row keyword_rows[] = {
#define DN_KEYWORD(TOKEN, word, CLASS) {word, #TOKEN, KEYWORD_##CLASS, TK_##TOKEN},
#include "base/keyword_list.h"
#undef DN_KEYWORD
};

static const struct sql_keyword keyword_public[] = {
#define DN_KEYWORD(TOKEN, word, CLASS) {word, KEYWORD_##CLASS == KEYWORD_RESERVED},
#include "base/keyword_list.h"
#undef DN_KEYWORD
};

static const struct keyword_row *keyword_find(const char *word, size_t len)
{
    char low[16] = {0};
    uint64_t first;
    uint64_t second;
    size_t from = 0;
    size_t to = DN_ARRAY_SIZE(keyword_rows);

    if (len < KEYWORD_LEN_MIN || len > KEYWORD_LEN_MAX)
        return NULL;
    for (size_t i = 0; i < len; i++)
        low[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] | 0x20 : word[i]);
    first = be_get64(low);
    second = be_get64(low + 8);
    while (from < to) {
        size_t mid = (from + to) / 2;
        const struct keyword_row *row = &keyword_rows[mid];
        uint64_t row_first = be_get64(row->word);
        uint64_t row_second = be_get64(row->word + 8);

        if (first == row_first && second == row_second)
            return row;
        if (first < row_first || (first == row_first && second < row_second))
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

enum sql_word sql_keyword_word(int code)
{
    static const uint8_t words[] = {
#define DN_KEYWORD(TOKEN, word, CLASS) \
    [TK_##TOKEN] = KEYWORD_##CLASS == KEYWORD_RESERVED ? SQL_WORD_RESERVED : SQL_WORD_FREE,
#include "base/keyword_list.h"
#undef DN_KEYWORD
    };

    return (size_t)code < DN_ARRAY_SIZE(words) ? (enum sql_word)words[code] : SQL_WORD_NONE;
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
