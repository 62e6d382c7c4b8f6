/* SPDX-License-Identifier: Apache-2.0
 *
 * conf.h: the settings of a server (catalog/settings_server_list.h) as it uses them. Those that a
 * reload changes are in struct server_live, which any thread reads; struct server_conf is of one
 * thread. */
#pragma once

#include "base/err.h"
#include "catalog/config.h"
#include "server/ingest/ingest.h"

#include <stdatomic.h>

struct server_conf {
    char data[SETTING_TEXT_MAX + 1];
    char listen[SETTING_TEXT_MAX + 1];
    char tls_cert[SETTING_TEXT_MAX + 1]; /* "" = no TLS, as tls_key */
    char tls_key[SETTING_TEXT_MAX + 1];
    int pg_port; /* 0 = any free one; < 0 = none; as the others */
    int http_port;
    int ilp_port;
    bool insecure;
    unsigned connections_max;
    unsigned reserved; /* of these, for superusers; fewer than all */
    unsigned logins_max;
    unsigned workers_max; /* 0 = some per core */
    enum ingest_create create;
    uint64_t message_max; /* bytes */
    uint64_t idle_ms;     /* 0 = never */
    uint64_t login_ms;
    uint64_t drain_ms;
    bool log_json;
    bool log_connections;
    bool log_disconnections;
};

struct server_live {
    atomic_int create; /* enum ingest_create */
    atomic_uint_fast64_t message_max;
    atomic_uint_fast64_t idle_ms;
    atomic_uint_fast64_t login_ms;
    atomic_uint_fast64_t drain_ms;
    atomic_bool log_connections;
    atomic_bool log_disconnections;
};

int server_conf_read(const struct config *c,
                     struct server_conf *ret,
                     struct dn_err *err) DN_MUST_CHECK;
void server_conf_apply(const struct server_conf *conf, struct server_live *to);
