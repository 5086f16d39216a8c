#!/usr/bin/env python3
"""Holds the tree to its limits: limits.py TREE prints a line for each place that breaks one.

Files have at most 500 lines, in tests/ too; functions 70, classes 40 functions (those of one name, as in a visitor, are
one), folders of src/ 25 files. Files of lt's own are included, and named in comments, by their path in src/; documents name those that exist;
docs/architecture.md has all libraries, in their order; docs/adding.md names the folders that are full. Only src/arch
names registers and what else differs between processors. The code is formatted by clang-format, so that what belongs
together is known by its indentation. No two headers define a type of one name in one namespace: the linker would take the
member functions of either for both."""
import collections
import pathlib
import re
import sys

MOST_LINES, MOST_BODY, MOST_METHODS, MOST_FILES = 500, 70, 40, 25
GENERATED = {"lt_grammar.h", "stp_grammar.h", "system_calls.inc"}

tree = pathlib.Path(sys.argv[1])
found = []


def report(path, line, text):
    found.append(f"{path.relative_to(tree)}{':%d' % line if line else ''}: {text}")


def blocks(lines):
    """(first line, last line, head) of each block in braces whose closing brace stands in the column of its head."""
    open_at = {}
    head = {}
    for at, line in enumerate(lines):
        text = line.rstrip()
        if not text.strip() or text.lstrip().startswith(("//", "#")):
            continue
        indent = len(text) - len(text.lstrip())
        if text.endswith("{"):
            goes_on = indent in head and not re.match(r"\s*(\}|class|struct|namespace|enum|union)", text)
            begin = head[indent] if goes_on else at
            open_at[indent] = (begin, " ".join(lines[begin:at + 1]))
        if text.lstrip().startswith("}") and indent in open_at:
            begin, what = open_at.pop(indent)
            yield begin, at, what
        # where a statement that goes on over several lines begins
        if text.endswith((";", "{", "}", ":")):
            head.pop(indent, None)
            for deeper in [i for i in head if i > indent]:
                head.pop(deeper)
        else:
            head.setdefault(indent, at)


NOT_FUNCTIONS = re.compile(r"^\s*(namespace|struct|class|enum|union|extern|switch|if|for|while|do|else|try|\}|#define)\b|=\s*\{$|^\s*[\w:<>]+\{")


def functions(path, lines):
    for begin, end, head in blocks(lines):
        indent = len(lines[begin]) - len(lines[begin].lstrip())
        if indent > 4 or "(" not in head or NOT_FUNCTIONS.search(head) or (indent == 4 and not path.name.endswith(".h")):
            continue
        if end - begin + 1 > MOST_BODY:
            report(path, begin + 1, f"a function of {end - begin + 1} lines")


METHOD = re.compile(r"^(?!using|friend|return|static_assert|enum)(?:\[\[.*?\]\] )?[\w:<>,&*~ \[\]]+\([^;{]*")


def classes(path, lines):
    for begin, end, head in blocks(lines):
        named = re.match(r"^\s*(?:class|struct) (\w+)[^;=(]*\{$", head)
        if not named:
            continue
        indent = len(lines[begin]) - len(lines[begin].lstrip()) + 4
        inside = [l[indent:] for l in lines[begin + 1:end] if len(l) > indent and l[:indent].strip() == "" and l[indent] not in " }/"]
        methods = {re.search(r"(operator\W+|[\w~]+)?\s*\(", l).group(1) for l in inside
                   if METHOD.match(l) and not re.match(r"[^(]*=[^(]*\(", l)}
        if len(methods) > MOST_METHODS:
            report(path, 0, f"{named.group(1)} has {len(methods)} functions")


# docs/architecture.md: ownership is a tree.
def owners(path, lines):
    for at, line in enumerate(lines):
        is_capture = re.search(r"[\[,] *\w+ = std::make_shared", line)
        if re.search("shared_ptr|make_shared", line) and not is_capture and "agent" not in path.parts:
            report(path, at + 1, "only src/driver/agent has a shared_ptr, and captures have a make_shared")


def includes(path, lines):
    for at, line in enumerate(lines):
        inc = re.match(r'\s*#\s*include "([^"]+)"', line)
        if inc and inc.group(1) not in GENERATED and not (tree / "src" / inc.group(1)).is_file():
            report(path, at + 1, f'"{inc.group(1)}" is not a path in src/')


# Files of the kernel's own source and of Go's are named by their paths there.
NAMED = re.compile(r"(?<![\w/.<\"-])((?:[a-z_0-9]+/)+[a-z_0-9]+\.(?:bpf\.c|cpp|h))\b")
ELSEWHERE = ("include/", "linux/", "arch/x86/", "src/runtime/")


def named_files(path, lines):
    for at, line in enumerate(lines):
        for name in NAMED.findall(line[line.find("//"):] if "//" in line else ""):
            if not name.startswith(ELSEWHERE) and not (tree / "src" / name).is_file():
                report(path, at + 1, f"a comment names {name}, which is not a path in src/")


# Documents name files and folders by their path from the tree, from src/ or from the folder of src/ that they are about,
# with or without the end of the name.
WRITTEN = re.compile(r"`([a-z][a-z_0-9.-]*/[a-z_0-9./-]*)`")
NOT_THERE = {"build", "src/arch/aarch64"}


def documents():
    for page in [tree / "README.md", tree / "tests/README.md", *tree.glob("docs/**/*.md")]:
        bases = [tree, tree / "src", tree / "src" / page.stem]
        for at, line in enumerate(page.read_text().split("\n")):
            for name in WRITTEN.findall(line):
                first = name.partition("/")[0]
                near = [base for base in bases if (base / first).is_dir()]
                known = not near or {first, name} & NOT_THERE
                if not known and not any((base / (name + end)).exists() for base in near for end in ("", ".h", ".cpp")):
                    report(page, at + 1, f"there is no {name}")


# The table of docs/architecture.md names the libraries in the order of CMakeLists.txt; the first name of a row says the
# folder of the others. `driver/*` is the rest of that folder.
def library_table():
    page = tree / "docs/architecture.md"
    made = re.findall(r"^lt_library\((\S+?)[ )]", (tree / "CMakeLists.txt").read_text(), re.M)
    named = []
    for line in page.read_text().split("\n"):
        names = re.findall(r"`([^`]+)`", line.split("|")[1]) if line.startswith("| `") else []
        folder = names[0].rpartition("/")[0] if names else ""
        named += [name if name in made or name == names[0] else f"{folder}/{name}" for name in names]
    rest = {name for name in made if name not in named and f"{name.partition('/')[0]}/*" in named}
    for name in (name for name in made if name not in named and name not in rest):
        report(page, 0, f"the table of libraries lacks {name}")
    written = [name for name in named if name in made]
    ordered = [name for name in made if name in written]
    if wrong := next((pair for pair in zip(written, ordered) if pair[0] != pair[1]), None):
        report(page, 0, f"{wrong[0]} stands in the table of libraries where CMakeLists.txt has {wrong[1]}")


# BPF has registers r0 to r10 of its own, so these names say nothing.
OF_A_PROCESSOR = re.compile(
    r"(?i:x86|x64_|amd64|aarch64|System V\b|AT&T)|\borig_r?ax\b|\b[re](?:[abcd]x|[sd]i|[sb]p|ip|flags)\b|\br1[1-5][dwb]?\b"
    r"|\\?\"(?:[abc]x|[sd]i|bp)\\?\"|\b(?:int3|ud2|jbe|iret)\b")


def processors(path, lines):
    if tree / "src" / "arch" in path.parents:
        return
    for at, line in enumerate(lines):
        word = OF_A_PROCESSOR.search(line)
        if word:
            report(path, at + 1, f"{word.group(0)} belongs in src/arch")


# "`src/base`, ... and `src/stdlib` are full" in docs/adding.md.
def full_folders():
    page = tree / "docs/adding.md"
    sentence = re.search(r"((?:`src/[a-z/_]+`(?:,| and)?\s+)+)are full", page.read_text())
    named = set(re.findall(r"`(.+?)`", sentence[1])) if sentence else set()
    full = {str(folder.relative_to(tree)) for folder, count in folders.items() if count >= MOST_FILES}
    for folder in sorted(named ^ full):
        report(page, 0, f"{folder} is full" if folder in full else f"{folder} is not full")


folders = collections.Counter()
types = {}  # by namespace and name: where it is defined


def defined_types(path, lines):
    namespace = ""
    for number, line in enumerate(lines, 1):
        if opened := re.match(r"namespace ([\w:]+) \{", line):
            namespace = opened[1]
        defined = re.match(r"(?:class|struct|union|enum class) (\w+)(?: final)?(?: : .*)? \{", line)
        if defined and types.setdefault((namespace, defined[1]), (path, number)) != (path, number):
            other, there = types[namespace, defined[1]]
            report(path, number, f"{namespace}::{defined[1]} is also defined in {other.relative_to(tree)}:{there}")


for path in sorted((tree / "src").rglob("*")):
    if not path.is_file():
        continue
    folders[path.parent] += 1
    if path.suffix not in (".cpp", ".h", ".y", ".re", ".c", ".stp"):
        continue
    lines = path.read_text().split("\n")
    if len(lines) - 1 > MOST_LINES:
        report(path, 1, f"{len(lines) - 1} lines")
    processors(path, lines)
    if path.suffix in (".cpp", ".h"):
        functions(path, lines)
        classes(path, lines)
        owners(path, lines)
    if path.suffix == ".h" and "bpf" not in path.parts:
        defined_types(path, lines)
    if path.suffix in (".cpp", ".h", ".y", ".re") and "bpf" not in path.parts and "c_headers" not in path.parts:
        includes(path, lines)
    if path.suffix in (".cpp", ".h", ".c"):
        named_files(path, lines)
for path in sorted((tree / "tests").rglob("*")):
    if path.suffix in (".cpp", ".h", ".c", ".py", ".go") and (count := path.read_text().count("\n")) > MOST_LINES:
        report(path, 1, f"{count} lines")
documents()
library_table()
full_folders()
for folder, count in folders.items():
    if count > MOST_FILES:
        report(folder, 0, f"{count} files")
if found:
    print("\n".join(found))
