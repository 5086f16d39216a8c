// A machine without a kernel: loads an Object, runs its programs against fake maps, clock, tasks and memory, and shows
// its user the maps as a system call would. Nothing in it depends on the real time or machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/object.h"
#include "machine/world/world.h"

namespace lt::machine {

class Machine {
  public:
    static Result<Machine> create(Object object, unsigned cpus = 1);

    const Object& object() const { return world_.object; }
    unsigned cpus() const { return world_.cpus; }
    Environment& environment() { return world_.environment; }  // set before a run

    // Runs the program of that function name; returns r0. An error names program, instruction and reason.
    Result<uint64_t> run(std::string_view program, std::span<const uint8_t> context = {});
    // The same, for programs that may write to their context.
    Result<uint64_t> run_writable(std::string_view program, std::span<uint8_t> context);
    uint64_t instructions() const { return instructions_; }  // executed by the last run

    // A value of a per-CPU map is the values of all CPUs, each padded to a multiple of 8 bytes.
    Result<std::vector<std::pair<Bytes, Bytes>>> entries(std::string_view map);
    Result<std::optional<Bytes>> lookup(std::string_view map, std::span<const uint8_t> key);
    Status update(std::string_view map, std::span<const uint8_t> key, std::span<const uint8_t> value,
                  uint64_t flags = BPF_ANY);
    Status erase(std::string_view map, std::span<const uint8_t> key);

    // Of a ring buffer: the records submitted since the last time, and room for how many bytes.
    Result<std::vector<Bytes>> drain(std::string_view map);
    Status set_capacity(std::string_view map, size_t bytes);
    Result<uint64_t> lost(std::string_view map);  // reservations and outputs refused for want of room

    // The memory itself of an array's first value, and of a section of variables; empty: there is none.
    std::span<uint8_t> element(std::string_view map);
    std::span<uint8_t> section(std::string_view name);

    // A global variable of the object, in whatever section it is.
    Result<Bytes> variable(std::string_view name) const;
    Status set_variable(std::string_view name, std::span<const uint8_t> bytes);

  private:
    struct Place {
        Address section = 0;
        size_t offset = 0;
        size_t size = 0;
    };
    explicit Machine(World world) : world_(std::move(world)) {}
    Result<uint64_t> run_in(std::string_view program, Address context);
    Status check_reservations(std::string_view program);
    Map* find_map(std::string_view name);
    Result<Table*> table(std::string_view name);
    Result<RingBuffer*> ring(std::string_view name);
    Result<Place> place(std::string_view variable) const;

    World world_;
    uint64_t instructions_ = 0;
};

}  // namespace lt::machine
