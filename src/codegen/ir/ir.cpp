// The tables of the IR, and its text form for --dump=ir.
#include "codegen/ir/ir.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "runtime/border/host_calls.h"

namespace lt::ir {
namespace {

// code, name, makes a value, the value is an address
constexpr std::array codes{
    CodeRow{Code::constant, "constant", true, false},
    CodeRow{Code::text, "text", true, true},
    CodeRow{Code::map, "map", true, true},
    CodeRow{Code::context, "context", true, true},
    CodeRow{Code::param, "param", true, true},
    CodeRow{Code::buffer, "buffer", true, true},
    CodeRow{Code::at, "at", true, true},
    CodeRow{Code::alu, "alu", true, false},
    CodeRow{Code::extend, "extend", true, false},
    CodeRow{Code::slot_read, "read", true, false},
    CodeRow{Code::slot_write, "write", false, false},
    CodeRow{Code::relocation, "relocation", true, false},
    CodeRow{Code::fetch, "fetch", true, false},
    CodeRow{Code::load, "load", true, false},
    CodeRow{Code::store, "store", false, false},
    CodeRow{Code::copy, "copy", false, false},
    CodeRow{Code::argument, "argument", true, false},
    CodeRow{Code::stopping, "stopping", true, false},
    CodeRow{Code::halt, "halt", false, false},
    CodeRow{Code::frame, "frame", true, false},
    CodeRow{Code::result, "result", true, false},
    CodeRow{Code::field, "field", true, false},
    CodeRow{Code::helper, "helper", true, false},
    CodeRow{Code::host, "host", true, false},
    CodeRow{Code::find, "find", true, true},
    CodeRow{Code::call, "call", true, false},
    CodeRow{Code::c_call, "c", true, false},
    CodeRow{Code::reserve, "reserve", true, true},
    CodeRow{Code::submit, "submit", false, false},
    CodeRow{Code::loss, "loss", false, false},
    CodeRow{Code::branch, "if", false, false},
    CodeRow{Code::loop, "loop", false, false},
    CodeRow{Code::each, "each", false, false},
    CodeRow{Code::turn, "turn", true, false},
    CodeRow{Code::stop, "stop", false, false},
    CodeRow{Code::scope, "scope", false, false},
    CodeRow{Code::quit, "quit", false, false},
    CodeRow{Code::leave, "leave", false, false},
};

constexpr std::array<std::string_view, 23> alu_names{
    "add",  "sub", "mul", "udiv", "sdiv", "umod", "smod", "and", "or",  "xor", "shl", "lshr",
    "ashr", "eq",  "ne",  "ult",  "ule",  "ugt",  "uge",  "slt", "sle", "sgt", "sge",
};

// id, name, file, arguments, result, address, atomic
using enum LibraryFile;
constexpr std::array library{
    LibraryRow{Library::slot, "lt_slot", aggregate, 5, true, true},
    LibraryRow{Library::add, "lt_add", aggregate, 3, false, false},
    LibraryRow{Library::sum, "lt_sum", aggregate, 5, false, false},
    LibraryRow{Library::add_after, "lt_add_after", aggregate, 2, true, false, true},
    LibraryRow{Library::and_, "lt_and", aggregate, 2, false, false, true},
    LibraryRow{Library::or_, "lt_or", aggregate, 2, false, false, true},
    LibraryRow{Library::xor_, "lt_xor", aggregate, 2, false, false, true},
    LibraryRow{Library::average, "lt_average", aggregate, 5, false, false},
    LibraryRow{Library::raise, "lt_raise", aggregate, 4, false, false, true},
    LibraryRow{Library::hist, "lt_hist", aggregate, 3, false, false},
    LibraryRow{Library::hist_unsigned, "lt_hist_unsigned", aggregate, 3, false, false},
    LibraryRow{Library::hist_duration, "lt_hist_duration", aggregate, 3, false, false},
    LibraryRow{Library::dist, "lt_dist", aggregate, 6, false, false, true},
    LibraryRow{Library::exceed, "lt_exceed", aggregate, 2, true, false, true},
    LibraryRow{Library::same, "lt_same", aggregate, 3, true, false},
    LibraryRow{Library::divide, "lt_divide", aggregate, 2, true, false},
    LibraryRow{Library::modulo, "lt_modulo", aggregate, 2, true, false},
    LibraryRow{Library::room, "lt_room", aggregate, 2, true, false},
    LibraryRow{Library::wake_flags, "lt_wake_flags", aggregate, 2, true, false},
    LibraryRow{Library::task_state, "lt_task_state", span, 1, true, true},
    LibraryRow{Library::task_state_make, "lt_task_state_make", span, 2, true, true},
    LibraryRow{Library::hash_state, "lt_hash_state", span, 1, true, true},
    LibraryRow{Library::hash_state_make, "lt_hash_state_make", span, 3, true, true},
    LibraryRow{Library::hash_state_drop, "lt_hash_state_drop", span, 1, false, false},
    LibraryRow{Library::span_open, "lt_span_open", span, 6, true, true},
    LibraryRow{Library::span_skip, "lt_span_skip", span, 5, false, false},
    LibraryRow{Library::span_close, "lt_span_close", span, 8, true, true},
    LibraryRow{Library::span_open_one, "lt_span_open_one", span, 2, true, true},
    LibraryRow{Library::span_skip_one, "lt_span_skip_one", span, 2, false, false},
    LibraryRow{Library::span_close_one, "lt_span_close_one", span, 5, true, true},
    LibraryRow{Library::unmatched, "lt_unmatched", span, 4, false, false},
    LibraryRow{Library::span_die, "lt_span_die", span, 2, false, false},
    LibraryRow{Library::span_age, "lt_span_age", span, 4, true, false},
    LibraryRow{Library::walk, "lt_walk", span, 7, false, false},
    LibraryRow{Library::opener, "lt_opener", span, 0, true, false},
    LibraryRow{Library::pair_reopen, "lt_pair_reopen", span, 4, true, true, true},
    LibraryRow{Library::pair_open, "lt_pair_open", span, 5, false, false},
    LibraryRow{Library::pair_claim, "lt_pair_claim", span, 1, true, false, true},
    LibraryRow{Library::pair_die, "lt_pair_die", span, 2, false, false, true},
    LibraryRow{Library::mark_thread, "lt_mark_thread", span, 2, false, false},
    LibraryRow{Library::unmark_thread, "lt_unmark_thread", span, 2, true, false},
    LibraryRow{Library::call_open, "lt_call_open", span, 6, true, true},
    LibraryRow{Library::call_skip, "lt_call_skip", span, 4, false, false},
    LibraryRow{Library::call_close, "lt_call_close", span, 7, true, true},
    LibraryRow{Library::stack, "lt_stack", stack, 10, true, false, true},
    LibraryRow{Library::claim, "lt_claim", scratch, 2, true, true, true},
    LibraryRow{Library::release, "lt_release", scratch, 1, false, false},
    LibraryRow{Library::at_most, "lt_at_most", string, 2, true, false},
    LibraryRow{Library::length, "lt_length", string, 2, true, false},
    LibraryRow{Library::compare, "lt_compare", string, 3, true, false},
    LibraryRow{Library::contains, "lt_contains", string, 4, true, false},
    LibraryRow{Library::find, "lt_find", string, 4, true, false},
    LibraryRow{Library::begins_at, "lt_begins_at", string, 5, true, false},
    LibraryRow{Library::bytes_compare, "lt_bytes_compare", string, 3, true, false},
    LibraryRow{Library::change_case, "lt_change_case", string, 3, false, false},
    LibraryRow{Library::quote_begin, "lt_quote_begin", string, 5, false, false},
    LibraryRow{Library::quote_step, "lt_quote_step", string, 6, true, false},
    LibraryRow{Library::quote_end, "lt_quote_end", string, 4, false, false},
    LibraryRow{Library::names, "lt_names", string, 5, false, false},
    LibraryRow{Library::number, "lt_to_number", string, 3, true, false},
    LibraryRow{Library::swap, "lt_swap", string, 2, true, false},
    LibraryRow{Library::hist_fine, "lt_hist_fine", aggregate, 4, false, false},
    LibraryRow{Library::lhist, "lt_lhist", aggregate, 6, false, false},
    LibraryRow{Library::tseries, "lt_tseries", aggregate, 10, false, false, true},
    LibraryRow{Library::iterated, "lt_iterated", iterator, 1, false, false},
    LibraryRow{Library::samples, "lt_samples", aggregate, 12, false, false, true},
    LibraryRow{Library::family_fork, "lt_family_fork", traced, 3, false, false},
    LibraryRow{Library::family_free, "lt_family_free", traced, 2, false, false},
    LibraryRow{Library::in_family, "lt_in_family", traced, 1, true, false},
    LibraryRow{Library::in_cgroup, "lt_in_cgroup", traced, 2, true, false},
    LibraryRow{Library::is_own, "lt_is_own", aggregate, 0, true, false},
    LibraryRow{Library::matches, "lt_matches", string, 5, true, false},
    LibraryRow{Library::stack_length, "lt_stack_length", stack, 2, true, false},
    LibraryRow{Library::why_switch, "lt_why_switch", why, 12, false, false},
    LibraryRow{Library::why_wake, "lt_why_wake", why, 7, false, false},
    LibraryRow{Library::why_futex, "lt_why_futex", why, 7, false, false},
    LibraryRow{Library::why_released, "lt_why_released", why, 11, false, false},
    LibraryRow{Library::why_enter, "lt_why_enter", why, 2, false, false},
    LibraryRow{Library::why_leave, "lt_why_leave", why, 1, false, false},
    LibraryRow{Library::why_lock, "lt_why_lock", why, 10, false, false},
    LibraryRow{Library::why_unlock, "lt_why_unlock", why, 3, false, false},
    LibraryRow{Library::why_reclaim, "lt_why_reclaim", why, 4, false, false},
    LibraryRow{Library::why_open, "lt_why_open", why, 5, true, false},
    LibraryRow{Library::why_close, "lt_why_close", why, 4, true, false},
    LibraryRow{Library::why_parts, "lt_why_parts", why, 4, false, false},
    LibraryRow{Library::why_longest, "lt_why_longest", why, 8, false, false, true},
    LibraryRow{Library::why_add, "lt_why_add", why, 3, false, false},
    LibraryRow{Library::keep_open, "lt_keep_open", keep, 4, false, false, true},
    LibraryRow{Library::keep_close, "lt_keep_close", keep, 6, false, false, true},
    LibraryRow{Library::keep_trigger, "lt_keep_trigger", keep, 5, false, false, true},
};

constexpr std::array<std::string_view, 4> ask_names{"offset", "size", "left shift", "right shift"};
std::string_view ask_name(Ask ask) { return ask_names[static_cast<size_t>(ask)]; }

class Printer {
  public:
    explicit Printer(const Program& program) : program_(program) {}

    std::string text() {
        for (size_t i = 0; i < program_.texts.size(); i++) {
            const std::string& bytes = program_.texts[i];  // without the trailing zeros
            line(0, fmt::format("text {} {}, {} bytes", i, quoted(bytes.substr(0, bytes.find_last_not_of('\0') + 1)),
                                bytes.size()));
        }
        for (size_t i = 0; i < program_.relocations.size(); i++) relocation(i, program_.relocations[i]);
        for (const MapDefinition& m : program_.maps) {
            line(0, fmt::format("map {} {} key {} value {} entries {}{}", m.symbol, storage_name(m.storage), m.key_size,
                                m.value_size, m.max_entries, m.preallocated ? " preallocated" : ""));
        }
        for (const Function& f : program_.functions) function(f);
        return std::move(out_);
    }

  private:
    const Program& program_;
    std::string out_;

    void line(int depth, std::string_view text) { out_ += fmt::format("{:{}}{}\n", "", depth * 4, text); }

    void relocation(size_t i, const Relocation& r) {
        std::string path;
        for (const Member& m : r.path) path += "." + m.name;
        line(0, fmt::format("relocation {} {} of {}{}: {}", i, ask_name(r.ask), r.root, path, r.value));
    }

    void function(const Function& f) {
        line(0, fmt::format("function {} by {}{}{}", f.name, way_name(f.way), f.at_return ? " at the return" : "",
                            f.scratch ? fmt::format(" with {} bytes of scratch", f.frame) : ""));
        if (!f.on_entry.empty()) line(1, fmt::format("entry {}, return {}", f.on_entry, f.on_return));
        block(f.body, 1);
    }

    void block(const Block& b, int depth) {
        for (const Op& op : b) operation(op, depth);
    }

    void operation(const Op& op, int depth) {
        line(depth, description(op));
        if (op.blocks.empty()) return;
        block(op.blocks[0], depth + 1);
        if (op.blocks.size() < 2 || op.blocks[1].empty()) return;
        line(depth, "else");
        block(op.blocks[1], depth + 1);
    }

    std::string description(const Op& op) const {
        std::string out = op.id == no_value ? "" : fmt::format("%{} = ", op.id);
        out += code_row(op.code).name;
        if (op.code == Code::alu) out += fmt::format(" {}", alu_name(op.alu));
        for (Value v : op.in) out += fmt::format(" %{}", v);
        return out + details(op);
    }

    std::string details(const Op& op) const {
        switch (op.code) {
            case Code::buffer:
                return fmt::format(" #{} at {}", op.number, op.offset);
            case Code::constant:
            case Code::argument:
            case Code::turn:
            case Code::helper:
                return fmt::format(" #{}", op.number);
            case Code::text:
                return fmt::format(" {}", op.symbol);
            case Code::slot_read:
            case Code::slot_write:
                return fmt::format(" ${}", op.symbol);
            case Code::map:
            case Code::each:
            case Code::find:
                return fmt::format(" {}", program_.maps[op.symbol].symbol);
            case Code::param:
            case Code::at:
                return fmt::format(" +{}", op.offset);
            case Code::extend:
                return fmt::format(" {}{}", op.is_signed ? 's' : 'u', op.width * 8);
            case Code::relocation:
                return fmt::format(" {}", op.symbol);
            case Code::fetch:
                return fmt::format(" {}{}{}", op.is_signed ? 's' : 'u', op.width * 8, op.number != 0 ? " user" : "");
            case Code::load:
            case Code::store:
                return fmt::format(" +{} {}{}", op.offset, op.is_signed ? 's' : 'u', op.width * 8);
            case Code::field:
                return fmt::format(" +{} {}{}", op.offset, op.is_signed ? 's' : 'u', op.width * 8);
            case Code::copy:
                return fmt::format(" +{} #{}", op.offset, op.number);
            case Code::call:
                return fmt::format(" {}", library_row(static_cast<Library>(op.symbol)).name);
            case Code::host:
                return fmt::format(" {}", host_call_row(static_cast<HostCall>(op.symbol)).name);
            case Code::c_call:
                return fmt::format(" {}", program_.c_functions[op.symbol]);
            case Code::reserve:
                return fmt::format(" event {}", op.symbol);
            case Code::loss:
            case Code::scope:
            case Code::quit:
                return fmt::format(" {}", op.symbol);
            case Code::context:
            case Code::alu:
            case Code::stopping:
            case Code::halt:
            case Code::frame:
            case Code::result:
            case Code::submit:
            case Code::loop:
                return op.number != 0 ? fmt::format(" {} at most", op.number) : "";
            case Code::branch:
            case Code::stop:
            case Code::leave:
                return "";
        }
        return "";
    }
};

}  // namespace

std::string_view storage_name(Storage s) {
    constexpr std::array<std::string_view, 10> names{"hash",        "per-CPU hash", "array",    "per-CPU array",
                                                     "ring buffer", "task storage", "LRU hash", "per-CPU LRU hash",
                                                     "perf events", "programs"};
    return names[static_cast<size_t>(s)];
}

std::string_view alu_name(Alu op) { return alu_names[static_cast<size_t>(op)]; }

const CodeRow& code_row(Code code) { return codes[static_cast<size_t>(code)]; }

const LibraryRow& library_row(Library id) { return library[static_cast<size_t>(id)]; }

std::span<const LibraryRow> library_rows() { return library; }

std::string dump(const Program& program) { return Printer(program).text(); }

}  // namespace lt::ir
