#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of src/func/text_shortest.c: the first 128 bits of 10^k, rounded up. Prints it; --check compares it with the file."""
import os
import re
import sys

FIRST, LAST = -292, 324


def power(k):
    shift = ((k * 1741647) >> 19) - 127  # floor(log2(10^k)) - 127
    over, under = 10 ** max(k, 0), 10 ** max(-k, 0)
    if shift >= 0:
        under <<= shift
    else:
        over <<= -shift
    return -(-over // under)


def main():
    table = [power(k) for k in range(FIRST, LAST + 1)]
    if "--check" in sys.argv[1:]:
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src", "func", "text_shortest.c")
        with open(path, encoding="utf-8") as f:
            found = [(int(a, 16) << 64) + int(b, 16) for a, b in re.findall(r"\{0x([0-9a-f]{16})u, 0x([0-9a-f]{16})u\}", f.read())]
        sys.exit(0 if found == table else f"{path}: the table is not what this script makes")
    for g in table:
        print(f"    {{0x{g >> 64:016x}u, 0x{g & (1 << 64) - 1:016x}u}},")


if __name__ == "__main__":
    main()
