#!/usr/bin/env python3
"""Tries includes that go against the order of the libraries: walls.py TREE BUILD says for each what the compiler does."""
import json
import pathlib
import re
import subprocess
import sys

tree, build = map(pathlib.Path, sys.argv[1:3])
commands = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    file = pathlib.Path(entry["file"])
    # Several files of a library may be compiled as one, which includes them.
    parts = re.findall(r'#include "([^"]+)"', file.read_text()) if file.parent.name == "Unity" else [entry["file"]]
    commands.update(dict.fromkeys(parts, entry))
TRIED = [
    # a file of the library, what it tries to include
    ("base/text.cpp", '"stdlib/types.h"'),
    ("parser/tree/walk.cpp", '"parser/lt/lexer.h"'),
    ("codegen/check/body.cpp", '"codegen/lower/context.h"'),
    ("codegen/lower/lower.cpp", '"codegen/check/context.h"'),
    ("codegen/resolve/resolve.cpp", '"runtime/btf/btf.h"'),
    ("codegen/resolve/resolve.cpp", '"runtime/border/kernel.h"'),
    ("codegen/lower/lower.cpp", "<llvm/IR/Module.h>"),
    ("runtime/values/decode.cpp", "<bpf/bpf.h>"),
    ("runtime/load/object.cpp", "<bpf/libbpf.h>"),
    ("runtime/session/collect.cpp", "<bpf/bpf.h>"),
    ("runtime/btf/btf.cpp", "<bpf/bpf.h>"),
    ("runtime/btf/btf.cpp", "<bpf/btf.h>"),
    ("runtime/attach/attach.cpp", "<elfutils/libdw.h>"),
    ("driver/console/console.cpp", "<gelf.h>"),
]
for file, header in TRIED:
    entry = commands[str(tree / "src" / file)]
    flags = [word for word in entry["command"].split() if re.match(r"-(I|D|std)", word)]
    systems = re.findall(r"-isystem (\S+)", entry["command"])
    compiler = next(word for word in entry["command"].split() if re.search(r"(c\+\+|g\+\+|clang\+\+)[-0-9]*$", word))
    ran = subprocess.run([compiler, *flags, *("-isystem%s" % s for s in systems), "-fsyntax-only", "-x", "c++", "-"],
                         input="#include %s\n" % header, capture_output=True, text=True, cwd=entry["directory"])
    why = re.search(r"(No such file or directory|this folder does not use \w+)", ran.stderr)
    print(f"{file} {header}: {'compiles' if ran.returncode == 0 else why.group(1) if why else ran.stderr}")
