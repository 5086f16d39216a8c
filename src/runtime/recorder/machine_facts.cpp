#include "runtime/recorder/machine_facts.h"

#include <sys/utsname.h>

#include <filesystem>

#include "base/text.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/os/mounts.h"
#include "runtime/os/pid_namespace.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> out;
    for (const std::string_view word : split(line, ' '))
        if (!trim(word).empty()) out.push_back(trim(word));
    return out;
}

// "NSpid:\t8230\t12": the last number is of the thread's own namespace.
uint32_t own_number(const std::string& status) {
    constexpr std::string_view key = "NSpid:";
    for (const std::string_view line : split(status, '\n')) {
        if (!line.starts_with(key)) continue;
        const std::string_view last = line.substr(line.find_last_of("\t ") + 1);
        return parse_number<uint32_t>(last).value_or(0);
    }
    return 0;
}

std::vector<uint32_t> numbers_in(const std::string& folder) {
    std::vector<uint32_t> out;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (const auto number = parse_number<uint32_t>(at->path().filename().string())) out.push_back(*number);
    return out;
}

}  // namespace

void add_machine(Recording& recording) {
    utsname names{};
    if (uname(&names) == 0) recording.kernel = names.release, recording.machine = names.machine;
    recording.unix_offset = unix_now() - static_cast<int64_t>(monotonic_now());
    const Result<std::string> text = read_text("/proc/partitions");
    if (!text) return;
    for (const std::string_view line : split(*text, '\n')) {
        const std::vector<std::string_view> row = words(line);
        if (row.size() != 4) continue;
        const auto major = parse_number<uint32_t>(row[0]), minor = parse_number<uint32_t>(row[1]);
        if (!major || !minor) continue;
        recording.devices[*major << (block_major_at - block_device_at) | *minor] = row[3];
    }
}

// A thread that ends meanwhile has records that name it.
void add_threads(Recording& recording) {
    if (pid_namespace().second != 0) {  // the records have the kernel's numbers, /proc has others
        recording.account.missing.emplace_back("names of threads (lt ran in a PID namespace)");
        return;
    }
    for (const uint32_t process : numbers_in("/proc")) {
        const std::string tasks = "/proc/" + std::to_string(process) + "/task";
        for (const uint32_t tid : numbers_in(tasks)) {
            const std::string task = tasks + "/" + std::to_string(tid);
            const Result<std::string> comm = read_text(task + "/comm"), status = read_text(task + "/status");
            if (!comm) continue;
            recording.threads.push_back({tid, process, status ? own_number(*status) : 0, std::string(trim(*comm))});
        }
    }
}

void add_symbols(Recording& recording) {
    if (recording.stacks.empty()) return;
    const Result<std::string> text = read_text("/proc/kallsyms");
    if (!text) return;
    const Kallsyms symbols(*text);
    for (const auto& [hash, frames] : recording.stacks)
        for (const uint64_t address : frames) {
            if (recording.symbols.contains(address)) continue;
            const auto symbol = symbols.at(address);
            if (symbol && symbol->address != 0) recording.symbols[address] = symbol->name;
        }
}

}  // namespace lt
