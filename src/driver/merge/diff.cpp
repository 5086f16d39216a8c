#include "driver/merge/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/rows.h"
#include "base/text.h"
#include "driver/cli/failure.h"
#include "driver/cli/output.h"
#include "driver/merge/add_value.h"
#include "driver/merge/file_request.h"
#include "driver/merge/run_file.h"
#include "driver/merge/total.h"
#include "driver/report/compare.h"

namespace lt {
namespace {

struct RunSide {
    std::string name;  // the file's title
    RunFact run;
    Total total;
    std::vector<MapContent> maps;
};

Result<RunSide> read_side(const std::string& path, const std::string& title) {
    const Result<RunFile> file = read_run_file(path);
    if (!file) return file.error();
    RunSide side{title, file->run, Total(false, false, true), {}};
    if (Status added = side.total.add(*file); !added) return added.error();
    side.maps = side.total.contents(stderr);
    return side;
}

const MapContent* find(const RunSide& side, const std::string& name) {
    return find_row(side.maps, name, &MapContent::name);
}

// Also if it is not compared, which has been reported.
bool has_map(const RunSide& side, const std::string& name) {
    return std::ranges::find(side.run.maps, name, &ResultFact::name) != side.run.maps.end();
}

// Numbers that are not of all events must not look like those that are.
void report_sampled(const MapContent& map, const RunSide& side, Page* page) {
    if (!map.sampled) return;
    const std::string text =
        fmt::format("{} is sampled in {}, {} left out{}", map.name, side.name, plural(map.sampled->left_out, "event"),
                    map.sampled->detached ? ", and all since its probe was detached" : "");
    fmt::print(stderr, "lt: {}\n", text);
    if (page) page->notice(text);
}

void report_others(const RunSide& first, const RunSide& second) {
    const char* const differs = first.run.checksum != second.run.checksum     ? "scripts"
                                : first.run.arguments != second.run.arguments ? "arguments"
                                                                              : nullptr;
    if (differs) fmt::print(stderr, "lt: the two runs have different {}\n", differs);
}

// Stacks are a picture on the page, and not compared one by one.
void diff_map(const MapContent& before, const MapContent& after, const RunSide& first, const RunSide& second,
              Output& output) {
    if (before.value != after.value) {
        fmt::print(stderr, "lt: {} is not compared: its values have another type in {}\n", before.name, second.name);
        return;
    }
    Page* const page = output.page();
    report_sampled(before, first, page);
    report_sampled(after, second, page);
    const std::string heading = fmt::format("{}: {} beside {}", after.name, second.name, first.name);
    const bool adds_up = why_not_added(after.value).empty();
    if (page && adds_up && page->add_difference(before, after, heading, Page::After::alone)) return;
    const bool timed = first.run.seconds && second.run.seconds;
    const auto seconds = [&](const RunSide& side) { return timed ? side.run.seconds : std::nullopt; };
    compare({first.name, before, seconds(first)}, {second.name, after, seconds(second)}, output.printer());
}

Status diff_sides(const RunSide& first, const RunSide& second, Output& output) {
    bool any = false;
    report_others(first, second);
    for (const MapContent& before : first.maps) {
        const MapContent* const after = find(second, before.name);
        if (after) diff_map(before, *after, first, second, output);
        if (!has_map(second, before.name)) fmt::print(stderr, "lt: {} is only in {}\n", before.name, first.name);
        any = any || after;
    }
    for (const MapContent& after : second.maps)
        if (!has_map(first, after.name)) fmt::print(stderr, "lt: {} is only in {}\n", after.name, second.name);
    if (!any) return Error{"the two runs have no map in common", "compare two runs of one script", 0};
    for (const RunSide* side : {&first, &second}) side->total.print_unseen(output.printer(), stderr, side->name + ": ");
    return output.finish();
}

Status diff_files(const FileRequest& request, Output& output) {
    std::vector<RunSide> sides;
    const std::vector<std::string> titles = file_titles(request.files);
    for (size_t i = 0; i < titles.size(); i++) {
        Result<RunSide> side = read_side(request.files[i], titles[i]);
        if (!side) return side.error();
        sides.push_back(*std::move(side));
    }
    if (Status begun = output.begin(Plan{}); !begun) return begun;
    return diff_sides(sides[0], sides[1], output);
}

}  // namespace

int diff_runs(int argc, const char* const* argv) {
    const auto nothing = [](OptionWord&) { return Result<bool>(false); };
    const Result<FileRequest> request = read_file_request({argv, static_cast<size_t>(argc)}, false, nothing);
    if (!request) return misuse(request.error());
    if (request->files.size() != 2)
        return misuse({"diff takes two files", "for example `lt diff monday.json tuesday.json`", 0});
    const Result<std::unique_ptr<Output>> output = Output::open(request->output);
    if (!output) return misuse(output.error());
    const Status compared = diff_files(*request, **output);
    return compared ? 0 : failure(compared.error());
}

}  // namespace lt
