// Facts about arguments of calls for both the checker and the lowering.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/typed/typed.h"
#include "stdlib/format.h"

namespace lt {

inline const std::string& text_literal(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }
inline const ast::Integer* plain_number(const ast::Expr& expr) { return std::get_if<ast::Integer>(&expr.node); }
// The operand of &, if the expression is one.
const ast::ExprId* address_taken(const ast::Expr& expr);

struct ClockRow {
    std::string_view name;
    int helper;
    std::optional<SessionValue> ahead;  // its lead over the monotonic clock at the start
};
// Null if there is no such clock.
const ClockRow* find_clock(std::string_view name);
std::vector<std::string> clock_names();

// The 4 or 16 bytes of an internet address; empty if the text is not one.
std::string internet_bytes(const std::string& text);
constexpr uint32_t longest_internet_address = 16;

// The number of "SIGUSR1" or "USR1"; 0 if there is no such signal.
int signal_number(std::string_view name);

// The conversion of bpf_trace_printk() for one of debugf(); empty if there is none.
std::string_view kernel_log_conversion(Conversion conversion);

// setsockopt() with this many arguments takes a descriptor first; with fewer it is for the accepted socket.
constexpr size_t with_descriptor = 4;

constexpr uint32_t hardware_bytes = 6;  // in an Ethernet address

}  // namespace lt
