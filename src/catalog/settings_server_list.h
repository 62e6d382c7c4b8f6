/* SPDX-License-Identifier: Apache-2.0
 *
 * settings_server_list.h: DN_SETTING_SERVER(name, kind, unit, default, min, max, words, scope,
 * value, doc): the settings of `dendro serve`. From a line come the flag (--pg-port), the variable
 * of the environment (DENDRO_PG_PORT), the key of the configuration file (pg_port, or port in
 * [pg]), the help, SHOW and docs/settings.md. The unit is that of a number without one; words are
 * those of an ENUM. Scope: START (a restart is needed) or RELOAD (SIGHUP will do). The value is
 * what the help calls it. Part of settings_list.h. */

/* clang-format off */
DN_SETTING_SERVER("data",           TEXT, "",   "",          0, 0, NULL, START, "DIR", "the database's directory, made if it is not there")
DN_SETTING_SERVER("listen",         TEXT, "",   "127.0.0.1", 0, 0, NULL, START, "ADDR", "address to listen on; * = all of them")
DN_SETTING_SERVER("pg_port",        PORT, "",   "5460",      0, 65535, NULL, START, "N", "port of PostgreSQL's protocol; 0 = none, any = one that is free")
DN_SETTING_SERVER("http_port",      PORT, "",   "8460",      0, 65535, NULL, START, "N", "port of HTTP; 0 = none, any = one that is free")
DN_SETTING_SERVER("ilp_port",       PORT, "",   "0",         0, 65535, NULL, START, "N", "port of line protocol over TCP; 0 = none, any = one that is free")
DN_SETTING_SERVER("insecure",       BOOL, "",   "off",       0, 1, NULL, START, NULL, "serve other machines although nobody has to log in")
DN_SETTING_SERVER("max_connections", INT, "",   "1000",      1, 100000, NULL, START, "N", "more sessions than so many are refused; HTTP has as many connections of its own")
DN_SETTING_SERVER("superuser_reserved_connections", INT, "", "3", 0, 10000, NULL, START, "N", "so many of max_connections are kept for superusers")
DN_SETTING_SERVER("max_pending_logins", INT, "", "1000",     1, 10000, NULL, START, "N", "connections that have not logged in yet, beside max_connections; when one more comes the oldest is closed")
DN_SETTING_SERVER("server_threads", INT,  "",   "0",         0, 10000, NULL, START, "N", "threads that run statements; 0 = eight per core; there are more when all of them wait")
DN_SETTING_SERVER("auto_create",    ENUM, "",   "on",        0, 2, "on,tables,off", RELOAD, "WHAT", "what points may make: on = tables and columns, tables, off")
DN_SETTING_SERVER("max_message",    SIZE, "MB", "256MB",     1048576, 2146435072, NULL, RELOAD, "MB", "a longer message or request of a client is refused")
DN_SETTING_SERVER("idle_timeout",   TIME, "s",  "0",         0, 2147483000, NULL, RELOAD, "SECONDS", "connections idle for longer are closed; 0 = never; sessions may have an idle_session_timeout of their own")
DN_SETTING_SERVER("authentication_timeout", TIME, "s", "10s", 1000, 600000, NULL, RELOAD, "SECONDS", "time limit for logging in, from the moment a connection is made")
DN_SETTING_SERVER("drain_timeout",  TIME, "s",  "10s",       0, 3600000, NULL, RELOAD, "SECONDS", "as long as statements may go on when the server is asked to stop")
DN_SETTING_SERVER("tls_cert",       TEXT, "",   "",          0, 0, NULL, RELOAD, "FILE", "certificates, PEM; with tls_key clients may speak TLS, and HTTP is HTTPS")
DN_SETTING_SERVER("tls_key",        TEXT, "",   "",          0, 0, NULL, RELOAD, "FILE", "the key to the certificate, PEM")
DN_SETTING_SERVER("log_format",     ENUM, "",   "text",      0, 1, "text,json", RELOAD, "FORMAT", "what lines of the log look like: text, or json (an object per line)")
DN_SETTING_SERVER("log_connections", BOOL, "",  "off",       0, 1, NULL, RELOAD, NULL, "a line of the log for each login; those that fail always have one")
DN_SETTING_SERVER("log_disconnections", BOOL, "", "off",     0, 1, NULL, RELOAD, NULL, "a line of the log for each session that ends")
/* clang-format on */
