/* SPDX-License-Identifier: Apache-2.0
 *
 * from_system.c: relations of pg_catalog and information_schema in FROM. */
#include "plan/from_int.h"

#include "system/system.h"

/* The number of the relation, as each of its rows has it. */
static int from_tableoid(struct from *f,
                         const struct sys_relation *system,
                         struct lrel *rel,
                         struct lnode **tree,
                         struct dn_err *err)
{
    struct datum oid = {.type = TYPE_OID, .v = {.i64 = sys_relation_oid(system)}};
    struct lcol *col = &rel->cols[rel->cols_count - 1];
    struct ldef def;
    int rc = bind_const(f->b, &oid, rel->pos, &def.e, err);

    if (rc < 0)
        return rc;
    def.var = logic_var(f->q, "tableoid", TYPE_OID);
    *tree = def.var ? logic_map(f->q, *tree, &def, 1) : NULL;
    if (!*tree)
        return DN_FAIL_NOMEM(err);
    f->q->vars[def.var].level = f->level;
    *col = (struct lcol){.name = "tableoid", .type = TYPE_OID, .var = def.var};
    return 0;
}

int from_system(struct from *f,
                const struct from_item *item,
                const struct sys_relation *system,
                struct from_part *ret,
                struct dn_err *err)
{
    struct arena *arena = f->q->env->arena;
    const char *name = sys_relation_name(system);
    struct lnode *n = logic_node(f->q, L_SYSTEM, NULL);
    struct sys_column *cols = NULL;
    struct lrel *rel;
    uint32_t count = 0;
    int rc = sys_columns(system, arena, &cols, &count, err);

    if (rc == 0 && sys_relation_secret(system) && f->q->env->role &&
        !access_superuser(f->q->env->catalog->access, f->q->env->role)) {
        rc = DN_FAIL(err, DN_E_DENIED, "permission denied for table %s", name);
        dn_err_at(err, item->pos);
    }
    if (rc < 0)
        return rc;
    rel = from_rel(f, item->alias ? item->alias : name, count + 1, item->pos);
    if (!n || !rel)
        return DN_FAIL_NOMEM(err);
    n->system = system;
    n->pos = item->pos;
    n->vars_count = count;
    n->vars = arena_alloc_array(arena, count, sizeof(*n->vars));
    if (!n->vars)
        return DN_FAIL_NOMEM(err);
    rel->schema = item->alias ? NULL : sys_relation_schema(system);
    for (uint32_t i = 0; i < count; i++) {
        n->vars[i] = logic_var(f->q, cols[i].name, cols[i].type);
        if (!n->vars[i])
            return DN_FAIL_NOMEM(err);
        f->q->vars[n->vars[i]].level = f->level;
        f->q->vars[n->vars[i]].origin =
            (struct plan_origin){.relation = sys_relation_oid(system),
                                 .column = sys_relation_oid(system) ? (int32_t)i + 1 : 0,
                                 .type = cols[i].oid,
                                 .declared = cols[i].mods.count > 0,
                                 .mods = cols[i].mods};
        rel->cols[i] = (struct lcol){.name = cols[i].name, .type = cols[i].type, .var = n->vars[i]};
    }
    ret->tree = n;
    rel->hidden = 1;
    rc = from_tableoid(f, system, rel, &ret->tree, err);
    if (rc == 0)
        rc = from_rename(rel, item->columns, item->columns_count, err);
    return rc < 0 ? rc : from_add(f, rel, ret, err);
}
