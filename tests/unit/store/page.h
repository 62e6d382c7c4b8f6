/* SPDX-License-Identifier: Apache-2.0
 *
 * page.h: tables of a page of docs/format, as the offsets of a decoder. Asserts with cmocka. */
#pragma once

#include "base/bytes.h"

#define DOC_CELLS 5
#define DOC_ROWS  32

struct doc_table {
    char cells[DOC_ROWS][DOC_CELLS][80];
    uint32_t rows;
};

/* The whole file with a zero byte after it; mem_free it. */
uint8_t *page_read_file(const char *path, size_t *ret_n);
/* The first table under a heading, without its head. */
void doc_table(const char *doc, const char *heading, struct doc_table *ret);
/* A field of a fixed structure at p, by the page's table of offset, size and name. */
uint64_t doc_field(const char *doc, const char *section, const char *name, const uint8_t *p);
/* Bytes of such a structure. */
uint32_t doc_size(const char *doc, const char *section);
