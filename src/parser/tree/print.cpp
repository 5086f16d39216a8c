#include "parser/tree/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "parser/tree/print_expr.h"

namespace lt::ast {
namespace {

constexpr size_t most_columns = 100;
constexpr size_t most_beside = 2;  // the largest number of statements in one line
constexpr std::string_view step = "    ";

bool is_simple(const StmtNode& node) {
    return std::holds_alternative<Evaluate>(node) || std::holds_alternative<Assign>(node) ||
           std::holds_alternative<Return>(node) || std::holds_alternative<Let>(node) ||
           std::holds_alternative<Jump>(node);
}

// A statement that is too long continues under its first bracket, after a comma.
std::string wrapped(const std::string& text, size_t indent) {
    const size_t open = text.find_first_of("([");
    if (indent + text.size() <= most_columns || open == std::string::npos) return text;
    std::string out, line = text.substr(0, open + 1);
    const std::string below(indent + open + 1, ' ');
    size_t depth = 1, begin = open + 1;
    bool quotes = false;
    const auto take = [&](size_t end) {
        const std::string part = text.substr(begin, end - begin);
        const size_t column = (out.empty() ? indent : 0) + line.size();
        const bool is_first = line.size() == open + 1 && out.empty();
        if (column + part.size() > most_columns && !is_first && trim(line) != "") {
            out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
            line = below + std::string(trim(part)) + (part.ends_with(' ') ? " " : "");
        } else {
            line += part;
        }
        begin = end;
    };
    for (size_t i = open + 1; i < text.size(); i++) {
        if (text[i] == '"' && text[i - 1] != '\\') quotes = !quotes;
        if (quotes) continue;
        depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
        depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
        if (depth == 0) break;
        if (depth == 1 && text[i] == ',') take(i + 2);
    }
    take(text.size());
    return out + line;
}

class Printer final : public ExprPrinter {
  public:
    Printer(const Program& program, const PrintOptions& options)
        : ExprPrinter(program, options.source), options_(options) {}

    std::string all() {
        remarks(options_.first, "");
        for (size_t i = 0; i < program_.items.size(); i++) item(i);
        if (!options_.last.empty() && !out_.empty()) out_ += '\n';
        remarks(options_.last, "");
        return std::move(out_);
    }

    void operator()(const Action& a) {
        std::vector<std::string> probes;
        for (const ProbeSpec& p : a.probes) probes.push_back(probe(p));
        head(probes, a.predicate, {});
        body(a.body, "{", "}", Bare::anything);
    }
    void operator()(const SpanAction& s) {
        std::vector<std::string> events = endpoints(s.opens);
        if (!s.name.empty()) events.front().insert(0, fmt::format("span {} = ", s.name));
        if (!s.closes.empty()) {
            std::vector<std::string> closes = endpoints(s.closes);
            closes.front().insert(0, "-> ");
            events.back() += " " + join(closes, ", ");
        }
        std::string threshold;
        if (s.threshold) threshold = " > " + expr(*s.threshold, 0, Bare::no_less);
        if (s.worst) threshold = " > worst";
        head(events, s.predicate, threshold);
        body(s.body, "<", ">", Bare::no_greater);
        if (!s.timeout) return;
        out_ += " timeout " + expr(s.timeout->after) + " ";
        body(s.timeout->body, "{", "}", Bare::anything);
    }
    void operator()(const Chain& c) {
        out_ += fmt::format("chain {} =\n", c.name);
        for (const Chain::Point& p : c.points) {
            constexpr std::array words{"", "last ", "in "};
            out_ += fmt::format("    {}{}{}{}", &p == &c.points.front() ? "" : "-> ",
                                p.stage.empty() ? "" : quoted(p.stage) + " ", words[static_cast<size_t>(p.how)],
                                join(endpoints(p.events), ", "));
            out_ += (p.predicate ? " /" + expr(*p.predicate) + "/" : "") + "\n";
        }
        for (const Chain::Unless& u : c.unless) {
            out_ += fmt::format("    unless {}{}", u.reason.empty() ? "" : quoted(u.reason) + " ",
                                join(endpoints(u.events), ", "));
            out_ += (u.predicate ? " /" + expr(*u.predicate) + "/" : "") + "\n";
        }
        if (c.threshold) out_ += "    > " + expr(*c.threshold, 0, Bare::no_less) + "\n";
        body(c.body, "<", ">", Bare::no_greater);
        if (!c.left_out) return;
        out_ += " else ";
        body(*c.left_out, "{", "}", Bare::anything);
    }
    void operator()(const FunctionItem& f) {
        std::vector<std::string> parameters;
        for (const FunctionItem::Parameter& p : f.parameters)
            parameters.push_back(p.type.name.empty() && !p.type.like ? "$" + p.name
                                                                     : fmt::format("${} : {}", p.name, type(p.type)));
        const bool says_type = f.result && (!f.result->name.empty() || f.result->like);
        out_ += fmt::format("fn {}({}){} ", f.name, join(parameters, ", "), says_type ? " : " + type(*f.result) : "");
        body(f.body, "{", "}", Bare::anything);
    }
    void operator()(const Macro& m) {
        out_ += fmt::format("macro {}({}) ", m.name, list(m.parameters));
        body(m.body, "{", "}", Bare::anything, m.value);
    }
    void operator()(const MapDeclaration& m) { out_ += fmt::format("let @{} = {}({});", m.name, m.kind, m.entries); }
    void operator()(const Config& c) {
        out_ += "config = {";
        for (const Config::Setting& s : c.settings) out_ += fmt::format(" {} = {};", s.name, setting(s.value));
        out_ += " }";
    }
    void operator()(const CText& c) { out_ += c.text; }
    void operator()(const Import& i) { out_ += fmt::format("import {};", quoted(i.path)); }
    void operator()(const Parameter& p) {
        out_ += fmt::format("param {} = {}{}", p.name, expr(p.value), p.help.empty() ? "" : " " + quoted(p.help));
    }

  private:
    // ---- items

    // Declarations are kept together; other items are separated by an empty line.
    void item(size_t i) {
        const Item& it = program_.items[i];
        const auto is_short = [](const Item& x) {
            return !std::holds_alternative<Action>(x.node) && !std::holds_alternative<SpanAction>(x.node) &&
                   !std::holds_alternative<Chain>(x.node) && !std::holds_alternative<FunctionItem>(x.node) &&
                   !std::holds_alternative<Macro>(x.node);
        };
        const auto found = options_.remarks.find(i);
        pending_ = found == options_.remarks.end() ? nullptr : &found->second;
        next_ = 0;
        const bool together = i > 0 && is_short(it) && program_.items[i - 1].node.index() == it.node.index();
        if (!out_.empty() && !together && !out_.ends_with("\n\n")) out_ += '\n';
        remarks_before(it.span.begin, "");
        item_end_ = it.span.end;
        std::visit(*this, it.node);
        out_ += remark_after(it.span.end, UINT32_MAX);
        out_ += '\n';
        remarks_before(UINT32_MAX, "");
    }

    void head(const std::vector<std::string>& events, const std::optional<ExprId>& predicate, const std::string& more) {
        std::string line;
        for (size_t i = 0; i < events.size(); i++) {
            const bool is_last = i + 1 == events.size();
            if (line.size() + events[i].size() > most_columns && !line.empty()) {
                out_ += std::string(trim(line)) + '\n';
                line.clear();
            }
            line += events[i] + (is_last ? "" : ", ");
        }
        if (predicate) {
            const std::string condition = "/" + expr(*predicate) + "/";
            const bool fits = line.size() + condition.size() + more.size() < most_columns;
            line += (fits ? " " : "\n") + condition;
        }
        out_ += line + more + " ";
    }

    std::vector<std::string> endpoints(const std::vector<Endpoint>& all) {
        std::vector<std::string> out;
        for (const Endpoint& e : all) {
            std::string text = probe(e.probe);
            const std::string next = e.next_key.empty() ? "" : " => " + list(e.next_key);
            if (!e.key.empty()) text += "[" + list(e.key) + next + "]";
            if (e.predicate) text += " /" + expr(*e.predicate) + "/";
            out.push_back(std::move(text));
        }
        return out;
    }

    static std::string probe(const ProbeSpec& spec) {
        std::string out = spec.label.empty() ? "" : spec.label + "=";
        for (const ProbeSpec::Part& p : spec.parts) {
            const bool is_plain = p.text.find_first_of(": ,{}<>;/") == std::string::npos || p.text.starts_with('/');
            const bool is_bare = is_plain && p.text.find_first_of(": ,{}<>;\"") == std::string::npos;
            out += (&p == &spec.parts.front() ? "" : ":") + (is_bare ? p.text : quoted(p.text));
        }
        return out;
    }

    static std::string setting(const std::string& value) {
        return !value.empty() && std::ranges::all_of(value, is_word_character) ? value : quoted(value);
    }

    // ---- comments

    void line(const std::string& indent, std::string_view text) {
        out_ += indent;
        out_ += text;
        out_ += '\n';
    }

    void remark(const Remark& r, const std::string& indent) {
        for (std::string_view each : split(r.text, '\n')) each.empty() ? line("", "") : line(indent, each);
        if (r.apart) out_ += '\n';
    }
    void remarks(const std::vector<Remark>& all, const std::string& indent) {
        for (const Remark& r : all) remark(r, indent);
    }
    bool has_remark_before(uint32_t offset) const {
        return pending_ != nullptr && next_ < pending_->size() && (*pending_)[next_].begin < offset;
    }
    void remarks_before(uint32_t offset, const std::string& indent) {
        while (has_remark_before(offset)) remark((*pending_)[next_++], indent);
    }
    // The comment in the line where something ends; `until`: where the next thing begins.
    std::string remark_after(uint32_t end, uint32_t until) {
        if (!has_remark_before(until)) return "";
        const Remark& r = (*pending_)[next_];
        if (!r.trails || r.begin < end || r.line_begin >= end || r.text.find('\n') != std::string::npos) return "";
        next_++;
        return "  " + r.text;
    }

    // ---- blocks

    void body(const Block& block, std::string_view open, std::string_view close, Bare bare,
              std::optional<ExprId> value = {}) {
        const size_t begin = out_.rfind('\n') == std::string::npos ? 0 : out_.rfind('\n') + 1;
        out_ += block_text(block, open, close, bare, "", out_.size() - begin, value);
    }

    // The end of a nested block in the text: its bracket, if only comments come before it. 0: unknown.
    uint32_t end_of(const Block& block) const {
        if (options_.source == nullptr || block.statements.empty()) return 0;
        const std::string_view text = options_.source->text;
        const Span first = program_[block.statements.front()].span, last = program_[block.statements.back()].span;
        if (last.empty() || first.begin >= text.size() || last.end > text.size()) return 0;
        const std::string_view before = trim(text.substr(0, first.begin));
        const bool opens = before.ends_with('{') || before.ends_with("*/") || ends_with_remark(before);
        for (size_t at = last.end; opens && at < text.size();) {
            if (text[at] == '}') return static_cast<uint32_t>(at);
            const bool is_block = text.substr(at, 2) == "/*";
            const bool is_line = text[at] == '#' || text.substr(at, 2) == "//";
            if (is_block || is_line) {
                const size_t end = text.find(is_block ? "*/" : "\n", at);
                if (end == text.npos) return 0;
                at = end + (is_block ? 2 : 1);
                continue;
            }
            if (text[at] != ';' && std::isspace(static_cast<unsigned char>(text[at])) == 0) return 0;
            at++;
        }
        return 0;
    }
    // Does the last line of the text end with a comment?
    static bool ends_with_remark(std::string_view text) {
        const size_t line = text.rfind('\n');
        const std::string_view last = line == text.npos ? text : text.substr(line + 1);
        return last.find('#') != last.npos || last.find("//") != last.npos;
    }

    // On one line if it is short and contains no comments.
    std::string block_text(const Block& block, std::string_view open, std::string_view close, Bare bare,
                           const std::string& indent, size_t column, std::optional<ExprId> value = {}) {
        const uint32_t end = block.statements.empty() ? 0 : program_[block.statements.back()].span.end;
        const bool in_lines = std::exchange(in_lines_, false);
        if (!has_remark_before(indent.empty() ? end : std::max(end, end_of(block))) && !in_lines) {
            const std::string beside = in_a_line(block, open, close, bare, value);
            if (!beside.empty() && column + beside.size() <= most_columns) return beside;
        }
        const std::string before = std::exchange(out_, "");
        const std::string inside = indent + std::string(step);
        for (size_t i = 0; i < block.statements.size(); i++) {
            const Stmt& s = program_[block.statements[i]];
            remarks_before(s.span.begin, inside);
            const bool is_last = i + 1 == block.statements.size();
            const uint32_t next = is_last ? item_end_ : program_[block.statements[i + 1]].span.begin;
            const std::string written = statement(s, bare, inside);
            out_ += inside + (is_simple(s.node) ? wrapped(written, inside.size()) : written);
            out_ += remark_after(s.span.end, next) + "\n";
        }
        if (value) line(inside, expr(*value, 0, bare));
        remarks_before(indent.empty() ? item_end_ : end_of(block), inside);
        const std::string lines = std::exchange(out_, before);
        in_lines_ = in_lines;
        return fmt::format("{}\n{}{}{}", open, lines, indent, close);
    }

    std::string in_a_line(const Block& block, std::string_view open, std::string_view close, Bare bare,
                          std::optional<ExprId> value) {
        if (block.statements.size() > most_beside) return "";
        std::string out(open);
        for (StmtId id : block.statements) {
            const Stmt& s = program_[id];
            const auto* branch = std::get_if<If>(&s.node);
            const bool alone = block.statements.size() == 1;
            const bool is_short = branch && alone && branch->no.statements.empty() &&
                                  branch->yes.statements.size() == 1 &&
                                  is_simple(program_[branch->yes.statements[0]].node);
            if (!is_simple(s.node) && !is_short) return "";
            out += " " + statement(s, bare, "");
        }
        if (value) out += " " + expr(*value, 0, bare);
        return out.find('\n') == std::string::npos ? out + " " + std::string(close) : "";
    }

    std::string block_value(const BlockValue& node) override { return in_a_line_of_any_length(node.block, node.value); }
    std::string in_a_line_of_any_length(const Block& block, const std::optional<ExprId>& value) {
        std::string out = "{";
        for (StmtId id : block.statements) out += " " + statement(program_[id], Bare::anything, "");
        return out + (value ? " " + expr(*value) : "") + " }";
    }

    // ---- statements: the first line without indentation, later lines with it

    std::string statement(const Stmt& s, Bare bare, const std::string& indent) {
        return std::visit([&](const auto& node) { return statement(node, bare, indent); }, s.node);
    }
    std::string nested(const std::string& head, const Block& block, const std::string& indent) {
        return head + block_text(block, "{", "}", Bare::anything, indent, indent.size() + head.size());
    }

    std::string statement(const Evaluate& n, Bare bare, const std::string&) {
        return (n.discard ? "_ = " : "") + expr(n.value, 0, bare) + ";";
    }
    std::string statement(const Assign& n, Bare bare, const std::string&) {
        const auto* one = std::get_if<Integer>(&program_[n.value].node);
        const bool steps = n.op && one && one->value == 1 && (*n.op == BinaryOp::add || *n.op == BinaryOp::subtract);
        const std::string target = expr(n.target, 0, bare);
        if (steps) return fmt::format("{}{}{};", target, spelling(*n.op), spelling(*n.op));
        return fmt::format("{} {}= {};", target, n.op ? spelling(*n.op) : "", expr(n.value, 0, bare));
    }
    // On one line as a whole, or not at all.
    std::string statement(const If& n, Bare, const std::string& indent) {
        const std::string head = fmt::format("if ({}) ", expr(n.condition));
        if (n.no.statements.empty()) return nested(head, n.yes, indent);
        const size_t first_comment = next_;
        const auto both = [&] {  // one after the other: each prints its comments
            const std::string yes = block_text(n.yes, "{", "}", Bare::anything, indent, 0);
            return head + yes + " else " + other(n, indent);
        };
        const std::string beside = both();
        if (beside.find('\n') == std::string::npos && indent.size() + beside.size() <= most_columns) return beside;
        next_ = first_comment;
        const bool before = std::exchange(in_lines_, true);
        const std::string out = both();
        in_lines_ = before;
        return out;
    }
    std::string other(const If& n, const std::string& indent) {
        const Stmt& first = program_[n.no.statements.front()];
        const bool goes_on = n.no.statements.size() == 1 && std::holds_alternative<If>(first.node);
        const bool lines = in_lines_;
        if (!goes_on) return block_text(n.no, "{", "}", Bare::anything, indent, 0);
        const If& next = std::get<If>(first.node);
        if (!lines) return statement(next, Bare::anything, indent);
        const std::string head = fmt::format("if ({}) ", expr(next.condition));
        in_lines_ = true;
        const std::string yes = head + block_text(next.yes, "{", "}", Bare::anything, indent, 0);
        in_lines_ = true;
        return next.no.statements.empty() ? yes : yes + " else " + other(next, indent);
    }
    std::string statement(const Return& n, Bare bare, const std::string&) {
        return n.value ? "return " + expr(*n.value, 0, bare) + ";" : "return;";
    }
    std::string statement(const Let& n, Bare bare, const std::string&) {
        return fmt::format("let ${}{}{};", n.name, n.type ? " : " + type(*n.type) : "",
                           n.value ? " = " + expr(*n.value, 0, bare) : "");
    }
    std::string statement(const Scope& n, Bare, const std::string& indent) { return nested("", n.body, indent); }
    std::string statement(const While& n, Bare, const std::string& indent) {
        return nested(fmt::format("while ({}) ", expr(n.condition)), n.body, indent);
    }
    std::string statement(const ForRange& n, Bare, const std::string& indent) {
        return nested(fmt::format("for (${} : {}..{}) ", n.name, expr(n.from), expr(n.to)), n.body, indent);
    }
    std::string statement(const ForMap& n, Bare, const std::string& indent) {
        return nested(fmt::format("for (${} : {}) ", n.name, walked(n)), n.body, indent);
    }
    std::string statement(const Unroll& n, Bare, const std::string& indent) {
        return nested(fmt::format("unroll ({}) ", expr(n.count)), n.body, indent);
    }
    std::string statement(const Jump& n, Bare, const std::string&) { return n.again ? "continue;" : "break;"; }
    // The language cannot catch errors: code that raises or catches them is not printed.
    std::string statement(const Attempt& n, Bare, const std::string& indent) { return nested("", n.body, indent); }
    std::string statement(const Raise&, Bare, const std::string&) { return "return;"; }

    // sort() begins with the smallest, top() with the largest.
    std::string walked(const ForMap& n) {
        const std::string map = expr(n.map);
        if (!n.order && !n.limit) return map;
        const MapOrder order = n.order.value_or(MapOrder{MapOrder::By::value, {}, n.limit.has_value(), {}});
        std::string out = n.limit ? fmt::format("top({}, {}", map, expr(*n.limit)) : "sort(" + map;
        if (order.by != MapOrder::By::value) out += fmt::format(", {}", spelling(order.by));
        if (order.part) out += fmt::format(".{}", *order.part);
        if (order.descending != n.limit.has_value()) out += order.descending ? ", desc" : ", asc";
        return out + ")";
    }

    const PrintOptions& options_;
    std::string out_;
    const std::vector<Remark>* pending_ = nullptr;  // of the item
    size_t next_ = 0;
    uint32_t item_end_ = 0;
    bool in_lines_ = false;  // must the next block span several lines?

  public:
    std::string one(ExprId id) { return expr(id); }
};

}  // namespace

std::string print(const Program& program, const PrintOptions& options) { return Printer(program, options).all(); }

std::string print(const Program& program, ExprId id) { return Printer(program, {}).one(id); }

}  // namespace lt::ast
