/* SPDX-License-Identifier: Apache-2.0
 *
 * cursor_rows.c: the rows of a cursor: asked of its query, kept, found again by number. */
#include "engine/cursor_int.h"

#include "engine/engine_int.h"

#include <string.h>

#define CURSOR_SHARE       64u            /* of the memory limit, for the rows of a cursor */
#define CURSOR_BLOCK_BYTES (128u * 1024u) /* of the scratch file */

/* The pages in memory go to the scratch area. */
static int cursor_make_room(struct session_cursor *c, struct dn_err *err)
{
    struct exec_spill_options options = {.volume = c->query->conn->db->volume,
                                         .owner = &c->owner,
                                         .types = c->types,
                                         .cols_count = c->cols_count,
                                         .block_bytes = CURSOR_BLOCK_BYTES,
                                         .batch_rows = VEC_ROWS_MAX};
    struct vec *cols = arena_calloc(&c->arena, c->cols_count + 1, sizeof(*cols));
    int rc = cols ? 0 : DN_FAIL_NOMEM(err);

    if (rc == 0 && !exec_spill_is_open(&c->spill))
        rc = exec_spill_open(&c->spill, &options, err);
    for (uint32_t row = 0; rc == 0 && row < c->mem.count;) {
        uint32_t count;
        uint32_t part;

        rc = exec_rows_view(&c->mem, row, VEC_ROWS_MAX, &c->arena, cols, &count, err);
        if (rc == 0)
            rc = exec_spill_add(&c->spill, &part, err);
        if (rc == 0)
            rc = exec_spill_write(&c->spill, part, cols, NULL, count, err);
        if (rc == 0)
            rc = exec_spill_seal(&c->spill, part, err);
        row += rc == 0 ? count : 0;
    }
    arena_reset(&c->arena);
    if (rc < 0)
        return rc;
    c->base += c->mem.count;
    exec_rows_reset(&c->mem);
    return 0;
}

/* Shall what is in memory go to the scratch area? Only whole pages do. */
static bool cursor_is_full(const struct session_cursor *c)
{
    return c->keeps && c->mem.count > 0 && c->mem.count % VEC_ROWS_MAX == 0 &&
           (mem_owner_used(&c->owner) > c->query->conn->db->owner.limit / CURSOR_SHARE ||
            keep_tight(c->query->conn));
}

int cursor_keep(struct session_cursor *c, struct dn_err *err)
{
    size_t now = mem_owner_used(&c->owner) + sizeof(*c);
    int rc = keep_stmt(c->query, false, err);

    if (rc < 0)
        return rc;
    if (now > c->kept)
        rc = keep_charge(c->query->conn, now - c->kept, false, err);
    else
        keep_release(c->query->conn, c->kept - now, false);
    if (rc == 0)
        c->kept = now;
    return rc;
}

static int cursor_add(struct session_cursor *c, const struct batch *b, struct dn_err *err)
{
    uint16_t all[VEC_ROWS_MAX];
    uint32_t done = 0;
    int rc = 0;

    for (uint32_t i = 0; !b->sel && i < b->sel_count; i++)
        all[i] = (uint16_t)i;
    while (rc == 0 && done < b->sel_count) {
        uint32_t room = VEC_ROWS_MAX - c->mem.count % VEC_ROWS_MAX;
        uint32_t n = b->sel_count - done < room ? b->sel_count - done : room;

        rc = exec_rows_add(&c->mem, b->cols, (b->sel ? b->sel : all) + done, n, err);
        done += n;
        if (rc == 0 && cursor_is_full(c))
            rc = cursor_make_room(c, err);
    }
    return rc;
}

int cursor_reach(struct session_cursor *c, uint64_t want, struct dn_err *err)
{
    struct batch b;
    int rc = 0;

    if (c->failed)
        return DN_FAIL(err, DN_E_NOT_READY, "the query of cursor \"%s\" has failed", c->name);
    while (rc == 0 && want >= cursor_known(c) && !c->ended) {
        if (!c->keeps && c->mem.count > 0 && c->at >= cursor_known(c)) {
            c->base += c->mem.count; /* behind us */
            exec_rows_reset(&c->mem);
        }
        rc = c->query->root ? stmt_pull(c->query, &b, err)
                            : DN_FAIL(err,
                                      DN_E_RESULT_GONE,
                                      "the rows were of a part of the transaction that was rolled "
                                      "back");
        if (rc == DN_EOF) {
            c->ended = true;
            stmt_stop(c->query); /* its snapshot goes */
            rc = 0;
        } else if (rc == 0) {
            rc = cursor_add(c, &b, err);
            if (rc == 0)
                rc = cursor_keep(c, err);
        }
    }
    c->failed = rc < 0;
    if (rc < 0 && err)
        err->position = 0; /* in the text of the query, not in that of the FETCH */
    return rc < 0 ? rc : want < cursor_known(c) ? 0 : DN_EOF;
}

int cursor_reach_all(struct session_cursor *c, struct dn_err *err)
{
    int rc = cursor_reach(c, UINT64_MAX - 1, err);

    return rc == DN_EOF ? 0 : rc;
}

int cursor_page(
    struct session_cursor *c, uint64_t row, struct batch *ret, uint32_t *ret_at, struct dn_err *err)
{
    uint32_t cols_count = c->cols_count;
    struct vec *cols;
    uint32_t count;
    int rc;

    if (row < c->base) {
        uint64_t first = row - row % VEC_ROWS_MAX;

        *ret_at = (uint32_t)(row - first);
        if (c->page_first != first) {
            exec_spill_reader_close(&c->reader);
            memset(&c->reader, 0, sizeof c->reader);
            c->page_first = UINT64_MAX;
            rc = exec_spill_reader_open(
                &c->reader, &c->spill, (uint32_t)(first / VEC_ROWS_MAX), &c->owner, err);
            if (rc == 0)
                rc = exec_spill_reader_next(&c->reader, &c->page, err);
            if (rc != 0)
                return rc < 0 ? rc : DN_FAIL(err, DN_E_INTERNAL, "a page of a cursor is gone");
            c->page_first = first;
        }
        *ret = c->page;
        return 0;
    }
    arena_reset(&c->arena);
    cols = arena_calloc(&c->arena, cols_count + 1, sizeof(*cols));
    if (!cols)
        return DN_FAIL_NOMEM(err);
    row -= c->base;
    *ret_at = (uint32_t)(row % VEC_ROWS_MAX);
    rc = exec_rows_view(
        &c->mem, (uint32_t)row - *ret_at, VEC_ROWS_MAX, &c->arena, cols, &count, err);
    *ret = (struct batch){.cols = cols, .cols_count = cols_count, .count = count};
    return rc;
}
