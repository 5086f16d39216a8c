#include "stp_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/text.h"
#include "stp_call_names.h"
#include "stp_clone.h"
#include "stp_counters.h"
#include "stp_display.h"
#include "stp_each.h"
#include "stp_globals.h"
#include "stp_inline.h"
#include "stp_later.h"
#include "stp_names.h"
#include "stp_points.h"
#include "stp_process.h"
#include "stp_shown.h"
#include "stp_twice.h"
#include "stp_unused.h"

namespace lt::stp {
namespace {

constexpr size_t most_functions = 1000;

// System calls whose result is shown in hexadecimal digits.
constexpr std::array<std::string_view, 4> give_addresses{"mmap", "mremap", "brk", "shmat"};

// System calls that SystemTap has points for and that only other machines have.
constexpr std::array<std::string_view, 12> other_machines{"send",    "recv",    "socketcall", "ipc",
                                                          "waitpid", "stat64",  "lstat64",    "fstat64",
                                                          "mmap2",   "fcntl64", "stime",      "umount2"};

class Linker {
  public:
    Linker(ast::Program& program, const Tree& tree, const Source& source, const Invocation& given, Diags& diags)
        : program_(program),
          tree_(tree),
          source_(source),
          given_(given),
          diags_(diags),
          names_(program, globals_, functions_, given, diags) {}

    void run() {
        place_counters(program_, tree_, diags_);
        read_globals();
        read_functions();
        program_.c_pieces = tree_.embedded;
        first_values();
        bool any = false;
        for (const Probe& probe : tree_.probes) {
            if (source_.is_library(probe.span.begin)) continue;
            any = true;
            add_probe(probe);
        }
        if (!any && !diags_.has_errors())
            diags_.error({}, "there is no probe in the program").hint =
                "try: probe begin { println(\"hello\") exit() }";
        for (size_t i = 0; i < later_.size(); i++) add_probe(Probe(later_[i]));
        add_display();
        add_functions();
        add_probes_of_library();
        add_functions();
        for (const auto& [name, use] : globals_) {
            const bool of_library = source_.is_library(use.global->span.begin);
            if (of_library && use.is_array && names_.touched().contains(name)) declare_array(use);
        }
        put_in_order();
    }

  private:
    // begin(1) comes behind begin, which is begin(0), wherever it stands; so do end(1) and error(1).
    void put_in_order() {
        for (std::string_view kind : {"BEGIN", "END", "ERROR"}) {
            std::vector<size_t> places;
            for (size_t i = 0; i < program_.items.size(); i++) {
                const auto* action = std::get_if<ast::Action>(&program_.items[i].node);
                if (action != nullptr && action->probes.front().parts.front().text == kind) places.push_back(i);
            }
            std::vector<size_t> sorted = places;
            std::ranges::stable_sort(sorted, {}, [&](size_t i) { return turns_[i]; });
            std::vector<ast::Item> moved;
            for (size_t i : sorted) moved.push_back(std::move(program_.items[i]));
            for (size_t i = 0; i < places.size(); i++) program_.items[places[i]] = std::move(moved[i]);
        }
    }

    void add_display() {
        if (unread_.statements.empty()) return;
        Point end;
        end.span = program_[unread_.statements.front()].span;
        end.parts.push_back({end.span, "end", {}});
        add_probe({end.span, {end}, unread_});
    }

    void read_globals() {
        for (const Global& g : tree_.globals) {
            const auto [known, is_new] = globals_.try_emplace(g.name, GlobalUse{&g});
            if (!is_new) {
                Diag& d = diags_.error(g.span, fmt::format("the global {} is declared twice", g.name));
                d.notes.push_back({known->second.global->span, "here it is"});
                d.hint = "remove one of the two";
            }
        }
        for (const auto& [name, value] : given_.globals) set_global(name, value);
        const auto is_own = [&](Span where) { return !source_.is_library(where.begin); };
        if (!diags_.has_errors()) unread_ = display_unread(program_, tree_, globals_, is_own);
        read_words();
        find_uses(program_, globals_);
        for (auto& [name, use] : globals_) join_sums(use);
    }

    // argc and argv are what the command line gives, unless the program writes to them: then they are globals.
    void read_words() {
        std::set<std::string> written;
        const auto note = [&](ast::ExprId target) {
            if (const auto* name = std::get_if<ast::Name>(&program_[target].node)) written.insert(name->name);
            if (const auto* map = std::get_if<ast::Map>(&program_[target].node)) written.insert(map->name + "[]");
        };
        for (const ast::Stmt& s : program_.stmts)
            if (const auto* assign = std::get_if<ast::Assign>(&s.node)) note(assign->target);
        for (const ast::Expr& e : program_.exprs)
            if (const auto* step = std::get_if<ast::Step>(&e.node)) note(step->target);
        for (const std::string name : {"argc", "argv"}) {
            if (globals_.contains(name) || !written.contains(name == "argc" ? name : name + "[]")) continue;
            words_.push_back(Global{name, {}, {}});
            globals_.emplace(name, GlobalUse{&words_.back()});
        }
    }

    void first_words(ast::Block& block) {
        constexpr Span front{0, 1};  // before all that the program does
        const auto give = [&](const ast::Map& target, ast::ExprNode value) {
            const ast::ExprId to = program_.add(front, target), from = program_.add(front, std::move(value));
            block.statements.push_back(program_.add(front, ast::Assign{to, std::nullopt, from}));
        };
        for (const Global& g : words_) {
            if (g.name == "argc") give({g.name, {}, false}, ast::Integer{given_.positional.size()});
            for (size_t i = 0; g.name == "argv" && i < given_.positional.size(); i++)
                give({g.name, {program_.add(front, ast::Integer{i + 1})}, true}, ast::String{given_.positional[i]});
        }
    }

    // -G name=value
    void set_global(const std::string& name, const std::string& value) {
        const auto found = globals_.find(name);
        if (found == globals_.end()) {
            std::vector<std::string_view> known;
            for (const auto& [each, use] : globals_) known.push_back(each);
            const auto near = closest(name, known);
            diags_.error({}, fmt::format("-G {}: there is no such global", name)).hint =
                near.empty() ? "" : fmt::format("did you mean {}?", either(near));
            return;
        }
        const Span where = found->second.global->span;
        int64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool is_number = error == std::errc{} && end == value.data() + value.size();
        given_globals_.push_back(*found->second.global);
        Global& changed = given_globals_.back();
        changed.value = is_number ? program_.add(where, ast::Integer{static_cast<uint64_t>(number)})
                                  : program_.add(where, ast::String{value});
        found->second.global = &changed;
    }

    // Functions of the script stand in front of those of the library.
    void read_functions() {
        for (bool library : {false, true}) {
            for (const Function& f : tree_.functions) {
                if (source_.is_library(f.span.begin) != library) continue;
                functions_.all.push_back(&f);
                if (library) continue;
                refuse_twice(f, functions_, program_, diags_);
            }
        }
    }

    // Before all probes.
    void first_values() {
        ast::Block block;
        for (const Global& g : tree_.globals) {
            const GlobalUse& use = globals_[g.name];
            if (use.is_array && !source_.is_library(g.span.begin)) declare_array(use);
            if (!use.global->value || !use.is_written || use.is_array) continue;
            const ast::ExprId target = program_.add(g.span, ast::Map{g.name, {}, false});
            block.statements.push_back(
                program_.add(g.span, ast::Assign{target, std::nullopt, clone(program_, *use.global->value)}));
        }
        first_words(block);
        if (block.statements.empty()) return;
        ast::ProbeSpec begin;
        begin.span = program_[block.statements.front()].span;
        begin.parts.push_back({begin.span, "BEGIN"});
        turns_[program_.items.size()] = std::numeric_limits<int64_t>::min();
        program_.items.push_back({begin.span, ast::Action{{begin}, std::nullopt, std::move(block)}});
    }

    void declare_array(const GlobalUse& use) {
        const Global& g = *use.global;
        if (g.size == 0 && !g.wraps) return;
        constexpr uint64_t usual = 2048;
        const std::string kind = fmt::format("{}{}hash", use.collects ? "percpu" : "", g.wraps ? "lru" : "");
        std::vector<std::string> names;
        for (const std::string& statistic : use.statistics) names.push_back(statistic_map(g.name, statistic));
        if (!use.collects) names = {g.name};
        for (const std::string& name : names) {
            program_.items.push_back(
                {g.span, ast::MapDeclaration{name, g.span, kind, g.span, g.size == 0 ? usual : g.size}});
        }
    }

    void add_probe(const Probe& probe) {
        PointFinder finder(tree_, [this](const Point& p) { return made_alias(p); }, groups_, diags_);
        const std::vector<Place> places = finder.places(probe.points);
        for (size_t begin = 0; begin < places.size();) {
            size_t end = begin + 1;
            while (end < places.size() && same_body(places[begin], places[end])) end++;
            // in a tree for people there are no errors that end the run, but for exit()
            const std::string_view kind = places[begin].row->probe;
            const bool never = kind.empty() || (given_.for_port && kind == "ERROR");
            if (!never) add_item(probe, {places.data() + begin, end - begin});
            begin = end;
        }
    }

    // What no file of the library can have an alias for.
    const Alias* made_alias(const Point& point) {
        if (!is_of_process(point)) return system_call(point);
        made_.push_back(process_alias(program_, point, given_, diags_));
        return &made_.back();
    }

    // The alias of a system call: its name, and at its return what it gave.
    const Alias* system_call(const Point& point) {
        constexpr std::array<std::string_view, 6> families{"syscall",     "nd_syscall",  "dw_syscall",
                                                           "nd1_syscall", "nd2_syscall", "tp_syscall"};
        const auto& parts = point.parts;
        const bool returns = parts.size() == 3 && parts[2].name == "return";
        const bool fits = (parts.size() == 2 || returns) && !parts[1].argument && !parts[0].argument;
        if (!fits || std::find(families.begin(), families.end(), parts[0].name) == families.end()) return nullptr;
        const std::string& name = parts[1].name;
        const Span where = point.span;
        Alias alias{where, parts, {}, {}, {}};
        Point native{where, {{where, "kernel", {}}, {where, "syscall", name}}};
        if (returns) native.parts.push_back({where, "return", {}});
        native.optional = std::ranges::find(other_machines, name) != other_machines.end();
        alias.points.push_back(native);
        const auto expr = [&](ast::ExprNode node) { return program_.add(where, std::move(node)); };
        const auto give = [&](const char* to, ast::ExprId value) {
            alias.before.statements.push_back(
                program_.add(where, ast::Assign{expr(ast::Name{to}), std::nullopt, value}));
        };
        give("name", is_glob(name) ? name_at_run_time(program_, where, returns) : expr(ast::String{name}));
        const StpSystemCall* known = returns ? nullptr : find_stp_system_call(name);
        if (known != nullptr) give("argstr", arguments_text(program_, where, *known));
        // functions of the library of the same names
        const auto address = known ? stp_argument(*known, "serv_addr") : std::nullopt;
        for (const char* part : {"uaddr_af", "uaddr_ip", "uaddr_ip_port"}) {
            if (!address || functions_.find(part, 1) == nullptr) continue;
            give(part, expr(ast::Call{part, where, {expr(ast::Name{fmt::format("${}", *address)})}}));
        }
        if (returns) {
            give("retval", expr(ast::Name{"$return"}));
            const bool is_address = std::ranges::find(give_addresses, name) != give_addresses.end();
            std::vector<ast::ExprId> shown{expr(ast::Name{"$return"})};
            if (is_address) shown.insert(shown.begin(), expr(ast::Integer{2}));
            if (functions_.has("return_str"))
                give("retstr", expr(ast::Call{is_address ? "return_str" : "__result", where, shown}));
        }
        made_.push_back(std::move(alias));
        return &made_.back();
    }

    static bool same_body(const Place& a, const Place& b) {
        const bool one_value = a.row != b.row || a.row->variables != "written" || a.arguments == b.arguments;
        return a.row == b.row && a.aliases == b.aliases && a.armed == b.armed && turn_of(a) == turn_of(b) && one_value;
    }

    // The number in begin(n), end(n) and error(n).
    static int64_t turn_of(const Place& place) {
        constexpr std::array<std::string_view, 3> kinds{"begin(n)", "end(n)", "error(n)"};
        if (std::ranges::find(kinds, place.row->shape) == kinds.end()) return 0;
        return std::get<int64_t>(*place.point.parts.front().argument);
    }

    void add_item(const Probe& probe, std::span<const Place> places) {
        const Place& first = places.front();
        ast::Block body;
        for (const Alias* alias : first.aliases) append(body, alias->before);
        const size_t own = body.statements.size();
        append(body, probe.body);
        for (auto alias = first.aliases.rbegin(); alias != first.aliases.rend(); ++alias) append(body, (*alias)->after);
        if (first.row->shape.starts_with("kernel.syscall(s)"))
            name_kernel_function(program_, functions_, body, first.arguments.front(), !first.row->result.empty());
        inline_texts(program_, body, own);
        drop_unused(program_, body, own);
        if (in_kernel(*first.row) && !given_.for_port) leave_for_later(probe, body);
        Around around;
        around.row = first.row;
        around.call = first.arguments.empty() ? nullptr : find_stp_system_call(first.arguments.front());
        around.module = module_of(first);
        for (const Place& place : places) {
            if (module_of(place) != around.module) around.module.clear();
        }
        if (first.row->variables == "marker" && places.size() == 1 && !is_glob(first.arguments.back()))
            around.mark = first.arguments.back();
        if (first.row->variables == "written") around.written = written_parameter(first);
        around.at_return = !first.row->entry.empty() && asks_entry(body);
        names_.body(body, around);
        std::optional<ast::ExprId> armed;
        for (ast::ExprId condition : first.armed) {
            const ast::ExprId copy = clone(program_, condition);
            names_.condition(copy, around);
            armed =
                armed ? program_.add(program_[copy].span, ast::Binary{ast::BinaryOp::logical_and, *armed, copy}) : copy;
        }
        std::vector<ast::ProbeSpec> specs;
        for (const Place& place : places)
            specs.push_back(probe_of(place, around.at_return ? place.row->entry : place.row->probe));
        turns_[program_.items.size()] = turn_of(first);
        program_.items.push_back({probe.span, item(around, std::move(specs), armed, std::move(body))});
    }

    static bool in_kernel(const StpPoint& row) {
        constexpr std::array<std::string_view, 5> of_lt{"BEGIN", "END", "ERROR", "interval", "self"};
        return std::ranges::find(of_lt, row.probe.substr(0, row.probe.find(':'))) == of_lt.end();
    }

    // lt looks so often for what probes of the kernel's leave to it, and once more before all that the end does, unless
    // the run ends by it.
    void leave_for_later(const Probe& probe, ast::Block& body) {
        constexpr int64_t milliseconds = 10, first = std::numeric_limits<int64_t>::min() + 1;
        const std::string mark = fmt::format("__later_{}", later_.size());
        const auto taken = take_later(
            program_, body, mark, [this](const std::string& name) { return globals_.contains(name); }, functions_);
        if (!taken) return;
        const Span where = probe.span;
        words_.push_back(Global{mark, where, {}});
        GlobalUse use{&words_.back()};
        use.is_written = true;
        globals_.emplace(mark, use);
        const auto named = [&] { return program_.add(where, ast::Name{mark}); };
        const ast::ExprId none = program_.add(where, ast::Integer{0});
        ast::Block work{{program_.add(where, ast::Assign{named(), std::nullopt, none})}};
        work.statements.insert(work.statements.end(), taken->body.statements.begin(), taken->body.statements.end());
        std::vector<Point> points{{where, {{where, "timer", {}}, {where, "ms", milliseconds}}}};
        if (!taken->exits) points.push_back({where, {{where, "end", first}}});
        later_.push_back({where, std::move(points), {{program_.add(where, ast::If{named(), work, {}})}}});
    }

    // Declared where it is first asked for.
    std::string written_parameter(const Place& place) {
        const std::string name = parameter_of(place);
        if (!written_.insert(name).second) return name;
        const Span where = place.point.span;
        const ast::ExprId empty = program_.add(where, ast::String{});
        program_.items.push_back(
            {where, ast::Parameter{name, where, empty, fmt::format("what {} is", text(place.point))}});
        return name;
    }

    static std::string module_of(const Place& place) {
        if (place.row->shape.starts_with("module(s)")) return place.arguments.front();
        return place.row->shape.starts_with("kernel") || place.row->shape.starts_with("kprobe") ? "kernel" : "";
    }

    static ast::ItemNode item(const Around& around, std::vector<ast::ProbeSpec> specs, std::optional<ast::ExprId> armed,
                              ast::Block body) {
        if (!around.at_return) return ast::Action{std::move(specs), armed, std::move(body)};
        ast::SpanAction span;
        for (ast::ProbeSpec& spec : specs) span.opens.push_back({std::move(spec), {}, std::nullopt, {}});
        span.predicate = armed;
        span.body = std::move(body);
        return span;
    }

    void append(ast::Block& body, const ast::Block& more) {
        const ast::Block copy = clone(program_, more);
        body.statements.insert(body.statements.end(), copy.statements.begin(), copy.statements.end());
    }

    // Does a body at a return ask for anything of the entry?
    bool asks_entry(const ast::Block& block) const {
        bool found = false;
        for (ast::StmtId id : block.statements) {
            ast::each_expr(program_[id], [&](ast::ExprId e) { found = found || asks_entry(e); });
            ast::each_block(program_[id], [&](const ast::Block& b) { found = found || asks_entry(b); });
        }
        return found;
    }
    bool asks_entry(ast::ExprId id) const {
        const ast::Expr& e = program_[id];
        if (const auto* name = std::get_if<ast::Name>(&e.node); name && name->name.starts_with("$"))
            return !name->name.starts_with("$return") &&
                   (!name->name.starts_with("$$") || is_all_arguments(name->name));
        if (const auto* call = std::get_if<ast::Call>(&e.node)) {
            const StpFunction* row = functions_.has(call->name) ? nullptr : find_stp_function(call->name);
            if (call->name == "@entry" || (row != nullptr && row->form == StpForm::argument)) return true;
        }
        bool found = false;
        ast::each_child(e, [&](ast::ExprId child) { found = found || asks_entry(child); });
        ast::each_block(e, [&](const ast::Block& b) { found = found || asks_entry(b); });
        return found;
    }

    // Those that are called, and those that these call.
    // What a file of the library has probes for is what its functions tell.
    void add_probes_of_library() {
        std::set<const Source::Part*> used;
        for (const Function* f : names_.called()) used.insert(part_of(f->span));
        for (const Probe& probe : tree_.probes) {
            if (source_.is_library(probe.span.begin) && used.contains(part_of(probe.span))) add_probe(probe);
        }
    }

    // Null: the script itself.
    const Source::Part* part_of(Span where) const {
        const Source::Part* found = nullptr;
        for (const Source::Part& part : source_.parts) {
            if (part.begin <= where.begin) found = &part;
        }
        return found;
    }

    void add_functions() {
        for (bool more = true; more && added_.size() < most_functions;) {
            more = false;
            const std::set<const Function*> called = names_.called();
            for (const Function* f : called) {
                if (!added_.insert(f).second) continue;
                more = true;
                add_function(*f);
            }
        }
    }

    void add_function(const Function& f) {
        if (f.embedded) return add_c(f);
        ast::FunctionItem item;
        item.name = name_in_tree(f, functions_);
        item.name_span = f.span;
        Around around;
        around.function = &f;
        for (const Function::Parameter& p : f.parameters) {
            item.parameters.push_back({p.name, p.span, {}});
            around.parameters.insert(p.name);
        }
        item.body = clone(program_, f.body);
        if (!f.type.empty() && !names_.gives_value(f)) {
            const ast::ExprId nothing =
                program_.add(f.span, f.type == "string" ? ast::ExprNode(ast::String{}) : ast::Integer{0});
            item.body.statements.push_back(program_.add(f.span, ast::Return{nothing}));
            item.result = ast::TypeName{};
        }
        if (names_.gives_value(f)) item.result = ast::TypeName{};
        names_.body(item.body, around);
        program_.items.push_back({f.span, std::move(item)});
    }

    // Without a type a parameter and the result are numbers.
    void add_c(const Function& f) {
        ast::CFunction function;
        function.name = name_in_tree(f, functions_);
        function.shown = f.name + "()";
        function.span = f.span;
        for (const Function::Parameter& p : f.parameters) function.parameters.push_back({p.name, p.type == "string"});
        if (f.type == "string") function.result = ast::CFunction::Result::text;
        function.text = *f.embedded;
        function.text_span = c_span(f.embedded_span);
        if (const auto kept = tree_.kept_as_c.find(f.embedded_span.begin); kept != tree_.kept_as_c.end())
            function.kept_as_c = kept->second;
        program_.c_functions.push_back(std::move(function));
    }

    ast::Program& program_;
    const Tree& tree_;
    const Source& source_;
    const Invocation& given_;
    Diags& diags_;
    Globals globals_;
    FunctionTable functions_;
    NameResolver names_;
    std::deque<Global> given_globals_;
    std::deque<Global> words_;  // argc and argv, where the program writes to them
    uint32_t groups_ = 0;       // of alternatives among probes
    std::vector<Probe> later_;  // of what lt does in the place of probes of the kernel's
    std::deque<Alias> made_;    // for system calls
    ast::Block unread_;         // what prints globals that nothing reads
    std::set<const Function*> added_;
    std::set<std::string> written_;    // parameters for files that would be written
    std::map<size_t, int64_t> turns_;  // of items, by their places, where these say when they run
};

}  // namespace

void link(ast::Program& program, const Tree& tree, const Source& source, const Invocation& given, Diags& diags) {
    Linker(program, tree, source, given, diags).run();
    compact(program);
}

}  // namespace lt::stp
