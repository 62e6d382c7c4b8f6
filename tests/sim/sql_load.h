/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_load.h: the rows of an INSERT of the model taken into the table by the other doors: the
 * appender and CSV, small ones through the log and such as go straight into segments. One thread at
 * a time. */
#pragma once

#include "sql_model.h"

enum sqlm_door { SQLM_BY_INSERT, SQLM_BY_APPENDER, SQLM_BY_CSV, SQLM_DOOR_MAX };

/* All rows of ins, which must not be bad, in one commit. Trace: what is done as text. */
int sqlm_load(const struct sqlm_table *t,
              const struct sqlm_insert *ins,
              enum sqlm_door door,
              struct rng *r,
              dendro_conn *conn,
              struct dendro_error *err) DN_MUST_CHECK;
