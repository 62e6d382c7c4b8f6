/* SPDX-License-Identifier: Apache-2.0
 *
 * console.h: the web console, as web/build.py has packed it into the program. A program that was
 * built without Node.js has an empty list, and the reason beside it. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_req;

struct http_console_asset {
    const char *name; /* behind /console/; "": the page at /; NULL: the end of the list */
    const char *type;
    const char *etag;      /* of the unpacked bytes, in its quotes */
    const uint8_t *packed; /* by gzip */
    size_t packed_len;
    size_t len;   /* unpacked */
    bool forever; /* its name changes with its content: nobody has to ask for it again */
};

/* Generated; the build directory has them in web/console_assets.c. */
extern const struct http_console_asset http_console_assets[];
extern const char http_console_missing[]; /* why the list is empty; "": it is not */

/* What there is at a name: the asset, packed if the client takes it so, or 304 if it has it
 * already, or 404; at "" without a console a text that says what to install. A worker's thread. */
void http_console_answer(struct http_req *req,
                         const struct http_console_asset *list,
                         const char *missing,
                         const char *name);
