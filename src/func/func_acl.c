/* SPDX-License-Identifier: Apache-2.0
 *
 * func_acl.c: what clients that read the whole catalog (pg_dump, pgAdmin) ask beside
 * func_objects.c: lists of privileges made (acldefault) and taken apart (aclexplode), options taken
 * apart, and partitions, of which there are none that are tables. Functions with several columns
 * are one descriptor per column. */
#include "func/func_array.h"
#include "func/func_int.h"
#include "func/session.h"

#include <stdio.h>
#include <string.h>

/* ---- acldefault ---- */

/* What an object of a kind has by itself: letters of everybody, and of its owner. */
static const struct acl_kind {
    char kind;
    const char *world;
    const char *owner;
} acl_kinds[] = {
    {'c', "", ""},
    {'r', "", "arwdDxt"},
    {'s', "", "rwU"},
    {'d', "Tc", "CTc"},
    {'f', "X", "X"},
    {'l', "U", "U"},
    {'L', "", "rw"},
    {'n', "", "UC"},
    {'p', "", "sA"},
    {'t', "", "C"},
    {'F', "", "U"},
    {'S', "", "U"},
    {'T', "U", "U"},
};

static const struct acl_kind *acl_kind_of(struct vstr s)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(acl_kinds); i++)
        if (s.len == 1 && acl_kinds[i].kind == s.ptr[0])
            return &acl_kinds[i];
    return NULL;
}

static void acl_quote(struct vstr name, struct buf *b)
{
    bool plain = name.len > 0;

    for (uint32_t i = 0; i < name.len; i++)
        plain = plain && ((name.ptr[i] >= 'a' && name.ptr[i] <= 'z') ||
                          (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z') ||
                          (name.ptr[i] >= '0' && name.ptr[i] <= '9') || name.ptr[i] == '_');
    if (plain) {
        buf_append(b, name.ptr, name.len);
        return;
    }
    buf_u8(b, '"');
    for (uint32_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '"')
            buf_u8(b, '"');
        buf_u8(b, (uint8_t)name.ptr[i]);
    }
    buf_u8(b, '"');
}

/* grantee=letters/owner */
static int acl_item(const struct func_ctx *ctx,
                    struct vstr grantee,
                    const char *letters,
                    struct vstr owner,
                    struct datum *ret,
                    struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, ctx->arena->owner);
    if (grantee.len)
        acl_quote(grantee, &b);
    buf_printf(&b, "=%s/", letters);
    acl_quote(owner, &b);
    ret->type = TYPE_ACLITEM;
    rc = func_array_text(ctx, &b, &ret->str, err);
    return rc;
}

static int acl_default(const struct func_ctx *ctx,
                       struct vstr kind,
                       int64_t owner,
                       struct vstr *ret,
                       struct dn_err *err)
{
    const struct acl_kind *k = acl_kind_of(kind);
    struct vstr nobody = {"", 0};
    struct datum items[2] = {{.type = TYPE_ACLITEM}, {.type = TYPE_ACLITEM}};
    struct varray a;
    struct vstr name;
    uint32_t count = 0;
    int rc = 0;

    if (!k)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "unrecognized object type abbreviation: %.*s",
                       (int)(kind.len > 1 ? 1 : kind.len),
                       kind.ptr);
    rc = func_reg_make(ctx->session, TYPE_REGROLE, owner, ctx->arena, &name, err);
    if (rc < 0)
        return rc;
    name.ptr += 4; /* behind its number */
    name.len -= 4;
    if (k->world[0])
        rc = acl_item(ctx, nobody, k->world, name, &items[count++], err);
    if (rc == 0 && k->owner[0])
        rc = acl_item(ctx, name, k->owner, name, &items[count++], err);
    if (rc < 0)
        return rc;
    a = varray_flat(TYPE_ACLITEM, items, count);
    return func_array_write(ctx, &a, ret, err);
}

FUNC_EACH(func_acldefault,
          struct vstr,
          acl_default(ctx, vec_str(&args[0], i), vec_i64(&args[1], i), &to[i], err))

/* clang-format off */
static const struct func func_acl_rows[] = {
    {.name = "acldefault", .args = {TYPE_CHAR1, TYPE_OID}, .args_count = 2,
     .result = (enum type_id)(TYPE_ACLITEM | TYPE_ARRAY), .flags = FUNC_STABLE | FUNC_STRICT, .kernel = func_acldefault,
     .doc = "The privileges that an object of a kind has when nobody granted any, with its owner."},
};
/* clang-format on */

const struct func_table func_table_acl = {func_acl_rows, DN_ARRAY_SIZE(func_acl_rows)};

/* ---- aclexplode ---- */

static const struct {
    char letter;
    const char *word;
} acl_words[] = {
    {'a', "INSERT"},
    {'r', "SELECT"},
    {'w', "UPDATE"},
    {'d', "DELETE"},
    {'D', "TRUNCATE"},
    {'x', "REFERENCES"},
    {'t', "TRIGGER"},
    {'X', "EXECUTE"},
    {'U', "USAGE"},
    {'C', "CREATE"},
    {'T', "TEMP"},
    {'c', "CONNECT"},
    {'s', "SET"},
    {'A', "ALTER SYSTEM"},
};

/* One privilege of a list. */
struct acl_part {
    struct vstr grantor;
    struct vstr grantee; /* empty: everybody */
    const char *word;
    bool option;
};

struct acl_list {
    struct varray a;
    uint32_t at;     /* item */
    uint32_t letter; /* byte of it; 0: it is new */
};

static int acl_list_start(struct rowfunc_call *c, struct dn_err *err)
{
    struct acl_list *l = c->state;
    struct func_ctx ctx = {
        .arena = c->run, .now_ns = c->now_ns, .session = c->session, .pos = c->pos};

    return func_array_read(&ctx, c->args[0].str, c->args[0].type, &l->a, err);
}

/* Where the byte stands outside of quotes, from a place on; the end if it does not. */
static uint32_t acl_find(struct vstr s, uint32_t from, char byte)
{
    bool quoted = false;

    for (uint32_t i = from; i < s.len; i++) {
        if (s.ptr[i] == '"')
            quoted = !quoted;
        else if (!quoted && s.ptr[i] == byte)
            return i;
    }
    return s.len;
}

/* False: there are no more. Letters that nobody knows are left out. */
static bool acl_list_next(struct acl_list *l, struct acl_part *ret)
{
    for (; l->at < l->a.count; l->at++, l->letter = 0) {
        struct vstr s = l->a.items[l->at].str;
        uint32_t equals = acl_find(s, 0, '=');
        uint32_t slash = acl_find(s, equals, '/');

        if (l->a.items[l->at].null || slash == s.len)
            continue;
        if (l->letter == 0)
            l->letter = equals + 1;
        while (l->letter < slash) {
            char letter = s.ptr[l->letter++];

            for (size_t i = 0; i < DN_ARRAY_SIZE(acl_words); i++) {
                if (acl_words[i].letter != letter)
                    continue;
                *ret = (struct acl_part){.grantor = {s.ptr + slash + 1, s.len - slash - 1},
                                         .grantee = {s.ptr, equals},
                                         .word = acl_words[i].word,
                                         .option = s.ptr[l->letter] == '*'};
                return true;
            }
        }
    }
    return false;
}

static int
acl_role(const struct rowfunc_call *c, struct vstr name, int64_t *ret, struct dn_err *err)
{
    struct func_ask ask = {
        .kind = FUNC_ASK_REG_FIND, .type = TYPE_REGROLE, .text = name.ptr, .text_len = name.len};
    struct func_answer answer = {.number = 0};
    int rc = 0;

    if (name.len && c->session && c->session->ask)
        rc = c->session->ask(c->session->arg, &ask, &answer, err);
    *ret = answer.number;
    return rc < 0 ? rc : 0;
}

/* The column that the function makes, by its name. */
static int acl_list_value(const struct rowfunc_call *c,
                          const struct acl_part *p,
                          struct datum *ret,
                          struct dn_err *err)
{
    *ret = (struct datum){.type = c->type};
    if (c->type == TYPE_VARCHAR)
        ret->str = (struct vstr){p->word, (uint32_t)strlen(p->word)};
    else if (c->type == TYPE_BOOLEAN)
        ret->v.i64 = p->option;
    else
        return acl_role(
            c, strcmp(c->fn->column, "grantor") == 0 ? p->grantor : p->grantee, &ret->v.i64, err);
    return 0;
}

static int acl_list_rows(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    void *data = arena_alloc_array(arena, max, phys_size(type_phys(c->type)));
    struct acl_part part;
    struct datum d;
    uint32_t n = 0;

    if (!data)
        return DN_FAIL_NOMEM(err);
    while (n < max && acl_list_next(c->state, &part)) {
        int rc = acl_list_value(c, &part, &d, err);

        if (rc < 0)
            return rc;
        datum_store(&d, data, n++);
    }
    *ret = (struct vec){.type = c->type, .form = VEC_FLAT, .count = n, .data = data};
    return n ? 0 : DN_EOF;
}

/* ---- pg_options_to_table ---- */

/* name=value; a name alone has no value. */
static int options_rows(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct acl_list *l = c->state;
    bool name = strcmp(c->fn->column, "option_name") == 0;
    struct vstr *data = arena_alloc_array(arena, max, sizeof *data);
    uint64_t *nulls = arena_calloc(arena, VEC_BITMAP_WORDS(max), sizeof *nulls);
    uint32_t n = 0;

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (; n < max && l->at < l->a.count; n++, l->at++) {
        struct vstr s = l->a.items[l->at].str;
        const char *equals = l->a.items[l->at].null ? NULL : memchr(s.ptr, '=', s.len);
        uint32_t len = equals ? (uint32_t)(equals - s.ptr) : s.len;

        data[n] = (struct vstr){s.ptr, len};
        if (!name)
            data[n] = equals ? (struct vstr){equals + 1, s.len - len - 1} : (struct vstr){"", 0};
        if (l->a.items[l->at].null || (!name && !equals))
            vec_bit_set(nulls, n);
    }
    *ret = (struct vec){
        .type = TYPE_VARCHAR, .form = VEC_FLAT, .count = n, .data = data, .nulls = nulls};
    return n ? 0 : DN_EOF;
}

/* ---- pg_partition_tree ---- */

static int nothing_start(struct rowfunc_call *c DN_UNUSED, struct dn_err *err DN_UNUSED)
{
    return 0;
}

static int nothing_rows(struct rowfunc_call *c,
                        struct arena *arena DN_UNUSED,
                        uint32_t max DN_UNUSED,
                        struct vec *ret,
                        struct dn_err *err DN_UNUSED)
{
    *ret = (struct vec){.type = c->type, .form = VEC_FLAT};
    return DN_EOF;
}

/* ---- the table ---- */

#define ROWS(fname, col, next_name, t, arg, begin, rows, text)                             \
    {                                                                                      \
        .name = fname, .column = col, .beside = next_name, .args = {arg}, .args_count = 1, \
        .result = TYPE_##t, .flags = FUNC_STRICT, .state_size = sizeof(struct acl_list),   \
        .start = begin, .next = rows, .doc = text                                          \
    }
#define ACL(fname, col, next_name, t)                                             \
    ROWS(fname,                                                                   \
         col,                                                                     \
         next_name,                                                               \
         t,                                                                       \
         (enum type_id)(TYPE_ACLITEM | TYPE_ARRAY),                               \
         acl_list_start,                                                          \
         acl_list_rows,                                                           \
         "The privileges of a list, one by one: who gave it, who has it, which, " \
         "and may it be passed on; columns grantor, grantee, privilege_type, "    \
         "is_grantable.")
#define OPTION(fname, col, next_name)               \
    ROWS(fname,                                     \
         col,                                       \
         next_name,                                 \
         VARCHAR,                                   \
         (enum type_id)(TYPE_VARCHAR | TYPE_ARRAY), \
         acl_list_start,                            \
         options_rows,                              \
         "Options name=value as columns option_name, option_value.")
#define TREE(fname, col, next_name, t) \
    ROWS(fname,                        \
         col,                          \
         next_name,                    \
         t,                            \
         TYPE_OID,                     \
         nothing_start,                \
         nothing_rows,                 \
         "No rows: partitions are no tables of their own.")

/* clang-format off */
static const struct rowfunc rowfunc_rows[] = {
    ACL("aclexplode", "grantor", "_aclexplode_grantee", OID),
    ACL("_aclexplode_grantee", "grantee", "_aclexplode_privilege", OID),
    ACL("_aclexplode_privilege", "privilege_type", "_aclexplode_grantable", VARCHAR),
    ACL("_aclexplode_grantable", "is_grantable", NULL, BOOLEAN),
    OPTION("pg_options_to_table", "option_name", "_pg_options_value"),
    OPTION("_pg_options_value", "option_value", NULL),
    TREE("pg_partition_tree", "relid", "_pg_partition_parent", REGCLASS),
    TREE("_pg_partition_parent", "parentrelid", "_pg_partition_leaf", REGCLASS),
    TREE("_pg_partition_leaf", "isleaf", "_pg_partition_level", BOOLEAN),
    TREE("_pg_partition_level", "level", NULL, INTEGER),
};
/* clang-format on */

const struct rowfunc_table rowfunc_table_objects = {rowfunc_rows, DN_ARRAY_SIZE(rowfunc_rows)};
