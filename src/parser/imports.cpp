// Imported files are appended to one text, so that one parser reads them all; positions in them have their own file
// names.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/file_text.h"
#include "parser/lt/expand.h"
#include "systemtap/parse.h"

namespace lt {
namespace {

constexpr size_t most_nested = 64;

Result<std::string> read(const std::string& path) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return system_error("cannot read " + path, errno);
    return whole_text(file.get(), path);
}

// Relative to the importing file.
std::string path_of(const Source& source, const ast::Import& import) {
    const std::filesystem::path from = source.name_at(import.path_span.begin);
    return (from.parent_path() / import.path).lexically_normal().string();
}

bool is_known(const Source& source, const std::string& path) {
    const auto same = [&](const std::string& name) {
        return std::filesystem::path(name).lexically_normal().string() == path;
    };
    const auto is_it = [&](const Source::Part& p) { return same(p.name); };
    return same(source.name) || std::ranges::any_of(source.parts, is_it);
}

bool add(Source& source, const ast::Import& import, Diags& diags) {
    const std::string path = path_of(source, import);
    if (is_known(source, path)) return false;
    Result<std::string> text = read(path);
    if (!text) {
        diags.error(import.path_span, text.error().what).hint = "a path is relative to the importing file";
        return false;
    }
    if (text->starts_with("#!")) text->replace(0, 2, "//");
    if (source.text.size() + text->size() > longest_program) {
        diags.error(import.path_span,
                    fmt::format("the program is larger than {1} MiB with `{0}`", path, longest_program >> 20));
        return false;
    }
    source.text += '\n';
    source.parts.push_back({static_cast<uint32_t>(source.text.size()), path});
    source.text += *text;
    return true;
}

bool is_in_block(const ast::Program& program, Span span) {
    return std::ranges::any_of(
        program.items, [&](const ast::Item& item) { return item.span.begin < span.begin && span.end < item.span.end; });
}

// error, warn or enable: the setting for imports in blocks, from the program or its environment.
std::string import_statements(const ast::Program& program) {
    constexpr std::string_view setting = "unstable_import_statement";
    const char* outside =
        program.settings.uses_environment ? std::getenv("BPFTRACE_UNSTABLE_IMPORT_STATEMENT") : nullptr;
    std::string value = outside != nullptr ? outside : "error";
    for (const ast::Item& item : program.items) {
        const auto* config = std::get_if<ast::Config>(&item.node);
        for (const ast::Config::Setting& s :
             config != nullptr ? config->settings : std::vector<ast::Config::Setting>{}) {
            const SettingRow* row = find_setting(s.name);
            if (row != nullptr && row->name == setting) value = s.value;
        }
    }
    return value;
}

// Reported once, before the file is read.
bool may_import(const Source& source, const ast::Program& program, const ast::Import& import, Span span, Diags& diags) {
    if (!is_in_block(program, span) || is_known(source, path_of(source, import))) return true;
    const std::string allowed = import_statements(program);
    if (allowed == "warn") diags.warning(span, "an import inside a block may change in later versions of the language");
    if (allowed == "warn" || allowed == "enable") return true;
    diags.error(span, "an import inside a block is not enabled").hint =
        "move it before the probes, or write `config = { unstable_import_statement = enable }`";
    return false;
}

}  // namespace

void load_imports(Source& source, Diags& diags, const std::vector<std::string>& words,
                  const std::vector<std::string>& folders) {
    if (grammar_of(source.spoken()) == Grammar::stp) return stp::load_library(source, words, folders, diags);
    if (source.text.find("import") == std::string::npos) return;
    bool more = true;
    for (size_t depth = 0; more; depth++) {
        more = false;
        Diags unread;
        const ast::Program program = read_tree(source, unread);
        if (unread.has_errors()) return;
        for (const ast::Item& item : program.items) {
            const auto* import = std::get_if<ast::Import>(&item.node);
            if (import == nullptr || !may_import(source, program, *import, item.span, diags)) continue;
            if (depth == most_nested && !is_known(source, path_of(source, *import))) {
                diags.error(import->path_span, fmt::format("imports are nested deeper than {} files", most_nested))
                    .hint = "import this file in the script itself";
            } else if (add(source, *import, diags)) {
                more = true;
            }
            if (diags.has_errors()) return;
        }
    }
}

}  // namespace lt
