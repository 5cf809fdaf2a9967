"""Throw-away certificates for servers on loopback: a CA to trust, and leaves that are good or wrong in one way.

All are P-256, made by the openssl program. Names: xmpp.test, other.test, localhost, 127.0.0.1, ::1.
"""
import subprocess
from pathlib import Path

GOOD_NAMES = "DNS:xmpp.test,DNS:*.xmpp.test,DNS:other.test,DNS:localhost,IP:127.0.0.1,IP:::1"
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-sha256"]


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL)


class Authority:
    """A CA in `folder`; `certificate` is the file a client has to trust."""

    def __init__(self, folder, name="ca"):
        self.folder = Path(folder)
        self.certificate = self.folder / f"{name}.crt"
        self.key = self.folder / f"{name}.key"
        openssl(
            "req", "-x509", *KEY, "-days", "30", "-subj", f"/CN=throw-away {name}",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
            "-keyout", str(self.key), "-out", str(self.certificate),
        )

    def issue(self, name, names=GOOD_NAMES, common_name="xmpp.test", days=20):
        """A leaf for `names`: (chain file, key file, leaf file). `days` = -1 is one that ran out yesterday."""
        chain, key, leaf, request, extensions = (
            self.folder / f"{name}.{suffix}" for suffix in ("chain.crt", "key", "crt", "csr", "cnf")
        )
        extensions.write_text(
            "basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\n"
            f"extendedKeyUsage=serverAuth\nsubjectAltName={names}\n"
        )
        openssl("req", *KEY, "-subj", f"/CN={common_name}", "-keyout", str(key), "-out", str(request))
        openssl(
            "x509", "-req", "-in", str(request), "-CA", str(self.certificate), "-CAkey", str(self.key),
            "-CAcreateserial", "-sha256", "-days", str(days), "-extfile", str(extensions), "-out", str(leaf),
        )
        chain.write_bytes(leaf.read_bytes() + self.certificate.read_bytes())
        return chain, key, leaf


def self_signed(folder, name="self"):
    """A leaf with the right names that no CA has signed: (chain file, key file)."""
    chain, key = Path(folder) / f"{name}.crt", Path(folder) / f"{name}.key"
    openssl(
        "req", "-x509", *KEY, "-days", "20", "-subj", "/CN=xmpp.test", "-addext", f"subjectAltName={GOOD_NAMES}",
        "-keyout", str(key), "-out", str(chain),
    )
    return chain, key
