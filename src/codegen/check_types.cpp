// Expressions about types of C: members of structures, elements, casts, sizes; and tuples, which are made by the
// script. What a structure holds is asked of the kernel.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "check.h"
#include "operators.h"
#include "stdlib/limits.h"
#include "stdlib/successors.h"
#include "type_names.h"

namespace lt {
namespace {

const std::vector<Member> no_members;
constexpr uint32_t most_copied = 4096;  // bytes of a structure or an array that is kept or printed

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// Which part of a record has this name?
std::optional<size_t> part_named(const Type& record, std::string_view name) {
    if (record.kind != Kind::tuple) return {};
    const auto& names = record.shape->names;
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<size_t>(found - names.begin()));
}

// What is reached through user memory lies there, too.
Type reached(Type type, bool user) {
    const bool address = type.kind == Kind::integer && type.view == View::hex;
    if (user && (address || in_memory(type))) type.user_memory = true;
    return type;
}

}  // namespace

Type BodyChecker::type_of(ast::ExprId, const ast::Boolean&) { return truth_type(); }

Type BodyChecker::type_of(ast::ExprId id, const ast::Member& node) {
    if (const auto t = pair_member(id, node)) return *t;
    const auto* name = std::get_if<ast::Name>(&program_[node.base].node);
    const VariableRow* row = name ? find_variable(name->name) : nullptr;
    if (row && row->id == Variable::args) return in_scope(node.base, *row) ? record_field(id, node) : nothing();
    const Type base = value(node.base);
    if (base.kind == Kind::none) return nothing();
    const Type& owner = pointee(base) ? *pointee(base) : base;
    if (const auto part = part_named(owner, node.field))
        return tuple_part(id, owner, node.field_span, std::to_string(*part));
    if (owner.kind == Kind::tuple && !owner.shape->names.empty() && !is_number(node.field)) {
        diags_.error(node.field_span, fmt::format("the record has no field `{}`", node.field)).hint =
            fmt::format("there are {}", fmt::join(owner.shape->names, ", "));
        return nothing();
    }
    if (owner.kind == Kind::tuple && is_number(node.field)) return tuple_part(id, owner, node.field_span, node.field);
    if (owner.kind == Kind::structure) return member(id, owner, node, base.user_memory);
    Diag& d = diags_.error(node.field_span, fmt::format("{} has no members", type_name(base)));
    if (base.kind == Kind::integer && !is_number(node.field))
        d.hint = fmt::format("say what it points to: ((struct NAME *){}).{}", program_text(node.base), node.field);
    return nothing();
}

Type BodyChecker::member(ast::ExprId id, const Type& owner, const ast::Member& node, bool user) {
    const std::vector<Member>& members = kernel_.members(owner);
    const auto named = [&](std::string_view name) { return std::ranges::find(members, name, &Member::name); };
    auto found = named(node.field);
    if (found == members.end() && owner.shape) {
        found = named(member_successor(owner.shape->name, node.field));
        if (found != members.end())
            diags_.note(node.field_span, fmt::format("this kernel's {} has no member {}; {} is taken", type_name(owner),
                                                     node.field, found->name));
    }
    if (found == members.end()) {
        std::vector<std::string_view> names;
        for (const Member& m : members) names.push_back(m.name);
        Diag& d = diags_.error(node.field_span, fmt::format("{} has no member `{}`", type_name(owner), node.field));
        if (members.empty())
            d.message = owner.shape && of_program(*owner.shape)
                            ? fmt::format("the debug information of {} does not describe what {} holds",
                                          owner.shape->module, type_name(owner))
                            : fmt::format("this kernel does not describe what {} holds", type_name(owner));
        const auto near = closest(node.field, names);
        if (!near.empty())
            d.hint = fmt::format("did you mean {}?", either(near));
        else if (!names.empty() && names.size() <= 12)
            d.hint = fmt::format("there are {}", fmt::join(names, ", "));
        return nothing();
    }
    if (found->type.kind == Kind::none) {
        diags_.error(node.field_span, fmt::format("`{}` is of a type that cannot be read", node.field)).hint =
            "there are integers up to 8 bytes, addresses, enumerations, structures and arrays of them";
        return nothing();
    }
    use(id) = MemberUse{*found};
    if (found->bit_size != 0) return integer_type(8, found->type.is_signed, found->type.view);
    return reached(found->type, user);
}

// The parameter that this kernel has under another name.
std::vector<Field>::const_iterator BodyChecker::renamed_parameter(const ast::Member& node) {
    const KernelFunction& f = body_.place.function;
    for (const ParameterSuccessor& row : parameter_successors(f.name, node.field)) {
        const auto field = std::ranges::find(f.parameters, row.new_name, &Field::name);
        if (field == f.parameters.end()) continue;
        Diag& d = diags_.note(node.field_span, fmt::format("this kernel's {} has no argument {}; {} is taken", f.name,
                                                           node.field, field->name));
        if (!row.remark.empty()) d.notes.push_back({{}, std::string(row.remark)});
        return field;
    }
    return f.parameters.end();
}

Type BodyChecker::tuple_part(ast::ExprId id, const Type& tuple, Span where, const std::string& number) {
    const std::vector<Type>& parts = tuple.shape->parts;
    const size_t part = number.size() > 3 ? parts.size() : static_cast<size_t>(std::stoul(number));
    if (part >= parts.size()) {
        diags_.error(where, fmt::format("the tuple has no part {}", number)).hint =
            parts.empty() ? "it has none" : fmt::format("its parts are 0 to {}", parts.size() - 1);
        return nothing();
    }
    use(id) = MemberUse{{number, parts[part], tuple_offset(tuple, part)}};
    return parts[part];
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Index& node) {
    if (const auto number = bucket(node)) return *number;
    const Type base = value(node.base), at = value(node.index);
    if (base.kind == Kind::none || at.kind == Kind::none) return nothing();
    const auto* number = std::get_if<ast::Integer>(&program_[node.index].node);
    if (const auto part = known(node.index); base.kind == Kind::tuple && part)
        return tuple_part(id, base, span(node.index), std::to_string(*part));
    if (at.kind != Kind::integer || base.kind == Kind::tuple) {
        diags_.error(span(node.index), base.kind == Kind::tuple
                                           ? "a part of a tuple is named by a number as it stands"
                                           : fmt::format("an index is an integer, not {}", type_name(at)));
        return nothing();
    }
    return element_type(node, base, number);
}

Type BodyChecker::element_type(const ast::Index& node, const Type& base, const ast::Integer* number) {
    const Type* each = pointee(base) ? pointee(base) : element(base);
    const Type letter = integer_type(1, true);
    if (base.kind == Kind::string) each = &letter;
    if (!each || each->size == 0) {
        Diag& d = diags_.error(span(node.base), fmt::format("{} has no elements", type_name(base)));
        if (base.kind == Kind::integer) d.hint = "say what it points to, as in ((uint64 *)arg0)[1]";
        return nothing();
    }
    if (each->kind == Kind::none) {
        diags_.error(span(node.base), "numbers of floating point can only be shown with the whole array");
        return nothing();
    }
    const uint32_t count = pointee(base) ? 0 : base.size / each->size;
    if (number && count != 0 && number->value >= count) {
        diags_.error(span(node.index), fmt::format("{} has {} elements", type_name(base), count)).hint =
            fmt::format("the last is [{}]", count - 1);
        return nothing();
    }
    assume_size(*each);
    return reached(*each, base.user_memory);
}

Type BodyChecker::dereferenced(ast::ExprId id, Type operand) {
    if (const Type* to = pointee(operand); to && to->size != 0) return reached(*to, operand.user_memory);
    if (operand.kind == Kind::integer && operand.view == View::plain) {  // as bpftrace
        const ast::ExprId address = std::get<ast::Unary>(program_[id].node).operand;
        if (supposed_of_user(address, integer_type())) slot(address).user_memory = true;
        return integer_type(8, false);
    }
    diags_.error(span(id), fmt::format("`*` takes an address of a known type, not {}", type_name(operand))).hint =
        "say what it points to, as in *(uint64 *)arg0";
    return nothing();
}

Type BodyChecker::type_of(ast::ExprId, const ast::Tuple& node) {
    std::vector<Type> parts;
    for (ast::ExprId part : node.parts) {
        parts.push_back(kept(part, value(part)));
        if (parts.back().kind == Kind::none) return nothing();
    }
    return tuple_type(std::move(parts), node.names);
}

// typeof(expression), with stars behind it
std::optional<Type> BodyChecker::type_like(const ast::TypeName& written) {
    const auto* given = std::get_if<ast::OffsetOf>(&program_[*written.like].node);  // to a macro, as typeof(...)
    if (given && given->path.empty()) {
        ast::TypeName type = given->type;
        type.pointers += written.pointers;
        return type_named(type);
    }
    Type type = value(*written.like);
    if (type.kind == Kind::none) return {};
    if (type.kind == Kind::integer) type.size = width(*written.like);
    for (uint32_t i = 0; i < written.pointers; i++) type = pointer_type(std::move(type));
    return type;
}

// Does it lie in memory of what is traced, and in whose: in a program's?
std::optional<bool> BodyChecker::memory_of(ast::ExprId id) {
    const ast::ExprNode& node = program_[id].node;
    if (const auto* unary = std::get_if<ast::Unary>(&node); unary && unary->op == ast::UnaryOp::dereference)
        return slot(unary->operand).user_memory;
    if (const auto* of_program = std::get_if<ProgramUse>(&use(id)))
        return of_program->variable.is_value ? std::nullopt : std::optional(in_program(body_.place));
    const auto* member = std::get_if<ast::Member>(&node);
    const auto* index = std::get_if<ast::Index>(&node);
    if (!member && !index) return {};
    const ast::ExprId base = member ? member->base : index->base;
    if (pointee(slot(base))) return slot(base).user_memory;
    return memory_of(base);
}

Type BodyChecker::address_of(ast::ExprId id, ast::ExprId operand, Type type) {
    const auto* member = std::get_if<MemberUse>(&use(operand));
    const auto user = memory_of(operand);
    const bool is_map = std::holds_alternative<ast::Map>(program_[operand].node);
    if (is_map || std::holds_alternative<ast::Local>(program_[operand].node)) {
        const auto* map = std::get_if<MapUse>(&use(operand));
        if (map && typed_.maps[map->index].value.kind == Kind::aggregation) type = typed_.maps[map->index].value;
        if (type.kind == Kind::integer || type.kind == Kind::string || type.kind == Kind::structure)
            return pointer_type(std::move(type), false);
        diags_
            .error(span(id), fmt::format("{} has no address: it holds {}", is_map ? "this map" : "this variable",
                                         type_name(type)))
            .hint = "a number, a string and a structure have one";
        return nothing();
    }
    if (!user || (member && member->member.bit_size != 0)) {
        diags_.error(span(id), user ? "a bit field has no address" : "this has no address in what is traced").hint =
            "`&` stands before a member of a structure in memory, an element there, or what an address points to, as "
            "in "
            "&args.file->f_path";
        return nothing();
    }
    return pointer_type(std::move(type), *user);
}

std::optional<Type> BodyChecker::type_named(const ast::TypeName& written) {
    if (written.like) return type_like(written);
    const auto type = written_type(written, types_here());
    if (type) return type;
    Diag& d = diags_.error(written.span, fmt::format("there is no type `{}`", written.name));
    d.hint = kernel_.type("struct " + written.name) ? fmt::format("write struct {}", written.name)
             : kernel_.can(Feature::btf).yes        ? "types are those of this kernel, and int8 to uint64"
                                                    : "this kernel has no type information; there are int8 to uint64";
    return std::nullopt;
}

// An integer of which nothing says whose address it is, as one of a parameter of the script, where a program is traced:
// it is that program's, unless it is said to lead to a structure of the kernel.
bool BodyChecker::supposed_of_user(ast::ExprId address, const Type& to) {
    if (!runs_in_program(body_.place) || (to.kind == Kind::structure && moves(to))) return false;
    return !said_of_kernel(address);
}

bool BodyChecker::said_of_kernel(ast::ExprId address) {
    const ast::ExprNode& node = program_[address].node;
    if (const auto* sum = std::get_if<ast::Binary>(&node))
        return said_of_kernel(sum->left) || said_of_kernel(sum->right);
    if (const auto* number = std::get_if<ast::Integer>(&node)) return number->value > INT64_MAX;
    if (const auto* constant = std::get_if<ConstantUse>(&use(address))) return constant->value < 0;  // kaddr()
    const auto* called = std::get_if<CallUse>(&use(address));
    const bool by_function = called && (called->id == Function::kptr || called->id == Function::percpu_kaddr);
    return by_function || (pointee(slot(address)) && !slot(address).user_memory);
}

Type BodyChecker::type_of(ast::ExprId, const ast::Cast& node) {
    const Type from = value(node.value);
    if (from.kind == Kind::none) return nothing();
    if (node.decays && (from.kind == Kind::string || from.kind == Kind::array) && memory_of(node.value))
        return address_as_number(node);
    if (from.kind == Kind::string) return text_as(node, from);
    ast::TypeName written = node.type;
    if (written.count == 0U) {  // (uint8[])x: as many as it has
        written.count.reset();
        const auto each = type_named(written);
        if (!each) return nothing();
        written.count = each->size == 0 ? 0 : width(node.value) / each->size;
    }
    const auto wanted = type_named(written);
    if (!wanted) return nothing();
    if (from.kind == Kind::array && wanted->kind == Kind::integer && !pointee(*wanted))
        return number_of(node, from, *wanted);
    if (from.kind != Kind::integer) {
        diags_.error(span(node.value),
                     fmt::format("only an integer or an address can be cast, not {}", type_name(from)));
        return nothing();
    }
    // its bytes, the lowest first
    const bool as_bytes = wanted->kind == Kind::array && wanted->size <= 8 && element(*wanted)->kind == Kind::integer;
    if (as_bytes && !pointee(from)) return *wanted;
    if (wanted->kind != Kind::integer) {
        diags_
            .error(node.type.span,
                   fmt::format("no integer can be made {}", wanted->kind == Kind::none ? "void" : type_name(*wanted)))
            .hint = fmt::format("for what lies at an address write ({} *)", node.type.name);
        return nothing();
    }
    Type type = *wanted;
    type.user_memory =
        from.user_memory || type.user_memory || (pointee(type) && supposed_of_user(node.value, *pointee(type)));
    return type;
}

// An array of C is its address wherever it is not asked for an element.
Type BodyChecker::address_as_number(const ast::Cast& node) {
    Type type = type_named(node.type).value_or(nothing());
    type.user_memory = *memory_of(node.value);
    return type;
}

// A string is true where it is not empty; another size makes it shorter, or gives it room.
Type BodyChecker::text_as(const ast::Cast& node, const Type& from) {
    constexpr uint64_t longest = most_string_bytes;
    const ast::TypeName& written = node.type;
    const bool is_plain = written.pointers == 0 && !written.like;
    if (is_plain && written.name == "bool" && !written.count) return truth_type();
    const auto each = is_plain && written.count ? named_type(written.name, types_here()) : std::nullopt;
    if (each && each->kind == Kind::integer && each->size == 1 && *written.count <= longest)  // its bytes
        return array_type(*each, *written.count == 0 ? from.size : static_cast<uint32_t>(*written.count));
    const bool fits = written.count && *written.count >= 1 && *written.count <= longest;
    if (is_plain && written.name == "string" && fits) return string_type(static_cast<uint32_t>(*written.count));
    diags_.error(span(node.value), fmt::format("only an integer or an address can be cast, not {}", type_name(from)))
        .hint = fmt::format("a string can be made a (bool), or a (string[N]) of 1 to {} bytes", longest);
    return nothing();
}

// (uint32)bytes: the number that lies there.
Type BodyChecker::number_of(const ast::Cast& node, const Type& from, const Type& wanted) {
    const Type* each = element(from);
    if (each->kind == Kind::integer && !pointee(*each) && from.size == wanted.size) return wanted;
    diags_
        .error(span(node.value),
               fmt::format("{} of {} bytes cannot be made an integer of {}", type_name(from), from.size, wanted.size))
        .hint = "an array of integers and the integer that it is cast to have the same size";
    return nothing();
}

Type BodyChecker::type_of(ast::ExprId id, const ast::SizeOf& node) {
    const auto type = type_named(node.type);
    if (!type) return nothing();
    use(id) = ConstantUse{type->size};
    assume_size(*type);
    return integer_type(8, false);
}

// What sizeof() says: an integer has the size of its type, though 8 bytes hold it. In bpftrace's dialect a number as it
// stands has the smallest type that holds it, and parts of a tuple lie as C would put them.
uint32_t BodyChecker::own_size(ast::ExprId id) {
    const bool small = program_.settings.plain_integers;
    const auto* parts = small ? std::get_if<ast::Tuple>(&program_[id].node) : nullptr;
    if (parts) {
        uint32_t end = 0, most = 1;
        const auto aligned = [](uint32_t at, uint32_t to) { return (at + to - 1) / to * to; };
        for (ast::ExprId part : parts->parts) {
            const uint32_t size = own_size(part), to = slot(part).kind == Kind::integer ? size : 1;
            end = aligned(end, to) + size;
            most = std::max(most, to);
        }
        return aligned(end, most);
    }
    const auto* local = std::get_if<LocalUse>(&use(id));
    const uint32_t assigned = local && small ? body_.locals[local->index].own_size : 0;
    if (assigned != 0) return assigned;
    if (slot(id).kind != Kind::integer) return slot(id).size;
    const auto number = small ? number_as_it_stands(program_, id) : std::nullopt;
    if (!number) return width(id);
    const int64_t least = *number < 0 ? -*number - 1 : *number / 2;  // a negative number needs one bit more
    return least <= INT8_MAX ? 1 : least <= INT16_MAX ? 2 : least <= INT32_MAX ? 4 : 8;
}

Type BodyChecker::size_of(ast::ExprId id, ast::ExprId argument) {
    const auto* given = std::get_if<ast::OffsetOf>(&program_[argument].node);
    if (given && given->path.empty()) return type_of(id, ast::SizeOf{given->type});
    const auto* name = std::get_if<ast::Name>(&program_[argument].node);
    if (name && !find_variable(name->name)) {
        if (const auto type = named_type(name->name, types_here())) {
            use(id) = ConstantUse{type->size};
            assume_size(*type);
            return integer_type(8, false);
        }
    }
    const Type type = value(argument);
    use(id) = ConstantUse{own_size(argument)};
    assume_size(type);
    return type.kind == Kind::none ? nothing() : integer_type(8, false);
}

Type BodyChecker::type_of(ast::ExprId id, const ast::OffsetOf& node) {
    if (node.path.empty()) {
        diags_.error(span(id), "a type is not a value").hint =
            "sizeof(), typeinfo(), container_of() and macros take one, as in typeof(struct page)";
        return nothing();
    }
    auto type = type_named(node.type);
    if (type && pointee(*type)) type = Type(*pointee(*type));
    const Type owner = type.value_or(nothing());
    uint32_t offset = 0;
    for (size_t i = 0; type && i < node.path.size(); i++) {
        const std::vector<Member>& members = type->kind == Kind::structure ? kernel_.members(*type) : no_members;
        const auto found =
            std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == node.path[i]; });
        if (found == members.end() || found->bit_size != 0) {
            diags_.error(span(id), fmt::format("{} has no member `{}` with an offset", type_name(*type), node.path[i]));
            return nothing();
        }
        offset += found->offset;
        type = Type(found->type);
    }
    use(id) = ConstantUse{offset};
    if (type && moves(owner))
        assume({Assumed::offset, owner.shape->name, fmt::format("{}", fmt::join(node.path, ".")), {}, offset});
    return type ? integer_type(8, false) : nothing();
}

// str() and buf() with a length: as long as was asked for; where that is known only when the program runs, up to
// most_measured bytes.
Type BodyChecker::measured(const ast::Call& node, Function which) {
    constexpr uint64_t most_measured = 1024, most_asked = most_string_bytes - 1;
    const ast::ExprId from = node.arguments[0];
    uint64_t length = std::max<uint64_t>(most_measured, program_.settings.max_strlen);
    if (node.arguments.size() > 1) {
        const auto* number = std::get_if<ast::Integer>(&program_[node.arguments[1]].node);
        if (number) length = number->value;
        if (number && (length == 0 || length > most_asked)) {
            diags_.error(span(node.arguments[1]), fmt::format("a length is from 1 to {}", most_asked));
            return nothing();
        }
    } else if (in_memory(slot(from))) {
        length = slot(from).size;
    }
    const auto bytes = static_cast<uint32_t>(length);
    if (which == Function::buf) return buffer_type(bytes);
    const Type asked = string_type(bytes + 1);
    return slot(from).kind == Kind::string ? string_type(std::min(asked.size, letters(from) + 1)) : asked;
}

// A value as maps, locals, tuples and records keep it: integers in 8 bytes, structures with all that they hold. The
// addresses in a copy of a program's structure are that program's.
Type BodyChecker::kept(ast::ExprId id, Type type) {
    const bool has_addresses = type.kind == Kind::structure || type.kind == Kind::array;
    if (type.kind == Kind::integer)
        type.size = 8;
    else if (!has_addresses)
        type.user_memory = false;
    if (type.kind == Kind::integer && type.view == View::enumeration)
        return assume_layout(kernel_.whole(std::move(type)));
    if (type.kind != Kind::structure && type.kind != Kind::array) return type;
    if (type.size > most_copied || type.size == 0) {
        diags_.error(span(id), fmt::format("{} of {} bytes is too large to be copied", type_name(type), type.size))
            .hint = fmt::format("use its members; up to {} bytes can be copied", most_copied);
        return nothing();
    }
    return assume_layout(kernel_.whole(std::move(type)));
}

// A value to be printed: its type says all that a printer has to know. Its size stays that of what is read.
void BodyChecker::show_whole(ast::ExprId id) {
    const Type held = kept(id, value(id));
    slot(id).shape = held.shape;
}

}  // namespace lt
