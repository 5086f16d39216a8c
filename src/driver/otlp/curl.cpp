#include "driver/otlp/curl.h"

#include <dlfcn.h>

#include <array>
#include <string>

namespace lt {
namespace {

// Debian's two builds, with OpenSSL and with GnuTLS.
constexpr std::array curl_names{"libcurl.so.4", "libcurl-gnutls.so.4"};
constexpr const char* curl_hint = "install it: `apt install libcurl4`";

}  // namespace

Result<Curl> load_curl() {
    void* library = nullptr;
    for (const char* name : curl_names)
        if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Error{"--otlp needs libcurl, which is not installed", curl_hint, 0};
    Curl curl;
    std::string missing;
#define LT_FIND(name)                                                                 \
    curl.name = reinterpret_cast<decltype(curl.name)>(dlsym(library, "curl_" #name)); \
    if (curl.name == nullptr) missing = "curl_" #name;
    LT_CURL_FUNCTIONS(LT_FIND)
#undef LT_FIND
    if (!missing.empty()) return Error{"the libcurl that is installed has no function " + missing, curl_hint, 0};
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return Error{"libcurl cannot be initialized", "", 0};
    return curl;
}

}  // namespace lt
