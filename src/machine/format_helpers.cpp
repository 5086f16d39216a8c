// bpf_snprintf: formats 64-bit words and addresses of strings as the kernel does, and refuses what the kernel refuses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "machine/format_helpers.h"

namespace lt::machine {
namespace {

constexpr size_t most_string = 512;
constexpr size_t most_copied_values = 512;  // bytes: MAX_BPRINTF_BIN_ARGS in kernel/bpf/helpers.c

Result<std::string> string_at(Execution& x, Address at) {
    std::string out;
    while (out.size() < most_string) {
        auto byte = x.memory().read(at + out.size(), 1);
        if (!byte) return byte.error();
        if (byte->front() == 0) break;
        out += static_cast<char>(byte->front());
    }
    return out;
}

// One conversion with its flags and width, after the '%'.
struct Conversion {
    std::string text;
    char letter = 0;
    bool with_offset = false;  // the symbol at the address, and the offset in it
};

Result<Conversion> conversion(const std::string& format, size_t& at) {
    Conversion out{"%"};
    while (at < format.size() && std::strchr("0 +-", format[at]) != nullptr) out.text += format[at++];
    while (at < format.size() && std::isdigit(static_cast<unsigned char>(format[at])) != 0) out.text += format[at++];
    size_t longs = 0;
    for (; at < format.size() && format[at] == 'l'; at++) longs++;
    out.letter = at < format.size() ? format[at++] : '\0';
    if (out.letter == 'p' && at < format.size() && (format[at] == 's' || format[at] == 'S')) {
        out.with_offset = format[at++] == 'S';
        out.text += 's';
        return out;
    }
    const bool number = std::strchr("diuxX", out.letter) != nullptr && out.letter != '\0';
    if ((!number && out.letter != 's' && out.letter != 'c') || longs > 2)
        return Error{fmt::format("bpf_snprintf: no conversion in {}", format), "", 0};
    out.text += number ? std::string(longs, 'l') + out.letter : std::string(1, out.letter);
    return out;
}

template <class Value>
std::string printed(const std::string& format, Value value) {
    char room[2 * most_string];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(room, sizeof room, format.c_str(), value);
#pragma GCC diagnostic pop
    return room;
}

// The kernel copies all values first: a string is cut to what is left, and if there is nothing left it gives up.
class CopiedValues {
  public:
    bool fits(const Conversion& piece) {
        const bool is_long = piece.letter == 'p' || piece.text.find('l') != std::string::npos;
        const size_t width = piece.letter == 's' || piece.letter == 'c' ? 1 : is_long ? 8 : 4;
        if (width > 1) used_ = (used_ + 3) / 4 * 4;
        if (most_copied_values - used_ < width) return false;
        if (piece.letter != 's') used_ += width;
        return true;
    }
    void cut(std::string& text) {
        text.resize(std::min(text.size(), most_copied_values - used_ - 1));
        used_ += text.size() + 1;
    }

  private:
    size_t used_ = 0;
};

Result<uint64_t> snprintf_(Execution& x, const Arguments& a) {
    auto out = x.memory().write(a[0], static_cast<uint32_t>(a[1]));
    if (!out) return out.error_in("destination");
    auto format = string_at(x, a[2]);
    if (!format) return format.error_in("format");
    const size_t count = static_cast<uint32_t>(a[4]) / 8;
    std::string text;
    CopiedValues copied;
    size_t next = 0;
    for (size_t at = 0; at < format->size();) {
        const char c = (*format)[at++];
        if (c != '%' || (*format)[at] == '%') {
            text += c;
            if (c == '%') at++;
            continue;
        }
        const auto piece = conversion(*format, at);
        if (!piece) return piece.error();
        if (next >= count) return static_cast<uint64_t>(-int64_t{EINVAL});
        if (!copied.fits(*piece)) return static_cast<uint64_t>(-int64_t{ENOSPC});
        auto word = x.memory().read(a[3] + 8 * next++, 8);
        if (!word) return word.error_in("values");
        uint64_t value = 0;
        std::memcpy(&value, word->data(), sizeof value);
        const bool is_long = piece->text.find('l') != std::string::npos;
        if (piece->letter == 'p') {
            const std::string name = piece->with_offset ? x.around().symbol_offset(value) : x.around().symbol(value);
            text += printed(piece->text, name.empty() ? fmt::format("{:#x}", value).c_str() : name.c_str());
        } else if (piece->letter == 's') {
            auto string = string_at(x, value);
            if (!string) return string.error_in("a string");
            copied.cut(*string);
            text += printed(piece->text, string->c_str());
        } else if (is_long) {
            text += printed(piece->text, static_cast<unsigned long long>(value));
        } else {
            text += printed(piece->text, static_cast<int>(value));
        }
    }
    const size_t length = out->empty() ? 0 : std::min(text.size(), out->size() - 1);
    std::copy_n(text.begin(), length, out->begin());
    if (!out->empty()) (*out)[length] = 0;
    return text.size() + 1;
}

constexpr std::array table = {
    Helper{BPF_FUNC_snprintf, "snprintf", 5, Returns::value, snprintf_},
};

}  // namespace

std::span<const Helper> format_helpers() { return table; }

}  // namespace lt::machine
