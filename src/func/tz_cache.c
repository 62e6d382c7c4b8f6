/* SPDX-License-Identifier: Apache-2.0
 *
 * tz_cache.c: zones by name. Files are looked for under TZ_DIR and kept once they are read: there
 * are some hundred. Names match in any case, as in PostgreSQL; where the file system wants the
 * right one, the database's own list of names (tzdata.zi) has it. */
#include "func/tz.h"

#include "base/bytes.h"
#include "volume/hostfile.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TZ_DIR  "/usr/share/zoneinfo"
#define TZ_LIST TZ_DIR "/tzdata.zi"
#define TZ_READ (64u * 1024)

struct tz_cache {
    struct sched_mutex *lock;
    struct arena arena;          /* under the lock */
    const struct tz_zone *zones; /* under the lock */
    struct mem_owner *owner;
};

int tz_cache_new(struct mem_owner *owner,
                 struct sched *sched,
                 struct tz_cache **ret,
                 struct dn_err *err)
{
    struct tz_cache *c = mem_calloc(owner, 1, sizeof *c);

    if (!c)
        return DN_FAIL_NOMEM(err);
    c->owner = owner;
    arena_init(&c->arena, owner);
    c->lock = sched_mutex_new(sched, "zones");
    if (!c->lock) {
        tz_cache_free(c);
        return DN_FAIL_NOMEM(err);
    }
    *ret = c;
    return 0;
}

void tz_cache_free(struct tz_cache *c)
{
    if (!c)
        return;
    if (c->lock)
        sched_mutex_free(c->lock);
    arena_done(&c->arena);
    mem_free(c);
}

/* ---- files ---- */

static int tz_slurp(const char *path, struct buf *b, struct dn_err *err)
{
    struct hostfile *f;
    size_t n = 1;
    int rc = hostfile_open(path, NULL, &f, err);

    if (rc < 0)
        return rc;
    while (rc == 0 && n > 0 && b->len < TZ_FILE_MAX) {
        uint8_t *to = buf_extend(b, TZ_READ);

        if (!to) {
            rc = DN_FAIL_NOMEM(err);
            break;
        }
        rc = hostfile_read(f, to, TZ_READ, &n, err);
        b->len -= TZ_READ - (rc == 0 ? n : 0);
    }
    DN_IGNORE(hostfile_close(f, NULL)); /* nothing was written */
    return rc;
}

/* Letters, digits and _ + - in parts between slashes: it cannot lead out of the directory. */
static bool tz_name_good(const char *name)
{
    for (const char *p = name; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9') || *p == '_' || *p == '+' || *p == '-';

        if (!plain && (*p != '/' || p == name || p[-1] == '/' || p[1] == 0))
            return false;
    }
    return *name != 0;
}

/* The next name of the list: the second word of "Z name …", the third of "L target name". */
static bool tz_next_name(struct vstr list, uint32_t *at, struct vstr *ret)
{
    while (*at < list.len) {
        const char *line = list.ptr + *at;
        const char *end = memchr(line, '\n', list.len - *at);
        size_t n = end ? (size_t)(end - line) : list.len - *at;
        const char *word =
            n > 2 && (*line == 'Z' || *line == 'L') && line[1] == ' ' ? line + 2 : NULL;

        *at += (uint32_t)n + 1;
        if (word && *line == 'L') {
            word = memchr(word, ' ', n - 2);
            word = word ? word + 1 : NULL;
        }
        if (!word)
            continue;
        end = memchr(word, ' ', (size_t)(line + n - word));
        *ret = (struct vstr){word, (uint32_t)((end ? end : line + n) - word)};
        return true;
    }
    return false;
}

/* The name as the list spells it. */
static bool tz_spelled(struct vstr list, const char *name, char *ret)
{
    struct vstr known;
    uint32_t at = 0;

    while (tz_next_name(list, &at, &known))
        if (known.len == strlen(name) && strncasecmp(known.ptr, name, known.len) == 0) {
            memcpy(ret, known.ptr, known.len);
            ret[known.len] = 0;
            return true;
        }
    return false;
}

int tz_names(struct tz_cache *c,
             int (*fn)(void *arg, struct vstr name),
             void *arg,
             struct dn_err *err)
{
    struct buf list;
    struct vstr name;
    uint32_t at = 0;
    int rc;

    buf_init(&list, c->owner);
    rc = tz_slurp(TZ_LIST, &list, err);
    while (rc == 0 &&
           tz_next_name((struct vstr){(const char *)list.data, (uint32_t)list.len}, &at, &name))
        rc = fn(arg, name);
    buf_done(&list);
    return rc;
}

/* The bytes of the zone's file; the name is mended. */
static int tz_slurp_zone(struct tz_cache *c, char *name, struct buf *b, struct dn_err *err)
{
    char path[sizeof TZ_DIR + TZ_NAME_MAX + 1];
    struct buf list;
    int rc;

    snprintf(path, sizeof path, TZ_DIR "/%s", name);
    rc = tz_slurp(path, b, err);
    if (rc != DN_E_NO_OBJECT)
        return rc;
    buf_init(&list, c->owner);
    rc = tz_slurp(TZ_LIST, &list, err);
    if (rc == 0 &&
        tz_spelled((struct vstr){(const char *)list.data, (uint32_t)list.len}, name, name)) {
        snprintf(path, sizeof path, TZ_DIR "/%s", name);
        rc = tz_slurp(path, b, err);
    } else if (rc == 0) {
        rc = DN_FAIL(err, DN_E_NO_OBJECT, "there is no file \"%s\"", path);
    }
    buf_done(&list);
    return rc;
}

/* ---- look-up ---- */

static const struct tz_zone *tz_known(struct tz_cache *c, const char *name)
{
    const struct tz_zone *z;

    sched_lock(c->lock);
    for (z = c->zones; z && strcasecmp(z->name, name) != 0;)
        z = z->next;
    sched_unlock(c->lock);
    return z;
}

static int tz_load(struct tz_cache *c, char *name, const struct tz_zone **ret, struct dn_err *err)
{
    struct tz_zone *z = NULL;
    struct buf b;
    int rc;

    buf_init(&b, c->owner);
    rc = tz_slurp_zone(c, name, &b, err);
    if (rc == 0) {
        sched_lock(c->lock);
        z = arena_calloc(&c->arena, 1, sizeof *z);
        rc = z ? tz_read(name, b.data, b.len, &c->arena, z, err) : DN_FAIL_NOMEM(err);
        if (rc == 0) { /* should another thread have read it meanwhile, there are two of them */
            z->next = c->zones;
            c->zones = z;
            *ret = z;
        }
        sched_unlock(c->lock);
    }
    buf_done(&b);
    return rc;
}

static int tz_unknown(struct vstr name, struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_INVALID_PARAM,
                   "time zone \"%.*s\" not recognized",
                   name.len > TZ_NAME_MAX ? (int)TZ_NAME_MAX : (int)name.len,
                   name.ptr);
}

int tz_find(struct tz_cache *c,
            struct vstr name,
            struct tz_zone *room,
            const struct tz_zone **ret,
            struct dn_err *err)
{
    char text[TZ_NAME_MAX + 1];
    int rc = DN_E_NO_OBJECT;

    if (name.len == 3 && strncasecmp(name.ptr, "UTC", 3) == 0) {
        *ret = &tz_utc;
        return 0;
    }
    if (name.len == 0 || name.len > TZ_NAME_MAX || memchr(name.ptr, 0, name.len))
        return tz_unknown(name, err);
    memcpy(text, name.ptr, name.len);
    text[name.len] = 0;
    if (c && tz_name_good(text)) {
        *ret = tz_known(c, text);
        if (*ret)
            return 0;
        rc = tz_load(c, text, ret, err);
    }
    if (rc != DN_E_NO_OBJECT && rc != DN_E_IO)
        return rc;
    if (tz_posix(name, room)) {
        *ret = room;
        return 0;
    }
    return tz_unknown(name, err);
}
