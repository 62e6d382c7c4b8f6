/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_timepart.c: builders of time partitions. PERIOD, RETENTION and their like are no words of the
 * language elsewhere: they come as a list of names with values, in any order. */
#include "sql/build_ddl.h"

#include "base/number.h"

#include <string.h>
#include <strings.h>

static bool timepart_is(struct sql_token tok, const char *word)
{
    return strlen(word) == tok.len && strncasecmp(word, tok.ptr, tok.len) == 0;
}

struct qual_name *sql_part_name(struct sql_parser *ps, struct sql_token tok)
{
    struct qual_name *q = sql_new(ps, sizeof *q);
    uint32_t len;

    if (!q)
        return NULL;
    q->name = sql_string_text(ps, tok, &len);
    q->pos = tok.pos;
    if (ps->rc == 0 && (len == 0 || strlen(q->name) != len))
        sql_fail(ps, DN_E_SYNTAX, tok.pos, "a name cannot be empty");
    return ps->rc < 0 ? NULL : q;
}

static void timepart_twice(struct sql_parser *ps, const struct option_spec *o, bool twice)
{
    if (twice)
        sql_fail(ps, DN_E_SYNTAX, o->name.pos, "%.60s is there twice", o->name.s);
}

/* A number without quotes. */
static int64_t timepart_number(struct sql_parser *ps, const struct option_spec *o)
{
    int64_t n = 0;

    if (!o->value || o->quoted) {
        sql_fail(ps, DN_E_SYNTAX, o->name.pos, "%.60s wants a number", o->name.s);
        return 0;
    }
    if (!number_is_int(o->value, strlen(o->value), &n))
        sql_fail(ps, DN_E_OUT_OF_RANGE, o->value_pos, "%.60s is out of range", o->value);
    return n;
}

static void
timepart_word(struct sql_parser *ps, const struct option_spec *o, struct partition_def *to)
{
    if (strcasecmp(o->name.s, "period") == 0) {
        timepart_twice(ps, o, to->period.s != NULL);
        if (!o->value || !o->quoted)
            sql_fail(ps, DN_E_SYNTAX, o->name.pos, "PERIOD wants a text such as 'daily'");
        to->period = (struct spec_name){.s = o->value, .pos = o->value_pos};
    } else if (strcasecmp(o->name.s, "retention") == 0) {
        timepart_twice(ps, o, to->has_retention);
        to->retention = timepart_number(ps, o);
        to->retention_pos = o->value_pos;
        to->has_retention = true;
    } else if (strcasecmp(o->name.s, "start") == 0) {
        timepart_twice(ps, o, to->start.s != NULL);
        if (!o->value)
            sql_fail(ps, DN_E_SYNTAX, o->name.pos, "START wants a time or a number");
        to->start = (struct spec_name){.s = o->value, .pos = o->value_pos};
        to->start_quoted = o->quoted;
    } else if (strcasecmp(o->name.s, "state") == 0 && o->value && o->quoted) {
        timepart_twice(ps, o, to->state.s != NULL);
        to->state = (struct spec_name){.s = o->value, .pos = o->value_pos};
    } else if (strcasecmp(o->name.s, "retroactively") == 0 && !o->value) {
        to->retroactively = true;
    } else {
        sql_fail(ps, DN_E_SYNTAX, o->name.pos, "syntax error at \"%.60s\"", o->name.s);
        dn_err_hint(ps->err, "A partition has PERIOD 'daily', RETENTION 7 and START '2024-01-01'.");
    }
}

static void timepart_words(struct sql_parser *ps, struct sql_list words, struct partition_def *to)
{
    struct option_spec **list = sql_list_take(ps, words);

    for (uint32_t i = 0; ps->rc == 0 && i < words.count; i++)
        timepart_word(ps, list[i], to);
}

/* It is for PUT TIME PARTITION alone. */
static void timepart_no_state(struct sql_parser *ps, const struct partition_def *p)
{
    if (ps->rc == 0 && p->state.s)
        sql_fail(ps, DN_E_SYNTAX, p->state.pos, "STATE is for PUT TIME PARTITION");
}

void sql_partition_by(struct sql_parser *ps, struct sql_token at, struct sql_token by)
{
    if (ps->rc < 0 || timepart_is(by, "time"))
        return;
    sql_fail(ps, DN_E_UNSUPPORTED, at.pos, "PARTITION BY is not supported");
    dn_err_hint(ps->err, "QUANTUM in the PRIMARY KEY partitions by time.");
}

struct partition_def *sql_partitioned(struct sql_parser *ps,
                                      struct sql_token at,
                                      struct sql_token by,
                                      struct sql_list words)
{
    struct partition_def *p = sql_new(ps, sizeof *p);

    if (!p)
        return NULL;
    p->pos = at.pos;
    if (timepart_is(by, "manual"))
        p->kind = PARTITION_BY_MANUAL;
    else if (timepart_is(by, "none"))
        p->kind = PARTITION_BY_NONE;
    else if (!timepart_is(by, "time")) {
        sql_fail(ps, DN_E_SYNTAX, by.pos, "a table is PARTITIONED BY TIME, MANUAL or NONE");
        return NULL;
    }
    timepart_words(ps, words, p);
    timepart_no_state(ps, p);
    if (ps->rc == 0 && p->kind == PARTITION_BY_NONE && words.count > 0)
        sql_fail(ps, DN_E_SYNTAX, by.pos, "PARTITIONED BY NONE takes no options");
    return ps->rc < 0 ? NULL : p;
}

void sql_create_partitioned(struct sql_parser *ps, struct partition_def *p)
{
    if (ps->rc == 0)
        ps->stmt->table_def->partition = p;
}

struct alter_action *sql_alter_partition(struct sql_parser *ps, struct partition_def *p)
{
    struct alter_action *a = sql_new(ps, sizeof *a);

    if (!a)
        return NULL;
    a->kind = ALTER_PARTITION;
    a->partition = p;
    return a;
}

/* ---- statements ---- */

static struct timepart_stmt *timepart_stmt(struct sql_parser *ps, const struct qual_name *name)
{
    struct timepart_stmt *t = sql_new(ps, sizeof *t);
    struct stmt *s = sql_stmt(ps, STMT_TIMEPART);

    if (!s || !t)
        return NULL;
    s->name = *name;
    s->timepart = t;
    t->def.pos = name->pos;
    return t;
}

void sql_create_timepart(struct sql_parser *ps,
                         bool if_not_exists,
                         const struct qual_name *shard,
                         const struct qual_name *name,
                         struct sql_list words)
{
    struct timepart_stmt *t = timepart_stmt(ps, name);

    if (!t)
        return;
    t->what = TIMEPART_CREATE;
    t->shard = *shard;
    ps->stmt->if_not_exists = if_not_exists;
    timepart_words(ps, words, &t->def);
    timepart_no_state(ps, &t->def);
}

void sql_drop_timepart(struct sql_parser *ps, bool if_exists, const struct qual_name *name)
{
    struct timepart_stmt *t = timepart_stmt(ps, name);

    if (!t)
        return;
    t->what = TIMEPART_DROP;
    ps->stmt->if_exists = if_exists;
}

/* What a dump that cleans up says of what its PUT TIME PARTITION … STATE makes. */
void sql_drop_trigger(struct sql_parser *ps,
                      struct sql_token at,
                      bool if_exists,
                      struct sql_token trigger,
                      const struct qual_name *name)
{
    if (ps->rc == 0 && !timepart_is(trigger, "time_partition")) {
        sql_fail(ps, DN_E_UNSUPPORTED, at.pos, "DROP TRIGGER is not supported");
        dn_err_hint(ps->err, "There is only time_partition, on each time partition.");
        return;
    }
    sql_drop_timepart(ps, if_exists, name);
    if (ps->rc == 0)
        ps->stmt->timepart->what = TIMEPART_UNDO;
}

void sql_put_timepart(struct sql_parser *ps, const struct qual_name *name, struct sql_list words)
{
    struct timepart_stmt *t = timepart_stmt(ps, name);

    if (!t)
        return;
    t->what = TIMEPART_PUT;
    timepart_words(ps, words, &t->def);
    if (ps->rc == 0 && ((!t->def.has_retention && !t->def.state.s) || words.count != 1))
        sql_fail(ps, DN_E_SYNTAX, name->pos, "PUT TIME PARTITION wants RETENTION and a number");
}

void sql_put_counter(struct sql_parser *ps,
                     struct sql_token word,
                     const struct qual_name *name,
                     enum counter_what what,
                     int64_t value)
{
    struct timepart_stmt *t;

    if (ps->rc == 0 && !timepart_is(word, "counter")) {
        sql_fail_syntax(ps, 0, word);
        return;
    }
    t = timepart_stmt(ps, name);
    if (!t)
        return;
    t->what = TIMEPART_COUNTER;
    t->counter = what;
    t->value = value;
}
