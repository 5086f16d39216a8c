#!/usr/bin/python3
"""Random programs that ought to compile, and what the kernel says of them.

programs.py [--seed N] [--count N] [--keep DIR] LT: makes programs from a grammar that knows the types of the language,
compiles and loads each, and tells those that crash lt, that lt's own stages call a bug in lt, or that compile and
are then refused by the verifier. Diagnostics are fine: not every text that the grammar makes is a program. The status is
1 when something was found; the programs are kept in DIR.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter

from common import put, run

# (probe, integers of its context, strings of its context, may be a span over a call)
PLACES = {
    "": [
        ("BEGIN", [], [], False),
        ("END", [], [], False),
        ("interval:ms:100", [], [], False),
        ("t:sched:sched_switch", ["args.prev_pid", "args.next_pid", "args.prev_prio", "args.prev_state"],
         ["args.prev_comm", "args.next_comm", "curtask->comm"], False),
        ("t:sched:sched_wakeup", ["args.pid", "args.prio", "curtask->pid", "curtask->parent->pid"], ["args.comm"], False),
        ("t:syscalls:sys_enter_openat", ["args.dfd", "args.flags", "args.filename"], ["str(args.filename)"], False),
        ("t:syscalls:sys_exit_read", ["args.ret"], [], False),
        ("sc:read", ["args.fd", "args.count"], [], True),
        ("sc:openat", ["args.flags"], ["str(args.filename)"], True),
        ("u:{workload}:nest", ["arg0", "arg1", "arg7"], ["str(arg0)"], True),
        ("ur:{workload}:nest", ["retval"], [], False),
        ("usdt:{marked}:lt:*", ["arg0"], ["str(arg0)", "probetype"], False),
        ("rt:sched_switch", ["args.preempt", "args.prev->pid", "args.next->prio", "args.next->mm->pgd->pgd"],
         ["args.next->comm", "args.prev->parent->comm"], False),
        ("rt:sys_enter", ["args.id", "args.regs->di", "arg1"], [], False),
        ("profile:hz:49", [], ["probetype"], False),
        ("software:cpu-clock:10000000", [], [], False),
        ("software:page-faults:100", [], [], False),
        ("iter:task", ["ctx->task->pid", "ctx->meta->seq_num"], ["ctx->task->comm"], False),
        ("iter:task_file", ["ctx->fd", "ctx->file->f_flags"], [], False),
        ("self:signal:SIGUSR1", [], [], False),
    ],
    "kernel": [
        ("k:vfs_read", ["arg1", "args.count", "args.file->f_flags", "((struct file *)arg0)->f_mode"],
         ["str(args.file->f_path.dentry->d_name.name)", "args.file->f_path.dentry->d_iname"], True),
        ("kr:vfs_read", ["retval"], [], False),
        ("f:vfs_write", ["args.count", "args.file->f_flags"], [], True),
        ("fr:vfs_write", ["args.count", "retval"], [], False),
        ("k:vfs_*", ["arg0", "arg1", 'reg("ip")', "*(uint32 *)arg0"], ["func"], True),
    ],
}
INTEGERS = ["pid", "tid", "uid", "gid", "cpu", "nsecs", "(elapsed / 1ns)", "rand", "jiffies", "ncpus", "ppid", "cgroup",
            "leader_tid", "curtask->flags", "sizeof(struct task_struct)", "nsecs(boot)"]
# What each takes and gives: i an integer, s a string.
CALLS = {
    "i": ["bswap(i)", "strtol(s)", "strlen(s)", "strcap(s)", "len(@k0)", "has_key(@i0)", "(s == s)", "strncmp(s, s, 4)",
          "strncmp(s, s, 200)", 'strcontains(s, "a")', 'glob(s, "a*[b-d]?")', 'matches(s, "^(a|b)+c{1,3}$")', "memcmp(comm, comm, 3)", "strstr(s, s)", "bswap((uint16)i)"],
    "s": ["substr(s, 1, 4)", "substr(s, i, 3)", "toupper(s)", "str(i)", "str(i, 8)", "str(kptr(i))"],
    # for printing only
    "p": ["ksym(i)", "usym(i)", "ntop(i)", "strerror(i)", "signal_name(i)", "syscall_name(i)", 'strftime("%H", i)',
          "kstack(2)", "ustack(perf)", "buf(i, 16)", "buf(s, i)", "macaddr(i)", "username", "(i, s, i)", "args", "curtask->se"],
}
BINARY = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]
CASTS = ["(uint8)", "(int8)", "(uint16)", "(int32)", "(uint32)", "(int64)", "(uint64)"]
AGGREGATIONS = ["count()", "sum({})", "min({})", "max({})", "avg({})", "stats({})", "hist({})", "dist({})"]
# Gives each map its type.
PROLOGUE = ("BEGIN { @i0 = 0; @i1 = 0; @i2 = 0; @s0 = comm; @s1 = \"\"; "
            "@k0[0, comm] = 0; @k1[0, comm] = 0; @t[0] = (0, comm); }")


class Block:
    """One block of a program: what stands in scope and how deep it is."""

    def __init__(self, rng, place, closes):
        self.rng = rng
        self.integers = INTEGERS + place[1]
        self.strings = ["comm", "probe"] + place[2]
        self.closes = closes
        self.locals = {"integer": [], "string": []}
        self.names = 0
        self.loops = 0

    def integer(self, depth=0):
        r = self.rng
        if depth > 2 or r.random() < 0.4:
            choices = [str(r.choice([0, 1, 7, 255, 4096, 2**31, 2**63 - 1])), r.choice(self.integers)]
            if self.locals["integer"]:
                choices += [r.choice(self.locals["integer"])] * 2
            choices.append("@i%d" % r.randrange(3))
            if depth < 2 and r.random() < 0.2:
                return "@k%d[%s]" % (r.randrange(2), self.key(depth + 1))
            return r.choice(choices)
        kind = r.randrange(10)
        if kind < 4:
            return "(%s %s %s)" % (self.integer(depth + 1), r.choice(BINARY), self.integer(depth + 1))
        if kind == 4:
            return r.choice(["-", "~", "!"]) + "(" + self.integer(depth + 1) + ")"
        if kind == 5:
            return r.choice(CASTS) + "(" + self.integer(depth + 1) + ")"
        if kind == 6:
            return "(%s ? %s : %s)" % (self.integer(depth + 1), self.integer(depth + 1), self.integer(depth + 1))
        if kind == 7:
            return "(if (%s) { %s } else { %s })" % (self.integer(depth + 1), self.integer(depth + 1), self.integer(depth + 1))
        if kind == 8:
            return "(%s %s %s)" % (self.group(depth + 1), r.choice(["==", "!="]), self.group(depth + 1))
        return self.call("i", depth)

    def group(self, depth):
        """A record: its strings differ in length, its fields in order."""
        parts = ["a = " + self.integer(depth + 1), "b = " + self.string(depth + 1)]
        self.rng.shuffle(parts)
        return "(%s, %s)" % tuple(parts)

    def printed(self):
        """A map with a key of what is printed by name; one map for each sort."""
        which = self.rng.randrange(len(CALLS["p"]))
        return "@p%d[%s] = count();" % (which, self.filled(CALLS["p"][which], 0))

    def call(self, kind, depth):
        return self.filled(self.rng.choice(CALLS[kind]), depth)

    def filled(self, call, depth):
        """A letter that stands alone is an argument."""
        def argument(match):
            return self.integer(depth + 1) if match.group(0) == "i" else self.string(depth + 1)
        return re.sub(r"(?<![\w%\"])[is](?![\w\"])", argument, call)

    def string(self, depth=0):
        r = self.rng
        choices = ['"%s"' % r.choice(["", "a", "some text", "x" * 30]), r.choice(self.strings), "@s%d" % r.randrange(2)]
        if self.locals["string"]:
            choices.append(r.choice(self.locals["string"]))
        if depth < 3 and r.random() < 0.2:
            return "(%s ? %s : %s)" % (self.integer(depth + 2), r.choice(self.strings), '"no"')
        if depth < 3 and r.random() < 0.1:
            return "(string[%d])(%s)" % (r.choice([1, 4, 24]), self.string(depth + 1))
        if depth < 3 and r.random() < 0.3:
            return self.call("s", depth)
        return r.choice(choices)

    def key(self, depth=0):
        return "%s, %s" % (self.integer(depth + 2), self.string(depth + 2))

    def value(self):
        return "latency" if self.closes and self.rng.random() < 0.5 else self.integer()

    def statement(self, depth=0):
        r = self.rng
        kind = r.randrange(13 if depth < 2 else 8)
        if kind == 0:
            return "@i%d %s %s;" % (r.randrange(3), r.choice(["=", "+=", "|="]), self.integer())
        if kind == 1:
            return "@k%d[%s] = %s;" % (r.randrange(2), self.key(), self.integer())
        if kind == 2:
            return "@s%d = %s;" % (r.randrange(2), self.string())
        if kind == 3:
            n = r.randrange(len(AGGREGATIONS))
            unit = "d" if self.closes else "n"
            value = "latency" if self.closes else self.integer()
            key = r.choice(["", "[%s]" % self.key()])
            name = "@%s%d%s%s" % (unit, n, "k" if key else "", key)
            shown = " print(%s);" % name if key and r.random() < 0.3 else ""
            return "%s = %s;%s" % (name, AGGREGATIONS[n].format(value), shown)
        if kind == 4:
            self.names += 1
            name = "$v%d" % self.names
            which = r.choice(["integer", "integer", "string"])
            text = "%s = %s;" % (name, self.integer() if which == "integer" else self.string())
            self.locals[which].append(name)
            return text
        if kind == 5:
            return 'printf("%%d %%s %%x\\n", %s, %s, %s);' % (self.value(), self.string(), self.integer())
        if kind == 6:
            return r.choice(["print(%s);" % self.integer(), "print((%s, %s));" % (self.integer(), self.string()),
                             "print(%s);" % self.call("p", 0), "print(@k1, 3);", "clear(@k1);", "@z[%s] = count(); zero(@z);" % self.integer(),
                             "@l = lhist(%s, 0, 100, 10);" % self.integer(), self.printed(),
                             "@t[%s] = (%s, %s);" % (self.integer(), self.integer(), self.string()),
                             "print(%s ? %s : %s);" % (self.integer(), self.group(0), self.group(0)),
                             "@r[%s] = %s;" % (self.group(0), self.group(0)), "delete(@k0[%s]);" % self.key(), "@st[kstack(3)] = count();", "@us[ustack(4), comm] = count();"])
        if kind == 7 and self.locals["integer"]:
            return "%s%s;" % (r.choice(self.locals["integer"]), r.choice(["++", "--", " += 2"]))
        if kind in (7, 8, 9):
            tail = " else { %s }" % self.body(depth + 1) if r.random() < 0.4 else ""
            return "if (%s) { %s }%s" % (self.integer(), self.body(depth + 1), tail)
        if kind == 10:
            return "unroll(%d) { %s }" % (r.randrange(1, 4), self.body(depth + 1))
        if self.loops:
            return r.choice(["break;", "continue;"])
        self.names += 1
        name = "$l%d" % self.names
        head = r.choice(["for (%s : 0..%s)" % (name, r.choice(["5", self.integer()])), "for (%s : @k0)" % name,
                         "while (%s < 10)" % name])
        self.loops += 1
        inner = self.body(depth + 1)
        self.loops -= 1
        if head.startswith("while"):
            return "%s = 0; %s { %s++; %s }" % (name, head, name, inner)
        return "%s { %s }" % (head, inner)

    def body(self, depth=0):
        seen = {k: list(v) for k, v in self.locals.items()}
        text = " ".join(self.statement(depth) for _ in range(self.rng.randrange(1, 4)))
        if depth:
            self.locals = seen
        return text


def program(rng, places):
    parts = [PROLOGUE]
    for _ in range(rng.randrange(1, 4)):
        place = rng.choice(places)
        block = Block(rng, place, False)
        predicate = " /%s/" % block.integer() if rng.random() < 0.4 else ""
        if place[3] and rng.random() < 0.6:
            block.closes = True
            threshold = rng.choice(["", " > 10us", " > worst"])
            parts.append("%s%s%s < %s >" % (place[0], predicate, threshold, block.body()))
        else:
            parts.append("%s%s { %s }" % (place[0], predicate, block.body()))
    return "\n".join(parts) + "\n"


BATCH = 100


def keep(given, number, text, found, messages):
    path = put(given.keep, "%d.lt" % number, text)
    print("%s: %s" % (path, found))
    print("\n".join(messages.splitlines()[:4]), flush=True)


def load_each(given, places, counts):
    """Compiles and loads one after another."""
    for number in range(given.seed, given.seed + given.count):
        text = program(random.Random(number), places)
        with tempfile.NamedTemporaryFile("w", suffix=".lt") as file:
            file.write(text)
            file.flush()
            result, found = run([given.lt, "--stop-after", "load", file.name], 60)
        counts[found or ("loaded" if result.returncode == 0 else "diagnostics")] += 1
        if found:
            keep(given, number, text, found, result.stderr)


def batches(items):
    return [items[i:i + BATCH] for i in range(0, len(items), BATCH)]


def save_plans(given, places, counts):
    """All that compile; the others one by one only where something is wrong among them."""
    os.makedirs(given.save, exist_ok=True)
    command = [given.lt, "check", "--kernel", given.description, "--save", given.save]
    with tempfile.TemporaryDirectory() as folder:
        for numbers in batches(range(given.seed, given.seed + given.count)):
            files = {n: os.path.join(folder, "%d.lt" % n) for n in numbers}
            for number, path in files.items():
                with open(path, "w") as file:
                    file.write(program(random.Random(number), places))
            result, found = run(command + list(files.values()), 30 * BATCH)
            missing = [n for n in numbers if not os.path.exists(os.path.join(given.save, "%d.plan" % n))]
            counts["saved"] += len(numbers) - len(missing)
            if not found:
                counts["diagnostics"] += len(missing)
                continue
            for number in missing:
                result, found = run(command + [files[number]], 60)
                saved = not found and result.returncode == 0
                counts[found or ("saved" if saved else "diagnostics")] += 1
                if found:
                    keep(given, number, open(files[number]).read(), found, result.stderr)


def load_plans(given, places, counts):
    """What is not told to be loaded is tried alone."""
    numbers = sorted(int(name.removesuffix(".plan")) for name in os.listdir(given.load) if name.endswith(".plan"))
    for batch in batches(numbers):
        paths = {n: os.path.join(given.load, "%d.plan" % n) for n in batch}
        result, found = run([given.lt, "check"] + list(paths.values()), 60 * BATCH)
        loaded = set(re.findall(r"^(\S+\.plan): \d+ probes?$", result.stdout, re.M))
        for number, path in paths.items():
            if path in loaded:
                counts["loaded"] += 1
                continue
            result, found = run([given.lt, "check", path], 120)
            again = not found and result.returncode == 0
            counts[found or ("loaded" if again else "refused by lt")] += 1
            if not again:
                keep(given, number, program(random.Random(number), places), found or "refused by lt", result.stderr)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "lt-fuzz"))
    options.add_argument("--kernel", action="store_true", help="functions of the kernel, too")
    options.add_argument("--workload", default="/bin/true", help="the tests' program of that name; `marked` lies beside it")
    options.add_argument("--save", help="compile only, and keep the plans in this folder")
    options.add_argument("--description", help="of the kernel for which plans are saved")
    options.add_argument("--load", help="load the plans of this folder")
    options.add_argument("lt")
    given = options.parse_args()
    places = PLACES[""] + (PLACES["kernel"] if given.kernel else [])
    marked = os.path.join(os.path.dirname(given.workload), "marked")
    places = [(p[0].format(workload=given.workload, marked=marked),) + p[1:] for p in places]
    counts = Counter()
    work = save_plans if given.save else load_plans if given.load else load_each
    work(given, places, counts)
    print(", ".join("%d %s" % (n, what) for what, n in sorted(counts.items())))
    return 1 if set(counts) - {"loaded", "diagnostics", "saved"} else 0


if __name__ == "__main__":
    sys.exit(main())
