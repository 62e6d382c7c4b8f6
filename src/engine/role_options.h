/* SPDX-License-Identifier: Apache-2.0
 *
 * role_options.h: the words of CREATE ROLE and ALTER ROLE. Inside the engine, for role.c alone.
 * Threads as in engine_int.h. */
#pragma once

#include "engine/privilege.h"

struct role_edit {
    struct dendro_stmt *stmt;
    char notice[TABLE_NAME_MAX + 64]; /* of the last try */
    const char *verifier;             /* of the password that was given; NULL: none was */
    bool locked_out;                  /* no superuser can log in any more */
    bool password;                    /* PASSWORD was there, NULL perhaps */
};

/* Which lists of roles the options name. */
enum role_list { ROLE_LIST_IN, ROLE_LIST_MEMBERS, ROLE_LIST_ADMINS };

struct role_options {
    const struct option_spec *words;
    uint32_t count;
    uint32_t at; /* the next word */
    struct role *role;
    uint32_t seen; /* attributes that were set, to catch conflicts */
    struct {
        uint32_t from;
        uint32_t to;
        bool given;
    } lists[3]; /* by enum role_list: places of their names */
};

/* All words of o into o->role, its lists and the edit's password. */
int role_take_all(struct role_options *o, struct role_edit *e, struct dn_err *err) DN_MUST_CHECK;
/* Is it that word, in whatever case? */
bool role_is(const struct option_spec *w, const char *word);
