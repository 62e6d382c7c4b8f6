/* SPDX-License-Identifier: Apache-2.0
 *
 * rollout.c: see rollout.h. */
#include "catalog/rollout.h"

#include "base/civil.h"
#include "base/mem.h"

#include <string.h>

/* ---- when ---- */

/* Months later, the same day and time of day; a day that the month does not have is its last. */
static bool rollout_months(int64_t start, int64_t months, int64_t *ret)
{
    struct civil on = civil_from_days(civil_floor(start, CIVIL_DAY_SECONDS));
    int64_t month = on.year * 12 + on.month - 1;
    int64_t year;
    int days;

    if (__builtin_add_overflow(month, months, &month) || month > (int64_t)12 * 1000000000)
        return false;
    year = civil_floor(month, 12);
    month = civil_mod(month, 12) + 1;
    days = civil_month_days(year, (int)month);
    *ret = civil_to_days(year, (int)month, on.day < days ? on.day : days) * CIVIL_DAY_SECONDS +
           civil_mod(start, CIVIL_DAY_SECONDS);
    return true;
}

bool rollout_point(const struct timepart *p, uint64_t n, int64_t *ret)
{
    int64_t step = p->manual ? 1 : p->months ? p->months : p->seconds;
    int64_t by;

    if (n > INT64_MAX || __builtin_mul_overflow((int64_t)n, step, &by))
        return false;
    if (p->months)
        return rollout_months(p->start, by, ret);
    return !__builtin_add_overflow(p->start, by, ret);
}

static int64_t rollout_window(const struct timepart *p)
{
    int64_t quarter = p->seconds / 4;

    return p->months || quarter > ROLLOUT_WINDOW ? ROLLOUT_WINDOW : quarter;
}

enum rollout_act
rollout_next(const struct timepart *p, const struct rollout_now *now, int64_t *ret_when)
{
    enum rollout_act act = ROLLOUT_NOTHING;
    int64_t when = INT64_MAX;
    int64_t point;

    if (rollout_point(p, p->rolls, &point)) {
        if (p->manual) {
            act = ROLLOUT_ROLL;
            when = now->counted && now->counter >= point ? now->seconds : INT64_MAX;
        } else if (p->style == TIMEPART_TABLE || p->next || point <= now->seconds) {
            act = ROLLOUT_ROLL;
            when = point;
        } else {
            act = ROLLOUT_ADD;
            when = point - rollout_window(p);
        }
    }
    if (p->gone_count > 0 && (act == ROLLOUT_NOTHING || p->gone[0].at <= when)) {
        act = ROLLOUT_DROP;
        when = p->gone[0].at;
    }
    *ret_when = when;
    return act;
}

enum rollout_act rollout_due(const struct timepart *p, const struct rollout_now *now)
{
    int64_t when;
    enum rollout_act act = rollout_next(p, now, &when);

    return act != ROLLOUT_NOTHING && when <= now->seconds ? act : ROLLOUT_NOTHING;
}

uint64_t rollout_passed(const struct timepart *p, uint64_t from, int64_t at)
{
    uint64_t low = 0; /* so many are */
    uint64_t high = 1;
    int64_t point;

    while (rollout_point(p, from + high - 1, &point) && point <= at) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high) {
        uint64_t mid = low + (high - low) / 2;

        if (rollout_point(p, from + mid - 1, &point) && point <= at)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static uint64_t rollout_count(const struct timepart *p, const struct rollout_now *now)
{
    if (p->manual && !now->counted)
        return 0;
    return rollout_passed(p, p->rolls, p->manual ? now->counter : now->seconds);
}

/* ---- steps of several edits ---- */

struct rollout {
    struct catalog *cat; /* owned: as far as it has come */
    uint64_t parent;
    struct timepart *p; /* owned: what the partition becomes */
    const struct rollout_now *now;
};

static int rollout_begin(
    struct rollout *r, const struct catalog *c, uint64_t parent, uint32_t more, struct dn_err *err)
{
    const struct table *t = catalog_table_by_id(c, parent);

    *r = (struct rollout){.parent = parent};
    if (!t || !t->timepart)
        return DN_FAIL(err, DN_E_UNDEFINED_TABLE, "the time partition does not exist any more");
    return timepart_copy(t->timepart, more, &r->p, err);
}

/* With the result of the last step; ends the rollout. */
static int rollout_end(
    struct rollout *r, const struct catalog *c, int rc, struct catalog **ret, struct dn_err *err)
{
    if (rc < 0)
        timepart_free(r->p);
    else
        rc = catalog_with_parts(r->cat ? r->cat : c, r->parent, r->p, ret, err);
    catalog_unref(r->cat);
    return rc;
}

static const struct catalog *rollout_cat(const struct rollout *r, const struct catalog *c)
{
    return r->cat ? r->cat : c;
}

static void rollout_step(struct rollout *r, struct catalog *next)
{
    catalog_unref(r->cat);
    r->cat = next;
}

/* A table for the shard of this number, or of the next one whose name is free. */
static int rollout_make(struct rollout *r,
                        const struct catalog *c,
                        uint32_t number,
                        uint64_t *ret_id,
                        uint32_t *ret_number,
                        struct dn_err *err)
{
    const struct table *parent = catalog_table_by_id(rollout_cat(r, c), r->parent);
    char name[TIMEPART_NAME_MAX];
    struct catalog *next;
    int rc;

    for (uint32_t tries = 0;; tries++) {
        timepart_shard_name(number, r->p->seed, name);
        if (catalog_free(rollout_cat(r, c), parent->schema, name, NULL) == 0)
            break;
        /* All numbers of the cycle are taken: those above it are never all. */
        number = tries == r->p->retention  ? r->p->retention + 1
                 : tries > r->p->retention ? number + 1
                                           : (number + 1) % (r->p->retention + 1);
    }
    rc = catalog_with_shard(rollout_cat(r, c), r->parent, name, ret_id, &next, err);
    if (rc < 0)
        return rc;
    rollout_step(r, next);
    *ret_number = number;
    return 0;
}

static void rollout_evict(struct timepart *p, uint64_t id, uint32_t number, int64_t at)
{
    uint32_t place = p->gone_count++;

    while (place > 0 && p->gone[place - 1].at > at) {
        p->gone[place] = p->gone[place - 1];
        place--;
    }
    p->gone[place] = (struct timepart_gone){.id = id, .number = number, .at = at};
}

/* Evicted shards whose time has come are no tables any more. */
static int rollout_drop(struct rollout *r, const struct catalog *c, struct dn_err *err)
{
    struct timepart *p = r->p;
    struct catalog *next;
    uint64_t *ids;
    uint32_t n = 0;
    int rc;

    while (n < p->gone_count && p->gone[n].at <= r->now->seconds)
        n++;
    if (n == 0)
        return 0;
    ids = mem_calloc(NULL, n, sizeof *ids);
    if (!ids)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = p->gone[i].id;
    memmove(p->gone, p->gone + n, (p->gone_count - n) * sizeof *p->gone);
    p->gone_count -= n;
    rc = catalog_without(rollout_cat(r, c), ids, n, &next, err);
    mem_free(ids);
    if (rc < 0)
        return rc;
    rollout_step(r, next);
    return 0;
}

/* ---- VIEW ---- */

static uint32_t rollout_number_after(const struct timepart *p, uint32_t number, uint64_t steps)
{
    return (uint32_t)((number + steps) % ((uint64_t)p->retention + 1));
}

/* The point of a rollout that is due; of a manual one the moment is now. */
static int64_t rollout_moment(const struct rollout *r, uint64_t n)
{
    int64_t point = r->now->seconds;

    if (!r->p->manual && !rollout_point(r->p, n, &point))
        point = r->now->seconds;
    return point;
}

/* Evicts what is too old after `rolls` rollouts, the oldest by the first of them that had to. */
static void rollout_evict_old(struct rollout *r, uint64_t rolls)
{
    struct timepart *p = r->p;
    uint64_t room = p->retention > p->shards_count ? p->retention - p->shards_count : 0;
    uint64_t by = room; /* rolls that evict nothing */

    while (p->shards_count > 0 && p->shards_count + rolls > p->retention) {
        const struct timepart_shard *s = &p->shards[--p->shards_count];

        rollout_evict(p, s->id, s->number, rollout_moment(r, p->rolls + by) + ROLLOUT_DROP_AFTER);
        by++;
    }
}

static int
rollout_view(struct rollout *r, const struct catalog *c, uint64_t rolls, struct dn_err *err)
{
    struct timepart *p = r->p;
    uint64_t made = rolls < p->retention ? rolls : p->retention;
    uint32_t newest = p->shards[0].number;
    int rc = 0;

    if (rolls > made) { /* the newest of them would have been closed by one that is not made */
        rollout_evict_old(r, rolls);
        if (p->next)
            rollout_evict(p,
                          p->next,
                          p->next_number,
                          rollout_moment(r, p->rolls + p->retention) + ROLLOUT_DROP_AFTER);
        if (p->next)
            newest = rollout_number_after(p, p->next_number, p->retention);
        p->next = 0;
        rc = rollout_drop(r, c, err);
    } else {
        rollout_evict_old(r, rolls);
    }
    for (uint64_t j = rolls - made; rc == 0 && j < rolls; j++) {
        struct timepart_shard s = {.id = p->next, .number = p->next_number, .high = TIMEPART_HIGH};

        if (!rollout_point(p, p->rolls + j, &s.low))
            s.low = r->now->seconds;
        if (!s.id)
            rc = rollout_make(r, c, rollout_number_after(p, newest, j + 1), &s.id, &s.number, err);
        else
            newest = rollout_number_after(p, s.number, p->retention); /* one before it */
        p->next = 0;
        if (p->shards_count > 0)
            p->shards[0].high = s.low;
        memmove(p->shards + 1, p->shards, p->shards_count * sizeof *p->shards);
        p->shards[0] = s;
        p->shards_count++;
    }
    p->rolls += rolls;
    return rc;
}

/* ---- TABLE ---- */

static int
rollout_empty(struct rollout *r, const struct catalog *c, uint64_t *id, struct dn_err *err)
{
    const struct table *was = catalog_table_by_id(rollout_cat(r, c), *id);
    struct catalog *next = NULL;
    struct table *t;
    int rc = was ? table_copy(was, &t, err)
                 : DN_FAIL(err, DN_E_UNDEFINED_TABLE, "a shard does not exist any more");

    if (rc < 0)
        return rc;
    rc = catalog_with_changed_table(rollout_cat(r, c), t, true, &next, err);
    if (rc < 0)
        goto out;
    *id = t->id;
    rollout_step(r, next);
out:
    table_unref(t);
    return rc;
}

static int
rollout_table(struct rollout *r, const struct catalog *c, uint64_t rolls, struct dn_err *err)
{
    struct timepart *p = r->p;
    /* Whole turns change nothing but the bounds. */
    uint64_t skip = rolls > 2 * (uint64_t)p->shards_count
                        ? (rolls - p->shards_count) / p->shards_count * p->shards_count
                        : 0;
    int rc = 0;

    for (uint64_t j = skip; rc == 0 && j < rolls; j++) {
        struct timepart_shard s = p->shards[p->shards_count - 1];

        rc = rollout_empty(r, c, &s.id, err); /* one that was not used may have been named */
        if (!rollout_point(p, p->rolls + j, &s.low))
            s.low = r->now->seconds;
        if (!rollout_point(p, p->rolls + j + 1, &s.high))
            s.high = TIMEPART_HIGH;
        if (p->shards_count > 1)
            p->shards[0].high = s.low;
        memmove(p->shards + 1, p->shards, (p->shards_count - 1) * sizeof *p->shards);
        p->shards[0] = s;
    }
    p->rolls += rolls;
    return rc;
}

/* ---- the steps ---- */

int rollout_edit(const struct catalog *c,
                 uint64_t parent,
                 enum rollout_act act,
                 const struct rollout_now *now,
                 struct catalog **ret,
                 struct dn_err *err)
{
    const struct table *t = catalog_table_by_id(c, parent);
    struct rollout r;
    uint64_t rolls;
    int rc = rollout_begin(&r, c, parent, t && t->timepart ? t->timepart->retention : 0, err);

    if (rc < 0)
        return rc;
    r.now = now;
    switch (act) {
    case ROLLOUT_ADD:
        rc = rollout_make(&r,
                          c,
                          rollout_number_after(r.p, r.p->shards[0].number, 1),
                          &r.p->next,
                          &r.p->next_number,
                          err);
        break;
    case ROLLOUT_ROLL:
        rolls = rollout_count(r.p, now);
        if (rolls > 0)
            rc = r.p->style == TIMEPART_TABLE ? rollout_table(&r, c, rolls, err)
                                              : rollout_view(&r, c, rolls, err);
        break;
    case ROLLOUT_DROP:
        rc = rollout_drop(&r, c, err);
        break;
    case ROLLOUT_NOTHING:
        break;
    }
    return rollout_end(&r, c, rc, ret, err);
}

/* The name of the next shard of a TABLE comes after that of the one before it. */
static int rollout_fill_up(struct rollout *r, const struct catalog *c, struct dn_err *err)
{
    struct timepart *p = r->p;
    char name[TIMEPART_NAME_MAX];
    char before[TABLE_NAME_MAX + 1];
    uint32_t number = 0;
    uint32_t used = 0;
    int rc = 0;

    while (used < p->shards_count && timepart_shard_used(&p->shards[used]))
        used++;
    for (uint32_t i = 0; i < p->shards_count; i++)
        number = number > p->shards[i].number ? number : p->shards[i].number;
    memcpy(before, p->seed, strlen(p->seed) + 1);
    for (uint32_t i = 0; i <= number; i++) {
        timepart_shard_name(i, before, name);
        memcpy(before, name, sizeof name);
    }
    while (rc == 0 && p->shards_count < p->retention) {
        const struct table *parent = catalog_table_by_id(rollout_cat(r, c), r->parent);
        struct timepart_shard s = {.low = TIMEPART_HIGH, .high = TIMEPART_HIGH};
        struct catalog *next;

        do {
            timepart_shard_name(++number, before, name);
            memcpy(before, name, sizeof name);
        } while (catalog_free(rollout_cat(r, c), parent->schema, name, NULL) != 0);
        s.number = number;
        rc = catalog_with_shard(rollout_cat(r, c), r->parent, name, &s.id, &next, err);
        if (rc < 0)
            break;
        rollout_step(r, next);
        /* The last one is used first: those of lower numbers stand behind it. */
        memmove(p->shards + used + 1, p->shards + used, (p->shards_count - used) * sizeof s);
        p->shards[used] = s;
        p->shards_count++;
    }
    return rc;
}

int rollout_fill(const struct catalog *c, uint64_t parent, struct catalog **ret, struct dn_err *err)
{
    const struct table *t = catalog_table_by_id(c, parent);
    struct rollout r;
    int rc = rollout_begin(&r, c, parent, t && t->timepart ? t->timepart->retention : 0, err);

    return rc < 0 ? rc : rollout_end(&r, c, rollout_fill_up(&r, c, err), ret, err);
}

int rollout_retain(const struct catalog *c,
                   uint64_t parent,
                   uint32_t retention,
                   const struct rollout_now *now,
                   struct catalog **ret,
                   struct dn_err *err)
{
    struct rollout r;
    struct timepart *p;
    int rc = rollout_begin(&r, c, parent, retention, err);

    if (rc < 0)
        return rc;
    r.now = now;
    p = r.p;
    p->retention = retention;
    for (; p->shards_count > retention; p->shards_count--)
        rollout_evict(p,
                      p->shards[p->shards_count - 1].id,
                      p->shards[p->shards_count - 1].number,
                      now->seconds + ROLLOUT_DROP_AFTER);
    if (p->style == TIMEPART_TABLE) {
        rc = rollout_fill_up(&r, c, err);
        if (rc < 0)
            goto out;
    }
    rc = rollout_drop(&r, c, err);
out:
    return rollout_end(&r, c, rc, ret, err);
}
