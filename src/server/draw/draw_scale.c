/* SPDX-License-Identifier: Apache-2.0 */
#include "server/draw/draw_scale.h"

#include "base/civil.h"

#include <inttypes.h>
#include <math.h>

#define SCALE_FAR 1e12 /* seconds: 30,000 years on both sides of 1970 have names */

double draw_place(const struct draw_scale *s, double v)
{
    double from = s->log ? log10(s->from) : s->from;
    double to = s->log ? log10(s->to) : s->to;
    double at = s->log ? log10(fmax(v, s->from)) : v;
    double share = to > from ? (at - from) / (to - from) : 0.5;

    /* What is far outside of a given domain is cut off there, and numbers stay short. */
    share = fmin(fmax(share, -2), 3);
    return s->begin + share * (s->end - s->begin);
}

static void ticks_add(struct draw_ticks *t, double v)
{
    if (t->count < SCALE_TICKS_MAX)
        t->at[t->count++] = v;
}

static double ticks_step(double span, uint32_t want)
{
    double raw = span / want;
    double power = pow(10, floor(log10(raw)));
    double lead = raw / power;

    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void ticks_numbers(struct draw_scale *s, uint32_t want, bool round, struct draw_ticks *t)
{
    double step = ticks_step(s->to - s->from, want);
    double first = round ? floor(s->from / step) : ceil(s->from / step - 1e-9);
    double last = round ? ceil(s->to / step) : floor(s->to / step + 1e-9);

    if (!(last - first < SCALE_TICKS_MAX)) /* nothing sensible: numbers with no digits between */
        return;
    for (uint32_t k = 0; first + k <= last && k < SCALE_TICKS_MAX; k++)
        ticks_add(t, (first + k) * step);
    if (round && t->count > 1) {
        s->from = t->at[0];
        s->to = t->at[t->count - 1];
    }
}

static void ticks_powers(struct draw_scale *s, bool round, struct draw_ticks *t)
{
    double first = round ? floor(log10(s->from)) : ceil(log10(s->from));
    double last = round ? ceil(log10(s->to)) : floor(log10(s->to));
    double by = ceil((last - first + 1) / 12);

    for (uint32_t k = 0; first + k * by <= last && k < SCALE_TICKS_MAX; k++)
        ticks_add(t, pow(10, first + k * by));
    if (round && last > first) {
        s->from = pow(10, first);
        s->to = pow(10, last);
    }
}

static void ticks_months(const struct draw_scale *s, uint32_t want, struct draw_ticks *t)
{
    static const int steps[] = {1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 12000, 120000};
    double months = (s->to - s->from) / (30.44 * CIVIL_DAY_SECONDS);
    struct civil first = civil_from_days((int64_t)floor(s->from / CIVIL_DAY_SECONDS));
    size_t i = 0;
    int64_t month;

    while (i + 1 < DN_ARRAY_SIZE(steps) && months / steps[i] > want)
        i++;
    month = civil_floor(first.year * 12 + first.month - 1, steps[i]) * steps[i];
    for (uint32_t n = 0; n < 4 * SCALE_TICKS_MAX; n++, month += steps[i]) {
        double at =
            (double)civil_to_days(civil_floor(month, 12), (int)civil_mod(month, 12) + 1, 1) *
            CIVIL_DAY_SECONDS;
        if (at > s->to)
            break;
        if (at >= s->from)
            ticks_add(t, at);
    }
}

static void ticks_times(const struct draw_scale *s, uint32_t want, struct draw_ticks *t)
{
    static const double steps[] = {1,     2,     5,     10,    15,     30,     60,
                                   120,   300,   600,   900,   1800,   3600,   7200,
                                   10800, 21600, 43200, 86400, 172800, 432000, 864000};
    double span = s->to - s->from;
    double first;
    size_t i = 0;

    if (fabs(s->from) > SCALE_FAR || fabs(s->to) > SCALE_FAR)
        return;
    if (span / steps[DN_ARRAY_SIZE(steps) - 1] > want) {
        ticks_months(s, want, t);
        return;
    }
    while (span / steps[i] > want)
        i++;
    t->step = span < 2 ? ticks_step(span, want) : steps[i];
    first = ceil(s->from / t->step);
    for (uint32_t k = 0; (first + k) * t->step <= s->to && k < SCALE_TICKS_MAX; k++)
        ticks_add(t, (first + k) * t->step);
}

void draw_ticks(struct draw_scale *s, uint32_t want, bool round, struct draw_ticks *ret)
{
    uint32_t each;

    *ret = (struct draw_ticks){.count = 0};
    if (!(s->to > s->from) || (s->kind == DRAW_X_CATEGORY && !s->categories))
        return;
    switch (s->kind) {
    case DRAW_X_CATEGORY:
        each = (uint32_t)(s->to - s->from - 0.5) / (2 * want) + 1;
        for (uint32_t i = 0; i < (uint32_t)(s->to - s->from + 0.5); i += each)
            ticks_add(ret, i);
        return;
    case DRAW_X_TIME:
        ticks_times(s, want, ret);
        return;
    case DRAW_X_NONE:
    case DRAW_X_NUMBER:
        if (s->log)
            ticks_powers(s, round, ret);
        else
            ticks_numbers(s, want, round, ret);
        return;
    }
}

static void tick_time(const struct draw_ticks *t, double v, struct buf *b)
{
    int64_t day = (int64_t)floor(v / CIVIL_DAY_SECONDS);
    struct civil c = civil_from_days(day);
    int64_t second = (int64_t)floor(v) - day * CIVIL_DAY_SECONDS;

    if (t->step == 0)
        buf_printf(b, c.month == 1 ? "%" PRId64 : "%" PRId64 "-%02d", c.year, c.month);
    else if (second == 0 && v == floor(v))
        buf_printf(b, "%02d-%02d", c.month, c.day);
    else if (t->step >= 60)
        buf_printf(b, "%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60));
    else if (t->step >= 1)
        buf_printf(
            b, "%02d:%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60));
    else
        buf_printf(b, "%.6g", v - floor(v / 60) * 60);
}

void draw_tick_text(const struct draw_scale *s, const struct draw_ticks *t, double v, struct buf *b)
{
    static const struct {
        double from;
        char unit;
    } units[] = {{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e4, 'k'}};

    if (s->kind == DRAW_X_CATEGORY) {
        buf_puts(b, s->categories[(uint32_t)v]);
        return;
    }
    if (s->kind == DRAW_X_TIME) {
        tick_time(t, v, b);
        return;
    }
    if (t->count > 1 && fabs(v) < (t->at[1] - t->at[0]) * 1e-6)
        v = 0; /* not -2e-17 */
    for (size_t i = 0; i < DN_ARRAY_SIZE(units) && fabs(v) < 1e15; i++) {
        if (fabs(v) >= units[i].from) {
            buf_printf(b, "%.6g%c", v / (i == 3 ? 1e3 : units[i].from), units[i].unit);
            return;
        }
    }
    buf_printf(b, "%.6g", v);
}
