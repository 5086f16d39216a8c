#include "stp_twice.h"

#include <fmt/format.h>

#include <set>

namespace lt::stp {

void refuse_twice(const Function& function, const FunctionTable& all, const ast::Program& program, Diags& diags) {
    std::set<std::string> names;
    for (const Function::Parameter& p : function.parameters) {
        if (!names.insert(p.name).second)
            diags.error(p.span, fmt::format("two parameters of {}() are called {}", function.name, p.name)).hint =
                "give one of them another name";
    }
    // Of several functions the next one is tried where one says so.
    for (const Function* other : all.all) {
        const bool same = other->name == function.name && other->parameters.size() == function.parameters.size();
        if (other == &function || !same) continue;
        if (other->priority != function.priority || says_next(program, other->body)) continue;
        Diag& d = diags.error(function.span, fmt::format("the function {}() is declared twice", function.name));
        d.notes.push_back({other->span, "here it is"});
        d.hint = "the first never says `next`, so this one would never run";
        return;
    }
}

}  // namespace lt::stp
