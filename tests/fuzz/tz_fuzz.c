/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a file of the time zone database, as a POSIX string, and as the name of a zone. What
 * is read must have an offset at any instant, spans that hold it, and a local time must be shown at
 * the instant that tz_local_offset finds unless the clocks skip it. */
#include "fuzz.h"

#include "base/mem.h"
#include "func/tz.h"

#include <stdlib.h>
#include <string.h>

static void fuzz_check(bool ok)
{
    if (!ok)
        abort();
}

static void fuzz_at(const struct tz_zone *z, int64_t t)
{
    struct tz_span s = tz_span_at(z, t);
    int64_t local = t + s.offset;
    int64_t back = local - tz_local_offset(z, local);

    fuzz_check(s.from <= t && (t < s.end || s.end == INT64_MAX));
    fuzz_check(s.abbrev && strlen(s.abbrev) < 256);
    if (s.from != INT64_MIN && s.end != INT64_MAX && s.end - t > 200000 && t - s.from > 200000)
        fuzz_check(back == t); /* far from any change there is no choice */
}

static void fuzz_zone(const struct tz_zone *z)
{
    static const int64_t around[] = {-100000, -3600, -1, 0, 1, 3600, 100000};

    fuzz_reached();
    for (uint32_t i = 0; i < z->count && i < 64; i++)
        for (size_t k = 0; k < DN_ARRAY_SIZE(around); k++)
            if (z->at[i] > INT64_MIN / 4 && z->at[i] < INT64_MAX / 4)
                fuzz_at(z, z->at[i] + around[k]);
    for (int64_t t = -((int64_t)1 << 36); t < (int64_t)1 << 36; t += (int64_t)1 << 30)
        fuzz_at(z, t);
}

/* A name in any case, an abbreviation, or such a string: a zone that has a name, or a reason. */
static void fuzz_name(struct vstr name)
{
    static struct tz_cache *cache;
    const struct tz_zone *z = NULL;
    struct tz_zone room;
    struct dn_err err;
    int32_t offset;

    if (!cache) {
        struct sched *sched = sched_threads_new(1, &err);

        fuzz_check(sched && tz_cache_new(NULL, sched, &cache, &err) == 0);
    }
    dn_err_clear(&err);
    if (tz_find(cache, name, &room, &z, &err) == 0) {
        fuzz_check(z->name[0] && strlen(z->name) <= TZ_NAME_MAX);
        fuzz_zone(z);
    } else {
        fuzz_check(err.code == DN_E_INVALID_PARAM && err.text[0]);
    }
    if (tz_abbrev(name, &offset))
        fuzz_check(offset > -86400 && offset < 86400);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct tz_zone z;
    struct dn_err err;

    if (size > 65536)
        return 0;
    arena_init(&arena, NULL);
    if (tz_read("fuzz", data, size, &arena, &z, &err) == 0)
        fuzz_zone(&z);
    if (size <= TZ_NAME_MAX && tz_posix((struct vstr){(const char *)data, (uint32_t)size}, &z))
        fuzz_zone(&z);
    if (size <= 2 * TZ_NAME_MAX)
        fuzz_name((struct vstr){(const char *)data, (uint32_t)size});
    arena_done(&arena);
    return 0;
}
