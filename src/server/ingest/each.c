/* SPDX-License-Identifier: Apache-2.0
 *
 * each.c: see each.h. The text is written piece by piece. When a line of a piece is refused by the
 * tables, the piece is gathered again without it; after EACH_TRIES of them it is cut to a quarter,
 * down to a single line. */
#include "server/ingest/each.h"

#include "server/ingest/ingest_int.h"

#include <string.h>

#define EACH_PIECE ((size_t)8 << 20) /* bytes that are written together, about */
#define EACH_TRIES 8u

struct each {
    struct ingest_each *e;
    struct lp lp;
    struct buf bad; /* uint64_t: lines from here on that tables refused */
    uint64_t told;  /* lines up to this one are read: those that are none were told */
};

static bool each_is_bad(const struct each *x, uint64_t line)
{
    for (size_t at = 0; at < x->bad.len; at += sizeof line)
        if (memcmp(x->bad.data + at, &line, sizeof line) == 0)
            return true;
    return false;
}

static void
each_refuse(struct each *x, uint64_t line, const char *why, const struct ingest_table *table)
{
    x->e->refused++;
    x->e->refuse(x->e->arg, line, why, table);
}

/* The piece is done with: what is known of its lines is not needed any more. */
static void each_forget(struct each *x)
{
    size_t kept = 0;
    uint64_t line;

    for (size_t at = 0; at < x->bad.len; at += sizeof line) {
        memcpy(&line, x->bad.data + at, sizeof line);
        if (line <= x->e->lines)
            continue;
        memcpy(x->bad.data + kept, &line, sizeof line);
        kept += sizeof line;
    }
    x->bad.len = kept;
}

/* All points of the text but those that were refused. */
static int each_gather(struct each *x, struct ingest *in, struct dendro_error *err)
{
    enum lp_result r;

    while ((r = lp_next(&x->lp)) != LP_END) {
        uint64_t line = x->e->lines + x->lp.line;
        int rc = 0;

        if (r == LP_NOMEM)
            return ingest_fail(err, DN_E_NOMEM, "out of memory");
        if (r == LP_BAD && line > x->told)
            each_refuse(x, line, x->lp.error, NULL);
        x->told = line > x->told ? line : x->told;
        if (r == LP_POINT && !each_is_bad(x, line))
            rc = ingest_add(in, &x->lp.point, line, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* One try. 0: the piece is written. 1: a line less is to be tried. */
static int each_try(struct each *x, const char *text, size_t len, struct dendro_error *err)
{
    struct ingest_each *e = x->e;
    struct ingest in;
    struct arena arena;
    int rc;

    arena_init(&arena, e->owner);
    ingest_init(&in, e->owner, &e->opt);
    in.opt.session = e->session;
    lp_begin(&x->lp, text, len, &arena);
    rc = each_gather(x, &in, err);
    if (rc == 0)
        rc = ingest_write(&in, e->session, err);
    if (rc == 0) {
        e->rows += in.rows;
        e->wrote(e->arg, &in);
    } else if (in.bad_line) {
        each_refuse(x, in.bad_line, err->message, in.bad_table);
        buf_append(&x->bad, &in.bad_line, sizeof in.bad_line);
        rc = x->bad.failed ? ingest_fail(err, DN_E_NOMEM, "out of memory") : 1;
    }
    ingest_done(&in);
    arena_done(&arena);
    return rc;
}

/* The end of the lines in the first `most` bytes; of more, if not even one ends there. */
static size_t each_cut(const char *text, size_t len, size_t most)
{
    while (most < len) {
        size_t whole = lp_whole(text, most);

        if (whole > 0)
            return whole;
        most *= 2;
    }
    return len;
}

int ingest_each(struct ingest_each *e, const char *text, size_t len, struct dendro_error *err)
{
    struct each x = {.e = e};
    size_t most = EACH_PIECE;
    size_t at = 0;
    int rc = 0;

    e->rows = e->refused = e->lines = 0;
    buf_init(&x.bad, e->owner);
    while (rc >= 0 && at < len) {
        size_t piece = each_cut(text + at, len - at, most);

        rc = 1;
        for (unsigned i = 0; rc == 1 && i < EACH_TRIES && e->refused <= INGEST_EACH_BAD_MAX; i++)
            rc = each_try(&x, text + at, piece, err);
        if (rc == 1 && e->refused > INGEST_EACH_BAD_MAX)
            rc = ingest_fail(err, DN_E_TOO_LONG, "too many lines are refused");
        if (rc == 1)
            most = piece / 4 + 1;
        if (rc != 0)
            continue;
        for (size_t i = 0; i < piece; i++)
            e->lines += text[at + i] == '\n';
        at += piece;
        most = most < EACH_PIECE / 2 ? most * 2 : EACH_PIECE;
        each_forget(&x);
    }
    buf_done(&x.bad);
    return rc;
}
