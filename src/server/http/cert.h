/* SPDX-License-Identifier: Apache-2.0
 *
 * cert.h: the certificate of HTTPS, which can be replaced while connections are there: those that
 * begin from then on get the new one. GnuTLS asks for it by a function without an argument, so
 * there is one for the process. */
#pragma once

#include "base/err.h"

/* From PEM files. One thread, the server's. */
int http_cert_load(const char *cert, const char *key, struct dn_err *err) DN_MUST_CHECK;
/* No connection is left. */
void http_cert_free(void);
/* For MHD_OPTION_HTTPS_CERT_CALLBACK. */
void *http_cert_callback(void);
