#include "systemtap/link/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/text.h"
#include "parser/tree/rewrite.h"
#include "systemtap/link/aliases.h"
#include "systemtap/link/choose.h"
#include "systemtap/link/counters.h"
#include "systemtap/link/display.h"
#include "systemtap/link/later.h"
#include "systemtap/link/points.h"
#include "systemtap/link/process.h"
#include "systemtap/names/call_names.h"
#include "systemtap/names/globals.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/statistics.h"

namespace lt::stp {
namespace {

constexpr size_t most_functions = 1000;

// Reports functions and parameters that are declared twice.
void refuse_twice(const Function& function, const FunctionTable& all, const ast::Program& program, Diags& diags) {
    std::set<std::string> names;
    for (const Function::Parameter& p : function.parameters) {
        if (!names.insert(p.name).second)
            diags.error(p.span, fmt::format("two parameters of {}() are called {}", function.name, p.name)).hint =
                "give one of them another name";
    }
    // With several functions of a name, the next one runs if one says `next`.
    for (const Function* other : all.all) {
        const bool same = other->name == function.name && other->parameters.size() == function.parameters.size();
        if (other == &function || !same) continue;
        if (other->priority != function.priority || says_next(program, other->body)) continue;
        Diag& d = diags.error(function.span, fmt::format("the function {}() is declared twice", function.name));
        d.notes.push_back({other->span, "declared here"});
        d.hint = "the first one has no `next`, so this one would never run";
        return;
    }
}

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
        follow_choices(program_);
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
            diags_.error({}, "the script has no probe").hint =
                "for example `probe begin { println(\"hello\") exit() }`";
        for (size_t i = 0; i < later_.size(); i++) add_probe(Probe(later_[i]));
        add_display();
        add_functions();
        add_probes_of_library();
        add_functions();
        for (const auto& [name, use] : globals_) {
            const bool of_library = source_.is_library(use.global->span.begin);
            if (of_library && use.is_array && names_.touched.contains(name)) declare_array(use);
        }
        put_in_order();
        warn_of_unassigned();
        warn_of_uncaught(names_, source_);
    }

  private:
    // Once for each name.
    void warn_of_unassigned() {
        if (diags_.has_errors()) return;
        std::set<std::string> told;
        for (const Names::Unassigned& read : names_.unassigned) {
            if (source_.is_library(read.span.begin) || !told.insert(read.name).second) continue;
            const char* value = names_.texts.contains(read.name) ? "an empty string" : "0";
            diags_.warning(read.span, fmt::format("nothing assigns `{}`: it is {} here", read.name, value)).hint =
                read.hint;
        }
    }

    // begin(1) runs after begin, which is begin(0), whatever their order in the text; so do end(1) and error(1).
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
                d.notes.push_back({known->second.global->span, "declared here"});
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

    // argc and argv are the command line's arguments, unless the script writes to them: then they are globals.
    void read_words() {
        std::set<std::string> written;
        const auto note = [&](ast::ExprId target) {
            if (const auto* name = program_.get<ast::Name>(target)) written.insert(name->name);
            if (const auto* map = program_.get<ast::Map>(target)) written.insert(map->name + "[]");
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
        constexpr Span front{0, 1};  // before all statements of the script
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
                near.empty() ? "" : did_you_mean(near);
            return;
        }
        const Span where = found->second.global->span;
        const auto number = parse_number<int64_t>(value);
        given_globals_.push_back(*found->second.global);
        Global& changed = given_globals_.back();
        changed.value = number ? program_.add(where, ast::Integer{static_cast<uint64_t>(*number)})
                               : program_.add(where, ast::String{value});
        found->second.global = &changed;
    }

    // Functions of the script come before those of the library.
    void read_functions() {
        for (bool library : {false, true}) {
            for (const Function& f : tree_.functions) {
                if (source_.is_library(f.span.begin) != library) continue;
                functions_.all.push_back(&f);
                if (!library) refuse_twice(f, functions_, program_, diags_);
            }
        }
        names_.texts = text_names(program_, functions_, source_);
    }

    // Runs before all probes.
    void first_values() {
        ast::Block block;
        for (const Global& g : tree_.globals) {
            const GlobalUse& use = globals_[g.name];
            if (use.is_array && !source_.is_library(g.span.begin)) declare_array(use);
            if (!use.global->value || !use.is_written || use.is_array) continue;
            const ast::ExprId target = program_.add(g.span, ast::Map{g.name, {}, false});
            block.statements.push_back(
                program_.add(g.span, ast::Assign{target, std::nullopt, ast::clone(program_, *use.global->value)}));
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
            // in a tree for people no errors end the run, except by exit()
            const std::string_view kind = places[begin].row->probe;
            const bool never = kind.empty() || (given_.for_port && kind == "ERROR");
            if (!never) add_item(probe, {places.data() + begin, end - begin});
            begin = end;
        }
    }

    // Aliases that no library file can define.
    const Alias* made_alias(const Point& point) {
        auto alias = is_of_process(point) ? std::optional(process_alias(program_, point, given_, diags_))
                                          : system_call_alias(program_, point, functions_);
        if (!alias) return nullptr;
        made_.push_back(*std::move(alias));
        return &made_.back();
    }

    static bool same_body(const Place& a, const Place& b) {
        // a file that is written, or a system call, is named in the body
        const bool named = a.row->variables == "written" || a.row->shape.starts_with("kernel.syscall(s)");
        const bool one_value = a.row != b.row || !named || a.arguments == b.arguments;
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
        shorten(program_, body, own, {functions_, is_global(), [this](const std::string& name, Span where) {
                                          return writes_global(name, where);
                                      }});
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
        resolve_body(names_, body, around);
        std::optional<ast::ExprId> armed;
        for (ast::ExprId condition : first.armed) {
            const ast::ExprId copy = ast::clone(program_, condition);
            resolve_condition(names_, copy, around);
            armed =
                armed ? program_.add(program_[copy].span, ast::Binary{ast::BinaryOp::logical_and, *armed, copy}) : copy;
        }
        std::vector<ast::ProbeSpec> specs;
        for (const Place& place : places)
            specs.push_back(probe_of(place, around.at_return ? place.row->entry : place.row->probe));
        turns_[program_.items.size()] = turn_of(first);
        program_.items.push_back({probe.span, item(around, std::move(specs), armed, std::move(body))});
    }

    IsGlobal is_global() const {
        return [this](const std::string& name) { return globals_.contains(name); };
    }

    // Aliases of the library assign to globals of their own file only: the script may have others of the same name.
    bool writes_global(const std::string& name, Span where) const {
        const auto found = globals_.find(name);
        const Source::Part* file = part_of(where);
        return found != globals_.end() && (file == nullptr || file == part_of(found->second.global->span));
    }

    static bool in_kernel(const StpPoint& row) {
        constexpr std::array<std::string_view, 5> of_lt{"BEGIN", "END", "ERROR", "interval", "self"};
        return std::ranges::find(of_lt, row.probe.substr(0, row.probe.find(':'))) == of_lt.end();
    }

    // The interval at which lt runs statements left by kernel probes; it also runs them before the end's own, unless
    // the run ends by one of them.
    void leave_for_later(const Probe& probe, ast::Block& body) {
        constexpr int64_t milliseconds = 10, first = std::numeric_limits<int64_t>::min() + 1;
        const std::string mark = fmt::format("__later_{}", rests_.size());
        const auto taken = take_later(program_, body, mark, is_global(), functions_);
        if (!taken) return;
        functions_.all.push_back(&rests_.emplace_back(taken->rest));
        const Span where = probe.span;
        words_.push_back(Global{mark, where, {}});
        GlobalUse use{&words_.back()};
        use.is_written = true;
        globals_.emplace(mark, use);
        const auto run_at = [&](Point point, bool at_end) {
            later_.push_back({where, {std::move(point)}, run_later(program_, *taken, at_end)});
        };
        run_at({where, {{where, "timer", {}}, {where, "ms", milliseconds}}}, false);
        if (!taken->exits) run_at({where, {{where, "end", first}}}, true);
    }

    // Declared on first use.
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
        const ast::Block copy = ast::clone(program_, more);
        body.statements.insert(body.statements.end(), copy.statements.begin(), copy.statements.end());
    }

    // Does a body at a return use anything of the entry?
    bool asks_entry(const ast::Block& block) const {
        return ast::any_expr_in(program_, block, [&](ast::ExprId id) {
            if (const auto* name = program_.get<ast::Name>(id); name && name->name.starts_with("$"))
                return !name->name.starts_with("$return") &&
                       (!name->name.starts_with("$$") || is_all_arguments(name->name));
            const auto* call = program_.get<ast::Call>(id);
            const StpFunction* row = call && !functions_.has(call->name) ? find_stp_function(call->name) : nullptr;
            return (call && call->name == "@entry") || (row && row->form == StpForm::argument);
        });
    }

    // A library file's probes provide the data for its functions.
    void add_probes_of_library() {
        std::set<const Source::Part*> used;
        for (const Function* f : names_.called) used.insert(part_of(f->span));
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

    // The functions that are called, and those that these call.
    void add_functions() {
        for (bool more = true; more && added_.size() < most_functions;) {
            more = false;
            const std::set<const Function*> called = names_.called;
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
        const bool is_rest = std::ranges::any_of(rests_, [&](const Function& rest) { return &rest == &f; });
        if (is_rest) around.row = row_of_later();
        if (!is_rest) around.function = &f;
        for (const Function::Parameter& p : f.parameters) {
            item.parameters.push_back({p.name, p.span, {}});
            around.parameters.insert(p.name);
        }
        item.body = ast::clone(program_, f.body);
        if (!f.type.empty() && !gives_value(names_, f)) {
            const ast::ExprId nothing =
                program_.add(f.span, f.type == "string" ? ast::ExprNode(ast::String{}) : ast::Integer{0});
            item.body.statements.push_back(program_.add(f.span, ast::Return{nothing}));
            item.result = ast::TypeName{};
        }
        if (gives_value(names_, f)) item.result = ast::TypeName{};
        resolve_body(names_, item.body, around);
        program_.items.push_back({f.span, std::move(item)});
    }

    // A parameter or result without a type is a number.
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
    Names names_;
    std::deque<Global> given_globals_;
    std::deque<Global> words_;    // argc and argv, if the script writes to them
    uint32_t groups_ = 0;         // of alternatives among probes
    std::vector<Probe> later_;    // for statements that lt runs in place of kernel probes
    std::deque<Function> rests_;  // these statements
    std::deque<Alias> made_;      // for system calls
    ast::Block unread_;           // prints globals that nothing reads
    std::set<const Function*> added_;
    std::set<std::string> written_;    // parameters for files that would be written
    std::map<size_t, int64_t> turns_;  // of items, by their places, if these say when they run
};

}  // namespace

void link(ast::Program& program, const Tree& tree, const Source& source, const Invocation& given, Diags& diags) {
    Linker(program, tree, source, given, diags).run();
    ast::compact(program);
    collect_nowhere(program);
}

}  // namespace lt::stp
