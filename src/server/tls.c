/* SPDX-License-Identifier: Apache-2.0
 *
 * tls.c: see tls.h. */
#include "server/tls.h"

#include "base/mem.h"
#include "server/conn.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

struct srv_tls {
    SSL_CTX *ctx; /* owned */
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

int srv_tls_new(const char *cert, const char *key, struct srv_tls **ret, struct dn_err *err)
{
    struct srv_tls *t = mem_calloc(NULL, 1, sizeof(*t));
    int rc = 0;

    if (t)
        t->ctx = SSL_CTX_new(TLS_server_method());
    if (!t || !t->ctx) {
        srv_tls_free(t);
        return DN_FAIL_NOMEM(err);
    }
    ERR_clear_error();
    SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(t->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    /* a buffer that grows moves between two tries to write it */
    SSL_CTX_set_mode(t->ctx,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                         SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(t->ctx, tls_alpn, NULL);
    if (SSL_CTX_use_certificate_chain_file(t->ctx, cert) != 1)
        rc = tls_fail("the certificate", cert, err);
    else if (SSL_CTX_use_PrivateKey_file(t->ctx, key, SSL_FILETYPE_PEM) != 1)
        rc = tls_fail("the key", key, err);
    else if (SSL_CTX_check_private_key(t->ctx) != 1)
        rc = tls_fail("the key does not fit the certificate:", key, err);
    if (rc < 0) {
        srv_tls_free(t);
        return rc;
    }
    *ret = t;
    return 0;
}

void srv_tls_free(struct srv_tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->ctx);
    mem_free(t);
}

bool srv_tls_start(struct srv_tls *t, struct conn *c)
{
    SSL *ssl = SSL_new(t->ctx);

    if (!ssl || SSL_set_fd(ssl, c->fd) != 1) {
        SSL_free(ssl);
        return false;
    }
    SSL_set_accept_state(ssl);
    c->tls = ssl;
    return true;
}
