#include "codegen/typed/calls/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>

#include "stdlib/system_calls.h"

namespace lt {
namespace {

std::string error_name(int64_t number) {
    const char* name = ::strerrorname_np(static_cast<int>(number));
    return number > 0 && name != nullptr ? name : "";
}

std::string named_error(int64_t number) {
    const char* text = ::strerrordesc_np(static_cast<int>(number));
    return text != nullptr ? text : "";
}

std::string signal_name(int64_t number) {
    const char* name = ::sigabbrev_np(static_cast<int>(number));
    return name != nullptr ? fmt::format("SIG{}", name) : "";
}

std::string described_signal(int64_t number) {
    const char* text = ::sigdescr_np(static_cast<int>(number));
    return text != nullptr ? text : "";
}

std::string call_name(int64_t number) { return std::string(system_call_name(number)); }

constexpr NameRow name_rows[] = {
    {Naming::error, 134, named_error, true},
    {Naming::error_name, 134, error_name, true},
    {Naming::signal, 65, signal_name, false},
    {Naming::signal_description, 65, described_signal, false},
    {Naming::syscall, system_call_numbers, call_name, false},
};

}  // namespace

const NameRow* find_names(const Type& type) {
    if (type.kind != Kind::integer) return nullptr;
    const auto* row = std::ranges::find(name_rows, type.naming, &NameRow::naming);
    return row == std::end(name_rows) ? nullptr : row;
}

uint32_t name_size(const Type& named) {
    const NameRow* row = find_names(named);
    if (row == nullptr) return 0;
    size_t longest = 0;
    for (int64_t i = 0; i < row->count; i++) longest = std::max(longest, row->name(i).size());
    return static_cast<uint32_t>(longest + 1);
}

}  // namespace lt
