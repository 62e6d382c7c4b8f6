/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_sniff.h: how a text is written, by its beginning. Any thread. */
#pragma once

#include "engine/csv.h"

/* Sets the delimiter of f, if it is 0, to the one that cuts most of the first records into as many
 * cells as the very first, which has several; and the quote, if it is 0. The text is UTF-8, begins
 * with a record and ends with one. */
void csv_sniff(const char *text, size_t len, struct csv_format *f);
