/* SPDX-License-Identifier: Apache-2.0
 *
 * scram.h: SCRAM-SHA-256 (RFC 5802, 7677), the server's side, and its password verifiers in
 * PostgreSQL's form:
 *
 *     SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>      in base64
 *
 * so that clients may send one instead of a password. From a verifier nobody gets the password, nor
 * can he log in with it.
 *
 *     scram_begin    with the verifier of the user, or with none: then all looks the same, and
 * fails scram_first    the client's first message -> ours scram_final    the client's last message
 * -> ours, if the password was right
 *
 * One thread at a time. */
#pragma once

#include "base/attr.h"
#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCRAM_KEY_BYTES      32u
#define SCRAM_SALT_BYTES     16u
#define SCRAM_SALT_MAX       64u
#define SCRAM_ITERATIONS     4096u
#define SCRAM_ITERATIONS_MAX ENGINE_ROUNDS_MAX /* of one that the server itself computes */
#define SCRAM_VERIFIER_MAX   256u              /* bytes of its text, with the NUL */
#define SCRAM_MESSAGE_MAX    2048u             /* of a message of a client */

struct scram_verifier {
    uint32_t iterations;
    uint8_t salt[SCRAM_SALT_MAX];
    size_t salt_len;
    uint8_t stored_key[SCRAM_KEY_BYTES];
    uint8_t server_key[SCRAM_KEY_BYTES];
};

/* Of a password; false: OpenSSL failed. */
bool scram_make(const char *password,
                size_t len,
                const uint8_t salt[SCRAM_SALT_BYTES],
                struct scram_verifier *ret) DN_MUST_CHECK;
/* From its text; false: it is none. */
bool scram_parse(const char *text, struct scram_verifier *ret) DN_MUST_CHECK;
void scram_print(const struct scram_verifier *v, char to[SCRAM_VERIFIER_MAX]);
/* Is it the password's? For logins that send it as it is. */
bool scram_check(const struct scram_verifier *v, const char *password, size_t len) DN_MUST_CHECK;

enum scram_result {
    SCRAM_OK = 0,
    SCRAM_MALFORMED = -1, /* it is no such message */
    SCRAM_DENIED = -2,    /* wrong password, or no such user */
    SCRAM_BINDING = -3,   /* the channel is another one than the client sees */
};

struct scram {
    struct scram_verifier verifier;
    bool known;             /* the user has one */
    const uint8_t *binding; /* borrowed: what a channel is bound to; NULL: it is not offered */
    size_t binding_len;
    bool plus;        /* the client chose SCRAM-SHA-256-PLUS */
    char flag;        /* n, y or p of its first message */
    char header[256]; /* its gs2 header */
    char bare[SCRAM_MESSAGE_MAX];
    char nonce[256]; /* both parts */
    char server_first[512];
};

/* user: decides the salt of one that is not known, so that it stays the same; secret: the server's,
 * which nobody else can guess. */
void scram_begin(struct scram *s,
                 const struct scram_verifier *v,
                 const char *user,
                 const uint8_t secret[SCRAM_KEY_BYTES]);
/* random: 18 fresh bytes. *ret belongs to s. */
enum scram_result scram_first(struct scram *s,
                              const char *message,
                              size_t len,
                              const uint8_t random[18],
                              const char **ret) DN_MUST_CHECK;
/* ret: at least 64 bytes. */
enum scram_result
scram_final(struct scram *s, const char *message, size_t len, char *ret) DN_MUST_CHECK;
