#include "declarations/convert.h"

#include <array>
#include <limits>

#include "stdlib/real.h"

namespace lt {
namespace {

constexpr int most_depth = 32;
constexpr uint32_t open_string = 64;  // an array of char at the end of a structure is read as a string of this length

struct IntegerRow {
    CXTypeKind kind;
    bool is_signed;
};
constexpr std::array integers{
    IntegerRow{CXType_Char_U, true},  IntegerRow{CXType_UChar, false},     IntegerRow{CXType_Char16, false},
    IntegerRow{CXType_Char32, false}, IntegerRow{CXType_UShort, false},    IntegerRow{CXType_UInt, false},
    IntegerRow{CXType_ULong, false},  IntegerRow{CXType_ULongLong, false}, IntegerRow{CXType_Char_S, true},
    IntegerRow{CXType_SChar, true},   IntegerRow{CXType_WChar, true},      IntegerRow{CXType_Short, true},
    IntegerRow{CXType_Int, true},     IntegerRow{CXType_Long, true},       IntegerRow{CXType_LongLong, true},
};

bool is_char(CXTypeKind kind) { return kind == CXType_Char_S || kind == CXType_Char_U; }

bool is_unsigned(CXTypeKind kind) {
    for (const IntegerRow& row : integers) {
        if (row.kind == kind) return !row.is_signed;
    }
    return false;
}

// Calls any callable for each child of a cursor.
template <class Visit>
void each_child(const LibClang& clang, CXCursor of, Visit visit) {
    clang.visitChildren(
        of,
        [](CXCursor cursor, CXCursor, CXClientData data) {
            (*static_cast<Visit*>(data))(cursor);
            return CXChildVisit_Continue;
        },
        &visit);
}

}  // namespace

void Converter::take(CXTranslationUnit unit) {
    each_child(clang_, clang_.getTranslationUnitCursor(unit), [this](CXCursor cursor) { definition(cursor); });
}

void Converter::definition(CXCursor cursor) {
    const CXCursorKind kind = clang_.getCursorKind(cursor);
    const bool is_tagged = kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl || kind == CXCursor_EnumDecl;
    if (!is_tagged && kind != CXCursor_TypedefDecl) return;
    if (is_tagged && clang_.isCursorDefinition(cursor) == 0) return;
    const CXType type = clang_.getCursorType(cursor);
    const Type converted = type_of(clang_.getCanonicalType(type), most_depth);
    const std::string name = clang_.text(clang_.getCursorSpelling(cursor));
    if (!is_tagged && converted.kind != Kind::none) out_.types.insert_or_assign(name, converted);
}

uint32_t Converter::size_of(CXType type) const {
    const long long size = clang_.Type_getSizeOf(type);
    return size > 0 && size <= std::numeric_limits<int32_t>::max() ? static_cast<uint32_t>(size) : 0;
}

Type Converter::type_of(CXType type, int depth) {
    if (depth <= 0) return nothing();
    const CXType bare = clang_.getCanonicalType(type);
    for (const IntegerRow& row : integers) {
        if (row.kind == bare.kind) return integer_type(size_of(bare), row.is_signed);
    }
    // Kinds of clang's types. The language cannot read those that are not here (long double, vectors ...).
    if (bare.kind == CXType_Float || bare.kind == CXType_Double) return real_type(size_of(bare));
    if (bare.kind == CXType_Bool) return integer_type(1, false, View::boolean);
    if (bare.kind == CXType_Pointer) return pointer_type(type_of(clang_.getPointeeType(bare), depth - 1));
    if (bare.kind == CXType_Record) return composite(bare);
    if (bare.kind == CXType_Enum) return enumeration(bare);
    if (bare.kind == CXType_ConstantArray || bare.kind == CXType_IncompleteArray) return list(bare, depth - 1);
    return nothing();
}

Shape Converter::named(CXType type) const {
    Shape shape;
    const CXCursor declaration = clang_.getTypeDeclaration(type);
    if (clang_.Cursor_isAnonymous(declaration) == 0)
        shape.name = clang_.text(clang_.getTypeSpelling(clang_.getCursorType(declaration)));
    return shape;
}

// The number of a declaration; 0 if it does not have one yet.
Converter::Known& Converter::known(CXCursor declaration) {
    std::vector<Known>& same = known_[clang_.hashCursor(declaration)];
    for (Known& k : same) {
        if (clang_.equalCursors(k.declaration, declaration) != 0) return k;
    }
    same.push_back({declaration, 0});
    return same.back();
}

void Converter::visit_fields(CXType type, const std::function<void(CXCursor)>& visit) const {
    std::function<void(CXCursor)> each = visit;
    clang_.Type_visitFields(
        type,
        [](CXCursor cursor, CXClientData data) {
            (*static_cast<decltype(each)*>(data))(cursor);
            return CXVisit_Continue;
        },
        &each);
}

bool Converter::stands_for_kernel(CXType type) const {
    bool found = false;
    visit_fields(type, [&](CXCursor field) { found |= clang_.text(clang_.getCursorSpelling(field)) == kernel_mark; });
    return found;
}

Type Converter::composite(CXType type) {
    const CXCursor declaration = clang_.getTypeDeclaration(type);
    Type out{Kind::structure, size_of(type)};
    Shape shape = named(type);
    if (clang_.Type_getSizeOf(type) < 0) {  // only its name is here
        const auto described = shape.name.empty() ? std::nullopt : kernel_.type(shape.name);
        if (described) return *described;
        out.shape = std::move(shape);
        return out;
    }
    if (stands_for_kernel(type)) {  // a structure's name, or a type's
        const std::string name = shape.name.substr(shape.name.find(' ') + 1);
        const auto described = kernel_.type(shape.name);
        return described ? *described : kernel_.type(name).value_or(nothing());
    }
    shape.declared = true;
    uint32_t number = known(declaration).number;
    if (number == 0) {
        out_.shapes.emplace_back();
        number = static_cast<uint32_t>(out_.shapes.size());
        known(declaration).number = number;  // added before its members, which may point to it
        std::vector<Member> members;
        fill_members(type, 0, most_depth, members);
        out_.shapes[number - 1].members = std::move(members);
    }
    shape.number = number;
    out.shape = std::move(shape);
    if (!out.shape->name.empty()) out_.types.try_emplace(out.shape->name, out);
    return out;
}

Type Converter::enumeration(CXType type) {
    const CXCursor declaration = clang_.getTypeDeclaration(type);
    if (clang_.Type_getSizeOf(type) < 0) return nothing();
    const CXType below = clang_.getCanonicalType(clang_.getEnumDeclIntegerType(declaration));
    Type out = integer_type(size_of(type), !is_unsigned(below.kind), View::enumeration);
    Shape shape = named(type);
    shape.declared = true;
    uint32_t& number = known(declaration).number;
    const bool is_new = number == 0;
    if (is_new) {
        std::vector<Enumerator> all;
        each_child(clang_, declaration, [&](CXCursor cursor) {
            if (clang_.getCursorKind(cursor) != CXCursor_EnumConstantDecl) return;
            const int64_t value = clang_.getEnumConstantDeclValue(cursor);
            // libclang extends the highest bit of an unsigned one, too
            const uint64_t mask = out.is_signed || out.size >= 8 ? UINT64_MAX : (uint64_t{1} << 8 * out.size) - 1;
            all.push_back({clang_.text(clang_.getCursorSpelling(cursor)),
                           static_cast<int64_t>(static_cast<uint64_t>(value) & mask)});
        });
        out_.shapes.push_back({{}, std::move(all)});
        number = static_cast<uint32_t>(out_.shapes.size());
    }
    shape.number = number;
    out.shape = std::move(shape);
    if (!is_new) return out;
    if (!out.shape->name.empty()) out_.types.try_emplace(out.shape->name, out);
    for (const Enumerator& e : out_.shapes[number - 1].enumerators)
        out_.constants.try_emplace(e.name, Constant{out, e.value});
    return out;
}

Type Converter::list(CXType type, int depth) {
    const CXType each = clang_.getCanonicalType(clang_.getArrayElementType(type));
    const bool is_open = type.kind == CXType_IncompleteArray;
    const auto count = is_open ? 0 : static_cast<uint32_t>(clang_.getArraySize(type));
    if (is_char(each.kind)) return string_type(count == 0 ? open_string : count);
    const Type element = type_of(each, depth);
    return is_hidden(element) || element.size == 0 ? nothing() : array_type(element, count);
}

void Converter::fill_members(CXType type, uint64_t base, int depth, std::vector<Member>& out) {
    if (depth <= 0) return;
    visit_fields(type, [&](CXCursor field) { add_field(field, base, depth, out); });
}

// The members of an anonymous member take its place. `base` counts bits.
void Converter::add_field(CXCursor field, uint64_t base, int depth, std::vector<Member>& out) {
    const CXType type = clang_.getCanonicalType(clang_.getCursorType(field));
    const long long within = clang_.Cursor_getOffsetOfField(field);
    if (within < 0) return;
    const uint64_t bit = base + static_cast<uint64_t>(within);
    const bool is_inner = type.kind == CXType_Record && clang_.Cursor_isAnonymous(clang_.getTypeDeclaration(type)) != 0;
    const std::string name = clang_.text(clang_.getCursorSpelling(field));
    if (is_inner && (name.empty() || name.find('(') != name.npos)) return fill_members(type, bit, depth - 1, out);
    if (name.empty()) return;  // padding
    Member member{name, type_of(type, most_depth), static_cast<uint32_t>(bit / 8)};
    if (clang_.Cursor_isBitField(field) != 0) {
        if (member.type.kind != Kind::integer) return;
        place_bit_field(member, static_cast<uint32_t>(bit), static_cast<uint32_t>(clang_.getFieldDeclBitWidth(field)));
    }
    out.push_back(std::move(member));
}

}  // namespace lt
