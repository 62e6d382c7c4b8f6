/* SPDX-License-Identifier: Apache-2.0
 *
 * relations.c: the relations of the system by number in a row, by name, and as functions; their
 * columns. */
#include "system/system_int.h"

#include <strings.h>

static const struct sys_relation relations[] = {
#define SYS_EMPTY(name, oid, kind, columns)          {SCHEMA, #name, oid, kind, NULL, columns},
#define SYS_RELATION(name, oid, kind, fill, columns) {SCHEMA, #name, oid, kind, fill, columns},
#define SYS_FUNCTION(name, fill, columns)            {SCHEMA, #name, 0, 'f', fill, columns},
#define SCHEMA                                       "pg_catalog"
#include "system/pg_catalog_list.h"
#undef SCHEMA
#define SCHEMA "information_schema"
#include "system/information_schema_list.h"
#undef SCHEMA
#undef SYS_FUNCTION
#undef SYS_RELATION
#undef SYS_EMPTY
};

const struct sys_relation *sys_relation_at(size_t i)
{
    return i < DN_ARRAY_SIZE(relations) ? &relations[i] : NULL;
}

bool sys_is_schema(const char *name)
{
    return strcasecmp(name, "pg_catalog") == 0 || strcasecmp(name, "information_schema") == 0;
}

/* Is it a name that pg_catalog alone has, so that it is found without the schema? */
static bool is_system_name(const char *name)
{
    return strncasecmp(name, "pg_", 3) == 0 || strncasecmp(name, "comdb2_", 7) == 0 ||
           strncasecmp(name, "dendro_", 7) == 0;
}

const struct sys_relation *sys_find(const char *schema, const char *name)
{
    if (!schema && !is_system_name(name))
        return NULL;
    for (size_t i = 0; i < DN_ARRAY_SIZE(relations); i++)
        if (relations[i].kind != 'f' && strcasecmp(relations[i].name, name) == 0 &&
            strcasecmp(relations[i].schema, schema ? schema : "pg_catalog") == 0)
            return &relations[i];
    return NULL;
}

const struct sys_relation *sys_find_function(const char *name)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(relations); i++)
        if (relations[i].kind == 'f' && strcasecmp(relations[i].name, name) == 0)
            return &relations[i];
    return NULL;
}

const char *sys_relation_name(const struct sys_relation *r)
{
    return r->name;
}

const char *sys_relation_schema(const struct sys_relation *r)
{
    return r->schema;
}

bool sys_relation_secret(const struct sys_relation *r)
{
    return r->kind == 'R' || r->kind == 'V';
}

uint32_t sys_relation_oid(const struct sys_relation *r)
{
    return r->oid;
}

/* ---- columns ---- */

/* "int2[]", "char": the words of pg_type; "yesno": VARCHAR(3), as information_schema has it. */
static enum type_id sys_column_type(const char *name, size_t len, struct sys_column *ret)
{
    bool yesno = len == 5 && memcmp(name, "yesno", 5) == 0;
    bool array = len > 2 && name[len - 1] == ']';
    enum type_id t;

    if (yesno || (len == 7 && memcmp(name, "varchar", 7) == 0)) {
        ret->oid = 1043;
        if (yesno)
            ret->mods = (struct type_mods){.count = 1, .v = {3}};
        return TYPE_VARCHAR;
    }
    if (array)
        len -= 2;
    t = len == 4 && memcmp(name, "char", 4) == 0 ? TYPE_CHAR1 : type_by_name(name, len);
    DN_ASSERT(t != TYPE_NONE);
    return array ? type_array_of(t) : t;
}

int sys_columns(const struct sys_relation *r,
                struct arena *arena,
                struct sys_column **ret,
                uint32_t *ret_count,
                struct dn_err *err)
{
    struct sys_column *cols;
    uint32_t n = 1;

    for (const char *p = r->columns; *p; p++)
        n += *p == ',';
    cols = arena_calloc(arena, n, sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    n = 0;
    for (const char *p = r->columns; *p; n++) {
        const char *space = strchr(p, ' ');
        size_t len = strcspn(space + 1, ",");

        cols[n].name = arena_strndup(arena, p, (size_t)(space - p));
        if (!cols[n].name)
            return DN_FAIL_NOMEM(err);
        cols[n].type = sys_column_type(space + 1, len, &cols[n]);
        p = space + 1 + len;
        p += *p ? 2 : 0;
    }
    *ret = cols;
    *ret_count = n;
    return 0;
}
