// BPF programs that tests trace: `bpftool prog run` runs them with a packet.
#include <linux/bpf.h>

#define SECTION(name) __attribute__((section(name), used))

struct traced_pair {
    int a;
    long b;
};

__attribute__((noinline)) int traced_sum(int a, struct traced_pair *pair) { return pair ? a + (int)pair->b : 0; }

SECTION("tc") int traced_packet(struct __sk_buff *packet) {
    struct traced_pair pair = {1, packet->len};
    return traced_sum(7, &pair);
}

SECTION("tc") int traced_other(struct __sk_buff *packet) { return packet->len > 60 ? -3 : 3; }

char license_text[] SECTION("license") = "GPL";
