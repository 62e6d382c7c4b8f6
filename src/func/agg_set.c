/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_set.c: see agg_set.h. */
#include "func/agg_set.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

#define SET_CAP_MIN    16u
#define SET_SLOTS_MIN  512u
#define SET_SLOTS_MAX  65536u /* what set_slot takes of a hash */
#define SET_FEW        4u     /* values per different key from which counting pays */
#define SET_SORT_MAX   128u   /* keys that are sorted rather than counted by range */
#define SET_RANGES     1024u  /* keys are counted by so many at a time … */
#define SET_RANGES_FEW 256u   /* … or so many, for less than … */
#define SET_USED_BIG   8192u  /* … that many keys */
#define SET_COUNT_MAX  ((uint64_t)1 << 40)

/* ---- keys one by one ---- */

static bool set_reserve(struct agg_set *s, uint64_t more, struct arena *arena)
{
    uint64_t cap = s->cap ? s->cap : SET_CAP_MIN;
    int64_t *keys;

    if (s->used + more <= s->cap)
        return true;
    while (cap < s->used + more)
        cap *= 2;
    keys = arena_alloc_array(arena, cap, sizeof *keys);
    if (!keys)
        return false;
    if (s->used)
        memcpy(keys, s->keys, s->used * sizeof *keys);
    s->keys = keys;
    s->cap = cap;
    return true;
}

/* ---- keys with counts ---- */

static inline struct agg_slot *set_slot(struct agg_slot *slots, uint64_t cap, int64_t key)
{
    /* whole numbers as doubles differ in their upper bits only: these are folded down first, and
     * the upper bits of the product depend on all */
    uint64_t h = ((uint64_t)key ^ (uint64_t)key >> 32) * 0x9e3779b97f4a7c15u;
    uint64_t at = h >> 48 & (cap - 1);

    while (slots[at].count && slots[at].key != key)
        at = (at + 1) & (cap - 1);
    return &slots[at];
}

static struct agg_slot *set_slots(uint64_t cap, struct arena *arena)
{
    return arena_calloc(arena, cap + cap / 2, sizeof(struct agg_slot));
}

/* Every value for itself again. */
static bool set_spread(struct agg_set *s, struct arena *arena)
{
    struct agg_set wide = {.many = 1};

    if (!set_reserve(&wide, s->total + s->total / 2 + 1, arena))
        return false;
    for (uint64_t i = 0; i < s->cap; i++)
        for (uint64_t k = 0; k < s->slots[i].count; k++)
            wide.keys[wide.used++] = s->slots[i].key;
    wide.total = wide.used;
    *s = wide;
    return true;
}

/* Room for another key: a bigger table, or none at all if it is of no use. */
static bool set_widen(struct agg_set *s, struct arena *arena)
{
    struct agg_slot *slots;

    if (s->cap == SET_SLOTS_MAX || s->total < s->used * SET_FEW)
        return set_spread(s, arena);
    slots = set_slots(s->cap * 2, arena);
    if (!slots)
        return false;
    for (uint64_t i = 0; i < s->cap; i++)
        if (s->slots[i].count)
            *set_slot(slots, s->cap * 2, s->slots[i].key) = s->slots[i];
    s->slots = slots;
    s->cap *= 2;
    return true;
}

static bool set_add_many(struct agg_set *s, int64_t key, uint64_t count, struct arena *arena)
{
    struct agg_slot *slot;

    if (s->slots) {
        slot = set_slot(s->slots, s->cap, key);
        if (slot->count || s->used < s->cap / 2) {
            s->used += slot->count == 0;
            s->total += count;
            slot->key = key;
            slot->count += count;
            return true;
        }
        if (!set_widen(s, arena))
            return false;
        if (s->slots)
            return set_add_many(s, key, count, arena); /* there is room now */
    }
    if (!set_reserve(s, count, arena))
        return false;
    for (uint64_t k = 0; k < count; k++)
        s->keys[s->used++] = key;
    s->total += count;
    return true;
}

/* Counts what is there if few of the keys are different. */
static bool set_try(struct agg_set *s, struct arena *arena)
{
    struct agg_set table = {.cap = SET_SLOTS_MIN};

    s->many = 1;
    table.slots = set_slots(table.cap, arena);
    if (!table.slots)
        return false;
    for (uint64_t i = 0; i < s->used; i++) {
        struct agg_slot *slot = set_slot(table.slots, table.cap, s->keys[i]);

        if (slot->count == 0 && ++table.used > table.cap / 2)
            return true;
        slot->key = s->keys[i];
        slot->count++;
    }
    table.total = s->total;
    *s = table;
    return true;
}

int agg_set_add(
    struct agg_set *s, const int64_t *keys, uint32_t count, struct arena *arena, struct dn_err *err)
{
    uint32_t i = 0;

    if (count == 0)
        return 0;
    if (!s->slots && s->used >= AGG_SET_TRY && !s->many && !set_try(s, arena))
        return DN_FAIL_NOMEM(err);
    if (!s->slots) {
        if (!set_reserve(s, count, arena))
            return DN_FAIL_NOMEM(err);
        memcpy(s->keys + s->used, keys, count * sizeof *keys);
        s->used += count;
        s->total += count;
        return 0;
    }
    for (; i < count; i++) {
        struct agg_slot *slot = set_slot(s->slots, s->cap, keys[i]);

        if (slot->count == 0)
            break;
        slot->count++;
    }
    s->total += i;
    for (; i < count; i++)
        if (!set_add_many(s, keys[i], 1, arena))
            return DN_FAIL_NOMEM(err);
    return 0;
}

int agg_set_merge(struct agg_set *into,
                  const struct agg_set *from,
                  struct arena *arena,
                  struct dn_err *err)
{
    struct agg_set own = *into;

    if (!from->slots) {
        for (uint64_t at = 0; at < from->used; at += AGG_SET_TRY) {
            uint64_t count = from->used - at < AGG_SET_TRY ? from->used - at : AGG_SET_TRY;
            int rc = agg_set_add(into, from->keys + at, (uint32_t)count, arena, err);

            if (rc < 0)
                return rc;
        }
        into->many |= from->many && !into->slots;
        return 0;
    }
    if (!into->slots) { /* its keys go to the table, not the other way round */
        *into = (struct agg_set){.cap = from->cap};
        into->slots = set_slots(from->cap, arena);
        if (!into->slots) {
            *into = own;
            return DN_FAIL_NOMEM(err);
        }
        memcpy(into->slots, from->slots, from->cap * sizeof *into->slots);
        into->used = from->used;
        into->total = from->total;
        for (uint64_t i = 0; i < own.used; i++)
            if (!set_add_many(into, own.keys[i], 1, arena))
                return DN_FAIL_NOMEM(err);
        return 0;
    }
    for (uint64_t i = 0; i < from->cap; i++)
        if (from->slots[i].count &&
            !set_add_many(into, from->slots[i].key, from->slots[i].count, arena))
            return DN_FAIL_NOMEM(err);
    return 0;
}

/* ---- ranks ---- */

static int set_cmp(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Slots in order, in the room behind the table; the first member of a slot is its key. */
static const struct agg_slot *set_sorted(const struct agg_set *s)
{
    struct agg_slot *to = s->slots + s->cap;
    uint64_t n = 0;

    for (uint64_t i = 0; i < s->cap; i++)
        if (s->slots[i].count)
            to[n++] = s->slots[i];
    qsort(to, n, sizeof *to, set_cmp);
    return to;
}

static void set_rank_slots(const struct agg_set *s, uint64_t rank, int64_t ret[2])
{
    const struct agg_slot *slot = set_sorted(s);
    const struct agg_slot *last = slot + s->used - 1;
    uint64_t before = 0;

    while (before + slot->count <= rank)
        before += slot++->count;
    ret[0] = slot->key;
    ret[1] = rank + 1 < before + slot->count || slot == last ? slot->key : slot[1].key;
}

struct set_range {
    int64_t lo;
    uint64_t width;  /* keys lo to lo + width */
    uint64_t before; /* keys below lo */
    uint64_t inside;
};

static inline bool set_inside(const struct set_range *r, int64_t key)
{
    return (uint64_t)key - (uint64_t)r->lo <= r->width;
}

/* The part of the range that has the key of that rank. */
static void set_narrow(const struct agg_set *s, struct set_range *r, uint64_t rank)
{
    uint64_t counts[SET_RANGES];
    uint64_t ranges = s->used < SET_USED_BIG ? SET_RANGES_FEW : SET_RANGES;
    uint32_t shift = 0;
    uint64_t at = 0;

    memset(counts, 0, ranges * sizeof *counts);
    while (r->width >> shift >= ranges)
        shift++;
    for (uint64_t i = 0; i < s->used; i++)
        if (set_inside(r, s->keys[i]))
            counts[((uint64_t)s->keys[i] - (uint64_t)r->lo) >> shift]++;
    while (r->before + counts[at] <= rank)
        r->before += counts[at++];
    r->inside = counts[at];
    r->lo = (int64_t)((uint64_t)r->lo + (at << shift));
    r->width = ((uint64_t)1 << shift) - 1;
}

static struct set_range set_whole(const struct agg_set *s)
{
    struct set_range r = {.inside = s->used};
    int64_t lo = s->keys[0];
    int64_t hi = s->keys[0];

    for (uint64_t i = 1; i < s->used; i++) {
        lo = s->keys[i] < lo ? s->keys[i] : lo;
        hi = s->keys[i] > hi ? s->keys[i] : hi;
    }
    r.lo = lo;
    r.width = (uint64_t)hi - (uint64_t)lo;
    return r;
}

/* The least key above; at the end, the key itself. */
static int64_t set_next(const struct agg_set *s, int64_t key)
{
    int64_t best = INT64_MAX;
    bool any = false;

    for (uint64_t i = 0; i < s->used; i++) {
        any |= s->keys[i] > key;
        best = s->keys[i] > key && s->keys[i] < best ? s->keys[i] : best;
    }
    return any ? best : key;
}

void agg_set_rank(const struct agg_set *s, uint64_t rank, int64_t ret[2])
{
    int64_t few[SET_SORT_MAX];
    struct set_range r;
    uint64_t n = 0;

    if (s->slots) {
        set_rank_slots(s, rank, ret);
        return;
    }
    r = (struct set_range){.lo = INT64_MIN, .width = UINT64_MAX, .inside = s->used};
    if (s->used > SET_SORT_MAX)
        r = set_whole(s);
    while (r.inside > SET_SORT_MAX && r.width > 0)
        set_narrow(s, &r, rank);
    if (r.width == 0) { /* all of them are the same */
        ret[0] = r.lo;
        ret[1] = rank + 1 < r.before + r.inside ? r.lo : set_next(s, r.lo);
        return;
    }
    for (uint64_t i = 0; i < s->used; i++)
        if (set_inside(&r, s->keys[i]))
            few[n++] = s->keys[i];
    qsort(few, n, sizeof *few, set_cmp);
    ret[0] = few[rank - r.before];
    ret[1] = rank + 1 < r.before + n ? few[rank + 1 - r.before] : set_next(s, ret[0]);
}

/* The mode of slots: at most SET_SLOTS_MAX / 2 of them are in use, which takes no time. */
static int64_t set_mode_slots(const struct agg_set *s, bool desc)
{
    const struct agg_slot *slot = set_sorted(s);
    uint64_t best = 0;
    int64_t ret = 0;

    for (uint64_t i = 0; i < s->used; i++)
        if (desc ? slot[i].count >= best : slot[i].count > best) {
            best = slot[i].count;
            ret = slot[i].key;
        }
    return ret;
}

int agg_set_mode(const struct agg_set *s,
                 bool desc,
                 const atomic_bool *cancel,
                 int64_t *ret_key,
                 struct dn_err *err)
{
    uint64_t best = 0;
    int64_t *scratch;
    int rc;

    if (s->slots) {
        *ret_key = set_mode_slots(s, desc);
        return 0;
    }
    scratch = mem_alloc_array(NULL, s->used, sizeof *scratch);
    if (!scratch)
        return DN_FAIL_NOMEM(err);
    rc = dn_sort(s->keys, scratch, s->used, sizeof *s->keys, set_cmp, cancel, err);
    mem_free(scratch);
    if (rc < 0)
        return rc;
    for (uint64_t i = 0; i < s->used;) {
        uint64_t first = i;

        while (i < s->used && s->keys[i] == s->keys[first])
            i++;
        if (desc ? i - first >= best : i - first > best) {
            best = i - first;
            *ret_key = s->keys[first];
        }
    }
    return 0;
}

/* ---- as bytes ---- */

/* How many, then each key with its count; a count of 1 for keys one by one. */
void agg_set_save(const struct agg_set *s, struct buf *b)
{
    buf_u8(b, s->slots != NULL);
    buf_varint(b, s->used);
    for (uint64_t i = 0; i < (s->slots ? s->cap : s->used); i++) {
        if (s->slots && s->slots[i].count == 0)
            continue;
        buf_u64(b, (uint64_t)(s->slots ? s->slots[i].key : s->keys[i]));
        if (s->slots)
            buf_varint(b, s->slots[i].count);
    }
}

bool agg_set_load(struct agg_set *s, struct rd *r, struct arena *arena, bool *ret_nomem)
{
    bool counted = rd_u8(r) != 0;
    uint64_t used = rd_varint(r);

    *ret_nomem = false;
    if (r->bad || used > rd_left(r) / sizeof(int64_t))
        return false;
    if (counted) {
        s->cap = SET_SLOTS_MIN;
        s->slots = set_slots(s->cap, arena);
        *ret_nomem = !s->slots;
    } else if (!set_reserve(s, used, arena)) {
        *ret_nomem = true;
    }
    for (uint64_t i = 0; i < used && !*ret_nomem; i++) {
        int64_t key = (int64_t)rd_u64(r);
        uint64_t count = counted ? rd_varint(r) : 1;

        if (r->bad || count == 0 || count > SET_COUNT_MAX)
            return false;
        *ret_nomem = !set_add_many(s, key, count, arena);
    }
    return !*ret_nomem && !r->bad;
}
