#include "port/port.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <set>

#include "codegen/compile.h"
#include "parser/parse.h"
#include "port.h"
#include "runtime/kernel.h"
#include "script.h"
#include "systemtap.h"

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

// "struct sock", of an address of one.
std::string pointee_name(const Type& type) {
    const Type* to = pointee(type);
    return to && to->kind == Kind::structure ? to->shape->name : "";
}

// What checking says of an expression.
struct Told {
    port::Known type = port::Known::nothing;
    uint32_t size = 0;
    std::string pointee = {};
    auto operator<=>(const Told&) const = default;
};

class Porter {
  public:
    Porter(const Command& command, Source source, Kernel* kernel)
        : source_(std::move(source)), kernel_(kernel), given_{command.positional} {
        tell_systemtap(command, given_);
        given_.for_port = true;
        folders_ = command.list(Option::header_folders);
        options_.params = command.params;
        options_.unsafe = true;
    }

    int run() {
        Diags diags;
        load_imports(source_, diags, {}, folders_);
        const ast::Program linked = parse_as_written(source_, diags, given_);
        for (const ast::CFunction& f : linked.c_functions)
            diags.error(f.span, fmt::format("{} is written in C, for which lt's own language has no place", f.shown))
                .hint =
                "run the program as it is, or write it with $x->y and @cast first: they follow the kernel's "
                "structures";
        if (diags.has_errors()) {
            draw_all(source_, diags);
            return 1;
        }
        bool compiled = false;
        port::Ported ported = made(linked, true, compiled);
        // Where nothing can say whether names do for its texts, it gets texts.
        const bool doubtful = !compiled || !mistakes(ported.text, compiled).all().empty();
        if (ported.has_probes && doubtful) ported = made(linked, false, compiled);
        for (const ast::ProbeSpec& spec : ported.left_out)
            diags.warning(spec.span, "this kernel has no such place, and the port is without it");
        draw_all(source_, diags);
        if (!ported.has_probes)
            return refuse(
                {"nothing is left of this program: none of its probes is there", "port it where they are", 0});
        if (!holds(ported.text, compiled)) return 1;
        fmt::print("{}", ported.text);
        return 0;
    }

  private:
    // `compiled`: whether the program itself does on this kernel.
    port::Ported made(ast::Program linked, bool by_name, bool& compiled) {
        const port::OnlyWritten only_written = port::prepare(source_, linked, by_name);
        compiled = kernel_ && ask_types(linked);
        port::Machine machine;
        const auto told = [this](ast::ExprId id) {
            const auto i = static_cast<size_t>(id);
            return i < told_.size() ? told_[i] : Told{};
        };
        machine.type = [told](ast::ExprId id) { return told(id).type; };
        machine.size = [told](ast::ExprId id) { return told(id).size; };
        machine.pointee = [told](ast::ExprId id) { return told(id).pointee; };
        if (kernel_) machine.exists = [this](const ast::ProbeSpec& spec) { return exists(spec); };
        return port::port(source_, std::move(linked), only_written, machine);
    }

    // The types that this kernel gives to what each item names; an item that does not compile here has none. Functions
    // are put in their places at the end of the tree, so that all that was there before keeps its number.
    bool ask_types(const ast::Program& linked) {
        ast::Program whole = linked;
        Diags diags;
        for (ast::Expr& e : whole.exprs) {
            auto* name = std::get_if<ast::Name>(&e.node);
            if (name && name->name == "target") e.node = ast::Integer{0};
        }
        put_in(whole, given_, diags);
        if (diags.has_errors()) return false;
        told_.assign(linked.exprs.size(), {});
        for (const ast::Item& item : linked.items) ask_types(whole, item);
        whole.items = linked.items;
        return compiles(whole, diags);
    }

    bool compiles(const ast::Program& program, Diags& diags) const {
        Typed typed = resolve(program, *kernel_, options_, diags);
        if (!diags.has_errors()) check(program, typed, *kernel_, diags);
        return !diags.has_errors();
    }

    void ask_types(ast::Program& whole, const ast::Item& item) {
        whole.items = {item};
        // what a function is given may be of any type; the rest of it has the types of its body
        if (const auto* function = std::get_if<ast::FunctionItem>(&item.node)) {
            const ast::ProbeSpec begin{item.span, {{item.span, "BEGIN"}}, "", {}};
            whole.items = {{item.span, ast::Action{{begin}, std::nullopt, function->body}}};
        }
        Diags diags;
        Typed typed = resolve(whole, *kernel_, options_, diags);
        if (diags.has_errors()) return;
        Diags ignored;  // other items say what maps hold
        check(whole, typed, *kernel_, ignored);
        keep_types(typed);
    }

    // Where the same text has several types, nothing is known.
    void keep_types(const Typed& typed) {
        for (size_t i = 0; i < told_.size(); i++) {
            std::set<Told> found;
            for (const Body& body : typed.bodies) {
                if (i < body.types.size() && body.types[i].kind != Kind::none)
                    found.insert({known(body.types[i]), body.types[i].size, pointee_name(body.types[i])});
            }
            if (found.size() == 1) told_[i] = *found.begin();
        }
    }

    bool exists(ast::ProbeSpec spec) const {
        spec.alternative = {};
        ast::Program alone;
        alone.items.push_back({{}, ast::Action{{std::move(spec)}, std::nullopt, {}}});
        Diags ignored;
        return !resolve(alone, *kernel_, options_, ignored).bodies.empty() && !ignored.has_errors();
    }

    // Of what was printed, read again.
    Diags mistakes(const std::string& text, bool compiled) const {
        Diags diags, errors;
        const ast::Program program = parse(source_of(text), diags, {});
        if (!diags.has_errors() && compiled) compiles(program, diags);
        if (diags.has_errors()) errors.take(std::move(diags));
        return errors;
    }
    Source source_of(const std::string& text) const { return {source_.name + " as .lt", text, {}, ".lt"}; }

    // A program that is none is not handed out.
    bool holds(const std::string& text, bool compiled) const {
        const Diags diags = mistakes(text, compiled);
        if (diags.all().empty()) return true;
        draw_all(source_of(text), diags);
        refuse({"this program has no form in .lt yet", "lt runs it as it is: lt " + source_.name, 0});
        return false;
    }

    Source source_;
    Kernel* kernel_;
    Invocation given_;
    std::vector<std::string> folders_;
    ResolveOptions options_;
    std::vector<Told> told_;  // by expression
};

}  // namespace

int port_program(int argc, const char* const* argv) {
    Result<Command> command = read_command(argc, argv);
    if (!command) return refuse(command.error());
    if (command->file.empty() && !command->has(Option::program))
        return refuse({"port takes a program of SystemTap's", "for example lt port old.stp > new.lt", 0});
    if (command->has(Option::program) || command->file == "-") command->options[Option::systemtap] = "true";
    const std::string spoken = command->has(Option::systemtap) ? ".stp" : command->file;
    if (grammar_of(spoken) != Grammar::stp)
        return refuse({command->file + " is no program of SystemTap's", "its name ends in .stp, or --stp is given", 0});
    Result<Source> source = read_source(*command);
    if (!source) return refuse(source.error());
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({command->text(Option::kernel)});
    return Porter(*command, std::move(*source), kernel ? kernel->get() : nullptr).run();
}

}  // namespace lt
