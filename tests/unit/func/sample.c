/* SPDX-License-Identifier: Apache-2.0
 *
 * sample.c: literals are found by scanning; whatever stands between them (names, operators,
 * parentheses) is the caller's business: it knows the function. */
#include "sample.h"

#include "func/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct words {
    const char *word;
    enum type_id type;
};

/* Prefix of a typed string, or the type after AS. */
static const struct words sample_types[] = {
    {"TIMESTAMP(6)", TYPE_TIMESTAMP_US},
    {"TIMESTAMP(9)", TYPE_TIMESTAMP_NS},
    {"TIMESTAMPTZ", TYPE_TIMESTAMPTZ},
    {"TIMESTAMP", TYPE_TIMESTAMP},
    {"DATE", TYPE_DATE},
    {"VARBIT", TYPE_VARBIT},
    {"BIT", TYPE_BIT},
    {"TIMETZ", TYPE_TIMETZ},
    {"TIME", TYPE_TIME},
    {"UUID", TYPE_UUID},
    {"CHAR", TYPE_BPCHAR},
    {"NUMERIC", TYPE_NUMERIC},
    {"INTEGER", TYPE_INTEGER},
    {"INTERVAL", TYPE_INTERVAL},
};

static bool starts(const char *p, const char *word)
{
    return strncmp(p, word, strlen(word)) == 0;
}

static void sample_add(struct sample *s, const char *from, size_t len, enum type_id type)
{
    uint32_t i = s->literals_count++;

    assert_true(i < SAMPLE_ARGS_MAX && len < sizeof s->literal[0]);
    memcpy(s->literal[i], from, len);
    s->literal[i][len] = 0;
    s->type[i] = type;
    s->null[i] = type == TYPE_NONE;
}

/* A word: a literal, the type of the next string, a type cast to, or of no interest. */
static const char *sample_word(struct sample *s, const char *p, enum type_id *typed)
{
    size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

    if (starts(p, "AS ")) {
        for (size_t i = 0; i < DN_ARRAY_SIZE(sample_types); i++)
            if (starts(p + 3, sample_types[i].word) && s->literals_count)
                s->type[s->literals_count - 1] = sample_types[i].type;
        return p + strcspn(p, ",") - (p[strlen(p) - 1] == ')' && !strchr(p, ','));
    }
    if (starts(p, "AT TIME ZONE 'UTC'")) { /* the literal before it is what clocks show */
        assert_true(s->literals_count > 0);
        s->type[s->literals_count - 1] = TYPE_TIMESTAMP_LOCAL;
        return p + strlen("AT TIME ZONE 'UTC'");
    }
    if (starts(p, "B'")) {
        *typed = TYPE_BIT;
        return p + 1;
    }
    if (starts(p, "IS "))
        return p + strlen(p);
    for (size_t i = 0; i < DN_ARRAY_SIZE(sample_types); i++)
        if (starts(p, sample_types[i].word)) {
            *typed = sample_types[i].type;
            return p + strlen(sample_types[i].word);
        }
    if (len == 4 && starts(p, "NULL"))
        sample_add(s, p, len, TYPE_NONE);
    else if ((len == 4 && starts(p, "true")) || (len == 5 && starts(p, "false")))
        sample_add(s, p, len, TYPE_BOOLEAN);
    return p + len;
}

/* Behind the quote; two of them inside are one. */
static const char *sample_quoted(struct sample *s, const char *p, enum type_id type)
{
    char text[sizeof s->literal[0]];
    size_t len = 0;

    for (; *p && (*p != '\'' || p[1] == '\''); p++) {
        p += *p == '\'';
        assert_true(len < sizeof text);
        text[len++] = *p;
    }
    sample_add(s, text, len, type);
    return p + (*p != 0);
}

void sample_parse(const char *text, struct sample *ret)
{
    const char *equal = NULL;
    enum type_id typed = TYPE_VARCHAR;
    bool operand = true; /* a sign here belongs to a number */

    memset(ret, 0, sizeof *ret);
    for (const char *p = text; (p = strstr(p, " = ")); p++)
        equal = p;
    assert_non_null(equal);
    snprintf(ret->call, sizeof ret->call, "%.*s", (int)(equal - text), text);
    snprintf(ret->result, sizeof ret->result, "%s", equal + 3);
    for (const char *p = ret->call; *p;) {
        size_t len = strcspn(p + (*p == '-'), " ,()") + (*p == '-');

        if (*p == '\'') {
            p = sample_quoted(ret, p + 1, typed);
            typed = TYPE_VARCHAR;
            operand = false;
        } else if (starts(p, "0x")) {
            sample_add(ret, p, len, TYPE_BLOB);
            p += len;
        } else if ((*p >= '0' && *p <= '9') ||
                   (operand && *p == '-' && p[1] >= '0' && p[1] <= '9')) {
            sample_add(ret,
                       p,
                       len,
                       strpbrk(p, ".e") && strpbrk(p, ".e") < p + len ? TYPE_DOUBLE : TYPE_BIGINT);
            p += len;
            operand = false;
        } else if ((*p | 32) >= 'a' && (*p | 32) <= 'z') {
            p = sample_word(ret, p, &typed);
        } else {
            operand = operand || *p == ',' || *p == '(';
            p++;
        }
    }
}

struct datum
sample_datum(const struct sample *s, uint32_t i, enum type_id type, struct arena *arena)
{
    struct datum d = {.type = type == TYPE_NONE ? s->type[i] : type, .null = s->null[i]};
    struct vstr text = {s->literal[i], (uint32_t)strlen(s->literal[i])};
    struct dn_err err;

    assert_true(i < s->literals_count);
    if (!d.null && text_parse(d.type, text, arena, &d, &err) < 0)
        fail_msg("%s: %s", s->call, err.text);
    return d;
}
