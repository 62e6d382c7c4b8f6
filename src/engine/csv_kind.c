/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_kind.h"

#include "engine/csv_value.h"
#include "func/session.h"
#include "func/text.h"

#include <math.h>
#include <string.h>

#define KIND_TEXT_AFTER 4096u /* values, of which none of the kinds has half */
#define KIND_ODD_BYTES  40u   /* of a value that is remembered */
#define KIND_NUMBER_MAX 64u   /* bytes; what is longer is no number and no time */

static bool kind_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static bool kind_is_bool(struct vstr s)
{
    int64_t v;

    return s.len != 1 ? csv_read_bool(s.ptr, s.len, &v) : s.ptr[0] == 't' || s.ptr[0] == 'f';
}

/* Words that are numbers begin as NaN and Infinity do. */
static bool kind_may_be_number(struct vstr s)
{
    char c = (char)(s.ptr[0] | ('a' - 'A'));

    return c < 'a' || c > 'z' || c == 'i' || c == 'n';
}

static bool kind_is_int(struct csv_kinds *k, struct vstr s, struct arena *scratch)
{
    struct datum d;

    if (!csv_read_int(s.ptr, s.len, &d.v.i64) && text_parse(TYPE_BIGINT, s, scratch, &d, NULL) < 0)
        return false;
    k->min = k->count[CSV_KIND_INT] == 0 || d.v.i64 < k->min ? d.v.i64 : k->min;
    k->max = k->count[CSV_KIND_INT] == 0 || d.v.i64 > k->max ? d.v.i64 : k->max;
    return true;
}

static bool kind_is_double(struct vstr s, struct arena *scratch)
{
    struct datum d;
    double v;

    if (csv_read_double(s.ptr, s.len, &v))
        return true;
    return text_parse(TYPE_DOUBLE, s, scratch, &d, NULL) == 0 && isfinite(d.v.f64);
}

static bool kind_is_comma(struct csv_kinds *k, struct vstr s, struct arena *scratch)
{
    char plain[KIND_NUMBER_MAX];
    size_t n = csv_read_comma(s.ptr, s.len, plain);

    if (n == 0 || !kind_is_double((struct vstr){.ptr = plain, .len = (uint32_t)n}, scratch))
        return false;
    k->commas += memchr(s.ptr, ',', s.len) != NULL;
    return true;
}

/* A date has two signs between digits or letters, and digits enough for one. */
static bool kind_may_be_time(struct vstr s)
{
    unsigned digits = 0;
    unsigned signs = 0;

    for (uint32_t i = 0; i < s.len; i++) {
        digits += kind_is_digit(s.ptr[i]);
        signs += s.ptr[i] == '-' || s.ptr[i] == '/' || s.ptr[i] == '.';
    }
    return kind_is_digit(s.ptr[0]) && digits >= 4 && signs >= 2;
}

static void kind_time_digits(struct csv_kinds *k, struct vstr s)
{
    const char *end = s.ptr + s.len;
    const char *point = memchr(s.ptr, ':', s.len); /* of a date only before that */
    uint32_t n = 0;

    point = point ? memchr(point, '.', (size_t)(end - point)) : NULL;

    while (point && point + 1 + n < end && kind_is_digit(point[1 + n]))
        n++;
    k->digits = n > k->digits ? n : k->digits;
}

/* Sets the bits of the orders of day, month and year in which it is a time. */
static void kind_time(struct csv_kinds *k, struct vstr s, bool *ret)
{
    int64_t seconds;
    int32_t ns;
    int64_t v;
    bool iso = s.len >= 10 && s.ptr[4] == '-' &&
               (csv_read_time(s.ptr, s.len, TYPE_TIMESTAMP_US, &v) ||
                text_parse_time(s, &seconds, &ns, NULL) == 0);

    if (!iso && !kind_may_be_time(s))
        return;
    for (unsigned order = 0; order < CSV_ORDERS; order++) {
        struct func_session session = {.date_first = (enum date_first)order};

        ret[order] = iso || text_parse_time_in(&session, false, s, &seconds, &ns, NULL) == 0;
        iso = iso && ret[order];
    }
    if (!ret[0] && !ret[1] && !ret[2])
        return;
    k->iso += iso;
    k->points += memchr(s.ptr, '.', s.len < 10 ? s.len : 6) != NULL;
    kind_time_digits(k, s);
}

static bool kind_odd(struct csv_odd *odd, struct vstr s, uint64_t line, struct arena *keep)
{
    uint32_t len = s.len < KIND_ODD_BYTES ? s.len : KIND_ODD_BYTES;

    if (odd->text) {
        odd->only = odd->only && strlen(odd->text) == s.len && memcmp(odd->text, s.ptr, s.len) == 0;
        return true;
    }
    while (len < s.len && len > 0 && ((unsigned char)s.ptr[len] & 0xc0) == 0x80)
        len--; /* no half of a character */
    *odd = (struct csv_odd){
        .line = line, .text = arena_strndup(keep, s.ptr, len), .only = len == s.len};
    return odd->text != NULL;
}

static bool kind_hopeless(const struct csv_kinds *k)
{
    for (unsigned i = 0; i < CSV_KIND_MAX; i++)
        if (k->count[i] > k->values / 2)
            return false;
    return k->values >= KIND_TEXT_AFTER;
}

bool csv_kinds_add(
    struct csv_kinds *k, struct vstr s, uint64_t line, struct arena *keep, struct arena *scratch)
{
    bool is[CSV_KIND_MAX] = {false};
    bool ok = true;

    k->values++;
    if (k->text)
        return true;
    is[CSV_KIND_BOOL] = kind_is_bool(s);
    if (s.len > 0 && s.len < KIND_NUMBER_MAX && kind_may_be_number(s)) {
        is[CSV_KIND_INT] = kind_is_int(k, s, scratch);
        is[CSV_KIND_DOUBLE] = is[CSV_KIND_INT] || kind_is_double(s, scratch);
        is[CSV_KIND_COMMA] = is[CSV_KIND_INT] || kind_is_comma(k, s, scratch);
    }
    if (s.len > 0 && s.len < KIND_NUMBER_MAX && !is[CSV_KIND_DOUBLE])
        kind_time(k, s, is + CSV_KIND_TIME);
    for (unsigned i = 0; i < CSV_KIND_MAX; i++) {
        k->count[i] += is[i];
        if (!is[i])
            ok = kind_odd(&k->odd[i], s, line, keep) && ok;
    }
    k->text = kind_hopeless(k);
    return ok;
}
