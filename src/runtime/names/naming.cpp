#include "runtime/names/naming.h"

#include "runtime/os/effects.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "runtime/os/mounts.h"
#include "runtime/os/timestamps.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

constexpr uint64_t second = 1'000'000'000;
constexpr uint32_t longest_name = 128;  // for sorting

constexpr size_t longest_time = 1 << 20;

// As strftime() pads them.
std::string padded(int64_t seconds, std::string_view flags, size_t width) {
    width = std::min(width, longest_time);
    const size_t last = flags.find_last_of("_-0");
    const bool with_zeros = last != flags.npos && flags[last] == '0';
    return with_zeros ? fmt::format("{:0{}}", seconds, width) : fmt::format("{:{}}", seconds, width);
}

// strftime() has no fractions of a second, and it takes the parts of a time for local time to compute %s.
std::string with_numbers(std::string_view format, int64_t seconds, uint64_t fraction) {
    std::string out;
    while (!format.empty()) {
        const size_t text = std::min(format.find('%'), format.size());
        out += format.substr(0, text);
        format.remove_prefix(text);
        const size_t width = format.find_first_not_of("_-0^#", 1);
        const size_t letter = std::min(format.find_first_not_of("0123456789EO", width), format.size());
        if (letter == format.size()) return out.append(format);
        const std::string_view digits = format.substr(width, letter - width);
        if (format[letter] == 's')
            out += padded(seconds, format.substr(1, width - 1),
                          parse_number<size_t>(digits.substr(0, digits.find_first_of("EO"))).value_or(0));
        else if (format.starts_with("%f"))
            out += fmt::format("{:06}", fraction / 1000);
        else
            out += format.substr(0, letter + 1);
        format.remove_prefix(letter + 1);
    }
    return out;
}

// strftime() returns 0 if the text does not fit, and also for an empty one: a byte stands before it.
std::string formatted(const std::string& format, const std::tm& parts) {
    const std::string with_byte = "." + format;
    for (std::string text(512, '\0'); text.size() <= longest_time; text.resize(2 * text.size())) {
        const size_t length = std::strftime(text.data(), text.size(), with_byte.c_str(), &parts);
        if (length != 0) return text.substr(1, length - 1);
    }
    return "(more than 1 MiB)";
}

std::string user_text(uint32_t uid) {
    std::vector<char> room(16384);
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(uid, &entry, room.data(), room.size(), &found);
    return found != nullptr ? found->pw_name : fmt::format("{}", uid);
}

std::string error_text(int64_t number) {
    const char* text = ::strerrordesc_np(static_cast<int>(number < 0 ? -number : number));
    return text != nullptr ? text : fmt::format("error {}", number);
}

std::string error_name_text(int64_t number) {
    const char* name = ::strerrorname_np(static_cast<int>(number < 0 ? -number : number));
    return name != nullptr ? name : fmt::format("error {}", number);
}

std::string signal_text(int64_t number) {
    const char* text = ::sigabbrev_np(static_cast<int>(number));
    return text != nullptr ? fmt::format("SIG{}", text) : fmt::format("signal {}", number);
}

std::string signal_description(int64_t number) {
    const char* text = ::sigdescr_np(static_cast<int>(number));
    return text != nullptr ? text : fmt::format("signal {}", number);
}

std::string syscall_text(int64_t number) {
    const auto bits = static_cast<uint64_t>(number);
    if (bits >> narrow_call_bit == 1) return fmt::format("32-bit call {}", static_cast<uint32_t>(bits));
    const std::string_view name = system_call_name(number);
    return name.empty() ? fmt::format("syscall {}", number) : std::string(name);
}

// The id of a control group is the inode of its folder.
std::string cgroup_text(uint64_t id, std::string_view hierarchy) {
    const std::string top = cgroup_mount();
    struct stat about{};
    if (!top.empty() && ::stat(top.c_str(), &about) == 0 && about.st_ino == id) return fmt::format("{}/", hierarchy);
    std::string found = fmt::format("{}", id);
    if (top.empty()) return found;
    walk_folders(top, [&](const std::filesystem::path& folder) {
        if (::stat(folder.c_str(), &about) != 0 || about.st_ino != id) return Visit::below;
        found = fmt::format("{}{}", hierarchy, folder.string().substr(top.size()));
        return Visit::end;
    });
    return found;
}

// Its current name; its number if it has ended.
std::string process_text(uint32_t pid) {
    const auto text = file_text(fmt::format("/proc/{}/comm", pid), 64);
    if (!text || text->empty()) return fmt::format("{}", pid);
    return text->substr(0, text->find('\n'));
}

// The requested part, "" for the name; the address if that is unknown.
std::string symbol_text(uint64_t address, uint32_t process, const SymbolAt& symbol, std::string_view part = {}) {
    const Frame frame = symbol(address, process);
    const size_t colon = frame.place.rfind(':');
    std::string text = part.empty()                                        ? frame.function
                       : part == symbol_object                             ? frame.object
                       : part == symbol_place || colon == frame.place.npos ? frame.place
                       : part == symbol_file                               ? frame.place.substr(0, colon)
                                                                           : frame.place.substr(colon + 1);
    return text.empty() ? fmt::format("{:#x}", address) : text;
}

std::string number_text(const Value& value, int64_t number, const SymbolAt& symbol,
                        std::optional<int64_t> unix_offset) {
    const auto bits = static_cast<uint64_t>(number);
    switch (value.type.naming) {
        case Naming::kernel_symbol:
            return symbol_text(bits, 0, symbol);
        case Naming::user:
            return user_text(static_cast<uint32_t>(bits));
        case Naming::time:
        case Naming::time_utc:
            return time_text(value.type.shape ? value.type.shape->name : "", bits,
                             value.type.naming == Naming::time_utc, unix_offset);
        case Naming::error:
            return error_text(number);
        case Naming::error_name:
            return error_name_text(number);
        case Naming::signal:
            return signal_text(number);
        case Naming::signal_description:
            return signal_description(number);
        case Naming::syscall:
            return syscall_text(number);
        case Naming::cgroup:
            return cgroup_text(bits, "");
        case Naming::cgroup_unified:
            return cgroup_text(bits, "unified:");
        case Naming::process:
            return process_text(static_cast<uint32_t>(bits));
        case Naming::none:
        case Naming::user_symbol:
        case Naming::internet:
        case Naming::hardware:
        case Naming::why:
            break;
    }
    return fmt::format("{}", number);
}

int64_t part(const Group& group, size_t i) {
    const auto* number = i < group.parts.size() ? std::get_if<int64_t>(&group.parts[i].data) : nullptr;
    return number != nullptr ? *number : 0;
}

std::string internet_text(const Group& group) {
    const auto* bytes = group.parts.size() > 1 ? std::get_if<Group>(&group.parts[1].data) : nullptr;
    if (bytes == nullptr) return {};
    std::array<uint8_t, 16> address{};
    for (size_t i = 0; i < address.size(); i++) address[i] = static_cast<uint8_t>(part(*bytes, i));
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto family = static_cast<int>(part(group, 0));
    if (::inet_ntop(family, address.data(), text.data(), text.size()) != nullptr) return text.data();
    return fmt::format("(not an IPv4 or IPv6 address: family {})", family);
}

std::string hardware_text(const Group& group) {
    std::string out;
    for (size_t i = 0; i < group.parts.size(); i++)
        out += fmt::format("{}{:02X}", i == 0 ? "" : ":", static_cast<uint8_t>(part(group, i)));
    return out;
}

std::string group_text(const Value& value, const Group& group, const SymbolAt& symbol) {
    if (value.type.naming == Naming::internet) return internet_text(group);
    if (value.type.naming == Naming::hardware) return hardware_text(group);
    return symbol_text(static_cast<uint64_t>(part(group, 0)), static_cast<uint32_t>(part(group, 1)), symbol,
                       value.type.shape ? value.type.shape->name : "");
}

}  // namespace

std::string time_text(const std::string& format, uint64_t nanoseconds, bool utc, std::optional<int64_t> unix_offset) {
    // Read each time, so that it is right again after the clock is set.
    const uint64_t real =
        nanoseconds + (unix_offset ? static_cast<uint64_t>(*unix_offset) : clock_now(CLOCK_REALTIME) - monotonic_now());
    const auto since_1970 = static_cast<int64_t>(real), whole = static_cast<int64_t>(second);
    const time_t seconds = since_1970 / whole - (since_1970 % whole < 0 ? 1 : 0);
    const uint64_t fraction = real - static_cast<uint64_t>(seconds) * second;
    std::tm parts{};
    utc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts);
    return formatted(with_numbers(format, seconds, fraction), parts);
}

bool is_named(const Type& type) {
    if (type.naming == Naming::why) return false;  // printers know its parts
    if (type.naming != Naming::none) return true;
    const Type* each = element(type);
    if (each != nullptr) return is_named(*each);
    if (!type.shape) return false;
    return std::ranges::any_of(type.shape->parts, is_named) ||
           std::ranges::any_of(type.shape->members, [](const Member& member) { return is_named(member.type); });
}

void name_values(std::span<Value> values, const SymbolAt& symbol, std::optional<int64_t> unix_offset) {
    for (Value& value : values) {
        auto* group = std::get_if<Group>(&value.data);
        if (value.type.naming == Naming::none || value.type.naming == Naming::why) {
            if (group != nullptr) name_values(group->parts, symbol, unix_offset);
            continue;
        }
        const auto* number = std::get_if<int64_t>(&value.data);
        if (group == nullptr && number == nullptr) continue;
        std::string text =
            group != nullptr ? group_text(value, *group, symbol) : number_text(value, *number, symbol, unix_offset);
        value = {string_type(longest_name), std::move(text)};
    }
}

}  // namespace lt
