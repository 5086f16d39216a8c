#include <algorithm>
#include <array>

#include "codegen/emit/module.h"

namespace lt::emitter {
namespace {

// Numbers of BPF map types (enum bpf_map_type) and flags, by ir::Storage.
struct StorageRow {
    ir::Storage storage;
    uint32_t bpf_type;
    bool may_allocate;  // takes BPF_F_NO_PREALLOC
};
constexpr StorageRow storages[] = {
    {ir::Storage::hash, 1, true},          {ir::Storage::per_cpu_hash, 5, true},
    {ir::Storage::array, 2, false},        {ir::Storage::per_cpu_array, 6, false},
    {ir::Storage::ring_buffer, 27, false}, {ir::Storage::task_storage, 29, true},
    {ir::Storage::lru_hash, 9, false},     {ir::Storage::lru_per_cpu_hash, 10, false},
    {ir::Storage::perf_events, 4, false},  {ir::Storage::programs, 3, false},
};
constexpr uint32_t no_prealloc = 1;
constexpr uint32_t mappable = 1 << 10;

}  // namespace

DebugInfo::DebugInfo(llvm::Module& module, const Source& source) : builder_(module) {
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
    file_ = builder_.createFile(source.name, ".", std::nullopt, llvm::StringRef(source.text));
    builder_.createCompileUnit(llvm::dwarf::DW_LANG_C, file_, "lt", true, "", 0);
    int_ = builder_.createBasicType("int", 32, llvm::dwarf::DW_ATE_signed);
    line_starts_.push_back(0);
    for (uint32_t i = 0; i < source.text.size(); i++) {
        if (source.text[i] == '\n') line_starts_.push_back(i + 1);
    }
}

// libbpf reads a number from the length of an array: int (*name)[n].
llvm::DIType* DebugInfo::number(const char*, uint32_t n) {
    llvm::Metadata* range = builder_.getOrCreateSubrange(0, n);
    llvm::DIType* array = builder_.createArrayType(uint64_t{n} * 32, 32, int_, builder_.getOrCreateArray(range));
    return builder_.createPointerType(array, 64);
}

void DebugInfo::map(llvm::GlobalVariable& variable, const ir::MapDefinition& m) {
    const StorageRow& row = storages[static_cast<size_t>(m.storage)];
    struct Member {
        const char* name;
        uint32_t value;
    };
    const uint32_t flags = (row.may_allocate && !m.preallocated ? no_prealloc : 0) | (m.shared_memory ? mappable : 0);
    const Member members[] = {{"type", row.bpf_type},
                              {"key_size", m.key_size},
                              {"value_size", m.value_size},
                              {"max_entries", m.max_entries},
                              {"map_flags", flags}};
    std::vector<llvm::Metadata*> elements;
    uint64_t offset = 0;
    const auto add = [&](const char* name, llvm::DIType* type) {
        elements.push_back(
            builder_.createMemberType(file_, name, file_, 0, 64, 64, offset, llvm::DINode::FlagZero, type));
        offset += 64;
    };
    const bool typed = m.storage == ir::Storage::task_storage;  // the kernel requires BTF types for task storage
    if (typed) {
        add("key", builder_.createPointerType(int_, 64));
        add("value", number("value", m.value_size / 4));
    }
    for (const Member& member : members) {
        const bool size = member.name == std::string_view("key_size") || member.name == std::string_view("value_size");
        if (member.value != 0 && !(typed && size)) add(member.name, number(member.name, member.value));
    }
    llvm::DIType* type = builder_.createStructType(file_, "", file_, 0, offset, 64, llvm::DINode::FlagZero, nullptr,
                                                   builder_.getOrCreateArray(elements));
    variable.addDebugInfo(
        builder_.createGlobalVariableExpression(file_, variable.getName(), variable.getName(), file_, 0, type, false));
}

// A member's type, as far as libbpf compares it with the type in the running kernel.
llvm::DIType* DebugInfo::leaf(const Type& type) {
    const uint64_t bits = uint64_t{type.size} * 8;
    switch (type.kind) {
        case Kind::integer:
            if (type.view == View::hex) return builder_.createPointerType(nullptr, 64);
            if (type.view == View::enumeration)
                return builder_.createEnumerationType(file_, "", file_, 0, bits, static_cast<uint32_t>(bits),
                                                      builder_.getOrCreateArray({}), nullptr);
            return builder_.createBasicType("int", bits, llvm::dwarf::DW_ATE_signed);
        case Kind::string: {
            llvm::Metadata* range = builder_.getOrCreateSubrange(0, type.size);
            return builder_.createArrayType(bits, 8, leaf(integer_type(1)), builder_.getOrCreateArray(range));
        }
        case Kind::array: {
            llvm::Metadata* range = builder_.getOrCreateSubrange(0, type.size / element(type)->size);
            return builder_.createArrayType(bits, 8, leaf(*element(type)), builder_.getOrCreateArray(range));
        }
        case Kind::structure:
        case Kind::none:
        case Kind::stack:
        case Kind::record:
        case Kind::aggregation:
        case Kind::tuple:
        case Kind::buffer:
            return builder_.createStructType(file_, "", file_, 0, bits, 8, llvm::DINode::FlagZero, nullptr,
                                             builder_.getOrCreateArray({}));
    }
    return nullptr;
}

// libbpf looks up a named type by name and kind, and compares an unnamed one by its members.
llvm::DIType* DebugInfo::holder(const std::string& name, bool is_union, const Member& member, llvm::DIType* type) {
    const uint64_t offset = uint64_t{member.offset} * 8, size = uint64_t{member.type.size} * 8;
    llvm::DIType* inside =
        member.bit_size != 0
            ? builder_.createBitFieldMemberType(file_, member.name, file_, 0, member.bit_size,
                                                offset + member.bit_offset, offset, llvm::DINode::FlagZero, type)
            : builder_.createMemberType(file_, member.name, file_, 0, size, 8, offset, llvm::DINode::FlagZero, type);
    const llvm::DINodeArray all = builder_.getOrCreateArray(inside);
    if (is_union) return builder_.createUnionType(file_, name, file_, 0, offset + size, 8, llvm::DINode::FlagZero, all);
    return builder_.createStructType(file_, name, file_, 0, offset + size, 8, llvm::DINode::FlagZero, nullptr, all);
}

llvm::DIType* DebugInfo::root(const ir::Relocation& r) {
    const size_t blank = r.root.find(' ');
    const bool tagged = blank != std::string::npos;  // else the name of a typedef
    llvm::DIType* type = leaf(r.path.back().type);
    for (size_t i = r.path.size(); i-- > 0;) {
        Member member = r.path[i];
        member.type.size = static_cast<uint32_t>(type->getSizeInBits() / 8);
        const bool named = i == 0 && tagged;
        type = holder(named ? r.root.substr(blank + 1) : "", named && r.root.starts_with("union "), member, type);
    }
    return tagged ? type : builder_.createTypedef(type, r.root, file_, 0, file_);
}

void DebugInfo::function(llvm::Function& f) {
    llvm::DIType* context = builder_.createPointerType(nullptr, 64);
    llvm::DISubroutineType* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({int_, context}));
    current_ = builder_.createFunction(file_, f.getName(), f.getName(), file_, 1, type, 1, llvm::DINode::FlagPrototyped,
                                       llvm::DISubprogram::SPFlagDefinition);
    builder_.createParameterVariable(current_, "ctx", 1, file_, 1, context,
                                     true);  // the kernel requires named arguments
    f.setSubprogram(current_);
}

// The kernel requires a described function to name each of its arguments.
llvm::DISubprogram* DebugInfo::callback(llvm::Function& f) {
    llvm::DISubprogram* const before = current_;
    llvm::DIType* word = builder_.createBasicType("long", 64, llvm::dwarf::DW_ATE_signed);
    llvm::DIType* address = builder_.createPointerType(nullptr, 64);
    std::vector<llvm::Metadata*> types{word};
    for (llvm::Argument& argument : f.args()) types.push_back(argument.getType()->isPointerTy() ? address : word);
    llvm::DISubroutineType* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray(types));
    const auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagLocalToUnit;
    current_ = builder_.createFunction(file_, f.getName(), f.getName(), file_, 1, type, 1, llvm::DINode::FlagPrototyped,
                                       flags);
    constexpr std::array names{"a", "b", "c", "d"};
    for (unsigned i = 0; i < f.arg_size(); i++)
        builder_.createParameterVariable(current_, names[i], i + 1, file_, 1, llvm::cast<llvm::DIType>(types[i + 1]),
                                         true);
    f.setSubprogram(current_);
    return before;
}

// From this type the kernel reads how much of its arguments' memory a function may access.
llvm::DISubprogram* DebugInfo::apart(llvm::Function& f, const std::vector<uint64_t>& sizes) {
    llvm::DISubprogram* const before = current_;
    llvm::DIType* word = builder_.createBasicType("long", 64, llvm::dwarf::DW_ATE_signed);
    llvm::DIType* byte = builder_.createBasicType("char", 8, llvm::dwarf::DW_ATE_signed_char);
    std::vector<llvm::Metadata*> types{word};
    for (const uint64_t size : sizes) {
        llvm::Metadata* range = builder_.getOrCreateSubrange(0, static_cast<int64_t>(size));
        llvm::DIType* bytes = builder_.createArrayType(size * 8, 8, byte, builder_.getOrCreateArray(range));
        types.push_back(size == 0 ? word : builder_.createPointerType(bytes, 64));
    }
    llvm::DISubroutineType* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray(types));
    current_ = builder_.createFunction(file_, f.getName(), f.getName(), file_, 1, type, 1, llvm::DINode::FlagPrototyped,
                                       llvm::DISubprogram::SPFlagDefinition);
    constexpr std::array names{"a", "b", "c", "d", "e"};
    for (unsigned i = 0; i < f.arg_size(); i++)
        builder_.createParameterVariable(current_, names[i], i + 1, file_, 1, llvm::cast<llvm::DIType>(types[i + 1]),
                                         true);
    f.setSubprogram(current_);
    return before;
}

llvm::DebugLoc DebugInfo::line(Span span) {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), span.begin);
    const auto number = static_cast<uint32_t>(after - line_starts_.begin());
    const uint32_t column = span.begin - *std::prev(after) + 1;
    return llvm::DILocation::get(current_->getContext(), number, column, current_);
}

}  // namespace lt::emitter
