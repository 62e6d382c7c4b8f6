/* SPDX-License-Identifier: Apache-2.0
 *
 * json.h: JSON documents of our own making, read as if they were not. The reader takes exactly
 * RFC 8259 in UTF-8 with two caps (depth, members of an object), refuses a member named twice,
 * and builds a tree in an arena; out of memory anywhere is DN_E_NOMEM, so the tree is whole or not
 * there. The writer appends to a buffer, which remembers a failure.
 *
 *     struct dn_json_writer w = dn_json_writer_make(&buf);
 *     dn_json_begin(&w, NULL, '{');
 *     dn_json_put_int(&w, "format", 1);
 *     dn_json_end(&w, '}');
 *
 * One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"

#define DN_JSON_DEPTH_MAX   32u
#define DN_JSON_MEMBERS_MAX 64u /* of one object */

enum dn_json_kind {
    DN_JSON_NULL,
    DN_JSON_BOOL,
    DN_JSON_INT,  /* no point, no exponent, fits 64 bits */
    DN_JSON_REAL, /* finite */
    DN_JSON_STRING,
    DN_JSON_ARRAY,
    DN_JSON_OBJECT,
};

struct dn_json {
    enum dn_json_kind kind;
    int64_t integer;       /* INT; BOOL: 0 or 1 */
    double real;           /* REAL */
    const char *str;       /* STRING: valid UTF-8 with a NUL behind it, perhaps others inside */
    size_t len;            /* STRING: bytes */
    const char *name;      /* member of an object: its name, no NUL inside; else NULL */
    struct dn_json *items; /* ARRAY, OBJECT: elements or members in the order of the document */
    size_t count;
};

/* *ret lies in the arena. Errors: DN_E_CORRUPT "line 3, column 7: …", DN_E_NOMEM. */
int dn_json_parse(struct arena *arena,
                  const void *p,
                  size_t n,
                  const struct dn_json **ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* Member by name; NULL: none, or o is NULL or no object. */
const struct dn_json *dn_json_get(const struct dn_json *o, const char *name);
static inline bool dn_json_is(const struct dn_json *v, enum dn_json_kind kind)
{
    return v && v->kind == kind;
}

/* Indented by one space a level, "name": value. name is NULL in arrays and at the top. */
struct dn_json_writer {
    struct buf *b;    /* borrowed */
    uint32_t depth;   /* open braces */
    uint32_t started; /* bit i: something stands at depth i */
};

struct dn_json_writer dn_json_writer_make(struct buf *b);
void dn_json_begin(struct dn_json_writer *w, const char *name, char brace); /* '{' or '[' */
void dn_json_end(struct dn_json_writer *w, char brace);                     /* '}' or ']' */
void dn_json_put_null(struct dn_json_writer *w, const char *name);
void dn_json_put_bool(struct dn_json_writer *w, const char *name, bool v);
void dn_json_put_int(struct dn_json_writer *w, const char *name, int64_t v);
void dn_json_put_real(struct dn_json_writer *w, const char *name, double v); /* finite; 17 digits */
/* len bytes of valid UTF-8 */
void dn_json_put_text(struct dn_json_writer *w, const char *name, const char *s, size_t len);
