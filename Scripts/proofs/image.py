"""Ext4 images of one vault each, and what can be read out of such an image without any key."""
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from common import ProofError, run

BLOCK = 4096
FOLDER, NAME = "home", "vault"


def in_own_mounts():
    """Starts this program anew where its mounts are nobody else's and end with it; without that right, goes on."""
    own = ["unshare", "--mount", "--propagation", "private"]
    if "POSTERN_PROOF_MOUNTS" in os.environ or os.geteuid() != 0 or not shutil.which("unshare"):
        return
    # Root in a container may lack it.
    if subprocess.run([*own, "true"], check=False, capture_output=True).returncode == 0:
        os.environ["POSTERN_PROOF_MOUNTS"] = "own"
        os.execvp(own[0], [*own, sys.executable, *sys.argv])


def can_mount(folder):
    """Whether images can be mounted here: root, a loop device, and mount namespaces."""
    image = folder / "trial"
    point = folder / "trial-mount"
    point.mkdir()
    try:
        make_empty(image, 16)
        run("mount", "-o", "loop", image, point)
        run("umount", point)
        return True
    except (ProofError, OSError):
        return False
    finally:
        image.unlink(missing_ok=True)


def make_empty(image, mebibytes, source=None):
    image.unlink(missing_ok=True)
    with open(image, "wb") as file:
        file.truncate(mebibytes << 20)
    populate = ["-d", source] if source else []
    run("mkfs.ext4", "-q", "-F", "-b", BLOCK, "-E", "lazy_itable_init=0,lazy_journal_init=0", *populate, image)


class Disk:
    """A small ext4 on which a vault lives its life; afterwards an image file.

    Where nothing can be mounted, the life takes place in a folder and `mkfs.ext4 -d` makes an image of what is left:
    contents and names are real then, extents and times are the tool's.
    """

    def __init__(self, folder, mebibytes, mounts, of=None):
        self.folder, self.mebibytes, self.mounts = folder, mebibytes, mounts
        self.image, self.point = folder / "image", folder / "disk"
        self.vault = self.point / FOLDER / NAME
        folder.mkdir(parents=True)
        if of is None:
            self.point.mkdir()
            if mounts:
                make_empty(self.image, mebibytes)
                run("mount", "-o", "loop", self.image, self.point)
            (self.point / FOLDER).mkdir()
        elif mounts:
            self.point.mkdir()
            run("cp", "--sparse=always", of.image, self.image)
            run("mount", "-o", "loop", self.image, self.point)
        else:
            shutil.copytree(of.point, self.point)

    def copy(self, folder):
        """Another disk with the same contents. This one is unmounted."""
        return Disk(folder, self.mebibytes, self.mounts, of=self)

    def snapshot(self, how):
        """What the image holds now. `clean`: unmounted; `synced` and `cut`: taken from the running system, after
        everything was written back or, as at a power cut, without."""
        if not self.mounts:
            make_empty(self.image, self.mebibytes, self.point)
            return Image(self.image)
        if how == "clean":
            self.unmount()
            return Image(self.image)
        if how == "synced":
            run("sync", "-f", self.point)
        copy = self.image.with_name("snapshot")
        run("cp", "--sparse=always", self.image, copy)
        return Image(copy)

    def unmount(self):
        if self.mounts and os.path.ismount(self.point):
            run("umount", self.point)

    def discard(self):
        if os.path.ismount(self.point):
            subprocess.run(["umount", "-l", str(self.point)], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class Image:
    """An ext4 image as an examiner has it. The journal is read as it lies there, then replayed for all else."""

    def __init__(self, path):
        self.path = Path(path)
        self.facts = self._superblock()
        journal = self._dump("<8>")
        subprocess.run(
            ["e2fsck", "-E", "journal_only", "-y", str(self.path)], check=False, capture_output=True,
            stdin=subprocess.DEVNULL,
        )
        self.extents = []
        self._inode()
        self._names()
        self._journal(journal)

    def _debugfs(self, *requests):
        command = "\n".join(requests)
        ended = subprocess.run(
            ["debugfs", "-f", "-", str(self.path)], input=command, capture_output=True, text=True, check=False
        )
        return ended.stdout

    def _dump(self, what):
        target = self.path.with_name("dump")
        self._debugfs(f"dump {what} {target}")
        data = target.read_bytes() if target.exists() else b""
        target.unlink(missing_ok=True)
        return data

    def _superblock(self):
        with open(self.path, "rb") as file:
            file.seek(1024)
            block = file.read(1024)
        word = lambda offset: struct.unpack_from("<I", block, offset)[0]  # noqa: E731
        return {
            "fs.freeBlocks": word(12), "fs.freeInodes": word(16), "fs.state": struct.unpack_from("<H", block, 58)[0],
            "fs.recovers": word(96) >> 2 & 1, "beyond.kibibytesWritten": struct.unpack_from("<Q", block, 0x178)[0],
        }

    def _inode(self):
        text = self._debugfs(f"stat /{FOLDER}/{NAME}", f"stat /{FOLDER}")
        parts = re.split(r"(?m)^debugfs: +stat .*\n", text)
        vault, folder = parts[1], parts[2]
        if "EXTENTS" not in vault:
            raise ProofError("no vault in the image")
        facts = self.facts
        for name, pattern in [
            ("number", r"Inode: (\d+)"), ("mode", r"Mode: +(\d+)"), ("links", r"Links: (\d+)"),
            ("blocks", r"Blockcount: (\d+)"), ("size", r"Size: (\d+)"),
        ]:
            facts[f"inode.{name}"] = int(re.search(pattern, vault).group(1))
        facts["inode.flags"] = int(re.search(r"Flags: 0x([0-9a-f]+)", vault).group(1), 16)
        high, low = re.search(r"Version: 0x([0-9a-f]+):([0-9a-f]+)", vault).groups()
        facts["beyond.inodeVersion"] = int(high, 16) << 32 | int(low, 16)
        self.generation = int(re.search(r"Generation: (\d+)", vault).group(1))
        self.times = inode_times(vault)
        folder_times = inode_times(folder)
        for name in ("ctime", "atime", "mtime"):
            facts[f"inode.{name}"] = minutes(self.times[name] - self.times["crtime"])
            facts[f"folder.{name}"] = minutes(folder_times[name] - self.times["crtime"])
        facts["inode.ctimeIsMtime"] = self.times["ctime"] == self.times["mtime"]
        facts["inode.atimeIsCrtime"] = self.times["atime"] == self.times["crtime"]
        facts["folder.mtimeIsCrtime"] = minutes(folder_times["mtime"] - folder_times["crtime"])
        facts["folder.size"] = int(re.search(r"Size: (\d+)", folder).group(1))
        # "(0-9):100-109" is written; "(0[u]-9[u]):100-109" is reserved and reads as zeros.
        unwritten = 0
        for first, flag, last, block in re.findall(
            r"\((\d+)(\[u\])?(?:-(\d+)(?:\[u\])?)?\):(\d+)", vault.split("EXTENTS:")[1]
        ):
            if flag:
                unwritten += 1
            else:
                self.extents.append((int(first), int(last or first) - int(first) + 1, int(block)))
        facts["extents.count"], facts["extents.unwritten"] = len(self.extents), unwritten
        for index, (_, length, block) in enumerate(self.extents[:6]):
            facts[f"extents.{index}.length"], facts[f"extents.{index}.block"] = length, block

    def _names(self):
        """Entries of the vault's folder, those that were deleted too, and inodes that were freed."""
        text = self._debugfs(f"ls -d -l /{FOLDER}", "lsdel")
        listing, deleted = re.split(r"(?m)^debugfs: +l.*\n", text)[1:3]
        entries = [line for line in listing.splitlines() if line.strip()]
        self.facts["folder.entries"] = len(entries)
        self.facts["folder.deletedEntries"] = sum("<" in line for line in entries)
        self.facts["folder.dot"] = sum(1 for line in entries if NAME in line)
        match = re.search(r"(\d+) deleted inodes found", deleted)
        self.facts["fs.deletedInodes"] = int(match.group(1)) if match else 0

    def _journal(self, journal):
        facts = self.facts
        facts["journal.sequence"], facts["journal.start"] = struct.unpack_from(">II", journal, 24)
        # Copies of the vault's inode: its generation number stands at a place that is fixed within its block.
        mark = struct.pack("<I", self.generation)
        versions, position = [], journal.find(mark)
        while position >= 0:
            inode = journal[position - 100:position + 60]
            if len(inode) == 160 and struct.unpack_from("<H", inode, 26)[0] == 1:
                versions.append(struct.unpack_from("<I", inode, 16) + struct.unpack_from("<I", inode, 136))
            position = journal.find(mark, position + 1)
        facts["journal.versions"], facts["journal.times"] = len(versions), len(set(versions))

    def content(self):
        """The bytes of the vault file, found by its extents; unwritten ones read as the file system reads them."""
        data = bytearray(self.facts["inode.size"])
        with open(self.path, "rb") as file:
            for first, length, block in self.extents:
                file.seek(block * BLOCK)
                part = file.read(length * BLOCK)
                data[first * BLOCK:first * BLOCK + len(part)] = part[:len(data) - first * BLOCK]
        return data


def inode_times(text):
    """Nanoseconds since 1970 of an inode's four times."""
    times = {}
    for name, seconds, extra in re.findall(r"(ctime|atime|mtime|crtime): 0x([0-9a-f]+):([0-9a-f]+)", text):
        times[name] = int(seconds, 16) * 1_000_000_000 + (int(extra, 16) >> 2)
    return times


def minutes(nanoseconds):
    return round(nanoseconds / 60e9)
