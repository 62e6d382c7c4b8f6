/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_dump.c: what pg_dump needs to know beside the objects themselves: which view reads what
 * (pg_rewrite, pg_depend), which keys, constraints, indexes and defaults belong to which table (so
 * that a parallel pg_restore adds them after the rows), and what makes time partitions out of their
 * tables.
 *
 * pg_dump writes the parent of a time partition, which is of kind 'p', as CREATE TABLE … PARTITION
 * BY TIME without rows, and the tables under it as tables with theirs. What they are to each other
 * can be said only when all of them are there, with rows and keys: behind everything else pg_dump
 * writes, as they are, what pg_get_triggerdef says of triggers. So each time partition has a row in
 * pg_trigger, which depends on all of that; its definition is PUT TIME PARTITION … STATE.
 * Values come in the order of the columns in pg_catalog_list.h. */
#include "system/system_int.h"

#include "catalog/table_constraint.h"

#define DUMP_FUNCTION "partition_info" /* triggers have one */

/* ---- views ---- */

/* Each view has one rule, under its own number. */
void sys_fill_rewrite(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (!it.view)
            continue;
        sys_int(w, it.oid);
        sys_text(w, "_RETURN");
        sys_int(w, it.oid);
        sys_text(w, "1");
        sys_text(w, "O");
        sys_int(w, 1);
        sys_null(w, 2);
        sys_end(w);
    }
}

static void dump_depend(struct sys_rows *w,
                        uint32_t class,
                        uint32_t oid,
                        uint32_t on_class,
                        uint32_t on,
                        int64_t column,
                        const char *type)
{
    sys_int(w, class);
    sys_int(w, oid);
    sys_int(w, 0);
    sys_int(w, on_class);
    sys_int(w, on);
    sys_int(w, column);
    sys_text(w, type);
    sys_end(w);
}

static void dump_view(struct sys_rows *w, const struct sys_item *it)
{
    dump_depend(w, SYS_OID_pg_rewrite, it->oid, SYS_OID_pg_class, it->oid, 0, "i");
    for (uint32_t i = 0; i < it->view->uses_count; i++) {
        const struct view_use *use = &it->view->uses[i];
        const struct table *t = catalog_table_by_id(w->env->catalog, use->id);
        uint32_t on = t ? sys_oid(t) : sys_table_oid(use->id);

        if (use->columns_count == 0)
            dump_depend(w, SYS_OID_pg_rewrite, it->oid, SYS_OID_pg_class, on, 0, "n");
        for (uint32_t k = 0; k < use->columns_count; k++)
            dump_depend(w, SYS_OID_pg_rewrite, it->oid, SYS_OID_pg_class, on, use->columns[k], "n");
    }
}

/* ---- tables ---- */

static void dump_constraints(struct sys_rows *w, const struct sys_item *it)
{
    for (uint32_t i = 0; w->rc == 0 && i < sys_cons_count(it->table); i++) {
        struct sys_con con;

        if (!sys_con(w, it->table, i, &con))
            continue;
        if (con.cols_count == 0)
            dump_depend(w, SYS_OID_pg_constraint, con.oid, SYS_OID_pg_class, it->oid, 0, "a");
        for (uint32_t k = 0; k < con.cols_count; k++)
            dump_depend(
                w, SYS_OID_pg_constraint, con.oid, SYS_OID_pg_class, it->oid, con.cols[k], "a");
        for (uint32_t k = 0; con.target && k < con.target_count; k++)
            dump_depend(w,
                        SYS_OID_pg_constraint,
                        con.oid,
                        SYS_OID_pg_class,
                        sys_oid(con.target),
                        con.target_cols[k],
                        "n");
    }
}

/* An index belongs to its constraint or, where there is none, to the columns of its table. */
static void dump_indexes(struct sys_rows *w, const struct sys_item *it)
{
    struct sys_index ix = {.at = 0};

    while (w->rc == 0 && sys_index_next(it->table, &ix)) {
        bool whole = true; /* no column is named */

        if (!ix.own || !table_is_index(ix.own)) {
            uint32_t con = sys_con_oid(it->table, ix.own);

            dump_depend(w, SYS_OID_pg_class, ix.oid, SYS_OID_pg_constraint, con, 0, "i");
            continue;
        }
        for (uint32_t i = 0; i < sys_index_count(&ix); i++) {
            struct sys_elem e;

            if (!sys_index_elem(&ix, i, &e) || !e.column)
                continue;
            dump_depend(w, SYS_OID_pg_class, ix.oid, SYS_OID_pg_class, it->oid, e.column->id, "a");
            whole = false;
        }
        if (whole)
            dump_depend(w, SYS_OID_pg_class, ix.oid, SYS_OID_pg_class, it->oid, 0, "a");
    }
}

/* The next text in quotes in an expression as the catalog keeps it, as a schema and a name; false:
 * there is none. Texts that are nothing of the kind come with an empty schema. */
static bool dump_quoted(const char **at, struct buf *schema, struct buf *name)
{
    const char *s = strchr(*at, '\'');
    struct buf *to = name;
    bool quoted = false;

    if (!s)
        return false;
    buf_reset(schema);
    buf_reset(name);
    for (s++; *s && (*s != '\'' || s[1] == '\''); s++) {
        if (*s == '\'')
            s++; /* twice for one */
        if (*s == '"' && (!quoted || s[1] != '"'))
            quoted = !quoted;
        else if (*s == '.' && !quoted && schema->len == 0) {
            buf_append(schema, name->data, name->len);
            buf_reset(name);
        } else {
            if (*s == '"')
                s++;
            buf_u8(to, (uint8_t)*s);
        }
    }
    buf_u8(schema, 0);
    buf_u8(name, 0);
    *at = *s ? s + 1 : s;
    return true;
}

/* A default comes behind the sequences that it names: always with their schema, as
 * engine/sequence_use.c writes them. */
static void dump_default(struct sys_rows *w, uint32_t attrdef, const struct column *c)
{
    const char *at = c->def_sql;
    struct buf schema;
    struct buf name;

    buf_init(&schema, w->arena->owner);
    buf_init(&name, w->arena->owner);
    while (w->rc == 0 && at && dump_quoted(&at, &schema, &name)) {
        struct catalog_relation r = {.table = NULL};

        if (schema.failed || name.failed)
            w->rc = DN_FAIL_NOMEM(w->err);
        else if (schema.len > 1 &&
                 catalog_relation(w->env->catalog,
                                  (const char *)schema.data,
                                  (const char *)name.data,
                                  &r,
                                  NULL) == 0 &&
                 r.sequence)
            dump_depend(w,
                        SYS_OID_pg_attrdef,
                        attrdef,
                        SYS_OID_pg_class,
                        sys_table_oid(r.sequence->id),
                        0,
                        "n");
    }
    buf_done(&schema);
    buf_done(&name);
}

static void dump_table(struct sys_rows *w, const struct sys_item *it)
{
    const struct table *t = it->table;
    struct buf def;

    dump_constraints(w, it);
    dump_indexes(w, it);
    buf_init(&def, w->arena->owner);
    for (uint16_t i = 0; w->rc == 0 && i < t->columns_count; i++)
        if (sys_default(w->env->catalog, &t->columns[i], &def)) {
            uint32_t attrdef = sys_attrdef_oid(t, &t->columns[i]);

            dump_depend(
                w, SYS_OID_pg_attrdef, attrdef, SYS_OID_pg_class, it->oid, t->columns[i].id, "a");
            dump_default(w, attrdef, &t->columns[i]);
        }
    buf_done(&def);
}

/* ---- time partitions ---- */

void sys_fill_trigger(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};
    struct sys_procs procs = {.kind = 0};
    struct sys_proc proc = {.oid = 0};

    while (sys_proc_next(&procs, &proc) && strcmp(proc.name, DUMP_FUNCTION) != 0)
        ;
    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (!it.table || !it.table->timepart)
            continue;
        sys_int(w, it.oid);
        sys_int(w, it.oid);
        sys_int(w, 0);
        sys_text(w, "time_partition");
        sys_int(w, proc.oid);
        sys_int(w, 0);
        sys_text(w, "O");
        for (int i = 0; i < 4; i++)
            sys_int(w, 0);
        sys_int(w, 0);
        sys_int(w, 0);
        sys_int(w, 0);
        sys_items(w, NULL, 0);
        sys_null(w, 4);
        sys_end(w);
    }
}

/* Behind the table, its key and constraints, and its indexes. */
static void dump_behind(struct sys_rows *w, uint32_t trigger, const struct table *t)
{
    struct sys_index ix = {.at = 0};

    dump_depend(w, SYS_OID_pg_trigger, trigger, SYS_OID_pg_class, sys_oid(t), 0, "n");
    for (uint32_t i = 0; w->rc == 0 && i < sys_cons_count(t); i++) {
        struct sys_con con;

        if (sys_con(w, t, i, &con))
            dump_depend(w, SYS_OID_pg_trigger, trigger, SYS_OID_pg_constraint, con.oid, 0, "n");
    }
    while (w->rc == 0 && sys_index_next(t, &ix))
        dump_depend(w, SYS_OID_pg_trigger, trigger, SYS_OID_pg_class, ix.oid, 0, "n");
}

static void dump_timepart(struct sys_rows *w, const struct sys_item *it)
{
    dump_behind(w, it->oid, it->table);
    for (uint32_t i = 0; w->rc == 0 && timepart_table(it->table->timepart, i); i++) {
        const struct table *t =
            catalog_table_by_id(w->env->catalog, timepart_table(it->table->timepart, i));

        if (t)
            dump_behind(w, it->oid, t);
    }
}

void sys_dump_depends(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        if (it.view)
            dump_view(w, &it);
        if (it.table)
            dump_table(w, &it);
        if (it.table && it.table->timepart)
            dump_timepart(w, &it);
    }
}

struct dump_counter {
    const char *name;
    bool set;
    int64_t value;
};

static void dump_counted(void *arg, const char *name, bool set, int64_t value)
{
    struct dump_counter *c = arg;

    if (strcmp(c->name, name) == 0) {
        c->set = set;
        c->value = value;
    }
}

int sys_answer_trigger(const struct sys_env *env,
                       const struct func_ask *ask,
                       struct buf *b,
                       struct dn_err *err)
{
    const struct func_session *s = env->session;
    char name[TIMEPART_COUNTER_MAX];
    struct dump_counter counter = {.name = name};
    struct sys_index index;
    struct sys_item it;
    struct buf state;
    int rc = 0;

    if (!sys_item_find(env, ask->oid, &it, &index) || !it.table || index.table ||
        !it.table->timepart || !sys_table_may(env, it.table))
        return DN_NOT_FOUND;
    if (ask->pretty) { /* for people */
        buf_puts(
            b, it.table->timepart->style == TIMEPART_TABLE ? "PARTITIONED BY " : "TIME PARTITION");
        timepart_print_clause(it.table->timepart, b);
        return 0;
    }
    timepart_counter_name(it.table, name);
    if (it.table->timepart->manual && s && s->counters)
        rc = s->counters(s->arg, dump_counted, &counter, err);
    if (rc < 0)
        return rc;
    buf_init(&state, NULL);
    rc = timepart_print_state(
        env->catalog, it.table, counter.set ? &counter.value : NULL, &state, err);
    if (rc < 0)
        goto out;
    buf_puts(b, "PUT TIME PARTITION ");
    sys_quote(it.schema, b);
    buf_puts(b, ".");
    sys_quote(it.name, b);
    buf_puts(b, " STATE '");
    for (size_t i = 0; i < state.len; i++) {
        if (state.data[i] == '\'')
            buf_u8(b, '\'');
        buf_u8(b, state.data[i]);
    }
    buf_puts(b, "'");
out:
    buf_done(&state);
    return rc;
}
