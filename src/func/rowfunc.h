/* SPDX-License-Identifier: Apache-2.0
 *
 * rowfunc.h: functions that return rows, for FROM: one descriptor row each, as in func.h. Each
 * makes one column; where a function of SQL has several, those of FROM stand side by side (beside).
 *
 *     start (once, arguments known) -> next … until DN_EOF
 *
 * Any thread; one thread at a time per call. */
#pragma once

#include "func/func.h"

struct rowfunc;

/* One call that runs. */
struct rowfunc_call {
    const struct rowfunc *fn;
    enum type_id type;        /* of its rows */
    void *state;              /* fn->state_size bytes, zeroed before start */
    const struct datum *args; /* live as long as the call */
    uint32_t args_count;
    struct arena *run; /* lives as long as the call */
    int64_t now_ns;
    const struct func_session *session;
    uint32_t pos; /* in the SQL text */
};

struct rowfunc {
    const char *name; /* lower case */
    enum type_id args[FUNC_ARGS_MAX];
    uint32_t args_count;
    enum type_id result; /* TYPE_NONE, TYPE_ANY_ELEMENT: as in func.h */
    uint32_t flags;      /* enum func_flag: FUNC_STRICT: with a NULL argument there are no rows */
    uint32_t state_size;
    int (*start)(struct rowfunc_call *c, struct dn_err *err);
    /* ret: a FLAT vector of exactly max rows, fewer only where the rows end; memory of the arena.
     * DN_EOF: no more. */
    int (*next)(struct rowfunc_call *c,
                struct arena *arena,
                uint32_t max,
                struct vec *ret,
                struct dn_err *err);
    const char *column;  /* name of the column; NULL: the alias, or the function's name */
    const char *beside;  /* the function of the next column, with the same arguments; NULL: none */
    const char *doc;     /* one sentence */
    const char *example; /* "generate_series(1, 3) = 1, 2, 3" */
};

/* The overload for the argument types; casts and errors as func_find. */
const struct rowfunc *rowfunc_find(const char *name,
                                   const enum type_id *types,
                                   uint32_t count,
                                   enum type_id *ret_casts,
                                   uint32_t pos,
                                   struct dn_err *err);
/* The type of the rows for arguments of the types in ret_casts. */
enum type_id rowfunc_result(const struct rowfunc *f, const enum type_id *types, uint32_t count);
/* One row, its argument: a function of one value among those that return rows. In no table. */
extern const struct rowfunc rowfunc_single;
bool rowfunc_name_exists(const char *name);
const struct rowfunc *rowfunc_at(uint32_t i); /* NULL past the end */
