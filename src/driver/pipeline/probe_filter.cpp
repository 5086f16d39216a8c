#include "driver/pipeline/probe_filter.h"

#include <fmt/format.h>

#include <optional>
#include <regex>

#include "base/text.h"

namespace lt {
namespace {

std::string name_of(const ast::ProbeSpec& spec) {
    if (!spec.label.empty()) return spec.label;
    std::string name;
    for (const ast::ProbeSpec::Part& part : spec.parts) name += (name.empty() ? "" : ":") + part.text;
    return name;
}

// std::regex throws if it refuses an expression.
std::optional<std::regex> compiled(const std::string& expression) {
    try {
        return std::regex(expression);
    } catch (const std::regex_error&) {
        return {};
    }
}

}  // namespace

Status filter_probes(ast::Program& program, const std::string& expression) {
    const std::optional<std::regex> regex = compiled(expression);
    if (!regex)
        return Error{fmt::format("--probe-filter: {} is not a regular expression", lt::quoted(expression)),
                     "for example `--probe-filter 'vfs_(read|write)'`", 0};
    bool any = false;
    std::erase_if(program.items, [&](ast::Item& item) {
        auto* action = std::get_if<ast::Action>(&item.node);
        if (action == nullptr) return false;
        std::erase_if(action->probes,
                      [&](const ast::ProbeSpec& spec) { return !std::regex_search(name_of(spec), *regex); });
        any = any || !action->probes.empty();
        return action->probes.empty();
    });
    if (any) return Done{};
    return Error{fmt::format("--probe-filter {}: no probe of the script has such a name", lt::quoted(expression)),
                 "`lt -l FILE` lists them", 0};
}

}  // namespace lt
