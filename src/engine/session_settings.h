/* SPDX-License-Identifier: Apache-2.0
 *
 * session_settings.h: the settings of a session: SET, RESET, SHOW, set_config() and
 * current_setting(); which of them clients are told of; search_path as a list of schemas. What
 * there is: catalog/settings_list.h. What ROLLBACK brings back: transaction.h.
 *
 * One thread at a time, as the session. */
#pragma once

#include "engine/engine_int.h"

/* For a new session; and for one that ends. */
int session_settings_begin(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
void session_settings_end(struct dendro_conn *conn);

/* SET name = value; NULL: what the session began with. Errors: no such setting, no such value. */
int session_setting_set(struct dendro_conn *conn,
                        const char *name,
                        const char *value,
                        bool local,
                        struct dn_err *err) DN_MUST_CHECK;
/* A setting that ALTER ROLE … SET gave the role that logs in: set by whom it was given, so even
 * those that the role may not set itself. */
int session_setting_of_role(struct dendro_conn *conn,
                            const char *name,
                            const char *value,
                            struct dn_err *err) DN_MUST_CHECK;
/* Whether it would be set: the setting, the right to it and the value are looked at. */
int session_setting_may(struct dendro_conn *conn,
                        const char *name,
                        const char *value,
                        struct dn_err *err) DN_MUST_CHECK;
/* RESET ALL. */
int session_settings_reset(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
/* May the session see settings that tell of the machine, and where each was set? */
bool session_settings_shown(const struct dendro_conn *conn);
/* The value as SHOW has it, into b; *ret_name (if not NULL): as the setting is written.
 * DN_E_DENIED: it is a hidden one, and the session may not see those. */
int session_setting_show(const struct dendro_conn *conn,
                         const char *name,
                         struct buf *b,
                         const char **ret_name,
                         struct dn_err *err) DN_MUST_CHECK;
/* After the settings changed by other ways: what depends on them follows. */
void session_settings_changed(struct dendro_conn *conn);

/* What is so and cannot be set; NULL: it is not one of those. */
const char *session_setting_fact(const struct dendro_conn *conn, const char *name);
/* The value that a row has in these settings, into b. Not of a server's. */
int session_setting_print(const struct setting_row *row,
                          const struct tx_settings *of,
                          struct buf *b,
                          struct dn_err *err) DN_MUST_CHECK;
/* Could a session take that value? */
int session_setting_check(struct dendro_conn *conn,
                          const struct setting_row *row,
                          const char *value,
                          struct dn_err *err) DN_MUST_CHECK;
/* Calls fn for each of them, in the order of their names, until it returns something else than 0,
 * which is then returned. */
int session_settings_each(const struct dendro_conn *conn,
                          func_setting_fn fn,
                          void *arg,
                          struct dn_err *err) DN_MUST_CHECK;

/* ---- session_path.c ---- */
/* What names without a schema mean, by search_path and this catalog. */
void session_path_follow(struct dendro_conn *conn, const struct catalog *cat);
/* Are objects without a schema in their name made among the temporary ones? So they are if pg_temp
 * is the first schema of search_path that is there, or that the object would make. */
bool session_path_is_temp(const struct dendro_conn *conn, const struct catalog *cat);
/* Is the first schema of search_path that is there one of the system, in which nothing is made? */
bool session_path_is_system(const struct dendro_conn *conn);
/* USE: search_path becomes this one schema. */
int session_path_use(struct dendro_conn *conn,
                     const char *schema,
                     struct dn_err *err) DN_MUST_CHECK;
/* Is it a list of names? */
bool session_path_valid(const char *text);
/* A name as search_path has it: quoted if it must be. */
void session_path_quote(const char *name, struct buf *b);
