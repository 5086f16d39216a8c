#!/usr/bin/env python3
"""Writes the scripts that are at hand, one a file, as first inputs of the fuzzer of the front end.

usage: corpus.py FOLDER TREE. Two bytes stand before each text: which dialect it is, and a seed.
"""
import glob
import os
import re
import sys

DIALECTS = {"lt": b"\0", "bt": b"\1", "stp": b"\2"}


def in_tests(tree):
    for path in glob.glob(f"{tree}/tests/*/**/*.test", recursive=True):
        text = open(path, errors="replace").read()
        for script in re.findall(r"-e '([^']+)'", text):
            yield "lt", script
        for name, script in re.findall(r"^--- file \S*\.(lt|bt|stp)\n(.*?)(?=^--- )", text, re.S | re.M):
            yield name, script


def installed(tree):
    for pattern in (f"{tree}/examples/*.lt", "/usr/sbin/*.bt", "/usr/share/systemtap/examples/**/*.stp",
                    "/usr/share/doc/systemtap-doc/examples/**/*.stp"):
        for path in glob.glob(pattern, recursive=True):
            yield path.rsplit(".", 1)[1], open(path, errors="replace").read()


def main():
    folder, tree = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    scripts = sorted(set(in_tests(tree)) | set(installed(tree)))
    for i, (dialect, script) in enumerate(scripts):
        with open(f"{folder}/{i:04}", "wb") as out:
            out.write(DIALECTS[dialect] + b"\7" + script.encode()[:8000])


main()
