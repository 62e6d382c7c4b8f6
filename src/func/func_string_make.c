/* SPDX-License-Identifier: Apache-2.0
 *
 * func_string_make.c: functions that put new texts together, at most FUNC_TEXT_MAX bytes each. */
#include "func/str_chars.h"
#include "func/text_int.h"

#include <inttypes.h>
#include <utf8proc.h>

int func_text_room(const struct func_ctx *ctx, uint64_t len, char **ret, struct dn_err *err)
{
    if (len > FUNC_TEXT_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "the text would have %" PRIu64 " bytes, the most is %u",
                       len,
                       FUNC_TEXT_MAX);
    *ret = arena_alloc(ctx->arena, len ? len : 1);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- made anew ---- */

static int str_pad(const struct str_call *c, bool left, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr fill = c->args_count == 3 ? str_arg(c, 2) : (struct vstr){" ", 1};
    int64_t want = str_int(c, 1);
    int64_t have = str_chars(s);
    uint32_t part = 0; /* bytes of a last, partial filling */
    int64_t missing;
    int64_t fill_chars;
    uint64_t fill_len;
    char *to;
    int rc;

    if (want <= have || fill.len == 0) {
        *ret = str_cut(s, 0, str_skip(s, 0, want));
        return 0;
    }
    missing = want - have;
    fill_chars = str_chars(fill);
    if (missing > FUNC_TEXT_MAX)
        return func_text_room(c->ctx, (uint64_t)missing, &to, c->err);
    part = str_skip(fill, 0, missing % fill_chars);
    fill_len = (uint64_t)(missing / fill_chars) * fill.len + part;
    rc = func_text_room(c->ctx, fill_len + s.len, &to, c->err);
    if (rc < 0)
        return rc;
    *ret = (struct vstr){to, (uint32_t)(fill_len + s.len)};
    if (!left)
        memcpy(to, s.ptr, s.len);
    else
        memcpy(to + fill_len, s.ptr, s.len);
    to += left ? 0 : s.len;
    for (int64_t i = 0; i < missing / fill_chars; i++, to += fill.len)
        memcpy(to, fill.ptr, fill.len);
    memcpy(to, fill.ptr, part);
    return 0;
}

static int str_lpad(const struct str_call *c, struct vstr *ret)
{
    return str_pad(c, true, ret);
}
STR_KERNEL(lpad)

static int str_rpad(const struct str_call *c, struct vstr *ret)
{
    return str_pad(c, false, ret);
}
STR_KERNEL(rpad)

static int str_replace(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr old = str_arg(c, 1);
    struct vstr new = str_arg(c, 2);
    uint64_t hits = 0;
    uint32_t from = 0;
    uint64_t len;
    char *to;
    int rc;

    *ret = s;
    if (old.len == 0)
        return 0;
    for (uint32_t at = 0; (at = str_find(s, old, at)) != UINT32_MAX; at += old.len) {
        hits++;
        rc = func_check_cancel(c->ctx, c->err);
        if (rc < 0)
            return rc;
    }
    if (hits == 0)
        return 0;
    len = s.len - hits * old.len + hits * new.len;
    rc = func_text_room(c->ctx, len, &to, c->err);
    if (rc < 0)
        return rc;
    *ret = (struct vstr){to, (uint32_t)len};
    for (;;) {
        uint32_t at = str_find(s, old, from);
        uint32_t end = at == UINT32_MAX ? s.len : at;

        memcpy(to, s.ptr + from, end - from);
        to += end - from;
        if (at == UINT32_MAX)
            return 0;
        memcpy(to, new.ptr, new.len);
        to += new.len;
        from = at + old.len;
        rc = func_check_cancel(c->ctx, c->err);
        if (rc < 0)
            return rc;
    }
}
STR_KERNEL(replace)

static int str_repeat(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t n = str_int(c, 1);
    uint64_t len;
    char *to;
    int rc;

    if (n <= 0 || s.len == 0)
        return 0;
    if (__builtin_mul_overflow((uint64_t)n, (uint64_t)s.len, &len))
        len = UINT64_MAX;
    rc = func_text_room(c->ctx, len, &to, c->err);
    if (rc < 0)
        return rc;
    *ret = (struct vstr){to, (uint32_t)len};
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * s.len, s.ptr, s.len);
    return 0;
}
STR_KERNEL(repeat)

static int str_reverse(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    char *to;
    int rc = func_text_room(c->ctx, s.len, &to, c->err);

    if (rc < 0)
        return rc;
    *ret = (struct vstr){to, s.len};
    to += s.len;
    for (uint32_t at = 0; at < s.len;) {
        uint32_t n = str_char_len(s, at);

        to -= n;
        memcpy(to, s.ptr + at, n);
        at += n;
    }
    return 0;
}
STR_KERNEL(reverse)

/* Each character of `from` becomes the one at the same place of `to`, or goes if there is none. */
static int str_translate(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr with = str_arg(c, 2);
    struct str_chars set;
    uint64_t steps = 0;
    struct buf b;
    int rc = 0;

    str_chars_init(str_arg(c, 1), with, &set);
    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t at = 0; at < s.len && rc >= 0;) {
        uint32_t n = str_char_len(s, at);
        uint32_t w;

        rc = str_chars_find(&set, c, s, at, &w);
        if (rc == 0)
            buf_append(&b, s.ptr + at, n);
        else if (rc > 0 && w < with.len)
            buf_append(&b, with.ptr + w, str_char_len(with, w));
        at += n;
        if (rc >= 0)
            rc = str_steps(c, 8, &steps);
    }
    str_chars_done(&set);
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(translate)

static int str_join(const struct str_call *c, struct vstr a, struct vstr b, struct vstr *ret)
{
    char *to;
    int rc = func_text_room(c->ctx, (uint64_t)a.len + b.len, &to, c->err);

    if (rc < 0)
        return rc;
    memcpy(to, a.ptr, a.len);
    memcpy(to + a.len, b.ptr, b.len);
    *ret = (struct vstr){to, a.len + b.len};
    return 0;
}

static int str_append(const struct str_call *c, struct vstr *ret)
{
    return str_join(c, str_arg(c, 0), str_arg(c, 1), ret);
}
STR_KERNEL(append)

static int str_chr(const struct str_call *c, struct vstr *ret)
{
    int64_t code = str_int(c, 0);
    utf8proc_uint8_t bytes[4];
    uint32_t n;
    char *to;
    int rc;

    if (code < 0)
        return DN_FAIL(c->err, DN_E_INVALID_PARAM, "character number must be positive");
    if (code == 0)
        return DN_FAIL(c->err, DN_E_LIMIT, "null character not permitted");
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return DN_FAIL(c->err,
                       DN_E_LIMIT,
                       "requested character %s for encoding: %" PRId64,
                       code > 0x10FFFF ? "too large" : "not valid",
                       code);
    n = (uint32_t)utf8proc_encode_char((utf8proc_int32_t)code, bytes);
    rc = func_text_room(c->ctx, n, &to, c->err);
    if (rc < 0)
        return rc;
    memcpy(to, bytes, n);
    *ret = (struct vstr){to, n};
    return 0;
}
STR_KERNEL(chr)

/* ---- of any types ---- */

/* a || b: each as a cast to text has it. */
static int str_texts(const struct str_call *c, struct vstr *ret)
{
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t i = 0; i < c->args_count; i++) {
        struct datum d = vec_datum(&c->args[i], c->row);

        text_print_in(c->ctx->session, &d, &b);
    }
    return str_keep(c, 0, &b, ret);
}
STR_KERNEL(texts)

/* Appends the text of an argument; a NULL adds nothing. */
static void str_add(const struct str_call *c, uint32_t i, struct buf *b)
{
    struct datum d = vec_datum(&c->args[i], c->row);

    text_print_out(c->ctx->session, &d, b);
}

int str_keep(const struct str_call *c, int rc, struct buf *b, struct vstr *ret)
{
    char *to;

    if (rc == 0)
        rc = b->failed ? DN_FAIL_NOMEM(c->err) : func_text_room(c->ctx, b->len, &to, c->err);
    if (rc == 0) {
        if (b->len)
            memcpy(to, b->data, b->len);
        *ret = (struct vstr){to, (uint32_t)b->len};
    }
    buf_done(b);
    return rc;
}

static int str_concat(const struct str_call *c, struct vstr *ret)
{
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t i = 0; i < c->args_count; i++)
        str_add(c, i, &b);
    return str_keep(c, 0, &b, ret);
}
STR_KERNEL(concat)

static int str_concat_ws(const struct str_call *c, struct vstr *ret)
{
    const char *separator = "";
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t i = 1; i < c->args_count; i++) {
        if (vec_is_null(&c->args[i], c->row))
            continue;
        if (separator)
            separator = NULL;
        else
            str_add(c, 0, &b);
        str_add(c, i, &b);
    }
    return str_keep(c, 0, &b, ret);
}

/* NULL only where the separator is. */
static int func_concat_ws(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    int rc;

    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        if (vec_is_null(ret, i) || vec_is_null(&args[0], i))
            vec_bit_set(nulls, i);
    ret->nulls = nulls;
    rc = str_rows(ctx, args, args_count, count, str_concat_ws, ret, err);
    return rc;
}

#define T TYPE_VARCHAR
#define N TYPE_BIGINT

static const struct func func_string_make_rows[] = {
    {.name = "||",
     .args = {T, T},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_append,
     .doc = "One after the other; what is not text is taken as its text.",
     .example = "'ab' || 'c' = abc"},
    {.name = "||",
     .args = {TYPE_BLOB, TYPE_BLOB},
     .args_count = 2,
     .result = TYPE_BLOB,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_append,
     .doc = "One after the other; what is not text is taken as its text.",
     .example = "0x00 || 0xff = 0x00ff"},
    STR("lpad",
        2,
        func_lpad,
        "Filled with spaces at the start, or cut at the end, to that many characters.",
        "lpad('abc', 2) = ab",
        T,
        N),
    STR("lpad",
        3,
        func_lpad,
        "Filled with that text at the start, or cut at the end, to that many characters.",
        "lpad('7', 3, '0') = 007",
        T,
        N,
        T),
    STR("rpad",
        2,
        func_rpad,
        "Filled with spaces at the end, or cut there, to that many characters.",
        "rpad('abc', 2) = ab",
        T,
        N),
    STR("rpad",
        3,
        func_rpad,
        "Filled with that text at the end, or cut there, to that many characters.",
        "rpad('ab', 5, 'xy') = abxyx",
        T,
        N,
        T),
    STR("replace",
        3,
        func_replace,
        "Every occurrence of the second text replaced by the third.",
        "replace('banana', 'an', 'o') = booa",
        T,
        T,
        T),
    STR("repeat", 2, func_repeat, "That many times.", "repeat('ab', 3) = ababab", T, N),
    STR("reverse",
        1,
        func_reverse,
        "The characters from last to first.",
        "reverse('Größe') = eßörG",
        T),
    STR("translate",
        3,
        func_translate,
        "Characters of the second text replaced by those at the same place of the third.",
        "translate('12345', '143', 'ax') = a2x5",
        T,
        T,
        T),
    STR("chr", 1, func_chr, "The character with that Unicode number.", "chr(8364) = €", N),
    {.name = "||",
     .args = {T, TYPE_NONE},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_OPERATOR | FUNC_ANY_FORM,
     .kernel = func_texts,
     .doc = "One after the other; what is not text is taken as its text.",
     .example = "'ab' || 7 = ab7"},
    {.name = "||",
     .args = {TYPE_NONE, T},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_OPERATOR | FUNC_ANY_FORM,
     .kernel = func_texts,
     .doc = "One after the other; what is not text is taken as its text.",
     .example = "7 || 'ab' = 7ab"},
    {.name = "concat",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VARIADIC | FUNC_ANY_FORM,
     .kernel = func_concat,
     .doc = "The texts of all arguments; NULL adds nothing.",
     .example = "concat('a', NULL, 7) = a7"},
    {.name = "concat_ws",
     .args = {T, TYPE_NONE},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VARIADIC | FUNC_ANY_FORM,
     .kernel = func_concat_ws,
     .doc =
         "The texts of all but the first argument, which stands between them; NULL among them is "
         "left away.",
     .example = "concat_ws('-', 'a', NULL, 7) = a-7"},
};

const struct func_table func_table_string_make = {func_string_make_rows,
                                                  DN_ARRAY_SIZE(func_string_make_rows)};
