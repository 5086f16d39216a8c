// The tree as text: one node per line, children indented by two spaces. Spans of text are not shown, so that a dump
// does not depend on the layout of the program.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "parser/tree/ast.h"

namespace lt::ast {
namespace {

class Dumper {
  public:
    explicit Dumper(const Program& program, size_t depth = 0) : program_(program), depth_(depth) {}
    std::string take() { return std::move(out_); }
    void item(const Item& item) { std::visit(*this, item.node); }
    void statements(const Block& block) {
        for (StmtId s : block.statements) std::visit(*this, program_[s].node);
    }
    void expr(ExprId id) { std::visit(*this, program_[id].node); }

    void operator()(const Action& a) {
        line("action {}", probes(a.probes));
        expr_under("predicate", a.predicate);
        block_under("body", a.body);
    }
    void operator()(const SpanAction& s) {
        endpoints(s);
        expr_under("predicate", s.predicate);
        expr_under("threshold", s.threshold);
        if (s.worst) line_under("threshold worst");
        block_under("body", s.body);
        if (s.timeout) timeout_under(*s.timeout);
    }
    void operator()(const Chain& c) {
        line("chain {}", c.name);
        for (const Chain::Point& p : c.points) {
            constexpr std::array words{"event", "last", "in"};
            line_under(
                fmt::format("{}{}", p.stage.empty() ? "point" : "stage ", p.stage.empty() ? "" : quoted(p.stage)));
            under_deeper([&] {
                for (const Endpoint& e : p.events) endpoint_under(words[static_cast<size_t>(p.how)], e);
                expr_under("predicate", p.predicate);
            });
        }
        for (const Chain::Unless& u : c.unless) {
            line_under(u.reason.empty() ? "unless" : "unless " + quoted(u.reason));
            under_deeper([&] {
                for (const Endpoint& e : u.events) endpoint_under("event", e);
                expr_under("predicate", u.predicate);
            });
        }
        expr_under("threshold", c.threshold);
        block_under("body", c.body);
        if (c.left_out) block_under("else", *c.left_out);
    }
    void operator()(const FunctionItem& f) {
        line("function {}{}", f.name, f.result ? " : " + text(*f.result) : "");
        for (const FunctionItem::Parameter& p : f.parameters)
            line_under(fmt::format("parameter ${} : {}", p.name, text(p.type)));
        block_under("body", f.body);
    }
    void c_function(const CFunction& f) {
        line("function {} : {} in C [{}, {})", f.name, f.result == CFunction::Result::text ? "string" : "number",
             f.text_span.begin, f.text_span.end);
        for (const CFunction::Parameter& p : f.parameters)
            line_under(fmt::format("parameter {} : {}", p.name, p.is_text ? "string" : "number"));
    }
    void operator()(const Macro& m) {
        line("macro {}", m.name);
        for (ExprId p : m.parameters) under(p);
        block_under("body", m.body);
        expr_under("value", m.value);
    }
    void operator()(const MapDeclaration& m) { line("let @{} = {}({})", m.name, m.kind, m.entries); }
    void operator()(const Config& c) {
        line("config");
        for (const Config::Setting& s : c.settings) line_under(fmt::format("{} = {}", s.name, quoted(s.value)));
    }
    void operator()(const CText& c) { line("C {}", quoted(c.text)); }
    void operator()(const Import& i) { line("import {}", quoted(i.path)); }
    void operator()(const Parameter& p) {
        line("param {}{}", p.name, p.help.empty() ? "" : " " + quoted(p.help));
        under(p.value);
    }

    void operator()(const Evaluate& e) {
        line("{}", e.discard ? "discard" : "evaluate");
        under(e.value);
    }
    void operator()(const Assign& a) {
        line("assign {}=", a.op ? spelling(*a.op) : "");
        under(a.target);
        under(a.value);
    }
    void operator()(const If& i) {
        line("if");
        under(i.condition);
        block_under("then", i.yes);
        if (!i.no.statements.empty()) block_under("else", i.no);
    }
    void operator()(const Return& r) {
        line("return");
        if (r.value) under(*r.value);
    }
    void operator()(const Let& l) {
        line("let ${}{}", l.name, l.type ? " : " + text(*l.type) : "");
        if (l.type && l.type->like) under(*l.type->like);
        if (l.value) under(*l.value);
    }
    void operator()(const Scope& s) {
        line("block");
        block_under("body", s.body);
    }
    void operator()(const While& w) {
        line("while");
        under(w.condition);
        block_under("body", w.body);
    }
    void operator()(const ForRange& f) {
        line("for ${} from to", f.name);
        under(f.from);
        under(f.to);
        block_under("body", f.body);
    }
    void operator()(const ForMap& f) {
        line("for ${} in", f.name);
        under(f.map);
        if (f.order) line_under("order " + text(*f.order));
        expr_under("limit", f.limit);
        block_under("body", f.body);
    }
    void operator()(const Unroll& u) {
        line("unroll");
        under(u.count);
        block_under("body", u.body);
    }
    void operator()(const Jump& j) { line("{}", j.again ? "continue" : "break"); }
    void operator()(const Attempt& a) {
        line("try");
        block_under("body", a.body);
        block_under(a.name.empty() ? "catch" : "catch $" + a.name, a.handler);
    }
    void operator()(const Raise& r) {
        line("raise");
        under(r.message);
    }

    void operator()(const Integer& i) { line("integer {}", i.value); }
    void operator()(const Boolean& b) { line("boolean {}", b.value); }
    void operator()(const Duration& d) { line("duration {}ns", d.nanoseconds); }
    void operator()(const String& s) { line("string {}", quoted(s.value)); }
    void operator()(const Name& n) { line("name {}", n.name); }
    void operator()(const Ellipsis&) { line("ellipsis"); }
    void operator()(const Local& l) { line("local ${}", l.name); }
    void operator()(const Map& m) {
        line("map @{}{}", m.name, m.has_key ? "[]" : "");
        for (ExprId k : m.key) under(k);
    }
    void operator()(const Member& m) {
        line("member {}", m.field);
        under(m.base);
    }
    void operator()(const Index& i) {
        line("index");
        under(i.base);
        under(i.index);
    }
    void operator()(const Tuple& t) {
        t.names.empty() ? line("tuple") : line("record {}", join(t.names, ", "));
        for (ExprId p : t.parts) under(p);
    }
    void operator()(const Cast& c) {
        line("cast {}", text(c.type));
        if (c.type.like) under(*c.type.like);
        under(c.value);
    }
    void operator()(const SizeOf& s) {
        line("sizeof {}", text(s.type));
        if (s.type.like) under(*s.type.like);
    }
    void operator()(const OffsetOf& o) { line("offsetof {} {}", text(o.type), join(o.path, ".")); }
    void operator()(const Call& c) {
        line("call {}", c.name);
        for (ExprId a : c.arguments) under(a);
    }
    void operator()(const Unary& u) {
        line("unary {}", spelling(u.op));
        under(u.operand);
    }
    void operator()(const Binary& b) {
        line("binary {}", spelling(b.op));
        under(b.left);
        under(b.right);
    }
    void operator()(const Conditional& c) {
        line("conditional");
        under(c.condition);
        under(c.yes);
        under(c.no);
    }

    void operator()(const Step& s) {
        line("step {0}{1}{1}", s.before ? "before " : "", spelling(s.op));
        under(s.target);
    }
    void operator()(const Positional& p) { p.number == 0 ? line("positional count") : line("positional {}", p.number); }
    void operator()(const AnyPart&) { line("any"); }
    void operator()(const Defined& d) {
        line("{}", d.is_value ? "comptime" : "defined");
        under(d.value);
    }
    void operator()(const BlockValue& b) {
        line("{}", b.is_call ? "called block" : "block with a value");
        block_under("body", b.block);
        expr_under("value", b.value);
    }

  private:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        out_.append(2 * depth_, ' ');
        out_ += fmt::format(format, std::forward<Args>(args)...);
        out_ += '\n';
    }

    void under(ExprId id) {
        depth_++;
        std::visit(*this, program_[id].node);
        depth_--;
    }

    void expr_under(std::string_view title, const std::optional<ExprId>& id) {
        if (!id) return;
        depth_++;
        line("{}", title);
        under(*id);
        depth_--;
    }

    void block_under(std::string_view title, const Block& block) {
        depth_++;
        line("{}", title);
        depth_++;
        statements(block);
        depth_ -= 2;
    }

    void line_under(std::string_view text) {
        depth_++;
        line("{}", text);
        depth_--;
    }

    template <class Work>
    void under_deeper(const Work& work) {
        depth_++;
        work();
        depth_--;
    }

    void timeout_under(const Timeout& t) {
        line_under("timeout");
        depth_++;
        under(t.after);
        block_under("body", t.body);
        depth_--;
    }

    // In the span's own line, unless there is more to show than the probes.
    void endpoints(const SpanAction& s) {
        const auto has_key = [](const Endpoint& e) { return !e.key.empty(); };
        if (s.closes.empty() && std::ranges::none_of(s.opens, has_key)) {
            line("span {}{}", s.name.empty() ? "" : s.name + " = ", probes(s.opens));
            return;
        }
        line("span{}{}", s.name.empty() ? "" : " ", s.name);
        for (const Endpoint& e : s.opens) endpoint_under("open", e);
        for (const Endpoint& e : s.closes) endpoint_under("close", e);
    }

    void endpoint_under(std::string_view title, const Endpoint& endpoint) {
        depth_++;
        line("{} {}", title, probe(endpoint.probe));
        for (ExprId k : endpoint.key) under(k);
        if (!endpoint.next_key.empty()) line_under("becomes");
        for (ExprId k : endpoint.next_key) under(k);
        expr_under("predicate", endpoint.predicate);
        depth_--;
    }

    static std::string part(const ProbeSpec::Part& p) {
        return p.text.find_first_of(": ,") == std::string::npos ? p.text : quoted(p.text);
    }

    static std::string probe(const ProbeSpec& spec) {
        std::string out = spec.label.empty() ? "" : spec.label + "=";
        for (const ProbeSpec::Part& p : spec.parts) out += (&p == &spec.parts.front() ? "" : ":") + part(p);
        return out;
    }
    static std::string probe(const Endpoint& endpoint) { return probe(endpoint.probe); }

    template <class Event>
    static std::string probes(const std::vector<Event>& events) {
        std::string out;
        for (const Event& event : events) out += (out.empty() ? "" : ", ") + probe(event);
        return out;
    }

    const Program& program_;
    std::string out_;
    size_t depth_;
};

}  // namespace

std::string text(const TypeName& type) {
    std::string out =
        (type.like ? "typeof" : type.name) + (type.pointers > 0 ? " " : "") + std::string(type.pointers, '*');
    return type.count ? fmt::format("{}[{}]", out, *type.count) : out;
}

std::string text(const MapOrder& order) {
    const std::string part = order.part ? fmt::format(".{}", *order.part) : "";
    return fmt::format("{}{} {}", spelling(order.by), part, order.descending ? "desc" : "asc");
}

std::string dump(const Program& program) {
    Dumper dumper(program);
    for (const Item& item : program.items) dumper.item(item);
    for (const CFunction& f : program.c_functions) dumper.c_function(f);
    return program.declarations + dumper.take();
}

std::string dump(const Program& program, const Block& block, size_t depth) {
    Dumper dumper(program, depth);
    dumper.statements(block);
    return dumper.take();
}

std::string dump(const Program& program, ExprId id, size_t depth) {
    Dumper dumper(program, depth);
    dumper.expr(id);
    return dumper.take();
}

}  // namespace lt::ast
