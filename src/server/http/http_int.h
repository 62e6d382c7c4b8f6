/* SPDX-License-Identifier: Apache-2.0
 *
 * http_int.h: a request from the inside.
 *
 *      its head          its body            a worker            its answer
 *     HTTP_HEAD  --->  HTTP_BODY  --->  HTTP_WORK  --->  HTTP_ANSWER  --->  freed
 *       |     ^                             ^                  |
 *       v     |                             +--- more to send -+
 *     HTTP_LOGIN: a worker looks at the password
 *
 * Invariants
 *   H1  In HTTP_LOGIN and HTTP_WORK the connection is suspended and only the worker touches the
 * request; in the other states only the thread of libmicrohttpd does. So neither needs a lock. H2
 * req->session is in the list of the server from before its first statement until after its last;
 * whoever cancels holds the lock. H3  An answer whose length is not known is made by req->more, a
 * worker's turn at a time, each of which fills req->out up to HTTP_OUT_FULL: flat memory, whatever
 * its size. */
#pragma once

#include "base/bytes.h"
#include "base/sched.h"
#include "catalog/table.h"
#include "dendro.h"
#include "server/audit.h"
#include "server/http/http.h"
#include "server/ingest/ingest.h"
#include "server/pool.h"

#include <stdatomic.h>

#define HTTP_OUT_FULL    ((size_t)256 << 10)
#define HTTP_ID_MAX      64u
#define HTTP_HEADERS_MAX 8u
#define HTTP_COOKIE      "dendro_session_" /* its port follows */
#define HTTP_MEMORY_PART 8u                /* of the memory of all: what one body may take */

struct MHD_Connection;
struct MHD_Daemon;
struct http_req;
struct http_conns;
struct http_logins;
struct http_unpack;
struct volume_scratch;

enum http_state { HTTP_HEAD, HTTP_LOGIN, HTTP_BODY, HTTP_WORK, HTTP_ANSWER };

/* What happens to the bytes of a body. */
enum http_body {
    HTTP_BODY_NONE,  /* passed over */
    HTTP_BODY_WHOLE, /* gathered in req->body, unpacked as Content-Encoding says */
    HTTP_BODY_RAW,   /* gathered as they come */
    HTTP_BODY_SPOOL, /* as they come, and on the disk beyond a few megabytes: spool.c */
};

/* Counted for /metrics. */
enum http_kind {
    HTTP_KIND_SQL,
    HTTP_KIND_IMPORT,
    HTTP_KIND_LINES,
    HTTP_KIND_PROMETHEUS,
    HTTP_KIND_OTHER,
    HTTP_KIND_MAX
};

struct http_route {
    const char *method; /* GET is HEAD too */
    const char *path;   /* ends in '/': whatever follows is req->rest */
    enum http_kind kind;
    enum http_body body;
    bool open; /* nobody has to log in */
    /* Makes the answer: http_reply or http_fail, or sets more. A worker's thread. */
    void (*run)(struct http_req *req);
};

struct http_header {
    const char *name; /* static */
    char value[192];
};

#define HTTP_PROGRESS_MS 200u /* between two looks at how far a statement is */

struct http_req {
    struct srv_job job; /* H1 */
    struct http *h;
    struct MHD_Connection *conn;
    const struct http_route *route;
    const char *rest; /* of the path; libmicrohttpd's */
    enum http_state state;
    bool begun;   /* run was called */
    bool counted; /* among those under way */
    bool local;
    bool close; /* nothing else is taken over the connection */
    char peer[64];
    char user[TABLE_NAME_MAX + 1]; /* who asks */
    char *password;                /* owned, while it is to be looked at; else NULL */
    uint64_t since_ns;

    struct buf body;
    uint64_t body_in;             /* bytes as they came */
    uint64_t body_max;            /* bytes of the body, unpacked */
    struct http_unpack *unpack;   /* owned */
    struct volume_scratch *spool; /* owned: what came before what is in body; NULL: nothing did */
    uint64_t spooled;             /* bytes of it */

    unsigned status; /* 0: none yet */
    const char *type;
    const char *cache; /* Cache-Control, static; NULL: no-store */
    struct http_header headers[HTTP_HEADERS_MAX];
    unsigned headers_count;
    struct buf out;
    size_t out_at;
    bool ended;                         /* out has the end of the answer */
    bool cut;                           /* the connection is cut after it: it is not whole */
    void (*more)(struct http_req *req); /* H3; NULL: out is all */
    void *state_of;                     /* owned: the route's; see free_state */
    void (*free_state)(struct http_req *req);

    dendro_conn *session; /* H2 */
    char id[HTTP_ID_MAX + 1];
    struct http_req *next; /* in h->running */
    struct http_req *prev;
    const char *sql; /* what runs, for the list; borrowed */
    /* How far it is, for the list: told by its thread, read by any. */
    atomic_uint_fast64_t progress_rows;
    atomic_int progress_permille; /* of the work; < 0 = not known */
    atomic_int progress_left_s;   /* < 0 = too early to say */
};

struct http_counters {
    atomic_uint_fast64_t requests[HTTP_KIND_MAX];
    atomic_uint_fast64_t errors[HTTP_KIND_MAX]; /* answers of 400 and up */
    atomic_uint_fast64_t skipped;               /* samples of Prometheus that are no numbers */
    atomic_uint_fast64_t refused;               /* told to come again */
    atomic_uint_fast64_t bytes_in;
    atomic_uint_fast64_t bytes_out;
    atomic_uint_fast64_t rows[HTTP_KIND_MAX]; /* written */
};

struct http {
    struct server *srv; /* borrowed */
    struct http_options opt;
    struct MHD_Daemon *daemon;
    struct mem_owner owner;     /* of bodies and answers */
    struct http_conns *conns;   /* owned */
    struct http_logins *logins; /* owned */
    struct sched_mutex *lock;
    struct http_req *running; /* those with a session; under lock */
    atomic_uint busy;         /* in HTTP_LOGIN or HTTP_WORK */
    atomic_uint count;        /* begun and not freed */
    atomic_bool stopping;     /* no new requests */
    atomic_bool closing;      /* no new work for those there are */
    int port;
    bool tls;
    struct http_counters counters;
    uint64_t since_ns; /* when it began */
};

extern const struct http_route http_routes[]; /* routes.c */

/* ---- request.c ---- */
void http_header(struct http_req *req, const char *name, const char *fmt, ...) DN_PRINTF(3, 4);
/* Of the request; NULL: it has none. */
const char *http_request_header(const struct http_req *req, const char *name);
/* How often the request has it. */
unsigned http_request_header_count(const struct http_req *req, const char *name);
const char *http_query(const struct http_req *req, const char *name);
bool http_query_is(const struct http_req *req, const char *name, const char *value);
/* A statement of the request begins: nothing of it is done. */
void http_progress_begin(struct http_req *req);
/* A session for the request, in the list under an id. False: it was answered. */
bool http_session(struct http_req *req);
void http_session_end(struct http_req *req);

/* ---- reply.c ---- */
/* The whole answer; text NULL: what is in req->out. */
void http_reply(struct http_req *req, unsigned status, const char *type, const char *text);
/* An error: status, and a JSON object that says more. */
void http_fail(struct http_req *req, unsigned status, const char *sqlstate, const char *fmt, ...)
    DN_PRINTF(4, 5);
void http_fail_as(struct http_req *req, unsigned status, const struct dendro_error *e);
void http_fail_with(struct http_req *req, const struct dendro_error *e); /* as its status */
/* Which status an error of the database is; to agents that write points, who try again after 503
 * and throw away after 4xx. */
unsigned http_status_of(const struct dendro_error *e);
unsigned http_write_status_of(const struct dendro_error *e);
/* {"code":…,"sqlstate":…,…} */
void http_print_error(struct buf *b, const struct dendro_error *e, unsigned statement);
void http_json_text(struct buf *b, const char *s, size_t len);

/* ---- routes ---- */
void http_run_sql(struct http_req *req);
void http_run_queries(struct http_req *req);
void http_run_cancel(struct http_req *req);
void http_run_health(struct http_req *req);
void http_run_ready(struct http_req *req);
void http_run_metrics(struct http_req *req);
void http_run_write(struct http_req *req);
void http_run_import(struct http_req *req);
void http_run_prometheus(struct http_req *req);
void http_run_ping(struct http_req *req);
void http_run_settings(struct http_req *req);
void http_run_influx_query(struct http_req *req);
void http_run_console(struct http_req *req);
void http_run_login(struct http_req *req);
void http_run_logout(struct http_req *req);
void http_run_whoami(struct http_req *req);
/* Is the request of a browser that is logged in? Its role becomes req->user then (login.c). */
bool http_login_cookie(struct http_req *req);
/* The log hears of rows that came without a statement: table, rows, made, err (sql.c). */
void http_audit_rows(struct http_req *req, struct audit_rows what);
/* What lines may make, by the server's setting (http.c). */
enum ingest_create http_create(const struct http *h);
