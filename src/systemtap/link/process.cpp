#include "systemtap/link/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "systemtap/link/counters.h"

namespace lt::stp {
namespace {

namespace files = std::filesystem;

// Events of a process itself; all other points are locations in its program.
constexpr std::array<std::string_view, 3> events{"begin", "end", "syscall"};

bool is_event(const std::vector<PointPart>& parts) {
    if (parts.size() < 2) return false;
    if (std::ranges::find(events, parts[1].name) != events.end()) return !parts[1].argument;
    return parts[1].name == "thread" && parts.size() == 3;
}

constexpr const char* no_program = "without -c or -x it needs a program";

// The part that restricts events of perf to a program.
std::vector<PointPart>::const_iterator counted(const std::vector<PointPart>& parts) {
    if (parts[0].name != "perf") return parts.end();
    return std::ranges::find(parts, "process", &PointPart::name);
}

std::string real_path(const std::string& path) {
    std::error_code failed;
    const files::path real = files::canonical(path, failed);
    return failed || !files::is_regular_file(real, failed) ? "" : real.string();
}

// The path that a shell would find; empty: there is none.
std::string program_of(const std::string& name) {
    if (name.find('/') != name.npos) return real_path(name);
    const char* path = std::getenv("PATH");
    for (std::string_view folder : split(path ? path : "/usr/bin:/bin", ':')) {
        if (std::string found = real_path(std::string(folder) + "/" + name); !found.empty()) return found;
    }
    return "";
}

std::string program_of(int64_t process) {
    std::error_code failed;
    const files::path exe = files::read_symlink(fmt::format("/proc/{}/exe", process), failed);
    return failed ? "" : exe.string();
}

class Maker {
  public:
    Maker(ast::Program& program, const Point& point, const Invocation& given, Diags& diags)
        : program_(program), point_(point), given_(given), diags_(diags) {}

    Alias run() {
        alias_.span = point_.span;
        alias_.name = point_.parts;
        const auto chosen = counted(point_.parts);
        const bool of_one = chosen != point_.parts.end();
        if (names_counter(point_) && !counted_event(point_).empty()) {
            of_named_counter(of_one ? &*chosen : nullptr);
            return std::move(alias_);
        }
        if (of_one) {
            of_counter(*chosen);
            return std::move(alias_);
        }
        const auto& argument = point_.parts[0].argument;
        if (!argument) {
            of_target();
        } else if (const auto* number = std::get_if<int64_t>(&*argument)) {
            of_number(*number);
        } else {
            of_program(std::get<std::string>(*argument));
        }
        return std::move(alias_);
    }

  private:
    ast::ExprId expr(ast::ExprNode node) { return program_.add(point_.span, std::move(node)); }
    ast::ExprId call(std::string name, std::vector<ast::ExprId> arguments) {
        return expr(ast::Call{std::move(name), point_.span, std::move(arguments)});
    }

    ast::ExprId negated(ast::ExprId value) { return expr(ast::Unary{ast::UnaryOp::logical_not, value}); }

    ast::StmtId next() { return program_.add(point_.span, ast::Evaluate{call(std::string(next_call), {})}); }

    void leave() { alias_.before.statements.push_back(next()); }

    void skip_if(ast::ExprId condition) {
        const ast::StmtId leave = next();
        alias_.before.statements.push_back(program_.add(point_.span, ast::If{condition, {{leave}}, {}}));
    }

    // The same point for every process, or at a location of a program.
    void stand_on(std::string_view family, std::optional<std::string> program) {
        Point under = point_;
        under.parts[0].name = family;
        under.parts[0].argument = std::nullopt;
        if (program) under.parts[0].argument = std::move(*program);
        alias_.points.push_back(std::move(under));
    }

    void of_program(const std::string& name) {
        const std::string path = program_of(name);
        if (path.empty()) return missing(fmt::format("program {} was not found", name), "");
        const bool begins = point_.parts[1].name == "begin";
        skip_if(negated(call(begins ? "__begins_program" : "__runs_program", {expr(ast::String{path})})));
        stand_on("_lt_process", std::nullopt);
    }

    // perf.type(1).config(2).process("PATH").counter("x"): the count of a thread is read whenever it leaves a CPU.
    void of_named_counter(const PointPart* chosen) {
        const auto* name = chosen && chosen->argument ? std::get_if<std::string>(&*chosen->argument) : nullptr;
        ast::ExprId wanted = expr(ast::Integer{1});
        if (chosen != nullptr) {
            const std::string path = program_of(name ? *name : given_.command);
            if (path.empty()) return missing(name ? fmt::format("program {} was not found", *name) : no_program, "");
            wanted = call("__runs_program", {expr(ast::String{path})});
        }
        const std::string event = counted_event(point_), counter = std::get<std::string>(*point_.parts.back().argument);
        const ast::ExprId now = call("@lt_number", {expr(ast::String{"counter"}), expr(ast::String{event})});
        const ast::ExprId left = call("__perf_left", {expr(ast::String{counter}), now, wanted});
        alias_.before.statements.push_back(program_.add(point_.span, ast::Evaluate{left}));
        leave();
        alias_.points.push_back({point_.span, {{point_.span, "kernel", {}}, {point_.span, "trace", "sched_switch"}}});
    }

    // perf.type(0).config(0).process("PATH"): events of all programs, filtered by this one.
    void of_counter(const PointPart& chosen) {
        const auto* name = chosen.argument ? std::get_if<std::string>(&*chosen.argument) : nullptr;
        const std::string path = program_of(name ? *name : given_.command);
        if (path.empty()) return missing(name ? fmt::format("program {} was not found", *name) : no_program, "");
        skip_if(negated(call("__runs_program", {expr(ast::String{path})})));
        Point under = point_;
        std::erase_if(under.parts, [](const PointPart& part) { return part.name == "process"; });
        alias_.points.push_back(std::move(under));
    }

    void of_number(int64_t number) {
        const auto wanted = expr(ast::Integer{static_cast<uint64_t>(number)});
        skip_if(expr(ast::Binary{ast::BinaryOp::not_equal, call("pid", {}), wanted}));
        if (is_event(point_.parts)) return stand_on("_lt_process", std::nullopt);
        const std::string path = program_of(number);
        if (path.empty()) return missing(fmt::format("there is no process {}", number), "");
        stand_on("process", path);
    }

    void of_target() {
        skip_if(negated(call("__in_target", {})));
        const std::string path = !given_.command.empty() ? program_of(given_.command)
                                 : given_.target != 0    ? program_of(given_.target)
                                                         : "";
        if (path.empty()) return missing(no_program, "write `process(\"PATH\")`, or run it with -c");
        stand_on("process", path);
    }

    void missing(std::string why, std::string hint) {
        if (!point_.optional)
            diags_.error(point_.span, fmt::format("{}: {}", text(point_), why)).hint = std::move(hint);
        alias_.before = {};
    }

    ast::Program& program_;
    const Point& point_;
    const Invocation& given_;
    Diags& diags_;
    Alias alias_;
};

}  // namespace

bool is_of_process(const Point& point) {
    const auto& parts = point.parts;
    if (parts.size() < 2) return false;
    if (counted(parts) != parts.end()) return true;
    if (names_counter(point)) return !counted_event(point).empty();
    if (parts[0].name != "process") return false;
    if (!parts[0].argument) return !is_event(parts) && parts[1].argument.has_value();
    return std::holds_alternative<int64_t>(*parts[0].argument) || is_event(parts);
}

Alias process_alias(ast::Program& program, const Point& point, const Invocation& given, Diags& diags) {
    return Maker(program, point, given, diags).run();
}

}  // namespace lt::stp
