/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_server.h: a server without sockets, on a simulated disk, for targets that play its clients.
 * It has a role "fuzz" without privileges over files, a type mood, and a table all_types of which
 * that role may do anything. What takes long is canceled. One thread. */
#pragma once

#include "server/server_int.h"

/* Made by the first call, and anew after some thousand calls. Aborts when it cannot be. */
struct server *fuzz_server(void);
/* From now on fn(arg) is called whenever some CPU time has passed, by a signal; NULL: no more. */
void fuzz_server_watch(void (*fn)(void *arg), void *arg);
