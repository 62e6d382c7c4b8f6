/* SPDX-License-Identifier: Apache-2.0
 *
 * note.c: notes are kept in lists in the order in which they come. */
#include "plan/note.h"

#include <string.h>

static void note_add(struct planner *q, struct note_list *list, const void *one, size_t size)
{
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? 2 * list->cap : 16;
        void *more = arena_alloc_array(q->env->arena, cap, size);

        if (!more) {
            q->notes->nomem = true;
            return;
        }
        if (list->n)
            memcpy(more, list->v, list->n * size);
        list->v = more;
        list->cap = cap;
    }
    memcpy((char *)list->v + list->n++ * size, one, size);
}

void plan_note_scope(struct planner *q, const struct scope *s)
{
    if (q && q->notes) /* an expression without tables may have no planner */
        q->notes->scope = s;
}

void plan_note_column(struct planner *q, const struct expr *e, const struct lrel *rel, uint32_t col)
{
    struct note_column note = {.e = e, .rel = rel, .col = col};
    const struct lrel *seen = NULL;

    if (!q->notes)
        return;
    for (const struct scope *x = q->notes->scope; rel->alias && x && !seen; x = x->outer)
        seen = scope_rel(x, NULL, rel->alias);
    note.plain = seen == rel;
    note_add(q, &q->notes->columns, &note, sizeof(note));
}

void plan_note_star(struct planner *q,
                    const struct select_core *core,
                    const struct expr *e,
                    const struct lrel *rel,
                    const char *name)
{
    struct note_star note = {.core = core, .e = e, .rel = rel, .name = name};

    if (q->notes)
        note_add(q, &q->notes->stars, &note, sizeof(note));
}

void plan_note_item(struct planner *q, const struct select_item *item)
{
    if (q->notes)
        note_add(q, &q->notes->items, &item, sizeof(item));
}

void plan_note_table(struct planner *q, const struct from_item *item, const struct lrel *rel)
{
    struct note_table note = {.item = item, .rel = rel};

    if (q->notes)
        note_add(q, &q->notes->tables, &note, sizeof(note));
}

void plan_note_natural(struct planner *q,
                       const struct from_item *item,
                       const struct spec_name *names,
                       uint32_t count)
{
    struct note_natural note = {.item = item, .names = names, .count = count};

    if (q->notes)
        note_add(q, &q->notes->naturals, &note, sizeof(note));
}
