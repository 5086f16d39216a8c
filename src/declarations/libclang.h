// The functions of libclang that lt uses, looked up in the shared library when it is loaded, and owners of their
// results.
#pragma once

#include <clang-c/Index.h>

#include <string>
#include <utility>

#include "base/result.h"

namespace lt {

#define LT_LIBCLANG_FUNCTIONS(X) \
    X(createIndex)               \
    X(disposeIndex)              \
    X(parseTranslationUnit2)     \
    X(disposeTranslationUnit)    \
    X(getNumDiagnostics)         \
    X(getDiagnostic)             \
    X(disposeDiagnostic)         \
    X(getDiagnosticSeverity)     \
    X(getDiagnosticSpelling)     \
    X(getDiagnosticLocation)     \
    X(getExpansionLocation)      \
    X(getFileName)               \
    X(getInclusions)             \
    X(getTranslationUnitCursor)  \
    X(visitChildren)             \
    X(getCursorKind)             \
    X(getCursorSpelling)         \
    X(getCursorType)             \
    X(isCursorDefinition)        \
    X(getCanonicalType)          \
    X(getPointeeType)            \
    X(getArrayElementType)       \
    X(getArraySize)              \
    X(getTypeDeclaration)        \
    X(Type_getSizeOf)            \
    X(Type_visitFields)          \
    X(Cursor_getOffsetOfField)   \
    X(Cursor_isBitField)         \
    X(Cursor_isAnonymous)        \
    X(getFieldDeclBitWidth)      \
    X(getEnumDeclIntegerType)    \
    X(getEnumConstantDeclValue)  \
    X(getTypeSpelling)           \
    X(hashCursor)                \
    X(equalCursors)              \
    X(Cursor_Evaluate)           \
    X(EvalResult_getKind)        \
    X(EvalResult_getAsLongLong)  \
    X(EvalResult_getAsStr)       \
    X(EvalResult_isUnsignedInt)  \
    X(EvalResult_dispose)        \
    X(getCString)                \
    X(disposeString)

// One for the process: libclang is never unloaded.
struct LibClang {
#define LT_MEMBER(name) decltype(&::clang_##name) name = nullptr;
    LT_LIBCLANG_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER

    // Owns a string of libclang.
    std::string text(CXString given) const;
};

Result<LibClang> load_libclang();

// Owns a parsed text.
class TranslationUnit {
  public:
    TranslationUnit(const LibClang& clang, CXIndex index, CXTranslationUnit unit)
        : clang_(clang), index_(index), unit_(unit) {}
    TranslationUnit(TranslationUnit&& other) noexcept
        : clang_(other.clang_),
          index_(std::exchange(other.index_, nullptr)),
          unit_(std::exchange(other.unit_, nullptr)) {}
    ~TranslationUnit() {
        if (unit_ != nullptr) clang_.disposeTranslationUnit(unit_);
        if (index_ != nullptr) clang_.disposeIndex(index_);
    }
    CXTranslationUnit get() const { return unit_; }

  private:
    const LibClang& clang_;
    CXIndex index_;
    CXTranslationUnit unit_;
};

}  // namespace lt
