#include "parser/parse.h"

#include "parser/lt/expand.h"
#include "parser/lt/lexer.h"
#include "parser/tree/growing_tree.h"
#include "systemtap/parse.h"

namespace lt {
namespace {

constexpr size_t most_bytes = size_t{16} << 20;  // also keeps every offset well inside a Span

bool is_program_text(const Source& source, Diags& diags) {
    if (source.text.size() > most_bytes) {
        diags.error({}, source.name + " is longer than 16 MiB").hint = "check that this file is a program";
        return false;
    }
    const size_t nul = source.text.find('\0');
    if (nul == std::string::npos) return true;
    const auto at = static_cast<uint32_t>(nul);
    diags.error({at, at + 1}, "a NUL byte: this is not a text file").hint = "save the program as UTF-8 or ASCII";
    return false;
}

}  // namespace

ast::Program parse_as_written(const Source& source, Diags& diags, const Invocation& given) {
    ast::Program program;
    if (grammar_of(source.spoken()) == Grammar::stp) {
        program.settings = settings_of(source.spoken());
        if (given.max_errors) program.settings.max_errors = *given.max_errors;
        if (is_program_text(source, diags)) stp::read(program, source, given, diags);
    } else {
        program = read_tree(source, diags);
    }
    return program;
}

void put_in(ast::Program& program, const Invocation& given, Diags& diags) { expand(program, given, diags); }

ast::Program parse(const Source& source, Diags& diags, const Invocation& given) {
    ast::Program program = parse_as_written(source, diags, given);
    if (!diags.has_errors() && !given.only_grammar) put_in(program, given, diags);
    return program;
}

ast::Program read_tree(const Source& source, Diags& diags) {
    ast::Program program;
    program.settings = settings_of(source.spoken());
    if (!is_program_text(source, diags)) return program;
    Lexing lexer(source, diags);
    GrowingTree tree(program, diags);
    Parser(lexer, tree).parse();
    if (!diags.has_errors()) put_text_macros(tree, source);
    if (diags.all().size() >= most_diags) diags.note({}, "there may be more errors; these are the first");
    return program;
}

}  // namespace lt
