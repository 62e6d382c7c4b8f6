/* SPDX-License-Identifier: Apache-2.0
 *
 * template_fuzz.c: templates of to_char, to_timestamp, to_date and to_number. The first byte picks
 * the function, then come the template, a zero byte, and the value as text. What is read prints and
 * reads as the same value, what is printed is UTF-8, and what is refused has a reason. */
#include "fuzz.h"

#include "base/text.h"
#include "func/func.h"
#include "func/text.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum type_id arg;
} template_calls[] = {{"to_timestamp", TYPE_VARCHAR},
                      {"to_date", TYPE_VARCHAR},
                      {"to_number", TYPE_VARCHAR},
                      {"to_char", TYPE_TIMESTAMPTZ},
                      {"to_char", TYPE_TIMESTAMP_NS},
                      {"to_char", TYPE_TIMESTAMP_US},
                      {"to_char", TYPE_DATE},
                      {"to_char", TYPE_INTERVAL},
                      {"to_char", TYPE_NUMERIC},
                      {"to_char", TYPE_DOUBLE},
                      {"to_char", TYPE_REAL},
                      {"to_char", TYPE_BIGINT},
                      {"to_char", TYPE_INTEGER}};

static void must(bool good)
{
    if (!good)
        abort();
}

static void template_again(const struct datum *d, struct arena *arena)
{
    struct datum back;
    struct dn_err err;
    struct buf b;

    buf_init(&b, NULL);
    text_print(d, &b);
    must(!b.failed);
    must(text_parse(
             d->type, (struct vstr){(const char *)b.data, (uint32_t)b.len}, arena, &back, &err) ==
         0);
    must(datum_cmp(d, &back) == 0);
    buf_done(&b);
}

static void template_call(const char *name, const struct datum args[2], struct arena *arena)
{
    enum type_id types[2] = {args[0].type, args[1].type};
    enum type_id casts[2];
    struct func_ctx ctx = {.arena = arena};
    const struct func *f;
    struct vec given[2];
    struct datum d;
    struct dn_err err;
    struct vec v = {.form = VEC_FLAT, .count = 1};

    f = func_find(name, types, 2, casts, 0, &err);
    must(f && casts[0] == types[0] && casts[1] == types[1]);
    v.type = func_result(f, casts, 2);
    must(vec_make_const(arena, &args[0], 1, &given[0]) &&
         vec_make_const(arena, &args[1], 1, &given[1]));
    dn_err_clear(&err);
    if (f->kernel(&ctx, given, 2, 1, &v, &err) < 0) {
        must(err.code != 0 && err.text[0]);
        return;
    }
    if (vec_is_null(&v, 0))
        return;
    fuzz_reached();
    d = vec_datum(&v, 0);
    if (d.type == TYPE_VARCHAR)
        must(text_utf8_valid(d.str.ptr, d.str.len));
    else
        template_again(&d, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data + 1, 0, size - 1) : NULL;
    struct datum args[2];
    struct arena arena;
    struct dn_err err;
    size_t which;

    if (!zero || size > 1024)
        return 0;
    which = data[0] % DN_ARRAY_SIZE(template_calls);
    arena_init(&arena, NULL);
    if (text_parse(TYPE_VARCHAR,
                   (struct vstr){(const char *)data + 1, (uint32_t)(zero - data - 1)},
                   &arena,
                   &args[1],
                   &err) == 0 &&
        text_parse(template_calls[which].arg,
                   (struct vstr){(const char *)zero + 1, (uint32_t)(data + size - zero - 1)},
                   &arena,
                   &args[0],
                   &err) == 0)
        template_call(template_calls[which].name, args, &arena);
    arena_done(&arena);
    return 0;
}
