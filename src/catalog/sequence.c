/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.c: life of a sequence, its place in a catalog, and its text. */
#include "catalog/sequence.h"

#include "catalog/catalog.h"
#include "catalog/catalog_int.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <string.h>

struct sequence *catalog_sequence_new(const char *schema, const char *name)
{
    struct sequence *s = mem_calloc(NULL, 1, sizeof *s);

    if (!s)
        return NULL;
    atomic_init(&s->refs, 1);
    if (schema)
        s->schema = mem_strdup(NULL, schema);
    if (name)
        s->name = mem_strdup(NULL, name);
    if ((!schema || s->schema) && (!name || s->name))
        return s;
    catalog_sequence_unref(s);
    return NULL;
}

struct sequence *catalog_sequence_ref(const struct sequence *s)
{
    struct sequence *owned;

    /* References are shared by readers that hold a const one; only the counter changes. */
    memcpy(&owned, &s, sizeof owned);
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return owned;
}

void catalog_sequence_unref(struct sequence *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    mem_free(s->schema);
    mem_free(s->name);
    mem_free(s->comment);
    mem_free(s);
}

int catalog_sequence_copy(const struct sequence *s,
                          const char *schema,
                          const char *name,
                          struct sequence **ret,
                          struct dn_err *err)
{
    struct sequence *n = catalog_sequence_new(schema ? schema : s->schema, name ? name : s->name);

    if (!n)
        return DN_FAIL_NOMEM(err);
    n->id = s->id;
    n->type = s->type;
    n->start = s->start;
    n->increment = s->increment;
    n->min = s->min;
    n->max = s->max;
    n->cache = s->cache;
    n->cycle = s->cycle;
    n->counter = s->counter;
    n->first = s->first;
    n->owner_table = s->owner_table;
    n->owner_column = s->owner_column;
    n->identity = s->identity;
    n->temp = s->temp;
    if (s->comment) {
        n->comment = mem_strdup(NULL, s->comment);
        if (!n->comment) {
            catalog_sequence_unref(n);
            return DN_FAIL_NOMEM(err);
        }
    }
    *ret = n;
    return 0;
}

int64_t catalog_sequence_type_max(enum type_id type)
{
    return type == TYPE_SMALLINT ? INT16_MAX : type == TYPE_INTEGER ? INT32_MAX : INT64_MAX;
}

int64_t catalog_sequence_type_min(enum type_id type)
{
    return -catalog_sequence_type_max(type) - 1;
}

int catalog_sequence_check(const struct sequence *s, struct dn_err *err)
{
    DN_CHECK_DISK(s->name[0] != '\0', err, "name: empty");
    DN_CHECK_DISK(s->type == TYPE_SMALLINT || s->type == TYPE_INTEGER || s->type == TYPE_BIGINT,
                  err,
                  "type: a sequence cannot be of it");
    DN_CHECK_DISK(s->increment != 0, err, "increment: 0");
    DN_CHECK_DISK(s->min <= s->max && s->start >= s->min && s->start <= s->max,
                  err,
                  "start: not between min and max");
    DN_CHECK_DISK(s->min >= catalog_sequence_type_min(s->type) &&
                      s->max <= catalog_sequence_type_max(s->type),
                  err,
                  "min, max: not of the type");
    DN_CHECK_DISK((s->owner_table == 0) == (s->owner_column == 0) &&
                      (s->owner_table != 0 || !s->identity),
                  err,
                  "owner: half of it");
    return 0;
}

/* ---- look-ups ---- */

const struct sequence *catalog_sequence_by_id(const struct catalog *c, uint64_t id)
{
    for (size_t i = 0; i < c->sequences_count; i++)
        if (c->sequences[i]->id == id)
            return c->sequences[i];
    return NULL;
}

const struct sequence *
catalog_sequence_of(const struct catalog *c, uint64_t table, uint32_t column, bool identity)
{
    for (size_t i = 0; i < c->sequences_count; i++) {
        const struct sequence *s = c->sequences[i];

        if (s->owner_table == table && s->owner_column == column && (!identity || s->identity))
            return s;
    }
    return NULL;
}

/* ---- edits ---- */

static void sequence_remove(struct catalog *n, size_t at)
{
    catalog_sequence_unref(n->sequences[at]);
    n->sequences_count--;
    memmove(
        n->sequences + at, n->sequences + at + 1, (n->sequences_count - at) * sizeof *n->sequences);
}

static int sequence_cmp(const struct sequence *a, const struct sequence *b)
{
    int order = strcmp(a->schema, b->schema);

    return order ? order : strcmp(a->name, b->name);
}

int catalog_with_sequence(const struct catalog *c,
                          struct sequence *s,
                          struct catalog **ret,
                          struct dn_err *err)
{
    struct spec_name name = {.s = s->name};
    struct catalog *n;
    size_t was = 0;
    size_t at = 0;
    int rc = table_check_name("sequence", &name, err);

    if (rc < 0)
        return rc;
    if (!catalog_schema(c, s->schema, NULL))
        return DN_FAIL(err, DN_E_UNDEFINED_SCHEMA, "schema \"%s\" does not exist", s->schema);
    rc = catalog_free_but(c, s->schema, s->name, s->id, err);
    if (rc < 0)
        return rc;
    if (s->id == 0 && c->sequences_count >= CATALOG_TABLES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "the database has %zu sequences, the most is %u",
                       c->sequences_count,
                       CATALOG_TABLES_MAX);
    rc = catalog_copy(c, &n, err);
    if (rc < 0)
        return rc;
    while (was < n->sequences_count && n->sequences[was]->id != s->id)
        was++;
    if (was < n->sequences_count)
        sequence_remove(n, was);
    else
        s->id = n->table_id_next++;
    while (at < n->sequences_count && sequence_cmp(n->sequences[at], s) < 0)
        at++;
    memmove(
        n->sequences + at + 1, n->sequences + at, (n->sequences_count - at) * sizeof *n->sequences);
    n->sequences[at] = catalog_sequence_ref(s);
    n->sequences_count++;
    *ret = n;
    return 0;
}

void catalog_sequences_drop(struct catalog *n, uint64_t table, const struct table *now)
{
    for (size_t i = n->sequences_count; i > 0; i--) {
        const struct sequence *s = n->sequences[i - 1];

        if (s->owner_table == table && (!now || table_column_by_id(now, s->owner_column) < 0))
            sequence_remove(n, i - 1);
    }
}

int catalog_sequences_move(struct catalog *n, uint64_t was, uint64_t id, struct dn_err *err)
{
    for (size_t i = 0; i < n->sequences_count; i++) {
        struct sequence *s;
        int rc;

        if (n->sequences[i]->owner_table != was)
            continue;
        rc = catalog_sequence_copy(n->sequences[i], NULL, NULL, &s, err);
        if (rc < 0)
            return rc;
        s->owner_table = id;
        catalog_sequence_unref(n->sequences[i]);
        n->sequences[i] = s;
    }
    return 0;
}

void catalog_sequences_without(struct catalog *n, const uint64_t *ids, size_t count)
{
    for (size_t i = n->sequences_count; i > 0; i--)
        for (size_t k = 0; k < count; k++)
            if (n->sequences[i - 1]->id == ids[k]) {
                sequence_remove(n, i - 1);
                break;
            }
}

/* ---- text ---- */

void catalog_sequence_print_options(const struct sequence *s, enum type_id type, struct buf *b)
{
    bool up = s->increment > 0;

    if (s->type != type)
        buf_printf(b, " AS %s", type_name(s->type));
    if (s->increment != 1)
        buf_printf(b, " INCREMENT BY %" PRId64, s->increment);
    if (s->min != (up ? 1 : catalog_sequence_type_min(s->type)))
        buf_printf(b, " MINVALUE %" PRId64, s->min);
    if (s->max != (up ? catalog_sequence_type_max(s->type) : -1))
        buf_printf(b, " MAXVALUE %" PRId64, s->max);
    if (s->start != (up ? s->min : s->max))
        buf_printf(b, " START WITH %" PRId64, s->start);
    if (s->cache != 1)
        buf_printf(b, " CACHE %" PRId64, s->cache);
    if (s->cycle)
        buf_puts(b, " CYCLE");
}

static void sequence_print_name(const char *schema, const char *name, bool temp, struct buf *b)
{
    if (!temp && strcmp(schema, CATALOG_SCHEMA_DEFAULT) != 0) {
        table_print_ident(schema, b);
        buf_u8(b, '.');
    }
    table_print_ident(name, b);
}

void catalog_sequence_print_create(const struct catalog *c, const struct sequence *s, struct buf *b)
{
    const struct table *t = s->owner_table ? catalog_table_by_id(c, s->owner_table) : NULL;
    int col = t ? table_column_by_id(t, s->owner_column) : -1;

    buf_puts(b, s->temp ? "CREATE TEMP SEQUENCE " : "CREATE SEQUENCE ");
    sequence_print_name(s->schema, s->name, s->temp, b);
    catalog_sequence_print_options(s, TYPE_BIGINT, b);
    if (col >= 0) {
        buf_puts(b, " OWNED BY ");
        sequence_print_name(t->schema, t->name, t->temp != TABLE_PERMANENT, b);
        buf_u8(b, '.');
        table_print_ident(t->columns[col].name, b);
    }
    buf_puts(b, ";");
    if (!s->comment)
        return;
    buf_puts(b, "\nCOMMENT ON SEQUENCE ");
    sequence_print_name(s->schema, s->name, s->temp, b);
    buf_puts(b, " IS ");
    table_print_text(s->comment, b);
    buf_puts(b, ";");
}
