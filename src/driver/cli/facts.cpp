#include "driver/cli/facts.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <string_view>

namespace lt {

std::string machine_and_time() {
    utsname machine{};
    ::uname(&machine);
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 64> date{};
    const size_t size = std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S %Z", &parts);
    return fmt::format("{}, Linux {}, {}", machine.nodename, machine.release, std::string_view(date.data(), size));
}

}  // namespace lt
