/* SPDX-License-Identifier: Apache-2.0
 *
 * func_regex.c: functions and operators of regular expressions. A pattern is compiled once per run
 * of rows that have the same: once per batch where it is a constant. */
#include "func/regex.h"
#include "func/str_int.h"

#include <inttypes.h>

/* A call: the row in c, and the pattern compiled last. */
struct rx {
    struct str_call c;
    const char *name;
    struct regex *re;
    struct vstr pattern;
    struct vstr escape; /* SIMILAR TO */
    uint32_t flags;
    struct buf text; /* what is put together for a row; its memory serves the next */
};

struct rx_value {
    struct vstr s;
    int64_t n;
};

/* 0; 1: NULL; an error. */
typedef int (*rx_fn)(struct rx *x, struct rx_value *ret);

static bool rx_same(struct vstr a, struct vstr b)
{
    return a.ptr && a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static const atomic_bool *rx_cancel(const struct rx *x)
{
    return x->c.ctx->session ? x->c.ctx->session->cancel : NULL;
}

static int rx_compile(struct rx *x, struct vstr pattern, uint32_t flags)
{
    int rc;

    flags &= ~(uint32_t)REGEX_GLOBAL;
    if (x->re && x->flags == flags && rx_same(x->pattern, pattern))
        return 0;
    regex_free(x->re);
    rc = regex_new(x->c.ctx->arena->owner, pattern, flags, rx_cancel(x), &x->re, x->c.err);
    x->pattern = pattern;
    x->flags = flags;
    return rc;
}

static int rx_compile_similar(struct rx *x, struct vstr pattern, struct vstr escape)
{
    struct buf b;
    int rc;

    if (x->re && rx_same(x->escape, escape) && rx_same(x->pattern, pattern))
        return 0;
    regex_free(x->re);
    x->re = NULL;
    x->pattern = pattern;
    x->escape = escape;
    buf_init(&b, x->c.ctx->arena->owner);
    rc = regex_similar(pattern, escape, &b, x->c.err);
    if (rc == 0)
        rc = regex_new(x->c.ctx->arena->owner,
                       (struct vstr){(const char *)b.data, (uint32_t)b.len},
                       0,
                       rx_cancel(x),
                       &x->re,
                       x->c.err);
    buf_done(&b);
    return rc;
}

/* The flags in argument i, if the call has it; not g. */
static int rx_flags(struct rx *x, uint32_t i, uint32_t *ret)
{
    int rc;

    *ret = 0;
    if (i >= x->c.args_count)
        return 0;
    rc = regex_flags(str_arg(&x->c, i), ret, x->c.err);
    if (rc == 0 && (*ret & REGEX_GLOBAL))
        rc = DN_FAIL(
            x->c.err, DN_E_INVALID_PARAM, "%s() does not support the \"global\" option", x->name);
    return rc;
}

/* The number in argument i, or `other` if the call has none. */
static int
rx_number(struct rx *x, uint32_t i, const char *what, int64_t least, int64_t other, int64_t *ret)
{
    *ret = i < x->c.args_count ? str_int(&x->c, i) : other;
    return *ret >= least ? 0
                         : DN_FAIL(x->c.err,
                                   DN_E_INVALID_PARAM,
                                   "invalid value for parameter \"%s\": %" PRId64,
                                   what,
                                   *ret);
}

/* The byte where the character `start` (from 1) begins; UINT32_MAX: behind the end. */
static uint32_t rx_start(struct vstr s, int64_t start)
{
    uint32_t at = str_skip(s, 0, start - 1);

    return at == s.len && str_chars(s) < start - 1 ? UINT32_MAX : at;
}

/* Where to look for the next match. UINT32_MAX: nowhere. */
static uint32_t rx_after(struct vstr s, struct regex_span m)
{
    if (m.to > m.from)
        return m.to;
    return m.to < s.len ? m.to + str_char_len(s, m.to) : UINT32_MAX;
}

/* The n-th match from a byte on: as regex_match. */
static int rx_nth(
    struct rx *x, struct vstr s, uint32_t from, int64_t n, struct regex_span *ret, uint32_t count)
{
    int rc = 0;

    for (; n > 0 && from != UINT32_MAX; n--) {
        rc = regex_match(x->re, s, from, ret, count, x->c.err);
        if (rc <= 0)
            return rc;
        from = rx_after(s, ret[0]);
    }
    return n == 0 ? rc : 0;
}

/* ---- whether ---- */

static int rx_like(struct rx *x, uint32_t flags, struct rx_value *ret)
{
    int rc = rx_compile(x, str_arg(&x->c, 1), flags);

    if (rc == 0)
        rc = regex_match(x->re, str_arg(&x->c, 0), 0, NULL, 0, x->c.err);
    ret->n = rc;
    return rc < 0 ? rc : 0;
}

static int rx_matches(struct rx *x, struct rx_value *ret)
{
    return rx_like(x, 0, ret);
}

static int rx_imatches(struct rx *x, struct rx_value *ret)
{
    return rx_like(x, REGEX_NO_CASE, ret);
}

static int rx_not_matches(struct rx *x, struct rx_value *ret)
{
    int rc = rx_like(x, 0, ret);

    ret->n = !ret->n;
    return rc;
}

static int rx_not_imatches(struct rx *x, struct rx_value *ret)
{
    int rc = rx_like(x, REGEX_NO_CASE, ret);

    ret->n = !ret->n;
    return rc;
}

static int rx_regexp_like(struct rx *x, struct rx_value *ret)
{
    uint32_t flags;
    int rc = rx_flags(x, 2, &flags);

    return rc < 0 ? rc : rx_like(x, flags, ret);
}

static struct vstr rx_escape(const struct rx *x)
{
    return x->c.args_count == 3 ? str_arg(&x->c, 2) : (struct vstr){"\\", 1};
}

static int rx_similar(struct rx *x, struct rx_value *ret)
{
    int rc = rx_compile_similar(x, str_arg(&x->c, 1), rx_escape(x));

    if (rc == 0)
        rc = regex_match(x->re, str_arg(&x->c, 0), 0, NULL, 0, x->c.err);
    ret->n = rc;
    return rc < 0 ? rc : 0;
}

/* ---- parts ---- */

/* The group of the first match, all of it if there are no groups. */
static int rx_first(struct rx *x, struct rx_value *ret)
{
    struct regex_span m[2];
    uint32_t want = regex_groups(x->re) > 0;
    struct vstr s = str_arg(&x->c, 0);
    int rc = regex_match(x->re, s, 0, m, want + 1, x->c.err);

    if (rc < 0)
        return rc;
    if (rc == 0 || m[want].from == UINT32_MAX)
        return 1;
    ret->s = str_cut(s, m[want].from, m[want].to);
    return 0;
}

static int rx_substring(struct rx *x, struct rx_value *ret)
{
    int rc = x->c.args_count == 3 ? rx_compile_similar(x, str_arg(&x->c, 1), rx_escape(x))
                                  : rx_compile(x, str_arg(&x->c, 1), 0);

    return rc < 0 ? rc : rx_first(x, ret);
}

static int rx_regexp_count(struct rx *x, struct rx_value *ret)
{
    struct vstr s = str_arg(&x->c, 0);
    struct regex_span m = {0, 0};
    uint32_t flags;
    int64_t start;
    int rc = rx_number(x, 2, "start", 1, 1, &start);

    if (rc == 0)
        rc = rx_flags(x, 3, &flags);
    if (rc == 0)
        rc = rx_compile(x, str_arg(&x->c, 1), flags);
    if (rc < 0)
        return rc;
    for (uint32_t at = rx_start(s, start); at != UINT32_MAX; at = rx_after(s, m)) {
        rc = regex_match(x->re, s, at, &m, 1, x->c.err);
        if (rc <= 0)
            return rc;
        ret->n++;
    }
    return 0;
}

/* Arguments start, n, flags (number `flags_arg`) and the group after it; the n-th match's group. 1:
 * found; 0: there is none. */
static int rx_pick(struct rx *x, uint32_t flags_arg, struct regex_span *ret)
{
    struct regex_span m[REGEX_GROUPS];
    struct vstr s = str_arg(&x->c, 0);
    uint32_t flags = 0;
    int64_t start = 1;
    int64_t n = 1;
    int64_t group = 0;
    int rc = rx_number(x, 2, "start", 1, 1, &start);

    if (rc == 0)
        rc = rx_number(x, 3, "n", 1, 1, &n);
    if (rc == 0)
        rc = rx_flags(x, flags_arg, &flags);
    if (rc == 0)
        rc = rx_number(x, flags_arg + 1, "subexpr", 0, 0, &group);
    if (rc == 0)
        rc = rx_compile(x, str_arg(&x->c, 1), flags);
    if (rc < 0)
        return rc;
    if (group > regex_groups(x->re) || group >= REGEX_GROUPS)
        return 0;
    rc = rx_nth(x, s, rx_start(s, start), n, m, (uint32_t)group + 1);
    if (rc == 1)
        *ret = m[group];
    return rc == 1 && ret->from == UINT32_MAX ? 0 : rc;
}

static int rx_regexp_instr(struct rx *x, struct rx_value *ret)
{
    struct regex_span m;
    int64_t end = 0;
    int rc = rx_number(x, 4, "endoption", 0, 0, &end);

    if (rc == 0 && end > 1)
        rc = rx_number(x, 4, "endoption", INT64_MAX, 0, &end);
    if (rc == 0)
        rc = rx_pick(x, 5, &m);
    if (rc == 1)
        ret->n = 1 + str_chars(str_cut(str_arg(&x->c, 0), 0, end ? m.to : m.from));
    return rc < 0 ? rc : 0;
}

static int rx_regexp_substr(struct rx *x, struct rx_value *ret)
{
    struct regex_span m;
    int rc = rx_pick(x, 4, &m);

    if (rc == 1)
        ret->s = str_cut(str_arg(&x->c, 0), m.from, m.to);
    return rc < 0 ? rc : !rc;
}

/* ---- regexp_replace ---- */

static void rx_put_part(struct vstr s, struct regex_span m, struct buf *b)
{
    if (m.from != UINT32_MAX)
        buf_append(b, s.ptr + m.from, m.to - m.from);
}

/* \1 to \9 are groups, \& the match, two backslashes one; another is a backslash. */
static void rx_put(struct vstr with, struct vstr s, const struct regex_span *m, struct buf *b)
{
    for (uint32_t i = 0; i < with.len; i++) {
        char c = with.ptr[i];
        char next = i + 1 < with.len ? with.ptr[i + 1] : 0;

        if (c != '\\') {
            buf_u8(b, (uint8_t)c);
        } else if (next >= '1' && next <= '9') {
            rx_put_part(s, m[next - '0'], b);
            i++;
        } else if (next == '&') {
            rx_put_part(s, m[0], b);
            i++;
        } else {
            buf_u8(b, '\\');
            i += next == '\\';
        }
    }
}

/* Matches from the n-th on, or only that one. */
static int rx_replace(struct rx *x, uint32_t at, int64_t n, bool all, struct buf *b)
{
    struct vstr s = str_arg(&x->c, 0);
    struct vstr with = str_arg(&x->c, 2);
    struct regex_span m[10];
    uint32_t done = 0; /* bytes of s that are written */
    int rc;

    for (int64_t i = 1; at != UINT32_MAX; i++, at = rx_after(s, m[0])) {
        rc = regex_match(x->re, s, at, m, 10, x->c.err);
        if (rc < 0)
            return rc;
        if (rc == 0)
            break;
        if (i < n)
            continue;
        buf_append(b, s.ptr + done, m[0].from - done);
        rx_put(with, s, m, b);
        done = m[0].to;
        if (!all)
            break;
        if (b->len > FUNC_TEXT_MAX)
            break;
    }
    buf_append(b, s.ptr + done, s.len - done);
    return 0;
}

static int rx_regexp_replace(struct rx *x, struct rx_value *ret)
{
    bool numbers = x->c.args_count > 3 && x->c.args[3].type == TYPE_BIGINT;
    uint32_t flags_arg = numbers ? 5 : 3;
    uint32_t flags = 0;
    int64_t start = 1;
    int64_t n = 1;
    bool all;
    struct buf *b = &x->text;
    char *to;
    int rc = 0;

    if (numbers)
        rc = rx_number(x, 3, "start", 1, 1, &start);
    if (rc == 0 && numbers)
        rc = rx_number(x, 4, "n", 0, 1, &n);
    if (rc == 0 && flags_arg < x->c.args_count)
        rc = regex_flags(str_arg(&x->c, flags_arg), &flags, x->c.err);
    if (rc == 0)
        rc = rx_compile(x, str_arg(&x->c, 1), flags);
    if (rc < 0)
        return rc;
    all = n == 0 || (!numbers && (flags & REGEX_GLOBAL));
    buf_reset(b);
    rc = rx_replace(x, rx_start(str_arg(&x->c, 0), start), n, all, b);
    if (rc == 0 && b->failed)
        rc = DN_FAIL_NOMEM(x->c.err);
    if (rc == 0)
        rc = func_text_room(x->c.ctx, b->len, &to, x->c.err);
    if (rc == 0) {
        if (b->len)
            memcpy(to, b->data, b->len);
        ret->s = (struct vstr){to, (uint32_t)b->len};
    }
    return rc;
}

/* ---- kernels ---- */

static void rx_store(struct vec *ret, void *to, uint32_t row, const struct rx_value *v)
{
    if (ret->type == TYPE_VARCHAR)
        ((struct vstr *)to)[row] = v->s;
    else if (ret->type == TYPE_INTEGER)
        ((int32_t *)to)[row] = (int32_t)v->n;
    else
        ((int8_t *)to)[row] = (int8_t)v->n;
}

static int rx_each(struct rx *x, rx_fn fn, uint32_t count, void *to, struct vec *ret)
{
    uint64_t *nulls = arena_calloc(x->c.ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!nulls)
        return DN_FAIL_NOMEM(x->c.err);
    for (x->c.row = 0; x->c.row < count; x->c.row++) {
        struct rx_value v = {.s = {"", 0}};
        int rc = func_check_cancel(x->c.ctx, x->c.err);

        if (rc == 0)
            rc = vec_is_null(ret, x->c.row) ? 1 : fn(x, &v);
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, x->c.row);
        rx_store(ret, to, x->c.row, &v);
    }
    ret->nulls = nulls;
    return 0;
}

#define RX_KERNEL(fn)                                                                         \
    static int func_##fn(const struct func_ctx *ctx,                                          \
                         const struct vec *args,                                              \
                         uint32_t args_count,                                                 \
                         uint32_t count,                                                      \
                         struct vec *ret,                                                     \
                         struct dn_err *err)                                                  \
    {                                                                                         \
        struct rx x = {.c = {.ctx = ctx, .args = args, .args_count = args_count, .err = err}, \
                       .name = #fn};                                                          \
        void *to = func_ret_alloc(ctx, ret, count, phys_size(type_phys(ret->type)), err);     \
        int rc;                                                                               \
                                                                                              \
        buf_init(&x.text, ctx->arena->owner);                                                 \
        rc = to ? rx_each(&x, rx_##fn, count, to, ret) : DN_E_NOMEM;                          \
        buf_done(&x.text);                                                                    \
        regex_free(x.re);                                                                     \
        return rc;                                                                            \
    }

RX_KERNEL(matches)
RX_KERNEL(imatches)
RX_KERNEL(not_matches)
RX_KERNEL(not_imatches)
RX_KERNEL(similar)
RX_KERNEL(substring)
RX_KERNEL(regexp_like)
RX_KERNEL(regexp_count)
RX_KERNEL(regexp_instr)
RX_KERNEL(regexp_substr)
RX_KERNEL(regexp_replace)

#define T TYPE_VARCHAR
#define N TYPE_BIGINT
#define OPERATOR(op, n, fn, text, sample)                                                  \
    {                                                                                      \
        .name = op, .args = {T, T, T}, .args_count = n, .result = TYPE_BOOLEAN,            \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }
#define INSTR(n, text, sample) \
    STR_TO("regexp_instr", n, INTEGER, func_regexp_instr, text, sample, T, T, N, N, N, T, N)
#define SUBSTR(n, text, sample) \
    STR("regexp_substr", n, func_regexp_substr, text, sample, T, T, N, N, T, N)
#define COUNT(n, text, sample) \
    STR_TO("regexp_count", n, INTEGER, func_regexp_count, text, sample, T, T, N, T)
#define REPLACE(n, text, sample, ...) \
    STR("regexp_replace", n, func_regexp_replace, text, sample, T, T, T, __VA_ARGS__)

static const struct func func_regex_rows[] = {
    OPERATOR("~",
             2,
             func_matches,
             "Whether a regular expression fits a part of the text.",
             "'Thomas' ~ 't.*ma' = false"),
    OPERATOR(
        "~*", 2, func_imatches, "The same without regard to case.", "'Thomas' ~* 't.*MA' = true"),
    OPERATOR("!~", 2, func_not_matches, "The contrary of ~.", "'Thomas' !~ 'om' = false"),
    OPERATOR("!~*", 2, func_not_imatches, "The contrary of ~*.", "'Thomas' !~* 'T.*vad' = true"),
    OPERATOR(
        "similar to",
        2,
        func_similar,
        "Whether all of the text fits a pattern with % and _ as in LIKE and | * + ? {m,n} () [] "
        "as in regular expressions.",
        "'abc' SIMILAR TO '%(b|d)%' = true"),
    OPERATOR("similar to",
             3,
             func_similar,
             "The same with another character in place of \\.",
             "'a%' SIMILAR TO 'a!%' ESCAPE '!' = true"),
    STR("substring",
        2,
        func_substring,
        "What the first group of a regular expression takes of the text, or the whole match; NULL "
        "if "
        "there is none; also substring(s FROM pattern).",
        "substring('foobar', 'o(.)b') = o",
        T,
        T),
    STR("substring",
        3,
        func_substring,
        "The part of the text between escape and double quote in a pattern of SIMILAR TO; also "
        "substring(s SIMILAR pattern ESCAPE e).",
        "substring('foobar', '%#\"o_b#\"%', '#') = oob",
        T,
        T,
        T),
    STR_TO("regexp_like",
           2,
           BOOLEAN,
           func_regexp_like,
           "Whether a regular expression fits a part of the text.",
           "regexp_like('Hello', 'l{2}') = true",
           T,
           T),
    STR_TO("regexp_like",
           3,
           BOOLEAN,
           func_regexp_like,
           "The same with options: i no case, n lines, x white space and comments, q no pattern.",
           "regexp_like('Hello', 'h.l', 'i') = true",
           T,
           T,
           T),
    COUNT(2, "How often a regular expression fits.", "regexp_count('ABCABC', 'A.') = 2"),
    COUNT(3, "The same from that character on.", "regexp_count('ABCABC', 'A.', 2) = 1"),
    COUNT(4, "The same with options.", "regexp_count('abcabc', 'A', 1, 'i') = 2"),
    INSTR(2,
          "The character where a regular expression first fits; 0 if nowhere.",
          "regexp_instr('ABCDE', 'C.') = 3"),
    INSTR(3, "The same from a character on.", "regexp_instr('ABCABC', 'B', 3) = 5"),
    INSTR(4, "Of the n-th match from a character on.", "regexp_instr('ABCABC', 'B', 1, 2) = 5"),
    INSTR(5,
          "The same; with 1 the place behind the match.",
          "regexp_instr('ABCABC', 'B', 1, 2, 1) = 6"),
    INSTR(6, "The same with options.", "regexp_instr('ABCABC', 'b', 1, 2, 0, 'i') = 5"),
    INSTR(7,
          "The same for a group of the pattern.",
          "regexp_instr('ABCABC', 'A(b)(c)', 1, 1, 0, 'i', 2) = 3"),
    SUBSTR(2,
           "What a regular expression first fits; NULL if there is nothing.",
           "regexp_substr('ABCDE', 'C.') = CD"),
    SUBSTR(3, "The same from a character on.", "regexp_substr('ABCABD', 'A..', 2) = ABD"),
    SUBSTR(4, "The n-th match from a character on.", "regexp_substr('ABCABD', 'A..', 1, 2) = ABD"),
    SUBSTR(5, "The same with options.", "regexp_substr('ABCABD', 'a..', 1, 2, 'i') = ABD"),
    SUBSTR(6,
           "The same for a group of the pattern.",
           "regexp_substr('ABCABD', 'a(.)(.)', 1, 2, 'i', 2) = D"),
    REPLACE(3,
            "The first match replaced; \\1 to \\9 stand for groups, \\& for the match.",
            "regexp_replace('Thomas', '.[mN]a.', 'M') = ThM",
            TYPE_NONE),
    REPLACE(4,
            "The same with options; g replaces all matches.",
            "regexp_replace('foobarbaz', 'b(..)', 'X\\1Y', 'g') = fooXarYXazY",
            T),
    REPLACE(4,
            "The first match from a character on replaced.",
            "regexp_replace('Thomas', '.', 'X', 3) = ThXmas",
            N),
    REPLACE(5,
            "The n-th match from a character on replaced; all with 0.",
            "regexp_replace('Thomas', '.', 'X', 3, 2) = ThoXas",
            N,
            N),
    REPLACE(6,
            "The same with options.",
            "regexp_replace('Thomas', 'M', 'X', 1, 0, 'i') = ThoXas",
            N,
            N,
            T),
};

const struct func_table func_table_regex = {func_regex_rows, DN_ARRAY_SIZE(func_regex_rows)};
