// The contents of program and library files: ELF, DWARF, USDT notes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/arch.h"
#include "base/result.h"
#include "runtime/border/program_scope.h"
#include "stdlib/types.h"

namespace lt {

// A function's calling convention: where its arguments and results are, and whether its returns can be probed.
enum class Convention : uint8_t {
    c,   // the system's
    go,  // Go's for compiled functions (ABIInternal), since Go 1.18; stacks move, and the Go runtime walks them
    go_assembly,  // Go's for assembly functions (ABI0)
    go_unknown,   // a Go function whose tables lt cannot read
};
// The registers of arg0, arg1 ..., for the arguments that are in registers.
inline std::span<const arch::Register> argument_registers(Convention convention) {
    return convention == Convention::go ? arch::native.go_arguments : arch::native.arguments;
}

// Where calls of a function begin and end, as file offsets, found by decoding its instructions.
struct FunctionEnds {
    // `entry` is the jump that ends the stack-size check, and a call begins where it is not taken. The kernel emulates
    // jumps, but has to single-step most other instructions, which takes longer.
    bool at_check = false;
    uint64_t entry = 0;           // each call passes it once, after the stack-size check
    std::vector<uint64_t> exits;  // instructions that leave the function, ascending
    uint64_t first_jump = 0;      // the first of them that jumps to another function; 0: all are returns
};

struct UserFunction {
    std::string path;  // of the file, absolute
    std::string name;
    uint64_t offset = 0;       // in the file, for perf_event_open
    uint64_t size = 0;         // 0: unknown
    std::string inlined = {};  // the function that the compiler inlined there, if that one is meant
    std::string spoken = {};   // the name in its language, without parameters, if it differs
    Convention convention = Convention::c;
    std::optional<FunctionEnds> ends = {};  // set if the probe is attached there
    uint32_t others = 0;  // if it was found by its name: other functions of that name, each local to a source file
};

// A query for source lines, or for the functions of a source file.
struct SourceQuery {
    std::string function = "*";  // a pattern
    std::string file;            // a path or its end, a pattern
    uint32_t first = 0;
    uint32_t last = 0;      // 0: the query is for functions
    bool relative = false;  // lines count from the function's line
    bool inlined = false;   // the query is for the locations where the functions are inlined
};

struct SourcePlace {
    UserFunction place;
    std::string text;  // "f@b.c:12"
};

// A variable or function of a file, relative to an instruction there.
struct UserSymbol {
    int64_t distance = 0;  // bytes after the instruction
    uint64_t size = 0;     // 0: unknown
};

// One location of a USDT marker; a marker that the compiler copied has several.
struct Marker {
    std::string provider, name;
    uint64_t offset = 0;     // in the file
    uint64_t semaphore = 0;  // file offset of the counter that each tracer raises; 0: there is none
    std::string arguments;   // their locations, in assembler syntax (arch/marker_argument.h)
};

class Programs {
  public:
    virtual ~Programs() = default;

    // Distinguishes this file from others with its name: its build id, or a checksum of its bytes.
    virtual Result<std::string> build(const std::string& path) = 0;
    virtual Result<UserFunction> user_function(const std::string& path, std::string_view name) = 0;
    virtual Result<UserFunction> user_address(const std::string& path,
                                              uint64_t address) = 0;  // in the file's own address space
    // Does an instruction begin at this file offset? No value: the function around it is not known, or cannot be
    // decoded.
    virtual std::optional<bool> begins_instruction(const std::string& path, uint64_t offset) = 0;
    // The symbol, relative to the instruction at this file offset.
    virtual Result<UserSymbol> user_symbol(const std::string& path, std::string_view name, uint64_t offset) = 0;
    // For a function that begins there. Without `exits`, only its entry. The error says why not every call, or return,
    // can be seen.
    virtual Result<FunctionEnds> function_ends(const UserFunction& function, bool exits) = 0;
    virtual std::vector<std::string> user_functions(const std::string& path, std::string_view pattern) = 0;
    // Functions whose C++ name matches, with or without parameters; by their symbols.
    virtual std::vector<std::string> cpp_functions(const std::string& path, std::string_view pattern) = 0;
    // From the debug information; for lines, the instructions at which they begin.
    virtual Result<std::vector<SourcePlace>> source_places(const std::string& path, const SourceQuery& query) = 0;
    // The debug information about this instruction. The reference stays valid.
    virtual const Result<ProgramScope>& program_scope(const UserFunction& place) = 0;
    // A global variable, as seen from the instruction.
    virtual std::optional<ProgramVariable> program_global(const std::string& path, uint64_t offset,
                                                          const std::string& name) = 0;
    // A program's type by name, as seen from the instruction; queries work as for the kernel's types.
    virtual std::optional<Type> program_type(const std::string& path, uint64_t offset, std::string_view name) = 0;
    // All markers of a file, in order.
    virtual Result<std::vector<Marker>> markers(const std::string& path) = 0;
};

}  // namespace lt
