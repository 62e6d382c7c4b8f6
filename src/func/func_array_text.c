/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array_text.c: arrays as lists in a text, and back; rows as text. */
#include "base/text.h"
#include "func/func_array.h"
#include "func/text_int.h"

#include <string.h>

int func_array_text(const struct func_ctx *ctx, struct buf *b, struct vstr *ret, struct dn_err *err)
{
    char *to = NULL;
    int rc = b->failed ? DN_FAIL_NOMEM(err) : func_text_room(ctx, b->len, &to, err);

    if (rc == 0) {
        if (b->len)
            memcpy(to, b->data, b->len);
        *ret = (struct vstr){to, (uint32_t)b->len};
    }
    buf_done(b);
    return rc;
}

/* Items with the separator between them; NULLs are passed over unless args[2] stands for them. */
static int array_to_string(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t count,
                           uint32_t row,
                           const struct varray *a,
                           struct vstr *ret,
                           struct dn_err *err)
{
    bool shows = count > 2 && !vec_is_null(&args[2], row);
    struct vstr separator, null = {"", 0};
    bool some = false;
    uint64_t steps = 0;
    struct buf b;
    int rc = 0;

    if (vec_is_null(&args[1], row))
        return 1;
    separator = vec_str(&args[1], row);
    if (shows)
        null = vec_str(&args[2], row);
    buf_init(&b, ctx->arena->owner);
    for (uint32_t i = 0; i < a->count && rc == 0 && b.len <= FUNC_TEXT_MAX; i++) {
        rc = func_count_steps(ctx, 16 + separator.len / 16, &steps, err);
        if (a->items[i].null && !shows)
            continue;
        if (some)
            buf_append(&b, separator.ptr, separator.len);
        some = true;
        if (a->items[i].null)
            buf_append(&b, null.ptr, null.len);
        else
            text_print_out(ctx->session, &a->items[i], &b);
    }
    if (rc < 0) {
        buf_done(&b);
        return rc;
    }
    return func_array_text(ctx, &b, ret, err); /* or it is too long */
}

FUNC_ARRAY_EACH(func_array_to_string,
                struct vstr,
                array_to_string(ctx, args, args_count, i, &a, &to[i], err))

struct array_split {
    struct datum *items;
    uint32_t count;
    uint32_t cap;
    struct vstr null;
    bool has_null;
};

static int array_split_add(const struct func_ctx *ctx,
                           struct array_split *s,
                           struct vstr part,
                           struct dn_err *err)
{
    int rc = func_check_cancel(ctx, err);

    if (rc < 0)
        return rc;
    if (s->count == s->cap) {
        uint32_t more = s->cap ? s->cap * 2 : 16;
        struct datum *grown = arena_alloc_array(ctx->arena, more, sizeof *grown);

        if (!grown)
            return DN_FAIL_NOMEM(err);
        if (s->cap)
            memcpy(grown, s->items, s->cap * sizeof *grown);
        s->items = grown;
        s->cap = more;
    }
    s->items[s->count++] = (struct datum){
        .type = TYPE_VARCHAR, .null = s->has_null && vstr_cmp(part, s->null) == 0, .str = part};
    return 0;
}

/* A character of UTF-8 at s. */
static uint32_t array_char(struct vstr s)
{
    uint32_t n = 1;

    while (n < s.len && ((uint8_t)s.ptr[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* NULL as separator cuts between all characters, the empty text nowhere. */
static int array_split(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t count,
                       uint32_t row,
                       struct vstr *ret,
                       struct dn_err *err)
{
    struct array_split s = {.has_null = count > 2 && !vec_is_null(&args[2], row)};
    bool each = vec_is_null(&args[1], row);
    struct vstr separator = each ? (struct vstr){"", 0} : vec_str(&args[1], row);
    struct vstr rest = vec_str(&args[0], row);
    struct varray a;
    int rc = 0;

    if (s.has_null)
        s.null = vec_str(&args[2], row);
    while (rc == 0 && rest.len) {
        const char *at = each || !separator.len ? NULL : func_find_text(rest, separator);
        uint32_t n = each ? array_char(rest) : at ? (uint32_t)(at - rest.ptr) : rest.len;
        uint32_t skip = n + (at ? separator.len : 0);

        rc = array_split_add(ctx, &s, (struct vstr){rest.ptr, n}, err);
        rest = (struct vstr){rest.ptr + skip, rest.len - skip};
        if (rc == 0 && at && rest.len == 0) /* it ends with a separator */
            rc = array_split_add(ctx, &s, rest, err);
    }
    if (rc < 0)
        return rc;
    a = varray_flat(TYPE_VARCHAR, s.items, s.count);
    return func_array_write(ctx, &a, ret, err);
}

static int func_string_to_array(const struct func_ctx *ctx,
                                const struct vec *args,
                                uint32_t args_count,
                                uint32_t count,
                                struct vec *ret,
                                struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        int rc = 0;

        to[i] = (struct vstr){"", 0};
        if (vec_is_null(ret, i) || vec_is_null(&args[0], i))
            vec_bit_set(nulls, i);
        else
            rc = array_split(ctx, args, args_count, i, &to[i], err);
        if (rc < 0)
            return rc;
    }
    ret->nulls = nulls;
    return 0;
}

/* ---- rows ---- */

/* Piece by piece without a way out in between, which the compiler makes wide loops of. */
static bool row_needs_quotes(struct vstr s)
{
    for (uint32_t at = 0; at < s.len;) {
        uint32_t end = s.len - at < FUNC_STEPS_MAX ? s.len : at + FUNC_STEPS_MAX;
        bool found = false;

        for (; at < end; at++) {
            uint8_t c = (uint8_t)s.ptr[at];

            found |= c <= ' ' || c == '(' || c == ')' || c == ',' || c == '"' || c == '\\';
        }
        if (found)
            return true;
    }
    return s.len == 0;
}

/* A value of a row: nothing for NULL, quoted where commas and their like would mislead. */
static void
row_put(const struct func_ctx *ctx, const struct datum *d, struct buf *scratch, struct buf *b)
{
    struct vstr s;

    if (d->null)
        return;
    buf_reset(scratch);
    text_print_out(ctx->session, d, scratch);
    s = (struct vstr){scratch->len ? (const char *)scratch->data : "", (uint32_t)scratch->len};
    if (!row_needs_quotes(s)) {
        buf_append(b, s.ptr, s.len);
        return;
    }
    buf_u8(b, '"');
    for (uint32_t i = 0; i < s.len && !b->failed; i++) {
        if (i % FUNC_STEPS_MAX == 0 && func_check_cancel(ctx, NULL) < 0)
            b->failed = true; /* the caller's error is that of the statement */
        if (s.ptr[i] == '"' || s.ptr[i] == '\\')
            buf_u8(b, (uint8_t)s.ptr[i]);
        buf_u8(b, (uint8_t)s.ptr[i]);
    }
    buf_u8(b, '"');
}

static int func_row(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t args_count,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct buf scratch;
    int rc = 0;

    if (!to)
        return DN_E_NOMEM;
    buf_init(&scratch, ctx->arena->owner);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        struct buf b;

        to[i] = (struct vstr){"", 0};
        if (vec_is_null(ret, i))
            continue;
        buf_init(&b, ctx->arena->owner);
        for (uint32_t k = 0; k < args_count; k++) {
            struct datum d = vec_datum(&args[k], i);

            buf_u8(&b, k ? ',' : '(');
            row_put(ctx, &d, &scratch, &b);
        }
        buf_u8(&b, ')');
        b.failed = b.failed || scratch.failed;
        rc = func_array_text(ctx, &b, &to[i], err);
    }
    buf_done(&scratch);
    return rc;
}

#define TEXT_ROW(fname, n, r, fn, text, ...)                                              \
    {                                                                                     \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = r, .kernel = fn, \
        .doc = text                                                                       \
    }
#define VARCHAR_ARRAY ((enum type_id)(TYPE_VARCHAR | TYPE_ARRAY))

static const struct func func_array_text_rows[] = {
    {.name = "row",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VARIADIC | FUNC_OPERATOR,
     .kernel = func_row,
     .doc = "A row of values as text: ROW(a, b).",
     .example = "row(1, 'a b', NULL) = (1,\"a b\",)"},
    TEXT_ROW("array_to_string",
             2,
             TYPE_VARCHAR,
             func_array_to_string,
             "The elements that are not NULL as text, with a text between them.",
             TYPE_ANY_ARRAY,
             TYPE_VARCHAR),
    TEXT_ROW("array_to_string",
             3,
             TYPE_VARCHAR,
             func_array_to_string,
             "The same with a text for NULL.",
             TYPE_ANY_ARRAY,
             TYPE_VARCHAR,
             TYPE_VARCHAR),
    TEXT_ROW("string_to_array",
             2,
             VARCHAR_ARRAY,
             func_string_to_array,
             "The parts between the separators; NULL as separator gives the characters.",
             TYPE_VARCHAR,
             TYPE_VARCHAR),
    TEXT_ROW("string_to_array",
             3,
             VARCHAR_ARRAY,
             func_string_to_array,
             "The same; parts that are the third text become NULL.",
             TYPE_VARCHAR,
             TYPE_VARCHAR,
             TYPE_VARCHAR),
};

const struct func_table func_table_array_text = {func_array_text_rows,
                                                 DN_ARRAY_SIZE(func_array_text_rows)};
