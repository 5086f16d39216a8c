// printf formats: the compiler checks them and the runtime prints with them, through the same reader, so that the two
// cannot disagree. Spans are byte offsets in the format after its escapes are replaced.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "stdlib/types.h"

namespace lt {

enum class Conversion : uint8_t {
    text,        // not a conversion: bytes to print unchanged; of "%%" it is the second byte
    decimal,     // d i
    unsigned_,   // u
    hex,         // x
    upper_hex,   // X
    octal,       // o
    character,   // c
    string,      // s r: any value as print() would print it
    address,     // p
    bytes,       // rx: each byte as \xNN
    hex_bytes,   // rh: each byte as two hexadecimal digits, with blanks between them
    hex_digits,  // rd: the same without blanks
    raw_bytes,   // rb: the bytes unchanged
    binary,      // b: the bytes of a number unchanged, the lowest first: as many as the precision or the width says
    fixed,       // f: a number with a fraction
    exponent,    // e
    general,     // g: the shorter of %e and %f
    gfp_flags,   // gr: flags of an allocation in the kernel, by name
    hex_float,   // a: a fraction in hexadecimal digits and a power of 2
    // These take no value:
    unknown,    // an unknown letter
    too_wide,   // its width or precision is over max_format_width
    cut_short,  // the format ends inside it
};

bool shows_bytes(Conversion conversion);  // %r with a letter

constexpr uint32_t max_format_width = 4096;  // also for a precision

struct FormatPiece {
    Conversion conversion = Conversion::text;
    Span span;
    bool left = false;        // -
    bool zero = false;        // 0
    bool plus = false;        // +
    bool space = false;       // blank
    bool alternate = false;   // #
    bool marks_zero = false;  // `alternate` also before 0, as in SystemTap
    uint32_t width = 0;
    std::optional<uint32_t> precision;
    uint32_t bytes = 8;          // of an integer, by h or hh
    bool is_long = false;        // by l, ll, j, z or t
    bool size_is_known = false;  // `bytes` overrides the size of the value's type

    bool takes_value() const;
};

// Returns the pieces of a format from left to right; allocates nothing, since the runtime reads a format for each
// event.
class FormatReader {
  public:
    explicit FormatReader(std::string_view format) : format_(format) {}
    std::optional<FormatPiece> next();

  private:
    FormatPiece conversion();
    void flags(FormatPiece& piece);
    bool number(uint32_t& out);
    Conversion letter();
    Conversion how_bytes(Conversion plain);
    bool at_end() const { return at_ >= format_.size(); }

    std::string_view format_;
    size_t at_ = 0;
};

// For scripts with Conventions::c_integers: an integer that is passed to a C function has at least 32 bits, and without
// a length modifier a conversion prints that many.
void take_size_of_c(FormatPiece& piece);

// The bytes of an integer that a conversion prints: of a signed one those of the number, of others those of its type;
// or those that the format says.
uint32_t printed_bytes(const FormatPiece& piece, const Type& type);

struct FormatMistake {
    Span span;                    // in the format
    std::optional<size_t> value;  // index of the value, if the mistake is about one
    std::string message;
    std::string hint;
};

// All errors in the format for values of these types, from left to right.
std::vector<FormatMistake> check_format(std::string_view format, std::span<const Type> types);

}  // namespace lt
