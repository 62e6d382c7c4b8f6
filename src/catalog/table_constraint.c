/* SPDX-License-Identifier: Apache-2.0
 *
 * table_constraint.c: constraints beside the key: CHECK, which the engine enforces, and UNIQUE and
 * REFERENCES, which are information. Names are PostgreSQL's where none is given: t_a_check,
 * t_check, t_check1, t_a_b_key, t_a_fkey. */
#include "catalog/table_constraint.h"
#include "catalog/table_int.h"

#include <stdio.h>
#include <string.h>

static const char *const constraint_suffixes[TABLE_CONSTRAINT_MAX] = {
    [TABLE_CHECK] = "check",
    [TABLE_UNIQUE] = "key",
    [TABLE_FOREIGN] = "fkey",
    [TABLE_INDEX] = "idx",
    [TABLE_UNIQUE_INDEX] = "idx",
};

void table_free_constraint(struct table_constraint *c)
{
    mem_free(c->name);
    mem_free(c->text);
    mem_free(c->cols);
    mem_free(c->comment);
    *c = (struct table_constraint){.name = NULL};
}

const struct table_constraint *table_constraint_find(const struct table *t, const char *name)
{
    for (uint16_t i = 0; i < t->constraints_count; i++)
        if (strcmp(t->constraints[i].name, name) == 0)
            return &t->constraints[i];
    return NULL;
}

bool table_is_key_name(const struct table *t, const char *name)
{
    char key[TABLE_NAME_MAX + 8];

    (void)snprintf(key, sizeof key, "%s_pkey", t->name);
    return t->form != KEY_NONE && strcmp(key, name) == 0;
}

static bool constraint_taken(const struct table *t, const char *name)
{
    return table_is_key_name(t, name) || table_constraint_find(t, name);
}

/* The table's name, the columns', the kind; cut in the middle when it gets too long, then with a
 * number that makes it unique. */
static void
constraint_choose(const struct table *t, const struct constraint_spec *spec, char *to, size_t size)
{
    char stem[TABLE_NAME_MAX + 1];
    const char *suffix = constraint_suffixes[spec->kind];
    uint16_t named = spec->kind == TABLE_CHECK && spec->cols_count != 1 ? 0 : spec->cols_count;
    size_t room = TABLE_NAME_MAX - strlen(suffix) - 8;
    int len = snprintf(stem, sizeof stem, "%.*s", (int)room, t->name);

    for (uint16_t i = 0; i < named && len >= 0 && (size_t)len < room; i++)
        len += snprintf(stem + len,
                        sizeof stem - (size_t)len,
                        "_%.*s",
                        (int)(room - (size_t)len),
                        t->columns[spec->cols[i]].name);
    (void)snprintf(to, size, "%.*s_%s", (int)room, stem, suffix);
    for (unsigned i = 1; constraint_taken(t, to); i++)
        (void)snprintf(to, size, "%.*s_%s%u", (int)room, stem, suffix, i);
}

static int constraint_fill(const struct constraint_spec *spec,
                           const char *name,
                           struct table_constraint *to,
                           struct dn_err *err)
{
    to->kind = spec->kind;
    to->not_valid = spec->not_valid;
    to->name = mem_strdup(NULL, name);
    to->text = mem_strdup(NULL, spec->text);
    to->cols = mem_calloc(NULL, spec->cols_count, sizeof *to->cols);
    to->comment = spec->comment ? mem_strdup(NULL, spec->comment) : NULL;
    if (!to->name || !to->text || !to->cols || (spec->comment && !to->comment))
        return DN_FAIL_NOMEM(err);
    if (spec->cols_count)
        memcpy(to->cols, spec->cols, spec->cols_count * sizeof *to->cols);
    to->cols_count = spec->cols_count;
    return 0;
}

static int
constraint_check_new(const struct table *t, const struct spec_name *name, struct dn_err *err)
{
    int rc = table_check_name("constraint", name, err);

    if (rc < 0)
        return rc;
    if (constraint_taken(t, name->s))
        return table_at(DN_FAIL(err,
                                DN_E_DUPLICATE_OBJECT,
                                "constraint \"%s\" for relation \"%s\" already exists",
                                name->s,
                                t->name),
                        err,
                        name->pos);
    return 0;
}

/* One more than all others have; if there is none, the first that is free. */
static uint16_t constraint_id(const struct table *t)
{
    bool used[TABLE_CONSTRAINTS_MAX + 1] = {false};
    uint16_t last = 0;
    uint16_t id = 1;

    for (uint16_t i = 0; i < t->constraints_count; i++) {
        used[t->constraints[i].id] = true;
        last = t->constraints[i].id > last ? t->constraints[i].id : last;
    }
    if (last < TABLE_CONSTRAINTS_MAX)
        return (uint16_t)(last + 1);
    while (used[id])
        id++;
    return id;
}

int table_add_constraint(struct table *t, const struct constraint_spec *spec, struct dn_err *err)
{
    char chosen[TABLE_NAME_MAX + 16];
    struct table_constraint *grown;
    int rc;

    if (t->constraints_count >= TABLE_CONSTRAINTS_MAX)
        return table_at(DN_FAIL(err,
                                DN_E_TOO_COMPLEX,
                                "table \"%s\" has %u constraints, and can have no more",
                                t->name,
                                TABLE_CONSTRAINTS_MAX),
                        err,
                        spec->pos);
    if (strlen(spec->text) > TABLE_SQL_MAX)
        return table_at(
            DN_FAIL(
                err, DN_E_TOO_LONG, "the constraint's text is longer than %u bytes", TABLE_SQL_MAX),
            err,
            spec->pos);
    if (spec->name.s) {
        rc = constraint_check_new(t, &spec->name, err);
        if (rc < 0)
            return rc;
    }
    grown = mem_realloc(
        NULL, t->constraints, (size_t)(t->constraints_count + 1) * sizeof *t->constraints);
    if (!grown)
        return DN_FAIL_NOMEM(err);
    t->constraints = grown;
    if (!spec->name.s)
        constraint_choose(t, spec, chosen, sizeof chosen);
    grown[t->constraints_count] = (struct table_constraint){.id = constraint_id(t)};
    t->constraints_count++;
    return constraint_fill(
        spec, spec->name.s ? spec->name.s : chosen, &grown[t->constraints_count - 1], err);
}

int table_copy_constraints(const struct table *from, struct table *to, struct dn_err *err)
{
    to->constraints = mem_calloc(NULL, from->constraints_count, sizeof *to->constraints);
    if (!to->constraints)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < from->constraints_count; i++) {
        const struct table_constraint *c = &from->constraints[i];
        struct constraint_spec spec = {.kind = c->kind,
                                       .cols = c->cols,
                                       .cols_count = c->cols_count,
                                       .text = c->text,
                                       .not_valid = c->not_valid,
                                       .comment = c->comment};
        int rc = constraint_fill(&spec, c->name, &to->constraints[to->constraints_count++], err);

        to->constraints[i].id = c->id;

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int constraint_find(const struct table *t,
                           const struct spec_name *name,
                           uint16_t *ret,
                           struct dn_err *err)
{
    const struct table_constraint *c = table_constraint_find(t, name->s);

    if (c && !table_is_index(c)) {
        *ret = (uint16_t)(c - t->constraints);
        return 0;
    }
    if (table_is_key_name(t, name->s))
        return table_at(DN_FAIL(err,
                                DN_E_UNSUPPORTED,
                                "constraint \"%s\" is the primary key of table \"%s\", which says "
                                "where its rows lie",
                                name->s,
                                t->name),
                        err,
                        name->pos);
    return table_at(DN_FAIL(err,
                            DN_E_UNDEFINED_OBJECT,
                            "constraint \"%s\" of relation \"%s\" does not exist",
                            name->s,
                            t->name),
                    err,
                    name->pos);
}

static void constraint_remove(struct table *t, uint16_t i)
{
    table_free_constraint(&t->constraints[i]);
    t->constraints_count--;
    memmove(&t->constraints[i],
            &t->constraints[i + 1],
            (size_t)(t->constraints_count - i) * sizeof *t->constraints);
}

void table_drop_index(struct table *t, const struct table_constraint *index)
{
    constraint_remove(t, (uint16_t)(index - t->constraints));
}

int table_drop_constraint(struct table *t, const struct spec_name *name, struct dn_err *err)
{
    uint16_t i;
    int rc = constraint_find(t, name, &i, err);

    if (rc < 0)
        return rc;
    constraint_remove(t, i);
    return 0;
}

int table_validate_constraint(struct table *t, const struct spec_name *name, struct dn_err *err)
{
    uint16_t i;
    int rc = constraint_find(t, name, &i, err);

    if (rc < 0)
        return rc;
    if (t->constraints[i].kind == TABLE_UNIQUE)
        return table_at(
            DN_FAIL(err,
                    DN_E_WRONG_OBJECT,
                    "constraint \"%s\" of relation \"%s\" is not a foreign key or check "
                    "constraint",
                    t->constraints[i].name,
                    t->name),
            err,
            name->pos);
    t->constraints[i].not_valid = false;
    return 0;
}

static int
constraint_rename(struct table *t, uint16_t i, const struct spec_name *to, struct dn_err *err)
{
    char *fresh;
    int rc = constraint_check_new(t, to, err);

    if (rc < 0)
        return rc;
    fresh = mem_strdup(NULL, to->s);
    if (!fresh)
        return DN_FAIL_NOMEM(err);
    mem_free(t->constraints[i].name);
    t->constraints[i].name = fresh;
    return 0;
}

int table_rename_constraint(struct table *t,
                            const struct spec_name *name,
                            const struct spec_name *to,
                            struct dn_err *err)
{
    uint16_t i;
    int rc = constraint_find(t, name, &i, err);

    return rc < 0 ? rc : constraint_rename(t, i, to, err);
}

int table_rename_index(struct table *t,
                       const struct table_constraint *index,
                       const struct spec_name *to,
                       struct dn_err *err)
{
    return constraint_rename(t, (uint16_t)(index - t->constraints), to, err);
}

int table_set_constraint_text(struct table *t, uint16_t i, const char *text, struct dn_err *err)
{
    char *fresh = mem_strdup(NULL, text);

    if (!fresh)
        return DN_FAIL_NOMEM(err);
    mem_free(t->constraints[i].text);
    t->constraints[i].text = fresh;
    return 0;
}

/* A column goes, and with it the constraints that name it. */
void table_constraints_without(struct table *t, uint16_t col)
{
    for (uint16_t i = t->constraints_count; i > 0; i--) {
        struct table_constraint *c = &t->constraints[i - 1];
        bool names = false;

        for (uint16_t k = 0; k < c->cols_count; k++) {
            names = names || c->cols[k] == col;
            c->cols[k] = (uint16_t)(c->cols[k] - (c->cols[k] > col));
        }
        if (names)
            constraint_remove(t, (uint16_t)(i - 1));
    }
}

void table_print_constraint(const struct table *t, const struct table_constraint *c, struct buf *b)
{
    buf_puts(b, "CONSTRAINT ");
    table_print_ident(c->name, b);
    if (c->kind == TABLE_CHECK) {
        buf_printf(b, " CHECK (%s)", c->text);
    } else {
        buf_puts(b, c->kind == TABLE_UNIQUE ? " UNIQUE (" : " FOREIGN KEY (");
        for (uint16_t i = 0; i < c->cols_count; i++) {
            buf_puts(b, i ? ", " : "");
            table_print_ident(t->columns[c->cols[i]].name, b);
        }
        buf_puts(b, c->text[0] ? ") " : ")");
        buf_puts(b, c->text);
    }
}

int table_set_constraint_comment(struct table *t,
                                 const struct spec_name *name,
                                 const char *text,
                                 struct dn_err *err)
{
    char *copy = text ? mem_strdup(NULL, text) : NULL;
    struct table_constraint *c = NULL;

    for (uint16_t i = 0; i < t->constraints_count && !c; i++)
        if (strcmp(t->constraints[i].name, name->s) == 0)
            c = &t->constraints[i];
    if (text && !copy)
        return DN_FAIL_NOMEM(err);
    if (!c) {
        mem_free(copy);
        return table_at(DN_FAIL(err,
                                DN_E_UNDEFINED_OBJECT,
                                "constraint \"%s\" for table \"%s\" does not exist",
                                name->s,
                                t->name),
                        err,
                        name->pos);
    }
    mem_free(c->comment);
    c->comment = copy;
    return 0;
}
