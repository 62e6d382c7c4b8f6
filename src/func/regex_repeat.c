/* SPDX-License-Identifier: Apache-2.0
 *
 * regex_repeat.c: the quantifiers of an ARE, as PCRE2 reads them. */
#include "func/regex_tr.h"

#define TR_REPEAT 255u /* greatest bound */

static int tr_bound(struct tr *t, uint32_t *ret)
{
    *ret = 0;
    if (!tr_more(t) || !tr_digit(*t->p))
        return tr_fail(t, "invalid repetition count(s)");
    while (tr_more(t) && tr_digit(*t->p) && *ret <= TR_REPEAT)
        *ret = *ret * 10 + (uint32_t)(*t->p++ - '0');
    return *ret > TR_REPEAT ? tr_fail(t, "invalid repetition count(s)") : 0;
}

/* One or more of a character as the character and none or more of it. The engine that follows all
 * ways at once (regex.c) counts how often a+ was taken, each count being a way of its own: the time
 * for a+a+ would grow with the cube of the text's length. a* it does not count. */
static void tr_once_and_more(struct tr *t)
{
    size_t end = t->b->len;

    for (size_t i = t->single; i < end && !t->b->failed; i++)
        buf_u8(t->b, t->b->data[i]);
    buf_u8(t->b, '*');
}

/* {m}, {m,} or {m,n} behind the {; ret_exact: the first of them. */
static int tr_bounds(struct tr *t, bool *ret_exact)
{
    uint32_t m;
    uint32_t n;
    int rc = tr_bound(t, &m);

    *ret_exact = false;
    if (rc < 0)
        return rc;
    if (m == 1 && t->single != TR_NO_SINGLE && tr_next_is(t, ",}")) {
        t->p += 2;
        tr_once_and_more(t);
        return 0;
    }
    buf_printf(t->b, "{%u", m);
    if (!tr_next_is(t, ",")) {
        *ret_exact = true;
    } else {
        t->p++;
        buf_u8(t->b, ',');
        if (!tr_next_is(t, "}")) {
            rc = tr_bound(t, &n);
            if (rc < 0)
                return rc;
            if (n < m)
                return tr_fail(t, "invalid repetition count(s)");
            buf_printf(t->b, "%u", n);
        }
    }
    if (!tr_next_is(t, "}"))
        return tr_fail(t, "invalid repetition count(s)");
    t->p++;
    buf_u8(t->b, '}');
    return 0;
}

int regex_tr_repeat(struct tr *t, char c)
{
    bool exact = false;
    bool lazy = false;
    int rc;

    if (!t->atom || t->repeated)
        return tr_fail(t, "quantifier operand invalid");
    if (c == '{') {
        rc = tr_bounds(t, &exact);
        if (rc < 0)
            return rc;
    } else if (c == '+' && t->single != TR_NO_SINGLE) {
        tr_once_and_more(t);
    } else {
        buf_u8(t->b, (uint8_t)c);
    }
    if (tr_next_is(t, "?")) {
        t->p++;
        lazy = true;
        buf_u8(t->b, '?');
    }
    if (c == '{') /* many ways at each character: a look whether the statement is to end */
        buf_printf(t->b, "(?C%d)", REGEX_TRY_CALLOUT);
    if (!exact)
        t->inner = lazy ? TR_SHORT : TR_LONG;
    t->quantifiers++;
    t->repeated = true;
    return 0;
}
