/* SPDX-License-Identifier: Apache-2.0
 *
 * peer_list.h: every peer of qbench, PEER(name). No guard: included once for each use. */
PEER(dendro)
PEER(duckdb)
PEER(sqlite)
PEER(clickhouse)
PEER(pg)
