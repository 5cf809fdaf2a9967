#!/usr/bin/env python3
"""A SOCKS5 proxy (RFC 1928) on loopback for which every name stands for one place; alive as long as standard input is open.

  socks.py HOST PORT          (where every connection goes)

The first output line is {"port"}; then {"ev":"connect","kind","host","port"} for each request, with what it asked for.
Kinds are "name", "ipv4" and "ipv6"; requests for addresses are refused.
"""
import asyncio
import ipaddress
import json
import struct
import sys

KINDS = {1: "ipv4", 3: "name", 4: "ipv6"}


def say(**values):
    print(json.dumps(values), flush=True)


async def pass_on(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def request(reader):
    """(kind, host, port) of a request to connect."""
    _, _, _, kind = await reader.readexactly(4)
    if KINDS[kind] == "name":
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii")
    else:
        host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
    return KINDS[kind], host, struct.unpack("!H", await reader.readexactly(2))[0]


async def serve(target):
    async def accept(reader, writer):
        try:
            _, count = await reader.readexactly(2)
            await reader.readexactly(count)
            writer.write(b"\x05\x00")
            kind, host, port = await request(reader)
            say(ev="connect", kind=kind, host=host, port=port)
            refusal = 0 if kind == "name" else 2
            writer.write(bytes([5, refusal, 0, 1, 0, 0, 0, 0, 0, 0]))
            if not refusal:
                behind, ahead = await asyncio.open_connection(*target)
                await asyncio.gather(pass_on(reader, ahead), pass_on(behind, writer))
        except (OSError, EOFError, KeyError):
            pass
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    say(port=server.sockets[0].getsockname()[1])
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve((sys.argv[1], int(sys.argv[2]))))
