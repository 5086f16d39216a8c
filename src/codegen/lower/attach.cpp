#include "codegen/lower/attach.h"

#include <algorithm>

#include "codegen/lower/system_calls.h"
#include "codegen/providers/provider.h"

namespace lt {
namespace {

// The symbol finds a function's entry again; it does not find instructions after the entry, variables, or markers.
void assume_file(const BodyContext& c, const UserFunction& f) {
    if (f.path.empty()) return;
    if (!in_program(c.body.place) && has_debug_scope(c.body.place)) return c.unit.compiled_in();
    const auto is_variable = [](const Use& use) { return std::holds_alternative<ProgramUse>(use); };
    const bool by_symbol = !std::holds_alternative<MarkerPlace>(c.body.place.there) && f.inlined.empty() &&
                           !f.name.empty() && f.convention == Convention::c && !f.ends &&
                           f.name.find_first_of("+@") == f.name.npos && !f.name.starts_with("0x") &&
                           c.body.result.kind == Kind::none && std::ranges::none_of(c.body.uses, is_variable);
    c.unit.assume({Assumed::file, f.path, "", {}, uint64_t{!by_symbol}});
}

Site site(const ResolvedPlace& place, bool at_return) {
    if (serves_system_calls(place))
        return RawTracepointSite{std::string(at_calls_end(place, at_return) ? all_calls_exit : all_calls_entry)};
    const auto site = provider(place).site;
    return site ? site(place, at_return) : Site{};
}

Site site(const SharedPlace& member) {
    const UserFunction& f = member.user;
    if (f.path.empty()) return KernelSite{member.function};
    return ProgramSite{f.path, f.name, f.offset, member.semaphore};
}

}  // namespace

std::vector<Attachment> attachments(const BodyContext& c, const std::string& name, bool at_return) {
    Attachment a{name, at_return, 0, site(c.body.place, at_return)};
    const std::vector<SharedPlace>& members = c.body.place.members;
    if (serves_system_calls(c.body.place)) return {a};
    if (members.empty()) assume_file(c, user_function(c.body.place));
    std::vector<Attachment> out;
    const auto add = [&](const UserFunction& f) {
        if (!f.ends) return out.push_back(a);
        for (const uint64_t end : at_return ? f.ends->exits : std::vector{f.ends->entry}) {
            std::get<ProgramSite>(a.site).offset = end;
            out.push_back(a);
        }
    };
    if (members.empty()) add(user_function(c.body.place));
    for (size_t i = 0; i < members.size(); i++) {
        assume_file(c, members[i].user);
        a.site = site(members[i]);
        a.cookie = i;
        add(members[i].user);
    }
    return out;
}

}  // namespace lt
