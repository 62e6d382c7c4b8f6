/* SPDX-License-Identifier: Apache-2.0
 *
 * http_fuzz.c: the body of a request, packed as its first byte says, in pieces as long as the
 * second: it unpacks to no more than the limit, or is refused with a reason; and what it unpacks
 * to is read as JSON, whose texts lie in it or the arena. */
#include "fuzz.h"

#include "base/json.h"
#include "server/http/http_int.h"
#include "server/http/unpack.h"

#include <string.h>

#define BODY_MAX (1u << 16)

static size_t http_sum(const struct dn_json *v, unsigned depth)
{
    size_t sum = (size_t)v->kind;

    DN_ASSERT(depth < 1000);
    if (v->kind == DN_JSON_STRING)
        for (size_t i = 0; i < v->len; i++)
            sum += (unsigned char)v->str[i]; /* the sanitizer looks */
    if (v->kind == DN_JSON_ARRAY || v->kind == DN_JSON_OBJECT)
        for (size_t i = 0; i < v->count; i++)
            sum += http_sum(&v->items[i], depth + 1);
    return sum;
}

static size_t http_read(const struct buf *body)
{
    const struct dn_json *o = NULL;
    struct arena arena;
    struct dn_err err;
    size_t sum = 0;

    arena_init(&arena, NULL);
    dn_err_clear(&err);
    if (dn_json_parse(&arena, body->data, body->len, &o, &err) < 0) {
        DN_ASSERT(err.text[0]);
    } else {
        fuzz_reached();
        sum = http_sum(o, 0);
        if (dn_json_is(o, DN_JSON_OBJECT) && dn_json_get(o, "query"))
            sum++;
    }
    arena_done(&arena);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const encodings[] = {NULL, "gzip", "deflate", "zstd", "br"};
    static struct http h;
    struct http_req req = {.h = &h, .body_max = BODY_MAX};
    size_t piece;
    size_t sum = 0;
    bool good;

    if (size < 2)
        return 0;
    piece = (size_t)data[1] + 1;
    mem_owner_init(&h.owner, "fuzz", NULL, 0);
    buf_init(&req.body, NULL);
    buf_init(&req.out, NULL);
    good = http_unpack_begin(&req, encodings[data[0] % DN_ARRAY_SIZE(encodings)]);
    for (size_t at = 2; good && at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;

        req.body_in += n;
        good = http_unpack_add(&req, data + at, n);
        DN_ASSERT(req.body.len <= BODY_MAX);
    }
    good = good && http_unpack_end(&req);
    DN_ASSERT(good == (req.status == 0));
    if (good)
        sum = http_read(&req.body);
    else
        DN_ASSERT(req.status >= 400 && req.out.len > 0);
    http_unpack_free(req.unpack);
    buf_done(&req.body);
    buf_done(&req.out);
    return sum == SIZE_MAX; /* it is used */
}
