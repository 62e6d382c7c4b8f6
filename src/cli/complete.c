/* SPDX-License-Identifier: Apache-2.0
 *
 * complete.c: what the Tab key offers: keywords and functions, tables after FROM, INTO, TABLE and
 * the like, columns of the tables named in the line, file names after \i and \copy, and the
 * commands of the shell. Names come from the database as it is at that moment. */
#include "cli/complete.h"

#include "catalog/settings.h"
#include "cli/help.h"
#include "func/func.h"

#include <ctype.h>
#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COMPLETE_MAX 2000u

static const char *const complete_keywords[] = {
#define DN_KEYWORD(TOKEN, word, class) word,
#include "base/keyword_list.h"
#undef DN_KEYWORD
};

/* Words before which a table's name stands. */
static const char *const complete_table_words[] = {"from",
                                                   "into",
                                                   "table",
                                                   "describe",
                                                   "desc",
                                                   "update",
                                                   "status",
                                                   "partitions",
                                                   "copy",
                                                   "\\d",
                                                   "\\sf",
                                                   "\\copy",
                                                   ".schema"};

/* Commands whose argument is a file's name. */
static const char *const complete_file_words[] = {
    "\\i ", "\\o ", "\\g ", "\\gx ", ".read ", ".output "};

struct complete_list {
    char *words[COMPLETE_MAX]; /* owned, mem */
    size_t count;
    size_t next; /* for libedit's generator */
};

static char complete_breaks[] = " \t\n\"'`=;(,)<>+-*/%";
static struct shell *complete_shell; /* the one interactive shell */
static struct complete_list complete_found;
static const struct buf *complete_before; /* the statement's lines before the one that is typed */

static void complete_clear(void)
{
    for (size_t i = 0; i < complete_found.count; i++)
        mem_free(complete_found.words[i]);
    complete_found.count = 0;
    complete_found.next = 0;
}

static void complete_offer(const char *word, const char *typed, size_t len)
{
    char *copy;

    if (strncasecmp(word, typed, len) != 0 || complete_found.count == COMPLETE_MAX)
        return;
    for (size_t i = 0; i < complete_found.count; i++)
        if (strcasecmp(complete_found.words[i], word) == 0)
            return;
    copy = mem_strdup(NULL, word);
    if (copy)
        complete_found.words[complete_found.count++] = copy;
}

/* A command without its backslash. */
static void complete_offer_bare(const char *word, const char *typed, size_t len)
{
    if (word[0] == '\\')
        complete_offer(word + 1, typed, len);
}

/* A statement of several words, of which the first stand in the line behind "\h ". */
static void complete_offer_help(const char *word, const char *typed, size_t len)
{
    const char *words = rl_line_buffer + 3;
    size_t before = (size_t)rl_point - 3 - len;

    if (strlen(word) >= before && strncasecmp(word, words, before) == 0)
        complete_offer(word + before, typed, len);
}

/* What the catalog answers. Nothing is asked in a transaction that failed, nor in one that a wrong
 * name would make fail. False: tables of this program know it. */
static bool complete_ask(enum backend_question q, const char *arg, const char *typed, size_t len)
{
    struct backend *from = complete_shell->backend;
    enum dendro_tx_status status = backend_status(from);
    struct dendro_error err;
    const char *tail = NULL;
    struct buf sql;
    bool asked;

    buf_init(&sql, NULL);
    asked = backend_ask(from, q, arg, &sql);
    if (asked && !sql.failed && !from->lost &&
        (status == DENDRO_TX_IDLE || (status == DENDRO_TX_BLOCK && !*arg)) &&
        backend_prepare(from, (const char *)sql.data, sql.len, &tail, &err) > 0) {
        while (backend_step(from, &err) == DENDRO_ROW) {
            size_t n = 0;
            const char *name = backend_text(from, 0, &n);
            if (name)
                complete_offer(name, typed, len);
        }
        backend_finish(from);
    }
    buf_done(&sql);
    return asked;
}

/* Columns of every table that follows FROM, JOIN, UPDATE or INTO in a text. */
static void complete_columns_of(const char *line, const char *typed, size_t len)
{
    static const char *const words[] = {"from ", "join ", "update ", "into "};
    char name[304];

    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        for (const char *p = line; *p; p++) {
            size_t n;
            if (strncasecmp(p, words[w], strlen(words[w])) != 0)
                continue;
            p += strlen(words[w]);
            p += strspn(p, " ");
            n = strcspn(p, " \n,;()");
            if (n == 0 || n > 300)
                break;
            (void)snprintf(name, sizeof name, "%.*s", (int)n, p);
            (void)complete_ask(BACKEND_COLUMN_NAMES, name, typed, len);
            if (p[n] == '\0')
                break;
        }
    }
}

/* Those of the line's tables, and of those that the statement's lines before it name. */
static void complete_columns(const char *line, const char *typed, size_t len)
{
    struct buf text;

    complete_columns_of(line, typed, len);
    buf_init(&text, NULL);
    if (complete_before) {
        buf_append(&text, complete_before->data, complete_before->len);
        for (size_t i = 0; i < text.len; i++)
            if (text.data[i] == '\n')
                text.data[i] = ' '; /* FROM may end a line */
        buf_u8(&text, '\0');
    }
    if (text.len > 0 && !text.failed)
        complete_columns_of((const char *)text.data, typed, len);
    buf_done(&text);
}

static void complete_upper(const char *word, const char *typed, size_t len)
{
    char text[64];
    bool upper = len == 0 || isupper((unsigned char)typed[0]);
    size_t i;

    for (i = 0; word[i] && i + 1 < sizeof text; i++)
        text[i] = (char)(upper ? toupper((unsigned char)word[i]) : word[i]);
    text[i] = '\0';
    complete_offer(text, typed, len);
}

static const char *const complete_types[] = {
#define DN_TYPE(id, NAME, sql, phys) sql,
#include "vec/type_list.h"
#undef DN_TYPE
};

static void complete_keywords_offer(const char *typed, size_t len)
{
    for (size_t i = 1; i < sizeof complete_types / sizeof complete_types[0]; i++) /* not NULL */
        if (!strchr(complete_types[i], '('))
            complete_offer(complete_types[i], typed, len);
    for (size_t i = 0; i < sizeof complete_keywords / sizeof complete_keywords[0]; i++)
        complete_upper(complete_keywords[i], typed, len);
}

static bool complete_wants_table(const char *line, int start)
{
    int end = start;
    int begin;

    while (end > 0 && line[end - 1] == ' ')
        end--;
    begin = end;
    while (begin > 0 && line[begin - 1] != ' ')
        begin--;
    for (size_t i = 0; i < sizeof complete_table_words / sizeof complete_table_words[0]; i++)
        if ((size_t)(end - begin) == strlen(complete_table_words[i]) &&
            strncasecmp(line + begin, complete_table_words[i], (size_t)(end - begin)) == 0)
            return true;
    return false;
}

/* Is the word before this one? */
static bool complete_after(const char *line, int start, const char *word)
{
    size_t len = strlen(word);
    int end = start;

    while (end > 0 && line[end - 1] == ' ')
        end--;
    return end < start && (size_t)end >= len &&
           strncasecmp(line + end - (int)len, word, len) == 0 &&
           ((size_t)end == len || line[end - (int)len - 1] == ' ');
}

static bool complete_wants_file(const char *line, int start)
{
    for (size_t i = 0; i < sizeof complete_file_words / sizeof complete_file_words[0]; i++)
        if (strncmp(line, complete_file_words[i], strlen(complete_file_words[i])) == 0)
            return true;
    return (strncmp(line, "\\copy ", 6) == 0 || strncasecmp(line, "copy ", 5) == 0) &&
           (complete_after(line, start, "to") || complete_after(line, start, "from"));
}

static void complete_formats(const char *typed, size_t len)
{
    for (int i = 0; i < OUT_FORMAT_MAX; i++)
        complete_offer(out_format_name((enum out_format)i), typed, len);
}

static void complete_settings(const char *typed, size_t len)
{
    if (complete_ask(BACKEND_SETTING_NAMES, "", typed, len))
        return;
    for (size_t i = 0; i < settings_count(); i++)
        if (!settings_row(i)->known) /* those do nothing */
            complete_offer(settings_row(i)->name, typed, len);
}

static void complete_functions(const char *typed, size_t len)
{
    if (complete_ask(BACKEND_FUNCTION_NAMES, "", typed, len))
        return;
    for (uint32_t i = 0; func_at(i); i++)
        if (!(func_at(i)->flags & FUNC_OPERATOR) && isalpha((unsigned char)func_at(i)->name[0]))
            complete_offer(func_at(i)->name, typed, len);
    for (uint32_t i = 0; agg_at(i); i++)
        complete_offer(agg_at(i)->name, typed, len);
}

/* Columns of the tables in the line come first: the first Tab completes them, the second lists
 * them. What else could stand there, a few hundred words, is offered to a person who goes on
 * asking. */
static bool complete_asked_more(const char *line)
{
    static char asked[256];
    static int asked_at = -1;
    static uint32_t times;
    bool again = asked_at == rl_point && strncmp(asked, line, sizeof asked - 1) == 0;

    times = again ? times + 1 : 0;
    (void)snprintf(asked, sizeof asked, "%s", line);
    asked_at = rl_point;
    return times >= 2;
}

static char *complete_next(const char *text, int state)
{
    (void)text;
    if (state == 0)
        complete_found.next = 0;
    if (complete_found.next >= complete_found.count)
        return NULL;
    return strdup(complete_found.words[complete_found.next++]); /* libedit frees it */
}

static char **complete_attempt(const char *text, int start, int end)
{
    size_t len = (size_t)(end - start);
    const char *line = rl_line_buffer;

    complete_clear();
    if (complete_wants_file(line, start))
        return NULL; /* libedit offers file names */
    rl_attempted_completion_over = 1;
    if (start == 0 && (text[0] == '\\' || text[0] == '.')) {
        shell_meta_names(complete_offer, text, len);
    } else if (start == 1 && line[0] == '\\') { /* libedit takes the backslash for a quote */
        shell_meta_names(complete_offer_bare, text, len);
    } else if (strncmp(line, "\\h ", 3) == 0) {
        help_names(complete_offer_help, text, len);
    } else if (strncmp(line, "\\format ", 8) == 0 || strncmp(line, ".mode ", 6) == 0 ||
               complete_after(line, start, "format")) {
        complete_formats(text, len);
    } else if (strncasecmp(line, "set ", 4) == 0 || strncasecmp(line, "show ", 5) == 0) {
        complete_settings(text, len);
        (void)complete_ask(BACKEND_TABLE_NAMES, "", text, len);
        complete_keywords_offer(text, len);
    } else if (complete_wants_table(line, start)) {
        (void)complete_ask(BACKEND_TABLE_NAMES, "", text, len);
    } else {
        complete_columns(line, text, len);
        if (complete_found.count == 0 || complete_asked_more(line)) {
            complete_keywords_offer(text, len);
            complete_functions(text, len);
        }
    }
    return complete_found.count ? rl_completion_matches(text, complete_next) : NULL;
}

void complete_begin(struct shell *sh, const struct buf *before)
{
    complete_shell = sh;
    complete_before = before;
    rl_readline_name = "dendro";
    rl_attempted_completion_function = complete_attempt;
    rl_completer_word_break_characters = complete_breaks;
}

void complete_end(void)
{
    complete_clear();
    complete_shell = NULL;
    complete_before = NULL;
    rl_attempted_completion_function = NULL;
}
