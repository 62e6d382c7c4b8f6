/* SPDX-License-Identifier: Apache-2.0
 *
 * The lists of relations, types and functions of the system: no number is there twice, every
 * relation is found by its name and has columns, and users' objects have other numbers. */
#include "system/system_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NUMBERS_MAX 4096

struct numbers {
    uint32_t oid[NUMBERS_MAX];
    const char *name[NUMBERS_MAX];
    size_t count;
};

/* Numbers are unique in each kind of object, as each relation of PostgreSQL's catalog has its own.
 */
static void numbers_add(struct numbers *n, uint32_t oid, const char *name)
{
    assert_true(n->count < NUMBERS_MAX);
    for (size_t i = 0; i < n->count; i++)
        if (n->oid[i] == oid)
            fail_msg("%s and %s have the number %u", n->name[i], name, (unsigned)oid);
    n->oid[n->count] = oid;
    n->name[n->count++] = name;
}

static void test_relation_numbers(void **state)
{
    static struct numbers n;
    const struct sys_relation *r;

    (void)state;
    for (size_t i = 0; (r = sys_relation_at(i)); i++) {
        assert_non_null(strchr("rvRVf", r->kind));
        assert_int_equal(r->oid == 0, r->kind == 'f');
        assert_true(r->oid < SYS_OIDS);
        if (r->oid)
            numbers_add(&n, r->oid, r->name);
    }
    assert_true(n.count > 100);
}

static void test_relation_names(void **state)
{
    const struct sys_relation *r;

    (void)state;
    for (size_t i = 0; (r = sys_relation_at(i)); i++) {
        struct sys_column *cols = NULL;
        uint32_t count = 0;
        struct arena arena;

        assert_true(sys_is_schema(r->schema));
        if (r->kind == 'f')
            assert_ptr_equal(sys_find_function(r->name), r);
        else
            assert_ptr_equal(sys_find(r->schema, r->name), r);
        if (r->kind != 'f' && strcmp(r->schema, "pg_catalog") == 0)
            assert_ptr_equal(sys_find(NULL, r->name), r);
        arena_init(&arena, NULL);
        assert_int_equal(sys_columns(r, &arena, &cols, &count, NULL), 0);
        assert_true(count > 0);
        for (uint32_t k = 0; k < count; k++) {
            assert_int_not_equal(cols[k].type, TYPE_NONE);
            for (uint32_t l = 0; l < k; l++)
                if (strcmp(cols[k].name, cols[l].name) == 0)
                    fail_msg("%s has two columns %s", r->name, cols[k].name);
        }
        arena_done(&arena);
    }
    assert_null(sys_find("information_schema", "pg_class"));
    assert_null(sys_find(NULL, "columns"));
    assert_null(sys_find("public", "pg_class"));
}

static void test_schema_numbers(void **state)
{
    static struct numbers n;

    (void)state;
    numbers_add(&n, sys_schema_oid("pg_catalog"), "pg_catalog");
    numbers_add(&n, sys_schema_oid("information_schema"), "information_schema");
    numbers_add(&n, sys_schema_oid("public"), "public");
}

static void test_type_numbers(void **state)
{
    static struct numbers n;
    const struct sys_type *t;

    (void)state;
    for (size_t i = 0; (t = sys_type_at(i)); i++) {
        assert_true(t->oid > 0 && t->oid < SYS_OIDS);
        numbers_add(&n, t->oid, t->name);
    }
    assert_true(n.count > 40);
}

static void test_function_numbers(void **state)
{
    static struct numbers n;
    struct sys_procs it = {.kind = 0};
    struct sys_proc p;

    (void)state;
    while (sys_proc_next(&it, &p))
        numbers_add(&n, p.oid, p.name);
    assert_true(n.count > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relation_numbers),
        cmocka_unit_test(test_relation_names),
        cmocka_unit_test(test_schema_numbers),
        cmocka_unit_test(test_type_numbers),
        cmocka_unit_test(test_function_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
