/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volume.h as tests. Tasks do not use cmocka's asserts, which belong to the main
 * thread: they note what they find, and the test looks at it. */
#include "volume_contract.h"

#include "base/mem.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS    UINT64_C(1000000)
#define TASKS 8

struct contract {
    const struct contract_factory *factory;
    void *place;
    struct volume *v;   /* open during the test */
    struct dn_err err;  /* of the last call */
    size_t used_before; /* bytes of memory before the test */
};

static const struct contract_factory *contract_factory_now; /* for the setup of each test */

static void contract_open(struct contract *c)
{
    if (c->factory->open(c->place, &c->v, &c->err) < 0)
        fail_msg("open: %s", c->err.text);
}

static void contract_reopen(struct contract *c)
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

/* -- short forms ------------------------------------------------------------------- */

#define OK(c, call) contract_ok((c), (call), #call, __LINE__)

static void contract_ok(struct contract *c, int rc, const char *call, int line)
{
    if (rc != 0)
        fail_msg("line %d: %s gave %d: %s", line, call, rc, c->err.text);
}

/* The call failed with the code, the text names the thing, nothing is left of older errors. */
#define FAILS(c, call, want, word)                                      \
    do {                                                                \
        dn_err_clear(&(c)->err);                                        \
        assert_int_equal((call), (want));                               \
        assert_int_equal((c)->err.code, (want));                        \
        if (!strstr((c)->err.text, (word)))                             \
            fail_msg("'%s' does not name '%s'", (c)->err.text, (word)); \
    } while (0)

static int put_text(struct contract *c, const char *name, const char *text)
{
    return volume_put(c->v, name, text, strlen(text), &c->err);
}

static int append_text(struct contract *c, const char *name, uint64_t epoch, const char *text)
{
    return volume_log_append(c->v, name, epoch, text, strlen(text), &c->err);
}

static int replace_text(struct contract *c,
                        const char *name,
                        const char *text,
                        uint64_t generation,
                        uint64_t *ret_generation)
{
    return volume_doc_replace(c->v, name, text, strlen(text), generation, ret_generation, &c->err);
}

static void object_is(struct contract *c, const char *name, const char *want)
{
    char got[4096];
    uint64_t size = 0;
    struct volume_range range = {.offset = 0, .len = (uint32_t)strlen(want), .to = got};

    OK(c, volume_size(c->v, name, &size, &c->err));
    assert_int_equal(size, strlen(want));
    OK(c, volume_read(c->v, name, &range, 1, &c->err));
    assert_memory_equal(got, want, strlen(want));
}

static void log_is(struct contract *c, const char *name, uint64_t offset, const char *want)
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

static void doc_is(struct contract *c, const char *name, const char *want, uint64_t generation)
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

static void objects_are(struct contract *c, const char *prefix, const char *want)
{
    struct volume_names names = {0};

    OK(c, volume_list(c->v, prefix, &names, &c->err));
    names_are(&names, want);
}

static void logs_are(struct contract *c, const char *prefix, const char *want)
{
    struct volume_names names = {0};

    OK(c, volume_log_list(c->v, prefix, &names, &c->err));
    names_are(&names, want);
}

static void run_tasks(struct contract *c, sched_fn fn, void *args, size_t arg_size)
{
    struct sched_task *tasks[TASKS];

    for (size_t i = 0; i < TASKS; i++)
        OK(c,
           sched_spawn(c->v->sched, "task", fn, (char *)args + i * arg_size, &tasks[i], &c->err));
    for (size_t i = 0; i < TASKS; i++)
        sched_join(tasks[i]);
}

/* -- names --------------------------------------------------------------------------- */

static void bad_names_are_refused_everywhere(void **state)
{
    static const char *const bad[] = {
        "",
        "/a",
        "a/",
        "a//b",
        "A",
        "a b",
        ".",
        "..",
        "a/../b",
        "./a",
        "a/.",
        "\xc3\xa4",
        "a\n",
        "a~b",
        "a*",
        "a:b",
    };
    struct contract *c = *state;
    char long_name[VOLUME_NAME_MAX + 2];
    struct volume_read read = {.name = "A"};
    struct volume_names names = {0};
    struct buf got;
    uint64_t n = 0;

    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
        FAILS(c, put_text(c, bad[i], "x"), DN_E_BAD_NAME, bad[i]);
    FAILS(c, put_text(c, long_name, "x"), DN_E_BAD_NAME, "200");
    buf_init(&got, NULL);
    FAILS(c, volume_size(c->v, "A", &n, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_read(c->v, "A", NULL, 0, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_read_submit(c->v, &read, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_delete(c->v, "A", &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_list(c->v, "A", &names, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_create(c->v, "A", 1, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_append(c->v, "A", 1, "", 0, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_append_nosync(c->v, "A", 1, "", 0, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_sync(c->v, "A", 1, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_fence(c->v, "A", 1, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_read(c->v, "A", 0, &got, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_delete(c->v, "A", &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_log_list(c->v, "A", &names, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_doc_read(c->v, "A", &got, &n, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_doc_replace(c->v, "A", "", 0, 0, &n, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_lease_acquire(c->v, "A", "me", 1, &c->err), DN_E_BAD_NAME, "A");
    FAILS(c, volume_scan(c->v, "A", NULL, NULL, &c->err), DN_E_BAD_NAME, "A");
    buf_done(&got);
    objects_are(c, "", "");
}

static void all_good_names_are_taken(void **state)
{
    static const char *const good[] = {
        "-", ".a", "..a", "0", "a", "a.b-c_d/e", "a/b", "a/b/c", "a..", "tmp-1", "lock", "format"};
    struct contract *c = *state;
    char long_name[VOLUME_NAME_MAX + 1];

    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    for (int slash = 0; slash < 2; slash++) {
        OK(c, put_text(c, long_name, "long"));
        object_is(c, long_name, "long");
        objects_are(c, "x", long_name);
        OK(c, volume_delete(c->v, long_name, &c->err));
        for (int i = 1; i < VOLUME_NAME_MAX - 1; i += 2)
            long_name[i] = '/';
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(good); i++)
        OK(c, put_text(c, good[i], good[i]));
    contract_reopen(c);
    for (size_t i = 0; i < DN_ARRAY_SIZE(good); i++)
        object_is(c, good[i], good[i]);
    objects_are(c, "", "- ..a .a 0 a a.. a.b-c_d/e a/b a/b/c format lock tmp-1");
    objects_are(c, "a", "a a.. a.b-c_d/e a/b a/b/c");
    objects_are(c, "a/", "a/b a/b/c");
    objects_are(c, "a/b", "a/b a/b/c");
    objects_are(c, "zz", "");
}

static void name_spaces_are_apart(void **state)
{
    struct contract *c = *state;
    uint64_t generation;

    OK(c, put_text(c, "same", "object"));
    OK(c, volume_log_create(c->v, "same", 1, &c->err));
    OK(c, append_text(c, "same", 1, "log"));
    OK(c, replace_text(c, "same", "document", 0, &generation));
    object_is(c, "same", "object");
    log_is(c, "same", 0, "log");
    doc_is(c, "same", "document", 1);
    OK(c, volume_delete(c->v, "same", &c->err));
    log_is(c, "same", 0, "log");
    OK(c, volume_log_delete(c->v, "same", &c->err));
    doc_is(c, "same", "document", 1);
}

/* -- objects --------------------------------------------------------------------------- */

static void objects_are_written_once(void **state)
{
    struct contract *c = *state;
    uint64_t size;

    OK(c, put_text(c, "t/1", "first"));
    FAILS(c, put_text(c, "t/1", "second"), DN_E_EXISTS, "t/1");
    object_is(c, "t/1", "first");
    OK(c, volume_put(c->v, "empty", NULL, 0, &c->err));
    object_is(c, "empty", "");
    contract_reopen(c);
    FAILS(c, put_text(c, "t/1", "second"), DN_E_EXISTS, "t/1");
    object_is(c, "t/1", "first");
    object_is(c, "empty", "");
    OK(c, volume_delete(c->v, "t/1", &c->err));
    assert_int_equal(volume_delete(c->v, "t/1", &c->err), DN_NOT_FOUND);
    FAILS(c, volume_size(c->v, "t/1", &size, &c->err), DN_E_NO_OBJECT, "t/1");
    FAILS(c, volume_read(c->v, "t/1", NULL, 0, &c->err), DN_E_NO_OBJECT, "t/1");
    objects_are(c, "", "empty");
    OK(c, put_text(c, "t/1", "third")); /* a deleted name is free */
    contract_reopen(c);
    object_is(c, "t/1", "third");
    FAILS(c,
          volume_put(c->v, "big", "", (size_t)VOLUME_OBJECT_MAX + 1, &c->err),
          DN_E_TOO_LONG,
          "big");
}

static void ranges_are_read_exactly(void **state)
{
    enum { SIZE = 3 * 1024 * 1024 + 17 };
    struct contract *c = *state;
    uint8_t *bytes = mem_alloc(NULL, SIZE);
    uint8_t *got = mem_calloc(NULL, 1, SIZE);
    struct volume_range ranges[] = {
        {.offset = 0, .len = SIZE, .to = got},
        {.offset = 5, .len = 0, .to = NULL},
        {.offset = SIZE, .len = 0, .to = NULL},
    };
    struct volume_range small[3];
    uint8_t pieces[3][64];

    assert_non_null(bytes);
    assert_non_null(got);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 16);
    OK(c, volume_put(c->v, "big", bytes, SIZE, &c->err));
    contract_reopen(c);
    OK(c, volume_read(c->v, "big", ranges, 3, &c->err));
    assert_memory_equal(got, bytes, SIZE);
    for (size_t i = 0; i < 3; i++) { /* backwards, overlapping */
        small[i].offset = SIZE - 64 - i * 40;
        small[i].len = 64;
        small[i].to = pieces[i];
    }
    OK(c, volume_read(c->v, "big", small, 3, &c->err));
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(pieces[i], bytes + small[i].offset, 64);
    small[1].offset = SIZE - 63;
    FAILS(c, volume_read(c->v, "big", small, 3, &c->err), DN_E_CORRUPT, "big");
    small[1].offset = UINT64_MAX - 10;
    FAILS(c, volume_read(c->v, "big", small, 3, &c->err), DN_E_CORRUPT, "big");
    small[1].offset = SIZE + 1;
    small[1].len = 0;
    FAILS(c, volume_read(c->v, "big", small, 3, &c->err), DN_E_CORRUPT, "big");
    mem_free(bytes);
    mem_free(got);
}

static void reads_go_on_in_the_background(void **state)
{
    enum { READS = 40 };
    struct contract *c = *state;
    struct volume_range ranges[READS];
    struct volume_read reads[READS];
    char got[READS][8];
    char text[] = "0123456789012345678901234567890123456789abcdefgh";

    OK(c, put_text(c, "o", text));
    for (int i = 0; i < READS; i++) {
        ranges[i].offset = (uint64_t)i;
        ranges[i].len = 8;
        ranges[i].to = got[i];
        reads[i].name = i == 7 ? "missing" : "o";
        reads[i].ranges = &ranges[i];
        reads[i].ranges_count = 1;
        if (i == 9)
            ranges[i].offset = 41; /* one byte too far */
        OK(c, volume_read_submit(c->v, &reads[i], &c->err));
    }
    for (int i = READS - 1; i >= 0; i--) {
        if (i == 7)
            FAILS(c, volume_read_wait(c->v, &reads[i], &c->err), DN_E_NO_OBJECT, "missing");
        else if (i == 9)
            FAILS(c, volume_read_wait(c->v, &reads[i], &c->err), DN_E_CORRUPT, "'o'");
        else
            OK(c, volume_read_wait(c->v, &reads[i], &c->err));
        if (i != 7 && i != 9)
            assert_memory_equal(got[i], text + i, 8);
    }
    assert_int_equal(reads[7].rc, DN_E_NO_OBJECT);
    assert_int_equal(reads[8].rc, 0);
}

struct racer {
    struct volume *v;
    int number;
    int rc;
};

static void racer_put(void *arg)
{
    struct racer *r = arg;
    char text[32];

    (void)snprintf(text, sizeof text, "by racer %d", r->number);
    r->rc = volume_put(r->v, "prize", text, strlen(text), NULL);
}

static void one_of_many_puts_wins(void **state)
{
    struct contract *c = *state;
    struct racer racers[TASKS];
    int winner = -1;
    char want[32];

    for (int i = 0; i < TASKS; i++)
        racers[i] = (struct racer){.v = c->v, .number = i};
    run_tasks(c, racer_put, racers, sizeof racers[0]);
    for (int i = 0; i < TASKS; i++) {
        if (racers[i].rc == 0) {
            assert_int_equal(winner, -1);
            winner = i;
        } else {
            assert_int_equal(racers[i].rc, DN_E_EXISTS);
        }
    }
    assert_true(winner >= 0);
    (void)snprintf(want, sizeof want, "by racer %d", winner);
    object_is(c, "prize", want);
    objects_are(c, "", "prize");
}

/* -- logs ----------------------------------------------------------------------------- */

static void logs_grow_at_their_end(void **state)
{
    struct contract *c = *state;
    struct buf got;

    buf_init(&got, NULL);
    assert_int_equal(volume_log_read(c->v, "l/1", 0, &got, &c->err), DN_NOT_FOUND);
    FAILS(c, append_text(c, "l/1", 1, "x"), DN_E_NO_OBJECT, "l/1");
    FAILS(c, volume_log_sync(c->v, "l/1", 1, &c->err), DN_E_NO_OBJECT, "l/1");
    FAILS(c, volume_log_fence(c->v, "l/1", 1, &c->err), DN_E_NO_OBJECT, "l/1");
    OK(c, volume_log_create(c->v, "l/1", 5, &c->err));
    FAILS(c, volume_log_create(c->v, "l/1", 6, &c->err), DN_E_EXISTS, "l/1");
    log_is(c, "l/1", 0, "");
    OK(c, append_text(c, "l/1", 5, "one "));
    OK(c, append_text(c, "l/1", 5, ""));
    OK(c, append_text(c, "l/1", 5, "two "));
    log_is(c, "l/1", 0, "one two ");
    log_is(c, "l/1", 4, "two ");
    log_is(c, "l/1", 8, "");
    log_is(c, "l/1", 9, "");
    log_is(c, "l/1", UINT64_MAX, "");
    contract_reopen(c);
    FAILS(c, volume_log_create(c->v, "l/1", 6, &c->err), DN_E_EXISTS, "l/1");
    log_is(c, "l/1", 0, "one two ");
    OK(c, append_text(c, "l/1", 5, "three"));
    log_is(c, "l/1", 0, "one two three");
    OK(c, volume_log_create(c->v, "l/2", 5, &c->err));
    OK(c, volume_log_create(c->v, "m", 5, &c->err));
    logs_are(c, "", "l/1 l/2 m");
    logs_are(c, "l/", "l/1 l/2");
    OK(c, volume_log_delete(c->v, "l/1", &c->err));
    assert_int_equal(volume_log_delete(c->v, "l/1", &c->err), DN_NOT_FOUND);
    assert_int_equal(volume_log_read(c->v, "l/1", 0, &got, &c->err), DN_NOT_FOUND);
    FAILS(c, append_text(c, "l/1", 5, "x"), DN_E_NO_OBJECT, "l/1");
    OK(c, volume_log_create(c->v, "l/1", 1, &c->err)); /* a deleted name is free, and new */
    log_is(c, "l/1", 0, "");
    OK(c, append_text(c, "l/1", 1, "again"));
    contract_reopen(c);
    log_is(c, "l/1", 0, "again");
    assert_int_equal(got.len, 0);
    buf_done(&got);
}

static void a_fence_keeps_old_writers_out(void **state)
{
    struct contract *c = *state;

    OK(c, volume_log_create(c->v, "l", 3, &c->err));
    OK(c, append_text(c, "l", 3, "a"));
    FAILS(c, append_text(c, "l", 2, "x"), DN_E_FENCED, "'l'");
    OK(c, volume_log_fence(c->v, "l", 5, &c->err));
    FAILS(c, append_text(c, "l", 3, "x"), DN_E_FENCED, "epoch 5");
    FAILS(c, volume_log_append_nosync(c->v, "l", 4, "x", 1, &c->err), DN_E_FENCED, "'l'");
    FAILS(c, volume_log_sync(c->v, "l", 4, &c->err), DN_E_FENCED, "'l'");
    FAILS(c, volume_log_fence(c->v, "l", 4, &c->err), DN_E_FENCED, "'l'");
    OK(c, volume_log_fence(c->v, "l", 5, &c->err));
    OK(c, append_text(c, "l", 5, "b"));
    contract_reopen(c);
    FAILS(c, append_text(c, "l", 3, "x"), DN_E_FENCED, "epoch 5");
    OK(c, append_text(c, "l", 5, "c"));
    for (uint64_t epoch = 6; epoch < 16; epoch++) {
        OK(c, volume_log_fence(c->v, "l", epoch, &c->err));
        FAILS(c, append_text(c, "l", epoch - 1, "x"), DN_E_FENCED, "'l'");
        contract_reopen(c);
        FAILS(c, append_text(c, "l", epoch - 1, "x"), DN_E_FENCED, "'l'");
    }
    OK(c, volume_log_fence(c->v, "l", UINT64_MAX, &c->err));
    OK(c, append_text(c, "l", UINT64_MAX, "d"));
    log_is(c, "l", 0, "abcd");
}

static void unsynced_appends_are_seen_at_once(void **state)
{
    struct contract *c = *state;

    OK(c, volume_log_create(c->v, "l", 1, &c->err));
    OK(c, volume_log_append_nosync(c->v, "l", 1, "ab", 2, &c->err));
    OK(c, volume_log_append_nosync(c->v, "l", 1, "cd", 2, &c->err));
    log_is(c, "l", 0, "abcd");
    OK(c, volume_log_sync(c->v, "l", 1, &c->err));
    OK(c, volume_log_sync(c->v, "l", 1, &c->err));
    OK(c, volume_log_append_nosync(c->v, "l", 1, "ef", 2, &c->err));
    OK(c, append_text(c, "l", 1, "gh"));
    contract_reopen(c);
    log_is(c, "l", 0, "abcdefgh");
}

struct log_writer {
    struct volume *v;
    int number;
    int failures;
};

static void log_writer_run(void *arg)
{
    struct log_writer *w = arg;
    char name[16];
    struct buf got;

    (void)snprintf(name, sizeof name, "log/%d", w->number);
    w->failures += volume_log_create(w->v, name, 1, NULL) != 0;
    for (int i = 0; i < 20; i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d.%02d;", w->number, i);
        if (i % 3 == 0)
            w->failures += volume_log_append_nosync(w->v, name, 1, text, strlen(text), NULL) != 0;
        else
            w->failures += volume_log_append(w->v, name, 1, text, strlen(text), NULL) != 0;
        if (i % 5 == 0)
            w->failures += volume_log_sync(w->v, name, 1, NULL) != 0;
        buf_init(&got, NULL);
        w->failures += volume_log_read(w->v, name, 0, &got, NULL) != 0;
        w->failures += got.len != (size_t)(i + 1) * 5;
        buf_done(&got);
    }
}

static void logs_are_written_side_by_side(void **state)
{
    struct contract *c = *state;
    struct log_writer writers[TASKS];

    for (int i = 0; i < TASKS; i++)
        writers[i] = (struct log_writer){.v = c->v, .number = i};
    run_tasks(c, log_writer_run, writers, sizeof writers[0]);
    contract_reopen(c);
    for (int i = 0; i < TASKS; i++) {
        char name[16];
        char want[128] = "";
        assert_int_equal(writers[i].failures, 0);
        (void)snprintf(name, sizeof name, "log/%d", i);
        for (int j = 0; j < 20; j++) {
            size_t n = strlen(want);
            (void)snprintf(want + n, sizeof want - n, "%d.%02d;", i, j);
        }
        log_is(c, name, 0, want);
    }
}

/* More logs than any table of open files holds. */
static void many_logs_stay_usable(void **state)
{
    enum { LOGS = 150 };
    struct contract *c = *state;
    char name[32];

    for (int i = 0; i < LOGS; i++) {
        (void)snprintf(name, sizeof name, "many/%03d", i);
        OK(c, volume_log_create(c->v, name, 1, &c->err));
        OK(c, append_text(c, name, 1, name));
    }
    for (int i = 0; i < LOGS; i++) {
        (void)snprintf(name, sizeof name, "many/%03d", i);
        OK(c, append_text(c, name, 1, "!"));
    }
    for (int i = 0; i < LOGS; i++) {
        char want[34];
        (void)snprintf(name, sizeof name, "many/%03d", i);
        (void)snprintf(want, sizeof want, "%s!", name);
        log_is(c, name, 0, want);
    }
}

/* -- documents ------------------------------------------------------------------------- */

static void documents_change_by_generation(void **state)
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

static void large_documents_are_whole(void **state)
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

static void compare_and_swap_loses_nothing(void **state)
{
    struct contract *c = *state;
    struct incrementer tasks[TASKS];
    uint64_t generation;
    struct buf got;

    for (int i = 0; i < TASKS; i++)
        tasks[i] = (struct incrementer){.v = c->v};
    run_tasks(c, incrementer_run, tasks, sizeof tasks[0]);
    buf_init(&got, NULL);
    OK(c, volume_doc_read(c->v, "n", &got, &generation, &c->err));
    assert_int_equal(got.len, 8);
    assert_int_equal(le_get64(got.data), TASKS * 10);
    assert_int_equal(generation, TASKS * 10);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(tasks[i].failures, 0);
    buf_done(&got);
}

/* -- leases, notices, scans, clock, scratch ------------------------------------------------ */

static void leases_have_one_holder_and_an_end(void **state)
{
    struct contract *c = *state;

    OK(c, volume_lease_acquire(c->v, "leader", "alice", 3600 * 1000 * MS, &c->err));
    FAILS(c, volume_lease_acquire(c->v, "leader", "bob", MS, &c->err), DN_E_BUSY, "alice");
    OK(c, volume_lease_acquire(c->v, "other", "bob", 3600 * 1000 * MS, &c->err));
    OK(c, volume_lease_acquire(c->v, "leader", "alice", 3600 * 1000 * MS, &c->err)); /* renewed */
    volume_lease_release(c->v, "leader", "bob");                                     /* not his */
    FAILS(c, volume_lease_acquire(c->v, "leader", "bob", MS, &c->err), DN_E_BUSY, "alice");
    volume_lease_release(c->v, "leader", "alice");
    OK(c, volume_lease_acquire(c->v, "leader", "bob", 10 * MS, &c->err));
    sched_sleep_ns(c->v->sched, 20 * MS);
    OK(c, volume_lease_acquire(c->v, "leader", "carol", UINT64_MAX, &c->err)); /* bob's is over */
    FAILS(c, volume_lease_acquire(c->v, "leader", "bob", MS, &c->err), DN_E_BUSY, "carol");
    FAILS(c, volume_lease_acquire(c->v, "leader", "", MS, &c->err), DN_E_BAD_NAME, "leader");
    volume_lease_release(c->v, "never", "nobody");
}

static void notice_count(void *arg, const char *name)
{
    _Atomic int *n = arg;

    if (strcmp(name, "catalog") == 0)
        atomic_fetch_add(n, 1);
}

static void notices_reach_the_watcher(void **state)
{
    struct contract *c = *state;
    _Atomic int n = 0;

    volume_notify(c->v, "catalog"); /* nobody listens */
    volume_watch(c->v, notice_count, &n);
    volume_notify(c->v, "catalog");
    volume_notify(c->v, "other");
    volume_notify(c->v, "catalog");
    volume_watch(c->v, NULL, NULL);
    assert_int_equal(atomic_load(&n), 2);
    volume_notify(c->v, "catalog");
    assert_int_equal(atomic_load(&n), 2);
}

static int scan_first_byte(struct volume *v, const char *name, void *arg, struct dn_err *err)
{
    struct volume_range range = {.offset = 0, .len = 1, .to = arg};
    int rc = volume_read(v, name, &range, 1, err);

    return rc < 0 ? rc : DN_EOF;
}

static void scans_run_near_the_object(void **state)
{
    struct contract *c = *state;
    char first = 0;

    OK(c, put_text(c, "o", "xyz"));
    assert_int_equal(volume_scan(c->v, "o", scan_first_byte, &first, &c->err), DN_EOF);
    assert_int_equal(first, 'x');
    FAILS(c, volume_scan(c->v, "none", scan_first_byte, &first, &c->err), DN_E_NO_OBJECT, "none");
}

static void clock_and_randomness_are_there(void **state)
{
    struct contract *c = *state;
    int64_t start = volume_clock_ns(c->v);

    assert_true(start > INT64_C(1577836800) * 1000000000); /* after 2020 */
    sched_sleep_ns(c->v->sched, 2 * MS);
    assert_true(volume_clock_ns(c->v) - start >= (int64_t)MS);
    assert_true(volume_random(c->v) != volume_random(c->v));
    assert_true(volume_free_bytes(c->v) > 0);
    assert_non_null(strchr(volume_describe(c->v), ':'));
}

static void scratch_files_hold_what_spills(void **state)
{
    struct contract *c = *state;
    struct volume_scratch *a = NULL;
    struct volume_scratch *b = NULL;
    uint64_t offset = 99;
    char got[8] = "";

    OK(c, volume_scratch_open(c->v, &a, &c->err));
    OK(c, volume_scratch_open(c->v, &b, &c->err));
    OK(c, volume_scratch_append(a, "hello ", 6, &offset, &c->err));
    assert_int_equal(offset, 0);
    OK(c, volume_scratch_append(a, "world", 5, &offset, &c->err));
    assert_int_equal(offset, 6);
    OK(c, volume_scratch_append(b, "12345678", 8, &offset, &c->err));
    assert_int_equal(offset, 0);
    OK(c, volume_scratch_read(a, 4, got, 5, &c->err));
    assert_memory_equal(got, "o wor", 5);
    OK(c, volume_scratch_read(b, 0, got, 8, &c->err));
    assert_memory_equal(got, "12345678", 8);
    FAILS(c, volume_scratch_read(b, 1, got, 8, &c->err), DN_E_CORRUPT, "scratch");
    OK(c, volume_scratch_read(b, 8, got, 0, &c->err));
    volume_scratch_close(a);
    volume_scratch_close(b);
    volume_scratch_close(NULL);
    objects_are(c, "", "");
}

/* -- everything at once, and no memory ------------------------------------------------------- */

static void busy_run(void *arg)
{
    struct racer *r = arg;

    for (int i = 0; i < 12; i++) {
        char name[32];
        char got[8];
        struct volume_range range = {.offset = 0, .len = 4, .to = got};
        struct volume_names names = {0};

        (void)snprintf(name, sizeof name, "busy/%d/%d", r->number, i);
        r->rc += volume_put(r->v, name, "data", 4, NULL) != 0;
        r->rc += volume_read(r->v, name, &range, 1, NULL) != 0;
        r->rc += memcmp(got, "data", 4) != 0;
        r->rc += volume_list(r->v, "busy/", &names, NULL) != 0;
        r->rc += names.count < (size_t)i + 1 - (size_t)(i / 2);
        for (size_t k = 1; k < names.count; k++)
            r->rc += strcmp(names.names[k - 1], names.names[k]) >= 0;
        volume_names_done(&names);
        if (i % 2 == 1)
            r->rc += volume_delete(r->v, name, NULL) != 0;
    }
}

static void objects_come_and_go_side_by_side(void **state)
{
    struct contract *c = *state;
    struct racer racers[TASKS];
    struct volume_names names = {0};

    for (int i = 0; i < TASKS; i++)
        racers[i] = (struct racer){.v = c->v, .number = i};
    run_tasks(c, busy_run, racers, sizeof racers[0]);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(racers[i].rc, 0);
    contract_reopen(c);
    OK(c, volume_list(c->v, "busy/", &names, &c->err));
    assert_int_equal(names.count, TASKS * 6);
    volume_names_done(&names);
}

/* One call of each kind; the first error, as from a caller that stops there. */
static int everything(struct contract *c, int round, struct buf *got)
{
    struct volume_names names = {0};
    struct volume_scratch *scratch = NULL;
    struct volume_range range = {.offset = 0, .len = 3, .to = &(char[3]){0}};
    struct volume_read read = {.name = "none", .ranges = &range, .ranges_count = 1};
    char name[32];
    uint64_t n = 0;
    int rc;

    (void)snprintf(name, sizeof name, "round/%d", round);
    read.name = name;
    rc = volume_put(c->v, name, "abc", 3, &c->err);
    if (rc == 0)
        rc = volume_read(c->v, name, &range, 1, &c->err);
    if (rc == 0)
        rc = volume_read_submit(c->v, &read, &c->err);
    if (rc == 0)
        rc = volume_read_wait(c->v, &read, &c->err);
    if (rc == 0)
        rc = volume_list(c->v, "", &names, &c->err);
    volume_names_done(&names);
    if (rc == 0)
        rc = volume_log_create(c->v, name, 1, &c->err);
    if (rc == 0)
        rc = volume_log_append(c->v, name, 1, "abc", 3, &c->err);
    if (rc == 0)
        rc = volume_log_fence(c->v, name, 2, &c->err);
    if (rc == 0)
        rc = volume_log_read(c->v, name, 0, got, &c->err);
    if (rc == 0)
        rc = volume_log_list(c->v, "", &names, &c->err);
    volume_names_done(&names);
    if (rc == 0)
        rc = volume_doc_replace(c->v, name, "abc", 3, 0, &n, &c->err);
    if (rc == 0)
        rc = volume_doc_read(c->v, name, got, &n, &c->err);
    if (rc == 0)
        rc = volume_lease_acquire(c->v, name, "me", 1, &c->err);
    if (rc == 0)
        rc = volume_scratch_open(c->v, &scratch, &c->err);
    if (rc == 0)
        rc = volume_scratch_append(scratch, "abc", 3, &n, &c->err);
    volume_scratch_close(scratch);
    if (rc == 0)
        rc = volume_log_delete(c->v, name, &c->err);
    if (rc == 0)
        rc = volume_delete(c->v, name, &c->err);
    return rc;
}

static void no_memory_is_an_error_everywhere(void **state)
{
    struct contract *c = *state;
    int round = 0;
    bool struck = true;

    while (struck) {
        struct buf got;
        int rc;

        round++;
        buf_init(&got, NULL);
        dn_err_clear(&c->err);
        mem_fail_nth((uint64_t)round, false);
        rc = everything(c, round, &got);
        struck = mem_fail_hit();
        mem_fail_nth(0, false);
        buf_done(&got);
        if (struck) {
            assert_int_equal(rc, DN_E_NOMEM);
            assert_int_equal(c->err.code, DN_E_NOMEM);
        } else {
            OK(c, rc);
        }
        assert_true(round < 1000);
    }
    assert_true(round > 5);
    contract_reopen(c);
    for (int i = 1; i < round; i++) { /* what was made is whole */
        char name[32];
        uint64_t size = 3;
        int rc;
        (void)snprintf(name, sizeof name, "round/%d", i);
        rc = volume_size(c->v, name, &size, &c->err);
        assert_true(rc == 0 || rc == DN_E_NO_OBJECT);
        assert_int_equal(size, 3);
    }
}

static void no_memory_at_open_is_an_error(void **state)
{
    struct contract *c = *state;
    bool struck = true;

    OK(c, put_text(c, "o", "kept"));
    for (uint64_t n = 1; struck; n++) {
        int rc;

        volume_close(c->v);
        c->v = NULL;
        dn_err_clear(&c->err);
        mem_fail_nth(n, false);
        rc = c->factory->open(c->place, &c->v, &c->err);
        struck = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(rc, struck ? DN_E_NOMEM : 0);
        assert_int_equal(c->err.code, rc);
        assert_true(n < 1000);
    }
    object_is(c, "o", "kept");
}

#define CONTRACT(fn) cmocka_unit_test_setup_teardown(fn, contract_setup, contract_teardown)

int volume_contract_run(const struct contract_factory *factory)
{
    const struct CMUnitTest tests[] = {
        CONTRACT(bad_names_are_refused_everywhere),
        CONTRACT(all_good_names_are_taken),
        CONTRACT(name_spaces_are_apart),
        CONTRACT(objects_are_written_once),
        CONTRACT(ranges_are_read_exactly),
        CONTRACT(reads_go_on_in_the_background),
        CONTRACT(one_of_many_puts_wins),
        CONTRACT(logs_grow_at_their_end),
        CONTRACT(a_fence_keeps_old_writers_out),
        CONTRACT(unsynced_appends_are_seen_at_once),
        CONTRACT(logs_are_written_side_by_side),
        CONTRACT(many_logs_stay_usable),
        CONTRACT(documents_change_by_generation),
        CONTRACT(large_documents_are_whole),
        CONTRACT(compare_and_swap_loses_nothing),
        CONTRACT(leases_have_one_holder_and_an_end),
        CONTRACT(notices_reach_the_watcher),
        CONTRACT(scans_run_near_the_object),
        CONTRACT(clock_and_randomness_are_there),
        CONTRACT(scratch_files_hold_what_spills),
        CONTRACT(objects_come_and_go_side_by_side),
        CONTRACT(no_memory_is_an_error_everywhere),
        CONTRACT(no_memory_at_open_is_an_error),
    };

    contract_factory_now = factory;
    return cmocka_run_group_tests_name(factory->name, tests, NULL, NULL);
}
