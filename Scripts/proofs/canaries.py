"""Scripts/prove canaries: words planted in addresses, texts, names, passcodes and passwords turn up nowhere outside.

The program as it is shipped lives one session against a real server, with a log, and meets a wrong password and a
server that is not there. Searched: the log, standard output of failures and standard error, the system's journal and
log folder, home and temporary folder, the vault itself, `/proc` of both processes, every file written to by either, and
what is left when they crash with core dumps allowed.
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import Verdicts, lab, release_program, work_folder

WORDS = {
    "passcode": "zibeline-quartz 81 passage", "other passcode": "yarrow-cobalt 27 landing",
    "password": "xenolith-fjord-46",
    "own address": "wobbegong", "contact": "vermilion-stoat", "text": "umbrella pines at the quay",
    "profile": "tamarisk",
}


class Search:
    """Looks for every word in places, and remembers where one was."""

    def __init__(self, words):
        self.words, self.hits, self.looked = words, [], 0

    def look(self, place, data):
        self.looked += 1
        if isinstance(data, str):
            data = data.encode(errors="replace")
        for name, word in self.words.items():
            if word.encode() in data or word.encode("utf-16-le") in data:
                self.hits.append(f"{name} in {place}")

    def look_through(self, place, folder, since=0.0):
        for path in sorted(Path(folder).rglob("*")):
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_mtime >= since:
                    self.look(f"{place} ({path.name})", path.read_bytes())
            except OSError:
                continue


def start(program, folder, passcodes, passwords, before=()):
    """A session of a person whose home, temporary folder and limits are ours to search and set."""
    home = folder / "home"
    environment = {
        **os.environ, "HOME": str(home), "TMPDIR": str(folder / "tmp"), "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"), "XDG_CACHE_HOME": str(home / "cache"),
    }
    with open(folder / "errors", "ab") as errors:
        return lab.Shell(
            program, str(folder / "vault" / "vault"), "\n".join(passcodes), "\n".join(passwords), before=before,
            arguments=["--log", str(folder / "log")], stderr=errors, env=environment, cwd=folder / "tmp",
            preexec_fn=allow_cores)


def allow_cores():
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def program_processes(shell, program):
    """The program's processes below what was started (which may be strace)."""
    found, queue = [], [shell.process.pid]
    while queue:
        pid = queue.pop()
        try:
            queue += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program):
                found.append(pid)
        except OSError:
            continue
    return found


def look_at_processes(search, pids):
    for pid in pids:
        for name in ("cmdline", "environ", "comm", "status", "maps", "mountinfo"):
            try:
                search.look(f"/proc of a process ({name})", Path(f"/proc/{pid}/{name}").read_bytes())
            except OSError:
                continue


def converse(program, folder, search, server):
    """Everything with words in it: accounts, messages, a passcode changed, failures."""
    place = server.line()
    own, contact = f"{WORDS['own address']}@xmpp.test", f"{WORDS['contact']}@xmpp.test"
    account = f"profile add {own} --host {place['host']} --port {place['port']} --ca {place['ca']} --plain"
    shell = start(
        program, folder, [WORDS["passcode"], WORDS["passcode"], WORDS["other passcode"]],
        [WORDS["password"], "not-" + WORDS["password"], WORDS["password"]],
        before=["strace", "-f", "-qq", "-o", str(folder / "trace"), "-e",
                "trace=openat,open,creat,rename,renameat2,mkdir,mkdirat,mknodat,symlinkat,linkat"])
    shell.event("unlocked")
    shell.run(f"{account} --name {WORDS['profile']} --password-fd PASSWORD")
    shell.run(f"profile use {WORDS['profile']}")
    shell.run("connect")
    shell.run(f"contact add {contact}")
    shell.run(f"send {contact} '{WORDS['text']}'")
    shell.run("wait delivery")
    shell.run(f"search {WORDS['text'].split()[0]}")
    look_at_processes(search, program_processes(shell, program))
    shell.run("passcode change --allow-weak")
    shell.run(f"profile remove {WORDS['profile']} --yes")
    shell.run(f"{account} --name refused --password-fd PASSWORD")
    for command in ("profile use refused", "connect", "profile remove refused --yes"):
        shell.send(command)
    shell.run(f"profile add {own} --name absent --host 127.0.0.1 --port 1 --plain --password-fd PASSWORD")
    for command in ("profile use absent", f"send {contact} '{WORDS['text']}'", "connect", "nonsense " + WORDS["text"]):
        shell.send(command)
    shell.run("status")
    shell.__exit__()


def crash(verdicts, program, folder, search, passcode):
    """Both processes die of a fault while a space is open, where core dumps are allowed."""
    for victim in (0, 1):
        shell = start(program, folder, [passcode], [])
        shell.event("unlocked")
        shell.run("status")
        pids = program_processes(shell, program)
        os.kill(sorted(pids)[victim], signal.SIGSEGV)
        search.look("output of a crash", shell.process.stdout.read())
        shell.process.wait(30)
        cores = [path for path in folder.rglob("*core*") if path.is_file()]
        if victim == 1:
            # The parent's own dump may lie about: it is searched like every other file.
            verdicts.demand(not cores, "the process with the keys leaves no core dump")
        for path in cores:
            search.look("a core dump", path.read_bytes())
            path.unlink()


def written_files(trace):
    """Files that were opened for writing or made, as strace saw it."""
    files = set()
    for line in trace.splitlines():
        match = re.search(r'\b(\w+)\((?:AT_FDCWD, )?"([^"]*)"(.*)\) += \d', line)
        if match and ("O_WRONLY" in match.group(3) or "O_RDWR" in match.group(3) or "open" not in match.group(1)):
            files.add(match.group(2))
    return files


def main():
    verdicts = Verdicts()
    program = release_program()
    begin = time.time() - 1
    with work_folder(in_memory=False) as folder:
        for name in ("home", "tmp", "vault"):
            (folder / name).mkdir(mode=0o700)
        search = Search(WORDS)
        lab.make_vault(program, str(folder / "vault" / "vault"), WORDS["passcode"])
        with lab.server(**{WORDS["own address"]: WORDS["password"], WORDS["contact"]: "other"}) as server:
            converse(program, folder, search, server)
        crash(verdicts, program, folder, search, WORDS["other passcode"])
        search.look_through("log, standard error and folders", folder, begin)
        search.look_through("the system's logs", "/var/log", begin)
        if shutil.which("journalctl"):
            search.look("the journal", subprocess.run(
                ["journalctl", "--since", f"@{int(begin)}", "--no-pager"], capture_output=True, check=False).stdout)
        hits = "".join(f"; {hit}" for hit in search.hits)
        verdicts.demand(not search.hits, f"no word in {search.looked} places{hits}")
        files = written_files((folder / "trace").read_text())
        ours = {str(folder / "vault" / "vault"), str(folder / "log")}
        others = sorted(file for file in files - ours if not file.startswith(("/dev/", "/proc/")))
        names = "".join(f"; {name}" for name in others)
        verdicts.demand(not others, f"nothing but vault and log is opened for writing{names}")
        verdicts.demand((folder / "log").stat().st_size > 0, "control: there is a log, and it says something")
        control(verdicts, folder)
    verdicts.end()


def control(verdicts, folder):
    """A program that does everything wrong is found out in each place."""
    word, place = WORDS["text"], folder / "careless"
    place.mkdir()
    careless = subprocess.Popen(
        [sys.executable, "-c", f"import sys; text = {word!r}; print(text, flush=True); sys.stdin.read()", word],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "TEXT": word}, cwd=place,
        preexec_fn=allow_cores)
    careless.stdout.readline()
    (place / "draft").write_text(word)

    def finds(where, look):
        search = Search(WORDS)
        look(search)
        verdicts.demand(bool(search.hits), f"control: a word in {where} is found")

    finds("arguments and environment", lambda search: look_at_processes(search, [careless.pid]))
    finds("a file beside", lambda search: search.look_through("a folder", place))
    (place / "draft").unlink()
    careless.send_signal(signal.SIGSEGV)
    careless.wait()
    if any(place.iterdir()):
        finds("a core dump", lambda search: search.look_through("a folder", place))
    else:
        verdicts.note("core dumps do not lie beside the process on this machine: no control of that search")


if __name__ == "__main__":
    main()
