#include "driver/cache/run_key.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "runtime/os/file_state.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

class Key {
  public:
    // With its length, so that no two lists of parts have the same bytes.
    void add(std::string_view part) { bytes += fmt::format("{}:{}", part.size(), part); }
    std::string bytes;
};

std::string link_at(const char* path) {
    std::error_code failed;
    return std::filesystem::read_symlink(path, failed);
}

// A module that was built and loaded again may have the same size and address, but its folder has another inode.
std::string module_folders() {
    std::string out;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/sys/module"), ::closedir);
    while (const dirent* each = folder ? ::readdir(folder.get()) : nullptr)
        out += fmt::format("{} {}\n", each->d_name, each->d_ino);
    return out;
}

// "name size references users state address": the third changes while the module stays the same.
std::string modules() {
    const Result<std::string> text = read_text("/proc/modules");
    std::string out;
    for (std::string_view line : split(text ? std::string_view(*text) : std::string_view(), '\n')) {
        const std::vector<std::string_view> words = split(line, ' ');
        if (words.size() >= 6) out += fmt::format("{} {} {}\n", words[0], words[1], words[5]);
    }
    return out;
}

std::string privileges() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> all{};
    ::syscall(SYS_capget, &header, all.data());
    return fmt::format("{} {:x} {:x}", ::geteuid(), all[0].effective, all[1].effective);
}

void add_machine(Key& key) {
    utsname kernel{};
    ::uname(&kernel);
    for (const char* each : {kernel.release, kernel.version, kernel.machine}) key.add(each);
    const Result<std::string> boot = read_text("/proc/sys/kernel/random/boot_id");
    key.add(boot ? *boot : "");
    key.add(modules());
    key.add(module_folders());
    key.add(link_at("/proc/self/ns/pid"));
    key.add(link_at("/proc/self/ns/user"));
    key.add(privileges());
}

// Settings of scripts, and where programs are looked for.
void add_environment(Key& key) {
    std::vector<std::string_view> variables;
    for (char** each = environ; *each != nullptr; each++) {
        const std::string_view variable = *each;
        if (variable.starts_with("BPFTRACE_") || variable.starts_with("PATH=")) variables.push_back(variable);
    }
    std::ranges::sort(variables);
    key.add(std::to_string(variables.size()));
    for (const std::string_view variable : variables) key.add(variable);
    key.add(link_at("/proc/self/cwd"));
}

void add_command(Key& key, const Command& command) {
    key.add(fmt::format("{} {} {}", command.options.size(), command.params.size(), command.positional.size()));
    key.add(command.verb);
    for (const auto& [option, text] : command.options) {
        key.add(option_name(option));
        key.add(text);
    }
    for (const ParamSetting& param : command.params) {
        key.add(param.name);
        key.add(param.text);
    }
    for (const std::string& word : command.positional) key.add(word);
    key.add(command.file);
    key.add(command.tool);
}

}  // namespace

std::string run_key(const Command& command, const Source& source) {
    Key key;
    key.add(file_state("/proc/self/exe").value_or(FileState{}).text);
    add_machine(key);
    add_environment(key);
    add_command(key, command);
    for (const std::string& part : {source.name, source.text, source.dialect}) key.add(part);
    key.add(std::to_string(source.parts.size()));
    for (const Source::Part& part : source.parts) key.add(fmt::format("{} {}", part.begin, part.name));
    return key.bytes;
}

}  // namespace lt
