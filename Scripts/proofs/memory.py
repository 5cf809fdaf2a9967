"""Scripts/prove memory [LOCKS]: what is left in memory and on the terminal after a lock, LOCKS times (2), and where
keys lie while a space is open. Run by root, who alone can read the memory of these processes.

The program as it is shipped runs in tmux; a passcode is typed, a message read and written, and the screen locked. Then
the memory of every process of the program, and everything tmux remembers, must hold no passcode, key or text.
"""
import os
import re
import shutil
import subprocess
import sys
import time

from common import ProofError, Verdicts, lab, prove_with, prover, release_program, run, work_folder

PASSCODE = "quilted lantern 64 harbourside"
CANARIES = {
    "text stored": "the heron leaves at daybreak", "text typed": "bring the copper kettle along",
    "address": "nightjar@meadow.example",
}


class Tmux:
    """A tmux server of our own with one window, in which a program runs."""

    def __init__(self, folder, *command):
        self.socket = folder / "tmux"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", *command)
        self._tmux("set-option", "-g", "history-limit", "10000")

    def _tmux(self, *arguments):
        return run("tmux", "-S", self.socket, *arguments)

    @property
    def program(self):
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    @property
    def server(self):
        return int(self._tmux("display-message", "-p", "#{pid}"))

    def type(self, text, then="Enter"):
        self._tmux("send-keys", "-l", text)
        if then:
            self._tmux("send-keys", then)

    def press(self, key):
        self._tmux("send-keys", key)

    def everything(self):
        """Scrollback and screen, the normal and the alternate one."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-", "-E", "-") + self._tmux(
            "capture-pane", "-p", "-J", "-q", "-a", "-S", "-", "-E", "-")

    def await_text(self, text, seconds=30):
        deadline = time.monotonic() + seconds
        while text not in self.everything():
            if time.monotonic() > deadline:
                raise ProofError(f"'{text}' did not come; the screen shows\n{self.everything()[-2000:]}")
            time.sleep(0.05)

    def end(self):
        subprocess.run(["tmux", "-S", str(self.socket), "kill-server"], check=False, capture_output=True)


def places_of(pid):
    """(from, to, what it is, whether it is locked and left out of dumps) of a process's memory."""
    place = None
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)", line)
            if match:
                place = [int(match.group(1), 16), int(match.group(2), 16), match.group(4).strip(), match.group(3)]
            elif line.startswith("VmFlags:") and place and place[3].startswith("r"):
                flags = line.split()[1:]
                yield place[0], place[1], place[2] or "memory without a name", "lo" in flags and "dd" in flags


def found_in(pid, needles):
    """(name of the needle, where) for each that is in a process's memory."""
    found = set()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for first, last, what, is_arena in places_of(pid):
            if what in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            tail = b""
            for start in range(first, last, 1 << 24):
                try:
                    memory.seek(start)
                    part = tail + memory.read(min(1 << 24, last - start))
                except OSError:
                    break
                for name, needle in needles.items():
                    if needle in part:
                        found.add((name, "the locked arena" if is_arena else kind(what)))
                tail = part[-128:]
    return found


def kind(what):
    if what.startswith("/"):
        return "a mapped file"
    return {"[heap]": "the heap", "[stack]": "the main stack"}.get(what, "the heap")


def processes(pid):
    """A process of the program and its children."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [pid, *map(int, file.read().split())]


def needles_of(keys):
    """What is looked for, as bytes: passcode and texts, also as UTF-16 and UTF-32; keys raw and in hexadecimal."""
    needles = {"passcode": PASSCODE.encode()}
    for name, text in CANARIES.items():
        needles[name] = text.encode()
    for name, text in {"passcode": PASSCODE, **CANARIES}.items():
        needles[f"{name} in UTF-16"], needles[f"{name} in UTF-32"] = text.encode("utf-16-le"), text.encode("utf-32-le")
    for name, key in keys.items():
        needles[name], needles[f"{name} in hexadecimal"] = bytes.fromhex(key), key.encode()
    return needles


def furnish(program, vault):
    lab.make_vault(program, vault, PASSCODE)
    with lab.Shell(program, vault, PASSCODE, "the account's password") as shell:
        shell.run("profile add finch@meadow.example --name finch --plain --password-fd PASSWORD")
        shell.run("profile use finch")
        shell.run(f"send {CANARIES['address']} '{CANARIES['text stored']}'")


def main():
    locks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    verdicts = Verdicts()
    if os.geteuid() != 0 or not shutil.which("tmux"):
        verdicts.note("not run: needs root, who may read the memory of others' processes, and tmux")
        verdicts.end()
    program, keys_of = release_program(), prover()
    with work_folder(in_memory=True) as folder:
        vault = str(folder / "home" / "vault")
        furnish(program, vault)
        copy = str(folder / "copy")
        shutil.copyfile(vault, copy)
        needles = needles_of(prove_with(keys_of, "keys", copy, PASSCODE)[0])
        terminal = Tmux(folder, program, "--vault", vault)
        try:
            for number in range(1, locks + 1):
                one_lock(verdicts, terminal, needles, number)
        finally:
            terminal.end()
    verdicts.end()


def one_lock(verdicts, terminal, needles, number):
    terminal.await_text("Passcode")
    parent = terminal.program
    terminal.type(PASSCODE)
    terminal.await_text(CANARIES["address"][:10])
    terminal.press("C-o")
    terminal.type(CANARIES["address"])
    terminal.await_text(CANARIES["text stored"])
    terminal.type(CANARIES["text typed"])
    terminal.await_text(CANARIES["text typed"])
    child = processes(parent)[1]
    opened = found_in(child, needles)
    outside = sorted(f"{name} in {where}" for name, where in opened if where != "the locked arena")
    inside = sorted(name for name, where in opened if where == "the locked arena")
    verdicts.note(f"lock {number}, while open: in the locked arena: {', '.join(inside)}")
    verdicts.note(f"lock {number}, while open: elsewhere: {', '.join(outside) or 'nothing'}")
    ours = [entry for entry in outside if not any(word in entry for word in ("text", "address"))]
    verdicts.demand(
        all("XTS" in entry or "database key" in entry for entry in ours),
        f"lock {number}, while open: outside the arena only what OpenSSL and SQLCipher work with")
    seen = CANARIES["text stored"] in terminal.everything()
    verdicts.demand(
        bool(inside) and seen and any("text" in entry for entry in outside),
        f"control: lock {number}, while open: keys, texts and the screen are found by the same search")
    terminal.press("C-l")
    terminal.await_text("Passcode")
    deadline = time.monotonic() + 10
    while os.path.exists(f"/proc/{child}") and time.monotonic() < deadline:
        time.sleep(0.02)
    left = {(pid, *hit) for pid in processes(parent) for hit in found_in(pid, needles)}
    verdicts.demand(not os.path.exists(f"/proc/{child}"), f"lock {number}: the process that had the keys is gone")
    verdicts.demand(
        not left, f"lock {number}: nothing in {len(processes(parent))} processes of the program"
        + "".join(f"; {name} in {where}" for _, name, where in sorted(left)))
    shown = [name for name, text in {"passcode": PASSCODE, **CANARIES}.items() if text in terminal.everything()]
    verdicts.demand(
        not shown, f"lock {number}: nothing on the screen or in its history" + "".join(f"; {name}" for name in shown))
    kept = sorted({name for name, _ in found_in(terminal.server, needles)})
    verdicts.note(f"lock {number}: in tmux's own memory, out of our reach: {', '.join(kept) or 'nothing'}")
    with open("/proc/swaps") as file:
        swaps = file.read().splitlines()[1:]
    verdicts.note(f"lock {number}: " + (f"swap in use on {len(swaps)} devices" if swaps else "no swap on this machine"))


if __name__ == "__main__":
    main()
