/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volumes: logs. */
#include "contract_int.h"

/* -- logs ----------------------------------------------------------------------------- */

void logs_grow_at_their_end(void **state)
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

void a_fence_keeps_old_writers_out(void **state)
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

void unsynced_appends_are_seen_at_once(void **state)
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

void logs_are_written_side_by_side(void **state)
{
    struct contract *c = *state;
    struct log_writer writers[CONTRACT_TASKS];

    for (int i = 0; i < CONTRACT_TASKS; i++)
        writers[i] = (struct log_writer){.v = c->v, .number = i};
    run_tasks(c, log_writer_run, writers, sizeof writers[0]);
    contract_reopen(c);
    for (int i = 0; i < CONTRACT_TASKS; i++) {
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
void many_logs_stay_usable(void **state)
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
