/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volumes: names and objects. */
#include "contract_int.h"

/* -- names --------------------------------------------------------------------------- */

void bad_names_are_refused_everywhere(void **state)
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

void all_good_names_are_taken(void **state)
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

void name_spaces_are_apart(void **state)
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

void objects_are_written_once(void **state)
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

void ranges_are_read_exactly(void **state)
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

void reads_go_on_in_the_background(void **state)
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

void one_of_many_puts_wins(void **state)
{
    struct contract *c = *state;
    struct racer racers[CONTRACT_TASKS];
    int winner = -1;
    char want[32];

    for (int i = 0; i < CONTRACT_TASKS; i++)
        racers[i] = (struct racer){.v = c->v, .number = i};
    run_tasks(c, racer_put, racers, sizeof racers[0]);
    for (int i = 0; i < CONTRACT_TASKS; i++) {
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

void objects_come_and_go_side_by_side(void **state)
{
    struct contract *c = *state;
    struct racer racers[CONTRACT_TASKS];
    struct volume_names names = {0};

    for (int i = 0; i < CONTRACT_TASKS; i++)
        racers[i] = (struct racer){.v = c->v, .number = i};
    run_tasks(c, busy_run, racers, sizeof racers[0]);
    for (int i = 0; i < CONTRACT_TASKS; i++)
        assert_int_equal(racers[i].rc, 0);
    contract_reopen(c);
    OK(c, volume_list(c->v, "busy/", &names, &c->err));
    assert_int_equal(names.count, CONTRACT_TASKS * 6);
    volume_names_done(&names);
}
