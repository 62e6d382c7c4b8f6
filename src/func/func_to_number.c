/* SPDX-License-Identifier: Apache-2.0
 *
 * func_to_number.c: texts by a template to numbers, as PostgreSQL has it: what stands where a digit
 * should and is none is passed over. */
#include "base/text.h"
#include "func/ntmpl.h"
#include "func/num.h"
#include "func/str_int.h"
#include "func/text.h"

#define NREAD_SCALE 16 /* digits more behind the point after V */

struct nread {
    const struct ntmpl *t;
    struct vstr in;
    uint32_t at;
    char sign; /* ' ': none yet */
    struct buf *b;
    int pre;
    int post;
    bool point;
};

static char nread_ahead(const struct nread *r, uint32_t n)
{
    return r->at + n < r->in.len ? r->in.ptr[r->at + n] : 0;
}

static bool nread_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void nread_take_sign(struct nread *r, bool bracket)
{
    char c = nread_ahead(r, 0);

    if (c == '-' || c == '+' || (bracket && c == '<')) {
        r->sign = c == '+' ? '+' : '-';
        r->at++;
    }
}

/* A place of the template. Leaves `at` on the character that was read. */
static void nread_place(struct nread *r, enum ntmpl_word word)
{
    bool read = false;

    if (nread_ahead(r, 0) == ' ')
        r->at++;
    if (r->at >= r->in.len)
        return;
    if (r->sign == ' ' && word != NTMPL_POINT && r->pre + r->post == 0)
        nread_take_sign(r, r->t->bracket);
    if (r->at >= r->in.len)
        return;
    if (nread_digit(nread_ahead(r, 0))) {
        if (r->point && r->post == r->t->post)
            return;
        buf_u8(r->b, (uint8_t)nread_ahead(r, 0));
        r->post += r->point;
        r->pre += !r->point;
        read = true;
    } else if (r->t->point && !r->point && nread_ahead(r, 0) == '.') {
        buf_u8(r->b, '.');
        r->point = true;
        read = true;
    }
    if (r->sign != ' ' || r->pre + r->post == 0)
        return;
    if (r->t->sign != NTMPL_SIGN_NONE && read && r->at + 1 < r->in.len &&
        !nread_digit(nread_ahead(r, 1))) {
        if (nread_ahead(r, 1) == '-' || nread_ahead(r, 1) == '+')
            r->sign = nread_ahead(r, 1);
        r->at += r->sign != ' ';
    } else if (!read && r->t->sign == NTMPL_SIGN_NONE && (r->t->plus || r->t->minus) &&
               (nread_ahead(r, 0) == '-' || nread_ahead(r, 0) == '+')) {
        r->sign = nread_ahead(r, 0);
    }
}

/* Up to n characters that are nothing of a number. */
static void nread_skip(struct nread *r, int n)
{
    while (n-- > 0 && r->at < r->in.len && !text_one_of(r->in.ptr[r->at], "0123456789.,+-"))
        r->at += str_char_len(r->in, r->at);
}

/* False: `at` stays where it is. */
static bool nread_node(struct nread *r, const struct ntmpl_node *node)
{
    char c = nread_ahead(r, 0);

    switch (node->word) {
    case NTMPL_9:
    case NTMPL_0:
    case NTMPL_POINT:
        nread_place(r, node->word);
        return true;
    case NTMPL_COMMA:
        return c == ',';
    case NTMPL_CURRENCY:
        nread_skip(r, 1);
        return false;
    case NTMPL_TH_LOWER:
    case NTMPL_TH_UPPER:
        nread_skip(r, 2);
        return false;
    case NTMPL_MI:
    case NTMPL_PL:
    case NTMPL_SG:
        if ((c == '-' && node->word != NTMPL_PL) || (c == '+' && node->word != NTMPL_MI)) {
            r->sign = c;
            return true;
        }
        nread_skip(r, 1);
        return false;
    case NTMPL_TEXT:
        r->at += str_char_len(r->in, r->at);
        return false;
    }
    return false;
}

static int nread_run(struct nread *r, struct vnumeric *ret, struct dn_err *err)
{
    struct vstr text;
    int rc = 0;

    for (uint32_t i = 0; i < r->t->count && r->at < r->in.len; i++)
        if (nread_node(r, &r->t->nodes[i]))
            r->at++;
    text = (struct vstr){(const char *)r->b->data, (uint32_t)r->b->len};
    if (r->b->failed)
        return DN_FAIL_NOMEM(err);
    if (text.len && text.ptr[text.len - 1] == '.')
        text.len--;
    if (text.len == 0)
        return DN_FAIL(
            err, DN_E_BAD_TEXT, "invalid input syntax for type numeric: \"%c\"", r->sign);
    rc = text_parse_numeric(text, ret, err);
    if (rc == 0 && r->sign == '-')
        *ret = num_neg(*ret);
    if (rc == 0)
        rc = num_fit(*ret, r->t->pre + r->t->multi + r->post, r->post, ret, err);
    for (int i = 0; i < r->t->multi && rc == 0; i++)
        rc = num_div_scale(*ret, num_from_i64(10), r->post + NREAD_SCALE, ret, err);
    return rc;
}

/* 1: the template is empty. */
static int nread_row(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t row,
                     struct vnumeric *ret,
                     struct dn_err *err)
{
    struct ntmpl t;
    struct buf b;
    struct nread r = {.t = &t, .in = vec_str(&args[0], row), .sign = ' ', .b = &b};
    int rc;

    if (vec_str(&args[1], row).len == 0)
        return 1;
    rc = ntmpl_parse(vec_str(&args[1], row), ctx->arena, &t, err);
    if (rc == 0 && t.roman)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "\"RN\" not supported for input");
    if (rc == 0 && t.eeee)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "\"EEEE\" not supported for input");
    if (rc < 0)
        return rc;
    buf_init(&b, ctx->arena->owner);
    rc = nread_run(&r, ret, err);
    buf_done(&b);
    return rc;
}

static int func_to_number(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count DN_UNUSED,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    struct vnumeric *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        int rc = 1;

        to[i] = vnumeric_make(0, 0);
        if (!vec_is_null(ret, i))
            rc = nread_row(ctx, args, i, &to[i], err);
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

static const struct func func_to_number_rows[] = {
    STR_TO("to_number",
           2,
           NUMERIC,
           func_to_number,
           "The number that a text is by a template.",
           "to_number('12,454.8-', '99G999D9S') = -12454.8",
           TYPE_VARCHAR,
           TYPE_VARCHAR),
};

const struct func_table func_table_to_number = {func_to_number_rows,
                                                DN_ARRAY_SIZE(func_to_number_rows)};
