/* SPDX-License-Identifier: Apache-2.0
 *
 * serve.c: `dendro serve`. */
#include "cli/args.h"
#include "cli/cli.h"
#include "server/server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct serve {
    struct server_options opt;
    struct cli_db db;
    bool help;
};

static const struct cli_option serve_options[] = {
    {'d', "-d", "--data", "DIR", "the database's directory, made if it is not there"},
    {'l', NULL, "--listen", "ADDR", "address to listen on; 127.0.0.1 unless told otherwise"},
    {'p',
     "-p",
     "--pg-port",
     "N",
     "port of PostgreSQL's protocol: 5460; 0 = none, any = one that is free"},
    {'w', NULL, "--http-port", "N", "port of HTTP: 8460; 0 = none, any = one that is free"},
    {'L',
     NULL,
     "--ilp-port",
     "N",
     "port of line protocol over TCP: 0 = none, as it is; any = one that is free"},
    {'a',
     NULL,
     "--auto-create",
     "WHAT",
     "what points may make: on = tables and columns, tables, off; on"},
    {'c', NULL, "--max-connections", "N", "more than so many are refused; 1000"},
    {'o',
     NULL,
     "--idle-timeout",
     "SECONDS",
     "connections idle for longer are closed; 0 = none, as it is"},
    {'m', NULL, "--max-message", "MB", "a longer message of a client is refused; 256"},
    {'t', NULL, "--tls-cert", "FILE", "certificates, PEM; with --tls-key clients may speak TLS"},
    {'k', NULL, "--tls-key", "FILE", "the key to the certificate, PEM"},
    {'s', NULL, "--set", "NAME=VALUE", "a setting of the database"},
    {'i', NULL, "--insecure", NULL, "serve other machines although nobody has to log in"},
    {'h', "-h", "--help", NULL, "this text"},
    {0, NULL, NULL, NULL, NULL},
};

static int serve_number(const char *name, const char *text, long max, long *ret)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (*end || end == text || n < 0 || n > max)
        return cli_complain("serve", "%s: a number from 0 to %ld, not '%s'", name, max, text);
    *ret = n;
    return CLI_OK;
}

static int serve_port(const char *name, const char *text, int *ret)
{
    bool any = strcmp(text, "any") == 0;
    long n = 0;
    int rc = any ? CLI_OK : serve_number(name, text, 65535, &n);

    if (rc == CLI_OK)
        *ret = any ? 0 : n ? (int)n : -1;
    return rc;
}

static int serve_create(const char *text, enum ingest_create *ret)
{
    if (strcmp(text, "on") == 0)
        *ret = INGEST_CREATE_ALL;
    else if (strcmp(text, "tables") == 0)
        *ret = INGEST_CREATE_TABLES;
    else if (strcmp(text, "off") == 0)
        *ret = INGEST_CREATE_NONE;
    else
        return cli_complain("serve", "--auto-create: on, tables or off, not '%s'", text);
    return CLI_OK;
}

static int serve_take(void *arg, char letter, char *value)
{
    struct serve *s = arg;
    int rc = CLI_OK;
    long n = 0;

    switch (letter) {
    case 'd':
    case 0:
        return cli_db_word("serve", &s->db, value);
    case 'l':
        s->opt.listen = value;
        return CLI_OK;
    case 'p':
        return serve_port("--pg-port", value, &s->opt.pg_port);
    case 'w':
        return serve_port("--http-port", value, &s->opt.http_port);
    case 'L':
        return serve_port("--ilp-port", value, &s->opt.ilp_port);
    case 'a':
        return serve_create(value, &s->opt.create);
    case 'c':
        rc = serve_number("--max-connections", value, 100000, &n);
        if (rc == CLI_OK)
            s->opt.connections_max = (unsigned)n;
        return rc;
    case 'o':
        rc = serve_number("--idle-timeout", value, 1000000, &n);
        s->opt.idle_ms = (uint64_t)n * 1000;
        return rc;
    case 'm':
        rc = serve_number("--max-message", value, 2047, &n);
        s->opt.message_max = (uint64_t)n << 20;
        return rc;
    case 't':
        s->opt.tls_cert = value;
        return CLI_OK;
    case 'k':
        s->opt.tls_key = value;
        return CLI_OK;
    case 's':
        return cli_db_setting("serve", &s->db, value);
    case 'i':
        s->opt.insecure = true;
        return CLI_OK;
    case 'h':
        s->help = true;
        return CLI_OK;
    default:
        return CLI_FATAL;
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

int cli_serve(int argc, char **argv)
{
    struct serve s = {
        .opt = {.pg_port = SERVER_PG_PORT, .http_port = SERVER_HTTP_PORT, .ilp_port = -1}};
    struct server *server = NULL;
    struct dn_err err;
    int rc = cli_options("serve", serve_options, argc, argv, serve_take, &s);

    if (rc != CLI_OK)
        return rc;
    if (s.help) {
        puts("usage: dendro serve [--data DIR] [options]");
        cli_options_print(serve_options, stdout);
        return CLI_OK;
    }
    if (!s.db.dir && cli_db_word("serve", &s.db, NULL) != CLI_OK)
        return CLI_FATAL;
    s.opt.data = s.db.dir;
    s.opt.settings = s.db.settings_count ? s.db.settings : NULL;
    dn_err_clear(&err);
    if (server_open(&s.opt, &server, &err) < 0)
        return serve_fail(&err);
    serve_signals(server);
    if (server_port(server) > 0)
        printf("PostgreSQL protocol on %s, port %d: psql -h %s -p %d -U dendro\n",
               server_address(server),
               server_port(server),
               server_address(server),
               server_port(server));
    if (server_http_port(server) > 0)
        printf("HTTP on %s, port %d: http%s://%s:%d/\n",
               server_address(server),
               server_http_port(server),
               s.opt.tls_cert ? "s" : "",
               server_address(server),
               server_http_port(server));
    if (server_ilp_port(server) > 0)
        printf(
            "Line protocol on %s, port %d: TCP\n", server_address(server), server_ilp_port(server));
    fflush(stdout);
    rc = server_run(server, &err) < 0 ? serve_fail(&err) : CLI_OK;
    serve_running = NULL;
    server_close(server);
    return rc;
}
