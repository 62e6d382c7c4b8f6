/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction_set.c: SET and SHOW of settings that are a transaction's modes by another name. */
#include "engine/engine_int.h"

#include <strings.h>

static const char *const tx_isolations[] = {
    [ISOLATION_DEFAULT] = "repeatable read",
    [ISOLATION_SERIALIZABLE] = "serializable",
    [ISOLATION_REPEATABLE_READ] = "repeatable read",
    [ISOLATION_READ_COMMITTED] = "read committed",
    [ISOLATION_READ_UNCOMMITTED] = "read uncommitted",
};

static const char *const tx_names[] = {"transaction_isolation",
                                       "default_transaction_isolation",
                                       "transaction_read_only",
                                       "transaction_deferrable",
                                       "default_transaction_deferrable"};

const char *tx_show(const struct dendro_conn *conn, const char *name, const char **ret_value)
{
    bool block = tx_in_block(conn);
    const char *const values[] = {
        tx_isolations[ISOLATION_REPEATABLE_READ],
        tx_isolations[ISOLATION_REPEATABLE_READ],
        (block ? conn->tx.read_only : conn->settings.default_transaction_read_only) ? "on" : "off",
        block && conn->tx.deferrable ? "on" : "off",
        "off"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(tx_names); i++)
        if (strcasecmp(tx_names[i], name) == 0) {
            *ret_value = values[i];
            return tx_names[i];
        }
    return NULL;
}

int tx_set(struct dendro_conn *conn, const char *name, const char *value, struct dn_err *err)
{
    struct transaction modes = {.kind = TRANSACTION_SET};
    const char *now;
    const char *own = tx_show(conn, name, &now);
    bool on = value && strcasecmp(value, "on") == 0;

    if (!own)
        return DN_NOT_FOUND;
    if (own == tx_names[0] || own == tx_names[1]) {
        size_t i = value ? 0 : ISOLATION_REPEATABLE_READ;

        for (size_t k = 1; value && k < DN_ARRAY_SIZE(tx_isolations); k++)
            if (strcasecmp(value, tx_isolations[k]) == 0)
                i = k;
        if (i == 0)
            return DN_FAIL(err,
                           DN_E_INVALID_PARAM,
                           "setting %s must be 'repeatable read', not '%.80s'",
                           own,
                           value);
        modes.isolation = (enum isolation)i;
    } else {
        if (value && !on && strcasecmp(value, "off") != 0)
            return DN_FAIL(
                err, DN_E_INVALID_PARAM, "setting %s must be on or off, not '%.80s'", own, value);
        if (own == tx_names[2])
            modes.read_only = on ? MODE_YES : MODE_NO;
        else
            modes.deferrable = on ? MODE_YES : MODE_NO;
    }
    return tx_in_block(conn) && strncmp(own, "default", 7) != 0 ? tx_modes(conn, &modes, err) : 0;
}

void tx_settings_copy(struct tx_settings *to, const struct tx_settings *from)
{
    struct settings_extra *was = to->extra;

    to->settings = from->settings;
    to->extra = settings_extra_ref(from->extra);
    settings_extra_unref(was);
}

void tx_settings_done(struct tx_settings *s)
{
    settings_extra_unref(s->extra);
    s->extra = NULL;
}
