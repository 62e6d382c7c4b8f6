/* SPDX-License-Identifier: Apache-2.0
 *
 * parse.c: one statement after the other. */
#include "base/text.h"
#include "sql/ast_build.h"

#include <string.h>

void sql_text_init(struct sql_text *t, const char *text, size_t len)
{
    t->text = text;
    t->len = len;
    t->next = 0;
    t->next_pos = 1;
    t->no_positions = false;
    t->types = NULL;
    t->cancel = NULL;
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        t->next = 3; /* a byte order mark: one invisible character */
        t->next_pos = 2;
    }
}

static struct sql_lexer parse_lexer(const struct sql_text *t, struct dn_err *err)
{
    struct sql_lexer lx = {.start = t->text,
                           .cur = t->text + t->next,
                           .end = t->text + t->len,
                           .pos = t->next_pos,
                           .err = err,
                           .no_pos = t->no_positions};

    return lx;
}

/* Notes in the tree where in the text the statement stands. */
static void
parse_place(struct sql_parser *ps, struct stmt *s, const struct sql_lexer *first, const char *end)
{
    s->text = ps->lx.start;
    s->start = first->pos;
    s->start_byte = (uint32_t)(first->cur - ps->lx.start);
    s->end_byte = (uint32_t)(end - ps->lx.start);
    s->params_count = ps->params_count;
}

/* The statement ends before its semicolon and the blanks and comments in front of that. */
static int parse_statement(struct sql_parser *ps)
{
    struct sql_lexer first;
    const char *end;

    ps->stmt = sql_new(ps, sizeof *ps->stmt);
    if (!ps->stmt)
        return ps->rc;
    sql_lex_skip_blanks(&ps->lx);
    first = ps->lx;
    ps->stmt_start = first.cur;
    ps->stmt_pos = first.pos;
    if (first.cur < first.end && *first.cur == ';') {
        ps->lx.cur++;
        ps->lx.pos++;
        parse_place(ps, ps->stmt, &first, first.cur);
        return 0;
    }
    sql_parser_run(ps);
    if (ps->rc < 0)
        return ps->rc;
    end = ps->last_end;
    parse_place(ps, ps->stmt, &first, end);
    for (struct stmt *s = ps->stmt->explained; s; s = s->explained)
        parse_place(ps, s, &first, end);
    return 0;
}

int sql_parse(struct sql_text *t, struct arena *arena, struct stmt **ret_stmt, struct dn_err *err)
{
    struct sql_parser ps = {.arena = arena, .err = err, .types = t->types, .cancel = t->cancel};
    struct sql_lexer start;
    int rc;

    if (t->len > SQL_TEXT_MAX) {
        t->next = t->len;
        return DN_FAIL(
            err, DN_E_TOO_COMPLEX, "the text has %zu bytes, more than %u", t->len, SQL_TEXT_MAX);
    }
    start = parse_lexer(t, err);
    ps.lx = start;
    sql_lex_skip_blanks(&ps.lx);
    if (ps.lx.cur == ps.lx.end) {
        t->next = t->len;
        t->next_pos = ps.lx.pos;
        return DN_EOF;
    }
    ps.lx = start;
    rc = parse_statement(&ps);
    if (rc < 0) {
        ps.lx = start;
        DN_IGNORE(sql_lex_skip_statement(&ps.lx)); /* the end of the text is an end too */
    } else {
        ps.stmt->user_types = ps.user_types;
        *ret_stmt = ps.stmt;
    }
    t->next = (size_t)(ps.lx.cur - t->text);
    t->next_pos = ps.lx.pos;
    mem_free(ps.stack);
    mem_free(ps.rows);
    return rc;
}

bool sql_complete(const char *text, size_t len)
{
    struct sql_lexer lx = {.start = text, .cur = text, .end = text + len, .pos = 1};

    while (sql_lex_skip_statement(&lx)) {
        sql_lex_skip_blanks(&lx);
        if (lx.cur == lx.end)
            return true;
    }
    return false;
}

const char *sql_suggest(const char *word, const char *const *candidates, size_t count)
{
    return text_suggest(word, candidates, count);
}
