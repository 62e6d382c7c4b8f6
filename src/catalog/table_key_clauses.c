/* SPDX-License-Identifier: Apache-2.0
 *
 * table_key_clauses.c: the two clauses that speak about the key from outside: EventQL's
 * PARTITION KEY (a) and CQL's CLUSTERING ORDER BY (…). */
#include "catalog/table_key_int.h"

/* PARTITION KEY (a) restates that the table is range partitioned by its first column. */
int table_key_check_partition_clause(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    uint16_t col = 0;
    int rc;

    if (!spec->partition_key)
        return 0;
    if (spec->has_inner)
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "PARTITION KEY does not go with inner parentheses in the PRIMARY KEY, which "
                     "are the partition key already");
    else if (spec->partition_key_count != 1)
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "PARTITION KEY must name exactly one column, not %zu",
                     spec->partition_key_count);
    else {
        rc = table_key_resolve(k, &spec->partition_key[0], "PARTITION KEY", &col);
        if (rc < 0)
            return rc;
        if (col != k->local[0])
            rc = DN_FAIL(k->b->err,
                         DN_E_KEY_RULE,
                         "PARTITION KEY names \"%s\", but the primary key begins with \"%s\"",
                         key_name(k, col),
                         key_name(k, k->local[0]));
        else if (!type_is_timestamp(key_type(k, col))) {
            rc = DN_FAIL(k->b->err,
                         DN_E_DATATYPE_MISMATCH,
                         "PARTITION KEY needs a TIMESTAMP column, but \"%s\" is %s",
                         key_name(k, col),
                         type_name(key_type(k, col)));
            dn_err_hint(k->b->err,
                        "without PARTITION KEY the first column of the primary key is hashed");
        }
        dn_err_at(k->b->err, rc < 0 ? spec->partition_key[0].pos : 0);
    }
    return rc < 0 ? table_at(rc, k->b->err, spec->partition_key_pos) : 0;
}

/* ---- CLUSTERING ORDER BY ---- */

static int key_check_clustering(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    struct dn_err *err = k->b->err;
    int rc;

    if (k->b->t->form == KEY_RIAK) {
        rc = DN_FAIL(err,
                     DN_E_KEY_RULE,
                     "CLUSTERING ORDER BY does not go with a local key that repeats the "
                     "partition key");
        dn_err_hint(err, "write ASC or DESC after the columns of the local key");
        return table_at(rc, err, spec->clustering_pos);
    }
    for (size_t i = 0; i < k->local_count; i++)
        if (k->elems && k->elems[i].order_given)
            return table_at(DN_FAIL(err,
                                    DN_E_KEY_RULE,
                                    "the order is given twice: by %s after \"%s\" in the primary "
                                    "key, and by CLUSTERING ORDER BY",
                                    k->elems[i].desc ? "DESC" : "ASC",
                                    key_name(k, k->local[i])),
                            err,
                            spec->clustering_pos);
    return 0;
}

static int key_wrong_clustering(const struct key *k, size_t at, uint16_t col, size_t first)
{
    const struct key_elem_spec *e = &k->b->spec->clustering[at];
    const uint16_t *cols = k->local + first;
    size_t count = k->local_count - first;
    struct table_names names = {0};
    int rc;

    for (size_t i = 0; i < count; i++)
        table_names_add(&names, key_name(k, cols[i]));
    if (!key_has(cols, count, col)) {
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "CLUSTERING ORDER BY names \"%s\", which is no clustering column",
                     key_name(k, col));
        if (count)
            dn_err_hint(k->b->err, "the clustering columns are %.240s", names.text);
        else
            dn_err_hint(k->b->err, "the key has no clustering columns");
        return table_at(rc, k->b->err, e->pos);
    }
    if (key_has(cols, at, col))
        return table_at(DN_FAIL(k->b->err,
                                DN_E_DUPLICATE_COLUMN,
                                "CLUSTERING ORDER BY names \"%s\" twice",
                                key_name(k, col)),
                        k->b->err,
                        e->pos);
    rc = DN_FAIL(k->b->err,
                 DN_E_KEY_RULE,
                 "CLUSTERING ORDER BY must follow the key: \"%s\" stands where \"%s\" belongs",
                 key_name(k, col),
                 key_name(k, cols[at]));
    dn_err_hint(k->b->err, "the clustering columns are %.240s, in this order", names.text);
    return table_at(rc, k->b->err, e->pos);
}

/* The clause names the clustering columns from the first on; those it leaves out are ascending.
 * In a range table it may begin with the time column or, as CQL sees the key, after it. */
int table_key_apply_clustering(const struct key *k)
{
    const struct table_spec *spec = k->b->spec;
    struct table *t = k->b->t;
    size_t first = spec->has_inner ? 0 : 1;
    size_t shift;
    uint16_t col = 0;
    int rc;

    if (spec->clustering_count == 0)
        return 0;
    rc = key_check_clustering(k);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < spec->clustering_count; i++) {
        const struct key_elem_spec *e = &spec->clustering[i];

        rc = table_key_resolve(k, &e->name, "CLUSTERING ORDER BY", &col);
        if (rc < 0)
            return rc;
        if (i == 0 && t->form == KEY_RANGE && col == k->local[0])
            first = 0;
        if (first + i >= k->local_count || k->local[first + i] != col)
            return key_wrong_clustering(k, i, col, first);
        /* The written list is the tail of the local key. */
        shift = t->local_count - k->local_count;
        t->local[shift + first + i].desc = e->desc;
    }
    t->clustering_clause = true;
    return 0;
}

/* Arrays are no keys: no range tombstone has their bytes, and they may be long. */
int table_key_check_types(const struct key *k)
{
    int rc;

    for (size_t i = 0; i < k->local_count; i++) {
        enum type_id type = key_type(k, k->local[i]);

        if (!type_is_array(type))
            continue;
        rc = DN_FAIL(k->b->err,
                     DN_E_KEY_RULE,
                     "key column \"%s\" cannot be of type %s",
                     key_name(k, k->local[i]),
                     type_name(type));
        dn_err_hint(k->b->err,
                    "Keys are numbers, dates and times, intervals, texts, bytes and UUIDs.");
        return table_at(rc, k->b->err, k->elems ? k->elems[i].pos : 0);
    }
    return 0;
}
