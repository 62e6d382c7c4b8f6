/* SPDX-License-Identifier: Apache-2.0
 *
 * test_scram.c: the exchange of RFC 7677, verifiers, and everything that must be refused. */
#include "server/scram.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t secret[SCRAM_KEY_BYTES] = {1, 2, 3};

/* RFC 7677, section 3. Its server's nonce is 24 characters, ours too: 18 bytes in base64. */
#define RFC_SALT   "W22ZaJ0SNY7soEsUEjb6gQ=="
#define RFC_CLIENT "rOprNGfwEbeRWgbNEkqO"
#define RFC_SERVER "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"

static struct scram_verifier verifier(void)
{
    struct scram_verifier v;
    uint8_t salt[32];

    assert_int_equal(EVP_DecodeBlock(salt, (const unsigned char *)RFC_SALT, 24), 18);
    assert_true(scram_make("pencil", 6, salt, &v));
    return v;
}

/* Plays the client of the RFC against us: its proof is right for its nonce only, so the nonce is
 * put in by hand after the first message. */
static void rfc(void **state)
{
    struct scram_verifier v = verifier();
    struct scram s = {.plus = false};
    const char *first;
    char last[64];
    uint8_t random[18] = {0};

    (void)state;
    scram_begin(&s, &v, "user", secret);
    assert_int_equal(scram_first(&s, "n,,n=user,r=" RFC_CLIENT, 12 + 20, random, &first), SCRAM_OK);
    snprintf(s.nonce, sizeof s.nonce, "%s", RFC_CLIENT RFC_SERVER);
    snprintf(
        s.server_first, sizeof s.server_first, "r=%s,s=%s,i=4096", RFC_CLIENT RFC_SERVER, RFC_SALT);
    {
        static const char final[] =
            "c=biws,r=" RFC_CLIENT RFC_SERVER ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

        assert_int_equal(scram_final(&s, final, sizeof final - 1, last), SCRAM_OK);
        assert_string_equal(last, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }
}

static void verifiers(void **state)
{
    struct scram_verifier v = verifier();
    struct scram_verifier again;
    char text[SCRAM_VERIFIER_MAX];

    (void)state;
    scram_print(&v, text);
    assert_true(scram_parse(text, &again));
    assert_memory_equal(&v, &again, sizeof v);
    assert_true(scram_check(&again, "pencil", 6));
    assert_false(scram_check(&again, "pencils", 7));
    assert_false(scram_check(&again, "", 0));
    /* one that PostgreSQL 15 made */
    assert_true(scram_parse("SCRAM-SHA-256$4096:F3MbMLC7d+eFbfJig7g+hQ==$Lgg2RAe1mfisUzcyjCVgyz"
                            "DLiTnQmYonKgokx1yucxw=:RJo/07mgE/nHLT8wkOloCpA6T7/BK13aQ4KsmR8eFXo=",
                            &again));
    assert_true(scram_check(&again, "dendro", 6));
    assert_false(scram_check(&again, "Dendro", 6));
    for (size_t n = 0; n < strlen(text); n++) {
        char cut[SCRAM_VERIFIER_MAX];

        snprintf(cut, n + 1, "%s", text);
        assert_false(scram_parse(cut, &again));
    }
    assert_false(scram_parse("SCRAM-SHA-256$0:AAAA$AAAA:AAAA", &again));
    assert_false(scram_parse("SCRAM-SHA-256$99999999999:AAAA$AAAA:AAAA", &again));
    assert_false(scram_parse("md5abcdef", &again));
}

static void first_messages(void **state)
{
    static const char *const bad[] = {"",
                                      "n",
                                      "n,,",
                                      "n,,n=",
                                      "n,,n=u",
                                      "n,,n=u,r=",
                                      "n,,u=n,r=x",
                                      "x,,n=u,r=x",
                                      "n,a=b,n=u,r=x",
                                      "n,,m=1,n=u,r=x",
                                      "n,,n=u,r=a b",
                                      "n,,n=u,r=\x7f"};
    struct scram_verifier v = verifier();
    struct scram s = {.plus = false};
    const char *first;
    uint8_t random[18] = {9};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scram_begin(&s, &v, "u", secret);
        assert_int_equal(scram_first(&s, bad[i], strlen(bad[i]), random, &first), SCRAM_MALFORMED);
    }
    /* binding that was not offered, and binding that was, and was not seen */
    scram_begin(&s, &v, "u", secret);
    assert_int_equal(scram_first(&s, "p=tls-server-end-point,,n=,r=x", 30, random, &first),
                     SCRAM_BINDING);
    s.binding = secret;
    s.binding_len = sizeof secret;
    scram_begin(&s, &v, "u", secret);
    assert_int_equal(scram_first(&s, "y,,n=,r=x", 9, random, &first), SCRAM_BINDING);
    scram_begin(&s, &v, "u", secret);
    assert_int_equal(scram_first(&s, "n,,n=,r=x", 9, random, &first), SCRAM_OK);
}

/* Somebody who is not there is asked the same, always with the same salt, and never gets in. */
static void unknown(void **state)
{
    struct scram a = {.plus = false}, b = {.plus = false};
    const char *first_a, *first_b;
    uint8_t random[18] = {7};
    char last[64], message[256];

    (void)state;
    scram_begin(&a, NULL, "nobody", secret);
    scram_begin(&b, NULL, "nobody", secret);
    assert_int_equal(scram_first(&a, "n,,n=,r=x", 9, random, &first_a), SCRAM_OK);
    assert_int_equal(scram_first(&b, "n,,n=,r=x", 9, random, &first_b), SCRAM_OK);
    assert_string_equal(first_a, first_b);
    scram_begin(&b, NULL, "else", secret);
    assert_int_equal(scram_first(&b, "n,,n=,r=x", 9, random, &first_b), SCRAM_OK);
    assert_string_not_equal(first_a, first_b);
    snprintf(message,
             sizeof message,
             "c=biws,r=%s,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
             a.nonce);
    assert_int_equal(scram_final(&a, message, strlen(message), last), SCRAM_DENIED);
}

static void final_messages(void **state)
{
    struct scram_verifier v = verifier();
    struct scram s = {.plus = false};
    const char *first;
    uint8_t random[18] = {5};
    char last[64], message[300];
    static const char *const bad[] = {"%.0s",
                                      "c=biws",
                                      "c=biws,r=%s",
                                      "r=%s,p=AAAA",
                                      "c=biws,r=%sx,p=AAAA",
                                      "c=biws,r=%s,p=AAAA",
                                      "c=biws,r=%s,p=!!!!"};

    (void)state;
    scram_begin(&s, &v, "u", secret);
    assert_int_equal(scram_final(&s, "c=biws,r=,p=AAAA", 16, last), SCRAM_MALFORMED); /* too soon */
    assert_int_equal(scram_first(&s, "n,,n=,r=x", 9, random, &first), SCRAM_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(message, sizeof message, bad[i], s.nonce);
#pragma GCC diagnostic pop
        assert_int_equal(scram_final(&s, message, strlen(message), last), SCRAM_MALFORMED);
    }
    snprintf(message,
             sizeof message,
             "c=eSws,r=%s,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
             s.nonce);
    assert_int_equal(scram_final(&s, message, strlen(message), last), SCRAM_BINDING);
    snprintf(message,
             sizeof message,
             "c=biws,r=%s,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
             s.nonce);
    assert_int_equal(scram_final(&s, message, strlen(message), last), SCRAM_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc),
        cmocka_unit_test(verifiers),
        cmocka_unit_test(first_messages),
        cmocka_unit_test(unknown),
        cmocka_unit_test(final_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
