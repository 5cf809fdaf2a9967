#!/usr/bin/env python3
"""A peer that we did not write: slixmpp, driven by JSON lines.

  xpeer.py JID PASSWORD --port P --ca FILE [--direct] [--echo]

Output: {"ev":"ready","jid":J}, then events: message {from,id,type,body,children,xml}, receipt {from,id},
presence {from,type}, disconnected, and answers to commands. Input, one command a line:
  {"cmd":"send","to":J,"body":T[,"receipt":true]}   -> {"ev":"sent","id":I}
  {"cmd":"raw","xml":"<message .../>"}              -> {"ev":"raw-sent"}
  {"cmd":"abort"}  drop the connection              -> {"ev":"aborted"}
  {"cmd":"quit"}
With --echo every chat message is answered with "echo: " and its text. It ends with its input.
"""
import argparse
import asyncio
import json
import logging
import sys

from client import Client, add_server_options, say


def listen(peer, echo):
    def on_message(message):
        if message["type"] not in ("chat", "normal", "headline"):
            return
        say(
            ev="message", **{"from": str(message["from"])}, id=message["id"], type=message["type"],
            body=message["body"], children=[child.tag for child in message.xml], xml=str(message),
        )
        if echo and message["body"] and message["type"] == "chat":
            peer.make_message(mto=message["from"], mbody="echo: " + message["body"], mtype="chat").send()

    peer.add_event_handler("message", on_message)
    peer.add_event_handler(
        "receipt_received", lambda message: say(ev="receipt", **{"from": str(message["from"])}, id=message["receipt"])
    )
    peer.add_event_handler(
        "presence",
        lambda presence: say(ev="presence", **{"from": str(presence["from"])}, type=presence["type"]),
    )
    peer.add_event_handler("disconnected", lambda _: say(ev="disconnected"))


async def carry_out(peer, command):
    """False when the peer is to end."""
    kind = command.get("cmd")
    if kind == "send":
        message = peer.make_message(mto=command["to"], mbody=command["body"], mtype=command.get("type", "chat"))
        if command.get("receipt"):
            message["request_receipt"] = True
        message.send()
        say(ev="sent", id=message["id"])
    elif kind == "raw":
        peer.send_raw(command["xml"])
        say(ev="raw-sent")
    elif kind == "abort":
        peer.abort()
        say(ev="aborted")
    elif kind == "quit":
        return False
    else:
        say(ev="error", error="unknown command")
    return True


async def serve(options):
    peer = Client(options.jid, options.password, options)
    listen(peer, options.echo)
    await peer.online()
    say(ev="ready", jid=str(peer.boundjid))
    reader = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        if not await carry_out(peer, json.loads(line)):
            break
    await peer.disconnect()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jid")
    parser.add_argument("password")
    parser.add_argument("--echo", action="store_true")
    add_server_options(parser)
    logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
