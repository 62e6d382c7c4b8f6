/* SPDX-License-Identifier: Apache-2.0
 *
 * text_int.h: what the files of text.h share: numbers in text_num.c, time stamps in text_time.c,
 * the rest in text.c. Any thread. */
#pragma once

#include "func/session.h"
#include "func/text.h"

/* ASCII only, whatever the locale. */
static inline bool text_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A time of day? */
static inline bool text_is_clock(enum type_id type)
{
    return type == TYPE_TIME || type == TYPE_TIMETZ;
}

/* Without the spaces around it. */
struct vstr text_trim(struct vstr s);

/* As a value goes into other texts: t and f for BOOLEAN, where a cast says true and false. */
void text_print_out(const struct func_session *session, const struct datum *d, struct buf *b);

void text_print_i64(int64_t v, struct buf *b);
void text_print_f64(double v, struct buf *b);
void text_print_f32(float v, struct buf *b);
/* With that many digits at most, trailing zeros left away. */
void text_print_digits(double v, int digits, struct buf *b);

/* What a text says: a day, a time of the day and how far it is ahead of UTC. */
struct text_instant {
    int64_t days;    /* since 1970 */
    bool dated;      /* of a time of day: a day is written beside it */
    int64_t seconds; /* of the day; 86400 and one more are possible */
    int32_t ns;
    int64_t zone;     /* seconds; 0 if none is named */
    bool zoned;       /* one is named */
    struct vstr word; /* … by a name that is no abbreviation: zone is to be found */
    int infinite;     /* 1, -1: infinity and -infinity, the rest does not count */
};

/* ISO 8601 alone; the type is for messages. DN_E_BAD_DATETIME: its form is wrong. */
int text_parse_instant(struct vstr s,
                       enum type_id type,
                       struct text_instant *ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* That, or any other way to write a value of the type: DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ
 * or TIMESTAMP_LOCAL. */
int text_read_instant(const struct func_session *session,
                      enum type_id type,
                      struct vstr s,
                      struct text_instant *ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* 1 to 12 for the name of a month, or its first three letters; 0: it is none. */
int text_month_word(struct vstr w);
bool text_weekday_word(struct vstr w);
struct tz_zone;
/* The zone that t.word names: DN_E_BAD_DATETIME, or DN_E_INVALID_PARAM if it can be nothing else.
 */
int text_find_zone(const struct func_session *session,
                   const struct text_instant *t,
                   struct tz_zone *room,
                   const struct tz_zone **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Only the time of the day and the zone; s is trimmed. */
int text_parse_clock_alone(struct vstr s,
                           struct text_instant *ret,
                           struct dn_err *err) DN_MUST_CHECK;

void text_print_date(int64_t days, struct buf *b);
/* In the session's DateStyle: a day, an instant in its zone, a time stamp at UTC. */
void text_print_date_in(const struct func_session *session, int64_t days, struct buf *b);
void text_print_zoned_in(const struct func_session *session, int64_t us, struct buf *b);
void text_print_time_in(const struct func_session *session,
                        int64_t value,
                        enum type_id type,
                        struct buf *b);
void text_print_clock(int64_t us, struct buf *b);
/* A time of day and how far its clock is ahead of UTC (TIMETZ). */
void text_print_timetz(int64_t v, struct buf *b);
int text_parse_timetz(const struct func_session *session,
                      struct vstr s,
                      int64_t *ret,
                      struct dn_err *err) DN_MUST_CHECK;
void text_print_uuid(struct vstr s, struct buf *b);
int text_parse_date(const struct func_session *session,
                    struct vstr s,
                    int64_t *ret,
                    struct dn_err *err) DN_MUST_CHECK;
int text_parse_clock(const struct func_session *session,
                     struct vstr s,
                     int64_t *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* A time without a zone (TIMESTAMP_LOCAL); a zone in the text is checked and does not count. */
void text_print_local_in(const struct func_session *session, int64_t us, struct buf *b);
int text_parse_local(const struct func_session *session,
                     struct vstr s,
                     int64_t *ret,
                     struct dn_err *err) DN_MUST_CHECK;
int text_parse_timestamptz(const struct func_session *session,
                           struct vstr s,
                           int64_t *ret,
                           struct dn_err *err) DN_MUST_CHECK;
/* s is trimmed. */
int text_parse_uuid(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
    DN_MUST_CHECK;

/* Bytes of hexadecimal digits (blanks between pairs are fine), and of characters with escapes.
 * DN_E_INVALID_PARAM, DN_E_BAD_TEXT. */
int text_unhex(struct vstr s, struct buf *b, struct dn_err *err) DN_MUST_CHECK;
void text_escape(struct vstr s, struct buf *b); /* what text_unescape reads, as printable ASCII */
int text_unescape(struct vstr s, struct buf *b, struct dn_err *err) DN_MUST_CHECK;
/* 0101, b0101 or x1F as digits 0 and 1. DN_E_BAD_TEXT. */
int text_parse_bits(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
    DN_MUST_CHECK;
int text_parse_blob(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
    DN_MUST_CHECK;

/* Types of the system: OID, NAME, REGCLASS, … (text_system.c). */
void text_print_system(const struct datum *d, struct buf *b);
int text_parse_system(const struct func_session *session,
                      enum type_id type,
                      struct vstr s,
                      struct arena *arena,
                      struct datum *ret,
                      struct dn_err *err) DN_MUST_CHECK;

/* {1,NULL,"a b"}, as PostgreSQL has it. */
void text_print_array(const struct func_session *session,
                      enum text_style style,
                      const struct datum *d,
                      struct buf *b);
int text_parse_array(const struct func_session *session,
                     enum type_id type,
                     struct vstr s,
                     struct arena *arena,
                     struct vstr *ret,
                     struct dn_err *err) DN_MUST_CHECK;

/* In INTERVAL_STANDARD a minus before the first part is one before all, unless another has a sign.
 */
int text_parse_interval_in(enum interval_style style,
                           struct vstr s,
                           struct vinterval *ret,
                           struct dn_err *err) DN_MUST_CHECK;
void text_print_interval(struct vinterval v, struct buf *b);
void text_print_interval_in(enum interval_style style, struct vinterval v, struct buf *b);

/* s is trimmed. */
int text_parse_int(enum type_id type, struct vstr s, int64_t *ret, struct dn_err *err)
    DN_MUST_CHECK;
int text_parse_float(enum type_id type, struct vstr s, double *ret, struct dn_err *err)
    DN_MUST_CHECK;

/* "invalid input syntax for type BIGINT: "x"", the text cut if it is long. */
int text_fail_syntax(enum type_id type, struct vstr s, struct dn_err *err);

/* How many bytes of s to quote in a message: at most 60, and no half of a character. */
int text_quote_len(struct vstr s);

/* ---- text_enum.c ---- */
/* The label of a value, whose own number says of which type. */
void text_print_enum(const struct func_session *session, int64_t value, struct buf *b);
int text_parse_enum(const struct func_session *session,
                    enum type_id type,
                    struct vstr s,
                    int64_t *ret,
                    struct dn_err *err) DN_MUST_CHECK;
