# SPDX-License-Identifier: Apache-2.0
"""The real program over a directory: a script on standard input, its output line by line."""
import csv
import queue
import signal
import subprocess
import tempfile
import threading


class Program:
    """`dendro sql DIR` with a script; the lines it prints, errors among them, come in order."""

    def __init__(self, dendro, directory, statements, settings=()):
        # The table form: the others print no tags.
        args = [dendro, "sql", directory]
        for setting in settings:
            args += ["--set", setting]
        with tempfile.TemporaryFile("w+") as script:
            script.write(";\n".join(statements) + ";\n")
            script.seek(0)
            self.process = subprocess.Popen(args, stdin=script, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT, text=True)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self, timeout=120):
        """The next line of output; None at its end."""
        return self.lines.get(timeout=timeout)

    def wait(self, seconds):
        """Lets it run; False when it ended by itself before that."""
        try:
            self.process.wait(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            return True

    def kill(self):
        """kill -9."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def rest(self):
        """All lines that are left, once the program has ended."""
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        lines = []
        while (line := self.lines.get()) is not None:
            lines.append(line)
        return lines


def query(dendro, directory, sql):
    """Rows of one query by a program of its own, as lists of texts."""
    done = subprocess.run([dendro, "sql", directory, "--format", "csv", "--no-header", "-c", sql],
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{sql}: exit code {done.returncode}: {done.stderr.strip()}")
    return list(csv.reader(done.stdout.splitlines()))


def check(dendro, directory):
    """What `dendro check` says, or None when the database is sound."""
    done = subprocess.run([dendro, "check", directory], capture_output=True, text=True, timeout=120,
                          check=False)
    return None if done.returncode == 0 else done.stdout + done.stderr
