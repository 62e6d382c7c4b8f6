/* SPDX-License-Identifier: Apache-2.0
 *
 * text_words.c: names of months and days of the week, in any case. */
#include "func/text_int.h"

#include <string.h>
#include <strings.h>

/* The place of a word in a list, from 1 on; 0: none. brief: three letters of it are enough. */
static int words_place(struct vstr w, const char *list, bool brief)
{
    int place = 1;

    for (size_t n; *list; list += n + (list[n] == ' '), place++) {
        n = strcspn(list, " ");
        if ((w.len == n || (brief && w.len == 3)) && strncasecmp(w.ptr, list, w.len) == 0)
            return place;
    }
    return 0;
}

int text_month_word(struct vstr w)
{
    return w.len == 4 && strncasecmp(w.ptr, "sept", 4) == 0
               ? 9
               : words_place(w,
                             "january february march april may june july august september october "
                             "november december",
                             true);
}

bool text_weekday_word(struct vstr w)
{
    return words_place(w, "sunday monday tuesday wednesday thursday friday saturday", true) ||
           words_place(w, "tues weds thur thurs", false);
}
