/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_text.c: string_agg(x, separator). The state has each value with the separator before it, the
 * first one's too, so that parts can be put behind each other; it is left away at the end. */
#include "func/agg_each.h"

#include <string.h>

struct agg_text {
    char *text; /* in the arena */
    uint32_t len;
    uint32_t cap;
    uint32_t first; /* bytes of the first separator */
    bool any;
};

static int
agg_text_reserve(struct agg_text *s, uint64_t more, struct arena *strings, struct dn_err *err)
{
    uint64_t need = s->len + more;
    uint64_t cap = s->cap < 32 ? 32 : s->cap;
    char *text;

    if (need > FUNC_TEXT_MAX)
        return DN_FAIL(
            err, DN_E_TOO_LONG, "string_agg: the result is longer than %u bytes", FUNC_TEXT_MAX);
    if (need <= s->cap)
        return 0;
    while (cap < need)
        cap *= 2;
    text = arena_alloc(strings, cap);
    if (!text)
        return DN_FAIL_NOMEM(err);
    if (s->len)
        memcpy(text, s->text, s->len);
    s->text = text;
    s->cap = (uint32_t)cap;
    return 0;
}

static void agg_text_append(struct agg_text *s, struct vstr str)
{
    if (str.len)
        memcpy(s->text + s->len, str.ptr, str.len);
    s->len += str.len;
}

static inline int agg_text_one(
    void *state, const struct vec *v, uint32_t row, struct arena *strings, struct dn_err *err)
{
    struct agg_text *s = state;
    struct vstr separator = {.ptr = "", .len = 0};
    struct vstr str;
    int rc;

    if (vec_is_null(&v[0], row))
        return 0;
    str = vec_str(&v[0], row);
    if (!vec_is_null(&v[1], row))
        separator = vec_str(&v[1], row);
    rc = agg_text_reserve(s, (uint64_t)str.len + separator.len, strings, err);
    if (rc < 0)
        return rc;
    if (!s->any)
        s->first = separator.len;
    s->any = true;
    agg_text_append(s, separator);
    agg_text_append(s, str);
    return 0;
}

AGG_EACH(agg_text, agg_text_one)

static int agg_text_merge(void *into, const void *from, struct arena *strings, struct dn_err *err)
{
    struct agg_text *a = into;
    const struct agg_text *b = from;
    int rc;

    if (!b->any)
        return 0;
    rc = agg_text_reserve(a, b->len, strings, err);
    if (rc < 0)
        return rc;
    if (!a->any)
        a->first = b->first;
    a->any = true;
    agg_text_append(a, (struct vstr){.ptr = b->text, .len = b->len});
    return 0;
}

/* Is there a value, the length of the first separator, all bytes. */
static void agg_text_save(const void *state, struct buf *b)
{
    const struct agg_text *s = state;

    buf_u8(b, s->any);
    buf_u32(b, s->first);
    buf_bytes(b, s->text, s->len);
}

static int
agg_text_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct agg_text *s = state;
    struct rd r = rd_make(p, n);
    const uint8_t *bytes;
    size_t len;
    int rc;

    s->any = rd_u8(&r) != 0;
    s->first = rd_u32(&r);
    bytes = rd_blob(&r, &len);
    if (r.bad || rd_left(&r) || s->first > len)
        return agg_load_fail("string_agg", n, err);
    rc = agg_text_reserve(s, len, strings, err);
    if (rc == 0)
        agg_text_append(s, (struct vstr){.ptr = (const char *)bytes, .len = (uint32_t)len});
    return rc;
}

#define AGG_TEXT_EMIT(t)                                                                        \
    static int agg_text_emit_##t(                                                               \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)                     \
    {                                                                                           \
        const struct agg_text *s = state;                                                       \
                                                                                                \
        *ret = (struct datum){.type = TYPE_##t, .null = !s->any, .str = {.ptr = "", .len = 0}}; \
        if (s->any && s->len > s->first)                                                        \
            ret->str = (struct vstr){s->text + s->first, s->len - s->first};                    \
        return 0;                                                                               \
    }
AGG_TEXT_EMIT(VARCHAR)
AGG_TEXT_EMIT(BLOB)

#define TEXT_ROW(t, sample)                                                                     \
    {                                                                                           \
        .name = "string_agg", .arg = TYPE_##t, .arg2 = TYPE_##t, .in_order = true,              \
        .result = TYPE_##t, .state_size = sizeof(struct agg_text), .update_all = agg_text_all,  \
        .update_grouped = agg_text_grouped, .merge = agg_text_merge, .emit = agg_text_emit_##t, \
        .save = agg_text_save, .load = agg_text_load,                                           \
        .doc = "The values that are not NULL in one text, each but the first after its "        \
               "separator; ORDER BY in the call says in which order.",                          \
        .example = sample                                                                       \
    }

static const struct agg agg_text_rows[] = {
    TEXT_ROW(VARCHAR, "string_agg of (a, NULL, b, c) with (-, -, -, +) = a-b+c"),
    TEXT_ROW(BLOB, "string_agg of (0x01, NULL, 0x02) with (0x00) = 0x010002"),
};

const struct agg_table agg_table_text = {agg_text_rows, DN_ARRAY_SIZE(agg_text_rows)};
