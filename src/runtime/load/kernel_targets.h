// The targets in the kernel of an object's programs: functions, raw tracepoints with types, iterators, and the
// functions that programs of sessions call. The kernel takes their type numbers when it loads a program. libbpf would
// read all of its types to find them, 5 MB, twice.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/btf/btf_scan.h"
#include "runtime/btf/kernel_btf.h"

struct bpf_object;
struct bpf_program;

namespace lt {

enum class TargetKind : uint8_t { function, raw_tracepoint, iterator };

// The programs that it gets were opened after the first KernelTargets was made: see load().
class KernelTargets {
  public:
    explicit KernelTargets(KernelBtf& kernel);  // which must outlive it
    // `name`: of a function, of an event, of what is iterated over ("task").
    void want(const bpf_program* program, TargetKind kind, const std::string& name);
    // The functions that programs of sessions call.
    void want_session_calls();
    // Looks for all that were wanted. False: the kernel has no functions for sessions, though they were wanted.
    bool find();
    // Type number; 0: it is not in the kernel itself, or was not wanted.
    uint32_t number(const bpf_program* program) const;
    // Of a session call; 0: there is none.
    uint32_t number(int32_t session_call) const;
    // If it was wanted, and is not in the kernel itself: libbpf also looks in modules. Returns 0 or a negative errno.
    int look_in_modules(bpf_program* program) const;
    // For a function of a BPF program, by its descriptor. Returns 0 or a negative errno.
    static int set_in_program(bpf_program* program, int of, const std::string& function);
    // bpf_object__load() with what was found.
    int load(bpf_object* object) const;

  private:
    struct Wanted {
        std::string name;
        BtfName type;
    };
    KernelBtf& kernel_;
    std::map<const bpf_program*, Wanted> wanted_;
    std::map<BtfName, uint32_t> numbers_;
};

}  // namespace lt
