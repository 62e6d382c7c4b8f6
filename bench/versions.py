# SPDX-License-Identifier: Apache-2.0
"""The versions of all peers, in one place, and how each comes into build/bench-peers: by its name, through the
ordinary client of the place where it is published. What is there already is not fetched again."""
import glob
import os
import subprocess
import zipfile

DUCKDB = "duckdb==2.0.0"                                  # PyPI; the wheel exports the C interface
DUCKDB_PYTHON = "3.11"                                    # of the wheel; its library wants that libpython beside it
CLICKHOUSE = "@chdb/lib-linux-x64-gnu@26.7.3-stable.1"    # npm; the newest with the C interface in it
QUESTDB = "org.questdb:questdb:9.3.4"                     # Maven, for Java 17
MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
POSTGRES = "15"                                           # Debian


class Missing(Exception):
    """A peer that cannot be had here."""


def _home(root, package):
    """A directory for each version, so that a new pin fetches anew."""
    return os.path.join(root, "build", "bench-peers", package.replace("@", "").replace("/", "-").replace(":", "-"))


def _find(root, package, pattern, command, unpack=None):
    home = _home(root, package)
    found = glob.glob(os.path.join(home, pattern), recursive=True)
    if not found:
        print(f"== installing {package} into {os.path.relpath(home, root)}", flush=True)
        os.makedirs(home, exist_ok=True)
        try:
            done = subprocess.run(command(home), cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except FileNotFoundError as e:
            raise Missing(f"{package}: there is no {e.filename} to fetch it with") from e
        if done.returncode != 0:
            raise Missing(f"{package}: {done.stdout.strip()[-300:]}")
        if unpack:
            unpack(home)
        found = glob.glob(os.path.join(home, pattern), recursive=True)
    if not found:
        raise Missing(f"{package} brought no {pattern} for this machine")
    return found[0]


def _unzip(home):
    for path in glob.glob(os.path.join(home, "*.whl")):
        with zipfile.ZipFile(path) as z:
            z.extractall(home)
        os.remove(path)


def duckdb(root):
    """The shared library, and the environment that it needs."""
    library = _find(root, DUCKDB, "_duckdb*.so", lambda home: [
        "pip3", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--python-version", DUCKDB_PYTHON,
        "--dest", home, DUCKDB], _unzip)
    return library, {"LD_PRELOAD": f"libpython{DUCKDB_PYTHON}.so.1.0"}


def clickhouse(root):
    return _find(root, CLICKHOUSE, "node_modules/@chdb/*/libchdb.so", lambda home: [
        "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts", "--prefix", home, CLICKHOUSE])


def questdb(root):
    """The archive of Java classes."""
    return _find(root, QUESTDB, "questdb-*.jar", lambda home: [
        "mvn", "-q", "-B", MAVEN_COPY, f"-Dartifact={QUESTDB}", f"-DoutputDirectory={home}"])


def postgres():
    """The directory of its programs."""
    for path in [os.environ.get("DENDRO_PG_BIN", ""), f"/usr/lib/postgresql/{POSTGRES}/bin"]:
        if path and os.path.exists(os.path.join(path, "initdb")):
            return path
    raise Missing(f"postgresql-{POSTGRES}: the Debian package is not installed")
