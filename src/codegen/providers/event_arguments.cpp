#include "codegen/providers/event_arguments.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "codegen/providers/shared/raw_fields.h"

namespace lt {
namespace {

using Hop = FieldSource::Hop;

// The members that a text names, one in the other; empty if the structure does not have them.
std::vector<Member> members_named(const Search& s, Type owner, std::string_view names) {
    std::vector<Member> path;
    for (const std::string_view name : split(names, '.')) {
        const std::vector<Member>& all = s.kernel.members(owner);
        const auto found = std::ranges::find(all, name, &Member::name);
        if (found == all.end() || found->bit_size != 0) return {};
        path.push_back(*found);
        owner = found->type;
    }
    return path;
}

// Follows "bprm->filename" from the argument or the current task on; the type is that of the value.
std::optional<Type> follow(const Search& s, std::string_view text, Type type, FieldSource& out) {
    for (size_t arrow = text.find("->"); arrow != text.npos;) {
        text.remove_prefix(arrow + 2);
        arrow = text.find("->");
        const Type* structure = pointee(type);
        if (!structure || !structure->shape || structure->shape->name.empty()) return {};
        Hop hop{structure->shape->name, members_named(s, *structure, text.substr(0, arrow))};
        if (hop.path.empty()) return {};
        if (out.adapted == Adapted::device) out.minor = members_named(s, *structure, "first_minor");
        type = hop.path.back().type;
        out.hops.push_back(std::move(hop));
    }
    return type;
}

// Can the value be shown with the field's type? The kernel copies it to the record, where an integer may be shorter; a
// text of any length ends by itself.
bool fits(const Type& value, const Type& field, bool computed) {
    if (field.kind != value.kind) return false;
    if (field.kind == Kind::string) return value.size != 0;
    return field.kind == Kind::integer && (computed || field.size <= value.size);
}

// The type of what the members begin at.
std::optional<Type> begin_of(const Search& s, const KernelFunction& event, std::string_view name, FieldSource& out) {
    if (out.of_task) {
        const std::optional<Type> task = s.kernel.type("struct task_struct");
        return task ? std::optional(pointer_type(*task)) : std::nullopt;
    }
    const auto argument = std::ranges::find(event.parameters, name, &Field::name);
    if (argument == event.parameters.end() || argument->type.kind == Kind::none) return {};
    out.argument = *argument;
    return argument->type;
}

std::optional<FieldSource> source(const Search& s, const KernelFunction& event, const Field& field,
                                  const RawFieldRow& row) {
    std::string_view text = row.source;
    const bool pointed = text.starts_with('*');
    if (pointed) text.remove_prefix(1);
    FieldSource out{.field = field, .argument = {}, .of_task = text.starts_with("current->"), .adapted = row.adapted};
    const std::optional<Type> begin = begin_of(s, event, text.substr(0, text.find("->")), out);
    std::optional<Type> type = begin ? follow(s, text, *begin, out) : std::nullopt;
    if (pointed && type) {
        const Type* target = pointee(*type);
        if (!target) return {};
        out.hops.push_back({});
        // an address of characters is one of a text
        const bool text_there = field.type.kind == Kind::string && target->size == 1;
        type = text_there ? field.type : *target;
    }
    if (!type || !fits(*type, field.type, !out.is_memory())) return {};
    if (out.adapted == Adapted::device && out.minor.empty()) return {};
    return out;
}

std::optional<FieldSource> find_source(const Search& s, const KernelFunction& event, const Tracepoint& record,
                                       std::string_view name) {
    const auto field = std::ranges::find(record.fields, name, &Field::name);
    if (field == record.fields.end()) return {};
    for (const RawFieldRow& row : raw_field_rows()) {
        if (row.field != name || !row.is_of(record.event)) continue;
        if (auto found = source(s, event, *field, row)) return found;
    }
    return {};
}

// Does the program gain if the verifier knows the types of the arguments? Then members need no helper. But it
// calculates nothing with an address whose type it knows.
bool follows_types(const Search& s, std::span<const FieldSource> sources) {
    const auto is_typed = [](const RuledOut& r) { return r.way == Way::typed_tracepoint; };
    if (std::ranges::any_of(s.options.ruled_out, is_typed) || !s.kernel.can(Feature::btf).yes) return false;
    const auto is_address = [](const FieldSource& f) { return f.hops.empty() && pointee(f.argument.type); };
    const auto is_member = [](const FieldSource& f) {
        return !f.of_task && !f.hops.empty() && !f.hops.back().root.empty();
    };
    return std::ranges::any_of(sources, is_member) && std::ranges::none_of(sources, is_address);
}

}  // namespace

void read_arguments(const Search& s, ResolvedPlace& place) {
    auto* at = std::get_if<EventPlace>(&place.there);
    if (!at || s.asked.whole || (s.asked.by_fields && s.asked.fields.empty())) return;
    if (s.options.keeps_records || !s.kernel.can(Feature::raw_tracepoint).yes) return;
    const auto known = [&](const RawFieldRow& row) { return row.is_of(at->event.event); };
    if (std::ranges::none_of(raw_field_rows(), known)) return;
    const std::optional<KernelFunction> event = s.kernel.raw_tracepoint(at->event.event);
    if (!event) return;
    std::vector<FieldSource> sources;
    for (const std::string& name : s.asked.fields) {
        std::optional<FieldSource> found = find_source(s, *event, at->event, name);
        if (!found) return;
        sources.push_back(*std::move(found));
    }
    const bool typed = follows_types(s, sources);
    // Loads through null pointers have the value 0 only in programs whose types the verifier knows.
    const auto may_lack = [](const FieldSource& f) {
        return f.adapted == Adapted::or_zero || f.adapted == Adapted::device;
    };
    if (!typed && std::ranges::any_of(sources, may_lack)) return;
    place.rungs = {{typed ? Way::typed_tracepoint : Way::raw_tracepoint, "", {}}};
    at->sources = std::move(sources);
    at->arguments_of = event->name;
}

void read_record(ResolvedPlace& place) {
    auto& at = std::get<EventPlace>(place.there);
    at.sources.clear();
    at.arguments_of.clear();
    place.rungs = {{Way::tracepoint, "", {}}};
}

}  // namespace lt
