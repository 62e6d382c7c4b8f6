/* SPDX-License-Identifier: Apache-2.0
 *
 * Fault sweep: the n-th allocation fails, n = 1, 2, 3 … until a run gets through. Each failed run
 * says DN_E_NOMEM, leaves no byte behind and changes nothing. The same for storage calls. */
#include "spec_text.h"

#include "catalog/catalog.h"
#include "catalog/describe.h"
#include "volume/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FAULTS_MAX 100000u

static const char big_table[] =
    "CREATE TABLE public.big (a VARCHAR NOT NULL, b BLOB NOT NULL, t TIMESTAMP NOT NULL, c VARCHAR "
    "NOT NULL DEFAULT 'text', d BLOB DEFAULT X'0102', e DOUBLE DEFAULT 0.5, PRIMARY KEY ((a, b, "
    "QUANTUM(t, 15, 'm')), a, b, t DESC, c)) WITH (slab = '7d', upsert = 'field', comment = 'x', "
    "n_val = 3)";

struct sweep {
    struct spec_text spec;
    struct catalog *base; /* an empty one */
    struct catalog *full; /* with the table */
    char doc[64 * 1024];  /* of full */
    size_t doc_len;
    struct sim_disk *disk;
    struct volume *volume; /* holds doc */
    struct table *table;
};

/* One run; what it made is let go of. */
typedef int (*sweep_fn)(struct sweep *s, struct dn_err *err);

static void sweep(struct sweep *s, sweep_fn fn, bool sticky)
{
    size_t used = mem_process_used();

    for (uint64_t n = 1;; n++) {
        struct dn_err err = {0};
        bool hit;
        int rc;

        assert_true(n < FAULTS_MAX);
        mem_fail_nth(n, sticky);
        rc = fn(s, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        if (mem_process_used() != used)
            fail_msg("allocation %u failed: %zd bytes leak",
                     (unsigned)n,
                     (ssize_t)(mem_process_used() - used));
        if (!hit) {
            assert_int_equal(rc, 0);
            assert_true(n > 1);
            return;
        }
        if (rc != DN_E_NOMEM || err.code != DN_E_NOMEM || strcmp(err.sqlstate, "53200") != 0)
            fail_msg("allocation %u failed: %s %s", (unsigned)n, dn_code_name(rc), err.text);
    }
}

static int run_build(struct sweep *s, struct dn_err *err)
{
    struct table *t = NULL;
    int rc = table_build(&s->spec.spec, &t, err);

    if (rc == 0)
        table_unref(t);
    return rc;
}

static int run_parse(struct sweep *s, struct dn_err *err)
{
    struct catalog *c = NULL;
    int rc = catalog_parse(s->doc, s->doc_len, &c, err);

    if (rc == 0)
        catalog_unref(c);
    return rc;
}

static int run_print(struct sweep *s, struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    rc = catalog_print(s->full, &b, err);
    if (rc == 0)
        assert_memory_equal(b.data, s->doc, s->doc_len);
    buf_done(&b);
    return rc;
}

static int run_with_table(struct sweep *s, struct dn_err *err)
{
    struct catalog *c = NULL;
    int rc = catalog_with_table(s->base, s->table, &c, err);

    assert_int_equal(s->base->tables_count, 0);
    if (rc == 0)
        catalog_unref(c);
    return rc;
}

static int run_without_table(struct sweep *s, struct dn_err *err)
{
    struct catalog *c = NULL;
    int rc = catalog_without_table(s->full, s->full->tables[0]->id, &c, err);

    assert_int_equal(s->full->tables_count, 1);
    if (rc == 0)
        catalog_unref(c);
    return rc;
}

static int run_schemas(struct sweep *s, struct dn_err *err)
{
    struct catalog *with = NULL;
    struct catalog *without = NULL;
    int rc = catalog_with_schema(s->full, "new", "{}", &with, err);

    if (rc < 0)
        return rc;
    rc = catalog_without_schema(with, "new", &without, err);
    if (rc == 0)
        catalog_unref(without);
    catalog_unref(with);
    return rc;
}

static int run_load(struct sweep *s, struct dn_err *err)
{
    struct catalog *c = NULL;
    int rc = catalog_load(s->volume, &c, err);

    if (rc == 0) {
        assert_int_equal(c->tables_count, 1);
        catalog_unref(c);
    }
    return rc;
}

static int run_describe(struct sweep *s, struct dn_err *err)
{
    static const struct catalog_path public_path = {.schema = "public"};
    const struct table *t = s->full->tables[0];
    static const struct describe_setting setting = {"workers", "1", "Threads."};
    struct arena arena;
    struct describe d;
    int rc;

    arena_init(&arena, NULL);
    rc = describe_table(s->full, t, &arena, &d, err);
    if (rc == 0)
        rc = describe_status(s->full, t, NULL, &arena, &d, err);
    if (rc == 0)
        rc = describe_create(NULL, t, &arena, &d, err);
    if (rc == 0)
        rc = describe_tables(s->full, 0, &public_path, &arena, &d, err);
    if (rc == 0)
        rc = describe_schemas(s->full, &arena, &d, err);
    if (rc == 0)
        rc = describe_settings(&setting, 1, &arena, &d, err);
    arena_done(&arena);
    return rc;
}

static int setup(void **state)
{
    static const char doc[] =
        "{\"format\": 1, \"version\": 0, \"table_id_next\": 1, \"schemas\": [{\"name\": "
        "\"public\", \"replication\": \"\"}], \"tables\": []}";
    struct sweep *s = calloc(1, sizeof *s);
    struct buf b;

    assert_non_null(s);
    s->disk = sim_disk_new(1);
    spec_text_parse(&s->spec, big_table);
    assert_int_equal(table_build(&s->spec.spec, &s->table, NULL), 0);
    assert_int_equal(catalog_parse(doc, sizeof doc - 1, &s->base, NULL), 0);
    assert_int_equal(catalog_with_table(s->base, s->table, &s->full, NULL), 0);
    buf_init(&b, NULL);
    assert_int_equal(catalog_print(s->full, &b, NULL), 0);
    assert_true(b.len < sizeof s->doc);
    memcpy(s->doc, b.data, b.len);
    s->doc_len = b.len;
    buf_done(&b);
    assert_int_equal(sim_volume_open(s->disk, 1, &s->volume, NULL), 0);
    assert_int_equal(catalog_save(s->volume, s->full, NULL), 0);
    state[0] = s;
    return 0;
}

static void test_memory(void **state)
{
    static const sweep_fn runs[] = {run_build,
                                    run_parse,
                                    run_print,
                                    run_with_table,
                                    run_without_table,
                                    run_schemas,
                                    run_load,
                                    run_describe};

    for (size_t i = 0; i < DN_ARRAY_SIZE(runs); i++) {
        sweep(*state, runs[i], false);
        sweep(*state, runs[i], true);
    }
}

/* A save that fails leaves the old document or the new one, never half of one; the catalog in
 * memory can be saved again after a look at what is there. */
static void test_storage(void **state)
{
    static const enum sim_fault faults[] = {SIM_FAULT_IO, SIM_FAULT_NOSPC};
    struct sweep *s = *state;

    for (size_t f = 0; f < DN_ARRAY_SIZE(faults); f++) {
        for (uint64_t n = 1;; n++) {
            struct sim_disk *disk = sim_disk_new(n);
            struct catalog *first = NULL;
            struct catalog *now = NULL;
            struct volume *v = NULL;
            struct dn_err err = {0};
            bool hit;
            int rc;

            assert_true(n < 100);
            assert_int_equal(sim_volume_open(disk, n, &v, &err), 0);
            assert_int_equal(catalog_load(v, &first, &err), 0);
            sim_disk_fail_nth(disk, n, faults[f], false);
            rc = catalog_save(v, first, &err);
            hit = sim_disk_fail_hit(disk);
            sim_disk_fail_nth(disk, 0, SIM_FAULT_NONE, false);
            assert_int_equal(catalog_load(v, &now, &err), 0);
            assert_int_equal(now->tables_count, 0);
            if (hit)
                assert_true(rc == DN_E_IO || rc == DN_E_NOSPC);
            else
                assert_int_equal(now->generation, first->generation);
            catalog_unref(first);
            catalog_unref(now);
            volume_close(v);
            sim_disk_free(disk);
            if (!hit)
                break;
        }
    }
    assert_non_null(s);
}

static int teardown(void **state)
{
    struct sweep *s = *state;

    volume_close(s->volume);
    sim_disk_free(s->disk);
    catalog_unref(s->base);
    catalog_unref(s->full);
    table_unref(s->table);
    free(s);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_storage),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
