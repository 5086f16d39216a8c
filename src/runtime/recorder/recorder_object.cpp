#include "runtime/recorder/recorder_object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/arch.h"
#include "runtime/load/core_types.h"
#include "runtime/load/load_log.h"

// The object is compiled at build time and embedded.
__asm__(
    ".section .rodata\n"
    ".balign 8\n"
    "lt_recorder_begin:\n"
    ".incbin \"" LT_RECORDER_OBJECT
    "\"\n"
    "lt_recorder_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const uint8_t lt_recorder_begin[], lt_recorder_end[];

namespace lt {
namespace {

// struct settings in stdlib/bpf/recorder.bpf.c
struct RecorderSettings {
    uint64_t number, number_at, address_at, operation_at, value_at;
    uint64_t long_wait_ns;
};

constexpr std::string_view typed = "tp_btf/";

// Without these nothing can be said.
bool is_needed(std::string_view event) { return event == "sched_switch" || event == "sched_waking"; }

RecorderSettings settings() {
    const auto& arguments = arch::native.system_call_arguments;
    const auto at = [](const arch::Register& r) { return static_cast<uint64_t>(r.offset); };
    return {SYS_futex,   at(arch::native.system_call_number), at(arguments[0]), at(arguments[1]), at(arguments[2]),
            long_wait_ns};
}

}  // namespace

Result<SharedArray> SharedArray::map(int descriptor, uint64_t bytes, const char* what) {
    SharedArray out;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) return system_error(fmt::format("cannot map the flight recorder's {}", what), errno);
    out.memory_ = memory;
    out.bytes_ = bytes;
    return out;
}

SharedArray::~SharedArray() {
    if (memory_) munmap(memory_, bytes_);
}

void RecorderObject::Close::operator()(bpf_object* object) const { bpf_object__close(object); }
void RecorderObject::Close::operator()(bpf_link* link) const { bpf_link__destroy(link); }

Status RecorderObject::prepare(const LoadedObject& script, KernelTargets& targets) {
    for (const std::string_view name : {keep_rings_map, keep_slots_map}) {
        bpf_map* map = bpf_object__find_map_by_name(object_.get(), std::string(name).c_str());
        const int descriptor = script.map(std::string(name));
        if (!map || descriptor < 0) return Error{"the script has no room for the flight recorder", "", 0};
        if (const int code = bpf_map__reuse_fd(map, descriptor); code < 0)
            return system_error("cannot share the flight recorder's rings", -code);
    }
    bpf_map* map = bpf_object__find_map_by_name(object_.get(), ".rodata.settings");
    const RecorderSettings own = settings();
    if (!map || bpf_map__set_initial_value(map, &own, sizeof own) < 0)
        return Error{"the flight recorder's object has no settings", "", 0};
    const auto event_of = [](const bpf_program* program) {
        return std::string(std::string_view(bpf_program__section_name(program)).substr(typed.size()));
    };
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object_.get(), program));)
        targets.want(program, TargetKind::raw_tracepoint, event_of(program));
    targets.find();
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object_.get(), program));) {
        if (targets.number(program) != 0) continue;
        const std::string event = event_of(program);
        if (is_needed(event))
            return Error{fmt::format("the flight recorder needs the raw tracepoint {} with types, which this kernel "
                                     "does not have",
                                     event),
                         "it needs Linux 6.1 or later, with CONFIG_DEBUG_INFO_BTF", 0};
        bpf_program__set_autoload(program, false);
        missing_.push_back(event);
    }
    return Done{};
}

Status RecorderObject::map_memory(const LoadedObject& script) {
    const uint64_t rings = uint64_t{2} * size_.cpus;
    auto heads = SharedArray::map(script.map(std::string(keep_rings_map)), (1 + rings) * sizeof(KeptRing), "heads");
    if (!heads) return heads.error();
    auto slots =
        SharedArray::map(script.map(std::string(keep_slots_map)), rings * size_.slots * sizeof(KeptSlot), "rings");
    if (!slots) return slots.error();
    const bpf_map* map = bpf_object__find_map_by_name(object_.get(), std::string(keep_stacks_map).c_str());
    if (!map) return Error{"the flight recorder's object has no stacks", "", 0};
    auto stacks = SharedArray::map(bpf_map__fd(map), kept_stacks * sizeof(KeptStack), "stacks");
    if (!stacks) return stacks.error();
    rings_ = *std::move(heads);
    slots_ = *std::move(slots);
    stacks_ = *std::move(stacks);
    return Done{};
}

Result<std::unique_ptr<RecorderObject>> RecorderObject::load(const LoadedObject& script, const KeepSize& size) {
    LogCapture capture;
    std::unique_ptr<RecorderObject> out(new RecorderObject(size));
    bpf_object_open_opts options{};
    options.sz = sizeof options;
    options.object_name = "lt_recorder";
    const std::span<const uint8_t> object(&lt_recorder_begin[0], &lt_recorder_end[0]);
    KernelBtf kernel;
    const CoreTypes types(object, kernel);
    KernelTargets targets(kernel);
    options.btf_custom_path = types.path();
    out->object_.reset(bpf_object__open_mem(object.data(), object.size(), &options));
    if (!out->object_) return system_error("cannot open the flight recorder's object", errno);
    if (Status prepared = out->prepare(script, targets); !prepared) return prepared.error();
    if (const int code = targets.load(out->object_.get()); code < 0) {
        const LoadLog log{capture.text()};
        Error error = system_error("the kernel refuses the flight recorder", -code);
        error.hint = log.verifier_complaint().empty() ? "run as root, on Linux 6.1 or later" : log.verifier_complaint();
        return error;
    }
    if (Status mapped = out->map_memory(script); !mapped) return mapped.error();
    return out;
}

uint64_t RecorderObject::missed() const {
    uint64_t sum = 0;
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object_.get(), program));) {
        if (!bpf_program__autoload(program)) continue;
        bpf_prog_info info{};
        uint32_t size = sizeof info;
        if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0) sum += info.recursion_misses;
    }
    return sum;
}

// Programs that see the ends of interrupts come first in the object, so they are attached first.
Status RecorderObject::attach() {
    LogCapture capture;
    for (bpf_program* program = nullptr; (program = bpf_object__next_program(object_.get(), program));) {
        if (!bpf_program__autoload(program)) continue;
        bpf_link* link = bpf_program__attach_trace(program);
        if (!link)
            return system_error(fmt::format("cannot attach the flight recorder to {}",
                                            bpf_program__section_name(program) + typed.size()),
                                errno);
        links_.emplace_back(link);
    }
    return Done{};
}

}  // namespace lt
