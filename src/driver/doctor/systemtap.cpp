#include "driver/doctor/systemtap.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <zlib.h>

#include <array>
#include <charconv>
#include <fstream>

#include "arch/arch.h"
#include "base/text.h"
#include "stdlib/settings.h"

namespace lt {
namespace {

// The last stage of each of SystemTap's passes; the fifth runs the script.
constexpr std::array<std::string_view, 5> passes{"parse", "check", "lower", "emit", "run"};

std::string release_of(const std::string& folder) {
    if (!folder.empty()) {
        std::ifstream file(folder + "/release");
        std::string release;
        std::getline(file, release);
        return release;
    }
    utsname name{};
    return ::uname(&name) == 0 ? name.release : "";
}

// Lines CONFIG_X=value of the file that distributions put next to their kernels, or of the kernel's own; without
// either, what holds for all kernels that lt runs on.
std::map<std::string, std::string> config_of(const std::string& release) {
    std::map<std::string, std::string> out;
    gzFile file = ::gzopen(("/boot/config-" + release).c_str(), "r");  // gzopen() reads plain text, too
    if (file == nullptr) file = ::gzopen("/proc/config.gz", "r");
    if (file == nullptr) {
        for (const char* name : {"64BIT", "SMP", "HAVE_HW_BREAKPOINT", "PERF_EVENTS", "BPF_SYSCALL"})
            out[std::string("CONFIG_") + name] = "y";
        out[std::string(arch::native.kernel_option)] = "y";
        return out;
    }
    std::array<char, 4096> read{};
    while (::gzgets(file, read.data(), read.size()) != nullptr) {
        const std::string_view line = std::string_view(read.data()).substr(0, std::string_view(read.data()).find('\n'));
        const size_t equals = line.find('=');
        if (line.starts_with("CONFIG_") && equals != line.npos)
            out.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    ::gzclose(file);
    return out;
}

Status take_pass(Command& command) {
    const std::string pass = command.text(Option::process);
    if (pass.size() != 1 || pass[0] < '1' || pass[0] > '5')
        return Error{fmt::format("-p {} is not a pass of SystemTap", pass),
                     "the passes are 1 to 5; give a process with -x", 0};
    command.options.erase(Option::process);
    if (pass == "1" && !command.has(Option::dump)) {
        command.only_grammar = true;
        command.options[Option::dump] = "ast";
    }
    if (!command.has(Option::stop_after))
        command.options[Option::stop_after] = passes[static_cast<size_t>(pass[0] - '1')];
    return Done{};
}

}  // namespace

std::string dialect_of(const Command& command) {
    if (command.has(Option::systemtap)) return ".stp";
    return command.has(Option::bpftrace) ? ".bt" : "";
}

bool is_systemtap(const Command& command) {
    return grammar_of(command.has(Option::systemtap) ? ".stp" : command.file) == Grammar::stp;
}

Status take_systemtap(Command& command) {
    if (!is_systemtap(command)) return Done{};
    if (command.has(Option::guru)) command.options[Option::unsafe] = "true";
    for (const std::string& limit : command.list(Option::limits)) {
        constexpr std::string_view entries = "MAXMAPENTRIES=";
        if (limit.starts_with(entries)) command.options[Option::max_map_keys] = limit.substr(entries.size());
    }
    return command.has(Option::process) ? take_pass(command) : Status(Done{});
}

Status suits_language(const Command& command, bool is_systemtap) {
    if (command.has(Option::target) && !is_systemtap)
        return Error{"-x only sets target() in SystemTap scripts", "`-p PID` traces only this process", 0};
    if (command.has(Option::global) && !is_systemtap)
        return Error{"-G only sets globals of SystemTap scripts",
                     "`--NAME VALUE` after the script sets its parameter: `param NAME = 10`", 0};
    if (command.has(Option::target) && parse_number<uint32_t>(command.text(Option::target)).value_or(0) == 0)
        return Error{fmt::format("`{}` is not the number of a process", command.text(Option::target)),
                     "for example `-x 1234`", 0};
    return Done{};
}

void add_systemtap_facts(const Command& command, Invocation& given) {
    const std::string folder = command.text(Option::kernel);
    given.kernel_release = release_of(folder);
    if (folder.empty() && (is_systemtap(command) || given.for_port))
        given.kernel_config = config_of(given.kernel_release);
    given.only_grammar = command.only_grammar;
    given.guru = command.has(Option::guru);
    constexpr std::string_view errors = "MAXERRORS=";
    for (const std::string& limit : command.list(Option::limits)) {
        if (!limit.starts_with(errors)) continue;
        uint32_t most = 0;
        const char* const last = limit.data() + limit.size();
        if (std::from_chars(limit.data() + errors.size(), last, most).ptr == last) given.max_errors = most;
    }
    if (command.has(Option::suppress_errors)) given.max_errors = UINT32_MAX;
    const std::string target = command.text(Option::target);
    std::from_chars(target.data(), target.data() + target.size(), given.target);
    const std::string run = command.text(Option::command);
    given.command = run.substr(0, run.find(' '));
    for (const std::string& setting : command.list(Option::global)) {
        const size_t equals = setting.find('=');
        given.globals.emplace_back(setting.substr(0, equals), equals == setting.npos ? "" : setting.substr(equals + 1));
    }
}

}  // namespace lt
