/* SPDX-License-Identifier: Apache-2.0
 *
 * tmpl.c: the table of words. */
#include "func/tmpl.h"

#include <string.h>

static const struct tmpl_name tmpl_names[] = {
    {"A.M.", TMPL_AM_DOTS, 0, false},
    {"P.M.", TMPL_AM_DOTS, 0, false},
    {"AM", TMPL_AM, 0, false},
    {"PM", TMPL_AM, 0, false},
    {"A.D.", TMPL_AD_DOTS, 0, true},
    {"B.C.", TMPL_AD_DOTS, 0, true},
    {"AD", TMPL_AD, 0, true},
    {"BC", TMPL_AD, 0, true},
    {"HH24", TMPL_HH24, 0, false},
    {"HH12", TMPL_HH12, 0, false},
    {"HH", TMPL_HH12, 0, false},
    {"MI", TMPL_MI, 0, false},
    {"SSSSS", TMPL_SSSS, 0, false},
    {"SSSS", TMPL_SSSS, 0, false},
    {"SS", TMPL_SS, 0, false},
    {"MS", TMPL_MS, 0, false},
    {"US", TMPL_US, 0, false},
    {"FF1", TMPL_FF, 1, false},
    {"FF2", TMPL_FF, 2, false},
    {"FF3", TMPL_FF, 3, false},
    {"FF4", TMPL_FF, 4, false},
    {"FF5", TMPL_FF, 5, false},
    {"FF6", TMPL_FF, 6, false},
    {"Y,YYY", TMPL_Y_YYY, 0, false},
    {"YYYY", TMPL_YEAR, 4, false},
    {"YYY", TMPL_YEAR, 3, false},
    {"YY", TMPL_YEAR, 2, false},
    {"Y", TMPL_YEAR, 1, false},
    {"IYYY", TMPL_ISO_YEAR, 4, false},
    {"IYY", TMPL_ISO_YEAR, 3, false},
    {"IY", TMPL_ISO_YEAR, 2, false},
    {"I", TMPL_ISO_YEAR, 1, false},
    {"CC", TMPL_CC, 0, false},
    {"MONTH", TMPL_MONTH, 0, true},
    {"MON", TMPL_MON, 0, true},
    {"MM", TMPL_MM, 0, false},
    {"RM", TMPL_RM, 0, false},
    {"DAY", TMPL_DAY, 0, true},
    {"DY", TMPL_DY, 0, true},
    {"IDDD", TMPL_IDDD, 0, false},
    {"DDD", TMPL_DDD, 0, false},
    {"DD", TMPL_DD, 0, false},
    {"D", TMPL_D, 0, true},
    {"ID", TMPL_ID, 0, true},
    {"WW", TMPL_WW, 0, false},
    {"W", TMPL_W, 0, false},
    {"IW", TMPL_IW, 0, false},
    {"Q", TMPL_Q, 0, false},
    {"J", TMPL_J, 0, false},
    {"TZH", TMPL_TZH, 0, true},
    {"TZM", TMPL_TZM, 0, true},
    {"TZ", TMPL_TZ, 0, true},
    {"OF", TMPL_OF, 0, true},
};

const char *const tmpl_months[12] = {"January",
                                     "February",
                                     "March",
                                     "April",
                                     "May",
                                     "June",
                                     "July",
                                     "August",
                                     "September",
                                     "October",
                                     "November",
                                     "December"};
const char *const tmpl_days[7] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
const char *const tmpl_romans[12] = {
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"};

/* Month, but not MOnth. */
static bool tmpl_starts_first(struct vstr s, uint32_t at, const char *word)
{
    bool same = at < s.len && s.ptr[at] == word[0];

    for (uint32_t i = 1; same && word[i]; i++)
        same = at + i < s.len && s.ptr[at + i] == tmpl_down(word[i]);
    return same;
}

bool tmpl_starts(struct vstr s, uint32_t at, const char *word)
{
    bool upper = true;
    bool lower = true;

    for (uint32_t i = 0; word[i] && (upper || lower); i++) {
        if (at + i >= s.len)
            return false;
        upper = upper && s.ptr[at + i] == word[i];
        lower = lower && s.ptr[at + i] == tmpl_down(word[i]);
    }
    return upper || lower;
}

const struct tmpl_name *tmpl_find(struct vstr s, uint32_t at)
{
    const struct tmpl_name *best = NULL;
    char first = at < s.len ? tmpl_up(s.ptr[at]) : '\0';

    for (size_t i = 0; i < DN_ARRAY_SIZE(tmpl_names); i++)
        if (tmpl_names[i].name[0] == first &&
            (tmpl_starts(s, at, tmpl_names[i].name) ||
             (tmpl_names[i].word >= TMPL_MONTH && tmpl_names[i].word <= TMPL_DY &&
              tmpl_names[i].spoken && tmpl_starts_first(s, at, tmpl_names[i].name))) &&
            (!best || strlen(tmpl_names[i].name) > strlen(best->name)))
            best = &tmpl_names[i];
    return best;
}

enum tmpl_case tmpl_case_of(const char *word, size_t len)
{
    if (word[0] >= 'a' && word[0] <= 'z')
        return TMPL_LOWER;
    return len > 1 && word[1] >= 'a' && word[1] <= 'z' ? TMPL_FIRST : TMPL_UPPER;
}
