#include "driver/run/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/rows.h"
#include "base/text.h"
#include "base/visible.h"
#include "driver/cli/progress.h"

namespace lt {

struct DumpRow {
    std::string_view name;
    Stage stage;
};

namespace {

enum class From : uint8_t { script, plan, both };
struct StageRow {
    std::string_view name;
    Stage stage;
    From from;               // what is run
    std::string_view doing;  // shown on a terminal if the stage takes long
};
constexpr std::array stages{
    StageRow{"parse", Stage::parse, From::script, "reading the script"},
    StageRow{"resolve", Stage::resolve, From::script, "finding the probes' locations"},
    StageRow{"check", Stage::check, From::script, "checking the script"},
    StageRow{"lower", Stage::lower, From::script, "compiling"},
    StageRow{"emit", Stage::emit, From::script, "compiling"},
    StageRow{"fit", Stage::fit, From::plan, "checking whether the plan fits"},
    StageRow{"load", Stage::load, From::both, "loading"},
    StageRow{"attach", Stage::attach, From::both, "attaching {} locations"},
    StageRow{"run", Stage::run, From::both, ""},
};

static_assert(in_enum_order(stages, &StageRow::stage, static_cast<size_t>(Stage::run) + 1));

constexpr std::array dump_rows{
    DumpRow{"ast", Stage::parse}, DumpRow{"typed", Stage::check}, DumpRow{"ir", Stage::lower},
    DumpRow{"llvm", Stage::emit}, DumpRow{"bpf", Stage::emit},    DumpRow{"plan", Stage::emit},
};

bool is_passed(const StageRow& stage, bool saved) {
    return stage.from == From::both || stage.from == (saved ? From::plan : From::script);
}

std::string use_a_dump() {
    std::vector<std::string> names;
    for (const DumpRow& r : dump_rows) names.emplace_back(r.name);
    return use_one(names);
}

std::string use_a_stage(bool saved) {
    std::vector<std::string> names;
    for (const StageRow& r : stages)
        if (is_passed(r, saved)) names.emplace_back(r.name);
    return use_one(names);
}

}  // namespace

std::string_view stage_name(Stage stage) { return stages[static_cast<size_t>(stage)].name; }

Status Stages::choose(const Command& command, bool saved) {
    Stage last_dump = Stage::parse;
    for (const std::string& name : command.list(Option::dump)) {
        const DumpRow* row = find_row(dump_rows, name, &DumpRow::name);
        if (!row) return Error{fmt::format("`{}` cannot be dumped", name), use_a_dump(), 0};
        if (saved && row->name != "plan")
            return Error{fmt::format("a saved plan has no {}", name), "`--dump plan` shows what it has", 0};
        dumps_.push_back(row);
        last_ = last_dump = std::max(last_dump, saved ? Stage::fit : row->stage);
    }
    if (!command.has(Option::stop_after)) return Done{};
    const std::string name = command.text(Option::stop_after);
    const StageRow* row = find_row(stages, name, &StageRow::name);
    if (!row || !is_passed(*row, saved)) return Error{fmt::format("`{}` is not a stage", name), use_a_stage(saved), 0};
    last_ = row->stage;
    return Done{};
}

bool Stages::dumps(std::string_view name) const {
    return std::ranges::any_of(dumps_, [&](const DumpRow* row) { return row->name == name; });
}

bool Stages::pass(Stage stage, size_t places, const std::function<bool()>& work, const Dumped& dumped) {
    if (stage > last_) return true;
    const StageRow& row = stages[static_cast<size_t>(stage)];
    const std::string doing = fmt::format(fmt::runtime(row.doing), places);
    const auto start = std::chrono::steady_clock::now();
    const bool fine = [&] {
        const Progress progress(shows_progress_ ? doing : "", stage == Stage::attach ? waiting_ : nullptr);
        return work();
    }();
    const auto spent = std::chrono::steady_clock::now() - start;
    if (!timings_.empty() && timings_.back().stage == row.name)
        timings_.back().spent += spent;
    else
        timings_.push_back({row.name, spent});
    for (const DumpRow* each : dumps_)
        if (fine && (each->stage == stage || stage == Stage::fit))
            fmt::print("{}", visible(dumped(each->name), Keep::lines));
    return fine;
}

}  // namespace lt
