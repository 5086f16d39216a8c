// A fuzzer of the front end (libFuzzer, run by `./dev fuzz front`): whatever bytes, tokens or tree it is given, all
// stages up to the IR end, with diagnostics that lie in the text or with a program. Each input goes through three
// layers: its bytes are mutated by libFuzzer itself or by token, and the tree of what was understood is damaged before
// the check.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "compile/compile.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace lt {
namespace {

using Random = std::minstd_rand;

constexpr std::array file_names{"fuzz.lt", "fuzz.bt", "fuzz.stp"};

// ---- tokens

// Words, numbers and strings are one token, every other byte is one of its own; blanks stay at the token before them.
std::vector<std::string> tokens_of(std::string_view text) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::vector<std::string> tokens;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (is_word(text[at])) {
            while (end < text.size() && is_word(text[end])) end++;
        } else if (text[at] == '"') {
            while (end < text.size() && text[end - (end > at + 1 ? 0 : 1)] != '\n' && text[end] != '"') end++;
            end = std::min(end + 1, text.size());
        }
        while (end < text.size() && (text[end] == ' ' || text[end] == '\n')) end++;
        tokens.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::string known_token(Random& random) {
    constexpr std::array marks{"<",       ">",       "{",
                               "}",       "(",       ")",
                               "[",       "]",       "/",
                               "->",      ",",       ";",
                               ":",       "=",       "@",
                               "$",       "...",     "?",
                               "!",       "~",       "-",
                               "+",       "*",       "&",
                               "|",       "^",       "%",
                               "<<",      ">>",      "==",
                               "++",      ".",       "..",
                               "@x",      "@[1]",    "$x",
                               "if",      "for",     "while",
                               "unroll",  "let",     "span",
                               "timeout", "param",   "fn",
                               "macro",   "config",  "import",
                               "return",  "break",   "continue",
                               "else",    "1",       "0",
                               "-1",      "10ms",    "0xffffffffffffffff",
                               "\"\"",    "\"a%d\"", "struct file *",
                               "global",  "probe",   "foreach",
                               "in",      "%(",      "%?",
                               "%:",      "%)",      "<<<",
                               "delete",  "next"};
    const auto functions = function_rows();
    const auto variables = variable_rows();
    const auto probes = probe_rows();
    switch (random() % 4) {
        case 0:
            return std::string(functions[random() % functions.size()].name);
        case 1:
            return std::string(variables[random() % variables.size()].name);
        case 2:
            return std::string(probes[random() % probes.size()].name);
        default:
            return marks[random() % marks.size()];
    }
}

std::string with_tokens_changed(std::string_view text, Random& random) {
    std::vector<std::string> tokens = tokens_of(text);
    for (size_t n = 1 + random() % 4; n > 0 && !tokens.empty(); n--) {
        const auto at = static_cast<std::ptrdiff_t>(random() % tokens.size());
        const auto other = static_cast<std::ptrdiff_t>(random() % tokens.size());
        switch (random() % 5) {
            case 0:
                tokens.erase(tokens.begin() + at);
                break;
            case 1:
                tokens.insert(tokens.begin() + at, std::string(tokens[static_cast<size_t>(other)]));
                break;
            case 2:
                std::swap(tokens[static_cast<size_t>(at)], tokens[static_cast<size_t>(other)]);
                break;
            case 3:
                tokens[static_cast<size_t>(at)] = known_token(random) + " ";
                break;
            default:
                tokens.insert(tokens.begin() + at, known_token(random) + " ");
        }
    }
    std::string joined;
    for (const std::string& token : tokens) joined += token;
    return joined;
}

// ---- trees

bool has_children(const ast::Expr& expr) {
    bool any = false;
    ast::each_child(expr, [&](ast::ExprId) { any = true; });
    ast::each_block(expr, [&](const ast::Block&) { any = true; });
    return any;
}

bool has_blocks(const ast::Stmt& stmt) {
    bool any = false;
    ast::each_block(stmt, [&](const ast::Block&) { any = true; });
    return any;
}

// Through one a statement can contain others although it has no block of its own.
bool has_block_values(const ast::Program& program) {
    return std::ranges::any_of(program.exprs,
                               [](const ast::Expr& e) { return std::holds_alternative<ast::BlockValue>(e.node); });
}

// Where the tree promises a map, a local or a literal, one stays.
bool is_promised(const ast::Program& program, size_t expr) {
    const ast::ExprNode& node = program.exprs[expr].node;
    if (std::holds_alternative<ast::Map>(node) || std::holds_alternative<ast::Local>(node)) return true;
    return std::ranges::any_of(program.items, [&](const ast::Item& item) {
        const auto* parameter = std::get_if<ast::Parameter>(&item.node);
        return parameter != nullptr && static_cast<size_t>(parameter->value) == expr;
    });
}

// A leaf takes the place of another expression without making a circle, a statement without blocks that of another.
void damage(ast::Program& program, Random& random) {
    const bool only_leaves = has_block_values(program);
    for (size_t n = 1 + random() % 3; n > 0; n--) {
        if ((only_leaves || random() % 2 == 0) && !program.exprs.empty()) {
            const ast::Expr& leaf = program.exprs[random() % program.exprs.size()];
            const size_t place = random() % program.exprs.size();
            if (!has_children(leaf) && !is_promised(program, place))
                program.exprs[place].node = ast::ExprNode(leaf.node);
        } else if (!program.stmts.empty()) {
            const ast::Stmt& simple = program.stmts[random() % program.stmts.size()];
            ast::Stmt& other = program.stmts[random() % program.stmts.size()];
            if (!has_blocks(simple) && !has_blocks(other)) other.node = ast::StmtNode(simple.node);
        }
    }
}

// ---- the stages

void complain(const char* what) {
    fmt::print(stderr, "fuzz: {}\n", what);
    std::abort();
}

void look_at(const Source& source, const Diags& diags, bool whole) {
    if (!whole && !diags.has_errors()) complain("a stage failed without a diagnostic");
    for (const Diag& diag : diags.all()) {
        if (diag.span.begin > diag.span.end || diag.span.end > source.text.size()) complain("a place outside the text");
        if (draw(source, diag, false).empty()) complain("an empty diagnostic");
    }
}

Kernel& kernel() {
    static const std::unique_ptr<Kernel> opened = [] {
        auto result = open_kernel({LT_FAKE_KERNELS "/stock"});
        if (!result) complain(result.error().what.c_str());
        return std::move(*result);
    }();
    return *opened;
}

void compile_up_to_ir(const Source& source, const ast::Program& program) {
    Diags diags;
    CompileOptions options;
    options.resolve.unsafe = true;
    options.reads_c = false;
    options.last = Stage::lower;
    ir::dump(compile(source, {.program = program}, kernel(), options, diags).ir);
    look_at(source, diags, true);
}

void run(const uint8_t* data, size_t size) {
    if (size < 2) return;
    const Source source{file_names[data[0] % file_names.size()], {reinterpret_cast<const char*>(data + 2), size - 2}};
    Diags diags;
    ast::Program program = parse(source, diags);
    look_at(source, diags, true);
    ast::dump(program);
    if (diags.has_errors()) return;
    compile_up_to_ir(source, program);
    Random random(data[1]);
    damage(program, random);
    compile_up_to_ir(source, program);
}

}  // namespace
}  // namespace lt

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    lt::run(data, size);
    return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
    if (size < 3 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
    lt::Random random(seed);
    const std::string text = lt::with_tokens_changed({reinterpret_cast<const char*>(data + 2), size - 2}, random);
    data[1] = static_cast<uint8_t>(random());
    const size_t kept = std::min(text.size(), most - 2);
    std::copy_n(text.begin(), kept, data + 2);
    return kept + 2;
}
