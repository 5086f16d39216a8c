#include "driver/merge/file_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace lt {
namespace {

// The options of lt that these verbs take, too.
struct FileOption {
    std::string_view word, letter;
    Option option;
    bool has_value, of_tables;
};
constexpr std::array file_options{
    FileOption{"--format", "-f", Option::format, true, false},
    FileOption{"--output", "-o", Option::output, true, false},
    FileOption{"--html", "", Option::html, true, false},
    FileOption{"--sort", "", Option::sort, true, true},
    FileOption{"--columns", "", Option::columns, true, true},
    FileOption{"--top", "", Option::top, true, true},
    FileOption{"--hist", "", Option::histograms, false, true},
    FileOption{"--histograms", "", Option::histograms, false, true},  // its name in earlier releases
};

Status take_output_option(std::string_view verb, bool has_tables, OptionWord& word, Command& out) {
    const auto* const row = std::ranges::find_if(file_options, [&](const FileOption& o) {
        return word.name == o.word || (!o.letter.empty() && word.name == o.letter);
    });
    if (row == file_options.end() || (row->of_tables && !has_tables))
        return Error{fmt::format("{} has no option `{}`", verb, word.name),
                     fmt::format("`lt {} --help` lists them", verb), 0};
    if (!row->has_value) {
        out.options[row->option] = "true";
        return Done{};
    }
    const std::optional<std::string_view> value = word.value();
    if (!value) return Error{fmt::format("{} needs a value", word.name), "", 0};
    out.options[row->option] = std::string(*value);
    return Done{};
}

}  // namespace

Result<FileRequest> read_file_request(std::span<const char* const> words, bool has_tables,
                                      const std::function<Result<bool>(OptionWord&)>& takes_own) {
    FileRequest out;
    out.output.tool = words[0];
    bool only_files = false;
    for (size_t i = 1; i < words.size(); i++) {
        const std::string_view word = words[i];
        if (only_files || !word.starts_with('-')) {
            out.files.emplace_back(word);
            continue;
        }
        only_files = word == "--";
        if (only_files) continue;
        const bool is_letter = !word.starts_with("--");  // whose value may follow at once: -fjson
        const size_t equals = word.find('=');
        OptionWord option{word.substr(0, is_letter ? 2 : equals), [&]() -> std::optional<std::string_view> {
                              if (is_letter && word.size() > 2) return word.substr(equals == 2 ? 3 : 2);
                              if (!is_letter && equals != word.npos) return word.substr(equals + 1);
                              if (i + 1 < words.size()) return words[++i];
                              return {};
                          }};
        const Result<bool> is_own = takes_own(option);
        if (!is_own) return is_own.error();
        if (*is_own) continue;
        if (Status taken = take_output_option(words[0], has_tables, option, out.output); !taken) return taken.error();
    }
    std::set<std::string> different;
    for (const std::string& file : out.files)
        if (!different.insert(file).second) return Error{fmt::format("{} is given twice", file), "", 0};
    return out;
}

}  // namespace lt
