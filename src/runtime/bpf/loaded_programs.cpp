#include "runtime/bpf/loaded_programs.h"

#include <bpf/bpf.h>

namespace lt::bpf {
namespace {

LoadedProgram described(int program) {
    bpf_prog_info info{};
    uint32_t size = sizeof info;
    if (bpf_obj_get_info_by_fd(program, &info, &size) < 0) return {};
    LoadedProgram out{info.id, info.name, info.btf_id, {}};
    std::vector<bpf_func_info> functions(info.nr_func_info);
    bpf_prog_info more{};
    more.nr_func_info = info.nr_func_info;
    more.func_info_rec_size = sizeof(bpf_func_info);
    more.func_info = reinterpret_cast<uint64_t>(functions.data());
    size = sizeof more;
    if (functions.empty() || bpf_obj_get_info_by_fd(program, &more, &size) < 0) return out;
    for (const bpf_func_info& function : functions) out.functions.push_back(function.type_id);
    return out;
}

}  // namespace

std::vector<LoadedProgram> loaded_programs() {
    std::vector<LoadedProgram> out;
    for (uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
        const Descriptor program = open_program(id);
        if (LoadedProgram found = program ? described(program.get()) : LoadedProgram{}; found.id != 0)
            out.push_back(std::move(found));
    }
    return out;
}

Descriptor open_program(uint32_t id) { return Descriptor(bpf_prog_get_fd_by_id(id)); }

}  // namespace lt::bpf
