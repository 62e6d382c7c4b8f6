/* SPDX-License-Identifier: Apache-2.0
 *
 * config.c: see config.h. There are some dozens of entries at most: lists are searched. */
#include "catalog/config.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>

#define CONFIG_MAX 4096u /* entries */

struct config {
    atomic_uint refs;
    struct config_entry *entries; /* owned */
    size_t count;
    size_t cap;
};

int config_new(struct config **ret, struct dn_err *err)
{
    struct config *c = mem_calloc(NULL, 1, sizeof(*c));

    if (!c)
        return DN_FAIL_NOMEM(err);
    atomic_init(&c->refs, 1);
    *ret = c;
    return 0;
}

struct config *config_ref(struct config *c)
{
    if (c)
        atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

static void config_entry_free(struct config_entry *e)
{
    mem_free(e->value);
    mem_free(e->where);
}

void config_unref(struct config *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < c->count; i++)
        config_entry_free(&c->entries[i]);
    mem_free(c->entries);
    mem_free(c);
}

static char *config_copy(const char *s)
{
    size_t len = strlen(s) + 1;
    char *to = mem_alloc(NULL, len);

    if (to)
        memcpy(to, s, len);
    return to;
}

/* The entry of a row and source, or a new one. */
static struct config_entry *
config_place(struct config *c, const struct setting_row *row, enum config_source source)
{
    struct config_entry *more;
    size_t cap;

    for (size_t i = 0; i < c->count; i++)
        if (c->entries[i].row == row && c->entries[i].source == source)
            return &c->entries[i];
    if (c->count == c->cap) {
        cap = c->cap ? 2 * c->cap : 16;
        more = cap > CONFIG_MAX ? NULL : mem_calloc(NULL, cap, sizeof(*more));
        if (!more)
            return NULL;
        if (c->count > 0)
            memcpy(more, c->entries, c->count * sizeof(*more));
        mem_free(c->entries);
        c->entries = more;
        c->cap = cap;
    }
    c->entries[c->count] = (struct config_entry){.row = row, .source = source};
    return &c->entries[c->count++];
}

/* value is as SHOW has it. */
static int config_take(struct config *c,
                       const struct setting_row *row,
                       const char *value,
                       const struct config_from *from,
                       struct dn_err *err)
{
    struct config_entry next = {.row = row,
                                .value = config_copy(value),
                                .source = from->source,
                                .where = config_copy(from->where ? from->where : ""),
                                .line = from->line};
    struct config_entry *e = next.value && next.where ? config_place(c, row, from->source) : NULL;

    if (!e) {
        config_entry_free(&next);
        return DN_FAIL_NOMEM(err);
    }
    config_entry_free(e);
    *e = next;
    return 0;
}

/* Those of a session or transaction alone, and facts. */
static bool config_never(const struct setting_row *row)
{
    static const char *const own[] = {"role",
                                      "session_authorization",
                                      "transaction_deferrable",
                                      "transaction_isolation",
                                      "transaction_read_only"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(own); i++)
        if (strcmp(row->name, own[i]) == 0)
            return true;
    return row->scope == SETTING_FIXED;
}

/* A value is one line of text: the line of a file that says it ends where the value's line does. */
static int config_one_line(const struct setting_row *row, const char *value, struct dn_err *err)
{
    for (const char *s = value; *s; s++)
        if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7f)
            return DN_FAIL(err,
                           DN_E_INVALID_PARAM,
                           "the value of parameter \"%s\" has the control character 0x%02x; a "
                           "value is one line of text",
                           row->name,
                           (unsigned)*s);
    return 0;
}

int config_put(struct config *c,
               const char *name,
               const char *value,
               const struct config_from *from,
               struct dn_err *err)
{
    const struct setting_row *row = settings_find(name, err);
    struct settings tried;
    struct buf b;
    int rc;

    if (!row)
        return DN_E_UNDEFINED_OBJECT;
    if (config_never(row))
        return DN_FAIL(err, DN_E_CANT_CHANGE, "parameter \"%s\" cannot be changed", row->name);
    rc = config_one_line(row, value, err);
    if (rc < 0)
        return rc;
    buf_init(&b, NULL);
    if (row->known) {
        rc = settings_canonical(row, value, &b, err);
        if (rc < 0)
            goto out;
    } else {
        settings_defaults(&tried);
        rc = settings_set(&tried, row->name, value, SETTING_DATABASE, err);
        if (rc < 0)
            goto out;
        settings_show(&tried, row, &b);
    }
    buf_u8(&b, '\0');
    rc = b.failed ? DN_FAIL_NOMEM(err) : config_take(c, row, (const char *)b.data, from, err);
out:
    buf_done(&b);
    return rc;
}

void config_drop(struct config *c, const struct setting_row *row, enum config_source source)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++) {
        if (c->entries[i].source == source && (!row || c->entries[i].row == row))
            config_entry_free(&c->entries[i]);
        else
            c->entries[kept++] = c->entries[i];
    }
    c->count = kept;
}

int config_add(struct config *c, const struct config *other, struct dn_err *err)
{
    int rc = 0;

    for (size_t i = 0; other && rc == 0 && i < other->count; i++) {
        const struct config_entry *e = &other->entries[i];
        struct config_from from = {.source = e->source, .where = e->where, .line = e->line};

        rc = config_take(c, e->row, e->value, &from, err);
    }
    return rc;
}

const struct config_entry *config_get(const struct config *c, const struct setting_row *row)
{
    const struct config_entry *best = NULL;

    for (size_t i = 0; c && i < c->count; i++)
        if (c->entries[i].row == row && (!best || c->entries[i].source > best->source))
            best = &c->entries[i];
    return best;
}

const struct config_entry *config_at(const struct config *c, size_t i)
{
    return c && i < c->count ? &c->entries[i] : NULL;
}

int config_value(const struct config *c,
                 const struct setting_row *row,
                 struct buf *b,
                 struct dn_err *err)
{
    const struct config_entry *e = config_get(c, row);
    struct settings first;
    int rc = 0;

    if (e) {
        buf_puts(b, e->value);
    } else if (row->known) {
        rc = settings_canonical(row, row->def_text, b, err);
    } else {
        settings_defaults(&first);
        settings_show(&first, row, b);
    }
    buf_u8(b, '\0');
    return rc < 0 ? rc : b->failed ? DN_FAIL_NOMEM(err) : 0;
}

bool config_same(const struct config *a, const struct config *b, const struct setting_row *row)
{
    const struct config_entry *x = config_get(a, row);
    const struct config_entry *y = config_get(b, row);
    struct buf first;
    struct dn_err ignored;
    bool same;

    if (!x && !y)
        return true;
    if (x && y)
        return strcmp(x->value, y->value) == 0;
    buf_init(&first, NULL);
    same = config_value(NULL, row, &first, &ignored) == 0 &&
           strcmp((const char *)first.data, x ? x->value : y->value) == 0;
    buf_done(&first);
    return same;
}
