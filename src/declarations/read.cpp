// The text that clang gets is as long as the script, with blanks for everything that is not C, so that places in it are
// places in the script. After it comes a variable for each name of the script that may be a macro; its value is the
// macro's value, unless that is arithmetic, which has the 64 bits of the script's own numbers.
#include "declarations/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include "base/text.h"
#include "declarations/arguments.h"
#include "declarations/arithmetic.h"
#include "declarations/c_growth.h"
#include "declarations/convert.h"
#include "declarations/libclang.h"

namespace lt {
namespace {

constexpr const char* text_name = "/script.c";
constexpr const char* integers_name = "/integers.h";
// Hints, by clang's message.
struct AdviceRow {
    std::string_view part;
    std::string_view hint;
};
constexpr std::array advice{
    AdviceRow{"incomplete type", "this kernel has no such type; define it or include its header"},
    AdviceRow{"unknown type name", "define it or include its header"},
    AdviceRow{"expected ';' after top level declarator", "write `;` after the definition"},
};

std::string hint_for(std::string_view message) {
    for (const AdviceRow& row : advice) {
        if (message.find(row.part) != message.npos) return std::string(row.hint);
    }
    return {};
}

constexpr std::string_view variable_prefix = "lt_macro_";

bool is_line(std::string_view text) { return text.starts_with('#'); }

// The text after the # of a preprocessor line.
std::string_view directive(std::string_view text) {
    const size_t word = text.find_first_not_of(" \t", 1);
    return text.substr(std::min(word, text.size()));
}

// Preprocessor lines start at the beginning of a line. A definition counts as closed even if its `;` is missing.
std::string c_text(const Source& source, const ast::Program& program) {
    std::string out(source.text.size(), ' ');
    for (const ast::Item& item : program.items) {
        const auto* piece = std::get_if<ast::CText>(&item.node);
        if (!piece) continue;
        const uint32_t begin = item.span.begin;
        if (is_line(piece->text) && begin > 0) out[begin - 1] = '\n';
        out.replace(begin, piece->text.size(), piece->text);
        if (!is_line(piece->text) && item.span.end < out.size()) out[item.span.end] = ';';
    }
    return out;
}

std::vector<std::string> used_names(const ast::Program& program) {
    std::set<std::string> names;
    for (const ast::Expr& e : program.exprs) {
        if (const auto* name = std::get_if<ast::Name>(&e.node)) names.insert(name->name);
    }
    return {names.begin(), names.end()};
}

std::string with_variables(std::string text, const std::vector<std::string>& names) {
    text += ";\n";
    for (size_t i = 0; i < names.size(); i++)
        text += fmt::format("#ifdef {0}\n__auto_type {1}{2} = {0};\n#endif\n", names[i], variable_prefix, i);
    return text;
}

// Probes between #if and #endif would exist whatever the condition.
void refuse_conditional_items(const ast::Program& program, Diags& diags) {
    std::vector<Span> open;
    for (const ast::Item& item : program.items) {
        const auto* piece = std::get_if<ast::CText>(&item.node);
        if (!piece && !open.empty()) {
            diags.error(open.back(), "only C can be between `#if` and `#endif`").hint =
                "put the `#endif` before the first probe";
            return;
        }
        if (!piece || !is_line(piece->text)) continue;
        const std::string_view rest = directive(piece->text);
        if (rest.starts_with("if")) open.push_back({item.span.begin, item.span.begin + 1});
        if (rest.starts_with("endif") && !open.empty()) open.pop_back();
    }
}

// clang would read from a device until memory runs out.
void refuse_devices(const Source& source, const ast::Program& program, Diags& diags) {
    namespace fs = std::filesystem;
    for (const ast::Item& item : program.items) {
        const auto* piece = std::get_if<ast::CText>(&item.node);
        if (!piece || !is_line(piece->text) || !directive(piece->text).starts_with("include")) continue;
        const std::vector<std::string_view> parts =
            split(piece->text, piece->text.find('<') < piece->text.find('"') ? '<' : '"');
        if (parts.size() < 2) continue;
        const fs::path header(parts[1].substr(0, parts[1].find_first_of(">\"")));
        std::error_code none;
        for (const fs::path& path : {header, fs::path(source.name).parent_path() / header})
            if (fs::exists(path, none) && !fs::is_regular_file(path, none))
                diags.error(item.span, fmt::format("{} is not a regular file", path.string()));
    }
}

// uint32_t, __u8, s64 ...
struct IntegerNames {
    std::string_view before, after;  // the number of bits
    bool is_signed;
};
constexpr std::array integer_names{
    IntegerNames{"uint", "_t", false}, IntegerNames{"int", "_t", true}, IntegerNames{"u", "", false},
    IntegerNames{"s", "", true},       IntegerNames{"__u", "", false},  IntegerNames{"__s", "", true},
    IntegerNames{"uint", "", false},   IntegerNames{"int", "", true},
};
constexpr std::array<std::string_view, 4> integer_types{"char", "short", "int", "long"};  // of 1, 2, 4, 8 bytes

// The C type for the name of an integer: one of those above, or the kernel's.
std::optional<std::string> integer_of(const std::string& name, Kernel& kernel) {
    if (name == "bool") return "_Bool";
    const auto type = kernel.type(name);
    for (size_t i = 0; i < integer_types.size(); i++) {
        const uint32_t size = 1U << i;
        const auto is_name = [&](const IntegerNames& n) {
            return name == fmt::format("{}{}{}", n.before, 8 * size, n.after);
        };
        const auto* row = std::ranges::find_if(integer_names, is_name);
        const bool found = row != integer_names.end();
        const bool is_own = type && type->kind == Kind::integer && type->view == View::plain && type->size == size;
        if (!found && !is_own) continue;
        const bool is_signed = found ? row->is_signed : type->is_signed;
        return fmt::format("{} {}", is_signed ? "signed" : "unsigned", integer_types[i]);
    }
    return {};
}

// In bytes. Type information does not say that a structure is packed, which is then aligned at any byte: its offsets
// and its size do.
uint32_t alignment_of(const Type& type, Kernel& kernel) {
    if (const Type* each = element(type)) return alignment_of(*each, kernel);
    if (type.kind != Kind::structure) return type.kind == Kind::integer ? std::max(type.size, 1U) : 1;
    uint32_t out = 1;
    const std::vector<Member> members = kernel.members(type);
    for (const Member& member : members) {
        const uint32_t own = alignment_of(member.type, kernel);
        if (member.offset % own != 0) return 1;
        out = std::max(out, own);
    }
    return type.size % out == 0 ? out : 1;
}

class Reader {
  public:
    Reader(const LibClang& clang, const Source& source, Kernel& kernel, Diags& diags, CDeclarations& out)
        : clang_(clang), source_(source), kernel_(kernel), diags_(diags), out_(out) {}

    void read(const ast::Program& program, const HeaderOptions& options) {
        arithmetic_ = arithmetic_macros(program);
        const std::vector<std::string> names = used_names(program);
        const std::string text = with_variables(c_text(source_, program), names);
        std::vector<std::string> arguments = c_arguments(source_.name, options, kernel_);
        const auto unit = parse(text, arguments);
        if (!unit) return;
        if (!define_missing(unit->get())) return take(unit->get(), names);
        arguments.insert(arguments.end(), {"-include", integers_name});
        const auto again = parse(text, arguments);
        if (again) take(again->get(), names);
    }

  private:
    void take(CXTranslationUnit unit, const std::vector<std::string>& names) {
        find_includes(unit);
        const unsigned count = clang_.getNumDiagnostics(unit);
        for (unsigned i = 0; i < count; i++) {
            CXDiagnostic given = clang_.getDiagnostic(unit, i);
            complain(given);
            clang_.disposeDiagnostic(given);
        }
        if (diags_.has_errors()) return;
        Converter(clang_, kernel_, out_.declared).take(unit);
        read_macros(unit, names);
    }

    std::optional<TranslationUnit> parse(const std::string& text, const std::vector<std::string>& arguments) {
        std::vector<const char*> words;
        for (const std::string& a : arguments) words.push_back(a.c_str());
        std::array files{CXUnsavedFile{text_name, text.data(), text.size()},
                         CXUnsavedFile{integers_name, integers_.data(), integers_.size()}};
        CXIndex index = clang_.createIndex(0, 0);
        CXTranslationUnit unit = nullptr;
        const CXErrorCode code =
            clang_.parseTranslationUnit2(index, text_name, words.data(), static_cast<int>(words.size()), files.data(),
                                         files.size(), CXTranslationUnit_KeepGoing, &unit);
        TranslationUnit out(clang_, index, unit);
        if (code == CXError_Success) return out;
        diags_.error({}, fmt::format("libclang cannot read the script's C (error {})", static_cast<int>(code)));
        return {};
    }

    // Adds definitions of types that the script uses without including their header: integers by their names, or as the
    // kernel has them, and structures with the size of the kernel's. Returns whether it added any.
    bool define_missing(CXTranslationUnit unit) {
        std::set<std::string> names, structures;
        for (unsigned i = 0; i < clang_.getNumDiagnostics(unit); i++) {
            CXDiagnostic given = clang_.getDiagnostic(unit, i);
            const std::string message = clang_.text(clang_.getDiagnosticSpelling(given));
            clang_.disposeDiagnostic(given);
            if (message.starts_with("unknown type name '")) names.insert(quoted_in(message));
            if (message.find("incomplete type 'struct ") != message.npos) structures.insert(quoted_in(message));
        }
        for (const std::string& name : names) {
            if (const auto type = integer_of(name, kernel_))
                integers_ += fmt::format("typedef {} {};\n", *type, name);
            else
                define_structure(name, "typedef struct {0} {1} {0};\n");
        }
        for (const std::string& name : structures) define_structure(name, "{0} {1};\n");
        return !integers_.empty();
    }

    static std::string quoted_in(const std::string& message) {
        const size_t begin = message.find('\'') + 1;
        return message.substr(begin, message.find('\'', begin) - begin);
    }

    // `form` has places for the name and for the members.
    void define_structure(const std::string& name, const char* form) {
        const auto type = kernel_.type(name);
        if (!type || type->kind != Kind::structure || type->size == 0) return;
        const std::string members = fmt::format("{{ char {}[{}]; }} __attribute__((aligned({})))", kernel_mark,
                                                type->size, alignment_of(*type, kernel_));
        integers_ += fmt::format(fmt::runtime(form), name, members);
    }

    // The script's line that first included each header, directly or through another one.
    void find_includes(CXTranslationUnit unit) {
        clang_.getInclusions(
            unit,
            [](CXFile file, CXSourceLocation* stack, unsigned depth, CXClientData self) {
                auto& reader = *static_cast<Reader*>(self);
                if (depth == 0) return;
                unsigned offset = 0;
                reader.clang_.getExpansionLocation(stack[depth - 1], nullptr, nullptr, nullptr, &offset);
                reader.includes_.try_emplace(reader.clang_.text(reader.clang_.getFileName(file)), offset);
            },
            this);
    }

    struct Place {
        std::string file;
        unsigned line = 0;
        unsigned offset = 0;
    };
    Place place_of(CXSourceLocation location) const {
        Place p;
        CXFile file = nullptr;
        clang_.getExpansionLocation(location, &file, &p.line, nullptr, &p.offset);
        if (file != nullptr) p.file = clang_.text(clang_.getFileName(file));
        return p;
    }

    // A word, or a header's name with its quotes or brackets.
    Span span_at(unsigned offset) const {
        const std::string& text = source_.text;
        size_t end = std::min<size_t>(offset + 1, text.size());
        const char first = offset < text.size() ? text[offset] : '\0';
        if (first == '<' || first == '"') {
            while (end < text.size() && text[end] != '\n' && text[end - 1] != (first == '<' ? '>' : '"')) end++;
        } else {
            while (end < text.size() && is_word_character(text[end])) end++;
        }
        return {offset, static_cast<uint32_t>(end)};
    }

    void complain(CXDiagnostic given) {
        const CXDiagnosticSeverity severity = clang_.getDiagnosticSeverity(given);
        if (severity < CXDiagnostic_Warning) return;
        std::string message = clang_.text(clang_.getDiagnosticSpelling(given));
        const Place place = place_of(clang_.getDiagnosticLocation(given));
        const bool is_own = place.file == text_name;
        if (is_own && place.offset >= source_.text.size()) return;  // of a macro that is not a value
        const auto included = includes_.find(place.file);
        const Span span = is_own                        ? span_at(place.offset)
                          : included == includes_.end() ? Span{}
                                                        : span_at(included->second);
        const auto header = missing_header(message);
        if (header && is_kernel_header(*header) && kernel_.can(Feature::btf).yes) {
            out_.absent.emplace_back(span, *header);
            return;
        }
        if (!is_own && !place.file.empty()) message = fmt::format("{}:{}: {}", place.file, place.line, message);
        if (severity == CXDiagnostic_Warning) {
            diags_.warning(span, std::move(message));
            return;
        }
        Diag& d = diags_.error(span, std::move(message));
        d.hint = hint_for(d.message);
        if (header)
            d.hint = header_hint(*header);
        else if (!out_.absent.empty())
            d.hint = fmt::format("{} is not installed; define the parts of it that you need in the script",
                                 out_.absent.front().second);
    }

    void read_macros(CXTranslationUnit unit, const std::vector<std::string>& names) {
        auto visit = [&](CXCursor cursor) {
            if (clang_.getCursorKind(cursor) != CXCursor_VarDecl) return;
            const std::string name = clang_.text(clang_.getCursorSpelling(cursor));
            if (!name.starts_with(variable_prefix)) return;
            const size_t index = std::stoul(name.substr(variable_prefix.size()));
            if (index < names.size()) take_value(names[index], cursor);
        };
        clang_.visitChildren(
            clang_.getTranslationUnitCursor(unit),
            [](CXCursor cursor, CXCursor, CXClientData data) {
                (*static_cast<decltype(visit)*>(data))(cursor);
                return CXChildVisit_Continue;
            },
            &visit);
    }

    void take_value(const std::string& name, CXCursor variable) {
        if (const auto own = arithmetic_.find(name); own != arithmetic_.end()) {
            out_.macros[name] = own->second;
            return;
        }
        CXEvalResult value = clang_.Cursor_Evaluate(variable);
        if (value == nullptr) return;
        const CXEvalResultKind kind = clang_.EvalResult_getKind(value);
        if (kind == CXEval_StrLiteral) {
            out_.macros[name] = std::string(clang_.EvalResult_getAsStr(value));
        } else if (kind == CXEval_Int) {
            const auto bits = static_cast<uint64_t>(clang_.EvalResult_getAsLongLong(value));
            const bool negative =
                clang_.EvalResult_isUnsignedInt(value) == 0 && bits > std::numeric_limits<int64_t>::max();
            out_.macros[name] = MacroNumber{negative, negative ? uint64_t{0} - bits : bits};
        }
        clang_.EvalResult_dispose(value);
    }

    std::string integers_;  // definitions of them, and of structures
    const LibClang& clang_;
    const Source& source_;
    Kernel& kernel_;
    Diags& diags_;
    CDeclarations& out_;
    std::map<std::string, MacroNumber, std::less<>> arithmetic_;
    std::map<std::string, unsigned> includes_;  // a header's path, and where the script includes it
};

Span first_piece(const ast::Program& program) {
    for (const ast::Item& item : program.items) {
        if (std::holds_alternative<ast::CText>(item.node)) return item.span;
    }
    return {};
}

}  // namespace

bool has_declarations(const ast::Program& program, const HeaderOptions& options) {
    return !options.files.empty() || !first_piece(program).empty();
}

bool reads_files(const ast::Program& program) {
    constexpr std::array<std::string_view, 3> readers{"include", "import", "embed"};
    return std::ranges::any_of(program.items, [&](const ast::Item& item) {
        const auto* piece = std::get_if<ast::CText>(&item.node);
        const std::string_view text = piece ? std::string_view(piece->text) : std::string_view();
        if (text.find("__has_include") != text.npos || text.find("__has_embed") != text.npos) return true;
        for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
            const std::string_view rest = directive(text.substr(at));
            if (std::ranges::any_of(readers, [&](std::string_view word) { return rest.starts_with(word); }))
                return true;
        }
        return false;
    });
}

CDeclarations read_declarations(const Source& source, const ast::Program& program, const HeaderOptions& options,
                                Kernel& kernel, Diags& diags) {
    CDeclarations out;
    refuse_conditional_items(program, diags);
    if (const auto span = grows_without_end(program))
        diags.error(*span, fmt::format("with its macros replaced this is longer than {} MiB", int(most_replaced) >> 20))
            .hint = "use fewer macros in each macro";
    refuse_devices(source, program, diags);
    if (diags.has_errors()) return out;
    const Result<LibClang> clang = load_libclang();
    if (!clang) {
        diags.error(first_piece(program), clang.error().what).hint = clang.error().hint;
        return out;
    }
    Reader(*clang, source, kernel, diags, out).read(program, options);
    return out;
}

void place_macros(ast::Program& program, const CDeclarations& declarations) {
    if (declarations.macros.empty()) return;
    const size_t count = program.exprs.size();
    for (size_t i = 0; i < count; i++) {
        const auto* name = std::get_if<ast::Name>(&program.exprs[i].node);
        const auto macro = name ? declarations.macros.find(name->name) : declarations.macros.end();
        if (macro == declarations.macros.end()) continue;
        const Span span = program.exprs[i].span;
        if (const auto* text = std::get_if<std::string>(&macro->second)) {
            program.exprs[i].node = ast::String{*text};
            continue;
        }
        const auto& number = std::get<MacroNumber>(macro->second);
        ast::ExprNode value = ast::Integer{number.magnitude};
        if (number.negative) value = ast::Unary{ast::UnaryOp::minus, program.add(span, std::move(value))};
        program.exprs[i].node = std::move(value);
    }
}

}  // namespace lt
