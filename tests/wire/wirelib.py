# SPDX-License-Identifier: Apache-2.0
"""A server of its own for each test class, and the way to list and run classes."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""


class Server:
    """`dendro serve` on a fresh directory and a free port."""

    def __init__(self, *options):
        self.dir = tempfile.mkdtemp(prefix="dendro-wire-")
        self.options = options
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--data", os.path.join(self.dir, "db"), "--pg-port", "any", "--http-port", "0",
             *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "port " not in line:
            raise RuntimeError(f"the server does not start: {line}{self.process.stderr.read()}")
        self.port = int(line.split("port ")[1].split(":")[0])

    def stop(self):
        """Asks it to end, and is sure that it did so cleanly."""
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=60)
        if self.process.returncode != 0 or err:
            raise RuntimeError(f"the server ended with {self.process.returncode}: {out}{err}")

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.dir, ignore_errors=True)


class ServerTest(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.stop()
        finally:
            cls.server.remove()


def main(module):
    global PROGRAM
    classes = [name for name, value in vars(module).items()
               if isinstance(value, type) and issubclass(value, unittest.TestCase) and value.__module__ == module.__name__
               and unittest.defaultTestLoader.getTestCaseNames(value)]  # a base of others has none of its own
    if sys.argv[1] == "--list":
        print("\n".join(classes))
        return
    PROGRAM = os.path.abspath(sys.argv[1])
    names = sys.argv[2:] or classes
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(getattr(module, n)) for n in names)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
