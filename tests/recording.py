#!/usr/bin/env python3
"""Writes a recording (ltr(5)) from a text, for tests: recording.py FILE.ltr < TEXT

    begin 1s                 the header; also end, cpus, span, script, missing, torn, missed, lost_stacks
    thread 11 10 app         thread 11 of process 10, called app
    1.001s 0 11 switched 20 state=1 reported=1     TIME CPU THREAD KIND, then what the kind has; `preempted` is a flag

Times have a unit: ns, us, ms, s. Records are sorted by time.
"""
import json
import struct
import sys
import zlib

UNITS = {"ns": 1, "us": 1000, "ms": 10**6, "s": 10**9}
KINDS = ("none switched waking lock_begin lock_end futex block_issue block_done softirq irq fault fork name exit open "
         "close trigger renamed member").split()


def nanoseconds(text):
    unit = text.lstrip("0123456789.")
    whole, _, part = text[:len(text) - len(unit)].partition(".")
    return int(whole) * UNITS[unit] + (int(part) * UNITS[unit] // 10**len(part) if part else 0)


def named(name):
    return struct.unpack("<QQ", name.encode().ljust(16, b"\0")[:16])


def words(kind, given):
    """The words a and b of a record."""
    flags = {word for word in given if "=" not in word}
    more = dict(word.split("=") for word in given if "=" in word)
    first = given[0] if given else ""
    number = lambda name: int(more.get(name, "0"), 0)
    if kind == "switched":
        return int(first) | number("state") << 32 | ("preempted" in flags) << 48 | number("reported") << 49, 0
    if kind == "waking":
        return int(first) | number("context") << 32, number("prio") | number("cpu") << 32
    if kind in ("name", "exit", "renamed"):
        return named(first)
    if kind in ("block_issue", "block_done"):
        return number("sector"), number("sectors") | ("write" in flags) << 24 | number("device") << 32
    if kind in ("softirq", "irq"):
        return int(first), nanoseconds(more["took"])
    if kind == "close":
        return int(first) | number("opener") << 32, nanoseconds(more["latency"])
    if kind in ("fork", "member", "open", "lock_begin", "lock_end"):
        return int(first, 0), number("b")
    return number("a"), number("b")


def frame(body):
    """A frame of zstd with blocks that are not compressed."""
    most = 1 << 17
    parts = [body[at:at + most] for at in range(0, len(body), most)] or [b""]
    blocks = b"".join(struct.pack("<I", (part is parts[-1]) | len(part) << 3)[:3] + part for part in parts)
    return struct.pack("<IBQ", 0xfd2fb528, 0b11100000, len(body)) + blocks


def section(number, content):
    return struct.pack("<IIQ", number, 0, len(content)) + content


def main():
    header = {"lt": "0.1", "script": "", "arguments": [], "kernel": "6.12.0", "machine": "x86_64", "cpus": 2,
              "unix_offset": 1764098451000000000, "spans": [], "devices": {}, "account": {"missing": []}}
    threads, records = [], []
    for line in sys.stdin:
        first, *rest = line.split()
        if first in ("begin", "end"):
            header[first] = nanoseconds(rest[0])
        elif first == "cpus":
            header["cpus"] = int(rest[0])
        elif first == "span":
            header["spans"].append(" ".join(rest))
        elif first == "script":
            header["script"] = " ".join(rest)
        elif first == "missing":
            header["account"]["missing"].append(rest[0])
        elif first in ("torn", "missed", "lost_stacks"):
            header["account"][first] = int(rest[0])
        elif first == "thread":
            threads.append(struct.pack("<IIII16s", int(rest[0]), int(rest[1]), 0, 0, rest[2].encode()))
        else:
            cpu, thread, kind, *given = rest
            a, b = words(kind, given)
            time = nanoseconds(first)
            records.append((time, struct.pack("<QQQIHBB", time, a, b, int(thread), int(cpu), KINDS.index(kind), 0)))
    records.sort(key=lambda record: record[0])
    header["trigger"] = {"time": header["end"], "tid": 0, "latency": 0}
    body = (section(1, json.dumps(header).encode()) + section(2, b"".join(threads)) +
            section(3, b"".join(record for _, record in records)) + section(4, b"") + section(5, b""))
    compressed = frame(body)
    with open(sys.argv[1], "wb") as file:
        file.write(b"lt-rec\r\n" + struct.pack("<IIQ", 2, zlib.crc32(compressed), len(body)) + compressed)


main()
