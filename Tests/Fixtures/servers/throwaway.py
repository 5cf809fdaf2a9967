#!/usr/bin/env python3
"""A throw-away Prosody on loopback, alive as long as standard input is open.

  throwaway.py [--account NAME=PASSWORD]... [--storage internal|sql] [--archive-of NAME:PEER:COUNT] [--hibernate S]

Standard output is JSON lines. The first tells where it is:
  {"host":"127.0.0.1","port":STARTTLS,"tlsPort":DIRECT,"relayPort":P,"tlsRelayPort":P,"ca":FILE,"pid":N,"root":FOLDER}
The relay ports lead to the two others and can be cut. Standard input takes one command a line, each answered by
{"done":COMMAND}:
  cut      every connection through the relay is dropped without a word
  hold     the relay swallows what both sides send, and takes new connections without answering them
  mute     the relay swallows what the server sends
  release  the relay carries again; connections that were held are dropped
  stop     Prosody is ended as by a power cut; start: it is started again on its data
  fill NAME PEER COUNT   so many more messages in the archive (--storage sql)
At the end of input everything is stopped and its folder removed. Works as root (Prosody then runs as the user its
package made) and as anybody else. Nothing outside a temporary folder is written.
"""
import argparse
import asyncio
import hashlib
import json
import os
import pwd
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from pathlib import Path

from archive import fill_archive
from certificates import Authority

HERE = Path(__file__).resolve().parent
PORTS = 6  # STARTTLS, direct TLS, http, https, proxy65, component: see prosody.cfg.lua
DOMAIN = "xmpp.test"


def say(**values):
    print(json.dumps(values), flush=True)


def free_base():
    """The first of PORTS neighbouring ports that nobody listens on."""
    while True:
        base = random.randrange(20000, 32000, 8)
        held = []
        try:
            for offset in range(PORTS):
                listener = socket.socket()
                held.append(listener)
                listener.bind(("127.0.0.1", base + offset))
            return base
        except OSError:
            continue
        finally:
            for listener in held:
                listener.close()


class Relay:
    """Carries bytes between a listening port and Prosody, until told otherwise."""

    def __init__(self, target):
        self.target = target
        self.holding = False
        self.muted = False
        self.writers = set()
        self.port = None

    async def open(self):
        server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def accept(self, reader, writer):
        self.writers.add(writer)
        if self.holding:
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self.writers.add(far_writer)
        await asyncio.gather(self.carry(reader, far_writer, False), self.carry(far_reader, writer, True))

    async def carry(self, reader, writer, is_answer):
        try:
            while data := await reader.read(65536):
                if not self.holding and not (is_answer and self.muted):
                    writer.write(data)
                    await writer.drain()
            writer.close()
        except OSError:
            writer.transport.abort()
        self.writers.discard(writer)

    def cut(self):
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    def release(self):
        self.cut()
        self.holding = self.muted = False


class Prosody:
    def __init__(self, root, options):
        self.root, self.base, self.process = root, free_base(), None
        (root / "ca").mkdir()
        (root / "certs").mkdir()
        (root / "data").mkdir()
        authority = Authority(root / "ca")
        chain, key, leaf = authority.issue("server")
        self.ca = authority.certificate
        # The only pair in this folder: Prosody indexes every *.crt of it by its names.
        shutil.copy(chain, root / "certs" / f"{DOMAIN}.crt")
        shutil.copy(key, root / "certs" / f"{DOMAIN}.key")
        shutil.copy(HERE / "prosody" / "prosody.cfg.lua", root)
        shutil.copytree(HERE / "prosody" / "modules", root / "modules")
        version = prosody_version()
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": str(root),
            "XP_ROOT": str(root),
            "XP_BASE": str(self.base),
            "XP_ENDP": digest_of(leaf),
            "XP_STORAGE": options.storage,
            "XP_HIBERNATE": str(options.hibernate),
            # Prosody 0.12 has no channel binding of TLS 1.3 itself; the module in this folder adds it.
            **({"XP_V13": "1"} if version >= (13,) else {"XP_EXTRA": "test_cb"}),
        }
        for account in options.account:
            name, password = account.split("=", 1)
            self.write_account(name, password)
        for archive in options.archive_of:
            name, peer, count = archive.split(":")
            self.fill(name, peer, int(count))
        self.user = None
        if os.getuid() == 0:
            self.user = pwd.getpwnam("prosody")
            root.chmod(0o755)
            for path in [root, *root.rglob("*")]:
                os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def fill(self, name, peer, count):
        fill_archive(self.root / "data" / "prosody.sqlite", DOMAIN, name, peer, count)

    def write_account(self, name, password):
        folder = self.root / "data" / DOMAIN.replace(".", "%2e") / "accounts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.dat").write_text(f"return {{ [\"password\"] = {json.dumps(password)}; }};\n")

    async def start(self):
        # It must not outlive this program, however that one ends.
        prefix = ["setpriv", "--pdeathsig", "KILL"]
        if self.user:
            prefix += [f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        with open(self.root / "stdout", "ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *prefix, "--", "prosody", "-F", "--config", str(self.root / "prosody.cfg.lua"),
                env=self.environment, cwd=self.root,
                stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output,
            )
        for _ in range(300):
            if self.process.returncode is not None:
                break
            try:
                # It opens one port after the other.
                for port in (self.base, self.base + 1):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                return
            except OSError:
                await asyncio.sleep(0.05)
        raise RuntimeError("prosody did not come up: " + (self.root / "stdout").read_text(errors="replace")[-2000:])

    async def end(self, how):
        if self.process and self.process.returncode is None:
            self.process.send_signal(how)
            try:
                await asyncio.wait_for(self.process.wait(), 5)
            except asyncio.TimeoutError:
                self.process.kill()
                await self.process.wait()


def prosody_version():
    text = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", "prosody"], capture_output=True, text=True, check=True
    ).stdout
    return tuple(int(part) for part in text.split("-")[0].split("~")[0].split(".") if part.isdigit())


def digest_of(leaf):
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(leaf.read_text())).hexdigest()


async def commands():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line.decode().strip()


async def serve(options, root):
    prosody = Prosody(root, options)
    try:
        await prosody.start()
        relays = [Relay(prosody.base), Relay(prosody.base + 1)]
        for relay in relays:
            await relay.open()
        say(
            host="127.0.0.1", port=prosody.base, tlsPort=prosody.base + 1, relayPort=relays[0].port,
            tlsRelayPort=relays[1].port, ca=str(prosody.ca), pid=prosody.process.pid, root=str(root),
        )
        async for command in commands():
            if command == "cut":
                [relay.cut() for relay in relays]
            elif command == "hold":
                for relay in relays:
                    relay.holding = True
            elif command == "mute":
                for relay in relays:
                    relay.muted = True
            elif command == "release":
                [relay.release() for relay in relays]
            elif command == "stop":
                await prosody.end(signal.SIGKILL)
            elif command == "start":
                await prosody.start()
            elif command.startswith("fill "):
                _, name, peer, count = command.split()
                prosody.fill(name, peer, int(count))
            else:
                say(error="unknown command")
                continue
            say(done=command)
    finally:
        await prosody.end(signal.SIGTERM)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--account", action="append", default=[])
    parser.add_argument("--storage", choices=("internal", "sql"), default="internal")
    parser.add_argument("--archive-of", action="append", default=[])
    parser.add_argument("--hibernate", type=int, default=300)
    options = parser.parse_args()
    # A Ctrl-C in the terminal is for the one who started this; it ends by the end of input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda *_: sys.exit(0))
    root = Path(tempfile.mkdtemp(prefix="postern-server-"))
    try:
        asyncio.run(serve(options, root))
    except RuntimeError as error:
        say(error=str(error))
        return 1
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
