/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence_ddl.c: CREATE and ALTER SEQUENCE. Each is one edit of the catalog; rules and words are
 * PostgreSQL's. */
#include "engine/sequence_ddl.h"

#include "engine/names.h"
#include "engine/stmt_ops.h"

#include <inttypes.h>
#include <stdio.h>

struct seq_ddl {
    struct dendro_stmt *stmt;
    char schema[SESSION_TEMP_MAX]; /* CREATE: where it lies */
    bool temp;
    char skipped[2 * TABLE_NAME_MAX + 64]; /* what the notice says when there is nothing to do */
};

/* ---- options ---- */

static int seq_option_type(const struct sequence_def *d, struct sequence *s, struct dn_err *err)
{
    enum type_id type = d->as->type;
    int rc;

    if (!type_is_int(type) || d->as->dims) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "sequence type must be smallint, integer, or bigint");
        dn_err_at(err, d->as->pos);
        return rc;
    }
    if (s->max == catalog_sequence_type_max(s->type)) /* bounds that nobody gave follow the type */
        s->max = catalog_sequence_type_max(type);
    if (s->min == catalog_sequence_type_min(s->type))
        s->min = catalog_sequence_type_min(type);
    s->type = type;
    return 0;
}

static int
seq_check_bound(const char *what, int64_t value, const struct sequence *s, struct dn_err *err)
{
    if (value <= catalog_sequence_type_max(s->type) && value >= catalog_sequence_type_min(s->type))
        return 0;
    return DN_FAIL(err,
                   DN_E_INVALID_PARAM,
                   "%s (%" PRId64 ") is out of range for sequence data type %s",
                   what,
                   value,
                   type_word(s->type));
}

static int
seq_check_value(const char *what, int64_t value, const struct sequence *s, struct dn_err *err)
{
    if (value < s->min)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "%s value (%" PRId64 ") cannot be less than MINVALUE (%" PRId64 ")",
                       what,
                       value,
                       s->min);
    if (value > s->max)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "%s value (%" PRId64 ") cannot be greater than MAXVALUE (%" PRId64 ")",
                       what,
                       value,
                       s->max);
    return 0;
}

static int seq_check(const struct sequence_def *d, const struct sequence *s, struct dn_err *err)
{
    int rc = seq_check_bound("MAXVALUE", s->max, s, err);

    if (rc == 0)
        rc = seq_check_bound("MINVALUE", s->min, s, err);
    if (rc == 0 && s->min >= s->max)
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "MINVALUE (%" PRId64 ") must be less than MAXVALUE (%" PRId64 ")",
                     s->min,
                     s->max);
    if (rc == 0)
        rc = seq_check_value("START", s->start, s, err);
    if (rc == 0 && d && (d->given & SEQUENCE_RESTART_WITH))
        rc = seq_check_value("RESTART", d->restart, s, err);
    if (rc == 0 && s->cache < 1)
        rc = DN_FAIL(
            err, DN_E_INVALID_PARAM, "CACHE (%" PRId64 ") must be greater than zero", s->cache);
    return rc;
}

int ddl_sequence_options(const struct sequence_def *d,
                         bool fresh,
                         struct sequence *s,
                         struct dn_err *err)
{
    uint32_t given = d ? d->given : 0;
    int rc = 0;

    if (fresh) {
        s->increment = s->cache = 1;
        s->max = catalog_sequence_type_max(s->type);
        s->min = catalog_sequence_type_min(s->type);
    }
    if (given & SEQUENCE_AS)
        rc = seq_option_type(d, s, err);
    if (given & SEQUENCE_INCREMENT)
        s->increment = d->increment;
    if (rc == 0 && s->increment == 0)
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "INCREMENT must not be zero");
    if (given & (SEQUENCE_CYCLE | SEQUENCE_NO_CYCLE))
        s->cycle = given & SEQUENCE_CYCLE;
    if (given & SEQUENCE_MAX)
        s->max = d->max;
    else if (fresh || (given & SEQUENCE_NO_MAX))
        s->max = s->increment > 0 ? catalog_sequence_type_max(s->type) : -1;
    if (given & SEQUENCE_MIN)
        s->min = d->min;
    else if (fresh || (given & SEQUENCE_NO_MIN))
        s->min = s->increment > 0 ? 1 : catalog_sequence_type_min(s->type);
    if (given & SEQUENCE_START)
        s->start = d->start;
    else if (fresh)
        s->start = s->increment > 0 ? s->min : s->max;
    if (given & SEQUENCE_CACHE)
        s->cache = d->cache;
    if (rc == 0)
        rc = seq_check(d, s, err);
    if (fresh)
        s->first = s->start;
    if (rc < 0 && d && err->position == 0)
        dn_err_at(err, d->pos);
    return rc;
}

/* OWNED BY */
static int seq_owner(struct seq_ddl *d,
                     const struct catalog *cur,
                     const struct sequence_def *def,
                     struct sequence *s,
                     struct dn_err *err)
{
    struct spec_name column = {.s = def->owned_column, .pos = def->owned_table.pos};
    const struct table *t;
    uint16_t col;
    int rc;

    if (s->identity)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "cannot change ownership of identity sequence");
    s->owner_table = 0;
    s->owner_column = 0;
    if (!def->owned_table.name)
        return 0;
    t = session_table(d->stmt->conn, cur, &def->owned_table, err);
    if (!t)
        return err->code;
    if (strcmp(t->schema, s->schema) != 0) {
        rc = DN_FAIL(
            err, DN_E_NOT_READY, "sequence must be in same schema as table it is linked to");
        dn_err_at(err, def->owned_table.pos);
        return rc;
    }
    rc = table_find_column(t, &column, &col, err);
    if (rc < 0)
        return rc;
    s->owner_table = t->id;
    s->owner_column = t->columns[col].id;
    return 0;
}

/* ---- CREATE SEQUENCE ---- */

static int seq_place(struct seq_ddl *d,
                     const struct catalog *cur,
                     struct catalog **ret_base,
                     struct dn_err *err)
{
    const struct stmt *ast = d->stmt->ast;
    struct spec_name given = {.s = ast->name.schema, .pos = ast->name.pos};
    struct catalog_path path = session_path(d->stmt->conn);
    const struct schema_def *schema;

    if (!session_temp_wanted(d->stmt->conn,
                             cur,
                             &given,
                             ast->sequence->temp ? PERSIST_TEMP : PERSIST_PERMANENT,
                             &d->temp,
                             err))
        return err->code;
    if (d->temp)
        return session_temp_base(d->stmt->conn, cur, ret_base, d->schema, err);
    schema = catalog_path_schema(cur, &path, given.s, err);
    if (!schema) {
        dn_err_at(err, ast->name.pos);
        return err->code;
    }
    snprintf(d->schema, sizeof(d->schema), "%s", schema->name);
    return 0;
}

static int
seq_create(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct seq_ddl *d = arg;
    const struct stmt *ast = d->stmt->ast;
    struct catalog_relation there;
    struct catalog *base = NULL;
    struct sequence *s;
    int rc = seq_place(d, cur, &base, err);

    if (rc < 0)
        return rc;
    if (ast->if_not_exists &&
        catalog_relation(base ? base : cur, d->schema, ast->name.name, &there, NULL) == 0) {
        catalog_unref(base);
        snprintf(d->skipped,
                 sizeof(d->skipped),
                 "relation \"%s\" already exists, skipped",
                 ast->name.name);
        return DN_NOT_FOUND;
    }
    s = catalog_sequence_new(d->schema, ast->name.name);
    if (!s) {
        catalog_unref(base);
        return DN_FAIL_NOMEM(err);
    }
    s->type = TYPE_BIGINT;
    s->temp = d->temp;
    s->counter = engine_sequence_counter(d->stmt->conn->db);
    rc = ddl_sequence_options(ast->sequence, true, s, err);
    if (rc == 0 && (ast->sequence->given & SEQUENCE_NAME))
        rc = DN_FAIL(err, DN_E_SYNTAX, "invalid sequence option SEQUENCE NAME");
    if (rc == 0 && (ast->sequence->given & SEQUENCE_OWNED))
        rc = seq_owner(d, cur, ast->sequence, s, err);
    if (rc == 0) {
        rc = catalog_with_sequence(base ? base : cur, s, ret_next, err);
        if (rc < 0)
            dn_err_at(err, ast->name.name_pos);
    }
    catalog_sequence_unref(s);
    catalog_unref(base);
    return rc;
}

/* ---- ALTER SEQUENCE ---- */

static int seq_named(struct seq_ddl *d,
                     const struct catalog *cur,
                     const struct sequence **ret,
                     struct dn_err *err)
{
    const struct stmt *ast = d->stmt->ast;
    struct catalog_relation r = {.sequence = NULL};
    int rc = session_relation(d->stmt->conn, cur, &ast->name, &r, err);

    if (ast->if_exists && (rc == DN_E_UNDEFINED_TABLE || rc == DN_E_UNDEFINED_SCHEMA)) {
        snprintf(d->skipped,
                 sizeof(d->skipped),
                 "relation \"%s\" does not exist, skipped",
                 ast->name.name);
        return DN_NOT_FOUND;
    }
    if (rc == 0 && !r.sequence) {
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a sequence", catalog_relation_name(&r));
        dn_err_at(err, ast->name.pos);
    }
    *ret = r.sequence;
    return rc;
}

/* Where it goes on: RESTART gives it another counter, else it is within the new bounds. */
static int
seq_go_on(struct seq_ddl *d, const struct sequence_def *def, struct sequence *s, struct dn_err *err)
{
    int64_t value;
    bool called;
    int rc;

    if (def->given & SEQUENCE_RESTART) {
        s->first = def->given & SEQUENCE_RESTART_WITH ? def->restart : s->start;
        s->counter = engine_sequence_counter(d->stmt->conn->db);
        return 0;
    }
    rc = engine_sequence_last(d->stmt->conn->db, s, &value, &called, err);
    return rc < 0 ? rc : seq_check_value("RESTART", value, s, err);
}

static int seq_change(struct seq_ddl *d,
                      const struct sequence *was,
                      const struct sequence_def *def,
                      const struct catalog *cur,
                      struct catalog **ret_next,
                      struct dn_err *err)
{
    struct sequence *s;
    int rc = catalog_sequence_copy(was, NULL, NULL, &s, err);

    if (rc < 0)
        return rc;
    rc = ddl_sequence_options(def, false, s, err);
    if (rc == 0 && (def->given & SEQUENCE_NAME))
        rc = DN_FAIL(err, DN_E_SYNTAX, "invalid sequence option SEQUENCE NAME");
    if (rc == 0 && (def->given & SEQUENCE_OWNED))
        rc = seq_owner(d, cur, def, s, err);
    if (rc == 0)
        rc = seq_go_on(d, def, s, err);
    if (rc == 0)
        rc = catalog_with_sequence(cur, s, ret_next, err);
    else if (err->position == 0)
        dn_err_at(err, def->pos);
    catalog_sequence_unref(s);
    return rc;
}

static int
seq_alter(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct seq_ddl *d = arg;
    const struct sequence *was = NULL;
    int rc = seq_named(d, cur, &was, err);

    return rc != 0 ? rc : seq_change(d, was, d->stmt->ast->sequence, cur, ret_next, err);
}

int ddl_sequence_change(struct dendro_stmt *stmt,
                        const struct sequence *was,
                        const struct sequence_def *def,
                        struct catalog **cat,
                        struct dn_err *err)
{
    struct seq_ddl d = {.stmt = stmt};
    struct catalog *next;
    int rc = seq_change(&d, was, def, *cat, &next, err);

    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

/* RENAME TO and SET SCHEMA. */
static int seq_moved(struct seq_ddl *d,
                     const struct catalog *cur,
                     const struct sequence *was,
                     struct sequence **ret,
                     struct dn_err *err)
{
    const struct alter_action *a = &d->stmt->ast->alter->actions[0];
    struct catalog_path path = session_path(d->stmt->conn);
    const struct schema_def *schema;
    int rc = 0;

    if (a->kind == ALTER_RENAME_TABLE && strcmp(was->name, a->to.s) == 0) {
        rc = DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%s\" already exists", a->to.s);
        dn_err_at(err, a->to.pos);
        return rc;
    }
    if (a->kind == ALTER_RENAME_TABLE)
        return catalog_sequence_copy(was, NULL, a->to.s, ret, err);
    if (was->temp)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "cannot move objects into or out of temporary schemas");
    else if (was->owner_table)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "cannot move an owned sequence into another schema");
    if (rc < 0)
        return rc;
    schema = catalog_path_schema(cur, &path, a->to.s, err);
    return schema ? catalog_sequence_copy(was, schema->name, NULL, ret, err) : err->code;
}

static int
seq_move(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct seq_ddl *d = arg;
    const struct alter_action *a = &d->stmt->ast->alter->actions[0];
    const struct sequence *was = NULL;
    struct catalog *next = NULL;
    struct sequence *s = NULL;
    int rc = seq_named(d, cur, &was, err);

    if (rc != 0)
        return rc;
    if (d->stmt->ast->alter->actions_count != 1 ||
        (a->kind != ALTER_RENAME_TABLE && a->kind != ALTER_SET_SCHEMA))
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "this cannot be altered of a sequence");
    if (rc == 0)
        rc = seq_moved(d, cur, was, &s, err);
    if (rc == 0)
        rc = catalog_with_sequence(cur, s, &next, err);
    if (rc == 0)
        rc = ddl_sequence_renamed(d->stmt, was, s, &next, err);
    if (rc < 0) {
        dn_err_at(err, a->to.pos);
        catalog_unref(next);
    } else {
        *ret_next = next;
    }
    catalog_sequence_unref(s);
    return rc;
}

int ddl_sequence_move(struct dendro_stmt *stmt,
                      const struct sequence *was,
                      const char *schema,
                      struct catalog **cat,
                      struct dn_err *err)
{
    struct catalog *next = NULL;
    struct sequence *s;
    int rc = catalog_sequence_copy(was, schema, NULL, &s, err);

    if (rc < 0)
        return rc;
    rc = catalog_with_sequence(*cat, s, &next, err);
    if (rc == 0)
        rc = ddl_sequence_renamed(stmt, was, s, &next, err);
    catalog_sequence_unref(s);
    if (rc < 0) {
        catalog_unref(next);
        return rc;
    }
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

int ddl_sequences_follow(struct dendro_stmt *stmt,
                         const struct catalog *before,
                         const struct table *was,
                         const struct table *now,
                         struct catalog **cat,
                         struct dn_err *err)
{
    char what[TABLE_NAME_MAX + 32];
    struct ddl_gone gone = {
        .arena = &stmt->run, .types = &stmt->conn->types, .before = before, .what = what};
    int rc;

    snprintf(what, sizeof(what), "a column of table %s", was->name);
    for (uint32_t i = 0; i < stmt->ast->alter->actions_count; i++)
        gone.cascade = gone.cascade || stmt->ast->alter->actions[i].behavior == DROP_CASCADE;
    rc = ddl_sequences_gone(&gone, cat, err);
    for (size_t i = 0;
         rc == 0 && strcmp(was->schema, now->schema) != 0 && i < before->sequences_count;
         i++)
        if (before->sequences[i]->owner_table == was->id &&
            catalog_sequence_by_id(*cat, before->sequences[i]->id))
            rc = ddl_sequence_move(stmt, before->sequences[i], now->schema, cat, err);
    return rc;
}

int ddl_sequences_restart(struct dendro_stmt *stmt,
                          uint64_t table,
                          struct catalog **cat,
                          struct dn_err *err)
{
    for (size_t i = 0; i < (*cat)->sequences_count; i++) {
        struct catalog *next;
        struct sequence *s;
        int rc;

        if ((*cat)->sequences[i]->owner_table != table)
            continue;
        rc = catalog_sequence_copy((*cat)->sequences[i], NULL, NULL, &s, err);
        if (rc < 0)
            return rc;
        s->first = s->start;
        s->counter = engine_sequence_counter(stmt->conn->db);
        rc = catalog_with_sequence(*cat, s, &next, err);
        catalog_sequence_unref(s);
        if (rc < 0)
            return rc;
        catalog_unref(*cat);
        *cat = next;
    }
    return 0;
}

int stmt_run_sequence(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct seq_ddl d = {.stmt = stmt};
    enum stmt_kind kind = stmt->ast->kind;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = tx_edit(stmt->conn,
                     kind == STMT_CREATE_SEQUENCE  ? seq_create
                     : kind == STMT_ALTER_SEQUENCE ? seq_alter
                                                   : seq_move,
                     &d,
                     err);
    if (rc == 0 && d.temp)
        session_temp_made(stmt->conn, d.schema, TABLE_TEMP);
    if (d.skipped[0] && rc >= 0)
        session_notice(stmt->conn, "NOTICE", "%s", d.skipped);
    return rc < 0 ? rc : 0;
}

/* ---- the rows of CREATE and ALTER SEQUENCE ---- */

static int
seq_create_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return ast->sequence && ast->sequence->temp ? 0 : privilege_create(stmt, &ast->name, err);
}

STMT_NAME(create_sequence, "CREATE SEQUENCE")
STMT_OPS(create_sequence,
         stmt_name_create_sequence,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         seq_create_privilege,
         stmt_compile_nothing,
         stmt_run_sequence);

STMT_NAME(alter_sequence, "ALTER SEQUENCE")
STMT_OPS(alter_sequence,
         stmt_name_alter_sequence,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         stmt_alter_privilege,
         stmt_compile_nothing,
         stmt_run_sequence);
