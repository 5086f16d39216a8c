#include "driver/cli/tool_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/text.h"

namespace lt {
namespace {

// lt's letters that every tool takes. The others are SystemTap's, or make no sense with a tool. -d is refused later,
// with what to type instead.
constexpr std::string_view letters_of_every_tool = "BIVcdfhklnopqv";

// Letters that BCC's tool of that name has, and the tool of lt does not. `instead` may be empty.
struct LettersOfBcc {
    std::string_view tool;
    std::string_view letters;
    std::string_view instead;
};
constexpr std::string_view with_units = "lt prints times with their units";
constexpr std::string_view by_top = "`--top N` prints the first N rows";
constexpr std::string_view by_folded = "`--folded` prints folded stacks";
constexpr std::array letters_of_bcc{
    LettersOfBcc{"argdist", "ct", ""},
    LettersOfBcc{"biolatency", "m", with_units},
    LettersOfBcc{"biotop", "r", by_top},
    LettersOfBcc{"bitesize", "c", ""},
    LettersOfBcc{"capable", "v", ""},
    LettersOfBcc{"cpudist", "I", ""},
    LettersOfBcc{"cpudist", "m", with_units},
    LettersOfBcc{"drsnoop", "nt", ""},
    LettersOfBcc{"execsnoop", "lq", ""},
    LettersOfBcc{"filetop", "r", by_top},
    LettersOfBcc{"filetop", "s", "`--sort COLUMN` sorts tables"},
    LettersOfBcc{"fsdist", "m", with_units},
    LettersOfBcc{"fsslower", "c", ""},
    LettersOfBcc{"funclatency", "kl", ""},
    LettersOfBcc{"funclatency", "mu", with_units},
    LettersOfBcc{"funcslower", "f", by_folded},
    LettersOfBcc{"klockstat", "c", ""},
    LettersOfBcc{"klockstat", "n", by_top},
    LettersOfBcc{"memleak", "T", by_top},
    LettersOfBcc{"offcputime", "f", by_folded},
    LettersOfBcc{"offwaketime", "f", by_folded},
    LettersOfBcc{"opensnoop", "f", ""},
    LettersOfBcc{"profile", "c", ""},
    LettersOfBcc{"profile", "f", by_folded},
    LettersOfBcc{"runqlat", "m", with_units},
    LettersOfBcc{"shmsnoop", "nt", ""},
    LettersOfBcc{"solisten", "n", ""},
    LettersOfBcc{"stackcount", "cv", ""},
    LettersOfBcc{"stackcount", "f", by_folded},
    LettersOfBcc{"syscount", "T", by_top},
    LettersOfBcc{"syscount", "l", ""},
    LettersOfBcc{"syscount", "m", with_units},
    LettersOfBcc{"tcpretrans", "l", ""},
    LettersOfBcc{"tcprtt", "m", with_units},
    LettersOfBcc{"trace", "Bf", ""},
    LettersOfBcc{"wakeuptime", "f", by_folded},
    LettersOfBcc{"wakeuptime", "v", ""},
};

const LettersOfBcc* row_of_bcc(std::string_view tool, char letter) {
    const auto row = std::ranges::find_if(letters_of_bcc, [&](const LettersOfBcc& each) {
        return each.tool == tool && each.letters.find(letter) != each.letters.npos;
    });
    return row == letters_of_bcc.end() ? nullptr : &*row;
}

// The tool's own option of the same letter, small instead of large or the reverse; empty if it has none.
std::string near_letter(char letter, std::span<const ScriptParam> params) {
    const auto byte = static_cast<unsigned char>(letter);
    const std::string other(1, static_cast<char>(std::isupper(byte) != 0 ? std::tolower(byte) : std::toupper(byte)));
    const auto near = std::ranges::find(params, other, &ScriptParam::short_name);
    return near == params.end() ? "" : "-" + other;
}

std::string instead_of(std::string_view tool, char letter, std::span<const ScriptParam> params) {
    const LettersOfBcc* row = row_of_bcc(tool, letter);
    if (row && !row->instead.empty()) return std::string(row->instead);
    const std::string near = near_letter(letter, params);
    if (!near.empty()) return did_you_mean(std::array{near});
    if (row || (letter != 't' && letter != 'T')) return "";
    return "`--timestamps` prints the time of day before each line";
}

// lt's option of that letter by its long name; empty if it is SystemTap's.
std::string long_name(char letter) {
    if (letter != 't' && letters_of_every_tool.find(letter) == std::string_view::npos) return "";
    const OptionRow* row = option_named(std::string{'-', letter});
    for (const std::string_view name : row ? split(row->names, ',') : std::vector<std::string_view>{})
        if (name.starts_with("--")) return fmt::format("lt's -{} is {}", letter, name);
    return "";
}

Error no_option(std::string_view tool, char letter, std::span<const ScriptParam> params) {
    std::string hint;
    for (const std::string& part : {instead_of(tool, letter, params), long_name(letter)})
        if (!part.empty()) hint += part + (part.ends_with('?') ? " " : "; ");
    return {fmt::format("{} has no option -{}", tool, letter),
            fmt::format("{}`lt {} --help` lists its options", hint, tool), 0};
}

}  // namespace

Status letters_fit_tool(std::string_view tool, std::span<const std::string> words,
                        std::span<const ScriptParam> params) {
    bool is_value = false;  // of an option of the tool
    for (const std::string& word : words) {
        if (std::exchange(is_value, false)) continue;
        const auto takes = [&](const ScriptParam& p) { return !p.is_flag && word == "--" + p.name; };
        is_value = std::ranges::any_of(params, takes);
        if (word.size() < 2 || word[0] != '-' || std::isalpha(static_cast<unsigned char>(word[1])) == 0) continue;
        for (const char letter : std::string_view(word).substr(1)) {
            if (letters_of_every_tool.find(letter) == std::string_view::npos || row_of_bcc(tool, letter))
                return no_option(tool, letter, params);
            const OptionRow* row = option_named(std::string{'-', letter});
            if (row == nullptr || !row->argument.empty()) break;  // the rest is its value; -qv is -q -v
        }
    }
    return Done{};
}

}  // namespace lt
