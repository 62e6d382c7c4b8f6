/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/args.h"

#include "base/text.h"
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CLI_OPTIONS_MAX 64u

int cli_complain(const char *command, const char *fmt, ...)
{
    va_list args;

    (void)fprintf(stderr, "dendro %s: ", command);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fputs("\n", stderr);
    return CLI_FATAL;
}

int cli_error(const char *command, const struct dendro_error *err, int code)
{
    (void)fprintf(stderr, "dendro %s: %s\n", command, err->message);
    if (err->hint[0])
        (void)fprintf(stderr, "HINT:  %s\n", err->hint);
    return code;
}

void cli_options_print(const struct cli_option *list, FILE *to)
{
    for (const struct cli_option *o = list; o->letter; o++) {
        char head[64];

        (void)snprintf(head,
                       sizeof head,
                       "%s%s%s%s%s",
                       o->brief ? o->brief : "",
                       o->brief ? ", " : "",
                       o->name,
                       o->value && o->value[0] != '[' ? " " : "",
                       o->value ? o->value : "");
        (void)fprintf(to, "  %-22s %s\n", head, o->doc);
    }
}

/* The option an argument names; len: of the name in it. */
static const struct cli_option *
cli_option_find(const struct cli_option *list, const char *arg, size_t len)
{
    for (const struct cli_option *o = list; o->letter; o++)
        if ((strlen(o->name) == len && strncmp(o->name, arg, len) == 0) ||
            (o->brief && strcmp(o->brief, arg) == 0))
            return o;
    return NULL;
}

static int cli_option_unknown(const char *command, const struct cli_option *list, const char *arg)
{
    const char *names[CLI_OPTIONS_MAX];
    size_t count = 0;
    const char *near;

    for (const struct cli_option *o = list; o->letter && count < CLI_OPTIONS_MAX; o++)
        names[count++] = o->name;
    near = text_suggest(arg, names, count);
    if (near)
        return cli_complain(command, "unknown option \"%s\"; perhaps you meant %s", arg, near);
    return cli_complain(command, "unknown option \"%s\"; --help lists them", arg);
}

int cli_options(const char *command,
                const struct cli_option *list,
                int argc,
                char **argv,
                cli_option_fn take,
                void *arg)
{
    bool options = true;

    for (int i = 1; i < argc; i++) {
        size_t len = strcspn(argv[i], "=");
        const struct cli_option *o;
        char *value = NULL;
        int rc;

        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
            continue;
        }
        if (!options || argv[i][0] != '-' || argv[i][1] == '\0') {
            rc = take(arg, '\0', argv[i]);
            if (rc != CLI_OK)
                return rc;
            continue;
        }
        o = cli_option_find(list, argv[i], len);
        if (!o)
            return cli_option_unknown(command, list, argv[i]);
        if (argv[i][len] == '=')
            value = argv[i] + len + 1;
        if (!o->value && value)
            return cli_complain(command, "option %s takes no value", o->name);
        if (o->value && o->value[0] != '[' && !value && i + 1 == argc)
            return cli_complain(command, "option %s wants a value", o->name);
        if (o->value && o->value[0] != '[' && !value)
            value = argv[++i];
        rc = take(arg, o->letter, value);
        if (rc != CLI_OK)
            return rc;
    }
    return CLI_OK;
}

int cli_db_setting(const char *command, struct cli_db *db, char *text)
{
    char *eq = strchr(text, '=');

    if (!eq || eq == text)
        return cli_complain(command, "--set wants NAME=VALUE, not \"%s\"", text);
    if (db->settings_count + 3 > sizeof db->settings / sizeof db->settings[0])
        return cli_complain(command, "too many settings at \"%s\"", text);
    *eq = '\0';
    db->settings[db->settings_count++] = text;
    db->settings[db->settings_count++] = eq + 1;
    return CLI_OK;
}

int cli_db_word(const char *command, struct cli_db *db, const char *word)
{
    if (db->dir && word)
        return cli_complain(
            command, "the database is given twice: \"%s\" and \"%s\"", db->dir, word);
    if (!db->dir)
        db->dir = word ? word : getenv("DENDRO_DB");
    if (!db->dir || !*db->dir)
        return cli_complain(command, "which database? Give its directory first, or --db %s", "DIR");
    return CLI_OK;
}

int cli_db_open(const char *command,
                const struct cli_db *db,
                bool must_exist,
                dendro_db **ret_db,
                dendro_conn **ret_conn)
{
    struct dendro_options options = {.flags = must_exist ? DENDRO_OPEN_NO_CREATE : 0,
                                     .settings = db->settings_count ? db->settings : NULL};
    struct dendro_error err;

    if (dendro_open(db->dir, &options, ret_db, &err) < 0 ||
        dendro_connect(*ret_db, ret_conn, &err) < 0)
        return cli_error(command, &err, CLI_NO_DB);
    return CLI_OK;
}
