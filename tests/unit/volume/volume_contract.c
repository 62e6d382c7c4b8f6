/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volume.h as tests: set-up of each test and short forms for all of them. The tests
 * are in contract_*.c, their list in contract_list.h. */
#include "contract_int.h"

static const struct contract_factory *contract_factory_now; /* for the setup of each test */

static void contract_open(struct contract *c)
{
    if (c->factory->open(c->place, &c->v, &c->err) < 0)
        fail_msg("open: %s", c->err.text);
}

void contract_reopen(struct contract *c)
{
    volume_close(c->v);
    c->v = NULL;
    contract_open(c);
}

static int contract_setup(void **state)
{
    struct contract *c;
    size_t used = mem_process_used();

    c = mem_calloc(NULL, 1, sizeof *c);
    if (!c)
        return -1;
    c->used_before = used;
    c->factory = contract_factory_now;
    c->place = c->factory->place_new();
    if (!c->place)
        return -1;
    contract_open(c);
    *state = c;
    return 0;
}

static int contract_teardown(void **state)
{
    struct contract *c = *state;
    size_t used;

    volume_close(c->v);
    c->factory->place_free(c->place);
    used = c->used_before;
    mem_free(c);
    if (mem_process_used() != used) {
        print_error("%zu bytes leaked\n", mem_process_used() - used);
        return -1;
    }
    return 0;
}

/* -- short forms ----------------------------------------------------------- */

void contract_ok(struct contract *c, int rc, const char *call, int line)
{
    if (rc != 0)
        fail_msg("line %d: %s gave %d: %s", line, call, rc, c->err.text);
}

int put_text(struct contract *c, const char *name, const char *text)
{
    return volume_put(c->v, name, text, strlen(text), &c->err);
}

int append_text(struct contract *c, const char *name, uint64_t epoch, const char *text)
{
    return volume_log_append(c->v, name, epoch, text, strlen(text), &c->err);
}

int replace_text(struct contract *c,
                 const char *name,
                 const char *text,
                 uint64_t generation,
                 uint64_t *ret_generation)
{
    return volume_doc_replace(c->v, name, text, strlen(text), generation, ret_generation, &c->err);
}

void object_is(struct contract *c, const char *name, const char *want)
{
    char got[4096];
    uint64_t size = 0;
    struct volume_range range = {.offset = 0, .len = (uint32_t)strlen(want), .to = got};

    OK(c, volume_size(c->v, name, &size, &c->err));
    assert_int_equal(size, strlen(want));
    OK(c, volume_read(c->v, name, &range, 1, &c->err));
    assert_memory_equal(got, want, strlen(want));
}

void log_is(struct contract *c, const char *name, uint64_t offset, const char *want)
{
    struct buf got;

    buf_init(&got, NULL);
    buf_puts(&got, "<"); /* what is there stays */
    OK(c, volume_log_read(c->v, name, offset, &got, &c->err));
    assert_int_equal(got.len, strlen(want) + 1);
    assert_memory_equal(got.data + 1, want, strlen(want));
    assert_int_equal(got.data[0], '<');
    buf_done(&got);
}

void doc_is(struct contract *c, const char *name, const char *want, uint64_t generation)
{
    uint64_t got_generation = 99;
    struct buf got;

    buf_init(&got, NULL);
    OK(c, volume_doc_read(c->v, name, &got, &got_generation, &c->err));
    assert_int_equal(got_generation, generation);
    assert_int_equal(got.len, strlen(want));
    if (got.len > 0)
        assert_memory_equal(got.data, want, strlen(want));
    buf_done(&got);
}

static void names_are(struct volume_names *names, const char *want)
{
    char got[4096] = "";

    for (size_t i = 0; i < names->count; i++) {
        size_t n = strlen(got);
        (void)snprintf(got + n, sizeof got - n, "%s%s", i ? " " : "", names->names[i]);
    }
    volume_names_done(names);
    assert_string_equal(got, want);
}

void objects_are(struct contract *c, const char *prefix, const char *want)
{
    struct volume_names names = {0};

    OK(c, volume_list(c->v, prefix, &names, &c->err));
    names_are(&names, want);
}

void logs_are(struct contract *c, const char *prefix, const char *want)
{
    struct volume_names names = {0};

    OK(c, volume_log_list(c->v, prefix, &names, &c->err));
    names_are(&names, want);
}

void run_tasks(struct contract *c, sched_fn fn, void *args, size_t arg_size)
{
    struct sched_task *tasks[CONTRACT_TASKS];

    for (size_t i = 0; i < CONTRACT_TASKS; i++)
        OK(c,
           sched_spawn(c->v->sched, "task", fn, (char *)args + i * arg_size, &tasks[i], &c->err));
    for (size_t i = 0; i < CONTRACT_TASKS; i++)
        sched_join(tasks[i]);
}

int volume_contract_run(const struct contract_factory *factory)
{
    static const struct CMUnitTest tests[] = {
#define CONTRACT(test) {#test, test, contract_setup, contract_teardown, NULL},
#include "contract_list.h"
#undef CONTRACT
    };

    contract_factory_now = factory;
    return cmocka_run_group_tests_name(factory->name, tests, NULL, NULL);
}
