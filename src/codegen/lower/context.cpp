#include "codegen/lower/context.h"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>

#include "codegen/ir/outside.h"
#include "codegen/ir/text_steps.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/statements/error.h"
#include "codegen/typed/host.h"

namespace lt {
namespace {

// Of BPF's 512 bytes; the rest is for spilled registers: the program's own, and those of what it calls.
constexpr uint32_t whole_stack = 512;
constexpr uint32_t most_stack = 400;
constexpr uint32_t most_stack_with_loops = 320;     // the body of a loop is a function
constexpr uint32_t most_stack_with_searches = 128;  // operations on long strings are functions, with loops in them
constexpr uint32_t stack_of_call = 64;              // of each of the functions inside each other
constexpr uint32_t least_stack = 32;                // of a function

constexpr uint32_t most_calls = 7;  // inside each other, and in the program: MAX_CALL_FRAMES in the verifier

constexpr uint32_t most_scratch = 256 << 10;

// From Linux 6.13 on, a program that needs more than 64 bytes of stack gets a stack for each CPU, unless it has a tail
// call (check_max_stack_depth() in kernel/bpf/verifier.c). Programs of uprobes can be preempted, and nothing keeps
// another thread from running the same program on the same CPU meanwhile, which would change the values on that stack.
// So they get a tail call, to nowhere; the kernel wants the same attach type of all programs with one map.
void keep_own_stack(Lowering& l) {
    constexpr uint32_t word = 4;
    const std::string name = fmt::format("lt_nowhere_{}", static_cast<int>(l.way));
    const uint32_t nowhere = l.unit.shared_map({name, ir::Storage::programs, word, word, 1, false});
    l.b.helper(BPF_FUNC_tail_call, {ir::context(l.b), l.b.map(nowhere), l.b.constant(0)});
}

void refuse_kernel(Lowering& l, Span where) {
    const auto request = asks_kernel(l.function.body);
    if (!request) return;
    if (!l.body.only_host) return l.unit.leave_to_kernel(l.number());
    l.unit.diags
        .error(request->begin == request->end ? where : *request,
               "lt itself runs this block, and only the kernel has this value")
        .hint = "the cause is a sorted loop: read the value in a separate probe, and store it in a map";
}

void refuse_nesting(Lowering& l, Span where) {
    l.unit.diags
        .error(where, fmt::format("BPF programs can have {} loops inside each other, and this is one more", most_calls))
        .hint =
        "combine two of the loops into one, and compute both numbers from its number; operations on long strings count "
        "as loops";
}

}  // namespace

Lowering::Lowering(const BodyContext& context, const std::string& name, Way way_in, bool at_return_in)
    : BodyContext(context),
      function(unit.function(name)),
      way(way_in),
      at_return(at_return_in),
      b(function, way != Way::host && !unit.typed.abilities.loops) {
    function.way = way;
    function.at_return = at_return;
    function.user = way_row(way).user;
    function.convention = user_function(body.place).convention;
    function.words = argument_words(kernel_function(body.place));
    b.at(body.place.span);
    if (function.user) keep_own_stack(*this);
}

// The kernel passes nothing but a piece of the stack to a loop's body: the numbers that the loop shares must fit there.
void Lowering::finish(Span where) {
    close_errors(*this);
    if (b.loops().wanted)
        unit.diags
            .error(where,
                   "BPF programs of this kernel cannot search strings of more than 1024 bytes (needs Linux 5.17)")
            .hint = "lower `max_strlen` to 1024, or search in `END`, which lt itself runs";
    const ir::Shared words = ir::shared(function);
    const uint32_t size = function.frame + 8 * words.words;
    const uint32_t shared = words.loops ? 8 * (words.words + 1) : 0;  // one more for the address of the buffers
    if (on_host()) return refuse_kernel(*this, where);
    const ir::Nesting nested = ir::nesting(function);
    if (nested.calls > most_calls) return refuse_nesting(*this, nested.where);
    const uint32_t usual = ir::is_long(function) ? most_stack_with_searches
                           : words.loops         ? most_stack_with_loops
                                                 : most_stack;
    const uint32_t most = std::min(usual, whole_stack - stack_of_call * nested.calls);
    if (size <= most && !b.loops().hold_addresses) return;
    const uint32_t most_shared = std::min(most_stack, whole_stack - least_stack * nested.calls);
    if (size <= most_scratch && shared <= most_shared) {
        function.scratch = frame_map(unit, size);
        function.scratch_loss = unit.loss(LossKind::scratch_busy, 0);
        return;
    }
    const bool numbers = shared > most_shared;
    unit.diags
        .error(where,
               fmt::format("this block needs {} bytes for {}, but only {} are available", numbers ? shared : size,
                           numbers ? "the numbers in its loops" : "strings, structures and keys",
                           numbers ? most_shared : most_scratch))
        .hint = numbers ? "use fewer variables, or move the loop to a separate probe"
                        : "use fewer or shorter ones, or split the block into two probes";
}

}  // namespace lt
