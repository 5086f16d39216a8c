"""Who runs a program of the fuzzer of meaning: the kernel, by lt; the interpreter of BPF and lt's own, by lt-machine; bpftrace."""

import os
import re

from common import run
from meaning_statements import indent
from meaning_memory import BASE

PROGRAM_OF_MACHINE = "u:program:add"  # what stands for the workload's function in the fake kernel


class Outcome:
    """The lines that were printed; or `fault`: what is wrong with lt; or `refusal`: its diagnostic."""

    def __init__(self, lines=None, fault="", refusal="", messages=""):
        self.lines, self.fault, self.refusal, self.messages = lines, fault, refusal, messages


TOO_LONG = re.compile("too many branches|but only \\d+ are available")  # limits that a message names


def outcome(result, fault):
    if fault and TOO_LONG.search(result.stderr):
        return Outcome(refusal="too long for the kernel")
    if fault:
        return Outcome(fault=fault, messages=result.stderr)
    if result.returncode != 0:
        first = re.search(r"error: (.*)", result.stderr) or re.search(r"lt-?\w*: (.*)", result.stderr)
        return Outcome(refusal=first.group(1) if first else result.stderr[:200], messages=result.stderr)
    return Outcome(result.stdout.split("\n")[:-1], messages=result.stderr)


class Kernel:
    name = "kernel"

    def __init__(self, lt, workload, folder):
        self.lt, self.workload, self.folder = lt, workload, folder

    def place(self, program):
        return "u:%s:%s" % (self.workload, program.place) if program.place else None

    def can(self, program):
        return True

    def command(self, program):
        path = os.path.join(self.folder, "program." + program.dialect)
        with open(path, "w", encoding="latin-1") as file:
            file.write(program.text(self.place(program)))
        command = [self.lt, "-q"]
        if program.place:
            command += ["-c", "%s %s" % (self.workload, program.memory.hex())]
        return command + [path] + list(program.words)

    def run(self, program):
        return outcome(*run(self.command(program), 60))

    def run_plan(self, program, plan):
        command = self.command(program)
        return outcome(*run([plan if word.endswith("program." + program.dialect) else word for word in command], 60))


class Machine:
    """The programs of BPF in the interpreter; with `host` what lt runs itself."""

    def __init__(self, lt_machine, folder, host=False):
        self.lt_machine, self.folder, self.host = lt_machine, folder, host
        self.environment = dict(os.environ, LT_BUILD=os.path.dirname(os.path.dirname(lt_machine)))
        self.name = "host" if host else "machine"

    def place(self, program):
        return PROGRAM_OF_MACHINE if program.place else None

    def can(self, program):
        return program.dialect == "lt" and not program.words and program.place in ((None,) if self.host else (None, "look"))

    def run(self, program):
        path, scenario = os.path.join(self.folder, "machine.lt"), os.path.join(self.folder, "scenario")
        with open(path, "w", encoding="latin-1") as file:
            file.write(program.text(self.place(program)))
        with open(scenario, "w") as file:
            file.write("at 1ns\n")
            if program.place:
                file.write('user 0x%x "%s"\n' % (BASE, "".join("\\x%02x" % b for b in program.memory)))
                file.write("%s %s\n" % (PROGRAM_OF_MACHINE, " ".join("arg%d=0x%x" % a for a in enumerate(program.arguments))))
        more = ["--host", "yes"] if self.host else []
        return outcome(*run([self.lt_machine] + more + [scenario, path], 60, env=self.environment))


class Bpftrace:
    """Says whether the evaluator and lt mean the same as the installed bpftrace where the languages agree."""
    name = "bpftrace"

    def __init__(self, folder):
        self.path = os.path.join(folder, "shared.bt")

    def place(self, program):
        return None

    def can(self, program):
        return program.shared

    def run(self, program):
        maps = ["clear(%s);" % v.name for v in program.variables if v.keys is not None]  # or they are printed
        with open(self.path, "w") as file:
            file.write("BEGIN {\n%s}\n" % indent("\n".join([s.text() for s in program.body] + maps + ['printf("end\\n");', "exit();"])))
        result, fault = run(["bpftrace", self.path], 60)
        if fault or result.returncode != 0:
            return Outcome(refusal=fault or "bpftrace: " + " ".join(re.findall("ERROR: (?!Unknown error -1: couldn't set)(.*)", result.stderr))[:200], messages=result.stderr)
        lines = result.stdout.split("\n")
        return Outcome(lines[1:lines.index("end")] if "end" in lines else lines)  # the first one says what is attached
