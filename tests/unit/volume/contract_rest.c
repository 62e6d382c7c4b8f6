/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volumes: leases, notices, scans, clock, scratch files; no memory. */
#include "contract_int.h"

#include <stdatomic.h>

/* -- leases, notices, scans, clock, scratch ------------------------------------------------ */

void leases_have_one_holder_and_an_end(void **state)
{
    struct contract *c = *state;

    OK(c, volume_lease_acquire(c->v, "leader", "alice", 3600 * 1000 * CONTRACT_MS, &c->err));
    FAILS(c, volume_lease_acquire(c->v, "leader", "bob", CONTRACT_MS, &c->err), DN_E_BUSY, "alice");
    OK(c, volume_lease_acquire(c->v, "other", "bob", 3600 * 1000 * CONTRACT_MS, &c->err));
    OK(c,
       volume_lease_acquire(
           c->v, "leader", "alice", 3600 * 1000 * CONTRACT_MS, &c->err)); /* renewed */
    volume_lease_release(c->v, "leader", "bob");                          /* not his */
    FAILS(c, volume_lease_acquire(c->v, "leader", "bob", CONTRACT_MS, &c->err), DN_E_BUSY, "alice");
    volume_lease_release(c->v, "leader", "alice");
    OK(c, volume_lease_acquire(c->v, "leader", "bob", 10 * CONTRACT_MS, &c->err));
    sched_sleep_ns(c->v->sched, 20 * CONTRACT_MS);
    OK(c, volume_lease_acquire(c->v, "leader", "carol", UINT64_MAX, &c->err)); /* bob's is over */
    FAILS(c, volume_lease_acquire(c->v, "leader", "bob", CONTRACT_MS, &c->err), DN_E_BUSY, "carol");
    FAILS(
        c, volume_lease_acquire(c->v, "leader", "", CONTRACT_MS, &c->err), DN_E_BAD_NAME, "leader");
    volume_lease_release(c->v, "never", "nobody");
}

static void notice_count(void *arg, const char *name)
{
    _Atomic int *n = arg;

    if (strcmp(name, "catalog") == 0)
        atomic_fetch_add(n, 1);
}

void notices_reach_the_watcher(void **state)
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

void scans_run_near_the_object(void **state)
{
    struct contract *c = *state;
    char first = 0;

    OK(c, put_text(c, "o", "xyz"));
    assert_int_equal(volume_scan(c->v, "o", scan_first_byte, &first, &c->err), DN_EOF);
    assert_int_equal(first, 'x');
    FAILS(c, volume_scan(c->v, "none", scan_first_byte, &first, &c->err), DN_E_NO_OBJECT, "none");
}

void clock_and_randomness_are_there(void **state)
{
    struct contract *c = *state;
    int64_t start = volume_clock_ns(c->v);

    assert_true(start > INT64_C(1577836800) * 1000000000); /* after 2020 */
    sched_sleep_ns(c->v->sched, 2 * CONTRACT_MS);
    assert_true(volume_clock_ns(c->v) - start >= (int64_t)CONTRACT_MS);
    assert_true(volume_random(c->v) != volume_random(c->v));
    assert_true(volume_free_bytes(c->v) > 0);
    assert_non_null(strchr(volume_describe(c->v), ':'));
}

void scratch_files_hold_what_spills(void **state)
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

void no_memory_is_an_error_everywhere(void **state)
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

void no_memory_at_open_is_an_error(void **state)
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

/* Whether a second opener is refused or not: the first one acknowledges nothing any more. */
void a_lost_lock_ends_all_writes(void **state)
{
    struct contract *c = *state;
    struct volume *second = NULL;
    uint64_t generation = 0;

    OK(c, put_text(c, "o", "object"));
    OK(c, volume_log_create(c->v, "l", 1, &c->err));
    OK(c, append_text(c, "l", 1, "one"));
    OK(c, replace_text(c, "d", "first", 0, &generation));
    OK(c, volume_log_append_nosync(c->v, "l", 1, "two", 3, &c->err));
    c->factory->drop_lock(c->place);
    FAILS(c, volume_log_sync(c->v, "l", 1, &c->err), DN_E_FENCED, "lock");
    FAILS(c, put_text(c, "p", "object"), DN_E_FENCED, "lock");
    FAILS(c, volume_delete(c->v, "o", &c->err), DN_E_FENCED, "lock");
    FAILS(c, volume_log_create(c->v, "m", 1, &c->err), DN_E_FENCED, "lock");
    FAILS(c, replace_text(c, "d", "second", 1, &generation), DN_E_FENCED, "lock");
    object_is(c, "o", "object");
    doc_is(c, "d", "first", 1);
    if (c->factory->open(c->place, &second, &c->err) == 0) {
        OK(c, volume_log_fence(second, "l", 2, &c->err));
        OK(c, volume_log_append(second, "l", 2, "three", 5, &c->err));
        /* The same process is back from a pause; what it writes may be nowhere. */
        FAILS(c, replace_text(c, "d", "second", 1, &generation), DN_E_FENCED, "lock");
        volume_close(second);
    } else {
        assert_int_equal(c->err.code, DN_E_BUSY);
    }
    contract_reopen(c);
    OK(c, put_text(c, "p", "object"));
    doc_is(c, "d", "first", 1);
    OK(c, replace_text(c, "d", "second", 1, &generation));
    OK(c, volume_log_create(c->v, "m", 3, &c->err));
    OK(c, append_text(c, "m", 3, "four"));
    c->factory->drop_lock(c->place);
    FAILS(c, append_text(c, "m", 3, "five"), DN_E_FENCED, "lock"); /* the first thing it does */
    contract_reopen(c);
    log_is(c, "m", 0, "four"); /* nothing was written */
    object_is(c, "p", "object");
    doc_is(c, "d", "second", 2);
}
