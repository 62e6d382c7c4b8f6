/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_parse.c: the statement DRAW, word by word. Its words are none of SQL's grammar: they are
 * names everywhere else. */
#include "server/draw/draw.h"

#include "sql/lexer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DRAW_NUMBER_MAX 63u /* bytes */

struct draw_parse {
    struct draw *p;
    struct sql_lexer lx;
    struct sql_token t; /* the next one */
    int code;           /* 0: the end */
    struct dn_err *err;
};

static int parse_next(struct draw_parse *d)
{
    d->code = sql_lex(&d->lx, &d->t);
    return d->code < 0 ? d->code : 0;
}

static bool parse_is(const struct draw_parse *d, const char *word)
{
    return d->code > 0 && d->t.len == strlen(word) && strncasecmp(d->t.ptr, word, d->t.len) == 0;
}

/* Takes the word, if it is the next. */
static int parse_take(struct draw_parse *d, const char *word, bool *ret)
{
    *ret = parse_is(d, word);
    return *ret ? parse_next(d) : 0;
}

static int parse_unexpected(struct draw_parse *d, const char *wanted)
{
    int rc;

    if (d->code == 0)
        rc = DN_FAIL(d->err, DN_E_SYNTAX, "syntax error at the end of DRAW; expected %s", wanted);
    else
        rc = DN_FAIL(d->err,
                     DN_E_SYNTAX,
                     "syntax error at or near \"%.*s\"; expected %s",
                     d->t.len < 60 ? (int)d->t.len : 60,
                     d->t.ptr,
                     wanted);
    dn_err_at(d->err, d->t.pos);
    return rc;
}

/* A text in either kind of quotes; a quote within it is doubled. */
static int parse_text(struct draw_parse *d, const char **ret)
{
    char quote = d->code > 0 && d->t.len >= 2 ? d->t.ptr[0] : 0;
    size_t n = 0;
    char *to;

    if (quote != '\'' && quote != '"')
        return parse_unexpected(d, "a text in quotes");
    to = arena_alloc(&d->p->arena, d->t.len);
    if (!to)
        return DN_FAIL_NOMEM(d->err);
    for (uint32_t i = 1; i + 1 < d->t.len; i++) {
        to[n++] = d->t.ptr[i];
        i += d->t.ptr[i] == quote;
    }
    to[n] = '\0';
    *ret = to;
    return parse_next(d);
}

static bool parse_is_number(const struct draw_parse *d)
{
    return d->code > 0 && (d->t.ptr[0] == '-' || (d->t.ptr[0] >= '0' && d->t.ptr[0] <= '9') ||
                           (d->t.ptr[0] == '.' && d->t.len > 1));
}

static int parse_number(struct draw_parse *d, double *ret)
{
    char text[DRAW_NUMBER_MAX + 1];
    bool minus;
    int rc = parse_take(d, "-", &minus);

    if (rc < 0)
        return rc;
    if (!parse_is_number(d) || d->t.len > DRAW_NUMBER_MAX)
        return parse_unexpected(d, "a number");
    memcpy(text, d->t.ptr, d->t.len);
    text[d->t.len] = '\0';
    *ret = strtod(text, NULL);
    if (minus)
        *ret = -*ret;
    if (!isfinite(*ret))
        return parse_unexpected(d, "a number that is finite");
    return parse_next(d);
}

/* ---- clauses ---- */

/* LABELS and TICKS [ON | OFF | INSIDE | OUTSIDE] [ROTATE n], of an axis or of points. */
static int parse_marks(struct draw_parse *d, bool *off, double *rotate)
{
    static const char *const words[] = {"ON", "OFF", "INSIDE", "OUTSIDE"};
    bool is = false;
    int rc = 0;

    *off = false;
    for (size_t i = 0; rc == 0 && i < DN_ARRAY_SIZE(words); i++) {
        rc = parse_take(d, words[i], &is);
        *off = *off || (is && i == 1);
    }
    if (rc == 0)
        rc = parse_take(d, "ROTATE", &is);
    return rc == 0 && is ? parse_number(d, rotate) : rc;
}

static int parse_axis(struct draw_parse *d)
{
    static const char *const sides[] = {"TOP", "RIGHT", "BOTTOM", "LEFT"};
    struct draw_axis *axis = NULL;
    double unused = 0;
    bool off;
    bool is;
    int rc = 0;

    for (int i = 0; rc == 0 && !axis && i < DRAW_SIDES; i++) {
        rc = parse_take(d, sides[i], &is);
        if (is) {
            axis = &d->p->axes[i];
            d->p->layers[d->p->layers_count - 1].right |= i == DRAW_RIGHT;
        }
    }
    if (rc < 0)
        return rc;
    if (!axis)
        return parse_unexpected(d, "TOP, RIGHT, BOTTOM or LEFT");
    axis->shown = true;
    for (;;) {
        rc = parse_take(d, "TITLE", &is);
        if (rc == 0 && is)
            rc = parse_text(d, &axis->title);
        else if (rc == 0) {
            rc = parse_take(d, "LABELS", &is);
            if (rc == 0 && is) {
                rc = parse_marks(d, &off, &axis->rotate);
                axis->quiet = off;
            } else if (rc == 0) {
                rc = parse_take(d, "TICKS", &is);
                if (rc == 0 && is)
                    rc = parse_marks(d, &off, &unused);
            }
        }
        if (rc < 0 || !is)
            return rc;
    }
}

static int parse_domain(struct draw_parse *d, struct draw_domain *to)
{
    bool is = true;
    int rc = 0;

    if (parse_is_number(d)) {
        rc = parse_number(d, &to->from);
        if (rc == 0 && !parse_is(d, ","))
            return parse_unexpected(d, "a comma and the other end");
        if (rc == 0)
            rc = parse_next(d);
        if (rc == 0)
            rc = parse_number(d, &to->to);
        to->given = true;
        if (rc == 0 && !(to->from < to->to))
            return DN_FAIL(
                d->err, DN_E_SYNTAX, "a domain goes from the smaller to the larger number");
    }
    while (rc == 0 && is) {
        rc = parse_take(d, "INVERT", &is);
        to->invert = to->invert || is;
        if (rc == 0 && !is) {
            rc = parse_take(d, "LOGARITHMIC", &is);
            to->log = to->log || is;
        }
        if (rc == 0 && !is)
            rc = parse_take(d, "LINEAR", &is);
        if (rc == 0 && !is)
            rc = parse_take(d, "CATEGORICAL", &is);
    }
    if (rc == 0 && to->log && to->given && to->from < 0)
        return DN_FAIL(d->err, DN_E_SYNTAX, "a logarithmic domain has no numbers below 0");
    return rc;
}

static int parse_grid(struct draw_parse *d)
{
    bool across;
    bool up = false;
    bool more = false;
    int rc = parse_take(d, "HORIZONTAL", &across);

    if (rc == 0)
        rc = parse_take(d, "VERTICAL", &up);
    if (rc == 0 && !across)
        rc = parse_take(d, "HORIZONTAL", &more);
    d->p->grid_y = d->p->grid_y || across || more || !up;
    d->p->grid_x = d->p->grid_x || up || !(across || more);
    return rc;
}

static int parse_legend(struct draw_parse *d)
{
    static const char *const words[] = {"TOP", "BOTTOM", "LEFT", "RIGHT", "INSIDE", "OUTSIDE"};
    bool is = false;
    int rc = 0;

    d->p->legend = true;
    for (size_t i = 0; rc == 0 && i < DN_ARRAY_SIZE(words); i++) {
        rc = parse_take(d, words[i], &is);
        d->p->legend_top = d->p->legend_top || (is && i == 0);
    }
    if (rc == 0)
        rc = parse_take(d, "TITLE", &is);
    return rc == 0 && is ? parse_text(d, &d->p->legend_title) : rc;
}

static int parse_orientation(struct draw_parse *d)
{
    struct draw_layer *layer = &d->p->layers[d->p->layers_count - 1];
    bool vertical = false;
    int rc = parse_take(d, "HORIZONTAL", &layer->horizontal);

    if (rc == 0 && !layer->horizontal)
        rc = parse_take(d, "VERTICAL", &vertical);
    return rc == 0 && !layer->horizontal && !vertical
               ? parse_unexpected(d, "HORIZONTAL or VERTICAL")
               : rc;
}

static int parse_stacked(struct draw_parse *d)
{
    d->p->layers[d->p->layers_count - 1].stacked = true;
    return 0;
}

static int parse_labels(struct draw_parse *d)
{
    double unused = 0;
    bool off;
    int rc = parse_marks(d, &off, &unused);

    d->p->layers[d->p->layers_count - 1].labels = !off;
    return rc;
}

static int parse_title(struct draw_parse *d)
{
    return parse_text(d, &d->p->title);
}

static int parse_subtitle(struct draw_parse *d)
{
    return parse_text(d, &d->p->subtitle);
}

static int parse_xdomain(struct draw_parse *d)
{
    return parse_domain(d, &d->p->x);
}

static int parse_ydomain(struct draw_parse *d)
{
    return parse_domain(d, &d->p->y);
}

static int parse_zdomain(struct draw_parse *d)
{
    struct draw_domain unused = {.given = false};

    return parse_domain(d, &unused);
}

static int parse_xgrid(struct draw_parse *d)
{
    d->p->grid_x = true;
    return 0;
}

static int parse_ygrid(struct draw_parse *d)
{
    d->p->grid_y = true;
    return 0;
}

static const struct {
    const char *word;
    int (*rest)(struct draw_parse *d);
} parse_clauses[] = {
    {"AXIS", parse_axis},
    {"TITLE", parse_title},
    {"SUBTITLE", parse_subtitle},
    {"XDOMAIN", parse_xdomain},
    {"YDOMAIN", parse_ydomain},
    {"ZDOMAIN", parse_zdomain},
    {"GRID", parse_grid},
    {"XGRID", parse_xgrid},
    {"YGRID", parse_ygrid},
    {"LEGEND", parse_legend},
    {"ORIENTATION", parse_orientation},
    {"STACKED", parse_stacked},
    {"LABELS", parse_labels},
};

static int parse_clause(struct draw_parse *d)
{
    bool is = false;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < DN_ARRAY_SIZE(parse_clauses); i++) {
        rc = parse_take(d, parse_clauses[i].word, &is);
        if (rc == 0 && is)
            return parse_clauses[i].rest(d);
    }
    return rc < 0 ? rc
                  : parse_unexpected(d,
                                     "AXIS, TITLE, SUBTITLE, XDOMAIN, YDOMAIN, GRID, LEGEND, "
                                     "ORIENTATION, STACKED or LABELS");
}

static int parse_kind(struct draw_parse *d)
{
    static const struct {
        const char *word;
        enum draw_kind kind;
    } kinds[] = {{"LINECHART", DRAW_LINE},
                 {"AREACHART", DRAW_AREA},
                 {"BARCHART", DRAW_BAR},
                 {"POINTCHART", DRAW_POINT}};
    bool is = false;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < DN_ARRAY_SIZE(kinds); i++) {
        rc = parse_take(d, kinds[i].word, &is);
        if (!is || rc < 0)
            continue;
        if (d->p->layers_count == DRAW_LAYERS_MAX)
            return DN_FAIL(d->err, DN_E_LIMIT, "a picture has at most %u DRAWs", DRAW_LAYERS_MAX);
        d->p->layers[d->p->layers_count++] = (struct draw_layer){.kind = kinds[i].kind};
        return rc;
    }
    return rc < 0 ? rc : parse_unexpected(d, "LINECHART, AREACHART, BARCHART or POINTCHART");
}

bool draw_is(const char *text)
{
    struct sql_lexer lx = {.start = text, .cur = text, .end = text + strlen(text), .pos = 1};
    struct sql_token t;

    return sql_lex(&lx, &t) > 0 && t.len == 4 && strncasecmp(t.ptr, "DRAW", 4) == 0;
}

int draw_statement(struct draw *p, const char *text, const char **ret_tail, struct dn_err *err)
{
    struct draw_parse d = {
        .p = p,
        .lx = {.start = text, .cur = text, .end = text + strlen(text), .pos = 1, .err = err},
        .err = err};
    bool with = false;
    int rc = parse_next(&d);

    if (rc == 0)
        rc = parse_next(&d); /* DRAW */
    if (rc == 0)
        rc = parse_kind(&d);
    if (rc == 0)
        rc = parse_take(&d, "WITH", &with);
    if (rc == 0 && !with && d.code != 0)
        rc = parse_unexpected(&d, "WITH or a semicolon");
    while (rc == 0 && d.code != 0)
        rc = parse_clause(&d);
    *ret_tail = d.lx.cur;
    return rc;
}
