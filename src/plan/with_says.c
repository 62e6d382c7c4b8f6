/* SPDX-License-Identifier: Apache-2.0
 *
 * with_says.c: does the query of a WITH say its own name? Could be found out by binding its parts;
 * it is cheaper to look at FROM. */
#include "plan/query_set.h"

#include "sql/ast_query.h"

#include "base/text.h"

#include <string.h>

static bool says_from(const struct from_item *f, const char *name)
{
    switch (f->kind) {
    case FROM_TABLE:
        return !f->table.schema &&
               text_same_fold(f->table.name, strlen(f->table.name), name, strlen(name));
    case FROM_QUERY:
        return query_says(f->query, name);
    case FROM_JOIN:
        return says_from(f->left, name) || says_from(f->right, name);
    case FROM_FUNCTION:
    case FROM_FILE:
    case FROM_KIND_MAX:
        break;
    }
    return false;
}

/* … and does it give the name another meaning? */
static bool says_with(const struct with_clause *with, const char *name, bool *ret_hides)
{
    *ret_hides = false;
    for (uint32_t i = 0; with && i < with->ctes_count && !*ret_hides; i++) {
        const struct cte *c = &with->ctes[i];

        if (c->query && query_says(c->query, name))
            return true;
        *ret_hides = text_same_fold(c->name.s, strlen(c->name.s), name, strlen(name));
    }
    return false;
}

bool query_with_says(const struct with_clause *with, const char *name)
{
    bool hides;

    return says_with(with, name, &hides);
}

bool query_says(const struct query *ast, const char *name)
{
    bool hides;

    if (says_with(ast->with, name, &hides))
        return true;
    if (hides)
        return false;
    if (ast->kind == QUERY_SET)
        return query_says(ast->left, name) || query_says(ast->right, name);
    if (ast->kind != QUERY_SELECT)
        return false;
    for (uint32_t i = 0; i < ast->core->from_count; i++) {
        if (says_from(ast->core->from[i], name))
            return true;
    }
    return false;
}
