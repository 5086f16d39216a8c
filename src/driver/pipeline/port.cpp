#include "systemtap/port/port.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <set>

#include "compile/compile.h"
#include "driver/cli/failure.h"
#include "driver/doctor/systemtap.h"
#include "driver/pipeline/port.h"
#include "driver/pipeline/script.h"
#include "parser/format/format.h"
#include "runtime/border/kernel.h"

namespace lt {
namespace {

void draw_all(const Source& source, const Diags& diags) {
    const bool colored = isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
    for (const Diag& d : diags.all()) fmt::print(stderr, "{}", draw(source, d, colored));
}

int refuse(const Error& e) {
    Diags diags;
    diags.error({}, e.what).hint = e.hint;
    draw_all({}, diags);
    return 1;
}

port::Known known(const Type& type) {
    if (type.kind == Kind::none) return port::Known::nothing;
    if (type.kind == Kind::integer && type.view == View::hex) return port::Known::address;
    const bool is_number = type.kind == Kind::integer && (type.view == View::plain || type.view == View::boolean);
    if (!is_number) return port::Known::other;
    if (type.is_signed) return port::Known::number;
    return type.size <= 4 ? port::Known::small_unsigned : port::Known::large_unsigned;
}

// "struct sock" for an address of one.
std::string pointee_name(const Type& type) {
    const Type* to = pointee(type);
    return to && to->kind == Kind::structure ? to->shape->name : "";
}

// The type of an expression, from checking.
struct TypeFacts {
    port::Known type = port::Known::nothing;
    uint32_t size = 0;
    std::string pointee = {};
    auto operator<=>(const TypeFacts&) const = default;
};

class Porter {
  public:
    Porter(const Command& command, Source source, Kernel* kernel)
        : source_(std::move(source)), kernel_(kernel), given_{command.positional} {
        given_.for_port = true;
        add_systemtap_facts(command, given_);
        folders_ = command.list(Option::header_folders);
        options_.resolve.params = command.params;
        options_.resolve.unsafe = true;
    }

    int run() {
        Diags diags;
        load_imports(source_, diags, {}, folders_);
        const ast::Program linked = parse_as_written(source_, diags, given_);
        for (const ast::CFunction& f : linked.c_functions)
            diags.error(f.span, fmt::format("{} is written in C, which lt's own language does not support", f.shown))
                .hint =
                "run the script as it is, or first rewrite it with $x->y and @cast, which follow the kernel's "
                "structures";
        if (diags.has_errors()) {
            draw_all(source_, diags);
            return 1;
        }
        bool compiled = false;
        port::Ported ported = made(linked, true, compiled);
        // If no check can say whether names work for its texts, it keeps texts.
        const bool doubtful = !compiled || !mistakes(ported.text, Stage::check).all().empty();
        if (ported.has_probes && doubtful) ported = made(linked, false, compiled);
        for (const ast::ProbeSpec& spec : ported.left_out)
            if (!spec.span.empty())
                diags.warning(spec.span, "this kernel cannot trace this location; the port leaves the probe out");
        draw_all(source_, diags);
        if (!ported.has_probes)
            return refuse({"nothing is left of this script: this kernel can trace none of its probes",
                           "port it on a kernel that can", 0});
        if (!holds(ported.text, runs() ? Stage::emit : compiled ? Stage::check : Stage::parse)) return 1;
        fmt::print("{}", laid_out(ported.text));
        return 0;
    }

  private:
    // `compiled`: does the script itself compile on this kernel?
    port::Ported made(ast::Program linked, bool by_name, bool& compiled) {
        const port::OnlyWritten only_written = port::prepare(source_, linked, by_name);
        compiled = kernel_ && ask_types(linked);
        port::Machine machine;
        const auto facts = [this](ast::ExprId id) {
            const auto i = static_cast<size_t>(id);
            return i < facts_.size() ? facts_[i] : TypeFacts{};
        };
        machine.type = [facts](ast::ExprId id) { return facts(id).type; };
        machine.size = [facts](ast::ExprId id) { return facts(id).size; };
        machine.pointee = [facts](ast::ExprId id) { return facts(id).pointee; };
        if (kernel_) machine.exists = [this](const ast::ProbeSpec& spec) { return exists(spec); };
        return port::port(source_, std::move(linked), only_written, machine);
    }

    // Finds the types that this kernel gives to the names in each item; an item that does not compile here gets none.
    // Expanded functions go to the end of the tree, so that all other nodes keep their numbers.
    bool ask_types(const ast::Program& linked) {
        ast::Program whole = linked;
        Diags diags;
        for (ast::Expr& e : whole.exprs) {
            auto* name = std::get_if<ast::Name>(&e.node);
            if (name && name->name == "target") e.node = ast::Integer{0};
        }
        put_in(whole, given_, diags);
        if (diags.has_errors()) return false;
        facts_.assign(linked.exprs.size(), {});
        for (const ast::Item& item : linked.items) ask_types(whole, item);
        whole.items = linked.items;
        checked(whole, diags);
        return !diags.has_errors();
    }

    // The types, as far as checking goes without an error.
    Typed checked(const ast::Program& program, Diags& diags, Stage last = Stage::check) const {
        return checked(source_, program, diags, last);
    }
    Typed checked(const Source& source, const ast::Program& program, Diags& diags, Stage last) const {
        CompileOptions options = options_;
        options.last = last;
        return compile(source, {.program = program}, *kernel_, options, diags).typed;
    }

    // Does this kernel run the script itself?
    bool runs() const {
        if (kernel_ == nullptr) return false;
        Invocation given = given_;
        given.for_port = false;
        Diags diags;
        const ast::Program program = parse(source_, diags, given);
        if (!diags.has_errors()) checked(source_, program, diags, Stage::emit);
        return !diags.has_errors();
    }

    void ask_types(ast::Program& whole, const ast::Item& item) {
        whole.items = {item};
        // arguments of a function may be of any type; the rest of it has the types of its body
        if (const auto* function = std::get_if<ast::FunctionItem>(&item.node)) {
            const ast::ProbeSpec begin{item.span, {{item.span, "BEGIN"}}, "", {}};
            whole.items = {{item.span, ast::Action{{begin}, std::nullopt, function->body}}};
        }
        Diags ignored;  // other items give maps their types
        keep_types(checked(whole, ignored));
    }

    // If the same text has several types, none is kept.
    void keep_types(const Typed& typed) {
        for (size_t i = 0; i < facts_.size(); i++) {
            std::set<TypeFacts> found;
            for (const Body& body : typed.bodies) {
                if (i < body.types.size() && body.types[i].kind != Kind::none)
                    found.insert({known(body.types[i]), body.types[i].size, pointee_name(body.types[i])});
            }
            if (found.size() == 1) facts_[i] = *found.begin();
        }
    }

    bool exists(ast::ProbeSpec spec) const {
        spec.alternative = {};
        ast::Program alone;
        alone.items.push_back({{}, ast::Action{{std::move(spec)}, std::nullopt, {}}});
        Diags ignored;
        return !checked(alone, ignored, Stage::resolve).bodies.empty() && !ignored.has_errors();
    }

    // Compiles the printed text up to a stage.
    Diags mistakes(const std::string& text, Stage last) const {
        Diags diags, errors;
        const Source source = source_of(text);
        const ast::Program program = parse(source, diags, {});
        if (!diags.has_errors() && last != Stage::parse) checked(source, program, diags, last);
        if (diags.has_errors()) errors.take(std::move(diags));
        return errors;
    }
    Source source_of(const std::string& text) const { return {source_.name + " as .lt", text, {}, ".lt"}; }

    // Never prints a script that does not compile, if the one that it is made from does.
    bool holds(const std::string& text, Stage last) const {
        const Diags diags = mistakes(text, last);
        if (diags.all().empty()) return true;
        draw_all(source_of(text), diags);
        refuse({"this script cannot be written in .lt yet", "lt can run it as it is: lt " + source_.name, 0});
        return false;
    }

    // As `lt fmt` has it.
    std::string laid_out(const std::string& text) const {
        Diags ignored;
        std::string out = formatted(source_of(text), ignored);
        return out.empty() ? text : out;
    }

    Source source_;
    Kernel* kernel_;
    Invocation given_;
    std::vector<std::string> folders_;
    CompileOptions options_;
    std::vector<TypeFacts> facts_;  // by expression
};

}  // namespace

int port_program(int argc, const char* const* argv) {
    Result<Command> command = read_command(argc, argv);
    if (!command) return misuse(command.error());
    if (command->has(Option::output))
        return misuse({"port prints the script", "`lt port old.stp > new.lt` writes it to a file", 0});
    if (command->file.empty() && !command->has(Option::program))
        return misuse({"port takes a SystemTap script", "for example `lt port old.stp > new.lt`", 0});
    if (command->has(Option::program) || command->file == "-") command->options[Option::systemtap] = "true";
    const std::string spoken = command->has(Option::systemtap) ? ".stp" : command->file;
    if (grammar_of(spoken) != Grammar::stp)
        return refuse({command->file + " is not a SystemTap script", "its name must end in .stp, or give --stp", 0});
    Result<Source> source = read_source(*command);
    if (!source) return refuse(source.error());
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({command->text(Option::kernel)});
    return Porter(*command, std::move(*source), kernel ? kernel->get() : nullptr).run();
}

}  // namespace lt
