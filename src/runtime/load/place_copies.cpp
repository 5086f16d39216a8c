#include "runtime/load/place_copies.h"

#include <bcc/libbpf.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <span>

#include "runtime/kernel/causes.h"
#include "runtime/kernel/feature_tests.h"

namespace lt {
namespace {

bool asks(const bpf_insn& code) {
    return code.code == (BPF_JMP | BPF_CALL) && code.src_reg == 0 && code.imm == BPF_FUNC_get_attach_cookie;
}

bpf_insn answer(uint64_t place) { return BPF_MOV64_IMM(BPF_REG_0, static_cast<int32_t>(place)); }

std::span<const bpf_insn> instructions(const bpf_program* program) {
    return {bpf_program__insns(program), bpf_program__insn_cnt(program)};
}

// The license is the program's, which only the kernel knows.
const char* license(const bpf_program* program) {
    bpf_prog_info info{};
    uint32_t size = sizeof info;
    const bool has_info = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0;
    return has_info && !info.gpl_compatible ? "Proprietary" : "GPL";
}

}  // namespace

bool PlaceCopies::kernel_tells() {
    if (tells_ < 0) tells_ = try_feature(Feature::attach_cookie, {}).yes ? 1 : 0;
    return tells_ == 1;
}

int PlaceCopies::prepare(bpf_program* program) {
    const std::span<const bpf_insn> code = instructions(program);
    if (std::ranges::none_of(code, asks) || kernel_tells()) return 0;
    std::vector<bpf_insn> answered(code.begin(), code.end());
    std::vector<size_t>& questions = questions_[bpf_program__name(program)];
    questions.clear();
    for (size_t i = 0; i < answered.size(); i++) {
        if (!asks(answered[i])) continue;
        answered[i] = answer(0);
        questions.push_back(i);
    }
    return bpf_program__set_insns(program, answered.data(), answered.size());
}

// libbpf appends functions to the program's own instructions, so the offsets still hold.
Result<int> PlaceCopies::at(const bpf_program* program, uint64_t place) {
    const std::string name = bpf_program__name(program);
    const auto questions = questions_.find(name);
    if (questions == questions_.end() || place == 0) return bpf_program__fd(program);
    Descriptor& copy = copies_[{name, place}];
    if (copy) return copy.get();
    const std::span<const bpf_insn> code = instructions(program);
    std::vector<bpf_insn> answered(code.begin(), code.end());
    for (const size_t i : questions->second) answered[i] = answer(place);
    bpf_prog_load_opts options{};
    options.sz = sizeof options;
    options.expected_attach_type = bpf_program__expected_attach_type(program);
    options.prog_flags = bpf_program__flags(program);
    const int loaded = bpf_prog_load(bpf_program__type(program), name.c_str(), license(program), answered.data(),
                                     answered.size(), &options);
    if (loaded < 0) return system_error("the kernel refuses a copy of the program", -loaded);
    copy = Descriptor(loaded);
    return copy.get();
}

std::vector<int> PlaceCopies::of(const std::string& program) const {
    std::vector<int> all;
    for (const auto& [at, copy] : copies_)
        if (at.first == program) all.push_back(copy.get());
    return all;
}

}  // namespace lt
