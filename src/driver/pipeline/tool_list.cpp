#include "driver/pipeline/tool_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "driver/cli/command.h"
#include "driver/cli/failure.h"
#include "driver/pipeline/script.h"
#include "driver/target/chosen_kernel.h"
#include "driver/tools/tools.h"

namespace lt {
namespace {

struct Layer {
    std::string_view name;
    std::string_view title;
};
constexpr std::array layers{
    Layer{"cpu", "CPU and scheduler"},
    Layer{"memory", "Memory"},
    Layer{"process", "Processes and system calls"},
    Layer{"files", "Files"},
    Layer{"block", "Block I/O"},
    Layer{"network", "Network"},
    Layer{"locks", "Locks and programs"},
    Layer{"any", "Any probe"},
    Layer{"", "Others"},
};

struct ListedTool {
    std::string name;
    ToolTitle title;
    std::string why_not;  // empty: this kernel can run it
};

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

bool is_asked_for(const ListedTool& tool, const std::string& word) {
    const std::string all = lower(tool.name + " " + tool.title.layer + " " + tool.title.sentence);
    return all.find(lower(word)) != all.npos;
}

// The first error of the stages that look at this kernel. A tool that needs a word, such as a probe, is not tried.
std::string why_not(Source& source, Kernel& kernel) {
    kernel.declare({});  // each script has its own C declarations
    CompileOptions options;
    options.last = Stage::lower;
    Diags diags;
    Compiled compiled{.program = read_program(source, options, diags)};
    const bool needs_word =
        std::ranges::any_of(diags.all(), [](const Diag& d) { return d.message.starts_with("there is no `$"); });
    if (needs_word) return "";
    if (!diags.has_errors()) compile(source, std::move(compiled), kernel, options, diags);
    const auto first = std::ranges::find(diags.all(), Severity::error, &Diag::severity);
    return first == diags.all().end() ? "" : first->message;
}

void print_layer(std::string_view title, std::vector<const ListedTool*> tools) {
    if (tools.empty()) return;
    fmt::print("{}\n", title);
    for (const ListedTool* tool : tools) {
        fmt::print("  {:<16} {}\n", tool->name, tool->title.sentence);
        if (!tool->why_not.empty()) fmt::print("  {:<16}   not here: {}\n", "", tool->why_not);
    }
    fmt::print("\n");
}

}  // namespace

int list_tools(int argc, const char* const* argv) {
    const Result<Command> command = read_command(argc, argv);
    if (!command) return misuse(command.error());
    if (const Status fits = takes_only(*command, "tools", kernel_options); !fits) return misuse(fits.error());
    if (!command->positional.empty())
        return misuse({"tools takes one word", "for example `lt tools disk`; in quotes it may have blanks", 0});
    std::vector<ListedTool> tools;
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(*command);
    for (const Tool& tool : all_tools()) {
        Command of_tool = *command;
        of_tool.file = tool.path;
        Result<Source> source = read_source(of_tool);
        if (!source) continue;
        ListedTool listed{tool.name, title_of(manual_of(source->text), tool.name), ""};
        if (!is_asked_for(listed, command->file)) continue;
        if (kernel) listed.why_not = why_not(*source, **kernel);
        tools.push_back(std::move(listed));
    }
    if (tools.empty())
        return failure(
            command->file.empty()
                ? Error{"no tools are installed", "LT_TOOLS names their folders", 0}
                : Error{fmt::format("no tool has `{}` in its name, its layer or its sentence", command->file),
                        "`lt tools` lists all", 0});
    std::map<std::string_view, std::vector<const ListedTool*>> by_layer;
    for (const ListedTool& tool : tools) {
        const auto layer = std::ranges::find(layers, tool.title.layer, &Layer::name);
        by_layer[layer == layers.end() ? "" : layer->name].push_back(&tool);
    }
    for (const Layer& layer : layers) print_layer(layer.title, by_layer[layer.name]);
    if (!kernel) fmt::print("What this kernel cannot do is not marked: {}\n", kernel.error().what);
    return 0;
}

}  // namespace lt
