// Parses the messages of libbpf and the verifier's log, as far as lt's own messages need them.
#include "runtime/load/load_log.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "base/text.h"

namespace lt {

namespace {

// libbpf's print callback has no user argument, so the destination is per thread.
thread_local std::string* caught = nullptr;

int catch_print(libbpf_print_level level, const char* format, va_list arguments) {
    if (!caught || level == LIBBPF_DEBUG) return 0;
    va_list again;
    va_copy(again, arguments);
    int size = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (size <= 0) return 0;
    size_t before = caught->size();
    caught->resize(before + static_cast<size_t>(size) + 1);  // vsnprintf adds a zero byte
    std::vsnprintf(caught->data() + before, static_cast<size_t>(size) + 1, format, arguments);
    caught->pop_back();
    return size;
}

// The text between the first `begin` and the next `end`; empty if there is none.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
    size_t at = text.rfind(begin);
    if (at == text.npos) return {};
    text.remove_prefix(at + begin.size());
    return text.substr(0, text.find(end));
}

constexpr std::string_view processed = "processed ";

// Lines with the verifier's counts, source quotes or register states.
bool says_nothing(std::string_view line) {
    constexpr std::array<std::string_view, 8> prefixes{processed, "verification time", "stack depth", "max_states",
                                                       ";",       "mark_precise",      "from ",       "-- "};
    for (std::string_view prefix : prefixes)
        if (line.starts_with(prefix)) return true;
    return line.empty();
}

}  // namespace

LogCapture::LogCapture() : before_(libbpf_set_print(catch_print)) { caught = &text_; }

LogCapture::~LogCapture() {
    caught = nullptr;
    libbpf_set_print(before_);
}

LoadLog::LoadLog(std::string text)
    : text_(std::move(text)), verifier_(between(text_, "-- BEGIN PROG LOAD LOG --\n", "-- END PROG LOAD LOG --")) {}

std::string LoadLog::program() const { return std::string(between(text_, "prog '", "'")); }

bool LoadLog::verified() const {
    std::string_view count = between(verifier_, processed, " ");
    return !count.empty() && count != "0";
}

// "; text" or "; text @ file:number", which the kernel takes from the object.
std::string LoadLog::line() const {
    std::string_view last;
    for (std::string_view line : split(verifier_, '\n'))
        if (line.starts_with("; ")) last = line.substr(2);
    const size_t place = last.rfind(" @ ");
    return std::string(trim(place == last.npos ? last : last.substr(0, place)));
}

std::string LoadLog::verifier_complaint() const {
    std::string_view last;
    for (std::string_view line : split(verifier_, '\n'))
        if (!says_nothing(trim(line))) last = trim(line);
    return std::string(last);
}

}  // namespace lt
