/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/backend_types.h"

#include "func/text.h"
#include "func/text_wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Types that Dendro has not, or calls otherwise. */
static const struct {
    unsigned oid;
    const char *name;
} oid_types[] = {
    {25, "VARCHAR"},     {1042, "CHAR"},      {1266, "TIMETZ"}, {114, "JSON"},
    {3802, "JSONB"},     {869, "INET"},       {650, "CIDR"},    {829, "MACADDR"},
    {142, "XML"},        {790, "MONEY"},      {1560, "BIT"},    {1562, "VARBIT"},
    {600, "POINT"},      {2278, "VOID"},      {705, "UNKNOWN"}, {3614, "TSVECTOR"},
    {3904, "INT4RANGE"}, {3910, "TSTZRANGE"}, {28, "XID"},      {1009, "VARCHAR[]"},
};

enum dendro_type backend_oid_type(unsigned oid)
{
    enum type_id type = text_wire_type(oid);

    return type == TYPE_NONE ? DENDRO_TYPE_VARCHAR : (enum dendro_type)type;
}

void backend_oid_name(unsigned oid, char *ret, size_t size)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(oid_types); i++) {
        if (oid_types[i].oid == oid) {
            (void)snprintf(ret, size, "%s", oid_types[i].name);
            return;
        }
    }
    if (text_wire_type(oid) == TYPE_NONE)
        (void)snprintf(ret, size, "type %u", oid);
    else
        (void)snprintf(ret, size, "%s", dendro_type_name(backend_oid_type(oid)));
}

double backend_text_number(const char *text, size_t len, bool time)
{
    int64_t seconds = 0;
    int32_t ns = 0;
    char *end;
    double v;

    if (time)
        return text_parse_time((struct vstr){text, (uint32_t)len}, &seconds, &ns, NULL) < 0
                   ? (double)NAN
                   : (double)seconds + (double)ns / 1e9;
    v = strtod(text, &end);
    return end == text ? (double)NAN : v;
}
