/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_sequence.c: rows of sequences, and which columns they go with. Values come in the order of
 * the columns in relations_*.c. */
#include "system/system_int.h"

#include <inttypes.h>

/* Calls fn for each sequence. */
static void sequence_each(struct sys_rows *w,
                          void (*fn)(struct sys_rows *w, const struct sys_item *it))
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it))
        if (it.sequence)
            fn(w, &it);
}

static void sequence_row(struct sys_rows *w, const struct sys_item *it)
{
    const struct sequence *s = it->sequence;

    sys_int(w, it->oid);
    sys_int(w, sys_type_oid(s->type, NULL));
    sys_int(w, s->start);
    sys_int(w, s->increment);
    sys_int(w, s->max);
    sys_int(w, s->min);
    sys_int(w, s->cache);
    sys_int(w, s->cycle);
    sys_end(w);
}

void sys_fill_sequence(struct sys_rows *w)
{
    sequence_each(w, sequence_row);
}

/* The last value that was given out; NULL: none was, or it is not to be seen. */
static void sequence_last(struct sys_rows *w, const struct sequence *s)
{
    const struct func_session *session = w->env->session;
    struct func_sequence call = {.op = FUNC_SEQUENCE_CALLED, .count = 1};
    struct dn_err why = {0};
    int64_t called = 0;
    int64_t value = 0;
    struct buf name;
    int rc = 0;

    if (!sys_wanted(w) || !session || !session->sequence) {
        sys_null(w, 1);
        return;
    }
    buf_init(&name, w->arena->owner);
    table_print_ident(s->schema, &name);
    buf_u8(&name, '.');
    table_print_ident(s->name, &name);
    call.name = (const char *)name.data;
    call.name_len = (uint32_t)name.len;
    if (name.failed)
        w->rc = DN_FAIL_NOMEM(w->err);
    else
        rc = session->sequence(session->arg, &call, &called, &why);
    if (rc == 0 && called && !name.failed) {
        call.op = FUNC_SEQUENCE_STATE;
        rc = session->sequence(session->arg, &call, &value, &why);
    }
    if (rc == 0 && called && w->rc == 0)
        sys_int(w, value);
    else
        sys_null(w, 1);
    buf_done(&name);
}

static void sequences_row(struct sys_rows *w, const struct sys_item *it)
{
    const struct sequence *s = it->sequence;
    uint32_t type = sys_type_oid(s->type, NULL);
    struct buf name;

    buf_init(&name, w->arena->owner);
    sys_type_print(w->env, type, -1, &name);
    buf_u8(&name, 0);
    sys_text(w, it->schema);
    sys_text(w, it->name);
    sys_text(w, access_role_name(w->env->catalog->access, it->owner));
    sys_reg(w, type, name.failed ? "" : (const char *)name.data);
    sys_int(w, s->start);
    sys_int(w, s->min);
    sys_int(w, s->max);
    sys_int(w, s->increment);
    sys_int(w, s->cycle);
    sys_int(w, s->cache);
    sequence_last(w, s);
    sys_end(w);
    buf_done(&name);
}

void sys_fill_sequences(struct sys_rows *w)
{
    sequence_each(w, sequences_row);
}

static void sequence_number(struct sys_rows *w, int64_t v)
{
    struct buf b;

    buf_init(&b, w->arena->owner);
    buf_printf(&b, "%" PRId64, v);
    sys_buf(w, &b);
    buf_done(&b);
}

/* Those of identity columns belong to the column: information_schema does not show them. */
static void sequence_info(struct sys_rows *w, const struct sys_item *it)
{
    const struct sequence *s = it->sequence;
    struct buf name;

    if (s->identity || !sys_item_may(w->env, it))
        return;
    buf_init(&name, w->arena->owner);
    sys_type_print(w->env, sys_type_oid(s->type, NULL), -1, &name);
    sys_text(w, w->env->session ? w->env->session->database : "dendro");
    sys_text(w, it->schema);
    sys_text(w, it->name);
    sys_buf(w, &name);
    sys_int(w, s->type == TYPE_SMALLINT ? 16 : s->type == TYPE_INTEGER ? 32 : 64);
    sys_int(w, 2);
    sys_int(w, 0);
    sequence_number(w, s->start);
    sequence_number(w, s->min);
    sequence_number(w, s->max);
    sequence_number(w, s->increment);
    sys_text(w, s->cycle ? "YES" : "NO");
    sys_end(w);
    buf_done(&name);
}

void sys_fill_i_sequences(struct sys_rows *w)
{
    sequence_each(w, sequence_info);
}

static void sequence_depend(struct sys_rows *w, const struct sys_item *it)
{
    const struct sequence *s = it->sequence;
    const struct table *t =
        s->owner_table ? catalog_table_by_id(w->env->catalog, s->owner_table) : NULL;

    if (!t)
        return;
    sys_int(w, SYS_OID_pg_class);
    sys_int(w, it->oid);
    sys_int(w, 0);
    sys_int(w, SYS_OID_pg_class);
    sys_int(w, sys_oid(t));
    sys_int(w, s->owner_column);
    sys_text(w, s->identity ? "i" : "a");
    sys_end(w);
}

/* Of what depends on other things: sequences that go with a column, views, time partitions. */
void sys_fill_depend(struct sys_rows *w)
{
    sequence_each(w, sequence_depend);
    sys_dump_depends(w);
}
