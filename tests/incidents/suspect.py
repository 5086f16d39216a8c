#!/usr/bin/env python3
"""suspect.py KIND WHAT LEAST MOST [COMPILED] < REPORT: is the staged culprit in a report of `lt triage -f json`?

The first suspect of that kind whose sentence or evidence matches the pattern WHAT must have a cost from LEAST to MOST, in
milliseconds per second. Others may have the CPU while the test runs, and guests may wait for themselves: suspects of the
kind cpu, and those that name a guest, do not count if they stand before it, but no others may. The commands of all suspects
must compile. COMPILED is a file with those that did, which are not compiled again: reports share most of them, and a start
of lt costs seconds under emulation."""
import json
import os
import re
import subprocess
import sys

kind, what, least, most = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
known = sys.argv[5] if len(sys.argv) > 5 else os.devnull
text = sys.stdin.read()
try:
    suspects = json.loads(text)["data"]["suspects"]
except ValueError:
    sys.exit(f"{kind}: not a report: {text[:500]!r}")


def matches(suspect):
    return suspect["kind"] == kind and any(re.search(what, line) for line in [suspect["what"], *suspect["evidence"]])


def of_guest(suspect):
    return any(re.search("qemu-system|virtiofsd", line) for line in [suspect["what"], *suspect["evidence"]])


def form(command):
    """The same for commands that differ in the number of a process, a thread or a group."""
    return re.sub(r"== \d+", "== N", command)


def shown():
    return "".join(f"\n    {s['cost_ms_per_s']:8.1f} {s['kind']}: {s['what']}; {s['evidence']}" for s in suspects)


own = next((s for s in suspects if matches(s)), None)
if own is None:
    sys.exit(f"{kind}: not listed:{shown()}")
before = [s for s in suspects[:suspects.index(own)] if s["kind"] not in ("cpu", kind) and not of_guest(s)]
if before and kind != "cpu":
    sys.exit(f"{kind}: not first:{shown()}")
if not least <= own["cost_ms_per_s"] <= most:
    sys.exit(f"{kind}: its cost is not from {least} to {most}:{shown()}")
with open(known, "a+", encoding="utf-8") as file:
    file.seek(0)
    compiled = set(file.read().splitlines())
    for command in (s["next"].replace("lt -e ", "lt check -e ", 1) for s in suspects):
        if form(command) in compiled:
            continue
        checked = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        if checked.returncode != 0:
            sys.exit(f"{kind}: this does not compile: {command}\n{checked.stderr}")
        compiled.add(form(command))
        print(form(command), file=file)
print(f"{kind}: listed")
