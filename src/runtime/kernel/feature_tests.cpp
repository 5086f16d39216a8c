// One row per feature. Where a test would have to attach something, it uses a target that cannot exist: the kernel
// reports that error only after it has checked permissions and its own configuration.
#include "runtime/kernel/feature_tests.h"

#include <bcc/libbpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/btf.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>

#include "base/rows.h"
#include "base/text.h"
#include "runtime/bpf/map.h"
#include "runtime/bpf/program.h"
#include "runtime/kernel/breakpoint.h"
#include "runtime/kernel/multi_link_format.h"
#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"

namespace lt {

namespace {

// ---- answers

Answer yes() { return {true, ""}; }
Answer no(std::string why) { return {false, std::move(why)}; }

bool has_capability(const __user_cap_data_struct (&sets)[2], unsigned number) {
    return (sets[number / 32].effective >> number % 32 & 1) != 0;
}

bool is_privileged() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2]{};
    if (::syscall(SYS_capget, &header, sets) != 0) return false;
    if (has_capability(sets, CAP_SYS_ADMIN)) return true;
    return has_capability(sets, CAP_BPF) && has_capability(sets, CAP_PERFMON);
}

// `meaning`: what the refusal means if the caller is privileged.
Answer refused(int code, std::string_view meaning) {
    if ((code == EPERM || code == EACCES) && !is_privileged()) return no("needs root: CAP_BPF and CAP_PERFMON");
    return no(fmt::format("{}: {}", meaning, std::strerror(code)));
}

// Above 2, a level that Debian's kernels add, the kernel requires CAP_SYS_ADMIN.
Answer event_refused(int code, std::string_view meaning) {
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    int paranoid = 0;
    if (code != EACCES || !(file >> paranoid) || paranoid <= 2) return refused(code, meaning);
    return no(fmt::format("{}: kernel.perf_event_paranoid is {}, so only root may use them", meaning, paranoid));
}

Answer if_among(int code, std::initializer_list<int> good, std::string_view meaning) {
    return std::find(good.begin(), good.end(), code) != good.end() ? yes() : refused(code, meaning);
}

// ---- programs

constexpr const char* trial = "lt_trial";

Descriptor load_empty(const bpf::ProgramKind& kind) {
    static constexpr bpf_insn code[] = {BPF_MOV64_IMM(BPF_REG_0, 0), BPF_EXIT_INSN()};
    return bpf::load(kind, trial, code);
}

// ---- perf events

std::string source_file(std::string_view source, std::string_view file) {
    return fmt::format("/sys/bus/event_source/devices/{}/{}", source, file);
}

bool has_source(std::string_view source, std::string_view file = "type") {
    return ::access(source_file(source, file).c_str(), R_OK) == 0;
}

std::optional<uint32_t> source_type(std::string_view source) {
    Result<std::string> text = read_text(source_file(source, "type"));
    if (!text) return std::nullopt;
    return static_cast<uint32_t>(std::strtoul(text->c_str(), nullptr, 10));
}

// Requests an event that cannot exist and returns the kernel's errno.
int try_impossible_event(perf_event_attr attr) {
    attr.size = sizeof attr;
    attr.disabled = 1;
    const Descriptor event(static_cast<int>(::syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
    return event ? 0 : errno;
}

int try_probe_event(uint32_t type, bool at_return, uint64_t address) {
    perf_event_attr attr{};
    attr.type = type;
    attr.config = at_return ? 1 : 0;
    attr.config2 = address;  // config1, the name of a function or file, stays empty
    return try_impossible_event(attr);
}

// ---- the tests

constexpr const char* no_kprobes = "this kernel was built without kprobes (CONFIG_KPROBES)";

Answer test_btf(const FunctionFacts&) {
    if (::access("/sys/kernel/btf/vmlinux", R_OK) == 0) return yes();
    return no("this kernel was built without type information (CONFIG_DEBUG_INFO_BTF)");
}

Answer test_tracepoint(const FunctionFacts&) {
    if (!has_source("tracepoint")) return no("this kernel was built without tracepoints (CONFIG_EVENT_TRACING)");
    if (!load_empty({BPF_PROG_TYPE_TRACEPOINT})) return refused(errno, "no BPF programs on tracepoints");
    perf_event_attr attr{};
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = UINT64_MAX;
    const int code = try_impossible_event(attr);
    return code == EINVAL || code == ENOENT ? yes() : event_refused(code, "no perf events on tracepoints");
}

Answer test_raw_tracepoint(const FunctionFacts&) {
    const Descriptor program = load_empty({BPF_PROG_TYPE_RAW_TRACEPOINT});
    if (!program) return refused(errno, "no raw tracepoint programs");
    const Descriptor link = bpf::open_raw_tracepoint("lt_no_such_tracepoint", program.get());
    return if_among(errno, {ENOENT}, "raw tracepoints are refused");
}

Answer test_perf_kprobe(bool at_return) {
    const auto type = source_type("kprobe");
    if (!type) return no(no_kprobes);
    if (!load_empty({BPF_PROG_TYPE_KPROBE})) return refused(errno, "no BPF programs on kprobes");
    constexpr uint64_t no_code = 1;
    return if_among(try_probe_event(*type, at_return, no_code), {EINVAL, ENOENT, EILSEQ}, "kprobes are refused");
}

Answer test_kprobe(const FunctionFacts&) { return test_perf_kprobe(false); }

Answer test_kretprobe(const FunctionFacts&) {
    if (has_source("kprobe") && !has_source("kprobe", "format/retprobe")) return no("no return probes in this kernel");
    return test_perf_kprobe(true);
}

// An unreadable list of addresses is refused only after all other checks.
constexpr uint64_t unreadable = 8;

// Uses the system call directly, because libbpf refuses attach types that it does not know.
int try_multi_link(int program, uint32_t attach_type) {
    bpf_attr attr{};
    attr.link_create.prog_fd = static_cast<uint32_t>(program);
    attr.link_create.attach_type = attach_type;
    attr.link_create.kprobe_multi.cnt = 1;
    attr.link_create.kprobe_multi.addrs = unreadable;
    const Descriptor link(static_cast<int>(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr)));
    return link ? 0 : errno;
}

Answer test_multi(uint32_t attach_type, std::string_view missing) {
    if (!has_source("kprobe")) return no(no_kprobes);
    const Descriptor program = load_empty({BPF_PROG_TYPE_KPROBE, attach_type});
    if (!program) return refused(errno, missing);
    return if_among(try_multi_link(program.get(), attach_type), {EFAULT}, missing);
}

Answer test_kprobe_multi(const FunctionFacts&) {
    return test_multi(BPF_TRACE_KPROBE_MULTI,
                      "this kernel has no links of one kprobe program to many functions (CONFIG_FPROBE)");
}

Answer test_kprobe_session(const FunctionFacts&) {
    return test_multi(attach_kprobe_session, "this kernel has no kprobe sessions (Linux 6.10 with CONFIG_FPROBE)");
}

// Exists for tests of BPF, in every kernel with BTF, and nothing else calls it.
constexpr std::string_view harmless_function = "bpf_fentry_test1";

Answer test_fentry(const FunctionFacts& facts) {
    const uint32_t id = facts.type_id(harmless_function);
    if (id == 0) return no("needs the kernel's type information (CONFIG_DEBUG_INFO_BTF)");
    const Descriptor program = load_empty({BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id});
    if (!program && errno == EPERM && is_privileged()) return no("the kernel refuses BPF trampolines even to root");
    if (!program) return refused(errno, "no BPF trampolines");
    const Descriptor link = bpf::open_raw_tracepoint(nullptr, program.get());
    return link ? yes() : refused(errno, "no BPF trampolines at functions (CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)");
}

Answer test_uprobe(const FunctionFacts&) {
    const auto type = source_type("uprobe");
    if (!type) return no("this kernel was built without uprobes (CONFIG_UPROBE_EVENTS)");
    if (!load_empty({BPF_PROG_TYPE_KPROBE})) return refused(errno, "no BPF programs on uprobes");
    return if_among(try_probe_event(*type, false, 0), {EINVAL}, "uprobes are refused");
}

// A file that does not exist is refused only after all other checks.
int try_uprobe_multi_link(int program, uint32_t attach_type, uint32_t process) {
    static constexpr char no_file[] = "/lt/no/such/file";
    static constexpr unsigned long offset = 0;
    UprobeMultiLink attr;
    attr.program = static_cast<uint32_t>(program);
    attr.attach_type = attach_type;
    attr.path = reinterpret_cast<uint64_t>(no_file);
    attr.offsets = reinterpret_cast<uint64_t>(&offset);
    attr.process = process;
    attr.count = 1;
    const Descriptor link(static_cast<int>(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr)));
    return link ? 0 : errno;
}

Answer test_many_uprobes(uint32_t attach_type, std::string_view missing) {
    const Descriptor program = load_empty({BPF_PROG_TYPE_KPROBE, attach_type});
    if (!program) return refused(errno, missing);
    const Answer links = if_among(try_uprobe_multi_link(program.get(), attach_type, 0), {ENOENT}, missing);
    // Before Linux 6.10 a link to a process was one to its first thread. The change also refuses impossible processes.
    constexpr uint32_t no_process = UINT32_MAX;
    if (links.yes && try_uprobe_multi_link(program.get(), attach_type, no_process) != EINVAL)
        return no("in this kernel such a link to a process misses its other threads (Linux 6.10)");
    return links;
}

Answer test_uprobe_multi(const FunctionFacts&) {
    return test_many_uprobes(attach_uprobe_multi,
                             "this kernel has no links of one uprobe program to many locations (Linux 6.6)");
}

Answer test_uprobe_session(const FunctionFacts&) {
    return test_many_uprobes(attach_uprobe_session, "this kernel has no uprobe sessions (Linux 6.13)");
}

// If the kernel hides its addresses, no breakpoint can be placed, whatever else is allowed. The first symbols are
// offsets of per-CPU variables, and the very first one is zero on every kernel.
bool shows_addresses() {
    const Descriptor fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
    char text[4096];
    const ssize_t n = ::read(fd.get(), text, sizeof text);
    if (n <= 0) return false;
    const std::vector<std::string_view> lines = split({text, static_cast<size_t>(n)}, '\n');
    return std::any_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return line.find_first_not_of('0') < line.find(' '); });
}

// The kernel checks whether an address may have a breakpoint, not whether there is code: this address is never
// executed.
constexpr uint64_t unused_kernel_address = 0xffff'ffff'ffff'e000;

// Some hypervisors accept breakpoints and never deliver one, so this writes what it watches.
Answer test_watchpoint(const FunctionFacts&) {
    alignas(8) static volatile uint64_t word;
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_BREAKPOINT;
    attr.bp_type = HW_BREAKPOINT_W;
    attr.bp_addr = reinterpret_cast<uint64_t>(&word);
    attr.bp_len = sizeof word;
    attr.sample_period = 1;
    const Descriptor event(static_cast<int>(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!event) return refused(errno, "no hardware breakpoints on memory of programs");
    word = word + 1;
    uint64_t writes = 0;
    const bool fires = ::read(event.get(), &writes, sizeof writes) == sizeof writes && writes > 0;
    return fires ? yes() : no("hardware breakpoints never fire on this machine; some hypervisors do not deliver them");
}

Answer test_breakpoint(const FunctionFacts& facts) {
    if (!load_empty({BPF_PROG_TYPE_PERF_EVENT})) return refused(errno, "no BPF programs on perf events");
    Result<int> event = open_kernel_breakpoint(unused_kernel_address, 0);
    if (event) {
        const Descriptor closed(*event);
        if (Answer fires = test_watchpoint(facts); !fires.yes) return fires;
        return shows_addresses() ? yes() : no("the kernel hides its addresses (sysctl kernel.kptr_restrict)");
    }
    const int code = event.error().code;
    if (code == EINVAL && !has_source("kprobe")) {
        return no("a kernel without kprobes (CONFIG_KPROBES) allows no breakpoints on its own code");
    }
    return refused(code, "no hardware breakpoints on the kernel's code");
}

Answer test_ring_buffer(const FunctionFacts&) {
    const auto page = static_cast<uint32_t>(::sysconf(_SC_PAGESIZE));
    const Descriptor map = bpf::create({BPF_MAP_TYPE_RINGBUF, trial, 0, 0, page});
    return map ? yes() : refused(errno, "no ring buffers (Linux 5.8)");
}

// Task storage needs type information, so this describes an int.
Descriptor load_type_int() {
    struct {
        btf_header header{BTF_MAGIC, BTF_VERSION, 0, sizeof(btf_header), 0, 16, 16, 5};
        btf_type type{1, BTF_KIND_INT << 24, {sizeof(int)}};
        uint32_t encoding = BTF_INT_SIGNED << 24 | 32;
        char strings[8] = "\0int";
    } types;
    static_assert(sizeof types.type + sizeof types.encoding == 16);
    const size_t size = sizeof types.header + 16 + 5;
    return bpf::load_types(std::as_bytes(std::span(&types, 1)).first(size));
}

Answer test_task_storage(const FunctionFacts&) {
    const Descriptor types = load_type_int();
    if (!types) return refused(errno, "no type information for maps");
    const Descriptor map = bpf::create(
        {BPF_MAP_TYPE_TASK_STORAGE, trial, sizeof(int), sizeof(int), 0, BPF_F_NO_PREALLOC, -1, types.get()});
    return map ? yes() : refused(errno, "no storage in tasks (Linux 5.11)");
}

// Before Linux 5.11 a key had to fit on the stack of a program.
Answer test_large_keys(const FunctionFacts&) {
    const Descriptor map =
        bpf::create({BPF_MAP_TYPE_HASH, trial, largest_stack_key + 1, 1, 1, BPF_F_NO_PREALLOC, -1, -1});
    return map ? yes() : refused(errno, "keys of maps have at most 512 bytes (Linux 5.11)");
}

// The verifier always refuses the call, because arguments are missing; if it does not know the helper, it says so.
template <int helper>
Answer test_helper(const bpf::ProgramKind& kind, std::string_view absent) {
    static constexpr bpf_insn code[] = {BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper), BPF_EXIT_INSN()};
    std::array<char, 4096> log{};
    const Descriptor program = bpf::load(kind, trial, code, log);
    const std::string_view said = log.data();
    if (said.empty()) return refused(errno, "no BPF programs");
    const auto says = [&](std::string_view text) { return said.find(text) != said.npos; };
    return says("invalid func") || says("unknown func") || says("cannot use helper") ? no(std::string(absent)) : yes();
}

Answer test_bpf_loop(const FunctionFacts&) {
    return test_helper<BPF_FUNC_loop>({BPF_PROG_TYPE_RAW_TRACEPOINT}, "this kernel has no bpf_loop (Linux 5.17)");
}

Answer test_override_return(const FunctionFacts&) {
    return test_helper<BPF_FUNC_override_return>({BPF_PROG_TYPE_KPROBE},
                                                 "this kernel was built without CONFIG_BPF_KPROBE_OVERRIDE");
}

Answer test_atomics(const FunctionFacts&) {
    static constexpr bpf_insn code[] = {
        BPF_ST_MEM(BPF_DW, BPF_REG_10, -8, 0),
        BPF_MOV64_IMM(BPF_REG_0, 0),
        BPF_RAW_INSN(BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_10, BPF_REG_0, -8, BPF_XCHG),
        BPF_MOV64_IMM(BPF_REG_0, 0),
        BPF_EXIT_INSN(),
    };
    if (bpf::load({BPF_PROG_TYPE_RAW_TRACEPOINT}, trial, code)) return yes();
    if (!load_empty({BPF_PROG_TYPE_RAW_TRACEPOINT})) return refused(errno, "no BPF programs");
    return no("BPF programs on this kernel have no atomic instruction except add (Linux 5.12)");
}

Answer test_attach_cookie(const FunctionFacts&) {
    return test_helper<BPF_FUNC_get_attach_cookie>(
        {BPF_PROG_TYPE_KPROBE},
        "this kernel has no attach cookies, by which a program knows where it runs (Linux 5.15)");
}

Answer test_map_walk(const FunctionFacts&) {
    return test_helper<BPF_FUNC_for_each_map_elem>({BPF_PROG_TYPE_RAW_TRACEPOINT},
                                                   "this kernel has no loops over maps (Linux 5.13)");
}

Answer test_cpu_lookup(const FunctionFacts&) {
    return test_helper<BPF_FUNC_map_lookup_percpu_elem>(
        {BPF_PROG_TYPE_RAW_TRACEPOINT},
        "this kernel does not let a program read the values of other CPUs (Linux 5.19)");
}

Answer test_function_values(const FunctionFacts& facts) {
    const uint32_t id = facts.type_id(harmless_function);
    if (id == 0) return no("needs the kernel's type information (CONFIG_DEBUG_INFO_BTF)");
    if (!load_empty({BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, id})) return refused(errno, "no BPF trampolines");
    return test_helper<BPF_FUNC_get_func_ret>({BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, id},
                                              "this kernel has no helpers for arguments and results (Linux 5.17)");
}

int try_event(uint32_t type, uint64_t config) {
    perf_event_attr attr{};
    attr.type = type;
    attr.config = config;
    attr.sample_period = 1'000'000;
    return try_impossible_event(attr);
}

Answer test_perf_event(const FunctionFacts&) {
    if (!load_empty({BPF_PROG_TYPE_PERF_EVENT})) return refused(errno, "no BPF programs on perf events");
    const int code = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
    return code == 0 ? yes() : event_refused(code, "no perf events of the clock");
}

Answer test_hardware_events(const FunctionFacts&) {
    const int code = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    return code == 0 ? yes() : refused(code, "this machine has no hardware counters, like many virtual machines");
}

Answer test_iterator(const FunctionFacts& facts) {
    const uint32_t id = facts.type_id("bpf_iter_task");
    if (id == 0) return no("needs the kernel's type information (CONFIG_DEBUG_INFO_BTF), or has no iterators");
    return load_empty({BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, id}) ? yes() : refused(errno, "no iterators (Linux 5.8)");
}

struct FeatureRow {
    Feature feature;
    std::string_view name;
    Answer (*test)(const FunctionFacts&);
};

constexpr FeatureRow features[] = {
    {Feature::btf, "btf", test_btf},
    {Feature::tracepoint, "tracepoint", test_tracepoint},
    {Feature::raw_tracepoint, "raw_tracepoint", test_raw_tracepoint},
    {Feature::kprobe, "kprobe", test_kprobe},
    {Feature::kretprobe, "kretprobe", test_kretprobe},
    {Feature::kprobe_multi, "kprobe_multi", test_kprobe_multi},
    {Feature::kprobe_session, "kprobe_session", test_kprobe_session},
    {Feature::fentry, "fentry", test_fentry},
    {Feature::uprobe, "uprobe", test_uprobe},
    {Feature::uprobe_multi, "uprobe_multi", test_uprobe_multi},
    {Feature::uprobe_session, "uprobe_session", test_uprobe_session},
    {Feature::breakpoint, "breakpoint", test_breakpoint},
    {Feature::ring_buffer, "ring_buffer", test_ring_buffer},
    {Feature::task_storage, "task_storage", test_task_storage},
    {Feature::bpf_loop, "bpf_loop", test_bpf_loop},
    {Feature::perf_event, "perf_event", test_perf_event},
    {Feature::hardware_events, "hardware_events", test_hardware_events},
    {Feature::watchpoint, "watchpoint", test_watchpoint},
    {Feature::iterator, "iterator", test_iterator},
    {Feature::override_return, "override_return", test_override_return},
    {Feature::atomics, "atomics", test_atomics},
    {Feature::attach_cookie, "attach_cookie", test_attach_cookie},
    {Feature::map_walk, "map_walk", test_map_walk},
    {Feature::cpu_lookup, "cpu_lookup", test_cpu_lookup},
    {Feature::function_values, "function_values", test_function_values},
    {Feature::large_keys, "large_keys", test_large_keys},
};

static_assert(in_enum_order(features, &FeatureRow::feature, feature_count));

const FeatureRow& row_of(Feature f) { return features[static_cast<size_t>(f)]; }

const FeatureRow* row_named(std::string_view name) {
    const auto at =
        std::find_if(std::begin(features), std::end(features), [&](const FeatureRow& row) { return row.name == name; });
    return at != std::end(features) ? at : nullptr;
}

// "yes", "no", "no (why)"
std::optional<Answer> parse_answer(std::string_view text) {
    if (text == "yes") return yes();
    if (!text.starts_with("no")) return std::nullopt;
    std::string_view why = trim(text.substr(2));
    if (why.empty()) return no("not on this kernel");
    if (why.size() < 2 || why.front() != '(' || why.back() != ')') return std::nullopt;
    return no(std::string(why.substr(1, why.size() - 2)));
}

}  // namespace

std::string_view feature_name(Feature f) { return row_of(f).name; }

Answer try_feature(Feature feature, const FunctionFacts& facts) { return row_of(feature).test(facts); }

Result<std::vector<Answer>> parse_features(std::string_view text) {
    std::vector<Answer> answers(std::size(features), no("not on this kernel"));
    for (std::string_view line : split(text, '\n')) {
        line = trim(line);
        if (line.empty()) continue;
        const size_t colon = std::min(line.find(':'), line.size());
        const FeatureRow* row = row_named(line.substr(0, colon));
        const auto answer = parse_answer(trim(line.substr(std::min(colon + 1, line.size()))));
        if (row == nullptr || !answer) return Error{fmt::format("not a line about a feature: {}", quoted(line)), ""};
        answers[static_cast<size_t>(row->feature)] = *answer;
    }
    return answers;
}

}  // namespace lt
