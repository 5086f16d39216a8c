#!/usr/bin/env python3
"""Prints the programs that stand as examples in a manual page, each after a line `== NUMBER`.

usage: examples-of-manual.py PAGE. A literal or unfilled display or a displayed line is a program unless it begins with a
word of the shell (lt, #, $) or shows the form of something.
"""
import re
import sys

ESCAPES = [(r"\(dq", '"'), (r"\(aq", "'"), (r"\(ti", "~"), (r"\(ha", "^"), (r"\-", "-"), (r"\&", ""), (r"\e", "\\")]


def plain(line):
    for escape, text in ESCAPES:
        line = line.replace(escape, text)
    return line


def displays(page):
    block = None
    for line in page.splitlines():
        if line.startswith((".Bd -literal", ".Bd -unfilled")):
            block = []
        elif line.startswith(".Ed"):
            if block is not None:
                yield "\n".join(block)
            block = None
        elif block is not None:
            block.append(plain(line))
        elif line.startswith(".Dl "):
            yield plain(line[4:])


def is_program(text):
    return not re.match(r"(sudo |lt |[#$%] |\[span |\?: |probe, probe |chain NAME|@name|name:line)", text)


def main():
    for number, text in enumerate(filter(is_program, displays(open(sys.argv[1]).read())), 1):
        print(f"== {number}\n{text}")


main()
