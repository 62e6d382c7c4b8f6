/* SPDX-License-Identifier: Apache-2.0
 *
 * draw.h: EventQL's DRAW … CHART: one picture of the rows of the statements behind it, as SVG.
 *
 *     draw_init(p)
 *     while there are statements:
 *         draw_is(text)           it is a DRAW: draw_statement(p, text, …) takes it
 *         else it gives rows:     draw_begin(p, its columns), draw_rows(p, batch) …
 *     draw_print(p, b)
 *     draw_done(p)
 *
 * Several DRAWs are layers of one picture. Rows without a DRAW before them are a line chart.
 * Columns are found by their names: x, y, z, series, color, label; if none is called y, by their
 * types. A picture has at most DRAW_POINTS_MAX points: what is more is an error, since nobody sees
 * them. docs/sql/draw.md is for users. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

#define DRAW_POINTS_MAX     100000u
#define DRAW_SERIES_MAX     100u
#define DRAW_LAYERS_MAX     16u
#define DRAW_CATEGORIES_MAX 500u
#define DRAW_COLUMNS_MAX    64u /* of a result that are looked at */

enum draw_kind { DRAW_LINE, DRAW_AREA, DRAW_BAR, DRAW_POINT };
enum draw_side { DRAW_TOP, DRAW_RIGHT, DRAW_BOTTOM, DRAW_LEFT, DRAW_SIDES };
enum draw_x { DRAW_X_NONE, DRAW_X_NUMBER, DRAW_X_TIME, DRAW_X_CATEGORY };

struct draw_axis {
    bool shown;
    bool quiet; /* without labels */
    const char *title;
    double rotate; /* of labels, degrees */
};

struct draw_domain {
    bool given; /* from and to are */
    double from;
    double to;
    bool log;
    bool invert;
};

struct draw_point {
    double x; /* seconds since 1970 of a time, number of a category */
    double y; /* NaN: NULL, a gap */
    double z; /* NaN: none */
    const char *label;
};

struct draw_series {
    const char *name;
    const char *color; /* NULL: the next of the palette */
    uint32_t layer;
    struct draw_point *points; /* owned, mem */
    uint32_t count;
    uint32_t cap;
};

struct draw_layer {
    enum draw_kind kind;
    bool horizontal;
    bool stacked;
    bool labels;
    bool right; /* its y are those of the axis on the right */
};

struct draw_columns {
    int x;
    int y;
    int z;
    int series;
    int color;
    int label;
};

struct draw {
    struct arena arena; /* texts */
    struct mem_owner *owner;
    struct draw_layer layers[DRAW_LAYERS_MAX];
    uint32_t layers_count;
    struct draw_axis axes[DRAW_SIDES];
    struct draw_domain x;
    struct draw_domain y;
    bool grid_x; /* lines up and down */
    bool grid_y; /* lines from side to side */
    const char *title;
    const char *subtitle;
    bool legend;
    bool legend_top;
    const char *legend_title;
    enum draw_x x_kind;
    const char **categories; /* arena */
    uint32_t categories_count;
    struct draw_series series[DRAW_SERIES_MAX];
    uint32_t series_count;
    uint32_t points_count;
    /* The result at hand. */
    struct draw_columns at;
    const char *const *names; /* arena, of its columns */
    uint32_t names_count;
    struct buf text;
};

void draw_init(struct draw *p, struct mem_owner *owner);
void draw_done(struct draw *p);
/* Does the text begin with the word DRAW? */
bool draw_is(const char *text);
/* Takes a DRAW statement; ret_tail: what follows it. Errors have a position in `text`. */
int draw_statement(struct draw *p, const char *text, const char **ret_tail, struct dn_err *err)
    DN_MUST_CHECK;
/* Rows of these columns follow. */
int draw_begin(struct draw *p,
               const char *const *names,
               const enum type_id *types,
               uint32_t count,
               struct dn_err *err) DN_MUST_CHECK;
/* One row of vectors. */
int draw_row(struct draw *p, const struct vec *cols, uint32_t row, struct dn_err *err)
    DN_MUST_CHECK;
/* The picture. What is missing of memory shows in b->failed. */
void draw_print(struct draw *p, struct buf *b);
