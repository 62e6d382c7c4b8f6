/* SPDX-License-Identifier: Apache-2.0
 *
 * serve.c: `dendro serve`. Its flags are the lines of catalog/settings_server_list.h and the
 * settings that a database is opened with; values come from the configuration file, the environment
 * and flags (catalog/config.h), and ALTER SYSTEM's are the engine's business. */
#include "catalog/config.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/serve_config.h"
#include "server/server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct serve {
    struct serve_config config;
    bool check;
    bool help;
};

#define SERVE_FLAGS_MAX 64u
#define SERVE_NAME_MAX  40u

/* Letters of the options that are no settings; those of settings are their numbers, from 1 on. */
enum { SERVE_CONFIG = 'C', SERVE_CHECK = 'K', SERVE_SET = 'S', SERVE_HELP = 'H' };

struct serve_flags {
    char names[SERVE_FLAGS_MAX][SERVE_NAME_MAX];
    const struct setting_row *rows[SERVE_FLAGS_MAX];
    struct cli_option list[SERVE_FLAGS_MAX];
    unsigned count; /* of settings */
};

static struct serve_flags serve_flags;

/* The list of options, out of the list of settings. */
static void serve_make_flags(struct serve_flags *f)
{
    static const struct cli_option others[] = {
        {SERVE_CONFIG, "-c", "--config", "FILE", "settings of a file: NAME = VALUE, [section], #"},
        {SERVE_SET, NULL, "--set", "NAME=VALUE", "a setting of the database, or any other"},
        {SERVE_CHECK,
         NULL,
         "--check-config",
         NULL,
         "say what counts and where it comes from, and end; 1 if something is wrong"},
        {SERVE_HELP, "-h", "--help", NULL, "this text"},
        {0, NULL, NULL, NULL, NULL},
    };

    for (size_t i = 0; i < settings_count() && f->count < 31; i++) {
        const struct setting_row *row = settings_row(i);
        struct cli_option *o = &f->list[f->count];
        char *name = f->names[f->count];

        if (!row->server && row->scope != SETTING_DATABASE)
            continue;
        f->rows[f->count++] = row;
        serve_flag_name(row, name, SERVE_NAME_MAX);
        *o = (struct cli_option){(char)f->count,
                                 strcmp(row->name, "data") == 0      ? "-d"
                                 : strcmp(row->name, "pg_port") == 0 ? "-p"
                                                                     : NULL,
                                 name,
                                 row->value    ? row->value
                                 : row->server ? "[=off]"
                                               : "VALUE",
                                 row->doc};
    }
    memcpy(&f->list[f->count], others, sizeof others);
}

static int serve_take(void *arg, char letter, char *value)
{
    struct serve *s = arg;
    const struct setting_row *row;
    char name[SERVE_NAME_MAX];
    char *eq;

    switch (letter) {
    case 0: /* the directory */
        return serve_config_flag(&s->config, "data", value, "");
    case SERVE_CONFIG:
        s->config.file = value;
        return CLI_OK;
    case SERVE_CHECK:
        s->check = true;
        return CLI_OK;
    case SERVE_HELP:
        s->help = true;
        return CLI_OK;
    case SERVE_SET:
        eq = strchr(value, '=');
        if (!eq || eq == value)
            return cli_complain("serve", "--set wants NAME=VALUE, not \"%s\"", value);
        *eq = '\0';
        return serve_config_flag(&s->config, value, eq + 1, "--set");
    default:
        row = serve_flags.rows[letter - 1];
        serve_flag_name(row, name, sizeof name);
        return serve_config_flag(&s->config, row->name, value ? value : "on", name);
    }
}

/* ---- signals ---- */

static struct server *serve_running; /* for the handler */

static void serve_on_signal(int signal DN_UNUSED)
{
    if (serve_running)
        server_stop(serve_running);
}

static void serve_on_reload(int signal DN_UNUSED)
{
    if (serve_running)
        server_reload(serve_running);
}

static void serve_signals(struct server *s)
{
    struct sigaction reload = {.sa_handler = serve_on_reload};
    struct sigaction stop = {.sa_handler = serve_on_signal};
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    serve_running = s;
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, &reload, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

static int serve_fail(const struct dn_err *err)
{
    struct dendro_error e = {.code = err->code};

    snprintf(e.message, sizeof e.message, "%s", err->text);
    snprintf(e.hint, sizeof e.hint, "%s", err->hint);
    return cli_error("serve", &e, CLI_NO_DB);
}

static void serve_report(void *arg, const char *text)
{
    (void)arg;
    (void)cli_complain("serve", "%s", text);
}

static void serve_report_log(void *arg, const char *text)
{
    (void)arg;
    server_log("reload: %s", text);
}

static struct config *serve_reread(void *arg)
{
    struct config *c = NULL;

    return serve_config_read(arg, serve_report_log, NULL, &c) == 0 ? c : NULL;
}

static void serve_hello(const struct server *server)
{
    const char *address = server_address(server);
    int pg = server_port(server), http = server_http_port(server), ilp = server_ilp_port(server);

    if (pg > 0)
        printf("PostgreSQL protocol on %s, port %d: psql -h %s -p %d -U dendro\n",
               address,
               pg,
               address,
               pg);
    if (http > 0)
        printf("HTTP on %s, port %d: http%s://%s:%d/\n",
               address,
               http,
               server_https(server) ? "s" : "",
               address,
               http);
    if (ilp > 0)
        printf("Line protocol on %s, port %d: TCP\n", address, ilp);
    fflush(stdout);
}

static int serve_run(struct serve *s, struct config *given)
{
    struct server_options options = {.given = given, .reread = serve_reread, .arg = &s->config};
    struct server *server = NULL;
    struct dn_err err;
    int rc;

    dn_err_clear(&err);
    if (server_open(&options, &server, &err) < 0)
        return serve_fail(&err);
    serve_signals(server);
    serve_hello(server);
    rc = server_run(server, &err) < 0 ? serve_fail(&err) : CLI_OK;
    serve_running = NULL;
    server_close(server);
    return rc;
}

static int serve_go(struct serve *s)
{
    struct config *given = NULL;
    int rc = s->config.bad;

    rc += serve_config_read(&s->config, serve_report, NULL, &given);
    if (rc == 0 && s->check)
        rc = serve_config_check(given, serve_report, NULL);
    else if (rc == 0 && !config_get(given, settings_find("data", NULL)))
        rc = cli_complain("serve", "which database? Give its directory: --data DIR");
    else if (rc == 0)
        rc = serve_run(s, given);
    else
        rc = CLI_FATAL;
    config_unref(given);
    return rc;
}

int cli_serve(int argc, char **argv)
{
    struct serve s = {.check = false};
    int rc = serve_config_init(&s.config);

    serve_make_flags(&serve_flags);
    if (rc == CLI_OK)
        rc = cli_options("serve", serve_flags.list, argc, argv, serve_take, &s);
    if (rc == CLI_OK && s.help) {
        puts("usage: dendro serve [--data DIR] [options]");
        cli_options_print(serve_flags.list, stdout);
        puts("Each is also a variable, DENDRO_PG_PORT, and a line of the file, pg_port = 5460.");
    } else if (rc == CLI_OK) {
        rc = serve_go(&s);
    }
    serve_config_done(&s.config);
    return rc;
}
