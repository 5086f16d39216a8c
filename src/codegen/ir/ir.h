// The program between the typed tree and LLVM: structured code over 64-bit integers and addresses, about two dozen
// operations, with all sizes and offsets known and no syntax left. The IR does not know the layout of a probe's context
// (registers, trampoline, record): `argument`, `result` and `field` abstract from it, so that the same function works
// with every way to attach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "codegen/ir/abilities.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
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
    relocation,  // relocations[symbol] on the running kernel -> integer
    fetch,       // `width` bytes at in[0] of the kernel's or (number 1) a program's memory -> integer; if unreadable,
                 // 0, and losses[symbol] is incremented
    load,        // `width` bytes at in[0] + offset -> integer
    store,       // `width` bytes at in[0] + offset = in[1]
    copy,        // number bytes (a multiple of 8, both sides aligned) from in[1] to in[0] + offset
    argument,    // argument `number` of the function at its entry -> integer
    stopping,    // -> integer: not zero once the session ends, when nothing may be opened
    halt,        // makes `stopping` non-zero
    frame,    // a number that is the same at the entry and the return of one call, lower for calls inside it -> integer
    result,   // what the function returned -> integer
    field,    // `width` bytes of the context at `offset` -> integer
    helper,   // BPF helper `number`(in...) -> integer
    host,     // runs in lt itself (HostCall `symbol`), in functions of Way::host -> integer or address
    find,     // the value of key in[0] in maps[symbol], of CPU in[1] if given -> address or null
    call,     // library function `symbol`(in...) -> integer or address, as the table of library functions says
    c_call,   // c_functions[symbol](in...) -> integer; failed reads are counted in losses[number]
    reserve,  // reserves a record of events[symbol] in the ring buffer maps[number] -> address or null
    submit,   // submits record in[0] with the flags in[1]
    loss,     // increments losses[symbol]
    branch,   // if in[0] (not zero, not null) blocks[0] else blocks[1]
    loop,     // blocks[0] in[0] times, or until `stop`; inline if number is not 0, at most that often. If the verifier
              // finds that too long and symbol is not 0, it runs less often, which losses[symbol - 1] counts
    each,     // blocks[0] for each entry of maps[symbol], or until `stop`
    turn,     // in a loop: the iteration, from 0 -> integer; in each: the key (number 0) or value (1) -> address
    stop,     // ends the innermost loop or each
    scope,    // blocks[0]
    quit,     // ends the enclosing scope `symbol`
    leave,    // ends the function
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
    bool result;   // has a value
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
    Span span;  // in the script, for the verifier's line information
    std::vector<Value> in;
    std::vector<Block> blocks;
};

// Functions of the library (stdlib/bpf): their names, and whether the result is an address.
enum class Library : uint8_t {
    slot,
    add,
    sum,
    add_after,
    and_,
    or_,
    xor_,
    average,
    raise,
    hist,
    hist_unsigned,
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
    opener,
    pair_reopen,
    pair_open,
    pair_claim,
    pair_die,
    mark_thread,
    unmark_thread,
    call_open,
    call_skip,
    call_close,
    stack,
    claim,
    release,
    at_most,
    length,
    compare,
    contains,
    find,
    begins_at,
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
    is_own,
    matches,
    stack_length,
    why_switch,
    why_wake,
    why_futex,
    why_released,
    why_enter,
    why_leave,
    why_lock,
    why_unlock,
    why_reclaim,
    why_open,
    why_close,
    why_parts,
    why_longest,
    why_add,
    keep_open,
    keep_close,
    keep_trigger,
};
// The library's files in stdlib/bpf. Only those whose functions a program calls are read.
enum class LibraryFile : uint8_t { aggregate, iterator, keep, scratch, span, stack, string, traced, why };
inline constexpr size_t library_files = 9;
struct LibraryRow {
    Library id;
    std::string_view name;
    LibraryFile file;
    uint8_t arguments;
    bool result;          // has a value
    bool address;         // the value is an address
    bool atomic = false;  // may use instructions of Feature::atomics
};
const LibraryRow& library_row(Library id);
std::span<const LibraryRow> library_rows();

// A property of a structure's member that differs between kernels (CO-RE). libbpf looks it up by name when the object
// is loaded; `value` is the property on the kernel for which the program was compiled.
enum class Ask : uint8_t {
    offset,       // in bytes, from the start of the outermost structure
    size,         // in bytes, of the memory to read for a bit field
    shift_left,   // of the bit field's bytes in 64 bits, to drop the bits above it
    shift_right,  // afterwards, to drop the bits below it
};
struct Relocation {
    Ask ask = Ask::offset;
    std::string root;          // "struct file", or the name of a typedef
    std::vector<Member> path;  // from there, each with its offset in the previous one
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
    programs,  // an array of programs
};
std::string_view storage_name(Storage s);

struct MapDefinition {
    std::string symbol;
    Storage storage = Storage::hash;
    uint32_t key_size = 0;
    uint32_t value_size = 0;
    uint32_t max_entries = 0;
    bool preallocated = false;
    bool shared_memory = false;  // the runtime maps the array
};

// One BPF program that is being built: its code, and how it is entered.
struct Function {
    std::string name;
    Way way = Way::run;
    bool at_return = false;
    bool user = false;                      // arguments beyond the registers lie in user memory
    Convention convention = Convention::c;  // of the traced function
    uint32_t words = 0;                     // how many words the kernel function's arguments take
    // Non-empty in the program of a session: functions of this program that it runs at the two ends. They are not
    // separate programs.
    std::string on_entry, on_return;
    uint32_t slots = 0;
    uint32_t frame = 0;  // bytes of its buffers; different statements share them
    // If the buffers do not fit on the stack: the map in which each run claims memory for them, and the loss that
    // counts failed claims.
    std::optional<uint32_t> scratch;
    uint32_t scratch_loss = 0;
    Value values = 0;  // number of value ids in use
    Block body;
};

// The body of a loop becomes a separate function, which shares only a piece of memory with the function around it
// (BPF's loop helpers take callbacks). State that both need is in words of that memory, after the buffers, unless it is
// elsewhere.
struct Shared {
    static constexpr uint32_t none = ~0u;
    bool loops = false;            // does the function have loops?
    std::vector<uint32_t> values;  // by Value: its word
    std::vector<uint32_t> slots;   // by slot
    std::vector<const Op*> homes;  // by Value: the innermost loop that makes it; nullptr: none
    uint32_t context = none;
    uint32_t room = none;    // the address of the buffers, if they do not fit on the stack
    uint32_t target = none;  // where to continue after a loop that was left completely
    uint32_t words = 0;
};
Shared shared(const Function& function);
// Emitted again wherever it is used: costs nothing and depends on nothing.
bool is_remade(Code code);

struct Program {
    std::vector<std::string> texts;  // bytes of constants, padded to the size that their users read
    std::vector<Relocation> relocations;
    std::vector<MapDefinition> maps;  // the script's first (same index as Plan::maps), then internal ones
    std::vector<Function> functions;
    std::vector<std::string> c_functions;  // of the script, by their names in c_code
    std::vector<uint8_t> c_code;           // clang's output: LLVM bitcode; empty: no functions
    std::string license = "GPL";           // passed to the kernel
    Abilities abilities;                   // of the kernel
};

std::string dump(const Program& program);

}  // namespace lt::ir
