/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_ans.c: see codec_ans.h.
 *
 * The stream. Two states take turns, symbol by symbol, so that one need not wait for the other. A
 * state x, CODEC_ANS_LOW <= x < 256 * CODEC_ANS_LOW, holds what is to come; the symbol is the one
 * whose share of 0 .. 1023 x modulo 1024 lies in:
 *
 *   x = frequency * (x / 1024) + x modulo 1024 - start of the share
 *
 * and while x is below CODEC_ANS_LOW a byte is taken in. Encoding does the same backward, from the
 * last symbol, both states being CODEC_ANS_LOW in the end; so that is what a reader must find. */
#include "codec/codec_ans.h"

#define CODEC_ANS_BITS  10u
#define CODEC_ANS_TOTAL (1u << CODEC_ANS_BITS)
#define CODEC_ANS_LOW   (1u << 16)
#define CODEC_ANS_STATE 3u /* bytes of a state */
#define CODEC_ANS_SIDES 2u
#define CODEC_ANS_LEN   4u /* bits of a frequency's length */

/* ---- frequencies ---- */

/* Of n symbols, in proportion to how often they come: none that comes has 0, all add up to
 * CODEC_ANS_TOTAL. */
static void codec_ans_share(const uint32_t *times, unsigned n, uint32_t count, uint16_t *freq)
{
    uint32_t left = CODEC_ANS_TOTAL;
    unsigned top = 0;

    for (unsigned i = 0; i < n; i++) {
        uint32_t f = (uint32_t)(((uint64_t)times[i] * CODEC_ANS_TOTAL + count / 2) / count);

        freq[i] = (uint16_t)(times[i] && f == 0 ? 1 : f);
        top = freq[i] > freq[top] ? i : top;
        left -= freq[i]; /* may wrap: see below */
    }
    /* What is over or too much goes to the most frequent, and where that has not enough, one each
     * to those that have more than one. */
    while ((int32_t)left < 0 && -(int32_t)left >= freq[top]) {
        for (unsigned i = 0; i < n && (int32_t)left < 0; i++)
            if (freq[i] > 1) {
                freq[i]--;
                left++;
            }
        for (unsigned i = 0; i < n; i++)
            top = freq[i] > freq[top] ? i : top;
    }
    freq[top] = (uint16_t)(freq[top] + left);
}

/* ---- encoding ---- */

struct codec_ans_bits {
    uint8_t *to;
    uint32_t at; /* bits so far */
};

static void codec_ans_put_bits(struct codec_ans_bits *b, unsigned value, unsigned n)
{
    for (unsigned i = 0; i < n; i++, b->at++) {
        if (b->at % 8 == 0)
            b->to[b->at / 8] = 0;
        b->to[b->at / 8] |= (uint8_t)((value >> i & 1) << b->at % 8);
    }
}

static void codec_ans_put_table(struct codec_ans *ans, const uint16_t *freq)
{
    struct codec_ans_bits bits = {.to = ans->table};

    for (unsigned i = 0; i < ans->symbols; i++) {
        unsigned len = bitpack_width(freq[i]);

        codec_ans_put_bits(&bits, len, CODEC_ANS_LEN);
        if (len > 1)
            codec_ans_put_bits(&bits, freq[i] & ((1u << (len - 1)) - 1), len - 1);
    }
    ans->table_n = (bits.at + 7) / 8;
}

/* The stream, from the last symbol to the first; it ends up at the end of ans->stream. */
static void codec_ans_put_stream(struct codec_ans *ans, const uint16_t *freq)
{
    uint8_t *p = ans->stream + sizeof ans->stream;
    uint32_t x[CODEC_ANS_SIDES] = {CODEC_ANS_LOW, CODEC_ANS_LOW};
    uint16_t start[CODEC_ANS_SYMBOLS_MAX];
    uint32_t sum = 0;

    for (unsigned i = 0; i < ans->symbols; i++) {
        start[i] = (uint16_t)sum;
        sum += freq[i];
    }
    for (uint32_t i = ans->count; i-- > 0;) {
        unsigned s = (unsigned)(ans->ints[i] >> ans->low);
        uint32_t f = freq[s];
        uint32_t *state = &x[i % CODEC_ANS_SIDES];

        while (*state >= (CODEC_ANS_LOW >> CODEC_ANS_BITS << 8) * f) {
            *--p = (uint8_t)*state;
            *state >>= 8;
        }
        *state = (*state / f << CODEC_ANS_BITS) + *state % f + start[s];
    }
    for (unsigned side = CODEC_ANS_SIDES; side-- > 0;)
        for (unsigned i = CODEC_ANS_STATE; i-- > 0;)
            *--p = (uint8_t)(x[side] >> 8 * i);
    ans->stream_n = (uint32_t)(ans->stream + sizeof ans->stream - p);
}

size_t codec_ans_encode(struct codec_ans *to, unsigned width, size_t limit)
{
    static const unsigned tops[] = {4, 5, 6, 7}; /* bits of a symbol at most */
    size_t best = limit;
    unsigned best_low = UINT32_MAX;
    uint16_t freq[CODEC_ANS_SYMBOLS_MAX];

    if (to->count == 0 || width == 0)
        return SIZE_MAX;
    for (size_t t = 0; t <= DN_ARRAY_SIZE(tops); t++) {
        bool again = t == DN_ARRAY_SIZE(tops); /* the best once more */
        unsigned low = again ? best_low : width > tops[t] ? width - tops[t] : 0;
        uint32_t times[CODEC_ANS_SYMBOLS_MAX] = {0};
        size_t bytes;

        if (low == UINT32_MAX)
            return SIZE_MAX; /* none was short enough */
        if (low == best_low && !again)
            continue;
        to->low = low;
        to->symbols = 0;
        for (uint32_t i = 0; i < to->count; i++)
            times[to->ints[i] >> low]++;
        for (unsigned s = 0; s < CODEC_ANS_SYMBOLS_MAX; s++)
            to->symbols = times[s] ? s + 1 : to->symbols;
        codec_ans_share(times, to->symbols, to->count, freq);
        codec_ans_put_table(to, freq);
        codec_ans_put_stream(to, freq);
        bytes = 2 + to->table_n + codec_varint_size(to->stream_n) + to->stream_n +
                bitpack_size(to->count, low);
        if (again)
            return bytes;
        if (bytes < best) {
            best = bytes;
            best_low = low;
        }
    }
    return SIZE_MAX;
}

void codec_ans_put(const struct codec_ans *ans, struct codec_work *work, struct buf *b)
{
    buf_u8(b, (uint8_t)ans->low);
    buf_u8(b, (uint8_t)(ans->symbols - 1));
    buf_append(b, ans->table, ans->table_n);
    buf_varint(b, ans->stream_n);
    buf_append(b, ans->stream + sizeof ans->stream - ans->stream_n, ans->stream_n);
    for (uint32_t i = 0; i < ans->count && ans->low; i++)
        work->pack[i] = ans->ints[i] & (~(uint64_t)0 >> (64 - ans->low));
    codec_put_packed(b, work, ans->count, ans->low);
}

/* ---- decoding ---- */

/* What a remainder modulo 1024 means. */
struct codec_ans_slot {
    uint16_t freq;
    uint16_t over; /* the remainder less the start of the share */
    uint16_t symbol;
};

static unsigned codec_ans_bits_get(struct rd *r, uint32_t *at, unsigned n)
{
    unsigned value = 0;

    for (unsigned i = 0; i < n; i++, (*at)++) {
        size_t byte = *at / 8;

        if (byte >= rd_left(r)) {
            r->bad = true;
            return 0;
        }
        value |= (unsigned)(r->p[byte] >> *at % 8 & 1) << i;
    }
    return value;
}

static int codec_ans_get_table(struct rd *r,
                               unsigned symbols,
                               struct codec_ans_slot *slots,
                               struct dn_err *err)
{
    uint32_t at = 0;
    uint32_t sum = 0;

    for (unsigned s = 0; s < symbols; s++) {
        unsigned len = codec_ans_bits_get(r, &at, CODEC_ANS_LEN);
        uint32_t freq = len ? 1u << (len - 1) | codec_ans_bits_get(r, &at, len - 1) : 0;

        DN_CHECK_DISK(!r->bad && sum + freq <= CODEC_ANS_TOTAL,
                      err,
                      "vector: frequencies of more than %u, or cut short",
                      CODEC_ANS_TOTAL);
        for (uint32_t i = 0; i < freq; i++)
            slots[sum + i] = (struct codec_ans_slot){
                .freq = (uint16_t)freq, .over = (uint16_t)i, .symbol = (uint16_t)s};
        sum += freq;
    }
    DN_CHECK_DISK(sum == CODEC_ANS_TOTAL, err, "vector: frequencies of %u", sum);
    (void)rd_bytes(r, (at + 7) / 8);
    return 0;
}

/* One symbol; takes bytes in while there are any. */
static inline uint64_t codec_ans_step(const struct codec_ans_slot *slots,
                                      uint32_t *x,
                                      const uint8_t **p,
                                      const uint8_t *end)
{
    struct codec_ans_slot slot = slots[*x % CODEC_ANS_TOTAL];

    *x = slot.freq * (*x >> CODEC_ANS_BITS) + slot.over;
    while (*x < CODEC_ANS_LOW && *p < end)
        *x = *x << 8 | *(*p)++;
    return slot.symbol;
}

static int codec_ans_get_stream(struct rd *r,
                                const struct codec_ans_slot *slots,
                                uint32_t count,
                                uint64_t *to,
                                struct dn_err *err)
{
    uint32_t x[CODEC_ANS_SIDES] = {0};
    size_t n = 0;
    const uint8_t *p = rd_blob(r, &n);
    const uint8_t *end;
    uint32_t x0;
    uint32_t x1;
    uint32_t i = 0;

    DN_CHECK_DISK(!r->bad && n >= (size_t)CODEC_ANS_SIDES * CODEC_ANS_STATE,
                  err,
                  "vector: symbols cut short");
    end = p + n;
    for (unsigned side = 0; side < CODEC_ANS_SIDES; side++)
        for (unsigned k = 0; k < CODEC_ANS_STATE; k++)
            x[side] |= (uint32_t)*p++ << 8 * k;
    x0 = x[0];
    x1 = x[1];
    for (; i + 2 <= count; i += 2) {
        to[i] = codec_ans_step(slots, &x0, &p, end);
        to[i + 1] = codec_ans_step(slots, &x1, &p, end);
    }
    if (i < count)
        to[i] = codec_ans_step(slots, &x0, &p, end);
    DN_CHECK_DISK(x0 == CODEC_ANS_LOW && x1 == CODEC_ANS_LOW && p == end,
                  err,
                  "vector: symbols that do not end where they must");
    return 0;
}

int codec_ans_get(struct rd *r, uint32_t count, unsigned width, uint64_t *to, struct dn_err *err)
{
    struct codec_ans_slot slots[CODEC_ANS_TOTAL];
    unsigned low = rd_u8(r);
    unsigned symbols = rd_u8(r) + 1u;
    union bitpack_lanes lanes;
    const uint8_t *packed;
    int rc;

    DN_CHECK_DISK(!r->bad && low <= width && symbols <= CODEC_ANS_SYMBOLS_MAX &&
                      bitpack_width(symbols - 1) + low <= width,
                  err,
                  "vector: %u symbols and %u bits for integers of %u bits",
                  symbols,
                  low,
                  width);
    rc = codec_ans_get_table(r, symbols, slots, err);
    if (rc == 0)
        rc = codec_ans_get_stream(r, slots, count, to, err);
    if (rc < 0)
        return rc;
    packed = rd_bytes(r, bitpack_size(count, low));
    DN_CHECK_DISK(!r->bad, err, "vector: low bits of symbols cut short");
    if (low == 0)
        return 0;
    bitpack_unpack(packed, count, low, &lanes);
    for (uint32_t i = 0; i < count; i++)
        to[i] = to[i] << low | bitpack_lane(&lanes, low, i);
    return 0;
}
