#!/usr/bin/env python3
"""extract_vmlinux.py BZIMAGE OUTPUT: takes the ELF out of an x86 bzImage, by the payload fields of its setup header.

QEMU starts the ELF directly (PVH), which saves the guest from unpacking it under emulation.
"""
import struct
import subprocess
import sys

# The start of a payload, and what unpacks it.
UNPACKERS = [
    (b"\x1f\x8b", ["gzip", "-dc"]),
    (b"\xfd7zXZ", ["xz", "-dc", "--single-stream"]),
    (b"\x28\xb5\x2f\xfd", ["zstd", "-dc"]),
    (b"\x02\x21\x4c\x18", ["lz4", "-dc"]),
    (b"\x5d\x00\x00", ["xz", "--format=lzma", "-dc"]),
]


def payload(image):
    if image[0x202:0x206] != b"HdrS":
        sys.exit("not a bzImage")
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    return image[start : start + length]


def unpack(packed):
    for magic, command in UNPACKERS:
        if packed.startswith(magic):
            # The last four bytes are the unpacked size; only in gzip are they part of the stream.
            stream = packed if command[0] == "gzip" else packed[:-4]
            done = subprocess.run(command, input=stream, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.stdout[:4] != b"\x7fELF" or len(done.stdout) != struct.unpack("<I", packed[-4:])[0]:
                sys.exit(f"{command[0]} does not unpack it: {done.stderr.decode(errors='replace')[:200]}")
            return done.stdout
    sys.exit(f"unknown packing: {packed[:8].hex()}")


def main():
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        elf = unpack(payload(file.read()))
    with open(target, "wb") as file:
        file.write(elf)


main()
