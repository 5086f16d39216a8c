#include "driver/pipeline/wait.h"

#include <array>
#include <string_view>

#include "parser/parse.h"

namespace lt {
namespace {

// Tried in this order: for a probe without a block, the next event; with a threshold or an arrow it is a span.
constexpr std::array<std::string_view, 3> blocks{
    "",
    " { printf(\"%s %d\\n\", comm, pid); }",
    " < printf(\"%s %d %s\\n\", comm, pid, latency); >",
};

}  // namespace

Source waiting_program(const Source& text) {
    for (const std::string_view block : blocks) {
        Source whole{text.name, text.text + std::string(block)};
        Diags diags;
        const ast::Program program = parse(whole, diags);
        if (!diags.has_errors() && !program.items.empty()) return whole;
    }
    return text;
}

}  // namespace lt
