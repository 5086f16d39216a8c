#include "driver/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/visible.h"
#include "runtime/os/signals.h"

namespace lt {
namespace {

constexpr auto patience = std::chrono::milliseconds(500);

// Leaves the cursor at the start of the line, so that a message that is printed meanwhile overwrites the line. A text
// that the terminal breaks into two lines would leave the first one there.
void draw(std::string_view text) {
    winsize window{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    const std::string line =
        fmt::format("\r{}\033[K\r", known ? shortened(text, window.ws_col - 1U, "") : std::string(text));
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // the terminal has gone
}

}  // namespace

bool Progress::has_terminal() {
    const char* terminal = std::getenv("TERM");
    const bool is_dumb = !terminal || *terminal == '\0' || std::string_view(terminal) == "dumb";
    return isatty(STDERR_FILENO) != 0 && !is_dumb;
}

// Signals are for the working thread.
Progress::Progress(std::string doing, std::function<std::string()> instead)
    : doing_(std::move(doing)), instead_(std::move(instead)) {
    if (doing_.empty()) return;
    const NoSignals none;
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) { show(stop); });
    } catch (const std::system_error&) {
        // there may be no further thread: the work is done without a line about it
    }
}

Progress::~Progress() = default;

void Progress::show(const std::stop_token& stop) {
    using namespace std::chrono;
    const auto begin = steady_clock::now();
    bool shown = false;
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, stop, patience, [&] { return stop.stop_requested(); })) {
        const std::string other = instead_ ? instead_() : "";
        draw(other.empty()
                 ? fmt::format("lt: {}, {:.0f} s", doing_, duration<double>(steady_clock::now() - begin).count())
                 : "lt: " + other);
        shown = true;
    }
    if (shown) draw("");
}

}  // namespace lt
