// Loads objects with libbpf and explains each kind of failure.
#include "runtime/load/object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/border/frames.h"
#include "runtime/border/kernel.h"
#include "runtime/border/recording.h"
#include "runtime/border/run_words.h"
#include "runtime/bpf/loaded_programs.h"
#include "runtime/bpf/running_programs.h"
#include "runtime/btf/btf_sound.h"
#include "runtime/kernel/causes.h"
#include "runtime/kernel/multi_link_format.h"
#include "runtime/load/core_types.h"
#include "runtime/load/kernel_targets.h"
#include "runtime/load/load_log.h"
#include "runtime/load/map_forms.h"
#include "runtime/load/room.h"
#include "runtime/load/unsafe_programs.h"
#include "runtime/load/verifier_words.h"

namespace lt {

// The message for a failed load; `program` is empty if no single program is the cause.
struct LoadedObject::Failure {
    std::string program;
    int code = 0;
    LoadLog log;
    uint64_t turns = 0;  // the limit of the object's inline loops; 0: it has none
};

// The changes that another attempt may make.
struct LoadedObject::Adjusted {
    KernelBtf& kernel;
    CoreTypes types;
    bool preallocated = false;  // all maps
    uint64_t turns = 0;         // the limit of inline loops; 0: that of the object

    bool shorten(const Failure& failure);
};

struct LoadedObject::Attempt {
    Object object;
    PlaceCopies copies;
    std::optional<Failure> failure;
};

namespace {

// The words that hold a value: the kernel writes all of its bytes, also those after the last whole word.
constexpr size_t words_for(uint32_t bytes) { return (size_t{bytes} + sizeof(uint64_t) - 1) / sizeof(uint64_t); }
static_assert(words_for(0) == 0 && words_for(4) == 1 && words_for(16) == 2 && words_for(UINT32_MAX) == 1U << 29);

// Limits the object's inline loops, and returns their limit; 0: it has none.
uint64_t limit_turns(bpf_object* object, uint64_t turns) {
    bpf_map* map = bpf_object__find_map_by_name(object, turns_section);
    if (!map || bpf_map__value_size(map) != sizeof turns) return 0;
    if (turns != 0) bpf_map__set_initial_value(map, &turns, sizeof turns);
    size_t size = 0;
    const void* value = bpf_map__initial_value(map, &size);
    if (!value || size != sizeof turns) return 0;
    std::memcpy(&turns, value, sizeof turns);
    return turns;
}

}  // namespace

// The verifier follows each turn of an inline loop. True if another attempt with fewer turns may be short enough.
bool LoadedObject::Adjusted::shorten(const Failure& failure) {
    constexpr uint64_t fewest = 8, step = 4;
    if (failure.turns / step < fewest || !is_too_long(failure.code, failure.log.verifier_complaint())) return false;
    turns = failure.turns / step;
    return true;
}

namespace {

// Errors that refuse the location or kind of program, whatever the program does.
constexpr std::array trampoline_causes{
    ErrnoCause{EPERM, "the kernel does not permit fentry programs"},
    ErrnoCause{ESRCH, "the function is not in the kernel's BTF"},
    ErrnoCause{ENOENT, "the function is not in the kernel's BTF"},
    ErrnoCause{EINVAL, "the kernel allows no fentry program on this function"},
    ErrnoCause{EOPNOTSUPP, "this kernel has no BPF trampolines"},
    ErrnoCause{kernel_not_supported, "this kernel has no BPF trampolines"},
};

struct ProgramUse {
    size_t probe;
    size_t rung;
    const Attachment* attachment;
};
using ProgramUses = std::multimap<std::string, ProgramUse, std::less<>>;

ProgramUses uses_of_programs(const Plan& plan, const RungRefusals& refusals) {
    ProgramUses uses;
    for (size_t p = 0; p < plan.probes.size(); p++)
        for (size_t r = 0; r < plan.probes[p].rungs.size(); r++)
            if (refusals[p][r].empty() && plan.probes[p].rungs[r].way != Way::host)
                for (const Attachment& a : plan.probes[p].rungs[r].attachments)
                    uses.emplace(a.program, ProgramUse{p, r, &a});
    return uses;
}

RungRefusals refusals_of(const Plan& plan) {
    RungRefusals refusals;
    for (const PlannedProbe& probe : plan.probes)
        for (auto& why = refusals.emplace_back(); const Rung& rung : probe.rungs) why.push_back(rung.refused);
    return refusals;
}

struct Targets {
    KernelTargets kernel;
    std::vector<Descriptor> programs;  // BPF programs that are traced
};

// For a trampoline. Returns 0 or a negative errno.
int set_target(bpf_program* program, const std::string& function, Targets& targets) {
    const auto of_bpf = bpf_function(function);
    if (!of_bpf) {
        targets.kernel.want(program, TargetKind::function, function);
        return 0;
    }
    const Descriptor& of = targets.programs.emplace_back(bpf::open_program(of_bpf->program));
    return of ? KernelTargets::set_in_program(program, of.get(), std::string(of_bpf->name)) : -errno;
}

// Decides whether to load a program, and says what it is for. Returns 0 or a negative errno.
int choose_program(const Plan& plan, const ProgramUses& uses, bpf_program* program, Targets& targets) {
    auto use = uses.find(std::string_view(bpf_program__name(program)));
    bpf_program__set_autoload(program, use != uses.end());
    if (use == uses.end()) return 0;
    const auto& [probe, rung, attachment] = use->second;
    const Way way = plan.probes[probe].rungs[rung].way;
    if (way_row(way).session) targets.kernel.want_session_calls();
    if (const uint32_t type = multi_attach_type(way); type != 0)
        return bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(type));
    if (const auto* objects = std::get_if<IteratorSite>(&attachment->site))
        targets.kernel.want(program, TargetKind::iterator, objects->kind);
    if (way == Way::walk) targets.kernel.want(program, TargetKind::iterator, "task");
    if (way == Way::typed_tracepoint)
        targets.kernel.want(program, TargetKind::raw_tracepoint, std::get<RawTracepointSite>(attachment->site).event);
    return way == Way::fentry ? set_target(program, subject(*attachment), targets) : 0;
}

std::optional<std::string> trampoline_refusal(int code, const LoadLog& log) {
    if (log.verified()) return std::nullopt;
    if (const ErrnoCause* cause = cause_of(trampoline_causes, code)) return cause->text;
    return std::nullopt;
}

// libbpf looks up the kernel's functions for sessions for the whole object, so no single program is the cause.
std::vector<Refusal> refused_sessions(const Plan& plan, const RungRefusals& refusals) {
    std::vector<Refusal> all;
    for (size_t p = 0; p < plan.probes.size(); p++)
        for (size_t r = 0; r < plan.probes[p].rungs.size(); r++)
            if (const Way way = plan.probes[p].rungs[r].way; way_row(way).session && refusals[p][r].empty())
                all.push_back({p, way, "its kernel functions have an unknown signature"});
    return all;
}

std::vector<Refusal> refused_uses(const Plan& plan, const ProgramUses& uses, const std::string& program,
                                  const std::string& why) {
    std::vector<Refusal> all;
    auto [first, last] = uses.equal_range(program);
    for (auto use = first; use != last; ++use)
        all.push_back({use->second.probe, plan.probes[use->second.probe].rungs[use->second.rung].way, why});
    return all;
}

// Marks the rungs that use the program; false if the location is not the cause.
bool refuse_rungs(const Plan& plan, const ProgramUses& uses, const std::string& program, int code, const LoadLog& log,
                  RungRefusals& refusals) {
    bool any = false;
    auto [first, last] = uses.equal_range(program);
    for (auto use = first; use != last; ++use) {
        const auto& [probe, rung, attachment] = use->second;
        if (plan.probes[probe].rungs[rung].way != Way::fentry) return false;
        auto why = trampoline_refusal(code, log);
        if (!why) return false;
        refusals[probe][rung] = *why;
        any = true;
    }
    return any;
}

// If libbpf cannot open files to probe the kernel, it continues without some maps.
bool lacks_files(const LoadLog& log) {
    return has_few_files() && log.verifier_complaint().find("is referenced but wasn't created") != std::string::npos;
}

Error load_error(const Plan& plan, const ProgramUses& uses, const std::string& program, int code, const LoadLog& log) {
    auto use = uses.find(program);
    std::string subject = use == uses.end() ? "the program" : "the program of " + plan.probes[use->second.probe].text;
    const bool of_process = code == EMFILE || lacks_files(log);
    if (of_process || code == ENFILE)
        return {
            fmt::format("{} needs more open files than {} may have", subject, of_process ? "a process" : "this system"),
            of_process ? "raise the limit, for example: `ulimit -n 4096`" : "raise it: `sysctl fs.file-max=N`", code};
    if (!log.verifier().empty()) {
        const VerifierWords& words = verifier_words(log.verifier_complaint());
        return {fmt::format("the verifier refuses {}: {} ({})", subject, words.why, log.verifier_complaint()),
                fmt::format("{}\n{}", words.advice, log.verifier()), code, log.line()};
    }
    if (code == EPERM || code == EACCES)
        return {fmt::format("the kernel does not permit loading {}", subject), "run as root, outside of a container",
                code};
    Error error = system_error("the kernel refuses " + subject, code);
    error.hint = log.whole();
    return error;
}

// Blocks that lt itself runs access the programs' variables; libbpf does not support that for static ones.
void share_sections(bpf_object* object) {
    bpf_map* map = nullptr;
    bpf_object__for_each_map(map, object) {
        const std::string_view name = bpf_map__name(map);
        const bool variables = name.starts_with(".data") || name.starts_with(".bss");
        if (bpf_map__is_internal(map) && variables)
            bpf_map__set_map_flags(map, bpf_map__map_flags(map) | BPF_F_MMAPABLE);
    }
}

void make_frames(bpf_object* object) {
    bpf_map* map = bpf_object__find_map_by_name(object, std::string(frames_symbol).c_str());
    if (map && bpf_map__type(map) == BPF_MAP_TYPE_ARRAY)
        bpf_map__set_max_entries(
            map, bpf_map__max_entries(map) * static_cast<uint32_t>(std::max(libbpf_num_possible_cpus(), 1)));
}

void make_rings(bpf_object* object, const KeepSize& keep) {
    if (keep.slots == 0) return;
    const auto resize = [&](std::string_view name, uint32_t entries) {
        bpf_map* map = bpf_object__find_map_by_name(object, std::string(name).c_str());
        if (map) bpf_map__set_max_entries(map, entries);
    };
    resize(keep_rings_map, 1 + 2 * keep.cpus);
    resize(keep_slots_map, 2 * keep.cpus * keep.slots);
}

}  // namespace

LoadedObject::Attempt LoadedObject::attempt(const Plan& plan, const RungRefusals& refusals, const Adjusted& how,
                                            const KeepSize& keep, EarlyMaps* early) {
    LogCapture capture;
    uint64_t turns = 0;
    auto failed = [&](std::string program, int code) {
        return Attempt{nullptr, {}, Failure{std::move(program), code, LoadLog(capture.text()), turns}};
    };
    Targets targets{.kernel = KernelTargets(how.kernel), .programs = {}};
    bpf_object_open_opts options{};
    options.sz = sizeof options;
    options.object_name = "lt";
    options.btf_custom_path = how.types.path();
    Object object(bpf_object__open_mem(plan.object.data(), plan.object.size(), &options));
    if (!object) return failed("", errno);

    ProgramUses uses = uses_of_programs(plan, refusals);
    PlaceCopies copies;
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object.get(), program));)
        if (const int code = choose_program(plan, uses, program, targets); code < 0)
            return failed(bpf_program__name(program), -code);
    if (!targets.kernel.find()) return failed("", ESRCH);
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object.get(), program));) {
        int code = targets.kernel.look_in_modules(program);
        if (code == 0 && bpf_program__autoload(program)) code = copies.prepare(program);
        if (code < 0) return failed(bpf_program__name(program), -code);
    }
    share_sections(object.get());
    turns = limit_turns(object.get(), how.turns);
    make_room(object.get(), plan, how.preallocated);
    make_frames(object.get());
    make_rings(object.get(), keep);
    if (early) early->give_to(object.get());
    int code = targets.kernel.load(object.get());
    if (code < 0) return failed(LoadLog(capture.text()).program(), -code);
    return {std::move(object), std::move(copies), std::nullopt};
}

void LoadedObject::Close::operator()(bpf_object* object) const { bpf_object__close(object); }

Result<LoadedObject> LoadedObject::load(const Plan& plan, std::vector<Refusal>& refused, const KeepSize& keep,
                                        EarlyMaps* early) {
    if (Status good = is_sound_object(plan.object); !good) return good.error();
    RungRefusals refusals = refusals_of(plan);
    KernelBtf kernel;
    Adjusted how{.kernel = kernel, .types = CoreTypes(plan.object, kernel)};
    for (;;) {  // each further round refuses one more rung, or loads it in another form
        Attempt tried = attempt(plan, refusals, how, keep, early);
        if (!tried.failure) {
            if (Status agree = maps_agree(plan, tried.object.get()); !agree) return agree.error();
            return LoadedObject(std::move(tried.object), std::move(tried.copies), std::move(refusals));
        }
        const auto& [program, code, log, _] = *tried.failure;
        ProgramUses uses = uses_of_programs(plan, refusals);
        // before Linux 6.1 perf event programs can use no other hashes
        const bool wants_all = log.verifier_complaint().find("preallocated hash map") != std::string::npos;
        if (wants_all && !std::exchange(how.preallocated, true)) continue;
        if (how.shorten(*tried.failure)) continue;
        if (refuse_rungs(plan, uses, program, code, log, refusals)) continue;
        const Error error = load_error(plan, uses, program, code, log);
        refused = program.empty() ? refused_sessions(plan, refusals) : refused_uses(plan, uses, program, error.what);
        return error;
    }
}

Result<int> LoadedObject::program_at(const std::string& name, uint64_t place) {
    if (program(name) < 0) return Error{fmt::format("program `{}` is not loaded", name), ""};
    return copies_.at(bpf_object__find_program_by_name(object_.get(), name.c_str()), place);
}

int LoadedObject::program(const std::string& name) const {
    bpf_program* program = bpf_object__find_program_by_name(object_.get(), name.c_str());
    return program && bpf_program__autoload(program) ? bpf_program__fd(program) : -1;
}

int LoadedObject::programs(const std::string& symbol) const {
    const bpf_map* map = bpf_object__find_map_by_name(object_.get(), symbol.c_str());
    return map && bpf_map__type(map) == BPF_MAP_TYPE_PROG_ARRAY ? bpf_map__fd(map) : -ENOENT;
}

int LoadedObject::map(const std::string& symbol) const {
    bpf_map* map = bpf_object__find_map_by_name(object_.get(), symbol.c_str());
    return map ? bpf_map__fd(map) : -1;
}

bool LoadedObject::is_unsafe() const { return has_unsafe_programs(object_.get()); }

Status LoadedObject::run(const std::string& name) const {
    bpf_test_run_opts options{};
    options.sz = sizeof options;
    int code = bpf_prog_test_run_opts(program(name), &options);
    if (code < 0) return system_error("cannot run the program " + name, -code);
    return Done{};
}

std::vector<uint64_t> LoadedObject::loss_counters() const {
    bpf_map* map = bpf_object__find_map_by_name(object_.get(), ".bss.lost");
    if (!map) return {};
    std::vector<uint64_t> counters(words_for(bpf_map__value_size(map)));
    uint32_t only = 0;
    // libbpf's own mapping of the section only has the initial values, unless a skeleton loads it.
    if (bpf_map_lookup_elem(bpf_map__fd(map), &only, counters.data()) < 0) return {};
    return counters;
}

Result<std::vector<uint8_t>> LoadedObject::params() const {
    bpf_map* found = bpf_object__find_map_by_name(object_.get(), ".data.params");
    if (!found) return std::vector<uint8_t>{};
    std::vector<uint8_t> bytes(bpf_map__value_size(found));
    const uint32_t only = 0;
    const int code = bpf_map_lookup_elem(bpf_map__fd(found), &only, bytes.data());
    if (code < 0) return system_error("cannot read the parameters", -code);
    return bytes;
}

// A variable of the object has its own section, and so its own map.
int LoadedObject::set_section(const char* section, const void* bytes) const {
    bpf_map* found = bpf_object__find_map_by_name(object_.get(), section);
    const uint32_t only = 0;
    return found ? bpf_map_update_elem(bpf_map__fd(found), &only, bytes, BPF_EXIST) : -ENOENT;
}

Status LoadedObject::set_params(const std::vector<uint8_t>& bytes) const {
    const int code = set_section(".data.params", bytes.data());
    return code < 0 ? Status(system_error("cannot set the parameters", -code)) : Status(Done{});
}

Status LoadedObject::set_namespace(std::pair<uint64_t, uint64_t> pid_namespace, uint64_t left_out) {
    words_.process = left_out;
    words_.pid_device = pid_namespace.first;
    words_.pid_inode = pid_namespace.second;
    const int code = set_section(run_words_section, &words_);
    return code < 0 ? Status(system_error("cannot set lt's PID namespace", -code)) : Status(Done{});
}

Status LoadedObject::stop_opening(bool stop, bool paused) {
    words_.stop = !stop ? 0 : paused ? run_is_paused : 1;
    const int code = set_section(run_words_section, &words_);
    return code < 0 ? Status(system_error(stop ? "cannot stop opening spans" : "cannot resume opening spans", -code))
                    : Status(Done{});
}

Status LoadedObject::end_programs() {
    words_.stop = run_is_over;
    const int code = set_section(run_words_section, &words_);
    return code < 0 ? system_error("cannot end programs", -code) : RunningPrograms().wait();
}

std::vector<uint64_t> LoadedObject::per_cpu_sums(const std::string& symbol) const { return sums_per_cpu(map(symbol)); }

std::vector<uint64_t> sums_per_cpu(int map) {
    const int cpus = libbpf_num_possible_cpus();
    bpf_map_info info{};
    uint32_t size = sizeof info;
    if (map < 0 || cpus <= 0 || bpf_obj_get_info_by_fd(map, &info, &size) < 0) return {};
    const size_t words = words_for(info.value_size);
    std::vector<uint64_t> values(words * static_cast<size_t>(cpus)), sums(words);
    const uint32_t only = 0;
    if (bpf_map_lookup_elem(map, &only, values.data()) < 0) return {};
    for (size_t i = 0; i < values.size(); i++) sums[i % words] += values[i];
    return sums;
}

std::vector<LoadedObject::Facts> LoadedObject::facts() const {
    std::vector<Facts> all;
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object_.get(), program));) {
        if (!bpf_program__autoload(program)) continue;
        std::vector<int> descriptors = copies_.of(bpf_program__name(program));
        descriptors.insert(descriptors.begin(), bpf_program__fd(program));
        Facts facts{bpf_program__name(program)};
        for (const int descriptor : descriptors) {
            bpf_prog_info info{};
            uint32_t size = sizeof info;
            if (bpf_obj_get_info_by_fd(descriptor, &info, &size) < 0) continue;
            constexpr uint32_t instruction = 8;
            facts.instructions = info.xlated_prog_len / instruction;
            facts.misses += info.recursion_misses;
            facts.runs += info.run_cnt, facts.run_ns += info.run_time_ns;
        }
        all.push_back(std::move(facts));
    }
    return all;
}

}  // namespace lt
