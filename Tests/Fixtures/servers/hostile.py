#!/usr/bin/env python3
"""A scripted XMPP server on loopback that misbehaves in one named way; alive as long as standard input is open.

  hostile.py SCENARIO [--tls direct|starttls]      (hostile.py list names the scenarios)

It serves alice@xmpp.test with the password alicepw by SCRAM-SHA-256. The first output line is
{"host","port","ca"}; then {"ev":"connected"}, {"ev":"secured"}, {"ev":"login"}, {"ev":"stanza","xml":X} for what
the client sent after it, {"ev":"closed"}. What happens after login happens at the client's first presence, and for the
scenarios of stream management (XEP-0198) when it is used. Scenarios that the client has to survive end with a message
of bob@xmpp.test whose text is "after".
"""
import argparse
import asyncio
import base64
import hashlib
import hmac
import itertools
import json
import secrets
import ssl
import sys
import tempfile
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from certificates import Authority, self_signed

USER, PASSWORD, DOMAIN = "alice", "alicepw", "xmpp.test"
SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
STREAMS = "urn:ietf:params:xml:ns:xmpp-streams"
HEADER = (
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
    f"id='s1' from='{DOMAIN}' version='1.0' xml:lang='en'>"
)
AFTER = f"<message from='bob@{DOMAIN}/x' to='alice@{DOMAIN}' type='chat' id='after'><body>after</body></message>"
FORGED = f"<message xmlns='jabber:client' from='bob@{DOMAIN}/x' to='alice@{DOMAIN}/y' type='chat'><body>forged</body></message>"

CERTIFICATES = {"certificate-wrong-name", "certificate-expired", "certificate-self-signed", "certificate-rogue"}
BEFORE_LOGIN = {
    "silent": "takes the connection and says nothing",
    "silent-tls": "says nothing after the handshake",
    "not-xmpp": "answers as a web server",
    "no-starttls": "offers no TLS on the plain port",
    "dtd": "its stream header carries a document type",
    "no-mechanism": "offers only a mechanism nobody has",
    "not-authorized": "refuses every password",
    "bad-proof": "does not know the password itself",
    "drip-start": "sends its header and features so slowly that they never end",
    "roster-large": "has a roster of 50,000",
    "password-changed": "hangs up at the first presence, and takes another password from then on",
}
AFTER_LOGIN = {
    "well-behaved": AFTER,
    "stream-error": f"<stream:error><system-shutdown xmlns='{STREAMS}'/></stream:error></stream:stream>",
    "conflict": f"<stream:error><conflict xmlns='{STREAMS}'/></stream:error></stream:stream>",
    "too-large": "<message from='bob@xmpp.test'><body>" + "a" * (16 << 20),
    "too-deep": "<message from='bob@xmpp.test'>" + "<a>" * 10000,
    "entity": "<message from='bob@xmpp.test'><body>&lol;</body></message>",
    "unbound-prefix": "<message from='bob@xmpp.test'><x:y/></message>",
    "bad-utf8": b"<message from='bob@xmpp.test'><body>\xff\xfe\xc0\x80</body></message>",
    "comment": "<!-- hello -->",
    "processing-instruction": "<?hello?>",
    "roster-push": (
        "<iq type='set' id='p1' from='mallory@evil.test'><query xmlns='jabber:iq:roster'>"
        "<item jid='mallory@evil.test' name='Mallory' subscription='both'/></query></iq>" + AFTER
    ),
    "carbon": (
        f"<message from='mallory@evil.test' to='alice@{DOMAIN}'><received xmlns='urn:xmpp:carbons:2'>"
        f"<forwarded xmlns='urn:xmpp:forward:0'>{FORGED}</forwarded></received></message>" + AFTER
    ),
    "archive-result": (
        f"<message from='mallory@evil.test' to='alice@{DOMAIN}'><result xmlns='urn:xmpp:mam:2' queryid='q' id='1'>"
        f"<forwarded xmlns='urn:xmpp:forward:0'>{FORGED}</forwarded></result></message>" + AFTER
    ),
    "ping-mute": "",
    "archive-mute": "",
    "archive-flood": "",
    "archive-strangers": "",
    "restart": f"</stream:stream>{HEADER}<stream:features/>{AFTER}",
    "drip": "",
    "deaf": "",
    "crowd": AFTER.replace("after", "one of many") * 3000 + AFTER,
    "deaf-flood": "",
    # The escape character itself cannot be written in XML; these can, and terminals obey some of them.
    "control": (
        f"<message from='bob@{DOMAIN}/x' type='chat' id='c1'><body>\u009b2J\u009d0;owned\u009c\u202eabc\u007f&#13;x"
        "</body></message>" + AFTER
    ),
}
# These offer stream management; all but the first misuse it.
MANAGED = {
    "managed": "does as it should",
    "count-too-high": "acknowledges more than it was sent",
    "count-backwards": "takes an acknowledgement back",
    "count-mute": "does not acknowledge any more",
    "resume-nonsense": "hangs up at the first presence, and resumes another stream than it was asked for",
    "resume-silent": "hangs up at the first presence, and never answers a resumption",
}
# Hang up at the first presence of the first connection.
CUT = {"password-changed", "resume-nonsense", "resume-silent"}
MANAGEMENT = "urn:xmpp:sm:3"
# Seconds a byte of what drips.
DRIP = 0.05


def say(**values):
    print(json.dumps(values, ensure_ascii=False), flush=True)


def decode(text):
    return base64.b64decode(text or "")


def encode(data):
    return base64.b64encode(data).decode()


class Scram:
    """The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677) for one account."""

    def __init__(self, password):
        self.salt, self.count = secrets.token_bytes(16), 4096
        salted = hashlib.pbkdf2_hmac("sha256", password.encode(), self.salt, self.count)
        self.client_key = hmac.digest(salted, b"Client Key", "sha256")
        self.server_key = hmac.digest(salted, b"Server Key", "sha256")

    def challenge(self, first):
        self.bare = first.split(",", 2)[2]
        nonce = dict(part.split("=", 1) for part in self.bare.split(","))["r"] + secrets.token_hex(9)
        self.first = f"r={nonce},s={encode(self.salt)},i={self.count}"
        return self.first

    def success(self, final):
        """The server's signature, or None where the client's proof is wrong."""
        without_proof, proof = final.rsplit(",p=", 1)
        signed = ",".join((self.bare, self.first, without_proof)).encode()
        stored = hashlib.sha256(self.client_key).digest()
        signature = hmac.digest(stored, signed, "sha256")
        key = bytes(a ^ b for a, b in zip(decode(proof), signature))
        if hashlib.sha256(key).digest() != stored:
            return None
        return "v=" + encode(hmac.digest(self.server_key, signed, "sha256"))


class Session:
    """One client's connection; `number` counts them from 0."""

    def __init__(self, scenario, context, starttls, number, reader, writer):
        self.scenario, self.context, self.starttls, self.number = scenario, context, starttls, number
        self.reader, self.writer, self.secured = reader, writer, not starttls
        self.scram, self.logged_in, self.attacked = None, False, False
        # Stanzas taken since stream management was enabled, and how many were acknowledged at least once.
        self.taken, self.acknowledged = None, 0

    def send(self, data):
        self.writer.write(data if isinstance(data, bytes) else data.encode())

    async def run(self):
        say(ev="connected" if self.starttls else "secured")
        if self.scenario in ("silent", "silent-tls"):
            await self.reader.read()
            return
        if self.scenario == "not-xmpp":
            self.send("HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html><body>no</body></html>")
            return
        while await self.stream():
            pass

    async def drip(self, text):
        """Sends a text, then more of it for ever, byte by byte."""
        for byte in itertools.chain(text.encode(), itertools.repeat(ord("x"))):
            self.send(bytes([byte]))
            await self.writer.drain()
            await asyncio.sleep(DRIP)

    async def stream(self):
        """One stream of the connection; true when the client opens another."""
        parser = ElementTree.XMLPullParser(("start", "end"))
        depth, top = 0, None
        while data := await self.reader.read(65536):
            parser.feed(data)
            for event, element in parser.read_events():
                if event == "start":
                    depth += 1
                    if depth == 1:
                        top = element
                        if self.scenario == "drip-start":
                            await self.drip(HEADER + "<stream:features><mechanisms>")
                        self.open()
                    continue
                depth -= 1
                if depth == 0:
                    return False
                if depth == 1:
                    top.remove(element)
                    if await self.handle(element):
                        return True
                    await self.writer.drain()
        return False

    def open(self):
        header = HEADER
        if self.scenario == "dtd":
            header = header.replace("<stream:stream", "<!DOCTYPE stream [<!ENTITY lol 'lol'>]><stream:stream")
        if not self.secured and self.scenario != "no-starttls":
            features = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"
        elif self.logged_in:
            features = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
            if self.scenario in MANAGED:
                features += f"<sm xmlns='{MANAGEMENT}'/>"
        else:
            mechanism = "X-NOBODY" if self.scenario == "no-mechanism" else "SCRAM-SHA-256"
            features = f"<mechanisms xmlns='{SASL}'><mechanism>{mechanism}</mechanism></mechanisms>"
        self.send(f"{header}<stream:features>{features}</stream:features>")

    async def handle(self, element):
        """True when the stream has to be opened anew."""
        name = element.tag.split("}")[1]
        if name == "starttls":
            self.send("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
            await self.writer.drain()
            await self.writer.start_tls(self.context)
            self.secured = True
            say(ev="secured")
            return True
        if name in ("auth", "response"):
            return self.authenticate(name, decode(element.text).decode())
        if self.logged_in:
            say(ev="stanza", xml=ElementTree.tostring(element, encoding="unicode"))
            if element.tag.startswith("{" + MANAGEMENT):
                self.manage(name, element)
            else:
                if self.taken is not None:
                    self.taken += 1
                self.answer(name, element)
                if name == "presence" and not self.attacked and not element.get("to"):
                    self.attacked = True
                    await self.attack()
        return False

    async def attack(self):
        if self.scenario in CUT and self.number == 0:
            self.writer.transport.abort()
        elif self.scenario == "drip":
            await self.drip(f"<message from='bob@{DOMAIN}/x' type='chat'><body>")
        elif self.scenario == "deaf":
            await asyncio.Event().wait()
        elif self.scenario == "deaf-flood":
            while True:
                self.send(f"<iq type='get' id='{secrets.token_hex(500)}' from='{DOMAIN}'><ping xmlns='urn:xmpp:ping'/></iq>" * 50)
                await self.writer.drain()
        elif self.scenario in BEFORE_LOGIN or self.scenario in MANAGED:
            self.send(AFTER)
        else:
            self.send(AFTER_LOGIN[self.scenario])

    def manage(self, name, element):
        """Stream management; the counts of what was taken begin with it."""
        if name == "enable":
            self.taken = 0
            self.send(f"<enabled xmlns='{MANAGEMENT}' id='stream-{self.number}' resume='true'/>")
        elif name == "r" and self.scenario == "count-mute" and self.attacked:
            return
        elif name == "r":
            count = {
                "count-too-high": self.taken + 1000,
                "count-backwards": 0 if self.acknowledged else self.taken,
            }.get(self.scenario if self.attacked else "", self.taken)
            self.acknowledged += count
            self.send(f"<a xmlns='{MANAGEMENT}' h='{count}'/>")
        elif self.scenario == "resume-nonsense":
            self.send(f"<resumed xmlns='{MANAGEMENT}' h='0' previd='another'/>")
        elif name == "resume" and self.scenario != "resume-silent":
            unknown = "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
            self.send(f"<failed xmlns='{MANAGEMENT}'>{unknown}</failed>")

    def authenticate(self, name, text):
        refused = f"<failure xmlns='{SASL}'><not-authorized/></failure>"
        if self.scenario == "not-authorized":
            self.send(refused)
        elif name == "auth":
            changed = self.scenario == "password-changed" and self.number > 0
            self.scram = Scram("another" if changed else PASSWORD)
            self.send(f"<challenge xmlns='{SASL}'>{encode(self.scram.challenge(text).encode())}</challenge>")
        else:
            signature = self.scram.success(text)
            if self.scenario == "bad-proof":
                signature = "v=" + encode(secrets.token_bytes(32))
            if signature is None:
                self.send(refused)
                return False
            self.send(f"<success xmlns='{SASL}'>{encode(signature.encode())}</success>")
            self.logged_in = True
            say(ev="login")
            return True
        return False

    def answer(self, name, element):
        if name != "iq" or element.get("type") not in ("get", "set"):
            return
        payload = element[0].tag[1:].split("}") if len(element) else ("", "")
        content = {
            "urn:ietf:params:xml:ns:xmpp-bind": f"<bind xmlns='{payload[0]}'><jid>{USER}@{DOMAIN}/here</jid></bind>",
            "jabber:iq:roster": f"<query xmlns='jabber:iq:roster'>{self.roster()}</query>",
            "http://jabber.org/protocol/disco#info": (
                f"<query xmlns='{payload[0]}'><identity category='server' type='im'/>"
                "<feature var='urn:xmpp:carbons:2'/></query>"
            ),
            "http://jabber.org/protocol/disco#items": f"<query xmlns='{payload[0]}'/>",
            "urn:xmpp:mam:2": "<fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'/></fin>",
        }.get(payload[0], "")
        if (self.scenario, tuple(payload)) in MUTE:
            return
        if payload[0] == "urn:xmpp:mam:2" and self.scenario in ("archive-flood", "archive-strangers"):
            self.send(self.results(element[0].get("queryid")))
        origin = f" from={quoteattr(element.get('to'))}" if element.get("to") else ""
        self.send(f"<iq type='result' id={quoteattr(element.get('id', ''))}{origin}>{content}</iq>")

    def roster(self):
        count = 50_000 if self.scenario == "roster-large" else 0
        return "".join(f"<item jid='contact-{number}@{DOMAIN}' subscription='both'/>" for number in range(count))

    def results(self, query):
        """Results of an archive: too many of them, or one that was asked for among others."""
        def result(name, query=query, sender=""):
            return (
                f"<message{sender} to='alice@{DOMAIN}/here'><result xmlns='urn:xmpp:mam:2' queryid='{query}' id='{name}'>"
                f"<forwarded xmlns='urn:xmpp:forward:0'>{FORGED.replace('forged', name)}</forwarded></result></message>"
            )
        if self.scenario == "archive-flood":
            return "".join(result(f"r{number}") for number in range(300))
        return result("other-query", "elsewhere") + result("stranger", sender=" from='mallory@evil.test'") + result("ours")


MUTE = {("ping-mute", ("urn:xmpp:ping", "ping")), ("archive-mute", ("urn:xmpp:mam:2", "query"))}


def certificate(scenario, folder):
    """(what to serve, its key, what the client trusts)"""
    authority = Authority(folder)
    if scenario == "certificate-self-signed":
        chain, key = self_signed(folder)
    elif scenario == "certificate-rogue":
        chain, key, _ = Authority(folder, "rogue").issue("server")
    elif scenario == "certificate-expired":
        chain, key, _ = authority.issue("server", days=-1)
    elif scenario == "certificate-wrong-name":
        # The common name is right: it must not count (RFC 6125, section 6.4.4).
        chain, key, _ = authority.issue("server", names="DNS:elsewhere.test")
    else:
        chain, key, _ = authority.issue("server")
    return chain, key, authority.certificate


async def serve(options, folder):
    chain, key, trusted = certificate(options.scenario, folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    starttls = options.tls == "starttls"
    plain = starttls or options.scenario == "silent"
    numbers = itertools.count()

    async def accept(reader, writer):
        try:
            await Session(options.scenario, context, starttls, next(numbers), reader, writer).run()
        except (OSError, ElementTree.ParseError, asyncio.IncompleteReadError):
            pass
        say(ev="closed")
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=None if plain else context)
    say(host="127.0.0.1", port=server.sockets[0].getsockname()[1], ca=str(trusted))
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def main():
    names = sorted({*CERTIFICATES, *BEFORE_LOGIN, *AFTER_LOGIN, *MANAGED})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=[*names, "list"])
    parser.add_argument("--tls", choices=("direct", "starttls"), default="direct")
    options = parser.parse_args()
    if options.scenario == "list":
        print("\n".join(names))
        return
    with tempfile.TemporaryDirectory(prefix="postern-hostile-") as folder:
        asyncio.run(serve(options, folder))


if __name__ == "__main__":
    main()
