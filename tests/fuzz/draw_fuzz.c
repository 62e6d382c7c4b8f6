/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_fuzz.c: DRAW and what it draws. Up to the first zero byte the input is the statement, behind
 * it are doubles by twos: points, whose x is a number, a time or a text. The picture has no control
 * characters, its tags are closed, and no number in them is infinite or none. */
#include "fuzz.h"

#include "server/draw/draw.h"

#include "base/attr.h"

#include <math.h>
#include <string.h>

/* No angle bracket within a tag, nothing but numbers where numbers stand. */
static void draw_look(const char *s, size_t len)
{
    bool tag = false;

    DN_ASSERT(len > 20 && memcmp(s, "<svg ", 5) == 0 && memcmp(s + len - 7, "</svg>\n", 7) == 0);
    for (size_t i = 0; i < len; i++) {
        DN_ASSERT((unsigned char)s[i] >= 0x20 || s[i] == '\n');
        DN_ASSERT(s[i] != '<' || !tag);
        tag = s[i] == '<' || (tag && s[i] != '>');
        DN_ASSERT(!tag || (strncmp(s + i, "nan", 3) != 0 && strncmp(s + i, "inf", 3) != 0));
    }
    DN_ASSERT(!tag);
}

static int draw_points(struct draw *p, const uint8_t *data, size_t size, uint8_t kind)
{
    static const enum type_id types[] = {TYPE_DOUBLE, TYPE_TIMESTAMP_NS, TYPE_VARCHAR};
    static const char *const names[] = {"x", "y"};
    enum type_id of[] = {types[kind % 3], TYPE_DOUBLE};
    struct vec cols[] = {{.type = of[0], .form = VEC_FLAT, .count = 1},
                         {.type = TYPE_DOUBLE, .form = VEC_FLAT, .count = 1}};
    int rc = draw_begin(p, names, of, 2, NULL);

    for (; rc == 0 && size >= 16; size -= 16, data += 16) {
        struct vstr text = {.ptr = (const char *)data, .len = 2};
        double x;
        double y;
        int64_t at;

        memcpy(&x, data, 8);
        memcpy(&y, data + 8, 8);
        memcpy(&at, data, 8);
        cols[0].data = kind % 3 == 0   ? (const void *)&x
                       : kind % 3 == 1 ? (const void *)&at
                                       : (const void *)&text;
        cols[1].data = &y;
        if (kind % 3 == 2 && (data[0] >= 0x80 || data[1] >= 0x80))
            continue; /* values of texts are UTF-8 */
        rc = draw_row(p, cols, 0, NULL);
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, 0, size);
    const char *tail = NULL;
    struct draw p;
    struct buf out;
    int rc;

    if (!end)
        return 0;
    draw_init(&p, NULL);
    buf_init(&out, NULL);
    (void)draw_is((const char *)data);
    rc = draw_statement(&p, (const char *)data, &tail, NULL);
    DN_ASSERT(tail && tail <= (const char *)end);
    if (rc == 0)
        rc = draw_points(&p, end + 1, size - (size_t)(end - data) - 1, (uint8_t)(end - data));
    if (rc == 0) {
        fuzz_reached();
        draw_print(&p, &out);
        DN_ASSERT(!out.failed);
        draw_look((const char *)out.data, out.len);
    }
    buf_done(&out);
    draw_done(&p);
    return 0;
}
