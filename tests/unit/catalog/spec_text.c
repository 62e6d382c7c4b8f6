/* SPDX-License-Identifier: Apache-2.0 */
#include "spec_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void spec_die(const struct spec_text *s, const char *what)
{
    (void)fprintf(stderr, "spec_text: %s expected at: %.40s\nin: %s\n", what, s->at, s->text);
    abort();
}

static uint32_t spec_pos(const struct spec_text *s)
{
    return (uint32_t)(s->at - s->text) + 1;
}

static void spec_skip(struct spec_text *s)
{
    while (*s->at == ' ' || *s->at == '\n')
        s->at++;
}

static bool spec_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t spec_word_len(const char *at)
{
    size_t n = 0;

    while (spec_is_word(at[n]))
        n++;
    return n;
}

/* Takes the words of `words` if they come next. */
static bool spec_word(struct spec_text *s, const char *words)
{
    const char *at;

    spec_skip(s);
    at = s->at;
    while (*words) {
        size_t n = spec_word_len(words);

        while (*at == ' ' || *at == '\n')
            at++;
        if (spec_word_len(at) != n || strncasecmp(at, words, n) != 0)
            return false;
        at += n;
        words += n;
        while (*words == ' ')
            words++;
    }
    s->at = at;
    return true;
}

static bool spec_char(struct spec_text *s, char c)
{
    spec_skip(s);
    if (*s->at != c)
        return false;
    s->at++;
    return true;
}

static void spec_need(struct spec_text *s, char c)
{
    char what[2] = {c, 0};

    if (!spec_char(s, c))
        spec_die(s, what);
}

static char *spec_keep(struct spec_text *s, const char *p, size_t n)
{
    char *to = s->strings + s->strings_len;

    if (s->strings_len + n + 1 > sizeof s->strings)
        spec_die(s, "less text");
    memcpy(to, p, n);
    to[n] = '\0';
    s->strings_len += n + 1;
    return to;
}

/* What stands between quotes, doubled ones undone. */
static char *spec_quoted(struct spec_text *s, char quote)
{
    char *text = spec_keep(s, s->at, strlen(s->at));
    size_t n = 0;

    for (s->at++; *s->at != quote || s->at[1] == quote; s->at++) {
        if (!*s->at)
            spec_die(s, "end of quotes");
        s->at += *s->at == quote ? 1 : 0;
        text[n++] = *s->at;
    }
    s->at++;
    text[n] = '\0';
    s->strings_len = (size_t)(text - s->strings) + n + 1;
    return text;
}

static struct spec_name spec_name(struct spec_text *s)
{
    struct spec_name name;
    size_t n;

    spec_skip(s);
    name.pos = spec_pos(s);
    if (*s->at == '"') {
        name.s = spec_quoted(s, '"');
        return name;
    }
    n = spec_word_len(s->at);
    if (n == 0)
        spec_die(s, "a name");
    name.s = spec_keep(s, s->at, n);
    s->at += n;
    return name;
}

static enum type_id spec_type(struct spec_text *s)
{
    struct spec_name name = spec_name(s);
    enum type_id type = type_by_name(name.s, strlen(name.s));

    if (type == TYPE_NONE)
        spec_die(s, "a type");
    if (type == TYPE_TIMESTAMP && spec_char(s, '(')) {
        type = *s->at == '6' ? TYPE_TIMESTAMP_US : *s->at == '9' ? TYPE_TIMESTAMP_NS : type;
        s->at++;
        spec_need(s, ')');
    }
    return type;
}

/* 'YYYY-MM-DDTHH:MM:SS.fffZ' in units of the type. */
static int64_t spec_timestamp(const char *text, enum type_id type)
{
    int y, mo, d, h, mi, se;
    int64_t frac;
    int64_t days = 0;
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

    if (sscanf(text, "%d-%d-%dT%d:%d:%d.%" SCNd64 "Z", &y, &mo, &d, &h, &mi, &se, &frac) != 7)
        abort();
    for (int year = 1; year < y; year++)
        days += 365 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    days += before[mo - 1] + d - 1;
    days += mo > 2 && y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    days -= 719162; /* 1970-01-01 */
    return ((days * 24 + h) * 60 + mi) * 60 * type_ts_per_second(type) +
           se * type_ts_per_second(type) + frac;
}

static void spec_default(struct spec_text *s, struct column_spec *c)
{
    char *end;
    char *text;

    c->has_default = true;
    c->def.type = c->type;
    spec_skip(s);
    if (spec_word(s, "NULL")) {
        c->def.null = true;
    } else if (spec_word(s, "true") || spec_word(s, "false")) {
        c->def.v.i64 = (s->at[-2] | 0x20) == 'u';
    } else if (*s->at == '\'' || strncmp(s->at, "X'", 2) == 0) {
        bool hex = *s->at == 'X';

        s->at += hex ? 1 : 0;
        text = spec_quoted(s, '\'');
        c->def.str.ptr = text;
        c->def.str.len = (uint32_t)strlen(text);
        if (hex) {
            for (size_t i = 0; i < c->def.str.len / 2; i++) {
                char two[3] = {text[2 * i], text[2 * i + 1], 0};

                text[i] = (char)strtol(two, NULL, 16);
            }
            c->def.str.len /= 2;
        }
    } else if (spec_word(s, "TIMESTAMP")) {
        spec_skip(s);
        c->def.v.i64 = spec_timestamp(spec_quoted(s, '\''), c->type);
    } else {
        if (type_is_float(c->type))
            c->def.v.f64 = strtod(s->at, &end);
        else
            c->def.v.i64 = strtoll(s->at, &end, 10);
        if (end == s->at)
            spec_die(s, "a literal");
        s->at = end;
    }
}

static void spec_column(struct spec_text *s)
{
    struct column_spec *c = &s->columns[s->spec.columns_count++];

    memset(c, 0, sizeof *c);
    c->name = spec_name(s);
    c->type = spec_type(s);
    for (;;) {
        uint32_t pos;

        spec_skip(s);
        pos = spec_pos(s);
        if (spec_word(s, "NOT NULL")) {
            c->not_null = true;
        } else if (spec_word(s, "NULL")) {
            c->null_given = true;
        } else if (spec_word(s, "PRIMARY KEY")) {
            c->primary_key = true;
            c->pk_pos = pos;
        } else if (spec_word(s, "DEFAULT")) {
            spec_default(s, c);
        } else {
            return;
        }
    }
}

static void spec_elem(struct spec_text *s, struct key_elem_spec *e)
{
    memset(e, 0, sizeof *e);
    spec_skip(s);
    e->pos = spec_pos(s);
    e->name = spec_name(s);
    if (strcasecmp(e->name.s, "quantum") == 0 && spec_char(s, '(')) {
        e->is_quantum = true;
        e->name = spec_name(s);
        spec_need(s, ',');
        spec_skip(s);
        e->count_pos = spec_pos(s);
        e->count = strtoll(s->at, NULL, 10);
        while (spec_is_word(*s->at) || *s->at == '-')
            s->at++;
        spec_need(s, ',');
        spec_skip(s);
        e->unit_pos = spec_pos(s);
        e->unit = *s->at == '\'' ? spec_quoted(s, '\'') : spec_name(s).s;
        spec_need(s, ')');
    }
    spec_skip(s);
    e->order_pos = spec_pos(s);
    e->order_given = true;
    if (spec_word(s, "DESC"))
        e->desc = true;
    else if (!spec_word(s, "ASC"))
        e->order_given = false;
}

/* Elements up to the closing parenthesis, which is taken. */
static size_t spec_elems(struct spec_text *s, struct key_elem_spec *elems)
{
    size_t n = 0;

    if (spec_char(s, ')'))
        return 0;
    do {
        spec_elem(s, &elems[n++]);
    } while (spec_char(s, ','));
    spec_need(s, ')');
    return n;
}

static void spec_key(struct spec_text *s, uint32_t pos)
{
    struct table_spec *t = &s->spec;

    t->has_key = true;
    t->keys_count++;
    t->key_pos = pos;
    spec_need(s, '(');
    if (spec_char(s, '(')) {
        t->has_inner = true;
        t->partition_count = spec_elems(s, s->partition);
        if (!spec_char(s, ',')) {
            spec_need(s, ')');
            return;
        }
    }
    t->local_count = spec_elems(s, s->local);
}

static void spec_option(struct spec_text *s)
{
    struct option_spec *o = &s->options[s->spec.options_count++];
    size_t n = 0;

    memset(o, 0, sizeof *o);
    o->name = spec_name(s);
    spec_need(s, '=');
    spec_skip(s);
    o->value_pos = spec_pos(s);
    o->quoted = *s->at == '\'';
    if (o->quoted) {
        o->value = spec_quoted(s, '\'');
        return;
    }
    while (s->at[n] && !strchr(",); \n", s->at[n]))
        n += s->at[n] == '{' ? strcspn(s->at, "}") + 1 : 1;
    o->value = spec_keep(s, s->at, n);
    s->at += n;
}

static void spec_with(struct spec_text *s)
{
    struct table_spec *t = &s->spec;
    bool parens = spec_char(s, '(');

    do {
        spec_skip(s);
        t->clustering_pos = t->clustering ? t->clustering_pos : spec_pos(s);
        if (spec_word(s, "CLUSTERING ORDER BY")) {
            t->clustering = s->clustering;
            spec_need(s, '(');
            t->clustering_count = spec_elems(s, s->clustering);
        } else {
            spec_option(s);
        }
    } while (parens ? spec_char(s, ',') : spec_word(s, "AND"));
    if (parens)
        spec_need(s, ')');
}

void spec_text_parse(struct spec_text *s, const char *sql)
{
    struct table_spec *t = &s->spec;
    uint32_t pos;

    memset(t, 0, sizeof *t);
    s->strings_len = 0;
    s->text = s->at = sql;
    t->columns = s->columns;
    t->partition = s->partition;
    t->local = s->local;
    t->options = s->options;
    t->schema.s = "public";
    if (!spec_word(s, "CREATE TABLE"))
        spec_die(s, "CREATE TABLE");
    t->name = spec_name(s);
    if (spec_char(s, '.')) {
        t->schema = t->name;
        t->name = spec_name(s);
    }
    spec_need(s, '(');
    if (!spec_char(s, ')')) {
        do {
            spec_skip(s);
            pos = spec_pos(s);
            if (spec_word(s, "PRIMARY KEY")) {
                spec_key(s, pos);
            } else if (spec_word(s, "PARTITION KEY")) {
                t->partition_key = s->partition_key;
                t->partition_key_pos = pos;
                spec_need(s, '(');
                do
                    s->partition_key[t->partition_key_count++] = spec_name(s);
                while (spec_char(s, ','));
                spec_need(s, ')');
            } else {
                spec_column(s);
            }
        } while (spec_char(s, ','));
        spec_need(s, ')');
    }
    if (spec_word(s, "WITH"))
        spec_with(s);
    DN_IGNORE(spec_char(s, ';')); /* may be there */
    spec_skip(s);
    if (*s->at)
        spec_die(s, "the end");
}

int spec_text_build(const char *sql, struct table **ret, struct dn_err *err)
{
    static struct spec_text s; /* large; tests have one thread */

    spec_text_parse(&s, sql);
    return table_build(&s.spec, ret, err);
}

static bool spec_same_column(const struct column *a, const struct column *b)
{
    if (a->id != b->id || strcmp(a->name, b->name) != 0 || a->type != b->type ||
        a->not_null != b->not_null || a->has_default != b->has_default || a->key_pos != b->key_pos)
        return false;
    if (!a->has_default)
        return true;
    return a->def.type == b->def.type && a->def.null == b->def.null &&
           (a->def.null || datum_cmp(&a->def, &b->def) == 0);
}

static bool spec_same_parts(const struct key_part *a, const struct key_part *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].col != b[i].col || a[i].desc != b[i].desc)
            return false;
    return true;
}

static bool spec_same_lists(const struct table *a, const struct table *b)
{
    for (size_t i = 0; i < a->columns_count; i++)
        if (!spec_same_column(&a->columns[i], &b->columns[i]))
            return false;
    for (size_t i = 0; i < a->slabs_count; i++)
        if (a->slabs[i].from != b->slabs[i].from ||
            a->slabs[i].quantum_width != b->slabs[i].quantum_width ||
            a->slabs[i].slab_width != b->slabs[i].slab_width)
            return false;
    for (size_t i = 0; i < a->options_count; i++)
        if (strcmp(a->options[i].name, b->options[i].name) != 0 ||
            strcmp(a->options[i].value, b->options[i].value) != 0 ||
            a->options[i].quoted != b->options[i].quoted)
            return false;
    return (a->partition_count == 0 ||
            memcmp(a->partition, b->partition, a->partition_count * sizeof a->partition[0]) == 0) &&
           spec_same_parts(a->local, b->local, a->local_count) &&
           spec_same_parts(a->rest, b->rest, a->rest_count);
}

void spec_by_token(struct table *t)
{
    if (!t->by_value)
        return;
    t->by_value = false;
    t->series_count = t->partition_count;
    t->rest_count = (uint16_t)(t->local_count - t->partition_count);
    memmove(t->rest, t->local + t->partition_count, t->rest_count * sizeof *t->rest);
}

int spec_text_build_old(const char *sql, struct table **ret, struct dn_err *err)
{
    int rc = spec_text_build(sql, ret, err);

    if (rc == 0)
        spec_by_token(*ret);
    return rc;
}

bool spec_same_table(const struct table *a, const struct table *b)
{
    return strcmp(a->schema, b->schema) == 0 && strcmp(a->name, b->name) == 0 &&
           a->columns_count == b->columns_count && a->column_id_next == b->column_id_next &&
           a->form == b->form && a->clustering_clause == b->clustering_clause &&
           a->by_value == b->by_value && a->series_count == b->series_count &&
           a->partition_count == b->partition_count && a->local_count == b->local_count &&
           a->rest_count == b->rest_count && a->quantum_pos == b->quantum_pos &&
           a->quantum_count == b->quantum_count && a->quantum_unit == b->quantum_unit &&
           a->time_col == b->time_col && a->time_desc == b->time_desc &&
           a->slabs_count == b->slabs_count && a->upsert == b->upsert && a->spread == b->spread &&
           a->options_count == b->options_count && spec_same_lists(a, b);
}

char *spec_read_file(const char *dir, const char *name)
{
    char path[512];
    char *text = malloc(1 << 20);
    FILE *f;
    size_t n;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!text || !f) {
        (void)fprintf(stderr, "cannot read %s\n", path);
        abort();
    }
    n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

struct catalog *spec_empty_catalog(void)
{
    static const char doc[] =
        "{\"format\": 1, \"version\": 0, \"table_id_next\": 1, \"schemas\": [{\"name\": "
        "\"public\", \"replication\": \"\"}], \"tables\": []}";
    struct catalog *c = NULL;

    if (catalog_parse(doc, sizeof doc - 1, &c, NULL) < 0)
        abort();
    return c;
}

void spec_refused(const char *doc, const char *from, const char *to, const char *why)
{
    const char *at = strstr(doc, from);
    struct catalog *back = NULL;
    struct dn_err err;
    struct buf b;
    int rc;

    if (!at) {
        (void)fprintf(stderr, "the document has no %s\n", from);
        abort();
    }
    buf_init(&b, NULL);
    buf_append(&b, doc, (size_t)(at - doc));
    buf_puts(&b, to);
    buf_puts(&b, at + strlen(from));
    rc = catalog_parse(b.data, b.len, &back, &err);
    if (rc != DN_E_CORRUPT || !strstr(err.text, why)) {
        (void)fprintf(stderr, "%s: %d %s\n", why, rc, rc < 0 ? err.text : "");
        abort();
    }
    buf_done(&b);
}
