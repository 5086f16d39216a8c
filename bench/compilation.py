"""Measures what tracing costs a build, which is many short processes: its time, untraced and traced, in turns."""

import os
import subprocess
import time
from statistics import median

import servers

FILES, ROUNDS = 24, 7
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "load.c")
# Names, and the scripts of lt and bpftrace.
WAYS = [
    ("t:sched:*", "t:sched:* { @[probe] = count(); }", "t:sched:* { @[probe] = count(); }"),
    ("context switches by thread", "t:sched:sched_switch { @[args.prev_comm, args.prev_pid] = count(); }",
     "t:sched:sched_switch { @[args->prev_comm, args->prev_pid] = count(); }"),
    ("openat of all processes", "sc:openat < @ = hist(...) >", "t:syscalls:sys_enter_openat " +
     servers.SPAN % "syscalls:sys_exit_openat"),
]


def compile_files(folder):
    """Seconds."""
    start, left = time.monotonic(), list(range(FILES))
    running = []
    while left or running:
        while left and len(running) < os.cpu_count():
            running.append(subprocess.Popen(["gcc", "-O2", "-c", SOURCE, "-o", "%s/%d.o" % (folder, left.pop())]))
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        running = [process for process in running if process.poll() is None]
    return time.monotonic() - start


def bench(tools, lt, folder, note, table):
    rows, seconds = [], []
    for name, by_lt, by_bpftrace in WAYS:
        commands = {"lt": [lt, "-e", by_lt], "bpftrace": ["bpftrace", "-e", by_bpftrace]}
        ratios = {tool: [] for tool in commands if tool in tools}
        for _ in range(ROUNDS):
            for tool in list(ratios):
                try:
                    plain = compile_files(folder)
                    ratios[tool].append(servers.traced(commands[tool], lambda: compile_files(folder)) / plain)
                except (OSError, subprocess.SubprocessError) as error:
                    note("compilation: %s, %s: %s" % (name, tool, error))
                    del ratios[tool]
                    continue
                seconds.append(plain)
        rows.append([name, *("%.3f" % median(ratios[t]) if ratios.get(t) else "-" for t in ("lt", "bpftrace"))])
    if seconds:
        table("a compilation of %d files, %.1f s: its time beside untraced ones (1 is no difference); medians of %d pairs" %
              (FILES, median(seconds), ROUNDS), ["what is traced", "lt", "bpftrace"], rows)
