#include "declarations/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "arch/arch.h"

namespace lt {
namespace {

// Below the folder in which a kernel's modules are built.
constexpr std::array kernel_folders{
    "arch/{}/include", "arch/{}/include/generated", "include", "arch/{}/include/uapi", "arch/{}/include/generated/uapi",
    "include/uapi",    "include/generated/uapi",
};
constexpr std::array kernel_roots{"build", "source"};

// Clang's own headers come first: they belong to the compiler and not to the C library.
constexpr std::array system_folders{
    "/usr/lib/llvm-19/lib/clang/19/include",
    "/usr/local/include",
    "/usr/include/{}",
    "/usr/include",
};

constexpr std::array<std::string_view, 18> kernel_prefixes{
    "linux/", "net/",   "asm/",   "asm-generic/", "uapi/",  "trace/",     "scsi/", "crypto/", "drm/",
    "rdma/",  "sound/", "video/", "acpi/",        "media/", "generated/", "vdso/", "soc/",    "kunit/",
};

constexpr std::string_view not_found = " file not found";

void add_kernel_folders(const std::string& release, std::vector<std::string>& out) {
    for (const char* root : kernel_roots) {
        for (const char* folder : kernel_folders) {
            const std::string path = fmt::format("/lib/modules/{}/{}/{}", release, root,
                                                 fmt::format(fmt::runtime(folder), arch::native.kernel_folder));
            std::error_code ignored;
            if (std::filesystem::is_directory(path, ignored)) out.insert(out.end(), {"-isystem", path});
        }
    }
}

}  // namespace

std::vector<std::string> c_arguments(const std::string& script, const HeaderOptions& options, Kernel& kernel) {
    std::vector<std::string> out{"-xc", "-std=gnu11", fmt::format("--target={}", arch::native.target), "-nostdinc",
                                 "-ferror-limit=0"};
    const std::filesystem::path beside = std::filesystem::path(script).parent_path();
    out.insert(out.end(), {"-iquote", beside.empty() ? "." : beside.string()});
    for (const std::string& folder : options.folders) out.insert(out.end(), {"-I", folder});
    const size_t before = out.size();
    if (kernel.runs()) add_kernel_folders(kernel.release(), out);
    if (out.size() > before) out.insert(out.end(), {"-D__KERNEL__", "-include", "linux/kconfig.h"});
    for (const char* folder : system_folders)
        out.insert(out.end(), {"-isystem", fmt::format(fmt::runtime(folder), arch::native.target)});
    out.emplace_back("-D__BPF_TRACING__");
    if (kernel.can(Feature::btf).yes) out.emplace_back("-DBPFTRACE_HAVE_BTF=1");
    for (const std::string& file : options.files) out.insert(out.end(), {"-include", file});
    return out;
}

std::optional<std::string> missing_header(std::string_view message) {
    if (!message.ends_with(not_found) || !message.starts_with('\'')) return std::nullopt;
    message.remove_suffix(not_found.size());
    return std::string(message.substr(1, message.rfind('\'') - 1));
}

bool is_kernel_header(std::string_view name) {
    return std::ranges::any_of(kernel_prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string header_hint(std::string_view name) {
    if (is_kernel_header(name)) return "install the kernel's headers, or name their folder with `-I DIR`";
    return "install its package (libc6-dev for the C library), or name another folder with `-I DIR`";
}

}  // namespace lt
