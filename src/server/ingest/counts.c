/* SPDX-License-Identifier: Apache-2.0
 *
 * counts.c: see counts.h. */
#include "server/ingest/counts.h"

#include "server/ingest/ingest_int.h"

struct counts_table {
    char *schema; /* owned */
    char *table;  /* owned */
    uint64_t rows;
    uint64_t refused;
};

struct ingest_counts {
    struct mem_owner *owner; /* borrowed */
    struct sched_mutex *lock;
    struct counts_table *list; /* owned; the first has no name */
    uint32_t count;
    uint32_t cap;
    struct hidx index; /* by name */
};

struct counts_name {
    const char *schema;
    const char *table;
};

struct ingest_counts *ingest_counts_new(struct sched *sched, struct mem_owner *owner)
{
    struct ingest_counts *c = mem_calloc(owner, 1, sizeof(*c));

    if (!c)
        return NULL;
    c->owner = owner;
    hidx_init(&c->index, owner);
    c->lock = sched_mutex_new(sched, "counts");
    c->list = mem_calloc(owner, 16, sizeof(*c->list));
    c->cap = 16;
    c->count = 1;
    if (!c->lock || !c->list) {
        ingest_counts_free(c);
        return NULL;
    }
    return c;
}

void ingest_counts_free(struct ingest_counts *c)
{
    if (!c)
        return;
    for (uint32_t i = 1; c->list && i < c->count; i++) {
        mem_free(c->list[i].schema);
        mem_free(c->list[i].table);
    }
    mem_free(c->list);
    hidx_done(&c->index);
    sched_mutex_free(c->lock);
    mem_free(c);
}

static uint64_t counts_hash(const char *schema, const char *table)
{
    return dn_hash64(table, strlen(table), dn_hash64(schema, strlen(schema), 0));
}

static uint64_t counts_hash_of(const void *ctx, uint32_t id)
{
    const struct ingest_counts *c = ctx;

    return counts_hash(c->list[id].schema, c->list[id].table);
}

static bool counts_same(const void *ctx, const void *key, uint32_t id)
{
    const struct ingest_counts *c = ctx;
    const struct counts_name *name = key;

    return strcmp(c->list[id].table, name->table) == 0 &&
           strcmp(c->list[id].schema, name->schema) == 0;
}

/* A place for one more; 0, that of those without a name, if there is none. */
static uint32_t counts_new(struct ingest_counts *c, const struct counts_name *name, uint64_t hash)
{
    struct counts_table t = {.schema = NULL};

    if (c->count > INGEST_COUNTS_MAX)
        return 0;
    if (c->count == c->cap) {
        struct counts_table *grown =
            mem_realloc(c->owner, c->list, (size_t)c->cap * 2 * sizeof(*grown));

        if (!grown)
            return 0;
        c->list = grown;
        c->cap *= 2;
    }
    t.schema = mem_strdup(c->owner, name->schema);
    t.table = mem_strdup(c->owner, name->table);
    c->list[c->count] = t;
    if (!t.schema || !t.table || !hidx_add(&c->index, hash, c->count, counts_hash_of, c)) {
        mem_free(t.schema);
        mem_free(t.table);
        return 0;
    }
    return c->count++;
}

void ingest_counts_add(
    struct ingest_counts *c, const char *schema, const char *table, uint64_t rows, uint64_t refused)
{
    struct counts_name name = {.schema = schema, .table = table};
    uint32_t at = 0;

    sched_lock(c->lock);
    if (table[0]) {
        uint64_t hash = counts_hash(schema, table);

        at = hidx_find(&c->index, hash, counts_same, c, &name);
        if (at == UINT32_MAX)
            at = counts_new(c, &name, hash);
    }
    c->list[at].rows += rows;
    c->list[at].refused += refused;
    sched_unlock(c->lock);
}

void ingest_counts_wrote(struct ingest_counts *c, const struct ingest *in)
{
    for (const struct ingest_table *t = in->tables; t; t = t->next) {
        uint64_t rows = 0;

        for (const struct ingest_shape *s = in->shapes; s; s = s->next)
            rows += s->table == t ? s->rows : 0;
        if (rows && t->def)
            ingest_counts_add(c, t->def->schema, t->def->name, rows, 0);
    }
}

void ingest_counts_refused(struct ingest_counts *c, const struct ingest_table *table)
{
    bool known = table && table->def;

    ingest_counts_add(c, known ? table->def->schema : "", known ? table->def->name : "", 0, 1);
}

void ingest_counts_each(struct ingest_counts *c, ingest_counts_fn fn, void *arg)
{
    sched_lock(c->lock);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct counts_table *t = &c->list[i];

        if (t->rows || t->refused)
            fn(arg, t->schema ? t->schema : "", t->table ? t->table : "", t->rows, t->refused);
    }
    sched_unlock(c->lock);
}
