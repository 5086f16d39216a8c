"""Measures what tracing costs a server: requests per second of memcached and redis, untraced and traced, in turns.

The server is on the first CPU and its clients (bench/requests.c) on the last one, so that what is added to a system call
shows as requests that are not served. A round is untraced, then each way to trace, each with so many requests as fit in
SECONDS; ratios are of neighbours in time, their median counts.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from statistics import median

SECONDS, ROUNDS, CLIENTS = 0.7, 9, 8
SPAN = "{ @start[tid] = nsecs; } t:%s /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start[tid]); }"


class Server:
    """Runs a server, with one key set, while the block runs."""

    def __init__(self, name, port, command, first, request):
        self.name, self.port, self.command, self.first, self.request = name, port, command, first, request

    def __enter__(self):
        self.process = subprocess.Popen(["taskset", "-c", "0", *self.command], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(1000):
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as to:
                    to.sendall(self.first)
                    to.recv(100)
                return self
            except ConnectionRefusedError:
                time.sleep(0.01)
        raise OSError("%s does not answer" % self.name)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def cpu(self):
        """The nanoseconds that its threads ran."""
        folder, total = "/proc/%d/task" % self.process.pid, 0
        for thread in os.listdir(folder):
            with open("%s/%s/schedstat" % (folder, thread)) as file:
                total += int(file.read().split()[0])
        return total


def servers(folder):
    value = b"v" * 100
    return [
        Server("memcached", 18211, ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", "18211", "-t", "1"],
               b"set k 0 0 100\r\n" + value + b"\r\n", "get k"),
        Server("redis", 18379, ["redis-server", "--bind", "127.0.0.1", "--port", "18379", "--save", "", "--dir", folder],
               b"SET k " + value + b"\r\n", "GET k"),
    ]


def ways(lt, pid):
    """Names, and the scripts of lt and bpftrace; `other` is a process that does nothing."""
    other = os.getpid()
    every = "t:raw_syscalls:sys_enter /%s/ { @start[tid] = nsecs; } " \
            "t:raw_syscalls:sys_exit /@start[tid]/ { @ = hist(nsecs - @start[tid]); delete(@start[tid]); }"
    one = "t:syscalls:sys_enter_epoll_wait /pid == %d/ " + SPAN % "syscalls:sys_exit_epoll_wait"
    return [
        ("epoll_wait of the server", [lt, "-p", str(pid), "-e", "sc:epoll_wait < @ = hist(...) >"],
         ["bpftrace", "-e", one % pid]),
        ("a call in 100, all calls", [lt, "-p", str(pid), "-e", "sc:* /rand % 100 == 0/ < @ = hist(...) >"],
         ["bpftrace", "-e", every % ("pid == %d && rand %% 100 == 0" % pid)]),
        ("all calls of another process", [lt, "-p", str(other), "-e", "sc:* < @[probe] = hist(...) >"],
         ["bpftrace", "-e", every % ("pid == %d" % other)]),
        ("all calls of the server", [lt, "-p", str(pid), "-e", "sc:* < @[probe] = hist(...) >"],
         ["bpftrace", "-e", every % ("pid == %d" % pid)]),
        ("sc:*, all processes", [lt, "-e", "sc:* < @[probe] = hist(...) >"], ["bpftrace", "-e", every % "1"]),
    ]


def load(build, server):
    """Requests per second, and the server's own CPU time for each."""
    before = server.cpu()
    output = subprocess.check_output([build + "/bench/requests", str(server.port), str(CLIENTS), str(SECONDS), server.request],
                                     text=True, timeout=60)
    got = {words[0]: int(words[1]) for words in map(str.split, output.splitlines())}
    return got["requests"] / got["ns"] * 1e9, (server.cpu() - before) / got["requests"]


def traced(command, work):
    """What the work returns while a tool traces, which is ended then."""
    with tempfile.TemporaryFile("w+") as output:
        tool = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            wait_attached(tool, output)
            return work()
        finally:
            tool.send_signal(2)
            tool.wait(60)


def wait_attached(tool, output):
    for _ in range(3000):
        output.seek(0)
        text = output.read()
        if "tracing " in text or "Attaching " in text and attached(tool.pid):
            return
        if tool.poll() is not None:
            raise OSError(text.strip().splitlines()[-1] if text.strip() else "it ended")
        time.sleep(0.01)
    raise OSError("it did not attach")


def attached(pid):
    """bpftrace prints that it attaches, not that it has attached: its programs exist once it waits for events."""
    with open("/proc/%d/wchan" % pid) as file:
        return "epoll" in file.read()


def bench(tools, build, lt, note, table):
    with tempfile.TemporaryDirectory(prefix="lt-servers-") as folder:
        for server in servers(folder):
            if not shutil.which(server.command[0]):
                note("servers: %s is not there" % server.command[0])
                continue
            with server:
                one_server(server, tools, build, lt, note, table)


def one_server(server, tools, build, lt, note, table):
    rows = []
    for name, by_lt, by_bpftrace in ways(lt, server.process.pid):
        ratios, costs, rates = {}, {}, []
        commands = {tool: c for tool, c in (("lt", by_lt), ("bpftrace", by_bpftrace)) if tool in tools}
        for _ in range(ROUNDS):
            for tool, command in list(commands.items()):
                try:
                    plain = load(build, server)
                    with_it = traced(command, lambda: load(build, server))
                except (OSError, subprocess.SubprocessError) as error:
                    note("servers: %s, %s: %s" % (name, tool, error))
                    del commands[tool]
                    continue
                rates.append(plain[0])
                ratios.setdefault(tool, []).append(with_it[0] / plain[0])
                costs.setdefault(tool, []).append(with_it[1] - plain[1])
        shown = lambda values, form: form % median(values) if values else "-"
        rows.append([name, shown(rates, "%.0f"), *(shown(ratios.get(t, []), "%.3f") for t in ("lt", "bpftrace")),
                     *(shown(costs.get(t, []), "%.0f") for t in ("lt", "bpftrace"))])
    head = ["what is traced", "requests/s untraced", "lt", "bpftrace", "ns a request, lt", "bpftrace"]
    table("%s with %d clients: requests a second beside untraced ones (1 is no difference), and CPU time that the server "
          "needs more\nfor each; medians of %d pairs" % (server.name, CLIENTS, ROUNDS), head, rows)
