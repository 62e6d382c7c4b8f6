#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the golden volume of a release, and what it answers.

    volume_make.py PATH-TO-DENDRO tests/golden/volume_v0.1

Once per release, with its own program; a volume of an earlier release is never written anew. Rows end
up in segments, several of one slab, in a log chunk that is sealed, and in one that is not.
"""
import os
import shutil
import subprocess
import sys

from volume_common import answers

CREATE = [
    "CREATE TABLE GeoCheckin (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT "
    "NULL, weather VARCHAR NOT NULL, temperature DOUBLE, PRIMARY KEY ((region, state, QUANTUM(time, "
    "15, 'm')), region, state, time DESC))",
    "CREATE KEYSPACE iot WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
    "CREATE TABLE iot.events (device INT, month INT, at TIMESTAMP(6), pressure INT, note TEXT, "
    "PRIMARY KEY ((device, month), at)) WITH CLUSTERING ORDER BY (at DESC)",
    "CREATE TABLE measurements (collected_at DATETIME, sensor STRING, value DOUBLE, PRIMARY KEY "
    "(collected_at, sensor)) WITH (quantum = '6h', upsert = 'field')",
    "CREATE TABLE foo (bar INT PRIMARY KEY, baz INT DEFAULT 7)",
    "CREATE TABLE types (b BOOLEAN, s SMALLINT, i INT, l BIGINT, r REAL, d DOUBLE, v VARCHAR, x "
    "BLOB, t3 TIMESTAMP, t6 TIMESTAMP(6), t9 TIMESTAMP(9))",
    "CREATE TABLE dropped (a INT PRIMARY KEY)",
]


def geo(first, count):
    rows = []
    for i in range(first, first + count):
        region, state = [("South Atlantic", "South Carolina"), ("Pacific", "Oregon"),
                         ("Pacific", "Kalifornien \u00e4")][i % 3]
        temperature = "NULL" if i % 11 == 0 else f"{20 + i % 50 / 10}"
        rows.append(f"('{region}', '{state}', {1420113600000 + i * 317000}, "
                    f"'{['hot', 'cold', 'fog'][i % 7 % 3]}', {temperature})")
    return "INSERT INTO GeoCheckin VALUES " + ", ".join(rows)


FLUSHED = [
    geo(0, 400),
    "INSERT INTO iot.events VALUES (1, 201501, '2015-01-01T00:00:00.000001Z', 10, 'a'), (1, 201501, "
    "'2015-01-02', 20, NULL), (2, 201501, '2015-01-01', -5, '\u00fc')",
    "INSERT INTO measurements VALUES ('2015-06-01T10:00:00Z', 's1', 1.5), "
    "('1969-12-31T23:59:59.999999Z', 's2', -0.25)",
    "INSERT INTO foo VALUES (1, 10), (2, NULL); INSERT INTO foo (bar) VALUES (3)",
    "INSERT INTO types VALUES (true, -32768, -2147483648, -9223372036854775807, 0.5, 0.1, 'text', "
    "0x00ff, 1, 2, 3), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    "INSERT INTO dropped VALUES (1)",
    "CHECKPOINT",
    geo(300, 200),
    "INSERT INTO measurements (collected_at, sensor) VALUES ('2015-06-01T10:00:00Z', 's1'), "
    "('2015-06-01T16:00:00Z', 's1')",
    "INSERT INTO iot.events VALUES (1, 201501, '2015-01-02', 21, 'newer')",
    "DROP TABLE dropped",
    "CHECKPOINT",
]
SEALED = [
    geo(490, 20),
    "INSERT INTO foo VALUES (2, 22), (4, 44)",
    "INSERT INTO types (v, d) VALUES ('only in the log', 1e300)",
]
OPEN = [
    "INSERT INTO measurements (collected_at, sensor, value) VALUES ('2015-06-01T16:00:00Z', 's1', 9)",
    "INSERT INTO foo (bar) VALUES (5)",
]


def run(dendro, directory, statements):
    """Each part is a process of its own."""
    process = subprocess.Popen([dendro, "sql", directory, "-v", "ON_ERROR_STOP=1", "-q"],
                               stdin=subprocess.PIPE, text=True)
    process.stdin.write(";\n".join(statements) + ";\n")
    process.stdin.close()
    if process.wait() != 0:
        sys.exit("volume_make: a statement failed")


def main():
    dendro, target = sys.argv[1:3]
    if os.path.exists(target):
        sys.exit(f"volume_make: {target} is there already; golden files are never changed")
    run(dendro, target, CREATE + FLUSHED)
    run(dendro, target, SEALED)
    run(dendro, target, OPEN)
    os.unlink(os.path.join(target, "LOCK"))
    shutil.rmtree(os.path.join(target, "scratch"))
    with open(target + ".txt", "w", encoding="utf-8") as file:
        copy = target + ".copy"
        shutil.copytree(target, copy)
        file.write(answers(dendro, copy))
        shutil.rmtree(copy)


if __name__ == "__main__":
    main()
