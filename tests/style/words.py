#!/usr/bin/env python3
"""Finds words that read like a translation: words.py TREE prints a line for each one in a comment or a message, or in
the text of a document or a manual page.

A plain word of the list below that is right in its place is written so that the pattern does not match."""
import pathlib
import re
import sys

# pattern, what to write instead
WORDS = [
    (r"^//\s*What (?!to\b)", "say what it is: `The result of a stage`, not `What a stage makes`"),
    (r"(?<!left )(?<!leave )(?<!leaves )\bbehind\b", "after"),
    (r"(?<![Tt]here )\bis no (?!longer\b|more\b|wider\b)", "is not a"),
    (r"(?<![Tt]here )\bare no (?!longer\b|more\b)", "are not"),
    (r"\b(?:tell|tells|told)\b", "report, print, say"),
    (r"\bnobody\b", "no process, nothing"),
    (r"\banew\b", "again"),
    (r"\bas (?:it|they) (?:is|are) made\b", "with its default value"),
    (r"\basked for\b", "requested"),
    (r"\bone behind the other\b", "one after the other"),
    (r"\bhas (?:lt|it) no\b", "lt does not have"),
    (r"\b(?:begin|Begin) of\b", "start of"),
    (r"\bgoes on\b", "continues"),
    (r"\b[Cc]olour", "color"),
]
SUFFIXES = (".cpp", ".h", ".c", ".y", ".re", ".stp", ".in")
TEXT = re.compile(r"""//[^\n]*(?:\n\s*//[^\n]*)*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'""", re.S)
RULES = [(re.compile(pattern), instead) for pattern, instead in WORDS]


def words(path, tree):
    text = path.read_text()
    for found in TEXT.finditer(text):
        piece = found.group(0)
        # a comment of several lines is one text, so that a phrase across a line end is found
        plain = re.sub(r"\n\s*//+", "", piece) if piece.startswith("//") else piece
        if piece.startswith('"') and " " not in piece:
            continue
        for rule, instead in RULES:
            hit = rule.search(plain)
            if hit:
                line = text.count("\n", 0, found.start()) + 1
                print(f"{path.relative_to(tree)}:{line}: `{hit.group(0).strip()}`: {instead}")


# In documents, code and outputs are left out.
CODE = re.compile(r"```.*?```|`[^`]*`", re.S)


def words_of_document(path, tree):
    plain = path.read_text()
    if path.suffix == ".md":
        plain = CODE.sub(lambda code: "\n" * code.group(0).count("\n"), plain)
    for rule, instead in RULES:
        for hit in rule.finditer(plain):
            line = plain.count("\n", 0, hit.start()) + 1
            print(f"{path.relative_to(tree)}:{line}: `{hit.group(0).strip()}`: {instead}")


tree = pathlib.Path(sys.argv[1])
for path in sorted((tree / "src").rglob("*")):
    if path.suffix in SUFFIXES:
        words(path, tree)
# docs/tools.md is made from the tools.
for path in sorted([tree / "README.md", tree / "tests/README.md", tree / "tests/vm/README.md", *(tree / "docs").rglob("*.md"),
                    *(tree / "man").iterdir()]):
    if path.name != "tools.md":
        words_of_document(path, tree)
