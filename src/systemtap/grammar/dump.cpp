#include "systemtap/grammar/dump.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lt::stp {
namespace {

std::string line_of(const Point& point) {
    return text(point) + (point.optional ? " ?" : "") + (point.sufficient ? " !" : "");
}

class Dumper {
  public:
    explicit Dumper(const ast::Program& program) : program_(program) {}
    std::string take() { return std::move(out_); }

    void operator()(const Global& global) {
        line("global {}{}{}", global.wraps ? "% " : "", global.name,
             global.size != 0 ? fmt::format("[{}]", global.size) : "");
        if (global.value) out_ += dump(program_, *global.value, 1);
    }
    void operator()(const Alias& alias) {
        line("probe {} =", text(Point{alias.span, alias.name}));
        points(alias.points);
        block("before", alias.before);
        block("after", alias.after);
    }
    void operator()(const Probe& probe) {
        line("probe");
        points(probe.points);
        block("body", probe.body);
    }
    void operator()(const Function& function) {
        line("function {}{}", function.name, typed(function.type));
        for (const Function::Parameter& p : function.parameters) line("  parameter {}{}", p.name, typed(p.type));
        if (function.embedded)
            line("  C {}", quoted(*function.embedded));
        else
            block("body", function.body);
    }
    void operator()(const ast::CPiece& c) { line("C {}", quoted(c.text)); }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        out_ += fmt::format(format, std::forward<Args>(args)...);
        out_ += '\n';
    }
    static std::string typed(const std::string& type) { return type.empty() ? "" : " : " + type; }
    void points(const std::vector<Point>& points) {
        for (const Point& point : points) {
            line("  point {}", line_of(point));
            if (point.armed) out_ += "    if\n" + dump(program_, *point.armed, 3);
        }
    }
    void block(std::string_view title, const ast::Block& block) {
        if (block.statements.empty() && title != "body") return;
        line("  {}", title);
        out_ += dump(program_, block, 2);
    }

    const ast::Program& program_;
    std::string out_;
};

}  // namespace

std::string dump(const ast::Program& program, const Tree& tree) {
    std::vector<std::pair<uint32_t, std::string>> out;  // by position
    const auto add = [&](const auto& declarations) {
        for (const auto& each : declarations) {
            Dumper dumper(program);
            dumper(each);
            out.emplace_back(each.span.begin, dumper.take());
        }
    };
    add(tree.globals);
    add(tree.aliases);
    add(tree.probes);
    add(tree.functions);
    add(tree.embedded);
    std::ranges::stable_sort(out, {}, &std::pair<uint32_t, std::string>::first);
    std::string all;
    for (const auto& [position, text] : out) all += text;
    return all;
}

}  // namespace lt::stp
