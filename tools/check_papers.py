#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the ledger docs/papers.md.

    tools/check_papers.py                        names: every equation, figure and table of the papers has a row; every
                                                 file, T-number, function and test that is named exists; every row that
                                                 claims something cites a check
    tools/check_papers.py --build BUILD          and runs the checks marked `everyday`
    tools/check_papers.py --build BUILD --full   runs all of them, the tests it cites too; what is `timed` is told, and
                                                 fails no run, for it depends on the machine and on who else uses it
    tools/check_papers.py --build BUILD --timed  runs those that are `timed`, on an idle machine, and they must hold
    --only ID ...                                these checks alone

A check is a command with a number: an expression over the JSON object that the command prints (members are names;
`exit` is the exit status), or a /pattern/ with one group in what a test prints.  It holds if the number of this run and
the recorded one both lie in what the row accepts: `<= X`, `>= X`, `= X`, `+- X` (absolute), `X %` or `x F` (a factor)
about the recorded one.  Standard library only."""
import argparse
import json
import math
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "studies"))

import symplectic_study  # noqa: E402

PAGE = ROOT / "docs/papers.md"
VERDICTS = ("holds", "does not hold", "not comparable", "not yet in the program", "deferred", "definition")
ROW = ("paper", "where", "check", "theirs", "ours", "verdict")
CHECK = ("id", "command", "number", "recorded", "accepts", "when")
WHEN = ("everyday", "full", "timed")
NEEDS_NO_CHECK = ("not comparable", "not yet in the program", "deferred", "definition")
SOURCES = ("src", "include", "tests", "tools", "studies", "bench", "cmake")
ID = re.compile(r"\b[A-Z]{1,2}\d+\b")


class Fault(Exception):
    pass


# ------------------------------------------------------------------ the page


def tables(text):
    """(section, header cells, line number, cells) of every table row of the page."""
    section, header = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            section = line[3:].split(":")[0].strip()
        if not line.startswith("|"):
            header = None
            continue
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if header is None:
            header = cells
        elif not all(re.fullmatch(r":?-+:?", c) for c in cells):
            yield section, header, number, cells


def covered(text):
    """Items such as '(12)', 'Fig. 3' named by a text like '(12)-(14), Fig. 3'."""
    items = set()
    for first, last in re.findall(r"\((\d+(?:\.\d+)?)\)(?:-\((\d+(?:\.\d+)?)\))?", text):
        chapter, low = first.split(".") if "." in first else ("", first)
        high = (last or first).split(".")[-1]
        items |= {f"({chapter}{'.' if chapter else ''}{k})" for k in range(int(low), int(high) + 1)}
    for kind, first, last in re.findall(r"(Fig\.|Table|Alg\.) (\d+)(?:-(\d+))?", text):
        items |= {f"{kind} {k}" for k in range(int(first), int(last or first) + 1)}
    return items


def read_page():
    """Rows of the ledger, checks by id, faults of form."""
    text = PAGE.read_text(encoding="utf-8")
    rows, checks, faults = [], {}, []
    for section, header, number, cells in tables(text):
        if header[0] == "paper":
            if len(cells) != 6:
                faults.append(f"line {number}: {len(cells)} cells, a row has 6")
                continue
            rows.append(dict(zip(ROW, cells), section=section, line=number))
        elif header[0] == "check":
            if len(cells) != 6:
                faults.append(f"line {number}: {len(cells)} cells, a check has 6")
                continue
            check = dict(zip(CHECK, cells), line=number)
            if check["when"] not in WHEN:
                faults.append(f"line {number}: '{check['when']}' is none of {', '.join(WHEN)}")
            if check["id"] in checks:
                faults.append(f"line {number}: check {check['id']} twice")
            checks[check["id"]] = check
    return text, rows, checks, faults


# ------------------------------------------------------------------ names


def coverage_faults(text, rows):
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        name = section.split(":")[0].strip()
        promised = re.search(r"^Covers: (.*)$", section, flags=re.M)
        if promised:
            found = set()
            for row in rows:
                if row["section"] == name:
                    found |= covered(row["paper"].split(":")[0])
            for item in sorted(covered(promised[1]) - found):
                yield f"{name}: {item} has no row"


def row_faults(rows, checks):
    cited = set()
    for row in rows:
        at = f"line {row['line']}"
        ids = set(ID.findall(row["check"]))
        cited |= ids
        verdict = row["verdict"].replace("*", "")
        if not verdict.startswith(VERDICTS):
            yield f"{at}: the verdict must begin with one of: {', '.join(VERDICTS)}"
        if not ids and not verdict.startswith(NEEDS_NO_CHECK):
            yield f"{at}: '{verdict[:20]}' without a check"
        if verdict.startswith(("not comparable", "does not hold", "deferred")) and not re.search(r"[,:;] ", verdict):
            yield f"{at}: a reason is wanted behind '{verdict[:20]}'"
        for name in sorted(ids - set(checks)):
            yield f"{at}: there is no check {name}"
    for name in sorted(set(checks) - cited):
        yield f"line {checks[name]['line']}: no row cites check {name}"


def heading_faults():
    """Sections that a page of docs/ has twice: an old one beside the new one."""
    for page in sorted((ROOT / "docs").glob("*.md")):
        headings = re.findall(r"^#+ .+$", page.read_text(encoding="utf-8"), flags=re.M)
        for heading in sorted({h for h in headings if headings.count(h) > 1}):
            yield f"docs/{page.name} has two sections '{heading.lstrip('# ')}'"


def name_faults(text):
    theory = (ROOT / "docs/theory.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^#+ (T\d+)\b", theory, flags=re.M))
    for first, last in set(re.findall(r"\bT(\d+)(?:-T(\d+))?\b", text)):
        for k in range(int(first), int(last or first) + 1):
            if f"T{k}" not in known:
                yield f"T{k} is not in docs/theory.md"
    program = "\n".join(p.read_text(encoding="utf-8", errors="replace")
                        for folder in SOURCES for p in sorted((ROOT / folder).rglob("*"))
                        if p.suffix in (".c", ".h", ".py", ".cmake", ".sh") and p != Path(__file__).resolve())
    for token in sorted(set(re.findall(r"`([^`\n]+)`", text)) | set(re.findall(r"\]\(([^)#:]+)\)", text))):
        if re.fullmatch(r"(src|include|tests|tools|studies|bench|docs|examples|cmake)/[\w./-]+", token):
            if not (ROOT / token).exists():
                yield f"{token} does not exist"
        elif re.fullmatch(r"[\w-]+\.md|figures/[\w.-]+", token):
            if not (ROOT / "docs" / token).exists():
                yield f"docs/{token} does not exist"
        elif re.fullmatch(r"\w*_\w+", token) and not re.search(rf"\b{re.escape(token)}\b", program):
            yield f"{token} occurs nowhere in {', '.join(SOURCES)}"
        elif re.fullmatch(r"--[a-z-]+", token) and f'"{token[2:]}"' not in program:
            yield f"there is no option {token}"


def test_faults(checks, build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    names = set(re.findall(r"^ *Test +#\d+: (.+)$", listed, flags=re.M))
    for check in checks.values():
        words = shlex.split(check["command"].strip("`"))
        if words[0] == "ctest" and words[1] not in names:
            yield f"line {check['line']}: there is no test {words[1]}"


# ------------------------------------------------------------------ commands


class Record(dict):
    """A JSON object whose members are attributes."""
    __getattr__ = dict.__getitem__


def pairs(work, **wanted):
    """[(run of hdca, run of dca)] of bench_paper_hdca whose members have the wanted values."""
    chosen = [w for w in work if all(w[k] == v for k, v in wanted.items())]
    return list(zip(*([w for w in chosen if w.formulation == f] for f in ("hdca", "dca"))))


def at(tolerance, runs):
    """Those of `pairs` at that tolerance."""
    return [(h, d) for h, d in runs if abs(h.tolerance / tolerance - 1) < 1e-6]


def ranked(work, formulation, integrator, choose, tightest=1):
    """In how many cases and tolerances up to `tightest` the integrator needs the fewest (min), most (max) evaluations."""
    runs = {}
    for w in work:
        if w.setting == "paper" and w.formulation == formulation and w.tolerance <= 1.0001 * tightest:
            runs.setdefault((w.case, w.tolerance), {})[w.integrator] = w.evaluations
    return sum(r[integrator] == choose(r.values()) for r in runs.values())


def growth(t, y):
    """Exponent of the largest |y| so far between t = 1 and 10."""
    one, ten = (max(abs(b) for a, b in zip(t, y) if a <= end + 1e-9) for end in (1, 10))
    return math.log10(ten / one)


def slope_over_error(t, y):
    """Slope of y over t in units of its standard error."""
    slope, error = symplectic_study.trend(t, y)
    return slope / error


SAFE = {f.__name__: f for f in (pairs, at, ranked, growth, slope_over_error, max, min, abs, sum, len, all, any, zip, sorted,
                                math.log10)}


def arguments_of(command, build):
    words = shlex.split(command)
    if words[0] == "ctest":
        chosen = f"^{re.escape(words[1])}$"
        return ["ctest", "--test-dir", str(build), "-R", chosen, "-V", "--no-tests=error"]
    if words[0].startswith(("tools/", "studies/")):
        words = [str(ROOT / words[0]), *words[1:]]
        return [sys.executable, *words] if words[0].endswith(".py") else words
    return [str(build / words[0]), *words[1:]]


def run(command, build, done):
    """(exit status, JSON object or None) of a command; each runs once."""
    if command not in done:
        words = arguments_of(command, build)
        if "/" in words[0] and not Path(words[0]).exists():
            raise Fault(f"{words[0]} is not built (benches want -DBUILD_BENCH=ON)")
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=3600)
        try:
            printed = json.loads(result.stdout, object_hook=Record)
        except ValueError:
            printed = None
        done[command] = (result.returncode, printed, result.stdout + result.stderr)
    return done[command]


def accepted(accepts, recorded, value):
    words = accepts.replace(",", " ").split()
    if words[0] in ("<=", ">=", "="):
        bound = float(words[1])
        return {"<=": value <= bound, ">=": value >= bound, "=": value == bound}[words[0]]
    if words[0] == "+-":
        return abs(value - recorded) <= float(words[1])
    if words[0] == "x":
        return value == recorded or recorded / float(words[1]) <= value <= recorded * float(words[1])
    if words[1] == "%":
        return abs(value - recorded) <= float(words[0]) / 100 * abs(recorded)
    raise Fault(f"'{accepts}' is not understood")


def measure(check, build, done):
    code, printed, text = run(check["command"].strip("`"), build, done)
    number = check["number"].strip("`")
    if number == "exit":
        value = code
    elif number.startswith("/"):
        match = re.search(number.strip("/"), text)
        if code or not match:
            raise Fault(f"exit {code}, {'nothing' if not match else match[0]} matches {number}")
        value = match[1]
    elif printed is None:
        raise Fault(f"exit {code}, and no JSON: {text[-800:]}")
    else:
        try:
            value = eval(number, {"__builtins__": {}, **SAFE, **printed})
        except (NameError, AttributeError, TypeError) as fault:
            raise Fault(f"exit {code}, {fault}: {text[-800:]}") from fault
    if value is None or isinstance(value, float) and math.isnan(value):
        raise Fault(f"{number} is not a number")
    value, recorded = float(value), float(check["recorded"])
    for name, x in (("measured", value), ("recorded", recorded)):
        if not accepted(check["accepts"], recorded, x):
            shown = text[-2000:] if number == "exit" else ""
            raise Fault(f"{name} {x:.4g}, accepted {check['accepts']} (recorded {recorded:.4g})\n{shown}")
    return value


def chosen_checks(checks, wanted, only):
    for check in checks.values():
        if check["id"] in only if only else check["when"] in wanted:
            yield check


def run_checks(chosen, build, lenient):
    faults, done = 0, {}
    for check in chosen:
        try:
            value = measure(check, build, done)
            told = f"recorded {check['recorded']:>9}  {check['command'].strip('`')}"
            print(f"{check['id']:5} {value:10.4g}  {told}", flush=True)
        except (Fault, KeyError, ValueError, subprocess.TimeoutExpired) as fault:
            told = "MISSES, here and now" if lenient and check["when"] == "timed" else "FAILS"
            faults += told == "FAILS"
            print(f"{check['id']:5} {told}: {fault!s}\n      {check['command']}", flush=True)
    return faults


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--build", type=Path)
    arguments.add_argument("--full", action="store_true")
    arguments.add_argument("--timed", action="store_true")
    arguments.add_argument("--only", nargs="+", default=[])
    chosen = arguments.parse_args()
    text, rows, checks, faults = read_page()
    faults += [*coverage_faults(text, rows), *row_faults(rows, checks), *name_faults(text), *heading_faults()]
    build = chosen.build.resolve() if chosen.build else None
    if build:
        faults += test_faults(checks, build)
    for fault in faults:
        print(f"docs/papers.md: {fault}")
    wanted = WHEN if chosen.full else ("timed",) if chosen.timed else ("everyday",)
    failed = run_checks(chosen_checks(checks, wanted, chosen.only), build, lenient=chosen.full) if build else 0
    print(f"{len(rows)} rows, {len(checks)} checks; {len(faults)} faults of form, {failed} checks failed")
    return 1 if faults or failed else 0


if __name__ == "__main__":
    sys.exit(main())
