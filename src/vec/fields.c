/* SPDX-License-Identifier: Apache-2.0
 *
 * fields.c: which fields an INTERVAL may have. */
#include "vec/fields.h"

#include "base/attr.h"

#include <stddef.h>
#include <strings.h>

static const struct {
    int32_t fields;
    const char *first;
    const char *last;
    const char *name;
} type_field_rows[] = {
#define Y  TYPE_FIELD_YEAR
#define MO TYPE_FIELD_MONTH
#define D  TYPE_FIELD_DAY
#define H  TYPE_FIELD_HOUR
#define MI TYPE_FIELD_MINUTE
#define S  TYPE_FIELD_SECOND
    {Y, "year", "year", "YEAR"},
    {MO, "month", "month", "MONTH"},
    {D, "day", "day", "DAY"},
    {H, "hour", "hour", "HOUR"},
    {MI, "minute", "minute", "MINUTE"},
    {S, "second", "second", "SECOND"},
    {Y | MO, "year", "month", "YEAR TO MONTH"},
    {D | H, "day", "hour", "DAY TO HOUR"},
    {D | H | MI, "day", "minute", "DAY TO MINUTE"},
    {D | H | MI | S, "day", "second", "DAY TO SECOND"},
    {H | MI, "hour", "minute", "HOUR TO MINUTE"},
    {H | MI | S, "hour", "second", "HOUR TO SECOND"},
    {MI | S, "minute", "second", "MINUTE TO SECOND"},
#undef Y
#undef MO
#undef D
#undef H
#undef MI
#undef S
};

const char *type_fields_name(int32_t fields)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(type_field_rows); i++)
        if (type_field_rows[i].fields == fields)
            return type_field_rows[i].name;
    return NULL;
}

int32_t type_fields(const char *first, const char *last)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(type_field_rows); i++)
        if (strcasecmp(type_field_rows[i].first, first) == 0 &&
            strcasecmp(type_field_rows[i].last, last) == 0)
            return type_field_rows[i].fields;
    return 0;
}
