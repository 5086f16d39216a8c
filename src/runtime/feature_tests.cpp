// One row per feature. A test that would have to attach something attaches it to what cannot exist instead: the error
// that the kernel gives then comes after all that it checks of permissions and of its own configuration.
#include "feature_tests.h"

#include <bpf/bpf.h>
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

#include "base/text.h"
#include "breakpoint.h"
#include "descriptor.h"
#include "mounts.h"
#include "multi_link.h"

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

// `meaning`: what the refusal says of a kernel that was asked by somebody who may ask.
Answer refused(int code, std::string_view meaning) {
    if ((code == EPERM || code == EACCES) && !is_privileged()) return no("needs root: CAP_BPF and CAP_PERFMON");
    return no(fmt::format("{}: {}", meaning, std::strerror(code)));
}

// Above 2, which Debian's kernels know, it asks for CAP_SYS_ADMIN.
Answer event_refused(int code, std::string_view meaning) {
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    int paranoid = 0;
    if (code != EACCES || !(file >> paranoid) || paranoid <= 2) return refused(code, meaning);
    return no(fmt::format("{}: kernel.perf_event_paranoid is {}, which leaves them to root", meaning, paranoid));
}

Answer if_among(int code, std::initializer_list<int> good, std::string_view meaning) {
    return std::find(good.begin(), good.end(), code) != good.end() ? yes() : refused(code, meaning);
}

// ---- programs

constexpr bpf_insn zero_result{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0};
constexpr bpf_insn leave{BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
constexpr bpf_insn call_helper(int number) { return {BPF_JMP | BPF_CALL, 0, 0, 0, number}; }

struct Program {
    bpf_prog_type type;
    uint32_t attach_type = 0;
    uint32_t function_id = 0;
};

// On refusal the descriptor is empty and errno says why.
Descriptor load(const Program& program, std::span<const bpf_insn> code, std::span<char> log = {}) {
    bpf_prog_load_opts options{};
    options.sz = sizeof options;
    options.expected_attach_type = static_cast<bpf_attach_type>(program.attach_type);
    options.attach_btf_id = program.function_id;
    if (!log.empty()) {
        options.log_buf = log.data();
        options.log_size = static_cast<uint32_t>(log.size());
        options.log_level = 1;
    }
    return Descriptor(bpf_prog_load(program.type, "lt_trial", "GPL", code.data(), code.size(), &options));
}

Descriptor load_empty(const Program& program) {
    static constexpr bpf_insn code[] = {zero_result, leave};
    return load(program, code);
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

// Asks for an event that cannot be; gives the kernel's errno.
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
    const Descriptor link(bpf_raw_tracepoint_open("lt_no_such_tracepoint", program.get()));
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

// A list of addresses that cannot be read is refused after everything else has been found good.
constexpr uint64_t unreadable = 8;

// By the system call itself, since libbpf refuses attach types that are newer than it is.
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
    return test_multi(BPF_TRACE_KPROBE_MULTI, "this kernel has no kprobes on many functions at once (CONFIG_FPROBE)");
}

Answer test_kprobe_session(const FunctionFacts&) {
    return test_multi(attach_kprobe_session, "this kernel has no kprobe sessions (Linux 6.10 with CONFIG_FPROBE)");
}

// Made for tests of BPF, in every kernel with BTF and on nobody's path.
constexpr std::string_view harmless_function = "bpf_fentry_test1";

Answer test_fentry(const FunctionFacts& facts) {
    const uint32_t id = facts.type_id(harmless_function);
    if (id == 0) return no("needs the kernel's type information (CONFIG_DEBUG_INFO_BTF)");
    const Descriptor program = load_empty({BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id});
    if (!program && errno == EPERM && is_privileged()) return no("the kernel refuses BPF trampolines even to root");
    if (!program) return refused(errno, "no BPF trampolines");
    const Descriptor link(bpf_raw_tracepoint_open(nullptr, program.get()));
    return link ? yes() : refused(errno, "no BPF trampolines at functions (CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)");
}

Answer test_uprobe(const FunctionFacts&) {
    const auto type = source_type("uprobe");
    if (!type) return no("this kernel was built without uprobes (CONFIG_UPROBE_EVENTS)");
    if (!load_empty({BPF_PROG_TYPE_KPROBE})) return refused(errno, "no BPF programs on uprobes");
    return if_among(try_probe_event(*type, false, 0), {EINVAL}, "uprobes are refused");
}

// A file that is not there is refused after everything else has been found good.
int try_uprobe_multi_link(int program, uint32_t attach_type) {
    static constexpr char no_file[] = "/lt/no/such/file";
    static constexpr unsigned long offset = 0;
    UprobeMultiLink attr;
    attr.program = static_cast<uint32_t>(program);
    attr.attach_type = attach_type;
    attr.path = reinterpret_cast<uint64_t>(no_file);
    attr.offsets = reinterpret_cast<uint64_t>(&offset);
    attr.count = 1;
    const Descriptor link(static_cast<int>(::syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof attr)));
    return link ? 0 : errno;
}

Answer test_many_uprobes(uint32_t attach_type, std::string_view missing) {
    const Descriptor program = load_empty({BPF_PROG_TYPE_KPROBE, attach_type});
    if (!program) return refused(errno, missing);
    return if_among(try_uprobe_multi_link(program.get(), attach_type), {ENOENT}, missing);
}

Answer test_uprobe_multi(const FunctionFacts&) {
    return test_many_uprobes(attach_uprobe_multi, "this kernel has no uprobes on many places at once (Linux 6.6)");
}

Answer test_uprobe_session(const FunctionFacts&) {
    return test_many_uprobes(attach_uprobe_session, "this kernel has no uprobe sessions (Linux 6.13)");
}

// Without its addresses no place for a breakpoint can be found, whatever else is allowed. The first symbols are offsets
// of per-CPU variables, and the first of them is at zero on every kernel.
bool shows_addresses() {
    const Descriptor fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
    char text[4096];
    const ssize_t n = ::read(fd.get(), text, sizeof text);
    if (n <= 0) return false;
    const std::vector<std::string_view> lines = split({text, static_cast<size_t>(n)}, '\n');
    return std::any_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return line.find_first_not_of('0') < line.find(' '); });
}

// The kernel asks whether an address may have a breakpoint, not whether there is code: this one is never executed.
constexpr uint64_t unused_kernel_address = 0xffff'ffff'ffff'e000;

Answer test_breakpoint(const FunctionFacts&) {
    if (!load_empty({BPF_PROG_TYPE_PERF_EVENT})) return refused(errno, "no BPF programs on perf events");
    Result<int> event = open_kernel_breakpoint(unused_kernel_address, 0);
    if (event) {
        const Descriptor closed(*event);
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
    const Descriptor map(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "lt_trial", 0, 0, page, nullptr));
    return map ? yes() : refused(errno, "no ring buffers (Linux 5.8)");
}

// Storage is made only for described types, so here is a description of int.
Descriptor load_type_int() {
    struct {
        btf_header header{BTF_MAGIC, BTF_VERSION, 0, sizeof(btf_header), 0, 16, 16, 5};
        btf_type type{1, BTF_KIND_INT << 24, {sizeof(int)}};
        uint32_t encoding = BTF_INT_SIGNED << 24 | 32;
        char strings[8] = "\0int";
    } types;
    static_assert(sizeof types.type + sizeof types.encoding == 16);
    const size_t size = sizeof types.header + 16 + 5;
    return Descriptor(bpf_btf_load(&types, size, nullptr));
}

Answer test_task_storage(const FunctionFacts&) {
    const Descriptor types = load_type_int();
    if (!types) return refused(errno, "no type information for maps");
    bpf_map_create_opts options{};
    options.sz = sizeof options;
    options.btf_fd = static_cast<uint32_t>(types.get());
    options.btf_key_type_id = options.btf_value_type_id = 1;
    options.map_flags = BPF_F_NO_PREALLOC;
    const Descriptor map(bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "lt_trial", sizeof(int), sizeof(int), 0, &options));
    return map ? yes() : refused(errno, "no storage in tasks (Linux 5.11)");
}

// The verifier refuses the call in any case, for want of arguments; a helper that it does not know it calls so.
template <int helper>
Answer test_helper(bpf_prog_type type, std::string_view absent) {
    static constexpr bpf_insn code[] = {call_helper(helper), leave};
    std::array<char, 4096> log{};
    const Descriptor program = load({type}, code, log);
    const std::string_view said = log.data();
    if (said.empty()) return refused(errno, "no BPF programs");
    const auto says = [&](std::string_view text) { return said.find(text) != said.npos; };
    return says("invalid func") || says("unknown func") || says("cannot use helper") ? no(std::string(absent)) : yes();
}

Answer test_bpf_loop(const FunctionFacts&) {
    return test_helper<BPF_FUNC_loop>(BPF_PROG_TYPE_RAW_TRACEPOINT, "this kernel has no bpf_loop (Linux 5.17)");
}

Answer test_override_return(const FunctionFacts&) {
    return test_helper<BPF_FUNC_override_return>(BPF_PROG_TYPE_KPROBE,
                                                 "this kernel was built without CONFIG_BPF_KPROBE_OVERRIDE");
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
    return code == 0 ? yes() : refused(code, "the processor shows no counters here, as in many virtual machines");
}

// On memory of our own.
Answer test_watchpoint(const FunctionFacts&) {
    alignas(8) static uint64_t word;
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_BREAKPOINT;
    attr.bp_type = HW_BREAKPOINT_W;
    attr.bp_addr = reinterpret_cast<uint64_t>(&word);
    attr.bp_len = sizeof word;
    attr.sample_period = 1;
    attr.disabled = 1;
    const Descriptor event(static_cast<int>(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    return event ? yes() : refused(errno, "no hardware breakpoints on memory of programs");
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
};

constexpr bool rows_in_order() {
    for (size_t i = 0; i < std::size(features); i++) {
        if (static_cast<size_t>(features[i].feature) != i) return false;
    }
    return std::size(features) == feature_count;
}
static_assert(rows_in_order());

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
