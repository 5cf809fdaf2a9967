"""Scripts/prove accident [ENTRIES]: ENTRIES (2,000) times a passcode is mistyped, cancelled or killed on the way.
Nothing may be erased and nothing changed but the counters of attempts and what every attempt rewrites.

Slips of up to three keys, case, other keyboards, pasted line breaks, halves, nothing at all, spaces, foreign bytes,
cancelled prompts, and processes that end before any access to the file, also with the right passcode. After each the
header is compared byte by byte; every 2,000 and at the end the slices, too, and both spaces are opened and counted.
"""
import secrets
import sys

from common import Verdicts, prove_with, prover, work_folder


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = secrets.randbelow(1 << 40)
    verdicts = Verdicts()
    with work_folder(in_memory=True) as folder:
        lines = prove_with(prover(), "accident", folder / "home" / "vault", count, seed)
    total = next(line for line in lines if "attempts" in line)
    for line in [line for line in lines if "violation" in line][:10]:
        verdicts.note(f"attempt {line['attempt']} ({line['kind']}): {line['violation']}")
    verdicts.note(", ".join(f"{kind} {number}" for kind, number in sorted(total["kinds"].items())))
    verdicts.demand(
        total["attempts"] == count and total["violations"] == 0,
        f"{total['attempts']} mis-entries, {total['violations']} changed more than they may (seed {seed})")
    for line in lines:
        if "control" in line:
            verdicts.demand(line["noticed"], f"control: {line['control']} is noticed")
    verdicts.end()


if __name__ == "__main__":
    main()
