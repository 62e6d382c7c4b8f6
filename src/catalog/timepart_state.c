/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart_state.c: a time partition as one text, for dumps: what its tables are called, what the
 * catalog says of it with numbers from 1 on in the place of their ids, and its counter. */
#include "base/arena.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/catalog_json.h"
#include "catalog/table_int.h"

#include <string.h>

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

int timepart_print_state(const struct catalog *c,
                         const struct table *t,
                         const int64_t *counter,
                         struct buf *b,
                         struct dn_err *err)
{
    struct dn_json_writer w = dn_json_writer_make(b);
    struct table numbered = {.timepart = NULL};
    uint64_t last = 0;
    int rc = timepart_copy(t->timepart, 0, &numbered.timepart, err);

    if (rc < 0)
        return rc;
    state_ids(numbered.timepart, state_number, &last);
    dn_json_begin(&w, NULL, '{');
    dn_json_begin(&w, "tables", '[');
    for (uint32_t i = 0; timepart_table(t->timepart, i); i++) {
        const struct table *of = catalog_table_by_id(c, timepart_table(t->timepart, i));

        dn_json_begin(&w, NULL, '{');
        dn_json_put_text(&w, "schema", of ? of->schema : "", of ? strlen(of->schema) : 0);
        dn_json_put_text(&w, "name", of ? of->name : "", of ? strlen(of->name) : 0);
        dn_json_end(&w, '}');
    }
    dn_json_end(&w, ']');
    catalog_json_write_timepart(&numbered, &w);
    if (counter)
        dn_json_put_int(&w, "counter", *counter);
    dn_json_end(&w, '}');
    timepart_free(numbered.timepart);
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}

/* ---- and back ---- */

struct state_tables {
    struct json_reader *r;
    const struct catalog *c;
    const struct dn_json *list;
};

static void state_table(void *arg, uint64_t *id)
{
    static const char *const members[] = {"schema", "name"};
    struct state_tables *s = arg;
    struct catalog_relation rel = {.table = NULL};
    const char *schema, *name;
    size_t mark;

    if (s->r->rc < 0)
        return;
    if (*id > s->list->count) {
        catalog_json_fail(s->r, "tables", "there are only %zu", s->list->count);
        return;
    }
    mark = catalog_json_enter(s->r, "tables", (size_t)*id - 1);
    catalog_json_members(s->r, &s->list->items[*id - 1], members, DN_ARRAY_SIZE(members), 0);
    schema = catalog_json_text(s->r, &s->list->items[*id - 1], "schema", TABLE_NAME_MAX);
    name = catalog_json_text(s->r, &s->list->items[*id - 1], "name", TABLE_NAME_MAX);
    catalog_json_leave(s->r, mark);
    if (s->r->rc < 0)
        return;
    if (catalog_relation(s->c, schema, name, &rel, NULL) < 0 || !rel.table)
        s->r->rc = DN_FAIL(s->r->err,
                           DN_E_UNDEFINED_TABLE,
                           "table \"%.255s.%.255s\" of the time partition does not exist",
                           schema,
                           name);
    else
        *id = rel.table->id;
}

int timepart_read_state(const struct catalog *c,
                        const char *text,
                        size_t len,
                        struct timepart_state *ret,
                        struct dn_err *err)
{
    static const char *const members[] = {"tables", "timepart", "counter"};
    struct table numbered = {.timepart = NULL};
    struct json_reader r = {.err = err};
    struct state_tables tables = {.r = &r, .c = c};
    struct timepart_state state = {.counted = false};
    const struct dn_json *root = NULL;
    struct arena arena;

    arena_init(&arena, NULL);
    r.rc = dn_json_parse(&arena, text, len, &root, err);
    if (r.rc == 0) {
        catalog_json_members(&r, root, members, DN_ARRAY_SIZE(members), 1);
        tables.list = catalog_json_array(&r, root, "tables", 4 * (size_t)TIMEPART_RETENTION_MAX);
        catalog_json_read_timepart(&r, root, &numbered);
        state.counted = r.rc == 0 && dn_json_get(root, "counter");
        if (state.counted)
            state.counter = catalog_json_int(&r, root, "counter", INT64_MIN, INT64_MAX);
        if (r.rc == 0)
            state_ids(numbered.timepart, state_table, &tables);
        if (r.rc == 0)
            r.rc = timepart_check(numbered.timepart, err);
    }
    arena_done(&arena);
    if (r.rc == DN_E_CORRUPT)
        r.rc = DN_FAIL(err, DN_E_INVALID_PARAM, "STATE is not that of a time partition");
    if (r.rc < 0) {
        timepart_free(numbered.timepart);
        return r.rc;
    }
    state.parts = numbered.timepart;
    *ret = state;
    return 0;
}

int catalog_with_timepart_state(const struct catalog *c,
                                uint64_t parent,
                                struct timepart *p,
                                struct catalog **ret,
                                struct dn_err *err)
{
    struct catalog *now = NULL, *next = NULL;
    int rc = catalog_with_parts(c, parent, p, &now, err); /* takes p */

    if (rc == 0)
        rc = catalog_with_followers(now, parent, &next, err);
    catalog_unref(now);
    if (rc == 0)
        *ret = next;
    return rc;
}
