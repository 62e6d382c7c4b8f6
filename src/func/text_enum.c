/* SPDX-License-Identifier: Apache-2.0
 *
 * text_enum.c: values of types that CREATE TYPE made, as text and back: the session knows the
 * labels. */
#include "func/session.h"
#include "func/text.h"
#include "func/text_int.h"

#include <inttypes.h>

void text_print_enum(const struct func_session *session, int64_t value, struct buf *b)
{
    struct func_ask ask = {.kind = FUNC_ASK_ENUM_LABEL,
                           .oid = enum_value_number(value),
                           .sub = enum_value_order(value)};
    struct func_answer answer = {.text = b};
    struct dn_err ignored;

    if (!session || !session->ask || session->ask(session->arg, &ask, &answer, &ignored) != 0)
        buf_printf(b, "#%" PRId64, enum_value_order(value)); /* a label of nobody knows what */
}

int text_parse_enum(const struct func_session *session,
                    enum type_id type,
                    struct vstr s,
                    int64_t *ret,
                    struct dn_err *err)
{
    struct func_ask ask = {
        .kind = FUNC_ASK_ENUM_FIND, .oid = TYPE_NUMBER(type), .text = s.ptr, .text_len = s.len};
    struct func_answer answer = {.number = 0};
    int rc;

    if (!session || !session->ask)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "a label cannot be read without a session");
    rc = session->ask(session->arg, &ask, &answer, err);
    if (rc == 0)
        *ret = enum_value(TYPE_NUMBER(type), answer.number);
    return rc;
}
