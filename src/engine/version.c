/* SPDX-License-Identifier: Apache-2.0
 *
 * version.c: what this library is and which formats it writes. */
#include "catalog/catalog.h"
#include "dendro.h"
#include "engine/build_commit.h"
#include "store/log.h"
#include "store/manifest.h"
#include "store/segment.h"

#define VERSION_STR_(x) #x
#define VERSION_STR(x)  VERSION_STR_(x)

const char *dendro_version(void)
{
    return DENDRO_VERSION;
}

const char *dendro_version_full(void)
{
    return "dendro " DENDRO_VERSION " (commit " DENDRO_COMMIT
           "; formats: catalog " VERSION_STR(CATALOG_FORMAT) ", log " VERSION_STR(
               LOG_FORMAT) ", manifest " VERSION_STR(MANIFEST_FORMAT) ", segment " VERSION_STR(SEG_FORMAT) ")";
}
