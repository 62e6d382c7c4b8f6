# SPDX-License-Identifier: Apache-2.0
"""What is asked of a golden volume."""
import subprocess

QUERIES = [
    "SHOW SCHEMAS",
    "SHOW TABLES",
    "SHOW CREATE TABLE GeoCheckin",
    "SHOW CREATE TABLE iot.events",
    "SHOW CREATE TABLE measurements",
    "SHOW CREATE TABLE foo",
    "SHOW CREATE TABLE types",
    "SELECT * FROM GeoCheckin WHERE region = 'Pacific' AND state = 'Oregon' AND "
    "time >= '2015-01-01T12:00:00Z' AND time < '2015-01-01T16:00:00Z'",
    "SELECT region, state, count(*), count(temperature), max(temperature), min(time), max(time), "
    "max(weather) FROM GeoCheckin GROUP BY region, state ORDER BY region, state",
    "SELECT * FROM GeoCheckin ORDER BY time, region LIMIT 20 OFFSET 290",
    "SELECT * FROM iot.events",
    "SELECT * FROM measurements",
    "SELECT * FROM foo ORDER BY bar",
    "SELECT * FROM types ORDER BY v, d",
    "SELECT token(bar), bar FROM foo ORDER BY bar",
]


def sql(dendro, directory, *statements):
    """The output of `dendro sql`, all formats of values as text."""
    args = [dendro, "sql", directory, "--format", "csv"]
    for statement in statements:
        args += ["-c", statement]
    done = subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"dendro sql: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def answers(dendro, directory):
    return "".join(f"-- {query}\n{sql(dendro, directory, query)}" for query in QUERIES)


def check(dendro, directory):
    done = subprocess.run([dendro, "check", directory], capture_output=True, text=True, timeout=120,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError("dendro check: " + done.stdout + done.stderr)
