// Values and declarations of C, piece by piece, for c_body.cpp. Refuses everything whose result could differ from C.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "systemtap/c/c_body.h"
#include "systemtap/c/cursor.h"

namespace lt::stp {

inline constexpr uint32_t int_bits = 32, long_bits = 64;

struct CValue {
    enum class Kind : uint8_t {
        number,   // signed, of `bits` bits
        member,   // of a structure: only the kernel's type information knows its type
        address,  // of a structure, known or unknown
        socket,   // one that was looked up, represented by its descriptor
        text,
    };
    Kind kind = Kind::number;
    uint32_t bits = 64;
    std::string points_to = {};  // "struct sock"
    bool is_unsigned = false;    // an unsigned number: if 64 bits, in the same bits; if fewer, as a number above zero
    bool is_negative = false;    // a literal number
    bool is_plain = false;       // the same, without a sign
    bool is_null = false;        // NULL
    bool compares = false;       // a comparison, without parentheses around it
    Pieces text = {};
};

class CValues : public CCursor {
  public:
    CValues(const Pieces& c, const CFacts& facts) : CCursor(c), facts_(facts) {}

    bool names_tables = false;  // uses kernel tables, which compiled C cannot name

    // ---- variables
    struct Target {
        std::string name;
        uint32_t bits;
        bool is_result;  // of the function
        bool is_unsigned = false;
        std::string in_c = {};  // the variable's name in C
    };
    bool begins_type() const;
    bool assigns_from(std::string_view function) const;
    void look_up(Pieces& out);      // socket = sockfd_lookup(descriptor, &error)
    void declaration(Pieces& out);  // up to its `;`
    std::optional<Target> target();
    std::string pointee_of(const std::string& name) const;
    std::string spelled(const std::string& name) const;  // the name in the script
    std::string fresh(std::string name);
    bool is_lone_name() const;                        // followed by a comma
    bool names_later(const std::string& name) const;  // is it not read yet at this point?
    // It is only set to literals and changed by steps of one: no loop iterates often enough to overflow it.
    bool only_counts(const Target& target) const;

    // ---- values
    CValue value();
    CValue truth() { return truth_of(value()); }  // as a condition
    CValue fitted(CValue value, uint32_t bits, bool is_unsigned);
    CValue changed(const Target& target, std::string_view operation, const CValue& by);  // target operation by
    bool sets_option() const;
    Pieces option();   // returns the replacement call
    Pieces printed();  // a format and its values, truncated to the widths in the format
    Pieces head_of_list();

  private:
    struct Variable {
        std::string spelled;
        std::string points_to = {};
        uint32_t bits = 64;
        bool is_unsigned = false;
        bool is_address = false;
        bool is_socket = false;
    };
    struct Type {
        std::string name;  // of a value with members
        uint32_t bits = 64;
        uint32_t stars = 0;
        bool is_unsigned = false;
        bool is_void = false;
    };
    std::optional<Type> type();
    void declare(const Type& type, Pieces& out);
    CValue chain(int level);
    CValue unary();
    CValue in_brackets();
    CValue cast_value();
    CValue primary();
    CValue literal();
    CValue named();
    CValue called(const std::string& name);
    CValue with_members(CValue value);
    CValue narrowed(CValue value, std::string_view type) const;
    Pieces option_value();
    CValue joined(CValue left, const Piece& op, CValue right);
    std::optional<CValue> socket_or_null(const CValue& left, const Piece& op, const CValue& right);
    CValue truth_of(CValue value);
    CValue number_of(CValue left, const Piece& op, CValue right);
    std::optional<std::string> argument();
    CValue none();

    const CFacts& facts_;
    int depth_ = 0;
    std::map<std::string, Variable, std::less<>> variables_;
    std::set<std::string> fresh_;
};

// @lt("container_of", node, type, member) and @cast(address, type), in the language.
Pieces container_call(const CCursor& at, const std::string& node, const std::string& type, const std::string& member);
Pieces cast_call(const CCursor& at, const Pieces& address, const std::string& type);

}  // namespace lt::stp
