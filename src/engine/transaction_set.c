/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction_set.c: SET and SHOW, as far as transactions have a say: what is undone when, and the
 * settings that are a transaction's modes by another name. */
#include "engine/session_zone.h"

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

/* One of tx_names; DN_NOT_FOUND: it is none of them. */
static int
tx_set_own(struct dendro_conn *conn, const char *name, const char *value, struct dn_err *err)
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

int tx_set(
    struct dendro_conn *conn, const char *name, const char *value, bool local, struct dn_err *err)
{
    char zone[SETTING_TEXT_MAX + 1];
    int rc = tx_set_own(conn, name, value, err);

    if (rc == DN_NOT_FOUND && local && !tx_in_block(conn)) {
        session_notice(conn, "WARNING", "SET LOCAL can only be used in transaction blocks");
        return settings_find(name, err) ? 0 : err->code;
    }
    if (rc != DN_NOT_FOUND)
        return rc;
    rc = session_zone_value(conn, name, &value, zone, err);
    if (rc == 0)
        rc = settings_set(&conn->settings, name, value, SETTING_SESSION, err);
    if (rc == 0 && tx_in_block(conn) && !local)
        rc = settings_set(&conn->tx.stays.settings, name, value, SETTING_SESSION, err);
    if (rc == 0) {
        session_zone_apply(conn);
        conn->epoch++;
    }
    return rc;
}
