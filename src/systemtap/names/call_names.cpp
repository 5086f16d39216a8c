#include "systemtap/names/call_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/arch.h"
#include "base/text.h"
#include "systemtap/names/shown.h"

namespace lt::stp {
namespace {

// System calls whose result is printed in hexadecimal.
constexpr std::array<std::string_view, 4> give_addresses{"mmap", "mremap", "brk", "shmat"};

// System calls with SystemTap points that only exist on other machines.
constexpr std::array<std::string_view, 12> other_machines{"send",    "recv",    "socketcall", "ipc",
                                                          "waitpid", "stat64",  "lstat64",    "fstat64",
                                                          "mmap2",   "fcntl64", "stime",      "umount2"};

// SystemTap's points of calls that the kernel names otherwise, or of a newer and an older call.
struct CallsOfPoint {
    std::string_view point, call, older = {};
    bool keeps_name = true;  // of the point, not of the call
};
constexpr std::array calls_of_points{
    CallsOfPoint{"stat", "newstat"},
    CallsOfPoint{"fstat", "newfstat"},
    CallsOfPoint{"lstat", "newlstat"},
    CallsOfPoint{"fstatat", "newfstatat"},
    CallsOfPoint{"uname", "newuname"},
    CallsOfPoint{"sendfile", "sendfile64"},
    CallsOfPoint{"pread", "pread64"},
    CallsOfPoint{"pwrite", "pwrite64"},
    CallsOfPoint{"getdents", "getdents64", "getdents"},
    CallsOfPoint{"pipe", "pipe2", "pipe", false},
    CallsOfPoint{"eventfd", "eventfd2", "eventfd", false},
    CallsOfPoint{"signalfd", "signalfd4", "signalfd", false},
    CallsOfPoint{"epoll_create", "epoll_create1", "epoll_create", false},
    CallsOfPoint{"inotify_init", "inotify_init1", "inotify_init", false},
};
constexpr std::string_view one_call = "tp_syscall";  // the family whose points are one call each

Alias alias_of_calls(ast::Program& program, const Point& point, const CallsOfPoint& row) {
    const Span where = point.span;
    Alias alias{where, point.parts, {}, {}, {}};
    for (const std::string_view call : {row.call, row.older}) {
        if (call.empty()) continue;
        Point one{where, {{where, std::string(one_call), {}}, {where, std::string(call), {}}}};
        if (point.parts.size() == 3) one.parts.push_back({where, "return", {}});
        one.optional = call == row.older;
        alias.points.push_back(std::move(one));
    }
    if (!row.keeps_name) return alias;
    const ast::ExprId name = program.add(where, ast::Name{"name"}),
                      text = program.add(where, ast::String{std::string(row.point)});
    alias.before.statements.push_back(program.add(where, ast::Assign{name, std::nullopt, text}));
    return alias;
}

}  // namespace

ast::ExprId name_at_run_time(ast::Program& program, Span where, bool returns) {
    const std::string_view before = returns ? "tracepoint:syscalls:sys_exit_" : "syscall:";
    constexpr uint64_t longest = 40;
    const auto expr = [&](ast::ExprNode node) { return program.add(where, std::move(node)); };
    const ast::ExprId place = expr(ast::Call{"@lt", where, {expr(ast::String{"probe"})}});
    return expr(ast::Call{
        "@lt",
        where,
        {expr(ast::String{"substr"}), place, expr(ast::Integer{before.size()}), expr(ast::Integer{longest})}});
}

void name_kernel_function(ast::Program& program, const FunctionTable& functions, const ast::Block& body,
                          const std::string& name, bool returns) {
    const std::string_view functions_of_calls = arch::native.system_call_functions;
    const std::string before(functions_of_calls.substr(0, functions_of_calls.size() - 1));
    const auto replace = [&](ast::ExprId id) {
        const auto* call = program.get<ast::Call>(id);
        const bool asks = call != nullptr && (call->name == "probefunc" || call->name == "ppfunc");
        if (!asks || !call->arguments.empty() || functions.has(call->name)) return;
        const Span where = program[id].span;
        ast::ExprNode whole = ast::String{before + name};
        if (is_glob(name))
            whole = ast::Binary{ast::BinaryOp::add, program.add(where, ast::String{before}),
                                name_at_run_time(program, where, returns)};
        program.put(id, std::move(whole));
    };
    ast::each_expr_in(program, body, replace);
}

std::optional<Alias> system_call_alias(ast::Program& program, const Point& point, const FunctionTable& functions) {
    constexpr std::array<std::string_view, 6> families{"syscall",     "nd_syscall",  "dw_syscall",
                                                       "nd1_syscall", "nd2_syscall", "tp_syscall"};
    const auto& parts = point.parts;
    const bool returns = parts.size() == 3 && parts[2].name == "return";
    const bool fits = (parts.size() == 2 || returns) && !parts[1].argument && !parts[0].argument;
    if (!fits || std::ranges::find(families, parts[0].name) == families.end()) return {};
    const std::string& name = parts[1].name;
    const Span where = point.span;
    const auto* calls = std::ranges::find(calls_of_points, name, &CallsOfPoint::point);
    if (calls != calls_of_points.end() && parts[0].name != one_call) return alias_of_calls(program, point, *calls);
    Alias alias{where, parts, {}, {}, {}};
    Point native{where, {{where, "kernel", {}}, {where, "syscall", name}}};
    if (returns) native.parts.push_back({where, "return", {}});
    native.optional = std::ranges::find(other_machines, name) != other_machines.end();
    alias.points.push_back(native);
    const auto expr = [&](ast::ExprNode node) { return program.add(where, std::move(node)); };
    const auto give = [&](const char* to, ast::ExprId value) {
        alias.before.statements.push_back(program.add(where, ast::Assign{expr(ast::Name{to}), std::nullopt, value}));
    };
    give("name", is_glob(name) ? name_at_run_time(program, where, returns) : expr(ast::String{name}));
    const StpSystemCall* known = returns ? nullptr : find_stp_system_call(name);
    if (known != nullptr) give("argstr", arguments_text(program, where, *known));
    // library functions of the same names
    const auto address = known ? stp_argument(*known, "serv_addr") : std::nullopt;
    for (const char* part : {"uaddr_af", "uaddr_ip", "uaddr_ip_port"}) {
        if (!address || functions.find(part, 1) == nullptr) continue;
        give(part, expr(ast::Call{part, where, {expr(ast::Name{fmt::format("${}", *address)})}}));
    }
    if (returns) {
        give("retval", expr(ast::Name{"$return"}));
        const bool is_address = std::ranges::find(give_addresses, name) != give_addresses.end();
        std::vector<ast::ExprId> shown{expr(ast::Name{"$return"})};
        if (is_address) shown.insert(shown.begin(), expr(ast::Integer{2}));
        if (functions.has("return_str"))
            give("retstr", expr(ast::Call{is_address ? "return_str" : "__result", where, shown}));
    }
    return alias;
}

}  // namespace lt::stp
