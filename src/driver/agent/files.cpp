#include "driver/agent/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "driver/metrics/names.h"
#include "driver/pipeline/script.h"
#include "driver/run/saved.h"

namespace lt::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> endings{".lt", ".bt", ".stp", ".plan"};

// `not_found` if there is nothing of that name; an Error if that is not known.
Result<fs::file_type> type_of_file(const std::string& path) {
    std::error_code failed;
    const fs::file_type type = fs::status(path, failed).type();
    if (failed && type != fs::file_type::not_found) return system_error("cannot read " + path, failed.value());
    return type;
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
    std::vector<std::string> out;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
        const std::string path = entry->path().string();
        if (std::ranges::find(endings, entry->path().extension().string()) == endings.end()) continue;
        const Result<fs::file_type> type = type_of_file(path);
        if (!type) return type.error();
        if (*type == fs::file_type::regular) out.push_back(path);
    }
    if (failed) return system_error("cannot read " + folder, failed.value());
    std::ranges::sort(out);
    return out;
}

}  // namespace

Result<std::vector<std::string>> script_files(std::span<const std::string> words) {
    std::vector<std::string> out;
    for (const std::string& word : words) {
        const Result<fs::file_type> type = type_of_file(word);
        if (!type) return type.error();
        if (*type != fs::file_type::directory) {
            out.push_back(word);
            continue;
        }
        const Result<std::vector<std::string>> files = files_in(word);
        if (!files) return files.error();
        out.insert(out.end(), files->begin(), files->end());
    }
    for (size_t i = 0; i < out.size(); i++)
        for (size_t k = 0; k < i; k++)
            if (script_word(out[i]) == script_word(out[k]))
                return Error{fmt::format("{} and {} would have the same names of metrics, lt_{}_...", out[k], out[i],
                                         script_word(out[i])),
                             "rename one of them", 0};
    return out;
}

Result<ReadFile> read_file(const std::string& path, const Command& command) {
    Command own = command;
    own.file = path;
    Result<Source> source = read_source(own);
    if (!source) return source.error();
    std::string bytes = source->text;
    const std::string_view plan = plan_within(bytes);
    if (!is_saved_plan(plan)) return ReadFile{*std::move(source), {}, std::move(bytes)};
    Result<SavedPlan> saved = read_plan({source->name, std::string(plan)});
    if (!saved) return saved.error();
    Source script = saved->source;
    return ReadFile{std::move(script), *std::move(saved), std::move(bytes)};
}

}  // namespace lt::agent
