/* SPDX-License-Identifier: Apache-2.0
 *
 * like.c: CREATE TABLE … (LIKE other INCLUDING …): the columns of another table, and what else of
 * its definition the clause asks for. */
#include "engine/create_as.h"
#include "engine/sequence_ddl.h"

struct like {
    struct dendro_stmt *stmt;
    const struct table *from;
    const struct like_def *def;
    struct table_spec *spec;
    struct ddl_serials *serials; /* sequences to be made */
};

static struct spec_name like_name(const struct like *l, uint16_t col)
{
    return (struct spec_name){.s = l->from->columns[col].name, .pos = l->def->table.pos};
}

/* The other table's columns before number at of the spec's. */
static int like_columns(const struct like *l, size_t at, struct dn_err *err)
{
    struct table_spec *s = l->spec;
    size_t n = l->from->columns_count;
    struct column_spec *cols = arena_calloc(&l->stmt->run, s->columns_count + n + 1, sizeof(*cols));

    if (!cols)
        return DN_FAIL_NOMEM(err);
    if (at > 0)
        memcpy(cols, s->columns, at * sizeof(*cols));
    if (s->columns_count > at)
        memcpy(cols + at + n, s->columns + at, (s->columns_count - at) * sizeof(*cols));
    for (uint16_t i = 0; i < n; i++) {
        const struct column *c = &l->from->columns[i];

        cols[at + i] = (struct column_spec){
            .name = like_name(l, i), .type = c->type, .mods = c->mods, .not_null = c->not_null};
        if (column_is_identity(c)) {
            int rc = l->def->including & LIKE_IDENTITY
                         ? ddl_serial_like(l->serials, &cols[at + i], l->from, i, err)
                         : 0;

            if (rc < 0)
                return rc;
            continue;
        }
        if (c->source == COLUMN_STORED && (l->def->including & LIKE_GENERATED)) {
            cols[at + i].def_sql = c->def_sql;
            cols[at + i].source = COLUMN_STORED;
        }
        if (c->source == COLUMN_STORED || !(l->def->including & LIKE_DEFAULTS))
            continue;
        cols[at + i].has_default = c->has_default;
        cols[at + i].def = c->def;
        cols[at + i].def_sql = c->def_sql;
    }
    s->columns = cols;
    s->columns_count += n;
    return 0;
}

/* Its key, as the key's form writes it. */
static int like_key(const struct like *l, struct dn_err *err)
{
    const struct table *t = l->from;
    struct table_spec *s = l->spec;
    struct key_elem_spec *elems = arena_calloc(
        &l->stmt->run, (size_t)t->partition_count + t->local_count + 2, sizeof(*elems));
    struct key_elem_spec *local = elems ? elems + t->partition_count + 1 : NULL;
    uint16_t skip = t->form == KEY_CQL ? t->partition_count : 0;
    const struct key_part *parts = t->local + skip;
    uint16_t parts_count = (uint16_t)(t->local_count - skip);

    if (!elems)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->partition_count; i++)
        elems[i].name = like_name(l, t->partition[i]);
    if (t->quantum_pos >= 0)
        elems[t->partition_count] =
            (struct key_elem_spec){.name = like_name(l, (uint16_t)t->time_col),
                                   .is_quantum = true,
                                   .count = t->quantum_count,
                                   .unit = t->quantum_unit == 'd'   ? "d"
                                           : t->quantum_unit == 'h' ? "h"
                                           : t->quantum_unit == 'm' ? "m"
                                                                    : "s"};
    for (uint16_t i = 0; i < parts_count; i++)
        local[i] = (struct key_elem_spec){.name = like_name(l, parts[i].col),
                                          .desc = parts[i].desc,
                                          .order_given = parts[i].desc};
    s->has_key = true;
    s->keys_count = 1;
    s->has_inner = t->form != KEY_RANGE;
    s->partition = elems;
    s->partition_count =
        t->form == KEY_RANGE ? 0 : t->partition_count + (t->quantum_pos >= 0 ? 1u : 0u);
    s->local = local;
    s->local_count = parts_count;
    return 0;
}

static int like_options(const struct like *l, struct dn_err *err)
{
    const struct table *t = l->from;
    struct option_spec *options =
        arena_calloc(&l->stmt->run, (size_t)t->options_count + 1, sizeof(*options));

    if (!options)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->options_count; i++)
        options[i] = (struct option_spec){.name = {.s = t->options[i].name},
                                          .value = t->options[i].value,
                                          .quoted = t->options[i].quoted};
    l->spec->options = options;
    l->spec->options_count = t->options_count;
    return 0;
}

/* CHECK with INCLUDING CONSTRAINTS, what stands for an index with INCLUDING INDEXES. */
static int like_constraints(const struct like *l, size_t at, struct dn_err *err)
{
    const struct table *t = l->from;
    struct table_spec *s = l->spec;
    struct constraint_spec *list =
        arena_calloc(&l->stmt->run, s->constraints_count + t->constraints_count + 1, sizeof(*list));
    size_t n = s->constraints_count;

    if (!list)
        return DN_FAIL_NOMEM(err);
    if (n > 0)
        memcpy(list, s->constraints, n * sizeof(*list));
    for (uint16_t i = 0; i < t->constraints_count; i++) {
        const struct table_constraint *c = &t->constraints[i];
        uint32_t needs = c->kind == TABLE_CHECK ? LIKE_CONSTRAINTS : LIKE_INDEXES;
        uint16_t *cols = arena_alloc_array(&l->stmt->run, c->cols_count + 1u, sizeof(*cols));

        if (!cols)
            return DN_FAIL_NOMEM(err);
        for (uint16_t k = 0; k < c->cols_count; k++)
            cols[k] = (uint16_t)(c->cols[k] + at);
        if (!(l->def->including & needs) || c->kind == TABLE_FOREIGN)
            continue;
        list[n++] = (struct constraint_spec){.kind = c->kind,
                                             .name = {.s = c->kind == TABLE_CHECK ? c->name : NULL},
                                             .cols = cols,
                                             .cols_count = c->cols_count,
                                             .text = c->text};
    }
    s->constraints = list;
    s->constraints_count = n;
    return 0;
}

static int
like_one(const struct like *l, const struct table_spec *own, size_t at, struct dn_err *err)
{
    int rc = like_columns(l, at, err);

    if (rc == 0 && (l->def->including & LIKE_INDEXES) && l->from->form != KEY_NONE) {
        if (l->spec->has_key || own->has_key) {
            rc = DN_FAIL(err,
                         DN_E_BAD_TABLE,
                         "multiple primary keys for table \"%s\" are not allowed",
                         own->name.s);
            dn_err_at(err, l->def->table.pos);
        } else {
            rc = like_key(l, err);
        }
        if (rc == 0 && own->options_count == 0)
            rc = like_options(l, err);
    }
    return rc < 0 ? rc : like_constraints(l, at, err);
}

int ddl_like(struct dendro_stmt *stmt,
             const struct catalog *cur,
             struct table_spec *spec,
             struct ddl_serials *serials,
             struct dn_err *err)
{
    const struct table_def *def = stmt->ast->table_def;
    struct table_spec own = *spec;
    size_t added = 0;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < def->likes_count; i++) {
        struct like l = {.stmt = stmt, .def = &def->likes[i], .spec = spec, .serials = serials};
        size_t at = def->likes[i].before_col + added;

        l.from = session_table(stmt->conn, cur, &def->likes[i].table, err);
        rc = l.from ? like_one(&l, &own, at, err) : err->code;
        added += l.from ? l.from->columns_count : 0;
    }
    return rc;
}
