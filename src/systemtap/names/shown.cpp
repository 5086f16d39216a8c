#include "systemtap/names/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace lt::stp {
namespace {

constexpr std::array<std::string_view, 2> endings{"_str", "_name"};

// One argument: its conversion, with its prefix, and the value.
struct Shown {
    std::string format;
    ast::ExprId value;
};

class Texts {
  public:
    Texts(ast::Program& program, Span where, const StpSystemCall& call)
        : program_(program), where_(where), call_(call) {}

    ast::ExprId all() {
        std::string format;
        std::vector<ast::ExprId> given{expr(ast::String{})};
        for (size_t i = 0; i < call_.arguments.size(); i++) {
            const bool is_created = created(i);
            const Shown shown = is_created ? mode_if_created(i) : one(i);
            format += (i > 0 && !is_created ? ", " : "") + shown.format;
            given.push_back(shown.value);
        }
        given[0] = expr(ast::String{format});
        return call("sprintf", given);
    }

    // None: it is just a number, or a plain string.
    std::optional<ast::ExprId> text(size_t i) {
        const Shown shown = one(i);
        if (shown.format != "%s") return {};
        return shown.value;
    }

    // An array of strings.
    ast::ExprId words(size_t i) { return call("__argv_text", {argument(i)}); }

  private:
    ast::ExprId expr(ast::ExprNode node) { return program_.add(where_, std::move(node)); }
    ast::ExprId call(std::string name, std::vector<ast::ExprId> arguments) {
        return expr(ast::Call{std::move(name), where_, std::move(arguments)});
    }
    ast::ExprId argument(size_t i) { return expr(ast::Name{fmt::format("${}", i)}); }
    ast::ExprId text_of(std::string_view text) { return expr(ast::String{std::string(text)}); }
    ast::ExprId narrow(size_t i) { return call("@lt", {text_of("int32"), argument(i)}); }

    // For open(): the mode only matters if a file is created.
    bool created(size_t i) const { return i > 0 && call_.arguments[i] == 'M' && call_.arguments[i - 1] == 'O'; }
    Shown mode_if_created(size_t i) { return {"%s", call("__mode_of_new", {argument(i - 1), argument(i)})}; }

    Shown one(size_t i) {
        const char letter = call_.arguments[i];
        if (const std::string_view set = stp_flag_set(letter); !set.empty())
            return {"%s", call("@lt", {text_of("flag_names"), argument(i), text_of(set)})};
        if (letter == 'A') return {"%s", call("_dfd_str", {narrow(i)})};
        if (letter == 'M') return {"%s", call("__octal_text", {argument(i)})};
        if (letter == 's') return {"\"%s\"", call("__user_text", {argument(i)})};
        if (letter == 'i') return {"%d", narrow(i)};
        return {letter == 'x' ? "0x%x" : letter == 'u' ? "%u" : "%d", argument(i)};
    }

    ast::Program& program_;
    Span where_;
    const StpSystemCall& call_;
};

}  // namespace

ast::ExprId arguments_text(ast::Program& program, Span where, const StpSystemCall& call) {
    return Texts(program, where, call).all();
}

std::optional<ast::ExprId> argument_text(ast::Program& program, Span where, const StpSystemCall& call,
                                         std::string_view name) {
    if (const auto argv = stp_argument(call, "argv"); argv && name == "args")
        return Texts(program, where, call).words(*argv);
    for (std::string_view ending : endings) {
        if (!name.ends_with(ending)) continue;
        if (const auto place = stp_argument(call, name.substr(0, name.size() - ending.size())))
            return Texts(program, where, call).text(*place);
    }
    return {};
}

bool shows_argument(std::string_view name) {
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace lt::stp
