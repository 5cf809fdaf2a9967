"""Statistics of a vault's bytes: what distinguishes noise from anything else (layout: Docs/FORMATS.md)."""
import numpy as np

PAGE, SLOT, KEY_PAGE, SLICE, HEADER = 4096, 512, 16384, 1 << 20, 131072
# What of the header is no plain page: name, offset, bytes.
PARTS = [
    *((f"slot{place}", 8192 + place * SLOT, SLOT) for place in range(8)),
    ("unusedA", 12288, PAGE),
    *((f"keyPage{region}{copy}", 16384 + (2 * region + index) * KEY_PAGE, KEY_PAGE)
      for region in (0, 1) for index, copy in enumerate("AB")),
    ("unusedB", 81920, 49152),
]


def facts_of(data):
    """Numbers for a vault's bytes. Regions are told by offsets that the format fixes, whoever uses them."""
    data = np.frombuffer(data, dtype=np.uint8)
    facts = {"plain.copiesAreEqual": bool((data[:PAGE] == data[PAGE:2 * PAGE]).all()), "plain.counter": data[10]}
    facts["plain.newer"] = (int(data[10]) - int(data[PAGE + 10]) + 128) % 256 - 128
    for copy in (0, 1):
        facts[f"plain.zeros{copy}"] = np.count_nonzero(data[copy * PAGE:][112:4064] == 0)
    for name, offset, size in PARTS:
        facts |= noise_facts(name, data[offset:offset + size])
    for region in (0, 1):
        first = data[16384 + 2 * region * KEY_PAGE:][:2 * KEY_PAGE]
        facts[f"keyPages{region}.equalBytes"] = np.count_nonzero(first[:KEY_PAGE] == first[KEY_PAGE:])
        facts[f"keyPages{region}.distance"] = np.abs(np.diff(first.astype(np.int16))).mean()
    stripes = (len(data) - HEADER) // (2 * SLICE)
    body = data[HEADER:HEADER + stripes * 2 * SLICE].reshape(stripes, 2, SLICE)
    for region in (0, 1):
        facts |= region_facts(f"region{region}", body[:, region])
    sectors = np.ascontiguousarray(data[:len(data) // SLOT * SLOT].reshape(-1, SLOT)[:, :8]).view(np.uint64).ravel()
    facts["sectors.alike"] = len(sectors) - len(np.unique(sectors))
    facts["tail"] = len(data) - HEADER - stripes * 2 * SLICE
    return facts


def noise_facts(name, part):
    counts = np.bincount(part, minlength=256)
    expected = len(part) / 256
    chances = counts[counts > 0] / len(part)
    return {
        f"{name}.mean": part.mean(), f"{name}.chiSquare": ((counts - expected) ** 2 / expected).sum(),
        f"{name}.entropy": -(chances * np.log2(chances)).sum(), f"{name}.zeros": counts[0],
        f"{name}.head": int(part[0]), f"{name}.bits": np.unpackbits(part[:SLOT]).mean(),
    }


def region_facts(name, slices):
    """Of one region's slices, each 1 MiB: bytes and pairs of bytes, units of a page, and how each page begins."""
    facts = {}
    chi_squares, pairs = [], []
    for index, part in enumerate(slices):
        counts = np.bincount(part.view(np.uint16), minlength=65536).reshape(256, 256)
        # Little-endian pairs: the second byte of each is the row.
        singles = counts.sum(0) + counts.sum(1)
        chi = ((singles - SLICE / 256) ** 2 / (SLICE / 256)).sum()
        pair = ((counts - SLICE / 2 / 65536) ** 2 / (SLICE / 2 / 65536)).sum()
        chi_squares.append(chi)
        pairs.append(pair)
        facts[f"{name}.slice{index}.chiSquare"], facts[f"{name}.slice{index}.pairs"] = chi, pair
        facts[f"{name}.slice{index}.mean"] = (singles * np.arange(256)).sum() / SLICE
    for what, values in (("chiSquare", chi_squares), ("pairs", pairs)):
        facts[f"{name}.{what}.mean"], facts[f"{name}.{what}.max"] = np.mean(values), np.max(values)
        facts[f"{name}.{what}.min"] = np.min(values)
    units = slices.reshape(-1, PAGE)
    means = units.mean(axis=1, dtype=np.float32)
    facts[f"{name}.units.lowest"], facts[f"{name}.units.highest"] = means.min(), means.max()
    facts[f"{name}.units.spread"] = means.std()
    heads = units[:, :16].astype(np.float32)
    for place in range(16):
        facts[f"{name}.heads.{place}"] = heads[:, place].mean()
    facts[f"{name}.tails"] = units[:, -80:].mean()
    return facts
