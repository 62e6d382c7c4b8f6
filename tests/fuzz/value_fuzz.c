/* SPDX-License-Identifier: Apache-2.0
 *
 * value_fuzz.c: texts of values. The first byte picks the type (dates, times, intervals, decimal
 * and other numbers, bits, uuids, …), the rest is the text. What is read prints, in each style, and
 * what it prints in the plain one reads as the same value; what is refused has a reason. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum type_id types[] = {
        TYPE_BOOLEAN,      TYPE_SMALLINT, TYPE_INTEGER, TYPE_BIGINT,    TYPE_REAL,
        TYPE_DOUBLE,       TYPE_VARCHAR,  TYPE_BLOB,    TYPE_TIMESTAMP, TYPE_TIMESTAMP_US,
        TYPE_TIMESTAMP_NS, TYPE_INTERVAL, TYPE_DATE,    TYPE_TIME,      TYPE_TIMESTAMPTZ,
        TYPE_UUID,         TYPE_NUMERIC,  TYPE_BPCHAR,  TYPE_TIMETZ,    TYPE_BIT,
        TYPE_VARBIT,       TYPE_OID};
    struct dn_err err;
    struct datum d, back;
    struct arena arena;
    struct buf b;

    if (size < 1 || size > 4096)
        return 0;
    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    if (text_parse(types[data[0] % DN_ARRAY_SIZE(types)],
                   (struct vstr){(const char *)data + 1, (uint32_t)size - 1},
                   &arena,
                   &d,
                   &err) < 0) {
        must(err.code != 0 && err.text[0]);
    } else {
        fuzz_reached();
        text_print(&d, &b);
        must(!b.failed);
        must(text_parse(d.type,
                        (struct vstr){b.len ? (const char *)b.data : "", (uint32_t)b.len},
                        &arena,
                        &back,
                        &err) == 0);
        must(datum_cmp(&d, &back) == 0);
    }
    buf_done(&b);
    arena_done(&arena);
    return 0;
}
