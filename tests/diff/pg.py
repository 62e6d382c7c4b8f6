# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL cluster of its own in a temporary directory: made, started, gone at the end."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile

VERSION = 15


def bin_dir():
    """Where the programs of that version are, or None."""
    for path in [os.environ.get("DENDRO_PG_BIN", "")] + glob.glob(f"/usr/lib/postgresql/{VERSION}/bin"):
        if path and os.path.exists(os.path.join(path, "initdb")):
            return path
    return None


class Cluster:
    """`with Cluster() as pg`: pg.run(script) gives what psql prints."""

    def __init__(self):
        self.bin = bin_dir()
        self.dir = tempfile.mkdtemp(prefix="dendro-diff-pg-")
        # PostgreSQL does not run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            entry = pwd.getpwnam(self.user)
            os.chown(self.dir, entry.pw_uid, entry.pw_gid)

    def _call(self, name, *args, **more):
        command = [os.path.join(self.bin, name), *args]
        if self.user:
            command = ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups"] + command
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.dir,
                              check=False, text=True, **more)

    def _must(self, name, *args):
        done = self._call(name, *args)
        if done.returncode != 0:
            log = os.path.join(self.dir, "log")
            tail = open(log, encoding="utf-8").read()[-2000:] if os.path.exists(log) else ""
            raise RuntimeError(f"{name} failed: {done.stdout}\n{tail}")

    def __enter__(self):
        data = os.path.join(self.dir, "data")
        self._must("initdb", "-D", data, "--locale=C", "-E", "UTF8", "-A", "trust", "-N", "-U", "dendro")
        # Sockets in the directory, no port: two runs do not meet.
        options = (f"-c listen_addresses='' -c unix_socket_directories='{self.dir}' -c fsync=off"
                   " -c timezone=UTC -c intervalstyle=postgres -c max_connections=5"
                   " -c shared_buffers=8MB -c jit=off")
        self._must("pg_ctl", "-D", data, "-l", os.path.join(self.dir, "log"), "-w", "-o", options, "start")
        return self

    def __exit__(self, *_):
        self._call("pg_ctl", "-D", os.path.join(self.dir, "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.dir, ignore_errors=True)

    def _psql(self):
        return [os.path.join(self.bin, "psql"), "-X", "-q", "-A", "-t", "-F", "\x1f", "-P", "null=\\N",
                "-h", self.dir, "-U", "dendro", "-d", "postgres"]

    def session(self):
        """A psql that is talked to line by line, with text on both sides."""
        return subprocess.Popen(["stdbuf", "-oL"] + self._psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)

    def run(self, script):
        """Rows as lines: fields separated by 0x1f, NULL as \\N; errors to nowhere, but :SQLSTATE is there."""
        done = subprocess.run(self._psql(), input=script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"psql ended with {done.returncode}")
        return done.stdout
