#!/usr/bin/env python3
"""Writes the fixtures beside it from Docs/FORMATS.md alone: a second reading of the format, sharing nothing with the
program but libsodium. Run it only for a new version of the format; the files of a released one never change."""

import ctypes
import hashlib
import hmac
import os
import struct

sodium = ctypes.CDLL("libsodium.so.23")
assert sodium.sodium_init() >= 0
here = os.path.dirname(os.path.abspath(__file__))


def hkdf(key, salt, info, length):
    extracted = hmac.new(salt, key, hashlib.sha256).digest()
    output, block = b"", b""
    while len(output) < length:
        block = hmac.new(extracted, block + info + bytes([len(output) // 32 + 1]), hashlib.sha256).digest()
        output += block
    return output[:length]


def argon2id(passcode, salt, memory, passes):
    output = ctypes.create_string_buffer(32)
    status = sodium.crypto_pwhash_argon2id(
        output, ctypes.c_ulonglong(32), passcode, ctypes.c_ulonglong(len(passcode)), salt,
        ctypes.c_ulonglong(passes), ctypes.c_size_t(memory), ctypes.c_int(2))
    assert status == 0
    return output.raw


def seal(key, nonce, plaintext, associated):
    output = ctypes.create_string_buffer(len(plaintext) + 16)
    written = ctypes.c_ulonglong(0)
    status = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        output, ctypes.byref(written), plaintext, ctypes.c_ulonglong(len(plaintext)), associated,
        ctypes.c_ulonglong(len(associated)), None, nonce, key)
    assert status == 0 and written.value == len(plaintext) + 16
    return output.raw


def numbers(first, count):
    return bytes((first + i) % 256 for i in range(count))


def save(name, data):
    with open(os.path.join(here, name), "wb") as file:
        file.write(data)


# Plain page: version 1, counter 200, Argon2id, software protector, 128 slices a region, 6 failures.
vault_salt = numbers(1, 32)
plain = b"POSTERN\0" + struct.pack("<HBBBBBB", 1, 200, 1, 1, 2, 0, 0)
plain += struct.pack("<IIII", 1048576, 128, 131072, 0) + vault_salt
plain += struct.pack("<IIqqq", 6, 0, 20000, 123456789, 1700000000123) + numbers(64, 16)
plain = plain.ljust(4064, b"\0")
save("plain-page.bin", plain + hashlib.blake2b(plain, digest_size=32).digest())

H = struct.pack("<HBBBII", 1, 1, 1, 2, 1048576, 131072) + vault_salt
assert len(H) == 45

# Master key of a passcode.
stretched = argon2id("frozen café".encode(), vault_salt[:16], 256 << 20, 3)
master = hkdf(stretched, vault_salt, b"postern/1 master" + bytes([1, 1]), 32)
save("master.bin", master)

# A slot in place 5: the inner space, role real, no flags.
root_key = numbers(100, 32)
slot_salt = numbers(50, 32)
derived = hkdf(master, slot_salt, b"postern/1 slot" + bytes([5]), 88)
key, nonce, commitment = derived[:32], derived[32:56], derived[56:]
content = (bytes([1, 2, 1, 0]) + bytes(4) + root_key).ljust(432, b"\0")
slot = slot_salt + seal(key, nonce, commitment + content, H)
assert len(slot) == 512
save("slot.bin", slot)

# The key page of region 1: place 5 in use; a live registry, a live profile in cell 3, an erasing one in cell 15.
derived = hkdf(root_key, vault_salt, b"postern/1 key page" + bytes([1]), 64)
key, commitment = derived[:32], derived[32:]
page = bytearray(16312)
struct.pack_into("<HBB", page, 0, 1, 1, 0)
page[4:8] = bytes([0, 1, 0, 0])
struct.pack_into("<Q", page, 8, 7)
for cell in range(16):
    base = 64 + 64 * cell
    page[base + 32 : base + 64] = numbers(cell, 32)
for cell, state, log, identity in [(0, 2, 2, bytes(16)), (3, 2, 8, numbers(30, 16)), (15, 3, 8, numbers(150, 16))]:
    base = 64 + 64 * cell
    page[base : base + 2] = bytes([state, log])
    page[base + 16 : base + 32] = identity
page[2048:14336] = b"\xff" * 12288
for index, (cell, position) in enumerate([(0, 0), (0, 1), (0, 2), (3, 1), (3, 0), (15, 0)]):
    struct.pack_into("<H", page, 2048 + 2 * index, cell << 12 | position)
nonce = numbers(9, 24)
sealed = nonce + seal(key, nonce, commitment + bytes(page), H + bytes([1]))
assert len(sealed) == 16384
save("key-page.bin", sealed)

# Keys of cell 3.
cell_key = numbers(3, 32)
save("cell-xts.bin", hkdf(cell_key, vault_salt, b"postern/1 cell xts" + bytes([1, 3]), 64))
save("cell-sqlcipher.bin", hkdf(cell_key, vault_salt, b"postern/1 cell sqlcipher" + bytes([1, 3]), 48))
