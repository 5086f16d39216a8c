#include "runtime/replay/recorded_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "runtime/border/time_accounts.h"
#include "runtime/replay/recorded_events.h"

namespace lt {
namespace {

constexpr std::string_view span_prefix = "lt_recorded_span_";
constexpr std::string_view no_files = "a recording holds no programs";

// Features of lt's interpreter, and the way in which the spans' functions are attached.
constexpr std::array offered_features{Feature::tracepoint, Feature::raw_tracepoint, Feature::kprobe,
                                      Feature::kretprobe,  Feature::ring_buffer,    Feature::task_storage,
                                      Feature::bpf_loop,   Feature::atomics,        Feature::map_walk,
                                      Feature::cpu_lookup, Feature::large_keys};

Error not_recorded() { return {std::string(no_files), "", 0}; }

class NoPrograms final : public Programs {
  public:
    Result<std::string> build(const std::string&) override { return not_recorded(); }
    Result<UserFunction> user_function(const std::string&, std::string_view) override { return not_recorded(); }
    Result<UserFunction> user_address(const std::string&, uint64_t) override { return not_recorded(); }
    Result<UserSymbol> user_symbol(const std::string&, std::string_view, uint64_t) override { return not_recorded(); }
    std::optional<bool> begins_instruction(const std::string&, uint64_t) override { return {}; }
    Result<FunctionEnds> function_ends(const UserFunction&, bool) override { return not_recorded(); }
    std::vector<std::string> user_functions(const std::string&, std::string_view) override { return {}; }
    std::vector<std::string> cpp_functions(const std::string&, std::string_view) override { return {}; }
    Result<std::vector<SourcePlace>> source_places(const std::string&, const SourceQuery&) override {
        return not_recorded();
    }
    const Result<ProgramScope>& program_scope(const UserFunction&) override { return no_scope_; }
    std::optional<ProgramVariable> program_global(const std::string&, uint64_t, const std::string&) override {
        return {};
    }
    std::optional<Type> program_type(const std::string&, uint64_t, std::string_view) override { return {}; }
    Result<std::vector<Marker>> markers(const std::string&) override { return not_recorded(); }

  private:
    const Result<ProgramScope> no_scope_ = not_recorded();
};

class NoMachine final : public Machine {
  public:
    bool renumbers_processes() const override { return false; }
    Result<std::string> binary(std::string_view) override { return not_recorded(); }
    std::vector<std::string> binaries(const std::string&) override { return {}; }
    std::vector<std::string> mapped_files(int) override { return {}; }
    Result<uint64_t> cgroup(const std::string&) override { return Error{"a recording holds no control groups", "", 0}; }
    Result<std::string> event_source(const std::string&) override {
        return Error{"a recording holds no counters", "", 0};
    }
    std::vector<std::string> source_events() override { return {}; }
    Asked asked() const override { return {}; }
};

// Its session keeps the accounts of threads (replay_session.cpp).
class RecordedKernel final : public Kernel, public TimeAccounts {
  public:
    explicit RecordedKernel(const Recording& recording) : recording_(recording) {}

    Programs& programs() override { return programs_; }
    Machine& machine() override { return machine_; }
    Answer can(Feature feature) override {
        if (std::ranges::find(offered_features, feature) != offered_features.end()) return {true, ""};
        return {false, "a recording does not offer it"};
    }
    std::string release() override { return recording_.kernel; }
    bool runs() const override { return false; }

    std::optional<KernelFunction> function(std::string_view name, std::string_view) override {
        const auto span = span_of_function(name);
        if (!span || *span >= recording_.spans.size()) return {};
        return KernelFunction{std::string(name), "", false, {}, {}};
    }
    std::vector<std::string> functions(std::string_view, std::string_view) override { return {}; }
    std::optional<bool> traceable(std::string_view) override { return true; }
    bool ambiguous(std::string_view) override { return false; }
    bool blacklisted(std::string_view) override { return false; }

    std::optional<Type> type(std::string_view name) override {
        const auto own = declared_.types.find(name);
        return own == declared_.types.end() ? std::nullopt : std::optional(own->second);
    }
    std::vector<std::string> types(std::string_view) override { return {}; }
    const std::vector<Member>& members(const Type& structure) override {
        static const std::vector<Member> none;
        return structure.shape->declared ? declared_.shapes[structure.shape->number - 1].members : none;
    }
    Type whole(Type type) override { return type; }
    std::optional<Constant> constant(std::string_view name) override {
        const auto own = declared_.constants.find(name);
        return own == declared_.constants.end() ? std::nullopt : std::optional(own->second);
    }
    void declare(Declared declared) override { declared_ = std::move(declared); }
    std::string c_types(const std::set<std::string, std::less<>>&) override { return ""; }
    std::optional<uint64_t> symbol(std::string_view) override { return {}; }
    std::vector<std::string> iterators() override { return {}; }

    Result<Tracepoint> tracepoint(std::string_view category, std::string_view event) override {
        const RecordedEvent* found = recorded_event(category, event);
        if (found) return tracepoint_of(*found);
        return Error{fmt::format("the recording holds no tracepoint {}:{}", category, event), "", 0};
    }
    std::optional<KernelFunction> raw_tracepoint(std::string_view) override { return {}; }
    std::vector<std::string> raw_tracepoints(std::string_view) override { return {}; }
    std::vector<std::string> tracepoints(std::string_view category, std::string_view event) override {
        std::vector<std::string> out;
        for (const RecordedEvent& row : recorded_events())
            if (glob_match(category, row.category) && glob_match(event, row.event)) out.push_back(name_of(row));
        std::ranges::sort(out);
        return out;
    }
    Result<std::string> debug_file() override { return not_recorded(); }

  private:
    const Recording& recording_;
    NoPrograms programs_;
    NoMachine machine_;
    Declared declared_;
};

}  // namespace

std::unique_ptr<Kernel> recorded_kernel(const Recording& recording) {
    return std::make_unique<RecordedKernel>(recording);
}

std::string function_of_span(uint32_t span) { return fmt::format("{}{}", span_prefix, span); }

std::optional<uint32_t> span_of_function(std::string_view function) {
    if (!function.starts_with(span_prefix)) return {};
    return parse_number<uint32_t>(function.substr(span_prefix.size()));
}

}  // namespace lt
