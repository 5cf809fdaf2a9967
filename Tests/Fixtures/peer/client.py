"""The slixmpp client that the peer and the measurements are made of."""
import asyncio
import json
import os
import warnings

os.environ.setdefault("PYTHONWARNINGS", "ignore")
warnings.simplefilter("ignore")

import slixmpp  # noqa: E402  (after the warnings are off)

PLUGINS = (
    "xep_0030", "xep_0059", "xep_0085", "xep_0092", "xep_0115", "xep_0184", "xep_0198", "xep_0199", "xep_0280",
    "xep_0308", "xep_0313", "xep_0333", "xep_0334", "xep_0359",
)


def say(**values):
    """One JSON line on standard output."""
    print(json.dumps(values, ensure_ascii=False), flush=True)


class Client(slixmpp.ClientXMPP):
    """Logs in at `options.host`:`options.port`, answers receipts and subscriptions, and sets `ready` when online."""

    def __init__(self, jid, password, options, receipts=True):
        super().__init__(jid, password)
        self.options = options
        self.ready = asyncio.Event()
        self.use_message_ids = True
        self.use_presence_ids = True
        self.enable_direct_tls = options.direct
        self.enable_starttls = not options.direct
        self.ca_certs = options.ca
        for plugin in PLUGINS:
            self.register_plugin(plugin)
        self.plugin["xep_0184"].auto_ack = receipts
        self.plugin["xep_0184"].auto_request = False
        self.auto_authorize = True
        self.auto_subscribe = True
        self.add_event_handler("session_start", self.begin)
        self.add_event_handler("failed_all_auth", lambda _: (say(ev="auth-failed", jid=jid), os._exit(3)))

    async def begin(self, _):
        await self.get_roster()
        self.send_presence()
        await self.plugin["xep_0280"].enable()
        self.ready.set()

    async def online(self, seconds=20):
        """Connects and waits until the session is up."""
        self.connect(self.options.host, self.options.port)
        await asyncio.wait_for(self.ready.wait(), seconds)
        return self


def add_server_options(parser):
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--direct", action="store_true", help="TLS from the first byte")
    parser.add_argument("--ca", required=True, help="the CA to trust")
