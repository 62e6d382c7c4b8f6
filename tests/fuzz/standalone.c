/* SPDX-License-Identifier: Apache-2.0
 *
 * standalone.c: a main() for fuzz targets where there is no libFuzzer. Feeds every file named, and
 * every file of every directory named, to LLVMFuzzerTestOneInput, in order of names. Each input
 * lies in a heap block of its exact size, so that the sanitizer sees any overrun. Fails if there
 * was no input at all: an empty corpus proves nothing.
 *
 *     replay_codec tests/fuzz/corpus/codec
 *     replay_codec crash-5ba93c9db0cff93f52b521d7420e43f6eda2784f */
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLAY_PATH_MAX  4096
#define REPLAY_BYTES_MAX (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay_count;

static int replay_fail(const char *path, const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", path, what);
    return 1;
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
        (void)LLVMFuzzerTestOneInput(data, size);
        replay_count++;
        rc = 0;
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

int main(int argc, char **argv)
{
    int rc = 0;

    for (int i = 1; i < argc && rc == 0; i++)
        rc = replay_path(argv[i]);
    if (rc == 0 && replay_count == 0)
        rc = replay_fail(argv[0], "no input");
    if (rc == 0)
        (void)printf("%zu inputs replayed\n", replay_count);
    return rc;
}
