/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart.c: see timepart.h. */
#include "catalog/timepart.h"

#include "base/civil.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/sequence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int timepart_copy(const struct timepart *p,
                  uint32_t more,
                  struct timepart **ret,
                  struct dn_err *err)
{
    struct timepart *n = mem_calloc(NULL, 1, sizeof *n);

    if (!n)
        return DN_FAIL_NOMEM(err);
    *n = *p;
    n->period = mem_strdup(NULL, p->period);
    n->seed = mem_strdup(NULL, p->seed);
    n->shards = mem_calloc(NULL, (size_t)p->shards_count + more + 1, sizeof *n->shards);
    n->gone = mem_calloc(NULL, (size_t)p->gone_count + p->shards_count + more + 1, sizeof *n->gone);
    if (!n->period || !n->seed || !n->shards || !n->gone) {
        timepart_free(n);
        return DN_FAIL_NOMEM(err);
    }
    if (p->shards_count)
        memcpy(n->shards, p->shards, p->shards_count * sizeof *n->shards);
    if (p->gone_count)
        memcpy(n->gone, p->gone, p->gone_count * sizeof *n->gone);
    *ret = n;
    return 0;
}

void timepart_free(struct timepart *p)
{
    if (!p)
        return;
    mem_free(p->period);
    mem_free(p->seed);
    mem_free(p->shards);
    mem_free(p->gone);
    mem_free(p);
}

int timepart_check(const struct timepart *p, struct dn_err *err)
{
    bool unused = false;

    DN_CHECK_DISK(p->retention >= 1 && p->retention <= TIMEPART_RETENTION_MAX,
                  err,
                  "retention: %" PRIu32,
                  p->retention);
    DN_CHECK_DISK(p->months >= 0 && p->seconds >= 0 &&
                      (p->months > 0) + (p->seconds > 0) == (p->manual ? 0 : 1),
                  err,
                  "period: not one");
    DN_CHECK_DISK(p->shards_count >= 1 && p->shards[0].id != 0 && timepart_shard_used(p->shards),
                  err,
                  "shards: none");
    DN_CHECK_DISK(p->style == TIMEPART_VIEW || p->next == 0, err, "next: there cannot be one");
    for (uint32_t i = 0; i < p->shards_count; i++) {
        bool used = timepart_shard_used(&p->shards[i]);

        DN_CHECK_DISK(!used || !unused, err, "shards[%" PRIu32 "]: used after one that is not", i);
        DN_CHECK_DISK(used || p->style == TIMEPART_TABLE, err, "shards[%" PRIu32 "]: not used", i);
        DN_CHECK_DISK(p->shards[i].low <= p->shards[i].high, err, "shards[%" PRIu32 "]: ends", i);
        unused = unused || !used;
    }
    for (uint32_t i = 0; timepart_table(p, i); i++)
        for (uint32_t k = 0; k < i; k++)
            DN_CHECK_DISK(timepart_table(p, k) != timepart_table(p, i),
                          err,
                          "shards: %" PRIu64 " is there twice",
                          timepart_table(p, i));
    return 0;
}

/* ---- names ---- */

/* CRC-32C, reflected, from 0 on and not inverted at the end. */
static uint32_t timepart_crc(uint32_t crc, const char *s)
{
    for (; *s; s++) {
        crc ^= (uint8_t)*s;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return crc;
}

void timepart_shard_name(uint32_t number, const char *after, char to[TIMEPART_NAME_MAX])
{
    char digits[16];

    snprintf(digits, sizeof digits, "%" PRIu32, number);
    snprintf(to,
             TIMEPART_NAME_MAX,
             "$%" PRIu32 "_%" PRIX32,
             number,
             timepart_crc(timepart_crc(0, digits), after));
}

/* ---- look-ups ---- */

const struct table *timepart_nth(const struct catalog *c, const struct table *t, uint32_t n)
{
    const struct timepart *p = t->timepart;

    if (!p || n >= p->shards_count || !timepart_shard_used(&p->shards[n]))
        return NULL;
    return catalog_table_by_id(c, p->shards[n].id);
}

const struct table *timepart_newest(const struct catalog *c, const struct table *t)
{
    return t->timepart ? timepart_nth(c, t, 0) : t;
}

uint64_t timepart_table(const struct timepart *p, uint32_t n)
{
    if (n < p->shards_count)
        return p->shards[n].id;
    n -= p->shards_count;
    if (p->next && n == 0)
        return p->next;
    n -= p->next != 0;
    return n < p->gone_count ? p->gone[n].id : 0;
}

const struct table *timepart_parent(const struct catalog *c, const struct table *t)
{
    return t->parent ? catalog_table_by_id(c, t->parent) : NULL;
}

static bool timepart_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool timepart_same_mods(const struct type_mods *a, const struct type_mods *b)
{
    bool same = a->count == b->count;

    for (uint8_t i = 0; same && i < a->count; i++)
        same = a->v[i] == b->v[i];
    return same;
}

/* dumped: an identity column of a may be a plain one of b. */
static bool timepart_same_column(const struct column *a, const struct column *b, bool dumped)
{
    bool plain = b->source == COLUMN_DEFAULT && !b->has_default && !b->def_sql;

    return a->id == b->id && a->type == b->type && timepart_same_mods(&a->mods, &b->mods) &&
           a->not_null == b->not_null &&
           ((dumped && column_is_identity(a) && plain) ||
            (a->source == b->source && timepart_same_text(a->def_sql, b->def_sql)));
}

static bool timepart_same(const struct table *a, const struct table *b, bool dumped)
{
    bool same = a->columns_count == b->columns_count && a->form == b->form &&
                a->local_count == b->local_count && a->partition_count == b->partition_count &&
                a->by_value == b->by_value && a->time_col == b->time_col &&
                a->upsert == b->upsert && a->constraints_count == b->constraints_count &&
                table_same_schedule(a, b);

    for (uint16_t i = 0; same && i < a->columns_count; i++)
        same = timepart_same_column(&a->columns[i], &b->columns[i], dumped);
    for (uint16_t i = 0; same && i < a->local_count; i++)
        same = a->local[i].col == b->local[i].col && a->local[i].desc == b->local[i].desc;
    for (uint16_t i = 0; same && i < a->constraints_count; i++)
        same = a->constraints[i].id == b->constraints[i].id &&
               timepart_same_text(a->constraints[i].text, b->constraints[i].text);
    return same;
}

bool timepart_alike(const struct table *a, const struct table *b)
{
    return timepart_same(a, b, false);
}

bool timepart_dumped(const struct table *parent, const struct table *t)
{
    return timepart_same(parent, t, true);
}

const struct table *timepart_target(const struct catalog *c, const struct table *t)
{
    const struct table *parent = timepart_parent(c, t);
    const struct table *newest = parent ? timepart_newest(c, parent) : NULL;

    return newest && (newest->id == t->id || timepart_alike(newest, t))
               ? newest
               : catalog_table_by_id(c, t->id);
}

int timepart_refuse_shard(const struct catalog *c,
                          const struct table *t,
                          const char *what,
                          struct dn_err *err)
{
    const struct table *parent = timepart_parent(c, t);
    int rc;

    if (!parent)
        return 0;
    rc = DN_FAIL(err,
                 DN_E_DEPENDENT,
                 "cannot %s \"%s\": it is a shard of time partition \"%s\"",
                 what,
                 t->name,
                 parent->name);
    dn_err_hint(err, "What is done to \"%s\" is done to all of its shards.", parent->name);
    return rc;
}

void timepart_counter_name(const struct table *t, char to[TIMEPART_COUNTER_MAX])
{
    bool plain = strcmp(t->schema, CATALOG_SCHEMA_DEFAULT) == 0;

    snprintf(to, TIMEPART_COUNTER_MAX, "%s%s%s", plain ? "" : t->schema, plain ? "" : ".", t->name);
}

/* ---- text ---- */

/* 2024-01-01T00:00:00Z */
static void timepart_print_time(int64_t seconds, struct buf *b)
{
    struct civil on = civil_from_days(civil_floor(seconds, CIVIL_DAY_SECONDS));
    int rest = (int)civil_mod(seconds, CIVIL_DAY_SECONDS);

    buf_printf(b,
               "%04" PRId64 "-%02d-%02dT%02d:%02d:%02dZ",
               on.year,
               on.month,
               on.day,
               rest / 3600,
               rest / 60 % 60,
               rest % 60);
}

void timepart_print_clause(const struct timepart *p, struct buf *b)
{
    bool table = p->style == TIMEPART_TABLE;

    if (table)
        buf_puts(b, p->manual ? "MANUAL" : "TIME");
    if (!table || !p->manual) {
        buf_puts(b, " PERIOD ");
        table_print_text(p->period, b);
    }
    buf_printf(b, " RETENTION %" PRIu32 " START ", p->retention);
    if (table && p->manual) {
        buf_printf(b, "%" PRId64, p->start);
        return;
    }
    buf_u8(b, '\'');
    if (p->manual)
        buf_printf(b, "%" PRId64, p->start);
    else
        timepart_print_time(p->start, b);
    buf_u8(b, '\'');
}
