/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/vars.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>

struct var {
    struct var *next;
    char *name;  /* owned */
    char *value; /* owned */
};

bool vars_name_ok(const char *name, size_t len)
{
    if (len == 0 || isdigit((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

/* The place of a name in the list: where it is, or where it belongs. */
static struct var **vars_place(struct vars *v, const char *name)
{
    struct var **at = &v->first;

    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    return at;
}

static void var_free(struct var *var)
{
    mem_free(var->name);
    mem_free(var->value);
    mem_free(var);
}

bool vars_set(struct vars *v, const char *name, const char *value)
{
    struct var **at = vars_place(v, name);
    struct var *var;
    char *copy = mem_strdup(NULL, value);

    if (!copy)
        return false;
    if (*at && strcmp((*at)->name, name) == 0) {
        mem_free((*at)->value);
        (*at)->value = copy;
        return true;
    }
    var = mem_calloc(NULL, 1, sizeof *var);
    if (var)
        var->name = mem_strdup(NULL, name);
    if (!var || !var->name) {
        mem_free(var);
        mem_free(copy);
        return false;
    }
    var->value = copy;
    var->next = *at;
    *at = var;
    return true;
}

bool vars_unset(struct vars *v, const char *name)
{
    struct var **at = vars_place(v, name);
    struct var *var = *at;

    if (!var || strcmp(var->name, name) != 0)
        return false;
    *at = var->next;
    var_free(var);
    return true;
}

const char *vars_get(const struct vars *v, const char *name, size_t len)
{
    for (const struct var *var = v->first; var; var = var->next)
        if (strlen(var->name) == len && memcmp(var->name, name, len) == 0)
            return var->value;
    return NULL;
}

void vars_print(const struct vars *v, FILE *to)
{
    for (const struct var *var = v->first; var; var = var->next)
        (void)fprintf(to, "%s = '%s'\n", var->name, var->value);
}

void vars_done(struct vars *v)
{
    while (v->first) {
        struct var *var = v->first;

        v->first = var->next;
        var_free(var);
    }
}

/* ---- in statements ---- */

/* Bytes of a quoted text, quoted name or comment that begins here; 0: none does. */
static size_t vars_skip(const char *text, size_t len, bool escapes)
{
    size_t i = 1;

    if (*text == '\'' || *text == '"' || *text == '`') {
        while (i < len && text[i] != *text)
            i += escapes && text[i] == '\\' ? 2 : 1;
        return i < len ? i + 1 : len;
    }
    if (len > 1 && text[0] == '-' && text[1] == '-') {
        const char *end = memchr(text, '\n', len);

        return end ? (size_t)(end - text) : len;
    }
    if (len > 1 && text[0] == '/' && text[1] == '*') {
        for (i = 2; i + 1 < len; i++)
            if (text[i] == '*' && text[i + 1] == '/')
                return i + 2;
        return len;
    }
    return 0;
}

static void vars_quote(const char *value, char quote, struct buf *ret)
{
    buf_u8(ret, (uint8_t)quote);
    for (; *value; value++) {
        if (*value == quote)
            buf_u8(ret, (uint8_t)quote);
        buf_u8(ret, (uint8_t)*value);
    }
    buf_u8(ret, (uint8_t)quote);
}

/* A variable at text[0] == ':'. Returns the bytes that it took, 0: none. */
static size_t vars_take(const struct vars *v, const char *text, size_t len, struct buf *ret)
{
    char quote = len > 1 && (text[1] == '\'' || text[1] == '"') ? text[1] : '\0';
    size_t from = quote ? 2 : 1;
    size_t end = from;
    const char *value;

    while (end < len && (isalnum((unsigned char)text[end]) || text[end] == '_'))
        end++;
    if (!vars_name_ok(text + from, end - from) || (quote && (end == len || text[end] != quote)))
        return 0;
    value = vars_get(v, text + from, end - from);
    if (!value)
        return 0;
    if (quote)
        vars_quote(value, quote, ret);
    else
        buf_puts(ret, value);
    return quote ? end + 1 : end;
}

void vars_expand(const struct vars *v, const char *text, size_t len, struct buf *ret)
{
    size_t i = 0;

    while (i < len) {
        bool escapes = i > 0 && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
                       (i == 1 || !(isalnum((unsigned char)text[i - 2]) || text[i - 2] == '_'));
        size_t used = vars_skip(text + i, len - i, escapes);

        if (used == 0 && text[i] == ':' && i + 1 < len && text[i + 1] == ':')
            used = 2; /* a cast */
        if (used > 0) {
            buf_append(ret, text + i, used);
        } else {
            used = text[i] == ':' ? vars_take(v, text + i, len - i, ret) : 0;
            if (used == 0) {
                buf_u8(ret, (uint8_t)text[i]);
                used = 1;
            }
        }
        i += used;
    }
}
