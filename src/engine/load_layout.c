/* SPDX-License-Identifier: Apache-2.0
 *
 * load_layout.c: which column of the file is which of the table. */
#include "engine/generated.h"
#include "engine/load.h"

#include <string.h>

/* Are most cells names of columns? */
static bool layout_is_header(const struct table *t, const struct csv_cells *record)
{
    uint32_t known = 0;

    for (uint32_t i = 0; i < record->count; i++) {
        struct vstr name = csv_header_trim(record->cells[i].text);

        known += table_column_find(t, name.ptr, name.len) != -1;
    }
    return known > record->count / 2;
}

/* Names that the header does not have as they are ("column3", "v_2") are meant only if the table
 * was made so: else a cell without a name is passed over, and a name that is there twice is an
 * error. */
static int layout_own_names(const struct table *t,
                            const struct csv_cells *header,
                            struct arena *arena,
                            struct spec_name *names,
                            struct dn_err *err)
{
    for (uint32_t i = 0; i < header->count; i++) {
        struct vstr cell = csv_header_trim(header->cells[i].text);

        if (table_column_find(t, names[i].s, strlen(names[i].s)) != -1)
            continue;
        names[i].s = arena_strndup(arena, cell.ptr, cell.len);
        if (!names[i].s)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* The target is made of the names that are not empty. */
static int layout_fields(const struct load_spec *spec,
                         const struct spec_name *names,
                         uint32_t count,
                         struct arena *arena,
                         struct load_columns *ret,
                         struct dn_err *err)
{
    struct spec_name *wanted = arena_calloc(arena, count + 1, sizeof(*wanted));
    uint32_t *fields = arena_calloc(arena, count + 1, sizeof(*fields));
    uint32_t n = 0;
    int rc;

    if (!wanted || !fields)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = CSV_SKIP;
        if (names && !names[i].s[0])
            continue;
        fields[i] = n;
        if (names)
            wanted[n] = names[i];
        n++;
    }
    if (n == 0)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "no column of the file is wanted");
    rc = intake_target_columns(&ret->target, spec->table, names ? wanted : NULL, n, arena, err);
    if (rc == 0)
        rc = intake_target_plain(&ret->target, names != NULL, err);
    if (rc == 0)
        rc = intake_target_unlisted(&ret->target, err);
    ret->layout = (struct csv_layout){.to = &ret->target,
                                      .format = spec->format,
                                      .fields = fields,
                                      .fields_count = count,
                                      .go_on = spec->reject != NULL};
    return rc;
}

int load_layout(const struct load_spec *spec,
                const char *text,
                size_t len,
                struct arena *arena,
                struct load_columns *ret,
                struct dn_err *err)
{
    const struct spec_name *names = spec->columns;
    uint32_t count = names ? spec->columns_count : spec->table->columns_count;
    struct csv_cells first = {.count = 0};
    struct spec_name *own;
    bool header = false;
    int rc;

    for (uint16_t i = 0; !names && i < spec->table->columns_count; i++)
        count -= spec->table->columns[i].source == COLUMN_STORED;
    ret->header = (struct csv_cells){.count = 0};
    if (spec->header != LOAD_HEADER_NO) {
        rc = csv_cells(&spec->format, text, len, arena, &first, err);
        if (rc < 0)
            dn_err_prefix(err, "line 1");
        if (rc < 0)
            return rc;
        header =
            rc == 0 && (spec->header == LOAD_HEADER_YES || layout_is_header(spec->table, &first));
    }
    if (header) {
        ret->header = first;
        if (!names) {
            rc = csv_header_names(&first, arena, &own, err);
            if (rc == 0)
                rc = layout_own_names(spec->table, &first, arena, own, err);
            if (rc < 0)
                return rc;
            names = own;
            count = first.count;
        }
    }
    rc = layout_fields(spec, names, count, arena, ret, err);
    if (rc < 0 && rc != DN_E_NOMEM && names != spec->columns)
        dn_err_prefix(err, "header of the file");
    return rc;
}
