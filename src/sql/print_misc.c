/* SPDX-License-Identifier: Apache-2.0
 *
 * print_misc.c: COPY, SET, EXPLAIN, transactions, cursors and the rest as text. */
#include "sql/print_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

const char *const sql_object_words[OBJECT_KIND_MAX] = {
    [OBJECT_TABLE] = "TABLE",
    [OBJECT_VIEW] = "VIEW",
    [OBJECT_SEQUENCE] = "SEQUENCE",
    [OBJECT_INDEX] = "INDEX",
    [OBJECT_SCHEMA] = "SCHEMA",
    [OBJECT_COLUMN] = "COLUMN",
    [OBJECT_CONSTRAINT] = "CONSTRAINT",
    [OBJECT_DATABASE] = "DATABASE",
    [OBJECT_ROLE] = "ROLE",
};

/* (name value, …) as COPY and EXPLAIN have them. */
static void print_words(const struct option_spec *options, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct option_spec *o = &options[i];

        buf_puts(b, i ? ", " : "(");
        sql_print_ident(o->name.s, b);
        if (o->value)
            buf_u8(b, ' ');
        if (o->value && o->quoted)
            sql_print_text(o->value, b);
        else if (o->value)
            buf_puts(b, o->value);
    }
    buf_puts(b, count ? ")" : "");
}

void sql_print_copy(const struct stmt *s, struct buf *b)
{
    const struct copy_stmt *c = s->copy;

    buf_puts(b, "COPY ");
    if (c->table.name) {
        sql_print_qual(&c->table, b);
        buf_puts(b, c->columns ? " " : "");
        if (c->columns)
            sql_print_names(c->columns, c->columns_count, b);
    } else {
        buf_puts(b, "(");
        sql_print_stmt(s->explained, b);
        buf_puts(b, ")");
    }
    buf_puts(b, c->from ? " FROM " : " TO ");
    if (c->place == COPY_STDIO)
        buf_puts(b, c->from ? "STDIN" : "STDOUT");
    else
        sql_print_text(c->file, b);
    buf_puts(b, c->options_count ? " WITH " : "");
    print_words(c->options, c->options_count, b);
    sql_print_opt(" WHERE ", c->where, b);
}

void sql_print_explain(const struct stmt *s, struct buf *b)
{
    bool word = s->explain.analyze && s->explain.options_count == 0; /* else it is an option */

    buf_puts(b, word ? "EXPLAIN ANALYZE " : "EXPLAIN ");
    print_words(s->explain.options, s->explain.options_count, b);
    buf_puts(b, s->explain.options_count ? " " : "");
    sql_print_stmt(s->explained, b);
}

void sql_print_set(const struct stmt *s, struct buf *b)
{
    const struct set_stmt *set = s->set;

    if (set->scope == SET_SYSTEM)
        buf_puts(b, "ALTER SYSTEM ");
    if (set->reset) {
        buf_puts(b, "RESET ");
        if (!s->name.schema && strcasecmp(s->name.name, "all") == 0)
            buf_puts(b, "ALL");
        else
            sql_print_qual(&s->name, b);
        return;
    }
    buf_puts(b,
             !set->scope_given || set->scope == SET_SYSTEM ? "SET "
             : set->scope == SET_LOCAL                     ? "SET LOCAL "
                                                           : "SET SESSION ");
    sql_print_qual(&s->name, b);
    buf_puts(b, " = ");
    for (uint32_t i = 0; i < set->values_count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_text(set->values[i].value, b);
    }
    if (set->values_count == 0)
        buf_puts(b, "DEFAULT");
}

void sql_print_tables(const struct stmt *s, struct buf *b)
{
    static const char *const behaviors[] = {
        [DROP_DEFAULT] = "", [DROP_RESTRICT] = " RESTRICT", [DROP_CASCADE] = " CASCADE"};

    for (uint32_t i = 0; i < s->names_count; i++) {
        buf_puts(b, i ? ", " : " ");
        sql_print_qual(&s->names[i], b);
    }
    buf_puts(b, s->restart_identity ? " RESTART IDENTITY" : "");
    buf_puts(b, behaviors[s->behavior]);
}

/* ---- transactions ---- */

static void print_modes(const struct transaction *t, struct buf *b)
{
    static const char *const isolations[] = {
        [ISOLATION_DEFAULT] = "",
        [ISOLATION_SERIALIZABLE] = " ISOLATION LEVEL SERIALIZABLE",
        [ISOLATION_REPEATABLE_READ] = " ISOLATION LEVEL REPEATABLE READ",
        [ISOLATION_READ_COMMITTED] = " ISOLATION LEVEL READ COMMITTED",
        [ISOLATION_READ_UNCOMMITTED] = " ISOLATION LEVEL READ UNCOMMITTED",
    };

    buf_puts(b, isolations[t->isolation]);
    if (t->read_only != MODE_DEFAULT)
        buf_puts(b, t->read_only == MODE_YES ? " READ ONLY" : " READ WRITE");
    if (t->deferrable != MODE_DEFAULT)
        buf_puts(b, t->deferrable == MODE_YES ? " DEFERRABLE" : " NOT DEFERRABLE");
}

void sql_print_transaction(const struct stmt *s, struct buf *b)
{
    const struct misc_stmt *m = s->misc;
    static const char *const words[TRANSACTION_KIND_MAX] = {
        [TRANSACTION_BEGIN] = "BEGIN",
        [TRANSACTION_COMMIT] = "COMMIT",
        [TRANSACTION_ROLLBACK] = "ROLLBACK",
        [TRANSACTION_SAVEPOINT] = "SAVEPOINT ",
        [TRANSACTION_RELEASE] = "RELEASE SAVEPOINT ",
        [TRANSACTION_ROLLBACK_TO] = "ROLLBACK TO SAVEPOINT ",
        [TRANSACTION_SET] = "SET TRANSACTION",
        [TRANSACTION_SNAPSHOT] = "SET TRANSACTION SNAPSHOT ",
        [TRANSACTION_SET_SESSION] = "SET SESSION CHARACTERISTICS AS TRANSACTION",
    };

    buf_puts(b, words[m->transaction.kind]);
    print_modes(&m->transaction, b);
    buf_puts(b, m->transaction.chain ? " AND CHAIN" : "");
    if (m->transaction.snapshot)
        sql_print_text(m->transaction.snapshot, b);
    if (m->name.s)
        sql_print_ident(m->name.s, b);
}

/* ---- prepared statements and cursors ---- */

void sql_print_prepare(const struct stmt *s, struct buf *b)
{
    const struct misc_stmt *m = s->misc;

    buf_puts(b, "PREPARE ");
    sql_print_ident(m->name.s, b);
    for (uint32_t i = 0; i < m->types_count; i++) {
        buf_puts(b, i ? ", " : " (");
        sql_print_type(&m->types[i], b);
    }
    buf_puts(b, m->types_count ? ") AS " : " AS ");
    sql_print_stmt(s->explained, b);
}

void sql_print_execute(const struct misc_stmt *m, struct buf *b)
{
    buf_puts(b, "EXECUTE ");
    sql_print_ident(m->name.s, b);
    for (uint32_t i = 0; i < m->args_count; i++)
        sql_print_opt(i ? ", " : " (", m->args[i], b);
    buf_puts(b, m->args_count ? ")" : "");
}

void sql_print_declare(const struct stmt *s, struct buf *b)
{
    const struct cursor *c = &s->misc->cursor;

    buf_puts(b, "DECLARE ");
    sql_print_ident(s->misc->name.s, b);
    buf_puts(b, c->binary ? " BINARY" : "");
    buf_puts(b, c->insensitive ? " INSENSITIVE" : "");
    if (c->scroll != MODE_DEFAULT)
        buf_puts(b, c->scroll == MODE_YES ? " SCROLL" : " NO SCROLL");
    buf_puts(b, c->hold ? " CURSOR WITH HOLD FOR " : " CURSOR FOR ");
    sql_print_stmt(s->explained, b);
}

void sql_print_fetch(const struct stmt *s, struct buf *b)
{
    const struct misc_stmt *m = s->misc;
    static const char *const words[] = {
        [FETCH_FORWARD] = "FORWARD",
        [FETCH_BACKWARD] = "BACKWARD",
        [FETCH_ABSOLUTE] = "ABSOLUTE",
        [FETCH_RELATIVE] = "RELATIVE",
    };

    buf_printf(b, "%s %s ", m->fetch.move ? "MOVE" : "FETCH", words[m->fetch.direction]);
    if (m->fetch.all)
        buf_puts(b, "ALL");
    else
        buf_printf(b, "%" PRId64, m->fetch.count);
    buf_puts(b, " FROM ");
    sql_print_ident(m->name.s, b);
}

static void print_named_or_all(const char *before, const struct misc_stmt *m, struct buf *b)
{
    buf_puts(b, before);
    if (m->name.s)
        sql_print_ident(m->name.s, b);
    else
        buf_puts(b, "ALL");
}

/* ---- the rest ---- */

void sql_print_lock(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "LOCK TABLE");
    sql_print_tables(s, b);
    if (s->misc->lock_mode)
        buf_printf(b, " IN %s MODE", s->misc->lock_mode);
    buf_puts(b, s->misc->nowait ? " NOWAIT" : "");
}

void sql_print_channel(const struct stmt *s, struct buf *b)
{
    const struct misc_stmt *m = s->misc;
    static const char *const words[] = {[CHANNEL_LISTEN] = "LISTEN ",
                                        [CHANNEL_UNLISTEN] = "UNLISTEN ",
                                        [CHANNEL_NOTIFY] = "NOTIFY "};

    buf_puts(b, words[m->channel]);
    if (m->name.s)
        sql_print_ident(m->name.s, b);
    else
        buf_u8(b, '*');
    if (m->payload) {
        buf_puts(b, ", ");
        sql_print_text(m->payload, b);
    }
}

void sql_print_maintain(const struct stmt *s, struct buf *b)
{
    static const char *const words[] = {
        [MAINTAIN_ANALYZE] = "ANALYZE",
        [MAINTAIN_VACUUM] = "VACUUM",
        [MAINTAIN_REINDEX] = "REINDEX TABLE",
        [MAINTAIN_CLUSTER] = "CLUSTER",
    };

    buf_puts(b, words[s->misc->maintain]);
    sql_print_tables(s, b);
}

void sql_print_execute_stmt(const struct stmt *s, struct buf *b)
{
    sql_print_execute(s->misc, b);
}

void sql_print_deallocate(const struct stmt *s, struct buf *b)
{
    print_named_or_all("DEALLOCATE ", s->misc, b);
}

void sql_print_close(const struct stmt *s, struct buf *b)
{
    print_named_or_all("CLOSE ", s->misc, b);
}

void sql_print_discard(const struct stmt *s, struct buf *b)
{
    static const char *const discards[] = {
        [DISCARD_ALL] = "DISCARD ALL",
        [DISCARD_PLANS] = "DISCARD PLANS",
        [DISCARD_SEQUENCES] = "DISCARD SEQUENCES",
        [DISCARD_TEMP] = "DISCARD TEMP",
    };

    buf_puts(b, discards[s->misc->discard]);
}
