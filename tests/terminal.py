"""A program in a pseudo-terminal, for tests of the console: keys are typed, and what is on the screen is read as a person
would, with the escape codes of a plain terminal carried out."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time


class Screen:
    """The lines that a terminal of this width shows, with all that has scrolled away."""

    def __init__(self, width):
        self.width, self.lines, self.row, self.column, self.left = width, [""], 0, 0, b""

    def feed(self, data):
        data = self.left + data
        self.left = b""
        while data:
            code = re.match(rb"\x1b(\[[0-9;?]*[A-Za-z@]|[=>78]|[()].)", data)
            if code:
                self.control(code.group(1).decode())
                data = data[code.end():]
            elif data[0] == 0x1b and len(data) < 16:
                self.left = data
                return
            else:
                size = 1 if data[0] < 0x80 else 2 if data[0] < 0xe0 else 3 if data[0] < 0xf0 else 4
                if len(data) < size:
                    self.left = data
                    return
                self.put(data[:size].decode(errors="replace"))
                data = data[size:]

    def control(self, code):
        kind, number = code[-1], int(re.sub(r"\D", "", code) or (0 if code[-1] in "JK" else 1))
        if kind == "A":
            self.row = max(0, self.row - number)
        elif kind == "B":
            self.go_down(number)
        elif kind == "C":
            self.column += number
        elif kind == "D":
            self.column = max(0, self.column - number)
        elif kind == "G":
            self.column = number - 1
        elif kind == "K":
            self.lines[self.row] = self.lines[self.row][:self.column]
        elif kind == "P":
            line = self.lines[self.row]
            self.lines[self.row] = line[:self.column] + line[self.column + number:]
        elif kind == "@":
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + " " * number + line[self.column:]
        elif kind == "J":
            self.lines[self.row] = self.lines[self.row][:self.column]
            del self.lines[self.row + 1:]

    def go_down(self, count):
        self.row += count
        while len(self.lines) <= self.row:
            self.lines.append("")

    def put(self, char):
        if char == "\n":
            self.go_down(1)
        elif char == "\r":
            self.column = 0
        elif char == "\b":
            self.column = max(0, self.column - 1)
        elif char >= " ":
            if self.column >= self.width:
                self.column = 0
                self.go_down(1)
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
            self.column += 1

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)


class Terminal:
    def __init__(self, *command, width=120, height=50, slow=None):
        # A busy machine takes its time, a virtual one even more.
        self.patience = slow or (120 if os.environ.get("LT_VM") else 60)
        self.screen, self.seen = Screen(width), 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def pump(self, seconds):
        """Reads for so long, or until the program has closed its terminal: then it says so."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen.feed(data)
        return bool(data)

    def keys(self, text):
        os.write(self.fd, text.encode())

    def expect(self, pattern):
        """Waits till the pattern is on the screen below the last entry; what it has matched."""
        end = time.time() + self.patience
        while True:
            text = "\n".join(self.screen.text().split("\n")[self.seen:])
            found = re.search(pattern, text, re.M)
            if found:
                return found
            if time.time() > end or not self.pump(0.1):
                print("not seen: %s in\n%s" % (pattern, text))
                self.kill()
                sys.exit(1)

    def enter(self, line, pattern=None):
        """Types a line; what comes below it has to match, and then there is a prompt again."""
        self.expect(r"^lt> $|^lt>$")
        self.keys(line)
        self.expect(re.escape("lt> " + line.split("\n")[0][:60]))
        self.seen = self.screen.row + 1
        self.keys("\r")
        found = self.expect(pattern) if pattern else None
        self.expect(r"^lt>")
        return found

    def rest(self, seconds):
        end = time.time() + seconds
        while time.time() < end and self.pump(end - time.time()):
            pass

    def kill(self, number=signal.SIGKILL):
        os.kill(self.pid, number)

    def wait(self):
        """The exit status, or minus the signal."""
        while self.pump(self.patience):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
