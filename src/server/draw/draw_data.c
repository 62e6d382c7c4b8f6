/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_data.c: rows to points. */
#include "server/draw/draw.h"

#include "func/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DRAW_TEXT_MAX 80u /* bytes of a name or a label that are shown */

void draw_init(struct draw *p, struct mem_owner *owner)
{
    *p = (struct draw){.owner = owner};
    arena_init(&p->arena, owner);
    buf_init(&p->text, owner);
}

void draw_done(struct draw *p)
{
    for (uint32_t i = 0; i < p->series_count; i++)
        mem_free(p->series[i].points);
    buf_done(&p->text);
    arena_done(&p->arena);
}

/* ---- columns ---- */

static bool data_is_time(enum type_id t)
{
    return type_is_timestamp(t) || t == TYPE_TIMESTAMPTZ || t == TYPE_TIMESTAMP_LOCAL ||
           t == TYPE_DATE;
}

static enum draw_x data_x_kind(enum type_id t)
{
    return data_is_time(t) ? DRAW_X_TIME : type_is_number(t) ? DRAW_X_NUMBER : DRAW_X_CATEGORY;
}

static int data_named(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcasecmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

/* The first column that is (or is no) number, but for x. */
static int data_typed(const enum type_id *types, uint32_t count, int x, bool number)
{
    for (uint32_t i = 0; i < count; i++)
        if ((int)i != x && type_is_number(types[i]) == number)
            return (int)i;
    return -1;
}

static void
data_columns(struct draw *p, const char *const *names, const enum type_id *types, uint32_t count)
{
    struct draw_columns *at = &p->at;

    *at = (struct draw_columns){.x = data_named(names, count, "x"),
                                .y = data_named(names, count, "y"),
                                .z = data_named(names, count, "z"),
                                .series = data_named(names, count, "series"),
                                .color = data_named(names, count, "color"),
                                .label = data_named(names, count, "label")};
    if (at->y >= 0)
        return;
    for (uint32_t i = 0; i < count && at->x < 0; i++)
        if (data_is_time(types[i]))
            at->x = (int)i;
    if (at->x < 0 && count > 1)
        at->x = 0;
    at->y = data_typed(types, count, at->x, true);
    if (at->series < 0)
        at->series = data_typed(types, count, at->x, false);
}

int draw_begin(struct draw *p,
               const char *const *names,
               const enum type_id *types,
               uint32_t count,
               struct dn_err *err)
{
    enum draw_x kind;
    const char **copies = arena_alloc_array(&p->arena, (size_t)count + 1, sizeof(*copies));
    int rc;

    if (!copies)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = arena_strdup(&p->arena, names[i]);
        if (!copies[i])
            return DN_FAIL_NOMEM(err);
    }
    p->names = copies;
    p->names_count = count;
    if (p->layers_count == 0)
        p->layers[p->layers_count++] = (struct draw_layer){.kind = DRAW_LINE};
    data_columns(p, p->names, types, count);
    if (p->at.y < 0 || !type_is_number(types[p->at.y])) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "there is no column with numbers to draw");
        dn_err_hint(err, "SELECT … AS x, … AS y, or a time and a number; docs/sql/draw.md.");
        return rc;
    }
    kind = p->at.x >= 0 ? data_x_kind(types[p->at.x]) : DRAW_X_NUMBER;
    if (p->x_kind != DRAW_X_NONE && p->x_kind != kind)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "x is a time, a number or a text in all statements of a picture");
    p->x_kind = kind;
    if (kind != DRAW_X_NUMBER && (p->x.log || (p->x.given && kind == DRAW_X_CATEGORY)))
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "XDOMAIN of x that is %s",
                       kind == DRAW_X_TIME ? "a time cannot be logarithmic"
                                           : "a text has no numbers");
    return 0;
}

/* ---- values ---- */

static int data_print(struct draw *p, const struct vec *v, uint32_t row, struct dn_err *err)
{
    struct datum d = vec_datum(v, row);

    buf_reset(&p->text);
    text_print_in(NULL, &d, &p->text);
    buf_u8(&p->text, 0);
    return p->text.failed ? DN_FAIL_NOMEM(err) : 0;
}

/* NaN: NULL, or nothing that can be drawn. */
static int
data_number(struct draw *p, const struct vec *v, uint32_t row, double *ret, struct dn_err *err)
{
    int rc;

    *ret = (double)NAN;
    if (v->type == TYPE_NONE || vec_is_null(v, row))
        return 0;
    rc = data_print(p, v, row, err);
    if (rc == 0)
        *ret = strtod((const char *)p->text.data, NULL);
    if (!isfinite(*ret))
        *ret = (double)NAN;
    return rc;
}

static int
data_time(struct draw *p, const struct vec *v, uint32_t row, double *ret, struct dn_err *err)
{
    int64_t seconds = 0;
    int32_t ns = 0;
    int rc;

    *ret = (double)NAN;
    if (vec_is_null(v, row))
        return 0;
    rc = data_print(p, v, row, err);
    if (rc < 0)
        return rc;
    if (text_parse_time(
            (struct vstr){.ptr = (const char *)p->text.data, .len = (uint32_t)p->text.len - 1},
            &seconds,
            &ns,
            NULL) == 0)
        *ret = (double)seconds + (double)ns / 1e9;
    return 0;
}

/* A text of a value, cut; NULL of SQL gives NULL. */
static int
data_text(struct draw *p, const struct vec *v, uint32_t row, const char **ret, struct dn_err *err)
{
    size_t len;
    int rc;

    *ret = NULL;
    if (v->type == TYPE_NONE || vec_is_null(v, row))
        return 0;
    rc = data_print(p, v, row, err);
    if (rc < 0)
        return rc;
    len = p->text.len - 1;
    if (len > DRAW_TEXT_MAX) {
        len = DRAW_TEXT_MAX;
        while (len > 0 && (p->text.data[len] & 0xc0) == 0x80)
            len--; /* no half of a character */
    }
    *ret = arena_strndup(&p->arena, (const char *)p->text.data, len);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

static int data_category(struct draw *p, const char *name, double *ret, struct dn_err *err)
{
    if (!p->categories) {
        p->categories = arena_alloc_array(&p->arena, DRAW_CATEGORIES_MAX, sizeof(*p->categories));
        if (!p->categories)
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < p->categories_count; i++) {
        *ret = i;
        if (strcmp(p->categories[i], name) == 0)
            return 0;
    }
    if (p->categories_count == DRAW_CATEGORIES_MAX)
        return DN_FAIL(
            err, DN_E_LIMIT, "a picture has at most %u different texts as x", DRAW_CATEGORIES_MAX);
    *ret = p->categories_count;
    p->categories[p->categories_count++] = name;
    return 0;
}

static int
data_x(struct draw *p, const struct vec *cols, uint32_t row, double *ret, struct dn_err *err)
{
    const char *name;
    int rc;

    if (p->at.x < 0) {
        *ret = p->points_count;
        return 0;
    }
    if (p->x_kind == DRAW_X_TIME)
        return data_time(p, &cols[p->at.x], row, ret, err);
    if (p->x_kind == DRAW_X_NUMBER)
        return data_number(p, &cols[p->at.x], row, ret, err);
    rc = data_text(p, &cols[p->at.x], row, &name, err);
    return rc == 0 ? data_category(p, name ? name : "NULL", ret, err) : rc;
}

/* The series of that name in the newest layer. */
static int data_series(struct draw *p,
                       const char *name,
                       const char *color,
                       struct draw_series **ret,
                       struct dn_err *err)
{
    uint32_t layer = p->layers_count - 1;

    for (uint32_t i = p->series_count; i > 0; i--) {
        *ret = &p->series[i - 1];
        if ((*ret)->layer == layer && strcmp((*ret)->name, name) == 0)
            return 0;
    }
    if (p->series_count == DRAW_SERIES_MAX)
        return DN_FAIL(err, DN_E_LIMIT, "a picture has at most %u series", DRAW_SERIES_MAX);
    *ret = &p->series[p->series_count++];
    **ret = (struct draw_series){.name = name, .color = color, .layer = layer};
    return 0;
}

static int
data_add(struct draw *p, struct draw_series *s, const struct draw_point *point, struct dn_err *err)
{
    if (p->points_count == DRAW_POINTS_MAX) {
        int rc = DN_FAIL(err, DN_E_LIMIT, "a picture has at most %u points", DRAW_POINTS_MAX);

        dn_err_hint(err, "Draw means: GROUP BY time_bucket(INTERVAL '1 hour', time).");
        return rc;
    }
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 64;
        struct draw_point *more = mem_realloc(p->owner, s->points, cap * sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        s->points = more;
        s->cap = cap;
    }
    s->points[s->count++] = *point;
    p->points_count++;
    return 0;
}

int draw_row(struct draw *p, const struct vec *cols, uint32_t row, struct dn_err *err)
{
    const struct draw_columns *at = &p->at;
    struct draw_point point = {.x = (double)NAN, .y = (double)NAN, .z = (double)NAN};
    struct draw_series *series;
    const char *name = p->names[at->y];
    const char *color = NULL;
    int rc = data_x(p, cols, row, &point.x, err);

    if (rc == 0 && isnan(point.x))
        return 0; /* it has no place */
    if (rc == 0)
        rc = data_number(p, &cols[at->y], row, &point.y, err);
    if (rc == 0 && at->z >= 0)
        rc = data_number(p, &cols[at->z], row, &point.z, err);
    if (rc == 0 && at->series >= 0) {
        rc = data_text(p, &cols[at->series], row, &name, err);
        name = name ? name : "NULL";
    }
    if (rc == 0 && at->color >= 0)
        rc = data_text(p, &cols[at->color], row, &color, err);
    if (rc == 0 && at->label >= 0)
        rc = data_text(p, &cols[at->label], row, &point.label, err);
    if (rc == 0)
        rc = data_series(p, name, color, &series, err);
    return rc == 0 ? data_add(p, series, &point, err) : rc;
}
