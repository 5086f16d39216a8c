// Named tools: scripts that `lt NAME` runs. Each begins with a comment that is its manual; the first line is
// `// NAME (LAYER): what it shows`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "driver/cli/command.h"

namespace lt {

struct Tool {
    std::string name;
    std::string path;
};

// Where tools are, the first place first: the current folder, the folders of LT_TOOLS, the user's, the installed ones.
std::vector<std::string> tool_folders();

// The tool of this name; an empty path if there is none. A file in the current folder counts only if it, and a link
// that leads to it, belong to root or to the user who runs lt.
Tool find_tool(std::string_view name);

// The file of a script: the word itself if it is a file, otherwise the tool of that name; the word if there is neither.
// Another user's file in the current folder does not hide a tool.
std::string script_path(const std::string& word);

// All tools outside of the current folder, by name.
std::vector<Tool> all_tools();

// The comment with which a script begins, without its marks.
std::string manual_of(std::string_view script);

// The parts of a manual's first line.
struct ToolTitle {
    std::string layer;     // "cpu"; empty: the line has another form
    std::string sentence;  // what it shows
};
ToolTitle title_of(std::string_view manual, std::string_view name);

// The parameters that a script declares, in its order; those that can be read of one with mistakes.
// With `imports`, also those of the files that it imports.
std::vector<ScriptParam> params_of(const Source& script, bool imports = true);
std::vector<ScriptParam> params_of_file(const std::string& path, bool imports);

}  // namespace lt
