#!/usr/bin/env python3
"""beside_bcc.py LT FOLDER [NAME...]: runs tools of lt beside BCC's of the same name (Debian's libbpf-tools, unpacked in
FOLDER) during one workload with a known number of events, and prints a table in Markdown: what the workload did, what lt
counted, and what BCC counted. docs/tools-beside-bcc.md is made of it."""
import glob
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PORT = 17099


def count(pattern):
    """How many lines match."""
    return lambda text: len(re.findall(pattern, text, re.M))


def total(pattern):
    """The sum of the group's numbers over all matches."""
    return lambda text: sum(int(n.replace(",", "")) for n in re.findall(pattern, text, re.M))


def first(pattern):
    def take(text):
        found = re.search(pattern, text, re.M)
        return int(found.group(1).replace(",", "")) if found else 0
    return take


# ---- workloads: each ends when it is done

def processes(n):
    for _ in range(n):
        subprocess.run(["/tmp/beside-bcc/beside"], check=True)


def opens(n):
    for i in range(n):
        try:
            os.close(os.open(f"/tmp/beside-bcc/open-{i}", os.O_RDONLY))
        except FileNotFoundError:
            pass


def stats(n):
    for i in range(n):
        try:
            os.stat(f"/tmp/beside-bcc/stat-{i}")
        except FileNotFoundError:
            pass


def kills(n):
    child = subprocess.Popen(["sleep", "60"])
    for _ in range(n):
        os.kill(child.pid, signal.SIGCONT)
    child.kill()
    child.wait()


def parents(n):
    for _ in range(n):
        os.getppid()


def mounts(n):
    os.makedirs("/tmp/beside-bcc/mnt", exist_ok=True)
    subprocess.run(["unshare", "-m", "sh", "-c", f"for i in $(seq {n}); do mount -t tmpfs beside /tmp/beside-bcc/mnt; "
                    "umount /tmp/beside-bcc/mnt; done"], check=True)


def connections(n):
    server = socket.create_server(("127.0.0.1", PORT))
    for _ in range(n):
        one = socket.create_connection(("127.0.0.1", PORT))
        two, _ = server.accept()
        one.sendall(b"x" * 1000)
        got = 0
        while got < 1000:
            got += len(two.recv(2000))
        two.close()
        one.close()
    server.close()


def disk():
    """A folder on a disk: a virtual machine's own files have none."""
    return os.environ.get("BESIDE_DISK", "/var/tmp")


def writes(n):
    subprocess.run(["dd", "if=/dev/zero", f"of={disk()}/beside-data", "bs=64k", f"count={n}", "oflag=direct",
                    "status=none"], check=True)
    os.unlink(f"{disk()}/beside-data")


def lookups(n):
    for _ in range(n):
        subprocess.run(["getent", "ahosts", "localhost"], stdout=subprocess.DEVNULL, check=True)


def calls(n):
    subprocess.run(["/tmp/beside-bcc/beside", str(n)], check=True)


def births(n):
    for i in range(n):
        with open(f"/tmp/beside-bcc/life-{i}", "w"):
            pass
        os.unlink(f"/tmp/beside-bcc/life-{i}")


def binds(n):
    for _ in range(n):
        server = socket.create_server(("127.0.0.1", PORT))
        server.close()


class Sleeper:
    """A process that waits until it is told to sleep a number of times."""

    def __init__(self):
        code = "import time\nfor i in range(int(input())): time.sleep(0.002)\nprint(1, flush=True)\ninput()"
        self.process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def tell(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()


sleeper = None


def sleeps(n):
    sleeper.tell(str(n))
    sleeper.process.stdout.readline()


# ---- a row: name, sentence, workload, its number, lt's and BCC's arguments, what to read of each

class Row:
    def __init__(self, name, what, work, number, lt, bcc, read_lt, read_bcc=None):
        self.name, self.what, self.work, self.number = name, what, work, number
        self.lt, self.bcc, self.read_lt, self.read_bcc = lt, bcc, read_lt, read_bcc or read_lt


ROWS = [
    Row("execsnoop", "{} programs executed", processes, 40, [], [], count(r"^(?=.*\bbeside\b)(?!.*PCOMM).*$")),
    Row("exitsnoop", "{} processes exit", processes, 40, [], [], count(r"^.*\bbeside +\d+ .*$")),
    Row("opensnoop", "{} files opened", opens, 200, [], [], count(r"beside-bcc/open-\d")),
    Row("statsnoop", "{} files examined", stats, 200, [], [], count(r"beside-bcc/stat-\d")),
    Row("killsnoop", "{} signals sent", kills, 50, [], [], count(r"\bpython3\b.*\b18\b|\bpython3\b.*SIGCONT")),
    Row("syscount", "{} calls of getppid", parents, 5000, ["-p", "{pid}"], ["-p", "{pid}"],
        first(r"getppid\]?:? +([\d,]+)")),
    Row("mountsnoop", "{} mounts and as many unmounts", mounts, 10, [], [], count(r"beside-bcc/mnt")),
    Row("tcplife", "{} connections, both ends", connections, 20, [], [], count(rf"\b{PORT}\b")),
    Row("tcpstates", "{} connections become ESTABLISHED, both ends", connections, 20, [], [],
        count(rf"(?m)^.*\b{PORT}\b.*-> *ESTABLISHED|^.*\b{PORT}\b.*\bSYN_\w+ +(?:-> )?ESTABLISHED.*$")),
    Row("biosnoop", "{} direct writes of 64 KiB", writes, 100, [], [], count(r"\bdd +\d+.*\b65536\b")),
    Row("bitesize", "{} direct writes of 64 KiB", writes, 100, [], [], None),
    Row("gethostlatency", "{} calls of getaddrinfo", lookups, 20, [], [], count(r"getent.*localhost")),
    Row("runqlat", "{} sleeps of a process, and when it was preempted", sleeps, 300, ["-p", "{pid}"], ["-p", "{pid}"], None),
    Row("cpudist", "{} sleeps of a process, and when it was preempted", sleeps, 300, ["-p", "{pid}"], ["-p", "{pid}"], None),
    Row("offcputime", "{} sleeps of 2 ms: milliseconds in all", sleeps, 300, ["-p", "{pid}", "-K", "-M", "100ms"], ["-p", "{pid}", "-M", "100000"],
        None),
    Row("biolatency", "{} direct writes, and those of others", writes, 1000, [], [], None),
    Row("softirqs", "block softirqs during {} direct writes", writes, 1000, [], ["-d"], None),
    Row("hardirqs", "interrupts of the disk during {} direct writes", writes, 1000, [], ["-d"], None),
    Row("filelife", "{} files created and deleted", births, 50, [], [], count(r"life-\d")),
    Row("bindsnoop", "{} ports bound", binds, 20, [], [], count(rf"\b{PORT}\b")),
    Row("solisten", "{} sockets listen", binds, 20, [], [], count(rf"\b{PORT}\b")),
    Row("tcpconnect", "{} connections", connections, 20, [], [], count(rf"\b{PORT}\b")),
    Row("tcpconnlat", "{} connections", connections, 20, [], [], count(rf"\b{PORT}\b")),
    Row("tcprtt", "{} connections", connections, 20, [], [], None),
    Row("funclatency", "{} calls of a function", calls, 1000, ["u:/tmp/beside-bcc/beside:work"],
        ["/tmp/beside-bcc/beside:work"], None),
]


def histogram_sum(text):
    """BCC's: "64 -> 127 : 12 |"; lt's: "[64us, 128us) 12 |", or a table with the column `count`."""
    return (total(r"-> \d+ *: (\d+)")(text) or total(r"^[\[(][^|]*[)\]] +(\d+) +\|")(text))


def counts(text):
    """BCC's histograms, or the column `count` of lt's table."""
    return total(r"-> \d+ *: (\d+)")(text) or total(r"^\S+(?: +\d+)? +([\d,]+) +\S+ +[\d.]+%")(text)


def of_disk(text):
    """softirqs, hardirqs: the block of the disk, or its row in lt's table."""
    parts = re.split(r"^(?:soft|hard)irq = ", text, flags=re.M)
    theirs = sum(counts(p) for p in parts[1:] if re.match(r"block|virtio\d-req|nvme", p))
    return theirs or total(r"^(?:block|virtio\d-req\S*|nvme\S*)(?: +\d+)? +([\d,]+) +\S+ +[\d.]+%")(text)


def milliseconds(text):
    """The values of stacks: lt's durations, or BCC's lines with microseconds."""
    units = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1000}
    ours = sum(float(n) * units[u] for n, u in re.findall(r"^\]: ([\d.]+) ?(ns|us|ms|s)$", text, re.M))
    return round(ours or sum(int(n) for n in re.findall(r"^ +(\d+)$", text, re.M)) / 1000)


def after_dd(text):
    """bitesize: the block of the process dd."""
    part = re.split(r"^.*\bdd\b.*$", text, maxsplit=1, flags=re.M)
    return histogram_sum(re.split(r"\n\n|\nProcess Name|\n@", part[1].lstrip("\n"))[0]) if len(part) > 1 else 0


class Tool:
    """A running tool, and what it has printed."""

    def __init__(self, words):
        self.text, self.errors = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, stdout=self.text, stderr=self.errors, stdin=subprocess.DEVNULL)

    def hooks(self):
        links = 0
        for path in glob.glob(f"/proc/{self.process.pid}/fd/*"):
            try:
                links += bool(re.search(r"bpf_link|perf_event|bpf-prog", os.readlink(path)))
            except OSError:
                pass
        return links

    def wait_until_attached(self, says_so):
        """lt says that it traces; of others, the number of programs and links has not changed for some time."""
        last, since, begun = 0, time.time(), time.time()
        while time.time() - begun < 120:
            if self.process.poll() is not None:
                return False
            if says_so and b"lt: tracing" in os.pread(self.errors.fileno(), 100000, 0):
                return True
            now = 0 if says_so else self.hooks()
            if now != last:
                last, since = now, time.time()
            if last > 0 and time.time() - since > 1.5:
                return True
            time.sleep(0.1)
        return False

    def interrupt(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def end(self):
        try:
            self.process.wait(90)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.text.seek(0)
        self.errors.seek(0)
        return self.text.read() + self.errors.read()


def run(row, lt, folder):
    global sleeper
    sleeper = Sleeper()
    fill = {"pid": str(sleeper.process.pid if row.work is sleeps else os.getpid())}
    words = [[lt, row.name] + [w.format(**fill) for w in row.lt],
             [os.path.join(folder, "usr/sbin", row.name)] + [w.format(**fill) for w in row.bcc]]
    # one after the other: lt compiles first, and what BCC alone would see meanwhile is not in the table
    tools, attached = [], []
    for w in words:
        tools.append(Tool(w))
        attached.append(tools[-1].wait_until_attached(len(tools) == 1))
    row.work(row.number)
    time.sleep(2)
    for t in tools:
        t.interrupt()
    texts = [t.end() for t in tools]
    sleeper.process.kill()
    sleeper.process.wait()
    reads = [row.read_lt, row.read_bcc]
    if os.environ.get("BESIDE_SHOW"):
        for text in texts:
            print(text[-3000:], file=sys.stderr)
    return [str(read(text)) if fine else "cannot attach here" for read, text, fine in zip(reads, texts, attached)]


def main():
    lt, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs("/tmp/beside-bcc", exist_ok=True)
    source = "/tmp/beside-bcc/beside.c"
    with open(source, "w") as file:
        file.write("#include <stdlib.h>\n#include <unistd.h>\n"
                   "__attribute__((noinline)) void work(void) { usleep(50); }\n"
                   "int main(int c, char** v) { for (int i = c > 1 ? atoi(v[1]) : 0; i > 0; i--) work(); }\n")
    subprocess.run(["gcc", "-O1", "-o", "/tmp/beside-bcc/beside", source], check=True)
    for row in ROWS:
        own = {"bitesize": after_dd, "offcputime": milliseconds, "softirqs": of_disk, "hardirqs": of_disk}
        if row.read_lt is None:
            row.read_lt = row.read_bcc = own.get(row.name, histogram_sum)
    print("| tool | workload | lt | BCC |\n| --- | --- | ---: | ---: |")
    for row in ROWS:
        if names and row.name not in names:
            continue
        ours, theirs = run(row, lt, folder)
        print(f"| {row.name} | {row.what.format(row.number)} | {ours} | {theirs} |", flush=True)
    print(f"\nLinux {platform.release()}", file=sys.stderr)


main()
