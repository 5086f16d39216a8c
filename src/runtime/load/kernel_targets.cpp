#include "runtime/load/kernel_targets.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/btf.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "runtime/border/run_words.h"

namespace lt {
namespace {

struct TargetRow {
    TargetKind kind;
    uint32_t type;       // of BTF
    const char* prefix;  // of its name
};
constexpr std::array target_rows{
    TargetRow{TargetKind::function, BTF_KIND_FUNC, ""},
    TargetRow{TargetKind::raw_tracepoint, BTF_KIND_TYPEDEF, "btf_trace_"},
    TargetRow{TargetKind::iterator, BTF_KIND_FUNC, "bpf_iter_"},
};

struct TargetSection {
    const char* name;
    bpf_attach_type type;
};
constexpr std::array target_sections{
    TargetSection{"fentry+", BPF_TRACE_FENTRY},
    TargetSection{"fexit+", BPF_TRACE_FEXIT},
    TargetSection{"tp_btf+", BPF_TRACE_RAW_TP},
    TargetSection{"iter+", BPF_TRACE_ITER},
};

// Of programs that may call the functions for sessions.
constexpr std::array session_sections{"kprobe+", "uprobe+"};

thread_local const KernelTargets* loading = nullptr;

// Called by libbpf right before it loads a program.
int set_number(bpf_program* program, bpf_prog_load_opts* options, long) {
    const uint32_t number = loading ? loading->number(program) : 0;
    if (number == 0) return 0;
    options->attach_btf_id = number;
    return bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
}

// Likewise: puts the numbers of the functions for sessions in place.
int set_calls(bpf_program* program, bpf_prog_load_opts*, long) {
    const std::span code(bpf_program__insns(program), bpf_program__insn_cnt(program));
    std::vector<bpf_insn> changed(code.begin(), code.end());
    bool any = false;
    for (bpf_insn& each : changed) {
        const bool calls = each.code == (BPF_JMP | BPF_CALL) && each.src_reg == 0;
        const uint32_t number = calls && loading ? loading->number(each.imm) : 0;
        if (number == 0) continue;
        each.src_reg = BPF_PSEUDO_KFUNC_CALL;
        each.imm = static_cast<int32_t>(number);
        any = true;
    }
    return any ? bpf_program__set_insns(program, changed.data(), changed.size()) : 0;
}

// libbpf reads all types if an object has a program of type TRACING, so until it is loaded it has another.
bool register_sections() {
    libbpf_prog_handler_opts options{};
    options.sz = sizeof options;
    options.prog_prepare_load_fn = set_number;
    for (const TargetSection& section : target_sections)
        libbpf_register_prog_handler(section.name, BPF_PROG_TYPE_RAW_TRACEPOINT, section.type, &options);
    options.prog_prepare_load_fn = set_calls;
    for (const char* section : session_sections)
        libbpf_register_prog_handler(section, BPF_PROG_TYPE_KPROBE, bpf_attach_type(), &options);
    return true;
}

}  // namespace

KernelTargets::KernelTargets(KernelBtf& kernel) : kernel_(kernel) {
    [[maybe_unused]] static const bool registered = register_sections();
}

void KernelTargets::want(const bpf_program* program, TargetKind kind, const std::string& name) {
    const TargetRow& row = target_rows[static_cast<size_t>(kind)];
    const BtfName type{row.type, row.prefix + name};
    wanted_[program] = {name, type};
    numbers_.emplace(type, 0);
}

void KernelTargets::want_session_calls() {
    for (const SessionCallRow& row : session_calls) numbers_.emplace(BtfName{BTF_KIND_FUNC, row.name}, 0);
}

bool KernelTargets::find() {
    if (numbers_.empty()) return true;
    number_types(kernel_.bytes(), numbers_);
    return std::ranges::none_of(session_calls, [&](const SessionCallRow& row) {
        const auto wanted = numbers_.find({BTF_KIND_FUNC, row.name});
        return wanted != numbers_.end() && wanted->second == 0;
    });
}

uint32_t KernelTargets::number(int32_t session_call) const {
    const auto* row = std::ranges::find(session_calls, static_cast<SessionCall>(session_call), &SessionCallRow::call);
    const auto found = row == session_calls.end() ? numbers_.end() : numbers_.find({BTF_KIND_FUNC, row->name});
    return found == numbers_.end() ? 0 : found->second;
}

uint32_t KernelTargets::number(const bpf_program* program) const {
    const auto wanted = wanted_.find(program);
    return wanted == wanted_.end() ? 0 : numbers_.at(wanted->second.type);
}

int KernelTargets::look_in_modules(bpf_program* program) const {
    const auto wanted = wanted_.find(program);
    if (wanted == wanted_.end() || number(program) != 0) return 0;
    return set_in_program(program, 0, wanted->second.name);
}

int KernelTargets::set_in_program(bpf_program* program, int of, const std::string& function) {
    if (const int code = bpf_program__set_type(program, BPF_PROG_TYPE_TRACING); code < 0) return code;
    return bpf_program__set_attach_target(program, of, function.c_str());
}

int KernelTargets::load(bpf_object* object) const {
    loading = this;
    const int code = bpf_object__load(object);
    loading = nullptr;
    return code;
}

}  // namespace lt
