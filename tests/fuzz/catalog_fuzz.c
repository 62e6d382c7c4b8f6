/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_fuzz.c: the catalog document. What parses keeps every invariant, prints, and parses to
 * the same text again; every definition in it prints as a statement. */
#include "fuzz.h"

#include "catalog/catalog.h"
#include "catalog/describe.h"
#include "catalog/table_int.h"

static void fuzz_table(const struct catalog *c, const struct table *t)
{
    struct arena arena;
    struct describe d;

    DN_ASSERT(table_check(t, NULL) == 0);
    arena_init(&arena, NULL);
    DN_ASSERT(describe_table(c, t, &arena, &d, NULL) == 0);
    DN_ASSERT(describe_status(c, t, NULL, &arena, &d, NULL) == 0);
    DN_ASSERT(describe_create(NULL, t, &arena, &d, NULL) == 0);
    arena_done(&arena);
    for (int64_t time = -1; time <= 1; time++) {
        int64_t slab = table_slab(t, time);

        DN_ASSERT(slab <= time || t->time_col < 0);
        DN_ASSERT(table_slab(t, slab) == slab);
        DN_ASSERT(table_slab_end(t, slab) > time);
        DN_ASSERT(table_quantum(t, time) <= time);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct catalog *c = NULL;
    struct catalog *again = NULL;
    struct buf one;
    struct buf two;
    struct dn_err err = {0};
    int rc = catalog_parse(data, size, &c, &err);

    if (rc < 0) {
        DN_ASSERT(rc == DN_E_CORRUPT || rc == DN_E_VERSION);
        DN_ASSERT(err.text[0] != '\0');
        return 0;
    }
    fuzz_reached();
    for (size_t i = 0; i < c->tables_count; i++)
        fuzz_table(c, c->tables[i]);
    buf_init(&one, NULL);
    buf_init(&two, NULL);
    DN_ASSERT(catalog_print(c, &one, NULL) == 0);
    DN_ASSERT(catalog_parse(one.data, one.len, &again, NULL) == 0);
    DN_ASSERT(catalog_print(again, &two, NULL) == 0);
    DN_ASSERT(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
    buf_done(&one);
    buf_done(&two);
    catalog_unref(again);
    catalog_unref(c);
    return 0;
}
