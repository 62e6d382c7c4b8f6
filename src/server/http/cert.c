/* SPDX-License-Identifier: Apache-2.0
 *
 * cert.c: see cert.h. A handshake may still use a certificate that was replaced, so they are kept
 * until the end: there is one more for each reload. */
#include "server/http/cert.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "volume/hostfile.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <string.h>

#define CERT_CHAIN_MAX 16u
#define CERT_PEM_MAX   ((size_t)1 << 20)

struct http_cert {
    struct http_cert *older; /* owned */
    gnutls_pcert_st chain[CERT_CHAIN_MAX];
    unsigned chain_count;
    gnutls_privkey_t key;
};

static _Atomic(struct http_cert *) http_cert_now; /* owned; see cert.h why it is global */

static int cert_read(const char *path, struct buf *b, struct dn_err *err)
{
    struct hostfile *f;
    size_t n = 1;
    int rc = hostfile_open(path, NULL, &f, err);

    if (rc < 0)
        return rc;
    while (rc == 0 && n > 0 && b->len < CERT_PEM_MAX) {
        if (!buf_reserve(b, 65536))
            rc = DN_FAIL_NOMEM(err);
        else
            rc = hostfile_read(f, b->data + b->len, b->cap - b->len, &n, err);
        b->len += rc == 0 ? n : 0;
    }
    DN_IGNORE(hostfile_close(f, NULL)); /* it was only read */
    return rc;
}

static void cert_free(struct http_cert *c)
{
    for (unsigned i = 0; i < c->chain_count; i++)
        gnutls_pcert_deinit(&c->chain[i]);
    if (c->key)
        gnutls_privkey_deinit(c->key);
    mem_free(c);
}

static int cert_fail(const char *what, const char *file, int why, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_CONFIG, "%s \"%s\": %s", what, file, gnutls_strerror(why));
}

static int cert_import(struct http_cert *c, const char *cert, const char *key, struct dn_err *err)
{
    unsigned count = CERT_CHAIN_MAX;
    gnutls_datum_t pem;
    struct buf b;
    int rc, why;

    buf_init(&b, NULL);
    rc = cert_read(cert, &b, err);
    if (rc == 0) {
        pem = (gnutls_datum_t){.data = b.data, .size = (unsigned)b.len};
        why = gnutls_pcert_list_import_x509_raw(c->chain, &count, &pem, GNUTLS_X509_FMT_PEM, 0);
        if (why < 0)
            rc = cert_fail("the certificate", cert, why, err);
        else
            c->chain_count = count;
    }
    buf_reset(&b);
    if (rc == 0)
        rc = cert_read(key, &b, err);
    if (rc == 0) {
        pem = (gnutls_datum_t){.data = b.data, .size = (unsigned)b.len};
        why = gnutls_privkey_init(&c->key);
        if (why >= 0)
            why = gnutls_privkey_import_x509_raw(c->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
        if (why < 0)
            rc = cert_fail("the key", key, why, err);
    }
    gnutls_memset(b.data, 0, b.cap);
    buf_done(&b);
    return rc;
}

int http_cert_load(const char *cert, const char *key, struct dn_err *err)
{
    struct http_cert *c = mem_calloc(NULL, 1, sizeof(*c));
    int rc = c ? cert_import(c, cert, key, err) : DN_FAIL_NOMEM(err);

    if (rc < 0) {
        if (c)
            cert_free(c);
        return rc;
    }
    c->older = atomic_load(&http_cert_now);
    atomic_store(&http_cert_now, c);
    return 0;
}

void http_cert_free(void)
{
    struct http_cert *c = atomic_exchange(&http_cert_now, NULL);

    while (c) {
        struct http_cert *older = c->older;

        cert_free(c);
        c = older;
    }
}

static int cert_ask(gnutls_session_t session DN_UNUSED,
                    const gnutls_datum_t *req_ca_rdn DN_UNUSED,
                    int nreqs DN_UNUSED,
                    const gnutls_pk_algorithm_t *algos DN_UNUSED,
                    int algos_count DN_UNUSED,
                    gnutls_pcert_st **ret_chain,
                    unsigned *ret_count,
                    gnutls_privkey_t *ret_key)
{
    struct http_cert *c = atomic_load(&http_cert_now);

    if (!c)
        return -1;
    *ret_chain = c->chain;
    *ret_count = c->chain_count;
    *ret_key = c->key;
    return 0;
}

void *http_cert_callback(void)
{
    gnutls_certificate_retrieve_function2 *fn = cert_ask;
    void *to;

    _Static_assert(sizeof fn == sizeof to, "a function fits into what MHD takes");
    memcpy(&to, &fn, sizeof to);
    return to;
}
