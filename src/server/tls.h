/* SPDX-License-Identifier: Apache-2.0
 *
 * tls.h: TLS 1.2 and newer over connections, by OpenSSL, straight on the socket: whoever reads or
 * writes drives the handshake. Any thread; a connection belongs to one. */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct conn;
struct srv_tls;

/* Certificates (the server's first) and its key, as PEM files. */
int srv_tls_new(const char *cert, const char *key, struct srv_tls **ret, struct dn_err *err)
    DN_MUST_CHECK;
void srv_tls_free(struct srv_tls *tls); /* NULL is fine */
/* Other files, or the same once more, for connections that begin from now on. An error: nothing
 * changed. */
int srv_tls_reload(struct srv_tls *tls, const char *cert, const char *key, struct dn_err *err)
    DN_MUST_CHECK;

/* What the connection's channel is bound to: the digest of the certificate it was shown
 * (tls-server-end-point). How many bytes; 0 = none. */
#define SRV_TLS_BINDING_MAX 64u
size_t srv_tls_binding(const struct conn *c, uint8_t to[SRV_TLS_BINDING_MAX]);
/* From here on the connection's bytes are TLS's. False: out of memory. */
bool srv_tls_start(struct srv_tls *tls, struct conn *c) DN_MUST_CHECK;
