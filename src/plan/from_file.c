/* SPDX-License-Identifier: Apache-2.0
 *
 * from_file.c: a file in FROM: a Parquet file, whose footer says which columns there are. Reading
 * files of the server's machine takes a superuser or a member of pg_read_server_files, as COPY
 * does. */
#include "plan/from_int.h"

#include "parquet/parquet.h"

static int file_allowed(const struct from *f, const struct from_item *item, struct dn_err *err)
{
    const struct plan_env *env = f->q->env;
    int rc;

    if (!env->role || access_inherits(env->catalog->access, env->role, ACCESS_READ_FILES))
        return 0;
    rc = DN_FAIL(err,
                 DN_E_DENIED,
                 "must be superuser or have privileges of the pg_read_server_files role to read a "
                 "file");
    dn_err_hint(err, "\\copy and dendro import send a file of your own machine.");
    dn_err_at(err, item->pos);
    return rc;
}

/* data/weather.parquet is called weather. */
static const char *file_alias(struct arena *arena, const char *path)
{
    const char *base = strrchr(path, '/');
    const char *point;

    base = base ? base + 1 : path;
    point = strchr(base + (*base == '.'), '.');
    return arena_strndup(arena, base, point ? (size_t)(point - base) : strlen(base));
}

/* The footer, copied: the file is opened again when it is read. */
static int
file_look(struct from *f, const struct from_item *item, struct plan_file **ret, struct dn_err *err)
{
    struct arena *arena = f->q->env->arena;
    struct plan_file *file = arena_calloc(arena, 1, sizeof(*file));
    struct pq_reader *reader = NULL;
    const struct pq_column *from;
    struct pq_column *cols;
    uint32_t count;
    int rc = pq_open_path(item->file, arena->owner, &reader, err);

    if (rc < 0) {
        if (rc == DN_E_BAD_COPY)
            dn_err_hint(err, "FROM 'file' reads Parquet. COPY and dendro import read other files.");
        else if (rc == DN_E_NO_OBJECT)
            dn_err_hint(err, "FROM 'x' is a Parquet file; names of tables are in double quotes.");
        dn_err_at(err, item->pos);
        return rc;
    }
    count = pq_columns(reader, &from);
    cols = arena_calloc(arena, (size_t)count + 1, sizeof(*cols));
    if (!file || !cols)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        cols[i] = from[i];
        cols[i].name = arena_strdup(arena, from[i].name);
        cols[i].refused = from[i].refused ? arena_strdup(arena, from[i].refused) : NULL;
        if (!cols[i].name || (from[i].refused && !cols[i].refused))
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc == 0)
        *file = (struct plan_file){
            .path = item->file, .columns = cols, .columns_count = count, .rows = pq_rows(reader)};
    pq_close(reader);
    if (rc == 0 && (count == 0 || count > UINT16_MAX)) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "%s has %u columns", item->file, count);
        dn_err_at(err, item->pos);
    }
    *ret = file;
    return rc;
}

int from_file(struct from *f,
              const struct from_item *item,
              struct from_part *ret,
              struct dn_err *err)
{
    struct arena *arena = f->q->env->arena;
    struct lnode *n = logic_node(f->q, L_FILE, NULL);
    struct plan_file *file;
    struct lrel *rel;
    const char *alias;
    int rc = file_allowed(f, item, err);

    if (rc == 0)
        rc = file_look(f, item, &file, err);
    if (rc < 0)
        return rc;
    alias = item->alias ? item->alias : file_alias(arena, item->file);
    rel = alias ? from_rel(f, alias, file->columns_count, item->pos) : NULL;
    if (!n || !rel)
        return DN_FAIL_NOMEM(err);
    n->file = file;
    n->pos = item->pos;
    n->vars_count = file->columns_count;
    n->vars = arena_alloc_array(arena, n->vars_count, sizeof(*n->vars));
    file->path = arena_strdup(arena, item->file);
    if (!n->vars || !file->path)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        const struct pq_column *c = &file->columns[i];

        n->vars[i] = logic_var(f->q, c->name, c->type);
        if (!n->vars[i])
            return DN_FAIL_NOMEM(err);
        f->q->vars[n->vars[i]].level = f->level;
        f->q->vars[n->vars[i]].origin =
            (struct plan_origin){.declared = c->mods.count > 0, .mods = c->mods};
        rel->cols[i] = (struct lcol){.name = c->name, .type = c->type, .var = n->vars[i]};
    }
    ret->tree = n;
    rc = from_rename(rel, item->columns, item->columns_count, err);
    return rc < 0 ? rc : from_add(f, rel, ret, err);
}
