/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_scale.h: values to places on an axis, and the values that an axis names. One thread. */
#pragma once

#include "server/draw/draw.h"

#define SCALE_TICKS_MAX 40u

struct draw_scale {
    enum draw_x kind;
    bool log;
    double from;
    double to;
    double begin; /* pixels, of from */
    double end;   /* of to */
    const char **categories;
};

struct draw_ticks {
    double at[SCALE_TICKS_MAX];
    uint32_t count;
    double step; /* seconds between them, of times; 0: a month or more */
};

double draw_place(const struct draw_scale *s, double v);
/* About `want` of them. round: the scale may become a little longer, so that it ends with two. */
void draw_ticks(struct draw_scale *s, uint32_t want, bool round, struct draw_ticks *ret);
/* The text of a tick. */
void draw_tick_text(const struct draw_scale *s,
                    const struct draw_ticks *t,
                    double v,
                    struct buf *b);
