/* SPDX-License-Identifier: Apache-2.0
 *
 * scram.c: see scram.h. */
#include "server/scram.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRAM_PREFIX    "SCRAM-SHA-256$"
#define SCRAM_PARSE_MAX 10000000u /* iterations: clients compute them */
#define SCRAM_BASE64(n) (((n) + 2) / 3 * 4)

/* ---- base64 ---- */

static void scram_encode(const uint8_t *p, size_t n, char *to)
{
    EVP_EncodeBlock((unsigned char *)to, p, (int)n);
}

/* Bytes, or -1: it is no base64, or longer than max. */
static ptrdiff_t scram_decode(const char *text, size_t len, uint8_t *to, size_t max)
{
    uint8_t bytes[SCRAM_MESSAGE_MAX];
    size_t pad = 0;
    int n;

    if (len == 0 || len % 4 || len / 4 * 3 > sizeof bytes)
        return -1;
    while (pad < 2 && text[len - 1 - pad] == '=')
        pad++;
    n = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)len);
    if (n < 0 || (size_t)n < pad || (size_t)n - pad > max)
        return -1;
    memcpy(to, bytes, (size_t)n - pad);
    return n - (ptrdiff_t)pad;
}

/* ---- keys ---- */

static bool
scram_hmac(const uint8_t *key, const void *text, size_t len, uint8_t to[SCRAM_KEY_BYTES])
{
    unsigned n = SCRAM_KEY_BYTES;

    return HMAC(EVP_sha256(), key, SCRAM_KEY_BYTES, text, len, to, &n) != NULL;
}

static bool scram_keys(const char *password, size_t len, struct scram_verifier *v)
{
    uint8_t salted[SCRAM_KEY_BYTES];
    uint8_t client[SCRAM_KEY_BYTES];
    bool ok = PKCS5_PBKDF2_HMAC(password,
                                (int)len,
                                v->salt,
                                (int)v->salt_len,
                                (int)v->iterations,
                                EVP_sha256(),
                                (int)sizeof salted,
                                salted) == 1 &&
              scram_hmac(salted, "Client Key", 10, client) &&
              scram_hmac(salted, "Server Key", 10, v->server_key);

    if (ok)
        SHA256(client, sizeof client, v->stored_key);
    OPENSSL_cleanse(salted, sizeof salted);
    OPENSSL_cleanse(client, sizeof client);
    return ok;
}

bool scram_make(const char *password,
                size_t len,
                const uint8_t salt[SCRAM_SALT_BYTES],
                struct scram_verifier *ret)
{
    *ret = (struct scram_verifier){.iterations = SCRAM_ITERATIONS, .salt_len = SCRAM_SALT_BYTES};
    memcpy(ret->salt, salt, SCRAM_SALT_BYTES);
    return scram_keys(password, len, ret);
}

bool scram_check(const struct scram_verifier *v, const char *password, size_t len)
{
    struct scram_verifier own = *v;

    return scram_keys(password, len, &own) &&
           CRYPTO_memcmp(own.stored_key, v->stored_key, SCRAM_KEY_BYTES) == 0;
}

/* ---- the text of a verifier ---- */

void scram_print(const struct scram_verifier *v, char to[SCRAM_VERIFIER_MAX])
{
    char salt[SCRAM_BASE64(SCRAM_SALT_MAX) + 1];
    char stored[SCRAM_BASE64(SCRAM_KEY_BYTES) + 1];
    char server[SCRAM_BASE64(SCRAM_KEY_BYTES) + 1];

    scram_encode(v->salt, v->salt_len, salt);
    scram_encode(v->stored_key, SCRAM_KEY_BYTES, stored);
    scram_encode(v->server_key, SCRAM_KEY_BYTES, server);
    snprintf(
        to, SCRAM_VERIFIER_MAX, SCRAM_PREFIX "%u:%s$%s:%s", v->iterations, salt, stored, server);
}

bool scram_parse(const char *text, struct scram_verifier *ret)
{
    const char *at = text + sizeof SCRAM_PREFIX - 1;
    const char *salt, *stored, *server;
    char *end;
    unsigned long iterations;
    ptrdiff_t n;

    if (strncmp(text, SCRAM_PREFIX, sizeof SCRAM_PREFIX - 1) != 0 || *at < '0' || *at > '9')
        return false;
    iterations = strtoul(at, &end, 10);
    if (*end != ':' || iterations < 1 || iterations > SCRAM_PARSE_MAX)
        return false;
    salt = end + 1;
    stored = strchr(salt, '$');
    server = stored ? strchr(stored + 1, ':') : NULL;
    if (!server)
        return false;
    *ret = (struct scram_verifier){.iterations = (uint32_t)iterations};
    n = scram_decode(salt, (size_t)(stored - salt), ret->salt, sizeof ret->salt);
    if (n < 1)
        return false;
    ret->salt_len = (size_t)n;
    return scram_decode(
               stored + 1, (size_t)(server - stored - 1), ret->stored_key, SCRAM_KEY_BYTES) ==
               SCRAM_KEY_BYTES &&
           scram_decode(server + 1, strlen(server + 1), ret->server_key, SCRAM_KEY_BYTES) ==
               SCRAM_KEY_BYTES;
}

/* ---- the exchange ---- */

void scram_begin(struct scram *s,
                 const struct scram_verifier *v,
                 const char *user,
                 const uint8_t secret[SCRAM_KEY_BYTES])
{
    uint8_t mac[SCRAM_KEY_BYTES] = {0};

    s->known = v != NULL;
    s->header[0] = s->bare[0] = s->nonce[0] = s->server_first[0] = 0;
    s->flag = 0;
    if (v) {
        s->verifier = *v;
        return;
    }
    DN_IGNORE(scram_hmac(secret, user, strlen(user), mac));
    s->verifier =
        (struct scram_verifier){.iterations = SCRAM_ITERATIONS, .salt_len = SCRAM_SALT_BYTES};
    memcpy(s->verifier.salt, mac, SCRAM_SALT_BYTES);
}

static bool scram_printable(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < 0x21 || p[i] > 0x7e || p[i] == ',')
            return false;
    return n > 0;
}

/* n,, or y,, or p=tls-server-end-point,, : the bytes of it, 0: none of these. */
static size_t scram_header(struct scram *s, const char *p, size_t n)
{
    static const char bound[] = "p=tls-server-end-point,,";
    size_t len = 3;

    if (n >= sizeof bound - 1 && memcmp(p, bound, sizeof bound - 1) == 0)
        len = sizeof bound - 1;
    else if (n < 3 || (p[0] != 'n' && p[0] != 'y') || p[1] != ',' || p[2] != ',')
        return 0;
    s->flag = p[0];
    memcpy(s->header, p, len);
    s->header[len] = 0;
    return len;
}

enum scram_result scram_first(
    struct scram *s, const char *message, size_t len, const uint8_t random[18], const char **ret)
{
    size_t header;
    const char *nonce;
    size_t bare, nonce_len;
    char own[SCRAM_BASE64(18) + 1];
    char salt[SCRAM_BASE64(SCRAM_SALT_MAX) + 1];

    if (len >= SCRAM_MESSAGE_MAX || memchr(message, 0, len))
        return SCRAM_MALFORMED;
    header = scram_header(s, message, len);
    if (header == 0)
        return SCRAM_MALFORMED;
    /* y: it could bind, and believes that we cannot */
    if ((s->flag == 'p') != s->plus || (s->flag == 'y' && s->binding))
        return SCRAM_BINDING;
    bare = len - header;
    memcpy(s->bare, message + header, bare);
    s->bare[bare] = 0;
    nonce = strstr(s->bare, ",r=");
    if (strncmp(s->bare, "n=", 2) != 0 || !nonce)
        return SCRAM_MALFORMED;
    nonce += 3;
    nonce_len = strcspn(nonce, ",");
    if (!scram_printable(nonce, nonce_len) || nonce_len + sizeof own > sizeof s->nonce)
        return SCRAM_MALFORMED;
    scram_encode(random, 18, own);
    snprintf(s->nonce, sizeof s->nonce, "%.*s%s", (int)nonce_len, nonce, own);
    scram_encode(s->verifier.salt, s->verifier.salt_len, salt);
    snprintf(s->server_first,
             sizeof s->server_first,
             "r=%s,s=%s,i=%u",
             s->nonce,
             salt,
             s->verifier.iterations);
    *ret = s->server_first;
    return SCRAM_OK;
}

/* c=: the header once more, and what the channel is bound to. */
static enum scram_result scram_channel(const struct scram *s, const char *text, size_t len)
{
    uint8_t bytes[SCRAM_MESSAGE_MAX];
    ptrdiff_t n = scram_decode(text, len, bytes, sizeof bytes);
    size_t header = strlen(s->header);
    size_t bound = s->flag == 'p' ? s->binding_len : 0;

    if (n < 0)
        return SCRAM_MALFORMED;
    if ((size_t)n != header + bound || memcmp(bytes, s->header, header) != 0 ||
        (bound && CRYPTO_memcmp(bytes + header, s->binding, bound) != 0))
        return SCRAM_BINDING;
    return SCRAM_OK;
}

/* Does the proof belong to the stored key? */
static bool scram_proof(const struct scram *s,
                        const uint8_t proof[SCRAM_KEY_BYTES],
                        const char *text,
                        size_t len)
{
    uint8_t signature[SCRAM_KEY_BYTES];
    uint8_t hash[SCRAM_KEY_BYTES];
    bool ok = scram_hmac(s->verifier.stored_key, text, len, signature);

    for (size_t i = 0; i < SCRAM_KEY_BYTES; i++)
        signature[i] ^= proof[i];
    SHA256(signature, sizeof signature, hash);
    ok = CRYPTO_memcmp(hash, s->verifier.stored_key, SCRAM_KEY_BYTES) == 0 && ok;
    OPENSSL_cleanse(signature, sizeof signature);
    return ok && s->known;
}

enum scram_result scram_final(struct scram *s, const char *message, size_t len, char *ret)
{
    char text[SCRAM_MESSAGE_MAX];
    char all[2 * SCRAM_MESSAGE_MAX + sizeof s->server_first];
    uint8_t proof[SCRAM_KEY_BYTES];
    uint8_t signature[SCRAM_KEY_BYTES];
    const char *nonce, *at;
    enum scram_result rc;
    int n;

    if (len >= sizeof text || memchr(message, 0, len) || s->nonce[0] == 0)
        return SCRAM_MALFORMED;
    memcpy(text, message, len);
    text[len] = 0;
    nonce = strstr(text, ",r=");
    at = strstr(text, ",p=");
    if (strncmp(text, "c=", 2) != 0 || !nonce || !at || at < nonce)
        return SCRAM_MALFORMED;
    rc = scram_channel(s, text + 2, (size_t)(nonce - text) - 2);
    if (rc != SCRAM_OK)
        return rc;
    if (strcspn(nonce + 3, ",") != strlen(s->nonce) ||
        memcmp(nonce + 3, s->nonce, strlen(s->nonce)) != 0 ||
        scram_decode(at + 3, strlen(at + 3), proof, sizeof proof) != SCRAM_KEY_BYTES)
        return SCRAM_MALFORMED;
    n = snprintf(all, sizeof all, "%s,%s,%.*s", s->bare, s->server_first, (int)(at - text), text);
    if (!scram_proof(s, proof, all, (size_t)n) ||
        !scram_hmac(s->verifier.server_key, all, (size_t)n, signature))
        return SCRAM_DENIED;
    ret[0] = 'v';
    ret[1] = '=';
    scram_encode(signature, sizeof signature, ret + 2);
    return SCRAM_OK;
}
