/* SPDX-License-Identifier: Apache-2.0
 *
 * lines_fuzz.c: line protocol. Whatever comes, every text of a point lies in the input or the arena
 * and is not empty where it must not be; lines are counted; and lp_whole never says more than there
 * is. */
#include "fuzz.h"

#include "server/ingest/lp.h"

#include "base/attr.h"

#include <math.h>

static struct lp lines_lp;

static size_t lines_sum(struct lp_text t)
{
    size_t sum = t.len;

    for (uint32_t i = 0; i < t.len; i++)
        sum += (unsigned char)t.ptr[i]; /* the sanitizer looks */
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lp *p = &lines_lp;
    struct arena arena;
    size_t sum = 0;
    uint64_t line = 0;
    enum lp_result rc;

    arena_init(&arena, NULL);
    lp_begin(p, (const char *)data, size, &arena);
    while ((rc = lp_next(p)) != LP_END) {
        DN_ASSERT(p->at <= p->end);
        DN_ASSERT(p->line > line);
        line = p->line;
        if (rc == LP_BAD) {
            DN_ASSERT(p->error[0]);
            continue;
        }
        DN_ASSERT(rc == LP_POINT);
        fuzz_reached();
        DN_ASSERT(p->point.name.len > 0);
        DN_ASSERT(p->point.fields_count > 0);
        sum += lines_sum(p->point.name);
        for (uint32_t i = 0; i < p->point.tags_count; i++) {
            DN_ASSERT(p->point.tags[i].key.len > 0);
            DN_ASSERT(p->point.tags[i].value.len > 0);
            sum += lines_sum(p->point.tags[i].key) + lines_sum(p->point.tags[i].value);
        }
        for (uint32_t i = 0; i < p->point.fields_count; i++) {
            const struct lp_field *f = &p->point.fields[i];

            DN_ASSERT(f->key.len > 0);
            DN_ASSERT(f->type != LP_DOUBLE || isfinite(f->v.d));
            sum += f->type == LP_TEXT ? lines_sum(f->v.s) : 0;
        }
    }
    DN_ASSERT(lp_whole((const char *)data, size) <= size);
    arena_done(&arena);
    return sum == SIZE_MAX; /* it is used */
}
