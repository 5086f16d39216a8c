#include "driver/target/chosen_kernel.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "driver/cli/privileges.h"

namespace lt {

std::vector<std::string> debug_folders(const Command& command) {
    std::vector<std::string> folders;
    for (const std::string& some : command.list(Option::debug_folders)) {
        for (const std::string_view one : split(some, ':')) {
            if (one.empty()) continue;  // the file's own folder, which is searched anyway
            std::error_code none;
            const std::filesystem::path here = std::filesystem::absolute(one, none);  // empty without a current folder
            if (one.starts_with('/') || std::filesystem::is_directory(here, none)) folders.push_back(here.string());
            if (!one.starts_with('/')) folders.emplace_back(one);
        }
    }
    return folders;
}

KernelPlaces kernel_places(const Command& command) {
    return {command.text(Option::kernel), debug_folders(command), command.text(Option::traceable)};
}

Result<std::unique_ptr<Kernel>> chosen_kernel(const Command& command) {
    if (!command.has(Option::kernel)) {
        if (const auto lacking = lacking_privilege()) return *lacking;
    }
    for (const std::string& folder : debug_folders(command))
        if (std::error_code none; folder.starts_with('/') && !std::filesystem::is_directory(folder, none))
            return Error{fmt::format("--debuginfo: {} is not a folder", folder), "", 0};
    return open_kernel(kernel_places(command));
}

std::string features_text(Kernel& kernel) {
    std::string out = fmt::format("kernel: {}\n", kernel.release());
    for (uint8_t i = 0; i < feature_count; i++) {
        const auto feature = static_cast<Feature>(i);
        const Answer a = kernel.can(feature);
        out += fmt::format("{}: {}\n", feature_name(feature), a.yes ? "yes" : fmt::format("no ({})", a.why));
    }
    return out;
}

}  // namespace lt
