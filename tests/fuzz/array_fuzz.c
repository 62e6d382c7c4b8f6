/* SPDX-License-Identifier: Apache-2.0
 *
 * array_fuzz.c: arrays from text and from stored bytes. The first byte says the type of the
 * elements and which of the two the rest is. What is read as an array prints, and what it prints
 * reads as the same bytes; bytes that are no array are refused. */
#include "fuzz.h"

#include "func/text.h"
#include "vec/array.h"

#include <stdlib.h>
#include <string.h>

static void must(bool good)
{
    if (!good)
        abort();
}

/* Prints the value and reads what was printed. */
static void again(const struct datum *d, struct arena *arena)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum type_id types[] = {TYPE_INTEGER,
                                         TYPE_VARCHAR,
                                         TYPE_BOOLEAN,
                                         TYPE_NUMERIC,
                                         TYPE_INTERVAL,
                                         TYPE_TIMESTAMP,
                                         TYPE_BLOB,
                                         TYPE_UUID};
    struct arena arena;
    struct dn_err err;
    enum type_id elem;
    struct vstr s;
    struct datum d;

    if (size == 0 || size > 4096)
        return 0;
    elem = types[data[0] % 8];
    s = (struct vstr){(const char *)data + 1, (uint32_t)(size - 1)};
    arena_init(&arena, NULL);
    if (data[0] & 0x80) {
        struct varray a;

        /* Bytes need not be what the writer makes: they are only taken apart, or refused. */
        if (varray_read(s, elem, NULL, &arena, &a) == 0) {
            fuzz_reached();
            must(a.dims <= VARRAY_DIMS_MAX && (a.dims == 0) == (a.count == 0));
        }
        must(varray_key(type_array_of(elem), s).len <= s.len);
    } else if (text_parse(type_array_of(elem), s, &arena, &d, &err) == 0) {
        struct varray a;

        fuzz_reached();
        must(varray_read(d.str, elem, NULL, &arena, &a) == 0);
        again(&d, &arena);
    }
    arena_done(&arena);
    return 0;
}
