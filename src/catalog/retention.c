/* SPDX-License-Identifier: Apache-2.0
 *
 * retention.c: see the header. */
#include "catalog/retention.h"

#include "base/civil.h"
#include "catalog/catalog_int.h"
#include "catalog/duration.h"
#include "catalog/settings_int.h"
#include "catalog/table.h"

#include <string.h>
#include <strings.h>

#define RETENTION_NS          1000000000
#define RETENTION_MONTHS_MAX  (12 * 100000) /* what the calendar is asked for */
#define RETENTION_YEAR_MONTHS 12

/* ---- the option ---- */

static const struct {
    const char *word;
    int64_t months;
} retention_months[] = {
    {"mon", 1},
    {"mons", 1},
    {"month", 1},
    {"months", 1},
    {"y", RETENTION_YEAR_MONTHS},
    {"yr", RETENTION_YEAR_MONTHS},
    {"year", RETENTION_YEAR_MONTHS},
    {"years", RETENTION_YEAR_MONTHS},
};

/* "MB" is a size, "M" and "m" are none: that is minutes. */
static int64_t retention_size(const char *word)
{
    size_t len = strlen(word);

    return word[len - 1] == 'B' || (len > 1 && word[len - 1] == 'b') ? settings_size_unit(word) : 0;
}

static bool retention_add(int64_t n, int64_t unit, int64_t *sum)
{
    return !__builtin_mul_overflow(n, unit, &n) && !__builtin_add_overflow(*sum, n, sum);
}

static bool retention_add_age(int64_t n, const char *word, struct retention *to)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(retention_months); i++)
        if (strcasecmp(retention_months[i].word, word) == 0)
            return retention_add(n, retention_months[i].months, &to->months);
    return duration_word(word) > 0 && retention_add(n, duration_word(word), &to->seconds);
}

bool retention_parse(const char *text, struct retention *ret)
{
    static const char *const slabs[] = {"partition", "partitions", "slab", "slabs"};
    struct retention r = {.kind = RETENTION_AGE};
    char word[DURATION_WORD_MAX];
    const char *s = duration_skip_spaces(text);
    const char *next;
    int64_t n;

    next = duration_pair(s, &n, word);
    if (!next)
        return false;
    for (size_t i = 0; i < DN_ARRAY_SIZE(slabs); i++)
        if (strcasecmp(word, slabs[i]) == 0)
            r = (struct retention){.kind = RETENTION_SLABS, .count = (uint64_t)n};
    if (r.kind == RETENTION_AGE && retention_size(word) > 0) {
        if (__builtin_mul_overflow(n, retention_size(word), &n))
            return false;
        r = (struct retention){.kind = RETENTION_BYTES, .count = (uint64_t)n};
    }
    if (r.kind != RETENTION_AGE) {
        *ret = r;
        return !*next && r.count > 0;
    }
    for (; next; next = duration_pair(s, &n, word)) {
        if (!retention_add_age(n, word, &r))
            return false;
        s = next;
        if (*s == '\0')
            break;
    }
    *ret = r;
    return next && (r.months > 0 || r.seconds > 0) && r.months <= RETENTION_MONTHS_MAX;
}

bool retention_late(const char *text, enum late_rows *ret)
{
    *ret = strcasecmp(text, "drop") == 0 ? LATE_DROP : LATE_REJECT;
    return *ret == LATE_DROP || strcasecmp(text, "reject") == 0;
}

bool retention_future(const char *text, int64_t *ret_seconds)
{
    if (strcasecmp(text, "none") == 0) {
        *ret_seconds = RETENTION_ANY_FUTURE;
        return true;
    }
    return duration_parse(text, ret_seconds) && *ret_seconds >= 0;
}

int64_t retention_future_default(const struct table *t)
{
    return t->retention.kind == RETENTION_NONE ? RETENTION_ANY_FUTURE : RETENTION_FUTURE;
}

const char *retention_option(const struct table *t, const char *name)
{
    for (uint16_t i = 0; i < t->options_count; i++)
        if (strcmp(t->options[i].name, name) == 0)
            return t->options[i].value;
    return NULL;
}

/* ---- the horizon ---- */

/* Seconds, so many months earlier: the same day, or the last one of the month. */
static int64_t retention_months_off(int64_t seconds, int64_t months)
{
    int64_t days = civil_floor(seconds, CIVIL_DAY_SECONDS);
    struct civil c = civil_from_days(days);
    int64_t month = c.year * RETENTION_YEAR_MONTHS + c.month - 1 - months;
    int64_t year = civil_floor(month, RETENTION_YEAR_MONTHS);
    int of_year = (int)civil_mod(month, RETENTION_YEAR_MONTHS) + 1;
    int last = civil_month_days(year, of_year);

    return civil_to_days(year, of_year, c.day < last ? c.day : last) * CIVIL_DAY_SECONDS +
           civil_mod(seconds, CIVIL_DAY_SECONDS);
}

/* A time of the clock, in the unit of the time column; false: before all of its times. */
static bool
retention_time(const struct table *t, int64_t seconds, int64_t rest_ns, int64_t *ret_time)
{
    int64_t unit = type_ts_per_second(t->columns[t->time_col].type);

    return !__builtin_mul_overflow(seconds, unit, ret_time) &&
           !__builtin_add_overflow(*ret_time, rest_ns / (RETENTION_NS / unit), ret_time);
}

static int64_t retention_by_age(const struct table *t, int64_t now_ns)
{
    const struct retention *r = &t->retention;
    int64_t seconds = civil_floor(now_ns, RETENTION_NS);
    int64_t time;

    seconds = retention_months_off(seconds, r->months);
    if (__builtin_sub_overflow(seconds, r->seconds, &seconds) ||
        !retention_time(t, seconds, civil_mod(now_ns, RETENTION_NS), &time))
        return RETENTION_NO_HORIZON;
    return table_slab(t, time);
}

int64_t retention_latest(const struct table *t, int64_t now_ns)
{
    int64_t seconds = civil_floor(now_ns, RETENTION_NS);
    int64_t time;

    if (t->time_col < 0 || t->future_seconds == RETENTION_ANY_FUTURE ||
        __builtin_add_overflow(seconds, t->future_seconds, &seconds) ||
        !retention_time(t, seconds, civil_mod(now_ns, RETENTION_NS), &time))
        return INT64_MAX;
    return time;
}

/* The start of the oldest slab that is kept. */
static int64_t retention_by_count(const struct retention *r,
                                  int64_t now,
                                  const struct retention_slab *slabs,
                                  size_t count)
{
    bool by_bytes = r->kind == RETENTION_BYTES;
    int64_t horizon = RETENTION_NO_HORIZON;
    uint64_t sum = 0;

    for (size_t i = count; i-- > 0;) {
        bool newest = horizon == RETENTION_NO_HORIZON;

        if (slabs[i].rows == 0 || slabs[i].start > now)
            continue;
        if (__builtin_add_overflow(sum, by_bytes ? slabs[i].bytes : 1, &sum))
            sum = UINT64_MAX;
        if (sum > r->count && !newest)
            return horizon;
        horizon = slabs[i].start;
        if (!by_bytes && sum == r->count)
            return horizon; /* an older one would be one too many */
    }
    return RETENTION_NO_HORIZON; /* older ones may come */
}

int64_t retention_horizon(const struct table *t,
                          int64_t now_ns,
                          const struct retention_slab *slabs,
                          size_t count)
{
    int64_t horizon = RETENTION_NO_HORIZON;
    int64_t now;

    if (t->time_col < 0)
        return horizon;
    switch (t->retention.kind) {
    case RETENTION_NONE:
        break;
    case RETENTION_AGE:
        horizon = retention_by_age(t, now_ns);
        break;
    case RETENTION_BYTES:
    case RETENTION_SLABS:
        if (retention_time(t, civil_floor(now_ns, RETENTION_NS), 0, &now))
            horizon = retention_by_count(&t->retention, now, slabs, count);
        break;
    }
    return horizon > t->horizon ? horizon : t->horizon;
}

int64_t retention_next(const struct table *t, int64_t now_ns)
{
    int64_t end;
    int64_t seconds;

    if (t->time_col < 0 || t->retention.kind != RETENTION_AGE || t->retention.months > 0)
        return INT64_MAX;
    end = table_slab_end(t, retention_by_age(t, now_ns));
    if (end == INT64_MAX)
        return end;
    seconds = civil_floor(end, type_ts_per_second(t->columns[t->time_col].type));
    return __builtin_add_overflow(seconds, t->retention.seconds, &seconds) ? INT64_MAX : seconds;
}

/* The first second from which on so many months earlier is not before the one given. */
static int64_t retention_months_on(int64_t seconds, int64_t months)
{
    int64_t days = civil_floor(seconds, CIVIL_DAY_SECONDS);
    struct civil c = civil_from_days(days);
    int64_t month = c.year * RETENTION_YEAR_MONTHS + c.month - 1 + months;
    int64_t year = civil_floor(month, RETENTION_YEAR_MONTHS);
    int of_year = (int)civil_mod(month, RETENTION_YEAR_MONTHS) + 1;
    int last = civil_month_days(year, of_year);

    if (c.day > last) /* the month has no such day: with the next one */
        return (civil_to_days(year, of_year, last) + 1) * CIVIL_DAY_SECONDS;
    return civil_to_days(year, of_year, c.day) * CIVIL_DAY_SECONDS +
           civil_mod(seconds, CIVIL_DAY_SECONDS);
}

bool retention_time_ms(const struct table *t, int64_t time, int64_t *ret)
{
    int64_t unit = type_ts_per_second(t->columns[t->time_col].type);

    if (time == INT64_MAX || time == INT64_MIN)
        return false;
    if (unit <= 1000)
        return !__builtin_mul_overflow(time, 1000 / unit, ret);
    *ret = time / (unit / 1000) - (time % (unit / 1000) < 0);
    return true;
}

int64_t retention_gone(const struct table *t, int64_t slab_end)
{
    int64_t seconds;

    if (t->time_col < 0 || t->retention.kind != RETENTION_AGE || slab_end == INT64_MAX)
        return INT64_MAX;
    seconds = civil_floor(slab_end, type_ts_per_second(t->columns[t->time_col].type));
    if (__builtin_add_overflow(seconds, t->retention.seconds, &seconds))
        return INT64_MAX;
    return t->retention.months ? retention_months_on(seconds, t->retention.months) : seconds;
}

int catalog_with_horizons(const struct catalog *c,
                          const struct catalog_horizon *list,
                          size_t count,
                          struct catalog **ret,
                          struct dn_err *err)
{
    struct catalog *n;
    int rc = catalog_copy(c, &n, err);

    if (rc < 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < n->tables_count; i++)
        for (size_t k = 0; rc == 0 && k < count; k++) {
            struct table *t = n->tables[i];
            struct table *moved;

            if (t->id != list[k].table || t->version != list[k].version ||
                t->horizon >= list[k].horizon)
                continue;
            rc = table_copy(t, &moved, err);
            if (rc < 0)
                break;
            moved->version = t->version;
            moved->horizon = list[k].horizon;
            n->tables[i] = moved;
            table_unref(t);
        }
    if (rc < 0)
        catalog_unref(n);
    else
        *ret = n;
    return rc;
}
