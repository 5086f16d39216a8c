// The types of the fake kernel's functions, to be compiled for BPF with debug information: what the compiler says of
// these in .BTF is the kernel's BTF for the tests. Prototypes are Linux's; structures have the members a test may want.
// Functions of kallsyms that are not here have no BTF, as happens (x.isra.0, assembly, modules).

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef u8 blk_status_t;
typedef unsigned int gfp_t;
typedef unsigned int vm_fault_t;
typedef long ssize_t;
typedef unsigned long size_t;
typedef long long loff_t;
typedef u16 umode_t;
typedef int pid_t;
typedef _Bool bool;

// Kernels built by GCC mark no pointers to user memory; one such function is enough to test it.
#define __user __attribute__((btf_type_tag("user")))

enum hrtimer_mode { HRTIMER_MODE_ABS, HRTIMER_MODE_REL };

struct list_head {
    struct list_head *next, *prev;
};
typedef struct {
    int counter;
} atomic_t;
struct mm_struct {
    atomic_t mm_users;
    unsigned long total_vm;
    struct rw_semaphore {
        long count;
    } mmap_lock;
};
struct load_weight {
    unsigned long weight;
    u32 inv_weight;
};
enum task_kind { TASK_PLAIN, TASK_IDLE = 4 };
struct task_struct {
    unsigned int __state;
    pid_t pid, tgid;
    char comm[16];
    int prio;
    unsigned in_execve : 1, in_iowait : 1, depth : 6;
    int balance : 4;
    enum task_kind kind;
    struct load_weight load;
    union {
        struct mm_struct* mm;
        u64 mm_word;
    };
    u32 limits[4];
    union {
        struct task_struct *parent, *real_parent, *group_leader;
    };
    double average;
};
struct qstr {
    u32 hash, len;
    const char* name;
};
struct inode {
    umode_t i_mode;
    unsigned long i_ino;
    loff_t i_size;
};
struct dentry {
    struct dentry* d_parent;
    struct qstr d_name;
    struct inode* d_inode;
};
struct path {
    void* mnt;
    struct dentry* dentry;
};
struct file {
    unsigned int f_mode;
    loff_t f_pos;
    struct path f_path;
    struct inode* f_inode;
};
struct open_flags {
    int open_flag;
    umode_t mode;
};
struct open_how {
    u64 flags, mode, resolve;
};
struct filename {
    const char* name;
};
struct kiocb {
    struct file* ki_filp;
    loff_t ki_pos;
};
struct iov_iter {
    size_t count;
};
struct kstat {
    loff_t size;
};
struct mutex {
    long owner;
};
struct raw_spinlock {
    u32 val;
};
typedef struct raw_spinlock raw_spinlock_t;
struct hrtimer_sleeper {
    struct task_struct* task;
};
struct vm_area_struct {
    unsigned long vm_start, vm_end;
};
struct pt_regs {
    unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
struct page {
    unsigned long flags;
};
struct bio {
    struct bio* bi_next;
    blk_status_t bi_status;
};
struct request {
    struct bio* bio;
    u64 start_time_ns;
};
struct sockaddr {
    u16 sa_family;
    char sa_data[14];
};
struct sock {
    u16 family;
    u16 port;
};
struct socket {
    struct sock* sk;
};
struct net;
struct net_device {
    char name[16];
};
struct packet_type {
    u16 type;
};
struct sk_buff {
    unsigned int len;
    struct net_device* dev;
};
struct msghdr {
    void* msg_name;
    int msg_namelen;
};
struct mnt_idmap;
struct delayed_call;
struct device {
    const char* init_name;
};
struct kobject {
    const char* name;
};
struct kobj_attribute;

// Raw tracepoints: the typedef of the callback, and the function that gives its parameters names, but for one.
typedef void (*btf_trace_sched_switch)(void*, bool, struct task_struct*, struct task_struct*, unsigned int);
typedef void (*btf_trace_sched_wakeup)(void*, struct task_struct*);
typedef void (*btf_trace_sched_waking)(void*, struct task_struct*);
typedef void (*btf_trace_rpm_idle)(void*, struct device*, int);
struct raw_tracepoints {
    btf_trace_sched_switch sched_switch;
    btf_trace_sched_wakeup sched_wakeup;
    btf_trace_sched_waking sched_waking;
    btf_trace_rpm_idle rpm_idle;
} raw_tracepoints;
void __probestub_sched_switch(void* __data, bool preempt, struct task_struct* prev, struct task_struct* next,
                              unsigned int prev_state) {}
void __bpf_trace_sched_wakeup(void* __data, struct task_struct* p) {}

// Iterators.
struct seq_file;
struct bpf_iter_meta {
    struct seq_file* seq;
    u64 session_id, seq_num;
};
struct bpf_iter__task {
    union {
        struct bpf_iter_meta* meta;
        u64 : 64;
    };
    union {
        struct task_struct* task;
        u64 : 64;
    };
} iterator_task;
struct bpf_iter__task_file {
    struct bpf_iter_meta* meta;
    struct task_struct* task;
    u32 fd;
    struct file* file;
} iterator_task_file;
struct bpf_iter__no_iterator {
    struct bpf_iter_meta* meta;
} no_iterator;
int bpf_iter_task(struct bpf_iter_meta* meta, struct task_struct* task) { return 0; }
int bpf_iter_task_file(struct bpf_iter_meta* meta, struct task_struct* task, u32 fd, struct file* file) { return 0; }

#define DOES_NOTHING \
    {                \
        return 0;    \
    }

void schedule(void) {}
void mmput(struct mm_struct* mm) {}
long schedule_timeout(long timeout) DOES_NOTHING
    int try_to_wake_up(struct task_struct* p, unsigned int state, int wake_flags) DOES_NOTHING
    int wake_up_process(struct task_struct* p) DOES_NOTHING void mutex_lock(struct mutex* lock) {}
void mutex_unlock(struct mutex* lock) {}
void _raw_spin_lock(raw_spinlock_t* lock) {}
int futex_wait(u32* uaddr, unsigned int flags, u32 val, u64* abs_time, u32 bitset) DOES_NOTHING
    int do_nanosleep(struct hrtimer_sleeper* t, enum hrtimer_mode mode) DOES_NOTHING
    long __x64_sys_futex(const struct pt_regs* regs) DOES_NOTHING
    long __x64_sys_nanosleep(const struct pt_regs* regs) DOES_NOTHING
    long __x64_sys_read(const struct pt_regs* regs) DOES_NOTHING
    long __x64_sys_write(const struct pt_regs* regs) DOES_NOTHING
    long __x64_sys_openat(const struct pt_regs* regs) DOES_NOTHING
    long __x64_sys_close(const struct pt_regs* regs) DOES_NOTHING

    void do_user_addr_fault(struct pt_regs* regs, unsigned long error_code, unsigned long address) {}
vm_fault_t handle_mm_fault(struct vm_area_struct* vma, unsigned long address, unsigned int flags,
                           struct pt_regs* regs) DOES_NOTHING
    struct page* __alloc_pages_noprof(gfp_t gfp, unsigned int order, int preferred_nid,
                                      unsigned long* nodemask) DOES_NOTHING
    void* __kmalloc_noprof(size_t size, gfp_t flags) DOES_NOTHING void kfree(const void* object) {}

ssize_t vfs_read(struct file* file, char* buf, size_t count, loff_t* pos) DOES_NOTHING ssize_t
    vfs_write(struct file* file, const char* buf, size_t count, loff_t* pos) DOES_NOTHING
    int vfs_open(const struct path* path, struct file* file) DOES_NOTHING
    int vfs_fsync(struct file* file, int datasync) DOES_NOTHING
    int vfs_fsync_range(struct file* file, loff_t start, loff_t end, int datasync) DOES_NOTHING
    int vfs_getattr(const struct path* path, struct kstat* stat, u32 request_mask,
                    unsigned int query_flags) DOES_NOTHING
    int vfs_statx(int dfd, struct filename* filename, int flags, struct kstat* stat, u32 request_mask) DOES_NOTHING
    int vfs_unlink(struct mnt_idmap* idmap, struct inode* dir, struct dentry* dentry,
                   struct inode** delegated) DOES_NOTHING ssize_t
    ksys_read(unsigned int fd, char* buf, size_t count) DOES_NOTHING ssize_t
    ksys_write(unsigned int fd, const char* buf, size_t count) DOES_NOTHING
    long do_sys_openat2(int dfd, const char* filename, struct open_how* how) DOES_NOTHING
    struct file* do_filp_open(int dfd, struct filename* pathname, const struct open_flags* op) DOES_NOTHING ssize_t
    generic_file_read_iter(struct kiocb* iocb, struct iov_iter* iter) DOES_NOTHING ssize_t
    state_show(struct kobject* kobj, struct kobj_attribute* attr, char* buf) DOES_NOTHING

    void submit_bio(struct bio* bio) {}
void bio_endio(struct bio* bio) {}
void blk_mq_start_request(struct request* rq) {}

int bpf_fentry_test1(int a) DOES_NOTHING int sock_sendmsg(struct socket* sock, struct msghdr* msg) DOES_NOTHING
    int sock_recvmsg(struct socket* sock, struct msghdr* msg, int flags) DOES_NOTHING
    int move_addr_to_user(struct sockaddr* kaddr, int klen, void* uaddr, int* ulen) DOES_NOTHING
    int tcp_sendmsg(struct sock* sk, struct msghdr* msg, size_t size) DOES_NOTHING
    int tcp_recvmsg(struct sock* sk, struct msghdr* msg, size_t len, int flags, int* addr_len) DOES_NOTHING
    int tcp_v4_connect(struct sock* sk, struct sockaddr* uaddr, int addr_len) DOES_NOTHING
    int udp_sendmsg(struct sock* sk, struct msghdr* msg, size_t len) DOES_NOTHING
    int ip_rcv(struct sk_buff* skb, struct net_device* dev, struct packet_type* pt,
               struct net_device* orig_dev) DOES_NOTHING
    int ip_output(struct net* net, struct sock* sk, struct sk_buff* skb) DOES_NOTHING

    long strncpy_from_user(char* dst, const char __user* src, long count) DOES_NOTHING
    unsigned long _copy_from_user(void* to, const void* from, unsigned long n) DOES_NOTHING
    unsigned long _copy_to_user(void* to, const void* from, unsigned long n) DOES_NOTHING

// Structures that are passed by value, in two registers or on the stack.
typedef struct {
    void* address;
    bool is_kernel;
} bpfptr_t;
struct three_words {
    long words[3];
};
int __sys_bpf(int cmd, bpfptr_t uattr, unsigned int size) DOES_NOTHING
    int takes_large(struct three_words words, int last) DOES_NOTHING
