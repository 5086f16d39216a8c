#include "driver/run/saved.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fstream>

#include "base/text.h"

namespace lt {
namespace {

constexpr std::string_view when_saved = "give it when the plan is saved";

// With whatever value the plan was compiled: it does not keep it.
Error is_compiled_in(Option option) {
    return {fmt::format("{} is compiled into the plan and cannot be changed when it runs", option_name(option)),
            "leave it out, or build the plan again with it", 0};
}

Error is_not_compiled_in(Option option) {
    return {fmt::format("{} must be compiled in, and this plan was compiled without it", option_name(option)),
            std::string(when_saved), 0};
}

// Do its records make lt run commands or set options of sockets? Its programs are looked at when they are loaded.
bool acts(const SavedPlan& saved) {
    return std::ranges::any_of(saved.plans, [](const Plan& plan) {
        return std::ranges::any_of(plan.events, [](const PlannedEvent& event) {
            return event.kind == EventKind::system || event.kind == EventKind::option;
        });
    });
}

}  // namespace

Status suits_saved(const Command& command, const SavedPlan& saved) {
    if (is_saving(command)) return Error{"this is already a saved plan", "copy the file", 0};
    for (const OptionRow& row : option_rows()) {
        if (!command.has(row.id)) continue;
        if (row.phase == Phase::compiled_in) return is_compiled_in(row.id);
        if (row.phase == Phase::bound)
            return Error{fmt::format("{} cannot be used with a saved plan", option_name(row.id)),
                         "run the script itself with lt", 0};
    }
    if (command.has(Option::timestamps) && !saved.timestamps) return is_not_compiled_in(Option::timestamps);
    if (command.has(Option::max_overhead) && !saved.sampled) return is_not_compiled_in(Option::max_overhead);
    if (saved.unsafe && !command.has(Option::unsafe))
        return Error{"this plan was saved with --unsafe: it may change traced programs and run commands",
                     "run it with --unsafe as well", 0};
    if (acts(saved) && !command.has(Option::unsafe))
        return Error{"this plan runs commands or sets options of sockets", "run it with --unsafe if you trust it", 0};
    if (!command.positional.empty())
        return Error{fmt::format("the script's arguments are compiled into the plan; `{}` cannot be given now",
                                 command.positional.front()),
                     std::string(when_saved), 0};
    return Done{};
}

namespace {

constexpr const char* own_program = "/proc/self/exe";

// The end of a binary that --aot wrote.
struct Trailer {
    uint64_t size = 0;  // of the plan before it
    char magic[8] = {'\x89', 'L', 'T', 'O', 'W', 'N', '\n', '\0'};
};

uint64_t plan_size(std::string_view last) {
    Trailer trailer;
    if (last.size() < sizeof trailer) return 0;
    last.remove_prefix(last.size() - sizeof trailer);
    const bool is_one = last.substr(offsetof(Trailer, magic)) == std::string_view(trailer.magic, sizeof trailer.magic);
    if (is_one) std::memcpy(&trailer, last.data(), sizeof trailer);
    return trailer.size;
}

}  // namespace

bool is_saving(const Command& command) { return command.has(Option::save) || command.has(Option::aot); }

std::string with_plan_at_end(std::string program, std::string_view plan) {
    if (const uint64_t size = plan_size(program); size != 0) program.resize(program.size() - size - sizeof(Trailer));
    Trailer trailer;
    trailer.size = plan.size();
    program += plan;
    return program.append(reinterpret_cast<const char*>(&trailer), sizeof trailer);
}

std::string_view plan_within(std::string_view bytes) {
    const uint64_t size = plan_size(bytes);
    if (size == 0 || size > bytes.size() - sizeof(Trailer)) return bytes;
    return bytes.substr(bytes.size() - sizeof(Trailer) - size, size);
}

Result<std::string> own_plan() {
    std::ifstream own(own_program, std::ios::binary | std::ios::ate);
    const auto whole = static_cast<int64_t>(own.tellg());
    std::string last(sizeof(Trailer), '\0');
    own.seekg(whole - static_cast<int64_t>(last.size()));
    own.read(last.data(), static_cast<int64_t>(last.size()));
    const auto size = own ? static_cast<int64_t>(plan_size(last)) : 0;
    if (size <= 0) return std::string();
    std::string plan(static_cast<size_t>(size), '\0');
    own.seekg(whole - static_cast<int64_t>(last.size()) - size);
    own.read(plan.data(), size);
    return own ? std::move(plan) : Result<std::string>(Error{"the plan in this binary is truncated", "", 0});
}

std::vector<std::string> saved_places(const Plan& plan) {
    std::vector<std::string> out;
    for (const PlannedProbe& probe : plan.probes) {
        if (probe.internal) continue;
        const auto rung = std::ranges::find_if(probe.rungs, [](const Rung& r) { return r.refused.empty(); });
        // Many system calls are known by number: they share one attachment, or are called from one.
        const bool is_one = probe.places == 1 || rung == probe.rungs.end();
        if (is_one || rung->attachments.size() < probe.places || rung->way == Way::system_call) {
            out.push_back(probe.text);
            continue;
        }
        const size_t begin = out.size();
        const std::string kind = probe.text.substr(0, probe.text.find(':'));
        for (const Attachment& a : rung->attachments) {
            const auto* in = std::get_if<ProgramSite>(&a.site);
            std::string place =
                fmt::format("{}:{}{}", kind, subject(a), in && !in->symbol.empty() ? ":" + in->symbol : "");
            if (std::find(out.begin() + static_cast<ptrdiff_t>(begin), out.end(), place) == out.end())
                out.push_back(std::move(place));
        }
    }
    return out;
}

Result<SavedPlan> read_plan(const Source& file) {
    Result<SavedPlan> saved = saved_plan(file.text, LT_VERSION);
    return saved ? std::move(saved) : Result<SavedPlan>(saved.error_in(file.name));
}

}  // namespace lt
