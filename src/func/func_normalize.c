/* SPDX-License-Identifier: Apache-2.0
 *
 * func_normalize.c: the normal forms of Unicode. utf8proc decomposes single characters and composes
 * texts; what lies between is done here, because its own sorting of marks takes time that is
 * quadratic in how many stand behind each other. A long text is cut into pieces where no form joins
 * what is before with what is behind. */
#include "func/str_int.h"
#include "func/text_int.h"

#include <strings.h>
#include <utf8proc.h>

#define NORMAL_PIECE 16384u /* characters, after which a piece ends as soon as it can */
#define NORMAL_ROOM  64u    /* characters that one becomes; Unicode's longest is 18 */
#define NORMAL_FEW   16u    /* marks that are sorted by insertion */

struct normal {
    const struct str_call *c;
    utf8proc_option_t options;
    int32_t *piece; /* decomposed */
    size_t count;
    size_t cap;
    struct buf *b;
    uint64_t steps;
};

static int normal_form(const struct str_call *c, utf8proc_option_t *ret)
{
    static const struct {
        const char *name;
        int options;
    } forms[] = {
        {"nfc", UTF8PROC_STABLE | UTF8PROC_COMPOSE},
        {"nfd", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE},
        {"nfkc", UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
        {"nfkd", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
    };
    struct vstr name = c->args_count == 2 ? str_arg(c, 1) : (struct vstr){"nfc", 3};

    for (size_t i = 0; i < DN_ARRAY_SIZE(forms); i++)
        if (strlen(forms[i].name) == name.len &&
            strncasecmp(forms[i].name, name.ptr, name.len) == 0) {
            *ret = (utf8proc_option_t)forms[i].options;
            return 0;
        }
    return DN_FAIL(c->err,
                   DN_E_INVALID_PARAM,
                   "invalid normalization form: %.*s",
                   text_quote_len(name),
                   name.ptr);
}

/* Does no form join the character with what is before it? Marks join, and so do vowels and finals
 * of Hangul and what stands for them; of letters that modify some stand for marks. */
static bool normal_starts(int32_t ch)
{
    const utf8proc_property_t *p = utf8proc_get_property(ch);

    if (ch < 0x80)
        return true;
    if ((ch >= 0x1160 && ch <= 0x11ff) || (ch >= 0x3131 && ch <= 0x318e) ||
        (ch >= 0xffa0 && ch <= 0xffdc))
        return false;
    return p->combining_class == 0 && p->category != UTF8PROC_CATEGORY_MN &&
           p->category != UTF8PROC_CATEGORY_MC && p->category != UTF8PROC_CATEGORY_ME &&
           p->category != UTF8PROC_CATEGORY_LM && p->category != UTF8PROC_CATEGORY_CN;
}

static uint8_t normal_class(int32_t ch)
{
    return ch < 0x300 ? 0 : (uint8_t)utf8proc_get_property(ch)->combining_class;
}

/* Marks behind each other are in the order of their classes; those of one class stay as they are.
 */
static int normal_sort(struct normal *n, int32_t *marks, size_t count)
{
    size_t start[256] = {0};
    size_t sum = 0;
    int32_t *to;

    if (count <= NORMAL_FEW) {
        for (size_t i = 1; i < count; i++) {
            int32_t mark = marks[i];
            size_t k = i;

            for (; k > 0 && normal_class(marks[k - 1]) > normal_class(mark); k--)
                marks[k] = marks[k - 1];
            marks[k] = mark;
        }
        return 0;
    }
    to = mem_alloc_array(n->c->ctx->arena->owner, count, sizeof *to);
    if (!to)
        return DN_FAIL_NOMEM(n->c->err);
    for (size_t i = 0; i < count; i++)
        start[normal_class(marks[i])]++;
    for (size_t k = 0; k < 256; k++) {
        size_t here = start[k];

        start[k] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[start[normal_class(marks[i])]++] = marks[i];
    memcpy(marks, to, count * sizeof *to);
    mem_free(to);
    return 0;
}

/* What was decomposed so far, in its form, to the end of the result. */
static int normal_flush(struct normal *n)
{
    utf8proc_ssize_t len;
    int rc;

    for (size_t i = 0; i < n->count; i++) {
        size_t end = i;

        while (end < n->count && normal_class(n->piece[end]) != 0)
            end++;
        rc = end > i + 1 ? normal_sort(n, n->piece + i, end - i) : 0;
        if (rc < 0)
            return rc;
        i = end > i ? end - 1 : i;
    }
    rc = func_check_cancel(n->c->ctx, n->c->err);
    if (rc < 0 || n->count == 0)
        return rc;
    len = utf8proc_normalize_utf32(n->piece, (utf8proc_ssize_t)n->count, n->options);
    if (len < 0)
        return DN_FAIL(n->c->err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    for (utf8proc_ssize_t i = 0; i < len && rc == 0; i++) {
        utf8proc_uint8_t to[4];

        buf_append(n->b, to, (size_t)utf8proc_encode_char(n->piece[i], to));
        rc = str_steps(n->c, 1, &n->steps);
    }
    n->count = 0;
    return rc;
}

static int normal_add(struct normal *n, int32_t ch)
{
    utf8proc_ssize_t made;

    if (n->cap - n->count < NORMAL_ROOM) {
        size_t cap = n->cap ? n->cap * 2 : NORMAL_PIECE + 2 * NORMAL_ROOM;
        int32_t *grown = mem_realloc(n->c->ctx->arena->owner, n->piece, cap * sizeof *grown);

        if (!grown)
            return DN_FAIL_NOMEM(n->c->err);
        n->piece = grown;
        n->cap = cap;
    }
    if (ch < 0x80) {
        n->piece[n->count++] = ch;
        return 0;
    }
    made = utf8proc_decompose_char(ch, n->piece + n->count, NORMAL_ROOM, n->options, &(int){0});
    if (made < 0 || made > (utf8proc_ssize_t)NORMAL_ROOM)
        return DN_FAIL(n->c->err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    n->count += (size_t)made;
    return 0;
}

static int normal_run(struct normal *n, struct vstr s)
{
    int rc = 0;

    for (uint32_t at = 0; rc == 0 && at < s.len;) {
        utf8proc_int32_t ch;
        utf8proc_ssize_t used = utf8proc_iterate(
            (const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)(s.len - at), &ch);

        if (used <= 0)
            return DN_FAIL(n->c->err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
        at += (uint32_t)used;
        rc = str_steps(n->c, 1, &n->steps);
        if (rc == 0 && n->count >= NORMAL_PIECE && normal_starts(ch))
            rc = normal_flush(n);
        if (rc == 0)
            rc = normal_add(n, ch);
    }
    return rc < 0 ? rc : normal_flush(n);
}

static int str_normalize(const struct str_call *c, struct vstr *ret)
{
    struct buf b;
    struct normal n = {.c = c, .b = &b};
    int rc;

    buf_init(&b, c->ctx->arena->owner);
    rc = normal_form(c, &n.options);
    if (rc == 0)
        rc = normal_run(&n, str_arg(c, 0));
    mem_free(n.piece);
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(normalize)

static int normal_is(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t args_count,
                     uint32_t row,
                     int8_t *ret,
                     struct dn_err *err)
{
    struct str_call c = {
        .ctx = ctx, .args = args, .args_count = args_count, .row = row, .err = err};
    struct vstr s = str_arg(&c, 0);
    struct vstr normal = {"", 0};
    int rc = str_normalize(&c, &normal);

    *ret = rc == 0 && s.len == normal.len && memcmp(s.ptr, normal.ptr, s.len) == 0;
    return rc;
}
FUNC_EACH(func_is_normalized, int8_t, normal_is(ctx, args, args_count, i, &to[i], err))

#define T TYPE_VARCHAR

static const struct func func_normalize_rows[] = {
    STR("normalize", 1, func_normalize, "The text in Unicode's form NFC.", "normalize('a') = a", T),
    STR("normalize",
        2,
        func_normalize,
        "The text in the form NFC, NFD, NFKC or NFKD.",
        "normalize('ﬁ', 'NFKC') = fi",
        T,
        T),
    STR_TO("is_normalized",
           2,
           BOOLEAN,
           func_is_normalized,
           "Whether the text has that form; also s IS NFC NORMALIZED.",
           "is_normalized('ﬁ', 'NFKC') = false",
           T,
           T),
    STR_TO("is_normalized",
           1,
           BOOLEAN,
           func_is_normalized,
           "Whether the text has the form NFC; also s IS NORMALIZED.",
           "is_normalized('a') = true",
           T),
};

const struct func_table func_table_normalize = {func_normalize_rows,
                                                DN_ARRAY_SIZE(func_normalize_rows)};
