/* SPDX-License-Identifier: Apache-2.0
 *
 * serve_config.c: see serve_config.h. */
#include "cli/serve_config.h"

#include "cli/args.h"
#include "cli/cli.h"
#include "engine/engine.h"
#include "server/conf.h"
#include "server/listen.h"
#include "server/tls.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVE_FILE_MAX ((size_t)1 << 20) /* bytes of a configuration file */

int serve_config_init(struct serve_config *c)
{
    struct dn_err err;

    *c = (struct serve_config){.flags = NULL};
    return config_new(&c->flags, &err) < 0 ? cli_complain("serve", "out of memory") : CLI_OK;
}

void serve_config_done(struct serve_config *c)
{
    config_unref(c->flags);
}

void serve_flag_name(const struct setting_row *row, char *to, size_t room)
{
    snprintf(to, room, "--%s", row->name);
    for (char *c = to; *c; c++)
        *c = *c == '_' ? '-' : *c;
}

int serve_config_flag(struct serve_config *c, const char *name, const char *value, const char *flag)
{
    const struct config_entry *old = config_get(c->flags, settings_find(name, NULL));
    struct config_from from = {.source = CONFIG_FLAG, .where = flag};
    struct dn_err err;

    if (strcmp(name, "data") == 0 && old && strcmp(old->value, value) != 0)
        return cli_complain(
            "serve", "the database is given twice: \"%s\" and \"%s\"", old->value, value);
    dn_err_clear(&err);
    if (config_put(c->flags, name, value, &from, &err) < 0) {
        c->bad++;
        (void)cli_complain("serve",
                           "%s%s%s%s%s",
                           flag,
                           flag[0] ? ": " : "",
                           err.text,
                           err.hint[0] ? "; " : "",
                           err.hint);
    }
    return CLI_OK;
}

/* ---- file ---- */

static int serve_file_bad(const char *path, const char *why, config_report_fn report, void *arg)
{
    char text[1024];

    snprintf(text, sizeof text, "%s: %s", path, why);
    report(arg, text);
    return 1;
}

static int serve_read_file(const char *path, struct config *c, config_report_fn report, void *arg)
{
    struct config_from from = {.source = CONFIG_FILE, .where = path};
    FILE *f = fopen(path, "r");
    char why[128] = "cannot be opened";
    struct dn_err err;
    struct buf b;
    size_t n = 1;
    int bad;

    if (!f) {
        DN_IGNORE(strerror_r(errno, why, sizeof why)); /* or it says less */
        return serve_file_bad(path, why, report, arg);
    }
    buf_init(&b, NULL);
    while (n > 0 && b.len <= SERVE_FILE_MAX && buf_reserve(&b, 4096)) {
        n = fread(b.data + b.len, 1, b.cap - b.len, f);
        b.len += n;
    }
    if (ferror(f))
        bad = serve_file_bad(path, "cannot be read: is it a file?", report, arg);
    else if (b.failed || b.len > SERVE_FILE_MAX)
        bad = serve_file_bad(path, "is longer than a megabyte", report, arg);
    else
        bad = config_parse(c, (const char *)b.data, b.len, &from, report, arg, &err);
    (void)fclose(f);
    buf_done(&b);
    return bad < 0 ? serve_file_bad(path, "out of memory", report, arg) : bad;
}

/* ---- environment ---- */

static int serve_read_environment(struct config *c, config_report_fn report, void *arg)
{
    int bad = 0;

    for (size_t i = 0; i < settings_count(); i++) {
        const struct setting_row *row = settings_row(i);
        char name[128];
        struct config_from from = {.source = CONFIG_ENVIRONMENT, .where = name};
        const char *value;
        struct dn_err err;

        snprintf(name, sizeof name, "DENDRO_%s", row->name);
        for (char *p = name; *p; p++)
            *p = (char)toupper((unsigned char)*p);
        value = getenv(name);
        if (!value)
            continue;
        dn_err_clear(&err);
        if (config_put(c, row->name, value, &from, &err) < 0) {
            char why[640];

            snprintf(why, sizeof why, "%s%s%s", err.text, err.hint[0] ? "; " : "", err.hint);
            bad += serve_file_bad(name, why, report, arg);
        }
    }
    return bad;
}

int serve_config_read(const struct serve_config *c,
                      config_report_fn report,
                      void *arg,
                      struct config **ret)
{
    const char *file = c->file ? c->file : getenv("DENDRO_CONFIG");
    const char *dir = getenv("DENDRO_DB");
    const struct setting_row *data = settings_find("data", NULL);
    struct config_from from = {.source = CONFIG_ENVIRONMENT, .where = "DENDRO_DB"};
    struct config *all = NULL;
    struct dn_err err;
    int bad = 0;

    if (config_new(&all, &err) < 0)
        return serve_file_bad("settings", "out of memory", report, arg);
    if (file && *file)
        bad += serve_read_file(file, all, report, arg);
    bad += serve_read_environment(all, report, arg);
    if (config_add(all, c->flags, &err) < 0)
        bad += serve_file_bad("settings", "out of memory", report, arg);
    if (bad == 0 && dir && *dir && !config_get(all, data) &&
        config_put(all, "data", dir, &from, &err) < 0)
        bad += serve_file_bad("DENDRO_DB", err.text, report, arg);
    if (bad == 0)
        *ret = all;
    else
        config_unref(all);
    return bad;
}

/* ---- --check-config ---- */

static void serve_print_one(const struct config *c, const struct setting_row *row)
{
    const struct config_entry *e = config_get(c, row);
    char text[SETTING_TEXT_MAX + 64];
    struct dn_err err;
    struct buf b;

    if (!e && !row->server)
        return;
    buf_init(&b, NULL);
    if (config_value(c, row, &b, &err) == 0) {
        snprintf(text, sizeof text, "%s = '%s'", row->name, (const char *)b.data);
        printf("%-40s # %s",
               text,
               e && e->source == CONFIG_SYSTEM
                   ? e->where
                   : config_source_name(e ? e->source : CONFIG_DEFAULT));
        if (e && e->source != CONFIG_SYSTEM && e->where[0])
            printf(": %s", e->where);
        if (e && e->line && e->source != CONFIG_SYSTEM)
            printf(":%u", e->line);
        printf("\n");
    }
    buf_done(&b);
}

/* What only shows when it is used. */
static int serve_try(const struct config *c, config_report_fn report, void *arg)
{
    struct srv_tls *tls = NULL;
    struct server_conf conf;
    struct dn_err err;
    int bad = 0;

    dn_err_clear(&err);
    if (server_conf_read(c, &conf, &err) < 0)
        return serve_file_bad("settings", err.text, report, arg);
    if (!conf.data[0])
        bad += serve_file_bad("data", "which database? Give its directory", report, arg);
    if (!conf.tls_cert[0] != !conf.tls_key[0])
        bad += serve_file_bad(conf.tls_cert[0] ? "tls_key" : "tls_cert",
                              "TLS needs both a certificate and its key",
                              report,
                              arg);
    else if (conf.tls_cert[0] && srv_tls_new(conf.tls_cert, conf.tls_key, &tls, &err) < 0)
        bad += serve_file_bad("tls_cert", err.text, report, arg);
    srv_tls_free(tls);
    if (conf.pg_port < 0 && conf.http_port < 0 && conf.ilp_port < 0)
        bad += serve_file_bad("pg_port", "there is no port to listen on", report, arg);
    return bad;
}

int serve_config_check(struct config *given, config_report_fn report, void *arg)
{
    const struct config_entry *dir = config_get(given, settings_find("data", NULL));
    struct config *all = NULL;
    struct dn_err err;
    int bad = 0;

    dn_err_clear(&err);
    if (config_new(&all, &err) < 0)
        return CLI_FATAL;
    if (dir && engine_system_settings(dir->value, all, report, arg, &err) < 0 &&
        err.code != DN_E_NO_OBJECT) /* that is made when it is served */
        bad += serve_file_bad(dir->value, err.text, report, arg);
    if (config_add(all, given, &err) < 0)
        bad += serve_file_bad("settings", err.text, report, arg);
    bad += serve_try(all, report, arg);
    for (size_t i = 0; i < settings_count(); i++)
        serve_print_one(all, settings_row(i));
    config_unref(all);
    return bad > 0 ? CLI_FATAL : CLI_OK;
}
