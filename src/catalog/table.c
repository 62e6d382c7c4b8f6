/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: life, look-ups and time arithmetic of a finished definition. Building is in
 * table_build.c, the invariants a stored one must keep in table_check.c.
 *
 * Slabs. Each rule governs the times from its `from` up to the next rule's. Inside, slabs are
 * aligned on the epoch; the first slab of a rule begins at `from` itself if that is later, so
 * slabs of two rules never overlap:
 *
 *     rule 0 (width 4)         | from = 12, rule 1 (width 5)
 *     … [4..8) [8..12)         | [12..15) [15..20) …
 */
#include "catalog/table.h"

#include "base/text.h"
#include "catalog/quantum.h"
#include "catalog/table_int.h"
#include "vec/keyser.h"
#include "vec/wide.h"

#include <string.h>
#include <strings.h>

struct table *table_new(void)
{
    struct table *t = mem_calloc(NULL, 1, sizeof *t);

    if (!t)
        return NULL;
    atomic_init(&t->refs, 1);
    t->version = 1;
    t->column_id_next = 1;
    t->quantum_pos = -1;
    t->time_col = -1;
    t->spread = 1;
    t->horizon = RETENTION_NO_HORIZON;
    return t;
}

struct table *table_ref(const struct table *t)
{
    struct table *owned;

    /* References are shared by readers that hold a const view; only the counter changes. */
    memcpy(&owned, &t, sizeof owned);
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return owned;
}

/* String bytes of a default are the definition's own. */
void table_free_default(struct column *c)
{
    void *bytes;

    if (!c->has_default || !type_is_string(c->type))
        return;
    memcpy(&bytes, &c->def.str.ptr, sizeof bytes);
    mem_free(bytes);
}

void table_free_column(struct column *c)
{
    table_free_default(c);
    mem_free(c->def_sql);
    mem_free(c->name);
    mem_free(c->comment);
    *c = (struct column){.id = 0};
}

void table_free_options(struct table *t)
{
    for (size_t i = 0; t->options && i < t->options_count; i++) {
        mem_free(t->options[i].name);
        mem_free(t->options[i].value);
    }
    mem_free(t->options);
    t->options = NULL;
    t->options_count = 0;
}

void table_unref(struct table *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; t->columns && i < t->columns_count; i++)
        table_free_column(&t->columns[i]);
    table_free_options(t);
    for (size_t i = 0; t->constraints && i < t->constraints_count; i++)
        table_free_constraint(&t->constraints[i]);
    mem_free(t->constraints);
    mem_free(t->schema);
    mem_free(t->comment);
    mem_free(t->name);
    mem_free(t->columns);
    mem_free(t->partition);
    mem_free(t->local);
    mem_free(t->rest);
    mem_free(t->slabs);
    timepart_free(t->timepart);
    mem_free(t);
}

static bool table_in_series(const struct table *t, uint16_t col)
{
    for (uint16_t i = 0; i < t->series_count; i++)
        if (t->series[i] == col)
            return true;
    return false;
}

/* Rows of one partition belong together if there are many of them, which the time in a key is a
 * sign of. Of other keys the partition is mostly the row itself. */
static bool table_suits_value(const struct table *t)
{
    if (t->partition_count == 0 || t->quantum_pos >= 0 || t->time_col >= 0)
        return false;
    for (uint16_t i = 0; i < t->local_count; i++) {
        enum type_id type = t->columns[t->local[i].col].type;

        if (type_is_timestamp(type) || type == TYPE_TIMESTAMPTZ || type == TYPE_DATE)
            return false;
    }
    return true;
}

int table_lay_out(struct table *t, struct dn_err *err)
{
    t->by_value = table_suits_value(t);
    return table_derive(t, err);
}

int table_derive(struct table *t, struct dn_err *err)
{
    t->rest = mem_calloc(NULL, t->local_count + 1u, sizeof *t->rest); /* never nothing */
    if (!t->rest)
        return DN_FAIL_NOMEM(err);
    t->series = t->partition;
    t->series_count = t->by_value ? 0 : t->partition_count;
    t->rest_count = 0;
    t->time_desc = false;
    for (uint16_t i = 0; i < t->local_count; i++) {
        struct key_part part = t->local[i];

        DN_ASSERT(part.col < t->columns_count); /* I3 */
        t->columns[part.col].key_pos = (uint16_t)(i + 1);
        if (t->columns[part.col].has_default &&
            !datum_key_form(&t->columns[part.col].mods, &t->columns[part.col].def))
            return DN_FAIL(err,
                           DN_E_DATETIME_RANGE,
                           "default of key column \"%s\": interval out of range",
                           t->columns[part.col].name);
        if (part.col == t->time_col)
            t->time_desc = part.desc;
        if (!table_in_series(t, part.col))
            t->rest[t->rest_count++] = part;
    }
    DN_ASSERT(t->rest_count + t->series_count == t->local_count); /* I3: the series is in local */
    DN_ASSERT(t->quantum_pos < 0 || t->quantum_pos == t->partition_count);
    return 0;
}

const struct slab_rule *table_slab_rule(const struct table *t, int64_t slab_start)
{
    size_t low = 0;
    size_t high = t->slabs_count;

    if (t->time_col < 0)
        return NULL;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (t->slabs[mid].from <= slab_start)
            low = mid;
        else
            high = mid;
    }
    return &t->slabs[low];
}

/* Aligned start, but never before the rule's own beginning. */
static int64_t table_aligned(const struct slab_rule *rule, int64_t time, int64_t width)
{
    int64_t start = quantum_start(time, width);

    return start < rule->from ? rule->from : start;
}

int64_t table_slab(const struct table *t, int64_t time)
{
    const struct slab_rule *rule = table_slab_rule(t, time);

    return rule ? table_aligned(rule, time, rule->slab_width) : 0;
}

/* From an interval's first instant to the next aligned one; the aligned start itself may lie before
 * INT64_MIN or before the rule. */
static int64_t
table_aligned_end(const struct table *t, const struct slab_rule *rule, int64_t start, int64_t width)
{
    int64_t rest = start % width;
    int64_t end;

    if (rest < 0)
        rest += width;
    end = quantum_end(start, width - rest);
    if (rule + 1 < t->slabs + t->slabs_count && end > rule[1].from)
        end = rule[1].from;
    return end;
}

int64_t table_slab_end(const struct table *t, int64_t slab_start)
{
    const struct slab_rule *rule = table_slab_rule(t, slab_start);

    return rule ? table_aligned_end(t, rule, slab_start, rule->slab_width) : INT64_MAX;
}

bool table_has_quantum(const struct table *t, int64_t time)
{
    const struct slab_rule *rule = table_slab_rule(t, time);

    return rule && rule->quantum_width > 0;
}

int64_t table_quantum_end(const struct table *t, int64_t start)
{
    const struct slab_rule *rule = table_slab_rule(t, start);

    return rule && rule->quantum_width ? table_aligned_end(t, rule, start, rule->quantum_width)
                                       : INT64_MAX;
}

bool table_same_schedule(const struct table *a, const struct table *b)
{
    if (a->slabs_count != b->slabs_count)
        return false;
    for (uint16_t i = 0; i < a->slabs_count; i++)
        if (a->slabs[i].from != b->slabs[i].from ||
            a->slabs[i].slab_width != b->slabs[i].slab_width)
            return false;
    return true;
}

int64_t table_quantum(const struct table *t, int64_t time)
{
    const struct slab_rule *rule = table_slab_rule(t, time);

    return rule && rule->quantum_width ? table_aligned(rule, time, rule->quantum_width) : time;
}

int table_column_find(const struct table *t, const char *name, size_t len)
{
    int found = -1;

    for (int i = 0; i < t->columns_count; i++)
        if (strlen(t->columns[i].name) == len && memcmp(t->columns[i].name, name, len) == 0)
            return i;
    for (int i = 0; i < t->columns_count; i++) {
        const char *have = t->columns[i].name;

        if (!text_same_fold(have, strlen(have), name, len))
            continue;
        if (found >= 0)
            return -2;
        found = i;
    }
    return found;
}

int table_column_by_id(const struct table *t, uint32_t id)
{
    for (int i = 0; i < t->columns_count; i++)
        if (t->columns[i].id == id)
            return i;
    return -1;
}

int64_t table_token(const struct table *t, const struct datum *partition, struct buf *scratch)
{
    int64_t token = 0;

    if (t->partition_count == 0)
        return 0;
    if (keyser_token(scratch, partition, t->partition_count, &token, NULL) < 0)
        scratch->failed = true;
    return token;
}

int64_t table_series_token(const struct table *t, const struct datum *series, struct buf *scratch)
{
    return t->series_count ? table_token(t, series, scratch) : 0;
}

bool table_width(int64_t count, int64_t unit_seconds, enum type_id type, int64_t *ret_width)
{
    int64_t seconds;

    return !__builtin_mul_overflow(count, unit_seconds, &seconds) &&
           !__builtin_mul_overflow(seconds, type_ts_per_second(type), ret_width);
}

bool table_compresses(const struct table *t)
{
    for (uint16_t i = 0; i < t->options_count; i++)
        if (strcmp(t->options[i].name, "compression") == 0)
            return strcasecmp(t->options[i].value, "max") == 0;
    return false;
}
