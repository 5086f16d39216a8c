#!/usr/bin/env python3
"""Ends lt at random moments, by SIGKILL, SIGTERM or SIGINT, in all its modes: whatever it was at, nothing is left.

usage: kills.py [--count N] [--seed S] LT WORKLOAD

What could be left, and how it is known to be ours:
  a process     its words hold a number that no other one's do, or it is a child of lt's
  a program, map or link of BPF     its maps, which each of them holds, have names that begin as no other one's do
  an event of tracefs               its file names the workload
  a file        in the folder for temporary files, or in the current one, both of which are lt's alone
  a socket      in the folder of control sockets, with the number of a process that was ours

Prints each finding; the status is 1 if there is any.
"""
import argparse
import fcntl
import json
import os
import pty
import random
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

PATIENCE = 60  # for what a busy machine gets around to late
SPAN = "sc:getppid < @zqns[comm] = hist(latency); >"
PAIR = "t:sched:sched_switch[args.prev_pid] -> t:sched:sched_switch[args.next_pid] < @zqc[comm] = count(); >"
KEYS = [SPAN, PAIR, "watch @zqns", "list", "stop all", "interval:ms:10 { printf(\"x\\n\"); }", "\x03"]


def until(condition, seconds=PATIENCE):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def processes(word):
    """Those with this word on their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(int(pid))
    return found


def maps():
    """Those of our programs, and so these and their links."""
    shown = subprocess.run(["bpftool", "-j", "map", "show"], capture_output=True, text=True)
    return sorted({each["id"] for each in json.loads(shown.stdout or "[]") if each.get("name", "").startswith("at_zq")})


def events(workload):
    try:
        lines = open("/sys/kernel/tracing/uprobe_events").read().splitlines()
    except OSError:
        return []
    return [line for line in lines if workload in line]


class Round:
    def __init__(self, number, rng, lt, workload):
        self.rng, self.lt = rng, lt
        self.folder = tempfile.mkdtemp(prefix="lt-kills-")
        self.temporary = tempfile.mkdtemp(prefix="lt-kills-tmp-")
        self.mark = f"{os.getpid()}{number:06}"  # seconds that no one else sleeps
        self.workload = workload
        self.environment = dict(os.environ, TMPDIR=self.temporary, HOME=self.temporary, TERM="xterm")
        self.terminal = None
        self.helpers = []

    def start(self, mode):
        words = [self.lt]
        uprobe = f"u:{self.workload}:held < @zqu = count(); >"
        program = self.rng.choice([SPAN, PAIR, f"{SPAN} {uprobe}", f"BEGIN {{ printf(\"begin\\n\"); }} {PAIR}"])
        if mode == "live":
            words += ["-e", program]
        elif mode == "command":
            words += ["-e", program, "-c", f"sleep {self.mark}"]
        elif mode == "process":
            self.helpers.append(subprocess.Popen(["sleep", self.mark]))
            words += ["-e", program, "-p", str(self.helpers[0].pid)]
        elif mode == "plan":
            words += [self.plan]
        elif mode == "control":
            words += ["-e", program]
        if mode == "console":
            return self.console()
        lt = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if mode == "control":
            for command in ("list", "show", "mark a", "diff a", "pause", "resume", "open"):
                self.helpers.append(subprocess.Popen([self.lt, "ctl", str(lt.pid), *command.split()],
                                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return lt.pid

    def console(self):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(self.lt, [self.lt], self.environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        return pid

    def pass_time(self, seconds):
        """Meanwhile somebody types."""
        end = time.time() + seconds
        while time.time() < end:
            if self.terminal is None:
                time.sleep(max(0, end - time.time()))
                return
            try:
                if select.select([self.terminal], [], [], min(0.05, max(0, end - time.time())))[0]:
                    os.read(self.terminal, 65536)
                elif self.rng.random() < 0.4:
                    os.write(self.terminal, self.rng.choice(KEYS).encode() + b"\r")
            except OSError:
                return

    def end(self, pid, how):
        os.kill(pid, how)
        ended = until(lambda: self.drained() and os.waitpid(pid, os.WNOHANG)[0] == pid)
        if not ended:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        for helper in self.helpers:
            if helper.args[0] == "sleep":
                helper.kill()
            helper.wait()
        if self.terminal is not None:
            os.close(self.terminal)
        return ended

    def drained(self):
        try:
            while self.terminal is not None and select.select([self.terminal], [], [], 0)[0] and os.read(self.terminal, 65536):
                pass
        except OSError:
            pass
        return True

    def left(self, pid, how):
        if not until(lambda: not processes(self.mark)):
            yield f"processes {processes(self.mark)}"
            for each in processes(self.mark):
                os.kill(each, signal.SIGKILL)
        kept = {".lt_history", ".cache"}  # between runs, by intention
        for folder in (self.folder, self.temporary):
            files = set(os.listdir(folder)) - kept
            if files:
                yield f"files {sorted(files)}"
            shutil.rmtree(folder, ignore_errors=True)
        if how != signal.SIGKILL and os.path.exists(f"/run/lt/{pid}"):
            yield f"the socket /run/lt/{pid}"
        if events(self.workload):
            yield f"events {events(self.workload)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("lt")
    parser.add_argument("workload")
    options = parser.parse_args()
    lt, workload = os.path.abspath(options.lt), os.path.abspath(options.workload)
    rng = random.Random(options.seed)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's command in the background has it ignored
    home = tempfile.mkdtemp(prefix="lt-kills-plan-")
    plan = os.path.join(home, "plan")
    subprocess.run([lt, "--save", plan, "-e", SPAN], check=True)
    ours, findings, counts = set(), 0, {}
    modes = ("live", "command", "process", "plan", "console", "control")

    def found(text):
        nonlocal findings
        findings += 1
        print(f"left: {text}", flush=True)

    def look_at_kernel(last):
        if not until(lambda: not maps()):
            found(f"maps {maps()} up to round {last}")

    for number in range(options.count):
        mode, how = modes[number % len(modes)], rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        one = Round(number, rng, lt, workload)
        one.plan = plan
        pid = one.start(mode)
        ours.add(pid)
        one.pass_time(rng.choice((0.02, 0.3, 1.0)) * rng.random())
        name = signal.Signals(how).name
        counts[mode, name] = counts.get((mode, name), 0) + 1
        if mode == "console" and how == signal.SIGINT:
            how = signal.SIGTERM  # for a console that is Ctrl-C, which ends nothing
        if not one.end(pid, how):
            found(f"round {number}, {mode}: did not end by {name}")
        for what in one.left(pid, how):
            found(f"round {number}, {mode}, {name}: {what}")
        if number % 50 == 49:
            look_at_kernel(number)
    look_at_kernel(options.count - 1)
    subprocess.run([lt, "ctl", "list"], capture_output=True)  # takes away what SIGKILL has left
    sockets = [name for name in (os.listdir("/run/lt") if os.path.isdir("/run/lt") else [])
               if int(name.split(".")[0]) in ours]
    if sockets:
        found(f"sockets {sockets}")
    shutil.rmtree(home)
    for (mode, name), count in sorted(counts.items()):
        print(f"{mode} {name}: {count}", file=sys.stderr)
    print(f"{options.count} ends, seed {options.seed}: {findings} findings" if findings else f"{options.count} ends, nothing left")
    return 1 if findings else 0


sys.exit(main())
