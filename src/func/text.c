/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: values to text and back; type_ops.c knows which printer and parser is for which type. */
#include "func/text.h"

#include "base/text.h"
#include "func/text_int.h"
#include "func/type_ops.h"

#include <string.h>

#define TEXT_QUOTE_MAX 60u /* bytes of a bad value quoted in a message */

struct vstr text_trim(struct vstr s)
{
    while (s.len && text_is_space(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len && text_is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

int text_quote_len(struct vstr s)
{
    uint32_t n = s.len;

    if (n > TEXT_QUOTE_MAX) {
        n = TEXT_QUOTE_MAX;
        while (n && ((uint8_t)s.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    return (int)n;
}

int text_fail_syntax(enum type_id type, struct vstr s, struct dn_err *err)
{
    int n = text_quote_len(s);

    return DN_FAIL(err,
                   DN_E_BAD_TEXT,
                   "invalid input syntax for type %s: \"%.*s%s\"",
                   type_word(type),
                   n,
                   s.ptr,
                   (uint32_t)n < s.len ? "…" : "");
}

void text_print(const struct datum *d, struct buf *b)
{
    text_print_in(NULL, d, b);
}

void text_print_in(const struct func_session *session, const struct datum *d, struct buf *b)
{
    text_print_as(session, TEXT_SELECT, d, b);
}

void text_print_out(const struct func_session *session, const struct datum *d, struct buf *b)
{
    if (d->type == TYPE_BOOLEAN && !d->null)
        buf_u8(b, d->v.i64 ? 't' : 'f');
    else
        text_print_in(session, d, b);
}

struct vstr text_unblank(struct vstr s)
{
    while (s.len > 0 && s.ptr[s.len - 1] == ' ')
        s.len--;
    return s;
}

int text_parse(
    enum type_id type, struct vstr s, struct arena *arena, struct datum *ret, struct dn_err *err)
{
    return text_parse_in(NULL, type, s, arena, ret, err);
}

void text_print_as(const struct func_session *session,
                   enum text_style style,
                   const struct datum *d,
                   struct buf *b)
{
    const struct type_to to = {.session = session, .style = style, .b = b};

    if (!d->null)
        type_ops_of(d->type)->print(d, &to);
}

int text_parse_in(const struct func_session *session,
                  enum type_id type,
                  struct vstr s,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err)
{
    const struct type_from from = {.session = session, .type = type, .s = s, .arena = arena};
    struct datum d = {.type = type, .str = {.ptr = "", .len = 0}};
    int rc = type_ops_of(type)->parse(&from, &d, err);

    if (rc == 0)
        *ret = d;
    return rc;
}
