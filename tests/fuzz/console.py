#!/usr/bin/env python3
"""Types at random into consoles whose windows change their size at random: a console never dies, and answers at the end.

usage: console.py [--count SIZES] [--seed S] LT

Keys are letters, pieces of programs, what moves and deletes, searches in the history, pasted text, and bytes that are no
text. The C library checks the heap (MALLOC_CHECK_). Prints each finding, with the seed and the last that was typed; the
status is 1 if there is any.
"""
import argparse
import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

PATIENCE = 300  # a busy machine compiles slowly, and what was typed may be many programs
EACH = 100  # sizes of one console
CHECKER = "/lib/x86_64-linux-gnu/libc_malloc_debug.so.0"
WORDS = ["t:sched:sched_switch { @[args.next_comm] = count(); }", "sc:getppid < @ = hist(...); >", "help", "list", "show @",
         "interval:ms:20 { printf(\"tick\\n\"); }", "stop 2", "watch @", "watch off", "äöü ∑ 漢字 🎉", "mark a", "diff a"]
MOVES = ["\x01", "\x02", "\x05", "\x06", "\x08", "\x0b", "\x0c", "\x0e", "\x10", "\x14", "\x15", "\x17", "\x19", "\x7f",
         "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x1bb", "\x1bf", "\x1bd", "\t", "\t\t",
         "\x12", "\x12sched", "\x16", "\x16\x1b", "\x1b", "\x1bx", "\x1b5", "\x03"]


class Console:
    def __init__(self, lt, home):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = dict(os.environ, TERM="xterm", HOME=home, LANG="C.UTF-8")
            if os.path.exists(CHECKER):
                environment.update(LD_PRELOAD=CHECKER, MALLOC_CHECK_="3", MALLOC_PERTURB_="165")
            os.execve(lt, [lt], environment)
        self.last, self.seen = [], b""
        self.size(40, 120)

    def size(self, rows, columns):
        self.last.append((rows, columns))
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, data):
        self.last.append(data)
        while data and self.alive():
            if select.select([], [self.fd], [], 0.05)[1]:
                data = data[os.write(self.fd, data[:512]):]
            self.read(0)

    def read(self, seconds):
        try:
            while select.select([self.fd], [], [], seconds)[0]:
                data = os.read(self.fd, 65536)
                if not data:
                    return
                self.seen = (self.seen + data)[-65536:]
                seconds = 0
        except OSError:
            pass

    def alive(self):
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def answers(self):
        """Does it, once what was begun is given up?"""
        self.size(40, 120)
        end = time.time() + PATIENCE
        while time.time() < end and self.alive():
            for key in (b"\x1b[201~", b"\x07", b"\x03", b"\x03"):  # each alone, for the same reason
                self.type(key)
                self.read(0.3)
                time.sleep(0.3)
            self.seen = b""
            self.type(b"list\r")
            for _ in range(100):  # Ctrl-C throws away what is typed and not read
                self.read(0.2)
                if re.search(rb"  1  [(a-z]|no trace", self.seen):
                    return True
        return False

    def end(self):
        """The wait status."""
        if self.alive():
            os.kill(self.pid, signal.SIGTERM)
        end = time.time() + PATIENCE
        while self.alive():
            self.read(0.05)
            if time.time() > end:
                os.kill(self.pid, signal.SIGKILL)
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return status


def keys(rng):
    kind = rng.random()
    if kind < 0.35:
        return rng.choice(MOVES).encode()
    if kind < 0.55:
        return rng.choice(WORDS).encode()
    if kind < 0.65:
        return (rng.choice("ax ") * rng.randrange(1, 400)).encode()
    if kind < 0.75:
        return b"\r"
    if kind < 0.9:
        text = rng.choice(WORDS) + rng.choice(["", "\n", "\r\n\t"]) + rng.choice(WORDS) * rng.randrange(20)
        return b"\x1b[200~" + text.encode() + rng.choice([b"\x1b[201~", b"\x1b[201~", b"\x1b[201~", b""])
    # neither end of the input, nor what stops or ends a process
    return bytes(b for b in rng.randbytes(rng.randrange(1, 30)) if b not in b"\x04\x1a\x1c\x13\x11")


def size(rng):
    rows = rng.choice([rng.randrange(1, 6), rng.randrange(1, 70), 24, 65535 if rng.random() < 0.05 else 40])
    columns = rng.choice([rng.randrange(1, 12), rng.randrange(1, 200), 80, 65535 if rng.random() < 0.05 else 100])
    return rows, columns


def one_console(lt, rng, sizes):
    """What went wrong, or nothing."""
    with tempfile.TemporaryDirectory(prefix="lt-console-") as home:
        with open(home + "/.lt_history", "w") as history:
            history.write("_HiStOrY_V2_\n" + "".join(f"t:sched:sched_switch\\040{{\\040@=count();\\040}}\\040{i}\n"
                                                      for i in range(300)))
        console = Console(lt, home)
        console.type(b"sc:getppid < @ns = hist(...); >\r")
        console.read(0.5)
        for _ in range(sizes):
            for _ in range(rng.randrange(4)):
                console.type(keys(rng))
            console.size(*size(rng))
            console.read(rng.choice([0, 0.002, 0.02]))
            if not console.alive():
                break
        died = not console.alive()
        answers = not died and console.answers()
        last = console.last[-12:]
        status = console.end()
    if os.WIFSIGNALED(status) or (died and status != 0):
        return f"ended with wait status {status} after {last}"
    return "" if answers or died else f"does not answer after {last}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("lt")
    options = parser.parse_args()
    findings, left = 0, options.count
    while left > 0:
        seed = options.seed + options.count - left
        wrong = one_console(os.path.abspath(options.lt), random.Random(seed), min(EACH, left))
        left -= min(EACH, left)
        if wrong:
            findings += 1
            print(f"seed {seed}: {wrong}", flush=True)
    print(f"{options.count} sizes: {findings} findings" if findings else f"{options.count} sizes, all consoles alive")
    return 1 if findings else 0


sys.exit(main())
