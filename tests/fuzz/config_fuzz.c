/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration texts: nothing makes the reader fall over, and what it took prints as a text that
 * it takes again, with the same values. */
#include "fuzz.h"

#include "catalog/config.h"

#include "base/attr.h"

#include <stdlib.h>
#include <string.h>

static void fuzz_check(bool good)
{
    if (!good)
        abort();
}

static void fuzz_told(void *arg, const char *text)
{
    size_t *count = arg;

    fuzz_check(strlen(text) > 0);
    (*count)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_from from = {.source = CONFIG_FILE, .where = "fuzz"};
    struct config *c = NULL, *again = NULL;
    const struct config_entry *e;
    struct dn_err err;
    size_t told = 0;
    struct buf b;

    fuzz_check(config_new(&c, &err) == 0 && config_new(&again, &err) == 0);
    fuzz_check(config_parse(c, (const char *)data, size, &from, fuzz_told, &told, &err) ==
               (int)told);
    buf_init(&b, NULL);
    fuzz_check(config_print(c, CONFIG_FILE, &b, &err) == 0);
    told = 0;
    fuzz_check(config_parse(again, (const char *)b.data, b.len, &from, fuzz_told, &told, &err) ==
               0);
    for (size_t i = 0; (e = config_at(c, i)) != NULL; i++)
        fuzz_check(config_same(c, again, e->row));
    if (config_at(c, 0))
        fuzz_reached();
    buf_done(&b);
    config_unref(c);
    config_unref(again);
    return 0;
}
