/* SPDX-License-Identifier: Apache-2.0
 *
 * ntmpl.c: the patterns of a template of numbers. The longest that stands there counts; text in
 * double quotes, and all that is no pattern, stands for itself. */
#include "func/ntmpl.h"

#include <string.h>
#include <strings.h>

enum ntmpl_pattern {
    PAT_9,
    PAT_0,
    PAT_POINT,
    PAT_COMMA,
    PAT_CURRENCY,
    PAT_FM,
    PAT_S,
    PAT_MI,
    PAT_PL,
    PAT_SG,
    PAT_PR,
    PAT_RN,
    PAT_TH,
    PAT_V,
    PAT_EEEE,
    PAT_BLANK,
};

static const struct {
    const char *name;
    enum ntmpl_pattern pattern;
} ntmpl_patterns[] = {
    {"EEEE", PAT_EEEE},  {"FM", PAT_FM},   {"MI", PAT_MI},    {"PL", PAT_PL},   {"PR", PAT_PR},
    {"RN", PAT_RN},      {"SG", PAT_SG},   {"SP", PAT_BLANK}, {"TH", PAT_TH},   {"9", PAT_9},
    {"0", PAT_0},        {".", PAT_POINT}, {"D", PAT_POINT},  {",", PAT_COMMA}, {"G", PAT_COMMA},
    {"L", PAT_CURRENCY}, {"B", PAT_BLANK}, {"C", PAT_BLANK},  {"S", PAT_S},     {"V", PAT_V},
};

struct ntmpl_in {
    struct vstr s;
    uint32_t at;
    struct ntmpl *t;
    struct dn_err *err;
};

static int ntmpl_fail(const struct ntmpl_in *in, const char *why)
{
    return DN_FAIL(in->err, DN_E_SYNTAX, "%s", why);
}

static void ntmpl_add(struct ntmpl *t, enum ntmpl_word word)
{
    t->nodes[t->count++] = (struct ntmpl_node){.word = word};
}

static int ntmpl_digit(struct ntmpl_in *in, bool zero)
{
    struct ntmpl *t = in->t;

    if (t->bracket)
        return ntmpl_fail(in,
                          zero ? "\"0\" must be ahead of \"PR\"" : "\"9\" must be ahead of \"PR\"");
    if (t->has_multi && !zero) {
        t->multi++;
    } else {
        if (zero && !t->zero && !t->point) {
            t->zero = true;
            t->zero_start = t->pre;
        }
        if (t->point)
            t->post++;
        else
            t->pre++;
        if (zero)
            t->zero_end = t->pre + t->post;
    }
    ntmpl_add(t, zero ? NTMPL_0 : NTMPL_9);
    return 0;
}

static int ntmpl_sign(struct ntmpl_in *in)
{
    struct ntmpl *t = in->t;

    if (t->sign != NTMPL_SIGN_NONE)
        return ntmpl_fail(in, "cannot use \"S\" twice");
    if (t->plus || t->minus || t->bracket)
        return ntmpl_fail(in, "cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together");
    t->sign = t->point ? NTMPL_SIGN_BEHIND : NTMPL_SIGN_BEFORE;
    t->sign_pre = t->pre;
    return 0;
}

static int ntmpl_marks(struct ntmpl_in *in, enum ntmpl_pattern p)
{
    struct ntmpl *t = in->t;

    if (t->sign != NTMPL_SIGN_NONE)
        return ntmpl_fail(in,
                          p == PAT_MI   ? "cannot use \"S\" and \"MI\" together"
                          : p == PAT_PL ? "cannot use \"S\" and \"PL\" together"
                          : p == PAT_SG
                              ? "cannot use \"S\" and \"SG\" together"
                              : "cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
    if (p == PAT_PR && (t->plus || t->minus))
        return ntmpl_fail(in, "cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together");
    t->minus |= p == PAT_MI || p == PAT_SG;
    t->plus |= p == PAT_PL || p == PAT_SG;
    t->bracket |= p == PAT_PR;
    if (p != PAT_PR)
        ntmpl_add(t, p == PAT_MI ? NTMPL_MI : p == PAT_PL ? NTMPL_PL : NTMPL_SG);
    return 0;
}

static int ntmpl_exponent(struct ntmpl_in *in)
{
    struct ntmpl *t = in->t;

    if (t->eeee)
        return ntmpl_fail(in, "cannot use \"EEEE\" twice");
    if (t->fill || t->sign || t->bracket || t->minus || t->plus || t->roman || t->has_multi) {
        int rc = ntmpl_fail(in, "\"EEEE\" is incompatible with other formats");

        dn_err_hint(in->err,
                    "\"EEEE\" may only be used together with digit and decimal point patterns.");
        return rc;
    }
    t->eeee = true;
    return 0;
}

static int ntmpl_pattern(struct ntmpl_in *in, enum ntmpl_pattern p, bool lower)
{
    struct ntmpl *t = in->t;

    if (t->eeee && p != PAT_EEEE)
        return ntmpl_fail(in, "\"EEEE\" must be the last pattern used");
    switch (p) {
    case PAT_9:
    case PAT_0:
        return ntmpl_digit(in, p == PAT_0);
    case PAT_POINT:
        if (t->point)
            return ntmpl_fail(in, "multiple decimal points");
        if (t->has_multi)
            return ntmpl_fail(in, "cannot use \"V\" and decimal point together");
        t->point = true;
        ntmpl_add(t, NTMPL_POINT);
        return 0;
    case PAT_COMMA:
        ntmpl_add(t, NTMPL_COMMA);
        return 0;
    case PAT_CURRENCY:
        ntmpl_add(t, NTMPL_CURRENCY);
        return 0;
    case PAT_FM:
        t->fill = true;
        return 0;
    case PAT_S:
        return ntmpl_sign(in);
    case PAT_MI:
    case PAT_PL:
    case PAT_SG:
    case PAT_PR:
        return ntmpl_marks(in, p);
    case PAT_RN:
        t->roman = true;
        t->roman_lower = lower;
        return 0;
    case PAT_TH:
        ntmpl_add(t, lower ? NTMPL_TH_LOWER : NTMPL_TH_UPPER);
        return 0;
    case PAT_V:
        if (t->point)
            return ntmpl_fail(in, "cannot use \"V\" and decimal point together");
        t->has_multi = true;
        return 0;
    case PAT_EEEE:
        return ntmpl_exponent(in);
    case PAT_BLANK:
        return 0;
    }
    return 0;
}

/* One character that stands for itself. */
static void ntmpl_text(struct ntmpl_in *in)
{
    uint32_t from = in->at++;

    while (in->at < in->s.len && ((uint8_t)in->s.ptr[in->at] & 0xc0) == 0x80)
        in->at++;
    in->t->nodes[in->t->count++] =
        (struct ntmpl_node){.word = NTMPL_TEXT, .text = {in->s.ptr + from, in->at - from}};
}

static void ntmpl_quoted(struct ntmpl_in *in)
{
    for (in->at++; in->at < in->s.len && in->s.ptr[in->at] != '"';) {
        in->at += in->s.ptr[in->at] == '\\' && in->at + 1 < in->s.len;
        ntmpl_text(in);
    }
    in->at++;
}

int ntmpl_parse(struct vstr s, struct arena *arena, struct ntmpl *ret, struct dn_err *err)
{
    struct ntmpl_in in = {.s = s, .t = ret, .err = err};
    int rc = 0;

    *ret = (struct ntmpl){.count = 0};
    if (s.len > NTMPL_MAX)
        return DN_FAIL(err, DN_E_LIMIT, "a template of a number has at most %u bytes", NTMPL_MAX);
    ret->nodes = arena_alloc_array(arena, s.len + 1, sizeof *ret->nodes);
    if (!ret->nodes)
        return DN_FAIL_NOMEM(err);
    while (in.at < s.len && rc == 0) {
        size_t i = 0;

        while (i < DN_ARRAY_SIZE(ntmpl_patterns) &&
               (strlen(ntmpl_patterns[i].name) > s.len - in.at ||
                strncasecmp(
                    ntmpl_patterns[i].name, s.ptr + in.at, strlen(ntmpl_patterns[i].name)) != 0))
            i++;
        if (i < DN_ARRAY_SIZE(ntmpl_patterns)) {
            char first = s.ptr[in.at];

            in.at += (uint32_t)strlen(ntmpl_patterns[i].name);
            rc = ntmpl_pattern(&in, ntmpl_patterns[i].pattern, first >= 'a' && first <= 'z');
        } else if (s.ptr[in.at] == '"') {
            ntmpl_quoted(&in);
        } else {
            in.at += s.ptr[in.at] == '\\' && in.at + 1 < s.len && s.ptr[in.at + 1] == '"';
            ntmpl_text(&in);
        }
    }
    return rc;
}
