#include "driver/target/describe_kernel.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "driver/cli/failure.h"
#include "driver/cli/privileges.h"
#include "driver/target/chosen_kernel.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

Status write_described(const fs::path& path, std::string_view text) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "we"), &std::fclose);
    const bool whole =
        file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
    return whole ? Status(Done{}) : system_error("cannot write " + path.string(), errno);
}

// A file that a kernel may not have, or hide, is left out: then the kernel in the description does not have it either.
Status copy_described(const Result<std::string>& text, const fs::path& to) {
    return text ? write_described(to, *text) : Status(Done{});
}

Status copy_events(const Folder& tracefs, const fs::path& to) {
    for (const std::string& category : tracefs.list("events"))
        for (const std::string& event : tracefs.list("events/" + category))
            for (const char* name : {"format", "id"}) {
                const std::string path = fmt::format("events/{}/{}/{}", category, event, name);
                if (Status copied = copy_described(tracefs.read(path), to / path); !copied) return copied;
            }
    return Done{};
}

// Types of perf events, and their formats.
Status copy_sources(const fs::path& to) {
    const fs::path from = "/sys/bus/event_source/devices";
    std::error_code none;
    for (fs::directory_iterator source(from, none), last; !none && source != last; source.increment(none)) {
        const fs::path name = source->path().filename();
        if (Status copied = copy_described(read_text(source->path() / "type"), to / name / "type"); !copied)
            return copied;
        for (const char* folder : {"events", "format"}) {
            std::error_code failed;  // it has no such folder
            for (fs::directory_iterator at(source->path() / folder, failed), end; !failed && at != end;
                 at.increment(failed)) {
                const fs::path target = to / name / folder / at->path().filename();
                if (Status copied = copy_described(read_text(at->path()), target); !copied) return copied;
            }
        }
    }
    return Done{};
}

Status copy_types(const fs::path& to) {
    std::error_code none;
    for (fs::directory_iterator at("/sys/kernel/btf", none), end; !none && at != end; at.increment(none)) {
        const std::string name = at->path().filename();
        const fs::path target = name == "vmlinux" ? to / "btf" : to / "modules_btf" / name;
        if (Status copied = copy_described(read_text(at->path()), target); !copied) return copied;
    }
    return Done{};
}

Status write_description(Kernel& kernel, const fs::path& to) {
    std::string features = features_text(kernel);
    features.erase(0, features.find('\n') + 1);  // the release
    if (Status written = write_described(to / "features", features); !written) return written;
    for (const auto& [from, name] : {std::pair{"/proc/kallsyms", "kallsyms"}, std::pair{"/sys/kernel/notes", "notes"}})
        if (Status copied = copy_described(read_text(from), to / name); !copied) return copied;
    if (Status copied = copy_types(to); !copied) return copied;
    if (Status copied = copy_sources(to / "event_source"); !copied) return copied;
    if (const Result<Folder> debugfs = open_debugfs())
        if (Status copied = copy_described(debugfs->read("kprobes/blacklist"), to / "blacklist"); !copied)
            return copied;
    const Result<Folder> tracefs = open_tracefs();
    if (!tracefs) return tracefs.error();
    constexpr const char* functions = "available_filter_functions";
    if (Status copied = copy_described(tracefs->read(functions), to / functions); !copied) return copied;
    if (Status copied = copy_events(*tracefs, to); !copied) return copied;
    // last: without it, the folder is not a description
    return write_described(to / "release", kernel.release() + "\n");
}

}  // namespace

int describe_kernel(const Command& command) {
    const fs::path to = command.text(Option::describe);
    std::error_code none;
    if (fs::exists(to, none) && !fs::is_empty(to, none))
        return failure({fmt::format("{} exists", to.string()), "name a new folder", 0});
    if (const auto lacking = lacking_privilege()) return failure(*lacking);
    const Result<std::unique_ptr<Kernel>> kernel = open_kernel({});
    if (!kernel) return failure(kernel.error());
    if (const Status written = write_description(**kernel, to); !written) return failure(written.error());
    fmt::print("{}: Linux {}, for `lt build SCRIPT -o FILE.plan --for {}`\n", to.string(), (*kernel)->release(),
               to.string());
    return 0;
}

}  // namespace lt
