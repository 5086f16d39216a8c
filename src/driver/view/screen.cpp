#include "driver/view/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/visible.h"

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

// As on standard error: messages contain names from files and from what is traced.
ssize_t write_to_screen(void* screen, const char* bytes, size_t size) {
    static_cast<Screen*>(screen)->write(visible({bytes, size}, Keep::messages));
    return static_cast<ssize_t>(size);
}

}  // namespace

std::string cut(std::string_view line, size_t width) {
    std::string out;
    size_t columns = 0, kept = 0;  // bytes of `out` that leave a column for the sign
    while (!line.empty()) {
        const std::string_view character = line.substr(0, std::max<size_t>(utf8_length(line), 1));
        columns += columns_in(character);
        if (columns > width) return width == 0 ? "" : out.substr(0, kept) + "…";
        out += character == "\t" ? " " : character;
        if (columns < width) kept = out.size();
        line.remove_prefix(character.size());
    }
    return out;
}

size_t rows_at(const std::vector<size_t>& columns, size_t width) {
    size_t rows = 0;
    for (const size_t line : columns) rows += std::max<size_t>((line + width - 1) / width, 1);
    return rows;
}

Screen::Screen(size_t most_waiting) : most_waiting_(most_waiting), in_place_(isatty(STDOUT_FILENO) != 0 && !is_dumb()) {
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

// Makes room for half of it, so that this is rare.
void Screen::add(std::string_view bytes) {
    added_ += bytes;
    if (added_.size() <= most_waiting_) return;
    const size_t least = added_.size() - most_waiting_ / 2;
    const size_t newline = added_.find('\n', least);
    const size_t end = newline < added_.size() - 1 ? newline + 1 : least;
    const auto lines = std::ranges::count(std::string_view(added_).substr(0, end), '\n');
    left_out_ += std::max<uint64_t>(static_cast<uint64_t>(lines), 1);
    added_.erase(0, end);
}

void Screen::write(std::string_view bytes) {
    add(bytes);
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

void Screen::leave() { shown_.clear(); }

bool Screen::anything_to_show() const { return !added_.empty() || patience() == 0; }

int Screen::patience() const {
    if (!view_) return -1;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(drawn_ + period - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 1000));
}

// Most terminals wrap the lines again when they become narrower; xterm cuts them.
void Screen::erase() {
    if (const size_t rows = rows_at(shown_, size().width); rows > 0) fmt::print("\033[{}A\033[J", rows);
    shown_.clear();
}

void Screen::show() {
    if (view_ && in_place_) erase();
    if (const uint64_t lines = std::exchange(left_out_, 0); lines > 0)
        fmt::print("lt: {} left out here: too much output came while none could be shown\n", plural(lines, "line"));
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
    constexpr size_t for_others = 6, fewest = 5;
    const Size all = size();
    const Size room{all.width > 1 ? all.width - 1 : 1, std::max(all.height, for_others + fewest) - for_others};
    if (patience() == 0) {
        view_text_ = view_(room);
        drawn_ = Clock::now();
    }
    for (const std::string_view line : split(trim_end(view_text_), '\n')) {
        if (shown_.size() >= room.height) break;
        std::string text = cut(line, room.width);
        while (text.ends_with(' ')) text.pop_back();
        fmt::print("{}\n", text);
        shown_.push_back(columns_in(text));
    }
    if (!in_place_) shown_.clear();
}

}  // namespace lt
