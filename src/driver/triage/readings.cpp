#include "driver/triage/readings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lt::triage {
namespace {

// The words of a line, however many blanks are between them.
std::vector<std::string_view> words_in(std::string_view line) {
    std::vector<std::string_view> words;
    for (size_t at = 0;;) {
        at = line.find_first_not_of(" \t\r", at);
        if (at == line.npos) return words;
        const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
}

// Numbers from one word on; nothing if one of them is not a number.
std::optional<std::vector<uint64_t>> numbers_in(const std::vector<std::string_view>& words, size_t first) {
    std::vector<uint64_t> numbers;
    for (size_t i = first; i < words.size(); i++) {
        const auto number = parse_number<uint64_t>(words[i]);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

// "8:0"
bool read_device(std::string_view word, uint32_t& major, uint32_t& minor) {
    const size_t colon = word.find(':');
    if (colon == word.npos) return false;
    const auto first = parse_number<uint32_t>(word.substr(0, colon)),
               second = parse_number<uint32_t>(word.substr(colon + 1));
    if (!first || !second) return false;
    major = *first, minor = *second;
    return true;
}

// mountinfo writes blanks in paths as \040.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); i++) {
        const auto code = text[i] == '\\' && i + 3 < text.size() + 0 ? parse_number<unsigned>(text.substr(i + 1, 3), 8)
                                                                     : std::nullopt;
        if (code && *code < 256) {
            plain += static_cast<char>(*code);
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

}  // namespace

std::vector<Disk> read_diskstats(std::string_view text) {
    std::vector<Disk> disks;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() < 14) continue;
        const auto major = parse_number<uint32_t>(words[0]), minor = parse_number<uint32_t>(words[1]);
        const auto n = numbers_in(words, 3);
        if (!major || !minor || !n) continue;
        Disk disk{*major, *minor, std::string(words[2])};
        disk.requests = (*n)[0] + (*n)[4];
        disk.sectors = (*n)[2] + (*n)[6];
        disk.busy_ms = (*n)[9];
        disk.flight_ms = (*n)[10];
        if (n->size() >= 15) disk.requests += (*n)[11];
        if (n->size() >= 17) disk.requests += (*n)[15];
        disks.push_back(std::move(disk));
    }
    return disks;
}

Numbers read_numbers(std::string_view text) {
    Numbers numbers;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() != 2) continue;
        if (const auto number = parse_number<uint64_t>(words[1])) numbers.emplace(words[0], *number);
    }
    return numbers;
}

Numbers read_pairs(std::string_view text) {
    Numbers numbers;
    std::vector<std::string_view> names;
    for (const std::string_view line : split(text, '\n')) {
        std::vector<std::string_view> words = words_in(line);
        if (words.empty() || !words[0].ends_with(':')) {
            names.clear();
            continue;
        }
        if (names.empty() || names[0] != words[0]) {
            names = std::move(words);
            continue;
        }
        const std::string_view group = words[0].substr(0, words[0].size() - 1);
        for (size_t i = 1; i < std::min(names.size(), words.size()); i++)
            if (const auto number = parse_number<uint64_t>(words[i]))
                numbers.emplace(fmt::format("{}.{}", group, names[i]), *number);
        names.clear();
    }
    return numbers;
}

Numbers read_softirqs(std::string_view text) {
    Numbers numbers;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() < 2 || !words[0].ends_with(':')) continue;
        const auto counts = numbers_in(words, 1);
        if (!counts) continue;
        uint64_t total = 0;
        for (const uint64_t count : *counts) total += count;
        numbers.emplace(words[0].substr(0, words[0].size() - 1), total);
    }
    return numbers;
}

std::map<uint32_t, std::string> read_interrupts(std::string_view text) {
    std::map<uint32_t, std::string> devices;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() < 2 || !words[0].ends_with(':')) continue;
        const auto number = parse_number<uint32_t>(words[0].substr(0, words[0].size() - 1));
        if (number && !parse_number<uint64_t>(words.back())) devices.emplace(*number, words.back());
    }
    return devices;
}

std::optional<Pressure> read_pressure(std::string_view text) {
    Pressure pressure;
    bool any = false;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() < 2 || !words.back().starts_with("total=")) continue;
        const auto total = parse_number<uint64_t>(words.back().substr(6));
        if (!total || (words[0] != "some" && words[0] != "full")) continue;
        (words[0] == "some" ? pressure.some_us : pressure.full_us) = *total;
        any = true;
    }
    return any ? std::optional(pressure) : std::nullopt;
}

std::optional<CpuTicks> read_cpu_ticks(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() < 9 || words[0] != "cpu") continue;
        const auto n = numbers_in(words, 1);
        if (!n) return std::nullopt;
        CpuTicks ticks;
        for (size_t i = 0; i < 8; i++) ticks.total += (*n)[i];
        ticks.idle = (*n)[3] + (*n)[4];
        ticks.steal = (*n)[7];
        return ticks;
    }
    return std::nullopt;
}

std::vector<uint16_t> read_listening(std::string_view text) {
    std::vector<uint16_t> ports;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        if (words.size() < 4 || words[3] != "0A") continue;  // TCP_LISTEN
        const size_t colon = words[1].rfind(':');
        if (colon == words[1].npos) continue;
        if (const auto port = parse_number<uint16_t>(words[1].substr(colon + 1), 16)) ports.push_back(*port);
    }
    std::ranges::sort(ports);
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    return ports;
}

// `30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate`
std::vector<GroupMount> read_group_mounts(std::string_view mountinfo) {
    std::vector<GroupMount> mounts;
    for (const std::string_view line : split(mountinfo, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        const auto dash = std::ranges::find(words, "-");
        if (words.size() < 7 || words.end() - dash < 4) continue;
        const bool unified = dash[1] == "cgroup2";
        if (!unified && dash[1] != "cgroup") continue;
        GroupMount mount{unescaped(words[4]), {}, unified};
        if (!unified)
            for (const std::string_view option : split(dash[3], ',')) mount.controllers.emplace_back(option);
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

std::optional<uint64_t> read_device_number(std::string_view text) {
    uint32_t major = 0, minor = 0;
    if (!read_device(trim(text), major, minor)) return std::nullopt;
    return device_number(major, minor);
}

std::vector<IoLimit> read_io_max(std::string_view text) {
    std::vector<IoLimit> limits;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        IoLimit limit;
        if (words.size() < 2 || !read_device(words[0], limit.major, limit.minor)) continue;
        for (size_t i = 1; i < words.size(); i++) {
            if (words[i].ends_with("=max")) continue;
            if (!limit.limits.empty()) limit.limits += ' ';
            limit.limits += words[i];
        }
        if (!limit.limits.empty()) limits.push_back(std::move(limit));
    }
    return limits;
}

std::vector<IoLimit> read_throttle_device(std::string_view text, std::string_view name) {
    std::vector<IoLimit> limits;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> words = words_in(line);
        IoLimit limit;
        if (words.size() != 2 || !read_device(words[0], limit.major, limit.minor)) continue;
        if (!parse_number<uint64_t>(words[1])) continue;
        limit.limits = fmt::format("{}={}", name, words[1]);
        limits.push_back(std::move(limit));
    }
    return limits;
}

void add_limit(std::vector<IoLimit>& limits, const IoLimit& limit) {
    const auto same = std::ranges::find_if(
        limits, [&](const IoLimit& other) { return other.major == limit.major && other.minor == limit.minor; });
    if (same == limits.end())
        limits.push_back(limit);
    else
        same->limits += " " + limit.limits;
}

std::optional<Quota> read_cpu_max(std::string_view text) {
    const std::vector<std::string_view> words = words_in(split(text, '\n').front());
    if (words.size() != 2) return std::nullopt;
    const auto quota = parse_number<uint64_t>(words[0]), period = parse_number<uint64_t>(words[1]);
    if (!quota || !period || *period == 0) return std::nullopt;
    return Quota{*quota, *period};
}

std::optional<TaskState> read_task_stat(std::string_view text) {
    const size_t open = text.find('('), close = text.rfind(')');
    if (open == text.npos || close == text.npos || close < open || close + 2 >= text.size()) return std::nullopt;
    return TaskState{std::string(text.substr(open + 1, close - open - 1)), text[close + 2]};
}

}  // namespace lt::triage
