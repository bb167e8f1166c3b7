#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs a folder of small inputs into one file of test cases (tests/cases.h), and unpacks it.

    tools/cases.py unpack FILE.cases FOLDER     one file a case, named as the case; expected texts are left out
    tools/cases.py pack FOLDER FILE.cases       the other way; files in the order of their names

For fuzzing: unpack tests/io/corpus.cases, run the fuzzer on the folder, minimise it by coverage, pack it again:

    ./fuzz_yaml -set_cover_merge=1 -use_counters=0 minimal/ unpacked/ && tools/cases.py pack minimal/ tests/io/corpus.cases
"""
import re
import sys
from pathlib import Path


def unpack(source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    text = source.read_bytes()
    heads = list(re.finditer(rb"^=== (.*)\n", text, re.M))
    ends = [head.start() - 1 for head in heads[1:]] + [len(text) - 1]
    for head, end in zip(heads, ends):
        case = text[head.end() : end]
        refused = re.search(rb"(^|\n)--- refused\n", case)
        (folder / head[1].decode()).write_bytes(case[: refused.start()] if refused else case)
    return len(heads)


def pack(folder, target):
    files = sorted(path for path in folder.iterdir() if path.is_file())
    with target.open("wb") as out:
        for path in files:
            text = path.read_bytes()
            if re.search(rb"^(=== |--- refused\n)", text, re.M):
                sys.exit(f"{path}: a line of it would separate cases")
            out.write(b"=== " + path.name.encode() + b"\n" + text + b"\n")
    return len(files)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    do = {"pack": pack, "unpack": unpack}[sys.argv[1]]
    print(do(Path(sys.argv[2]), Path(sys.argv[3])), "cases")


if __name__ == "__main__":
    main()
