#include "driver/pipeline/probe_filter.h"

#include <fmt/format.h>
#include <regex.h>

#include "base/text.h"

namespace lt {
namespace {

std::string name_of(const ast::ProbeSpec& spec) {
    if (!spec.label.empty()) return spec.label;
    std::string name;
    for (const ast::ProbeSpec::Part& part : spec.parts) name += (name.empty() ? "" : ":") + part.text;
    return name;
}

class Expression {
  public:
    explicit Expression(const std::string& text)
        : is_valid_(::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0) {}
    ~Expression() {
        if (is_valid_) ::regfree(&compiled_);
    }
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;

    bool is_valid() const { return is_valid_; }
    bool is_in(const std::string& text) const { return ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0; }

  private:
    regex_t compiled_{};
    bool is_valid_;
};

}  // namespace

Status filter_probes(ast::Program& program, const std::string& expression) {
    const Expression wanted(expression);
    if (!wanted.is_valid())
        return Error{fmt::format("--probe-filter: {} is not a regular expression", lt::quoted(expression)),
                     "for example `--probe-filter 'vfs_(read|write)'`", 0};
    bool any = false;
    std::erase_if(program.items, [&](ast::Item& item) {
        auto* action = std::get_if<ast::Action>(&item.node);
        if (action == nullptr) return false;
        std::erase_if(action->probes, [&](const ast::ProbeSpec& spec) { return !wanted.is_in(name_of(spec)); });
        any = any || !action->probes.empty();
        return action->probes.empty();
    });
    if (any) return Done{};
    return Error{fmt::format("--probe-filter {}: no probe of the script has such a name", lt::quoted(expression)),
                 "`lt -l FILE` lists them", 0};
}

}  // namespace lt
