#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that src/model/fingerprint.c says something of every field of the model: each struct of model.h and flex.h
(and of the shapes in cleave.h) has a function add_STRUCT there, which names each of its fields.  A field that is added
to the model and forgotten there would let a saved state of another model pass.  Run as the CTest test
`model/fingerprint_fields`."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ["src/model/model.h", "src/model/flex.h", "include/cleave/cleave.h"]
OTHERS = {"clv_place", "clv_dropped", "clv_visual"}  # no content that a motion depends on


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def fields_of(body: str):
    """Names declared in the braces of a struct."""
    for declaration in body.split(";"):
        if not declaration.strip():
            continue
        for part in declaration.split(","):
            name = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$|\(\*(\w+)\)", part.strip())
            if name:
                yield name[1] or name[3]


def structs(text: str):
    for match in re.finditer(r"struct (\w+) \{(.*?)\}", without_comments(text), flags=re.S):
        yield match[1], list(fields_of(match[2]))


def function_of(name: str, source: str):
    match = re.search(rf"^static uint64_t add_{name}\(.*?^\}}", source, flags=re.S | re.M)
    return match[0] if match else None


def reachable(declared, name, seen):
    """The structs of the model: clv_model and what the fields of each are made of."""
    seen.add(name)
    for other in declared[name][1]:
        if other in declared and other not in seen and other not in OTHERS:
            reachable(declared, other, seen)
    return seen


def main() -> int:
    source = without_comments((ROOT / "src/model/fingerprint.c").read_text())
    declared = {}
    for header in HEADERS:
        text = without_comments((ROOT / header).read_text())
        for name, fields in structs(text):
            body = re.search(rf"struct {name} \{{(.*?)\}}", text, flags=re.S)[1]
            declared[name] = fields, re.findall(r"\bclv_\w+\b", body)
    faults = []
    model = reachable(declared, "clv_model", set()) - {"clv_error", "clv_parameter"}
    for name in sorted(model):
        function = function_of(name, source)
        if not function:
            faults.append(f"{name}: fingerprint.c has no function add_{name}")
            continue
        for field in declared[name][0]:
            if not re.search(rf"(ADD\w*|PASS)\((\w+, )?{field}\b|x->{field}\b", function):
                faults.append(f"{name}.{field}: not in add_{name}; ADD it, or PASS it with a reason")
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{len(model)} structs: {', '.join(sorted(model))}")
    return 1 if faults or len(model) < 9 else 0


if __name__ == "__main__":
    sys.exit(main())
