/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.c: each function counts its rows, makes a page of NULLs, and fills it cell by cell. */
#include "catalog/describe.h"

#include "catalog/access_check.h"
#include "catalog/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A page under construction; text that could not be copied is remembered in nomem. */
struct page {
    struct arena *arena;
    struct describe *d;
    size_t row;
    bool nomem;
};

struct page_col {
    const char *name;
    enum type_id type;
};

static struct page page_begin(struct describe *d,
                              struct arena *arena,
                              const struct page_col *cols,
                              size_t cols_count,
                              size_t rows_count)
{
    struct page p = {.arena = arena, .d = d};

    memset(d, 0, sizeof *d);
    d->cols_count = cols_count;
    d->rows_count = rows_count;
    d->cells = arena_calloc(arena, rows_count * cols_count, sizeof *d->cells);
    p.nomem = !d->cells;
    for (size_t i = 0; i < cols_count; i++) {
        d->names[i] = cols[i].name;
        d->types[i] = cols[i].type;
    }
    for (size_t i = 0; !p.nomem && i < rows_count * cols_count; i++) {
        d->cells[i].type = cols[i % cols_count].type;
        d->cells[i].null = true;
    }
    return p;
}

static struct datum *page_cell(struct page *p, size_t col)
{
    DN_ASSERT(col < p->d->cols_count && p->row < p->d->rows_count);
    return &p->d->cells[p->row * p->d->cols_count + col];
}

static void page_int(struct page *p, size_t col, int64_t value)
{
    if (p->nomem)
        return;
    page_cell(p, col)->null = false;
    page_cell(p, col)->v.i64 = value;
}

static void page_bytes(struct page *p, size_t col, const char *s, size_t len)
{
    char *copy = p->nomem ? NULL : arena_strndup(p->arena, s, len);

    if (!copy) {
        p->nomem = true;
        return;
    }
    page_cell(p, col)->null = false;
    page_cell(p, col)->str.ptr = copy;
    page_cell(p, col)->str.len = (uint32_t)len;
}

static void page_text(struct page *p, size_t col, const char *s)
{
    page_bytes(p, col, s, strlen(s));
}

/* What a printer left in a buffer, which is let go of. */
static void page_buf(struct page *p, size_t col, struct buf *b)
{
    p->nomem = p->nomem || b->failed;
    if (!p->nomem)
        page_bytes(p, col, b->len ? (const char *)b->data : "", b->len);
    buf_done(b);
}

static int page_end(const struct page *p, struct dn_err *err)
{
    if (p->nomem)
        return DN_FAIL_NOMEM(err);
    DN_ASSERT(p->row == p->d->rows_count);
    return 0;
}

/* ---- DESCRIBE ---- */

/* Place in the partition key from 1, 0 = not in it. A range table is partitioned by its time. */
static int64_t describe_partition_pos(const struct table *t, int col)
{
    for (int i = 0; i < t->partition_count; i++)
        if (t->partition[i] == col)
            return i + 1;
    return col == t->time_col && (t->quantum_pos >= 0 || t->form == KEY_RANGE)
               ? t->partition_count + 1
               : 0;
}

static const struct page_col describe_cols[] = {
    {"Column", TYPE_VARCHAR},
    {"Type", TYPE_VARCHAR},
    {"Nullable", TYPE_BOOLEAN},
    {"Partition Key", TYPE_BIGINT},
    {"Local Key", TYPE_BIGINT},
    {"Interval", TYPE_BIGINT},
    {"Unit", TYPE_VARCHAR},
    {"Sort Order", TYPE_VARCHAR},
    {"Comment", TYPE_VARCHAR}, /* if there is any */
};
#define DESCRIBE_PLAIN (DN_ARRAY_SIZE(describe_cols) - 1)

static bool describe_commented(const struct table *t)
{
    for (int i = 0; i < t->columns_count; i++)
        if (t->columns[i].comment)
            return true;
    return false;
}

int describe_table(const struct catalog *cat,
                   const struct table *t,
                   struct arena *arena,
                   struct describe *ret,
                   struct dn_err *err)
{
    struct page p = page_begin(
        ret, arena, describe_cols, DESCRIBE_PLAIN + describe_commented(t), t->columns_count);

    for (int i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        struct buf type;

        page_text(&p, 0, c->name);
        buf_init(&type, NULL);
        catalog_print_type(cat, c->type, &c->mods, &type);
        page_buf(&p, 1, &type);
        page_int(&p, 2, !c->not_null);
        if (describe_partition_pos(t, i) > 0)
            page_int(&p, 3, describe_partition_pos(t, i));
        if (c->key_pos > 0) {
            page_int(&p, 4, c->key_pos);
            page_text(&p, 7, t->local[c->key_pos - 1].desc ? "DESC" : "ASC");
        }
        if (i == t->time_col && t->quantum_count > 0) {
            page_int(&p, 5, t->quantum_count);
            page_bytes(&p, 6, &t->quantum_unit, 1);
        }
        if (c->comment)
            page_text(&p, DESCRIBE_PLAIN, c->comment);
        p.row++;
    }
    return page_end(&p, err);
}

int describe_view(const struct catalog *cat,
                  const struct view *v,
                  struct arena *arena,
                  struct describe *ret,
                  struct dn_err *err)
{
    struct page p = page_begin(ret, arena, describe_cols, DESCRIBE_PLAIN, v->columns_count);

    for (uint32_t i = 0; i < v->columns_count; i++) {
        static const struct type_mods none = {.count = 0};
        struct buf type;

        page_text(&p, 0, v->columns[i].name);
        buf_init(&type, NULL);
        catalog_print_type(cat, v->columns[i].type, &none, &type);
        page_buf(&p, 1, &type);
        page_int(&p, 2, true);
        p.row++;
    }
    return page_end(&p, err);
}

/* ---- SHOW TABLE STATUS ---- */

static const char *describe_form(enum key_form form)
{
    switch (form) {
    case KEY_NONE:
        return "none: rows are kept as they come";
    case KEY_RIAK:
        return "local key repeats the partition key";
    case KEY_CQL:
        return "partition key and clustering columns";
    case KEY_RANGE:
        return "range partitioned by time";
    case KEY_FORM_MAX:
        break;
    }
    return "";
}

static void status_row(struct page *p, const char *section, int64_t index, const char *name)
{
    page_text(p, 0, section);
    if (index > 0)
        page_int(p, 1, index);
    page_text(p, 2, name);
}

static void status_text(struct page *p, const char *section, const char *name, const char *value)
{
    status_row(p, section, 0, name);
    page_text(p, 3, value);
    p->row++;
}

static void status_number(struct page *p, const char *section, const char *name, uint64_t value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    status_text(p, section, name, text);
}

static void status_table(struct page *p, const struct table *t)
{
    struct buf name;

    buf_init(&name, NULL);
    table_print_ident(t->schema, &name);
    buf_puts(&name, ".");
    table_print_ident(t->name, &name);
    status_row(p, "table", 0, "name");
    page_buf(p, 3, &name);
    p->row++;
    status_text(p, "table", "status", "active");
    status_number(p, "table", "id", t->id);
    status_number(p, "table", "version", t->version);
    status_text(p, "table", "key form", describe_form(t->form));
}

static void status_columns(struct page *p, const struct catalog *cat, const struct table *t)
{
    for (int i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        struct buf value;

        buf_init(&value, NULL);
        catalog_print_type(cat, c->type, &c->mods, &value);
        buf_puts(&value, c->not_null ? " NOT NULL" : "");
        table_print_default(cat, c, &value);
        status_row(p, "column", i + 1, c->name);
        page_buf(p, 3, &value);
        p->row++;
    }
}

static size_t status_partition_count(const struct table *t)
{
    return t->partition_count + (t->quantum_pos >= 0 || t->form == KEY_RANGE ? 1u : 0u);
}

static void status_keys(struct page *p, const struct table *t)
{
    char quantum[64];

    (void)snprintf(
        quantum, sizeof quantum, "QUANTUM %" PRId64 " %c", t->quantum_count, t->quantum_unit);
    for (size_t i = 0; i < status_partition_count(t); i++) {
        bool series = i < t->partition_count;
        int col = series ? t->partition[i] : t->time_col;

        status_row(p, "partition key", (int64_t)i + 1, t->columns[col].name);
        if (!series)
            page_text(p, 3, quantum);
        p->row++;
    }
    for (size_t i = 0; i < t->local_count; i++) {
        status_row(p, "local key", (int64_t)i + 1, t->columns[t->local[i].col].name);
        page_text(p, 3, t->local[i].desc ? "DESC" : "ASC");
        p->row++;
    }
}

/* One row of the storage section per fact; widths are the newest rule's. */
static void status_storage(struct page *p, const struct table *t)
{
    const struct slab_rule *rule = t->slabs_count ? &t->slabs[t->slabs_count - 1] : NULL;
    char text[DURATION_TEXT_MAX];

    if (rule) {
        int64_t scale = type_ts_per_second(t->columns[t->time_col].type);

        status_text(p, "storage", "time column", t->columns[t->time_col].name);
        duration_print(rule->quantum_width / scale, text);
        status_text(p, "storage", "quantum", rule->quantum_width ? text : "none");
        duration_print(rule->slab_width / scale, text);
        status_text(p, "storage", "slab", text);
    } else {
        status_text(p, "storage", "slab", "one for all rows");
    }
    status_text(p, "storage", "upsert", t->upsert == UPSERT_FIELD ? "field" : "row");
    status_number(p, "storage", "spread", t->spread);
    for (size_t i = 0; i < t->options_count; i++)
        status_text(p, "option", t->options[i].name, t->options[i].value);
}

static void status_writes(struct page *p, const struct describe_writes *w)
{
    char text[40] = "none yet";

    if (w->flush_bytes)
        (void)snprintf(text,
                       sizeof text,
                       "%.2f",
                       (double)(w->flush_bytes + w->merge_bytes) / (double)w->flush_bytes);
    status_number(p, "written", "flushed bytes", w->flush_bytes);
    status_number(p, "written", "merged bytes", w->merge_bytes);
    status_text(p, "written", "write amplification", text);
    status_number(p, "written", "range tombstones", w->ranges);
}

int describe_status(const struct catalog *cat,
                    const struct table *t,
                    const struct describe_writes *writes,
                    struct arena *arena,
                    struct describe *ret,
                    struct dn_err *err)
{
    static const struct page_col cols[] = {
        {"Section", TYPE_VARCHAR},
        {"Index", TYPE_BIGINT},
        {"Name", TYPE_VARCHAR},
        {"Value", TYPE_VARCHAR},
    };
    size_t rows = 5u + t->columns_count + status_partition_count(t) + t->local_count +
                  (t->slabs_count ? 3u : 1u) + 2u + t->options_count + (writes ? 4u : 0u);
    struct page p = page_begin(ret, arena, cols, DN_ARRAY_SIZE(cols), rows);

    status_table(&p, t);
    status_columns(&p, cat, t);
    status_keys(&p, t);
    status_storage(&p, t);
    if (writes)
        status_writes(&p, writes);
    return page_end(&p, err);
}

/* ---- the others ---- */

/* One row with a statement; ends the buffer. */
static int
describe_sql(struct buf *sql, struct arena *arena, struct describe *ret, struct dn_err *err)
{
    static const struct page_col cols[] = {{"SQL", TYPE_VARCHAR}};
    struct page p = page_begin(ret, arena, cols, DN_ARRAY_SIZE(cols), 1);

    page_buf(&p, 0, sql);
    p.row++;
    return page_end(&p, err);
}

int describe_create(const struct catalog *c,
                    const struct table *t,
                    struct arena *arena,
                    struct describe *ret,
                    struct dn_err *err)
{
    struct buf sql;

    buf_init(&sql, NULL);
    table_print_create_in(c, t, &sql);
    return describe_sql(&sql, arena, ret, err);
}

int describe_create_sequence(const struct catalog *c,
                             const struct sequence *s,
                             struct arena *arena,
                             struct describe *ret,
                             struct dn_err *err)
{
    struct buf sql;

    buf_init(&sql, NULL);
    catalog_sequence_print_create(c, s, &sql);
    return describe_sql(&sql, arena, ret, err);
}

int describe_create_view(const struct view *v,
                         struct arena *arena,
                         struct describe *ret,
                         struct dn_err *err)
{
    struct buf sql;

    buf_init(&sql, NULL);
    view_print_create(v, &sql);
    return describe_sql(&sql, arena, ret, err);
}

static bool tables_in(const char *schema, const struct catalog_path *path)
{
    return strcmp(schema, path->schema) == 0 || (path->temp && strcmp(schema, path->temp) == 0);
}

/* In those schemas, and the role may do something with it. */
static bool tables_shown(const struct catalog *c,
                         uint32_t role,
                         const struct catalog_relation *r,
                         const struct catalog_path *path)
{
    struct dn_err ignored;

    return tables_in(r->view ? r->view->schema : r->table->schema, path) &&
           catalog_may_any(c, role, r, ~0u, true, &ignored) == 0;
}

int describe_tables(const struct catalog *c,
                    uint32_t role,
                    const struct catalog_path *path,
                    struct arena *arena,
                    struct describe *ret,
                    struct dn_err *err)
{
    static const struct page_col cols[] = {{"Table", TYPE_VARCHAR}, {"Status", TYPE_VARCHAR}};
    size_t rows = 0;
    struct page p;

    for (size_t i = 0; i < c->tables_count; i++)
        rows += tables_shown(c, role, &(struct catalog_relation){.table = c->tables[i]}, path);
    for (size_t i = 0; i < c->views_count; i++)
        rows += tables_shown(c, role, &(struct catalog_relation){.view = c->views[i]}, path);
    p = page_begin(ret, arena, cols, DN_ARRAY_SIZE(cols), rows);
    for (size_t i = 0; i < c->tables_count; i++) {
        if (!tables_shown(c, role, &(struct catalog_relation){.table = c->tables[i]}, path))
            continue;
        page_text(&p, 0, c->tables[i]->name);
        page_text(&p, 1, c->tables[i]->temp == TABLE_PERMANENT ? "Active" : "Temporary");
        p.row++;
    }
    for (size_t i = 0; i < c->views_count; i++) {
        if (!tables_shown(c, role, &(struct catalog_relation){.view = c->views[i]}, path))
            continue;
        page_text(&p, 0, c->views[i]->name);
        page_text(&p, 1, c->views[i]->temp ? "Temporary view" : "View");
        p.row++;
    }
    return page_end(&p, err);
}

int describe_schemas(const struct catalog *c,
                     struct arena *arena,
                     struct describe *ret,
                     struct dn_err *err)
{
    static const struct page_col cols[] = {{"Schema", TYPE_VARCHAR}, {"Replication", TYPE_VARCHAR}};
    size_t rows = 0;
    struct page p;

    for (size_t i = 0; i < c->schemas_count; i++)
        rows += !c->schemas[i].temp;
    p = page_begin(ret, arena, cols, DN_ARRAY_SIZE(cols), rows);
    for (size_t i = 0; i < c->schemas_count; i++) {
        if (c->schemas[i].temp)
            continue;
        page_text(&p, 0, c->schemas[i].name);
        if (c->schemas[i].replication[0])
            page_text(&p, 1, c->schemas[i].replication);
        p.row++;
    }
    return page_end(&p, err);
}

int describe_settings(const struct describe_setting *rows,
                      size_t count,
                      struct arena *arena,
                      struct describe *ret,
                      struct dn_err *err)
{
    static const struct page_col cols[] = {
        {"Name", TYPE_VARCHAR}, {"Value", TYPE_VARCHAR}, {"Description", TYPE_VARCHAR}};
    struct page p = page_begin(ret, arena, cols, DN_ARRAY_SIZE(cols), count);

    for (size_t i = 0; i < count; i++) {
        page_text(&p, 0, rows[i].name);
        page_text(&p, 1, rows[i].value);
        page_text(&p, 2, rows[i].doc);
        p.row++;
    }
    return page_end(&p, err);
}
