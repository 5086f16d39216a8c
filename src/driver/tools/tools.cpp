#include "driver/tools/tools.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "base/text.h"
#include "parser/lt/expand.h"
#include "parser/parse.h"
#include "parser/tree/params.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".lt";

bool is_name(std::string_view word) {
    const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
    return !word.empty() && word[0] != '-' && std::ranges::all_of(word, fits);
}

bool is_file(const std::string& path) {
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}

// The current folder may be anyone's, and tools run as root. The owner of a link can let it lead to another file later.
bool is_trusted(const std::string& path) {
    struct stat file{}, link{};
    if (::stat(path.c_str(), &file) != 0 || ::lstat(path.c_str(), &link) != 0) return false;
    const auto is_own = [](uid_t user) { return user == 0 || user == ::geteuid(); };
    return is_own(file.st_uid) && is_own(link.st_uid);
}

// The folder of this program.
std::string own_folder() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    return length <= 0 ? "" : fs::path(std::string(path, static_cast<size_t>(length))).parent_path().string();
}

std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

std::vector<std::string> tool_folders() {
    std::vector<std::string> folders{"."};
    if (const char* given = std::getenv("LT_TOOLS"))
        for (std::string_view folder : split(given, ':'))
            if (!folder.empty()) folders.emplace_back(folder);
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    if (config != nullptr && *config != '\0')
        folders.push_back(std::string(config) + "/lt/tools");
    else if (home != nullptr && *home != '\0')
        folders.push_back(std::string(home) + "/.config/lt/tools");
    // as installed, or in the build folder of the source tree
    const std::string own = own_folder();
    if (is_file(own + "/build.ninja"))
        folders.push_back(own + "/../tools");
    else
        folders.push_back(own + "/../share/lt/tools");
    return folders;
}

Tool find_tool(std::string_view name) {
    Tool tool{std::string(name), ""};
    if (!is_name(name)) return tool;
    for (const std::string& folder : tool_folders()) {
        const std::string path = fs::path(folder + "/" + tool.name + std::string(ending)).lexically_normal().string();
        if (!is_file(path) || (folder == "." && !is_trusted(path))) continue;
        tool.path = path;
        break;
    }
    return tool;
}

std::string script_path(const std::string& word) {
    const bool is_path = is_file(word);
    if (is_path && (!is_name(word) || is_trusted(word))) return word;
    const Tool tool = find_tool(word);
    return tool.path.empty() ? word : tool.path;
}

std::vector<Tool> all_tools() {
    std::map<std::string, std::string> paths;  // of the first folder that has it
    for (const std::string& folder : tool_folders()) {
        if (folder == ".") continue;
        std::error_code failed;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
            const fs::path& path = at->path();
            if (path.extension() == ending && is_name(path.stem().string()) && is_file(path.string()))
                paths.try_emplace(path.stem().string(), path.lexically_normal().string());
        }
    }
    std::vector<Tool> tools;
    for (const auto& [name, path] : paths) tools.push_back({name, path});
    return tools;
}

std::string manual_of(std::string_view script) {
    std::string manual;
    for (std::string_view line : split(script, '\n')) {
        if (manual.empty() && line.starts_with("#!")) continue;
        if (!line.starts_with("//")) break;
        line.remove_prefix(line.starts_with("// ") ? 3 : 2);
        manual.append(line).append("\n");
    }
    return manual;
}

ToolTitle title_of(std::string_view manual, std::string_view name) {
    const std::string_view line = manual.substr(0, manual.find('\n'));
    const size_t open = name.size() + 1, close = line.find("): ");
    if (!line.starts_with(std::string(name) + " (") || close == line.npos) return {};
    return {std::string(line.substr(open + 1, close - open - 1)), std::string(line.substr(close + 3))};
}

std::vector<ScriptParam> params_of(const Source& own, bool imports) {
    Diags ignored;
    Source script = own;
    if (imports) load_imports(script, ignored);
    const ast::Program program = read_tree(script, ignored);
    std::vector<ScriptParam> params;
    for (const ast::Item& item : program.items) {
        const auto* p = std::get_if<ast::Parameter>(&item.node);
        if (p == nullptr) continue;
        const ParamNames names = param_names(script, item);
        const ast::ExprNode& value = program[p->value].node;
        ScriptParam param{p->name, names.short_name, names.word, std::holds_alternative<ast::Boolean>(value)};
        param.value = script.at(program[p->value].span);
        if (std::holds_alternative<ast::Duration>(value))
            param.unit = param.value.substr(param.value.find_last_of("0123456789") + 1);
        param.help = p->help;
        params.push_back(std::move(param));
    }
    return params;
}

std::vector<ScriptParam> params_of_file(const std::string& path, bool imports) {
    return is_file(path) ? params_of({path, text_of(path)}, imports) : std::vector<ScriptParam>{};
}

}  // namespace lt
