// Definitions that kernel C takes for granted, as far as a BPF program can have it. It is placed before a script's own
// C, after the kernel types that it names. Kernel addresses can be followed like any others: lt turns each access into
// a read that may fail.
#define NULL ((void*)0)
#define false 0
#define true 1
#define __always_inline inline __attribute__((always_inline))
#define __ksym __attribute__((section(".ksyms")))
#define likely(x) (x)
#define unlikely(x) (x)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define READ_ONCE(x) (x)
#define min(a, b)                  \
    ({                             \
        __auto_type lt_a = (a);    \
        __auto_type lt_b = (b);    \
        lt_a < lt_b ? lt_a : lt_b; \
    })
#define max(a, b)                  \
    ({                             \
        __auto_type lt_a = (a);    \
        __auto_type lt_b = (b);    \
        lt_a > lt_b ? lt_a : lt_b; \
    })
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))

// The offset is that of the running kernel.
#define offsetof(type, member) ((unsigned long)__builtin_preserve_field_info(((type*)0)->member, 0))
#define container_of(address, type, member) ((type*)((char*)(address) - offsetof(type, member)))

#define IS_ERR(address) ((unsigned long)(address) >= (unsigned long)-4095)
#define IS_ERR_OR_NULL(address) (!(address) || IS_ERR(address))
#define PTR_ERR(address) ((long)(address))

#define be16_to_cpu(x) __builtin_bswap16(x)
#define be32_to_cpu(x) __builtin_bswap32(x)
#define be64_to_cpu(x) __builtin_bswap64(x)
#define cpu_to_be16(x) __builtin_bswap16(x)
#define cpu_to_be32(x) __builtin_bswap32(x)
#define ntohs(x) __builtin_bswap16(x)
#define ntohl(x) __builtin_bswap32(x)
#define htons(x) __builtin_bswap16(x)
#define htonl(x) __builtin_bswap32(x)

#define atomic_read(a) ((a)->counter)
#define atomic64_read(a) ((a)->counter)
#define atomic_long_read(a) ((a)->counter)
#define refcount_read(r) ((r)->refs.counter)
// BPF programs always run inside of such a section.
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define rcu_dereference(p) (p)
#define rcu_dereference_raw(p) (p)

#define current ((struct task_struct*)bpf_get_current_task())
#define get_current() current
#define smp_processor_id() ((int)bpf_get_smp_processor_id())
#define raw_smp_processor_id() smp_processor_id()
#define ktime_get_ns() bpf_ktime_get_ns()
#define task_pid_nr(task) ((task)->pid)
#define task_tgid_nr(task) ((task)->tgid)
// Parts of a socket by their names in the kernel's headers.
#define sk_node __sk_common.skc_node
#define sk_refcnt __sk_common.skc_refcnt
#define sk_hash __sk_common.skc_hash
#define sk_portpair __sk_common.skc_portpair
#define sk_num __sk_common.skc_num
#define sk_dport __sk_common.skc_dport
#define sk_addrpair __sk_common.skc_addrpair
#define sk_daddr __sk_common.skc_daddr
#define sk_rcv_saddr __sk_common.skc_rcv_saddr
#define sk_family __sk_common.skc_family
#define sk_state __sk_common.skc_state
#define sk_reuse __sk_common.skc_reuse
#define sk_reuseport __sk_common.skc_reuseport
#define sk_ipv6only __sk_common.skc_ipv6only
#define sk_bound_dev_if __sk_common.skc_bound_dev_if
#define sk_bind_node __sk_common.skc_bind_node
#define sk_prot __sk_common.skc_prot
#define sk_net __sk_common.skc_net
#define sk_v6_daddr __sk_common.skc_v6_daddr
#define sk_v6_rcv_saddr __sk_common.skc_v6_rcv_saddr
#define sk_cookie __sk_common.skc_cookie
#define sk_flags __sk_common.skc_flags
#define inet_daddr sk.__sk_common.skc_daddr
#define inet_rcv_saddr sk.__sk_common.skc_rcv_saddr
#define inet_dport sk.__sk_common.skc_dport
#define inet_num sk.__sk_common.skc_num
#define inet_sk(sk) ((struct inet_sock*)(sk))
#define inet_csk(sk) ((struct inet_connection_sock*)(sk))
#define tcp_sk(sk) ((struct tcp_sock*)(sk))
#define udp_sk(sk) ((struct udp_sock*)(sk))
// Headers of a packet, once the kernel has found them.
#define skb_mac_header(skb) ((skb)->head + (skb)->mac_header)
#define skb_network_header(skb) ((skb)->head + (skb)->network_header)
#define skb_transport_header(skb) ((skb)->head + (skb)->transport_header)
#define skb_headlen(skb) ((skb)->len - (skb)->data_len)
#define eth_hdr(skb) ((struct ethhdr*)skb_mac_header(skb))
#define ip_hdr(skb) ((struct iphdr*)skb_network_header(skb))
#define ipv6_hdr(skb) ((struct ipv6hdr*)skb_network_header(skb))
#define icmp_hdr(skb) ((struct icmphdr*)skb_transport_header(skb))
#define tcp_hdr(skb) ((struct tcphdr*)skb_transport_header(skb))
#define udp_hdr(skb) ((struct udphdr*)skb_transport_header(skb))
#define tcp_hdrlen(skb) (tcp_hdr(skb)->doff * 4)
#define file_inode(file) ((file)->f_inode)

#define kread(address) (*(address))
#define CATCH_DEREF_FAULT() ((void)0)
#define blk_rq_sectors(request) ((request)->__data_len >> 9)
#define fcheck_files(files, number)                                                                            \
    ({                                                                                                         \
        struct fdtable* lt_table = (files)->fdt;                                                               \
        (unsigned long)(number) < lt_table->max_fds ? lt_table->fd[(unsigned long)(number)] : (struct file*)0; \
    })
#define files_lookup_fd_raw fcheck_files
#define files_fdtable(files) ((files)->fdt)
#define test_bit(number, bits) (((bits)[(number) / 64] >> ((number) % 64)) & 1)
#define SOCKET_I(inode) (&container_of((inode), struct socket_alloc, vfs_inode)->socket)
#define MAJOR(device) ((unsigned int)((device) >> 20))
#define MINOR(device) ((unsigned int)((device) & 0xfffff))
// User and group ids as the kernel itself numbers them.
#define current_user_ns() ((struct user_namespace*)0)
#define from_kuid(space, id) ((void)(space), (id).val)
#define from_kuid_munged from_kuid
#define from_kgid(space, id) ((void)(space), (id).val)
#define from_kgid_munged from_kgid
#define SOCK_SNDBUF_LOCK 1
#define SOCK_RCVBUF_LOCK 2
#define s6_addr in6_u.u6_addr8
#define s6_addr16 in6_u.u6_addr16
#define s6_addr32 in6_u.u6_addr32
#define S_IFMT 0170000
#define S_ISLNK(mode) (((mode) & S_IFMT) == 0120000)
#define S_ISREG(mode) (((mode) & S_IFMT) == 0100000)
#define S_ISDIR(mode) (((mode) & S_IFMT) == 0040000)
#define S_ISCHR(mode) (((mode) & S_IFMT) == 0020000)
#define S_ISBLK(mode) (((mode) & S_IFMT) == 0060000)
#define S_ISFIFO(mode) (((mode) & S_IFMT) == 0010000)
#define S_ISSOCK(mode) (((mode) & S_IFMT) == 0140000)
#define INT_MAX 0x7fffffff
#define UINT_MAX 0xffffffffu
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))
#define STAP_VERSION(a, b) (((a) << 8) + (b))
#define STAP_COMPAT_VERSION STAP_VERSION(5, 2)
// Features that current kernels have.
#define STAPCONF_DPATH_PATH 1
#define STAPCONF_LINUX_UIDGID_H 1
#define CONFIG_USER_NS 1
#define CONFIG_SMP 1
#define CONFIG_64BIT 1

#define memcpy __builtin_memcpy
#define memset __builtin_memset
static __always_inline unsigned long strlen(const char* text) {
    unsigned long length = 0;
    while (length < MAXSTRINGLEN && text[length]) length++;
    return length;
}
static __always_inline unsigned long strlcat(char* to, const char* from, unsigned long size) {
    unsigned long length = strlen(to);
    if (length < MAXSTRINGLEN && length < size) {
        if (size > MAXSTRINGLEN) size = MAXSTRINGLEN;
        bpf_probe_read_kernel_str(to + length, size - length, from);
    }
    return length + strlen(from);
}
// The size that is certain.
#define lt_room(to) (__builtin_object_size((to), 1) < MAXSTRINGLEN ? __builtin_object_size((to), 1) : MAXSTRINGLEN)
// All string copies are bounded by the size and always leave a zero at the end.
#define strlcpy(to, from, size) ((unsigned long)bpf_probe_read_kernel_str((to), (size), (from)))
#define strscpy(to, from, size) bpf_probe_read_kernel_str((to), (size), (from))
#define strncpy(to, from, size) ((void)bpf_probe_read_kernel_str((to), (size), (from)))
#define strcpy(to, from) strncpy((to), (from), lt_room(to))

#define strcat(to, from) strlcat((to), (from), lt_room(to))

// The kernel's own formatting, which takes its values as an array of words.
#define lt_words_0()
#define lt_words_1(a) (unsigned long)(a)
#define lt_words_2(a, b) (unsigned long)(a), lt_words_1(b)
#define lt_words_3(a, b, c) (unsigned long)(a), lt_words_2(b, c)
#define lt_words_4(a, b, c, d) (unsigned long)(a), lt_words_3(b, c, d)
#define lt_words_5(a, b, c, d, e) (unsigned long)(a), lt_words_4(b, c, d, e)
#define lt_words_6(a, b, c, d, e, f) (unsigned long)(a), lt_words_5(b, c, d, e, f)
#define lt_words_7(a, b, c, d, e, f, g) (unsigned long)(a), lt_words_6(b, c, d, e, f, g)
#define lt_ninth(a, b, c, d, e, f, g, h, i, ...) i
#define lt_words(...)                                                                                             \
    lt_ninth(, ##__VA_ARGS__, lt_words_7, lt_words_6, lt_words_5, lt_words_4, lt_words_3, lt_words_2, lt_words_1, \
             lt_words_0)(__VA_ARGS__)
#define snprintf(to, size, format, ...)                                                                       \
    ({                                                                                                        \
        static const char lt_format[] = format;                                                               \
        unsigned long lt_values[] = {lt_words(__VA_ARGS__)};                                                  \
        (int)bpf_snprintf((to), (size), lt_format, sizeof(lt_values) ? lt_values : 0, sizeof(lt_values)) - 1; \
    })
#define scnprintf snprintf
#define sprintf(to, ...) snprintf((to), lt_room(to), __VA_ARGS__)

// Memory of the current process.
#define copy_from_user(to, from, size) (bpf_probe_read_user((to), (size), (from)) ? (unsigned long)(size) : 0ul)
#define strncpy_from_user(to, from, size) bpf_probe_read_user_str((to), (size), (from))
#define get_user(to, from)                                                        \
    ({                                                                            \
        __typeof__(*(from)) lt_there;                                             \
        long lt_failed = bpf_probe_read_user(&lt_there, sizeof lt_there, (from)); \
        (to) = lt_there;                                                          \
        lt_failed;                                                                \
    })
