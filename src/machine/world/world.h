// Everything a program can observe: the fake clock, tasks, CPUs and stacks as its user sets them (Environment), and the
// machine's own memory and maps (World).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/execution.h"
#include "machine/image.h"
#include "machine/world/maps.h"
#include "machine/world/space.h"

namespace lt::machine {

struct Task {
    uint32_t tgid = 1000;
    uint32_t pid = 1000;  // of the thread
    uint32_t uid = 0;
    uint32_t gid = 0;
    std::string comm = "test";
    Address address = 0xffff888000001000;  // of its task_struct
};

struct Environment {
    unsigned cpu = 0;                         // whose values of per-CPU maps programs see
    std::optional<unsigned> cpu_number = {};  // as programs see it, if it is another one
    uint64_t now = 0;                         // nanoseconds
    uint64_t time_step = 0;                   // added after each question for the time
    uint64_t boot_offset = 0;                 // what the boot clock is ahead
    uint64_t tai_offset = 37'000'000'000;
    Task task;
    std::optional<uint32_t> owner = {};   // has the elements of task storage in these maps, instead of the task
    std::vector<std::string> owner_maps;  // their names
    uint32_t random = 1;                  // state of the generator; never 0
    uint64_t cgroup = 1;
    uint64_t function_ip = 0;
    uint64_t attach_cookie = 0;
    uint64_t call_depth = 0;          // of the task, in calls
    Address context_at = 0;           // where contexts lie; 0: anywhere
    uint64_t function_arguments = 0;  // of a traced function: context is as many u64, then its return value
    std::vector<Address> kernel_stack;
    std::vector<Address> user_stack;
    Space kernel;
    Space user;
    bool direct_kernel_reads = false;    // fentry and tp_btf: a load through a kernel pointer; 0 where there is nothing
    bool knows_own_memory_only = false;  // reading other memory is an error, and not a fault
    uint64_t instruction_limit = 1'000'000;
};

struct World : Image, Surroundings {
    unsigned cpus = 1;
    Environment environment;
    std::vector<Map> maps;  // by index in object.maps

    Map* map_at(Address handle);
    const Helper* helper(int32_t id) const override;
    Status goes_on(uint64_t instructions) override;
    bool load(Address at, std::span<uint8_t> out) const override;  // zeros where there is nothing
};

Result<World> make_world(Object object, unsigned cpus);

}  // namespace lt::machine
