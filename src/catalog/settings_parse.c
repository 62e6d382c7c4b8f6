/* SPDX-License-Identifier: Apache-2.0
 *
 * settings_parse.c: values of settings from text, and back. */
#include "base/number.h"
#include "base/text.h"
#include "catalog/settings_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

struct setting_unit {
    const char *unit;
    int64_t times;
};
/* From the largest, so that printing takes the first that divides. */
static const struct setting_unit setting_sizes[] = {
    {"TB", (int64_t)1 << 40},
    {"GB", 1 << 30},
    {"MB", 1 << 20},
    {"kB", 1 << 10},
    {"B", 1},
};
static const struct setting_unit setting_times[] = {
    {"d", 86400000},
    {"h", 3600000},
    {"min", 60000},
    {"s", 1000},
    {"ms", 1},
};

static bool settings_parse_bool(const char *text, int64_t *ret)
{
    static const char *const yes[] = {"on", "true", "yes", "1"};
    static const char *const no[] = {"off", "false", "no", "0"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(yes); i++) {
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *ret = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

/* A number at the start; the rest is left in *text. False: there is none, or it is too large. */
static bool settings_parse_digits(const char **text, int64_t *ret)
{
    size_t len = number_int(*text, strlen(*text), ret);

    *text += len;
    return len > 0;
}

int64_t settings_size_unit(const char *s)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_sizes); i++) {
        const char *unit = setting_sizes[i].unit;

        if (strcasecmp(s, unit) == 0)
            return setting_sizes[i].times;
        if (unit[1] && strncasecmp(s, unit, 1) == 0 &&
            (s[1] == '\0' || strcasecmp(s + 1, "iB") == 0))
            return setting_sizes[i].times;
    }
    return strcmp(s, "8kB") == 0 ? 8192 : 0;
}

static int64_t settings_time_unit(const char *s)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(setting_times); i++)
        if (strcmp(s, setting_times[i].unit) == 0)
            return setting_times[i].times;
    return 0;
}

/* A number and its unit: bytes or milliseconds. Of -1 and 0 it means nothing. */
static bool settings_parse_units(const struct setting_row *row, const char *text, int64_t *ret)
{
    const char *own = row->unit && *row->unit ? row->unit : row->kind == SETTING_TIME ? "ms" : "B";
    int64_t unit;

    if (!settings_parse_digits(&text, ret))
        return false;
    while (*text == ' ')
        text++;
    if (*text == '\0' && *ret <= 0)
        return true;
    text = *text ? text : own;
    unit = row->kind == SETTING_TIME ? settings_time_unit(text) : settings_size_unit(text);
    return unit > 0 && !__builtin_mul_overflow(*ret, unit, ret);
}

/* The n-th word of a list; its length, 0 = there is none. */
static size_t settings_word(const char *words, int64_t n, const char **ret)
{
    for (; n > 0 && words; n--) {
        words = strchr(words, ',');
        words = words ? words + 1 : NULL;
    }
    *ret = words;
    return words ? strcspn(words, ",") : 0;
}

static bool settings_parse_word(const char *words, const char *text, int64_t *ret)
{
    const char *word;
    size_t len;

    for (int64_t i = 0; (len = settings_word(words, i, &word)) > 0; i++)
        if (strlen(text) == len && strncasecmp(word, text, len) == 0) {
            *ret = i;
            return true;
        }
    return false;
}

static const char *const setting_styles[] = {"ISO", "SQL", "Postgres", "German"};
static const char *const setting_orders[] = {"MDY", "DMY", "YMD"};

/* One word of a DateStyle, on top of the value there is. German has days first, unless an order
 * was named. */
static bool settings_parse_style_word(const char *word, size_t len, int64_t *value, bool *ordered)
{
    static const struct {
        const char *start; /* a word that starts so */
        int style, order;  /* -1: as it is */
    } words[] = {{"iso", 0, -1},
                 {"sql", 1, -1},
                 {"postgres", 2, -1},
                 {"german", 3, 1},
                 {"ymd", -1, 2},
                 {"dmy", -1, 1},
                 {"euro", -1, 1},
                 {"mdy", -1, 0},
                 {"us", -1, 0},
                 {"noneuro", -1, 0},
                 {"default", 0, 0}};

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        size_t n = strlen(words[i].start);
        bool both = words[i].style >= 0 && words[i].order >= 0;

        if (len < n || strncasecmp(word, words[i].start, n) != 0)
            continue;
        if (words[i].style >= 0)
            *value = words[i].style * 3 + *value % 3;
        if (words[i].order >= 0 && !(both && *ordered))
            *value = *value / 3 * 3 + words[i].order;
        *ordered = *ordered || (words[i].order >= 0 && !both);
        return true;
    }
    return false;
}

static bool settings_parse_style(const char *text, int64_t *value)
{
    bool ordered = false;

    for (const char *p = text; *p;) {
        size_t len;

        p += strspn(p, " ,\t");
        len = strcspn(p, " ,\t");
        if (len > 0 && !settings_parse_style_word(p, len, value, &ordered))
            return false;
        p += len;
    }
    return true;
}

static bool settings_parse_encoding(const char *text)
{
    char plain[16] = "";
    size_t n = 0;

    for (; *text && n + 1 < sizeof plain; text++)
        if ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z')
            plain[n++] = (char)(*text | 0x20);
        else if (*text >= '0' && *text <= '9')
            plain[n++] = *text;
    return *text == '\0' && (strcmp(plain, "utf8") == 0 || strcmp(plain, "unicode") == 0);
}

/* A value that is none of the few there are. */
int settings_fail_value(const struct setting_row *row, const char *text, struct dn_err *err)
{
    int rc = DN_FAIL(
        err, DN_E_INVALID_PARAM, "invalid value for parameter \"%s\": \"%.80s\"", row->name, text);

    if (row->words)
        dn_err_hint(err, "Available values: %s.", row->words);
    else if (row->kind == SETTING_ENCODING)
        dn_err_hint(err, "Texts are in UTF8.");
    else if (row->kind == SETTING_DATESTYLE)
        dn_err_hint(err, "One of ISO, SQL, Postgres, German, and one of MDY, DMY, YMD.");
    return rc;
}

static bool settings_parse_port(const char *text, int64_t *ret)
{
    if (strcasecmp(text, "any") == 0) {
        *ret = SETTING_PORT_ANY;
        return true;
    }
    return settings_parse_digits(&text, ret) && *text == '\0' && *ret >= 0 && *ret <= UINT16_MAX;
}

/* *ret: the value so far. */
int settings_parse(const struct setting_row *row,
                   const char *text,
                   int64_t *ret,
                   struct dn_err *err)
{
    const char *rest = text;
    const char *must = NULL;
    bool good = false;

    switch (row->kind) {
    case SETTING_BOOL:
        good = settings_parse_bool(text, ret);
        must = "on or off";
        break;
    case SETTING_INT:
        good = settings_parse_digits(&rest, ret) && *rest == '\0';
        must = "a whole number";
        break;
    case SETTING_SIZE:
        good = settings_parse_units(row, text, ret);
        must = "a number of bytes such as 65536 or '64MB'";
        break;
    case SETTING_TIME:
        good = settings_parse_units(row, text, ret);
        must = "a time such as 5000 (milliseconds) or '5s'";
        break;
    case SETTING_ENUM:
        good = settings_parse_word(row->words, text, ret);
        break;
    case SETTING_DATESTYLE:
        good = settings_parse_style(text, ret);
        break;
    case SETTING_ENCODING:
        good = settings_parse_encoding(text);
        break;
    case SETTING_PORT:
        good = settings_parse_port(text, ret);
        must = "a port from 1 to 65535, any = one that is free, or 0 = none";
        break;
    case SETTING_REAL:
    case SETTING_TEXT:
        break;
    }
    if (good)
        return 0;
    if (!must)
        return settings_fail_value(row, text, err);
    return DN_FAIL(
        err, DN_E_INVALID_PARAM, "setting %s must be %s, not '%.80s'", row->name, must, text);
}

/* In the largest unit that leaves a whole number. */
static void
settings_print_units(const struct setting_unit *units, size_t count, int64_t value, struct buf *b)
{
    for (size_t i = 0; value > 0 && i < count; i++)
        if (value % units[i].times == 0) {
            buf_printf(b, "%" PRId64, value / units[i].times);
            buf_puts(b, strcmp(units[i].unit, "B") == 0 ? "" : units[i].unit);
            return;
        }
    buf_printf(b, "%" PRId64, value);
}

void settings_print(const struct setting_row *row, int64_t value, struct buf *b)
{
    const char *word;
    size_t len;

    switch (row->kind) {
    case SETTING_BOOL:
        buf_puts(b, value ? "on" : "off");
        return;
    case SETTING_INT:
        buf_printf(b, "%" PRId64, value);
        return;
    case SETTING_SIZE:
        settings_print_units(setting_sizes, DN_ARRAY_SIZE(setting_sizes), value, b);
        return;
    case SETTING_TIME:
        settings_print_units(setting_times, DN_ARRAY_SIZE(setting_times), value, b);
        return;
    case SETTING_ENUM:
        len = settings_word(row->words, value, &word);
        buf_append(b, word, len);
        return;
    case SETTING_DATESTYLE:
        buf_printf(b, "%s, %s", setting_styles[value / 3 % 4], setting_orders[value % 3]);
        return;
    case SETTING_ENCODING:
        buf_puts(b, "UTF8");
        return;
    case SETTING_PORT:
        if (value == SETTING_PORT_ANY)
            buf_puts(b, "any");
        else
            buf_printf(b, "%" PRId64, value);
        return;
    case SETTING_REAL:
    case SETTING_TEXT:
        return;
    }
}
