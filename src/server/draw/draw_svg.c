/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_svg.c: points to SVG. Colours of lines stand in the file; texts and axes have that of the
 * page around them, so that a picture fits on dark pages too. There is no script and no style in
 * it. */
#include "server/draw/draw_scale.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SVG_WIDTH  900.0
#define SVG_HEIGHT 420.0
#define SVG_CHAR   6.6 /* pixels of a character, about */
#define SVG_LEGEND 40u /* series that have a place there */

static const char *const svg_colors[] = {
    "#2b8a5f", "#d9822b", "#3b82c4", "#c2406b", "#8a5cd1", "#7a8a00", "#00939c", "#a0522d"};

struct svg {
    struct draw *p;
    struct buf *b;
    struct draw_scale x;
    struct draw_scale y[2]; /* left; right */
    bool flat;              /* bars lie: x goes from top to bottom */
    double left;
    double right;
    double top;
    double bottom;
    double bar; /* width of all bars of an x */
};

static void svg_text(struct buf *b, const char *s)
{
    size_t left = strlen(s);

    while (left > 0) {
        size_t n = text_utf8_len(s, left);
        unsigned char c = (unsigned char)*s;

        if (n == 0 || c < 0x20 || c == 0x7f)
            buf_u8(b, ' ');
        else if (c == '&')
            buf_puts(b, "&amp;");
        else if (c == '<')
            buf_puts(b, "&lt;");
        else if (c == '>')
            buf_puts(b, "&gt;");
        else if (c == '"')
            buf_puts(b, "&quot;");
        else
            buf_append(b, s, n);
        n = n ? n : 1;
        s += n;
        left -= n;
    }
}

static double svg_width(const char *s)
{
    double n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n * SVG_CHAR;
}

static void
svg_label(struct svg *v, double x, double y, const char *anchor, double rotate, const char *text)
{
    buf_printf(v->b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    if (rotate != 0)
        buf_printf(v->b, " transform=\"rotate(%.6g %.1f %.1f)\"", rotate, x, y);
    buf_puts(v->b, ">");
    svg_text(v->b, text);
    buf_puts(v->b, "</text>\n");
}

static void svg_line(struct svg *v, double x1, double y1, double x2, double y2, const char *opacity)
{
    buf_printf(v->b,
               "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\" "
               "stroke-opacity=\"%s\"/>\n",
               x1,
               y1,
               x2,
               y2,
               opacity);
}

/* "color3" is the third of ours; else a name or #rrggbb of CSS. */
static const char *svg_color(const struct draw *p, uint32_t series)
{
    const char *c = p->series[series].color;
    size_t plain =
        c ? strspn(c, "#0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") : 0;

    if (!c || c[plain] || plain == 0)
        return svg_colors[series % DN_ARRAY_SIZE(svg_colors)];
    if (strncmp(c, "color", 5) == 0 && c[5] >= '1' && c[5] <= '9' && !c[6])
        return svg_colors[(uint32_t)(c[5] - '1') % DN_ARRAY_SIZE(svg_colors)];
    return c;
}

static const struct draw_layer *svg_layer(const struct svg *v, uint32_t series)
{
    return &v->p->layers[v->p->series[series].layer];
}

static const struct draw_scale *svg_y(const struct svg *v, uint32_t series)
{
    return &v->y[svg_layer(v, series)->right];
}

/* ---- scales ---- */

static void svg_include(struct draw_scale *s, double v)
{
    if (isnan(v) || (s->log && v <= 0))
        return;
    s->from = fmin(s->from, v);
    s->to = fmax(s->to, v);
}

static int svg_by_x(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* All x of a layer, or of all (layer < 0), in order and once. NULL: out of memory. */
static double *svg_xs(struct svg *v, int layer, uint32_t *ret_count)
{
    struct draw *p = v->p;
    double *xs = mem_alloc_array(p->owner, (size_t)p->points_count + 1, sizeof(*xs));
    uint32_t n = 0;
    uint32_t once = 0;

    if (!xs)
        return NULL;
    for (uint32_t i = 0; i < p->series_count; i++)
        for (uint32_t k = 0;
             k < p->series[i].count && (layer < 0 || p->series[i].layer == (uint32_t)layer);
             k++)
            xs[n++] = p->series[i].points[k].x;
    qsort(xs, n, sizeof(*xs), svg_by_x);
    for (uint32_t i = 0; i < n; i++)
        if (once == 0 || xs[i] != xs[once - 1])
            xs[once++] = xs[i];
    *ret_count = once;
    return xs;
}

/* Each value of a stacked layer stands on those before it. */
static void svg_stack(struct svg *v, uint32_t layer)
{
    struct draw *p = v->p;
    uint32_t count = 0;
    double *xs = svg_xs(v, (int)layer, &count);
    double *sums = xs ? mem_calloc(p->owner, (size_t)count * 2 + 1, sizeof(*sums)) : NULL;

    v->b->failed = v->b->failed || !sums;
    for (uint32_t i = 0; sums && i < p->series_count; i++) {
        for (uint32_t k = 0; k < p->series[i].count && p->series[i].layer == layer; k++) {
            struct draw_point *point = &p->series[i].points[k];
            const double *at = bsearch(&point->x, xs, count, sizeof(*xs), svg_by_x);
            double *sum = &sums[2 * (at - xs) + (point->y < 0)];

            if (isnan(point->y))
                continue;
            point->z = *sum;
            point->y += *sum;
            *sum = point->y;
        }
    }
    mem_free(sums);
    mem_free(xs);
}

static void svg_given(struct draw_scale *s, const struct draw_domain *d)
{
    if (d->given) {
        s->from = d->from;
        s->to = d->to;
    }
    if (s->from > s->to) { /* there are no points */
        s->from = s->log ? 1 : 0;
        s->to = s->log ? 10 : 1;
    }
    if (s->log && s->from <= 0)
        s->from = fmin(1, s->to / 1000);
    if (s->from == s->to) {
        double more = s->log                   ? s->to * 9
                      : s->kind == DRAW_X_TIME ? 1
                                               : fmax(fabs(s->to) * 0.1, 0.5);

        s->from -= s->log ? 0 : more;
        s->to += more;
    }
}

static bool svg_has_bars(const struct draw *p)
{
    for (uint32_t i = 0; i < p->layers_count; i++)
        if (p->layers[i].kind == DRAW_BAR)
            return true;
    return false;
}

/* Bars have the width of the smallest step between two x, and the scale room for the outer halves.
 */
static double svg_bar_step(struct svg *v)
{
    uint32_t count = 0;
    double *xs = svg_xs(v, -1, &count);
    double step = (double)INFINITY;

    v->b->failed = v->b->failed || !xs;
    for (uint32_t i = 1; xs && i < count; i++)
        step = fmin(step, xs[i] - xs[i - 1]);
    mem_free(xs);
    return isfinite(step) ? step : 1;
}

static void svg_scales(struct svg *v)
{
    struct draw *p = v->p;
    double step = 0;

    v->x = (struct draw_scale){.kind = p->x_kind,
                               .log = p->x.log,
                               .from = (double)INFINITY,
                               .to = -(double)INFINITY,
                               .categories = p->categories};
    for (int side = 0; side < 2; side++)
        v->y[side] = (struct draw_scale){.kind = DRAW_X_NUMBER,
                                         .log = p->y.log,
                                         .from = (double)INFINITY,
                                         .to = -(double)INFINITY};
    for (uint32_t i = 0; i < p->layers_count; i++)
        if (p->layers[i].stacked)
            svg_stack(v, i);
    for (uint32_t i = 0; i < p->series_count; i++) {
        const struct draw_layer *layer = svg_layer(v, i);
        struct draw_scale *y = &v->y[layer->right];

        for (uint32_t k = 0; k < p->series[i].count; k++) {
            svg_include(&v->x, p->series[i].points[k].x);
            svg_include(y, p->series[i].points[k].y);
            svg_include(y, p->series[i].points[k].z);
        }
        if ((layer->kind == DRAW_BAR || layer->kind == DRAW_AREA) && !y->log)
            svg_include(y, 0);
    }
    if (p->x_kind == DRAW_X_CATEGORY) {
        v->x.from = -0.5;
        v->x.to = p->categories_count - 0.5;
        step = 1;
    } else if (svg_has_bars(p) && !p->x.log && v->x.from <= v->x.to) {
        step = svg_bar_step(v);
        v->x.from -= step / 2;
        v->x.to += step / 2;
    }
    svg_given(&v->x, &p->x);
    svg_given(&v->y[0], &p->y);
    svg_given(&v->y[1], &p->y);
    v->bar = step;
}

/* ---- axes ---- */

/* The scale that an axis of this side shows. */
static struct draw_scale *svg_side(struct svg *v, enum draw_side side)
{
    bool across = side == DRAW_TOP || side == DRAW_BOTTOM;

    if (across != v->flat)
        return &v->x;
    return &v->y[side == DRAW_RIGHT];
}

static void svg_tick(struct svg *v, enum draw_side side, double at, const char *text, double rotate)
{
    const char *end = rotate == 0 ? "middle" : rotate > 0 ? "start" : "end";

    switch (side) {
    case DRAW_BOTTOM:
        svg_line(v, at, v->bottom, at, v->bottom + 4, "0.6");
        svg_label(v, at, v->bottom + 17, end, rotate, text);
        return;
    case DRAW_TOP:
        svg_line(v, at, v->top - 4, at, v->top, "0.6");
        svg_label(v, at, v->top - 8, rotate == 0 ? "middle" : "start", rotate, text);
        return;
    case DRAW_LEFT:
        svg_line(v, v->left - 4, at, v->left, at, "0.6");
        svg_label(v, v->left - 8, at + 4, "end", rotate, text);
        return;
    case DRAW_RIGHT:
        svg_line(v, v->right, at, v->right + 4, at, "0.6");
        svg_label(v, v->right + 8, at + 4, "start", rotate, text);
        return;
    case DRAW_SIDES:
        return;
    }
}

static void svg_axis_title(struct svg *v, enum draw_side side, const char *title)
{
    double middle = (v->left + v->right) / 2;
    double height = (v->top + v->bottom) / 2;

    switch (side) {
    case DRAW_BOTTOM:
        svg_label(
            v, middle, v->bottom + (v->p->axes[side].rotate != 0 ? 78 : 36), "middle", 0, title);
        return;
    case DRAW_TOP:
        svg_label(v, middle, v->top - 26, "middle", 0, title);
        return;
    case DRAW_LEFT:
        svg_label(v, 14, height, "middle", -90, title);
        return;
    case DRAW_RIGHT:
        svg_label(v, SVG_WIDTH - 8, height, "middle", 90, title);
        return;
    case DRAW_SIDES:
        return;
    }
}

static void svg_axis(struct svg *v, enum draw_side side)
{
    const struct draw_axis *axis = &v->p->axes[side];
    struct draw_scale *s = svg_side(v, side);
    bool across = side == DRAW_TOP || side == DRAW_BOTTOM;
    bool grid = across ? v->p->grid_x : v->p->grid_y;
    uint32_t want = across ? 9 : s->kind == DRAW_X_CATEGORY ? 14 : 6;
    struct draw_ticks ticks;
    struct buf text;

    draw_ticks(s, want, false, &ticks);
    buf_init(&text, v->p->owner);
    for (uint32_t i = 0; i < ticks.count; i++) {
        double at = draw_place(s, ticks.at[i]);

        if (grid && across)
            svg_line(v, at, v->top, at, v->bottom, "0.13");
        else if (grid)
            svg_line(v, v->left, at, v->right, at, "0.13");
        if (!axis->shown)
            continue;
        buf_reset(&text);
        if (!axis->quiet)
            draw_tick_text(s, &ticks, ticks.at[i], &text);
        buf_u8(&text, 0);
        if (!text.failed)
            svg_tick(v, side, at, (const char *)text.data, axis->rotate);
    }
    v->b->failed = v->b->failed || text.failed;
    buf_done(&text);
    if (!axis->shown)
        return;
    if (across)
        svg_line(v,
                 v->left,
                 side == DRAW_TOP ? v->top : v->bottom,
                 v->right,
                 side == DRAW_TOP ? v->top : v->bottom,
                 "0.6");
    else
        svg_line(v,
                 side == DRAW_LEFT ? v->left : v->right,
                 v->top,
                 side == DRAW_LEFT ? v->left : v->right,
                 v->bottom,
                 "0.6");
    if (axis->title)
        svg_axis_title(v, side, axis->title);
}

/* ---- series ---- */

static void
svg_point(const struct svg *v, uint32_t series, double x, double y, double *ret_x, double *ret_y)
{
    double along = draw_place(&v->x, x);
    double up = draw_place(svg_y(v, series), y);

    *ret_x = v->flat ? up : along;
    *ret_y = v->flat ? along : up;
}

/* Where areas and bars begin: at z, at 0, or at the end of the scale that is nearest to it. */
static double svg_base(const struct svg *v, uint32_t series, const struct draw_point *point)
{
    const struct draw_scale *y = svg_y(v, series);

    if (!isnan(point->z))
        return point->z;
    return y->log ? y->from : fmin(fmax(0, y->from), y->to);
}

/* From a point to the one before the next gap. */
static uint32_t svg_run(const struct draw_series *s, uint32_t from)
{
    while (from < s->count && !isnan(s->points[from].y))
        from++;
    return from;
}

static void svg_path(struct svg *v, uint32_t series, uint32_t from, uint32_t to, bool area)
{
    const struct draw_series *s = &v->p->series[series];
    double x;
    double y;

    buf_puts(v->b, "<path d=\"");
    for (uint32_t i = from; i < to; i++) {
        svg_point(v, series, s->points[i].x, s->points[i].y, &x, &y);
        buf_printf(v->b, "%c%.1f %.1f", i == from ? 'M' : 'L', x, y);
    }
    for (uint32_t i = to; area && i > from; i--) {
        svg_point(v, series, s->points[i - 1].x, svg_base(v, series, &s->points[i - 1]), &x, &y);
        buf_printf(v->b, "L%.1f %.1f", x, y);
    }
    if (area)
        buf_printf(v->b, "Z\" fill=\"%s\" fill-opacity=\"0.3\"/>\n", svg_color(v->p, series));
    else
        buf_printf(
            v->b,
            "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n",
            svg_color(v->p, series));
}

static void svg_dots(struct svg *v, uint32_t series, double radius)
{
    const struct draw_series *s = &v->p->series[series];

    for (uint32_t i = 0; i < s->count; i++) {
        double size = svg_layer(v, series)->kind == DRAW_POINT && !isnan(s->points[i].z)
                          ? fmin(fmax(s->points[i].z, 1), 60)
                          : radius;
        double x;
        double y;

        if (isnan(s->points[i].y))
            continue;
        svg_point(v, series, s->points[i].x, s->points[i].y, &x, &y);
        buf_printf(
            v->b,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\"0.8\"/>\n",
            x,
            y,
            size,
            svg_color(v->p, series));
    }
}

/* Series of a layer stand beside each other, unless it is stacked. */
static void svg_bars(struct svg *v, uint32_t series)
{
    const struct draw_layer *layer = svg_layer(v, series);
    const struct draw_series *s = &v->p->series[series];
    double all = fabs(draw_place(&v->x, v->x.from + v->bar) - v->x.begin) * 0.8;
    uint32_t count = 0;
    uint32_t before = 0;
    double each;

    for (uint32_t i = 0; i < v->p->series_count; i++) {
        count += v->p->series[i].layer == s->layer;
        before += v->p->series[i].layer == s->layer && i < series;
    }
    if (layer->stacked)
        count = 1, before = 0;
    each = all / count;
    for (uint32_t i = 0; i < s->count; i++) {
        double at = draw_place(&v->x, s->points[i].x) - all / 2 + before * each;
        double from = draw_place(svg_y(v, series), svg_base(v, series, &s->points[i]));
        double to = draw_place(svg_y(v, series), s->points[i].y);
        double low = fmin(from, to);
        double len = fabs(to - from);

        if (isnan(s->points[i].y))
            continue;
        buf_printf(v->b,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                   v->flat ? low : at,
                   v->flat ? at : low,
                   fmax(v->flat ? len : each * 0.94, 0.4),
                   fmax(v->flat ? each * 0.94 : len, 0.4),
                   svg_color(v->p, series));
    }
}

static void svg_labels(struct svg *v, uint32_t series)
{
    const struct draw_series *s = &v->p->series[series];
    char number[32];

    for (uint32_t i = 0; i < s->count; i++) {
        double x;
        double y;

        if (isnan(s->points[i].y) || (!s->points[i].label && !svg_layer(v, series)->labels))
            continue;
        snprintf(number, sizeof number, "%.6g", s->points[i].y);
        svg_point(v, series, s->points[i].x, s->points[i].y, &x, &y);
        svg_label(v,
                  v->flat ? x + 6 : x,
                  v->flat ? y + 4 : y - 6,
                  v->flat ? "start" : "middle",
                  0,
                  s->points[i].label ? s->points[i].label : number);
    }
}

static void svg_series(struct svg *v, uint32_t series)
{
    const struct draw_series *s = &v->p->series[series];
    const struct draw_layer *layer = svg_layer(v, series);

    buf_puts(v->b, "<g><title>");
    svg_text(v->b, s->name);
    buf_puts(v->b, "</title>\n");
    if (layer->kind == DRAW_BAR)
        svg_bars(v, series);
    for (uint32_t from = 0;
         from < s->count && (layer->kind == DRAW_LINE || layer->kind == DRAW_AREA);) {
        uint32_t to = svg_run(s, from);

        if (to > from && layer->kind == DRAW_AREA)
            svg_path(v, series, from, to, true);
        if (to > from + 1)
            svg_path(v, series, from, to, false);
        from = to + 1;
    }
    if (layer->kind == DRAW_POINT || s->count == 1)
        svg_dots(v, series, 3.5);
    svg_labels(v, series);
    buf_puts(v->b, "</g>\n");
}

/* ---- the picture ---- */

/* Returns its height. */
static double svg_legend(struct svg *v, double top, bool print)
{
    struct draw *p = v->p;
    double x = 60;
    double y = top + 13;

    if (!p->legend && p->series_count < 2)
        return 0;
    if (p->legend_title) {
        if (print)
            svg_label(v, x, y, "start", 0, p->legend_title);
        x += svg_width(p->legend_title) + 16;
    }
    for (uint32_t i = 0; i < p->series_count && i < SVG_LEGEND; i++) {
        double wide = svg_width(p->series[i].name) + 30;

        if (x + wide > SVG_WIDTH - 20 && x > 60) {
            x = 60;
            y += 18;
        }
        if (print) {
            buf_printf(
                v->b,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" rx=\"2\" fill=\"%s\"/>\n",
                x,
                y - 10,
                svg_color(p, i));
            svg_label(v, x + 16, y, "start", 0, p->series[i].name);
        }
        x += wide;
    }
    return y - top + 9;
}

static double svg_labels_width(struct svg *v, enum draw_side side)
{
    double widest = 0;

    if (!v->p->axes[side].shown)
        return 14;
    if (svg_side(v, side)->kind == DRAW_X_CATEGORY)
        for (uint32_t i = 0; i < v->p->categories_count; i++)
            widest = fmax(widest, svg_width(v->p->categories[i]));
    return fmin(fmax(widest, 34), 260) + 14 + (v->p->axes[side].title ? 20 : 0);
}

static double svg_labels_height(struct svg *v, enum draw_side side)
{
    const struct draw_axis *axis = &v->p->axes[side];
    double deep = axis->rotate != 0 ? 60 : 14;

    return axis->shown ? deep + 12 + (axis->title ? 18 : 0) : 10;
}

/* Margins, and the scales' places in what is left. Returns where the legend begins. */
static double svg_room(struct svg *v)
{
    struct draw *p = v->p;
    double head = 10 + (p->title ? 24 : 0) + (p->subtitle ? 18 : 0);
    double legend = svg_legend(v, 0, false);
    bool swap[2];

    v->left = svg_labels_width(v, DRAW_LEFT);
    v->right = SVG_WIDTH - svg_labels_width(v, DRAW_RIGHT);
    v->top = head + (p->legend_top || !p->legend ? legend : 0) + svg_labels_height(v, DRAW_TOP);
    v->bottom =
        SVG_HEIGHT - svg_labels_height(v, DRAW_BOTTOM) - (p->legend && !p->legend_top ? legend : 0);
    v->bottom = fmax(v->bottom, v->top + 40);
    swap[0] = p->x.invert;
    swap[1] = p->y.invert;
    for (int i = 0; i < 3; i++) {
        struct draw_scale *s = i == 0 ? &v->x : &v->y[i - 1];
        bool across = (i == 0) != v->flat;
        bool back = swap[i > 0] != (i == 0 && v->flat);

        s->begin = across ? (back ? v->right : v->left) : back ? v->top : v->bottom;
        s->end = across ? (back ? v->left : v->right) : back ? v->bottom : v->top;
    }
    return p->legend && !p->legend_top ? SVG_HEIGHT - legend : head;
}

/* A picture of which nothing was said has axes and a grid. */
static void svg_defaults(struct draw *p)
{
    bool any = false;

    for (int i = 0; i < DRAW_SIDES; i++)
        any = any || p->axes[i].shown;
    if (any)
        return;
    p->axes[DRAW_BOTTOM].shown = p->axes[DRAW_LEFT].shown = true;
    p->grid_y = true;
}

void draw_print(struct draw *p, struct buf *b)
{
    struct svg v = {.p = p, .b = b, .flat = p->layers_count > 0 && p->layers[0].horizontal};
    struct draw_ticks unused;
    double legend;

    svg_defaults(p);
    svg_scales(&v);
    for (int side = 0; side < 2; side++)
        draw_ticks(&v.y[side], 6, !p->y.given, &unused);
    legend = svg_room(&v);
    buf_printf(b,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
               "font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">\n<title>",
               SVG_WIDTH,
               SVG_HEIGHT,
               SVG_WIDTH,
               SVG_HEIGHT);
    svg_text(b, p->title ? p->title : "Chart");
    buf_puts(b, "</title>\n");
    if (p->title) {
        buf_puts(b, "<g font-size=\"16\" font-weight=\"bold\">");
        svg_label(&v, 14, 24, "start", 0, p->title);
        buf_puts(b, "</g>");
    }
    if (p->subtitle)
        svg_label(&v, 14, p->title ? 44 : 22, "start", 0, p->subtitle);
    (void)svg_legend(&v, legend, true);
    for (int i = 0; i < DRAW_SIDES; i++)
        if (p->axes[i].shown)
            svg_axis(&v, (enum draw_side)i);
    buf_printf(b,
               "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f "
               "%.1f\">\n",
               v.left - 4,
               v.top - 4,
               v.right - v.left + 8,
               v.bottom - v.top + 8,
               v.left - 4,
               v.top - 4,
               v.right - v.left + 8,
               v.bottom - v.top + 8);
    for (uint32_t i = 0; i < p->series_count; i++)
        svg_series(&v, i);
    buf_puts(b, "</svg>\n</svg>\n");
}
