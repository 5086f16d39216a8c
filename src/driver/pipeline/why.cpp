#include "driver/pipeline/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "driver/report/uncovered.h"
#include "parser/parse.h"

namespace lt {
namespace {

constexpr std::string_view slow_parameter = "param slow = 100ms \"print each call that takes longer\"\n";
constexpr std::string_view call = "printf(\"%s, %s %d: \", probe, comm, tid); print(why);";

bool parses(const Source& text) {
    Diags diags;
    const ast::Program program = parse(text, diags);
    return !diags.has_errors() && !program.items.empty();
}

// `lt why fsync`: neither a span nor a program.
bool is_word(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

std::string span_meant(std::string_view word) {
    if (word.find_first_not_of("0123456789") == word.npos)
        return fmt::format("for the process with this number: `lt why -p {}`", word);
    if (word.find('-') != word.npos) return "for a process: `lt why -p PID`";
    return fmt::format("for a system call: `lt why sc:{}`; for a process: `lt why -p PID`", word);
}

}  // namespace

Result<Source> explaining_program(const Source& span, bool all_slow, bool takes_snapshots) {
    if (is_word(span.text)) return Error{fmt::format("`{}` is not a span", span.text), span_meant(span.text), 0};
    const std::string_view snapshot = takes_snapshots ? " snapshot();" : "";
    const std::string shown = all_slow ? fmt::format("if (latency > slow) {{ {}{} }}", call, snapshot)
                                       : fmt::format("if (latency > @slowest) {{ @slowest = latency; {} }}", call);
    Source whole{span.name, fmt::format("{}\n< @total = why(); {} >\n", span.text, shown)};
    whole.text += all_slow ? slow_parameter : "END { clear(@slowest); }\n";
    if (parses(whole)) return whole;
    if (!parses(span)) return span;
    return Error{"why takes a span without a block", "for example `lt why 'sc:fsync > 10ms'`", 0};
}

// From one switch to the next one that takes the thread off its CPU, so that every moment is in one span. The idle
// threads of all CPUs have the same number.
Source explaining_threads(bool by_thread, bool of_command) {
    const std::string_view key = by_thread ? "comm, tid" : "comm", whose = of_command ? "pid == cpid" : "tid != 0";
    return {std::string(threads_script),
            fmt::format("rt:sched_switch[tid] -> rt:sched_switch[tid] /{}/ < @[{}] = why() >\n", whose, key)};
}

}  // namespace lt
