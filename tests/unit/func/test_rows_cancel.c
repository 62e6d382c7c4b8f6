/* SPDX-License-Identifier: Apache-2.0
 *
 * What takes an array apart into rows looks for cancel while it does, not only between batches of
 * rows: an array may have millions of elements. */
#include "func/rowfunc.h"
#include "func/session.h"
#include "vec/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"unnest", "generate_subscripts", "_pg_expandarray"};

static bool takes_apart(const struct rowfunc *f)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++)
        if (strcmp(f->name, names[i]) == 0)
            return true;
    return false;
}

static int start(const struct rowfunc *f, atomic_bool *cancel, struct arena *arena)
{
    const struct func_session session = {.cancel = cancel};
    struct datum items[2] = {{.type = TYPE_INTEGER, .v.i64 = 7}, {.type = TYPE_INTEGER}};
    struct varray a = varray_flat(TYPE_INTEGER, items, DN_ARRAY_SIZE(items));
    struct datum args[FUNC_ARGS_MAX] = {{.type = type_array_of(TYPE_INTEGER)}};
    struct rowfunc_call c = {.fn = f,
                             .type = TYPE_INTEGER,
                             .state = arena_calloc(arena, 1, f->state_size + 1),
                             .args = args,
                             .args_count = f->args_count,
                             .run = arena,
                             .session = &session};
    struct dn_err err;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    varray_write(&a, NULL, &b);
    assert_false(b.failed);
    args[0].str = (struct vstr){(const char *)b.data, (uint32_t)b.len};
    for (uint32_t i = 1; i < f->args_count; i++)
        args[i] = (struct datum){.type = f->args[i], .v.i64 = 1};
    rc = f->start(&c, &err);
    buf_done(&b);
    return rc;
}

static void test_apart(void **state)
{
    atomic_bool cancel = false;
    const struct rowfunc *f;
    struct arena arena;
    uint32_t found = 0;

    (void)state;
    arena_init(&arena, NULL);
    for (uint32_t i = 0; (f = rowfunc_at(i)); i++) {
        if (!takes_apart(f))
            continue;
        atomic_store(&cancel, false);
        assert_int_equal(start(f, &cancel, &arena), 0);
        atomic_store(&cancel, true);
        assert_int_equal(start(f, &cancel, &arena), DN_E_CANCELED);
        found++;
    }
    arena_done(&arena);
    assert_true(found >= DN_ARRAY_SIZE(names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),
    };

    return cmocka_run_group_tests_name("rows_cancel", tests, NULL, NULL);
}
