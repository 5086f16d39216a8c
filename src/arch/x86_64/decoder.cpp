// The x86-64 decoder: how long an instruction is, where execution continues, and which address it uses. Encodings: Intel
// 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix A; XOP and 3DNow!: AMD64
// Architecture Programmer's Manual, volume 3, appendix A. The unit tests hold it to Capstone, whose tables, which also
// print every instruction, are a quarter of what lt-run would be with them.
#include "arch/decoder.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace lt::arch {
namespace {

// The bytes after an opcode and its operands.
enum class Immediate : uint8_t {
    none,
    byte,
    word,
    by_size,
    wide,
    enter,
    address,
    short_target,
    target,
    of_test,
    two_bytes
};

struct Opcode {
    bool valid = false;
    bool operands = false;  // a ModRM byte, and what belongs to it
    Immediate immediate = Immediate::none;
};

using Map = std::array<Opcode, 256>;

constexpr void set(Map& map, unsigned first, unsigned last, bool operands, Immediate immediate = Immediate::none) {
    for (unsigned i = first; i <= last; i++) map[i] = {true, operands, immediate};
}
constexpr void remove(Map& map, std::initializer_list<unsigned> opcodes) {
    for (const unsigned i : opcodes) map[i] = {};
}

constexpr Map one_byte = [] {
    Map m{};
    for (unsigned row = 0; row < 0x40; row += 8) {
        set(m, row, row + 3, true);
        set(m, row + 4, row + 4, false, Immediate::byte);
        set(m, row + 5, row + 5, false, Immediate::by_size);
    }
    set(m, 0x50, 0x5f, false);
    set(m, 0x63, 0x63, true);
    set(m, 0x68, 0x68, false, Immediate::by_size);
    set(m, 0x69, 0x69, true, Immediate::by_size);
    set(m, 0x6a, 0x6a, false, Immediate::byte);
    set(m, 0x6b, 0x6b, true, Immediate::byte);
    set(m, 0x6c, 0x6f, false);
    set(m, 0x70, 0x7f, false, Immediate::short_target);
    set(m, 0x80, 0x83, true, Immediate::byte);
    set(m, 0x81, 0x81, true, Immediate::by_size);
    set(m, 0x84, 0x8f, true);
    set(m, 0x90, 0x9f, false);
    set(m, 0xa0, 0xa3, false, Immediate::address);
    set(m, 0xa4, 0xa7, false);
    set(m, 0xa8, 0xa8, false, Immediate::byte);
    set(m, 0xa9, 0xa9, false, Immediate::by_size);
    set(m, 0xaa, 0xaf, false);
    set(m, 0xb0, 0xb7, false, Immediate::byte);
    set(m, 0xb8, 0xbf, false, Immediate::wide);
    set(m, 0xc0, 0xc1, true, Immediate::byte);
    set(m, 0xc2, 0xc2, false, Immediate::word);
    set(m, 0xc3, 0xc3, false);
    set(m, 0xc6, 0xc6, true, Immediate::byte);
    set(m, 0xc7, 0xc7, true, Immediate::by_size);
    set(m, 0xc8, 0xc8, false, Immediate::enter);
    set(m, 0xc9, 0xcf, false);
    set(m, 0xca, 0xca, false, Immediate::word);
    set(m, 0xcd, 0xcd, false, Immediate::byte);
    set(m, 0xd0, 0xd3, true);
    set(m, 0xd7, 0xd7, false);
    set(m, 0xd8, 0xdf, true);
    set(m, 0xe0, 0xe3, false, Immediate::short_target);
    set(m, 0xe4, 0xe7, false, Immediate::byte);
    set(m, 0xe8, 0xe9, false, Immediate::target);
    set(m, 0xeb, 0xeb, false, Immediate::short_target);
    set(m, 0xec, 0xef, false);
    set(m, 0xf1, 0xf1, false);
    set(m, 0xf4, 0xf5, false);
    set(m, 0xf6, 0xf7, true, Immediate::of_test);
    set(m, 0xf8, 0xfd, false);
    set(m, 0xfe, 0xff, true);
    remove(m, {0x82, 0x9a, 0xce});
    return m;
}();

constexpr Map after_0f = [] {
    Map m{};
    set(m, 0x00, 0xfe, true);
    set(m, 0x05, 0x0b, false);
    set(m, 0x0e, 0x0e, false);
    set(m, 0x0f, 0x0f, true, Immediate::byte);
    set(m, 0x30, 0x37, false);
    set(m, 0x70, 0x73, true, Immediate::byte);
    set(m, 0x77, 0x77, false);
    set(m, 0x80, 0x8f, false, Immediate::target);
    set(m, 0xa0, 0xa2, false);
    set(m, 0xa4, 0xa4, true, Immediate::byte);
    set(m, 0xa8, 0xaa, false);
    set(m, 0xac, 0xac, true, Immediate::byte);
    set(m, 0xba, 0xba, true, Immediate::byte);
    set(m, 0xc2, 0xc2, true, Immediate::byte);
    set(m, 0xc4, 0xc6, true, Immediate::byte);
    set(m, 0xc8, 0xcf, false);
    set(m, 0xff, 0xff, false);
    remove(m, {0x04, 0x0a, 0x0c, 0x24, 0x25, 0x26, 0x27, 0x36, 0x38, 0x39,
               0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x7a, 0x7b, 0xa6, 0xa7});
    return m;
}();

constexpr Opcode with_operands{true, true, Immediate::none};
constexpr Opcode with_byte{true, true, Immediate::byte};

// Reads the bytes of one instruction.
class Reader {
  public:
    Reader(std::span<const uint8_t> code, uint64_t address) : code_(code.first(std::min(code.size(), longest))) {
        out_.address = address;
    }

    std::optional<Instruction> read() {
        prefixes();
        if (!opcode() || !valid_) return {};
        if (known_.operands) operands();
        immediate();
        if (!valid_ || at_ > code_.size() || !is_instruction()) return {};
        out_.end = out_.address + at_;
        out_.flow = flow();
        if (distance_) out_.target = out_.end + static_cast<uint64_t>(*distance_);
        out_.checks_stack = !vector_ && ((map_ == 0 && opcode_ == 0x76) || (map_ == 1 && opcode_ == 0x86));  // jbe
        use_of_address();
        return out_;
    }

  private:
    static constexpr size_t longest = 15;

    uint8_t byte() { return at_ < code_.size() ? code_[at_++] : (valid_ = false, uint8_t{0}); }
    int64_t number(size_t size) {
        uint64_t value = 0;
        for (size_t i = 0; i < size; i++) value |= uint64_t{byte()} << (8 * i);
        const size_t unused = 64 - 8 * size;
        return size == 0 ? 0 : static_cast<int64_t>(value << unused) >> unused;
    }
    uint8_t reg() const { return modrm_ >> 3 & 7; }
    bool in_memory() const { return known_.operands && modrm_ < 0xc0; }
    bool is_wide() const { return (rex_ & 8) != 0; }

    void prefixes();
    bool opcode();
    bool vector_opcode(unsigned first);
    void operands();
    void immediate();
    bool is_instruction() const;
    Flow flow() const;
    Flow flow_after_0f() const;
    void use_of_address();

    std::span<const uint8_t> code_;
    size_t at_ = 0;
    bool valid_ = true;  // nothing was missing
    bool short_operands_ = false, short_addresses_ = false, repeats_ = false, repeats_not_ = false, prefixed_ = false;
    uint8_t rex_ = 0, map_ = 0, opcode_ = 0, modrm_ = 0;
    bool vector_ = false;  // VEX, EVEX or XOP
    Opcode known_;
    unsigned base_ = 0;
    int scale_ = 0;
    int64_t displacement_ = 0;
    bool from_counter_ = false;
    std::optional<int64_t> distance_;  // to the target
    Instruction out_;
};

void Reader::prefixes() {
    for (; at_ < code_.size(); at_++) {
        const uint8_t next = code_[at_];
        if ((next & 0xf0) == 0x40) {
            rex_ = next;
            continue;
        }
        const bool segment =
            next == 0x26 || next == 0x2e || next == 0x36 || next == 0x3e || next == 0x64 || next == 0x65;
        const bool changes = next == 0x66 || next == 0xf0 || next == 0xf2 || next == 0xf3;
        if (!segment && !changes && next != 0x67) return;
        rex_ = 0;  // counts only right before the opcode
        prefixed_ = prefixed_ || changes;
        short_operands_ = short_operands_ || next == 0x66;
        short_addresses_ = short_addresses_ || next == 0x67;
        if (next == 0xf2 || next == 0xf3) {
            repeats_ = next == 0xf3;
            repeats_not_ = next == 0xf2;
        }
    }
}

bool Reader::opcode() {
    const uint8_t first = byte();
    const uint8_t second = at_ < code_.size() ? code_[at_] : 0;
    const bool pops = first == 0x8f && (second & 0x1f) < 8;
    if (first == 0xc4 || first == 0xc5 || first == 0x62 || (first == 0x8f && !pops)) return vector_opcode(first);
    opcode_ = first;
    if (first == 0x0f) {
        map_ = 1;
        opcode_ = byte();
        if (opcode_ == 0x38 || opcode_ == 0x3a) {
            map_ = opcode_ == 0x38 ? 2 : 3;
            opcode_ = byte();
        }
    }
    known_ = map_ == 0 ? one_byte[opcode_] : map_ == 1 ? after_0f[opcode_] : map_ == 2 ? with_operands : with_byte;
    const bool moves_bits = map_ == 1 && opcode_ == 0x78 && (short_operands_ || repeats_not_);  // EXTRQ, INSERTQ
    if (moves_bits) known_.immediate = Immediate::two_bytes;
    return known_.valid;
}

bool Reader::vector_opcode(unsigned first) {
    if (prefixed_ || rex_ != 0) return false;
    vector_ = true;
    unsigned map = 1;
    const uint8_t second = byte();
    if (first == 0xc4 || first == 0x8f) {
        map = second & 0x1f;
        byte();
    } else if (first == 0x62) {
        map = second & 7;
        const bool is_evex = (second & 8) == 0 && (byte() & 4) != 0;
        byte();
        if (!is_evex) return false;
    }
    opcode_ = byte();
    known_ = with_operands;
    map_ = static_cast<uint8_t>(map);
    if (first == 0x8f) {
        if (map == 8) known_ = with_byte;
        if (map == 10) known_.immediate = Immediate::by_size;
        return map >= 8 && map <= 10;
    }
    const bool shuffles =
        (opcode_ >= 0x70 && opcode_ <= 0x73) || opcode_ == 0xc2 || (opcode_ >= 0xc4 && opcode_ <= 0xc6);
    if (map == 3 || (map == 1 && shuffles)) known_ = with_byte;
    if (map == 1 && opcode_ == 0x77 && first != 0x62) known_.operands = false;
    if (map == 1) return true;
    return map == 2 || map == 3 || (first == 0x62 && (map == 5 || map == 6));
}

void Reader::operands() {
    modrm_ = byte();
    const bool of_control_registers = !vector_ && map_ == 1 && opcode_ >= 0x20 && opcode_ <= 0x23;
    if (of_control_registers) modrm_ |= 0xc0;
    if (!in_memory()) return;
    const uint8_t mode = modrm_ >> 6;
    uint8_t base = modrm_ & 7;
    const bool has_index = base == 4;
    from_counter_ = mode == 0 && base == 5;
    if (has_index) {
        const uint8_t sib = byte();
        const unsigned index = (sib >> 3 & 7U) | ((rex_ & 2U) << 2);
        if (index != 4) scale_ = 1 << (sib >> 6);
        base = sib & 7;
    }
    const bool has_base = mode != 0 || base != 5;
    if (has_base) base_ = 1 + (base | (rex_ & 1U) << 3);
    displacement_ = number(mode == 1 ? 1 : mode == 2 || !has_base ? 4 : 0);
}

void Reader::immediate() {
    const size_t by_size = is_wide() || !short_operands_ ? 4 : 2;
    const bool begins_transaction = map_ == 0 && opcode_ == 0xc7 && modrm_ == 0xf8;
    switch (known_.immediate) {
        case Immediate::none:
            break;
        case Immediate::byte:
            number(1);
            break;
        case Immediate::word:
        case Immediate::two_bytes:
            number(2);
            break;
        case Immediate::by_size:
            if (const int64_t value = number(vector_ ? 4 : by_size); begins_transaction) distance_ = value;
            break;
        case Immediate::wide:
            number(is_wide() ? 8 : by_size);
            break;
        case Immediate::enter:
            number(3);
            break;
        case Immediate::address:
            number(short_addresses_ ? 4 : 8);
            break;
        case Immediate::short_target:
            distance_ = number(1);
            break;
        case Immediate::target:  // of 4 bytes whatever the prefixes, on Intel's processors
            distance_ = number(4);
            break;
        case Immediate::of_test:
            if (reg() < 2) number(opcode_ == 0xf6 ? 1 : by_size);
            break;
    }
}

// The opcodes that ModRM is a part of, as far as compilers leave holes in them.
bool Reader::is_instruction() const {
    if (vector_ || map_ > 1) return true;
    const bool is_transaction = modrm_ == 0xf8;
    if (map_ == 1) return opcode_ != 0xba || reg() >= 4;
    switch (opcode_) {
        case 0x8d:
            return in_memory();
        case 0x8f:
            return reg() == 0;
        case 0x8c:
        case 0x8e:
            return reg() < 6;
        case 0xc6:
        case 0xc7:
            return reg() == 0 || is_transaction;
        case 0xfe:
            return reg() < 2;
        case 0xff:
            return reg() < 7 && (in_memory() || (reg() != 3 && reg() != 5));
        default:
            return true;
    }
}

Flow Reader::flow_after_0f() const {
    switch (opcode_) {
        case 0x0b:
        case 0xb9:
        case 0xff:
            return Flow::trap;
        case 0x1f:
            return Flow::nop;
        case 0x07:
        case 0x35:
            return Flow::leave;
        default:
            return known_.immediate == Immediate::target ? Flow::branch : Flow::plain;
    }
}

Flow Reader::flow() const {
    if (vector_ || map_ > 1) return Flow::plain;
    if (map_ == 1) return flow_after_0f();
    switch (opcode_) {
        case 0x90:
            return repeats_ || (rex_ & 1) != 0 ? Flow::plain : Flow::nop;
        case 0xc2:
        case 0xc3:
            return Flow::ret;
        case 0xc7:
            return modrm_ == 0xf8 ? Flow::branch : Flow::plain;
        case 0xca:
        case 0xcb:
        case 0xcf:
            return Flow::leave;
        case 0xcc:
            return Flow::breakpoint;
        case 0xe8:
            return Flow::call;
        case 0xe9:
        case 0xeb:
            return Flow::jump;
        case 0xff:
            if (reg() == 2 || reg() == 3) return Flow::call;
            return reg() == 4 || reg() == 5 ? Flow::indirect_jump : Flow::plain;
        default:
            return known_.immediate == Immediate::short_target ? Flow::branch : Flow::plain;
    }
}

void Reader::use_of_address() {
    const bool jumps = opcode_ == 0xff && reg() == 4;
    const bool loads = is_wide() && (opcode_ == 0x8b || opcode_ == 0x8d || opcode_ == 0x63);
    if (vector_ || map_ != 0 || !in_memory() || short_addresses_ || (!jumps && !loads)) return;
    DataUse& use = out_.data;
    use.kind = opcode_ == 0x8d ? DataUse::address : opcode_ == 0x63 ? DataUse::offset : DataUse::pointer;
    use.to = jumps ? 0 : 1 + (reg() | (rex_ & 4U) << 1);
    use.base = base_;
    use.scale = scale_;
    use.displacement = static_cast<uint64_t>(displacement_) + (from_counter_ ? out_.end : 0);
}

}  // namespace

std::optional<Instruction> decode(std::span<const uint8_t> code, uint64_t address) {
    return Reader(code, address).read();
}

}  // namespace lt::arch
