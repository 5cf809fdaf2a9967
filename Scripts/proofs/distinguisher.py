"""Scripts/prove distinguisher [VAULTS]: can an examiner with one disk image, the outer passcode and this source tell
whether a vault has a second space? VAULTS lives (200) in each group, on ext4 images of their own.

Both groups live alike in the outer space: used, grown, profiles removed, passcodes changed, programs killed. In one, a
second space is added and used; in the other, the program ran and looked at the outer one at those times.

The verdict is on everything an image shows but amounts and moments of writing, which Docs/THREAT-MODEL.md names as out
of reach: how well those alone tell is printed, and demanded of nobody.

A bound of 0.05 at 200 + 200 is 1.7 standard errors, so chance alone leaves it one time in six (two classifiers). What
is beyond it is therefore asked again: the classifiers that were trained on these vaults judge as many new ones, and the
proof has failed if they are beyond it there, too, to the same side.
"""
import ctypes
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from common import ProofError, Verdicts, prove_with, prover, work_folder
from content import HEADER, KEY_PAGE, SLICE, facts_of
from image import Disk, can_mount, in_own_mounts
from judge import Table, crossed, held_out, most_different, standard_error

SLICES, MEBIBYTES = 17, 88
# Far from each other: a duress passcode that is like the present one is refused.
OUTER, INNER, DURESS = "outer lantern", "inner", "quite another word"
# Vaults of each group that are also spoilt in the ways that must be found.
CONTROLS = 20


def life(chance, has_second):
    """Sessions of `prover live`, and the passcodes that an examiner may be told."""
    return Story(chance, has_second).told()


class Story:
    """What happens in the life of one vault: the same in both groups, but for the second space."""

    def __init__(self, chance, has_second):
        self.chance, self.has_second = chance, has_second
        self.outer, self.inner = OUTER, INNER
        self.passcodes, self.sessions = [OUTER], []
        # A fifth wrong passcode in a row would have to wait.
        self.duress, self.wrong_left = None, 3

    def told(self):
        chance = self.chance
        first = f"profile,messages={chance.randrange(5, 120)}"
        self.sessions.append(f"{self.outer}:{first}" + (f",space={self.inner}" if self.has_second else ""))
        self.sessions.append(
            f"{self.inner}:profile,messages={chance.randrange(5, 150)}" if self.has_second else f"{self.outer}:")
        for _ in range(chance.randrange(1, 4)):
            self.outer_use(chance.choice(["messages", "remove", "passcode", "grow", "arm", "prompt", "wrong"]))
            if chance.random() < 0.7:
                self.other_time()
        self.end(chance.choice(["clean", "clean", "attempt", "other", "outer", "adding", "duress"]))
        return self.sessions, self.passcodes

    def outer_use(self, action):
        chance, outer = self.chance, self.outer
        if action == "messages":
            self.sessions.append(f"{outer}:messages={chance.randrange(1, 120)}")
        elif action == "remove":
            self.sessions.append(f"{outer}:remove,profile,messages={chance.randrange(1, 60)}")
        elif action == "passcode":
            self.outer, self.duress = outer + "y", None
            self.sessions.append(f"{outer}:passcode={self.outer}")
            self.passcodes.append(self.outer)
        elif action == "grow":
            self.sessions.append(f"{outer}:grow={chance.randrange(1, 3)}")
        elif action == "arm":
            self.duress = DURESS
            self.sessions.append(f"{outer}:duress={DURESS}" + chance.choice(["", "", ",calm"]))
            if self.sessions[-1].endswith("calm"):
                self.duress = None
        elif action == "prompt":
            self.sessions.append(f"-:beats={chance.randrange(1, 30)}")
        elif action == "wrong":
            count = min(chance.randrange(1, 3), self.wrong_left)
            self.wrong_left -= count
            self.sessions += ["nonsense:"] * count

    def other_time(self):
        """The second space is used, or at such a time the first is looked at."""
        chance, inner = self.chance, self.inner
        if not self.has_second or chance.random() < 0.2:
            self.sessions.append(f"{self.outer}:beats={chance.randrange(1, 30)}")
        elif chance.random() < 0.3:
            self.inner = inner + "x"
            self.sessions.append(f"{inner}:messages={chance.randrange(1, 80)},passcode={self.inner}")
        else:
            use = chance.choice(["messages", "remove,profile,messages"])
            self.sessions.append(f"{inner}:{use}={chance.randrange(1, 150)},beats={chance.randrange(1, 30)}")

    def end(self, how):
        """How the last process ended: by itself, or killed at some instruction of something."""
        chance, outer = self.chance, self.outer
        opens_again = how != "clean" and chance.random() < 0.3
        if how == "attempt":
            who = self.inner if self.has_second and chance.random() < 0.5 else outer
            self.sessions.append(f"{who}!o{chance.randrange(1, 22)}:")
        elif how == "other":
            moment = chance.randrange(1, 70_000)
            self.sessions.append(
                f"{self.inner}!u{moment}:messages=60" if self.has_second else f"{outer}!u{moment}:")
        elif how == "outer":
            action = chance.choice(["messages=60", "remove,profile,messages=20", f"passcode={outer}z", "grow=1"])
            if action.startswith("passcode"):
                self.passcodes.append(outer + "z")
                opens_again = False
            self.sessions.append(f"{outer}!u{chance.randrange(1, 70_000)}:{action}")
        elif how == "adding":
            self.sessions.append(
                f"{outer}!o{chance.randrange(14, 40)}:space=another" if self.has_second
                else f"{outer}!u{chance.randrange(1, 9000)}:")
        elif how == "duress":
            if self.duress is None:
                self.sessions.append(f"{outer}:duress={DURESS}")
            # Entered whole, or killed at an access on the way.
            moment = chance.choice(["", f"!o{chance.randrange(5, 22)}"])
            self.sessions.append(f"{DURESS}{moment}:")
            opens_again = False
        if opens_again:
            self.sessions.append(f"{outer}:")


class Lives:
    """Makes vaults, one image each, and describes them."""

    def __init__(self, folder, program, mounts, controls):
        self.folder, self.program, self.mounts, self.controls = folder, program, mounts, controls

    def one(self, seed):
        """Whether the vault has a second space, its facts, and those of its spoilt likenesses by what was done."""
        chance = random.Random(seed)
        has_second = seed % 2 == 1
        place = self.folder / str(seed)
        disk = Disk(place / "life", MEBIBYTES, self.mounts)
        try:
            sessions, passcodes = life(chance, has_second)
            litter(disk, chance)
            prove_with(self.program, "create", disk.vault, SLICES, OUTER)
            litter(disk, chance)
            for together in processes_of(sessions):
                ended = subprocess.run(
                    [self.program, "live", str(disk.vault), *together], capture_output=True, text=True, timeout=120)
                if ended.returncode not in (0, -signal.SIGKILL, -signal.SIGALRM):
                    raise ProofError(f"{together}: {ended.returncode} {ended.stdout}{ended.stderr}")
            litter(disk, chance)
            facts = self.describe(disk.snapshot(chance.choice(["clean", "synced", "cut"])), place, passcodes)
            spoilt = {}
            if seed < 2 * self.controls:
                disk.unmount()
                for name, (spoil, only_beside) in SPOILS.items():
                    likeness = disk.copy(place / "likeness")
                    spoil(likeness.vault, has_second)
                    known = facts if only_beside else None
                    spoilt[name] = self.describe(likeness.snapshot("clean"), place, passcodes, known)
                    likeness.discard()
            return has_second, facts, spoilt
        finally:
            disk.discard()
            shutil.rmtree(place, ignore_errors=True)

    def describe(self, image, place, passcodes, known=None):
        """Every fact of an image. `known` has those of its contents where they are the same."""
        if known is None:
            content = image.content()
            known = facts_of(content) | self.payload(content, place / "copy", passcodes)
        facts = known | image.facts
        facts["beyond.lastWrite"] = image.times["mtime"] - known["wall"] * 1_000_000
        facts["times.lastWrite"] = round(facts["beyond.lastWrite"] / 60e9)
        return facts

    def payload(self, content, copy, passcodes):
        """What the outer passcode opens; after a kill amid its change it may be the old or the new one."""
        for passcode in reversed(passcodes):
            copy.write_bytes(content)
            ended = subprocess.run(
                [self.program, "payload", str(copy), passcode], check=False, capture_output=True, text=True)
            if ended.returncode == 0:
                told = json.loads(ended.stdout)
                wall = told.pop("wall")
                told.pop("boottime")
                return {f"outer.{name}": value for name, value in told.items()} | {"wall": wall}
        raise ProofError("the outer passcode opens nothing")


def processes_of(sessions):
    """Sessions in processes of the prover: one that kills itself ends no other."""
    together = []
    for session in sessions:
        if "!" in session.split(":")[0]:
            if together:
                yield together
            yield [session]
            together = []
        else:
            together.append(session)
    if together:
        yield together


def litter(disk, chance):
    """Files of other programs on the same disk."""
    for index in range(chance.randrange(3)):
        path = disk.point / f"other-{chance.randrange(4)}"
        path.write_bytes(bytes([index + 1]) * chance.randrange(1, 1 << 20))
        if chance.random() < 0.3:
            path.unlink()


# ---- positive controls: each spoils one thing in the group where such a program would have spoilt it

def plain_log_beside(vault, has_second):
    if has_second:
        vault.with_name("vault-wal").write_bytes(os.urandom(40_000))


def deleted_file_beside(vault, has_second):
    if has_second:
        path = vault.with_name("vault-journal")
        path.write_bytes(os.urandom(9000))
        path.unlink()


def unwritten_space(vault, has_second):
    """The inner region reserved instead of written, as long as there is no inner space."""
    if not has_second:
        with open(vault, "r+b") as file:
            for offset in range(HEADER + SLICE, os.fstat(file.fileno()).st_size, 2 * SLICE):
                zero_range(file, offset, SLICE)


def touched_time(vault, has_second):
    """Use of the second space that no rewriting of the header covers."""
    if has_second:
        moment = time.time() + 7200
        os.utime(vault, (vault.stat().st_atime, moment))


def one_nonce(vault, has_second):
    """Both copies of the inner key page the same bytes."""
    if has_second:
        with open(vault, "r+b") as file:
            file.seek(49152)
            page = file.read(KEY_PAGE)
            file.write(page)


def zero_range(file, offset, length):
    """fallocate(2) with FALLOC_FL_ZERO_RANGE and FALLOC_FL_KEEP_SIZE: the extents become unwritten."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fallocate(file.fileno(), 0x11, ctypes.c_long(offset), ctypes.c_long(length)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


# What is done, and whether the vault's contents stay as they are.
SPOILS = {
    "a plain log beside the vault": (plain_log_beside, True),
    "a file beside it that was deleted again": (deleted_file_beside, True),
    "space reserved and not written": (unwritten_space, False),
    "file times moved by using the second space": (touched_time, True),
    "both copies of a key page under one nonce": (one_nonce, False),
}


def gather(lives, seeds):
    """Facts, labels and likenesses of many vaults, made by all processors."""
    with multiprocessing.Pool(os.cpu_count()) as pool:
        results = pool.map(lives.one, seeds, chunksize=2)
    return [row for _, row, _ in results], [label for label, _, _ in results], [spoilt for *_, spoilt in results]


def demanded(rows, names=None):
    rows = [{name: value for name, value in row.items() if name != "wall"} for row in rows]
    return Table(rows, names).without("beyond.")


def judge(verdicts, lives, count, bound):
    begin = time.monotonic()
    rows, labels, spoilt = gather(lives, range(2 * count))
    verdicts.note(f"{count} + {count} vaults, {len(demanded(rows).names)} facts each, {time.monotonic() - begin:.0f} s")
    table = demanded(rows)
    found = crossed(table, labels)
    suspects = {name: area for name, area in found.items() if abs(area - 0.5) > bound}
    verdicts.note("most different alone: " + ", ".join(most_different(table, labels)))
    if suspects:
        verdicts.note("beyond the bound, so asked again of new vaults: " + told(suspects))
        new_rows, new_labels, _ = gather(lives, range(2 * count, 4 * count))
        again = held_out(table, labels, demanded(new_rows, table.names), new_labels)
        verdicts.note("held out: " + told(again))
        suspects = {
            name: again[name] for name, area in suspects.items()
            if abs(again[name] - 0.5) > bound and (again[name] > 0.5) == (area > 0.5)
        }
    verdicts.demand(
        not suspects, f"AUC {told(found)}; 0.5 within {bound}, standard error {standard_error(labels):.3f}")
    rest = Table([{name: row[name] for name in row if name.startswith("beyond.")} for row in rows])
    verdicts.note("out of reach, amounts and moments of writing alone: " + told(crossed(rest, labels)))
    for name in SPOILS:
        pairs = [(likeness[name], label) for likeness, label in zip(spoilt, labels) if likeness]
        area = max(crossed(demanded([row for row, _ in pairs]), [label for _, label in pairs]).values())
        verdicts.demand(area >= 0.95, f"control: {name} is found, AUC {area:.3f}")


def told(areas):
    return ", ".join(f"{name} {area:.3f}" for name, area in areas.items())


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    verdicts = Verdicts()
    program = prover()
    with work_folder(in_memory=True) as folder:
        mounts = can_mount(folder)
        if not mounts:
            verdicts.note("no loop device can be mounted here: images are made by mkfs.ext4 from what a life left")
            # What leaves its trace only on the file system that it was done on.
            for name in ("a file beside it that was deleted again", "space reserved and not written"):
                del SPOILS[name]
        lives = Lives(folder, program, mounts, min(CONTROLS, count))
        judge(verdicts, lives, count, 0.05 if count < 1000 else 0.03)
    verdicts.end()


if __name__ == "__main__":
    in_own_mounts()
    main()
