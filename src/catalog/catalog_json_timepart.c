/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_timepart.c: time partitions to JSON and back. */
#include "catalog/catalog_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const json_styles[TIMEPART_STYLE_MAX] = {
    [TIMEPART_VIEW] = "view",
    [TIMEPART_TABLE] = "table",
};

/* A bound of a shard: a number, or null when it has none on that side. */
static int64_t
json_bound(struct json_reader *r, const struct dn_json *o, const char *name, int64_t none)
{
    if (r->rc == 0 && dn_json_is(dn_json_get(o, name), DN_JSON_NULL))
        return none;
    return catalog_json_int(r, o, name, INT64_MIN + 1, INT64_MAX - 1);
}

static void json_read_shards(struct json_reader *r, const struct dn_json *v, struct timepart *p)
{
    static const char *const members[] = {"table", "number", "low", "high"};
    const struct dn_json *list =
        catalog_json_array(r, v, "shards", (size_t)TIMEPART_RETENTION_MAX + 1);
    size_t count = list ? list->count : 0;

    p->shards = catalog_json_calloc(r, count + 1, sizeof *p->shards);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *o = &list->items[i];
        size_t mark = catalog_json_enter(r, "shards", i);
        struct timepart_shard *s = &p->shards[p->shards_count++];

        catalog_json_members(r, o, members, DN_ARRAY_SIZE(members), 2);
        s->id = (uint64_t)catalog_json_int(r, o, "table", 1, INT64_MAX);
        s->number = (uint32_t)catalog_json_int(r, o, "number", 0, UINT32_MAX);
        if (r->rc == 0 && dn_json_get(o, "low")) {
            s->low = json_bound(r, o, "low", TIMEPART_LOW);
            s->high = json_bound(r, o, "high", TIMEPART_HIGH);
        } else {
            s->low = s->high = TIMEPART_HIGH;
        }
        catalog_json_leave(r, mark);
    }
}

static void json_read_gone(struct json_reader *r, const struct dn_json *v, struct timepart *p)
{
    static const char *const members[] = {"table", "number", "at"};
    const struct dn_json *list =
        catalog_json_array(r, v, "evicted", 2 * (size_t)TIMEPART_RETENTION_MAX);
    size_t count = list ? list->count : 0;

    p->gone = catalog_json_calloc(r, count + 1, sizeof *p->gone);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *o = &list->items[i];
        size_t mark = catalog_json_enter(r, "evicted", i);
        struct timepart_gone *g = &p->gone[p->gone_count++];

        catalog_json_members(r, o, members, DN_ARRAY_SIZE(members), 0);
        g->id = (uint64_t)catalog_json_int(r, o, "table", 1, INT64_MAX);
        g->number = (uint32_t)catalog_json_int(r, o, "number", 0, UINT32_MAX);
        g->at = catalog_json_int(r, o, "at", INT64_MIN, INT64_MAX);
        catalog_json_leave(r, mark);
    }
}

static void json_read_source(struct json_reader *r, const struct dn_json *v, struct timepart *p)
{
    const char *hex = catalog_json_text(r, v, "source", 2 * TIMEPART_SOURCE_BYTES);

    for (unsigned i = 0; r->rc == 0 && i < TIMEPART_SOURCE_BYTES; i++) {
        unsigned byte = 0;

        if (strspn(hex + 2 * (size_t)i, "0123456789abcdef") < 2 ||
            sscanf(hex + 2 * (size_t)i, "%2x", &byte) != 1)
            catalog_json_fail(r, "source", "not 32 hexadecimal digits");
        else
            p->source[i] = (uint8_t)byte;
    }
}

static void json_read_one(struct json_reader *r, const struct dn_json *v, struct timepart **ret)
{
    static const char *const members[] = {"style",
                                          "period",
                                          "manual",
                                          "months",
                                          "seconds",
                                          "retention",
                                          "start",
                                          "rolls",
                                          "seed",
                                          "source",
                                          "shards",
                                          "evicted",
                                          "next",
                                          "next_number"};
    size_t mark = catalog_json_enter(r, "timepart", CATALOG_NO_INDEX);
    struct timepart *p = catalog_json_calloc(r, 1, sizeof *p);
    const char *style;

    if (!p)
        return;
    *ret = p;
    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 2);
    style = catalog_json_text(r, v, "style", TABLE_NAME_MAX);
    p->style = strcmp(style, json_styles[TIMEPART_TABLE]) == 0 ? TIMEPART_TABLE : TIMEPART_VIEW;
    if (r->rc == 0 && strcmp(style, json_styles[p->style]) != 0)
        catalog_json_fail(r, "style", "neither view nor table");
    p->period = catalog_json_strdup(r, catalog_json_text(r, v, "period", TIMEPART_PERIOD_MAX));
    p->manual = catalog_json_bool(r, v, "manual");
    p->months = catalog_json_int(r, v, "months", 0, INT32_MAX);
    p->seconds = catalog_json_int(r, v, "seconds", 0, INT64_MAX);
    p->retention = (uint32_t)catalog_json_int(r, v, "retention", 1, TIMEPART_RETENTION_MAX);
    p->start = catalog_json_int(r, v, "start", INT64_MIN, INT64_MAX);
    p->rolls = (uint64_t)catalog_json_int(r, v, "rolls", 0, INT64_MAX);
    p->seed = catalog_json_strdup(r, catalog_json_text(r, v, "seed", TABLE_NAME_MAX));
    json_read_source(r, v, p);
    json_read_shards(r, v, p);
    json_read_gone(r, v, p);
    if (r->rc == 0 && dn_json_get(v, "next")) {
        p->next = (uint64_t)catalog_json_int(r, v, "next", 1, INT64_MAX);
        p->next_number = (uint32_t)catalog_json_int(r, v, "next_number", 0, UINT32_MAX);
    }
    catalog_json_leave(r, mark);
}

void catalog_json_read_timepart(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    if (r->rc == 0 && dn_json_get(v, "timepart"))
        json_read_one(r, dn_json_get(v, "timepart"), &t->timepart);
    if (r->rc == 0 && dn_json_get(v, "parent"))
        t->parent = (uint64_t)catalog_json_int(r, v, "parent", 1, INT64_MAX);
}

static void json_write_bound(struct dn_json_writer *w, const char *name, int64_t v, int64_t none)
{
    if (v == none)
        dn_json_put_null(w, name);
    else
        dn_json_put_int(w, name, v);
}

static void json_write_one(const struct timepart *p, struct dn_json_writer *w)
{
    char hex[2 * TIMEPART_SOURCE_BYTES + 1];

    for (unsigned i = 0; i < TIMEPART_SOURCE_BYTES; i++)
        snprintf(hex + 2 * (size_t)i, 3, "%02x", p->source[i]);
    dn_json_begin(w, "timepart", '{');
    dn_json_put_text(w, "style", json_styles[p->style], strlen(json_styles[p->style]));
    dn_json_put_text(w, "period", p->period, strlen(p->period));
    dn_json_put_bool(w, "manual", p->manual);
    dn_json_put_int(w, "months", p->months);
    dn_json_put_int(w, "seconds", p->seconds);
    dn_json_put_int(w, "retention", p->retention);
    dn_json_put_int(w, "start", p->start);
    dn_json_put_int(w, "rolls", (int64_t)p->rolls);
    dn_json_put_text(w, "seed", p->seed, strlen(p->seed));
    dn_json_put_text(w, "source", hex, strlen(hex));
    dn_json_begin(w, "shards", '[');
    for (uint32_t i = 0; i < p->shards_count; i++) {
        const struct timepart_shard *s = &p->shards[i];

        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "table", (int64_t)s->id);
        dn_json_put_int(w, "number", s->number);
        if (timepart_shard_used(s)) {
            json_write_bound(w, "low", s->low, TIMEPART_LOW);
            json_write_bound(w, "high", s->high, TIMEPART_HIGH);
        }
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    dn_json_begin(w, "evicted", '[');
    for (uint32_t i = 0; i < p->gone_count; i++) {
        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "table", (int64_t)p->gone[i].id);
        dn_json_put_int(w, "number", p->gone[i].number);
        dn_json_put_int(w, "at", p->gone[i].at);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    if (p->next) {
        dn_json_put_int(w, "next", (int64_t)p->next);
        dn_json_put_int(w, "next_number", p->next_number);
    }
    dn_json_end(w, '}');
}

void catalog_json_write_timepart(const struct table *t, struct dn_json_writer *w)
{
    if (t->timepart)
        json_write_one(t->timepart, w);
    if (t->parent)
        dn_json_put_int(w, "parent", (int64_t)t->parent);
}

/* Does the table have the columns, key and slabs of its partition, so that one plan fits all? */
static bool json_same_definition(const struct table *a, const struct table *b)
{
    bool same = a->columns_count == b->columns_count && a->form == b->form &&
                a->local_count == b->local_count && a->partition_count == b->partition_count &&
                a->by_value == b->by_value && a->time_col == b->time_col && a->upsert == b->upsert;

    for (uint16_t i = 0; same && i < a->columns_count; i++)
        same = a->columns[i].id == b->columns[i].id && a->columns[i].type == b->columns[i].type &&
               strcmp(a->columns[i].name, b->columns[i].name) == 0;
    for (uint16_t i = 0; same && i < a->local_count; i++)
        same = a->local[i].col == b->local[i].col && a->local[i].desc == b->local[i].desc;
    return same;
}

void catalog_json_check_timeparts(struct json_reader *r, const struct catalog *c)
{
    for (size_t i = 0; r->rc == 0 && i < c->tables_count; i++) {
        const struct table *t = c->tables[i];
        size_t mark = catalog_json_enter(r, "tables", i);
        const struct table *parent = t->parent ? catalog_table_by_id(c, t->parent) : NULL;
        bool found = false;

        if (t->parent && (!parent || !parent->timepart || t->timepart))
            catalog_json_fail(r, "parent", "%" PRIu64 " is no time partition", t->parent);
        for (uint32_t k = 0; parent && parent->timepart && timepart_table(parent->timepart, k); k++)
            found = found || timepart_table(parent->timepart, k) == t->id;
        if (r->rc == 0 && t->parent && !found)
            catalog_json_fail(r, "parent", "%" PRIu64 " does not name this table", t->parent);
        for (uint32_t k = 0; r->rc == 0 && t->timepart && timepart_table(t->timepart, k); k++) {
            const struct table *shard = catalog_table_by_id(c, timepart_table(t->timepart, k));

            if (!shard || shard->parent != t->id)
                catalog_json_fail(r, "timepart", "a table of it is missing");
            else if (!json_same_definition(t, shard))
                catalog_json_fail(r, "timepart", "\"%s\" is defined otherwise", shard->name);
        }
        catalog_json_leave(r, mark);
    }
}
