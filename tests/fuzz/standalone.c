/* SPDX-License-Identifier: Apache-2.0
 *
 * standalone.c: a main() for fuzz targets where there is no libFuzzer. Feeds every file named, and
 * every file of every directory named, to LLVMFuzzerTestOneInput, in order of names. Each input
 * lies in a heap block of its exact size, so that the sanitizer sees any overrun. Fails if there
 * was no input at all: an empty corpus proves nothing.
 *
 *     replay_codec tests/fuzz/corpus/codec
 *     replay_codec crash-5ba93c9db0cff93f52b521d7420e43f6eda2784f
 *
 * With --mutate COUNT --reach N it then goes on with COUNT inputs that are made from those,
 * by a seed (--seed, or DENDRO_TEST_SEED), and fails unless N of a thousand reached the inside
 * of what is tested (fuzz.h). One that stops the program is left in the file that --keep names. */
#include "fuzz.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_PATH_MAX  4096
#define REPLAY_BYTES_MAX (64u << 20)

struct replay_input {
    uint8_t *data; /* owned */
    size_t size;
    bool inside; /* it got to the inside as it is */
};

static size_t replay_count;
static struct replay_input *replay_inputs; /* owned: all that were fed, to make others from */
static struct {
    size_t count; /* mutated inputs to make, 0 = none */
    size_t reach; /* of a thousand: that many must get inside */
    uint64_t seed;
    const char *keep; /* file for the input that runs, NULL = none */
} replay_mutate;

static int replay_fail(const char *path, const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", path, what);
    return 1;
}

/* Takes the data over. */
static int replay_remember(const char *path, uint8_t *data, size_t size)
{
    struct replay_input *more =
        mem_realloc(NULL, replay_inputs, (replay_count + 1) * sizeof *replay_inputs);

    if (!more) {
        mem_free(data);
        return replay_fail(path, "out of memory");
    }
    replay_inputs = more;
    replay_inputs[replay_count++] =
        (struct replay_input){.data = data, .size = size, .inside = fuzz_reached_count > 0};
    return 0;
}

static int replay_file(const char *path, size_t size)
{
    FILE *f = NULL;
    uint8_t *data = NULL;
    int rc = 1;

    if (size > REPLAY_BYTES_MAX)
        return replay_fail(path, "too big for an input");
    data = mem_alloc(NULL, size);
    f = fopen(path, "rb");
    if (!data || !f || fread(data, 1, size, f) != size) {
        (void)replay_fail(path, "cannot be read");
    } else {
        /* Named before it runs: the last name printed is the one that crashed. */
        (void)fprintf(stderr, "%s\n", path);
        fuzz_reached_count = 0;
        (void)LLVMFuzzerTestOneInput(data, size);
        rc = replay_remember(path, data, size);
        data = NULL;
    }
    if (f)
        (void)fclose(f);
    mem_free(data);
    return rc;
}

static int replay_path(const char *path);

static int replay_dir(const char *path)
{
    char inner[REPLAY_PATH_MAX];
    struct dirent **names = NULL;
    int count = scandir(path, &names, NULL, alphasort);
    int rc = count < 0 ? replay_fail(path, "cannot be listed") : 0;

    for (int i = 0; i < count; i++) {
        if (rc == 0 && names[i]->d_name[0] != '.') {
            int n = snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
            rc = n < (int)sizeof inner ? replay_path(inner) : replay_fail(path, "path too long");
        }
        free(names[i]); /* scandir's own: not from mem.h */
    }
    free(names);
    return rc;
}

static int replay_path(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return replay_fail(path, "cannot be found");
    return S_ISDIR(st.st_mode) ? replay_dir(path) : replay_file(path, (size_t)st.st_size);
}

/* ---- mutations ---- */

/* splitmix64: the same inputs for the same seed, everywhere. */
static uint64_t replay_random(void)
{
    uint64_t z = replay_mutate.seed += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t replay_below(size_t n)
{
    return n ? (size_t)(replay_random() % n) : 0;
}

/* A number that readers of numbers get wrong, of 1 to 8 bytes, either end first. */
static void replay_put_edge(struct buf *b, size_t at)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     UINT8_MAX,
                                     INT8_MAX,
                                     INT16_MAX,
                                     UINT16_MAX,
                                     INT32_MAX,
                                     UINT32_MAX,
                                     INT64_MAX,
                                     UINT64_MAX,
                                     1ull << 63,
                                     1ull << 31};
    size_t width = (size_t)1 << replay_below(4);
    uint64_t v = edges[replay_below(DN_ARRAY_SIZE(edges))] + replay_below(3) - 1;
    bool big = replay_below(2);

    for (size_t i = 0; i < width && at + i < b->len; i++)
        b->data[at + i] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
}

/* Bytes [at, at + old) become [bytes, bytes + len). */
static void replay_splice(struct buf *b, size_t at, size_t old, const void *bytes, size_t len)
{
    struct buf to;

    buf_init(&to, NULL);
    buf_append(&to, b->data, at);
    buf_append(&to, bytes, len);
    if (at + old < b->len)
        buf_append(&to, b->data + at + old, b->len - at - old);
    buf_done(b);
    *b = to;
}

/* A word of some language, or a piece of another input, in place of up to `n` bytes. */
static void replay_insert(struct buf *b, size_t at, size_t n)
{
    static const char *const words[] = {"\\",
                                        "'",
                                        "\"",
                                        "--",
                                        "/*",
                                        "$$",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "(",
                                        ")",
                                        ",",
                                        ";",
                                        "\r\n",
                                        "\n",
                                        "\r",
                                        "\t",
                                        " ",
                                        "=",
                                        "-",
                                        "+",
                                        ".",
                                        "e",
                                        "E",
                                        "0",
                                        "1e999",
                                        "infinity",
                                        "NaN",
                                        "NULL",
                                        "ago",
                                        "\xff",
                                        "\xc3\xa4",
                                        "\xed\xa0\x80",
                                        "\xf4\x90\x80\x80",
                                        "9223372036854775808",
                                        "-9223372036854775809"};
    const struct replay_input *other = &replay_inputs[replay_below(replay_count)];
    const char *word = words[replay_below(DN_ARRAY_SIZE(words))];
    size_t old = replay_below(2) ? n : 0;
    size_t from;
    size_t len;

    if (replay_below(2) || other->size == 0) {
        replay_splice(b, at, old, word, strlen(word));
        return;
    }
    from = replay_below(other->size);
    len = replay_below(other->size - from < 64 ? other->size - from : 64) + 1;
    replay_splice(b, at, old, other->data + from, len);
}

static void replay_change(struct buf *b)
{
    size_t at = replay_below(b->len + 1);
    size_t left = b->len - at;
    size_t n = replay_below((left < 16 ? left : 16) + 1);
    uint8_t byte = (uint8_t)replay_random();

    switch (replay_below(8)) {
    case 0:
        if (left)
            b->data[at] ^= (uint8_t)(1u << replay_below(8));
        return;
    case 1:
        if (left)
            b->data[at] = byte;
        return;
    case 2:
        replay_splice(b, at, n, "", 0);
        return;
    case 3:
        replay_splice(b, at, 0, &byte, 1);
        return;
    case 4:
        replay_put_edge(b, at);
        return;
    case 5: /* cut off there */
        replay_splice(b, at, left, "", 0);
        return;
    default:
        replay_insert(b, at, n);
        return;
    }
}

static const struct buf *replay_running; /* the input that is under way; NULL = none */

/* The program stops: what it stopped on is left in a file. */
static void replay_keep(void)
{
    const struct buf *b = replay_running;
    FILE *f = b && replay_mutate.keep ? fopen(replay_mutate.keep, "wb") : NULL;

    replay_running = NULL;
    if (!f)
        return;
    (void)fwrite(b->data, 1, b->len, f);
    (void)fclose(f);
    (void)fprintf(stderr, "the input is in %s\n", replay_mutate.keep);
}

static void replay_on_signal(int sig)
{
    (void)signal(sig, SIG_DFL);
    replay_keep();
    (void)raise(sig);
}

/* Of the sanitizers, where they are linked. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*fn)(void));

static void replay_watch(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

    for (size_t i = 0; i < DN_ARRAY_SIZE(signals); i++)
        (void)signal(signals[i], replay_on_signal);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(replay_keep);
}

/* Three of four are made from an input that is accepted as it is: most others stay refused. */
static const struct replay_input *replay_pick(void)
{
    const struct replay_input *in = NULL;
    size_t tries = replay_below(4) ? 50 : 1;

    while (tries-- > 0 && !(in && in->inside))
        in = &replay_inputs[replay_below(replay_count)];
    return in;
}

static int replay_mutated(const char *program)
{
    uint64_t seed = replay_mutate.seed;
    size_t reached = 0;

    replay_watch();
    for (size_t i = 0; i < replay_mutate.count; i++) {
        const struct replay_input *base = replay_pick();
        size_t changes = 1 + replay_below(3);
        uint8_t *exact;
        struct buf b;

        buf_init(&b, NULL);
        buf_append(&b, base->data, base->size);
        while (changes-- > 0)
            replay_change(&b);
        exact = mem_alloc(NULL, b.len);
        if (b.failed || !exact)
            return replay_fail(program, "out of memory");
        if (b.len)
            memcpy(exact, b.data, b.len);
        replay_running = &b;
        fuzz_reached_count = 0;
        (void)LLVMFuzzerTestOneInput(exact, b.len);
        replay_running = NULL;
        reached += fuzz_reached_count > 0;
        mem_free(exact);
        buf_done(&b);
    }
    (void)printf("%zu of %zu mutated inputs got inside (seed %llu)\n",
                 reached,
                 replay_mutate.count,
                 (unsigned long long)seed);
    if (reached * 1000 < replay_mutate.reach * replay_mutate.count)
        return replay_fail(program, "too few inputs got inside: the target tests next to nothing");
    return 0;
}

/* Options take one number or file each; false: it is none. */
static bool replay_option(const char *name, const char *value)
{
    static const char *const names[] = {"--mutate", "--reach", "--seed", "--keep"};

    if (!value)
        return false;
    if (strcmp(name, names[0]) == 0)
        replay_mutate.count = strtoul(value, NULL, 10);
    else if (strcmp(name, names[1]) == 0)
        replay_mutate.reach = strtoul(value, NULL, 10);
    else if (strcmp(name, names[2]) == 0)
        replay_mutate.seed = strtoull(value, NULL, 10);
    else if (strcmp(name, names[3]) == 0)
        replay_mutate.keep = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("DENDRO_TEST_SEED");
    int rc = 0;

    replay_mutate.seed = seed ? strtoull(seed, NULL, 10) : 1;
    for (int i = 1; i < argc && rc == 0; i++) {
        if (replay_option(argv[i], argv[i + 1]))
            i++;
        else
            rc = replay_path(argv[i]);
    }
    if (rc == 0 && replay_count == 0)
        rc = replay_fail(argv[0], "no input");
    if (rc == 0)
        (void)printf("%zu inputs replayed\n", replay_count);
    if (rc == 0 && replay_mutate.count)
        rc = replay_mutated(argv[0]);
    for (size_t i = 0; i < replay_count; i++)
        mem_free(replay_inputs[i].data);
    mem_free(replay_inputs);
    return rc;
}
