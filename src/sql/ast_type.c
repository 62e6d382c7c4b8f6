/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_type.c: builders of statements about types. ENUM, VALUE, BEFORE and AFTER are no keywords:
 * they are looked at here. */
#include "sql/build_misc.h"
#include "sql/build_type.h"

#include <string.h>
#include <strings.h>

static bool type_word_is(struct sql_parser *ps, struct sql_token word, const char *want)
{
    if (ps->rc == 0 && word.len == strlen(want) && strncasecmp(word.ptr, want, word.len) == 0)
        return true;
    sql_fail(ps,
             DN_E_SYNTAX,
             word.pos,
             "syntax error at or near \"%.*s\"; expected %s",
             (int)(word.len > 60 ? 60 : word.len),
             word.ptr,
             want);
    return false;
}

static struct spec_name type_label(struct sql_parser *ps, struct sql_token text)
{
    const struct option_spec *value = sql_value(ps, text, false, text.pos);

    return value ? (struct spec_name){.s = value->value, .pos = text.pos}
                 : (struct spec_name){.s = NULL};
}

static struct type_stmt *
type_stmt(struct sql_parser *ps, enum type_what what, const struct qual_name *name)
{
    struct stmt *s = ps->rc < 0 ? NULL : sql_stmt(ps, STMT_TYPE);
    struct type_stmt *t = s ? sql_new(ps, sizeof *t) : NULL;

    if (!t)
        return NULL;
    s->name = *name;
    s->type = t;
    t->what = what;
    return t;
}

void sql_create_enum(struct sql_parser *ps,
                     const struct qual_name *name,
                     struct sql_token word,
                     struct sql_list labels)
{
    struct option_spec **values = sql_list_take(ps, labels);
    struct type_stmt *t;

    if (!type_word_is(ps, word, "ENUM"))
        return;
    t = type_stmt(ps, TYPE_STMT_CREATE, name);
    if (!t)
        return;
    t->labels = labels.count ? sql_new(ps, labels.count * sizeof *t->labels) : NULL;
    for (uint32_t i = 0; ps->rc == 0 && i < labels.count; i++)
        t->labels[i] = (struct spec_name){.s = values[i]->value, .pos = values[i]->value_pos};
    t->labels_count = labels.count;
}

struct type_place
sql_type_place(struct sql_parser *ps, struct sql_token word, struct sql_token beside)
{
    struct type_place p = {.given = true, .beside = beside};

    p.after = word.len == 5 && strncasecmp(word.ptr, "after", 5) == 0;
    if (!p.after)
        (void)type_word_is(ps, word, "BEFORE"); /* the parser has the error */
    return p;
}

void sql_type_add(struct sql_parser *ps,
                  const struct qual_name *name,
                  struct sql_token word,
                  bool if_not_exists,
                  struct sql_token label,
                  struct type_place place)
{
    struct type_stmt *t;

    if (!type_word_is(ps, word, "VALUE"))
        return;
    t = type_stmt(ps, TYPE_STMT_ADD_VALUE, name);
    if (!t)
        return;
    ps->stmt->if_not_exists = if_not_exists;
    t->labels = sql_new(ps, sizeof *t->labels);
    if (!t->labels)
        return;
    t->labels[0] = type_label(ps, label);
    t->labels_count = 1;
    if (place.given)
        t->neighbor = type_label(ps, place.beside);
    t->after = place.after;
}

void sql_type_rename_value(struct sql_parser *ps,
                           const struct qual_name *name,
                           struct sql_token word,
                           struct sql_token was,
                           struct sql_token to)
{
    struct type_stmt *t;

    if (!type_word_is(ps, word, "VALUE"))
        return;
    t = type_stmt(ps, TYPE_STMT_RENAME_VALUE, name);
    if (!t)
        return;
    t->labels = sql_new(ps, sizeof *t->labels);
    if (!t->labels)
        return;
    t->labels[0] = type_label(ps, was);
    t->labels_count = 1;
    t->to = type_label(ps, to);
}

void sql_type_to(struct sql_parser *ps,
                 const struct qual_name *name,
                 enum type_what what,
                 struct sql_token to)
{
    struct type_stmt *t = type_stmt(ps, what, name);

    if (t)
        t->to = sql_spec_name(ps, to);
}

void sql_type_drop(struct sql_parser *ps, bool if_exists, struct sql_list names, int behavior)
{
    struct type_stmt *t = sql_new(ps, sizeof *t);

    sql_names_stmt(ps, STMT_TYPE, names, behavior);
    if (ps->rc < 0)
        return;
    t->what = TYPE_STMT_DROP;
    ps->stmt->type = t;
    ps->stmt->if_exists = if_exists;
}
