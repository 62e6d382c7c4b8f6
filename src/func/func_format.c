/* SPDX-License-Identifier: Apache-2.0
 *
 * func_format.c: texts put together by a format, and quoted for SQL. */
#include "func/str_int.h"
#include "func/text_int.h"
#include "sql/sql.h"

#include <inttypes.h>

static void fmt_text(const struct str_call *c, uint32_t i, struct buf *b)
{
    struct datum d = vec_datum(&c->args[i], c->row);

    text_print_out(c->ctx->session, &d, b);
}

/* ---- quoting ---- */

/* In quotes, those inside doubled; with a backslash as E'…'. */
static void fmt_literal(const struct func_ctx *ctx, struct vstr s, struct buf *b)
{
    if (memchr(s.ptr, '\\', s.len))
        buf_u8(b, 'E');
    buf_u8(b, '\'');
    for (uint32_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '\'' || s.ptr[i] == '\\')
            buf_u8(b, (uint8_t)s.ptr[i]);
        buf_u8(b, (uint8_t)s.ptr[i]);
        if (i % FUNC_STEPS_MAX == 0 && func_check_cancel(ctx, NULL) < 0)
            b->failed = true;
        if (b->failed)
            return;
    }
    buf_u8(b, '\'');
}

/* Words that PostgreSQL quotes where they are names. */
static const char fmt_words[] =
    " all analyse analyze and any array as asc asymmetric authorization between bigint binary"
    " bit boolean both case cast char character check coalesce collate collation column"
    " concurrently constraint create cross current_catalog current_date current_role"
    " current_schema current_time current_timestamp current_user dec decimal default"
    " deferrable desc distinct do else end except exists extract false fetch float for foreign"
    " freeze from full grant greatest group grouping having ilike in initially inner inout int"
    " integer intersect interval into is isnull join lateral leading least left like limit"
    " localtime localtimestamp national natural nchar none normalize not notnull null nullif"
    " numeric offset on only or order out outer overlaps overlay placing position precision"
    " primary real references returning right row select session_user setof similar smallint"
    " some substring symmetric table tablesample then time timestamp to trailing treat trim"
    " true union unique user using values varchar variadic verbose when where window with"
    " xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi"
    " xmlroot xmlserialize xmltable"
    " ";

static bool fmt_is_word(struct vstr s)
{
    for (const char *at = strstr(fmt_words, s.ptr); at; at = strstr(at + 1, s.ptr))
        if (at > fmt_words && at[-1] == ' ' && at[s.len] == ' ')
            return true;
    return false;
}

/* Does a name mean itself in PostgreSQL, too, which folds names to lower case? */
static bool fmt_plain(struct vstr s)
{
    for (uint32_t i = 0; i < s.len; i++)
        if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') && s.ptr[i] != '_' &&
            !(i > 0 && text_is_digit(s.ptr[i])))
            return false;
    return s.len > 0 && !fmt_is_word(s);
}

/* The name is followed by a zero byte. */
static void fmt_ident(const struct func_ctx *ctx, struct vstr s, struct buf *b)
{
    if (fmt_plain(s)) {
        sql_print_ident(s.ptr, b);
        return;
    }
    buf_u8(b, '"');
    for (uint32_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            buf_u8(b, '"');
        buf_u8(b, (uint8_t)s.ptr[i]);
        if (i % FUNC_STEPS_MAX == 0 && func_check_cancel(ctx, NULL) < 0)
            b->failed = true;
        if (b->failed)
            return;
    }
    buf_u8(b, '"');
}

/* The text of an argument, quoted. */
static int fmt_quoted(const struct str_call *c,
                      uint32_t i,
                      void (*quote)(const struct func_ctx *, struct vstr, struct buf *),
                      struct buf *b)
{
    struct buf text;

    buf_init(&text, c->ctx->arena->owner);
    fmt_text(c, i, &text);
    buf_u8(&text, 0);
    if (text.failed)
        b->failed = true;
    else
        quote(c->ctx, (struct vstr){(const char *)text.data, (uint32_t)text.len - 1}, b);
    buf_done(&text);
    return 0;
}

/* As a cast to text has it: 'true', where output would be 't'. */
static int str_quote_literal(const struct str_call *c, struct vstr *ret)
{
    struct buf b;

    if (c->args[0].type == TYPE_BOOLEAN) {
        *ret = str_int(c, 0) ? (struct vstr){"'true'", 6} : (struct vstr){"'false'", 7};
        return 0;
    }
    buf_init(&b, c->ctx->arena->owner);
    return str_keep(c, fmt_quoted(c, 0, fmt_literal, &b), &b, ret);
}
STR_KERNEL(quote_literal)

static int str_quote_nullable(const struct str_call *c, struct vstr *ret)
{
    if (!vec_is_null(&c->args[0], c->row))
        return str_quote_literal(c, ret);
    *ret = (struct vstr){"NULL", 4};
    return 0;
}
STR_KERNEL(quote_nullable)

static int str_quote_ident(const struct str_call *c, struct vstr *ret)
{
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    return str_keep(c, fmt_quoted(c, 0, fmt_ident, &b), &b, ret);
}
STR_KERNEL(quote_ident)

/* ---- format() ---- */

/* One %[n$][-][width]type. */
struct fmt_spec {
    bool left;
    int64_t width;
    char type;
    uint32_t arg; /* 0: the next */
};

struct fmt {
    const struct str_call *c;
    struct vstr in;
    uint32_t at;
    uint32_t next; /* argument */
    struct buf *b;
};

static int fmt_fail_end(const struct fmt *f)
{
    int rc = DN_FAIL(f->c->err, DN_E_INVALID_PARAM, "unterminated format() type specifier");

    dn_err_hint(f->c->err, "For a single \"%%\" use \"%%%%\".");
    return rc;
}

static bool fmt_digit(const struct fmt *f)
{
    return f->at < f->in.len && f->in.ptr[f->at] >= '0' && f->in.ptr[f->at] <= '9';
}

static int fmt_number(struct fmt *f, int64_t *ret)
{
    *ret = 0;
    while (fmt_digit(f)) {
        *ret = *ret * 10 + (f->in.ptr[f->at++] - '0');
        if (*ret > INT32_MAX)
            return DN_FAIL(f->c->err, DN_E_OUT_OF_RANGE, "number is out of range");
    }
    return f->at < f->in.len ? 0 : fmt_fail_end(f);
}

/* The argument n, or the next. */
static int fmt_pick(struct fmt *f, uint32_t n, uint32_t *ret)
{
    *ret = n ? n : f->next;
    if (*ret >= f->c->args_count)
        return DN_FAIL(f->c->err, DN_E_INVALID_PARAM, "too few arguments for format()");
    f->next = *ret + 1;
    return 0;
}

/* A width that is an argument: behind the *. */
static int fmt_width_arg(struct fmt *f, struct fmt_spec *s)
{
    int64_t n = 0;
    uint32_t arg;
    struct datum d;
    int rc = 0;

    if (f->at >= f->in.len)
        return fmt_fail_end(f);
    if (fmt_digit(f)) {
        rc = fmt_number(f, &n);
        if (rc < 0)
            return rc;
        if (f->in.ptr[f->at] != '$')
            return DN_FAIL(
                f->c->err, DN_E_INVALID_PARAM, "width argument position must be ended by \"$\"");
        if (n == 0)
            return DN_FAIL(f->c->err,
                           DN_E_INVALID_PARAM,
                           "format specifies argument 0, but arguments are numbered from 1");
        f->at++;
    }
    rc = fmt_pick(f, (uint32_t)n, &arg);
    if (rc < 0)
        return rc;
    d = vec_datum(&f->c->args[arg], f->c->row);
    if (!d.null && !type_is_int(d.type))
        return DN_FAIL(f->c->err, DN_E_INVALID_PARAM, "the width of format() is not an integer");
    s->width = d.null ? 0 : d.v.i64;
    return 0;
}

/* Behind the %. */
static int fmt_parse(struct fmt *f, struct fmt_spec *s)
{
    int64_t n;
    int rc = 0;

    *s = (struct fmt_spec){.left = false};
    if (f->at >= f->in.len)
        return fmt_fail_end(f);
    if (fmt_digit(f)) {
        rc = fmt_number(f, &n);
        if (rc < 0)
            return rc;
        if (f->in.ptr[f->at] != '$') {
            s->width = n;
            s->type = f->in.ptr[f->at++];
            return 0;
        }
        if (n == 0)
            return DN_FAIL(f->c->err,
                           DN_E_INVALID_PARAM,
                           "format specifies argument 0, but arguments are numbered from 1");
        s->arg = (uint32_t)n;
        f->at++;
    }
    while (f->at < f->in.len && f->in.ptr[f->at] == '-') {
        s->left = true;
        f->at++;
    }
    if (f->at < f->in.len && f->in.ptr[f->at] == '*') {
        f->at++;
        rc = fmt_width_arg(f, s);
    } else if (fmt_digit(f)) {
        rc = fmt_number(f, &s->width);
    }
    if (rc < 0)
        return rc;
    if (f->at >= f->in.len)
        return fmt_fail_end(f);
    s->type = f->in.ptr[f->at++];
    return 0;
}

static int fmt_value(struct fmt *f, const struct fmt_spec *s, uint32_t arg, struct buf *b)
{
    bool null = vec_is_null(&f->c->args[arg], f->c->row);

    if (s->type == 's') {
        fmt_text(f->c, arg, b);
        return 0;
    }
    if (s->type == 'L' && null) {
        buf_puts(b, "NULL");
        return 0;
    }
    if (null)
        return DN_FAIL(
            f->c->err, DN_E_NULL_VALUE, "null values cannot be formatted as an SQL identifier");
    return fmt_quoted(f->c, arg, s->type == 'L' ? fmt_literal : fmt_ident, b);
}

static void fmt_blanks(struct buf *b, size_t n)
{
    uint8_t *to = n ? buf_extend(b, n) : NULL;

    if (to)
        memset(to, ' ', n);
}

static int fmt_put(struct fmt *f, const struct fmt_spec *s)
{
    struct buf text;
    uint32_t arg;
    int64_t fill;
    bool left = s->left || s->width < 0;
    int rc = fmt_pick(f, s->arg, &arg);

    if (rc < 0)
        return rc;
    buf_init(&text, f->c->ctx->arena->owner);
    rc = fmt_value(f, s, arg, &text);
    fill = (s->width < 0 ? -s->width : s->width) -
           str_chars((struct vstr){(const char *)text.data, (uint32_t)text.len});
    if (rc == 0 && fill > (int64_t)FUNC_TEXT_MAX)
        rc = DN_FAIL(f->c->err, DN_E_TOO_LONG, "the width of format() is too large");
    if (rc == 0 && text.failed)
        rc = DN_FAIL_NOMEM(f->c->err);
    if (rc == 0) {
        fill = fill < 0 ? 0 : fill;
        fmt_blanks(f->b, left ? 0 : (size_t)fill);
        if (text.len)
            buf_append(f->b, text.data, text.len);
        fmt_blanks(f->b, left ? (size_t)fill : 0);
    }
    buf_done(&text);
    return rc;
}

static int fmt_run(struct fmt *f)
{
    struct fmt_spec s;
    uint64_t steps = 0;
    int rc = 0;

    while (f->at < f->in.len && rc == 0) {
        char c = f->in.ptr[f->at++];

        rc = str_steps(f->c, 1, &steps);
        if (rc < 0)
            return rc;
        if (c != '%') {
            buf_u8(f->b, (uint8_t)c);
            continue;
        }
        if (f->at < f->in.len && f->in.ptr[f->at] == '%') {
            buf_u8(f->b, '%');
            f->at++;
            continue;
        }
        rc = fmt_parse(f, &s);
        if (rc == 0 && s.type != 's' && s.type != 'I' && s.type != 'L') {
            rc = DN_FAIL(f->c->err,
                         DN_E_INVALID_PARAM,
                         "unrecognized format() type specifier \"%c\"",
                         s.type & 0x80 || s.type < ' ' ? '?' : s.type);
            dn_err_hint(f->c->err, "For a single \"%%\" use \"%%%%\".");
        }
        if (rc == 0)
            rc = func_check_cancel(f->c->ctx, f->c->err);
        if (rc == 0)
            rc = fmt_put(f, &s);
        if (f->b->len > FUNC_TEXT_MAX)
            break;
    }
    return rc;
}

static int str_format(const struct str_call *c, struct vstr *ret)
{
    struct buf b;
    struct fmt f = {.c = c, .next = 1, .b = &b};
    struct datum in = vec_datum(&c->args[0], c->row);

    f.in = in.str;
    buf_init(&b, c->ctx->arena->owner);
    return str_keep(c, fmt_run(&f), &b, ret);
}

/* NULL only where the format is. */
static int func_format(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t args_count,
                       uint32_t count,
                       struct vec *ret,
                       struct dn_err *err)
{
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        if (vec_is_null(ret, i) || vec_is_null(&args[0], i))
            vec_bit_set(nulls, i);
    ret->nulls = nulls;
    return str_rows(ctx, args, args_count, count, str_format, ret, err);
}

#define T TYPE_VARCHAR

static const struct func func_format_rows[] = {
    {.name = "format",
     .args = {T, TYPE_NONE},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VARIADIC | FUNC_ANY_FORM,
     .kernel = func_format,
     .doc =
         "The first text with %s replaced by the next argument, %I by it as a name, %L by it as a "
         "literal; %2$s is the second one, %-5s fills to five characters.",
     .example = "format('%s, %2$L', 'a', 'b''c') = a, 'b''c'"},
    STR("format", 1, func_format, "The text with %% as %.", "format('5%%') = 5%", T),
    STR("quote_ident",
        1,
        func_quote_ident,
        "The text as a name in SQL, in double quotes where it needs them.",
        "quote_ident('Foo bar') = \"Foo bar\"",
        T),
    STR("quote_literal",
        1,
        func_quote_literal,
        "The text of the argument as a literal in SQL.",
        "quote_literal('O''Reilly') = 'O''Reilly'",
        TYPE_NONE),
    {.name = "quote_nullable",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_ANY_FORM,
     .kernel = func_quote_nullable,
     .doc = "The same; NULL as the word.",
     .example = "quote_nullable(NULL) = NULL"},
};

const struct func_table func_table_format = {func_format_rows, DN_ARRAY_SIZE(func_format_rows)};
