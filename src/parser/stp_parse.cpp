#include "stp_parse.h"

#include <algorithm>
#include <set>
#include <string>

#include "stdlib/stp.h"
#include "stp_build.h"
#include "stp_c.h"
#include "stp_feed.h"
#include "stp_globals.h"
#include "stp_link.h"
#include "stp_preprocess.h"

namespace lt::stp {
namespace {

// Where each file lies: the script, then what was added to it.
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

// Words that a file of the library gives a meaning to: functions, macros, first parts of aliases. Each stands at the
// begin of a line, so that a file nobody names is not taken apart.
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

std::set<std::string> named_in(const Pieces& pieces) {
    std::set<std::string> out;
    for (const Piece& piece : pieces) {
        if (piece.kind == PieceKind::word) out.insert(piece.text);
        if (piece.kind == PieceKind::at_word) out.insert(piece.text.substr(1));
        for (std::string_view word : c_calls) {
            if (piece.kind == PieceKind::embedded && piece.text.find(word) != piece.text.npos) out.emplace(word);
        }
    }
    return out;
}

bool has_common(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& word) { return b.contains(word); });
}

Pieces scan_text(std::string_view text) {
    Diags ignored;
    const Source source{"", std::string(text)};
    return scan(source, {0, static_cast<uint32_t>(text.size())}, ignored);
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
    pieces[0] = spell_out_c(pieces, source, given.for_port, diags);
    for (const Pieces& file : pieces) parse_file(file, build, diags);
    if (diags.has_errors()) return;
    keep_apart(program, tree, source);
    link(program, tree, source, given, diags);
}

void load_library(Source& source, const std::vector<std::string>& words, Diags&) {
    struct File {
        StpFile file;
        std::set<std::string> defines;
        bool is_added = false;
    };
    std::vector<File> files;
    for (const StpFile& file : stp_library()) files.push_back({file, defined_in(file.text)});
    std::set<std::string> wanted = named_in(scan_text(source.text));
    if (wanted.contains("retstr")) wanted.insert("return_str");                     // which it is made by
    for (const std::string& word : words) wanted.merge(named_in(scan_text(word)));  // $1 may be any text
    for (bool more = true; more;) {
        more = false;
        for (File& f : files) {
            if (f.is_added || !has_common(f.defines, wanted)) continue;
            f.is_added = more = true;
            source.text += '\n';
            source.parts.push_back({static_cast<uint32_t>(source.text.size()), std::string(f.file.name), true});
            source.text += f.file.text;
            wanted.merge(named_in(scan_text(f.file.text)));
        }
    }
}

}  // namespace lt::stp
