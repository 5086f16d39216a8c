"""Presses the keys `a` and Enter: the keyboard's controller is told to hand on codes as if they came from the keyboard."""
import ctypes
import mmap
import os
import time

STATUS, DATA, AS_FROM_KEYBOARD = 0x64, 0x60, 0xD2
OUT = bytes([0x89, 0xFA, 0x89, 0xF0, 0xEE, 0xC3])  # mov edx, edi; mov eax, esi; out dx, al; ret
IN = bytes([0x89, 0xFA, 0x31, 0xC0, 0xEC, 0xC3])  # mov edx, edi; xor eax, eax; in al, dx; ret

code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code[: len(OUT) + len(IN)] = OUT + IN
start = ctypes.addressof(ctypes.c_char.from_buffer(code))
put = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int)(start)
get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(start + len(OUT))
libc = ctypes.CDLL(None, use_errno=True)
if libc.ioperm(DATA, 5, 1) != 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write(port, value):
    while get(STATUS) & 2:
        time.sleep(0.001)
    put(port, value)


for key in (0x1E, 0x9E, 0x1C, 0x9C):
    write(STATUS, AS_FROM_KEYBOARD)
    write(DATA, key)
    time.sleep(0.05)
