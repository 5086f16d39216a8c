#include "systemtap/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "systemtap/c/c.h"
#include "systemtap/grammar/build.h"
#include "systemtap/grammar/dump.h"
#include "systemtap/grammar/feed.h"
#include "systemtap/grammar/preprocess.h"
#include "systemtap/link/link.h"
#include "systemtap/names/globals.h"
#include "systemtap/names/shown.h"
#include "systemtap/tables/stp.h"

namespace lt::stp {
namespace {

// The span of each file: the script, then the files added to it.
std::vector<Span> files_of(const Source& source) {
    std::vector<Span> out;
    uint32_t begin = 0;
    for (const Source::Part& part : source.parts) {
        out.push_back({begin, part.begin});
        begin = part.begin;
    }
    out.push_back({begin, static_cast<uint32_t>(source.text.size())});
    return out;
}

void parse_file(const Pieces& pieces, TreeBuilder& build, Diags& diags) {
    Feed feed(pieces, diags);
    Parser(feed, build).parse();
}

// Words that a library file defines: functions, macros, first parts of aliases. Each is at the start of a line, so that
// unused files need not be parsed.
std::set<std::string> defined_in(std::string_view text) {
    constexpr std::string_view of_words = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    std::set<std::string> out;
    for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
        const std::string_view rest = text.substr(at);
        const bool is_probe = rest.starts_with("probe ");
        if (!is_probe && !rest.starts_with("function ") && !rest.starts_with("@define ")) continue;
        if (is_probe && rest[rest.find_first_of("{=")] == '{') continue;  // one of the file's own
        const std::string_view name = rest.substr(rest.find(' ') + 1);
        out.emplace(name.substr(0, name.find_first_not_of(of_words)));
    }
    return out;
}

// An alias, not one of the file's own probes.
bool defines_alias(const Pieces& pieces, size_t probe) {
    const auto ends = [](const Piece& piece) { return piece.text == "{" || piece.text == "=" || piece.text == "+="; };
    const auto end = std::find_if(pieces.begin() + static_cast<ptrdiff_t>(probe), pieces.end(), ends);
    return end != pieces.end() && end->text != "{";
}

// The same for a file in any layout.
std::set<std::string> defined_by(const Pieces& pieces) {
    std::set<std::string> out;
    for (size_t i = 0; i + 1 < pieces.size(); i++) {
        const bool is_definition = pieces[i].is_word("function") ||
                                   (pieces[i].is_word("probe") && defines_alias(pieces, i)) ||
                                   (pieces[i].kind == PieceKind::at_word && pieces[i].text == "@define");
        if (is_definition) out.insert(pieces[i + 1].text);
    }
    return out;
}

std::set<std::string> named_in(const Pieces& pieces) {
    std::set<std::string> out;
    for (const Piece& piece : pieces) {
        if (piece.kind == PieceKind::word) out.insert(piece.text);
        if (piece.kind == PieceKind::target && piece.text == "$$name")
            out.insert("__mark_name");  // which it is made from
        if (piece.kind == PieceKind::at_word) out.insert(piece.text.substr(1));
        for (std::string_view word : c_calls) {
            if (piece.kind == PieceKind::embedded && piece.text.find(word) != piece.text.npos) out.emplace(word);
        }
    }
    return out;
}

bool has_common(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::ranges::any_of(a, [&](const std::string& word) { return b.contains(word); });
}

Pieces scan_text(std::string_view text) {
    Diags ignored;
    const Source source{"", std::string(text)};
    return scan(source, {0, static_cast<uint32_t>(text.size())}, ignored);
}

// A file that can be added to the script, and the words that it defines.
struct LibraryFile {
    std::string name, text;
    std::set<std::string> defines = {};
    bool is_added = false;
};

// Files of the user's folders come first: their definitions replace lt's own of the same name.
std::vector<LibraryFile> library_files(const std::vector<std::string>& folders, Diags& diags) {
    namespace fs = std::filesystem;
    std::vector<LibraryFile> out;
    for (const std::string& folder : folders) {
        std::error_code failed;
        std::set<std::string> paths;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
            if (at->path().extension() == ".stp") paths.insert(at->path().string());
        if (failed)
            diags.error({}, fmt::format("-I {}: {}", folder, failed.message())).hint =
                "the option takes a folder of .stp files";
        for (const std::string& path : paths) {
            std::ifstream file(path);
            out.push_back({path, std::string(std::istreambuf_iterator<char>(file), {})});
        }
    }
    for (LibraryFile& file : out) file.defines = defined_by(scan_text(file.text));
    for (const StpFile& file : stp_library())
        out.push_back({std::string(file.name), std::string(file.text), defined_in(file.text)});
    return out;
}

}  // namespace

void read(ast::Program& program, const Source& source, const Invocation& given, Diags& diags) {
    const std::vector<Span> files = files_of(source);
    std::vector<Pieces> pieces;
    for (Span file : files) pieces.push_back(scan(source, file, diags));
    Tree tree;
    TreeBuilder build(program, tree, diags);
    Macros library;
    for (size_t i = 1; i < files.size(); i++) pieces[i] = preprocess(std::move(pieces[i]), library, given, diags);
    Macros own = library;
    pieces[0] = preprocess(std::move(pieces[0]), own, given, diags);
    if (diags.has_errors()) return;
    if (given.only_grammar) {
        parse_file(pieces[0], build, diags);
        program.declarations = dump(program, tree);
        return;
    }
    pieces[0] = spell_out_c(pieces, source, given.for_port, tree.kept_as_c, diags);
    for (const Pieces& file : pieces) parse_file(file, build, diags);
    if (diags.has_errors()) return;
    keep_apart(program, tree, source);
    link(program, tree, source, given, diags);
}

void load_library(Source& source, const std::vector<std::string>& words, const std::vector<std::string>& folders,
                  Diags& diags) {
    std::vector<LibraryFile> files = library_files(folders, diags);
    std::set<std::string> wanted = named_in(scan_text(source.text));
    if (wanted.contains("retstr")) wanted.insert("return_str");  // which it is made from
    if (wanted.contains("argstr") || std::ranges::any_of(wanted, shows_argument)) wanted.insert("__octal_text");
    if (wanted.contains("args")) wanted.insert("__argv_text");
    for (const std::string& word : words) wanted.merge(named_in(scan_text(word)));  // $1 may be any text
    for (bool more = true; more;) {
        more = false;
        for (LibraryFile& f : files) {
            if (f.is_added || !has_common(f.defines, wanted)) continue;
            f.is_added = more = true;
            source.text += '\n';
            source.parts.push_back({static_cast<uint32_t>(source.text.size()), f.name, true});
            source.text += f.text;
            wanted.merge(named_in(scan_text(f.text)));
        }
    }
}

}  // namespace lt::stp
