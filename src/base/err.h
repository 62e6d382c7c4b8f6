/* SPDX-License-Identifier: Apache-2.0
 *
 * err.h: errors. Functions that can fail return int: 0 done, > 0 a documented outcome that is no
 * error (DN_EOF, DN_NOT_FOUND), < 0 a DN_E_* code. The detail goes into a caller-owned struct
 * dn_err, which may be NULL if the caller needs the code alone. Raise with DN_FAIL where the error
 * is found, hand on untouched, add a hint or position only where more is known.
 *
 *     if (n > MAX)
 *         return DN_FAIL(err, DN_E_CORRUPT, "%s: %u rows at offset %" PRIu64, name, n, off);
 *
 * Any thread; one struct dn_err belongs to one thread at a time. */
#pragma once

#include "base/attr.h"

#include <stdarg.h>
#include <stdbool.h>

enum dn_outcome {
    DN_OK = 0,
    DN_EOF = 1,       /* nothing more to read */
    DN_NOT_FOUND = 2, /* a look-up found nothing, and that is fine */
};

enum dn_code {
#define DN_ERR(name, number, sqlstate, meaning) DN_E_##name = -(number),
#include "base/err_list.h"
#undef DN_ERR
};

#define DN_ERR_TEXT_MAX 600
#define DN_ERR_HINT_MAX 300

struct dn_err {
    int code;                   /* DN_E_*, 0 = no error */
    char sqlstate[6];           /* five characters and a NUL */
    char text[DN_ERR_TEXT_MAX]; /* one sentence, lower case start, no full stop */
    char hint[DN_ERR_HINT_MAX]; /* what to do, "" = none */
    uint32_t position;          /* 1-based character position in the SQL text, 0 = none */
    const char *file;           /* source file that raised it, static */
    int line;                   /* source line that raised it */
};

#define DN_FAIL(err, code, ...) \
    dn_err_code((code), dn_err_raise((err), (code), __FILE__, __LINE__, __VA_ARGS__))

/* The code once more, where the compiler can see that it is negative: else it takes a variable that
 * a failed callee did not set for one that is used uninitialized. */
static inline int dn_err_code(int code, int raised)
{
    (void)raised;
    return code;
}

/* Bytes from outside: the condition must hold, else DN_E_CORRUPT with the text. */
#define DN_CHECK_DISK(cond, err, ...)                         \
    do {                                                      \
        if (DN_UNLIKELY(!(cond)))                             \
            return DN_FAIL((err), DN_E_CORRUPT, __VA_ARGS__); \
    } while (0)

/* Fills err (if not NULL) and returns code, so that `return DN_FAIL(…)` reads well. */
int dn_err_raise(struct dn_err *err, int code, const char *file, int line, const char *fmt, ...)
    DN_PRINTF(5, 6);
/* "out of memory" in one word; used after every failed allocation. */
#define DN_FAIL_NOMEM(err) DN_FAIL((err), DN_E_NOMEM, "out of memory")

void dn_err_clear(struct dn_err *err);
/* Sets the hint; a hint already set stays. */
void dn_err_hint(struct dn_err *err, const char *fmt, ...) DN_PRINTF(2, 3);
/* Sets the position if none is set yet. */
void dn_err_at(struct dn_err *err, uint32_t position);
/* Puts "prefix: " before the text. */
void dn_err_prefix(struct dn_err *err, const char *fmt, ...) DN_PRINTF(2, 3);

/* Static strings for a code: SQLSTATE, the name without DN_E_, the meaning. */
const char *dn_code_sqlstate(int code);
const char *dn_code_name(int code);
const char *dn_code_meaning(int code);
