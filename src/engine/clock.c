/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: the one clock of a database: now(), expiry, retention and rollouts go by it. It is the
 * machine's, unless the setting test_clock says where it stands until it is set ahead. */
#include "engine/timepart.h"
#include "func/text.h"

#include <string.h>

#define CLOCK_SECOND 1000000000

int64_t engine_clock_ns(struct dendro_db *db)
{
    return volume_clock_ns(db->volume);
}

int engine_clock_open(struct dendro_db *db, struct dn_err *err)
{
    const char *text = db->settings.test_clock;
    int64_t seconds = 0;
    int32_t ns = 0;
    int64_t at;
    int rc;

    if (!*text)
        return 0;
    rc = text_parse_time((struct vstr){text, (uint32_t)strlen(text)}, &seconds, &ns, err);
    if (rc == 0 && (__builtin_mul_overflow(seconds, (int64_t)CLOCK_SECOND, &at) ||
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
    return engine_rollouts_run(db, err);
}
