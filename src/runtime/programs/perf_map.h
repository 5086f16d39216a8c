// The functions that a just-in-time compiler has made in a process, as it lists them in /tmp/perf-PID.map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

class PerfMap {
  public:
    static constexpr size_t most_functions = 1 << 22;

    // Lines "START SIZE NAME" with hexadecimal numbers; others are skipped. If two overlap, because code was freed and
    // its memory reused, the later line counts. Empty if there are more than most_functions: without the later ones,
    // names would be wrong.
    explicit PerfMap(std::string_view text);
    bool empty() const { return functions_.empty(); }
    size_t bytes() const { return bytes_; }  // about what it takes in memory

    struct Function {
        uint64_t begin, end;
        std::string name;
    };
    const Function* at(uint64_t address) const;  // null if there is none

  private:
    struct Range {
        uint64_t begin;                    // it ends where the next one begins
        std::optional<uint32_t> function;  // its place in functions_
    };
    void make_ranges();

    std::vector<Function> functions_;  // in the order of the file
    std::vector<Range> ranges_;        // in the order of their addresses
    size_t bytes_ = 0;
};

// The text of a process's own list, in its own file system and under its own number there. None if it cannot be
// trusted: anybody may write to /tmp, so it must belong to root or to the user who runs the process.
std::optional<std::string> read_perf_map(uint32_t pid);

// Differs after the list has changed (FileState::content). None if there is no list, or no process.
std::optional<std::string> perf_map_state(uint32_t pid);

}  // namespace lt
