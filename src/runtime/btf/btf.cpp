// Following types has a depth limit, because a damaged file can contain a type that refers to itself.
#include "runtime/btf/btf.h"

#include <bpf/btf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

#include "arch/arch.h"
#include "arch/arguments.h"
#include "base/text.h"
#include "runtime/btf/btf_bytes.h"
#include "runtime/os/file_bytes.h"

namespace lt {

namespace {

constexpr int most_c_depth = 32;

constexpr std::string_view raw_tracepoint_typedef = "btf_trace_";
constexpr std::array<std::string_view, 3> named_prefixes{"__probestub_", "__bpf_trace_", "__traceiter_"};

const btf_type* type_at(const btf* types, uint32_t id) { return btf__type_by_id(types, id); }

std::string_view text_at(const btf* types, uint32_t offset) {
    const char* text = btf__name_by_offset(types, offset);
    return text != nullptr ? text : "";
}

// ---- as C

std::string c_text(const btf* types, uint32_t id, int depth);

std::string named(const char* keyword, std::string_view name) {
    return fmt::format("{}{}", keyword, name.empty() ? "{...}" : name);
}

std::string c_parameters(const btf* types, const btf_type* prototype, int depth) {
    std::string out;
    for (const btf_param& p : std::span(btf_params(prototype), btf_vlen(prototype))) {
        if (!out.empty()) out += ", ";
        out += p.type == 0 ? "..." : c_text(types, p.type, depth);
    }
    return out;
}

std::string c_pointer(const btf* types, const btf_type* t, int depth) {
    const btf_type* to = type_at(types, t->type);
    if (to != nullptr && btf_is_func_proto(to)) {
        return fmt::format("{} (*)({})", c_text(types, to->type, depth), c_parameters(types, to, depth));
    }
    const std::string inner = c_text(types, t->type, depth);
    return inner + (inner.ends_with('*') ? "*" : " *");
}

// "const char", but "char *const"
std::string c_qualified(const btf* types, const btf_type* t, std::string_view word, int depth) {
    const std::string inner = c_text(types, t->type, depth);
    return inner.ends_with('*') ? fmt::format("{}{}", inner, word) : fmt::format("{} {}", word, inner);
}

std::string c_array(const btf* types, const btf_type* t, int depth) {
    const struct btf_array* array = btf_array(t);
    return fmt::format("{}[{}]", c_text(types, array->type, depth), array->nelems);
}

std::string c_text(const btf* types, uint32_t id, int depth) {
    if (id == 0) return "void";
    const btf_type* t = type_at(types, id);
    if (t == nullptr || depth <= 0) return "?";
    const std::string_view name = text_at(types, t->name_off);
    switch (btf_kind(t)) {
        case BTF_KIND_PTR:
            return c_pointer(types, t, depth - 1);
        case BTF_KIND_CONST:
            return c_qualified(types, t, "const", depth - 1);
        case BTF_KIND_VOLATILE:
            return c_qualified(types, t, "volatile", depth - 1);
        case BTF_KIND_RESTRICT:
            return c_qualified(types, t, "restrict", depth - 1);
        case BTF_KIND_TYPE_TAG:
            return fmt::format("{} __{}", c_text(types, t->type, depth - 1), name);
        case BTF_KIND_STRUCT:
            return named("struct ", name);
        case BTF_KIND_UNION:
            return named("union ", name);
        case BTF_KIND_ENUM:
        case BTF_KIND_ENUM64:
            return named("enum ", name);
        case BTF_KIND_FWD:
            return named(btf_kflag(t) ? "union " : "struct ", name);
        case BTF_KIND_ARRAY:
            return c_array(types, t, depth - 1);
        default:
            return std::string(name);  // the ids are the file's, not ours
    }
}

// A type in one register: of a structure passed by value only the size is known.
Type register_type(const TypeFile& file, uint32_t id) {
    Type type = language_type(file, id);
    if (type.kind == Kind::integer) return type;
    const int64_t size = btf__resolve_size(file.types, id);
    return {Kind::none, static_cast<uint32_t>(std::clamp<int64_t>(size, 0, INT32_MAX))};
}

bool is_large(const Type& type) { return type.size > arch::most_in_registers; }

// The argN of the next parameter: registers first, then the stack. The kernel does not use floating point. A trampoline
// counts words.
uint32_t next_argument(arch::ArgumentPositions& positions, const Type& type) {
    const uint32_t words = padded_size(type.size) / 8;
    const arch::Position at = positions.next({.words = words, .general = words, .on_stack = is_large(type)});
    return at.first + (at.in_registers ? 0 : static_cast<uint32_t>(arch::native.arguments.size()));
}

Field parameter(const TypeFile& file, const btf_param& p, arch::ArgumentPositions& positions) {
    Field field;
    field.name = text_at(file.types, p.name_off);
    field.type = register_type(file, p.type);
    field.c_type = p.type == 0 ? "..." : c_text(file.types, p.type, most_c_depth);
    field.offset = next_argument(positions, p.type == 0 ? integer_type() : field.type);
    return field;
}

Result<btf*> parsed(btf* types, const std::string& path) {
    if (types == nullptr) return system_error(path, errno);
    return types;
}

}  // namespace

void Btf::Free::operator()(btf* b) const { btf__free(b); }

Btf::Btf(btf* types, uint32_t first, std::string module) : types_(types), first_(first), module_(std::move(module)) {}

Result<Btf> Btf::load(const std::string& path) {
    const Result<FileBytes> file = FileBytes::open(path);
    if (!file) return file.error();
    const std::span<const uint8_t> bytes = file->bytes();
    // libbpf would read a file in pages, and copy it twice
    Result<btf*> types = parsed(btf_sections(bytes) ? btf__new(bytes.data(), static_cast<uint32_t>(bytes.size()))
                                                    : btf__parse(path.c_str(), nullptr),
                                path);
    if (!types) return types.error();
    return Btf(*types, 1, "");
}

Result<Btf> Btf::load_module(const std::string& path, const Btf& kernel, const std::string& module) {
    Result<btf*> types = parsed(btf__parse_split(path.c_str(), kernel.types_.get()), path);
    if (!types) return types.error();
    return Btf(*types, btf__type_cnt(kernel.types_.get()), module);
}

Result<Btf> Btf::load_loaded(uint32_t id, const std::string& module) {
    Result<btf*> types = parsed(btf__load_from_kernel_by_id(id), module);
    if (!types) return types.error();
    return Btf(*types, 1, module);
}

std::string_view Btf::function_name(uint32_t id) const {
    const btf_type* type = type_at(types_.get(), id);
    return type != nullptr && btf_is_func(type) ? text_at(types_.get(), type->name_off) : "";
}

std::string_view Btf::name_of(uint32_t function) const {
    return text_at(types_.get(), type_at(types_.get(), function)->name_off);
}

bool Btf::is_named(uint32_t id, std::string_view name) const {
    return is_name_at(types_.get(), type_at(types_.get(), id)->name_off, name);
}

void Btf::list() {
    if (std::exchange(listed_, true)) return;
    const uint32_t count = btf__type_cnt(types_.get());
    for (uint32_t id = first_; id < count; id++) {
        const btf_type* type = type_at(types_.get(), id);
        if (btf_is_func(type)) functions_.push_back(id);
        if (btf_is_typedef(type)) typedefs_.push_back(id);
    }
}

uint32_t Btf::function_id(std::string_view name) {
    list();
    const auto by_position = [this](uint32_t i) { return name_of(functions_[i]); };
    // One pass over the names is faster than building the index; a dozen passes are not.
    constexpr int passes = 8;
    if (lookups_++ < passes) {
        for (uint32_t function : functions_) {
            if (is_named(function, name)) return function;
        }
        return 0;
    }
    if (lookups_ == passes + 1) index_ = NameIndex(functions_.size(), by_position);
    uint32_t found = 0;
    index_.each(name, by_position, [&](uint32_t i) {
        found = functions_[i];
        return false;
    });
    return found;
}

std::optional<Prototype> Btf::function(std::string_view name) {
    const uint32_t id = function_id(name);
    return id == 0 ? std::nullopt : prototype(type_at(types_.get(), id)->type);
}

std::optional<Prototype> Btf::prototype(uint32_t id) const {
    const btf_type* proto = type_at(types_.get(), id);
    if (proto == nullptr || !btf_is_func_proto(proto)) return std::nullopt;
    Prototype prototype;
    const Type result = proto->type == 0 ? nothing() : register_type(file(), proto->type);
    arch::ArgumentPositions positions(is_large(result));
    for (const btf_param& p : std::span(btf_params(proto), btf_vlen(proto)))
        prototype.parameters.push_back(parameter(file(), p, positions));
    if (result.kind == Kind::integer) prototype.result = result;
    return prototype;
}

// For each raw tracepoint, the kernel has the typedef of a callback whose parameters are unnamed. The names come from
// functions with the same parameters, which the event has itself (the last prefix, on all kernels) or shares with its
// class. The callback's own first parameter is extra.
std::optional<Prototype> Btf::raw_tracepoint(std::string_view name) {
    const std::string typedef_name = fmt::format("{}{}", raw_tracepoint_typedef, name);
    list();
    const auto callback = std::ranges::find_if(typedefs_, [&](uint32_t id) { return is_named(id, typedef_name); });
    if (callback == typedefs_.end()) return std::nullopt;
    std::optional<Prototype> found;
    for (std::string_view prefix : named_prefixes)
        if (!found) found = function(fmt::format("{}{}", prefix, name));
    if (!found) {
        const btf_type* pointer = type_at(types_.get(), type_at(types_.get(), *callback)->type);
        if (pointer != nullptr && btf_is_ptr(pointer)) found = prototype(pointer->type);
    }
    if (!found || found->parameters.empty()) return std::nullopt;
    found->parameters.erase(found->parameters.begin());
    for (Field& field : found->parameters) field.offset--;
    return found;
}

std::vector<std::string> Btf::structures(std::string_view prefix) const {
    std::vector<std::string> names;
    for (uint32_t id = first_; id < btf__type_cnt(types_.get()); id++) {
        const btf_type* type = type_at(types_.get(), id);
        const std::string_view name = btf_is_struct(type) ? text_at(types_.get(), type->name_off) : "";
        if (name.starts_with(prefix)) names.emplace_back(name.substr(prefix.size()));
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> Btf::tagged(std::string_view pattern) const {
    std::vector<std::string> names;
    for (uint32_t id = first_; id < btf__type_cnt(types_.get()); id++) {
        const btf_type* type = type_at(types_.get(), id);
        const std::string_view name = text_at(types_.get(), type->name_off);
        const std::string_view tag = btf_is_struct(type)     ? "struct"
                                     : btf_is_union(type)    ? "union"
                                     : btf_is_any_enum(type) ? "enum"
                                                             : "";
        if (tag.empty() || name.empty()) continue;
        std::string whole = fmt::format("{} {}", tag, name);
        if (glob_match(pattern, whole)) names.push_back(std::move(whole));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> Btf::raw_tracepoints(std::string_view pattern) const {
    std::vector<std::string> names;
    for (uint32_t id = first_; id < btf__type_cnt(types_.get()); id++) {
        const btf_type* type = type_at(types_.get(), id);
        if (!btf_is_typedef(type)) continue;
        std::string_view name = text_at(types_.get(), type->name_off);
        if (!name.starts_with(raw_tracepoint_typedef)) continue;
        name.remove_prefix(raw_tracepoint_typedef.size());
        if (glob_match(pattern, name)) names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace lt
