/* SPDX-License-Identifier: Apache-2.0
 *
 * tz.c: offsets of a zone. Up to the last change of its file by search there; after it, and in
 * zones without a file, by the rule that every year repeats. */
#include "func/tz.h"

#include "base/civil.h"

#include <stdio.h>
#include <string.h>

const struct tz_zone tz_utc = {
    .name = "UTC", .has_rule = true, .rule = {.abbrev = {"UTC", "UTC"}, .summer = false}};

/* ---- the rule ---- */

/* When clocks change in a year, in seconds of the time before it (no zone). */
static int64_t tz_change_at(const struct tz_change *c, int64_t year)
{
    int64_t days = 0;

    switch (c->kind) {
    case TZ_JULIAN:
        days = civil_to_days(year, 1, 1) + c->day - 1 + (civil_is_leap(year) && c->day > 59);
        break;
    case TZ_YEAR_DAY:
        days = civil_to_days(year, 1, 1) + c->day;
        break;
    case TZ_WEEK_DAY:
        days = civil_to_days(year, c->month, 1);
        days += civil_mod(c->day - (days + 4), 7) + 7 * (int64_t)(c->week - 1);
        while (days >= civil_to_days(year, c->month, 1) + civil_month_days(year, c->month))
            days -= 7;
        break;
    }
    return days * CIVIL_DAY_SECONDS + c->seconds;
}

struct tz_event {
    int64_t at;
    int to; /* 0 standard, 1 summer time */
};

/* Years whose changes can be the last before an instant or the next after it. A rule may put a
 * change up to a week outside of its year, so that both changes of the year before may come after
 * an instant in January: then the year before that one decides. */
#define TZ_YEARS 5

/* The changes of the years around this one, in order. */
static void tz_events(const struct tz_rule *r, int64_t year, struct tz_event *ret)
{
    uint32_t n = 0;

    for (int64_t y = year - TZ_YEARS / 2; y <= year + TZ_YEARS / 2; y++)
        for (int to = 1; to >= 0; to--) {
            struct tz_event e = {tz_change_at(&r->change[to], y) - r->offset[!to], to};
            uint32_t i = n++;

            for (; i > 0 && ret[i - 1].at > e.at; i--)
                ret[i] = ret[i - 1];
            ret[i] = e;
        }
}

static struct tz_span tz_rule_span(const struct tz_rule *r, int64_t t)
{
    struct tz_span s = {.from = INT64_MIN, .end = INT64_MAX};
    struct tz_event events[2 * TZ_YEARS];
    int now = 0;

    if (r->summer) {
        tz_events(r, civil_from_days(civil_floor(t, CIVIL_DAY_SECONDS)).year, events);
        for (uint32_t i = 0; i < 2 * TZ_YEARS && s.end == INT64_MAX; i++) {
            if (events[i].at > t) {
                s.end = events[i].at;
            } else {
                s.from = events[i].at;
                now = events[i].to;
            }
        }
    }
    s.offset = r->offset[now];
    s.dst = now == 1;
    s.abbrev = r->abbrev[now];
    return s;
}

/* ---- the file ---- */

/* How many of the changes are not after t. */
static uint32_t tz_passed(const struct tz_zone *z, int64_t t)
{
    uint32_t low = 0;
    uint32_t high = z->count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (z->at[mid] <= t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct tz_span tz_span_at(const struct tz_zone *z, int64_t t)
{
    struct tz_span s;
    const struct tz_type *type;
    uint32_t passed;

    if (!z)
        z = &tz_utc;
    passed = tz_passed(z, t);
    if (z->has_rule && passed == z->count) {
        s = tz_rule_span(&z->rule, t);
        if (passed && s.from < z->at[passed - 1])
            s.from = z->at[passed - 1];
        return s;
    }
    type = &z->types[passed ? z->to[passed - 1] : z->first];
    return (struct tz_span){.from = passed ? z->at[passed - 1] : INT64_MIN,
                            .end = passed < z->count ? z->at[passed] : INT64_MAX,
                            .offset = type->offset,
                            .dst = type->dst,
                            .abbrev = z->abbrevs + type->abbrev};
}

bool tz_is_fixed(const struct tz_zone *z)
{
    return !z || (z->count == 0 && z->types_count <= 1 && !(z->has_rule && z->rule.summer));
}

int32_t tz_local_offset(const struct tz_zone *z, int64_t local)
{
    /* No clock is a day off: the change that matters, if there is one, comes after this. */
    struct tz_span before = tz_span_at(z, local - CIVIL_DAY_SECONDS);
    struct tz_span after;
    bool before_holds;
    bool after_holds;

    if (before.end == INT64_MAX)
        return before.offset;
    after = tz_span_at(z, before.end);
    before_holds = local - before.offset < before.end;
    after_holds = local - after.offset >= before.end;
    if (before_holds != after_holds)
        return before_holds ? before.offset : after.offset;
    return before.offset < after.offset ? before.offset : after.offset;
}

/* ---- zones of one offset ---- */

void tz_fixed(int32_t offset, struct tz_zone *ret)
{
    uint32_t a = (uint32_t)(offset < 0 ? -offset : offset) % 360000;
    char text[16];
    int n = snprintf(text, sizeof text, "%02u", a / 3600);

    if (a % 3600)
        n += snprintf(text + n, sizeof text - (size_t)n, ":%02u", a / 60 % 60);
    if (a % 60)
        snprintf(text + n, sizeof text - (size_t)n, ":%02u", a % 60);
    *ret = (struct tz_zone){.has_rule = true, .rule = {.offset = {offset, offset}}};
    for (int i = 0; i < 2; i++)
        snprintf(ret->rule.abbrev[i],
                 sizeof ret->rule.abbrev[i],
                 "%c%.14s",
                 offset < 0 ? '-' : '+',
                 text);
    snprintf(
        ret->name, sizeof ret->name, "<%s>%c%s", ret->rule.abbrev[0], offset < 0 ? '+' : '-', text);
}

/* ---- abbreviations ---- */

static const struct {
    char name[8];
    int32_t offset;
} tz_abbrevs[] = {
#define DN_ABBREV(name, offset) {name, offset},
#include "func/tz_abbrev_list.h"
#undef DN_ABBREV
};

bool tz_abbrev(struct vstr word, int32_t *ret_offset)
{
    char up[8];

    if (word.len == 0 || word.len >= sizeof up)
        return false;
    for (uint32_t i = 0; i < word.len; i++)
        up[i] = (char)(word.ptr[i] >= 'a' && word.ptr[i] <= 'z' ? word.ptr[i] - 32 : word.ptr[i]);
    up[word.len] = 0;
    for (size_t i = 0; i < DN_ARRAY_SIZE(tz_abbrevs); i++)
        if (strcmp(tz_abbrevs[i].name, up) == 0) {
            *ret_offset = tz_abbrevs[i].offset;
            return true;
        }
    return false;
}
