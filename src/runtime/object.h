// The plan's object in the kernel: its maps made, its programs verified. Where the kernel allows no program of a rung's
// kind, the object is loaded again without that rung; a program that the verifier refuses is an error.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/plan.h"

namespace lt {

// Why each rung of each probe, [probe][rung], is not to be tried; empty where it is.
using RungRefusals = std::vector<std::vector<std::string>>;

// The u64 words of a per-CPU array's only element, each summed over the CPUs; none where there is no such map.
std::vector<uint64_t> sums_per_cpu(int map);

class LoadedObject {
  public:
    static Result<LoadedObject> load(const Plan& plan);

    // Those of the plan and those of the kernel while loading.
    const RungRefusals& refusals() const { return refusals_; }

    // Descriptors, owned by the object; -1: there is none of this name, or it was not loaded.
    int program(const std::string& name) const;
    int map(const std::string& symbol) const;
    int programs(const std::string& symbol) const;  // the map, where it is an array of programs

    // Once, on this CPU: a program of Way::run.
    Status run(const std::string& program) const;

    std::vector<uint64_t> loss_counters() const;
    // What was open of a span when it was detached: nobody sees it close.
    void abandon(uint32_t span) { abandoned_.insert(span); }
    bool is_abandoned(uint32_t span) const { return abandoned_.contains(span); }
    // From now on no span is opened; or again they are.
    Status stop_opening(bool stop) const;
    // The bytes of the parameters as they are now, and setting them; see Plan::params.
    Result<std::vector<uint8_t>> params() const;
    Status set_params(const std::vector<uint8_t>& bytes) const;
    std::vector<uint64_t> per_cpu_sums(const std::string& symbol) const;

    struct Facts {
        std::string name;
        uint32_t instructions = 0;
        uint64_t misses = 0;
        uint64_t runs = 0, run_ns = 0;  // as far as the kernel was asked to measure them
    };
    std::vector<Facts> facts() const;

  private:
    int set_section(const char* section, const void* bytes) const;  // 0 or a negative errno
    struct Close {
        void operator()(bpf_object* object) const { bpf_object__close(object); }
    };
    using Object = std::unique_ptr<bpf_object, Close>;
    struct Failure;
    struct Attempt;

    LoadedObject(Object object, RungRefusals refusals) : object_(std::move(object)), refusals_(std::move(refusals)) {}
    static Attempt attempt(const Plan& plan, const RungRefusals& refusals);

    Object object_;
    RungRefusals refusals_;
    std::set<uint32_t> abandoned_;
};

}  // namespace lt
