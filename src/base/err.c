/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct err_row {
    int code;             /* DN_E_* */
    const char *sqlstate; /* static */
    const char *name;     /* static */
    const char *meaning;  /* static */
};

static const struct err_row err_rows[] = {
#define DN_ERR(name, number, sqlstate, meaning) {-(number), sqlstate, #name, meaning},
#include "base/err_list.h"
#undef DN_ERR
};

static const struct err_row *err_row_find(int code)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(err_rows); i++)
        if (err_rows[i].code == code)
            return &err_rows[i];
    return NULL;
}

const char *dn_code_sqlstate(int code)
{
    const struct err_row *row = err_row_find(code);
    return row ? row->sqlstate : "00000";
}

const char *dn_code_name(int code)
{
    const struct err_row *row = err_row_find(code);
    return row ? row->name : "OK";
}

const char *dn_code_meaning(int code)
{
    const struct err_row *row = err_row_find(code);
    return row ? row->meaning : "No error.";
}

int dn_err_raise(struct dn_err *err, int code, const char *file, int line, const char *fmt, ...)
{
    va_list args;

    DN_ASSERT(code < 0);
    if (!err)
        return code;
    memset(err, 0, offsetof(struct dn_err, position));
    err->position = 0;
    err->code = code;
    (void)snprintf(err->sqlstate, sizeof err->sqlstate, "%s", dn_code_sqlstate(code));
    va_start(args, fmt);
    (void)vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    err->file = file;
    err->line = line;
    return code;
}

/* Once per row of a result, so it does not write whole arrays. */
void dn_err_clear(struct dn_err *err)
{
    if (!err)
        return;
    err->code = 0;
    err->sqlstate[0] = err->text[0] = err->hint[0] = '\0';
    err->position = 0;
    err->file = NULL;
    err->line = 0;
}

void dn_err_hint(struct dn_err *err, const char *fmt, ...)
{
    va_list args;

    if (!err || err->hint[0])
        return;
    va_start(args, fmt);
    (void)vsnprintf(err->hint, sizeof err->hint, fmt, args);
    va_end(args);
}

void dn_err_at(struct dn_err *err, uint32_t position)
{
    if (err && err->position == 0)
        err->position = position;
}

void dn_err_prefix(struct dn_err *err, const char *fmt, ...)
{
    char old[DN_ERR_TEXT_MAX];
    va_list args;
    int n;

    if (!err)
        return;
    memcpy(old, err->text, sizeof old);
    va_start(args, fmt);
    n = vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof err->text)
        (void)snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", old);
}

void dn_assert_failed(const char *cond, const char *file, int line)
{
    (void)fprintf(stderr, "dendro: internal check failed: %s at %s:%d\n", cond, file, line);
    abort();
}
