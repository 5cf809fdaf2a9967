#!/usr/bin/env python3
"""What others need for the same work; each prints one JSON line with seconds and CPU seconds.

  measure.py chat JID PASSWORD JID2 PASSWORD2 -n N --port P --ca FILE   N messages each way, with receipts, by slixmpp
  measure.py parse -n N                                                 slixmpp: bytes of a stream to message events
  measure.py pages JID PASSWORD --page N --port P --ca FILE             reads an archive to its end and keeps nothing
"""
import argparse
import asyncio
import base64
import logging
import re
import ssl
import sys
import time

from client import Client, add_server_options, say


class Clock:
    def __init__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def spent(self):
        return {
            "seconds": round(time.perf_counter() - self.wall, 4), "cpu": round(time.process_time() - self.cpu, 4)
        }


async def chat(options):
    """Both send at once, with at most a hundred messages that wait for their receipt. What they send is what Postern
    sends, so that the server has the same work: with origin-id, and markable."""
    first = await Client(options.jid, options.password, options).online()
    second = await Client(options.jid2, options.password2, options).online()
    receipts = {first: set(), second: set()}
    done = asyncio.Event()

    def note(client, message):
        receipts[client].add(message["receipt"])
        if all(len(ids) >= options.n for ids in receipts.values()):
            done.set()

    for client in receipts:
        client.add_event_handler("receipt_received", lambda message, client=client: note(client, message))
        client.add_event_handler("message", lambda message: message["body"])

    async def speak(sender, receiver):
        for index in range(options.n):
            message = sender.make_message(mto=receiver.boundjid, mbody=f"message {index}", mtype="chat")
            message["request_receipt"] = True
            message["origin_id"]["id"] = message["id"]
            message.enable("markable")
            message.send()
            while index - len(receipts[sender]) > 100:
                await asyncio.sleep(0.001)

    clock = Clock()
    await asyncio.gather(speak(first, second), speak(second, first))
    await asyncio.wait_for(done.wait(), 300)
    say(messages=2 * options.n, **clock.spent())
    await first.disconnect()
    await second.disconnect()


class NoTransport:
    """Takes what the client writes and is never closed."""

    def write(self, data):
        pass

    def get_extra_info(self, *_):
        return None

    def is_closing(self):
        return False

    def abort(self):
        pass

    def close(self):
        pass


async def parse(options):
    options.direct, options.ca = False, None
    client = Client("a@xmpp.test/x", "x", options, receipts=False)
    seen = 0

    def on_message(message):
        nonlocal seen
        message["body"], message["id"]
        seen += 1

    client.add_event_handler("message", on_message)
    client.transport = NoTransport()
    client.session_started = True
    client.init_parser()
    header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"
    client.data_received(header.encode())
    stream = "".join(
        f"<message from='b@xmpp.test/y' to='a@xmpp.test/x' id='{index}' type='chat'>"
        f"<body>hello world {index}</body></message>"
        for index in range(options.n)
    ).encode()
    clock = Clock()
    for offset in range(0, len(stream), 16384):
        client.data_received(stream[offset : offset + 16384])
        await asyncio.sleep(0)
    while seen < options.n:
        await asyncio.sleep(0)
    spent = clock.spent()
    say(messages=seen, perSecond=round(seen / spent["seconds"]), **spent)


class RawStream:
    """A stream without a parser: it waits for patterns in the bytes. With stream management (XEP-0198) enabled, as a
    client has it, it answers the server's requests for its count."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.is_managed, self.stanzas = False, 0

    async def ask(self, text, pattern):
        self.writer.write(text.encode())
        answer = b""
        while not (match := re.search(pattern, answer[-65536:])):
            data = await self.reader.read(1 << 20)
            if not data:
                raise EOFError(answer[-500:])
            answer += data
        if self.is_managed:
            self.stanzas += answer.count(b"<result ") + answer.count(b"</iq>")
            if b"<r xmlns" in answer:
                self.writer.write(f"<a xmlns='urn:xmpp:sm:3' h='{self.stanzas}'/>".encode())
        return answer, match


async def pages(options):
    context = ssl.create_default_context(cafile=options.ca)
    reader, writer = await asyncio.open_connection(
        options.host, options.port, ssl=context, server_hostname="xmpp.test", limit=1 << 24
    )
    stream = RawStream(reader, writer)
    name, domain = options.jid.split("@")
    open_stream = (
        f"<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' to='{domain}' "
        "version='1.0'>"
    )
    features = rb"</stream:features>"
    secret = base64.b64encode(f"\0{name}\0{options.password}".encode()).decode()
    await stream.ask(open_stream, features)
    await stream.ask(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{secret}</auth>", rb"<success")
    await stream.ask(open_stream, features)
    await stream.ask("<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>", rb"</iq>")
    await stream.ask("<enable xmlns='urn:xmpp:sm:3' resume='true'/>", rb"<enabled ")
    stream.is_managed = True
    clock = Clock()
    last, count = "", 0
    while True:
        after = f"<after>{last}</after>" if last else ""
        answer, _ = await stream.ask(
            "<iq type='set' id='m'><query xmlns='urn:xmpp:mam:2'><set xmlns='http://jabber.org/protocol/rsm'>"
            f"<max>{options.page}</max>{after}</set></query></iq>",
            rb"</fin></iq>",
        )
        count += answer.count(b"<result ")
        found = re.search(rb"<last>([^<]*)</last>", answer)
        if not found or re.search(rb"<fin[^>]* complete=['\"]true", answer):
            break
        last = found.group(1).decode()
    say(messages=count, **clock.spent())
    writer.transport.abort()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, accounts in (("chat", 2), ("parse", 0), ("pages", 1)):
        kind = kinds.add_parser(name)
        if accounts:
            kind.add_argument("jid")
            kind.add_argument("password")
            add_server_options(kind)
        if accounts == 2:
            kind.add_argument("jid2")
            kind.add_argument("password2")
        kind.add_argument("-n", type=int, default=1000)
        kind.add_argument("--page", type=int, default=250)
    options = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL, stream=sys.stderr)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete({"chat": chat, "parse": parse, "pages": pages}[options.kind](options))


if __name__ == "__main__":
    main()
