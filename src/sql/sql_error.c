/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_error.c: what a syntax error says. At the token that does not fit, sql_parser_expect asks the
 * grammar's automaton which tokens would have; here they become words, and known slips become
 * hints. */
#include "grammar.h"
#include "sql/ast_build.h"
#include "sql/print_int.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ERROR_EXPECTED_MAX 6  /* listed in a message */
#define ERROR_NEAR_MAX     60 /* bytes of the token shown */

void sql_fail(struct sql_parser *ps, int code, uint32_t pos, const char *fmt, ...)
{
    char text[DN_ERR_TEXT_MAX];
    va_list args;

    if (ps->rc < 0)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ps->rc = DN_FAIL(ps->err, code, "%s", text);
    dn_err_at(ps->err, pos);
}

void sql_fail_nomem(struct sql_parser *ps)
{
    if (ps->rc == 0)
        ps->rc = DN_FAIL_NOMEM(ps->err);
}

void sql_fail_deep(struct sql_parser *ps, uint32_t pos)
{
    sql_fail(ps, DN_E_TOO_COMPLEX, pos, "the statement is nested too deeply");
    dn_err_hint(
        ps->err,
        "expressions may be nested up to %u deep; chains of AND and OR of any length are fine",
        SQL_DEPTH_MAX);
}

/* ---- things Dendro does not do ---- */

static const struct {
    int place; /* TK_X_* */
    const char *word;
    const char *what;
    const char *hint;
} error_unsupported[] = {
#define DN_UNSUPPORTED(PLACE, word, what, hint) {TK_X_##PLACE, word, what, hint},
#include "sql/unsupported_list.h"
#undef DN_UNSUPPORTED
};

static bool error_word_is(struct sql_token tok, const char *word)
{
    return strlen(word) == tok.len && strncasecmp(tok.ptr, word, tok.len) == 0;
}

static bool
error_is_unsupported(struct sql_parser *ps, const struct sql_expect *expect, struct sql_token tok)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(error_unsupported); i++) {
        if (!expect->token[error_unsupported[i].place] ||
            !error_word_is(tok, error_unsupported[i].word))
            continue;
        sql_fail(ps, DN_E_UNSUPPORTED, tok.pos, "%s is not supported", error_unsupported[i].what);
        if (error_unsupported[i].hint)
            dn_err_hint(ps->err, "%s", error_unsupported[i].hint);
        return true;
    }
    return false;
}

/* ---- what was expected ---- */

static const struct {
    int code;
    const char *shown;
} error_signs[] = {
    {TK_LP, "'('"},
    {TK_RP, "')'"},
    {TK_COMMA, "','"},
    {TK_DOT, "'.'"},
    {TK_EQ, "'='"},
    {TK_LBRACE, "'{'"},
    {TK_RBRACE, "'}'"},
    {TK_COLON, "':'"},
    {TK_LB, "'['"},
    {TK_RB, "']'"},
    {TK_PLUS, "'+'"},
    {TK_MINUS, "'-'"},
    {TK_STAR, "'*'"},
    {TK_INTEGER, "a whole number"},
    {TK_FLOAT, "a number"},
    {TK_STRING, "a string"},
    {TK_BLOB, "a blob"},
    {TK_PARAM, "a parameter"},
    {TK_ID, "a name"},
    {TK_GROUP, "GROUP BY"},
    {TK_ORDER, "ORDER BY"},
    {TK_PRIMARY, "PRIMARY KEY"},
    {TK_PARTITION, "PARTITION KEY"},
};

/* Tokens that start an expression, and those that go on after one. */
static const int error_expr_start[] = {
    TK_INTEGER,  TK_FLOAT,  TK_STRING, TK_BLOB,    TK_PARAM, TK_ID,    TK_LP,   TK_NULL,
    TK_TRUE,     TK_FALSE,  TK_CAST,   TK_NOT,     TK_PLUS,  TK_MINUS, TK_OVER, TK_FILTER,
    TK_WITHIN,   TK_AT,     TK_ISNULL, TK_NOTNULL, TK_CASE,  TK_TILDE, TK_LEFT, TK_RIGHT,
    TK_DURATION, TK_ESCAPE, TK_BITS,   TK_EXISTS,  TK_ARRAY, TK_ROW,   TK_OP};
static const int error_operators[] = {
    TK_PLUS,   TK_MINUS,   TK_STAR,    TK_SLASH,    TK_PERCENT,  TK_EQ,   TK_NE,
    TK_LT,     TK_LE,      TK_GT,      TK_GE,       TK_AND,      TK_OR,   TK_NOT_LA,
    TK_IN,     TK_IS,      TK_BETWEEN, TK_TYPECAST, TK_LP,       TK_DOT,  TK_STRING,
    TK_LIKE,   TK_ILIKE,   TK_CONCAT,  TK_AMP,      TK_PIPE,     TK_HASH, TK_LSHIFT,
    TK_RSHIFT, TK_CARET,   TK_LB,      TK_TILDE,    TK_OP,       TK_AT,   TK_COLLATE,
    TK_ISNULL, TK_NOTNULL, TK_SIMILAR, TK_OVERLAPS, TK_OPERATOR, TK_OVER, TK_FILTER,
    TK_WITHIN, TK_WITH_LA, TK_WITHOUT};
/* Never named: words that are only names here, and what exists for other messages. */
static const int error_silent[] = {TK_OVER,     TK_FILTER,   TK_WITHIN,    TK_AT,       TK_ISNULL,
                                   TK_NOTNULL,  TK_ILLEGAL,  TK_NOT_LA,    TK_ESCAPE,   TK_FIELD,
                                   TK_DURATION, TK_BOTH,     TK_LEADING,   TK_TRAILING, TK_STOP,
                                   TK_WITH_LA,  TK_USING_LA, TK_PRECISION, TK_OP,       TK_VROW};

/* Words that are only named where nothing better can be: beside the first, the others go unsaid. */
static const int error_beside[][2] = {
    {TK_SELECT, TK_LP},
    {TK_SELECT, TK_WITH},
    {TK_SELECT, TK_TABLE},
    {TK_LATERAL, TK_LP},
    {TK_LATERAL, TK_LEFT},
    {TK_LATERAL, TK_RIGHT},
    {TK_LATERAL, TK_ONLY},
    {TK_LATERAL, TK_ROWS},
    {TK_ANY, TK_ALL},
    {TK_ANY, TK_SOME},
    {TK_PRIMARY, TK_CHECK},
    {TK_PRIMARY, TK_CONSTRAINT},
    {TK_PRIMARY, TK_FOREIGN},
    {TK_PRIMARY, TK_UNIQUE},
    {TK_PRIMARY, TK_LIKE},
    {TK_PRIMARY, TK_REFERENCES},
    {TK_PRIMARY, TK_COLLATE},
    {TK_PRIMARY, TK_GENERATED},
    {TK_PRIMARY, TK_DEFERRABLE},
    {TK_PRIMARY, TK_INITIALLY},
    {TK_LATERAL, TK_LATERAL},
    {TK_ANY, TK_ANY},
    {TK_WHERE, TK_LP},
    {TK_WHERE, TK_OUTER},
};

static void error_drop_beside(bool *token)
{
    bool all[SQL_EXPECT_TOKENS_MAX];

    memcpy(all, token, sizeof all);
    for (size_t i = 0; i < DN_ARRAY_SIZE(error_beside); i++)
        if (all[error_beside[i][0]])
            token[error_beside[i][1]] = false;
}

static const char *error_shown(int code)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(error_signs); i++) {
        if (error_signs[i].code == code)
            return error_signs[i].shown;
    }
    return sql_keyword_upper(code);
}

static void error_drop(bool *token, const int *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        token[codes[i]] = false;
}

/* Fills names with what to list, at most max, and returns how many there are in all. */
static unsigned
error_expected(const struct sql_expect *expect, const char **names, unsigned max, bool *ret_stop)
{
    bool token[SQL_EXPECT_TOKENS_MAX];
    bool expr = expect->token[TK_INTEGER] && expect->token[TK_STRING] && expect->token[TK_LP] &&
                expect->token[TK_CAST];
    bool op = expect->token[TK_PLUS] && expect->token[TK_SLASH];
    unsigned count = 0;

    memcpy(token, expect->token, sizeof token);
    *ret_stop = token[TK_STOP];
    if (expr)
        error_drop(token, error_expr_start, DN_ARRAY_SIZE(error_expr_start));
    if (op)
        error_drop(token, error_operators, DN_ARRAY_SIZE(error_operators));
    error_drop(token, error_silent, DN_ARRAY_SIZE(error_silent));
    error_drop_beside(token);
    if (expr && count++ < max)
        names[count - 1] = "an expression";
    for (int code = 1; code < SQL_EXPECT_TOKENS_MAX; code++) {
        const char *shown = token[code] ? error_shown(code) : NULL;
        if (shown && count++ < max)
            names[count - 1] = shown;
    }
    if (op && count++ < max)
        names[count - 1] = "an operator";
    return count;
}

static void error_list(const struct sql_expect *expect, char *text, size_t size)
{
    const char *names[ERROR_EXPECTED_MAX];
    bool stop;
    unsigned count = error_expected(expect, names, ERROR_EXPECTED_MAX, &stop);
    unsigned shown = count < ERROR_EXPECTED_MAX ? count : ERROR_EXPECTED_MAX;
    size_t n = 0;

    text[0] = '\0';
    if (stop && shown == ERROR_EXPECTED_MAX)
        shown--;
    for (unsigned i = 0; i < shown && n < size; i++) {
        const char *before = i == 0                                      ? "; expected "
                             : i + 1 == shown && count == shown && !stop ? " or "
                                                                         : ", ";
        n += (size_t)snprintf(text + n, size - n, "%s%s", before, names[i]);
    }
    if (count > shown && n < size)
        n += (size_t)snprintf(text + n, size - n, ", ...");
    if (stop && n < size)
        (void)snprintf(text + n, size - n, "%send of statement", shown ? " or " : "; expected ");
}

/* ---- hints ---- */

/* The keyword that was meant by a word, if the grammar would have taken it there. */
static const char *
error_keyword_near(const struct sql_expect *expect, int code, struct sql_token tok)
{
    char word[TEXT_NEAR_MAX];
    struct text_near near;

    if (code != TK_ID || tok.len < 3 || tok.len >= sizeof word || tok.ptr[0] == '"' ||
        tok.ptr[0] == '`')
        return NULL;
    memcpy(word, tok.ptr, tok.len);
    word[tok.len] = '\0';
    near = text_near_make(word);
    for (int i = 1; i < SQL_EXPECT_TOKENS_MAX; i++) {
        const char *upper = expect->token[i] ? sql_keyword_upper(i) : NULL;
        if (upper && strlen(upper) >= 3 && strcasecmp(upper, word) != 0)
            text_near_try(&near, upper);
    }
    return near.best;
}

static void error_hint_keyword(struct sql_parser *ps,
                               const struct sql_expect *expect,
                               int code,
                               struct sql_token tok)
{
    struct sql_expect before;
    const char *word = error_keyword_near(expect, code, tok);

    if (!word && expect->prev.len > 0 && expect->prev_code == TK_ID) {
        sql_parser_expect(ps, expect->prev.ptr, &before);
        tok = expect->prev;
        word = error_keyword_near(&before, TK_ID, tok);
    }
    if (word)
        dn_err_hint(
            ps->err, "Perhaps you meant %s instead of \"%.*s\".", word, (int)tok.len, tok.ptr);
}

/* PRIMARY KEY ((a, b, a, b): the list that should have followed stands inside. True: said so. */
static bool error_hint_key(struct sql_parser *ps)
{
    const struct table_spec *spec = ps->spec;
    size_t again = 1;
    struct buf b;

    if (!spec || !spec->has_inner || spec->local_count > 0)
        return false;
    while (again < spec->partition_count &&
           strcmp(spec->partition[0].name.s, spec->partition[again].name.s) != 0)
        again++;
    if (again >= spec->partition_count)
        return false;
    buf_init(&b, ps->arena->owner);
    sql_print_key(spec->partition, again, &b);
    buf_puts(&b, "), ");
    sql_print_key(spec->partition + again, spec->partition_count - again, &b);
    dn_err_hint(
        ps->err,
        "the inner parentheses, those of the partition key, are not closed: PRIMARY KEY ((%.*s)",
        b.failed ? 0 : (int)(b.len > 200 ? 200 : b.len),
        b.data ? (const char *)b.data : "");
    buf_done(&b);
    return true;
}

static void error_hint_open(struct sql_parser *ps, const struct sql_expect *expect)
{
    if (error_hint_key(ps))
        return;
    if (expect->open_count == 1)
        dn_err_hint(ps->err, "the '(' at position %u is not closed", expect->open_pos);
    else if (expect->open_count > 1 && expect->open_pos)
        dn_err_hint(ps->err,
                    "%u '(' are not closed, the last one at position %u",
                    expect->open_count,
                    expect->open_pos);
}

/* Characters of the token before the bytes; its length if they are not there. */
static uint32_t error_place(struct sql_token tok, const char *bytes)
{
    size_t n = strlen(bytes);

    for (size_t i = 0; i + n <= tok.len; i++) {
        if (memcmp(tok.ptr + i, bytes, n) == 0)
            return sql_chars(tok.ptr, tok.ptr + i);
    }
    return tok.len;
}

/* Characters that come with text from a web page or a word processor. */
static bool error_hint_typography(struct sql_parser *ps, struct sql_token tok)
{
    static const char *const quotes[] = {
        "\u2018", "\u2019", "\u201C", "\u201D", "\u201E", "\u00AB", "\u00BB"};
    static const char *const blanks[] = {
        "\u00A0", "\u2003", "\u2009", "\u200B", "\u202F", "\u3000", "\uFEFF"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(quotes); i++) {
        if (error_place(tok, quotes[i]) < tok.len) {
            dn_err_hint(ps->err,
                        "the text has typographic quotes (position %u); SQL needs ' and \"",
                        tok.pos + error_place(tok, quotes[i]));
            return true;
        }
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(blanks); i++) {
        if (error_place(tok, blanks[i]) < tok.len) {
            dn_err_hint(ps->err,
                        "the text has a special blank, such as a no-break space (position %u); "
                        "type it as a plain one",
                        tok.pos + error_place(tok, blanks[i]));
            return true;
        }
    }
    return false;
}

static void
error_hints(struct sql_parser *ps, const struct sql_expect *expect, int code, struct sql_token tok)
{
    bool word = tok.len > 0 && tok.ptr[0] != '\'' && tok.ptr[0] != '"' && tok.ptr[0] != '`';

    if (code == TK_STOP) {
        error_hint_open(ps, expect);
        if (expect->prev_code == TK_ID)
            error_hint_keyword(ps, expect, code, tok);
        return;
    }
    if (word && code == TK_ID && error_hint_typography(ps, tok))
        return;
    if (expect->high.len > 0 && error_hint_typography(ps, expect->high))
        return;
    if (code == TK_RP && expect->prev_code == TK_COMMA) {
        dn_err_hint(ps->err, "remove the comma before ')'");
        return;
    }
    if (code == TK_RP && expect->open_count == 0) {
        dn_err_hint(ps->err, "there is no '(' that belongs to this ')'");
        return;
    }
    if (expect->token[TK_ID] && word && sql_keyword_upper(code) &&
        sql_keyword_word(code) == SQL_WORD_RESERVED && !expect->token[TK_CAST])
        dn_err_hint(ps->err,
                    "%s is a reserved word; as a name it needs double quotes",
                    sql_keyword_upper(code));
    error_hint_keyword(ps, expect, code, tok);
}

/* The token as messages show it: its first line, not too long, no half characters. */
static int error_near_len(struct sql_token tok)
{
    uint32_t n = tok.len;
    const char *line = memchr(tok.ptr, '\n', tok.len);

    if (line)
        n = (uint32_t)(line - tok.ptr);
    if (n > ERROR_NEAR_MAX) {
        n = ERROR_NEAR_MAX;
        while (n > 0 && ((unsigned char)tok.ptr[n] & 0xC0) == 0x80)
            n--;
    }
    return (int)n;
}

void sql_fail_syntax(struct sql_parser *ps, int code, struct sql_token tok)
{
    struct sql_expect expect;
    char list[DN_ERR_TEXT_MAX / 2];

    if (ps->rc < 0)
        return;
    sql_parser_expect(ps, tok.ptr, &expect);
    if (error_is_unsupported(ps, &expect, tok))
        return;
    error_list(&expect, list, sizeof list);
    if (tok.len == 0)
        sql_fail(ps, DN_E_SYNTAX, tok.pos, "syntax error at end of input%s", list);
    else
        sql_fail(ps,
                 DN_E_SYNTAX,
                 tok.pos,
                 "syntax error at or near \"%.*s\"%s",
                 error_near_len(tok),
                 tok.ptr,
                 list);
    error_hints(ps, &expect, code, tok);
}
