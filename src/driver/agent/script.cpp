#include "driver/agent/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/rows.h"
#include "driver/agent/accept.h"
#include "driver/agent/late_program.h"
#include "driver/metrics/names.h"
#include "driver/pipeline/plan_compiler.h"
#include "driver/run/plan_fitter.h"
#include "driver/run/work.h"

namespace lt::agent {
namespace {

// The printed output of a run, which is its maps: they are metrics already.
class Discarded final : public Sink {
  public:
    void write(std::string_view) override {}
    void flush() override {}
};

// The cost of a plan that was not compiled for sampling can only be limited by detaching.
Command for_saved(Command command) {
    command.options.erase(Option::max_overhead);
    return command;
}

Family* find_family(std::vector<Family>& families, const std::string& name) {
    return find_row(families, name, &Family::name);
}

// A counter never goes back: what was seen once is kept where the end of the script has cleared its maps.
void keep_seen(std::vector<Family>& now, const std::vector<Family>& before) {
    for (const Family& old : before)
        if (Family* family = find_family(now, old.name); family && family->type != MetricType::gauge)
            keep_greater(*family, old);
}

}  // namespace

std::string_view state_name(Script::State state) {
    constexpr auto names = std::to_array<std::string_view>({"running", "exited", "failed", "over_budget"});
    static_assert(names.size() == static_cast<size_t>(Script::State::over_budget) + 1);
    return names[static_cast<size_t>(state)];
}

std::unique_ptr<Script> Script::start(const std::string& path, ReadFile file, Command command, const Shared& shared,
                                      const ScriptSettings& settings) {
    const bool is_fixed = file.saved && !file.saved->sampled;
    std::unique_ptr<Script> script(
        new Script(path, is_fixed ? for_saved(std::move(command)) : std::move(command), settings));
    script->word_ = script_word(path);
    script->bytes_ = std::move(file.bytes);
    script->sink_ = std::make_unique<Discarded>();
    Shared own = shared;
    own.sink = script->sink_.get();
    own.alone = false;
    own.accepts = [&own_script = *script](Job& job) { return own_script.accepts(job); };
    if (settings.late) script->receive_late(own);
    std::unique_ptr<PlanMaker> maker = script->maker(file);
    script->job_ = std::make_unique<Job>(script->command_, std::move(file.source), std::move(maker), own);
    if (!lt::start(*script->job_)) return nullptr;
    return script;
}

void Script::receive_late(Shared& shared) {
    printer_ = text_printer(*sink_);
    late_ = std::make_unique<LateCalls>(*printer_, path_, metrics_, settings_.traced, settings_.most_series);
    shared.printer = late_.get();
}

std::unique_ptr<PlanMaker> Script::maker(ReadFile& file) {
    if (file.saved) return std::make_unique<PlanFitter>(*std::move(file.saved), nullptr);
    return std::make_unique<PlanCompiler>([this](ast::Program& program) {
        has_spans_ = agent::has_spans(program);
        if (settings_.late) report_late_calls(program, *settings_.late);
    });
}

bool Script::runs(std::string_view bytes) const {
    const auto is_library = [](const Source::Part& part) { return part.is_library; };
    return !remains_ && bytes == bytes_ && std::ranges::all_of(job_->source.parts, is_library);
}

bool Script::is_measured() const { return job_->shared.overhead && job_->shared.overhead->enforced; }

// The names of labels are in the text, also for a saved plan.
bool Script::accepts(Job& job) {
    ast::Program read;
    const auto* compiler = dynamic_cast<const PlanCompiler*>(job.maker.get());
    if (!compiler) {
        Diags ignored;
        Source source = job.source;
        read = read_program(source, {}, ignored);
        if (ignored.has_errors()) read = {};
    }
    std::optional<std::vector<MapMetric>> metrics = accepted_metrics(job, compiler ? compiler->program() : read, word_);
    if (!metrics) return false;
    metrics_ = *std::move(metrics);
    return true;
}

std::optional<Script::State> Script::turn() {
    if (remains_) return {};
    const std::optional<Ended> how = job_->run->session().turn();
    if (!how) return {};
    return *how == Ended::failed ? State::failed : State::exited;
}

Script::Remains Script::remains() {
    Session& session = job_->run->session();
    Remains out;
    out.families = read();
    if (late_) out.late = late_->count();
    out.losses = session.losses();
    out.missed = session.missed();
    if (const auto accounts = session.accounts()) out.accounts = *accounts;
    if (const auto costs = session.costs()) out.costs = costs->probes;
    return out;
}

void Script::begin_end(State how) {
    if (remains_) return;
    remains_ = remains();
    ends_as_ = how;
}

void Script::detach() {
    if (std::exchange(is_detached_, true)) return;
    const bool by_itself = ends_as_ == State::exited;
    if (!lt::end(*job_, by_itself ? Ended::exit_called : Ended::interrupted)) ends_as_ = State::failed;
}

void Script::finish_end() {
    if (state_ != State::running) return;
    Remains last = remains();
    keep_seen(last.families, remains_->families);
    remains_ = std::move(last);
    state_ = ends_as_;
    job_->run->unload();
}

void Script::end(State how) {
    begin_end(how);
    detach();
    finish_end();
}

void Script::replace(Script& old) {
    if (!old.is_detached_)
        if (const Status paused = old.job_->run->session().pause(); !paused)
            fmt::print(stderr, "lt: {}\n", paused.error().what);
    for (const MapMetric& metric : metrics_)
        if (metric.adds_up) (void)job_->run->session().clear(metric.map);
    old.detach();
}

void Script::inherit(Script& old) {
    for (Family& family : old.families()) kept_.families[family.name] = std::move(family);
    kept_.limits = std::move(old.kept_.limits);
    kept_.since = old.kept_.since.value_or(old.started_);
}

std::vector<LateTrace> Script::take_late() {
    const bool is_ending = remains_ && state_ == State::running;
    return late_ && !is_ending ? late_->take() : std::vector<LateTrace>{};
}

std::optional<uint64_t> Script::late() const {
    if (remains_) return remains_->late;
    return late_ ? std::optional(late_->count()) : std::nullopt;
}

int64_t Script::since() const {
    return std::chrono::nanoseconds(kept_.since.value_or(started_).time_since_epoch()).count();
}

// Without the values of earlier runs.
std::vector<Family> Script::read() {
    std::vector<Family> out;
    for (const MapMetric& metric : metrics_) {
        Family family = metric.family;
        const Result<MapContent> content = job_->run->session().map(metric.map);
        if (!content) {
            failed_reads_++;
            continue;
        }
        family.series = series_of(metric, *content);
        if (late_) late_->add_exemplars(metric, family.series);
        if (content->sampled) sampled_[metric.map] = *content->sampled;
        out.push_back(std::move(family));
    }
    return out;
}

std::vector<Family> Script::whole() {
    std::vector<Family> out = remains_ ? remains_->families : read();
    for (const MapMetric& metric : metrics_) {
        Family* family = find_family(out, metric.family.name);
        const auto before = kept_.families.find(metric.family.name);
        if (family) family->since = since();
        if (family && metric.adds_up && before != kept_.families.end()) add_family(*family, before->second);
    }
    return out;
}

std::vector<Family> Script::families() {
    std::vector<Family> out = whole();
    for (const MapMetric& metric : metrics_) {
        Family* family = find_family(out, metric.family.name);
        if (family)
            kept_.limits.try_emplace(family->name, settings_.most_series).first->second.apply(*family, metric.adds_up);
    }
    return out;
}

size_t Script::over_limit(const MapMetric& metric) const {
    const auto found = kept_.limits.find(metric.family.name);
    return found == kept_.limits.end() ? 0 : found->second.over();
}

std::vector<Loss> Script::losses() const { return remains_ ? remains_->losses : job_->run->session().losses(); }

std::vector<Missed> Script::missed() const { return remains_ ? remains_->missed : job_->run->session().missed(); }

std::vector<Session::Account> Script::accounts() const {
    if (remains_) return remains_->accounts;
    const Result<std::vector<Session::Account>> accounts = job_->run->session().accounts();
    return accounts ? *accounts : std::vector<Session::Account>{};
}

std::vector<ProbeCost> Script::costs() const {
    if (remains_) return remains_->costs;
    const std::optional<TracingCost> costs = job_->run->session().costs();
    return costs ? costs->probes : std::vector<ProbeCost>{};
}

}  // namespace lt::agent
