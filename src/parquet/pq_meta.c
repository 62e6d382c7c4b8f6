/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_meta.c: the footer of a file: its schema, and where the columns of its row groups are. All of
 * it is untrusted; an offset that is kept lies within the file. */
#include "parquet/pq_int.h"

#include "base/text.h"
#include "parquet/thrift.h"

#define META_NAME_MAX 1000u /* bytes of a column's name */

struct meta_in {
    struct rd in;
    struct pq_meta *meta;
    uint64_t file_size;
    struct pq_element *schema; /* arena */
    uint32_t schema_count;
    uint32_t *leaf_of; /* arena: by schema element */
    const char *bad;
};

/* ---- schema ---- */

/* enum ConvertedType of the format, in its order. */
static void meta_converted(struct pq_element *e, int64_t converted)
{
    static const struct {
        int8_t logical;
        int8_t detail; /* INTEGER: bits, negative: unsigned; times: the unit */
    } old[] = {{PQ_L_STRING, 0},    {PQ_L_MAP, 0},       {PQ_L_MAP, 0},       {PQ_L_LIST, 0},
               {PQ_L_ENUM, 0},      {PQ_L_DECIMAL, 0},   {PQ_L_DATE, 0},      {PQ_L_TIME, 3},
               {PQ_L_TIME, 6},      {PQ_L_TIMESTAMP, 3}, {PQ_L_TIMESTAMP, 6}, {PQ_L_INTEGER, -8},
               {PQ_L_INTEGER, -16}, {PQ_L_INTEGER, -32}, {PQ_L_INTEGER, -64}, {PQ_L_INTEGER, 8},
               {PQ_L_INTEGER, 16},  {PQ_L_INTEGER, 32},  {PQ_L_INTEGER, 64},  {PQ_L_JSON, 0},
               {PQ_L_BSON, 0},      {PQ_L_INTERVAL, 0}};

    if (converted < 0 || converted >= (int64_t)DN_ARRAY_SIZE(old))
        return;
    e->logical = old[converted].logical;
    e->unit = old[converted].detail;
    e->bits = old[converted].detail < 0 ? -old[converted].detail : old[converted].detail;
    e->is_signed = old[converted].detail > 0;
}

/* TIME and TIMESTAMP. */
static int meta_unit(struct rd *in)
{
    struct thrift_field f = {.id = 0};
    struct thrift_field unit = {.id = 0};
    int digits = 0;

    while (thrift_next(in, &f)) {
        if (f.id != 2 || !thrift_is_struct(in, &f)) {
            thrift_skip(in, &f);
            continue;
        }
        while (thrift_next(in, &unit)) {
            digits = unit.id >= 1 && unit.id <= 3 ? 3 * (int)unit.id : 0;
            thrift_skip(in, &unit);
        }
    }
    return digits;
}

static void meta_logical(struct rd *in, struct pq_element *e)
{
    struct thrift_field kind = {.id = 0};
    struct thrift_field f;

    while (thrift_next(in, &kind)) {
        e->logical = kind.id;
        f = (struct thrift_field){.id = 0};
        if (!thrift_is_struct(in, &kind))
            return;
        if (kind.id == PQ_L_TIME || kind.id == PQ_L_TIMESTAMP) {
            e->unit = meta_unit(in);
            continue;
        }
        while (thrift_next(in, &f)) {
            if (kind.id == PQ_L_DECIMAL && f.id == 1)
                e->scale = thrift_int(in, &f);
            else if (kind.id == PQ_L_DECIMAL && f.id == 2)
                e->precision = thrift_int(in, &f);
            else if (kind.id == PQ_L_INTEGER && f.id == 1)
                e->bits = thrift_int(in, &f);
            else if (kind.id == PQ_L_INTEGER && f.id == 2)
                e->is_signed = thrift_bool(in, &f);
            else
                thrift_skip(in, &f);
        }
    }
}

static void meta_element(struct rd *in, struct pq_element *e)
{
    struct thrift_field f = {.id = 0};
    int64_t converted = -1;
    bool logical = false;

    *e = (struct pq_element){.phys = -1, .repetition = PQ_REQUIRED, .name = {"", 0}};
    while (thrift_next(in, &f)) {
        switch (f.id) {
        case 1:
            e->phys = thrift_int(in, &f);
            break;
        case 2:
            e->width = thrift_int(in, &f);
            break;
        case 3:
            e->repetition = thrift_int(in, &f);
            break;
        case 4:
            e->name = thrift_text(in, &f);
            break;
        case 5:
            e->children = thrift_int(in, &f);
            break;
        case 6:
            converted = thrift_int(in, &f);
            break;
        case 7:
            e->scale = thrift_int(in, &f);
            break;
        case 8:
            e->precision = thrift_int(in, &f);
            break;
        case 10:
            logical = true;
            if (thrift_is_struct(in, &f))
                meta_logical(in, e);
            break;
        default:
            thrift_skip(in, &f);
            break;
        }
    }
    if (!logical)
        meta_converted(e, converted);
    if (e->children < 0 || e->phys < -1 || (e->phys >= 0 && e->children > 0))
        in->bad = true;
    if ((e->logical == PQ_L_TIME || e->logical == PQ_L_TIMESTAMP) && e->unit != 3 && e->unit != 6 &&
        e->unit != 9)
        in->bad = true;
}

static int meta_schema(struct meta_in *m, const struct thrift_field *f, struct dn_err *err)
{
    uint32_t count = thrift_list(&m->in, f, THRIFT_STRUCT);

    if (m->schema) { /* twice */
        m->in.bad = true;
        return 0;
    }
    m->schema = arena_calloc(&m->meta->arena, (size_t)count + 1, sizeof(*m->schema));
    if (!m->schema)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count && !m->in.bad; i++)
        meta_element(&m->in, &m->schema[i]);
    m->schema_count = count;
    return 0;
}

/* Columns are what is right below the root. Elements are listed depth first: those of a group
 * follow it. */
static int meta_fields(struct meta_in *m, struct dn_err *err)
{
    struct pq_meta *meta = m->meta;
    uint64_t open = 0; /* elements inside of the column at hand that are still to come */
    uint32_t count = m->schema_count;

    if (count == 0 || m->schema[0].phys >= 0)
        return DN_FAIL(err, DN_E_BAD_COPY, "the Parquet file has no schema");
    meta->fields = arena_calloc(&meta->arena, count, sizeof(*meta->fields));
    meta->shown = arena_calloc(&meta->arena, count, sizeof(*meta->shown));
    if (!meta->fields || !meta->shown)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 1; i < count; i++) {
        const struct pq_element *e = &m->schema[i];
        struct pq_field *f = &meta->fields[meta->fields_count];
        int rc;

        if (open > 0) {
            open += (uint64_t)e->children;
            open--;
            meta->leaves += e->phys >= 0;
            continue;
        }
        if (e->name.len == 0 || e->name.len > META_NAME_MAX ||
            !text_value_valid(e->name.ptr, e->name.len))
            return DN_FAIL(err, DN_E_BAD_COPY, "a column of the Parquet file has no proper name");
        f->leaf = meta->leaves;
        rc = pq_type_of(e, &meta->arena, f, err);
        if (rc < 0)
            return rc;
        meta->shown[meta->fields_count++] = f->shown;
        meta->leaves += e->phys >= 0;
        open = (uint64_t)e->children;
    }
    if (open > 0 || (uint64_t)m->schema[0].children != meta->fields_count)
        return DN_FAIL(err, DN_E_BAD_COPY, "the schema of the Parquet file is damaged");
    return 0;
}

/* ---- row groups ---- */

static void meta_column_data(struct rd *in, struct pq_chunk *c)
{
    struct thrift_field f = {.id = 0};
    int64_t data = 0;
    int64_t dict = 0;
    int64_t bytes = 0;
    int64_t values = 0;

    c->phys = c->codec = -1;
    while (thrift_next(in, &f)) {
        switch (f.id) {
        case 1:
            c->phys = (int32_t)thrift_int(in, &f);
            break;
        case 4:
            c->codec = (int32_t)thrift_int(in, &f);
            break;
        case 5:
            values = thrift_int(in, &f);
            break;
        case 7:
            bytes = thrift_int(in, &f);
            break;
        case 9:
            data = thrift_int(in, &f);
            break;
        case 11:
            dict = thrift_int(in, &f);
            break;
        default:
            thrift_skip(in, &f);
            break;
        }
    }
    if (data < 0 || bytes < 0 || values < 0)
        in->bad = true;
    /* Some writers leave 0 for "there is no dictionary". */
    c->at = (uint64_t)(dict > 0 && dict < data ? dict : data);
    c->bytes = (uint64_t)bytes;
    c->values = (uint64_t)values;
    c->there = true;
}

static void meta_column(struct meta_in *m, struct pq_chunk *c)
{
    struct thrift_field f = {.id = 0};

    while (thrift_next(&m->in, &f)) {
        if (f.id == 3 && thrift_is_struct(&m->in, &f)) {
            meta_column_data(&m->in, c);
        } else {
            if (f.id == 1 && !m->bad)
                m->bad = "its columns are in other files";
            if ((f.id == 8 || f.id == 9) && !m->bad)
                m->bad = "it is encrypted";
            thrift_skip(&m->in, &f);
        }
    }
    if (c->there && (c->at > m->file_size || c->bytes > m->file_size - c->at))
        m->in.bad = true;
}

static void meta_group(struct meta_in *m, struct pq_group *g, struct pq_chunk *chunks)
{
    struct thrift_field f = {.id = 0};
    uint32_t count;
    int64_t rows = 0;

    while (thrift_next(&m->in, &f)) {
        if (f.id == 1) {
            count = thrift_list(&m->in, &f, THRIFT_STRUCT);
            if (count != m->meta->leaves)
                m->in.bad = true;
            for (uint32_t i = 0; i < count && !m->in.bad; i++)
                meta_column(m, &chunks[i]);
        } else if (f.id == 3) {
            rows = thrift_int(&m->in, &f);
        } else {
            thrift_skip(&m->in, &f);
        }
    }
    g->rows = (uint64_t)rows;
    if (rows < 0 || __builtin_add_overflow(m->meta->rows, g->rows, &m->meta->rows))
        m->in.bad = true;
}

static int meta_groups(struct meta_in *m, const struct thrift_field *f, struct dn_err *err)
{
    struct pq_meta *meta = m->meta;
    uint32_t count = thrift_list(&m->in, f, THRIFT_STRUCT);
    size_t chunks;
    int rc;

    if (!m->schema || meta->groups)
        m->in.bad = true;
    if (m->in.bad)
        return 0;
    rc = meta_fields(m, err);
    if (rc < 0)
        return rc;
    /* A chunk takes more than one byte of the footer: no more memory than in proportion to it. */
    if (__builtin_mul_overflow((size_t)count, (size_t)meta->leaves, &chunks) ||
        chunks > rd_left(&m->in)) {
        m->in.bad = true;
        return 0;
    }
    meta->groups = arena_calloc(&meta->arena, (size_t)count + 1, sizeof(*meta->groups));
    meta->chunks = arena_calloc(&meta->arena, chunks + 1, sizeof(*meta->chunks));
    if (!meta->groups || !meta->chunks)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count && !m->in.bad; i++)
        meta_group(m, &meta->groups[i], meta->chunks + (size_t)i * meta->leaves);
    meta->groups_count = count;
    return 0;
}

int pq_meta_read(
    const uint8_t *bytes, size_t len, uint64_t file_size, struct pq_meta *ret, struct dn_err *err)
{
    struct meta_in m = {.in = rd_make(bytes, len), .meta = ret, .file_size = file_size};
    struct thrift_field f = {.id = 0};
    int rc = 0;

    while (rc == 0 && thrift_next(&m.in, &f)) {
        if (f.id == 2)
            rc = meta_schema(&m, &f, err);
        else if (f.id == 4)
            rc = meta_groups(&m, &f, err);
        else
            thrift_skip(&m.in, &f);
    }
    if (rc < 0)
        return rc;
    if (m.in.bad || !ret->groups)
        return DN_FAIL(err, DN_E_BAD_COPY, "the footer of the Parquet file is damaged");
    if (m.bad)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "the Parquet file cannot be read: %s", m.bad);
    return 0;
}
