#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_prose.py: what counts as a sentence, which words are found, and that counts may not rise."""
import importlib.util
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent.parent / "tools" / "check_prose.py"
spec = importlib.util.spec_from_file_location("check_prose", TOOL)
prose = importlib.util.module_from_spec(spec)
spec.loader.exec_module(prose)

LONG = "This " + "very " * 30 + "long sentence ends here."


class Prose(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        kept = prose.ROOT, prose.FLOOR
        self.addCleanup(lambda: (setattr(prose, "ROOT", kept[0]), setattr(prose, "FLOOR", kept[1])))
        prose.ROOT = Path(holder.name)
        prose.FLOOR = prose.ROOT / "floor.txt"
        for folder in ("src", "docs"):
            (prose.ROOT / folder).mkdir()

    def kinds(self, name, text):
        (prose.ROOT / name).write_text(text, encoding="utf-8")
        return [fault.kind for fault in prose.faults(name)]

    def test_long_sentences_of_a_page(self):
        self.assertEqual(self.kinds("docs/a.md", LONG + " Short one.\n"), ["long"])
        self.assertEqual(self.kinds("docs/a.md", "This " + "very " * 20 + "long. " + "Very " * 20 + "long.\n"), [])

    def test_code_tables_and_lists_are_apart(self):
        half = "word " * 20
        self.assertEqual(self.kinds("docs/a.md", f"| {half} | {half} |\n\n- {half}\n- {half}\n\n`{half * 2}`\n"), [])
        self.assertEqual(self.kinds("docs/a.md", f"```\n{half * 2}\n```\n\n    {half * 2}\n"), [])

    def test_private_words(self):
        self.assertEqual(self.kinds("docs/a.md", "The gap of two freedoms.\n"), ["private", "private"])
        self.assertEqual(self.kinds("docs/a.md", "Two degrees of freedom, `gap`.\n"), [])

    def test_comments_and_messages(self):
        self.assertEqual(self.kinds("src/a.c", '/* it wants this */\nfail("the model asks " "for more");\n'), ["private", "private"])
        self.assertEqual(self.kinds("src/a.c", f'fail("{LONG}"); /* {LONG} */\n'), ["long", "long"])
        self.assertEqual(self.kinds("src/a.c", "int told, gap; /* fine */\n"), [])

    def test_lists_and_displays_of_comments_are_apart(self):
        half = "word " * 20
        shown = f"/* {half}\n *   - {half}\n *   - {half}\n * {half} */\n/* {half}\n *   x = {half}\n * {half} */\n"
        self.assertEqual(self.kinds("src/a.c", shown), [])
        self.assertEqual(self.kinds("src/a.c", f"/*   {half} | {half} | {half} */\n"), [])
        self.assertEqual(self.kinds("src/a.c", f"/* - {half}\n *     {half} */\n/* {half}\n * {half} */\n"), ["long", "long"])

    def test_code_in_strings_is_no_sentence(self):
        pairs = ", ".join('\\"key\\": [\\"value\\"]' for _ in range(40))
        self.assertEqual(self.kinds("src/a.c", f'emit("{{{pairs}}}");\n'), [])
        self.assertEqual(self.kinds("src/a.c", 'printf("%d degree%s of freedom");\n'), [])
        self.assertEqual(self.kinds("src/a.c", "/* Ports of a part, its PORTS */\n"), [])

    def test_counts_may_not_rise(self):
        self.kinds("docs/a.md", "The gap.\n")
        self.assertEqual(prose.compare(), 1)
        prose.record()
        self.assertEqual(prose.compare(), 0)
        self.kinds("docs/a.md", "The gap. " + LONG + "\n")
        self.assertEqual(prose.compare(), 1)
        self.kinds("docs/a.md", "Plain.\n")
        self.assertEqual(prose.compare(), 0)


if __name__ == "__main__":
    unittest.main()
