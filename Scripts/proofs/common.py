"""What the proofs share: where the programs are, a folder to work in, and how results are told."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import lab  # noqa: E402

ROOT = lab.ROOT
FLAGS = ["--explicit-target-dependency-import-check", "error"]
RELEASE = ["-c", "release", "--static-swift-stdlib", *FLAGS]


class ProofError(Exception):
    pass


class Verdicts:
    """What was demanded and what was found; a proof has failed if one demand is not met."""

    def __init__(self):
        self.failed = False

    def note(self, text):
        print(f"   {text}", flush=True)

    def demand(self, is_met, text):
        self.failed |= not is_met
        print(f"   {'met   ' if is_met else 'FAILED'} {text}", flush=True)

    def end(self):
        sys.exit(1 if self.failed else 0)


def run(*command, **options):
    """Runs a command that has to succeed; its output."""
    ended = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    if ended.returncode != 0:
        raise ProofError(f"{command[0]} ended with {ended.returncode}: {(ended.stderr or ended.stdout)[-600:]}")
    return ended.stdout


def built(product, flags):
    """The path of a product, built now if it has to be."""
    subprocess.run(["swift", "build", *flags, "--product", product], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)
    return f"{run('swift', 'build', *flags, '--show-bin-path', cwd=ROOT).strip()}/{product}"


def prover():
    """The program that drives the vault's code with the KDF for tests."""
    return os.environ.get("POSTERN_PROVER") or built("prover", FLAGS)


def optimised_prover():
    """The same as a release is built, which has no KDF for tests."""
    return os.environ.get("POSTERN_PROVER_OPTIMISED") or built("prover", RELEASE)


def release_program():
    return os.environ.get("POSTERN_PROGRAM") or built("postern", RELEASE)


def prove_with(program, *arguments):
    """The JSON lines that the prover answers."""
    return [json.loads(line) for line in run(program, *arguments, timeout=7200).splitlines()]


@contextmanager
def work_folder(in_memory):
    """A folder that goes afterwards; in memory where that is wanted and to be had."""
    shared = Path("/dev/shm")
    home = shared if in_memory and os.access(shared, os.W_OK) else ROOT / ".build"
    folder = Path(tempfile.mkdtemp(prefix="postern-proof-", dir=home))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
