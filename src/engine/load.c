/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c: see the header. A ring of slots, each with the text of one chunk and the parser that
 * makes columns of it:
 *
 *     free ──read, cut──► parsing (a task) ──joined, oldest first──► taken ──► free
 *
 * What follows the last whole record of a chunk is copied to the front of the next. If the text
 * ends before the first chunk is taken, all of it lies in the slots, and one commit through the log
 * takes it. */
#include "engine/load.h"

#include "engine/commit.h"
#include "engine/engine_int.h"
#include "engine/load_part.h"
#include "engine/privilege.h"
#include "store/shard_load.h"

#include "engine/csv_scan.h"
#include "engine/pressure.h"
#include "engine/route.h"

#include <inttypes.h>
#include <unistd.h>

#define LOAD_SLOTS_MAX   18u
#define LOAD_CHUNK_MAX   (1024u * 1024)
#define LOAD_CHUNK_MIN   (64u * 1024)
#define LOAD_CHUNK_SHARE 64u                /* of the memory limit */
#define LOAD_WIDE_MAX    (4u * 1024 * 1024) /* chunks of many series grow up to this … */
#define LOAD_WIDE_SHARE  256u               /* … and this part of the memory limit */
#define LOAD_WIDE_ROWS   64u                /* … until so many rows of a series are in one */
#define LOAD_BATCH_SHARE 6u        /* of the memory limit; sorting it takes as much again */
#define LOAD_BATCH_TIMES 5u        /* a batch is this many memtables */
#define LOAD_SETTLE_NS   50000000u /* between two looks at the cancel flag */

struct load_slot {
    char *text; /* owned, cap + CSV_PAD bytes */
    size_t cap;
    size_t len;                /* of whole records, behind the header in the first one */
    size_t skip;               /* header */
    size_t end;                /* of what was read: [len, end) goes to the next slot */
    struct csv_parser *parser; /* owned */
    struct load_part *part;    /* owned: its rows, until they are taken */
    struct mem_owner *owner;   /* borrowed */
    struct sched_task *task;
    struct intake_run run;
    int rc;
    struct dn_err why;
};

struct load {
    struct dendro_conn *conn;
    const struct load_spec *spec;
    struct load_result *result;
    struct mem_owner owner;
    struct arena arena; /* layout */
    struct csv_source *source;
    struct load_columns columns;
    size_t chunk;     /* bytes of text read at once … */
    size_t chunk_min; /* … between these: load_widen */
    size_t chunk_max;
    bool narrow;             /* wide chunks did not help */
    struct load_slot *slots; /* owned: a ring of slots_count */
    uint32_t slots_count;
    uint32_t first; /* oldest that is in use */
    uint32_t used;
    bool eof;
    uint64_t line; /* lines of the chunks that were taken */
    struct intake_run run;
    uint64_t late; /* of the session, before */
    struct shard_load *direct;
};

/* ---- reading ---- */

static bool load_grow(struct load *l, struct load_slot *slot, size_t cap)
{
    char *text = mem_realloc(&l->owner, slot->text, cap + CSV_PAD);

    if (!text)
        return false;
    slot->text = text;
    slot->cap = cap;
    return true;
}

/* More text behind what the slot has, until it holds a whole record. */
static int load_read(struct load *l, struct load_slot *slot, struct dn_err *err)
{
    bool open = false;
    size_t n;
    int rc;

    for (;;) {
        rc = csv_source_read(l->source, slot->text + slot->end, slot->cap - slot->end, &n, err);
        if (rc < 0)
            return rc;
        l->eof = n < slot->cap - slot->end;
        slot->end += n;
        slot->len =
            l->eof ? slot->end : csv_split(slot->text, slot->end, l->spec->format.quote, &open);
        if (slot->len > 0 || l->eof)
            return 0;
        if (slot->cap >= CSV_RECORD_MAX)
            return DN_FAIL(err,
                           DN_E_TOO_LONG,
                           "a record is longer than %u bytes%s",
                           CSV_RECORD_MAX,
                           open ? ": is a quote not closed?" : "");
        if (!load_grow(l, slot, slot->cap * 2))
            return DN_FAIL_NOMEM(err);
    }
}

/* The line an unread text begins at; waits for the chunks before it. */
static uint64_t load_line_of(struct load *l)
{
    uint64_t line = l->line + 1;

    for (uint32_t i = 0; i < l->used; i++) {
        struct load_slot *slot = &l->slots[(l->first + i) % l->slots_count];

        if (slot->task)
            sched_join(slot->task);
        slot->task = NULL;
        line += slot->parser->lines;
    }
    return line;
}

/* One row against the constraints; what is not in the file has its constant. */
static int load_check_row(const struct csv_parser *p, uint32_t row, void *arg, struct dn_err *why)
{
    const struct intake_target *to = p->layout->to;
    const struct intake_run *run = arg;
    struct vec *cols;
    struct arena arena;
    uint32_t bad;
    int rc = 0;

    arena_init(&arena, p->owner);
    cols = arena_calloc(&arena, to->table->columns_count, sizeof(*cols));
    for (uint32_t i = 0; cols && rc == 0 && i < to->cols_count; i++) {
        struct datum d = csv_parser_datum(p, i, row);

        if (!vec_make_const(&arena, &d, 1, &cols[to->cols[i]]))
            rc = DN_FAIL_NOMEM(why);
    }
    if (rc == 0)
        rc = cols ? intake_checks_run(&to->checks, cols, 1, run, &bad, why) : DN_FAIL_NOMEM(why);
    arena_done(&arena);
    return rc;
}

/* All rows at once; if one breaks a constraint, the text is read again, row by row, to tell which.
 */
static int load_check(struct load_slot *slot, const char *text, size_t len, struct dn_err *err)
{
    struct csv_parser *p = slot->parser;
    const struct intake_target *to = p->layout->to;
    struct vec *cols;
    struct arena arena;
    uint32_t bad;
    int rc;

    if (to->checks.count == 0 || to->evaluates || p->rows == 0)
        return 0;
    arena_init(&arena, slot->owner);
    cols = arena_calloc(&arena, to->table->columns_count, sizeof(*cols));
    for (uint32_t i = 0; cols && i < to->cols_count; i++)
        cols[to->cols[i]] = csv_parser_vec(p, i);
    rc = cols ? intake_checks_run(&to->checks, cols, p->rows, &slot->run, &bad, err)
              : DN_FAIL_NOMEM(err);
    arena_done(&arena);
    if (rc == 0 || rc == DN_E_NOMEM)
        return rc;
    p->check = load_check_row;
    p->check_arg = &slot->run;
    rc = csv_parse(p, text, len, err);
    p->check = NULL;
    return rc;
}

static void load_parse_task(void *arg)
{
    struct load_slot *slot = arg;
    const char *text = slot->text + slot->skip;
    size_t len = slot->len - slot->skip;

    slot->rc = csv_parse(slot->parser, text, len, &slot->why);
    if (slot->rc == 0)
        slot->rc = load_check(slot, text, len, &slot->why);
    if (slot->rc == 0 && slot->parser->rows > 0) {
        slot->part = load_part_new(slot->parser, slot->owner);
        if (!slot->part)
            slot->rc = DN_FAIL_NOMEM(&slot->why);
    }
}

/* The first chunk tells what the columns are. */
static int load_first(struct load *l, struct load_slot *slot, struct dn_err *err)
{
    static const char bom[] = "\xef\xbb\xbf";
    struct plan_env env = session_plan_env(l->conn, NULL, &l->arena);
    int rc;

    if (slot->len >= 3 && memcmp(slot->text, bom, 3) == 0)
        slot->skip = 3;
    rc = load_layout(
        l->spec, slot->text + slot->skip, slot->len - slot->skip, &l->arena, &l->columns, err);
    if (rc == 0 && l->spec->rights)
        rc = privilege_insert(l->conn,
                              l->spec->rights,
                              l->spec->table,
                              l->columns.target.cols,
                              l->columns.target.cols_count,
                              err);
    if (rc == 0)
        rc = intake_target_bind(&l->columns.target, &env, err);
    if (rc < 0)
        return rc;
    l->run.first = 1;
    session_intake_run(l->conn, &l->run);
    slot->skip += l->columns.header.record_len;
    if (l->spec->format.encoding != CSV_NDJSON) /* there the names were put before the first line */
        l->line += l->columns.header.lines;
    return 0;
}

/* Reads the next chunk into a free slot and has it parsed. rest: text that the chunk before it left
 * over. */
static int load_next(struct load *l, struct dn_err *err)
{
    struct load_slot *slot = &l->slots[(l->first + l->used) % l->slots_count];
    struct load_slot *before =
        l->columns.target.table
            ? &l->slots[(l->first + l->used + l->slots_count - 1) % l->slots_count]
            : NULL;
    size_t rest = before ? before->end - before->len : 0;
    int rc;

    slot->end = 0;
    slot->skip = 0;
    if (l->narrow && slot->cap / 2 > rest + l->chunk) { /* it was wide */
        mem_free(slot->text);
        slot->text = NULL;
        slot->cap = 0;
        csv_parser_free(slot->parser);
        slot->parser = NULL;
    }
    if (slot->cap < rest + l->chunk / 2 && !load_grow(l, slot, rest + l->chunk))
        return DN_FAIL_NOMEM(err);
    if (rest > 0)
        memcpy(slot->text, before->text + before->len, rest);
    slot->end = rest;
    rc = load_read(l, slot, err);
    if (rc == 0 && !before)
        rc = load_first(l, slot, err);
    if (rc < 0) {
        if (rc == DN_E_TOO_LONG)
            dn_err_prefix(err, "line %" PRIu64, load_line_of(l));
        return rc;
    }
    if (!slot->parser)
        slot->parser = csv_parser_new(&l->columns.layout, &l->owner);
    if (!slot->parser)
        return DN_FAIL_NOMEM(err);
    slot->rc = 0;
    slot->run = l->run;
    l->used++;
    if (sched_spawn(l->conn->db->volume->sched, "csv", load_parse_task, slot, &slot->task, NULL) <
        0) {
        slot->task = NULL;
        load_parse_task(slot);
    }
    return 0;
}

/* ---- taking ---- */

static int load_reject(struct load *l, const struct csv_parser *p, struct dn_err *err)
{
    const struct load_spec *spec = l->spec;

    for (const struct csv_bad *bad = p->bad; bad; bad = bad->next) {
        uint64_t line = l->line + bad->line + 1;

        if (!spec->reject) {
            int rc = DN_FAIL(err, bad->code, "%s", bad->reason);

            if (bad->column)
                dn_err_prefix(err, "line %" PRIu64 ", column \"%s\"", line, bad->column);
            else
                dn_err_prefix(err, "line %" PRIu64, line);
            if (bad->hint[0])
                dn_err_hint(err, "%s", bad->hint);
            return rc;
        }
        l->result->rejected++;
        if (spec->reject(
                spec->reject_arg, line, bad->column, bad->reason, bad->record, bad->record_len) !=
            0)
            return DN_FAIL(err, DN_E_CANCELED, "stopped by the callback");
    }
    return 0;
}

/* Rows of a series lie next to each other within a chunk only. With many series in the order of
 * time that is a few rows each, and the store would gather every row from another place in memory:
 * chunks grow, as far as the memory allows. If even the widest have next to no two rows of a
 * series, the store sorts them anyway, and chunks are small again. */
static void load_widen(struct load *l, const struct load_slot *slot)
{
    const struct load_part *part = slot->part;
    bool wide = slot->end >= l->chunk / 2; /* it is of the present size */

    if (!wide || !part || l->narrow || (uint64_t)part->series * LOAD_WIDE_ROWS <= part->rows.rows)
        return;
    if (l->chunk <= l->chunk_max / 2) {
        l->chunk *= 2;
    } else if (!part->grouped) {
        l->chunk = l->chunk_min;
        l->narrow = true;
    }
}

/* Waits for the oldest chunk; its rows are good, the others were rejected. */
static int load_join(struct load *l, struct load_slot *slot, struct dn_err *err)
{
    int rc;

    if (slot->task)
        sched_join(slot->task);
    slot->task = NULL;
    if (slot->rc < 0) {
        *err = slot->why;
        return slot->rc;
    }
    load_widen(l, slot);
    rc = load_reject(l, slot->parser, err);
    if (rc == 0 && slot->part)
        rc = load_part_evaluate(slot->part, &l->columns.target, &l->run, err);
    if (rc == 0 && slot->part && slot->part->rows.rows == 0) { /* all came too late */
        load_part_free(slot->part);
        slot->part = NULL;
    }
    l->line += slot->parser->lines;
    l->result->parsed += slot->parser->rows;
    return rc;
}

static int load_begin_direct(struct load *l, struct dn_err *err)
{
    struct dendro_db *db = l->conn->db;
    size_t batch = (size_t)db->settings.memtable_size;
    struct shard_load_options options = {.whole = l->spec->whole, .cancel = &l->conn->cancel};

    if (__builtin_mul_overflow(batch, (size_t)LOAD_BATCH_TIMES, &batch) ||
        batch > db->owner.limit / LOAD_BATCH_SHARE)
        batch = db->owner.limit / LOAD_BATCH_SHARE;
    options.batch_bytes = batch;
    return route_load(db, l->spec->table, l->spec->named, &options, &l->direct, err);
}

static int load_progress(struct load *l, struct dn_err *err)
{
    const struct load_spec *spec = l->spec;
    int rc;

    l->result->bytes = csv_source_bytes(l->source);
    if (l->direct)
        l->result->rows = shard_load_committed(l->direct);
    rc = session_check_cancel(l->conn, err);
    if (rc < 0)
        return rc;
    if (spec->progress && spec->progress(spec->progress_arg, l->result) != 0)
        return DN_FAIL(err, DN_E_CANCELED, "stopped by the callback");
    return 0;
}

/* In a transaction block rows go with the block's. */
static int load_hand_in(struct load *l, struct load_slot *slot, struct dn_err *err)
{
    struct shard_batch b = {.table = l->spec->table, .inserts = true, .named = l->spec->named};
    int rc = 0;

    if (slot->part)
        rc = load_part_flatten(slot->part, err);
    if (rc == 0 && slot->part) {
        b.cols = slot->part->rows.cols;
        b.rows = slot->part->rows.rows;
        b.op = slot->part->rows.op;
        rc = session_commit(l->conn, &b, 1, err);
        load_part_free(slot->part);
        slot->part = NULL;
    }
    l->result->rows = l->result->parsed - (l->conn->late - l->late);
    return rc;
}

/* The oldest chunk goes to the segments. */
static int load_take(struct load *l, struct dn_err *err)
{
    struct load_slot *slot = &l->slots[l->first];
    int rc = load_join(l, slot, err);

    if (rc == 0 && tx_in_block(l->conn))
        rc = load_hand_in(l, slot, err);
    else if (rc == 0 && !l->direct)
        rc = load_begin_direct(l, err);
    if (rc == 0 && slot->part) {
        rc = shard_load_add(l->direct, &slot->part->rows, err);
        slot->part = NULL; /* the load's, whatever happened */
    }
    if (rc < 0)
        return rc;
    l->first = (l->first + 1) % l->slots_count;
    l->used--;
    return load_progress(l, err);
}

/* All of a small text, through the log. */
static int load_take_all(struct load *l, struct dn_err *err)
{
    struct shard_batch *batches = arena_calloc(&l->arena, l->used, sizeof(*batches));
    uint32_t count = 0;
    struct pressure p;
    int rc = 0;

    if (!batches)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < l->used; i++) {
        struct load_slot *slot = &l->slots[(l->first + i) % l->slots_count];

        rc = load_join(l, slot, err);
        if (rc == 0 && slot->part)
            rc = load_part_flatten(slot->part, err);
        if (rc == 0 && slot->part)
            batches[count++] = (struct shard_batch){.table = l->spec->table,
                                                    .cols = slot->part->rows.cols,
                                                    .rows = slot->part->rows.rows,
                                                    .op = slot->part->rows.op,
                                                    .inserts = true,
                                                    .named = l->spec->named};
    }
    if (rc == 0)
        rc = load_progress(l, err);
    pressure_begin(&p, l->conn);
    while (rc == 0 && count > 0) {
        rc = session_commit(l->conn, batches, count, err);
        if (rc == 0)
            break;
        rc = pressure_relieve(&p, l->conn, mem_owner_used(&l->owner), rc, err);
    }
    if (rc == 0)
        l->result->rows = l->result->parsed - (l->conn->late - l->late);
    return rc;
}

/* ---- the whole ---- */

static uint32_t load_slots_wanted(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (cores < 1)
        cores = 1;
    return cores + 2 < (long)LOAD_SLOTS_MAX ? (uint32_t)cores + 2 : LOAD_SLOTS_MAX;
}

static int load_init(struct load *l, struct dn_err *err)
{
    struct dendro_db *db = l->conn->db;
    size_t chunk = l->spec->chunk_bytes;
    int rc;

    mem_owner_init(&l->owner, "import", &db->owner, 0);
    arena_init(&l->arena, &l->owner);
    l->chunk_max = chunk;
    if (chunk == 0) {
        chunk = db->owner.limit / LOAD_CHUNK_SHARE;
        chunk = chunk < LOAD_CHUNK_MIN ? LOAD_CHUNK_MIN : chunk;
        chunk = chunk > LOAD_CHUNK_MAX ? LOAD_CHUNK_MAX : chunk;
        l->chunk_max = db->owner.limit / LOAD_WIDE_SHARE;
        l->chunk_max = l->chunk_max > LOAD_WIDE_MAX ? LOAD_WIDE_MAX : l->chunk_max;
    }
    l->chunk = l->chunk_min = chunk;
    l->slots_count = load_slots_wanted();
    l->slots = mem_calloc(&l->owner, l->slots_count, sizeof(*l->slots));
    if (!l->slots)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < l->slots_count; i++) {
        l->slots[i].owner = &l->owner;
        if (!load_grow(l, &l->slots[i], chunk))
            return DN_FAIL_NOMEM(err);
    }
    rc = csv_source_open(
        l->spec->read, l->spec->read_arg, l->spec->format.encoding, &l->owner, &l->source, err);
    return rc < 0 ? rc : engine_sync_shard(db, err);
}

static void load_done(struct load *l)
{
    for (uint32_t i = 0; l->slots && i < l->slots_count; i++) {
        if (l->slots[i].task)
            sched_join(l->slots[i].task);
        load_part_free(l->slots[i].part);
        csv_parser_free(l->slots[i].parser);
        mem_free(l->slots[i].text);
    }
    mem_free(l->slots);
    shard_load_free(l->direct);
    csv_source_close(l->source);
    arena_done(&l->arena);
}

static int load_all(struct load *l, struct dn_err *err)
{
    int rc = 0;

    while (rc == 0 && (!l->eof || l->used > 0)) {
        if (!l->eof && l->used < l->slots_count)
            rc = load_next(l, err);
        else if (l->eof && !l->direct && !tx_in_block(l->conn))
            return load_take_all(l, err);
        else
            rc = load_take(l, err);
    }
    if (rc == 0 && l->direct)
        rc = shard_load_end(l->direct, err);
    return rc;
}

/* Batches hold pieces of the same series; short ones cost space and time until they are merged. The
 * merge has begun; a program that imports and ends should see the end of it. The rows are there
 * already: to give up waiting is no error. */
static void load_settle(const struct load *l)
{
    const struct load_spec *spec = l->spec;

    while (!shard_merge_wait(l->conn->db->shard, LOAD_SETTLE_NS) &&
           !atomic_load(&l->conn->cancel) &&
           (!spec->progress || spec->progress(spec->progress_arg, l->result) == 0))
        continue;
}

int load_run(struct dendro_conn *conn,
             const struct load_spec *spec,
             struct load_result *ret,
             struct dn_err *err)
{
    struct load l = {.conn = conn, .spec = spec, .result = ret, .late = conn->late};
    bool scattered = false;
    int rc;

    *ret = (struct load_result){.rows = 0};
    rc = session_write_allowed(conn, err);
    if (rc < 0)
        return rc;
    rc = load_init(&l, err);
    if (rc == 0)
        rc = load_all(&l, err);
    if (l.direct) {
        shard_load_wait(l.direct);
        ret->rows = shard_load_committed(l.direct);
        if (rc == 0)
            conn->late = l.late + ret->parsed - ret->rows;
        scattered = shard_load_scattered(l.direct);
    }
    load_done(&l);
    if (rc == 0 && scattered)
        load_settle(&l);
    return rc;
}
