/* SPDX-License-Identifier: Apache-2.0
 *
 * backend_types.h: types of PostgreSQL's protocol in Dendro's terms. Any thread. */
#pragma once

#include "dendro.h"

/* What comes nearest to it; a text if nothing does. */
enum dendro_type backend_oid_type(unsigned oid);
/* As the head of a table shows it. */
void backend_oid_name(unsigned oid, char *ret, size_t size);
/* A time (in seconds since 1970) or a number as the server writes it; NaN: it is none. */
double backend_text_number(const char *text, size_t len, bool time);
