#include "driver/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "driver/cli/output.h"
#include "driver/merge/run_file.h"
#include "driver/merge/total.h"

namespace lt {
namespace {

struct MergeRequest {
    Command output;  // the options about output
    bool by_host = false;
    std::vector<std::string> files;
};

// The options of lt that merge takes, too.
struct MergeOption {
    std::string_view word, letter;
    Option option;
    bool has_value;
};
constexpr std::array merge_options{
    MergeOption{"--format", "-f", Option::format, true}, MergeOption{"--output", "-o", Option::output, true},
    MergeOption{"--sort", "", Option::sort, true},       MergeOption{"--columns", "", Option::columns, true},
    MergeOption{"--top", "", Option::top, true},         MergeOption{"--histograms", "", Option::histograms, false},
};

Result<MergeRequest> read_merge_request(int argc, const char* const* argv) {
    MergeRequest out;
    bool only_files = false;
    for (int i = 1; i < argc; i++) {
        const std::string_view word = argv[i];
        if (only_files || !word.starts_with('-')) {
            out.files.emplace_back(word);
            continue;
        }
        only_files = word == "--";
        if (word == "--by-host") out.by_host = true;
        if (only_files || word == "--by-host") continue;
        const size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const auto* const row = std::ranges::find_if(merge_options, [&](const MergeOption& o) {
            return name == o.word || (!o.letter.empty() && name == o.letter);
        });
        if (row == merge_options.end())
            return Error{fmt::format("merge has no option `{}`", name), "`lt merge --help` lists them", 0};
        if (row->has_value && equals == word.npos && i + 1 == argc)
            return Error{fmt::format("{} needs a value", name), "", 0};
        if (!row->has_value)
            out.output.options[row->option] = "true";
        else
            out.output.options[row->option] = equals == word.npos ? argv[++i] : std::string(word.substr(equals + 1));
    }
    if (out.files.empty()) return Error{"merge takes files", "for example `lt merge web1.json web2.json`", 0};
    std::set<std::string> different;
    for (const std::string& file : out.files)
        if (!different.insert(file).second) return Error{fmt::format("{} is given twice", file), "", 0};
    return out;
}

Status merge_files(const MergeRequest& request, Output& output) {
    Total total(request.by_host);
    for (const std::string& path : request.files) {
        const Result<RunFile> file = read_run_file(path);
        if (!file) return file.error();
        if (Status added = total.add(*file); !added) return added;
    }
    if (Status begun = output.begin(Plan{}); !begun) return begun;
    total.print(output.printer(), stderr);
    return output.finish();
}

int merge_failed(const Error& error, int status) {
    Diags diags;
    diags.error({}, error.what).hint = error.hint;
    fmt::print(stderr, "{}", draw({}, diags.all().front(), false));
    return status;
}

}  // namespace

int merge_runs(int argc, const char* const* argv) {
    const Result<MergeRequest> request = read_merge_request(argc, argv);
    if (!request) return merge_failed(request.error(), 2);
    const Result<std::unique_ptr<Output>> output = Output::open(request->output);
    if (!output) return merge_failed(output.error(), 2);
    const Status merged = merge_files(*request, **output);
    return merged ? 0 : merge_failed(merged.error(), 1);
}

}  // namespace lt
