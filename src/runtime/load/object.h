// The plan's object in the kernel: its maps created, its programs verified. If the kernel refuses a rung's kind of
// program, the object is loaded again without that rung; a program that the verifier refuses is an error.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/border/run_words.h"
#include "runtime/border/target.h"
#include "runtime/load/early_maps.h"
#include "runtime/load/keep_size.h"
#include "runtime/load/place_copies.h"

struct bpf_object;

namespace lt {

// Why each rung of each probe, [probe][rung], must not be tried; empty if it can be.
using RungRefusals = std::vector<std::vector<std::string>>;

// The u64 words of a per-CPU array's only element, each summed over the CPUs; empty without a map.
std::vector<uint64_t> sums_per_cpu(int map);

class LoadedObject {
  public:
    // Programs that the kernel refuses but that could be attached in another way are added to `refused`. `early` may be
    // null.
    static Result<LoadedObject> load(const Plan& plan, std::vector<Refusal>& refused, const KeepSize& keep = {},
                                     EarlyMaps* early = nullptr);

    // The plan's refusals and the kernel's while loading.
    const RungRefusals& refusals() const { return refusals_; }

    // Descriptors, owned by the object; -1: there is no such name, or it was not loaded.
    int program(const std::string& name) const;
    // The program for this location: a copy if the kernel has no attach cookies.
    Result<int> program_at(const std::string& name, uint64_t place);
    bool kernel_tells_places() { return copies_.kernel_tells(); }
    int map(const std::string& symbol) const;
    int programs(const std::string& symbol) const;  // the map, if it is a program array

    // Do its programs what only --unsafe allows?
    bool is_unsafe() const;
    // Runs a program of Way::run once, on this CPU.
    Status run(const std::string& program) const;

    std::vector<uint64_t> loss_counters() const;
    // The span was detached: its open calls are not seen to close.
    void abandon(uint32_t span) { abandoned_.insert(span); }
    bool is_abandoned(uint32_t span) const { return abandoned_.contains(span); }
    // Stops opening spans, for a pause or for good, or resumes.
    Status stop_opening(bool stop, bool paused = false);
    // Programs of ways that linger do nothing any more, and those that were running have ended.
    Status end_programs();
    // Programs use the ids of the PID namespace with this device and inode number from here on; device 0: the initial
    // one. Those that leave lt out leave out this process of it, or no_process.
    Status set_namespace(std::pair<uint64_t, uint64_t> pid_namespace, uint64_t left_out);
    // The current bytes of the parameters, and setting them; see Plan::params.
    Result<std::vector<uint8_t>> params() const;
    Status set_params(const std::vector<uint8_t>& bytes) const;
    std::vector<uint64_t> per_cpu_sums(const std::string& symbol) const;

    struct Facts {
        std::string name;
        uint32_t instructions = 0;
        uint64_t misses = 0;
        uint64_t runs = 0, run_ns = 0;  // if the kernel measures them
    };
    std::vector<Facts> facts() const;

  private:
    int set_section(const char* section, const void* bytes) const;  // 0 or a negative errno
    struct Close {
        void operator()(bpf_object* object) const;
    };
    using Object = std::unique_ptr<bpf_object, Close>;
    struct Failure;
    struct Attempt;

    LoadedObject(Object object, PlaceCopies copies, RungRefusals refusals)
        : object_(std::move(object)), copies_(std::move(copies)), refusals_(std::move(refusals)) {}
    struct Adjusted;
    static Attempt attempt(const Plan& plan, const RungRefusals& refusals, const Adjusted& how, const KeepSize& keep,
                           EarlyMaps* early);

    Object object_;
    PlaceCopies copies_;
    RungRefusals refusals_;
    std::set<uint32_t> abandoned_;
    RunWords words_;
};

}  // namespace lt
