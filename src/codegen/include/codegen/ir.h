// The program between the typed tree and LLVM: structured code over 64-bit integers and addresses, about two dozen
// operations, sizes and offsets known, syntax forgotten. What a place's context looks like (registers, trampoline,
// record) is not known here: `argument`, `result` and `field` ask for it, so the same function serves every way to
// attach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "runtime/plan.h"
#include "stdlib/types.h"

namespace lt::ir {

using Value = uint32_t;  // the id of the operation that made it, within its function
constexpr Value no_value = ~0u;

enum class Code : uint8_t {
    constant,    // number -> integer
    text,        // texts[symbol] -> address of its bytes
    map,         // maps[symbol] -> address, for helpers and library functions
    context,     // -> address
    param,       // -> address of the parameter at `offset`
    buffer,      // number bytes of zeroed memory -> address, aligned to 8
    at,          // in[0] + offset, + in[1] where given -> address
    alu,         // in[0] op in[1] -> integer
    extend,      // low `width` bytes of in[0], sign- or zero-extended -> integer
    slot_read,   // local variable `symbol` -> integer
    slot_write,  // local variable `symbol` = in[0]
    relocation,  // what relocations[symbol] asks of the kernel that runs -> integer
    fetch,       // `width` bytes at in[0] of the kernel's or, where number is 1, a program's memory -> integer; 0, and
                 // one more of losses[symbol], where they cannot be read
    load,        // `width` bytes at in[0] + offset -> integer
    store,       // `width` bytes at in[0] + offset = in[1]
    copy,        // number bytes (a multiple of 8, both sides aligned) from in[1] to in[0] + offset
    argument,    // argument `number` of the function at its entry -> integer
    stopping,    // -> integer: not zero once the session ends, when nothing may be opened any more
    halt,        // from now on `stopping` is not zero
    frame,    // a number that is the same at the entry and the return of one call, lower for calls inside it -> integer
    result,   // what the function returned -> integer
    field,    // `width` bytes of the context at `offset` -> integer
    helper,   // BPF helper `number`(in...) -> integer
    host,     // what only lt itself does (HostCall `symbol`), in functions of Way::host -> integer or address
    find,     // the value of key in[0] in maps[symbol], of CPU in[1] where given -> address or null
    call,     // library function `symbol`(in...) -> integer or address, as the table of library functions says
    c_call,   // c_functions[symbol](in...) -> integer; what it cannot read is counted in losses[number]
    reserve,  // room for a record of events[symbol] in the ring buffer maps[number] -> address or null
    submit,   // hands record in[0] over with the flags in[1]
    loss,     // one more of losses[symbol]
    branch,   // if in[0] (not zero, not null) blocks[0] else blocks[1]
    loop,     // blocks[0] in[0] times, or until `stop`
    each,     // blocks[0] for each entry of maps[symbol], or until `stop`
    turn,  // inside of loop: which turn it is, from 0 -> integer; of each: the key (number 0), the value (1) -> address
    stop,  // end of the innermost loop or each
    scope,  // blocks[0]
    quit,   // end of the scope `symbol` that is around this
    leave,  // end of the function
};

enum class Alu : uint8_t {
    add,
    sub,
    mul,
    udiv,
    sdiv,
    umod,
    smod,
    bit_and,
    bit_or,
    bit_xor,
    shl,
    lshr,
    ashr,
    eq,
    ne,
    ult,
    ule,
    ugt,
    uge,
    slt,
    sle,
    sgt,
    sge,
};
std::string_view alu_name(Alu op);

struct CodeRow {
    Code code;
    std::string_view name;
    bool result;   // makes a value
    bool address;  // the value is an address
};
const CodeRow& code_row(Code code);

struct Op;
using Block = std::vector<Op>;

struct Op {
    Code code = Code::leave;
    Alu alu = Alu::add;
    uint8_t width = 8;
    bool is_signed = false;
    Value id = no_value;
    uint32_t symbol = 0;
    uint32_t offset = 0;
    int64_t number = 0;
    Span span;  // in the program, for the verifier's line information
    std::vector<Value> in;
    std::vector<Block> blocks;
};

// Functions of the library (stdlib/bpf): name and whether the result is an address.
enum class Library : uint8_t {
    slot,
    add,
    add_after,
    average,
    raise,
    hist,
    hist_duration,
    dist,
    exceed,
    same,
    divide,
    modulo,
    room,
    wake_flags,
    task_state,
    task_state_make,
    hash_state,
    hash_state_make,
    hash_state_drop,
    span_open,
    span_skip,
    span_close,
    span_open_one,
    span_skip_one,
    span_close_one,
    unmatched,
    span_die,
    span_age,
    walk,
    pair_reopen,
    pair_open,
    pair_claim,
    stack,
    claim,
    release,
    at_most,
    length,
    compare,
    contains,
    find,
    bytes_compare,
    change_case,
    quote_begin,
    quote_step,
    quote_end,
    names,
    number,
    swap,
    hist_fine,
    lhist,
    tseries,
    iterated,
    samples,
    family_fork,
    family_free,
    in_family,
    in_cgroup,
    matches,
    stack_length,
};
struct LibraryRow {
    Library id;
    std::string_view name;
    uint8_t arguments;
    bool result;   // makes a value
    bool address;  // the value is an address
};
const LibraryRow& library_row(Library id);
std::span<const LibraryRow> library_rows();

// What differs between kernels about a member of a structure (CO-RE). libbpf looks it up by name when the object is
// loaded; `value` is what it is on the kernel for which the program was compiled.
enum class Ask : uint8_t {
    offset,       // in bytes, from the beginning of the outermost structure
    size,         // in bytes, of what is to be read of a bit field
    shift_left,   // of the bytes of a bit field in 64 bits, so that nothing stands above it
    shift_right,  // then, so that nothing stands below it
};
struct Relocation {
    Ask ask = Ask::offset;
    std::string root;          // "struct file", or the name of a typedef
    std::vector<Member> path;  // from there, each with its offset in the one before
    uint64_t value = 0;
};

enum class Storage : uint8_t {
    hash,
    per_cpu_hash,
    array,
    per_cpu_array,
    ring_buffer,
    task_storage,
    lru_hash,
    lru_per_cpu_hash,
    perf_events,
    programs,  // an array of them
};
std::string_view storage_name(Storage s);

struct MapDefinition {
    std::string symbol;
    Storage storage = Storage::hash;
    uint32_t key_size = 0;
    uint32_t value_size = 0;
    uint32_t max_entries = 0;
    bool preallocated = false;
    bool shared_memory = false;  // of an array: the runtime maps it
};

// One BPF program in the making: its code and the way it is entered.
struct Function {
    std::string name;
    Way way = Way::run;
    bool at_return = false;
    bool user = false;   // arguments beyond the registers lie in user memory
    std::string target;  // Way::fentry: the kernel function
    // Not empty in the program of a session: functions of this program that it runs at the two ends. Those are not
    // programs by themselves.
    std::string on_entry, on_return;
    uint32_t slots = 0;
    uint32_t frame = 0;  // bytes of its buffers; those of different statements share them
    // Where they do not fit on the stack: the map in which each run claims room for them, and what counts that there
    // was none.
    std::optional<uint32_t> scratch;
    uint32_t scratch_loss = 0;
    Value values = 0;  // ids given out
    Block body;
};

// The body of a loop becomes a function of its own, which sees of the one around it only a piece of memory (BPF's loops
// call back). What both need is kept in words of that memory, behind the buffers, where these are not elsewhere.
struct Shared {
    static constexpr uint32_t none = ~0u;
    bool loops = false;            // are there any?
    std::vector<uint32_t> values;  // by Value: its word
    std::vector<uint32_t> slots;   // by slot
    std::vector<const Op*> homes;  // by Value: the innermost loop in which it is made; nullptr: none
    uint32_t context = none;
    uint32_t room = none;    // where the buffers are, if they do not fit on the stack
    uint32_t target = none;  // where to go on behind a loop that was left altogether
    uint32_t words = 0;
};
Shared shared(const Function& function);
// Made anew wherever it is needed: costs nothing and depends on nothing.
bool is_remade(Code code);

struct Program {
    std::vector<std::string> texts;  // bytes of constants, padded to what their users read
    std::vector<Relocation> relocations;
    std::vector<MapDefinition> maps;  // of the script first (same index as Plan::maps), then internal ones
    std::vector<Function> functions;
    std::vector<std::string> c_functions;  // of the script, by their names in c_code
    std::vector<uint8_t> c_code;           // what clang has made of them: LLVM bitcode; empty: there are none
    std::string license = "GPL";           // as the kernel is told
    Plan plan;                             // complete but for the object
};

std::string dump(const Program& program);

}  // namespace lt::ir
