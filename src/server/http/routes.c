/* SPDX-License-Identifier: Apache-2.0
 *
 * routes.c: what there is to ask for: one line each. docs/http.md has them for users. */
#include "server/http/http_int.h"

/* clang-format off */
const struct http_route http_routes[] = {
    {"POST",   "/api/sql",       HTTP_KIND_SQL,   HTTP_BODY_WHOLE, false, http_run_sql},
    {"GET",    "/api/queries",   HTTP_KIND_OTHER, HTTP_BODY_NONE,  false, http_run_queries},
    {"DELETE", "/api/queries/",  HTTP_KIND_OTHER, HTTP_BODY_NONE,  false, http_run_cancel},
    {"GET",    "/health",        HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_health},
    {"GET",    "/ready",         HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_ready},
    {"GET",    "/metrics",       HTTP_KIND_OTHER, HTTP_BODY_NONE,  false, http_run_metrics},
    {"POST",   "/write",         HTTP_KIND_LINES, HTTP_BODY_WHOLE, false, http_run_write},
    {"POST",   "/api/v2/write",  HTTP_KIND_LINES, HTTP_BODY_WHOLE, false, http_run_write},
    {"POST",   "/api/v1/write",  HTTP_KIND_PROMETHEUS, HTTP_BODY_RAW, false, http_run_prometheus},
    {"POST",   "/api/import",    HTTP_KIND_IMPORT, HTTP_BODY_SPOOL, false, http_run_import},
    {"GET",    "/query",         HTTP_KIND_OTHER, HTTP_BODY_NONE,  false, http_run_influx_query},
    {"POST",   "/query",         HTTP_KIND_OTHER, HTTP_BODY_WHOLE, false, http_run_influx_query},
    {"GET",    "/ping",          HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_ping},
    {"GET",    "/settings",      HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_settings},
    {"GET",    "/api/login",     HTTP_KIND_OTHER, HTTP_BODY_NONE,  false, http_run_whoami},
    {"POST",   "/api/login",     HTTP_KIND_OTHER, HTTP_BODY_NONE,  false, http_run_login},
    {"DELETE", "/api/login",     HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_logout},
    {"GET",    "/",              HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_console},
    {"GET",    "/console/",      HTTP_KIND_OTHER, HTTP_BODY_NONE,  true,  http_run_console},
    {NULL, NULL, HTTP_KIND_OTHER, HTTP_BODY_NONE, false, NULL},
};
/* clang-format on */
