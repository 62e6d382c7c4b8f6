/* SPDX-License-Identifier: Apache-2.0 */
#include "ast_same.h"

#include "ast_dump.h"

#include <string.h>

static bool same_bytes(const struct buf *a, const struct buf *b)
{
    return !a->failed && !b->failed && a->len == b->len &&
           (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

bool ast_same_expr(const struct expr *a, const struct expr *b)
{
    struct buf x;
    struct buf y;
    bool same;

    if (!a || !b)
        return a == b;
    buf_init(&x, NULL);
    buf_init(&y, NULL);
    same = ast_dump_expr(a, &x) && ast_dump_expr(b, &y) && same_bytes(&x, &y);
    buf_done(&x);
    buf_done(&y);
    return same;
}

bool ast_same_stmt(const struct stmt *a, const struct stmt *b)
{
    struct buf x;
    struct buf y;
    bool same;

    buf_init(&x, NULL);
    buf_init(&y, NULL);
    same = ast_dump_stmt(a, &x) && ast_dump_stmt(b, &y) && same_bytes(&x, &y);
    buf_done(&x);
    buf_done(&y);
    return same;
}

bool ast_sound(const struct stmt *s)
{
    struct buf b;
    bool sound;

    buf_init(&b, NULL);
    sound = s->start > 0 && s->end_byte >= s->start_byte && ast_dump_stmt(s, &b);
    buf_done(&b);
    return sound;
}

static const char *trip_one(const struct stmt *s, struct arena *arena)
{
    const char *wrong = NULL;
    struct sql_text t;
    struct stmt *again;
    struct buf b;
    struct buf c;

    buf_init(&b, NULL);
    buf_init(&c, NULL);
    sql_print_stmt(s, &b);
    sql_text_init(&t, (const char *)b.data, b.len);
    if (b.failed)
        wrong = "out of memory while printing";
    else if (!ast_sound(s))
        wrong = "the tree is not sound";
    else if (s->kind == STMT_EMPTY)
        wrong = b.len ? "an empty statement prints text" : NULL;
    else if (sql_parse(&t, arena, &again, NULL) != 0)
        wrong = "the printed text does not parse";
    else if (!ast_same_stmt(s, again))
        wrong = "the printed text parses to another tree";
    else {
        sql_print_stmt(again, &c);
        if (b.len != c.len || memcmp(b.data, c.data, b.len) != 0)
            wrong = "the second print differs";
    }
    buf_done(&b);
    buf_done(&c);
    return wrong;
}

const char *ast_round_trip(const char *text, size_t len, unsigned *ret_failed)
{
    const char *wrong = NULL;
    struct sql_text t;
    struct arena arena;
    struct stmt *s;
    int rc = 0;

    *ret_failed = 0;
    arena_init(&arena, NULL);
    sql_text_init(&t, text, len);
    while (!wrong) {
        size_t before = t.next;
        struct dn_err err;

        dn_err_clear(&err);
        rc = sql_parse(&t, &arena, &s, &err);
        if (rc == DN_EOF)
            break;
        if (t.next <= before && rc != DN_EOF)
            wrong = "the parser stands still";
        if (rc < 0) {
            ++*ret_failed;
            if (err.code != rc || !err.text[0] ||
                (err.position == 0 && rc != DN_E_NOMEM && len <= SQL_TEXT_MAX))
                wrong = "an error without text or position";
        } else if (!wrong) {
            wrong = trip_one(s, &arena);
        }
        arena_reset(&arena);
    }
    arena_done(&arena);
    return wrong;
}
