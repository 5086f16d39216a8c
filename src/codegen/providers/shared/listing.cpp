#include "codegen/providers/shared/listing.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace lt {

std::string ListSearch::part(size_t i) const { return i < parts.size() && !parts[i].empty() ? parts[i] : "*"; }

namespace {

FoundNames found_or_why(const ListSearch& s, std::vector<Listed> found, Feature feature, std::string_view what) {
    const Answer can = s.kernel.can(feature);
    if (can.yes) return found;
    return Error{fmt::format("{} cannot be listed: {}", what, can.why), "`lt --info` lists what works here", 0};
}

}  // namespace

FoundNames events_or_why(const ListSearch& s, std::vector<Listed> found, std::string_view what) {
    if (!found.empty() || !s.kernel.tracepoints("*", "*").empty()) return found;
    return found_or_why(s, std::move(found), Feature::tracepoint, what);
}

FoundNames types_or_why(const ListSearch& s, std::vector<Listed> found, std::string_view what) {
    if (!found.empty()) return found;
    return found_or_why(s, std::move(found), Feature::btf, what);
}

std::vector<Listed> named(const std::vector<std::string>& names, std::string_view prefix) {
    std::vector<Listed> out;
    for (const std::string& name : names) out.push_back({fmt::format("{}{}", prefix, name), name});
    return out;
}

std::vector<std::string> matching(const std::vector<std::string>& names, std::string_view pattern) {
    std::vector<std::string> out;
    for (const std::string& name : names) {
        if (glob_match(pattern, name)) out.push_back(name);
    }
    return out;
}

std::string module_of(const KernelFunction& function) { return function.module.empty() ? "vmlinux" : function.module; }

std::string declared(std::string_view type, std::string_view name) {
    const size_t bracket = type.ends_with(']') ? type.find('[') : type.npos;
    if (bracket != type.npos && !name.empty())
        return fmt::format("{} {}{}", type.substr(0, bracket), name, type.substr(bracket));
    return fmt::format("{}{}{}", type, type.ends_with('*') || name.empty() ? "" : " ", name);
}

std::string c_type(const Type& type) {
    if (const Type* to = pointee(type)) {
        const std::string inner = c_type(*to);
        return inner + (inner.ends_with('*') ? "*" : " *");
    }
    if (type.kind == Kind::integer && type.view == View::hex) return "void *";
    if (type.kind == Kind::none) return "(other)";
    if (type.kind == Kind::string) return "char";
    if (const Type* each = element(type)) return c_type(*each);
    if (type.shape && !type.shape->name.empty()) return type.shape->name;
    return type.kind == Kind::structure ? "struct {...}" : type_text(type);
}

namespace {

std::string c_member(const Member& member) {
    std::string out = declared(c_type(member.type), member.name);
    if (member.type.kind == Kind::string) out += fmt::format("[{}]", member.type.size);
    if (const Type* each = element(member.type))
        out += fmt::format("[{}]", each->size ? member.type.size / each->size : 0);
    if (member.bit_size != 0) out += fmt::format(" : {}", member.bit_size);
    return out;
}

}  // namespace

std::vector<std::string> declared_fields(const std::vector<Field>& fields) {
    std::vector<std::string> out;
    for (const Field& field : fields) out.push_back(declared(field.c_type, field.name));
    return out;
}

std::vector<std::string> declared_members(Kernel& kernel, std::string_view structure) {
    std::vector<std::string> out;
    if (const std::optional<Type> type = kernel.type(structure); type && type->kind == Kind::structure)
        for (const Member& member : kernel.members(*type)) out.push_back(c_member(member));
    return out;
}

}  // namespace lt
