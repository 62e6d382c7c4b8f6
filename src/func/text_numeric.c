/* SPDX-License-Identifier: Apache-2.0
 *
 * text_numeric.c: decimal numbers to text and back. The text has as many digits after the point as
 * the number's scale says; an exponent moves the point: 1.5e3 is 1500, 15e-3 is 0.015. */
#include "func/num.h"
#include "func/text_int.h"

void text_print_numeric(struct vnumeric v, struct buf *b)
{
    vnumeric_print(v, b);
}

static int text_numeric_range(struct vstr s, struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_OUT_OF_RANGE,
                   "\"%.*s%s\" is out of range for NUMERIC, which keeps 38 digits",
                   text_quote_len(s),
                   s.ptr,
                   (uint32_t)text_quote_len(s) < s.len ? "…" : "");
}

int text_parse_numeric(struct vstr s, struct vnumeric *ret, struct dn_err *err)
{
    switch (vnumeric_parse(s.ptr, s.len, ret)) {
    case VNUMERIC_OK:
        return 0;
    case VNUMERIC_TOO_LONG:
        return text_numeric_range(s, err);
    case VNUMERIC_BAD:
        break;
    }
    return text_fail_syntax(TYPE_NUMERIC, s, err);
}
