/* SPDX-License-Identifier: Apache-2.0
 *
 * counter.c: logical clocks. They stand in one document of the volume ("clocks",
 * docs/format/clocks.md), apart from the catalog: a rollout follows a counter, it is no part of it.
 */
#include "engine/timepart.h"

#include "base/json.h"
#include "volume/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNTER_DOC    "clocks"
#define COUNTER_FORMAT 1
#define COUNTER_TRIES  16
#define COUNTERS_MAX   65536u

struct counters {
    struct engine_logical *v;
    size_t count;
    uint64_t generation;
};

static int counter_bad(const char *what, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_CORRUPT, COUNTER_DOC ": %s", what);
}

static int counter_read_one(const struct dn_json *o, struct engine_logical *to, struct dn_err *err)
{
    const struct dn_json *name = dn_json_is(o, DN_JSON_OBJECT) ? dn_json_get(o, "name") : NULL;
    const struct dn_json *value = name ? dn_json_get(o, "value") : NULL;

    if (!dn_json_is(name, DN_JSON_STRING) || name->len == 0 || name->len >= COUNTER_NAME_MAX ||
        strlen(name->str) != name->len)
        return counter_bad("a name is missing or too long", err);
    if (!dn_json_is(value, DN_JSON_INT) && !dn_json_is(value, DN_JSON_NULL))
        return counter_bad("a value is no integer", err);
    memcpy(to->name, name->str, name->len + 1);
    to->set = dn_json_is(value, DN_JSON_INT);
    to->value = to->set ? value->integer : 0;
    return 0;
}

static int
counter_parse(const void *p, size_t n, struct arena *arena, struct counters *to, struct dn_err *err)
{
    const struct dn_json *root = NULL;
    const struct dn_json *format;
    const struct dn_json *list;
    int rc = dn_json_parse(arena, p, n, &root, err);

    if (rc < 0) {
        dn_err_prefix(err, COUNTER_DOC);
        return rc;
    }
    format = dn_json_is(root, DN_JSON_OBJECT) ? dn_json_get(root, "format") : NULL;
    list = format ? dn_json_get(root, "counters") : NULL;
    if (!dn_json_is(format, DN_JSON_INT))
        return counter_bad("not a document of counters", err);
    if (format->integer > COUNTER_FORMAT)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       COUNTER_DOC ": format %" PRId64 " is of a newer release of Dendro; this "
                                   "one reads up to %d",
                       format->integer,
                       COUNTER_FORMAT);
    if (!dn_json_is(list, DN_JSON_ARRAY) || list->count > COUNTERS_MAX)
        return counter_bad("no list of counters", err);
    to->v = arena_calloc(arena, list->count + 1, sizeof(*to->v));
    if (!to->v)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        rc = counter_read_one(&list->items[i], &to->v[i], err);
    to->count = list->count;
    return rc;
}

/* volume_doc_load_fn. */
static int counter_loads(void *arg DN_UNUSED, const void *p, size_t n, struct dn_err *err)
{
    struct counters again;
    struct arena arena;
    int rc;

    arena_init(&arena, NULL);
    rc = counter_parse(p, n, &arena, &again, err);
    arena_done(&arena);
    return rc;
}

/* With room for one more. */
static int
counter_load(struct dendro_db *db, struct arena *arena, struct counters *to, struct dn_err *err)
{
    struct buf doc;
    int rc;

    *to = (struct counters){.count = 0};
    buf_init(&doc, NULL);
    rc = volume_doc_read(db->volume, COUNTER_DOC, &doc, &to->generation, err);
    if (rc == DN_NOT_FOUND && engine_expects(db, CATALOG_HAS_CLOCKS)) {
        rc = engine_document_lost(COUNTER_DOC, "the counters of time partitions", err);
    } else if (rc == DN_NOT_FOUND) {
        to->v = arena_calloc(arena, 1, sizeof(*to->v));
        rc = to->v ? 0 : DN_FAIL_NOMEM(err);
    } else if (rc == 0) {
        rc = counter_parse(doc.data, doc.len, arena, to, err);
    }
    buf_done(&doc);
    return rc;
}

static int counter_save(struct dendro_db *db, const struct counters *from, struct dn_err *err)
{
    uint64_t generation;
    struct dn_json_writer w;
    struct buf doc;
    struct volume_doc save = {.name = COUNTER_DOC, .bytes = &doc, .load = counter_loads};
    int rc;

    buf_init(&doc, NULL);
    w = dn_json_writer_make(&doc);
    dn_json_begin(&w, NULL, '{');
    dn_json_put_int(&w, "format", COUNTER_FORMAT);
    dn_json_begin(&w, "counters", '[');
    for (size_t i = 0; i < from->count; i++) {
        dn_json_begin(&w, NULL, '{');
        dn_json_put_text(&w, "name", from->v[i].name, strlen(from->v[i].name));
        if (from->v[i].set)
            dn_json_put_int(&w, "value", from->v[i].value);
        else
            dn_json_put_null(&w, "value");
        dn_json_end(&w, '}');
    }
    dn_json_end(&w, ']');
    dn_json_end(&w, '}');
    buf_u8(&doc, '\n');
    rc = volume_doc_save(db->volume, &save, from->generation, &generation, err);
    buf_done(&doc);
    return rc;
}

int engine_counters_ensure(struct dendro_db *db, struct dn_err *err)
{
    struct counters all;
    struct arena arena;
    int rc;

    arena_init(&arena, NULL);
    rc = counter_load(db, &arena, &all, err);
    if (rc == 0 && all.generation == 0)
        rc = counter_save(db, &all, err);
    arena_done(&arena);
    return rc == DN_E_CONFLICT ? 0 : rc; /* another session was faster: it is there */
}

int engine_counters_verify(struct volume *v, struct dn_err *err)
{
    uint64_t generation;
    struct buf doc;
    int rc;

    buf_init(&doc, NULL);
    rc = volume_doc_read(v, COUNTER_DOC, &doc, &generation, err);
    if (rc == 0)
        rc = counter_loads(NULL, doc.data, doc.len, err);
    buf_done(&doc);
    return rc;
}

int engine_counters(struct dendro_db *db,
                    struct arena *arena,
                    struct engine_logical **ret,
                    size_t *ret_count,
                    struct dn_err *err)
{
    struct counters all;
    int rc = counter_load(db, arena, &all, err);

    if (rc < 0)
        return rc;
    *ret = all.v;
    *ret_count = all.count;
    return 0;
}

static int
counter_change(struct engine_logical *c, enum counter_what what, int64_t value, struct dn_err *err)
{
    switch (what) {
    case COUNTER_MAKE:
        break;
    case COUNTER_INCREMENT:
        if (c->set && c->value == INT64_MAX)
            return DN_FAIL(err, DN_E_OUT_OF_RANGE, "the counter is at its end");
        c->value = c->set ? c->value + 1 : 0;
        c->set = true;
        break;
    case COUNTER_SET:
        c->value = value;
        c->set = true;
        break;
    }
    return 0;
}

int engine_counter_put(struct dendro_db *db,
                       const char *name,
                       enum counter_what what,
                       int64_t value,
                       struct dn_err *err)
{
    struct counters all;
    struct arena arena;
    int rc = DN_E_CONFLICT;

    for (int i = 0; rc == DN_E_CONFLICT && i < COUNTER_TRIES; i++) {
        size_t at = 0;

        arena_init(&arena, &db->owner);
        rc = counter_load(db, &arena, &all, err);
        while (rc == 0 && at < all.count && strcmp(all.v[at].name, name) != 0)
            at++;
        if (rc == 0 && at == all.count) {
            rc = all.count >= COUNTERS_MAX
                     ? DN_FAIL(err, DN_E_TOO_COMPLEX, "there are %zu counters", all.count)
                     : 0;
            if (rc == 0) {
                snprintf(all.v[at].name, sizeof(all.v[at].name), "%s", name);
                all.count++;
            }
        }
        if (rc == 0)
            rc = counter_change(&all.v[at], what, value, err);
        if (rc == 0)
            rc = counter_save(db, &all, err);
        arena_done(&arena);
    }
    return rc;
}

static bool counter_among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

int engine_counters_drop(struct dendro_db *db,
                         const char *const *names,
                         size_t count,
                         uint64_t *ret_count,
                         struct dn_err *err)
{
    struct counters all;
    struct arena arena;
    int rc = DN_E_CONFLICT;

    for (int i = 0; rc == DN_E_CONFLICT && i < COUNTER_TRIES; i++) {
        size_t kept = 0;

        arena_init(&arena, &db->owner);
        rc = counter_load(db, &arena, &all, err);
        for (size_t k = 0; rc == 0 && k < all.count; k++)
            if (!counter_among(all.v[k].name, names, count))
                all.v[kept++] = all.v[k];
        if (rc == 0) {
            *ret_count = all.count - kept;
            all.count = kept;
        }
        if (rc == 0 && *ret_count > 0)
            rc = counter_save(db, &all, err);
        arena_done(&arena);
    }
    return rc;
}
