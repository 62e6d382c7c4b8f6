/* SPDX-License-Identifier: Apache-2.0
 *
 * tz.h: time zones: how far the clocks of a place are ahead of UTC at an instant, and which instant
 * a reading of these clocks means. Seconds count from 1970.
 *
 * A zone is read from a file of the time zone database (TZif, all versions: tz_read) or from a
 * POSIX string ("CET-1CEST,M3.5.0,M10.5.0/3": tz_posix). tz_find looks a name up as SQL has it; a
 * struct tz_cache keeps what was read from files until it is freed.
 *
 * Zones are const once made: any thread. A cache: any thread. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/sched.h"
#include "vec/type.h"

#include <stddef.h>
#include <stdint.h>

#define TZ_NAME_MAX   63u
#define TZ_ABBREV_MAX 15u
#define TZ_FILE_MAX   (1024u * 1024)

/* When clocks change: which day of the year, how many seconds after its midnight. */
enum tz_day_kind {
    TZ_JULIAN,   /* Jn: 1 to 365, February 29 is not counted */
    TZ_YEAR_DAY, /* n: 0 to 365 */
    TZ_WEEK_DAY, /* Mm.w.d: day d (0 is Sunday) of week w (5 is the last) of month m */
};

struct tz_change {
    enum tz_day_kind kind;
    int day;
    int week;
    int month;
    int32_t seconds;
};

/* A POSIX string: the same every year. */
struct tz_rule {
    char abbrev[2][TZ_ABBREV_MAX + 1]; /* of standard time, of summer time */
    int32_t offset[2];                 /* seconds ahead of UTC */
    bool summer;                       /* there is summer time */
    struct tz_change change[2];        /* to standard time, to summer time */
};

struct tz_type {
    int32_t offset;
    bool dst;
    uint8_t abbrev; /* where it starts */
};

struct tz_zone {
    char name[TZ_NAME_MAX + 1];
    const int64_t *at; /* when the clocks change, rising */
    const uint8_t *to; /* … to which type */
    uint32_t count;    /* of them */
    uint32_t types_count;
    const struct tz_type *types;
    const char *abbrevs; /* each ends with a zero byte */
    uint8_t first;       /* type before the first change */
    bool has_rule;       /* after the last change; always, if there is no type */
    struct tz_rule rule;
    const struct tz_zone *next; /* of the cache */
};

/* The time around an instant in which the offset does not change. */
struct tz_span {
    int64_t from; /* INT64_MIN: ever */
    int64_t end;  /* one past it; INT64_MAX: never */
    int32_t offset;
    bool dst;
    const char *abbrev; /* lives as long as the zone */
};

extern const struct tz_zone tz_utc;

/* NULL is UTC, everywhere. */
struct tz_span tz_span_at(const struct tz_zone *z, int64_t seconds);
/* Has it one offset for all times? */
bool tz_is_fixed(const struct tz_zone *z);
/* The offset of the instant that clocks of the zone show as `local` (seconds since 1970 of a day
 * without zone). Where they skip it, as if they had not been changed yet; where they show it twice,
 * the second time. That is PostgreSQL's choice. */
int32_t tz_local_offset(const struct tz_zone *z, int64_t local);

/* The bytes of a file; memory from the arena. name is copied. DN_E_CORRUPT: they are none. */
int tz_read(const char *name,
            const void *bytes,
            size_t len,
            struct arena *arena,
            struct tz_zone *ret,
            struct dn_err *err) DN_MUST_CHECK;
/* False: s is no POSIX string. The name of the zone is the string. */
bool tz_posix(struct vstr s, struct tz_zone *ret);
/* A zone that is always so far ahead of UTC; its name is such a string: <+03>-03. */
void tz_fixed(int32_t offset, struct tz_zone *ret);

/* An abbreviation in any case (EST, CEST): false if it is not known. */
bool tz_abbrev(struct vstr word, int32_t *ret_offset);

struct tz_cache;
int tz_cache_new(struct mem_owner *owner,
                 struct sched *sched,
                 struct tz_cache **ret,
                 struct dn_err *err) DN_MUST_CHECK;
void tz_cache_free(struct tz_cache *c); /* NULL is fine */
/* fn for each name in the list of the time zone database, until it returns something else than 0.
 */
int tz_names(struct tz_cache *c,
             int (*fn)(void *arg, struct vstr name),
             void *arg,
             struct dn_err *err) DN_MUST_CHECK;
/* A zone by its name in any case (Europe/Berlin), or a POSIX string. ret is of the cache, or room,
 * or static. Without a cache no file is read. DN_E_INVALID_PARAM: there is none. */
int tz_find(struct tz_cache *c,
            struct vstr name,
            struct tz_zone *room,
            const struct tz_zone **ret,
            struct dn_err *err) DN_MUST_CHECK;
