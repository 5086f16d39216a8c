"""Measures what causes cost: a context switch with its wake-up while `why` watches, next to two programs that do nothing,
to offcputime and to `perf sched record`; and a span with causes next to one without.

Two threads take turns on one CPU (bench/load.c), by pipes, where each turn is a wait and a wake-up, or by sched_yield,
where lt takes no stack. Each way to trace takes its turn in each round, next to an untraced run.
"""

import os
import shutil
import subprocess
import time
from statistics import median

SECONDS, ROUNDS, BLOCKS, COUNT = 60, 15, 20, 2000
RATE = 100_000  # switches per second, of which the share of a CPU is told
EMPTY = "two programs that do nothing"
# Each thread of the load begins with a call of getppid: a span that is over, and one that stays open.
CLOSED = "sc:getppid < %s >"
OPEN = "t:syscalls:sys_enter_getppid[tid] -> t:syscalls:sys_enter_getsid[tid] < %s >"


def ways(tools):
    """Names and command lines, in which {} is the load; a command without {} runs beside the load until a signal."""
    lt, floor, build = tools
    return {
        EMPTY: [floor, f"{build}/bench/switch.o", "", "", "{}"],
        "lt, spans of other threads": [lt, "-e", "sc:sethostname < @ = why(); >", "-c", "{}"],
        "lt, after a span": [lt, "-e", CLOSED % "@ = why();", "-c", "{}"],
        "lt, inside a span": [lt, "-e", OPEN % "@ = why();", "-c", "{}"],
        "lt, its longest wait, too": [lt, "-e", OPEN % "@[why.longest.cause] = count();", "-c", "{}"],
        "lt, the flight recorder": [lt, "--keep", "16MB", "-e", "sc:sethostname < snapshot(); >", "-c", "{}"],
        "offcputime": ["offcputime"],
        "perf sched record": ["perf", "sched", "record", "-q", "-o", "/dev/null", "{}"],
    }


def read_load(path):
    with open(path, encoding="utf-8") as file:
        cheapest = min(float(line) for line in file if " " not in line)
    os.remove(path)
    return cheapest


def asleep(pid):
    """Such a tool sleeps once it has attached, and prints nothing before its end."""
    with open(f"/proc/{pid}/wchan", encoding="utf-8") as file:
        return "nanosleep" in file.read()


def traced(command, load):
    if "{}" in command:
        words = [part for word in command for part in (load if word == "{}" and command[0].endswith(("floor", "perf")) else
                                                       [" ".join(load) if word == "{}" else word])]
        subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
        return
    tool = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not asleep(tool.pid):
            if tool.poll() is not None:
                raise OSError("it ended before it had attached")
            time.sleep(0.01)
        subprocess.run(load, check=True, timeout=60)
    finally:
        tool.terminate()
        tool.wait(60)


def measure(commands, kind, build, folder, note):
    """For each way, the costs of an event in all rounds, untraced and traced."""
    load = [f"{build}/bench/load", kind, str(BLOCKS), str(COUNT), f"{folder}/load"]
    costs, end = {name: [] for name in commands}, time.monotonic() + SECONDS
    for number in range(ROUNDS):
        if number >= 3 and time.monotonic() > end:
            break
        for name in list(costs):
            try:
                subprocess.run(load, check=True, timeout=60)
                plain = read_load(load[-1])
                traced(commands[name], load)
                costs[name].append((plain, read_load(load[-1])))
            except (OSError, subprocess.SubprocessError, ValueError) as error:
                note(f"why: {name} did not run: {error}")
                del costs[name]
    return {name: pairs for name, pairs in costs.items() if pairs}


def added(pairs, untraced):
    """The least of the traced runs beside the least of the untraced ones, and the median of the differences, ns."""
    return min(with_it for _, with_it in pairs) - untraced, median(with_it - plain for plain, with_it in pairs)


def bench(build, lt, folder, note, table):
    commands = ways((lt, f"{build}/bench/floor", build))
    for tool, package in (("offcputime", "libbpf-tools"), ("perf", "linux-perf")):
        if not shutil.which(tool):
            note(f"why: {tool} is not there (apt-get install {package})")
            commands = {name: command for name, command in commands.items() if command[0] != tool}
    rows = {name: [name] for name in commands}
    for kind in ("yield", "pipe"):
        costs = measure(commands, kind, build, folder, note)
        untraced = min(plain for pairs in costs.values() for plain, _ in pairs)
        floor = added(costs[EMPTY], untraced) if EMPTY in costs else None
        for name, row in rows.items():
            least, middle = added(costs[name], untraced) if name in costs else (None, None)
            row += ["-"] * 4 if least is None else [
                f"{untraced:.0f}", f"{least:.0f} ({middle:.0f})",
                f"{least / floor[0]:.1f} ({middle / floor[1]:.1f})" if floor and min(floor) > 0 else "-",
                f"{least * RATE / 1e7:.2f} %"]
    table("ns of CPU time that a context switch takes untraced, and becomes dearer by, minimum (median); how often the cost "
          f"of programs that do nothing\nthis is; and the share of a CPU at {RATE:,} of them a second. First between threads "
          "that yield, then with a wait at a pipe and a wake-up for each",
          ["what watches", "yield", "+", "x", "share", "pipe", "+", "x", "share"],
          list(rows.values()))
    spans = {name: [lt, "-e", CLOSED % what, "-c", "{}"]
             for name, what in (("latency", "@ = hist(latency);"), ("why", "@ = why();"))}
    costs = measure(spans, "calls", build, folder, note)
    if len(costs) == 2:
        untraced = min(plain for pairs in costs.values() for plain, _ in pairs)
        least = {name: added(pairs, untraced) for name, pairs in costs.items()}
        table("ns of CPU time that a span adds to a system call, minimum (median)", ["without causes", "with", "ratio"],
              [[*(f"{least[name][0]:.0f} ({least[name][1]:.0f})" for name in spans),
                f"{least['why'][0] / least['latency'][0]:.1f}"]])
