/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: the one clock of a database: now(), expiry, retention and rollouts go by it. It is the
 * machine's, unless the setting test_clock says where it stands until it is set ahead.
 *
 * What drops rows for good goes by the sure clock of the volume (volume_sure_ns). Its anchor is the
 * document `time` (docs/format/time.md): the last sure time that was recorded. */
#include "volume/clock.h"
#include "base/civil.h"
#include "base/json.h"
#include "engine/timepart.h"
#include "func/text.h"
#include "volume/document.h"

#include <inttypes.h>
#include <string.h>

#define CLOCK_SECOND    INT64_C(1000000000)
#define CLOCK_DOC       "time"
#define CLOCK_FORMAT    1
#define CLOCK_RECORD_NS (3600 * CLOCK_SECOND) /* between records */

int64_t engine_clock_ns(struct dendro_db *db)
{
    return volume_clock_ns(db->volume);
}

int64_t engine_sure_ns(struct dendro_db *db)
{
    return volume_sure_ns(db->volume);
}

int64_t engine_clock_ahead(struct dendro_db *db)
{
    int64_t sure = volume_sure_ns(db->volume);
    int64_t wall = volume_clock_ns(db->volume);

    return wall - sure > VOLUME_CLOCK_SLACK_NS ? (wall - sure) / CLOCK_SECOND : 0;
}

/* ---- the record ---- */

static int clock_parse(const void *p, size_t n, int64_t *ret, struct dn_err *err)
{
    const struct dn_json *root = NULL;
    const struct dn_json *format = NULL;
    const struct dn_json *at = NULL;
    struct arena arena;
    int rc;

    arena_init(&arena, NULL);
    rc = dn_json_parse(&arena, p, n, &root, err);
    if (rc < 0) {
        dn_err_prefix(err, CLOCK_DOC);
        goto out;
    }
    if (dn_json_is(root, DN_JSON_OBJECT)) {
        format = dn_json_get(root, "format");
        at = dn_json_get(root, "time");
    }
    if (dn_json_is(format, DN_JSON_INT) && format->integer > CLOCK_FORMAT)
        rc = DN_FAIL(err,
                     DN_E_VERSION,
                     CLOCK_DOC ": format %" PRId64 " is of a newer release of Dendro; this one "
                               "reads up to %d",
                     format->integer,
                     CLOCK_FORMAT);
    else if (!dn_json_is(format, DN_JSON_INT) || !dn_json_is(at, DN_JSON_INT) ||
             format->integer != CLOCK_FORMAT || at->integer <= 0)
        rc = DN_FAIL(err, DN_E_CORRUPT, CLOCK_DOC ": not a record of the time");
    else
        *ret = at->integer;
out:
    arena_done(&arena);
    return rc;
}

static int clock_loads(void *arg DN_UNUSED, const void *p, size_t n, struct dn_err *err)
{
    int64_t at;

    return clock_parse(p, n, &at, err);
}

/* The time recorded last; DN_NOT_FOUND: there is none. */
static int clock_read(struct volume *v, uint64_t *ret_generation, int64_t *ret, struct dn_err *err)
{
    struct buf doc;
    int rc;

    buf_init(&doc, NULL);
    rc = volume_doc_read(v, CLOCK_DOC, &doc, ret_generation, err);
    if (rc == 0)
        rc = clock_parse(doc.data, doc.len, ret, err);
    buf_done(&doc);
    return rc;
}

int engine_clock_verify(struct volume *v, struct dn_err *err)
{
    uint64_t generation;
    int64_t at;

    return clock_read(v, &generation, &at, err);
}

static int clock_write(struct dendro_db *db, int64_t at_ns, struct dn_err *err)
{
    struct buf doc;
    struct volume_doc save = {.name = CLOCK_DOC, .bytes = &doc, .load = clock_loads};
    struct dn_json_writer w;
    uint64_t generation = 0;
    int64_t was;
    int rc = clock_read(db->volume, &generation, &was, err); /* for the generation */

    if (rc < 0)
        return rc;
    buf_init(&doc, NULL);
    w = dn_json_writer_make(&doc);
    dn_json_begin(&w, NULL, '{');
    dn_json_put_int(&w, "format", CLOCK_FORMAT);
    dn_json_put_int(&w, "time", at_ns);
    dn_json_end(&w, '}');
    buf_u8(&doc, '\n');
    rc = doc.failed ? DN_FAIL_NOMEM(err)
                    : volume_doc_save(db->volume, &save, generation, &generation, err);
    buf_done(&doc);
    if (rc == 0)
        atomic_store(&db->recorded_ns, at_ns);
    return rc;
}

void engine_clock_record(struct dendro_db *db)
{
    int64_t now = volume_sure_ns(db->volume);
    int64_t was = atomic_load(&db->recorded_ns);
    struct dn_err ignored;

    if (db->read_only || *db->settings.test_clock || now <= 0 ||
        (was && now - was < CLOCK_RECORD_NS))
        return;
    dn_err_clear(&ignored);
    DN_IGNORE(clock_write(db, now, &ignored)); /* the next call tries again */
}

void engine_clock_unneeded(struct dendro_db *db)
{
    if (!*db->settings.test_clock)
        volume_clock_anchor(db->volume, volume_clock_ns(db->volume), VOLUME_CLOCK_SLACK_NS);
}

/* Whether a record is there that cannot be read: it is damaged, or of a newer release, which one
 * changed bit of its version looks like, too. It cannot be replaced. */
static bool clock_unreadable(int rc)
{
    return rc == DN_E_CORRUPT || rc == DN_E_VERSION;
}

/* The clock is believed as far as the time recorded last allows. A record that cannot be read is
 * no reason to refuse the database: no time is known then, and nothing is dropped before a
 * superuser confirms the clock. */
static int clock_anchor(struct dendro_db *db, struct dn_err *err)
{
    uint64_t generation;
    int64_t at = 0;
    int rc = clock_read(db->volume, &generation, &at, err);

    if (rc == DN_NOT_FOUND) {
        engine_clock_unneeded(db);
    } else if (clock_unreadable(rc)) {
        volume_clock_anchor(db->volume, 0, 0);
    } else if (rc < 0) {
        return rc;
    } else {
        atomic_store(&db->recorded_ns, at);
        volume_clock_anchor(db->volume, at, db->settings.clock_step_max * 1000000);
    }
    dn_err_clear(err);
    return 0;
}

int engine_clock_confirm(struct dendro_db *db, int64_t day, struct dn_err *err)
{
    int64_t wall = volume_clock_ns(db->volume);
    int64_t today = civil_floor(wall, CLOCK_SECOND * CIVIL_DAY_SECONDS);
    struct civil c = civil_from_days(today);
    int rc;

    if (day < today - 1 || day > today + 1) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "the clock of the machine says %04" PRId64 "-%02d-%02d",
                     c.year,
                     c.month,
                     c.day);
        dn_err_hint(err, "Set it right first. Nothing was confirmed.");
        return rc;
    }
    if (*db->settings.test_clock) /* it is believed in any case */
        return 0;
    rc = clock_write(db, wall, err);
    if (rc < 0 && !clock_unreadable(rc)) /* else what is confirmed counts until the next start */
        return rc;
    dn_err_clear(err);
    volume_clock_anchor(db->volume, wall, VOLUME_CLOCK_SLACK_NS);
    return engine_rollouts_run(db, NULL, err);
}

/* ---- tests ---- */

int engine_clock_open(struct dendro_db *db, struct dn_err *err)
{
    const char *text = db->settings.test_clock;
    int64_t seconds = 0;
    int32_t ns = 0;
    int64_t at;
    int rc;

    if (!*text)
        return clock_anchor(db, err);
    rc = text_parse_time((struct vstr){text, (uint32_t)strlen(text)}, &seconds, &ns, err);
    if (rc == 0 && (__builtin_mul_overflow(seconds, CLOCK_SECOND, &at) ||
                    __builtin_add_overflow(at, (int64_t)ns, &at) || at <= 0))
        rc = DN_FAIL(err, DN_E_DATETIME_RANGE, "\"%s\" is not between 1970 and 2262", text);
    if (rc == 0)
        volume_clock_set(db->volume, at);
    else
        dn_err_prefix(err, "test_clock");
    return rc;
}

int engine_clock_advance(struct dendro_db *db, int64_t to_ns, struct dn_err *err)
{
    int rc;

    if (!*db->settings.test_clock) {
        rc = DN_FAIL(
            err, DN_E_NOT_READY, "the clock of this database is the machine's and is not set");
        dn_err_hint(err, "Open it with the setting test_clock, or serve it with --test-clock.");
        return rc;
    }
    if (to_ns < volume_clock_ns(db->volume))
        return DN_FAIL(err, DN_E_INVALID_PARAM, "the clock cannot be set back");
    volume_clock_set(db->volume, to_ns);
    return engine_rollouts_run(db, NULL, err);
}
