#include "runtime/programs/perf_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <queue>
#include <utility>

#include "base/text.h"
#include "runtime/os/descriptor.h"
#include "runtime/os/file_state.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

constexpr off_t most_bytes = 256 << 20;

// Removes and returns a number at the front, and the space after it.
std::optional<uint64_t> take_hex(std::string_view& text) {
    if (text.starts_with("0x")) text.remove_prefix(2);
    uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (failure != std::errc{} || !text.starts_with(' ')) return {};
    text.remove_prefix(1);
    return number;
}

// The last number in a line of /proc/PID/status: in NSpid, the process's number in its own namespace.
std::string last_word(std::string_view status, std::string_view name) {
    for (std::string_view line : split(status, '\n')) {
        if (!line.starts_with(name)) continue;
        line = trim(line);
        return std::string(line.substr(line.find_last_of(" \t") + 1));
    }
    return "";
}

std::optional<std::string> perf_map_path(uint32_t pid) {
    const Result<std::string> status = read_text(fmt::format("/proc/{}/status", pid));
    if (!status) return {};
    const std::string inner = last_word(*status, "NSpid:");
    return fmt::format("/proc/{}/root/tmp/perf-{}.map", pid, inner.empty() ? std::to_string(pid) : inner);
}

bool is_trusted(const struct stat& file, uint32_t pid) {
    struct stat process{};
    if (::stat(fmt::format("/proc/{}", pid).c_str(), &process) != 0) return false;
    return S_ISREG(file.st_mode) && (file.st_uid == 0 || file.st_uid == process.st_uid) && file.st_size <= most_bytes;
}

}  // namespace

PerfMap::PerfMap(std::string_view text) {
    while (!text.empty() && functions_.size() <= most_functions) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const auto begin = take_hex(line);
        const auto size = begin ? take_hex(line) : std::nullopt;
        if (!size || *size == 0 || *size > UINT64_MAX - *begin || line.empty()) continue;
        functions_.push_back({*begin, *begin + *size, std::string(line)});
        bytes_ += sizeof(Function) + line.size();
    }
    if (functions_.size() > most_functions) {
        functions_ = {};
        bytes_ = 0;
    }
    make_ranges();
}

// The function at an address is the last one in the file of those that have begun and not ended there.
void PerfMap::make_ranges() {
    std::vector<std::pair<uint64_t, uint32_t>> begins;
    begins.reserve(functions_.size());
    for (const Function& f : functions_) begins.emplace_back(f.begin, static_cast<uint32_t>(begins.size()));
    std::ranges::sort(begins);
    std::priority_queue<uint32_t> begun;
    const auto add_range = [&](uint64_t begin) {
        const auto last = begun.empty() ? std::nullopt : std::optional(begun.top());
        if (!ranges_.empty() && ranges_.back().begin == begin) ranges_.pop_back();
        if (ranges_.empty() || ranges_.back().function != last) ranges_.push_back({begin, last});
    };
    const auto end_until = [&](uint64_t address) {
        while (!begun.empty() && functions_[begun.top()].end <= address) {
            const uint64_t end = functions_[begun.top()].end;
            while (!begun.empty() && functions_[begun.top()].end <= end) begun.pop();
            add_range(end);
        }
    };
    for (const auto& [begin, function] : begins) {
        end_until(begin);
        begun.push(function);
        add_range(begin);
    }
    end_until(UINT64_MAX);
    bytes_ += ranges_.capacity() * sizeof(Range);
}

const PerfMap::Function* PerfMap::at(uint64_t address) const {
    const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
    if (next == ranges_.begin() || !std::prev(next)->function) return nullptr;
    return &functions_[*std::prev(next)->function];
}

std::optional<std::string> perf_map_state(uint32_t pid) {
    const auto path = perf_map_path(pid);
    const auto state = path ? file_state(*path) : std::nullopt;
    return state ? std::optional(state->content) : std::nullopt;
}

std::optional<std::string> read_perf_map(uint32_t pid) {
    const auto path = perf_map_path(pid);
    if (!path) return {};
    const Descriptor fd(::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat about{};
    if (!fd || ::fstat(fd.get(), &about) != 0 || !is_trusted(about, pid)) return {};
    std::string text(static_cast<size_t>(about.st_size), '\0');
    const ssize_t got = ::read(fd.get(), text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return text;
}

}  // namespace lt
