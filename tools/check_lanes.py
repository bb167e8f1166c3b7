#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the objects of the lane sources (src/engine/kernels.h): every name they give to others ends in _WIDTH, they call nothing but
one another, memcpy, memmove and memset, wide registers occur where they belong, and no fused operation does.
Use: check_lanes.py WIDTH OBJECT..., with the objects of one width.  Exit code 77 (skipped): no objdump or nm here."""
import re
import shutil
import subprocess
import sys

LIBC = {"memcpy", "memmove", "memset"}
# what the checkers and gcov add to any object
ADDED = re.compile(r"__(asan|ubsan|tsan|gcov|sanitizer)_|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|llvm_gcov|__llvm|__start___|__stop___|mangled_path")
WIDEST = {1: 128, 2: 128, 4: 256, 8: 512}  # bits of a register
FUSED = re.compile(r"\tv?fn?m(add|sub)\w*|\tfml[as]\b|\tfn?m(add|sub)\b")


def output(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def names(objects: list[str]):
    """What the objects give and what they take."""
    given, taken = set(), set()
    for line in output("nm", "-g", *objects).splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[-2]) == 1:
            (taken if words[-2] in "Uw" else given).add(words[-1])
    return given, taken


def faults(width: int, objects: list[str]):
    given, taken = names(objects)
    if f"clv_kernels_{width}" not in given:
        yield f"the table clv_kernels_{width} is missing"
    for name in sorted(given):
        if not name.endswith(f"_{width}") and not ADDED.search(name):
            yield f"{name} has no _{width} at its end: make it static, or CLV_LANE({name})"
    for name in sorted(taken - given - LIBC):
        if not ADDED.search(name):
            yield f"{name} is called, outside of lane sources"
    for path in objects:
        text = output("objdump", "-d", "--no-show-raw-insn", path)
        for match in sorted({m[0].strip() for m in FUSED.finditer(text)}):
            yield f"{path}: fused operation {match}"
        for bits, register in ((256, "%ymm"), (512, "%zmm")):
            if bits > WIDEST[width] and register in text:
                yield f"{path}: {register} in the kernels of width {width}"


def main() -> int:
    width, objects = int(sys.argv[1]), sys.argv[2:]
    if not (shutil.which("nm") and shutil.which("objdump")):
        print("no nm or objdump here: not checked")
        return 77
    if not objects:
        print("no objects", file=sys.stderr)
        return 1
    found = list(faults(width, objects))
    print("\n".join(found) or f"lanes: {len(objects)} objects of width {width} keep to themselves")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
