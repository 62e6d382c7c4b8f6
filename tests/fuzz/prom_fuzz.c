/* SPDX-License-Identifier: Apache-2.0
 *
 * prom_fuzz.c: Prometheus' remote write, unpacked. Every text that is told lies in the input. */
#include "fuzz.h"

#include "server/ingest/prom.h"

#include "base/attr.h"

static struct prom_series prom_fuzz_series;

struct prom_fuzz {
    const uint8_t *data;
    size_t size;
    uint64_t samples;
};

static void prom_fuzz_inside(const struct prom_fuzz *f, struct lp_text t)
{
    const uint8_t *p = (const uint8_t *)t.ptr;

    DN_ASSERT(t.len == 0 || p >= f->data);
    DN_ASSERT(t.len == 0 || p + t.len <= f->data + f->size);
}

static int prom_fuzz_sample(void *arg,
                            const struct prom_series *s,
                            uint64_t bits DN_UNUSED,
                            int64_t time_ms DN_UNUSED)
{
    struct prom_fuzz *f = arg;

    for (uint32_t i = 0; i < s->labels_count; i++) {
        DN_ASSERT(s->labels[i].name.len > 0);
        prom_fuzz_inside(f, s->labels[i].name);
        prom_fuzz_inside(f, s->labels[i].value);
    }
    fuzz_reached();
    f->samples++;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct prom_fuzz f = {.data = data, .size = size};
    struct prom_counts counts;
    int rc = prom_decode(data, size, &prom_fuzz_series, prom_fuzz_sample, &f, &counts);

    DN_ASSERT(rc == 0 || rc == PROM_BAD);
    DN_ASSERT(f.samples <= counts.samples);
    return 0;
}
