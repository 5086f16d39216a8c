#include "runtime/kernel/flag_names.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

// Constants of C after preprocessing: (( gfp_t)((((1UL))) << (10))) | ... Casts are ignored.
class ConstantText {
  public:
    explicit ConstantText(std::string_view text) : text_(text) {}

    std::optional<uint64_t> value() {
        const auto out = either();
        blanks();
        return at_ == text_.size() ? out : std::nullopt;
    }

  private:
    static constexpr int most_depth = 1000;  // of brackets and casts

    void blanks() {
        while (at_ < text_.size() && text_[at_] == ' ') at_++;
    }
    bool takes(std::string_view word) {
        blanks();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    std::optional<uint64_t> either() {
        auto out = both();
        while (out && takes("|")) {
            const auto more = both();
            out = more ? std::optional(*out | *more) : std::nullopt;
        }
        return out;
    }
    std::optional<uint64_t> both() {
        auto out = shifted();
        while (out && takes("&")) {
            const auto more = shifted();
            out = more ? std::optional(*out & *more) : std::nullopt;
        }
        return out;
    }
    std::optional<uint64_t> shifted() {
        auto out = operand();
        while (out && takes("<<")) {
            const auto by = operand();
            out = by && *by < 64 ? std::optional(*out << *by) : std::nullopt;
        }
        return out;
    }
    std::optional<uint64_t> operand() {
        if (++depth_ > most_depth) return {};
        if (takes("~")) {
            const auto of = operand();
            return of ? std::optional(~*of) : std::nullopt;
        }
        if (!takes("(")) return number();
        blanks();
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) == 0 &&
            is_word_character(text_[at_])) {
            const size_t end = text_.find(')', at_);
            if (end == text_.npos) return {};
            at_ = end + 1;
            return operand();
        }
        const auto out = either();
        depth_--;
        return takes(")") ? out : std::nullopt;
    }
    std::optional<uint64_t> number() {
        blanks();
        const bool is_hex = takes("0x");
        uint64_t out = 0;
        const char* begin = text_.data() + at_;
        const auto [end, failed] = std::from_chars(begin, text_.data() + text_.size(), out, is_hex ? 16 : 10);
        if (failed != std::errc{}) return {};
        at_ += static_cast<size_t>(end - begin);
        while (at_ < text_.size() && std::string_view("uUlL").find(text_[at_]) != std::string_view::npos) at_++;
        depth_--;
        return out;
    }

    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

// {CONSTANT, "NAME"}, ...
std::vector<FlagName> flag_names(std::string_view format) {
    std::vector<FlagName> names;
    size_t at = format.find("__print_flags(");
    while (at != format.npos && (at = format.find('{', at)) != format.npos) {
        const size_t comma = format.find(", \"", at), quote = comma + 3;
        const size_t end = comma == format.npos ? comma : format.find('"', quote);
        if (end == format.npos || format.find('}', at) < comma) break;  // { 0, ((void *)0) } ends the list
        if (const auto bits = ConstantText(format.substr(at + 1, comma - at - 1)).value(); bits && *bits != 0)
            names.push_back({*bits, std::string(format.substr(quote, end - quote))});
        at = end;
    }
    return names;
}

std::string flags_text(uint64_t bits, const std::vector<FlagName>& names) {
    if (bits == 0) return "none";
    std::string out;
    for (const FlagName& flag : names) {
        if ((bits & flag.bits) != flag.bits) continue;
        out += (out.empty() ? "" : "|") + flag.name;
        bits &= ~flag.bits;
    }
    if (bits != 0) out += fmt::format("{}{:#x}", out.empty() ? "" : "|", bits);
    return out;
}

std::string gfp_flags_text(uint64_t bits) {
    static const std::vector<FlagName> names = [] {
        const Result<Folder> folder = open_tracefs();
        const Result<std::string> format =
            folder ? folder->read("events/kmem/kmalloc/format") : Result<std::string>(folder.error());
        return format ? flag_names(*format) : std::vector<FlagName>{};
    }();
    return flags_text(bits, names);
}

}  // namespace lt
