/* SPDX-License-Identifier: Apache-2.0
 *
 * session_zone.c: what functions ask of a session: clock, randomness, settings; and its time zone,
 * which the setting TimeZone names. */
#include "engine/session_zone.h"

#include "engine/advisory.h"
#include "engine/session_settings.h"
#include "engine/slabs.h"
#include "engine/timepart.h"
#include "engine/type_ddl.h"

#include "func/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define ZONE_HOURS_MAX 167.0
#define SLEEP_STEP_NS  20000000u /* between looks at the cancel flag */

/* INTERVAL 'text': false if it is none. */
static bool zone_interval(const char *text, struct vstr *ret)
{
    const char *p = text + 8;
    const char *end;

    if (strncasecmp(text, "interval", 8) != 0)
        return false;
    while (*p == ' ')
        p++;
    end = *p == '\'' ? strchr(p + 1, '\'') : NULL;
    if (!end || end[1] != 0)
        return false;
    *ret = (struct vstr){p + 1, (uint32_t)(end - p - 1)};
    return true;
}

static int zone_refuse(const char *text, struct dn_err *err)
{
    return DN_FAIL(
        err, DN_E_INVALID_PARAM, "invalid value for parameter \"TimeZone\": \"%.60s\"", text);
}

/* A number of hours, or an interval: 1. 0: it is neither. */
static int zone_number(const char *text, int32_t *ret, struct dn_err *err)
{
    struct vstr quoted;
    struct vinterval v;
    double hours;
    char *end;

    if (zone_interval(text, &quoted)) {
        int rc = text_parse_interval(quoted, &v, err);

        if (rc < 0)
            return rc;
        if (v.months || v.days) {
            rc = zone_refuse(text, err);
            dn_err_hint(err, "An interval that is a time zone has no months or days.");
            return rc;
        }
        hours = (double)v.us / 3.6e9;
    } else {
        hours = strtod(text, &end);
        if (end == text || *end || strspn(text, "+-.0123456789") != strlen(text))
            return 0;
    }
    if (!(hours >= -ZONE_HOURS_MAX && hours <= ZONE_HOURS_MAX))
        return zone_refuse(text, err);
    *ret = (int32_t)(hours * 3600);
    return 1;
}

/* By a name, a POSIX string, hours ahead of UTC or INTERVAL '…'. */
static int zone_find(struct dendro_db *db,
                     const char *text,
                     struct tz_zone *room,
                     const struct tz_zone **ret,
                     struct dn_err *err)
{
    struct vstr name = {text, (uint32_t)strlen(text)};
    int32_t offset = 0;
    int rc = zone_number(text, &offset, err);

    if (rc == 1) {
        tz_fixed(offset, room);
        *ret = room;
        return 0;
    }
    if (rc == 0)
        rc = tz_find(db->zones, name, room, ret, err);
    return rc == DN_E_INVALID_PARAM ? zone_refuse(text, err) : rc;
}

int session_zone_value(
    struct dendro_conn *conn, const char *name, const char **value, char *room, struct dn_err *err)
{
    const struct tz_zone *zone;
    struct tz_zone own;
    int rc;

    if (strcasecmp(name, "TimeZone") != 0)
        return 0;
    rc = zone_find(conn->db, *value ? *value : conn->reset.settings.timezone, &own, &zone, err);
    if (rc < 0)
        return rc;
    snprintf(room, SETTING_TEXT_MAX + 1, "%s", zone->name);
    *value = room;
    return 0;
}

int session_zone_check(struct dendro_db *db, const char *text, struct dn_err *err)
{
    const struct tz_zone *zone;
    struct tz_zone own;

    return zone_find(db, text, &own, &zone, err);
}

void session_zone_apply(struct dendro_conn *conn)
{
    const struct tz_zone *zone = NULL;
    struct tz_zone own;
    struct dn_err ignored; /* it was found when it was set */

    if (zone_find(conn->db, conn->settings.timezone, &own, &zone, &ignored) < 0)
        zone = NULL;
    if (zone == &own) {
        conn->zone = own;
        zone = &conn->zone;
    }
    conn->functions.zone = zone;
    conn->functions.date_first = (enum date_first)settings_dateorder(&conn->settings);
    conn->functions.date_style = (enum date_as)settings_datestyle(&conn->settings);
    conn->functions.float_less =
        conn->settings.extra_float_digits > 0 ? 0 : 1 - (int)conn->settings.extra_float_digits;
    conn->functions.bytes_escaped = conn->settings.bytea_output != 0;
    conn->functions.interval_style = (enum interval_style)conn->settings.intervalstyle;
}

/* ---- what functions ask ---- */

/* With a seed: SplitMix64, whose state only grows, so that all threads may take from it. */
static uint64_t session_random(void *arg)
{
    struct dendro_conn *conn = arg;
    uint64_t x;

    if (!atomic_load(&conn->seeded))
        return volume_random(conn->db->volume);
    x = atomic_fetch_add(&conn->seed, 0x9e3779b97f4a7c15u);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void session_seed(void *arg, double seed)
{
    struct dendro_conn *conn = arg;
    uint64_t bits;

    memcpy(&bits, &seed, sizeof(bits));
    atomic_store(&conn->seed, bits);
    atomic_store(&conn->seeded, true);
}

static int64_t session_clock(void *arg)
{
    struct dendro_conn *conn = arg;

    return volume_clock_ns(conn->db->volume);
}

static int session_clock_advance(void *arg, int64_t to_ns, struct dn_err *err)
{
    struct dendro_conn *conn = arg;

    if (!session_superuser(conn))
        return DN_FAIL(
            err, DN_E_DENIED, "permission denied for function dendro_test_clock_advance");
    return engine_clock_advance(conn->db, to_ns, err);
}

static int session_clock_confirm(void *arg, int64_t day, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    int rc = session_write_allowed(conn, err);

    if (rc < 0)
        return rc;
    if (!session_superuser(conn))
        return DN_FAIL(err, DN_E_DENIED, "permission denied for function dendro_confirm_clock");
    return engine_clock_confirm(conn->db, day, err);
}

static int session_setting(void *arg, const char *name, struct buf *b, struct dn_err *err)
{
    struct dendro_conn *conn = arg;

    return session_setting_show(conn, name, b, NULL, err);
}

static int session_set_config(
    void *arg, const char *name, const char *value, bool local, struct buf *b, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    bool ends = local && !tx_in_block(conn); /* with the statement: it is not set at all */
    int rc = ends ? session_setting_may(conn, name, value, err)
                  : session_setting_set(conn, name, value, local, err);

    if (rc == 0 && ends && value) {
        buf_puts(b, value);
        return 0;
    }
    return rc < 0 ? rc : session_setting_show(conn, name, b, NULL, err);
}

static int session_reload_conf(void *arg, struct dn_err *err)
{
    return session_reload(arg, err);
}

static int session_settings_list(void *arg, func_setting_fn fn, void *fn_arg, struct dn_err *err)
{
    return session_settings_each(arg, fn, fn_arg, err);
}

static int session_counters(void *arg,
                            void (*fn)(void *fn_arg, const char *name, bool set, int64_t value),
                            void *fn_arg,
                            struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct engine_logical *all = NULL;
    struct arena arena;
    size_t count = 0;
    int rc;

    arena_init(&arena, &conn->db->owner);
    rc = engine_counters(conn->db, &arena, &all, &count, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        fn(fn_arg, all[i].name, all[i].set, all[i].value);
    arena_done(&arena);
    return rc;
}

static int session_slabs_list(
    void *arg, const struct table *t, func_slab_fn fn, void *fn_arg, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct shard_slabs all = {0};
    int rc = session_slabs(conn, t, &conn->db->owner, &all, err);

    for (uint32_t i = 0; rc == 0 && i < all.count; i++) {
        const struct shard_slab *s = &all.list[i];
        const struct func_slab one = {.start = s->start,
                                      .end = s->end,
                                      .time_min = s->time_min,
                                      .time_max = s->time_max,
                                      .rows = s->rows,
                                      .bytes = s->bytes,
                                      .segments = s->segments,
                                      .memtable_rows = s->memtable_rows};

        fn(fn_arg, &one);
    }
    shard_slabs_done(&all);
    return rc;
}

/* In steps, to see when it is canceled. */
static int session_sleep(void *arg, double seconds, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct sched *sched = conn->db->volume->sched;
    uint64_t end = sched_now_ns(sched) + (uint64_t)(seconds * 1e9);
    int rc = session_check_cancel(conn, err);

    for (uint64_t now; rc == 0 && (now = sched_now_ns(sched)) < end;) {
        sched_sleep_ns(sched, end - now < SLEEP_STEP_NS ? end - now : SLEEP_STEP_NS);
        rc = session_check_cancel(conn, err);
    }
    return rc;
}

static int session_advisory(void *arg, unsigned how, int64_t key, struct dn_err *err)
{
    return advisory_ask(arg, how, key, err);
}

static int session_export_snapshot(void *arg, struct buf *b, struct dn_err *err)
{
    char id[TX_EXPORT_ID_MAX];
    int rc = tx_export(arg, id, err);

    if (rc == 0)
        buf_puts(b, id);
    return rc;
}

int session_functions(struct dendro_conn *conn, struct dn_err *err)
{
    static atomic_int_fast32_t last;
    char text[SETTING_TEXT_MAX + 1];
    const char *zone = NULL; /* the database's */
    int rc;

    conn->types = (struct sql_types){.find = session_find_type, .arg = conn};
    conn->functions =
        (struct func_session){.arg = conn,
                              .cancel = &conn->cancel,
                              .random = session_random,
                              .seed = session_seed,
                              .clock_ns = session_clock,
                              .clock_advance = session_clock_advance,
                              .clock_confirm = session_clock_confirm,
                              .setting = session_setting,
                              .set = session_set_config,
                              .reload = session_reload_conf,
                              .settings = session_settings_list,
                              .kept = session_kept,
                              .activity = activity_each,
                              .signal = activity_signal,
                              .counters = session_counters,
                              .slabs = session_slabs_list,
                              .sleep = session_sleep,
                              .opened_ns = (int64_t)conn->db->opened_ns,
                              .advisory = session_advisory,
                              .export_snapshot = session_export_snapshot,
                              .temp_schema = "",
                              .ask = session_ask,
                              .sequence = session_sequence_call,
                              .serial = session_serial_sequence,
                              .zones = conn->db->zones,
                              .user = "dendro",
                              .login = "dendro",
                              .database = "dendro",
                              .schema = conn->shown,
                              .version = "PostgreSQL 15.0 (Dendro " DENDRO_VERSION ")",
                              .id = (int32_t)(atomic_fetch_add(&last, 1) + 1)};
    rc = session_zone_value(conn, "TimeZone", &zone, text, err);
    if (rc == 0)
        rc = settings_set(&conn->settings, "TimeZone", zone, SETTING_SESSION, err);
    if (rc == 0)
        session_zone_apply(conn);
    return rc;
}
