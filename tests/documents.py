#!/usr/bin/env python3
"""Commands in documents and what they print: documents.py [--write] LT FILE.md ... runs every block that looks like

    ```console
    # lt -e 'sc:read { @ = count(); }' -c 'dd if=/dev/zero of=/dev/null'
    the output
    ```

and compares the shape of the output with the document's: numbers, bars and the width of columns may differ, words and the
order of lines without numbers may not. `# cat NAME` shows a file, which later commands of the document find. A line `...`
stands for lines that are left out. A comment before the block says what is different about it:

    <!-- lines 12 -->      at most so many lines are written, with `...` after them
    <!-- varies -->        what it prints depends on what else runs: only how the first line begins is compared, and that
                           the heads of its tables are there
    <!-- at least 10 % run queue: preempted -->   the output has a line with this text after such a share or a larger one
    <!-- shown -->         it is not run: it takes another kernel, or a terminal

With --write the outputs in the document are replaced. Prints what differs; the status is then 1."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"((?:<!-- [^\n]* -->\n)*)```console\n(.*?)```\n", re.S)
UNITS = r"(?:ns|us|ms|s|m|h|%|[KMGT]i?B?|B)"
HEAD = re.compile(r"(?:@\S* )?count ")  # of a table, or of a distribution
NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9a-f]+|\d[\d,]*(?:\.\d+)?)(?: ?%s\b| ?%%)?" % UNITS)


def shape(line):
    line = re.sub(r"\|[@ ]*\|", "|", line)
    line = re.sub(r"\bN runs?\b", "N runs", NUMBER.sub("N", line))
    return " ".join(line.split())


class Block:
    def __init__(self, marks, text):
        self.marks = re.findall(r"<!-- (.*?) -->", marks)
        lines = text.split("\n")[:-1]
        count = 1
        while lines[count - 1].endswith("\\"):
            count += 1
        self.command, self.output = "\n".join(lines[:count])[2:], lines[count:]

    def most(self):
        return next((int(m.split()[1]) for m in self.marks if m.startswith("lines ")), None)

    def lacking_shares(self, got):
        for least, text in (m.groups() for m in map(re.compile(r"at least (\d+) % (.+)").fullmatch, self.marks) if m):
            shares = [int(s) for line in got for s in re.findall(r"(\d+) %  +" + re.escape(text) + "$", line)]
            if max(shares, default=0) < int(least):
                yield "less than %s %% %s" % (least, text)

    def run(self, folder, lt):
        shown = re.fullmatch(r"cat (\S+)", self.command)
        if shown:
            (folder / shown.group(1)).write_text("\n".join(self.output) + "\n")
            return self.output
        environment = dict(os.environ, PATH="%s:%s" % (lt.parent, os.environ["PATH"]), LC_ALL="C.UTF-8")
        done = subprocess.run(["bash", "-c", self.command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        told = done.stdout.rstrip("\n").replace('"%s"' % os.uname().nodename, '"web1"')
        # A slow machine adds what tracing costs there.
        return [line.rstrip() for line in told.split("\n") if not line.startswith("lt: tracing takes")]

    def differences(self, got):
        wanted = [shape(line) for line in self.output]
        seen = [shape(line) for line in got]
        small = list(self.lacking_shares(got))
        if "varies" in self.marks:
            same = got[0] and got[0][:2] == self.output[0][:2]
            heads = ["missing: " + w for w in wanted if HEAD.match(w) and w not in seen]
            return small + heads + ([] if same else ["first line: %s" % got[0]])
        missing = [w for w in wanted if "N" not in w and w != "..." and w not in seen]
        odd = [line for line, s in zip(got, seen) if s not in wanted] if "..." not in wanted else []
        return small + ["missing: " + m for m in missing] + ["not in the document: " + o for o in odd]

    def text(self, marks, got):
        most = self.most()
        if most and len(got) > most:
            got = got[:most] + ["..."]
        return "%s```console\n%s```\n" % (marks, "".join(line + "\n" for line in ["# " + self.command] + got))


def main():
    words = sys.argv[1:]
    write = words[0] == "--write"
    lt = pathlib.Path(words[write]).resolve()
    status = 0
    for path in map(pathlib.Path, words[write + 1:]):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def each(match):
                nonlocal status
                block = Block(match.group(1), match.group(2))
                if "shown" in block.marks:
                    return match.group(0)
                got = block.run(folder, lt)
                if write:
                    return block.text(match.group(1), got)
                for difference in block.differences(got):
                    print("%s: %s\n  %s" % (path.name, block.command, difference))
                    status = 1
                return match.group(0)

            text = path.read_text()
            new = BLOCK.sub(each, text)
            if write:
                path.write_text(new)
    return status


if __name__ == "__main__":
    sys.exit(main())
