/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h: values to text and back: the one place for literals, casts from strings, output and
 * import. Any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "func/session.h"
#include "vec/vec.h"

/* Appends the text of a value as SELECT shows it: integers, shortest round-trip doubles (as
 * PostgreSQL prints them: 0.1, 1e+20, NaN, Infinity), true/false, text as it is, blobs 0x…, time
 * stamps ISO 8601 UTC with Z and as many fraction digits as the type keeps (.001Z; (6) six, (9)
 * nine). Intervals, NUMERIC, DATE, TIME, TIMESTAMPTZ (at UTC) and UUID as PostgreSQL prints them:
 * 1 year 2 mons 3 days 04:05:06.7, 2015-06-01 04:05:06.7+00. NULL appends nothing. Running out of
 * memory, and an array that is not finished because the session's statement is to end, show in
 * b->failed. */
void text_print(const struct datum *d, struct buf *b);
/* The same with TIMESTAMPTZ in the time zone of a session. */
struct vstr text_unblank(struct vstr s); /* without the blanks at its end */
void text_print_in(const struct func_session *session, const struct datum *d, struct buf *b);

/* Who reads it. Other programs know what PostgreSQL writes: t and f, \x00ff for bytes. COPY keeps
 * time stamps as they are, to the nanosecond; in the protocol they are timestamptz. */
enum text_style { TEXT_SELECT, TEXT_COPY, TEXT_WIRE };
void text_print_as(const struct func_session *session,
                   enum text_style style,
                   const struct datum *d,
                   struct buf *b);

/* The other way, for a target type. Strings may have spaces around numbers. Errors: DN_E_BAD_TEXT
 * ("invalid input syntax for type BIGINT: "x""), DN_E_OUT_OF_RANGE, DN_E_BAD_DATETIME,
 * DN_E_DATETIME_RANGE. VARCHAR must be UTF-8. */
int text_parse(enum type_id type,
               struct vstr s,
               struct arena *arena,
               struct datum *ret,
               struct dn_err *err) DN_MUST_CHECK;

/* The same; TIMESTAMPTZ without a zone is in that of the session, and zones have names. */
int text_parse_in(const struct func_session *session,
                  enum type_id type,
                  struct vstr s,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err) DN_MUST_CHECK;

/* A decimal number; s is trimmed. "38 digits" beyond them. */
void text_print_numeric(struct vnumeric v, struct buf *b);
int text_parse_numeric(struct vstr s, struct vnumeric *ret, struct dn_err *err) DN_MUST_CHECK;
/* An instant in the time of a zone that is `offset` seconds ahead of UTC there and then. */
void text_print_timestamptz(int64_t us, int32_t offset, struct buf *b);

/* "1 day 02:03", "15 minutes", "1h30m", "P1DT2H" (text_interval.c has the grammar).
 * DN_E_BAD_DATETIME, DN_E_INTERVAL_RANGE. */
int text_parse_interval(struct vstr s, struct vinterval *ret, struct dn_err *err) DN_MUST_CHECK;
/* As text of a type with these fields (vec/type.h): '12:34' MINUTE TO SECOND; '1' YEAR. */
int text_parse_interval_fields(struct vstr s,
                               int32_t fields,
                               struct vinterval *ret,
                               struct dn_err *err) DN_MUST_CHECK;

/* ISO 8601: date or date + time, basic and extended, 'T' or space, fractions with '.' or ',' of
 * seconds (and of minutes or hours), Z / ±hh / ±hhmm / ±hh:mm; reduced forms (2015, 2015-06,
 * 2015-06-01, …T09, …T09:00) mean the start of the period; AM, PM, BC and abbreviations of zones
 * (CEST) behind it. Gives nanosecond-exact (seconds since
 * 1970, nanoseconds 0..999999999). */
int text_parse_time(struct vstr s, int64_t *ret_seconds, int32_t *ret_ns, struct dn_err *err)
    DN_MUST_CHECK;
/* That, or any other way PostgreSQL knows to write it (text_loose.c), with names of zones; local:
 * without a zone it is in that of the session, not UTC. Seconds INT64_MAX and INT64_MIN: infinity
 * and -infinity. */
int text_parse_time_in(const struct func_session *session,
                       bool local,
                       struct vstr s,
                       int64_t *ret_seconds,
                       int32_t *ret_ns,
                       struct dn_err *err) DN_MUST_CHECK;
/* To a type's unit, in which infinite seconds are as infinite: exact tells whether nothing was cut;
 * cutting rounds to nearest (round) or floors. DN_E_DATETIME_RANGE. */
int text_time_to_type(int64_t seconds,
                      int32_t ns,
                      enum type_id type,
                      bool round,
                      int64_t *ret,
                      bool *ret_exact,
                      struct dn_err *err) DN_MUST_CHECK;
void text_print_time(int64_t value, enum type_id type, struct buf *b);
