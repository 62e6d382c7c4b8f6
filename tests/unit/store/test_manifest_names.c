/* SPDX-License-Identifier: Apache-2.0
 *
 * test_manifest_names.c: which files of a listing a manifest names. The bytes of the document are
 * tested in tests/golden/test_manifest.c. */
#include "store/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MANY 20000u /* segments; with a comparison of all pairs this takes minutes */

static void add_name(struct volume_names *names, const char *name)
{
    assert_true(names->count < names->cap);
    (void)snprintf(names->names[names->count++], sizeof *names->names, "%s", name);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void sort_names(struct volume_names *names)
{
    qsort(names->names, names->count, sizeof *names->names, by_bytes);
}

/* Every second segment of the listing is named. */
static void many_segments(void **state)
{
    struct volume_names names = {.cap = MANY};
    struct manifest m;
    char name[VOLUME_NAME_MAX + 1];

    (void)state;
    manifest_init(&m, NULL);
    names.names = mem_calloc(NULL, MANY, sizeof *names.names);
    assert_non_null(names.names);
    for (uint64_t id = 1; id <= MANY; id++) {
        seg_name(id % 7, id, name);
        add_name(&names, name);
        if (id % 2) {
            struct seg_meta meta = {.id = id, .table_id = id % 7};
            assert_int_equal(manifest_add_seg(&m, &meta, NULL), DN_OK);
        }
    }
    sort_names(&names);
    manifest_keep_unnamed(&m, VOLUME_OBJECT, &names);
    assert_int_equal(names.count, MANY / 2);
    for (size_t i = 0; i < names.count; i++) {
        uint64_t id = strtoull(strrchr(names.names[i], '/') + 1, NULL, 16);
        assert_int_equal(id % 2, 0);
        assert_true(i == 0 || strcmp(names.names[i - 1], names.names[i]) < 0);
    }
    mem_free(names.names);
    manifest_done(&m);
}

static void chunks_and_strangers(void **state)
{
    struct manifest_chunk chunk = {.epoch = 3, .number = 9};
    struct volume_names names = {.cap = 3};
    struct manifest m;
    char name[VOLUME_NAME_MAX + 1];

    (void)state;
    manifest_init(&m, NULL);
    assert_int_equal(manifest_add_chunk(&m, chunk.epoch, chunk.number, NULL), DN_OK);
    names.names = mem_calloc(NULL, names.cap, sizeof *names.names);
    assert_non_null(names.names);
    manifest_chunk_name(&chunk, name);
    add_name(&names, name);
    chunk.number = 8;
    manifest_chunk_name(&chunk, name);
    add_name(&names, name);
    add_name(&names, "log/0/zzz");
    sort_names(&names);
    manifest_keep_unnamed(&m, VOLUME_LOG, &names);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], name);
    assert_string_equal(names.names[1], "log/0/zzz");
    names.count = 0;
    manifest_keep_unnamed(&m, VOLUME_LOG, &names); /* an empty listing */
    assert_int_equal(names.count, 0);
    mem_free(names.names);
    manifest_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_segments),
        cmocka_unit_test(chunks_and_strangers),
    };

    return cmocka_run_group_tests_name("manifest_names", tests, NULL, NULL);
}
