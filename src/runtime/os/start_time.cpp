#include "runtime/os/start_time.h"

#include <fmt/format.h>
#include <sys/timex.h>

#include <ctime>

namespace lt {

std::string time_of_day(int64_t time) {
    constexpr int64_t second = 1'000'000'000, millisecond = 1'000'000;
    const std::time_t seconds = time / second;
    std::tm parts{};
    localtime_r(&seconds, &parts);
    const std::string whole = fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
    const int64_t fraction = time % second / millisecond;
    return fraction == 0 ? whole : fmt::format("{}.{:03}", whole, fraction);
}

bool clock_is_synchronized() {
    timex state{};
    return ::adjtimex(&state) != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

}  // namespace lt
