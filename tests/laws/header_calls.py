#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C file that calls every function of the public header, for tests/laws/test_null.c.

    header_calls.py include/cleave/cleave.h OUT.h

A function that is added to the header is called without anybody thinking of it.  How each argument is made:
objects (clv_model *, clv_sim *, clv_ensemble *) are the situation's; other pointers are NULL or a room full of zeros; a place for a new
object is NULL or a local pointer; whole numbers are the situation's; lengths are 0 and numbers NaN.
"""
import re
import sys


def functions(header):
    """(return type, name, [parameter type]) of every CLV_API function."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    for result, name, parameters in re.findall(r"CLV_API\s+([^;(){}]*?)\b(clv_\w+)\(([^;{}]*?)\)\s*;", text):
        parameters = [] if parameters.strip() == "void" else parameters.split(",")
        yield result.strip(), name, [type_of(p) for p in parameters]


def type_of(parameter):
    """`const double gravity[3]` -> `const double *`; names are dropped."""
    parameter = re.sub(r"\b\w+\s*\[\w*\]\s*$", "*", " ".join(parameter.split()))
    return re.sub(r"\s*\b(?!const\b|int\b|double\b|size_t\b|bool\b|long\b)\w+$", "", parameter).strip() \
        if not parameter.endswith("*") else parameter


def argument(kind):
    bare = kind.replace("const ", "").replace(" ", "")
    if bare in ("clv_model*", "clv_sim*", "clv_ensemble*"):
        return f"at->{bare[4:-1]}"
    if bare in ("clv_model**", "clv_sim**", "clv_ensemble**"):
        return f"at->room ? &at->new_{bare[4:-2]} : NULL"
    if bare in ("clv_linear*", "clv_linear**", "clv_derivatives*", "clv_derivatives**", "clv_sensitivity*",
                "clv_sensitivity**"):
        return "NULL"  # made by the library alone
    if bare == "char*" and kind.startswith("const"):
        return "at->room ? \"x\" : NULL"
    if "*" in kind or bare.endswith("_fn"):
        return "at->room" if "*" in kind else "NULL"
    if bare == "double":
        return "NAN"
    if bare in ("size_t", "bool"):
        return "0"
    return f"({kind})at->number"


def row(result, name, parameters):
    call = f"{name}({', '.join(argument(p) for p in parameters)})"
    bare = result.replace("const ", "").replace(" ", "")
    what = {"clv_status": "STATUS", "double": "NUMBER", "void": "NOTHING"}.get(bare)
    if what is None:
        what = ("RECORD" if bare == "clv_error*" else "POINTER" if "*" in bare else
                "NOTHING" if bare.endswith("_desc") or bare.endswith("_options") else "WHOLE")
    store = {"STATUS": "at->status = {};", "NUMBER": "at->real = {};", "POINTER": "at->pointer = {};",
             "RECORD": "at->pointer = {};", "WHOLE": "at->whole = (long long){};", "NOTHING": "(void){};"}[what]
    objects = {p.replace("const ", "").replace(" ", "") for p in parameters}
    of = next((o for o in ("SIM", "MODEL", "ENSEMBLE") if f"clv_{o.lower()}*" in objects), "NONE")
    pointers = sum("*" in p for p in parameters)
    return (f"static void call_{name}(situation *at)\n{{\n    (void)at;\n    {store.format(call)}\n}}\n",
            f'    {{"{name}", {what}, OF_{of}, {pointers}, call_{name}}},\n')


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = file.read()
    rows = [row(*f) for f in functions(header)]
    declared = len(re.findall(r"^CLV_API\b", header, flags=re.M))
    assert len(rows) == declared, f"{len(rows)} of {declared} functions understood"
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("/* Written by tests/laws/header_calls.py from include/cleave/cleave.h. */\n")
        out.write("".join(r[0] for r in rows))
        out.write("static const function all_functions[] = {\n" + "".join(r[1] for r in rows) + "};\n")


main()
