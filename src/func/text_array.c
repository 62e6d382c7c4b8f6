/* SPDX-License-Identifier: Apache-2.0
 *
 * text_array.c: arrays to text and back, as PostgreSQL has them:
 *
 *     array = [ "[" low ":" high "]" … "=" ] list
 *     list  = "{" [ item { "," item } ] "}"
 *     item  = list | NULL | "quoted, with \ before quotes and backslashes" | anything else
 *
 * All lists of one depth have the same length. */
#include "base/cancel.h"
#include "base/text.h"
#include "func/func_array.h"
#include "func/text_int.h"
#include "vec/array.h"

#include <inttypes.h>
#include <strings.h>

#define TEXT_LOOK_ITEMS 4096u /* between two looks whether the statement is to end */

/* ---- out ---- */

static bool text_canceled(const struct func_session *session)
{
    return session && dn_cancel_check(session->cancel, NULL) < 0;
}

static bool text_item_needs_quotes(struct vstr s)
{
    if (s.len == 0 || (s.len == 4 && strncasecmp(s.ptr, "null", 4) == 0))
        return true;
    for (uint32_t i = 0; i < s.len; i++)
        if (text_is_space(s.ptr[i]) || text_one_of(s.ptr[i], "{},\"\\"))
            return true;
    return false;
}

static void text_print_item(const struct func_session *session,
                            enum text_style style,
                            const struct datum *d,
                            struct buf *scratch,
                            struct buf *b)
{
    struct vstr s;

    if (d->null) {
        buf_puts(b, "NULL");
        return;
    }
    if (d->type == TYPE_BOOLEAN) {
        buf_puts(b, d->v.i64 ? "t" : "f");
        return;
    }
    buf_reset(scratch);
    text_print_as(session, style, d, scratch);
    s = (struct vstr){scratch->len ? (const char *)scratch->data : "", (uint32_t)scratch->len};
    if (!text_item_needs_quotes(s)) {
        buf_append(b, s.ptr, s.len);
        return;
    }
    buf_u8(b, '"');
    for (uint32_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"' || s.ptr[i] == '\\')
            buf_u8(b, '\\');
        buf_u8(b, (uint8_t)s.ptr[i]);
    }
    buf_u8(b, '"');
}

static void text_print_items(const struct func_session *session,
                             enum text_style style,
                             const struct varray *a,
                             struct buf *scratch,
                             struct buf *b)
{
    uint32_t block[VARRAY_DIMS_MAX]; /* items of a list of that depth */
    uint32_t n = 1;

    for (uint32_t d = a->dims; d-- > 0;)
        block[d] = n *= (uint32_t)a->len[d];
    for (uint32_t i = 0; i < a->count; i++) {
        if (i % TEXT_LOOK_ITEMS == TEXT_LOOK_ITEMS - 1 && text_canceled(session)) {
            b->failed = true;
            return;
        }
        if (i)
            buf_u8(b, ',');
        for (uint32_t d = 0; d < a->dims; d++)
            if (i % block[d] == 0)
                buf_u8(b, '{');
        text_print_item(session, style, &a->items[i], scratch, b);
        for (uint32_t d = 0; d < a->dims; d++)
            if ((i + 1) % block[d] == 0)
                buf_u8(b, '}');
    }
}

void text_print_array(const struct func_session *session,
                      enum text_style style,
                      const struct datum *d,
                      struct buf *b)
{
    struct arena arena;
    struct varray a;
    struct buf scratch;
    bool bounds = false;
    int rc;

    arena_init(&arena, NULL);
    arena.cancel = session ? session->cancel : NULL;
    rc = varray_read(d->str, type_element(d->type), session ? session->cancel : NULL, &arena, &a);
    if (rc < 0)
        b->failed = true;
    if (rc == 0 && a.count == 0)
        buf_puts(b, "{}");
    if (rc == 0 && a.count) {
        buf_init(&scratch, NULL);
        for (uint32_t k = 0; k < a.dims; k++)
            bounds |= a.low[k] != 1;
        for (uint32_t k = 0; bounds && k < a.dims; k++)
            buf_printf(b, "[%d:%" PRId64 "]", a.low[k], varray_high(&a, k));
        buf_puts(b, bounds ? "=" : "");
        text_print_items(session, style, &a, &scratch, b);
        b->failed = b->failed || scratch.failed;
        buf_done(&scratch);
    }
    arena_done(&arena);
}

/* ---- in ---- */

struct text_list {
    const struct func_session *session;
    struct vstr whole; /* for messages */
    const char *p;
    const char *end;
    char *room;     /* for the texts of the items to come, which are not longer than `p` to `end` */
    uint32_t steps; /* items so far, for looks whether the statement is to end */
    struct arena *arena;
    enum type_id type; /* of the array */
    struct varray a;
    uint32_t cap;
    uint32_t depth;                /* braces that are open */
    int32_t seen[VARRAY_DIMS_MAX]; /* items of the list that is open at that depth */
    bool fixed[VARRAY_DIMS_MAX];   /* its length is known */
};

static int text_list_fail(const struct text_list *l, const char *why, struct dn_err *err)
{
    int n = text_quote_len(l->whole);

    return DN_FAIL(err,
                   DN_E_BAD_TEXT,
                   "malformed array literal: \"%.*s%s\" (%s)",
                   n,
                   l->whole.ptr,
                   (uint32_t)n < l->whole.len ? "…" : "",
                   why);
}

static void text_list_spaces(struct text_list *l)
{
    while (l->p < l->end && text_is_space(*l->p))
        l->p++;
}

static int text_list_add(struct text_list *l, const struct datum *d, struct dn_err *err)
{
    if (++l->steps % TEXT_LOOK_ITEMS == 0 && l->session) {
        int rc = dn_cancel_check(l->session->cancel, err);

        if (rc < 0)
            return rc;
    }
    if (l->a.count == l->cap) {
        uint32_t more = l->cap ? l->cap * 2 : 8;
        struct datum *grown = arena_alloc_array(l->arena, more, sizeof *grown);

        if (!grown)
            return DN_FAIL_NOMEM(err);
        if (l->cap)
            memcpy(grown, l->a.items, l->cap * sizeof *grown);
        l->a.items = grown;
        l->cap = more;
    }
    if (l->a.count >= VARRAY_ITEMS_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "an array has more than %u elements", VARRAY_ITEMS_MAX);
    l->a.items[l->a.count++] = *d;
    return 0;
}

/* An element at p: quoted, or up to a comma or brace. */
static int text_list_item(struct text_list *l, struct dn_err *err)
{
    struct datum d = {.type = l->a.elem, .null = true, .str = {"", 0}};
    char *text = l->room;
    bool quoted = false;
    bool closed = false; /* a quoted part has ended */
    uint32_t n = 0;
    uint32_t keep = 0; /* up to here spaces at the end stay */
    int rc;

    while (l->p < l->end && !text_one_of(*l->p, ",{}")) {
        if (*l->p == '"') {
            if (n > 0 || quoted)
                return text_list_fail(l, "a quote stands inside of an element", err);
            quoted = true;
            closed = true;
            for (l->p++; l->p < l->end && *l->p != '"'; l->p++) {
                l->p += *l->p == '\\' && l->p + 1 < l->end;
                text[n++] = *l->p;
            }
            if (l->p == l->end)
                return text_list_fail(l, "a quote is not closed", err);
            l->p++;
            keep = n;
            continue;
        }
        if (closed && !text_is_space(*l->p))
            return text_list_fail(l, "something follows a quoted element", err);
        if (*l->p == '\\') {
            if (++l->p == l->end)
                return text_list_fail(l, "a backslash is the last character", err);
            keep = n + 1;
            quoted = true;
        }
        text[n++] = *l->p++;
    }
    while (n > keep && text_is_space(text[n - 1]))
        n--;
    if (n == 0 && !quoted)
        return text_list_fail(l, "an element is missing", err);
    l->room += n;
    if (quoted || n != 4 || strncasecmp(text, "null", 4) != 0) {
        rc = text_parse_in(l->session, l->a.elem, (struct vstr){text, n}, l->arena, &d, err);
        if (rc < 0)
            return rc;
    }
    return text_list_add(l, &d, err);
}

/* A list or an item of the list at depth - 1 has ended. */
static void text_list_count(struct text_list *l)
{
    if (l->depth > 0)
        l->seen[l->depth - 1]++;
}

static int text_list_open(struct text_list *l, struct dn_err *err)
{
    if (l->depth == VARRAY_DIMS_MAX)
        return DN_FAIL(err,
                       DN_E_ARRAY_LIMIT,
                       "number of array dimensions (%d) exceeds the maximum allowed (%d)",
                       VARRAY_DIMS_MAX + 1,
                       VARRAY_DIMS_MAX);
    if (l->depth >= l->a.dims) {
        if (l->a.count > 0)
            return text_list_fail(l, "lists of one depth differ", err);
        l->a.dims = l->depth + 1;
    }
    l->seen[l->depth++] = 0;
    l->p++;
    return 0;
}

static int text_list_close(struct text_list *l, struct dn_err *err)
{
    uint32_t d = l->depth - 1;

    if (l->fixed[d] && l->seen[d] != l->a.len[d])
        return text_list_fail(l, "lists of one depth differ", err);
    if (l->seen[d] == 0 && l->a.dims > 1)
        return text_list_fail(l, "a list in a list is empty", err);
    l->fixed[d] = true;
    l->a.len[d] = l->seen[d];
    l->depth--;
    l->p++;
    text_list_count(l);
    return 0;
}

/* The braces and what is in them. */
static int text_list_body(struct text_list *l, struct dn_err *err)
{
    bool want = true; /* an item, not a comma */
    int rc = 0;

    text_list_spaces(l);
    if (l->p == l->end || *l->p != '{')
        return text_list_fail(l, "it starts with {", err);
    do {
        text_list_spaces(l);
        if (l->p == l->end)
            return text_list_fail(l, "a brace is not closed", err);
        if (*l->p == '{' && want) {
            rc = text_list_open(l, err);
        } else if (*l->p == '}' && (!want || l->p[-1] == '{')) {
            rc = text_list_close(l, err);
            want = false;
        } else if (*l->p == ',' && !want) {
            l->p++;
            want = true;
        } else if (want && *l->p != '}' && *l->p != ',') {
            if (l->depth != l->a.dims)
                return text_list_fail(l, "lists of one depth differ", err);
            rc = text_list_item(l, err);
            text_list_count(l);
            want = false;
        } else {
            return text_list_fail(l, "a comma or brace is not expected there", err);
        }
        if (rc < 0)
            return rc;
    } while (l->depth > 0);
    text_list_spaces(l);
    return l->p == l->end ? 0 : text_list_fail(l, "there is something behind the end", err);
}

static bool text_list_number(struct text_list *l, int32_t *ret)
{
    bool negative = l->p < l->end && *l->p == '-';
    int64_t v = 0;
    const char *start;

    l->p += negative || (l->p < l->end && *l->p == '+');
    for (start = l->p; l->p < l->end && text_is_digit(*l->p) && v < INT32_MAX; l->p++)
        v = v * 10 + (*l->p - '0');
    *ret = (int32_t)(negative ? -v : v);
    return l->p > start && v <= INT32_MAX;
}

/* [low:high]… = */
static int text_list_bounds(
    struct text_list *l, uint32_t *ret_dims, int32_t *low, int32_t *high, struct dn_err *err)
{
    uint32_t n = 0;

    text_list_spaces(l);
    while (l->p < l->end && *l->p == '[') {
        l->p++;
        if (n == VARRAY_DIMS_MAX || !text_list_number(l, &high[n]))
            return text_list_fail(l, "bounds are [low:high]", err);
        low[n] = 1;
        if (l->p < l->end && *l->p == ':') {
            low[n] = high[n];
            l->p++;
            if (!text_list_number(l, &high[n]))
                return text_list_fail(l, "bounds are [low:high]", err);
        }
        if (l->p == l->end || *l->p++ != ']')
            return text_list_fail(l, "bounds are [low:high]", err);
        if (high[n] < low[n])
            return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "upper bound cannot be less than lower bound");
        n++;
    }
    *ret_dims = n;
    if (n == 0)
        return 0;
    text_list_spaces(l);
    if (l->p == l->end || *l->p++ != '=')
        return text_list_fail(l, "bounds are followed by =", err);
    return 0;
}

int text_parse_array(const struct func_session *session,
                     enum type_id type,
                     struct vstr s,
                     struct arena *arena,
                     struct vstr *ret,
                     struct dn_err *err)
{
    struct text_list l = {.session = session,
                          .whole = s,
                          .p = s.ptr,
                          .end = s.ptr + s.len,
                          .arena = arena,
                          .type = type,
                          .a = {.elem = type_element(type), .low = {1, 1, 1, 1, 1, 1}}};
    int32_t low[VARRAY_DIMS_MAX];
    int32_t high[VARRAY_DIMS_MAX];
    uint32_t dims = 0;
    struct buf b;
    int rc;

    l.room = arena_alloc(arena, (size_t)s.len + 1);
    if (!l.room)
        return DN_FAIL_NOMEM(err);
    rc = text_list_bounds(&l, &dims, low, high, err);
    if (rc == 0)
        rc = text_list_body(&l, err);
    for (uint32_t d = 0; rc == 0 && d < dims; d++) {
        if (dims != l.a.dims || (int64_t)high[d] - low[d] + 1 != l.a.len[d])
            rc = text_list_fail(&l, "the bounds do not fit the elements", err);
        l.a.low[d] = low[d];
    }
    if (rc == 0)
        rc = func_array_bounds(&l.a, err);
    if (rc < 0)
        return rc;
    buf_init(&b, arena->owner);
    varray_write(&l.a, session ? session->cancel : NULL, &b);
    ret->len = (uint32_t)b.len;
    ret->ptr = b.failed ? NULL : arena_dup(arena, b.data, b.len);
    buf_done(&b);
    return ret->ptr ? 0 : DN_FAIL_NOMEM(err);
}
