/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart_edit.c: edits of the catalog that time partitions are made, changed and dropped by. */
#include "base/mem.h"
#include "catalog/access_edit.h"
#include "catalog/catalog.h"
#include "catalog/catalog_int.h"
#include "catalog/sequence.h"
#include "catalog/table_int.h"

#include <string.h>

/* The last catalog of several edits: the one before it goes. */
static void edit_step(struct catalog **now, struct catalog *next)
{
    catalog_unref(*now);
    *now = next;
}

static int edit_no_table(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_UNDEFINED_TABLE, "the time partition does not exist any more");
}

/* A table by id, once more, as a copy that can be changed. */
static int edit_copy(const struct catalog *c, uint64_t id, struct table **ret, struct dn_err *err)
{
    const struct table *t = catalog_table_by_id(c, id);

    return t ? table_copy(t, ret, err) : edit_no_table(err);
}

/* The copy in the place of the table with its id; the reference goes. */
static int edit_put(struct catalog **now, struct table *t, struct dn_err *err)
{
    struct catalog *next = NULL;
    int rc = catalog_with_changed_table(*now, t, false, &next, err);

    table_unref(t);
    if (rc < 0)
        return rc;
    edit_step(now, next);
    return 0;
}

/* What hung on the shard hangs on the partition now. */
static int edit_hand_over(struct catalog *n, uint64_t from, uint64_t to, struct dn_err *err)
{
    struct access *a;
    int rc = catalog_sequences_move(n, from, to, err);

    if (rc < 0 || !n->access)
        return rc;
    rc = access_copy(n->access, &a, err);
    if (rc < 0)
        return rc;
    access_move(a, from, to);
    access_unref(n->access);
    n->access = a;
    return 0;
}

int catalog_with_timepart(const struct catalog *c,
                          struct table *parent,
                          uint64_t shard,
                          struct catalog **ret,
                          struct dn_err *err)
{
    struct catalog *now = NULL;
    struct table *t;
    int rc = catalog_with_table(c, parent, &now, err);

    if (rc < 0)
        return rc;
    rc = edit_copy(now, shard, &t, err);
    if (rc < 0)
        goto out;
    t->parent = parent->id;
    rc = edit_put(&now, t, err);
    if (rc < 0)
        goto out;
    rc = edit_hand_over(now, shard, parent->id, err);
    if (rc < 0)
        goto out;
    *ret = now;
    now = NULL;
out:
    catalog_unref(now);
    return rc;
}

/* The definition of a partition as that of one of its tables. */
static int
edit_clone(const struct table *parent, const char *name, struct table **ret, struct dn_err *err)
{
    struct table *t;
    int rc = table_copy(parent, &t, err);

    if (rc < 0)
        return rc;
    timepart_free(t->timepart);
    t->timepart = NULL;
    mem_free(t->comment);
    t->comment = NULL;
    t->parent = parent->id;
    t->number = 0;
    rc = table_move(t, parent->schema, name, err);
    if (rc < 0)
        table_unref(t);
    else
        *ret = t;
    return rc;
}

int catalog_with_shard(const struct catalog *c,
                       uint64_t parent,
                       const char *name,
                       uint64_t *ret_id,
                       struct catalog **ret,
                       struct dn_err *err)
{
    const struct table *from = catalog_table_by_id(c, parent);
    struct table *t;
    int rc = from ? edit_clone(from, name, &t, err) : edit_no_table(err);

    if (rc < 0)
        return rc;
    t->version = 1;
    t->id = 0;
    rc = catalog_with_table(c, t, ret, err);
    if (rc < 0)
        goto out;
    *ret_id = t->id;
out:
    table_unref(t);
    return rc;
}

int catalog_with_parts(const struct catalog *c,
                       uint64_t parent,
                       struct timepart *p,
                       struct catalog **ret,
                       struct dn_err *err)
{
    struct table *t;
    int rc = edit_copy(c, parent, &t, err);

    if (rc < 0) {
        timepart_free(p);
        return rc;
    }
    DN_DCHECK(timepart_check(p, NULL) == 0);
    timepart_free(t->timepart);
    t->timepart = p;
    rc = catalog_with_changed_table(c, t, false, ret, err);
    table_unref(t);
    return rc;
}

int catalog_with_followers(const struct catalog *c,
                           uint64_t parent,
                           struct catalog **ret,
                           struct dn_err *err)
{
    const struct table *from = catalog_table_by_id(c, parent);
    struct catalog *now = NULL;
    int rc;

    if (!from)
        return edit_no_table(err);
    rc = catalog_copy(c, &now, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; timepart_table(from->timepart, i); i++) {
        const struct table *was = catalog_table_by_id(c, timepart_table(from->timepart, i));
        struct table *t;

        rc = was ? edit_clone(from, was->name, &t, err) : edit_no_table(err);
        if (rc < 0)
            goto out;
        t->id = was->id;
        t->number = was->number;
        t->version = was->version + 1;
        rc = edit_put(&now, t, err);
        if (rc < 0)
            goto out;
    }
    *ret = now;
    now = NULL;
out:
    catalog_unref(now);
    return rc;
}

/* Evicted tables of the partition go; takes p, its parts. */
static int
edit_drop_gone(struct catalog **now, uint64_t parent, struct timepart *p, struct dn_err *err)
{
    uint64_t *ids = mem_calloc(NULL, (size_t)p->gone_count + 1, sizeof *ids);
    uint32_t n = p->gone_count;
    struct catalog *next;
    int rc = 0;

    if (!ids) {
        timepart_free(p);
        return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < n; i++)
        ids[i] = p->gone[i].id;
    p->gone_count = 0;
    rc = catalog_with_parts(*now, parent, p, &next, err);
    if (rc < 0)
        goto out;
    edit_step(now, next);
    if (n == 0)
        goto out;
    rc = catalog_without(*now, ids, n, &next, err);
    if (rc < 0)
        goto out;
    edit_step(now, next);
out:
    mem_free(ids);
    return rc;
}

int catalog_with_shard_rows(const struct catalog *c,
                            uint64_t parent,
                            const struct timepart_rows *v,
                            size_t count,
                            struct catalog **ret,
                            struct dn_err *err)
{
    struct catalog *now = NULL;
    struct timepart *p = NULL;
    int rc = catalog_with_followers(c, parent, &now, err);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < count; i++) {
        struct catalog *next;

        rc = catalog_timepart_moved(now, parent, v[i].shard, v[i].rows, err);
        if (rc < 0)
            goto out;
        rc = catalog_with_rows_of(now, v[i].shard, v[i].rows, &next, err);
        if (rc < 0)
            goto out;
        edit_step(&now, next);
    }
    if (count > 0) {
        rc = catalog_sequences_move(now, v[0].rows, parent, err);
        if (rc < 0)
            goto out;
    }
    rc = timepart_copy(catalog_table_by_id(now, parent)->timepart, 0, &p, err);
    if (rc < 0)
        goto out;
    rc = edit_drop_gone(&now, parent, p, err);
    if (rc < 0)
        goto out;
    *ret = now;
    now = NULL;
out:
    catalog_unref(now);
    return rc;
}

/* A table of its own again: with the owner and the grants of the partition. */
static int edit_release(struct catalog **now, uint64_t id, uint64_t parent, struct dn_err *err)
{
    struct access_object from = {.kind = ACCESS_RELATION, .id = parent};
    struct access_object to = {.kind = ACCESS_RELATION, .id = id};
    const struct access *was = (*now)->access;
    struct access *a;
    struct table *t;
    int rc = edit_copy(*now, id, &t, err);

    if (rc < 0)
        return rc;
    t->parent = 0;
    rc = edit_put(now, t, err);
    if (rc < 0 || !was)
        return rc;
    was = (*now)->access;
    rc = access_copy(was, &a, err);
    if (rc < 0)
        return rc;
    rc = access_set_owner(a, &to, access_owned_by(was, &from), err);
    for (size_t i = 0; rc == 0 && i < was->grants_count; i++) {
        const struct access_grant *g = &was->grants[i];

        to.column = g->column;
        if (access_is(&from, g->kind, g->id, g->schema) && !g->revoked)
            rc = access_give(a, &to, g->grantee, g->grantor, g->privileges, g->options, err);
    }
    access_unref((*now)->access);
    (*now)->access = a;
    return rc;
}

int catalog_without_timepart(
    const struct catalog *c, uint64_t parent, bool keep, struct catalog **ret, struct dn_err *err)
{
    const struct table *from = catalog_table_by_id(c, parent);
    const struct timepart *p = from ? from->timepart : NULL;
    uint64_t gone[3 * TIMEPART_RETENTION_MAX + 4];
    struct catalog *now = NULL;
    size_t count = 0;
    int rc;

    if (!p)
        return edit_no_table(err);
    rc = catalog_copy(c, &now, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; timepart_table(p, i); i++) {
        if (!keep || i >= p->shards_count || !timepart_shard_used(&p->shards[i])) {
            gone[count++] = timepart_table(p, i);
            continue;
        }
        rc = edit_release(&now, timepart_table(p, i), parent, err);
        if (rc < 0)
            goto out;
    }
    if (keep && p->shards_count > 0) { /* the sequences stay with the newest rows */
        rc = catalog_sequences_move(now, parent, p->shards[0].id, err);
        if (rc < 0)
            goto out;
    }
    gone[count++] = parent;
    rc = catalog_without(now, gone, count, ret, err);
out:
    catalog_unref(now);
    return rc;
}

/* Identity columns of the table become plain ones: their sequence is that of another table. */
static int edit_plain(struct catalog **now, uint64_t id, struct dn_err *err)
{
    struct table *t;
    int rc = edit_copy(*now, id, &t, err);

    if (rc < 0)
        return rc;
    for (uint16_t i = 0; i < t->columns_count; i++) {
        struct column *c = &t->columns[i];

        if (!column_is_identity(c))
            continue;
        c->source = COLUMN_DEFAULT;
        mem_free(c->def_sql);
        c->def_sql = NULL;
    }
    return edit_put(now, t, err);
}

int catalog_with_timepart_undone(const struct catalog *c,
                                 uint64_t parent,
                                 struct catalog **ret,
                                 struct dn_err *err)
{
    const struct table *from = catalog_table_by_id(c, parent);
    const struct timepart *p = from ? from->timepart : NULL;
    uint64_t gone[3 * TIMEPART_RETENTION_MAX + 4];
    struct catalog *now = NULL;
    struct catalog *next;
    size_t count = 0;
    struct table *t;
    int rc;

    if (!p)
        return edit_no_table(err);
    rc = catalog_copy(c, &now, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; timepart_table(p, i); i++) {
        if (i >= p->shards_count) {
            gone[count++] = timepart_table(p, i);
            continue;
        }
        rc = edit_release(&now, timepart_table(p, i), parent, err);
        if (rc < 0)
            goto out;
        rc = edit_plain(&now, timepart_table(p, i), err);
        if (rc < 0)
            goto out;
    }
    if (count > 0) {
        rc = catalog_without(now, gone, count, &next, err);
        if (rc < 0)
            goto out;
        edit_step(&now, next);
    }
    rc = edit_copy(now, parent, &t, err);
    if (rc < 0)
        goto out;
    timepart_free(t->timepart);
    t->timepart = NULL;
    rc = edit_put(&now, t, err);
    if (rc < 0)
        goto out;
    *ret = now;
    now = NULL;
out:
    catalog_unref(now);
    return rc;
}

int catalog_timepart_moved(
    struct catalog *n, uint64_t parent, uint64_t was, uint64_t id, struct dn_err *err)
{
    for (size_t i = 0; i < n->tables_count; i++) {
        struct timepart *p;
        struct table *t;
        int rc;

        if (n->tables[i]->id != parent || !n->tables[i]->timepart)
            continue;
        rc = table_copy(n->tables[i], &t, err);
        if (rc < 0)
            return rc;
        p = t->timepart;
        for (uint32_t k = 0; k < p->shards_count; k++)
            if (p->shards[k].id == was)
                p->shards[k].id = id;
        for (uint32_t k = 0; k < p->gone_count; k++)
            if (p->gone[k].id == was)
                p->gone[k].id = id;
        if (p->next == was)
            p->next = id;
        table_unref(n->tables[i]);
        n->tables[i] = t;
    }
    return 0;
}
