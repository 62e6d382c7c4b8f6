/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a regular expression: flags, pattern and text, each up to a zero byte. What compiles
 * must match or not, with spans inside the text, in order, and the same whether or not groups are
 * asked for, and the same again once the pattern is machine code. The pattern is tried as one of
 * SIMILAR TO too. */
#include "fuzz.h"

#include "base/mem.h"
#include "func/regex.h"

#include <stdlib.h>
#include <string.h>

static struct vstr fuzz_part(const uint8_t **p, const uint8_t *end)
{
    const uint8_t *zero = memchr(*p, 0, (size_t)(end - *p));
    struct vstr s = {(const char *)*p, (uint32_t)((zero ? zero : end) - *p)};

    *p = zero ? zero + 1 : end;
    return s;
}

static void fuzz_check(bool ok)
{
    if (!ok)
        abort();
}

static void fuzz_match(struct regex *re, struct vstr s)
{
    struct regex_span m[REGEX_GROUPS];
    struct regex_span first;
    struct dn_err err;
    int all = regex_match(re, s, 0, m, REGEX_GROUPS, &err);
    int one = regex_match(re, s, 0, &first, 1, &err);
    int none = regex_match(re, s, 0, NULL, 0, &err);

    fuzz_check(all < 0 || all == one);
    fuzz_check(one < 0 || one == none);
    if (all != 1)
        return;
    fuzz_reached();
    fuzz_check(m[0].from == first.from && m[0].to == first.to);
    for (uint32_t i = 0; i < REGEX_GROUPS; i++)
        fuzz_check(m[i].from == UINT32_MAX || (m[i].from <= m[i].to && m[i].to <= s.len));
}

/* The interpreter and machine code find the same; a limit may stop one of them alone. */
static void fuzz_both(struct regex *re, struct vstr s)
{
    struct regex_span slow[REGEX_GROUPS];
    struct regex_span fast[REGEX_GROUPS];
    struct dn_err err;
    int before = regex_match(re, s, 0, slow, REGEX_GROUPS, &err);
    int after;

    fuzz_match(re, s);
    for (uint32_t i = 0; i < REGEX_JIT_AFTER; i++)
        DN_IGNORE(regex_match(re, (struct vstr){"", 0}, 0, NULL, 0, &err));
    after = regex_match(re, s, 0, fast, REGEX_GROUPS, &err);
    if (before < 0 || after < 0)
        return;
    fuzz_check(before == after);
    fuzz_check(before == 0 || memcmp(slow, fast, sizeof slow) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    struct vstr letters = fuzz_part(&data, end);
    struct vstr pattern = fuzz_part(&data, end);
    struct vstr text = fuzz_part(&data, end);
    struct regex *re;
    struct dn_err err;
    uint32_t flags;
    struct buf b;

    if (size > 4096 || regex_flags(letters, &flags, &err) < 0)
        return 0;
    if (regex_new(NULL, pattern, flags, NULL, &re, &err) == 0)
        fuzz_both(re, text);
    else
        fuzz_check(err.code != 0 && !re);
    regex_free(re);
    buf_init(&b, NULL);
    if (regex_similar(pattern, (struct vstr){"\\", 1}, &b, &err) == 0) {
        struct vstr are = {(const char *)b.data, (uint32_t)b.len};

        if (regex_new(NULL, are, 0, NULL, &re, &err) == 0)
            fuzz_both(re, text);
        regex_free(re);
    }
    buf_done(&b);
    return 0;
}
