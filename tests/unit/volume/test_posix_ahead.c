/* SPDX-License-Identifier: Apache-2.0
 *
 * Zeros that the posix volume writes ahead of its logs, so that the sync of an append needs no
 * change of the file's length: when, how many, and that nobody takes them for bytes of the log. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "posix_place.h"
#include "volume/beside.h"
#include "volume/posix_faults.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define LOG_HEAD 64

struct place {
    struct posix_place *posix;
    struct volume *v;
    struct dn_err err;
    enum volume_posix_call call; /* which kind is struck */
    unsigned left;               /* of that kind until it is, 0 = none */
    int number;                  /* errno */
    size_t chunk;                /* most bytes a write moves, 0 = all */
    char trace[200];             /* w: write, s: sync */
};

static int place_ask(void *arg, enum volume_posix_call call, size_t *len)
{
    struct place *p = arg;
    size_t n = strlen(p->trace);

    if (n + 1 < sizeof p->trace && (call == VOLUME_POSIX_WRITE || call == VOLUME_POSIX_SYNC))
        p->trace[n] = call == VOLUME_POSIX_WRITE ? 'w' : 's';
    if (p->chunk && *len > p->chunk)
        *len = p->chunk;
    if (p->left == 0 || call != p->call)
        return 0;
    return --p->left ? 0 : p->number;
}

static int place_open(struct place *p)
{
    struct volume_posix_options options = {.create = true, .threads_max = 2};
    struct volume_posix_faults hook = {.fn = place_ask, .arg = p};

    return volume_posix_open_faulty(p->posix->dir, &options, &hook, &p->v, &p->err);
}

static int place_setup(void **state)
{
    struct place *p = mem_calloc(NULL, 1, sizeof *p);

    if (!p)
        return -1;
    p->posix = posix_place_new(true);
    if (!p->posix || place_open(p) != 0)
        return -1;
    *state = p;
    return 0;
}

static int place_teardown(void **state)
{
    struct place *p = *state;

    volume_close(p->v);
    posix_place_free(p->posix);
    mem_free(p);
    return mem_process_used() == 0 ? 0 : -1;
}

static uint64_t file_size(struct place *p, const char *file)
{
    char path[200];
    struct stat st;

    (void)snprintf(path, sizeof path, "%s/%s", p->posix->dir, file);
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

#define PIECE 1024u

/* Appends until the log has as many pieces; each is full of one letter. */
static void fill(struct place *p, const char *name, unsigned from, unsigned to)
{
    char piece[PIECE];

    for (unsigned i = from; i < to; i++) {
        memset(piece, (int)('a' + i % 26), sizeof piece);
        assert_int_equal(volume_log_append(p->v, name, 1, piece, sizeof piece, &p->err), 0);
    }
}

/* The log is so many pieces, and then zeros. */
static void filled(struct volume *v, const char *name, unsigned pieces, size_t zeros)
{
    struct buf got;

    buf_init(&got, NULL);
    assert_int_equal(volume_log_read(v, name, 0, &got, NULL), 0);
    assert_int_equal(got.len, pieces * PIECE + zeros);
    for (size_t i = 0; i < got.len; i++)
        assert_int_equal(got.data[i], i < pieces * PIECE ? 'a' + (int)(i / PIECE % 26) : 0);
    buf_done(&got);
}

/* A sync of a file that does not become longer is cheap. */
static void small_appends_run_into_zeros(void **state)
{
    struct place *p = *state;
    static char large[128 * 1024];

    assert_int_equal(volume_log_create(p->v, "l", 1, NULL), 0);
    fill(p, "l", 0, 15);
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 15 * PIECE);
    memset(p->trace, 0, sizeof p->trace);
    fill(p, "l", 15, 16);
    assert_string_equal(p->trace, "wws"); /* a half more, and synced with the append */
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 24 * PIECE);
    memset(p->trace, 0, sizeof p->trace);
    fill(p, "l", 16, 24);
    assert_string_equal(p->trace, "wswswswswswswsws");
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 24 * PIECE);
    filled(p->v, "l", 24, 0);
    fill(p, "l", 24, 25);
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 25 * PIECE * 3 / 2);
    filled(p->v, "l", 25, 0); /* what was made ahead is nobody's */
    volume_close(p->v);       /* and goes with the last user */
    assert_int_equal(place_open(p), 0);
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 25 * PIECE);
    filled(p->v, "l", 25, 0);
    fill(p, "l", 25, 26);
    filled(p->v, "l", 26, 0);
    /* Large appends and those that nobody waits for need none. */
    memset(large, 'x', sizeof large);
    assert_int_equal(volume_log_create(p->v, "m", 1, NULL), 0);
    assert_int_equal(volume_log_append(p->v, "m", 1, large, sizeof large, NULL), 0);
    assert_int_equal(volume_log_append_nosync(p->v, "m", 1, "x", 1, NULL), 0);
    assert_int_equal(file_size(p, "l/m"), LOG_HEAD + sizeof large + 1);
}

static void without_space_ahead_appends_go_on(void **state)
{
    struct place *p = *state;

    assert_int_equal(volume_log_create(p->v, "l", 1, NULL), 0);
    fill(p, "l", 0, 15);
    p->chunk = 600;
    p->call = VOLUME_POSIX_WRITE;
    p->number = ENOSPC;
    p->left = 4; /* two for the piece, one of the zeros */
    fill(p, "l", 15, 16);
    assert_int_equal(p->left, 0);
    p->chunk = 0;
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 16 * PIECE);
    filled(p->v, "l", 16, 0);
    fill(p, "l", 16, 17);
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 17 * PIECE * 3 / 2);
    /* An append that fails among the zeros ends the log as any other does. */
    p->call = VOLUME_POSIX_SYNC;
    p->number = EIO;
    p->left = 1;
    assert_int_equal(volume_log_append(p->v, "l", 1, "lost", 4, &p->err), DN_E_IO);
    filled(p->v, "l", 17, 0);
    assert_int_equal(file_size(p, "l/l"), LOG_HEAD + 17 * PIECE);
}

/* A reader beside the writer has the log as it was when it was opened, though its file has room. */
static void readers_beside_see_no_later_appends(void **state)
{
    const struct volume_posix_options beside = {.read_only = true, .threads_max = 2};
    struct place *p = *state;
    struct volume *reader;

    assert_int_equal(volume_log_create(p->v, "l", 1, NULL), 0);
    fill(p, "l", 0, 20);
    assert_int_equal(volume_posix_open(p->posix->dir, &beside, &reader, &p->err), 0);
    assert_int_equal(volume_hold(reader, VOLUME_LOG, "l", &p->err), 0);
    fill(p, "l", 20, 22);
    filled(reader, "l", 20, 4 * PIECE);
    filled(p->v, "l", 22, 0);
    volume_close(reader);
    /* Who has not held it sees what there is, as after a crash. */
    assert_int_equal(volume_posix_open(p->posix->dir, &beside, &reader, &p->err), 0);
    filled(reader, "l", 22, 2 * PIECE);
    volume_close(reader);
}

#define PLACED(fn) cmocka_unit_test_setup_teardown(fn, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACED(small_appends_run_into_zeros),
        PLACED(without_space_ahead_appends_go_on),
        PLACED(readers_beside_see_no_later_appends),
    };

    return cmocka_run_group_tests_name("posix volume, space ahead of logs", tests, NULL, NULL);
}
