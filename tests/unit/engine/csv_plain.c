/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_scan.h as machines without SSE2 have it. */
#undef __SSE2__
#include "csv_plain.h"

#include "engine/csv_scan.h"

uint64_t csv_plain_mask(const char *text, char byte)
{
    return csv_mask(text, byte);
}

uint64_t csv_plain_mask3(const char *text, char a, char b, char c)
{
    return csv_mask3(text, a, b, c);
}
