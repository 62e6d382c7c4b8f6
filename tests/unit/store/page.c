/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

uint8_t *page_read_file(const char *path, size_t *ret_n)
{
    FILE *f = fopen(path, "rb");
    struct buf b;
    uint8_t *p;

    if (!f)
        fail_msg("cannot open %s", path);
    buf_init(&b, NULL);
    while (!feof(f)) {
        size_t n;

        assert_true(buf_reserve(&b, 65536));
        n = fread(b.data + b.len, 1, 65535, f);
        b.len += n;
    }
    b.data[b.len] = 0;
    (void)fclose(f);
    p = buf_take(&b, ret_n);
    return p;
}

void doc_table(const char *doc, const char *heading, struct doc_table *ret)
{
    char want[64];
    const char *p;
    uint32_t line = 0;

    (void)snprintf(want, sizeof want, "\n## %s\n", heading);
    p = strstr(doc, want);
    if (!p)
        fail_msg("the page has no section %s", heading);
    p = strstr(p, "\n|");
    assert_non_null(p);
    memset(ret, 0, sizeof *ret);
    for (p++; *p == '|'; p = strchr(p, '\n') + 1) {
        const char *cell = p + 1;

        if (line++ < 2)
            continue;
        assert_true(ret->rows < DOC_ROWS);
        for (uint32_t c = 0; c < DOC_CELLS && *cell != '\n'; c++) {
            const char *end = strpbrk(cell, "|\n");
            size_t n = (size_t)(end - cell);

            while (n && *cell == ' ')
                cell++, n--;
            while (n && cell[n - 1] == ' ')
                n--;
            n = n < 79 ? n : 79;
            memcpy(ret->cells[ret->rows][c], cell, n);
            cell = end + (*end == '|');
        }
        ret->rows++;
    }
}

uint64_t doc_field(const char *doc, const char *section, const char *name, const uint8_t *p)
{
    struct doc_table t;

    doc_table(doc, section, &t);
    for (uint32_t i = 0; i < t.rows; i++) {
        uint64_t v = 0;
        unsigned long at = strtoul(t.cells[i][0], NULL, 10);
        unsigned long size = strtoul(t.cells[i][1], NULL, 10);

        if (strcmp(t.cells[i][2], name) != 0)
            continue;
        assert_true(size >= 1 && size <= 8);
        for (unsigned long k = size; k-- > 0;)
            v = v << 8 | p[at + k];
        return v;
    }
    fail_msg("section %s of the page has no field %s", section, name);
    return 0;
}

uint32_t doc_size(const char *doc, const char *section)
{
    struct doc_table t;

    doc_table(doc, section, &t);
    return (uint32_t)(strtoul(t.cells[t.rows - 1][0], NULL, 10) +
                      strtoul(t.cells[t.rows - 1][1], NULL, 10));
}
