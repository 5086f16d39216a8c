#include "driver/view/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/text.h"

namespace lt {
namespace {

// Slightly less than a second, so that it is over when a timer of 1 s fires.
constexpr auto period = std::chrono::milliseconds(980);

std::string_view trim_end(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

bool is_dumb() {
    const char* terminal = std::getenv("TERM");
    return !terminal || *terminal == '\0' || std::string_view(terminal) == "dumb";
}

ssize_t write_to_screen(void* screen, const char* bytes, size_t size) {
    static_cast<Screen*>(screen)->write({bytes, size});
    return static_cast<ssize_t>(size);
}

}  // namespace

std::string cut(std::string_view line, size_t width) {
    std::string out;
    size_t count = 0;
    for (const char c : line) {
        const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // of a UTF-8 character
        if (!continues && ++count > width) break;
        out += c == '\t' ? ' ' : c;
    }
    return out;
}

Screen::Screen() : in_place_(isatty(STDOUT_FILENO) != 0 && !is_dumb()) {
    messages_ = fopencookie(this, "w", {nullptr, write_to_screen, nullptr, nullptr});
    if (messages_) std::setvbuf(messages_, nullptr, _IONBF, 0);
}

Screen::~Screen() {
    if (messages_) std::fclose(messages_);
}

Screen::Size Screen::size() {
    winsize window{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0;
    return known ? Size{window.ws_col, window.ws_row} : Size{80, 24};
}

void Screen::write(std::string_view bytes) {
    added_ += bytes;
    if (recorder_) recorder_->shown(bytes);
}

void Screen::set_view(View view) {
    leave();
    if (view_ && recorder_ && !view_text_.empty()) recorder_->shown(fmt::format("{}\n", trim_end(view_text_)));
    view_text_.clear();
    view_ = std::move(view);
    drawn_ = {};
}

void Screen::take_away() {
    if (in_place_) erase();
    std::fflush(stdout);
    set_view(nullptr);
}

void Screen::leave() { shown_ = 0; }

bool Screen::anything_to_show() const { return !added_.empty() || patience() == 0; }

int Screen::patience() const {
    if (!view_) return -1;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(drawn_ + period - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 1000));
}

void Screen::erase() {
    if (shown_ > 0) fmt::print("\033[{}A\033[J", shown_);
    shown_ = 0;
}

void Screen::show() {
    if (view_ && in_place_) erase();
    if (!added_.empty()) {
        if (added_.back() != '\n') added_ += '\n';  // otherwise the prompt would overwrite it
        std::fwrite(added_.data(), 1, added_.size(), stdout);
        added_.clear();
    }
    if (view_ && (in_place_ || patience() == 0)) draw_view();
    std::fflush(stdout);
}

// Leaves some lines for the prompt and typed text.
void Screen::draw_view() {
    constexpr size_t for_others = 6, fewest = 4;
    const Size all = size();
    const Size room{all.width > 1 ? all.width - 1 : 1, std::max(all.height, for_others + fewest) - for_others};
    if (patience() == 0) {
        view_text_ = view_(room);
        drawn_ = Clock::now();
    }
    for (const std::string_view line : split(trim_end(view_text_), '\n')) {
        if (shown_ >= room.height) break;
        fmt::print("{}\n", cut(line, room.width));
        shown_++;
    }
    if (!in_place_) shown_ = 0;
}

}  // namespace lt
