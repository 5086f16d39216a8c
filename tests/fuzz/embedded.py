#!/usr/bin/python3
"""Random functions in C of SystemTap's scripts, against what gcc makes of the same C.

embedded.py [--seed N] [--count N] [--keep DIR] LT: makes scripts whose functions are C of the kind that people wrote (locals
of all widths, comparisons with NULL, loops, casts, ?:, STAP_ARG_, THIS->, STAP_RETVALUE, STAP_RETURN), runs each by
`lt -g`, and its C by gcc, and compares what both print. What lt refuses is counted by its message. A script that differs
is made smaller while it does, and kept. The status is 1 where one differs.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter

from common import put, run

SIGNED = ["long", "int", "short", "char", "long long", "s32", "int64_t", "s64", "signed char"]
UNSIGNED = ["unsigned long", "unsigned int", "unsigned", "u32", "uint64_t", "u8", "unsigned char", "u16", "size_t", "bool"]

# What SystemTap and the kernel give to such C, for gcc.
HEAD = """#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
typedef int32_t s32; typedef int64_t s64; typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
#define STAP_PRINTF printf
#define _stp_printf printf
#define STAP_RETVALUE (THIS->__retvalue)
#define STAP_RETURN(v) do { THIS->__retvalue = (v); goto out; } while (0)
struct task_struct { struct task_struct *real_parent; struct task_struct *group_leader; };
static struct task_struct running = {&running, &running}, *current = &running;
"""


class Statement:
    """Text with a %s for each of its blocks."""

    def __init__(self, text, *blocks):
        self.template, self.blocks = text, list(blocks)

    def text(self):
        return self.template % tuple("{\n%s}" % "".join("    %s\n" % l for s in b for l in s.text().splitlines())
                                     for b in self.blocks)


class Function:
    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.parameters = ["a", "b", "c"][:rng.randrange(1, 4)]
        self.prints = rng.random() < 0.6
        self.locals, self.fixed = [], []  # (name, type); counters of loops are only read
        self.loops = 0
        self.pointers = []
        unsigned = rng.random() < 0.5
        self.kinds = SIGNED + UNSIGNED if unsigned else ["long", "int", "long"]
        if self.prints:
            self.kinds = ["long", "int", "long", "unsigned long"] if rng.random() < 0.2 else ["long", "int", "long"]
        self.body = self.declarations() + [self.statement(0) for _ in range(rng.randrange(2, 8))]
        self.body.append(Statement(rng.choice(["STAP_RETURN(%s);", "STAP_RETVALUE = %s;", "THIS->__retvalue = %s;"]) % self.escaped(self.value())))

    def escaped(self, text):
        return text.replace("%", "%%")

    def declarations(self):
        r = self.rng
        out = []
        for i in range(r.randrange(1, 5)):
            t, name = r.choice(self.kinds), "v%d" % i
            out.append(Statement("%s %s = %s;" % (t, name, self.escaped(self.value(1)))))
            self.locals.append((name, t))
        if r.random() < 0.4:
            out.append(Statement(r.choice(["struct task_struct *t = current;", "struct task_struct *t = current->real_parent;",
                                           "struct task_struct *t = NULL;"])))
            self.pointers.append("t")
        return out

    def leaf(self):
        r = self.rng
        kind = r.randrange(6)
        names = [n for n, _ in self.locals] + self.fixed
        if kind < 3 and names:
            return r.choice(names)
        if kind < 5:
            p = r.choice(self.parameters)
            return r.choice(["STAP_ARG_%s", "THIS->%s"]) % p
        n = r.choice([0, 1, 2, 3, 7, 10, 100, 127, 128, 255, 256, 4096, 65535, 65536, 2147483647])
        return r.choice([str(n), str(n), hex(n), "%dL" % n, "-%d" % n if n else "0"])

    def value(self, depth=0):
        """What prints is of the simple kind that people wrote: that is translated, and not compiled."""
        r = self.rng
        if depth > 2 - self.prints or r.random() < 0.3:
            return self.leaf()
        kind = r.randrange(11)
        if self.prints and r.random() < 0.3:
            return self.leaf()
        if self.prints and kind in (7, 9):
            return ("(long)" if kind == 7 else "!") + self.leaf()
        if kind < 4:
            return "(%s %s %s)" % (self.value(depth + 1), r.choice("+-*&" if self.prints else "+-*&|^"), self.value(depth + 1))
        if kind == 4:
            return "(%s %s %d)" % (self.value(depth + 1), r.choice("/%"), r.choice([1, 2, 3, 7, 10, 256]))
        if kind == 5:
            # of 64 bits, so that the distance is one
            return "((long)%s %s %d)" % (self.value(depth + 1), r.choice(["<<", ">>"]), r.randrange(20))
        if kind == 6:
            return "(%s ? %s : %s)" % (self.truth(depth + 1), self.value(depth + 1), self.value(depth + 1))
        if kind == 7:
            return "(%s)%s" % (r.choice(self.kinds), self.value(depth + 1))
        if kind == 8:
            return self.truth(depth + 1)
        if kind == 9:
            return r.choice("-~!") + "(" + self.value(depth + 1) + ")"
        return self.leaf()

    def truth(self, depth=0):
        r = self.rng
        kind = r.randrange(8)
        if kind == 0 and self.pointers:
            p = r.choice(self.pointers)
            return r.choice(["(%s != NULL)", "(%s == NULL)", "(!%s)", "(NULL != %s)"]) % p
        if kind < 6 or depth > 2:
            return "(%s %s %s)" % (self.value(depth + 1), r.choice(["==", "!=", "<", "<=", ">", ">="]), self.value(depth + 1))
        return "(%s %s %s)" % (self.truth(depth + 1), r.choice(["&&", "||"]), self.truth(depth + 1))

    def statement(self, depth):
        r = self.rng
        kind = r.randrange(12)
        if kind < 3 and self.prints:
            f = r.choice(["%%ld"] * 6 + ["%%lld", "%%lu", "%%lx"])
            name = r.choice(["STAP_PRINTF", "_stp_printf"])
            t = "unsigned long" if f[-1] in "ux" else "long long" if "ll" in f else "long"
            cast = "(%s)" % t if r.random() < 0.3 or f != "%%ld" else ""
            value = self.escaped(r.choice([n for n, kind in self.locals if kind == "long"] or ["1L"]) if not cast else self.leaf())
            return Statement('%s("%s %s\\n", %s%s);' % (name, self.name, f, cast, value))
        if kind < 6 and self.locals:
            name, t = r.choice(self.locals)
            op = r.choice(["", "", "+", "-"] + ([] if self.prints else ["*", "|", "&", "^"]))
            return Statement("%s %s= %s;" % (name, op, self.escaped(self.value())))
        if kind == 6 and self.locals:
            name = r.choice(self.locals)[0]
            return Statement(r.choice(["%s++;", "%s--;", "++%s;", "--%s;"]) % name)
        if kind == 7:
            return Statement("STAP_RETVALUE = %s;" % self.escaped(self.value()))
        if depth > 1:
            return Statement("STAP_RETVALUE += %s;" % self.escaped(self.value(2)))
        if kind == 8 and self.loops < 2:
            return self.loop(depth)
        if kind == 9 and self.pointers and r.random() < 0.5:
            return Statement(r.choice(["t = current->real_parent;", "t = current;", "t = NULL;"]))
        if kind == 9 and self.pointers:
            return Statement("if (t %s NULL) %%s" % r.choice(["==", "!="]), self.block(depth))
        if r.random() < 0.3:
            return Statement("if (%s) %%s else %%s" % self.escaped(self.truth()), self.block(depth), self.block(depth))
        if r.random() < 0.2:
            return Statement("if (%s) STAP_RETURN(%s);" % (self.escaped(self.truth()), self.escaped(self.value())))
        return Statement("if (%s) %%s" % self.escaped(self.truth()), self.block(depth))

    def loop(self, depth):
        r = self.rng
        self.loops += 1
        name = "i%d" % self.loops
        self.fixed.append(name)
        n = r.randrange(1, 6)
        body = self.block(depth)
        if r.random() < 0.3:
            body.append(Statement("if (%s) %s;" % (self.escaped(self.truth()), r.choice(["break", "continue"]))))
        self.fixed.remove(name)
        t = r.choice(["int", "long", "unsigned" if len(self.kinds) > 3 else "int"])
        return Statement("%s %s; for (%s = 0; %s < %d; %s++) %%s" % (t, name, name, name, n, name), body)

    def block(self, depth):
        return [self.statement(depth + 1) for _ in range(self.rng.randrange(1, 4))]

    def script(self):
        heads = ", ".join(p + ":long" for p in self.parameters)
        return "function %s:long(%s) %%{ /* pure */\n%s%%}\n" % (self.name, heads, self.lines())

    def lines(self):
        return "".join("    %s\n" % l for s in self.body for l in s.text().splitlines())

    def c(self):
        heads = ", ".join("long " + p for p in self.parameters)
        names = "".join("#undef STAP_ARG_%s\n#define STAP_ARG_%s (THIS->%s)\n" % (p, p, p) for p in self.parameters)
        return ("%sstatic long %s(%s) {\n    struct { int64_t %s, __retvalue; } own = {%s, 0}, *THIS = &own;\n%s"
                "out:\n    return own.__retvalue;\n}\n") % (
            names, self.name, heads, ", ".join(self.parameters), ", ".join(self.parameters), self.lines())


class Script:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.functions = [Function(rng, "f%d" % i) for i in range(rng.randrange(1, 4))]
        numbers = [0, 1, -1, 2, 7, 100, -100, 255, 256, 65536, 2**31, 2**32 + 5, -2**31, 2**62, -2**62]
        self.calls = [(f, [rng.choice(numbers) for _ in f.parameters]) for f in self.functions for _ in range(3)]

    def text(self):
        """Every other call gets its numbers from an array, so that no compiler knows them."""
        calls = ""
        for i, (f, a) in enumerate(self.calls):
            calls += "".join("    n[%d] = %d\n" % pair for pair in enumerate(a)) if i % 2 else ""
            values = ["n[%d]" % j for j in range(len(a))] if i % 2 else map(str, a)
            calls += '    printf("%s = %%d\\n", %s(%s))\n' % (f.name, f.name, ", ".join(values))
        return "".join(f.script() for f in self.functions) + "global n\nprobe begin {\n%s    delete n\n    exit()\n}\n" % calls

    def c(self):
        calls = "".join('    { long r = %s(%s); printf("%s = %%ld\\n", r); }\n' % (f.name, ", ".join("%dL" % n for n in a), f.name) for f, a in self.calls)
        return HEAD + "".join(f.c() for f in self.functions) + "int main(void) {\n%s}\n" % calls


def by_gcc(script, folder):
    with open(folder + "/a.c", "w") as file:
        file.write(script.c())
    made = subprocess.run(["gcc", "-w", "-O0", "-fwrapv", "-o", folder + "/a", folder + "/a.c"], capture_output=True, text=True)
    if made.returncode:
        return None
    return subprocess.run([folder + "/a"], capture_output=True, text=True, timeout=20).stdout.splitlines()


def overflows(folder):
    """Does a sum leave its type? C says nothing of it; the kernel's C cuts it, which what is translated need not."""
    trap = ["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]
    made = subprocess.run(["gcc", "-w", "-O0", *trap, "-o", folder + "/o", folder + "/a.c"], capture_output=True)
    return made.returncode == 0 and subprocess.run([folder + "/o"], capture_output=True, timeout=20).returncode < 0


def outcome(script, lt, folder):
    """What is wrong, the diagnostic where lt refuses it, and lines that tell the difference."""
    wanted = by_gcc(script, folder)
    if wanted is None:
        return "gcc refuses it", "", []
    with open(folder + "/a.stp", "w") as file:
        file.write(script.text())
    result, fault = run([lt, "-q", "-g", folder + "/a.stp"], 60)
    if fault:
        return fault, "", result.stderr.splitlines()[:6]
    errors = [l for l in result.stderr.splitlines() if "error: " in l]
    if result.returncode or errors:
        return "", (errors or result.stderr.splitlines() or ["status %d" % result.returncode])[0].split("error: ")[-1], []
    got = result.stdout.splitlines()
    if got == wanted:
        return "", "", []
    if overflows(folder):
        return "", "(not refused: a sum with a sign leaves its type)", []
    at = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), min(len(got), len(wanted)))
    show = lambda lines: lines[at] if at < len(lines) else "(nothing)"
    return "differs", "", ["  gcc %s" % show(wanted), "   lt %s" % show(got)]


def blocks_of(body):
    yield body
    for s in body:
        for b in s.blocks:
            yield from blocks_of(b)


def smaller(script, lt, folder, what):
    for calls in (script.calls[i:i + 1] for i in range(len(script.calls))):
        before = script.calls, script.functions
        script.calls, script.functions = calls, [calls[0][0]]
        if outcome(script, lt, folder)[0] == what:
            break
        script.calls, script.functions = before
    changed = True
    while changed:
        changed = False
        for f in script.functions:
            for block in list(blocks_of(f.body)):
                for i in reversed(range(len(block))):
                    cut = block[i]
                    for instead in [[]] + cut.blocks:
                        block[i:i + 1] = instead
                        if outcome(script, lt, folder)[0] == what:
                            changed = True
                            break
                        block[i:i + len(instead)] = [cut]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "lt-embedded"))
    options.add_argument("--refused", action="store_true", help="keep what lt refuses, too")
    options.add_argument("lt")
    given = options.parse_args()
    counts, reasons, found = Counter(), Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.seed, given.seed + given.count):
            script = Script(number)
            what, refusal, lines = outcome(script, given.lt, folder)
            counts["refused" if refusal else what or "as gcc says"] += 1
            if refusal:
                reasons[refusal] += 1
                if given.refused:
                    put(given.keep, "%d.refused.stp" % number, script.text() + "# " + refusal + "\n")
            if not what:
                continue
            found += 1
            smaller(script, given.lt, folder, what)
            about = ["seed %d: %s" % (number, what)] + outcome(script, given.lt, folder)[2]
            path = put(given.keep, "%d.stp" % number, "".join("# %s\n" % l for l in about) + script.text())
            print("%s: %s" % (path, "\n".join(about)), flush=True)
    for reason, n in reasons.most_common(12):
        print("refused %d times: %s" % (n, reason))
    print(", ".join("%d %s" % (n, what) for what, n in sorted(counts.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
