/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/documents.h"

#include "engine/configure.h"
#include "engine/engine_int.h"
#include "engine/slabs_other.h"
#include "engine/timepart.h"

/* One of them, and how it is looked at: 0, DN_NOT_FOUND or an error. */
struct document_kind {
    const char *name;
    const char *what;           /* it holds */
    enum catalog_document flag; /* 0: the catalog does not name it */
    int (*verify)(struct volume *v, struct dn_err *err);
};

static int document_verify_detached(struct volume *v, struct dn_err *err)
{
    enum detached_state state;

    return detached_state(v, &state, err);
}

static const struct document_kind document_kinds[] = {
    {"counters", "how far sequences have come", CATALOG_HAS_COUNTERS, engine_sequences_verify},
    {"clocks", "the counters of time partitions", CATALOG_HAS_CLOCKS, engine_counters_verify},
    {"time", "the last time that is known to have been", 0, engine_clock_verify},
    {"settings", "what ALTER SYSTEM has set", 0, engine_settings_verify},
    {"partition", "what a detached partition is", 0, document_verify_detached},
};

bool engine_expects(struct dendro_db *db, enum catalog_document flag)
{
    struct catalog *cat = engine_catalog(db);
    bool expected = cat->documents & flag;

    catalog_unref(cat);
    return expected;
}

int engine_document_lost(const char *name, const char *what, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_CORRUPT,
                     "document '%s' is missing, but the catalog names it; it held %s",
                     name,
                     what);

    dn_err_hint(err, "Put the file back from a copy of the database.");
    return rc;
}

/* Which documents a catalog needs. */
static uint32_t documents_needed(const struct catalog *c)
{
    uint32_t need = 0;

    for (size_t i = 0; i < c->sequences_count; i++)
        need |= c->sequences[i]->temp ? 0 : CATALOG_HAS_COUNTERS;
    for (size_t i = 0; i < c->tables_count; i++)
        need |= c->tables[i]->timepart ? CATALOG_HAS_CLOCKS : 0;
    return need;
}

int engine_documents_ready(struct dendro_db *db, struct catalog *next, struct dn_err *err)
{
    uint32_t need = documents_needed(next) & ~next->documents;
    int rc = 0;

    if (need & CATALOG_HAS_COUNTERS)
        rc = engine_sequences_ensure(db, err);
    if (rc == 0 && (need & CATALOG_HAS_CLOCKS))
        rc = engine_counters_ensure(db, err);
    if (rc == DN_E_NOSPC) { /* an edit that makes room must not fail for it; the next one tries */
        dn_err_clear(err);
        return 0;
    }
    if (rc == 0)
        next->documents |= need;
    return rc;
}

int engine_documents_open(struct dendro_db *db, struct dn_err *err)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(document_kinds); i++) {
        const struct document_kind *k = &document_kinds[i];
        int rc;

        if (!(db->catalog->documents & k->flag))
            continue;
        rc = k->verify(db->volume, err);
        if (rc == DN_NOT_FOUND)
            rc = engine_document_lost(k->name, k->what, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int engine_documents_verify(struct volume *v,
                            const struct catalog *cat,
                            engine_documents_fn report,
                            void *arg,
                            uint64_t *ret_faults,
                            struct dn_err *err)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(document_kinds); i++) {
        const struct document_kind *k = &document_kinds[i];
        int rc;

        dn_err_clear(err);
        rc = k->verify(v, err);
        if (rc == DN_NOT_FOUND && cat && (cat->documents & k->flag))
            rc = engine_document_lost(k->name, k->what, err);
        if (rc == DN_E_NOMEM)
            return rc;
        if (rc < 0) {
            report(arg, true, err->text);
            ++*ret_faults;
        }
    }
    dn_err_clear(err);
    return 0;
}
