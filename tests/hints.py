#!/usr/bin/env python3
"""Compiles every program, or piece of one, that a hint in lt's source shows: tests/hints.py LT KERNEL.

A string of the source that has a probe with its block, or a statement with one, is a program: of SystemTap where it
begins with `probe`. What stands for something (PORT, NAME, ...) is replaced by what there is. Prints each program with
what became of it."""
import pathlib
import re
import subprocess
import sys

lt, kernel = sys.argv[1:3]
tree = pathlib.Path(__file__).resolve().parent.parent

# What stands for something else in these texts.
stands_for = [
    (r"\bPORT\b", "80"), (r"\bFUNCTION\b", "vfs_read"), (r"\bNAME\b", "vfs_read"), (r"\bN\b", "3"),
    (r"@to, ", "$to, "), (r"\\n", "\\\\n"),
]
literal = r'"(?:[^"\\]|\\.)*"'
hint = re.compile(r"(?:\bhint\s*=|\bhint =|string_view \w+ =|Row\{)[^;{}]*?((?:%s\s*)+)" % literal)
probe = re.compile(r"probe [a-z_.]+(?:\([^)]*\))?[a-z_.()\"0-9]* (?:if \([^)]*\) )?\{.*\}")
event = r"[a-z]{1,12}:[^ {<]+"
action = re.compile(r"(?<![\w'])(?:%s(?: -> %s)*|BEGIN|END)(?: /[^/]+/)? (?:\{.*\}|<.*>(?: timeout \w+ \{.*\})?)" % (event, event))
statement = re.compile(r"(?:for|while|unroll) ?\([^{]*\) \{.*\}|config = \{.*\}")
line = re.compile(r"lt -e '([^']*)'")


def texts(source):
    for found in hint.finditer(source):
        parts = re.findall(literal, found.group(1))
        yield "".join(part[1:-1] for part in parts).replace('\\"', '"').replace("\\\\", "\\")


def programs(text):
    for found in line.finditer(text):
        yield ".lt", found.group(1), found.group(1)
    text = line.sub("", text)
    for part in text.split(" or "):
        yield from pieces(part)


def pieces(text):
    for pattern, kind in ((probe, ".stp"), (action, ".lt"), (statement, "statement")):
        for found in pattern.finditer(text):
            whole = found.group(0)
            if "t:..." in whole or "const " in whole:
                continue  # what stands for any event, and JavaScript
            made = whole.replace("{ ... }", "{ }").replace("{}", "3").replace("< ... >", "< @ = count() >")
            if kind == "statement" and not made.startswith("config"):
                made = "BEGIN { @map[1, 2] = 1; %s }" % made
            yield (".stp" if kind == ".stp" else ".lt"), whole, made
            text = text.replace(whole, "")


found = {(kind, shown): made for file in (tree / "src").rglob("*.cpp") for text in texts(file.read_text())
         for kind, shown, made in programs(text)}
for (kind, shown), made in sorted(found.items()):
    for old, new in stands_for:
        made = re.sub(old, new, made)
    ran = subprocess.run([lt, "--kernel", kernel, "-g", "--unsafe", "--stop-after", "check"]
                         + (["--stp"] if kind == ".stp" else []) + ["-e", made], capture_output=True, text=True)
    first = next((l for l in ran.stderr.splitlines() if "error" in l), "")
    print(f"{'compiles' if ran.returncode == 0 else 'REFUSED '} {kind} {shown}" + (f"\n    {first}" if first else ""))
