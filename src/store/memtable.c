/* SPDX-License-Identifier: Apache-2.0
 *
 * Invariants:
 *   I1  rows [0, m->rows) never change and never move; [m->rows, m->staged) belong to the writer.
 *   I2  sequences are ascending by row number, so the rows of a snapshot are a prefix.
 *   I3  a series' chain visits its rows from newest to oldest; heads may point at staged rows,
 *       which readers step over under the lock (the writer may take them back); rows published
 *       after the count they saw they skip by their number.
 *   I4  the array of chunk pointers is replaced, never resized in place; replaced ones are kept
 *       until the memtable goes. */
#include "store/memtable_int.h"

#include "vec/normkey.h"

#include <string.h>

struct mem_retired {
    struct mem_retired *next;  /* owned */
    struct mem_chunk **chunks; /* owned */
};

struct memtable *memtable_new(struct sched *sched, struct mem_owner *owner, const struct table *t)
{
    struct memtable *m = mem_calloc(owner, 1, sizeof *m);

    if (!m)
        return NULL;
    m->owner = owner;
    m->table = table_ref(t);
    arena_init(&m->strings, owner);
    hidx_init(&m->index, owner);
    buf_init(&m->key, owner);
    buf_init(&m->ser, owner);
    m->lock = sched_mutex_new(sched, "memtable");
    if (!m->lock) {
        memtable_free(m);
        return NULL;
    }
    return m;
}

static void mem_chunk_free(struct mem_chunk *c, uint32_t cols)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < cols; i++) {
        if (c->data)
            mem_free(c->data[i]);
        if (c->flags)
            mem_free(c->flags[i]);
    }
    mem_free(c->data);
    mem_free(c->flags);
    mem_free(c->seq);
    mem_free(c->rowid);
    mem_free(c->series);
    mem_free(c->prev);
    mem_free(c->op);
    mem_free(atomic_load_explicit(&c->expiry, memory_order_relaxed));
    mem_free(c);
}

void memtable_free(struct memtable *m)
{
    struct mem_retired *r;

    if (!m)
        return;
    for (uint32_t i = 0; i < m->chunks_count; i++)
        mem_chunk_free(m->chunks[i], m->table->columns_count);
    mem_free(m->chunks);
    r = m->retired;
    while (r) {
        struct mem_retired *next = r->next;
        mem_free(r->chunks);
        mem_free(r);
        r = next;
    }
    memtable_order_unref(m->order);
    mem_free(m->series);
    hidx_done(&m->index);
    arena_done(&m->strings);
    buf_done(&m->key);
    buf_done(&m->ser);
    sched_mutex_free(m->lock);
    table_unref(m->table);
    mem_free(m);
}

const struct table *memtable_table(const struct memtable *m)
{
    return m->table;
}

uint32_t memtable_rows(const struct memtable *m)
{
    return atomic_load_explicit(&m->rows, memory_order_acquire);
}

uint32_t memtable_rows_at(const struct memtable *m, uint64_t seq)
{
    uint32_t lo = 0;
    uint32_t hi = memtable_rows(m);

    while (lo < hi) { /* first row with a larger sequence: I2 */
        uint32_t mid = lo + (hi - lo) / 2;
        const struct mem_chunk *c = mem_chunk_of(m, mid);
        if (c->seq[mid - c->first_row] <= seq)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

size_t memtable_bytes(const struct memtable *m)
{
    return atomic_load_explicit(&m->bytes, memory_order_relaxed);
}

static struct mem_chunk *mem_chunk_new(struct memtable *m, uint32_t first_row, uint32_t cap)
{
    const struct table *t = m->table;
    struct mem_chunk *c = mem_calloc(m->owner, 1, sizeof *c);
    bool ok;

    if (!c)
        return NULL;
    c->first_row = first_row;
    c->cap = cap;
    c->data = mem_calloc(m->owner, t->columns_count, sizeof *c->data);
    c->flags = mem_calloc(m->owner, t->columns_count, sizeof *c->flags);
    c->seq = mem_alloc_array(m->owner, cap, sizeof *c->seq);
    c->series = mem_alloc_array(m->owner, cap, sizeof *c->series);
    c->prev = mem_alloc_array(m->owner, cap, sizeof *c->prev);
    c->op = mem_alloc_array(m->owner, cap, sizeof *c->op);
    if (t->form == KEY_NONE)
        c->rowid = mem_alloc_array(m->owner, cap, sizeof *c->rowid);
    ok = c->data && c->flags && c->seq && c->series && c->prev && c->op &&
         (t->form != KEY_NONE || c->rowid);
    for (uint32_t i = 0; ok && i < t->columns_count; i++) {
        uint32_t size = phys_size(type_phys(t->columns[i].type));
        c->data[i] = mem_calloc(m->owner, cap, size);
        c->flags[i] = mem_calloc(m->owner, cap, 1);
        ok = c->data[i] && c->flags[i];
        memtable_charge(m, (size_t)cap * (size + 1));
    }
    memtable_charge(m, (size_t)cap * 25);
    if (!ok) {
        mem_chunk_free(c, t->columns_count);
        return NULL;
    }
    return c;
}

/* Makes room so that rows up to `rows` have chunks. */
static bool mem_reserve(struct memtable *m, uint32_t rows)
{
    while (m->chunks_count <= mem_chunk_index(rows - 1)) {
        uint32_t n = m->chunks_count;
        uint32_t first = n == 0 ? 0 : m->chunks[n - 1]->first_row + m->chunks[n - 1]->cap;
        uint32_t cap = n == 0 ? MEM_CHUNK_FIRST : n <= 4 ? first : MEM_CHUNK_FULL;
        struct mem_chunk *c;

        if (n == m->chunks_cap) {
            uint32_t want = n ? n * 2 : 8;
            struct mem_chunk **grown = mem_calloc(m->owner, want, sizeof(struct mem_chunk *));
            struct mem_retired *r = n ? mem_calloc(m->owner, 1, sizeof *r) : NULL;
            if (!grown || (n && !r)) {
                mem_free(grown);
                mem_free(r);
                return false;
            }
            if (n) {
                memcpy(grown, m->chunks, n * sizeof(struct mem_chunk *));
                r->chunks = m->chunks;
                r->next = m->retired;
                m->retired = r;
            }
            m->chunks = grown;
            m->chunks_cap = want;
            atomic_store_explicit(&m->chunks_pub, grown, memory_order_release);
        }
        c = mem_chunk_new(m, first, cap);
        if (!c)
            return false;
        m->chunks[m->chunks_count++] = c;
    }
    return true;
}

struct mem_series_key {
    const uint8_t *key;
    size_t len;
};

static bool mem_series_same(const void *ctx, const void *key, uint32_t id)
{
    const struct memtable *m = ctx;
    const struct mem_series_key *k = key;
    const struct mem_series *s = &m->series[id];

    return s->key_len == k->len && (k->len == 0 || memcmp(s->key, k->key, k->len) == 0);
}

static uint64_t mem_series_hash(const void *ctx, uint32_t id)
{
    const struct memtable *m = ctx;

    return m->series[id].hash;
}

static uint32_t mem_series_find(const struct memtable *m, const struct buf *key)
{
    struct mem_series_key k = {.key = key->data, .len = key->len};

    return hidx_find(&m->index, dn_hash64(key->data, key->len, 0), mem_series_same, m, &k);
}

uint32_t
memtable_series_lookup(const struct memtable *m, const struct datum *values, struct buf *key)
{
    for (uint16_t i = 0; i < m->table->partition_count; i++)
        normkey_append(key, &values[i], false);
    return key->failed ? UINT32_MAX : mem_series_find(m, key);
}

static int mem_series_add(struct memtable *m, int64_t token, uint32_t *ret, struct dn_err *err)
{
    struct mem_series *s;
    uint64_t hash = dn_hash64(m->key.data, m->key.len, 0);
    void *key;

    if (m->series_count == m->series_cap) {
        uint32_t want = m->series_cap ? m->series_cap * 2 : 16;
        struct mem_series *grown = mem_realloc(m->owner, m->series, (size_t)want * sizeof *grown);
        if (!grown)
            return DN_FAIL_NOMEM(err);
        m->series = grown;
        m->series_cap = want;
    }
    key = arena_dup(&m->strings, m->key.data, m->key.len);
    if (!key)
        return DN_FAIL_NOMEM(err);
    s = &m->series[m->series_count];
    *s = (struct mem_series){.token = token,
                             .hash = hash,
                             .key = key,
                             .key_len = (uint32_t)m->key.len,
                             .head = UINT32_MAX,
                             .time_min = INT64_MAX,
                             .time_max = INT64_MIN,
                             .ascending = true};
    if (!hidx_add(&m->index, hash, m->series_count, mem_series_hash, m))
        return DN_FAIL_NOMEM(err);
    *ret = m->series_count++;
    memtable_charge(m, sizeof *s + m->key.len + 16);
    return DN_OK;
}

/* The series number of one row; called under the lock because it may grow the index. */
static int mem_series_of(
    struct memtable *m, const struct vec *cols, uint32_t row, uint32_t *ret, struct dn_err *err)
{
    const struct table *t = m->table;
    struct datum *values;
    uint32_t id;
    int64_t token = 0;

    buf_reset(&m->key);
    for (uint16_t i = 0; i < t->partition_count; i++)
        normkey_append_vec(&m->key, &cols[t->partition[i]], row, false);
    if (m->key.failed)
        return DN_FAIL_NOMEM(err);
    id = mem_series_find(m, &m->key);
    if (id != UINT32_MAX) {
        *ret = id;
        return DN_OK;
    }
    if (t->series_count) {
        values = mem_alloc_array(m->owner, t->series_count, sizeof *values);
        if (!values)
            return DN_FAIL_NOMEM(err);
        for (uint16_t i = 0; i < t->series_count; i++)
            values[i] = vec_datum(&cols[t->series[i]], row);
        token = table_series_token(t, values, &m->ser);
        mem_free(values);
        if (m->ser.failed) {
            buf_done(&m->ser);
            buf_init(&m->ser, m->owner);
            return DN_FAIL_NOMEM(err);
        }
    }
    return mem_series_add(m, token, ret, err);
}

/* A copy of string bytes that lives as long as the memtable; NULL: out of memory. */
static const char *mem_string(struct memtable *m, const char *ptr, uint32_t len)
{
    char *to;

    if (len > m->room_left) {
        size_t size = len > MEM_ROOM_BYTES ? len : MEM_ROOM_BYTES;
        char *room = arena_alloc(&m->strings, size);
        if (!room)
            return NULL;
        m->room = room;
        m->room_left = size;
        memtable_charge(m, size);
    }
    to = m->room;
    memcpy(to, ptr, len);
    m->room += len;
    m->room_left -= len;
    return to;
}

/* Strings of staged rows [first, first + count). A series tends to repeat itself: where the row
 * before it has the same text, that copy is shared. */
static int mem_copy_strings(struct memtable *m,
                            struct mem_chunk *c,
                            uint32_t col,
                            const struct vec *v,
                            uint32_t from,
                            uint32_t count,
                            struct dn_err *err)
{
    uint32_t at = m->staged - count - c->first_row;
    struct vstr *to = (struct vstr *)c->data[col] + at;
    struct vstr seen = {.ptr = NULL}; /* the row before, where it came from */

    for (uint32_t i = 0; i < count; i++) {
        uint32_t prev = c->prev[at + i];
        struct vstr old = {.ptr = "", .len = 0};
        struct vstr s = {.ptr = "", .len = 0};

        if (!c->flags[col][at + i])
            s = ((const struct vstr *)v->data)[vec_at(v, from + i)];
        if (i > 0 && s.len && s.ptr == seen.ptr && s.len == seen.len) {
            to[i] = to[i - 1]; /* told by its place */
            continue;
        }
        seen = s;
        if (s.len && prev != UINT32_MAX) {
            const struct mem_chunk *p = m->chunks[mem_chunk_index(prev)];
            old = ((const struct vstr *)p->data[col])[prev - p->first_row];
        }
        if (s.len && old.len == s.len && memcmp(old.ptr, s.ptr, s.len) == 0)
            s.ptr = old.ptr;
        else if (s.len)
            s.ptr = mem_string(m, s.ptr, s.len);
        else
            s.ptr = "";
        if (!s.ptr)
            return DN_FAIL_NOMEM(err);
        to[i] = s;
    }
    return DN_OK;
}

/* Copies rows [from, from + count) of a vector into the rows staged last. */
static int mem_copy_col(struct memtable *m,
                        struct mem_chunk *c,
                        uint32_t col,
                        const struct vec *v,
                        uint32_t from,
                        uint32_t count,
                        struct dn_err *err)
{
    uint32_t at = m->staged - count - c->first_row;
    uint32_t size = phys_size(type_phys(m->table->columns[col].type));
    uint8_t *to = (uint8_t *)c->data[col] + (size_t)at * size;
    bool gaps = v->nulls || v->absent;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = v->form == VEC_CONST ? 0 : from + i;
        c->flags[col][at + i] = (uint8_t)(gaps ? (vec_bit(v->nulls, row) ? MEM_NULL : 0) |
                                                     (vec_bit(v->absent, row) ? MEM_ABSENT : 0)
                                               : 0);
    }
    if (type_phys(m->table->columns[col].type) == PHYS_STR)
        return mem_copy_strings(m, c, col, v, from, count, err);
    if (v->form == VEC_FLAT) {
        memcpy(to, (const uint8_t *)v->data + (size_t)from * size, (size_t)count * size);
        return DN_OK;
    }
    for (uint32_t i = 0; i < count && v->data; i++)
        memcpy(to + (size_t)i * size,
               (const uint8_t *)v->data + (size_t)vec_at(v, from + i) * size,
               size);
    return DN_OK;
}

static void mem_unstage(struct memtable *m, uint32_t to)
{
    while (m->staged > to) {
        uint32_t row = --m->staged;
        struct mem_chunk *c = m->chunks[mem_chunk_index(row)];
        struct mem_series *s = &m->series[c->series[row - c->first_row]];
        DN_ASSERT(s->head == row); /* I3: rows leave in reverse order */
        s->head = c->prev[row - c->first_row];
        s->rows--;
    }
}

/* Can a row be seen at a glance to be of the same series as the one before it? */
static bool mem_series_goes_on(const struct table *t, const struct vec *cols, uint32_t row)
{
    for (uint16_t i = 0; i < t->partition_count; i++) {
        const struct vec *v = &cols[t->partition[i]];
        const struct vstr *s = (const struct vstr *)v->data + row;

        if (v->form == VEC_CONST)
            continue;
        if (type_phys(v->type) != PHYS_STR || s[0].ptr != s[-1].ptr || s[0].len != s[-1].len)
            return false;
    }
    return true;
}

static void mem_series_time(struct mem_series *s, const struct vec *times, uint32_t row)
{
    int64_t time = ((const int64_t *)times->data)[vec_at(times, row)];

    s->ascending = s->ascending && time >= s->time_max;
    s->time_min = time < s->time_min ? time : s->time_min;
    s->time_max = time > s->time_max ? time : s->time_max;
}

/* One stretch of rows that lies in one chunk. */
static int mem_stage_stretch(struct memtable *m,
                             struct mem_chunk *c,
                             const struct mem_write *w,
                             uint32_t from,
                             uint32_t count,
                             struct dn_err *err)
{
    uint32_t at = m->staged - c->first_row;
    uint32_t last = UINT32_MAX;
    int rc = memtable_stage_expiry(m, c, w, from, count, err);

    if (rc < 0)
        return rc;
    sched_lock(m->lock);
    for (uint32_t i = 0; i < count; i++) {
        struct mem_series *s;
        uint32_t id = last;
        if (i == 0 || !mem_series_goes_on(m->table, w->cols, from + i)) {
            rc = mem_series_of(m, w->cols, from + i, &id, err);
            if (rc < 0) {
                sched_unlock(m->lock);
                return rc;
            }
        }
        last = id;
        s = &m->series[id];
        c->seq[at + i] = w->seq;
        c->op[at + i] = (uint8_t)w->op;
        c->series[at + i] = id;
        c->prev[at + i] = s->head;
        if (c->rowid)
            c->rowid[at + i] = w->rowids ? (uint64_t)w->rowids[from + i] : w->rowid_base + from + i;
        if (memtable_timed(m->table))
            mem_series_time(s, &w->cols[m->table->time_col], from + i);
        s->head = m->staged;
        s->rows++;
        m->staged++;
    }
    sched_unlock(m->lock);
    for (uint16_t col = 0; col < m->table->columns_count; col++) {
        rc = mem_copy_col(m, c, col, &w->cols[col], from, count, err);
        if (rc < 0)
            return rc;
    }
    return DN_OK;
}

int memtable_stage(struct memtable *m, const struct mem_write *w, uint32_t rows, struct dn_err *err)
{
    uint32_t before = m->staged;
    uint32_t done = 0;

    if (rows > MEMTABLE_ROWS_MAX - m->staged)
        return DN_FAIL(
            err, DN_E_NOMEM, "memtable of \"%s\" is full (%u rows)", m->table->name, m->staged);
    if (rows == 0)
        return DN_OK;
    if (!mem_reserve(m, m->staged + rows))
        return DN_FAIL_NOMEM(err);
    while (done < rows) {
        struct mem_chunk *c = m->chunks[mem_chunk_index(m->staged)];
        uint32_t room = c->first_row + c->cap - m->staged;
        uint32_t count = rows - done < room ? rows - done : room;
        int rc = DN_OK;

        if (w->cancel && atomic_load_explicit(w->cancel, memory_order_relaxed))
            rc = DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
        if (rc == DN_OK)
            rc = mem_stage_stretch(m, c, w, done, count, err);
        if (rc < 0) {
            sched_lock(m->lock);
            mem_unstage(m, before);
            sched_unlock(m->lock);
            return rc;
        }
        done += count;
    }
    return DN_OK;
}

void memtable_publish(struct memtable *m)
{
    atomic_store_explicit(&m->rows, m->staged, memory_order_release);
}

/* Is memtable row `at` a version of row `row` of the vectors? Same series is known. */
static bool
mem_same_row(const struct memtable *m, uint32_t at, const struct mem_write *w, uint32_t row)
{
    const struct table *t = m->table;
    const struct mem_chunk *c = mem_chunk_of(m, at);

    if (t->form == KEY_NONE)
        return w->rowids && c->rowid[at - c->first_row] == (uint64_t)w->rowids[row];
    for (uint16_t i = 0; i < t->rest_count; i++) {
        struct datum mine = memtable_datum(m, at, t->rest[i].col);
        struct datum theirs = vec_datum(&w->cols[t->rest[i].col], row);
        if (datum_cmp(&mine, &theirs) != 0)
            return false;
    }
    return true;
}

int memtable_newer(struct memtable *m,
                   const struct mem_write *w,
                   uint32_t row,
                   uint64_t seq,
                   bool *ret_newer,
                   struct dn_err *err)
{
    uint32_t id;

    buf_reset(&m->key);
    for (uint16_t i = 0; i < m->table->partition_count; i++)
        normkey_append_vec(&m->key, &w->cols[m->table->partition[i]], row, false);
    if (m->key.failed)
        return DN_FAIL_NOMEM(err);
    *ret_newer = false;
    sched_lock(m->lock);
    id = mem_series_find(m, &m->key);
    for (uint32_t at = id == UINT32_MAX ? id : m->series[id].head;
         at != UINT32_MAX && !*ret_newer;) {
        const struct mem_chunk *c = mem_chunk_of(m, at);
        if (c->seq[at - c->first_row] <= seq)
            break; /* I2, I3: older from here on */
        *ret_newer = mem_same_row(m, at, w, row);
        at = c->prev[at - c->first_row];
    }
    sched_unlock(m->lock);
    return DN_OK;
}

uint32_t memtable_staged(const struct memtable *m)
{
    return m->staged;
}

void memtable_rollback(struct memtable *m, uint32_t rows)
{
    DN_ASSERT(rows >= memtable_rows(m)); /* I1 */
    sched_lock(m->lock);
    mem_unstage(m, rows);
    sched_unlock(m->lock);
}

void memtable_truncate(struct memtable *m, uint32_t rows)
{
    struct mem_order *old = NULL;

    sched_lock(m->lock);
    if (m->staged > rows)
        mem_unstage(m, rows);
    if (memtable_rows(m) > rows)
        atomic_store_explicit(&m->rows, rows, memory_order_release);
    if (m->order && m->order->rows > rows) {
        old = m->order; /* rows that come later are others */
        m->order = NULL;
    }
    sched_unlock(m->lock);
    memtable_order_unref(old);
}
