// A terminal's window can be set to any size; libedit asks the kernel for it and allocates a screen of that size. So
// all of lt gets the answer of ioctl() within limits (the linker's --wrap).
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdarg>

extern "C" {
int __real_ioctl(int descriptor, unsigned long request, ...);
int __wrap_ioctl(int descriptor, unsigned long request, ...);
}

int __wrap_ioctl(int descriptor, unsigned long request, ...) {
    constexpr unsigned short least = 2, most_columns = 1000, most_rows = 500;
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    const int code = __real_ioctl(descriptor, request, argument);
    if (code != 0 || request != TIOCGWINSZ) return code;
    auto* window = static_cast<winsize*>(argument);
    if (window->ws_col != 0) window->ws_col = std::clamp(window->ws_col, least, most_columns);
    if (window->ws_row != 0) window->ws_row = std::clamp(window->ws_row, least, most_rows);
    return code;
}
