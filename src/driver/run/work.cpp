#include "driver/run/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_text.h"
#include "base/text.h"
#include "base/visible.h"
#include "driver/report/report.h"

namespace lt {
namespace {

// The first such line in the text; an empty span for an empty line.
Span span_of_line(std::string_view text, std::string_view line) {
    const size_t at = line.empty() ? text.npos : text.find(line);
    if (at == text.npos) return {};
    return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + line.size())};
}

// The verifier's log is only printed on request.
bool refuse_load(Job& job, const Error& e) {
    const size_t log = e.hint.find('\n');
    const bool shorter = log != std::string::npos && !job.command.has(Option::verbose);
    std::string hint = shorter ? e.hint.substr(0, log) + "; -v shows the verifier's log" : e.hint;
    // lt cannot prove what the script's own C does
    if (log != std::string::npos && job.has_c && hint.starts_with("this is a bug in lt"))
        hint = "the verifier must see that each index and size in the script's C stays in bounds" +
               hint.substr(hint.find(shorter ? ';' : '\n', shorter ? log : 0));
    job.diags.error(span_of_line(job.source.text, e.line), e.what).hint = std::move(hint);
    return false;
}

// Only trying shows what a kernel allows: the refused ways are ruled out, and another plan is made without them.
bool make_plan_again(Job& job, const std::vector<Refusal>& refusals) {
    std::vector<RuledOut> ruled_out;
    for (const Refusal& r : refusals) {
        const PlannedProbe& probe = job.plan.probes[r.probe];
        const auto rung = std::ranges::find(probe.rungs, r.way, &Rung::way);
        if (rung == probe.rungs.end() || rung->attachments.empty() || is_last(job.plan, r)) {
            job.diags.error(probe.span, fmt::format("cannot attach {}: {}", probe.text, r.why));
            return false;
        }
        ruled_out.push_back({subject(rung->attachments.front()), r.way, r.why});
    }
    job.run->unload();
    return job.maker->make_again(job, ruled_out);
}

// Both try the next way, if there is one, when the kernel refuses this one.
bool load(Job& job) {
    for (;;) {
        draw_diags(job);
        const Result<std::vector<Refusal>> refused = job.run->load(job.plan, job.stages.last());
        if (!refused) return refuse_load(job, refused.error());
        if (refused->empty()) return true;
        if (!make_plan_again(job, *refused)) return false;
    }
}

bool attach(Job& job) {
    for (;;) {
        const Result<std::vector<Refusal>> refused = job.run->attach();
        if (!refused) return refuse(job, refused.error());
        if (refused->empty()) return true;
        if (!make_plan_again(job, *refused) || !load(job)) return false;
    }
}

bool collect(Job& job) {
    const bool fine = all_right(job, job.run->collect());
    draw_diags(job);
    return fine;
}

// --emit-elf
bool write_object(Job& job) {
    if (!job.command.has(Option::emit_elf)) return true;
    const auto& object = job.plan.object;
    if (object.empty())
        return refuse(job,
                      {fmt::format("there is no object after the stage `{}`", stage_name(job.stages.last())), "", 0});
    const Status written =
        write_file(job.command.text(Option::emit_elf), {reinterpret_cast<const char*>(object.data()), object.size()});
    return all_right(job, written);
}

bool is_accepted(Job& job) { return !job.shared.accepts || job.shared.accepts(job); }

// Runs the stages up to the one requested; `last` if the command line does not say.
bool do_stages(Job& job, Stage last) {
    const auto pass = [&](Stage stage, bool (*work)(Job&)) {
        return job.stages.pass(stage, planned_places(job.plan), [&] { return work(job); });
    };
    const bool fine = read_settings(job, last) && job.maker->make(job) && is_accepted(job) && pass(Stage::load, load) &&
                      pass(Stage::attach, attach) && pass(Stage::run, collect) && write_object(job) &&
                      job.maker->save(job);
    draw_diags(job);
    return fine;
}

}  // namespace

int run(Job& job) {
    const bool fine = do_stages(job, job.command.has(Option::dry_run) ? Stage::attach : Stage::run);
    if (job.command.has(Option::time)) print_times(job.stages.timings());
    return fine ? job.run->exit_status() : 1;
}

int check(Job& job) {
    if (!do_stages(job, job.maker->fits_saved() ? Stage::load : Stage::emit)) return 1;
    const Plan& plan = job.plan;
    fmt::print("{}: {}\n", job.maker->fits_saved() ? job.command.file : job.source.name,
               plural(own_probes(plan), "probe"));
    for (const PlannedProbe& probe : plan.probes) {
        if (probe.internal) continue;
        const auto open = std::ranges::find_if(probe.rungs, [](const Rung& r) { return r.refused.empty(); });
        fmt::print("    {} by {}\n", visible(probe.text), open == probe.rungs.end() ? "no way" : way_name(open->way));
    }
    return 0;
}

bool start(Job& job) { return do_stages(job, Stage::attach); }

bool end(Job& job, Ended how) {
    const bool fine = all_right(job, job.run->end(how));
    draw_diags(job);
    return fine;
}

int help(Job& job) { return job.maker->print_help(job); }

int list(Job& job) {
    std::vector<std::string> places;
    const bool found = read_settings(job, Stage::run) && job.maker->find_places(job, places);
    bool fine = true;
    for (const std::string& place : places) {
        fmt::print("{}\n", visible(place));
        fine = fine && (!job.command.has(Option::verbose) || job.maker->describe(job, place));
    }
    draw_diags(job);
    return found && fine ? 0 : 1;
}

}  // namespace lt
