"""What the fuzzers share: a run of a program with a limit of time, and what its status and messages say of lt."""

import os
import subprocess


def verdict(result):
    """What is wrong with a run of lt; empty: nothing, or a diagnostic."""
    text = result.stderr
    if result.returncode < 0:
        return "killed by signal %d" % -result.returncode
    if "verifier refuses" in text or "the kernel refuses" in text:
        return "refused by the kernel"
    if "bug in lt" in text or "LLVM cannot" in text:
        return "a bug in lt"
    return "" if result.returncode in (0, 1) else "status %d" % result.returncode


def run(command, seconds, **more):
    """The result, and what is wrong with it."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 0, "", ""), "no end within %d s" % seconds
    return result, verdict(result)


def put(folder, name, text):
    """Writes a file that is kept, and says where."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path
