/* SPDX-License-Identifier: Apache-2.0
 *
 * func_char_num.c: numbers by a template, as PostgreSQL has it. Digits
 * of the template are gone through from left to right together with those of the number, which is
 * rounded to the template's places first; `places` counts them. */
#include "func/ntmpl.h"
#include "func/num.h"
#include "func/str_int.h"
#include "func/text.h"
#include "func/tmpl.h"

#include <math.h>
#include <stdio.h>

#define NCHAR_ROMAN_WIDTH 15
#define NCHAR_DOUBLE      15 /* digits that a DOUBLE has */
#define NCHAR_REAL        6

/* ---- the number's text ---- */

struct nchar {
    const struct ntmpl *t;
    struct buf *b;
    const char *digits; /* of the number, with a zero byte behind: "12.50", "###.##" */
    const char *at;     /* the next of them */
    const char *last;   /* the last one that FM keeps; NULL: all */
    char sign;          /* '+', '-' */
    int spaces;         /* places of the template before the first digit */
    int place;          /* of the template */
    int places;         /* that digits, point and sign take */
    bool signed_yet;
    bool in_number;
    bool bracket;
    enum ntmpl_sign_place sign_place;
};

/* '0.1' by 9.9: the zero is not shown. */
static bool nchar_zero_first(const struct nchar *n)
{
    return !n->t->zero && n->at == n->digits && *n->digits == '0' && n->t->post != 0;
}

static bool nchar_ends_with_point(const struct nchar *n)
{
    return n->last && *n->last == '.';
}

/* Before the first digit that is shown. */
static void nchar_sign(struct nchar *n)
{
    if (n->signed_yet)
        return;
    if (n->place < n->spaces && !(n->t->zero && n->t->zero_start == n->place))
        return;
    if (nchar_zero_first(n) && !nchar_ends_with_point(n))
        return;
    if (n->sign_place == NTMPL_SIGN_BEHIND)
        return;
    n->signed_yet = true;
    if (n->sign_place == NTMPL_SIGN_BEFORE)
        buf_u8(n->b, (uint8_t)n->sign);
    else if (n->bracket)
        buf_u8(n->b, n->sign == '+' ? ' ' : '<');
    else if (n->sign == '-')
        buf_u8(n->b, '-');
    else if (!n->t->fill)
        buf_u8(n->b, ' ');
}

/* A digit or the point of the number itself. */
static void nchar_digit(struct nchar *n, bool forced)
{
    if (*n->at == '.') {
        if (!nchar_ends_with_point(n) || n->t->fill)
            buf_u8(n->b, '.');
    } else if (n->last && n->at > n->last && !forced) {
        /* left away by FM */
    } else if (nchar_zero_first(n)) {
        if (!n->t->fill)
            buf_u8(n->b, ' ');
        else if (nchar_ends_with_point(n))
            buf_u8(n->b, '0');
    } else if (*n->at) {
        buf_u8(n->b, (uint8_t)*n->at);
        n->in_number = true;
    }
    n->at += *n->at != 0;
}

/* Behind the last digit. */
static void nchar_end(struct nchar *n)
{
    if (n->signed_yet && n->bracket)
        buf_u8(n->b, n->sign == '+' ? ' ' : '>');
    else if (n->sign_place == NTMPL_SIGN_BEHIND)
        buf_u8(n->b, (uint8_t)n->sign);
}

static void nchar_place(struct nchar *n, enum ntmpl_word word)
{
    int end = n->places + (n->spaces ? 1 : 0) + (n->t->point ? 1 : 0);

    n->in_number = false;
    nchar_sign(n);
    if (n->place < n->spaces && (n->t->zero_start > n->place || !n->t->zero)) {
        if (!n->t->fill)
            buf_u8(n->b, ' ');
    } else if (n->place < n->spaces) {
        buf_u8(n->b, '0');
        n->in_number = true;
    } else {
        nchar_digit(n, word == NTMPL_0);
    }
    if (n->last && n->last == n->at)
        end = n->place;
    if (n->place + 1 == end)
        nchar_end(n);
    n->place++;
}

/* st, nd, rd, th. */
static const char *nchar_ordinal(const char *digits)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    size_t len = strlen(digits);
    char last = len ? digits[len - 1] : '0';
    char before = len > 1 ? digits[len - 2] : '0';

    return last >= '1' && last <= '3' && before != '1' ? ends[last - '0'] : ends[0];
}

static void nchar_other(struct nchar *n, const struct ntmpl_node *node)
{
    const char *th;

    switch (node->word) {
    case NTMPL_TEXT:
        buf_append(n->b, node->text.ptr, node->text.len);
        return;
    case NTMPL_COMMA:
        if (n->in_number || !n->t->fill)
            buf_u8(n->b, n->in_number ? ',' : ' ');
        return;
    case NTMPL_CURRENCY:
        buf_u8(n->b, ' ');
        return;
    case NTMPL_MI:
        if (n->sign == '-' || !n->t->fill)
            buf_u8(n->b, n->sign == '-' ? '-' : ' ');
        return;
    case NTMPL_PL:
        if (n->sign == '+' || !n->t->fill)
            buf_u8(n->b, n->sign == '+' ? '+' : ' ');
        return;
    case NTMPL_SG:
        buf_u8(n->b, (uint8_t)n->sign);
        return;
    case NTMPL_TH_UPPER:
    case NTMPL_TH_LOWER:
        if (n->sign == '-' || *n->digits == '#' || n->t->point)
            return;
        th = nchar_ordinal(n->digits);
        for (int i = 0; i < 2; i++)
            buf_u8(n->b, (uint8_t)(node->word == NTMPL_TH_UPPER ? tmpl_up(th[i]) : th[i]));
        return;
    case NTMPL_9:
    case NTMPL_0:
    case NTMPL_POINT:
        return;
    }
}

/* The last digit that FM keeps: the last that is not 0, or one that the template asks for. */
static const char *nchar_last(const struct nchar *n)
{
    const char *last = strchr(n->digits, '.');
    long most = (long)strlen(n->digits) - 1;
    long zero = n->t->zero_end - n->spaces;

    if (!last)
        return NULL;
    for (const char *p = last + 1; *p; p++)
        if (*p != '0')
            last = p;
    if (zero > 0 && last < n->digits + (zero < most ? zero : most))
        last = n->digits + (zero < most ? zero : most);
    return last;
}

/* digits: of the number without sign, rounded. */
static void nchar_write(struct nchar *n)
{
    const struct ntmpl *t = n->t;

    n->at = n->digits;
    n->bracket = t->bracket;
    n->sign_place = t->sign;
    if (t->plus || t->minus) {
        n->signed_yet = t->minus;
    } else {
        if (n->sign != '-' && t->fill)
            n->bracket = false;
        n->signed_yet = n->sign == '+' && t->fill && t->sign == NTMPL_SIGN_NONE;
        if (t->sign == NTMPL_SIGN_BEFORE && t->pre == t->sign_pre)
            n->sign_place = NTMPL_SIGN_BEHIND;
    }
    n->places = t->post + t->pre - 1;
    if (t->fill && t->point)
        n->last = nchar_last(n);
    if (!n->signed_yet && n->spaces == 0)
        n->places++;
    for (uint32_t i = 0; i < t->count; i++) {
        enum ntmpl_word word = t->nodes[i].word;

        if (word == NTMPL_9 || word == NTMPL_0 || word == NTMPL_POINT)
            nchar_place(n, word);
        else
            nchar_other(n, &t->nodes[i]);
    }
}

/* ---- values ---- */

static void nchar_roman(const struct ntmpl *t, int64_t v, struct buf *b)
{
    static const struct {
        int value;
        const char *text;
    } parts[] = {{1000, "M"},
                 {900, "CM"},
                 {500, "D"},
                 {400, "CD"},
                 {100, "C"},
                 {90, "XC"},
                 {50, "L"},
                 {40, "XL"},
                 {10, "X"},
                 {9, "IX"},
                 {5, "V"},
                 {4, "IV"},
                 {1, "I"}};
    char text[NCHAR_ROMAN_WIDTH + 1] = "";
    int len = 0;

    if (v < 1 || v > 3999) {
        for (int i = 0; i < NCHAR_ROMAN_WIDTH; i++)
            buf_u8(b, '#');
        return;
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(parts); i++)
        for (; v >= parts[i].value; v -= parts[i].value)
            len += snprintf(text + len, sizeof text - (size_t)len, "%s", parts[i].text);
    for (int i = len; !t->fill && i < NCHAR_ROMAN_WIDTH; i++)
        buf_u8(b, ' ');
    for (int i = 0; i < len; i++)
        buf_u8(b, (uint8_t)(t->roman_lower ? tmpl_down(text[i]) : text[i]));
}

/* A float, rounded as the C library does, with the digits that it has. */
static void
nchar_float(const struct datum *d, const struct ntmpl *t, struct nchar *n, struct buf *b)
{
    double v = d->v.f64 * pow(10, t->multi);
    int digits = d->type == TYPE_REAL ? NCHAR_REAL : NCHAR_DOUBLE;
    int post = t->post;
    char text[400];
    int whole;

    if (!isfinite(v)) {
        n->sign = v < 0 ? '-' : '+';
        buf_puts(b, isnan(v) ? "NaN" : "Infinity");
        return;
    }
    whole = snprintf(text, sizeof text, "%.0f", fabs(v));
    post = whole >= digits ? 0 : whole + post > digits ? digits - whole : post;
    snprintf(text, sizeof text, "%.*f", post, v);
    n->sign = text[0] == '-' ? '-' : '+';
    buf_puts(b, text + (text[0] == '-'));
}

/* Any other number, rounded to the places there are. */
static int nchar_decimal(const struct datum *d,
                         const struct ntmpl *t,
                         struct nchar *n,
                         struct buf *b,
                         struct dn_err *err)
{
    struct vnumeric v = d->type == TYPE_NUMERIC ? d->num : num_from_i64(d->v.i64);
    int rc = 0;

    for (int i = 0; i < t->multi && rc == 0; i++)
        rc = num_mul(v, num_from_i64(10), &v, err);
    if (rc == 0)
        rc = num_round(v, t->post, NUM_NEAREST, &v, err);
    if (rc < 0)
        return rc;
    n->sign = num_sign(v) < 0 ? '-' : '+';
    text_print_numeric(num_abs(v), b);
    return 0;
}

static int nchar_exponent(const struct str_call *c, const struct ntmpl *t, struct buf *b)
{
    struct datum d = vec_datum(&c->args[0], c->row);
    double v = d.type == TYPE_NUMERIC ? num_to_f64(d.num)
               : type_is_int(d.type)  ? (double)d.v.i64
                                      : d.v.f64;

    if (!isfinite(v)) {
        buf_u8(b, ' ');
        for (int i = 0; i < t->pre + t->post + 5; i++)
            buf_u8(b, i == t->pre ? '.' : '#');
        return 0;
    }
    /* Halves of decimal numbers go away from zero; of floats they are what the float is. */
    if (d.type == TYPE_NUMERIC && num_sign(d.num) != 0) {
        struct vnumeric r;
        int rc = num_round(d.num, t->post - num_exponent(d.num), NUM_NEAREST, &r, c->err);

        if (rc < 0)
            return rc;
        v = num_to_f64(r);
    }
    buf_printf(b, "%s%.*e", v < 0 ? "" : " ", t->post, v);
    return 0;
}

/* Digits without sign, or # where there is no room for them. */
static int nchar_text(const struct str_call *c,
                      const struct ntmpl *t,
                      struct nchar *n,
                      struct buf *digits,
                      struct dn_err *err)
{
    struct datum d = vec_datum(&c->args[0], c->row);
    int pre = t->pre + t->multi;
    int post = t->post;
    size_t whole;
    int rc = 0;

    if (type_is_float(d.type))
        nchar_float(&d, t, n, digits);
    else
        rc = nchar_decimal(&d, t, n, digits, err);
    if (rc < 0)
        return rc;
    buf_u8(digits, 0);
    if (digits->failed)
        return DN_FAIL_NOMEM(err);
    whole = strcspn((const char *)digits->data, ".");
    n->spaces = pre > (int)whole ? pre - (int)whole : 0;
    if ((int)whole > pre) {
        if (d.type == TYPE_DOUBLE && isinf(d.v.f64)) /* its name counts like digits */
            post = post < NCHAR_DOUBLE - 8 ? post : NCHAR_DOUBLE - 8;
        else if (type_is_float(d.type) && digits->len - 1 - whole <= (size_t)post)
            /* fewer are exact */
            post = digits->len - 1 > whole ? (int)(digits->len - 2 - whole) : 0;
        buf_reset(digits);
        for (int i = 0; i < pre + post + 1; i++)
            buf_u8(digits, i == pre ? '.' : '#');
        buf_u8(digits, 0);
    }
    return digits->failed ? DN_FAIL_NOMEM(err) : 0;
}

static int nchar_run(const struct str_call *c, const struct ntmpl *t, struct buf *b)
{
    struct nchar n = {.t = t, .b = b, .sign = '+'};
    struct datum d = vec_datum(&c->args[0], c->row);
    struct buf digits;
    int64_t whole = 0;
    int rc;

    if (t->roman) {
        if (d.type == TYPE_NUMERIC && d.num.special)
            return DN_FAIL(c->err,
                           DN_E_UNSUPPORTED,
                           "cannot convert %s to integer",
                           vnumeric_is_nan(d.num) ? "NaN" : "infinity");
        if (type_is_float(d.type))
            whole = fabs(d.v.f64) < 1e9 ? (int64_t)rint(d.v.f64) : 0;
        else if (!num_to_i64(d.type == TYPE_NUMERIC ? d.num : num_from_i64(d.v.i64), &whole))
            whole = INT64_MAX;
        if (d.type == TYPE_NUMERIC && (whole > INT32_MAX || whole < INT32_MIN))
            return func_fail_range(TYPE_INTEGER, c->err);
        nchar_roman(t, whole, b);
        return 0;
    }
    if (t->eeee)
        return nchar_exponent(c, t, b);
    buf_init(&digits, c->ctx->arena->owner);
    rc = nchar_text(c, t, &n, &digits, c->err);
    n.digits = (const char *)digits.data;
    if (rc == 0)
        nchar_write(&n);
    buf_done(&digits);
    return rc;
}

static int str_char_num(const struct str_call *c, struct vstr *ret)
{
    struct ntmpl t;
    struct buf b;
    int rc = ntmpl_parse(str_arg(c, 1), c->ctx->arena, &t, c->err);

    if (rc < 0)
        return rc;
    buf_init(&b, c->ctx->arena->owner);
    return str_keep(c, nchar_run(c, &t, &b), &b, ret);
}
STR_KERNEL(char_num)

#define NCHAR_FLAGS(t, more, sample)                                                           \
    {                                                                                          \
        .name = "to_char", .args = {TYPE_##t, TYPE_VARCHAR}, .args_count = 2,                  \
        .result = TYPE_VARCHAR, .flags = FUNC_STRICT | (more), .kernel = func_char_num,        \
        .doc = "The number by a template: 9, 0, ., ,, S, MI, PR, FM, TH, RN, EEEE, V and the " \
               "others of PostgreSQL.",                                                        \
        .example = sample                                                                      \
    }
#define NCHAR(t, sample) NCHAR_FLAGS(t, 0, sample)

static const struct func func_char_num_rows[] = {
    NCHAR(INTEGER, "to_char(125, '999') =  125"),
    NCHAR(BIGINT, "to_char(1485, 'FM9,999') = 1,485"),
    NCHAR(NUMERIC, "to_char(-125.8, '999D99S') = 125.80-"),
    NCHAR_FLAGS(DOUBLE, FUNC_HALVES, "to_char(125.8, 'FM000.00') = 125.80"),
    NCHAR(REAL, "to_char(125.8, 'FM999D9') = 125.8"),
};

const struct func_table func_table_char_num = {func_char_num_rows,
                                               DN_ARRAY_SIZE(func_char_num_rows)};
