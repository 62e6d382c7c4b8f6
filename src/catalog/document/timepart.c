/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart.c: a time partition in the document. */
#include "base/number.h"
#include "catalog/document/document.h"

#include "catalog/timepart.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const style_names[TIMEPART_STYLE_MAX] = {
    [TIMEPART_VIEW] = "view",
    [TIMEPART_TABLE] = "table",
};

/* A shard that was not used yet has neither bound, which in the struct is TIMEPART_HIGH twice. */
static const struct doc_field shard_rows[] = {
    {"table", DOC_INT_AT(timepart_shard, id, 1, INT64_MAX)},
    {"number", DOC_INT_AT(timepart_shard, number, 0, UINT32_MAX)},
    {"low",
     DOC_INT_AT(timepart_shard, low, INT64_MIN + 1, INT64_MAX - 1),
     .optional = true,
     .absent = TIMEPART_HIGH,
     .nullable = true,
     .null = TIMEPART_LOW},
    {"high",
     DOC_INT_AT(timepart_shard, high, INT64_MIN + 1, INT64_MAX - 1),
     .with_last = true,
     .absent = TIMEPART_HIGH,
     .nullable = true,
     .null = TIMEPART_HIGH},
};

static const struct doc_object shard_object = {DOC_ROWS(shard_rows)};

static const struct doc_field evicted_rows[] = {
    {"table", DOC_INT_AT(timepart_gone, id, 1, INT64_MAX)},
    {"number", DOC_INT_AT(timepart_gone, number, 0, UINT32_MAX)},
    {"at", DOC_INT_AT(timepart_gone, at, INT64_MIN, INT64_MAX)},
};

static const struct doc_object evicted_object = {DOC_ROWS(evicted_rows)};

static void read_source(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct timepart *p = base;
    const char *hex = catalog_doc_text(r, "source", v, 2 * TIMEPART_SOURCE_BYTES);

    if (strlen(hex) != 2 * TIMEPART_SOURCE_BYTES || !number_hex_bytes(hex, strlen(hex), p->source))
        catalog_doc_fail(r, "source", "not 32 hexadecimal digits");
}

static void write_source(struct doc_writer *w, const char *name, const void *base)
{
    const struct timepart *p = base;
    char hex[2 * TIMEPART_SOURCE_BYTES + 1];

    for (size_t i = 0; i < TIMEPART_SOURCE_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", p->source[i]);
    dn_json_put_text(&w->json, name, hex, strlen(hex));
}

static const struct doc_field timepart_rows[] = {
    {"style", DOC_NAME_AT(timepart, style, style_names)},
    {"period", DOC_TEXT_AT(timepart, period, TIMEPART_PERIOD_MAX)},
    {"manual", DOC_BOOL_AT(timepart, manual)},
    {"months", DOC_INT_AT(timepart, months, 0, INT32_MAX)},
    {"seconds", DOC_INT_AT(timepart, seconds, 0, INT64_MAX)},
    {"retention", DOC_INT_AT(timepart, retention, 1, TIMEPART_RETENTION_MAX)},
    {"start", DOC_INT_AT(timepart, start, INT64_MIN, INT64_MAX)},
    {"rolls", DOC_INT_AT(timepart, rolls, 0, INT64_MAX)},
    {"seed", DOC_TEXT_AT(timepart, seed, TABLE_NAME_MAX)},
    {"source", DOC_OWN, .read = read_source, .write = write_source},
    {"shards",
     DOC_LIST_OF(timepart, shards, shards_count, TIMEPART_RETENTION_MAX + 1),
     .object = &shard_object,
     .spare = 1},
    {"evicted",
     DOC_LIST_OF(timepart, gone, gone_count, 2 * TIMEPART_RETENTION_MAX),
     .object = &evicted_object,
     .spare = 1},
    {"next", DOC_INT_AT(timepart, next, 1, INT64_MAX), .optional = true},
    {"next_number", DOC_INT_AT(timepart, next_number, 0, UINT32_MAX), .with_last = true},
};

const struct doc_object catalog_doc_timepart = {DOC_ROWS(timepart_rows)};

/* ---- partitions and shards ---- */

/* Does the table have the columns, key and slabs of its partition, so that one plan fits all? */
static bool same_definition(const struct table *a, const struct table *b)
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

void catalog_doc_check_timeparts(struct doc_reader *r, const struct catalog *c)
{
    for (size_t i = 0; r->rc == 0 && i < c->tables_count; i++) {
        const struct table *t = c->tables[i];
        size_t mark = catalog_doc_enter(r, "tables", i);
        const struct table *parent = t->parent ? catalog_table_by_id(c, t->parent) : NULL;
        bool found = false;

        if (t->parent && (!parent || !parent->timepart || t->timepart))
            catalog_doc_fail(r, "parent", "%" PRIu64 " is no time partition", t->parent);
        for (uint32_t k = 0; parent && parent->timepart && timepart_table(parent->timepart, k); k++)
            found = found || timepart_table(parent->timepart, k) == t->id;
        if (r->rc == 0 && t->parent && !found)
            catalog_doc_fail(r, "parent", "%" PRIu64 " does not name this table", t->parent);
        for (uint32_t k = 0; r->rc == 0 && t->timepart && timepart_table(t->timepart, k); k++) {
            const struct table *shard = catalog_table_by_id(c, timepart_table(t->timepart, k));

            if (!shard || shard->parent != t->id)
                catalog_doc_fail(r, "timepart", "a table of it is missing");
            else if (!same_definition(t, shard))
                catalog_doc_fail(r, "timepart", "\"%s\" is defined otherwise", shard->name);
        }
        catalog_doc_leave(r, mark);
    }
}
