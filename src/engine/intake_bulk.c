/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_bulk.c: see the header. */
#include "engine/intake_bulk.h"

#include "engine/engine_int.h"
#include "engine/route.h"
#include "store/shard_load.h"

#define BULK_DIRECT_BYTES (64u * 1024 * 1024) /* more goes past the log … */
#define BULK_SHARE        8u                  /* … or more than that part of the memory */
#define BULK_LOOK_ROWS    1024u               /* between looks at the cancel flag */

static void bulk_release(void *arg)
{
    struct intake *rows = arg;

    intake_done(rows);
    mem_free(rows);
}

int intake_bulk_begin(struct intake_bulk *b, struct dn_err *err)
{
    int rc;

    if (b->count == 0)
        b->late = b->conn->late;
    b->rows = mem_calloc(b->owner, 1, sizeof(*b->rows));
    b->bytes = 0;
    if (!b->rows)
        return DN_FAIL_NOMEM(err);
    rc = intake_init(b->rows, b->to, b->owner, err);
    session_intake_run(b->conn, &b->rows->run);
    b->rows->run.first = b->count + 1;
    b->rows->expiry_ns = b->expiry_ns;
    return rc;
}

static size_t bulk_limit(const struct intake_bulk *b)
{
    size_t limit = b->conn->db->owner.limit;

    return limit > 0 && limit / BULK_SHARE < BULK_DIRECT_BYTES ? limit / BULK_SHARE
                                                               : BULK_DIRECT_BYTES;
}

/* What has come so far goes to the volume; nobody sees it before the end. */
static int bulk_hand_over(struct intake_bulk *b, struct dn_err *err)
{
    struct dendro_db *db = b->conn->db;
    struct shard_load_options options = {
        .batch_bytes = bulk_limit(b), .whole = true, .cancel = &b->conn->cancel};
    struct shard_load_part part = {.bytes = b->bytes, .release = bulk_release};
    struct shard_batch batch = {.rows = 0};
    int rc = b->load ? 0 : route_load(db, b->to->table, b->to->named, &options, &b->load, err);

    if (rc == 0)
        rc = intake_batch(b->rows, &batch, err);
    if (rc < 0)
        return rc;
    part.cols = batch.cols;
    part.rows = batch.rows;
    part.op = batch.op;
    part.expiry_ns = batch.expiry_ns;
    part.arg = b->rows;
    b->rows = NULL;
    rc = shard_load_add(b->load, &part, err);
    return rc < 0 ? rc : intake_bulk_begin(b, err);
}

/* In a transaction block it goes with the block's other rows. */
static int bulk_hand_in(struct intake_bulk *b, struct dn_err *err)
{
    int rc = intake_commit(b->rows, b->conn, err);

    intake_reset(b->rows);
    b->bytes = 0;
    return rc;
}

int intake_bulk_settle(struct intake_bulk *b, struct dn_err *err)
{
    if (b->bytes <= bulk_limit(b))
        return 0;
    return tx_in_block(b->conn) ? bulk_hand_in(b, err) : bulk_hand_over(b, err);
}

int intake_bulk_row(struct intake_bulk *b, size_t bytes, struct dn_err *err)
{
    int rc = b->count % BULK_LOOK_ROWS ? 0 : session_check_cancel(b->conn, err);

    b->count++;
    b->bytes += bytes;
    return rc < 0 ? rc : intake_bulk_settle(b, err);
}

int intake_bulk_end(struct intake_bulk *b, struct dn_err *err)
{
    int rc = 0;

    if (!b->load) {
        rc = b->rows->rows > 0 ? intake_commit(b->rows, b->conn, err) : 0;
        b->count -= b->conn->late - b->late;
        return rc;
    }
    if (b->rows->rows > 0)
        rc = bulk_hand_over(b, err);
    if (rc == 0)
        rc = shard_load_end(b->load, err);
    if (rc == 0) { /* the horizon may have moved since the rows were looked at */
        b->conn->late = b->late + b->count - shard_load_committed(b->load);
        b->count = shard_load_committed(b->load);
    }
    return rc;
}

void intake_bulk_done(struct intake_bulk *b)
{
    shard_load_free(b->load);
    if (b->rows)
        bulk_release(b->rows);
    b->rows = NULL;
    b->load = NULL;
}
