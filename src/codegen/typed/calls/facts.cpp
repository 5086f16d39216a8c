#include "codegen/typed/calls/facts.h"

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <sys/socket.h>

#include <array>
#include <csignal>

#include "base/rows.h"

namespace lt {
namespace {

constexpr std::array clocks{
    ClockRow{"monotonic", BPF_FUNC_ktime_get_ns, {}},
    ClockRow{"boot", BPF_FUNC_ktime_get_boot_ns, {}},
    ClockRow{"tai", BPF_FUNC_ktime_get_tai_ns, {}},
    ClockRow{"sw_tai", BPF_FUNC_ktime_get_ns, SessionValue::tai_offset},
    ClockRow{"realtime", BPF_FUNC_ktime_get_ns, SessionValue::day_offset},
};

struct PrintkRow {
    Conversion conversion;
    std::string_view integer;
};
constexpr std::array printk{
    PrintkRow{Conversion::decimal, "%lld"},
    PrintkRow{Conversion::unsigned_, "%llu"},
    PrintkRow{Conversion::hex, "%llx"},
    PrintkRow{Conversion::string, "%s"},
};

}  // namespace

const ast::ExprId* address_taken(const ast::Expr& expr) {
    const auto* unary = std::get_if<ast::Unary>(&expr.node);
    return unary && unary->op == ast::UnaryOp::address ? &unary->operand : nullptr;
}

const ClockRow* find_clock(std::string_view name) { return find_row(clocks, name, &ClockRow::name); }

std::vector<std::string> clock_names() {
    std::vector<std::string> names;
    for (const ClockRow& row : clocks) names.emplace_back(row.name);
    return names;
}

std::string internet_bytes(const std::string& text) {
    std::array<char, longest_internet_address> bytes{};
    if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
    if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), longest_internet_address};
    return {};
}

int signal_number(std::string_view name) {
    if (name.starts_with("SIG")) name.remove_prefix(3);
    for (int number = 1; number < NSIG; number++) {
        const char* known = ::sigabbrev_np(number);
        if (known != nullptr && name == known) return number;
    }
    return 0;
}

std::string_view kernel_log_conversion(Conversion conversion) {
    for (const PrintkRow& row : printk)
        if (row.conversion == conversion) return row.integer;
    return {};
}

}  // namespace lt
