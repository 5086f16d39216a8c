"""What a process does to its memory, files and the kernel's log: pages.py WHAT."""
import ctypes
import mmap
import os
import resource
import socket
import struct
import sys
import time

HUGE = 2 << 20
MADV_COLLAPSE = 25
MAP_HUGETLB = 0x40000


def aligned(size):
    """A mapping with so many bytes after the first address that is a multiple of a huge page; and that address."""
    memory = mmap.mmap(-1, size + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return memory, -start % HUGE


def huge():
    memory, at = aligned(4 * HUGE)
    for i in range(4):
        memory[at + i * HUGE] = 1


def collapse():
    memory, at = aligned(HUGE)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    for i in range(0, HUGE, 4096):
        memory[at + i] = 1
    memory.madvise(mmap.MADV_HUGEPAGE)
    memory.madvise(MADV_COLLAPSE, at, HUGE)


def copied():
    memory = mmap.mmap(-1, HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB)
    memory[0] = 1
    if os.fork() == 0:
        memory[0] = 2
        os._exit(0)
    os.wait()


def split():
    memory, at = aligned(HUGE)
    memory[at] = 1
    with open("/sys/kernel/debug/split_huge_pages", "w", encoding="ascii") as file:
        file.write("1")


def much():
    try:
        mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        pass


def files():
    """More files than there may be, then sleeps: who looks at a wakeup sees it."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    try:
        kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(30)]
        print(kept)
    except OSError:
        pass
    for _ in range(5):
        time.sleep(0.05)


def fail():
    for _ in range(7):
        try:
            os.close(999)
        except OSError:
            pass
    with open("failed", "w", encoding="ascii"):
        time.sleep(3)


def audit():
    """A message of a program to the kernel's audit log (AUDIT_USER_AVC, which is logged even if auditing is off)."""
    text = b"told by hand\0"
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9) as log:
        log.send(struct.pack("=IHHII", 16 + len(text), 1107, 1, 1, 0) + text)


globals()[sys.argv[1]]()
