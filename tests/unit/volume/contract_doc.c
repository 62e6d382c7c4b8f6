/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volumes: documents. */
#include "contract_int.h"

/* -- documents ------------------------------------------------------------------------- */

void documents_change_by_generation(void **state)
{
    struct contract *c = *state;
    uint64_t generation = 77;
    struct buf got;

    buf_init(&got, NULL);
    assert_int_equal(volume_doc_read(c->v, "d", &got, &generation, &c->err), DN_NOT_FOUND);
    assert_int_equal(generation, 0);
    FAILS(c, replace_text(c, "d", "x", 3, &generation), DN_E_CONFLICT, "'d'");
    assert_int_equal(generation, 0);
    OK(c, replace_text(c, "d", "first", 0, &generation));
    doc_is(c, "d", "first", generation);
    FAILS(c, replace_text(c, "d", "x", 0, &generation), DN_E_CONFLICT, "'d'");
    OK(c, replace_text(c, "d", "second, longer", generation, &generation));
    FAILS(c, replace_text(c, "d", "x", generation - 1, &generation), DN_E_CONFLICT, "'d'");
    FAILS(c, replace_text(c, "d", "x", generation + 1, &generation), DN_E_CONFLICT, "'d'");
    contract_reopen(c);
    doc_is(c, "d", "second, longer", generation);
    OK(c, replace_text(c, "d", "", generation, &generation));
    doc_is(c, "d", "", generation);
    OK(c, replace_text(c, "d/e", "other", 0, &generation));
    doc_is(c, "d/e", "other", generation);
    FAILS(c,
          volume_doc_replace(
              c->v, "d", "", (size_t)VOLUME_OBJECT_MAX + 1, generation, &generation, &c->err),
          DN_E_TOO_LONG,
          "'d'");
    buf_done(&got);
}

void large_documents_are_whole(void **state)
{
    enum { SIZE = 2 * 1024 * 1024 + 1 };
    struct contract *c = *state;
    uint8_t *bytes = mem_alloc(NULL, SIZE);
    uint64_t generation;
    struct buf got;

    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 40503u >> 8);
    buf_init(&got, NULL);
    OK(c, volume_doc_replace(c->v, "big", bytes, SIZE, 0, &generation, &c->err));
    contract_reopen(c);
    OK(c, volume_doc_read(c->v, "big", &got, &generation, &c->err));
    assert_int_equal(got.len, SIZE);
    assert_memory_equal(got.data, bytes, SIZE);
    buf_done(&got);
    mem_free(bytes);
}

struct incrementer {
    struct volume *v;
    int failures;
};

/* Adds one to the number in the document, ten times, by compare and swap. */
static void incrementer_run(void *arg)
{
    struct incrementer *me = arg;

    for (int done = 0; done < 10;) {
        uint64_t generation = 0;
        uint8_t bytes[8] = {0};
        struct buf got;
        int rc;

        buf_init(&got, NULL);
        rc = volume_doc_read(me->v, "n", &got, &generation, NULL);
        if (rc == 0 && got.len == 8)
            le_put64(bytes, le_get64(got.data) + 1);
        else if (rc == DN_NOT_FOUND)
            le_put64(bytes, 1);
        else
            me->failures++;
        buf_done(&got);
        rc = volume_doc_replace(me->v, "n", bytes, 8, generation, &generation, NULL);
        if (rc == 0)
            done++;
        else if (rc != DN_E_CONFLICT)
            me->failures++;
        if (me->failures)
            return;
    }
}

void compare_and_swap_loses_nothing(void **state)
{
    struct contract *c = *state;
    struct incrementer tasks[CONTRACT_TASKS];
    uint64_t generation;
    struct buf got;

    for (int i = 0; i < CONTRACT_TASKS; i++)
        tasks[i] = (struct incrementer){.v = c->v};
    run_tasks(c, incrementer_run, tasks, sizeof tasks[0]);
    buf_init(&got, NULL);
    OK(c, volume_doc_read(c->v, "n", &got, &generation, &c->err));
    assert_int_equal(got.len, 8);
    assert_int_equal(le_get64(got.data), CONTRACT_TASKS * 10);
    assert_int_equal(generation, CONTRACT_TASKS * 10);
    for (int i = 0; i < CONTRACT_TASKS; i++)
        assert_int_equal(tasks[i].failures, 0);
    buf_done(&got);
}
