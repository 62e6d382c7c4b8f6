#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in one of its first two lines."""

from checklib import expect, files, main, read

SUFFIXES = (".c", ".h", ".y", ".re", ".l", ".py", ".sh", ".awk", "meson.build", "meson_options.txt")
TAG = "SPDX-License-Identifier: Apache-2.0"


def check(root):
    paths = files(root, ["."], SUFFIXES)
    return [f"{path}: no '{TAG}' in its first two lines" for path in paths
            if not any(TAG in line for line in read(root, path).splitlines()[:2])]


def self_test():
    expect(check, {"src/a.c": "/* " + TAG + " */\n", "x.py": "#!/usr/bin/env python3\n# " + TAG + "\n"})
    expect(check, {"src/a.c": "int x;\n"}, r"src/a\.c: no 'SPDX")
    expect(check, {"src/a.h": "\n\n/* " + TAG + " */\n"}, r"src/a\.h")
    expect(check, {"src/meson.build": "x = 1\n"}, r"meson\.build")


if __name__ == "__main__":
    main(__doc__, check, self_test)
