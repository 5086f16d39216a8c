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
#include "base/text.h"
#include "driver/cli/output.h"
#include "driver/merge/run_file.h"
#include "driver/merge/total.h"

namespace lt {
namespace {

struct MergeRequest {
    Command output;  // the options about output
    bool by_host = false, by_file = false, only_outliers = false;
    HostView hosts;
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

bool take_flag(std::string_view word, MergeRequest& out) {
    if (word == "--by-host") return out.by_host = true;
    if (word == "--by-file") return out.by_host = out.by_file = true;
    if (word == "--outliers") return out.only_outliers = true;
    return false;
}

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
        if (only_files || take_flag(word, out)) continue;
        const size_t equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        if (name == "--hosts") {
            const std::string_view value = equals != word.npos ? word.substr(equals + 1)
                                           : i + 1 < argc      ? argv[++i]
                                                               : "";
            out.hosts.most = parse_number<size_t>(value).value_or(0);
            if (out.hosts.most == 0)
                return Error{fmt::format("`{}` is not a number of hosts", value), "for example `--hosts 20`", 0};
            continue;
        }
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
    Total total(request.by_host || request.only_outliers, request.by_file);
    for (const std::string& path : request.files) {
        const Result<RunFile> file = read_run_file(path);
        if (!file) return file.error();
        if (Status added = total.add(*file); !added) return added;
    }
    if (Status begun = output.begin(Plan{}); !begun) return begun;
    HostView hosts = request.hosts;
    hosts.maps = request.by_host;
    hosts.text = !output.is_json();
    hosts.table = output.view();
    total.print(output.printer(), stderr, hosts);
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
