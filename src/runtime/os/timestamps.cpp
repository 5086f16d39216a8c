#include "runtime/os/timestamps.h"

#include <fmt/format.h>

#include <array>

namespace lt {
namespace {

constexpr int64_t second = 1'000'000'000;

}  // namespace

uint64_t clock_now(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.tv_sec) * second + static_cast<uint64_t>(t.tv_nsec);
}

int64_t unix_now() { return static_cast<int64_t>(clock_now(CLOCK_REALTIME)); }

int64_t unix_time(uint64_t monotonic) {
    return static_cast<int64_t>(monotonic) + (unix_now() - static_cast<int64_t>(monotonic_now()));
}

std::string clock_text(int64_t unix_time) {
    const time_t seconds = unix_time / second;
    tm t{};
    localtime_r(&seconds, &t);
    return fmt::format("{:02}:{:02}:{:02}.{:06}", t.tm_hour, t.tm_min, t.tm_sec, unix_time % second / 1000);
}

std::string date_text(const char* format, int64_t unix_time) {
    const time_t seconds = unix_time / second;
    tm t{};
    localtime_r(&seconds, &t);
    std::array<char, 64> text{};
    return {text.data(), strftime(text.data(), text.size(), format, &t)};
}

}  // namespace lt
