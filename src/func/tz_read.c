/* SPDX-License-Identifier: Apache-2.0
 *
 * tz_read.c: files of the time zone database, as RFC 8536 has them. Version 1 counts in 32 bits;
 * from version 2 on a second part counts in 64, and a POSIX string behind it says how it goes on.
 * Nothing in the file is believed before it was checked. */
#include "func/tz.h"

#include <stdio.h>
#include <string.h>

#define TZ_HEADER     44u
#define TZ_OFFSET_MAX (26 * 3600)

/* One part of a file. */
struct tz_part {
    uint32_t utc;
    uint32_t std;
    uint32_t leaps;
    uint32_t times;
    uint32_t types;
    uint32_t chars;
};

struct tz_bytes {
    const char *name;
    const uint8_t *p;
    size_t left;
    uint32_t version;
};

static int tz_broken(const char *name, const char *what, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_CORRUPT, "the file of time zone \"%.63s\" is broken: %s", name, what);
}

static uint64_t tz_number(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;

    for (uint32_t i = 0; i < bytes; i++)
        v = v << 8 | p[i];
    return v;
}

static const uint8_t *tz_take(struct tz_bytes *in, size_t n)
{
    const uint8_t *p = in->p;

    if (n > in->left)
        return NULL;
    in->p += n;
    in->left -= n;
    return p;
}

static int tz_header(struct tz_bytes *in, struct tz_part *ret, struct dn_err *err)
{
    const uint8_t *p = tz_take(in, TZ_HEADER);

    if (!p || memcmp(p, "TZif", 4) != 0)
        return tz_broken(in->name, "it is no TZif file", err);
    in->version = p[4] >= '2' && p[4] <= '9' ? (uint32_t)(p[4] - '0') : 1;
    *ret = (struct tz_part){.utc = (uint32_t)tz_number(p + 20, 4),
                            .std = (uint32_t)tz_number(p + 24, 4),
                            .leaps = (uint32_t)tz_number(p + 28, 4),
                            .times = (uint32_t)tz_number(p + 32, 4),
                            .types = (uint32_t)tz_number(p + 36, 4),
                            .chars = (uint32_t)tz_number(p + 40, 4)};
    if (ret->times > TZ_FILE_MAX || ret->chars > 256 || ret->leaps > TZ_FILE_MAX ||
        ret->types == 0 || ret->types > 256 || (ret->utc && ret->utc != ret->types) ||
        (ret->std && ret->std != ret->types))
        return tz_broken(in->name, "its counts make no sense", err);
    return 0;
}

static uint64_t tz_part_bytes(const struct tz_part *h, uint32_t width)
{
    return (uint64_t)h->times * (width + 1) + (uint64_t)h->types * 6 + h->chars +
           (uint64_t)h->leaps * (width + 4) + h->std + h->utc;
}

static int tz_times(struct tz_bytes *in,
                    const struct tz_part *h,
                    uint32_t width,
                    struct arena *arena,
                    struct tz_zone *z,
                    struct dn_err *err)
{
    const uint8_t *times = tz_take(in, (size_t)h->times * width);
    const uint8_t *to = tz_take(in, h->times);
    int64_t *at = arena_alloc_array(arena, h->times, sizeof *at);
    uint8_t *copy = arena_alloc_array(arena, h->times, sizeof *copy);

    if (!at || !copy)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < h->times; i++) {
        uint64_t v = tz_number(times + (size_t)i * width, width);

        at[i] = width == 4 ? (int32_t)(uint32_t)v : (int64_t)v;
        copy[i] = to[i];
        if (to[i] >= h->types)
            return tz_broken(in->name, "a change leads to no type", err);
        if (i > 0 && at[i] <= at[i - 1])
            return tz_broken(in->name, "its changes are not in order", err);
    }
    z->at = at;
    z->to = copy;
    z->count = h->times;
    return 0;
}

static int tz_types(struct tz_bytes *in,
                    const struct tz_part *h,
                    struct arena *arena,
                    struct tz_zone *z,
                    struct dn_err *err)
{
    const uint8_t *p = tz_take(in, (size_t)h->types * 6);
    const uint8_t *chars = tz_take(in, h->chars);
    struct tz_type *types = arena_calloc(arena, h->types, sizeof *types);
    char *abbrevs = arena_calloc(arena, h->chars + 1, 1);

    if (!types || !abbrevs)
        return DN_FAIL_NOMEM(err);
    if (h->chars)
        memcpy(abbrevs, chars, h->chars);
    for (uint32_t i = 0; i < h->types; i++) {
        int32_t offset = (int32_t)(uint32_t)tz_number(p + (size_t)i * 6, 4);

        types[i] =
            (struct tz_type){.offset = offset, .dst = p[i * 6 + 4] == 1, .abbrev = p[i * 6 + 5]};
        if (p[i * 6 + 4] > 1 || types[i].abbrev > h->chars || offset > TZ_OFFSET_MAX ||
            offset < -TZ_OFFSET_MAX)
            return tz_broken(in->name, "one of its types makes no sense", err);
    }
    z->types = types;
    z->types_count = h->types;
    z->abbrevs = abbrevs;
    return 0;
}

/* Before the first change: type 0, unless a change leads to it; then standard time. */
static uint8_t tz_first(const struct tz_zone *z)
{
    bool used = false;

    for (uint32_t i = 0; i < z->count; i++)
        used |= z->to[i] == 0;
    if (!used)
        return 0;
    /* The standard time next below the type of the first change, if that is summer time. */
    if (z->types[z->to[0]].dst)
        for (uint32_t i = z->to[0]; i-- > 0;)
            if (!z->types[i].dst)
                return (uint8_t)i;
    for (uint32_t i = 0; i < z->types_count; i++)
        if (!z->types[i].dst)
            return (uint8_t)i;
    return 0;
}

/* The string between two newlines; it may be empty: then nothing is known. */
static int tz_footer(struct tz_bytes *in, struct tz_zone *z, struct dn_err *err)
{
    const uint8_t *p = tz_take(in, 1);
    const uint8_t *end = p && *p == '\n' ? memchr(in->p, '\n', in->left) : NULL;
    struct tz_zone rule;

    if (!end)
        return tz_broken(in->name, "it has no end", err);
    if (end == in->p)
        return 0;
    if (!tz_posix((struct vstr){(const char *)in->p, (uint32_t)(end - in->p)}, &rule))
        return tz_broken(in->name, "the string at its end is no rule", err);
    z->rule = rule.rule;
    z->has_rule = true;
    return 0;
}

int tz_read(const char *name,
            const void *bytes,
            size_t len,
            struct arena *arena,
            struct tz_zone *ret,
            struct dn_err *err)
{
    struct tz_bytes in = {.name = name, .p = bytes, .left = len};
    struct tz_part h;
    uint32_t width = 4;
    int rc = tz_header(&in, &h, err);

    *ret = (struct tz_zone){.count = 0};
    if (rc == 0 && in.version >= 2) {
        if (!tz_take(&in, tz_part_bytes(&h, 4)))
            return tz_broken(name, "it is too short", err);
        width = 8;
        rc = tz_header(&in, &h, err);
    }
    if (rc < 0)
        return rc;
    if (tz_part_bytes(&h, width) > in.left)
        return tz_broken(name, "it is too short", err);
    if (h.leaps)
        return DN_FAIL(
            err, DN_E_INVALID_PARAM, "time zone \"%.63s\" appears to use leap seconds", name);
    rc = tz_times(&in, &h, width, arena, ret, err);
    if (rc == 0)
        rc = tz_types(&in, &h, arena, ret, err);
    if (rc < 0)
        return rc;
    ret->first = tz_first(ret);
    if (!tz_take(&in, h.std + h.utc))
        return tz_broken(name, "it is too short", err);
    if (width == 8)
        rc = tz_footer(&in, ret, err);
    snprintf(ret->name, sizeof ret->name, "%s", name);
    return rc;
}
