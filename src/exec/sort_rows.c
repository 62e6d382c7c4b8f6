/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_rows.c: a bottom-up merge sort over (first 12 key bytes, row number): most comparisons end
 * in the prefix, the rest compare whole keys. Merging takes the left one of equals, so rows with
 * equal keys stay in the order in which they came. */
#include "exec/sort_rows.h"

#include <string.h>

#define SORT_RUN 16u /* rows sorted by insertion before the first merge */

/* Who is asked now and then whether to go on. */
struct sort_watch {
    exec_sort_check_fn check; /* NULL: nobody */
    const void *arg;
    uint64_t since; /* rows moved since it was asked */
};

static int sort_moved(struct sort_watch *w, uint64_t rows, struct dn_err *err)
{
    w->since += rows;
    if (w->since < EXEC_SORT_CHECK_ROWS || !w->check)
        return 0;
    w->since = 0;
    return w->check(w->arg, err);
}

int exec_sort_init(struct exec_sort_rows *s,
                   const enum type_id *types,
                   uint32_t cols_count,
                   struct mem_owner *owner,
                   struct dn_err *err)
{
    memset(s, 0, sizeof *s);
    s->owner = owner;
    arena_init(&s->strings, owner);
    buf_init(&s->keys, owner);
    s->cols = mem_calloc(owner, cols_count, sizeof *s->cols);
    if (!s->cols)
        return DN_FAIL_NOMEM(err);
    s->cols_count = cols_count;
    for (uint32_t c = 0; c < cols_count; c++)
        colbuf_init(&s->cols[c], types[c], owner, &s->strings);
    return 0;
}

void exec_sort_done(struct exec_sort_rows *s)
{
    for (uint32_t c = 0; c < s->cols_count; c++)
        colbuf_done(&s->cols[c]);
    mem_free(s->cols);
    mem_free(s->key_at);
    mem_free(s->items);
    buf_done(&s->keys);
    arena_done(&s->strings);
    memset(s, 0, sizeof *s);
}

static bool sort_key_room(struct exec_sort_rows *s, uint32_t rows)
{
    uint64_t need = (uint64_t)s->count + rows + 1;
    uint64_t cap = s->key_cap ? s->key_cap : 1024;
    size_t *key_at;

    if (need <= s->key_cap)
        return true;
    while (cap < need)
        cap *= 2;
    if (cap > UINT32_MAX)
        return false;
    key_at = mem_realloc(s->owner, s->key_at, cap * sizeof *key_at);
    if (!key_at)
        return false;
    key_at[s->count] = s->keys.len;
    s->key_at = key_at;
    s->key_cap = (uint32_t)cap;
    return true;
}

static void sort_note_length(struct exec_sort_rows *s, size_t len, bool first)
{
    if (first || len < s->key_min)
        s->key_min = len;
    if (first || len > s->key_max)
        s->key_max = len;
}

int exec_sort_add(struct exec_sort_rows *s,
                  const struct batch *in,
                  const uint8_t *keys,
                  const size_t *key_at,
                  struct dn_err *err)
{
    uint32_t rows = in->sel_count;
    size_t base = s->keys.len;

    if (rows == 0)
        return 0;
    if (!sort_key_room(s, rows))
        return DN_FAIL_NOMEM(err);
    if (key_at[rows] > key_at[0])
        buf_append(&s->keys, keys + key_at[0], key_at[rows] - key_at[0]);
    if (s->keys.failed)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < s->cols_count; c++)
        if (!colbuf_append_vec(&s->cols[c], &in->cols[c], in->sel, rows))
            return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i <= rows; i++)
        s->key_at[s->count + i] = base + key_at[i] - key_at[0];
    for (uint32_t i = 0; i < rows; i++)
        sort_note_length(s, key_at[i + 1] - key_at[i], s->count + i == 0);
    s->count += rows;
    return 0;
}

/* ---- sorting ---- */

static struct exec_sort_item sort_item(const struct exec_sort_rows *s, uint32_t row)
{
    uint8_t bytes[16] = {0};
    size_t len;
    const uint8_t *key = exec_sort_key(s, row, &len);

    if (len)
        memcpy(bytes, key, len < EXEC_SORT_PREFIX ? len : EXEC_SORT_PREFIX);
    return (struct exec_sort_item){
        .prefix = be_get64(bytes), .more = (uint32_t)(be_get64(bytes + 8) >> 32), .row = row};
}

/* a stood before b, their prefixes are the same: does it stay there? */
static bool sort_stays_whole(const struct exec_sort_rows *s, uint32_t a, uint32_t b)
{
    size_t len_a;
    size_t len_b;
    const uint8_t *key_a;
    const uint8_t *key_b;
    size_t len;
    int c;

    if (s->key_min == s->key_max && s->key_max <= EXEC_SORT_PREFIX)
        return true; /* all there is to them */
    key_a = exec_sort_key(s, a, &len_a);
    key_b = exec_sort_key(s, b, &len_b);
    len = len_a < len_b ? len_a : len_b;
    c = len > EXEC_SORT_PREFIX
            ? memcmp(key_a + EXEC_SORT_PREFIX, key_b + EXEC_SORT_PREFIX, len - EXEC_SORT_PREFIX)
            : 0;
    return c ? c < 0 : len_a <= len_b;
}

/* a stood before b: does it stay there? */
static inline bool sort_stays(const struct exec_sort_rows *s,
                              const struct exec_sort_item *a,
                              const struct exec_sort_item *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    if (a->more != b->more)
        return a->more < b->more;
    return sort_stays_whole(s, a->row, b->row);
}

static void sort_insertion(const struct exec_sort_rows *s, struct exec_sort_item *items, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        struct exec_sort_item x = items[i];
        uint32_t k = i;

        for (; k > 0 && !sort_stays(s, &items[k - 1], &x); k--)
            items[k] = items[k - 1];
        items[k] = x;
    }
}

struct sort_part {
    const struct exec_sort_item *items;
    uint32_t count;
};

static int sort_merge(const struct exec_sort_rows *s,
                      struct sort_part a,
                      struct sort_part b,
                      struct exec_sort_item *to,
                      struct sort_watch *watch,
                      struct dn_err *err)
{
    uint32_t i = 0;
    uint32_t k = 0;
    int rc = 0;

    /* Already in order: a copy will do. */
    if (a.count && b.count && sort_stays(s, &a.items[a.count - 1], &b.items[0])) {
        memcpy(to, a.items, a.count * sizeof *to);
        memcpy(to + a.count, b.items, b.count * sizeof *to);
        return sort_moved(watch, (uint64_t)a.count + b.count, err);
    }
    while (i < a.count && k < b.count && rc == 0) {
        uint32_t n = 0;

        for (; n < EXEC_SORT_CHECK_ROWS && i < a.count && k < b.count; n++)
            *to++ = sort_stays(s, &a.items[i], &b.items[k]) ? a.items[i++] : b.items[k++];
        rc = sort_moved(watch, n, err);
    }
    if (i < a.count)
        memcpy(to, a.items + i, (a.count - i) * sizeof *to);
    if (k < b.count)
        memcpy(to, b.items + k, (b.count - k) * sizeof *to);
    return rc;
}

/* One pass over `count` rows: stretches of `width` rows from `from` become stretches of 2 * width
 * in `to`. */
static int sort_pass(const struct exec_sort_rows *s,
                     const struct sort_part *from,
                     struct exec_sort_item *to,
                     uint64_t width,
                     struct sort_watch *watch,
                     struct dn_err *err)
{
    int rc = 0;

    for (uint64_t at = 0; at < from->count && rc == 0; at += 2 * width) {
        uint64_t middle = at + width < from->count ? at + width : from->count;
        uint64_t end = at + 2 * width < from->count ? at + 2 * width : from->count;
        const struct sort_part a = {.items = from->items + at, .count = (uint32_t)(middle - at)};
        const struct sort_part b = {.items = from->items + middle,
                                    .count = (uint32_t)(end - middle)};

        rc = sort_merge(s, a, b, to + at, watch, err);
    }
    return rc;
}

/* Stretches of `width` of the items in arrays[0] put together; the two may be exchanged for that,
 * so that the result is in arrays[0] again. */
static int sort_passes(const struct exec_sort_rows *s,
                       struct exec_sort_item *arrays[2],
                       uint32_t count,
                       uint64_t width,
                       struct sort_watch *watch,
                       struct dn_err *err)
{
    int rc = 0;

    for (; width < count && rc == 0; width *= 2) {
        const struct sort_part from = {.items = arrays[0], .count = count};
        struct exec_sort_item *swap = arrays[0];

        rc = sort_pass(s, &from, arrays[1], width, watch, err);
        arrays[0] = arrays[1];
        arrays[1] = swap;
    }
    return rc;
}

/* The items as the rows came, in order inside each stretch of SORT_RUN. */
static int sort_first(const struct exec_sort_rows *s,
                      struct exec_sort_item *items,
                      uint32_t first,
                      uint32_t count,
                      struct sort_watch *watch,
                      struct dn_err *err)
{
    int rc = 0;

    for (uint32_t at = 0; at < count && rc == 0;) {
        uint32_t n = count - at < SORT_RUN ? count - at : SORT_RUN;

        for (uint32_t i = at; i < at + n; i++)
            items[i] = sort_item(s, first + i);
        sort_insertion(s, items + at, n);
        at += n;
        rc = sort_moved(watch, n, err);
    }
    return rc;
}

int exec_sort_stretch(const struct exec_sort_rows *s,
                      struct exec_sort_item *const arrays[2],
                      uint32_t first,
                      uint32_t count,
                      exec_sort_check_fn check,
                      const void *check_arg,
                      struct dn_err *err)
{
    struct exec_sort_item *own[2] = {arrays[0] + first, arrays[1] + first};
    struct sort_watch watch = {.check = check, .arg = check_arg};
    int rc = sort_first(s, own[0], first, count, &watch, err);

    if (rc == 0)
        rc = sort_passes(s, own, count, SORT_RUN, &watch, err);
    if (rc == 0 && own[0] != arrays[0] + first)
        memcpy(arrays[0] + first, own[0], count * sizeof *own[0]);
    return rc;
}

int exec_sort_together(struct exec_sort_rows *s,
                       struct exec_sort_item *arrays[2],
                       uint64_t width,
                       exec_sort_check_fn check,
                       const void *check_arg,
                       struct dn_err *err)
{
    struct sort_watch watch = {.check = check, .arg = check_arg};
    int rc = sort_passes(s, arrays, s->count, width, &watch, err);

    if (rc < 0)
        return rc;
    mem_free(s->items);
    s->items = arrays[0];
    arrays[0] = NULL;
    return 0;
}

int exec_sort_order(struct exec_sort_rows *s,
                    exec_sort_check_fn check,
                    const void *check_arg,
                    struct dn_err *err)
{
    struct exec_sort_item *arrays[2];
    struct sort_watch watch = {.check = check, .arg = check_arg};
    int rc = 0;

    for (int i = 0; i < 2; i++)
        arrays[i] = mem_alloc_array(s->owner, s->count, sizeof *arrays[i]);
    if (!arrays[0] || !arrays[1])
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = sort_first(s, arrays[0], 0, s->count, &watch, err);
    if (rc == 0)
        rc = exec_sort_together(s, arrays, SORT_RUN, check, check_arg, err);
    mem_free(arrays[0]);
    mem_free(arrays[1]);
    return rc;
}

int exec_sort_as_added(struct exec_sort_rows *s, struct dn_err *err)
{
    mem_free(s->items);
    s->items = mem_alloc_array(s->owner, s->count, sizeof *s->items);
    if (!s->items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->count; i++)
        s->items[i] = (struct exec_sort_item){.row = i};
    return 0;
}

int exec_sort_cut(struct exec_sort_rows *s, uint32_t keep, struct dn_err *err)
{
    struct exec_sort_rows next = {0};
    enum type_id *types = mem_alloc_array(s->owner, s->cols_count, sizeof *types);
    int rc = 0;

    DN_ASSERT(s->items && keep <= s->count);
    if (!types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < s->cols_count; c++)
        types[c] = s->cols[c].type;
    rc = exec_sort_init(&next, types, s->cols_count, s->owner, err);
    mem_free(types);
    if (rc == 0 && !sort_key_room(&next, keep))
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < keep && rc == 0; i++) {
        uint32_t row = s->items[i].row;
        size_t len;
        const uint8_t *key = exec_sort_key(s, row, &len);

        for (uint32_t c = 0; c < s->cols_count && rc == 0; c++) {
            struct datum d = colbuf_datum(&s->cols[c], row);

            if (!colbuf_append(&next.cols[c], &d))
                rc = DN_FAIL_NOMEM(err);
        }
        next.key_at[i] = next.keys.len;
        buf_append(&next.keys, key, len);
        next.key_at[i + 1] = next.keys.len;
        sort_note_length(&next, len, i == 0);
        next.count++;
    }
    if (rc == 0 && next.keys.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc < 0) {
        exec_sort_done(&next);
        return rc;
    }
    exec_sort_done(s);
    *s = next;
    for (uint32_t c = 0; c < s->cols_count; c++)
        s->cols[c].strings = &s->strings; /* it moved with the struct */
    return 0;
}

/* ---- results ---- */

static void
sort_gather(const struct colbuf *c, const struct exec_sort_item *items, uint32_t count, void *to)
{
    size_t size = phys_size(type_phys(c->type));
    const char *from = c->data;

    switch (size) {
    case 8:
        for (uint32_t i = 0; i < count; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)c->data)[items[i].row];
        return;
    case 4:
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)to)[i] = ((const uint32_t *)c->data)[items[i].row];
        return;
    default: /* a number, not an enum of ours */
        for (uint32_t i = 0; i < count; i++)
            memcpy((char *)to + i * size, from + items[i].row * size, size);
        return;
    }
}

int exec_sort_batch(const struct exec_sort_rows *s,
                    uint32_t first,
                    uint32_t count,
                    struct arena *arena,
                    struct vec *ret,
                    struct dn_err *err)
{
    const struct exec_sort_item *items = s->items + first;

    for (uint32_t c = 0; c < s->cols_count; c++) {
        const struct colbuf *col = &s->cols[c];
        void *data = arena_alloc_array(arena, count, phys_size(type_phys(col->type)));
        uint64_t *nulls = NULL;

        if (!data)
            return DN_FAIL_NOMEM(err);
        sort_gather(col, items, count, data);
        if (col->nulls) {
            nulls = arena_calloc(arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
            if (!nulls)
                return DN_FAIL_NOMEM(err);
            for (uint32_t i = 0; i < count; i++)
                if (vec_bit(col->nulls, items[i].row))
                    vec_bit_set(nulls, i);
        }
        ret[c] = (struct vec){
            .type = col->type, .form = VEC_FLAT, .count = count, .data = data, .nulls = nulls};
    }
    return 0;
}
