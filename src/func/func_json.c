/* SPDX-License-Identifier: Apache-2.0
 *
 * func_json.c: json_build_object and json_build_array, as PostgreSQL prints them. JSON is text
 * here; clients are told that it is JSON where such a call is a column of a result. */
#include "func/str_int.h"
#include "func/text_int.h"

static int json_quote(const struct str_call *call, struct vstr s, struct buf *b)
{
    uint64_t steps = 0;

    buf_u8(b, '"');
    for (uint32_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        int rc = str_steps(call, 1, &steps);

        if (rc < 0)
            return rc;
        if (c == '"' || c == '\\') {
            buf_u8(b, '\\');
            buf_u8(b, c);
        } else if (c == '\n')
            buf_puts(b, "\\n");
        else if (c == '\r')
            buf_puts(b, "\\r");
        else if (c == '\t')
            buf_puts(b, "\\t");
        else if (c == '\b')
            buf_puts(b, "\\b");
        else if (c == '\f')
            buf_puts(b, "\\f");
        else if (c < 0x20)
            buf_printf(b, "\\u%04x", c);
        else
            buf_u8(b, c);
    }
    buf_u8(b, '"');
    return 0;
}

static bool json_bare(enum type_id t)
{
    return type_is_int(t) || type_is_float(t) || t == TYPE_NUMERIC;
}

/* A value: numbers and truth as they are, all else as a text. */
static int json_value(const struct str_call *c, uint32_t i, struct buf *b)
{
    struct datum d = vec_datum(&c->args[i], c->row);
    struct buf text;
    int rc = 0;

    if (type_is_array(c->args[i].type))
        return DN_FAIL(c->err, DN_E_UNSUPPORTED, "JSON of arrays is not supported yet");
    if (vec_is_null(&c->args[i], c->row)) {
        buf_puts(b, "null");
        return 0;
    }
    if (d.type == TYPE_BOOLEAN) {
        buf_puts(b, d.v.i64 ? "true" : "false");
        return 0;
    }
    buf_init(&text, c->ctx->arena->owner);
    text_print_out(c->ctx->session, &d, &text);
    if (text.failed)
        b->failed = true;
    else if (json_bare(d.type) && text.len &&
             text.data[text.len - 1] <= '9') /* not NaN, Infinity */
        buf_append(b, text.data, text.len);
    else
        rc = json_quote(
            c, (struct vstr){text.len ? (const char *)text.data : "", (uint32_t)text.len}, b);
    buf_done(&text);
    return rc;
}

static int json_key(const struct str_call *c, uint32_t i, struct buf *b)
{
    struct datum d = vec_datum(&c->args[i], c->row);
    struct buf text;
    int rc = 0;

    if (vec_is_null(&c->args[i], c->row))
        return DN_FAIL(c->err, DN_E_INVALID_PARAM, "argument %u must not be null", i + 1);
    buf_init(&text, c->ctx->arena->owner);
    text_print_out(c->ctx->session, &d, &text);
    if (text.failed)
        b->failed = true;
    else
        rc = json_quote(
            c, (struct vstr){text.len ? (const char *)text.data : "", (uint32_t)text.len}, b);
    buf_done(&text);
    return rc;
}

static int str_json_build_object(const struct str_call *c, struct vstr *ret)
{
    struct buf b;
    int rc = 0;

    if (c->args_count % 2) {
        rc = DN_FAIL(c->err, DN_E_INVALID_PARAM, "argument list must have even number of elements");
        dn_err_hint(c->err,
                    "The arguments of json_build_object() must consist of alternating keys and "
                    "values.");
        return rc;
    }
    buf_init(&b, c->ctx->arena->owner);
    buf_puts(&b, "{");
    for (uint32_t i = 0; rc == 0 && i < c->args_count; i += 2) {
        buf_puts(&b, i ? ", " : "");
        rc = json_key(c, i, &b);
        buf_puts(&b, " : ");
        if (rc == 0)
            rc = json_value(c, i + 1, &b);
    }
    buf_puts(&b, "}");
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(json_build_object)

static int str_json_build_array(const struct str_call *c, struct vstr *ret)
{
    struct buf b;
    int rc = 0;

    buf_init(&b, c->ctx->arena->owner);
    buf_puts(&b, "[");
    for (uint32_t i = 0; rc == 0 && i < c->args_count; i++) {
        buf_puts(&b, i ? ", " : "");
        rc = json_value(c, i, &b);
    }
    buf_puts(&b, "]");
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(json_build_array)

static const struct func func_json_rows[] = {
    {.name = "json_build_object",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VARIADIC | FUNC_STABLE | FUNC_ANY_FORM,
     .kernel = func_json_build_object,
     .doc = "A JSON object of keys and values in turn.",
     .example = "json_build_object('a', 1, 'b', NULL) = {\"a\" : 1, \"b\" : null}"},
    {.name = "json_build_array",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_VARIADIC | FUNC_STABLE | FUNC_ANY_FORM,
     .kernel = func_json_build_array,
     .doc = "A JSON array of the values.",
     .example = "json_build_array(1, 'b', true) = [1, \"b\", true]"},
};

const struct func_table func_table_json = {func_json_rows, DN_ARRAY_SIZE(func_json_rows)};
