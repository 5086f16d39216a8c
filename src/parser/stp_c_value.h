// Values and declarations of C, piece by piece, for stp_c_body.cpp. What could come out otherwise than in C is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "stp_c_body.h"

namespace lt::stp {

inline constexpr uint32_t int_bits = 32, long_bits = 64;

struct CValue {
    enum class Kind : uint8_t {
        number,   // with a sign, of so many bits
        member,   // of a structure: only the kernel's type information knows of what type
        address,  // of a structure that is known, or not
        socket,   // one that was looked up: the descriptor stands for it
        text,
    };
    Kind kind = Kind::number;
    uint32_t bits = 64;
    std::string points_to = {};  // "struct sock"
    bool is_unsigned = false;    // a number without a sign: of 64 bits as these are, of less above zero
    bool is_negative = false;    // a number as it stands
    bool is_plain = false;       // likewise, with no sign
    bool is_null = false;        // NULL
    bool compares = false;       // two values, without brackets around
    Pieces text = {};
};

class CValues {
  public:
    CValues(const Pieces& c, const CFacts& facts) : c_(c), facts_(facts) {}

    bool names_tables = false;  // of the kernel, which compiled C cannot name

    // ---- pieces
    bool is_fine() const { return fine_; }
    void refuse();
    Span refused() const { return refused_; }  // the first piece that means nothing here
    bool at_end() const { return at_ >= c_.size(); }
    const Piece& now() const { return at_end() ? end_ : c_[at_]; }
    Piece next();
    bool take(std::string_view mark);
    bool take_word(std::string_view word);
    void skip_brackets();
    Piece made(PieceKind kind, std::string text) const;

    // ---- variables
    struct Target {
        std::string name;
        uint32_t bits;
        bool is_result;  // of the function
        bool is_unsigned = false;
    };
    bool begins_type() const;
    bool assigns_from(std::string_view function) const;
    void look_up(Pieces& out);      // socket = sockfd_lookup(descriptor, &error)
    void declaration(Pieces& out);  // up to its `;`
    std::optional<Target> target();
    std::string pointee_of(const std::string& name) const;
    std::string spelled(const std::string& name) const;  // as it is called in the language
    std::string fresh(std::string name);
    bool is_lone_name() const;                         // followed by a comma
    bool names_behind(const std::string& name) const;  // where it is not read yet?

    // ---- values
    CValue value();
    CValue truth() { return truth_of(value()); }  // as a condition
    CValue fitted(CValue value, uint32_t bits, bool is_unsigned);
    CValue changed(const Target& target, std::string_view operation, const CValue& by);  // target operation by
    bool sets_option() const;
    Pieces option();   // what is called instead
    Pieces printed();  // a format and its values, each as wide as the format says
    Pieces head_of_list();
    Pieces container(const std::string& node, const std::string& type, const std::string& member) const;
    Pieces cast(const Pieces& address, const std::string& type) const;

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
        std::string name;  // of what has members
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

    const Pieces& c_;
    const CFacts& facts_;
    size_t at_ = 0;
    bool fine_ = true;
    Span refused_;
    int depth_ = 0;
    Piece end_ = {};
    std::map<std::string, Variable, std::less<>> variables_;
    std::set<std::string> fresh_;
};

}  // namespace lt::stp
