/* SPDX-License-Identifier: Apache-2.0 */
#include "series_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct table *series_table(const char *name, const struct column_spec columns[3])
{
    struct column_spec cols[3];
    struct key_elem_spec part[2] = {
        {.name = columns[0].name},
        {.name = columns[1].name, .is_quantum = true, .count = 1, .unit = "d"}};
    struct key_elem_spec local[2] = {{.name = columns[0].name}, {.name = columns[1].name}};
    struct table_spec spec = {.schema.s = "public",
                              .name.s = name,
                              .columns = cols,
                              .columns_count = 3,
                              .has_key = true,
                              .keys_count = 1,
                              .has_inner = true,
                              .partition = part,
                              .partition_count = 2,
                              .local = local,
                              .local_count = 2};
    struct table *t;
    struct dn_err err;

    memcpy(cols, columns, sizeof(cols));
    if (table_build(&spec, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}
