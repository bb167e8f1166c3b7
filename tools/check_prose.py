#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the language of documents, comments and messages: no sentence of more than 30 words, and no word of the list
PRIVATE, where the field has a word of its own (docs/glossary.md).  tools/prose_floor.txt holds the counts of every file
that has such sentences or words.  A count may fall and not rise; a file that is not listed has none.  Marks that a
merge has left are found, too.

    tools/check_prose.py                 compare with the recorded counts
    tools/check_prose.py --list FILE...  print the sentences and words of these files
    tools/check_prose.py --record        record the present counts
"""
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FLOOR = ROOT / "tools" / "prose_floor.txt"
LONGEST = 30  # words of a sentence
MARK = re.compile(r"^(<{7}|\|{7}|>{7})( |$)", re.MULTILINE)
TEXTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "src/README.md", "docs/*.md")
SOURCES = ("include/cleave/*.h", "src/**/*.[ch]")

# (pattern, the field's word)
PRIVATE = [
    (r"(?<!degrees of )(?<!degree of )(?<!degree%s of )(?<!degrees-of-)(?<!degree-of-)\bfreedoms?\b", "degree of freedom"),
    (r"\bgaps?\b|\bgaped\b", "constraint violation"),
    (r"\b(tell|tells|told)\b", "report, show"),
    (r"\b(want|wants|wanted)\b", "require"),
    (r"\b(asks?|asked|asking)\b", "request"),
    (r"\b(feel|feels|felt|cling|clings)\b|\bdoes not mind\b|\blets? go\b", "plain words"),
    (r"\bthat (is|are) none\b(?! of)|\bthese bytes are none\b|\bnumber that is no\b", "invalid"),
    (r"\b(dear|dearer|dearest)\b", "expensive"),
    (r"\b(joint|global|start) places\b|\btheir places\b|\btake places\b", "position"),
    (r"\b(rate|angle|axis|velocity|matrix) of turning\b|\bturning (axis|axes|rate)\b|\bturning without\b", "rotation, angular rate"),
    (r"\bshifts?\b(?! (factor|register|by one))", "translation, displacement"),
    (r"\b\d (shifts|turns)\b|\b(tilts?|turns) [xyz]\b", "rotation, translation"),
    (r"\bwrong use\b|\bbad model\b|\bword is missing\b", "usage error, invalid model, missing argument"),
    (r"\brefused by name\b|\bby name so far\b", "not supported"),
    (r"\b(fade|fades|fading)\b", "decay"),
    (r"\bgo(es)? on\b|\bgoing on\b|\bwent on\b", "continue"),
    (r"\b(stand|stands|stood) still\b|\bhangs? on\b|\bhanging on\b", "rest, be attached"),
    (r"\b(buys|bought|pays for)\b", "plain words"),
    (r"\bclosings?\b(?= (joint|row|wrench|impulse|loops))|\b(a|the|of|each|every|its|all) closings?\b|\bclosings\b", "loop joint"),
    (r"\bports?\b", "handle"),
    (r"\b(riding|rides|whatever became)\b", "plain words"),
]
# (file pattern, text): phrases in which a listed word has its ordinary meaning
ALLOWED = [
    (r"docs/glossary\.md", r"in code also: (gap|port|closing)"),
    (r"(src|include)/.*", r"\b(ports?|closings?)\b"),  # words of the code, as clv_part.nport (docs/glossary.md)
    (r"src/base/hash\.h", r"followed by a shift"),
    (r"src/cli/command_completion\.c", r"^ *shift words$"),  # a command of the shell
    (r".*", r"\bgaps? (between|of the table|in (the )?(time|numbers|records?))"),
]


class Fault(NamedTuple):
    line: int
    kind: str  # "long" or "private"
    text: str


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of every paragraph, item, heading and cell of a table; code is left out."""
    fenced, block, start = False, [], 0

    def flush():
        nonlocal block
        if block:
            yield start, " ".join(block)
        block = []
    blank = True
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            yield from flush()
            fenced, blank = not fenced, True
            continue
        if fenced or (line.startswith("    ") and blank):
            continue
        bare = line.strip()
        blank = not bare
        if not bare or bare.startswith(("#", "|", ">")):
            yield from flush()
            if bare.startswith("|"):
                yield from ((number, cell.strip()) for cell in re.split(r"(?<!\\)\|", bare))
            elif bare:
                yield number, bare.lstrip("#> ")
            continue
        item = re.match(r"([-*]|\d+\.) ", bare)
        if item:
            yield from flush()
            bare = bare[item.end():]
        if not block:
            start = number
        block.append(bare)
    yield from flush()


def c_texts(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of every comment, and of every message: a string, with those that follow it at once."""
    string = r'"(?:\\.|[^"\\\n])*"'
    for match in re.finditer(rf"/\*.*?\*/|//[^\n]*|{string}(?:\s*(?:PRI\w+\s*)?{string})*|'(?:\\.|[^'\\\n])*'", text, flags=re.S):
        found, line = match[0], text.count("\n", 0, match.start()) + 1
        if found[0] == "'":
            continue
        if found[0] == '"':
            found = "".join(part[1:-1] for part in re.findall(string, found)).replace("\\n", "\n").replace('\\"', '"')
            json = re.compile(r'"\w+": [\[{"]')
            yield from ((line, piece) for piece in found.split("\n") if " " in piece and not json.search(piece))
        else:
            yield from ((line, piece) for piece in comment_texts(found))


def comment_texts(comment: str) -> Iterator[str]:
    """Paragraphs of a comment, items of its lists, and its displayed formulas and tables (indented), cell by cell."""
    block, deep = "", False
    for line in re.sub(r"^/[*/]|\*/$|SPDX-.*", "", comment).split("\n"):
        text = re.sub(r"^\s*\*? ?", "", line)
        bare, item = text.strip(), text.lstrip().startswith("- ")
        if not bare or item or text.startswith("  ") != deep:
            yield from cells(block)
            block = ""
        deep = item or text.startswith("  ")
        block += f"{text}\n"
    yield from cells(block)


def cells(block: str) -> Iterator[str]:
    """Cells of a table or formula: three spaces or a bar end one."""
    for cell in re.split(r"(?<=\S) {3,}| \|(?= |$)", block, flags=re.M):
        if cell.strip():
            yield " ".join(cell.split())


def sentences(text: str) -> Iterator[str]:
    text = re.sub(r"`[^`]*`", "Code", text)
    text = re.sub(r'<a href="#[^"]*">[^<]*</a>', "Link", text)  # an index of the page
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|cf|vs|resp|Fig|eq|no)\. ", r"\1 ", text)
    names = r"clv_|CLV_|hdca|dca|aldca|index3|massmatrix|connection|dop|adams|bdf|true|false|nu |libyaml"
    for sentence in re.split(rf"(?<=[.!?])[)\"'*]*\s+(?=[\"'(*]*(?:[A-Z0-9]|{names}))", text):
        if not sentence.startswith("Errors"):  # of a function: a list
            yield sentence


def words(sentence: str) -> int:
    return sum(1 for word in sentence.split() if re.search(r"[A-Za-z]{2}|^[aAI]$", word))


def faults(name: str) -> list[Fault]:
    text = (ROOT / name).read_text(encoding="utf-8")
    found = []
    for line, piece in markdown(text) if name.endswith(".md") else c_texts(text):
        for sentence in sentences(piece):
            if words(sentence) > LONGEST:
                found.append(Fault(line, "long", f"{words(sentence)} words: {sentence}"))
        plain = re.sub(r"`[^`]*`", "Code", piece)
        for pattern, phrase in ALLOWED:
            if re.fullmatch(pattern, name):
                plain = re.sub(phrase, "", plain, flags=re.I)
        for pattern, better in PRIVATE:
            for match in re.finditer(pattern, plain, flags=re.I):
                around = plain[max(0, match.start() - 50):match.end() + 40]
                found.append(Fault(line, "private", f"'{match[0]}' ({better}): ...{around}..."))
    return found


def files() -> list[str]:
    paths = {path for pattern in TEXTS + SOURCES for path in ROOT.glob(pattern)}
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def counts(name: str) -> tuple[int, int]:
    found = faults(name)
    return sum(f.kind == "long" for f in found), sum(f.kind == "private" for f in found)


def recorded() -> dict[str, tuple[int, int]]:
    lines = FLOOR.read_text(encoding="utf-8").splitlines() if FLOOR.exists() else []
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return {name: (int(long), int(private)) for name, long, private in rows}


def record() -> int:
    rows = [(name, *counts(name)) for name in files()]
    body = "".join(f"{name} {long} {private}\n" for name, long, private in rows if long or private)
    FLOOR.write_text("# file, sentences of more than 30 words, private words: counts that may not rise (tools/check_prose.py)\n" + body,
                     encoding="utf-8")
    return 0


def compare() -> int:
    limits, bad, total = recorded(), [], [0, 0]
    for name in files():
        if MARK.search((ROOT / name).read_text(encoding="utf-8")):
            bad.append(f"{name}: marks of a merge")
        found, limit = counts(name), limits.get(name, (0, 0))
        total = [a + b for a, b in zip(total, found)]
        for kind, now, most in zip(("long", "private"), found, limit):
            if now > most:
                bad.append(f"{name}: {now} {'long sentences' if kind == 'long' else 'private words'}, {most} recorded:")
                bad += [f"  {name}:{f.line}: {f.text}" for f in faults(name) if f.kind == kind]
    print("\n".join(bad) or f"prose: {total[0]} long sentences and {total[1]} private words, none new")
    return 1 if bad else 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--list"]:
        for name in arguments[1:]:
            print("\n".join(f"{name}:{f.line}: {f.kind}: {f.text}" for f in faults(name)))
        return 0
    if arguments not in ([], ["--record"]):
        print(__doc__, file=sys.stderr)
        return 1
    return record() if arguments else compare()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
