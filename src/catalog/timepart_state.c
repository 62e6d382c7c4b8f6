/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart_state.c: a time partition as one text, for dumps: what its tables are called, what the
 * catalog says of it with numbers from 1 on in the place of their ids, and its counter. */
#include "base/arena.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/document/document.h"
#include "catalog/table_int.h"

#include <inttypes.h>

/* Calls fn with each id of the partition; 0 is none. */
static void state_ids(struct timepart *p, void (*fn)(void *arg, uint64_t *id), void *arg)
{
    for (uint32_t i = 0; i < p->shards_count; i++)
        fn(arg, &p->shards[i].id);
    if (p->next)
        fn(arg, &p->next);
    for (uint32_t i = 0; i < p->gone_count; i++)
        fn(arg, &p->gone[i].id);
}

static void state_number(void *arg, uint64_t *id)
{
    uint64_t *last = arg;

    *id = ++*last;
}

/* ---- the text: a JSON document ---- */

struct state_table {
    char *schema;
    char *name;
};

struct state {
    struct state_table *tables; /* all of the partition, in the order of their numbers */
    uint32_t tables_count;
    struct timepart *parts; /* with numbers in the place of ids */
    bool counted;
    int64_t counter;
};

static const struct doc_field table_rows[] = {
    {"schema", DOC_TEXT_AT(state_table, schema, TABLE_NAME_MAX)},
    {"name", DOC_TEXT_AT(state_table, name, TABLE_NAME_MAX)},
};

static const struct doc_object table_object = {DOC_ROWS(table_rows)};

static void read_counter(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct state *s = base;

    s->counted = true;
    s->counter = catalog_doc_int(r, "counter", v, INT64_MIN, INT64_MAX);
}

static bool has_counter(const struct doc_writer *w, const void *base)
{
    const struct state *s = base;

    (void)w;
    return s->counted;
}

static void write_counter(struct doc_writer *w, const char *name, const void *base)
{
    const struct state *s = base;

    dn_json_put_int(&w->json, name, s->counter);
}

static const struct doc_field state_rows[] = {
    {"tables",
     DOC_LIST_OF(state, tables, tables_count, 4 * TIMEPART_RETENTION_MAX),
     .object = &table_object},
    {"timepart",
     DOC_HEAP,
     DOC_AT(state, parts),
     .element = sizeof(struct timepart),
     .object = &catalog_doc_timepart},
    {"counter",
     DOC_OWN,
     .optional = true,
     .there = has_counter,
     .read = read_counter,
     .write = write_counter},
};

static const struct doc_object state_object = {DOC_ROWS(state_rows)};

static void state_done(struct state *s)
{
    for (uint32_t i = 0; i < s->tables_count; i++) {
        mem_free(s->tables[i].schema);
        mem_free(s->tables[i].name);
    }
    mem_free(s->tables);
    timepart_free(s->parts);
}

int timepart_print_state(const struct catalog *c,
                         const struct table *t,
                         const int64_t *counter,
                         struct buf *b,
                         struct dn_err *err)
{
    struct doc_writer w = {.json = dn_json_writer_make(b)};
    struct state s = {.counted = counter != NULL, .counter = counter ? *counter : 0};
    uint64_t last = 0;
    uint32_t count = 0;
    int rc;

    rc = timepart_copy(t->timepart, 0, &s.parts, err);
    if (rc < 0)
        return rc;
    state_ids(s.parts, state_number, &last);
    while (timepart_table(t->timepart, count))
        count++;
    s.tables = mem_calloc(NULL, count, sizeof *s.tables);
    if (!s.tables) {
        rc = DN_FAIL_NOMEM(err);
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct table *of = catalog_table_by_id(c, timepart_table(t->timepart, i));

        s.tables_count = i + 1;
        s.tables[i].schema = mem_strdup(NULL, of ? of->schema : "");
        s.tables[i].name = mem_strdup(NULL, of ? of->name : "");
        if (!s.tables[i].schema || !s.tables[i].name) {
            rc = DN_FAIL_NOMEM(err);
            goto out;
        }
    }
    catalog_doc_write(&w, &state_object, NULL, &s);
    if (b->failed)
        rc = DN_FAIL_NOMEM(err);
out:
    state_done(&s);
    return rc;
}

/* ---- and back ---- */

struct state_tables {
    struct doc_reader *r;
    const struct catalog *c;
    const struct state *s;
};

/* The id of the table with this number. */
static void state_table(void *arg, uint64_t *id)
{
    struct state_tables *all = arg;
    struct catalog_relation rel = {.table = NULL};
    const struct state_table *t;

    if (all->r->rc < 0)
        return;
    if (*id > all->s->tables_count) {
        catalog_doc_fail(all->r, "tables", "there are only %" PRIu32, all->s->tables_count);
        return;
    }
    t = &all->s->tables[*id - 1];
    if (catalog_relation(all->c, t->schema, t->name, &rel, NULL) < 0 || !rel.table)
        all->r->rc = DN_FAIL(all->r->err,
                             DN_E_UNDEFINED_TABLE,
                             "table \"%.255s.%.255s\" of the time partition does not exist",
                             t->schema,
                             t->name);
    else
        *id = rel.table->id;
}

int timepart_read_state(const struct catalog *c,
                        const char *text,
                        size_t len,
                        struct timepart_state *ret,
                        struct dn_err *err)
{
    struct doc_reader r = {.err = err};
    struct state s = {.counted = false};
    struct state_tables tables = {.r = &r, .c = c, .s = &s};
    const struct dn_json *root = NULL;
    struct arena arena;

    arena_init(&arena, NULL);
    r.rc = dn_json_parse(&arena, text, len, &root, err);
    if (r.rc < 0)
        goto out;
    catalog_doc_read(&r, &state_object, root, &s);
    if (r.rc < 0)
        goto out;
    state_ids(s.parts, state_table, &tables);
    if (r.rc < 0)
        goto out;
    r.rc = timepart_check(s.parts, err);
    if (r.rc < 0)
        goto out;
    *ret = (struct timepart_state){.parts = s.parts, .counted = s.counted, .counter = s.counter};
    s.parts = NULL;
out:
    arena_done(&arena);
    state_done(&s);
    if (r.rc == DN_E_CORRUPT)
        r.rc = DN_FAIL(err, DN_E_INVALID_PARAM, "STATE is not that of a time partition");
    return r.rc;
}

int catalog_with_timepart_state(const struct catalog *c,
                                uint64_t parent,
                                struct timepart *p,
                                struct catalog **ret,
                                struct dn_err *err)
{
    struct catalog *now = NULL;
    int rc;

    rc = catalog_with_parts(c, parent, p, &now, err); /* takes p */
    if (rc < 0)
        return rc;
    rc = catalog_with_followers(now, parent, ret, err);
    catalog_unref(now);
    return rc;
}
