#include "runtime/load/unsafe_programs.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace lt {
namespace {

constexpr std::array<int32_t, 5> unsafe_helpers{BPF_FUNC_probe_write_user, BPF_FUNC_override_return,
                                                BPF_FUNC_send_signal, BPF_FUNC_send_signal_thread, BPF_FUNC_setsockopt};

bool calls_unsafe_helper(const bpf_insn& code) {
    const bool calls_helper = code.code == (BPF_JMP | BPF_CALL) && code.src_reg == 0;
    return calls_helper && std::ranges::find(unsafe_helpers, code.imm) != unsafe_helpers.end();
}

// Without a helper: by its own result.
bool decides(const bpf_program* program) {
    return bpf_program__type(program) == BPF_PROG_TYPE_LSM ||
           bpf_program__expected_attach_type(program) == BPF_MODIFY_RETURN;
}

}  // namespace

// The instructions of a loaded program include those of the functions that it calls.
bool has_unsafe_programs(const bpf_object* object) {
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object, program));) {
        if (!bpf_program__autoload(program)) continue;
        const std::span code(bpf_program__insns(program), bpf_program__insn_cnt(program));
        if (decides(program) || std::ranges::any_of(code, calls_unsafe_helper)) return true;
    }
    return false;
}

}  // namespace lt
