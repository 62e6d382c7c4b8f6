/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_json.h"

#include <inttypes.h>
#include <string.h>

#define JSON_DEPTH_MAX 64u

struct json_at {
    const char *p;
    const char *end;
};

/* A member: its name and value as they are written. */
struct json_member {
    struct vstr name; /* between the quotes */
    struct vstr value;
    bool escaped; /* there is a backslash in the name */
};

static void json_space(struct json_at *at)
{
    while (at->p < at->end && memchr(" \t\r", *at->p, 3))
        at->p++;
}

/* Behind the string that begins at at->p; false: it does not end. */
static bool json_string(struct json_at *at, bool *ret_escaped)
{
    *ret_escaped = false;
    for (at->p++; at->p < at->end; at->p++) {
        if (*at->p == '"') {
            at->p++;
            return true;
        }
        if (*at->p == '\\') {
            *ret_escaped = true;
            at->p++;
        }
    }
    return false;
}

/* Behind an object or array. */
static bool json_nested(struct json_at *at)
{
    unsigned depth = 0;
    bool escaped;

    while (at->p < at->end) {
        char c = *at->p;

        if (c == '"') {
            if (!json_string(at, &escaped))
                return false;
            continue;
        }
        if ((c == '{' || c == '[') && ++depth > JSON_DEPTH_MAX)
            return false;
        at->p++;
        if ((c == '}' || c == ']') && --depth == 0)
            return true;
    }
    return false;
}

/* Behind a number, true, false or null. */
static bool json_word(struct json_at *at)
{
    const char *first = at->p;

    while (at->p < at->end && !memchr(",} \t\r", *at->p, 5)) {
        if (*at->p == '"' || *at->p == '{' || *at->p == '[' || *at->p == ']' || *at->p == ':')
            return false;
        at->p++;
    }
    return at->p > first;
}

static bool json_value(struct json_at *at)
{
    bool escaped;

    if (at->p == at->end)
        return false;
    if (*at->p == '"')
        return json_string(at, &escaped);
    return *at->p == '{' || *at->p == '[' ? json_nested(at) : json_word(at);
}

/* The next member of the object; begins behind its brace. DN_EOF: there is none; < 0: it is no
 * object. */
static int json_member(struct json_at *at, bool first, struct json_member *ret)
{
    const char *begin;

    json_space(at);
    if (at->p < at->end && *at->p == '}') {
        at->p++;
        return DN_EOF;
    }
    if (!first) {
        if (at->p == at->end || *at->p != ',')
            return DN_E_BAD_TEXT;
        at->p++;
        json_space(at);
    }
    if (at->p == at->end || *at->p != '"')
        return DN_E_BAD_TEXT;
    begin = at->p + 1;
    if (!json_string(at, &ret->escaped))
        return DN_E_BAD_TEXT;
    ret->name = (struct vstr){.ptr = begin, .len = (uint32_t)(at->p - 1 - begin)};
    json_space(at);
    if (at->p == at->end || *at->p != ':')
        return DN_E_BAD_TEXT;
    at->p++;
    json_space(at);
    begin = at->p;
    if (!json_value(at))
        return DN_E_BAD_TEXT;
    ret->value = (struct vstr){.ptr = begin, .len = (uint32_t)(at->p - begin)};
    return 0;
}

/* Behind the brace of the line's object; false: it has none. */
static bool json_begin(struct json_at *at)
{
    json_space(at);
    if (at->p == at->end || *at->p != '{')
        return false;
    at->p++;
    return true;
}

bool csv_json_is(const uint8_t *text, size_t len, bool whole)
{
    const char *p = (const char *)text;
    const char *end;
    struct json_at at;
    struct json_member m;
    bool first = true;
    int rc;

    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
        len -= 3;
    }
    while (len > 0 && (*p == '\n' || *p == '\r' || *p == ' ' || *p == '\t')) {
        p++;
        len--;
    }
    end = memchr(p, '\n', len);
    if (len == 0 || (!end && !whole))
        return false;
    at = (struct json_at){.p = p, .end = end ? end : p + len};
    if (!json_begin(&at))
        return false;
    while ((rc = json_member(&at, first, &m)) == 0)
        first = false;
    json_space(&at);
    return rc == DN_EOF && !first && at.p == at.end;
}

/* ---- strings ---- */

static int json_hex(const char *p, const char *end)
{
    int v = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0)
            return -1;
        v = v * 16 + digit;
    }
    return v;
}

static char *json_put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* \uXXXX, or two of them; *p is behind the u and comes behind the digits. NULL: it is none. */
static char *json_unicode(const char **p, const char *end, char *to)
{
    int c = json_hex(*p, end);
    int low;

    if (c <= 0 || (c >= 0xdc00 && c <= 0xdfff)) /* no text holds a zero */
        return NULL;
    *p += 4;
    if (c < 0xd800 || c > 0xdbff)
        return json_put_utf8(to, (uint32_t)c);
    if (end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
        return NULL;
    low = json_hex(*p + 2, end);
    if (low < 0xdc00 || low > 0xdfff)
        return NULL;
    *p += 6;
    return json_put_utf8(to, 0x10000 + (((uint32_t)c - 0xd800) << 10) + ((uint32_t)low - 0xdc00));
}

/* What stands between the quotes, without escapes: *ret in the arena. */
static int json_unescape(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    char *text = arena_alloc(arena, s.len + 1u);
    const char *end = s.ptr + s.len;
    char *out = text;

    if (!text)
        return DN_FAIL_NOMEM(err);
    for (const char *p = s.ptr; p < end;) {
        const char *known;

        if (*p != '\\') {
            *out++ = *p++;
            continue;
        }
        p++;
        known = p < end ? memchr(from, *p, sizeof from - 1) : NULL;
        if (known) {
            *out++ = to[known - from];
            p++;
        } else {
            p++;
            out = p <= end && p[-1] == 'u' ? json_unicode(&p, end, out) : NULL;
            if (!out)
                return DN_FAIL(err, DN_E_BAD_TEXT, "a string has a bad escape");
        }
    }
    *ret = (struct vstr){.ptr = text, .len = (uint32_t)(out - text)};
    return 0;
}

/* ---- names ---- */

void csv_json_init(struct csv_json *j, struct mem_owner *owner)
{
    *j = (struct csv_json){.number = 0};
    arena_init(&j->names_arena, owner);
    arena_init(&j->line, owner);
}

void csv_json_done(struct csv_json *j)
{
    arena_done(&j->line);
    arena_done(&j->names_arena);
}

/* The column of a name, looked for from `hint` on: objects have their members mostly in the same
 * order. names_count: there is none. */
static uint32_t json_column(const struct csv_json *j, struct vstr name, uint32_t hint)
{
    for (uint32_t i = 0; i < j->names_count; i++) {
        uint32_t at = (hint + i) % j->names_count;

        if (j->names[at].len == name.len && memcmp(j->names[at].ptr, name.ptr, name.len) == 0)
            return at;
    }
    return j->names_count;
}

/* The name of a member without escapes. */
static int
json_name(struct csv_json *j, const struct json_member *m, struct vstr *ret, struct dn_err *err)
{
    *ret = m->name;
    return m->escaped ? json_unescape(m->name, &j->line, ret, err) : 0;
}

static int json_add_name(struct csv_json *j, struct vstr name, struct dn_err *err)
{
    char *copy;

    if (j->names_count == CSV_JSON_MEMBERS_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "the objects have more than %u different members",
                       CSV_JSON_MEMBERS_MAX);
    copy = arena_strndup(&j->names_arena, name.ptr, name.len);
    if (!copy)
        return DN_FAIL_NOMEM(err);
    j->names[j->names_count++] = (struct vstr){.ptr = copy, .len = name.len};
    return 0;
}

static int json_line_names(struct csv_json *j, struct json_at at, struct dn_err *err)
{
    struct json_member m;
    uint32_t hint = 0;
    int rc = 0;

    if (!json_begin(&at))
        return 0; /* what is wrong is said when it is converted */
    for (bool first = true; rc == 0 && json_member(&at, first, &m) == 0; first = false) {
        struct vstr name;

        rc = json_name(j, &m, &name, err);
        hint = rc == 0 ? json_column(j, name, hint) : hint;
        if (rc == 0 && hint == j->names_count)
            rc = json_add_name(j, name, err);
        hint++;
    }
    return rc;
}

int csv_json_names(struct csv_json *j, const char *text, size_t len, struct dn_err *err)
{
    const char *end = text + len;
    int rc = 0;

    j->names = arena_alloc_array(&j->names_arena, CSV_JSON_MEMBERS_MAX, sizeof *j->names);
    j->cells = arena_alloc_array(&j->names_arena, CSV_JSON_MEMBERS_MAX, sizeof *j->cells);
    if (!j->names || !j->cells)
        return DN_FAIL_NOMEM(err);
    while (rc == 0 && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        stop = stop ? stop : end;
        arena_reset(&j->line);
        rc = json_line_names(j, (struct json_at){.p = text, .end = stop}, err);
        text = stop + 1;
    }
    return rc;
}

/* ---- records ---- */

static void json_put_quoted(struct vstr s, struct buf *to)
{
    buf_u8(to, '"');
    for (uint32_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            buf_u8(to, '"');
        buf_u8(to, (uint8_t)s.ptr[i]);
    }
    buf_u8(to, '"');
}

void csv_json_header(const struct csv_json *j, struct buf *to)
{
    for (uint32_t i = 0; i < j->names_count; i++) {
        if (i)
            buf_u8(to, ',');
        json_put_quoted(j->names[i], to);
    }
    buf_u8(to, '\n');
}

static int json_put_cell(struct csv_json *j, struct vstr v, struct buf *to, struct dn_err *err)
{
    struct vstr inside = {.ptr = v.ptr + 1, .len = v.len - 2};
    int rc = 0;

    if (!v.ptr || (v.len == 4 && memcmp(v.ptr, "null", 4) == 0))
        return 0;
    if (v.ptr[0] != '"' && v.ptr[0] != '{' && v.ptr[0] != '[') {
        buf_append(to, v.ptr, v.len);
        return 0;
    }
    if (v.ptr[0] != '"')
        inside = v;
    else if (memchr(inside.ptr, '\\', inside.len))
        rc = json_unescape(inside, &j->line, &inside, err);
    if (rc == 0)
        json_put_quoted(inside, to);
    return rc;
}

/* The members of a line, by column. */
static int json_line_cells(struct csv_json *j, struct json_at at, struct dn_err *err)
{
    struct json_member m;
    uint32_t column = 0;
    bool first = true;
    int rc;

    memset(j->cells, 0, j->names_count * sizeof *j->cells);
    if (!json_begin(&at))
        return DN_FAIL(err, DN_E_BAD_TEXT, "the line is no JSON object");
    while ((rc = json_member(&at, first, &m)) == 0) {
        struct vstr name;

        first = false;
        rc = json_name(j, &m, &name, err);
        if (rc < 0)
            return rc;
        column = json_column(j, name, column);
        if (column == j->names_count) {
            (void)DN_FAIL(err,
                          DN_E_UNDEFINED_COLUMN,
                          "the member \"%.*s\" is in no line of the first megabyte",
                          name.len < 64 ? (int)name.len : 64,
                          name.ptr);
            dn_err_hint(err, "Put a line with all members first.");
            return err ? err->code : DN_E_UNDEFINED_COLUMN;
        }
        j->cells[column++] = m.value;
    }
    json_space(&at);
    if (rc != DN_EOF || at.p != at.end)
        return DN_FAIL(err, DN_E_BAD_TEXT, "the line is no JSON object");
    return 0;
}

static int json_line(struct csv_json *j, struct json_at at, struct buf *to, struct dn_err *err)
{
    int rc;

    arena_reset(&j->line);
    rc = json_line_cells(j, at, err);
    for (uint32_t i = 0; rc == 0 && i < j->names_count; i++) {
        if (i)
            buf_u8(to, ',');
        rc = json_put_cell(j, j->cells[i], to, err);
    }
    buf_u8(to, '\n');
    return rc;
}

int csv_json_lines(
    struct csv_json *j, const char *text, size_t len, struct buf *to, struct dn_err *err)
{
    const char *end = text + len;
    int rc = 0;

    while (rc == 0 && text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        struct json_at at = {.p = text, .end = stop ? stop : end};

        j->number++;
        if (j->number == 1 && at.end - at.p >= 3 && memcmp(at.p, "\xef\xbb\xbf", 3) == 0)
            at.p += 3;
        text = at.end + 1;
        json_space(&at);
        if (at.p == at.end) { /* a record of nothing keeps the numbers of lines, where it is none */
            if (j->names_count > 1)
                buf_u8(to, '\n');
            continue;
        }
        rc = json_line(j, at, to, err);
        if (rc < 0 && rc != DN_E_NOMEM)
            dn_err_prefix(err, "line %" PRIu64, j->number);
    }
    return rc == 0 && to->failed ? DN_FAIL_NOMEM(err) : rc;
}
