/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashes: checksums that must never change, ring tokens as Cassandra prints them, and the index
 * from hashes to ids. The tokens of text with bytes >= 0x80 were computed apart from this code,
 * from the definition (x64 Murmur3 with sign-extended tail bytes); textbook Murmur3 gives other
 * values. */
#include "base/bytes.h"
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void checksums_are_frozen(void **state)
{
    (void)state;
    /* Published test values of XXH3: empty input with seed 0. */
    assert_true(dn_checksum64("", 0) == UINT64_C(0x2d06800538d394c2));
    assert_true(dn_checksum32("", 0) == UINT32_C(0x38d394c2));
    assert_true(dn_hash64("", 0, 0) == dn_checksum64("", 0));
    assert_true(dn_hash64("abc", 3, 0) == dn_checksum64("abc", 3));
    assert_true(dn_hash64("abc", 3, 1) != dn_checksum64("abc", 3));
    assert_true(dn_mix64(1) != dn_mix64(2));
}

static int64_t token_int(uint32_t v)
{
    uint8_t be[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v};

    return dn_token(be, sizeof be);
}

/* Two int columns: length, bytes, a zero byte, for each. */
static int64_t token_pair(uint32_t a, uint32_t b)
{
    uint8_t key[14] = {0};
    uint32_t values[2] = {a, b};

    for (size_t i = 0; i < 2; i++) {
        key[i * 7 + 1] = 4;
        for (size_t j = 0; j < 4; j++)
            key[i * 7 + 2 + j] = (uint8_t)(values[i] >> (24 - 8 * j));
    }
    return dn_token(key, sizeof key);
}

static void tokens_of_numbers(void **state)
{
    (void)state;
    assert_true(token_int(1) == INT64_C(-4069959284402364209));
    assert_true(token_int(2) == INT64_C(-3248873570005575792));
    assert_true(token_int(3) == INT64_C(9010454139840013625));
    assert_true(token_pair(2, 201302) == INT64_C(-8008302424058807557));
    assert_true(token_pair(3, 201302) == INT64_C(-4170283165166275150));
    assert_true(token_pair(1, 201302) == INT64_C(-2513410968542290463));
    assert_true(token_pair(1, 201301) == INT64_C(2812959805228870809));
    assert_true(token_pair(3, 201301) == INT64_C(7526434744222505305));
    assert_true(token_pair(2, 201301) == INT64_C(8684684716004151397));
}

static void tokens_of_text(void **state)
{
    static const struct {
        const char *text;
        int64_t token;
    } rows[] = {
        {"a", INT64_C(-8839064797231613815)},
        {"\xc3\xbc", INT64_C(2039338041252279364)},
        {"Z\xc3\xbcrich", INT64_C(-5540362457254946660)},
        {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", INT64_C(2587241856907040145)},
        {"Stra\xc3\x9f"
         "enbahn",
         INT64_C(7272212208469661193)},
        {"na\xc3\xafve caf\xc3\xa9 \xc3\xb6\xc3\xa4\xc3\xbc", INT64_C(-8953226345270759870)},
        {"Gr\xc3\xb6\xc3\x9f"
         "enwahnsinnig \xc3\x9c"
         "berl\xc3\xa4nge \xc3\x84\xc3\x96\xc3\x9c",
         INT64_C(-8248121501529345529)},
        {"0123456789abcdef", INT64_C(5467490433528156583)},
        {"0123456789abcdef\xc3\xa9", INT64_C(8755401265980413160)},
        {"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff",
         INT64_C(-9084739235461062116)},
        {"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe",
         INT64_C(-7737243313669454511)},
        {"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8", INT64_C(-6602143071428848777)},
        {"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7", INT64_C(8369731552278694167)},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++)
        assert_true(dn_token(rows[i].text, strlen(rows[i].text)) == rows[i].token);
}

struct numbers {
    uint64_t keys[5000]; /* by id */
    unsigned bits;       /* of the hash that differ, to force collisions */
};

static uint64_t numbers_hash_key(const struct numbers *n, uint64_t key)
{
    uint64_t hash = dn_mix64(key);

    return n->bits == 64 ? hash : hash & ((UINT64_C(1) << n->bits) - 1);
}

static uint64_t numbers_hash(const void *ctx, uint32_t id)
{
    const struct numbers *n = ctx;

    return numbers_hash_key(n, n->keys[id]);
}

static bool numbers_same(const void *ctx, const void *key, uint32_t id)
{
    const struct numbers *n = ctx;
    const uint64_t *want = key;

    return n->keys[id] == *want;
}

static void index_finds_what_was_added(void **state)
{
    static const unsigned bits[] = {64, 6, 0}; /* 0: all hashes equal */
    static struct numbers n;

    (void)state;
    for (size_t b = 0; b < DN_ARRAY_SIZE(bits); b++) {
        uint32_t count = bits[b] == 64 ? 5000 : 300;
        struct mem_owner owner;
        struct hidx h;

        mem_owner_init(&owner, "test", NULL, 0);
        hidx_init(&h, &owner);
        n.bits = bits[b];
        for (int round = 0; round < 2; round++) {
            for (uint32_t id = 0; id < count; id++) {
                uint64_t key = (uint64_t)id * 7919;
                uint64_t hash = numbers_hash_key(&n, key);
                assert_int_equal(hidx_find(&h, hash, numbers_same, &n, &key), UINT32_MAX);
                n.keys[id] = key;
                assert_true(hidx_add(&h, hash, id, numbers_hash, &n));
            }
            for (uint32_t id = 0; id < count; id++) {
                uint64_t key = n.keys[id];
                uint64_t hash = numbers_hash_key(&n, key);
                assert_int_equal(hidx_find(&h, hash, numbers_same, &n, &key), id);
                key++;
                hash = numbers_hash_key(&n, key);
                assert_int_equal(hidx_find(&h, hash, numbers_same, &n, &key), UINT32_MAX);
            }
            hidx_reset(&h);
        }
        hidx_done(&h);
        assert_int_equal(mem_owner_used(&owner), 0);
    }
}

/* Ids with an array of their hashes; with good hashes the first guess is right. */
static void index_reserves_and_guesses(void **state)
{
    static const unsigned bits[] = {64, 6};
    static struct numbers n;
    static uint64_t hashes[5000];

    (void)state;
    for (size_t b = 0; b < DN_ARRAY_SIZE(bits); b++) {
        uint32_t count = bits[b] == 64 ? 5000 : 300;
        struct mem_owner owner;
        struct hidx h;

        mem_owner_init(&owner, "test", NULL, 0);
        hidx_init(&h, &owner);
        n.bits = bits[b];
        assert_int_equal(hidx_guess(&h, 1), UINT32_MAX);
        for (uint32_t id = 0; id < count; id++) {
            n.keys[id] = (uint64_t)id * 7919;
            hashes[id] = numbers_hash_key(&n, n.keys[id]);
            assert_true(hidx_reserve(&h, 1 + id % 7, hashes, id, NULL));
            if (bits[b] == 64)
                assert_int_equal(hidx_guess(&h, hashes[id]), UINT32_MAX);
            hidx_put(&h, hashes[id], id);
        }
        for (uint32_t id = 0; id < count; id++) {
            assert_int_equal(hidx_find(&h, hashes[id], numbers_same, &n, &n.keys[id]), id);
            if (bits[b] == 64)
                assert_int_equal(hidx_guess(&h, hashes[id]), id);
        }
        hidx_done(&h);
        assert_int_equal(mem_owner_used(&owner), 0);
    }
}

static void index_out_of_memory_keeps_what_it_has(void **state)
{
    static struct numbers n = {.bits = 64};
    struct mem_owner owner;
    struct hidx h;
    uint32_t id = 0;

    (void)state;
    mem_owner_init(&owner, "test", NULL, 8 * 64 + 8 * 128);
    hidx_init(&h, &owner);
    for (;; id++) {
        n.keys[id] = id;
        if (!hidx_add(&h, numbers_hash(&n, id), id, numbers_hash, &n))
            break;
        assert_true(id < 1000);
    }
    assert_int_equal(id, 64); /* half of 128 slots */
    for (uint32_t i = 0; i < id; i++) {
        uint64_t key = i;
        assert_int_equal(hidx_find(&h, numbers_hash_key(&n, key), numbers_same, &n, &key), i);
    }
    hidx_done(&h);
    assert_int_equal(mem_owner_used(&owner), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_frozen),
        cmocka_unit_test(tokens_of_numbers),
        cmocka_unit_test(tokens_of_text),
        cmocka_unit_test(index_finds_what_was_added),
        cmocka_unit_test(index_reserves_and_guesses),
        cmocka_unit_test(index_out_of_memory_keeps_what_it_has),
    };

    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
