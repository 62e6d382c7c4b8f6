/* SPDX-License-Identifier: Apache-2.0
 *
 * prometheus.c: POST /api/v1/write: Prometheus' remote write. A metric is a table, its labels are
 * tags, its value the field "value". A stale marker is a NULL; other values that are no finite
 * numbers are counted and left out. */
#include "server/http/http_int.h"

#include "server/ingest/counts.h"
#include "server/ingest/prom.h"
#include "server/server.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PROMETHEUS_MS_NS 1000000

struct prometheus {
    struct ingest in;
    struct prom_series series;
    struct lp_point point;
    struct buf bytes; /* unpacked; names and values lie in it */
    uint64_t skipped; /* samples that are no numbers */
    uint64_t samples;
    struct dendro_error err;
    char schema[256];
};

static void prometheus_free(struct http_req *req)
{
    struct prometheus *p = req->state_of;

    ingest_done(&p->in);
    buf_done(&p->bytes);
    mem_free(p);
}

static bool prometheus_is(struct lp_text t, const char *word)
{
    return t.len == strlen(word) && memcmp(t.ptr, word, t.len) == 0;
}

/* A label may be called as our columns are: it gets the prefix that Prometheus uses for that. */
static struct lp_text prometheus_tag(struct lp_text name)
{
    if (prometheus_is(name, "time"))
        return (struct lp_text){.ptr = "exported_time", .len = 13};
    if (prometheus_is(name, "value"))
        return (struct lp_text){.ptr = "exported_value", .len = 14};
    return name;
}

static int prometheus_sample(void *arg, const struct prom_series *s, uint64_t bits, int64_t time_ms)
{
    struct prometheus *p = arg;
    struct lp_point *pt = &p->point;
    double value;

    memcpy(&value, &bits, sizeof value);
    p->samples++;
    pt->fields[0].null = bits == PROM_STALE;
    if (!isfinite(value) && !pt->fields[0].null) {
        p->skipped++;
        return 0;
    }
    pt->name.len = 0;
    pt->tags_count = 0;
    for (uint32_t i = 0; i < s->labels_count; i++) {
        const struct prom_label *l = &s->labels[i];

        if (prometheus_is(l->name, "__name__"))
            pt->name = l->value;
        else if (l->value.len > 0 && pt->tags_count < LP_TAGS_MAX)
            pt->tags[pt->tags_count++] =
                (struct lp_tag){.key = prometheus_tag(l->name), .value = l->value};
        if (l->name.len > LP_NAME_MAX)
            return ingest_fail(
                &p->err, DN_E_BAD_NAME, "a label's name of more than %u bytes", LP_NAME_MAX);
    }
    if (pt->name.len == 0 || pt->name.len > LP_NAME_MAX)
        return ingest_fail(&p->err,
                           DN_E_BAD_REMOTE_WRITE,
                           "a series without a name, or one of more than %u bytes",
                           LP_NAME_MAX);
    pt->fields[0].key = (struct lp_text){.ptr = "value", .len = 5};
    pt->fields[0].type = LP_DOUBLE;
    pt->fields[0].v.d = pt->fields[0].null ? 0 : value;
    pt->fields_count = 1;
    pt->timed = true;
    pt->time = time_ms;
    return ingest_add(&p->in, pt, 0, &p->err);
}

static bool prometheus_unpack(struct http_req *req, struct prometheus *p)
{
    size_t len = 0;

    switch (prom_unpack(req->body.data, req->body.len, req->body_max, &p->bytes, &len)) {
    case 0:
        return true;
    case PROM_LONG:
        http_fail(req, 413, "54000", "a message of %zu bytes: send less at a time", len);
        return false;
    case PROM_NOMEM:
        http_fail(req, 503, "53200", "no memory for the message now");
        return false;
    default:
        http_fail(req, 400, "22P04", "the body is not packed by snappy, or is damaged");
        return false;
    }
}

/* Version 2 has another message. */
static bool prometheus_version(struct http_req *req)
{
    const char *type = http_request_header(req, "Content-Type");
    const char *encoding = http_request_header(req, "Content-Encoding");

    if ((type && strstr(type, "io.prometheus.write.v2")) ||
        (encoding && strcmp(encoding, "snappy") != 0)) {
        http_fail(req,
                  415,
                  "0A000",
                  "remote write 1.0 is spoken: application/x-protobuf, packed by snappy");
        return false;
    }
    return true;
}

static int prometheus_store(struct http_req *req, struct prometheus *p)
{
    struct prom_counts counts;
    int rc = prom_decode(p->bytes.data, p->bytes.len, &p->series, prometheus_sample, p, &counts);

    if (rc == PROM_BAD && p->err.code == 0)
        return ingest_fail(
            &p->err, DN_E_BAD_REMOTE_WRITE, "the message is no WriteRequest of Prometheus");
    if (rc == 0)
        rc = ingest_write(&p->in, req->session, &p->err);
    if (rc == 0 && counts.histograms > 0)
        http_header(req, "X-Dendro-Skipped-Histograms", "%" PRIu64, counts.histograms);
    return rc;
}

void http_run_prometheus(struct http_req *req)
{
    struct prometheus *p;
    struct ingest_options opt = {.create = http_create(req->h), .unit_ns = PROMETHEUS_MS_NS};
    const char *schema = http_query(req, "db");
    struct audit_rows done;
    int rc;

    if (!prometheus_version(req))
        return;
    p = mem_calloc(&req->h->owner, 1, sizeof(*p));
    if (!p) {
        http_fail(req, 503, "53200", "out of memory");
        return;
    }
    req->state_of = p;
    req->free_state = prometheus_free;
    buf_init(&p->bytes, &req->h->owner);
    if (schema && schema[0] && strlen(schema) < sizeof p->schema &&
        strcasecmp(schema, "dendro") != 0) {
        memcpy(p->schema, schema, strlen(schema) + 1);
        opt.schema = p->schema;
    }
    ingest_init(&p->in, &req->h->owner, &opt);
    if (!prometheus_unpack(req, p) || !http_session(req))
        return;
    rc = prometheus_store(req, p);
    done = (struct audit_rows){.table = ingest_only_table(&p->in),
                               .rows = p->in.rows,
                               .made = p->in.made,
                               .err = rc < 0 ? &p->err : NULL};
    http_audit_rows(req, done);
    if (rc < 0) {
        ingest_counts_refused(server_counts(req->h->srv), p->in.bad_table);
        http_fail_as(req, http_write_status_of(&p->err), &p->err);
        return;
    }
    atomic_fetch_add(&req->h->counters.rows[HTTP_KIND_PROMETHEUS], p->in.rows);
    ingest_counts_wrote(server_counts(req->h->srv), &p->in);
    if (p->skipped > 0) {
        atomic_fetch_add(&req->h->counters.skipped, p->skipped);
        http_header(req, "X-Dendro-Skipped", "%" PRIu64, p->skipped);
    }
    http_reply(req, 204, NULL, "");
}
