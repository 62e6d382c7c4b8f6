/* SPDX-License-Identifier: Apache-2.0
 *
 * session_zone.h: what functions ask of a session, and its time zone. One thread at a time per
 * session. */
#pragma once

#include "engine/engine_int.h"

struct func_ask;
struct func_answer;

/* What functions ask of the session, for a new one. */
int session_functions(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
/* The value of a setting before it is set: that of TimeZone becomes the name of the zone, in room
 * (SETTING_TEXT_MAX + 1 bytes); others stay. DN_E_INVALID_PARAM: there is no such zone. */
int session_zone_value(struct dendro_conn *conn,
                       const char *name,
                       const char **value,
                       char *room,
                       struct dn_err *err) DN_MUST_CHECK;
/* Is there such a zone? */
int session_zone_check(struct dendro_db *db, const char *text, struct dn_err *err) DN_MUST_CHECK;
/* After settings have changed: functions work with their zone. */
void session_zone_apply(struct dendro_conn *conn);
/* What functions ask about objects (session_objects.c); arg is the session. */
int session_ask(void *arg, const struct func_ask *ask, struct func_answer *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* session_objects.c: func_session.kept. */
void session_kept(void *arg, bool prepared, func_kept_fn fn, void *fn_arg);
