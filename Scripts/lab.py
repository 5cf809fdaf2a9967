"""What demo and bench share: the fixtures of Tests/Fixtures, the program with its secrets, and a pseudo-terminal."""
import collections
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "Tests" / "Fixtures"
PYTHON = ROOT / ".build" / "deps" / "peer" / "bin" / "python"
SERVER = FIXTURES / "servers" / "throwaway.py"
PEER = FIXTURES / "peer" / "xpeer.py"
MEASURE = FIXTURES / "peer" / "measure.py"


class LabError(Exception):
    pass


class Fixture:
    """A program of Tests/Fixtures: JSON lines out, gone at the end of its input."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [str(PYTHON), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            # Ctrl-C is for the session; these end when their owner does.
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def line(self):
        text = self.process.stdout.readline()
        value = json.loads(text) if text else {"error": "it ended"}
        if "error" in value:
            raise LabError(value["error"])
        return value

    def ignore(self):
        """Drops whatever it tells from now on: a pipe that nobody reads fills, and then it would stand still."""
        threading.Thread(target=lambda: collections.deque(self.process.stdout, maxlen=0), daemon=True).start()

    def order(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.line()


def server(*arguments, **accounts):
    """A throw-away server with these accounts (name=password)."""
    named = [text for name, password in accounts.items() for text in ("--account", f"{name}={password}")]
    return Fixture(SERVER, *named, *arguments)


def descriptor_with(text):
    """A descriptor to inherit, behind which stands `text` and a line break."""
    reader, writer = os.pipe()
    os.write(writer, text.encode() + b"\n")
    os.close(writer)
    return reader


class Shell:
    """`postern shell --json`. In commands, PASSWORD stands for a descriptor with `password` behind it.

    `before` stands before the program, as a tracer does; `arguments` behind it; `options` are Popen's.
    """

    def __init__(self, program, vault, passcode, password=None, before=(), arguments=(), **options):
        self.passcode = descriptor_with(passcode)
        inherited = [self.passcode]
        self.password = None
        if password is not None:
            self.password = descriptor_with(password)
            inherited.append(self.password)
        self.process = subprocess.Popen(
            [*before, program, *arguments, "--vault", vault, "shell", "--json", "--passcode-fd", str(self.passcode)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=inherited, **options,
        )
        for descriptor in inherited:
            os.close(descriptor)
        self.commands = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            raise LabError("the session ended")
        return json.loads(text)

    def event(self, name, fits=lambda _: True):
        """The next event of this name; lines before it are dropped."""
        while True:
            line = self.line()
            if line.get("id") == 0:
                raise LabError(json.dumps(line))
            if line.get("event") == name and fits(line):
                return line

    def send(self, command):
        self.commands += 1
        self.process.stdin.write(command.replace("PASSWORD", str(self.password)) + "\n")
        self.process.stdin.flush()
        return self.commands

    def run(self, command):
        """The result of a command that has to succeed; events before it are dropped."""
        number = self.send(command)
        while True:
            line = self.line()
            if line.get("id") == number:
                if not line["ok"]:
                    raise LabError(f"{command.split()[0]}: {json.dumps(line)}")
                return line["result"]


def make_vault(program, vault, passcode, capacity="64M"):
    secret = descriptor_with(passcode)
    try:
        ended = subprocess.run(
            [program, "--vault", vault, "init", "--capacity", capacity, "--allow-weak", "--passcode-fd", str(secret)],
            pass_fds=[secret], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )
    finally:
        os.close(secret)
    if ended.returncode != 0:
        raise LabError(f"init ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")


def add_account(shell, address, name, place):
    """Adds the account whose password the shell was given, and opens it."""
    shell.run(
        f"profile add {address} --name {name} --host {place['host']} --port {place['port']} --ca {place['ca']} --plain "
        "--password-fd PASSWORD"
    )
    shell.run(f"profile use {name}")


class Terminal:
    """A program on a pseudo-terminal of 100 columns and 30 rows, typed at by us."""

    def __init__(self, *command, environment=None):
        self.seen = ""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
            variables = {**os.environ, **(environment or {}), "TERM": "xterm-256color"}
            os.execvpe(command[0], list(command), variables)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def await_text(self, text, seconds=20):
        """Waits until the terminal was sent `text`, and forgets what came before and with it."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            try:
                data = os.read(self.terminal, 65536) if ready else b""
            except OSError:
                data = b""
            if not data:
                raise LabError(f"'{text}' did not come; the terminal was sent\n{self.seen[-3000:]!r}")
            self.seen += data.decode(errors="replace")
        self.seen = self.seen.split(text, 1)[1]

    def end(self, signal_number=None):
        """Its exit code, after ending it by a signal if one is given."""
        if signal_number is not None:
            os.kill(self.pid, signal_number)
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)
