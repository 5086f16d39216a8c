#!/usr/bin/python3
"""against_gcc.py [SEED] [COUNT]: holds the evaluator of the fuzzer of meaning to what gcc computes.

Expressions of its grammar become one program in C, with structures in memory at the address that they have there; only the
conversion of operands is written out, for in lt an operation has 64 bits. Says how many agree; the status is 1 where one does not.
"""

import os
import random
import subprocess
import sys
import tempfile

from meaning_writer import Writer
from meaning_memory import BASE, KNOWN, Made
from meaning_tree import (COMPARE, Argument, Binary, Cast, Choose, Deref, Dot, Element, Logical, Number, Truth, Unary)
from meaning_types import pointer, wrap
from meaning_world import World

HEAD = """#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
typedef int64_t S;
typedef uint64_t U;
static S divS(S a, S b) { return b == 0 ? 0 : b == -1 ? -a : a / b; }
static S modS(S a, S b) { return b == 0 || b == -1 ? 0 : a % b; }
static U divU(U a, U b) { return b == 0 ? 0 : a / b; }
static U modU(U a, U b) { return b == 0 ? 0 : a % b; }
"""


class Unlike(Exception):
    """What C does not have."""


class Within(World):
    """C must not follow addresses that lead nowhere."""

    def read(self, address, size):
        if not 0 <= address - self.base <= len(self.memory) - size:
            raise Unlike
        return super().read(address, size)


def sign(signed):
    return "S" if signed else "U"


def c(e):
    """The expression in C, of the type that it has in lt."""
    t = e.type()
    if isinstance(e, Number):
        return "((%s)%dULL)" % (sign(t.signed), e.number)
    if isinstance(e, Truth):
        return str(int(e.truth))
    if isinstance(e, Unary):
        return "(%s%s(%s))" % ("" if e.op == "!" else "(%s)" % sign(t.signed), e.op, word(e.operand, t.signed))
    if isinstance(e, Logical):
        return "(%s %s %s)" % (c(e.left), e.op, c(e.right))
    if isinstance(e, Choose):
        if e.yes is None:
            return "(%s ?: %s)" % (word(e.condition, t.signed), word(e.no, t.signed))
        return "(%s ? %s : %s)" % (c(e.condition), word(e.yes, t.signed), word(e.no, t.signed))
    if isinstance(e, Binary) and e.left.type().is_integer:
        return binary(e, t)
    if isinstance(e, Cast) and t.is_integer and e.operand.type().is_integer:
        return "((%s)%s)" % (t.c(), c(e.operand))
    if isinstance(e, (Dot, Element, Deref, Argument)) and not t.is_string:
        return place(e)
    raise Unlike


def word(e, signed):
    return "(%s)%s" % (sign(signed), c(e))


def binary(e, t):
    if e.left.type().to or e.right.type().to:
        raise Unlike
    by = sign(e.signed())
    left, right = "(%s)%s" % (by, c(e.left)), "(%s)%s" % (by, c(e.right))
    if e.op in COMPARE:
        return "(%s %s %s)" % (left, e.op, right)
    if e.op in "/%":
        return "%s%s(%s, %s)" % ("div" if e.op == "/" else "mod", by, left, right)
    if e.op in ("<<", ">>"):
        right = "((U)%s & 63)" % c(e.right)
    return "((%s)(%s %s %s))" % (sign(t.signed), left, e.op, right)


def place(e):
    if isinstance(e, Argument):
        return "((%s)BASE)" % e.t.c()
    if isinstance(e, Dot):
        return "%s%s%s" % (place(e.base), "->" if e.arrow else ".", e.name)
    if isinstance(e, Element) and not e.base.type().is_string:
        return "%s[%s]" % (place(e.base), c(e.index))
    if isinstance(e, Deref):
        return "%s[%s]" % (place(e.address), c(e.index)) if e.index else "(*%s)" % place(e.address)
    if isinstance(e, Cast):
        return c(e)
    raise Unlike


def function(number, rng):
    """The text of a function in C that prints numbers, and what it should print."""
    made, known = Made(rng, ()), rng.random() < 0.2
    root = KNOWN[-1] if known else [made.structure() for _ in range(rng.randrange(1, 4))][-1]
    made.place(root)
    w = Writer(rng, "lt", set())
    w.sources = [Argument("arg0", 0, pointer(root, True))]
    world = Within(bytes(made.memory), BASE, (made.places.get(root, BASE),))
    structures = "".join(t.declaration() + "\n" for t in ([] if known else made.structures))
    lines, values = [], []
    for _ in range(40):
        e = w.integer() if rng.random() < 0.5 else w.walk(lambda t: t.is_integer)
        try:
            text, value = c(e), e.value(world)
        except (Unlike, AttributeError):
            continue
        lines.append('    printf("%%lld\\n", (long long)%s);' % text)
        values.append((wrap(value, 8, True), e))
    data = ",".join(map(str, made.memory))
    arg0 = world.arguments[0]
    text = "static void f%d(void) {\n%s    static const unsigned char bytes[] = {%s};\n    memcpy((void*)0x%xUL, bytes, sizeof bytes);\n" % (
        number, structures, data, BASE)
    return text + "\n".join(lines).replace("BASE", "0x%xUL" % arg0) + "\n}\n", values


def plain(text):
    return text.replace(" *", "*").replace("* ", "*")


def main():
    seed, count = int((sys.argv[1:] or [1])[0]), int((sys.argv[2:] or [60])[0])
    made = [function(n, random.Random(n)) for n in range(seed, seed + count)]
    known = "".join(t.declaration() + "\n" for t in KNOWN)
    source = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../workload/memory.c")).read()
    missing = [t for t in KNOWN if plain(t.declaration()) not in plain(source)]
    body = "    mmap((void*)0x%xUL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);\n" % BASE
    body += "".join("    f%d();\n" % n for n in range(seed, seed + count))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.c")
        with open(path, "w") as file:
            file.write(HEAD + known + "".join(text for text, _ in made) + "int main(void) {\n" + body + "}\n")
        subprocess.run(["gcc", "-w", "-fwrapv", "-O0", "-o", folder + "/a", path], check=True)
        lines = subprocess.run([folder + "/a"], capture_output=True, text=True, check=True).stdout.splitlines()
    values = [pair for _, pairs in made for pair in pairs]
    wrong = [(line, value, e) for line, (value, e) in zip(lines, values) if int(line) != value]
    for line, value, e in wrong[:10]:
        print("%s\n  gcc %s, the evaluator %d" % (e, line, value))
    for t in missing:
        print("memory.c does not declare it so:\n" + t.declaration())
    print("%d expressions, %d differ" % (len(values), len(wrong) + abs(len(lines) - len(values))))
    return 1 if wrong or missing or len(lines) != len(values) else 0


if __name__ == "__main__":
    sys.exit(main())
