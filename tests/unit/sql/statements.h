/* SPDX-License-Identifier: Apache-2.0
 *
 * statements.h: statements and what the printer makes of them, for test_sql_parse and the fault
 * sweep. */
#pragma once

struct statement {
    const char *text;
    const char *print;
};

extern const struct statement statements[];
extern const unsigned statements_count;
