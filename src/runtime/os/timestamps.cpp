#include "runtime/os/timestamps.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace lt {
namespace {

constexpr int64_t second = 1'000'000'000;

int64_t read_clock(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return int64_t{t.tv_sec} * second + t.tv_nsec;
}

}  // namespace

int64_t unix_now() { return read_clock(CLOCK_REALTIME); }

int64_t unix_time(uint64_t monotonic) {
    return static_cast<int64_t>(monotonic) + (unix_now() - read_clock(CLOCK_MONOTONIC));
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
