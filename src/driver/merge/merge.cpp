#include "driver/merge/merge.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/text.h"
#include "driver/cli/failure.h"
#include "driver/cli/output.h"
#include "driver/merge/file_request.h"
#include "driver/merge/run_file.h"
#include "driver/merge/total.h"

namespace lt {
namespace {

struct MergeRequest {
    FileRequest given;
    bool by_host = false, by_file = false, only_outliers = false;
    HostView hosts;
};

Result<bool> take_own(OptionWord& word, MergeRequest& out) {
    if (word.name == "--by-host") return out.by_host = true;
    if (word.name == "--by-file") return out.by_host = out.by_file = true;
    if (word.name == "--outliers") return out.only_outliers = true;
    if (word.name != "--hosts") return false;
    const std::string value(word.value().value_or(""));
    out.hosts.most = parse_number<size_t>(value).value_or(0);
    if (out.hosts.most == 0)
        return Error{fmt::format("`{}` is not a number of hosts", value), "for example `--hosts 20`", 0};
    return true;
}

Result<MergeRequest> read_merge_request(int argc, const char* const* argv) {
    MergeRequest out;
    Result<FileRequest> given = read_file_request({argv, static_cast<size_t>(argc)}, true,
                                                  [&](OptionWord& word) { return take_own(word, out); });
    if (!given) return given.error();
    out.given = *std::move(given);
    if (out.given.files.empty()) return Error{"merge takes files", "for example `lt merge web1.json web2.json`", 0};
    return out;
}

Status merge_files(const MergeRequest& request, Output& output) {
    Total total(request.by_host || request.only_outliers, request.by_file);
    const std::vector<std::string> titles = file_titles(request.given.files);
    for (size_t i = 0; i < titles.size(); i++) {
        Result<RunFile> file = read_run_file(request.given.files[i]);
        if (!file) return file.error();
        file->title = titles[i];
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

}  // namespace

int merge_runs(int argc, const char* const* argv) {
    const Result<MergeRequest> request = read_merge_request(argc, argv);
    if (!request) return misuse(request.error());
    const Result<std::unique_ptr<Output>> output = Output::open(request->given.output);
    if (!output) return misuse(output.error());
    const Status merged = merge_files(*request, **output);
    return merged ? 0 : failure(merged.error());
}

}  // namespace lt
