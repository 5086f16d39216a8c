#!/usr/bin/env python3
"""Makes docs/tools.md of the comments of the tools, with the output of each example as it was when the page was made.

    tools_page.py TREE LT          runs the examples, as root, and writes the page
    tools_page.py TREE LT NAME...  the same, but runs only the examples of these tools, and keeps the output of the others
    tools_page.py TREE LT check    prints what on the page is not what the tools say; runs nothing
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LAYERS = {"cpu": "CPU and scheduler", "memory": "Memory", "process": "Processes and system calls", "files": "Files",
          "block": "Block I/O", "network": "Network", "locks": "Locks and programs", "any": "Any probe"}
CLIENT = """import socket
server = socket.create_server(("127.0.0.1", 17017))
one = socket.create_connection(("127.0.0.1", 17017))
two, _ = server.accept()
one.sendall(b"x" * 1000); two.recv(2000); two.sendall(b"y" * 300); one.recv(2000)
one.close(); two.recv(1); two.close(); server.close()
try: socket.create_connection(("127.0.0.1", 17018))
except OSError: pass
"""
TLS = """import socket, ssl, subprocess, threading
make = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=here"
subprocess.run(make.split(), check=True, stderr=subprocess.DEVNULL)
server = socket.create_server(("127.0.0.1", 17019))
def serve():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    with context.wrap_socket(server.accept()[0], server_side=True) as s:
        for i in range(10): s.recv(2000)
        s.sendall(b"y" * 500)
thread = threading.Thread(target=serve)
thread.start()
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
with context.wrap_socket(socket.create_connection(("127.0.0.1", 17019))) as s:
    for i in range(10): s.sendall(b"x" * 1000)
    s.recv(1000)
thread.join()
"""
MOST_LINES = 14
tree, lt = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
page = tree / "docs/tools.md"


class Tool:
    def __init__(self, path):
        self.name = path.stem
        manual = []
        for line in path.read_text().splitlines():
            if not line.startswith("//"):
                break
            manual.append(line[3:])
        title = re.fullmatch(r"(\S+) \((\w+)\): (.+)", manual[0])
        if not title or title[1] != self.name or title[2] not in LAYERS:
            sys.exit(f"{path}: the first line must be `// {self.name} (LAYER): what it shows`")
        self.layer, self.sentence = title[2], title[3]
        text = "\n".join(manual[1:]).strip()
        self.text, _, self.example = text.partition("\n\nExample: ")
        if not self.example or "Overhead: " not in self.text:
            sys.exit(f"{path}: the comment needs paragraphs that begin with `Overhead: ` and `Example: `")

    def section(self):
        return f"### {self.name}\n\n{self.sentence[0].upper()}{self.sentence[1:]}.\n\n{self.text}\n\n    # {self.example}\n"


def output_of(tool):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "client.py").write_text(CLIENT)
        pathlib.Path(folder, "tls.py").write_text(TLS)
        path = f"{lt.parent}:{os.environ['PATH']}"
        command = ["timeout", "-s", "INT", "20", "sh", "-c", tool.example.replace("lt ", "lt -q ", 1)]
        run = subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True)
    if run.returncode == 127 or re.search(r"error:", run.stderr):
        print(f"{tool.name} does not run here: the page keeps its output\n{run.stderr}", file=sys.stderr)
        return None
    lines = [line.rstrip() for line in run.stdout.splitlines()]
    lines = [line for line in lines if line.strip("lt")]
    return lines[:MOST_LINES] + (["..."] if len(lines) > MOST_LINES else [])


def kept_output(tool):
    parts = page.read_text().split(f"\n    # {tool.example}\n", 1)
    if len(parts) == 1 or f"### {tool.name}\n" not in parts[0]:
        return None
    section = re.split(r"\n+#{2,3} ", "\n" + parts[1], maxsplit=1)[0]
    return [line.removeprefix("    ") for line in section.strip("\n").split("\n")] if section.strip("\n") else []


def make(tools, names):
    old = {t.name: kept_output(t) for t in tools}
    parts = ["# Tools\n\n`lt NAME` runs a tool, `lt NAME --help` explains it and lists its options, `lt NAME --print` prints its source,\n"
             "`lt tools` says what this kernel can run. This page is made of the comments of the tools by `./dev tools-page`; the\n"
             "output is that of one run.\n"]
    for layer, title in LAYERS.items():
        parts.append(f"## {title}\n")
        for tool in (t for t in tools if t.layer == layer):
            lines = old[tool.name]
            if not names or tool.name in names or lines is None:
                print(tool.name, flush=True)
                lines = output_of(tool) or old[tool.name] or []
            parts.append(tool.section() + "".join(f"    {line}\n" if line else "\n" for line in lines))
    page.write_text("\n".join(parts))


def check(tools):
    text = page.read_text()
    for tool in tools:
        if tool.section() not in text:
            print(f"{tool.name}: the page does not say what the tool says; run ./dev tools-page")
    for name in re.findall(r"^### (\S+)$", text, re.M):
        if name not in {t.name for t in tools}:
            print(f"{name}: there is no such tool")
    for section in text.split("### ")[1:]:
        shown = [line for line in section.split("    # ", 1)[1].splitlines()[1:] if line.startswith("    ")]
        titles = re.findall(r'printf\("%-', (tree / f"tools/{section.split()[0]}.lt").read_text())
        if titles and not shown:
            print(f"{section.split()[0]}: the page has no line of its output")


all_tools = [Tool(path) for path in sorted((tree / "tools").glob("*.lt"))]
check(all_tools) if sys.argv[3:] == ["check"] else make(all_tools, sys.argv[3:])
