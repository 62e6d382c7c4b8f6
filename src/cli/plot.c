/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.c: a small picture in the terminal: the first column of a result (time or number) to the
 * right, the second upwards. Each character cell is two dots wide and four high (Braille); with
 * more points than dots, each column of dots shows the span from the smallest to the largest value
 * that falls into it; with fewer, a line joins them. */
#include "cli/plot.h"

#include <math.h>
#include <string.h>

#define PLOT_HEIGHT     12u
#define PLOT_WIDTH_MAX  160u
#define PLOT_POINTS_MAX 10000000u

struct plot_points {
    double *x; /* owned */
    double *y; /* owned */
    size_t count;
    size_t cap;
    bool time; /* x is a time stamp, in seconds */
};

static bool plot_add(struct plot_points *p, double x, double y)
{
    if (p->count == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 1024;
        double *grown_x = mem_realloc(NULL, p->x, cap * sizeof *grown_x);
        double *grown_y;
        if (!grown_x)
            return false;
        p->x = grown_x;
        grown_y = mem_realloc(NULL, p->y, cap * sizeof *grown_y);
        if (!grown_y)
            return false;
        p->y = grown_y;
        p->cap = cap;
    }
    p->x[p->count] = x;
    p->y[p->count++] = y;
    return true;
}

/* A result that cannot be drawn. */
static int plot_two_columns(struct dendro_error *err)
{
    memset(err, 0, sizeof *err);
    err->code = DENDRO_E_MISUSE;
    (void)snprintf(err->sqlstate, sizeof err->sqlstate, "42601");
    (void)snprintf(
        err->message, sizeof err->message, "a plot needs two columns: time or number, and number");
    return err->code;
}

/* Reads the result; rows with a NULL or NaN are left out. */
static int plot_read(struct backend *from, struct plot_points *p, struct dendro_error *err)
{
    int rc;

    while ((rc = backend_step(from, err)) == DENDRO_ROW) {
        double x;
        double y;

        if (backend_columns(from) < 2)
            break;
        p->time = backend_is_time(from, 0);
        x = backend_number(from, 0);
        y = backend_number(from, 1);
        if (!isfinite(x) || !isfinite(y))
            continue;
        if (p->count == PLOT_POINTS_MAX || !plot_add(p, x, y)) {
            memset(err, 0, sizeof *err);
            (void)snprintf(err->sqlstate, sizeof err->sqlstate, "53200");
            (void)snprintf(
                err->message, sizeof err->message, "too many points to plot (%zu)", p->count);
            (void)snprintf(err->hint, sizeof err->hint, "narrow the query or aggregate in it");
            err->code = DENDRO_E_NOMEM;
            return err->code;
        }
    }
    return rc >= 0 && backend_columns(from) < 2 ? plot_two_columns(err) : rc;
}

/* A dot of a cell in the order of the Braille block: columns of 1 2 3 7 and 4 5 6 8. */
static unsigned plot_dot(unsigned x, unsigned y)
{
    static const unsigned char bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

    return bits[x][y];
}

static void plot_range(const double *v, size_t n, double *ret_min, double *ret_max)
{
    *ret_min = v[0];
    *ret_max = v[0];
    for (size_t i = 1; i < n; i++) {
        *ret_min = v[i] < *ret_min ? v[i] : *ret_min;
        *ret_max = v[i] > *ret_max ? v[i] : *ret_max;
    }
}

static void plot_label(FILE *to, double v)
{
    (void)fprintf(to, "%10.4g ", v);
}

static void plot_time_label(double seconds, char *ret, size_t size)
{
    /* Days since 1970 to a civil date; works for any year. */
    int64_t t = (int64_t)floor(seconds);
    int64_t days = t / 86400 - (t % 86400 < 0);
    int64_t rest = t - days * 86400;
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9;

    (void)snprintf(ret,
                   size,
                   "%04lld-%02lld-%02lld %02lld:%02lld:%02lld",
                   (long long)yoe + (long long)era * 400 + (month <= 2),
                   (long long)month,
                   (long long)(doy - (153 * mp + 2) / 5 + 1),
                   (long long)(rest / 3600),
                   (long long)(rest / 60 % 60),
                   (long long)(rest % 60));
}

struct plot_frame {
    double x_min;
    double x_max;
    double y_min;
    double y_max;
    uint32_t width; /* cells */
};

/* Sets the dots from the lowest to the highest value of each column of dots. False: out of memory.
 */
static bool plot_fill(const struct plot_points *p, const struct plot_frame *f, unsigned char *cells)
{
    uint32_t cols = f->width * 2;
    uint32_t rows = PLOT_HEIGHT * 4;
    double dx = f->x_max > f->x_min ? f->x_max - f->x_min : 1;
    double dy = f->y_max > f->y_min ? f->y_max - f->y_min : 1;
    uint32_t *lo = mem_alloc_array(NULL, cols, 2 * sizeof *lo);
    uint32_t *hi = lo ? lo + cols : NULL;

    if (!lo)
        return false;
    for (uint32_t c = 0; c < cols; c++) {
        lo[c] = rows;
        hi[c] = 0;
    }
    for (size_t i = 0; i < p->count; i++) {
        double x = (p->x[i] - f->x_min) / dx * (double)(cols - 1);
        double y = (p->y[i] - f->y_min) / dy * (double)(rows - 1);
        double px = i ? (p->x[i - 1] - f->x_min) / dx * (double)(cols - 1) : x;
        double py = i ? (p->y[i - 1] - f->y_min) / dy * (double)(rows - 1) : y;
        double steps = fmax(fabs(x - px), fabs(y - py));
        /* A line from the point before, dot by dot; not backwards, where a new series begins. */
        for (double k = x < px ? 0 : floor(steps); k >= 0; k--) {
            double part = steps > 0 ? k / steps : 0;
            uint32_t c = (uint32_t)(x - (x - px) * part + 0.5);
            uint32_t at = (uint32_t)(y - (y - py) * part + 0.5);
            lo[c] = at < lo[c] ? at : lo[c];
            hi[c] = at > hi[c] ? at : hi[c];
        }
    }
    for (uint32_t c = 0; c < cols; c++) {
        for (uint32_t y = lo[c]; y <= hi[c] && lo[c] < rows; y++) {
            uint32_t down = rows - 1 - y;
            cells[down / 4 * f->width + c / 2] |= (unsigned char)plot_dot(c % 2, down % 4);
        }
    }
    mem_free(lo);
    return true;
}

static void plot_draw(const struct plot_points *p, uint32_t width, FILE *to)
{
    unsigned char *cells = mem_calloc(NULL, (size_t)width * PLOT_HEIGHT, 1);
    struct plot_frame f = {.width = width};
    char left[40];
    char right[40];

    plot_range(p->x, p->count, &f.x_min, &f.x_max);
    plot_range(p->y, p->count, &f.y_min, &f.y_max);
    if (!cells || !plot_fill(p, &f, cells)) {
        mem_free(cells);
        return;
    }
    for (uint32_t row = 0; row < PLOT_HEIGHT; row++) {
        if (row == 0 || row == PLOT_HEIGHT - 1 || row == PLOT_HEIGHT / 2)
            plot_label(to, f.y_max - (f.y_max - f.y_min) * row / (PLOT_HEIGHT - 1));
        else
            (void)fputs("           ", to);
        (void)fputs("|", to);
        for (uint32_t c = 0; c < width; c++) {
            unsigned dots = cells[row * width + c];
            if (dots)
                (void)fprintf(to, "\xe2%c%c", 0xa0 + (int)(dots >> 6), 0x80 + (int)(dots & 0x3f));
            else
                (void)fputc(' ', to);
        }
        (void)fputc('\n', to);
    }
    if (p->time) {
        plot_time_label(f.x_min, left, sizeof left);
        plot_time_label(f.x_max, right, sizeof right);
    } else {
        (void)snprintf(left, sizeof left, "%g", f.x_min);
        (void)snprintf(right, sizeof right, "%g", f.x_max);
    }
    (void)fprintf(to, "           +");
    for (uint32_t c = 0; c < width; c++)
        (void)fputc('-', to);
    (void)fprintf(to,
                  "\n            %-*s%s\n",
                  (int)(width > strlen(right) ? width - (uint32_t)strlen(right) : 1),
                  left,
                  right);
    mem_free(cells);
}

int plot_run(struct backend *from, uint32_t width, FILE *to, struct dendro_error *err)
{
    struct plot_points p = {0};
    int rc;

    memset(err, 0, sizeof *err);
    if (backend_columns(from) == 0 || backend_columns(from) == 1)
        return plot_two_columns(err); /* before anything happens */
    rc = plot_read(from, &p, err);
    if (rc == DENDRO_DONE && p.count == 0)
        (void)fputs("(nothing to plot)\n", to);
    else if (rc == DENDRO_DONE)
        plot_draw(&p, width < 20 ? 20 : width > PLOT_WIDTH_MAX ? PLOT_WIDTH_MAX : width, to);
    mem_free(p.x);
    mem_free(p.y);
    return rc;
}
