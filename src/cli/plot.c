/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.c: a small picture in the terminal: the first column of a result (time or number) to the
 * right, values upwards. Series come in one of two shapes: a column of values each, or one column
 * of values and, before it, a column of texts that names the series of each row.
 *
 * Each character cell is two dots wide and four high (Braille); with more points than dots, each
 * column of dots shows the span from the smallest to the largest value that falls into it; with
 * fewer, a line joins them. Several series have a colour each; without colours a character each,
 * because dots of two series could not be told apart. */
#include "cli/plot.h"

#include "base/civil.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PLOT_HEIGHT     12u
#define PLOT_WIDTH_MAX  160u
#define PLOT_POINTS_MAX 10000000u
#define PLOT_SERIES_MAX 8u
#define PLOT_NAME_MAX   40u
#define PLOT_TICK_CELLS 20u /* between two labels under the picture, at least */

struct plot_series {
    char name[PLOT_NAME_MAX];
    double *x; /* owned */
    double *y; /* owned */
    size_t count;
    size_t cap;
};

struct plot {
    struct plot_series series[PLOT_SERIES_MAX];
    uint32_t series_count;
    uint64_t points;
    uint64_t left_out; /* rows of series beyond PLOT_SERIES_MAX */
    bool time;         /* x is a time stamp, in seconds */
    bool color;
    double x_min;
    double x_max;
    double y_min;
    double y_max;
    uint32_t width; /* cells */
};

/* A cell: the dots of all series, and the last one that has drawn there. */
struct plot_cell {
    unsigned char dots;
    unsigned char series;
};

static const char *const plot_colors[PLOT_SERIES_MAX] = {
    "\033[36m", "\033[33m", "\033[35m", "\033[32m", "\033[31m", "\033[34m", "\033[96m", "\033[93m"};
static const char *const plot_marks[PLOT_SERIES_MAX] = {"●", "○", "▲", "△", "■", "□", "◆", "◇"};

static int plot_error(struct dendro_error *err, int code, const char *state, const char *text)
{
    memset(err, 0, sizeof *err);
    (void)snprintf(err->sqlstate, sizeof err->sqlstate, "%s", state);
    (void)snprintf(err->message, sizeof err->message, "%s", text);
    return err->code = code;
}

static int plot_columns_error(struct dendro_error *err)
{
    return plot_error(err,
                      DENDRO_E_MISUSE,
                      "42601",
                      "a plot needs a column of times or numbers, and columns of numbers or a text "
                      "and a number");
}

static bool plot_add(struct plot *p, struct plot_series *s, double x, double y)
{
    if (s->count == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 1024;
        double *grown_x = mem_realloc(NULL, s->x, cap * sizeof *grown_x);
        double *grown_y;
        if (!grown_x)
            return false;
        s->x = grown_x;
        grown_y = mem_realloc(NULL, s->y, cap * sizeof *grown_y);
        if (!grown_y)
            return false;
        s->y = grown_y;
        s->cap = cap;
    }
    s->x[s->count] = x;
    s->y[s->count++] = y;
    if (p->points++ == 0) {
        p->x_min = p->x_max = x;
        p->y_min = p->y_max = y;
    }
    p->x_min = fmin(p->x_min, x);
    p->x_max = fmax(p->x_max, x);
    p->y_min = fmin(p->y_min, y);
    p->y_max = fmax(p->y_max, y);
    return true;
}

/* The series of that name, a new one if there is room; NULL: there is none. */
static struct plot_series *plot_series_of(struct plot *p, const char *name, size_t len)
{
    struct plot_series *s;

    len = len < PLOT_NAME_MAX ? len : PLOT_NAME_MAX - 1;
    for (uint32_t i = 0; i < p->series_count; i++)
        if (strlen(p->series[i].name) == len && memcmp(p->series[i].name, name, len) == 0)
            return &p->series[i];
    if (p->series_count == PLOT_SERIES_MAX)
        return NULL;
    s = &p->series[p->series_count++];
    memcpy(s->name, name, len);
    s->name[len] = '\0';
    return s;
}

static bool plot_is_text(const struct backend *from, int col)
{
    return backend_type(from, col) == DENDRO_TYPE_VARCHAR;
}

/* One row. False: out of memory, or too many points. */
static bool plot_row(struct plot *p, struct backend *from, int columns)
{
    double x = backend_number(from, 0);
    bool named = columns == 3 && plot_is_text(from, 1);

    if (!isfinite(x))
        return true;
    for (int col = named ? 2 : 1; col < columns; col++) {
        double y = backend_number(from, col);
        const char *name;
        struct plot_series *s;
        size_t len = 0;

        name = named ? backend_text(from, 1, &len) : backend_name(from, col);
        name = name ? name : "NULL";
        len = named && len ? len : strlen(name);
        if (!isfinite(y))
            continue;
        s = plot_series_of(p, name, len);
        if (!s)
            p->left_out++;
        else if (p->points == PLOT_POINTS_MAX || !plot_add(p, s, x, y))
            return false;
    }
    return true;
}

/* Reads the result; values that are NULL or NaN are left out. */
static int plot_read(struct backend *from, struct plot *p, struct dendro_error *err)
{
    int rc;

    while ((rc = backend_step(from, err)) == DENDRO_ROW) {
        int columns = backend_columns(from);

        if (columns < 2)
            break;
        p->time = backend_is_time(from, 0);
        if (!plot_row(p, from, columns)) {
            rc = plot_error(err, DENDRO_E_NOMEM, "53200", "too many points to plot");
            (void)snprintf(err->hint, sizeof err->hint, "narrow the query or aggregate in it");
            return rc;
        }
    }
    return rc >= 0 && backend_columns(from) < 2 ? plot_columns_error(err) : rc;
}

/* A dot of a cell in the order of the Braille block: columns of 1 2 3 7 and 4 5 6 8. */
static unsigned plot_dot(unsigned x, unsigned y)
{
    static const unsigned char bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

    return bits[x][y];
}

/* A time as "2024-05-06 07:08:09". */
static void plot_time_text(double seconds, char *ret, size_t size)
{
    int64_t t = (int64_t)floor(seconds);
    struct civil day = civil_from_days(civil_floor(t, 86400));
    int rest = (int)civil_mod(t, 86400);

    (void)snprintf(ret,
                   size,
                   "%04" PRId64 "-%02d-%02d %02d:%02d:%02d",
                   day.year,
                   day.month,
                   day.day,
                   rest / 3600,
                   rest / 60 % 60,
                   rest % 60);
}

/* Sets the dots of one series, from the lowest to the highest value of each column of dots. False:
 * out of memory. */
static bool plot_fill(const struct plot *p, uint32_t which, struct plot_cell *cells)
{
    const struct plot_series *s = &p->series[which];
    uint32_t cols = p->width * 2;
    uint32_t rows = PLOT_HEIGHT * 4;
    double dx = p->x_max > p->x_min ? p->x_max - p->x_min : 1;
    double dy = p->y_max > p->y_min ? p->y_max - p->y_min : 1;
    uint32_t *lo = mem_alloc_array(NULL, cols, 2 * sizeof *lo);
    uint32_t *hi = lo ? lo + cols : NULL;

    if (!lo)
        return false;
    for (uint32_t c = 0; c < cols; c++) {
        lo[c] = rows;
        hi[c] = 0;
    }
    for (size_t i = 0; i < s->count; i++) {
        double x = (s->x[i] - p->x_min) / dx * (double)(cols - 1);
        double y = (s->y[i] - p->y_min) / dy * (double)(rows - 1);
        double px = i ? (s->x[i - 1] - p->x_min) / dx * (double)(cols - 1) : x;
        double py = i ? (s->y[i - 1] - p->y_min) / dy * (double)(rows - 1) : y;
        double steps = fmax(fabs(x - px), fabs(y - py));
        /* A line from the point before, dot by dot; not backwards, where rows begin anew. */
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
            struct plot_cell *cell = &cells[down / 4 * p->width + c / 2];
            cell->dots |= (unsigned char)plot_dot(c % 2, down % 4);
            cell->series = (unsigned char)which;
        }
    }
    mem_free(lo);
    return true;
}

static void plot_cell(const struct plot *p, const struct plot_cell *cell, FILE *to)
{
    bool several = p->series_count > 1;

    if (!cell->dots)
        (void)fputc(' ', to);
    else if (several && !p->color)
        (void)fputs(plot_marks[cell->series], to);
    else
        (void)fprintf(to,
                      "%s\xe2%c%c%s",
                      several ? plot_colors[cell->series] : "",
                      0xa0 + (int)(cell->dots >> 6),
                      0x80 + (int)(cell->dots & 0x3f),
                      several ? "\033[0m" : "");
}

/* The distance of labels under the picture: a round one, of which there is room for `most`. */
static double plot_step(const struct plot *p, uint32_t most)
{
    static const double times[] = {
        1,     2,     5,           10,          15,           30,          60,    120,
        300,   600,   900,         1800,        3600,         7200,        10800, 21600,
        43200, 86400, 2 * 86400.0, 7 * 86400.0, 14 * 86400.0, 28 * 86400.0};
    double least = (p->x_max - p->x_min) / (double)most;
    double power = pow(10, floor(log10(least)));

    for (size_t i = 0; p->time && least >= 1 && i < sizeof times / sizeof times[0]; i++)
        if (times[i] >= least)
            return times[i];
    return least <= power       ? power
           : least <= 2 * power ? 2 * power
           : least <= 5 * power ? 5 * power
                                : 10 * power;
}

/* A label of the axis: of a time the part that changes from one to the next. */
static void plot_tick(const struct plot *p, double x, double step, char *ret, size_t size)
{
    char text[40];
    size_t day;

    if (!p->time) {
        (void)snprintf(ret, size, "%g", fabs(x) < step / 1000 ? 0 : x);
        return;
    }
    plot_time_text(x, text, sizeof text);
    day = strlen(text) - 9; /* bytes of the day */
    if (step >= 86400)
        (void)snprintf(ret, size, "%.*s", (int)day, text);
    else if (p->x_max - p->x_min > 86400)
        (void)snprintf(ret, size, "%.11s", text + day - 5); /* month, day, hour, minute */
    else
        (void)snprintf(ret, size, "%.*s", step < 60 ? 8 : 5, text + day + 1);
}

/* The axis: a mark at each round value, and a line of labels under them. */
static void plot_axis(const struct plot *p, FILE *to)
{
    char line[PLOT_WIDTH_MAX + 1];
    char labels[PLOT_WIDTH_MAX + 41];
    double span = p->x_max - p->x_min;
    double step;
    size_t end = 0; /* of the last label */

    memset(line, '-', p->width);
    line[p->width] = '\0';
    memset(labels, ' ', sizeof labels);
    if (span > 0) {
        step = plot_step(p, p->width / PLOT_TICK_CELLS + 1);
        for (double x = ceil(p->x_min / step) * step; x <= p->x_max; x += step) {
            uint32_t at = (uint32_t)((x - p->x_min) / span * (double)(p->width - 1) + 0.5);
            char text[40];
            size_t len;

            plot_tick(p, x, step, text, sizeof text);
            len = strlen(text);
            at = at < p->width ? at : p->width - 1;
            line[at] = '+';
            if (at >= end && at + len < sizeof labels) {
                memcpy(labels + at, text, len);
                end = at + len + 2;
            }
        }
    }
    end = end ? end - 2 : 0;
    (void)fprintf(to, "           +%s\n", line);
    if (end > 0)
        (void)fprintf(to, "            %.*s\n", (int)end, labels);
}

/* From where to where, and which mark is whose. */
static void plot_legend(const struct plot *p, FILE *to)
{
    char left[40];
    char right[40];

    if (p->time) {
        plot_time_text(p->x_min, left, sizeof left);
        plot_time_text(p->x_max, right, sizeof right);
    } else {
        (void)snprintf(left, sizeof left, "%g", p->x_min);
        (void)snprintf(right, sizeof right, "%g", p->x_max);
    }
    (void)fprintf(to, "            %s to %s", left, right);
    for (uint32_t i = 0; p->series_count > 1 && i < p->series_count; i++)
        (void)fprintf(to,
                      "   %s%s%s %s",
                      p->color ? plot_colors[i] : "",
                      p->color ? "⠿" : plot_marks[i],
                      p->color ? "\033[0m" : "",
                      p->series[i].name);
    (void)fputc('\n', to);
    if (p->left_out)
        (void)fprintf(to,
                      "            %" PRIu64 " values of more than %u series are not drawn\n",
                      p->left_out,
                      PLOT_SERIES_MAX);
}

static bool plot_draw(const struct plot *p, FILE *to)
{
    struct plot_cell *cells = mem_calloc(NULL, (size_t)p->width * PLOT_HEIGHT, sizeof *cells);
    bool ok = cells != NULL;

    for (uint32_t i = 0; i < p->series_count && ok; i++)
        ok = plot_fill(p, i, cells);
    for (uint32_t row = 0; row < PLOT_HEIGHT && ok; row++) {
        if (row == 0 || row == PLOT_HEIGHT - 1 || row == PLOT_HEIGHT / 2)
            (void)fprintf(
                to, "%10.4g ", p->y_max - (p->y_max - p->y_min) * row / (PLOT_HEIGHT - 1));
        else
            (void)fputs("           ", to);
        (void)fputs("|", to);
        for (uint32_t c = 0; c < p->width; c++)
            plot_cell(p, &cells[row * p->width + c], to);
        (void)fputc('\n', to);
    }
    if (ok) {
        plot_axis(p, to);
        plot_legend(p, to);
    }
    mem_free(cells);
    return ok;
}

int plot_run(struct backend *from, uint32_t width, bool color, FILE *to, struct dendro_error *err)
{
    struct plot p = {.color = color};
    int rc;

    p.width = width < 20 ? 20 : width > PLOT_WIDTH_MAX ? PLOT_WIDTH_MAX : width;
    memset(err, 0, sizeof *err);
    if (backend_columns(from) == 0 || backend_columns(from) == 1)
        return plot_columns_error(err); /* before anything happens */
    rc = plot_read(from, &p, err);
    if (rc == DENDRO_DONE && p.points == 0)
        (void)fputs("(nothing to plot)\n", to);
    else if (rc == DENDRO_DONE && !plot_draw(&p, to))
        rc = plot_error(err, DENDRO_E_NOMEM, "53200", "out of memory");
    for (uint32_t i = 0; i < PLOT_SERIES_MAX; i++) {
        mem_free(p.series[i].x);
        mem_free(p.series[i].y);
    }
    return rc;
}
