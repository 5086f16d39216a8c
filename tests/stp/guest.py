"""A guest of KVM that does nothing but write three bytes to a port and halt."""
import ctypes
import fcntl
import mmap
import os
import struct

CREATE_VM, GET_VCPU_MMAP_SIZE = 0xAE01, 0xAE04
CREATE_VCPU, SET_USER_MEMORY_REGION = 0xAE41, 0x4020AE46
RUN, SET_REGS, GET_SREGS, SET_SREGS = 0xAE80, 0x4090AE82, 0x8138AE83, 0x4138AE84
CODE = bytes([0xE6, 0x80, 0xE6, 0x80, 0xE6, 0x80, 0xF4])  # out 0x80, al; three times; hlt

kvm = os.open("/dev/kvm", os.O_RDWR)
vm = fcntl.ioctl(kvm, CREATE_VM, 0)
memory = mmap.mmap(-1, 4096)
memory[:len(CODE)] = CODE
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
fcntl.ioctl(vm, SET_USER_MEMORY_REGION, struct.pack("=IIQQQ", 0, 0, 0x1000, 4096, address))
vcpu = fcntl.ioctl(vm, CREATE_VCPU, 0)
state = mmap.mmap(vcpu, fcntl.ioctl(kvm, GET_VCPU_MMAP_SIZE, 0))
segments = bytearray(fcntl.ioctl(vcpu, GET_SREGS, bytes(312)))
segments[0:8] = bytes(8)  # the base of the code segment
segments[12:14] = bytes(2)  # and its selector
fcntl.ioctl(vcpu, SET_SREGS, bytes(segments))
registers = [0] * 18
registers[16], registers[17] = 0x1000, 2  # rip, rflags
fcntl.ioctl(vcpu, SET_REGS, struct.pack("=18Q", *registers))
for _ in range(4):
    fcntl.ioctl(vcpu, RUN, 0)
