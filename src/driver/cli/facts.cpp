#include "driver/cli/facts.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "runtime/os/timestamps.h"

namespace lt {

std::string machine_and_time() {
    utsname machine{};
    ::uname(&machine);
    return fmt::format("{}, Linux {}, {}", machine.nodename, machine.release, date_text("%Y-%m-%d %H:%M:%S %Z"));
}

}  // namespace lt
