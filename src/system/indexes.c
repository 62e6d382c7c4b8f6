/* SPDX-License-Identifier: Apache-2.0
 *
 * indexes.c: the indexes of tables: that of the key, those of UNIQUE, and those that CREATE INDEX
 * remembers; their rows in pg_class, pg_attribute, pg_index and pg_indexes. Values come in the
 * order of the columns in pg_catalog_list.h.
 *
 * Numbers: that of a key is one more than its table's; others lie above 2^31 + 2^30 and follow from
 * the table's and the constraint's, as the constraint's own does. */
#include "system/system_int.h"

#include "catalog/table_constraint.h"

#define INDEX_OIDS 0xc0000000u

bool sys_index_next(const struct table *t, struct sys_index *ix)
{
    uint64_t number = t->number ? t->number : t->id;

    while (ix->at <= t->constraints_count) {
        uint32_t i = ix->at++;
        const struct table_constraint *c = i ? &t->constraints[i - 1] : NULL;

        if (c ? !(table_is_index(c) || c->kind == TABLE_UNIQUE) : t->form == KEY_NONE)
            continue;
        ix->table = t;
        ix->own = c;
        ix->oid =
            c ? INDEX_OIDS | (uint32_t)((number * (TABLE_CONSTRAINTS_MAX + 1) + c->id) & 0x3fffffff)
              : sys_index_oid(t);
        return true;
    }
    *ix = (struct sys_index){.at = ix->at};
    return false;
}

uint32_t sys_unique_oid(const struct table *t, const struct table_constraint *own)
{
    struct sys_index ix = {.at = 0};

    while (sys_index_next(t, &ix))
        if (ix.own == own)
            return ix.oid;
    return 0;
}

bool sys_index_unique(const struct sys_index *ix)
{
    return !ix->own || ix->own->kind != TABLE_INDEX;
}

void sys_index_name(const struct sys_index *ix, struct buf *b)
{
    if (ix->own)
        buf_puts(b, ix->own->name);
    else
        sys_key_name(ix->table, b);
}

/* Where the element ends that begins there: at a comma outside of parentheses and quotes. */
static const char *index_elem_end(const char *p)
{
    int depth = 0;
    char quote = 0;

    for (; *p; p++) {
        if (quote) {
            quote = *p == quote ? '\0' : quote;
            continue;
        }
        if (*p == '\'' || *p == '"' || *p == '`')
            quote = *p;
        else if (*p == '(' || *p == '[')
            depth++;
        else if (depth == 0 && (*p == ',' || *p == ')'))
            break;
        else if (*p == ')' || *p == ']')
            depth--;
    }
    return p;
}

static const struct column *index_column(const struct table *t, const char *p, size_t len)
{
    bool quoted = len > 2 && (*p == '"' || *p == '`') && p[len - 1] == *p;
    int at = quoted ? table_column_find(t, p + 1, len - 2) : table_column_find(t, p, len);

    return at < 0 ? NULL : &t->columns[at];
}

/* Of an index that CREATE INDEX made: its text is a row of expressions. */
static bool index_elem_own(const struct sys_index *ix, uint32_t i, struct sys_elem *ret)
{
    const char *p = strchr(ix->own->text, '(');
    const char *end;

    if (!p)
        return false;
    for (p++;; p = end + 1) {
        p += strspn(p, " ");
        end = index_elem_end(p);
        if (i-- == 0)
            break;
        if (*end != ',')
            return false;
    }
    *ret = (struct sys_elem){.text = p, .len = (size_t)(end - p)};
    ret->column = index_column(ix->table, p, ret->len);
    return ret->len > 0;
}

bool sys_index_elem(const struct sys_index *ix, uint32_t i, struct sys_elem *ret)
{
    const struct table *t = ix->table;

    if (ix->own && table_is_index(ix->own))
        return index_elem_own(ix, i, ret);
    if (i >= (ix->own ? ix->own->cols_count : t->local_count))
        return false;
    *ret = (struct sys_elem){.column = &t->columns[ix->own ? ix->own->cols[i] : t->local[i].col],
                             .desc = !ix->own && t->local[i].desc};
    return true;
}

uint32_t sys_index_count(const struct sys_index *ix)
{
    struct sys_elem e;
    uint32_t n = 0;

    while (n < TABLE_COLUMNS_MAX && sys_index_elem(ix, n, &e))
        n++;
    return n;
}

static void index_elem_print(const struct sys_elem *e, struct buf *b)
{
    if (e->column) {
        sys_quote(e->column->name, b);
        return;
    }
    buf_puts(b, "(");
    buf_append(b, e->text, e->len);
    buf_puts(b, ")");
}

void sys_index_print(const struct sys_index *ix, int64_t column, struct buf *b)
{
    static const char head[] = "PRIMARY KEY ";
    struct sys_elem e;
    struct buf key;

    if (column > 0) {
        if (column <= UINT16_MAX && sys_index_elem(ix, (uint32_t)(column - 1), &e))
            index_elem_print(&e, b);
        return;
    }
    buf_init(&key, b->owner);
    sys_index_name(ix, &key);
    buf_u8(&key, 0);
    buf_puts(b, sys_index_unique(ix) ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
    if (!key.failed)
        sys_quote((const char *)key.data, b);
    buf_puts(b, " ON ");
    sys_quote(ix->table->schema, b);
    buf_puts(b, ".");
    sys_quote(ix->table->name, b);
    buf_puts(b, " USING btree ");
    buf_reset(&key);
    if (!ix->own) {
        sys_con_print(NULL, ix->table, NULL, &key);
        if (!key.failed)
            buf_append(b, key.data + sizeof(head) - 1, key.len - (sizeof(head) - 1));
    } else {
        for (uint32_t i = 0; sys_index_elem(ix, i, &e); i++) {
            buf_puts(b, i ? ", " : "(");
            index_elem_print(&e, b);
        }
        buf_puts(b, ")");
    }
    b->failed = b->failed || key.failed;
    buf_done(&key);
}

/* ---- rows ---- */

void sys_class_index(struct sys_rows *w, const struct sys_item *it, const struct sys_index *ix)
{
    const struct table *t = it->table;
    struct buf name;

    buf_init(&name, w->arena->owner);
    sys_index_name(ix, &name);
    sys_int(w, ix->oid);
    sys_buf(w, &name);
    sys_int(w, it->schema_oid);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, it->owner);
    sys_int(w, SYS_INDEX_AM);
    sys_int(w, ix->oid);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, (int64_t)sys_count(w, t));
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_int(w, 0);
    sys_text(w, t->temp != TABLE_PERMANENT ? "t" : "p");
    sys_text(w, "i");
    sys_int(w, sys_index_count(ix));
    for (int i = 0; i < 6; i++)
        sys_int(w, 0);
    sys_int(w, 1);
    sys_text(w, "n");
    for (int i = 0; i < 4; i++)
        sys_int(w, 0);
    sys_null(w, 3);
    sys_end(w);
    buf_done(&name);
}

void sys_attribute_index(struct sys_rows *w,
                         const struct sys_attr *attrs,
                         const struct sys_index *ix)
{
    struct sys_elem e;

    for (uint32_t i = 0; w->rc == 0 && sys_index_elem(ix, i, &e); i++) {
        struct sys_attr key = {.name = i ? arena_printf(w->arena, "expr%u", i) : "expr",
                               .type = TYPE_VARCHAR};

        if (e.column)
            key = attrs[e.column - ix->table->columns];
        key.not_null = false;
        key.column = NULL;
        sys_attribute_row(w, ix->oid, NULL, &key, (int32_t)i + 1);
    }
}

/* The expressions among the elements. */
static void index_exprs(struct sys_rows *w, const struct sys_index *ix)
{
    struct sys_elem e;
    struct buf b;

    buf_init(&b, w->arena->owner);
    for (uint32_t i = 0; sys_index_elem(ix, i, &e); i++) {
        if (e.column)
            continue;
        buf_puts(&b, b.len ? ", " : "");
        buf_append(&b, e.text, e.len);
    }
    if (b.len)
        sys_buf(w, &b);
    else
        sys_null(w, 1);
    buf_done(&b);
}

static void index_row(struct sys_rows *w, const struct sys_item *it, const struct sys_index *ix)
{
    int64_t v[4][TABLE_COLUMNS_MAX];
    uint32_t count = 0;
    struct sys_elem e;

    for (; count < TABLE_COLUMNS_MAX && sys_index_elem(ix, count, &e); count++) {
        const struct sys_type *type =
            e.column ? sys_type_find(sys_type_oid(e.column->type, &e.column->mods)) : NULL;

        v[0][count] = e.column ? e.column->id : 0;
        v[1][count] = type ? type->collation : 0;
        v[2][count] = 0;
        v[3][count] = e.desc ? 3 : 0;
    }
    sys_int(w, ix->oid);
    sys_int(w, it->oid);
    sys_int(w, count);
    sys_int(w, count);
    sys_int(w, sys_index_unique(ix));
    sys_int(w, 0);
    sys_int(w, !ix->own); /* indisprimary */
    sys_int(w, 0);
    sys_int(w, 1); /* indimmediate */
    sys_int(w, 0); /* indisclustered: rows lie in the order of the key for ever */
    sys_int(w, 1); /* indisvalid */
    sys_int(w, 0);
    sys_int(w, 1);
    sys_int(w, 1);
    sys_int(w, 0);
    for (int i = 0; i < 4; i++)
        sys_items(w, v[i], count);
    index_exprs(w, ix);
    sys_null(w, 1);
    sys_end(w);
}

/* Calls fn for each index of each table. */
static void
index_each(struct sys_rows *w,
           void (*fn)(struct sys_rows *w, const struct sys_item *it, const struct sys_index *ix))
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        struct sys_index ix = {.at = 0};

        while (it.table && w->rc == 0 && sys_index_next(it.table, &ix))
            fn(w, &it, &ix);
    }
}

void sys_fill_index(struct sys_rows *w)
{
    index_each(w, index_row);
}

static void indexes_row(struct sys_rows *w, const struct sys_item *it, const struct sys_index *ix)
{
    struct buf b;

    buf_init(&b, w->arena->owner);
    sys_text(w, it->schema);
    sys_text(w, it->name);
    sys_index_name(ix, &b);
    sys_buf(w, &b);
    sys_null(w, 1);
    buf_reset(&b);
    if (sys_wanted(w))
        sys_index_print(ix, 0, &b);
    sys_buf(w, &b);
    sys_end(w);
    buf_done(&b);
}

void sys_fill_indexes(struct sys_rows *w)
{
    index_each(w, indexes_row);
}
