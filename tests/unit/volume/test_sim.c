/* SPDX-License-Identifier: Apache-2.0
 *
 * What only the simulated volume promises: crashes that keep, drop or tear, faults at the n-th
 * call, a disk that fills up, bits that flip, and the same run for the same seed. */
#include "volume/sim.h"

#include "base/mem.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PIECE  1500
#define PIECES 3
#define SEEDS  300

static struct volume *open_ok(struct sim_disk *d, uint64_t seed)
{
    struct volume *v = NULL;

    assert_int_equal(sim_volume_open(d, seed, &v, NULL), 0);
    return v;
}

static void close_and_free(struct volume *v, struct sim_disk *d)
{
    volume_close(v);
    sim_disk_free(d);
    assert_int_equal(mem_process_used(), 0);
}

static size_t log_read(struct volume *v, const char *name, uint8_t *to, size_t cap)
{
    struct buf got;
    size_t n;

    buf_init(&got, NULL);
    assert_int_equal(volume_log_read(v, name, 0, &got, NULL), 0);
    assert_true(got.len <= cap);
    if (got.len)
        memcpy(to, got.data, got.len);
    n = got.len;
    buf_done(&got);
    return n;
}

/* -- crashes ----------------------------------------------------------------------------- */

static void what_was_acknowledged_survives(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct sim_disk *d = sim_disk_new(seed);
        struct volume *v = open_ok(d, seed);
        char bytes[8];
        struct volume_range range = {.offset = 0, .len = 6, .to = bytes};
        uint64_t generation;
        struct dn_err err;
        struct buf got;

        buf_init(&got, NULL);
        assert_int_equal(volume_put(v, "o", "object", 6, NULL), 0);
        assert_int_equal(volume_log_create(v, "l", 4, NULL), 0);
        assert_int_equal(volume_log_append(v, "l", 4, "one", 3, NULL), 0);
        assert_int_equal(volume_log_append_nosync(v, "l", 4, "two", 3, NULL), 0);
        assert_int_equal(volume_log_sync(v, "l", 4, NULL), 0);
        assert_int_equal(volume_log_fence(v, "l", 5, NULL), 0);
        assert_int_equal(volume_doc_replace(v, "d", "doc", 3, 0, &generation, NULL), 0);
        assert_int_equal(volume_put(v, "gone", "x", 1, NULL), 0);
        assert_int_equal(volume_delete(v, "gone", NULL), 0);
        assert_false(sim_disk_crashed(d));
        sim_disk_crash(d);
        assert_true(sim_disk_crashed(d));
        /* The dead process hears of nothing but errors. */
        assert_int_equal(volume_put(v, "p", "x", 1, &err), DN_E_IO);
        assert_int_equal(err.code, DN_E_IO);
        assert_int_equal(volume_read(v, "o", &range, 1, NULL), DN_E_IO);
        assert_int_equal(volume_log_append(v, "l", 5, "x", 1, NULL), DN_E_IO);
        assert_int_equal(volume_log_read(v, "l", 0, &got, NULL), DN_E_IO);
        assert_int_equal(volume_doc_read(v, "d", &got, &generation, NULL), DN_E_IO);
        assert_int_equal(volume_delete(v, "o", NULL), DN_E_IO);
        volume_close(v);
        v = open_ok(d, seed + 1);
        assert_false(sim_disk_crashed(d));
        assert_int_equal(volume_read(v, "o", &range, 1, NULL), 0);
        assert_memory_equal(bytes, "object", 6);
        assert_int_equal(volume_log_read(v, "l", 0, &got, NULL), 0);
        assert_int_equal(got.len, 6);
        assert_memory_equal(got.data, "onetwo", 6);
        assert_int_equal(volume_log_append(v, "l", 4, "x", 1, NULL), DN_E_FENCED);
        buf_reset(&got);
        assert_int_equal(volume_doc_read(v, "d", &got, &generation, NULL), 0);
        assert_int_equal(generation, 1);
        assert_int_equal(volume_read(v, "gone", &range, 1, NULL), DN_E_NO_OBJECT);
        buf_done(&got);
        close_and_free(v, d);
    }
}

struct fates {
    int kept;      /* all pieces whole */
    int dropped;   /* nothing of some piece */
    int cut;       /* a prefix of a piece */
    int zeroed;    /* a piece with sectors of zeros */
    int byte_cuts; /* a prefix that is no whole number of sectors */
};

/* One synced piece, then PIECES unsynced ones; each byte tells which piece it is from. */
static size_t crash_with_unsynced(uint64_t seed, bool holes, uint8_t *got, size_t cap)
{
    struct sim_disk *d = sim_disk_new(seed);
    struct volume *v = open_ok(d, seed);
    uint8_t piece[PIECE];
    size_t n;

    sim_disk_set_holes(d, holes);
    assert_int_equal(volume_log_create(v, "l", 1, NULL), 0);
    memset(piece, 'S', sizeof piece);
    assert_int_equal(volume_log_append(v, "l", 1, piece, PIECE, NULL), 0);
    for (int i = 0; i < PIECES; i++) {
        memset(piece, '1' + i, sizeof piece);
        assert_int_equal(volume_log_append_nosync(v, "l", 1, piece, PIECE, NULL), 0);
    }
    assert_int_equal(log_read(v, "l", got, cap), (PIECES + 1) * PIECE);
    sim_disk_crash(d);
    volume_close(v);
    v = open_ok(d, seed);
    n = log_read(v, "l", got, cap);
    close_and_free(v, d);
    return n;
}

static void what_was_not_synced_is_kept_dropped_or_torn(void **state)
{
    static uint8_t got[(PIECES + 1) * PIECE];
    struct fates fates = {0};

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        size_t n = crash_with_unsynced(seed, false, got, sizeof got);
        size_t pieces = n <= PIECE ? 0 : (n - PIECE + PIECE - 1) / PIECE; /* begun */
        size_t zeros = 0;

        assert_true(n >= PIECE);
        for (size_t i = 0; i < PIECE; i++)
            assert_int_equal(got[i], 'S');
        for (size_t i = PIECE; i < n; i++) {
            size_t piece = (i - PIECE) / PIECE;
            if (got[i] == 0 && piece == pieces - 1)
                zeros++; /* only the last one may be torn */
            else
                assert_int_equal(got[i], '1' + (int)piece);
        }
        fates.kept += n == sizeof got && zeros == 0;
        fates.dropped += n < sizeof got && n % PIECE == 0 && zeros == 0;
        fates.cut += n % PIECE != 0;
        fates.byte_cuts += n % PIECE != 0 && n % 512 != 0;
        fates.zeroed += zeros > 0;
    }
    assert_true(fates.kept > 3);
    assert_true(fates.dropped > 30);
    assert_true(fates.cut > 30);
    assert_true(fates.byte_cuts > 10);
    assert_true(fates.zeroed > 30);
}

static void zeros_ahead_may_be_asked_for(void **state)
{
    int blank = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct sim_disk *d = sim_disk_new(seed);
        struct volume *v = open_ok(d, seed);
        static uint8_t got[64 * 1024];
        size_t n;

        sim_disk_set_ahead(d, true);
        assert_int_equal(volume_log_create(v, "l", 1, NULL), 0);
        assert_int_equal(volume_log_append(v, "l", 1, "synced", 6, NULL), 0);
        sim_disk_crash(d);
        volume_close(v);
        v = open_ok(d, seed);
        n = log_read(v, "l", got, sizeof got);
        assert_true(n >= 6);
        assert_memory_equal(got, "synced", 6);
        for (size_t i = 6; i < n; i++)
            assert_int_equal(got[i], 0);
        blank += n > 6;
        close_and_free(v, d);
    }
    assert_true(blank > 10);
}

static void holes_may_be_asked_for(void **state)
{
    static uint8_t got[(PIECES + 1) * PIECE];
    int holes = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        size_t n = crash_with_unsynced(seed, true, got, sizeof got);
        /* The first piece missing and the second one there. */
        holes += n > 2 * PIECE && got[PIECE] == 0 && got[2 * PIECE - 1] == 0 && got[n - 1] != 0;
        assert_int_equal(got[PIECE - 1], 'S');
    }
    assert_true(holes > 10);
}

/* -- faults at the n-th call ---------------------------------------------------------------- */

struct told {
    bool put;            /* acknowledged */
    bool put_tried;      /* begun */
    size_t appended;     /* acknowledged bytes */
    uint64_t generation; /* acknowledged */
    uint64_t tried;      /* generation it tried last */
    int rc;              /* of the call that ended it */
};

static void told_run(struct volume *v, struct told *told)
{
    uint64_t generation = 0;
    struct buf got;
    int rc;

    buf_init(&got, NULL);
    told->put_tried = true;
    rc = volume_put(v, "o", "object", 6, NULL);
    told->put = rc == 0;
    if (rc == 0)
        rc = volume_log_create(v, "l", 1, NULL);
    for (int i = 0; i < 4 && rc == 0; i++) {
        rc = volume_log_append(v, "l", 1, "rec;", 4, NULL);
        if (rc == 0)
            told->appended += 4;
        if (rc == 0) {
            told->tried = generation + 1;
            rc = volume_doc_replace(v, "d", "document", 8, generation, &generation, NULL);
        }
        if (rc == 0)
            told->generation = generation;
        if (rc == 0)
            rc = volume_log_read(v, "l", 0, &got, NULL);
    }
    buf_done(&got);
    told->rc = rc;
}

static void told_check(struct volume *v, const struct told *told)
{
    uint64_t size = 6;
    uint64_t generation = 0;
    struct buf got;
    int rc = volume_size(v, "o", &size, NULL);

    assert_true(rc == 0 || (rc == DN_E_NO_OBJECT && !told->put));
    assert_int_equal(size, 6);
    buf_init(&got, NULL);
    rc = volume_log_read(v, "l", 0, &got, NULL);
    assert_true(rc == 0 || (rc == DN_NOT_FOUND && told->appended == 0));
    assert_true(got.len >= told->appended);
    assert_true(got.len <= told->appended + 4);
    for (size_t i = 0; i < told->appended; i++)
        assert_int_equal(got.data[i], "rec;"[i % 4]);
    buf_reset(&got);
    rc = volume_doc_read(v, "d", &got, &generation, NULL);
    assert_true(rc == 0 || (rc == DN_NOT_FOUND && told->generation == 0));
    assert_true(generation == told->generation || generation == told->tried);
    if (rc == 0)
        assert_memory_equal(got.data, "document", 8);
    buf_done(&got);
}

static void every_call_can_fail(void **state)
{
    static const enum sim_fault faults[] = {SIM_FAULT_IO, SIM_FAULT_NOSPC, SIM_FAULT_CRASH};
    int unacknowledged_puts = 0;

    (void)state;
    for (size_t k = 0; k < 4 * DN_ARRAY_SIZE(faults); k++) {
        enum sim_fault fault = faults[k % DN_ARRAY_SIZE(faults)];
        bool hit = true;
        for (uint64_t n = 1; hit; n++) {
            struct sim_disk *d = sim_disk_new(k * 1000 + n);
            struct volume *v = open_ok(d, k);
            struct told told = {0};

            sim_disk_fail_writes_only(d, fault == SIM_FAULT_NOSPC);
            sim_disk_fail_nth(d, n, fault, k % 2 == 1);
            told_run(v, &told);
            hit = sim_disk_fail_hit(d);
            sim_disk_fail_nth(d, 0, SIM_FAULT_NONE, false);
            if (!hit)
                assert_int_equal(told.rc, 0);
            else
                assert_int_equal(told.rc, fault == SIM_FAULT_NOSPC ? DN_E_NOSPC : DN_E_IO);
            assert_int_equal(sim_disk_crashed(d), hit && fault == SIM_FAULT_CRASH);
            if (n % 2 && !sim_disk_crashed(d))
                sim_disk_crash(d);
            volume_close(v);
            v = open_ok(d, k);
            told_check(v, &told);
            unacknowledged_puts += !told.put && volume_size(v, "o", &(uint64_t){0}, NULL) == 0;
            close_and_free(v, d);
            if (!hit)
                assert_true(n > 10);
        }
    }
    assert_true(unacknowledged_puts > 0); /* may land although they reported an error */
}

static void faults_are_counted_as_asked(void **state)
{
    struct sim_disk *d = sim_disk_new(1);
    struct volume *v = open_ok(d, 1);
    uint64_t size;

    (void)state;
    assert_int_equal(volume_put(v, "a", "x", 1, NULL), 0);
    assert_int_equal(volume_size(v, "a", &size, NULL), 0);
    assert_int_equal(sim_disk_calls(d), 2);
    sim_disk_fail_nth(d, 2, SIM_FAULT_IO, false);
    assert_int_equal(volume_size(v, "a", &size, NULL), 0);
    assert_false(sim_disk_fail_hit(d));
    assert_int_equal(volume_size(v, "a", &size, NULL), DN_E_IO);
    assert_true(sim_disk_fail_hit(d));
    assert_int_equal(volume_size(v, "a", &size, NULL), 0);
    sim_disk_fail_nth(d, 1, SIM_FAULT_IO, true);
    assert_false(sim_disk_fail_hit(d));
    for (int i = 0; i < 3; i++)
        assert_int_equal(volume_size(v, "a", &size, NULL), DN_E_IO);
    sim_disk_fail_nth(d, 0, SIM_FAULT_NONE, false);
    sim_disk_fail_writes_only(d, true);
    sim_disk_fail_nth(d, 1, SIM_FAULT_NOSPC, false);
    assert_int_equal(volume_size(v, "a", &size, NULL), 0); /* not counted */
    assert_int_equal(volume_put(v, "b", "x", 1, NULL), DN_E_NOSPC);
    close_and_free(v, d);
}

/* A put that failed is not seen, may come back with a crash, and gives way to a second put. */
static void failed_puts_show_up_only_by_a_crash(void **state)
{
    int returned = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct sim_disk *d = sim_disk_new(seed);
        struct volume *v = open_ok(d, seed);
        char bytes[4] = "";
        struct volume_range range = {.offset = 0, .len = 3, .to = bytes};
        uint64_t size = 0;
        bool again = seed % 2;
        int rc;

        sim_disk_fail_nth(d, 1, SIM_FAULT_IO, false);
        assert_int_equal(volume_put(v, "o", "old", 3, NULL), DN_E_IO);
        assert_int_equal(volume_size(v, "o", &size, NULL), DN_E_NO_OBJECT);
        if (again)
            assert_int_equal(volume_put(v, "o", "new", 3, NULL), 0);
        sim_disk_crash(d);
        volume_close(v);
        v = open_ok(d, seed);
        rc = volume_read(v, "o", &range, 1, NULL);
        if (again) {
            assert_int_equal(rc, 0);
            assert_string_equal(bytes, "new");
        } else if (rc == 0) {
            returned++;
            assert_string_equal(bytes, "old");
        } else {
            assert_int_equal(rc, DN_E_NO_OBJECT);
        }
        close_and_free(v, d);
    }
    assert_true(returned > 3);
    assert_true(returned < 40);
}

/* -- space, bits, bytes ------------------------------------------------------------------------ */

static void a_full_disk_recovers(void **state)
{
    struct sim_disk *d = sim_disk_new(3);
    struct volume *v = open_ok(d, 3);
    char big[600];
    uint64_t n = 0;
    uint64_t size;
    struct volume_scratch *scratch = NULL;
    uint8_t got[64];

    (void)state;
    memset(big, 'x', sizeof big);
    assert_true(volume_free_bytes(v) == UINT64_MAX);
    sim_disk_set_capacity(d, 1000);
    assert_int_equal(volume_put(v, "a", big, 600, NULL), 0);
    assert_int_equal(sim_disk_used(d), 600);
    assert_int_equal(volume_free_bytes(v), 400);
    assert_int_equal(volume_put(v, "b", big, 600, NULL), DN_E_NOSPC);
    assert_int_equal(volume_size(v, "b", &size, NULL), DN_E_NO_OBJECT);
    assert_int_equal(volume_log_create(v, "l", 1, NULL), 0);
    assert_int_equal(volume_log_append(v, "l", 1, "ok", 2, NULL), 0);
    assert_int_equal(volume_log_append(v, "l", 1, big, 600, NULL), DN_E_NOSPC);
    assert_int_equal(volume_log_append(v, "l", 1, "x", 1, NULL), DN_E_IO);
    assert_int_equal(log_read(v, "l", got, sizeof got), 2);
    assert_int_equal(volume_doc_replace(v, "d", big, 600, 0, &n, NULL), DN_E_NOSPC);
    assert_int_equal(volume_scratch_open(v, &scratch, NULL), 0);
    assert_int_equal(volume_scratch_append(scratch, big, 600, &n, NULL), DN_E_NOSPC);
    assert_int_equal(volume_delete(v, "a", NULL), 0);
    assert_int_equal(volume_scratch_append(scratch, big, 100, &n, NULL), 0);
    volume_scratch_close(scratch);
    assert_int_equal(volume_log_delete(v, "l", NULL), 0);
    assert_int_equal(sim_disk_used(d), 0);
    assert_int_equal(volume_put(v, "b", big, 600, NULL), 0);
    close_and_free(v, d);
}

static void flipped_bits_are_served_or_seen(void **state)
{
    struct sim_disk *d = sim_disk_new(4);
    struct volume *v = open_ok(d, 4);
    uint8_t got[8] = {0};
    struct volume_range range = {.offset = 0, .len = 3, .to = got};
    uint64_t generation = 0;
    const uint8_t *bytes;
    struct dn_err err;
    struct buf doc;
    size_t n;

    (void)state;
    assert_int_equal(volume_put(v, "o", "abc", 3, NULL), 0);
    assert_int_equal(volume_log_create(v, "l", 1, NULL), 0);
    assert_int_equal(volume_log_append(v, "l", 1, "abc", 3, NULL), 0);
    assert_int_equal(volume_doc_replace(v, "d", "abc", 3, 0, &generation, NULL), 0);
    assert_true(sim_disk_flip(d, 'o', "o", 8));  /* 'b' becomes 'c' */
    assert_true(sim_disk_flip(d, 'l', "l", 17)); /* 'c' becomes 'a' */
    assert_true(sim_disk_flip(d, 'd', "d", 0));
    assert_false(sim_disk_flip(d, 'o', "o", 24));
    assert_false(sim_disk_flip(d, 'o', "x", 0));
    assert_int_equal(volume_read(v, "o", &range, 1, NULL), 0);
    assert_memory_equal(got, "acc", 3);
    assert_int_equal(log_read(v, "l", got, sizeof got), 3);
    assert_memory_equal(got, "aba", 3);
    buf_init(&doc, NULL);
    assert_int_equal(volume_doc_read(v, "d", &doc, &generation, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "'d'"));
    assert_int_equal(volume_doc_replace(v, "d", "x", 1, 1, &generation, &err), DN_E_CORRUPT);
    assert_true(sim_disk_get(d, 'd', "d", &bytes, &n));
    assert_int_equal(n, 3);
    assert_memory_equal(bytes, "`bc", 3);
    assert_true(sim_disk_set(d, 'd', "d", "xy", 2)); /* whole again */
    assert_int_equal(volume_doc_read(v, "d", &doc, &generation, NULL), 0);
    assert_int_equal(generation, 2);
    assert_memory_equal(doc.data, "xy", 2);
    assert_true(sim_disk_set(d, 'o', "o", "golden", 6));
    assert_true(sim_disk_set(d, 'l', "new", "golden", 6));
    assert_false(sim_disk_set(d, 'o', "Bad Name", "", 0));
    assert_false(sim_disk_get(d, 'o', "none", &bytes, &n));
    assert_int_equal(log_read(v, "new", got, sizeof got), 6);
    assert_int_equal(volume_log_append(v, "new", 1, "!", 1, NULL), 0);
    buf_done(&doc);
    close_and_free(v, d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_acknowledged_survives),
        cmocka_unit_test(what_was_not_synced_is_kept_dropped_or_torn),
        cmocka_unit_test(holes_may_be_asked_for),
        cmocka_unit_test(zeros_ahead_may_be_asked_for),
        cmocka_unit_test(every_call_can_fail),
        cmocka_unit_test(faults_are_counted_as_asked),
        cmocka_unit_test(failed_puts_show_up_only_by_a_crash),
        cmocka_unit_test(a_full_disk_recovers),
        cmocka_unit_test(flipped_bits_are_served_or_seen),
    };

    return cmocka_run_group_tests_name("simulated volume", tests, NULL, NULL);
}
