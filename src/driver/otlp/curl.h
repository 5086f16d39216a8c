// The functions of libcurl that lt uses, looked up in the shared library when it is loaded: only `lt agent --otlp`
// needs it, and it would make every other start of lt slower.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace lt {

#define LT_CURL_FUNCTIONS(X) \
    X(global_init)           \
    X(easy_init)             \
    X(easy_cleanup)          \
    X(easy_setopt)           \
    X(easy_getinfo)          \
    X(easy_strerror)         \
    X(multi_init)            \
    X(multi_cleanup)         \
    X(multi_add_handle)      \
    X(multi_remove_handle)   \
    X(multi_perform)         \
    X(multi_poll)            \
    X(multi_wakeup)          \
    X(multi_info_read)       \
    X(slist_append)          \
    X(slist_free_all)        \
    X(url)                   \
    X(url_cleanup)           \
    X(url_set)               \
    X(url_get)               \
    X(free)

struct Curl {
#define LT_MEMBER(name) decltype(&::curl_##name) name = nullptr;
    LT_CURL_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
};

// One for the process: libcurl is never unloaded. An Error that says what to install.
Result<Curl> load_curl();

}  // namespace lt
