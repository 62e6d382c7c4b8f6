/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_values.c: random values of the model's columns, and how they are written in SQL. */
#include "sql_model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t sqlm_per_second(enum dendro_type t)
{
    return t == DENDRO_TYPE_TIMESTAMP ? 1000 : t == DENDRO_TYPE_TIMESTAMP_US ? 1000000 : 1000000000;
}

/* ---- values ---- */

static struct sql_value sqlm_string(enum dendro_type type, const char *s, size_t len)
{
    struct sql_value v = {.type = type, .len = (uint32_t)len};

    v.str = mem_dup(NULL, s, len);
    DN_ASSERT(v.str);
    return v;
}

#define SQLM_TURNS   12u
#define SQLM_ORDERLY 1500u /* rows in turn, then as many in any order */

/* Whose turn it is. */
static unsigned sqlm_turn(const struct rng *r)
{
    uint64_t tick = r->tick;

    if (tick / SQLM_ORDERLY % 2)
        tick = tick * 0x9e3779b97f4a7c15u >> 40;
    return (unsigned)(tick % SQLM_TURNS);
}

static struct sql_value sqlm_string_random(struct rng *r, enum dendro_type type)
{
    static const char *const words[] = {
        "", "a", "ab", "b", "it's", "zebra", "\xc3\xa4", "\xf0\x9f\x8c\xb3", "a%_\\", "A"};
    char text[400];
    const char *w = words[rng_below(r, DN_ARRAY_SIZE(words))];

    if (rng_one_in(r, 6)) {
        /* Long ones that differ only far behind. */
        size_t len = 30 + rng_below(r, 300);
        memset(text, 'x', sizeof text);
        text[len - 1] = (char)('a' + rng_below(r, 3));
        return sqlm_string(type, text, len);
    }
    return sqlm_string(type, w, strlen(w));
}

static struct sql_value sqlm_styled_string(struct rng *r, const struct sqlm_col *col)
{
    static const char *const pieces[] = {"the pump in hall ", "pressure is ", "within limits, "};
    char text[400] = "";
    uint64_t noise = rng_next(r);
    size_t len = 0;

    switch (col->style) {
    case SQLM_STEP:
        (void)snprintf(text, sizeof text, "sensor/building-7/%08u", (unsigned)r->tick);
        break;
    case SQLM_WALK:
        for (uint32_t i = 0; i < 6 + noise % 7; i++) {
            uint32_t n = (uint32_t)((noise >> (8 + 4 * i)) % 48);
            (void)snprintf(text + len, sizeof text - len, "%s%u ", pieces[n % 3], n);
            len += strlen(text + len);
        }
        break;
    case SQLM_RUN:
        (void)snprintf(text, sizeof text, "phase %u", (unsigned)(r->tick / 64));
        break;
    case SQLM_TURN:
        (void)snprintf(text, sizeof text, "host-%u", sqlm_turn(r) * 3);
        break;
    case SQLM_FEW:
    case SQLM_NOISE:
    case SQLM_STYLE_MAX:
        (void)snprintf(text, sizeof text, "%016" PRIx64, noise);
        break;
    }
    return sqlm_string(col->type, text, strlen(text));
}

static double sqlm_styled_float(struct rng *r, const struct sqlm_col *col)
{
    double v = 0;

    switch (col->style) {
    case SQLM_STEP:
        v = (double)(r->tick * 25 + rng_below(r, 3)) / 100;
        break;
    case SQLM_WALK:
        v = (double)rng_below(r, 1000000) / 100;
        break;
    case SQLM_RUN:
        v = (double)(r->tick / 64) * 0.5;
        break;
    case SQLM_TURN:
        v = (double)(sqlm_turn(r) * 37 % 11 * 1000 + rng_below(r, 3)) / 100;
        break;
    case SQLM_FEW:
    case SQLM_NOISE:
    case SQLM_STYLE_MAX:
        v = 1 + (double)(rng_next(r) >> 12) * 0x1p-52;
        if (rng_one_in(r, 2)) /* two fronts far apart, and no sum that cancels itself out */
            v *= col->type == DENDRO_TYPE_REAL ? 0x1p-100 : 0x1p-500;
        break;
    }
    return col->type == DENDRO_TYPE_REAL ? (double)(float)v : v;
}

static int64_t sqlm_styled_int(struct rng *r, const struct sqlm_col *col)
{
    int64_t tick = (int64_t)r->tick;

    switch (col->style) {
    case SQLM_STEP:
        return col->type == DENDRO_TYPE_SMALLINT ? tick % 30000 : 1 + tick * 1000;
    case SQLM_WALK:
        return col->type == DENDRO_TYPE_SMALLINT ? tick % 15000 * 2 + rng_below(r, 3)
                                                 : 1 + tick * 1000 + rng_below(r, 40);
    case SQLM_RUN:
        return 1 + tick / 64;
    case SQLM_TURN:
        return 1 + sqlm_turn(r) * 37 % 11 * 2000 + rng_below(r, 3);
    case SQLM_FEW:
    case SQLM_NOISE:
    case SQLM_STYLE_MAX:
        break;
    }
    if (col->type == DENDRO_TYPE_BIGINT)
        return (int64_t)rng_next(r);
    return 1 + (int64_t)(rng_next(r) % (col->type == DENDRO_TYPE_SMALLINT ? 30000u : 1u << 30));
}

/* Hundredths: prices, and now and then what is no number. */
static int64_t sqlm_num_random(struct rng *r, const struct sqlm_col *col)
{
    static const int64_t odd[] = {SQL_NUM_NAN, SQL_NUM_INF, SQL_NUM_MINUS_INF};

    if (rng_one_in(r, 50))
        return odd[rng_below(r, DN_ARRAY_SIZE(odd))];
    switch (col->style) {
    case SQLM_STEP:
        return (int64_t)r->tick * 25;
    case SQLM_WALK:
        return (int64_t)(r->tick * 5 + rng_below(r, 40)) - 3000;
    case SQLM_RUN:
        return (int64_t)(r->tick / 64) * 50;
    case SQLM_TURN:
        return (int64_t)sqlm_turn(r) * 5000;
    case SQLM_FEW:
        return ((int64_t)rng_below(r, 9) - 4) * 25;
    case SQLM_NOISE:
    case SQLM_STYLE_MAX:
        break;
    }
    return (int64_t)rng_next(r) >> rng_below(r, 3) * 20;
}

/* Few distinct values, so that keys meet; some far apart, so that slabs differ. */
struct sql_value sqlm_value_random(struct rng *r, const struct sqlm_col *col, bool nullable)
{
    struct sql_value v = {.type = col->type};

    if (nullable && rng_one_in(r, col->style == SQLM_FEW ? 5 : 40)) {
        v.null = true;
        return v;
    }
    if (col->type == DENDRO_TYPE_NUMERIC) {
        v.i64 = sqlm_num_random(r, col);
        v.strange = col->key && sql_num_trimmed(v.i64);
        return v;
    }
    if (col->style != SQLM_FEW && col->type != DENDRO_TYPE_BOOLEAN) {
        if (sql_type_is_string(col->type))
            return sqlm_styled_string(r, col);
        if (sql_type_is_float(col->type))
            v.f64 = sqlm_styled_float(r, col);
        else
            v.i64 = sqlm_styled_int(r, col);
        return v;
    }
    if (sql_type_is_string(col->type))
        return sqlm_string_random(r, col->type);
    if (sql_type_is_float(col->type)) {
        v.f64 = (double)((int)rng_below(r, 9) - 4) * 0.25;
    } else if (col->type == DENDRO_TYPE_BOOLEAN) {
        v.i64 = rng_below(r, 2);
    } else if (sql_type_is_time(col->type)) {
        int64_t day = 86400 * sqlm_per_second(col->type);
        v.i64 = ((int64_t)rng_below(r, 5) - 2) * day + (int64_t)rng_below(r, 40) * (day / 97);
        if (rng_one_in(r, 4))
            v.i64 += rng_below(r, 2000);
        if (v.i64 == 0)
            v.i64 = 1;
    } else if (col->wide && rng_one_in(r, 2)) {
        v.i64 = rng_one_in(r, 2) ? INT64_MAX - rng_below(r, 3) : INT64_MIN + rng_below(r, 3);
    } else {
        v.i64 = (int64_t)rng_below(r, 7) - 3;
    }
    return v;
}

/* Days since 1970 to year, month, day: the textbook way, one year and month after the other. */
static void sqlm_civil(int64_t days, int *ret_y, int *ret_m, int *ret_d)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int y = 1970;
    int m = 0;

    for (;;) {
        int leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
        if (days < 0) {
            y--;
            leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
            days += 365 + leap;
        } else if (days >= 365 + leap) {
            days -= 365 + leap;
            y++;
        } else {
            break;
        }
    }
    for (;; m++) {
        int leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
        int len = lengths[m] + (m == 1 && leap);
        if (days < len)
            break;
        days -= len;
    }
    *ret_y = y;
    *ret_m = m + 1;
    *ret_d = (int)days + 1;
}

static void sqlm_time_literal(struct rng *r, const struct sql_value *v, struct buf *b)
{
    int64_t per = sqlm_per_second(v->type);
    int64_t seconds = v->i64 / per;
    int64_t rest = v->i64 % per;
    int64_t days;
    int digits = v->type == DENDRO_TYPE_TIMESTAMP ? 3 : v->type == DENDRO_TYPE_TIMESTAMP_US ? 6 : 9;
    int y;
    int m;
    int d;

    if (rng_one_in(r, 2)) {
        buf_printf(b, "%" PRId64, v->i64);
        return;
    }
    if (rest < 0) {
        rest += per;
        seconds--;
    }
    days = seconds / 86400;
    seconds %= 86400;
    if (seconds < 0) {
        seconds += 86400;
        days--;
    }
    sqlm_civil(days, &y, &m, &d);
    buf_printf(b,
               "'%04d-%02d-%02d%c%02d:%02d:%02d.%0*" PRId64 "Z'",
               y,
               m,
               d,
               rng_one_in(r, 2) ? 'T' : ' ',
               (int)(seconds / 3600),
               (int)(seconds / 60 % 60),
               (int)(seconds % 60),
               digits,
               rest);
}

void sqlm_literal(struct rng *r, const struct sql_value *v, struct buf *b)
{
    if (v->null) {
        buf_puts(b, "NULL");
    } else if (v->type == DENDRO_TYPE_BOOLEAN) {
        buf_puts(b, v->i64 ? "true" : "FALSE");
    } else if (sql_type_is_time(v->type)) {
        sqlm_time_literal(r, v, b);
    } else if (sql_type_is_float(v->type)) {
        bool quarters = v->f64 * 4 == (double)(int64_t)(v->f64 * 4);
        buf_printf(b, rng_one_in(r, 3) || !quarters ? "%.17e" : "%.2f", v->f64);
    } else if (v->type == DENDRO_TYPE_NUMERIC) {
        bool plain = v->i64 < SQL_NUM_INF && v->i64 > SQL_NUM_MINUS_INF && rng_one_in(r, 2);

        buf_puts(b, plain ? "" : "'");
        sql_num_print(v->i64, b);
        buf_puts(b, plain ? "" : "'");
    } else if (v->type == DENDRO_TYPE_BLOB) {
        buf_puts(b, "0x");
        for (uint32_t i = 0; i < v->len; i++)
            buf_printf(b, "%02x", (unsigned char)v->str[i]);
    } else if (v->type == DENDRO_TYPE_VARCHAR) {
        buf_u8(b, '\'');
        for (uint32_t i = 0; i < v->len; i++) {
            if (v->str[i] == '\'')
                buf_u8(b, '\'');
            buf_u8(b, (uint8_t)v->str[i]);
        }
        buf_u8(b, '\'');
    } else {
        buf_printf(b, "%" PRId64, v->i64);
    }
}
