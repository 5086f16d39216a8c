#include "driver/pipeline/process_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "codegen/providers/provider.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

bool sees_the_same(int process) {
    std::error_code failed;
    const fs::path own = "/proc/self", its = fmt::format("/proc/{}", process);
    const bool same_mounts = fs::read_symlink(own / "ns/mnt", failed) == fs::read_symlink(its / "ns/mnt", failed);
    struct stat here{}, there{};
    if (::stat("/", &here) != 0 || ::stat((its / "root/.").c_str(), &there) != 0) return true;
    return same_mounts && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

// "libc" or "libc.so.6", as the process has loaded it: the loader's cache is relative to its own root.
std::string loaded(int process, const std::string& name) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);) {
        const size_t slash = line.find('/');
        if (slash == line.npos) continue;
        const std::string file = fs::path(line.substr(slash)).filename().string();
        if (file == name || file.starts_with(name + ".so") || file.starts_with(name + "-")) return line.substr(slash);
    }
    return name;
}

bool names_file(const ast::ProbeSpec& spec) {
    const ProbeRow* row = spec.parts.size() > 1 ? find_probe(spec.parts[0].text) : nullptr;
    return row && provider(row->place).in_file;
}

// bpftrace's `uprobe:FUNCTION`: a function of the program that the process runs.
void add_program(ast::ProbeSpec& spec, int process) {
    std::vector<ast::ProbeSpec::Part>& parts = spec.parts;
    const ProbeRow* row = find_probe(parts.front().text);
    const bool lacks = row && row->place == Place::binary_function && parts.size() == 2;
    if (!lacks || parts[1].text.find('/') != std::string::npos) return;
    std::error_code failed;
    const fs::path program = fs::read_symlink(fmt::format("/proc/{}/exe", process), failed);
    if (!failed) parts.insert(parts.begin() + 1, ast::ProbeSpec::Part{parts[1].span, program.string()});
}

}  // namespace

std::string file_of_process(int process, const std::string& name) {
    if (process == 0 || name.empty() || name == "*" || sees_the_same(process)) return name;
    const std::string path = name.find('/') == name.npos ? loaded(process, name) : name;
    if (!path.starts_with('/')) return name;
    const std::string there = fmt::format("/proc/{}/root{}", process, path);
    const bool is_pattern = name.find_first_of("*?[") != name.npos;
    std::error_code failed;
    const bool is_there = fs::exists(there.substr(0, there.rfind('@')), failed) || fs::exists(there, failed);
    return is_there || is_pattern ? there : name;
}

void take_files_of(ast::Program& program, int process) {
    if (process == 0) return;
    const auto take = [&](ast::ProbeSpec& spec) {
        add_program(spec, process);
        if (names_file(spec)) spec.parts[1].text = file_of_process(process, spec.parts[1].text);
    };
    for (ast::Item& item : program.items) {
        if (auto* action = std::get_if<ast::Action>(&item.node)) std::ranges::for_each(action->probes, take);
        if (auto* span = std::get_if<ast::SpanAction>(&item.node)) {
            for (ast::Endpoint& e : span->opens) take(e.probe);
            for (ast::Endpoint& e : span->closes) take(e.probe);
        }
    }
}

}  // namespace lt
