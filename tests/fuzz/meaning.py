#!/usr/bin/python3
"""Random programs that print what they compute, against what they have to print.

meaning.py [--seed N] [--count N] [--keep DIR] [--without A1,A2] LT: makes programs (meaning_programs.py) whose values it
knows itself (meaning_tree.py), has lt compile and run each, and compares line by line. A program that differs is made
smaller while it still does, and kept in DIR with both texts. The status is 1 where something was found.
"""

import argparse
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed

import meaning_programs as programs
from common import put, run
from meaning_run import Bpftrace, Kernel, Machine
from meaning_world import Unknown


LOST = re.compile(r"missed|events lost|not kept")


def texts(lines):
    """A string may have a newline in it, but lines are compared."""
    return "\n".join(line for line, _ in lines).split("\n") if lines else []


def difference(program, executor, plan=None):
    """What is wrong, if anything, and the diagnostic where lt refuses it."""
    try:
        expected = program.expected()
    except Unknown:
        return "", "", []
    got = executor.run_plan(program, plan) if plan else executor.run(program)
    if got.fault:
        return got.fault, "", got.messages.splitlines()
    if got.refusal:
        return "", got.refusal, []
    wanted = texts(expected)
    if got.lines == wanted:
        return "", "", []
    at = next((i for i, pair in enumerate(zip(got.lines, wanted)) if pair[0] != pair[1]), min(len(got.lines), len(wanted)))
    show = lambda lines: lines[at] if at < len(lines) else "(nothing)"
    by = expected[at][1].text() if at < len(expected) else ""
    if LOST.search(got.messages):
        return "", "events were lost, and lt said so", []
    said = ["%d lines of %d; lt said:" % (len(got.lines), len(wanted))] + got.messages.splitlines()[:5]
    return "differs", "", ["%s" % by, "  expected %s" % show(wanted), "  %s %s" % (executor.name.rjust(8), show(got.lines))] + said


def blocks_of(body):
    """All lists of statements in it, the outermost first."""
    yield body
    for s in body:
        for name in s.blocks:
            yield from blocks_of(getattr(s, name))


def smaller(program, executor, what):
    """Statements are taken out while it is still wrong in the same way; of an `if` or a block perhaps the frame alone."""
    changed, tries = True, 0
    while changed and tries < 400:
        changed = False
        for block in list(blocks_of(program.body)):
            size = max(1, len(block) // 2)
            while size:
                at = len(block) - size
                while at >= 0:
                    cut = block[at:at + size]
                    for instead in [[]] + [list(getattr(cut[0], n)) for n in cut[0].blocks if size == 1]:
                        block[at:at + size] = instead
                        tries += 1
                        if difference(program, executor)[0] == what:
                            changed = True
                            break
                        block[at:at + len(instead)] = cut
                    at -= size
                size //= 2
    return program


def made(given, number):
    return programs.program(random.Random(number), given.without, kinds=given.kinds)


def one(given, executors, number, counts, reasons, plan=None):
    program = made(given, number)
    try:
        program.expected()
    except Unknown as why:
        counts["not compared", str(why)] += 1
        return False
    for executor in executors:
        if not executor.can(program):
            continue
        what, refusal, first = difference(program, executor, plan)
        counts["refused" if refusal else what or "as expected", executor.name] += 1
        if refusal:
            reasons[refusal] += 1
            if given.refused:
                put(given.keep, "%d.refused.%s" % (number, program.dialect), program.text(executor.place(program)) + refusal)
        if not what:
            continue
        smaller(program, executor, what)
        again, _, lines = difference(program, executor)
        if not again:
            what, lines = what + ", but not when it ran again", first
        about = "seed %d, %s: %s\n%s\n" % (number, executor.name, what, "\n".join(lines[:12]))
        path = put(given.keep, "%d.%s.%s" % (number, executor.name, program.dialect),
                   "".join("// %s\n" % line for line in about.splitlines()) + program.text())
        print("%s: %s" % (path, about), end="", flush=True)
        return True
    return False


def save_plans(given, executor, folder):
    """Compiles all of them for another kernel; what that refuses is told when the plan is looked for."""
    os.makedirs(given.save, exist_ok=True)
    numbers = range(given.seed, given.seed + given.count)
    for dialect in ("lt", "bt"):
        paths = []
        for number in numbers:
            program = made(given, number)
            if program.dialect != dialect or program.words:  # words are compiled in
                continue
            paths.append(os.path.join(folder, "%d.%s" % (number, dialect)))
            with open(paths[-1], "w", encoding="latin-1") as file:
                file.write(program.text(executor.place(program)))
        command = [given.lt, "check", "--kernel", given.description, "--save", given.save]
        for at in range(0, len(paths), 100):
            _, fault = run(command + paths[at:at + 100], 3000)
            if fault:
                print("programs from %s on: %s" % (paths[at], fault))
                return 1
    print("%d plans of %d programs" % (len(os.listdir(given.save)), given.count))
    return 0


def executors_in(given, folder):
    """Each with a workload of its own: a probe on a program's function sees every process that runs the same file."""
    beside = os.path.join(os.path.dirname(given.lt), "tests")
    workload = given.workload or os.path.join(beside, "memory")
    if given.jobs > 1:
        for name in ("memory", "marked"):
            shutil.copy(os.path.join(os.path.dirname(workload), name), folder)
        workload = os.path.join(folder, "memory")
    machine = os.path.join(beside, "lt-machine")
    all_of_them = {"kernel": lambda: Kernel(given.lt, workload, folder), "machine": lambda: Machine(machine, folder),
                   "host": lambda: Machine(machine, folder, True), "bpftrace": lambda: Bpftrace(folder)}
    return [all_of_them[name]() for name in given.on.split(",")]


def some(given, numbers):
    """How many of these programs are wrong, what became of each, and why lt refused some."""
    found, counts, reasons = 0, Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        executors = executors_in(given, folder)
        for number in numbers:
            plan = os.path.join(given.load, "%d.plan" % number) if given.load else None
            if plan is None or os.path.exists(plan):
                found += one(given, executors, number, counts, reasons, plan)
    return found, counts, reasons


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "lt-meaning"))
    options.add_argument("--without", default="", help="classes of defects that are known and left out: A1,A3")
    options.add_argument("--kinds", default="", help="of programs: " + ",".join(programs.KINDS))
    options.add_argument("--on", default="kernel,machine,host" + (",bpftrace" if shutil.which("bpftrace") else ""),
                         help="who runs them")
    options.add_argument("--refused", action="store_true", help="keep what lt refuses, too")
    options.add_argument("--workload", help="the tests' program `memory`")
    options.add_argument("--save", help="compile only, and keep the plans in this folder")
    options.add_argument("--description", help="of the kernel for which plans are saved")
    options.add_argument("--load", help="run the plans of this folder")
    options.add_argument("--jobs", type=int, default=1, help="run so many programs at once")
    options.add_argument("lt")
    given = options.parse_args()
    given.without = given.without.split(",")
    given.kinds = given.kinds.split(",") if given.kinds else None
    if given.save:
        with tempfile.TemporaryDirectory() as folder:
            return save_plans(given, executors_in(given, folder)[0], folder)
    found, counts, reasons = 0, Counter(), Counter()
    size = max(1, min(50, given.count // given.jobs))
    numbers = [range(at, min(at + size, given.seed + given.count)) for at in range(given.seed, given.seed + given.count, size)]
    workers = ProcessPoolExecutor(given.jobs)
    done = 0
    try:
        for result in as_completed([workers.submit(some, given, part) for part in numbers]):
            found, counts, reasons = found + result.result()[0], counts + result.result()[1], reasons + result.result()[2]
            done += 1
            if sys.stderr.isatty():
                print("\r%d of %d, %d found " % (min(done * size, given.count), given.count, found), end="", file=sys.stderr)
    except KeyboardInterrupt:  # what there is
        print("ended after %d of %d" % (min(done * size, given.count), given.count))
    workers.shutdown(cancel_futures=True)
    for reason, n in reasons.most_common(10):
        print("refused %d times: %s" % (n, reason))
    print(", ".join("%d %s (%s)" % (n, what, who) for (what, who), n in sorted(counts.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
