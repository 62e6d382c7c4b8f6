/* SPDX-License-Identifier: Apache-2.0
 *
 * session_settings_all.c: all settings of a session, with what pg_settings says of them. */
#include "engine/session_settings.h"

#include <stdlib.h>
#include <strings.h>

/* The texts of a row, each ended by a zero. */
struct setting_texts {
    struct buf now, reset, boot, min, max;
};

static int setting_order(const void *a, const void *b)
{
    const struct setting_row *const *x = a;
    const struct setting_row *const *y = b;

    return strcasecmp((*x)->name, (*y)->name);
}

static bool setting_is_number(const struct setting_row *row)
{
    return row->kind == SETTING_INT || row->kind == SETTING_SIZE || row->kind == SETTING_TIME;
}

static void setting_texts_init(struct setting_texts *t)
{
    buf_init(&t->now, NULL);
    buf_init(&t->reset, NULL);
    buf_init(&t->boot, NULL);
    buf_init(&t->min, NULL);
    buf_init(&t->max, NULL);
}

static void setting_texts_done(struct setting_texts *t)
{
    buf_done(&t->now);
    buf_done(&t->reset);
    buf_done(&t->boot);
    buf_done(&t->min);
    buf_done(&t->max);
}

static int setting_texts_make(const struct dendro_conn *conn,
                              const struct setting_row *row,
                              const struct tx_settings *first,
                              struct setting_texts *t,
                              struct dn_err *err)
{
    bool fact = session_setting_fact(conn, row->name) != NULL;
    int rc = session_setting_show(conn, row->name, &t->now, NULL, err);

    if (rc == 0 && !fact && row->server)
        rc = engine_settings_show(conn->db, row, &t->reset, err);
    else if (rc == 0 && !fact)
        rc = session_setting_print(row, &conn->reset, &t->reset, err);
    if (rc == 0 && !fact)
        rc = session_setting_print(row, first, &t->boot, err);
    if (setting_is_number(row) && row->max > row->min && row->max < INT64_MAX) {
        settings_print(row, row->min, &t->min);
        settings_print(row, row->max, &t->max);
    }
    buf_u8(&t->now, '\0');
    buf_u8(&t->reset, '\0');
    buf_u8(&t->boot, '\0');
    buf_u8(&t->min, '\0');
    buf_u8(&t->max, '\0');
    if (rc == 0 &&
        (t->now.failed || t->reset.failed || t->boot.failed || t->min.failed || t->max.failed))
        rc = DN_FAIL_NOMEM(err);
    return rc;
}

static const char *setting_text(const struct buf *b)
{
    return b->len > 1 ? (const char *)b->data : NULL;
}

/* Where its value comes from. */
static void setting_source(const struct setting_row *row,
                           const struct config_entry *e,
                           bool shown, /* the session may see the place, too */
                           struct func_setting *s)
{
    if (row->scope == SETTING_FIXED)
        return;
    if (strcmp(s->value, s->reset) != 0) {
        s->source = "session";
    } else if (e && strcmp(e->value, s->value) == 0) {
        s->source = config_source_name(e->source);
        s->file = shown && e->where[0] ? e->where : NULL;
        s->line = shown ? e->line : 0;
    } else if (strcmp(s->value, s->boot) != 0) {
        s->source = "client";
    }
}

static int setting_tell(const struct dendro_conn *conn,
                        const struct setting_row *row,
                        const struct tx_settings *first,
                        bool shown,
                        func_setting_fn fn,
                        void *arg,
                        struct dn_err *err)
{
    static const char *const types[] = {[SETTING_BOOL] = "bool",
                                        [SETTING_INT] = "integer",
                                        [SETTING_SIZE] = "integer",
                                        [SETTING_TIME] = "integer",
                                        [SETTING_PORT] = "integer",
                                        [SETTING_REAL] = "real",
                                        [SETTING_ENUM] = "enum",
                                        [SETTING_DATESTYLE] = "string",
                                        [SETTING_ENCODING] = "string",
                                        [SETTING_TEXT] = "string"};
    static const char *const contexts[] = {[SETTING_SESSION] = "user",
                                           [SETTING_SUPER] = "superuser",
                                           [SETTING_DATABASE] = "postmaster",
                                           [SETTING_RELOAD] = "sighup",
                                           [SETTING_START] = "postmaster",
                                           [SETTING_FIXED] = "internal"};
    struct config *held = NULL;
    struct setting_texts t;
    struct func_setting s;
    int rc;

    setting_texts_init(&t);
    rc = setting_texts_make(conn, row, first, &t, err);
    if (rc == 0) {
        s = (struct func_setting){.name = row->name,
                                  .value = (const char *)t.now.data,
                                  .doc = row->doc,
                                  .type = types[row->kind],
                                  .context = contexts[row->scope],
                                  .boot = (const char *)t.boot.data,
                                  .reset = (const char *)t.reset.data,
                                  .source = "default",
                                  .words = row->words,
                                  .min = setting_text(&t.min),
                                  .max = setting_text(&t.max),
                                  .restart = engine_settings_pending(conn->db, row)};
        if (session_setting_fact(conn, row->name))
            s.reset = s.boot = s.value;
        setting_source(row, engine_settings_entry(conn->db, row, &held), shown, &s);
        rc = fn(arg, &s, err);
    }
    config_unref(held);
    setting_texts_done(&t);
    return rc;
}

int session_settings_each(const struct dendro_conn *conn,
                          func_setting_fn fn,
                          void *arg,
                          struct dn_err *err)
{
    size_t count = settings_count();
    const struct setting_row **rows = mem_alloc_array(NULL, count, sizeof(*rows));
    struct tx_settings first = {.extra = NULL};
    bool shown = session_settings_shown(conn);
    const char *name, *value;
    int rc = 0;

    if (!rows)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < count; i++)
        rows[i] = settings_row(i);
    qsort(rows, count, sizeof(*rows), setting_order);
    settings_defaults(&first.settings);
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (shown || !settings_hidden(rows[i]))
            rc = setting_tell(conn, rows[i], &first, shown, fn, arg, err);
    mem_free(rows);
    for (size_t i = 0; rc == 0 && (name = settings_extra_at(conn->extra, i, &value)) != NULL; i++) {
        const struct func_setting s = {.name = name,
                                       .value = value,
                                       .doc = "",
                                       .type = "string",
                                       .context = "user",
                                       .boot = "",
                                       .reset = "",
                                       .source = "session"};

        if (settings_is_custom(name))
            rc = fn(arg, &s, err);
    }
    return rc;
}
