// The width of user addresses, for C++ and for the library in BPF C (stdlib/bpf/stack.bpf.c).
#pragma once

#define LT_PROGRAM_ADDRESS_BITS 47
