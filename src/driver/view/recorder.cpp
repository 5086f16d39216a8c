#include "driver/view/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/text.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

std::string time_of_day() { return clock_text(unix_now()).substr(0, std::string_view("07:45:01.123").size()); }

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "ae");
    if (!file) return system_error("cannot write " + path, errno);
    std::unique_ptr<Recorder> recorder(new Recorder(path, file));
    recorder->line(date_text("lt: recorded from %Y-%m-%d %H:%M:%S %z on"));
    if (recorder->failed()) return system_error("cannot write " + path, errno);
    return recorder;
}

Recorder::~Recorder() {
    if (!begun_.empty()) line(begun_);
    std::fclose(file_);
}

// Each line is written at once, because the console may be killed. A line that cannot be written is lost; the next one
// is tried again, on a line of its own.
void Recorder::line(std::string_view text) {
    const std::string whole = fmt::format("{}{}  {}\n", cut_ ? "\n" : "", time_of_day(), text);
    const ssize_t written = ::write(::fileno(file_), whole.data(), whole.size());
    cut_ = written < 0 ? cut_ : written < static_cast<ssize_t>(whole.size());
    failed_ = failed_ || cut_ || written < 0;
}

void Recorder::entered(std::string_view text) {
    if (!begun_.empty()) shown("\n");
    std::string_view prompt = "lt> ";
    for (const std::string_view part : split(text, '\n')) {
        line(fmt::format("{}{}", prompt, part));
        prompt = "... ";
    }
}

void Recorder::shown(std::string_view text) {
    begun_ += text;
    size_t begin = 0;
    for (size_t end = 0; (end = begun_.find('\n', begin)) != begun_.npos; begin = end + 1)
        line(std::string_view(begun_).substr(begin, end - begin));
    begun_.erase(0, begin);
}

}  // namespace lt
