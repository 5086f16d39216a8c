#include "declarations/libclang.h"

#include "declarations/read.h"

#include <dlfcn.h>

#include <array>

namespace lt {
namespace {

// Debian's name, and the name it has if only one version is installed.
constexpr std::array libclang_names{"libclang-19.so.1", "libclang-19.so.19", "libclang.so.1",
                                    "/usr/lib/llvm-19/lib/libclang.so.1"};

}  // namespace

std::string LibClang::text(CXString given) const {
    const char* at = getCString(given);
    std::string out = at == nullptr ? "" : at;
    disposeString(given);
    return out;
}

Result<LibClang> load_libclang() {
    void* library = nullptr;
    for (const char* name : libclang_names) {
        if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    const std::string hint = "install it: `apt install libclang1-19`";
    if (library == nullptr) return Error{"C in a script is read by libclang 19, which is not installed", hint, 0};
    LibClang clang;
    std::string missing;
#define LT_FIND(name)                                                                    \
    clang.name = reinterpret_cast<decltype(clang.name)>(dlsym(library, "clang_" #name)); \
    if (clang.name == nullptr) missing = "clang_" #name;
    LT_LIBCLANG_FUNCTIONS(LT_FIND)
#undef LT_FIND
    if (missing.empty()) return clang;
    return Error{"the libclang that is installed has no function " + missing, hint, 0};
}

std::optional<Error> lacking_libclang() {
    const Result<LibClang> library = load_libclang();
    return library ? std::nullopt : std::optional(library.error());
}

}  // namespace lt
