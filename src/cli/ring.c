/* SPDX-License-Identifier: Apache-2.0
 *
 * ring.c: `dendro ring`, the slices of the ring and what lies in them; `dendro endpoints`, where
 * the partition of a key lives, on this ring or on one that is only thought of. */
#include "catalog/ring.h"
#include "cli/args.h"
#include "cli/cli.h"

#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RING_NODES_MAX 1024u
#define RING_LOCAL     "local" /* the only owner of an embedded database */

/* ---- dendro ring ---- */

struct ring_load {
    uint64_t rows[RING_VNODES];
    uint64_t bytes[RING_VNODES];
};

static void ring_usage(FILE *to)
{
    (void)fputs("usage: dendro ring DIR\n"
                "The slices of the ring (vnodes): their tokens, who owns them, and what lies in "
                "them.\nA table with a quantum moves each quantum by a number of slices.\n"
                "Exit codes: 0 done, 1 wrong usage or an error, 2 no database.\n",
                to);
}

static void ring_print_bytes(uint64_t bytes, char to[32])
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    double n = (double)bytes;
    unsigned u = 0;

    while (n >= 1024 && u + 1 < sizeof(units) / sizeof(units[0])) {
        n /= 1024;
        u++;
    }
    (void)snprintf(to, 32, u ? "%.2f %s" : "%.0f %s", n, units[u]);
}

static void ring_quote(const char *name, struct buf *b)
{
    buf_puts(b, "\"");
    for (const char *s = name; *s; s++) {
        buf_append(b, s, 1);
        if (*s == '"')
            buf_append(b, s, 1);
    }
    buf_puts(b, "\"");
}

static int ring_add(void *arg, dendro_stmt *stmt)
{
    struct ring_load *load = arg;
    int64_t vnode = dendro_column_int64(stmt, 4);

    if (vnode >= 0 && vnode < (int64_t)RING_VNODES) {
        load->rows[vnode] += (uint64_t)dendro_column_int64(stmt, 5);
        load->bytes[vnode] += (uint64_t)dendro_column_int64(stmt, 6);
    }
    return 0;
}

/* Names of the first column. */
struct ring_names {
    char **list; /* owned */
    size_t count;
    bool failed;
};

static int ring_name(void *arg, dendro_stmt *stmt)
{
    struct ring_names *n = arg;
    char **grown = mem_realloc(NULL, n->list, (n->count + 1) * sizeof(char *));

    n->failed = n->failed || !grown;
    if (!grown)
        return 1;
    n->list = grown;
    n->list[n->count] = mem_strdup(NULL, dendro_column_text(stmt, 0));
    n->failed = n->failed || !n->list[n->count];
    n->count += !n->failed;
    return n->failed;
}

static void ring_names_done(struct ring_names *n)
{
    for (size_t i = 0; i < n->count; i++)
        mem_free(n->list[i]);
    mem_free(n->list);
}

/* What the tables of a schema hold; the names come from the database. */
static int ring_schema(dendro_conn *conn, const char *schema, struct ring_load *load)
{
    struct ring_names tables = {.count = 0};
    struct dendro_error err;
    struct buf sql;
    int rc;

    buf_init(&sql, NULL);
    buf_puts(&sql, "USE ");
    ring_quote(schema, &sql);
    rc = dendro_exec(conn, (const char *)sql.data, (ptrdiff_t)sql.len, NULL, NULL, &err);
    if (rc == DENDRO_OK)
        rc = dendro_exec(conn, "SHOW TABLES", -1, ring_name, &tables, &err);
    for (size_t i = 0; rc == DENDRO_OK && i < tables.count; i++) {
        buf_reset(&sql);
        buf_puts(&sql, "SHOW PARTITIONS ");
        ring_quote(tables.list[i], &sql);
        rc = dendro_exec(conn, (const char *)sql.data, (ptrdiff_t)sql.len, ring_add, load, &err);
    }
    ring_names_done(&tables);
    buf_done(&sql);
    return rc < 0 ? cli_error("ring", &err, CLI_FATAL) : CLI_OK;
}

static void ring_print(const struct ring_load *load)
{
    uint64_t rows = 0;
    uint64_t bytes = 0;
    char text[32];

    (void)printf(
        "Vnode  %20s  %20s  Owner  %12s  %12s  Owns\n", "From Token", "To Token", "Rows", "Load");
    for (uint32_t v = 0; v < RING_VNODES; v++) {
        ring_print_bytes(load->bytes[v], text);
        (void)printf("%5" PRIu32 "  %20" PRId64 "  %20" PRId64 "  %-5s  %12" PRIu64
                     "  %12s  %.2f%%\n",
                     v,
                     ring_vnode_first(v),
                     ring_vnode_last(v),
                     RING_LOCAL,
                     load->rows[v],
                     text,
                     100.0 / RING_VNODES);
        rows += load->rows[v];
        bytes += load->bytes[v];
    }
    ring_print_bytes(bytes, text);
    (void)printf("%5s  %20s  %20s  %-5s  %12" PRIu64 "  %12s  %.2f%%\n",
                 "all",
                 "",
                 "",
                 RING_LOCAL,
                 rows,
                 text,
                 100.0);
}

int cli_ring(int argc, char **argv)
{
    struct cli_db where = {.dir = argc == 2 ? argv[1] : NULL};
    struct ring_load load = {{0}, {0}};
    struct ring_names schemas = {.count = 0};
    struct dendro_error err;
    dendro_db *db = NULL;
    dendro_conn *conn = NULL;
    int code;

    if (argc != 2 || strcmp(argv[1], "--help") == 0) {
        ring_usage(argc == 2 ? stdout : stderr);
        return argc == 2 ? CLI_OK : CLI_FATAL;
    }
    code = cli_db_open("ring", &where, true, &db, &conn);
    if (code == CLI_OK && dendro_exec(conn, "SHOW SCHEMAS", -1, ring_name, &schemas, &err) < 0)
        code = cli_error("ring", &err, CLI_FATAL);
    for (size_t i = 0; code == CLI_OK && i < schemas.count; i++)
        code = ring_schema(conn, schemas.list[i], &load);
    if (code == CLI_OK)
        ring_print(&load);
    ring_names_done(&schemas);
    dendro_disconnect(conn);
    (void)dendro_close(db);
    return code;
}

/* ---- dendro endpoints ---- */

struct ends_node {
    int64_t token;
    const char *name;
};

struct ends_options {
    struct cli_db db;
    char *words[3]; /* DIR TABLE KEY */
    unsigned words_count;
    char *tokens; /* cut in place */
    char *names;
};

static const struct cli_option ends_list[] = {
    {'t', NULL, "--tokens", "T1,T2,…", "the tokens of a ring that is only thought of"},
    {'n', NULL, "--names", "A,B,…", "what its nodes are called, in the order of the tokens"},
    {0, NULL, NULL, NULL, NULL},
};

static void ends_usage(FILE *to)
{
    (void)fputs("usage: dendro endpoints [options] DIR TABLE KEY[:KEY…]\n"
                "Where the partition of a key lives. A key of several columns is written with "
                "colons;\nif the key has a QUANTUM, its time comes last.\n",
                to);
    cli_options_print(ends_list, to);
    (void)fputs("Exit codes: 0 done, 1 wrong usage or an error, 2 no database.\n", to);
}

static int ends_take(void *arg, char letter, char *value)
{
    struct ends_options *o = arg;

    if (letter == 't')
        o->tokens = value;
    else if (letter == 'n')
        o->names = value;
    else if (o->words_count == 3)
        return cli_complain("endpoints", "one key only; \"%s\" is too much", value);
    else
        o->words[o->words_count++] = value;
    return CLI_OK;
}

/* The next word of a list, cut in place; NULL: no more. */
static char *ends_next(char **rest, char separator)
{
    char *word = *rest;
    char *end = word ? strchr(word, separator) : NULL;

    if (end)
        *end = '\0';
    *rest = end ? end + 1 : NULL;
    return word;
}

static int ends_cmp(const void *a, const void *b)
{
    const struct ends_node *x = a;
    const struct ends_node *y = b;

    return x->token < y->token ? -1 : x->token > y->token;
}

static int ends_nodes(struct ends_options *o, struct ends_node *nodes, size_t *ret_count)
{
    size_t count = 0;
    char *word;

    while ((word = ends_next(&o->tokens, ',')) != NULL) {
        char *end;
        long long token;

        errno = 0;
        token = strtoll(word, &end, 10);
        if (errno != 0 || *word == '\0' || *end != '\0')
            return cli_complain("endpoints", "\"%s\" is no token", word);
        if (count == RING_NODES_MAX)
            return cli_complain("endpoints", "more than %u tokens", RING_NODES_MAX);
        nodes[count++] = (struct ends_node){.token = token, .name = ends_next(&o->names, ',')};
    }
    if (o->names)
        return cli_complain("endpoints", "more names than tokens");
    qsort(nodes, count, sizeof(*nodes), ends_cmp);
    for (size_t i = 1; i < count; i++)
        if (nodes[i].token == nodes[i - 1].token)
            return cli_complain("endpoints", "two nodes with the token %" PRId64, nodes[i].token);
    *ret_count = count;
    return CLI_OK;
}

static void ends_print(const struct ends_node *nodes, size_t count, const struct dendro_place *p)
{
    int64_t tokens[RING_NODES_MAX];
    const struct ends_node *owner;

    if (count == 0) {
        (void)printf(RING_LOCAL "  vnode %" PRIu32 "  token %" PRId64 "  place %" PRId64 "\n",
                     p->vnode,
                     p->token,
                     p->place);
        return;
    }
    for (size_t i = 0; i < count; i++)
        tokens[i] = nodes[i].token;
    owner = &nodes[ring_owner(tokens, count, p->place)];
    if (owner->name)
        (void)puts(owner->name);
    else
        (void)printf("%" PRId64 "\n", owner->token);
}

/* How many columns the key has decides where it is cut: the last one may hold colons, as times do.
 */
static int ends_locate(dendro_conn *conn,
                       const struct ends_options *o,
                       struct dendro_place *ret,
                       struct dendro_error *err)
{
    const char *parts[RING_NODES_MAX];
    char *key = mem_strdup(NULL, o->words[2]);
    char *rest = key;
    size_t count = 1;
    int rc;

    if (!key)
        return cli_complain("endpoints", "out of memory");
    for (;;) {
        size_t n = 0;

        memcpy(key, o->words[2], strlen(o->words[2]) + 1);
        rest = key;
        while (n + 1 < count && rest)
            parts[n++] = ends_next(&rest, ':');
        if (rest)
            parts[n++] = rest;
        rc = dendro_locate(conn, o->words[1], parts, n, ret, err);
        if (rc >= 0 || strcmp(err->sqlstate, "42601") != 0 || n < count ||
            count + 1 == RING_NODES_MAX)
            break;
        count++;
    }
    mem_free(key);
    return rc;
}

int cli_endpoints(int argc, char **argv)
{
    static struct ends_node nodes[RING_NODES_MAX];
    struct ends_options o = {.words_count = 0};
    struct dendro_place place;
    struct dendro_error err;
    dendro_db *db = NULL;
    dendro_conn *conn = NULL;
    size_t count = 0;
    int code;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        ends_usage(stdout);
        return CLI_OK;
    }
    code = cli_options("endpoints", ends_list, argc, argv, ends_take, &o);
    if (code == CLI_OK && o.words_count != 3) {
        ends_usage(stderr);
        return CLI_FATAL;
    }
    if (code == CLI_OK && o.names && !o.tokens)
        code = cli_complain("endpoints", "--names needs --tokens");
    if (code == CLI_OK)
        code = ends_nodes(&o, nodes, &count);
    if (code != CLI_OK)
        return code;
    o.db.dir = o.words[0];
    code = cli_db_open("endpoints", &o.db, true, &db, &conn);
    if (code == CLI_OK && ends_locate(conn, &o, &place, &err) < 0)
        code = cli_error("endpoints", &err, CLI_FATAL);
    if (code == CLI_OK)
        ends_print(nodes, count, &place);
    dendro_disconnect(conn);
    (void)dendro_close(db);
    return code;
}
