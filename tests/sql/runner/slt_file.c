/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_file.c: reads .test files. A record starts at a line that is neither blank nor a comment and
 * ends before the next blank line; `skipif` and `onlyif` lines before it say in which modes it
 * runs. */
#include "slt_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const slt_mode_names[SLT_MODE_MAX] = {"fresh", "flush", "reopen"};

/* Where the parser stands. */
struct slt_cursor {
    struct slt_file *file;
    size_t at;                /* index of the next line */
    bool modes[SLT_MODE_MAX]; /* of the next record */
    bool modes_given;         /* a skipif or onlyif waits for its record */
    char *connection;         /* owned; of the next record, NULL = none given */
};

const char *slt_mode_name(enum slt_mode mode)
{
    return slt_mode_names[mode];
}

static int slt_bad(const struct slt_cursor *c, size_t index, const char *what)
{
    fprintf(stderr, "%s:%zu: %s\n", c->file->path, index + 1, what);
    return -1;
}

static bool slt_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

static const char *slt_line(const struct slt_cursor *c)
{
    return c->at < c->file->lines.count ? c->file->lines.items[c->at] : NULL;
}

/* Takes the next word of *p; "" at the end. Owned by the caller. */
static char *slt_word(const char **p)
{
    size_t len;
    char *word;

    *p += strspn(*p, " \t");
    len = strcspn(*p, " \t\r");
    word = slt_strndup(*p, len);
    *p += len;
    *p += strspn(*p, " \t\r");
    return word;
}

static bool slt_is_sqlstate(const char *s, size_t len)
{
    bool digit = false;

    for (size_t i = 0; i < len; i++) {
        if (!isdigit((unsigned char)s[i]) && !isupper((unsigned char)s[i]))
            return false;
        digit = digit || isdigit((unsigned char)s[i]);
    }
    return len == 5 && digit;
}

static int slt_number(const char *text, int64_t *ret_n)
{
    char *end;
    long long n = strtoll(text, &end, 10);

    if (end == text || !slt_blank(end) || n < 0)
        return -1;
    *ret_n = n;
    return 0;
}

static int slt_head_statement(struct slt_cursor *c, struct slt_record *r, const char *p)
{
    char *word = slt_word(&p);
    bool ok = strcmp(word, "ok") == 0;
    bool error = strcmp(word, "error") == 0;
    bool count = strcmp(word, "count") == 0;

    free(word);
    if (ok || count) {
        r->kind = SLT_STATEMENT_OK;
        if (count && slt_number(p, &r->affected) < 0)
            return slt_bad(c, c->at, "statement count needs a number");
        if (ok && *p)
            return slt_bad(c, c->at, "nothing may follow `statement ok`");
        return 0;
    }
    if (!error)
        return slt_bad(
            c, c->at, "expected `statement ok`, `statement count N` or `statement error`");
    r->kind = SLT_STATEMENT_ERROR;
    if (slt_is_sqlstate(p, strcspn(p, " \t\r"))) {
        memcpy(r->sqlstate, p, 5);
        p += 5;
    }
    r->pattern = slt_trim(p, strlen(p));
    if (!*r->pattern) {
        free(r->pattern);
        r->pattern = NULL;
    }
    return 0;
}

static int slt_head_query(struct slt_cursor *c, struct slt_record *r, const char *p)
{
    char *word;
    int rc = 0;

    r->kind = SLT_QUERY;
    r->types = slt_word(&p);
    if (!*r->types || r->types[strspn(r->types, "TIRBDXN?")])
        return slt_bad(c, c->at, "query needs one letter of T I R B D X ? for each column");
    word = slt_word(&p);
    if (strcmp(word, "rowsort") == 0)
        r->sort = SLT_ROWSORT;
    else if (strcmp(word, "valuesort") == 0)
        r->sort = SLT_VALUESORT;
    else if (*word && strcmp(word, "nosort") != 0)
        rc = slt_bad(c, c->at, "the sort mode is nosort, rowsort or valuesort");
    free(word);
    if (rc == 0 && *p)
        return slt_bad(c, c->at, "too many words after query");
    return rc;
}

static int slt_head_cli(struct slt_cursor *c, struct slt_record *r, const char *p)
{
    r->kind = SLT_CLI;
    if (strncmp(p, "exit ", 5) == 0) {
        const char *rest = p + 5;
        char *word = slt_word(&rest);
        int64_t n = 0;
        int rc = slt_number(word, &n);

        free(word);
        if (rc < 0 || n > 255)
            return slt_bad(c, c->at, "cli exit needs a code from 0 to 255");
        r->exit_code = (int)n;
        p = rest;
    }
    r->text = slt_trim(p, strlen(p));
    return 0;
}

/* skipif MODE, onlyif MODE: for the record that follows. */
static int slt_head_modes(struct slt_cursor *c, bool only, const char *p)
{
    char *word = slt_word(&p);
    int mode = 0;

    while (mode < SLT_MODE_MAX && strcmp(word, slt_mode_names[mode]) != 0)
        mode++;
    free(word);
    if (mode == SLT_MODE_MAX || *p)
        return slt_bad(c, c->at, "the modes are fresh, flush and reopen");
    for (int i = 0; i < SLT_MODE_MAX; i++) {
        if ((i == mode) != only)
            c->modes[i] = false;
    }
    c->modes_given = true;
    return 0;
}

/* Lines between head and SQL that say more of what is expected. 1: taken, 0: not one of them. */
static int slt_detail(struct slt_cursor *c, struct slt_record *r, const char *line)
{
    int64_t n;

    if (r->kind == SLT_STATEMENT_ERROR && strncmp(line, "position ", 9) == 0) {
        if (slt_number(line + 9, &n) < 0 || n < 1 || n > UINT32_MAX)
            return slt_bad(c, c->at, "position needs a number from 1 on");
        r->position = (uint32_t)n;
        return 1;
    }
    if (r->kind == SLT_STATEMENT_ERROR && strncmp(line, "message ", 8) == 0) {
        if (r->pattern)
            return slt_bad(c, c->at, "message and a regular expression of it do not go together");
        r->message = slt_trim(line + 8, strlen(line + 8));
        return 1;
    }
    if (r->kind == SLT_STATEMENT_ERROR && strncmp(line, "hint ", 5) == 0) {
        r->hint = slt_trim(line + 5, strlen(line + 5));
        return 1;
    }
    if (r->kind == SLT_QUERY && strncmp(line, "columns ", 8) == 0) {
        r->names = slt_trim(line + 8, strlen(line + 8));
        return 1;
    }
    return 0;
}

/* The lines under the head: details, text, and after ---- what is expected. */
static int slt_body(struct slt_cursor *c, struct slt_record *r)
{
    size_t head = c->at - 1;
    bool has_results = r->kind == SLT_QUERY || r->kind == SLT_CLI;
    bool dashes = false;
    bool detail = true;
    const char *line;

    for (; (line = slt_line(c)) && (dashes || !slt_blank(line)); c->at++) {
        int rc = detail ? slt_detail(c, r, line) : 0;

        if (rc < 0)
            return rc;
        if (rc > 0)
            continue;
        detail = false;
        if (!dashes && strcmp(line, "----") == 0) {
            if (!has_results)
                return slt_bad(c, c->at, "only query and cli have expected lines");
            dashes = true;
            r->expected_at = c->at + 1;
        } else if (dashes && slt_blank(line)) {
            break;
        } else if (dashes) {
            slt_list_add(&r->expected, slt_strdup(line));
        } else {
            slt_append(&r->text, "\n", line);
        }
    }
    if (has_results && !dashes)
        return slt_bad(c, head, "no ---- before the next blank line");
    if (!r->text)
        return slt_bad(c, head, "there is no statement under this line");
    return 0;
}

static struct slt_record *slt_record_add(struct slt_file *file)
{
    if (file->records_count == file->records_room) {
        size_t room = file->records_room ? file->records_room * 2 : 16;
        struct slt_record *records = slt_alloc(room * sizeof(*records));

        if (file->records_count)
            memcpy(records, file->records, file->records_count * sizeof(*records));
        free(file->records);
        file->records = records;
        file->records_room = room;
    }
    return &file->records[file->records_count++];
}

/* The record that starts at the cursor with the given word; p stands behind the word. */
static int slt_record_parse(struct slt_cursor *c, const char *word, const char *p)
{
    struct slt_record *r = slt_record_add(c->file);
    int rc;

    r->line = (int)c->at + 1;
    r->affected = -1;
    for (int i = 0; i < SLT_MODE_MAX; i++) {
        r->modes[i] = c->modes[i];
        c->modes[i] = true;
    }
    c->modes_given = false;
    r->connection = c->connection;
    c->connection = NULL;
    if (strcmp(word, "restart") == 0 || strcmp(word, "flush") == 0 || strcmp(word, "halt") == 0) {
        r->kind = word[0] == 'r' ? SLT_RESTART : word[0] == 'f' ? SLT_CHECKPOINT : SLT_HALT;
        if (*p)
            return slt_bad(c, c->at, "nothing may follow this word");
        c->at++;
        return 0;
    }
    if (strcmp(word, "roundtrip") == 0 || strcmp(word, "clock") == 0) {
        r->kind = word[0] == 'r' ? SLT_ROUNDTRIP : SLT_CLOCK;
        r->text = slt_trim(p, strlen(p));
        if (!*r->text)
            return slt_bad(c,
                           c->at,
                           word[0] == 'r' ? "roundtrip needs the name of a table"
                                          : "clock needs a time");
        c->at++;
        return 0;
    }
    if (strcmp(word, "statement") == 0)
        rc = slt_head_statement(c, r, p);
    else if (strcmp(word, "query") == 0)
        rc = slt_head_query(c, r, p);
    else if (strcmp(word, "cli") == 0)
        rc = slt_head_cli(c, r, p);
    else
        rc =
            slt_bad(c,
                    c->at,
                    "expected statement, query, cli, roundtrip, restart, clock, flush, connection, "
                    "skipif, onlyif or "
                    "halt");
    if (rc < 0)
        return rc;
    c->at++;
    return slt_body(c, r);
}

static int slt_parse(struct slt_file *file)
{
    struct slt_cursor c = {.file = file, .modes = {true, true, true}};
    const char *line;

    while ((line = slt_line(&c))) {
        const char *p = line;
        char *word;
        int rc;

        if (slt_blank(line) || line[0] == '#') {
            c.at++;
            continue;
        }
        word = slt_word(&p);
        if (strcmp(word, "skipif") == 0 || strcmp(word, "onlyif") == 0) {
            rc = slt_head_modes(&c, word[0] == 'o', p);
            c.at++;
        } else if (strcmp(word, "connection") == 0) {
            free(c.connection);
            c.connection = slt_trim(p, strlen(p));
            rc = *c.connection ? 0 : slt_bad(&c, c.at, "connection needs a name");
            c.at++;
        } else {
            rc = slt_record_parse(&c, word, p);
        }
        free(word);
        if (rc < 0) {
            free(c.connection);
            return rc;
        }
    }
    if (c.modes_given || c.connection) {
        free(c.connection);
        return slt_bad(&c, c.at - 1, "no record follows this skipif, onlyif or connection");
    }
    if (file->records_count == 0)
        return slt_bad(&c, 0, "the file has no records");
    return 0;
}

int slt_file_read(struct slt_file *file, const char *path)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    *file = (struct slt_file){.path = path};
    if (!in) {
        perror(path);
        return -1;
    }
    while ((len = getline(&line, &room, in)) >= 0) {
        if (len && line[len - 1] == '\n')
            len--;
        slt_list_add(&file->lines, slt_strndup(line, (size_t)len));
    }
    free(line);
    fclose(in);
    return slt_parse(file);
}

void slt_file_done(struct slt_file *file)
{
    for (size_t i = 0; i < file->records_count; i++) {
        struct slt_record *r = &file->records[i];

        free(r->text);
        free(r->connection);
        free(r->pattern);
        free(r->message);
        free(r->hint);
        free(r->types);
        free(r->names);
        slt_list_clear(&r->expected);
    }
    free(file->records);
    slt_list_clear(&file->lines);
    *file = (struct slt_file){0};
}

int slt_file_write(const struct slt_file *file, const struct slt_list *results)
{
    FILE *out = fopen(file->path, "w");
    size_t line = 0;

    if (!out) {
        perror(file->path);
        return -1;
    }
    for (size_t i = 0; i < file->records_count; i++) {
        const struct slt_record *r = &file->records[i];

        if (r->kind != SLT_QUERY && r->kind != SLT_CLI)
            continue;
        for (; line < r->expected_at; line++)
            fprintf(out, "%s\n", file->lines.items[line]);
        for (size_t k = 0; k < results[i].count; k++)
            fprintf(out, "%s\n", results[i].items[k]);
        line += r->expected.count;
    }
    for (; line < file->lines.count; line++)
        fprintf(out, "%s\n", file->lines.items[line]);
    if (fclose(out) != 0) {
        perror(file->path);
        return -1;
    }
    return 0;
}
