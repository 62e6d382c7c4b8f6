/* SPDX-License-Identifier: Apache-2.0
 *
 * tls.c: see tls.h. */
#include "server/tls.h"

#include "base/mem.h"
#include "server/conn.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdatomic.h>

/* Contexts before the last reload: a worker may be about to use one. */
struct tls_old {
    struct tls_old *next;
    SSL_CTX *ctx; /* owned */
};

struct srv_tls {
    _Atomic(SSL_CTX *) ctx; /* owned */
    struct tls_old *old;    /* owned; of the loop's thread */
};

/* "postgresql" is what clients ask for that begin with TLS. */
static int tls_alpn(SSL *ssl DN_UNUSED,
                    const unsigned char **out,
                    unsigned char *out_len,
                    const unsigned char *in,
                    unsigned in_len,
                    void *arg DN_UNUSED)
{
    static const unsigned char ours[] = "\x0apostgresql";
    unsigned char *chosen;

    if (SSL_select_next_proto(&chosen, out_len, ours, sizeof ours - 1, in, in_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static int tls_fail(const char *what, const char *file, struct dn_err *err)
{
    unsigned long why = ERR_get_error();
    const char *text = why ? ERR_reason_error_string(why) : NULL;

    return DN_FAIL(err, DN_E_CONFIG, "%s \"%s\": %s", what, file, text ? text : "cannot be used");
}

static int tls_context(const char *cert, const char *key, SSL_CTX **ret, struct dn_err *err)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    int rc = 0;

    if (!ctx)
        return DN_FAIL_NOMEM(err);
    ERR_clear_error();
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    /* a buffer that grows moves between two tries to write it */
    SSL_CTX_set_mode(ctx,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(ctx, tls_alpn, NULL);
    if (SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
        rc = tls_fail("the certificate", cert, err);
    else if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
        rc = tls_fail("the key", key, err);
    else if (SSL_CTX_check_private_key(ctx) != 1)
        rc = tls_fail("the key does not fit the certificate:", key, err);
    if (rc < 0)
        SSL_CTX_free(ctx);
    else
        *ret = ctx;
    return rc;
}

int srv_tls_reload(struct srv_tls *t, const char *cert, const char *key, struct dn_err *err)
{
    struct tls_old *old = mem_calloc(NULL, 1, sizeof(*old));
    SSL_CTX *ctx;
    int rc = old ? tls_context(cert, key, &ctx, err) : DN_FAIL_NOMEM(err);

    if (rc < 0) {
        mem_free(old);
        return rc;
    }
    *old = (struct tls_old){.next = t->old, .ctx = atomic_exchange(&t->ctx, ctx)};
    t->old = old;
    return 0;
}

int srv_tls_new(const char *cert, const char *key, struct srv_tls **ret, struct dn_err *err)
{
    struct srv_tls *t = mem_calloc(NULL, 1, sizeof(*t));
    SSL_CTX *ctx;
    int rc;

    if (!t)
        return DN_FAIL_NOMEM(err);
    rc = tls_context(cert, key, &ctx, err);
    if (rc < 0) {
        srv_tls_free(t);
        return rc;
    }
    atomic_store(&t->ctx, ctx);
    *ret = t;
    return 0;
}

void srv_tls_free(struct srv_tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(atomic_load(&t->ctx));
    while (t->old) {
        struct tls_old *old = t->old;

        t->old = old->next;
        SSL_CTX_free(old->ctx);
        mem_free(old);
    }
    mem_free(t);
}

bool srv_tls_start(struct srv_tls *t, struct conn *c)
{
    SSL *ssl = SSL_new(atomic_load(&t->ctx));

    if (!ssl || SSL_set_fd(ssl, c->fd) != 1) {
        SSL_free(ssl);
        return false;
    }
    SSL_set_accept_state(ssl);
    c->tls = ssl;
    return true;
}

/* RFC 5929: the hash of the certificate's signature, SHA-256 in place of MD5 and SHA-1. */
size_t srv_tls_binding(const struct conn *c, uint8_t to[SRV_TLS_BINDING_MAX])
{
    X509 *cert = c->tls ? SSL_get_certificate(c->tls) : NULL;
    const EVP_MD *md = NULL;
    unsigned len = 0;
    int hash = NID_undef;

    if (!cert || X509_get_signature_info(cert, &hash, NULL, NULL, NULL) != 1)
        return 0;
    if (hash == NID_md5 || hash == NID_sha1)
        hash = NID_sha256;
    md = EVP_get_digestbynid(hash);
    return md && X509_digest(cert, md, to, &len) == 1 ? len : 0;
}
