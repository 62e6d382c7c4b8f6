#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test of the console: run.py NAME DENDRO [--shots]. NAME is a file test_….mjs, or types, or missing."""
import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WEB = os.path.join(ROOT, "web")
WORK = os.path.join(ROOT, "build", "web-test")

spec = importlib.util.spec_from_file_location("web_build", os.path.join(WEB, "build.py"))
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


def packages():
    """The npm packages, those of the tests too, once for all build directories."""
    os.makedirs(WORK, exist_ok=True)
    with open(os.path.join(WORK, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build.install(shutil.which("npm"), WORK, everything=True)
    return os.path.join(WORK, "node_modules")


def types():
    """The sources are right for a strict compiler."""
    modules = packages()
    with tempfile.TemporaryDirectory(dir=WORK) as here:
        shutil.copytree(os.path.join(WEB, "src"), os.path.join(here, "src"))
        shutil.copy(os.path.join(WEB, "tsconfig.json"), here)
        subprocess.run(["node", os.path.join(modules, "typescript", "bin", "tsc"), "-p", here], check=True)


def missing():
    """Without Node.js, without npm's packages, or switched off, the list is empty and says why; `enabled` insists."""
    cases = [(["--npm", "npm"], "Node.js was not there"), (["--node", "node"], "npm was not there"),
             (["--node", "node", "--npm", "npm", "--mode", "disabled"], "-Dconsole=disabled"),
             (["--node", "node", "--npm", "false"], "npm could not install")]
    with tempfile.TemporaryDirectory() as there:
        table, code = os.path.join(there, "a.c"), os.path.join(there, "a.S")
        for args, why in cases:
            command = [sys.executable, os.path.join(WEB, "build.py"), "--work", os.path.join(there, "w"), *args]
            subprocess.run([*command, table, code], check=True, stderr=subprocess.DEVNULL)
            text = build.read(table)
            if why not in text or "{.name = NULL}" not in text or "http_console_asset0" in text + build.read(code):
                raise SystemExit(f"{args}: {text}")
            if "disabled" not in args and subprocess.run([*command, "--mode", "enabled", table, code], check=False,
                                                         stderr=subprocess.DEVNULL).returncode == 0:
                raise SystemExit(f"{args}: enabled did not insist")


def main():
    name, *rest = sys.argv[1:]
    if name in ("types", "missing"):
        {"types": types, "missing": missing}[name]()
        return
    env = {**os.environ, "DENDRO_WEB_MODULES": packages(), "DENDRO": os.path.abspath(rest[0])}
    if "--shots" in rest:
        env["DENDRO_WEB_SHOTS"] = os.path.join(ROOT, "docs", "images")
    os.execvpe("node", ["node", os.path.join(HERE, name + ".mjs")], env)


if __name__ == "__main__":
    main()
