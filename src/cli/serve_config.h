/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_config.h: where `dendro serve` has its settings from: a file, the environment, flags. One
 * thread, but a server reads them anew from its loop. */
#pragma once

#include "catalog/config.h"

struct serve_config {
    struct config *flags; /* owned */
    const char *file;     /* of --config; NULL: DENDRO_CONFIG, or none */
    int bad;              /* flags that were refused */
};

int serve_config_init(struct serve_config *c);
void serve_config_done(struct serve_config *c);
/* --pg-port of pg_port. */
void serve_flag_name(const struct setting_row *row, char *to, size_t room);
/* A flag: what is wrong with it is told and counted, so that all of it is seen at once. */
int serve_config_flag(struct serve_config *c,
                      const char *name,
                      const char *value,
                      const char *flag);
/* File, environment and flags into a new one. How many errors were reported; 0: it is the
 * caller's. */
int serve_config_read(const struct serve_config *c,
                      config_report_fn report,
                      void *arg,
                      struct config **ret);
/* --check-config: with ALTER SYSTEM's, on stdout. An exit code. */
int serve_config_check(struct config *given, config_report_fn report, void *arg);
