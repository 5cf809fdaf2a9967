"""Scripts/prove timing [SAMPLES]: do attempts take the same time and the same system calls, whatever comes of them?

Time: SAMPLES (60,000) attempts in optimised code, all outcomes interleaved at random on one file in memory, from the
stretched passcode to the end of the second write, which is all that can depend on the outcome; then a hundredth as many
from passcode to open space, outer against inner, in the code of the tests with their cheap KDF. Welch's t-test between
every two outcomes, over all samples and over those below each of many percentiles, as dudect does (Reparaz, Balasch,
Verbauwhede 2017). |t| has to stay below 4.5; what reaches it is measured once more, since the largest of some hundred t
does so by chance now and then, and a leak does always. A control wastes some microseconds in one outcome.

Calls: the program as it is shipped under strace, once for each outcome: what the thread of the attempt asks of the
kernel from its first write to the end of its second write of the header, with sizes and offsets.
"""
import os
import re
import subprocess
import sys
from itertools import combinations

import numpy as np

from common import ProofError, Verdicts, lab, optimised_prover, prover, release_program, run, work_folder

LIMIT = 4.5
CONTROL_NANOSECONDS = 2000
OUTCOMES = ["decoy", "real", "duress", "wrong"]


def samples(program, *arguments):
    found = {}
    for line in run(program, *arguments, timeout=7200).splitlines():
        name, value = line.split()
        found.setdefault(name, []).append(float(value))
    return {name: np.array(values) for name, values in sorted(found.items())}


def welch(a, b):
    spread = a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)
    return (a.mean() - b.mean()) / spread ** 0.5 if spread > 0 else 0.0


def largest_t(a, b):
    """The largest |t| over crops, dudect's: percentiles of both together that come ever closer to the highest."""
    both = np.concatenate([a, b])
    crops = [np.inf, *(np.quantile(both, 1 - 0.5 ** (10 * (step + 1) / 100)) for step in range(100))]
    results = [abs(welch(a, b))]
    for crop in crops:
        low_a, low_b = a[a < crop], b[b < crop]
        # Below some hundred samples t is no t.
        if min(len(low_a), len(low_b)) >= 500:
            results.append(abs(welch(low_a, low_b)))
    return max(results)


def time_proof(verdicts, folder, count):
    optimised, ordinary = optimised_prover(), prover()
    compare(
        verdicts, "attempts",
        lambda turn: samples(optimised, "timing", folder / f"attempts-{turn}", count, 0, *OUTCOMES))
    compare(
        verdicts, "openings",
        lambda turn: samples(ordinary, "opening", folder / f"openings-{turn}" / "vault", count // 100))
    leaky = samples(optimised, "timing", folder / "control", count // 4, CONTROL_NANOSECONDS, "decoy", "real")
    t = largest_t(leaky["decoy"], leaky["real"])
    verdicts.demand(t >= LIMIT, f"control: {CONTROL_NANOSECONDS / 1000:.0f} µs more in one outcome, |t| {t:.1f}")


def compare(verdicts, what, measure):
    found = measure(1)
    text = ", ".join(f"{name} {np.median(values) / 1000:.2f}" for name, values in found.items())
    verdicts.note(f"{sum(map(len, found.values()))} {what}, medians in µs: {text}")
    results = {pair: largest_t(found[pair[0]], found[pair[1]]) for pair in combinations(found, 2)}
    if max(results.values()) >= LIMIT:
        again = measure(2)
        for (a, b), t in results.items():
            if t >= LIMIT:
                results[a, b] = largest_t(again[a], again[b])
                verdicts.note(f"{what}: {a} against {b}: |t| {t:.2f}, and measured again {results[a, b]:.2f}")
    for (a, b), t in results.items():
        verdicts.demand(t < LIMIT, f"{what}: {a} against {b}: |t| {t:.2f}, below {LIMIT}")


# ---- system calls of the release program

LINE = re.compile(r"^(\d+) +(?:<... (\w+) resumed>(.*)|(\w+)\((.*))$")
# Which thread waits for which other is the scheduler's; what a thread asks of the kernel for itself is ours.
SCHEDULING = {"futex", "sched_yield", "restart_syscall", "epoll_wait", "epoll_pwait", "rt_sigprocmask"}


def traced(program, vault, passcode, folder):
    """Calls of the attempt as text, one a line."""
    trace = folder / "trace"
    secret = lab.descriptor_with(passcode)
    try:
        subprocess.run(
            ["strace", "-f", "-qq", "-s", "0", "-o", trace, program, "--vault", vault, "shell", "--json",
             "--passcode-fd", str(secret)],
            stdin=subprocess.DEVNULL, pass_fds=[secret], capture_output=True, timeout=300, check=False,
        )
    finally:
        os.close(secret)
    return attempt_calls(calls_of(trace.read_text()))


def calls_of(text):
    """(thread, call, arguments and result) in the order in which the calls ended."""
    calls, begun = [], {}
    for line in text.splitlines():
        thread, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[thread] = rest.removesuffix("<unfinished ...>")
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", rest)
        if resumed:
            rest = begun.pop(thread, "") + resumed.group(1)
        match = re.match(r"(\w+)\((.*)", rest)
        if match:
            calls.append((thread, match.group(1), match.group(2)))
    return calls


def normal(name, rest):
    """A call without what differs between any two runs: addresses, contents, the numbers of threads and of files that
    are open for a moment only (which other threads open, too)."""
    if name == "gettid":
        return name
    rest = re.sub(r"0x[0-9a-f]{5,}", "ADDRESS", re.sub(r" *\) *= ", ") = ", rest))
    rest = re.sub(r'""(\.\.\.)?', "DATA", rest)
    if name == "openat":
        rest = re.sub(r"= \d+$", "= FILE", rest)
    elif name in ("read", "close", "newfstatat", "fstat"):
        rest = re.sub(r"^\d+", "FILE", rest)
    return f"{name}({rest}"


def attempt_calls(calls):
    """What the thread of an attempt does from the first write of its count to the sync that ends its second write; and
    the next calls of whatever thread."""
    slots = [
        (index, thread) for index, (thread, name, rest) in enumerate(calls)
        if name == "pwrite64" and re.search(r", 4096, 8192\) += 4096", rest)
    ]
    if not slots:
        raise ProofError("no attempt in the trace")
    # The slot page goes with either copy of the plain page in the second write, and with nothing before it.
    last, thread = slots[1]
    end = next(i for i, (who, name, _) in enumerate(calls) if who == thread and name == "fdatasync" and i > last)
    plain = [
        index for index, (who, name, rest) in enumerate(calls[:end])
        if who == thread and name == "pwrite64" and re.search(r", 4096, (0|4096)\) += 4096", rest)
    ]
    # Two copies, twice; the start of the program has written them once, too.
    begin = plain[-4]
    attempt = [
        normal(name, rest) for who, name, rest in calls[begin:end + 1] if who == thread and name not in SCHEDULING
    ]
    return attempt, [name for _, name, _ in calls[end + 1:end + 200]]


def call_proof(verdicts, folder):
    program = release_program()
    outer, inner = "first lantern 71 on", "other harbour 42 up"
    duress, wrong = "third meadow 35 in", "wrong passage 93 by"
    vault = str(folder / "calls" / "vault")
    lab.make_vault(program, vault, outer)
    commands = ["space add --yes --allow-weak"]
    lines = [outer, inner]
    has_duress = "duress" in run(program, "help")
    if has_duress:
        commands.append("duress on --yes --allow-weak")
        lines += [outer, duress]
    with lab.Shell(program, vault, "\n".join(lines)) as shell:
        for command in commands:
            shell.run(command)
    for passcode in (outer, inner):
        with lab.Shell(program, vault, passcode) as shell:
            shell.event("unlocked")
    outcomes = {"decoy": outer, "real": inner, "wrong": wrong}
    if has_duress:
        outcomes["duress"] = duress
    found = {name: traced(program, vault, passcode, folder) for name, passcode in outcomes.items()}
    attempt, after = found["decoy"]
    verdicts.note(f"{len(attempt)} calls from the first write of an attempt to the end of its second")
    for name in list(found)[1:]:
        differs = next((pair for pair in zip(attempt, found[name][0]) if pair[0] != pair[1]), None)
        alike = attempt == found[name][0]
        verdicts.demand(alike, f"decoy and {name} make the same calls" + (f", but {differs}" if differs else ""))
    verdicts.demand(
        "pwrite64" in after and "pwrite64" not in found["wrong"][1],
        "control: what comes after, where a space opens or does not, is told apart by the same comparison")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    verdicts = Verdicts()
    with work_folder(in_memory=True) as folder:
        time_proof(verdicts, folder, count)
        call_proof(verdicts, folder)
    verdicts.end()


if __name__ == "__main__":
    main()
