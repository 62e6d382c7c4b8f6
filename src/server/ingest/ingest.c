/* SPDX-License-Identifier: Apache-2.0
 *
 * ingest.c: points to shapes; see ingest.h. */
#include "server/ingest/ingest_int.h"

#include "base/text.h"
#include "engine/appender.h"

#include <stdarg.h>
#include <stdio.h>

#define INGEST_ROWS_FIRST 32u
#define INGEST_SHAPES_MAX 10000u

int ingest_fail(struct dendro_error *err, int code, const char *fmt, ...)
{
    struct dendro_error e = {.code = code};
    va_list args;

    snprintf(e.sqlstate, sizeof e.sqlstate, "%s", dn_code_sqlstate(code));
    va_start(args, fmt);
    vsnprintf(e.message, sizeof e.message, fmt, args);
    va_end(args);
    if (err)
        *err = e;
    return code;
}

static int ingest_nomem(struct dendro_error *err)
{
    return ingest_fail(err, DN_E_NOMEM, "out of memory");
}

/* ---- life ---- */

void ingest_init(struct ingest *in, struct mem_owner *owner, const struct ingest_options *opt)
{
    *in = (struct ingest){.opt = *opt, .owner = owner};
    arena_init(&in->arena, owner);
    hidx_init(&in->index, owner);
}

static void ingest_free_shape(struct ingest_shape *s)
{
    for (uint32_t i = 0; s->cols && i < s->cols_count; i++) {
        mem_free(s->cols[i].values);
        mem_free(s->cols[i].lens);
        mem_free(s->cols[i].nulls);
    }
    mem_free(s->times);
    mem_free(s->lines);
}

void ingest_done(struct ingest *in)
{
    for (struct ingest_shape *s = in->shapes; s; s = s->next)
        ingest_free_shape(s);
    for (struct ingest_table *t = in->tables; t; t = t->next) {
        hidx_done(&t->seen);
        mem_free(t->hashes);
        table_unref(t->def);
    }
    hidx_done(&in->index);
    mem_free(in->by_id);
    arena_done(&in->arena);
}

const char *ingest_only_table(const struct ingest *in)
{
    return in->tables && !in->tables->next ? in->tables->name : NULL;
}

/* ---- series that came before ---- */

static uint64_t ingest_series_hash(const struct ingest_shape *s, size_t row)
{
    uint64_t h = dn_mix64((uint64_t)s->times[row]);

    /* in any order of tags the same */
    for (uint32_t i = 0; i < s->tags_count; i++) {
        const struct ingest_col *c = &s->cols[i];

        h += dn_hash64(((const char *const *)c->values)[row],
                       c->lens[row],
                       dn_hash64(c->name, c->name_len, 0));
    }
    return h;
}

static bool ingest_seen_same(const void *ctx, const void *key, uint32_t id)
{
    const struct ingest_table *t = ctx;

    return t->hashes[id] == *(const uint64_t *)key;
}

static uint64_t ingest_seen_hash(const void *ctx, uint32_t id)
{
    return ((const struct ingest_table *)ctx)->hashes[id];
}

/* True: it was there; ret_nomem: it cannot be kept. */
static bool ingest_seen(struct ingest *in, struct ingest_table *t, uint64_t hash, bool *ret_nomem)
{
    if (hidx_find(&t->seen, hash, ingest_seen_same, t, &hash) != UINT32_MAX)
        return true;
    if (t->hashes_count == t->hashes_cap) {
        uint32_t cap = t->hashes_cap ? t->hashes_cap * 2 : 256;
        uint64_t *grown = mem_realloc(in->owner, t->hashes, cap * sizeof(*grown));

        if (!grown) {
            *ret_nomem = true;
            return false;
        }
        t->hashes = grown;
        t->hashes_cap = cap;
    }
    t->hashes[t->hashes_count] = hash;
    *ret_nomem = !hidx_add(&t->seen, hash, t->hashes_count, ingest_seen_hash, t);
    t->hashes_count += !*ret_nomem;
    return false;
}

/* The table gets its second shape: what the first has was seen. */
static int ingest_see_all(struct ingest *in, struct ingest_table *t, struct dendro_error *err)
{
    bool nomem = false;

    for (struct ingest_shape *s = in->shapes; s; s = s->next)
        for (size_t row = 0; s->table == t && !s->closed && row < s->rows && !nomem; row++)
            DN_IGNORE(ingest_seen(in, t, ingest_series_hash(s, row), &nomem));
    return nomem ? ingest_nomem(err) : 0;
}

/* ---- shapes ---- */

static uint64_t ingest_names_hash(const struct lp_point *p)
{
    uint64_t h = dn_hash64(p->name.ptr, p->name.len, p->tags_count);

    for (uint32_t i = 0; i < p->tags_count; i++)
        h = dn_hash64(p->tags[i].key.ptr, p->tags[i].key.len, h);
    for (uint32_t i = 0; i < p->fields_count; i++)
        h = dn_hash64(p->fields[i].key.ptr, p->fields[i].key.len, h);
    return h;
}

static inline bool ingest_name_is(const char *name, uint32_t len, struct lp_text t)
{
    return len == t.len && memcmp(name, t.ptr, len) == 0;
}

static bool ingest_fits(const struct ingest_shape *s, const struct lp_point *p)
{
    if (s->tags_count != p->tags_count || s->fields_count != p->fields_count ||
        !ingest_name_is(s->table->name, s->table->name_len, p->name))
        return false;
    for (uint32_t i = 0; i < s->tags_count; i++)
        if (!ingest_name_is(s->cols[i].name, s->cols[i].name_len, p->tags[i].key))
            return false;
    for (uint32_t i = 0; i < s->fields_count; i++)
        if (!ingest_name_is(s->field_names[i].ptr, s->field_names[i].len, p->fields[i].key))
            return false;
    return true;
}

static bool ingest_same(const void *ctx, const void *key, uint32_t id)
{
    return ingest_fits(((const struct ingest *)ctx)->by_id[id], key);
}

static uint64_t ingest_shape_hash(const void *ctx, uint32_t id)
{
    return ((const struct ingest *)ctx)->by_id[id]->hash;
}

static struct ingest_table *ingest_table_of(struct ingest *in, struct lp_text name)
{
    struct ingest_table *t = in->tables;

    while (t && !ingest_name_is(t->name, t->name_len, name))
        t = t->next;
    if (t)
        return t;
    t = arena_calloc(&in->arena, 1, sizeof(*t));
    if (!t)
        return NULL;
    t->name = arena_strndup(&in->arena, name.ptr, name.len);
    t->name_len = name.len;
    if (!t->name)
        return NULL;
    hidx_init(&t->seen, in->owner);
    if (in->opt.session)
        t->def = appender_table(in->opt.session, in->opt.schema, t->name);
    t->next = in->tables;
    in->tables = t;
    return t;
}

static int ingest_check_name(struct lp_text name, struct dendro_error *err)
{
    if (memchr(name.ptr, 0, name.len))
        return ingest_fail(err, DN_E_BAD_NAME, "a name has a NUL in it");
    if (!text_value_valid(name.ptr, name.len))
        return ingest_fail(err, DN_E_BAD_NAME, "a name is not valid UTF-8");
    return 0;
}

static int ingest_new_col(struct ingest *in,
                          struct ingest_shape *s,
                          struct lp_text name,
                          bool tag,
                          struct dendro_error *err)
{
    struct ingest_col *c = &s->cols[s->cols_count];

    int rc = ingest_check_name(name, err);

    if (rc < 0)
        return rc;
    c->name = arena_strndup(&in->arena, name.ptr, name.len);
    if (!c->name)
        return ingest_nomem(err);
    c->name_len = name.len;
    c->tag = tag;
    s->cols_count++;
    return 0;
}

/* The column has the table's type, if points have such. */
static void ingest_declare(const struct table *t, struct ingest_col *c)
{
    int col = table_column_find(t, c->name, c->name_len);
    enum type_id type =
        col < 0 || strcmp(t->columns[col].name, c->name) != 0 ? TYPE_NONE : t->columns[col].type;

    c->declared =
        type == TYPE_DOUBLE || type == TYPE_BIGINT || type == TYPE_BOOLEAN || type == TYPE_VARCHAR;
    if (c->declared)
        c->type = type == TYPE_DOUBLE    ? LP_DOUBLE
                  : type == TYPE_BIGINT  ? LP_INT
                  : type == TYPE_BOOLEAN ? LP_BOOL
                                         : LP_TEXT;
}

static int ingest_new_cols(struct ingest *in,
                           struct ingest_shape *s,
                           const struct lp_point *p,
                           struct dendro_error *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < p->tags_count; i++) {
        rc = ingest_new_col(in, s, p->tags[i].key, true, err);
        if (rc == 0)
            s->cols[i].type = LP_TEXT;
    }
    for (uint32_t i = 0; rc == 0 && i < p->fields_count; i++) {
        struct lp_text key = p->fields[i].key;
        uint32_t at = 0;

        while (at < s->cols_count && !ingest_name_is(s->cols[at].name, s->cols[at].name_len, key))
            at++;
        if (at < s->tags_count)
            return ingest_fail(
                err, DN_E_DUPLICATE_COLUMN, "\"%s\" is both a tag and a field", s->cols[at].name);
        if (at == s->cols_count) {
            rc = ingest_new_col(in, s, key, false, err);
            if (rc == 0)
                s->cols[at].type = p->fields[i].type;
            if (rc == 0 && s->table->def)
                ingest_declare(s->table->def, &s->cols[at]);
        }
        s->slot[i] = at;
        s->field_names[i].len = key.len;
        s->field_names[i].ptr = rc == 0 ? s->cols[at].name : NULL;
    }
    return rc;
}

static int ingest_new_shape(struct ingest *in,
                            const struct lp_point *p,
                            uint64_t hash,
                            struct ingest_shape **ret,
                            struct dendro_error *err)
{
    struct ingest_shape *s = arena_calloc(&in->arena, 1, sizeof(*s));
    int rc = 0;

    if (in->shapes_count == INGEST_SHAPES_MAX)
        return ingest_fail(err,
                           DN_E_TOO_LONG,
                           "more than %u kinds of points: send fewer lines at a time",
                           INGEST_SHAPES_MAX);
    if (in->shapes_count == in->by_id_cap) {
        uint32_t cap = in->by_id_cap ? in->by_id_cap * 2 : 16;
        struct ingest_shape **grown =
            mem_realloc(in->owner, in->by_id, cap * sizeof(struct ingest_shape *));

        if (!grown)
            return ingest_nomem(err);
        in->by_id = grown;
        in->by_id_cap = cap;
    }
    if (!s)
        return ingest_nomem(err);
    rc = ingest_check_name(p->name, err);
    if (rc < 0)
        return rc;
    s->hash = hash;
    s->tags_count = p->tags_count;
    s->fields_count = p->fields_count;
    s->cols = arena_calloc(&in->arena, (size_t)p->tags_count + p->fields_count, sizeof(*s->cols));
    s->slot = arena_calloc(&in->arena, p->fields_count, sizeof(*s->slot));
    s->field_names = arena_calloc(&in->arena, p->fields_count, sizeof(*s->field_names));
    s->table = ingest_table_of(in, p->name);
    if (!s->cols || !s->slot || !s->field_names || !s->table)
        return ingest_nomem(err);
    rc = ingest_new_cols(in, s, p, err);
    if (rc == 0 && s->table->shapes_count == 1)
        rc = ingest_see_all(in, s->table, err);
    if (rc < 0)
        return rc;
    in->by_id[in->shapes_count] = s;
    if (!hidx_add(&in->index, hash, in->shapes_count, ingest_shape_hash, in))
        return ingest_nomem(err);
    in->shapes_count++;
    if (in->last)
        in->last->next = s;
    else
        in->shapes = s;
    in->last = s;
    s->table->shapes_count++;
    *ret = s;
    return 0;
}

static int ingest_shape_of(struct ingest *in,
                           const struct lp_point *p,
                           struct ingest_shape **ret,
                           struct dendro_error *err)
{
    uint64_t hash = ingest_names_hash(p);
    uint32_t id = hidx_find(&in->index, hash, ingest_same, in, p);

    if (id == UINT32_MAX)
        return ingest_new_shape(in, p, hash, ret, err);
    *ret = in->by_id[id];
    return 0;
}

/* ---- rows ---- */

static size_t ingest_width(enum lp_type type)
{
    return type == LP_BOOL ? 1 : 8; /* text: a pointer */
}

static bool ingest_grow_col(struct ingest *in, struct ingest_col *c, size_t cap)
{
    void *v = mem_realloc(in->owner, c->values, cap * ingest_width(c->type));

    if (!v)
        return false;
    c->values = v;
    if (c->type == LP_TEXT) {
        v = mem_realloc(in->owner, c->lens, cap * sizeof(*c->lens));
        if (!v)
            return false;
        c->lens = v;
    }
    if (c->nulls) {
        v = mem_realloc(in->owner, c->nulls, cap);
        if (!v)
            return false;
        c->nulls = v;
    }
    return true;
}

static bool ingest_grow(struct ingest *in, struct ingest_shape *s)
{
    size_t cap = s->cap ? s->cap * 2 : INGEST_ROWS_FIRST;
    void *v = mem_realloc(in->owner, s->times, cap * sizeof(*s->times));

    if (!v)
        return false;
    s->times = v;
    v = mem_realloc(in->owner, s->lines, cap * sizeof(*s->lines));
    if (!v)
        return false;
    s->lines = v;
    for (uint32_t i = 0; i < s->cols_count; i++)
        if (!ingest_grow_col(in, &s->cols[i], cap))
            return false;
    s->cap = cap;
    return true;
}

static void ingest_to_double(struct ingest_col *c, size_t rows)
{
    int64_t *from = c->values;
    double *to = c->values;

    for (size_t i = 0; i < rows; i++)
        to[i] = (double)from[i];
    c->type = LP_DOUBLE;
}

static const char *ingest_type_name(enum lp_type type)
{
    static const char *const names[] = {
        [LP_DOUBLE] = "double", [LP_INT] = "integer", [LP_BOOL] = "boolean", [LP_TEXT] = "text"};

    return names[type];
}

static int ingest_null(struct ingest *in,
                       struct ingest_shape *s,
                       struct ingest_col *c,
                       struct dendro_error *err)
{
    if (!c->nulls) {
        c->nulls = mem_calloc(in->owner, s->cap, 1);
        if (!c->nulls)
            return ingest_nomem(err);
    }
    c->nulls[s->rows] = 1;
    memset((char *)c->values + s->rows * ingest_width(c->type), 0, ingest_width(c->type));
    if (c->lens)
        c->lens[s->rows] = 0;
    return 0;
}

static int ingest_put(struct ingest *in,
                      struct ingest_shape *s,
                      struct ingest_col *c,
                      const struct lp_field *f,
                      struct dendro_error *err)
{
    size_t row = s->rows;

    if (f->null)
        return ingest_null(in, s, c, err);
    if (c->type == LP_INT && f->type == LP_DOUBLE)
        ingest_to_double(c, row);
    if (c->nulls)
        c->nulls[row] = 0;
    if (c->type == LP_DOUBLE && (f->type == LP_DOUBLE || f->type == LP_INT)) {
        ((double *)c->values)[row] = f->type == LP_INT ? (double)f->v.i : f->v.d;
        return 0;
    }
    if (c->type != f->type && c->declared)
        return ingest_fail(err,
                           DN_E_DATATYPE_MISMATCH,
                           "field \"%s\" is %s, but column \"%s\" of table \"%s\" is %s",
                           c->name,
                           ingest_sql_type(f->type),
                           c->name,
                           s->table->def->name,
                           ingest_sql_type(c->type));
    if (c->type != f->type)
        return ingest_fail(err,
                           DN_E_DATATYPE_MISMATCH,
                           "field \"%s\" is %s here and %s in a line before",
                           c->name,
                           ingest_type_name(f->type),
                           ingest_type_name(c->type));
    switch (c->type) {
    case LP_INT:
        ((int64_t *)c->values)[row] = f->v.i;
        break;
    case LP_BOOL:
        ((uint8_t *)c->values)[row] = f->v.i != 0;
        break;
    case LP_TEXT:
        ((const char **)c->values)[row] = f->v.s.ptr;
        c->lens[row] = f->v.s.len;
        break;
    case LP_DOUBLE:
        break;
    }
    return 0;
}

/* I1: a point of that series and time is in another shape already: all shapes of the table are
 * closed, and the point begins a new one behind them. */
static int ingest_split(struct ingest *in, struct ingest_table *t, struct dendro_error *err)
{
    hidx_reset(&in->index);
    hidx_reset(&t->seen);
    t->hashes_count = 0;
    t->shapes_count = 0;
    /* The index has no way to forget one: it is made anew without the table's. */
    for (uint32_t id = 0; id < in->shapes_count; id++) {
        struct ingest_shape *s = in->by_id[id];

        s->closed = s->closed || s->table == t;
        if (!s->closed && !hidx_add(&in->index, s->hash, id, ingest_shape_hash, in))
            return ingest_nomem(err);
    }
    in->used = NULL;
    return 0;
}

static int ingest_row(struct ingest *in,
                      struct ingest_shape *s,
                      const struct lp_point *p,
                      struct dendro_error *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < s->tags_count; i++) {
        ((const char **)s->cols[i].values)[s->rows] = p->tags[i].value.ptr;
        s->cols[i].lens[s->rows] = p->tags[i].value.len;
    }
    for (uint32_t i = 0; rc == 0 && i < s->fields_count; i++)
        rc = ingest_put(in, s, &s->cols[s->slot[i]], &p->fields[i], err);
    return rc;
}

int ingest_add(struct ingest *in, const struct lp_point *p, uint64_t line, struct dendro_error *err)
{
    struct ingest_shape *s = in->used;
    int64_t time = in->opt.now_ns;
    bool nomem = false;
    int rc = 0;

    in->bad_line = line;
    in->bad_table = s ? s->table : NULL;
    if (p->timed && __builtin_mul_overflow(p->time, in->opt.unit_ns, &time))
        return ingest_fail(err, DN_E_DATETIME_RANGE, "time outside range");
    for (int tries = 0;; tries++) {
        if (!s || !ingest_fits(s, p))
            rc = ingest_shape_of(in, p, &s, err);
        if (rc < 0)
            return rc;
        in->bad_table = s->table;
        if (s->rows == s->cap && !ingest_grow(in, s))
            return ingest_nomem(err);
        s->times[s->rows] = time;
        s->lines[s->rows] = (uint32_t)line;
        rc = ingest_row(in, s, p, err);
        if (rc < 0)
            return rc;
        if (s->table->shapes_count < 2 ||
            !ingest_seen(in, s->table, ingest_series_hash(s, s->rows), &nomem) || tries > 0)
            break;
        rc = ingest_split(in, s->table, err);
        if (rc < 0)
            return rc;
        s = NULL;
    }
    if (nomem)
        return ingest_nomem(err);
    s->rows++;
    in->rows++;
    in->used = s;
    in->bad_line = 0;
    in->bad_table = NULL;
    return 0;
}

int ingest_lines(struct ingest *in, struct lp *lp, struct dendro_error *err)
{
    for (;;) {
        int rc;

        switch (lp_next(lp)) {
        case LP_END:
            return 0;
        case LP_NOMEM:
            return ingest_nomem(err);
        case LP_BAD:
            in->bad_line = lp->line;
            return ingest_fail(err, DN_E_BAD_LINE, "%s", lp->error);
        case LP_POINT:
            rc = ingest_add(in, &lp->point, lp->line, err);
            if (rc < 0)
                return rc;
            break;
        }
    }
}
