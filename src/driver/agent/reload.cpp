// Reloads one script after another. What can take long is done in the background: reading files, compiling, attaching
// and detaching.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "driver/agent/agent.h"
#include "driver/cli/failure.h"
#include "driver/cli/notify.h"
#include "driver/metrics/names.h"
#include "driver/metrics/series.h"
#include "driver/target/chosen_kernel.h"
#include "runtime/bpf/program.h"
#include "runtime/os/timestamps.h"

namespace lt::agent {

struct Agent::Found {
    std::optional<Error> failure = {};
    std::vector<FoundFile> files = {};
    std::unique_ptr<Kernel> kernel = {};
};

Agent::Found Agent::find_files() const {
    const Result<std::vector<std::string>> paths = script_files(options_.words);
    if (!paths) return {paths.error()};
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(command_);
    if (!kernel) return {kernel.error()};
    Found out{{}, {}, *std::move(kernel)};
    for (const std::string& path : *paths) out.files.push_back({path, read_file(path, command_)});
    return out;
}

void Agent::begin_reload() {
    notify_service(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_now() / 1000));
    measures_ = static_cast<bool>(bpf::measure_runs());
    reload_failed_ = false;
    reloaded_.clear();
    reload_.emplace();
    const auto found = std::make_shared<Found>();
    background_->add([this, found] { *found = find_files(); }, [this, found] { take_files(*found); });
}

void Agent::take_files(Found& found) {
    if (!found.failure) {
        kernel_ = std::move(found.kernel);
        for (FoundFile& each : found.files) {
            if (!each.file && each.file.error().code == ENOENT) continue;
            reloaded_.insert(script_word(each.path));
            reload_->push_back(std::move(each));
        }
    } else {
        failure(*found.failure);
        reload_failed_ = true;
        for (const auto& [word, runner] : runners_) reloaded_.insert(word);
    }
    reload_next();
}

// A script that cannot be started leaves the old one running.
void Agent::reload_next() {
    while (!reload_->empty()) {
        if (is_over()) return;
        FoundFile each = std::move(reload_->front());
        reload_->pop_front();
        Result<std::unique_ptr<Candidate>> next = candidate(each.path, std::move(each.file));
        if (!next) not_reloaded(each.path, next.error());
        if (!next || !*next) continue;
        const std::shared_ptr<Candidate> started = *std::move(next);
        return background_->add([started] { started->start(); },
                                [this, started] {
                                    if (started->script) return replace(started->script);
                                    not_reloaded(started->path, {});
                                    reload_next();
                                });
    }
    end_reload();
}

void Agent::not_reloaded(const std::string& path, const Error& why) {
    failure(why);
    fmt::print(stderr, "lt: {} is not reloaded\n", path);
    reload_failed_ = true;
}

// The counters of the old script do not go back, nor do those about it.
void Agent::replace(const std::shared_ptr<Script>& script) {
    if (const Status possible = can_join(*script); !possible) {
        not_reloaded(script->path(), possible.error());
        background_->add([script] { script->end(Script::State::exited); }, [this] { reload_next(); });
        return;
    }
    const auto place = runners_.find(script->word());
    if (place == runners_.end()) {
        join(script);
        return reload_next();
    }
    const std::shared_ptr<Script> old = place->second.script;
    old->begin_end(Script::State::exited);
    background_->add([script, old] { script->replace(*old); },
                     [this, script, old] {
                         old->finish_end();
                         export_late(*old);
                         script->inherit(*old);
                         Runner& runner = runners_[script->word()];
                         std::vector<Family> facts = script_facts(*old, {});
                         abandon_open_spans(facts);
                         for (Family& family : facts) {
                             const auto before = std::ranges::find(runner.facts_before, family.name, &Family::name);
                             if (before != runner.facts_before.end()) add_family(family, *before);
                         }
                         runner.facts_before = std::move(facts);
                         join(script);
                         reload_next();
                     });
}

// Scripts whose files are gone end.
void Agent::end_reload() {
    for (auto& [word, runner] : runners_) {
        if (reloaded_.contains(word)) continue;
        runner.script->begin_end(Script::State::exited);
        background_->add([script = runner.script] { script->detach(); },
                         [this, script = runner.script] {
                             script->finish_end();
                             export_late(*script);
                             budget_.forget(script->word());
                             runners_.erase(script->word());
                         });
    }
    background_->add([] {}, [this] { finish_reload(); });
}

void Agent::finish_reload() {
    reload_.reset();
    kernel_.reset();
    (reload_failed_ ? facts_.failed_reloads : facts_.reloads)++;
    facts_.last_reload_failed = reload_failed_;
    if (!reload_failed_) facts_.loaded = std::chrono::system_clock::now();
    notify_service(fmt::format("READY=1\nSTATUS={}{}", plural(runners_.size(), "script"),
                               reload_failed_ ? ", the last reload failed" : ""));
    if (!options_.quiet) fmt::print(stderr, "lt: {}\n", reload_failed_ ? "the reload failed" : "reloaded");
    if (std::exchange(reloads_again_, false)) begin_reload();
}

}  // namespace lt::agent
